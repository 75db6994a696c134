"""TrueSkill for a duel: one closed-form update, for comparison with tables that others keep.

Only the duel is here: it needs no message passing. Fields and teams are `weng_lin`'s part, which does the same job with
closed forms; TrueSkill through time is left out because a bot does not change between its games, a new version being a
new bot. A single game of it equals this update with `tau=0`.
Source: Herbrich, Minka and Graepel, TrueSkill, NeurIPS 2006.
"""

import math

from harness.stats.arguments import StatsInputError, check_positive
from harness.stats.distributions import normal_quantile
from harness.stats.truncated_normal import draw_mean_shift, draw_variance_cut, win_mean_shift, win_variance_cut
from harness.stats.weng_lin import Skill

BETA = 25.0 / 6.0
TAU = 25.0 / 300.0


def trueskill_duel(
    winner: Skill,
    loser: Skill,
    *,
    draw: bool = False,
    beta: float = BETA,
    tau: float = TAU,
    draw_probability: float = 0.1,
) -> tuple[Skill, Skill]:
    """Beliefs after a duel, in the order given; `draw` makes the order meaningless.

    `draw_probability` is that of two equal players and sets the draw margin; 0 means that draws do not happen.
    """
    check_positive("beta", beta)
    if not 0.0 <= draw_probability < 1.0:
        raise StatsInputError(f"draw_probability is {draw_probability!r}; allowed is 0 to below 1")
    if draw and draw_probability == 0.0:
        raise StatsInputError("a draw cannot happen with draw_probability 0")
    first, second = winner.sigma**2 + tau**2, loser.sigma**2 + tau**2
    c = math.sqrt(first + second + 2.0 * beta**2)
    margin = 0.0
    if draw_probability > 0.0:
        margin = normal_quantile(0.5 * (draw_probability + 1.0)) * math.sqrt(2.0) * beta / c
    lead = (winner.mu - loser.mu) / c
    if draw:
        shift, cut = draw_mean_shift(lead, margin), draw_variance_cut(lead, margin)
    else:
        shift, cut = win_mean_shift(lead - margin), win_variance_cut(lead - margin)
    return (
        Skill(winner.mu + first / c * shift, math.sqrt(first * (1.0 - first / c**2 * cut))),
        Skill(loser.mu - second / c * shift, math.sqrt(second * (1.0 - second / c**2 * cut))),
    )

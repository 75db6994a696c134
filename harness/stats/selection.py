"""The winner's curse: what was chosen because it scored well scores less well afterwards, and by how much.

Report the estimate from maps played after the choice. Where there are none, the corrected estimates here.
Must not import numpy.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.arguments import (
    StatsInputError,
    check_count,
    check_finite,
    check_open_unit,
    check_positive,
    check_unit,
)
from harness.stats.distributions import binomial_at_least, binomial_at_most, binomial_pmf, normal_quantile, normal_sf
from harness.stats.solve import find_root


class CorrectionState(StrEnum):
    """Whether the corrected numbers exist."""

    USUAL = "usual"
    AT_THE_BAR = "at the bar"  # only just selected: any low strength explains it as well
    NOT_SELECTED = "not selected"  # below the threshold: nothing to correct


@dataclass(frozen=True, slots=True)
class SelectedEstimate:
    """A score that was selected for being at or above a threshold.

    `plain` is as observed, `corrected` the true score at which it is the median of what passes. `low` and
    `high` hold at `confidence` among what passes.
    """

    plain: float
    corrected: float
    low: float
    high: float
    confidence: float
    state: CorrectionState


def best_of_equal(candidates: int, games: int, win_rate: float = 0.5) -> float:
    """Expected observed win rate of the best of `candidates` equal bots after `games` games of win or loss
    each. Exact.

    0.554 for the best of ten even bots over 200 games.
    """
    check_count("candidates", candidates, minimum=1)
    check_count("games", games, minimum=1)
    check_unit("win_rate", win_rate)
    return sum(1.0 - binomial_at_most(wins - 1, games, win_rate) ** candidates for wins in range(1, games + 1)) / games


def best_of_equal_normal(candidates: int, se: float) -> float:
    """Expected lead of the best of `candidates` equal bots over their true score, when each has standard error `se`."""
    check_count("candidates", candidates, minimum=1)
    check_positive("se", se)
    # the mean of the largest of k normal variables, as ∫ (1 − Φ^k) over the right less ∫ Φ^k over the left
    step, total = 0.01, 0.0
    for index in range(1000):
        z = (index + 0.5) * step
        total += (1.0 - (1.0 - normal_sf(z)) ** candidates - normal_sf(z) ** candidates) * step
    return total * se


def after_threshold(wins: int, games: int, min_wins: int, confidence: float = 0.95) -> SelectedEstimate:
    """Correct `wins` of `games` for having been looked at only because they were at least `min_wins`. Exact
    binomial.

    The median-unbiased estimate under the law cut off below the threshold, and its equal-tailed interval.
    """
    check_count("games", games, minimum=1)
    check_count("wins", wins)
    check_count("min_wins", min_wins)
    check_open_unit("confidence", confidence)
    if wins > games:
        raise StatsInputError(f"wins is {wins!r}; allowed is a whole number from 0 to the {games!r} games")
    plain = wins / games
    if wins < min_wins:
        return SelectedEstimate(plain, plain, 0.0, 1.0, confidence, CorrectionState.NOT_SELECTED)

    def at_least(p: float) -> float:
        return _share_above(wins, min_wins, games, p)

    def above(p: float) -> float:
        return _share_above(wins + 1, min_wins, games, p)

    def middle(p: float) -> float:
        return 0.5 * (at_least(p) + above(p))

    tail = 0.5 * (1.0 - confidence)
    return SelectedEstimate(
        plain=plain,
        corrected=_rising_root(middle, 0.5),
        low=_rising_root(at_least, tail),
        high=_rising_root(above, 1.0 - tail),
        confidence=confidence,
        state=CorrectionState.AT_THE_BAR if wins == min_wins else CorrectionState.USUAL,
    )


def after_threshold_normal(mean: float, se: float, min_mean: float, confidence: float = 0.95) -> SelectedEstimate:
    """The same for a mean map score with standard error `se`, selected for being at least `min_mean`.

    Right at the threshold no low score is ruled out. `high` is the plain one: selection only lowers the
    truth, and the corrected one is empty at the threshold. Everything is cut to [0, 1].
    """
    check_unit("mean", mean)
    check_positive("se", se)
    check_finite("min_mean", min_mean)
    check_open_unit("confidence", confidence)
    if mean < min_mean:
        return SelectedEstimate(mean, mean, 0.0, 1.0, confidence, CorrectionState.NOT_SELECTED)

    def at_least(true: float) -> float:
        return _tail_quotient((mean - true) / se, (min_mean - true) / se)

    tail = 0.5 * (1.0 - confidence)
    return SelectedEstimate(
        plain=mean,
        corrected=_rising_root(at_least, 0.5),
        low=_rising_root(at_least, tail),
        high=min(1.0, mean - se * normal_quantile(tail)),
        confidence=confidence,
        state=CorrectionState.AT_THE_BAR
        if mean - min_mean < 0.1 * se * normal_quantile(0.975)
        else CorrectionState.USUAL,
    )


def promoted_score(win_rate: float, games: int, min_wins: int) -> float | None:
    """Expected observed win rate among bots of true `win_rate` that reach `min_wins` of `games`. None if none
    can.

    What to expect to see, before it is seen.
    """
    check_unit("win_rate", win_rate)
    check_count("games", games, minimum=1)
    passing = binomial_at_least(min_wins, games, win_rate)
    if passing <= 0.0:
        return None
    return (
        sum(wins * binomial_pmf(wins, games, win_rate) for wins in range(max(0, min_wins), games + 1)) / passing / games
    )


def _share_above(wins: int, min_wins: int, games: int, p: float) -> float:
    """P(X >= wins)/P(X >= min_wins) for the binomial law, in units of P(X = min_wins) so that nothing underflows."""
    odds = p / (1.0 - p)
    whole = part = 0.0
    term = 1.0
    for k in range(min_wins, games + 1):
        whole += term
        if k >= wins:
            part += term
        ratio = (games - k) / (k + 1) * odds
        term *= ratio
        if term > 1e250:
            whole, part, term = whole * 1e-250, part * 1e-250, term * 1e-250
        if ratio < 1.0 and k >= wins and term < 1e-17 * part:
            break
    return part / whole


def _tail_quotient(z: float, z_bar: float) -> float:
    """P(Z > z)/P(Z > z_bar), with the leading asymptotic terms where both underflow."""
    if z_bar < 30.0:
        return normal_sf(z) / normal_sf(z_bar)
    exponent = 0.5 * (z_bar - z) * (z_bar + z)
    return 0.0 if exponent < -700.0 else z_bar / z * math.exp(exponent)


def _rising_root(function: Callable[[float], float], share: float) -> float:
    """Where a function that rises on [0, 1] reaches `share`; the end of the range that it never leaves."""
    low, high = 1e-12, 1.0 - 1e-12
    if function(low) >= share:
        return 0.0
    if function(high) <= share:
        return 1.0
    return find_root(lambda p: function(p) - share, low, high, absolute=1e-13)

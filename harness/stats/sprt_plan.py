"""What a sequential test will do: how often it passes and how many maps it takes, before it starts and during
it.

Here the log-likelihood ratio is a Brownian motion, which is exact in the limit of many small steps;
`lattice_plan` steps map by map. Must not import numpy.

Source: A. Wald; D. Siegmund, Sequential Analysis, chapters 2 and 3; fishtest's SPRT calculator.
"""

import math
from dataclasses import dataclass

from harness.stats.arguments import StatsInputError, check_open_unit, check_positive, check_unit
from harness.stats.elo import to_score
from harness.stats.sprt_bounds import BayesEloBounds, Bounds, EloBounds, wald_limits
from harness.stats.stopped_brownian import StoppedBrownian

_MEAN_OVERSHOOT = 0.5825971579390106
"""−ζ(½)/√(2π): by how many standard deviations of one step a random walk passes a limit, on average."""


@dataclass(frozen=True, slots=True)
class SprtPlan:
    """A sequential test at one true strength. Maps are those still to come.

    `undecided` is the probability that a cap on the maps ends it first (0 without a cap); the numbers of maps
    then count capped runs at the cap. `median_maps` and `p90_maps` are reached by half and by 90 % of runs.
    """

    pass_probability: float
    undecided: float
    expected_maps: float
    median_maps: float
    p90_maps: float
    games_per_map: float

    @property
    def expected_games(self) -> float:
        """Expected maps in games."""
        return self.expected_maps * self.games_per_map


def game_variance(draw_share: float, rms_bias_elo: float = 0.0) -> float:
    """Variance of one game between equals with this share of draws, played as one of a pair.

    (1 − draws)/4 less the square of the opening bias as a score: what a bias moves, the other game of the
    pair moves back.
    """
    check_unit("draw_share", draw_share)
    bias = to_score(rms_bias_elo) - 0.5
    variance = 0.25 * (1.0 - draw_share) - bias * bias
    if variance <= 0.0:
        raise StatsInputError(
            f"draw_share {draw_share!r} with rms_bias_elo {rms_bias_elo!r} leaves no variance; lower one of them"
        )
    return variance


def hypothesis_scores(bounds: Bounds, map_sd: float, games_per_map: float) -> tuple[float, float]:
    """Mean scores of H0 and H1. Normalized bounds need the deviation of a map's mean score."""
    if isinstance(bounds, BayesEloBounds):
        raise StatsInputError(
            "BayesElo bounds have no mean score without a draw rate; plan with EloBounds or NeloBounds"
        )
    return bounds.scores() if isinstance(bounds, EloBounds) else bounds.scores(map_sd, games_per_map)


def plan_sprt(
    bounds: Bounds,
    true_score: float,
    *,
    map_sd: float,
    games_per_map: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    llr_now: float = 0.0,
    count_overshoot: bool = False,
) -> SprtPlan:
    """The GSPRT of `bounds` when the true mean score is `true_score` and a map's mean score has deviation
    `map_sd`.

    With `llr_now` it is the rest of a running test. `count_overshoot` moves both limits out by the mean
    overshoot of a step, as the real test does; without it the numbers are fishtest's.
    """
    check_open_unit("true_score", true_score)
    check_positive("map_sd", map_sd)
    check_positive("games_per_map", games_per_map)
    limits = wald_limits(alpha, beta)
    score0, score1 = hypothesis_scores(bounds, map_sd, games_per_map)
    step_sd = (score1 - score0) / map_sd
    drift = (true_score - 0.5 * (score0 + score1)) * step_sd / map_sd
    beyond = _MEAN_OVERSHOOT * step_sd if count_overshoot else 0.0
    path = StoppedBrownian(limits.lower - beyond, limits.upper + beyond, drift, step_sd * step_sd, llr_now)
    return SprtPlan(
        pass_probability=path.ends_high(),
        undecided=0.0,
        expected_maps=path.expected_time(),
        median_maps=path.quantile_time(0.5),
        p90_maps=path.quantile_time(0.9),
        games_per_map=games_per_map,
    )


def sprt_curve(
    bounds: Bounds,
    true_scores: tuple[float, ...],
    *,
    map_sd: float,
    games_per_map: float,
    alpha: float = 0.05,
    beta: float = 0.05,
) -> tuple[SprtPlan, ...]:
    """`plan_sprt`, overshoot counted, at several true scores: the operating characteristic."""
    return tuple(
        plan_sprt(
            bounds,
            score,
            map_sd=map_sd,
            games_per_map=games_per_map,
            alpha=alpha,
            beta=beta,
            count_overshoot=True,
        )
        for score in true_scores
    )


def map_sd_of_pairs(draw_share: float, rms_bias_elo: float = 0.0) -> float:
    """Deviation of a pair's mean score when its two games are independent but for the opening bias."""
    return math.sqrt(0.5 * game_variance(draw_share, rms_bias_elo))

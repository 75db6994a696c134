"""What a sequential test measured, corrected for having stopped when it did.

The plain sample estimate after a stop is biased away from even: a test stops when luck has gone far. The
estimate here is the Elo at which the outcome seen is the median one, the LLR taken as a stopped Brownian
motion. Both are given, each under its own name. Must not decide anything, and must not import numpy.

Source: D. Siegmund, Sequential Analysis, section 3.4; fishtest's SPRT_elo.
"""

from collections.abc import Callable
from dataclasses import dataclass

from harness.stats.arguments import StatsInputError, check_open_unit
from harness.stats.bayeselo_sprt import bayeselo_to_score, sample_drawelo
from harness.stats.elo import Elo, EloState, Superiority, elo_of_score, from_score, to_score
from harness.stats.gsprt import ScoreCounts, llr_logistic, llr_normalized
from harness.stats.solve import find_root
from harness.stats.sprt_bounds import BayesEloBounds, Bounds, EloBounds, NeloBounds, WaldLimits, wald_limits
from harness.stats.stopped_brownian import StoppedBrownian

_FARTHEST_ELO = 1000.0
"""Estimates beyond this are shown as unbounded, as fishtest cuts them off."""


@dataclass(frozen=True, slots=True)
class StoppedEstimate:
    """`elo` with `low` and `high` is median-unbiased after stopping; `sample_elo` is the plain estimate.

    All are logistic Elo, whatever unit the bounds had. `llr` is the test's own, `limits` are Wald's.
    """

    elo: Elo
    low: Elo
    high: Elo
    los: Superiority
    sample_elo: Elo
    llr: float
    limits: WaldLimits
    confidence: float


def _mean_bounds(data: ScoreCounts, bounds: Bounds, variance: float) -> tuple[float, float]:
    """Mean scores of H0 and H1, with the sample's deviation for normalized bounds and its draws for BayesElo."""
    if isinstance(bounds, EloBounds):
        return bounds.scores()
    if isinstance(bounds, NeloBounds):
        return bounds.scores(variance**0.5, data.games_per_map)
    losses, draws, wins = data.counts
    drawelo = sample_drawelo(losses, draws, wins)
    return bayeselo_to_score(bounds.bayeselo0, drawelo), bayeselo_to_score(bounds.bayeselo1, drawelo)


def stopped_estimate(
    data: ScoreCounts,
    bounds: Bounds,
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    confidence: float = 0.95,
) -> StoppedEstimate:
    """Estimate after (or during) the GSPRT of `bounds` with error rates `alpha` and `beta` on the counts
    `data`.

    BayesElo bounds need single games. With fewer than two filled cells the state says why there is no estimate.
    """
    check_open_unit("confidence", confidence)
    if isinstance(bounds, BayesEloBounds) and len(data.counts) != 3:
        raise StatsInputError(f"the counts have {len(data.counts)} cells; BayesElo bounds need losses, draws, wins")
    limits = wald_limits(alpha, beta)
    n_maps = data.total
    mean, variance = data.mean_and_variance()
    score0, score1 = _mean_bounds(data, bounds, variance)
    llr = _test_llr(data, bounds, score0, score1)
    n_filled = data.n_filled()
    if n_filled < 2:
        # the spread would be that of the empty cells' thousandths: no estimate can rest on it
        state = EloState.NO_SPREAD if n_filled else EloState.NO_DATA
        none = Elo(None, state)
        return StoppedEstimate(
            none, none, none, Superiority(None, state), from_score(data.plain_mean()), llr, limits, confidence
        )
    gap, middle = score1 - score0, 0.5 * (score0 + score1)

    # the LLR as a straight line of slope drift, cut back to the limit that it crossed
    slope = (mean - middle) * gap / variance
    place, time = n_maps * slope, n_maps
    if place < limits.lower:
        place, time = limits.lower, limits.lower / slope
    elif place > limits.upper:
        place, time = limits.upper, limits.upper / slope

    def worse(elo: float) -> float:
        """Probability of a worse outcome at a true difference of `elo`; falls as `elo` rises."""
        drift = (to_score(elo) - middle) * gap / variance
        path = StoppedBrownian(limits.lower, limits.upper, drift, gap * gap / variance)
        return path.worse_outcome(time, place)

    tail = 0.5 * (1.0 - confidence)
    return StoppedEstimate(
        elo=_elo_where(worse, 0.5),
        low=_elo_where(worse, 1.0 - tail),
        high=_elo_where(worse, tail),
        los=Superiority(worse(0.0), EloState.FINITE),
        sample_elo=from_score(data.plain_mean()),
        llr=llr,
        limits=limits,
        confidence=confidence,
    )


def _test_llr(data: ScoreCounts, bounds: Bounds, score0: float, score1: float) -> float:
    if isinstance(bounds, NeloBounds):
        return llr_normalized(data, bounds)
    if isinstance(bounds, EloBounds):
        return llr_logistic(data, bounds)
    return llr_logistic(data, EloBounds(elo_of_score(score0), elo_of_score(score1)))


def _elo_where(worse: Callable[[float], float], share: float) -> Elo:
    """The elo at which the probability of a worse outcome is `share`."""
    if worse(-_FARTHEST_ELO) < share:
        return Elo(None, EloState.UNBOUNDED_BELOW)
    if worse(_FARTHEST_ELO) > share:
        return Elo(None, EloState.UNBOUNDED_ABOVE)
    elo = find_root(lambda value: worse(value) - share, -_FARTHEST_ELO, _FARTHEST_ELO, absolute=1e-10)
    return Elo(elo, EloState.FINITE)

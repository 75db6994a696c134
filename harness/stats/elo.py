"""Elo and normalized Elo: a score on a logarithmic scale, with states where the scale ends.

Units: `elo` is logistic Elo, score = 1/(1 + 10^(−elo/400)). `nelo` is normalized Elo, (score − ½)/σ per game
times 800/ln 10, where σ is the standard deviation of one game. No function here returns an infinity or a NaN:
a score of 0 or 1 has no Elo, and says so. Must not import numpy.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.arguments import StatsInputError, check_finite, check_not_negative, check_positive, check_unit
from harness.stats.distributions import normal_cdf, t_cdf, two_sided_z
from harness.stats.intervals import Interval, MeanInterval

ELO_PER_LOGIT = 400.0 / math.log(10.0)
"""173.7178: a difference of one in the natural logarithm of the odds."""

NELO_PER_T = 800.0 / math.log(10.0)
"""347.4356: a mean that is one standard deviation of a game above ½."""


class EloState(StrEnum):
    """Whether a number exists."""

    FINITE = "finite"
    UNBOUNDED_ABOVE = "unbounded above"  # a score of 1
    UNBOUNDED_BELOW = "unbounded below"  # a score of 0
    NO_DATA = "no data"  # nothing played
    NO_SPREAD = "no spread"  # nelo and los need a standard deviation


@dataclass(frozen=True, slots=True)
class Elo:
    """A difference in logistic Elo. `elo` is None unless `state` is FINITE."""

    elo: float | None
    state: EloState


@dataclass(frozen=True, slots=True)
class EloInterval:
    """A difference in logistic Elo with bounds, found by mapping the ends of a score interval."""

    estimate: Elo
    low: Elo
    high: Elo
    confidence: float


@dataclass(frozen=True, slots=True)
class NeloInterval:
    """A difference in normalized Elo with bounds; all three are None unless `state` is FINITE."""

    nelo: float | None
    low: float | None
    high: float | None
    confidence: float
    state: EloState


@dataclass(frozen=True, slots=True)
class Superiority:
    """LOS: the probability that the true score is above ½ (flat prior). `value` is None unless `state` is FINITE."""

    value: float | None
    state: EloState


def to_score(elo: float) -> float:
    """Expected score at a difference of `elo`."""
    check_finite("elo", elo)
    exponent = -elo / ELO_PER_LOGIT
    if exponent > 0.0:  # the same value, without overflow for very low elo
        odds = math.exp(-exponent)
        return odds / (1.0 + odds)
    return 1.0 / (1.0 + math.exp(exponent))


def elo_of_score(score: float) -> float:
    """The elo of a score strictly between 0 and 1; raises StatsInputError at the ends. For inner calculations."""
    if not 0.0 < score < 1.0:
        raise StatsInputError(f"score is {score!r}; only scores above 0 and below 1 have an elo")
    return ELO_PER_LOGIT * (math.log(score) - math.log1p(-score))


def from_score(score: float | None) -> Elo:
    """The elo of a score in [0, 1], or the state that stands for it. None means that nothing was played."""
    if score is None:
        return Elo(None, EloState.NO_DATA)
    check_unit("score", score)
    if score == 0.0:
        return Elo(None, EloState.UNBOUNDED_BELOW)
    if score == 1.0:
        return Elo(None, EloState.UNBOUNDED_ABOVE)
    return Elo(elo_of_score(score), EloState.FINITE)


def from_interval(interval: Interval | MeanInterval) -> EloInterval:
    """The same interval on the Elo scale. The map is monotone, so the level stays."""
    estimate = interval.mean if isinstance(interval, MeanInterval) else interval.estimate
    return EloInterval(
        estimate=from_score(estimate),
        low=from_score(interval.low),
        high=from_score(interval.high),
        confidence=interval.confidence,
    )


def nelo_from_map_scores(
    mean: float | None,
    map_sd: float | None,
    n_maps: int,
    *,
    games_per_map: float = 2.0,
    skewness: float = 0.0,
    kurtosis: float = 3.0,
    confidence: float = 0.95,
) -> NeloInterval:
    """Normalized Elo from the mean and standard deviation of map scores: (mean −
    ½)/(√games_per_map·map_sd)·347.4356.

    The standard error is that of a sample's mean over its deviation, √((1 − t·skewness + t²(kurtosis −
    1)/4)/n) in units of t = (mean − ½)/map_sd. With the moments left at their normal values and t near 0 it
    is the 1/√n that fastchess prints; use `nelo_plain` for that number at any t.
    Source: fishtest's normalized Elo (M. Van den Bergh); the error by the delta method.
    """
    z = two_sided_z(confidence)
    check_positive("games_per_map", games_per_map)
    if mean is None or n_maps == 0:
        return NeloInterval(None, None, None, confidence, EloState.NO_DATA)
    check_unit("mean", mean)
    if map_sd is None or map_sd == 0.0:
        return NeloInterval(None, None, None, confidence, EloState.NO_SPREAD)
    check_not_negative("map_sd", map_sd)
    t = (mean - 0.5) / map_sd
    unit = NELO_PER_T / math.sqrt(games_per_map)
    variance = 1.0 - t * skewness + 0.25 * t * t * (kurtosis - 1.0)
    half = z * unit * math.sqrt(max(0.0, variance) / n_maps)
    return NeloInterval(t * unit, t * unit - half, t * unit + half, confidence, EloState.FINITE)


def nelo_plain(
    mean: float | None,
    map_sd: float | None,
    n_maps: int,
    *,
    games_per_map: float = 2.0,
    confidence: float = 0.95,
) -> NeloInterval:
    """Normalized Elo with fastchess's interval: half width z·347.4356/√(games), blind to the error of the deviation."""
    result = nelo_from_map_scores(mean, map_sd, n_maps, games_per_map=games_per_map, confidence=confidence)
    if result.nelo is None:
        return result
    half = two_sided_z(confidence) * NELO_PER_T / math.sqrt(games_per_map * n_maps)
    return NeloInterval(result.nelo, result.nelo - half, result.nelo + half, confidence, EloState.FINITE)


def los(mean: float | None, se: float | None, n_maps: int | None = None) -> Superiority:
    """LOS = P(true score > ½) = Φ((mean − ½)/se); Student t with n_maps − 1 degrees if `n_maps` is given.

    Without spread there is no such number: state NO_SPREAD, not 0, ½ or 1.
    """
    if mean is None:
        return Superiority(None, EloState.NO_DATA)
    check_unit("mean", mean)
    if se is None or se == 0.0 or (n_maps is not None and n_maps < 2):
        return Superiority(None, EloState.NO_SPREAD)
    check_positive("se", se)
    z = (mean - 0.5) / se
    return Superiority(normal_cdf(z) if n_maps is None else t_cdf(z, n_maps - 1), EloState.FINITE)

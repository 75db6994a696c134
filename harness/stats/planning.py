"""How many games or maps a question takes: closed forms.

A plan is for a two-sided interval of level `confidence` that excludes the reference with probability `power`.
Sequential tests are in `sprt_plan`, gates in `lattice_plan`. Must not import numpy.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.arguments import StatsInputError, check_not_negative, check_open_unit, check_unit
from harness.stats.distributions import normal_cdf, normal_quantile, two_sided_z


class NeedState(StrEnum):
    """Whether a number of maps or games exists."""

    FINITE = "finite"
    NO_DIFFERENCE = "no difference"  # equal to the reference: no number would tell
    NO_SPREAD = "no spread"  # without spread one map tells as much as many
    NO_DATA = "no data"


@dataclass(frozen=True, slots=True)
class Need:
    """How many maps or games (as `unit` says) are needed; `n` is None unless `state` is FINITE."""

    n: int | None
    unit: str
    state: NeedState
    confidence: float
    power: float


def _size(spread: float, difference: float, confidence: float, power: float) -> int:
    """⌈((z_confidence + z_power)·spread/difference)²⌉."""
    check_open_unit("power", power)
    quantiles = two_sided_z(confidence) + normal_quantile(power)
    exact = (quantiles * spread / difference) ** 2
    return max(1, math.ceil(exact * (1.0 - 1e-12)))


def maps_to_tell(
    mean: float | None,
    map_sd: float | None,
    *,
    reference: float = 0.5,
    confidence: float = 0.95,
    power: float = 0.8,
) -> Need:
    """Maps after which an interval around `mean` would exclude `reference` with probability `power`.

    `map_sd` is the standard deviation of one map's mean score. The sentence "telling +4 from 0 would take
    about 26,000 maps" comes from here: take the estimate and the deviation measured so far.
    """
    check_open_unit("confidence", confidence)
    check_open_unit("power", power)
    if mean is None or map_sd is None:
        return Need(None, "maps", NeedState.NO_DATA, confidence, power)
    check_unit("mean", mean)
    check_unit("reference", reference)
    check_not_negative("map_sd", map_sd)
    if mean == reference:
        return Need(None, "maps", NeedState.NO_DIFFERENCE, confidence, power)
    if map_sd == 0.0:
        return Need(None, "maps", NeedState.NO_SPREAD, confidence, power)
    return Need(_size(map_sd, mean - reference, confidence, power), "maps", NeedState.FINITE, confidence, power)


def games_for_duel(gain: float, *, confidence: float = 0.95, power: float = 0.8, game_sd: float = 0.5) -> Need:
    """Independent games in which a score of ½ + `gain` is told from ½. 785 for a gain of 0.05.

    `game_sd` is the standard deviation of one game: ½ without draws, √(1 − draw share)/2 with them.
    """
    check_not_negative("game_sd", game_sd)
    check_open_unit("confidence", confidence)
    check_open_unit("power", power)
    if gain == 0.0:
        return Need(None, "games", NeedState.NO_DIFFERENCE, confidence, power)
    if game_sd == 0.0:
        return Need(None, "games", NeedState.NO_SPREAD, confidence, power)
    return Need(_size(game_sd, gain, confidence, power), "games", NeedState.FINITE, confidence, power)


def games_per_version(
    gain: float,
    correlation: float,
    *,
    confidence: float = 0.95,
    power: float = 0.8,
    game_sd: float = 0.5,
) -> Need:
    """Games for each of two versions that play the same panel, to tell a difference of `gain` in their scores.

    `correlation` is that of the two versions' scores on the same map: 0 on different maps (1,570 games at
    0.05), above 0 when shared maps move both alike (785 at ½). Var(difference) = 2·game_sd²·(1 −
    correlation).
    """
    check_not_negative("game_sd", game_sd)
    if not -1.0 <= correlation <= 1.0:
        raise StatsInputError(f"correlation is {correlation!r}; allowed is a number from −1 to 1")
    spread = game_sd * math.sqrt(2.0 * (1.0 - correlation))
    return games_for_duel(gain, confidence=confidence, power=power, game_sd=spread)


def power_of(difference: float, spread: float, n: int, *, confidence: float = 0.95) -> float:
    """Probability that the two-sided interval over n maps or games excludes 0 when the truth is `difference`.

    `spread` is the standard deviation of one unit. Both sides count, so the power at no difference is 1 −
    confidence.
    """
    z = two_sided_z(confidence)
    shift = difference * math.sqrt(n) / spread
    return normal_cdf(shift - z) + normal_cdf(-shift - z)

"""What a sequential test compares: two hypotheses in a named unit, and the error rates that set its limits.

A bound without a unit cannot be written here: each unit has its own class and its own field names. Must hold
no data.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.arguments import StatsInputError, check_finite, check_open_unit, check_positive
from harness.stats.elo import NELO_PER_T, to_score


class Decision(StrEnum):
    """Where a sequential test stands."""

    CONTINUE = "continue"
    ACCEPT_H1 = "accept H1"  # the upper limit was crossed: the gain is there
    ACCEPT_H0 = "accept H0"  # the lower limit was crossed: it is not


def _check_order(unit: str, low: float, high: float) -> None:
    check_finite(f"{unit}0", low)
    check_finite(f"{unit}1", high)
    if not low < high:
        raise StatsInputError(f"{unit}0 is {low!r} and {unit}1 is {high!r}; {unit}0 must be below {unit}1")


@dataclass(frozen=True, slots=True)
class EloBounds:
    """H0 and H1 in logistic Elo of the mean score."""

    elo0: float
    elo1: float

    def __post_init__(self) -> None:
        _check_order("elo", self.elo0, self.elo1)

    def scores(self) -> tuple[float, float]:
        """The mean scores of H0 and H1."""
        return to_score(self.elo0), to_score(self.elo1)


@dataclass(frozen=True, slots=True)
class NeloBounds:
    """H0 and H1 in normalized Elo of one game."""

    nelo0: float
    nelo1: float

    def __post_init__(self) -> None:
        _check_order("nelo", self.nelo0, self.nelo1)

    def t_values(self, games_per_map: float) -> tuple[float, float]:
        """(mean − ½)/sd of one map's mean score under H0 and H1: nelo/347.4356·√games_per_map."""
        check_positive("games_per_map", games_per_map)
        root = math.sqrt(games_per_map)
        return self.nelo0 / NELO_PER_T * root, self.nelo1 / NELO_PER_T * root

    def scores(self, map_sd: float, games_per_map: float) -> tuple[float, float]:
        """The mean scores of H0 and H1 when a map's mean score has the standard deviation `map_sd`."""
        t0, t1 = self.t_values(games_per_map)
        return 0.5 + t0 * map_sd, 0.5 + t1 * map_sd


@dataclass(frozen=True, slots=True)
class BayesEloBounds:
    """H0 and H1 in BayesElo: Rao and Kupper's model, in which a draw is a win plus a loss. Never half a point."""

    bayeselo0: float
    bayeselo1: float

    def __post_init__(self) -> None:
        _check_order("bayeselo", self.bayeselo0, self.bayeselo1)


Bounds = EloBounds | NeloBounds | BayesEloBounds


@dataclass(frozen=True, slots=True)
class WaldLimits:
    """The log-likelihood ratios at which a test stops."""

    lower: float
    upper: float
    alpha: float
    beta: float


def wald_limits(alpha: float = 0.05, beta: float = 0.05) -> WaldLimits:
    """ln(β/(1 − α)) and ln((1 − β)/α): at most α of H0 pass and at most β of H1 fail, but for overshoot.

    Source: A. Wald, Ann. Math. Statist. 16 (1945) 117-186.
    """
    check_open_unit("alpha", alpha)
    check_open_unit("beta", beta)
    if alpha + beta >= 1.0:
        raise StatsInputError(f"alpha + beta is {alpha + beta!r}; their sum must stay below 1")
    return WaldLimits(math.log(beta / (1.0 - alpha)), math.log((1.0 - beta) / alpha), alpha, beta)

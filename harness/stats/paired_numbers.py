"""Two versions on the same seeds when a result is a number without bounds: the mean difference a seed.

What makes a seed hard for everybody cancels in the difference. The interval is Student's t over seeds; a studentised
bootstrap (`bootstrap_t`) stands beside it and follows skewness. Must not import numpy.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.arguments import check_finite, check_open_unit
from harness.stats.distributions import t_quantile

FEW_APART = 6
"""With fewer seeds off 0 among others nothing is claimed: 6 of 6 is the least that a sign test calls separated."""


class NumbersState(StrEnum):
    """Whether an interval says anything; `low` and `high` are None unless it is USUAL or FEW_APART."""

    USUAL = "usual"
    EMPTY = "empty"  # no seed
    ONE_SEED = "one seed"  # no spread can be measured
    ALL_EQUAL = "all equal"  # the sample has no spread; the truth may have
    FEW_APART = "few seeds apart"  # nearly all are 0: the sample's spread is not to be trusted


@dataclass(frozen=True, slots=True)
class NumbersInterval:
    """The mean of numbers, one a seed, with its t interval; `sd` has n − 1 below the line and `se` is sd/√n."""

    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    se: float | None
    n: int
    confidence: float
    state: NumbersState

    @property
    def side(self) -> int:
        """Say on which side of 0 the interval lies: 1, −1, or 0 if it holds 0 or claims nothing.

        Equal numbers have no interval; there the sign test speaks, whose p-value for n of n is 2^(1 − n).
        """
        if self.state is NumbersState.ALL_EQUAL and self.mean and 2.0 ** (1 - self.n) < 1.0 - self.confidence:
            return 1 if self.mean > 0.0 else -1
        if self.state is not NumbersState.USUAL or self.low is None or self.high is None:
            return 0
        return 1 if self.low > 0.0 else -1 if self.high < 0.0 else 0


def numbers_interval(values: Sequence[float], confidence: float = 0.95) -> NumbersInterval:
    """Interval for the mean of independent numbers: Student t with n − 1 degrees.

    The order of the values changes nothing. Raises StatsInputError for one that is not finite. Source: Student 1908.
    """
    check_open_unit("confidence", confidence)
    n = len(values)
    if n == 0:
        return NumbersInterval(None, None, None, None, None, 0, confidence, NumbersState.EMPTY)
    for value in values:
        check_finite("value", value)
    mean = math.fsum(values) / n
    if n == 1:
        return NumbersInterval(mean, None, None, None, None, 1, confidence, NumbersState.ONE_SEED)
    if min(values) == max(values):
        return NumbersInterval(values[0], None, None, 0.0, 0.0, n, confidence, NumbersState.ALL_EQUAL)
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    se = sd / math.sqrt(n)
    half = t_quantile(0.5 * (1.0 + confidence), n - 1) * se
    n_apart = sum(value != 0.0 for value in values)
    state = NumbersState.FEW_APART if n_apart < FEW_APART and n_apart < n else NumbersState.USUAL
    return NumbersInterval(mean, mean - half, mean + half, sd, se, n, confidence, state)


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Give the correlation of two versions' numbers on the same seeds; None where one of them never varied."""
    n = len(first)
    if n < 2:
        return None
    mean_x, mean_y = math.fsum(first) / n, math.fsum(second) / n
    xx = math.fsum((x - mean_x) ** 2 for x in first)
    yy = math.fsum((y - mean_y) ** 2 for y in second)
    if xx <= 0.0 or yy <= 0.0:
        return None
    xy = math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(first, second, strict=True))
    return max(-1.0, min(1.0, xy / math.sqrt(xx) / math.sqrt(yy)))

"""The studentised bootstrap of a mean, for numbers whose law is skewed: a few seeds with a large gain, rare failures.

Seeds are drawn with replacement; of each resample the t of its mean against the sample's is taken, and the quantiles of
those take the place of Student's. Seeded: the same numbers in any order give the same interval. Imports numpy, so that
no module on the light path may import this one at its top.

Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 12.5.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.stats.arguments import StatsInputError, check_count, check_open_unit

FEWEST = 3
"""Of two numbers half of all resamples have no spread."""

_CHUNK = 2_000_000
"""Numbers drawn at a time: 16 MB, whatever the number of seeds."""

_LEAST_SPREAD = 1e-9
"""Resamples with less than this share of the sample's spread have no t: they drew one number again and again."""


@dataclass(frozen=True, slots=True)
class StudentisedMean:
    """The resampled t values of a mean, sorted; `interval` reads them at any level."""

    mean: float
    se: float
    n: int
    t_values: NDArray[np.float64]

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Give the ends: mean − t_high·se and mean − t_low·se."""
        check_open_unit("confidence", confidence)
        tail = 0.5 * (1.0 - confidence)
        size = self.t_values.size
        low, high = (
            float(self.t_values[min(max(round(share * (size + 1)) - 1, 0), size - 1)]) for share in (tail, 1.0 - tail)
        )
        return self.mean - high * self.se, self.mean - low * self.se


def studentise(values: ArrayLike, *, seed: int, n_resamples: int = 2000) -> StudentisedMean | None:
    """Resample a mean; None for fewer than three numbers and for numbers without spread.

    Raises StatsInputError for numbers that are not finite.
    """
    check_count("n_resamples", n_resamples, minimum=100)
    data = np.sort(np.asarray(values, dtype=np.float64).ravel())
    if not np.isfinite(data).all():
        raise StatsInputError("values holds numbers that are not finite")
    n = data.size
    if n < FEWEST or data[0] == data[-1]:
        return None
    mean, sd = float(data.mean()), float(data.std(ddof=1))
    scaled = (data - mean) / sd  # so that squares of large numbers stay numbers
    rng = np.random.default_rng(seed)
    size = max(1, _CHUNK // n)
    parts = []
    for start in range(0, n_resamples, size):
        drawn = scaled[rng.integers(0, n, size=(min(size, n_resamples - start), n))]
        spread = drawn.std(axis=1, ddof=1)
        has_spread = spread > _LEAST_SPREAD
        parts.append(drawn.mean(axis=1)[has_spread] / spread[has_spread] * math.sqrt(n))
    t_values = np.sort(np.concatenate(parts))
    return StudentisedMean(mean, sd / math.sqrt(n), int(n), t_values)

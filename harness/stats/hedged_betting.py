"""The hedged-capital confidence sequence on a grid of means, as its authors' library computes it.

Bets shrink with the variance seen so far, so that every mean's capital is its own product and a grid is
needed: O(grid) per map. `confseq.betting` needs none and is narrower from about a thousand maps on; this one
is narrower before, and is here for comparison and for short series. Imports numpy, so that no module on the
light path may import this one.

Source: I. Waudby-Smith and A. Ramdas, JRSS B 86 (2024) 1-27, theorem 3 (hedged capital), settings of `confseq`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from harness.stats.arguments import StatsInputError, check_count, check_open_unit, check_unit
from harness.stats.intervals import Interval, IntervalMethod, IntervalState

_TRUNCATION = 0.5
"""Largest share of the capital that may be lost at once."""


class HedgedBetting:
    """Two gamblers against each mean on a grid of `steps` + 1, each with half the money; the larger fortune
    counts.

    The interval is one grid step wider at both ends than the means left, so that it holds between grid
    points, and is the intersection of those at all maps so far. State DRIFTED means that no mean is left: the
    maps do not share one.
    """

    __slots__ = (
        "_alpha",
        "_high",
        "_log_down",
        "_log_inverse_alpha",
        "_log_up",
        "_low",
        "_means",
        "_n",
        "_spread",
        "_sum",
        "confidence",
    )

    def __init__(self, confidence: float = 0.95, *, steps: int = 1000) -> None:
        self.confidence = check_open_unit("confidence", confidence)
        check_count("steps", steps, minimum=10)
        self._alpha = 1.0 - confidence
        self._log_inverse_alpha = -math.log(self._alpha)
        self._means: NDArray[np.float64] = np.arange(steps + 1) / steps
        self._log_up = np.zeros(steps + 1)
        self._log_down = np.zeros(steps + 1)
        self._low, self._high = 0.0, 1.0
        self._n = 0
        self._sum = 0.0
        self._spread = 0.25

    def add(self, score: float) -> None:
        """Add one map."""
        check_unit("score", score)
        n = self._n
        variance = self._spread / (n + 1)
        bet = math.sqrt(2.0 * (self._log_inverse_alpha + math.log(2.0)) / ((n + 1) * math.log(n + 2.0) * variance))
        means = self._means
        with np.errstate(divide="ignore"):
            self._log_up += np.log1p(np.minimum(bet, _TRUNCATION / means) * (score - means))
            self._log_down += np.log1p(-np.minimum(bet, _TRUNCATION / (1.0 - means)) * (score - means))
        self._n = n + 1
        self._sum += score
        self._spread += (score - (self._sum + 0.5) / (n + 2)) ** 2
        left = np.flatnonzero(self._log_capitals() <= self._log_inverse_alpha)
        if left.size:
            step = float(means[1])
            self._low = max(self._low, float(means[left[0]]) - step)
            self._high = min(self._high, float(means[left[-1]]) + step)
        else:
            self._low, self._high = 1.0, 0.0

    def _log_capitals(self) -> NDArray[np.float64]:
        capitals: NDArray[np.float64] = np.maximum(self._log_up, self._log_down) - math.log(2.0)
        return capitals

    def capital(self, mean: float = 0.5) -> float:
        """Fortune of the bets against `mean`, which must be on the grid; 20 rules it out at 5 %."""
        index = round(mean * (self._means.size - 1))
        if not 0 <= index < self._means.size or abs(float(self._means[index]) - mean) > 1e-12:
            raise StatsInputError(f"mean is {mean!r}; allowed are multiples of 1/{self._means.size - 1} from 0 to 1")
        return float(np.exp(self._log_capitals()[index]))

    def interval(self) -> Interval:
        """The running interval now."""
        if self._n == 0:
            return Interval(None, 0.0, 1.0, self.confidence, 0, "maps", IntervalMethod.NONE, IntervalState.EMPTY)
        mean = self._sum / self._n
        drifted = self._low > self._high
        return Interval(
            estimate=mean,
            low=0.0 if drifted else max(0.0, self._low),
            high=1.0 if drifted else min(1.0, self._high),
            confidence=self.confidence,
            n=self._n,
            unit="maps",
            method=IntervalMethod.BETTING,
            state=IntervalState.DRIFTED if drifted else IntervalState.USUAL,
        )

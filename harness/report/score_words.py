"""Numbers of a score contest as people read them: scores of any size, and differences in the unit of the measure.

A score has no unit and no scale that is known beforehand: it is written with four digits, whole from a thousand on; a
difference with the digits that its interval earns. Must hold no sentence.
"""

from __future__ import annotations

import math

from harness.records import Objective, Relative
from harness.report import numbers
from harness.report.score_model import ScoreBot, ScorePair, ScoreSummary
from harness.stats.paired_numbers import NumbersInterval

_LARGEST = 1e15
"""From here on a score is written with a power of ten."""

_PERCENT = f"{numbers.THIN}%"
_POINTS = f"{numbers.THIN}pt"


def amount(value: float | None) -> str:
    """Write a score: `9 479`, `82.55`, `0.01234`, `−3`, `1.2e+20`."""
    if value is None or not math.isfinite(value):
        return numbers.MISSING
    if abs(value) >= _LARGEST or 0.0 < abs(value) < 1e-6:
        return f"{value:.3g}".replace("-", numbers.MINUS, 1) if value < 0 else f"{value:.3g}"
    return numbers.plain(value, _decimals(abs(value), 4))


def _decimals(size: float, digits: int) -> int:
    """Give the decimals with which a number of this size has so many digits, at most 9."""
    if not size or size >= 10 ** (digits - 1):
        return 0
    return min(9, digits - 1 - math.floor(math.log10(size)))


def mean_score(bot: ScoreBot) -> str:
    """Write a bot's mean score over all its seeds; without one, that over the seeds with a score."""
    return amount(bot.mean if bot.mean is not None else bot.mean_scored)


def measured(bot: ScoreBot, relative: Relative) -> str:
    """Write a bot's mean measured number: a percentage, or for logarithms the geometric mean."""
    if bot.measured is None:
        return numbers.MISSING
    if relative is Relative.NONE:
        return amount(bot.measured)
    if relative is Relative.LOG:
        return amount(math.exp(bot.measured))
    return f"{numbers.plain(100.0 * bot.measured, 1)}{_PERCENT}"


class Gap:
    """How a pair's difference is written: in percent, points or scores, as its measure has it."""

    def __init__(self, pair: ScorePair, relative: Relative) -> None:
        self._interval = pair.difference
        self._relative = relative
        self._whole = pair.opponent_mean if relative is Relative.NONE else None
        ends = [self._scaled(end) for end in (self._interval.low, self._interval.high)]
        low, high = ends
        half = 0.5 * abs(high - low) if low is not None and high is not None else abs(self.value or 0.0)
        if self.unit:
            self._digits = 0 if half >= 10.0 else 1 if half >= 0.1 or not half else 2
        else:
            self._digits = _decimals(half, 2)

    @property
    def unit(self) -> str:
        """Give the unit with the space before it, "" for scores as they are."""
        if self._relative is Relative.LOG or self._whole is not None:
            return _PERCENT
        return "" if self._relative is Relative.NONE else _POINTS

    @property
    def value(self) -> float | None:
        """Give the mean difference in its unit."""
        return self._scaled(self._interval.mean)

    def _scaled(self, value: float | None) -> float | None:
        if value is None:
            return None
        if self._relative is Relative.LOG:
            return 100.0 * math.expm1(min(value, 100.0))
        if self._whole is not None:
            return 100.0 * value / self._whole
        return value if self._relative is Relative.NONE else 100.0 * value

    def _written(self, value: float | None) -> str:
        if value is None:
            return numbers.MISSING
        if abs(value) >= _LARGEST:
            return ("+" if value > 0 else "") + amount(value)
        return numbers.signed(value, self._digits)

    def signed(self) -> str:
        """Write the difference with its sign and unit: `+2.3 %`."""
        return self._written(self.value) + (self.unit if self.value is not None else "")

    def size(self) -> str:
        """Write how large it is where words give the direction: `2.3 %`."""
        return self.signed().removeprefix("+").removeprefix(numbers.MINUS)

    def range_of(self, low: float | None, high: float | None) -> str:
        """Write an interval of it: `+1.5 to +3.1 %`."""
        if low is None or high is None:
            return numbers.MISSING
        return f"{self._written(self._scaled(low))} to {self._written(self._scaled(high))}{self.unit}"

    def interval(self) -> str:
        """Write its own t interval."""
        return self.range_of(self._interval.low, self._interval.high)


def ratio(interval: NumbersInterval) -> str:
    """Write a mean log ratio as a percentage a seed: `+2.3 %`."""
    return numbers.MISSING if interval.mean is None else f"{_percent(interval.mean)}{_PERCENT}"


def ratio_range(interval: NumbersInterval) -> str:
    """Write its interval: `+1.5 to +3.1 %`."""
    if interval.low is None or interval.high is None:
        return numbers.MISSING
    return f"{_percent(interval.low)} to {_percent(interval.high)}{_PERCENT}"


def _percent(log: float) -> str:
    value = 100.0 * math.expm1(min(log, 100.0))
    return numbers.signed(value, 1) if abs(value) < _LARGEST else "+" + amount(value)


def next_to(scores: ScoreSummary) -> str:
    """Say what relative scores are next to; "" where they are not."""
    earlier = "earlier results" if scores.n_baseline_seeds else "results"
    return {
        Relative.NONE: "",
        Relative.LOG: "",
        Relative.BEST: "next to the best of each seed",
        Relative.MEDIAN: f"next to the median of the {earlier} on each seed",
        Relative.RANK: "in rank on each seed",
    }[scores.relative]


def direction(scores: ScoreSummary, side: int) -> str:
    """Say where the better (1) or worse (−1) one's scores lie: `higher` or `lower`."""
    return "higher" if (side > 0) is (scores.objective is Objective.MAXIMISE) else "lower"

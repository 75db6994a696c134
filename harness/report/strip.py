"""Intervals drawn as a strip of characters, all rows on one axis of Elo.

`━━●━━` better, `──●──` not separated, `━━◆━━` worse, `│` zero, `◀ ▶` cut off. Shape and thickness say what colour says.
Must not draw what it was not given: a row without an interval is blank but for zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.report import numbers
from harness.report.layout import Cell, Look, Span, Style
from harness.stats.elo import Elo, EloInterval, EloState

MIN_WIDTH = 12
GOOD_WIDTH = 20
"""A column that can be done without gives way to this."""

MAX_WIDTH = 48

_NICE = (1, 2, 5, 10, 20, 30, 50, 80, 120, 160, 200, 250, 300, 400)
LIMIT = 400
"""An axis goes no further than a score of 91 %: one hopeless opponent must not squeeze all others together."""

_STUB = 3
"""Cells of a bar that is cut off, at least."""

_SMALL_SIDE = 0.12
"""Where all intervals lie on one side of zero, the other side still gets this share of the axis."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of a strip in Elo; `low` is below zero and `high` above."""

    low: float
    high: float

    def position(self, elo: float, width: int) -> int:
        """Give the column of a value; below 0 or at `width` and above if it is outside."""
        return round((elo - self.low) / (self.high - self.low) * (width - 1))


def axis_for(intervals: Sequence[EloInterval]) -> Axis:
    """Choose round ends that hold all finite bounds within ±LIMIT."""
    ends = [end.elo for interval in intervals for end in (interval.low, interval.high, interval.estimate)]
    finite = [elo for elo in ends if elo is not None]
    low, high = -min([0.0, *finite]), max([0.0, *finite])
    if any(interval.low.state is EloState.UNBOUNDED_BELOW for interval in intervals):
        low = max(low, high)
    if any(interval.high.state is EloState.UNBOUNDED_ABOVE for interval in intervals):
        high = max(high, low)
    if not low and not high:
        low = high = 10.0
    low, high = max(low, _SMALL_SIDE * high), max(high, _SMALL_SIDE * low)
    return Axis(-_nice(low), _nice(high))


def _nice(size: float) -> float:
    return float(next((step for step in _NICE if step >= size), LIMIT))


def head(axis: Axis, width: int, look: Look) -> Cell:
    """Label the axis: both ends, and zero where there is room."""
    left, right = look.clean(numbers.signed(axis.low)), look.clean(numbers.signed(axis.high))
    line = list(left + " " * max(0, width - len(left) - len(right)) + right)
    zero = axis.position(0.0, width)
    if all(0 <= index < len(line) and line[index] == " " for index in (zero - 1, zero, zero + 1)):
        line[zero] = "0"
    return look.cell(Span("".join(line), Style.DIM))


def row(axis: Axis, width: int, interval: EloInterval | None, side: int, look: Look) -> Cell:
    """Draw one interval. `side` is 1 better, −1 worse, 0 not separated."""
    zero = axis.position(0.0, width)
    line = [" "] * width
    line[zero] = "│"
    if interval is None or interval.estimate.state is EloState.NO_DATA:
        return look.cell(Span("".join(line), Style.DIM))
    start = min(_column(axis, width, interval.low), width - _STUB)
    stop = max(_column(axis, width, interval.high), _STUB - 1)
    bar = "━" if side else "─"
    for index in range(max(start, 0), min(stop, width - 1) + 1):
        line[index] = bar
    if start < 0:
        line[0] = "◀"
    if stop >= width:
        line[-1] = "▶"
    middle = _column(axis, width, interval.estimate)
    if 0 <= middle < width:
        line[middle] = "◆" if side < 0 else "●"
    style = {1: Style.GOOD, -1: Style.BAD, 0: Style.PLAIN}[side]
    first, last = max(min(start, middle), 0), min(max(stop, middle), width - 1)
    return look.cell(
        Span("".join(line[:first]), Style.DIM),
        Span("".join(line[first : last + 1]), style),
        Span("".join(line[last + 1 :]), Style.DIM),
    )


def _column(axis: Axis, width: int, end: Elo) -> int:
    if end.state is EloState.UNBOUNDED_BELOW:
        return -1
    if end.state is EloState.UNBOUNDED_ABOVE or end.elo is None:
        return width
    return min(max(axis.position(end.elo, width), -1), width)

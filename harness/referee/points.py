"""From an external referee's numbers to points: the share of opponents beaten. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.records import ScoreOrder

_FIRST, _SECOND, _LEVEL = (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)


def points(values: Sequence[float], order: ScoreOrder, at_fault: Collection[int] = ()) -> tuple[float, ...]:
    """Give the points of each seat: win 1, draw ½, loss 0; with n seats the share of opponents beaten, ties ½.

    Seats at fault share the last place, whatever their numbers. They sum to n/2; alone at the table it is 1 for a
    result and 0 for a fault.
    """
    n = len(values)
    if n == 1:
        return (0.0 if at_fault else 1.0,)
    if n == 2 and not at_fault:
        first, second = values if order is ScoreOrder.HIGHER_IS_BETTER else values[::-1]
        return _LEVEL if first == second else _FIRST if first > second else _SECOND
    sign = 1.0 if order is ScoreOrder.HIGHER_IS_BETTER else -1.0
    keys = [(seat not in at_fault, 0.0 if seat in at_fault else sign * value) for seat, value in enumerate(values)]
    return tuple([(sum((key > other) + (key == other) / 2 for other in keys) - 0.5) / (n - 1) for key in keys])

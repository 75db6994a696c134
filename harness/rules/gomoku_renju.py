"""What renju forbids to Black: double threes, double fours and rows of more than five, by the RIF's definitions.

- A **five** is a row of exactly five. A move that makes one wins, whatever else it makes.
- A **four** is what one more stone makes a five. Two different fours through the move are a double four, also in one
  line; a **straight four**, which both ends make a five, is one four.
- A **three** is what one more stone makes a straight four, on a cell where that stone is not forbidden itself and makes
  no five. Whether it is forbidden is asked with the move on the board: hence the recursion.

Pure; each stone that is tried is one more on the board, so the recursion ends.
"""

from __future__ import annotations

from harness.rules.gomoku_board import Board

_REACH = 5
"""Cells to each side that matter: what makes a five exact is at most five cells from any of its stones."""

_EMPTY, _BLACK, _BLOCKED = 0, 1, 2

Line = list[int]
"""The cells of one line through a move, `_REACH` to each side; the move is in the middle."""


def why_forbidden(board: Board, black: int, white: int, bit: int) -> str | None:
    """Say why Black may not move on the free cell `bit`, in words; None if it may."""
    after = black | bit
    lines = [(step, line) for step in board.steps if (line := _line(board, after, white, bit, step)).count(_BLACK) > 2]
    if not lines:
        return None
    lengths = [_length(line, _REACH) for _, line in lines]
    if 5 in lengths:
        return None
    if max(lengths) > 5:
        return "a row of more than five"
    n_fours = n_threes = 0
    for step, line in lines:
        fours = _count_fours(line)
        n_fours += fours
        if n_fours > 1:
            return "a double four"
        if not fours and n_threes < 2 and _is_three(board, after, white, bit, step, line):
            n_threes += 1
    return "a double three" if n_threes > 1 else None


def makes_five(board: Board, black: int, white: int, bit: int) -> bool:
    """Say whether Black's move on `bit` makes a row of exactly five."""
    return any(_length(_line(board, black | bit, white, bit, step), _REACH) == 5 for step in board.steps)


def _line(board: Board, black: int, white: int, bit: int, step: int) -> Line:
    """Read a line; what lies behind the first white stone or the edge is as good as white."""
    middle = bit.bit_length() - 1
    line = [_BLOCKED] * (2 * _REACH + 1)
    line[_REACH] = _BLACK
    free = board.full & ~white
    for sign in (1, -1):
        cell = middle
        for distance in range(1, _REACH + 1):
            cell += sign * step
            if cell < 0 or not free >> cell & 1:
                break
            line[_REACH + sign * distance] = black >> cell & 1
    return line


def _bounds(line: Line, at: int) -> tuple[int, int]:
    """Give the first and the last cell of the row of black stones that `at` is in."""
    first = last = at
    while first > 0 and line[first - 1] == _BLACK:
        first -= 1
    while last < 2 * _REACH and line[last + 1] == _BLACK:
        last += 1
    return first, last


def _length(line: Line, at: int) -> int:
    first, last = _bounds(line, at)
    return last - first + 1


def _count_fours(line: Line) -> int:
    """Count the fours that the middle stone is part of: 0, 1 or 2."""
    ends = []
    for at in range(1, 2 * _REACH):
        if line[at] == _EMPTY:
            line[at] = _BLACK
            first, last = _bounds(line, at)
            line[at] = _EMPTY
            if last - first == 4 and first <= _REACH <= last:
                ends.append(at)
    is_straight = len(ends) == 2 and ends[1] - ends[0] == 5
    return 1 if is_straight else len(ends)


def _is_three(board: Board, black: int, white: int, bit: int, step: int, line: Line) -> bool:
    """Say whether one more stone, which Black may put, makes a straight four with the middle stone of a line."""
    middle = bit.bit_length() - 1
    for at in range(_REACH - 3, _REACH + 4):
        if line[at] != _EMPTY:
            continue
        line[at] = _BLACK
        first, last = _bounds(line, at)
        line[at] = _EMPTY
        if last - first != 3 or not first <= _REACH <= last:
            continue
        if line[first - 1] != _EMPTY or line[last + 1] != _EMPTY:
            continue
        if line[first - 2] == _BLACK or line[last + 2] == _BLACK:
            continue
        more = 1 << middle + (at - _REACH) * step
        if not makes_five(board, black, white, more) and why_forbidden(board, black, white, more) is None:
            return True
    return False

"""The board of gomoku as numbers: names of cells, lines of stones, symmetries. Pure; knows no game.

A set of cells is one integer with a bit a cell. A row has one bit more than it has cells, which stays off, so that no
line leads round an edge. Cells are written as Gomocup writes them: `x,y`, counted from 0 at the top left.
"""

from __future__ import annotations

from functools import lru_cache

MIN_SIDE, MAX_SIDE = 5, 25


class Board:
    """What all positions on boards of one size share."""

    __slots__ = ("bits", "cells", "full", "height", "name", "names", "start", "steps", "stride", "width")

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.stride = stride = width + 1
        self.cells = tuple([y * stride + x for y in range(height) for x in range(width)])
        """Numbers of all cells, row by row; the cell's bit is `1 << number`."""
        self.names = {y * stride + x: f"{x},{y}" for y in range(height) for x in range(width)}
        self.bits = {name: 1 << cell for cell, name in self.names.items()}
        self.full = sum(self.bits.values())
        self.steps = (1, stride, stride + 1, stride - 1)
        self.start = self.name = f"{width}x{height}"

    def cell(self, x: int, y: int) -> int | None:
        """Give the number of a cell; None off the board."""
        return y * self.stride + x if 0 <= x < self.width and 0 <= y < self.height else None

    def place(self, cell: int) -> tuple[int, int]:
        """Give a cell's x and y."""
        y, x = divmod(cell, self.stride)
        return x, y

    def n_symmetries(self) -> int:
        """Say how many ways there are to turn and mirror the board onto itself: 8, or 4 if it is no square."""
        return 8 if self.width == self.height else 4

    def image(self, cell: int, symmetry: int) -> int:
        """Give where a cell goes by a symmetry, numbered from 0, which changes nothing."""
        x, y = self.place(cell)
        if symmetry & 1:
            x = self.width - 1 - x
        if symmetry & 2:
            y = self.height - 1 - y
        if symmetry & 4:
            x, y = y, x
        return y * self.stride + x


@lru_cache(8)
def board_of(width: int, height: int) -> Board:
    """Give the board of a size, made once."""
    return Board(width, height)


def has_five(stones: int, steps: tuple[int, ...], *, is_exact: bool) -> bool:
    """Say whether a set of stones has five in a row, or more; with `is_exact`, a row of exactly five."""
    for step in steps:
        pairs = stones & stones >> step
        fours = pairs & pairs >> 2 * step
        fives = fours & stones >> 4 * step
        if fives and not (is_exact and not fives & ~(stones << step) & ~(stones >> 5 * step)):
            return True
    return False

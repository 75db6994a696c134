"""A Go board as bytes: where points are, what a stone captures, whose the areas are. Knows no turns and no ko.

A board is `bytes` of size x size points, row by row from the bottom (A1 first): 0 empty, 1 Black, 2 White. Boards are
compared and hashed as they are, so superko is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

EMPTY, BLACK, WHITE = 0, 1, 2
MIN_SIZE, MAX_SIZE = 2, 25
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Columns, as everybody writes them: there is no I."""

Neighbours = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The points of one size: `names[i]` is point i as text ("D4"), `index` the way back.

    `neighbours[i]` are the two to four points beside it.
    """

    size: int
    names: tuple[str, ...]
    index: dict[str, int]
    neighbours: Neighbours

    @property
    def empty(self) -> bytes:
        """Give the board without stones."""
        return bytes(self.size * self.size)


@lru_cache
def grid_of(size: int) -> Grid:
    """Give the grid of a size from 2 to 25."""
    names = tuple([f"{LETTERS[x]}{y + 1}" for y in range(size) for x in range(size)])
    neighbours = tuple(
        [
            tuple(
                [
                    ny * size + nx
                    for nx, ny in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                    if 0 <= nx < size and 0 <= ny < size
                ]
            )
            for y in range(size)
            for x in range(size)
        ]
    )
    return Grid(size, names, {name: point for point, name in enumerate(names)}, neighbours)


def group_without_liberty(board: bytes | bytearray, neighbours: Neighbours, point: int) -> set[int] | None:
    """Give the group of the stone on `point` if it has no liberty, else None, as soon as one is found."""
    color = board[point]
    group = {point}
    rest = [point]
    while rest:
        for other in neighbours[rest.pop()]:
            stone = board[other]
            if not stone:
                return None
            if stone == color and other not in group:
                group.add(other)
                rest.append(other)
    return group


def place(board: bytes, neighbours: Neighbours, point: int, color: int, *, may_die: bool = False) -> bytes | None:
    """Put a stone on an empty point, take what it captures, and give the board after that.

    None if the stone's own group would have no liberty then. With `may_die` that group is taken instead, unless it is
    this stone alone, which would be a pass that says it is none.
    """
    after = bytearray(board)
    after[point] = color
    is_safe = False
    for other in neighbours[point]:
        stone = after[other]
        if not stone:
            is_safe = True
        elif stone != color and (group := group_without_liberty(after, neighbours, other)) is not None:
            is_safe = True
            for dead in group:
                after[dead] = EMPTY
    if not is_safe and (group := group_without_liberty(after, neighbours, point)) is not None:
        if not may_die or len(group) == 1:
            return None
        for dead in group:
            after[dead] = EMPTY
    return bytes(after)


def areas(board: bytes, neighbours: Neighbours) -> tuple[int, int]:
    """Count the area of Black and of White: their stones, and empty points that reach stones of one colour alone."""
    counts = [0, board.count(BLACK), board.count(WHITE)]
    seen = bytearray(len(board))
    for start, stone in enumerate(board):
        if stone or seen[start]:
            continue
        seen[start] = 1
        rest, n_points, colors = [start], 0, 0
        while rest:
            n_points += 1
            for other in neighbours[rest.pop()]:
                if beside := board[other]:
                    colors |= beside
                elif not seen[other]:
                    seen[other] = 1
                    rest.append(other)
        if colors in {BLACK, WHITE}:
            counts[colors] += n_points
    return counts[BLACK], counts[WHITE]

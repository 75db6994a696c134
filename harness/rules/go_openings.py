"""How a game of Go begins: handicap stones where everybody puts them, and openings drawn from a seed.

Pure. An opening is pairs of stones, the second of each the first one's mirror image in the other colour, so that the
position is the same for both sides but for whose move it is, as on the empty board; komi pays for that as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

from harness.rules.go_board import grid_of
from harness.seeding import child_seed

LEAST_SIZE = 7
"""Smaller boards have neither handicap nor openings."""

_MOST_MOVES = 20
_ATTEMPTS = 50

Mirror = Callable[[int, int, int], tuple[int, int]]
_MIRRORS: tuple[Mirror, ...] = (
    lambda x, y, last: (last - x, last - y),  # half a turn
    lambda x, y, last: (last - x, y),
    lambda x, y, last: (x, last - y),
    lambda x, y, _: (y, x),
    lambda x, y, last: (last - y, last - x),
)


def _margin(size: int) -> int:
    """Give how many lines at the edge have no stones of an opening: two on large boards, one on small ones."""
    return 2 if size >= 13 else 1


def most_opening_moves(size: int) -> int:
    """Give how many moves an opening may have at most: as many as always find room."""
    if size < LEAST_SIZE:
        return 0
    inner = size - 2 * _margin(size)
    return min(_MOST_MOVES, inner * inner // 8 // 2 * 2)


@lru_cache(512)
def draw_opening(size: int, seed: int, n_moves: int, taken: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Draw the opening of a seed: `n_moves` points (even), by turns for the side that begins and the other one.

    No two stones touch, not even across a corner, and none touches those on `taken`; nothing is on the edge.
    """
    grid = grid_of(size)
    margin = _margin(size)
    inner = range(margin, size - margin)
    attempt = 0
    while True:
        random = Random(child_seed("go opening", size, seed, n_moves, attempt))
        mirror = random.choice(_MIRRORS)
        stones: list[int] = []
        for _ in range(_ATTEMPTS * n_moves):
            if len(stones) == n_moves:
                return tuple(stones)
            x, y = random.choice(inner), random.choice(inner)
            image_x, image_y = mirror(x, y, size - 1)
            pair = [y * size + x, image_y * size + image_x]
            if _are_apart(grid.size, pair, [*taken, *stones]):
                stones += pair
        attempt += 1


def _are_apart(size: int, pair: Sequence[int], others: Sequence[int]) -> bool:
    first, second = pair
    return not any(
        abs(one % size - two % size) <= 1 and abs(one // size - two // size) <= 1
        for one, two in [(first, second), *((mine, other) for mine in pair for other in others)]
    )


def most_handicap(size: int) -> int:
    """Give how many handicap stones have a fixed place, as GTP says: none, 4, or 9 on odd boards from 9 on."""
    if size < LEAST_SIZE:
        return 0
    return 9 if size % 2 and size >= 9 else 4


def handicap_points(size: int, n_stones: int) -> tuple[int, ...]:
    """Give the fixed places of 2 to `most_handicap` stones, in the order of GTP's `fixed_handicap`."""
    near = 3 if size >= 13 else 2
    far, middle = size - 1 - near, size // 2
    corners = [(near, near), (far, far), (near, far), (far, near)]
    sides = {
        5: [(middle, middle)],
        6: [(near, middle), (far, middle)],
        7: [(near, middle), (far, middle), (middle, middle)],
        8: [(near, middle), (far, middle), (middle, near), (middle, far)],
        9: [(near, middle), (far, middle), (middle, near), (middle, far), (middle, middle)],
    }
    places = [*corners[:n_stones], *sides.get(n_stones, [])]
    return tuple([y * size + x for x, y in places])

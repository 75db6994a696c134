"""Makes a light-cycles map from a seed: where the cycles start and which cells are blocked.

Pure. Uses only `Random.random()`, whose stream for a seed Python promises to keep, so a map is the same under
every version. Knows cells as (x, y) with (0, 0) at the top left; how the game stores its board is not its business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from harness.rules.base import ParamError
from harness.seeding import child_seed

Cell = tuple[int, int]

MIN_START_DISTANCE = 3
"""Steps between any two starts: no cycle begins beside another, and the exits of two starts never overlap."""

_TRIES = 200


@dataclass(frozen=True, slots=True)
class MapShape:
    """What all maps of one rule set have in common. `obstacles` is the number of blocked cells."""

    width: int
    height: int
    players: int
    mirrored: bool
    obstacles: int

    @property
    def group_size(self) -> int:
        """How many cells one drawn obstacle blocks: itself and its mirror images."""
        return self.players if self.mirrored else 1

    @property
    def max_obstacles(self) -> int:
        """The most obstacles that can be asked for.

        A quarter of the board, and half of the cells that are neither a start, nor beside one, nor their own image.
        """
        own_images = 0
        if self.mirrored and self.players == 4 and self.width != self.height:
            own_images = (self.width % 2) * self.height + (self.height % 2) * self.width
        elif self.mirrored:
            own_images = (self.width % 2) * (self.height % 2)
        n_cells = self.width * self.height
        most = min(n_cells // 4, (n_cells - own_images - 5 * self.players) // 2)
        return max(most - most % self.group_size, 0)

    def images(self, cell: Cell) -> list[Cell]:
        """Give a cell with its mirror images, one a player; the cell alone on an unmirrored map.

        Two players: turned by 180 degrees. Four: turned by 90 degrees on a square board; on another board,
        which has no such turn, reflected in both axes (which includes the turn by 180 degrees).
        """
        x, y = cell
        far_x, far_y = self.width - 1 - x, self.height - 1 - y
        if not self.mirrored:
            return [cell]
        if self.players == 2:
            return [cell, (far_x, far_y)]
        if self.width == self.height:
            return [cell, (far_y, x), (far_x, far_y), (y, far_x)]
        return [cell, (far_x, far_y), (far_x, y), (x, far_y)]


@dataclass(frozen=True, slots=True)
class ArenaMap:
    """One map: a start for each seat, and the blocked cells in reading order."""

    starts: tuple[Cell, ...]
    obstacles: tuple[Cell, ...]


def build_map(shape: MapShape, seed: int) -> ArenaMap:
    """Make the map of `seed`. All free cells hang together and no obstacle lies beside a start.

    Raises ParamError if there is no room for the obstacles, which `MapShape.max_obstacles` rules out.
    """
    random = Random(child_seed("lightcycles map", seed)).random
    for _ in range(_TRIES):
        starts = _draw_starts(shape, random)
        blocked = _draw_obstacles(shape, starts, random) if shape.obstacles else set()
        if blocked is not None:
            return ArenaMap(tuple(starts), tuple(sorted(blocked, key=lambda cell: (cell[1], cell[0]))))
    raise ParamError("obstacles", shape.obstacles, f"fewer: {_TRIES} tries found no connected map with so many")


def _draw_starts(shape: MapShape, random: Callable[[], float]) -> list[Cell]:
    while True:
        starts: list[Cell] = []
        while len(starts) < shape.players:
            cell = (int(random() * shape.width), int(random() * shape.height))
            starts += shape.images(cell)
        pairs = ((a, b) for i, a in enumerate(starts) for b in starts[:i])
        if all(abs(a[0] - b[0]) + abs(a[1] - b[1]) >= MIN_START_DISTANCE for a, b in pairs):
            return starts


def _draw_obstacles(shape: MapShape, starts: list[Cell], random: Callable[[], float]) -> set[Cell] | None:
    """Block cells in a drawn order, with their images, leaving out what would cut the board in two."""
    groups = _groups(shape, starts)
    for i in range(len(groups) - 1, 0, -1):
        j = int(random() * (i + 1))
        groups[i], groups[j] = groups[j], groups[i]
    blocked: set[Cell] = set()
    board = Flood(shape.width, shape.height)
    progress = True
    # A group that cut the board may fit once others lie; so go round until a whole round adds nothing.
    while progress and len(blocked) < shape.obstacles:
        progress = False
        for group in groups:
            if len(blocked) < shape.obstacles and blocked.isdisjoint(group):
                tried = blocked.union(group)
                if board.is_connected(tried, starts[0]):
                    blocked = tried
                    progress = True
    return blocked if len(blocked) == shape.obstacles else None


def _groups(shape: MapShape, starts: list[Cell]) -> list[list[Cell]]:
    """Give every cell that may be blocked, once, with its images. Cells that are their own image are left free."""
    kept = {(x + dx, y + dy) for x, y in starts for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))}
    groups = []
    for y in range(shape.height):
        for x in range(shape.width):
            images = shape.images((x, y))
            if min(images) == (x, y) and len(set(images)) == shape.group_size and kept.isdisjoint(images):
                groups.append(images)
    return groups


class Flood:
    """Asks whether free cells hang together: a board as one integer, a bit a cell, a row's last bit always off."""

    def __init__(self, width: int, height: int) -> None:
        self._stride = width + 1
        row = (1 << width) - 1
        self._all = sum(row << (y * self._stride) for y in range(height))

    def is_connected(self, blocked: Iterable[Cell], inside: Cell) -> bool:
        """Say whether every free cell can be reached from the free cell `inside`."""
        free = self._all
        for x, y in blocked:
            free &= ~(1 << (y * self._stride + x))
        reached = 1 << (inside[1] * self._stride + inside[0])
        while True:
            wider = reached | reached << 1 | reached >> 1 | reached << self._stride | reached >> self._stride
            wider &= free
            if wider == reached:
                return reached == free
            reached = wider

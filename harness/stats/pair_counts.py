"""Results as counts: for every (first seat, second seat) pair of bots, how often the first won, drew and lost.

It is what every rating here is fitted to, so that time and memory follow the number of pairs, not of games. The counts
of single maps, where they are known, hang beside it for the errors that treat the map as the unit.
Must not read files; `aggregate` builds it from a stream of games, `store.tables` reads the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from harness.stats.arguments import StatsInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


def sum_by(index: IntArray, values: FloatArray, size: int) -> FloatArray:
    """Sums of `values` by index, one for each of range(size)."""
    return np.bincount(index, values, size).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class MapCounts:
    """The same counts split by map: one entry for each (map, cell) that was played.

    `map_index` is in range(n_maps), `cell` an index into the `PairCounts` cells, the rest counts of that cell on that
    map. `merged_maps` says that several maps share an index (a stream too long to keep each map apart): the groups
    are still independent of each other, so every error stays valid, with fewer degrees of freedom.
    """

    n_maps: int
    map_index: IntArray
    cell: IntArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray
    merged_maps: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Counts of each cell (first, second): `first` sat in the first seat; wins, draws, losses are from its side.

    Counts may be fractions: a result of 0.7 to 0.3 is 0.7 wins and 0.3 losses, a meeting in a field of k seats weighs
    2/k. Cells are distinct and sorted. `seats_known` is False where it is not known who sat first, or where there were
    more than two seats; `draws_known` where a draw was put down as half a win and half a loss.
    """

    names: tuple[str, ...]
    first: IntArray
    second: IntArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray
    maps: MapCounts | None = None
    seats_known: bool = True
    draws_known: bool = True

    @property
    def n_bots(self) -> int:
        """Number of bots, those without games included."""
        return len(self.names)

    @property
    def games(self) -> FloatArray:
        """Games of each cell."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> FloatArray:
        """Points the first seat's bot took in each cell, a draw counting one half."""
        return self.wins + 0.5 * self.draws

    def points_matrix(self) -> FloatArray:
        """Points that bot i (row) took from bot j (column), over both seatings. Size n by n."""
        n = self.n_bots
        table = np.zeros((n, n))
        np.add.at(table, (self.first, self.second), self.points)
        np.add.at(table, (self.second, self.first), self.losses + 0.5 * self.draws)
        return table

    def games_matrix(self) -> FloatArray:
        """Games between bots i and j, over both seatings; symmetric."""
        points = self.points_matrix()
        return points + points.T

    def index_of(self, name: str) -> int:
        """Index of a bot by name. Raises StatsInputError with the known names."""
        try:
            return self.names.index(name)
        except ValueError:
            raise StatsInputError(
                f"no bot named {name!r} among the results; known are {', '.join(self.names)}"
            ) from None

    def without_maps(self) -> PairCounts:
        """The same totals with the maps forgotten."""
        return PairCounts(
            self.names,
            self.first,
            self.second,
            self.wins,
            self.draws,
            self.losses,
            None,
            self.seats_known,
            self.draws_known,
        )


@dataclass(frozen=True, slots=True)
class CountedRow:
    """One line of a table of results: who sat first and second, and how often the first won, drew and lost."""

    first: str
    second: str
    wins: float
    draws: float
    losses: float


def counts_from_rows(rows: Iterable[CountedRow], *, names: Sequence[str] | None = None) -> PairCounts:
    """Counts from lines of a table; equal (first, second) add up. Names not given are taken in order of appearance."""
    index: dict[str, int] = {name: i for i, name in enumerate(names or ())}
    cells: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        if row.first == row.second:
            raise StatsInputError(f"{row.first!r} is put down as playing itself; give a twin its own name")
        for label, value in (("wins", row.wins), ("draws", row.draws), ("losses", row.losses)):
            if not (np.isfinite(value) and value >= 0.0):
                raise StatsInputError(
                    f"{label} of {row.first!r} against {row.second!r} is {value!r}; allowed is 0 or more"
                )
        key = (index.setdefault(row.first, len(index)), index.setdefault(row.second, len(index)))
        entry = cells.setdefault(key, [0.0, 0.0, 0.0])
        entry[0] += row.wins
        entry[1] += row.draws
        entry[2] += row.losses
    keys = sorted(cells)
    table = np.array([cells[key] for key in keys], dtype=np.float64).reshape(-1, 3)
    where = np.array(keys, dtype=np.int64).reshape(-1, 2)
    return PairCounts(
        tuple(index),
        where[:, 0].copy(),
        where[:, 1].copy(),
        table[:, 0].copy(),
        table[:, 1].copy(),
        table[:, 2].copy(),
    )


def counts_from_points(points: FloatArray, names: Sequence[str]) -> PairCounts:
    """Counts from a table of points: row i took `points[i, j]` from column j, a draw being half a point to each.

    Neither seats nor draws are known afterwards, so no seat term and no draw model can be fitted to it.
    """
    table = np.asarray(points, dtype=np.float64)
    n = len(names)
    if table.shape != (n, n):
        raise StatsInputError(f"the table of points has shape {table.shape}; {n} names need shape ({n}, {n})")
    if len(set(names)) != n:
        raise StatsInputError("two rows of the table of points have the same name")
    if not np.all(np.isfinite(table)) or np.any(table < 0.0):
        raise StatsInputError("the table of points has an entry that is negative or not finite")
    if np.any(np.diagonal(table) != 0.0):
        raise StatsInputError("the table of points has points of a bot against itself")
    upper = np.triu(table + table.T, 1)
    first, second = (axis.astype(np.int64) for axis in np.nonzero(upper))
    return PairCounts(
        tuple(names),
        first,
        second,
        table[first, second],
        np.zeros(first.size),
        table[second, first],
        seats_known=False,
        draws_known=False,
    )


def counts_from_games(
    names: Sequence[str],
    first: IntArray,
    second: IntArray,
    points: FloatArray,
    maps: IntArray | None = None,
) -> PairCounts:
    """Counts from arrays with one entry a game: indices of the bots, points of the first, index of the map.

    Vectorised: a million games take about a tenth of a second. Points of exactly one half are draws.
    """
    n = len(names)
    first = np.asarray(first, dtype=np.int64)
    second = np.asarray(second, dtype=np.int64)
    points = np.asarray(points, dtype=np.float64)
    if not first.shape == second.shape == points.shape or first.ndim != 1:
        raise StatsInputError("first, second and points need one entry a game each")
    if first.size and (min(first.min(), second.min()) < 0 or max(first.max(), second.max()) >= n):
        raise StatsInputError(f"a game names a bot outside 0..{n - 1}")
    if np.any(first == second):
        raise StatsInputError("a game has one bot in both seats; give a twin its own index")
    if np.any(~np.isfinite(points)) or np.any((points < 0.0) | (points > 1.0)):
        raise StatsInputError("points of a game are outside 0..1")
    key = first * n + second
    draw = points == 0.5
    won = np.where(draw, 0.0, points)
    lost = np.where(draw, 0.0, 1.0 - points)
    cells, position = _distinct(key, n * n)
    size = cells.size
    wins = sum_by(position, won, size)
    draws = sum_by(position, draw.astype(np.float64), size)
    losses = sum_by(position, lost, size)
    split = None if maps is None else _split_by_map(np.asarray(maps, dtype=np.int64), position, won, draw, lost)
    return PairCounts(tuple(names), cells // n, cells % n, wins, draws, losses, split)


_DENSE_KEYS = 4_000_000
"""Up to this many possible cells a table of them is faster than a sort of the games (16 MB)."""


def _distinct(key: IntArray, limit: int) -> tuple[IntArray, IntArray]:
    """(sorted distinct keys, position of each key among them)."""
    if limit > _DENSE_KEYS:
        cells, inverse = np.unique(key, return_inverse=True)
        return cells, inverse.astype(np.int64, copy=False)
    seen = np.zeros(limit, dtype=np.bool_)
    seen[key] = True
    cells = np.flatnonzero(seen)
    position = np.zeros(limit, dtype=np.int64)
    position[cells] = np.arange(cells.size)
    return cells, position[key]


def _split_by_map(maps: IntArray, position: IntArray, won: FloatArray, draw: BoolArray, lost: FloatArray) -> MapCounts:
    if maps.shape != position.shape:
        raise StatsInputError(f"maps has {maps.size} entries for {position.size} games")
    labels, map_index = np.unique(maps, return_inverse=True)
    n_cells = int(position.max()) + 1 if position.size else 1
    entries, where = np.unique(map_index * n_cells + position, return_inverse=True)
    size = entries.size
    return MapCounts(
        n_maps=labels.size,
        map_index=entries // n_cells,
        cell=entries % n_cells,
        wins=sum_by(where, won, size),
        draws=sum_by(where, draw.astype(np.float64), size),
        losses=sum_by(where, lost, size),
    )


def relabelled(counts: PairCounts, order: Sequence[int]) -> PairCounts:
    """The same results with bots listed in another order: `order[k]` is the old index of the new bot k."""
    if sorted(order) != list(range(counts.n_bots)):
        raise StatsInputError(f"order {list(order)!r} is no arrangement of 0..{counts.n_bots - 1}")
    new_of_old = np.empty(counts.n_bots, dtype=np.int64)
    new_of_old[np.asarray(order, dtype=np.int64)] = np.arange(counts.n_bots)
    first, second = new_of_old[counts.first], new_of_old[counts.second]
    by_key = np.lexsort((second, first))
    maps = counts.maps
    if maps is not None:
        new_cell = np.empty(by_key.size, dtype=np.int64)
        new_cell[by_key] = np.arange(by_key.size)
        maps = MapCounts(
            maps.n_maps,
            maps.map_index,
            new_cell[maps.cell],
            maps.wins,
            maps.draws,
            maps.losses,
            maps.merged_maps,
        )
    return PairCounts(
        tuple(counts.names[i] for i in order),
        first[by_key],
        second[by_key],
        counts.wins[by_key],
        counts.draws[by_key],
        counts.losses[by_key],
        maps,
        counts.seats_known,
        counts.draws_known,
    )

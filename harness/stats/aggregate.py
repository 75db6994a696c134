"""From a stream of games to counts by pair, seat and map, in memory that does not grow with the number of games.

Games go in map by map, each as names in seat order and scores by seat. Up to `max_groups` maps each map is kept apart;
beyond that whole maps share a group, chosen by a hash of their key that is the same on every machine. Groups are
independent of each other, so every map-robust error stays valid, with a few thousand degrees of freedom instead of
more.
Must not read files, and must not keep the games.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias
from zlib import crc32

import numpy as np

from harness.stats.arguments import StatsInputError, check_count
from harness.stats.pair_counts import FloatArray, IntArray, MapCounts, PairCounts, sum_by

if TYPE_CHECKING:
    from collections.abc import Iterable

MapKey: TypeAlias = int | str
Game: TypeAlias = tuple[tuple[str, ...], tuple[float, ...]]
"""Names in seat order and the score of each seat."""

MapGames: TypeAlias = "tuple[MapKey, Iterable[Game]]"

_BLOCK = 1 << 16
_FEWEST_GROUPS = 64
_CACHED = 100_000
"""Results of fields that are remembered for speed; forgetting them changes nothing."""

_SPREAD = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_SLACK = 1e-9

_LOSS, _DRAW, _WIN = 0, 1, 2
_OUTCOMES: dict[tuple[float, ...], int] = {(0.0, 1.0): _LOSS, (0.5, 0.5): _DRAW, (1.0, 0.0): _WIN}
_MOST_CELLS = 1 << 26
"""Ordered pairs of bots that a code has room for: those of 8,000 bots that all met."""


@dataclass(frozen=True, slots=True)
class SeatSums:
    """Points of one seat (a share of opponents beaten a game) and games, by group of maps."""

    n_seats: int
    seat: int
    points: tuple[float, ...]
    games: tuple[int, ...]


class PairAggregator:
    """Takes games, gives `PairCounts`. Feeding two streams one after the other equals feeding their union.

    A game of k > 2 seats is every pair of its seats meeting once, each meeting weighing 2/k: one performance seen
    against k − 1 opponents is worth less than k − 1 games. Games with one seat, and meetings of a bot with itself, are
    counted in `skipped` and left out.
    """

    def __init__(self, *, max_groups: int = 4_096, max_entries: int = 500_000) -> None:
        check_count("max_groups", max_groups, minimum=_FEWEST_GROUPS)
        if max_groups & (max_groups - 1):
            raise StatsInputError(f"max_groups is {max_groups}; allowed is a power of two")
        check_count("max_entries", max_entries, minimum=1)
        self._max_entries = max_entries
        self._n_groups = max_groups
        self._hashed = False
        self._groups: dict[MapKey, int] = {}
        self._names: dict[str, int] = {}
        self._cells: dict[tuple[str, ...], int] = {}
        self._ends: list[tuple[int, int]] = []
        self._sizes: dict[int, int] = {2: 0}
        self._fields: dict[tuple[tuple[str, ...], tuple[float, ...]], tuple[int, ...]] = {}
        self._new_codes = array("q")
        self._new_groups = array("q")
        self._keys: IntArray = np.zeros(0, dtype=np.int64)
        self._times: IntArray = np.zeros(0, dtype=np.int64)
        self._pending: list[tuple[IntArray, IntArray]] = []
        self._n_pending = 0
        self._partial: dict[tuple[int, int, int], list[float]] = {}
        self._seats: dict[tuple[int, int, int], list[float]] = {}
        self.n_games = 0
        self.skipped = 0

    @property
    def maps_are_merged(self) -> bool:
        """Whether several maps share a group."""
        return self._hashed

    def add(self, map_key: MapKey, names: tuple[str, ...], scores: tuple[float, ...]) -> None:
        """Take one game: names in seat order and the score of each seat. Raises StatsInputError for a bad score."""
        self.extend(((map_key, ((names, scores),)),))

    def extend(self, maps: Iterable[MapGames]) -> None:
        """Take maps, each with games; a map may come back later with more.

        Raises StatsInputError at the first game with a bad score; those before it count.
        """
        cells, groups = self._cells, self._groups
        push_code, push_group = self._new_codes.append, self._new_groups.append
        n_games = 0
        try:
            for map_key, games in maps:
                group = groups.get(map_key)
                if group is None:
                    group = self._place(map_key)
                    groups = self._groups
                for names, scores in games:
                    cell = cells.get(names)
                    outcome = _OUTCOMES.get(scores)
                    if cell is None or outcome is None:
                        self._add_rare(group, names, scores)
                    else:
                        push_code(3 * cell + outcome)
                        push_group(group)
                    n_games += 1
                if len(self._new_codes) >= _BLOCK:
                    self._flush()
                    groups = self._groups
        finally:
            self.n_games += n_games

    def add_counts(self, map_key: MapKey, first: str, second: str, wins: float, draws: float, losses: float) -> None:
        """Take a line of a table of counted results on one map, from the side of the first seat."""
        for label, value in (("wins", wins), ("draws", draws), ("losses", losses)):
            if not (math.isfinite(value) and value >= 0.0):
                raise StatsInputError(f"{label} of {first!r} against {second!r} is {value!r}; allowed is 0 or more")
        group = self._groups.get(map_key)
        if group is None:
            group = self._place(map_key)
        if first == second:
            self.skipped += round(wins + draws + losses)
            return
        pair = (self._number(first), self._number(second))
        entry = self._partial.setdefault((*pair, group), [0.0, 0.0, 0.0])
        for outcome, value in ((_LOSS, losses), (_DRAW, draws), (_WIN, wins)):
            entry[outcome] += value
        self.n_games += round(wins + draws + losses)

    def counts(self) -> PairCounts:
        """The counts so far. More games may be added after."""
        self._flush()
        self._settle()
        first, second, group, wins, draws, losses = self._entries()
        n = len(self._names)
        cells, cell = np.unique(first * n + second, return_inverse=True)
        used, map_index = np.unique(group, return_inverse=True)
        rows, row = np.unique(map_index * max(1, cells.size) + cell, return_inverse=True)
        by_map = [sum_by(row, values, rows.size) for values in (wins, draws, losses)]
        totals = [sum_by(cell, values, cells.size) for values in (wins, draws, losses)]
        maps = MapCounts(
            int(used.size),
            rows // max(1, cells.size),
            rows % max(1, cells.size),
            by_map[0],
            by_map[1],
            by_map[2],
            merged_maps=self._hashed,
        )
        return PairCounts(
            tuple(self._names),
            cells // max(1, n),
            cells % max(1, n),
            totals[0],
            totals[1],
            totals[2],
            maps,
            seats_known=not self._seats,
        )

    def seat_sums(self) -> tuple[SeatSums, ...]:
        """Points by seat of games with more than two seats; for two seats the counts themselves have them."""
        found: dict[tuple[int, int], dict[int, list[float]]] = {}
        for (n_seats, seat, group), entry in self._seats.items():
            found.setdefault((n_seats, seat), {})[group] = entry
        return tuple(
            SeatSums(
                n_seats,
                seat,
                tuple(entry[0] for entry in by_group.values()),
                tuple(round(entry[1]) for entry in by_group.values()),
            )
            for (n_seats, seat), by_group in sorted(found.items())
        )

    # ------------------------------------------------------------------------------------ one game at a time

    def _number(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _place(self, map_key: MapKey) -> int:
        """The group of a map that is not remembered."""
        if not self._hashed:
            if len(self._groups) < self._n_groups:
                group = len(self._groups)
                self._groups[map_key] = group
                return group
            self._start_hashing()
        return self._hash(map_key)

    def _hash(self, map_key: MapKey) -> int:
        number = map_key if isinstance(map_key, int) else crc32(map_key.encode())
        return ((number * _SPREAD & _MASK) >> 32) % self._n_groups

    def _start_hashing(self) -> None:
        """There are too many maps to keep apart: move those so far to the groups that their keys hash to."""
        self._flush()
        moved = np.zeros(self._n_groups, dtype=np.int64)
        for map_key, group in self._groups.items():
            moved[group] = self._hash(map_key)
        self._hashed = True
        self._regroup(moved)

    def _regroup(self, moved: IntArray) -> None:
        """Give every group a new number."""
        size = moved.size
        self._settle()
        self._keys, self._times = _merge(self._keys // size * size + moved[self._keys % size], self._times)
        places = moved.tolist()
        for table in (self._partial, self._seats):
            before = list(table.items())
            table.clear()
            for (one, other, group), entry in before:
                held = table.setdefault((one, other, places[group]), [0.0] * len(entry))
                for index, value in enumerate(entry):
                    held[index] += value
        self._groups = {}

    def _cell(self, first: str, second: str) -> int:
        """Number of the ordered pair, a new one if need be."""
        cell = self._cells.setdefault((first, second), len(self._ends))
        if cell == len(self._ends):
            self._ends.append((self._number(first), self._number(second)))
        return cell

    def _add_rare(self, group: int, names: tuple[str, ...], scores: tuple[float, ...]) -> None:
        """A pair's first meeting, a partial score, a field, or nothing to compare."""
        if len(names) != len(scores):
            raise StatsInputError(f"{len(names)} names and {len(scores)} scores: {names!r}, {scores!r}")
        if not all(math.isfinite(score) for score in scores):
            raise StatsInputError(f"a score of {names!r} is not finite: {scores!r}")
        if len(names) == 2:
            self._add_duel(group, names[0], names[1], scores[0], scores[1])
        elif len(names) < 2:
            self.skipped += 1
        else:
            self._add_field(group, names, scores)

    def _add_duel(self, group: int, first: str, second: str, own: float, other: float) -> None:
        if not (0.0 <= own <= 1.0 and abs(own + other - 1.0) <= _SLACK):
            raise StatsInputError(
                f"scores of {first!r} and {second!r} are {own!r} and {other!r}; "
                "allowed are numbers from 0 to 1 that add up to 1"
            )
        outcome = _OUTCOMES.get((own, other))
        if first == second:
            self.skipped += 1
        elif outcome is not None:
            self._new_codes.append(3 * self._cell(first, second) + outcome)
            self._new_groups.append(group)
        else:  # that much of a win, the rest of a loss
            entry = self._partial.setdefault((self._number(first), self._number(second), group), [0.0] * 3)
            entry[_WIN] += own
            entry[_LOSS] += other

    def _add_field(self, group: int, names: tuple[str, ...], scores: tuple[float, ...]) -> None:
        codes = self._fields.get((names, scores))
        if codes is None:
            codes = self._field_codes(names, scores)
            if len(self._fields) >= _CACHED:
                self._fields.clear()
            self._fields[names, scores] = codes
        for code in codes:
            self._new_codes.append(code)
            self._new_groups.append(group)
        k = len(names)
        for seat in range(k):
            beaten = sum(_share(scores[seat], scores[q]) for q in range(k) if q != seat)
            sums = self._seats.setdefault((k, seat, group), [0.0, 0.0])
            sums[0] += beaten / (k - 1)
            sums[1] += 1.0

    def _field_codes(self, names: tuple[str, ...], scores: tuple[float, ...]) -> tuple[int, ...]:
        size = self._sizes.setdefault(len(names), len(self._sizes))
        return tuple(
            (size * _MOST_CELLS + self._cell(names[i], names[j])) * 3 + round(2.0 * _share(scores[i], scores[j]))
            for i, j in combinations(range(len(names)), 2)
            if names[i] != names[j]
        )

    # --------------------------------------------------------------------------------------- blocks of games

    def _flush(self) -> None:
        """Fold the games of the last block into the counted (code, group) entries."""
        if not self._new_codes:
            return
        codes = np.frombuffer(self._new_codes, dtype=np.int64)
        groups = np.frombuffer(self._new_groups, dtype=np.int64)
        keys, times = np.unique(codes * self._n_groups + groups, return_counts=True)
        del codes, groups
        del self._new_codes[:], self._new_groups[:]
        self._pending.append((keys, times.astype(np.int64)))
        self._n_pending += keys.size
        if self._n_pending > max(self._keys.size, 4 * _BLOCK):  # so that each entry is sorted a few times only
            self._settle()
            while self._keys.size > self._max_entries and self._n_groups > _FEWEST_GROUPS:
                self._halve()

    def _settle(self) -> None:
        """Add the counted blocks to the entries."""
        if self._pending:
            keys, times = zip(*self._pending, strict=True)
            self._pending, self._n_pending = [], 0
            self._keys, self._times = _merge(np.concatenate([self._keys, *keys]), np.concatenate([self._times, *times]))

    def _halve(self) -> None:
        """Too many entries: half as many groups, two of the old in each of the new."""
        if not self._hashed:
            self._start_hashing()
            return
        size = self._n_groups
        # A hash modulo half the size is the hash modulo the size, modulo half.
        self._regroup(np.arange(size) % (size // 2))
        self._keys = self._keys // size * (size // 2) + self._keys % size
        self._keys, self._times = _merge(self._keys, self._times)
        self._n_groups = size // 2

    def _entries(self) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
        """(first, second, group, wins, draws, losses) of every entry; cells may repeat."""
        ends = np.array(self._ends, dtype=np.int64).reshape(-1, 2)
        seats = np.array(list(self._sizes), dtype=np.float64)
        code, group = self._keys // self._n_groups, self._keys % self._n_groups
        outcome, cell = code % 3, code // 3 % _MOST_CELLS
        first, second = ends[cell, 0], ends[cell, 1]
        weight = self._times * (2.0 / seats[code // (3 * _MOST_CELLS)])
        parts = [np.where(outcome == which, weight, 0.0) for which in (_WIN, _DRAW, _LOSS)]
        if not self._partial:
            return first, second, group, parts[0], parts[1], parts[2]
        keys = np.array(list(self._partial), dtype=np.int64)
        values = np.array(list(self._partial.values()), dtype=np.float64)
        return (
            np.concatenate([first, keys[:, 0]]),
            np.concatenate([second, keys[:, 1]]),
            np.concatenate([group, keys[:, 2]]),
            np.concatenate([parts[0], values[:, _WIN]]),
            np.concatenate([parts[1], values[:, _DRAW]]),
            np.concatenate([parts[2], values[:, _LOSS]]),
        )


def _share(own: float, other: float) -> float:
    """Score of one seat against another."""
    return 1.0 if own > other else 0.5 if own == other else 0.0


def _merge(keys: IntArray, times: IntArray) -> tuple[IntArray, IntArray]:
    """Equal keys made one, their counts added."""
    merged, position = np.unique(keys, return_inverse=True)
    # Whole numbers below 2^53 are exact as floats.
    return merged, sum_by(position, times.astype(np.float64), merged.size).astype(np.int64)

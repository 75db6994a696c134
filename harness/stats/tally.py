"""A running summary of per-map scores: O(1) per map, memory that does not grow, exact where scores repeat.

Games of one map go in as one number, their mean score. A tally of merged parts equals the tally of all
records. Must not import numpy; must not keep the maps.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from harness.stats.arguments import check_count, check_unit

GRID = 256
"""Once the exact counts are given up, scores are kept rounded down and rounded up to multiples of 1/GRID, for
bounds that must hold on their own side (`confseq.betting`)."""

MAX_CELLS = 64
"""Distinct scores that are counted one by one. Two seats give 5; three seats in their three rotations 13."""

_LEAST_SPREAD = 1e-100
"""Below this variance the powers of it that shape is divided by are no numbers any more: no shape then, no crash."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and central moments of n map scores. `variance` has n − 1 below the line, the others have n.

    `skewness` and `kurtosis` (3 for a normal law) are None without spread, or with next to none.
    """

    n: int
    mean: float
    variance: float
    population_variance: float
    skewness: float | None
    kurtosis: float | None


class MapTally:
    """Counts and power sums of map scores in [0, 1].

    Up to MAX_CELLS distinct scores are counted exactly, and every number below follows from the counts, so the
    order of the maps changes nothing. Beyond that the power sums about ½ remain, and the rounded counts.
    """

    __slots__ = ("_cells", "_n", "_rounded_down", "_rounded_up", "_sums")

    def __init__(self) -> None:
        self._n = 0
        self._cells: dict[float, int] | None = {}
        self._rounded_down: dict[float, int] = {}
        self._rounded_up: dict[float, int] = {}
        self._sums = [0.0, 0.0, 0.0, 0.0]

    def add(self, score: float, count: int = 1) -> None:
        """Add `count` maps with the mean score `score` in [0, 1]."""
        check_unit("score", score)
        if count != 1:
            check_count("count", count)
            if count == 0:
                return
        self._n += count
        shift = score - 0.5
        square = shift * shift
        cube = square * shift
        sums = self._sums
        sums[0] += count * shift
        sums[1] += count * square
        sums[2] += count * cube
        sums[3] += count * (cube * shift)
        cells = self._cells
        if cells is None:
            self._add_rounded(score, count)
        elif score in cells:
            cells[score] += count
        else:
            cells[score] = count
            if len(cells) > MAX_CELLS:
                self._give_up_cells()

    def merge(self, other: "MapTally") -> None:
        """Add all maps of `other`, which stays as it is."""
        self._n += other.n
        for index, power_sum in enumerate(other.power_sums()):
            self._sums[index] += power_sum
        cells = other.cells()
        if self._cells is not None and cells is not None:
            for key, count in cells:
                self._cells[key] = self._cells.get(key, 0) + count
            if len(self._cells) > MAX_CELLS:
                self._give_up_cells()
            return
        self._give_up_cells()
        for mine, theirs in (
            (self._rounded_down, other.cells_below()),
            (self._rounded_up, other.cells_above()),
        ):
            for key, count in theirs:
                grid = (math.floor if mine is self._rounded_down else math.ceil)(key * GRID) / GRID
                mine[grid] = mine.get(grid, 0) + count

    def _add_rounded(self, score: float, count: int) -> None:
        down, up = math.floor(score * GRID) / GRID, math.ceil(score * GRID) / GRID
        self._rounded_down[down] = self._rounded_down.get(down, 0) + count
        self._rounded_up[up] = self._rounded_up.get(up, 0) + count

    def _give_up_cells(self) -> None:
        for key, count in (self._cells or {}).items():
            self._add_rounded(key, count)
        self._cells = None

    @property
    def n(self) -> int:
        """Number of maps."""
        return self._n

    def cells(self) -> tuple[tuple[float, int], ...] | None:
        """(score, number of maps) in rising order, or None after more than MAX_CELLS distinct scores."""
        return None if self._cells is None else tuple(sorted(self._cells.items()))

    def cells_below(self) -> tuple[tuple[float, int], ...]:
        """Like `cells`, but never None: no score is above its map's own (rounded down when there are too many)."""
        cells = self._rounded_down if self._cells is None else self._cells
        return tuple(sorted(cells.items()))

    def cells_above(self) -> tuple[tuple[float, int], ...]:
        """Like `cells`, but never None: no score is below its map's own (rounded up when there are too many)."""
        cells = self._rounded_up if self._cells is None else self._cells
        return tuple(sorted(cells.items()))

    def power_sums(self) -> tuple[float, float, float, float]:
        """Sums of (score − ½) to the powers 1 to 4."""
        first, second, third, fourth = self._sums
        return first, second, third, fourth

    def penta(self) -> tuple[int, int, int, int, int] | None:
        """Counts of the map scores 0, ¼, ½, ¾, 1, or None if another score occurred.

        For two seats these are LL, LD+DL, LW+DD+WL, DW+WD, WW from the tallied side.
        """
        if self._cells is None or not all((4.0 * score).is_integer() for score in self._cells):
            return None
        counts = [self._cells.get(quarter / 4.0, 0) for quarter in range(5)]
        return (counts[0], counts[1], counts[2], counts[3], counts[4])

    def _central(self) -> Iterator[float]:
        """Mean, then the sums of the 2nd, 3rd and 4th powers about it."""
        n = self._n
        if self._cells is not None:
            cells = sorted(self._cells.items())
            mean = math.fsum(key * count for key, count in cells) / n
            yield mean
            for power in (2, 3, 4):
                yield math.fsum(count * (key - mean) ** power for key, count in cells)
            return
        s1, s2, s3, s4 = self._sums
        shift = s1 / n
        yield 0.5 + shift
        yield max(0.0, s2 - n * shift**2)
        yield s3 - 3.0 * shift * s2 + 2.0 * n * shift**3
        yield s4 - 4.0 * shift * s3 + 6.0 * shift**2 * s2 - 3.0 * n * shift**4

    def moments(self) -> Moments | None:
        """Mean, variance, skewness and kurtosis; None without maps. The variance of one map is 0."""
        if self._n == 0:
            return None
        mean, second, third, fourth = self._central()
        n = self._n
        spread = second / n
        has_shape = spread >= _LEAST_SPREAD
        return Moments(
            n=n,
            mean=mean,
            variance=second / (n - 1) if n > 1 else 0.0,
            population_variance=spread,
            skewness=third / n / spread**1.5 if has_shape else None,
            kurtosis=fourth / n / spread**2 if has_shape else None,
        )

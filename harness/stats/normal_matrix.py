"""Linear systems with the curvature matrix of a rating fit, in the form that suits the pool.

The matrix has the weights of the pairs off its diagonal (negative) and their sums, plus the prior's curvature, on it.
Three solvers: dense Cholesky for small pools; banded Cholesky where bots met neighbours only, so that a reordering
brings all weights near the diagonal; conjugate gradients for the rest. Some bots are held fixed: anchors, and one bot
of each pool whose mean is free. Must not know what the weights mean.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cho_solve_banded, cholesky_banded
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from harness.stats.pair_counts import BoolArray, FloatArray, IntArray

_DENSE_BOTS = 1_500
"""Up to here a dense factor (18 MB, under 0.2 s) is faster than any sparse form."""

_BAND_WORK = 2e9
"""Multiplications that a banded factor may cost; above, conjugate gradients are faster."""

_BAND_BYTES = 128 * 2**20
_CG_TOLERANCE = 1e-10
_CG_STEPS = 20_000


class Solver(Protocol):
    """A pool's structure, found once; the numbers on it change with every Newton step."""

    def factor(self, pair_weight: FloatArray, diagonal: FloatArray) -> None:
        """Take the weights of the pairs (one each) and the diagonal (one a bot)."""
        ...

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve for one or more right sides (bots, or bots by k); zero at bots held fixed."""
        ...


def choose_solver(n_bots: int, first: IntArray, second: IntArray, fixed: BoolArray) -> Solver:
    """The solver for a pool whose distinct pairs are (first, second); `fixed` marks bots that do not move."""
    if n_bots <= _DENSE_BOTS:
        return DenseSolver(n_bots, first, second, fixed)
    ends = np.concatenate([first, second]), np.concatenate([second, first])
    graph = coo_array((np.ones(2 * first.size, dtype=np.int8), ends), shape=(n_bots, n_bots)).tocsr()
    order = reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)
    place = np.empty(n_bots, dtype=np.int64)
    place[order] = np.arange(n_bots)
    band = int(np.abs(place[first] - place[second]).max(initial=0))
    if n_bots * float(band) ** 2 <= _BAND_WORK and 8 * n_bots * (band + 1) <= _BAND_BYTES:
        return BandedSolver(n_bots, place[first], place[second], fixed, place, band)
    return GradientSolver(n_bots, first, second, fixed)


class DenseSolver:
    """Cholesky of the full matrix of the free bots."""

    __slots__ = ("_factor", "_free", "_n", "_pairs")

    def __init__(self, n_bots: int, first: IntArray, second: IntArray, fixed: BoolArray) -> None:
        self._n = n_bots
        self._pairs = (first, second)
        self._free = np.flatnonzero(~fixed)
        self._factor: tuple[FloatArray, bool] | None = None

    def factor(self, pair_weight: FloatArray, diagonal: FloatArray) -> None:
        """See `Solver`. Raises numpy's LinAlgError if the matrix is not positive definite."""
        matrix = np.zeros((self._n, self._n))
        first, second = self._pairs
        matrix[first, second] = -pair_weight
        matrix[second, first] = -pair_weight
        matrix[np.arange(self._n), np.arange(self._n)] = diagonal
        if self._free.size < self._n:
            matrix = matrix[np.ix_(self._free, self._free)]
        self._factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)

    def solve(self, right: FloatArray) -> FloatArray:
        """See `Solver`."""
        out = np.zeros_like(right)
        if self._free.size and self._factor is not None:
            out[self._free] = cho_solve(self._factor, right[self._free], check_finite=False)
        return out


class BandedSolver:
    """Cholesky of the reordered matrix; fixed bots become rows of the identity, so that the band stays."""

    __slots__ = ("_band", "_factor", "_first", "_fixed", "_n", "_place", "_second")

    def __init__(
        self, n_bots: int, first: IntArray, second: IntArray, fixed: BoolArray, place: IntArray, band: int
    ) -> None:
        self._n = n_bots
        self._first, self._second = np.minimum(first, second), np.maximum(first, second)
        self._fixed = fixed
        self._place = place
        self._band = band
        self._factor: FloatArray | None = None

    def factor(self, pair_weight: FloatArray, diagonal: FloatArray) -> None:
        """See `Solver`. Raises numpy's LinAlgError if the matrix is not positive definite."""
        held = np.zeros(self._n, dtype=np.bool_)
        held[self._place] = self._fixed
        rows = np.zeros((self._band + 1, self._n))
        touches = held[self._first] | held[self._second]
        rows[self._second - self._first, self._first] = np.where(touches, 0.0, -pair_weight)
        rows[0, self._place] = np.where(self._fixed, 1.0, diagonal)
        self._factor = cholesky_banded(rows, overwrite_ab=True, lower=True, check_finite=False)

    def solve(self, right: FloatArray) -> FloatArray:
        """See `Solver`."""
        assert self._factor is not None
        moved = np.zeros_like(right)
        moved[self._place] = np.where(self._fixed if right.ndim == 1 else self._fixed[:, None], 0.0, right)
        solved: FloatArray = cho_solve_banded((self._factor, True), moved, check_finite=False)
        return solved[self._place]


class GradientSolver:
    """Conjugate gradients with the diagonal as preconditioner; well-mixed pools need a few dozen steps."""

    __slots__ = ("_fixed", "_inverse", "_matrix", "_n", "_order")

    def __init__(self, n_bots: int, first: IntArray, second: IntArray, fixed: BoolArray) -> None:
        self._n = n_bots
        self._fixed = fixed
        size = first.size
        ends = np.concatenate([first, second, np.arange(n_bots)])
        others = np.concatenate([second, first, np.arange(n_bots)])
        # Distinct pairs and a sort by row make the matrix's own order, so later weights need one gather.
        order = np.lexsort((others, ends))
        start = np.zeros(n_bots + 1, dtype=np.int64)
        np.cumsum(np.bincount(ends, minlength=n_bots), out=start[1:])
        touches = fixed[ends] | fixed[others]
        self._order = (order, size, touches[order])
        index = np.int32 if ends.size < 2**31 else np.int64
        self._matrix = csr_array(
            (np.zeros(ends.size), others[order].astype(index), start.astype(index)), shape=(n_bots, n_bots)
        )
        self._inverse = np.ones(n_bots)

    def factor(self, pair_weight: FloatArray, diagonal: FloatArray) -> None:
        """See `Solver`. Raises numpy's LinAlgError if a free bot has no weight at all."""
        if np.any(diagonal[~self._fixed] <= 0.0):
            raise np.linalg.LinAlgError("a bot has no curvature")
        order, _, touches = self._order
        values = np.concatenate([-pair_weight, -pair_weight, diagonal])[order]
        values[touches] = 0.0
        self._matrix.data[:] = values
        self._inverse = np.where(self._fixed, 0.0, 1.0 / np.where(self._fixed, 1.0, diagonal))

    def solve(self, right: FloatArray) -> FloatArray:
        """See `Solver`."""
        if right.ndim == 1:
            return self._solve_one(right)
        return np.stack([self._solve_one(column) for column in right.T], axis=1)

    def _solve_one(self, right: FloatArray) -> FloatArray:
        residual = np.where(self._fixed, 0.0, right)
        limit = _CG_TOLERANCE * float(np.linalg.norm(residual))
        x = np.zeros(self._n)
        if limit == 0.0:
            return x
        z = self._inverse * residual
        direction = z.copy()
        rho = float(residual @ z)
        for _ in range(_CG_STEPS):
            image = np.asarray(self._matrix @ direction, dtype=np.float64)
            step = rho / float(direction @ image)
            x += step * direction
            residual -= step * image
            if float(np.linalg.norm(residual)) <= limit:
                return x
            np.multiply(self._inverse, residual, out=z)
            rho, before = float(residual @ z), rho
            direction *= rho / before
            direction += z
        raise np.linalg.LinAlgError("conjugate gradients did not converge")

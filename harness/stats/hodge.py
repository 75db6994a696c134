"""HodgeRank: a table of pairwise leads split into what one rating explains and what goes round in circles.

The lead Y_ij of i over j on the pairs that met is the sum of a gradient (r_i − r_j, least squares with weights w), a
local cyclic part (circles of three) and a harmonic part (circles around holes, where no triangle was played). The three
are orthogonal under Σ w·x·y. Must not test anything: `circles` does.
Source: Jiang, Lim, Yao and Ye, Statistical ranking and combinatorial Hodge theory, Mathematical Programming 127 (2011)
203-244.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsqr

from harness.stats.arguments import StatsInputError
from harness.stats.pair_counts import FloatArray, IntArray, sum_by

_DENSE_ENTRIES = 4_000_000
_MAX_TRIANGLES = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class HodgeParts:
    """The split. Arrays over edges follow `edges` (pairs i < j, leads of i over j); ratings have mean 0 a component.

    `energy_*` are Σ w·x². `cyclic_share` is the part of the energy that no rating explains, None if all leads are 0.
    `triangles` are i < j < k with all three pairs met, `curl` is Y_ij + Y_jk + Y_ki of each.
    """

    edges: IntArray
    ratings: FloatArray
    gradient: FloatArray
    local_cyclic: FloatArray
    harmonic: FloatArray
    triangles: IntArray
    curl: FloatArray
    energy_total: float
    energy_gradient: float
    energy_local_cyclic: float
    energy_harmonic: float

    @property
    def cyclic_share(self) -> float | None:
        """(local + harmonic) / total energy."""
        if self.energy_total == 0.0:
            return None
        return (self.energy_local_cyclic + self.energy_harmonic) / self.energy_total


def hodge_decomposition(flow: FloatArray, weights: FloatArray) -> HodgeParts:
    """Split the leads `flow` (n by n, antisymmetric on the pairs that met).

    `weights` are n by n, symmetric, 0 for pairs that never met.

    Raises StatsInputError if the tables are no such tables, or have more than 2 million triangles.
    """
    y, w = _checked(flow, weights)
    n = w.shape[0]
    first, second = (axis.astype(np.int64) for axis in np.nonzero(np.triu(w, 1)))
    lead, weight = y[first, second], w[first, second]
    ratings = _least_squares_ratings(n, first, second, lead, weight)
    gradient = ratings[first] - ratings[second]
    residual = lead - gradient
    complete = first.size == n * (n - 1) // 2
    triangles = find_triangles(w > 0.0)
    edge_of = np.full((n, n), -1, dtype=np.int64)
    edge_of[first, second] = np.arange(first.size)
    curl_rows = np.column_stack(
        [
            edge_of[triangles[:, 0], triangles[:, 1]],
            edge_of[triangles[:, 1], triangles[:, 2]],
            edge_of[triangles[:, 0], triangles[:, 2]],
        ]
    ).reshape(-1, 3)
    curl = lead[curl_rows] @ np.array([1.0, 1.0, -1.0])
    # On a complete graph every circle is made of triangles, so all of the residual is local.
    local = residual.copy() if complete else _project_on_curls(curl_rows, residual, weight)
    harmonic = residual - local
    return HodgeParts(
        edges=np.column_stack([first, second]),
        ratings=ratings,
        gradient=gradient,
        local_cyclic=local,
        harmonic=harmonic,
        triangles=triangles,
        curl=curl,
        energy_total=float(weight @ lead**2),
        energy_gradient=float(weight @ gradient**2),
        energy_local_cyclic=float(weight @ local**2),
        energy_harmonic=float(weight @ harmonic**2),
    )


def _checked(flow: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    y, w = np.asarray(flow, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if y.ndim != 2 or y.shape[0] != y.shape[1] or w.shape != y.shape:
        raise StatsInputError(f"flow has shape {y.shape}, weights {w.shape}; two square tables are needed")
    if not np.isfinite(w).all() or np.any(w < 0.0) or not np.allclose(w, w.T, rtol=1e-9, atol=0.0):
        raise StatsInputError("weights must be symmetric, finite and 0 or more")
    w = 0.5 * (w + w.T)
    np.fill_diagonal(w, 0.0)
    met = w > 0.0
    if not np.isfinite(y[met]).all():
        raise StatsInputError("flow is not finite on a pair that met; add half a point each way before the logit")
    if not np.allclose(y[met], -y.T[met], rtol=1e-9, atol=1e-12):
        raise StatsInputError("flow is not antisymmetric: the lead of i over j is minus that of j over i")
    return np.where(met, y, 0.0), w


def _least_squares_ratings(
    n: int, first: IntArray, second: IntArray, lead: FloatArray, weight: FloatArray
) -> FloatArray:
    """Ratings of mean 0 in each component: weighted normal equations with the pseudo-inverse's choice of mean."""
    if not first.size:
        return np.zeros(n)
    laplacian = np.zeros((n, n))
    laplacian[first, second] = -weight
    laplacian[second, first] = -weight
    own = sum_by(first, weight, n) + sum_by(second, weight, n)
    laplacian[np.arange(n), np.arange(n)] = own
    outflow = sum_by(first, weight * lead, n) - sum_by(second, weight * lead, n)
    solved, *_ = np.linalg.lstsq(laplacian, outflow, rcond=1e-13)
    return np.asarray(solved, dtype=np.float64)


def find_triangles(met: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> IntArray:
    """All i < j < k of which every pair met, one row each. Raises StatsInputError above 2 million."""
    upper = np.triu(met, 1)
    adjacency = upper.astype(np.int64)
    total = int(np.sum((adjacency @ adjacency) * adjacency))
    if total > _MAX_TRIANGLES:
        raise StatsInputError(
            f"{total} triangles of bots that all met; at most {_MAX_TRIANGLES} are looked at. Rate a part of the pool"
        )
    parts = []
    for i in range(upper.shape[0]):
        mates = np.flatnonzero(upper[i])
        j, k = np.nonzero(upper[np.ix_(mates, mates)])
        parts.append(np.column_stack([np.full(j.size, i), mates[j], mates[k]]))
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros((0, 3), dtype=np.int64)


def _project_on_curls(curl_rows: IntArray, residual: FloatArray, weight: FloatArray) -> FloatArray:
    """Part of the residual that triangles make: W⁻¹Cᵀφ closest to it under the weights."""
    n_triangles, n_edges = curl_rows.shape[0], residual.size
    if not n_triangles:
        return np.zeros(n_edges)
    root = np.sqrt(weight)
    columns = np.repeat(np.arange(n_triangles), 3)
    values = np.tile([1.0, 1.0, -1.0], n_triangles) / root[curl_rows.ravel()]
    scaled = csr_array((values, (curl_rows.ravel(), columns)), shape=(n_edges, n_triangles))
    target = root * residual
    if n_triangles * n_edges <= _DENSE_ENTRIES:
        phi, *_ = np.linalg.lstsq(scaled.toarray(), target, rcond=1e-12)
    else:
        phi = lsqr(scaled, target, atol=1e-14, btol=1e-14, iter_lim=10_000)[0]
    local: FloatArray = scaled @ phi / root
    return local

"""Do bots beat each other in circles? A map-robust test that one rating a bot explains the head-to-head table.

The residuals of a Bradley–Terry fit, pair by pair, are free of any rating difference, so they live in the space of
circles. Their covariance is taken over whole maps and the test is Hotelling's: T²·(M − df) / (df·(M − 1)) has the law
F(df, M − df). With few maps for the circles that there are, a sign-flip bootstrap by map replaces it. Single triangles
are tested too, with Holm. Must not judge by effect size: `hodge` measures it.
Sources: Hotelling, Annals of Math. Statistics 2 (1931) 360-378; sign flips: Cameron, Gelbach and Miller (2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.special import stdtr

from harness.stats.arguments import StatsInputError, check_count
from harness.stats.bradley_terry import BradleyTerryFit, FitState, fit_bradley_terry
from harness.stats.distributions import f_sf
from harness.stats.fit_problem import map_entries
from harness.stats.head_to_head import holm
from harness.stats.hodge import find_triangles
from harness.stats.pair_counts import FloatArray, IntArray, PairCounts, sum_by
from harness.stats.rating_errors import curvature_matrix, map_scores
from harness.stats.rating_scale import ELO_PER_LOGIT

_SPARE_MAPS = 10
"""Maps beyond the degrees of freedom that Hotelling's form needs; with fewer its power is gone."""

_FEWEST_FLIPPED = 6
"""With M maps a sign flip cannot give a p-value below about 2^(1−M): 0.03 with six."""

_MAX_BOTS = 150
_CHUNK = 2_000


class CircleState(StrEnum):
    """What a test of circles could be based on."""

    TESTED = "tested"
    NO_CIRCLES_POSSIBLE = "no_circles_possible"  # the pairs that met form no closed loop
    NO_MAPS = "no_maps"
    TOO_FEW_MAPS = "too_few_maps"
    NO_VARIANCE = "no_variance"  # maps do not differ: every pair ended the same way on each
    TOO_MANY_BOTS = "too_many_bots"
    NO_FIT = "no_fit"


class CircleMethod(StrEnum):
    """Which reference distribution a p-value comes from."""

    HOTELLING = "hotelling"
    SIGN_FLIP = "sign_flip"


@dataclass(frozen=True, slots=True)
class CircleTest:
    """Whether the table has circles: `p_value` is the chance of so much circularity if one rating a bot were all.

    `dof` counts the independent circles (pairs that met − bots + groups). None where the state gives no number.
    """

    state: CircleState
    words: str
    method: CircleMethod | None = None
    statistic: float | None = None
    dof: int = 0
    n_maps: int = 0
    p_value: float | None = None


@dataclass(frozen=True, slots=True)
class Triangle:
    """Three bots: `curl_elo` is how much more they beat each other round (i, j, k, i) than one rating a bot allows.

    `scores` are those of i against j, j against k, k against i. `is_circle` says that each took more than half from the
    next (or all less). `p_value` is two-sided, t over maps; None if the maps do not differ.
    """

    bots: tuple[int, int, int]
    scores: tuple[float, float, float]
    curl_elo: float
    is_circle: bool
    p_value: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True, eq=False)
class _Residuals:
    """Residual points by map and pair, cleaned of what a change of ratings or seat worth would explain."""

    low: IntArray
    high: IntArray
    games: FloatArray
    points: FloatArray
    curvature: FloatArray
    by_map: FloatArray
    model: FloatArray
    n_bots: int


def circle_test(counts: PairCounts, *, seed: int, n_flips: int = 9_999, fit_seat: bool | None = None) -> CircleTest:
    """Test of the whole table. `fit_seat` defaults to whether the counts know the seats."""
    check_count("n_flips", n_flips, minimum=99)
    residuals = _residuals(counts, fit_seat)
    if isinstance(residuals, CircleTest):
        return residuals
    n_maps = residuals.by_map.shape[0]
    basis = _circle_space(residuals)
    dof = basis.shape[1]
    if dof == 0:
        return CircleTest(
            CircleState.NO_CIRCLES_POSSIBLE,
            "The pairs that met form no closed loop, so circles cannot show.",
            n_maps=n_maps,
        )
    y = residuals.by_map @ basis
    if float(np.abs(y - y.mean(axis=0)).max()) < 1e-9:
        return CircleTest(
            CircleState.NO_VARIANCE,
            "Every map gave the same residuals, so nothing can be said about chance.",
            dof=dof,
            n_maps=n_maps,
        )
    if n_maps >= dof + _SPARE_MAPS:
        found = _hotelling(y)
        if found is not None:
            return found
    if n_maps < _FEWEST_FLIPPED:
        return CircleTest(
            CircleState.TOO_FEW_MAPS,
            f"{n_maps} maps cannot tell circles from luck; {dof + _SPARE_MAPS} or more can.",
            dof=dof,
            n_maps=n_maps,
        )
    return _sign_flip(y, basis.T @ residuals.model @ basis, seed, n_flips)


def _hotelling(y: FloatArray) -> CircleTest | None:
    """Hotelling's T²; None if the covariance over maps is singular (some pairs never vary)."""
    n_maps, dof = y.shape
    mean = y.mean(axis=0)
    spread = y - mean
    covariance = spread.T @ spread / (n_maps - 1.0)
    values = np.linalg.eigvalsh(covariance)
    if float(values[0]) <= 1e-10 * float(values[-1]):
        return None
    t_square = n_maps * float(mean @ np.linalg.solve(covariance, mean))
    statistic = t_square * (n_maps - dof) / (dof * (n_maps - 1.0))
    p_value = f_sf(statistic, float(dof), float(n_maps - dof))
    return CircleTest(
        CircleState.TESTED,
        f"Hotelling's test over {n_maps} maps.",
        CircleMethod.HOTELLING,
        statistic,
        dof,
        n_maps,
        p_value,
    )


def _sign_flip(y: FloatArray, model: FloatArray, seed: int, n_flips: int) -> CircleTest:
    """Whole maps keep or change their sign at random; the statistic is Pearson's with the model's covariance."""
    n_maps, dof = y.shape
    weight = np.linalg.pinv(model, rcond=1e-10, hermitian=True)
    total = y.sum(axis=0)
    statistic = float(total @ weight @ total)
    rng = np.random.default_rng(seed)
    at_least = 0
    for begin in range(0, n_flips, _CHUNK):
        size = min(_CHUNK, n_flips - begin)
        signs = rng.integers(0, 2, size=(size, n_maps)).astype(np.float64) * 2.0 - 1.0
        flipped = signs @ y
        at_least += int(np.sum(np.einsum("ij,jk,ik->i", flipped, weight, flipped) >= statistic * (1.0 - 1e-12)))
    return CircleTest(
        CircleState.TESTED,
        f"Sign flips of {n_maps} maps: too few for Hotelling's test with {dof} independent circles.",
        CircleMethod.SIGN_FLIP,
        statistic,
        dof,
        n_maps,
        (1.0 + at_least) / (1.0 + n_flips),
    )


def triangle_curls(counts: PairCounts, *, fit_seat: bool | None = None) -> tuple[Triangle, ...]:
    """Every triple of bots that all met, strongest evidence first. Empty where `circle_test` has no residuals.

    The size is from scores with half a point added each way; the p-value from the residuals of the fit, one step from
    it towards the table, t with M − 1 degrees; Holm over all triangles.
    """
    residuals = _residuals(counts, fit_seat)
    if isinstance(residuals, CircleTest):
        return ()
    n = residuals.n_bots
    pair_of = np.full((n, n), -1, dtype=np.int64)
    pair_of[residuals.low, residuals.high] = np.arange(residuals.low.size)
    triangles = find_triangles(pair_of >= 0)
    if not triangles.size:
        return ()
    rows = np.column_stack(
        [
            pair_of[triangles[:, 0], triangles[:, 1]],
            pair_of[triangles[:, 1], triangles[:, 2]],
            pair_of[triangles[:, 0], triangles[:, 2]],
        ]
    )
    signs = np.array([1.0, 1.0, -1.0])
    logit = np.log((residuals.points + 0.5) / (residuals.games - residuals.points + 0.5))
    curl = logit[rows] @ signs
    p_values = _triangle_p_values(residuals, rows, signs)
    score = residuals.points / residuals.games
    corrected = holm(np.where(np.isnan(p_values), 1.0, p_values).tolist())
    order = sorted(range(len(corrected)), key=lambda t: (corrected[t], -abs(float(curl[t]))))
    out = []
    for t in order:
        around = (float(score[rows[t, 0]]), float(score[rows[t, 1]]), 1.0 - float(score[rows[t, 2]]))
        known = not np.isnan(p_values[t])
        out.append(
            Triangle(
                bots=(int(triangles[t, 0]), int(triangles[t, 1]), int(triangles[t, 2])),
                scores=around,
                curl_elo=ELO_PER_LOGIT * float(curl[t]),
                is_circle=min(around) > 0.5 or max(around) < 0.5,
                p_value=float(p_values[t]) if known else None,
                p_holm=corrected[t] if known else None,
            )
        )
    return tuple(out)


def _triangle_p_values(residuals: _Residuals, rows: IntArray, signs: FloatArray) -> FloatArray:
    """Two-sided p of each triangle's residual curl; NaN where the maps do not differ (the caller turns it to None)."""
    n_maps = residuals.by_map.shape[0]
    scale = 1.0 / np.maximum(residuals.curvature, 1e-12)
    p_values = np.full(rows.shape[0], np.nan)
    for begin in range(0, rows.shape[0], _CHUNK):
        part = rows[begin : begin + _CHUNK]
        each = np.zeros((n_maps, part.shape[0]))
        for corner in range(3):
            each += residuals.by_map[:, part[:, corner]] * (signs[corner] * scale[part[:, corner]])
        total = each.sum(axis=0)
        each -= each.mean(axis=0)
        variance = n_maps / (n_maps - 1.0) * np.einsum("ij,ij->j", each, each)
        known = variance > 1e-18
        t = np.abs(total[known]) / np.sqrt(variance[known])
        p_values[begin : begin + part.shape[0]][known] = 2.0 * stdtr(n_maps - 1.0, -t)
    return p_values


def _residuals(counts: PairCounts, fit_seat: bool | None) -> _Residuals | CircleTest:
    """Residuals of a fit to the counts, or why there are none."""
    if fit_seat and not counts.seats_known:
        raise StatsInputError("fit_seat needs results by seat")
    if counts.n_bots > _MAX_BOTS:
        return CircleTest(
            CircleState.TOO_MANY_BOTS,
            f"Circles are looked for among at most {_MAX_BOTS} bots, these are {counts.n_bots}.",
        )
    if counts.maps is None:
        return CircleTest(CircleState.NO_MAPS, "The results do not say which games share a map.")
    if counts.maps.n_maps < 2:
        return CircleTest(CircleState.TOO_FEW_MAPS, "One map cannot tell circles from luck.")
    fit = fit_bradley_terry(counts, fit_seat=counts.seats_known if fit_seat is None else fit_seat)
    if fit.state is not FitState.FITTED:
        return CircleTest(CircleState.NO_FIT, "There is no fit whose residuals could be looked at.")
    return _cleaned(fit)


def _cleaned(fit: BradleyTerryFit) -> _Residuals:
    problem = fit.problem
    n = problem.n_bots
    entries = map_entries(problem, fit.counts)
    assert entries is not None
    data = slice(0, problem.n_data)
    first, second = problem.first[data], problem.second[data]
    low, high = np.minimum(first, second), np.maximum(first, second)
    sign = np.where(first == low, 1.0, -1.0)
    pairs, pair = np.unique(low * n + high, return_inverse=True)
    p = 1.0 / (1.0 + np.exp(-problem.lead(fit.optimum)[data]))
    games = (problem.wins + problem.draws + problem.losses)[data]
    points = (problem.wins + 0.5 * problem.draws)[data]
    entry_games = entries.wins + entries.draws + entries.losses
    surprise = sign[entries.cell] * (entries.wins + 0.5 * entries.draws - entry_games * p[entries.cell])
    where = entries.map_index * pairs.size + pair[entries.cell]
    raw = sum_by(where, surprise, entries.n_maps * pairs.size).reshape(entries.n_maps, pairs.size)
    # How expected points of a pair follow the parameters, and the parameters the results: what a fit would absorb.
    curvature = games * p * (1.0 - p)
    own = sum_by(pair, curvature, pairs.size)
    follow = np.zeros((pairs.size, n + problem.n_extra))
    follow[np.arange(pairs.size), pairs // n] += own
    follow[np.arange(pairs.size), pairs % n] -= own
    if problem.fits_seat:
        follow[:, n] = sum_by(pair, sign * curvature, pairs.size)
    absorbed = follow @ _data_inverse(fit)
    scores = map_scores(fit).toarray()
    model = np.diag(own) - absorbed @ follow.T
    return _Residuals(
        low=pairs // n,
        high=pairs % n,
        games=sum_by(pair, games, pairs.size),
        points=sum_by(pair, np.where(sign > 0.0, points, games - points), pairs.size),
        curvature=own,
        by_map=raw - scores @ absorbed.T,
        model=0.5 * (model + model.T),
        n_bots=n,
    )


def _data_inverse(fit: BradleyTerryFit) -> FloatArray:
    """Pseudo-inverse of the curvature of the results alone, without the prior's part."""
    problem = fit.problem
    matrix = curvature_matrix(problem, fit)
    added = problem.pull_at(fit.optimum.theta)
    if added is not None:
        matrix[np.arange(problem.n_bots), np.arange(problem.n_bots)] -= added.curvature
    inverse: FloatArray = np.linalg.pinv(0.5 * (matrix + matrix.T), rcond=1e-11, hermitian=True).astype(np.float64)
    return inverse


def _circle_space(residuals: _Residuals) -> FloatArray:
    """Orthonormal basis, pairs by dof, of the residuals that no rating makes: every bot's sum is 0."""
    n_pairs = residuals.low.size
    incidence = np.zeros((residuals.n_bots, n_pairs))
    incidence[residuals.low, np.arange(n_pairs)] = 1.0
    incidence[residuals.high, np.arange(n_pairs)] = -1.0
    _, values, vectors = np.linalg.svd(incidence)
    rank = int(np.sum(values > 1e-9 * max(float(values.max(initial=0.0)), 1e-300)))
    return vectors[rank:].T

"""How sure ratings are: covariance from the model or from the maps, differences, P(better).

Two games on one map are not independent, so the errors to show are `map_errors`: the sandwich H⁻¹(Σ_m U_m U_mᵀ)H⁻¹
over whole maps, Student t with M − 1 degrees. `model_errors` (H⁻¹) is what other rating programs print; it is here to
be compared with. Differences use covariances: Var(θ_i − θ_j) = V_ii + V_jj − 2 V_ij.
Must not show zero where nothing is known: that is a state.
Sources: Liang and Zeger, Biometrika 73 (1986) 13-22; factor M/(M−1) and t: Cameron and Miller, JHR 50 (2015) 317-372.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import coo_array
from scipy.special import ndtr, stdtr

from harness.stats.arguments import check_open_unit
from harness.stats.distributions import normal_quantile, t_quantile
from harness.stats.draw_models import likelihood_of
from harness.stats.fit_problem import FitProblem, map_entries
from harness.stats.pair_counts import BoolArray, FloatArray
from harness.stats.rating_scale import ELO_PER_LOGIT

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from harness.stats.bradley_terry import BradleyTerryFit

_MAX_BOTS = 4_000
"""A covariance of all bots is a full matrix: 128 MB and some seconds at this size."""

_CHUNK = 2_000_000
_NOTHING = 1e-12
"""Variance in logits² that is rounding (a difference of 1e-6 logits is 0.0002 Elo)."""


class ErrorState(StrEnum):
    """What the errors of a fit are worth."""

    KNOWN = "known"
    NO_FIT = "no_fit"
    NO_MAPS = "no_maps"  # the results do not say which games share a map
    TOO_FEW_MAPS = "too_few_maps"  # one map: nothing to compare it with
    TOO_MANY_BOTS = "too_many_bots"


class DifferenceState(StrEnum):
    """What a difference is worth."""

    ESTIMATED = "estimated"
    GIVEN = "given"  # both bots are anchors
    NOT_COMPARABLE = "not_comparable"
    NO_VARIANCE = "no_variance"  # no map differs from another: an error cannot be computed
    NO_ERRORS = "no_errors"


@dataclass(frozen=True, slots=True)
class Difference:
    """Rating of one bot minus another's, in Elo, with its interval. None where the state gives no number."""

    state: DifferenceState
    elo: float | None = None
    se_elo: float | None = None
    low: float | None = None
    high: float | None = None
    p_better: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PairMatrix:
    """A number for every ordered pair of bots; `known` is False where there is none (`value` is then 0.5)."""

    value: FloatArray
    known: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class RatingErrors:
    """Covariance of the ratings in logits² (bots, then seat and draw parameters if they were fitted).

    Ratings are measured from the mean of their class, so each row of the bots' block sums to 0 unless anchors hold the
    scale. `dof` is infinite for the model's errors. `covariance` is None unless `state` is KNOWN.
    """

    fit: BradleyTerryFit
    state: ErrorState
    words: tuple[str, ...]
    covariance: FloatArray | None
    dof: float
    n_maps: int | None

    def quantile(self, confidence: float) -> float:
        """Two-sided quantile of t (or the normal law) at a level such as 0.95."""
        tail = 1.0 - 0.5 * (1.0 - check_open_unit("confidence", confidence))
        return normal_quantile(tail) if math.isinf(self.dof) else t_quantile(tail, self.dof)

    def se_elo(self, bot: int) -> float | None:
        """Standard error of a rating in Elo; 0 for an anchor, None if it is not known."""
        if self.covariance is None or self.fit.rating(bot) is None:
            return None
        variance = float(self.covariance[bot, bot])
        if self.fit.anchored[bot]:
            return 0.0
        return ELO_PER_LOGIT * math.sqrt(variance) if variance > _NOTHING else None

    def interval(self, bot: int, confidence: float = 0.95) -> tuple[float, float] | None:
        """Interval of a rating on the 1500 scale; None if it is not known."""
        rating, se = self.fit.rating(bot), self.se_elo(bot)
        if rating is None or se is None:
            return None
        half = self.quantile(confidence) * se
        return rating - half, rating + half

    def seat_se_elo(self) -> float | None:
        """Standard error of the fitted seat term in Elo."""
        if self.covariance is None or not self.fit.seat_fitted:
            return None
        n = len(self.fit.names)
        variance = float(self.covariance[n, n])
        return ELO_PER_LOGIT * math.sqrt(variance) if variance > _NOTHING else None

    def difference(self, one: int, other: int, confidence: float = 0.95) -> Difference:
        """Gap between two bots with its interval and P(one better than other)."""
        fit = self.fit
        if not fit.comparable(one, other):
            return Difference(DifferenceState.NOT_COMPARABLE)
        gap = float(fit.theta[one] - fit.theta[other])
        elo = ELO_PER_LOGIT * gap
        if one == other or (fit.anchored[one] and fit.anchored[other]):
            return Difference(DifferenceState.GIVEN, elo, 0.0, elo, elo, 0.5 + 0.5 * float(np.sign(gap)))
        if self.covariance is None:
            return Difference(DifferenceState.NO_ERRORS, elo)
        cov = self.covariance
        variance = float(cov[one, one] + cov[other, other] - 2.0 * cov[one, other])
        if variance <= _NOTHING:
            return Difference(DifferenceState.NO_VARIANCE, elo)
        se = math.sqrt(variance)
        half = ELO_PER_LOGIT * self.quantile(confidence) * se
        better = float(ndtr(gap / se) if math.isinf(self.dof) else stdtr(self.dof, gap / se))
        return Difference(DifferenceState.ESTIMATED, elo, ELO_PER_LOGIT * se, elo - half, elo + half, better)

    def pair_variance(self) -> tuple[FloatArray, BoolArray]:
        """(variance of θ_i − θ_j in logits², whether it is known), n by n."""
        n = len(self.fit.names)
        if self.covariance is None:
            return np.zeros((n, n)), np.zeros((n, n), dtype=np.bool_)
        block = self.covariance[:n, :n]
        own = np.diagonal(block)
        variance = own[:, None] + own[None, :] - 2.0 * block
        shown = np.array([rating is not None for rating in self.fit.ratings])
        same = self.fit.level[:, None] == self.fit.level[None, :]
        known = (variance > _NOTHING) & same & shown[:, None] & shown[None, :]
        return variance, known

    def p_better(self) -> PairMatrix:
        """P(row better than column) for all pairs: Φ or t of the gap over its error (BayesElo's LOS)."""
        variance, known = self.pair_variance()
        gap = self.fit.theta[:, None] - self.fit.theta[None, :]
        z = np.where(known, gap, 0.0) / np.sqrt(np.where(known, variance, 1.0))
        value = np.asarray(ndtr(z) if math.isinf(self.dof) else stdtr(self.dof, z), dtype=np.float64)
        return PairMatrix(np.where(known, value, 0.5), known)


def model_errors(fit: BradleyTerryFit, *, nuisance: bool = True) -> RatingErrors:
    """Errors if every game were independent: the inverse curvature.

    `nuisance=False` takes the seat and draw parameters as known, as BayesElo's covariance does.
    """
    state, words = errors_possible(fit)
    if state is not ErrorState.KNOWN:
        return RatingErrors(fit, state, words, None, math.inf, None)
    inverse = inverse_curvature(fit, nuisance=nuisance)
    spread = centring(fit, inverse.shape[0])
    return RatingErrors(fit, state, (), spread @ inverse @ spread.T, math.inf, None)


def map_errors(fit: BradleyTerryFit, *, small_sample: bool = True) -> RatingErrors:
    """Errors that take the map as the unit: the sandwich over maps, t with M − 1 degrees.

    `small_sample` applies the factor M/(M − 1) (CR1); without it the bare sandwich CR0.
    """
    state, words = errors_possible(fit)
    maps = fit.counts.maps
    if state is ErrorState.KNOWN and maps is None:
        state, words = ErrorState.NO_MAPS, ("The results do not say which games share a map.",)
    if state is ErrorState.KNOWN and maps is not None and maps.n_maps < 2:
        state, words = ErrorState.TOO_FEW_MAPS, ("One map alone says nothing about the spread between maps.",)
    if state is not ErrorState.KNOWN or maps is None:
        return RatingErrors(fit, state, words, None, math.inf, None)
    scores = map_scores(fit)
    inverse = inverse_curvature(fit)
    bread = centring(fit, inverse.shape[0]) @ inverse
    size = scores.shape[1]
    meat = np.zeros((size, size))
    step = max(1, _CHUNK // size)
    for begin in range(0, scores.shape[0], step):
        part = scores[begin : begin + step].toarray()
        meat += part.T @ part
    covariance = bread @ meat @ bread.T
    n_maps = maps.n_maps
    if small_sample:
        covariance *= n_maps / (n_maps - 1.0)
    return RatingErrors(fit, state, _map_words(fit, n_maps, merged=maps.merged_maps), covariance, n_maps - 1.0, n_maps)


def map_scores(fit: BradleyTerryFit) -> csr_array[np.float64]:
    """U: one row a map, one column a parameter; the gradient of that map's own ln L at the fit. Sums to −prior's."""
    problem = fit.problem
    entries = map_entries(problem, fit.counts)
    assert entries is not None
    n = problem.n_bots
    lead = problem.lead(fit.optimum)[entries.cell]
    # One row so that the draw slope, a sum over axis 0, stays one number an entry.
    likelihood = likelihood_of(problem.model, entries.wins[None, :], entries.draws[None, :], entries.losses[None, :])
    slopes = likelihood.slopes(lead[None, :], fit.optimum.draw)
    slope = slopes.eta[0]
    rows = [entries.map_index, entries.map_index]
    columns = [problem.first[entries.cell], problem.second[entries.cell]]
    values = [slope, -slope]
    extra = n
    if problem.fits_seat:
        rows.append(entries.map_index)
        columns.append(np.full(slope.size, extra))
        values.append(slope * problem.seat[entries.cell])
        extra += 1
    if problem.fits_draw:
        rows.append(entries.map_index)
        columns.append(np.full(slope.size, extra))
        values.append(np.asarray(slopes.draw, dtype=np.float64))
        extra += 1
    shape = (entries.n_maps, extra)
    return coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape).tocsr()


def inverse_curvature(fit: BradleyTerryFit, *, nuisance: bool = True) -> FloatArray:
    """Inverse of the penalised curvature (bots, then extra parameters); zero rows for anchors and pinned bots."""
    problem = fit.problem
    matrix = curvature_matrix(problem, fit)
    n = problem.n_bots
    total = matrix.shape[0]
    free = np.concatenate([np.flatnonzero(~problem.fixed), np.arange(n, total) if nuisance else []]).astype(np.int64)
    out = np.zeros((total, total))
    if free.size:
        factor = cho_factor(matrix[np.ix_(free, free)], lower=True, overwrite_a=True, check_finite=False)
        out[np.ix_(free, free)] = cho_solve(factor, np.eye(free.size), overwrite_b=True, check_finite=False)
    return out


def curvature_matrix(problem: FitProblem, fit: BradleyTerryFit) -> FloatArray:
    """Negative second derivatives of the penalised ln L at the fit, as one full matrix."""
    here = problem.curvature_at(fit.optimum)
    n, k = problem.n_bots, problem.n_extra
    matrix = np.zeros((n + k, n + k))
    low = np.zeros(here.pair_weight.size, dtype=np.int64)
    high = np.zeros_like(low)
    low[problem.pair] = np.minimum(problem.first, problem.second)
    high[problem.pair] = np.maximum(problem.first, problem.second)
    matrix[low, high] = -here.pair_weight
    matrix[high, low] = -here.pair_weight
    matrix[np.arange(n), np.arange(n)] = here.diagonal
    matrix[:n, n:] = here.columns
    matrix[n:, :n] = here.columns.T
    matrix[n:, n:] = here.corner
    return matrix


def centring(fit: BradleyTerryFit, size: int) -> FloatArray:
    """Matrix that measures each rating from the mean of its class, as the fit does; anchors hold their class."""
    out = np.eye(size)
    for label in np.unique(fit.level).tolist():
        members = np.flatnonzero((fit.level == label) & ~fit.idle)
        if members.size and not fit.anchored[fit.level == label].any():
            out[np.ix_(members, members)] -= 1.0 / members.size
    nothing = np.flatnonzero(fit.idle & ~fit.anchored)
    out[nothing, :] = 0.0
    return out


def errors_possible(fit: BradleyTerryFit) -> tuple[ErrorState, tuple[str, ...]]:
    """KNOWN if a fit can have a covariance of all bots; else the state, with words."""
    if fit.state.value in {"no_games", "not_converged"}:
        return ErrorState.NO_FIT, ("There is no fit to have errors.",)
    if fit.problem.n_bots > _MAX_BOTS:
        words = (
            f"Errors of all ratings at once are computed for at most {_MAX_BOTS} bots; "
            "rate a part of the pool, or use `contrast_error` for single differences."
        )
        return ErrorState.TOO_MANY_BOTS, (words,)
    return ErrorState.KNOWN, ()


def _map_words(fit: BradleyTerryFit, n_maps: int, *, merged: bool) -> tuple[str, ...]:
    words = []
    n_parameters = int(np.count_nonzero(~fit.problem.fixed)) + fit.problem.n_extra
    if n_maps <= n_parameters:
        words.append(
            f"{n_maps} maps for {n_parameters} ratings: single differences have intervals, "
            "but statements about many bots at once need more maps."
        )
    if merged:
        words.append(f"Maps were merged into {n_maps} groups to bound memory; the intervals stay valid.")
    return tuple(words)


def contrast_error(
    fit: BradleyTerryFit, one: int, other: int, confidence: float = 0.95, *, by_map: bool = True
) -> Difference:
    """One difference without the full covariance: a single linear solve, for pools of any size."""
    if not fit.comparable(one, other):
        return Difference(DifferenceState.NOT_COMPARABLE)
    maps = fit.counts.maps
    gap = float(fit.theta[one] - fit.theta[other])
    elo = ELO_PER_LOGIT * gap
    if one == other or (fit.anchored[one] and fit.anchored[other]):
        return Difference(DifferenceState.GIVEN, elo, 0.0, elo, elo, 0.5 + 0.5 * float(np.sign(gap)))
    if by_map and (maps is None or maps.n_maps < 2):
        return Difference(DifferenceState.NO_ERRORS, elo)
    weight, extra = _solve_contrast(fit, one, other)
    dof = math.inf
    if by_map and maps is not None:
        scores = map_scores(fit)
        each = scores @ np.concatenate([weight, extra])
        variance = float(each @ each) * maps.n_maps / (maps.n_maps - 1.0)
        dof = maps.n_maps - 1.0
    else:
        variance = float(weight[one] - weight[other])
    if variance <= _NOTHING:
        return Difference(DifferenceState.NO_VARIANCE, elo)
    se = math.sqrt(variance)
    tail = 1.0 - 0.5 * (1.0 - check_open_unit("confidence", confidence))
    half = ELO_PER_LOGIT * se * (normal_quantile(tail) if math.isinf(dof) else t_quantile(tail, dof))
    better = float(ndtr(gap / se) if math.isinf(dof) else stdtr(dof, gap / se))
    return Difference(DifferenceState.ESTIMATED, elo, ELO_PER_LOGIT * se, elo - half, elo + half, better)


def _solve_contrast(fit: BradleyTerryFit, one: int, other: int) -> tuple[FloatArray, FloatArray]:
    """H⁻¹ times (e_one − e_other), extra parameters eliminated."""
    problem = fit.problem
    here = problem.curvature_at(fit.optimum)
    problem.solver.factor(here.pair_weight, here.diagonal)
    right = np.zeros(problem.n_bots)
    right[one], right[other] = 1.0, -1.0
    solved = problem.solver.solve(np.column_stack([right, here.columns]))
    if problem.n_extra == 0:
        return solved[:, 0], np.zeros(0)
    across = solved[:, 1:]
    schur = here.corner - here.columns.T @ across
    extra = np.linalg.solve(schur, -(here.columns.T @ solved[:, 0])).astype(np.float64, copy=False)
    return solved[:, 0] - across @ extra, extra

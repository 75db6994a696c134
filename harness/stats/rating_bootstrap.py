"""Bootstrap of ratings by whole maps: maps are drawn with replacement, all ratings are refitted each time.

The refits run together: resampled counts are one sparse product, and steps with the full sample's curvature (which the
resamples share up to noise) bring hundreds of refits to their maxima at once; the few that this does not settle are
finished by Newton's method one by one. Seeded; must not touch global random state.
Sources: Efron, Annals of Statistics 7 (1979) 1-26; whole clusters: Cameron, Gelbach and Miller, Review of Economics and
Statistics 90 (2008) 414-427.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from harness.stats.arguments import check_count, check_open_unit
from harness.stats.draw_models import DrawModel, Likelihood, likelihood_of
from harness.stats.fit_problem import MapEntries, map_entries
from harness.stats.newton import maximise
from harness.stats.pair_counts import FloatArray
from harness.stats.priors import pull
from harness.stats.rating_errors import (
    DifferenceState,
    ErrorState,
    centring,
    errors_possible,
    inverse_curvature,
)
from harness.stats.rating_scale import ELO_PER_LOGIT, MEAN_RATING

if TYPE_CHECKING:
    from harness.stats.bradley_terry import BradleyTerryFit

_CHUNK = 500_000
"""Cells times resamples worked on at once: some 4 MB an array, about a core's cache."""

_SETTLED = 1e-7
"""Largest step (logits) at which a refit counts as done."""

_SHARED_STEPS = 20
_FEW_MAPS = 10


@dataclass(frozen=True, slots=True)
class BootstrapDifference:
    """Percentile interval of a gap in Elo, and the share of resamples in which it was above 0 (ties half)."""

    state: DifferenceState
    elo: float | None = None
    low: float | None = None
    high: float | None = None
    p_better: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RatingBootstrap:
    """Refitted logits, one row a resample, measured as the fit's own. Resamples without finite maximum are left out.

    `n_failed` counts those; `seat` and `draw` are the refitted extra parameters where they were estimated.
    """

    fit: BradleyTerryFit
    state: ErrorState
    words: tuple[str, ...]
    theta: FloatArray
    seat: FloatArray
    draw: FloatArray
    n_failed: int

    def interval(self, bot: int, confidence: float = 0.95) -> tuple[float, float] | None:
        """Percentile interval of a rating on the 1500 scale; None if it is not known."""
        if self.state is not ErrorState.KNOWN or self.fit.rating(bot) is None:
            return None
        low, high = _percentiles(self.theta[:, bot], confidence)
        return MEAN_RATING + ELO_PER_LOGIT * low, MEAN_RATING + ELO_PER_LOGIT * high

    def difference(self, one: int, other: int, confidence: float = 0.95) -> BootstrapDifference:
        """Gap between two bots."""
        if not self.fit.comparable(one, other):
            return BootstrapDifference(DifferenceState.NOT_COMPARABLE)
        elo = ELO_PER_LOGIT * float(self.fit.theta[one] - self.fit.theta[other])
        if self.state is not ErrorState.KNOWN:
            return BootstrapDifference(DifferenceState.NO_ERRORS, elo)
        gaps = self.theta[:, one] - self.theta[:, other]
        if float(np.ptp(gaps)) < 1e-6:
            return BootstrapDifference(DifferenceState.NO_VARIANCE, elo)
        low, high = _percentiles(gaps, confidence)
        better = float(np.mean(gaps > 0.0) + 0.5 * np.mean(gaps == 0.0))
        return BootstrapDifference(DifferenceState.ESTIMATED, elo, ELO_PER_LOGIT * low, ELO_PER_LOGIT * high, better)


def bootstrap_ratings(fit: BradleyTerryFit, *, n_resamples: int = 1_000, seed: int) -> RatingBootstrap:
    """Refit `n_resamples` times to maps drawn with replacement. Raises StatsInputError for a bad number."""
    check_count("n_resamples", n_resamples, minimum=1)
    nothing = np.zeros(0)
    state, words = errors_possible(fit)
    entries = map_entries(fit.problem, fit.counts)
    if state is ErrorState.KNOWN and entries is None:
        state, words = ErrorState.NO_MAPS, ("The results do not say which games share a map.",)
    if state is ErrorState.KNOWN and entries is not None and entries.n_maps < 2:
        state, words = ErrorState.TOO_FEW_MAPS, ("One map alone says nothing about the spread between maps.",)
    if state is not ErrorState.KNOWN or entries is None:
        empty = np.zeros((0, len(fit.names)))
        return RatingBootstrap(fit, state, words, empty, nothing, nothing, 0)
    refits = _Refits(fit, entries)
    rng = np.random.default_rng(seed)
    step = max(1, min(n_resamples, _CHUNK // max(1, fit.problem.first.size)))
    parts = []
    for begin in range(0, n_resamples, step):
        weights = _draw_maps(rng, entries.n_maps, min(step, n_resamples - begin))
        parts.append(refits.run(weights))
    params = np.concatenate(parts, axis=1)
    good = np.isfinite(params).all(axis=0)
    n = fit.problem.n_bots
    params = params[:, good]
    theta = (centring(fit, n) @ params[:n]).T
    n_failed = int(n_resamples - good.sum())
    return RatingBootstrap(
        fit=fit,
        state=ErrorState.KNOWN if good.any() else ErrorState.NO_FIT,
        words=_bootstrap_words(n_failed, n_resamples, entries.n_maps),
        theta=theta,
        seat=params[n] if fit.problem.fits_seat else nothing,
        draw=params[-1] if fit.problem.fits_draw else nothing,
        n_failed=n_failed,
    )


def _bootstrap_words(n_failed: int, n_resamples: int, n_maps: int) -> tuple[str, ...]:
    words = []
    if n_failed:
        words.append(
            f"{n_failed} of {n_resamples} resamples have no finite ratings (a bot won or lost every game in them) "
            "and are left out, so intervals are too narrow at that end. Use a prior."
        )
    if n_maps < _FEW_MAPS:
        words.append(f"With {n_maps} maps percentile intervals are too narrow; use the sandwich with t.")
    return tuple(words)


def _draw_maps(rng: np.random.Generator, n_maps: int, n_resamples: int) -> FloatArray:
    """How often each map was drawn: maps by resamples."""
    drawn = rng.integers(0, n_maps, size=(n_resamples, n_maps))
    drawn += np.arange(n_resamples)[:, None] * n_maps
    times = np.bincount(drawn.ravel(), minlength=n_resamples * n_maps)
    return np.ascontiguousarray(times.reshape(n_resamples, n_maps).T.astype(np.float64))


def _percentiles(values: FloatArray, confidence: float) -> tuple[float, float]:
    tail = 0.5 * (1.0 - check_open_unit("confidence", confidence))
    low, high = np.quantile(values, [tail, 1.0 - tail])
    return float(low), float(high)


class _Refits:
    """What all resamples share: the split of the counts by map, the curvature, the incidence of bots and cells."""

    def __init__(self, fit: BradleyTerryFit, entries: MapEntries) -> None:
        self._fit = fit
        self._problem = problem = fit.problem
        self._n_maps = entries.n_maps
        self._inverse = inverse_curvature(fit)
        half = problem.model is DrawModel.HALF_POINT
        drawn = None if half else self._by_cell(entries, entries.draws)
        share = 0.5 if half else 0.0
        self._wins = self._by_cell(entries, entries.wins + share * entries.draws)
        self._losses = self._by_cell(entries, entries.losses + share * entries.draws)
        self._draws = drawn
        cells = np.arange(problem.first.size)
        ends = np.concatenate([problem.first, problem.second])
        self._incidence = csr_array(
            (
                np.repeat([1.0, -1.0], cells.size),
                (ends, np.concatenate([cells, cells])),
            ),
            shape=(problem.n_bots, cells.size),
        )

    def _by_cell(self, entries: MapEntries, values: FloatArray) -> csr_array[np.float64]:
        shape = (self._problem.n_data, self._n_maps)
        return csr_array((values, (entries.cell, entries.map_index)), shape=shape)

    def run(self, weights: FloatArray) -> FloatArray:
        """Parameters (bots, then extra) by resamples; NaN in the columns that have no maximum."""
        problem = self._problem
        wins = np.asarray(self._wins @ weights, dtype=np.float64)
        losses = np.asarray(self._losses @ weights, dtype=np.float64)
        draws = np.zeros_like(wins) if self._draws is None else np.asarray(self._draws @ weights, dtype=np.float64)
        wins, draws, losses = (
            self._with_prior(part, prior)
            for part, prior in ((wins, problem.wins), (draws, problem.draws), (losses, problem.losses))
        )
        likelihood = likelihood_of(problem.model, wins, draws, losses)
        at = self._fit.optimum
        start = [*at.theta.tolist(), *([at.seat] if problem.fits_seat else [])]
        start += [at.draw] if problem.fits_draw else []
        params = np.repeat(np.array(start)[:, None], weights.shape[1], axis=1)
        size = np.full(weights.shape[1], np.inf)
        for _ in range(_SHARED_STEPS):
            step = self._inverse @ self._gradient(likelihood, params)
            before, size = size, np.abs(step).max(axis=0)
            if not np.isfinite(size).all() or float(size.max()) > 1e3:
                break
            params += step
            if problem.fits_draw and problem.model is DrawModel.RAO_KUPPER:
                np.maximum(params[-1], 0.1 * at.draw, out=params[-1])
            if float(size.max()) < _SETTLED:
                return params
            if float(size.max()) < 1e-2 and np.all(size > 0.9 * before):
                break
        for column in np.flatnonzero(~(size < _SETTLED)).tolist():
            params[:, column] = self._finish(wins[:, column], draws[:, column], losses[:, column])
        return params

    def _with_prior(self, data: FloatArray, prior: FloatArray) -> FloatArray:
        extra = prior[self._problem.n_data :]
        if not extra.size:
            return data
        return np.concatenate([data, np.repeat(extra[:, None], data.shape[1], axis=1)])

    def _gradient(self, likelihood: Likelihood, params: FloatArray) -> FloatArray:
        problem = self._problem
        n = problem.n_bots
        eta = params[problem.first]
        eta -= params[problem.second]
        if problem.fits_seat:
            eta += problem.seat[:, None] * params[n]
        elif self._fit.optimum.seat != 0.0:
            eta += self._fit.optimum.seat * problem.seat[:, None]
        draw = params[-1] if problem.fits_draw else self._fit.optimum.draw
        slopes = likelihood.slopes(eta, draw)
        out = np.empty_like(params)
        out[:n] = self._incidence @ slopes.eta
        added = pull(problem.prior, params[:n], problem.centre)
        if added is not None:
            out[:n] += added.slope
        if problem.fits_seat:
            out[n] = problem.seat @ slopes.eta
        if problem.fits_draw:
            out[-1] = slopes.draw
        return out

    def _finish(self, wins: FloatArray, draws: FloatArray, losses: FloatArray) -> FloatArray:
        """One resample by Newton's method from its own start; NaN if it has no maximum."""
        problem = self._problem
        solution = maximise(
            replace(
                problem,
                wins=wins,
                draws=draws,
                losses=losses,
                likelihood=likelihood_of(problem.model, wins, draws, losses),
            )
        )
        point = solution.point
        extra = [point.seat] * problem.fits_seat + [point.draw] * problem.fits_draw
        out = np.array([*point.theta.tolist(), *extra])
        return np.full_like(out, np.nan) if solution.why else out

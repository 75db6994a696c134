"""Ratings of a pool: Bradley–Terry by Newton's method on the penalised likelihood, fitted to all games at once.

P(first beats second) = σ(θ_first − θ_second + seat); rating = 1500 + 400·log10(e^θ), mean 1500 or anchors held
exactly fixed. Errors are `rating_errors`' part, resampling `rating_bootstrap`'s. Must not print, and must not hide a
pool that has no finite answer: that is a state with words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from harness.stats.arguments import StatsInputError, check_finite, check_positive
from harness.stats.connectivity import Connectivity, describe_connectivity, find_connectivity
from harness.stats.draw_models import DrawModel
from harness.stats.fit_problem import FitProblem, Point, build_problem
from harness.stats.newton import maximise
from harness.stats.pair_counts import BoolArray, FloatArray, IntArray, PairCounts, sum_by
from harness.stats.priors import (
    AverageDraws,
    GammaStrength,
    NoPrior,
    PairPoints,
    Prior,
    SpreadDraws,
    describe_prior,
    is_shift_invariant,
)
from harness.stats.rating_scale import ELO_PER_LOGIT, MEAN_RATING
from harness.stats.seat_bound import seat_is_bounded

if TYPE_CHECKING:
    from collections.abc import Mapping

_START_DRAWELO = 97.3
"""BayesElo's drawelo, a fair place to start from. In Davidson's model the start is ν = 1."""


class FitState(StrEnum):
    """What the ratings of a fit are worth."""

    FITTED = "fitted"
    NO_GAMES = "no_games"
    DISCONNECTED = "disconnected"  # ratings mean something inside each group only
    UNBOUNDED = "unbounded"  # some bots took no point from others: gaps between classes are infinite
    NOT_CONVERGED = "not_converged"  # no ratings at all


@dataclass(frozen=True, slots=True, eq=False)
class BradleyTerryFit:
    """Fitted ratings. `theta` are logits from 1500; inside each class of `level` the mean is 0 or anchors fix it.

    In state FITTED there is one class. In DISCONNECTED and UNBOUNDED each class has its own zero, so a gap between
    bots of different classes has no meaning: `rating` gives None to a bot that is alone in its class.
    `optimum` is the maximum before the mean was set, in the coordinates in which the prior is centred.
    """

    names: tuple[str, ...]
    state: FitState
    words: tuple[str, ...]
    theta: FloatArray
    level: IntArray
    anchored: BoolArray
    idle: BoolArray
    connectivity: Connectivity
    draw_model: DrawModel
    prior: Prior
    seat_logit: float
    seat_fitted: bool
    draw_parameter: float | None
    draw_fitted: bool
    log_likelihood: float
    n_steps: int
    n_games: float
    optimum: Point
    problem: FitProblem
    counts: PairCounts

    @property
    def ratings(self) -> tuple[float | None, ...]:
        """Rating of each bot on the 1500 scale; None where the results fix none."""
        return tuple(self.rating(i) for i in range(len(self.names)))

    def rating(self, bot: int) -> float | None:
        """Rating of one bot; None if it has no games, is alone in its class, or the fit failed."""
        if self.state in {FitState.NO_GAMES, FitState.NOT_CONVERGED}:
            return None
        if self.anchored[bot]:
            return MEAN_RATING + ELO_PER_LOGIT * float(self.theta[bot])
        if self.idle[bot]:
            return None
        if self.state is not FitState.FITTED and np.count_nonzero(self.level == self.level[bot]) == 1:
            return None
        return MEAN_RATING + ELO_PER_LOGIT * float(self.theta[bot])

    def comparable(self, one: int, other: int) -> bool:
        """Whether the gap between two bots is estimated (by the results or, with such a prior, by the prior)."""
        if self.state in {FitState.NO_GAMES, FitState.NOT_CONVERGED}:
            return False
        known = [not self.idle[bot] or bool(self.anchored[bot]) for bot in (one, other)]
        return all(known) and bool(self.level[one] == self.level[other])

    @property
    def seat_elo(self) -> float:
        """Worth of the first seat in Elo."""
        return ELO_PER_LOGIT * self.seat_logit

    @property
    def drawelo(self) -> float | None:
        """Rao–Kupper's margin in Elo; None in other models."""
        if self.draw_model is not DrawModel.RAO_KUPPER or self.draw_parameter is None:
            return None
        return ELO_PER_LOGIT * self.draw_parameter

    @property
    def davidson_nu(self) -> float | None:
        """Davidson's ν: between equal bots draws are ν / (2 + ν) of the games; None in other models."""
        if self.draw_model is not DrawModel.DAVIDSON or self.draw_parameter is None:
            return None
        return float(np.exp(self.draw_parameter))

    def describe(self) -> str:
        """How the numbers were made, in one line: model, draws, seat, prior, scale."""
        draws = {
            DrawModel.HALF_POINT: "a draw is half a point",
            DrawModel.RAO_KUPPER: "draws by Rao–Kupper",
            DrawModel.DAVIDSON: "draws by Davidson",
        }[self.draw_model]
        seat = "seat fitted" if self.seat_fitted else ("seat given" if self.seat_logit else "no seat term")
        scale = "anchors fixed" if self.anchored.any() else "mean 1500"
        return f"Bradley–Terry, {draws}, {seat}, prior: {describe_prior(self.prior)}, {scale}"


def fit_bradley_terry(
    counts: PairCounts,
    *,
    prior: Prior | None = None,
    anchors: Mapping[str, float] | None = None,
    fit_seat: bool = False,
    seat_elo: float = 0.0,
    draw_model: DrawModel = DrawModel.HALF_POINT,
    drawelo: float | None = None,
    davidson_nu: float | None = None,
) -> BradleyTerryFit:
    """Fit ratings to counts.

    `prior` defaults to one imaginary draw a bot against an average bot; give `NoPrior()` for plain maximum likelihood.
    `anchors` maps names to ratings that are held exactly (maximum likelihood of the rest given all of them).
    `seat_elo` is a known worth of the first seat, `fit_seat` estimates it. `drawelo` (Rao–Kupper) and `davidson_nu`
    fix the draw parameter; None estimates it. Raises StatsInputError for arguments that make no sense, never for data.
    """
    prior = AverageDraws() if prior is None else prior
    given = _anchor_logits(counts, anchors or {})
    check_finite("seat_elo", seat_elo)
    if (fit_seat or seat_elo != 0.0) and not counts.seats_known:
        raise StatsInputError("a seat term needs games of two seats, and these results do not say who sat first of two")
    if draw_model is not DrawModel.HALF_POINT and not counts.draws_known:
        raise StatsInputError(
            f"draw model {draw_model.value} needs counted draws, and a table of points does not have them"
        )
    words: list[str] = []
    draw, fits_draw, model = _draw_start(counts, prior, draw_model, drawelo, davidson_nu, words)
    found = find_connectivity(counts, sorted(given))
    level = _classes(found, prior)
    words += describe_connectivity(
        counts.names,
        found,
        prior_joins=isinstance(prior, AverageDraws | GammaStrength),
        prior_bounds=not isinstance(prior, NoPrior),
    )
    if fit_seat and not seat_is_bounded(counts, level, prior, given):
        words.append(
            "The seat term cannot be estimated: ratings and seat explain the same results. It was left out; "
            "play every pair in both seats."
        )
        fit_seat, seat_elo = False, 0.0
    idle = np.zeros(counts.n_bots, dtype=np.bool_)
    idle[list(found.idle)] = True
    problem = build_problem(
        counts,
        model=model,
        prior=prior,
        anchors=given,
        level=level,
        pinned=_pins(counts, level, given, prior),
        seat=seat_elo / ELO_PER_LOGIT,
        draw=draw,
        fits_seat=fit_seat,
        fits_draw=fits_draw,
    )
    solution = maximise(problem)
    state = _state(found, level, idle, given)
    if solution.why and state is not FitState.NO_GAMES:
        state = FitState.NOT_CONVERGED
        words.append(f"The fit failed: {solution.why}. A prior such as one draw a bot makes it finite.")
    point = solution.point
    theta = _centred(point.theta, level, idle, problem.anchored)
    return BradleyTerryFit(
        names=counts.names,
        state=state,
        words=tuple(words),
        theta=theta,
        level=level,
        anchored=problem.anchored,
        idle=idle,
        connectivity=found,
        draw_model=model,
        prior=prior,
        seat_logit=point.seat,
        seat_fitted=fit_seat,
        draw_parameter=None if model is DrawModel.HALF_POINT else point.draw,
        draw_fitted=fits_draw,
        log_likelihood=solution.value,
        n_steps=solution.n_steps,
        n_games=float(counts.games.sum()),
        optimum=point,
        problem=problem,
        counts=counts,
    )


def _anchor_logits(counts: PairCounts, anchors: Mapping[str, float]) -> dict[int, float]:
    logits = {}
    for name, elo in anchors.items():
        check_finite(f"anchor {name!r}", elo)
        logits[counts.index_of(name)] = (elo - MEAN_RATING) / ELO_PER_LOGIT
    return logits


def _classes(found: Connectivity, prior: Prior) -> IntArray:
    """Classes inside which ratings are finite with this prior."""
    if isinstance(prior, AverageDraws | GammaStrength):
        return np.zeros(found.level.size, dtype=np.int64)
    if isinstance(prior, PairPoints | SpreadDraws):
        return found.group
    return found.level


def _pins(counts: PairCounts, level: IntArray, given: dict[int, float], prior: Prior) -> IntArray:
    """One bot of each class whose mean the results leave free: the one with most games, for a good matrix."""
    if not is_shift_invariant(prior):
        return np.zeros(0, dtype=np.int64)
    n = counts.n_bots
    games = sum_by(counts.first, counts.games, n) + sum_by(counts.second, counts.games, n)
    anchored_levels = {int(level[bot]) for bot in given}
    order = np.argsort(-games, kind="stable")
    _, where = np.unique(level[order], return_index=True)
    pins = order[where]
    return np.array([bot for bot in pins.tolist() if int(level[bot]) not in anchored_levels], dtype=np.int64)


def _draw_start(
    counts: PairCounts,
    prior: Prior,
    model: DrawModel,
    drawelo: float | None,
    davidson_nu: float | None,
    words: list[str],
) -> tuple[float, bool, DrawModel]:
    """(start of the draw parameter, whether it is estimated, the model to use)."""
    if drawelo is not None and model is not DrawModel.RAO_KUPPER:
        raise StatsInputError("drawelo belongs to draw_model=RAO_KUPPER")
    if davidson_nu is not None and model is not DrawModel.DAVIDSON:
        raise StatsInputError("davidson_nu belongs to draw_model=DAVIDSON")
    if model is DrawModel.HALF_POINT:
        return 0.0, False, model
    if drawelo is not None:
        return check_positive("drawelo", drawelo) / ELO_PER_LOGIT, False, model
    if davidson_nu is not None:
        return float(np.log(check_positive("davidson_nu", davidson_nu))), False, model
    drawn, decided = float(counts.draws.sum()), float((counts.wins + counts.losses).sum())
    if isinstance(prior, SpreadDraws):
        drawn += prior.draws
    if isinstance(prior, PairPoints):
        decided += prior.points
    if drawn == 0.0 or decided == 0.0:
        what = "No game was drawn" if drawn == 0.0 else "Every game was drawn"
        words.append(f"{what}, so a draw rate cannot be estimated: a draw was taken as half a point.")
        return 0.0, False, DrawModel.HALF_POINT
    start = _START_DRAWELO / ELO_PER_LOGIT if model is DrawModel.RAO_KUPPER else 0.0
    return start, True, model


def _state(found: Connectivity, level: IntArray, idle: BoolArray, given: dict[int, float]) -> FitState:
    playing = ~idle
    if not playing.any():
        return FitState.NO_GAMES
    shown = playing.copy()
    shown[list(given)] = True
    if np.unique(level[shown]).size == 1:
        return FitState.FITTED
    if np.unique(level[shown]).size == np.unique(found.group[shown]).size:
        return FitState.DISCONNECTED
    return FitState.UNBOUNDED


def _centred(theta: FloatArray, level: IntArray, idle: BoolArray, anchored: BoolArray) -> FloatArray:
    """Set the mean of every class without an anchor to 0; bots without games do not count."""
    out = theta.copy()
    n_levels = int(level.max(initial=-1)) + 1
    weight = (~idle).astype(np.float64)
    total = sum_by(level, weight, n_levels)
    mean = sum_by(level, weight * theta, n_levels) / np.maximum(total, 1.0)
    mean[np.unique(level[anchored])] = 0.0
    out -= mean[level]
    out[idle & ~anchored] = 0.0
    return out

"""Newton's method with step halving on the penalised likelihood of a rating fit.

The likelihood is concave, so every accepted step climbs towards the one maximum. Must not interpret the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.stats.draw_models import DrawModel
from harness.stats.fit_problem import Curvature, FitProblem, Point
from harness.stats.pair_counts import FloatArray

_MAX_STEPS = 100
_SMALL_STEP = 1e-6
"""A Newton step below this (logits) leaves an error of about its square: 1e-12, below 1e-9 Elo."""

_MAX_JUMP = 4.0
"""No rating moves more than this (logits) in a step: far out the curvature is too flat to be trusted."""

_RUNAWAY = 80.0
"""Logits (14,000 Elo) beyond which the likelihood has no maximum: no result at all could be that sure."""

_FLAT = 1e-9
"""Share of a parameter's own curvature below which it cannot be told from the ratings."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Where Newton ended. `why` is empty if it converged."""

    point: Point
    value: float
    n_steps: int
    why: str = ""


def maximise(problem: FitProblem) -> Solution:
    """Climb from the problem's start to the maximum; never raises, a failure is said in `why`."""
    point = problem.start
    here = problem.curvature_at(point)
    for n_steps in range(1, _MAX_STEPS + 1):
        try:
            move, extra = newton_step(problem, here)
        except np.linalg.LinAlgError:
            return Solution(point, here.value, n_steps, "the curvature is flat in some direction")
        size = float(max(np.abs(move).max(initial=0.0), np.abs(extra).max(initial=0.0)))
        if not np.isfinite(size):
            return Solution(point, here.value, n_steps, "the curvature is flat in some direction")
        share = min(1.0, _MAX_JUMP / size) if size > 0.0 else 1.0
        moved = _moved(problem, point, move, extra, share)
        if size < _SMALL_STEP:
            return Solution(moved, here.value, n_steps)
        there = problem.curvature_at(moved)
        while there.value < here.value - 1e-9 * (1.0 + abs(here.value)) and share > 1e-10:
            share *= 0.5
            moved = _moved(problem, point, move, extra, share)
            there = problem.curvature_at(moved)
        point, here = moved, there
        if max(float(np.abs(point.theta - problem.centre).max(initial=0.0)), abs(point.draw)) > _RUNAWAY:
            return Solution(point, here.value, n_steps, "some estimates grow without bound")
    return Solution(point, here.value, _MAX_STEPS, f"no convergence in {_MAX_STEPS} steps")


def newton_step(problem: FitProblem, here: Curvature) -> tuple[FloatArray, FloatArray]:
    """The step of the bots and of the extra parameters; the extra ones are eliminated first.

    Raises numpy's LinAlgError if the curvature is singular.
    """
    problem.solver.factor(here.pair_weight, here.diagonal)
    if problem.n_extra == 0:
        return problem.solver.solve(here.slope), np.zeros(0)
    solved = problem.solver.solve(np.column_stack([here.slope, here.columns]))
    across = solved[:, 1:]
    schur = here.corner - here.columns.T @ across
    if np.any(np.diagonal(schur) <= _FLAT * np.diagonal(here.corner)):
        raise np.linalg.LinAlgError("an extra parameter has no curvature of its own")
    extra = np.linalg.solve(schur, here.extra_slope - here.columns.T @ solved[:, 0]).astype(np.float64, copy=False)
    return solved[:, 0] - across @ extra, extra


def _moved(problem: FitProblem, point: Point, move: FloatArray, extra: FloatArray, share: float) -> Point:
    seat = point.seat + share * float(extra[0]) if problem.fits_seat else point.seat
    draw = point.draw + share * float(extra[-1]) if problem.fits_draw else point.draw
    if problem.fits_draw and problem.model is DrawModel.RAO_KUPPER:
        draw = max(draw, 0.1 * point.draw)  # the margin has to stay above 0
    return Point(point.theta + share * move, seat, draw)

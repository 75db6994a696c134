"""A rating fit laid out in arrays: cells, pairs, priors, what is fixed, what is estimated.

`bradley_terry` builds one from counts and options and runs Newton's method on it; the errors and the bootstrap reuse
it. Must not decide anything that a user should be told: that is `bradley_terry`'s part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.stats.draw_models import DrawModel, Likelihood, likelihood_of
from harness.stats.normal_matrix import Solver, choose_solver
from harness.stats.pair_counts import BoolArray, FloatArray, IntArray, PairCounts, sum_by
from harness.stats.priors import Prior, Pull, pair_results, pull


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A place in parameter space, in logits: bots, first seat's lead, draw parameter."""

    theta: FloatArray
    seat: float
    draw: float


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """Value, gradient and negative second derivatives of the penalised ln L at a point.

    `columns`, `corner` and `extra_slope` are for the extra parameters (seat, draw), in the order that they are
    estimated; `pair_weight` and `diagonal` make the bots' block.
    """

    value: float
    slope: FloatArray
    diagonal: FloatArray
    pair_weight: FloatArray
    columns: FloatArray
    corner: FloatArray
    extra_slope: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class FitProblem:
    """All of a fit but its answer.

    The first `n_data` cells are results, the rest the prior's. `source[k]` is the cell that cell k of the counts went
    to (−1: left out, its bots cannot be compared) and `flip[k]` says that the two sides were exchanged on the way.
    `fixed` marks anchors and one pinned bot of each class whose mean is free; `level` numbers the classes.
    """

    n_bots: int
    n_data: int
    first: IntArray
    second: IntArray
    seat: FloatArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray
    pair: IntArray
    n_pairs: int
    solver: Solver
    model: DrawModel
    likelihood: Likelihood
    prior: Prior
    centre: float
    start: Point
    fits_seat: bool
    fits_draw: bool
    fixed: BoolArray
    anchored: BoolArray
    level: IntArray
    source: IntArray
    flip: BoolArray

    @property
    def n_extra(self) -> int:
        """Number of parameters besides the bots."""
        return int(self.fits_seat) + int(self.fits_draw)

    def lead(self, point: Point) -> FloatArray:
        """η of every cell."""
        eta = point.theta[self.first] - point.theta[self.second]
        if point.seat != 0.0:
            eta += point.seat * self.seat
        return eta

    def curvature_at(self, point: Point) -> Curvature:
        """Value and derivatives at a point."""
        n = self.n_bots
        terms = self.likelihood.terms(self.lead(point), point.draw)
        slope = sum_by(self.first, terms.slope, n) - sum_by(self.second, terms.slope, n)
        toward_first = sum_by(self.first, terms.curvature, n)
        toward_second = sum_by(self.second, terms.curvature, n)
        diagonal = toward_first + toward_second
        value = terms.value
        added = self.pull_at(point.theta)
        if added is not None:
            value += added.value
            slope += added.slope
            diagonal += added.curvature
        columns = np.zeros((n, self.n_extra))
        corner = np.zeros((self.n_extra, self.n_extra))
        extra_slope = np.zeros(self.n_extra)
        if self.fits_seat:
            bent = self.seat * terms.curvature
            columns[:, 0] = sum_by(self.first, bent, n) - sum_by(self.second, bent, n)
            corner[0, 0] = bent.sum()
            extra_slope[0] = np.dot(self.seat, terms.slope)
        if self.fits_draw and terms.cross is not None:
            columns[:, -1] = sum_by(self.first, terms.cross, n) - sum_by(self.second, terms.cross, n)
            corner[-1, -1] = terms.draw_curvature
            extra_slope[-1] = terms.draw_slope
            if self.fits_seat:
                corner[0, 1] = corner[1, 0] = np.dot(self.seat, terms.cross)
        return Curvature(
            value,
            slope,
            diagonal,
            sum_by(self.pair, terms.curvature, self.n_pairs),
            columns,
            corner,
            extra_slope,
        )

    def pull_at(self, theta: FloatArray) -> Pull | None:
        """The prior's penalty on single bots; anchors are given and not penalised."""
        added = pull(self.prior, theta, self.centre)
        if added is not None and self.anchored.any():
            added.slope[self.anchored] = 0.0
            added.curvature[self.anchored] = 0.0
        return added


def build_problem(
    counts: PairCounts,
    *,
    model: DrawModel,
    prior: Prior,
    anchors: dict[int, float],
    level: IntArray,
    pinned: IntArray,
    seat: float,
    draw: float,
    fits_seat: bool,
    fits_draw: bool,
) -> FitProblem:
    """Lay a fit out. `anchors` are logits by bot; `level` numbers the classes, `pinned` holds a bot of each free one.

    Cells whose bots are of different classes are left out. Without a seat term both seatings of a pair become one cell.
    """
    n = counts.n_bots
    with_seat = fits_seat or seat != 0.0
    flip = np.zeros(counts.first.size, dtype=np.bool_) if with_seat else counts.first > counts.second
    first = np.where(flip, counts.second, counts.first)
    second = np.where(flip, counts.first, counts.second)
    kept = (level[first] == level[second]) & (counts.games > 0.0)
    cells, position = np.unique((first * n + second)[kept], return_inverse=True)
    source = np.full(counts.first.size, -1, dtype=np.int64)
    source[kept] = position
    won = np.where(flip, counts.losses, counts.wins)
    lost = np.where(flip, counts.wins, counts.losses)
    size = cells.size
    parts = [
        (cells // n),
        (cells % n),
        np.full(size, 1.0 if with_seat else 0.0),
        sum_by(position, won[kept], size),
        sum_by(position, counts.draws[kept], size),
        sum_by(position, lost[kept], size),
    ]
    imagined = pair_results(prior, counts)
    if imagined is not None:
        added = (
            imagined.first,
            imagined.second,
            imagined.seat if with_seat else np.zeros(imagined.first.size),
            imagined.wins,
            imagined.draws,
            imagined.losses,
        )
        parts = [np.concatenate(two) for two in zip(parts, added, strict=True)]
    f, s = parts[0].astype(np.int64), parts[1].astype(np.int64)
    pairs, pair = np.unique(np.minimum(f, s) * n + np.maximum(f, s), return_inverse=True)
    anchored = np.zeros(n, dtype=np.bool_)
    theta = np.zeros(n)
    for bot, logit in anchors.items():
        anchored[bot] = True
        theta[bot] = logit
    centre = float(theta[anchored].mean()) if anchors else 0.0
    theta[~anchored] = centre
    fixed = anchored.copy()
    fixed[pinned] = True
    return FitProblem(
        n_bots=n,
        n_data=size,
        first=f,
        second=s,
        seat=parts[2],
        wins=parts[3],
        draws=parts[4],
        losses=parts[5],
        pair=pair.astype(np.int64, copy=False),
        n_pairs=pairs.size,
        solver=choose_solver(n, pairs // n, pairs % n, fixed),
        model=model,
        likelihood=likelihood_of(model, parts[3], parts[4], parts[5]),
        prior=prior,
        centre=centre,
        start=Point(theta, seat, draw),
        fits_seat=fits_seat,
        fits_draw=fits_draw,
        fixed=fixed,
        anchored=anchored,
        level=level,
        source=source,
        flip=flip,
    )


@dataclass(frozen=True, slots=True, eq=False)
class MapEntries:
    """Counts by (map, cell of the problem), for what is computed map by map."""

    n_maps: int
    map_index: IntArray
    cell: IntArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray


def map_entries(problem: FitProblem, counts: PairCounts) -> MapEntries | None:
    """The counts of single maps in the problem's cells; None if the counts know no maps."""
    maps = counts.maps
    if maps is None:
        return None
    cell = problem.source[maps.cell]
    kept = cell >= 0
    flip = problem.flip[maps.cell][kept]
    wins, losses = maps.wins[kept], maps.losses[kept]
    return MapEntries(
        maps.n_maps,
        maps.map_index[kept],
        cell[kept],
        np.where(flip, losses, wins),
        maps.draws[kept],
        np.where(flip, wins, losses),
    )

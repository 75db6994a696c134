"""A sequential test that is fed one map at a time: O(1) per map, memory that does not grow.

The answer depends on the order of the maps only through the moment of stopping, so feed it in plan order.
Must not decide anything but its own limits: screens, gates and verdicts are built on it elsewhere. Must not
import numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.stats.arguments import StatsInputError, check_count, check_positive, check_unit
from harness.stats.bayeselo_sprt import llr_bayeselo
from harness.stats.gsprt import EMPTY_CELL, PENTA_SCORES, TRINOMIAL_SCORES, RunningLlr, ScoreCounts
from harness.stats.sprt_bounds import BayesEloBounds, Bounds, Decision, wald_limits

MAX_CELLS = 25
"""Distinct scores kept one by one. Beyond them a score is split between its two neighbours on a grid of 24 steps, in
shares that keep its mean; the variance grows by at most 1/2304. Halves, thirds, quarters and eighths are on it."""

_GRID = MAX_CELLS - 1


@dataclass(frozen=True, slots=True)
class Overshoot:
    """Records of the LLR beyond its lowest and highest value so far: their sums, and sums of squares.

    Half of the mean overshoot, sum of squares over sum, is what a limit can be moved in. Source: D. Siegmund,
    Sequential Analysis, corollary 8.33, as fishtest measures it.
    """

    sum_low: float = 0.0
    squares_low: float = 0.0
    lowest: float = 0.0
    sum_high: float = 0.0
    squares_high: float = 0.0
    highest: float = 0.0

    def after(self, llr: float) -> "Overshoot":
        """The records after one more batch."""
        if llr < self.lowest:
            step = llr - self.lowest
            return Overshoot(
                self.sum_low + step,
                self.squares_low + step * step,
                llr,
                self.sum_high,
                self.squares_high,
                self.highest,
            )
        if llr > self.highest:
            step = llr - self.highest
            return Overshoot(
                self.sum_low,
                self.squares_low,
                self.lowest,
                self.sum_high + step,
                self.squares_high + step * step,
                llr,
            )
        return self

    def correction_low(self) -> float:
        """How far the lower limit moves up (0 or more)."""
        return -0.5 * self.squares_low / self.sum_low if self.sum_low else 0.0

    def correction_high(self) -> float:
        """How far the upper limit moves down (0 or more)."""
        return 0.5 * self.squares_high / self.sum_high if self.sum_high else 0.0


@dataclass(frozen=True, slots=True)
class SequentialState:
    """A test after some maps. `lower` and `upper` are the limits in force, after any correction."""

    n_maps: int
    llr: float
    lower: float
    upper: float
    decision: Decision

    def progress(self) -> float:
        """Share of the way to the nearer limit on the LLR's side, 0 to 1. It is not a share of time."""
        limit = self.upper if self.llr >= 0.0 else self.lower
        return min(1.0, self.llr / limit)


class SequentialTest:
    """The GSPRT of `bounds` on map scores in [0, 1], with Wald's limits.

    `games_per_map` is 2 for pairs, 1 for single games, and the number of games a bot plays on a map
    elsewhere; it scales normalized Elo and gives the cells that always exist: 0, ¼, ½, ¾, 1 for 2; 0, ½, 1
    for 1; else 0 and 1. `batch_maps` is the size of every update; `correct_overshoot` moves the limits in by
    what the LLR was seen to jump, which is valid for batches of one size only. BayesElo bounds take single
    games.

    After the decision no more maps are taken: what is played beyond it must not count.
    """

    __slots__ = (
        "_batch_maps",
        "_bounds",
        "_cells",
        "_correct",
        "_gridded",
        "_limits",
        "_n_maps",
        "_overshoot",
        "_running",
        "_state",
        "games_per_map",
    )

    def __init__(
        self,
        bounds: Bounds,
        *,
        games_per_map: float,
        alpha: float = 0.05,
        beta: float = 0.05,
        batch_maps: int = 1,
        correct_overshoot: bool = False,
    ) -> None:
        self.games_per_map = check_positive("games_per_map", games_per_map)
        self._batch_maps = check_count("batch_maps", batch_maps, minimum=1)
        self._bounds = bounds
        self._limits = wald_limits(alpha, beta)
        self._correct = correct_overshoot
        if isinstance(bounds, BayesEloBounds):
            if games_per_map != 1:
                raise StatsInputError(
                    f"games_per_map is {games_per_map!r}; BayesElo bounds are for single games (1). "
                    "Use EloBounds or NeloBounds for pairs"
                )
            self._running = None
        else:
            self._running = RunningLlr(bounds, games_per_map)
        always = PENTA_SCORES if games_per_map == 2 else TRINOMIAL_SCORES if games_per_map == 1 else (0.0, 1.0)
        self._cells = dict.fromkeys(always, 0.0)
        self._gridded = False
        self._n_maps = 0
        self._overshoot = Overshoot()
        self._state = SequentialState(0, 0.0, self._limits.lower, self._limits.upper, Decision.CONTINUE)

    @property
    def state(self) -> SequentialState:
        """The test now."""
        return self._state

    @property
    def overshoot(self) -> Overshoot:
        """The records behind the correction, kept whether or not it is used."""
        return self._overshoot

    def counts(self) -> ScoreCounts:
        """The counts so far, empty cells as EMPTY_CELL."""
        scores = tuple(sorted(self._cells))
        return ScoreCounts(scores, tuple(self._cells[a] or EMPTY_CELL for a in scores), self.games_per_map)

    def add(self, score: float) -> SequentialState:
        """Add one map by its mean score, for a test with batches of one map."""
        return self.add_batch((score,))

    def add_batch(self, scores: Sequence[float]) -> SequentialState:
        """Add `batch_maps` maps and test once. Raises StatsInputError on another number or after the decision."""
        if len(scores) != self._batch_maps:
            raise StatsInputError(
                f"a batch has {len(scores)} maps; this test takes {self._batch_maps} at a time. "
                "Its limits are for updates of one size"
            )
        if self._state.decision is not Decision.CONTINUE:
            raise StatsInputError(
                f"the test ended with '{self._state.decision}' after {self._n_maps} maps; later maps must not count"
            )
        for score in scores:
            self._count(check_unit("score", score))
        self._n_maps += len(scores)
        llr = self._llr_now()
        self._overshoot = self._overshoot.after(llr)
        lower = self._limits.lower + (self._overshoot.correction_low() if self._correct else 0.0)
        upper = self._limits.upper - (self._overshoot.correction_high() if self._correct else 0.0)
        decision = Decision.ACCEPT_H0 if llr < lower else Decision.ACCEPT_H1 if llr > upper else Decision.CONTINUE
        self._state = SequentialState(self._n_maps, llr, lower, upper, decision)
        return self._state

    def _llr_now(self) -> float:
        data = self.counts()
        if self._running is not None:
            return self._running.update(data)
        assert isinstance(self._bounds, BayesEloBounds)
        losses, draws, wins = data.counts
        return llr_bayeselo(losses, draws, wins, self._bounds).llr

    def _count(self, score: float) -> None:
        cells = self._cells
        if score in cells:
            cells[score] += 1.0
            return
        if isinstance(self._bounds, BayesEloBounds):
            raise StatsInputError(f"score is {score!r}; BayesElo bounds take games of 0, ½ or 1")
        if not self._gridded and len(cells) < MAX_CELLS:
            cells[score] = 1.0
            return
        if not self._gridded:
            self._gridded = True
            old = [(a, count) for a, count in cells.items() if count]
            cells.clear()
            cells.update((step / _GRID, 0.0) for step in range(_GRID + 1))
            for a, count in old:
                self._split(a, count)
        self._split(score, 1.0)

    def _split(self, score: float, count: float) -> None:
        """Share `count` between the grid points around `score` so that their mean is `score`."""
        below = min(int(score * _GRID), _GRID - 1)
        share = score * _GRID - below
        self._cells[below / _GRID] += count * (1.0 - share)
        self._cells[(below + 1) / _GRID] += count * share

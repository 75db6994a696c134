"""What tests of known size and sequential tests do, map by map and exactly, when one map's law of scores is
known.

A map's mean score takes the values 0, 1/k, …, 1; sums of them stay on that lattice, so every probability is a
finite sum. Imports numpy, so that no module on the light path may import this one at its top.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.stats.arguments import StatsInputError, check_count, check_open_unit, check_unit
from harness.stats.sprt_bounds import Bounds, wald_limits
from harness.stats.sprt_plan import SprtPlan, hypothesis_scores

_ROUNDING = 1e-9
"""Slack in points when a sum is compared with a threshold, so that 104.0 reaches 104."""


@dataclass(frozen=True, slots=True)
class MapLaw:
    """Probabilities of the mean map scores 0, 1/k, …, 1 (k + 1 of them) and the games behind one map."""

    probabilities: tuple[float, ...]
    games_per_map: int

    def __post_init__(self) -> None:
        check_count("games_per_map", self.games_per_map, minimum=1)
        if len(self.probabilities) < 2:
            raise StatsInputError(f"probabilities has {len(self.probabilities)} entries; 2 or more are needed")
        for index, p in enumerate(self.probabilities):
            check_unit(f"probabilities[{index}]", p)
        total = math.fsum(self.probabilities)
        if abs(total - 1.0) > 1e-9:
            raise StatsInputError(f"probabilities sum to {total!r}; their sum must be 1")

    @property
    def steps(self) -> int:
        """k: a map's score is a multiple of 1/k."""
        return len(self.probabilities) - 1

    @property
    def mean(self) -> float:
        """Expected mean score of a map."""
        return math.fsum(index * p for index, p in enumerate(self.probabilities)) / self.steps

    @property
    def sd(self) -> float:
        """Standard deviation of a map's mean score."""
        mean, steps = self.mean, self.steps
        return math.sqrt(math.fsum(p * (index / steps - mean) ** 2 for index, p in enumerate(self.probabilities)))


def game_law(win: float, draw: float = 0.0) -> MapLaw:
    """Single games as maps: a win, a draw or a loss."""
    probabilities = (1.0 - win, win) if draw == 0.0 else (1.0 - win - draw, draw, win)
    return MapLaw(probabilities, 1)


def pair_law(win: float, draw: float = 0.0) -> MapLaw:
    """Pairs of two independent games with these probabilities."""
    loss = 1.0 - win - draw
    return MapLaw((loss * loss, 2.0 * loss * draw, draw * draw + 2.0 * win * loss, 2.0 * win * draw, win * win), 2)


def sum_law(law: MapLaw, n_maps: int) -> NDArray[np.float64]:
    """Probabilities of the sum of `n_maps` map scores: 0, 1/k, …, n. By squaring, all terms positive."""
    check_count("n_maps", n_maps)
    result = np.ones(1)
    power = np.asarray(law.probabilities, dtype=np.float64)
    rest = n_maps
    while rest:
        if rest & 1:
            result = np.convolve(result, power)
        rest >>= 1
        if rest:
            power = np.convolve(power, power)
    return result


@dataclass(frozen=True, slots=True)
class FixedStage:
    """`n_maps` fresh maps, passed with `min_points` or more; points are the sum of the maps' mean scores."""

    n_maps: int
    min_points: float

    def __post_init__(self) -> None:
        check_count("n_maps", self.n_maps, minimum=1)
        if not 0.0 <= self.min_points <= self.n_maps + 1:
            raise StatsInputError(f"min_points is {self.min_points!r}; allowed is a number from 0 to {self.n_maps}")


def points_for_score(n_maps: int, min_score: float, steps: int = 1) -> float:
    """The fewest points, a multiple of 1/steps, whose mean is `min_score` or more. 267 for 0.52 of 512 games."""
    check_unit("min_score", min_score)
    return math.ceil(n_maps * min_score * steps - _ROUNDING) / steps


def points_for_z(n_maps: int, z: float, map_sd: float, steps: int = 1) -> float:
    """The fewest points that are `z` standard errors above even. 424 for 1.645 over 800 games of deviation ½."""
    return math.ceil((0.5 * n_maps + z * map_sd * math.sqrt(n_maps)) * steps - _ROUNDING) / steps


@dataclass(frozen=True, slots=True)
class GatePlan:
    """A gate of fixed stages at one true law. `stage_pass` is each stage's own probability.

    `last_score_if_promoted` is the expected score in the last stage of candidates that pass it: above the
    true score by the winner's curse. None when nothing passes.
    """

    stage_pass: tuple[float, ...]
    promote: float
    expected_maps: float
    expected_games: float
    true_score: float
    last_score_if_promoted: float | None


def plan_gate(stages: Sequence[FixedStage], law: MapLaw) -> GatePlan:
    """Stages on fresh maps, one after another, all to be passed. Exact."""
    if not stages:
        raise StatsInputError("stages is empty; a gate has one stage or more")
    passes: list[float] = []
    conditional: float | None = None
    for stage in stages:
        points = np.arange(stage.n_maps * law.steps + 1) / law.steps
        probabilities = sum_law(law, stage.n_maps)
        passing = points >= stage.min_points - _ROUNDING
        share = float(probabilities[passing].sum())
        passes.append(share)
        conditional = float((points * probabilities)[passing].sum()) / share / stage.n_maps if share > 0.0 else None
    reached, maps = 1.0, 0.0
    for stage, share in zip(stages, passes, strict=True):
        maps += reached * stage.n_maps
        reached *= share
    return GatePlan(tuple(passes), reached, maps, maps * law.games_per_map, law.mean, conditional)


def plan_sprt_exactly(
    bounds: Bounds,
    law: MapLaw,
    *,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_maps: int = 1_000_000,
) -> SprtPlan:
    """The SPRT whose LLR is (s1 − s0)·(2·points − n·(s0 + s1))/(2·variance), stepped map by map with its
    overshoot.

    That LLR is the GSPRT's leading term with the law's own variance in place of the sample's. Ends at
    `max_maps` or when less than 1e-12 of the runs are left.
    """
    check_count("max_maps", max_maps, minimum=1)
    limits = wald_limits(alpha, beta)
    if law.sd == 0.0:
        raise StatsInputError("the law has no spread; a test of it never ends by chance")
    score0, score1 = hypothesis_scores(bounds, law.sd, law.games_per_map)
    slope = (score1 - score0) / law.sd**2
    middle = 0.5 * (score0 + score1)
    kernel = np.asarray(law.probabilities, dtype=np.float64)
    alive = np.ones(1)
    first = 0  # lattice index of alive[0]
    passed = failed = expected = 0.0
    ended: list[float] = []
    for n in range(1, max_maps + 1):
        expected += float(alive.sum())
        alive = np.convolve(alive, kernel)
        centre = n * middle * law.steps
        width = law.steps / slope
        lowest = math.ceil(centre + limits.lower * width - _ROUNDING) - first
        highest = math.floor(centre + limits.upper * width + _ROUNDING) - first
        lowest, highest = max(lowest, 0), min(highest, len(alive) - 1)
        failed += float(alive[:lowest].sum())
        passed += float(alive[highest + 1 :].sum())
        alive = alive[lowest : highest + 1]
        first += lowest
        ended.append(passed + failed)
        if 1.0 - ended[-1] < 1e-12 or alive.size == 0:
            break
    undecided = max(0.0, 1.0 - passed - failed)
    return SprtPlan(
        pass_probability=passed,
        undecided=undecided if undecided > 1e-11 else 0.0,
        expected_maps=expected,
        median_maps=float(_first_reaching(ended, 0.5)),
        p90_maps=float(_first_reaching(ended, 0.9)),
        games_per_map=float(law.games_per_map),
    )


def _first_reaching(ended: list[float], share: float) -> int:
    check_open_unit("share", share)
    return next((n for n, done in enumerate(ended, 1) if done >= share), len(ended))

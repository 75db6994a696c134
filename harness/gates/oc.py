"""What a policy does before it is used: how often it promotes a candidate of known true strength, and after how much.

Stages are walked map by map on the lattice of map scores, so that fixed stages are exact and so is the sequential test
with a known spread (the real one measures it: docs/gate.md says how far apart they are). The spread that a lower bound
rests on and the panel stage are simulated, from a fixed seed. Pure; imports numpy, so that no module on the light path
may import this one at its top.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from harness.config.policy import DuelStage, LowerBoundRule, PanelStage, Policy, ScoreRule, SprtRule, StageKind
from harness.gates.decide import bounds_of, least_points, needed_points
from harness.gates.laws import law_at, law_from_counts
from harness.stats.distributions import t_quantile
from harness.stats.elo import elo_of_score, to_score
from harness.stats.intervals import FEW_APART, of_tally
from harness.stats.lattice_plan import MapLaw, sum_law
from harness.stats.sprt_bounds import wald_limits
from harness.stats.sprt_plan import hypothesis_scores
from harness.stats.tally import MapTally

TRUE_SCORES = (0.46, 0.48, 0.50, 0.51, 0.52, 0.53, 0.54, 0.55, 0.56, 0.58, 0.60)
"""The true scores that a policy is shown at."""

N_RUNS = 20_000
"""Simulated runs, where a probability is simulated: its standard error is at most 0.36 %."""

_ROUNDING = 1e-9
_SEED = 20261130


class Method(StrEnum):
    """How a stage's probability was found."""

    EXACT = "exact"
    KNOWN_SPREAD = "exact for a known spread"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class StageChance:
    """One stage at one true strength, for a candidate that reaches it. `expected_maps` counts maps, not jobs."""

    kind: StageKind
    passes: float
    fails: float
    undecided: float
    expected_maps: float
    method: Method


@dataclass(frozen=True, slots=True)
class GateChance:
    """A whole gate at one true strength. A job is one lineup on one map; a panel map has several.

    Half of all gates are over after `median_jobs`, 90 % after `p90_jobs`.
    """

    true_score: float
    true_elo: float
    promotes: float
    undecided: float
    stages: tuple[StageChance, ...]
    expected_jobs: float
    median_jobs: int
    p90_jobs: int
    games_per_job: int

    @property
    def expected_games(self) -> float:
        """Expected jobs in games."""
        return self.expected_jobs * self.games_per_job


@dataclass(frozen=True, slots=True)
class Walk:
    """A stage walked to its end. `passed[n]` and `failed[n]`: probability that it ends so after exactly n maps.

    `alive` is the law of the points, from `first`/k up, of what is not decided at the last map.
    """

    passed: NDArray[np.float64]
    failed: NDArray[np.float64]
    alive: NDArray[np.float64]
    first: int

    @property
    def left(self) -> float:
        """Probability that the last map decides nothing."""
        return float(self.alive.sum())


def compute_characteristic(
    policy: Policy,
    scores: Sequence[float] = TRUE_SCORES,
    *,
    draw_share: float = 0.0,
    games_per_map: int = 2,
    counts: Sequence[float] | None = None,
    champion_scores: Mapping[str, float] | None = None,
) -> tuple[GateChance, ...]:
    """Compute what the policy does to candidates of these true mean scores against the champion.

    Map scores follow `counts` (numbers of maps that scored 0, 1/k, …, 1 in earlier runs), tilted to each score, else
    independent games with `draw_share`. `champion_scores` is what the champion scores against panel members, ½ where it
    is not known; the candidate is taken to be as much better against them, in Elo, as against the champion.
    """
    rows = []
    for score in scores:
        if counts is None:
            law = law_at(score, draw_share=draw_share, games_per_map=games_per_map)
        else:
            law = law_from_counts(counts, score, games_per_map=games_per_map)
        rows.append(gate_chance(policy, law, draw_share=draw_share, champion_scores=champion_scores or {}))
    return tuple(rows)


def false_promotions_per_100(policy: Policy, *, draw_share: float = 0.0, games_per_map: int = 2) -> float:
    """Give how many of 100 candidates that are exactly as strong as the champion are promoted."""
    (row,) = compute_characteristic(policy, (0.5,), draw_share=draw_share, games_per_map=games_per_map)
    return 100.0 * row.promotes


def gate_chance(
    policy: Policy, law: MapLaw, *, draw_share: float = 0.0, champion_scores: Mapping[str, float] | None = None
) -> GateChance:
    """Compute one row: a gate whose maps against the champion follow `law`."""
    reached = np.ones(1)  # by jobs played so far
    ended = np.zeros(1)
    undecided = 0.0
    stages = []
    for stage in policy.stages:
        if isinstance(stage, PanelStage):
            chance = _panel_chance(stage, law, draw_share, champion_scores or {})
            jobs = 2 * len(stage.bots) * stage.n_maps
            passed, over = _spike(jobs, chance.passes), _spike(jobs, chance.fails)
        else:
            walk, method = walk_stage(stage, law)
            passed, over = walk.passed, walk.failed.copy()
            over[-1] += walk.left
            undecided += float(reached.sum()) * walk.left
            chance = _duel_chance(stage, walk, method)
        stages.append(chance)
        ended = _add(ended, np.convolve(reached, over))
        reached = np.convolve(reached, passed)
    ended = _add(ended, reached)
    cumulated = np.cumsum(ended)
    jobs_axis = np.arange(ended.size)
    return GateChance(
        true_score=law.mean,
        true_elo=elo_of_score(law.mean),
        promotes=float(reached.sum()),
        undecided=undecided,
        stages=tuple(stages),
        expected_jobs=float(jobs_axis @ ended),
        median_jobs=int(np.searchsorted(cumulated, 0.5 - 1e-12)),
        p90_jobs=int(np.searchsorted(cumulated, 0.9 - 1e-12)),
        games_per_job=law.games_per_map,
    )


# -------------------------------------------------------------------------------------- against the champion


def walk_stage(stage: DuelStage, law: MapLaw) -> tuple[Walk, Method]:
    """Walk one stage against the champion to its end."""
    rule = stage.rule
    if isinstance(rule, SprtRule):
        return _walk_sprt(stage, rule, law), Method.KNOWN_SPREAD
    if isinstance(rule, ScoreRule):
        return _walk_score(stage, rule, law), Method.EXACT
    return _walk_lower_bound(stage, rule, law)


def _walk(law: MapLaw, n_maps: int, lowest: Callable[[int], float], highest: Callable[[int], float]) -> Walk:
    """Walk `n_maps` maps: below `lowest(n)` points a path fails, above `highest(n)` it passes."""
    kernel = np.asarray(law.probabilities, dtype=np.float64)
    alive, first = np.ones(1), 0
    passed, failed = np.zeros(n_maps + 1), np.zeros(n_maps + 1)
    for n in range(1, n_maps + 1):
        alive = np.convolve(alive, kernel)
        low = max(math.ceil(lowest(n) * law.steps - _ROUNDING) - first, 0)
        high = min(highest(n) * law.steps + _ROUNDING, first + alive.size)
        cut = max(math.floor(high) - first + 1, 0)
        failed[n] = alive[:low].sum()
        passed[n] = alive[cut:].sum()
        alive, first = alive[low:cut], first + low
        if alive.size == 0:
            break
    return Walk(passed, failed, alive, first)


def _walk_score(stage: DuelStage, rule: ScoreRule, law: MapLaw) -> Walk:
    needed = math.ceil(needed_points(rule, stage.n_maps) * law.steps - _ROUNDING) / law.steps
    below = needed - 1.0 / law.steps

    def lowest(n: int) -> float:
        return max(needed - (stage.n_maps - n), least_points(stage, n))

    return _walk(law, stage.n_maps, lowest, lambda _: below)


def _walk_sprt(stage: DuelStage, rule: SprtRule, law: MapLaw) -> Walk:
    """Walk the test whose LLR is (s1 − s0)·(2·points − n·(s0 + s1))/(2·variance), as `plan_sprt_exactly` does."""
    if law.sd == 0.0:
        raise ValueError("the law has no spread; a test of it never ends by chance")
    limits = wald_limits(rule.alpha, rule.beta)
    score0, score1 = hypothesis_scores(bounds_of(rule), law.sd, law.games_per_map)
    slope = (score1 - score0) / law.sd**2
    middle = 0.5 * (score0 + score1)
    return _walk(
        law,
        stage.n_maps,
        lambda n: n * middle + limits.lower / slope,
        lambda n: n * middle + limits.upper / slope,
    )


def _walk_lower_bound(stage: DuelStage, rule: LowerBoundRule, law: MapLaw) -> tuple[Walk, Method]:
    """Walk to the last map, where the spread of the sample decides with the points.

    With two scores a map the points say the spread. Else the share of paths that pass is that of a border at the law's
    own spread, which is known, and the simulated difference to it, which is small: so is its error.
    """
    needed = needed_points(rule, stage.n_maps)

    def lowest(n: int) -> float:
        return max(needed - (stage.n_maps - n), least_points(stage, n)) if n < stage.n_maps else -1.0

    walk = _walk(law, stage.n_maps, lowest, lambda _: math.inf)
    points = walk.first + np.arange(walk.alive.size)
    if law.steps == 1:
        is_above = np.array([_clears(rule, (stage.n_maps - int(wins), int(wins))) for wins in points], dtype=bool)
        share, method = float(walk.alive[is_above].sum()), Method.EXACT
    else:
        border = stage.n_maps * (rule.lower_bound + _quantile(rule, stage.n_maps) * law.sd / math.sqrt(stage.n_maps))
        is_above = points / law.steps > border
        whole = sum_law(law, stage.n_maps)
        above = float(whole[np.arange(whole.size) / law.steps > border].sum())
        kept = float(walk.alive[is_above].sum()) / above if above > 0.0 else 0.0
        share = kept * min(1.0, max(0.0, above + _simulated_difference(rule, law, stage.n_maps, border)))
        method = Method.SIMULATED
    share = min(share, walk.left)
    walk.passed[-1] += share
    walk.failed[-1] += walk.left - share
    return Walk(walk.passed, walk.failed, np.zeros(0), 0), method


def _quantile(rule: LowerBoundRule, n_maps: int) -> float:
    return t_quantile(0.5 * (1.0 + rule.confidence), n_maps - 1) if n_maps > 1 else 0.0


def _clears(rule: LowerBoundRule, counts: Sequence[int]) -> bool:
    """Say what the real rule says of maps that scored 0, 1/k, …, 1 so often."""
    tally = MapTally()
    for index, count in enumerate(counts):
        tally.add(index / (len(counts) - 1), count)
    return of_tally(tally, rule.confidence).low > rule.lower_bound


def _simulated_difference(rule: LowerBoundRule, law: MapLaw, n_maps: int, border: float) -> float:
    """Give P(the rule passes) − P(points > border), simulated on the same samples."""
    counts = np.random.default_rng(_SEED).multinomial(n_maps, law.probabilities, size=N_RUNS)
    values = np.arange(law.steps + 1) / law.steps
    total = counts @ values
    mean = total / n_maps
    variance = np.maximum(counts @ values**2 - n_maps * mean**2, 0.0) / max(1, n_maps - 1)
    clears = mean - _quantile(rule, n_maps) * np.sqrt(variance / n_maps) > rule.lower_bound
    few_apart = n_maps - counts.max(axis=1) < FEW_APART
    if few_apart.any():  # where the real interval is not Student's
        rows, which = np.unique(counts[few_apart], axis=0, return_inverse=True)
        clears[few_apart] = np.array([_clears(rule, row) for row in rows.tolist()])[which]
    return float(clears.mean() - (total > border).mean())


def _duel_chance(stage: DuelStage, walk: Walk, method: Method) -> StageChance:
    maps = np.arange(walk.passed.size)
    left = walk.left
    return StageChance(
        kind=stage.kind,
        passes=float(walk.passed.sum()),
        fails=float(walk.failed.sum()),
        undecided=left,
        expected_maps=float(maps @ (walk.passed + walk.failed)) + left * stage.n_maps,
        method=method,
    )


# ------------------------------------------------------------------------------------------------- the panel


def _panel_chance(
    stage: PanelStage, law: MapLaw, draw_share: float, champion_scores: Mapping[str, float]
) -> StageChance:
    """Simulate the stage's mean differences, which are normal for the numbers of maps that a panel needs.

    Candidate and champion are taken to be independent on a map; what sharing it does to both only helps them.
    """
    gain = elo_of_score(law.mean)
    means, variances = [], []
    for bot in stage.bots:
        champion = champion_scores.get(bot, 0.5)
        candidate = to_score(elo_of_score(champion) + gain)
        laws = [
            law_at(score, draw_share=draw_share, games_per_map=min(2, law.games_per_map))
            for score in (candidate, champion)
        ]
        means.append(laws[0].mean - laws[1].mean)
        variances.append((laws[0].sd ** 2 + laws[1].sd ** 2) / stage.n_maps)
    rng = np.random.default_rng(_SEED)
    errors = np.sqrt(variances)
    differences = np.asarray(means) + errors * rng.standard_normal((N_RUNS, len(stage.bots)))
    pooled = differences.mean(axis=1)
    pooled_error = math.sqrt(math.fsum(variances)) / len(stage.bots)
    quantile = t_quantile(0.5 * (1.0 + stage.confidence), max(1, stage.n_maps - 1))
    is_no_worse = (pooled - quantile * pooled_error > -stage.margin) & (pooled + quantile * pooled_error >= 0.0)
    passes = float((is_no_worse & ~_regressions(stage, differences / errors, differences)).mean())
    return StageChance(stage.kind, passes, 1.0 - passes, 0.0, float(stage.n_maps), Method.SIMULATED)


def _regressions(stage: PanelStage, z: NDArray[np.float64], differences: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say for each run whether Holm's procedure calls a member worse that is also below −margin."""
    level = 0.5 * (1.0 - stage.confidence)
    p = ndtr(z)
    order = np.sort(p, axis=1)
    n_bots = p.shape[1]
    holds = order * np.arange(n_bots, 0, -1) <= level
    n_named = np.where(holds.all(axis=1), n_bots, holds.argmin(axis=1))
    limit = np.where(n_named > 0, np.take_along_axis(order, np.maximum(n_named - 1, 0)[:, None], axis=1)[:, 0], -1.0)
    named = (p <= limit[:, None]) & (differences < -stage.margin)
    return np.asarray(named.any(axis=1))


def _spike(at: int, mass: float) -> NDArray[np.float64]:
    result = np.zeros(at + 1)
    result[at] = mass
    return result


def _add(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    longer, shorter = (first, second) if first.size >= second.size else (second, first)
    result = longer.copy()
    result[: shorter.size] += shorter
    return result

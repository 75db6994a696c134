"""What a gate found, stage by stage, as plain data; and what follows from the stages. Pure; no text for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.config.policy import DuelStage, LowerBoundRule, ScoreRule, SprtRule, Stage, StageKind
from harness.gates.budget import Level
from harness.gates.decide import StageDecision, StageState, bounds_of
from harness.gates.lies import Finding, Lie
from harness.gates.panel import PanelResult, PanelState
from harness.stats.distributions import t_quantile
from harness.stats.elo import Elo, EloState, from_score
from harness.stats.gsprt import penta_counts, score_counts
from harness.stats.intervals import IntervalState, MeanInterval
from harness.stats.selection import after_threshold_normal
from harness.stats.stopped_estimate import stopped_estimate
from harness.stats.tally import MapTally

NOTHING_SAID = (Lie.MIRRORED, Lie.NOTHING_APART, Lie.MIRROR_TRAP)
"""Lies with which a stage says nothing, whatever its result."""


class GateState(StrEnum):
    """What a gate comes to."""

    PROMOTED = "promoted"
    REJECTED = "rejected"
    BLOCKED = "blocked"  # better than the champion, but worse elsewhere
    NOT_SHOWN = "not shown"  # better than the champion, but not shown to be no worse elsewhere
    UNDECIDED = "undecided"  # a sequential test used up its maps
    NO_VERDICT = "no verdict"  # the numbers say nothing
    SEEDS_USED_UP = "seeds used up"


@dataclass(frozen=True, slots=True)
class Corrected:
    """An estimate of strength that allows for how it came to be looked at: logistic Elo with its interval."""

    elo: Elo
    low: Elo
    high: Elo
    confidence: float


@dataclass(frozen=True, slots=True)
class BotForfeits:
    """What one bot forfeited in a stage: `n` of its `of` games."""

    bot: str
    n: int
    of: int


@dataclass(frozen=True, slots=True)
class StageOutcome:
    """One stage, played or not (then `decision` and `panel` are None).

    `first_seed` to `last_seed` were drawn, `n_maps` maps of them decided, `n_beyond` were played past those and count
    for nothing. `forfeits` has every bot of the deciding maps. `spent` names the entry of the ledger, "" for train
    seeds. `interval` is over the deciding maps.
    """

    stage: Stage
    first_seed: int
    last_seed: int
    n_selections: int
    spent: str
    n_maps: int
    n_beyond: int
    n_voids: int
    n_forfeit_maps: int
    busy_s: float
    decision: StageDecision | None = None
    panel: PanelResult | None = None
    interval: MeanInterval | None = None
    corrected: Corrected | None = None
    lies: tuple[Finding, ...] = ()
    forfeits: tuple[BotForfeits, ...] = ()

    @property
    def is_passed(self) -> bool:
        """Say whether the next stage may be played."""
        if self.panel is not None:
            return self.panel.state is PanelState.PASSED
        return self.decision is not None and self.decision.state is StageState.PASSED


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """A whole gate. `at` is the stage that ended it (None: all were passed, or none could be started)."""

    run: str
    lineage: str
    candidate: str
    champion: str
    candidate_fingerprint: str
    champion_fingerprint: str
    state: GateState
    at: StageKind | None
    stages: tuple[StageOutcome, ...]
    level: Level
    n_seeds_left: int | None = None
    n_seeds_needed: int | None = None

    @property
    def last_duel(self) -> StageOutcome | None:
        """Give the last stage against the champion that was played."""
        return next((stage for stage in reversed(self.stages) if stage.decision is not None), None)

    @property
    def panel(self) -> PanelResult | None:
        """Give the panel's result, if it was played."""
        return next((stage.panel for stage in self.stages if stage.panel is not None), None)


def state_after(stages: Sequence[StageOutcome]) -> GateState | None:
    """Say what a gate comes to after these stages; None if the next one is to be played.

    With all stages passed it is None too: the caller knows whether there is a next one.
    """
    last = stages[-1]
    lies = {finding.lie for finding in last.lies}
    if lies.intersection(NOTHING_SAID):
        return GateState.NO_VERDICT
    if last.panel is not None:
        return {
            PanelState.PASSED: None,
            PanelState.REGRESSED: GateState.BLOCKED,
            PanelState.NOT_SHOWN: GateState.NOT_SHOWN,
        }[last.panel.state]
    assert last.decision is not None
    match last.decision.state:
        case StageState.PASSED:
            return GateState.NO_VERDICT if Lie.EQUAL_FINGERPRINTS in lies else None
        case StageState.UNDECIDED:
            return GateState.UNDECIDED
        case _:
            return GateState.REJECTED


def corrected_estimate(
    stage: DuelStage, tally: MapTally, interval: MeanInterval, games_per_map: int
) -> Corrected | None:
    """Estimate strength from a stage, allowing for its early stop or for having had to pass it.

    None where there is no spread to measure by, and after a fixed stage that was not passed or ended early: what lies
    below a threshold was not selected for lying above it.
    """
    rule = stage.rule
    if isinstance(rule, SprtRule):
        cells = tally.cells()
        if not cells:
            return None
        penta = tally.penta() if games_per_map == 2 else None
        counts = penta_counts(penta) if penta is not None else score_counts(cells, games_per_map)
        found = stopped_estimate(counts, bounds_of(rule), alpha=rule.alpha, beta=rule.beta)
        if found.elo.state is not EloState.FINITE:
            return None
        return Corrected(found.elo, found.low, found.high, found.confidence)
    if (
        interval.state is not IntervalState.USUAL
        or interval.mean is None
        or not interval.se
        or interval.n < stage.n_maps
    ):
        return None
    bar = _bar(rule, interval.se, interval.n)
    if interval.mean < bar:
        return None
    selected = after_threshold_normal(interval.mean, interval.se, bar)
    ends = (from_score(score) for score in (selected.corrected, selected.low, selected.high))
    elo, low, high = ends
    return Corrected(elo, low, high, selected.confidence)


def _bar(rule: ScoreRule | LowerBoundRule, se: float, n_maps: int) -> float:
    """Give the mean that a stage is passed with."""
    if isinstance(rule, ScoreRule):
        return rule.score
    return rule.lower_bound + t_quantile(0.5 * (1.0 + rule.confidence), n_maps - 1) * se

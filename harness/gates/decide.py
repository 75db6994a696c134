"""One stage against the champion, decided map by map in plan order.

`StageJudge` takes the next map of the plan; `PrefixJudge` takes maps in whatever order they finish and lets the judge
see the unbroken prefix only, so that one worker and many decide the same after the same map. Pure; must not import
numpy, must not keep maps that were judged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from harness.config.policy import DuelStage, LowerBoundRule, ScoreRule, SprtRule, SprtUnit
from harness.stats.distributions import normal_quantile, t_quantile
from harness.stats.intervals import MeanInterval, of_tally
from harness.stats.sequential import SequentialTest
from harness.stats.sprt_bounds import Decision, EloBounds, NeloBounds
from harness.stats.tally import MapTally

_ROUNDING = 1e-9
"""Slack in points, so that thirds that add up to a threshold reach it."""


class StageState(StrEnum):
    """Where a stage stands."""

    OPEN = "open"
    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"  # a sequential test used up its maps


class Reason(StrEnum):
    """What decided a stage."""

    NONE = "none"
    SCORE = "score"  # all maps played, the score is what it is
    CERTAIN = "certain"  # the maps that are left cannot change it
    FUTILE = "futile"  # the maps that are left will hardly bring what is missing
    LLR = "llr"  # the sequential test crossed a limit
    LOWER_BOUND = "lower bound"
    MAPS_USED_UP = "maps used up"


@dataclass(frozen=True, slots=True)
class StageDecision:
    """A stage after `n_maps` maps of the prefix; final once `state` is not OPEN.

    `llr` and its limits are those of a sequential stage, None elsewhere. `score` is the plain mean of what was read:
    after an early end it is not an estimate of strength.
    """

    state: StageState
    reason: Reason
    n_maps: int
    score: float | None
    llr: float | None = None
    lower: float | None = None
    upper: float | None = None


def bounds_of(rule: SprtRule) -> EloBounds | NeloBounds:
    """Give a rule's two hypotheses in their unit."""
    if rule.unit is SprtUnit.ELO:
        return EloBounds(rule.low, rule.high)
    return NeloBounds(rule.low, rule.high)


def needed_points(rule: ScoreRule | LowerBoundRule, n_maps: int) -> float:
    """Give the points that a stage of `n_maps` maps cannot be passed without."""
    return n_maps * (rule.score if isinstance(rule, ScoreRule) else rule.lower_bound)


def hoped_score(rule: ScoreRule | LowerBoundRule, n_maps: int) -> float:
    """Give the true score of the candidate that a stage is there to let through.

    It is the score that the rule asks for: for a lower bound the mean whose interval just clears it if every map is
    won or lost whole, the widest that an interval can be.
    """
    if isinstance(rule, ScoreRule):
        return rule.score
    if n_maps < 2:
        return 1.0
    half = t_quantile(0.5 * (1.0 + rule.confidence), n_maps - 1) * 0.5 / math.sqrt(n_maps)
    return min(1.0, rule.lower_bound + half)


def least_points(stage: DuelStage, n_played: int) -> float:
    """Give the points below which a fixed stage is given up after `n_played` maps; -1 where nothing is.

    Whoever has fewer fails whatever comes (all maps left would have to be won by more than whole), or, with `futility`,
    would reach the points it lacks with less than that probability if its true score were `hoped_score`: by the normal
    law with the widest spread that such scores can have, which errs towards playing on.
    """
    rule = stage.rule
    assert not isinstance(rule, SprtRule)
    left = stage.n_maps - n_played
    if not left:
        return -1.0
    missing = float(left)
    if stage.futility:
        hoped = hoped_score(rule, stage.n_maps)
        spread = math.sqrt(hoped * (1.0 - hoped) * left)
        missing = min(missing, hoped * left - normal_quantile(stage.futility) * spread)
    return needed_points(rule, stage.n_maps) - missing


class StageJudge:
    """Reads the maps of one stage in plan order, one mean score in [0, 1] each, from the candidate's side.

    O(1) a map. After the decision nothing more is taken. `games_per_map` scales normalized Elo.
    """

    __slots__ = ("_points", "_tally", "_test", "decision", "stage")

    def __init__(self, stage: DuelStage, games_per_map: int) -> None:
        self.stage = stage
        self._points = 0.0
        self._tally = MapTally()
        self._test: SequentialTest | None = None
        rule = stage.rule
        if isinstance(rule, SprtRule):
            self._test = SequentialTest(bounds_of(rule), games_per_map=games_per_map, alpha=rule.alpha, beta=rule.beta)
        self.decision = StageDecision(StageState.OPEN, Reason.NONE, 0, None)

    @property
    def tally(self) -> MapTally:
        """The scores that were read."""
        return self._tally

    def interval(self, confidence: float = 0.95) -> MeanInterval:
        """Give the interval over the maps that were read."""
        return of_tally(self._tally, confidence)

    def add(self, score: float) -> StageDecision:
        """Take the next map. Raises ValueError after the decision, StatsInputError for a score outside [0, 1]."""
        if self.decision.state is not StageState.OPEN:
            raise ValueError(f"the stage ended after {self.decision.n_maps} maps; later maps must not count")
        self._tally.add(score)
        self._points += score
        n = self._tally.n
        mean = self._points / n
        if self._test is not None:
            self.decision = self._sequential(self._test, score, n, mean)
        else:
            state, reason = self._fixed(n)
            self.decision = StageDecision(state, reason, n, mean)
        return self.decision

    def _sequential(self, test: SequentialTest, score: float, n: int, mean: float) -> StageDecision:
        now = test.add(score)
        state, reason = StageState.OPEN, Reason.NONE
        if now.decision is not Decision.CONTINUE:
            passed = now.decision is Decision.ACCEPT_H1
            state, reason = (StageState.PASSED if passed else StageState.FAILED), Reason.LLR
        elif n >= self.stage.n_maps:
            state, reason = StageState.UNDECIDED, Reason.MAPS_USED_UP
        return StageDecision(state, reason, n, mean, now.llr, now.lower, now.upper)

    def _fixed(self, n: int) -> tuple[StageState, Reason]:
        stage, rule = self.stage, self.stage.rule
        assert not isinstance(rule, SprtRule)
        left = stage.n_maps - n
        lacking = needed_points(rule, stage.n_maps) - self._points
        if not left:
            if isinstance(rule, ScoreRule):
                return (StageState.PASSED if lacking <= _ROUNDING else StageState.FAILED), Reason.SCORE
            is_above = of_tally(self._tally, rule.confidence).low > rule.lower_bound
            return (StageState.PASSED if is_above else StageState.FAILED), Reason.LOWER_BOUND
        if isinstance(rule, ScoreRule) and lacking <= _ROUNDING:
            return StageState.PASSED, Reason.CERTAIN
        if lacking > left + _ROUNDING:
            return StageState.FAILED, Reason.CERTAIN
        if self._points < least_points(stage, n) - _ROUNDING:
            return StageState.FAILED, Reason.FUTILE
        return StageState.OPEN, Reason.NONE


class PrefixJudge:
    """Takes the maps of a stage in any order; the judge reads them in the order of their numbers, from 0.

    Keeps those that came before their turn, and nothing else. `n_beyond` counts maps past the deciding one: work that
    was done and is used by nothing.
    """

    __slots__ = ("_ahead", "_n_taken", "judge")

    def __init__(self, judge: StageJudge) -> None:
        self.judge = judge
        self._ahead: dict[int, float] = {}
        self._n_taken = 0

    @property
    def decision(self) -> StageDecision:
        """The stage after the prefix that is there."""
        return self.judge.decision

    @property
    def is_open(self) -> bool:
        """Whether more maps are wanted."""
        return self.judge.decision.state is StageState.OPEN

    @property
    def n_beyond(self) -> int:
        """How many maps were taken that the decision does not rest on, once there is one."""
        return 0 if self.is_open else self._n_taken - self.decision.n_maps

    def take(self, number: int, score: float) -> StageDecision:
        """Take map `number` of the plan. Raises ValueError for one that was taken before or is not in the stage."""
        taken = number < self.decision.n_maps or number in self._ahead
        if taken or number >= self.judge.stage.n_maps:
            raise ValueError(f"map {number} was taken before, or is not one of the {self.judge.stage.n_maps}")
        self._n_taken += 1
        self._ahead[number] = score
        self._feed()
        if not self.is_open:
            self._ahead.clear()
        return self.decision

    def _feed(self) -> None:
        """Let the judge read as far as there is no gap."""
        while self.is_open and self.decision.n_maps in self._ahead:
            self.judge.add(self._ahead.pop(self.decision.n_maps))

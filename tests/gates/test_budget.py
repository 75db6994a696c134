"""One error rate over several candidates."""

import math

import pytest

from harness.config.policy import (
    Budget,
    DuelStage,
    LowerBoundRule,
    PanelStage,
    Policy,
    ScoreRule,
    SprtRule,
    SprtUnit,
    StageKind,
)
from harness.gates.budget import NoErrorRateError, at_level, deciding_stage, level_of
from harness.stats.online_errors import lord_level

SCREEN = DuelStage(StageKind.SCREEN, "train", 100, ScoreRule(0.52))
CONFIRM = DuelStage(StageKind.CONFIRM, "validation", 4000, SprtRule(SprtUnit.NELO, 0, 10))
PANEL = PanelStage(("old",), "validation", 200, 0.03)
FINAL = DuelStage(StageKind.FINAL, "test", 512, LowerBoundRule(0.5))
POLICY = Policy((SCREEN, CONFIRM, PANEL))


def test_the_last_stage_with_an_error_rate_decides() -> None:
    assert deciding_stage(POLICY) is CONFIRM
    assert deciding_stage(Policy((SCREEN, CONFIRM, FINAL))) is FINAL
    assert deciding_stage(Policy((SCREEN,))) is None


def test_without_a_budget_everyone_has_the_whole_rate() -> None:
    level = level_of(POLICY, Budget.NONE, n_candidates=5, promoted=[False, True])
    assert (level.alpha, level.position) == (0.05, 3)
    assert at_level(POLICY, level) is POLICY


def test_an_equal_share_is_bonferroni() -> None:
    level = level_of(POLICY, Budget.EQUAL, n_candidates=4)
    stricter = at_level(POLICY, level)
    rule = stricter.stages[1]
    assert isinstance(rule, DuelStage)
    assert rule.rule == SprtRule(SprtUnit.NELO, 0, 10, alpha=0.0125)
    assert (stricter.stages[0], stricter.stages[2]) == (SCREEN, PANEL)


def test_a_lower_bound_gets_a_wider_interval() -> None:
    policy = Policy((SCREEN, FINAL))
    level = level_of(policy, Budget.EQUAL, n_candidates=5)
    assert level.alpha == pytest.approx(0.005)
    last = at_level(policy, level).stages[1]
    assert isinstance(last, DuelStage)
    assert isinstance(last.rule, LowerBoundRule)
    assert last.rule.confidence == pytest.approx(0.99)


def test_the_levels_of_an_endless_series_add_up_to_the_rate() -> None:
    levels = [level_of(POLICY, Budget.SPENDING, promoted=[False] * k).alpha for k in range(2000)]
    assert math.fsum(levels) == pytest.approx(0.05, rel=1e-3)
    assert math.fsum(levels) < 0.05


def test_lord_gives_levels_back_for_promotions() -> None:
    history = [False, True, False]
    assert level_of(POLICY, Budget.LORD, promoted=history).alpha == lord_level(history, 0.05)
    assert (
        level_of(POLICY, Budget.LORD, promoted=[False, True]).alpha
        > level_of(POLICY, Budget.LORD, promoted=[False, False]).alpha
    )


def test_a_score_to_reach_has_no_rate_to_share() -> None:
    policy = Policy((SCREEN,))
    assert at_level(policy, level_of(policy, Budget.NONE)) is policy
    with pytest.raises(NoErrorRateError, match="no stage states an error rate"):
        level_of(policy, Budget.EQUAL, n_candidates=2)

"""Stages decide on the prefix in plan order: the same decision after the same map, whatever finished first."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.config.policy import (
    DuelStage,
    LowerBoundRule,
    PanelStage,
    Policy,
    Rule,
    ScoreRule,
    SprtRule,
    SprtUnit,
    StageKind,
)
from harness.gates.decide import PrefixJudge, Reason, StageJudge, StageState, hoped_score, least_points
from harness.stats.intervals import map_t
from harness.stats.sequential import SequentialTest
from harness.stats.sprt_bounds import Decision, EloBounds, NeloBounds


def stage(rule: Rule, n_maps: int, futility: float = 0.0) -> DuelStage:
    return DuelStage(StageKind.SCREEN, "train", n_maps, rule, futility)


def judged(stage_: DuelStage, scores: list[float]) -> StageJudge:
    judge = StageJudge(stage_, 2)
    for score in scores:
        if judge.decision.state is not StageState.OPEN:
            break
        judge.add(score)
    return judge


# ------------------------------------------------------------------------------------------------ a fixed number


@pytest.mark.parametrize(("wins", "state"), [(52, StageState.PASSED), (51, StageState.FAILED)])
def test_a_score_is_reached_or_not(wins: int, state: StageState) -> None:
    scores = [1.0] * wins + [0.0] * (100 - wins)
    random.Random(3).shuffle(scores)
    decision = judged(stage(ScoreRule(0.52), 100), scores).decision
    assert decision.state is state


def test_the_last_map_may_decide() -> None:
    decision = judged(stage(ScoreRule(0.5), 2), [0.0, 1.0]).decision
    assert (decision.state, decision.reason, decision.n_maps) == (StageState.PASSED, Reason.SCORE, 2)
    decision = judged(stage(ScoreRule(0.5), 2), [0.25, 0.5]).decision
    assert (decision.state, decision.reason, decision.score) == (StageState.FAILED, Reason.SCORE, 0.375)


def test_maps_that_can_change_nothing_are_not_waited_for() -> None:
    passing = judged(stage(ScoreRule(0.52), 100), [1.0] * 100).decision
    assert (passing.state, passing.reason, passing.n_maps) == (StageState.PASSED, Reason.CERTAIN, 52)
    failing = judged(stage(ScoreRule(0.52), 100), [0.0] * 100).decision
    assert (failing.state, failing.reason, failing.n_maps) == (StageState.FAILED, Reason.CERTAIN, 49)


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=40), st.floats(0.05, 0.95))
def test_an_early_end_is_what_the_whole_stage_would_have_said(scores: list[float], threshold: float) -> None:
    decision = judged(stage(ScoreRule(threshold), len(scores)), scores).decision
    is_reached = sum(scores) >= threshold * len(scores) - 1e-9
    assert decision.state is (StageState.PASSED if is_reached else StageState.FAILED)


def test_thirds_that_add_up_reach_the_threshold() -> None:
    decision = judged(stage(ScoreRule(2 / 3), 3), [1 / 3, 2 / 3, 1.0]).decision
    assert decision.state is StageState.PASSED


@pytest.mark.parametrize("seed", range(6))
def test_a_lower_bound_is_the_end_of_the_interval_that_is_shown(seed: int) -> None:
    rng = random.Random(seed)
    scores = [rng.choice([0.0, 0.5, 0.5, 1.0, 1.0]) for _ in range(60)]
    judge = judged(stage(LowerBoundRule(0.5), 60), scores)
    assert judge.decision.reason is Reason.LOWER_BOUND
    assert (judge.decision.state is StageState.PASSED) == (map_t(scores).low > 0.5)
    assert judge.interval().low == map_t(scores).low


def test_a_lower_bound_out_of_reach_ends_early_and_a_sure_one_does_not() -> None:
    low = judged(stage(LowerBoundRule(0.5), 100), [0.0] * 100).decision
    assert (low.state, low.reason, low.n_maps) == (StageState.FAILED, Reason.CERTAIN, 51)
    high = judged(stage(LowerBoundRule(0.5), 100), [1.0] * 100).decision
    assert (high.state, high.reason, high.n_maps) == (StageState.PASSED, Reason.LOWER_BOUND, 100)


# ---------------------------------------------------------------------------------------------------- futility


def test_the_hopeless_are_given_up_early() -> None:
    losing = [0.0, 0.5] * 64
    without = judged(stage(ScoreRule(0.52), 128), losing).decision
    with_ = judged(stage(ScoreRule(0.52), 128, futility=0.02), losing).decision
    assert with_.reason is Reason.FUTILE
    assert without.reason is Reason.CERTAIN
    assert with_.n_maps < 0.5 * without.n_maps


def test_futility_is_the_chance_of_reaching_what_is_missing() -> None:
    given_up = stage(ScoreRule(0.5), 400, futility=0.02)
    border = least_points(given_up, 200)
    # at a true score of ½ the 200 maps left bring at most 100 + 2.054·√50 with 98 %
    assert border == pytest.approx(200 - (100 + 2.0537 * 200**0.5 * 0.5), abs=0.01)
    assert least_points(stage(ScoreRule(0.5), 400), 200) == 0.0
    assert least_points(given_up, 400) == -1.0


def test_what_a_stage_hopes_for() -> None:
    assert hoped_score(ScoreRule(0.52), 128) == 0.52
    assert hoped_score(LowerBoundRule(0.5), 512) == pytest.approx(0.5 + 1.9646 * 0.5 / 512**0.5, abs=1e-5)
    assert hoped_score(LowerBoundRule(0.5), 1) == 1.0


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_futility_gives_up_none_who_is_already_through(seed: int) -> None:
    rng = random.Random(seed)
    scores = [rng.choice([0.0, 0.5, 1.0]) for _ in range(50)]
    kept = judged(stage(ScoreRule(0.5), 50, futility=0.1), scores).decision
    whole = judged(stage(ScoreRule(0.5), 50), scores).decision
    if kept.state is StageState.PASSED:
        assert whole.state is StageState.PASSED
    else:
        assert kept.n_maps <= whole.n_maps


# -------------------------------------------------------------------------------------------------- sequential


@pytest.mark.parametrize("unit", list(SprtUnit))
def test_a_sequential_stage_is_the_sequential_test(unit: SprtUnit) -> None:
    rule = SprtRule(unit, 0.0, 60.0, 0.05, 0.1)
    judge = StageJudge(stage(rule, 5000), 2)
    bounds = EloBounds(0.0, 60.0) if unit is SprtUnit.ELO else NeloBounds(0.0, 60.0)
    test = SequentialTest(bounds, games_per_map=2, alpha=0.05, beta=0.1)
    rng = random.Random(5)
    while judge.decision.state is StageState.OPEN:
        score = rng.choice([0.25, 0.5, 0.5, 0.75, 1.0])
        judge.add(score)
        test.add(score)
    assert judge.decision.state is StageState.PASSED
    assert test.state.decision is Decision.ACCEPT_H1
    assert (judge.decision.n_maps, judge.decision.llr) == (test.state.n_maps, test.state.llr)
    assert judge.decision.reason is Reason.LLR


def test_a_cap_leaves_a_sequential_stage_undecided() -> None:
    judge = judged(stage(SprtRule(SprtUnit.NELO, 0, 10), 20), [0.5, 0.25, 0.75, 0.5] * 5)
    assert judge.decision.state is StageState.UNDECIDED
    assert judge.decision.reason is Reason.MAPS_USED_UP
    assert judge.decision.n_maps == 20
    assert judge.decision.llr is not None


def test_nothing_counts_after_the_decision() -> None:
    judge = judged(stage(ScoreRule(0.5), 2), [1.0, 1.0])
    with pytest.raises(ValueError, match="ended after 1 maps"):
        judge.add(0.0)


# ------------------------------------------------------------------------------------------------ arrival order


RULES: list[tuple[Rule, float]] = [
    (ScoreRule(0.5), 0.0),
    (ScoreRule(0.52), 0.05),
    (LowerBoundRule(0.45, 0.9), 0.01),
    (SprtRule(SprtUnit.NELO, 0, 100), 0.0),
]


@given(st.sampled_from(RULES), st.integers(0, 10**6), st.integers(1, 60))
def test_any_order_of_arrival_gives_one_decision(rule: tuple[Rule, float], seed: int, n_maps: int) -> None:
    rng = random.Random(seed)
    scores = [rng.choice([0.0, 0.25, 0.5, 0.75, 1.0]) for _ in range(n_maps)]
    wanted = judged(stage(rule[0], n_maps, rule[1]), scores).decision
    order = list(range(n_maps))
    rng.shuffle(order)
    reader = PrefixJudge(StageJudge(stage(rule[0], n_maps, rule[1]), 2))
    for number in order:
        reader.take(number, scores[number])
    assert reader.decision == wanted
    assert reader.n_beyond == n_maps - wanted.n_maps


def test_short_games_are_not_counted_first() -> None:
    """Wins that finish early wait for the slow losses before them."""
    reader = PrefixJudge(StageJudge(stage(ScoreRule(0.5), 10), 2))
    for number in range(1, 10):
        reader.take(number, 1.0)
    assert reader.is_open
    assert reader.decision.n_maps == 0
    assert reader.take(0, 0.0).state is StageState.PASSED
    assert reader.decision.n_maps == 6
    assert reader.n_beyond == 4


@pytest.mark.parametrize("number", [0, 2, 5, -1])
def test_a_map_is_taken_once_and_only_if_it_is_in_the_stage(number: int) -> None:
    reader = PrefixJudge(StageJudge(stage(ScoreRule(0.5), 5), 2))
    reader.take(0, 0.5)
    reader.take(2, 0.5)
    with pytest.raises(ValueError, match="was taken before, or is not one of the 5"):
        reader.take(number, 0.5)


# ----------------------------------------------------------------------------------------- what is no policy


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ScoreRule(1.0), "score is 1.0"),
        (lambda: SprtRule(SprtUnit.NELO, 10, 10), "nelo0 is 10"),
        (lambda: SprtRule(SprtUnit.ELO, 0, 10, alpha=0.6, beta=0.5), "alpha . beta"),
        (lambda: SprtRule(SprtUnit.ELO, 0, 10, alpha=0.0), "alpha is 0.0"),
        (lambda: LowerBoundRule(0.5, 1.0), "confidence is 1.0"),
        (lambda: stage(ScoreRule(0.5), 0), "n_maps is 0"),
        (lambda: stage(ScoreRule(0.5), 5, futility=0.5), "futility is 0.5"),
        (lambda: stage(SprtRule(SprtUnit.ELO, 0, 10), 5, futility=0.1), "takes no futility"),
        (lambda: DuelStage(StageKind.PANEL, "train", 5, ScoreRule(0.5)), "is a PanelStage"),
        (lambda: PanelStage(("a", "a"), "train", 5, 0.03), "each once"),
        (lambda: PanelStage(("a",), "train", 5, 0.0), "margin is 0.0"),
        (lambda: Policy((PanelStage(("a",), "train", 5, 0.03),)), "no stage meets the champion"),
        (lambda: Policy(()), "no stage meets the champion"),
        (lambda: Policy((stage(ScoreRule(0.5), 5), stage(ScoreRule(0.5), 5))), "each once"),
    ],
)
def test_what_cannot_be_meant_is_refused(make: object, words: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=words):
        make()

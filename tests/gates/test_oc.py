"""What a policy is said to do against exact numbers from outside, and against whole gates that are played out."""

import itertools
import math
from random import Random

import numpy as np
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
from harness.gates.decide import StageJudge, StageState
from harness.gates.laws import law_at, law_from_counts
from harness.gates.oc import (
    N_RUNS,
    TRUE_SCORES,
    GateChance,
    Method,
    compute_characteristic,
    false_promotions_per_100,
    gate_chance,
    walk_stage,
)
from harness.gates.panel import PanelState, compare_panel
from harness.stats.lattice_plan import MapLaw, game_law, pair_law, plan_sprt_exactly
from harness.stats.sprt_bounds import NeloBounds
from tests.stats.vectors import vector


def duel(rule: Rule, n_maps: int, kind: StageKind = StageKind.SCREEN, futility: float = 0.0) -> DuelStage:
    return DuelStage(kind, "train", n_maps, rule, futility)


# --------------------------------------------------------------------------------------- numbers from outside


def test_a_screen_and_a_confirm_stage_exactly() -> None:
    case = vector("gate_two_stage_exact")
    policy = Policy(
        (
            duel(ScoreRule(case.input["screen_min_wins"] / 200), 200),
            duel(ScoreRule(case.input["confirm_min_wins"] / 800), 800, StageKind.CONFIRM),
        )
    )
    for rate in case.input["true_win_rates"]:
        got, wanted = gate_chance(policy, game_law(rate)), case.expected[str(rate)]
        assert case.close(got.stages[0].passes, wanted["screen"])
        assert case.close(got.stages[1].passes, wanted["confirm"])
        assert case.close(got.promotes, wanted["promote"])
        assert got.expected_games < wanted["expected_games"]  # these stop when the rest can change nothing
        assert got.undecided == 0.0


def test_the_leak_of_a_single_test() -> None:
    case = vector("gate_leak_512")
    got = gate_chance(Policy((duel(ScoreRule(0.52), 512),)), game_law(0.5))
    assert case.close(got.promotes, case.expected["pass_probability"])
    assert got.stages[0].method is Method.EXACT


def test_a_sequential_stage_is_the_lattice_plan() -> None:
    law = pair_law(0.42, 0.4)
    plan = plan_sprt_exactly(NeloBounds(0, 60), law, max_maps=400)
    got = gate_chance(Policy((duel(SprtRule(SprtUnit.NELO, 0, 60), 400),)), law)
    assert got.promotes == pytest.approx(plan.pass_probability, abs=1e-12)
    assert got.undecided == pytest.approx(plan.undecided, abs=1e-11)
    assert got.expected_jobs == pytest.approx(plan.expected_maps, rel=1e-9)
    assert (got.median_jobs, got.p90_jobs) == (plan.median_maps, plan.p90_maps)


# -------------------------------------------------------------------------------------- every outcome, counted


def played_out(stage: DuelStage, law: MapLaw) -> tuple[float, float, float, float]:
    """Pass, fail, undecided, expected maps, by running the judge on every possible series of maps."""
    passed = failed = undecided = maps = 0.0
    todo: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while todo:
        series, chance = todo.pop()
        judge = StageJudge(stage, law.games_per_map)
        for value in series:
            judge.add(value / law.steps)
        if judge.decision.state is StageState.OPEN:
            todo += [((*series, value), chance * p) for value, p in enumerate(law.probabilities) if p]
            continue
        passed += chance * (judge.decision.state is StageState.PASSED)
        failed += chance * (judge.decision.state is StageState.FAILED)
        undecided += chance * (judge.decision.state is StageState.UNDECIDED)
        maps += chance * judge.decision.n_maps
    return passed, failed, undecided, maps


@pytest.mark.parametrize(
    ("rule", "n_maps", "futility"),
    [
        (ScoreRule(0.5), 6, 0.0),
        (ScoreRule(0.6), 6, 0.2),
        (ScoreRule(0.34), 5, 0.0),
    ],
)
@pytest.mark.parametrize(
    "law", [game_law(0.6), game_law(0.5, 0.3), pair_law(0.3, 0.5)], ids=["win/loss", "draws", "pairs"]
)
def test_fixed_stages_count_every_series(rule: Rule, n_maps: int, futility: float, law: MapLaw) -> None:
    stage = duel(rule, n_maps, futility=futility)
    passed, failed, undecided, maps = played_out(stage, law)
    (got,) = gate_chance(Policy((stage,)), law).stages
    assert got.passes == pytest.approx(passed, abs=1e-12)
    assert got.fails == pytest.approx(failed, abs=1e-12)
    assert got.undecided == undecided == 0.0
    assert got.expected_maps == pytest.approx(maps, abs=1e-12)


@pytest.mark.parametrize("futility", [0.0, 0.2])
def test_a_lower_bound_on_wins_and_losses_counts_every_series(futility: float) -> None:
    stage = duel(LowerBoundRule(0.4, 0.8), 10, futility=futility)
    passed, failed, _, maps = played_out(stage, game_law(0.7))
    (got,) = gate_chance(Policy((stage,)), game_law(0.7)).stages
    assert got.method is Method.EXACT
    assert got.passes == pytest.approx(passed, abs=1e-12)
    assert got.fails == pytest.approx(failed, abs=1e-12)
    assert got.expected_maps == pytest.approx(maps, abs=1e-12)


def test_a_lower_bound_on_pairs_is_simulated_and_agrees_with_every_outcome() -> None:
    law, n_maps, rule = pair_law(0.5, 0.3), 24, LowerBoundRule(0.5, 0.9)
    whole = 0.0
    for counts in itertools.product(range(n_maps + 1), repeat=4):
        if sum(counts) > n_maps:
            continue
        cells = (*counts, n_maps - sum(counts))
        mean = sum(index * count for index, count in enumerate(cells)) / 4 / n_maps
        if mean <= 0.5:
            continue
        variance = sum(count * (index / 4 - mean) ** 2 for index, count in enumerate(cells)) / (n_maps - 1)
        if mean - 1.7138715277 * math.sqrt(variance / n_maps) > 0.5:
            ways = math.lgamma(n_maps + 1) - sum(math.lgamma(count + 1) for count in cells)
            logs = sum(c * math.log(p) for c, p in zip(cells, law.probabilities, strict=True))
            whole += math.exp(ways + logs)
    (got,) = gate_chance(Policy((duel(rule, n_maps),)), law).stages
    assert got.method is Method.SIMULATED
    assert got.passes == pytest.approx(whole, abs=0.006)


@given(st.floats(0.3, 0.7), st.floats(0, 0.6), st.integers(2, 60), st.sampled_from([0.0, 0.02, 0.2]))
@settings(max_examples=30)
def test_probabilities_add_up(score: float, draws: float, n_maps: int, futility: float) -> None:
    law = law_at(score, draw_share=draws, games_per_map=2)
    for rule in (ScoreRule(0.52), LowerBoundRule(0.5)):
        walk, _ = walk_stage(duel(rule, n_maps, futility=futility), law)
        assert walk.left == 0.0
        assert float(walk.passed.sum() + walk.failed.sum()) == pytest.approx(1.0, abs=1e-9)
        assert (walk.passed >= 0).all()
        assert (walk.failed >= -1e-15).all()


def test_futility_saves_maps_and_costs_little_power() -> None:
    plain = gate_chance(Policy((duel(ScoreRule(0.52), 400),)), law_at(0.48, draw_share=0.3, games_per_map=2))
    cut = gate_chance(
        Policy((duel(ScoreRule(0.52), 400, futility=0.05),)), law_at(0.48, draw_share=0.3, games_per_map=2)
    )
    assert cut.expected_jobs < 0.7 * plain.expected_jobs
    good = law_at(0.55, draw_share=0.3, games_per_map=2)
    whole = gate_chance(Policy((duel(ScoreRule(0.52), 400),)), good).promotes
    kept = gate_chance(Policy((duel(ScoreRule(0.52), 400, futility=0.05),)), good).promotes
    assert whole - 0.01 < kept < whole


# ---------------------------------------------------------------------------------------- gates played by chance


def simulate(policy: Policy, law: MapLaw, n_runs: int, seed: int) -> tuple[float, float]:
    """Share promoted and mean maps, by the real judges on made-up maps."""
    rng = Random(seed)
    values = [index / law.steps for index in range(law.steps + 1)]
    promoted = maps = 0
    for _ in range(n_runs):
        for stage in policy.stages:
            assert isinstance(stage, DuelStage)
            judge = StageJudge(stage, law.games_per_map)
            while judge.decision.state is StageState.OPEN:
                judge.add(rng.choices(values, law.probabilities)[0])
            maps += judge.decision.n_maps
            if judge.decision.state is not StageState.PASSED:
                break
        else:
            promoted += 1
    return promoted / n_runs, maps / n_runs


TWO_STAGES = Policy((duel(ScoreRule(0.51), 40), duel(LowerBoundRule(0.5, 0.9), 80, StageKind.CONFIRM, 0.05)))
SEQUENTIAL = Policy((duel(ScoreRule(0.5), 20), duel(SprtRule(SprtUnit.NELO, 0, 140), 300, StageKind.CONFIRM)))


@pytest.mark.parametrize(
    ("policy", "score"), [(TWO_STAGES, 0.5), (TWO_STAGES, 0.56), (SEQUENTIAL, 0.5), (SEQUENTIAL, 0.6)]
)
def test_played_gates_do_what_was_said(policy: Policy, score: float) -> None:
    law = law_at(score, draw_share=0.3, games_per_map=2)
    wanted = gate_chance(policy, law)
    promoted, maps = simulate(policy, law, 300, seed=11)
    error = math.sqrt(wanted.promotes * (1 - wanted.promotes) / 300)
    # a sequential test that measures its own spread takes a little more than one that knows it
    assert abs(promoted - wanted.promotes) < 3.5 * error + (0.02 if policy is SEQUENTIAL else 0.0)
    assert 0.9 * wanted.expected_jobs < maps < 1.2 * wanted.expected_jobs


def test_the_panel_does_what_was_said() -> None:
    stage = PanelStage(("old", "older", "twin"), "validation", 120, 0.06)
    policy = Policy((duel(ScoreRule(0.01), 1), stage))
    law = law_at(0.52, draw_share=0.2, games_per_map=2)
    chance = gate_chance(policy, law, draw_share=0.2, champion_scores={"old": 0.6}).stages[1]
    assert chance.method is Method.SIMULATED
    rng = np.random.default_rng(4)
    from harness.stats.elo import elo_of_score, to_score

    def scores(gain: float) -> dict[str, dict[int, float]]:
        result = {}
        for bot in stage.bots:
            true = to_score(elo_of_score(0.6 if bot == "old" else 0.5) + gain)
            made = rng.choice(5, size=120, p=law_at(true, draw_share=0.2, games_per_map=2).probabilities) / 4
            result[bot] = dict(enumerate(made.tolist()))
        return result

    n = 250
    passed = sum(
        compare_panel(stage, scores(elo_of_score(0.52)), scores(0.0)).state is PanelState.PASSED for _ in range(n)
    )
    assert passed / n == pytest.approx(chance.passes, abs=3.5 * 0.5 / math.sqrt(n))
    assert 0.2 < chance.passes < 0.95


# ----------------------------------------------------------------------------------------------- the whole table


def test_the_stronger_the_likelier() -> None:
    policy = Policy(
        (
            duel(ScoreRule(0.52), 64, futility=0.02),
            duel(SprtRule(SprtUnit.NELO, 0, 40), 500, StageKind.CONFIRM),
            PanelStage(("old", "older"), "validation", 200, 0.05),
            DuelStage(StageKind.FINAL, "test", 256, LowerBoundRule(0.5)),
        )
    )
    rows = compute_characteristic(policy, draw_share=0.3)
    assert [round(row.true_score, 9) for row in rows] == list(TRUE_SCORES)
    chances = [row.promotes for row in rows]
    assert chances == sorted(chances)
    assert chances[0] < 1e-3
    assert chances[-1] > 0.9
    for row in rows:
        assert row.median_jobs <= row.p90_jobs
        assert row.expected_jobs <= 64 + 500 + 800 + 256
        assert math.prod(stage.passes for stage in row.stages) == pytest.approx(row.promotes, abs=1e-9)
    assert false_promotions_per_100(policy, draw_share=0.3) == pytest.approx(100 * chances[2], abs=1e-9)


def test_the_same_question_has_the_same_answer() -> None:
    policy = Policy((duel(LowerBoundRule(0.5), 100), PanelStage(("old",), "validation", 100, 0.05)))
    first, second = (compute_characteristic(policy, (0.55,)) for _ in range(2))
    assert first == second
    assert isinstance(first[0], GateChance)
    assert N_RUNS >= 10_000


# ---------------------------------------------------------------------------------------------------- the laws


@given(st.floats(0.02, 0.98), st.floats(0, 1), st.sampled_from([1, 2]))
def test_a_law_has_the_score_that_was_asked_for(score: float, draws: float, games: int) -> None:
    law = law_at(score, draw_share=draws, games_per_map=games)
    assert law.mean == pytest.approx(score, abs=1e-9)


@given(st.lists(st.integers(0, 500), min_size=3, max_size=9).filter(lambda c: sum(c) > 0), st.floats(0.05, 0.95))
def test_measured_counts_are_tilted_to_a_score(counts: list[int], score: float) -> None:
    assert law_from_counts(counts, score, games_per_map=2).mean == pytest.approx(score, abs=1e-6)


def test_tilting_to_the_measured_score_changes_nothing() -> None:
    counts = (100, 200, 300, 250, 150)
    mean = sum(index * count for index, count in enumerate(counts)) / 4000
    law = law_from_counts(counts, mean, games_per_map=2)
    assert law.probabilities == pytest.approx([count / 1000 for count in counts], abs=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: law_at(0.0, draw_share=0.1, games_per_map=2), "score is 0.0"),
        (lambda: law_at(0.5, draw_share=0.1, games_per_map=6), "games_per_map is 6"),
        (lambda: law_from_counts([0, 0], 0.5, games_per_map=2), "two cells or more"),
        (lambda: law_from_counts([1, 1], 1.0, games_per_map=2), "score is 1.0"),
        (lambda: walk_stage(duel(SprtRule(SprtUnit.ELO, 0, 10), 5), MapLaw((0.0, 1.0, 0.0), 2)), "no spread"),
    ],
)
def test_what_has_no_law(call: object, words: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=words):
        call()

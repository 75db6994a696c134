"""What tests of known size, gates and sequential tests will do, against exact sums and other tools."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.stats import group_sequential as looks
from harness.stats import lattice_plan, sprt_plan
from harness.stats.arguments import StatsInputError
from harness.stats.distributions import binomial_at_least
from harness.stats.elo import to_score
from harness.stats.group_sequential import Shape
from harness.stats.lattice_plan import FixedStage, MapLaw, game_law, pair_law, plan_gate, plan_sprt_exactly
from harness.stats.sequential import SequentialTest
from harness.stats.sprt_bounds import BayesEloBounds, Bounds, Decision, EloBounds, NeloBounds
from harness.stats.sprt_plan import game_variance, map_sd_of_pairs, plan_sprt
from tests.stats.vectors import Vector, vector, vectors


@pytest.mark.parametrize("case", vectors("sprt_oc_"), ids=lambda case: case.id)
def test_operating_characteristic_of_a_sequential_test(case: Vector) -> None:
    given_ = case.input
    low, high = given_["elo0"], given_["elo1"]
    bounds: Bounds = EloBounds(low, high) if given_["model"] == "Logistic" else NeloBounds(low, high)
    plan = plan_sprt(
        bounds,
        to_score(given_["true_elo"]),
        map_sd=math.sqrt(game_variance(given_["draw_ratio"], given_["rms_bias_elo"])),
        games_per_map=1,
        alpha=given_["alpha"],
        beta=given_["beta"],
    )
    assert case.close(plan.pass_probability, case.expected["pass_probability"])
    assert case.close(plan.expected_games, case.expected["expected_games"])
    assert plan.median_maps < plan.expected_maps < plan.p90_maps


def test_a_sequential_test_that_is_half_done_needs_fewer_maps() -> None:
    bounds = NeloBounds(0, 10)
    whole = plan_sprt(bounds, 0.51, map_sd=0.25, games_per_map=2)
    rest = plan_sprt(bounds, 0.51, map_sd=0.25, games_per_map=2, llr_now=2.0)
    assert rest.expected_maps < whole.expected_maps
    assert rest.pass_probability > whole.pass_probability


@pytest.mark.parametrize("nelo1", [30.0, 60.0])
@pytest.mark.parametrize("passing", [False, True])
def test_steps_and_brownian_motion_agree_once_the_overshoot_counts(nelo1: float, passing: bool) -> None:
    bounds = NeloBounds(0.0, nelo1)
    score = bounds.scores(map_sd_of_pairs(0.4), 2)[passing]
    law = pair_law(score - 0.2, 0.4)
    stepped = plan_sprt_exactly(bounds, law)
    smooth = plan_sprt(bounds, score, map_sd=law.sd, games_per_map=2, count_overshoot=True)
    assert stepped.pass_probability == pytest.approx(smooth.pass_probability, abs=0.004)
    assert stepped.expected_maps == pytest.approx(smooth.expected_maps, rel=0.03)
    assert stepped.median_maps == pytest.approx(smooth.median_maps, rel=0.04)
    assert stepped.p90_maps == pytest.approx(smooth.p90_maps, rel=0.04)
    assert stepped.undecided == 0.0


def test_the_stepped_plan_is_what_the_test_does() -> None:
    # 400 runs of the real test: the standard error of a share near ½ is 2.5 points
    bounds = NeloBounds(0.0, 120.0)
    law = pair_law(0.42, 0.4)
    plan = plan_sprt_exactly(bounds, law)
    rng = np.random.default_rng(17)
    passed, maps = 0, []
    for _ in range(400):
        test = SequentialTest(bounds, games_per_map=2)
        while test.state.decision is Decision.CONTINUE:
            test.add(float(rng.choice(5, p=law.probabilities)) / 4)
        passed += test.state.decision is Decision.ACCEPT_H1
        maps.append(test.state.n_maps)
    assert passed / 400 == pytest.approx(plan.pass_probability, abs=0.06)
    # the test measures its variance, which costs a little more than the plan knows
    assert 0.9 * plan.expected_maps < np.mean(maps) < 1.25 * plan.expected_maps


def test_a_cap_leaves_some_runs_undecided() -> None:
    plan = plan_sprt_exactly(NeloBounds(0, 10), pair_law(0.3, 0.4), max_maps=200)
    assert plan.undecided > 0.5
    assert plan.p90_maps == 200
    assert plan.expected_maps <= 200


def test_two_stage_gate_exactly() -> None:
    case = vector("gate_two_stage_exact")
    stages = (
        FixedStage(case.input["screen_games"], case.input["screen_min_wins"]),
        FixedStage(case.input["confirm_games"], case.input["confirm_min_wins"]),
    )
    for rate in case.input["true_win_rates"]:
        got, wanted = plan_gate(stages, game_law(rate)), case.expected[str(rate)]
        assert case.close(got.stage_pass[0], wanted["screen"])
        assert case.close(got.stage_pass[1], wanted["confirm"])
        assert case.close(got.promote, wanted["promote"])
        assert case.close(got.expected_games, wanted["expected_games"])
        assert got.last_score_if_promoted is not None
        assert case.close(got.last_score_if_promoted, wanted["expected_confirm_rate_given_promoted"])


def test_the_leak_of_a_single_test() -> None:
    case = vector("gate_leak_512")
    games, threshold = case.input["games"], case.input["threshold"]
    needed = lattice_plan.points_for_score(games, threshold)
    assert needed == case.expected["wins_needed"]
    got = plan_gate([FixedStage(games, needed)], game_law(0.5)).promote
    assert case.close(got, case.expected["pass_probability"])
    assert got == pytest.approx(binomial_at_least(int(needed), games, 0.5), abs=1e-12)


def test_points_needed() -> None:
    assert lattice_plan.points_for_z(800, 1.645, 0.5) == 424
    assert lattice_plan.points_for_score(10, 0.5) == 5
    assert lattice_plan.points_for_score(10, 0.52, steps=4) == 5.25


@given(st.lists(st.integers(1, 9), min_size=2, max_size=5), st.integers(1, 5), st.floats(0, 5))
@settings(max_examples=40)
def test_a_gate_counts_every_outcome(weights: list[int], n_maps: int, min_points: float) -> None:
    law = MapLaw(tuple(weight / sum(weights) for weight in weights), 2)
    threshold = min(min_points, n_maps)
    wanted = 0.0
    for outcome in itertools.product(range(law.steps + 1), repeat=n_maps):
        if sum(outcome) / law.steps >= threshold - 1e-9:
            wanted += math.prod(law.probabilities[index] for index in outcome)
    got = plan_gate([FixedStage(n_maps, threshold)], law)
    assert got.promote == pytest.approx(wanted, abs=1e-12)
    assert got.expected_games == 2 * n_maps


def test_a_gate_that_nothing_passes_has_no_conditional_score() -> None:
    got = plan_gate([FixedStage(5, 5)], game_law(0.0))
    assert (got.promote, got.last_score_if_promoted) == (0.0, None)


def test_laws() -> None:
    assert game_law(0.3, 0.4).mean == pytest.approx(0.5)
    pairs = pair_law(0.35, 0.4)
    assert pairs.mean == pytest.approx(0.55)
    assert pairs.sd == pytest.approx(game_law(0.35, 0.4).sd / math.sqrt(2))
    assert map_sd_of_pairs(0.4) == pytest.approx(pair_law(0.3, 0.4).sd)
    assert game_variance(0.49, 191) < game_variance(0.49)


def test_group_sequential_limits() -> None:
    case = vector("group_sequential_K2")
    shares = looks.equal_looks(case.input["K"])
    pocock = looks.plan_looks(shares, Shape.POCOCK, alpha=case.input["alpha"])
    fleming = looks.plan_looks(shares, Shape.OBRIEN_FLEMING, alpha=case.input["alpha"])
    assert case.close(pocock.z_limits[0], case.expected["pocock"])
    assert case.close(fleming.z_limits[-1], case.expected["obrien_fleming"])
    z = 1.959963984540054
    assert case.close(looks.size_of(shares, (z, z)), case.expected["size_if_1_96_each_look"], tolerance=1e-7)


@pytest.mark.parametrize(("n_looks", "pocock", "fleming"), [(3, 2.289, 2.004), (4, 2.361, 2.024), (5, 2.413, 2.040)])
def test_tabled_constants(n_looks: int, pocock: float, fleming: float) -> None:
    # Jennison and Turnbull (2000), tables 2.1 and 2.3
    shares = looks.equal_looks(n_looks)
    got = looks.plan_looks(shares, Shape.POCOCK)
    assert got.z_limits == pytest.approx((pocock,) * n_looks, abs=6e-4)
    assert got.spent[-1] == pytest.approx(0.05, abs=1e-8)
    assert looks.plan_looks(shares, Shape.OBRIEN_FLEMING).z_limits[-1] == pytest.approx(fleming, abs=6e-4)


def test_spending_limits_and_one_side() -> None:
    # the limits of Lan and DeMets' paper for five equal looks at 5 %, two-sided
    got = looks.plan_looks_by_spending(looks.equal_looks(5), Shape.OBRIEN_FLEMING)
    assert got.z_limits == pytest.approx((4.877, 3.357, 2.680, 2.290, 2.031), abs=6e-4)
    pocock = looks.plan_looks_by_spending(looks.equal_looks(5), Shape.POCOCK)
    assert pocock.z_limits == pytest.approx((2.438, 2.427, 2.410, 2.397, 2.386), abs=6e-4)
    one_sided = looks.plan_looks((1 / 3, 2 / 3, 1.0), Shape.OBRIEN_FLEMING, alpha=0.025, two_sided=False)
    assert one_sided.z_limits == pytest.approx((3.471, 2.454, 2.004), abs=6e-4)
    uneven = looks.plan_looks_by_spending((0.25, 0.9, 1.0), Shape.OBRIEN_FLEMING)
    assert uneven.spent[-1] == pytest.approx(0.05, abs=1e-8)


def test_one_look_is_the_usual_test_and_power_is_its_own() -> None:
    plan = looks.plan_looks((1.0,), Shape.POCOCK)
    assert plan.z_limits[0] == pytest.approx(1.959963984540054, abs=1e-6)
    assert looks.power_of(plan, 2.8015852) == pytest.approx(0.8, abs=1e-4)
    three = looks.plan_looks(looks.equal_looks(3), Shape.OBRIEN_FLEMING)
    assert 0.78 < looks.power_of(three, 2.8015852) < 0.8


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: game_variance(1.0), "leaves no variance"),
        (lambda: game_variance(1.5), "draw_share is 1.5"),
        (lambda: plan_sprt(BayesEloBounds(0, 5), 0.5, map_sd=0.3, games_per_map=1), "BayesElo bounds have no mean"),
        (lambda: plan_sprt(EloBounds(0, 5), 1.0, map_sd=0.3, games_per_map=1), "true_score is 1.0"),
        (lambda: plan_sprt(EloBounds(0, 5), 0.5, map_sd=0.0, games_per_map=1), "map_sd is 0.0"),
        (lambda: plan_sprt(EloBounds(0, 5), 0.5, map_sd=0.3, games_per_map=1, llr_now=9.0), "start is 9.0"),
        (lambda: plan_sprt_exactly(EloBounds(0, 5), MapLaw((0.0, 1.0, 0.0), 1)), "no spread"),
        (lambda: MapLaw((0.5, 0.6), 1), "sum to 1.1"),
        (lambda: MapLaw((1.0,), 1), "1 entries"),
        (lambda: MapLaw((0.5, 0.5), 0), "games_per_map is 0"),
        (lambda: plan_gate([], game_law(0.5)), "stages is empty"),
        (lambda: FixedStage(0, 0), "n_maps is 0"),
        (lambda: FixedStage(5, -1), "min_points is -1"),
        (lambda: looks.plan_looks((0.5, 0.4, 1.0), Shape.POCOCK), "rising numbers"),
        (lambda: looks.plan_looks((0.5, 0.9), Shape.POCOCK), "the last of shares is 0.9"),
        (lambda: looks.plan_looks((1.0,), Shape.POCOCK, alpha=0.0), "alpha is 0.0"),
        (lambda: looks.size_of((0.5, 1.0), (2.0,)), "they must agree"),
        (lambda: looks.equal_looks(0), "n_looks is 0"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()


def test_the_curve_of_a_test_rises() -> None:
    plans = sprt_plan.sprt_curve(EloBounds(0, 10), (0.49, 0.5, 0.51, 0.52), map_sd=0.3, games_per_map=2)
    passing = [plan.pass_probability for plan in plans]
    assert passing == sorted(passing)

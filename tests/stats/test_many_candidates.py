"""Error rates over many candidates, and what selection does to an estimate."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from harness.stats import online_errors, selection
from harness.stats.arguments import StatsInputError
from harness.stats.holm import holm
from harness.stats.selection import CorrectionState
from tests.stats.vectors import vector

# The example of the R package onlineFDR's manual pages for LORD and SAFFRON, with the levels it prints
P_VALUES = (
    2.90e-08, 0.06743, 0.01514, 0.08174, 0.00171, 3.60e-05, 0.79149, 0.27201,
    0.28295, 7.59e-08, 0.69274, 0.30443, 0.00136, 0.72342, 0.54757,
)  # fmt: skip
LORD_LEVELS = (
    0.0002675839, 0.0024664457, 0.0005732818, 0.0004872805, 0.0004059066, 0.0003447286, 0.0029745013, 0.0008450114,
    0.0007305648, 0.0006243143, 0.0032185913, 0.0010617227, 0.0009256825, 0.0008019657, 0.0007059610,
)  # fmt: skip
SAFFRON_LEVELS = (
    0.005468627, 0.010937254, 0.010937254, 0.010937254, 0.010937254, 0.021874508, 0.032811762, 0.010823845,
    0.010823845, 0.010823845, 0.021761099, 0.009265591, 0.009265591, 0.020202846, 0.009064367,
)  # fmt: skip


def test_lord_gives_the_levels_of_its_reference() -> None:
    promoted: list[bool] = []
    for p, wanted in zip(P_VALUES, LORD_LEVELS, strict=True):
        level = online_errors.lord_level(promoted, 0.05, start=0.005)
        assert level == pytest.approx(wanted, abs=6e-11)
        promoted.append(p <= level)
    assert [index + 1 for index, yes in enumerate(promoted) if yes] == [1, 6, 10]


def test_saffron_gives_the_levels_of_its_reference() -> None:
    for index, wanted in enumerate(SAFFRON_LEVELS):
        assert online_errors.saffron_level(P_VALUES[:index]) == pytest.approx(wanted, abs=6e-10)


def test_weights_are_spent_once() -> None:
    # beyond 20,000 the series is ∫ s·e^(−√s) ds = 2·e^(−u)·(u³ + 3u² + 6u + 6), u = √ln 20,000, times the scale
    u = math.sqrt(math.log(20_000.5))
    tail = 2 * math.exp(-u) * (u**3 + 3 * u**2 + 6 * u + 6) * 0.07720838
    assert sum(online_errors.lord_weights(20_000)) + tail == pytest.approx(0.976, abs=5e-4)
    weights = online_errors.saffron_weights(1000)
    assert weights[0] == pytest.approx(1 / special.zeta(1.6), rel=1e-12)
    assert weights == sorted(weights, reverse=True)


def test_spent_levels_add_up_to_the_whole_error() -> None:
    total = math.fsum(online_errors.spending_level(k) for k in range(1, 200_000))
    assert total == pytest.approx(0.05, abs=2e-7)
    assert online_errors.spending_level(1) == pytest.approx(6 * 0.05 / math.pi**2)


@given(st.lists(st.booleans(), max_size=30))
def test_a_promotion_raises_the_next_level_and_never_beyond_alpha(promoted: list[bool]) -> None:
    without = online_errors.lord_level([*promoted, False])
    assert 0.0 < without < online_errors.lord_level([*promoted, True]) < 0.05


@given(st.lists(st.floats(0, 1), max_size=30))
def test_saffron_levels_stay_below_their_ceiling(p_values: list[float]) -> None:
    assert 0.0 < online_errors.saffron_level(p_values) <= 0.5


@pytest.mark.parametrize("procedure", ["lord", "saffron", "spending"])
def test_equal_candidates_are_rarely_promoted(procedure: str) -> None:
    # all null: the false discovery rate is the chance of any promotion, at most 5 %; 400 series, error 1.1 points
    rng = np.random.default_rng(9)
    series = 0
    for _ in range(400):
        p_values: list[float] = []
        promoted: list[bool] = []
        for index in range(25):
            if procedure == "lord":
                level = online_errors.lord_level(promoted)
            elif procedure == "saffron":
                level = online_errors.saffron_level(p_values)
            else:
                level = online_errors.spending_level(index + 1)
            p_values.append(float(rng.uniform()))
            promoted.append(p_values[-1] <= level)
            if promoted[-1]:
                series += 1
                break
    assert series <= 32


def test_holm() -> None:
    assert holm((0.01, 0.04, 0.03, 0.005)) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm(()) == ()
    assert holm((0.9, 0.8)) == (1.0, 1.0)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_lies_between_no_correction_and_bonferroni(p_values: list[float]) -> None:
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        assert p <= adjusted <= min(1.0, len(p_values) * p) + 1e-12


def test_best_of_ten_equal_bots() -> None:
    case = vector("winners_curse_10x200")
    candidates, games = case.input["candidates"], case.input["games"]
    best = selection.best_of_equal(candidates, games)
    assert case.close(best, case.expected["expected_best"])
    normal = 0.5 + selection.best_of_equal_normal(candidates, 0.5 / math.sqrt(games))
    assert normal == pytest.approx(best, abs=1e-3)
    assert selection.best_of_equal(1, 40, 0.3) == pytest.approx(0.3)


def test_best_of_equal_normal_is_the_largest_of_k() -> None:
    assert selection.best_of_equal_normal(1, 1.0) == pytest.approx(0.0, abs=1e-12)
    assert selection.best_of_equal_normal(2, 1.0) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-6)
    assert selection.best_of_equal_normal(10, 2.0) == pytest.approx(2 * 1.5387527308, abs=1e-6)


def test_what_promoted_bots_show() -> None:
    # the confirm stage of the gate vector: bots truly at 50, 52 and 55 % show 53.7, 54.1 and 55.4 %
    expected = vector("gate_two_stage_exact").expected
    for rate in (0.48, 0.5, 0.52, 0.55):
        shown = selection.promoted_score(rate, 800, 424)
        assert shown == pytest.approx(expected[str(rate)]["expected_confirm_rate_given_promoted"], abs=1e-9)
    assert selection.promoted_score(0.0, 800, 424) is None


def test_a_correction_is_large_at_the_bar_and_vanishes_far_above_it() -> None:
    far, near = selection.after_threshold(520, 800, 424), selection.after_threshold(430, 800, 424)
    assert far.corrected == pytest.approx(far.plain, abs=1e-4)
    assert near.corrected < near.plain - 0.01
    assert near.low < near.corrected < near.high
    bar = selection.after_threshold(424, 800, 424)
    assert bar.state is CorrectionState.AT_THE_BAR
    assert bar.low == 0.0
    below = selection.after_threshold(400, 800, 424)
    assert (below.state, below.low, below.high) == (CorrectionState.NOT_SELECTED, 0.0, 1.0)


def test_without_a_bar_the_interval_is_clopper_pearsons() -> None:
    got = selection.after_threshold(30, 100, 0)
    wanted = stats.binomtest(30, 100).proportion_ci(0.95, method="exact")
    assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


def test_the_normal_correction_is_the_binomial_one_for_many_games() -> None:
    exact = selection.after_threshold(5250, 10_000, 5100)
    normal = selection.after_threshold_normal(0.525, 0.5 / 100, 0.50995)
    assert normal.corrected == pytest.approx(exact.corrected, abs=2e-4)
    assert normal.low == pytest.approx(exact.low, abs=1e-3)
    assert selection.after_threshold_normal(0.4, 0.01, 0.5).state is CorrectionState.NOT_SELECTED
    bar = selection.after_threshold_normal(0.51, 0.005, 0.51)
    assert bar.state is CorrectionState.AT_THE_BAR
    assert bar.low == 0.0
    assert bar.high == pytest.approx(0.51 + 1.96 * 0.005, abs=1e-4)


@pytest.mark.parametrize("truth", [0.5, 0.52, 0.55])
def test_the_corrected_estimate_is_too_high_half_of_the_time_and_its_interval_holds(truth: float) -> None:
    rng = np.random.default_rng(21)
    wins = rng.binomial(800, truth, size=200_000)
    passing = wins[wins >= 424][:600]
    estimates = {value: selection.after_threshold(int(value), 800, 424) for value in set(passing.tolist())}
    high = np.mean([estimates[int(value)].corrected > truth for value in passing])
    held = np.mean([estimates[int(value)].low <= truth <= estimates[int(value)].high for value in passing])
    assert high == pytest.approx(0.5, abs=0.08)
    assert held >= 0.93


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: online_errors.spending_level(0), "candidate is 0"),
        (lambda: online_errors.lord_level([], start=0.05), "start is 0.05"),
        (lambda: online_errors.lord_level([], alpha=1.0), "alpha is 1.0"),
        (lambda: online_errors.saffron_level([1.2]), "p_values\\[0\\] is 1.2"),
        (lambda: online_errors.saffron_level([], start=0.03), "start is 0.03"),
        (lambda: online_errors.saffron_level([], candidate_below=1.0), "candidate_below is 1.0"),
        (lambda: holm([2.0]), "p_values\\[0\\] is 2.0"),
        (lambda: selection.after_threshold(5, 4, 1), "wins is 5"),
        (lambda: selection.after_threshold_normal(0.5, 0.0, 0.4), "se is 0.0"),
        (lambda: selection.best_of_equal(0, 10), "candidates is 0"),
        (lambda: selection.promoted_score(1.5, 10, 5), "win_rate is 1.5"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()

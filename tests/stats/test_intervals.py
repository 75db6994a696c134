"""Intervals for a mean map score: outside numbers, properties, and the degenerate samples that must not look exact."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.stats import intervals
from harness.stats.arguments import StatsInputError
from harness.stats.intervals import IntervalMethod, IntervalState, map_t, of_tally, wilson
from harness.stats.tally import MAX_CELLS, MapTally
from tests.stats.vectors import Vector, vector, vectors

QUARTERS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
SCORES = st.lists(QUARTERS | st.floats(0, 1), max_size=60)


def tally_of(scores: list[float]) -> MapTally:
    tally = MapTally()
    for score in scores:
        tally.add(score)
    return tally


@pytest.mark.parametrize("case", vectors("wilson_"), ids=lambda case: case.id)
def test_wilson(case: Vector) -> None:
    got = wilson(case.input["points"], case.input["games"])
    assert case.close(got.low, case.expected["low"])
    assert case.close(got.high, case.expected["high"])


def test_wilson_without_games_and_at_the_ends() -> None:
    empty = wilson(0, 0)
    assert (empty.estimate, empty.low, empty.high, empty.state) == (None, 0.0, 1.0, IntervalState.EMPTY)
    lost = wilson(0, 10)
    assert lost.low == 0.0
    assert 0.2 < lost.high < 0.35
    won = wilson(10, 10)
    assert won.high == 1.0
    assert won.low == pytest.approx(1.0 - lost.high)


def test_clopper_pearson_agrees_with_scipy() -> None:
    for wins, games in ((0, 7), (3, 7), (7, 7), (55, 100)):
        wanted = stats.binomtest(wins, games).proportion_ci(0.9, method="exact")
        got = intervals.clopper_pearson(wins, games, 0.9)
        assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), abs=1e-11)
    assert intervals.clopper_pearson(0, 0).state is IntervalState.EMPTY


def test_duel_z() -> None:
    case = vector("duel_z")
    for (won, lost), wanted in zip(case.input["cases"], case.expected["z"], strict=True):
        got = intervals.duel_z(won - lost, won + lost)
        assert got is not None
        assert case.close(got, wanted)
    assert intervals.duel_z(0, 0) is None


def test_sign_test_agrees_with_scipy() -> None:
    assert intervals.sign_test_p(14, 5) == pytest.approx(stats.binomtest(14, 19).pvalue, abs=1e-12)
    assert intervals.sign_test_p(5, 14) == intervals.sign_test_p(14, 5)
    assert intervals.sign_test_p(0, 0) == 1.0
    assert intervals.sign_test_p(2, 2) == 1.0


def test_map_t_agrees_with_scipy() -> None:
    scores = [0.25, 0.5, 0.5, 0.0, 0.25, 1.0, 0.25, 0.3, 1.0, 0.5, 0.9]
    got = map_t(scores, 0.9)
    wanted = stats.ttest_1samp(scores, 0.5).confidence_interval(0.9)
    assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), abs=1e-10)
    assert got.sd == pytest.approx(np.std(scores, ddof=1))
    assert got.se == pytest.approx(stats.sem(scores))
    assert (got.n, got.method, got.state) == (11, IntervalMethod.STUDENT_T, IntervalState.USUAL)


def test_no_maps_give_the_whole_range() -> None:
    got = map_t([])
    assert (got.mean, got.low, got.high, got.sd, got.se) == (None, 0.0, 1.0, None, None)
    assert got.state is IntervalState.EMPTY


def test_one_map_is_no_spread() -> None:
    got = map_t([0.75])
    assert got.state is IntervalState.ONE_MAP
    assert got.method is IntervalMethod.EXACT
    assert (got.low, got.high) == pytest.approx((0.75 * 0.025, 1 - 0.25 * 0.025))
    assert got.se is None


def test_equal_maps_are_no_exact_knowledge() -> None:
    # a true mean m gives the score c on every one of n maps with probability at most (m/c)^n
    got = map_t([0.5] * 20)
    assert got.state is IntervalState.ALL_EQUAL
    assert (got.low, got.high) == pytest.approx((0.5 * 0.025 ** (1 / 20), 1 - 0.5 * 0.025 ** (1 / 20)))
    won = map_t([1.0] * 20)
    assert (won.low, won.high) == pytest.approx((0.025 ** (1 / 20), 1.0))


def test_a_single_odd_map_does_not_make_the_rest_exact() -> None:
    got = map_t([1.0] * 199 + [0.75])
    assert got.state is IntervalState.FEW_APART
    assert got.method is IntervalMethod.EXACT
    assert got.low < 1 - 0.25 / 200 - 0.01  # Student's t would stop at 0.9963
    assert map_t([1.0] * 195 + [0.75] * 5).method is IntervalMethod.STUDENT_T


def test_scores_that_differ_by_rounding_are_equal() -> None:
    assert map_t([0.1 + 0.2, 0.3, 0.3]).state is IntervalState.ALL_EQUAL


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: wilson(3, 2), "points is 3"),
        (lambda: wilson(1, 2, 1.0), "confidence is 1.0"),
        (lambda: wilson(0, math.inf), "games is inf"),
        (lambda: map_t([0.5, 1.5]), "score is 1.5"),
        (lambda: map_t([math.nan]), "score is nan"),
        (lambda: map_t([], 0.0), "confidence is 0.0"),
        (lambda: intervals.duel_z(5, 4), "margin is 5"),
        (lambda: intervals.clopper_pearson(3, 2), "wins is 3"),
        (lambda: intervals.clopper_pearson(1, 2, 2.0), "confidence is 2.0"),
        (lambda: MapTally().add(0.5, -1), "count is -1"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()


def test_a_summary_must_have_its_variance() -> None:
    with pytest.raises(StatsInputError, match="variance is None"):
        intervals.mean_interval(n=3, mean=0.4, variance=None, mode=None, n_below_mode=0, n_above_mode=0)


@given(SCORES)
def test_every_sample_gives_finite_bounds_around_the_mean_and_never_a_zero_width(scores: list[float]) -> None:
    got = map_t(scores)
    assert 0.0 <= got.low < got.high <= 1.0
    if scores:
        assert got.mean is not None
        assert got.low <= got.mean + 1e-12
        assert got.mean <= got.high + 1e-12


@given(SCORES)
def test_exchanging_the_two_sides_mirrors_the_interval(scores: list[float]) -> None:
    # multiples of 1/1024, so that 1 − score is exact and both sides see the same cells
    exact = [round(score * 1024) / 1024 for score in scores]
    ours, theirs = map_t(exact), map_t([1.0 - score for score in exact])
    if ours.state in {IntervalState.USUAL, IntervalState.EMPTY}:
        assert (ours.low, ours.high) == pytest.approx((1.0 - theirs.high, 1.0 - theirs.low), abs=1e-9)


@given(SCORES, SCORES)
def test_merged_parts_are_the_whole(first: list[float], second: list[float]) -> None:
    merged, whole = tally_of(first), tally_of(first + second)
    merged.merge(tally_of(second))
    assert merged.n == whole.n
    assert merged.cells() == whole.cells()
    assert merged.power_sums() == pytest.approx(whole.power_sums())
    assert of_tally(merged) == of_tally(whole)


@given(st.lists(QUARTERS, max_size=80))
def test_penta_counts_are_exact(scores: list[float]) -> None:
    counts = tally_of(scores).penta()
    assert counts == tuple(scores.count(quarter / 4) for quarter in range(5))


def test_other_scores_have_no_penta_counts() -> None:
    assert tally_of([0.5, 1 / 3]).penta() is None


def test_a_tally_of_many_distinct_scores_keeps_constant_memory_and_the_same_moments() -> None:
    rng = np.random.default_rng(5)
    scores = [float(value) for value in rng.beta(2, 3, 3000)]
    tally, other = tally_of(scores[:1000]), tally_of(scores[1000:])
    tally.merge(other)
    assert tally.cells() is None
    assert tally.penta() is None
    assert len(tally.cells_below()) <= 257
    assert sum(count for _, count in tally.cells_below()) == 3000
    moments = tally.moments()
    assert moments is not None
    assert moments.mean == pytest.approx(np.mean(scores))
    assert moments.variance == pytest.approx(np.var(scores, ddof=1))
    assert moments.skewness == pytest.approx(stats.skew(scores))
    assert moments.kurtosis == pytest.approx(stats.kurtosis(scores, fisher=False))
    wanted = stats.ttest_1samp(scores, 0.5).confidence_interval(0.95)
    assert (of_tally(tally).low, of_tally(tally).high) == pytest.approx((wanted.low, wanted.high))


def test_rounded_cells_enclose_the_scores() -> None:
    scores = [index / 997 for index in range(300)]
    tally = tally_of(scores)
    assert len(scores) > MAX_CELLS
    below = sum(score * count for score, count in tally.cells_below())
    above = sum(score * count for score, count in tally.cells_above())
    assert below <= sum(scores) <= above
    assert above - below <= 300 / 256


def test_merging_exact_cells_into_a_full_tally_keeps_the_rounding_outward() -> None:
    full = tally_of([index / 997 for index in range(100)])
    full.merge(tally_of([0.3337]))
    assert sum(count for _, count in full.cells_below()) == 101
    assert all((score * 256).is_integer() for score, _ in full.cells_below() + full.cells_above())
    exact = tally_of([0.3337])
    exact.merge(tally_of([index / 997 for index in range(100)]))
    assert exact.cells_below() == full.cells_below()
    assert exact.cells_above() == full.cells_above()


def test_moments_without_spread_have_no_shape() -> None:
    assert MapTally().moments() is None
    one = tally_of([0.5]).moments()
    assert one is not None
    assert (one.variance, one.skewness, one.kurtosis) == (0.0, None, None)


@pytest.mark.parametrize(
    ("cells", "n_maps"),
    [
        ((0.05, 0.2, 0.5, 0.2, 0.05), 10),
        ((0.25, 0.0, 0.5, 0.0, 0.25), 40),
        ((0.0, 0.0, 0.98, 0.02, 0.0), 100),
        ((0.0, 0.01, 0.01, 0.01, 0.97), 100),
        ((0.0, 0.0, 0.995, 0.005, 0.0), 100),
    ],
)
def test_map_t_covers_at_its_level(cells: tuple[float, ...], n_maps: int) -> None:
    # 1,000 samples: the standard error of the coverage is 0.7 points; the long version is a benchmark
    rng = np.random.default_rng(2024)
    truth = sum(index / 4 * share for index, share in enumerate(cells))
    covered = 0
    for counts in rng.multinomial(n_maps, cells, size=1000):
        tally = MapTally()
        for index, count in enumerate(counts):
            tally.add(index / 4, int(count))
        got = of_tally(tally)
        covered += got.low <= truth + 1e-12 and truth - 1e-12 <= got.high
    assert covered >= 928


@pytest.mark.parametrize("apart", [1e-60, 1e-100, 1e-160, 5e-324])
def test_scores_next_to_equal_have_no_shape_and_no_crash(apart: float) -> None:
    tally = MapTally()
    tally.add(0.0)
    tally.add(apart)
    moments = tally.moments()
    assert moments is not None
    assert moments.skewness is None
    assert moments.kurtosis is None

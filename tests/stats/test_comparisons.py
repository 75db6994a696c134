"""Paired differences, margins, bootstrap by whole maps."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from harness.stats import bootstrap
from harness.stats.arguments import StatsInputError
from harness.stats.bootstrap import BootstrapState, bootstrap_interval, difference_of_columns, mean_of_column
from harness.stats.elo import to_score
from harness.stats.equivalence import Margin, MarginOutcome, difference_within, equivalence, non_inferiority
from harness.stats.hedged_betting import HedgedBetting
from harness.stats.intervals import IntervalState, map_t
from harness.stats.paired import compare_on_shared_maps
from tests.stats.vectors import vector

MAPS = st.dictionaries(st.integers(0, 40), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), max_size=30)


def two_bots(n_maps: int, correlation: float, seed: int) -> tuple[dict[int, float], dict[int, float]]:
    rng = np.random.default_rng(seed)
    shared, own = math.sqrt(correlation), math.sqrt(1 - correlation)
    common = rng.normal(size=n_maps)
    first, second = (np.clip(0.5 + 0.1 * (shared * common + own * rng.normal(size=n_maps)), 0, 1) for _ in range(2))
    return dict(enumerate(first.tolist())), dict(enumerate(second.tolist()))


def test_a_paired_difference_agrees_with_scipy() -> None:
    first, second = two_bots(60, 0.5, 3)
    got = compare_on_shared_maps(first, second, 0.9)
    xs, ys = list(first.values()), list(second.values())
    wanted = stats.ttest_rel(xs, ys)
    assert got.p_two_sided == pytest.approx(wanted.pvalue, abs=1e-10)
    ends = wanted.confidence_interval(0.9)
    assert (got.low, got.high) == pytest.approx((ends.low, ends.high), abs=1e-9)
    assert got.correlation == pytest.approx(np.corrcoef(xs, ys)[0, 1])
    assert got.difference == pytest.approx(np.mean(xs) - np.mean(ys))
    assert got.maps_saved == pytest.approx((np.var(xs) + np.var(ys)) / np.var(np.subtract(xs, ys)))
    assert got.effective_maps == pytest.approx(60 * (got.maps_saved or 0))


def test_shared_maps_are_worth_twice_as_many_at_a_correlation_of_a_half() -> None:
    got = compare_on_shared_maps(*two_bots(20_000, 0.5, 4))
    assert got.maps_saved == pytest.approx(2.0, abs=0.05)


def test_maps_that_only_one_bot_played_are_counted_and_left_out() -> None:
    got = compare_on_shared_maps({1: 0.5, 2: 1.0, 3: 0.75, 9: 0.0}, {1: 0.25, 2: 0.5, 3: 0.75, 7: 1.0, 8: 1.0})
    assert (got.n_shared, got.n_only_first, got.n_only_second) == (3, 1, 2)
    assert got.difference == pytest.approx(0.25)


def test_degenerate_pairs_are_states() -> None:
    nothing = compare_on_shared_maps({1: 0.5}, {2: 0.5})
    assert (nothing.difference, nothing.low, nothing.high) == (None, -1.0, 1.0)
    assert nothing.state is IntervalState.EMPTY
    one = compare_on_shared_maps({1: 0.75}, {1: 0.5})
    assert (one.state, one.se, one.p_two_sided) == (IntervalState.ONE_MAP, None, None)
    equal = compare_on_shared_maps(dict.fromkeys(range(50), 0.5), dict.fromkeys(range(50), 0.5))
    assert equal.state is IntervalState.ALL_EQUAL
    assert equal.correlation is None
    assert equal.maps_saved is None
    assert equal.low < 0.0 < equal.high
    few = compare_on_shared_maps(dict.fromkeys(range(200), 0.5), {**dict.fromkeys(range(200), 0.5), 7: 0.75})
    assert few.state is IntervalState.FEW_APART


@given(MAPS, MAPS)
def test_exchanging_the_bots_negates_the_difference(first: dict[int, float], second: dict[int, float]) -> None:
    ours, theirs = compare_on_shared_maps(first, second), compare_on_shared_maps(second, first)
    assert -1.0 <= ours.low < ours.high <= 1.0
    if ours.difference is None or theirs.difference is None:
        assert ours.difference is theirs.difference
        return
    assert ours.difference == pytest.approx(-theirs.difference)
    if ours.state is IntervalState.USUAL:
        assert (ours.low, ours.high) == pytest.approx((-theirs.high, -theirs.low))


def test_equivalence_needs_maps_not_their_lack() -> None:
    rng = np.random.default_rng(5)
    scores = [float(value) for value in rng.choice(5, size=6000, p=(0.05, 0.2, 0.5, 0.2, 0.05)) / 4]
    margin = Margin(elo=10)
    many, few = equivalence(map_t(scores), margin), equivalence(map_t(scores[:60]), margin)
    assert many.outcome is MarginOutcome.SHOWN
    assert few.outcome is MarginOutcome.NOT_SHOWN
    assert many.margin_low == pytest.approx(to_score(-10))
    assert many.margin_low < many.low < many.high < many.margin_high


def test_equivalence_agrees_with_two_t_tests() -> None:
    scores = [0.25, 0.5, 0.5, 0.75, 0.5, 0.25, 0.5, 1.0, 0.5, 0.5, 0.75, 0.25]
    got = equivalence(map_t(scores), Margin(score=0.1))
    assert got.p_low == pytest.approx(stats.ttest_1samp(scores, 0.4, alternative="greater").pvalue)
    assert got.p_high == pytest.approx(stats.ttest_1samp(scores, 0.6, alternative="less").pvalue)
    worse = non_inferiority(map_t(scores), Margin(score=0.1))
    assert worse.p_low == got.p_low
    assert worse.p_high == 1.0
    assert (worse.outcome is MarginOutcome.SHOWN) == (got.p_low <= 0.05)


def test_a_margin_test_says_when_it_cannot_tell() -> None:
    for scores in ([], [0.5], [0.5] * 30):
        assert equivalence(map_t(scores), Margin(elo=10)).outcome is MarginOutcome.NO_DATA


@given(st.floats(-0.2, 0.2), st.floats(0.005, 0.1), st.floats(0.01, 0.2))
def test_a_difference_is_within_the_margin_exactly_when_its_interval_is(
    difference: float, se: float, margin: float
) -> None:
    got = difference_within(difference, se, 30, margin)
    inside = got.low >= -margin and got.high <= margin
    assert (got.outcome is MarginOutcome.SHOWN) == inside


def test_bootstrap_agrees_with_scipy() -> None:
    rng = np.random.default_rng(1)
    scores = rng.beta(8, 2, 60)
    reference: Any = stats.bootstrap  # its stubs want the method as a literal
    for corrected, method in ((True, "BCa"), (False, "percentile")):
        got = bootstrap_interval(scores, mean_of_column, seed=2, n_resamples=40_000, bias_corrected=corrected)
        wanted = reference((scores,), np.mean, n_resamples=40_000, method=method, rng=3)
        assert got.low == pytest.approx(wanted.confidence_interval.low, abs=8e-4)
        assert got.high == pytest.approx(wanted.confidence_interval.high, abs=8e-4)
        assert got.se == pytest.approx(wanted.standard_error, rel=0.03)


def test_bootstrap_of_a_curved_number_agrees_with_scipy() -> None:
    scores = np.random.default_rng(6).beta(3, 2, 80)

    def ratio(means: NDArray[np.float64]) -> NDArray[np.float64]:
        return means[:, 1] / means[:, 0]

    got = bootstrap_interval(np.stack([scores, scores**2], axis=1), ratio, seed=1, n_resamples=40_000)
    wanted = stats.bootstrap(
        (scores,), lambda x, axis: (x**2).mean(axis) / x.mean(axis), n_resamples=40_000, method="BCa", rng=4
    )
    assert got.low == pytest.approx(wanted.confidence_interval.low, abs=2e-3)
    assert got.high == pytest.approx(wanted.confidence_interval.high, abs=2e-3)


def test_repeated_rows_and_single_rows_give_the_same_law() -> None:
    rng = np.random.default_rng(7)
    quarters = rng.choice(5, size=400) / 4
    jittered = quarters + rng.uniform(-1e-9, 1e-9, size=400)
    few, many = (bootstrap_interval(rows, mean_of_column, seed=5, n_resamples=20_000) for rows in (quarters, jittered))
    assert few.low == pytest.approx(many.low, abs=8e-4)
    assert few.high == pytest.approx(many.high, abs=8e-4)


@given(st.integers(0, 2**32), st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20))
@settings(max_examples=40)
def test_the_same_seed_gives_the_same_interval(seed: int, rows: list[tuple[float, float]]) -> None:
    first, second = (bootstrap_interval(rows, difference_of_columns, seed=seed, n_resamples=200) for _ in range(2))
    assert first == second
    if first.state is BootstrapState.USUAL:
        assert first.low is not None
        assert first.high is not None
        assert first.low <= first.high


def test_a_bootstrap_that_cannot_speak_says_why() -> None:
    elo = bootstrap.elo_of_column
    assert bootstrap_interval([], elo, seed=1).state is BootstrapState.FEW_MAPS
    assert bootstrap_interval([0.3], elo, seed=1).state is BootstrapState.FEW_MAPS
    assert bootstrap_interval([0.5] * 9, elo, seed=1).state is BootstrapState.NO_SPREAD
    assert bootstrap_interval([1.0] * 9, elo, seed=1).state is BootstrapState.UNDEFINED
    near = bootstrap_interval([1.0, 1.0, 1.0, 1.0, 0.5], elo, seed=1)
    assert near.state is BootstrapState.USUAL
    assert near.high is None
    assert near.low is not None
    assert near.n_undefined > 0


def test_resamples_without_a_value_widen_the_interval() -> None:
    def undefined_above(means: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(means[:, 0] > 0.62, np.nan, means[:, 0])

    got = bootstrap_interval([0.5, 0.25, 0.75, 1.0, 0.5, 0.5, 0.25], undefined_above, seed=1)
    assert got.n_undefined > 0
    assert got.low is None
    assert got.high is None


def test_the_bootstrap_covers() -> None:
    # 300 samples of 40 maps: the standard error of the coverage is 1.4 points
    rng = np.random.default_rng(12)
    covered = 0
    for counts in rng.multinomial(40, (0.1, 0.2, 0.3, 0.25, 0.15), size=300):
        got = bootstrap_interval(np.repeat(np.arange(5) / 4, counts), mean_of_column, seed=1, n_resamples=1000)
        assert got.low is not None
        assert got.high is not None
        covered += got.low <= 0.5375 <= got.high
    assert covered >= 270


def test_hedged_betting_gives_the_numbers_of_its_reference() -> None:
    case = vector("anytime_betting_capital_pairs200")
    sequence = HedgedBetting(1.0 - case.input["alpha"], steps=2000)
    capitals = []
    for index, score in enumerate(case.input["pair_scores"], 1):
        sequence.add(score)
        if index in case.expected["at"]:
            capitals.append(sequence.capital(case.input["m"]))
    assert capitals == pytest.approx(case.expected["capital_at"], rel=1e-9)
    band = sequence.interval()
    assert (band.low, band.high) == pytest.approx(case.expected["hedged_cs_200"], abs=1e-9)


def test_hedged_betting_says_when_no_mean_fits() -> None:
    sequence = HedgedBetting()
    assert sequence.interval().state is IntervalState.EMPTY
    for score in [0.0] * 200 + [1.0] * 600:
        sequence.add(score)
    assert sequence.interval().state is IntervalState.DRIFTED
    assert (sequence.interval().low, sequence.interval().high) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (Margin, "exactly one of the two must be given"),
        (lambda: Margin(elo=5, score=0.01), "exactly one of the two must be given"),
        (lambda: Margin(elo=-5), "margin.elo is -5"),
        (lambda: Margin(score=0.5), "margin.score is 0.5"),
        (lambda: equivalence(map_t([0.1, 0.4]), Margin(elo=5), alpha=0.5), "alpha is 0.5"),
        (lambda: difference_within(0.1, 0.0, 10, 0.1), "se is 0.0"),
        (lambda: difference_within(1.5, 0.1, 10, 0.1), "difference is 1.5"),
        (lambda: compare_on_shared_maps({1: 1.2}, {1: 0.5}), "first\\[1\\] is 1.2"),
        (lambda: bootstrap_interval([0.5, math.nan], mean_of_column, seed=1), "not finite"),
        (lambda: bootstrap_interval([[[0.5]]], mean_of_column, seed=1), "rows has shape"),
        (lambda: bootstrap_interval([0.5, 0.6], mean_of_column, seed=1, n_resamples=5), "n_resamples is 5"),
        (lambda: HedgedBetting(steps=2), "steps is 2"),
        (lambda: HedgedBetting().capital(0.12345), "mean is 0.12345"),
        (lambda: HedgedBetting().add(-0.1), "score is -0.1"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()

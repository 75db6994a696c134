"""Mean differences a seed: Student's own data, states without an interval, the studentised bootstrap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.arguments import StatsInputError
from harness.stats.bootstrap_t import studentise
from harness.stats.paired_numbers import FEW_APART, NumbersState, correlation, numbers_interval

SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
"""Additional hours of sleep by drug 2 over drug 1 (Cushny and Peebles 1905), Student's example of 1908."""

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30)


def test_students_own_example() -> None:
    """R: t.test(extra ~ group, data = sleep, paired = TRUE) gives 0.7001142 to 2.4598858 about 1.58."""
    found = numbers_interval(SLEEP)
    assert found.state is NumbersState.USUAL
    assert found.mean == pytest.approx(1.58)
    assert found.low == pytest.approx(0.7001142, abs=1e-7)
    assert found.high == pytest.approx(2.4598858, abs=1e-7)
    assert found.side == 1
    assert numbers_interval([-x for x in SLEEP]).side == -1
    assert numbers_interval(SLEEP, 0.999).side == 0


def test_states_without_an_interval() -> None:
    assert numbers_interval([]).state is NumbersState.EMPTY
    assert numbers_interval([]).mean is None
    one = numbers_interval([3.0])
    assert (one.state, one.mean, one.low, one.side) == (NumbersState.ONE_SEED, 3.0, None, 0)
    equal = numbers_interval([0.0] * 50)
    assert (equal.state, equal.mean, equal.low, equal.side) == (NumbersState.ALL_EQUAL, 0.0, None, 0)


def test_equal_differences_are_judged_by_the_sign_test() -> None:
    assert numbers_interval([2.0] * 5).side == 0, "p is 1/16"
    assert numbers_interval([2.0] * 6).side == 1, "p is 1/32"
    assert numbers_interval([-2.0] * 6).side == -1
    assert numbers_interval([2.0] * 6, 0.99).side == 0


def test_a_few_seeds_apart_claim_nothing() -> None:
    few = numbers_interval([1.0] * (FEW_APART - 1) + [0.0] * 10)
    assert few.state is NumbersState.FEW_APART
    assert few.low is not None
    assert few.low > 0.0, "t alone would claim it"
    assert few.side == 0
    assert numbers_interval([1.0] * FEW_APART + [0.0] * 10).side == 1


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(StatsInputError, match="finite"):
        numbers_interval([1.0, math.nan])
    with pytest.raises(StatsInputError, match="not finite"):
        studentise([1.0, math.inf], seed=1)


def test_huge_numbers_stay_numbers() -> None:
    values = [1e100, -1e100, 3e99, 5e98, 1e97, -2e99, 7e99]
    found = numbers_interval(values)
    assert found.sd is not None
    assert math.isfinite(found.sd)
    booted = studentise(values, seed=1)
    assert booted is not None
    assert all(map(math.isfinite, booted.interval()))


@given(values=NUMBERS, data=st.data())
def test_the_order_changes_nothing(values: list[float], data: st.DataObject) -> None:
    mixed = data.draw(st.permutations(values))
    assert numbers_interval(mixed) == numbers_interval(values)


def test_the_bootstrap_does_not_depend_on_order_or_unit() -> None:
    values = list(np.random.default_rng(5).lognormal(0.0, 1.0, 60))
    base, mixed = studentise(values, seed=3), studentise(values[::-1], seed=3)
    scaled = studentise([1_000.0 * value for value in values], seed=3)
    other = studentise(values, seed=4)
    assert base is not None
    assert mixed is not None
    assert scaled is not None
    assert other is not None
    assert base.interval() == mixed.interval()
    assert scaled.interval() == pytest.approx([1_000.0 * end for end in base.interval()])
    assert other.interval() != base.interval()


def test_the_bootstrap_follows_skewness_and_agrees_with_t_without_it() -> None:
    rng = np.random.default_rng(7)
    level = rng.normal(1.0, 2.0, 300)
    plain, booted = numbers_interval(list(level)), studentise(level, seed=1)
    assert booted is not None
    assert booted.interval() == pytest.approx((plain.low, plain.high), abs=0.05)
    skewed = rng.exponential(1.0, 30)
    booted = studentise(skewed, seed=1)
    assert booted is not None
    low, high = booted.interval()
    assert high - booted.mean > booted.mean - low, "the long tail may hold more than was seen"


def test_the_bootstrap_knows_where_it_says_nothing() -> None:
    assert studentise([], seed=1) is None
    assert studentise([1.0], seed=1) is None
    assert studentise([1.0] * 9, seed=1) is None
    assert studentise([0.0, 1.0], seed=1) is None
    assert studentise([0.0] * 500 + [1.0], seed=1) is not None
    assert studentise([0.0] * 2 + [1.0], seed=1) is not None
    with pytest.raises(StatsInputError, match="n_resamples"):
        studentise([0.0, 1.0], seed=1, n_resamples=10)
    with pytest.raises(StatsInputError, match="confidence"):
        numbers_interval([1.0, 2.0], 1.0)


def test_correlation() -> None:
    assert correlation([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]) == pytest.approx(1.0)
    assert correlation([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == pytest.approx(-1.0)
    assert correlation([1.0, 1.0], [1.0, 2.0]) is None
    assert correlation([1.0], [1.0]) is None
    assert correlation([1e100, -1e100], [1e100, 0.0]) == pytest.approx(1.0)

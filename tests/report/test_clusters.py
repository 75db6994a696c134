"""Scores over maps on which several bots are met: the map with all its meetings is the unit."""

from __future__ import annotations

import random

import numpy as np
import pytest

from harness.report.clusters import GROUPS, ClusterSums
from harness.stats.distributions import t_quantile
from harness.stats.intervals import IntervalState, map_t


def filled(scores: dict[int, list[float]]) -> ClusterSums:
    sums = ClusterSums()
    for seed, values in scores.items():
        for value in values:
            sums.add(seed, value)
    return sums


def test_one_meeting_a_map_is_the_plain_interval() -> None:
    source = random.Random(1)
    scores = [source.choice((0.0, 0.25, 0.5, 0.75, 1.0)) for _ in range(300)]
    want = map_t(scores)
    got = filled({7_000 + index: [score] for index, score in enumerate(scores)}).interval(0.95)
    assert (got.n, got.state) == (want.n, want.state)
    for name in ("mean", "low", "high", "sd"):
        assert getattr(got, name) == pytest.approx(getattr(want, name))


def test_meetings_of_one_map_count_as_one_unit() -> None:
    source = random.Random(2)
    maps = {seed: [source.random() for _ in range(4)] for seed in range(200)}
    got = filled(maps).interval(0.95)
    want = map_t([sum(values) / 4 for values in maps.values()])
    assert got.n == 200
    assert got.low == pytest.approx(want.low)
    assert got.high == pytest.approx(want.high)


def test_copies_of_a_meeting_do_not_narrow_the_interval() -> None:
    source = random.Random(3)
    scores = [source.choice((0.0, 0.5, 1.0)) for _ in range(100)]
    once = filled({seed: [score] for seed, score in enumerate(scores)}).interval(0.95)
    ten = filled({seed: [score] * 10 for seed, score in enumerate(scores)}).interval(0.95)
    assert (ten.low, ten.high) == pytest.approx((once.low, once.high))


def test_unequal_numbers_of_meetings_use_the_ratio() -> None:
    source = np.random.default_rng(4)
    maps = {seed: list(source.random(1 + seed % 3)) for seed in range(150)}
    sums = np.array([sum(values) for values in maps.values()])
    counts = np.array([len(values) for values in maps.values()])
    mean = sums.sum() / counts.sum()
    se = np.sqrt(150 / 149 * ((sums - mean * counts) ** 2).sum()) / counts.sum()  # sandwich for a ratio of sums
    got = filled(maps).interval(0.95)
    assert got.mean == pytest.approx(mean)
    assert got.se == pytest.approx(se)
    assert got.high - got.low == pytest.approx(2 * t_quantile(0.975, 149) * se)


def test_long_runs_share_groups_and_stay_honest() -> None:
    source = np.random.default_rng(5)
    scores = source.choice([0.0, 0.5, 1.0], size=20_000)
    got = filled({seed: [float(score)] for seed, score in enumerate(scores)}).interval(0.95)
    want = map_t(float(score) for score in scores)
    assert got.n == GROUPS
    assert got.mean == pytest.approx(want.mean)
    assert got.high - got.low == pytest.approx(want.high - want.low, rel=0.1)


def test_the_lead_takes_the_shared_maps_into_account() -> None:
    source = np.random.default_rng(6)
    maps = source.normal(0.0, 0.2, size=300)  # what a map does to both bots alike
    one = np.clip(0.55 + maps + source.normal(0, 0.05, 300), 0, 1)
    two = np.clip(0.45 + maps + source.normal(0, 0.05, 300), 0, 1)
    first = filled({seed: [float(score)] for seed, score in enumerate(one)})
    second = filled({seed: [float(score)] for seed, score in enumerate(two)})
    got = first.lead_interval(second, 0.95)
    difference = one - two
    half = t_quantile(0.975, 299) * difference.std(ddof=1) / np.sqrt(300)
    assert got.mean is not None
    assert 2 * got.mean - 1 == pytest.approx(difference.mean())
    assert 2 * got.low - 1 == pytest.approx(difference.mean() - half)
    assert 2 * got.high - 1 == pytest.approx(difference.mean() + half)
    back = second.lead_interval(first, 0.95)
    assert back.low == pytest.approx(1 - got.high)


def test_degenerate_samples_are_states() -> None:
    assert ClusterSums().interval(0.95).state is IntervalState.EMPTY
    assert filled({1: [0.5]}).interval(0.95).state is IntervalState.ONE_MAP
    same = filled({seed: [1.0, 1.0] for seed in range(10)})
    assert same.interval(0.95).state is IntervalState.ALL_EQUAL
    assert same.interval(0.95).low < 1.0
    other = filled({seed: [0.0, 0.0] for seed in range(10)})
    assert same.lead_interval(other, 0.95).low > 0.5
    assert same.lead_interval(same, 0.95).low < 0.5


def test_overall_covers_the_truth_where_meetings_share_a_map() -> None:
    """Four opponents on each map, a map effect common to all: 95 % of the intervals hold the truth."""
    source = np.random.default_rng(7)
    n_runs, n_maps = 400, 40
    hits = 0
    for _ in range(n_runs):
        common = source.normal(0.0, 0.2, size=(n_maps, 1))
        scores = np.clip(0.5 + common + source.normal(0.0, 0.1, size=(n_maps, 4)), 0.0, 1.0)
        made = filled({seed: [float(value) for value in row] for seed, row in enumerate(scores)}).interval(0.95)
        hits += made.low <= 0.5 <= made.high
    assert 0.92 <= hits / n_runs <= 0.98

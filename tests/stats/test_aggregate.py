"""Streams of games to counts: order, splitting and bounded memory change nothing but how maps are grouped."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import aggregate as module
from harness.stats.aggregate import MapGames, PairAggregator
from harness.stats.arguments import StatsInputError
from harness.stats.bradley_terry import fit_bradley_terry
from harness.stats.pair_counts import PairCounts
from harness.stats.rating_errors import map_errors
from tests.stats.pools import play_round_robin

NAMES = ("ann", "bob", "cat", "dan")


@st.composite
def rows(draw: st.DrawFn) -> list[MapGames]:
    out: list[MapGames] = []
    for _ in range(draw(st.integers(1, 30))):
        size = draw(st.sampled_from([1, 2, 2, 2, 3, 4]))
        names = tuple(draw(st.permutations(NAMES))[:size])
        if size == 2:
            own = draw(st.sampled_from([0.0, 0.5, 1.0, 0.3]))
            scores: tuple[float, ...] = (own, 1.0 - own)
        else:
            scores = tuple(draw(st.sampled_from([0.0, 0.5, 1.0])) for _ in names)
        games = [(names, scores)] * draw(st.integers(1, 2))
        out.append((draw(st.integers(0, 5) | st.sampled_from(["x", "y"])), games))
    return out


def same_totals(one: PairCounts, other: PairCounts) -> bool:
    order = sorted(one.names)
    if order != sorted(other.names):
        return False
    tables = []
    for counts in (one, other):
        place = [counts.names.index(name) for name in order]
        tables.append(counts.points_matrix()[np.ix_(place, place)])
    return bool(np.allclose(tables[0], tables[1]))


@given(rows(), st.integers(0, 30), st.randoms(use_true_random=False))
def test_order_and_splitting_change_nothing(games: list[MapGames], cut: int, random: Any) -> None:
    whole, parts, shuffled = PairAggregator(), PairAggregator(), PairAggregator()
    whole.extend(games)
    parts.extend(games[:cut])
    if parts.n_games:
        parts.counts()  # looking in between changes nothing
    parts.extend(games[cut:])
    mixed = list(games)
    random.shuffle(mixed)
    shuffled.extend(mixed)
    for other in (parts, shuffled):
        assert other.n_games == whole.n_games == sum(len(list(played)) for _, played in games)
        assert other.skipped == whole.skipped
        assert same_totals(whole.counts(), other.counts())
        one, two = whole.counts().maps, other.counts().maps
        assert one is not None
        assert two is not None
        assert one.n_maps == two.n_maps
        assert one.wins.sum() == pytest.approx(two.wins.sum())


def test_a_field_is_every_pair_once_at_two_over_k() -> None:
    pool = PairAggregator()
    pool.add("m", ("a", "b", "c"), (1.0, 0.5, 0.0))
    counts = pool.counts()
    points = counts.points_matrix()
    weight = 2.0 / 3.0
    assert np.allclose(points, np.array([[0.0, weight, weight], [0.0, 0.0, weight], [0.0, 0.0, 0.0]]))
    pool.add("m", ("c", "b", "a"), (0.25, 0.25, 1.0))
    assert np.allclose(pool.counts().points_matrix()[1, 2], 1.5 * weight)
    sums = {(s.n_seats, s.seat): (s.points, s.games) for s in pool.seat_sums()}
    assert sums[3, 0] == ((1.25,), (2,))
    assert sums[3, 2] == ((1.0,), (2,))


def test_partial_scores_and_counted_lines() -> None:
    pool = PairAggregator()
    pool.add(1, ("a", "b"), (0.7, 0.3))
    pool.add_counts(1, "b", "a", 3, 2, 1)
    pool.add_counts(2, "a", "a", 3, 2, 1)
    counts = pool.counts()
    assert np.allclose(counts.points_matrix(), [[0.0, 0.7 + 2.0], [0.3 + 4.0, 0.0]])
    assert counts.draws.sum() == 2.0
    assert pool.skipped == 6
    assert pool.n_games == 7


def test_games_that_compare_nobody_are_skipped_and_counted() -> None:
    pool = PairAggregator()
    pool.add(1, ("a", "a"), (1.0, 0.0))
    pool.add(1, ("a",), (3.0,))
    pool.add(1, (), ())
    assert (pool.n_games, pool.skipped) == (3, 3)
    assert pool.counts().games.sum() == 0.0


def test_many_maps_share_groups_by_a_hash_that_never_changes() -> None:
    pool = PairAggregator(max_groups=64)
    for number in range(64):
        pool.add(number, ("a", "b"), (1.0, 0.0))
    first = pool.counts().maps
    assert first is not None
    assert (first.n_maps, first.merged_maps) == (64, False)
    for number in range(64, 1_000):
        pool.add(number if number % 2 else f"map {number}", ("a", "b"), (0.0, 1.0))
        pool.add(number if number % 2 else f"map {number}", ("b", "a"), (0.0, 1.0))
    assert pool.maps_are_merged
    counts = pool.counts()
    maps = counts.maps
    assert maps is not None
    assert maps.merged_maps
    assert maps.n_maps == 64
    assert counts.games.sum() == 64 + 2 * 936
    # Both games of a map are in one group, and equal keys always meet: feeding the same again doubles every entry.
    again = PairAggregator(max_groups=64)
    for number in [*range(64), *range(64)]:
        again.add(number, ("a", "b"), (1.0, 0.0))
    for number in [*range(64, 1_000), *range(64, 1_000)]:
        key = number if number % 2 else f"map {number}"
        again.extend([(key, [(("a", "b"), (0.0, 1.0)), (("b", "a"), (0.0, 1.0))])])
    doubled = again.counts().maps
    assert doubled is not None
    assert np.array_equal(doubled.wins, 2.0 * maps.wins)
    assert np.array_equal(doubled.losses, 2.0 * maps.losses)


def test_too_many_entries_halve_the_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 100)
    monkeypatch.setattr(module, "_CACHED", 150)
    small, large = PairAggregator(max_groups=1_024, max_entries=300), PairAggregator()
    rng = np.random.default_rng(3)
    for number in range(3_000):
        names = tuple(rng.permutation(NAMES)[:2].tolist())
        row: MapGames = (number, [(names, ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (0.25, 0.75))[number % 4])])
        field: MapGames = (number, [(("ann", "bob", "cat"), (1.0, 0.0, 0.5))])
        for pool in (small, large):
            pool.extend([row, field])
    assert same_totals(small.counts(), large.counts())
    maps, fine = small.counts().maps, large.counts().maps
    assert maps is not None
    assert fine is not None
    assert maps.n_maps < fine.n_maps
    assert maps.merged_maps
    assert sum(s.games[i] for s in small.seat_sums() for i in range(len(s.games))) == 9_000


def test_grouped_maps_keep_the_errors_right() -> None:
    """Merging maps changes a map-robust error by no more than its own uncertainty."""
    counts = play_round_robin(np.random.default_rng(5), np.array([0.4, 0.0, -0.4]), 2_000, tilt=0.8)
    fine, coarse = PairAggregator(max_groups=4_096), PairAggregator(max_groups=128)
    maps = counts.maps
    assert maps is not None
    for m, cell, w, d, x in zip(maps.map_index, maps.cell, maps.wins, maps.draws, maps.losses, strict=True):
        first, second = counts.names[counts.first[cell]], counts.names[counts.second[cell]]
        for pool in (fine, coarse):
            pool.add_counts(int(m), first, second, w, d, x)
    se = [map_errors(fit_bradley_terry(pool.counts())).difference(0, 1).se_elo for pool in (fine, coarse)]
    assert se[0] is not None
    assert se[1] is not None
    assert se[1] == pytest.approx(se[0], rel=0.25)
    assert [pool.maps_are_merged for pool in (fine, coarse)] == [False, True]


def test_refusals() -> None:
    refused: list[tuple[Any, str]] = [
        (lambda: PairAggregator(max_groups=100), "power of two"),
        (lambda: PairAggregator(max_groups=32), "max_groups"),
        (lambda: PairAggregator(max_entries=0), "max_entries"),
        (lambda: PairAggregator().add(1, ("a", "b"), (1.0, 1.0)), "add up to 1"),
        (lambda: PairAggregator().add(1, ("a", "b"), (1.5, -0.5)), "add up to 1"),
        (lambda: PairAggregator().add(1, ("a", "b", "c"), (1.0, 0.0)), "3 names and 2 scores"),
        (lambda: PairAggregator().add(1, ("a", "b", "c"), (1.0, math.nan, 0.0)), "not finite"),
        (lambda: PairAggregator().add_counts(1, "a", "b", -1, 0, 0), "wins of 'a' against 'b' is -1"),
    ]
    for call, message in refused:
        with pytest.raises(StatsInputError, match=message):
            call()

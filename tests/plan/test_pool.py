"""Mixed lineups: everyone plays equally often and meets everyone about as often, at every moment of a plan."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.plan.pool import MAX_POOL, build_tables

SIZES = [(n_seats, n_bots) for n_seats in range(2, 9) for n_bots in range(n_seats, 11)] + [(3, 12), (4, 12), (8, 12)]
EXACT = [(3, 7), (3, 9), (4, 5), (4, 6), (4, 7), (4, 8), (2, 10), (2, 12), (5, 7), (6, 8), (8, 9)]


class Counts:
    """Games of each bot and meetings of each two, as tables come."""

    def __init__(self, n_bots: int) -> None:
        self.games = [0] * n_bots
        self.met = dict.fromkeys(combinations(range(n_bots), 2), 0)

    def add(self, table: tuple[int, ...]) -> None:
        for bot in table:
            self.games[bot] += 1
        for pair in combinations(sorted(table), 2):
            self.met[pair] += 1


@pytest.mark.parametrize(("n_seats", "n_bots"), SIZES)
def test_games_are_equal_at_every_moment(n_seats: int, n_bots: int) -> None:
    per_map = n_bots // n_seats
    tables = build_tables(n_bots, n_seats, per_map)
    counts = Counts(n_bots)
    worst = 0
    for table in tables + tables[:50]:
        assert len(set(table)) == n_seats
        counts.add(table)
        assert max(counts.games) - min(counts.games) <= 1
        worst = max(worst, max(counts.met.values()) - min(counts.met.values()))
    assert worst <= 10
    whole = Counts(n_bots)
    for table in tables:
        whole.add(table)
    assert len(set(whole.games)) == 1
    mean = sum(whole.met.values()) / len(whole.met)
    assert max(abs(met - mean) for met in whole.met.values()) <= 2


@pytest.mark.parametrize(("n_seats", "n_bots"), EXACT)
def test_meetings_are_equal_after_a_cycle_where_that_is_found(n_seats: int, n_bots: int) -> None:
    counts = Counts(n_bots)
    for table in build_tables(n_bots, n_seats, n_bots // n_seats):
        counts.add(table)
    assert len(set(counts.met.values())) == 1


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_nobody_sits_twice_on_a_map(data: st.DataObject) -> None:
    n_seats = data.draw(st.integers(2, 6))
    n_bots = data.draw(st.integers(n_seats, 12))
    per_map = data.draw(st.integers(1, n_bots // n_seats))
    tables = build_tables(n_bots, n_seats, per_map)
    assert len(tables) % per_map == 0, "so a cycle ends with a map"
    for at in range(0, len(tables), per_map):
        seated = [bot for table in tables[at : at + per_map] for bot in table]
        assert len(seated) == len(set(seated))
    assert tables == build_tables(n_bots, n_seats, per_map)


def test_a_large_pool_is_still_equal_in_games() -> None:
    counts = Counts(120)
    for table in build_tables(120, 4, 30):
        counts.add(table)
    assert len(set(counts.games)) == 1


@pytest.mark.parametrize("sizes", [(3, 4, 1), (4, 1, 1), (4, 2, 3), (4, 2, 0), (MAX_POOL + 1, 2, 1)])
def test_what_cannot_be_seated(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match=f"cannot seat {sizes[0]} bots"):
        build_tables(*sizes)

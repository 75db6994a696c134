"""Seatings are balanced as promised: counted, for every number of seats that rules may have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from harness.config.settings import Seats
from harness.plan.seatings import MAX_GAMES_A_MAP, SeatsError, build_seatings

MANY = (Seats.ROTATIONS, Seats.BALANCED, Seats.CIRCULAR, Seats.PERMUTATIONS)
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "seats.md"


def in_a_row(seatings: Iterable[tuple[int, ...]]) -> Counter[tuple[int, int]]:
    """Count who sits right after whom, from the first seat to the last."""
    return Counter(pair for seating in seatings for pair in pairwise(seating))


def round_the_table(seatings: Iterable[tuple[int, ...]]) -> Counter[tuple[int, int]]:
    """Count who sits right after whom, the first seat coming after the last."""
    return Counter(pair for seating in seatings for pair in zip(seating, seating[1:] + seating[:1], strict=True))


def spread(counts: Counter[tuple[int, int]], n: int) -> tuple[int, int]:
    """Give the least and the greatest count over all ordered pairs."""
    every = [counts[one, two] for one in range(n) for two in range(n) if one != two]
    return min(every), max(every)


def test_two_seats_are_the_same_in_all() -> None:
    assert {build_seatings(option, 2) for option in (Seats.BOTH, *MANY)} == {((0, 1), (1, 0))}


def test_one_seat_is_one_game() -> None:
    assert {build_seatings(option, 1) for option in MANY} == {((0,),)}


@pytest.mark.parametrize("option", MANY)
@pytest.mark.parametrize("n_seats", range(2, 13))
def test_everyone_sits_in_every_seat_equally_often(option: Seats, n_seats: int) -> None:
    if option is Seats.PERMUTATIONS and n_seats > 6:
        return
    seatings = build_seatings(option, n_seats)
    assert seatings[0] == tuple(range(n_seats)) or option in {Seats.BALANCED, Seats.CIRCULAR}
    assert len(set(seatings)) == len(seatings) <= MAX_GAMES_A_MAP
    assert all(sorted(seating) == list(range(n_seats)) for seating in seatings)
    for seat in range(n_seats):
        counts = Counter(seating[seat] for seating in seatings)
        assert set(counts.values()) == {len(seatings) // n_seats}


@pytest.mark.parametrize("n_seats", range(3, 13))
def test_rotations_keep_who_follows_whom(n_seats: int) -> None:
    assert spread(round_the_table(build_seatings(Seats.ROTATIONS, n_seats)), n_seats) == (0, n_seats)


@pytest.mark.parametrize("n_seats", range(2, 13))
def test_balanced_has_everyone_after_everyone_equally_often(n_seats: int) -> None:
    seatings = build_seatings(Seats.BALANCED, n_seats)
    times = 1 if n_seats % 2 == 0 else 2
    assert len(seatings) == n_seats * times
    assert spread(in_a_row(seatings), n_seats) == (times, times)
    low, high = spread(round_the_table(seatings), n_seats)
    assert high - low <= 1


@pytest.mark.parametrize("n_seats", range(2, 13))
def test_circular_has_it_round_the_table_as_well(n_seats: int) -> None:
    seatings = build_seatings(Seats.CIRCULAR, n_seats)
    assert len(seatings) == n_seats * (n_seats - 1)
    assert spread(round_the_table(seatings), n_seats) == (n_seats, n_seats)
    assert spread(in_a_row(seatings), n_seats) == (n_seats - 1, n_seats - 1)


@pytest.mark.parametrize("n_seats", range(3, 7))
def test_permutations_have_everything(n_seats: int) -> None:
    seatings = build_seatings(Seats.PERMUTATIONS, n_seats)
    low, high = spread(round_the_table(seatings), n_seats)
    assert low == high
    assert set(build_seatings(Seats.CIRCULAR, n_seats)) <= set(seatings)


def test_the_page_has_the_games_a_map() -> None:
    rows = re.findall(r"^\| `(\w+)`[^|]*\|[^|]*\|[^|]*\| ([^|]*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    games_of = dict(rows)
    for name in MANY:
        games = games_of[name.value]
        for n_seats, written in zip(range(3, 9), games.split(", "), strict=True):
            try:
                n_games = str(len(build_seatings(Seats(name), n_seats)))
            except SeatsError:
                n_games = "no"
            assert written == n_games, (name, n_seats)


@pytest.mark.parametrize(
    ("option", "n_seats"), [(Seats.BOTH, 1), (Seats.BOTH, 3), (Seats.PERMUTATIONS, 7), (Seats.CIRCULAR, 28)]
)
def test_options_that_do_not_fit(option: Seats, n_seats: int) -> None:
    with pytest.raises(SeatsError) as caught:
        build_seatings(option, n_seats)
    assert str(n_seats) in caught.value.what
    assert "balanced" in caught.value.next_step

from math import comb

import pytest

from harness.config.settings import Schedule, ScheduleType
from harness.plan.schedule import ScheduleError, build_lineups


def gauntlet(names: str) -> Schedule:
    return Schedule(ScheduleType.GAUNTLET, candidate=names[0], opponents=tuple(names[1:]))


def round_robin(names: str) -> Schedule:
    return Schedule(ScheduleType.ROUND_ROBIN, bots=tuple(names))


def test_a_gauntlet_is_the_candidate_against_each() -> None:
    assert build_lineups(gauntlet("cab"), 2) == (("c", "a"), ("c", "b"))


def test_with_more_seats_the_candidate_meets_every_choice_of_opponents() -> None:
    lineups = build_lineups(gauntlet("xabcd"), 4)
    assert lineups == (("x", "a", "b", "c"), ("x", "a", "b", "d"), ("x", "a", "c", "d"), ("x", "b", "c", "d"))


def test_a_round_robin_is_everyone_against_everyone_once() -> None:
    assert build_lineups(round_robin("bca"), 2) == (("b", "c"), ("b", "a"), ("c", "a"))
    assert len(build_lineups(round_robin("abcdef"), 3)) == comb(6, 3)


def test_alone_on_the_board_everyone_plays() -> None:
    assert build_lineups(gauntlet("cab"), 1) == (("c",), ("a",), ("b",))
    assert build_lineups(round_robin("ab"), 1) == (("a",), ("b",))


def test_nobody_sits_twice() -> None:
    for schedule in (gauntlet("abcde"), round_robin("abcde")):
        for n_seats in range(1, 6):
            assert all(len(set(lineup)) == n_seats for lineup in build_lineups(schedule, n_seats))


@pytest.mark.parametrize(
    ("schedule", "n_seats", "key", "allowed"),
    [
        (gauntlet("a"), 2, "opponents", "1 or more"),
        (gauntlet("abc"), 4, "opponents", "3 or more"),
        (round_robin("a"), 2, "bots", "2 or more"),
        (round_robin(""), 1, "bots", "1 or more"),
    ],
)
def test_too_few_bots(schedule: Schedule, n_seats: int, key: str, allowed: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        build_lineups(schedule, n_seats)
    assert caught.value.key == key
    assert caught.value.allowed == allowed

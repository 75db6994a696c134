from math import comb

import pytest

from harness.config.settings import Schedule, ScheduleType
from harness.plan.pool import MAX_POOL
from harness.plan.schedule import ScheduleError, build_lineups, lineups_per_map


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


def mixed(names: str, candidate: str | None = None, per_map: int | None = None) -> Schedule:
    return Schedule(ScheduleType.MIXED, bots=tuple(names), candidate=candidate, lineups_per_map=per_map)


def test_all_lineups_play_each_map_unless_they_are_mixed() -> None:
    assert lineups_per_map(gauntlet("xabcd"), 4) is None
    assert lineups_per_map(round_robin("abcdef"), 3) is None


@pytest.mark.parametrize(
    ("schedule", "n_seats", "per_map"),
    [
        (mixed("abcdefgh"), 4, 2),
        (mixed("abcdefghi"), 4, 2),
        (mixed("abcdefgh", per_map=1), 4, 1),
        (mixed("abcd"), 4, 1),
        (mixed("abcdef", "x"), 4, 2),
        (mixed("abc", "x"), 2, 3),
        (mixed("abc", "x", 2), 2, 2),
    ],
)
def test_mixed_lineups_fill_each_map(schedule: Schedule, n_seats: int, per_map: int) -> None:
    assert lineups_per_map(schedule, n_seats) == per_map
    lineups = build_lineups(schedule, n_seats)
    assert all(len(set(lineup)) == n_seats for lineup in lineups)
    order = (*(schedule.candidate or ""), *schedule.bots)
    assert all(list(lineup) == sorted(lineup, key=order.index) for lineup in lineups), "the same bots, the same lineup"
    games = {name: sum(name in lineup for lineup in lineups) for name in schedule.bots}
    assert len(set(games.values())) == 1
    if schedule.candidate:
        assert {lineup[0] for lineup in lineups} == {schedule.candidate}


@pytest.mark.parametrize(
    ("schedule", "n_seats", "key", "message"),
    [
        (mixed("abc"), 4, "bots", "too few bots to draw from"),
        (mixed("ab", "x"), 4, "bots", "too few bots to draw from"),
        (mixed("abc"), 1, "type", "lineups of one bot cannot be mixed"),
        (mixed("abcdefgh", per_map=3), 4, "lineups_per_map", "more lineups on a map than the bots can fill"),
        (
            Schedule(ScheduleType.MIXED, bots=tuple(f"b{n}" for n in range(MAX_POOL + 1))),
            3,
            "bots",
            "the pool is too large",
        ),
    ],
)
def test_pools_that_do_not_fit(schedule: Schedule, n_seats: int, key: str, message: str) -> None:
    for build in (build_lineups, lineups_per_map):
        with pytest.raises(ScheduleError, match=message) as caught:
            build(schedule, n_seats)
        assert caught.value.key == key
        assert caught.value.next_step

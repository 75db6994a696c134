"""When a bot is called broken, and when a machine is called busy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.config.settings import StopAfter
from harness.errors import BrokenBotError
from harness.records import SCHEMA, Fault, FaultKind, GameRecord, MapRecord, SeatRecord, Termination
from harness.run.health import BotHealth, MachineHealth

SEAT = SeatRecord(10, 1.0, 0.2, cpu_s=0.9, rss_mb=8, starved_s=0.0)


def record(job: int = 0, *faulty: int, seat: SeatRecord = SEAT) -> MapRecord:
    """Give a map of two games; `faulty` are the bots that forfeit, in every game."""
    games = []
    for seating in ((0, 1), (1, 0)):
        faults = tuple(
            Fault(seating.index(bot), FaultKind.CRASH, 3, "ended: exit code 3", "no net\n") for bot in faulty
        )
        games.append(
            GameRecord(seating, (1.0, 0.0), Termination.NORMAL, "", 20, 2.0, "b2:0", (seat, seat), faults=faults)
        )
    return MapRecord(
        SCHEMA, "r", job, "run", "train", job, "map", ("a", "b"), (1.0, 1.0), tuple(games), "2026", 4.0, 0, 1
    )


def test_the_first_games_in_a_row_say_what_was_last_and_what_to_do() -> None:
    health = BotHealth(StopAfter(first_forfeits=5, forfeit_share=None))
    health.see(record(0, 1))
    health.see(record(1, 1))
    with pytest.raises(BrokenBotError, match="'b' looks broken: it forfeited its first 5 games in a row") as caught:
        health.see(record(2, 1))
    message = str(caught.value)
    assert "crash at ply 3 of job 2: ended: exit code 3" in message
    assert "no net" in message
    assert "harness check" in message


def test_one_good_game_and_it_is_a_bot_like_any_other() -> None:
    health = BotHealth(StopAfter(first_forfeits=3, forfeit_share=None))
    health.see(record(0))
    for job in range(1, 50):
        health.see(record(job, 0, 1))


def test_a_game_that_the_other_forfeits_before_a_bot_moves_is_no_good_game_of_it() -> None:
    """Two bots that crash at once: only the one that is asked first has a forfeit in each game."""
    health = BotHealth(StopAfter(first_forfeits=3, forfeit_share=None))
    idle = replace(SEAT, plies=0)

    def crash_at_once(job: int) -> MapRecord:
        both = record(job)
        fault = Fault(0, FaultKind.CRASH, 0, "ended: exit code 1", "")
        games = tuple(replace(game, bots=(idle, idle), faults=(fault,)) for game in both.games)
        return replace(both, games=games)

    health.see(crash_at_once(0))
    health.see(crash_at_once(1))
    with pytest.raises(BrokenBotError, match="'a' looks broken: it forfeited its first 3 games in a row"):
        health.see(crash_at_once(2))


def test_a_share_is_looked_at_after_enough_games() -> None:
    health = BotHealth(StopAfter(first_forfeits=None, forfeit_share=0.25, after_games=10))
    for job in range(4):
        health.see(record(job, 0))
    with pytest.raises(BrokenBotError, match="'a' looks broken: it forfeited 10 of its 10 games"):
        health.see(record(4, 0))


def test_nothing_is_looked_at_where_nothing_is_asked_for() -> None:
    health = BotHealth(StopAfter(first_forfeits=None, forfeit_share=None))
    for job in range(100):
        health.see(record(job, 0, 1))


# ------------------------------------------------------------------------------------------ machine


def test_a_quiet_machine_is_not_mentioned() -> None:
    health = MachineHealth()
    seat = replace(SEAT, starved_s=0.04)
    assert [health.see(record(job, seat=seat)) for job in range(100)] == [None] * 100
    assert health.see_void() is None


def test_waiting_is_told_once_and_not_of_a_handful_of_games() -> None:
    health = MachineHealth()
    said = [health.see(record(job, seat=replace(SEAT, starved_s=0.1))) for job in range(10)]
    assert said[0] is None
    (warning,) = [text for text in said if text]
    assert "10% of the time they thought" in warning
    assert "void" not in warning
    assert "harness doctor" in warning
    assert health.see_void() is None


def test_voids_are_told() -> None:
    health = MachineHealth()
    for job in range(20):
        assert health.see(record(job)) is None
    said = [health.see_void() for _ in range(5)]
    assert said[:2] == [None, None]
    assert "3 of 23 maps were void" in (said[2] or "")
    assert "of the time they thought" not in (said[2] or "")
    assert said[3:] == [None, None]


def test_bots_in_our_process_have_no_waiting_of_their_own() -> None:
    health = MachineHealth()
    seat = SeatRecord(10, 1.0, 0.2, in_process=True)
    assert [health.see(record(job, seat=seat)) for job in range(20)] == [None] * 20

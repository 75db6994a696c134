"""The old mode of cg-brutaltester's referees: we hold the bots, with our clocks; it says what they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.errors import RefereeError, VoidGame
from harness.records import BotSpec, FaultKind, RefereeMode, Termination, TimeControl
from harness.referee.old_mode import End, Input, Note, Output, opening, read_command
from harness.referee.result import ResultProblem
from tests.bots.actors import wait_until_gone
from tests.referee.delegated import Desk, bot, nim_bot, referee, spec, write_run
from tests.run.runs import play

QUICK = TimeControl(per_ply_ms=300, first_ply_ms=3000)


@contextmanager
def desk(*words: str, **keys: Any) -> Iterator[Desk]:
    given = {"program": "old.py", "mode": RefereeMode.OLD, "seed": ("###Seed {seed}",)}
    it = Desk(spec(*words, **{**given, **keys}))
    try:
        yield it
    finally:
        it.table.close()


def one(kind: str = "old", *words: str, **keys: Any) -> BotSpec:
    return nim_bot(kind, *words, protocol="codingame", **keys)


BEST = one("greeted", "best", name="best")
FIRST = one("greeted", "first", name="first")


def test_the_lines_of_the_grammar() -> None:
    assert opening(("###Seed {seed}",), -5, 3) == "###Seed -5\n###Start 3\n"
    assert opening((), 7, 2) == "###Start 2\n"
    assert read_command("###Input 1", 2) == Input(1)
    assert read_command("###Output 0 12", 2) == Output(0, 12)
    assert read_command("###Error 1 too  late", 2) == Note(1, "too late")
    assert read_command("###End 0 12 3", 4) == End((0, 1, 1, 3))
    assert read_command("###End 10", 2) == End((0, 0))
    for line in (
        "###Input",
        "###Input x",
        "###Input 2",
        "###Output 0",
        "###Output 0 0",
        "###Output 0 -1",
        "###End 0",
        "###End 0 0",
        "###End 0 2",
        "###End x y",
        "###Start 2",
        "###",
    ):
        with pytest.raises(ResultProblem):
            read_command(line, 2)


def test_a_run_has_moves_times_and_transcripts(tmp_path: Path) -> None:
    bots = {"best": bot("greeted", "best"), "first": bot("greeted", "first")}
    records = play(write_run(tmp_path, {**referee("old.py"), "mode": "old"}, bots, count=3))
    for record in records:
        for game in record.games:
            assert game.plies == sum(seat.plies for seat in game.bots) > 0
            assert game.moves.startswith("b2:")
            assert game.transcript is not None
            assert list(game.values or ()) in ([1, 2], [2, 1])
            assert game.detail in {"places 1 : 2", "places 2 : 1"}
            assert all(seat.cpu_s is not None for seat in game.bots)
    assert sum(record.scores[0] for record in records) >= 5


@pytest.mark.parametrize(
    ("kind", "fault", "words"),
    [("crash", FaultKind.CRASH, "ended: exit code 3"), ("hang", FaultKind.TIMEOUT, "no answer in time")],
)
def test_a_bot_s_own_fault_is_seen_by_us(kind: str, fault: FaultKind, words: str, tag: str) -> None:
    with desk() as table:
        game = table.play(BEST, one("greeted", kind, tag, name=kind), time=QUICK)
    assert list(game.scores) == [1, 0]
    assert [(each.seat, each.kind, each.detail) for each in game.faults] == [(1, fault, words)]
    assert game.detail == f"{kind} forfeits"
    assert not wait_until_gone(tag)


def test_what_the_referee_does_not_accept_is_told() -> None:
    with desk() as table:
        game = table.play(BEST, one("greeted", "illegal", name="illegal"))
    assert list(game.scores) == [1, 0]
    assert list(game.faults) == []
    assert game.detail == "illegal: cannot read '9 9'"


def test_with_three_the_others_play_on(tmp_path: Path) -> None:
    bots = {name: bot("greeted", name) for name in ("best", "crash", "first")}
    section = {**referee("old.py"), "mode": "old", "players": 3}
    (record,) = play(write_run(tmp_path, section, bots, count=1))
    for game in record.games:
        assert game.termination is Termination.NORMAL
        assert sorted(game.scores) == [0, 0.5, 1]
        (fault,) = game.faults
        assert record.lineup[game.seating[fault.seat]] == "crash"
        assert game.scores[fault.seat] == 0


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("crash", "killed by SIGSEGV"),
        ("quit", "exit code 1"),
        ("nonsense", "not a line of the old mode: '###Output 0 many'"),
        ("stranger", "there is no bot '7' among 2"),
        ("places", "does not place each of 2 bots once"),
    ],
)
def test_a_referee_that_fails_voids_the_game(fault: str, words: str, tmp_path: Path, tag: str) -> None:
    with desk("--fault", fault, "--tag", tag, folder=str(tmp_path)) as table, pytest.raises(VoidGame) as caught:
        table.play(BEST, FIRST)
    assert words in str(caught.value)
    assert "see it again with: harness play CONFIG --job 0" in str(caught.value)
    (kept,) = (tmp_path / "failed").iterdir()
    assert "warming up" in kept.read_text()
    assert not wait_until_gone(tag)


def test_a_hung_referee_is_ended(tag: str) -> None:
    with desk("--fault", "hang", "--tag", tag, time_limit_s=1.0) as table, pytest.raises(VoidGame) as caught:
        table.play(BEST, FIRST)
    assert "no answer in time" in str(caught.value)
    assert not wait_until_gone(tag)


def test_two_hundred_kilobytes_on_standard_error_are_no_matter() -> None:
    with desk("--fault", "flood") as table:
        assert table.play(BEST, FIRST).scores in {(1, 0), (0, 1)}


def test_a_referee_that_does_not_start_halts_the_run() -> None:
    with desk(command=("/no/such/referee",)) as table, pytest.raises(RefereeError, match="the referee does not start"):
        table.play(BEST, FIRST)

"""The loop and the record that comes of it, with bots called in this process; programs are in tests/hostile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from harness.errors import BotFault, BotStartError, StarvedFault, StarvedGame, VoidGame
from harness.play.map import play_map
from harness.play.table import Table
from harness.protocols.base import Budget, Player
from harness.protocols.inprocess import InProcessPlayer
from harness.records import (
    BotSpec,
    Form,
    MapJob,
    MapRecord,
    RulesSpec,
    Termination,
    TimeControl,
    Transcript,
    View,
)

BOTS = '''
def walker(seed, seat, n_seats):
    """Goes round in a small square, so that it lives for a while."""
    moves = ["RIGHT", "DOWN"] * 40
    return lambda view: moves.pop(0)


def make_faulty(how, at):
    def make(seed, seat, n_seats):
        bot, plies = walker(seed, seat, n_seats), []

        def play(view):
            plies.append(1)
            if len(plies) - 1 == at:
                return how()
            return bot(view)

        return play

    return make


def broken():
    raise RuntimeError("out of cheese")


crash_at_2 = make_faulty(broken, 2)
illegal_at_2 = make_faulty(lambda: "NORTH", 2)
number_at_2 = make_faulty(lambda: 7, 2)
crash_at_0 = make_faulty(broken, 0)


def no_bot(seed, seat, n_seats):
    raise OSError("no net")
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bots.py").write_text(BOTS)
    return tmp_path


def make_job(folder: Path, *makers: str, turns: str = "alternate", **changes: Any) -> MapJob:
    n = len(makers)
    lineup = tuple(
        BotSpec(f"{name}.{index}", "python", python=f"{folder / 'bots.py'}:{name}", cwd=str(folder))
        for index, name in enumerate(makers)
    )
    params = (("players", n), ("width", 30), ("height", 20), ("turns", turns))
    job = MapJob(
        id=17,
        run="test",
        run_key="key",
        stage="run",
        split="train",
        seed=5,
        lineup=lineup,
        seatings=tuple(tuple((index + shift) % n for index in range(n)) for shift in range(n)),
        rules=RulesSpec("lightcycles", params),
        time=TimeControl(per_ply_ms=5000),
    )
    return replace(job, **changes)


def play(job: MapJob) -> tuple[MapRecord, tuple[Transcript, ...]]:
    return play_map(job, Table(), worker=3)


@pytest.mark.parametrize(
    ("maker", "kind", "detail"),
    [
        ("crash_at_2", "crash", "raised RuntimeError: out of cheese"),
        ("illegal_at_2", "illegal", "NORTH: 'NORTH' is no direction; allowed: UP, RIGHT, DOWN, LEFT"),
        ("number_at_2", "illegal", "answered 7, not a string"),
    ],
)
def test_a_fault_is_a_forfeit_in_either_seat(folder: Path, maker: str, kind: str, detail: str) -> None:
    record, transcripts = play(make_job(folder, "walker", maker))
    assert record.scores == (2.0, 0.0)
    for game, transcript, seat in zip(record.games, transcripts, (1, 0), strict=True):
        (fault,) = game.faults
        assert (fault.seat, fault.kind.value, fault.ply, fault.detail) == (seat, kind, 4 + seat, detail)
        assert ("Traceback" in fault.stderr) == (kind == "crash")
        assert game.termination is Termination.FORFEIT
        assert game.plies == len(transcript.actions) == len(transcript.think_us) == 4 + seat
        assert game.bots[seat].plies == 2, "a ply that ended in a fault is not among those that were answered"
        assert fault.starved_ms is None


def test_two_that_fault_in_one_turn_share_the_last_place(folder: Path) -> None:
    record, _ = play(make_job(folder, "crash_at_2", "illegal_at_2", turns="simultaneous"))
    assert record.scores == (1.0, 1.0)
    for game in record.games:
        assert game.scores == (0.5, 0.5)
        assert sorted(fault.seat for fault in game.faults) == [0, 1]


def test_with_three_the_others_play_on(folder: Path) -> None:
    record, _ = play(make_job(folder, "walker", "crash_at_2", "walker"))
    assert len(record.games) == 3
    for game in record.games:
        (fault,) = game.faults
        assert game.seating[fault.seat] == 1
        assert game.scores[fault.seat] == 0.0
        assert game.plies > 8, "it went on without the one"
        assert sum(game.scores) == pytest.approx(1.5)


def test_with_three_two_that_fault_in_one_turn_tie_for_last(folder: Path) -> None:
    record, _ = play(make_job(folder, "walker", "crash_at_2", "crash_at_2", turns="simultaneous"))
    for game in record.games:
        by_bot = dict(zip(game.seating, game.scores, strict=True))
        assert by_bot == {0: 1.0, 1: 0.25, 2: 0.25}


def test_nobody_moves_and_the_record_is_whole(folder: Path) -> None:
    record, (first, _) = play(make_job(folder, "crash_at_0", "walker"))
    assert record.games[0].plies == 0
    assert first.actions == ()
    assert (record.job, record.worker, record.attempt, record.seed) == (17, 3, 1, 5)
    assert record.games[0].bots[0].plies == 0


def test_a_bot_that_cannot_be_made_is_a_start_error(folder: Path) -> None:
    with pytest.raises(BotStartError, match=r"'no_bot\.1' does not start") as caught:
        play(make_job(folder, "walker", "no_bot"))
    assert "OSError: no net" in str(caught.value)


def test_without_transcripts_the_moves_are_hashed_all_the_same(folder: Path) -> None:
    whole, _ = play(make_job(folder, "walker", "walker"))
    bare, transcripts = play(make_job(folder, "walker", "walker", transcripts=False))
    assert transcripts == ()
    assert [game.moves for game in bare.games] == [game.moves for game in whole.games]
    assert {game.transcript for game in bare.games} == {None}


# ------------------------------------------------------------------------------------------- starved


class Counted(InProcessPlayer):
    """A player that notes when a game was ended for it."""

    ended: ClassVar[list[str]] = []

    def end_game(self) -> None:
        self.ended.append(self._spec.name)
        super().end_game()


class Starved(Counted):
    """One whose third ply is late through the machine's fault."""

    def begin_game(self, seed: int, seat: int, n_seats: int) -> None:
        super().begin_game(seed, seat, n_seats)
        bot, plies = self._bot, []

        def late(view: Any) -> str:
            plies.append(1)
            if len(plies) == 3:
                raise StarvedError
            assert bot
            return bot(view)

        self._bot = late

    def ask(self, view: View, budget: Budget) -> str:
        try:
            return super().ask(view, budget)
        except BotFault as fault:
            if not isinstance(fault.__cause__, StarvedError):
                raise
            what = "answered after 80.0 ms; for 60.0 ms of it the machine was busy"
            raise StarvedFault("timeout", what, 60.0) from None


class StarvedError(Exception):
    """Stands for the lateness."""


class Watched(Table):
    """A table whose first bot is `Starved`."""

    def _player(self, spec: BotSpec, forms: Sequence[Form], job: MapJob) -> Player:
        if spec.name not in self._players:
            kind = Starved if spec.name.endswith(".0") else Counted
            self._players[spec.name] = (spec, kind(spec, forms[0]))
        return self._players[spec.name][1]


def test_a_late_answer_that_the_machine_explains_voids_the_map(folder: Path) -> None:
    Counted.ended.clear()
    with pytest.raises(StarvedGame, match=r"seat 0, ply 4: answered after 80\.0 ms") as caught:
        play_map(make_job(folder, "walker", "walker"), Watched(), 0)
    assert isinstance(caught.value, VoidGame)
    assert Counted.ended == ["walker.0", "walker.1"], "both are ready for another game"


def test_if_it_was_void_too_often_it_is_a_forfeit_and_marked(folder: Path) -> None:
    record, _ = play_map(make_job(folder, "walker", "walker", voids_starved=False, attempt=4), Watched(), 0)
    assert record.attempt == 4
    for game in record.games:
        (fault,) = game.faults
        assert (game.seating[fault.seat], fault.kind.value, fault.starved_ms) == (0, "timeout", 60.0)

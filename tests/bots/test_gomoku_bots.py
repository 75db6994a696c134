"""The gomoku bots under bots/: real brains spoken to as in a run, called in-process, and as their READMEs say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from bots.gomoku import gomoku_bot
from harness.errors import BotStartError
from harness.protocols.base import Budget
from harness.protocols.gomocup import GomocupPlayer
from harness.protocols.process import open_process
from harness.records import BotSpec, Form, MovesView
from harness.rules.base import Outcome, Position
from harness.rules.gomoku import build

BOTS = Path(__file__).parents[2] / "bots"
GIVEN = Budget(20 * 10**9, nodes=300)
PYTHON = (sys.executable, "gomoku_bot.py")


@pytest.fixture(scope="session")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> BotSpec:
    """Build gomoku_c by the command of its bot.yaml, in a copy, with every warning an error."""
    if shutil.which("cc") is None:
        pytest.fail("no C compiler: install cc, which gomoku_c is built with")
    folder = tmp_path_factory.mktemp("bots") / "gomoku_c"
    shutil.copytree(BOTS / "gomoku_c", folder, ignore=shutil.ignore_patterns("build", ".harness"))
    (folder / "build").mkdir()
    words = yaml.safe_load((folder / "bot.yaml").read_text(encoding="utf-8"))["build"]["command"]
    subprocess.run([*words, "-Wall", "-Wextra", "-Wpedantic", "-Werror"], cwd=folder, check=True)
    return BotSpec("gomoku_c", "gomocup", (str(folder / "build" / "bot"),), cwd=str(folder))


@pytest.fixture(scope="session")
def in_python() -> BotSpec:
    return BotSpec("gomoku", "gomocup", PYTHON, cwd=str(BOTS / "gomoku"))


@contextmanager
def seated(specs: Sequence[BotSpec]) -> Iterator[list[GomocupPlayer]]:
    """Start brains for several games, seat by seat; they must end by themselves when they are told to."""
    players = [GomocupPlayer(spec, open_process) for spec in specs]
    try:
        yield players
    finally:
        for player in players:
            player.close()


def play(position: Position, players: Sequence[GomocupPlayer]) -> Outcome:
    """Play a game; an answer that the rules refuse raises."""
    for seat, player in enumerate(players):
        player.begin_game(1, seat, 2)
    while seats := position.to_act():
        (seat,) = seats
        answer = players[seat].ask(position.view(seat, Form.MOVES), GIVEN)
        position.apply({seat: position.parse(seat, answer)})
    for player in players:
        player.end_game()
    outcome = position.outcome()
    assert outcome
    return outcome


GAMES: list[dict[str, object]] = [
    {"openings": "none", "size": 9},
    {"size": 15},
    {"rule": "standard", "size": [11, 8]},
    {"rule": "standard", "openings": "swap2"},
    {"openings": "swap2", "size": 25},
]


@pytest.mark.parametrize("params", GAMES, ids=str)
def test_program_and_in_process_bot_play_the_same(params: dict[str, object], in_python: BotSpec) -> None:
    with seated([in_python] * 2) as players:
        for seed in range(2):
            position = build(params, str).start(seed)
            play(position, players)
            again = build(params, str).start(seed)
            bots = [gomoku_bot.make(seed, seat, 2) for seat in range(2)]
            while seats := again.to_act():
                (seat,) = seats
                view = again.view(seat, Form.MOVES)
                assert isinstance(view, MovesView)
                again.apply({seat: again.parse(seat, bots[seat](view))})
            assert again.log == position.log


@pytest.mark.parametrize("params", GAMES, ids=str)
def test_brains_play_each_other_from_both_seats(params: dict[str, object], in_python: BotSpec, in_c: BotSpec) -> None:
    with seated([in_c, in_python]) as (first, second):
        for seed in range(2):
            for players in ((first, second), (second, first)):
                play(build(params, str).start(seed), players)
        assert (first.identity, second.identity) == ("gomoku_c 1", "gomoku 1")


def test_gomoku_c_plays_the_same_game_with_the_same_nodes(in_c: BotSpec) -> None:
    logs = []
    for _ in range(2):
        with seated([in_c] * 2) as players:
            position = build({}, str).start(7)
            play(position, players)
            logs.append(position.log)
    assert logs[0] == logs[1]


def test_gomoku_c_says_what_it_thinks(in_c: BotSpec) -> None:
    with seated([in_c]) as (player,):
        player.begin_game(1, 1, 2)
        player.ask(build({}, str).start(1).view(1, Form.MOVES), GIVEN)
        assert player.said.startswith(b"info depth ")
        assert b" score cp " in player.said


def test_gomoku_c_is_stronger(in_c: BotSpec, in_python: BotSpec) -> None:
    points = 0.0
    with seated([in_c, in_python]) as (first, second):
        for seed in range(4):
            points += play(build({}, str).start(seed), (first, second)).scores[0]
            points += play(build({}, str).start(seed), (second, first)).scores[1]
    assert points >= 5


def test_neither_plays_renju(in_c: BotSpec, in_python: BotSpec) -> None:
    view = build({"rule": "renju"}, str).start(0).view(1, Form.MOVES)
    for spec, why in ((in_c, "ERROR no renju"), (in_python, "ERROR renju is not among the rules")):
        with seated([spec]) as (player,):
            player.begin_game(1, 1, 2)
            with pytest.raises(BotStartError, match=why):
                player.ask(view, GIVEN)
    assert isinstance(view, MovesView)
    with pytest.raises(ValueError, match="renju is not among the rules"):
        gomoku_bot.make(1, 1, 2)(view)


# -------------------------------------------------------------------------------- how the one in Python thinks


def board(*cells: str, is_exact: bool = False) -> gomoku_bot.Gomoku:
    game = gomoku_bot.Gomoku(15, 15, is_exact=is_exact)
    game.set_stones([gomoku_bot.read_cell(cell) for cell in cells])
    return game


def test_it_makes_five_before_it_stops_one() -> None:
    game = board("0,0", "0,5", "1,0", "1,5", "2,0", "2,5", "3,0", "3,5")
    assert game.choose() == (4, 0)
    assert board("0,0", "0,5", "1,0", "1,5", "2,0", "2,5", "3,0", "3,5", "9,9").choose() == (4, 5)
    assert board("0,0", "9,9", "1,0", "9,1", "2,0", "5,3", "3,0").choose() == (4, 0)


def test_six_is_no_five_by_the_standard_rule() -> None:
    cells = ("0,0", "0,9", "1,0", "2,9", "2,0", "4,9", "4,0", "6,9", "5,0", "8,9")
    assert (3, 0) in board(*cells).fives(0)
    assert board(*cells, is_exact=True).fives(0) == []


def test_it_finds_a_chain_of_fours() -> None:
    """Three in a row with one end shut, and another three that cross: the four that makes both fives at once."""
    game = board("3,7", "2,7", "4,7", "14,0", "5,7", "14,2", "7,4", "14,4", "7,5", "12,0", "7,6", "7,3")
    chain = game.chain(0, 8)
    assert chain is not None
    game.put(chain, 0)
    assert len(set(game.fives(0))) >= 1


def test_it_swaps_for_the_side_that_is_ahead() -> None:
    assert board("7,7", "0,0", "8,7").step() is None
    assert board("0,0", "7,7", "14,14").step() not in (None, [])
    opening = board().step()
    assert opening == [(7, 7), (8, 8), (11, 11)]
    level = board(*[f"{x},{y}" for x, y in opening])
    assert len(level.step() or []) == 2, "neither is ahead: two more stones"
    assert len(level.stones) == 3
    assert gomoku_bot.Gomoku(5, 6, is_exact=True).step() == [(2, 3), (3, 4), (4, 5)]

"""Go against GNU Go: legal points and the board at every ply of random games, the count at their end, SGF files.

The games prefer points beside stones, so that captures, kos and repetitions are common. GNU Go's `all_legal` knows
superko if it is told to; its count (`--chinese-rules`) is by area, and is compared where no stone is dead.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from harness.records import GameRecord, Termination, Transcript
from harness.rules.go import GoRules, build
from harness.rules.go_board import place
from harness.rules.go_position import GoPosition
from harness.rules.go_sgf import write_sgf
from tests.rules.gnugo_oracle import GnuGo

pytestmark = [pytest.mark.engines, pytest.mark.timeout(120)]

GAMES = int(os.environ.get("HARNESS_GO_GAMES", "3"))
KO = {"positional": "--positional-superko", "situational": "--situational-superko", "simple": "--simple-ko"}
COLORS = "bw"


def board(position: GoPosition) -> dict[str, str]:
    rows = position._rows()
    letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
    colors = {"X": "black", "O": "white"}
    return {
        f"{letters[x]}{len(rows) - y}": colors[stone]
        for y, row in enumerate(rows)
        for x, stone in enumerate(row)
        if stone != "."
    }


def set_up(oracle: GnuGo, rules: GoRules, seed: int) -> GoPosition:
    position = rules.start(seed)
    oracle.say(f"boardsize {rules.table.grid.size}")
    oracle.say("clear_board")
    oracle.say(f"komi {rules.table.komi}")
    for ply, point in enumerate(rules.opening(seed)):
        oracle.say(f"play {COLORS[ply % 2]} {rules.table.grid.names[point]}")
    return position


@pytest.mark.parametrize("ko", list(KO))
@pytest.mark.parametrize(("size", "suicide"), [(5, False), (5, True), (9, False), (19, False)])
def test_random_games_are_legal_and_look_the_same(size: int, ko: str, suicide: bool) -> None:
    rules = build({"size": size, "ko": ko, "suicide": suicide, "cleanup": False}, str)
    with GnuGo(KO[ko], "--allow-suicide" if suicide else "--forbid-suicide") as oracle:
        for game in range(GAMES):
            draw = random.Random(game)
            position = set_up(oracle, rules, game)
            for ply in range(160 if size < 19 else 60):
                if not position.to_act():
                    break
                seat = position.to_act()[0]
                legal = position.legal(seat)[:-1]
                said = set(oracle.say(f"all_legal {COLORS[seat]}").split())
                assert said - set(legal) <= suicides(position, seat), f"game {game}, ply {ply}"
                assert set(legal) <= said, f"game {game}, ply {ply}"
                text = draw.choice(legal) if legal and draw.random() > 0.02 else "pass"
                position.apply({seat: position.parse(seat, text)})
                oracle.say(f"play {COLORS[seat]} {text}")
                assert board(position) == oracle.stones(), f"game {game}, ply {ply}"


def suicides(position: GoPosition, seat: int) -> set[str]:
    """Give the points on which a stone would have no liberty.

    A lone stone's suicide is no move here, since it is a pass; and GNU Go does not see that a group's suicide brings a
    position back.
    """
    grid = position._table.grid
    return {
        name
        for point, name in enumerate(grid.names)
        if position._table.allows_suicide
        and not position._board[point]
        and place(position._board, grid.neighbours, point, seat + 1) is None
    }


@pytest.mark.parametrize("size", [5, 7, 9])
def test_the_count_is_the_same_when_nothing_is_dead(size: int) -> None:
    """GNU Go fills and captures until both pass in the cleanup; then its own count must be ours."""
    rules = build({"size": size, "opening_moves": {5: 0, 7: 2, 9: 4}[size]}, str)
    with GnuGo("--positional-superko", "--level", "0", "--capture-all-dead") as oracle:
        for seed in range(GAMES):
            position = set_up(oracle, rules, seed)
            while seats := position.to_act():
                text = oracle.say(f"kgs-genmove_cleanup {COLORS[seats[0]]}")
                position.apply({seats[0]: position.parse(seats[0], text)})
            outcome = position.outcome()
            assert outcome is not None
            if "resigns" in outcome.detail:
                continue
            assert outcome.values is not None
            margin = outcome.values[0] - outcome.values[1]
            assert oracle.say("final_score") == f"{'B' if margin > 0 else 'W'}+{abs(margin):.1f}", position.draw()


@pytest.mark.parametrize("params", [{"size": 9}, {"size": 13, "handicap": 4}, {"size": 19, "opening_moves": 8}])
def test_gnugo_loads_what_is_written(params: dict[str, object], tmp_path: Path) -> None:
    rules = build(params, str)
    draw = random.Random(5)
    position = rules.start(5)
    for _ in range(80):
        seat = position.to_act()[0]
        position.apply({seat: position.parse(seat, draw.choice(position.legal(seat)[:-1]))})
    record = GameRecord((0, 1), (1.0, 0.0), Termination.ADJUDICATED, "so be it", 80, 1.0, "", ())
    transcript = Transcript(3, 1, 5, ("a]b\\", "c"), tuple(position.log), (1000,) * 80)
    path = tmp_path / "game.sgf"
    path.write_text(write_sgf(transcript, record, rules, event="run", started="2026-11-30T00:00:00.000Z"))
    with GnuGo() as oracle:
        to_move = oracle.say(f"loadsgf {path}")
        assert to_move == ("black", "white")[position.to_act()[0]]
        assert oracle.stones() == board(position)
        assert float(oracle.say("get_komi")) == rules.table.komi

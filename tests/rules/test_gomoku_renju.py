"""Renju's forbidden moves: pictures of each kind, and positions that two other programs have judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.rules.gomoku import build
from harness.rules.gomoku_board import board_of
from harness.rules.gomoku_renju import why_forbidden

KINDS = {"three": "a double three", "four": "a double four", "row": "a row of more than five"}
JUDGED = (Path(__file__).parent / "renju_positions.txt").read_text(encoding="utf-8").splitlines()


def read_picture(rows: str) -> tuple[int, int, int, int]:
    """Give side, Black's and White's cells, and the cell marked `*`; rows are separated by blanks."""
    lines = rows.split()
    board = board_of(len(lines), len(lines))
    sets = {"X": 0, "O": 0, "*": 0}
    for y, line in enumerate(lines):
        for x, mark in enumerate(line):
            if mark != ".":
                sets[mark] |= board.bits[f"{x},{y}"]
    return len(lines), sets["X"], sets["O"], sets["*"]


@pytest.mark.parametrize(
    ("picture", "why"),
    [
        # two open threes that cross
        (".........  .........  .........  ....X....  ....X....  ..XX*....  .........  .........  .........", "three"),
        # one of them has an edge of the board beside each end: no straight four comes of it
        ("....X.... ....X.... .XX.*.... ......... ......... ......... ......... ......... .........", None),
        # a white stone takes the straight four away
        ("......... ......... ....O.... ....X.... ....X.... ..XX*.... ....O.... ......... .........", None),
        # two fours that cross
        ("......... ....X.... ....X.... ....X.... .XXX*.... ......... ......... ......... .........", "four"),
        # two fours in one line
        ("......... ......... ......... ......... X.XX*.X.. ......... ......... ......... .........", "four"),
        ("......... ......... ......... ......... X.X*X.X.. ......... ......... ......... .........", "four"),
        ("......... ......... ......... ......... .XX*X.XX. ......... ......... ......... .........", None),
        # a straight four is one four, and with a three it is allowed
        ("......... ......... ......... ......... .XXX*.... ....X.... ....X.... ......... .........", None),
        # six in a row; five makes up for it
        ("......... ......... ......... ......... .XXX*XX.. ......... ......... ......... .........", "row"),
        ("....X.... ....X.... ....X.... ....X.... .XXX*XX.. ......... ......... ......... .........", None),
        # five in one line makes up for two fours in others
        ("......... ....X.... ....X.... ....X.... XXXX*.... ...X..... ..X...... .X....... .........", None),
    ],
)
def test_pictures(picture: str, why: str | None) -> None:
    side, black, white, bit = read_picture(picture)
    assert why_forbidden(board_of(side, side), black, white, bit) == (KINDS[why] if why else None)


@pytest.mark.parametrize("line", [line for line in JUDGED if not line.startswith("#")], ids=range(len(JUDGED) - 2))
def test_what_two_other_programs_say(line: str) -> None:
    """Every free cell of positions that were drawn at random and that both judge alike (see the file's head)."""
    place, _, verdict = line.partition(" : ")
    size, *stones = place.split()
    board = board_of(int(size), int(size))
    black = sum(board.bits[name] for name in stones[::2])
    white = sum(board.bits[name] for name in stones[1::2])
    found = {
        name: why
        for name, bit in board.bits.items()
        if not bit & (black | white) and (why := why_forbidden(board, black, white, bit)) is not None
    }
    judged = dict(entry.split("=") for entry in verdict.split())
    assert found == {name: KINDS[kind] for name, kind in judged.items()}


def test_the_game_offers_black_no_forbidden_cell() -> None:
    position = build({"openings": "none", "rule": "renju", "size": 9}, str).start(0)
    for text in ("4,3", "0,0", "4,4", "0,2", "2,5", "0,4", "3,5", "8,8"):
        (seat,) = position.to_act()
        position.apply({seat: position.parse(seat, text)})
    assert "4,5" not in position.legal(0)
    assert len(position.legal(0)) == 81 - 8 - 1


NOWHERE = (
    "2,3 3,0 1,2 4,3 4,4 0,3 3,4 1,1 6,2 6,0 2,0 5,4 5,2 3,1 1,4 2,4 5,1 0,0 2,2 0,1 5,3 1,0 0,4 6,1 4,2 4,0 5,0 3,3 "
    "6,4 1,3 2,1 4,1 0,2 6,3"
)


def test_a_game_in_which_black_may_go_nowhere_is_a_draw() -> None:
    """The last free cell would make a row of seven."""
    position = build({"openings": "none", "rule": "renju", "size": [7, 5]}, str).start(0)
    for text in NOWHERE.split():
        (seat,) = position.to_act()
        position.apply({seat: position.parse(seat, text)})
    outcome = position.outcome()
    assert outcome
    assert (outcome.scores, outcome.detail) == ((0.5, 0.5), "every free cell is forbidden to Black")

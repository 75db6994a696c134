"""A game as text."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from harness.records import Fault, FaultKind
from harness.report.layout import Ink, Look, text_width
from harness.report.replay import PlyView, render_end, render_head, render_ply
from tests.report.made_records import game_record

LOOK = Look(80)
NB = "\u202f"
BOARD = "+--+\n|0 |\n+--+"


def test_a_ply_is_a_line_with_its_board_below() -> None:
    view = PlyView(12, 1, "territory", "LEFT", 0.0094, "depth 9 score 31", BOARD)
    assert render_ply(view, LOOK, name_width=12).split("\n") == [
        f"   12  territory     LEFT        9.4{NB}ms  depth 9 score 31",
        "       +--+",
        "       |0 |",
        "       +--+",
    ]


def test_what_is_not_known_is_blank() -> None:
    assert render_ply(PlyView(0, 0, "a", "e2e4"), LOOK, name_width=4) == "    0  a     e2e4"


def test_the_engines_words_are_cut_and_tamed() -> None:
    view = PlyView(0, 0, "a", "e2e4", 0.1, "pv " + "e2e4 " * 100 + "\x1b[2J\r\n")
    line = render_ply(view, LOOK)
    assert "\n" not in line
    assert "\x1b" not in line
    assert line.endswith("…")
    assert text_width(line) == 80


@given(st.text(max_size=200), st.text(max_size=200), st.integers(60, 160), st.booleans())
def test_no_bot_can_break_the_page(action: str, info: str, width: int, unicode: bool) -> None:
    text = render_ply(PlyView(3, 0, "a", action, 0.1, info), Look(width, Ink.NONE, unicode))
    assert "\n" not in text
    assert "\x1b" not in text
    if unicode:
        assert text_width(text) <= max(width, 60 + 48)


def test_head_and_end() -> None:
    assert render_head(17, 1, 1000017, "ring 20x20", ("cand", "champ"), LOOK).split("\n") == [
        "job 17, game 1, seed 1000017: ring 20x20",
        "seat 0 cand, seat 1 champ",
    ]
    assert render_head(None, 0, 5, "map", ("a",), LOOK).startswith("game 0, seed 5: map")
    game = replace(game_record((1, 0), (0.0, 1.0), plies=83), detail="champ hit a wall", wall_s=1.231)
    assert render_end(game, ("champ", "cand"), LOOK) == f"champ 0, cand 1   champ hit a wall, 83 plies in 1.2{NB}s"
    shared = replace(game, scores=(0.5, 1 / 3))
    assert render_end(shared, ("a", "b"), LOOK).startswith(f"a ½, b 33{NB}%")


def test_every_fault_is_told_with_the_bots_last_words() -> None:
    fault = Fault(1, FaultKind.CRASH, 9, "exit status 1", "Traceback\nValueError: \x1b[31mno\n")
    game = game_record((0, 1), (1.0, 0.0), faults=[fault, replace(fault, seat=0, kind=FaultKind.TIMEOUT, stderr="")])
    lines = render_end(game, ("a", "b"), LOOK).split("\n")
    assert lines[1:] == [
        "! b crashes at ply 9: exit status 1",
        "  | Traceback",
        r"  | ValueError: \x1b[31mno",
        "! a forfeits on time at ply 9: exit status 1",
    ]
    illegal = game_record((0, 1), (1.0, 0.0), faults=[replace(fault, kind=FaultKind.ILLEGAL, stderr="")])
    assert "b acts illegally at ply 9" in render_end(illegal, ("a", "b"), LOOK)

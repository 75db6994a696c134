"""Gomoku: play by each rule against a brute-force count of lines, swap2, parameters, and the conformance kit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import IllegalAction
from harness.records import Form, MovesView, StateView
from harness.rules.base import ParamError, Position
from harness.rules.gomoku import GomokuRules, build
from harness.rules.registry import build_rules
from harness.testing.rules_kit import check_rules


def empty(**params: object) -> Position:
    return build({"openings": "none", **params}, str).start(0)


def put(position: Position, *texts: str) -> Position:
    """Play the actions in turn, as the seats whose turn it is."""
    for text in texts:
        (seat,) = position.to_act()
        position.apply({seat: position.parse(seat, text)})
    return position


def moves_view(position: Position) -> MovesView:
    view = position.view(0, Form.MOVES)
    assert isinstance(view, MovesView)
    return view


def state(position: Position) -> dict[str, object]:
    (seat,) = position.to_act()
    view = position.view(seat, Form.STATE)
    assert isinstance(view, StateView)
    return dict(view.state)


# ------------------------------------------------------------------------------------- who has won


def test_five_in_a_row_wins_in_each_direction() -> None:
    for black in ("0,0 1,0 2,0 3,0 4,0", "0,4 0,3 0,2 0,1 0,0", "0,0 1,1 3,3 4,4 2,2", "4,0 3,1 2,2 0,4 1,3"):
        cells = black.split()
        others = ["8,8", "8,6", "6,8", "5,6"]
        position = put(empty(size=9), *[cell for pair in zip(cells[:4], others, strict=True) for cell in pair])
        assert position.outcome() is None
        put(position, cells[4])
        outcome = position.outcome()
        assert outcome
        assert (outcome.scores, outcome.detail) == ((1.0, 0.0), "{0} has five in a row")
        assert position.to_act() == ()


def test_no_line_leads_round_an_edge() -> None:
    position = put(empty(size=5), "3,0", "0,4", "4,0", "2,4", "0,1", "4,4", "1,1", "1,3", "2,1")
    assert position.outcome() is None


def test_six_in_a_row_wins_free_and_not_standard_nor_for_black_in_renju() -> None:
    six = ["0,0", "0,2", "1,0", "1,2", "2,0", "2,2", "4,0", "6,4", "5,0", "6,6", "3,0"]
    assert put(empty(size=9), *six).outcome()
    position = put(empty(size=9, rule="standard"), *six)
    assert position.outcome() is None
    put(position, "3,2", "8,8", "4,2")
    outcome = position.outcome()
    assert outcome
    assert outcome.scores == (0.0, 1.0)
    with pytest.raises(IllegalAction, match="3,0 is forbidden to Black: a row of more than five"):
        put(empty(size=9, rule="renju"), *six)
    whites = [six[0], six[2], six[4], six[6], six[8], six[10]]
    blacks = ["8,8", "0,8", "2,8", "4,8", "6,8", "8,6"]
    game = [cell for pair in zip(blacks, whites, strict=True) for cell in pair]
    outcome = put(empty(size=9, rule="renju"), *game).outcome()
    assert outcome
    assert outcome.scores == (0.0, 1.0)


def test_a_full_board_is_a_draw() -> None:
    columns = [0, 2, 4, 1, 3]  # rows in pairs of colours, so that no five arises
    order = [f"{x},{y}" for y in range(5) for x in columns]
    position = empty(size=5, rule="standard")
    rows = ["XXOXX", "OOXOO", "XXOXX", "OOXOO", "XXOXO"]
    black = [f"{x},{y}" for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "X"]
    white = [cell for cell in order if cell not in black]
    assert (len(black), len(white)) == (13, 12)
    game = [cell for pair in zip(black, [*white, ""], strict=True) for cell in pair if cell]
    put(position, *game)
    outcome = position.outcome()
    assert outcome
    assert (outcome.scores, outcome.detail) == ((0.5, 0.5), "the board is full")


def longest_rows(stones: set[tuple[int, int]]) -> list[int]:
    """Count the length of every maximal row, stone by stone: slow, and independent of how the rules do it."""
    lengths = []
    for x, y in stones:
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            if (x - dx, y - dy) in stones:
                continue
            length = 1
            while (x + length * dx, y + length * dy) in stones:
                length += 1
            lengths.append(length)
    return lengths


@given(
    st.integers(5, 9),
    st.integers(5, 9),
    st.sampled_from(["free", "standard"]),
    st.randoms(use_true_random=False),
)
def test_games_end_when_a_count_of_every_row_says_so(width: int, height: int, rule: str, random: object) -> None:
    cells = [(x, y) for y in range(height) for x in range(width)]
    random.shuffle(cells)  # type: ignore[attr-defined]
    position = empty(size=[width, height], rule=rule)
    stones: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
    for number, (x, y) in enumerate(cells):
        seat = number % 2
        assert position.to_act() == (seat,)
        assert len(position.legal(seat)) == len(cells) - number
        put(position, f"{x},{y}")
        stones[seat].add((x, y))
        rows = longest_rows(stones[seat])
        if 5 in rows or (rule == "free" and max(rows) > 5):
            outcome = position.outcome()
            assert outcome
            assert outcome.scores[seat] == 1
            return
        if number + 1 < len(cells):
            assert position.outcome() is None, position.draw()
    outcome = position.outcome()
    assert outcome
    assert outcome.scores == (0.5, 0.5)


# ------------------------------------------------------------------------------------- what is read and shown


def test_cells_are_read_with_blanks_and_written_without() -> None:
    position = put(empty(), " 7 , 7\r\n", "8,8")
    assert position.log == ["7,7", "8,8"]
    assert moves_view(position).line == " 7,7 8,8"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("7,7", r"7,7 is taken \(move 1\)"),
        ("15,0", "15,0 is off the board of 15x15"),
        ("-1,0", "-1,0 is off the board of 15x15"),
        ("h8", "'h8' is not a cell: two numbers with a comma between"),
        ("7,7,1", "'7,7,1' is not a cell"),
        ("9" * 5000 + ",1", "'9{40}' is not a cell"),
        ("07,8", "07,8 is off the board"),
        ("\N{ARABIC-INDIC DIGIT SEVEN},8", "'.u0667,8' is not a cell"),
        ("SWAP", "'SWAP' is not a cell"),
    ],
)
def test_other_answers_are_refused_with_the_reason(text: str, reason: str) -> None:
    position = put(empty(), "7,7")
    with pytest.raises(IllegalAction, match=reason):
        position.parse(1, text)


def test_state_says_all_that_there_is_to_know() -> None:
    shown = state(put(empty(size=[7, 5], rule="standard"), "3,2", "0,0"))
    legal = shown.pop("legal")
    assert isinstance(legal, list)
    assert len(legal) == 33
    assert shown == {
        "width": 7,
        "height": 5,
        "rule": "standard",
        "moves": ["3,2", "0,0"],
        "board": ["O......", ".......", "...X...", ".......", "......."],
        "seat": 0,
        "color": "black",
        "phase": "play",
    }


def test_the_picture() -> None:
    assert put(empty(size=5), "3,1", "0,0").draw() == (
        "     0  1  2  3  4\n"
        "  0 >O  .  .  .  .\n"
        "  1  .  .  .  X  .\n"
        "  2  .  .  .  .  .\n"
        "  3  .  .  .  .  .\n"
        "  4  .  .  .  .  .\n"
        "X (seat 0) to move, after O 0,0"
    )


def test_forfeits() -> None:
    position = put(empty(), "7,7")
    position.apply({}, (1,))
    outcome = position.outcome()
    assert outcome
    assert (outcome.scores, outcome.detail) == ((1.0, 0.0), "{1} forfeits")


# ------------------------------------------------------------------------------------------- swap2

PLACED = "7,7 8,7 9,9"


def swap2(*steps: str) -> Position:
    return put(build({"openings": "swap2", "rule": "standard"}, str).start(0), *steps)


@pytest.mark.parametrize(
    ("steps", "black", "to_move", "stones"),
    [
        ([PLACED, "SWAP"], 1, 0, 3),  # seat 1 is Black: White's fourth stone is seat 0's
        ([PLACED, "8,8"], 0, 0, 4),  # seat 1 stayed White and has moved
        ([PLACED, "8,8 8,6", "SWAP"], 0, 1, 5),  # seat 0 took Black: White's sixth stone is seat 1's
        ([PLACED, "8,8 8,6", "6,8"], 1, 1, 6),  # seat 0 stayed White and has moved
    ],
    ids=["swap", "stay", "five-swap", "five-stay"],
)
def test_swap2_settles_colours(steps: Sequence[str], black: int, to_move: int, stones: int) -> None:
    position = swap2(*steps)
    view = moves_view(position)
    assert (view.first_seat, view.variant) == (black, "standard")
    assert position.to_act() == (to_move,)
    shown = state(position)
    assert (shown["phase"], shown["color"]) == ("play", ("black" if to_move == black else "white"))
    assert sum(row.count("X") + row.count("O") for row in shown["board"]) == stones  # type: ignore[attr-defined]
    assert position.log == list(steps) == view.moves
    assert view.line.split() == " ".join(steps).split()


def test_who_wins_after_a_swap_is_who_has_the_stones() -> None:
    position = swap2("0,0 0,2 1,0", "SWAP", "1,2", "2,0", "2,2", "3,0", "3,2", "4,0")
    outcome = position.outcome()
    assert outcome
    assert (outcome.scores, outcome.detail) == ((0.0, 1.0), "{1} has five in a row")


def test_swap2_says_who_is_asked_what() -> None:
    position = swap2()
    assert moves_view(position).variant == "standard swap2"
    phases = []
    for step in (PLACED, "1,1 2,2", "swap"):
        shown = state(position)
        assert shown["color"] is None
        phases.append((position.to_act(), shown["phase"]))
        assert position.draw().splitlines()[-1].startswith(f"seat {position.to_act()[0]} to choose")
        put(position, step)
    assert phases == [
        ((0,), "swap2: put three stones"),
        ((1,), "swap2: SWAP, put one stone or put two"),
        ((0,), "swap2: SWAP or put one stone"),
    ]
    assert position.log[-1] == "SWAP"


@pytest.mark.parametrize(
    ("steps", "text", "reason"),
    [
        ([], "SWAP", "no step of swap2; allowed now: three cells, for example 7,7 8,7 9,9"),
        ([], "7,7", "no step of swap2; allowed now: three cells"),
        ([], "7,7 8,8 7,7", "the same cell twice: 7,7 8,8 7,7"),
        ([], "7,7 8,8 15,0", "15,0 is off the board"),
        ([PLACED], PLACED, "no step of swap2; allowed now: SWAP, or one cell, or two"),
        ([PLACED], "7,7", r"7,7 is taken \(move 1\)"),
        ([PLACED, "1,1 2,2"], "3,3 4,4", "no step of swap2; allowed now: SWAP, or one cell"),
        ([PLACED, "1,1 2,2"], "1,1", r"1,1 is taken \(move 4\)"),
        ([PLACED, "SWAP"], "SWAP", "'SWAP' is not a cell"),
    ],
)
def test_other_steps_are_refused(steps: list[str], text: str, reason: str) -> None:
    position = swap2(*steps)
    with pytest.raises(IllegalAction, match=reason):
        position.parse(position.to_act()[0], text)


def test_a_forfeit_in_the_opening_ends_the_game() -> None:
    position = swap2(PLACED)
    position.apply({}, (1,))
    outcome = position.outcome()
    assert outcome
    assert outcome.scores == (1.0, 0.0)


# -------------------------------------------------------------------------------------- parameters, kit


@pytest.mark.parametrize(
    ("params", "key", "allowed"),
    [
        ({"sise": 15}, "sise", "gomoku has: size, rule, openings, stones, transform"),
        ({"size": 4}, "size", r"a whole number from 5 to 25, or two of them: \[width, height\]"),
        ({"size": 26}, "size", "from 5 to 25"),
        ({"size": True}, "size", "from 5 to 25"),
        ({"size": [15]}, "size", "from 5 to 25"),
        ({"size": "15x15"}, "size", "from 5 to 25"),
        ({"rule": "caro"}, "rule", "free, standard, renju"),
        ({"openings": 3}, "openings", "balanced, none, swap2, or the name of a file"),
        ({"stones": 0}, "stones", "a whole number from 1 to 8"),
        ({"stones": 3, "openings": "none"}, "stones", "only together with `openings: balanced`"),
        ({"transform": True}, "transform", "only together with a file of openings"),
        ({"transform": 1, "openings": "book.txt"}, "transform", "true, false"),
    ],
)
def test_wrong_parameters_say_what_is_allowed(params: dict[str, object], key: str, allowed: str) -> None:
    with pytest.raises(ParamError, match=allowed) as caught:
        build(params, str)
    assert caught.value.key == key


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"size": [9, 6], "rule": "standard"},
        {"size": 5, "openings": "none"},
        {"size": 7, "openings": "swap2"},
        {"size": 7, "openings": "swap2", "rule": "renju"},
        {"size": 8, "rule": "renju", "stones": 4},
    ],
    ids=str,
)
def test_gomoku_conforms(params: dict[str, object]) -> None:
    check_rules(lambda: build(params, str), seeds=range(3))


def test_the_registry_knows_gomoku() -> None:
    assert isinstance(build_rules("gomoku", {}, str), GomokuRules)


def test_a_view_in_a_form_that_gomoku_does_not_have() -> None:
    with pytest.raises(ValueError, match="gomoku shows itself as moves or state, not as lines"):
        empty().view(0, Form.LINES)
    with pytest.raises(TypeError, match="is the text that parse gave, got 7"):
        empty().apply({0: 7})
    with pytest.raises(TypeError, match="is the text that parse gave, got 7"):
        swap2().apply({0: 7})

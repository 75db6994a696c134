"""The light-cycles game on small boards with known starts: every way to be out, in both kinds of turn."""

from __future__ import annotations

import json

import pytest

from harness.errors import IllegalAction
from harness.records import Form, LinesView, StateView, Termination
from harness.rules.lightcycles_game import AtOnce, Cycles, InTurn, Layout
from harness.rules.lightcycles_map import ArenaMap, Cell, MapShape


def position(
    *starts: Cell,
    width: int = 7,
    height: int = 5,
    at_once: bool = False,
    obstacles: tuple[Cell, ...] = (),
    sends_header: bool = False,
) -> Cycles:
    shape = MapShape(width, height, len(starts), mirrored=False, obstacles=len(obstacles))
    turns = "simultaneous" if at_once else "alternate"
    layout = Layout(shape, turns, sends_header=sends_header)
    return (AtOnce if at_once else InTurn)(layout, ArenaMap(starts, obstacles))


def play(game: Cycles, *turns: str) -> None:
    """Make turns: each a word for every seat that acts, `-` for a forfeit; U R D L stand for the directions."""
    words = {"U": "UP", "R": "RIGHT", "D": "DOWN", "L": "LEFT"}
    for turn in turns:
        seats = game.to_act()
        assert len(seats) == len(turn)
        said = dict(zip(seats, turn, strict=True))
        actions = {seat: game.parse(seat, words[word]) for seat, word in said.items() if word != "-"}
        game.apply(actions, [seat for seat, word in said.items() if word == "-"])


def scores(game: Cycles) -> tuple[float, ...]:
    outcome = game.outcome()
    assert outcome
    return outcome.scores


def values(game: Cycles) -> list[float]:
    outcome = game.outcome()
    assert outcome
    return list(outcome.values or ())


def detail(game: Cycles) -> str:
    outcome = game.outcome()
    assert outcome
    return outcome.detail


def lines(game: Cycles, seat: int) -> str:
    view = game.view(seat, Form.LINES)
    assert isinstance(view, LinesView)
    assert view.n_answer_lines == 1
    return view.text


# ------------------------------------------------------------------------------------- what a seat sees


def test_lines_are_the_contests() -> None:
    game = position((2, 1), (5, 3))
    assert game.to_act() == (0,)
    assert lines(game, 0) == "2 0\n2 1 2 1\n5 3 5 3\n"
    play(game, "R")
    assert game.to_act() == (1,)
    assert lines(game, 1) == "2 1\n2 1 3 1\n5 3 5 3\n"
    play(game, "U", "R")
    assert lines(game, 1) == "2 1\n2 1 4 1\n5 3 5 2\n"


def test_lines_at_once_show_all_as_they_stood() -> None:
    game = position((2, 1), (5, 3), at_once=True)
    assert game.to_act() == (0, 1)
    play(game, "RU")
    assert lines(game, 0) == "2 0\n2 1 3 1\n5 3 5 2\n"
    assert lines(game, 1) == "2 1\n2 1 3 1\n5 3 5 2\n"


def test_a_seat_that_is_out_is_shown_as_minus_ones() -> None:
    game = position((0, 0), (3, 3), (5, 1))
    play(game, "U")
    assert lines(game, 1) == "3 1\n-1 -1 -1 -1\n3 3 3 3\n5 1 5 1\n"


def test_the_header_opens_the_first_request_of_every_seat_and_no_other() -> None:
    game = position((2, 1), (5, 3), obstacles=((3, 2), (0, 4)), sends_header=True)
    header = "board 7 5 alternate 2\n3 2\n0 4\n"
    assert lines(game, 0) == header + "2 0\n2 1 2 1\n5 3 5 3\n"
    assert lines(game, 0).startswith("board"), "asking twice changes nothing"
    play(game, "U")
    assert lines(game, 1) == header + "2 1\n2 1 2 0\n5 3 5 3\n"
    play(game, "U")
    assert lines(game, 0) == "2 0\n2 1 2 0\n5 3 5 2\n"


def test_the_header_reaches_a_seat_whose_predecessor_is_out_at_once() -> None:
    game = position((0, 0), (3, 3), (5, 1), sends_header=True)
    play(game, "U")
    assert lines(game, 1).startswith("board 7 5 alternate 0\n3 1\n")
    play(game, "U")
    assert lines(game, 2).startswith("board 7 5 alternate 0\n3 2\n")
    play(game, "U")
    assert lines(game, 1).startswith("3 1\n")


def test_state_is_json_and_says_everything() -> None:
    game = position((2, 1), (5, 3), (0, 0), at_once=True, obstacles=((6, 0),))
    play(game, "RUU")
    view = game.view(1, Form.STATE)
    assert isinstance(view, StateView)
    assert json.loads(json.dumps(view.state)) == {
        "rules": "lightcycles",
        "width": 7,
        "height": 5,
        "turns": "simultaneous",
        "players": 3,
        "seat": 1,
        "turn": 1,
        "legal": ["UP", "RIGHT", "LEFT"],
        "alive": [0, 1],
        "tails": [[2, 1], [5, 3], None],
        "heads": [[3, 1], [5, 2], None],
        "board": ["......#", "..00...", ".....1.", ".....1.", "......."],
    }


def test_a_form_that_it_does_not_have_is_a_bug_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no form moves"):
        position((2, 1), (5, 3)).view(0, Form.MOVES)


def test_draw() -> None:
    game = position((2, 1), (5, 3), obstacles=((6, 0),))
    play(game, "R", "U", "U", "D")
    assert game.draw().splitlines() == [
        "turn 2: A = seat 0, B = seat 1 (out)",
        "+-------+",
        "|...A..#|",
        "|..aa...|",
        "|.....B.|",
        "|.....b.|",
        "|.......|",
        "+-------+",
    ]


# ------------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize("text", ["UP", " UP", "UP\r", "\tUP \n"])
def test_blanks_around_a_direction_do_no_harm(text: str) -> None:
    game = position((2, 1), (5, 3))
    assert game.parse(0, text) == game.parse(0, "UP")


@pytest.mark.parametrize("text", ["", "up", "Up", "NORTH", "UP DOWN", "U P", "UP\0", "\u00a0UP", "0", "É"])
def test_anything_else_is_illegal(text: str) -> None:
    with pytest.raises(IllegalAction, match="is no direction; allowed: UP, RIGHT, DOWN, LEFT"):
        position((2, 1), (5, 3)).parse(0, text)


def test_the_reason_shows_a_long_answer_cut_and_escaped() -> None:
    with pytest.raises(IllegalAction) as caught:
        position((2, 1), (5, 3)).parse(0, "\x1b[2J" + "x" * 1_000_000)
    assert str(caught.value).startswith("'\\x1b[2Jxxx")
    assert len(str(caught.value)) < 120


def test_legal_lists_safe_moves_or_all_if_none_is() -> None:
    game = position((0, 0), (5, 3))
    assert game.legal(0) == ["RIGHT", "DOWN"]
    boxed_in = position((0, 0), (5, 3), obstacles=((1, 0), (0, 1)))
    assert boxed_in.legal(0) == ["UP", "RIGHT", "DOWN", "LEFT"]


# -------------------------------------------------------------------------------------- ways to be out


@pytest.mark.parametrize(
    ("start", "moves", "why"),
    [
        ((2, 0), "U", "{0} left the board"),
        ((2, 4), "D", "{0} left the board"),
        ((0, 2), "L", "{0} left the board"),
        ((6, 2), "R", "{0} left the board"),
        ((2, 2), "R", "{0} hit an obstacle"),
        ((2, 2), "UD", "{0} ran into its own trail"),
        ((4, 2), "R", "{0} ran into the trail of {1}"),
    ],
)
@pytest.mark.parametrize("at_once", [False, True])
def test_who_runs_into_something_is_out(start: Cell, moves: str, why: str, at_once: bool) -> None:
    game = position(start, (5, 2), at_once=at_once, obstacles=((3, 2),))
    turns = [f"{move}D" for move in moves]
    if not at_once:
        turns = list("".join(turns))[:-1]  # the other wins before its last move
    play(game, *turns)
    assert scores(game) == (0, 1)
    assert detail(game) == why
    assert game.to_act() == ()


def test_a_row_does_not_run_on_into_the_next() -> None:
    game = position((6, 1), (3, 3))
    play(game, "R")
    assert detail(game) == "{0} left the board"


def test_in_turn_the_second_to_crash_has_won_already() -> None:
    game = position((0, 0), (6, 0))
    play(game, "U")
    assert scores(game) == (0, 1)
    outcome = game.outcome()
    assert outcome
    assert outcome.termination is Termination.NORMAL
    assert values(game) == [0, 0]
    assert game.log == ["UP"]


def test_at_once_two_that_meet_are_both_out() -> None:
    game = position((2, 2), (4, 2), at_once=True)
    play(game, "RL")
    assert scores(game) == (0.5, 0.5)
    assert detail(game) == "{0} and {1} met head-on"
    outcome = game.outcome()
    assert outcome
    assert values(game) == [0, 0]
    assert outcome.termination is Termination.NORMAL


def test_at_once_two_that_change_places_are_both_out() -> None:
    game = position((2, 2), (3, 2), at_once=True)
    play(game, "RL")
    assert scores(game) == (0.5, 0.5)
    assert detail(game) == "{0} ran into the trail of {1}; {1} ran into the trail of {0}"


def test_at_once_the_cell_that_another_leaves_is_taken() -> None:
    game = position((2, 2), (3, 2), at_once=True)
    play(game, "RR")
    assert scores(game) == (0, 1)


def test_three_can_meet_in_one_cell() -> None:
    game = position((2, 2), (4, 2), (3, 1), (0, 0), at_once=True)
    play(game, "RLDR")
    assert scores(game) == pytest.approx((1 / 3, 1 / 3, 1 / 3, 1))
    assert detail(game) == "{0}, {1} and {2} met head-on"


def test_two_pairs_can_meet_in_one_turn() -> None:
    game = position((0, 0), (2, 0), (0, 4), (2, 4), at_once=True)
    play(game, "RLRL")
    assert scores(game) == (0.5, 0.5, 0.5, 0.5)
    assert detail(game) == "{0} and {1} met head-on; {2} and {3} met head-on"


def test_values_are_the_turns_survived() -> None:
    game = position((2, 1), (6, 3), at_once=True)
    play(game, "RU", "RU", "RR")
    assert values(game) == [3, 2]
    game = position((2, 1), (6, 3))
    play(game, "R", "U", "R", "U", "R", "R")
    assert values(game) == [3, 2]


# --------------------------------------------------------------------------------- more than two players


def test_a_trail_disappears_when_its_cycle_is_out() -> None:
    game = position((3, 0), (1, 1), (6, 4))
    play(game, "D", "R", "L")  # 0 has a trail (3, 0) (3, 1), 1 goes right towards it
    play(game, "U")  # 0 runs into its own trail
    assert game.to_act() == (1,)
    play(game, "R", "L", "R")
    assert game.to_act() == (2,)
    assert lines(game, 2) == "3 2\n-1 -1 -1 -1\n1 1 4 1\n6 4 4 4\n"


def test_at_once_a_trail_still_stops_those_who_move_in_its_last_turn() -> None:
    game = position((3, 0), (2, 0), (6, 4), at_once=True)
    play(game, "URL")
    assert scores(game) == (0.25, 0.25, 1)
    assert detail(game) == "{0} left the board; {1} ran into the trail of {0}"


def test_at_once_a_trail_is_gone_one_turn_later() -> None:
    game = position((3, 0), (1, 0), (6, 4), at_once=True)
    play(game, "URL", "RL")
    assert game.to_act() == (1, 2)
    assert lines(game, 1) == "3 1\n-1 -1 -1 -1\n1 0 3 0\n6 4 4 4\n"


def test_the_order_of_going_out_makes_the_score() -> None:
    game = position((0, 0), (3, 0), (6, 0), (3, 4))
    play(game, "R", "U", "D", "U", "R", "R", "U", "U")
    assert scores(game) == pytest.approx((2 / 3, 0, 1 / 3, 1))
    assert detail(game) == "{1} left the board; {2} left the board; {0} left the board"


def test_turns_go_round_past_those_who_are_out() -> None:
    game = position((0, 0), (3, 3), (5, 1))
    play(game, "D", "U", "U", "L")  # 0 leaves the board in its second turn
    assert game.to_act() == (1,)
    play(game, "U", "L")
    assert game.to_act() == (1,)


# ----------------------------------------------------------------------------------------------- forfeits


@pytest.mark.parametrize("seat", [0, 1])
def test_a_forfeit_at_once_loses_against_whatever_the_other_does(seat: int) -> None:
    for other in "RU":  # safe, and off the board
        game = position((2, 0), (5, 0), at_once=True)
        play(game, f"-{other}" if seat == 0 else f"{other}-")
        assert scores(game) == ((0, 1) if seat == 0 else (1, 0))
        outcome = game.outcome()
        assert outcome
        assert outcome.termination is Termination.FORFEIT
        assert f"{{{seat}}} forfeited" in outcome.detail
        assert len(game.log) == 1


@pytest.mark.parametrize("seat", [0, 1])
def test_a_forfeit_in_turn_loses(seat: int) -> None:
    game = position((2, 0), (5, 0))
    play(game, *("R" * seat), "-")
    assert scores(game) == ((0, 1) if seat == 0 else (1, 0))
    assert detail(game) == f"{{{seat}}} forfeited"
    assert game.to_act() == ()


def test_both_forfeit_and_tie() -> None:
    game = position((2, 0), (5, 0), at_once=True)
    play(game, "--")
    assert scores(game) == (0.5, 0.5)
    assert detail(game) == "{0} forfeited; {1} forfeited"
    assert game.log == []


def test_a_forfeit_is_below_a_crash_of_the_same_turn_and_the_rest_play_on() -> None:
    game = position((0, 0), (3, 0), (6, 0), (3, 4), at_once=True)
    play(game, "U-DL")  # 0 crashes, 1 forfeits
    assert game.to_act() == (2, 3)
    play(game, "RL")
    outcome = game.outcome()
    assert outcome
    assert outcome.scores == pytest.approx((1 / 3, 0, 2 / 3, 1))
    assert outcome.termination is Termination.NORMAL, "the forfeit did not end the game"
    assert outcome.detail == "{0} left the board; {1} forfeited; {2} left the board"


def test_a_forfeit_takes_the_trail_off_the_board() -> None:
    game = position((3, 0), (2, 0), (6, 4))
    play(game, "-", "R")
    assert game.to_act() == (2,)


def test_two_of_four_forfeit_together() -> None:
    game = position((0, 0), (3, 0), (6, 0), (3, 4), at_once=True)
    play(game, "--DL", "--")
    assert scores(game) == pytest.approx((1 / 6, 1 / 6, 5 / 6, 5 / 6))
    outcome = game.outcome()
    assert outcome
    assert outcome.termination is Termination.FORFEIT

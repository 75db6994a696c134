"""Go: stones, kos, passes, the cleanup, the count, openings, parameters; and that it is what a plain model says."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.errors import IllegalAction
from harness.records import Form, MovesView, StateView, Termination
from harness.rules.base import ParamError
from harness.rules.go import GoRules, build
from harness.rules.go_board import areas, grid_of
from harness.rules.go_openings import draw_opening, handicap_points, most_handicap, most_opening_moves
from harness.rules.go_position import GoPosition
from harness.testing.rules_kit import check_rules


def rules(**params: object) -> GoRules:
    return build({"opening_moves": 0, **params}, str)


def start(**params: object) -> GoPosition:
    return rules(**params).start(1)


def play(position: GoPosition, text: str) -> GoPosition:
    """Make moves by turns; `-` passes."""
    for word in text.split():
        (seat,) = position.to_act()
        position.apply({seat: position.parse(seat, "pass" if word == "-" else word)})
    return position


def refusal(position: GoPosition, text: str) -> str:
    with pytest.raises(IllegalAction) as caught:
        position.parse(position.to_act()[0], text)
    return str(caught.value)


def rows(position: GoPosition) -> str:
    return " ".join(position._rows())


# --------------------------------------------------------------------------------------------- stones


def test_a_stone_without_liberties_is_taken() -> None:
    position = play(start(size=3), "B1 A1 A2")
    assert rows(position) == "... X.. .X."


def test_groups_are_taken_together_and_several_at_once() -> None:
    assert rows(play(start(size=4), "A2 A1 B2 B1 C1")) == ".... .... XX.. ..X."
    assert rows(play(start(size=4), "A2 A1 C2 C1 D1 - B1")) == ".... .... X.X. .X.X"


def test_suicide_is_refused_and_allowed_if_the_rules_say_so() -> None:
    assert "no liberty (suicide)" in refusal(play(start(size=3), "A2 - B1"), "A1")
    assert "no liberty" in refusal(play(start(size=3), "A2 A1 B2 - C1"), "B1")
    assert rows(play(start(size=3, suicide=True), "A2 A1 B2 - C1 B1")) == "... XX. ..X"
    assert "no liberty" in refusal(play(start(size=3, suicide=True), "A2 - B1"), "A1"), "of a lone stone it is a pass"


def test_what_captures_is_no_suicide() -> None:
    assert rows(play(start(size=3), "A3 A2 B2 B1 C1 - A1")) == "X.. .X. X.X"


# ------------------------------------------------------------------------------------------------ ko

KO = "B1 C1 A2 D2 B3 C3 C2 B2"
"""White has just taken C2 with B2 on a board of 4x4."""


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
def test_a_ko_is_not_taken_back_at_once(ko: str) -> None:
    position = play(start(size=4, ko=ko), KO)
    reason = "takes the ko back at once" if ko == "simple" else f"there before ({ko} superko)"
    assert reason in refusal(position, "C2")
    assert "C2" not in position.legal(0)
    play(position, "A4 D4 C2")
    assert position._board.count(1) == 5


def test_situational_superko_looks_at_who_moves_next() -> None:
    """A1 alone on the board was there with White to move; now it would be there with Black to move."""
    moves = "A1 B1 A2 - B2 B1"
    assert "A1" not in play(start(size=2, ko="positional"), moves).legal(0)
    assert "A1" in play(start(size=2, ko="situational"), moves).legal(0)


@given(st.integers(0, 10**6), st.sampled_from([3, 4, 5]), st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_position_comes_twice(seed: int, size: int, suicide: bool) -> None:
    draw = random.Random(seed)
    position = start(size=size, suicide=suicide, cleanup=False)
    seen = [position._board]
    while position.to_act():
        seat = position.to_act()[0]
        text = draw.choice(position.legal(seat)[:-1] or ["pass"])
        position.apply({seat: position.parse(seat, text)})
        if text != "pass":
            assert position._board not in seen
            seen.append(position._board)


# -------------------------------------------------------------------------------------- a plain model


def model_place(board: dict[str, int], size: int, point: str, color: int) -> dict[str, int] | None:
    """Put a stone down, slowly and plainly; None for suicide."""
    letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"[:size]

    def beside(name: str) -> list[str]:
        x, y = letters.index(name[0]), int(name[1:])
        near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return [f"{letters[a]}{b}" for a, b in near if 0 <= a < size and 1 <= b <= size]

    def group(name: str) -> set[str]:
        found, rest = {name}, [name]
        while rest:
            for other in beside(rest.pop()):
                if board.get(other) == board[name] and other not in found:
                    found.add(other)
                    rest.append(other)
        return found

    board = {**board, point: color}
    for dead in (3 - color, color):
        gone: set[str] = set()
        for name, stone in board.items():
            if stone == dead and not any(other not in board for each in group(name) for other in beside(each)):
                gone.add(name)
        if dead == color and gone:
            return None
        board = {name: stone for name, stone in board.items() if name not in gone}
    return board


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5, 7]))
@settings(max_examples=25, deadline=None)
def test_games_are_those_of_the_model(seed: int, size: int) -> None:
    draw = random.Random(seed)
    position = start(size=size, cleanup=False, max_plies=80)
    names = grid_of(size).names
    board: dict[str, int] = {}
    seen = [board]
    while position.to_act():
        (seat,) = position.to_act()
        after = {name: model_place(board, size, name, seat + 1) for name in names if name not in board}
        legal = [name for name in names if (then := after.get(name)) is not None and then not in seen]
        assert position.legal(seat) == [*legal, "pass"]
        text = draw.choice(legal or ["pass"])
        position.apply({seat: position.parse(seat, text)})
        board = after.get(text) or board
        seen.append(board)
        assert {names[at]: stone for at, stone in enumerate(position._board) if stone} == board


# ------------------------------------------------------------------------------- passes, count, ends


def test_two_passes_begin_the_cleanup_and_two_more_end_the_game() -> None:
    position = start(size=5)
    view = position.view(0, Form.MOVES)
    assert isinstance(view, MovesView)
    play(position, "C3 - ")
    assert view.variant == ""
    play(position, "- ")
    assert view.variant == "cleanup"
    assert position.to_act() == (1,)
    play(position, "- ")
    assert position.outcome() is None
    play(position, "-")
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.scores == (1.0, 0.0)
    assert outcome.values == (25.0, 7.5)
    assert outcome.detail == "{0} wins by 17.5: Black 25, White 0 and 7.5 komi"
    assert view.moves == ["C3", "pass", "pass", "pass", "pass"]
    assert view.line == " C3 pass pass pass pass"


def test_dead_stones_are_taken_in_the_cleanup() -> None:
    """White's stone on A1 is alive as long as nobody takes it; the cleanup is there to take it."""
    setup = "B2 A1 C2 - D2 - E2 - A2 - - "
    as_it_stands = play(start(size=5, komi=0.5), setup + "- -")
    cleaned = play(start(size=5, komi=0.5), setup + "- B1 - -")
    for position, black in ((as_it_stands, 20), (cleaned, 25)):
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.values is not None
        assert outcome.values[0] == black


def test_without_cleanup_two_passes_end_the_game() -> None:
    position = play(start(size=5, cleanup=False, komi=-3), "- -")
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.values) == ((1.0, 0.0), (0.0, -3.0))
    assert position.to_act() == ()


def test_equal_areas_are_a_draw() -> None:
    position = play(start(size=3, komi=0, cleanup=False), "- -")
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.scores == (0.5, 0.5)
    assert outcome.detail == "a draw: Black 0, White 0 and 0 komi"


def test_resigning_loses_and_is_no_fault() -> None:
    position = play(start(size=9), "E5 resign")
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.termination) == ((1.0, 0.0), Termination.NORMAL)
    assert outcome.detail == "{1} resigns"
    assert position.log == ["E5", "resign"]


def test_a_limit_of_plies_counts_as_it_stands() -> None:
    position = play(start(size=5, max_plies=2), "C3 D4")
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.termination is Termination.MAX_LENGTH
    assert outcome.scores == (0.0, 1.0)
    assert outcome.detail.endswith("counted at the limit of 2 plies")


def test_areas_are_stones_and_what_reaches_one_colour() -> None:
    grid = grid_of(3)
    board = bytearray(9)
    board[grid.index["B1"]] = board[grid.index["B2"]] = board[grid.index["B3"]] = 1
    assert areas(bytes(board), grid.neighbours) == (9, 0)
    board[grid.index["C1"]] = 2
    assert areas(bytes(board), grid.neighbours) == (6, 1)


# ------------------------------------------------------------------------------------ what is written


@pytest.mark.parametrize("text", ["d4", " D4 ", "PASS", "Pass", "RESIGN"])
def test_programs_write_moves_in_many_ways(text: str) -> None:
    assert str(start(size=9).parse(0, text)) in {"D4", "pass", "resign"}


@pytest.mark.parametrize("text", ["", "I5", "A0", "A10", "K1", "D", "dd", "D4 E5", "0000", "D٤"])
def test_what_is_no_point_is_refused(text: str) -> None:
    assert "is no point (A1 to J9, without the letter I), pass or resign" in refusal(start(size=9), text)


def test_a_taken_point_is_refused() -> None:
    assert refusal(play(start(size=9), "D4"), "D4") == "D4 is not empty: there is a black stone"


def test_the_state_says_all_there_is() -> None:
    position = play(start(size=3), "B2 A1")
    view = position.view(0, Form.STATE)
    assert isinstance(view, StateView)
    assert view.state == {
        "size": 3,
        "komi": 7.5,
        "ko": "positional",
        "handicap": [],
        "moves": ["B2", "A1"],
        "board": ["...", ".X.", "O.."],
        "legal": ["B1", "C1", "A2", "C2", "A3", "B3", "C3", "pass"],
        "seat": 0,
        "color": "black",
        "phase": "play",
    }
    with pytest.raises(ValueError, match="moves or state"):
        position.view(0, Form.LINES)


def test_an_action_that_parse_did_not_give_is_a_bug() -> None:
    with pytest.raises(TypeError, match="what parse gave"):
        start(size=9).apply({0: "D4"})


def test_the_board_is_drawn() -> None:
    assert play(start(size=2), "A1").draw() == " 2 . .\n 1 X .\n   A B\nWhite to move, after A1"


# ------------------------------------------------------------------------------------------ openings


@given(st.sampled_from(range(7, 26)), st.integers(-(2**63), 2**63 - 1))
@settings(max_examples=60, deadline=None)
def test_openings_are_the_same_for_both_sides(size: int, seed: int) -> None:
    """The second stone of each pair is the first one's image in one mirror; none touches another or the edge."""
    n_moves = most_opening_moves(size)
    opening = draw_opening(size, seed, n_moves)
    assert len(set(opening)) == n_moves
    places = [(point % size, point // size) for point in opening]
    last = size - 1
    images = [
        [(last - x, last - y), (last - x, y), (x, last - y), (y, x), (last - y, last - x)] for x, y in places[::2]
    ]
    assert any(
        all(image[mirror] == place for image, place in zip(images, places[1::2], strict=True)) for mirror in range(5)
    )
    assert all(0 < x < last and 0 < y < last for x, y in places)
    for one in range(n_moves):
        for two in range(one):
            (ax, ay), (bx, by) = places[one], places[two]
            assert max(abs(ax - bx), abs(ay - by)) > 1


def test_seeds_make_different_openings() -> None:
    assert len({draw_opening(9, seed, 4) for seed in range(500)}) > 400
    assert len({draw_opening(19, seed, 4) for seed in range(500)}) > 490
    assert draw_opening(9, 3, 4) == draw_opening(9, 3, 4)


def test_an_opening_is_the_map_s_and_not_in_the_log() -> None:
    drawn = build({"size": 9}, str)
    position = drawn.start(7)
    names = [drawn.table.grid.names[point] for point in drawn.opening(7)]
    view = position.view(0, Form.MOVES)
    assert isinstance(view, MovesView)
    assert view.moves == names
    assert view.start == "size 9 komi 7.5"
    assert position.log == []
    assert drawn.map_name(7) == f"9x9, {' '.join(names)}"


@pytest.mark.parametrize(
    ("size", "n_stones", "points"),
    [
        (9, 2, "C3 G7"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (13, 9, "D4 K10 D10 K4 D7 K7 G4 G10 G7"),
        (8, 4, "C3 F6 C6 F3"),
    ],
)
def test_handicap_stones_stand_where_gtp_says(size: int, n_stones: int, points: str) -> None:
    names = grid_of(size).names
    assert " ".join(names[point] for point in handicap_points(size, n_stones)) == points


def test_with_handicap_white_begins() -> None:
    position = build({"size": 13, "handicap": 3, "opening_moves": 2}, str).start(1)
    assert position.to_act() == (1,)
    view = position.view(1, Form.MOVES)
    assert isinstance(view, MovesView)
    assert view.start == "size 13 komi 0.5 handicap D4 K10 D10"
    assert view.first_seat == 1
    assert position._board.count(1) == 4
    assert position._board.count(2) == 1


# ------------------------------------------------------------------------------------------ parameters


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"size": 1}, "size: got 1, allowed: a whole number from 2 to 25"),
        ({"size": 26}, "from 2 to 25"),
        ({"size": "9"}, "size: got '9'"),
        ({"size": True}, "size: got True"),
        ({"komi": 7.3}, "komi: got 7.3, allowed: a number from -1000 to 1000 in halves"),
        ({"komi": "7.5"}, "komi: got '7.5'"),
        ({"komi": float("nan")}, "komi: got nan"),
        ({"komi": 2000}, "komi: got 2000"),
        ({"ko": "super"}, "ko: got 'super', allowed: positional, situational, simple"),
        ({"suicide": 1}, "suicide: got 1, allowed: true, false"),
        ({"cleanup": "no"}, "cleanup: got 'no'"),
        ({"handicap": 1}, "handicap: got 1, allowed: 0, or from 2 to 9 on a board of 19x19"),
        ({"size": 8, "handicap": 5}, "allowed: 0, or from 2 to 4"),
        ({"size": 5, "handicap": 2}, "allowed: 0 on a board of 5x5"),
        ({"opening_moves": 3}, "opening_moves: got 3, allowed: an even number from 0 to 20 (on 19x19)"),
        ({"size": 5, "opening_moves": 2}, "allowed: 0 (on 5x5)"),
        ({"max_plies": 0}, "max_plies: got 0"),
        ({"rule": 1}, "go has: size, komi, handicap"),
    ],
)
def test_wrong_parameters_are_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(ParamError) as caught:
        build(params, str)
    assert message in str(caught.value)


def test_every_size_has_its_defaults() -> None:
    for size in range(2, 26):
        assert build({"size": size}, str).start(1).to_act() == (0,)
        assert most_handicap(size) in {0, 4, 9}
    limits = [most_opening_moves(size) for size in range(7, 26)]
    assert limits[0] == 2
    assert all(before <= after for before, after in pairwise(limits) if after != 10)


@pytest.mark.parametrize(
    "params",
    [
        {"size": 2},
        {"size": 5, "ko": "simple", "suicide": True, "max_plies": 200},
        {"size": 5, "ko": "situational", "cleanup": False},
        {"size": 9},
        {"size": 7, "handicap": 2, "max_plies": 60},
    ],
    ids=str,
)
def test_go_conforms(params: dict[str, object]) -> None:
    check_rules(lambda: build(params, str), range(3))


# -------------------------------------------------------------------------------------------- the page

PAGE = (Path(__file__).parents[2] / "docs" / "rules" / "go.md").read_text(encoding="utf-8")


def test_every_config_of_the_page_is_accepted() -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines():
        params = yaml.safe_load(line)["rules"]
        assert params.pop("name") == "go"
        assert build(params, str).start(1).to_act()


def test_the_page_has_every_parameter_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .*? \| (?:`(.*?)`|3 for each point) \|", PAGE, re.MULTILINE))
    assert "`max_plies`" in PAGE
    defaults = {key: yaml.safe_load(value) for key, value in rows.items() if value}
    assert set(defaults) == {"size", "komi", "opening_moves", "handicap", "ko", "suicide", "cleanup"}
    spelled = build({**defaults, "max_plies": 3 * 19 * 19}, str)
    assert spelled.table == build({}, str).table
    assert spelled.opening(3) == build({}, str).opening(3)
    for size, most in ((19, 20), (13, 10), (9, 6), (7, 2)):
        assert most_opening_moves(size) == most

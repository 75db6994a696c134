from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.errors import IllegalAction
from harness.records import Form, MovesView, StateView, Termination
from harness.rules.base import ParamError
from harness.rules.chess import ChessRules, build
from harness.rules.chess_openings import Opening
from harness.rules.chess_position import ChessPosition
from harness.rules.registry import build_rules
from harness.testing.rules_kit import check_rules

BOOK = """rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id "King's pawn";
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1
rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1
"""
GAMES = """[Event "x"]
[ECO "B90"]
[Opening "Sicilian"]

1. e4 c5 2. Nf3 d6 *

1. d4 d5 2. c4 *
"""


def reader(text: str) -> Callable[[str], str]:
    def read_text(name: str) -> str:
        assert name.startswith("book.")
        return text

    return read_text


def play(position: ChessPosition, moves: str) -> ChessPosition:
    for text in moves.split():
        (seat,) = position.to_act()
        position.apply({seat: position.parse(seat, text)})
    return position


def at(fen: str, *, is_chess960: bool = False) -> ChessPosition:
    return ChessPosition(Opening(fen), is_chess960=is_chess960)


START = "startpos"


# ---------------------------------------------------------------------------------------- playing


def test_the_moves_view_is_one_object_that_grows() -> None:
    position = build({}, reader("")).start(0)
    view = position.view(0, Form.MOVES)
    assert isinstance(view, MovesView)
    assert (view.start, view.moves, view.first_seat, view.variant) == ("startpos", [], 0, "")
    play(position, "e2e4 e7e5")
    assert position.view(1, Form.MOVES) is view
    assert view.moves == ["e2e4", "e7e5"]
    assert position.log == ["e2e4", "e7e5"]
    assert position.to_act() == (0,)


def test_opening_moves_are_in_the_view_but_not_in_the_log() -> None:
    rules = build({"openings": "book.pgn", "order": "file", "plies": 3}, reader(GAMES))
    position = rules.start(0)
    view = position.view(1, Form.MOVES)
    assert isinstance(view, MovesView)
    assert view.moves == ["e2e4", "c7c5", "g1f3"]
    assert view.first_seat == 0
    assert position.to_act() == (1,)
    play(position, "d7d6")
    assert position.log == ["d7d6"]
    assert view.moves == ["e2e4", "c7c5", "g1f3", "d7d6"]


def test_black_may_move_first() -> None:
    position = build({"openings": "book.epd", "order": "file"}, reader(BOOK)).start(0)
    view = position.view(1, Form.MOVES)
    assert isinstance(view, MovesView)
    assert position.to_act() == (1,)
    assert view.first_seat == 1
    assert view.start == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def test_the_state_view_tells_all() -> None:
    position = play(at(START), "e2e4")
    view = position.view(1, Form.STATE)
    assert isinstance(view, StateView)
    assert view.state["fen"] == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert view.state["moves"] == ["e2e4"]
    assert view.state["color"] == "black"
    assert view.state["legal"] == position.legal(1)
    assert len(position.legal(1)) == 20
    assert position.legal(0) == []


def test_a_form_that_chess_has_not() -> None:
    with pytest.raises(ValueError, match="moves or state, not as lines"):
        at(START).view(0, Form.LINES)


@pytest.mark.parametrize(
    ("fen", "moves", "scores", "detail"),
    [
        (START, "f2f3 e7e5 g2g4 d8h4", (0, 1), "{0} was mated"),
        (START, "e2e4 f7f6 d2d4 g7g5 d1h5", (1, 0), "{1} was mated"),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g6", (0.5, 0.5), "stalemate, {1} to move"),
        ("8/8/8/8/6q1/5k2/8/7K b - - 0 1", "g4g3", (0.5, 0.5), "stalemate, {0} to move"),
        (START, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", (0.5, 0.5), "threefold repetition"),
        ("4k3/8/8/8/8/8/4P3/4KR2 w - - 99 1", "f1g1", (0.5, 0.5), "fifty moves without capture or pawn move"),
        ("4k3/8/8/8/8/3b4/4P3/4K3 w - - 0 1", "e2d3", None, ""),
        (
            "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1",
            "e1d2",
            (0.5, 0.5),
            "dead position: neither side has the material to mate",
        ),
    ],
)
def test_how_games_end(fen: str, moves: str, scores: tuple[float, float] | None, detail: str) -> None:
    position = play(at(fen), moves)
    outcome = position.outcome()
    if scores is None:
        assert outcome is None
        return
    assert outcome is not None
    assert outcome.scores == scores
    assert outcome.termination is Termination.NORMAL
    assert outcome.detail == detail
    assert position.to_act() == ()
    assert position.legal(0) == position.legal(1) == []


@pytest.mark.parametrize(("moves", "scores", "detail"), [("", (0, 1), "{0}"), ("e2e4", (1, 0), "{1}")])
def test_a_forfeit_loses(moves: str, scores: tuple[float, float], detail: str) -> None:
    position = play(at(START), moves)
    position.apply({}, position.to_act())
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.scores == scores
    assert outcome.termination is Termination.FORFEIT
    assert outcome.detail == f"{detail} forfeits"
    assert position.to_act() == ()


def test_repetition_counts_the_opening_moves() -> None:
    opening = Opening(START, ("g1f3", "g8f6", "f3g1", "f6g8"))
    position = play(ChessPosition(opening, is_chess960=False), "g1f3 g8f6 f3g1")
    assert position.outcome() is None
    outcome = play(position, "f6g8").outcome()
    assert outcome is not None
    assert outcome.detail == "threefold repetition"


# ------------------------------------------------------------------------------------------- parsing

CASTLE = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PROMOTE = "3k4/P7/8/8/8/8/7p/3K4 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "canonical"),
    [
        (START, "e2e4", "e2e4"),
        (START, " e2e4\n", "e2e4"),
        (CASTLE, "e1g1", "e1g1"),
        (CASTLE, "e1c1", "e1c1"),
        (PROMOTE, "a7a8n", "a7a8n"),
        (PROMOTE, "a7a8Q", "a7a8q"),
        ("k7/8/8/8/8/8/8/4R1K1 w - - 0 1", "e1c1", "e1c1"),
        ("k7/8/8/8/8/8/8/4Q1K1 w - - 0 1", "e1h1", None),
        ("k7/8/8/8/8/8/6K1/4Q3 w - - 0 1", "e1h1", "e1h1"),
    ],
)
def test_what_is_read(fen: str, text: str, canonical: str | None) -> None:
    position = at(fen)
    if canonical is None:
        with pytest.raises(IllegalAction):
            position.parse(0, text)
        return
    action = position.parse(0, text)
    assert action == canonical
    assert action in position.legal(0)
    position.apply({0: action})
    assert position.log == [canonical]


@pytest.mark.parametrize(
    ("fen", "text", "canonical"),
    [
        (START, "san Nf3", "g1f3"),
        (CASTLE, "san O-O", "e1g1"),
        (CASTLE, "san 0-0-0+", "e1c1"),
        (PROMOTE, "san a8=N", "a7a8n"),
        (PROMOTE, "san a7a8=Q", "a7a8q"),
    ],
)
def test_san_is_read_where_it_says_so(fen: str, text: str, canonical: str) -> None:
    assert at(fen).parse(0, text) == canonical


def test_san_in_chess960_castles_too() -> None:
    assert at("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", is_chess960=True).parse(0, "san O-O") == "f1g1"


def test_resigning_loses_and_is_no_fault() -> None:
    position = play(at(START), "e2e4")
    position.apply({1: position.parse(1, "resign")})
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.scores, outcome.termination, outcome.detail) == ((1, 0), Termination.NORMAL, "{1} resigns")
    assert position.log == ["e2e4", "resign"]
    assert position.to_act() == ()


@pytest.mark.parametrize(
    ("fen", "text", "reason"),
    [
        (START, "san Nf4", "'Nf4' is not a legal move here"),
        (START, "san hello", "is not a move in SAN"),
        (START, "Nf3", "not a move in UCI's form"),
        (START, "", "no move at all"),
        (START, "0000", "a null move"),
        (START, "(none)", "a null move"),
        (START, "e2-e4", "not a move in UCI's form"),
        (START, "O-O", "not a move in UCI's form"),
        (START, "E2E4", "lower case"),
        (START, "e2e9", "not a move in UCI's form"),
        (START, "e2e4 e7e5", "not a move in UCI's form"),
        (START, "é2e4", "not a move in UCI's form"),
        (START, "\x00" * 5, "not a move in UCI's form"),
        (START, "e4e5", "there is no piece on e4"),
        (START, "e7e5", "it is White's move, and the piece on e7 is not White's"),
        (START, "e2e5", "the pawn on e2 may not go to e5"),
        (START, "b1d2", "the knight on b1 may not go to d2"),
        (START, "e2e4q", "nothing promotes here; the move is e2e4"),
        (START, "e1g1", "the king on e1 may not go to g1"),
        (CASTLE, "e1h1", "king takes rook is castling in chess960 only"),
        (CASTLE.replace("KQkq", "Qkq"), "e1g1", "the king on e1 may not go to g1"),
        (PROMOTE, "a7a8", "needs a promotion letter, like a7a8q"),
        (PROMOTE, "a7a8k", "not a move in UCI's form"),
        ("4k3/8/8/8/4r3/8/8/R3K3 w Q - 0 1", "a1a2", "White is in check, and a1a2 does not end it"),
        ("4k3/8/8/8/4r3/8/4B3/4K3 w - - 0 1", "e2d3", "the bishop on e2 may not go to d3 while it is pinned"),
    ],
)
def test_why_not(fen: str, text: str, reason: str) -> None:
    position = at(fen)
    with pytest.raises(IllegalAction) as caught:
        position.parse(0, text)
    assert reason in str(caught.value)
    assert str(caught.value).endswith(f"({position.fen()})")


@pytest.mark.parametrize(
    ("fen", "text", "canonical"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "e1h1", "e1h1"),
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "e1g1", "e1h1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "e1a1"),
        ("4k3/8/8/8/8/8/8/R3K1R1 w GA - 0 1", "e1g1", "e1g1"),
        ("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", "f1g1", "f1g1"),
        ("4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", "f1b1", "f1b1"),
    ],
)
def test_castling_in_chess960_is_king_takes_rook(fen: str, text: str, canonical: str) -> None:
    position = at(fen, is_chess960=True)
    assert position.parse(0, text) == canonical
    assert canonical in position.legal(0)
    view = position.view(0, Form.MOVES)
    assert isinstance(view, MovesView)
    assert view.variant == "chess960"


def test_an_action_that_parse_did_not_give() -> None:
    position = at(START)
    with pytest.raises(TypeError, match="text that parse gave"):
        position.apply({0: 7})
    with pytest.raises(ValueError, match="never parsed"):
        position.apply({0: "e1g1"})


def test_the_drawing() -> None:
    position = play(at(START), "e2e4")
    assert position.draw() == (
        "8  r n b q k b n r\n7  p p p p p p p p\n6  . . . . . . . .\n5  . . . . . . . .\n4  . . . . P . . .\n"
        "3  . . . . . . . .\n2  P P P P . P P P\n1  R N B Q K B N R\n   a b c d e f g h\n"
        "Black to move, after e2e4\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    )
    assert "the game is over, after d8h4" in play(at(START), "f2f3 e7e5 g2g4 d8h4").draw()


# ------------------------------------------------------------------------------------- seeds and openings


def test_consecutive_seeds_meet_every_opening_once() -> None:
    for order in ("spread", "file"):
        rules = build({"openings": "book.epd", "order": order}, reader(BOOK))
        for first in (0, 1, 1_000_017, 2**62):
            assert len({rules.opening(first + n).start for n in range(4)}) == 4


def test_file_order_is_the_books() -> None:
    rules = build({"openings": "book.epd", "order": "file"}, reader(BOOK))
    assert [rules.map_name(seed) for seed in range(5)] == ["#1 King's pawn", "#2", "#3", "#4", "#1 King's pawn"]


def test_map_names_of_pgn_openings() -> None:
    rules = build({"openings": "book.pgn", "order": "file"}, reader(GAMES))
    assert [rules.map_name(seed) for seed in range(2)] == ["#1 B90 Sicilian", "#2 d2d4 d7d5 c2c4"]


def test_what_is_said_of_an_opening() -> None:
    rules = build({"openings": "book.pgn", "order": "file"}, reader(GAMES))
    first, second = (dict(rules.map_properties(seed)) for seed in range(2))
    assert first["opening"] == 1
    assert first["eco"] == "B90"
    assert second == {"opening": 2, "opening_plies": 3, "first_to_move": "black"}
    by_position = build({"openings": "book.epd", "order": "file"}, reader(BOOK))
    for seed in range(4):
        to_move = by_position.opening(seed).start.split()[1:2] or ["w"]
        assert dict(by_position.map_properties(seed))["first_to_move"] == {"w": "white", "b": "black"}[to_move[0]]
    plain = build({}, reader(""))
    assert plain.map_properties(3) == (("opening", 1), ("opening_plies", 0), ("first_to_move", "white"))


def test_without_a_book() -> None:
    rules = build({}, reader(""))
    assert rules.map_name(5) == "#1 startpos"
    assert rules.start(5).fen() == rules.start(6).fen()
    rules = build({"variant": "chess960", "order": "file"}, reader(""))
    assert len({rules.opening(seed).start for seed in range(960)}) == 960
    assert rules.map_name(518) == "#519 position 518"
    assert rules.opening(518).start == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.mark.parametrize(
    ("params", "book"),
    [
        ({}, ""),
        ({"openings": "book.epd"}, BOOK),
        ({"openings": "book.pgn"}, GAMES),
        ({"variant": "chess960"}, ""),
    ],
)
def test_chess_conforms(params: dict[str, object], book: str) -> None:
    check_rules(lambda: build(params, reader(book)), seeds=range(2))


def test_the_registry_knows_chess() -> None:
    assert isinstance(build_rules("chess", {}, reader("")), ChessRules)


@pytest.mark.parametrize(
    ("params", "key", "allowed"),
    [
        ({"opening": "x"}, "opening", "chess has: openings"),
        ({"variant": "atomic"}, "variant", "standard, chess960"),
        ({"variant": 960}, "variant", "standard, chess960"),
        ({"order": "random"}, "order", "spread, file"),
        ({"openings": "book.epd", "format": "bin"}, "format", "auto, epd, pgn"),
        ({"openings": "book.bin"}, "openings", "ending in .epd"),
        ({"openings": ""}, "openings", "name of an EPD or PGN file"),
        ({"openings": ["book.epd"]}, "openings", "name of an EPD or PGN file"),
        ({"openings": "book.epd", "plies": 8}, "plies", "only with PGN"),
        ({"openings": "book.pgn", "plies": 0}, "plies", "at least 1"),
        ({"openings": "book.pgn", "plies": True}, "plies", "at least 1"),
        ({"openings": "book.pgn", "plies": "8"}, "plies", "at least 1"),
        ({"plies": 8}, "plies", "together with `openings`"),
        ({"format": "epd"}, "format", "together with `openings`"),
        ({"openings": "book.epd"}, "openings", "there is no opening in the file"),
    ],
)
def test_wrong_parameters(params: dict[str, object], key: str, allowed: str) -> None:
    with pytest.raises(ParamError) as caught:
        build(params, reader(""))
    assert caught.value.key == key
    assert allowed in caught.value.allowed


def test_a_bad_line_of_a_book_is_named() -> None:
    with pytest.raises(ParamError) as caught:
        build({"openings": "book.epd"}, reader(BOOK + "8/8/8/8/8/8/8/K7 w - -\n"))
    assert caught.value.got == "book.epd, line 5: 8/8/8/8/8/8/8/K7 w - -"
    assert "Black has 0 kings" in caught.value.allowed


def test_a_book_in_another_encoding() -> None:
    def read_text(name: str) -> str:
        return b"\xe9".decode()

    with pytest.raises(ParamError, match="UTF-8"):
        build({"openings": "book.pgn"}, read_text)


def test_the_format_can_be_said() -> None:
    assert len(build({"openings": "book.txt", "format": "epd"}, reader(BOOK)).openings) == 4
    assert len(build({"openings": "book.txt", "format": "pgn", "plies": 2}, reader(GAMES)).openings) == 2

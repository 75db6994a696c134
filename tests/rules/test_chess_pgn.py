from __future__ import annotations

import io
import random

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.records import Fault, FaultKind, GameRecord, Termination, TimeControl, Transcript
from harness.rules.chess import build
from harness.rules.chess_board import find_move
from harness.rules.chess_fen import STARTPOS, read_fen
from harness.rules.chess_openings import Opening
from harness.rules.chess_pgn import PgnGame, pgn_game, time_control, write_pgn
from harness.rules.chess_san import read_san, write_san

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MANY_QUEENS = "7k/8/8/1Q3Q2/8/8/8/1Q2KQ2 w - - 0 1"
PROMOTIONS = "1n2k2r/P1P5/8/8/8/8/6p1/4K2R b Kk - 0 30"


def read_back(text: str) -> chess.pgn.Game:
    """Read one game with python-chess; it must be the only one and without an error."""
    assert "\r" not in text
    stream = io.StringIO(text)
    game = chess.pgn.read_game(stream)
    assert game is not None
    assert game.errors == []
    assert chess.pgn.read_game(stream) is None
    return game


def random_line(seed: int, board: chess.Board, plies: int) -> list[str]:
    rng = random.Random(seed)
    moves = []
    for _ in range(plies):
        legal = list(board.legal_moves)
        if not legal:
            break
        moves.append(rng.choice(legal).uci())
        board.push_uci(moves[-1])
    return moves


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE, MANY_QUEENS, PROMOTIONS])
def test_san_is_that_of_python_chess_both_ways(fen: str) -> None:
    for seed in range(3):
        theirs, ours = chess.Board(fen), read_fen(fen)
        for text in random_line(seed, chess.Board(fen), 80):
            for move in theirs.legal_moves:
                mine = find_move(ours, move.uci(), is_chess960=False)
                assert mine is not None
                san = write_san(ours, mine)
                assert san == theirs.san(move)
                assert read_san(ours, san) == mine
            played = find_move(ours, text, is_chess960=False)
            assert played is not None
            ours.play_unchecked(played)
            theirs.push_uci(text)


def test_san_of_chess960() -> None:
    for opening in build({"variant": "chess960"}, str).openings[::190]:
        theirs, ours = chess.Board(opening.start, chess960=True), read_fen(opening.start, is_chess960=True)
        for text in random_line(1, theirs.copy(), 60):
            for move in theirs.legal_moves:
                mine = find_move(ours, move.uci(), is_chess960=True)
                assert mine is not None
                assert write_san(ours, mine) == theirs.san(move)
                assert read_san(ours, write_san(ours, mine)) == mine
            played = find_move(ours, text, is_chess960=True)
            assert played is not None
            ours.play_unchecked(played)
            theirs.push_uci(text)


@pytest.mark.parametrize(
    ("san", "uci"),
    [
        ("O-O", "e1h1"),
        ("0-0-0+", "e1a1"),
        ("Nxd7!?", "e5d7"),
        ("Nd7", "e5d7"),
        ("Ne5xd7", "e5d7"),
        ("Ne5-d7", "e5d7"),
        ("dxe6", "d5e6"),
        ("de6", "d5e6"),
        ("d5e6", "d5e6"),
        ("Pd5xe6", "d5e6"),
        ("Qxf6#", "f3f6"),
    ],
)
def test_what_people_write_for_san_is_read(san: str, uci: str) -> None:
    assert str(read_san(read_fen(KIWIPETE), san)) == uci


@pytest.mark.parametrize(
    ("fen", "san", "reason"),
    [
        (KIWIPETE, "hello", "not a move in SAN"),
        (KIWIPETE, "Qd8", "not a legal move"),
        (KIWIPETE, "e1g1", "not a legal move"),
        (MANY_QUEENS, "Qd3", "may mean"),
        (PROMOTIONS, "gxh1", "not a legal move"),
        (chess.STARTING_FEN, "O-O", "not a legal move"),
    ],
)
def test_san_that_cannot_be_followed_is_refused(fen: str, san: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_san(read_fen(fen), san)


def test_a_game_comes_back_with_its_tags_moves_and_comments() -> None:
    game = PgnGame(
        white="new",
        black="old",
        result="0-1",
        moves=("f2f3", "e7e5", "g2g4", "d8h4"),
        comments=("book", "", "-0.31/12 0.010s", "+M1/3 0.002s"),
        ending="new was mated",
        event="nightly",
        date="2026.11.30",
        round="17.1",
        tags={"Termination": "normal"},
    )
    text = write_pgn(game)
    assert text == (
        '[Event "nightly"]\n[Site "?"]\n[Date "2026.11.30"]\n[Round "17.1"]\n[White "new"]\n[Black "old"]\n'
        '[Result "0-1"]\n[PlyCount "4"]\n[Termination "normal"]\n\n'
        "1. f3 {book} 1... e5 2. g4 {-0.31/12 0.010s} 2... Qh4# {+M1/3 0.002s, new was\nmated} 0-1\n\n"
    )
    back = read_back(text)
    assert [move.uci() for move in back.mainline_moves()] == list(game.moves)
    assert back.end().comment.split() == ["+M1/3", "0.002s,", "new", "was", "mated"]
    assert back.end().board().is_checkmate()


def test_games_can_be_joined() -> None:
    game = PgnGame("a", "b", "1/2-1/2", ("e2e4",))
    stream = io.StringIO(write_pgn(game) * 3)
    read = [chess.pgn.read_game(stream) for _ in range(4)]
    assert [one is not None and not one.errors for one in read] == [True, True, True, False]


@pytest.mark.parametrize("moves", [(), ("d7d5", "e4d5")])
def test_a_start_with_black_to_move(moves: tuple[str, ...]) -> None:
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 7"
    text = write_pgn(PgnGame("a", "b", "*", moves, start=fen))
    assert '[SetUp "1"]\n[FEN "' in text
    assert not moves or "\n7... d5 8. exd5 *\n" in text
    back = read_back(text)
    assert back.board().fen() == fen
    assert [move.uci() for move in back.mainline_moves()] == list(moves)


def test_chess960_castling_is_read_back() -> None:
    fen = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1"
    moves = ("e1g1", "e8b8")
    text = write_pgn(PgnGame("a", "b", "*", moves, start=fen, is_chess960=True))
    assert "1. O-O O-O-O *" in text
    last = read_back(text).end().board()
    assert last.chess960
    assert last.board_fen() == "2kr2r1/pppppppp/8/8/8/8/PPPPPPPP/1R3RK1"


def test_an_illegal_move_names_its_ply() -> None:
    with pytest.raises(ValueError, match=r"ply 2: 'e2e4' is not legal in rnbq"):
        write_pgn(PgnGame("a", "b", "*", ("e2e4", "e2e4")))


HARD = [
    'say "hi"',
    "back\\slash",
    "two\nlines\r\n",
    "{brace}",
    "%percent\n%again",
    "; semi",
    "é½♞",
    "\x00\x1b[31m",
    " ",
]


@pytest.mark.parametrize("text", [*HARD, "x" * 300, "% " * 90])
def test_odd_text_breaks_nothing(text: str) -> None:
    game = PgnGame(text, text, "1-0", ("e2e4", "e7e5"), comments=(text, text), ending=text, event=text)
    written = write_pgn(game)
    back = read_back(written)
    assert len(list(back.mainline_moves())) == 2
    assert back.headers["Result"] == "1-0"
    assert not [line for line in written.splitlines() if line.startswith("%")]


@settings(max_examples=150)
@given(st.text(max_size=80), st.lists(st.text(max_size=90), max_size=3))
def test_any_text_breaks_nothing(name: str, comments: list[str]) -> None:
    game = PgnGame(name, name, "0-1", ("e2e4", "c7c5", "g1f3"), comments=comments, ending=name)
    back = read_back(write_pgn(game))
    assert len(list(back.mainline_moves())) == 3
    assert back.headers["White"] != ""


def test_movetext_keeps_to_79_columns() -> None:
    moves = random_line(5, chess.Board(), 160)
    game = PgnGame("a", "b", "*", moves, comments=["+0.31/12 0.010s"] * 150 + ["y" * 200] * 10, ending="z " * 90)
    text = write_pgn(game)
    assert max(map(len, text.splitlines())) <= 79
    assert [move.uci() for move in read_back(text).mainline_moves()] == moves


# --------------------------------------------------------------------------- from records and transcripts


def record(termination: Termination, scores: tuple[float, float], detail: str, *faults: Fault) -> GameRecord:
    return GameRecord((0, 1), scores, termination, detail, 2, 0.1, "b2:00", (), tuple(faults))


TRANSCRIPT = Transcript(17, 1, 1000017, ("new", "old"), ("g1f3", "g8f6"), (10_000, 20_000))
OPENING = Opening(STARTPOS, ("e2e4", "e7e5"), "King's pawn")


def exported(game: GameRecord, opening: Opening = OPENING, time: TimeControl | None = None) -> chess.pgn.Game:
    made = pgn_game(
        TRANSCRIPT, game, opening, event="run", started="2026-11-30T04:11:02.113Z", comments=("0.010s",), time=time
    )
    return read_back(write_pgn(made))


def test_a_record_becomes_a_game() -> None:
    back = exported(record(Termination.NORMAL, (1.0, 0.0), "old was mated"), time=TimeControl(base_ms=60_000))
    assert dict(back.headers) == {
        "Event": "run",
        "Site": "?",
        "Date": "2026.11.30",
        "Round": "17.1",
        "White": "new",
        "Black": "old",
        "Result": "1-0",
        "PlyCount": "4",
        "Termination": "normal",
        "TimeControl": "60",
        "Seed": "1000017",
        "Opening": "King's pawn",
    }
    assert [node.comment for node in back.mainline()] == ["book", "book", "0.010s", "old was mated"]


@pytest.mark.parametrize(
    ("game", "result", "termination"),
    [
        (record(Termination.ADJUDICATED, (0.5, 0.5), "both engines call it level"), "1/2-1/2", "adjudication"),
        (record(Termination.MAX_LENGTH, (0.5, 0.5), "ended level"), "1/2-1/2", "adjudication"),
        (
            record(Termination.FORFEIT, (0.0, 1.0), "new forfeits", Fault(0, FaultKind.TIMEOUT, 3, "12 ms late")),
            "0-1",
            "time forfeit",
        ),
        (
            record(Termination.FORFEIT, (0.0, 1.0), "new forfeits", Fault(0, FaultKind.ILLEGAL, 3, "'e2e5' {no}")),
            "0-1",
            "rules infraction",
        ),
        (
            record(Termination.FORFEIT, (1.0, 0.0), "old forfeits", Fault(1, FaultKind.CRASH, 3, "exit status 1")),
            "1-0",
            "abandoned",
        ),
        (record(Termination.FORFEIT, (1.0, 0.0), "old forfeits"), "1-0", "abandoned"),
    ],
)
def test_other_endings(game: GameRecord, result: str, termination: str) -> None:
    back = exported(game)
    assert back.headers["Result"] == result
    assert back.headers["Termination"] == termination
    for fault in game.faults:
        assert str(fault.kind) in back.end().comment


def test_every_termination_and_fault_has_a_word() -> None:
    for termination in Termination:
        exported(record(termination, (0.5, 0.5), "so"))
    for kind in FaultKind:
        exported(record(Termination.FORFEIT, (0.5, 0.5), "so", Fault(0, kind, 1, "so")))


def test_an_unfinished_record_and_an_odd_date() -> None:
    made = pgn_game(TRANSCRIPT, record(Termination.NORMAL, (0.0, 0.0), ""), Opening(), event="run", started="")
    assert (made.result, made.date) == ("*", "????.??.??")
    assert made.moves == ("g1f3", "g8f6")


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (None, "?"),
        (TimeControl(base_ms=60_000, increment_ms=600), "60+0.6"),
        (TimeControl(base_ms=5_000), "5"),
        (TimeControl(per_ply_ms=100), "1/0.1"),
        (TimeControl(nodes=1000), "-"),
        (TimeControl(depth=5), "-"),
    ],
)
def test_time_control(time: TimeControl | None, text: str) -> None:
    assert time_control(time) == text

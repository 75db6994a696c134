from __future__ import annotations

from pathlib import Path

import chess
import pytest

from harness.rules.chess_fen import START_FEN, FenError, read_fen, write_fen
from harness.rules.chess_openings import BookError, Opening, read_epd
from harness.rules.chess_pgn_book import read_pgn

E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"
CONFIGS = Path(__file__).parents[2] / "configs"


# ------------------------------------------------------------------------------------------------ FEN


@pytest.mark.parametrize(
    ("fen", "written"),
    [
        (f"{E4} e3 0 1", f"{E4} - 0 1"),
        (f"{E4} -", f"{E4} - 0 1"),
        (f"  {E4}   -  4   9 ", f"{E4} - 4 9"),
        (f"{E4} - 3 0", f"{E4} - 3 1"),
        (f"{E4} - 3 99999", f"{E4} - 3 65535"),
        (E4.replace("KQkq", "qkQK") + " - 0 1", f"{E4} - 0 1"),
        (
            "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
            "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
        ),
        ("3k4/8/8/8/3pP3/8/8/K2R4 b - e3 0 1", "3k4/8/8/8/3pP3/8/8/K2R4 b - - 0 1"),
        ("4k3/8/8/8/3bP3/8/8/7K b - e3 0 1", "4k3/8/8/8/3bP3/8/8/7K b - - 0 1"),
    ],
)
def test_a_fen_is_written_in_one_way(fen: str, written: str) -> None:
    assert write_fen(read_fen(fen)) == written


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("", "0 fields, not 4"),
        (f"{E4} - 0", "5 fields, not 4"),
        (f"{E4} - 0 1 x", "7 fields, not 4"),
        (f"{E4} - x 1", "move counters"),
        (f"{E4} - 0 -1", "move counters"),
        (f"{E4} - 101 90", "101 half moves"),
        (E4.replace(" b ", " x ") + " - 0 1", "side to move 'x'"),
        (E4.replace("KQkq", "KQxq") + " - 0 1", "castling rights 'KQxq'"),
        (E4.replace("KQkq", "HAha") + " - 0 1", "castling rights 'HAha' are not - or letters of KQkq"),
        (E4.replace("KQkq", "KK") + " - 0 1", "castling rights 'KK' do not fit"),
        ("8/8/8/8/8/8/8 w - - 0 1", "7 ranks, not 8"),
        ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 6 is '9'"),
        ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7 is 'ppppppp'"),
        ("rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7 is 'ppppxppp'"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
        ("4k3/8/8/8/8/8/8/KK6 w - - 0 1", "White has 2 kings"),
        ("4k3/8/8/8/8/PPPPP3/PPPPP3/4K3 w - - 0 1", "White has 10 pawns"),
        ("4k3/8/8/8/QQQ5/QQQQQQQ1/QQQQQQQ1/4K3 b - - 0 1", "White has more than 16 pieces"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn stands on the first or last rank"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "the side that is not to move is in check"),
        ("4k3/8/8/8/4r3/2n1r1b1/8/3rK3 w - - 0 1", "the checks on the kings are impossible"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling rights 'K' do not fit"),
        ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "White has castling rights, but the king is not on the e-file"),
        (f"{E4} d3 0 1", "en passant square 'd3'"),
        (f"{E4} e6 0 1", "en passant square 'e6'"),
        (f"{E4} zz 0 1", "en passant square 'zz'"),
    ],
)
def test_an_illegal_fen_is_refused_with_its_reason(fen: str, reason: str) -> None:
    with pytest.raises(FenError) as caught:
        read_fen(fen)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("fen", "castling"),
    [
        ("4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1", "KQ"),
        ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "KQ"),
        ("4k3/8/8/8/8/8/8/1R2KR1R w FB - 0 1", "FQ"),
        ("4k3/8/8/8/8/8/8/1R2KR1R w K - 0 1", "K"),
        ("1rr1k3/8/8/8/8/8/8/4K3 w c - 0 1", "c"),
        ("1rr1k3/8/8/8/8/8/8/4K3 w q - 0 1", "q"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "-"),
    ],
)
def test_chess960_castling_is_written_as_x_fen(fen: str, castling: str) -> None:
    written = write_fen(read_fen(fen, is_chess960=True), is_chess960=True)
    assert written.split()[2] == castling
    assert written == chess.Board(fen, chess960=True).fen()
    assert write_fen(read_fen(written, is_chess960=True), is_chess960=True) == written


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "there is no rook for it"),
        ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "there is no rook for it"),
        ("4k3/8/8/8/8/8/8/R3K3 w B - 0 1", "do not fit"),
        ("4k3/8/8/8/8/8/8/R3K3 w x - 0 1", "or file letters"),
    ],
)
def test_wrong_chess960_castling(fen: str, reason: str) -> None:
    with pytest.raises(FenError, match=reason):
        read_fen(fen, is_chess960=True)


# ------------------------------------------------------------------------------------------------ EPD


def test_epd_as_found_in_the_wild() -> None:
    text = (
        "\ufeff# a comment\r\n"
        "\r\n"
        f'{E4} - id "King\'s \\"pawn\\""; ce 23;\r\n'
        f"{E4} e3\r\n"
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n"
        'rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 3 7; id "English";\n'
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - hmvc 1; fmvn 4; id plain;\n"
        "rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR b KQkq -;\n"
        "// the start\n"
        f"{START_FEN} ; no operation"
    )
    book = read_epd(text)
    assert book.n_repeated == 1
    assert book.openings == [
        Opening(f"{E4} - 0 1", (), 'King\'s "pawn"'),
        Opening("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"),
        Opening("rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 3 7", (), "English"),
        Opening("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 4", (), "plain"),
        Opening("rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR b KQkq - 0 1"),
        Opening("startpos"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not a position", "3 fields"),
        ("4k3/8/8/8/8/8/8/4K2R w K e3", "en passant square"),
        ("4k3/8/8/8/8/8/8/4K3 w - -", "already over"),
        ("7k/5K2/6Q1/8/8/8/8/8 b - -", "already over"),
        ("7k/5KQ1/8/8/8/8/8/8 b - -", "already over"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 100;", "already over"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - hmvc many;", "move counters"),
    ],
)
def test_a_bad_epd_line_is_named(line: str, reason: str) -> None:
    with pytest.raises(BookError) as caught:
        read_epd(f"{E4} -\n\n{line}\n")
    assert caught.value.line == 3
    assert reason in caught.value.reason
    assert caught.value.text == line
    assert "line 3" in str(caught.value)


def test_names_are_one_short_line() -> None:
    (opening,) = read_epd(f'{E4} - id "two\twords\x1b {"x" * 200}";').openings
    assert opening.name == "two words " + "x" * 70


@pytest.mark.parametrize("text", ["", "\ufeff", "# only comments\n\n"])
def test_an_empty_book_is_refused(text: str) -> None:
    with pytest.raises(BookError, match="no opening"):
        read_epd(text)
    with pytest.raises(BookError, match="no opening"):
        read_pgn(text.replace("#", "%"))


def test_our_own_book() -> None:
    text = (CONFIGS / "openings.epd").read_text(encoding="utf-8")
    book = read_epd(text)
    assert len(book.openings) == 500
    assert book.n_repeated == 0
    assert all(opening.name for opening in book.openings)
    assert all(abs(int(line.split("ce ")[1].split(";")[0])) <= 50 for line in text.splitlines())


# ------------------------------------------------------------------------------------------------ PGN

PGN = """\ufeff%a line for programs only
[Event "a [b] \\"c\\""]
[ECO "C50"]
[Opening "Italian"]
[Variation "?"]

{before} 1. e4 $1 e5 2.Nf3 (2. Bc4 {a (nested
] comment} Nf6 (2... Nc6)) 2... Nc6!? ; the rest 3. h4
3. Bc4 Bc5 1-0

[Event "no result, another start"]
[SetUp "1"]
[FEN "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"]

1... c5 2. Nf3
[Event "without moves"]

*
1.d4 1/2-1/2

[Event "same place by another road"]

1. Nf3 Nc6 2. e4 e5 3. Bc4 Bc5 *
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_pgn_as_found_in_the_wild(newline: str) -> None:
    book = read_pgn(PGN.replace("\n", newline))
    assert book.n_repeated == 1
    assert book.openings == [
        Opening("startpos", ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"), "C50 Italian"),
        Opening(f"{E4} - 0 1", ("c7c5", "g1f3")),
        Opening("startpos", ()),
        Opening("startpos", ("d2d4",)),
    ]


def test_plies_cut_the_lines() -> None:
    book = read_pgn(PGN, plies=2)
    assert [opening.moves for opening in book.openings] == [
        ("e2e4", "e7e5"),
        ("c7c5", "g1f3"),
        (),
        ("d2d4",),
        ("g1f3", "b8c6"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("1. e4 e5\n2. Nf6 *", 2, "'Nf6' is not a legal move here"),
        ("1. e4 e5\n\n2. -- Nf6 *", 3, "'--' is not a move in SAN"),
        ("1. e4 Z0 *", 1, "'Z0' is not a move in SAN"),
        ("1. e4 {never closed\n\n e5 *", 1, "never closed"),
        ("1. e4\n( 1. d4 *", 2, "never closed"),
        ("1. e4 e5)", 1, "closes nothing"),
        ("1. e4 e5}", 1, "closes nothing"),
        ('1. e4\n\n[FEN "junk"]\n\n1. e4 *', 3, "1 fields"),
        ('1. e4 *\n\n[Variant "Atomic"]\n\n1. e4 *', 3, "another variant"),
        ("1. f3 e5 2. g4\nQh4# *", 2, "already over"),
        ('[FEN "7k/8/8/8/8/8/R7/1R5K w - - 0 1"]\n\n1. Rb2 *', 3, "'Rb2' may mean a2b2 or b1b2"),
    ],
)
def test_a_bad_pgn_line_is_named(text: str, line: int, reason: str) -> None:
    with pytest.raises(BookError) as caught:
        read_pgn(text)
    assert caught.value.line == line
    assert reason in caught.value.reason


def test_chess960_games() -> None:
    text = '[Variant "Chess960"]\n[FEN "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1"]\n\n1. O-O O-O-O *'
    (opening,) = read_pgn(text, is_chess960=True).openings
    assert opening.moves == ("e1g1", "e8b8")
    assert opening.start == "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1"
    with pytest.raises(BookError, match="another variant than standard"):
        read_pgn(text)

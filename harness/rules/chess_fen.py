"""FEN in and out: strict about what is legal, exact about what is written.

Reading refuses every position that no game of chess could hold up (with the reason in words). Writing gives X-FEN: an
en passant square only where a pawn may capture, and for chess960 the file letters that X-FEN asks for. A position read
and written comes out the same for every spelling that means the same.
"""

from __future__ import annotations

import re

from cozy_chess import Board, Color, Piece, Rank, Square

from harness.rules.chess_board import can_capture_en_passant

STARTPOS = "startpos"
START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

_RANK = re.compile(r"[pnbrqkPNBRQK1-8]{1,8}")
_CASTLING = re.compile(r"-|[KQkq]{1,4}")
_CASTLING_960 = re.compile(r"-|[KQkqA-Ha-h]{1,4}")
_COUNTER = re.compile(r"[0-9]{1,5}")

_HOMES = ((Color.White, "White", Square.E1), (Color.Black, "Black", Square.E8))


class FenError(ValueError):
    """A FEN is unreadable, or its position is against the rules; the text says why."""


def read_fen(text: str, *, is_chess960: bool = False) -> Board:
    """Read a FEN of six fields, or of the four that EPD has. Raises FenError.

    An en passant square that no pawn can use is dropped; one that no pawn's double step explains is an error.
    """
    fields = text.split()
    if len(fields) == 4:
        fields += ["0", "1"]
    if len(fields) != 6:
        raise FenError(f"{len(fields)} fields, not 4 (EPD) or 6 (FEN)")
    placement, side, castling, en_passant, halfmoves, fullmoves = fields
    if side not in {"w", "b"}:
        raise FenError(f"side to move {side!r} is not w or b")
    if not (_CASTLING_960 if is_chess960 else _CASTLING).fullmatch(castling):
        letters = "KQkq or file letters" if is_chess960 else "letters of KQkq"
        raise FenError(f"castling rights {castling!r} are not - or {letters}")
    if not _COUNTER.fullmatch(halfmoves) or not _COUNTER.fullmatch(fullmoves):
        raise FenError(f"move counters {halfmoves!r} {fullmoves!r} are not whole numbers")
    if int(halfmoves) > 100:
        raise FenError(f"{halfmoves} half moves without capture or pawn move: the game is over")
    # FEN counts from move 1, but 0 is common in the wild and does no harm
    tail = f"{halfmoves} {min(max(int(fullmoves), 1), 65_535)}"
    if is_chess960:
        castling = _shredder_castling(placement, castling)
    try:
        board = Board.from_fen(f"{placement} {side} {castling} {en_passant} {tail}", is_chess960)
    except ValueError as error:
        raise FenError(_why(placement, side, castling, en_passant, is_chess960=is_chess960)) from error
    if castling != "-" and not is_chess960:
        _check_kings_at_home(board)
    file = board.en_passant()
    if file is not None and not can_capture_en_passant(board, file):
        board = Board.from_fen(f"{placement} {side} {castling} - {tail}", is_chess960)
    return board


def write_fen(board: Board, *, is_chess960: bool = False) -> str:
    """Write a position as X-FEN of six fields."""
    fields = board.fen().split()
    if is_chess960 and fields[2] != "-":
        fields[2] = _x_castling(board)
    file = board.en_passant()
    if file is not None and not can_capture_en_passant(board, file):
        fields[3] = "-"
    return " ".join(fields)


def _check_kings_at_home(board: Board) -> None:
    for color, name, home in _HOMES:
        rights = board.castle_rights(color)
        if board.king(color) != home and (rights.short is not None or rights.long is not None):
            raise FenError(f"{name} has castling rights, but the king is not on the e-file")


# -------------------------------------------------------------------------------------- chess960 castling


def _shredder_castling(placement: str, castling: str) -> str:
    """Give castling rights as file letters: K and Q mean the outermost rook on that side of the king."""
    if castling == "-":
        return castling
    ranks = placement.split("/")
    letters = []
    for letter in castling:
        rank = _expand(ranks[-1] if letter.isupper() else ranks[0])
        rook, king = ("R", "K") if letter.isupper() else ("r", "k")
        if letter in "KQkq":
            at = rank.rfind(rook) if letter in "Kk" else rank.find(rook)
            home = rank.find(king)
            if at < 0 or home < 0 or (at < home) == (letter in "Kk"):
                raise FenError(f"castling right {letter}, but there is no rook for it on that side of the king")
            named = "abcdefgh"[at]
            letters.append(named.upper() if letter.isupper() else named)
        else:
            letters.append(letter)
    return "".join(letters)


def _x_castling(board: Board) -> str:
    """Give castling rights as X-FEN: K and Q for an outermost rook, its file letter for an inner one."""
    text = ""
    for color, rank in ((Color.White, Rank.First), (Color.Black, Rank.Eighth)):
        rights = board.castle_rights(color)
        rooks = sorted(
            str(square)[0] for square in board.colored_pieces(color, Piece.Rook).squares() if square.rank() == rank
        )
        for file, letter, outermost in ((rights.short, "k", rooks[-1:]), (rights.long, "q", rooks[:1])):
            if file is not None:
                named = letter if [str(file)] == outermost else str(file)
                text += named.upper() if color == Color.White else named
    return text


def _expand(rank: str) -> str:
    return re.sub(r"[1-8]", lambda match: "." * int(match[0]), rank)


# --------------------------------------------------------------------------------------- reasons, in words


def _why(placement: str, side: str, castling: str, en_passant: str, *, is_chess960: bool) -> str:
    """Say why the library refused a position, by looking for the first thing that is wrong with it."""
    ranks = placement.split("/")
    if len(ranks) != 8:
        return f"{len(ranks)} ranks, not 8"
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        if not _RANK.fullmatch(rank) or len(_expand(rank)) != 8:
            return f"rank {number} is {rank!r}, which is not 8 squares of pieces (pnbrqk, PNBRQK) and empty ones (1-8)"
    for king, pawn, name in (("K", "P", "White"), ("k", "p", "Black")):
        if placement.count(king) != 1:
            return f"{name} has {placement.count(king)} kings"
        if placement.count(pawn) > 8:
            return f"{name} has {placement.count(pawn)} pawns"
        if sum(letter.isalpha() and letter.isupper() == king.isupper() for letter in placement) > 16:
            return f"{name} has more than 16 pieces"
    if any(pawn in rank for pawn in "pP" for rank in (ranks[0], ranks[7])):
        return "a pawn stands on the first or last rank"
    bare = f"{placement} {side} - - 0 1"
    other = f"{placement} {'b' if side == 'w' else 'w'} - - 0 1"
    if not _is_read(bare):
        return (
            "the side that is not to move is in check" if _is_read(other) else "the checks on the kings are impossible"
        )
    if not _is_read(f"{placement} {side} {castling} - 0 1", is_shredder=is_chess960):
        return f"castling rights {castling!r} do not fit the kings and rooks"
    return f"en passant square {en_passant!r} does not fit the pawns"


def _is_read(fen: str, *, is_shredder: bool = False) -> bool:
    try:
        Board.from_fen(fen, is_shredder)
    except ValueError:
        return False
    return True

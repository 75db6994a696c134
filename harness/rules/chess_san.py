"""SAN, the notation of PGN: legal moves to text and back.

Writing follows the PGN standard's export format. Reading also takes what people write: zeros for castling, a missing
or spare `x`, `=`, `+` or `#`, more of the origin than needed, and annotation marks.
"""

from __future__ import annotations

import re

from cozy_chess import Board, Move, Piece

from harness.rules.chess_board import WON, is_castling

_LETTERS = {Piece.Knight: "N", Piece.Bishop: "B", Piece.Rook: "R", Piece.Queen: "Q", Piece.King: "K"}
_PIECES = {letter: piece for piece, letter in _LETTERS.items()} | {"P": Piece.Pawn}

_MOVE = re.compile(r"([KQRBNP]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:=?\(?([QRBN])\)?)?(?:e\.?p\.?)?")
_CASTLING = re.compile(r"([O0])-\1(-\1)?")
_MARKS = re.compile(r"[+#!?]*$")


def write_san(board: Board, move: Move) -> str:
    """Write a legal move, not yet played, in SAN."""
    after = board.__copy__()
    after.play_unchecked(move)
    mark = "#" if after.status() == WON else "+" if after.checkers() else ""
    if is_castling(board, move):
        side = "O-O" if move.to_square > move.from_square else "O-O-O"
        return side + mark
    piece = board.piece_on(move.from_square)
    origin, target = str(move.from_square), str(move.to_square)
    if piece is None:
        raise ValueError(f"no piece on {origin}")
    if piece == Piece.Pawn:
        capture = f"{origin[0]}x" if origin[0] != target[0] else ""
        promotion = f"={_LETTERS[move.promotion]}" if move.promotion is not None else ""
        return f"{capture}{target}{promotion}{mark}"
    capture = "x" if board.piece_on(move.to_square) is not None else ""
    return f"{_LETTERS[piece]}{_which(board, move, piece)}{capture}{target}{mark}"


def _which(board: Board, move: Move, piece: Piece) -> str:
    """Give as much of the origin as tells the move from those of like pieces to the same square."""
    if piece == Piece.King:
        return ""
    origin = str(move.from_square)
    others = [
        str(other.from_square)
        for other in board.generate_moves_for(board.colored_pieces(board.side_to_move(), piece))
        if other.to_square == move.to_square and other.from_square != move.from_square
    ]
    if not others:
        return ""
    if all(other[0] != origin[0] for other in others):
        return origin[0]
    if all(other[1] != origin[1] for other in others):
        return origin[1]
    return origin


def read_san(board: Board, text: str) -> Move:
    """Find the one legal move that a SAN text means. Raises ValueError, saying why, if there is none or several."""
    bare = _MARKS.sub("", text)
    if (castling := _CASTLING.fullmatch(bare)) is not None:
        is_long = castling[2] is not None
        found = [
            move
            for move in board.generate_moves()
            if is_castling(board, move) and (move.to_square < move.from_square) == is_long
        ]
    elif (match := _MOVE.fullmatch(bare)) is not None:
        letter, file, rank, target, promotion = match.groups()
        found = [
            move
            for move in board.generate_moves_for(
                board.colored_pieces(board.side_to_move(), _PIECES[letter] if letter else Piece.Pawn)
            )
            if str(move.to_square) == target
            and (file or "") in str(move.from_square)
            and (rank or "") in str(move.from_square)
            and move.promotion == (_PIECES[promotion] if promotion else None)
            and not is_castling(board, move)
        ]
    else:
        raise ValueError(f"{text!r} is not a move in SAN (like Nf3, exd5, e8=Q, O-O)")
    if not found:
        raise ValueError(f"{text!r} is not a legal move here")
    if len(found) > 1:
        raise ValueError(f"{text!r} may mean {' or '.join(sorted(map(str, found)))}")
    return found[0]

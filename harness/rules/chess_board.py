"""The board library behind one small door: UCI text to moves and back, and what the library leaves open.

Only the `chess*` modules of this package know cozy_chess. It writes castling as king takes own rook in every variant;
here is the translation to UCI's king step (`e1g1`), and the parts of the FIDE rules that it has no word for: dead
positions, and whether an en passant square is more than decoration.
"""

from __future__ import annotations

import re

from cozy_chess import BitBoard, Board, Color, File, GameStatus, Move, Piece, Rank, Square

ONGOING = GameStatus.Ongoing
WON = GameStatus.Won

PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING = (
    Piece.Pawn,
    Piece.Knight,
    Piece.Bishop,
    Piece.Rook,
    Piece.Queen,
    Piece.King,
)
PIECE_NAMES = {PAWN: "pawn", _KNIGHT: "knight", _BISHOP: "bishop", _ROOK: "rook", _QUEEN: "queen", _KING: "king"}

_FILES = "abcdefgh"
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
_NULL_MOVES = {"0000", "(none)", "none", "null", "NULL"}


def _every_move() -> dict[str, Move]:
    """Make a move for every text that a queen, knight or pawn could ever mean: 1,968 of them."""
    texts: list[str] = []
    for file in range(8):
        for rank in range(8):
            for to_file in range(8):
                for to_rank in range(8):
                    across, along = abs(to_file - file), abs(to_rank - rank)
                    if not (across or along) or not (
                        across == along or not across or not along or {across, along} == {1, 2}
                    ):
                        continue
                    text = f"{_FILES[file]}{rank + 1}{_FILES[to_file]}{to_rank + 1}"
                    texts.append(text)
                    if across <= 1 and (rank, to_rank) in {(6, 7), (1, 0)}:
                        texts.extend(text + letter for letter in "qrbn")
    return {text: Move.from_str(text) for text in texts}


CHESS960_MOVES = _every_move()
"""Text to move where castling is king takes own rook, as the library has it."""

_KING_STEPS = frozenset({"e1g1", "e1c1", "e8g8", "e8c8"})
_KING_TAKES_ROOK = frozenset({"e1h1", "e1a1", "e8h8", "e8a8"})

STANDARD_MOVES = {
    text: move for text, move in CHESS960_MOVES.items() if text not in _KING_STEPS and text not in _KING_TAKES_ROOK
}
"""Text to move for standard chess, without the eight texts that may mean castling: `rare_move` knows those."""


def rare_move(board: Board, text: str, *, is_chess960: bool) -> Move | None:
    """Give the legal move of a text that may mean castling (`e1g1`, `e1h1`); None if there is none.

    In chess960 the king's step is taken too where it can mean nothing else, for some engines write it.
    """
    if text not in _KING_STEPS and text not in _KING_TAKES_ROOK:
        return None
    plain = CHESS960_MOVES[text]
    origin = plain.from_square
    if board.piece_on(origin) != _KING:
        return plain if board.is_legal(plain) else None
    if is_chess960 and board.is_legal(plain):
        return plain
    if text in _KING_TAKES_ROOK:
        return None
    rights = board.castle_rights(board.side_to_move())
    file = rights.short if text[2] == "g" else rights.long
    if file is None:
        return None
    castling = Move(origin, Square.new(file, origin.rank()))
    return castling if board.is_legal(castling) else None


def find_move(board: Board, text: str, *, is_chess960: bool) -> Move | None:
    """Give the legal move that a UCI text means here; None if there is none."""
    move = (CHESS960_MOVES if is_chess960 else STANDARD_MOVES).get(text)
    if move is not None and board.is_legal(move):
        return move
    return rare_move(board, text, is_chess960=is_chess960)


def is_castling(board: Board, move: Move) -> bool:
    """Say whether a legal move castles (it goes to a square of the mover's own piece)."""
    return board.colors(board.side_to_move()).has(move.to_square)


def uci_text(board: Board, move: Move, *, is_chess960: bool) -> str:
    """Write a legal move, not yet played, as UCI has it in this variant."""
    if is_chess960 or not is_castling(board, move):
        return str(move)
    origin, target = str(move.from_square), str(move.to_square)
    return f"{origin}{'g' if target > origin else 'c'}{origin[1]}"


def legal_texts(board: Board, *, is_chess960: bool) -> list[str]:
    """List every legal move as UCI text, sorted."""
    return sorted(uci_text(board, move, is_chess960=is_chess960) for move in board.generate_moves())


# --------------------------------------------------------------------------- what the library leaves open


def is_dead(board: Board) -> bool:
    """Say whether neither side has the material to mate, however the other plays.

    Recognised: king against king, a lone knight or bishop besides, and bishops (any number, either side) that all
    stand on squares of one colour. Walls of blocked pawns are dead by FIDE's article 5.2.2 too, but not recognised.
    """
    if board.pieces(PAWN) or board.pieces(_ROOK) or board.pieces(_QUEEN):
        return False
    if board.pieces(_KNIGHT):
        return len(board.occupied()) == 3
    bishops = board.pieces(_BISHOP)
    return not (bishops & BitBoard.LIGHT_SQUARES) or not (bishops & BitBoard.DARK_SQUARES)


def _en_passant_captures() -> dict[Color, dict[File, tuple[Move, ...]]]:
    captures: dict[Color, dict[File, tuple[Move, ...]]] = {}
    for color, origin, target in ((Color.White, Rank.Fifth, Rank.Sixth), (Color.Black, Rank.Fourth, Rank.Third)):
        captures[color] = {
            file: tuple(
                Move(Square.new(File.ALL[beside], origin), Square.new(file, target))
                for beside in (index - 1, index + 1)
                if 0 <= beside < 8
            )
            for index, file in enumerate(File.ALL)
        }
    return captures


_EN_PASSANT = _en_passant_captures()


def can_capture_en_passant(board: Board, file: File) -> bool:
    """Say whether a pawn may legally capture en passant on `file`, which is the board's en passant file."""
    for move in _EN_PASSANT[board.side_to_move()][file]:
        if board.is_legal(move) and board.piece_on(move.from_square) == PAWN:
            return True
    return False


# ----------------------------------------------------------------------------------------- why not


def why_illegal(board: Board, text: str, *, is_chess960: bool) -> str:
    """Say in words why a text is no legal move here: unreadable, or what the rules have against it."""
    if not text:
        return "no move at all"
    if text in _NULL_MOVES:
        return "a null move, though there are legal moves"
    if not _UCI.fullmatch(text):
        hint = "; UCI moves are in lower case" if _UCI.fullmatch(text.lower()) else ""
        return f"not a move in UCI's form (like e2e4 or e7e8q){hint}"
    origin, target = Square.from_str(text[:2]), Square.from_str(text[2:4])
    piece, mover = board.piece_on(origin), board.side_to_move()
    side = "White" if mover == Color.White else "Black"
    if piece is None:
        return f"there is no piece on {origin}"
    if board.color_on(origin) != mover:
        return f"it is {side}'s move, and the piece on {origin} is not {side}'s"
    if text in _KING_TAKES_ROOK and piece == _KING and not is_chess960:
        return "king takes rook is castling in chess960 only; here it is the king's step, like e1g1"
    if len(text) == 4 and find_move(board, text + "q", is_chess960=is_chess960) is not None:
        return f"a pawn that reaches the last rank needs a promotion letter, like {text}q"
    if len(text) == 5 and find_move(board, text[:4], is_chess960=is_chess960) is not None:
        return f"nothing promotes here; the move is {text[:4]}"
    if board.checkers() and piece != _KING:
        return f"{side} is in check, and {text} does not end it"
    pinned = " while it is pinned" if board.pinned().has(origin) else ""
    return f"the {PIECE_NAMES[piece]} on {origin} may not go to {target}{pinned}"

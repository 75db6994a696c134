"""One game of chess by the FIDE rules, standard or chess960.

A game ends at once by mate, stalemate, the third occurrence of a position, fifty moves by each side without capture or
pawn move, or a dead position: what a player may claim over the board, a match between engines takes as claimed.
What happens at every ply is `chess_ply`'s; here are the beginning, the ends and everything rare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cozy_chess import Board, Color, File

from harness.compiled import best
from harness.errors import IllegalAction
from harness.records import RESIGN, Form, MovesView, StateView, Termination, View
from harness.rules.base import Action, Outcome
from harness.rules.chess_board import (
    CHESS960_MOVES,
    STANDARD_MOVES,
    WON,
    can_capture_en_passant,
    is_dead,
    legal_texts,
    rare_move,
    uci_text,
    why_illegal,
)
from harness.rules.chess_fen import STARTPOS, read_fen, write_fen
from harness.rules.chess_openings import Opening
from harness.rules.chess_ply import ChessPly
from harness.rules.chess_san import read_san

if TYPE_CHECKING:
    Ply = ChessPly
else:
    Ply = best(ChessPly)

SAN = "san "
"""Stands before a move in SAN; without it a move is UCI's."""

_WHITE, _BLACK, _NOBODY = (0,), (1,), ()
_MOVES = Form.MOVES
_COLORS = ("White", "Black")


def _end(white: float, detail: str, termination: Termination = Termination.NORMAL) -> Outcome:
    return Outcome((white, 1 - white), termination, detail)


_MATED = (_end(0, "{0} was mated"), _end(1, "{1} was mated"))
_STALEMATE = (_end(0.5, "stalemate, {0} to move"), _end(0.5, "stalemate, {1} to move"))
_FORFEIT = (_end(0, "{0} forfeits", Termination.FORFEIT), _end(1, "{1} forfeits", Termination.FORFEIT))
_RESIGNED = (_end(0, "{0} resigns"), _end(1, "{1} resigns"))
_THREEFOLD = _end(0.5, "threefold repetition")
_FIFTY = _end(0.5, "fifty moves without capture or pawn move")
_DEAD = _end(0.5, "dead position: neither side has the material to mate")


class ChessPosition(Ply):
    """One game of chess. Actions are UCI moves as text, in their canonical spelling."""

    __slots__ = ("_is_chess960", "_outcome")

    def __init__(self, opening: Opening, *, is_chess960: bool) -> None:
        self._is_chess960 = is_chess960
        self._table = CHESS960_MOVES if is_chess960 else STANDARD_MOVES
        self._outcome: Outcome | None = None
        self._act, self._next = _WHITE, _BLACK
        if opening.start == STARTPOS:
            board = Board()
        else:
            board = read_fen(opening.start, is_chess960=is_chess960)
            if board.side_to_move() == Color.Black:
                self._act, self._next = _BLACK, _WHITE
        self._board = board
        self._is_legal = board.is_legal
        self._seen = {board.hash(): 1}
        self._moves = []
        self._view = MovesView(opening.start, self._moves, self._act[0], "chess960" if is_chess960 else "")
        self.log = []
        for text in opening.moves:
            self.apply({self._act[0]: text})
        self.log.clear()

    def view(self, seat: int, form: Form) -> View:
        """Show the game as moves (always the same object, which grows) or as a state made for the asker."""
        if form is _MOVES:
            return self._view
        if form is not Form.STATE:
            raise ValueError(f"chess shows itself as moves or state, not as {form}")
        return StateView(
            {
                "fen": self.fen(),
                "start": self._view.start,
                "moves": list(self._moves),
                "legal": self.legal(seat),
                "seat": seat,
                "color": _COLORS[seat].lower(),
                "variant": "chess960" if self._is_chess960 else "standard",
            }
        )

    def _parse_rare(self, text: str) -> str:
        """Read castling, a promotion letter in upper case, which some engines send, SAN that says so, resigning."""
        text = text.strip()
        if text == RESIGN:
            return text
        if text.startswith(SAN):
            return self._parse_san(text.removeprefix(SAN))
        if len(text) == 5:
            text = text[:4] + text[4].lower()
        board, is_chess960 = self._board, self._is_chess960
        move = self._table.get(text)
        if move is None or not self._is_legal(move):
            move = rare_move(board, text, is_chess960=is_chess960)
        if move is None:
            raise IllegalAction(f"{why_illegal(board, text, is_chess960=is_chess960)} ({self.fen()})")
        return uci_text(board, move, is_chess960=is_chess960)

    def _parse_san(self, text: str) -> str:
        """Read a move in SAN, from protocols that have it: they write `san Nf3`."""
        try:
            move = read_san(self._board, text)
        except ValueError as error:
            raise IllegalAction(f"{error} ({self.fen()})") from error
        return uci_text(self._board, move, is_chess960=self._is_chess960)

    def legal(self, seat: int) -> list[str]:
        """List every legal move of the side to move, sorted; none for the other side or when the game is over."""
        return legal_texts(self._board, is_chess960=self._is_chess960) if seat in self._act else []

    def _apply_rare(self, actions: Mapping[int, Action], forfeits: Sequence[int] | None) -> None:
        """Take a forfeit, or a move that the table does not have: castling."""
        if forfeits:
            self._finish(_FORFEIT[self._act[0]])
            return
        text = actions[self._act[0]]
        if text == RESIGN:
            self.log.append(RESIGN)
            self._finish(_RESIGNED[self._act[0]])
            return
        if not isinstance(text, str):
            raise TypeError(f"an action of chess is the text that parse gave, got {text!r}")
        move = rare_move(self._board, text, is_chess960=self._is_chess960)
        if move is None:
            raise ValueError(f"{text!r} was never parsed in this position")
        self._make(move, text)

    def _keep_en_passant(self, file: File) -> None:
        """Count the first position of a stretch that has an en passant square.

        A right that can be used dies with the next move, so that position cannot come again; one that cannot be used
        must not count (FIDE 9.2.3), and the library's hash counts both.
        """
        if not can_capture_en_passant(self._board, file):
            self._seen[self._board.hash_without_ep()] = 1

    def _finish_as_judged(self) -> None:
        self._finish(self._judge())

    def _finish_repeated(self) -> None:
        self._finish(_THREEFOLD)

    def _finish_if_dead(self) -> None:
        if is_dead(self._board):
            self._finish(_DEAD)

    def _judge(self) -> Outcome:
        """Say how a game ended that the library calls won or drawn: mate, stalemate or fifty moves, in this order."""
        board, seat = self._board, self._act[0]
        if board.status() == WON:
            return _MATED[seat]
        return _FIFTY if board.generate_moves() else _STALEMATE[seat]

    def _finish(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._act = _NOBODY

    def outcome(self) -> Outcome | None:
        """Say how the game ended; None while it goes on."""
        return self._outcome

    def fen(self) -> str:
        """Write the position as FEN (X-FEN in chess960)."""
        return write_fen(self._board, is_chess960=self._is_chess960)

    def draw(self) -> str:
        """Draw the board from White's side, capitals for White, with who moves and the FEN below."""
        fen = self.fen()
        rows = []
        for number, rank in zip(range(8, 0, -1), fen.split(" ", 1)[0].split("/"), strict=True):
            squares = "".join("." * int(letter) if letter.isdecimal() else letter for letter in rank)
            rows.append(f"{number}  {' '.join(squares)}")
        last = f", after {self._moves[-1]}" if self._moves else ""
        now = "the game is over" if self._outcome is not None else f"{_COLORS[self._act[0]]} to move"
        return "\n".join([*rows, "   a b c d e f g h", f"{now}{last}", fen])

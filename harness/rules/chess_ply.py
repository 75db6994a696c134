"""One plain move of a game of chess: what runs for every ply, small and alone so that it can be compiled.

`_chess_ply.c` is the same in C with the same library behind it; where it is built, `ChessPosition` stands on it, and
otherwise on the class here. The tests run both. It does the plain case and hands everything else to methods of the
class that inherits from it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence

from cozy_chess import Board, File, Move

from harness.records import MovesView
from harness.rules.base import Action
from harness.rules.chess_board import ONGOING, PAWN


class ChessPly:
    """One plain move. Its methods do nothing twice and make as few objects as they can."""

    __slots__ = ("_act", "_board", "_is_legal", "_moves", "_next", "_seen", "_table", "_view", "log")

    _act: tuple[int, ...]
    _next: tuple[int, ...]
    _board: Board
    _is_legal: Callable[[Move], bool]
    _table: dict[str, Move]
    _seen: dict[int, int]
    _moves: list[str]
    _view: MovesView
    log: list[str]

    def to_act(self) -> tuple[int, ...]:
        """Give the seat to move; empty when the game is over."""
        return self._act

    def parse(self, seat: int, text: str) -> str:  # noqa: ARG002 - one seat acts; the interface names it
        """Read a UCI move. Raises IllegalAction, saying why, if it is unreadable or illegal here."""
        move = self._table.get(text)
        if move is not None and self._is_legal(move):
            return text
        return self._parse_rare(text)

    def apply(self, actions: Mapping[int, Action], forfeits: Sequence[int] = ()) -> None:
        """Make the move of the seat that acts, which `parse` gave for this very position, or take its forfeit."""
        if not forfeits and self._act:
            text = actions.get(self._act[0])
            if isinstance(text, str) and (move := self._table.get(text)) is not None:
                self._make(move, text)
                return
        self._apply_rare(actions, forfeits)

    def _make(self, move: Move, text: str) -> None:
        """Make a legal move, written as `text`."""
        board = self._board
        board.play_unchecked(move)
        self._moves.append(text)
        self.log.append(text)
        self._view.line += f" {text}"
        self._act, self._next = self._next, self._act
        seen = self._seen
        times = 1
        if is_quiet := board.halfmove_clock:
            key = board.hash()
            seen[key] = times = seen.get(key, 0) + 1
        else:  # nothing before can come again
            seen.clear()
            file = board.en_passant()
            if file is None:
                seen[board.hash()] = 1
            else:
                self._keep_en_passant(file)
        if board.status() != ONGOING:
            self._finish_as_judged()
        elif is_quiet:
            if times >= 3:
                self._finish_repeated()
        elif not board.pieces(PAWN):  # the material may have changed
            self._finish_if_dead()

    @abstractmethod
    def _parse_rare(self, text: str) -> str:
        """Read what is not in the table or not legal. Raises IllegalAction."""

    @abstractmethod
    def _apply_rare(self, actions: Mapping[int, Action], forfeits: Sequence[int] | None) -> None:
        """Take a forfeit, or an action that is not in the table."""

    @abstractmethod
    def _keep_en_passant(self, file: File) -> None:
        """Count a position with an en passant square."""

    @abstractmethod
    def _finish_as_judged(self) -> None:
        """End a game that the library calls over."""

    @abstractmethod
    def _finish_repeated(self) -> None:
        """End a game whose position was there for the third time."""

    @abstractmethod
    def _finish_if_dead(self) -> None:
        """End a game in which nobody can mate any more."""

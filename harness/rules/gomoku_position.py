"""One game of gomoku: stones in turn until five are in a row or the board is full.

The hot path of every ply. Seat 0 is Black, unless the seats choose their colours by swap2 (`gomoku_swap2`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.errors import IllegalAction
from harness.records import Form, MovesView, StateView, Termination, View
from harness.rules.base import Action, Outcome
from harness.rules.gomoku_board import Board, has_five
from harness.rules.gomoku_renju import why_forbidden

BLACK, WHITE = 0, 1
COLORS = ("black", "white")
_MARKS = ("X", "O")
_SHOWN = 40


class Rule(StrEnum):
    """What wins."""

    FREE = "free"  # five or more
    STANDARD = "standard"  # exactly five
    RENJU = "renju"  # exactly five for Black, who has forbidden moves; five or more for White


@dataclass(frozen=True, slots=True)
class Table:
    """What all games of one rule set share."""

    board: Board
    rule: Rule

    @property
    def name(self) -> str:
        """Give size and rule."""
        return f"{self.board.name} {self.rule}"


def _won(seat: int, detail: str, termination: Termination = Termination.NORMAL) -> Outcome:
    return Outcome((1.0, 0.0) if seat == 0 else (0.0, 1.0), termination, detail)


_FIVE = (_won(0, "{0} has five in a row"), _won(1, "{1} has five in a row"))
_FORFEIT = (
    _won(1, "{0} forfeits", Termination.FORFEIT),
    _won(0, "{1} forfeits", Termination.FORFEIT),
)
_FULL = Outcome((0.5, 0.5), Termination.NORMAL, "the board is full")
_NO_MOVE = Outcome((0.5, 0.5), Termination.NORMAL, "every free cell is forbidden to Black")


class GomokuPosition:
    """One game of gomoku. An action is a cell as text, `x,y`."""

    __slots__ = (
        "_act",
        "_bits",
        "_board",
        "_is_exact",
        "_moves",
        "_moves_view",
        "_next",
        "_outcome",
        "_stones",
        "_table",
        "log",
    )

    def __init__(self, table: Table, opening: Sequence[str] = ()) -> None:
        """Set up a game after the stones of `opening`, Black's first."""
        self._table = table
        self._board = board = table.board
        self._bits = board.bits
        self._is_exact = (table.rule is not Rule.FREE, table.rule is Rule.STANDARD)
        self._stones = [0, 0]
        self._outcome: Outcome | None = None
        self._moves: list[str] = []
        self._moves_view = MovesView(board.start, self._moves, 0, table.rule.value)
        self._act: tuple[int, ...] = (0,)
        self._next: tuple[int, ...] = (1,)
        self.log: list[str] = []
        for text in opening:
            self.apply({self._act[0]: text})
        self.log.clear()

    def to_act(self) -> tuple[int, ...]:
        """Give the seat to move; empty when the game is over."""
        return self._act

    def view(self, seat: int, form: Form) -> View:
        """Show the game as moves (always the same object, which grows) or as a state made for the asker."""
        if form is Form.MOVES:
            return self._moves_view
        if form is not Form.STATE:
            raise ValueError(f"gomoku shows itself as moves or state, not as {form}")
        return StateView(self._state(seat))

    def _state(self, seat: int) -> dict[str, object]:
        board = self._board
        return {
            "width": board.width,
            "height": board.height,
            "rule": self._table.rule.value,
            "moves": list(self._moves),
            "board": self._rows(),
            "legal": self.legal(seat),
            "seat": seat,
            "color": COLORS[self._color_of(seat)],
            "phase": "play",
        }

    def _color_of(self, seat: int) -> int:
        return BLACK if seat == self._moves_view.first_seat else WHITE

    # ------------------------------------------------------------------------------------------ moves

    def parse(self, seat: int, text: str) -> str:  # noqa: ARG002 - one seat acts; the interface names it
        """Read a cell. Raises IllegalAction, saying why, if it is unreadable, taken or forbidden."""
        bit = self._bits.get(text)
        if bit is None:
            text = self._parse_rare(text)
            bit = self._bits[text]
        black, white = self._stones
        if bit & (black | white):
            raise IllegalAction(f"{text} is taken (move {self._moves.index(text) + 1})")
        if self._table.rule is Rule.RENJU and not len(self._moves) & 1:
            why = why_forbidden(self._board, black, white, bit)
            if why is not None:
                raise IllegalAction(f"{text} is forbidden to Black: {why}")
        return text

    def _parse_rare(self, text: str) -> str:
        """Read a cell with blanks around its numbers. Raises IllegalAction if it is none, or off the board."""
        words = text.split(",")
        if len(words) == 2 and len(text) <= _SHOWN:
            x, y = (word.strip() for word in words)
            if f"{x},{y}" in self._bits:
                return f"{x},{y}"
            if _is_number(x) and _is_number(y):
                raise IllegalAction(f"{x},{y} is off the board of {self._board.name}")
        shown = text[:_SHOWN].encode("unicode_escape").decode("ascii")
        raise IllegalAction(f"'{shown}' is not a cell: two numbers with a comma between")

    def legal(self, seat: int) -> list[str]:
        """List the free cells that the seat to move may take; none for the other seat or when the game is over."""
        if seat not in self._act:
            return []
        black, white = self._stones
        taken = black | white
        free = [name for name, bit in self._bits.items() if not bit & taken]
        if self._table.rule is Rule.RENJU and not len(self._moves) & 1:
            free = [name for name in free if why_forbidden(self._board, black, white, self._bits[name]) is None]
        return free

    def apply(self, actions: Mapping[int, Action], forfeits: Sequence[int] = ()) -> None:
        """Put the stone of the seat that acts, which `parse` gave for this very position, or take its forfeit."""
        act = self._act
        if forfeits:
            self._finish(_FORFEIT[act[0]])
            return
        text = actions[act[0]]
        if not isinstance(text, str):
            raise TypeError(f"an action of gomoku is the text that parse gave, got {text!r}")
        self.log.append(text)
        self._put(text)

    def _put(self, text: str) -> None:
        """Put a stone of the colour that is to move, and see whether that ends the game."""
        moves, stones = self._moves, self._stones
        color = len(moves) & 1
        stones[color] |= self._bits[text]
        moves.append(text)
        self._moves_view.line += f" {text}"
        act = self._act
        self._act, self._next = self._next, act
        if has_five(stones[color], self._board.steps, is_exact=self._is_exact[color]):
            self._finish(_FIVE[act[0]])
        elif stones[0] | stones[1] == self._board.full:
            self._finish(_FULL)
        elif self._table.rule is Rule.RENJU and color == WHITE and not self._has_free_cell():
            self._finish(_NO_MOVE)

    def _has_free_cell(self) -> bool:
        """Say whether there is a cell that Black may take; mostly the first one that is looked at."""
        black, white = self._stones
        taken = black | white
        return any(
            not bit & taken and why_forbidden(self._board, black, white, bit) is None for bit in self._bits.values()
        )

    def _finish(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._act = ()

    def outcome(self) -> Outcome | None:
        """Say how the game ended; None while it goes on."""
        return self._outcome

    # ------------------------------------------------------------------------------------------- for people

    def _rows(self) -> list[str]:
        board = self._board
        black, white = self._stones
        cells = ["X" if black >> cell & 1 else "O" if white >> cell & 1 else "." for cell in board.cells]
        return ["".join(cells[y * board.width : (y + 1) * board.width]) for y in range(board.height)]

    def draw(self) -> str:
        """Draw the board, X for Black and O for White, `>` before the last stone; who moves stands below."""
        head = "   " + "".join(f"{x:3}" for x in range(self._board.width))
        last = self._moves[-1] if self._moves else ""
        rows = [
            f"{y:3}" + "".join(f" {'>' if f'{x},{y}' == last else ' '}{mark}" for x, mark in enumerate(row))
            for y, row in enumerate(self._rows())
        ]
        return "\n".join([head, *rows, self._status()])

    def _status(self) -> str:
        n_moves = len(self._moves)
        last = f", after {_MARKS[(n_moves - 1) & 1]} {self._moves[-1]}" if n_moves else ""
        if self._outcome is not None:
            return f"the game is over{last}"
        return f"{_MARKS[n_moves & 1]} (seat {self._act[0]}) to move{last}"


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal()

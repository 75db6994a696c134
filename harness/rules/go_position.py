"""One game of Go by area scoring: stones and passes, superko, the cleanup after two passes, the count.

Seat 0 is Black. This is the hot path of every ply: `parse` makes the board that a move leads to, since legality is
known by it, and `apply` takes that board. docs/rules/go.md says why the game goes on after two passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.errors import IllegalAction
from harness.records import RESIGN, Form, MovesView, StateView, Termination, View
from harness.rules.base import Action, Outcome
from harness.rules.go_board import BLACK, EMPTY, LETTERS, WHITE, Grid, areas, place

PASS = "pass"  # noqa: S105 - a move
CLEANUP = "cleanup"
"""What a view calls its variant in the cleanup phase."""

COLORS = ("black", "white")
_SHOWN = 40


class Ko(StrEnum):
    """Which positions may not come again."""

    POSITIONAL = "positional"  # none that was there before
    SITUATIONAL = "situational"  # none that was there before with the same side to move
    SIMPLE = "simple"  # not the one before the opponent's last move


@dataclass(frozen=True, slots=True)
class Table:
    """What all games of one rule set share. `stones` are the points of handicap stones; `max_plies` counts passes."""

    grid: Grid
    komi: float
    ko: Ko
    allows_suicide: bool
    has_cleanup: bool
    max_plies: int
    stones: tuple[int, ...] = ()

    @property
    def start(self) -> str:
        """Write what a game starts from: `size 9 komi 7.5`, with handicap `size 9 komi 0.5 handicap C3 G7`."""
        stones = [self.grid.names[point] for point in self.stones]
        return " ".join([f"size {self.grid.size} komi {self.komi:g}", *(["handicap", *stones] if stones else [])])


@dataclass(frozen=True, slots=True)
class Stone:
    """A legal stone: its point as text, and the board after it. An action, as passing (`pass`) and `resign` are."""

    text: str
    after: bytes

    def __str__(self) -> str:
        return self.text


def _end(winner: int, detail: str, termination: Termination) -> Outcome:
    return Outcome((1.0, 0.0) if winner == 0 else (0.0, 1.0), termination, detail)


_FORFEIT = (_end(1, "{0} forfeits", Termination.FORFEIT), _end(0, "{1} forfeits", Termination.FORFEIT))
_RESIGNED = (_end(1, "{0} resigns", Termination.NORMAL), _end(0, "{1} resigns", Termination.NORMAL))


class GoPosition:
    """One game of Go. Actions are points as text ("D4"), `pass` and `resign`."""

    __slots__ = (
        "_act",
        "_before",
        "_board",
        "_in_cleanup",
        "_mover",
        "_n_passes",
        "_outcome",
        "_seen",
        "_table",
        "_view",
        "log",
    )

    def __init__(self, table: Table, opening: Sequence[int] = ()) -> None:
        """Set up a game after the moves of `opening`, which belong to the map."""
        self._table = table
        grid = table.grid
        board = bytearray(grid.empty)
        for point in table.stones:
            board[point] = BLACK
        self._board = self._before = bytes(board)
        self._mover = WHITE if table.stones else BLACK
        self._act: tuple[int, ...] = (self._mover - 1,)
        self._seen = {self._key(self._board, self._mover)}
        self._n_passes = 0
        self._in_cleanup = False
        self._outcome: Outcome | None = None
        self._view = MovesView(table.start, [], self._mover - 1)
        self.log: list[str] = []
        for point in opening:
            seat = self._act[0]
            self.apply({seat: self.parse(seat, grid.names[point])})
        self.log.clear()

    def to_act(self) -> tuple[int, ...]:
        """Give the seat to move; empty when the game is over."""
        return self._act

    def _key(self, board: bytes, to_move: int) -> bytes:
        """Give what must not come again: the board, or the board and who moves next."""
        return board + bytes((to_move,)) if self._table.ko is Ko.SITUATIONAL else board

    # ------------------------------------------------------------------------------------- hot path

    def parse(self, seat: int, text: str) -> Action:
        """Read a point, `pass` or `resign`. Raises IllegalAction, saying why, if it is none or against the rules."""
        point = self._table.grid.index.get(text)
        if point is None:
            if text in {PASS, RESIGN}:
                return text
            return self._parse_rare(seat, text)
        board, table = self._board, self._table
        after = None
        if not board[point]:
            after = place(board, table.grid.neighbours, point, self._mover, may_die=table.allows_suicide)
        if after is None or self._is_repeated(after):
            raise IllegalAction(self._why_illegal(point, after))
        return Stone(text, after)

    def _is_repeated(self, after: bytes) -> bool:
        if self._table.ko is Ko.SIMPLE:
            return after == self._before
        return self._key(after, 3 - self._mover) in self._seen

    def _parse_rare(self, seat: int, text: str) -> Action:
        """Read what programs write besides: small letters, capitals, blanks around it."""
        bare = text.strip()
        for spelled in (bare.upper(), bare.lower()):
            if spelled != text and (spelled in self._table.grid.index or spelled in {PASS, RESIGN}):
                return self.parse(seat, spelled)
        last = self._table.grid.names[-1]
        raise IllegalAction(f"{text[:_SHOWN]!a} is no point (A1 to {last}, without the letter I), pass or resign")

    def _why_illegal(self, point: int, after: bytes | None) -> str:
        name, stone = self._table.grid.names[point], self._board[point]
        if stone:
            return f"{name} is not empty: there is a {COLORS[stone - 1]} stone"
        if after is None:
            return f"a stone on {name} would have no liberty (suicide)"
        if self._table.ko is Ko.SIMPLE:
            return f"{name} takes the ko back at once"
        return f"{name} makes a position that was there before ({self._table.ko} superko)"

    def apply(self, actions: Mapping[int, Action], forfeits: Sequence[int] = ()) -> None:
        """Make the move of the seat that acts, which `parse` gave for this very position, or take its forfeit."""
        seat = self._act[0]
        if forfeits:
            self._finish(_FORFEIT[seat])
            return
        action = actions[seat]
        if isinstance(action, Stone):
            text = action.text
            self._before, self._board = self._board, action.after
            self._n_passes = 0
        elif action in {PASS, RESIGN}:
            text = str(action)
            self._before = self._board
            self._n_passes += 1
        else:
            raise TypeError(f"an action of Go is what parse gave, got {action!r}")
        self.log.append(text)
        if text == RESIGN:
            self._finish(_RESIGNED[seat])
            return
        view = self._view
        view.moves.append(text)
        view.line += f" {text}"
        self._mover = mover = 3 - self._mover
        self._act = (mover - 1,)
        self._seen.add(self._key(self._board, mover))
        if self._n_passes == 2:
            self._take_two_passes()
        if len(self.log) >= self._table.max_plies and self._outcome is None:
            self._finish(self._count(Termination.MAX_LENGTH))

    # ----------------------------------------------------------------------------------- rare paths

    def _take_two_passes(self) -> None:
        """After both passed: the cleanup begins, or the game is counted."""
        if self._table.has_cleanup and not self._in_cleanup:
            self._in_cleanup = True
            self._n_passes = 0
            self._view.variant = CLEANUP
        else:
            self._finish(self._count(Termination.NORMAL))

    def _count(self, termination: Termination) -> Outcome:
        """Count areas as the board stands."""
        table = self._table
        black, white = areas(self._board, table.grid.neighbours)
        margin = black - white - table.komi
        score = 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5
        winner = "{0}" if margin > 0 else "{1}"
        result = f"{winner} wins by {abs(margin):g}" if margin else "a draw"
        limit = f", counted at the limit of {table.max_plies} plies" if termination is Termination.MAX_LENGTH else ""
        detail = f"{result}: Black {black}, White {white} and {table.komi:g} komi{limit}"
        return Outcome((score, 1.0 - score), termination, detail, (float(black), white + table.komi))

    def _finish(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._act = ()

    def outcome(self) -> Outcome | None:
        """Say how the game ended; None while it goes on."""
        return self._outcome

    def legal(self, seat: int) -> list[str]:
        """List every legal point of the seat that acts, row by row, then `pass`. Resigning is legal too."""
        if seat not in self._act:
            return []
        table, board, mover = self._table, self._board, self._mover
        points = []
        for point, name in enumerate(table.grid.names):
            if board[point] == EMPTY:
                after = place(board, table.grid.neighbours, point, mover, may_die=table.allows_suicide)
                if after is not None and not self._is_repeated(after):
                    points.append(name)
        return [*points, PASS]

    def view(self, seat: int, form: Form) -> View:
        """Show the game as moves (always the same object, which grows) or as a state made for the asker."""
        if form is Form.MOVES:
            return self._view
        if form is not Form.STATE:
            raise ValueError(f"Go shows itself as moves or state, not as {form}")
        table = self._table
        return StateView(
            {
                "size": table.grid.size,
                "komi": table.komi,
                "ko": table.ko.value,
                "handicap": [table.grid.names[point] for point in table.stones],
                "moves": list(self._view.moves),
                "board": self._rows(),
                "legal": self.legal(seat),
                "seat": seat,
                "color": COLORS[seat],
                "phase": CLEANUP if self._in_cleanup else "play",
            }
        )

    def _rows(self) -> list[str]:
        """Give the board from the top row down: X is Black, O is White."""
        size = self._table.grid.size
        text = self._board.translate(bytes.maketrans(b"\0\1\2", b".XO")).decode()
        return [text[row * size : (row + 1) * size] for row in reversed(range(size))]

    def draw(self) -> str:
        """Draw the board with its coordinates, X for Black and O for White, and who moves below."""
        size = self._table.grid.size
        rows = [f"{size - at:>2} {' '.join(row)}" for at, row in enumerate(self._rows())]
        moves = self._view.moves
        last = f", after {moves[-1]}" if moves else ""
        phase = " (cleanup)" if self._in_cleanup else ""
        now = f"{COLORS[self._act[0]].capitalize()} to move" if self._act else "the game is over"
        return "\n".join([*rows, f"   {' '.join(LETTERS[:size])}", f"{now}{last}{phase}"])

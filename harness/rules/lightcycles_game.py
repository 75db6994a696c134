"""The light-cycles game itself, with cycles that move one after the other (`InTurn`) or all at once (`AtOnce`).

The board is one padded bytearray and a cell one index into it, because `apply` runs once a turn for every game played:
keep numpy, coordinates as tuples and objects per cell out of it. Knows nothing of parameters (`lightcycles`) or of how
maps are made (`lightcycles_map`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from harness.errors import IllegalAction
from harness.records import Form, LinesView, StateView, Termination, View
from harness.rules.base import Action, Outcome
from harness.rules.lightcycles_map import ArenaMap, MapShape

DIRECTIONS = ("UP", "RIGHT", "DOWN", "LEFT")

_FREE, _OBSTACLE, _EDGE = 0, 254, 255  # a trail is 1 + its seat
_PICTURE = {_FREE: ".", _OBSTACLE: "#"}
_GONE = "-1 -1 -1 -1\n"


class Layout:
    """What all games of one rule set share: the shape, the empty board, and the tables between indices and text."""

    def __init__(self, shape: MapShape, turns: str, *, sends_header: bool) -> None:
        self.shape = shape
        self.turns = turns
        self.sends_header = sends_header
        self.stride = shape.width + 1
        self.steps: dict[str, int] = dict(zip(DIRECTIONS, (-self.stride, 1, self.stride, -1), strict=True))
        self.names = {step: name for name, step in self.steps.items()}
        cells = [(x, y) for y in range(shape.height) for x in range(shape.width)]
        self.coordinates = {self.cell(x, y): f"{x} {y}\n" for x, y in cells}
        self.empty_board = bytearray([_EDGE]) * (self.stride * (shape.height + 2))
        for cell in self.coordinates:
            self.empty_board[cell] = _FREE

    def cell(self, x: int, y: int) -> int:
        """Give the index of a cell. Rows follow each other, an edge cell between two; an edge row first and last."""
        return (y + 1) * self.stride + x


class Cycles(ABC):
    """What both kinds of turn share. `_out` lists who is out, in groups that tie, the first to go first."""

    __slots__ = (
        "_alive",
        "_board",
        "_ended_by_forfeit",
        "_heads",
        "_layout",
        "_lines",
        "_map",
        "_out",
        "_prefixes",
        "_reasons",
        "_seats",
        "_survived",
        "_tails",
        "_to_act",
        "_turn",
        "log",
    )

    def __init__(self, layout: Layout, arena: ArenaMap) -> None:
        self._seats = seats = range(layout.shape.players)
        self.log: list[str] = []
        self._layout = layout
        self._map = arena
        self._board = layout.empty_board[:]
        self._heads = [layout.cell(x, y) for x, y in arena.starts]
        for seat in seats:
            self._board[self._heads[seat]] = 1 + seat
        for x, y in arena.obstacles:
            self._board[layout.cell(x, y)] = _OBSTACLE
        self._prefixes = [f"{len(seats)} {seat}\n" for seat in seats]
        self._tails = [f"{x} {y} " for x, y in arena.starts]
        self._lines = ""  # what all seats are shown, made when the first one asks in a turn
        self._alive = tuple(seats)
        self._to_act: tuple[int, ...] = self._alive
        self._turn = 0  # turns completed by all
        self._out: list[list[int]] = []
        self._reasons: list[str] = []
        self._survived = [0] * len(seats)
        self._ended_by_forfeit = False

    def to_act(self) -> tuple[int, ...]:
        """Give the seats that act now."""
        return self._to_act

    def view(self, seat: int, form: Form) -> View:
        """Show the contest's lines, or the board as a mapping. Raises ValueError for any other form."""
        if form is Form.STATE:
            return StateView(self._state(seat))
        if form is not Form.LINES:
            raise ValueError(f"light cycles have no form {form}")
        if not self._lines:
            heads, tails, coordinates, alive = self._heads, self._tails, self._layout.coordinates, self._alive
            lines = [tails[of] + coordinates[heads[of]] if of in alive else _GONE for of in self._seats]
            self._lines = "".join(lines)
        text = self._prefixes[seat] + self._lines
        if self._turn == 0 and self._layout.sends_header:
            text = self._header() + text
        return LinesView(text)

    def parse(self, seat: int, text: str) -> Action:  # noqa: ARG002 - every seat speaks the same four words
        """Read a direction: one of four words, as they are written, blanks around them allowed."""
        step = self._layout.steps.get(text)
        if step is None:
            step = self._layout.steps.get(text.strip(" \t\r\n"))
            if step is None:
                shown = ascii(text if len(text) <= 40 else text[:40] + "…")
                raise IllegalAction(f"{shown} is no direction; allowed: {', '.join(DIRECTIONS)}")
        return step

    def legal(self, seat: int) -> list[str]:
        """Give the moves that do not crash into what lies there now; all four if every one does."""
        head = self._heads[seat]
        safe = [name for name, step in self._layout.steps.items() if not self._board[head + step]]
        return safe or list(DIRECTIONS)

    @abstractmethod
    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        """Make the turn: `actions` are the steps that `parse` gave."""

    def outcome(self) -> Outcome | None:
        """Say how the game ended: all who are out, in that order, with their reasons."""
        if self._to_act:
            return None
        n_opponents = len(self._seats) - 1
        scores = [1.0] * len(self._seats)
        n_beaten = 0
        for group in self._out:
            for seat in group:
                scores[seat] = (n_beaten + (len(group) - 1) / 2) / n_opponents
            n_beaten += len(group)
        return Outcome(
            scores=tuple(scores),
            termination=Termination.FORFEIT if self._ended_by_forfeit else Termination.NORMAL,
            detail="; ".join(self._reasons),
            values=tuple(float(turns) for turns in self._survived),
        )

    def draw(self) -> str:
        """Draw trails as a, b, c, d by seat, heads as capitals, obstacles as #."""
        width = self._layout.shape.width
        edge = "+" + "-" * width + "+"
        who = ", ".join(
            f"{chr(ord('A') + seat)} = seat {seat}{'' if seat in self._alive else ' (out)'}" for seat in self._seats
        )
        rows = self._rows("abcd", "ABCD")
        return "\n".join([f"turn {self._turn}: {who}", edge, *(f"|{row}|" for row in rows), edge])

    # ------------------------------------------------------------------------------ what a turn leads to

    def _crash(self, seat: int, cell: int) -> None:
        """Write down why a cycle is out that moved to the occupied `cell`."""
        what = self._board[cell]
        if what == _EDGE:
            reason = f"{{{seat}}} left the board"
        elif what == _OBSTACLE:
            reason = f"{{{seat}}} hit an obstacle"
        elif what == 1 + seat:
            reason = f"{{{seat}}} ran into its own trail"
        else:
            reason = f"{{{seat}}} ran into the trail of {{{what - 1}}}"
        self._reasons.append(reason)

    def _remove(self, crashed: list[int], forfeits: Sequence[int]) -> None:
        """Take out those who lost in this turn: forfeits below crashes, ties within each.

        Their trails disappear after the turn, so that they still stop whoever moved at the same time; when
        the game is over they stay for the picture.
        """
        self._reasons += [f"{{{seat}}} forfeited" for seat in sorted(forfeits)]
        self._out += [sorted(group) for group in (forfeits, crashed) if group]
        gone = {*crashed, *forfeits}
        self._alive = tuple(seat for seat in self._alive if seat not in gone)
        if len(self._alive) > 1:
            without_trails = bytearray(range(256))
            for seat in gone:
                without_trails[1 + seat] = _FREE
            self._board = self._board.translate(without_trails)
        else:
            self._ended_by_forfeit = bool(forfeits)

    # -------------------------------------------------------------------------------------- what is shown

    def _header(self) -> str:
        shape, obstacles = self._layout.shape, self._map.obstacles
        lines = [f"board {shape.width} {shape.height} {self._layout.turns} {len(obstacles)}\n"]
        lines += [f"{x} {y}\n" for x, y in obstacles]
        return "".join(lines)

    def _state(self, seat: int) -> dict[str, object]:
        shape, stride, heads, alive = self._layout.shape, self._layout.stride, self._heads, self._alive
        return {
            "rules": "lightcycles",
            "width": shape.width,
            "height": shape.height,
            "turns": self._layout.turns,
            "players": shape.players,
            "seat": seat,
            "turn": self._turn,
            "legal": self.legal(seat),
            "alive": list(alive),
            "tails": [list(self._map.starts[of]) if of in alive else None for of in self._seats],
            "heads": [[heads[of] % stride, heads[of] // stride - 1] if of in alive else None for of in self._seats],
            "board": self._rows("0123", "0123"),
        }

    def _rows(self, trails: str, heads: str) -> list[str]:
        stride, width = self._layout.stride, self._layout.shape.width
        pictures = {**_PICTURE, **{1 + seat: trail for seat, trail in enumerate(trails)}}
        picture = [pictures.get(cell, " ") for cell in self._board]
        for seat, head in enumerate(self._heads):
            if self._board[head] == 1 + seat:
                picture[head] = heads[seat]
        first_cells = range(stride, stride * (self._layout.shape.height + 1), stride)
        return ["".join(picture[first : first + width]) for first in first_cells]


class InTurn(Cycles):
    """One cycle after the other, in the order of the seats."""

    __slots__ = ("_next",)

    def __init__(self, layout: Layout, arena: ArenaMap) -> None:
        super().__init__(layout, arena)
        self._to_act = (0,)
        self._next = self._followers()

    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        """Move the one cycle whose turn it is."""
        self._lines = ""
        (seat,) = self._to_act
        following = self._next[seat]
        self._to_act = following
        if following[0] < seat:
            self._turn += 1
        if forfeits:
            self._take_out([], forfeits)
            return
        step = actions[seat]
        self.log.append(self._layout.names[step])
        cell = self._heads[seat] + step
        if self._board[cell]:
            self._crash(seat, cell)
            self._take_out([seat], ())
        else:
            self._board[cell] = 1 + seat
            self._heads[seat] = cell
            self._survived[seat] += 1

    def _take_out(self, crashed: list[int], forfeits: Sequence[int]) -> None:
        self._remove(crashed, forfeits)
        if len(self._alive) > 1:
            self._next = self._followers()
        else:
            self._to_act = ()

    def _followers(self) -> dict[int, tuple[int]]:
        alive = self._alive
        return {seat: (alive[(i + 1) % len(alive)],) for i, seat in enumerate(alive)}


class AtOnce(Cycles):
    """All cycles at the same time: those that move to one cell meet head-on and are all out."""

    __slots__ = ()

    def apply(self, actions: Mapping[int, Any], forfeits: Sequence[int] = ()) -> None:
        """Move all cycles at once: first see who crashes into what lies there, then who meets whom."""
        board, heads, names, log = self._board, self._heads, self._layout.names, self.log
        self._lines = ""
        crashed: list[int] = []
        moved: list[tuple[int, int]] = []
        for seat in self._alive:
            if seat in forfeits:
                continue
            step = actions[seat]
            log.append(names[step])
            cell = heads[seat] + step
            if board[cell]:
                self._crash(seat, cell)
                crashed.append(seat)
            else:
                moved.append((seat, cell))
        met = False
        for seat, cell in moved:
            met = met or board[cell] != _FREE
            board[cell] = 1 + seat
            heads[seat] = cell
        if met:
            crashed += self._meet(moved)
        if crashed or forfeits:
            self._take_out(crashed, forfeits)
        self._turn += 1

    def _meet(self, moved: list[tuple[int, int]]) -> list[int]:
        """Give the seats that moved to a cell to which another moved, and write down who met whom."""
        by_cell: dict[int, list[int]] = {}
        for seat, cell in moved:
            by_cell.setdefault(cell, []).append(seat)
        meetings = [seats for seats in by_cell.values() if len(seats) > 1]
        for *others, last in meetings:
            self._reasons.append(f"{', '.join(f'{{{seat}}}' for seat in others)} and {{{last}}} met head-on")
        return [seat for seats in meetings for seat in seats]

    def _take_out(self, crashed: list[int], forfeits: Sequence[int]) -> None:
        for seat in (*crashed, *forfeits):
            self._survived[seat] = self._turn
        self._remove(crashed, forfeits)
        if len(self._alive) > 1:
            self._to_act = self._alive
        else:
            self._to_act = ()
            for seat in self._alive:
                self._survived[seat] = self._turn + 1

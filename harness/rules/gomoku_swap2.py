"""Swap2: the seats agree on an opening and on colours by playing it themselves.

1. Seat 0 puts three stones: Black, White, Black.
2. Seat 1 takes Black (`SWAP`), or puts the fourth stone and is White, or puts a fourth and a fifth stone.
3. After a fifth stone seat 0 takes Black (`SWAP`), or puts the sixth stone and is White.

Then play goes on by the usual rules. Seat and colour part ways here: `MovesView.first_seat` is Black's as soon as that
is known, and the view's moves are the steps as they were made, `7,7 8,7 9,9` and `SWAP` among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from harness.errors import IllegalAction
from harness.records import MovesView
from harness.rules.base import Action
from harness.rules.gomoku_board import Board
from harness.rules.gomoku_position import GomokuPosition, Table

SWAP = "SWAP"
VARIANT = " swap2"
"""Follows the rule in `MovesView.variant` as long as colours are open."""

_LONGEST = 80
_SAMPLES = 12


class _Phase(Enum):
    PLACE = "swap2: put three stones"
    CHOOSE = "swap2: SWAP, put one stone or put two"
    ANSWER = "swap2: SWAP or put one stone"
    PLAY = "play"


_WANTED = {
    _Phase.PLACE: "three cells, for example 7,7 8,7 9,9",
    _Phase.CHOOSE: "SWAP, or one cell, or two",
    _Phase.ANSWER: "SWAP, or one cell",
}
_N_CELLS = {_Phase.PLACE: (3,), _Phase.CHOOSE: (1, 2), _Phase.ANSWER: (1,)}


class Swap2Position(GomokuPosition):
    """A game that opens with swap2. In the opening an action is `SWAP` or cells with blanks between."""

    __slots__ = ("_phase",)

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._phase = _Phase.PLACE
        self._moves_view = MovesView(table.board.start, [], 0, table.rule.value + VARIANT)

    def parse(self, seat: int, text: str) -> str:
        """Read an action. Raises IllegalAction, saying why, if it is unreadable or not allowed now."""
        if self._phase is _Phase.PLAY:
            return super().parse(seat, text)
        words = text.split() if len(text) <= _LONGEST else [text]
        if len(words) == 1 and words[0].upper() == SWAP and self._phase is not _Phase.PLACE:
            return SWAP
        if len(words) not in _N_CELLS[self._phase]:
            shown = text[:_LONGEST].encode("unicode_escape").decode("ascii")[:_LONGEST]
            raise IllegalAction(f"'{shown}' is no step of swap2; allowed now: {_WANTED[self._phase]}")
        cells = [super(Swap2Position, self).parse(seat, word) for word in words]
        if len({*cells}) < len(cells):
            raise IllegalAction(f"the same cell twice: {' '.join(cells)}")
        return " ".join(cells)

    def legal(self, seat: int) -> list[str]:
        """List what the seat may do: all of it in play, some of it in the opening."""
        free = super().legal(seat)
        if self._phase is _Phase.PLAY or not free:
            return free
        if self._phase is _Phase.PLACE:
            return _samples(self._board, free, 3)
        if self._phase is _Phase.CHOOSE:
            return [SWAP, *free, *_samples(self._board, free, 2)]
        return [SWAP, *free]

    def apply(self, actions: Mapping[int, Action], forfeits: Sequence[int] = ()) -> None:
        """Make the step of the seat that acts; see `GomokuPosition.apply`."""
        if forfeits:
            super().apply(actions, forfeits)
            return
        seat = self._act[0]
        text = actions[seat]
        if not isinstance(text, str):
            raise TypeError(f"an action of gomoku is the text that parse gave, got {text!r}")
        self.log.append(text)
        self._moves_view.moves.append(text)
        if self._phase is _Phase.PLAY:
            self._put(text)
            return
        cells = [] if text == SWAP else text.split()
        for cell in cells:
            self._put(cell)
        if self._phase is _Phase.PLACE:
            self._ask(1, _Phase.CHOOSE)
        elif len(cells) == 2:
            self._ask(0, _Phase.ANSWER)
        else:
            self._settle_colors(black=seat if text == SWAP else 1 - seat)
        if text == SWAP:
            self._moves_view.line += f" {SWAP}"

    def _ask(self, seat: int, phase: _Phase) -> None:
        self._phase = phase
        self._act = (seat,)

    def _settle_colors(self, black: int) -> None:
        """Let play begin: colours take turns, whoever has them."""
        view = self._moves_view
        view.first_seat = black
        view.variant = view.variant.removesuffix(VARIANT)
        self._phase = _Phase.PLAY
        is_black_next = not len(self._moves) & 1
        self._act = (black if is_black_next else 1 - black,)
        self._next = (1 - self._act[0],)

    def _state(self, seat: int) -> dict[str, object]:
        state = super()._state(seat) | {"phase": self._phase.value}
        return state if self._phase is _Phase.PLAY else state | {"color": None}

    def _status(self) -> str:
        if self._phase is _Phase.PLAY or self._outcome is not None:
            return super()._status()
        return f"seat {self._act[0]} to choose ({self._phase.value})"


def _samples(board: Board, free: Sequence[str], size: int) -> list[str]:
    """Give some sets of `size` free cells, near the middle of the board."""
    x0, y0 = board.width // 2, board.height // 2
    near = sorted(free, key=lambda name: sum((int(a) - b) ** 2 for a, b in zip(name.split(","), (x0, y0), strict=True)))
    near = near[: _SAMPLES + size]
    return [" ".join([near[i], *near[i + 1 :: 3][: size - 1]]) for i in range(len(near) - 3 * size)]

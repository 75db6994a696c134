"""Gomoku as a rule set: its parameters, and which map a seed makes. Seat 0 is Black, but for swap2.

The game itself is `gomoku_position`'s, swap2 `gomoku_swap2`'s, openings `gomoku_openings`'. docs/rules/gomoku.md is the
page for users.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar

from harness.records import Form
from harness.rules.base import ParamError, ReadText, check_known
from harness.rules.gomoku_board import MAX_SIDE, MIN_SIDE, board_of
from harness.rules.gomoku_openings import TEMPO, TEMPO_RENJU, BookError, Opening, draw_opening, read_openings
from harness.rules.gomoku_position import GomokuPosition, Rule, Table
from harness.rules.gomoku_swap2 import Swap2Position
from harness.seeding import spread_index

_PARAMS = ("size", "rule", "openings", "stones", "transform")
_DEFAULT_SIZE, _DEFAULT_STONES, _MOST_STONES = 15, 5, 8


class GomokuRules:
    """Gomoku whose games start from a file's openings, from drawn ones, by swap2 or from the empty board."""

    name: ClassVar[str] = "gomoku"
    seats = 2
    forms: tuple[Form, ...] = (Form.MOVES, Form.STATE)

    def __init__(
        self, table: Table, *, book: Sequence[Opening] = (), n_stones: int = 0, is_swap2: bool = False
    ) -> None:
        self._table = table
        self._book = book
        self._n_stones = n_stones
        self._is_swap2 = is_swap2

    def opening(self, seed: int) -> tuple[str, ...]:
        """Give the stones that lie on the map of `seed`, Black's first; none where the bots make the opening."""
        board = self._table.board
        if self._book:
            cells = self._book[spread_index(seed, len(self._book))].cells
        else:
            cells = _drawn(self._table, seed, self._n_stones) if self._n_stones else ()
        return tuple([board.names[cell] for cell in cells])

    def start(self, seed: int) -> GomokuPosition:
        """Set up the map of `seed`."""
        return Swap2Position(self._table) if self._is_swap2 else GomokuPosition(self._table, self.opening(seed))

    def map_name(self, seed: int) -> str:
        """Name the map by size and rule, and by its opening: number and symmetry in a file, or its stones."""
        name = self._table.name
        if self._is_swap2:
            return f"{name}, swap2"
        if self._book:
            opening = self._book[spread_index(seed, len(self._book))]
            image = f" image {opening.symmetry}" if opening.symmetry else ""
            return f"{name}, opening {opening.number}{image}"
        return f"{name}, {' '.join(self.opening(seed))}" if self._n_stones else name

    def map_properties(self, seed: int) -> tuple[tuple[str, int], ...]:
        """Say how many stones lie on the map; in a file, which opening it is and by which symmetry."""
        if self._is_swap2:
            return ()
        stones = (("stones", len(self.opening(seed))),)
        if not self._book:
            return stones
        opening = self._book[spread_index(seed, len(self._book))]
        return (*stones, ("opening", opening.number), ("image", opening.symmetry))


@lru_cache(256)
def _drawn(table: Table, seed: int, n_stones: int) -> tuple[int, ...]:
    """Draw an opening once for all seatings of its map."""
    tempo = TEMPO_RENJU if table.rule is Rule.RENJU else TEMPO
    return draw_opening(table.board, seed, n_stones, tempo)


# ------------------------------------------------------------------------------------------- from parameters


def build(params: Mapping[str, object], read_text: ReadText) -> GomokuRules:
    """Build gomoku from its parameters (docs/rules/gomoku.md). Raises ParamError and what `read_text` raises."""
    check_known(params, _PARAMS, "gomoku")
    table = Table(board_of(*_size(params)), _rule(params))
    openings = params.get("openings", "balanced")
    if not isinstance(openings, str) or not openings:
        raise ParamError("openings", openings, "balanced, none, swap2, or the name of a file")
    if openings != "balanced" and "stones" in params:
        raise ParamError("stones", params["stones"], "only together with `openings: balanced`")
    is_file = openings not in {"balanced", "none", "swap2"}
    if not is_file and "transform" in params:
        raise ParamError("transform", params["transform"], "only together with a file of openings")
    if openings == "balanced":
        return GomokuRules(table, n_stones=_stones(params))
    if is_file:
        return GomokuRules(table, book=_read_book(openings, params, table, read_text))
    return GomokuRules(table, is_swap2=openings == "swap2")


def _size(params: Mapping[str, object]) -> tuple[int, int]:
    value = params.get("size", _DEFAULT_SIZE)
    sides = value if isinstance(value, Sequence) and not isinstance(value, str) else [value, value]
    fit = [side for side in sides if isinstance(side, int) and not isinstance(side, bool)]
    if len(sides) != 2 or len(fit) != 2 or not all(MIN_SIDE <= side <= MAX_SIDE for side in fit):
        raise ParamError(
            "size", value, f"a whole number from {MIN_SIDE} to {MAX_SIDE}, or two of them: [width, height]"
        )
    return fit[0], fit[1]


def _rule(params: Mapping[str, object]) -> Rule:
    value = params.get("rule", Rule.FREE.value)
    if not isinstance(value, str) or value not in tuple(Rule):
        raise ParamError("rule", value, ", ".join(Rule))
    return Rule(value)


def _stones(params: Mapping[str, object]) -> int:
    value = params.get("stones", _DEFAULT_STONES)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST_STONES:
        raise ParamError("stones", value, f"a whole number from 1 to {_MOST_STONES}")
    return value


def _read_book(name: str, params: Mapping[str, object], table: Table, read_text: ReadText) -> list[Opening]:
    transform = params.get("transform", True)
    if not isinstance(transform, bool):
        raise ParamError("transform", transform, "true, false")
    try:
        return read_openings(
            read_text(name),
            table.board,
            is_exact=table.rule is Rule.STANDARD,
            is_renju=table.rule is Rule.RENJU,
            transform=transform,
        )
    except UnicodeDecodeError as error:
        raise ParamError("openings", name, f"a file in UTF-8 (byte {error.start} is not)") from error
    except BookError as error:
        got = f"{name}, line {error.line}: {error.text[:80]}"
        raise ParamError("openings", got, f"legal openings that can be played on; here {error.reason}") from error

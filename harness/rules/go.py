"""Go as a rule set: its parameters, and which opening a seed makes. Seat 0 is Black.

The game itself is `go_position`'s, the board `go_board`'s, handicap and openings `go_openings`'. docs/rules/go.md is
the page for users.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

from harness.records import Form
from harness.rules.base import ParamError, ReadText, check_known
from harness.rules.go_board import MAX_SIZE, MIN_SIZE, grid_of
from harness.rules.go_openings import draw_opening, handicap_points, most_handicap, most_opening_moves
from harness.rules.go_position import GoPosition, Ko, Table

_PARAMS = ("size", "komi", "handicap", "opening_moves", "ko", "suicide", "cleanup", "max_plies")
_DEFAULT_SIZE, _DEFAULT_MOVES = 19, 4
_KOMI, _HANDICAP_KOMI, _MOST_KOMI = 7.5, 0.5, 1000.0
_PLIES_PER_POINT = 3


class GoRules:
    """Go by area scoring, from openings drawn from the seed."""

    name: ClassVar[str] = "go"
    seats = 2
    forms: tuple[Form, ...] = (Form.MOVES, Form.STATE)

    def __init__(self, table: Table, n_opening_moves: int) -> None:
        self.table = table
        self._n_moves = n_opening_moves

    def opening(self, seed: int) -> tuple[int, ...]:
        """Give the points of the opening's moves, by turns from the side that begins."""
        if not self._n_moves:
            return ()
        return draw_opening(self.table.grid.size, seed, self._n_moves, self.table.stones)

    def start(self, seed: int) -> GoPosition:
        """Set up the map of `seed`."""
        return GoPosition(self.table, self.opening(seed))

    def map_name(self, seed: int) -> str:
        """Name the map by its size, its handicap and the moves of its opening."""
        grid = self.table.grid
        parts = [f"{grid.size}x{grid.size}"]
        if self.table.stones:
            parts.append(f"{len(self.table.stones)} handicap stones")
        if opening := self.opening(seed):
            parts.append(" ".join(grid.names[point] for point in opening))
        return ", ".join(parts)


# ------------------------------------------------------------------------------------------- from parameters


def build(params: Mapping[str, object], read_text: ReadText) -> GoRules:  # noqa: ARG001 - needs no file
    """Build Go from its parameters (docs/rules/go.md). Raises ParamError for a wrong one."""
    check_known(params, _PARAMS, GoRules.name)
    size = _whole(params, "size", _DEFAULT_SIZE, MIN_SIZE, MAX_SIZE)
    grid = grid_of(size)
    handicap = _handicap(params, size)
    table = Table(
        grid,
        komi=_komi(params, _HANDICAP_KOMI if handicap else _KOMI),
        ko=_ko(params),
        allows_suicide=_flag(params, "suicide", default=False),
        has_cleanup=_flag(params, "cleanup", default=True),
        max_plies=_whole(params, "max_plies", _PLIES_PER_POINT * size * size, 1, 100_000),
        stones=handicap_points(size, handicap) if handicap else (),
    )
    return GoRules(table, _opening_moves(params, size, handicap))


def _whole(params: Mapping[str, object], key: str, default: int, least: int, most: int) -> int:
    value = params.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ParamError(key, value, f"a whole number from {least} to {most}")
    return value


def _flag(params: Mapping[str, object], key: str, *, default: bool) -> bool:
    value = params.get(key, default)
    if not isinstance(value, bool):
        raise ParamError(key, value, "true, false")
    return value


def _komi(params: Mapping[str, object], default: float) -> float:
    value = params.get("komi", default)
    allowed = f"a number from -{_MOST_KOMI:g} to {_MOST_KOMI:g} in halves, like 7.5"
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ParamError("komi", value, allowed)
    if abs(value) > _MOST_KOMI or 2 * value != int(2 * value):
        raise ParamError("komi", value, allowed)
    return float(value)


def _ko(params: Mapping[str, object]) -> Ko:
    value = params.get("ko", Ko.POSITIONAL.value)
    if not isinstance(value, str) or value not in tuple(Ko):
        raise ParamError("ko", value, ", ".join(Ko))
    return Ko(value)


def _handicap(params: Mapping[str, object], size: int) -> int:
    value, most = params.get("handicap", 0), most_handicap(size)
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or (value != 0 and not 2 <= value <= most):  # type: ignore[operator]
        allowed = f"0, or from 2 to {most} on a board of {size}x{size}" if most else f"0 on a board of {size}x{size}"
        raise ParamError("handicap", value, allowed)
    return value  # type: ignore[return-value]


def _opening_moves(params: Mapping[str, object], size: int, handicap: int) -> int:
    most = most_opening_moves(size) - (2 * handicap if handicap else 0)
    most = max(0, most // 2 * 2)
    value = params.get("opening_moves", min(_DEFAULT_MOVES, most))
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most or value % 2:
        board = f"{size}x{size} with {handicap} handicap stones" if handicap else f"{size}x{size}"
        allowed = f"an even number from 0 to {most} (on {board})" if most else f"0 (on {board})"
        raise ParamError("opening_moves", value, allowed)
    return value

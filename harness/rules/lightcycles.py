"""Light cycles: CodinGame's Tron Battle, and variants of it with other boards, obstacles and simultaneous turns.

Each cycle moves one cell a turn and leaves its trail behind; who runs into a trail, an obstacle or the edge is out and
its trail disappears; the last one left wins. docs/rules/lightcycles.md gives parameters and protocol to the letter.

This module reads the parameters; the maps are made in `lightcycles_map` and the game is played in `lightcycles_game`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import ClassVar

from harness.records import Form
from harness.rules.base import ParamError, Position, ReadText, check_known
from harness.rules.lightcycles_game import AtOnce, InTurn, Layout
from harness.rules.lightcycles_map import ArenaMap, MapShape, build_map

CONTEST_WIDTH, CONTEST_HEIGHT = 30, 20
MIN_SIDE, MAX_SIDE = 5, 100

_KNOWN = ("players", "width", "height", "turns", "starts", "obstacles", "header")


class Turns(StrEnum):
    """Who moves when."""

    ALTERNATE = "alternate"  # the contest's: one after the other, each seeing what was moved before
    SIMULTANEOUS = "simultaneous"  # all at once


class Header(StrEnum):
    """When a seat's first request opens with the header lines that the contest does not have."""

    AUTO = "auto"  # when board, obstacles or turns are not the contest's
    ALWAYS = "always"
    NEVER = "never"


class LightCycles:
    """The rule set: makes the map of any seed."""

    name: ClassVar[str] = "lightcycles"
    forms: tuple[Form, ...] = (Form.LINES, Form.STATE)

    def __init__(self, shape: MapShape, turns: Turns, header: Header) -> None:
        self.seats = shape.players
        self.turns = turns
        board = (shape.width, shape.height, shape.obstacles)
        is_contest = board == (CONTEST_WIDTH, CONTEST_HEIGHT, 0) and turns is Turns.ALTERNATE
        sends_header = header is Header.ALWAYS or (header is Header.AUTO and not is_contest)
        self._layout = Layout(shape, turns.value, sends_header=sends_header)
        self._last: tuple[int, ArenaMap] | None = None

    def start(self, seed: int) -> Position:
        """Make the map of `seed` and the position at its start."""
        position = InTurn if self.turns is Turns.ALTERNATE else AtOnce
        return position(self._layout, self._map(seed))

    def _map(self, seed: int) -> ArenaMap:
        """Make the map of `seed`, once for all the games that are played on it in a row."""
        if self._last is None or self._last[0] != seed:
            self._last = seed, build_map(self._layout.shape, seed)
        return self._last[1]

    def map_name(self, seed: int) -> str:  # noqa: ARG002 - all maps of one rule set have the same name
        """Name the map: its size, how its starts lie, its obstacles."""
        shape = self._layout.shape
        name = f"{shape.width}x{shape.height}, {'mirrored' if shape.mirrored else 'random'} starts"
        return f"{name}, {shape.obstacles} obstacles" if shape.obstacles else name

    def map_properties(self, seed: int) -> tuple[tuple[str, int], ...]:
        """Give the board's size, the seats and obstacles, and the least number of steps between two starts."""
        shape, starts = self._layout.shape, self._map(seed).starts
        pairs = ((a, b) for i, a in enumerate(starts) for b in starts[:i])
        return (
            ("width", shape.width),
            ("height", shape.height),
            ("players", shape.players),
            ("obstacles", shape.obstacles),
            ("start_distance", min(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in pairs)),
        )


def build(params: Mapping[str, object], read_text: ReadText) -> LightCycles:  # noqa: ARG001 - needs no file
    """Build the rule set from its parameters (docs/rules/lightcycles.md). Raises ParamError for a wrong one."""
    check_known(params, _KNOWN, LightCycles.name)
    players = _whole(params, "players", 2, 2, 4)
    width = _whole(params, "width", CONTEST_WIDTH, MIN_SIDE, MAX_SIDE)
    height = _whole(params, "height", CONTEST_HEIGHT, MIN_SIDE, MAX_SIDE)
    starts = _word(params, "starts", ("random", "mirrored"))
    if starts == "mirrored" and players == 3:
        raise ParamError("starts", starts, "random, for 3 players: a square grid has no symmetry of three")
    bare = MapShape(width, height, players, starts == "mirrored", 0)
    shape = replace(bare, obstacles=_obstacles(params, bare))
    turns = Turns(_word(params, "turns", tuple(Turns)))
    return LightCycles(shape, turns, Header(_word(params, "header", tuple(Header))))


def _whole(params: Mapping[str, object], key: str, default: int, least: int, most: int) -> int:
    value = params.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ParamError(key, value, f"a whole number from {least} to {most}")
    return value


def _word(params: Mapping[str, object], key: str, words: Sequence[str]) -> str:
    """Read one of `words`, the first of which is the default."""
    value = params.get(key, words[0])
    if not isinstance(value, str) or value not in words:
        raise ParamError(key, value, ", ".join(words))
    return value


def _obstacles(params: Mapping[str, object], shape: MapShape) -> int:
    """Read a number of cells, or a share of the board that is rounded down to whole groups of mirror images."""
    value = params.get("obstacles", 0)
    most, group = shape.max_obstacles, shape.group_size
    steps = f" in steps of {group} (each has its mirror images)" if group > 1 else ""
    most_share = most / (shape.width * shape.height)
    allowed = f"a number of cells from 0 to {most}{steps}, or a share of the board from 0.0 to {most_share:.3f}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParamError("obstacles", value, allowed)
    n_cells = value
    if isinstance(value, float):
        if not 0 <= value < 1:
            raise ParamError("obstacles", value, allowed)
        n_cells = int(value * shape.width * shape.height) // group * group
    if not 0 <= n_cells <= most or n_cells % group:
        raise ParamError("obstacles", value, allowed)
    return int(n_cells)

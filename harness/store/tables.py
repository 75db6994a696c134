"""Results that other programs wrote, as a stream of games: tables with a header line (CSV, TSV).

Columns are known by their names; docs/statistics-ratings.md lists them. PGN is `pgn_tags`' part.
Must not guess: a table whose header does not say what its columns are is refused.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from harness.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Unit(StrEnum):
    """What is taken as one map: games of one unit are not independent of each other."""

    COLUMN = "column"  # the table names the map
    GAME = "game"  # nothing says which games belong together: each stands alone
    NONE = "none"  # lines of counts without a map: errors can only be the model's
    FEN = "fen"
    ROUND = "round"
    PAIR_ROUND = "pair_round"  # the games of a pair in one round


class GameRow(NamedTuple):
    """One game: map, names in seat order, score by seat."""

    map_key: str
    names: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CountRow:
    """Several games of a pair in one seating on one map; wins, draws, losses of the first seat."""

    map_key: str
    first: str
    second: str
    wins: float
    draws: float
    losses: float


TableRow: TypeAlias = GameRow | CountRow


@dataclass(slots=True)
class TableNotes:
    """What a reader came to know on the way: complete once the stream has ended."""

    unit: Unit = Unit.GAME
    n_unfinished: int = 0


SCORES_OF_RESULT = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5, "½-½": 0.5, "0.5-0.5": 0.5}
UNFINISHED = {"*", ""}

_FIRST = ("first", "white", "player1", "bot1")
_SECOND = ("second", "black", "player2", "bot2")
_MAP = ("map", "seed", "opening", "fen")
_WINS = ("wins", "win", "w")
_DRAWS = ("draws", "draw", "d")
_LOSSES = ("losses", "loss", "l")
_ALLOWED = (
    "first, second, result (1-0, 0-1, 1/2-1/2); or first, second, score (of the first, 0 to 1); or first, second, "
    "wins, draws, losses; or bot1, score1, bot2, score2, …; and map where games share one"
)


def read_table(path: Path, notes: TableNotes | None = None) -> Iterator[TableRow]:
    """Stream the rows of a table. `notes` is filled on the way.

    The separator is the one of comma, semicolon and tab that the header has most of. Raises ResultsError naming the
    line for a header or a row that cannot be read.
    """
    notes = TableNotes() if notes is None else notes
    try:
        file = path.open(encoding="utf-8-sig", errors="replace", newline="")
    except OSError as error:
        raise ResultsError("cannot read this table", where=str(path), got=error.strerror or str(error)) from error
    with file:
        header = file.readline()
        separator = max(",;\t", key=header.count)
        columns = [name.strip().lower() for name in next(csv.reader([header], delimiter=separator), [])]
        parse = _choose(path, columns, notes)
        rows = csv.reader(file, delimiter=separator)
        for row in rows:
            if any(cell.strip() for cell in row):
                # The reader counts lines from the one after the header; quoted cells may hold line ends.
                yield from parse(_Line(path, row, columns, rows.line_num + 1))


@dataclass(frozen=True, slots=True)
class _Line:
    """One row with what an error has to say of it."""

    path: Path
    cells: list[str]
    columns: list[str]
    line: int

    def text(self, column: int) -> str:
        """The cell of a column, stripped."""
        return self.cells[column].strip() if column < len(self.cells) else ""

    def name(self, column: int) -> str:
        """A bot's name. Raises ResultsError if the cell is empty."""
        return self.text(column) or self.refuse(column, "a name")

    def number(self, column: int) -> float:
        """A number. Raises ResultsError if the cell holds none."""
        try:
            value = float(self.text(column))
        except ValueError:
            return float(self.refuse(column, "a number"))
        if not (math.isfinite(value) and value >= 0.0):
            self.refuse(column, "a number of 0 or more")
        return value

    def refuse(self, column: int, allowed: str) -> str:
        """Raise the error for a cell."""
        raise ResultsError(
            f"column {self.columns[column]!r} of this row cannot be read",
            where=f"{self.path}:{self.line}",
            got=repr(self.cells),
            allowed=allowed,
        )


def _choose(path: Path, columns: list[str], notes: TableNotes) -> Callable[[_Line], Iterator[TableRow]]:
    """The way to read rows that the header asks for."""
    where = _find(columns, _MAP)
    first, second = _find(columns, _FIRST), _find(columns, _SECOND)
    counted = [_find(columns, names) for names in (_WINS, _DRAWS, _LOSSES)]
    fields = _field_columns(columns)
    notes.unit = Unit.GAME if where is None else Unit.COLUMN
    if fields:
        return lambda line: _read_field(line, fields, where)
    if first is not None and second is not None:
        pair = (first, second)
        if None not in counted:
            notes.unit = Unit.NONE if where is None else Unit.COLUMN
            places = [column for column in counted if column is not None]
            return lambda line: _read_counts(line, pair, places, where)
        result, score = _find(columns, ("result",)), _find(columns, ("score", "points"))
        if result is not None:
            return lambda line: _read_result(line, pair, result, where, notes)
        if score is not None:
            return lambda line: _read_score(line, pair, score, where)
    raise ResultsError(
        "this table's header does not say who played and who won",
        where=f"{path}:1",
        got=", ".join(columns) or "an empty file",
        allowed=_ALLOWED,
    )


def _find(columns: list[str], names: tuple[str, ...]) -> int | None:
    return next((columns.index(name) for name in names if name in columns), None)


def _field_columns(columns: list[str]) -> list[tuple[int, int]]:
    """(name, score) columns of each seat for tables with bot1, score1, bot2, score2, …; [] if it is none."""
    seats: list[tuple[int, int]] = []
    while (name := f"bot{len(seats) + 1}") in columns and (score := f"score{len(seats) + 1}") in columns:
        seats.append((columns.index(name), columns.index(score)))
    return seats if len(seats) > 1 else []


def _map_key(line: _Line, where: int | None) -> str:
    return f"line {line.line}" if where is None else line.text(where)


def _read_field(line: _Line, fields: list[tuple[int, int]], where: int | None) -> Iterator[TableRow]:
    taken = [(name, score) for name, score in fields if line.text(name)]
    names = tuple(line.name(name) for name, _ in taken)
    scores = tuple(line.number(score) for _, score in taken)
    if len(names) == 2 and abs(sum(scores) - 1.0) > 1e-9:  # numeric results: the larger one won
        own = 1.0 if scores[0] > scores[1] else 0.5 if scores[0] == scores[1] else 0.0
        scores = (own, 1.0 - own)
    yield GameRow(_map_key(line, where), names, scores)


def _read_counts(line: _Line, pair: tuple[int, int], places: list[int], where: int | None) -> Iterator[TableRow]:
    wins, draws, losses = (line.number(column) for column in places)
    yield CountRow(_map_key(line, where), line.name(pair[0]), line.name(pair[1]), wins, draws, losses)


def _read_result(
    line: _Line, pair: tuple[int, int], result: int, where: int | None, notes: TableNotes
) -> Iterator[TableRow]:
    text = line.text(result)
    if text in UNFINISHED:
        notes.n_unfinished += 1
        return
    own = SCORES_OF_RESULT.get(text)
    if own is None:
        line.refuse(result, ", ".join(SCORES_OF_RESULT))
        return
    yield GameRow(_map_key(line, where), (line.name(pair[0]), line.name(pair[1])), (own, 1.0 - own))


def _read_score(line: _Line, pair: tuple[int, int], score: int, where: int | None) -> Iterator[TableRow]:
    own = line.number(score)
    if own > 1.0:
        line.refuse(score, "the first bot's score, from 0 to 1")
    yield GameRow(_map_key(line, where), (line.name(pair[0]), line.name(pair[1])), (own, 1.0 - own))

"""Results from PGN files, by their tags alone: who had White, who had Black, the result, and which games share a start.

Streams; moves are skipped unread, so a file costs little more than its lines. Must not know chess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import ResultsError
from harness.store.tables import SCORES_OF_RESULT, UNFINISHED, GameRow, TableNotes, Unit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WANTED = frozenset({"White", "Black", "Result", "Round", "Event", "FEN"})
_NO_ROUND = {"", "?", "-"}


def read_pgn(path: Path, notes: TableNotes | None = None, *, unit: Unit | None = None) -> Iterator[GameRow]:
    """Stream the games of a PGN file; those without a result are counted in `notes` and left out.

    `unit` says which games count as one map. By default the start position where games have one (`FEN` tag), else the
    games of a pair in one round, else each game alone; `notes.unit` then tells what the last game had.
    Raises ResultsError naming the line where a game has no players or an unknown result.
    """
    notes = TableNotes() if notes is None else notes
    try:
        file = path.open(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise ResultsError("cannot read this PGN file", where=str(path), got=error.strerror or str(error)) from error
    tags: dict[str, str] = {}
    begin = n_games = 0
    in_tags = False
    with file:
        for number, line in enumerate(file, 1):
            if line[0] == "[" and line[1:2].isalpha():
                if not in_tags:
                    if tags:
                        n_games += 1
                        yield from _game(path, begin, n_games, tags, notes, unit)
                    tags, begin, in_tags = {}, number, True
                name, _, value = line[1:].partition(" ")
                if name in _WANTED:
                    tags[name] = _value(value)
            elif not line.isspace():
                in_tags = False
        if tags:
            yield from _game(path, begin, n_games + 1, tags, notes, unit)


def _value(text: str) -> str:
    """The string of a tag: between its outer quotes, escapes undone."""
    start, end = text.find('"'), text.rfind('"')
    inner = text[start + 1 : end] if 0 <= start < end else ""
    return inner.replace('\\"', '"').replace("\\\\", "\\").strip() if "\\" in inner else inner.strip()


def _game(
    path: Path, line: int, number: int, tags: dict[str, str], notes: TableNotes, unit: Unit | None
) -> Iterator[GameRow]:
    white, black, result = tags.get("White", ""), tags.get("Black", ""), tags.get("Result", "")
    if result in UNFINISHED:
        notes.n_unfinished += 1
        return
    own = SCORES_OF_RESULT.get(result)
    if own is None or not white or not black:
        raise ResultsError(
            "this game has no players or no known result",
            where=f"{path}:{line}",
            got=f"White {white!r}, Black {black!r}, Result {result!r}",
            allowed=f"names, and a result of {', '.join(SCORES_OF_RESULT)} or *",
        )
    notes.unit, key = _map(tags, white, black, number, unit)
    yield GameRow(key, (white, black), (own, 1.0 - own))


def _map(tags: dict[str, str], white: str, black: str, number: int, unit: Unit | None) -> tuple[Unit, str]:
    """(unit, key) of a game's map."""
    fen, event = tags.get("FEN", ""), tags.get("Event", "")
    # Some runners write the games of a round as 12.1 and 12.2.
    round_ = tags.get("Round", "").partition(".")[0]
    if fen and unit in {None, Unit.FEN}:
        return Unit.FEN, fen
    if round_ not in _NO_ROUND and unit is Unit.ROUND:
        return Unit.ROUND, f"{event}\n{round_}"
    if round_ not in _NO_ROUND and unit is None:
        return Unit.PAIR_ROUND, "\n".join((event, round_, *sorted((white, black))))
    return Unit.GAME, f"game {number}"

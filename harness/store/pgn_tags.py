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
                        row = _game(path, begin, n_games, tags, notes, unit)
                        if row is not None:
                            yield row
                    tags, begin, in_tags = {}, number, True
                start = line.find(' "')
                name = line[1:start]
                if name in _WANTED:
                    value = line[start + 2 : line.rfind('"')]
                    tags[name] = value if "\\" not in value else value.replace('\\"', '"').replace("\\\\", "\\")
            elif in_tags and not line.isspace():
                in_tags = False
        if tags:
            row = _game(path, begin, n_games + 1, tags, notes, unit)
            if row is not None:
                yield row


_SCORES = {result: (own, 1.0 - own) for result, own in SCORES_OF_RESULT.items()}


def _game(
    path: Path, line: int, number: int, tags: dict[str, str], notes: TableNotes, unit: Unit | None
) -> GameRow | None:
    """The game of some tags; None if it has no result."""
    white, black, result = tags.get("White"), tags.get("Black"), tags.get("Result", "")
    scores = _SCORES.get(result)
    if scores is None and result in UNFINISHED:
        notes.n_unfinished += 1
        return None
    if scores is None or not white or not black:
        raise ResultsError(
            "this game has no players or no known result",
            where=f"{path}:{line}",
            got=f"White {white!r}, Black {black!r}, Result {result!r}",
            allowed=f"names, and a result of {', '.join(SCORES_OF_RESULT)} or *",
        )
    notes.unit, key = _map(tags, white, black, number, unit)
    return GameRow(key, (white, black), scores)


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

"""Results without the rest: who sat where and who scored what, streamed from a run's maps.jsonl.

Reads a fifth of what `read_records` builds, for what needs scores alone (ratings of runs with millions of games).
Must not be used to show a run: faults, times and terminations are not here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from harness.records import SCHEMA
from harness.store.journal import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator


class GameResult(msgspec.Struct, frozen=True, gc=False):
    """One game of a record: `seating[seat]` is an index into the lineup, `scores[seat]` what that seat scored."""

    seating: tuple[int, ...]
    scores: tuple[float, ...]
    moves: str
    plies: int


class MapResult(msgspec.Struct, frozen=True, gc=False):
    """One map record, cut down to its results."""

    schema: int
    job: int
    seed: int
    lineup: tuple[str, ...]
    games: tuple[GameResult, ...]


_decoder = msgspec.json.Decoder(MapResult)


def decode_result(line: bytes) -> MapResult:
    """Read the results of one line of maps.jsonl. Raises ValueError saying what is wrong."""
    result = _decoder.decode(line)
    if result.schema != SCHEMA:
        raise ValueError(f"schema {result.schema}; this version reads schema {SCHEMA}")
    return result


def read_results(path: Path) -> Iterator[MapResult]:
    """Stream the results of a run's folder, or of a maps.jsonl file, in the order they finished.

    A record that stands twice counts once. Raises ResultsError naming the line for one that is no record; a torn last
    line is left out.
    """
    prefix = 0  # all jobs below it were seen; those beyond are in `ahead`, which stays as small as jobs are in order
    ahead: set[int] = set()
    for record in read_lines(path if path.is_file() else path / "maps.jsonl", decode_result):
        job = record.job
        if job == prefix:
            prefix += 1
            while prefix in ahead:
                ahead.remove(prefix)
                prefix += 1
        elif job < prefix or job in ahead:
            continue
        else:
            ahead.add(job)
        yield record

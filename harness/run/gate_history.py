"""What earlier runs of a gate measured, for what the next one will do: map scores, time of a game."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from harness.config.settings import Config
from harness.store.run_directory import read_records

_SAMPLE = 5_000


@dataclass(frozen=True, slots=True)
class Measured:
    """Counts of the map scores 0, ¼, ½, ¾, 1 of candidates against champions; seconds a game. None where unknown."""

    counts: tuple[int, ...] | None
    n_maps: int
    game_s: float | None


def measured(config: Config, run: str) -> Measured:
    """Look at the stages against the champion that a gate of this name has played, at most a few thousand maps of each.

    Fewer than 50 maps say too little about draws and maps: then the counts are None.
    """
    counts = [0, 0, 0, 0, 0]
    n_games, wall_s = 0, 0.0
    for path in sorted((config.results / run).glob("*/*/maps.jsonl")):
        if path.parent.name == "panel":
            continue
        for record in islice(read_records(path), _SAMPLE):
            n_games += len(record.games)
            wall_s += record.wall_s
            quarter = 4.0 * record.scores[0] / len(record.games)
            if len(record.games) == 2 and quarter.is_integer():
                counts[int(quarter)] += 1
    n_maps = sum(counts)
    return Measured(tuple(counts) if n_maps >= 50 else None, n_maps, wall_s / n_games if n_games else None)

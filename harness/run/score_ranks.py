"""A score contest as meetings, for ratings: on each seed every bot has met all others, and the better score has won."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.errors import ResultsError
from harness.report.score_book import score_of
from harness.stats.seed_scores import rank_shares
from harness.store.run_directory import read_manifest, read_records


def is_score_contest(path: Path) -> bool:
    """Say whether the bots of a run played alone."""
    first = next(read_records(path), None)
    return first is not None and len(first.lineup) == 1


def ranks_by_seed(path: Path) -> Iterator[tuple[int, list[tuple[tuple[str, ...], tuple[float, ...]]]]]:
    """Give each seed with its one meeting: who played it, and the share of the others that each was better than.

    Seeds that one bot alone has played say nothing. Raises ResultsError for a run that does not say what is better.
    """
    manifest = read_manifest(path)
    if manifest is None or manifest.scoring is None:
        raise ResultsError(
            "the bots of this run played alone, and nothing says which scores are better",
            where=str(path),
            next_step="name the run's folder, with its manifest.json, not a copy of its records",
        )
    results: dict[int, dict[str, float | None]] = {}
    for record in read_records(path):
        results.setdefault(record.seed, {}).setdefault(record.lineup[0], score_of(record))
    for turn, (seed, found) in enumerate(sorted(results.items())):
        if len(found) > 1:
            ordered = sorted(found)  # nobody sits anywhere: taking turns, no seat says anything
            first = turn % len(ordered)
            names = tuple(ordered[first:] + ordered[:first])
            shares = rank_shares([found[name] for name in names], (), manifest.scoring.objective)
            yield seed, [(names, tuple(shares))]

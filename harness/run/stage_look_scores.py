"""A decided stage of a score contest: candidate and champion alone on the same seeds, the deciding prefix of them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from harness.config.policy import DuelStage, ScoreRule
from harness.gates.lies import StageNumbers
from harness.gates.outcome import BotForfeits, StageOutcome
from harness.records import Scoring
from harness.report.score_book import score_of
from harness.run.stage_look import decided_outcome, summarise_prefix
from harness.run.stage_read import BOTS_A_SEED, StageReader
from harness.stats.intervals import of_tally
from harness.stats.seed_scores import duel_score
from harness.stats.tally import MapTally
from harness.store.run_directory import read_records
from harness.store.spending import Drawn


def look_at_scores(
    path: Path,
    stage: DuelStage,
    seeds: Drawn,
    reader: StageReader,
    scoring: Scoring,
    names: tuple[str, str],
    prints: tuple[str, str],
) -> StageOutcome:
    """Look at a stage. `names` and `prints` are candidate's and champion's; a forfeit is a seed without a score."""
    n_seeds = reader.prefix.decision.n_maps
    results: dict[int, dict[str, float | None]] = defaultdict(dict)
    n_late = n_voids = 0
    for record in read_records(path):
        number = record.job // BOTS_A_SEED
        if number >= n_seeds or record.lineup[0] in results[number]:
            continue
        results[number][record.lineup[0]] = score_of(record)
        n_late += sum(fault.starved_ms is not None for game in record.games for fault in game.faults)
        n_voids += record.attempt - 1
    results = {number: found for number, found in results.items() if found}
    clean = MapTally()
    for number in sorted(results):
        first, second = (results[number][name] for name in names)
        if first is not None and second is not None:
            clean.add(duel_score(first, second, scoring))
    n_failed = {name: sum(found[name] is None for found in results.values()) for name in names}
    summary = summarise_prefix(path, BOTS_A_SEED * n_seeds, scoring, names[0])
    assert summary.scores is not None
    numbers = StageNumbers(
        n_maps=n_seeds,
        n_split_maps=summary.scores.pairs[0].ties,
        n_mirrored_maps=0,
        n_games=summary.n_games,
        n_repeated_games=summary.repeats.n_repeated,
        n_forfeit_maps=n_seeds - clean.n,
        n_starved_games=n_late + n_voids,
        duel=reader.prefix.judge.interval(),
        duel_without_forfeits=of_tally(clean),
        first_seat=of_tally(MapTally()),
        candidate_fingerprint=prints[0],
        champion_fingerprint=prints[1],
        n_selections=seeds.n_selections,
        gain=stage.rule.score - 0.5 if isinstance(stage.rule, ScoreRule) else None,
        n_planned=stage.n_maps,
    )
    forfeits = tuple(BotForfeits(name, n_failed[name], n_seeds) for name in names)
    return decided_outcome(stage, seeds, reader.prefix, numbers, summary, reader.n_beyond, n_voids, forfeits)

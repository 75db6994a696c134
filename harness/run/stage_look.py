"""A stage's records, read once it is decided: the deciding prefix alone, and the ways in which it may lie."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from harness.config.policy import DuelStage, PanelStage, ScoreRule
from harness.gates.decide import PrefixJudge
from harness.gates.lies import StageNumbers, find_lies, find_mirror_trap
from harness.gates.outcome import BotForfeits, Corrected, StageOutcome, corrected_estimate
from harness.gates.panel import compare_panel
from harness.records import MapRecord, Scoring
from harness.report.model import RunFacts, Summary
from harness.report.summary import SummaryBuilder
from harness.stats.intervals import of_tally
from harness.stats.tally import MapTally
from harness.store.run_directory import read_records
from harness.store.spending import Drawn


def summarise_prefix(path: Path, n_jobs: int, scoring: Scoring | None = None, candidate: str | None = None) -> Summary:
    """Give the summary of a run's first jobs, in plan order; what was played beyond them is left out.

    `scoring` and `candidate` are those of a score contest.
    """
    builder = SummaryBuilder(scoring)
    seen: set[int] = set()
    for record in read_records(path):
        if record.job < n_jobs and record.job not in seen:
            seen.add(record.job)
            builder.add(record)
    return builder.build(RunFacts(name=path.name, planned=n_jobs, candidate=candidate), with_bands=False)


def look_at_duel(
    path: Path, stage: DuelStage, seeds: Drawn, reader: PrefixJudge, prints: tuple[str, str], games_per_map: int
) -> StageOutcome:
    """Look at a decided stage against the champion. `prints` say what candidate and champion are: program and time."""
    n_maps = reader.decision.n_maps
    clean, first_seat, forfeits = MapTally(), MapTally(), ForfeitCount()
    n_forfeit_maps = n_late = n_voids = 0
    seen: set[int] = set()
    for record in read_records(path):
        if record.job >= n_maps or record.job in seen:
            continue
        seen.add(record.job)
        forfeits.add(record)
        faults = [fault for game in record.games for fault in game.faults]
        n_forfeit_maps += bool(faults)
        n_late += sum(fault.starved_ms is not None for fault in faults)
        n_voids += record.attempt - 1
        if not faults:
            clean.add(record.scores[0] / len(record.games))
        first_seat.add(sum(game.scores[0] for game in record.games) / len(record.games))
    summary = summarise_prefix(path, n_maps)
    row = summary.comparisons[0]
    interval = reader.judge.interval()
    numbers = StageNumbers(
        n_maps=n_maps,
        n_split_maps=row.maps_split,
        n_mirrored_maps=row.mirrored_maps,
        n_games=summary.n_games,
        n_repeated_games=summary.repeats.n_repeated,
        n_forfeit_maps=n_forfeit_maps,
        n_starved_games=n_late + n_voids,
        duel=interval,
        duel_without_forfeits=of_tally(clean),
        first_seat=of_tally(first_seat),
        candidate_fingerprint=prints[0],
        champion_fingerprint=prints[1],
        n_selections=seeds.n_selections,
        gain=stage.rule.score - 0.5 if isinstance(stage.rule, ScoreRule) else None,
        n_planned=stage.n_maps,
    )
    corrected = corrected_estimate(stage, reader.judge.tally, interval, games_per_map)
    return decided_outcome(
        stage, seeds, reader, numbers, summary, reader.n_beyond, n_voids, forfeits.result(), corrected
    )


def decided_outcome(
    stage: DuelStage,
    seeds: Drawn,
    prefix: PrefixJudge,
    numbers: StageNumbers,
    summary: Summary,
    n_beyond: int,
    n_voids: int,
    forfeits: tuple[BotForfeits, ...],
    corrected: Corrected | None = None,
) -> StageOutcome:
    """Put together what a decided stage of candidate and champion came to, with the ways in which it may lie."""
    return StageOutcome(
        stage=stage,
        first_seed=seeds.seeds.first,
        last_seed=seeds.seeds.last,
        n_selections=seeds.n_selections,
        spent=seeds.digest,
        n_maps=numbers.n_maps,
        n_beyond=n_beyond,
        n_voids=n_voids,
        n_forfeit_maps=numbers.n_forfeit_maps,
        busy_s=summary.busy_s,
        decision=prefix.decision,
        interval=numbers.duel,
        corrected=corrected,
        lies=find_lies(numbers),
        forfeits=forfeits,
    )


def look_at_panel(path: Path, stage: PanelStage, seeds: Drawn, candidate: str, champion: str) -> StageOutcome:
    """Look at a panel stage that was played to its end."""
    scores: dict[str, dict[str, dict[int, float]]] = {candidate: defaultdict(dict), champion: defaultdict(dict)}
    mirrored, forfeits = dict.fromkeys(stage.bots, 0), ForfeitCount()
    n_forfeit_maps = n_voids = 0
    seen: set[int] = set()
    for record in read_records(path):
        if record.job in seen:
            continue
        seen.add(record.job)
        forfeits.add(record)
        bot, member = record.lineup
        scores[bot][member][record.seed] = record.scores[0] / len(record.games)
        mirrored[member] += bot == champion and is_mirror_draw(record)
        n_forfeit_maps += any(game.faults for game in record.games)
        n_voids += record.attempt - 1
    return StageOutcome(
        stage=stage,
        first_seed=seeds.seeds.first,
        last_seed=seeds.seeds.last,
        n_selections=seeds.n_selections,
        spent=seeds.digest,
        n_maps=stage.n_maps,
        n_beyond=0,
        n_voids=n_voids,
        n_forfeit_maps=n_forfeit_maps,
        busy_s=summarise_prefix(path, len(seen)).busy_s,
        panel=compare_panel(stage, scores[candidate], scores[champion]),
        lies=find_mirror_trap({bot: (n, stage.n_maps) for bot, n in mirrored.items()}),
        forfeits=forfeits.result(),
    )


class ForfeitCount:
    """Counts games and forfeits by bot."""

    def __init__(self) -> None:
        self._games: dict[str, int] = defaultdict(int)
        self._forfeits: dict[str, int] = defaultdict(int)

    def add(self, record: MapRecord) -> None:
        """Take a map. Several faults of one seat in a game are one forfeit."""
        for game in record.games:
            at_fault = {fault.seat for fault in game.faults}
            for seat, index in enumerate(game.seating):
                self._games[record.lineup[index]] += 1
                self._forfeits[record.lineup[index]] += seat in at_fault

    def result(self) -> tuple[BotForfeits, ...]:
        """Give every bot's count, in the order in which they were met."""
        return tuple(BotForfeits(bot, self._forfeits[bot], n) for bot, n in self._games.items())


def is_mirror_draw(record: MapRecord) -> bool:
    """Say whether all games of a map are one and the same draw, in which every seat moved as often as the others.

    So end two bots that play alike from starts that mirror each other and move at once. A drawn game of rules with
    turns has as many moves of either seat only by chance.
    """
    first = record.games[0]
    return all(
        game.plies > 0
        and game.moves == first.moves
        and len(set(game.scores)) == 1
        and len({seat.plies for seat in game.bots}) == 1
        and not game.faults
        for game in record.games
    )

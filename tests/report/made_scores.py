"""Records of a score contest made from numbers, for tests of what people see. Not played games."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.records import Fault, FaultKind, MapRecord, Objective, Relative, Scoring, Termination
from harness.report.model import RunFacts, Summary
from harness.report.score_book import Baseline
from harness.report.score_model import ScorePair, ScoreSummary
from harness.report.summary import SummaryBuilder
from tests.report.made_records import game_record, map_record

MAX = Scoring(Objective.MAXIMISE, failed_score=0.0)
BEST = Scoring(Objective.MINIMISE, Relative.BEST)


def score_record(
    job: int,
    bot: str,
    seed: int,
    score: float | None,
    *,
    fault: FaultKind | None = None,
    rng: random.Random | None = None,
) -> MapRecord:
    """One bot on one seed; without a score, and with a fault if there is one."""
    faults = [] if fault is None else [Fault(0, fault, 0, "exit status 1", "")]
    game = game_record((0,), (float(score is not None),), moves=f"{job}", plies=1, faults=faults, rng=rng)
    termination = Termination.FORFEIT if faults else Termination.NORMAL
    game = replace(game, values=None if score is None else (score,), termination=termination)
    return replace(map_record(job, (bot,), [game]), seed=seed)


def contest(table: Mapping[str, Sequence[float | None]], *, first_seed: int = 1) -> list[MapRecord]:
    """Every bot's scores on the same seeds, in plan order; None is a crash."""
    records = []
    rng = random.Random(4)
    n_seeds = max(len(scores) for scores in table.values())
    for place in range(n_seeds):
        for index, (bot, scores) in enumerate(table.items()):
            if place < len(scores):
                score = scores[place]
                fault = FaultKind.CRASH if score is None else None
                job = place * len(table) + index
                records.append(score_record(job, bot, first_seed + place, score, fault=fault, rng=rng))
    return records


def summarise(
    records: Sequence[MapRecord],
    scoring: Scoring,
    *,
    candidate: str | None = None,
    baseline: Baseline | None = None,
    facts: RunFacts | None = None,
) -> Summary:
    """Give the summary of records."""
    builder = SummaryBuilder(scoring, baseline)
    for record in records:
        builder.add(record)
    return builder.build(replace(facts or RunFacts(name="made"), candidate=candidate))


def scores_of(summary: Summary) -> ScoreSummary:
    """Give the score contest in a summary."""
    assert summary.scores is not None
    return summary.scores


def pair_of(summary: Summary) -> ScorePair:
    """Give its only comparison."""
    (pair,) = scores_of(summary).pairs
    return pair


def tours(n_seeds: int, gain: float, *, seed: int = 1, noise: float = 0.03) -> dict[str, list[float | None]]:
    """Lengths of tours, all kinds of seeds: new's are shorter by `gain` on average."""
    rng = random.Random(seed)
    hard = [rng.lognormvariate(9.0, 0.4) for _ in range(n_seeds)]
    return {
        "new": [round(base * (1.0 - gain) * rng.lognormvariate(0.0, noise), 3) for base in hard],
        "old": [round(base * rng.lognormvariate(0.0, noise), 3) for base in hard],
    }

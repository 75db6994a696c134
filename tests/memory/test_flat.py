"""What the parent of a run holds does not grow with the number of maps: plan, scheduler, health, summary.

Measured by tracemalloc between two points of a run, both past the start, when all bots, lineups and tables are known.
benchmarks/memory.py measures the whole process with 1,000 and 100,000 maps.
"""

import gc
import random
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, product
from pathlib import Path

import pytest

from harness.config.settings import StopAfter
from harness.plan.plan import Plan
from harness.records import Adjudication, BotSpec, MapRecord, RulesSpec, TimeControl
from harness.report.model import RunFacts
from harness.report.summary import SummaryBuilder
from harness.run.health import BotHealth
from harness.run.scheduler import Scheduler, VoidCause
from harness.store.codec import encode_line
from harness.store.journal import Journal
from harness.store.run_directory import read_records
from tests.report.made_records import game_record, map_record

FEW, MANY = 500, 3_500
SLACK = 6 * 1024
"""Bytes for 3,000 maps: one that left so much as a reference to itself (8 bytes) would show."""


SCORES = ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0))
LINEUPS = (("cand", "one"), ("cand", "two"))


def growth(step: Callable[[int], object]) -> int:
    """Give how many bytes more are held after MANY steps than after FEW."""
    tracemalloc.start()
    try:
        held = []
        for index in range(MANY):
            step(index)
            if index + 1 in {FEW, MANY}:
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return held[1] - held[0]


def records() -> Iterator[MapRecord]:
    """Give maps without end: games that all differ, of a candidate and two opponents."""
    rng = random.Random(3)
    games = [game_record(seating, scores, plies=4) for seating in ((0, 1), (1, 0)) for scores in SCORES]
    makings = [map_record(0, lineup, pair) for lineup in LINEUPS for pair in product(games[:3], games[3:])]
    for job in count():
        made = makings[rng.randrange(len(makings))]
        played = tuple(replace(game, moves=f"b2:{rng.getrandbits(128):032x}") for game in made.games)
        yield replace(made, job=job, seed=rng.randrange(-(2**63), 2**63), games=played)


def plan_of(n_maps: int) -> Plan:
    bots = tuple(BotSpec(name=name, protocol="uci") for name in ("cand", "one", "two"))
    return Plan(
        run="long",
        run_key="ab",
        stage="run",
        split="train",
        seeds=range(1, n_maps + 1),
        lineups=((bots[0], bots[1]), (bots[0], bots[2])),
        seatings=((0, 1), (1, 0)),
        rules=RulesSpec("chess"),
        time=TimeControl(per_ply_ms=100),
        adjudication=Adjudication(),
        transcripts=True,
    )


def test_the_measure_sees_what_is_kept() -> None:
    kept: list[int] = []
    assert growth(lambda index: kept.append(index + 1_000_000)) > SLACK


def test_a_plan_holds_no_jobs() -> None:
    plan = plan_of(10**9)
    assert len(plan) == 2 * 10**9
    assert growth(lambda index: plan[index * 99_991]) < SLACK


@pytest.mark.parametrize("disorder", [1, 64])
def test_a_scheduler_holds_what_is_out_and_no_more(disorder: int) -> None:
    """Jobs come back in blocks that are shuffled, as from many workers; one in fifty is void first."""
    scheduler = Scheduler(10 * MANY)
    rng = random.Random(1)
    out: list[int] = []

    def step(index: int) -> None:
        if not out:
            while len(out) < disorder:
                out.extend(scheduler.issue(disorder - len(out)))
            rng.shuffle(out)
        job = out.pop()
        if index % 50 == 0:
            scheduler.void(job, VoidCause.STARVED)
        else:
            scheduler.fix(job)

    assert growth(step) < SLACK
    assert scheduler.n_done > MANY * 9 // 10


def test_a_summary_holds_counts_not_maps() -> None:
    source = records()
    summaries = SummaryBuilder()
    assert growth(lambda _: summaries.add(next(source))) < SLACK
    summary = summaries.build(RunFacts(name="long"))
    assert summary.n_maps == MANY
    assert summary.repeats.is_exact
    assert len({row.opponent for row in summary.comparisons}) == 2


def test_health_holds_counts_not_maps() -> None:
    source = records()
    health = BotHealth(StopAfter())
    assert growth(lambda _: health.see(next(source))) < SLACK


def test_writing_and_reading_a_journal_hold_one_line(tmp_path: Path) -> None:
    source = records()
    path = tmp_path / "maps.jsonl"
    journal = Journal(path)
    assert growth(lambda _: journal.append(encode_line(next(source)))) < SLACK
    journal.close()
    reader = read_records(path)
    assert growth(lambda _: next(reader)) < SLACK
    assert list(reader) == []

"""Runs whose screens are kept in golden/: made records, so that each shows one thing that a reader may meet.

`python -m tests.report.pages` (from the root) writes them anew; look at the difference before it is committed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

from harness.records import FaultKind, MapRecord
from harness.report.layout import Ink, Look
from harness.report.live_view import Standing, frame
from harness.report.model import HaltFacts, RunFacts, RunState
from harness.report.summary import SummaryBuilder
from harness.report.terminal import render_summary
from harness.report.verdict import judge
from tests.report.made_records import at_tables, gauntlet, mirrored, round_robin, with_fault
from tests.report.score_pages import SCORE_PAGES

GOLDEN = Path(__file__).parent / "golden"

PANEL = {
    "ember": 0.72,
    "oak": 0.665,
    "pike": 0.60,
    "crane": 0.56,
    "hare": 0.51,
    "birch": 0.5,
    "wren": 0.44,
    "mole": 0.35,
}
DONE = RunFacts(name="nightly", results="results/nightly", again="harness run nightly.yaml")


def panel_with_trouble() -> list[MapRecord]:
    """Eight opponents; one is late now and then, two maps were void."""
    records = gauntlet("cand-7", PANEL, 100)
    for index, record in enumerate(records):
        if record.lineup[1] == "mole" and index % 7 == 0:
            records[index] = with_fault(record, 1, FaultKind.TIMEOUT, "answered after 137.1 ms, allowed 100 ms")
    records[3] = replace(records[3], attempt=3)
    return records


def build(records: list[MapRecord], facts: RunFacts, look: Look) -> str:
    """The end block."""
    builder = SummaryBuilder()
    for record in records:
        builder.add(record)
    summary = builder.build(facts)
    return render_summary(summary, judge(summary), look)


def build_frame(records: list[MapRecord], look: Look) -> str:
    """A frame of the live view, 75 minutes in."""
    builder = SummaryBuilder()
    standing = Standing("nightly", 2400, 0, 2, began_s=0.0)
    for record in records:
        builder.add(record)
        standing.add(record)
    summary = builder.build(RunFacts(name="nightly", state=RunState.RUNNING, planned=2400))
    return frame(summary, standing, look, 4520.0)


def interrupted() -> str:
    """A run that was stopped early."""
    facts = replace(DONE, state=RunState.INTERRUPTED, planned=2400)
    return build(gauntlet("cand-7", PANEL, 20), facts, Look(100))


def halted() -> str:
    """A run that could not go on."""
    halt = HaltFacts("mole forfeited its first 5 games", evidence="exit status 1: no such file: weights.bin")
    facts = replace(DONE, state=RunState.HALTED, planned=2400, halt=halt)
    return build(gauntlet("cand-7", PANEL, 2), facts, Look(100))


MIXED = [("a", "b", "c", "d"), ("a", "b", "e", "f"), ("c", "d", "e", "f")]
PAGES: dict[str, Callable[[], str]] = {
    "panel-120": lambda: build(panel_with_trouble(), DONE, Look(120)),
    "panel-120-color": lambda: build(panel_with_trouble(), DONE, Look(120, Ink.COLOR)),
    "panel-90": lambda: build(panel_with_trouble(), DONE, Look(90)),
    "panel-80-ascii": lambda: build(panel_with_trouble(), DONE, Look(80, unicode=False)),
    "panel-60": lambda: build(panel_with_trouble(), DONE, Look(60)),
    "panel-40": lambda: build(panel_with_trouble(), DONE, Look(40)),
    "duel-100": lambda: build(gauntlet("cand-7", {"champ-6": 0.56}, 600), DONE, Look(100)),
    "no-evidence-100": lambda: build(gauntlet("cand-7", {"champ-6": 0.505}, 600), DONE, Look(100)),
    "perfect-100": lambda: build(gauntlet("cand-7", {"dummy": 1.1, "god": -0.1}, 40, draw=0.0), DONE, Look(100)),
    "round-robin-110": lambda: build(round_robin({"a": 3.0, "b": 2.9, "c": 1.0, "d": 0.3}, 60), DONE, Look(110)),
    "tables-of-four-90": lambda: build(at_tables(120, MIXED, Random(7)), DONE, Look(90)),
    "mirrored-80": lambda: build(mirrored(("cand-7", "champ-6"), 40), DONE, Look(80)),
    "interrupted-100": interrupted,
    "halted-100": halted,
    "live-120": lambda: build_frame(panel_with_trouble(), Look(120, height=40)),
    "live-100-low": lambda: build_frame(panel_with_trouble(), Look(100, height=16)),
    "live-60": lambda: build_frame(panel_with_trouble(), Look(60, height=40)),
    **SCORE_PAGES,
}


def main() -> None:
    """Write every page."""
    GOLDEN.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (GOLDEN / f"{name}.txt").write_text(page() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Score contests whose screens are kept in golden/, for `pages`: each shows one thing that a reader may meet."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from harness.records import Objective, Relative, Scoring
from harness.report.layout import Ink, Look
from harness.report.live_view import Standing, frame
from harness.report.model import RunFacts, RunState
from harness.report.score_book import Baseline
from harness.report.terminal import render_summary
from harness.report.verdict import judge
from tests.report.made_scores import BEST, contest, summarise, tours

FACTS = RunFacts(name="tours", results="results/tours", again="harness run tours.yaml")
PLAIN = Scoring(Objective.MINIMISE, failed_score=1e6)


def field() -> dict[str, list[float | None]]:
    """Four versions, one of which crashes now and then."""
    rng = random.Random(8)
    hard = [rng.lognormvariate(9.0, 0.4) for _ in range(120)]
    gains = {"v4": 0.05, "v3": 0.04, "v2-with-a-very-long-name": 0.0, "crashes": 0.06}
    table: dict[str, list[float | None]] = {
        name: [round(base * (1.0 - gain) * rng.lognormvariate(0.0, 0.02), 1) for base in hard]
        for name, gain in gains.items()
    }
    for place in (3, 40, 77):
        table["crashes"][place] = None
    return table


def page(
    table: dict[str, list[float | None]],
    scoring: Scoring,
    look: Look,
    *,
    candidate: str | None = None,
    baseline: Baseline | None = None,
) -> str:
    """The end block."""
    summary = summarise(contest(table), scoring, candidate=candidate, baseline=baseline, facts=FACTS)
    return render_summary(summary, judge(summary), look)


def live() -> str:
    """A frame of the live view, two minutes in."""
    records = contest(field())[:200]
    standing = Standing("tours", 480, 0, 2, began_s=0.0, unit="game")
    for record in records:
        standing.add(record)
    facts = replace(FACTS, state=RunState.RUNNING, planned=480)
    return frame(summarise(records, BEST, facts=facts), standing, Look(100, height=30), 120.0)


def interrupted() -> str:
    """A score contest that was stopped early."""
    facts = replace(FACTS, state=RunState.INTERRUPTED, planned=480)
    summary = summarise(contest(field())[:90], BEST, facts=facts)
    return render_summary(summary, judge(summary), Look(100))


EARLIER = Baseline(("last-week",), {seed: (5_000.0 + 10.0 * seed, 9_000.0) for seed in range(1, 121)})

SCORE_PAGES: dict[str, Callable[[], str]] = {
    "scores-100": lambda: page(tours(200, 0.02), BEST, Look(100), candidate="new"),
    "scores-absolute-120-color": lambda: page(tours(200, 0.02), PLAIN, Look(120, Ink.COLOR), candidate="new"),
    "scores-no-evidence-80": lambda: page(tours(40, 0.0, seed=3), BEST, Look(80), candidate="new"),
    "scores-candidate-110": lambda: page(field(), BEST, Look(110), candidate="v4"),
    "scores-field-80-ascii": lambda: page(field(), BEST, Look(80, unicode=False)),
    "scores-field-60": lambda: page(field(), BEST, Look(60)),
    "scores-median-100": lambda: page(
        field(), replace(BEST, relative=Relative.MEDIAN), Look(100), baseline=EARLIER, candidate="v4"
    ),
    "scores-same-80": lambda: page({"new": [5.0, 7.0, 6.5], "old": [5.0, 7.0, 6.5]}, BEST, Look(80), candidate="new"),
    "scores-interrupted-100": interrupted,
    "scores-live-100": live,
}

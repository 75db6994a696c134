"""A duel's summary with exactly the numbers that a sentence is to be made of. Not played games."""

from __future__ import annotations

import random
from dataclasses import replace

from harness.report.model import Estimate, RunFacts, Summary
from harness.report.summary import SummaryBuilder
from harness.stats.elo import from_interval, to_score
from harness.stats.intervals import IntervalMethod, IntervalState, MeanInterval
from tests.report.made_records import duel_map


def measured(middle: float, low: float, high: float, *, n_maps: int = 1200, sd: float = 0.3) -> Summary:
    """A duel of cand-7 against champ-6 with exactly this estimate and interval in Elo."""
    builder = SummaryBuilder()
    builder.add(duel_map(0, ("cand-7", "champ-6"), 0.5, random.Random(0)))
    summary = builder.build(RunFacts(name="nightly"))
    interval = MeanInterval(
        to_score(middle),
        to_score(low),
        to_score(high),
        sd,
        None,
        n_maps,
        0.95,
        IntervalMethod.STUDENT_T,
        IntervalState.USUAL,
    )
    estimate = Estimate(
        n_maps,
        n_maps,
        interval.mean,
        interval.low,
        interval.high,
        sd,
        interval.method,
        interval.state,
        from_interval(interval),
    )
    row = replace(
        summary.comparisons[0],
        estimate=estimate,
        side=estimate.side,
        side_corrected=estimate.side,
        maps_split=n_maps // 3,
        mirrored_maps=0,
    )
    return replace(summary, comparisons=(row,), overall=replace(row, opponent=None), n_maps=n_maps)

"""The one sentence that a run ends in, made once and shown everywhere: terminal, exports, exit code.

`judge` is pure: summary in, words out. The sentences are in `duel`, `several` and `unfinished`; here is only which of
them speaks. Must not decide more than the numbers say: no claim at all while a run is not done.
"""

from __future__ import annotations

from harness.errors import ExitCode
from harness.report import duel, several, unfinished
from harness.report.model import HaltFacts, RunState, Shape, Summary
from harness.report.outcome import Outcome, Tone, Verdict
from harness.report.rulings import (
    Dropped,
    Equivalent,
    Held,
    NotPromoted,
    Promoted,
    Rejected,
    Ruling,
    SeedsUsedUp,
    StarvedOfTime,
)

__all__ = ["Outcome", "Tone", "Verdict", "judge"]


def judge(summary: Summary, ruling: Ruling | None = None) -> Verdict:
    """Put a run into words. `ruling` is a gate's decision; without one the run is a plain measurement.

    A gate's rulings about the champion take the run's only comparison; raises ValueError if there are more.
    """
    run = summary.run
    if run.state is RunState.HALTED:
        return unfinished.stopped(summary, run.halt or HaltFacts("it was halted"))
    if ruling is not None:
        return _ruled(summary, ruling)
    if not summary.is_final or summary.shape is Shape.EMPTY:
        return unfinished.too_few(summary)
    if summary.shape is Shape.SINGLE:
        return unfinished.single(summary)
    if summary.lead is not None:
        return several.round_robin(summary, summary.lead)
    if len(summary.comparisons) == 1:
        return duel.plain(summary, summary.comparisons[0])
    return several.panel(summary)


def _ruled(summary: Summary, ruling: Ruling) -> Verdict:
    if isinstance(ruling, StarvedOfTime):
        return unfinished.starved_of_time(ruling)
    if isinstance(ruling, SeedsUsedUp):
        return unfinished.seeds_used_up(ruling)
    if len(summary.comparisons) != 1:
        raise ValueError(f"a ruling about the champion needs one comparison, got {len(summary.comparisons)}")
    row = summary.comparisons[0]
    not_passed = ExitCode.NOT_PASSED
    match ruling:
        case Promoted():
            return duel.better(summary, row, Outcome.PROMOTED, "PROMOTED", ExitCode.DONE, fresh=True)
        case Held(guards):
            return duel.held(summary, row, guards)
        case NotPromoted():
            return duel.no_evidence(row, Outcome.NOT_PROMOTED, "NOT PROMOTED", not_passed, fresh=True)
        case Rejected():
            return duel.worse(summary, row, Outcome.REJECTED, "REJECTED", not_passed, fresh=True)
        case Dropped():
            return duel.dropped(row, ruling)
        case Equivalent(margin):
            return duel.equivalent(summary, row, margin)

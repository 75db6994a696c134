"""The one sentence that a run ends in, made once and shown everywhere: terminal, exports, exit code.

`judge` is pure: summary in, words out. The sentences are in `duel`, `several`, `scored` and `unfinished`; here is only
which of them speaks. What a gate decided is `gated.judge_gate`'s to say, with the same sentences where they fit. Must
not decide more than the numbers say: no claim at all while a run is not done.
"""

from __future__ import annotations

from harness.report import duel, scored, several, unfinished
from harness.report.model import HaltFacts, RunState, Shape, Summary
from harness.report.outcome import Outcome, Tone, Verdict

__all__ = ["Outcome", "Tone", "Verdict", "judge"]


def judge(summary: Summary) -> Verdict:
    """Put a run into words, as the plain measurement that it is."""
    run = summary.run
    if run.state is RunState.HALTED:
        return unfinished.stopped(summary, run.halt or HaltFacts("it was halted"))
    if not summary.is_final or summary.shape is Shape.EMPTY:
        return unfinished.too_few(summary)
    if summary.scores is not None:
        return scored.judge(summary.scores)
    if summary.shape is Shape.SINGLE:
        return unfinished.single(summary)
    if summary.lead is not None:
        return several.round_robin(summary, summary.lead)
    if len(summary.comparisons) == 1:
        return duel.plain(summary, summary.comparisons[0])
    return several.panel(summary)

"""Verdicts on runs that have no result: too few maps, halted, nothing to compare.

Must not give a plain interval: while a run is not done only the always-valid band may be looked at.
"""

from __future__ import annotations

from harness.errors import ExitCode
from harness.report import numbers
from harness.report.model import HaltFacts, RunState, Shape, Summary
from harness.report.outcome import Outcome, Tone, Verdict


def too_few(summary: Summary) -> Verdict:
    """Say how far the run is, with the always-valid band where there is one, and how to go on."""
    run = summary.run
    done = numbers.count(summary.n_maps)
    verb = "is" if 1 in {summary.n_maps, run.planned} else "are"
    of_planned = "" if run.planned is None else f" of {numbers.count(run.planned)}"
    noun = "map" if summary.scores is None else "game"
    noun += "" if (run.planned or summary.n_maps) == 1 else "s"
    headline = f"Too early to say: {done}{of_planned} {noun} {verb} done."
    sentences = []
    if len(summary.comparisons) == 1:
        row = summary.comparisons[0]
        estimate = row.estimate
        band = numbers.score_range(estimate.band_low, estimate.band_high, estimate.n_maps)
        sentences.append(
            f"{row.bot} scores {numbers.score(estimate.score, estimate.n_maps)} so far; "
            f"the always-valid 95{numbers.THIN}% band is {band}."
        )
    elif summary.overall is not None:
        estimate = summary.overall.estimate
        sentences.append(
            f"{summary.overall.bot} scores {numbers.score(estimate.score, estimate.n_maps)} so far against "
            f"{numbers.count(len(summary.comparisons))} opponents; the table gives the always-valid "
            f"95{numbers.THIN}% band of each."
        )
    elif summary.bots and summary.shape is Shape.ROUND_ROBIN:
        leader = summary.bots[0]
        score = numbers.score(leader.estimate.score, leader.n_maps)
        sentences.append(f"{leader.name} has the highest score so far, {score}.")
    if run.again is not None and run.state is not RunState.RUNNING:
        sentences.append(f"Go on with: {run.again}")
    return Verdict(
        outcome=Outcome.TOO_FEW_MAPS,
        tag="TOO FEW MAPS",
        glyph="…",
        tone=Tone.WARN,
        headline=headline,
        detail=" ".join(sentences),
        exit_code=ExitCode.INTERRUPTED if run.state is RunState.INTERRUPTED else ExitCode.NO_VERDICT,
    )


def stopped(summary: Summary, halt: HaltFacts) -> Verdict:
    """Say why the run stopped and that its finished maps are safe."""
    sentences = [_sentence(_in_one_line(halt.evidence))] if halt.evidence else []
    if summary.n_maps:
        kept = numbers.counted(summary.n_maps, "finished map")
        verb = "is" if summary.n_maps == 1 else "are"
        sentences.append(f"{kept} {verb} kept and none of them is affected.")
    else:
        sentences.append("No map was finished.")
    if halt.log:
        sentences.append(f"First failure: {halt.log}")
    return Verdict(
        outcome=Outcome.STOPPED,
        tag="STOPPED",
        glyph="!",
        tone=Tone.WARN,
        headline=_sentence(f"The run stopped: {halt.reason}"),
        detail=" ".join(sentences),
        exit_code=ExitCode.HALTED,
    )


def single(summary: Summary) -> Verdict:
    """Say that bots that play alone cannot be compared as long as nobody says which of their numbers is better."""
    n_bots = len(summary.bots)
    if n_bots == 1:
        headline = f"{summary.bots[0].name} played alone: there is nothing to compare it with."
    else:
        headline = f"Each of {numbers.count(n_bots)} bots played alone: nothing says which results are better."
    return Verdict(
        outcome=Outcome.NO_COMPARISON,
        tag="NO COMPARISON",
        glyph="●",
        tone=Tone.NOTE,
        headline=headline,
        detail=f"{numbers.counted(summary.n_maps, 'map')} in {numbers.counted(summary.n_games, 'game')}. "
        "If the results are scores, say so: --objective maximise, or minimise.",
        exit_code=ExitCode.DONE,
    )


def _in_one_line(evidence: str) -> str:
    """Give the evidence without the lines of a program that it quotes: but for the last they are told beside this."""
    first, *quoted = (line.strip(" |") for line in evidence.splitlines())
    return f"{first}, at the end: {quoted[-1]}" if quoted and quoted[-1] not in first else first


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."

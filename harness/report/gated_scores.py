"""What the gate of a score contest came to, in words. Pure; the sentences about two versions are `scored`'s.

The gate decides on map scores from 0 to 1, and says what it makes of a seed; how large the difference is comes from the
scores themselves, and only after a stage of fixed size.
"""

from __future__ import annotations

from dataclasses import replace

from harness.errors import ExitCode
from harness.gates.lies import Lie
from harness.gates.outcome import GateOutcome, GateState, StageOutcome
from harness.gates.policy import DuelStage, LowerBoundRule, ScoreRule, SprtRule, StageKind
from harness.records import SeedScore
from harness.report import numbers, scored
from harness.report.outcome import Outcome, Tone, Verdict
from harness.report.score_model import ScorePair, ScoreSummary

_NONE_SPENT = "No seeds of later stages were spent."


def judge_scores(outcome: GateOutcome, scores: ScoreSummary, base: Verdict) -> Verdict:
    """Word a gate that played. `base` has its tag, tone and exit code, and as `detail` what its last stage measured."""
    pair = scores.pairs[0]
    base = replace(base, detail=f"{base.detail} {reads(scores)}")
    match outcome.state:
        case GateState.PROMOTED:
            return _promoted(outcome, scores, pair, base)
        case GateState.UNDECIDED:
            headline = f"It is open whether {outcome.candidate} is better than {outcome.champion}."
            return replace(base, headline=headline)
        case GateState.NO_VERDICT:
            return _nothing_said(outcome, pair, base)
    return _rejected(outcome, scores, pair, base)


def reads(scores: ScoreSummary) -> str:
    """Say what the gate made of a seed."""
    if scores.seed_score is SeedScore.SHARE:
        return "A seed counts half a point and half of the difference of the two results, in shares of the better one."
    return "A seed counts 1 for the better result, half a point for an equal one, else 0."


def _last(outcome: GateOutcome) -> tuple[StageOutcome, DuelStage]:
    last = outcome.last_duel
    assert last is not None
    assert isinstance(last.stage, DuelStage)
    return last, last.stage


def _promoted(outcome: GateOutcome, scores: ScoreSummary, pair: ScorePair, base: Verdict) -> Verdict:
    _, stage = _last(outcome)
    if isinstance(stage.rule, ScoreRule):
        return replace(base, headline=f"{outcome.candidate} passed every stage against {outcome.champion}.")
    if isinstance(stage.rule, SprtRule) or pair.side <= 0:
        return replace(base, headline=f"{outcome.candidate} is better than {outcome.champion}.")
    relation, emphasis = scored.relation(scores, pair, "better", 1)
    detail = (
        f"{scored.measured(scores, pair, fresh=stage.split != 'train')} "
        f"It had to pass, so that the difference is on the high side. {base.detail}"
    )
    return replace(base, headline=f"{outcome.candidate} is {relation}.", detail=detail, emphasis=emphasis)


def _rejected(outcome: GateOutcome, scores: ScoreSummary, pair: ScorePair, base: Verdict) -> Verdict:
    last, stage = _last(outcome)
    fresh = stage.split != "train"
    is_whole = last.n_maps == stage.n_maps and not isinstance(stage.rule, SprtRule)
    if is_whole and pair.side < 0:
        return scored.worse(scores, pair, Outcome.REJECTED, "REJECTED", ExitCode.NOT_PASSED, fresh=fresh)
    if outcome.at is StageKind.SCREEN:
        headline = f"{outcome.candidate} did not pass the screen against {outcome.champion}."
        tag = "DROPPED AT THE SCREEN"
        return replace(
            base,
            outcome=Outcome.DROPPED,
            tag=tag,
            glyph="▼",
            tone=Tone.NOTE,
            headline=headline,
            detail=f"{base.detail} {_NONE_SPENT}",
        )
    if is_whole and isinstance(stage.rule, LowerBoundRule):
        told = scored.no_evidence(scores, pair, Outcome.NOT_PROMOTED, "NOT PROMOTED", ExitCode.NOT_PASSED, fresh=fresh)
        return replace(told, detail=f"{base.detail} {told.detail}")
    return replace(base, headline=f"No evidence that {outcome.candidate} is better than {outcome.champion}.")


def _nothing_said(outcome: GateOutcome, pair: ScorePair, base: Verdict) -> Verdict:
    last, _ = _last(outcome)
    if Lie.NOTHING_APART in {finding.lie for finding in last.lies}:
        return scored.starved(pair)
    print_ = numbers.digest(outcome.candidate_fingerprint)
    return replace(
        base,
        headline=f"{outcome.candidate} and {outcome.champion} are the same program.",
        detail=f"Both have fingerprint {print_}: what passed here is luck. "
        "Is the candidate the program you meant to test?",
    )

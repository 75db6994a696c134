"""What a gate came to, in words: one sentence, what it rests on, and what to know before one relies on it.

Pure: outcome and the summary of the deciding stage in, a `Verdict` out. Plain comparisons are `duel`'s to word. A stage
that ended early gives no plain estimate; what it gives is corrected and says so.
"""

from __future__ import annotations

from dataclasses import replace

from harness.errors import ExitCode
from harness.gates.decide import Reason, StageState
from harness.gates.lies import Finding, Lie
from harness.gates.outcome import Corrected, GateOutcome, GateState, StageOutcome
from harness.gates.panel import MemberResult
from harness.gates.policy import DuelStage, LowerBoundRule, PanelStage, ScoreRule, SprtRule, SprtUnit, StageKind
from harness.report import duel, numbers
from harness.report.gated_scores import judge_scores
from harness.report.model import Comparison, Summary
from harness.report.outcome import Outcome, Tone, Verdict
from harness.report.words import all_of, listed, scored_sentence
from harness.stats.elo import EloInterval

_LOOKS = {
    GateState.PROMOTED: (Outcome.PROMOTED, "PROMOTED", "▲", Tone.GOOD, ExitCode.DONE),
    GateState.REJECTED: (Outcome.NOT_PROMOTED, "NOT PROMOTED", "●", Tone.NOTE, ExitCode.NOT_PASSED),
    GateState.BLOCKED: (Outcome.HELD, "HELD", "●", Tone.NOTE, ExitCode.NOT_PASSED),
    GateState.NOT_SHOWN: (Outcome.HELD, "HELD", "●", Tone.NOTE, ExitCode.NOT_PASSED),
    GateState.UNDECIDED: (Outcome.UNDECIDED, "UNDECIDED", "…", Tone.WARN, ExitCode.NO_VERDICT),
    GateState.NO_VERDICT: (Outcome.MIRRORED, "NO VERDICT", "!", Tone.WARN, ExitCode.NO_VERDICT),
    GateState.SEEDS_USED_UP: (Outcome.TOO_FEW_MAPS, "TOO FEW MAPS", "…", Tone.WARN, ExitCode.NO_VERDICT),
}


def judge_gate(outcome: GateOutcome, summary: Summary | None) -> Verdict:
    """Put a gate into words. `summary` is that of its last stage against the champion, None if none was played."""
    if summary is not None and summary.scores is not None and outcome.state is not GateState.SEEDS_USED_UP:
        return judge_scores(outcome, summary.scores, _made(outcome, ""))
    row = summary.comparisons[0] if summary is not None and summary.comparisons else None
    match outcome.state:
        case GateState.SEEDS_USED_UP:
            return _seeds_used_up(outcome)
        case GateState.NO_VERDICT if summary is not None and row is not None:
            return _nothing_said(outcome, summary, row)
        case GateState.BLOCKED | GateState.NOT_SHOWN:
            return _held(outcome, summary, row)
        case GateState.UNDECIDED:
            return _made(outcome, f"It is open whether {outcome.candidate} is better than {outcome.champion}.")
        case GateState.REJECTED if summary is not None and row is not None:
            return _rejected(outcome, summary, row)
    return _promoted(outcome, summary, row)


def caveats(outcome: GateOutcome) -> tuple[str, ...]:
    """Say what to know before one relies on the verdict, a line each, the gravest first; none if nothing is unusual."""
    lines = []
    for stage in outcome.stages:
        lines += [f"{stage.stage.kind.value}: {_lie(finding, outcome)}" for finding in stage.lies]
        if stage.panel is not None:
            lines += [_circle(bot, outcome) for bot in stage.panel.circles]
    for stage in outcome.stages:
        name = stage.stage.kind.value
        if stage.n_forfeit_maps and not any(finding.lie is Lie.FORFEITS_DECIDE for finding in stage.lies):
            lines.append(f"{name}: {numbers.counted(stage.n_forfeit_maps, 'map')} had a forfeit")
        if stage.n_voids and not any(finding.lie is Lie.STARVED for finding in stage.lies):
            lines.append(f"{name}: {numbers.counted(stage.n_voids, 'void')}, played again, not counted")
        if stage.n_beyond:
            beyond = numbers.counted(stage.n_beyond, "map")
            lines.append(f"{name}: {beyond} played beyond the deciding ones, used by nothing")
    return tuple(lines)


def stage_words(stage: StageOutcome) -> tuple[str, str]:
    """Give a stage's result in a word, and the number against its bound."""
    if stage.panel is not None:
        pooled = stage.panel.pooled
        low, high = (numbers.points(value, stage.n_maps) for value in (pooled.low, pooled.high))
        return stage.panel.state.value, f"{numbers.points(pooled.difference, stage.n_maps)}, interval {low} to {high}"
    assert stage.decision is not None
    return stage.decision.state.value, _measure(stage)


# ----------------------------------------------------------------------------------------------- the sentences


def _made(outcome: GateOutcome, headline: str, *more: str, emphasis: str = "") -> Verdict:
    kind, tag, glyph, tone, code = _LOOKS[outcome.state]
    detail = " ".join([*([_basis(outcome)] if outcome.last_duel is not None else []), *more])
    return Verdict(kind, tag, glyph, tone, headline, detail, code, emphasis)


def _promoted(outcome: GateOutcome, summary: Summary | None, row: Comparison | None) -> Verdict:
    relation, emphasis = _relation(outcome)
    base = _made(outcome, f"{outcome.candidate} {relation}.", emphasis=emphasis)
    if summary is None or row is None or not emphasis:
        return base
    return replace(base, detail=_after_a_bar(outcome, summary, row))


def _relation(outcome: GateOutcome) -> tuple[str, str]:
    """Give what the stages against the champion showed, "is better than B by 27 Elo", and the part that is the size.

    Only a stage of fixed size gives a size, corrected for the candidate's having had to pass it. A sequential test
    stops where luck has gone far, and a score that was reached is no evidence of its own.
    """
    last = outcome.last_duel
    assert last is not None
    assert isinstance(last.stage, DuelStage)
    rule, found = last.stage.rule, last.corrected
    if isinstance(rule, ScoreRule):
        return f"passed every stage against {outcome.champion}", ""
    is_clear = found is not None and found.elo.elo is not None and found.elo.elo > 0.0
    if isinstance(rule, SprtRule) or found is None or not is_clear:
        return f"is better than {outcome.champion}", ""
    size = f"{numbers.elo_size(found.elo, numbers.elo_decimals(_elo_interval(found)))} Elo"
    return f"is better than {outcome.champion} by {size}", size


def _after_a_bar(outcome: GateOutcome, summary: Summary, row: Comparison) -> str:
    """Say what a stage of fixed size measured of a candidate that had to pass it."""
    last = outcome.last_duel
    assert last is not None
    assert last.corrected is not None
    scored = scored_sentence(summary, row, fresh=_is_fresh(last))
    return (
        f"{_interval(last.corrected)}, corrected for having had to pass. {scored} The interval counts maps, not games."
    )


def _is_fresh(stage: StageOutcome) -> bool:
    return stage.stage.split != "train"


def _rejected(outcome: GateOutcome, summary: Summary, row: Comparison) -> Verdict:
    last = outcome.last_duel
    assert last is not None
    assert last.decision is not None
    assert isinstance(last.stage, DuelStage)
    rule = last.stage.rule
    is_whole = last.n_maps == last.stage.n_maps and not isinstance(rule, SprtRule)
    none_spent = "No maps of later stages were spent."
    if is_whole and row.side < 0:
        return duel.worse(summary, row, Outcome.REJECTED, "REJECTED", ExitCode.NOT_PASSED, fresh=_is_fresh(last))
    if outcome.at is StageKind.SCREEN and isinstance(rule, SprtRule):
        unit = "nElo" if rule.unit is SprtUnit.NELO else "Elo"
        headline = f"{outcome.candidate} is unlikely to be {rule.high:g} {unit} better than {outcome.champion}."
        detail = (
            f"{_capital(_measure(last))}. The screen stops early, so it does not measure how large the difference is. "
            f"{none_spent}"
        )
    elif outcome.at is StageKind.SCREEN:
        headline = f"{outcome.candidate} did not pass the screen against {outcome.champion}."
        detail = f"{_basis(outcome)} {none_spent}"
    elif is_whole and isinstance(rule, LowerBoundRule):
        return duel.no_evidence(row, Outcome.NOT_PROMOTED, "NOT PROMOTED", ExitCode.NOT_PASSED, fresh=_is_fresh(last))
    else:
        return _made(outcome, f"No evidence that {outcome.candidate} is better than {outcome.champion}.")
    base = _made(outcome, headline)
    return replace(base, outcome=Outcome.DROPPED, tag="DROPPED AT THE SCREEN", glyph="▼", tone=Tone.NOTE, detail=detail)


def _held(outcome: GateOutcome, summary: Summary | None, row: Comparison | None) -> Verdict:
    panel = outcome.panel
    assert panel is not None
    stage = next(stage for stage in outcome.stages if stage.panel is panel)
    names = panel.regressions
    bound = _word_of_margin(stage)
    if outcome.state is GateState.NOT_SHOWN:
        headline = f"{outcome.candidate} is not shown to be as good as {outcome.champion} against the panel."
        more = f"Against the panel the difference is {stage_words(stage)[1]}; allowed is {bound}."
        return _made(outcome, headline, more)
    against = listed(names) if names else "the panel as a whole"
    relation, emphasis = _relation(outcome)
    headline = f"{outcome.candidate} {relation}, but loses ground to {against}."
    lost = [_regression(member, stage.n_maps) for member in panel.members if member.is_regression]
    whole = f"Against the whole panel the difference is {stage_words(stage)[1]}; allowed is {bound}."
    base = _made(outcome, headline, *lost, whole, emphasis=emphasis)
    if not emphasis or summary is None or row is None:
        return base
    return replace(base, detail=" ".join([_after_a_bar(outcome, summary, row), *lost, whole]))


def _word_of_margin(stage: StageOutcome) -> str:
    assert isinstance(stage.stage, PanelStage)
    return numbers.points(-stage.stage.margin, stage.n_maps)


def _regression(member: MemberResult, n_maps: int) -> str:
    low, high = (numbers.points(value, n_maps) for value in (member.difference.low, member.difference.high))
    seeds = ", ".join(str(number) for number, _ in member.worst_maps)
    where = f" Worst on the maps of seeds {seeds}." if seeds else ""
    return (
        f"Against {member.bot} it scores {numbers.points(member.difference.difference, n_maps)} "
        f"(interval {low} to {high}) next to the champion on the same maps.{where}"
    )


def _nothing_said(outcome: GateOutcome, summary: Summary, row: Comparison) -> Verdict:
    last = outcome.last_duel
    trap = next((f for stage in outcome.stages for f in stage.lies if f.lie is Lie.MIRROR_TRAP), None)
    if trap is not None:
        return _mirror_trap(outcome, trap)
    lies = {finding.lie for finding in last.lies} if last is not None else set()
    if Lie.MIRRORED in lies:
        return duel.mirrored(summary, row)
    if Lie.NOTHING_APART in lies:
        return duel.starved_of_decisions(row)
    print_ = numbers.digest(outcome.candidate_fingerprint)
    return _made(
        outcome,
        f"{outcome.candidate} and {outcome.champion} are the same program.",
        f"Both have fingerprint {print_}: what passed here is luck. Is the candidate the program you meant to test?",
    )


def _mirror_trap(outcome: GateOutcome, trap: Finding) -> Verdict:
    """Say that the score against the champion shows who breaks the mirror."""
    every = all_of(trap.of, "map") if trap.n == trap.of else f"{numbers.count(trap.n)} of {trap.of} maps"
    base = _made(
        outcome,
        f"No verdict: {outcome.champion} and {trap.bot} mirror each other and draw, on {every}.",
        f"So the score of {outcome.candidate} against {outcome.champion} shows who breaks the mirror, not who is "
        "stronger. Use starts that do not mirror each other.",
    )
    return replace(base, tag="MIRRORED", glyph="⇄")


def _seeds_used_up(outcome: GateOutcome) -> Verdict:
    stage = outcome.at.value if outcome.at is not None else "next"
    left, needed = numbers.count(outcome.n_seeds_left), numbers.count(outcome.n_seeds_needed)
    return _made(
        outcome,
        f"Too few unused maps for the {stage} stage: {left} of {needed} are left.",
        f"The {stage} stage was not started and none of its seeds was spent. "
        "Add seeds to the ledger or lower the stage's maps.",
    )


# ----------------------------------------------------------------------------------------------- what it rests on


def _basis(outcome: GateOutcome) -> str:
    """Say what the last stage against the champion measured, in terms of its own rule."""
    last = outcome.last_duel
    assert last is not None
    return f"{_capital(_measure(last))}.{_estimate(last)}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _measure(stage: StageOutcome) -> str:
    decision, duel_stage = stage.decision, stage.stage
    assert decision is not None
    assert isinstance(duel_stage, DuelStage)
    fresh = "map" if duel_stage.split == "train" else "fresh map"
    maps = numbers.counted(stage.n_maps, fresh)
    rule = duel_stage.rule
    if isinstance(rule, SprtRule):
        llr = numbers.llr(decision.llr)
        if decision.reason is Reason.LLR:
            limit = decision.upper if decision.state is StageState.PASSED else decision.lower
            return f"LLR {llr} crossed {numbers.llr(limit)} after {maps}"
        return f"LLR {llr} between {numbers.llr(decision.lower)} and {numbers.llr(decision.upper)} after all {maps}"
    planned = numbers.count(duel_stage.n_maps)
    if decision.reason in {Reason.CERTAIN, Reason.FUTILE}:
        what = "could not change it any more" if decision.reason is Reason.CERTAIN else "would hardly have saved it"
        return f"decided after {maps}: the rest of the {planned} {what}"
    score = numbers.score(decision.score, stage.n_maps)
    if isinstance(rule, ScoreRule):
        return f"score {score} over {maps}, {numbers.score(rule.score, stage.n_maps)} is asked for"
    assert isinstance(rule, LowerBoundRule)
    low = numbers.score(stage.interval.low if stage.interval else None, stage.n_maps)
    bound = numbers.score(rule.lower_bound, stage.n_maps)
    return f"score {score} over {maps}, lower end of the interval {low}, above {bound} is asked for"


def _estimate(stage: StageOutcome) -> str:
    found = stage.corrected
    if found is None:
        return ""
    assert isinstance(stage.stage, DuelStage)
    why = "the early stop" if isinstance(stage.stage.rule, SprtRule) else "having had to pass"
    decimals = numbers.elo_decimals(_elo_interval(found))
    return f" Corrected for {why} the estimate is {numbers.elo(found.elo, decimals)} Elo, {_interval(found)}."


def _interval(found: Corrected) -> str:
    level = f"{numbers.plain(100.0 * found.confidence)}{numbers.THIN}%"
    return f"{level} interval {numbers.elo_range(_elo_interval(found))} Elo"


def _elo_interval(found: Corrected) -> EloInterval:
    return EloInterval(found.elo, found.low, found.high, found.confidence)


# --------------------------------------------------------------------------------------------------- the lies


def _lie(finding: Finding, outcome: GateOutcome) -> str:
    n, of = numbers.count(finding.n), numbers.count(finding.of)
    match finding.lie:
        case Lie.EQUAL_FINGERPRINTS:
            return f"{outcome.candidate} and {outcome.champion} have the same fingerprint: they are one program"
        case Lie.MIRRORED:
            return (
                f"{n} of {of} maps are one game with the seats swapped: mirrored games are level whatever the strength"
            )
        case Lie.MIRROR_TRAP:
            return (
                f"the mirror trap: {outcome.champion} and {finding.bot} drew {n} of {of} maps move for move from both "
                "seats; who breaks the mirror wins there, stronger or not"
            )
        case Lie.NOTHING_APART:
            return f"only {n} of {of} maps told the two apart"
        case Lie.REPEATED:
            return f"{n} of {of} games repeat another map's move for move: the intervals are too narrow"
        case Lie.SEAT_BIAS:
            return (
                f"the first seat scored {numbers.score(finding.value, finding.of)}: the seat decides more than the bots"
            )
        case Lie.FORFEITS_DECIDE:
            rest = numbers.score(finding.value, finding.of)
            return f"forfeits decide: without the {n} maps that have one the score is {rest} and the result another"
        case Lie.STARVED:
            return f"{n} of {of} games were void or late through the machine"
        case Lie.REUSED_MAPS:
            return f"{numbers.counted(finding.n, 'selection')} of this lineage made on these maps before"
        case Lie.TOO_FEW_MAPS:
            chance = numbers.probability(finding.value)
            return f"{of} maps show a gain of the size asked for with probability {chance} only"


def _circle(bot: str, outcome: GateOutcome) -> str:
    return f"panel: {outcome.champion} beats {bot}, and {bot} beats {outcome.candidate}: a circle, not a ranking"

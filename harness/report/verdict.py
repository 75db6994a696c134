"""The one sentence that a run ends in, made once and shown everywhere: terminal, exports, exit code.

Subject, relation, object, magnitude; the direction is in the word, so the headline's number has no sign. The detail
line gives the signed interval, the score and the number of maps. `judge` is pure: summary in, words out. It must not
decide more than the numbers say: no claim without an interval over maps, none at all while a run is not done.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from harness.errors import ExitCode
from harness.report import numbers
from harness.report.model import Comparison, HaltFacts, Lead, RunState, Shape, Summary
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
from harness.report.words import all_of, listed, seats_phrase
from harness.stats.elo import EloState
from harness.stats.planning import NeedState, maps_to_tell

FEW_APART_SHARE = 0.02
"""If no more than this share of the maps told the bots apart, and the interval holds an even score: starved."""

STARVED_FROM_MAPS = 50
"""Below this many maps, few maps apart is what one expects."""

MIRRORED_SHARE = 0.8
"""From this share of mirrored maps on, two bots that are not separated play alike."""


class Outcome(StrEnum):
    """What a verdict says, for programs."""

    BETTER = "better"
    NO_EVIDENCE = "no evidence"
    WORSE = "worse"
    MIXED = "mixed"
    LEADS = "leads"
    PROMOTED = "promoted"
    NOT_PROMOTED = "not promoted"
    REJECTED = "rejected"
    DROPPED = "dropped at the screen"
    EQUIVALENT = "equivalent"
    HELD = "held"
    MIRRORED = "mirrored"
    STARVED = "starved"
    TOO_FEW_MAPS = "too few maps"
    STOPPED = "stopped"
    NO_COMPARISON = "no comparison"


class Tone(StrEnum):
    """How a verdict or a mark is coloured. Never the only carrier: glyph and word say the same."""

    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judged run. `emphasis` is the part of the headline that carries the magnitude, "" if none does."""

    outcome: Outcome
    tag: str
    glyph: str
    tone: Tone
    headline: str
    detail: str
    exit_code: ExitCode
    emphasis: str = ""


def judge(summary: Summary, ruling: Ruling | None = None) -> Verdict:
    """Put a run into words. `ruling` is a gate's decision; without one the run is a plain measurement.

    A gate's rulings about the champion take the run's only comparison; raises ValueError if there are more.
    """
    run = summary.run
    if run.state is RunState.HALTED:
        return _stopped(summary, run.halt or HaltFacts("it was halted"))
    if ruling is not None:
        return _ruled(summary, ruling)
    if summary.shape is Shape.SINGLE:
        return _single(summary)
    if not summary.is_final or summary.shape is Shape.EMPTY:
        return _too_few(summary)
    if summary.lead is not None:
        return _round_robin(summary, summary.lead)
    if len(summary.comparisons) == 1:
        return _duel(summary, summary.comparisons[0])
    return _panel(summary)


# ------------------------------------------------------------------------------------- one opponent, no gate


def _duel(summary: Summary, row: Comparison) -> Verdict:
    n_maps = row.estimate.n_maps
    if is_mirrored(row):
        return _mirrored(summary, row)
    if not row.side and n_maps >= STARVED_FROM_MAPS and n_maps - row.maps_split <= FEW_APART_SHARE * n_maps:
        return _starved_of_decisions(row)
    if row.side > 0:
        return _better(summary, row, Outcome.BETTER, "BETTER", ExitCode.DONE)
    if row.side < 0:
        return _worse(summary, row, Outcome.WORSE, "WORSE", ExitCode.DONE)
    return _no_evidence(row, Outcome.NO_EVIDENCE, "NO EVIDENCE", ExitCode.DONE)


def is_mirrored(row: Comparison) -> bool:
    """Say whether two bots play alike: not separated, and nearly every map is one game with the seats swapped."""
    n_maps = row.estimate.n_maps
    return n_maps > 1 and not row.side and row.mirrored_maps >= MIRRORED_SHARE * n_maps


def _better(
    summary: Summary, row: Comparison, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False
) -> Verdict:
    relation, emphasis = _relation(row, "better")
    return Verdict(
        outcome=outcome,
        tag=tag,
        glyph="▲",
        tone=Tone.GOOD,
        headline=f"{row.bot} is {relation}.",
        detail=f"{_interval(row)} {_scored(summary, row, fresh=fresh)} The interval counts maps, not games.",
        exit_code=code,
        emphasis=emphasis,
    )


def _worse(
    summary: Summary, row: Comparison, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False
) -> Verdict:
    relation, emphasis = _relation(row, "worse")
    return Verdict(
        outcome=outcome,
        tag=tag,
        glyph="▼",
        tone=Tone.BAD,
        headline=f"{row.bot} is {relation}.",
        detail=f"{_interval(row)} {_scored(summary, row, fresh=fresh)}",
        exit_code=code,
        emphasis=emphasis,
    )


def _relation(row: Comparison, word: str) -> tuple[str, str]:
    """Give "better than B by 27 Elo" and the part that is the magnitude; a perfect score has no Elo."""
    estimate = row.estimate
    if estimate.elo.estimate.state is not EloState.FINITE:
        verb = "won" if word == "better" else "lost"
        every = all_of(estimate.n_maps, "map")
        return f"{word} than {row.opponent}: it {verb} {every}", every
    size = f"{numbers.elo_size(estimate.elo.estimate, numbers.elo_decimals(estimate.elo))} Elo"
    return f"{word} than {row.opponent} by {size}", size


def _no_evidence(row: Comparison, outcome: Outcome, tag: str, code: ExitCode, *, fresh: bool = False) -> Verdict:
    elo = row.estimate.elo
    decimals = numbers.elo_decimals(elo)
    estimate = numbers.elo(elo.estimate, decimals)
    maps = _maps(row.estimate.n_maps, fresh=fresh)
    sentences = [f"Estimate {estimate} Elo, {_level(row)} {numbers.elo_range(elo)} Elo over {maps}."]
    gain, loss = numbers.elo_size(elo.high, decimals), numbers.elo_size(elo.low, decimals)
    sentences.append(f"A gain of {gain} Elo or a loss of {loss} Elo both fit the data.")
    need = maps_to_tell(row.estimate.score, row.estimate.sd)
    if need.state is NeedState.FINITE and need.n is not None and estimate != "0":
        sentences.append(f"Telling {estimate} from 0 would take about {numbers.about(need.n)} maps.")
    return Verdict(
        outcome=outcome,
        tag=tag,
        glyph="●",
        tone=Tone.NOTE,
        headline=f"No evidence that {row.bot} is better than {row.opponent}.",
        detail=" ".join(sentences),
        exit_code=code,
    )


def _mirrored(summary: Summary, row: Comparison) -> Verdict:
    n_maps = row.estimate.n_maps
    split = all_of(n_maps, "map") if row.maps_split == n_maps else f"{numbers.count(row.maps_split)} of {_n(n_maps)}"
    prints = dict(summary.run.fingerprints)
    own, other = prints.get(row.bot, ""), prints.get(row.opponent or "", "")
    if own and own == other:
        advice = f"Both bots have fingerprint {numbers.digest(own)}: is the candidate the program you meant to test?"
    else:
        advice = "Maps that are not mirrored, or other opponents, may tell them apart."
    return Verdict(
        outcome=Outcome.MIRRORED,
        tag="MIRRORED",
        glyph="⇄",
        tone=Tone.WARN,
        headline=f"{row.bot} and {row.opponent} play alike: {split} {'was' if n_maps == 1 else 'were'} split.",
        detail=f"{numbers.count(row.mirrored_maps)} of {numbers.count(n_maps)} pairs are the same game with the seats "
        f"swapped. The result says nothing about strength. {advice}",
        exit_code=ExitCode.NO_VERDICT,
    )


def _starved_of_decisions(row: Comparison) -> Verdict:
    n_maps = row.estimate.n_maps
    n_apart = n_maps - row.maps_split
    which = f"only {numbers.count(n_apart)}" if n_apart else "none"
    rest = f"The other {numbers.count(row.maps_split)} were split." if n_apart else "All were split."
    return Verdict(
        outcome=Outcome.STARVED,
        tag="STARVED",
        glyph="!",
        tone=Tone.WARN,
        headline=f"No verdict: {which} of {_n(n_maps)} told the bots apart.",
        detail=f"{rest} Use maps, limits or opponents that separate the bots more.",
        exit_code=ExitCode.NO_VERDICT,
    )


# ------------------------------------------------------------------------------- several opponents, no gate


def _panel(summary: Summary) -> Verdict:
    rows = summary.comparisons
    better = [row for row in rows if row.side_corrected > 0]
    worse = [row for row in rows if row.side_corrected < 0]
    alike = [row for row in rows if not row.side_corrected and is_mirrored(row)]
    unsure = [row for row in rows if not row.side_corrected and not is_mirrored(row)]
    candidate = rows[0].bot
    n = len(rows)
    if len(unsure) == n:
        headline = f"No evidence that {candidate} is better or worse than any of {numbers.count(n)} opponents."
    else:
        headline = _panel_headline(candidate, rows, better, worse, alike, unsure)
    if better and worse:
        outcome, tag, glyph, tone = Outcome.MIXED, "MIXED", "●", Tone.NOTE
    elif better:
        tag = "BETTER" if len(better) == n else f"BETTER THAN {len(better)} OF {n}"
        outcome, glyph, tone = Outcome.BETTER, "▲", Tone.GOOD
    elif worse:
        tag = "WORSE" if len(worse) == n else f"WORSE THAN {len(worse)} OF {n}"
        outcome, glyph, tone = Outcome.WORSE, "▼", Tone.BAD
    elif len(alike) == n:
        outcome, tag, glyph, tone = Outcome.MIRRORED, "MIRRORED", "⇄", Tone.WARN
    else:
        outcome, tag, glyph, tone = Outcome.NO_EVIDENCE, "NO EVIDENCE", "●", Tone.NOTE
    return Verdict(
        outcome=outcome,
        tag=tag,
        glyph=glyph,
        tone=tone,
        headline=headline,
        detail=_panel_detail(summary, n),
        exit_code=ExitCode.NO_VERDICT if outcome is Outcome.MIRRORED else ExitCode.DONE,
    )


def _panel_headline(
    candidate: str,
    rows: tuple[Comparison, ...],
    better: list[Comparison],
    worse: list[Comparison],
    alike: list[Comparison],
    unsure: list[Comparison],
) -> str:
    n = len(rows)
    claims = [f"{word} than {_group(group, n)}" for word, group in (("better", better), ("worse", worse)) if group]
    clauses = [f"{candidate} is {' but '.join(claims)}"] if claims else []
    if alike:
        subject = f"{candidate} plays" if not clauses else "it plays"
        clauses.append(f"{subject} like {_group(alike, n)}")
    if unsure:
        n_named = n - len(unsure)
        rest = _names(unsure) if len(unsure) <= 3 else f"the other {len(unsure)}"
        clauses.append(f"no evidence against {rest}" if n_named else "")
    return "; ".join(clauses) + "."


def _panel_detail(summary: Summary, n: int) -> str:
    overall = summary.overall
    if overall is None:
        return ""
    estimate = overall.estimate
    interval = numbers.score_range(estimate.low, estimate.high, estimate.n_maps)
    return (
        f"{_scored(summary, overall)[:-1]}; {_level(overall)} {interval}. "
        f"The {numbers.count(n)} comparisons hold together at 5{numbers.THIN}% (Holm); "
        f"the intervals in the table are one by one, over maps, not games."
    )


def _group(rows: list[Comparison], n: int) -> str:
    """Name up to three opponents; else say how many of all."""
    if len(rows) <= 3:
        return _names(rows)
    return f"all {numbers.count(n)} opponents" if len(rows) == n else f"{len(rows)} of {n} opponents"


def _names(rows: list[Comparison]) -> str:
    return listed([row.opponent or "" for row in rows])


# ---------------------------------------------------------------------------------------------- round robin


def _round_robin(summary: Summary, lead: Lead) -> Verdict:
    leader = summary.bot(lead.bot)
    n = len(summary.bots)
    estimate = leader.estimate
    if not lead.ahead_of:
        headline = f"No evidence that any of the {numbers.count(n)} bots is better than the others."
        outcome, tag, glyph, tone = Outcome.NO_EVIDENCE, "NO EVIDENCE", "●", Tone.NOTE
    elif lead.level:
        level = listed(lead.level) if len(lead.level) <= 3 else f"{len(lead.level)} of the other {n - 1}"
        headline = f"{lead.bot} leads, but {level} may be as strong."
        outcome, tag, glyph, tone = Outcome.LEADS, "SHARED LEAD", "●", Tone.NOTE
    else:
        others = listed(lead.ahead_of) if n <= 4 else f"all {numbers.count(n - 1)} others"
        headline = f"{lead.bot} leads, ahead of {others}."
        outcome, tag, glyph, tone = Outcome.LEADS, "LEADS", "▲", Tone.GOOD
    margin = (
        f"{numbers.points(lead.margin, estimate.n_maps)}, 95{numbers.THIN}% interval "
        f"{numbers.signed(100 * lead.margin_low, 1)} to {numbers.signed(100 * lead.margin_high, 1)}"
    )
    detail = (
        f"It scored {numbers.score(estimate.score, estimate.n_maps)} over {_maps(estimate.n_maps)}"
        f"{seats_phrase(summary)}. Its lead over {lead.second} is {margin}. The leader is picked by its result: "
        f"one of {numbers.count(lead.n_comparisons)} comparisons, all of them corrected for (Bonferroni)."
    )
    if not lead.ahead_of:
        detail = f"{lead.bot} scored most. " + detail
    return Verdict(outcome, tag, glyph, tone, headline, detail, ExitCode.DONE)


# --------------------------------------------------------------------------------------- runs without a result


def _too_few(summary: Summary) -> Verdict:
    run = summary.run
    done = numbers.count(summary.n_maps)
    verb = "is" if summary.n_maps == 1 and run.planned is None else "are"
    if run.planned is None:
        headline = f"Too early to say: {numbers.counted(summary.n_maps, 'map')} {verb} done."
    else:
        headline = f"Too early to say: {done} of {_n(run.planned)} are done."
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


def _stopped(summary: Summary, halt: HaltFacts) -> Verdict:
    sentences = [_sentence(halt.evidence)] if halt.evidence else []
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


def _single(summary: Summary) -> Verdict:
    bot = summary.bots[0]
    return Verdict(
        outcome=Outcome.NO_COMPARISON,
        tag="NO COMPARISON",
        glyph="●",
        tone=Tone.NOTE,
        headline=f"{bot.name} played alone: there is nothing to compare it with.",
        detail=f"{numbers.counted(summary.n_maps, 'map')} in {numbers.counted(summary.n_games, 'game')}.",
        exit_code=ExitCode.DONE,
    )


# ------------------------------------------------------------------------------------------------ gate rulings


def _ruled(summary: Summary, ruling: Ruling) -> Verdict:
    if isinstance(ruling, StarvedOfTime):
        return _starved_of_time(ruling)
    if isinstance(ruling, SeedsUsedUp):
        return _seeds_used_up(ruling)
    if len(summary.comparisons) != 1:
        raise ValueError(f"a ruling about the champion needs one comparison, got {len(summary.comparisons)}")
    row = summary.comparisons[0]
    not_passed = ExitCode.NOT_PASSED
    match ruling:
        case Promoted():
            return _better(summary, row, Outcome.PROMOTED, "PROMOTED", ExitCode.DONE, fresh=True)
        case Held(guards):
            return _held(summary, row, guards)
        case NotPromoted():
            return _no_evidence(row, Outcome.NOT_PROMOTED, "NOT PROMOTED", not_passed, fresh=True)
        case Rejected():
            return _worse(summary, row, Outcome.REJECTED, "REJECTED", not_passed, fresh=True)
        case Dropped():
            return _dropped(row, ruling)
        case Equivalent(margin):
            return _equivalent(summary, row, margin)


def _held(summary: Summary, row: Comparison, guards: tuple[str, ...]) -> Verdict:
    relation, emphasis = _relation(row, "better")
    names = listed(guards) if len(guards) <= 3 else f"{len(guards)} panel members"
    return Verdict(
        outcome=Outcome.HELD,
        tag="HELD",
        glyph="●",
        tone=Tone.NOTE,
        headline=f"{row.bot} is {relation}, but loses ground to {names}.",
        detail=f"{_interval(row)} {_scored(summary, row, fresh=True)} The interval counts maps, not games.",
        exit_code=ExitCode.NOT_PASSED,
        emphasis=emphasis,
    )


def _dropped(row: Comparison, ruling: Dropped) -> Verdict:
    return Verdict(
        outcome=Outcome.DROPPED,
        tag="DROPPED AT THE SCREEN",
        glyph="▼",
        tone=Tone.NOTE,
        headline=f"{row.bot} is unlikely to be {numbers.plain(ruling.gain_elo)} Elo better than {row.opponent}.",
        detail=f"LLR {numbers.llr(ruling.llr)} crossed {numbers.llr(ruling.bound)} after "
        f"{numbers.counted(ruling.n_maps, 'map')}. The screen stops early, so it does not measure how large the "
        "difference is. No confirm maps were spent.",
        exit_code=ExitCode.NOT_PASSED,
    )


def _equivalent(summary: Summary, row: Comparison, margin_elo: float) -> Verdict:
    margin = f"{numbers.margin(margin_elo)} Elo"
    return Verdict(
        outcome=Outcome.EQUIVALENT,
        tag="EQUIVALENT",
        glyph="≈",
        tone=Tone.NOTE,
        headline=f"{row.bot} and {row.opponent} are equal within {margin}.",
        detail=f"{_level(row)} {numbers.elo_range(row.estimate.elo)} Elo lies inside the margin of {margin} that the "
        f"config sets. {_maps(row.estimate.n_maps, fresh=True)}{seats_phrase(summary)}.",
        exit_code=ExitCode.NOT_PASSED,
        emphasis=margin,
    )


def _starved_of_time(ruling: StarvedOfTime) -> Verdict:
    return Verdict(
        outcome=Outcome.STARVED,
        tag="STARVED",
        glyph="!",
        tone=Tone.WARN,
        headline="No verdict: the machine did not give the bots their time.",
        detail=f"{numbers.count(ruling.n_lost)} of {numbers.counted(ruling.n_games, 'game')} were lost on time at load "
        f"{numbers.plain(ruling.load, 1)} on {numbers.counted(ruling.n_cores, 'core')}. The same bots lost "
        f"{numbers.count(ruling.n_lost_alone)} of {numbers.count(ruling.n_games_alone)} when run alone. "
        f"Set workers: 1 and resume; the {numbers.counted(ruling.n_void_maps, 'map')} are void and will be played "
        "again.",
        exit_code=ExitCode.NO_VERDICT,
    )


def _seeds_used_up(ruling: SeedsUsedUp) -> Verdict:
    return Verdict(
        outcome=Outcome.TOO_FEW_MAPS,
        tag="TOO FEW MAPS",
        glyph="…",
        tone=Tone.WARN,
        headline=f"Too few unused maps: {numbers.count(ruling.n_left)} of {numbers.count(ruling.n_needed)} are left.",
        detail="No confirm stage was started and no seed was spent. "
        f"Add seeds to the ledger or lower {ruling.setting}.",
        exit_code=ExitCode.NO_VERDICT,
    )


# --------------------------------------------------------------------------------------------- shared sentences


def _n(n_maps: int) -> str:
    return numbers.counted(n_maps, "map")


def _maps(n_maps: int, *, fresh: bool = False) -> str:
    return numbers.counted(n_maps, "fresh map" if fresh else "map")


def _level(row: Comparison) -> str:
    return f"{numbers.plain(100.0 * row.estimate.elo.confidence)}{numbers.THIN}% interval"


def _interval(row: Comparison) -> str:
    return f"{_level(row)} {numbers.elo_range(row.estimate.elo)} Elo."


def _scored(summary: Summary, row: Comparison, *, fresh: bool = False) -> str:
    estimate = row.estimate
    score = numbers.score(estimate.score, estimate.n_maps)
    return f"It scored {score} over {_maps(estimate.n_maps, fresh=fresh)}{seats_phrase(summary)}."


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."

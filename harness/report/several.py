"""Verdicts on several opponents: a candidate against a panel, and who leads a round robin.

Every claim holds together with all the others at the stated level, and the sentence says by which correction. Must not
name a winner among bots that the maps do not separate: ties are named.
"""

from __future__ import annotations

from harness.errors import ExitCode
from harness.report import numbers
from harness.report.duel import is_mirrored
from harness.report.model import Comparison, Lead, Summary
from harness.report.outcome import Outcome, Tone, Verdict
from harness.report.words import all_of, level_of, listed, score_of, scored_sentence

MAX_NAMED = 3
"""Longer groups of bots are counted, not named."""


def panel(summary: Summary) -> Verdict:
    """Say which opponents the candidate is better and worse than, all together at the stated level."""
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
        headline = _panel_headline(candidate, better, worse, alike, unsure)
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
    better: list[Comparison],
    worse: list[Comparison],
    alike: list[Comparison],
    unsure: list[Comparison],
) -> str:
    n = len(better) + len(worse) + len(alike) + len(unsure)
    claims = [f"{word} than {_group(group, n)}" for word, group in (("better", better), ("worse", worse)) if group]
    clauses = [f"{candidate} is {' but '.join(claims)}"] if claims else []
    if alike:
        subject = f"{candidate} plays" if not clauses else "it plays"
        clauses.append(f"{subject} like {_group(alike, n)}")
    if unsure:
        rest = _names(unsure) if len(unsure) <= MAX_NAMED else f"the other {len(unsure)}"
        clauses.append(f"no evidence against {rest}")
    return "; ".join(clauses) + "."


def _panel_detail(summary: Summary, n: int) -> str:
    overall = summary.overall
    if overall is None:
        return ""
    estimate = overall.estimate
    interval = numbers.score_range(estimate.low, estimate.high, estimate.n_maps)
    return (
        f"{scored_sentence(summary, overall)[:-1]}; {level_of(overall)} {interval}. "
        f"▲ and ▼ hold for {all_of(n, 'comparison')} together, at 5{numbers.THIN}% (Holm); "
        "the intervals are one by one and count maps, not games."
    )


def _group(rows: list[Comparison], n: int) -> str:
    """Name a few opponents; else say how many of all."""
    if len(rows) <= MAX_NAMED:
        return _names(rows)
    return f"all {numbers.count(n)} opponents" if len(rows) == n else f"{len(rows)} of {n} opponents"


def _names(rows: list[Comparison]) -> str:
    return listed([row.opponent or "" for row in rows])


def round_robin(summary: Summary, lead: Lead) -> Verdict:
    """Say who leads, and who may be as strong."""
    leader = summary.bot(lead.bot)
    n = len(summary.bots)
    estimate = leader.estimate
    if not lead.ahead_of:
        headline = f"No evidence that any of the {numbers.count(n)} bots is better than the others."
        outcome, tag, glyph, tone = Outcome.NO_EVIDENCE, "NO EVIDENCE", "●", Tone.NOTE
    elif lead.level:
        level = listed(lead.level) if len(lead.level) <= MAX_NAMED else f"{len(lead.level)} of the other {n - 1}"
        headline = f"{lead.bot} leads, but {level} may be as strong."
        outcome, tag, glyph, tone = Outcome.LEADS, "SHARED LEAD", "●", Tone.NOTE
    else:
        others = listed(lead.ahead_of) if n - 1 <= MAX_NAMED else f"all {numbers.count(n - 1)} others"
        headline = f"{lead.bot} leads, ahead of {others}."
        outcome, tag, glyph, tone = Outcome.LEADS, "LEADS", "▲", Tone.GOOD
    margin = (
        f"{numbers.points(lead.margin, estimate.n_maps)}, 95{numbers.THIN}% interval "
        f"{numbers.signed(100 * lead.margin_low, 1)} to {numbers.signed(100 * lead.margin_high, 1)}"
    )
    detail = (
        f"{score_of(summary, lead.bot, estimate)} Its lead over {lead.second} is {margin}. The leader is picked by "
        f"its result: one of {numbers.count(lead.n_comparisons)} comparisons, all of them corrected for (Bonferroni)."
    )
    if not lead.ahead_of:
        detail = f"{lead.bot} scored most. " + detail
    return Verdict(outcome, tag, glyph, tone, headline, detail, ExitCode.DONE)

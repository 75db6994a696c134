"""The block that a run ends in on a terminal: verdict, tables, what to look at, where it is, how to repeat it.

One renderer for every width and for terminals without colour or UTF-8. Gives a string and prints nothing. Order is the
order of questions; if the block is taller than the terminal, the verdict is said once more at its end.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.report import numbers, score_tables, tables
from harness.report.duel import is_mirrored
from harness.report.findings import NOTHING_UNUSUAL, find
from harness.report.layout import MAX_TEXT_WIDTH, Cell, Look, Span, Style, cell_width, wrapped
from harness.report.model import RunState, Shape, Summary
from harness.report.outcome import Tone, Verdict
from harness.report.words import seats_phrase

INDENT = 3
LABEL = 9

_TAGS = {
    Tone.GOOD: Style.GOOD_TAG,
    Tone.BAD: Style.BAD_TAG,
    Tone.WARN: Style.WARN_TAG,
    Tone.NOTE: Style.NOTE_TAG,
}
_INKS = {Tone.GOOD: Style.GOOD_BOLD, Tone.BAD: Style.BAD_BOLD, Tone.WARN: Style.WARN_BOLD, Tone.NOTE: Style.BOLD}


def render_summary(summary: Summary, verdict: Verdict, look: Look, *, details: bool = True) -> str:
    """Give the block as text, without a newline at its end.

    `details` False leaves out games, time per ply and seats, and so does a halt: then the reason is the news.
    """
    details = details and summary.run.state is not RunState.HALTED
    blocks = [verdict_lines(verdict, look)]
    if summary.scores is None:
        blocks.append(tables.main_table(summary, look))
    else:
        blocks.append(score_tables.bots_table(summary, summary.scores, look))
        blocks.append(score_tables.pairs_table(summary.scores, look))
    blocks.append(_legend(summary, look))
    if details:
        blocks.append(tables.detail_table(summary, look))
        blocks.append(tables.time_table(summary, look))
        blocks.append(tables.seat_table(summary, look))
    blocks.append(_notes(summary, look, details=details))
    lines: list[Cell] = []
    for block in blocks:
        if block:
            lines.extend([(), *block] if lines else block)
    if look.height is not None and len(lines) >= look.height:
        lines.extend([(), *_headline(verdict, look)])
    return "\n".join(look.paint(line) for line in lines)


def verdict_lines(verdict: Verdict, look: Look) -> list[Cell]:
    """Give the tag with the headline, and the detail below it."""
    return [*_headline(verdict, look), *_indented(verdict.detail, look)]


def render_verdict(verdict: Verdict, caveats: Sequence[str], record: str, look: Look) -> str:
    """Give the short block of a gate: what was decided, what to look at, and where the tables are."""
    lines = verdict_lines(verdict, look)
    for number, caveat in enumerate(caveats):
        lines += _labelled("" if number else "look at", caveat, look)
    lines += _labelled("record", record, look, breaks=False)
    return "\n".join(look.paint(line) for line in lines)


def _headline(verdict: Verdict, look: Look) -> list[Cell]:
    tag = look.cell(Span(f" {verdict.glyph} {verdict.tag} ", _TAGS[verdict.tone]))
    room = look.width - cell_width(tag) - 2
    headline = look.clean(verdict.headline)
    if len(headline) <= room:
        return [(*tag, Span("  "), *_emphasised(headline, verdict, look))]
    lines = wrapped(headline, min(look.width - INDENT, MAX_TEXT_WIDTH))
    return [tag, *((Span(" " * INDENT), *_emphasised(line, verdict, look)) for line in lines)]


def _emphasised(line: str, verdict: Verdict, look: Look) -> Cell:
    emphasis = look.clean(verdict.emphasis)
    before, found, after = line.partition(emphasis) if emphasis else (line, "", "")
    spans = (Span(before, Style.BOLD), Span(found, _INKS[verdict.tone]), Span(after, Style.BOLD))
    return tuple(span for span in spans if span.text)


def _indented(text: str, look: Look) -> list[Cell]:
    if not text:
        return []
    lines = wrapped(look.clean(text), min(look.width - INDENT, MAX_TEXT_WIDTH))
    return [(Span(" " * INDENT + line),) for line in lines]


def _legend(summary: Summary, look: Look) -> list[Cell]:
    """Say what the marks hold for, where it is not said by the verdict."""
    if summary.shape is Shape.ROUND_ROBIN:
        text = "Score and Elo against all the others; ▲ ▼ where the interval leaves out an even score."
    elif summary.shape is Shape.GAUNTLET and not summary.is_final:
        text = "So far, not a result: the bands hold however often you look, and are wider for it."
    else:
        return []
    return [
        look.cell(Span(" " * INDENT + line, Style.DIM))
        for line in wrapped(look.clean(text), min(look.width - INDENT, MAX_TEXT_WIDTH))
    ]


# ---------------------------------------------------------------------------------------------- below the tables


def _notes(summary: Summary, look: Look, *, details: bool) -> list[Cell]:
    lines: list[Cell] = []
    if summary.n_maps and details:
        lines += _labelled("played", _played(summary), look)
        lines += _labelled("seats", _first_seat(summary), look)
    lines += _look_at(summary, look)
    if summary.run.results and summary.first_forfeits:
        job = summary.first_forfeits[0].job
        lines += _labelled("watch", f"harness replay {summary.run.results} {job}", look, breaks=False)
    if summary.run.results:
        lines += _labelled("record", summary.run.results, look, breaks=False)
    if summary.run.again:
        label = "again" if summary.run.state is RunState.DONE else "go on"
        lines += _labelled(label, summary.run.again, look, breaks=False)
    return lines


def _played(summary: Summary) -> str:
    games = numbers.counted(summary.n_games, "game")
    speed = f"{numbers.per_second(summary.games_per_s)} games/s" if summary.games_per_s else "speed not known"
    repeats = summary.repeats
    at_least = "" if repeats.is_exact else "at least "
    again = f"{at_least}{numbers.counted(repeats.n_repeated, 'repeat')}" if repeats.n_repeated else "no repeats"
    voids = numbers.counted(summary.n_voids, "void") if summary.n_voids else "no voids"
    return f"{games} in {numbers.duration(summary.busy_s)}, {speed}; {again}, {voids}"


def _first_seat(summary: Summary) -> str:
    seat = summary.first_seat
    if seat is None or summary.games_per_map < 2:
        return ""
    text = f"the first seat scored {numbers.score(seat.score, seat.n_maps)}"
    if summary.is_final:
        text += f" (95{numbers.THIN}% interval {numbers.score_range(seat.low, seat.high, seat.n_maps)})"
    if summary.n_unpaired:
        return f"{text}; everyone sat in every seat as often, so that cancels out"
    return f"{text}{seats_phrase(summary).replace(', each', '; each map is')}, so that cancels out"


def _look_at(summary: Summary, look: Look) -> list[Cell]:
    if not summary.n_maps:
        return []
    found = find(summary)
    if not found:
        unusual = not summary.is_final or any(is_mirrored(row) for row in summary.comparisons)
        return [] if unusual else _labelled("look at", NOTHING_UNUSUAL, look)
    lines: list[Cell] = []
    for finding in found:
        label = "look at" if not lines else ""
        lead = Span(look.clean(f"{finding.glyph} {finding.subject}".strip()), _INKS[finding.tone])
        lines += _labelled(label, finding.text, look, lead=lead)
    return lines


def _labelled(label: str, text: str, look: Look, *, lead: Span | None = None, breaks: bool = True) -> list[Cell]:
    """Set a text beside its label, wrapped with a hanging indent; commands and paths stay whole."""
    if not text:
        return []
    start = INDENT + LABEL
    text = look.clean(text)
    whole = f"{lead.text} {text}" if lead else text
    lines = wrapped(whole, min(look.width - start, MAX_TEXT_WIDTH)) if breaks else [whole]
    head: Cell = (Span(" " * INDENT), Span(f"{label:<{LABEL}}", Style.DIM))
    if lead and lines[0].startswith(lead.text):
        first: Cell = (*head, lead, Span(lines[0][len(lead.text) :]))
    else:  # a name too long for one line loses its ink, not its place
        first = (*head, Span(lines[0]))
    return [first, *((Span(" " * start + line),) for line in lines[1:])]

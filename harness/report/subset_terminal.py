"""A filtered or grouped run on a terminal: an overview, a table a group, means, and what to keep in mind.

Gives strings and prints nothing. The marks hold for all intervals that are shown together, and it says so: who looks at
many subsets finds one that stands out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.records import Scalar
from harness.report import numbers
from harness.report.fields import FIELDS
from harness.report.layout import (
    MAX_TEXT_WIDTH,
    Cell,
    Column,
    Look,
    Span,
    Style,
    cut,
    drop_to_fit,
    table_lines,
    wrapped,
)
from harness.report.model import Shape
from harness.report.subsets import Subset, SubsetReport
from harness.report.survey import KeyFacts, Survey
from harness.report.tables import Row, main_table
from harness.report.terminal import render_summary
from harness.report.verdict import judge
from harness.report.words import listed, tame

INDENT = 3
MAX_TEXT = 24


def render_subsets(report: SubsetReport, look: Look) -> str:
    """Give the whole answer as text, without a newline at its end."""
    blocks: list[list[Cell]] = [_head(report, look)]
    if report.whole.n_maps and report.whole.summary.shape is Shape.SINGLE:
        return _alone(report, look, blocks)
    if report.groups and report.bot is not None:
        blocks.append(_overview(report, look))
    if not report.groups:
        blocks.append(_table(report.whole, look))
    elif report.bot is None or any(len(group.summary.comparisons) > 1 for group in report.groups):
        for group in report.groups:
            blocks += [[_title(report, group, look)], _table(group, look)]
    blocks.append(_means(report, look))
    blocks.append(_notes(report, look))
    return _joined(blocks, look)


def _joined(blocks: Sequence[list[Cell]], look: Look) -> str:
    lines: list[Cell] = []
    for block in blocks:
        if block:
            lines.extend([(), *block] if lines else block)
    return "\n".join(look.paint(line) for line in lines)


def _alone(report: SubsetReport, look: Look, blocks: list[list[Cell]]) -> str:
    """Give a score contest's own tables, a block a group: nobody meets anybody there."""
    texts = [_joined(blocks, look)]
    for group in report.groups or (report.whole,):
        if report.groups:
            texts.append(look.paint(_title(report, group, look)))
        texts.append(render_summary(group.summary, judge(group.summary), look, details=False))
    texts.append(_joined([_means(report, look), _notes(report, look)], look))
    return "\n\n".join(text for text in texts if text)


def _head(report: SubsetReport, look: Look) -> list[Cell]:
    whole = report.whole
    where = f", where {tame(report.where, 200)}" if report.where else ""
    seen = f"; seen from {report.bot}" if report.bot else ""
    if report.where:
        kept = f"{numbers.count(whole.n_maps)} of {numbers.counted(report.n_maps, 'map record')} kept"
        games = f"{numbers.count(whole.n_games)} of {numbers.counted(report.n_games, 'game')}"
    else:
        kept, games = numbers.counted(whole.n_maps, "map record"), numbers.counted(whole.n_games, "game")
    text = f"{report.run.name}{where}: {kept}, {games}{seen}"
    return [look.cell(Span(line, Style.BOLD)) for line in wrapped(look.clean(text), min(look.width, MAX_TEXT_WIDTH))]


def label_of(report: SubsetReport, group: Subset) -> str:
    """Name a group by its values: `cells 21 to 25`."""
    if group.value is not None:
        return f"{report.by} {value_text(group.value)}"
    low, high = value_text(group.low), value_text(group.high)
    return f"{report.by} {low}" if low == high else f"{report.by} {low} to {high}"


def value_text(value: Scalar) -> str:
    """Write a value as short as it can be told from others."""
    if isinstance(value, bool) or value is None:
        return numbers.MISSING if value is None else str(value).lower()
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer() and abs(value) < 1e15):
        return numbers.MINUS * (value < 0) + str(abs(int(value)))
    if isinstance(value, float):
        text = f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
        return text.replace("-", numbers.MINUS)
    return cut(tame(str(value)), MAX_TEXT) or "(empty)"


def _title(report: SubsetReport, group: Subset, look: Look) -> Cell:
    games = f"{numbers.counted(group.n_maps, 'map record')}, {numbers.counted(group.n_games, 'game')}"
    return look.cell(Span(label_of(report, group), Style.BOLD), Span(f"  {games}", Style.DIM))


# -------------------------------------------------------------------------------------------------- tables


def _overview(report: SubsetReport, look: Look) -> list[Cell]:
    """Draw a row a group: the candidate against all, and how much better than elsewhere."""
    rows = [_row(label_of(report, group).partition(" ")[2], group, group.overall_side) for group in report.groups]
    overall = report.whole.summary.overall
    rows.append(_row("all together", report.whole, overall.estimate.side if overall else 0, is_total=True))
    rests = [_rest(group, look) for group in report.groups]
    extra = [Column(look.cell(Span("than elsewhere", Style.DIM)), [*rests, look.cell("")], keep=1)]
    return main_table(report.whole.summary, look, rows, head=report.by, extra=extra)


def _row(name: str, group: Subset, side: int, *, is_total: bool = False) -> Row:
    overall = group.summary.overall
    assert overall is not None
    return Row(name, overall.estimate, side if group.summary.is_final else 0, "", is_total=is_total)


def _rest(group: Subset, look: Look) -> Cell:
    rest = group.rest
    if rest is None or not group.summary.is_final:
        return look.cell(Span(numbers.MISSING, Style.DIM))
    mark = {1: "▲ ", -1: "▼ ", 0: ""}[rest.side]
    style = {1: Style.GOOD, -1: Style.BAD, 0: Style.PLAIN}[rest.side]
    low, high = numbers.signed(100 * rest.low, 1), numbers.signed(100 * rest.high, 1)
    return look.cell(Span(f"{mark}{numbers.points(rest.score)} ({low} to {high})", style))


def _table(group: Subset, look: Look) -> list[Cell]:
    """Draw a group's rows: opponents and all together, or bots."""
    summary = group.summary
    sides = group.sides if summary.is_final else (0,) * len(group.sides)
    if summary.shape is not Shape.GAUNTLET:
        rows = [Row(bot.name, bot.estimate, side, "") for bot, side in zip(summary.bots, sides, strict=True)]
        return main_table(summary, look, rows)
    rows = [
        Row(row.opponent or "", row.estimate, side, "") for row, side in zip(summary.comparisons, sides, strict=True)
    ]
    if len(rows) > 1:
        rows.append(_row("all together", group, group.overall_side, is_total=True))
    return main_table(summary, look, rows)


def _means(report: SubsetReport, look: Look) -> list[Cell]:
    """Draw the means that were asked for: a row a bot, or a bot and group."""
    groups = report.groups or (report.whole,)
    if not any(group.means for group in groups):
        return []
    keys = list(dict.fromkeys(mean.key for group in groups for mean in group.means))
    lines = [(group, bot.name) for group in groups for bot in group.summary.bots]
    found = {(at, mean.bot, mean.key): mean for at, group in enumerate(groups) for mean in group.means}
    places = {id(group): at for at, group in enumerate(groups)}
    columns = [Column((), [(Span(" "),) for _ in lines], right=False)]
    columns.append(
        Column(_dim("Mean per game", look), [look.cell(cut(bot, MAX_TEXT)) for _, bot in lines], right=False)
    )
    if report.groups:
        names = [label_of(report, group).partition(" ")[2] for group, _ in lines]
        columns.append(Column(_dim(report.by or "", look), [look.cell(name) for name in names], right=False))
    for key in keys:
        cells = []
        for group, bot in lines:
            mean = found.get((places[id(group)], bot, key))
            cells.append(look.cell(numbers.MISSING if mean is None or mean.mean is None else value_text(mean.mean)))
        columns.append(Column(_dim(key, look), cells, keep=1))
    return table_lines(drop_to_fit(columns, look.width))


def _dim(text: str, look: Look) -> Cell:
    return look.cell(Span(text, Style.DIM))


# --------------------------------------------------------------------------------------------------- notes


def notes_of(report: SubsetReport) -> tuple[str, ...]:
    """Say what to keep in mind, the gravest first."""
    notes = []
    whole = report.whole
    if not whole.n_maps:
        return ("No game is kept; `--keys` lists the keys of the run and their values.", *_missing(report))
    if report.n_intervals and whole.summary.is_final:
        notes.append(_luck(report))
    elif whole.summary.shape is Shape.SINGLE and (report.groups or report.where):
        n = numbers.counted(max(1, len(report.groups)), "subset")
        notes.append(
            f"{n} shown, each by itself: who looks at many finds one that stands out by luck. What a subset suggests "
            "is shown by new seeds."
        )
    groups = report.groups or (whole,)
    n_partial = sum(group.n_partial for group in groups)
    if n_partial:
        n = numbers.counted(sum(group.n_maps for group in groups), "map record")
        notes.append(
            f"In {numbers.count(n_partial)} of {n} only some games are in the group: there seats do not cancel out, "
            "and one that wins more shows. Each map still counts once, with the mean of its games that are in."
        )
    if report.result_keys:
        keys = listed([f"`{key}`" for key in report.result_keys])
        verb = "is" if len(report.result_keys) == 1 else "are"
        notes.append(
            f"{keys} {verb} known only when a game is over: such a subset is chosen by what happened in it, "
            "and its score says nothing about games to come."
        )
    return (*notes, *_missing(report))


def _luck(report: SubsetReport) -> str:
    n = report.n_intervals
    if n == 1:
        return (
            "One subset, chosen by whoever asked. Of 20 such looks at even bots one or more are off by luck "
            f"in 64{numbers.THIN}% of cases: what a subset suggests is shown by new maps."
        )
    percent = f"{numbers.plain(100 * report.by_luck)}{numbers.THIN}%"
    return (
        f"{numbers.count(n)} intervals are shown. Were all bots even everywhere, one or more of so many would leave "
        f"out an even score by luck in about {percent} of cases; ▲ and ▼ hold for all of them together, at "
        f"5{numbers.THIN}% (Holm). What a subset suggests is shown by new maps."
    )


def _missing(report: SubsetReport) -> list[str]:
    notes = []
    if report.n_unknown:
        verb = "does" if report.n_unknown == 1 else "do"
        games = numbers.counted(report.n_unknown, "game")
        notes.append(f"{games} {verb} not say what the filter needs, and {'is' if verb == 'does' else 'are'} left out.")
    if report.n_ungrouped:
        verb = "has" if report.n_ungrouped == 1 else "have"
        games = numbers.counted(report.n_ungrouped, "kept game")
        notes.append(f"{games} {verb} no `{report.by}`, and {'is' if verb == 'has' else 'are'} in no group.")
    if report.first_dispute is not None:
        first = report.first_dispute
        said = listed([value_text(value) for value in first.values])
        notes.append(
            f"Bots contradict each other in {numbers.counted(report.n_disputed, 'game')}, first in job {first.job}, "
            f"game {first.game}: `{tame(first.key, 40)}` is {said} by seat. Such values count as not said."
        )
    for bot, n in report.dropped:
        notes.append(f"{bot}: {numbers.counted(n, 'line')} of data dropped, too many or too long.")
    return notes


def _notes(report: SubsetReport, look: Look) -> list[Cell]:
    lines: list[Cell] = []
    width = min(look.width - INDENT, MAX_TEXT_WIDTH)
    for note in notes_of(report):
        for number, line in enumerate(wrapped(look.clean(note), width - 2)):
            lines.append(
                (
                    Span(" " * INDENT),
                    Span("· " if not number and look.unicode else "- " if not number else "  "),
                    Span(line),
                )
            )
    return lines


# ---------------------------------------------------------------------------------------------------- keys


def render_keys(survey: Survey, look: Look) -> str:
    """List the keys of a run: those that every record has, and what maps and bots say."""
    rows: list[tuple[str, str, str]] = []
    for name, facts in survey.names().items():
        if facts is None:
            field = FIELDS[name]
            rows.append((name, f"every {field.level.value}", field.about))
        else:
            rows.append((name, f"{numbers.count(facts.n)} {facts.level.value}s", _values(facts)))
    columns = [
        Column(_dim("Key", look), [look.cell(cut(tame(name), 40)) for name, _, _ in rows], right=False),
        Column(_dim("of", look), [_dim(of, look) for _, of, _ in rows], right=False),
        Column(_dim("", look), [look.cell(about) for _, _, about in rows], right=False),
    ]
    return "\n".join(look.paint(line) for line in table_lines(columns))


def _values(facts: KeyFacts) -> str:
    parts = []
    if math.isfinite(facts.low):
        low, high = value_text(facts.low), value_text(facts.high)
        parts.append(low if low == high else f"{low} to {high}")
    parts += [f"'{value_text(text)}'" for text in facts.texts]
    return ", ".join(parts)

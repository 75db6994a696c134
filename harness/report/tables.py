"""The tables of a summary as columns of cells: opponents with their strip, games for reference, time per ply.

Which columns there are and in which order they give way; how wide they may be is the caller's `Look`. Must not choose
between intervals by taste: plain ones when the run is done, always-valid bands (and only those) before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.report import numbers, strip
from harness.report.layout import GAP, Cell, Column, Look, Span, Style, cut, drop_to_fit, table_lines, total_width
from harness.report.model import BotSummary, Comparison, Estimate, Forfeits, Shape, Summary
from harness.stats.elo import EloInterval

MAX_NAME = 28
MIN_NAME = 8
LIST_BELOW = 80
"""Below this width there is one line an opponent and no strip."""

_STYLES = {1: Style.GOOD, -1: Style.BAD, 0: Style.PLAIN}
_BOLD_STYLES = {1: Style.GOOD_BOLD, -1: Style.BAD_BOLD, 0: Style.PLAIN}
_GLYPHS = {1: "▲", -1: "▼", 0: "·"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the main table: a name with its score and what goes beside it."""

    name: str
    estimate: Estimate
    side: int
    maps: str
    is_total: bool = False


def main_rows(summary: Summary) -> list[Row]:
    """Give the rows of the main table: opponents and all of them together, or the bots of a round robin."""
    is_final = summary.is_final
    if summary.shape is not Shape.GAUNTLET:
        return [
            Row(bot.name, bot.estimate, bot.estimate.side if is_final else 0, "")
            for bot in summary.bots
            if summary.shape is Shape.ROUND_ROBIN
        ]
    rows = [_comparison_row(row, is_final=is_final) for row in summary.comparisons]
    if summary.overall is not None and len(summary.comparisons) > 1:
        rows.append(_comparison_row(summary.overall, is_final=is_final))
    return rows


def _comparison_row(row: Comparison, *, is_final: bool) -> Row:
    counts = "/".join(numbers.count(n) for n in (row.maps_won, row.maps_split, row.maps_lost))
    side = row.side_corrected if is_final else row.estimate.band_side
    return Row(row.opponent or "all together", row.estimate, side, counts, is_total=row.opponent is None)


def interval_of(estimate: Estimate, *, is_final: bool) -> EloInterval | None:
    """Give the interval that may be shown: the plain one of a run that is done, else the band."""
    return estimate.elo if is_final else estimate.band_elo


def main_table(
    summary: Summary,
    look: Look,
    rows: Sequence[Row] | None = None,
    *,
    head: str | None = None,
    extra: Sequence[Column] = (),
) -> list[Cell]:
    """Draw the main table at the look's width; below LIST_BELOW columns as a list.

    `head` stands over the names in place of what they are; `extra` columns, a cell a row, come last.
    """
    rows = main_rows(summary) if rows is None else rows
    if not rows:
        return []
    is_final = summary.is_final
    columns = [*_main_columns(summary, rows, look, head), *extra]
    if look.width < LIST_BELOW:
        listed = [column for column in columns if column.keep is None or column.keep >= _KEEP_INTERVAL]
        return table_lines(drop_to_fit(listed, look.width))
    if total_width(columns) > look.width - GAP - strip.GOOD_WIDTH:
        columns = [column for column in columns if column.keep != _KEEP_COUNTS]
    columns = drop_to_fit(columns, look.width - GAP - strip.MIN_WIDTH)
    width = min(look.width - GAP - total_width(columns), strip.MAX_WIDTH)
    has_intervals = any(interval_of(row.estimate, is_final=is_final) for row in rows)
    if width >= strip.MIN_WIDTH and has_intervals:
        columns.insert(_before_elo(columns), _strip_column(rows, width, look, is_final=is_final))
    return table_lines(columns)


_KEEP_MAPS, _KEEP_COUNTS, _KEEP_SCORE, _KEEP_INTERVAL, _KEEP_ELO = 2, 1, 3, 4, 5


def _main_columns(summary: Summary, rows: Sequence[Row], look: Look, head: str | None) -> list[Column]:
    is_final = summary.is_final
    intervals = [interval_of(row.estimate, is_final=is_final) for row in rows]
    head = head or ("Opponent" if summary.shape is Shape.GAUNTLET else "Bot")
    level = f"95{numbers.THIN}%"
    columns = [
        Column((), [_glyph(row.side, look) for row in rows], right=False),
        Column(_dim(head, look), [_name(row, look) for row in rows], right=False),
        Column(
            _dim("Maps", look),
            [look.cell(numbers.count(row.estimate.n_maps)) for row in rows],
            keep=_KEEP_MAPS,
        ),
        Column(
            _dim("Score", look),
            [look.cell(numbers.score(row.estimate.score, row.estimate.n_maps)) for row in rows],
            keep=_KEEP_SCORE,
        ),
        Column(
            _dim("Elo" if is_final else "Elo so far", look),
            [_elo(row, interval, look) for row, interval in zip(rows, intervals, strict=True)],
            keep=_KEEP_ELO,
        ),
        Column(
            _dim(level if is_final else f"{level} band", look),
            [
                _dim(numbers.MISSING if interval is None else numbers.elo_range(interval), look)
                for interval in intervals
            ],
            keep=_KEEP_INTERVAL,
        ),
    ]
    if any(row.maps for row in rows):
        cells = [look.cell(row.maps) for row in rows]
        columns.append(Column(_dim("won/split/lost", look), cells, keep=_KEEP_COUNTS))
    return columns


def _before_elo(columns: Sequence[Column]) -> int:
    for index, column in enumerate(columns):
        if column.keep is not None and column.keep >= _KEEP_INTERVAL:
            return index
    return len(columns)


def _strip_column(rows: Sequence[Row], width: int, look: Look, *, is_final: bool) -> Column:
    intervals = [interval_of(row.estimate, is_final=is_final) for row in rows]
    axis = strip.axis_for([interval for interval in intervals if interval is not None])
    cells = [strip.row(axis, width, interval, row.side, look) for row, interval in zip(rows, intervals, strict=True)]
    return Column(strip.head(axis, width, look), cells, right=False)


def _glyph(side: int, look: Look) -> Cell:
    return look.cell(Span(_GLYPHS[side], _STYLES[side]))


def _name(row: Row, look: Look) -> Cell:
    limit = max(MIN_NAME, min(MAX_NAME, look.width // 4))
    return look.cell(Span(cut(row.name, limit), Style.DIM if row.is_total else Style.PLAIN))


def _elo(row: Row, interval: EloInterval | None, look: Look) -> Cell:
    decimals = 0 if interval is None else numbers.elo_decimals(interval)
    estimate = row.estimate.elo.estimate  # the same whatever interval goes with it
    return look.cell(Span(numbers.elo(estimate, decimals), _BOLD_STYLES[row.side]))


def _dim(text: str, look: Look) -> Cell:
    return look.cell(Span(text, Style.DIM))


# ------------------------------------------------------------------------------------------------- in detail


def detail_table(summary: Summary, look: Look) -> list[Cell]:
    """Draw the score's interval per map, the counts of games and of map scores; for reference Wilson's interval and z.

    Those two take games as independent and one look as the only one: they are left out until the run is done.
    """
    rows = list(summary.comparisons)
    if summary.overall is not None and len(rows) > 1:
        rows.append(summary.overall)
    if not rows:
        return []
    is_gauntlet = summary.shape is Shape.GAUNTLET
    is_final = summary.is_final
    level = f"95{numbers.THIN}%"
    columns = [
        Column(_dim("In detail", look), [_pair_name(row, look, is_gauntlet) for row in rows], right=False),
        Column(
            _dim(f"score {level}, per map" if is_final else f"score {level} band", look),
            [_score_interval(row, look, is_final=is_final) for row in rows],
            keep=4,
        ),
        Column(_dim("games won/drawn/lost", look), [_counts(look, row.wins, row.draws, row.losses) for row in rows]),
    ]
    if is_final:
        columns += [
            Column(_dim("Wilson, for reference", look), [_wilson(row, look) for row in rows], keep=2),
            Column(_dim("z", look), [_dim(numbers.llr(row.z), look) for row in rows], keep=3),
        ]
    if any(row.penta for row in rows):
        cells = [_counts(look, *row.penta) if row.penta else _dim(numbers.MISSING, look) for row in rows]
        columns.append(Column(_dim("maps 0/½/1/1½/2", look), cells, keep=1))
    return table_lines(drop_to_fit(_with_margin(columns), look.width))


def _with_margin(columns: Sequence[Column]) -> list[Column]:
    """Put the place of the glyph in front, so that all tables begin at the same column."""
    return [Column(((Span(" ")),), [(Span(" "),) for _ in columns[0].cells], right=False), *columns]


def _pair_name(row: Comparison, look: Look, is_gauntlet: bool) -> Cell:
    limit = max(MIN_NAME, min(MAX_NAME, look.width // 4))
    if row.opponent is None:
        return _dim("all together", look)
    if is_gauntlet:
        return look.cell(cut(row.opponent, limit))
    half = max(MIN_NAME, limit * 2 // 3)
    return look.cell(cut(row.bot, half), Span(" – ", Style.DIM), cut(row.opponent, half))


def _counts(look: Look, *counts: int) -> Cell:
    return look.cell("/".join(numbers.count(n) for n in counts))


def _wilson(row: Comparison, look: Look) -> Cell:
    return _dim(numbers.score_range(row.per_game_low, row.per_game_high, row.estimate.n_maps), look)


def _score_interval(row: Comparison, look: Look, *, is_final: bool) -> Cell:
    estimate = row.estimate
    low, high = (estimate.low, estimate.high) if is_final else (estimate.band_low, estimate.band_high)
    return look.cell(numbers.score_range(low, high, estimate.n_maps))


# ---------------------------------------------------------------------------------------------- time per ply


def time_table(summary: Summary, look: Look) -> list[Cell]:
    """Draw a row a bot: time per ply and forfeits by kind."""
    bots = summary.bots
    if not bots:
        return []
    times = [bot.ply_time for bot in bots]
    has_ruled = any(bot.forfeits.ruled for bot in bots)
    if not any(time.n_plies for time in times) and any(bot.n_games for bot in bots):
        return _forfeit_table(bots, look)
    columns = [
        Column(_dim("Time per ply", look), [_bot_name(bot, look) for bot in bots], right=False),
        Column(_dim("plies", look), [look.cell(numbers.count(time.n_plies)) for time in times], keep=2),
        Column(_dim("median", look), [look.cell(numbers.duration(time.median_s)) for time in times], keep=5),
        Column(_dim(f"99{numbers.THIN}%", look), [look.cell(numbers.duration(time.p99_s)) for time in times], keep=3),
        Column(_dim("longest", look), [look.cell(numbers.duration(time.max_s)) for time in times], keep=4),
        Column(
            _dim("timeout/crash/illegal" + ("/ruled" if has_ruled else ""), look),
            [_forfeits(bot.forfeits, look, has_ruled=has_ruled) for bot in bots],
        ),
    ]
    return table_lines(drop_to_fit(_with_margin(columns), look.width))


def _forfeit_table(bots: tuple[BotSummary, ...], look: Look) -> list[Cell]:
    """Draw a row a bot with its forfeits, where nobody timed plies; nothing if there were none."""
    if not any(bot.forfeits.total for bot in bots):
        return []
    columns = [
        Column(_dim("Forfeits", look), [_bot_name(bot, look) for bot in bots], right=False),
        Column(_dim("games", look), [look.cell(numbers.count(bot.n_games)) for bot in bots]),
        Column(
            _dim("timeout/crash/illegal/ruled", look),
            [_forfeits(bot.forfeits, look, has_ruled=True) for bot in bots],
        ),
    ]
    return table_lines(drop_to_fit(_with_margin(columns), look.width))


def seat_table(summary: Summary, look: Look) -> list[Cell]:
    """Draw what each seat scored, with more than two of them and once the run is done."""
    seats = summary.seat_luck
    if not seats or not summary.is_final:
        return []
    columns = [
        Column(_dim("Seat luck", look), [look.cell(f"seat {seat}") for seat in range(len(seats))], right=False),
        Column(_dim("score", look), [look.cell(numbers.score(seat.score, seat.n_maps)) for seat in seats]),
        Column(
            _dim(f"95{numbers.THIN}%, per map", look),
            [look.cell(numbers.score_range(seat.low, seat.high, seat.n_maps)) for seat in seats],
        ),
    ]
    return table_lines(_with_margin(columns))


def _bot_name(bot: BotSummary, look: Look) -> Cell:
    return look.cell(cut(bot.name, max(MIN_NAME, min(MAX_NAME, look.width // 4))))


def _forfeits(forfeits: Forfeits, look: Look, *, has_ruled: bool) -> Cell:
    if not forfeits.total:
        return _dim(numbers.MISSING, look)
    counts = (forfeits.timeout, forfeits.crash, forfeits.illegal, *([forfeits.ruled] if has_ruled else []))
    return look.cell(Span("/".join(numbers.count(n) for n in counts), Style.WARN))

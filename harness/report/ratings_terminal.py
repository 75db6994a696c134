"""`Ratings` on a terminal: the table, the head-to-head matrix, what to look at, how it was made.

Gives a string and prints nothing. Ranks are ranges, intervals name what they count.
"""

from __future__ import annotations

from harness.report import numbers
from harness.report.layout import (
    GAP,
    MAX_TEXT_WIDTH,
    Cell,
    Column,
    Look,
    Span,
    Style,
    cut,
    drop_to_fit,
    table_lines,
    text_width,
    total_width,
    wrapped,
)
from harness.report.ratings import ErrorBasis, NoteKind, RatedBot, Ratings

MAX_NAME = 28
MAX_MATRIX = 14
"""Bots whose matrix still fits a wide terminal; beyond, `--json` has all pairs."""

INDENT = 3
LABEL = 9

_LABELS = {
    NoteKind.POOL: "pool",
    NoteKind.ERRORS: "errors",
    NoteKind.MIRRORED: "mirrored",
    NoteKind.REPEATED: "repeated",
    NoteKind.UPSET: "upset",
    NoteKind.CIRCLE: "circle",
    NoteKind.TWINS: "twins",
    NoteKind.SOURCE: "left out",
}
_BASIS = {
    ErrorBasis.MAPS: "95 % intervals over whole maps",
    ErrorBasis.GAMES: "95 % intervals by the model, games taken as independent",
    ErrorBasis.NONE: "no intervals",
}


def render_ratings(ratings: Ratings, look: Look) -> str:
    """Give everything as text, without a newline at its end."""
    blocks = [_table(ratings, look), _matrix(ratings, look), _notes(ratings, look), _foot(ratings, look)]
    lines: list[Cell] = []
    for block in blocks:
        if block:
            lines.extend([(), *block] if lines else block)
    return "\n".join(look.paint(line) for line in lines)


def _dim(text: str, look: Look) -> Cell:
    return look.cell(Span(text, Style.DIM))


def _table(ratings: Ratings, look: Look) -> list[Cell]:
    bots = ratings.bots
    if not bots:
        return []
    columns = [
        Column(_dim("Rank could be", look), [look.cell(_rank(bot)) for bot in bots], keep=4),
        Column(_dim("Bot", look), [_name(bot, look) for bot in bots], right=False),
        Column(_dim("Rating", look), [look.cell(_rating(bot)) for bot in bots]),
        Column(_dim("95\u202f%", look), [_dim(_half_width(bot), look) for bot in bots], keep=5),
        Column(_dim("Games", look), [look.cell(_games(bot.n_games)) for bot in bots], keep=2),
        Column(_dim("Score", look), [look.cell(_score(bot, ratings)) for bot in bots], keep=3),
        Column(_dim("W/D/L", look), [look.cell(_results(bot)) for bot in bots], keep=1),
    ]
    return table_lines(drop_to_fit(columns, look.width))


def _rank(bot: RatedBot) -> str:
    return numbers.count_range(bot.rank_best, bot.rank_worst)


def _name(bot: RatedBot, look: Look) -> Cell:
    return look.cell(cut(look.clean(bot.name), MAX_NAME, "…" if look.unicode else "..."))


def _rating(bot: RatedBot) -> str:
    return numbers.plain(bot.rating)


def _score(bot: RatedBot, ratings: Ratings) -> str:
    return numbers.score(bot.score, round(bot.n_games) if ratings.n_maps is None else ratings.n_maps)


def _half_width(bot: RatedBot) -> str:
    if bot.is_anchor:
        return "fixed"
    if bot.low is None or bot.high is None:
        return numbers.MISSING
    return numbers.margin(0.5 * (bot.high - bot.low))


def _games(value: float) -> str:
    return numbers.plain(value, 0 if value == round(value) else 1)


def _results(bot: RatedBot) -> str:
    return "/".join(_games(value) for value in (bot.wins, bot.draws, bot.losses))


def _matrix(ratings: Ratings, look: Look) -> list[Cell]:
    """Scores of the row against the column, in percent; certain upsets are bold."""
    bots = ratings.bots
    if len(bots) < 3 or len(bots) > MAX_MATRIX or not ratings.pairs:
        return []
    scores: dict[tuple[str, str], float | None] = {}
    for pair in ratings.pairs:
        scores[pair.bot, pair.opponent] = pair.score
        scores[pair.opponent, pair.bot] = None if pair.score is None else 1.0 - pair.score
    certain = {(u.winner, u.loser) for u in ratings.upsets if u.is_certain}
    certain |= {(loser, winner) for winner, loser in certain}
    columns = [
        Column((), [_dim(str(place + 1), look) for place in range(len(bots))]),
        Column(_dim("in %, row against column", look), [_name(bot, look) for bot in bots], right=False),
        *(
            Column(
                _dim(str(place + 1), look),
                [
                    look.cell(
                        Span(
                            _percent(scores.get((bot.name, other.name)), same=bot.name == other.name),
                            Style.WARN_BOLD if (bot.name, other.name) in certain else Style.PLAIN,
                        )
                    )
                    for bot in bots
                ],
            )
            for place, other in enumerate(bots)
        ),
    ]
    return table_lines(columns) if total_width(columns) + GAP <= look.width else []


def _percent(score: float | None, *, same: bool) -> str:
    if same:
        return "·"
    return numbers.MISSING if score is None else numbers.plain(100.0 * score)


def _notes(ratings: Ratings, look: Look) -> list[Cell]:
    lines: list[Cell] = []
    before: NoteKind | None = None
    for note in ratings.notes:
        lines += _labelled("" if note.kind is before else _LABELS[note.kind], note.text, look)
        before = note.kind
    if not any(note.kind is NoteKind.CIRCLE for note in ratings.notes):
        lines += _labelled("circles", _no_circles(ratings), look)
    return lines


def _no_circles(ratings: Ratings) -> str:
    found = ratings.circles
    if found.p_value is None:
        return found.words
    return f"none that chance does not explain (p = {numbers.probability(found.p_value)})"


def _foot(ratings: Ratings, look: Look) -> list[Cell]:
    seat = ratings.seat
    seat_text = ""
    if seat.score is not None:
        seat_text = f"the first seat scored {numbers.score(seat.score, ratings.n_maps or 0)}"
        if seat.low is not None and seat.high is not None:
            seat_text += (
                f" (95{numbers.THIN}% interval {numbers.score_range(seat.low, seat.high, ratings.n_maps or 0)})"
            )
        if seat.elo is not None:
            seat_text += f", worth {numbers.signed(seat.elo)} Elo"
    if ratings.field_seats:
        n_maps = ratings.n_maps or 0
        seat_text = "; ".join(
            f"seat {found.seat + 1} of {found.n_seats} scored {numbers.score(found.score, n_maps)}"
            f" ({numbers.score_range(found.low, found.high, n_maps)})"
            for found in ratings.field_seats
        )
    maps = ""
    if ratings.n_maps is not None:
        merged = ratings.maps_are_merged
        maps = (
            f" in {numbers.count(ratings.n_maps)} groups" if merged else f" on {numbers.counted(ratings.n_maps, 'map')}"
        )
        maps += " of maps" if merged else ""
    played = f"{_games(ratings.n_games)} games{maps}"
    if ratings.n_skipped:
        played += f"; {numbers.counted(ratings.n_skipped, 'game')} compared nobody"
    return [
        *_labelled("seats", seat_text, look),
        *_labelled("played", played, look),
        *_labelled("method", f"{ratings.method}; {_BASIS[ratings.basis].replace(' %', chr(0x202F) + '%')}", look),
    ]


def _labelled(label: str, text: str, look: Look) -> list[Cell]:
    if not text:
        return []
    start = INDENT + max(LABEL, text_width(label) + 1)
    lines = wrapped(look.clean(text), min(look.width - start, MAX_TEXT_WIDTH))
    head = (Span(" " * INDENT), Span(f"{label:<{start - INDENT}}", Style.DIM))
    return [(*head, Span(lines[0])), *((Span(" " * start + line),) for line in lines[1:])]

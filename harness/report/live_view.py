"""What a running run looks like: one frame of the live view, and the same as one plain line.

Pure: summary, standing and time in, text out. When the rows do not fit, the three best and the three worst stay, since
the one opponent with trouble is usually among the last. Nothing here may look like a result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.records import MapRecord
from harness.report import numbers, score_tables, score_words, tables
from harness.report.layout import Cell, Look, Span, Style, cell_width, cut
from harness.report.model import Summary

N_BEST = 3
N_WORST = 3
MAX_BAR = 60
_OTHER_LINES = 9
"""Lines of a frame besides its rows."""

_ECHO = len("^C^C")
"""Cells left free at the end of the last line: the terminal writes there what is typed, and nobody would wipe what has
wrapped."""


@dataclass(slots=True)
class Standing:
    """How far the run is in this session: what the records alone cannot say. Times are the caller's clock's."""

    name: str
    n_planned: int
    n_done: int
    n_workers: int
    began_s: float
    unit: str = "map"
    """What a job is: `map`, or `game` where each bot plays each map alone and a map is several jobs."""
    n_new: int = 0
    n_new_games: int = 0
    last: MapRecord | None = None

    def add(self, record: MapRecord) -> None:
        """Count a map of this session."""
        self.n_new += 1
        self.n_new_games += len(record.games)
        self.last = record

    @property
    def n_finished(self) -> int:
        """Number of maps done, earlier sessions included."""
        return self.n_done + self.n_new

    def left_s(self, now_s: float) -> float | None:
        """Guess how long it will take still, at this session's speed; None before its first map."""
        elapsed_s = now_s - self.began_s
        if not self.n_new or elapsed_s <= 0.0:
            return None
        return elapsed_s * max(0, self.n_planned - self.n_finished) / self.n_new

    def games_per_s(self, now_s: float) -> float | None:
        """Give this session's speed; None before its first map."""
        elapsed_s = now_s - self.began_s
        return self.n_new_games / elapsed_s if self.n_new and elapsed_s > 0.0 else None


def said(summary: Summary, standing: Standing, now_s: float) -> str:
    """Give the standing as one line: `lightcycles 812/1200 maps, +26 Elo so far, band +4 to +48, forfeits 41, …`."""
    parts = [f"{standing.name} {standing.n_finished}/{standing.n_planned} {standing.unit}s"]
    if len(summary.comparisons) == 1:
        interval = summary.comparisons[0].estimate.band_elo
        if interval is not None:
            parts.append(f"{numbers.elo(interval.estimate)} Elo so far, band {numbers.elo_range(interval)}")
    elif summary.overall is not None:
        estimate = summary.overall.estimate
        parts.append(f"{numbers.score(estimate.score, estimate.n_maps)} so far")
    elif summary.scores is not None:
        means = [f"{bot.name} {score_words.mean_score(bot)}" for bot in summary.scores.bots[:N_BEST]]
        parts.append(f"mean score so far {', '.join(means)}")
    parts.append(f"forfeits {sum(bot.forfeits.total for bot in summary.bots)}")
    parts.append(f"voids {summary.n_voids}")
    speed = standing.games_per_s(now_s)
    if speed is not None:
        parts.append(f"{numbers.per_second(speed)} games/s")
    left_s = standing.left_s(now_s)
    if left_s:
        parts.append(f"about {numbers.duration(left_s)} left")
    return ", ".join(parts)


def frame(summary: Summary, standing: Standing, look: Look, now_s: float) -> str:
    """Give one frame as text with escape codes, no wider than the look and no higher."""
    lines: list[Cell] = [_title(standing, look, now_s), _bar(standing, look, now_s), ()]
    rows = tables.main_rows(summary)
    if rows:
        room = (look.height or 24) - _OTHER_LINES
        shown, n_hidden = _best_and_worst(rows, room)
        table = tables.main_table(summary, look, shown)
        if n_hidden:
            hidden = look.cell(Span(f"   {numbers.counted(n_hidden, 'more row')} between", Style.DIM))
            table.insert(1 + N_BEST, hidden)
        lines += [*table, ()]
    if summary.scores is not None:
        room = (look.height or 24) - _OTHER_LINES
        lines += [*score_tables.bots_table(summary, summary.scores, look)[: 1 + max(1, room)], ()]
    lines += [_events(summary, look), _last(standing, look), _keys(look)]
    return "\n".join(look.paint(_fitted(line, look)) for line in lines)


def _title(standing: Standing, look: Look, now_s: float) -> Cell:
    left_s = standing.left_s(now_s)
    right = f"{numbers.clock(now_s - standing.began_s)} elapsed"
    if left_s is not None:
        right += f", about {numbers.clock(left_s)} left"
    title = look.cell(Span(standing.name, Style.BOLD))
    blank = look.width - cell_width(title) - len(right)
    return (*title, Span(" " * max(2, blank)), Span(look.clean(right), Style.DIM))


def _bar(standing: Standing, look: Look, now_s: float) -> Cell:
    done = f"{numbers.count(standing.n_finished)} of {numbers.counted(standing.n_planned, standing.unit)}"
    facts = numbers.counted(standing.n_workers, "worker")
    speed = standing.games_per_s(now_s)
    if speed is not None:
        facts += f", {numbers.per_second(speed)} games/s"
    width = max(10, min(MAX_BAR, look.width - len(done) - len(facts) - 4))
    full = round(width * min(1.0, standing.n_finished / max(1, standing.n_planned)))
    return look.cell(
        Span("━" * full, Style.GOOD),
        Span("─" * (width - full), Style.DIM),
        f"  {done}  ",
        Span(facts, Style.DIM),
    )


def _best_and_worst(rows: list[tables.Row], room: int) -> tuple[list[tables.Row], int]:
    if len(rows) <= max(room, N_BEST + N_WORST):
        return rows, 0
    total = [row for row in rows if row.is_total]
    ranked = [row for row in rows if not row.is_total]
    shown = [*ranked[:N_BEST], *ranked[-N_WORST:], *total]
    return shown, len(rows) - len(shown)


def _events(summary: Summary, look: Look) -> Cell:
    n_forfeits = sum(bot.forfeits.total for bot in summary.bots)
    forfeits = Span(f"forfeits {numbers.count(n_forfeits)}", Style.WARN_BOLD if n_forfeits else Style.DIM)
    culprits = [bot for bot in summary.bots if bot.forfeits.total]
    worst = max(culprits, key=lambda bot: bot.forfeits.total, default=None)
    names = f" (most by {worst.name})" if worst is not None else ""
    voids = f"  voids {numbers.count(summary.n_voids)}{' (played again)' if summary.n_voids else ''}"
    return look.cell(forfeits, names, Span(voids, Style.PLAIN if summary.n_voids else Style.DIM))


def _last(standing: Standing, look: Look) -> Cell:
    record = standing.last
    if record is None:
        return ()
    game = record.games[0]
    if len(record.lineup) == 1 and game.values:
        value = score_words.amount(game.values[0])
        return look.cell(Span("last seed ", Style.DIM), f"job {record.job}, {record.lineup[0]} {value}")
    scores = " : ".join(f"{name} {_points(score)}" for name, score in zip(record.lineup, record.scores, strict=True))
    return look.cell(Span("last map ", Style.DIM), f"job {record.job}, {scores}")


def _points(score: float) -> str:
    whole, half = divmod(round(2 * score), 2)
    return f"{whole or ('' if half else 0)}{'½' if half else ''}"


def _keys(look: Look) -> Cell:
    text = "Ctrl-C: finish the maps being played; twice: stop now; resume either way"
    return _fitted(look.cell(Span(text, Style.DIM)), replace(look, width=max(1, look.width - _ECHO)))


def _fitted(line: Cell, look: Look) -> Cell:
    """Cut a line at the look's width: a wrapped line would break the redrawing."""
    if cell_width(line) <= look.width:
        return line
    kept: list[Span] = []
    left = look.width
    for span in line:
        text = cut(span.text, left, look.clean("…"))
        kept.append(Span(text, span.style))
        left -= cell_width((kept[-1],))
        if text != span.text:
            break
    return tuple(kept)

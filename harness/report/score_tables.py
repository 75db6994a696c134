"""The tables of a score contest as columns of cells: the bots with their scores, and who is better than whom.

While a run goes on there are means so far and nothing else. Must not choose between intervals by taste.
"""

from __future__ import annotations

from harness.records import Relative
from harness.report import numbers, score_words
from harness.report.layout import Cell, Column, Look, Span, Style, cut, drop_to_fit, table_lines
from harness.report.model import Summary
from harness.report.score_model import ScoreBot, ScorePair, ScoreSummary

MAX_NAME = 28
MIN_NAME = 8

_STYLES = {1: Style.GOOD_BOLD, -1: Style.BAD_BOLD, 0: Style.PLAIN}
_GLYPHS = {1: "▲", -1: "▼", 0: "·"}
_HEADS = {
    Relative.BEST: "of the best",
    Relative.MEDIAN: "of the median",
    Relative.RANK: "rank share",
    Relative.LOG: "geometric mean",
}


def bots_table(summary: Summary, scores: ScoreSummary, look: Look) -> list[Cell]:
    """Draw a row a bot: seeds, mean score, relative score, on how many seeds it is best, failures, time."""
    bots = scores.bots
    if not bots:
        return []
    is_final = summary.is_final
    columns = [
        _margin(len(bots)),
        Column(_dim("Bot", look), [_name(bot.name, look) for bot in bots], right=False),
        Column(_dim("seeds", look), [look.cell(numbers.count(bot.n_seeds)) for bot in bots], keep=2),
        Column(
            _dim(_mean_head(scores, is_final=is_final), look),
            [look.cell(Span(score_words.mean_score(bot), Style.BOLD)) for bot in bots],
        ),
    ]
    if is_final and scores.relative is not Relative.NONE:
        cells = [look.cell(score_words.measured(bot, scores.relative)) for bot in bots]
        columns.append(Column(_dim(_HEADS[scores.relative], look), cells, keep=5))
    if is_final:
        columns.append(Column(_dim("best on", look), [look.cell(_best_on(bot)) for bot in bots], keep=3))
    columns += [
        Column(_dim("failed", look), [_failed(bot, look) for bot in bots], keep=4),
        Column(_dim("time a seed", look), [look.cell(numbers.duration(bot.time_s)) for bot in bots], keep=1),
    ]
    return table_lines(drop_to_fit(columns, look.width))


def pairs_table(scores: ScoreSummary, look: Look) -> list[Cell]:
    """Draw a row a comparison: the difference with both intervals, seeds won, tied and lost, the ratio a seed."""
    pairs = scores.pairs
    if not pairs:
        return []
    level = f"95{numbers.THIN}%"
    gaps = [score_words.Gap(pair, scores.relative) for pair in pairs]
    columns = [
        Column((), [_glyph(pair, look) for pair in pairs], right=False),
        Column(
            _dim(f"{cut(pairs[0].bot, _limit(look))} –", look), [_name(p.opponent, look) for p in pairs], right=False
        ),
        Column(
            _dim("difference", look),
            [look.cell(Span(gap.signed(), _STYLES[p.side_corrected])) for gap, p in zip(gaps, pairs, strict=True)],
        ),
        Column(_dim(level, look), [look.cell(gap.interval()) for gap in gaps], keep=5),
        Column(
            _dim("bootstrap", look),
            [_dim(gap.range_of(p.boot_low, p.boot_high), look) for gap, p in zip(gaps, pairs, strict=True)],
            keep=2,
        ),
        Column(_dim("won/tied/lost", look), [look.cell(_counts(pair)) for pair in pairs], keep=4),
    ]
    if any(pair.ratio.n for pair in pairs) and scores.relative is not Relative.LOG:
        columns.append(Column(_dim("per seed", look), [look.cell(score_words.ratio(p.ratio)) for p in pairs], keep=3))
        cells = [_dim(score_words.ratio_range(pair.ratio), look) for pair in pairs]
        columns.append(Column(_dim(level, look), cells, keep=1))
    return table_lines(drop_to_fit(columns, look.width))


def _mean_head(scores: ScoreSummary, *, is_final: bool) -> str:
    """Say what the means are of: where nothing says what a failure counts, of the seeds with a score."""
    if not is_final:
        return "mean score so far"
    return "mean score" if all(bot.mean is not None for bot in scores.bots) else "mean of scored"


def _counts(pair: ScorePair) -> str:
    return "/".join(numbers.count(n) for n in (pair.wins, pair.ties, pair.losses))


def _best_on(bot: ScoreBot) -> str:
    return numbers.rate(bot.n_best, bot.n_seeds)


def _failed(bot: ScoreBot, look: Look) -> Cell:
    if not bot.n_failed:
        return _dim(numbers.MISSING, look)
    return look.cell(Span(numbers.count(bot.n_failed), Style.WARN))


def _glyph(pair: ScorePair, look: Look) -> Cell:
    return look.cell(Span(_GLYPHS[pair.side_corrected], _STYLES[pair.side_corrected]))


def _limit(look: Look) -> int:
    return max(MIN_NAME, min(MAX_NAME, look.width // 4))


def _name(name: str, look: Look) -> Cell:
    return look.cell(cut(name, _limit(look)))


def _margin(n_rows: int) -> Column:
    return Column((Span(" "),), [(Span(" "),)] * n_rows, right=False)


def _dim(text: str, look: Look) -> Cell:
    return look.cell(Span(text, Style.DIM))

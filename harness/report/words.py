"""Small pieces of prose that more than one output needs, and the cleaning of text that came from bots."""

from __future__ import annotations

from collections.abc import Sequence

from harness.records import FaultKind
from harness.report import numbers
from harness.report.layout import harmless
from harness.report.model import Comparison, Estimate, Forfeits, Summary

_CAUSES = {
    FaultKind.TIMEOUT: "on time",
    FaultKind.CRASH: "by a crash",
    FaultKind.ILLEGAL: "by an illegal action",
    FaultKind.RULED: "by the referee's word",
}


def listed(names: Sequence[str]) -> str:
    """Join names as a sentence does: `a`, `a and b`, `a, b and c`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def all_of(n: int, noun: str) -> str:
    """Say that it is every one of n things: `all 400 maps`, `both maps`, `its only map`."""
    if n == 1:
        return f"its only {noun}"
    return f"both {noun}s" if n == 2 else f"all {numbers.count(n)} {noun}s"


def seats_phrase(summary: Summary) -> str:
    """Say how the maps were played, to follow "1 200 maps"; "" if lineups differ in it."""
    if summary.n_unpaired and summary.games_per_map > 1:
        return f", each of them {numbers.count(summary.games_per_map)} games that share no map"
    if summary.seats == 2 and summary.games_per_map == 2:
        return ", each played from both seats"
    if summary.seats > 2 and summary.games_per_map > 1:
        return f", each played in {numbers.count(summary.games_per_map)} seatings"
    return ""


def maps_phrase(n_maps: int, *, fresh: bool = False) -> str:
    """Say how many maps; `fresh` ones were not used to choose the candidate."""
    return numbers.counted(n_maps, "fresh map" if fresh else "map")


def level_of(row: Comparison) -> str:
    """Name the interval by its level: `95 % interval`."""
    return f"{numbers.plain(100.0 * row.estimate.elo.confidence)}{numbers.THIN}% interval"


def interval_sentence(row: Comparison) -> str:
    """Give the interval in Elo: `95 % interval +14 to +41 Elo.`"""
    return f"{level_of(row)} {numbers.elo_range(row.estimate.elo)} Elo."


def scored_sentence(summary: Summary, row: Comparison, *, fresh: bool = False) -> str:
    """Give score and maps: `It scored 53.9 % over 1 200 maps, each played from both seats.`"""
    return score_of(summary, row.bot, row.estimate, fresh=fresh)


def score_of(summary: Summary, bot: str, estimate: Estimate, *, fresh: bool = False) -> str:
    """Give the same of one of many: `It scored 53.9 % over 400 maps (100 with each opponent), …`."""
    score = numbers.score(estimate.score, estimate.n_maps)
    maps = maps_phrase(estimate.n_maps, fresh=fresh) + _with_each(summary, bot, estimate.n_maps)
    return f"It scored {score} over {maps}{seats_phrase(summary)}."


def _with_each(summary: Summary, bot: str, n_maps: int) -> str:
    """Say that a number of maps adds up over opponents: ` (100 with each opponent)`; nothing where it does not."""
    met = [row.estimate.n_maps for row in summary.comparisons if bot in (row.bot, row.opponent)]
    adds_up = len(met) > 1 and len(set(met)) == 1 and sum(met) == n_maps
    return f" ({numbers.count(met[0])} with each opponent)" if adds_up else ""


def forfeit_causes(forfeits: Forfeits) -> str:
    """Say what the forfeits were: `41 forfeits on time`, `3 forfeits: 2 on time, 1 by a crash`."""
    kinds = forfeits.by_kind()
    total = numbers.counted(forfeits.total, "forfeit")
    if len(kinds) == 1:
        return f"{total} {_CAUSES[kinds[0][0]]}"
    return f"{total}: " + ", ".join(f"{numbers.count(n)} {_CAUSES[kind]}" for kind, n in kinds)


def tame(text: str, limit: int = 120) -> str:
    """Give text from a bot as one harmless line, its end cut at `limit` characters."""
    safe = harmless(text.strip())
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"

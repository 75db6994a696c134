"""What to know before one relies on a result: forfeits, voids, games that repeat, bots that play alike.

At most MAX_FINDINGS, the gravest first; each is one sentence about one subject. Must not judge strength: that is
`verdict`'s job.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.records import FaultKind
from harness.report import numbers
from harness.report.duel import is_mirrored
from harness.report.model import Summary
from harness.report.outcome import Tone
from harness.report.words import forfeit_causes, listed, tame

MAX_FINDINGS = 5
REPEATED_SHARE = 0.01
"""From this share of games that repeat another map's on, the reader is told."""

NOTHING_UNUSUAL = "Nothing unusual: no forfeits, no voids, no games that repeat."


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at. `subject` is a bot, or "" where it is the run."""

    glyph: str
    tone: Tone
    subject: str
    text: str


def find(summary: Summary) -> tuple[Finding, ...]:
    """Give the findings, the gravest first; none if nothing is unusual."""
    how = [*_unpaired(summary), *_fixed_seats(summary), *_alike(summary), *_repeats(summary)]
    found = [*how, *_no_scores(summary), *_forfeits(summary), *_voids(summary)]
    return tuple(found[:MAX_FINDINGS])


def _unpaired(summary: Summary) -> list[Finding]:
    if not summary.n_unpaired:
        return []
    return [
        Finding(
            "!",
            Tone.WARN,
            "unpaired",
            "the referee takes no seed, so every game was on a map of its own: what is easy about a map cancels out "
            "nowhere, the intervals are as wide as that makes them, and no map can be played again",
        )
    ]


def _fixed_seats(summary: Summary) -> list[Finding]:
    """Say what is lost where nobody changed seats: the first seat's share is then the bot's own result."""
    if summary.games_per_map != 1 or summary.seats < 2 or summary.n_unpaired:
        return []
    return [
        Finding(
            "!",
            Tone.WARN,
            "seats",
            "every bot sat in one seat alone, so what the seats are worth is in the result and nobody can take it out; "
            "write `seats: rotations`",
        )
    ]


def _alike(summary: Summary) -> list[Finding]:
    rows = [row for row in summary.comparisons if is_mirrored(row)]
    if not rows or len(summary.comparisons) == 1:
        return []
    return [
        Finding(
            "⇄",
            Tone.WARN,
            listed((row.bot, row.opponent or "")),
            f"play alike: {numbers.count(row.mirrored_maps)} of {numbers.counted(row.estimate.n_maps, 'pair')} "
            "are the same game with the seats swapped",
        )
        for row in rows[:2]
    ]


def _repeats(summary: Summary) -> list[Finding]:
    repeats = summary.repeats
    if not repeats.n_games or repeats.n_repeated < REPEATED_SHARE * repeats.n_games:
        return []
    at_least = "" if repeats.is_exact else "at least "
    verb, says = ("repeats", "tells") if repeats.n_repeated == 1 else ("repeat", "tell")
    return [
        Finding(
            "!",
            Tone.WARN,
            "",
            f"{at_least}{numbers.count(repeats.n_repeated)} of {numbers.counted(repeats.n_games, 'game')} {verb} "
            f"another map's move for move and {says} nothing new: the intervals are too narrow",
        )
    ]


def _no_scores(summary: Summary) -> list[Finding]:
    """Name bots with seeds whose result is no score although nobody is at fault: NaN, infinite, none at all."""
    found = []
    for bot in summary.scores.bots if summary.scores is not None else ():
        n = bot.n_failed - summary.bot(bot.name).forfeits.total
        if n > 0:
            what = f"{numbers.counted(n, 'seed')} ended without a number that can be counted, and with no fault"
            found.append(Finding("!", Tone.WARN, bot.name, what))
    return found


def _forfeits(summary: Summary) -> list[Finding]:
    """Name the two bots with most forfeits, count the rest, and point at the first one recorded."""
    bots = sorted((bot for bot in summary.bots if bot.forfeits.total), key=lambda bot: -bot.forfeits.total)
    found = []
    for bot in bots[:2]:
        share = numbers.rate(bot.forfeits.total, bot.n_games)
        of_games = f"{share} of its games" if "of" not in share else f"{share} games"
        found.append(Finding("!", Tone.WARN, bot.name, f"{forfeit_causes(bot.forfeits)} ({of_games})"))
    if len(bots) > 2:
        n = sum(bot.forfeits.total for bot in bots[2:])
        who = numbers.counted(len(bots) - 2, "other bot")
        found.append(Finding("!", Tone.WARN, "", f"{numbers.counted(n, 'forfeit')} of {who}"))
    if bots and summary.first_forfeits:
        note = summary.first_forfeits[0]
        where = f"job {note.job}, game {note.game}" + (f", ply {note.ply}" if note.kind is not FaultKind.RULED else "")
        found.append(Finding("!", Tone.WARN, note.bot, f"first forfeit, {where}: {tame(note.detail)}"))
    return found


def _voids(summary: Summary) -> list[Finding]:
    if not summary.n_voids:
        return []
    return [Finding("!", Tone.NOTE, "", f"{numbers.counted(summary.n_voids, 'void')}, played again, not counted")]

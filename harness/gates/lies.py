"""The ways in which a benchmark lies, each looked for in the numbers of a stage and named.

A lie that makes the numbers say nothing (`is_fatal`) leaves no verdict; the others stand beside it. Numbers in,
findings out: the words are the report's. Pure; must not import numpy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.intervals import MeanInterval
from harness.stats.planning import power_of

MIRRORED_SHARE = 0.8
"""From this share of mirrored maps on, two bots that are not separated play alike."""

REPEATED_SHARE = 0.01
"""From this share of games that were played before on."""

MIN_TRAP_MAPS = 8
"""Below this many maps a panel member shows no mirror trap."""

FEW_APART_SHARE = 0.02
STARVED_FROM_MAPS = 50
"""No more than this share of so many maps told the bots apart: nothing was measured."""

SEAT_BIAS_SCORE = 0.6
"""First seats that score this, or as little as one less this, shown: the seat decides more than the bots."""

FORFEIT_SHARE = 0.01
"""A bot that forfeits more than this share of its games is not well."""

STARVED_SHARE = 0.01
"""From this share of games that were void or late through the machine on."""

WANTED_POWER = 0.5
"""Below this chance to see the gain that was asked for there were too few maps."""


class Lie(StrEnum):
    """A way in which the numbers of a benchmark mean less than they say."""

    EQUAL_FINGERPRINTS = "equal fingerprints"  # candidate and champion are one program
    MIRRORED = "mirrored"  # both seatings of a map are one game: level whatever the strength
    MIRROR_TRAP = "mirror trap"  # the champion draws its own mirror image: its losses show who breaks the mirror
    NOTHING_APART = "nothing apart"  # hardly a map told the two apart
    REPEATED = "repeated games"  # the same moves on other maps: less information than games
    SEAT_BIAS = "seat bias"  # the seat decides more than the bots
    FORFEITS_DECIDE = "forfeits decide"  # without the maps that have a forfeit the result is another
    STARVED = "starved"  # the machine, not the bots, lost games or took them back
    REUSED_MAPS = "reused maps"  # candidates were selected on these maps before
    TOO_FEW_MAPS = "too few maps"  # a gain of the size asked for would mostly not be seen


@dataclass(frozen=True, slots=True)
class Finding:
    """A lie that was found: `n` of `of` things (maps, games); `value` is the number that shows it, None without one;
    `bot` is the panel member that shows it.

    Repeated and mirrored games make every interval of the stage too narrow.
    """

    lie: Lie
    is_fatal: bool
    n: int
    of: int
    value: float | None = None
    bot: str = ""


@dataclass(frozen=True, slots=True)
class StageNumbers:
    """What is known of one stage's maps, from the candidate's side.

    `duel` is the interval of the mean map score, `duel_without_forfeits` that of the maps without a forfeit,
    `first_seat` that of the first seat's score. `n_repeated_games` were played move for move on another map before.
    `n_starved_games` were void, or marked late, through the machine. `n_selections` is how many selections were made
    on these maps before. `gain` is the gain in score that the policy asks for, None if it states none, and `n_planned`
    the number of maps that it gives for that (0: those that were played).
    """

    n_maps: int
    n_split_maps: int
    n_mirrored_maps: int
    n_games: int
    n_repeated_games: int
    n_forfeit_maps: int
    n_starved_games: int
    duel: MeanInterval
    duel_without_forfeits: MeanInterval
    first_seat: MeanInterval
    candidate_fingerprint: str
    champion_fingerprint: str
    n_selections: int = 0
    gain: float | None = None
    n_planned: int = 0


def find_lies(numbers: StageNumbers) -> tuple[Finding, ...]:
    """Look for every lie; those that leave no verdict come first."""
    found = [
        *_equal(numbers),
        *_mirrored(numbers),
        *_nothing_apart(numbers),
        *_starved(numbers),
        *_forfeits(numbers),
        *_seat(numbers),
        *_repeated(numbers),
        *_reused(numbers),
        *_too_few(numbers),
    ]
    return tuple(sorted(found, key=lambda finding: not finding.is_fatal))


def find_mirror_trap(mirror_draws: Mapping[str, tuple[int, int]]) -> tuple[Finding, ...]:
    """Look for panel members that are mirror images of the champion; each takes away what its defeats would show.

    `mirror_draws[bot]` are the maps that the champion and this member drew with the same moves from both seats and as
    many moves each, and all their maps. Such draws come from starts in which the seats mirror each other: whoever
    breaks the symmetry wins there, be it by a rule for exact ties.
    """
    return tuple(
        Finding(Lie.MIRROR_TRAP, True, n, of, bot=bot)
        for bot, (n, of) in mirror_draws.items()
        if of >= MIN_TRAP_MAPS and n >= MIRRORED_SHARE * of
    )


def side_of(interval: MeanInterval) -> int:
    """Say on which side of an even score an interval lies: 1, −1, or 0 if it holds it."""
    return 1 if interval.low > 0.5 else -1 if interval.high < 0.5 else 0


def _equal(numbers: StageNumbers) -> list[Finding]:
    is_same = numbers.candidate_fingerprint and numbers.candidate_fingerprint == numbers.champion_fingerprint
    return [Finding(Lie.EQUAL_FINGERPRINTS, True, numbers.n_maps, numbers.n_maps)] if is_same else []


def _mirrored(numbers: StageNumbers) -> list[Finding]:
    n = numbers.n_mirrored_maps
    if numbers.n_maps < 2 or n < MIRRORED_SHARE * numbers.n_maps or side_of(numbers.duel):
        return []
    return [Finding(Lie.MIRRORED, True, n, numbers.n_maps)]


def _nothing_apart(numbers: StageNumbers) -> list[Finding]:
    apart = numbers.n_maps - numbers.n_split_maps
    if numbers.n_maps < STARVED_FROM_MAPS or apart > FEW_APART_SHARE * numbers.n_maps or side_of(numbers.duel):
        return []
    if _mirrored(numbers):  # which says why
        return []
    return [Finding(Lie.NOTHING_APART, True, apart, numbers.n_maps)]


def _starved(numbers: StageNumbers) -> list[Finding]:
    n = numbers.n_starved_games
    if not n or n < STARVED_SHARE * numbers.n_games:
        return []
    return [Finding(Lie.STARVED, False, n, numbers.n_games, n / max(1, numbers.n_games))]


def _forfeits(numbers: StageNumbers) -> list[Finding]:
    if not numbers.n_forfeit_maps or side_of(numbers.duel) == side_of(numbers.duel_without_forfeits):
        return []
    rest = numbers.duel_without_forfeits.mean
    return [Finding(Lie.FORFEITS_DECIDE, False, numbers.n_forfeit_maps, numbers.n_maps, rest)]


def _seat(numbers: StageNumbers) -> list[Finding]:
    seat = numbers.first_seat
    if seat.mean is None or (seat.mean < SEAT_BIAS_SCORE and seat.mean > 1.0 - SEAT_BIAS_SCORE) or not side_of(seat):
        return []
    return [Finding(Lie.SEAT_BIAS, False, numbers.n_maps, numbers.n_maps, seat.mean)]


def _repeated(numbers: StageNumbers) -> list[Finding]:
    n = numbers.n_repeated_games
    if not n or n < REPEATED_SHARE * numbers.n_games:
        return []
    return [Finding(Lie.REPEATED, False, n, numbers.n_games, n / numbers.n_games)]


def _reused(numbers: StageNumbers) -> list[Finding]:
    if not numbers.n_selections:
        return []
    return [Finding(Lie.REUSED_MAPS, False, numbers.n_selections, numbers.n_maps)]


def _too_few(numbers: StageNumbers) -> list[Finding]:
    """Find that a gain of the size asked for would be seen less often than every other time."""
    if not numbers.gain or numbers.gain <= 0.0 or not numbers.duel.sd or numbers.n_maps < 2:
        return []
    n_maps = numbers.n_planned or numbers.n_maps
    power = power_of(numbers.gain, numbers.duel.sd, n_maps, confidence=numbers.duel.confidence)
    if power >= WANTED_POWER:
        return []
    return [Finding(Lie.TOO_FEW_MAPS, False, n_maps, n_maps, power)]

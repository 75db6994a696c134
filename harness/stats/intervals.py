"""Intervals for a score: Wilson for independent games, Student t over maps, exact bounds where neither holds.

The map is the unit: `map_t` takes one mean score a map, never one a game. Every result carries its level, its
method and a state, so that no caller has to guess what a missing or a degenerate number means. Must not
import numpy: the live view and the report call it many times a second.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.arguments import StatsInputError, check_count, check_not_negative, check_open_unit
from harness.stats.distributions import beta_quantile, binomial_at_least, t_quantile, two_sided_z
from harness.stats.tally import MapTally

FEW_APART = 5
"""Below this many maps off the commonest score, the spread of the sample says too little for Student's t."""

_SAME = 1e-9
"""Scores closer than this differ by rounding alone (a mean of thirds, summed in another order)."""


class IntervalState(StrEnum):
    """Why an interval is what it is."""

    USUAL = "usual"  # enough maps, with spread
    EMPTY = "empty"  # nothing played
    ONE_MAP = "one map"  # no spread can be measured
    ALL_EQUAL = "all maps equal"  # the sample has no spread; the truth may have
    DRIFTED = "drifted"  # no mean fits all maps: they do not share one
    FEW_APART = "few maps apart"  # nearly all maps equal: the sample's spread is not to be trusted


class IntervalMethod(StrEnum):
    """How the ends were found. Write it beside the interval."""

    NONE = "no data"
    WILSON = "Wilson"
    EXACT = "exact bounds"
    STUDENT_T = "Student t over maps"
    NORMAL = "normal over maps"
    BOOTSTRAP_PERCENTILE = "bootstrap over maps (percentile)"
    BOOTSTRAP_BCA = "bootstrap over maps (BCa)"
    EMPIRICAL_BERNSTEIN = "always valid (empirical Bernstein)"
    BETTING = "always valid (betting)"
    BETA_MIXTURE = "always valid (beta mixture)"


@dataclass(frozen=True, slots=True)
class Interval:
    """A score in [0, 1] with bounds. `estimate` is None when nothing was played; then the bounds are 0 and 1.

    `n` counts what `unit` names: games or maps.
    """

    estimate: float | None
    low: float
    high: float
    confidence: float
    n: int | float
    unit: str
    method: IntervalMethod
    state: IntervalState


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean score a map in [0, 1] with bounds.

    `mean` is None without maps, `sd` (with n − 1) and `se` = sd/√n are None below two maps.
    """

    mean: float | None
    low: float
    high: float
    sd: float | None
    se: float | None
    n: int
    confidence: float
    method: IntervalMethod
    state: IntervalState


def wilson(points: float, games: float, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for `points` of `games` independent games; points may hold halves.

    For reference beside the map interval, and a bound for any score in [0, 1] when `games` counts maps: no
    law on [0, 1] spreads more than win or loss at the same mean. No games give the whole range and state
    EMPTY.
    Source: E. B. Wilson, JASA 22 (1927) 209-212.
    """
    check_not_negative("games", games)
    if not 0.0 <= points <= games:
        raise StatsInputError(f"points is {points!r}; allowed is a number from 0 to the {games!r} games")
    z = two_sided_z(confidence)
    if games == 0:
        return Interval(None, 0.0, 1.0, confidence, 0, "games", IntervalMethod.NONE, IntervalState.EMPTY)
    p = points / games
    shrink = 1.0 + z * z / games
    centre = (p + z * z / (2.0 * games)) / shrink
    half = z / shrink * math.sqrt(p * (1.0 - p) / games + z * z / (4.0 * games * games))
    low = 0.0 if points == 0 else max(0.0, centre - half)
    high = 1.0 if points == games else min(1.0, centre + half)
    return Interval(p, low, high, confidence, games, "games", IntervalMethod.WILSON, IntervalState.USUAL)


def clopper_pearson(wins: int, games: int, confidence: float = 0.95) -> Interval:
    """Exact interval for a probability from `wins` of `games` yes-or-no trials; never below its level.

    Source: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934) 404-413.
    """
    check_count("games", games)
    check_count("wins", wins)
    check_open_unit("confidence", confidence)
    if wins > games:
        raise StatsInputError(f"wins is {wins!r}; allowed is a whole number from 0 to the {games!r} games")
    if games == 0:
        return Interval(None, 0.0, 1.0, confidence, 0, "games", IntervalMethod.NONE, IntervalState.EMPTY)
    tail = 0.5 * (1.0 - confidence)
    low = 0.0 if wins == 0 else beta_quantile(tail, wins, games - wins + 1)
    high = 1.0 if wins == games else beta_quantile(1.0 - tail, wins + 1, games - wins)
    return Interval(wins / games, low, high, confidence, games, "games", IntervalMethod.EXACT, IntervalState.USUAL)


def off_mode_bounds(mode: float, n_below: int, n_above: int, n: int, confidence: float) -> tuple[float, float]:
    """Bounds for a mean in [0, 1] when all but a few of n maps gave the score `mode`.

    A map below the mode can cost at most `mode`, one above can add at most 1 − mode, and how often each
    happens has an exact (Clopper-Pearson) upper bound. Each end holds at (1 + confidence)/2 whatever the law
    of the scores.
    """
    tail = 0.5 * (1.0 - confidence)
    often_below = 1.0 if n_below == n else beta_quantile(1.0 - tail, n_below + 1, n - n_below)
    often_above = 1.0 if n_above == n else beta_quantile(1.0 - tail, n_above + 1, n - n_above)
    return mode * (1.0 - often_below), mode + (1.0 - mode) * often_above


def map_t(scores: Iterable[float], confidence: float = 0.95) -> MeanInterval:
    """Interval for the mean of per-map scores in [0, 1]: Student t with n − 1 degrees, cut to [0, 1].

    Fewer than FEW_APART maps off the commonest score give exact bounds instead, so that a sample without
    spread never shows a zero width. For a stream fill a `tally.MapTally` and use `of_tally`, which gives the
    same result.
    """
    tally = MapTally()
    for score in scores:
        tally.add(score)
    return of_tally(tally, confidence)


def of_tally(tally: MapTally, confidence: float = 0.95) -> MeanInterval:
    """The interval of `map_t` for the maps of a tally."""
    moments = tally.moments()
    mode: float | None = None
    below = above = 0
    cells = tally.cells()
    if cells:
        mode = max(cells, key=lambda cell: cell[1])[0]
        below = sum(count for score, count in cells if score < mode - _SAME)
        above = sum(count for score, count in cells if score > mode + _SAME)
    return mean_interval(
        n=tally.n,
        mean=None if moments is None else moments.mean,
        variance=None if moments is None or tally.n < 2 else moments.variance,
        mode=mode,
        n_below_mode=below,
        n_above_mode=above,
        confidence=confidence,
    )


def mean_interval(
    *,
    n: int,
    mean: float | None,
    variance: float | None,
    mode: float | None,
    n_below_mode: int,
    n_above_mode: int,
    confidence: float = 0.95,
) -> MeanInterval:
    """The interval of `map_t` from a sample's summary.

    `variance` has n − 1 below the line. `mode` is the commonest score with the number of maps below and above
    it, or None when the scores have too many distinct values for one of them to be common.
    """
    check_open_unit("confidence", confidence)
    if n == 0 or mean is None:
        return MeanInterval(None, 0.0, 1.0, None, None, 0, confidence, IntervalMethod.NONE, IntervalState.EMPTY)
    sd = None if variance is None else math.sqrt(variance)
    se = None if sd is None else sd / math.sqrt(n)
    n_apart = n_below_mode + n_above_mode
    if mode is not None and (n == 1 or n_apart == 0 or (n_apart < FEW_APART and n_apart < 0.3 * n)):
        low, high = off_mode_bounds(mode, n_below_mode, n_above_mode, n, confidence)
        state = (
            IntervalState.ONE_MAP if n == 1 else IntervalState.ALL_EQUAL if n_apart == 0 else IntervalState.FEW_APART
        )
        return MeanInterval(mean, low, high, sd, se, n, confidence, IntervalMethod.EXACT, state)
    if se is None:
        raise StatsInputError("variance is None for more than one map; give the sample variance")
    half = t_quantile(0.5 * (1.0 + confidence), n - 1) * se
    return MeanInterval(
        mean=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        sd=sd,
        se=se,
        n=n,
        confidence=confidence,
        method=IntervalMethod.STUDENT_T,
        state=IntervalState.USUAL,
    )


def duel_z(margin: float, games: int) -> float | None:
    """z = margin/√games for wins minus losses in `games` decisive games; None when there are none.

    The standard deviation of the margin is √games when both sides are equal.
    """
    check_count("games", games)
    if abs(margin) > games:
        raise StatsInputError(f"margin is {margin!r}; allowed is a number from −{games} to {games}, the games played")
    return None if games == 0 else margin / math.sqrt(games)


def sign_test_p(wins: int, losses: int) -> float:
    """Two-sided exact p-value of `wins` against `losses` under a fair coin; 1 when nothing was decided."""
    n = wins + losses
    return min(1.0, 2.0 * binomial_at_least(max(wins, losses), n, 0.5)) if n else 1.0

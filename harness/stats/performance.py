"""Performance: the rating that a record against opponents of known strength is worth.

Maximum likelihood of one rating with all opponents held fixed: Σ points = Σ n·σ(x − R). A perfect score has no such
rating and gets a bound instead. Must not be used to rate a pool: that is `bradley_terry` with anchors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from harness.stats.arguments import StatsInputError, check_finite, check_not_negative, check_open_unit, check_unit
from harness.stats.distributions import normal_quantile, t_quantile
from harness.stats.elo import ELO_PER_LOGIT, to_score
from harness.stats.solve import find_root

if TYPE_CHECKING:
    from collections.abc import Sequence

_FAR = 40.0 * ELO_PER_LOGIT
_ROUNDING = 1e-12
_LEAST_CURVATURE = 1e-100
"""A share of points this near to none or all is none or all."""


class PerformanceState(StrEnum):
    """What a performance is worth."""

    ESTIMATED = "estimated"
    NO_GAMES = "no_games"
    PERFECT = "perfect"  # all points: only a lower bound
    ZERO = "zero"  # no point: only an upper bound


@dataclass(frozen=True, slots=True)
class MapResult:
    """What one map brought against one opponent: its rating, games, points, and what the seats were worth in Elo."""

    opponent_elo: float
    games: float
    points: float
    map_key: str | int = ""
    seat_elo: float = 0.0


@dataclass(frozen=True, slots=True)
class Performance:
    """A rating with its interval; `elo` is None for a perfect or empty record and the open end of it is None too.

    `by_map` says that the error treats maps as the unit (t with `n_maps` − 1 degrees).
    """

    state: PerformanceState
    words: str
    elo: float | None = None
    se_elo: float | None = None
    low: float | None = None
    high: float | None = None
    by_map: bool = False
    n_maps: int = 0


def performance(results: Sequence[MapResult], *, confidence: float = 0.95) -> Performance:
    """Rating of a record against fixed opponents.

    Results with equal `map_key` belong together; with two keys or more the error is clustered by map, else it is the
    model's. For a perfect score the bound is the rating at which it would happen in a share `1 − confidence` of tries.
    """
    check_open_unit("confidence", confidence)
    for result in results:
        check_finite("opponent_elo", result.opponent_elo)
        check_finite("seat_elo", result.seat_elo)
        check_not_negative("games", result.games)
        if result.games > 0.0:
            check_unit("points / games", result.points / result.games)
        elif result.points != 0.0:
            raise StatsInputError(f"points are {result.points!r} in no games")
    played = [result for result in results if result.games > 0.0]
    games = sum(result.games for result in played)
    points = sum(result.points for result in played)
    if not played:
        return Performance(PerformanceState.NO_GAMES, "No games against rated opponents.")
    if not _ROUNDING < points / games < 1.0 - _ROUNDING:
        return _bound(played, confidence, perfect=points > 0.5 * games)
    centre = sum(_level(result) * result.games for result in played) / games
    reach = max(abs(_level(result) - centre) for result in played) + _FAR

    def missing(elo: float) -> float:
        return sum(r.games * to_score(elo - _level(r)) for r in played) - points

    elo = find_root(missing, centre - reach, centre + reach)
    return _with_error(played, elo, confidence)


def _level(result: MapResult) -> float:
    """Opponent's rating as met: a good seat of one's own makes it weaker."""
    return result.opponent_elo - result.seat_elo


def _with_error(played: list[MapResult], elo: float, confidence: float) -> Performance:
    curvature = 0.0
    surprise: dict[str | int, float] = {}
    for r in played:
        p = to_score(elo - _level(r))
        curvature += r.games * p * (1.0 - p)
        surprise[r.map_key] = surprise.get(r.map_key, 0.0) + r.points - r.games * p
    n_maps = len(surprise)
    if curvature < _LEAST_CURVATURE:
        return Performance(
            PerformanceState.ESTIMATED,
            "The opponents are so far away on both sides that an error cannot be computed.",
            elo,
            by_map=n_maps > 1,
            n_maps=n_maps,
        )
    tail = 1.0 - 0.5 * (1.0 - confidence)
    variance = 1.0 / curvature
    quantile = normal_quantile(tail)
    by_map = n_maps > 1
    if by_map:
        meat = sum(u * u for u in surprise.values()) * n_maps / (n_maps - 1.0)
        variance = meat / curvature**2
        quantile = t_quantile(tail, n_maps - 1.0)
    if variance <= 0.0:
        return Performance(
            PerformanceState.ESTIMATED,
            "Every map brought exactly what was expected, so an error cannot be computed.",
            elo,
            by_map=by_map,
            n_maps=n_maps,
        )
    se = ELO_PER_LOGIT * math.sqrt(variance)
    unit = f"over {n_maps} maps" if by_map else "by the model, games taken as independent"
    half = quantile * se
    return Performance(PerformanceState.ESTIMATED, f"Error {unit}.", elo, se, elo - half, elo + half, by_map, n_maps)


def _bound(played: list[MapResult], confidence: float, *, perfect: bool) -> Performance:
    """One-sided bound of a perfect or zero score: the rating that makes its probability 1 − confidence."""
    sign = 1.0 if perfect else -1.0
    wanted = math.log(1.0 - confidence)

    def excess(elo: float) -> float:
        lead = [(sign * (elo - _level(r)) / ELO_PER_LOGIT, r.games) for r in played]
        total = sum(n * (min(x, 0.0) - math.log1p(math.exp(-abs(x)))) for x, n in lead)
        return total - wanted

    levels = [_level(r) for r in played]
    reach = _FAR + ELO_PER_LOGIT * abs(wanted) / min(1.0, sum(r.games for r in played))
    bound = find_root(excess, min(levels) - reach, max(levels) + reach)
    n_maps = len({r.map_key for r in played})
    if perfect:
        words = "All points were won, so there is no highest fitting rating; the bound is a lower one."
        return Performance(PerformanceState.PERFECT, words, low=bound, n_maps=n_maps)
    words = "No point was won, so there is no lowest fitting rating; the bound is an upper one."
    return Performance(PerformanceState.ZERO, words, high=bound, n_maps=n_maps)

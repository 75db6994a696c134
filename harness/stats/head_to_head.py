"""The head-to-head table: each pair's score with an error that counts maps, and upsets that chance does not explain.

An upset is a lower-rated bot that took more than half the points from a higher-rated one. Among many pairs some are
luck, so p-values are corrected by Holm over all pairs that met. Must not rate anybody.
Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness.stats.arguments import StatsInputError, check_open_unit
from harness.stats.distributions import t_sf
from harness.stats.pair_counts import sum_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.stats.pair_counts import FloatArray, IntArray, PairCounts


@dataclass(frozen=True, slots=True, eq=False)
class HeadToHead:
    """All pairs i < j that met: score of `low` (the smaller index) over both seatings, from 0 to 1.

    `se` is by map, NaN-free: 0 where it is not known and `se_known` is False (no maps, one map, or all maps alike).
    """

    low: IntArray
    high: IntArray
    games: FloatArray
    points: FloatArray
    n_maps: IntArray
    se: FloatArray
    se_known: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @property
    def score(self) -> FloatArray:
        """Share of the points that `low` took."""
        return self.points / self.games


@dataclass(frozen=True, slots=True)
class Upset:
    """`winner` is rated below `loser` and took `score` > ½ of the points; `p_value` is one-sided, `p_holm` corrected.

    Both are None where no maps are known. `gap_elo` is how far the winner is rated below.
    """

    winner: int
    loser: int
    score: float
    games: float
    n_maps: int
    gap_elo: float
    p_value: float | None
    p_holm: float | None


def head_to_head(counts: PairCounts) -> HeadToHead:
    """Scores of all pairs, seats added up, with errors over whole maps (ratio of points to games, M/(M−1))."""
    n = counts.n_bots
    swap = counts.first > counts.second
    low, high = np.minimum(counts.first, counts.second), np.maximum(counts.first, counts.second)
    games = counts.games
    pairs, pair = np.unique(low * n + high, return_inverse=True)
    points = np.where(swap, games - counts.points, counts.points)
    total, won = sum_by(pair, games, pairs.size), sum_by(pair, points, pairs.size)
    met = total > 0.0
    se = np.zeros(pairs.size)
    n_maps = np.zeros(pairs.size, dtype=np.int64)
    maps = counts.maps
    if maps is not None and pairs.size:
        # One row for each (pair, map): both seatings of a pair on a map belong together.
        entry_pair = pair[maps.cell]
        entry_games = maps.wins + maps.draws + maps.losses
        entry_points = maps.wins + 0.5 * maps.draws
        entry_points = np.where(swap[maps.cell], entry_games - entry_points, entry_points)
        rows, row = np.unique(entry_pair * maps.n_maps + maps.map_index, return_inverse=True)
        row_pair = rows // maps.n_maps
        score = np.divide(won, total, out=np.full(pairs.size, 0.5), where=met)
        surprise = sum_by(row, entry_points - entry_games * score[entry_pair], rows.size)
        n_maps = np.bincount(row_pair, minlength=pairs.size)
        many = (n_maps > 1) & met
        square = sum_by(row_pair, surprise**2, pairs.size)
        factor = np.divide(n_maps, n_maps - 1.0, out=np.zeros(pairs.size), where=many)
        se[many] = np.sqrt(factor * square)[many] / total[many]
    known = se > 1e-12
    return HeadToHead(
        (pairs // n)[met],
        (pairs % n)[met],
        total[met],
        won[met],
        n_maps[met],
        np.where(known, se, 0.0)[met],
        known[met],
    )


def upsets(
    table: HeadToHead, ratings: Sequence[float | None], *, confidence: float = 0.95
) -> tuple[tuple[Upset, ...], tuple[Upset, ...]]:
    """(all upsets, those that survive Holm at 1 − confidence over all pairs with maps), strongest evidence first.

    Each pair's p-value is one-sided, from t over its maps, and never below 2^−M: M maps that all favour one bot cannot
    say more. Bots without a rating take no part.
    """
    check_open_unit("confidence", confidence)
    if len(ratings) <= int(max(table.low.max(initial=-1), table.high.max(initial=-1))):
        raise StatsInputError(f"{len(ratings)} ratings for more bots than that in the table")
    p_values = pair_p_values(table)
    family = [value for value in p_values if value is not None]
    corrected = iter(holm(family))
    scores = table.score.tolist()
    found = []
    for k, p_value in enumerate(p_values):
        p_holm = None if p_value is None else next(corrected)
        i, j = int(table.low[k]), int(table.high[k])
        score = scores[k]
        one, other = ratings[i], ratings[j]
        if one is None or other is None or score == 0.5:
            continue
        winner, loser = (i, j) if score > 0.5 else (j, i)
        gap = (other - one) if score > 0.5 else (one - other)
        if gap > 0.0:
            found.append(
                Upset(
                    winner,
                    loser,
                    max(score, 1.0 - score),
                    float(table.games[k]),
                    int(table.n_maps[k]),
                    gap,
                    p_value,
                    p_holm,
                )
            )
    found.sort(key=lambda upset: (1.0 if upset.p_value is None else upset.p_value, -upset.score))
    level = 1.0 - confidence
    sure = tuple(upset for upset in found if upset.p_holm is not None and upset.p_holm <= level)
    return tuple(found), sure


def pair_p_values(table: HeadToHead) -> list[float | None]:
    """One-sided p of each pair that the bot ahead is not better; None where fewer than two maps are known."""
    values: list[float | None] = []
    scores = table.score.tolist()
    for k in range(table.low.size):
        n_maps = int(table.n_maps[k])
        if n_maps < 2:
            values.append(None)
            continue
        lead = abs(scores[k] - 0.5)
        floor = 0.5**n_maps
        if lead == 0.0:
            values.append(0.5)
        elif table.se_known[k]:
            values.append(max(t_sf(lead / float(table.se[k]), n_maps - 1.0), floor))
        else:
            values.append(floor)  # every map ended alike: the sign test's value
    return values


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's corrected p-values, in the order given: below α means significant with a family-wise error of α."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for step, i in enumerate(order):
        if not 0.0 <= p_values[i] <= 1.0 or math.isnan(p_values[i]):
            raise StatsInputError(f"a p-value is {p_values[i]!r}; allowed is a number from 0 to 1")
        largest = max(largest, min(1.0, (len(p_values) - step) * p_values[i]))
        corrected[i] = largest
    return corrected

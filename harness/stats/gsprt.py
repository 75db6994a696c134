"""The generalised log-likelihood ratio of counted scores: H1 against H0 when only the mean, or the mean in
standard deviations, is fixed and the rest of the law is fitted.

It is fishtest's test for pairs and for games, and the same empirical likelihood for any bounded map score. It
stays finite when only one cell is filled. Pure functions of counts; the running test is `sequential`. Must
not import numpy: it is called after every map.

Sources: M. Van den Bergh, "The GSPRT", "Normalized Elo, practical"; fishtest's LLRcalc; A. Owen, Empirical
Likelihood.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.stats.arguments import StatsInputError, check_finite, check_not_negative, check_unit
from harness.stats.empirical_likelihood import TValueFit, fit_t_value, solve_tilt
from harness.stats.sprt_bounds import EloBounds, NeloBounds

EMPTY_CELL = 1e-3
"""What an empty cell counts, so that the likelihood of a mean beyond the sample exists. fishtest's number."""

PENTA_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
TRINOMIAL_SCORES = (0.0, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class ScoreCounts:
    """Mean map scores in rising order, from 0 to 1, and how many maps gave each (empty cells already
    EMPTY_CELL).

    `games_per_map` is 2 for pairs and 1 for single games; normalized Elo needs it.
    """

    scores: tuple[float, ...]
    counts: tuple[float, ...]
    games_per_map: float

    @property
    def total(self) -> float:
        """Number of maps, with what the empty cells add."""
        return math.fsum(self.counts)

    def n_filled(self) -> int:
        """Number of cells that some map is in."""
        return sum(count != EMPTY_CELL for count in self.counts)

    def plain_mean(self) -> float | None:
        """Mean map score without what the empty cells add; None without maps."""
        filled = [(a, n) for a, n in zip(self.scores, self.counts, strict=True) if n != EMPTY_CELL]
        total = math.fsum(n for _, n in filled)
        return math.fsum(a * n for a, n in filled) / total if filled else None

    def mean_and_variance(self) -> tuple[float, float]:
        """Mean and population variance of a map score."""
        total = self.total
        mean = math.fsum(a * n for a, n in zip(self.scores, self.counts, strict=True)) / total
        variance = math.fsum(n * (a - mean) ** 2 for a, n in zip(self.scores, self.counts, strict=True)) / total
        return mean, variance


def _regular(counts: Sequence[float]) -> tuple[float, ...]:
    for index, count in enumerate(counts):
        check_not_negative(f"counts[{index}]", count)
    return tuple(count if count > 0 else EMPTY_CELL for count in counts)


def penta_counts(counts: Sequence[float]) -> ScoreCounts:
    """Pairs: LL, LD+DL, LW+DD+WL, DW+WD, WW from the tested side."""
    if len(counts) != 5:
        raise StatsInputError(f"counts has {len(counts)} cells; pairs have 5: LL, LD, LW+DD+WL, DW, WW")
    return ScoreCounts(PENTA_SCORES, _regular(counts), 2.0)


def trinomial_counts(losses: float, draws: float, wins: float) -> ScoreCounts:
    """Single games: losses, draws, wins of the tested side. Wrong for games that share a map; use pairs there."""
    return ScoreCounts(TRINOMIAL_SCORES, _regular((losses, draws, wins)), 1.0)


def score_counts(cells: Sequence[tuple[float, float]], games_per_map: float) -> ScoreCounts:
    """Any map scores in [0, 1] as (score, number of maps). The scores 0 and 1 are cells even when no map gave them."""
    counted: dict[float, float] = {0.0: 0.0, 1.0: 0.0}
    for score, count in cells:
        check_unit("score", score)
        counted[score] = counted.get(score, 0.0) + count
    scores = tuple(sorted(counted))
    return ScoreCounts(scores, _regular([counted[score] for score in scores]), games_per_map)


def llr_mean(data: ScoreCounts, score0: float, score1: float) -> float:
    """LLR of the mean score `score1` against `score0`, both strictly between the lowest and the highest score."""
    return _llr_mean(data, score0, score1, [0.0, 0.0])


def _llr_mean(data: ScoreCounts, score0: float, score1: float, warm: list[float]) -> float:
    total = data.total
    shares = [count / total for count in data.counts]
    gaps0 = [score - score0 for score in data.scores]
    gaps1 = [score - score1 for score in data.scores]
    theta0 = warm[0] = solve_tilt(shares, gaps0, warm[0])
    theta1 = warm[1] = solve_tilt(shares, gaps1, warm[1])
    return sum(
        count * math.log((1.0 + theta0 * gap0) / (1.0 + theta1 * gap1))
        for count, gap0, gap1 in zip(data.counts, gaps0, gaps1, strict=True)
    )


def llr_logistic(data: ScoreCounts, bounds: EloBounds) -> float:
    """GSPRT with bounds in logistic Elo of the mean score."""
    score0, score1 = bounds.scores()
    return llr_mean(data, score0, score1)


def llr_t_value(data: ScoreCounts, t0: float, t1: float) -> float:
    """LLR of (mean − ½)/sd = `t1` against `t0`, for one map's mean score."""
    check_finite("t0", t0)
    check_finite("t1", t1)
    total = data.total
    shares = [count / total for count in data.counts]
    fit0, fit1 = (fit_t_value(data.scores, shares, t) for t in (t0, t1))
    return total * (fit1.log_ratio - fit0.log_ratio)


def llr_normalized(data: ScoreCounts, bounds: NeloBounds) -> float:
    """GSPRT with bounds in normalized Elo of one game."""
    return llr_t_value(data, *bounds.t_values(data.games_per_map))


def llr_normalized_approximate(data: ScoreCounts, bounds: NeloBounds) -> float:
    """Closed form close to `llr_normalized`: (games/2)·ln((1 + (nt − nt0)²)/(1 + (nt − nt1)²)), t per game.

    Source: M. Van den Bergh, "Normalized Elo, practical", section 4.2.
    """
    mean, variance = data.mean_and_variance()
    t = (mean - 0.5) / math.sqrt(variance * data.games_per_map)
    t0, t1 = bounds.t_values(1.0)
    games = data.total * data.games_per_map
    return 0.5 * games * math.log((1.0 + (t - t0) ** 2) / (1.0 + (t - t1) ** 2))


class RunningLlr:
    """The LLR of counts that grow a little at each call, with the last solution as the next one's start.

    Gives what `llr_logistic` and `llr_normalized` give for the same counts, to about 1e-9, many times faster.
    """

    __slots__ = ("_fits", "_hypotheses", "_is_mean", "_warm")

    def __init__(self, bounds: EloBounds | NeloBounds, games_per_map: float) -> None:
        self._is_mean = isinstance(bounds, EloBounds)
        self._hypotheses = bounds.scores() if isinstance(bounds, EloBounds) else bounds.t_values(games_per_map)
        self._warm = [0.0, 0.0]
        self._fits: tuple[TValueFit | None, TValueFit | None] = (None, None)

    def update(self, data: ScoreCounts) -> float:
        """The LLR of `data`, whose scores must be those of the calls before, or more."""
        first, second = self._hypotheses
        if self._is_mean:
            return _llr_mean(data, first, second, self._warm)
        total = data.total
        shares = [count / total for count in data.counts]
        warm0, warm1 = self._fits
        fit0 = fit_t_value(data.scores, shares, first, total=total, warm=warm0)
        fit1 = fit_t_value(data.scores, shares, second, total=total, warm=warm1)
        self._fits = (fit0, fit1)
        return total * (fit1.log_ratio - fit0.log_ratio)

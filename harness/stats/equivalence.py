"""Tests of a margin: are two bots equal within it, is one worse by no more than it.

"No evidence of a difference" is not "equal": with few maps everything is without evidence. These ask the
opposite question, and few maps make them fail. A margin is a score or an Elo, and the field says which. Must
not import numpy.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from harness.stats.arguments import StatsInputError, check_open_unit, check_positive, check_unit
from harness.stats.distributions import t_cdf, t_quantile, t_sf
from harness.stats.elo import to_score
from harness.stats.intervals import IntervalMethod, MeanInterval


class MarginOutcome(StrEnum):
    """What a margin test shows."""

    SHOWN = "shown"
    NOT_SHOWN = "not shown"  # not the same as the opposite
    NO_DATA = "no data"  # too few maps, or none apart from the rest, to measure a spread


@dataclass(frozen=True, slots=True)
class Margin:
    """How large a difference does not matter. Exactly one of the two, above 0: `elo`, or `score` in points of
    score (0.02 is 2 %).
    """

    elo: float | None = None
    score: float | None = None

    def __post_init__(self) -> None:
        if (self.elo is None) == (self.score is None):
            raise StatsInputError(
                f"margin has elo {self.elo!r} and score {self.score!r}; exactly one of the two must be given"
            )
        if self.elo is not None:
            check_positive("margin.elo", self.elo)
        if self.score is not None and not 0.0 < self.score < 0.5:
            raise StatsInputError(f"margin.score is {self.score!r}; allowed is a number above 0 and below 0.5")

    def ends(self, centre: float = 0.5) -> tuple[float, float]:
        """The mean scores that bound it, around the score `centre` of no difference."""
        if self.score is not None:
            return centre - self.score, centre + self.score
        assert self.elo is not None
        logit = math.log(centre) - math.log1p(-centre)
        shift = self.elo * math.log(10.0) / 400.0
        return _logistic(logit - shift), _logistic(logit + shift)


def _logistic(logit: float) -> float:
    return to_score(logit * 400.0 / math.log(10.0))


@dataclass(frozen=True, slots=True)
class MarginTest:
    """`p_low` is against a difference below the lower end, `p_high` against one above the upper end (1 if not
    tested).

    `low` and `high` bound the score at level 1 − 2·alpha: the outcome is SHOWN when they lie inside the
    tested ends.
    """

    outcome: MarginOutcome
    p_low: float
    p_high: float
    low: float
    high: float
    margin_low: float
    margin_high: float
    alpha: float


def equivalence(sample: MeanInterval, margin: Margin, *, alpha: float = 0.05) -> MarginTest:
    """Two one-sided t tests (TOST): is the mean map score within `margin` of ½? Each is at level `alpha`.

    Source: D. Schuirmann, J. Pharmacokin. Biopharm. 15 (1987) 657-680.
    """
    low, high = margin.ends()
    return _test(sample, low, high, alpha, both=True)


def non_inferiority(sample: MeanInterval, margin: Margin, *, alpha: float = 0.05) -> MarginTest:
    """One-sided t test: is the mean map score above ½ less `margin`?"""
    low, high = margin.ends()
    return _test(sample, low, high, alpha, both=False)


def _test(sample: MeanInterval, low: float, high: float, alpha: float, *, both: bool) -> MarginTest:
    check_open_unit("alpha", alpha)
    if alpha >= 0.5:
        raise StatsInputError(f"alpha is {alpha!r}; allowed is a number above 0 and below 0.5")
    if sample.mean is None or sample.se is None or sample.method is not IntervalMethod.STUDENT_T:
        return MarginTest(MarginOutcome.NO_DATA, 1.0, 1.0, 0.0, 1.0, low, high, alpha)
    return _from_moments(sample.mean, sample.se, sample.n - 1, low, high, alpha, both=both)


def _from_moments(
    mean: float, se: float, dof: float, low: float, high: float, alpha: float, *, both: bool
) -> MarginTest:
    p_low = t_sf((mean - low) / se, dof)
    p_high = t_cdf((mean - high) / se, dof) if both else 1.0
    half = t_quantile(1.0 - alpha, dof) * se
    shown = p_low <= alpha and (p_high <= alpha or not both)
    return MarginTest(
        outcome=MarginOutcome.SHOWN if shown else MarginOutcome.NOT_SHOWN,
        p_low=p_low,
        p_high=p_high,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        margin_low=low,
        margin_high=high,
        alpha=alpha,
    )


def difference_within(
    difference: float, se: float, dof: float, margin_score: float, *, alpha: float = 0.05
) -> MarginTest:
    """TOST for a difference of two mean scores, such as `paired.PairedDifference` gives; the margin is in score."""
    check_positive("se", se)
    check_positive("dof", dof)
    check_positive("margin_score", margin_score)
    check_unit("difference", abs(difference))
    result = _from_moments(difference, se, dof, -margin_score, margin_score, alpha, both=True)
    half = t_quantile(1.0 - alpha, dof) * se
    return MarginTest(
        result.outcome,
        result.p_low,
        result.p_high,
        difference - half,
        difference + half,
        -margin_score,
        margin_score,
        alpha,
    )

"""The scale of ratings: 400 points are odds of ten to one, an average bot has 1500.

Must hold conversions only.
"""

import math

ELO_PER_LOGIT = 400.0 / math.log(10.0)
"""173.72 Elo points per unit of log odds."""

MEAN_RATING = 1500.0


def expected_score(elo_gap: float) -> float:
    """Expected score of the side that is `elo_gap` points stronger: 1 / (1 + 10^(−gap/400))."""
    if elo_gap >= 0.0:
        return 1.0 / (1.0 + math.exp(-elo_gap / ELO_PER_LOGIT))
    odds = math.exp(elo_gap / ELO_PER_LOGIT)
    return odds / (1.0 + odds)


def bayeselo_scale(drawelo: float) -> float:
    """Factor by which BayesElo shrinks the ratings that it prints, 4x/(1+x)² with x = 10^(−drawelo/400).

    It gives a small gap the same expected score as the Elo formula would. Our ratings are never shrunk.
    Source: BayesElo 0057, `CEloRatingCUI.cpp`.
    """
    x: float = 10.0 ** (-drawelo / 400.0)
    return 4.0 * x / (1.0 + x) ** 2

"""The scale of ratings: 400 points are odds of ten to one, an average bot has 1500.

Must hold conversions only.
"""

from harness.stats.elo import ELO_PER_LOGIT

__all__ = ["ELO_PER_LOGIT", "MEAN_RATING", "bayeselo_scale"]

MEAN_RATING = 1500.0


def bayeselo_scale(drawelo: float) -> float:
    """Factor by which BayesElo shrinks the ratings that it prints, 4x/(1+x)² with x = 10^(−drawelo/400).

    It gives a small gap the same expected score as the Elo formula would. Our ratings are never shrunk.
    Source: BayesElo 0057, `CEloRatingCUI.cpp`.
    """
    x: float = 10.0 ** (-drawelo / 400.0)
    return 4.0 * x / (1.0 + x) ** 2

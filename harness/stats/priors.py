"""What a rating fit may assume before the first game: five priors, always named beside the ratings.

A prior either adds imaginary results between bots that met (`pair_results`) or pulls every bot towards the average
(`pull`). Only the second makes a pool that never met comparable. Must not fit anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from harness.stats.arguments import check_positive
from harness.stats.draw_models import log_logistic, logistic
from harness.stats.pair_counts import FloatArray, IntArray, PairCounts, sum_by


@dataclass(frozen=True, slots=True)
class NoPrior:
    """Plain maximum likelihood. A perfect score then has no finite rating, which is reported as a state."""


@dataclass(frozen=True, slots=True)
class AverageDraws:
    """Imaginary draws of every bot against an average bot (the mean of the anchors, if there are any)."""

    draws: float = 1.0

    def __post_init__(self) -> None:
        check_positive("draws", self.draws)


@dataclass(frozen=True, slots=True)
class PairPoints:
    """So many imaginary points each way for every pair that met, with no seat."""

    points: float = 0.5

    def __post_init__(self) -> None:
        check_positive("points", self.points)


@dataclass(frozen=True, slots=True)
class SpreadDraws:
    """BayesElo's prior: imaginary draws a bot, spread over its opponents and both seats by the games it played.

    A pair with n games, of N_i and N_j games of its bots in all, gets draws/4·(n/N_i + n/N_j) in each seating.
    Source: BayesElo 0057, `CCondensedResults::AddPrior`.
    """

    draws: float = 2.0

    def __post_init__(self) -> None:
        check_positive("draws", self.draws)


@dataclass(frozen=True, slots=True)
class GammaStrength:
    """A gamma prior of shape α·n on each strength e^θ, n the number of bots, the strengths having mean 1.

    Its maximum is the fixed point of choix's `ilsr` with `alpha` added to every rate of its Markov chain.
    Source: Caron and Doucet, JCGS 21 (2012) 174-196; the identity with choix is derived in docs/statistics-ratings.md.
    """

    alpha: float

    def __post_init__(self) -> None:
        check_positive("alpha", self.alpha)


Prior: TypeAlias = NoPrior | AverageDraws | PairPoints | SpreadDraws | GammaStrength


@dataclass(frozen=True, slots=True, eq=False)
class PairResults:
    """Imaginary results between pairs: `seat` is 1 where `first` sits first, 0 where no seat is meant."""

    first: IntArray
    second: IntArray
    seat: FloatArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray


@dataclass(slots=True, eq=False)
class Pull:
    """A penalty on each bot's logit: its value (summed), slope and negative curvature, elementwise."""

    value: float
    slope: FloatArray
    curvature: FloatArray


def is_shift_invariant(prior: Prior) -> bool:
    """Whether adding a constant to all ratings leaves the prior as it is, so that their mean has to be set."""
    return not isinstance(prior, AverageDraws | GammaStrength)


def describe_prior(prior: Prior) -> str:
    """The prior in words, for the line beside the ratings."""
    if isinstance(prior, NoPrior):
        return "none (maximum likelihood)"
    if isinstance(prior, AverageDraws):
        return f"{prior.draws:g} imaginary draw{'' if prior.draws == 1.0 else 's'} a bot against an average bot"
    if isinstance(prior, PairPoints):
        return f"{prior.points:g} imaginary points each way for every pair that met"
    if isinstance(prior, SpreadDraws):
        return f"{prior.draws:g} imaginary draws a bot, spread over its opponents"
    return f"gamma of shape {prior.alpha:g} times the number of bots on each strength"


def pull(prior: Prior, theta: FloatArray, centre: float) -> Pull | None:
    """The penalty of a prior that acts on each bot alone, at logits `theta` (bots, or bots by resamples)."""
    if isinstance(prior, AverageDraws):
        lead = theta - centre
        p = logistic(lead)
        value = 0.5 * prior.draws * float(np.sum(log_logistic(lead) + log_logistic(-lead)))
        return Pull(value, prior.draws * (0.5 - p), prior.draws * p * (1.0 - p))
    if isinstance(prior, GammaStrength):
        shape = prior.alpha * theta.shape[0]
        strength = np.exp(theta - centre)
        return Pull(shape * float(np.sum(theta - centre - strength)), shape * (1.0 - strength), shape * strength)
    return None


def pair_results(prior: Prior, counts: PairCounts) -> PairResults | None:
    """The imaginary results of a prior that acts on pairs."""
    if not isinstance(prior, PairPoints | SpreadDraws):
        return None
    n = counts.n_bots
    low, high = np.minimum(counts.first, counts.second), np.maximum(counts.first, counts.second)
    pairs, position = np.unique(low * n + high, return_inverse=True)
    games = sum_by(position, counts.games, pairs.size)
    pairs, games = pairs[games > 0.0], games[games > 0.0]
    first, second = pairs // n, pairs % n
    if isinstance(prior, PairPoints):
        points = np.full(pairs.size, prior.points)
        nothing = np.zeros(pairs.size)
        return PairResults(first, second, nothing, points, nothing, points)
    total = sum_by(first, games, n) + sum_by(second, games, n)
    drawn = 0.25 * prior.draws * (games / total[first] + games / total[second])
    nothing = np.zeros(2 * pairs.size)
    return PairResults(
        np.concatenate([first, second]),
        np.concatenate([second, first]),
        np.ones(2 * pairs.size),
        nothing,
        np.concatenate([drawn, drawn]),
        nothing,
    )

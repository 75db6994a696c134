"""Statements about all bots at once: simultaneous intervals of all differences, and the ranks that a bot could have.

The critical value is the quantile of max |t| over all pairs under the fit's own covariance, by seeded simulation, so it
uses the correlations that Bonferroni ignores. A bot's rank then runs from 1 + (bots surely above it) to n − (bots
surely below it), all ranks together holding with the stated confidence.
Must not be used with a single pair in mind: `RatingErrors.difference` is narrower there.
Source: Al Mohamad, Goeman and van Zwet, Simultaneous confidence intervals for ranks, Biometrics 78 (2022) 238-247.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness.stats.arguments import check_open_unit
from harness.stats.distributions import normal_quantile, t_quantile
from harness.stats.pair_counts import BoolArray, FloatArray
from harness.stats.rating_scale import ELO_PER_LOGIT

if TYPE_CHECKING:
    from harness.stats.rating_errors import RatingErrors

_MOST_DRAWS = 20_000
_FEWEST_DRAWS = 1_000
_WORK = 60_000_000
"""Differences simulated at most, under a second; large pools get fewer draws."""

_SIMULATED_BOTS = 300
"""Above, Bonferroni: with 45,000 pairs it is a few percent wider than the simulation and takes no time."""

_CHUNK = 500_000


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The ranks that a bot could have, 1 the best; `best` is 1 and `worst` n if nothing is known."""

    best: int
    worst: int


@dataclass(frozen=True, slots=True, eq=False)
class SimultaneousDifferences:
    """All differences at once: row minus column in Elo with its half width; `known` where there is one.

    With probability `confidence` every interval holds at the same time. `critical` is the quantile of max |t|.
    """

    confidence: float
    critical: float | None
    elo: FloatArray
    half_width: FloatArray
    known: BoolArray

    def surely_better(self) -> BoolArray:
        """Whether the row's bot is better than the column's, all such statements holding together."""
        return self.known & (self.elo - self.half_width > 0.0)

    def rank_intervals(self) -> tuple[RankInterval, ...]:
        """Ranks that each bot could have among all bots of the fit."""
        better = self.surely_better()
        n = better.shape[0]
        above, below = better.sum(axis=0), better.sum(axis=1)
        return tuple(RankInterval(1 + int(above[i]), n - int(below[i])) for i in range(n))


def simultaneous_differences(errors: RatingErrors, *, confidence: float = 0.95, seed: int) -> SimultaneousDifferences:
    """Intervals of all differences that hold together. Without errors nothing is known and ranks run from 1 to n."""
    check_open_unit("confidence", confidence)
    fit = errors.fit
    variance, known = errors.pair_variance()
    elo = ELO_PER_LOGIT * np.where(known, fit.theta[:, None] - fit.theta[None, :], 0.0)
    if errors.covariance is None or not known.any():
        nothing = np.zeros_like(elo)
        return SimultaneousDifferences(confidence, None, nothing, nothing, np.zeros_like(known))
    n = len(fit.names)
    critical = max_t_quantile(errors.covariance[:n, :n], variance, known, errors.dof, confidence, seed)
    half = ELO_PER_LOGIT * critical * np.sqrt(np.where(known, variance, 0.0))
    return SimultaneousDifferences(confidence, critical, elo, half, known)


def max_t_quantile(
    covariance: FloatArray, variance: FloatArray, known: BoolArray, dof: float, confidence: float, seed: int
) -> float:
    """Quantile of max |θ_i − θ_j| / se_ij over the known pairs: θ normal with `covariance`, errors χ² with `dof`."""
    n = covariance.shape[0]
    first, second = np.nonzero(np.triu(known, 1))
    if n > _SIMULATED_BOTS:
        tail = 1.0 - 0.5 * (1.0 - confidence) / first.size
        return normal_quantile(tail) if math.isinf(dof) else t_quantile(tail, dof)
    values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T))
    kept = values > 1e-12 * max(float(values[-1]), 0.0)
    root = vectors[:, kept] * np.sqrt(values[kept])
    inverse_se = 1.0 / np.sqrt(variance[first, second])
    n_draws = int(min(_MOST_DRAWS, max(_FEWEST_DRAWS, _WORK // max(1, first.size))))
    rng = np.random.default_rng(seed)
    largest = np.empty(n_draws)
    step = max(1, _CHUNK // max(n, first.size))
    for begin in range(0, n_draws, step):
        size = min(step, n_draws - begin)
        theta = root @ rng.standard_normal((root.shape[1], size))
        gaps = theta[first]
        gaps -= theta[second]
        np.abs(gaps, out=gaps)
        gaps *= inverse_se[:, None]
        largest[begin : begin + size] = gaps.max(axis=0)
    if not math.isinf(dof):
        largest /= np.sqrt(rng.chisquare(dof, n_draws) / dof)
    return float(np.quantile(largest, confidence))

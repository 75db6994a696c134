"""Alpha-rank: how often a population that copies success is found playing each bot, in the long run.

One population of `m` individuals, symmetric game, payoff A[i, j] of i against j; at times a single mutant appears and
takes over or dies out with its fixation probability under Fermi selection of strength `alpha`. The chain over
monomorphic populations has one stationary distribution. Computed in logarithms, so any alpha and m are fine.
Must not be read as a rating: it says who is reached, not by how much.
Source: Omidshafiei et al., α-Rank: multi-agent evaluation by evolution, Scientific Reports 9 (2019) 9937; OpenSpiel.
"""

from __future__ import annotations

import numpy as np

from harness.stats.arguments import StatsInputError, check_count, check_positive
from harness.stats.pair_counts import FloatArray


def alpha_rank(
    payoff: FloatArray, *, population: int = 50, alpha: float = 1.0, local_selection: bool = True
) -> FloatArray:
    """Stationary distribution over the bots. Raises StatsInputError for a table or parameter that makes no sense.

    With local selection an individual compares itself with one opponent (fitness A[r, s] against A[s, r]); otherwise
    with its mean payoff in the mixed population of r and s.
    """
    a = np.asarray(payoff, dtype=np.float64)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not a.shape[0]:
        raise StatsInputError(f"the payoff table has shape {a.shape}; a square one is needed")
    if not np.isfinite(a).all():
        raise StatsInputError("the payoff table has an entry that is not finite")
    check_count("population", population, minimum=2)
    check_positive("alpha", alpha)
    n = a.shape[0]
    if n == 1:
        return np.ones(1)
    fixation = (_log_fixation_local if local_selection else _log_fixation_global)(a, population, alpha)
    return _stationary(fixation - np.log(n - 1.0))


def _log_fixation_local(a: FloatArray, m: int, alpha: float) -> FloatArray:
    """ln ρ[s, r] that a mutant r takes over residents s: (1 − e^−u) / (1 − e^−mu), u = α(A[r, s] − A[s, r])."""
    u = alpha * (a.T - a)
    size: FloatArray = np.abs(u)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Both signs from |u|: for u < 0 the ratio is e^−(m−1)|u| times that for |u|.
        up = np.log(-np.expm1(-size)) - np.log(-np.expm1(-m * size))
    up = np.where(size < 1e-12, -np.log(m), up)
    ratio: FloatArray = np.where(u < 0.0, up - (m - 1.0) * size, up)
    return ratio


def _log_fixation_global(a: FloatArray, m: int, alpha: float) -> FloatArray:
    """ln ρ[s, r] with fitness the mean payoff among p mutants r and m − p residents s.

    ρ = 1 / (1 + Σ_l Π_p≤l e^−α(f_r − f_s)).
    """
    own = np.diagonal(a)
    p = np.arange(1, m, dtype=np.float64)
    n = a.shape[0]
    out = np.empty((n, n))
    for s in range(n):
        r_self, r_other = own[:, None], a[:, s][:, None]
        s_mutant, s_self = a[s, :][:, None], own[s]
        fit_r = ((p - 1.0) * r_self + (m - p) * r_other) / (m - 1.0)
        fit_s = (p * s_mutant + (m - p - 1.0) * s_self) / (m - 1.0)
        steps = np.cumsum(-alpha * (fit_r - fit_s), axis=1)
        out[s] = -np.logaddexp.reduce(np.concatenate([np.zeros((n, 1)), steps], axis=1), axis=1)
    return out


def _stationary(log_rate: FloatArray) -> FloatArray:
    """Stationary distribution of the chain with these log transition rates off the diagonal.

    Grassmann, Taksar and Heyman's elimination (Operations Research 33 (1985) 1107-1116) has no subtraction, so it can
    run in logarithms and keeps all digits of states that are next to never visited.
    """
    rate = log_rate.copy()
    n = rate.shape[0]
    np.fill_diagonal(rate, -np.inf)
    for k in range(n - 1, 0, -1):
        leave = np.logaddexp.reduce(rate[k, :k])
        rate[:k, k] -= leave
        rate[:k, :k] = np.logaddexp(rate[:k, :k], rate[:k, k, None] + rate[None, k, :k])
    share = np.zeros(n)
    for k in range(1, n):
        share[k] = np.logaddexp.reduce(share[:k] + rate[:k, k])
    share -= share.max()
    weight = np.exp(share)
    shares: FloatArray = weight / weight.sum()
    return shares

"""Nash averaging: strength against the best mixture of the pool, unmoved by copies of a bot.

For an antisymmetric table A (row's expected gain over column) the symmetric equilibria p (A p <= 0, p a distribution)
form a convex set; the one of greatest entropy is unique, and A p is each bot's skill: 0 for those in it, 0 or below for
others. Must not read noise as strength: A is taken as exact.
Source: Balduzzi, Tuyls, Perolat and Graepel, Re-evaluating evaluation, NeurIPS 2018.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from harness.stats.arguments import StatsInputError
from harness.stats.pair_counts import BoolArray, FloatArray, IntArray

_BARRIERS = tuple(10.0**-k for k in range(1, 15))
_NEWTON_STEPS = 60


@dataclass(frozen=True, slots=True, eq=False)
class NashAverage:
    """`mixture` is the maximum-entropy equilibrium, `skill` is A times it (at most 0 up to rounding)."""

    mixture: FloatArray
    skill: FloatArray


def nash_average(advantage: FloatArray) -> NashAverage:
    """Maximum-entropy equilibrium of an antisymmetric table. Raises StatsInputError if it is none.

    Steps: a linear program finds a strictly complementary equilibrium (Goldman and Tucker 1956), so exactly the bots
    that some equilibrium uses have weight; among mixtures of those, Newton with a shrinking barrier on the remaining
    inequalities climbs to the greatest entropy.
    """
    a = np.asarray(advantage, dtype=np.float64)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not a.shape[0]:
        raise StatsInputError(f"the table has shape {a.shape}; a square one is needed")
    if not np.isfinite(a).all():
        raise StatsInputError("the table has an entry that is not finite")
    if not np.allclose(a, -a.T, rtol=1e-9, atol=1e-12):
        raise StatsInputError("the table is not antisymmetric: row over column is minus column over row")
    scale = float(np.abs(a).max())
    n = a.shape[0]
    if scale == 0.0:
        return NashAverage(np.full(n, 1.0 / n), np.zeros(n))
    scaled = (a - a.T) / (2.0 * scale)
    weight, slack = _strictly_complementary(scaled)
    support = np.flatnonzero(weight >= slack)
    mixture = np.zeros(n)
    mixture[support] = _most_even(scaled, support, weight[support], slack > weight)
    return NashAverage(mixture, a @ mixture)


def _strictly_complementary(a: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(p, −A p) of a cone point with p_i + (−A p)_i >= 1 for each i, which exists; in it one of the two is 0."""
    n = a.shape[0]
    # Variables p and t; A p <= 0, t <= p − A p, 0 <= t <= 1; the greatest sum of t is n.
    above = np.block([[a, np.zeros((n, n))], [a - np.eye(n), np.eye(n)]])
    found = linprog(
        np.concatenate([np.zeros(n), -np.ones(n)]),
        A_ub=above,
        b_ub=np.zeros(2 * n),
        bounds=[(0.0, np.inf)] * n + [(0.0, 1.0)] * n,
        method="highs-ds",
    )
    assert found.x is not None, found.message  # such a point exists for every antisymmetric table
    p = np.asarray(found.x[:n], dtype=np.float64)
    slack: FloatArray = -(a @ p)
    return p, slack


def _most_even(a: FloatArray, support: IntArray, start: FloatArray, outside: BoolArray) -> FloatArray:
    """Greatest entropy among equilibria on `support`, from an interior start; weights sum to 1."""
    p: FloatArray = start / start.sum()
    if support.size == 1:
        return p
    inside = a[np.ix_(support, support)]
    below = -a[np.ix_(np.flatnonzero(outside), support)]
    # Mixtures on the support with A p = 0 there: p + null space of the rows (A_SS, 1).
    _, values, vectors = np.linalg.svd(np.vstack([inside, np.ones(support.size)]))
    rank = int(np.sum(values > 1e-9 * values[0]))
    free = vectors[rank:].T
    if free.shape[1] == 0:
        return p
    for barrier in _BARRIERS if below.size else (0.0,):
        p = _climb(p, free, below, barrier)
    scaled: FloatArray = p / p.sum()
    return scaled


def _climb(p: FloatArray, free: FloatArray, below: FloatArray, barrier: float) -> FloatArray:
    """Newton on −Σ p ln p + barrier·Σ ln(slack) along the free directions, staying inside."""
    for _ in range(_NEWTON_STEPS):
        slack = below @ p
        slope = free.T @ (-np.log(p) - 1.0 + barrier * (below.T @ (1.0 / slack)))
        bent = free / p[:, None]
        pressed = (below @ free) / slack[:, None]
        curvature = free.T @ bent + barrier * (pressed.T @ pressed)
        move = free @ np.linalg.solve(curvature, slope)
        shrinking = np.concatenate([-move / p, -(below @ move) / slack])
        share = min(1.0, 0.95 / max(float(shrinking.max(initial=0.0)), 1e-300))
        p = p + share * move
        if float(np.abs(move).max()) < 1e-13:
            break
    return p

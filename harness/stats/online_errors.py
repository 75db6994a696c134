"""Error rates across many candidates that come one after another.

A nightly gate that tests at 5 % promotes an equal bot every twenty nights. Here each test gets its own level,
fixed before its data are seen, so that the whole series keeps one rate. Give them in the order in which they
were tested; the state is the list of past decisions, so that it can be rebuilt from the records. Must not
import numpy.

`spending_level` bounds the probability of any false promotion; LORD and SAFFRON bound the expected share of
false ones among the promotions (FDR), and get levels back with each promotion. Sources: A. Ramdas et al.,
NIPS 2017 (LORD++); A. Ramdas et al., ICML 2018 (SAFFRON).
"""

import math
from collections.abc import Sequence
from functools import lru_cache

from harness.stats.arguments import StatsInputError, check_count, check_open_unit, check_unit

_LORD_SCALE = 0.07720838
"""Javanmard and Montanari (2018), equation 31, as the R package onlineFDR has it."""


def spending_level(candidate: int, alpha: float = 0.05) -> float:
    """Level 6·α/(π²·k²) of the k-th candidate (from 1). All levels sum to `alpha`: Bonferroni without an end."""
    check_count("candidate", candidate, minimum=1)
    check_open_unit("alpha", alpha)
    return 6.0 * alpha / (math.pi * candidate) ** 2


@lru_cache(maxsize=8)
def _zeta(exponent: float) -> float:
    """ζ(exponent) by Euler and Maclaurin."""
    n = 1000.0
    head = math.fsum(math.pow(k, -exponent) for k in range(1, 1000))
    rest = n / (exponent - 1.0) + 0.5 + exponent / (12.0 * n)
    return head + math.pow(n, -exponent) * rest


def lord_weights(count: int) -> list[float]:
    """The first `count` weights γ_k = 0.07720838·ln(max(k, 2))/(k·e^√ln k) of LORD++.

    The scale is the published one, with which the whole series sums to 0.976: a little on the safe side of 1.
    """
    return [_LORD_SCALE * math.log(max(k, 2)) / (k * math.exp(math.sqrt(math.log(k)))) for k in range(1, count + 1)]


def saffron_weights(count: int, exponent: float = 1.6) -> list[float]:
    """The first `count` weights k^(−exponent)/ζ(exponent) of SAFFRON."""
    total = _zeta(exponent)
    return [math.pow(k, -exponent) / total for k in range(1, count + 1)]


def lord_level(promoted: Sequence[bool], alpha: float = 0.05, *, start: float | None = None) -> float:
    """LORD++ level of the next candidate after the decisions `promoted`, oldest first.

    γ_t·w0 + (α − w0)·γ_(t − τ1) + α·Σ_(j ≥ 2) γ_(t − τj), τj the time of the j-th promotion; w0 = `start` is
    α/2 unless given.
    """
    check_open_unit("alpha", alpha)
    w0 = 0.5 * alpha if start is None else start
    if not 0.0 < w0 < alpha:
        raise StatsInputError(f"start is {w0!r}; allowed is a number above 0 and below alpha {alpha!r}")
    now = len(promoted) + 1
    weights = lord_weights(now)
    times = [index + 1 for index, yes in enumerate(promoted) if yes]
    level = weights[now - 1] * w0
    for order, time in enumerate(times):
        level += weights[now - time - 1] * (alpha - w0 if order == 0 else alpha)
    return level


def saffron_level(
    p_values: Sequence[float],
    alpha: float = 0.05,
    *,
    candidate_below: float = 0.5,
    start: float | None = None,
) -> float:
    """SAFFRON level of the next candidate after tests with these p-values, oldest first.

    A p-value at or below λ = `candidate_below` costs nothing, since it shows that a test was worth its level;
    with many good candidates SAFFRON promotes more than LORD. A test is a promotion if its p-value is at or
    below its own level, which is found again here. W0 = `start` is α·(1 − λ)/2 unless given, and at most α·(1
    − λ).
    """
    check_open_unit("alpha", alpha)
    check_open_unit("candidate_below", candidate_below)
    budget = (1.0 - candidate_below) * alpha
    w0 = 0.5 * budget if start is None else start
    if not 0.0 < w0 < budget:
        raise StatsInputError(f"start is {w0!r}; allowed is a number above 0 and below (1 − λ)·alpha = {budget!r}")
    weights = saffron_weights(len(p_values) + 1)
    candidates_before = [0]
    promotions: list[int] = []
    level = 0.0
    for now in range(1, len(p_values) + 2):
        seen = candidates_before[now - 1]
        level = w0 * weights[now - seen - 1]
        for order, time in enumerate(promotions):
            since = candidates_before[now - 1] - candidates_before[time]
            level += weights[now - time - since - 1] * (budget - w0 if order == 0 else budget)
        level = min(candidate_below, level)
        if now <= len(p_values):
            p = check_unit(f"p_values[{now - 1}]", p_values[now - 1])
            candidates_before.append(seen + (p <= candidate_below))
            if p <= level:
                promotions.append(now)
    return level

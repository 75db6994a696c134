"""A few planned looks at a test of fixed size, with limits that keep the error rate over all of them.

z at a look is the running difference over its standard error; between looks it moves by a normal amount that
grows with the share of the maps played. Imports numpy and scipy, so that no module on the light path may
import this one at its top.

Sources: C. Jennison and B. Turnbull, Group Sequential Methods, 2000, chapters 2, 7, 19; P. Armitage et al.
1969 for the recursion; K. Lan and D. DeMets 1983 for spending.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from harness.stats.arguments import StatsInputError, check_count, check_open_unit
from harness.stats.distributions import normal_quantile, normal_sf
from harness.stats.solve import find_root

_PER_DEVIATION = 40
"""Grid points per standard deviation of the score; Simpson's rule on them is right to 1e-9."""


class Shape(StrEnum):
    """How a limit changes from look to look."""

    POCOCK = "Pocock"  # the same z at every look: stops early, pays at the end
    OBRIEN_FLEMING = "O'Brien-Fleming"  # very strict early, nearly the usual z at the end


@dataclass(frozen=True, slots=True)
class LookPlan:
    """Limits on |z| (two-sided) or z (one-sided) at each look, with the share of maps played there.

    `spent` is the error spent up to each look if there is no difference; the last is the whole `alpha`.
    """

    shares: tuple[float, ...]
    z_limits: tuple[float, ...]
    spent: tuple[float, ...]
    alpha: float
    two_sided: bool


def _check_shares(shares: Sequence[float]) -> None:
    if not shares or shares[0] <= 0.0 or any(a >= b for a, b in pairwise(shares)):
        raise StatsInputError(f"shares is {tuple(shares)!r}; allowed are rising numbers above 0, the last one 1")
    if abs(shares[-1] - 1.0) > 1e-12:
        raise StatsInputError(f"the last of shares is {shares[-1]!r}; the last look has all maps: 1")


def equal_looks(n_looks: int) -> tuple[float, ...]:
    """Shares of `n_looks` looks after equal numbers of maps."""
    check_count("n_looks", n_looks, minimum=1)
    return tuple((look + 1) / n_looks for look in range(n_looks))


def _simpson(low: float, high: float, step: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights of Simpson's rule on [low, high]."""
    intervals = max(2, 2 * math.ceil((high - low) / step / 2))
    points = np.linspace(low, high, intervals + 1)
    weights = np.full(intervals + 1, 2.0)
    weights[1::2] = 4.0
    weights[0] = weights[-1] = 1.0
    return points, weights * (high - low) / intervals / 3.0


class _Walk:
    """Law of the score B = z·√share among paths that no look has stopped, carried from look to look."""

    def __init__(self, *, two_sided: bool, drift: float) -> None:
        self._two_sided = two_sided
        self._drift = drift
        self._share = 0.0
        self._points = np.zeros(1)
        self._mass = np.ones(1)

    def beyond(self, share: float, z: float) -> tuple[float, float]:
        """Probabilities of a first passage at this look: above +z and, if two-sided, below −z."""
        sd = math.sqrt(share - self._share)
        moved = self._points + self._drift * (share - self._share)
        limit = z * math.sqrt(share)
        above = float(ndtr((moved - limit) / sd) @ self._mass)
        return above, float(ndtr((-limit - moved) / sd) @ self._mass) if self._two_sided else 0.0

    def go_on(self, share: float, z: float) -> None:
        """Keep the paths between the limits of this look."""
        sd = math.sqrt(share - self._share)
        moved = self._points + self._drift * (share - self._share)
        limit = z * math.sqrt(share)
        floor = -limit if self._two_sided else min(-9.0 * math.sqrt(share) + self._drift * share, limit - sd)
        points, weights = _simpson(floor, limit, sd / _PER_DEVIATION)
        density = np.zeros(points.size)
        for start in range(0, points.size, 512):
            part = points[start : start + 512, None]
            density[start : start + 512] = np.exp(-0.5 * ((part - moved) / sd) ** 2) @ self._mass
        self._mass = density * weights / (sd * math.sqrt(2.0 * math.pi))
        self._points, self._share = points, share


def crossing_probabilities(
    shares: Sequence[float], z_limits: Sequence[float], *, two_sided: bool = True, drift: float = 0.0
) -> tuple[tuple[float, float], ...]:
    """(above, below) first-crossing probabilities at each look. `drift` is the expected z with all maps."""
    _check_shares(shares)
    if len(shares) != len(z_limits):
        raise StatsInputError(f"shares has {len(shares)} looks and z_limits {len(z_limits)}; they must agree")
    walk = _Walk(two_sided=two_sided, drift=drift)
    result = []
    for share, z in zip(shares, z_limits, strict=True):
        result.append(walk.beyond(share, z))
        walk.go_on(share, z)
    return tuple(result)


def size_of(shares: Sequence[float], z_limits: Sequence[float], *, two_sided: bool = True) -> float:
    """Probability of crossing any limit when there is no difference. 0.083 for 1.96 at both of two looks."""
    return math.fsum(up + down for up, down in crossing_probabilities(shares, z_limits, two_sided=two_sided))


def power_of(plan: LookPlan, expected_z: float) -> float:
    """Probability of crossing an upper limit when the expected z with all maps is `expected_z`."""
    crossed = crossing_probabilities(plan.shares, plan.z_limits, two_sided=plan.two_sided, drift=expected_z)
    return math.fsum(up for up, _ in crossed)


def plan_looks(shares: Sequence[float], shape: Shape, *, alpha: float = 0.05, two_sided: bool = True) -> LookPlan:
    """Limits of a classic shape, z = C for Pocock and C/√share for O'Brien-Fleming, with the whole error at
    `alpha`.

    With equal looks C is the tabled constant (2.178 and 1.977 for two looks at 5 %, two-sided).
    """
    check_open_unit("alpha", alpha)
    _check_shares(shares)

    def limits(constant: float) -> tuple[float, ...]:
        if shape is Shape.POCOCK:
            return tuple(constant for _ in shares)
        return tuple(constant / math.sqrt(share) for share in shares)

    usual = -normal_quantile(alpha / 2.0 if two_sided else alpha)
    constant = find_root(
        lambda value: size_of(shares, limits(value), two_sided=two_sided) - alpha,
        usual * (1.0 - 1e-6),
        usual + 0.4 * math.sqrt(len(shares)) + 0.5,
        absolute=1e-10,
    )
    return _with_spent(shares, limits(constant), alpha, two_sided=two_sided)


def plan_looks_by_spending(
    shares: Sequence[float], shape: Shape, *, alpha: float = 0.05, two_sided: bool = True
) -> LookPlan:
    """Limits by Lan and DeMets' spending functions, for looks that are not at equal numbers of maps.

    Each look's limit depends only on the looks before it, so that later ones may be moved.
    """
    check_open_unit("alpha", alpha)
    _check_shares(shares)
    spend = _spending(shape, alpha, two_sided=two_sided)
    walk = _Walk(two_sided=two_sided, drift=0.0)
    z_limits: list[float] = []
    used = 0.0
    for share in shares:
        z = _limit_for(walk, share, spend(share) - used)
        z_limits.append(z)
        walk.go_on(share, z)
        used = spend(share)
    return _with_spent(shares, z_limits, alpha, two_sided=two_sided)


def _limit_for(walk: _Walk, share: float, error: float) -> float:
    return find_root(lambda value: sum(walk.beyond(share, value)) - error, 0.0, 30.0, absolute=1e-12)


def _spending(shape: Shape, alpha: float, *, two_sided: bool) -> Callable[[float], float]:
    if shape is Shape.POCOCK:
        return lambda share: alpha * math.log(1.0 + (math.e - 1.0) * share)
    sides = 2.0 if two_sided else 1.0
    z = -normal_quantile(alpha / (2.0 * sides))
    return lambda share: 2.0 * sides * normal_sf(z / math.sqrt(share))


def _with_spent(shares: Sequence[float], z_limits: Sequence[float], alpha: float, *, two_sided: bool) -> LookPlan:
    total = 0.0
    spent = []
    for up, down in crossing_probabilities(shares, z_limits, two_sided=two_sided):
        total += up + down
        spent.append(total)
    return LookPlan(tuple(shares), tuple(z_limits), tuple(spent), alpha, two_sided)

"""Fitting a law to counted scores when its mean, or its mean in standard deviations, is fixed.

The numerical half of `gsprt`. Every fit is the counted shares divided by a linear tilt; the log of that
divisor is the log-likelihood lost. Must know nothing of Elo, and must not import numpy: it is called after
every map.

Sources: A. Owen, Empirical Likelihood, 2001; M. Van den Bergh, "MLE for multinomial distributions" (a mean) and
"Normalized Elo, practical", section 4.1 (a mean in deviations).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from harness.stats.arguments import StatsInputError

_CLOSE = 1e-10
"""Relative step at which Newton stops; the step after it is smaller than rounding."""

_FEW_APART = 20.0
"""With fewer maps than this off the commonest score the likelihood can have two maxima of nearly the same height."""

_NEAR = 8.0
"""Log-likelihood that a hypothesis may have lost for its law to be the only maximum; a test ends soon after."""

_SMALLEST_DEVIATION = 1e-6
"""What a million equal maps leave, with their empty cells at a thousandth, is ten times this."""

_LARGEST_DEVIATION = 0.5
"""No law on [0, 1] has a larger one."""

_SAME_AS_EVEN = 1e-12
"""A mean this few deviations from ½ is taken as ½."""

_SCAN = 40
"""Deviations tried by the search for every stationary point; the likelihood has one or two maxima."""


def solve_tilt(shares: Sequence[float], gaps: Sequence[float], start: float = 0.0) -> float:
    """The θ with Σ share·gap/(1 + θ·gap) = 0 and every 1 + θ·gap above 0; `gaps` has both signs.

    Newton on the left side times (1 + θ·max)(1 + θ·min), which has no poles, kept between the two poles.
    """
    top, bottom = max(gaps), min(gaps)
    if not bottom < 0.0 < top:
        raise StatsInputError(f"the hypothesised mean is not between the lowest and the highest score: {gaps!r}")
    low, high = -1.0 / top, -1.0 / bottom
    theta = start if low < start < high else 0.0
    for _ in range(200):
        value = slope = 0.0
        for share, gap in zip(shares, gaps, strict=True):
            inverse = gap / (1.0 + theta * gap)
            part = share * inverse
            value += part
            slope -= part * inverse
        if value > 0.0:
            low = theta
        elif value < 0.0:
            high = theta
        else:
            return theta
        u, v = 1.0 + theta * top, 1.0 + theta * bottom
        derivative = slope * u * v + value * (top * v + bottom * u)
        step = -value * u * v / derivative if derivative < 0.0 else 0.0
        new = theta + step
        if not low < new < high or step == 0.0:
            new = 0.5 * (low + high)
            step = new - theta
        theta = new
        if abs(step) <= _CLOSE * min(theta + 1.0 / top, -1.0 / bottom - theta):
            return theta
    return theta


@dataclass(frozen=True, slots=True)
class TValueFit:
    """A stationary point of the likelihood with (mean − ½)/sd = t: tilt, sd, and Σ share·ln(fitted/observed)."""

    theta: float
    sigma: float
    log_ratio: float


def _constraint(scores: Sequence[float], t: float, sigma: float) -> list[float]:
    """Gradient of (mean − ½) − t·sd at a law of mean ½ + t·σ and deviation σ, one value a score."""
    mean = 0.5 + t * sigma
    half = 0.5 * t
    return [a - 0.5 - half * (sigma + (a - mean) ** 2 / sigma) for a in scores]


def _log_ratio(shares: Sequence[float], theta: float, gaps: Sequence[float]) -> float:
    return -sum(share * math.log(1.0 + theta * gap) for share, gap in zip(shares, gaps, strict=True))


def _polish(scores: Sequence[float], shares: Sequence[float], t: float, theta: float, sigma: float) -> TValueFit | None:
    """Newton on the two equations that the tilt and the deviation satisfy; None if it leaves their domain.

    With h = a − ½ − tσ/2 − t(a − μ)²/(2σ), μ = ½ + tσ and g = (a − μ)² − σ², the fitted law share/(1 + θh) has
    Σ fitted·h = 0 and Σ fitted·g = 0.
    """
    for _ in range(30):
        mean = 0.5 + t * sigma
        half, over_sigma, square = 0.5 * t, 1.0 / sigma, sigma * sigma
        e1 = e2 = j11 = j12 = j21 = j22 = 0.0
        for share, a in zip(shares, scores, strict=True):
            d = a - mean
            q = d * d * over_sigma
            h = a - 0.5 - half * (sigma + q)
            z = 1.0 + theta * h
            if z <= 0.0:
                return None
            w = share / z
            h_sigma = half * (q * over_sigma - 1.0) + t * t * d * over_sigma
            g = d * d - square
            g_sigma = -2.0 * (t * d + sigma)
            e1 += w * h
            e2 += w * g
            wz = w / z
            j11 -= wz * h * h
            j12 += wz * h_sigma
            j21 -= wz * g * h
            j22 += w * g_sigma - wz * g * theta * h_sigma
        determinant = j11 * j22 - j12 * j21
        if determinant == 0.0:
            return None
        step_theta = (-e1 * j22 + e2 * j12) / determinant
        step_sigma = (-e2 * j11 + e1 * j21) / determinant
        scale = 1.0
        while sigma + scale * step_sigma <= 0.0:
            scale *= 0.5
        theta += scale * step_theta
        sigma += scale * step_sigma
        if not (abs(theta) < 1e12 and sigma < 2.0):
            return None
        if abs(step_sigma) <= _CLOSE * sigma and abs(step_theta) <= _CLOSE * (1.0 + abs(theta)):
            gaps = _constraint(scores, t, sigma)
            if min(1.0 + theta * gap for gap in gaps) <= 0.0:
                return None
            return TValueFit(theta, sigma, _log_ratio(shares, theta, gaps))
    return None


def _deviations(scores: Sequence[float], t: float) -> list[tuple[float, float]]:
    """The ranges of deviations in which the constraint has both signs, apart from each other, rising.

    It is positive at a score a where (a − ½)/σ, on the side of t's sign, is between |t| + 1/|t| ∓ √(1 + 1/t²).
    """
    top = abs(t) + 1.0 / abs(t) + math.sqrt(1.0 + 1.0 / (t * t))  # the lower end is (1 + t²)/top
    ranges: list[tuple[float, float]] = []
    for distance in sorted(abs(a - 0.5) for a in scores if (a - 0.5) * t > 0.0):
        low = max(_SMALLEST_DEVIATION, distance / top)
        high = min(_LARGEST_DEVIATION, distance * top / (1.0 + t * t))
        if ranges and low <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(high, ranges[-1][1]))
        elif low < high:
            ranges.append((low, high))
    return ranges


def _search(scores: Sequence[float], shares: Sequence[float], t: float) -> TValueFit:
    """The best stationary point, found without a starting value.

    For a given deviation the tilt is the root of a monotone equation; what is left is one equation in the
    deviation, whose sign changes along a grid are refined.
    """
    best: TValueFit | None = None
    for low, high in _deviations(scores, t):
        previous: tuple[float, float, float] | None = None
        theta = 0.0
        for index in range(_SCAN + 1):
            sigma = low * (high / low) ** (index / _SCAN)
            gaps = _constraint(scores, t, sigma)
            if not min(gaps) < 0.0 < max(gaps):
                previous = None
                continue
            theta = solve_tilt(shares, gaps, theta)
            here = (sigma, theta, _variance_left(scores, shares, t, sigma, theta, gaps))
            if previous is not None and (here[2] > 0.0) != (previous[2] > 0.0):
                fit = _bisect(scores, shares, t, previous, here)
                if fit is not None and (best is None or fit.log_ratio > best.log_ratio):
                    best = fit
            previous = here
    if best is None:
        raise StatsInputError(f"no law on the scores has (mean − ½)/sd = {t!r}; the bounds are too far apart")
    return best


def _variance_left(
    scores: Sequence[float],
    shares: Sequence[float],
    t: float,
    sigma: float,
    theta: float,
    gaps: Sequence[float],
) -> float:
    """Variance of the tilted law about ½ + tσ, less σ²: zero at a stationary point."""
    mean = 0.5 + t * sigma
    return sum(
        share * ((a - mean) ** 2 - sigma * sigma) / (1.0 + theta * gap)
        for share, a, gap in zip(shares, scores, gaps, strict=True)
    )


def _bisect(
    scores: Sequence[float],
    shares: Sequence[float],
    t: float,
    low: tuple[float, float, float],
    high: tuple[float, float, float],
) -> TValueFit | None:
    """Narrow a sign change until Newton takes over."""
    for _ in range(60):
        middle = 0.5 * (low[0] + high[0])
        fit = _polish(scores, shares, t, 0.5 * (low[1] + high[1]), middle)
        if fit is not None and low[0] <= fit.sigma <= high[0]:
            return fit
        gaps = _constraint(scores, t, middle)
        theta = solve_tilt(shares, gaps, low[1])
        rest = _variance_left(scores, shares, t, middle, theta, gaps)
        if (rest > 0.0) == (low[2] > 0.0):
            low = (middle, theta, rest)
        else:
            high = (middle, theta, rest)
    gaps = _constraint(scores, t, low[0])
    return TValueFit(low[1], low[0], _log_ratio(shares, low[1], gaps))


def fit_t_value(
    scores: Sequence[float],
    shares: Sequence[float],
    t: float,
    *,
    total: float = math.inf,
    warm: TValueFit | None = None,
) -> TValueFit:
    """The likeliest law on `scores` with (mean − ½)/sd = t, given the observed `shares` (all above 0) of
    `total` maps.

    `warm` is the fit of nearly the same shares, to start from. It is used only where the likelihood has one
    maximum: near the data, and with more than a few maps off the commonest score. Else every maximum is
    looked for.
    """
    if abs(t) < _SAME_AS_EVEN:
        gaps = [a - 0.5 for a in scores]
        theta = solve_tilt(shares, gaps, warm.theta if warm is not None else 0.0)
        return TValueFit(theta, 1.0, _log_ratio(shares, theta, gaps))
    if warm is not None and total * (1.0 - max(shares)) >= _FEW_APART:
        fit = _polish(scores, shares, t, warm.theta, warm.sigma)
        if fit is not None and -total * fit.log_ratio < _NEAR:
            return fit
    return _search(scores, shares, t)

"""Normal, Student t, chi-square, F, binomial and beta probabilities in plain `math`.

Every function agrees with scipy to better than 1e-10 (tests/stats/test_distributions.py). It is here so that
the light path (live view, report, `harness size`) needs no scipy, whose import costs half a second. Must not
import numpy or scipy.
"""

import math
from functools import lru_cache

from harness.stats.arguments import StatsInputError, check_count, check_open_unit, check_positive, check_unit
from harness.stats.solve import find_root

_SQRT_2 = math.sqrt(2.0)
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_TINY = 1e-300
_EPS = 1e-16
_MAX_TERMS = 1_000_000


def normal_pdf(z: float) -> float:
    """Density of the standard normal law."""
    return math.exp(-0.5 * z * z - _LOG_SQRT_2PI)


def normal_cdf(z: float) -> float:
    """P(Z <= z)."""
    return 0.5 * math.erfc(-z / _SQRT_2)


def normal_sf(z: float) -> float:
    """P(Z > z), without loss of digits for large z."""
    return 0.5 * math.erfc(z / _SQRT_2)


def normal_quantile(p: float) -> float:
    """The z with P(Z <= z) = p, 0 < p < 1. Start: Abramowitz and Stegun 26.2.23; then Halley steps on erfc."""
    check_open_unit("p", p)
    if p == 0.5:
        return 0.0
    if p > 0.5:
        return -normal_quantile(1.0 - p)
    t = math.sqrt(-2.0 * math.log(p))
    z = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))))
    for _ in range(3):
        density = normal_pdf(z)
        if density < _TINY:
            break
        error = (normal_cdf(z) - p) / density
        z -= error / (1.0 + 0.5 * z * error)
    return z


def two_sided_z(confidence: float) -> float:
    """The z whose interval mean ± z·se has the level `confidence`: 1.959964 for 0.95."""
    check_open_unit("confidence", confidence)
    return -normal_quantile(0.5 * (1.0 - confidence))


def _stirling_error(a: float) -> float:
    """ln Γ(a+1) minus Stirling's leading terms. Series from a = 16 on, so that no digits cancel for large a."""
    if a < 16.0:
        return math.lgamma(a + 1.0) - (a + 0.5) * math.log(a) + a - _LOG_SQRT_2PI
    r = 1.0 / (a * a)
    return (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * 691 / 360360))))) / a


def _deviance(x: float, m: float) -> float:
    """x·ln(x/m) + m − x, by a series near x = m.

    Source: C. Loader, Fast and accurate computation of binomial probabilities, 2000.
    """
    if abs(x - m) < 0.1 * (x + m):
        v = (x - m) / (x + m)
        total = (x - m) * v
        term = 2.0 * x * v
        for j in range(1, 1000):
            term *= v * v
            new = total + term / (2 * j + 1)
            if new == total:
                return total
            total = new
    return x * math.log(x / m) + m - x


def _beta_factor(a: float, b: float, x: float, y: float) -> float:
    """x^a·y^b / B(a, b) with y = 1 − x, in Loader's form, accurate for a and b of any size."""
    n = a + b
    log_value = (
        0.5 * math.log(a / n * b)
        - _LOG_SQRT_2PI
        + _stirling_error(n)
        - _stirling_error(a)
        - _stirling_error(b)
        - _deviance(a, n * x)
        - _deviance(b, n * y)
    )
    return math.exp(log_value)


def _beta_fraction(a: float, b: float, x: float, y: float) -> float:
    """The K with I_x(a, b) = x^a·y^b / B(a, b) · K, by Lentz's method on the contracted continued fraction.

    Its terms use y = 1 − x, so that no digits cancel where a is large and x is near 1.
    Source: A. R. DiDonato and A. H. Morris, ACM TOMS 18 (1992) 360-373, equation 9.
    """
    slope = (a + b) * y - b if a > b else a - (a + b) * x
    denominator = a / (a + 1.0) * (slope + 1.0)
    denominator = denominator if abs(denominator) > _TINY else _TINY
    c = denominator
    d = 0.0
    value = denominator
    for m in range(1, _MAX_TERMS):
        middle = a + 2 * m - 1.0
        top = (a + m - 1.0) / middle * ((a + b + m - 1.0) / middle) * m * (b - m) * x * x
        below = m + m * (b - m) * x / middle + (a + m) / (middle + 2.0) * (slope + 1.0 + m * (1.0 + y))
        d = below + top * d
        d = 1.0 / (d if abs(d) > _TINY else _TINY)
        c = below + top / c
        c = c if abs(c) > _TINY else _TINY
        value *= c * d
        if abs(c * d - 1.0) < 2.0 * _EPS:
            return 1.0 / value
    raise StatsInputError(f"incomplete beta did not converge for a={a!r}, b={b!r}, x={x!r}")  # pragma: no cover


def regularised_beta(a: float, b: float, x: float, y: float | None = None) -> float:
    """I_x(a, b), a and b above 0. Give y = 1 − x when it is known more exactly than by subtraction."""
    y = 1.0 - x if y is None else y
    if x <= 0.0:
        return 0.0
    if y <= 0.0:
        return 1.0
    factor = _beta_factor(a, b, x, y)
    if x < (a + 1.0) / (a + b + 2.0):
        return factor * _beta_fraction(a, b, x, y)
    return 1.0 - factor * _beta_fraction(b, a, y, x)


def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = p."""
    check_unit("p", p)
    if p in {0.0, 1.0}:
        return p
    return find_root(lambda x: regularised_beta(a, b, x) - p, 0.0, 1.0)


def t_sf(t: float, dof: float) -> float:
    """P(T > t) for Student's t with `dof` degrees of freedom (any positive number; infinite means normal)."""
    if dof == math.inf:
        return normal_sf(t)
    check_positive("dof", dof)
    if t < 0.0:
        return 1.0 - t_sf(-t, dof)
    if t == 0.0:
        return 0.5
    total = dof + t * t
    return 0.5 * regularised_beta(0.5 * dof, 0.5, dof / total, t * t / total)


def t_cdf(t: float, dof: float) -> float:
    """P(T <= t) for Student's t."""
    return t_sf(-t, dof)


@lru_cache(maxsize=4096)
def t_quantile(p: float, dof: float) -> float:
    """The t with P(T <= t) = p for Student's t."""
    check_open_unit("p", p)
    if dof == math.inf:
        return normal_quantile(p)
    check_positive("dof", dof)
    if p == 0.5:
        return 0.0
    tail = min(p, 1.0 - p)
    z = -normal_quantile(tail)
    guess = z + (z**3 + z) / (4.0 * dof) + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * dof * dof)
    low, high = 0.9 * z, 1.02 * guess
    while t_sf(high, dof) > tail:
        low, high = high, 2.0 * high
    t = find_root(lambda value: t_sf(value, dof) - tail, low, high)
    return t if p > 0.5 else -t


def _gamma_tails(a: float, x: float) -> tuple[float, float]:
    """(P, Q): lower and upper regularised incomplete gamma function; series below a + 1, continued fraction above."""
    if x <= 0.0:
        return 0.0, 1.0
    factor = math.exp(-_stirling_error(a) - _deviance(a, x) - _LOG_SQRT_2PI - 0.5 * math.log(a))
    if x < a + 1.0:
        term = total = 1.0
        for n in range(1, _MAX_TERMS):
            term *= x / (a + n)
            total += term
            if term < _EPS * total:
                break
        lower = factor * total
        return lower, 1.0 - lower
    b = x + 1.0 - a
    c = 1.0 / _TINY
    d = 1.0 / b
    value = d
    for n in range(1, _MAX_TERMS):
        numerator = -n * (n - a)
        b += 2.0
        d = numerator * d + b
        d = 1.0 / (d if abs(d) > _TINY else _TINY)
        c = b + numerator / c
        c = c if abs(c) > _TINY else _TINY
        value *= c * d
        if abs(c * d - 1.0) < 2.0 * _EPS:
            break
    upper = factor * a * value
    return 1.0 - upper, upper


def chi2_sf(x: float, dof: float) -> float:
    """P(X > x) for the chi-square law."""
    check_positive("dof", dof)
    return _gamma_tails(0.5 * dof, 0.5 * x)[1]


def chi2_cdf(x: float, dof: float) -> float:
    """P(X <= x) for the chi-square law."""
    check_positive("dof", dof)
    return _gamma_tails(0.5 * dof, 0.5 * x)[0]


def f_sf(x: float, dof_above: float, dof_below: float) -> float:
    """P(X > x) for the F law with `dof_above` (numerator) and `dof_below` (denominator) degrees of freedom."""
    check_positive("dof_above", dof_above)
    check_positive("dof_below", dof_below)
    if x <= 0.0:
        return 1.0
    total = dof_below + dof_above * x
    return regularised_beta(0.5 * dof_below, 0.5 * dof_above, dof_below / total, dof_above * x / total)


def binomial_pmf(k: int, n: int, p: float) -> float:
    """P(X = k) for n trials of probability p, in Loader's form."""
    check_count("n", n)
    check_unit("p", p)
    if k < 0 or k > n:
        return 0.0
    if p in {0.0, 1.0}:
        return 1.0 if k == round(n * p) else 0.0
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k == n:
        return math.exp(n * math.log(p))
    return _beta_factor(float(k), float(n - k), p, 1.0 - p) * n / k / (n - k)


def binomial_at_least(k: int, n: int, p: float) -> float:
    """P(X >= k) for n trials of probability p."""
    check_count("n", n)
    check_unit("p", p)
    if k <= 0:
        return 1.0
    if k > n:
        return 0.0
    return regularised_beta(float(k), float(n - k + 1), p)


def binomial_at_most(k: int, n: int, p: float) -> float:
    """P(X <= k) for n trials of probability p."""
    check_count("n", n)
    check_unit("p", p)
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    return regularised_beta(float(n - k), float(k + 1), 1.0 - p, p)

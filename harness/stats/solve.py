"""Root of a function of one variable between two points, in plain Python.

It is here so that intervals and planning need no scipy. Must not be used per map: the hot paths have their
own steps.
"""

from collections.abc import Callable

from harness.stats.arguments import StatsInputError

_MAX_STEPS = 400
"""Bisection alone needs about 60 steps per unit of exponent range; this is far beyond any call here."""


def find_root(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    absolute: float = 0.0,
    relative: float = 4e-16,
) -> float:
    """Point in [low, high] where `function` changes sign, by Chandrupatla's method (inverse quadratic steps,
    bisection when they would not help). Raises StatsInputError if both ends have the same sign.

    Source: T. R. Chandrupatla, Advances in Engineering Software 28 (1997) 145-149.
    """
    a, b = low, high
    fa, fb = function(a), function(b)
    if fa == 0.0:
        return a
    if fb == 0.0:
        return b
    if (fa > 0.0) == (fb > 0.0):
        raise StatsInputError(f"no sign change between {low!r} (value {fa!r}) and {high!r} (value {fb!r})")
    step = 0.5
    best = a
    for _ in range(_MAX_STEPS):
        x = a + step * (b - a)
        fx = function(x)
        if (fx > 0.0) == (fa > 0.0):
            c, fc = a, fa
        else:
            c, fc = b, fb
            b, fb = a, fa
        a, fa = x, fx
        best, fbest = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        tolerance = relative * abs(best) + absolute
        width = abs(b - a)
        if fbest == 0.0 or width <= 2.0 * tolerance or a + 0.5 * (b - a) in {a, b}:
            return best
        limit = tolerance / width
        xi = (a - b) / (c - b)
        phi = (fa - fb) / (fc - fb) if fc != fb else 0.5
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:
            step = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            step = 0.5
        step = min(1.0 - limit, max(limit, step))
    return best

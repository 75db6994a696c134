"""Checks of what the statistics are given: one message that names the argument, what it was and what is
allowed.

Must not repair anything: a bad number is refused, never clipped, since a clipped one looks like a result.
"""

import math


class StatsInputError(ValueError):
    """An argument that no formula here is defined for. It is the caller's mistake, never a property of the data."""


def check_finite(name: str, value: float) -> float:
    """Return `value` if it is a finite number."""
    if not math.isfinite(value):
        raise StatsInputError(f"{name} is {value!r}; a finite number is needed")
    return value


def check_open_unit(name: str, value: float) -> float:
    """Return `value` if 0 < value < 1 (a level, a power, an error rate)."""
    if not 0.0 < value < 1.0:
        raise StatsInputError(f"{name} is {value!r}; allowed is a number above 0 and below 1, for example 0.95")
    return value


def check_unit(name: str, value: float) -> float:
    """Return `value` if 0 <= value <= 1 (a score)."""
    if not 0.0 <= value <= 1.0:
        raise StatsInputError(f"{name} is {value!r}; allowed is a number from 0 to 1")
    return value


def check_positive(name: str, value: float) -> float:
    """Return `value` if it is finite and above 0."""
    if not (math.isfinite(value) and value > 0.0):
        raise StatsInputError(f"{name} is {value!r}; allowed is a finite number above 0")
    return value


def check_not_negative(name: str, value: float) -> float:
    """Return `value` if it is finite and not below 0."""
    if not (math.isfinite(value) and value >= 0.0):
        raise StatsInputError(f"{name} is {value!r}; allowed is a finite number, 0 or more")
    return value


def check_count(name: str, value: int, *, minimum: int = 0) -> int:
    """Return `value` if it is a whole number of at least `minimum`."""
    if isinstance(value, bool) or int(value) != value or value < minimum:
        raise StatsInputError(f"{name} is {value!r}; allowed is a whole number, {minimum} or more")
    return int(value)

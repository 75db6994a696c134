"""Holm's correction: several comparisons at once, with one error rate over all of them.

Must not choose which comparisons count; the caller names them before looking.
"""

from collections.abc import Sequence

from harness.stats.arguments import check_unit


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values in the given order: those at or below α hold together at level α.

    The i-th smallest of m is max over j <= i of (m − j + 1)·p_(j), at most 1.
    Source: S. Holm, Scand. J. Statist. 6 (1979) 65-70.
    """
    for index, p in enumerate(p_values):
        check_unit(f"p_values[{index}]", p)
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return tuple(adjusted)

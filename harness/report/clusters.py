"""Scores of a bot that meets several others on the same map: the map with all its meetings is one unit.

Sums per map in a table of fixed size; the intervals themselves are made by `stats`. Must not keep the maps.
"""

from __future__ import annotations

from array import array
from collections import Counter

from harness.stats.intervals import MeanInterval, mean_interval
from harness.stats.tally import MapTally

GROUPS = 1024
"""Maps are told apart by their seed modulo this. A run of up to 1,024 seeds in a row keeps each map apart; in a longer
one several whole maps share a group. Groups are independent of each other, so the intervals stay valid, with fewer
degrees of freedom than there are maps; from a thousand on that changes nothing one could see."""

_KEY_DIGITS = 12


class ClusterSums:
    """Sum and number of a bot's map scores in each group of maps."""

    __slots__ = ("_counts", "_sums")

    def __init__(self) -> None:
        self._sums = array("d", bytes(8 * GROUPS))
        self._counts = array("L", [0]) * GROUPS

    def add(self, seed: int, score: float) -> None:
        """Add the score of one lineup on the map of `seed`."""
        group = seed % GROUPS
        self._sums[group] += score
        self._counts[group] += 1

    def interval(self, confidence: float) -> MeanInterval:
        """Give the interval of the mean map score, with one unit a group."""
        total, n = self._totals()
        if not n:
            return mean_interval(
                n=0, mean=None, variance=None, mode=None, n_below_mode=0, n_above_mode=0, confidence=confidence
            )
        mean = total / n
        used = [group for group in range(GROUPS) if self._counts[group]]
        residuals = [self._residual(group, mean, n / len(used)) for group in used]
        unit_means = [self._sums[group] / self._counts[group] for group in used]
        return _interval(mean, residuals, unit_means, confidence)

    def unit_tally(self) -> MapTally:
        """Give the mean of each group of maps as a score of its own."""
        tally = MapTally()
        for total, n in zip(self._sums, self._counts, strict=True):
            if n:
                tally.add(round(min(1.0, max(0.0, total / n)), _KEY_DIGITS))
        return tally

    def add_all(self, other: ClusterSums) -> None:
        """Add all scores of another."""
        for group in range(GROUPS):
            self._sums[group] += other._sums[group]
            self._counts[group] += other._counts[group]

    def without(self, part: ClusterSums) -> ClusterSums:
        """Give what is left of these maps without a part of them."""
        rest = ClusterSums()
        for group in range(GROUPS):
            rest._sums[group] = self._sums[group] - part._sums[group]
            rest._counts[group] = self._counts[group] - part._counts[group]
        return rest

    @property
    def n(self) -> int:
        """Give how many map scores there are."""
        return sum(self._counts)

    @property
    def n_units(self) -> int:
        """Give how many groups of maps have scores."""
        return sum(count > 0 for count in self._counts)

    def lead_interval(self, other: ClusterSums, confidence: float) -> MeanInterval:
        """Give the interval of (1 + own mean − other's mean)/2: above ½ where the own mean is the larger one.

        Both means come from the same maps, so their errors are taken together, group by group. Both must
        hold maps.
        """
        mean, other_mean = self._mean(), other._mean()
        used = [group for group in range(GROUPS) if self._counts[group] or other._counts[group]]
        own_size, other_size = self._totals()[1] / len(used), other._totals()[1] / len(used)
        residuals = [
            (self._residual(group, mean, own_size) - other._residual(group, other_mean, other_size)) / 2.0
            for group in used
        ]
        unit_means = [
            (1.0 + self._group_mean(group, mean) - other._group_mean(group, other_mean)) / 2.0 for group in used
        ]
        return _interval((1.0 + mean - other_mean) / 2.0, residuals, unit_means, confidence)

    def _totals(self) -> tuple[float, int]:
        return sum(self._sums), sum(self._counts)

    def _mean(self) -> float:
        total, n = self._totals()
        return total / n

    def _group_mean(self, group: int, default: float) -> float:
        return self._sums[group] / self._counts[group] if self._counts[group] else default

    def _residual(self, group: int, mean: float, mean_size: float) -> float:
        """Give a group's pull on the mean (a ratio of sums, linearised)."""
        return (self._sums[group] - mean * self._counts[group]) / mean_size


def _interval(mean: float, residuals: list[float], unit_means: list[float], confidence: float) -> MeanInterval:
    n = len(residuals)
    rounded = [round(value, _KEY_DIGITS) for value in unit_means]
    mode = Counter(rounded).most_common(1)[0][0]
    return mean_interval(
        n=n,
        mean=min(1.0, max(0.0, mean)),
        variance=sum(value * value for value in residuals) / (n - 1) if n > 1 else None,
        mode=min(1.0, max(0.0, mode)),
        n_below_mode=sum(value < mode for value in rounded),
        n_above_mode=sum(value > mode for value in rounded),
        confidence=confidence,
    )

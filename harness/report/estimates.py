"""The only place where tallies become intervals: plain data of `model` from the functions of `stats`.

Must hold no formula of its own, only which one is used for what.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from harness.report.model import CONFIDENCE, Estimate, side_of
from harness.stats.confseq import betting
from harness.stats.elo import from_interval
from harness.stats.intervals import Interval, MeanInterval, of_tally
from harness.stats.tally import MapTally


def of_maps(tally: MapTally, n_maps: int | None = None, *, with_band: bool = True) -> Estimate:
    """Give the estimate of one pair's maps: Student t over maps (exact bounds where it fails) and the band.

    `n_maps` is how many map records there are, if several of them make one score of the tally.
    """
    n = tally.n if n_maps is None else n_maps
    return of_interval(of_tally(tally, CONFIDENCE), n, betting(tally, CONFIDENCE) if with_band else None)


def of_interval(interval: MeanInterval, n_maps: int, band: Interval | None = None) -> Estimate:
    """Put a score interval, its image on the Elo scale and a band together."""
    return Estimate(
        n_maps=n_maps,
        n_units=interval.n,
        score=interval.mean,
        low=interval.low,
        high=interval.high,
        sd=interval.sd,
        method=interval.method,
        state=interval.state,
        elo=from_interval(interval),
        band_low=band.low if band else None,
        band_high=band.high if band else None,
        band_elo=from_interval(band) if band else None,
    )


def seen_from_other_side(estimate: Estimate) -> Estimate:
    """Give the estimate from the opponent's side: every score s becomes 1 − s."""
    mean = None if estimate.score is None else 1.0 - estimate.score
    low, high = 1.0 - estimate.high, 1.0 - estimate.low
    plain = MeanInterval(
        mean, low, high, estimate.sd, None, estimate.n_units, CONFIDENCE, estimate.method, estimate.state
    )
    band_low = None if estimate.band_high is None else 1.0 - estimate.band_high
    band_high = None if estimate.band_low is None else 1.0 - estimate.band_low
    band_elo = None
    if band_low is not None and band_high is not None:
        band_elo = from_interval(replace(plain, low=band_low, high=band_high))
    return replace(
        estimate,
        score=mean,
        low=low,
        high=high,
        elo=from_interval(plain),
        band_low=band_low,
        band_high=band_high,
        band_elo=band_elo,
    )


def holm_sides(tallies: Sequence[MapTally]) -> tuple[int, ...]:
    """Give the side of ½ on which each mean lies (1, −1, or 0 for not separated), at CONFIDENCE for all together.

    Holm's method on intervals: with m comparisons left, those whose interval of level 1 − α/m excludes ½ are
    separated and leave; repeat with the rest until none leaves.
    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    """
    return holm_sides_of([partial(of_tally, tally) if tally.n else None for tally in tallies])


def holm_sides_of(at_level: Sequence[Callable[[float], MeanInterval] | None]) -> tuple[int, ...]:
    """Give the same for intervals of any kind, each given as what makes it at a level; None where there is none."""
    sides = [0] * len(at_level)
    made = {index: make for index, make in enumerate(at_level) if make is not None}
    left = list(made)
    while left:
        level = 1.0 - (1.0 - CONFIDENCE) / len(left)
        intervals = {index: made[index](level) for index in left}
        found = {index: side for index, at in intervals.items() if (side := side_of(at.low, at.high))}
        if not found:
            break
        for index, side in found.items():
            sides[index] = side
        left = [index for index in left if index not in found]
    return tuple(sides)

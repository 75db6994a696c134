"""Two bots against the same panel on the same maps: the difference a map, and what sharing the maps was worth.

Maps that both played are compared map by map, so that what makes a map high-scoring for everybody cancels.
Maps that only one has played are counted and left out, never filled in. Must not import numpy.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from harness.stats.arguments import check_unit
from harness.stats.distributions import t_sf
from harness.stats.intervals import IntervalMethod, IntervalState, of_tally
from harness.stats.tally import MapTally


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """First bot's mean map score less the second's, over the maps that both played, from −1 to 1.

    `difference` is None without a shared map; the bounds are then −1 and 1. `se` and `p_two_sided` (against
    no difference) are None unless `state` is USUAL: elsewhere only the bounds hold. `correlation` is that of
    the two scores on a map; None where one of them never varied. `maps_saved` is how many times as many maps
    each bot would have needed on different maps for the same error, (s1² + s2²)/s_d²: 1 at no correlation, 2
    at ½; None without spread. `effective_maps` is that times the shared maps.
    """

    difference: float | None
    low: float
    high: float
    se: float | None
    dof: int
    p_two_sided: float | None
    n_shared: int
    n_only_first: int
    n_only_second: int
    correlation: float | None
    maps_saved: float | None
    effective_maps: float | None
    confidence: float
    method: IntervalMethod
    state: IntervalState


def compare_on_shared_maps(
    first: Mapping[int, float], second: Mapping[int, float], confidence: float = 0.95
) -> PairedDifference:
    """Compare by map id: each mapping gives a map's mean score in [0, 1] for one bot, incomplete maps left out.

    The interval is that of `intervals.of_tally` for the differences, brought from [−1, 1] to [0, 1] and back.
    """
    shared = sorted(first.keys() & second.keys())
    xs = [check_unit(f"first[{key}]", first[key]) for key in shared]
    ys = [check_unit(f"second[{key}]", second[key]) for key in shared]
    tally = MapTally()
    for x, y in zip(xs, ys, strict=True):
        tally.add(0.5 * (1.0 + x - y))
    interval = of_tally(tally, confidence)
    difference = None if interval.mean is None else 2.0 * interval.mean - 1.0
    usual = interval.state is IntervalState.USUAL and difference is not None
    se = 2.0 * interval.se if usual and interval.se is not None else None
    xx, yy, xy = (_centred(a, b) for a, b in ((xs, xs), (ys, ys), (xs, ys)))
    spread = xx + yy - 2.0 * xy
    saved = (xx + yy) / spread if spread > 1e-12 else None
    return PairedDifference(
        difference=difference,
        low=2.0 * interval.low - 1.0,
        high=2.0 * interval.high - 1.0,
        se=se,
        dof=max(0, len(shared) - 1),
        p_two_sided=2.0 * t_sf(abs(difference) / se, len(shared) - 1) if difference is not None and se else None,
        n_shared=len(shared),
        n_only_first=len(first) - len(shared),
        n_only_second=len(second) - len(shared),
        correlation=_correlation(xx, yy, xy),
        maps_saved=saved,
        effective_maps=None if saved is None else saved * len(shared),
        confidence=confidence,
        method=interval.method,
        state=interval.state,
    )


def _centred(xs: list[float], ys: list[float]) -> float:
    """Sum of products about the means; 0 without maps."""
    if not xs:
        return 0.0
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))


def _correlation(xx: float, yy: float, xy: float) -> float | None:
    product = xx * yy
    return max(-1.0, min(1.0, xy / math.sqrt(product))) if product > 1e-24 else None

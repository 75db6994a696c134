"""Bootstrap by whole maps: an interval for any number that is a function of means over maps.

Maps are drawn with replacement, all games of a map together. The number is a function of the means of some
columns, one row a map (a score; a score and its square; two bots' scores), which covers means, differences,
ratios, Elo, normalized Elo and correlations, and is what makes a thousand resamples cheap. Seeded: the same
rows and seed give the same interval. Imports numpy, so that no module on the light path may import this one
at its top.

Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapters 13 and 14.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.stats.arguments import StatsInputError, check_count, check_open_unit
from harness.stats.distributions import normal_cdf, normal_quantile
from harness.stats.intervals import IntervalMethod

FEWEST_MAPS = 2

_CHUNK = 4_000_000
"""Random numbers drawn at a time: 32 MB, whatever the number of maps."""

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class BootstrapState(StrEnum):
    """Whether the bootstrap says anything."""

    USUAL = "usual"
    FEW_MAPS = "few maps"  # fewer than two
    NO_SPREAD = "no spread"  # every resample gives the same: the sample cannot show its error
    UNDEFINED = "undefined"  # the statistic has no finite value for the sample


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """`estimate` is the statistic of the sample; `se` the deviation of the finite resamples.

    All three other numbers are None unless `state` is USUAL. There, an end that is None is unbounded: so many
    resamples had no finite value (`n_undefined`; a perfect score has no Elo) that the end falls among them.
    """

    estimate: float | None
    low: float | None
    high: float | None
    se: float | None
    confidence: float
    n_maps: int
    n_resamples: int
    n_undefined: int
    method: IntervalMethod
    state: BootstrapState


def bootstrap_interval(
    rows: ArrayLike,
    statistic: Statistic,
    *,
    seed: int,
    n_resamples: int = 2000,
    confidence: float = 0.95,
    bias_corrected: bool = True,
) -> BootstrapInterval:
    """Interval for `statistic` of the column means of `rows`, shape (n_maps,) or (n_maps, k).

    `statistic` takes means of shape (r, k) and gives r numbers; non-finite ones mark undefined resamples.
    `bias_corrected` takes BCa limits, with the acceleration from leaving out each map; else plain percentiles.
    """
    check_open_unit("confidence", confidence)
    check_count("n_resamples", n_resamples, minimum=100)
    method = IntervalMethod.BOOTSTRAP_BCA if bias_corrected else IntervalMethod.BOOTSTRAP_PERCENTILE
    data = _rows(rows)
    n_maps = data.shape[0]

    def without(state: BootstrapState, estimate: float | None) -> BootstrapInterval:
        return BootstrapInterval(estimate, None, None, None, confidence, n_maps, n_resamples, 0, method, state)

    if n_maps == 0:
        return without(BootstrapState.FEW_MAPS, None)
    with np.errstate(all="ignore"):
        value = float(statistic(data.mean(axis=0, keepdims=True))[0])
    if not math.isfinite(value):
        return without(BootstrapState.UNDEFINED, None)
    if n_maps < FEWEST_MAPS:
        return without(BootstrapState.FEW_MAPS, value)

    distinct, counts = np.unique(data, axis=0, return_counts=True)
    values = _resample(distinct, counts, statistic, seed, n_resamples)
    finite = values[np.isfinite(values)]
    n_undefined = n_resamples - finite.size
    if finite.size == 0 or np.ptp(finite) <= 1e-14 * max(1.0, abs(value)):
        return without(BootstrapState.NO_SPREAD, value)

    tail = 0.5 * (1.0 - confidence)
    shares = (tail, 1.0 - tail)
    if bias_corrected:
        shares = _bca_shares(value, values, distinct, counts, statistic, tail)
    return BootstrapInterval(
        estimate=value,
        low=_end(values, shares[0], -math.inf),
        high=_end(values, shares[1], math.inf),
        se=float(finite.std(ddof=1)),
        confidence=confidence,
        n_maps=n_maps,
        n_resamples=n_resamples,
        n_undefined=n_undefined,
        method=method,
        state=BootstrapState.USUAL,
    )


def mean_of_column(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """The statistic for a plain mean map score."""
    return means[:, 0]


def difference_of_columns(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """The statistic for the first column's mean less the second's."""
    return means[:, 0] - means[:, 1]


def elo_of_column(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """The statistic for logistic Elo of a mean map score; infinite, so undefined, at 0 and 1."""
    score = means[:, 0]
    return np.asarray(400.0 * (np.log10(score) - np.log10(1.0 - score)), dtype=np.float64)


def _rows(rows: ArrayLike) -> NDArray[np.float64]:
    data = np.asarray(rows, dtype=np.float64)
    if data.ndim == 1:
        data = data[:, None]
    if data.ndim != 2:
        raise StatsInputError(f"rows has shape {data.shape}; allowed are (n_maps,) and (n_maps, k)")
    if not np.isfinite(data).all():
        raise StatsInputError("rows holds numbers that are not finite; leave incomplete maps out and count them")
    return data


def _resample(
    distinct: NDArray[np.float64],
    counts: NDArray[np.int64],
    statistic: Statistic,
    seed: int,
    n_resamples: int,
) -> NDArray[np.float64]:
    """The statistic of each resample.

    When maps repeat a few rows (two seats: five scores), how often each row is drawn is multinomial, and that
    is all that is needed; else maps are drawn one by one.
    """
    rng = np.random.default_rng(seed)
    n_maps = int(counts.sum())
    few_distinct = 4 * counts.size <= n_maps
    chunk = max(1, _CHUNK // (counts.size if few_distinct else n_maps))
    rows = distinct if few_distinct else np.repeat(distinct, counts, axis=0)
    parts = []
    for start in range(0, n_resamples, chunk):
        size = min(chunk, n_resamples - start)
        if few_distinct:
            means = rng.multinomial(n_maps, counts / n_maps, size=size) @ rows / n_maps
        else:
            means = rows[rng.integers(0, n_maps, size=(size, n_maps))].mean(axis=1)
        with np.errstate(all="ignore"):
            parts.append(statistic(means))
    return np.concatenate(parts)


def _bca_shares(
    value: float,
    values: NDArray[np.float64],
    distinct: NDArray[np.float64],
    counts: NDArray[np.int64],
    statistic: Statistic,
    tail: float,
) -> tuple[float, float]:
    """Shares of the sorted resamples between which the BCa interval lies."""
    known = values[~np.isnan(values)]
    below = (np.sum(known < value) + 0.5 * np.sum(known == value)) / known.size
    bias = normal_quantile(min(max(float(below), 0.5 / known.size), 1.0 - 0.5 / known.size))
    n_maps = counts.sum()
    with np.errstate(all="ignore"):
        left_out = statistic((counts @ distinct - distinct) / (n_maps - 1))
    usable = np.isfinite(left_out)
    acceleration = 0.0
    if usable.any():
        weights, kept = counts[usable], left_out[usable]
        gaps = np.average(kept, weights=weights) - kept
        squares = float(weights @ gaps**2)
        acceleration = float(weights @ gaps**3) / (6.0 * squares**1.5) if squares > 0.0 else 0.0

    def share(z: float) -> float:
        moved = bias + z
        return normal_cdf(bias + moved / max(1e-6, 1.0 - acceleration * moved))

    z = normal_quantile(tail)
    return share(z), share(-z)


def _end(values: NDArray[np.float64], share: float, beyond: float) -> float | None:
    """The order statistic at `share` (Efron's (R + 1)·share), with resamples that have no value at `beyond`."""
    ordered = np.sort(np.where(np.isnan(values), beyond, values))
    rank = min(max(round(share * (ordered.size + 1)) - 1, 0), ordered.size - 1)
    end = float(ordered[rank])
    return end if math.isfinite(end) else None

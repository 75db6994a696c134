"""How often the intervals of ratings hold and the tests of circles err, by simulation: the long version of tests/stats.

Prints one markdown table a section, for docs/statistics-ratings.md. Every row is seeded, so that a table can be made
again:

    python benchmarks/ratings_coverage.py                    # all sections, some ten minutes on one core
    python benchmarks/ratings_coverage.py circles --scale 0.1

The pools: every ordered pair of bots plays once on every map. A map moves each bot's strength by a normal tilt of its
own, so all games on a map share it. A share p of r runs has a standard error of √(p(1 − p)/r). Must not be run as a
test.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices; before numpy is imported

import argparse
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from harness.stats.bradley_terry import BradleyTerryFit, fit_bradley_terry
from harness.stats.circles import circle_test, triangle_curls
from harness.stats.draw_models import DrawModel
from harness.stats.head_to_head import head_to_head, upsets
from harness.stats.pair_counts import FloatArray, PairCounts, counts_from_games
from harness.stats.rating_bootstrap import bootstrap_ratings
from harness.stats.rating_errors import RatingErrors, map_errors, model_errors
from harness.stats.rating_ranks import simultaneous_differences
from harness.stats.redundancy import first_seat_bias, twin_floor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIX = (0.7, 0.4, 0.2, -0.1, -0.4, -0.8)
NEAR = (0.2, 0.1, 0.05, -0.05, -0.1, -0.2)


@dataclass(frozen=True)
class Row:
    """One simulated number beside what it should be."""

    what: str
    got: str
    aim: str
    runs: int


@dataclass(frozen=True)
class Scale:
    """How many runs are made, as a share of the documented number."""

    factor: float

    def __call__(self, runs: int) -> int:
        """Runs to make where the table has `runs`."""
        return max(20, round(runs * self.factor))


@dataclass(frozen=True)
class Law:
    """How a pool plays."""

    strength: tuple[float, ...]
    tilt: float = 1.0
    seat: float = 0.0
    draws: float = 0.0
    circle: float = 0.0


def percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"


def play(rng: np.random.Generator, law: Law, n_maps: int) -> PairCounts:
    n = len(law.strength)
    first, second = (axis.ravel() for axis in np.nonzero(~np.eye(n, dtype=bool)))
    a, b = np.tile(first, n_maps), np.tile(second, n_maps)
    m = np.repeat(np.arange(n_maps), first.size)
    on_map = np.array(law.strength) + law.tilt * rng.standard_normal((n_maps, n))
    lead = on_map[m, a] - on_map[m, b] + law.seat
    if law.circle:
        lead += law.circle * np.where((a < 3) & (b < 3), np.where((b - a) % 3 == 1, 1.0, -1.0), 0.0)
    won = rng.random(a.size) < 1.0 / (1.0 + np.exp(-lead))
    points = np.where(rng.random(a.size) < law.draws, 0.5, won.astype(np.float64))
    return counts_from_games([f"bot{i}" for i in range(n)], a, b, points, m)


@lru_cache
def truth(law: Law) -> BradleyTerryFit:
    """What the fit converges to: averaged over maps the leads are smaller than on any one of them."""
    return fit_bradley_terry(play(np.random.default_rng(99), law, 40_000), fit_seat=law.seat != 0.0)


def gaps_held(theta: FloatArray, wanted: FloatArray, half: FloatArray) -> float:
    upper = np.triu_indices(theta.size, 1)
    miss = np.abs((theta[:, None] - theta) - (wanted[:, None] - wanted))
    return float(np.mean(miss[upper] <= half[upper]))


def half_widths(errors: RatingErrors, quantile: float) -> FloatArray:
    variance, _ = errors.pair_variance()
    half: FloatArray = quantile * np.sqrt(variance)
    return half


def differences(scale: Scale) -> Iterator[Row]:
    laws = (
        ("six bots, tilt 1 logit", Law(SIX), 35, 4_000),
        ("the same, 12 maps", Law(SIX), 12, 4_000),
        ("the same, 200 maps", Law(SIX), 200, 1_000),
        ("the same, 35 maps, no tilt", Law(SIX, tilt=0.0), 35, 4_000),
        ("the same, 35 maps, seat 0.5 logits fitted, 30 % draws", Law(SIX, seat=0.5, draws=0.3), 35, 2_000),
    )
    for name, law, n_maps, documented in laws:
        runs = scale(documented)
        rng = np.random.default_rng(1)
        held = np.zeros(3)
        wanted = truth(law).theta
        for _ in range(runs):
            fit = fit_bradley_terry(play(rng, law, n_maps), fit_seat=law.seat != 0.0)
            by_map, by_model = map_errors(fit), model_errors(fit)
            held += (
                gaps_held(fit.theta, wanted, half_widths(by_model, 1.959964)),
                gaps_held(fit.theta, wanted, half_widths(by_map, 1.959964)),
                gaps_held(fit.theta, wanted, half_widths(by_map, by_map.quantile(0.95))),
            )
        others = f"(model {percent(held[0] / runs)}, sandwich with z {percent(held[1] / runs)})"
        yield Row(f"difference, sandwich with t: {name} {others}", percent(held[2] / runs), "95 %", runs)


def bootstrap(scale: Scale) -> Iterator[Row]:
    for n_maps, documented in ((35, 600), (12, 600)):
        runs = scale(documented)
        rng = np.random.default_rng(2)
        wanted = truth(Law(SIX)).theta
        held = 0.0
        for run in range(runs):
            fit = fit_bradley_terry(play(rng, Law(SIX), n_maps))
            found = bootstrap_ratings(fit, n_resamples=400, seed=run).theta
            for i in range(6):
                for j in range(i):
                    low, high = np.quantile(found[:, i] - found[:, j], [0.025, 0.975])
                    held += low <= wanted[i] - wanted[j] <= high
        yield Row(f"difference, bootstrap percentiles, {n_maps} maps", percent(held / runs / 15), "95 %", runs)


def together(scale: Scale) -> Iterator[Row]:
    for name, law, n_maps in (
        ("six bots, 35 maps", Law(SIX), 35),
        ("six bots, 12 maps", Law(SIX), 12),
        ("six near bots, 35 maps", Law(NEAR), 35),
    ):
        runs = scale(2_000)
        rng = np.random.default_rng(3)
        wanted = truth(law).theta
        order = np.argsort(-np.array(law.strength))
        rank = np.empty(6, dtype=int)
        rank[order] = np.arange(1, 7)
        all_gaps = all_ranks = 0
        for run in range(runs):
            fit = fit_bradley_terry(play(rng, law, n_maps))
            found = simultaneous_differences(map_errors(fit), seed=run)
            all_gaps += gaps_held(fit.theta, wanted, found.half_width / 173.7178) == 1.0
            all_ranks += all(r.best <= rank[i] <= r.worst for i, r in enumerate(found.rank_intervals()))
        yield Row(f"all 15 differences at once, {name}", percent(all_gaps / runs), "95 %", runs)
        yield Row(f"all ranks at once, {name}", percent(all_ranks / runs), "at least 95 %", runs)


def circles(scale: Scale) -> Iterator[Row]:
    five = Law((0.5, 0.2, 0.0, -0.2, -0.5))
    for name, law, n_maps, documented in (
        ("six bots, 35 maps, 10 circles", Law(SIX), 35, 5_000),
        ("six bots, 35 maps, no tilt", Law(SIX, tilt=0.0), 35, 5_000),
        ("six bots, 60 maps, seat and draws", Law(SIX, seat=0.5, draws=0.3), 60, 3_000),
        ("five bots, 20 maps, 6 circles", five, 20, 4_000),
        ("six bots, 12 maps (sign flips)", Law(SIX), 12, 2_000),
        ("six bots, 8 maps (sign flips)", Law(SIX), 8, 2_000),
    ):
        runs = scale(documented)
        rng = np.random.default_rng(4)
        rejected = wald = single = 0
        for run in range(runs):
            counts = play(rng, law, n_maps)
            found = circle_test(counts, seed=run, n_flips=999)
            rejected += found.p_value is not None and found.p_value < 0.05
            wald += is_wald_rejected(found.statistic, found.dof, n_maps) if found.method == "hotelling" else 0
            single += any(t.p_holm is not None and t.p_holm < 0.05 for t in triangle_curls(counts))
        beside = "" if n_maps < 20 else f" (Wald with χ²: {percent(wald / runs)})"
        yield Row(f"no circle, {name}: test of the table{beside}", percent(rejected / runs), "5 %", runs)
        yield Row(f"no circle, {name}: a triangle survives Holm", percent(single / runs), "at most 5 %", runs)
    for circle in (0.3, 0.6):
        runs = scale(1_000)
        rng = np.random.default_rng(5)
        hits = 0
        for run in range(runs):
            found = circle_test(play(rng, Law(SIX, circle=circle), 60), seed=run)
            hits += found.p_value is not None and found.p_value < 0.05
        yield Row(f"a circle of {circle:g} logits among six bots, 60 maps: found", percent(hits / runs), "power", runs)


def is_wald_rejected(statistic: float | None, dof: int, n_maps: int) -> bool:
    """Whether the naive test would reject: T² against χ² instead of F."""
    from scipy.stats import chi2

    assert statistic is not None
    return bool(statistic * dof * (n_maps - 1.0) / (n_maps - dof) > chi2.isf(0.05, dof))


def others(scale: Scale) -> Iterator[Row]:
    runs = scale(3_000)
    rng = np.random.default_rng(6)
    certain = 0
    for _ in range(runs):
        counts = play(rng, Law(NEAR), 40)
        certain += bool(upsets(head_to_head(counts), fit_bradley_terry(counts).ratings)[1])
    yield Row("no circle, six near bots, 40 maps: an upset survives Holm", percent(certain / runs), "at most 5 %", runs)
    ratios: dict[str, list[float]] = {"map": [], "model": []}
    held = 0
    for _ in range(runs):
        fit = fit_bradley_terry(play(rng, Law((0.3, 0.3, 0.3, -0.2, -0.5)), 60))
        for name, errors in (("map", map_errors(fit)), ("model", model_errors(fit))):
            found = twin_floor(errors, [[0, 1, 2]])
            assert found.ratio is not None
            assert found.low is not None
            assert found.high is not None
            ratios[name].append(found.ratio)
            held += name == "map" and found.low <= 1.0 <= found.high
    mean = {name: sum(values) / runs for name, values in ratios.items()}
    what = f"three twins, 60 maps: ratio of their gaps to the map errors (to the model's: {mean['model']:.2f})"
    yield Row(what, f"{mean['map']:.2f}", "about 1", runs)
    yield Row("the same: the ratio's interval holds 1", percent(held / runs), "95 %", runs)
    law = Law(SIX, seat=0.4)
    big = first_seat_bias(play(np.random.default_rng(7), law, 40_000))
    held = 0
    for _ in range(runs):
        bias = first_seat_bias(play(rng, law, 30))
        assert bias.low is not None
        assert bias.high is not None
        held += bias.low <= (big.score or math.nan) <= bias.high
    yield Row("first seat's score, 30 maps", percent(held / runs), "95 %", runs)


def models(scale: Scale) -> Iterator[Row]:
    runs = scale(1_000)
    law = Law(SIX, seat=0.4, draws=0.3)
    for model in (DrawModel.RAO_KUPPER, DrawModel.DAVIDSON):
        large = play(np.random.default_rng(8), law, 40_000)
        wanted = fit_bradley_terry(large, fit_seat=True, draw_model=model).theta
        rng = np.random.default_rng(9)
        held = 0.0
        for _ in range(runs):
            fit = fit_bradley_terry(play(rng, law, 35), fit_seat=True, draw_model=model)
            errors = map_errors(fit)
            held += gaps_held(fit.theta, wanted, half_widths(errors, errors.quantile(0.95)))
        yield Row(f"difference, {model.value}, seat fitted, 35 maps", percent(held / runs), "95 %", runs)


SECTIONS: dict[str, tuple[str, Callable[[Scale], Iterator[Row]]]] = {
    "differences": ("Differences of ratings", differences),
    "models": ("Draw models", models),
    "bootstrap": ("Bootstrap", bootstrap),
    "together": ("All at once", together),
    "circles": ("Circles", circles),
    "others": ("Upsets, twins, seats", others),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="which; all by default")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the runs")
    args = parser.parse_args()
    for section in args.sections or SECTIONS:
        title, rows = SECTIONS[section]
        print(f"\n### {title}\n\n| what | simulated | aim | runs |\n|---|---|---|---|", flush=True)
        for row in rows(Scale(args.scale)):
            print(f"| {row.what} | {row.got} | {row.aim} | {row.runs:,} |", flush=True)


if __name__ == "__main__":
    main()

"""What the light statistics cost a call: the running test, the map interval, the always-valid band.

    python benchmarks/stats_speed.py

Prints microseconds a call, the median of several blocks, and beside it the same in units of one `math.lgamma`
call, which compares machines. The aim is a GSPRT update under 50 µs. Must not be run as a test: a busy
machine makes it slow.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import numpy as np

from harness.stats.confseq import EmpiricalBernstein, betting
from harness.stats.gsprt import penta_counts
from harness.stats.intervals import of_tally
from harness.stats.sequential import SequentialTest
from harness.stats.sprt_bounds import Bounds, EloBounds, NeloBounds
from harness.stats.stopped_estimate import stopped_estimate
from harness.stats.tally import MapTally

BLOCKS = 15
PAIRS = (0.05, 0.2, 0.5, 0.2, 0.05)
DRAWISH = (0.0, 0.01, 0.98, 0.01, 0.0)


def median_us(block: Callable[[], None], calls: int) -> float:
    """Median over blocks of the CPU time of one call, in microseconds."""
    times = []
    for _ in range(BLOCKS):
        start = time.process_time()
        block()
        times.append((time.process_time() - start) / calls * 1e6)
    return statistics.median(times)


def scores_of(law: tuple[float, ...], n: int) -> list[float]:
    draws = np.random.default_rng(1).choice(len(law), p=law, size=n)
    return [float(cell) / (len(law) - 1) for cell in draws]


def gsprt_us(bounds: Bounds, games_per_map: float, scores: list[float]) -> float:
    """Updates of a test whose limits are too far away to be met."""

    def block() -> None:
        test = SequentialTest(bounds, games_per_map=games_per_map, alpha=1e-12, beta=1e-12)
        for score in scores:
            test.add(score)

    return median_us(block, len(scores))


def main() -> None:
    pairs, drawish = scores_of(PAIRS, 2000), scores_of(DRAWISH, 2000)
    games = scores_of((0.3, 0.4, 0.3), 2000)
    many_seats = [float(value) for value in np.random.default_rng(2).beta(2, 2, 1000)]
    tally = MapTally()
    for score in pairs:
        tally.add(score)

    def add_all() -> None:
        running = MapTally()
        for score in pairs:
            running.add(score)

    def bernstein() -> None:
        sequence = EmpiricalBernstein()
        for score in pairs:
            sequence.add(score)

    def repeat(call: Callable[[], object], times: int) -> Callable[[], None]:
        def block() -> None:
            for _ in range(times):
                call()

        return block

    data = penta_counts([20, 150, 400, 230, 40])
    rows = [
        ("GSPRT update, pairs, Elo bounds", gsprt_us(EloBounds(0, 5), 2, pairs)),
        ("GSPRT update, pairs, nElo bounds", gsprt_us(NeloBounds(0, 5), 2, pairs)),
        ("GSPRT update, pairs, nElo bounds, 98 % split", gsprt_us(NeloBounds(0, 5), 2, drawish)),
        ("GSPRT update, single games, nElo bounds", gsprt_us(NeloBounds(0, 5), 1, games)),
        ("GSPRT update, any score (25 cells), Elo bounds", gsprt_us(EloBounds(0, 5), 3, many_seats)),
        ("GSPRT update, any score (25 cells), nElo bounds", gsprt_us(NeloBounds(0, 5), 3, many_seats)),
        ("one map into a tally", median_us(add_all, len(pairs))),
        ("one map into an empirical-Bernstein sequence", median_us(bernstein, len(pairs))),
        ("map interval of a tally", median_us(repeat(lambda: of_tally(tally), 200), 200)),
        ("betting band of a tally", median_us(repeat(lambda: betting(tally), 50), 50)),
        (
            "estimate after a stop",
            median_us(repeat(lambda: stopped_estimate(data, EloBounds(0, 10)), 10), 10),
        ),
    ]
    unit = median_us(repeat(lambda: math.lgamma(7.3), 20_000), 20_000)
    print("| call | µs | lgamma calls |\n|---|---|---|")
    for name, microseconds in rows:
        print(f"| {name} | {microseconds:.1f} | {microseconds / unit:.0f} |")


if __name__ == "__main__":
    main()

"""How often a score contest's interval holds, and how often two equal versions are told apart, by simulation.

Laws of paired differences as heuristic contests have them: scores of very different sizes, a few seeds with large
gains, rare failures, many ties. Prints one markdown table for docs/statistics.md. Every row is seeded:

    python benchmarks/score_coverage.py                # 4,000 samples a row, some 4 minutes on one core
    python benchmarks/score_coverage.py --scale 0.1    # a tenth of them

A share p of r samples has a standard error of √(p(1 − p)/r): 0.3 points at 5 % of 4,000. The functions under test are
the package's own, called one sample at a time; only the samples are drawn by numpy. Must not be run as a test.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.stats.bootstrap_t import studentise
from harness.stats.paired_numbers import numbers_interval

Sample = NDArray[np.float64]
N_SAMPLES = 4_000
N_RESAMPLES = 1_000
SIZES = (30, 100, 300)
_N_TRUE = 4_000_000


@dataclass(frozen=True)
class Law:
    """Differences a seed between two versions; `draw` gives so many."""

    name: str
    draw: Callable[[np.random.Generator, int], Sample]


def _sizes(rng: np.random.Generator, n: int) -> Sample:
    """How large the scores of a seed are: a factor of ten between an easy and a hard one."""
    return rng.lognormal(8.0, 1.0, n)


def _absolute(rng: np.random.Generator, n: int) -> Sample:
    base = _sizes(rng, n)
    return base * (rng.lognormal(0.0, 0.1, n) - rng.lognormal(0.0, 0.1, n))


def _relative(rng: np.random.Generator, n: int) -> Sample:
    new, old = rng.lognormal(0.0, 0.1, n), rng.lognormal(0.0, 0.1, n)
    return (new - old) / np.maximum(new, old)


def _failing(rng: np.random.Generator, n: int) -> Sample:
    """Relative to the best, where one seed in 50 of the new version has no score."""
    return np.where(rng.random(n) < 0.02, -1.0, _relative(rng, n))


def _few_gains(rng: np.random.Generator, n: int) -> Sample:
    """Nothing changes on 19 of 20 seeds but by chance; on the other the gain is large."""
    return np.where(rng.random(n) < 0.05, rng.exponential(10.0, n), 0.0) + rng.normal(0.0, 1.0, n)


def _ties(rng: np.random.Generator, n: int) -> Sample:
    return rng.choice([-1.0, 0.0, 1.0, 2.0], n, p=[0.06, 0.88, 0.05, 0.01])


def _skewed(rng: np.random.Generator, n: int) -> Sample:
    return rng.lognormal(0.0, 1.0, n)


LAWS = (
    Law("absolute, scores of all sizes, two alike", _absolute),
    Law("relative to the best, two alike", _relative),
    Law("relative to the best, 2 % failures", _failing),
    Law("large gains on 5 % of the seeds", _few_gains),
    Law("88 % ties, small whole numbers", _ties),
    Law("log-normal differences, sd 1", _skewed),
)


@dataclass
class Misses:
    """How often an interval lay wholly above or below the truth."""

    above: int = 0
    below: int = 0

    def see(self, low: float, high: float, truth: float) -> int:
        """Count one interval; give the side on which it lies."""
        side = (low > truth) - (high < truth)
        self.above += side > 0
        self.below += side < 0
        return side

    def text(self, n: int) -> str:
        """Write both, in percent."""
        return f"{100 * self.above / n:.1f} / {100 * self.below / n:.1f}"


def row(law: Law, size: int, n_samples: int, seed: int) -> str:
    """Simulate one row."""
    rng = np.random.default_rng([seed, size])
    truth = float(law.draw(np.random.default_rng([seed, 0]), _N_TRUE).mean())
    t, boot = Misses(), Misses()
    claims = 0
    for number in range(n_samples):
        values = law.draw(rng, size)
        plain = numbers_interval(values.tolist())
        booted = studentise(values, seed=number, n_resamples=N_RESAMPLES)
        if plain.low is None or plain.high is None:
            continue
        side = t.see(plain.low, plain.high, truth)
        other = side if booted is None else boot.see(*booted.interval(), truth)
        claims += side != 0 and side == other
    return f"| {law.name} | {size} | {t.text(n_samples)} | {boot.text(n_samples)} | {100 * claims / n_samples:.1f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the documented number of samples (1)")
    n_samples = max(20, round(N_SAMPLES * parser.parse_args().scale))
    print(f"{n_samples} samples a row; misses above / below the truth and wrong claims, in percent\n")
    print("| differences | seeds | Student's t | bootstrap | both: wrong claims |")
    print("|---|---|---|---|---|")
    for number, law in enumerate(LAWS):
        for size in SIZES:
            print(row(law, size, n_samples, 20 + number), flush=True)


if __name__ == "__main__":
    main()

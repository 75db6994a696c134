"""How often each interval holds and each test errs, by simulation: the long version of the checks in
tests/stats.

Prints one markdown table a section, for docs/statistics.md. Every row is seeded, so that the table can be
made again:

    python benchmarks/stats_coverage.py                  # all sections, some 15 minutes on one core
    python benchmarks/stats_coverage.py intervals gates  # some of them
    python benchmarks/stats_coverage.py --scale 0.1      # a tenth of the runs

A share p of r runs has a standard error of √(p(1 − p)/r): 0.2 points at 95 % of 10,000. The functions under
test are the package's own, called one sample at a time; only the samples are drawn by numpy. Must not be run
as a test.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from harness.stats.bootstrap import bootstrap_interval, mean_of_column
from harness.stats.confseq import BetaMixture, EmpiricalBernstein, betting_evidence
from harness.stats.elo import nelo_from_map_scores, nelo_plain, to_score
from harness.stats.equivalence import Margin, MarginOutcome, equivalence, non_inferiority
from harness.stats.group_sequential import Shape, equal_looks, plan_looks, plan_looks_by_spending
from harness.stats.intervals import of_tally, wilson
from harness.stats.lattice_plan import FixedStage, game_law, pair_law, plan_gate, plan_sprt_exactly
from harness.stats.online_errors import lord_level, saffron_level, spending_level
from harness.stats.paired import compare_on_shared_maps
from harness.stats.selection import after_threshold, after_threshold_normal
from harness.stats.sequential import SequentialTest
from harness.stats.sprt_bounds import Decision, EloBounds, NeloBounds
from harness.stats.sprt_plan import map_sd_of_pairs
from harness.stats.stopped_estimate import stopped_estimate
from harness.stats.tally import MapTally

Law = tuple[float, ...]

USUAL: Law = (0.05, 0.2, 0.5, 0.2, 0.05)
DECISIVE: Law = (0.25, 0.0, 0.5, 0.0, 0.25)
LOPSIDED: Law = (0.01, 0.05, 0.2, 0.35, 0.39)


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


def percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"


@lru_cache(maxsize=200_000)
def tally_of_counts(counts: tuple[int, ...]) -> MapTally:
    tally = MapTally()
    for index, count in enumerate(counts):
        tally.add(index / (len(counts) - 1), count)
    return tally


def mean_of(law: Law) -> float:
    return sum(index * p for index, p in enumerate(law)) / (len(law) - 1)


def share_of(runs: int, holds: Callable[[int], bool]) -> float:
    return sum(holds(run) for run in range(runs)) / runs


# ------------------------------------------------------------------------------------------- one mean


def cover_map_t(law: Law, n_maps: int, runs: int, seed: int = 1) -> float:
    samples = np.random.default_rng(seed).multinomial(n_maps, law, size=runs)
    truth = mean_of(law)

    def holds(run: int) -> bool:
        got = of_tally(tally_of_counts(tuple(int(count) for count in samples[run])))
        return got.low - 1e-12 <= truth <= got.high + 1e-12

    return share_of(runs, holds)


def cover_normal(law: Law, n_maps: int, runs: int, seed: int = 1) -> float:
    """Mean ± 1.96 standard errors over maps, for comparison."""
    samples = np.random.default_rng(seed).multinomial(n_maps, law, size=runs)
    scores = np.arange(len(law)) / (len(law) - 1)
    means = samples @ scores / n_maps
    variances = (samples @ scores**2 - n_maps * means**2) / (n_maps - 1)
    half = 1.959964 * np.sqrt(np.maximum(variances, 0.0) / n_maps)
    return float(np.mean(np.abs(means - mean_of(law)) <= half + 1e-12))


def intervals(scale: Scale) -> Iterator[Row]:
    runs = scale(20_000)
    for name, law in (("usual pairs", USUAL), ("decisive pairs", DECISIVE), ("lopsided pairs", LOPSIDED)):
        for n_maps in (10, 40, 200, 1000):
            plain = percent(cover_normal(law, n_maps, runs))
            yield Row(
                f"map interval, {name}, {n_maps} maps (±1.96 se: {plain})",
                percent(cover_map_t(law, n_maps, runs)),
                "95 %",
                runs,
            )
    for odd in (0.5, 2.0, 4.0, 8.0):
        for name, law in (
            ("¾ instead of ½", (0.0, 0.0, 1 - odd / 100, odd / 100, 0.0)),
            ("less than 1", (0.1 * odd / 100, 0.1 * odd / 100, 0.3 * odd / 100, 0.5 * odd / 100, 1 - odd / 100)),
        ):
            plain = percent(cover_normal(law, 100, runs))
            yield Row(
                f"map interval, 100 maps of which {odd:g} are {name} on average (±1.96 se: {plain})",
                percent(cover_map_t(law, 100, runs)),
                "at least 95 %",
                runs,
            )
    yield from clustered(scale)


def clustered(scale: Scale) -> Iterator[Row]:
    """Two games a map whose win rates move together (a map suits one bot) or apart (an opening suits one seat)."""
    runs, n_maps = scale(20_000), 200
    rng = np.random.default_rng(5)
    tilt = rng.normal(size=(runs, n_maps))
    for name, spread, sign in (("maps that favour one bot", 1.0, 1.0), ("openings that favour one seat", 1.5, -1.0)):
        first = 1.0 / (1.0 + np.exp(-spread * tilt))
        second = 1.0 / (1.0 + np.exp(-spread * sign * tilt))
        wins = (rng.uniform(size=tilt.shape) < first).astype(int) + (rng.uniform(size=tilt.shape) < second)
        held_map = held_game = 0
        widths = np.zeros(2)
        for run in range(runs):
            counts = np.bincount(wins[run], minlength=3)
            by_map = of_tally(tally_of_counts(tuple(int(count) for count in counts)))
            by_game = wilson(float(wins[run].sum()), 2 * n_maps)
            held_map += by_map.low <= 0.5 <= by_map.high
            held_game += by_game.low <= 0.5 <= by_game.high
            widths += (by_map.high - by_map.low, by_game.high - by_game.low)
        yield Row(
            f"map interval, {name} (Wilson over games: {percent(held_game / runs)}, "
            f"{widths[1] / widths[0]:.2f} times as wide)",
            percent(held_map / runs),
            "95 %",
            runs,
        )


def other_intervals(scale: Scale) -> Iterator[Row]:
    runs = scale(2000)
    for name, law in (("usual pairs", USUAL), ("lopsided pairs", LOPSIDED)):
        for corrected in (False, True):
            samples = np.random.default_rng(6).multinomial(40, law, size=runs)
            truth = mean_of(law)

            def holds(
                run: int, samples: NDArray[np.int64] = samples, corrected: bool = corrected, truth: float = truth
            ) -> bool:
                rows = np.repeat(np.arange(5) / 4, samples[run])
                got = bootstrap_interval(rows, mean_of_column, seed=run, n_resamples=2000, bias_corrected=corrected)
                return got.low is None or got.high is None or got.low <= truth <= got.high

            yield Row(
                f"bootstrap over maps, {'BCa' if corrected else 'percentile'}, {name}, 40 maps",
                percent(share_of(runs, holds)),
                "95 %",
                runs,
            )
    runs = scale(10_000)
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(runs):
        common = rng.normal(size=60)
        first, second = (np.clip(0.5 + 0.15 * (common + rng.normal(size=60)), 0, 1) for _ in range(2))
        got = compare_on_shared_maps(dict(enumerate(first.tolist())), dict(enumerate(second.tolist())))
        held += got.low <= 0.0 <= got.high
    yield Row("paired difference, 60 shared maps, correlation ½", percent(held / runs), "95 %", runs)
    for name, law in (("even", USUAL), ("lopsided", LOPSIDED)):
        yield from nelo_rows(name, law, scale(10_000))


def nelo_rows(name: str, law: Law, runs: int) -> Iterator[Row]:
    truth_mean = mean_of(law)
    truth_sd = math.sqrt(sum(p * (index / 4 - truth_mean) ** 2 for index, p in enumerate(law)))
    truth = nelo_plain(truth_mean, truth_sd, 100).nelo
    assert truth is not None
    samples = np.random.default_rng(8).multinomial(200, law, size=runs)
    held = plain_held = 0
    for counts in samples:
        moments = tally_of_counts(tuple(int(count) for count in counts)).moments()
        assert moments is not None
        sd = math.sqrt(moments.variance)
        full = nelo_from_map_scores(
            moments.mean, sd, 200, skewness=moments.skewness or 0.0, kurtosis=moments.kurtosis or 3.0
        )
        plain = nelo_plain(moments.mean, sd, 200)
        held += full.low is None or full.high is None or full.low <= truth <= full.high
        plain_held += plain.low is None or plain.high is None or plain.low <= truth <= plain.high
    yield Row(
        f"normalized Elo, {name} pairs ({truth:.0f} nElo), 200 maps "
        f"(fastchess's interval: {percent(plain_held / runs)})",
        percent(held / runs),
        "95 %",
        runs,
    )


# ------------------------------------------------------------------------------------------- watching


def anytime(scale: Scale) -> Iterator[Row]:
    runs = scale(2000)
    games = np.random.default_rng(9).integers(0, 2, size=(runs, 2000))
    totals = games.cumsum(axis=1)
    n = np.arange(1, 2001)
    z = np.abs(2 * totals - n) / np.sqrt(n)
    yield Row(
        "plain 1.96, even games, a look after every game from 20 to 2,000",
        percent(float(np.mean((z[:, 19:] > 1.959964).any(axis=1)))),
        "5 % (it does not hold)",
        runs,
    )
    threshold = math.log(20.0)

    def mixture_leaves(run: int) -> bool:
        mixture = BetaMixture()
        for game in games[run]:
            mixture.add(wins=int(game), losses=int(1 - game))
            if mixture.log_e(0.5) > threshold:
                return True
        return False

    yield Row(
        "beta mixture, the same looks from the first game", percent(share_of(runs, mixture_leaves)), "at most 5 %", runs
    )
    runs = scale(1000)
    for name, law in (("usual", USUAL), ("lopsided", LOPSIDED)):
        maps = np.random.default_rng(10).choice(5, p=law, size=(runs, 1500)) / 4
        truth = mean_of(law)

        def betting_leaves(run: int, maps: NDArray[np.float64] = maps, truth: float = truth) -> bool:
            tally = MapTally()
            for score in maps[run]:
                tally.add(float(score))
                evidence = betting_evidence(tally, truth)
                if max(evidence.log_above, evidence.log_below) > math.log(40.0):
                    return True
            return False

        def bernstein_leaves(run: int, maps: NDArray[np.float64] = maps, truth: float = truth) -> bool:
            sequence = EmpiricalBernstein()
            for score in maps[run]:
                sequence.add(float(score))
                band = sequence.interval()
                if not band.low <= truth <= band.high:
                    return True
            return False

        looks = f"{name} pairs, a look after every map to 1,500"
        yield Row(f"betting band, {looks}", percent(share_of(runs, betting_leaves)), "at most 5 %", runs)
        yield Row(f"empirical Bernstein, {looks}", percent(share_of(runs, bernstein_leaves)), "at most 5 %", runs)


# ---------------------------------------------------------------------------------------- sequential


def sequential(scale: Scale) -> Iterator[Row]:
    sd = map_sd_of_pairs(0.4)
    for nelo1, full in ((10.0, 400), (30.0, 2000), (60.0, 4000)):
        runs = scale(full)
        bounds = NeloBounds(0.0, nelo1)
        for passing in (False, True):
            law = pair_law(bounds.scores(sd, 2)[passing] - 0.2, 0.4)
            for corrected in (False, True):
                rng = np.random.default_rng(11)
                wrong, maps = 0, 0
                for _ in range(runs):
                    test = SequentialTest(bounds, games_per_map=2, correct_overshoot=corrected)
                    while test.state.decision is Decision.CONTINUE:
                        for score in rng.choice(5, p=law.probabilities, size=200) / 4:
                            if test.add(float(score)).decision is not Decision.CONTINUE:
                                break
                    wrong += (test.state.decision is Decision.ACCEPT_H1) != passing
                    maps += test.state.n_maps
                planned = plan_sprt_exactly(bounds, law)
                yield Row(
                    f"GSPRT ⟨0, {nelo1:g}⟩ nElo, pairs, 40 % draws, truly at H{int(passing)}"
                    f"{', overshoot corrected' if corrected else ''}: {2 * maps / runs:.0f} games "
                    f"(planned {planned.expected_games:.0f})",
                    percent(wrong / runs),
                    "5 %",
                    runs,
                )
    yield from stopped(scale)


def stopped(scale: Scale) -> Iterator[Row]:
    runs = scale(1500)
    bounds = EloBounds(0.0, 30.0)
    for true_elo in (0.0, 15.0, 30.0, 60.0):
        law = pair_law(to_score(true_elo) - 0.2, 0.4)
        rng = np.random.default_rng(12)
        held = high = plain_high = 0
        for _ in range(runs):
            test = SequentialTest(bounds, games_per_map=2)
            while test.state.decision is Decision.CONTINUE:
                for score in rng.choice(5, p=law.probabilities, size=200) / 4:
                    if test.add(float(score)).decision is not Decision.CONTINUE:
                        break
            got = stopped_estimate(test.counts(), bounds)
            low, estimate, top, plain = got.low.elo, got.elo.elo, got.high.elo, got.sample_elo.elo
            held += (low is None or low <= true_elo) and (top is None or true_elo <= top)
            high += estimate is not None and estimate > true_elo
            plain_high += plain is not None and plain > true_elo
        yield Row(
            f"interval after a GSPRT ⟨0, 30⟩ Elo, truly {true_elo:g} (estimate too high in {percent(high / runs)} "
            f"of runs, the plain one in {percent(plain_high / runs)})",
            percent(held / runs),
            "95 %, 50 %",
            runs,
        )


# --------------------------------------------------------------------------------------------- gates


def gates(scale: Scale) -> Iterator[Row]:
    runs = scale(200_000)
    stages = (FixedStage(200, 104), FixedStage(800, 424))
    for rate in (0.5, 0.52, 0.55):
        rng = np.random.default_rng(13)
        screen, confirm = rng.binomial(200, rate, runs), rng.binomial(800, rate, runs)
        through = (screen >= 104) & (confirm >= 424)
        plan = plan_gate(stages, game_law(rate))
        yield Row(
            f"screen 200 (104), confirm 800 (424), bots at {rate:g}: promoted",
            percent(float(through.mean())),
            percent(plan.promote),
            runs,
        )
    few = scale(4000)
    for rate in (0.5, 0.52, 0.55):
        wins = np.random.default_rng(14).binomial(800, rate, 400_000)
        wins = wins[wins >= 424][:few]
        estimates = {int(value): after_threshold(int(value), 800, 424) for value in set(wins.tolist())}
        held = np.mean([estimates[int(w)].low <= rate <= estimates[int(w)].high for w in wins])
        high = np.mean([estimates[int(w)].corrected > rate for w in wins])
        yield Row(
            f"corrected score of promoted bots at {rate:g} (too high in {percent(float(high))}; as shown "
            f"{wins.mean() / 8:.1f} %)",
            percent(float(held)),
            "at least 95 %, 50 %",
            wins.size,
        )
        means = np.random.default_rng(15).normal(rate, 0.0177, 400_000)
        means = np.clip(means[means >= 0.53][:few], 0, 1)
        normal = [after_threshold_normal(float(mean), 0.0177, 0.53) for mean in means]
        above = percent(float(np.mean([e.corrected > rate for e in normal])))
        yield Row(
            f"the same from a mean with se 0.0177 (too high in {above})",
            percent(float(np.mean([e.low <= rate <= e.high for e in normal]))),
            "at least 95 %, 50 %",
            means.size,
        )


def group_looks(scale: Scale) -> Iterator[Row]:
    runs = scale(400_000)
    for shape in Shape:
        for name, plan in (
            ("5 equal looks", plan_looks(equal_looks(5), shape)),
            ("looks at 25, 90 and 100 %, by spending", plan_looks_by_spending((0.25, 0.9, 1.0), shape)),
        ):
            rng = np.random.default_rng(16)
            shares = np.array((0.0, *plan.shares))
            walk = (rng.normal(size=(runs, shares.size - 1)) * np.sqrt(np.diff(shares))).cumsum(axis=1)
            crossed = (np.abs(walk / np.sqrt(shares[1:])) > np.array(plan.z_limits)).any(axis=1)
            yield Row(f"{shape.value}, {name}", percent(float(crossed.mean())), "5 %", runs)


def margins(scale: Scale) -> Iterator[Row]:
    runs = scale(10_000)
    margin = Margin(elo=10.0)
    low, _ = margin.ends()
    for n_maps in (500, 5000):
        moved = 4.0 * (0.5 - low)  # one cell down is a quarter of a point
        law: Law = (0.05, 0.2 + moved, 0.5 - moved, 0.2, 0.05)
        samples = np.random.default_rng(17).multinomial(n_maps, law, size=runs)
        for name, test in (("equivalence", equivalence), ("non-inferiority", non_inferiority)):
            shown = 0
            for counts in samples:
                sample = of_tally(tally_of_counts(tuple(int(count) for count in counts)))
                shown += test(sample, margin).outcome is MarginOutcome.SHOWN
            yield Row(
                f"{name} within ±10 Elo shown for a bot that is exactly 10 Elo worse, {n_maps} maps",
                percent(shown / runs),
                "at most 5 %",
                runs,
            )


def many_candidates(scale: Scale) -> Iterator[Row]:
    runs = scale(2000)
    for good in (0.0, 0.2):
        for name in ("each at 5 %", "6α/(π²k²)", "LORD++", "SAFFRON"):
            rng = np.random.default_rng(18)
            false_share = found = any_false = 0.0
            for _ in range(runs):
                is_good = rng.uniform(size=60) < good
                z = rng.normal(size=60) + np.where(is_good, 3.5, 0.0)
                p_values = [0.5 * math.erfc(value / math.sqrt(2.0)) for value in z]
                promoted: list[bool] = []
                for index, p in enumerate(p_values):
                    if name == "LORD++":
                        level = lord_level(promoted)
                    elif name == "SAFFRON":
                        level = saffron_level(p_values[:index])
                    else:
                        level = 0.05 if name.startswith("each") else spending_level(index + 1)
                    promoted.append(p <= level)
                wrong = sum(yes and not truth for yes, truth in zip(promoted, is_good, strict=True))
                false_share += wrong / max(1, sum(promoted))
                any_false += wrong > 0
                found += (sum(promoted) - wrong) / max(1, int(is_good.sum()))
            yield Row(
                f"60 candidates, {100 * good:.0f} % of them good, {name}: any false promotion in "
                f"{percent(any_false / runs)}, good ones found {percent(found / runs)}",
                percent(false_share / runs),
                "false share at most 5 %" if not name.startswith("each") else "(no control)",
                runs,
            )


SECTIONS: dict[str, Callable[[Scale], Iterator[Row]]] = {
    "intervals": intervals,
    "other_intervals": other_intervals,
    "anytime": anytime,
    "sequential": sequential,
    "gates": gates,
    "group_looks": group_looks,
    "margins": margins,
    "many_candidates": many_candidates,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)} (all)")
    parser.add_argument("--scale", type=float, default=1.0, metavar="F", help="share of the runs to make (1)")
    args = parser.parse_args()
    unknown = [name for name in args.sections if name not in SECTIONS]
    if unknown:
        sys.exit(f"no section {unknown[0]!r}; the sections are {', '.join(SECTIONS)}")
    for name in args.sections or SECTIONS:
        print(f"\n### {name}\n\n| simulated | got | aim | runs |\n|---|---|---|---|")
        for row in SECTIONS[name](Scale(args.scale)):
            print(f"| {row.what} | {row.got} | {row.aim} | {row.runs:,} |", flush=True)


if __name__ == "__main__":
    main()

"""Bounds that hold at every moment: outside numbers, validity by simulation, properties."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.stats import confseq
from harness.stats.arguments import StatsInputError
from harness.stats.confseq import BetaMixture, EmpiricalBernstein, betting, betting_evidence
from harness.stats.intervals import IntervalState, map_t
from harness.stats.tally import MapTally
from tests.stats.vectors import Vector, vector, vectors

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]) | st.floats(0, 1), max_size=50)


def tally_of(scores: list[float]) -> MapTally:
    tally = MapTally()
    for score in scores:
        tally.add(score)
    return tally


@pytest.mark.parametrize("case", vectors("anytime_betabinomial_"), ids=lambda case: case.id)
def test_beta_mixture(case: Vector) -> None:
    wins, games = case.input["wins"], case.input["games"]
    first, second = case.input["prior"]
    got = BetaMixture(prior=(first, second))
    got.add(wins=wins, losses=games - wins)
    assert case.close(math.exp(got.log_e(0.5)), case.expected["e_value"])
    assert case.close(got.p_anytime(), case.expected["p_anytime"])
    band = got.interval(1.0 - case.input["alpha"])
    assert case.close(band.low, case.expected["cs"][0])
    assert case.close(band.high, case.expected["cs"][1])


def test_beta_mixture_remembers_its_best_evidence() -> None:
    mixture = BetaMixture()
    mixture.add(wins=20)
    best = mixture.p_anytime()
    assert best == pytest.approx(21 / 2**20)
    mixture.add(losses=20)
    assert mixture.p_anytime() == best


def test_beta_mixture_at_the_ends() -> None:
    assert BetaMixture().interval().state is IntervalState.EMPTY
    won = BetaMixture()
    won.add(wins=30)
    assert won.interval().high == 1.0
    assert 0.8 < won.interval().low < 0.95
    lost = BetaMixture()
    lost.add(losses=30)
    assert lost.interval().low == 0.0
    assert lost.interval().high == pytest.approx(1 - won.interval().low)


def test_empirical_bernstein() -> None:
    case = vector("anytime_empbern_pairs200")
    sequence = EmpiricalBernstein(1.0 - case.input["alpha"])
    got = []
    for index, score in enumerate(case.input["pair_scores"], 1):
        sequence.add(score)
        if index in case.expected["at"]:
            got.append(sequence.interval())
    for band, low, high in zip(got, case.expected["lower_at"], case.expected["upper_at"], strict=True):
        assert case.close(band.low, low)
        assert case.close(band.high, high)


def test_betting_is_between_students_t_and_empirical_bernstein() -> None:
    scores = vector("anytime_empbern_pairs200").input["pair_scores"]
    sequence = EmpiricalBernstein()
    for score in scores:
        sequence.add(score)
    band, loose, fixed = betting(tally_of(scores)), sequence.interval(), map_t(scores)
    assert fixed.high - fixed.low < band.high - band.low < loose.high - loose.low


def test_nothing_played_is_the_whole_range() -> None:
    for band in (betting(MapTally()), EmpiricalBernstein().interval()):
        assert (band.estimate, band.low, band.high, band.state) == (None, 0.0, 1.0, IntervalState.EMPTY)
    assert betting_evidence(MapTally()) == confseq.Evidence(0.0, 0.0, 0.0)


def test_perfect_and_lost_samples() -> None:
    won, lost = betting(tally_of([1.0] * 50)), betting(tally_of([0.0] * 50))
    assert won.high == 1.0
    assert 0.8 < won.low < 1.0
    assert lost.low == 0.0
    assert lost.high == pytest.approx(1.0 - won.low)


def test_the_evidence_and_the_band_say_the_same() -> None:
    tally = tally_of([0.75, 0.5, 1.0, 0.5, 0.75] * 12)
    band = betting(tally)
    edge = betting_evidence(tally, band.low)
    assert edge.log_above == pytest.approx(math.log(40.0), abs=1e-6)
    against_half = betting_evidence(tally)
    assert against_half.p_either() < 0.05
    assert band.low > 0.5
    assert against_half.log_below < 0.0


@given(SCORES)
@settings(max_examples=60)
def test_every_sample_gives_an_ordered_band_that_mirrors(scores: list[float]) -> None:
    exact = [round(score * 1024) / 1024 for score in scores]
    band, mirrored = betting(tally_of(exact)), betting(tally_of([1.0 - score for score in exact]))
    assert 0.0 <= band.low < band.high <= 1.0
    assert (band.low, band.high) == pytest.approx((1.0 - mirrored.high, 1.0 - mirrored.low), abs=1e-9)
    first, second = EmpiricalBernstein(), EmpiricalBernstein()
    for score in exact:
        first.add(score)
        second.add(1.0 - score)
    assert 0.0 <= first.interval().low <= first.interval().high <= 1.0
    assert first.interval().low == pytest.approx(1.0 - second.interval().high, abs=1e-9)


@given(SCORES.flatmap(lambda scores: st.tuples(st.just(scores), st.permutations(scores))))
@settings(max_examples=40)
def test_the_order_of_the_maps_does_not_matter(orders: tuple[list[float], list[float]]) -> None:
    first, second = (betting(tally_of(scores)) for scores in orders)
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-12)


def test_many_distinct_scores_still_give_valid_bounds() -> None:
    rng = np.random.default_rng(3)
    scores = [float(value) for value in rng.beta(3, 2, 2000)]
    rounded = betting(tally_of(scores))
    cells = tuple((score, 1) for score in sorted(scores))
    exact_low = confseq._lower_bound(cells, math.log(40.0))
    assert rounded.low <= exact_low
    assert exact_low - rounded.low < 1 / 200
    assert rounded.low < 0.6 < rounded.high


def _leaves_at_any_time(cells: tuple[float, ...], maps: int, runs: int, leaves: Callable[[MapTally], bool]) -> int:
    """Runs in which `leaves` is true at one of many looks."""
    rng = np.random.default_rng(99)
    looks = {round(20 * 1.15**step) for step in range(60)}
    count = 0
    for row in rng.choice(len(cells), p=cells, size=(runs, maps)):
        tally = MapTally()
        for index, cell in enumerate(row, 1):
            tally.add(cell / (len(cells) - 1))
            if index in looks and leaves(tally):
                count += 1
                break
    return count


def test_betting_rejects_a_true_mean_rarely_however_often_one_looks() -> None:
    def leaves(tally: MapTally) -> bool:
        return betting_evidence(tally).log_above > math.log(40) or (betting_evidence(tally).log_below > math.log(40))

    assert _leaves_at_any_time((0.1, 0.2, 0.4, 0.2, 0.1), 600, 200, leaves) <= 10


def test_a_plain_interval_rejects_a_true_mean_often_when_it_is_watched() -> None:
    def leaves(tally: MapTally) -> bool:
        moments = tally.moments()
        assert moments is not None
        return abs(moments.mean - 0.5) > 1.96 * math.sqrt(moments.variance / tally.n)

    assert _leaves_at_any_time((0.1, 0.2, 0.4, 0.2, 0.1), 600, 200, leaves) >= 40


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: betting(MapTally(), 1.0), "confidence is 1.0"),
        (lambda: betting_evidence(MapTally(), 0.0), "reference is 0.0"),
        (lambda: EmpiricalBernstein(0.0), "confidence is 0.0"),
        (lambda: EmpiricalBernstein().add(2.0), "score is 2.0"),
        (lambda: BetaMixture(prior=(0.0, 1.0)), "prior\\[0\\] is 0.0"),
        (lambda: BetaMixture().add(wins=-1), "wins is -1"),
        (lambda: BetaMixture().log_e(1.0), "p is 1.0"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()

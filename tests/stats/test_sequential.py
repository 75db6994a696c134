"""The running test, the estimate after it, and the stopped Brownian motion behind both."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from harness.stats.arguments import StatsInputError
from harness.stats.elo import EloState
from harness.stats.gsprt import llr_logistic, penta_counts, trinomial_counts
from harness.stats.sequential import MAX_CELLS, SequentialTest
from harness.stats.sprt_bounds import BayesEloBounds, Bounds, Decision, EloBounds, NeloBounds
from harness.stats.stopped_brownian import StoppedBrownian
from harness.stats.stopped_estimate import stopped_estimate
from tests.stats.vectors import Vector, vector, vectors


def test_a_whole_test_with_its_overshoot_correction() -> None:
    case = vector("sprt_sequence_overshoot")
    bounds = NeloBounds(case.input["elo0"], case.input["elo1"])
    test = SequentialTest(
        bounds,
        games_per_map=2,
        alpha=case.input["alpha"],
        beta=case.input["beta"],
        batch_maps=case.input["batch_pairs"],
        correct_overshoot=True,
    )
    llrs = []
    for increment in case.input["increments"]:
        assert test.state.decision is Decision.CONTINUE
        test.add_batch([index / 4 for index, count in enumerate(increment) for _ in range(count)])
        llrs.append(test.state.llr)
    wanted = case.expected
    assert wanted["state"] == "accepted"
    assert test.state.decision is Decision.ACCEPT_H1
    assert test.state.n_maps == wanted["batches"] * case.input["batch_pairs"]
    assert list(test.counts().counts) == wanted["final_counts"]
    assert case.close(test.state.llr, wanted["final_llr"])
    for got, llr in zip(llrs, wanted["llr_first5"], strict=False):
        assert case.close(got, llr)
    records, overshoot = test.overshoot, wanted["overshoot"]
    for got, name in (
        (records.sum_low, "m0"),
        (records.squares_low, "sq0"),
        (records.sum_high, "m1"),
        (records.squares_high, "sq1"),
        (records.lowest, "ref0"),
        (records.highest, "ref1"),
    ):
        assert case.close(got, overshoot[name])
    assert test.state.upper == pytest.approx(math.log(19) - overshoot["sq1"] / overshoot["m1"] / 2)


def test_without_the_correction_the_limits_are_walds() -> None:
    test = SequentialTest(EloBounds(0, 10), games_per_map=2)
    for _ in range(30):
        test.add(0.75)
    assert (test.state.lower, test.state.upper) == pytest.approx((-math.log(19), math.log(19)))


@pytest.mark.parametrize(("score", "decision"), [(1.0, Decision.ACCEPT_H1), (0.0, Decision.ACCEPT_H0)])
def test_a_decided_test_takes_no_more_maps(score: float, decision: Decision) -> None:
    test = SequentialTest(EloBounds(0, 100), games_per_map=2)
    for step in range(1000):
        if test.add(score if step % 2 else 0.5).decision is not Decision.CONTINUE:
            break
    assert test.state.decision is decision
    assert test.state.progress() == 1.0
    with pytest.raises(StatsInputError, match="later maps must not count"):
        test.add(0.5)


def test_a_batch_has_one_size() -> None:
    with pytest.raises(StatsInputError, match="takes 4 at a time"):
        SequentialTest(EloBounds(0, 5), games_per_map=2, batch_maps=4).add(0.5)


def test_bayeselo_bounds_are_for_single_games() -> None:
    with pytest.raises(StatsInputError, match="single games"):
        SequentialTest(BayesEloBounds(0, 5), games_per_map=2)
    test = SequentialTest(BayesEloBounds(0, 200), games_per_map=1)
    with pytest.raises(StatsInputError, match="games of 0, ½ or 1"):
        test.add(0.25)
    for score in (1.0, 0.5, 0.0, 1.0, 1.0, 1.0):
        test.add(score)
    assert test.state.llr > 0.0


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), max_size=60))
@settings(max_examples=40)
def test_a_running_test_gives_the_llr_of_its_counts(scores: list[float]) -> None:
    bounds = EloBounds(-1, 1)
    test = SequentialTest(bounds, games_per_map=2)
    for score in scores:
        test.add(score)
    counts = [scores.count(quarter / 4) for quarter in range(5)]
    assert test.state.n_maps == len(scores)
    if scores:
        assert test.state.llr == pytest.approx(llr_logistic(penta_counts(counts), bounds), abs=1e-9)


def test_many_distinct_scores_keep_their_mean_in_constant_memory() -> None:
    rng = np.random.default_rng(6)
    scores = [float(value) for value in rng.beta(2, 2, 500)]
    test = SequentialTest(EloBounds(-1, 1), games_per_map=3)
    for score in scores:
        test.add(score)
    data = test.counts()
    assert len(data.scores) == MAX_CELLS
    assert data.plain_mean() == pytest.approx(np.mean(scores), abs=1e-5)
    _, variance = data.mean_and_variance()
    assert 0.0 <= variance - float(np.var(scores)) < 1 / 2304 + 1e-4


@pytest.mark.parametrize("case", vectors("sprt_elo_penta_"), ids=lambda case: case.id)
def test_elo_after_a_test(case: Vector) -> None:
    low, high = case.input["elo0"], case.input["elo1"]
    bounds: Bounds = EloBounds(low, high) if case.input["elo_model"] == "logistic" else NeloBounds(low, high)
    data = penta_counts(case.input["results"]["pentanomial"])
    got = stopped_estimate(data, bounds, alpha=case.input["alpha"], beta=case.input["beta"])
    ends = ((got.elo, "elo"), (got.low, "low"), (got.high, "high"))
    wanted = {**case.expected, "low": case.expected["ci"][0], "high": case.expected["ci"][1]}
    for end, name in ends:
        assert end.elo is not None
        assert abs(end.elo - wanted[name]) < 1e-8  # far inside the case's own tolerance
    assert got.los.value is not None
    assert case.close(got.los.value, wanted["LOS"])
    assert case.close(got.llr, wanted["LLR"])
    assert (got.limits.lower, got.limits.upper) == pytest.approx((wanted["a"], wanted["b"]))
    assert got.sample_elo.elo != got.elo.elo


def test_an_estimate_after_a_pass_is_below_the_plain_one() -> None:
    got = stopped_estimate(penta_counts([20, 150, 400, 230, 40]), EloBounds(0, 10))
    assert got.elo.elo is not None
    assert got.sample_elo.elo is not None
    assert got.elo.elo < got.sample_elo.elo
    assert got.low.elo is not None
    assert got.high.elo is not None
    assert got.low.elo < got.elo.elo < got.high.elo


def test_exchange_mirrors_the_estimate() -> None:
    counts = [20, 150, 400, 230, 40]
    ours = stopped_estimate(penta_counts(counts), EloBounds(-5, 5))
    theirs = stopped_estimate(penta_counts(counts[::-1]), EloBounds(-5, 5))
    assert ours.elo.elo == pytest.approx(-(theirs.elo.elo or 0.0), abs=1e-6)
    assert ours.low.elo == pytest.approx(-(theirs.high.elo or 0.0), abs=1e-6)


def test_no_estimate_rests_on_the_thousandths_of_empty_cells() -> None:
    won = stopped_estimate(trinomial_counts(0, 0, 10), EloBounds(0, 5))
    assert {won.elo.state, won.low.state, won.high.state, won.los.state} == {EloState.NO_SPREAD}
    assert won.sample_elo.state is EloState.UNBOUNDED_ABOVE
    nothing = stopped_estimate(trinomial_counts(0, 0, 0), BayesEloBounds(0, 5))
    assert nothing.elo.state is EloState.NO_DATA
    assert nothing.sample_elo.state is EloState.NO_DATA


def test_an_estimate_beyond_the_scale_is_a_state() -> None:
    got = stopped_estimate(trinomial_counts(1, 0, 4000), EloBounds(0, 5))
    assert got.high.state is EloState.UNBOUNDED_ABOVE
    lost = stopped_estimate(trinomial_counts(4000, 0, 1), EloBounds(0, 5))
    assert lost.low.state is EloState.UNBOUNDED_BELOW


def test_bayeselo_bounds_give_an_estimate_from_games_only() -> None:
    got = stopped_estimate(trinomial_counts(5026, 15699, 5019), BayesEloBounds(0, 5))
    assert got.llr == pytest.approx(-2.8577, abs=1e-3)
    with pytest.raises(StatsInputError, match="need losses, draws, wins"):
        stopped_estimate(penta_counts([1, 2, 3, 4, 5]), BayesEloBounds(0, 5))


PATHS = st.builds(
    StoppedBrownian,
    lower=st.floats(-6, -0.5),
    upper=st.floats(0.5, 6),
    drift=st.floats(-3, 3),
    variance=st.floats(0.2, 4),
    start=st.floats(-0.4, 0.4),
)


@given(PATHS, st.floats(0.03, 0.4), st.floats(0.05, 0.95))
@settings(max_examples=80)
def test_waves_and_images_are_the_same_law(path: StoppedBrownian, scale: float, at: float) -> None:
    time = scale * (path.upper - path.lower) ** 2 / path.variance
    place = path.lower + at * (path.upper - path.lower)
    assert path._waves_alive(time, place) == pytest.approx(path._images_alive(time, place), abs=1e-6)
    assert path._waves_low(time) == pytest.approx(path._images_low(time), abs=1e-6)


@given(PATHS)
@settings(max_examples=60)
def test_a_path_ends_somewhere_and_its_mirror_elsewhere(path: StoppedBrownian) -> None:
    assert path.ends_high() + path.ends_low() == pytest.approx(1.0)
    mirrored = StoppedBrownian(-path.upper, -path.lower, -path.drift, path.variance, -path.start)
    assert mirrored.ends_low() == pytest.approx(path.ends_high())
    assert mirrored.expected_time() == pytest.approx(path.expected_time())


@pytest.mark.parametrize("drift", [0.0, 1e-7, 1e-4, 0.3, -2.0, 5.0])
def test_expected_time_is_the_integral_of_survival(drift: float) -> None:
    path = StoppedBrownian(-1.0, 2.0, drift, 1.0, 0.2)
    total, _ = integrate.quad(path.survival, 0, 60, limit=500, points=[0.1, 1.0])
    assert path.expected_time() == pytest.approx(total, rel=1e-8)


def test_quantiles_of_the_time() -> None:
    path = StoppedBrownian(-2.9, 2.9, 0.1, 0.5)
    assert path.survival(path.quantile_time(0.9)) == pytest.approx(0.1, abs=1e-8)
    assert path.survival(0.0) == 1.0
    assert path.quantile_time(0.5) < path.expected_time() < path.quantile_time(0.9)


def test_worse_outcomes_are_ordered() -> None:
    path = StoppedBrownian(-2.0, 2.0, 0.2, 1.0)
    early_fail, late_fail = path.worse_outcome(1.0, -2.0), path.worse_outcome(3.0, -2.0)
    middle = path.worse_outcome(3.0, 0.5)
    late_pass, early_pass = path.worse_outcome(3.0, 2.0), path.worse_outcome(1.0, 2.0)
    assert 0.0 < early_fail < late_fail < middle < late_pass < early_pass < 1.0


def test_worse_outcomes_by_simulation() -> None:
    rng = np.random.default_rng(1)
    step, runs, time, place = 0.002, 20_000, 1.0, 0.4
    x = np.zeros(runs)
    alive, low = np.ones(runs, dtype=bool), np.zeros(runs, dtype=bool)
    for _ in range(int(time / step)):
        x[alive] += 0.3 * step + math.sqrt(step) * rng.normal(size=int(alive.sum()))
        # a random walk passes a limit by 0.583 of a step on average
        edge = 0.583 * math.sqrt(step)
        low |= alive & (x <= -1.0 + edge)
        alive &= (x > -1.0 + edge) & (x < 1.5 - edge)
    share = float(np.mean(low | (alive & (x <= place))))
    path = StoppedBrownian(-1.0, 1.5, 0.3, 1.0)
    assert path.worse_outcome(time, place) == pytest.approx(share, abs=0.012)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: StoppedBrownian(-1, 1, 0.0, 0.0), "variance is 0.0"),
        (lambda: StoppedBrownian(-1, 1, math.inf, 1.0), "drift is inf"),
        (lambda: StoppedBrownian(-1, 1, 0.0, 1.0, 2.0), "start is 2.0"),
        (lambda: StoppedBrownian(-1, 1, 0.0, 1.0).quantile_time(1.0), "share is 1.0"),
        (lambda: SequentialTest(EloBounds(0, 5), games_per_map=2).add(1.2), "score is 1.2"),
        (lambda: SequentialTest(EloBounds(0, 5), games_per_map=0), "games_per_map is 0"),
        (lambda: SequentialTest(EloBounds(0, 5), games_per_map=2, batch_maps=0), "batch_maps is 0"),
        (lambda: stopped_estimate(penta_counts([1] * 5), EloBounds(0, 5), confidence=1.0), "confidence is 1.0"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()

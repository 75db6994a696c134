"""The generalised likelihood ratio: outside numbers, its equations, degenerate counts, symmetry."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize

from harness.stats import gsprt
from harness.stats.arguments import StatsInputError
from harness.stats.bayeselo_sprt import bayeselo_to_score, llr_bayeselo, sample_drawelo
from harness.stats.count_estimates import count_estimate, openbench_interval
from harness.stats.elo import EloState
from harness.stats.empirical_likelihood import fit_t_value, solve_tilt
from harness.stats.gsprt import RunningLlr, penta_counts, score_counts, trinomial_counts
from harness.stats.sprt_bounds import BayesEloBounds, EloBounds, NeloBounds, wald_limits
from tests.stats.vectors import Vector, vector, vectors

PENTA = st.lists(st.integers(0, 300), min_size=5, max_size=5).filter(any)


@pytest.mark.parametrize("case", vectors("llr_logistic_penta_"), ids=lambda case: case.id)
def test_logistic_pairs(case: Vector) -> None:
    bounds = EloBounds(case.input["elo0"], case.input["elo1"])
    assert case.close(gsprt.llr_logistic(penta_counts(case.input["counts"]), bounds), case.expected["llr"])


@pytest.mark.parametrize("case", vectors("llr_normalized_penta_"), ids=lambda case: case.id)
def test_normalized_pairs(case: Vector) -> None:
    bounds = NeloBounds(case.input["nelo0"], case.input["nelo1"])
    assert case.close(gsprt.llr_normalized(penta_counts(case.input["counts"]), bounds), case.expected["llr"])


@pytest.mark.parametrize("case", vectors("llr_logistic_trinomial_"), ids=lambda case: case.id)
def test_logistic_games(case: Vector) -> None:
    bounds = EloBounds(case.input["elo0"], case.input["elo1"])
    data = trinomial_counts(*case.input["counts_LDW"])
    assert case.close(gsprt.llr_logistic(data, bounds), case.expected["llr"])


@pytest.mark.parametrize("case", vectors("llr_normalized_trinomial_"), ids=lambda case: case.id)
def test_normalized_games(case: Vector) -> None:
    bounds = NeloBounds(case.input["elo0"], case.input["elo1"])
    data = trinomial_counts(*case.input["counts_LDW"])
    assert case.close(gsprt.llr_normalized(data, bounds), case.expected["llr"])


@pytest.mark.parametrize("case", vectors("llr_bayeselo_"), ids=lambda case: case.id)
def test_bayeselo_games(case: Vector) -> None:
    bounds = BayesEloBounds(case.input["elo0"], case.input["elo1"])
    got = llr_bayeselo(case.input["L"], case.input["D"], case.input["W"], bounds)
    assert case.close(got.llr, case.expected["llr"])
    assert case.close(got.drawelo, case.expected["drawelo"])


def test_closed_form_of_normalized_elo() -> None:
    case = vector("llr_normalized_alt_penta")
    data = penta_counts(case.input["counts"])
    bounds = NeloBounds(case.input["nelo0"], case.input["nelo1"])
    assert case.close(gsprt.llr_normalized_approximate(data, bounds), case.expected["llr_alt"])
    assert case.close(gsprt.llr_normalized(data, bounds), case.expected["llr_exact"])


@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.01, 0.05)])
def test_wald_limits(alpha: float, beta: float) -> None:
    case = vector(f"sprt_bounds_{alpha}_{beta}")
    limits = wald_limits(alpha, beta)
    assert case.close(limits.lower, case.expected["lower"])
    assert case.close(limits.upper, case.expected["upper"])


@pytest.mark.parametrize("case", vectors("elo_estimate_penta_"), ids=lambda case: case.id)
def test_estimates_from_pairs_as_other_tools_print_them(case: Vector) -> None:
    got, wanted = count_estimate(penta_counts(case.input["counts"])), case.expected
    assert case.close(got.elo, wanted["elo"])
    assert case.close(got.elo_half_width, wanted["elo95"])
    assert case.close(got.los, wanted["los"])
    assert case.close(got.nelo, wanted["nelo"])
    assert case.close(got.nelo_half_width, wanted["nelo95"])
    assert case.close(got.score, wanted["score"])
    assert case.close(got.score_se, wanted["score_se"])
    student = openbench_interval(case.input["counts"])
    ends = (student.low.elo, student.estimate.elo, student.high.elo)
    for end, wanted_end in zip(ends, wanted["openbench_t_interval"], strict=True):
        assert end is not None
        assert case.close(end, wanted_end)


def test_estimates_from_games_as_other_tools_print_them() -> None:
    case = vector("elo_estimate_trinomial_fastchess_wdl2")
    got, wanted = count_estimate(trinomial_counts(*case.input["counts_LDW"])), case.expected
    assert case.close(got.elo, wanted["elo"])
    assert case.close(got.elo_half_width, wanted["elo95"])
    assert case.close(got.los, wanted["los"])
    assert case.close(got.nelo, wanted["nelo"])
    assert case.close(got.nelo_half_width, wanted["nelo95"])


def test_openbench_interval_without_an_end_is_a_state() -> None:
    assert openbench_interval([0, 0, 1, 0, 0]).estimate.state is EloState.NO_DATA
    assert openbench_interval([0, 0, 0, 0, 9]).high.state is EloState.UNBOUNDED_ABOVE


@given(PENTA, st.floats(-40, 40), st.floats(0.5, 40))
@settings(max_examples=60)
def test_exchanging_the_bots_and_the_hypotheses_negates_the_llr(counts: list[int], low: float, width: float) -> None:
    mirrored = penta_counts(counts[::-1])
    data = penta_counts(counts)
    elo, back = EloBounds(low, low + width), EloBounds(-low - width, -low)
    assert gsprt.llr_logistic(data, elo) == pytest.approx(-gsprt.llr_logistic(mirrored, back), rel=1e-6, abs=1e-7)
    nelo, nback = NeloBounds(low, low + width), NeloBounds(-low - width, -low)
    got, other = gsprt.llr_normalized(data, nelo), gsprt.llr_normalized(mirrored, nback)
    assert math.isfinite(got)
    assert got == pytest.approx(-other, rel=1e-6, abs=1e-7)


@given(PENTA, st.integers(2, 9))
@settings(max_examples=60)
def test_more_of_the_same_counts_is_that_many_times_the_evidence(counts: list[int], factor: int) -> None:
    assume(all(counts))
    bounds = EloBounds(0, 7)
    many = gsprt.llr_logistic(penta_counts([factor * count for count in counts]), bounds)
    assert many == pytest.approx(factor * gsprt.llr_logistic(penta_counts(counts), bounds), rel=1e-9, abs=1e-9)


@given(PENTA)
@settings(max_examples=60)
def test_a_better_pair_never_lowers_the_llr(counts: list[int]) -> None:
    worst = next(index for index, count in enumerate(counts) if count)
    assume(worst < 4 and counts[worst] > 1 and counts[worst + 1] > 0)
    better = list(counts)
    better[worst] -= 1
    better[worst + 1] += 1
    bounds = EloBounds(0, 5)
    assert gsprt.llr_logistic(penta_counts(better), bounds) > gsprt.llr_logistic(penta_counts(counts), bounds)


def _profile(scores: tuple[float, ...], shares: list[float], t: float) -> float:
    """Best Σ share·ln(p/share) under (mean − ½)/sd = t, by a general optimiser from several starts."""
    a, q = np.array(scores), np.array(shares)
    minimise: Any = optimize.minimize  # its stubs know no mix of these arguments
    starts: list[Any] = [q, np.full(q.size, 1 / q.size), 0.5 * q + 0.5 / q.size]

    def gap(p: Any) -> float:
        mean = float(p @ a)
        return mean - 0.5 - t * math.sqrt(max(1e-15, float(p @ (a - mean) ** 2)))

    best = -math.inf
    for start in starts:
        found = minimise(
            lambda p: -float(q @ np.log(np.maximum(p, 1e-14) / q)),
            start,
            constraints=optimize.NonlinearConstraint(lambda p: np.array([p.sum() - 1.0, gap(p)]), 0.0, 0.0),
            bounds=[(1e-12, 1.0)] * q.size,
            method="SLSQP",
            tol=1e-13,
        )
        if abs(gap(found.x)) < 1e-7 and abs(found.x.sum() - 1.0) < 1e-7:
            best = max(best, -float(found.fun))
    return best


@pytest.mark.parametrize("t", [-0.3, 0.02, 0.25])
@pytest.mark.parametrize("counts", [(3, 14, 40, 17, 6), (1, 9, 9, 7, 10), (5, 1, 30, 2, 0)])
def test_the_t_value_fit_is_the_most_likely_law(counts: tuple[int, ...], t: float) -> None:
    data = penta_counts(counts)
    shares = [count / data.total for count in data.counts]
    fit = fit_t_value(data.scores, shares, t)
    assert fit.log_ratio == pytest.approx(_profile(data.scores, shares, t), abs=2e-7)


@given(PENTA, st.floats(-0.5, 0.5) | st.floats(-60, 60))
@settings(max_examples=100)
def test_the_t_value_fit_has_its_t_value(counts: list[int], t: float) -> None:
    data = penta_counts(counts)
    shares = [count / data.total for count in data.counts]
    fit = fit_t_value(data.scores, shares, t)
    sigma = fit.sigma
    mean = 0.5 + t * sigma
    gaps = [a - 0.5 - 0.5 * t * (sigma + (a - mean) ** 2 / sigma) for a in data.scores]
    if abs(t) < 1e-12:
        gaps = [a - 0.5 for a in data.scores]
    law = [share / (1 + fit.theta * gap) for share, gap in zip(shares, gaps, strict=True)]
    got_mean = sum(p * a for p, a in zip(law, data.scores, strict=True))
    got_sd = math.sqrt(sum(p * (a - got_mean) ** 2 for p, a in zip(law, data.scores, strict=True)))
    assert sum(law) == pytest.approx(1.0, abs=1e-6)
    assert (got_mean - 0.5) / got_sd == pytest.approx(t, abs=1e-6, rel=1e-6)


def test_a_far_hypothesis_fits_best_where_all_maps_gave_one_score() -> None:
    # any mean above ½ with next to no spread: all maps at ¾ are as good as certain
    data = penta_counts([0, 0, 0, 3, 0])
    llrs = [gsprt.llr_normalized(data, NeloBounds(0.0, nelo)) for nelo in (1e-6, 100.0, 3000.0, 20_000.0)]
    assert llrs == pytest.approx((8.6347e-9, 0.62913, 1.20839, 1.19993), rel=1e-4)


def test_the_tilt_solves_its_equation_next_to_a_pole() -> None:
    shares, gaps = [1e-9, 0.3, 0.7 - 1e-9], [-0.5, 0.1, 0.5]
    theta = solve_tilt(shares, gaps)
    terms = [share * gap / (1 + theta * gap) for share, gap in zip(shares, gaps, strict=True)]
    assert sum(terms) == pytest.approx(0.0, abs=1e-6)  # one unit in the last place of θ moves it by 1e-7
    with pytest.raises(StatsInputError, match="not between"):
        solve_tilt([0.5, 0.5], [0.1, 0.2])


def test_any_scores_give_what_pairs_and_games_give() -> None:
    counts = (3, 14, 40, 17, 6)
    cells = [(index / 4, count) for index, count in enumerate(counts)]
    for bounds in (EloBounds(0, 9), EloBounds(-20, 3)):
        same = gsprt.llr_logistic(score_counts(cells, 2), bounds)
        assert same == pytest.approx(gsprt.llr_logistic(penta_counts(counts), bounds))
    games = [(0.0, 30), (0.5, 41), (1.0, 33)]
    bounds_n = NeloBounds(0, 9)
    assert gsprt.llr_normalized(score_counts(games, 1), bounds_n) == pytest.approx(
        gsprt.llr_normalized(trinomial_counts(30, 41, 33), bounds_n)
    )


def test_wins_and_losses_alone_are_a_law_of_their_own() -> None:
    data = score_counts([(0.0, 40), (1.0, 52)], 1)
    bounds = NeloBounds(0.0, 100.0)
    t0, t1 = bounds.t_values(1)
    chances = [0.5 + 0.5 * t / math.sqrt(1 + t * t) for t in (t0, t1)]
    wanted = 52 * math.log(chances[1] / chances[0]) + 40 * math.log((1 - chances[1]) / (1 - chances[0]))
    assert gsprt.llr_normalized(data, bounds) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("bounds", "score_p"),
    [
        (EloBounds(0, 8), (0.05, 0.2, 0.5, 0.2, 0.05)),
        (NeloBounds(0, 8), (0.05, 0.2, 0.5, 0.2, 0.05)),
        (NeloBounds(-6, 2), (0.0, 0.02, 0.96, 0.02, 0.0)),
        (NeloBounds(-4, 4), (0.3, 0.0, 0.0, 0.0, 0.7)),
    ],
)
def test_one_map_at_a_time_gives_what_the_counts_give(
    bounds: EloBounds | NeloBounds, score_p: tuple[float, ...]
) -> None:
    rng = np.random.default_rng(4)
    running = RunningLlr(bounds, 2.0)
    counts = [0] * 5
    for index, cell in enumerate(rng.choice(5, p=score_p, size=400)):
        counts[cell] += 1
        data = penta_counts(counts)
        got = running.update(data)
        if index % 37 == 0:
            direct = (
                gsprt.llr_logistic(data, bounds)
                if isinstance(bounds, EloBounds)
                else gsprt.llr_normalized(data, bounds)
            )
            assert got == pytest.approx(direct, abs=1e-8)


def test_bayeselo_and_half_a_point_are_different_models() -> None:
    drawelo = sample_drawelo(300, 400, 330)
    assert bayeselo_to_score(0.0, drawelo) == pytest.approx(0.5)
    assert 0.5 < bayeselo_to_score(10.0, drawelo) < 1 / (1 + 10 ** (-10 / 400))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: EloBounds(5, 0), "elo0 is 5 and elo1 is 0"),
        (lambda: NeloBounds(0, math.inf), "nelo1 is inf"),
        (lambda: BayesEloBounds(math.nan, 1), "bayeselo0 is nan"),
        (lambda: wald_limits(0.6, 0.5), "alpha \\+ beta is 1.1"),
        (lambda: wald_limits(0.0, 0.5), "alpha is 0.0"),
        (lambda: penta_counts([1, 2, 3]), "counts has 3 cells"),
        (lambda: penta_counts([1, 2, -3, 0, 0]), "counts\\[2\\] is -3"),
        (lambda: score_counts([(1.5, 3)], 1), "score is 1.5"),
        (lambda: gsprt.llr_t_value(penta_counts([1] * 5), math.nan, 0.1), "t0 is nan"),
        (lambda: gsprt.llr_t_value(penta_counts([1] * 5), 0.0, 1e9), "too far apart"),
        (lambda: NeloBounds(0, 5).t_values(0), "games_per_map is 0"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()


def test_a_bound_without_its_unit_cannot_be_written() -> None:
    with pytest.raises(TypeError):
        EloBounds(elo0=0.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        EloBounds(nelo0=0.0, nelo1=5.0)  # type: ignore[call-arg]

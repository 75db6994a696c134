"""Ratings: the numbers of other programs, properties of the likelihood, and pools that have no finite answer.

A line over 500: the pools and the likelihood written out at the top serve every test below.
"""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.stats.arguments import StatsInputError
from harness.stats.bradley_terry import BradleyTerryFit, FitState, fit_bradley_terry
from harness.stats.draw_models import DrawModel
from harness.stats.elo import to_score
from harness.stats.pair_counts import (
    CountedRow,
    PairCounts,
    counts_from_games,
    counts_from_points,
    counts_from_rows,
    relabelled,
)
from harness.stats.priors import AverageDraws, GammaStrength, NoPrior, PairPoints, Prior, SpreadDraws
from harness.stats.rating_scale import ELO_PER_LOGIT, bayeselo_scale
from harness.stats.seat_bound import seat_is_bounded
from tests.stats.pools import Duel, aggregate, counts_of_vector, duels, play_round_robin
from tests.stats.vectors import Vector, vector, vectors

PRIORS: list[Prior] = [NoPrior(), AverageDraws(), PairPoints(0.5), SpreadDraws(2.0), GammaStrength(0.05)]
FINITE_PRIORS: list[Prior] = [AverageDraws(), PairPoints(0.5), SpreadDraws(2.0), GammaStrength(0.05)]


def from_points(case: Vector) -> PairCounts:
    points = np.array(case.input["points"], dtype=np.float64)
    return counts_from_points(points, case.input.get("names") or [str(i) for i in range(len(points))])


def gap(fit: BradleyTerryFit, one: int, other: int) -> float:
    assert fit.comparable(one, other)
    return ELO_PER_LOGIT * float(fit.theta[one] - fit.theta[other])


# ------------------------------------------------------------------------------- numbers of other programs


@pytest.mark.parametrize("case", vectors("bt_ml_"), ids=lambda case: case.id)
def test_maximum_likelihood(case: Vector) -> None:
    counts = counts_of_vector(case.input["games"]) if "games" in case.input else from_points(case)
    fit = fit_bradley_terry(counts, prior=NoPrior())
    assert fit.state is FitState.FITTED
    wanted = case.expected["elo"]
    for i, (name, rating) in enumerate(zip(fit.names, fit.ratings, strict=True)):
        assert rating is not None
        assert case.close(rating - 1500.0, wanted[name] if isinstance(wanted, dict) else wanted[i])


def test_two_bots_75_to_25() -> None:
    case = vector("bt_two_75_25")
    fit = fit_bradley_terry(from_points(case), prior=NoPrior())
    assert case.close(gap(fit, 0, 1), case.expected["elo_difference"])
    assert case.close(to_score(gap(fit, 0, 1)), case.expected["expected_score"])
    assert case.close(to_score(-gap(fit, 0, 1)), 1.0 - case.expected["expected_score"])


def test_unbeaten_with_points_each_way() -> None:
    case = vector("bt_unbeaten_prior")
    fit = fit_bradley_terry(from_points(case), prior=PairPoints(case.input["prior_points_each_way"]))
    assert case.close(gap(fit, 0, 1), case.expected["elo_difference"])


def test_seed_ladder() -> None:
    case = vector("bt_seed_ladder_004")
    fit = fit_bradley_terry(from_points(case))
    for rating, wanted in zip(fit.ratings, case.expected["rating"], strict=True):
        assert rating is not None
        assert case.close(rating, wanted)


@pytest.mark.parametrize("case", vectors("bt_anchor_"), ids=lambda case: case.id)
def test_anchors_are_held_exactly(case: Vector) -> None:
    anchors = case.input.get("anchor") or case.input["anchors"]
    fit = fit_bradley_terry(counts_of_vector(case.input["games"]), prior=NoPrior(), anchors=anchors)
    for name, rating in zip(fit.names, fit.ratings, strict=True):
        assert rating is not None
        assert case.close(rating, case.expected["elo"][name])
        if name in anchors:
            assert rating == pytest.approx(anchors[name], abs=1e-9)


@pytest.mark.parametrize("case", vectors("bt_perfect_pair_prior_"), ids=lambda case: case.id)
def test_perfect_score_with_points_each_way(case: Vector) -> None:
    fit = fit_bradley_terry(
        counts_of_vector(case.input["games"]), prior=PairPoints(case.input["prior_points_each_way"])
    )
    assert fit.state is FitState.FITTED
    for name, rating in zip(fit.names, fit.ratings, strict=True):
        assert rating is not None
        assert case.close(rating - 1500.0, case.expected["elo"][name])


def test_gamma_prior_is_choix_alpha() -> None:
    case = vector("bt_perfect_choix_alpha")
    fit = fit_bradley_terry(from_points(case), prior=GammaStrength(case.input["alpha"]))
    for theta, wanted in zip(fit.theta, case.expected["log_strength"], strict=True):
        assert case.close(float(theta), wanted)


def test_perfect_score_without_prior_is_a_state() -> None:
    case = vector("bt_perfect_score_ordo")
    fit = fit_bradley_terry(counts_of_vector(case.input["games"]), prior=NoPrior())
    assert fit.state is FitState.UNBOUNDED
    assert fit.rating(0) is None
    assert any("A won every game" in words for words in fit.words)
    assert not fit.comparable(0, 1)
    # Between the others all is well, and it is what Ordo prints of them when forced.
    assert gap(fit, 1, 2) == pytest.approx(2 * case.expected["ordo_force"]["B"], abs=1e-3)


def test_disconnected_pool() -> None:
    case = vector("bt_disconnected")
    fit = fit_bradley_terry(counts_of_vector(case.input["games"]), prior=NoPrior())
    assert fit.state is FitState.DISCONNECTED
    groups: dict[int, list[str]] = {}
    for name, label in zip(fit.names, fit.connectivity.group.tolist(), strict=True):
        groups.setdefault(label, []).append(name)
    assert list(groups.values()) == case.expected["groups"]
    for name, rating in zip(fit.names, fit.ratings, strict=True):
        assert rating is not None
        assert case.close(rating - 1500.0, case.expected["within_group_elo"][name])
    assert fit.comparable(0, 1)
    assert not fit.comparable(0, 2)
    assert "2 groups of bots never met: A, B; C, D." in fit.words[0]


def test_disconnected_pool_with_the_average_prior() -> None:
    case = vector("bt_disconnected_avg_prior")
    fit = fit_bradley_terry(counts_of_vector(case.input["games"]))
    assert fit.state is FitState.FITTED
    for name, rating in zip(fit.names, fit.ratings, strict=True):
        assert rating is not None
        assert case.close(rating - 1500.0, case.expected["elo"][name])
    assert any("come from the prior alone" in words for words in fit.words)


@pytest.mark.parametrize(
    "case", [case for case in vectors("bayeselo_") if "elo" in case.expected], ids=lambda case: case.id
)
def test_bayeselo(case: Vector) -> None:
    draws = case.input["prior_draws"]
    options: dict[str, Any] = {"draw_model": DrawModel.RAO_KUPPER, "prior": SpreadDraws(draws) if draws else NoPrior()}
    if case.input["advantage"] == "estimated":
        options["fit_seat"] = True
    else:
        options |= {"seat_elo": case.input["advantage"], "drawelo": case.input["drawelo"]}
    fit = fit_bradley_terry(counts_of_vector(case.input["games"]), **options)
    assert case.tolerance is not None
    for name, rating in zip(fit.names, fit.ratings, strict=True):
        assert rating is not None
        assert abs(rating - 1500.0 - case.expected["elo"][name]) < case.tolerance
    assert fit.drawelo is not None
    assert abs(fit.seat_elo - case.expected["advantage"]) < case.tolerance
    assert abs(fit.drawelo - case.expected["drawelo"]) < case.tolerance
    assert bayeselo_scale(fit.drawelo) == pytest.approx(case.expected["bayeselo_scale"], abs=1e-6)


# ------------------------------------------------------------------------------------------- properties


def penalised(fit: BradleyTerryFit, shift: np.ndarray[Any, Any]) -> float:
    from harness.stats.fit_problem import Point

    at = fit.optimum
    return fit.problem.curvature_at(Point(at.theta + shift, at.seat, at.draw)).value


@given(duels(), st.sampled_from(PRIORS), st.sampled_from(list(DrawModel)), st.booleans())
def test_the_fit_is_a_maximum_or_a_state(games: list[Duel], prior: Prior, model: DrawModel, fit_seat: bool) -> None:
    counts = aggregate(games)
    fit = fit_bradley_terry(counts, prior=prior, draw_model=model, fit_seat=fit_seat)
    assert np.isfinite(fit.theta).all()
    for rating in fit.ratings:
        assert rating is None or math.isfinite(rating)
    if fit.state is not FitState.FITTED:
        assert fit.words
        return
    here = fit.problem.curvature_at(fit.optimum)
    free = ~fit.problem.fixed
    assert np.abs(here.slope[free]).max(initial=0.0) < 1e-6 * (1.0 + counts.games.sum())
    assert np.abs(here.extra_slope).max(initial=0.0) < 1e-6 * (1.0 + counts.games.sum())
    assert float(fit.theta.mean()) == pytest.approx(0.0, abs=1e-9)
    for bot in np.flatnonzero(free).tolist():
        for step in (-0.05, 0.05):
            shift = np.zeros(counts.n_bots)
            shift[bot] = step
            assert penalised(fit, shift) <= here.value + 1e-9


@given(duels(), st.sampled_from(FINITE_PRIORS))
def test_a_finite_prior_always_gives_finite_ratings_inside_a_group(games: list[Duel], prior: Prior) -> None:
    fit = fit_bradley_terry(aggregate(games), prior=prior)
    assert fit.state in {FitState.FITTED, FitState.DISCONNECTED}


@given(duels(max_bots=4), st.sampled_from(PRIORS), st.booleans())
def test_exchanging_all_results_negates_every_rating(games: list[Duel], prior: Prior, fit_seat: bool) -> None:
    assume(not isinstance(prior, GammaStrength))  # a gamma law on strengths is not symmetric
    fit = fit_bradley_terry(aggregate(games), prior=prior, fit_seat=fit_seat)
    other = fit_bradley_terry(aggregate([(m, a, b, 1.0 - s) for m, a, b, s in games]), prior=prior, fit_seat=fit_seat)
    assert fit.state == other.state
    if fit.state is FitState.FITTED:
        assert np.allclose(fit.theta, -other.theta, atol=1e-7)
        assert fit.seat_logit == pytest.approx(-other.seat_logit, abs=1e-7)


@given(duels(), st.sampled_from(PRIORS), st.randoms(use_true_random=False))
def test_names_and_order_change_nothing(games: list[Duel], prior: Prior, random: Any) -> None:
    counts = aggregate(games)
    order = list(range(counts.n_bots))
    random.shuffle(order)
    fit = fit_bradley_terry(counts, prior=prior)
    moved = fit_bradley_terry(relabelled(counts, order), prior=prior)
    assert fit.state == moved.state
    assert np.allclose(fit.theta[order], moved.theta, atol=1e-7)


@given(duels(max_bots=3), st.integers(2, 5))
def test_playing_all_again_changes_no_maximum_likelihood(games: list[Duel], times: int) -> None:
    one = fit_bradley_terry(aggregate(games), prior=NoPrior())
    many = fit_bradley_terry(aggregate(games * times), prior=NoPrior())
    assert one.state == many.state
    assert np.allclose(one.theta, many.theta, atol=1e-7)


GIVEN_DRAWS: list[dict[str, Any]] = [
    {},
    {"draw_model": DrawModel.RAO_KUPPER, "drawelo": 97.3},
    {"draw_model": DrawModel.DAVIDSON, "davidson_nu": 0.8},
]


@given(duels(max_bots=4), st.sampled_from(GIVEN_DRAWS))
def test_a_win_for_a_draw_raises_the_lead(games: list[Duel], options: dict[str, Any]) -> None:
    before = fit_bradley_terry(aggregate([(0, 0, 1, 0.5), *games]), **options)
    after = fit_bradley_terry(aggregate([(0, 0, 1, 1.0), *games]), **options)
    assert gap(after, 0, 1) > gap(before, 0, 1)


def test_draw_models_are_told_apart() -> None:
    counts = counts_of_vector(vector("bt_ml_four_players_draws").input["games"])
    spreads = {
        model: float(np.ptp(fit_bradley_terry(counts, prior=NoPrior(), draw_model=model).theta)) for model in DrawModel
    }
    assert spreads[DrawModel.RAO_KUPPER] > spreads[DrawModel.HALF_POINT] + 0.01
    assert spreads[DrawModel.DAVIDSON] > spreads[DrawModel.HALF_POINT] + 0.01
    fit = fit_bradley_terry(counts, draw_model=DrawModel.DAVIDSON)
    assert fit.davidson_nu is not None
    assert "Davidson" in fit.describe()
    assert fit.drawelo is None


def test_davidson_reproduces_the_draw_rate_of_equal_bots() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 20, 60, 20)])
    fit = fit_bradley_terry(counts, prior=NoPrior(), draw_model=DrawModel.DAVIDSON)
    assert fit.davidson_nu is not None
    assert fit.davidson_nu / (2.0 + fit.davidson_nu) == pytest.approx(0.6, abs=1e-9)


def test_fixed_draw_parameters() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 20, 60, 10), CountedRow("b", "a", 10, 20, 30)])
    fit = fit_bradley_terry(counts, draw_model=DrawModel.DAVIDSON, davidson_nu=0.7)
    assert fit.davidson_nu == pytest.approx(0.7)
    assert not fit.draw_fitted


@pytest.mark.parametrize("model", [DrawModel.RAO_KUPPER, DrawModel.DAVIDSON])
def test_derivatives_match_differences(model: DrawModel) -> None:
    from dataclasses import replace

    counts = counts_of_vector(vector("bt_ml_four_players_draws").input["games"])
    fit = fit_bradley_terry(counts, draw_model=model, fit_seat=True)
    problem = fit.problem
    point = replace(fit.optimum, theta=fit.optimum.theta + np.array([0.3, -0.2, 0.1, 0.4]), seat=0.5)
    here = problem.curvature_at(point)
    step = 1e-5
    up, down = (problem.curvature_at(replace(point, seat=point.seat + move)) for move in (step, -step))
    assert (up.value - down.value) / (2 * step) == pytest.approx(here.extra_slope[0], rel=1e-6)
    assert np.allclose((up.slope - down.slope) / (2 * step), -here.columns[:, 0], rtol=1e-6, atol=1e-6)
    up, down = (problem.curvature_at(replace(point, draw=point.draw + move)) for move in (step, -step))
    assert (up.value - down.value) / (2 * step) == pytest.approx(here.extra_slope[1], rel=1e-6)
    assert np.allclose((up.extra_slope - down.extra_slope) / (2 * step), -here.corner[:, 1], rtol=1e-5)
    assert np.allclose((up.slope - down.slope) / (2 * step), -here.columns[:, 1], rtol=1e-5, atol=1e-6)


def test_seat_term_takes_the_seat_out_of_unbalanced_results() -> None:
    # Equal bots, the first seat wins three in four; a mostly sits first.
    counts = counts_from_rows([CountedRow("a", "b", 75, 0, 25), CountedRow("b", "a", 15, 0, 5)])
    plain = fit_bradley_terry(counts, prior=NoPrior())
    with_seat = fit_bradley_terry(counts, prior=NoPrior(), fit_seat=True)
    assert gap(plain, 0, 1) > 100.0
    assert gap(with_seat, 0, 1) == pytest.approx(0.0, abs=1e-6)
    assert with_seat.seat_elo == pytest.approx(400.0 * math.log10(3.0), abs=1e-6)


def test_anchors_with_a_prior_pull_towards_the_anchors() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 5, 0, 0)])
    fit = fit_bradley_terry(counts, anchors={"b": 2500.0})
    rating = fit.rating(0)
    assert rating is not None
    assert 2500.0 < rating < 3200.0


# --------------------------------------------------------------------------------- pools with no answer


def test_no_games_at_all() -> None:
    fit = fit_bradley_terry(counts_from_rows([CountedRow("a", "b", 0, 0, 0)]))
    assert fit.state is FitState.NO_GAMES
    assert fit.ratings == (None, None)
    assert not fit.comparable(0, 1)


def test_a_bot_without_games_has_no_rating() -> None:
    rows = [CountedRow("a", "b", 3, 1, 2), CountedRow("a", "idle", 0, 0, 0)]
    for prior in PRIORS:
        fit = fit_bradley_terry(counts_from_rows(rows), prior=prior)
        assert fit.state is FitState.FITTED
        assert fit.rating(2) is None
        assert any("idle: no games" in words for words in fit.words)
        assert fit.rating(0) is not None


def test_everything_drawn() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 0, 9, 0), CountedRow("b", "a", 0, 9, 0)])
    for model in DrawModel:
        fit = fit_bradley_terry(counts, prior=NoPrior(), draw_model=model, fit_seat=True)
        assert fit.state is FitState.FITTED
        assert fit.theta == pytest.approx([0.0, 0.0])
        assert fit.draw_parameter is None
        if model is not DrawModel.HALF_POINT:
            assert "Every game was drawn" in fit.words[0]


def test_nothing_drawn_says_so() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 6, 0, 3), CountedRow("b", "a", 5, 0, 4)])
    fit = fit_bradley_terry(counts, draw_model=DrawModel.RAO_KUPPER)
    assert fit.draw_model is DrawModel.HALF_POINT
    assert "No game was drawn" in fit.words[0]


def test_davidson_without_a_maximum_is_a_state() -> None:
    # a always beats c, a–b and b–c are always drawn: the likelihood keeps growing with the draw rate.
    rows = [CountedRow("a", "c", 4, 0, 0), CountedRow("a", "b", 0, 4, 0), CountedRow("b", "c", 0, 4, 0)]
    fit = fit_bradley_terry(counts_from_rows(rows), prior=NoPrior(), draw_model=DrawModel.DAVIDSON)
    assert fit.state is FitState.NOT_CONVERGED
    assert fit.ratings == (None, None, None)
    assert "The fit failed" in fit.words[-1]


@pytest.mark.parametrize("prior", PRIORS)
def test_seat_that_always_wins_has_no_estimate(prior: Prior) -> None:
    rows = [CountedRow("a", "b", 4, 0, 0), CountedRow("b", "a", 5, 0, 0)]
    fit = fit_bradley_terry(counts_from_rows(rows), prior=prior, fit_seat=True)
    assert fit.state is FitState.FITTED
    if isinstance(prior, SpreadDraws):
        assert fit.seat_fitted  # BayesElo's imaginary draws sit in seats and bound it
    else:
        assert not fit.seat_fitted
        assert any("seat term cannot be estimated" in words for words in fit.words)


def test_seat_that_never_changes_cannot_be_told_from_strength() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 6, 0, 4)])
    fit = fit_bradley_terry(counts, prior=NoPrior(), fit_seat=True)
    assert not fit.seat_fitted
    assert gap(fit, 0, 1) == pytest.approx(400 * math.log10(1.5), abs=1e-6)


@given(duels(max_bots=4, max_games=14), st.booleans())
def test_a_seat_term_that_is_kept_is_finite(games: list[Duel], with_anchor: bool) -> None:
    counts = aggregate(games)
    anchors = {counts.names[0]: 1600.0, counts.names[1]: 1400.0} if with_anchor else None
    fit = fit_bradley_terry(counts, prior=NoPrior(), fit_seat=True, anchors=anchors)
    assert fit.state is not FitState.NOT_CONVERGED
    assert abs(fit.seat_logit) < 30.0


@given(duels(max_bots=5, max_games=16), st.booleans())
def test_seat_bound_is_the_linear_program(games: list[Duel], with_anchors: bool) -> None:
    """Bounded exactly if no direction of ratings and seat makes no result less likely (anchors moving as one)."""
    from scipy.optimize import linprog

    counts = aggregate(games)
    n = counts.n_bots
    anchors = [0, 1] if with_anchors else []
    rows = []
    for a, b, won, drawn, lost in zip(
        counts.first, counts.second, counts.wins, counts.draws, counts.losses, strict=True
    ):
        for sign, happened in ((-1.0, won + drawn), (1.0, lost + drawn)):
            if happened:
                row = np.zeros(n + 1)
                row[[a, b, n]] = sign, -sign, sign
                rows.append(row)
    held = np.zeros((1, n + 1))
    if with_anchors:
        held[0, :2] = 1.0, -1.0
    feasible = False
    for seat in (1.0, -1.0):
        bounds = [(-50.0, 50.0)] * n + [(seat, seat)]
        found = linprog(
            np.zeros(n + 1), A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=held, b_eq=[0.0], bounds=bounds
        )
        feasible = feasible or found.status == 0
    bounded = seat_is_bounded(counts, np.zeros(n, dtype=np.int64), NoPrior(), anchors)
    assert bounded == (not feasible)


def test_two_anchors_that_never_met_do_not_make_two_groups() -> None:
    rows = [CountedRow("a", "x", 3, 0, 2), CountedRow("b", "y", 3, 0, 2)]
    fit = fit_bradley_terry(counts_from_rows(rows), prior=NoPrior(), anchors={"a": 1700.0, "b": 1300.0})
    assert fit.state is FitState.FITTED
    assert gap(fit, 1, 3) == pytest.approx(400.0, abs=1e-6)


# ------------------------------------------------------------------------------------- large pools


def neighbours(n: int, reach: int, *, ring: bool) -> PairCounts:
    rng = np.random.default_rng(11)
    strength = rng.normal(0.0, 0.8, n)
    first = np.repeat(np.arange(n), 4 * reach)
    step = rng.integers(1, reach + 1, first.size) if ring else rng.integers(1, n, first.size)
    second = (first + step) % n
    lead = strength[first] - strength[second] + 0.2
    points = (rng.random(first.size) < 1.0 / (1.0 + np.exp(-lead))).astype(np.float64)
    points[::7] = 0.5
    return counts_from_games([str(i) for i in range(n)], first, second, points)


@pytest.mark.parametrize("ring", [True, False])
@pytest.mark.parametrize("prior", [NoPrior(), AverageDraws()])
def test_sparse_solvers_agree_with_the_dense_one(ring: bool, prior: Prior, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.stats import normal_matrix

    counts = neighbours(120, 3 if ring else 10, ring=ring)
    dense = fit_bradley_terry(counts, prior=prior, fit_seat=True)
    monkeypatch.setattr(normal_matrix, "_DENSE_BOTS", 10)
    monkeypatch.setattr(normal_matrix, "_BAND_WORK", 120.0 * 30.0**2)
    sparse = fit_bradley_terry(counts, prior=prior, fit_seat=True)
    kind = normal_matrix.BandedSolver if ring else normal_matrix.GradientSolver
    assert isinstance(sparse.problem.solver, kind)
    assert np.allclose(dense.theta, sparse.theta, atol=1e-8)
    assert sparse.seat_logit == pytest.approx(dense.seat_logit, abs=1e-8)


def test_sparse_solvers_hold_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.stats import normal_matrix

    counts = neighbours(120, 3, ring=True)
    anchors = {"5": 1900.0, "60": 1300.0}
    dense = fit_bradley_terry(counts, anchors=anchors)
    monkeypatch.setattr(normal_matrix, "_DENSE_BOTS", 10)
    for work in (1e12, 1.0):
        monkeypatch.setattr(normal_matrix, "_BAND_WORK", work)
        sparse = fit_bradley_terry(counts, anchors=anchors)
        assert np.allclose(dense.theta, sparse.theta, atol=1e-8)


# ----------------------------------------------------------------------------------------- arguments


def test_arguments_that_make_no_sense_are_refused() -> None:
    counts = counts_from_rows([CountedRow("a", "b", 3, 1, 2)])
    table = counts_from_points(np.array([[0.0, 3.0], [2.0, 0.0]]), ["a", "b"])
    refused: list[tuple[PairCounts, dict[str, Any], str]] = [
        (counts, {"anchors": {"nobody": 1500.0}}, "no bot named 'nobody'"),
        (counts, {"anchors": {"a": math.inf}}, "anchor 'a' is inf"),
        (counts, {"drawelo": 97.3}, "drawelo belongs"),
        (counts, {"davidson_nu": 1.0}, "davidson_nu belongs"),
        (counts, {"seat_elo": math.nan}, "seat_elo is nan"),
        (counts, {"draw_model": DrawModel.RAO_KUPPER, "drawelo": 0.0}, "drawelo is 0.0"),
        (table, {"fit_seat": True}, "do not say who sat first"),
        (table, {"draw_model": DrawModel.DAVIDSON}, "does not have them"),
    ]
    for data, options, message in refused:
        with pytest.raises(StatsInputError, match=message):
            fit_bradley_terry(data, **options)
    for bad in (0.0, -1.0, math.nan):
        for kind in (AverageDraws, PairPoints, SpreadDraws, GammaStrength):
            with pytest.raises(StatsInputError):
                kind(bad)


def test_description_names_what_was_assumed() -> None:
    counts = play_round_robin(np.random.default_rng(1), np.array([0.3, 0.0, -0.3]), 8, seat=0.2, draw_rate=0.2)
    text = fit_bradley_terry(counts, fit_seat=True, draw_model=DrawModel.RAO_KUPPER).describe()
    assert "draws by Rao–Kupper" in text
    assert "seat fitted" in text
    assert "1 imaginary draw a bot" in text
    for prior in PRIORS:
        assert "prior: " in fit_bradley_terry(counts, prior=prior, anchors={"bot0": 1500.0}).describe()

"""Errors of ratings: the sandwich against outside numbers, other programs' likelihood of superiority, and states."""

import math

import numpy as np
import pytest
from hypothesis import given

from harness.stats.bradley_terry import BradleyTerryFit, fit_bradley_terry
from harness.stats.draw_models import DrawModel
from harness.stats.pair_counts import CountedRow, PairCounts, counts_from_games, counts_from_rows
from harness.stats.priors import AverageDraws, NoPrior, SpreadDraws
from harness.stats.rating_errors import DifferenceState, ErrorState, contrast_error, map_errors, model_errors
from harness.stats.rating_scale import ELO_PER_LOGIT
from tests.stats.pools import Duel, aggregate, counts_of_vector, duels, play_round_robin
from tests.stats.vectors import vector


def sandwich_case() -> PairCounts:
    games = vector("bt_cluster_sandwich_3x12").input["games"]
    first, second, points, maps = (
        np.array([game[key] for game in games]) for key in ("first", "second", "points_first", "map")
    )
    return counts_from_games(["0", "1", "2"], first, second, points, maps)


def test_sandwich_vector() -> None:
    case = vector("bt_cluster_sandwich_3x12")
    fit = fit_bradley_terry(sandwich_case(), prior=NoPrior(), fit_seat=True)
    assert np.allclose([*fit.theta, fit.seat_logit], case.expected["theta"], atol=1e-9)
    model, bare, scaled = model_errors(fit), map_errors(fit, small_sample=False), map_errors(fit)
    assert model.covariance is not None
    assert bare.covariance is not None
    assert scaled.covariance is not None
    assert np.allclose(model.covariance, case.expected["cov_model"], atol=1e-9)
    assert np.allclose(bare.covariance, case.expected["cov_cluster_CR0"], atol=1e-9)
    assert np.allclose(scaled.covariance, bare.covariance * case.expected["CR1_factor"])
    for pair in ("0-1", "0-2"):
        one, other = (int(bot) for bot in pair.split("-"))
        for errors, key in ((model, "se_diff_elo_model"), (bare, "se_diff_elo_cluster")):
            se = errors.difference(one, other).se_elo
            assert se is not None
            assert case.close(se, case.expected[key][pair])
    assert scaled.dof == 11.0
    seat_se = scaled.seat_se_elo()
    assert seat_se is not None
    assert seat_se == pytest.approx(ELO_PER_LOGIT * math.sqrt(case.expected["cov_cluster_CR0"][3][3] * 12 / 11))


def test_two_bots_give_the_pentanomial_error() -> None:
    case = vector("cluster_two_player_equals_pentanomial")
    games: list[Duel] = []
    sums = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 0.5), (1.0, 1.0)]
    for cell, count in enumerate(case.input["counts"]):
        for _ in range(count):
            own_first, own_second = sums[cell]
            number = len(games) // 2
            games += [(number, 0, 1, own_first), (number, 1, 0, 1.0 - own_second)]
    fit = fit_bradley_terry(aggregate(games), prior=NoPrior())
    se = map_errors(fit, small_sample=False).difference(0, 1).se_elo
    assert se is not None
    assert case.close(se / ELO_PER_LOGIT, case.expected["se_theta_logit"])


def test_bayeselo_likelihood_of_superiority() -> None:
    case = vector("bayeselo_los_four")
    counts = counts_of_vector(vector("bayeselo_four_default").input["games"])
    fit = fit_bradley_terry(counts, prior=SpreadDraws(2.0), fit_seat=True, draw_model=DrawModel.RAO_KUPPER)
    matrix = model_errors(fit, nuisance=False).p_better()
    for row, name in enumerate(fit.names):
        got = [float(matrix.value[row, column]) for column in range(4) if column != row]
        assert np.allclose(got, case.expected["los_rows_excluding_self"][name], atol=2e-5)
    assert not matrix.known.diagonal().any()
    assert np.allclose(matrix.value + matrix.value.T, 1.0)


def numeric_jackknife(fit: BradleyTerryFit, counts: PairCounts, **options: object) -> np.ndarray:
    """Derivative of the fit by each map's weight, by fitting with that map counted a little more."""
    assert counts.maps is not None
    maps, step, rows = counts.maps, 1e-4, []
    for which in range(maps.n_maps):
        extra = np.where(maps.map_index == which, step, 0.0)
        parts = []
        for total, split in ((counts.wins, maps.wins), (counts.draws, maps.draws), (counts.losses, maps.losses)):
            more = total.copy()
            np.add.at(more, maps.cell, extra * split)
            parts.append(more)
        heavier = PairCounts(counts.names, counts.first, counts.second, parts[0], parts[1], parts[2], maps)
        moved = fit_bradley_terry(heavier, **options)  # type: ignore[arg-type]
        rows.append((moved.theta - fit.theta) / step)
    return np.array(rows)


@pytest.mark.parametrize("model", list(DrawModel))
@pytest.mark.parametrize("prior", [NoPrior(), AverageDraws(2.0)])
def test_sandwich_is_the_infinitesimal_jackknife(model: DrawModel, prior: object) -> None:
    counts = play_round_robin(np.random.default_rng(5), np.array([0.4, 0.0, -0.5]), 9, draw_rate=0.3, seat=0.3)
    options = {"prior": prior, "draw_model": model, "fit_seat": True}
    fit = fit_bradley_terry(counts, **options)  # type: ignore[arg-type]
    errors = map_errors(fit, small_sample=False)
    assert errors.covariance is not None
    influence = numeric_jackknife(fit, counts, **options)
    assert np.allclose(influence.T @ influence, errors.covariance[:3, :3], rtol=2e-3, atol=1e-5)


def test_differences_use_covariances() -> None:
    counts = play_round_robin(np.random.default_rng(2), np.array([0.5, 0.0, -0.5, 0.1]), 20, tilt=0.7)
    errors = map_errors(fit_bradley_terry(counts))
    assert errors.covariance is not None
    cov = errors.covariance
    there, back = errors.difference(0, 2), errors.difference(2, 0)
    assert there.se_elo == pytest.approx(ELO_PER_LOGIT * math.sqrt(cov[0, 0] + cov[2, 2] - 2 * cov[0, 2]))
    assert there.elo is not None
    assert there.low is not None
    assert back.high is not None
    assert there.low == pytest.approx(-back.high)
    assert there.p_better is not None
    assert back.p_better is not None
    assert there.p_better + back.p_better == pytest.approx(1.0)
    assert np.allclose(cov[:4, :4].sum(axis=1), 0.0, atol=1e-12)
    alone = contrast_error(errors.fit, 0, 2)
    assert alone.se_elo == pytest.approx(there.se_elo)
    assert contrast_error(errors.fit, 0, 2, by_map=False).se_elo == pytest.approx(
        model_errors(errors.fit).difference(0, 2).se_elo
    )
    interval = errors.interval(1)
    assert interval is not None
    rating = errors.fit.rating(1)
    assert rating is not None
    assert interval[0] < rating < interval[1]


def test_anchors_have_no_error_and_their_gap_is_given() -> None:
    counts = play_round_robin(np.random.default_rng(3), np.array([0.5, 0.0, -0.5]), 12)
    errors = map_errors(fit_bradley_terry(counts, anchors={"bot0": 1600.0, "bot2": 1400.0}))
    assert errors.se_elo(0) == 0.0
    own = errors.se_elo(1)
    assert own is not None
    assert own > 0.0
    given_gap = errors.difference(0, 2)
    assert given_gap.state is DifferenceState.GIVEN
    assert given_gap.elo == pytest.approx(200.0)
    assert given_gap.p_better == 1.0
    assert errors.difference(1, 1).p_better == 0.5
    assert contrast_error(errors.fit, 0, 2).state is DifferenceState.GIVEN
    assert contrast_error(errors.fit, 0, 1).se_elo == pytest.approx(own)


def test_states_instead_of_false_zeros() -> None:
    no_maps = counts_from_rows([CountedRow("a", "b", 6, 1, 3)])
    fit = fit_bradley_terry(no_maps)
    assert map_errors(fit).state is ErrorState.NO_MAPS
    assert map_errors(fit).difference(0, 1).state is DifferenceState.NO_ERRORS
    assert contrast_error(fit, 0, 1).state is DifferenceState.NO_ERRORS
    assert map_errors(fit).se_elo(0) is None
    assert map_errors(fit).interval(0) is None
    one_map = aggregate([(0, 0, 1, 1.0), (0, 1, 0, 1.0)])
    assert map_errors(fit_bradley_terry(one_map)).state is ErrorState.TOO_FEW_MAPS
    # Every map split: a mirror. The maps do not differ, so no error may be shown, least of all zero.
    mirror = aggregate([(m, a, 1 - a, 1.0) for m in range(8) for a in (0, 1)])
    errors = map_errors(fit_bradley_terry(mirror))
    assert errors.state is ErrorState.KNOWN
    assert errors.difference(0, 1).state is DifferenceState.NO_VARIANCE
    assert errors.se_elo(0) is None
    assert not errors.p_better().known.any()
    assert contrast_error(errors.fit, 0, 1).state is DifferenceState.NO_VARIANCE
    empty = fit_bradley_terry(counts_from_rows([CountedRow("a", "b", 0, 0, 0)]))
    assert model_errors(empty).state is ErrorState.NO_FIT
    assert map_errors(empty).difference(0, 1).state is DifferenceState.NOT_COMPARABLE
    assert contrast_error(empty, 0, 1).state is DifferenceState.NOT_COMPARABLE
    few = aggregate([(m, a, b, float(a < b)) for m in range(2) for a in range(3) for b in range(3) if a != b])
    assert any("maps for" in words for words in map_errors(fit_bradley_terry(few)).words)


def test_bots_of_different_groups_are_not_compared() -> None:
    rng = np.random.default_rng(8)
    one = play_round_robin(rng, np.array([0.2, -0.2]), 10)
    assert one.maps is not None
    games = [(m, a, b, float(rng.random() < 0.6)) for m in range(10) for a, b in ((0, 1), (1, 0), (2, 3), (3, 2))]
    errors = map_errors(fit_bradley_terry(aggregate(games), prior=NoPrior()))
    inside, across = errors.difference(0, 1), errors.difference(0, 2)
    assert inside.state is DifferenceState.ESTIMATED
    assert across.state is DifferenceState.NOT_COMPARABLE
    assert across.elo is None
    matrix = errors.p_better()
    assert matrix.known[0, 1]
    assert not matrix.known[0, 2]


def test_too_many_bots_for_a_covariance(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.stats import rating_errors

    monkeypatch.setattr(rating_errors, "_MAX_BOTS", 2)
    fit = fit_bradley_terry(play_round_robin(np.random.default_rng(3), np.zeros(3), 6))
    assert map_errors(fit).state is ErrorState.TOO_MANY_BOTS
    assert "at most 2 bots" in map_errors(fit).words[0]
    assert contrast_error(fit, 0, 1).state is DifferenceState.ESTIMATED


@given(duels())
def test_nothing_is_ever_nan(games: list[Duel]) -> None:
    fit = fit_bradley_terry(aggregate(games), prior=NoPrior())
    for errors in (model_errors(fit), map_errors(fit)):
        matrix = errors.p_better()
        assert np.isfinite(matrix.value).all()
        for one in range(len(fit.names)):
            for other in range(len(fit.names)):
                found = errors.difference(one, other)
                for value in (found.elo, found.se_elo, found.low, found.high, found.p_better):
                    assert value is None or math.isfinite(value)
                if found.state is DifferenceState.ESTIMATED:
                    assert found.se_elo is not None
                    assert found.se_elo > 0.0


def test_coverage_of_the_tilt_model() -> None:
    """Six bots, 35 maps, a bot-by-map tilt of 1 logit: the model's intervals are far too narrow, the sandwich's hold.

    The long form is benchmarks/ratings_coverage.py; here 150 pools, so the bounds are 4 standard errors wide.
    """
    rng = np.random.default_rng(20261130)
    strength = np.array([0.7, 0.4, 0.2, -0.1, -0.4, -0.8])
    n_pools, hits = 150, {"model": 0, "t": 0}
    # What the ratings converge to: attenuated by the tilt, so taken from a very large pool.
    truth = fit_bradley_terry(play_round_robin(np.random.default_rng(1), strength, 6_000, tilt=1.0)).theta
    for _ in range(n_pools):
        fit = fit_bradley_terry(play_round_robin(rng, strength, 35, tilt=1.0), prior=NoPrior())
        for name, errors in (("model", model_errors(fit)), ("t", map_errors(fit))):
            variance, _ = errors.pair_variance()
            gap = fit.theta[:, None] - fit.theta[None, :]
            miss = np.abs(gap - (truth[:, None] - truth[None, :]))
            upper = np.triu_indices(6, 1)
            inside = miss[upper] <= errors.quantile(0.95) * np.sqrt(variance[upper])
            hits[name] += int(inside.sum())
    total = n_pools * 15
    assert 0.74 < hits["model"] / total < 0.84
    assert 0.93 < hits["t"] / total < 0.97

"""Bootstrap of ratings by whole maps: against refits done one by one, and the states of poor samples."""

import numpy as np
import pytest

from harness.stats import rating_bootstrap
from harness.stats.arguments import StatsInputError
from harness.stats.bradley_terry import fit_bradley_terry
from harness.stats.draw_models import DrawModel
from harness.stats.pair_counts import CountedRow, PairCounts, counts_from_rows, sum_by
from harness.stats.priors import AverageDraws, NoPrior, PairPoints, Prior
from harness.stats.rating_bootstrap import bootstrap_ratings
from harness.stats.rating_errors import DifferenceState, ErrorState, map_errors
from tests.stats.pools import aggregate, play_round_robin


def resampled(counts: PairCounts, times: np.ndarray) -> PairCounts:
    """The counts if map m had been drawn `times[m]` times."""
    assert counts.maps is not None
    maps = counts.maps
    wins, draws, losses = (
        sum_by(maps.cell, split * times[maps.map_index], counts.first.size)
        for split in (maps.wins, maps.draws, maps.losses)
    )
    return PairCounts(counts.names, counts.first, counts.second, wins, draws, losses)


@pytest.mark.parametrize("model", list(DrawModel))
@pytest.mark.parametrize("prior", [AverageDraws(), NoPrior(), PairPoints(0.5)])
@pytest.mark.parametrize("fit_seat", [True, False])
def test_every_refit_is_the_fit_of_its_resample(model: DrawModel, prior: Prior, fit_seat: bool) -> None:
    counts = play_round_robin(np.random.default_rng(4), np.array([0.6, 0.1, -0.2, -0.5]), 25, draw_rate=0.25)
    fit = fit_bradley_terry(counts, prior=prior, draw_model=model, fit_seat=fit_seat)
    found = bootstrap_ratings(fit, n_resamples=12, seed=9)
    assert found.n_failed == 0
    rng = np.random.default_rng(9)
    weights = rating_bootstrap._draw_maps(rng, 25, 12)
    for row in range(12):
        again = fit_bradley_terry(resampled(counts, weights[:, row]), prior=prior, draw_model=model, fit_seat=fit_seat)
        assert np.allclose(found.theta[row], again.theta, atol=1e-6)
        if fit_seat:
            assert found.seat[row] == pytest.approx(again.seat_logit, abs=1e-6)
        if model is not DrawModel.HALF_POINT:
            assert found.draw[row] == pytest.approx(again.draw_parameter, abs=1e-6)


def test_few_maps_are_finished_one_by_one() -> None:
    # Four maps: resamples are so unlike the sample that steps with its curvature do not settle.
    counts = play_round_robin(np.random.default_rng(6), np.array([1.2, 0.0, -1.2]), 4)
    fit = fit_bradley_terry(counts)
    found = bootstrap_ratings(fit, n_resamples=40, seed=3)
    weights = rating_bootstrap._draw_maps(np.random.default_rng(3), 4, 40)
    for row in range(40):
        assert np.allclose(found.theta[row], fit_bradley_terry(resampled(counts, weights[:, row])).theta, atol=1e-6)
    assert "With 4 maps" in found.words[0]


def test_seeded_and_split_into_chunks_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    fit = fit_bradley_terry(play_round_robin(np.random.default_rng(4), np.array([0.5, 0.0, -0.5]), 30))
    one, same, other = (bootstrap_ratings(fit, n_resamples=50, seed=seed).theta for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    monkeypatch.setattr(rating_bootstrap, "_CHUNK", 1)
    assert np.allclose(bootstrap_ratings(fit, n_resamples=50, seed=1).theta.mean(axis=0), one.mean(axis=0), atol=0.1)


def test_agrees_with_the_sandwich_on_many_maps() -> None:
    counts = play_round_robin(np.random.default_rng(12), np.array([0.5, 0.1, -0.6]), 400, tilt=0.8)
    fit = fit_bradley_terry(counts)
    found, errors = bootstrap_ratings(fit, n_resamples=1_500, seed=5), map_errors(fit)
    assert errors.covariance is not None
    assert np.allclose(np.cov(found.theta.T), errors.covariance, rtol=0.15, atol=2e-4)
    interval, wanted = found.interval(0), errors.interval(0)
    assert interval is not None
    assert wanted is not None
    assert interval == pytest.approx(wanted, abs=4.0)
    gap, plain = found.difference(0, 1), errors.difference(0, 1)
    assert gap.state is DifferenceState.ESTIMATED
    assert gap.low == pytest.approx(plain.low, abs=6.0)
    assert gap.p_better == pytest.approx(plain.p_better, abs=0.02)


def test_perfect_resamples_without_a_prior_are_counted_and_said() -> None:
    # Bot 0 lost on one map of twelve only: a third of the resamples miss it.
    games = [(m, a, 1 - a, float((a == 0) == (m > 0))) for m in range(12) for a in (0, 1)]
    found = bootstrap_ratings(fit_bradley_terry(aggregate(games), prior=NoPrior()), n_resamples=200, seed=1)
    assert 30 < found.n_failed < 120
    assert found.theta.shape[0] == 200 - found.n_failed
    assert "no finite ratings" in found.words[0]
    assert np.isfinite(found.theta).all()
    kept = bootstrap_ratings(fit_bradley_terry(aggregate(games)), n_resamples=200, seed=1)
    assert kept.n_failed == 0


def test_states() -> None:
    plain = fit_bradley_terry(counts_from_rows([CountedRow("a", "b", 6, 1, 3)]))
    found = bootstrap_ratings(plain, n_resamples=10, seed=1)
    assert found.state is ErrorState.NO_MAPS
    assert found.interval(0) is None
    assert found.difference(0, 1).state is DifferenceState.NO_ERRORS
    one = bootstrap_ratings(fit_bradley_terry(aggregate([(0, 0, 1, 1.0)])), n_resamples=10, seed=1)
    assert one.state is ErrorState.TOO_FEW_MAPS
    mirror = fit_bradley_terry(aggregate([(m, a, 1 - a, 1.0) for m in range(8) for a in (0, 1)]))
    assert bootstrap_ratings(mirror, n_resamples=10, seed=1).difference(0, 1).state is DifferenceState.NO_VARIANCE
    empty = fit_bradley_terry(counts_from_rows([CountedRow("a", "b", 0, 0, 0)]))
    assert bootstrap_ratings(empty, n_resamples=10, seed=1).state is ErrorState.NO_FIT
    assert bootstrap_ratings(empty, n_resamples=10, seed=1).difference(0, 1).state is DifferenceState.NOT_COMPARABLE
    with pytest.raises(StatsInputError, match="n_resamples"):
        bootstrap_ratings(plain, n_resamples=0, seed=1)

"""Simultaneous statements: the studentized range as a known case, ranks, and pools of which nothing is known."""

import numpy as np
import pytest
from scipy import stats

from harness.stats.bradley_terry import fit_bradley_terry
from harness.stats.pair_counts import CountedRow, counts_from_rows
from harness.stats.rating_errors import map_errors, model_errors
from harness.stats.rating_ranks import RankInterval, max_t_quantile, simultaneous_differences
from tests.stats.pools import play_round_robin


@pytest.mark.parametrize("dof", [np.inf, 12.0])
def test_independent_equal_errors_give_the_studentized_range(dof: float) -> None:
    n = 5
    variance = np.full((n, n), 2.0)
    known = ~np.eye(n, dtype=bool)
    got = max_t_quantile(np.eye(n), variance, known, dof, 0.95, seed=1)
    wanted = stats.studentized_range.ppf(0.95, n, dof if np.isfinite(dof) else 1e6) / np.sqrt(2.0)
    assert got == pytest.approx(wanted, rel=0.02)


def test_two_bots_need_no_correction() -> None:
    known = ~np.eye(2, dtype=bool)
    variance = np.full((2, 2), 2.0)
    assert max_t_quantile(np.eye(2), variance, known, np.inf, 0.95, seed=2) == pytest.approx(1.96, rel=0.02)


def test_large_pools_use_bonferroni(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.stats import rating_ranks

    n = 40
    known = ~np.eye(n, dtype=bool)
    variance = np.full((n, n), 2.0)
    simulated = max_t_quantile(np.eye(n), variance, known, np.inf, 0.95, seed=1)
    monkeypatch.setattr(rating_ranks, "_SIMULATED_BOTS", 10)
    bound = max_t_quantile(np.eye(n), variance, known, np.inf, 0.95, seed=1)
    assert bound == pytest.approx(stats.norm.isf(0.025 / 780), rel=1e-9)
    assert simulated < bound < 1.1 * simulated


def test_ranks_of_far_and_near_bots() -> None:
    counts = play_round_robin(np.random.default_rng(3), np.array([2.0, 0.1, 0.0, -2.0]), 60, tilt=0.3)
    found = simultaneous_differences(map_errors(fit_bradley_terry(counts)), seed=4)
    ranks = found.rank_intervals()
    assert ranks[0] == RankInterval(1, 1)
    assert ranks[3] == RankInterval(4, 4)
    assert ranks[1].best == 2
    assert ranks[1].worst == 3
    assert found.critical is not None
    assert found.critical > 1.96
    assert np.allclose(found.half_width, found.half_width.T)


def test_nothing_known_means_any_rank() -> None:
    fit = fit_bradley_terry(counts_from_rows([CountedRow("a", "b", 6, 1, 3)]))
    found = simultaneous_differences(map_errors(fit), seed=1)
    assert found.critical is None
    assert found.rank_intervals() == (RankInterval(1, 2), RankInterval(1, 2))
    assert simultaneous_differences(model_errors(fit), seed=1).known.any()


def test_ranks_hold_together() -> None:
    """In 95% of pools every bot's true rank lies in its interval; 120 pools of five near bots."""
    rng = np.random.default_rng(77)
    strength = np.array([0.30, 0.15, 0.0, -0.15, -0.30])
    misses = 0
    for seed in range(120):
        errors = map_errors(fit_bradley_terry(play_round_robin(rng, strength, 25, tilt=0.5)))
        ranks = simultaneous_differences(errors, seed=seed).rank_intervals()
        misses += any(not (rank.best <= i + 1 <= rank.worst) for i, rank in enumerate(ranks))
    assert misses <= 14

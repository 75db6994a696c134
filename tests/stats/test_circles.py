"""The test of circles: its size and power on simulated pools, single triangles, and pools that cannot be tested."""

import numpy as np
import pytest
from hypothesis import given

from harness.stats.arguments import StatsInputError
from harness.stats.circles import CircleMethod, CircleState, circle_test, triangle_curls
from harness.stats.pair_counts import CountedRow, PairCounts, counts_from_points, counts_from_rows, relabelled
from tests.stats.pools import Duel, aggregate, duels, play_round_robin

STRENGTH = np.array([0.6, 0.3, 0.1, -0.1, -0.3, -0.6])


def rejections(rng: np.random.Generator, n_pools: int, n_maps: int, strength: np.ndarray, **how: float) -> list[int]:
    """(pools rejected by the whole test, pools with a triangle that survives Holm)."""
    whole = single = 0
    for seed in range(n_pools):
        counts = play_round_robin(rng, strength, n_maps, **how)
        found = circle_test(counts, seed=seed, n_flips=499)
        assert found.p_value is not None
        whole += found.p_value < 0.05
        single += any(t.p_holm is not None and t.p_holm < 0.05 for t in triangle_curls(counts))
    return [whole, single]


def test_size_of_hotelling_and_of_single_triangles() -> None:
    """Six bots, 35 maps, 10 independent circles, tilt of 1 logit: 5% of circle-free pools are rejected.

    The long form is benchmarks/ratings_coverage.py; 300 pools here, so up to 27 rejections are luck (3.4 sd).
    """
    whole, single = rejections(np.random.default_rng(1), 300, 35, STRENGTH, tilt=1.0, seat=0.3)
    assert 4 <= whole <= 28
    assert single <= 28


def test_size_and_choice_of_sign_flips() -> None:
    rng = np.random.default_rng(2)
    found = circle_test(play_round_robin(rng, STRENGTH, 12, tilt=1.0), seed=1, n_flips=499)
    assert found.method is CircleMethod.SIGN_FLIP
    assert found.dof == 10
    whole, _ = rejections(rng, 150, 12, STRENGTH, tilt=1.0)
    assert whole <= 17


def test_a_real_circle_is_found_and_named() -> None:
    counts = play_round_robin(np.random.default_rng(3), STRENGTH[:4], 60, circle=1.0, tilt=0.5)
    found = circle_test(counts, seed=1)
    assert found.method is CircleMethod.HOTELLING
    assert found.dof == 3
    assert found.p_value is not None
    assert found.p_value < 1e-4
    best = triangle_curls(counts)[0]
    assert best.bots == (0, 1, 2)
    assert best.is_circle
    assert best.curl_elo > 200.0
    assert best.p_holm is not None
    assert best.p_holm < 1e-4
    assert min(best.scores) > 0.5


def test_perfect_scores_do_not_break_the_test() -> None:
    rng = np.random.default_rng(4)
    counts = play_round_robin(rng, np.array([9.0, 0.2, 0.0, -0.2]), 40)
    found = circle_test(counts, seed=1)
    assert found.state is CircleState.TESTED
    assert found.p_value is not None
    assert 0.0 < found.p_value <= 1.0
    assert all(np.isfinite(t.curl_elo) for t in triangle_curls(counts))


def test_seats_that_favour_some_are_no_circle() -> None:
    # Bot 0 always first against 1, bot 1 against 2, bot 2 against 0, and the first seat wins most games.
    rng = np.random.default_rng(5)
    games = []
    for m in range(80):
        for a, b in ((0, 1), (1, 2), (2, 0)):
            games.append((m, a, b, float(rng.random() < 0.8)))
        games.append((m, 1, 0, float(rng.random() < 0.8)))
        games.append((m, 2, 1, float(rng.random() < 0.8)))
    with_seat = circle_test(aggregate(games), seed=1)
    without = circle_test(aggregate(games), seed=1, fit_seat=False)
    assert with_seat.p_value is not None
    assert without.p_value is not None
    assert without.p_value < 1e-3
    assert with_seat.p_value > 0.01


def test_states() -> None:
    def state(counts: PairCounts) -> CircleState:
        found = circle_test(counts, seed=1)
        assert found.words
        assert found.p_value is None
        return found.state

    rng = np.random.default_rng(6)
    assert state(counts_from_rows([CountedRow("a", "b", 1, 0, 1)])) is CircleState.NO_MAPS
    assert state(aggregate([(0, 0, 1, 1.0)])) is CircleState.TOO_FEW_MAPS
    assert state(play_round_robin(rng, STRENGTH[:2], 20)) is CircleState.NO_CIRCLES_POSSIBLE
    assert state(play_round_robin(rng, STRENGTH, 4)) is CircleState.TOO_FEW_MAPS
    same = [(m, a, b, float(a < b)) for m in range(20) for a in range(3) for b in range(3) if a != b]
    assert state(aggregate(same)) is CircleState.NO_VARIANCE
    assert state(play_round_robin(rng, np.zeros(151), 2)) is CircleState.TOO_MANY_BOTS
    assert triangle_curls(counts_from_rows([CountedRow("a", "b", 1, 0, 1)])) == ()
    assert triangle_curls(play_round_robin(rng, STRENGTH[:2], 20)) == ()
    with pytest.raises(StatsInputError, match="fit_seat"):
        circle_test(counts_from_points(np.zeros((2, 2)), ["a", "b"]), seed=1, fit_seat=True)
    with pytest.raises(StatsInputError, match="n_flips"):
        circle_test(aggregate([(0, 0, 1, 1.0)]), seed=1, n_flips=1)


def test_order_of_bots_changes_nothing() -> None:
    counts = play_round_robin(np.random.default_rng(7), STRENGTH[:5], 40, tilt=0.8)
    one = circle_test(counts, seed=1)
    other = circle_test(relabelled(counts, [3, 1, 4, 0, 2]), seed=1)
    assert one.p_value is not None
    assert one.p_value == pytest.approx(other.p_value, rel=1e-6)


@given(duels(max_bots=4, max_maps=12, max_games=60))
def test_anything_gives_a_state_and_never_nan(games: list[Duel]) -> None:
    counts = aggregate(games)
    found = circle_test(counts, seed=1, n_flips=99)
    assert (found.p_value is not None) == (found.state is CircleState.TESTED)
    if found.p_value is not None:
        assert 0.0 <= found.p_value <= 1.0
    for triangle in triangle_curls(counts):
        assert np.isfinite(triangle.curl_elo)
        assert triangle.p_holm is None or 0.0 <= triangle.p_holm <= 1.0

"""Elo, normalized Elo and LOS, with the states that stand where a scale ends."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import elo
from harness.stats.arguments import StatsInputError
from harness.stats.elo import EloState
from harness.stats.intervals import map_t, wilson


def test_known_pairs_of_score_and_elo() -> None:
    assert elo.to_score(0.0) == 0.5
    assert elo.elo_of_score(0.75) == pytest.approx(190.84850188786498, abs=1e-9)
    assert elo.to_score(190.84850188786498) == pytest.approx(0.75, abs=1e-12)
    assert abs(elo.NELO_PER_T - 347.43558552260146) < 1e-9


@given(st.floats(-3000, 3000))
def test_score_and_elo_are_inverse_and_antisymmetric(value: float) -> None:
    score = elo.to_score(value)
    assert 0.0 <= score <= 1.0
    assert elo.to_score(-value) == pytest.approx(1.0 - score, abs=1e-15)
    if abs(value) < 1200:
        assert elo.elo_of_score(score) == pytest.approx(value, abs=1e-6)


@given(st.floats(-2000, 2000), st.floats(0.01, 500))
def test_more_elo_is_more_score(value: float, more: float) -> None:
    assert elo.to_score(value + more) >= elo.to_score(value)


def test_the_ends_of_the_scale_are_states() -> None:
    assert elo.from_score(0.0) == elo.Elo(None, EloState.UNBOUNDED_BELOW)
    assert elo.from_score(1.0) == elo.Elo(None, EloState.UNBOUNDED_ABOVE)
    assert elo.from_score(None) == elo.Elo(None, EloState.NO_DATA)
    assert elo.to_score(-1e6) == 0.0
    assert elo.to_score(1e6) == 1.0


def test_an_interval_keeps_its_ends_in_order() -> None:
    got = elo.from_interval(wilson(60, 100))
    assert got.low.elo is not None
    assert got.estimate.elo is not None
    assert got.high.elo is not None
    assert got.low.elo < got.estimate.elo < got.high.elo
    perfect = elo.from_interval(map_t([1.0] * 9))
    assert perfect.estimate.state is EloState.UNBOUNDED_ABOVE
    assert perfect.high.state is EloState.UNBOUNDED_ABOVE
    assert perfect.low.state is EloState.FINITE
    assert elo.from_interval(map_t([])).estimate.state is EloState.NO_DATA


def test_nelo_of_pairs_and_of_games() -> None:
    pairs = elo.nelo_plain(0.55, 0.25, 400)
    assert pairs.nelo == pytest.approx(0.05 / (0.25 * math.sqrt(2)) * elo.NELO_PER_T)
    assert pairs.high is not None
    assert pairs.nelo is not None
    assert pairs.high - pairs.nelo == pytest.approx(1.959963984540054 * elo.NELO_PER_T / math.sqrt(800))
    games = elo.nelo_from_map_scores(0.55, 0.25, 400, games_per_map=1)
    assert games.nelo == pytest.approx(0.2 * elo.NELO_PER_T)


def test_the_error_of_nelo_grows_with_the_distance_from_even() -> None:
    near, far = elo.nelo_from_map_scores(0.5, 0.2, 100), elo.nelo_from_map_scores(0.9, 0.2, 100)
    assert near.high is not None
    assert near.low is not None
    assert far.high is not None
    assert far.low is not None
    assert far.high - far.low > 1.5 * (near.high - near.low)
    plain = elo.nelo_plain(0.5, 0.2, 100)
    assert (plain.low, plain.high) == pytest.approx((near.low, near.high))


@pytest.mark.parametrize(
    ("mean", "map_sd", "n_maps", "state"),
    [
        (None, None, 0, EloState.NO_DATA),
        (1.0, 0.0, 10, EloState.NO_SPREAD),
        (0.5, None, 1, EloState.NO_SPREAD),
    ],
)
def test_nelo_without_spread_is_a_state(mean: float | None, map_sd: float | None, n_maps: int, state: EloState) -> None:
    for function in (elo.nelo_from_map_scores, elo.nelo_plain):
        got = function(mean, map_sd, n_maps)
        assert (got.nelo, got.low, got.high, got.state) == (None, None, None, state)


def test_los() -> None:
    assert elo.los(0.5, 0.02).value == 0.5
    assert elo.los(0.5 + 0.02 * 1.959963984540054, 0.02).value == pytest.approx(0.975)
    student = elo.los(0.54, 0.02, n_maps=5).value
    assert student is not None
    assert student < 0.975
    assert elo.los(None, None).state is EloState.NO_DATA
    assert elo.los(0.5, 0.0) == elo.Superiority(None, EloState.NO_SPREAD)
    assert elo.los(0.7, 0.1, n_maps=1).state is EloState.NO_SPREAD


@given(st.floats(0.01, 0.99), st.floats(0.001, 0.3))
def test_exchange_mirrors_los(mean: float, se: float) -> None:
    ours, theirs = elo.los(mean, se).value, elo.los(1.0 - mean, se).value
    assert ours is not None
    assert theirs is not None
    assert ours + theirs == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: elo.elo_of_score(1.0), "score is 1.0"),
        (lambda: elo.from_score(1.1), "score is 1.1"),
        (lambda: elo.to_score(math.inf), "elo is inf"),
        (lambda: elo.nelo_plain(1.2, 0.1, 5), "mean is 1.2"),
        (lambda: elo.nelo_plain(0.5, -0.1, 5), "map_sd is -0.1"),
        (lambda: elo.nelo_plain(0.5, 0.1, 5, games_per_map=0), "games_per_map is 0"),
        (lambda: elo.los(0.5, -0.1), "se is -0.1"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()

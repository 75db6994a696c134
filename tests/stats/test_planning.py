"""How many games or maps: the published numbers, their powers, and the questions without an answer."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import planning
from harness.stats.arguments import StatsInputError
from harness.stats.elo import to_score
from harness.stats.planning import NeedState
from tests.stats.vectors import Vector, vectors


@pytest.mark.parametrize("case", vectors("sample_size_"), ids=lambda case: case.id)
def test_games_needed(case: Vector) -> None:
    gain, correlation = case.input["gain"], case.input["correlation"]
    duel = correlation is None
    got = planning.games_for_duel(gain) if duel else planning.games_per_version(gain, correlation)
    assert got.n == case.expected["games"]
    assert (got.unit, got.state) == ("games", NeedState.FINITE)


def test_telling_four_elo_from_none_takes_about_26_000_maps() -> None:
    got = planning.maps_to_tell(to_score(4.0), 0.33)
    assert got.n is not None
    assert 25_000 < got.n < 27_000
    assert got.unit == "maps"


def test_questions_without_a_number_say_why() -> None:
    assert planning.maps_to_tell(None, None).state is NeedState.NO_DATA
    assert planning.maps_to_tell(0.5, 0.3).state is NeedState.NO_DIFFERENCE
    assert planning.maps_to_tell(0.6, 0.0).state is NeedState.NO_SPREAD
    assert planning.games_for_duel(0.0).state is NeedState.NO_DIFFERENCE
    assert planning.games_per_version(0.05, 1.0).state is NeedState.NO_SPREAD
    assert planning.games_per_version(0.05, 1.0).n is None


@given(st.floats(0.51, 0.9), st.floats(0.01, 0.5))
def test_a_number_of_maps_has_the_power_it_was_made_for(mean: float, map_sd: float) -> None:
    need = planning.maps_to_tell(mean, map_sd, power=0.9)
    assert need.n is not None
    assert planning.power_of(mean - 0.5, map_sd, need.n) >= 0.9 - 1e-9
    if need.n > 1:
        assert planning.power_of(mean - 0.5, map_sd, need.n - 1) < 0.9 + 0.001


@given(st.floats(0.02, 0.4), st.floats(0.0, 0.9))
def test_more_gain_or_more_correlation_needs_fewer_games(gain: float, correlation: float) -> None:
    here = planning.games_per_version(gain, correlation).n
    assert here is not None
    assert here >= (planning.games_per_version(gain * 1.1, correlation).n or 0)
    assert here >= (planning.games_per_version(gain, correlation + 0.05).n or 0)
    assert here == planning.games_per_version(-gain, correlation).n


def test_power_by_simulation() -> None:
    rng = np.random.default_rng(8)
    n, shift = 100, 0.05
    means = 0.5 + shift + 0.25 / np.sqrt(n) * rng.normal(size=20_000)
    share = float(np.mean(np.abs(means - 0.5) > 1.96 * 0.25 / np.sqrt(n)))
    assert planning.power_of(shift, 0.25, n) == pytest.approx(share, abs=0.01)
    assert planning.power_of(0.0, 0.25, n) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: planning.games_for_duel(0.05, power=1.0), "power is 1.0"),
        (lambda: planning.games_for_duel(0.05, confidence=0.0), "confidence is 0.0"),
        (lambda: planning.games_for_duel(0.05, game_sd=-1.0), "game_sd is -1.0"),
        (lambda: planning.games_per_version(0.05, 1.5), "correlation is 1.5"),
        (lambda: planning.maps_to_tell(1.5, 0.1), "mean is 1.5"),
        (lambda: planning.maps_to_tell(0.5, 0.1, reference=-1), "reference is -1"),
    ],
)
def test_wrong_arguments_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()

"""Performance against fixed opponents: closed forms, the pool fit with anchors, and records without an answer."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats.arguments import StatsInputError
from harness.stats.bradley_terry import fit_bradley_terry
from harness.stats.pair_counts import CountedRow, counts_from_rows
from harness.stats.performance import MapResult, PerformanceState, performance
from harness.stats.priors import NoPrior
from harness.stats.rating_errors import map_errors
from tests.stats.pools import aggregate


def test_three_in_four_against_one_opponent() -> None:
    found = performance([MapResult(1600.0, 100, 75)])
    assert found.state is PerformanceState.ESTIMATED
    assert found.elo == pytest.approx(1600.0 + 400.0 * math.log10(3.0))
    assert found.se_elo == pytest.approx(400.0 / math.log(10.0) / math.sqrt(100 * 0.75 * 0.25))
    assert "by the model" in found.words


def test_is_the_pool_fit_with_all_opponents_anchored() -> None:
    rows = [CountedRow("x", "a", 6, 1, 3), CountedRow("x", "b", 2, 2, 6), CountedRow("b", "x", 3, 0, 4)]
    fit = fit_bradley_terry(counts_from_rows(rows), prior=NoPrior(), anchors={"a": 1500.0, "b": 1700.0})
    found = performance([MapResult(1500.0, 10, 6.5), MapResult(1700.0, 10, 3.0), MapResult(1700.0, 7, 4.0)])
    assert found.elo == pytest.approx(fit.rating(0), abs=1e-6)


def test_error_over_maps_is_the_sandwich() -> None:
    rng = np.random.default_rng(4)
    games = [(m, 0, b, float(rng.random() < 0.55)) for m in range(15) for b in (1, 2)]
    fit = fit_bradley_terry(aggregate(games), prior=NoPrior(), anchors={"bot1": 1500.0, "bot2": 1400.0})
    elo = {1: 1500.0, 2: 1400.0}
    found = performance([MapResult(elo[b], 1, score, map_key=m) for m, _, b, score in games])
    errors = map_errors(fit)
    assert found.elo == pytest.approx(fit.rating(0), abs=1e-6)
    assert found.se_elo == pytest.approx(errors.se_elo(0), rel=1e-6)
    interval = errors.interval(0)
    assert interval is not None
    assert (found.low, found.high) == pytest.approx(interval, rel=1e-6)
    assert found.by_map
    assert found.n_maps == 15


def test_seat_worth_moves_the_level_of_the_opponent() -> None:
    plain = performance([MapResult(1500.0, 20, 12)])
    seated = performance([MapResult(1500.0, 20, 12, seat_elo=50.0)])
    assert plain.elo is not None
    assert seated.elo == pytest.approx(plain.elo - 50.0)


def test_perfect_zero_and_empty_records_are_states() -> None:
    perfect = performance([MapResult(1500.0, 10, 10)])
    assert perfect.state is PerformanceState.PERFECT
    assert perfect.elo is None
    assert perfect.high is None
    assert perfect.low is not None
    # At the bound a perfect score happens in one of twenty tries.
    p = 1.0 / (1.0 + 10.0 ** ((1500.0 - perfect.low) / 400.0))
    assert p**10 == pytest.approx(0.05)
    zero = performance([MapResult(1500.0, 10, 0)])
    assert zero.state is PerformanceState.ZERO
    assert zero.high == pytest.approx(3000.0 - perfect.low)
    assert zero.low is None
    assert performance([]).state is PerformanceState.NO_GAMES
    assert performance([MapResult(1500.0, 0, 0)]).state is PerformanceState.NO_GAMES


def test_maps_that_do_not_differ_give_no_error() -> None:
    found = performance([MapResult(1500.0, 2, 1, map_key=m) for m in range(6)])
    assert found.state is PerformanceState.ESTIMATED
    assert found.elo == pytest.approx(1500.0)
    assert found.se_elo is None
    assert "cannot be computed" in found.words


RESULT = st.tuples(st.floats(-500, 4000), st.integers(1, 30), st.floats(0, 1)).map(
    lambda drawn: MapResult(drawn[0], drawn[1], drawn[1] * drawn[2])
)


@given(st.lists(RESULT, min_size=1, max_size=8), st.floats(-2000, 2000))
def test_shifting_all_opponents_shifts_the_result(results: list[MapResult], shift: float) -> None:
    found = performance(results)
    moved = performance([MapResult(r.opponent_elo + shift, r.games, r.points) for r in results])
    assert found.state is moved.state
    for one, other in ((found.elo, moved.elo), (found.low, moved.low), (found.high, moved.high)):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert math.isfinite(one)
            assert other - one == pytest.approx(shift, abs=1e-4)


def test_refusals() -> None:
    refused: list[tuple[Any, str]] = [
        (lambda: performance([MapResult(math.nan, 1, 1)]), "opponent_elo"),
        (lambda: performance([MapResult(1500, 1, 2)]), "points / games"),
        (lambda: performance([MapResult(1500, 0, 1)]), "in no games"),
        (lambda: performance([MapResult(1500, -1, 0)]), "games is -1"),
        (lambda: performance([], confidence=1.0), "confidence"),
    ]
    for call, message in refused:
        with pytest.raises(StatsInputError, match=message):
            call()


@pytest.mark.parametrize("by_map", [False, True])
def test_opponents_out_of_all_reach_on_both_sides_give_no_error_and_no_crash(by_map: bool) -> None:
    results = [MapResult(0.0, 2, 2, "a"), MapResult(2e5, 2, 0, "b" if by_map else "a")]
    found = performance(results)
    assert found.state is PerformanceState.ESTIMATED
    assert found.elo is not None
    assert math.isfinite(found.elo)
    assert found.se_elo is None

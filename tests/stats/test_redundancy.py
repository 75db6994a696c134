"""Twins, repeats, pairing, duplicate play, seats, mirrors: outside numbers, simulations, degenerate results."""

import math
from typing import Any

import numpy as np
import pytest

from harness.stats.arguments import StatsInputError
from harness.stats.bradley_terry import fit_bradley_terry
from harness.stats.head_to_head import head_to_head
from harness.stats.pair_counts import CountedRow, counts_from_points, counts_from_rows
from harness.stats.priors import NoPrior
from harness.stats.rating_errors import map_errors, model_errors
from harness.stats.redundancy import (
    SeatState,
    TwinState,
    duplicate_multiplier,
    first_seat_bias,
    mirrored_pairs,
    pairing_gain,
    repetition,
    seat_bias,
    sweep_baseline,
    twin_floor,
)
from tests.stats.pools import aggregate, play_round_robin
from tests.stats.vectors import vector


def test_pairing_gain_vector() -> None:
    case = vector("variance_identity_penta_vs_tri")
    given = case.input
    found = pairing_gain(given["pentanomial"], wins=given["wins"], draws=given["draws"], losses=given["losses"])
    for field, wanted in case.expected.items():
        assert case.close(getattr(found, field), wanted)


def test_pairing_gain_without_spread() -> None:
    found = pairing_gain([0, 0, 10, 0, 0], wins=0, draws=20, losses=0)
    assert found.design_effect is None
    assert found.implied_pair_correlation is None
    alike = pairing_gain([10, 0, 0, 0, 10], wins=20, draws=0, losses=20)
    assert alike.rms_bias_score is None
    assert alike.design_effect == pytest.approx(2.0)


def test_sweep_vector() -> None:
    case = vector("sweep_baseline")
    for p, wanted in zip(case.input["p"], case.expected["baseline"], strict=True):
        assert case.close(sweep_baseline(p), wanted)
    got = duplicate_multiplier(case.input["p"], case.input["observed_sweeps"])
    assert got is not None
    assert case.close(got, case.expected["mean_baseline"] / case.input["observed_sweeps"])
    assert duplicate_multiplier([0.5], 0.0) is None


def test_repetition() -> None:
    assert repetition([]).n_effective is None
    found = repetition([4, 1, 1, 1, 1])
    assert (found.n_games, found.n_distinct) == (8, 5)
    assert found.n_effective == pytest.approx(64 / 20)
    assert found.design_effect == pytest.approx(2.5)
    assert repetition([1] * 9).design_effect == pytest.approx(1.0)


def test_twins_show_the_noise_that_the_errors_promise() -> None:
    """Three twins among five bots, 60 pools: the pooled ratio is 1 for the sandwich, well above 1 for the model."""
    rng = np.random.default_rng(5)
    ratios: dict[str, list[float]] = {"map": [], "model": []}
    for _ in range(60):
        fit = fit_bradley_terry(play_round_robin(rng, np.array([0.3, 0.3, 0.3, -0.2, -0.5]), 40, tilt=1.0))
        for name, errors in (("map", map_errors(fit)), ("model", model_errors(fit))):
            found = twin_floor(errors, [[0, 1, 2]])
            assert found.state is TwinState.COMPARED
            assert found.n_gaps == 2
            assert found.ratio is not None
            assert found.low is not None
            assert found.high is not None
            assert found.low < found.ratio < found.high
            ratios[name].append(found.ratio)
    assert 0.7 < float(np.mean(ratios["map"])) < 1.5
    assert float(np.mean(ratios["model"])) > 1.8


def test_two_twins_are_their_gap() -> None:
    fit = fit_bradley_terry(play_round_robin(np.random.default_rng(9), np.array([0.2, 0.2, -0.4]), 30))
    errors = map_errors(fit)
    found, gap = twin_floor(errors, [[0, 1], [2]]), errors.difference(0, 1)
    assert gap.elo is not None
    assert gap.se_elo is not None
    assert found.gap_sd_elo == pytest.approx(abs(gap.elo))
    assert found.expected_sd_elo == pytest.approx(gap.se_elo)
    assert found.ratio == pytest.approx((gap.elo / gap.se_elo) ** 2)


def test_words_of_twins_point_to_the_cause() -> None:
    # The same game twenty times over, counted as twenty maps: the twins differ by far less than promised, or more.
    far = [(m, 0, 1, float(m % 20 != 0)) for m in range(200)] + [(m, 1, 0, float(m % 20 == 0)) for m in range(200)]
    found = twin_floor(map_errors(fit_bradley_terry(aggregate(far), prior=NoPrior())), [[0, 1]])
    assert "by more than the errors promise" in found.words


def test_identical_twins_tie_exactly_and_it_is_said() -> None:
    games = []
    for m in range(10):
        games += [(m, 0, 1, 1.0), (m, 1, 0, 1.0)]
        for twin in (0, 1):
            games += [(m, twin, 2, float(m % 3 > 0)), (m, 2, twin, float(m % 4 == 0))]
    found = twin_floor(map_errors(fit_bradley_terry(aggregate(games))), [[0, 1]])
    assert found.state is TwinState.IDENTICAL
    assert found.gap_sd_elo == 0.0
    assert "tie on every map" in found.words
    # Level by luck is no sign of anything: each twin took what the other did, on other maps.
    lucky = [(m, a, 1 - a, float((m % 2 == 0) == (a == 0))) for m in range(10) for a in (0, 1)]
    fit = fit_bradley_terry(aggregate(lucky))
    tied = twin_floor(map_errors(fit), [[0, 1]])
    assert (tied.state, tied.gap_sd_elo, tied.ratio) == (TwinState.COMPARED, 0.0, 0.0)
    assert "though not map by map" in tied.words
    assert twin_floor(model_errors(fit), [[0, 1]]).words == "Twins tie in points."


def test_twins_that_cannot_be_compared() -> None:
    fit = fit_bradley_terry(
        aggregate([(0, 0, 1, 1.0), (0, 2, 3, 1.0), (1, 0, 1, 0.0), (1, 2, 3, 0.0)]), prior=NoPrior()
    )
    assert twin_floor(map_errors(fit), []).state is TwinState.NO_TWINS
    assert twin_floor(map_errors(fit), [[0, 2]]).state is TwinState.NO_ERRORS
    lone = fit_bradley_terry(counts_from_rows([CountedRow("a", "b", 3, 0, 1)]))
    assert twin_floor(map_errors(lone), [[0, 1]]).state is TwinState.NO_ERRORS


def test_first_seat() -> None:
    rng = np.random.default_rng(3)
    counts = play_round_robin(rng, np.array([0.5, 0.0, -0.5]), 80, seat=0.6)
    found = first_seat_bias(counts)
    assert found.state is SeatState.ESTIMATED
    assert found.low is not None
    assert found.score is not None
    assert 0.5 < found.low < found.score
    assert found.n_maps == 80
    assert first_seat_bias(counts.without_maps()).state is SeatState.TOO_FEW_MAPS
    assert first_seat_bias(counts_from_points(np.zeros((2, 2)), ["a", "b"])).state is SeatState.SEATS_UNKNOWN
    empty = counts_from_rows([CountedRow("a", "b", 0, 0, 0)])
    assert first_seat_bias(empty).state is SeatState.NO_GAMES
    fixed = aggregate([(m, 0, 1, 1.0) for m in range(5)])
    assert first_seat_bias(fixed).state is SeatState.NO_VARIANCE
    assert first_seat_bias(fixed).score == 1.0
    assert seat_bias(np.zeros(0), np.zeros(0)).state is SeatState.NO_GAMES
    assert first_seat_bias(aggregate([(0, 0, 1, 1.0)])).state is SeatState.TOO_FEW_MAPS


def test_mirrored_pairs() -> None:
    games = [(m, a, 1 - a, 1.0) for m in range(10) for a in (0, 1)]
    games += [(m, 0, 2, float(m % 2)) for m in range(10)] + [(m, 2, 0, float(m % 3 > 0)) for m in range(10)]
    table = head_to_head(aggregate(games))
    assert mirrored_pairs(table) == ((0, 1, 10),)
    assert mirrored_pairs(table, fewest_maps=11) == ()


def test_refusals() -> None:
    refused: list[tuple[Any, str]] = [
        (lambda: repetition([0]), "times is 0"),
        (lambda: pairing_gain([1, 2, 3], wins=1, draws=1, losses=1), "five counts"),
        (lambda: pairing_gain([0] * 5, wins=1, draws=1, losses=1), "five counts"),
        (lambda: sweep_baseline(1.5), "p is 1.5"),
        (lambda: duplicate_multiplier([], 0.5), "no pairings"),
        (lambda: duplicate_multiplier([0.5], math.nan), "observed_sweeps"),
    ]
    for call, message in refused:
        with pytest.raises(StatsInputError, match=message):
            call()

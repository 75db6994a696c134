"""Nash averaging and alpha-rank: outside numbers, invariance to copies, extremes that must stay finite."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from harness.stats.alpharank import alpha_rank
from harness.stats.arguments import StatsInputError
from harness.stats.nash import nash_average
from tests.stats.vectors import Vector, vectors


@pytest.mark.parametrize("case", vectors("nash_average_"), ids=lambda case: case.id)
def test_nash_vectors(case: Vector) -> None:
    found = nash_average(np.array(case.input["A"]))
    assert np.allclose(found.mixture, case.expected["maxent_nash"], atol=case.tolerance or 0.0)
    assert np.allclose(found.skill, case.expected["skill"], atol=case.tolerance or 0.0)


@st.composite
def antisymmetric(draw: st.DrawFn, max_size: int = 6) -> np.ndarray:
    n = draw(st.integers(1, max_size))
    table = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            table[i, j] = draw(st.integers(-4, 4)) / 4
            table[j, i] = -table[i, j]
    return table


def entropy(p: np.ndarray) -> float:
    return float(-np.sum(p[p > 0] * np.log(p[p > 0])))


@given(antisymmetric())
def test_it_is_an_equilibrium_and_none_is_more_even(table: np.ndarray) -> None:
    found = nash_average(table)
    n = len(table)
    assert found.mixture.sum() == pytest.approx(1.0)
    assert found.mixture.min() >= 0.0
    assert found.skill.max() <= 1e-9
    on_simplex = LinearConstraint(np.ones((1, n)), 1.0, 1.0)
    unbeaten = LinearConstraint(table, -np.inf, 0.0)

    def disorder(p: np.ndarray[Any, Any]) -> float:
        return float(np.sum(p * np.log(np.maximum(p, 1e-12))))

    other = minimize(
        disorder,
        found.mixture,
        bounds=[(0.0, 1.0)] * n,
        constraints=[on_simplex, unbeaten],
        method="SLSQP",
    )
    if (table @ other.x).max() < 1e-9:
        assert entropy(np.maximum(other.x, 0.0)) <= entropy(found.mixture) + 1e-6


@given(antisymmetric(max_size=4), st.integers(0, 3), st.integers(1, 3))
def test_copies_share_their_weight_and_change_no_skill(table: np.ndarray, which: int, copies: int) -> None:
    n = len(table)
    which %= n
    order = [*range(n), *([which] * copies)]
    plain, padded = nash_average(table), nash_average(table[np.ix_(order, order)])
    weight = padded.mixture[[which, *range(n, n + copies)]]
    assert np.allclose(weight, weight[0], atol=1e-5)
    if np.count_nonzero(plain.mixture) == 1:
        assert np.allclose(padded.skill[:n], plain.skill, atol=1e-5)


def test_all_level_is_the_even_mixture() -> None:
    found = nash_average(np.zeros((4, 4)))
    assert np.allclose(found.mixture, 0.25)
    assert np.array_equal(found.skill, np.zeros(4))


@pytest.mark.parametrize("case", vectors("alpharank_"), ids=lambda case: case.id)
def test_alpha_rank_vectors(case: Vector) -> None:
    for local, key in ((True, "stationary_local_selection_default"), (False, "stationary_global_selection")):
        got = alpha_rank(
            np.array(case.input["A"]),
            population=case.input["m"],
            alpha=case.input["alpha"],
            local_selection=local,
        )
        assert np.allclose(got, case.expected[key], atol=case.tolerance or 0.0)


def test_alpha_rank_of_strong_selection_stays_finite() -> None:
    ladder = np.array([[0.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [-1.0, -1.0, 0.0]])
    for alpha in (1e-6, 1.0, 1e6):
        for local in (True, False):
            share = alpha_rank(ladder, alpha=alpha, local_selection=local)
            assert np.isfinite(share).all()
            assert share.sum() == pytest.approx(1.0)
    assert np.allclose(alpha_rank(ladder, alpha=1e6), [1.0, 0.0, 0.0])
    assert np.allclose(alpha_rank(np.zeros((3, 3))), 1.0 / 3.0)
    assert np.array_equal(alpha_rank(np.zeros((1, 1))), [1.0])


@given(antisymmetric(max_size=5), st.floats(0.01, 20.0), st.integers(2, 60), st.booleans())
def test_alpha_rank_is_stationary(table: np.ndarray, alpha: float, population: int, local: bool) -> None:
    share = alpha_rank(table, population=population, alpha=alpha, local_selection=local)
    n = len(table)
    if n == 1:
        return
    from harness.stats.alpharank import _log_fixation_global, _log_fixation_local

    rate = np.exp((_log_fixation_local if local else _log_fixation_global)(table, population, alpha)) / (n - 1)
    np.fill_diagonal(rate, 0.0)
    assert np.allclose(share @ rate, share * rate.sum(axis=1), rtol=1e-6, atol=1e-12)


def test_refusals() -> None:
    refused: list[tuple[Any, str]] = [
        (lambda: nash_average(np.zeros((2, 3))), "a square one"),
        (lambda: nash_average(np.zeros((0, 0))), "a square one"),
        (lambda: nash_average(np.ones((2, 2))), "not antisymmetric"),
        (lambda: nash_average(np.full((2, 2), np.nan)), "not finite"),
        (lambda: alpha_rank(np.zeros((2, 3))), "a square one"),
        (lambda: alpha_rank(np.full((2, 2), np.inf)), "not finite"),
        (lambda: alpha_rank(np.zeros((2, 2)), population=1), "population"),
        (lambda: alpha_rank(np.zeros((2, 2)), alpha=0.0), "alpha"),
    ]
    for call, message in refused:
        with pytest.raises(StatsInputError, match=message):
            call()

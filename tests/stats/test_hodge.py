"""HodgeRank: outside numbers, orthogonality, and tables that are none."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.stats import hodge
from harness.stats.arguments import StatsInputError
from harness.stats.hodge import hodge_decomposition
from tests.stats.vectors import Vector, vectors


@pytest.mark.parametrize("case", vectors("hodge_"), ids=lambda case: case.id)
def test_vectors(case: Vector) -> None:
    parts = hodge_decomposition(np.array(case.input["Y"]), np.array(case.input["weights"]))
    wanted = case.expected
    assert parts.edges.tolist() == wanted["edges"]
    for field in ("ratings", "gradient", "local_cyclic", "harmonic"):
        assert np.allclose(getattr(parts, field), wanted[field], atol=1e-9)
    for field in ("energy_total", "energy_gradient", "energy_local_cyclic", "energy_harmonic", "cyclic_share"):
        assert case.close(getattr(parts, field), wanted[field])
    curls = {str(tuple(t)): c for t, c in zip(parts.triangles.tolist(), parts.curl.tolist(), strict=True)}
    assert curls == pytest.approx(wanted["triangle_curl"])


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(2, 6))
    lead, weight = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            lead[i, j] = draw(st.floats(-3, 3))
            lead[j, i] = -lead[i, j]
            weight[i, j] = weight[j, i] = draw(st.sampled_from([0.0, 0.5, 1.0, 7.0]))
    return lead, weight


@given(tables())
def test_the_parts_add_up_and_are_orthogonal(table: tuple[np.ndarray, np.ndarray]) -> None:
    lead, weight = table
    parts = hodge_decomposition(lead, weight)
    first, second = parts.edges[:, 0], parts.edges[:, 1]
    w = weight[first, second]
    assert np.allclose(parts.gradient + parts.local_cyclic + parts.harmonic, lead[first, second], atol=1e-9)
    for one, other in (
        (parts.gradient, parts.local_cyclic),
        (parts.gradient, parts.harmonic),
        (parts.local_cyclic, parts.harmonic),
    ):
        assert abs(float(np.sum(w * one * other))) < 1e-8
    # The harmonic part turns round no triangle and flows out of no bot.
    place = {tuple(edge): k for k, edge in enumerate(parts.edges.tolist())}
    for i, j, k in parts.triangles.tolist():
        turn = parts.harmonic[place[i, j]] + parts.harmonic[place[j, k]] - parts.harmonic[place[i, k]]
        assert abs(turn) < 1e-8
    outflow = np.zeros(len(weight))
    np.add.at(outflow, first, w * parts.harmonic)
    np.add.at(outflow, second, -w * parts.harmonic)
    assert np.allclose(outflow, 0.0, atol=1e-8)
    assert parts.energy_total == pytest.approx(
        parts.energy_gradient + parts.energy_local_cyclic + parts.energy_harmonic, abs=1e-8
    )
    share = parts.cyclic_share
    assert share is None or -1e-9 <= share <= 1.0 + 1e-9


@given(tables())
def test_iterative_and_dense_projection_agree(table: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        dense = hodge_decomposition(*table)
        patch.setattr(hodge, "_DENSE_ENTRIES", 0)
        iterative = hodge_decomposition(*table)
    assert np.allclose(dense.local_cyclic, iterative.local_cyclic, atol=1e-7)


def test_a_table_without_leads_has_no_share() -> None:
    parts = hodge_decomposition(np.zeros((3, 3)), np.ones((3, 3)))
    assert parts.cyclic_share is None
    assert hodge_decomposition(np.zeros((2, 2)), np.zeros((2, 2))).edges.shape == (0, 2)


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    one = np.array([[0.0, 1.0], [-1.0, 0.0]])
    ones = np.ones((2, 2))
    refused: list[tuple[Any, str]] = [
        (lambda: hodge_decomposition(np.zeros((2, 3)), np.zeros((2, 3))), "two square tables"),
        (lambda: hodge_decomposition(one, -ones), "symmetric, finite and 0 or more"),
        (lambda: hodge_decomposition(one, np.array([[0.0, 1.0], [2.0, 0.0]])), "symmetric"),
        (lambda: hodge_decomposition(one * np.inf, ones), "not finite on a pair that met"),
        (lambda: hodge_decomposition(np.abs(one), ones), "not antisymmetric"),
    ]
    for call, message in refused:
        with pytest.raises(StatsInputError, match=message), np.errstate(invalid="ignore"):
            call()
    monkeypatch.setattr(hodge, "_MAX_TRIANGLES", 0)
    with pytest.raises(StatsInputError, match="1 triangles"):
        hodge_decomposition(np.zeros((3, 3)), np.ones((3, 3)))

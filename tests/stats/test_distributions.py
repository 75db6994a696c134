"""Every probability function against scipy, which the package itself does not need for them."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.stats import distributions as ours
from harness.stats.arguments import StatsInputError
from harness.stats.solve import find_root
from tests.stats.vectors import vector

LEVELS = [1e-12, 1e-6, 0.001, 0.025, 0.2, 0.5, 0.7, 0.975, 0.999, 1 - 1e-9]


@pytest.mark.parametrize("z", [-38.0, -8.5, -1.96, -0.3, 0.0, 1e-9, 0.7, 5.0, 37.0])
def test_normal_tails_agree_with_scipy_to_the_last_digits(z: float) -> None:
    assert ours.normal_cdf(z) == pytest.approx(stats.norm.cdf(z), rel=1e-12)
    assert ours.normal_sf(z) == pytest.approx(stats.norm.sf(z), rel=1e-12)
    assert ours.normal_pdf(z) == pytest.approx(stats.norm.pdf(z), rel=1e-12)


@pytest.mark.parametrize("p", [1e-300, 1e-100, *LEVELS])
def test_normal_quantile(p: float) -> None:
    assert ours.normal_quantile(p) == pytest.approx(stats.norm.ppf(p), rel=1e-12, abs=1e-14)


def test_two_sided_z_is_the_usual_number() -> None:
    assert ours.two_sided_z(0.95) == pytest.approx(1.959963984540054, abs=1e-14)


@pytest.mark.parametrize("dof", [0.7, 1, 2, 3, 4.5, 9, 34, 1199, 1e6, 3e8])
def test_student_t(dof: float) -> None:
    for t in (-40.0, -3.3, -1.0, 0.0, 1e-5, 0.5, 2.0, 9.0):
        assert ours.t_cdf(t, dof) == pytest.approx(stats.t.cdf(t, dof), abs=2e-9 if dof > 1e7 else 1e-11)
        assert ours.t_sf(t, dof) == pytest.approx(1.0 - ours.t_cdf(t, dof), abs=1e-14)
    for p in LEVELS:
        wanted = stats.t.ppf(p, dof)
        assert ours.t_quantile(p, dof) == pytest.approx(wanted, rel=1e-8 if dof > 1e7 else 1e-10, abs=1e-12)


def test_student_t_with_many_degrees_is_the_normal_law_plus_its_first_correction() -> None:
    # scipy loses digits here, so the check is the series: P(T > t) - P(Z > t) = (t^3 + t)·density/(4·dof)
    for dof in (1e7, 3e8, 1e11):
        gap = ours.t_sf(1.8, dof) - ours.normal_sf(1.8)
        assert gap == pytest.approx(ours.normal_pdf(1.8) * (1.8**3 + 1.8) / (4 * dof), rel=1e-5, abs=1e-16)
    assert ours.t_sf(1.8, math.inf) == ours.normal_sf(1.8)
    assert ours.t_quantile(0.9, math.inf) == ours.normal_quantile(0.9)


def test_beta_gamma_and_f_agree_with_scipy_over_a_wide_range() -> None:
    rng = np.random.default_rng(11)
    for _ in range(400):
        a, b = (float(value) for value in 10 ** rng.uniform(-0.5, 5, 2))
        spread = 3 * math.sqrt(a * b / (a + b) ** 2 / (a + b + 1))
        x = float(np.clip(a / (a + b) + rng.uniform(-1, 1) * spread, 1e-9, 1 - 1e-9))
        assert ours.regularised_beta(a, b, x) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-11)
        assert ours.chi2_sf(2 * b, 2 * a) == pytest.approx(stats.chi2.sf(2 * b, 2 * a), abs=1e-11)
        assert ours.chi2_cdf(2 * b, 2 * a) == pytest.approx(stats.chi2.cdf(2 * b, 2 * a), abs=1e-11)
        ratio = float(rng.uniform(0.2, 3))
        assert ours.f_sf(ratio, a, b) == pytest.approx(stats.f.sf(ratio, a, b), abs=1e-11)
        p = float(rng.uniform())
        assert ours.beta_quantile(p, a, b) == pytest.approx(stats.beta.ppf(p, a, b), abs=1e-11)


def test_binomial_agrees_with_scipy() -> None:
    rng = np.random.default_rng(12)
    for _ in range(300):
        n = int(10 ** rng.uniform(0, 6))
        p = float(rng.uniform())
        k = int(np.clip(n * p + 3 * rng.normal() * math.sqrt(n * p * (1 - p)), 0, n))
        assert ours.binomial_pmf(k, n, p) == pytest.approx(stats.binom.pmf(k, n, p), rel=1e-9)
        assert ours.binomial_at_least(k, n, p) == pytest.approx(stats.binom.sf(k - 1, n, p), abs=1e-11)
        assert ours.binomial_at_most(k, n, p) == pytest.approx(stats.binom.cdf(k, n, p), abs=1e-11)


def test_binomial_tails_of_ten_games() -> None:
    case = vector("binom_tails_seed")
    n, k = case.input["n"], case.input["k"]
    assert case.close(ours.binomial_at_least(k, n, 0.5), case.expected["p_half"])
    assert case.close(ours.binomial_at_least(k, n, 0.55), case.expected["p_055"])


def test_edges_are_certain_events() -> None:
    assert ours.regularised_beta(2, 3, 0.0) == 0.0
    assert ours.regularised_beta(2, 3, 1.0) == 1.0
    assert ours.beta_quantile(0.0, 2, 3) == 0.0
    assert ours.beta_quantile(1.0, 2, 3) == 1.0
    assert ours.chi2_sf(0.0, 3) == 1.0
    assert ours.f_sf(-1.0, 3, 4) == 1.0
    assert [ours.binomial_pmf(k, 3, 1.0) for k in (-1, 2, 3, 4)] == [0.0, 0.0, 1.0, 0.0]
    assert [ours.binomial_pmf(k, 3, 0.5) for k in (0, 3)] == pytest.approx([0.125, 0.125])
    assert (ours.binomial_at_least(0, 3, 0.5), ours.binomial_at_least(4, 3, 0.5)) == (1.0, 0.0)
    assert (ours.binomial_at_most(-1, 3, 0.5), ours.binomial_at_most(3, 3, 0.5)) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ours.normal_quantile(0.0), "p is 0.0"),
        (lambda: ours.normal_quantile(math.nan), "p is nan"),
        (lambda: ours.t_quantile(1.0, 3), "p is 1.0"),
        (lambda: ours.t_sf(1.0, 0), "dof is 0"),
        (lambda: ours.chi2_sf(1.0, -1), "dof is -1"),
        (lambda: ours.f_sf(1.0, 0, 1), "dof_above is 0"),
        (lambda: ours.binomial_pmf(1, -1, 0.5), "n is -1"),
        (lambda: ours.binomial_pmf(1, 2, 1.5), "p is 1.5"),
        (lambda: ours.beta_quantile(2, 1, 1), "p is 2"),
    ],
)
def test_a_number_outside_the_domain_is_refused(call: Callable[[], float], words: str) -> None:
    with pytest.raises(StatsInputError, match=words):
        call()


@given(root=st.floats(-50, 50), slope=st.floats(0.01, 100), power=st.sampled_from([1, 3, 5]))
def test_find_root_finds_the_sign_change(root: float, slope: float, power: int) -> None:
    found = find_root(lambda x: slope * (x - root) ** power, -60.0, 70.0)
    assert found == pytest.approx(root, abs=1e-9 if power == 1 else 1e-4)


def test_find_root_needs_a_sign_change() -> None:
    assert find_root(lambda x: x, 0.0, 1.0) == 0.0
    assert find_root(lambda x: x - 1.0, 0.0, 1.0) == 1.0
    with pytest.raises(StatsInputError, match="no sign change"):
        find_root(lambda x: x * x + 1.0, -1.0, 1.0)

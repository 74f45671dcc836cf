"""Tests of differences against exact tails, published values and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.uncertainty.difference_tests import (
    bonett_price,
    bonferroni,
    bootstrap_p,
    cases_needed,
    correlated,
    correlation_of,
    holm,
    mcnemar_mid_p,
    sidak,
    single_error,
    step_down_adjust,
)


@pytest.mark.parametrize(("b", "c"), [(8, 1), (1, 8), (0, 7), (12, 9), (3, 3), (40, 22), (500, 430)])
def test_mcnemar_mid_p_is_the_binomial_tail_less_half_its_first_term(b, c):
    exact = stats.binomtest(min(b, c), b + c, 0.5).pvalue
    mid = 1.0 if b == c else exact - stats.binom.pmf(min(b, c), b + c, 0.5)
    assert mcnemar_mid_p(b, c) == pytest.approx(mid, rel=1e-9)


def test_mcnemar_as_published():
    """Airway hyper-responsiveness before and after transplantation, Fagerland, Lydersen and Laake (2013)."""
    assert round(mcnemar_mid_p(1, 7), 3) == 0.039
    assert mcnemar_mid_p(0, 0) == 1
    assert mcnemar_mid_p(2000, 0) > 0


@pytest.mark.parametrize(("first", "second"), [(0.05, 0.05), (0.2, 0.1), (0.3, 0.02)])
def test_bonett_price_covers(first, second, n=40):
    """Added up over all tables of 40 pairs."""
    held = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            low, high = bonett_price(b, c, n)
            if low <= first - second <= high:
                held += stats.multinomial.pmf([b, c, n - b - c], n, [first, second, 1 - first - second])
    assert 0.94 < held < 0.985


def test_bonett_price_at_the_ends():
    nothing = bonett_price(0, 0, 30)
    assert nothing[0] == -nothing[1] < 0
    assert bonett_price(30, 0, 30)[1] <= 1 and bonett_price(0, 30, 30)[0] >= -1


def test_holm_by_hand():
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm(np.array([0.6, 0.7])), [1.0, 1.0])


def contrasts_of_three(correlation: float) -> np.ndarray:
    """Correlations of the three differences of three models whose errors correlate like this."""
    models = np.full((3, 3), correlation) + (1 - correlation) * np.eye(3)
    pairs = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    return correlation_of(pairs @ models @ pairs.T)


@pytest.mark.parametrize("p", [0.3, 0.05, 0.01])
def test_the_joint_tail_is_that_of_correlated_normals(p):
    """Against the plain share of a million draws; far out, against the sum of all tails."""
    matrix, everyone = contrasts_of_three(0.5), np.arange(3)
    values, vectors = np.linalg.eigh(matrix)
    drawn = np.random.default_rng(1).normal(size=(1_000_000, 3)) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    share = np.mean(np.abs(drawn).max(axis=1) >= stats.norm.isf(p / 2))
    assert correlated(matrix)(p, everyone) == pytest.approx(share, rel=0.02)
    assert correlated(matrix)(1e-30, everyone) == pytest.approx(3e-30, rel=0.01)


def test_max_t_is_studentised_range_for_all_pairs_of_three():
    """The largest of all differences of three independent normals is their range over root 2 (Tukey)."""
    joint = correlated(contrasts_of_three(0.0))
    for q in (2.0, 3.3145, 4.5):
        p = 2 * stats.norm.sf(q / math.sqrt(2))
        assert joint(p, np.arange(3)) == pytest.approx(stats.studentized_range.sf(q, 3, 1e6), rel=0.015)


def test_stepping_down_lies_between_the_raw_and_holms_p_values():
    p = np.array([0.0045, 0.027, 0.164])
    stepped, by_holm = step_down_adjust(p, correlated(contrasts_of_three(0.5))), step_down_adjust(p, bonferroni)
    assert (p <= stepped + 1e-12).all() and (stepped <= by_holm * 1.001).all() and stepped[2] == p[2]
    copies = step_down_adjust(p[[0, 0, 0]], correlated(np.ones((3, 3))))
    np.testing.assert_allclose(copies, p[0], rtol=1e-9)  # three times the same question is one question


@pytest.mark.parametrize("sides", [1, 2])
def test_the_critical_value_is_that_of_all_at_once(sides):
    """Beside draws: the single error at which the largest of three correlated normals is beyond in 5%."""
    matrix = contrasts_of_three(0.3)
    drawn = np.random.default_rng(2).multivariate_normal(np.zeros(3), matrix, 400_000, method="eigh")
    largest = (np.abs(drawn) if sides == 2 else drawn).max(axis=1)
    own = single_error(0.05, np.arange(3), correlated(matrix, sides=sides))
    assert stats.norm.isf(own / sides) == pytest.approx(np.quantile(largest, 0.95), abs=0.01)


def test_independent_comparisons_have_sidaks_level():
    assert single_error(0.05, np.arange(4), sidak) == pytest.approx(1 - 0.95**0.25, rel=1e-6)
    assert sidak(0.2, np.arange(1)) == pytest.approx(0.2) and sidak(1.0, np.arange(3)) == pytest.approx(1.0)


def test_intervals_of_all_pairs_hold_together():
    """Three models: in 95% of samples all three intervals hold their truth, whatever the truths are."""
    rng, (values, vectors) = np.random.default_rng(3), np.linalg.eigh(np.full((3, 3), 0.5) + 0.5 * np.eye(3))
    pairs = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    own = single_error(0.05, np.arange(3), correlated(contrasts_of_three(0.5)))
    noise = pairs @ (rng.normal(size=(20_000, 3)) @ (vectors * np.sqrt(values)).T).T  # variances are 1
    assert (np.abs(noise) <= stats.norm.isf(own / 2)).all(axis=0).mean() == pytest.approx(0.95, abs=0.006)


def test_p_values_are_never_zero():
    assert bootstrap_p(1.0, np.full(99, 1.0)) == 0.01
    assert (step_down_adjust(np.array([1e-300, 1e-200]), correlated(np.eye(2))) > 0).all()
    y = np.repeat([True, False], 1000)
    perfect = uc.compare(y, {"a": y * 0.8 + 0.1, "b": 0.9 - y * 0.8}, metrics=["auroc", "accuracy", "f1"])
    assert all(0 < each.p_value < 0.01 and each.verdict == "better" for each in perfect.values())


def test_cases_needed_gives_the_power_it_promises():
    n, difference, error = 200, 0.03, 0.03
    needed = cases_needed(n, difference, error, 0.95)
    z = difference / (error * math.sqrt(n / needed))
    assert stats.norm.cdf(z - 1.96) == pytest.approx(0.8, abs=0.002)
    assert math.isnan(cases_needed(100, 0.0, 0.1, 0.95)) and math.isnan(cases_needed(100, 0.1, 0.0, 0.95))


def test_a_resample_without_a_difference_strays_as_far_as_the_difference_but_for_rounding():
    assert bootstrap_p(0.3, np.array([6e-17, 0.0, -6e-17])) == 1

"""Tests of differences against exact tails, published values and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.uncertainty.significance import bonett_price, bootstrap_p, cases_needed, holm, max_t, mcnemar_mid_p


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


def test_max_t_lies_between_the_raw_and_bonferronis_p_values():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=20_000)
    replicates = np.array(
        [0.05 * (math.sqrt(r) * shared + math.sqrt(1 - r) * rng.normal(size=20_000)) for r in (0.5, 0.5, 0.5)]
    )
    differences = np.array([0.1, 0.12, 0.02])
    replicates += differences[:, None]
    raw = np.array([bootstrap_p(d, r) for d, r in zip(differences, replicates, strict=True)])
    together = max_t(differences, replicates)
    assert (raw <= together + 1e-3).all() and (together <= np.minimum(3 * raw, 1) * 1.1 + 1e-3).all()
    np.testing.assert_allclose(raw, 2 * stats.norm.sf(differences / 0.05), rtol=0.15)
    copies = max_t(differences[[0, 0, 0]], replicates[[0, 0, 0]])
    np.testing.assert_allclose(copies, raw[0], atol=1e-4)  # three times the same question is one question


def test_p_values_are_never_zero():
    assert bootstrap_p(1.0, np.full(99, 1.0)) == 0.01
    assert (max_t(np.array([1.0, 2.0]), np.array([[1.0, 1.1, 0.9], [2.0, 2.1, 1.9]])) > 0).all()
    y = np.repeat([True, False], 1000)
    perfect = uc.compare(y, {"a": y * 0.8 + 0.1, "b": 0.9 - y * 0.8}, metrics=["auroc", "accuracy", "f1"])
    assert all(0 < each.p_value < 0.01 and each.verdict == "better" for each in perfect.values())


def test_cases_needed_gives_the_power_it_promises():
    n, difference, error = 200, 0.03, 0.03
    needed = cases_needed(n, difference, error, 0.95)
    z = difference / (error * math.sqrt(n / needed))
    assert stats.norm.cdf(z - 1.96) == pytest.approx(0.8, abs=0.002)
    assert math.isnan(cases_needed(100, 0.0, 0.1, 0.95)) and math.isnan(cases_needed(100, 0.1, 0.0, 0.95))

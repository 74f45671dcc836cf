"""Pooling units: limits of what is known, units alike, units that share cases."""

import math

import numpy as np
import pytest

from unconfuse.multilevel.benchmarks import all_pairs, friedman, nemenyi, ranks, tiers
from unconfuse.multilevel.binomial import rate_posterior, unlike
from unconfuse.multilevel.bivariate import fit, region, summary_roc
from unconfuse.multilevel.pooling import chance_above, pool

Y = np.array([0.8, 1.4, 1.1, 2.0, 0.3])
V = np.array([0.04, 0.09, 0.05, 0.12, 0.06])


def test_these_units_are_their_plain_mean():
    found = pool(Y, np.diag(V), "cases")
    assert found.value == pytest.approx(Y.mean())
    assert found.standard_error == pytest.approx(math.sqrt(V.sum()) / 5)
    assert math.isnan(pool(Y, None, "cases").low)


def test_a_diagonal_matrix_is_its_variances():
    assert pool(Y, np.diag(V)) == pool(Y, V)
    assert pool(Y, np.diag(V), "one unit") == pool(Y, V, "one unit")


def test_units_without_errors_are_a_t_interval():
    found = pool(Y)
    half = 2.7764451051977987 * Y.std(ddof=1) / math.sqrt(5)
    assert (found.low, found.high) == pytest.approx((Y.mean() - half, Y.mean() + half))
    assert pool(Y, np.zeros(5)) == found


def test_units_that_share_cases_have_the_degrees_of_freedom_of_hillis():
    shared = 0.02
    found = pool(Y, np.full((5, 5), shared) + np.diag(V))
    square = Y.var(ddof=1)
    assert found.standard_error == pytest.approx(math.sqrt(square / 5 + shared))
    assert found.freedom == pytest.approx((square + 5 * shared) ** 2 / (square**2 / 4))
    new = pool(Y, np.full((5, 5), shared) + np.diag(V), "one unit")
    assert new.low < pool(Y, V, "one unit").low < pool(Y, V, "one unit").high < new.high


def test_two_units_say_nothing_about_others():
    with pytest.raises(ValueError, match="needs 3 of them; got 2"):
        pool(Y[:2], V[:2])


def test_units_that_agree_exactly_do_not_make_a_new_one_certain():
    found = pool(np.full(4, 0.1), np.full(4, 0.01), "one unit")
    assert found.low < 0.1 < found.high
    assert pool(np.full(4, 0.1)).method == "no interval: all units are alike"
    assert chance_above(np.full(4, 0.1), None, 0.1) == 0.5


def test_order_of_scale_does_not_matter():
    small, large = pool(Y * 1e-6, V * 1e-12, "one unit"), pool(Y, V, "one unit")
    assert small.low * 1e6 == pytest.approx(large.low, rel=1e-6)
    assert pool(Y * 1e-6, V * 1e-12).high * 1e6 == pytest.approx(pool(Y, V).high, rel=1e-6)


def test_many_exact_units_have_the_interval_of_a_normal_distribution():
    y = np.random.default_rng(1).normal(size=2000)
    new = pool(y, np.full(2000, 1e-6), "one unit")
    assert (new.low, new.high) == pytest.approx((-1.96, 1.96), abs=0.12)


def test_rates_below_a_half_are_the_mirror_image():
    r, n = np.array([1.0, 0, 4, 6, 3]), np.array([10.0, 12, 24, 13, 18])
    low, high = rate_posterior(r, n), rate_posterior(n - r, n)
    assert low.typical(0.1) == pytest.approx(1 - high.typical(0.9), abs=1e-9)
    assert low.new(0.1) == pytest.approx(1 - high.new(0.9), abs=1e-9)
    assert low.chance_above(0.2) == pytest.approx(1 - high.chance_above(0.8), abs=1e-9)
    assert low.chance_above(0) == 1 and low.chance_above(1) == 0


def test_large_units_are_as_exact_as_small_ones():
    """Just above and below the size from which on a likelihood is taken as normal."""
    rates = np.array([0.7, 0.75, 0.72, 0.8, 0.65])
    small, large = (rate_posterior(np.round(rates * n), np.full(5, n)) for n in (500.0, 1100.0))
    assert small.new(0.025) == pytest.approx(large.new(0.025), abs=0.02)
    huge = rate_posterior(rates * 1e6, np.full(5, 1e6))
    assert huge.new(0.5) == pytest.approx(np.median(rates), abs=0.02)
    assert huge.typical(0.025) < 0.72 < huge.typical(0.975)


def test_units_without_cases_say_nothing():
    r, n = np.array([8.0, 9, 7]), np.array([10.0, 10, 10])
    more = rate_posterior(np.append(r, 0), np.append(n, 0))
    assert more.new(0.2) == pytest.approx(rate_posterior(r, n).new(0.2), abs=1e-12)
    assert unlike(np.append(r, 0), np.append(n, 0)) == unlike(r, n)
    assert unlike(np.array([5.0]), np.array([9.0])) != unlike(np.array([5.0]), np.array([9.0]))  # NaN
    assert unlike(n, n) == 1


def test_the_summary_curve_runs_through_the_mean_study():
    tp, tn = np.array([28.0, 40, 33, 38, 29, 13]), np.array([65.0, 43, 55, 68, 79, 13])
    found = fit(tp, tp + np.array([2, 5, 16, 0, 3, 4]), tn, tn + np.array([13, 6, 2, 7, 5, 4]))
    sensitivity, specificity = 1 / (1 + np.exp(-found.mean))
    assert summary_roc(found, [1 - specificity])[0] == pytest.approx(sensitivity)
    outline = region(found, 0.95, new=False)["sensitivity"]
    assert outline.min() < sensitivity < outline.max()
    assert np.ptp(region(found, 0.95, new=True)["sensitivity"]) > np.ptp(outline)


def test_ranks_share_ties():
    assert ranks(np.array([[0.9, 0.9, 0.1]])).tolist() == [[1.5, 1.5, 3.0]]
    assert math.isnan(friedman(np.ones((4, 3))).statistic)
    assert nemenyi(np.ones((4, 3))) == pytest.approx([1, 1, 1])


def test_few_data_sets_tell_no_pair_apart():
    scores = np.random.default_rng(0).normal(size=(4, 2)) * 0.001 + [[0.5, 0.9]]
    found = all_pairs(scores)
    assert math.isinf(found.critical) and found.p_value[0] >= 0.05
    assert all_pairs(np.repeat(scores[:1], 6, axis=0)).p_value.tolist() != [1.0]


def test_intervals_and_p_values_of_all_pairs_agree():
    rng = np.random.default_rng(5)
    for sets in (5, 6, 9, 13, 14, 30):
        found = all_pairs(rng.normal(size=(sets, 5)) + np.arange(5) * 0.5)
        excluded = (found.low > 0) | (found.high < 0)
        assert (excluded == (found.p_value <= 0.05)).all()


def test_tiers_overlap():
    apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    assert tiers([0, 1, 2], apart) == [[0, 1], [1, 2]]
    assert tiers([0, 1, 2], np.zeros((3, 3), dtype=bool)) == [[0, 1, 2]]


def test_units_that_are_alike_are_units_of_their_own():
    """Equal sites share a likelihood, and no site counts for less: against each site's own, added up by a loop."""
    from unconfuse.multilevel import binomial

    r, n = np.array([9.0, 9, 9, 20, 7, 0, 0]), np.array([10.0, 10, 10, 24, 13, 3, 3])
    mu, tau, theta = np.linspace(-2, 4, 7), np.array([0.3, 1.0]), np.linspace(-9, 12, 301)
    logs = np.zeros((7, 2))
    for k, deviation in enumerate(tau):
        weight = np.exp(-0.5 * ((theta - mu[:, None]) / deviation) ** 2)
        weight /= weight.sum(axis=1, keepdims=True)
        for hits, cases in zip(r, n, strict=True):
            p = 1 / (1 + np.exp(-theta))
            logs[:, k] += np.log(weight @ (p**hits * (1 - p) ** (cases - hits)))
    p = 1 / (1 + np.exp(-mu))
    logs += 0.5 * np.log(p * (1 - p))[:, None] - 0.5 * (tau / 1.5) ** 2
    expected = np.exp(logs - logs.max())
    np.testing.assert_allclose(binomial._posterior(r, n, mu, tau, theta), expected / expected.sum(), rtol=1e-9)

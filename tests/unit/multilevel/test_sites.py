"""Sites: scales, areas, rates, few of them."""

import math

import numpy as np
import pytest
from scipy.special import expit, logit

from unconfuse.multilevel.sites import PooledRates, PooledValues, Scale, areas
from unconfuse.uncertainty.influence_intervals import hanley_mcneil_se


@pytest.mark.parametrize(("name", "value"), [("logit", 0.3), ("log", 2.5), ("identity", -0.4)])
def test_scales_turn_back_and_slopes_are_derivatives(name, value):
    scale = Scale(name)
    assert scale.back(float(scale.to(value))) == pytest.approx(value)
    step = 1e-6
    slope = (scale.to(value + step) - scale.to(value - step)) / (2 * step)
    assert float(scale.slope(value)) == pytest.approx(float(slope), rel=1e-6)


def test_a_perfect_site_takes_part():
    y, variances, _ = areas(np.array([1.0, 0.8, 0.7]), np.array([5.0, 20, 30]), np.array([9.0, 50, 40]))
    assert np.isfinite(y).all() and (variances > 0).all() and y[0] == pytest.approx(logit(45.5 / 46))
    assert variances[0] > variances[1]


def test_variances_are_those_of_the_pooled_area():
    auroc, n1, n0 = np.array([0.7, 0.9, 0.8]), np.array([10.0, 20, 30]), np.array([40.0, 20, 10])
    pooled = ((auroc * n1 * n0).sum() / (n1 * n0).sum() * 40 + 0.5) / 41
    expected = (hanley_mcneil_se(pooled, n1, n0) / (pooled * (1 - pooled))) ** 2
    assert areas(auroc, n1, n0)[1] == pytest.approx(expected)


def test_reversed_scores_mirror_the_areas():
    auroc, n1, n0 = np.array([0.7, 0.9, 0.8]), np.array([10.0, 20, 30]), np.array([40.0, 20, 10])
    y, variances, _ = areas(auroc, n1, n0)
    turned, others, _ = areas(1 - auroc, n0, n1)
    assert turned == pytest.approx(-y) and others == pytest.approx(variances)


@pytest.mark.parametrize("size", [1, 2])
def test_few_sites_have_a_mean_without_an_interval(size):
    found = PooledValues(np.arange(size, dtype=float), np.ones(size), Scale("identity"))
    assert math.isnan(found.mean[1]) and math.isnan(found.new[0]) and found.mean[3].startswith("no interval")
    rates = PooledRates(np.arange(size, dtype=float), np.full(size, 5.0))
    assert math.isnan(rates.mean[1]) and math.isnan(rates.new[0]) and math.isnan(rates.chance_above(0.5))


def test_sites_without_trials_change_nothing():
    r, n = np.array([9.0, 12, 20, 7]), np.array([10.0, 12, 24, 13])
    found, more = PooledRates(r, n), PooledRates(np.append(r, 0), np.append(n, 0))
    assert more.mean == found.mean and more.size == 4 and more.p_value == found.p_value


def test_limits_of_the_plain_scale_end_where_the_metric_does():
    found = PooledValues(np.array([0.9, 0.5, 0.1]), np.full(3, 0.01), Scale("identity", 0.0, 1.0))
    assert found.new[:2] == (0.0, 1.0)


def test_a_new_site_is_at_least_as_uncertain_as_the_mean():
    y = logit(np.array([0.6, 0.8, 0.85, 0.9, 0.7]))
    found = PooledValues(y, np.full(5, 0.02), Scale("logit"))
    assert found.new[0] < found.mean[1] < found.mean[0] < found.mean[2] < found.new[1]
    low, high = found.range
    assert expit(logit(found.mean[0]) - 1.959963984540054 * found.deviation) == pytest.approx(low) and high < 1
    assert found.chance_above(found.mean[0]) == pytest.approx(0.5, abs=0.1)

"""Closed-form intervals: reference values of others, edges, and what must hold for every method."""

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest

import unconfuse as uc
from unconfuse import Counts
from unconfuse.metrics import agreement
from unconfuse.uncertainty import limits, proportion_intervals

PROPORTION_METHODS = {
    name: getattr(proportion_intervals, name)
    for name in ("mid_p", "wilson", "clopper_pearson", "jeffreys", "agresti_coull")
}
METHODS = pytest.mark.parametrize("method", PROPORTION_METHODS.values(), ids=PROPORTION_METHODS)
CASES = [(0, 7), (1, 7), (3, 10), (50, 100), (999, 1000), (7, 7), (12, 100_000)]


@pytest.mark.parametrize(("x", "n"), CASES)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("name", "scipys"), [("wilson", "wilson"), ("clopper_pearson", "exact")])
def test_same_as_scipy(x, n, level, name, scipys):
    reference = binomtest(x, n).proportion_ci(level, method=scipys)
    assert PROPORTION_METHODS[name](x, n, confidence_level=level) == pytest.approx(reference, abs=1e-12)


@pytest.mark.parametrize(("x", "n"), CASES)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_mid_p_halves_the_observed_outcome(x, n, level):
    low, high = proportion_intervals.mid_p(x, n, confidence_level=level)
    tail = (1 - level) / 2
    above = binom.sf(x, n, low) + binom.pmf(x, n, low) / 2
    below = binom.cdf(x - 1, n, high) + binom.pmf(x, n, high) / 2
    assert low == 0 if x == 0 else above == pytest.approx(tail, rel=1e-7)
    assert high == 1 if x == n else below == pytest.approx(tail, rel=1e-7)


def test_published_examples():
    # Newcombe (1998), Stat. Med. 17:857, table I: 81 of 263 and 15 of 148 by Wilson, exact and mid-p.
    assert proportion_intervals.wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert proportion_intervals.clopper_pearson(81, 263) == pytest.approx((0.2527, 0.3676), abs=5e-5)
    assert proportion_intervals.mid_p(81, 263) == pytest.approx((0.2544, 0.3658), abs=5e-5)
    assert proportion_intervals.wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert proportion_intervals.mid_p(15, 148) == pytest.approx((0.0601, 0.1581), abs=5e-5)
    assert proportion_intervals.mid_p(0, 20) == pytest.approx((0, 0.1391), abs=5e-5)
    assert proportion_intervals.mid_p(1, 29) == pytest.approx((0.0017, 0.1585), abs=5e-5)


def test_jeffreys_is_the_beta_posterior():
    assert proportion_intervals.jeffreys(3, 10) == pytest.approx(beta.ppf([0.025, 0.975], 3.5, 7.5))


@METHODS
def test_edges(method):
    low, high = method([0, 10, 0], [10, 10, 0])
    assert low[0] == 0 and 0 < high[0] < 0.35
    assert high[1] == 1 and 0.65 < low[1] < 1
    assert np.isnan(low[2]) and np.isnan(high[2])


@METHODS
def test_shape_is_kept_and_counts_are_broadcast(method):
    low, high = method(np.arange(6).reshape(2, 3), 10)
    assert low.shape == high.shape == (2, 3)
    one = method(4, 10)
    np.testing.assert_allclose((low[1, 1], high[1, 1]), one)
    assert np.shape(one[0]) == ()


@METHODS
def test_limits_rise_with_successes_mirror_with_failures_and_widen_with_the_level(method):
    x, n = np.linspace(0, 30, 121), 30.0  # counts need not be whole
    low, high = method(x, n)
    assert np.all(np.diff(low) >= 0) and np.all(np.diff(high) >= 0)
    assert np.all(low <= x / n + 1e-12) and np.all(x / n <= high + 1e-12)
    mirrored = method(n - x, n)
    np.testing.assert_allclose(mirrored, (1 - high, 1 - low), atol=1e-9)
    wider = method(x, n, confidence_level=0.99)
    assert np.all(wider[0] <= low) and np.all(wider[1] >= high)


def test_mid_p_is_inside_clopper_pearson():
    x = np.arange(51)
    inner, outer = proportion_intervals.mid_p(x, 50), proportion_intervals.clopper_pearson(x, 50)
    assert np.all(outer[0] <= inner[0]) and np.all(inner[1] <= outer[1])


def test_f1_follows_jaccard():
    low, high = proportion_intervals.mid_p(30, 60)
    expected = (2 * low / (1 + low), 2 * high / (1 + high))
    assert limits(uc.METRICS["f1"], Counts(tp=30, fp=20, fn=10, tn=140))[1] == pytest.approx(expected)


def test_log_ratios_of_a_full_table():
    table = Counts(tp=80, fp=10, fn=20, tn=90)
    spread = np.exp(1.959964 * np.sqrt(1 / 80 - 1 / 100 + 1 / 10 - 1 / 100))
    assert agreement.log_lr_positive(table) == pytest.approx((8 / spread, 8 * spread), rel=1e-6)
    spread = np.exp(1.959964 * np.sqrt(1 / 20 - 1 / 100 + 1 / 90 - 1 / 100))
    assert agreement.log_lr_negative(table) == pytest.approx((2 / 9 / spread, 2 / 9 * spread), rel=1e-6)
    spread = np.exp(1.959964 * np.sqrt(1 / 80 + 1 / 10 + 1 / 20 + 1 / 90))
    assert agreement.log_odds_ratio(table) == pytest.approx((36 / spread, 36 * spread), rel=1e-6)


def test_zero_cell_rule():
    tables = Counts(tp=[9, 0, 0, 9], fp=[0, 3, 0, 3], fn=[1, 10, 10, 1], tn=[20, 17, 20, 0])
    low, high = agreement.log_lr_positive(tables)
    assert 1 < low[0] < np.inf and high[0] == np.inf
    assert low[1] == 0 and 0 < high[1] < np.inf
    assert np.isnan(low[2]) and np.isnan(high[2])
    low, high = agreement.log_odds_ratio(tables)
    assert 1 < low[0] < np.inf and high[0] == np.inf
    assert low[3] == 0 and np.isfinite(high[3])
    assert np.isnan(low[2])
    low, high = agreement.log_lr_negative(tables)
    assert low[3] > 0 and high[3] == np.inf


def test_an_empty_class_has_no_ratio():
    table = Counts(tp=0, fp=3, fn=0, tn=5)
    for interval in (agreement.log_lr_positive, agreement.log_lr_negative, agreement.log_odds_ratio):
        assert np.isnan(interval(table)).all()


def test_wilson_stays_between_0_and_1_for_parts_of_a_case():
    few = 10.0 ** -np.arange(1, 16)
    for successes in (few, 1.004 - few):
        low, high = proportion_intervals.wilson(successes, 1.004)
        assert low.min() >= 0 and high.max() <= 1

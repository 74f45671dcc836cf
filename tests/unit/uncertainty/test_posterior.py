"""The posterior of a 2x2 table: against closed forms, against brute force, and at the edges."""

import numpy as np
import pytest
from scipy.stats import beta

import unconfuse as uc
from unconfuse import Counts
from unconfuse._errors import ArgumentError
from unconfuse.bayesian.prevalence_shift import predictive_limits
from unconfuse.uncertainty import proportion_intervals
from unconfuse.uncertainty.posterior import (
    MULTIPLIER,
    beta_quantiles,
    equal_tails,
    lattice,
    posterior_interval,
    posterior_intervals,
)

TABLE = Counts(tp=30, fp=20, fn=10, tn=140)


@pytest.mark.parametrize("size", [512, 2048])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 50), (50, 1), (0.5, 0.5), (3, 7), (1, 1e6), (5000, 5000), (9990, 11)])
def test_beta_quantiles(a, b, size):
    found = beta_quantiles(np.array([a], float), np.array([b], float), size)[0]
    exact = beta.ppf((np.arange(size) + 0.5) / size, a, b)
    np.testing.assert_allclose(found, exact, rtol=1e-5)


@pytest.mark.parametrize("n_points", MULTIPLIER)
def test_each_axis_of_the_lattice_visits_every_quantile(n_points):
    for axis in lattice(n_points):
        assert np.array_equal(np.sort(axis), np.arange(n_points))


def test_equal_tails_leave_out_undefined_and_keep_infinite_values():
    values = np.array([np.nan, *range(100), np.nan])
    assert equal_tails(values, 0.9) == pytest.approx((4.5, 94.5))
    low, high = equal_tails(np.r_[np.arange(90.0), np.full(10, np.inf)], 0.9)
    assert low == pytest.approx(4.5) and high == np.inf
    assert np.isnan(equal_tails(np.full(5, np.nan), 0.9)).all()


@pytest.mark.parametrize("name", ["sensitivity", "specificity", "prevalence", "false_negative_rate"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_single_rate_has_its_mid_p_limits(name, level):
    tables = Counts(tp=[30, 0, 5, 2], fp=[20, 3, 0, 0], fn=[10, 7, 0, 1], tn=[140, 9, 11, 2])
    found = posterior_interval(uc.METRICS[name], tables, confidence_level=level)
    exact = proportion_intervals.mid_p(*uc.METRICS[name].inference.fraction(tables), confidence_level=level)
    np.testing.assert_allclose(found, exact, atol=2e-3)


@pytest.mark.parametrize("name", ["mcc", "f1", "youden_j", "lr_positive", "precision", "cohen_kappa"])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_jeffreys_against_brute_force(name, design):
    rng = np.random.default_rng(1)
    pi = rng.beta(41, 161, 400_000) if design == "cohort" else 0.2
    se, sp = rng.beta(30.5, 10.5, 400_000), rng.beta(140.5, 20.5, 400_000)
    values = uc.METRICS[name](Counts.from_rates(prevalence=pi, sensitivity=se, specificity=sp))
    exact = np.quantile(values, [0.025, 0.975])
    found = posterior_interval(uc.METRICS[name], TABLE, fixed_classes=design == "case-control", prior=0.5)
    np.testing.assert_allclose(found, exact, atol=0.01 * (exact[1] - exact[0]))


def test_mid_p_against_brute_force():
    rng = np.random.default_rng(2)

    def draw(x, n):
        extra = rng.integers(0, 2, 400_000)
        return rng.beta(x + extra, n - x + 1 - extra)

    points = Counts.from_rates(prevalence=draw(40, 200), sensitivity=draw(30, 40), specificity=draw(140, 160))
    exact = np.quantile(uc.METRICS["mcc"](points), [0.025, 0.975])
    np.testing.assert_allclose(posterior_interval(uc.METRICS["mcc"], TABLE), exact, atol=0.01 * (exact[1] - exact[0]))


def test_a_table_without_errors_neither_proves_nor_excludes_perfection():
    perfect = Counts(tp=5, fp=0, fn=0, tn=15)
    for name in ("mcc", "f1", "youden_j", "g_mean", "cohen_kappa"):
        low, high = posterior_interval(uc.METRICS[name], perfect)
        assert 0.2 < low < 0.9 and high == 1
    low, high = posterior_interval(uc.METRICS["diagnostic_odds_ratio"], perfect)
    assert 1 < low < np.inf and high == np.inf
    assert posterior_interval(uc.expected_cost(fp=1, fn=5), perfect)[0] == 0


def test_undefined_stays_undefined():
    low, high = posterior_interval(uc.METRICS["precision"], Counts(tp=[0, 1], fp=0, fn=3, tn=5))
    assert np.isnan(low[0]) and np.isnan(high[0]) and low[1] < high[1] == 1
    assert np.isnan(posterior_interval(uc.METRICS["youden_j"], Counts(tp=0, fp=1, fn=0, tn=5))).all()
    assert np.isnan(posterior_interval(uc.METRICS["accuracy"], Counts(tp=0, fp=0, fn=0, tn=0))).all()


def test_same_table_same_interval_wherever_it_stands():
    stacked = Counts(tp=np.full((2, 3), 30), fp=20, fn=10, tn=140)
    low, high = posterior_interval(uc.METRICS["mcc"], stacked)
    one = posterior_interval(uc.METRICS["mcc"], TABLE)
    assert low.shape == (2, 3) and np.shape(one[0]) == ()
    np.testing.assert_allclose(low, one[0], rtol=1e-12)
    np.testing.assert_allclose(high, one[1], rtol=1e-12)


def test_many_tables_are_done_in_pieces():
    tp = np.arange(1, 700)
    low, high = posterior_interval(uc.METRICS["mcc"], Counts(tp=tp, fp=20, fn=700 - tp, tn=400))
    assert low.shape == (699,) and np.all(np.diff(low) > 0) and np.all(low < high)
    assert posterior_interval(uc.METRICS["mcc"], Counts(tp=tp[:0], fp=1, fn=1, tn=1))[0].shape == (0,)


def test_shared_points_change_nothing():
    functions = {name: uc.METRICS[name] for name in ("mcc", "f1")}
    together = posterior_intervals(functions, TABLE)
    assert all(together[name] == posterior_interval(functions[name], TABLE) for name in functions)


def test_monotone_functions_of_a_metric_keep_its_limits():
    low, high = posterior_interval(uc.METRICS["mcc"], TABLE)
    cubed = posterior_interval(lambda counts: uc.METRICS["mcc"](counts) ** 3, TABLE)
    np.testing.assert_allclose(cubed, (low**3, high**3), rtol=1e-3)


def test_the_function_sees_counts_not_shares():
    low, high = posterior_interval(lambda counts: counts.fn, TABLE)
    assert 1 < low < 10 < high < 25


def test_more_data_and_a_lower_level_give_a_narrower_interval():
    def width(**options):
        low, high = posterior_interval(uc.METRICS["mcc"], **options)
        return high - low

    usual = width(counts=TABLE)
    assert width(counts=Counts(tp=300, fp=200, fn=100, tn=1400)) < 0.4 * usual
    assert width(counts=TABLE, confidence_level=0.8) < usual < width(counts=TABLE, confidence_level=0.99)


def test_case_control_fixes_the_class_sizes():
    low, high = posterior_interval(uc.METRICS["prevalence"], TABLE, fixed_classes=True)
    assert low == high == 0.2
    fixed = np.diff(posterior_interval(uc.METRICS["precision"], TABLE, fixed_classes=True))
    free = np.diff(posterior_interval(uc.METRICS["precision"], TABLE))
    assert fixed < free


@pytest.mark.parametrize("prevalence", [0.01, 0.2, 0.5])
def test_another_prevalence(prevalence):
    known = posterior_interval(uc.METRICS["precision"], TABLE, prevalence=prevalence)
    carried_over = predictive_limits("precision", TABLE, prevalence, confidence_level=0.95)
    np.testing.assert_allclose(known, carried_over, atol=1e-4)
    estimated = posterior_interval(uc.METRICS["precision"], TABLE, prevalence=prevalence, prevalence_trials=300)
    assert estimated[0] < known[0] < known[1] < estimated[1]
    very_well = posterior_interval(uc.METRICS["precision"], TABLE, prevalence=prevalence, prevalence_trials=1e8)
    np.testing.assert_allclose(very_well, known, atol=3e-3)


def test_one_table_at_many_prevalences():
    low, high = posterior_interval(uc.METRICS["precision"], TABLE, prevalence=np.array([0.01, 0.1, 0.5]))
    assert low.shape == (3,) and np.all(np.diff(low) > 0) and np.all(low < high)


@pytest.mark.parametrize(("name", "value"), [("prior", "flat"), ("prior", 0.0), ("n_points", 100)])
def test_options_that_make_no_sense(name, value):
    with pytest.raises(ArgumentError, match=name):
        posterior_interval(uc.METRICS["mcc"], TABLE, **{name: value})

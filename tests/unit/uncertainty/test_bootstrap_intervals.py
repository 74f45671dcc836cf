from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.metrics.influence_functions import auroc_influence
from unconfuse.uncertainty.bootstrap import half_case
from unconfuse.uncertainty.bootstrap_intervals import (
    basic,
    bca,
    bias_corrected,
    jackknife_acceleration,
    percentile,
    step,
)

RNG = np.random.default_rng(0)
DRAWS = RNG.normal(0.7, 0.05, 2000)


def _table(seed: int = 1, n: int = 200) -> uc.ScoreTable:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    return uc.ScoreTable.from_rows(truth, np.round(rng.normal(size=n) + truth, 1))


def test_percentile_and_basic_are_numpy_quantiles_and_their_reflection():
    low, high, _ = percentile(0.7, DRAWS)
    assert (low, high) == pytest.approx(tuple(np.quantile(DRAWS, [0.025, 0.975])))
    reflected = basic(0.68, DRAWS)
    assert (reflected.low, reflected.high) == pytest.approx((1.36 - high, 1.36 - low))


def test_bca_equals_scipy():
    sample = RNG.exponential(size=60)
    result = stats.bootstrap((sample,), np.mean, method="BCa", n_resamples=3999, rng=np.random.default_rng(5))
    left_out = (sample.sum() - sample) / 59
    influence = left_out.mean() - left_out
    pull = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    low, high, _ = bca(sample.mean(), result.bootstrap_distribution, acceleration=pull)
    expected = result.confidence_interval
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=5e-3)


def test_bca_without_correction_is_the_percentile_interval():
    draws = np.arange(1001) / 1000
    assert np.allclose(bca(0.5, draws)[:2], percentile(0.5, draws)[:2], atol=1e-3)


def _skewness(found):
    """Third moment of the influences over the cubed root of their second."""
    classes = (found.positive, found.table.positives), (found.negative, found.table.negatives)
    second, third = (sum((each**power) @ weights for each, weights in classes) for power in (2, 3))
    return third / second**1.5


def test_jackknife_acceleration_is_a_sixth_of_the_skewness_of_the_influences():
    table = _table()
    found = jackknife_acceleration(uc.METRICS["auroc"], table)
    assert found == pytest.approx(_skewness(auroc_influence(table)) / 6, abs=2e-3)


def test_jackknife_acceleration_of_a_large_table_is_cheap_and_right():
    rng = np.random.default_rng(2)
    truth = rng.random(100_000) < 0.1
    table = uc.ScoreTable.from_rows(truth, rng.normal(size=100_000) + truth)
    found = jackknife_acceleration(uc.METRICS["auroc"], table)
    assert found == pytest.approx(_skewness(auroc_influence(table)) / 6, rel=0.05)


@pytest.mark.parametrize("method", [percentile, basic, bca, bias_corrected])
def test_undefined_replicates_are_left_out_and_reported(method):
    with_gaps = np.where(np.arange(4000) % 4 == 0, np.nan, np.repeat(DRAWS, 2))
    whole = method(0.7, with_gaps[~np.isnan(with_gaps)])
    found = method(0.7, with_gaps)
    assert np.allclose(found[:2], whole[:2], rtol=0, atol=1e-12)
    assert "25% of the resamples" in found.method
    assert "undefined" not in whole.method


@pytest.mark.parametrize("method", [percentile, basic, bca, bias_corrected])
def test_no_replicate_is_defined(method):
    low, _, text = method(0.7, np.full(10, np.nan))
    assert np.isnan(low)
    assert "100%" in text


@pytest.mark.parametrize("method", [percentile, basic, bca, bias_corrected])
def test_stacks_equal_single_rows(method):
    values, draws = np.array([0.6, 0.7, 0.8]), RNG.beta(14, 6, (3, 500))
    stacked = method(values, draws)
    for row in range(3):
        assert method(values[row], draws[row])[:2] == pytest.approx((stacked.low[row], stacked.high[row]))


@pytest.mark.parametrize("range_", [(0.0, 1.0), (-1.0, 1.0), (0.0, np.inf), (-np.inf, 1.0), (-np.inf, np.inf)])
def test_steps_stay_inside_the_range_and_hold_the_centre(range_):
    for centre in (0.001, 0.5, 0.999):
        low, high = step(np.array(centre), np.array(0.7), range_)
        assert range_[0] <= low < centre < high <= range_[1]


def test_bias_is_taken_off_more_than_once_on_its_side():
    high_draws = DRAWS + 0.05  # resamples lie above the value: the metric flatters
    plain, corrected = bias_corrected(0.7, DRAWS), bias_corrected(0.7, high_draws)
    assert plain.low - corrected.low == pytest.approx(2.5 * 0.05, abs=5e-3)
    assert plain.high - corrected.high == pytest.approx(0.05, abs=5e-3)


def test_interval_holds_the_value():
    found = bias_corrected(0.7, DRAWS + 0.3)
    assert found.low <= 0.7 <= found.high


def test_small_classes_widen_the_interval():
    wide, narrow = (bias_corrected(0.7, DRAWS, smaller_class=size, range=(0, 1)) for size in (10, 1000))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_perfect_separation_does_not_collapse():
    flags = np.repeat([1.0, 0.0], 15)
    table = uc.ScoreTable(np.arange(30, 0, -1.0), flags, 1 - flags)
    smooth = half_case(table, places=50)
    draws = uc.bootstrap(smooth, ["max_f1"], n_resamples=500)["max_f1"]
    found = bias_corrected(1.0, draws, smoothed_value=uc.METRICS["max_f1"](smooth), smaller_class=15, range=(0, 1))
    assert 0.5 < found.low < 0.97
    assert found.high == 1


def test_half_case_adds_half_a_case_to_each_class_wherever_it_is_spread():
    table = _table(3, 3000)
    for places in (None, 20):
        smooth = half_case(table, places=places)
        assert smooth.n_positives == pytest.approx(table.n_positives + 0.5)
        assert smooth.n_negatives == pytest.approx(table.n_negatives + 0.5)
    few = half_case(table, places=20)
    assert float(uc.METRICS["auroc"](few)) == pytest.approx(float(uc.METRICS["auroc"](half_case(table))), abs=1e-4)

"""What must hold for every metric of scores, whoever declares it. (Ranks alone: tests/unit/metrics/test_ranking.py.)"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse.table import Settings
from unconfuse.uncertainty import estimate_scores

SCORED = [each for each in uc.METRICS.values() if each.of != "counts"]
every_metric = pytest.mark.parametrize("metric", SCORED, ids=lambda metric: metric.name)
some = settings(max_examples=15, deadline=None)
# Whoever chooses a threshold, a hull or bins after seeing the labels is flattered even by random scores.
FLATTERED = {"ks", "max_youden", "auch", "max_f1", "max_mcc", "h_measure", "auprg", "precision_at_indistinguishability"}


def rows(n: int = 400, seed: int = 0, prevalence: float = 0.3, decimals: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    y[:2] = True, False
    return y, np.clip(np.round(1 / (1 + np.exp(1 - 1.2 * y - rng.normal(size=n))), decimals), 0.01, 0.99)


@st.composite
def samples(draw):
    """Both classes, tied probabilities, 4 to 40 rows."""
    n = draw(st.integers(4, 40))
    s = np.array(draw(st.lists(st.integers(1, 19), min_size=n, max_size=n))) / 20
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[:2], y[-2:] = True, False
    return y, s


def table_of(y, s, weights=None) -> uc.ScoreTable:
    return uc.ScoreTable.from_rows(np.asarray(y), np.asarray(s, dtype=float), weights)


def estimate(metric, table, level=0.95, fixed_classes=False):
    how = {"fixed_classes": fixed_classes}
    return estimate_scores([metric], table, Settings(level, n_resamples=200), **how)[metric.name]


@every_metric
def test_is_fully_declared(metric):
    assert metric.label and metric.formula and metric.undefined and metric.misleads and metric.references
    assert metric.question.endswith("?")
    assert metric.better in ("higher", "lower", "neither")
    assert metric.example is not None
    np.testing.assert_allclose(metric(metric.example.data), metric.example.value, atol=1e-12)


@every_metric
@given(sample=samples(), seed=st.integers(0, 99))
@some
def test_row_order_and_double_weights(metric, sample, seed):
    y, s = sample
    order = np.random.default_rng(seed).permutation(len(y))
    np.testing.assert_allclose(metric(table_of(y[order], s[order])), metric(table_of(y, s)), atol=1e-12)
    twice = metric(table_of(np.repeat(y, 2), np.repeat(s, 2)))
    np.testing.assert_allclose(metric(table_of(y, s, np.full(len(y), 2.0))), twice, atol=1e-9)


@every_metric
def test_perfect_scores_reach_the_best_value(metric):
    y = np.repeat([True, False], [4, 6])
    value = float(metric(table_of(y, y.astype(float))))
    if metric.name == "calibration_slope":
        assert np.isnan(value)  # no slope is steep enough
    elif metric.name == "calibration_intercept":
        assert value == pytest.approx(0, abs=1e-9) or np.isnan(value)
    else:
        assert value == pytest.approx(metric.range[1] if metric.better == "higher" else metric.range[0], abs=1e-12)


@every_metric
def test_prevalence_dependence_is_declared_right(metric):
    table = table_of(*rows())
    change = abs(float(metric(table)) - float(metric(table.at_prevalence(0.6))))
    assert (change > 1e-3) == metric.depends_on_prevalence


@every_metric
def test_baseline_is_what_random_scores_reach(metric):
    """For metrics of probabilities: of the prevalence, stated for everyone."""
    n, prevalence = 4000, 0.3
    y = np.arange(n) < prevalence * n
    stated = metric.baseline(prevalence, prevalence)
    if metric.of == "probabilities":
        found = metric(table_of(y, np.full(n, prevalence)))
        assert np.isnan(stated) or found == pytest.approx(float(stated), abs=1e-9)
        return
    rng = np.random.default_rng(0)
    found = np.array([float(metric(table_of(y, rng.random(n)))) for _ in range(40)])
    error = 5 * np.nanstd(found) / np.sqrt(len(found))
    if metric.name in FLATTERED:
        assert stated - 0.02 < np.nanmean(found) < stated + 0.12
    else:
        assert abs(found.mean() - stated) < error + 2e-3


@every_metric
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("seed", range(3))
def test_interval_holds_the_value_and_stays_in_range(metric, design, seed):
    for n in (30, 300):
        found = estimate(metric, table_of(*rows(n, seed)), fixed_classes=design == "case-control")
        assert found.undefined is None and found.method
        assert metric.range[0] - 1e-12 <= found.low <= found.value <= found.high <= metric.range[1] + 1e-12
        assert found.high - found.low > 1e-6


@every_metric
@given(sample=samples())
@settings(max_examples=8, deadline=None)
def test_awkward_samples_have_intervals_too(metric, sample):
    found = estimate(metric, table_of(*sample))
    if np.isnan(found.value):
        assert found.undefined == metric.undefined and np.isnan(found.low) and np.isnan(found.high)
    else:
        assert found.low <= found.value <= found.high


@every_metric
def test_higher_confidence_is_wider(metric):
    table = table_of(*rows(80))
    narrow, usual, wide = (estimate(metric, table, level) for level in (0.5, 0.95, 0.999))
    assert wide.low <= usual.low <= narrow.low <= narrow.high <= usual.high <= wide.high
    assert wide.high - wide.low > narrow.high - narrow.low


@every_metric
def test_more_cases_are_surer(metric):
    small, large = (estimate(metric, table_of(*rows(n, decimals=2))) for n in (60, 4000))
    assert large.high - large.low < 0.45 * (small.high - small.low)


@every_metric
def test_leading_axes_are_a_loop_and_empty_blocks_are_no_blocks(metric):
    score = np.linspace(0.9, 0.1, 12)
    draws = np.random.default_rng(1).poisson(1.0, size=(2, 3, 2, 12)).astype(float)
    draws[..., 0, 0] += 1
    draws[..., 1, -1] += 1
    together = metric(uc.ScoreTable(score, draws[:, :, 0], draws[:, :, 1]))
    assert together.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        positives, negatives = draws[i, j]
        there = positives + negatives > 0
        alone = metric(uc.ScoreTable(score[there], positives[there], negatives[there]))
        np.testing.assert_allclose(together[i, j], alone, atol=1e-9)


@every_metric
def test_an_empty_class_is_undefined_or_harmless(metric):
    score, some_weight, none = np.array([0.9, 0.4]), np.array([1.0, 2.0]), np.zeros(2)
    for table in (uc.ScoreTable(score, some_weight, none), uc.ScoreTable(score, none, some_weight)):
        value = metric(table)
        assert np.isnan(value) or metric.range[0] <= value <= metric.range[1]
    assert np.isnan(metric(uc.ScoreTable(score, none, none)))

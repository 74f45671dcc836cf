"""Metrics under a constraint: on every surface, for every kind of cases, with what they cannot do said in words."""

import pickle

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.metrics import find_metric

NAMES = (
    "sensitivity_at_specificity(0.9)",
    "specificity_at_sensitivity(0.9)",
    "recall_at_precision(0.8)",
    "precision_at_recall(0.9)",
    "fpr_at_tpr(0.9)",
)
by_name = pytest.mark.parametrize("name", NAMES)


def rows(n=300, seed=0, digits=9):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    a, b = (np.round(rng.normal(size=n) + shift * y, digits) for shift in (1.5, 0.9))
    return y, a, b


@by_name
def test_any_increasing_transform_and_any_order_of_rows(name):
    y, a, _ = rows(digits=1)
    order = np.random.default_rng(1).permutation(len(y))
    found = [uc.evaluate(y[i], s[i], metrics=[name])[name] for i in (slice(None), order) for s in (a, np.exp(a) * 3)]
    for each in found:
        assert (each.value, each.low, each.high) == (found[0].value, found[0].low, found[0].high)
        assert each.low <= each.value <= each.high


@by_name
def test_a_weight_is_a_row_that_stands_there_several_times(name):
    y, a, _ = rows(80)
    w = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = uc.evaluate(y, a, metrics=[name], weights=w)[name]
    repeated = uc.evaluate(np.repeat(y, w), np.repeat(a, w), metrics=[name])[name]
    assert weighted.value == repeated.value
    assert (weighted.low, weighted.high) == pytest.approx((repeated.low, repeated.high))


@by_name
def test_stacks_are_their_tables(name):
    metric, rng = find_metric(name), np.random.default_rng(4)
    draws = rng.poisson(1.0, size=(2, 3, 2, 12)).astype(float)
    stack = metric(uc.ScoreTable(np.arange(12.0)[::-1], draws[:, :, 0], draws[:, :, 1]))
    for i, j in np.ndindex(2, 3):
        alone = metric(uc.ScoreTable(np.arange(12.0)[::-1], *draws[i, j]))
        assert stack[i, j] == pytest.approx(float(alone), nan_ok=True)


@by_name
def test_a_perfect_ranking_reaches_the_best_value_and_an_empty_class_none(name):
    metric = find_metric(name)
    table = uc.score_table([1, 1, 1, 0, 0, 0], [9, 8, 8, 3, 2, 2])
    assert metric(table) == (0 if metric.better == "lower" else 1)
    assert np.isnan(metric(uc.ScoreTable(np.array([1.0]), np.array([2.0]), np.array([0.0]))))
    assert pickle.loads(pickle.dumps(metric)).name == metric.name == name


@by_name
def test_intervals_of_ordinary_inputs_hold_their_value(name):
    y, a, _ = rows()
    given = [
        {},
        {"groups": np.arange(len(y)) // 5},
        {"sampling_weights": np.random.default_rng(0).random(len(y)) + 0.5},
        {"folds": np.arange(len(y)) % 3},
        {"design": "case-control"},
    ]
    for each in given:
        found = uc.evaluate(y, a, metrics=[name], n_resamples=200, **each)[name]
        assert 0 <= found.low < found.value < found.high <= 1, (each, found)


@by_name
def test_more_confidence_is_wider_and_more_cases_narrower(name):
    y, a, _ = rows(4000)
    ev, few = uc.evaluate(y, a, metrics=[name])[name], uc.evaluate(y[:200], a[:200], metrics=[name])[name]
    wide = ev.interval(confidence_level=0.99)
    assert wide.low <= ev.low and ev.high <= wide.high
    assert ev.high - ev.low < few.high - few.low
    assert ev.standard_error == pytest.approx((ev.high - ev.low) / (2 * 1.959964), rel=1e-6)


@by_name
def test_few_scores_leave_thresholds_open(name):
    y, a, _ = rows(200, digits=0)
    found = uc.evaluate(y, a, metrics=[name])[name]
    assert "ties" in found.method or name.startswith("recall")


def test_differences_choose_both_thresholds_anew():
    y, a, b = rows(400)
    found = uc.compare(y, {"a": a, "b": b}, metrics=NAMES, n_resamples=500)
    for name in NAMES:
        each = found[name, "a", "b"].difference
        assert each.value == pytest.approx(
            float(find_metric(name)(uc.score_table(y, a)) - find_metric(name)(uc.score_table(y, b)))
        )
        assert each.low < each.value < each.high and "paired bootstrap" in each.method
    grouped = uc.compare(y, {"a": a, "b": b}, metrics=NAMES, groups=np.arange(400) // 4, n_resamples=200)
    assert all("bootstrap" in grouped[name, "a", "b"].difference.method for name in NAMES)


def test_a_constraint_that_leaves_no_case_has_no_interval_of_a_difference():
    y, a, b = rows(100)
    name = "specificity_at_sensitivity(0.99)"
    found = uc.compare(y, {"a": a, "b": b}, metrics=[name], n_resamples=100)[name, "a", "b"]
    assert np.isnan(found.difference.low) and "leaves no case of" in found.difference.method


def test_other_verbs_take_them():
    y, a, b = rows(400)
    assert NAMES[0] in str(uc.gate(y, a, b, metrics=NAMES[0], margin=0.05, n_resamples=200).as_dict())
    power = uc.resolving_power(uc.Binormal(), NAMES, n=300, prevalence=0.3, at=0.8, n_samples=100)
    assert all(power[name] for name in NAMES)
    assert uc.plan(uc.Binormal(), metric=NAMES[0], difference=0.1, prevalence=0.3, at=0.8, n_samples=100).n > 50


def test_flat_precision_and_a_precision_that_is_not_reached_are_said():
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.3
    s = rng.gamma(1 + 0.4 * y)
    found = uc.evaluate(y, s, metrics=["recall_at_precision(0.6)"])["recall_at_precision(0.6)"]
    assert found.value < 0.3 and "flat" in found.method
    name = "recall_at_precision(0.9)"
    none = uc.evaluate(y, -np.where(y, 5.0, 1.0) - s, metrics=[name])[name]
    assert none.value == 0 and "no threshold of these cases has the precision" in none.method


@pytest.mark.parametrize("text", ["sensitivity_at_specificity(1)", "recall_at_precision(0)", "fpr_at_tpr(95)"])
def test_levels_at_the_ends_are_refused(text):
    with pytest.raises(ArgumentError, match="strictly between 0 and 1"):
        find_metric(text)

"""Rank metrics against plain twins on random tied samples, and the laws that all of them obey."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.metrics import find_metric
from unconfuse.metrics._tie_blocks import hull_segments
from unconfuse.metrics.indistinguishable import b_values

_spec = importlib.util.spec_from_file_location("ranking_twins", Path(__file__).with_name("ranking_twins.py"))
twins = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(twins)

RANKS = [each for each in uc.METRICS.values() if each.of == "ranks"] + [
    uc.concentrated_auroc(7),
    uc.partial_auroc(0.3, form="box"),
    uc.partial_auroc(0.45, form="raw"),
    uc.h_measure("beta22"),
    uc.h_measure("severity_ratio"),
    uc.h_measure((1, 3)),
    uc.precision_at_k(2),
    uc.precision_at_k(0.5),
    uc.lift_at(0.25),
    uc.precision_at_b(0.6),
]
by_name = pytest.mark.parametrize("metric", RANKS, ids=lambda each: each.name)


def table_of(y, s, w=None):
    return uc.ScoreTable.from_rows(np.asarray(y, dtype=bool), np.asarray(s, dtype=float), w)


@st.composite
def samples(draw, levels=6, least=2):
    """Labels of both classes with heavily tied scores."""
    n = draw(st.integers(least, 25))
    s = np.array(draw(st.lists(st.integers(0, levels), min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[0], y[-1] = True, False
    return y, s


def same(a, b, tol=1e-12):
    np.testing.assert_allclose(a, b, rtol=tol, atol=tol)


TWINS = {
    "auroc": twins.auroc,
    "average_precision": twins.average_precision,
    "auprc_davis_goadrich": twins.davis_goadrich,
    "auprc_integral": twins.integral,
    "precision_at_indistinguishability": twins.precision_at_indistinguishability,
}


@pytest.mark.parametrize("name", TWINS)
@given(sample=samples())
@settings(max_examples=60, deadline=None)
def test_twin(name, sample):
    same(uc.METRICS[name](table_of(*sample)), TWINS[name](*sample), 1e-10)


@given(sample=samples())
@settings(max_examples=30, deadline=None)
def test_auprg_is_the_area_over_recall_gain(sample):
    same(uc.METRICS["auprg"](table_of(*sample)), twins.auprg(*sample), 3e-3)


@pytest.mark.parametrize(
    ("prior", "shape"),
    [
        ("beta22", lambda pi: (2, 2)),
        ("hand2014", lambda pi: (1 + pi, 2 - pi)),
        ("severity_ratio", lambda pi: (2, 1 + (1 - pi) / pi)),
        ((3, 2), lambda pi: (3, 2)),
    ],
)
def test_h_measure_is_the_mean_loss_over_costs(prior, shape):
    rng = np.random.default_rng(5)
    y = rng.random(40) < 0.3
    s = np.round(rng.normal(size=40) + y, 1)
    same(uc.h_measure(prior)(table_of(y, s)), twins.h_measure(y, s, *shape(y.mean())), 2e-5)


@given(sample=samples())
@settings(max_examples=40, deadline=None)
def test_b_values(sample):
    y, s = sample
    for exclude in (False, True):
        wanted = [twins.b_value(y, s, r, exclude) for r in twins.thresholds(y, s)]
        same(b_values(table_of(y, s), exclude_self=exclude), wanted)


@given(sample=samples(), k=st.integers(1, 25))
@settings(max_examples=60, deadline=None)
def test_precision_at_k_is_the_mean_over_tie_orders(sample, k):
    y, s = sample
    wanted = twins.mean_over_tie_orders(y, s, k) / k if k <= len(y) else np.nan
    same(uc.precision_at_k(k)(table_of(y, s)), wanted)
    P = y.sum()
    same(uc.METRICS["break_even_precision"](table_of(y, s)), twins.mean_over_tie_orders(y, s, P) / P)
    q = k / len(y)
    if k < len(y):
        same(uc.lift_at(q)(table_of(y, s)), wanted / y.mean())


@given(sample=samples())
@settings(max_examples=60, deadline=None)
def test_best_thresholds(sample):
    y, s = sample
    found = {"ks": [0.0], "max_youden": [0.0], "max_f1": [0.0], "max_mcc": []}
    for tp, fp in twins.points(y, s):
        p, n = y.sum(), (~y).sum()
        found["ks"].append(abs(tp / p - fp / n))
        found["max_youden"].append(tp / p - fp / n)
        found["max_f1"].append(2 * tp / (p + tp + fp))
        if 0 < tp + fp < p + n:
            spread = float((tp + fp) * p * n * (p + n - tp - fp))
            found["max_mcc"].append((tp * (n - fp) - fp * (p - tp)) / np.sqrt(spread))
    for name, values in found.items():
        same(uc.METRICS[name](table_of(y, s)), max(values, default=np.nan))


def hull_points(positives, negatives):
    return (np.append(0.0, np.cumsum(each)) for each in hull_segments(positives, negatives))


@given(sample=samples())
@settings(max_examples=60, deadline=None)
def test_hull_is_the_isotonic_fit(sample):
    from sklearn.isotonic import IsotonicRegression

    y, s = sample
    fitted = IsotonicRegression().fit(s, y.astype(float)).predict(s)
    tp, fp = hull_points(table_of(y, s).positives, table_of(y, s).negatives)
    share = np.diff(tp) / (np.diff(tp) + np.diff(fp))
    assert np.all(np.diff(share) < 0)
    same(np.sort(np.unique(np.round(share, 9))), np.unique(np.round(fitted, 9)))


def chain(tp, fp):
    """Andrew's monotone chain."""
    hull = []
    for y, x in zip([0.0, *tp], [0.0, *fp], strict=True):
        while len(hull) > 1 and (
            (hull[-1][0] - hull[-2][0]) * (x - hull[-1][1]) <= (y - hull[-1][0]) * (hull[-1][1] - hull[-2][1])
        ):
            hull.pop()
        hull.append((y, x))
    return hull


def test_hull_of_many_points():
    rng = np.random.default_rng(1)
    positives = (rng.random(5_000) < np.linspace(0.9, 0.1, 5_000)).astype(float)
    found = hull_points(positives, 1 - positives)
    assert list(zip(*found, strict=True)) == chain(np.cumsum(positives), np.cumsum(1 - positives))


# The laws ------------------------------------------------------------------------------------------------------------


@by_name
@given(sample=samples(), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_row_order_weights_and_monotone_maps(metric, sample, seed):
    y, s = sample
    value = metric(table_of(y, s))
    order = np.random.default_rng(seed).permutation(len(y))
    same(metric(table_of(y[order], s[order])), value)
    same(metric(table_of(y, s**3 * 2 - 100)), value)
    if "at_k(2)" not in metric.name:
        weights = np.random.default_rng(seed).integers(1, 4, len(y))
        twice = table_of(np.repeat(y, weights), np.repeat(s, weights))
        same(metric(table_of(y, s, weights.astype(float))), metric(twice), 1e-10)


@by_name
@given(sample=samples(), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_leading_axes_are_a_loop_and_empty_blocks_are_no_blocks(metric, sample, seed):
    table = table_of(*sample)
    k = len(table)
    draws = np.random.default_rng(seed).poisson(1.0, size=(2, 3, 2, k)).astype(float)
    stack = uc.ScoreTable(table.score, draws[:, :, 0], draws[:, :, 1])
    values = metric(stack)
    assert values.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        positives, negatives = draws[i, j]
        there = (positives + negatives) > 0
        compact = uc.ScoreTable(table.score[there], positives[there], negatives[there])
        same(values[i, j], metric(compact))
        same(values[i, j], metric(uc.ScoreTable(table.score, positives, negatives)))


@by_name
def test_perfect_scores_reach_the_best_value(metric):
    y = np.array([True] * 3 + [False] * 3)
    value = metric(table_of(y, [9, 8, 8, 3, 2, 2]))
    if metric.name not in ("precision_at_k(0.5)", "lift_at(0.25)", "precision_at_b(0.6)"):
        same(value, metric.range[0 if metric.better == "lower" else 1])
    assert (metric.baseline(0.5, 0.5) < value) == (metric.better != "lower")


@by_name
@given(sample=samples())
@settings(max_examples=25, deadline=None)
def test_range_and_constant_scores(metric, sample):
    y, s = sample
    value = metric(table_of(y, s))
    assert np.isnan(value) or metric.range[0] <= value <= metric.range[1]
    constant = metric(table_of(y, 0 * s))
    if metric.name not in ("max_mcc", "auprc_trapezoid", "precision_at_b(0.6)", "precision_at_k(2)"):
        same(constant, metric.baseline(y.mean(), 1.0), 1e-9)


@by_name
def test_empty_class_is_undefined(metric):
    score, some, none = np.array([0.9, 0.4]), np.array([1.0, 2.0]), np.zeros(2)
    for table in (uc.ScoreTable(score, some, none), uc.ScoreTable(score, none, some), uc.ScoreTable(score, none, none)):
        assert np.isnan(metric(table))
    assert np.isnan(metric(uc.ScoreTable.empty()))
    stack = uc.ScoreTable(score, np.array([[1.0, 0], [0, 0]]), np.array([[0.0, 1], [0, 3]]))
    assert np.isfinite(metric(stack)[0]) or metric.name in ("precision_at_b(0.6)",)
    assert np.isnan(metric(stack)[1])


@by_name
def test_declaration_is_complete(metric):
    assert metric.label and metric.question.endswith("?") and metric.formula and metric.misleads and metric.references
    assert np.isfinite(metric.baseline(0.3, 0.5))
    assert find_metric(metric.name).name == metric.name
    if metric.example is not None:
        same(metric(metric.example.data), metric.example.value)


def test_weights_that_are_no_whole_numbers():
    rng = np.random.default_rng(2)
    y, s, w = rng.random(50) < 0.4, np.round(rng.normal(size=50), 1), rng.random(50) + 0.5
    for metric in RANKS:
        if metric.name != "auprc_davis_goadrich" and "at_k(2)" not in metric.name:  # the two know the size of a case
            same(metric(table_of(y, s, w)), metric(table_of(y, s, 3 * w)), 1e-9)
    near = uc.METRICS["auprc_davis_goadrich"]
    same(near(table_of(y, s, np.full(50, 1.0))), near(table_of(y, s, np.full(50, 1 + 1e-9))), 1e-7)
    same(near(table_of(y, s, 1e6 * w)), uc.METRICS["auprc_integral"](table_of(y, s, w)), 1e-5)


def test_davis_goadrich_in_huge_blocks_is_exact():
    table = uc.ScoreTable(np.array([3.0, 2, 1]), np.array([0.0, 1000, 7]), np.array([1e7, 500, 3]))
    t = np.arange(0, 1001)
    first = t / (t + 1e7 + t * 0.5)
    u = np.arange(0, 8)
    second = (1000 + u) / (1000 + u + 1e7 + 500 + u * 3 / 7)
    wanted = (np.sum(first[1:] + first[:-1]) + np.sum(second[1:] + second[:-1])) / 2 / 1007
    np.testing.assert_allclose(uc.METRICS["auprc_davis_goadrich"](table), wanted, rtol=1e-10)


def davis_goadrich_by_steps(positives, negatives):
    """Unit steps of weight from the start of each block, and its end."""
    tp = fp = area = 0.0
    for own, beside in zip(positives, negatives, strict=True):
        if own > 0:
            t = np.append(np.arange(0, own), own)
            precision = (tp + t) / np.maximum(tp + t + fp + t * beside / own, 1e-300)
            if tp + fp == 0:
                precision[0] = precision[-1]
            area += np.sum(np.diff(t) * (precision[1:] + precision[:-1]) / 2)
        tp, fp = tp + own, fp + beside
    return area / tp


def test_davis_goadrich_of_weights_that_are_no_whole_numbers():
    rng = np.random.default_rng(6)
    for _ in range(200):
        positives, negatives = rng.exponential(2.0, (2, 8)) * (rng.random((2, 8)) < 0.7)
        positives[3] = negatives[3] = 1.5
        value = uc.METRICS["auprc_davis_goadrich"](uc.ScoreTable(np.arange(8.0, 0, -1), positives, negatives))
        same(value, davis_goadrich_by_steps(positives, negatives), 1e-10)


def test_auroc_of_one_stays_one_with_weights():
    rng = np.random.default_rng(0)
    weights = rng.random(1000)
    assert uc.METRICS["auroc"](table_of(np.arange(1000) > 300, np.arange(1000), weights)) <= 1


def test_bad_parameters_are_refused():
    for call in (
        lambda: uc.partial_auroc(0),
        lambda: uc.partial_auroc(2),
        lambda: uc.partial_auroc(0.1, form="x"),
        lambda: uc.h_measure("flat"),
        lambda: uc.h_measure((0, 1)),
        lambda: uc.precision_at_k(0),
        lambda: uc.precision_at_k(2.5),
        lambda: uc.lift_at(0),
        lambda: uc.concentrated_auroc(-1),
        lambda: uc.precision_at_b(1),
    ):
        with pytest.raises(ArgumentError):
            call()


def test_prior_is_printed():
    assert "Beta(1+π1, 1+π0)" in uc.METRICS["h_measure"].label
    assert find_metric("h_measure('beta22')").label == "H-measure, Beta(2, 2)"
    assert find_metric("partial_auroc(0.2, form='box')").name == "partial_auroc(0.2, form='box')"


def test_two_rankings_that_concentrated_auroc_tells_apart():
    early, late = table_of([1, 0, 0, 0, 0, 1, 0], -np.arange(7)), table_of([0, 0, 1, 1, 0, 0, 0], -np.arange(7))
    assert uc.METRICS["auroc"](early) == uc.METRICS["auroc"](late)
    assert uc.concentrated_auroc(7)(early) > uc.concentrated_auroc(7)(late)

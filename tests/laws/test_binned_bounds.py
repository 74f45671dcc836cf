"""For every declared metric: the value of the exact table lies within the bound that its binned table states."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.metrics import find_metric

FACTORY_CALLS = (
    "f_beta(2)",
    "expected_cost(fp=1, fn=10)",
    "net_benefit(0.2)",
    "partial_auroc(0.3, form='raw')",
    "concentrated_auroc(7)",
    "h_measure('beta22')",
    "precision_at_k(3)",
    "precision_at_k(0.2)",
    "lift_at(0.1)",
    "precision_at_b(0.3)",
    "precision_at_b(0.7)",
    "sensitivity_at_specificity(0.8)",
    "specificity_at_sensitivity(0.7)",
    "recall_at_precision(0.6)",
    "precision_at_recall(0.6)",
    "fpr_at_tpr(0.7)",
    "ece(10)",
    "ece(5, binning='equal_mass')",
)
EVERY = [*uc.METRICS.values(), *(find_metric(each) for each in FACTORY_CALLS)]


def _scores(shape, label, rng):
    n = len(label)
    shapes = {
        "continuous": lambda: rng.random(n),
        "good": lambda: rng.beta(1 + 4 * label, 5 - 3 * label),
        "logits": lambda: rng.normal(size=n) + 1.5 * label,
        "reversed": lambda: rng.normal(size=n) - 1.5 * label,
        "perfect": lambda: rng.random(n) / 2 + label / 2,
        "ties": lambda: rng.integers(0, 8, n) / 8,
        "heavy ties": lambda: np.where(rng.random(n) < 0.5, 0.25, rng.random(n)),
        "constant": lambda: np.full(n, 0.3),
        "skewed": lambda: rng.random(n) ** 8,
        "certain": lambda: np.clip(rng.normal(0.5, 0.5, n), 0, 1),
        "wide": lambda: rng.normal(size=n) * 10.0 ** rng.integers(-5, 5, n),
    }
    return shapes[shape]()


SHAPES = (
    "continuous",
    "good",
    "logits",
    "reversed",
    "perfect",
    "ties",
    "heavy ties",
    "constant",
    "skewed",
    "certain",
    "wide",
)


def _table(shape, rng):
    n = int(rng.choice([2, 3, 5, 20, 200]))
    label = rng.random(n) < rng.choice([0.05, 0.3, 0.5, 0.9])
    label[:2] = [True, False]
    weights = {0: None, 1: rng.integers(1, 4, n).astype(float), 2: rng.integers(1, 64, n) / 16}[int(rng.integers(3))]
    score = _scores(shape, label, rng)
    return uc.ScoreTable.from_rows(label, score, weights), (label, score, weights)


def _binned(table, rows, rng):
    bins = int(rng.choice([1, 2, 3, 10, 50]))
    kind = int(rng.integers(4))
    if kind == 0:
        return table.coarsen(bins)
    if kind == 1:
        return table.coarsen(bins, edges=rng.choice(table.score, 2))
    if kind == 2:
        return table.coarsen(bins, min_count=min(3.0, table.n))
    label, score, weights = rows
    part = rng.random(len(label)) < 0.5
    pieces = [
        uc.ScoreTable.from_rows(label[take], score[take], None if weights is None else weights[take])
        for take in (part, ~part)
    ]
    return pieces[0].coarsen(bins).merge(pieces[1].coarsen(max(bins // 2, 1)))


def assert_within(metric, table, binned, threshold):
    value = float(metric(table.counts_at(threshold)) if metric.of == "counts" else metric(table))
    low, high = metric.bound_on(binned, threshold)
    if np.isnan(value) or np.isnan(low):
        return np.isnan(low) and not np.isnan(value)
    assert low <= value <= high or low <= np.clip(value, *metric.range) <= high, (metric.name, low, value, high)
    return False


@pytest.mark.parametrize("shape", SHAPES)
def test_the_exact_value_lies_within_the_bound(shape):
    rng = np.random.default_rng([SHAPES.index(shape), 7])
    unknown = 0
    for _ in range(100):
        table, rows = _table(shape, rng)
        binned = _binned(table, rows, rng)
        threshold = float(rng.choice([*table.score, 0.5]))
        probabilities = binned.score[-1] >= 0 and binned.upper_edges[0] <= 1
        for metric in EVERY:
            if metric.of != "probabilities" or probabilities:
                unknown += assert_within(metric, table, binned, threshold)
    assert unknown < 65  # of about 6,500: undefined in the middle of the blocks, defined for the exact table


@pytest.mark.parametrize("metric", EVERY, ids=lambda metric: metric.name)
def test_bounds_shrink_and_vanish(metric):
    """With every block exact the bound is the value; with more blocks it is narrower."""
    rng = np.random.default_rng(3)
    label = rng.random(20_000) < 0.3
    table = uc.ScoreTable.from_rows(label, rng.beta(2 + 2 * label, 4 - label))
    widths = [np.diff(metric.bound_on(table.coarsen(bins), 0.4))[0] for bins in (10, 300, 10_000)]
    assert widths[0] >= widths[1] >= widths[2]
    low, high = metric.bound_on(table.coarsen(20_000), 0.4)
    assert low == high == (metric(table.counts_at(0.4)) if metric.of == "counts" else metric(table))
    assert widths[2] < 0.005 * max(1.0, abs(low))


def test_a_million_continuous_scores_in_65536_blocks():
    rng = np.random.default_rng(0)
    label = rng.random(1_000_000) < 0.1
    table = uc.ScoreTable.from_rows(label, rng.normal(size=1_000_000) + label)
    low, high = uc.METRICS["auroc"].bound_on(table.coarsen())
    assert low <= uc.METRICS["auroc"](table) <= high
    assert high - low < 1e-4


def test_a_metric_without_a_declared_bound_has_none():
    mine = uc.Metric("mine", lambda table: table.score.mean(), of="ranks")
    table = uc.ScoreTable(np.linspace(1, 0, 100), np.ones(100), np.ones(100))
    assert np.isnan(mine.bound_on(table.coarsen(5))).all()
    assert mine.bound_on(table) == (0.5, 0.5)

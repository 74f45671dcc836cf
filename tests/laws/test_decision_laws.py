"""What must hold for every metric of counts, whoever declares it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse.uncertainty import METHODS, estimate_counts

DECISIONS = [each for each in uc.METRICS.values() if each.of == "counts"]
DECISIONS += [uc.f_beta(0.5), uc.f_beta(2), uc.expected_cost(fp=1, fn=5), uc.net_benefit(0.2)]
cells = st.integers(0, 60)
tables = st.builds(lambda tp, fp, fn, tn: uc.Counts(tp=tp, fp=fp, fn=fn, tn=tn), cells, cells, cells, cells)
every_metric = pytest.mark.parametrize("metric", DECISIONS, ids=lambda metric: metric.name)


@every_metric
def test_is_fully_declared(metric):
    assert metric.label and metric.formula and metric.undefined and metric.misleads and metric.references
    assert metric.question.endswith("?")
    assert metric.better in ("higher", "lower", "neither")


@every_metric
def test_worked_example(metric):
    assert metric.example is not None
    assert metric(metric.example.data) == pytest.approx(metric.example.value, abs=1e-14)


@every_metric
@given(table=tables)
def test_stays_in_its_range(metric, table):
    value = float(metric(table))
    low, high = metric.range
    assert np.isnan(value) or low - 1e-12 <= value <= high + 1e-12


@every_metric
@given(table=tables, factor=st.integers(2, 5))
def test_depends_only_on_shares(metric, table, factor):
    larger = uc.Counts(
        **{name: factor * cell for name, cell in zip(("tp", "fp", "fn", "tn"), _cells(table), strict=True)}
    )
    np.testing.assert_allclose(metric(larger), metric(table), rtol=1e-12, atol=1e-12)


@every_metric
def test_leading_axes_are_a_loop(metric):
    tables = np.random.default_rng(0).integers(0, 30, size=(4, 3, 5))
    together = metric(uc.Counts(tp=tables[0], fp=tables[1], fn=tables[2], tn=tables[3]))
    alone = [metric(uc.Counts(tp=a, fp=b, fn=c, tn=d)) for a, b, c, d in tables.reshape(4, -1).T]
    np.testing.assert_array_equal(together.ravel(), np.array(alone))


@every_metric
@given(table=tables, prevalence=st.floats(0.01, 0.99))
def test_prevalence_dependence_is_declared_right(metric, table, prevalence):
    if metric.depends_on_prevalence or not table.positives or not table.negatives:
        return
    np.testing.assert_allclose(metric(table.at_prevalence(prevalence)), metric(table), rtol=1e-9, atol=1e-12)


@every_metric
def test_prevalence_dependence_is_not_declared_in_vain(metric):
    if metric.depends_on_prevalence:
        table = uc.Counts(tp=30, fp=20, fn=10, tn=140)
        assert abs(float(metric(table)) - float(metric(table.at_prevalence(0.4)))) > 1e-3


@every_metric
def test_perfect_labels_reach_the_best_value(metric):
    perfect = float(metric(uc.Counts(tp=20, fp=0, fn=0, tn=30)))
    if metric.better == "higher" and not metric.name.startswith(("joint", "net_benefit")):
        assert perfect == metric.range[1]
    if metric.better == "lower":
        assert perfect == metric.range[0]


@every_metric
@given(prevalence=st.floats(0.05, 0.95), queue_rate=st.floats(0.05, 0.95))
def test_baseline_is_the_value_of_independent_labels(metric, prevalence, queue_rate):
    expected = metric(
        uc.Counts(
            tp=prevalence * queue_rate,
            fp=(1 - prevalence) * queue_rate,
            fn=prevalence * (1 - queue_rate),
            tn=(1 - prevalence) * (1 - queue_rate),
        )
    )
    np.testing.assert_allclose(metric.baseline(prevalence, queue_rate), expected, rtol=1e-9, atol=1e-12)


@every_metric
@pytest.mark.parametrize("fixed_classes", [False, True])
@given(table=tables)
def test_interval_holds_the_value(metric, fixed_classes, table):
    found = estimate_counts(metric, table, fixed_classes=fixed_classes)
    if np.isnan(found.value):
        assert found.undefined == metric.undefined
        assert np.isnan(found.low) and np.isnan(found.high)
        return
    assert found.undefined is None
    if not (np.isnan(found.low) and found.method == "fixed by the case-control design"):
        assert metric.range[0] - 1e-12 <= found.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.high <= metric.range[1] + 1e-12


@every_metric
@given(table=tables)
def test_higher_confidence_is_wider(metric, table):
    narrow, wide = (estimate_counts(metric, table, confidence_level=level) for level in (0.8, 0.99))
    if not np.isnan(narrow.low):
        assert wide.low <= narrow.low + 1e-9
        assert narrow.high <= wide.high + 1e-9


def _cells(table: uc.Counts):
    return (table.tp, table.fp, table.fn, table.tn)


@pytest.fixture(scope="module")
def evaluation():
    rng = np.random.default_rng(5)
    truth = rng.random(200) < 0.4
    return uc.evaluate(truth, np.clip(0.4 + 0.2 * truth + rng.normal(0, 0.15, 200), 0.01, 0.99), n_resamples=200)


@pytest.mark.parametrize("metric", uc.METRICS.values(), ids=lambda metric: metric.name)
def test_the_declared_interval_is_the_one_that_is_given(metric, evaluation):
    method = METHODS[metric.interval]
    assert method.serves(metric)
    assert (method.source == "counts") == (metric.of == "counts")
    found = evaluation[metric.name]
    asked = found.interval(method=metric.interval)
    assert (asked.low, asked.high, asked.method) == (found.low, found.high, found.method)

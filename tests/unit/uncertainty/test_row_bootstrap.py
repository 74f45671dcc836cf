"""Rows resampled by how often their units are drawn, against tables of rows that are repeated one by one."""

from dataclasses import replace

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import _kernels
from unconfuse.table import InMemorySample, Settings
from unconfuse.uncertainty import by_cases
from unconfuse.uncertainty.row_bootstrap import RowBootstrap


def rows(n, n_groups, seed=0, *, weights=None, models=1, digits=None):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    scores = {}
    for k in range(models):
        score = 1 / (1 + np.exp(-(rng.normal(size=n) + truth - 1)))
        scores[f"m{k}"] = score if digits is None else np.round(score, digits)
    groups = None if n_groups is None else rng.integers(0, n_groups, n)
    more = {} if weights is None else {"weights": weights}
    sample = InMemorySample(truth=truth, scores=scores, classes=(0, 1), groups=groups, **more)
    return sample.with_thresholds(dict.fromkeys(scores, 0.5))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [None, 2])
@pytest.mark.parametrize("name", ["brier", "partial_auroc", "ece", "sensitivity", "mcc", "auroc", "ks"])
def test_replicates_are_metrics_of_repeated_rows(name, digits, weighted):
    rng, n = np.random.default_rng(1), 300
    weights = rng.integers(0, 4, n).astype(float) if weighted else None
    sample = rows(n, 40, digits=digits, weights=weights)
    metric, design = uc.METRICS[name], Settings(n_resamples=5, seed=3)
    found = by_cases([metric], sample, design)[name][0]
    drawn = _kernels.bootstrap_rows(np.ones(int(sample.groups.max()) + 1), seed=3, count=5)
    for own, value in zip(drawn, found, strict=True):
        counted = own[sample.groups] * sample.weight
        again = uc.ScoreTable.from_rows(sample.is_positive, sample.scores["m0"], weights=counted)
        expected = metric(again.counts_at(0.5) if metric.of == "counts" else again)
        assert value == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("name", ["brier", "log_loss", "partial_auroc", "ece", "calibration_slope", "ks", "h_measure"])
def test_bands_of_many_scores_move_intervals_by_little(name, monkeypatch):
    sample, design = rows(12_000, 1500, seed=5), Settings(n_resamples=400)
    drawn = RowBootstrap(sample, design)
    assert drawn.bands_of([uc.METRICS[name]], "m0") is not None
    joined = by_cases([uc.METRICS[name]], sample, design)[name][0]
    monkeypatch.setattr(RowBootstrap, "bands_of", lambda *_: None)
    in_full = by_cases([uc.METRICS[name]], sample, design)[name][0]
    ends, full = (np.quantile(each, [0.025, 0.975]) for each in (joined, in_full))
    assert np.abs(ends - full).max() < 0.04 * np.ptp(full)
    assert np.corrcoef(joined, in_full)[0, 1] > 0.99  # the same resamples


def test_several_models_and_infinite_metrics_are_resampled_in_full():
    sample = rows(12_000, 1500, models=2)
    assert RowBootstrap(sample, Settings()).bands_of([uc.METRICS["brier"]], "m0") is None
    one = rows(12_000, 1500)
    one.scores["m0"][np.flatnonzero(one.is_positive)[0]] = 0.0
    drawn = RowBootstrap(one, Settings(n_resamples=50))
    assert drawn.bands_of([uc.METRICS["log_loss"]], "m0") is None
    assert drawn.bands_of([uc.METRICS["brier"]], "m0") is not None
    found = drawn.replicates([uc.METRICS["log_loss"], uc.METRICS["brier"]])
    lucky = np.isfinite(found["log_loss"][0])  # without the case that was said to be impossible
    assert lucky.any() and not lucky.all() and np.isfinite(found["brier"]).all()


def test_a_metric_of_ones_own_may_have_references_in_a_list():
    own = replace(uc.METRICS["brier"], name="own", references=["a book"])
    sample = rows(200, 20)
    found = uc.evaluate(
        sample.truth, sample.scores["m0"], groups=sample.groups, metrics=[own, "brier"], n_resamples=100
    )
    assert (found["own"].low, found["own"].high) == (found["brier"].low, found["brier"].high)


def test_what_a_method_says_of_groups():
    y, s = np.tile([True, False, False], 4000), np.linspace(0.01, 0.99, 12_000)
    groups = np.arange(12_000) // 8
    found = uc.evaluate(y, s, groups=groups, metrics=["brier", "sensitivity", "ks"], n_resamples=200)
    drawn = {name: each.interval(method="bias_corrected").method for name, each in found.items()}
    assert drawn["brier"].endswith("whole groups, in score bands")
    assert drawn["ks"].endswith("whole groups, in score bands")
    assert drawn["sensitivity"].endswith("whole groups")
    assert found["brier"].method == "jackknife of whole groups, Wilson, by their influences"
    assert found["ks"].method == "jackknife of whole groups, Wilson, 200 random parts of them, in score bands"
    assert found["sensitivity"].method == "jackknife of whole groups, Wilson"
    few = uc.evaluate(y[:90], s[:90], groups=groups[:90], metrics=["brier"], n_resamples=200)["brier"]
    assert few.method == "jackknife of whole groups, Wilson"
    assert few.interval(method="bootstrap").method.endswith("whole groups")


def test_sums_of_columns_count_rows_as_often_as_their_units_are_drawn():
    sample, design = rows(200, 30), Settings(n_resamples=7)
    columns = np.random.default_rng(2).normal(size=(200, 3))
    drawn = RowBootstrap(sample, design)
    times = np.concatenate(list(drawn.times()))
    np.testing.assert_allclose(drawn.sums(columns), times[:, sample.groups] @ columns, rtol=1e-12)


def test_a_card_of_groups_of_many_scores():
    sample = rows(8_000, 900)
    found = uc.evaluate(sample.truth, sample.scores["m0"], groups=sample.groups, metrics=["auroc"]).default_card
    alone = uc.evaluate(sample.truth, sample.scores["m0"], metrics=["auroc"]).default_card
    own, other = (each["youden"].threshold for each in (found, alone))
    assert own.value == other.value  # the same rows
    assert own.low < own.value < own.high
    assert abs(own.low - other.low) < 0.1 and abs(own.high - other.high) < 0.1


def test_a_card_of_very_many_rows_in_groups_says_that_these_were_put_together():
    sample = rows(101_000, 20_000)
    found = uc.evaluate(sample.truth, sample.scores["m0"], groups=sample.groups, metrics=["auroc"]).default_card[
        "youden"
    ]
    own = found.metrics["sensitivity"]
    assert "800 random ones of them" in own.conditions and own.low < own.value < own.high

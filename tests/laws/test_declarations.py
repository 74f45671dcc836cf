"""What a metric declares is all that is known of it: fields decide, names do not, and aliases find it everywhere."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.metrics import FACTORIES, Affine, find_metric
from unconfuse.metrics._inference import InferenceDefaults, MulticlassSummary, Profile, Proportion, Rates, Resampled
from unconfuse.metrics.influence_functions import auroc_influence

ALIASES = {alias: each for each in uc.METRICS.values() for alias in each.aliases}
PROMISED = {
    "sensitivity": ("recall", "tpr", "hit_rate", "power"),
    "precision": ("ppv",),
    "false_positive_rate": ("fpr", "fall_out", "alpha"),
    "false_negative_rate": ("fnr", "beta"),
    "false_discovery_rate": ("fdr",),
    "false_omission_rate": ("for",),
    "specificity": ("tnr",),
    "auroc": ("auc", "roc_auc"),
    "average_precision": ("ap", "auprc"),
    "f1": ("f1_score",),
    "diagnostic_odds_ratio": ("dor",),
    "lr_positive": ("lr+",),
    "lr_negative": ("lr-",),
    "youden_j": ("informedness",),
    "cohen_kappa": ("kappa",),
    "equal_error_rate": ("eer",),
    "accuracy": ("accuracy_score",),
}


def rows(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, np.clip(0.4 * y + rng.normal(0.3, 0.2, n), 0, 1), np.clip(0.2 * y + rng.normal(0.3, 0.2, n), 0, 1)


def test_an_alias_is_the_name_of_nothing_else():
    given = [alias for each in uc.METRICS.values() for alias in each.aliases]
    assert len(given) == len(set(given))
    assert not set(given) & (set(uc.METRICS) | set(FACTORIES) | set(uc.MULTICLASS_METRICS))
    assert all(uc.METRICS[alias].name == name for name, aliases in PROMISED.items() for alias in aliases)


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_finds_its_metric(alias):
    assert find_metric(alias) is uc.METRICS[alias] is ALIASES[alias]
    assert alias not in list(uc.METRICS)


def test_results_answer_to_aliases():
    y, a, b = rows()
    ev = uc.evaluate(y, a, metrics=["auc", "recall", "auch"])
    assert list(ev) == ["auroc", "sensitivity", "auch"]
    assert ev["roc_auc"] is ev["auroc"] and ev["tpr"] is ev["sensitivity"]
    found = uc.compare(y, {"a": a, "b": b}, metrics=["auc", "kappa"], n_resamples=100)
    assert found["auc", "a", "b"] is found["auroc", "a", "b"]
    assert found["kappa", "b", "a"].difference.value == -found["cohen_kappa", "a", "b"].difference.value
    power = uc.resolving_power(uc.Binormal(), ["auc"], n=500, prevalence=0.2, at=0.75, n_samples=100)
    assert power["roc_auc"] is power["auroc"]
    several = uc.evaluate(np.arange(90) % 3, np.eye(3)[np.arange(90) % 3] * 0.7 + 0.1, n_resamples=100)
    assert several["recall_macro"].name == "sensitivity_macro" and several["kappa"].name == "cohen_kappa"


def test_an_alias_is_never_taken_for_a_misspelt_name():
    y, a, _ = rows()
    ev = uc.evaluate(y, a, metrics=["auch", "ks"], n_resamples=100)
    assert ev["auc"].name == "auroc"  # made when it is asked for, and no misspelt "auch"
    with pytest.raises(ArgumentError, match="did you mean 'recall'"):
        find_metric("recal")


def test_a_metric_of_the_same_name_gets_nothing_of_the_declared_one():
    y, a, b = rows()
    own = uc.Metric("auroc", lambda table: 1 - uc.METRICS["brier"](table), of="ranks", range=(0.0, 1.0))
    found = uc.evaluate(y, a, metrics=[own], n_resamples=200)["auroc"]
    assert "bootstrap" in found.method and found.low < found.value < found.high
    assert "DeLong" not in uc.compare(y, {"a": a, "b": b}, metrics=[own], n_resamples=100)["auroc", "a", "b"].test
    with pytest.raises(ArgumentError, match="'delong' does not serve auroc"):
        found.interval(method="delong")


def test_a_metric_that_declares_the_same_gets_the_same():
    y, a, b = rows()
    fields = ("influence", "spread", "kernel", "straight")
    declared = uc.METRICS["auroc"]
    flat = {key: getattr(declared.inference, key) for key in fields}
    own = uc.Metric("own_area", declared.value, of="ranks", range=(0.0, 1.0), population=declared.population, **flat)
    assert own.inference == declared.inference
    theirs, ours = uc.evaluate(y, a, metrics=[declared, own]).values()
    assert (ours.low, ours.high, ours.method, ours.standard_error) == (
        theirs.low,
        theirs.high,
        theirs.method,
        theirs.standard_error,
    )
    both = uc.compare(y, {"a": a, "b": b}, metrics=[declared, own], n_resamples=100)
    assert both["own_area", "a", "b"].test == "DeLong"
    assert both["own_area", "a", "b"].p_value == both["auroc", "a", "b"].p_value
    table = uc.score_table(y, a)
    drawn = uc.bootstrap(table, [declared, own], n_resamples=50)
    np.testing.assert_array_equal(drawn["own_area"], drawn["auroc"])
    power = uc.resolving_power(uc.Binormal(), [declared, own], n=500, prevalence=0.2, at=0.75, n_samples=100)
    assert power["own_area"].kappa == power["auroc"].kappa


def test_an_influence_is_enough_for_an_interval_and_a_paired_test():
    y, a, b = rows()
    double = uc.Metric(
        "double_area",
        lambda table: 2 * uc.METRICS["auroc"](table),
        of="ranks",
        range=(0.0, 2.0),
        influence=lambda table: _scaled(auroc_influence(table), 2.0),
    )
    found = uc.evaluate(y, a, metrics=[double, "auroc"])
    assert found["double_area"].low == pytest.approx(2 * found["auroc"].low, rel=1e-9)
    assert found["double_area"].standard_error == pytest.approx(2 * found["auroc"].standard_error, rel=1e-9)
    both = uc.compare(y, {"a": a, "b": 1 - a, "c": b}, metrics=[double, "auroc"], n_resamples=100)
    for pair in (("a", "b"), ("a", "c")):
        wide, narrow = both["double_area", *pair].difference, both["auroc", *pair].difference
        assert (wide.low, wide.high) == pytest.approx((2 * narrow.low, 2 * narrow.high), rel=1e-9)


def _scaled(influence, factor):
    return replace(
        influence,
        value=factor * influence.value,
        positive=factor * influence.positive,
        negative=factor * influence.negative,
    )


def test_an_affine_function_follows_its_metric():
    y, a, b = rows()
    wrong = uc.Metric(
        "wrong_order",
        lambda table: 1 - uc.METRICS["auroc"](table),
        of="ranks",
        range=(0.0, 1.0),
        better="lower",
        affine=Affine(uc.METRICS["gini"], -0.5, 0.5),
    )
    assert (wrong.root.of, wrong.root.scale, wrong.root.shift) == (uc.METRICS["auroc"], -1.0, 1.0)
    found = uc.evaluate(y, a, metrics=[wrong, "auroc"])
    area, ours = found["auroc"], found["wrong_order"]
    assert (ours.low, ours.high) == pytest.approx((1 - area.high, 1 - area.low), abs=1e-15)
    assert ours.standard_error == area.standard_error and ours.method == area.method
    both = uc.compare(y, {"a": a, "b": b}, metrics=[wrong, "auroc"], n_resamples=100)
    gap, mirrored = both["auroc", "a", "b"].difference, both["wrong_order", "a", "b"].difference
    assert (mirrored.low, mirrored.high) == (-gap.high, -gap.low)
    assert both["wrong_order", "a", "b"].verdict == both["auroc", "a", "b"].verdict


def test_a_kernel_must_exist():
    with pytest.raises(ArgumentError, match="`kernel` must be one of"):
        uc.Metric("own", lambda table: 0.0, of="ranks", kernel="nonsense")


@pytest.mark.parametrize("name", uc.METRICS)
def test_declared_metrics_are_pickled_by_name(name):
    assert pickle.loads(pickle.dumps(uc.METRICS[name])) is uc.METRICS[name]


@pytest.mark.parametrize(
    "metric", [each for each in uc.METRICS.values() if each.inference.straight], ids=lambda each: each.name
)
def test_straight_metrics_do_not_see_how_negatives_between_positives_are_ranked(metric):
    rng = np.random.default_rng(1)
    positives, negatives = rng.integers(0, 2, 60).astype(float), rng.integers(0, 3, 60).astype(float)
    own = positives > 0
    starts = np.flatnonzero(own | np.r_[True, own[:-1]])
    joined = uc.ScoreTable(
        np.arange(len(starts), 0, -1.0), *(np.add.reduceat(w, starts) for w in (positives, negatives))
    )
    whole = uc.ScoreTable(np.arange(60, 0, -1.0), positives, negatives)
    assert float(metric(joined)) == pytest.approx(float(metric(whole)), rel=1e-12)


def test_a_metric_has_few_fields_and_takes_those_of_its_parts_flat():
    assert len(fields(uc.Metric)) <= 12
    own = uc.Metric(
        "mine", lambda c: c.tp / c.total, label="Mine", question="How many?", log_limits=None, ordinal=False
    )
    assert (own.label, own.doc.question, own.requires.ordinal) == ("Mine", "How many?", False)
    assert own.with_fields(label="").label == "mine"
    with pytest.raises(ArgumentError, match="has no `tpyo`"):
        uc.Metric("mine", lambda c: 0.0, tpyo=1)
    with pytest.warns(DeprecationWarning, match="renamed `value`"):
        assert own.function is own.value


@pytest.mark.parametrize("metric", [*uc.METRICS.values(), *uc.MULTICLASS_METRICS.values()], ids=lambda each: each.name)
def test_inference_is_of_the_kind_that_the_data_allow(metric):
    """A field that its kind does not have reads as its default, so that nobody need ask for the kind."""
    kinds = {"counts": (Proportion, Rates), "cells": MulticlassSummary, "rows": MulticlassSummary}
    assert isinstance(metric.inference, kinds.get(metric.of, (Resampled, Affine, Profile)))
    assert all(hasattr(metric.inference, name) for name in InferenceDefaults.__annotations__)

"""Two models that decide alike on these cases may not do so on others: no difference of decisions is surely 0."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.metrics import METRICS, MULTICLASS_METRICS
from unconfuse.uncertainty.method import in_full

_RNG = np.random.default_rng(1)
N = 18
Y = np.repeat([1, 0], [7, 11])
SCORE = Y + _RNG.normal(size=N)
OTHER = np.where((SCORE >= 0) == (SCORE + 0.3 * _RNG.normal(size=N) >= 0), SCORE + 0.01 * _RNG.normal(size=N), SCORE)
OTHER = np.where((OTHER >= 0) == (SCORE >= 0), OTHER, SCORE)
OF_TRUTH = ("prevalence", "null_accuracy", "null_error_rate")  # two models cannot differ in these
DECISIONS = [each.name for each in METRICS.values() if each.of == "counts" and each.name not in OF_TRUTH]
CLASSES = [each.name for each in MULTICLASS_METRICS.values() if each.of == "cells" and not each.requires.ordinal]
SAMPLES = {
    "cases": {},
    "groups": {"groups": np.arange(N) % 6},
    "folds": {"folds": np.arange(N) % 3},
    "weights": {"weights": np.full(N, 2)},
    "sampling weights": {"sampling_weights": _RNG.random(N) + 0.5},
    "case-control": {"design": "case-control"},
    "strata": {"sampling_weights": np.ones(N), "strata": np.arange(N) % 3},
}


def of_pair(compared, metric):
    return compared[metric, "one", "other"]


@pytest.mark.parametrize("words", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("other", [SCORE, OTHER], ids=["the same scores", "the same decisions"])
def test_the_same_decisions_on_a_few_cases_are_not_equivalent(words, other):
    compared = uc.compare(
        Y, {"one": SCORE, "other": other}, threshold=0.0, metrics=DECISIONS, margin=0.02, n_resamples=100, **words
    )
    for name in DECISIONS:
        pair = of_pair(compared, name)
        if pair.undefined:
            continue
        assert abs(pair.value) < 1e-12 and pair.low < -0.02 and pair.high > 0.02, pair
        assert pair.verdict == "cannot tell" and pair.p_value == 1, pair


@pytest.mark.parametrize("words", [SAMPLES[name] for name in ("cases", "weights", "case-control")])
def test_all_metrics_of_one_class_are_as_unsure_as_its_own_rate(words):
    """Bonett and Price's interval, without any case on which the models differ, is what pseudo cases give anything."""
    names = ["sensitivity", "specificity", "youden_j", "accuracy", "queue_rate"]
    found = uc.compare(Y, {"one": SCORE, "other": OTHER}, threshold=0.0, metrics=names, **words)
    high = {name: of_pair(found, name).high for name in names}
    assert high["youden_j"] == pytest.approx(max(high["sensitivity"], high["specificity"]), rel=1e-5)
    assert high["queue_rate"] == pytest.approx(high["accuracy"], rel=1e-5) or "design" in words


@pytest.mark.parametrize("words", [{}, {"groups": np.arange(40) % 8}, {"sampling_weights": _RNG.random(40) + 0.5}])
def test_nor_are_the_same_labels_of_several_classes(words):
    truth = _RNG.integers(0, 4, 40)
    labels = np.where(_RNG.random(40) < 0.7, truth, _RNG.integers(0, 4, 40))
    same = {"one": labels, "other": labels}
    compared = uc.compare(truth, predicted=same, metrics=CLASSES, margin=0.01, **words)
    for name in CLASSES:
        pair = of_pair(compared, name)
        assert pair.value == 0 and pair.low < -0.01 and pair.high > 0.01 and pair.verdict == "cannot tell", pair


def test_one_differing_case_does_not_settle_which_model_is_better():
    labels = (SCORE >= 0).astype(int)
    other = np.where(np.arange(N) == 0, 1 - labels, labels)
    compared = uc.compare(Y, predicted={"one": labels, "other": other}, metrics=["f1", "mcc", "g_mean", "youden_j"])
    assert all(each.low < -0.05 and each.high > 0.05 for each in compared.values())
    assert all("unseen cases" in in_full(each.method) for each in compared.values())


def test_many_cases_on_which_models_differ_say_all_that_is_known():
    truth = _RNG.integers(0, 2, 400)
    one, other = (np.where(_RNG.random(400) < share, truth, 1 - truth) for share in (0.9, 0.8))
    pair = uc.compare(truth, predicted={"one": one, "other": other}, metrics=["f1"])["f1", "one", "other"]
    assert "unseen" not in in_full(pair.method) and pair.verdict == "better"


def test_the_scale_of_sampling_weights_does_not_matter_to_unseen_cases():
    weight = _RNG.random(N) + 0.5
    found = [
        uc.compare(Y, {"one": SCORE, "other": OTHER}, threshold=0.0, metrics=["f1"], sampling_weights=scale * weight)
        for scale in (1, 1e-9, 1e9)
    ]
    assert len({round(of_pair(each, "f1").high, 9) for each in found}) == 1


def test_ratios_that_are_infinite_with_a_case_more_need_no_warning():
    few = {"one": np.array([1, 1, 0, 0, 0]), "other": np.array([1, 0, 0, 0, 0])}
    names = ["lr_positive", "diagnostic_odds_ratio", "f1"]
    found = uc.compare([1, 1, 1, 0, 0], predicted=few, metrics=names, n_resamples=100)
    assert found["f1", "one", "other"].low < 0

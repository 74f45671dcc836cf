"""Paired comparison of models of several classes."""

import numpy as np
import pytest
from class_samples import rows_of, sample, softmax

import unconfuse as uc
from unconfuse.metrics import find_metric


def models(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    logits = rng.normal(size=(n, 3))
    logits[np.arange(n), y] += 1.2
    return y, softmax(logits), softmax(logits + 0.5 * rng.normal(size=(n, 3)))


@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "f1_macro",
        "mcc",
        "log_loss",
        "brier",
        "auroc_ovr_macro",
        "aurc",
        "auroc_hand_till",
        "top_k_accuracy(2)",
        "sensitivity_weighted",
    ],
)
def test_differences_agree_with_resampled_rows(name):
    """The standard error is that of the bootstrap of rows, with both models on the same resample."""
    y, a, b = models()
    metric, rng = find_metric(name, several=True), np.random.default_rng(1)
    found = uc.compare(y, {"a": a, "b": b}, metrics=[name])[name, "a", "b"]
    drawn = []
    for _ in range(300):
        rows = rng.integers(0, len(y), len(y))
        drawn.append(metric(rows_of(y[rows], a[rows])) - metric(rows_of(y[rows], b[rows])))
    assert found.difference.value == pytest.approx(metric(rows_of(y, a)) - metric(rows_of(y, b)))
    half = (found.difference.high - found.difference.low) / (2 * 1.96)
    assert half == pytest.approx(np.std(drawn), rel=0.2)


def test_a_model_against_itself_and_reversed():
    y, a, b = models()
    same = uc.compare(y, {"a": a, "b": a}, metrics=["log_loss", "mcc", "accuracy"])
    assert all(each.difference.value == 0 and each.p_value == 1 for each in same.values())
    found = uc.compare(y, {"a": a, "b": b})
    assert found["log_loss", "b", "a"].difference.value == -found["log_loss", "a", "b"].difference.value
    assert found["accuracy", "a", "b"].test == "McNemar mid-p"
    assert found["log_loss", "a", "b"].verdict == "better"


def test_two_columns_compare_as_the_binary_models():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    p, q = (1 / (1 + np.exp(-(2 * y - 1 + each * rng.normal(size=300)))) for each in (1, 2))
    binary = uc.compare(y, {"p": p, "q": q}, metrics=["auroc", "accuracy"])
    pairs = {"p": np.column_stack([1 - p, p]), "q": np.column_stack([1 - q, q])}
    assert uc.compare(y, pairs, metrics=["auroc", "accuracy"]).rows() == binary.rows()
    several = uc.compare(y, {"p": {0: 1 - p, 1: p}, "q": {0: 1 - q, 1: q}})
    assert several["accuracy", "p", "q"].p_value == binary["accuracy", "p", "q"].p_value
    ours, theirs = several["auroc_hand_till", "p", "q"], binary["auroc", "p", "q"]
    assert ours.difference.value == pytest.approx(theirs.difference.value, rel=1e-12)
    assert ours.p_value == pytest.approx(theirs.p_value, rel=0.05)


def test_many_models_baselines_predicted_labels_and_groups():
    y, a, b = models()
    found = uc.compare(
        y, {"a": a, "b": b}, baselines=["majority", "constant"], metrics=["accuracy", "balanced_accuracy"]
    )
    assert found["accuracy", "a", "majority"].verdict == "better"
    assert all(each.p_value >= each.unadjusted_p_value for each in found.values())
    labels = uc.compare(y, predicted={"a": a.argmax(axis=1), "b": b.argmax(axis=1)}, metrics=["f1_macro"])
    scores = uc.compare(y, {"a": a, "b": b}, metrics=["f1_macro"])
    assert labels["f1_macro", "a", "b"].difference == scores["f1_macro", "a", "b"].difference
    three = np.repeat(np.arange(300), 3)
    grouped = uc.compare(y[three], {"a": a[three], "b": b[three]}, metrics=["log_loss"], groups=three)
    alone = uc.compare(y, {"a": a, "b": b}, metrics=["log_loss"])
    one, other = (each["log_loss", "a", "b"] for each in (grouped, alone))
    assert one.difference.standard_error == pytest.approx(other.difference.standard_error, rel=0.02)
    assert other.p_value < one.p_value < 1.3 * other.p_value  # Student's t of 300 groups, not normal
    assert "cases" in repr(found)


def test_models_must_share_their_classes():
    y, scores = sample()
    with pytest.raises(uc.UnconfuseError, match="same classes"):
        uc.compare(y, {"a": scores, "b": np.column_stack([scores, np.zeros(len(y))])})


def test_a_pair_given_the_other_way_round_has_the_same_p_value():
    """More exchanges than can all be weighed are drawn; the draws must not depend on who comes first."""
    y, a, b = models(60)
    b = np.roll(b, 1, axis=0)
    one, other = (uc.compare(y, each, metrics=["mcc", "f1_macro"]) for each in ({"a": a, "b": b}, {"b": b, "a": a}))
    for name in ("mcc", "f1_macro"):
        assert one[name, "a", "b"].p_value == other[name, "b", "a"].p_value

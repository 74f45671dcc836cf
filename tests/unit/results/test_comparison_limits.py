"""What a difference can be at most, how small a p-value can be, and which names and weights mean the same."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import METRICS
from unconfuse._errors import ArgumentError

LABELS = ("f1", "mcc", "balanced_accuracy", "precision", "npv", "cohen_kappa", "accuracy")
SCORES = ("auroc", "average_precision", "brier", "log_loss", "max_f1", "ks")
PERFECT, CONSTANT = np.array([0.9, 0.8, 0.85, 0.95, 0.1, 0.2, 0.15, 0.05]), np.full(8, 0.5)
EIGHT = np.array([1] * 4 + [0] * 4)


def cases(n: int = 120, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, {
        name: np.clip(gain * y + 0.6 * rng.random(n), 0, 1) for name, gain in (("a", 0.3), ("b", 0.25), ("c", 0.2))
    }


# Names ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("baseline", ["majority", "constant"])
@pytest.mark.parametrize("more", [{}, {"folds": np.arange(120) % 4}, {"groups": np.arange(120) // 3}, {"at": "youden"}])
def test_a_model_called_like_a_baseline_is_refused(baseline, more):
    y, s = cases()
    with pytest.raises(ArgumentError, match=f"must not have the name of a model; got '{baseline}'"):
        uc.compare(y, {baseline: s["a"], "b": s["b"]}, baselines=[baseline], n_resamples=100, **more)
    named = uc.compare(y, {baseline: s["a"], "b": s["b"]}, metrics=["auroc"], n_resamples=100, **more)
    usual = uc.compare(y, {"a": s["a"], "b": s["b"]}, metrics=["auroc"], n_resamples=100, **more)
    assert named["auroc", baseline, "b"].difference.value == usual["auroc", "a", "b"].difference.value


def test_a_matrix_called_like_a_baseline_is_refused_not_replaced():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 60)
    matrix = rng.dirichlet([1, 1, 1], 60) + np.eye(3)[y]
    models = {"constant": matrix / 2, "b": matrix[::-1] / 2}
    with pytest.raises(ArgumentError, match="'constant' for both"):
        uc.compare(y, models, baselines=["constant"])
    own = uc.compare(y, models, metrics=["accuracy"])["accuracy", "constant", "b"].first_value
    assert own == np.mean(matrix.argmax(axis=1) == y)


def test_names_that_are_the_same_text_are_refused():
    y, s = cases()
    counts = uc.Counts(tp=3, fp=4, fn=5, tn=6)
    for models in ({1: s["a"], "1": s["b"], "c": s["c"]}, {1: np.eye(2)[y.astype(int)], "1": np.eye(2)[1 - y]}):
        with pytest.raises(ArgumentError, match="names of models must differ as text; got '1' twice"):
            uc.compare(y, models)
    with pytest.raises(ArgumentError, match="names of models must differ as text"):
        uc.compare({1: counts, "1": counts, "b": counts})
    with pytest.raises(ArgumentError, match="names of subgroups must differ as text"):
        uc.evaluate({1: uc.score_table(y, s["a"]), "1": uc.score_table(y, s["b"])})


# Range ---------------------------------------------------------------------------------------------------------------


def held(found: uc.Comparison) -> int:
    """How many differences have limits; all of them must hold the difference and be possible."""
    known = [each for each in found.values() if not np.isnan(each.difference.low)]
    for each in known:
        low, high = METRICS[each.metric].range
        span, e = high - low + 1e-12, each.difference  # weights that are no whole numbers are rounded
        assert -span <= e.low <= e.value <= e.high <= span, (each.metric, e.low, e.value, e.high)
        told = not e.low <= 0 <= e.high or each.step_down_only
        assert told == (each.p_value <= 0.05), (each.metric, e.low, e.high, each.p_value)
        assert e.value == 0 or e.high > e.low, each.metric
    return len(known)


@pytest.mark.parametrize("n", [6, 8, 14])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("more", ["", "weights", "groups", "sampling_weights", "folds"])
def test_limits_are_possible_and_hold_the_difference(n, design, more):
    """The paired bootstrap gave differences of F1 up to 1.20, of the MCC up to 2.17; perfect models no width at all."""
    if (more, design) == ("groups", "case-control"):
        return
    rng = np.random.default_rng(n)
    y = np.arange(n) % 2 == 0
    perfect = np.where(y, 0.9, 0.1) + rng.normal(0, 0.01, n)
    given = {
        "weights": rng.integers(1, 4, n),
        "groups": np.arange(n) // 2,
        "sampling_weights": rng.random(n) + 0.5,
        "folds": np.arange(n) // (n // 2),
    }
    options = {more: given[more]} if more else {}
    models = {"perfect": perfect, "wrong": 1 - perfect, "constant": np.full(n, 0.4), "any": rng.random(n)}
    found = uc.compare(y, models, metrics=[*LABELS, *SCORES], design=design, n_resamples=100, **options)
    assert held(found) > 30


def test_differences_of_subgroups_are_possible_for_any_metric():
    """A user's own metric had limits beyond its range once they were adjusted for several subgroups."""
    own = uc.metric(name="hits", range=(0, 1), of="ranks")(lambda table: 0.99 * METRICS["auroc"](table))
    rng = np.random.default_rng(0)
    by, y = np.repeat(list("abcd"), 20), np.tile([1, 0], 40)
    s = np.where(by == "a", y, 1 - y) + rng.normal(0, 0.35, 80)
    for more in ({}, {"groups": np.arange(80) // 4}):
        found = uc.evaluate(y, s, by=by, metrics=["sensitivity", own, "mcc"], threshold=0.5, n_resamples=200, **more)
        for name, span in (("sensitivity", 1), ("hits", 1), ("mcc", 2)):
            for each in found.subgroups.differences(name):
                e = each.difference
                assert -span <= e.low <= e.value <= e.high <= span and e.low < e.high


# p-values ------------------------------------------------------------------------------------------------------------


def exchange_p(outputs: list[np.ndarray], statistic) -> float:
    """Exact, by loops: both models' outputs are exchanged on every set of cases."""
    one, other = outputs
    seen, extreme = abs(statistic(one) - statistic(other)), 0
    for swapped in product([False, True], repeat=len(one)):
        first, second = np.where(swapped, other, one), np.where(swapped, one, other)
        extreme += abs(statistic(first) - statistic(second)) >= seen - 1e-12
    return extreme / 2 ** len(one)


def test_a_p_value_is_not_below_that_of_the_exact_exchange_test():
    """Perfect against constant on 4 + 4 cases: DeLong's variance is 0, and p was 2e-308."""
    found = uc.compare(EIGHT, {"p": PERFECT, "c": CONSTANT}, metrics=[*SCORES, *LABELS])
    ranks = [PERFECT.argsort().argsort() + 1.0, np.full(8, 4.5)]
    exact = exchange_p(ranks, lambda each: METRICS["auroc"](uc.score_table(EIGHT, each)))
    assert found["auroc", "p", "c"].p_value == exact == 2**-7
    assert min(found[name, "p", "c"].p_value for name in SCORES) == 2**-7
    assert found["f1", "p", "c"].p_value == 2**-3  # the labels of four cases differ
    assert "exchange" in found["auroc", "p", "c"].test
    held(found)


def test_few_different_cases_are_little_evidence_however_many_are_alike():
    y, s = cases(2000)
    other = s["a"].copy()
    wrong = np.flatnonzero(y & (other > 0.5))[:5]
    other[wrong] = 0.01
    found = uc.compare(y, {"a": s["a"], "b": other}, metrics=["brier", "f1", "mcc", "log_loss"], n_resamples=500)
    assert all(each.p_value >= 2**-4 and each.verdict == "cannot tell" for each in found.values())
    held(found)


def test_groups_and_several_classes_have_the_same_floor():
    y = np.repeat([0, 1, 2], 4)
    perfect, constant = np.eye(3)[y] * 0.7 + 0.1, np.tile([0.4, 0.3, 0.3], (12, 1))
    for more, rows, labels in (({}, 12, 8), ({"groups": np.arange(12) // 2}, 6, 4), ({"weights": [2] * 12}, 24, 16)):
        found = uc.compare(y, {"p": perfect, "c": constant}, **more)
        assert found["auroc_ovr_macro", "p", "c"].p_value == 2.0 ** (1 - rows)
        assert found["balanced_accuracy", "p", "c"].p_value == 2.0 ** (1 - labels)
    grouped = uc.compare(EIGHT, {"p": PERFECT, "c": CONSTANT}, metrics=["auroc"], groups=np.arange(8) // 2)
    assert grouped["auroc", "p", "c"].p_value == 2**-3 and grouped["auroc", "p", "c"].verdict == "cannot tell"


def test_folds_that_all_show_the_same_difference_are_no_proof():
    y, folds = np.tile([1, 0], 8), np.arange(16) // 4
    s = {"p": np.where(y, 0.9, 0.1), "c": np.full(16, 0.5)}
    found = uc.compare(y, s, folds=folds, metrics=["auroc", "brier"])
    assert [each.unadjusted_p_value >= 2**-15 for each in found.values()] == [True] * 2
    assert found["auroc", "p", "c"].p_value == 2**-15
    held(found)
    twice = uc.compare(
        np.tile(y, 2),
        {name: np.tile(each, 2) for name, each in s.items()},
        folds={"repeat": np.repeat([0, 1], 16), "fold": np.tile(folds, 2)},
        metrics=["auroc"],
    )
    assert twice["auroc", "p", "c"].p_value == 2**-15  # each case counts once


# Weights and standard errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_weights_of_1_are_no_weights(design):
    y, s = cases()
    one, two = (
        uc.compare(y, s, metrics=[*LABELS, *SCORES], design=design, n_resamples=100, weights=each)
        for each in (None, np.ones(120))
    )
    for key, each in one.items():
        assert each.test == two[key].test
        assert two[key].p_value == pytest.approx(each.p_value, rel=1e-9, nan_ok=True)
        ends = [(found.difference.low, found.difference.high) for found in (each, two[key])]
        assert ends[1] == pytest.approx(ends[0], rel=1e-9, nan_ok=True)


def test_whole_weights_count_cases_for_mcnemar():
    y, s = cases()
    w = np.random.default_rng(2).integers(0, 4, 120)
    metrics = ["accuracy", "sensitivity", "specificity", "precision", "npv"]
    one = uc.compare(y, s, metrics=metrics, weights=w)
    two = uc.compare(np.repeat(y, w), {name: np.repeat(each, w) for name, each in s.items()}, metrics=metrics)
    for key, each in one.items():
        assert (each.test, each.p_value) == (two[key].test, two[key].p_value)
        assert each.difference.low == pytest.approx(two[key].difference.low, abs=1e-12)
    labels, predicted = np.arange(120) % 3, {name: (np.arange(120) + (each > 0.5)) % 3 for name, each in s.items()}
    one = uc.compare(labels, predicted=predicted, metrics=["accuracy"], weights=w)
    repeated = {name: np.repeat(each, w) for name, each in predicted.items()}
    two = uc.compare(np.repeat(labels, w), predicted=repeated, metrics=["accuracy"])
    assert [(each.test, each.p_value) for each in one.values()] == [(each.test, each.p_value) for each in two.values()]


def test_a_standard_error_does_not_depend_on_the_level_or_on_other_pairs():
    y, s = cases()
    metrics = ["accuracy", "precision", "auroc"]
    alone = uc.compare(y, {name: s[name] for name in "ab"}, metrics=metrics)
    others = (
        uc.compare(y, s, metrics=metrics),
        uc.compare(y, {name: s[name] for name in "ab"}, metrics=metrics, confidence_level=0.8),
    )
    for key, each in alone.items():
        for found in others:
            assert found[key].difference.standard_error == pytest.approx(each.difference.standard_error, rel=1e-12)
    counts = {name: uc.Counts(tp=30 + k, fp=20, fn=20 - k, tn=130) for k, name in enumerate("abc")}
    apart = [uc.compare({name: counts[name] for name in names}, metrics=["precision"]) for names in ("ab", "abc")]
    errors = [each["precision", "a", "b"].difference.standard_error for each in apart]
    assert errors[0] == errors[1] > 0

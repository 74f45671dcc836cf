"""Folds of a cross-validation: means, repeats, comparisons, refits, refusals."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold, cross_val_score

import unconfuse as uc

N = 200


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(8)
    y = (rng.random(N) < 0.4).astype(int)
    s = np.round(1 / (1 + np.exp(-(1.5 * y - 0.5 + rng.normal(size=N)))), 2)
    return y, s, np.arange(N) % 5, np.round(rng.random(N), 2)


def test_a_mean_over_folds_is_that_of_each_fold_judged_alone(rows):
    y, s, fold, _ = rows
    ev = uc.evaluate(y, s, folds=fold, metrics=["auroc", "mcc", "max_f1"])
    few = {"metrics": list(ev), "n_resamples": 500}  # of each fold
    alone = [uc.evaluate(y[fold == k], s[fold == k], **few) for k in range(5)]
    for name in ev:
        assert ev[name].value == pytest.approx(np.mean([each[name].value for each in alone]))
        down = np.sqrt(sum((each[name].value - each[name].low) ** 2 for each in alone)) / 5
        down = max(down, 1.959964 * np.sqrt(sum(each[name].standard_error ** 2 for each in alone)) / 5)
        assert ev[name].low == pytest.approx(ev[name].value - down)
    assert ev.folds[2]["auroc"].value == pytest.approx(roc_auc_score(y[fold == 2], s[fold == 2]))
    assert ev.pooled["auroc"].value == pytest.approx(roc_auc_score(y, s))


def test_repeats_are_not_more_cases(rows):
    y, s, fold, _ = rows
    once = uc.evaluate(y, s, folds=fold, metrics=["auroc"])
    twice = uc.evaluate(
        np.r_[y, y], np.r_[s, s], folds={"repeat": np.repeat([1, 2], N), "fold": np.r_[fold, fold]}, metrics=["auroc"]
    )
    assert twice["auroc"].standard_error == pytest.approx(once["auroc"].standard_error)
    assert (twice["auroc"].low, twice["auroc"].high) == pytest.approx((once["auroc"].low, once["auroc"].high))
    assert twice.n == N
    assert twice.pooled["auroc"].high == pytest.approx(once.pooled["auroc"].high)
    assert len(twice.folds) == 10


def test_a_perfect_fold_does_not_make_the_interval_narrow():
    y, s = [1, 1, 1, 0, 0, 0] * 4, [0.9, 0.8, 0.7, 0.3, 0.2, 0.1] * 4
    ev = uc.evaluate(y, s, folds=np.arange(24) // 6, metrics=["auroc", "accuracy"])
    for each in ev.values():
        assert each.value == each.high == 1
        assert each.low < 0.9


def test_the_finding_tells_scales_apart(rows):
    y, s, fold, _ = rows
    same = next(each for each in uc.evaluate(y, s, folds=fold).findings if "Pooling folds" in each.rule)
    apart = next(
        each for each in uc.evaluate(y, s + 3 * fold, threshold=5, folds=fold).findings if "Pooling folds" in each.rule
    )
    assert (same.verdict, apart.verdict) == ("same scale", "different scales")
    mean = apart.numbers["within_folds"]
    assert mean > apart.numbers["across_folds"]


def test_subgroups_classes_and_weights_go_with_folds(rows):
    y, s, fold, _ = rows
    half = np.where(np.arange(N) % 2, "a", "b")
    ev = uc.evaluate(y, s, folds=fold, by=half, metrics=["auroc"])
    own = half == "a"
    assert ev.subgroups["a"]["auroc"].value == pytest.approx(
        np.mean([roc_auc_score(y[own & (fold == k)], s[own & (fold == k)]) for k in range(5)])
    )
    weighted = uc.evaluate(y, s, folds=fold, sampling_weights=1 + fold, metrics=["auroc"])
    assert weighted["auroc"].value == pytest.approx(uc.evaluate(y, s, folds=fold, metrics=["auroc"])["auroc"].value)
    matrix = np.column_stack([1 - s, s / 2, s / 2])
    k = np.where(y == 1, 1 + np.arange(N) % 2, 0)
    several = uc.evaluate(k, matrix, folds=fold, metrics=["accuracy"])
    decided = matrix.argmax(axis=1)
    assert several["accuracy"].value == pytest.approx(np.mean([np.mean((decided == k)[fold == j]) for j in range(5)]))


def test_three_models_over_folds(rows):
    y, s, fold, other = rows
    result = uc.compare(y, {"a": s, "b": other, "c": 1 - other}, folds=fold, metrics=["auroc", "f1"])
    assert result["auroc", "a", "b"].verdict == "better"
    assert result["auroc", "b", "c"].p_value > result["auroc", "b", "c"].unadjusted_p_value * 0.99
    result.report  # noqa: B018


def test_curves_of_folds_and_their_mean(rows):
    y, s, fold, _ = rows
    found = uc.evaluate(y, s, folds=fold, metrics=["auroc"]).fold_curves("roc")
    each = [found[f"fold {k}"] for k in range(5)]
    assert found["mean"] == pytest.approx(np.mean(each, axis=0))
    assert np.trapezoid(found["mean"], found["x"]) == pytest.approx(
        np.mean([roc_auc_score(y[fold == k], s[fold == k]) for k in range(5)]), abs=0.01
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda y, s, f: uc.evaluate(y, s, folds=np.zeros(N)), "one fold only"),
        (lambda y, s, f: uc.evaluate(y, s).folds, "no folds here"),
        (lambda y, s, f: uc.evaluate(y, s).pooled, "no folds to pool"),
        (lambda y, s, f: uc.evaluate(y, s, folds=f).folds[9], "no fold 9"),
        (lambda y, s, f: uc.shift_prevalence(uc.evaluate(y, s, folds=f), prevalence=0.1), "does not support folds"),
        (lambda y, s, f: uc.threshold_card(uc.Data(y, s, folds=f)), "does not support folds"),
        (lambda y, s, f: uc.evaluate(y, s, folds={"a": f, "b": f, "c": f}), "one column, or two"),
        (lambda y, s, f: uc.evaluate(y, s, folds=f).fold_curves("lift"), "fold_curves|name"),
    ],
)
def test_refusals(rows, call, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        call(*rows[:3])


@pytest.fixture(scope="module")
def problem():
    return make_classification(160, n_informative=4, random_state=3)


def test_cross_evaluate_agrees_with_scikit_learn(problem):
    X, y = problem
    ev = uc.cross_evaluate(LogisticRegression(), X, y, cv=4, metrics=["auroc", "accuracy"])
    for name, scoring in (("auroc", "roc_auc"), ("accuracy", "accuracy")):
        expected = cross_val_score(LogisticRegression(), X, y, cv=StratifiedKFold(4), scoring=scoring)
        assert [each[name].value for each in ev.folds.values()] == pytest.approx(expected)


def test_nested_intervals_lie_between_the_naive_one_and_root_k_times_it(problem):
    X, y = problem
    plain, nested = (
        uc.cross_evaluate(LogisticRegression(), X, y, cv=4, nested=times, metrics=["accuracy"])["accuracy"]
        for times in (0, 2)
    )
    assert plain.value == nested.value
    assert plain.standard_error <= nested.standard_error <= 2 * plain.standard_error
    assert "nested" in nested.method


def test_repeated_splitters_and_labels_that_are_words(problem):
    X, y = problem
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    ev = uc.cross_evaluate(LogisticRegression(), X, y, cv=cv, metrics=["auroc"])
    assert len(ev.folds) == 8
    assert ev.n == 160
    words = np.where(y == 1, "ill", "well")
    named = uc.cross_evaluate(LogisticRegression(), X, words, cv=4, positive="ill", metrics=["auroc"])
    assert named["auroc"].value == pytest.approx(uc.cross_evaluate(LogisticRegression(), X, y, cv=4)["auroc"].value)


def test_several_classes_are_fitted_too():
    X, y = make_classification(150, n_informative=5, n_classes=3, random_state=1)
    ev = uc.cross_evaluate(LogisticRegression(), X, y, cv=3, metrics=["accuracy"])
    expected = cross_val_score(LogisticRegression(), X, y, cv=StratifiedKFold(3))
    assert ev["accuracy"].value == pytest.approx(expected.mean())


def test_splitters_that_leave_cases_out_are_refused(problem):
    with pytest.raises(uc.UnconfuseError, match="equally often"):
        uc.cross_evaluate(LogisticRegression(), *problem, cv=ShuffleSplit(3))
    with pytest.raises(uc.UnconfuseError, match="three folds"):
        uc.cross_evaluate(LogisticRegression(), *problem, cv=2, nested=1)


def test_differences_over_folds_stay_within_their_range():
    y = np.arange(60) % 3 == 0
    s = np.round(np.random.default_rng(9).normal(0.3 + 0.3 * y, 0.2), 1)
    found = uc.compare(y, {"a": s, "b": -s}, folds=np.arange(60) % 5, metrics=["auroc"])["auroc", "a", "b"].difference
    assert found.high <= 1 and found.low < found.value

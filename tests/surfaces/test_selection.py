"""Selection by resolution: what `compare` says of the same folds, and the simplest of what cannot be told apart."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.sklearn import SelectByResolution, scorer

X, Y = make_classification(300, n_informative=3, n_redundant=0, flip_y=0.1, random_state=1)
TREE = DecisionTreeClassifier(random_state=0)


def searched(select, depths=(1, 2, 3, 5, 8, None), **how):
    how = {"scoring": scorer("auroc"), "cv": StratifiedKFold(5)} | how
    return GridSearchCV(TREE, {"max_depth": list(depths)}, refit=select, **how).fit(X, Y)


def test_differences_and_resolution_are_those_of_compare():
    select = SelectByResolution("max_depth")
    searched(select, depths=(1, 4))
    scores, fold = {}, np.empty(len(Y))
    for depth in (1, 4):
        scores[str(depth)] = np.empty(len(Y))
        for place, (train, test) in enumerate(StratifiedKFold(5).split(X, Y)):
            model = clone(TREE).set_params(max_depth=depth).fit(X[train], Y[train])
            scores[str(depth)][test], fold[test] = model.predict_proba(X[test])[:, 1], place
    wanted = uc.compare(Y, scores, folds=fold, metrics=["auroc"])["auroc", "4", "1"].difference
    behind = next(each for each in select.candidates_ if each["behind"] > 0)
    assert behind["behind"] == pytest.approx(abs(wanted.value), abs=1e-12)
    assert behind["resolution"] == pytest.approx((wanted.high - wanted.low) / 2, rel=1e-6)


def test_it_takes_the_simplest_that_is_not_told_apart():
    select = SelectByResolution("max_depth")
    chosen = searched(select).best_params_["max_depth"]
    as_good = [each["params"]["max_depth"] for each in select.candidates_ if not each["told_apart"]]
    assert chosen == min(as_good, key=lambda depth: np.inf if depth is None else depth)
    assert sum(each["chosen"] for each in select.candidates_) == 1
    assert all(each["told_apart"] == (each["behind"] > each["resolution"]) for each in select.candidates_)


def test_a_candidate_that_is_clearly_worse_is_not_taken_however_simple():
    X, y = make_classification(2000, n_informative=6, n_redundant=0, class_sep=0.8, random_state=3)
    grid = {"max_depth": [1, 6]}
    search = GridSearchCV(TREE, grid, scoring=scorer("auroc"), cv=10, refit=SelectByResolution("max_depth")).fit(X, y)
    assert search.best_params_["max_depth"] == 6


def test_candidates_that_differ_by_chance_are_seldom_told_apart():
    """The plain t-test on overlapping training sets calls far more than 5% of such differences real."""
    rng, told = np.random.default_rng(0), 0
    for _ in range(200):
        # Ten folds of which training sets overlap: each pair of folds shares a correlation of 1/10 in its differences.
        common, own = rng.normal(), rng.normal(size=10)
        gap = np.sqrt(0.1) * common + np.sqrt(0.9) * own
        results = {f"split{k}_test_score": np.array([0.0, gap[k]]) for k in range(10)}
        select = SelectByResolution("depth")
        select({"params": [{"depth": 1}, {"depth": 2}], **results})
        told += any(each["told_apart"] for each in select.candidates_)
    assert told <= 0.1 * 200


def test_larger_is_simpler_and_functions_of_parameters():
    grid = {"C": [0.001, 0.01, 0.1, 1.0, 10.0]}
    plain = GridSearchCV(LogisticRegression(), grid, scoring=scorer("auroc"), refit=SelectByResolution("C")).fit(X, Y)
    turned = SelectByResolution(lambda params: -params["C"])
    other = GridSearchCV(LogisticRegression(), grid, scoring=scorer("auroc"), refit=turned).fit(X, Y)
    minus = SelectByResolution("-C")
    again = GridSearchCV(LogisticRegression(), grid, scoring=scorer("auroc"), refit=minus).fit(X, Y)
    assert other.best_params_ == again.best_params_
    assert plain.best_params_["C"] <= other.best_params_["C"]


def test_repeats_and_several_metrics():
    scoring = {"auc": scorer("auroc"), "brier": scorer("brier")}
    select = SelectByResolution("max_depth", metric="brier", folds=5)
    searched(select, scoring=scoring, cv=_repeated())
    once = SelectByResolution("max_depth", metric="brier")
    searched(once, scoring=scoring, cv=_repeated())
    ratio = select.candidates_[-1]["resolution"] / once.candidates_[-1]["resolution"]
    assert ratio == pytest.approx(np.sqrt((1 / 10 + 1 / 4) / (1 / 10 + 1 / 9)))


def _repeated():
    from sklearn.model_selection import RepeatedStratifiedKFold

    return RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)


@pytest.mark.parametrize(
    ("select", "results", "told"),
    [
        (SelectByResolution("deep"), {}, "depth"),
        (SelectByResolution("depth", metric="auc"), {}, "score"),
        (SelectByResolution("depth", folds=3), {}, "whole number of repeats"),
        (SelectByResolution("depth"), {"split1_test_score": np.full(2, np.nan)}, "in every fold"),
        (SelectByResolution("depth"), {"params": [{"depth": "a"}, {"depth": "b"}]}, "not a number"),
    ],
)
def test_what_makes_no_sense_is_refused(select, results, told):
    usual = {"params": [{"depth": 1}, {"depth": 2}], "split0_test_score": np.zeros(2), "split1_test_score": np.ones(2)}
    with pytest.raises((ArgumentError, InputError), match=told):
        select(usual | results)

"""scikit-learn's own checks of the ThresholdClassifier, and what it promises beyond them."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from scipy import stats
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from unconfuse.integrations.booster import IndistinguishabilityBooster, compare_booster
from unconfuse.integrations.threshold_classifier import ThresholdClassifier

X, Y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=0)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        ThresholdClassifier(),
        ThresholdClassifier(DecisionTreeClassifier(max_depth=3, random_state=0), rule="max_f1"),
        ThresholdClassifier(LogisticRegression(), rule="max_mcc", holdout=0.4),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("rule", ["youden", "max_f1", "cost", "indistinguishability", "recall_at_precision(0.9)"])
def test_predicts_by_its_threshold(rule):
    model = ThresholdClassifier(LogisticRegression(), rule=rule, costs=(1, 5)).fit(X, Y)
    scores = model.estimator_.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.predict(X), model.classes_[(scores >= model.threshold_).astype(int)])
    assert model.operating_point_.rule == rule


def test_prefit_keeps_the_estimator_and_pickles():
    fitted = LogisticRegression().fit(X, Y)
    model = ThresholdClassifier(fitted, holdout="prefit").fit(X, Y)
    assert model.estimator_ is fitted
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_the_threshold_is_chosen_on_scores_of_models_that_did_not_see_the_case():
    grown = DecisionTreeClassifier(random_state=0)  # remembers its data: its own scores would be all 0 and 1
    model = ThresholdClassifier(grown, rule="youden").fit(X, Y)
    assert model.operating_point_.apparent["youden_j"].value < 0.9


def test_the_booster_ranks_only_what_lies_above_r_b_anew():
    booster = IndistinguishabilityBooster(LogisticRegression()).fit(X, Y)
    plain, boosted = booster.models_[0].predict_proba(X)[:, 1], booster.predict_proba(X)[:, 1]
    below = plain < booster.thresholds_[0]
    assert boosted[below].max() < boosted[~below].min()
    assert np.array_equal(np.argsort(plain[below]), np.argsort(boosted[below]))


def test_the_booster_is_measured_on_cases_that_took_no_part():
    """The same by hand: models fitted on two folds rank the third, and scikit-learn judges each deal."""
    models = LogisticRegression(), IndistinguishabilityBooster(LogisticRegression())
    areas = np.array([[_out_of_fold_auroc(model, deal) for deal in range(4)] for model in models])
    gains = areas[1] - areas[0]
    found = compare_booster(LogisticRegression(), X, Y, repeats=4, folds=3)
    assert (found.plain["auroc"], found.boosted["auroc"]) == pytest.approx(areas.mean(axis=1), abs=1e-12)
    low, high = stats.t(3, loc=gains.mean(), scale=stats.sem(gains)).interval(0.95)
    difference = found.difference["auroc"]
    assert (difference.value, difference.low, difference.high) == pytest.approx((gains.mean(), low, high), abs=1e-12)


def _out_of_fold_auroc(model, deal):
    scores = np.empty(len(Y))
    for inside, outside in StratifiedKFold(3, shuffle=True, random_state=deal).split(X, Y):
        fresh = clone(model)
        if isinstance(fresh, IndistinguishabilityBooster):
            fresh.set_params(random_state=deal)
        scores[outside] = fresh.fit(X[inside], Y[inside]).predict_proba(X[outside])[:, 1]
    return roc_auc_score(Y, scores)

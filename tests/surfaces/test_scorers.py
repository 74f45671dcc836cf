"""Any metric as a scikit-learn scorer: scikit-learn's values, in its own tools."""

import time

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn import metrics as sk
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.sklearn import scorer

X, Y = make_classification(400, weights=[0.7], flip_y=0.1, random_state=1)
MODEL = LogisticRegression().fit(X, Y)
PAIRS = {
    "auroc": "roc_auc",
    "average_precision": "average_precision",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "f1": "f1",
    "recall": "recall",
    "ppv": "precision",
    "mcc": "matthews_corrcoef",
    "brier": "neg_brier_score",
    "log_loss": "neg_log_loss",
    "jaccard": "jaccard",
}


@pytest.mark.parametrize(("ours", "theirs"), PAIRS.items())
def test_values_are_those_of_scikit_learn(ours, theirs):
    wanted = sk.get_scorer(theirs)(MODEL, X, Y)
    assert scorer(ours)(MODEL, X, Y) == pytest.approx(wanted, abs=1e-12)
    weights = 1.0 + np.arange(len(Y)) % 3
    wanted = sk.get_scorer(theirs)(MODEL, X, Y, sample_weight=weights)
    assert scorer(ours)(MODEL, X, Y, sample_weight=weights) == pytest.approx(wanted, abs=1e-12)


FLOWERS, KINDS = make_classification(300, n_classes=3, n_informative=4, random_state=2)
OF_CLASSES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "f1_macro": "f1_macro",
    "f1_weighted": "f1_weighted",
    "sensitivity_macro": "recall_macro",
    "mcc": "matthews_corrcoef",
    "log_loss": "neg_log_loss",
    "auroc_ovr_macro": "roc_auc_ovr",
    "auroc_hand_till": "roc_auc_ovo",
}


@pytest.mark.parametrize(("ours", "theirs"), OF_CLASSES.items())
@pytest.mark.parametrize("labels", [np.array(["b", "a", "c"]), np.array([2, 7, 5])])
def test_values_of_several_classes_are_those_of_scikit_learn(ours, theirs, labels):
    truth = labels[KINDS]
    model = LogisticRegression().fit(FLOWERS, truth)
    for rows in (slice(None), slice(0, 40)):
        wanted = sk.get_scorer(theirs)(model, FLOWERS[rows], truth[rows])
        assert scorer(ours)(model, FLOWERS[rows], truth[rows]) == pytest.approx(wanted, abs=1e-12)
    if theirs != "roc_auc_ovo":  # scikit-learn has no weights there
        weights = 1.0 + np.arange(len(truth)) % 3
        wanted = sk.get_scorer(theirs)(model, FLOWERS, truth, sample_weight=weights)
        assert scorer(ours)(model, FLOWERS, truth, sample_weight=weights) == pytest.approx(wanted, abs=1e-12)


def test_every_metric_of_several_classes_scores():
    model = LogisticRegression().fit(FLOWERS, KINDS)
    for name, metric in uc.MULTICLASS_METRICS.items():
        if not metric.requires.ordinal:
            assert np.isfinite(scorer(name)(model, FLOWERS, KINDS)), name
    found = cross_val_score(LinearSVC(), FLOWERS, KINDS, scoring=scorer("auroc_ovr_weighted"), error_score="raise")
    assert (found > 0.5).all()


@pytest.mark.parametrize("kind", [int, bool, float, str])
def test_metrics_of_several_classes_score_an_estimator_of_two(kind):
    labels = np.where(Y.max() == Y, 1, 0).astype(kind)
    model = LogisticRegression().fit(X, labels)
    for name, metric in uc.MULTICLASS_METRICS.items():
        if not metric.requires.ordinal:
            assert np.isfinite(scorer(name)(model, X, labels)), name


def test_what_several_classes_do_not_have_is_refused():
    model = LogisticRegression().fit(FLOWERS, KINDS)
    with pytest.raises(ArgumentError, match="auroc is a metric of two classes: ask for auroc_macro"):
        scorer("auroc")(model, FLOWERS, KINDS)
    for words in ({"positive": 1}, {"threshold": 0.5}):
        with pytest.raises(ArgumentError, match="is for two classes"):
            scorer("mcc", **words)(model, FLOWERS, KINDS)


def test_every_metric_of_two_classes_scores():
    for name, metric in uc.METRICS.items():
        value = scorer(name)(MODEL, X, Y)
        assert np.isfinite(value) or metric.better == "neither" or name in ("diagnostic_odds_ratio",), name


def test_within_scikit_learn():
    found = cross_validate(LogisticRegression(), X, Y, scoring={"auc": scorer("auc"), "brier": scorer("brier")}, cv=3)
    np.testing.assert_allclose(found["test_auc"], cross_val_score(LogisticRegression(), X, Y, scoring="roc_auc", cv=3))
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=scorer("auprc_davis_goadrich"), cv=3).fit(
        X, Y
    )
    assert 0 < search.best_score_ <= 1


def test_labels_of_any_kind_and_either_class():
    y = np.where(Y == 1, "ill", "well")
    model = LogisticRegression().fit(X, y)
    second, first = scorer("recall")(model, X, y), scorer("recall", positive="ill")(model, X, y)
    decided = model.predict(X)
    assert (second, first) == (np.mean(decided[y == "well"] == "well"), np.mean(decided[y == "ill"] == "ill"))
    assert scorer("auroc")(model, X, y) == pytest.approx(scorer("auroc", positive="ill")(model, X, y), abs=1e-12)


def test_a_threshold_of_ones_own():
    p = MODEL.predict_proba(X)[:, 1]
    assert scorer("recall", threshold=0.2)(MODEL, X, Y) == np.mean(p[Y == 1] >= 0.2)


def test_estimators_without_probabilities():
    machine = LinearSVC().fit(X, Y)
    assert scorer("auroc")(machine, X, Y) == pytest.approx(sk.roc_auc_score(Y, machine.decision_function(X)), abs=1e-12)
    with pytest.raises(ArgumentError, match="predict_proba"):
        scorer("brier")(machine, X, Y)
    assert scorer("auroc")(GaussianNB().fit(X, Y), X, Y) > 0.5


def test_what_makes_no_sense_is_refused():
    with pytest.raises(uc.UnconfuseError):
        scorer("nonsense")
    with pytest.raises(ArgumentError, match="two classes"):
        scorer("auroc")(LogisticRegression().fit(X, np.arange(400) % 3), X, np.arange(400) % 3)
    with pytest.raises(ArgumentError, match="names no classes"):
        scorer("accuracy")(Ridge().fit(X, Y), X, Y)


def test_weights_are_routed():
    sklearn = pytest.importorskip("sklearn", minversion="1.5")
    weights = 1.0 + np.arange(len(Y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        asked = scorer("auroc").set_score_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        found = cross_validate(model, X, Y, scoring=asked, cv=3, params={"sample_weight": weights})
        theirs = sk.get_scorer("roc_auc").set_score_request(sample_weight=True)
        wanted = cross_validate(model, X, Y, scoring=theirs, cv=3, params={"sample_weight": weights})
    np.testing.assert_allclose(found["test_score"], wanted["test_score"], atol=1e-12)


def test_it_takes_at_most_twice_as_long():
    """CPU time of 200 calls, the better of three runs each; a loaded machine slows both alike."""

    def seconds(each):
        best = np.inf
        for _ in range(3):
            start = time.process_time()
            for _ in range(200):
                each(MODEL, X, Y)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(scorer("auroc")) <= 2 * seconds(sk.get_scorer("roc_auc"))

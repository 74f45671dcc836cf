"""Displays: the lines are those of scikit-learn's own, from estimators, predictions and folds."""

import matplotlib
import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
matplotlib.use("agg")

from sklearn import metrics as sk
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.svm import LinearSVC

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.plots import PICTURES
from unconfuse.sklearn import BCurveDisplay, CurveDisplay, PrecisionRecallDisplay, ReliabilityDisplay, RocDisplay

X, Y = make_classification(300, weights=[0.7], flip_y=0.1, random_state=1)
MODEL = LogisticRegression().fit(X, Y)
P = MODEL.predict_proba(X)[:, 1]
WEIGHTS = 1.0 + np.arange(len(Y)) % 3


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_curve_is_that_of_the_estimator_and_of_its_predictions(weights):
    one = RocDisplay.from_estimator(MODEL, X, Y, sample_weight=weights, hull=False)
    other = RocDisplay.from_predictions(Y, P, sample_weight=weights, hull=False)
    fpr, tpr, _ = sk.roc_curve(Y, P, sample_weight=weights, drop_intermediate=False)
    for display in (one, other):
        np.testing.assert_allclose(uc.curve("roc", display.tables)["fpr"], fpr, atol=1e-12)
        np.testing.assert_allclose(uc.curve("roc", display.tables)["tpr"], tpr, atol=1e-12)
        drawn = max(display.ax_.get_lines(), key=lambda line: len(line.get_xdata()))
        assert np.isin(np.round(drawn.get_xdata(), 9), np.round(fpr, 9)).all()
    assert one.figure_ is one.ax_.figure and one.plot().ax_ is not other.ax_


def test_every_picture_has_a_display():
    for name in PICTURES:
        assert CurveDisplay.from_estimator(MODEL, X, Y, curve=name).ax_.has_data(), name


def test_folds_are_judged_on_what_they_did_not_see():
    found = cross_validate(LogisticRegression(), X, Y, cv=4, return_estimator=True, return_indices=True)
    display = PrecisionRecallDisplay.from_cv_results(found, X, Y, sample_weight=WEIGHTS)
    assert list(display.tables) == ["fold 1", "fold 2", "fold 3", "fold 4"]
    for table, model, rows in zip(display.tables.values(), found["estimator"], found["indices"]["test"], strict=True):
        wanted = sk.average_precision_score(Y[rows], model.predict_proba(X[rows])[:, 1], sample_weight=WEIGHTS[rows])
        assert uc.METRICS["average_precision"](table) == pytest.approx(wanted, abs=1e-12)
    assert len(display.ax_.get_legend().get_texts()) == 4


@pytest.mark.parametrize("display", [ReliabilityDisplay, BCurveDisplay])
def test_pictures_of_one_table_pool_the_folds(display):
    found = cross_validate(LogisticRegression(), X, Y, cv=4, return_estimator=True, return_indices=True)
    assert display.from_cv_results(found, X, Y).tables.n == len(Y)


def test_the_other_class_and_frames():
    pandas = pytest.importorskip("pandas")
    frame, labels = pandas.DataFrame(X), pandas.Series(np.where(Y == 1, "ill", "well"))
    model = LogisticRegression().fit(frame, labels)
    found = cross_validate(model, frame, labels, cv=3, return_estimator=True, return_indices=True)
    for positive in ("ill", "well"):
        table = RocDisplay.from_estimator(model, frame, labels, positive=positive).tables
        assert table.n_positives == (labels == positive).sum()
        folds = RocDisplay.from_cv_results(found, frame, labels, positive=positive).tables
        assert sum(each.n_positives for each in folds.values()) == (labels == positive).sum()


def test_what_makes_no_sense_is_refused():
    machine = LinearSVC().fit(X, Y)
    assert RocDisplay.from_estimator(machine, X, Y).ax_.has_data()
    with pytest.raises(ArgumentError, match="predict_proba"):
        ReliabilityDisplay.from_estimator(machine, X, Y)
    with pytest.raises(ArgumentError, match="return_estimator"):
        RocDisplay.from_cv_results(cross_validate(LogisticRegression(), X, Y), X, Y)
    with pytest.raises(ArgumentError, match="CurveDisplay"):
        RocDisplay.from_predictions(Y, P, curve="gain")
    with pytest.raises(ArgumentError, match="no picture"):
        CurveDisplay.from_predictions(Y, P, curve="rocc")
    with pytest.raises(ArgumentError, match="classes"):
        RocDisplay.from_estimator(MODEL, X, Y, positive="x")
    with pytest.raises(ArgumentError, match="two classes"):
        three = LogisticRegression().fit(X, np.arange(300) % 3)
        RocDisplay.from_estimator(three, X, np.arange(300) % 3)

"""What an estimator, a splitter or a search answers is checked, and refused in words where it is odd."""

from decimal import Decimal

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.integrations import cross_validation
from unconfuse.integrations._splitting import distinct_cases
from unconfuse.sklearn import CurveDisplay, SelectByResolution, ThresholdClassifier, scorer

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
X = np.column_stack([Y + RNG.normal(size=40), RNG.normal(size=40)])


class Says(ClassifierMixin, BaseEstimator):
    """States the first feature as a share, and then makes something else of it."""

    def __init__(self, change=None, backwards=False):
        self.change, self.backwards = change, backwards

    def fit(self, X, y):
        self.classes_ = np.unique(y)[::-1] if self.backwards else np.unique(y)

    def predict_proba(self, X):
        share = 1 / (1 + np.exp(-np.asarray(X)[:, 0]))
        both = np.column_stack([share, 1 - share] if self.backwards else [1 - share, share])
        return both if self.change is None else self.change(both)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


ODD = {
    "short": lambda both: both[:-1],
    "narrow": lambda both: both[:, :1],
    "wide": lambda both: np.column_stack([both, both]),
    "deep": lambda both: both[..., None],
    "words": lambda both: both.astype(str),
    "complex": lambda both: both * 1j,
    "nothing": lambda both: None,
    "missing": lambda both: both * np.nan,
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_answers_are_refused(odd):
    model = Says(ODD[odd])
    model.fit(X, Y)
    with pytest.raises(uc.UnconfuseError):
        uc.cross_evaluate(model, X, Y, metrics=["auroc"])
    with pytest.raises(uc.UnconfuseError):
        scorer("auroc")(model, X, Y)
    with pytest.raises(uc.UnconfuseError):
        ThresholdClassifier(model, holdout="prefit").fit(X, Y)
    with pytest.raises(uc.UnconfuseError):
        CurveDisplay.from_estimator(model, X, Y, curve="roc")


def test_classes_in_another_order_are_found_by_name():
    plain, backwards = Says(), Says(backwards=True)
    for model in (plain, backwards):
        model.fit(X, Y)
    for holdout in ("prefit", 2, 0.5):
        one, other = (ThresholdClassifier(each, holdout=holdout).fit(X, Y) for each in (plain, backwards))
        assert one.threshold_ == other.threshold_ and (one.predict(X) == other.predict(X)).all()
    first, second = (uc.cross_evaluate(each, X, Y, metrics=["auroc"])["auroc"].value for each in (plain, backwards))
    assert first == second
    three, labels = np.column_stack([X, X[:, 0] ** 2]), np.arange(40) % 3
    assert scorer("auroc", positive=1)(backwards, X, Y) == scorer("auroc")(plain, X, Y)
    with pytest.raises(InputError, match="3 columns"):
        uc.cross_evaluate(Says(), three, labels)


def test_labels_that_an_estimator_does_not_know_are_refused():
    model = GaussianNB().fit(X, Y)
    with pytest.raises(InputError, match="none of the estimator's classes"):
        scorer("auroc")(model, X, Y + 1)
    with pytest.raises(InputError, match="one label for each row"):
        scorer("accuracy")(model, X, np.column_stack([Y, Y]))
    with pytest.raises(InputError, match="labels of one kind"):
        uc.cross_evaluate(GaussianNB(), X, np.array([*Y[:-1], "x"], dtype=object))


@pytest.mark.parametrize("given", [[1, 2], ["x"] * 40, [-1.0] * 40, [np.nan] * 40])
def test_weights_of_a_scorer_are_checked(given):
    with pytest.raises(uc.UnconfuseError, match="sample_weight"):
        scorer("auroc")(GaussianNB().fit(X, Y), X, Y, sample_weight=given)


def test_what_is_no_estimator_or_names_no_metric_is_refused():
    with pytest.raises(ArgumentError, match="such as LogisticRegression"):
        uc.cross_evaluate(GaussianNB, X, Y)
    with pytest.raises(ArgumentError, match="such as LogisticRegression"):
        scorer("auroc")(GaussianNB, X, Y)
    for words in ({"metric": 7}, {"metric": "auroc", "threshold": "x"}, {"metric": "auroc", "positive": [1, 2]}):
        with pytest.raises(ArgumentError):
            scorer(**words)


ROWS = np.arange(40)
SPLITS = {
    "none": [],
    "one list": [(ROWS,)],
    "words": [("a", "b")],
    "beyond": [(ROWS, ROWS + 1)],
    "backwards": [(ROWS, -1 - ROWS)],
    "halves": [(ROWS, ROWS / 2)],
    "empty": [(ROWS, ROWS), (ROWS, ROWS[:0])],
    "deep": [(ROWS[None], ROWS[None])],
}


@pytest.mark.parametrize("splits", SPLITS)
def test_odd_splits_are_refused(splits):
    with pytest.raises(ArgumentError, match="`cv`"):
        uc.cross_evaluate(GaussianNB(), X, Y, cv=SPLITS[splits])


def test_splits_may_be_flags():
    flags = [(ROWS >= 20, ROWS < 20), (ROWS < 20, ROWS >= 20)]
    places = [(ROWS[20:], ROWS[:20]), (ROWS[:20], ROWS[20:])]
    found = [uc.cross_evaluate(GaussianNB(), X, Y, cv=cv, metrics=["auroc"])["auroc"].value for cv in (flags, places)]
    assert found[0] == found[1]


def test_a_nested_seed_may_be_as_large_as_any():
    found = uc.cross_evaluate(GaussianNB(), X, Y, cv=3, nested=1, rng=2**63, metrics=["accuracy"])
    assert found["accuracy"].low < found["accuracy"].high


@pytest.mark.parametrize("holdout", [1, 0.0, 1.0, 5.0, np.nan, "x", None, np.arange(3)])
def test_what_is_held_out_is_checked(holdout):
    with pytest.raises(ArgumentError, match="`holdout` must be"):
        ThresholdClassifier(GaussianNB(), holdout=holdout).fit(X, Y)


def test_scores_near_the_largest_number_are_decided():
    model = ThresholdClassifier(Says(lambda both: np.where(both > 0.5, 1e308, -1e308)), holdout=2).fit(X, Y)
    assert set(model.predict(X)) == {0, 1}
    with pytest.raises(InputError, match="too large to be drawn"):
        CurveDisplay.from_predictions(Y, np.where(Y, 1e308, -1e308), curve="score_histogram")


GOOD = {"params": [{"depth": 1}, {"depth": 2}], "split0_test_score": [0.5, 0.6], "split1_test_score": [0.7, 0.65]}


@pytest.mark.parametrize(
    "change",
    [
        {"params": None},
        {"params": [1, 2]},
        {"params": [{"depth": 1}]},
        {"split0_test_score": [0.5]},
        {"split0_test_score": ["x", "y"]},
        {"split1_test_score": 0.5},
    ],
)
def test_odd_results_of_a_search_are_refused(change):
    assert SelectByResolution("depth")(GOOD) == 0
    with pytest.raises(uc.UnconfuseError):
        SelectByResolution("depth")(GOOD | change)
    with pytest.raises(uc.UnconfuseError):
        SelectByResolution(lambda params: None)(GOOD)
    with pytest.raises(ArgumentError, match="is a dict"):
        SelectByResolution("depth")(7)


@pytest.mark.parametrize("kind", ["complex128", "datetime64[D]", "timedelta64[D]", "U4"])
def test_a_matrix_of_what_is_no_number_is_refused(kind):
    with pytest.raises(InputError, match="matrix of numbers"):
        uc.evaluate(Y, np.ones((40, 2), dtype=int).astype(kind))


def test_a_complexity_that_cannot_be_asked_is_refused_with_its_candidate():
    results = {"params": [{"depth": 1}, {"depth": 2}]} | {f"split{k}_test_score": [0.5, 0.6] for k in range(2)}
    with pytest.raises(uc.UnconfuseError, match="`complexity` fails for the candidate"):
        SelectByResolution(lambda params: params["width"])(results)


def test_features_that_are_no_table_are_refused():
    with pytest.raises(uc.UnconfuseError, match="table of features"):
        distinct_cases({"a": 1, "b": 2}, [0, 1])


def test_several_labels_in_place_of_the_positive_one_are_refused():
    with pytest.raises(uc.UnconfuseError, match="one label"):
        uc.evaluate(np.array([True, False]), [0.7, 0.2], positive=np.array([True, False]))
    assert uc.evaluate(np.array([True, False]), [0.7, 0.2], positive=1, n_resamples=100)["auroc"].value == 1


@pytest.mark.parametrize("labels", [[Decimal("0.1"), Decimal("0.2")], [(0, 0.1), (0, 0.2)], [(0,), (1,)]])
@pytest.mark.parametrize("positive", [np.int64(0), np.float64(0.0), np.bool_(False)])
def test_numpys_numbers_are_compared_with_any_label(labels, positive):
    column = np.empty(40, dtype=object)
    column[:] = labels * 20
    with pytest.raises(InputError, match="no row has the positive label"):
        uc.evaluate(column, X[:, 0], positive=positive)


def test_nesting_widens_only_where_some_fold_says_by_how_much():
    found = uc.cross_evaluate(Says(), X, Y, cv=4, metrics=["auroc"], n_resamples=100)
    area, widened = found["auroc"], cross_validation._wider
    assert widened(area, 4, [np.nan, 0.1], [0.01, np.nan], found) is area
    assert "nested" in widened(area, 4, [np.nan, 0.1], [0.01, 0.02], found).method

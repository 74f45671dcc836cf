"""scikit-learn's own checks of the ThresholdClassifier, and what it promises beyond them."""

import pickle

import numpy as np
import pytest

import unconfuse as uc

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from scipy import stats
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from unconfuse.integrations.booster import IndistinguishabilityBooster, compare_booster
from unconfuse.sklearn import ThresholdClassifier

X, Y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=0)


THEIRS = parametrize_with_checks(
    [
        ThresholdClassifier(),
        ThresholdClassifier(DecisionTreeClassifier(max_depth=3, random_state=0), rule="max_f1"),
        ThresholdClassifier(LogisticRegression(), rule="max_mcc", holdout=0.4),
    ]
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(THEIRS.args[0], list(THEIRS.args[1]), **THEIRS.kwargs)
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


WEIGHTS = np.random.default_rng(5).integers(0, 4, len(Y)).astype(float)
EXACT = LogisticRegression(tol=1e-10, max_iter=5000)
HOLDOUTS = [5, 3, 0.3, 0.5]


@pytest.mark.parametrize("holdout", [*HOLDOUTS, "prefit"])
@pytest.mark.parametrize("rule", ["youden", "max_f1", "indistinguishability"])
def test_weighted_is_repeated(holdout, rule):
    """Whatever the order of the rows: copies of a case are held out together."""
    many = np.repeat(np.arange(len(Y)), WEIGHTS.astype(int))
    mixed = np.random.default_rng(0).permutation(many)
    estimator = clone(EXACT).fit(X, Y) if holdout == "prefit" else EXACT
    settings = {"rule": rule, "holdout": holdout, "random_state": 3}
    weighted = ThresholdClassifier(estimator, **settings).fit(X, Y, sample_weight=WEIGHTS)
    repeated = ThresholdClassifier(estimator, **settings).fit(X[mixed], Y[mixed])
    assert weighted.threshold_ == pytest.approx(repeated.threshold_, rel=1e-5)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


class Recording(LogisticRegression):
    """Remembers the weights of every fit, of all copies."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.seen.append(sample_weight)
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("holdout", "fits"), [(5, 6), (0.3, 1)])
def test_every_fit_gets_the_weights_of_its_rows(holdout, fits):
    Recording.seen.clear()
    weights = 1.0 + np.arange(len(Y))  # each weight names its row
    ThresholdClassifier(Recording(), holdout=holdout).fit(X, Y, sample_weight=weights)
    assert len(Recording.seen) == fits
    out = [set(weights) - set(each) for each in Recording.seen]
    if holdout == 5:
        assert not out[0] and set.union(*out[1:]) == set(weights) and sum(map(len, out[1:])) == len(weights)
    else:
        assert 0.25 < len(out[0]) / len(weights) < 0.35


def test_equal_rows_are_held_out_together_whatever_they_are():
    from scipy import sparse

    from unconfuse.integrations._splitting import assign_folds, distinct_cases, kept

    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (60, 2)).astype(float)
    labels = rng.integers(0, 2, 60)
    pandas = pytest.importorskip("pandas")
    words = np.array(["a", "b", "c"])[rows.astype(int)]
    forms = (rows, rows.astype(np.int8), sparse.csr_matrix(rows), pandas.DataFrame(words), words, words.astype(object))
    same = (rows[:, None] == rows[None]).all(axis=2) & (labels[:, None] == labels[None])
    for each in forms:
        cases = distinct_cases(each, labels)
        np.testing.assert_array_equal(cases[:, None] == cases[None], same)
        fold, out = assign_folds(cases, labels, 3, 0), kept(cases, labels, 0.3, 0)
        assert (fold[:, None] == fold[None])[same].all() and (out[:, None] == out[None])[same].all()
        assert set(fold[labels == 1]) == set(fold[labels == 0]) == {0, 1, 2}


def test_weights_are_routed():
    with config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        model = ThresholdClassifier(inner).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        routed = model.fit(X, Y, sample_weight=WEIGHTS)
        scores = cross_validate(model, X, Y, params={"sample_weight": WEIGHTS}, cv=3)["test_score"]
        search = GridSearchCV(model, {"rule": ["youden", "max_f1"]}, cv=3).fit(X, Y, sample_weight=WEIGHTS)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), clone(model))
        pipeline.fit(X, Y, sample_weight=WEIGHTS)
        by_default = ThresholdClassifier().fit(X, Y, sample_weight=WEIGHTS)
        with pytest.raises(ValueError, match="sample_weight"):
            ThresholdClassifier(LogisticRegression()).fit(X, Y, sample_weight=WEIGHTS)
    plain = ThresholdClassifier(LogisticRegression()).fit(X, Y, sample_weight=WEIGHTS)
    assert routed.threshold_ == plain.threshold_
    assert len(scores) == 3 and search.best_params_["rule"] in ("youden", "max_f1")
    assert by_default.threshold_ == ThresholdClassifier().fit(X, Y, sample_weight=WEIGHTS).threshold_


def test_other_arguments_of_fits_are_cut_to_their_rows():
    class Costly(LogisticRegression):
        def fit(self, X, y, sample_weight=None, cost=None):
            assert cost is None or len(cost) == len(y)
            return super().fit(X, y, sample_weight if cost is None else cost)

    cost = 1.0 + (np.arange(len(Y)) % 3)
    found = ThresholdClassifier(Costly()).fit(X, Y, cost=cost)
    assert found.threshold_ != ThresholdClassifier(Costly()).fit(X, Y).threshold_


def test_an_estimator_that_takes_no_weights_is_named():
    with pytest.warns(uc.UnconfuseWarning, match="KNeighborsClassifier takes no sample weights"):
        ThresholdClassifier(KNeighborsClassifier()).fit(X, Y, sample_weight=WEIGHTS)


def test_odd_data():
    few = np.r_[np.flatnonzero(Y == 0)[:30], np.flatnonzero(Y == 1)[:1]]
    with pytest.warns(uc.UnconfuseWarning, match="one case only"):
        assert set(ThresholdClassifier().fit(X[few], Y[few]).predict(X)) <= {0, 1}
    with pytest.raises(ValueError, match="weights"):
        ThresholdClassifier().fit(X, Y, sample_weight=np.zeros(len(Y)))
    with pytest.raises(ValueError, match="only one class"):
        ThresholdClassifier().fit(X, Y, sample_weight=(Y == 1).astype(float))
    with pytest.raises(ValueError):
        ThresholdClassifier().fit(X, Y, sample_weight=-np.ones(len(Y)))
    with pytest.raises(ValueError):
        ThresholdClassifier().fit(X, Y, sample_weight=np.ones(3))
    assert cross_val_score(ThresholdClassifier(), X, np.where(Y == 1, "yes", "no"), cv=3).mean() > 0.5


def test_the_booster_ranks_only_what_lies_above_r_b_anew():
    booster = IndistinguishabilityBooster(LogisticRegression()).fit(X, Y)
    plain, boosted = booster.models_[0].predict_proba(X)[:, 1], booster.predict_proba(X)[:, 1]
    below = plain < booster.thresholds_[0]
    assert boosted[below].max() < boosted[~below].min()
    assert np.array_equal(np.argsort(plain[below]), np.argsort(boosted[below]))


def test_the_boosters_weights_are_rows_repeated():
    weights = np.arange(len(Y)) % 3
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(Y)), weights))
    model = LogisticRegression(tol=1e-10, max_iter=1000)
    weighted = IndistinguishabilityBooster(model).fit(X, Y, sample_weight=weights)
    repeated = IndistinguishabilityBooster(model).fit(X[rows], Y[rows])
    assert len(weighted.models_) == len(repeated.models_) == 2
    assert weighted.thresholds_ == pytest.approx(repeated.thresholds_, abs=1e-6)
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X), abs=1e-6)
    plain = IndistinguishabilityBooster(model).fit(X, Y)
    assert np.abs(plain.predict_proba(X) - weighted.predict_proba(X)).max() > 1e-3
    with pytest.raises(ValueError, match="below 0"):
        IndistinguishabilityBooster(model).fit(X, Y, sample_weight=weights - 1.0)


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

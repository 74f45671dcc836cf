"""Experimental: fit again on the cases above r_b, as the conclusion of the indistinguishability paper proposes.

What we found is in the documentation: on most data it does not help. It is here so that anybody can see that for
themselves, measured on cases that took no part.
"""
# mypy: disable-error-code="import-untyped, misc"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from unconfuse._errors import InputError
from unconfuse.indistinguish import find_crossing
from unconfuse.integrations._splitting import assign_folds, distinct_cases
from unconfuse.metrics import METRICS
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.estimate import Estimate

MEASURED = ("auroc", "average_precision", "precision_at_indistinguishability")


class IndistinguishabilityBooster(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A second model for the cases that a first one cannot tell from real positives.

    The first model is fitted on everything. Its out-of-fold scores give r_b; the second model is fitted on the cases
    above r_b alone, and ranks them anew. Cases below r_b keep their rank, under all of those.

    Parameters
    ----------
    estimator : classifier with `predict_proba`
    rounds : int
        How many times to go on with the cases above r_b of the model before.
    folds : int
        For the out-of-fold scores.
    random_state : int
        Of the folds.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(400, random_state=0)
    >>> model = IndistinguishabilityBooster(LogisticRegression()).fit(X, y)
    >>> model.predict_proba(X).shape, len(model.models_)
    ((400, 2), 2)
    """

    def __init__(self, estimator: Any, *, rounds: int = 1, folds: int = 5, random_state: int = 0) -> None:
        self.estimator = estimator
        self.rounds = rounds
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> IndistinguishabilityBooster:
        """Fit the first model, then one more for each round; `sample_weight` counts cases."""
        X, y, weights = _counted(np.asarray(X), np.asarray(y), sample_weight)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise InputError(f"the booster needs two classes; got {len(self.classes_)}.")
        inside, self.thresholds_ = np.arange(len(y)), list[float]()
        self.models_ = [self._fitted(X, y, weights, inside)]
        for _ in range(self.rounds):
            scores = self._out_of_fold(X, y, weights, inside)
            threshold = _r_b(y[inside] == self.classes_[1], scores, None if weights is None else weights[inside])
            above = inside[scores >= threshold] if threshold is not None else inside[:0]
            if threshold is None or self._fewest(X[above], y[above]) < self.folds:
                break
            self.thresholds_.append(threshold)
            self.models_.append(self._fitted(X, y, weights, above))
            inside = above
        return self

    def predict_proba(self, X: Any) -> Any:
        """Scores in [0, 1] that rank cases above r_b by the later model; they are no calibrated probabilities."""
        check_is_fitted(self)
        X = np.asarray(X)
        score = self.models_[0].predict_proba(X)[:, 1]
        rank, inside = score.copy(), np.arange(len(X))
        for depth, (model, threshold) in enumerate(zip(self.models_[1:], self.thresholds_, strict=True), start=1):
            inside = inside[score[inside] >= threshold]
            if not len(inside):
                break
            score[inside] = model.predict_proba(X[inside])[:, 1]
            rank[inside] = depth + score[inside]
        positive = rank / len(self.models_)
        return np.column_stack([1 - positive, positive])

    def predict(self, X: Any) -> Any:
        """Positive where the case is above the last r_b."""
        inside = self.predict_proba(X)[:, 1] >= (len(self.models_) - 1) / len(self.models_)
        return self.classes_[inside.astype(int)]

    def _fitted(self, X: Any, y: Any, weights: Any, rows: Any) -> Any:
        given = {} if weights is None else {"sample_weight": weights[rows]}
        return clone(self.estimator).fit(X[rows], y[rows], **given)

    def _out_of_fold(self, X: Any, y: Any, weights: Any, rows: Any) -> Array:
        """Scores of rows by models that did not see them; equal rows are held out together, as one that weighs more."""
        fold = assign_folds(distinct_cases(X[rows], y[rows]), y[rows], self.folds, self.random_state)
        scores = np.empty(len(rows))
        for each in np.unique(fold):
            fitted = self._fitted(X, y, weights, rows[fold != each])
            scores[fold == each] = fitted.predict_proba(X[rows[fold == each]])[:, 1]
        return scores

    def _fewest(self, X: Any, y: Any) -> int:
        """Distinct cases of the rarer class; none where a class is missing."""
        if len(np.unique(y)) < 2:
            return 0
        cases = distinct_cases(X, y)
        return min(len(np.unique(cases[y == label])) for label in self.classes_)


def _counted(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Rows that weigh something."""
    if sample_weight is None:
        return X, y, None
    weights = _check_sample_weight(sample_weight, y)
    if (weights < 0).any():
        raise InputError("weights count cases: none may be below 0.")
    return X[weights > 0], y[weights > 0], weights[weights > 0]


def _r_b(is_positive: Any, scores: Array, weights: Any) -> float | None:
    below = find_crossing(ScoreTable.from_rows(is_positive, scores, weights)).below
    return None if below is None else below.threshold


@dataclass(frozen=True)
class BoosterComparison:
    """The booster against the plain model, for each metric: plain, boosted, and their difference with its interval."""

    plain: dict[str, float]
    boosted: dict[str, float]
    difference: dict[str, Estimate]


def compare_booster(
    estimator: Any, X: Any, y: Any, *, rounds: int = 1, folds: int = 5, repeats: int = 5, rng: int = 0
) -> BoosterComparison:
    """Measure the booster against the plain model on cases that took no part in fitting either.

    Each repeat deals the cases into folds anew; a metric is taken over all out-of-fold scores of a repeat. The interval
    is Student's over the repeats' differences: it shows the noise of the dealing, not that of another data set.
    """
    from unconfuse._scipy_special import stdtrit

    X, y = np.asarray(X), np.asarray(y)
    values: dict[str, list[tuple[float, float]]] = {name: [] for name in MEASURED}
    for repeat in range(repeats):
        deal = StratifiedKFold(folds, shuffle=True, random_state=rng + repeat)
        tables = [
            _table(model, X, y, deal)
            for model in (estimator, IndistinguishabilityBooster(estimator, rounds=rounds, random_state=rng + repeat))
        ]
        for name in MEASURED:
            values[name].append((float(METRICS[name](tables[0])), float(METRICS[name](tables[1]))))
    means = {name: np.mean(pairs, axis=0) for name, pairs in values.items()}
    differences = {}
    for name, pairs in values.items():
        gains = np.array([boosted - plain for plain, boosted in pairs])
        reach = float(stdtrit(repeats - 1, 0.975)) * gains.std(ddof=1) / np.sqrt(repeats) if repeats > 1 else np.nan
        differences[name] = Estimate(
            name,
            f"Gain in {METRICS[name].label}",
            float(gains.mean()),
            gains.mean() - reach,
            gains.mean() + reach,
            method=f"Student's t over {repeats} deals",
        )
    return BoosterComparison(
        {name: float(pair[0]) for name, pair in means.items()},
        {name: float(pair[1]) for name, pair in means.items()},
        differences,
    )


def _table(model: Any, X: Any, y: Any, deal: Any) -> ScoreTable:
    scores = cross_val_predict(clone(model), X, y, cv=deal, method="predict_proba")[:, 1]
    return ScoreTable.from_rows(y == np.unique(y)[1], scores)

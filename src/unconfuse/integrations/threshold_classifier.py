"""A scikit-learn classifier whose threshold is chosen by a rule of the card, on data that did not fit the model."""
# mypy: disable-error-code="import-untyped, misc"

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_classifier
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from unconfuse._errors import ArgumentError
from unconfuse.thresholds import read_card, threshold_card


class ThresholdClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Fit a classifier and choose its threshold on held-out scores, by any rule of the threshold card.

    Parameters
    ----------
    estimator : estimator, optional
        With `predict_proba` or `decision_function`; logistic regression by default.
    rule : str
        A rule of `unconfuse.threshold_card`, such as "youden", "max_f1", "indistinguishability", "cost" or
        "recall_at_precision(0.9)".
    costs : (fp, fn), optional
        For the rule "cost".
    prevalence : float, optional
        Share of positives where the classifier will be used.
    holdout : int, float or "prefit"
        Number of folds for out-of-fold scores (the estimator is fitted again on everything), or the share of the data
        set aside for the choice, or "prefit": the estimator is fitted already, and all data serve the choice.
    card_options : dict, optional
        More arguments for `threshold_card`, such as {"min_precision": .8}.
    random_state : int, optional
        Of the split, when `holdout` is a share.

    Attributes
    ----------
    estimator_ : the fitted estimator
    threshold_ : float
    operating_point_ : OperatingPoint
        What to expect of it, with intervals and optimism.
    classes_ : array of shape (2,)
        The second one is positive.

    Notes
    -----
    There is no `predict_proba`: its larger half would contradict `predict` wherever the threshold is not 1/2. Ask
    `estimator_` for probabilities.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> X, y = make_classification(300, weights=[.8], random_state=0)
    >>> model = ThresholdClassifier(rule="youden").fit(X, y)
    >>> 0 < model.threshold_ < 1, model.predict(X).shape
    (True, (300,))
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        rule: str = "youden",
        costs: Any = None,
        prevalence: float | None = None,
        holdout: int | float | str = 5,
        card_options: dict[str, Any] | None = None,
        random_state: int | None = 0,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.costs = costs
        self.prevalence = prevalence
        self.holdout = holdout
        self.card_options = card_options
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> ThresholdClassifier:
        """Fit the estimator and choose the threshold."""
        y = self._checked(y)
        scores, truth = self._held_out(X, y, fit_params)
        options = {"honest": "crossfit", "n_resamples": 100, "repeats": 1, **(self.card_options or {})}
        card = threshold_card(
            truth == self.classes_[1],
            scores,
            costs=self.costs,
            prevalence=self.prevalence,
            rules=[self.rule],
            **options,
        )
        # As it would be read from a file: plain values only, so that the classifier can be pickled.
        self.operating_point_ = next(iter(read_card(card.to_json()).values()))
        self.threshold_ = self.operating_point_.threshold.value
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        return self

    def predict(self, X: Any) -> Any:
        """Classes: the positive one where the score reaches the threshold."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def decision_function(self, X: Any) -> Any:
        """By how much the score exceeds the threshold: above 0 for those labelled positive."""
        check_is_fitted(self)
        scores = self._scores(self.estimator_, X)
        if not np.isfinite(self.threshold_):  # the rule labels nobody
            return np.full(len(scores), -np.inf)
        # A score equal to the threshold is positive, and scikit-learn wants such a decision above 0.
        return scores - np.nextafter(self.threshold_, -np.inf)

    def _checked(self, y: Any) -> Any:
        if y is None:
            raise ValueError("This ThresholdClassifier estimator requires y to be passed, but the target y is None.")
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        self.classes_ = np.unique(labels)
        if not len(labels):
            raise ValueError("Found array with 0 sample(s) while a minimum of 2 is required.")
        if len(self.classes_) < 2:
            raise ValueError(f"Classifier can't train when only one class is present: {self.classes_[0]!r}.")
        if len(self.classes_) > 2:
            kind = type_of_target(labels)
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        return labels

    def _held_out(self, X: Any, y: Any, fit_params: dict[str, Any]) -> tuple[Any, Any]:
        """Scores of cases that did not take part in fitting, with their labels; fits `estimator_` on the way."""
        model = self._default() if self.estimator is None else self.estimator
        if not is_classifier(model):
            raise ArgumentError(f"`estimator` must be a classifier; got {type(model).__name__}.")
        if self.holdout == "prefit":
            check_is_fitted(model)
            self.estimator_ = model
            return self._scores(model, X), y
        if isinstance(self.holdout, float):
            fitted_on, kept, y_fit, y_kept = train_test_split(
                X, y, test_size=self.holdout, stratify=y, random_state=self.random_state
            )
            self.estimator_ = clone(model).fit(fitted_on, y_fit, **fit_params)
            return self._scores(self.estimator_, kept), y_kept
        self.estimator_ = clone(model).fit(X, y, **fit_params)
        return self._out_of_fold(model, X, y), y

    def _out_of_fold(self, model: Any, X: Any, y: Any) -> Any:
        smallest = int(np.unique(y, return_counts=True)[1].min())
        folds = min(int(self.holdout), smallest)
        if folds < 2:  # a class with a single member cannot be held out
            return self._scores(self.estimator_, X)
        method = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
        found = cross_val_predict(clone(model), X, y, cv=folds, method=method)
        return found[:, 1] if found.ndim == 2 else found

    @staticmethod
    def _default() -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)

    @staticmethod
    def _scores(model: Any, X: Any) -> Any:
        if hasattr(model, "predict_proba"):
            return model.predict_proba(X)[:, 1]
        return model.decision_function(X)

    def __sklearn_tags__(self) -> Tags:
        """Binary only; the rest as the wrapped estimator says."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        inner = get_tags(self._default() if self.estimator is None else self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

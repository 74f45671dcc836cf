"""A scikit-learn classifier whose threshold is chosen by a rule of the card, on data that did not fit the model."""
# mypy: disable-error-code="import-untyped, misc"

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, is_classifier
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_method_params,
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    column_or_1d,
)

from unconfuse._errors import ArgumentError, InputError, warn
from unconfuse._formatting import short_repr
from unconfuse._validate import is_whole
from unconfuse.integrations._estimator_checks import EITHER, classes_of, learnt, place_of, rows_of, scores_of
from unconfuse.integrations._splitting import assign_folds, distinct_cases, kept
from unconfuse.thresholds import read_card, threshold_card

# The threshold is the score of a case. The same case, scored in another batch, may differ in its last bits.
_LAST_BITS = 1e-9


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
        set aside for the choice, or "prefit": the estimator is fitted already, and all data serve the choice. Rows that
        are equal are held out together.
    card_options : dict, optional
        More arguments for `threshold_card`, such as {"min_precision": .8}.
    random_state : int, optional
        Of what is held out.

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

    `sample_weight` counts cases: a weight of 2 is the row twice, 0 is no row. It goes to every fit of an estimator that
    takes it, and to the choice of the threshold. With scikit-learn's metadata routing the estimator must ask for it
    (`set_fit_request(sample_weight=True)`), as for every meta-estimator.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from unconfuse.sklearn import ThresholdClassifier
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> ThresholdClassifier:
        """Fit the estimator and choose the threshold; `sample_weight` counts cases."""
        X, y, weights, params = self._cases(X, y, sample_weight, fit_params)
        scores, rows = self._held_out(X, y, params)
        options = {"n_resamples": 200, **(self.card_options or {})}
        card = threshold_card(
            y[rows] == self.classes_[1],
            scores,
            weights=None if weights is None else weights[rows],
            costs=self.costs,
            prevalence=self.prevalence,
            rules=[self.rule],
            **options,
        )
        # As it would be read from a file: plain values only, so that the classifier can be pickled.
        self.operating_point_ = next(iter(read_card(card.to_json()).values()))
        self.threshold_ = self.operating_point_.threshold.value
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
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
        with np.errstate(over="ignore"):  # beyond the largest number is above 0 all the same
            return scores - np.nextafter(self.threshold_ - _LAST_BITS * abs(self.threshold_), -np.inf)

    def _is_fitted_already(self) -> bool:
        """Check whether `holdout` says that the estimator is fitted already; refuse a value that has no meaning."""
        folds = is_whole(self.holdout) and self.holdout >= 2  # type: ignore[operator]
        if folds or (isinstance(self.holdout, float | np.floating) and 0 < self.holdout < 1):
            return False
        if isinstance(self.holdout, str) and self.holdout == "prefit":
            return True
        hint = "a number of folds of 2 or more, a share between 0 and 1, or 'prefit'"
        raise ArgumentError(f"`holdout` must be {hint}; got {short_repr(self.holdout)}.")

    def _cases(self, X: Any, y: Any, sample_weight: Any, fit_params: dict[str, Any]) -> tuple[Any, Any, Any, Any]:
        """Rows that weigh something, their labels and weights, and what the estimator's fits are given of them."""
        labels = self._checked(y)
        X, labels = indexable(X, labels)
        weights = None if sample_weight is None else self._weights(sample_weight, labels)
        params = self._routed(weights, fit_params)
        if weights is not None and (weights == 0).any():
            counted = np.flatnonzero(weights)
            params = _check_method_params(X, params, counted)
            X, labels, weights = rows_of(X, counted), labels[counted], weights[counted]
        self._two_classes(labels)
        return X, labels, weights, params

    @staticmethod
    def _weights(sample_weight: Any, labels: Any) -> Any:
        try:
            return _check_sample_weight(sample_weight, labels)
        except OverflowError:
            raise InputError("`sample_weight` holds a number that is too large to count cases.") from None

    def _checked(self, y: Any) -> Any:
        if y is None:
            raise ValueError("This ThresholdClassifier estimator requires y to be passed, but the target y is None.")
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        if not len(labels):
            raise ValueError("Found array with 0 sample(s) while a minimum of 2 is required.")
        return labels

    def _two_classes(self, labels: Any) -> None:
        self.classes_ = np.unique(labels)
        if not len(labels):
            raise ValueError("all weights are 0: there is no case to learn from.")
        if len(self.classes_) < 2:
            raise ValueError(f"Classifier can't train when only one class is present: {self.classes_[0]!r}.")
        if len(self.classes_) > 2:
            kind = type_of_target(labels)
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")

    def _routed(self, weights: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
        """Return what the fits are given: as routing says, or the weights wherever the estimator takes them."""
        own = {} if weights is None else {"sample_weight": weights}
        if get_config().get("enable_metadata_routing"):
            return dict(process_routing(self, "fit", **own, **fit_params).estimator.fit)
        model = self._model()
        if own and not self._is_fitted_already() and "sample_weight" not in signature(model.fit).parameters:
            warn(f"{type(model).__name__} takes no sample weights: they serve the choice of the threshold alone.")
            own = {}
        return own | fit_params

    def _held_out(self, X: Any, y: Any, params: dict[str, Any]) -> tuple[Any, Any]:
        """Scores of rows that did not take part in fitting, and their places; fits `estimator_` on the way."""
        model, everything = self._model(), np.arange(len(y))
        if self._is_fitted_already():
            check_is_fitted(model)
            self.estimator_ = model
            return self._scores(model, X), everything
        cases = distinct_cases(X, y)
        rarest = min(len(np.unique(cases[y == label])) for label in self.classes_)
        if not is_whole(self.holdout) and rarest > 1:
            out = kept(cases, y, float(self.holdout), self.random_state)
            self.estimator_ = self._fitted(model, X, y, params, np.flatnonzero(~out))
            return self._scores(self.estimator_, rows_of(X, np.flatnonzero(out))), np.flatnonzero(out)
        self.estimator_ = learnt(model, X, y, **params)
        if rarest < 2:
            warn("a class has one case only, which cannot be held out: the threshold is chosen on the data of the fit.")
            return self._scores(self.estimator_, X), everything
        fold = assign_folds(cases, y, min(int(self.holdout), rarest), self.random_state)
        return self._out_of_fold(model, X, y, params, fold), everything

    def _out_of_fold(self, model: Any, X: Any, y: Any, params: dict[str, Any], fold: Any) -> Any:
        scores = np.empty(len(y))
        for each in np.unique(fold):
            fitted = self._fitted(model, X, y, params, np.flatnonzero(fold != each))
            scores[fold == each] = self._scores(fitted, rows_of(X, np.flatnonzero(fold == each)))
        return scores

    @staticmethod
    def _fitted(model: Any, X: Any, y: Any, params: dict[str, Any], rows: Any) -> Any:
        return learnt(model, rows_of(X, rows), y[rows], **_check_method_params(X, params, rows))

    def _model(self) -> Any:
        if self.estimator is None:
            from sklearn.linear_model import LogisticRegression

            # A smaller tolerance than usual: rows repeated and rows weighted must end at the same optimum.
            model = LogisticRegression(max_iter=1000, tol=1e-8)
            return model.set_fit_request(sample_weight=True) if get_config().get("enable_metadata_routing") else model
        if not is_classifier(self.estimator):
            raise ArgumentError(f"`estimator` must be a classifier; got {type(self.estimator).__name__}.")
        return self.estimator

    def _scores(self, model: Any, X: Any) -> Any:
        """Of the second of our classes, wherever the estimator has it."""
        index = place_of(self.classes_.tolist()[1], classes_of(model, self.classes_))
        return scores_of(model, X, index, EITHER, type(self).__name__, _num_samples(X))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what metadata routing asks: weights for the choice itself, and what the estimator wants."""
        fits = MethodMapping().add(caller="fit", callee="fit")
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(estimator=self._model(), method_mapping=fits)
        )

    def __sklearn_tags__(self) -> Any:
        """Binary only; the rest as the wrapped estimator says."""
        from sklearn.utils import get_tags

        tags, inner = super().__sklearn_tags__(), get_tags(self._model())
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """Return the tags that scikit-learn 1.5 asks for."""
        from sklearn.utils._tags import _safe_tags

        return {"binary_only": True, "allow_nan": _safe_tags(self._model(), key="allow_nan")}

"""Any metric as a scikit-learn scorer."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric, find_metric
from unconfuse.table import Counts, ScoreTable

__all__ = ["Scorer", "scorer"]
_METHODS = {"ranks": ("decision_function", "predict_proba"), "probabilities": ("predict_proba",)}


class Scorer:
    """A metric that scores a fitted estimator: `scoring=scorer("auroc")` in `cross_validate` and `GridSearchCV`.

    More is always better, as scikit-learn wants it: metrics of which less is better are negated. Metrics of decisions
    judge `predict`, or scores cut at a threshold.
    """

    def __init__(self, metric: Metric, *, positive: Any = None, threshold: float | None = None) -> None:
        self.metric, self.positive, self.threshold = metric, positive, threshold
        self._sign = -1.0 if metric.better == "lower" else 1.0

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The metric of an estimator on some cases."""
        truth, index = truth_of(estimator, y, self.positive)
        weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if self.metric.of == "counts":
            data: Any = _counts(truth, self._decided(estimator, X, index), weights)
        else:
            scores = scores_of(estimator, X, index, _METHODS[self.metric.of], self.metric.name)
            data = ScoreTable.of_rows(truth, scores, None if sample_weight is None else weights)
        return self._sign * float(self.metric(data))

    def _decided(self, estimator: Any, X: Any, index: int) -> Any:
        if self.threshold is None:
            return np.asarray(estimator.predict(X)) == np.asarray(estimator.classes_)[index]
        methods = ("predict_proba", "decision_function")
        return scores_of(estimator, X, index, methods, self.metric.name) >= self.threshold

    def __repr__(self) -> str:
        return f"scorer({self.metric.name!r})"

    # Metadata routing: a scorer that asks for weights gets them, in old and new versions alike.
    _weighted: bool | None = None

    def set_score_request(self, *, sample_weight: bool | None = None) -> Scorer:
        """Whether `sample_weight` is passed on to this scorer by scikit-learn's metadata routing."""
        again = Scorer(self.metric, positive=self.positive, threshold=self.threshold)
        again._weighted = sample_weight
        return again

    def get_metadata_routing(self) -> Any:
        """What scikit-learn asks a scorer."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=repr(self))
        request.score.add_request(param="sample_weight", alias=self._weighted)
        return request


def scorer(metric: str | Metric, *, positive: Any = None, threshold: float | None = None) -> Scorer:
    """A scorer for scikit-learn from any metric by name, alias or declaration.

    Parameters
    ----------
    metric : str or Metric
    positive : optional
        The positive class; the second of `classes_` by default.
    threshold : float, optional
        Where decisions are cut, for metrics of decisions; `predict` decides by default.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(200, random_state=0)
    >>> model = LogisticRegression().fit(X, y)
    >>> from sklearn.metrics import roc_auc_score
    >>> from unconfuse.sklearn import scorer
    >>> abs(scorer("auroc")(model, X, y) - roc_auc_score(y, model.decision_function(X))) < 1e-12
    True
    """
    found = find_metric(metric) if isinstance(metric, str) else metric
    if found.of not in ("counts", "ranks", "probabilities"):
        raise ArgumentError(f"{found.name} is a metric of several classes; a scorer is for two.")
    return Scorer(found, positive=positive, threshold=threshold)


def _counts(truth: Any, decided: Any, weights: Any) -> Counts:
    pairs = {"tp": truth & decided, "fp": ~truth & decided, "fn": truth & ~decided, "tn": ~truth & ~decided}
    return Counts(**{name: float(weights[rows].sum()) for name, rows in pairs.items()})


def truth_of(estimator: Any, y: Any, positive: Any) -> tuple[Any, int]:
    """Which cases are positive, and which of the estimator's two classes that is."""
    classes = np.asarray(getattr(estimator, "classes_", np.unique(y)))
    if len(classes) != 2:
        raise ArgumentError(f"this is for two classes; the estimator knows {len(classes)}.")
    found = np.flatnonzero(classes == positive) if positive is not None else np.array([1])
    if not len(found):
        raise ArgumentError(f"positive={positive!r} is none of the estimator's classes {classes.tolist()}.")
    index = int(found[0])
    return np.asarray(y) == classes[index], index


def scores_of(estimator: Any, X: Any, index: int, methods: tuple[str, ...], wanted_by: str) -> Any:
    """What the first of these methods that the estimator has says of one of its two classes."""
    method = next((each for each in methods if hasattr(estimator, each)), None)
    if method is None:
        kind = type(estimator).__name__
        raise ArgumentError(f"{wanted_by} needs {' or '.join(methods)}, which {kind} does not have.")
    found = np.asarray(getattr(estimator, method)(X), dtype=np.float64)
    if found.ndim == 2:
        return np.ascontiguousarray(found[:, index])
    return found if index == 1 else -found

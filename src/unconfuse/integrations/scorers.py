"""Any metric as a scikit-learn scorer."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.ingest import Data, read
from unconfuse.metrics import Metric, find_metric
from unconfuse.table import Cells, Counts, NearSample, ScoreTable

__all__ = ["Scorer", "scorer"]
_METHODS = {"counts": (), "ranks": ("decision_function", "predict_proba"), "probabilities": ("predict_proba",)}


class Scorer:
    """A metric that scores a fitted estimator: `scoring=scorer("auroc")` in `cross_validate` and `GridSearchCV`.

    More is always better, as scikit-learn wants it: metrics of which less is better are negated. Metrics of decisions
    judge `predict`, or scores cut at a threshold. An estimator of several classes is judged by the metric of that name
    for several classes.
    """

    def __init__(
        self, metric: Metric, *, of_classes: Metric | None = None, positive: Any = None, threshold: float | None = None
    ) -> None:
        self.metric, self.of_classes, self.positive, self.threshold = metric, of_classes, positive, threshold

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The metric of an estimator on some cases."""
        metric = self.metric
        if metric.of in _METHODS and len(getattr(estimator, "classes_", ())) > 2:
            metric = self.of_classes or find_metric(metric.name, several=True)
        judge = self._two if metric.of in _METHODS else self._several
        data = judge(metric, estimator, X, y, sample_weight)
        return (-1.0 if metric.better == "lower" else 1.0) * float(metric(data))

    def _two(self, metric: Metric, estimator: Any, X: Any, y: Any, sample_weight: Any) -> Counts | ScoreTable:
        truth, index = truth_of(estimator, y, self.positive)
        weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if metric.of == "counts":
            return _counts(truth, self._decided(estimator, X, index), weights)
        scores = scores_of(estimator, X, index, _METHODS[metric.of], metric.name)
        return ScoreTable.of_rows(truth, scores, None if sample_weight is None else weights)

    def _several(self, metric: Metric, estimator: Any, X: Any, y: Any, sample_weight: Any) -> Cells | NearSample:
        for name in ("positive", "threshold"):
            if getattr(self, name) is not None:
                raise ArgumentError(
                    f"`{name}` is for two classes, and {metric.name} judges several. Hint: leave it out."
                )
        words = {"classes": np.asarray(estimator.classes_).tolist(), "weights": sample_weight}
        if metric.of == "cells":
            sample = read(Data(y, predicted=np.asarray(estimator.predict(X)), **words))
            return sample.cells(sample.only_model)
        methods = ("predict_proba",) if metric.needs_probabilities else ("predict_proba", "decision_function")
        scores = said_by(estimator, X, methods, metric.name)
        sample = read(Data(y, scores if scores.ndim == 2 else np.column_stack([-scores, scores]), **words), rows=True)
        assert isinstance(sample, NearSample)
        return sample

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
        again = Scorer(self.metric, of_classes=self.of_classes, positive=self.positive, threshold=self.threshold)
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
        Of two classes or of several, such as "f1_macro"; "accuracy" and others mean whichever the estimator has.
    positive : optional
        The positive class of two; the second of `classes_` by default.
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
    if not isinstance(metric, str):
        return Scorer(metric, positive=positive, threshold=threshold)
    two, several = (_known(metric, several=several) for several in (False, True))
    return Scorer(two or several or find_metric(metric), of_classes=several, positive=positive, threshold=threshold)


def _known(name: str, *, several: bool) -> Metric | None:
    try:
        return find_metric(name, several=several)
    except ArgumentError:
        return None


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
    found = said_by(estimator, X, methods, wanted_by)
    if found.ndim == 2:
        return np.ascontiguousarray(found[:, index])
    return found if index == 1 else -found


def said_by(estimator: Any, X: Any, methods: tuple[str, ...], wanted_by: str) -> Any:
    """What the first of these methods that the estimator has says."""
    method = next((each for each in methods if hasattr(estimator, each)), None)
    if method is None:
        kind = type(estimator).__name__
        raise ArgumentError(f"{wanted_by} needs {' or '.join(methods)}, which {kind} does not have.")
    return np.asarray(getattr(estimator, method)(X), dtype=np.float64)

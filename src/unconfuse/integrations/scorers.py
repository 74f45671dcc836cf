"""Any metric as a scikit-learn scorer."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, InputError, text_of
from unconfuse._formatting import short_repr
from unconfuse._labels import check_label
from unconfuse._validate import as_builtin, as_weights, check_number, check_same_length
from unconfuse.ingest import Data, read
from unconfuse.integrations._estimator_checks import (
    EITHER,
    classes_of,
    decided_by,
    estimator_output,
    labels_in,
    scores_of,
    truth_of,
)
from unconfuse.metrics import Metric, find_metric
from unconfuse.metrics.requirements import lacking
from unconfuse.table import ConfusionCells, Counts, InMemorySample, ScoreTable

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
        if not isinstance(metric, Metric):
            raise ArgumentError(f"`metric` must be a metric or the name of one; got {short_repr(metric)}.")
        self.metric, self.of_classes = metric, of_classes
        self.positive = None if positive is None else check_label(positive, "positive")
        self.threshold = None if threshold is None else check_number(threshold, "threshold")

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the metric of an estimator on some cases."""
        metric, labels = self.metric, labels_in(y)[0]
        if metric.of in _METHODS and len(classes_of(estimator, np.zeros(2))) > 2:
            metric = self.of_classes or find_metric(metric.name, several=True)
        judge = self._two if metric.of in _METHODS else self._several
        weights = None if sample_weight is None else as_weights(as_builtin(sample_weight), "sample_weight")
        if weights is not None:
            check_same_length({"y": len(labels), "sample_weight": len(weights)})
        return (-1.0 if metric.better == "lower" else 1.0) * float(metric(judge(metric, estimator, X, labels, weights)))

    def _two(self, metric: Metric, estimator: Any, X: Any, y: Any, weights: Any) -> Counts | ScoreTable:
        truth, index = truth_of(estimator, y, self.positive)
        if metric.of == "counts":
            decided = self._decided(estimator, X, index, len(truth))
            return _counts(truth, decided, np.ones(len(truth)) if weights is None else weights)
        scores = scores_of(estimator, X, index, _METHODS[metric.of], metric.name, len(truth))
        return ScoreTable.from_rows(truth, scores, weights)

    def _several(self, metric: Metric, estimator: Any, X: Any, y: Any, weights: Any) -> ConfusionCells | InMemorySample:
        for name in ("positive", "threshold"):
            if getattr(self, name) is not None:
                raise ArgumentError(
                    f"`{name}` is for two classes, and {metric.name} evaluates several. Hint: leave it out."
                )
        classes = classes_of(estimator).tolist()
        words = {"classes": classes, "weights": weights}
        if metric.of == "cells":
            sample = read(Data(y, predicted=decided_by(estimator, X, len(y)), **words))
            return sample.cells(sample.only_model)
        methods = ("predict_proba",) if metric.needs_probabilities else EITHER
        scores = estimator_output(estimator, X, methods, metric.name, len(y), len(classes))
        columns = scores if scores.ndim == 2 else np.column_stack([-scores, scores])
        # Columns named by their class: a matrix of two would be the yes-or-no question.
        named = {"score": dict(zip(map(text_of, classes), columns.T, strict=True))} if len(classes) == 2 else columns
        rows = read(Data(y, named, **words), rows=True).rows_for(metric.name)
        reason = lacking(metric, rows, rows.only_model)
        if reason:
            raise InputError(f"{metric.name} needs {reason}")
        return rows

    def _decided(self, estimator: Any, X: Any, index: int, n: int) -> Any:
        if self.threshold is None:
            return decided_by(estimator, X, n) == classes_of(estimator)[index]
        return scores_of(estimator, X, index, EITHER, self.metric.name, n) >= self.threshold

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
        """Return what scikit-learn's metadata routing asks of a scorer."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=repr(self))
        request.score.add_request(param="sample_weight", alias=self._weighted)
        return request


def scorer(metric: str | Metric, *, positive: Any = None, threshold: float | None = None) -> Scorer:
    """Make a scorer for scikit-learn from any metric by name, alias or declaration.

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

"""`cross_evaluate`: fit a scikit-learn classifier fold by fold, and judge what it says of the cases it did not see."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing, indexable

from unconfuse._errors import ArgumentError, InputError
from unconfuse._plain import brief
from unconfuse._validate import check_whole, in_words, is_missing
from unconfuse.api import evaluate
from unconfuse.metrics.influence import quantile
from unconfuse.results.evaluation import Evaluation
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.resampled import scale_name, step

Places = npt.NDArray[np.intp]
Split = tuple[Places, Places]
Labels = npt.NDArray[Any]


@in_words
def cross_evaluate(
    estimator: Any, X: Any, y: Any, *, cv: Any = 5, groups: Any = None, nested: int = 0, rng: int = 0, **how: Any
) -> Evaluation:
    """Judge a learner by cross-validation: the mean over folds, each fold, and all cases pooled.

    Parameters
    ----------
    estimator : scikit-learn classifier
        With `predict_proba` or `decision_function`; a copy is fitted for each fold.
    X, y : array_like
        Features and labels.
    cv : int or splitter
        As in scikit-learn; every case must be tested equally often (`KFold`, `RepeatedStratifiedKFold`, ...).
    groups : array_like, optional
        Cases that belong together: given to the splitter.
    nested : int
        How often a nested cross-validation is repeated, for intervals that also hold for other training sets of this
        size (about 10; each takes as many fits as the square of the folds). 0: none, and intervals are those of the
        mean performance of the fitted models.
    rng : int
        Seed of the nested splits, and of `evaluate`.
    **how
        What `evaluate` takes: `metrics`, `threshold`, `confidence_level`, `positive`, ...

    Notes
    -----
    Nested cross-validation measures how far an inner cross-validation is off the outer fold: MSE is the mean of
    (e_in - e_out)^2 less the mean variance of e_out; the standard error is the root of (K - 1)/K MSE, between the naive
    one and root K times that. Its theory is for means of losses (accuracy, Brier score); for other metrics it is a rule
    of thumb. It cannot see that the whole sample may be unlike other samples.

    Bates, Hastie and Tibshirani (2024), JASA 119:1434.

    Examples
    --------
    >>> import unconfuse as uc
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(200, random_state=0)
    >>> ev = uc.cross_evaluate(LogisticRegression(), X, y, metrics=["auroc", "accuracy"])
    >>> len(ev.folds), bool(ev["auroc"].low < ev.pooled["auroc"].value < ev["auroc"].high)
    (5, True)
    """
    try:
        X, labels = indexable(X, np.asarray(y))
    except (TypeError, ValueError) as error:
        raise InputError(f"`X` and `y` must hold one row for each case: {error}") from None
    if labels.ndim != 1 or is_missing(labels).any():
        raise InputError("`y` must hold one label for each row, none of them missing.")
    times = check_whole(nested, "nested", at_least=0)
    splits = _splits(cv, X, labels, groups)
    repeats = _repeats(splits, len(labels))
    learner = _Learner(estimator, X, labels, how.get("positive"))

    tested = np.concatenate([test for _, test in splits])
    scores = np.concatenate([learner.scores(train, test) for train, test in splits])
    result = evaluate(labels[tested], scores, folds=_folds(splits, repeats), rng=rng, **_several(learner, how))
    return result if not times else _nested(result, learner, len(splits) // repeats, times, rng)


def _splits(cv: Any, X: Any, labels: Labels, groups: Any) -> list[Split]:
    """Training and test rows; groups that the splitter would pass over with a warning are refused."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="The groups parameter is ignored", category=UserWarning)
            return list(check_cv(cv, labels, classifier=True).split(X, labels, groups))
    except UserWarning:
        raise ArgumentError("this splitter ignores `groups`. Hint: cv=StratifiedGroupKFold(5).") from None
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"`cv` cannot split these rows: {error}") from None


def _several(learner: _Learner, how: dict[str, Any]) -> dict[str, Any]:
    """Several classes are named in the order of the estimator's columns; of two, the positive one."""
    if learner.positive is None:
        return {**how, "classes": learner.classes.tolist()}
    return {**how, "positive": learner.positive}


def _repeats(splits: Sequence[Split], n: int) -> int:
    """How often every case is tested."""
    tested = np.bincount(np.concatenate([test for _, test in splits]), minlength=n)
    repeats = int(tested.min())
    if repeats < 1 or tested.max() != repeats or len(splits) % repeats:
        raise ArgumentError(
            "every case must be tested equally often; this splitter does not. Hint: use KFold, StratifiedKFold, "
            "GroupKFold or their repeated forms."
        )
    return repeats


def _folds(splits: Sequence[Split], repeats: int) -> Any:
    """The fold of every tested case; with repeats, the repeat as well."""
    sizes, size = [len(test) for _, test in splits], len(splits) // repeats
    numbers = np.arange(len(splits))
    fold = np.repeat(numbers % size, sizes)
    return fold if repeats == 1 else {"repeat": np.repeat(numbers // size, sizes), "fold": fold}


class _Learner:
    """An estimator that is fitted to some rows and scores others."""

    def __init__(self, estimator: Any, X: Any, labels: Labels, positive: object) -> None:
        if not all(hasattr(estimator, each) for each in ("fit", "get_params")):
            raise ArgumentError(f"`estimator` must be a scikit-learn classifier; got {brief(estimator)}.")
        self.estimator, self.X, self.labels = estimator, X, labels
        self.classes: Labels = np.unique(labels)
        if len(self.classes) < 2:
            raise InputError(f"the labels hold one class only: {self.classes[0]!r}.")
        self.positive: Any = None
        if len(self.classes) == 2:
            self.positive = self.classes[1].item() if positive is None else positive
            if self.positive not in self.classes.tolist():
                raise ArgumentError(f"positive={positive!r} is none of the labels {self.classes.tolist()}.")

    def scores(self, train: Places, test: Places) -> npt.NDArray[np.float64]:
        """Of the positive class, or of each class."""
        fitted = clone(self.estimator).fit(_safe_indexing(self.X, train), self.labels[train])
        if set(fitted.classes_) != set(self.classes):
            raise InputError("a training set lacks a class. Hint: use a stratified splitter, or fewer folds.")
        rows = _safe_indexing(self.X, test)
        found = self._answered(fitted, rows)
        if found.ndim == 1:
            return found if self.positive == fitted.classes_[1] else -found
        return found if self.positive is None else found[:, list(fitted.classes_).index(self.positive)]

    def _answered(self, fitted: Any, rows: Any) -> npt.NDArray[np.float64]:
        for method in ("predict_proba", "decision_function"):
            if hasattr(fitted, method):
                return np.asarray(getattr(fitted, method)(rows), dtype=np.float64)
        raise ArgumentError(
            f"{type(fitted).__name__} gives no scores. Hint: it needs predict_proba or decision_function."
        )


def _nested(result: Evaluation, learner: _Learner, k: int, times: int, rng: int) -> Evaluation:
    """The same values with intervals from nested cross-validation, where a metric has a standard error."""
    if k < 3:
        raise ArgumentError("a nested cross-validation needs three folds or more. Hint: pass cv=5.")
    names = [name for name, each in result.items() if math.isfinite(each.standard_error)]
    gaps: dict[str, list[float]] = {name: [] for name in names}
    noise: dict[str, list[float]] = {name: [] for name in names}
    for time in range(times):
        splitter = StratifiedKFold(k, shuffle=True, random_state=rng + time)
        folds = [test for _, test in splitter.split(np.zeros(len(learner.labels)), learner.labels)]
        for place in range(k):
            _one_fold(result, learner, folds, place, gaps, noise)
    found = {name: _wider(result[name], k, gaps[name], noise[name], result) for name in names}
    return result.replaced(estimates={**result.estimates, **found})


def _one_fold(
    result: Evaluation,
    learner: _Learner,
    folds: Sequence[Places],
    place: int,
    gaps: dict[str, list[float]],
    noise: dict[str, list[float]],
) -> None:
    """How far the inner cross-validation of the other folds is off this fold, and how sure this fold is."""
    others = [each for other, each in enumerate(folds) if other != place]
    outer = _judged(result, learner, folds[place], learner.scores(np.concatenate(others), folds[place]))
    inner = []
    for own, test in enumerate(others):
        train = np.concatenate([each for other, each in enumerate(others) if other != own])
        inner.append(_judged(result, learner, test, learner.scores(train, test)))
    for name, own_gaps in gaps.items():
        own_gaps.append(float(np.mean([each[name].value for each in inner])) - outer[name].value)
        noise[name].append(outer[name].standard_error ** 2)


def _judged(result: Evaluation, learner: _Learner, rows: Places, scores: Any) -> dict[str, Estimate]:
    how: dict[str, Any] = {"metrics": result.metrics, "n_resamples": 100}
    how |= {} if result.threshold is None else {"threshold": result.threshold}
    return dict(evaluate(learner.labels[rows], scores, **_several(learner, how)))


def _wider(each: Estimate, k: int, gaps: Iterable[float], noise: Iterable[float], result: Evaluation) -> Estimate:
    naive = each.standard_error
    squared = float(np.nanmean(np.square(list(gaps))) - np.nanmean(list(noise)))
    error = float(np.clip(math.sqrt(max((k - 1) / k * squared, 0.0)), naive, math.sqrt(k) * naive))
    ends = next(metric.range for metric in result.metrics if metric.name == each.name)
    reach = quantile(each.confidence_level) * error
    low, high = (float(end) for end in step(np.asarray(each.value), np.asarray(reach), ends))
    low, high = min(low, each.low if error == naive else low), max(high, each.high if error == naive else high)
    method = f"nested cross-validation{scale_name(ends)}"
    return replace(each, low=low, high=high, standard_error=error, method=method, ask=None)

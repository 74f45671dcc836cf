"""`cross_evaluate`: fit a scikit-learn classifier fold by fold, and judge what it says of the cases it did not see."""
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import indexable

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import short_repr
from unconfuse._labels import LabelSpec, both_in
from unconfuse._validate import by_text, check_seed, check_whole, public_api
from unconfuse.api import compare, evaluate
from unconfuse.integrations._estimator_checks import (
    EITHER,
    Labels,
    classes_of,
    estimator_output,
    fresh,
    labels_in,
    learnt,
    place_of,
    rows_of,
)
from unconfuse.metrics.influence_functions import quantile
from unconfuse.results.evaluation import Evaluation
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.bootstrap_intervals import scale_name, step

Places = npt.NDArray[np.intp]
Split = tuple[Places, Places]


@public_api
def cross_evaluate(
    estimator: Any, X: Any, y: Any, *, cv: Any = 5, groups: Any = None, nested: int = 0, rng: int = 0, **how: Any
) -> Any:
    """Evaluate a learner by cross-validation: the mean over folds, each fold, and all cases pooled.

    Parameters
    ----------
    estimator : scikit-learn classifier
        With `predict_proba` or `decision_function`; a copy is fitted for each fold. A mapping of name to classifier
        compares them over the same folds, and a `Comparison` is returned.
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
        What `evaluate` (or `compare`, of several classifiers) takes: `metrics`, `threshold`, `confidence_level`,
        `positive`, ... The positive label is needed unless the labels are 0 and 1, -1 and 1 or booleans.

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
    if "folds" in how:
        raise ArgumentError("`cross_evaluate` makes the folds itself. Hint: cv=5, or a splitter of scikit-learn.")
    labels, classes = labels_in(y)
    try:
        X, labels = indexable(X, labels)
    except (TypeError, ValueError) as error:
        raise InputError(f"`X` and `y` must hold one row for each case: {error}") from None
    times, rng = check_whole(nested, "nested", at_least=0), check_seed(rng)
    splits = _splits(cv, X, labels, groups)
    repeats = _repeats(splits, len(labels))
    tested = np.concatenate([test for _, test in splits])
    if isinstance(estimator, Mapping):
        if times:
            raise ArgumentError("`nested` does not support several classifiers. Hint: cross_evaluate one at a time.")
        learners = {
            name: _Learner(each, X, labels, classes, how.get("positive"))
            for name, each in by_text(estimator, "models").items()
        }
        every = {
            name: np.concatenate([each.scores(train, test) for train, test in splits])
            for name, each in learners.items()
        }
        if not learners:
            raise ArgumentError("there is no classifier to evaluate. Hint: cross_evaluate({'a': model}, X, y).")
        first = next(iter(learners.values()))
        return compare(labels[tested], every, folds=_folds(splits, repeats), rng=rng, **_several(first, how))
    learner = _Learner(estimator, X, labels, classes, how.get("positive"))
    scores = np.concatenate([learner.scores(train, test) for train, test in splits])
    result = evaluate(labels[tested], scores, folds=_folds(splits, repeats), rng=rng, **_several(learner, how))
    return result if not times else _nested(result, learner, len(splits) // repeats, times, rng)


def _splits(cv: Any, X: Any, labels: Labels, groups: Any) -> list[Split]:
    """Training and test rows; groups that the splitter would pass over with a warning are refused."""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="The groups parameter is ignored", category=UserWarning)
            splits = list(check_cv(cv, labels, classifier=True).split(X, labels, groups))
    except UserWarning as warning:
        if "groups parameter" not in str(warning):  # which somebody wants to be an error
            raise
        raise ArgumentError("this splitter ignores `groups`. Hint: cv=StratifiedGroupKFold(5).") from None
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"`cv` cannot split these rows: {error}") from None
    if not splits:
        raise ArgumentError("`cv` makes no split. Hint: cv=5.")
    return [_checked(each, len(labels)) for each in splits]


def _checked(split: Any, n: int) -> Split:
    """Rows to learn from and rows to test, by their places or as flags."""
    try:
        train, test = (np.asarray(each) for each in split)
    except (TypeError, ValueError):
        raise ArgumentError(f"a split of `cv` must be two lists of rows; got {short_repr(split)}.") from None
    places = [np.flatnonzero(each) if each.dtype == bool and each.shape == (n,) else each for each in (train, test)]
    for place in places:
        if place.ndim != 1 or place.dtype.kind not in "iu" or not len(place) or place.min() < 0 or place.max() >= n:
            raise ArgumentError(
                f"a split of `cv` must hold rows from 0 to {n - 1}, at least one; got {short_repr(place)}."
            )
    return places[0], places[1]


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
    """Return the fold of every tested case; with repeats, the repeat as well."""
    sizes, size = [len(test) for _, test in splits], len(splits) // repeats
    numbers = np.arange(len(splits))
    fold = np.repeat(numbers % size, sizes)
    return fold if repeats == 1 else {"repeat": np.repeat(numbers // size, sizes), "fold": fold}


class _Learner:
    """An estimator that is fitted to some rows and scores others."""

    def __init__(self, estimator: Any, X: Any, labels: Labels, classes: Labels, positive: object) -> None:
        fresh(estimator)
        self.estimator, self.X, self.labels, self.classes = estimator, X, labels, classes
        if len(classes) < 2:
            raise InputError(f"the labels hold one class only: {classes.tolist()}.")
        if len(classes) == 2 and positive is None:
            both_in(labels, LabelSpec())  # asks which label is positive, where the labels do not say
        self.positive: Any = classes.tolist()[place_of(positive, classes)] if len(classes) == 2 else None

    def scores(self, train: Places, test: Places) -> npt.NDArray[np.float64]:
        """Of the positive class, or of each class."""
        model = learnt(self.estimator, rows_of(self.X, train), self.labels[train])
        named = classes_of(model).tolist()
        if set(named) != set(self.classes.tolist()):
            lacking = "a training set lacks a class. Hint: use a stratified splitter, or fewer folds."
            other = (
                f"the estimator names the classes {short_repr(named)}; the labels are "
                f"{short_repr(self.classes.tolist())}."
            )
            raise InputError(lacking if set(named) < set(self.classes.tolist()) else other)
        found = estimator_output(model, rows_of(self.X, test), EITHER, "cross_evaluate", len(test), len(named))
        if found.ndim == 1:
            return found if self.positive == named[1] else -found
        if self.positive is None:
            return found[:, [named.index(each) for each in self.classes.tolist()]]
        return found[:, named.index(self.positive)]


def _nested(result: Evaluation, learner: _Learner, k: int, times: int, rng: int) -> Evaluation:
    """Replace intervals by those from nested cross-validation, where a metric has a standard error in some fold."""
    if k < 3:
        raise ArgumentError("a nested cross-validation needs three folds or more. Hint: pass `cv=5`.")
    names = [name for name, estimate in result.items() if math.isfinite(estimate.standard_error)]
    gaps: dict[str, list[float]] = {name: [] for name in names}
    noise: dict[str, list[float]] = {name: [] for name in names}
    for time in range(times):
        splitter = StratifiedKFold(k, shuffle=True, random_state=(rng + time) % 2**32)
        folds = [test for _, test in _splits(splitter, np.zeros(len(learner.labels)), learner.labels, None)]
        for place in range(k):
            _one_fold(result, learner, folds, place, gaps, noise)
    found = {name: _wider(result[name], k, gaps[name], noise[name], result) for name in names}
    return result.with_changes(estimates={**result.estimates, **found})


def _one_fold(
    result: Evaluation,
    learner: _Learner,
    folds: Sequence[Places],
    place: int,
    gaps: dict[str, list[float]],
    noise: dict[str, list[float]],
) -> None:
    """How far the inner cross-validation of the other folds is off this fold, and how sure this fold is."""
    others = [fold for other, fold in enumerate(folds) if other != place]
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
    naive, both = each.standard_error, np.array([np.square(list(gaps)), list(noise)])
    both = both[:, np.isfinite(both).all(axis=0)]
    if not both.size:  # no fold has both: what nesting would add cannot be told
        return each
    squared = float(both[0].mean() - both[1].mean())
    error = float(np.clip(math.sqrt(max((k - 1) / k * squared, 0.0)), naive, math.sqrt(k) * naive))
    ends = next(metric.range for metric in result.metrics if metric.name == each.name)
    reach = quantile(each.confidence_level) * error
    low, high = (float(end) for end in step(np.asarray(each.value), np.asarray(reach), ends))
    low, high = min(low, each.low if error == naive else low), max(high, each.high if error == naive else high)
    method = f"nested cross-validation{scale_name(ends)}"
    return replace(each, low=low, high=high, standard_error=error, method=method, recompute=None)

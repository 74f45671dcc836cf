"""What cases outside the data may still show of two models that label all of these alike, or nearly all.

Resamples, influences and folds know the cases that are there. Where two models decide alike on every one of them, no
resample tells them apart, and an interval of 0 to 0 would claim that they decide alike everywhere. So two pseudo cases
are thought of, of which each model labels another one right, as in Bonett and Price's interval of shares of right
labels: no difference of decisions is known better than these leave it. They are of the class whose cases move the
metric most: models that never differed on n cases may do so on some 3 of n more, and these may all be of that class.
Of 50 cases, 3% of which two models label differently, intervals without them held the difference in F1, MCC and J in
73, 74 and 71% of 300 samples, with them in all; where the models differ in 8%, in 93 to 94 and in 98%.

Scores are another matter: the same score on every case is the same model, and its difference from itself is 0.

Bonett & Price (2012), Journal of Educational and Behavioral Statistics 37:479.
"""

from __future__ import annotations

import math

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.metrics.requirements import cut_for
from unconfuse.table import Array, ClassMargins, Codes, Counts, Sample

_STEP = 1e-3  # of a case, by which slopes are found: no metric bends within so little of two whole cases
_AT_ONCE = 128  # classes


def least_error(metric: Metric, sample: Sample, model: str) -> float:
    """Return the standard error that two pseudo cases give to a difference from this model's decisions.

    Of shares of right labels it is that of Bonett and Price's interval where all labels are alike.

    >>> from unconfuse.metrics import find_metric
    >>> from unconfuse.table import AggregatedSample
    >>> alike = AggregatedSample.of_counts(Counts(tp=8, fp=2, fn=0, tn=8), "a")
    >>> for name in ("sensitivity", "accuracy", "f1"):
    ...     print(f"{least_error(find_metric(name), alike, 'a'):.4f}")
    0.1414
    0.0707
    0.0770
    """
    own = cut_for(metric, sample)
    cases = _cases(own)
    one_case = np.divide(own.sizes, cases, out=np.zeros(own.n_classes), where=cases > 0)
    moves = (_moves_of_cells if own.is_multiclass else _moves_of_counts)(metric, own, model, one_case)
    return math.sqrt(2) * float(np.max(np.abs(moves), initial=0.0, where=np.isfinite(moves)))


def _cases(sample: Sample) -> Array:
    """How many cases of each class tell something: of sampled ones Kish's number, of groups how many hold the class."""
    rows = sample.in_memory
    if rows is None or rows.groups is None:
        return sample.effective_sizes
    held = [np.unique(rows.groups[(rows.truth == k) & (rows.weight > 0)]) for k in range(rows.n_classes)]
    return np.minimum(sample.effective_sizes, [len(each) for each in held])


def _moves_of_counts(metric: Metric, sample: Sample, model: str, one_case: Array) -> Array:
    """How far a metric moves where a model labels one more case of a class right instead of wrong."""
    counts = sample.counts(model)
    negatives, positives = one_case * np.eye(2)  # of each class in turn: the columns of these rows
    values = []
    for step in (_STEP, -_STEP):
        right, wrong = 1 + step, 1 - step
        more = {"tp": right * positives, "fn": wrong * positives, "tn": right * negatives, "fp": wrong * negatives}
        values.append(
            metric(Counts.from_validated(**{side: getattr(counts, side) + each for side, each in more.items()}))
        )
    with np.errstate(invalid="ignore"):  # a ratio is infinite with either while the other class has no error
        return np.asarray((values[0] - values[1]) / (2 * _STEP))


def _moves_of_cells(metric: Metric, sample: Sample, model: str, one_case: Array) -> Array:
    """Return the same for several classes, where the wrong label is the one that is given most often."""
    weighting = None if metric.inference.weighting is None else metric.inference.weighting(sample.n_classes)
    base, held = sample.cells(model).margins(weighting), np.flatnonzero(one_case)
    often = np.argsort(-base.predicted, kind="stable")
    found = []
    for first in range(0, len(held), _AT_ONCE):
        own = held[first : first + _AT_ONCE]
        other = np.where(own == often[0], often[1], often[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            more, fewer = (metric.value(_with_two(base, own, other, one_case[own], step)) for step in (_STEP, -_STEP))
            found.append((more - fewer) / (2 * _STEP))
    return np.concatenate(found)


def _with_two(base: ClassMargins, own: Codes, other: Codes, one_case: Array, step: float) -> ClassMargins:
    """Return margins with two more cases of one class, a different one in each row: one right, one labelled `other`."""
    row, right, wrong = np.arange(len(own)), one_case * (1 + step), one_case * (1 - step)
    tp, fn, fp = (np.repeat(each[None], len(own), axis=0) for each in (base.tp, base.fn, base.fp))
    tp[row, own] += right
    fn[row, own] += wrong
    fp[row, other] += wrong
    weighted = base.weighted
    if base.weighting is not None and weighted is not None:
        weighted = weighted + right * base.weighting[own, own] + wrong * base.weighting[own, other]
    return ClassMargins(tp, fn, fp, base.weighting, weighted)

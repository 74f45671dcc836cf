"""Metrics of a K x K table: whole-table summaries, and averages of every binary metric of decisions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics._definition import ratio
from unconfuse.multiclass._definition import ClassExample, ClassMetric, class_metric
from unconfuse.multiclass.cells import Margins
from unconfuse.table import Array, Counts

_EXAMPLE = [[50, 3, 2], [10, 30, 5], [0, 4, 16]]
AVERAGES = ("macro", "micro", "weighted")


@class_metric(
    label="Accuracy",
    question="What share of all cases got their true class?",
    formula=r"\sum_k n_{kk} / n",
    chance=lambda truth, predicted: float(truth @ predicted),
    interval="mid_p",
    misleads="Always naming the largest class may already be accurate.",
    references=("Sammut & Webb (2010), Encyclopedia of Machine Learning.",),
    example=ClassExample(_EXAMPLE, 0.8),
)
def accuracy(m: Margins) -> Array:
    """Right decisions over all."""
    return ratio(m.right.sum(axis=-1), m.total)


@class_metric(
    label="Balanced accuracy (mean recall)",
    formula=r"\frac1K \sum_k n_{kk} / t_k",
    question="What share of a class's cases got their class, averaged over the classes that occur?",
    chance=lambda truth, predicted: float(np.mean(predicted[truth > 0])),
    depends_on_prevalence=False,
    undefined="no class occurs",
    misleads="A class of three cases counts as much as one of three thousand.",
    references=("Brodersen et al. (2010), ICPR.",),
    example=ClassExample(_EXAMPLE, (50 / 55 + 30 / 45 + 16 / 20) / 3),
)
def balanced_accuracy(m: Margins) -> Array:
    """Mean recall of the classes that occur."""
    return _mean(ratio(m.right, m.truth))


@class_metric(
    label="Matthews correlation (Gorodkin's R_K)",
    range=(-1.0, 1.0),
    chance=lambda truth, predicted: 0.0,
    question="How strongly do predicted and true classes go together, all confusions counted?",
    formula=r"\frac{n \sum_k n_{kk} - \sum_k t_k p_k}{\sqrt{n^2 - \sum_k p_k^2}"
    r"\sqrt{n^2 - \sum_k t_k^2}}",
    undefined="all cases were given the same class, or all belong to one",
    references=("Gorodkin (2004), Computational Biology and Chemistry 28:367.",),
    example=ClassExample([[2, 1], [0, 3]], 0.7071067811865476),
)
def mcc(m: Margins) -> Array:
    """Correlation of the indicators of true and predicted classes."""
    together = m.total * m.right.sum(axis=-1) - (m.truth * m.predicted).sum(axis=-1)
    spread = (m.total**2 - (m.predicted**2).sum(axis=-1)) * (m.total**2 - (m.truth**2).sum(axis=-1))
    return ratio(together, np.sqrt(np.maximum(spread, 0.0)))


@class_metric(
    label="Cohen's kappa",
    range=(-1.0, 1.0),
    chance=lambda truth, predicted: 0.0,
    question="How much of the agreement that chance leaves open was reached?",
    formula=r"\frac{p_o - p_e}{1 - p_e},\ p_e = \sum_k t_k p_k / n^2",
    undefined="all cases have, and were given, one class",
    references=("Cohen (1960), Educ. Psychol. Meas. 20:37.",),
    example=ClassExample([[2, 1], [0, 3]], 2 / 3),
)
def cohen_kappa(m: Margins) -> Array:
    """Agreement beyond that of the margins."""
    expected = (m.truth * m.predicted).sum(axis=-1)
    return ratio(m.total * m.right.sum(axis=-1) - expected, m.total**2 - expected)


def _distance(power: int, size: int) -> Array:
    place = np.arange(size, dtype=np.float64)
    return np.asarray(np.abs(place[:, None] - place[None, :]) ** power)


def _weighted_kappa(m: Margins) -> Array:
    assert m.weighting is not None and m.weighted is not None
    expected = ((m.truth @ m.weighting) * m.predicted).sum(axis=-1)
    return 1 - ratio(m.total * m.weighted, expected)


def _kappa(word: str, power: int) -> ClassMetric:
    return ClassMetric(
        f"cohen_kappa_{word}",
        _weighted_kappa,
        label=f"Cohen's kappa, {word} weights",
        range=(-1.0, 1.0),
        question=f"The same when a confusion counts by the {word} distance of the classes in their given order?",
        formula=rf"1 - \frac{{\sum_{{ij}} |i-j|^{power} n_{{ij}}}}{{\sum_{{ij}} |i-j|^{power} t_i p_j / n}}",
        chance=lambda truth, predicted: 0.0,
        weighting=partial(_distance, power),
        undefined="all cases have, and were given, one class",
        misleads="It has a meaning only if classes are ordered.",
        references=("Cohen (1968), Psychological Bulletin 70:213.",),
        example=ClassExample([[2, 1], [0, 3]], 2 / 3),
    )


cohen_kappa_linear = _kappa("linear", 1)
cohen_kappa_quadratic = _kappa("quadratic", 2)


def average_of(metric: Metric, average: str) -> ClassMetric:
    """The macro, micro or weighted average of a binary metric of decisions over one-versus-rest tables.

    Classes for which the metric is undefined are left out of macro and weighted averages, never counted as 0.
    """
    if average not in AVERAGES:
        raise ArgumentError(f"an average is one of {', '.join(AVERAGES)}; got {average!r}.")
    words = {
        "macro": "averaged over the classes, each counting the same",
        "micro": "over the pooled one-versus-rest decisions of all classes",
        "weighted": "averaged over the classes, each counting by its cases",
    }[average]
    return ClassMetric(
        f"{metric.name}_{average}",
        partial(_average, metric, average),
        label=f"{metric.label}, {average}",
        question=f"{metric.question.rstrip('?')}, {words}?" if metric.question else words,
        range=metric.range,
        better=metric.better,
        formula=_formula(metric, average),
        # What counts positives alone keeps its value; the rest of a class changes with the shares of the others.
        depends_on_prevalence=not (average == "macro" and metric.paired == "positives"),
        chance=partial(_chance, metric, average),
        undefined="undefined for every class" if average != "micro" else metric.undefined,
        misleads=metric.misleads,
        references=metric.references,
        details={"binary": metric.name, "average": average},
    )


def _formula(metric: Metric, average: str) -> str:
    return {
        "macro": rf"\frac1K \sum_k \left[{metric.formula}\right]_k",
        "micro": rf"\left[{metric.formula}\right]_{{\sum_k TP_k, \sum_k FP_k, \sum_k FN_k, \sum_k TN_k}}",
        "weighted": rf"\sum_k \pi_k \left[{metric.formula}\right]_k",
    }[average]


def _average(metric: Metric, average: str, m: Margins) -> Array:
    if average == "micro":
        return metric(m.pooled)
    values = metric(m.counts)
    return _mean(values) if average == "macro" else weighted_mean(values, m.truth)


def _chance(metric: Metric, average: str, truth: Array, predicted: Array) -> float:
    """Of decisions that are independent of the truth, with the same margins."""
    right = truth * predicted
    margins = Margins(right, truth, predicted, np.asarray(1.0))
    value = float(_average(metric, average, margins))
    return 0.0 if abs(value) < 1e-12 else value


def _mean(values: Array) -> Array:
    """Mean over the classes for which a value is defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no class has a value: NaN is the answer
        return np.asarray(np.nanmean(values, axis=-1))


def weighted_mean(values: Array, weights: Array) -> Array:
    """The same with weights."""
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values * weights, 0.0).sum(axis=-1), np.where(defined, weights, 0.0).sum(axis=-1))


def undefined_classes(metric: ClassMetric, counts: Counts, classes: Sequence[str]) -> str:
    """Which classes an average leaves out, in words; nothing if none."""
    if metric.details.get("average") not in ("macro", "weighted"):
        return ""
    values = METRICS[metric.details["binary"]](counts)
    left = [name for name, value in zip(classes, values, strict=True) if np.isnan(value)]
    return left_out(left)


def left_out(names: Sequence[str]) -> str:
    """A remark on classes that an average leaves out."""
    if not names:
        return ""
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"undefined for {shown}: left out"

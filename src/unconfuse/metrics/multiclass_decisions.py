"""Metrics of several classes' decisions: whole-table summaries, and averages of every binary metric of decisions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import as_floats, public_api
from unconfuse.metrics import rates
from unconfuse.metrics._inference import Average
from unconfuse.metrics._metric import Metric, made, ratio
from unconfuse.table import Array, ClassMargins

# How classes are averaged: in words, and in LaTeX.
KINDS = {
    "macro": ("averaged over the classes, each counting the same", r"\frac1K \sum_k \left[%s\right]_k"),
    "micro": (
        "over the pooled one-versus-rest decisions of all classes",
        r"\left[%s\right]_{\sum_k TP_k, \sum_k FP_k, \sum_k FN_k, \sum_k TN_k}",
    ),
    "weighted": ("averaged over the classes, each counting by its cases", r"\sum_k \pi_k \left[%s\right]_k"),
}
AVERAGES = tuple(KINDS)
# What a class counts in an average that occurs and is never predicted: none of its cases is found, as tools agree.
_UNPREDICTED = ((rates.precision, 0.0), (rates.false_discovery_rate, 1.0))
_MATRIX = np.array([[50.0, 3, 2], [10, 30, 5], [0, 4, 16]])
_TWO = np.array([[2.0, 1], [0, 3]])


def of_several(*, name: str = "", data: Any = None, **declared: Any) -> Callable[[Any], Metric]:
    """Declare a metric of several classes by decorating its function; from 0 to 1 as a rule."""
    return lambda function: made(name or function.__name__, function, data, **({"range": (0.0, 1.0)} | declared))


_of_cells = partial(of_several, of="cells", data=_MATRIX)
_correlation = partial(of_several, of="cells", data=_TWO, range=(-1.0, 1.0), chance=lambda truth, predicted: 0.0)


@_of_cells(
    label="Accuracy",
    question="What share of all cases is labelled with its true class?",
    formula=r"\sum_k n_{kk} / n",
    chance=lambda truth, predicted: float(truth @ predicted),
    interval="mid_p",
    paired="all",
    two_class="accuracy",
    misleads="Always predicting the largest class may already be accurate.",
    references=("Sammut & Webb (2010), Encyclopedia of Machine Learning.",),
    example=0.8,
)
def accuracy(m: ClassMargins) -> Array:
    """Right decisions over all."""
    return ratio(m.tp.sum(axis=-1), m.total)


@_of_cells(
    label="Balanced accuracy (mean recall)",
    question="What share of a class is labelled correctly, averaged over those that occur?",
    formula=r"\frac1K \sum_k n_{kk} / t_k",
    chance=lambda truth, predicted: float(np.mean(predicted[truth > 0])),
    depends_on_prevalence=False,
    undefined="no class occurs",
    two_class="balanced_accuracy",
    misleads="A class of three cases counts as much as one of three thousand.",
    references=("Brodersen et al. (2010), ICPR.",),
    example=(50 / 55 + 30 / 45 + 16 / 20) / 3,
)
def balanced_accuracy(m: ClassMargins) -> Array:
    """Mean recall of the classes that occur."""
    return mean_over_classes(ratio(m.tp, m.truth))


@_correlation(
    label="Matthews correlation (Gorodkin's R_K)",
    question="How strongly do predicted and true classes go together, all confusions counted?",
    formula=r"\frac{n \sum_k n_{kk} - \sum_k t_k p_k}{\sqrt{n^2 - \sum_k p_k^2}\sqrt{n^2 - \sum_k t_k^2}}",
    undefined="all cases are labelled with the same class, or all belong to one",
    two_class="mcc",
    references=("Gorodkin (2004), Computational Biology and Chemistry 28:367.",),
    example=0.7071067811865476,
)
def mcc(m: ClassMargins) -> Array:
    """Correlation of the indicators of true and predicted classes."""
    together = m.discordant_pairs(m.truth, m.predicted) - m.total * m.errors
    spread = np.sqrt(m.discordant_pairs(m.truth, m.truth)) * np.sqrt(m.discordant_pairs(m.predicted, m.predicted))
    # Where some cases weigh a billion times as much as others, what is left of the difference may be too large.
    return np.clip(ratio(together, np.where(spread > 0, spread, np.nan)), -1.0, 1.0)


@_correlation(
    label="Cohen's kappa",
    question="How much of the agreement beyond chance that is possible was reached?",
    formula=r"\frac{p_o - p_e}{1 - p_e},\ p_e = \sum_k t_k p_k / n^2",
    undefined="all cases have one class, and are labelled with it",
    two_class="cohen_kappa",
    references=("Cohen (1960), Educ. Psychol. Meas. 20:37.",),
    example=2 / 3,
)
def cohen_kappa(m: ClassMargins) -> Array:
    """Agreement beyond that of the margins."""
    apart = m.discordant_pairs(m.truth, m.predicted)
    return 1 - ratio(m.total * m.errors, np.where(apart > 0, apart, np.nan))


def _distance(power: int, size: int) -> Array:
    place = np.arange(size, dtype=np.float64)
    return np.asarray(np.abs(place[:, None] - place[None, :]) ** power)


def _weighted_kappa(m: ClassMargins) -> Array:
    assert m.weighting is not None and m.weighted is not None
    expected = ((m.truth @ m.weighting) * m.predicted).sum(axis=-1)
    return 1 - ratio(m.total * m.weighted, expected)


def _kappa(word: str, power: int) -> Metric:
    return _correlation(
        label=f"Cohen's kappa, {word} weights",
        question=f"The same when a confusion counts by the {word} distance of the classes in their given order?",
        name=f"cohen_kappa_{word}",
        formula=rf"1 - \frac{{\sum_{{ij}} |i-j|^{power} n_{{ij}}}}{{\sum_{{ij}} |i-j|^{power} t_i p_j / n}}",
        weighting=partial(_distance, power),
        ordinal=True,
        undefined="all cases have one class, and are labelled with it",
        two_class="cohen_kappa",
        misleads="It has a meaning only if classes are ordered, and it takes neighbours to be equally far apart.",
        references=("Cohen (1968), Psychological Bulletin 70:213.",),
        example=2 / 3,
    )(_weighted_kappa)


cohen_kappa_linear = _kappa("linear", 1)
cohen_kappa_quadratic = _kappa("quadratic", 2)


def average_of_decisions(binary: Metric, kind: str) -> Metric:
    """Declare the macro, micro or weighted average of a binary metric of decisions over one-versus-rest tables.

    One rule for macro and weighted averages: a class counts if the metric is defined for it, as F1 and precision are
    (they are 0) for one that is predicted and does not occur. One that occurs and is never predicted has a precision
    of 0 there, and so the values are scikit-learn's. Others are left out, never counted as 0: the recall of a class
    that does not occur. The micro average of a share of right decisions, over all classes, is the accuracy, and has
    its interval.
    """
    words, formula = KINDS[kind]
    is_accuracy = kind == "micro" and binary.name in ("f1", "precision", "sensitivity")
    return averaged(
        binary,
        kind,
        _average,
        of="cells",
        question=f"{binary.question.rstrip('?')}, {words}?" if binary.question else words,
        formula=formula % binary.formula,
        depends_on_prevalence=not (kind == "macro" and binary.inference.paired == "positives"),
        chance=partial(_chance, binary, kind),
        undefined="undefined for every class" if kind != "micro" else binary.undefined,
        interval="mid_p" if is_accuracy else "bootstrap",
        paired="all" if is_accuracy else "",
    )


def averaged(binary: Metric, kind: str, function: Callable[..., Any], **declared: Any) -> Metric:
    """Declare a metric of several classes that averages one of two, and what it takes over from the latter."""
    taken = {key: getattr(binary, key) for key in ("range", "better", "misleads", "references")}
    name, label = f"{binary.name}_{kind}", f"{binary.label}, {kind}"
    compute = partial(function, binary, kind)
    return Metric(name, compute, label=label, average=Average(binary, kind), **taken, **declared)


def _average(binary: Metric, kind: str, m: ClassMargins) -> Array:
    if kind == "micro":
        return binary(m.pooled)
    values = values_in_average(binary, m)
    return mean_over_classes(values) if kind == "macro" else weighted_mean(values, m.truth)


def values_in_average(binary: Metric, m: ClassMargins) -> Array:
    """Each class's value as a macro or weighted average counts it; NaN of those that it leaves out."""
    values = np.asarray(binary(m.counts))
    for metric, counted in _UNPREDICTED:
        if binary.value is metric.value:
            return np.where((m.predicted == 0) & (m.truth > 0), counted, values)
    return values


def _chance(binary: Metric, kind: str, truth: Array, predicted: Array) -> float:
    """Of decisions that are independent of the truth, with the same margins."""
    value = float(
        _average(binary, kind, ClassMargins(truth * predicted, truth * (1 - predicted), predicted * (1 - truth)))
    )
    return 0.0 if abs(value) < 1e-12 else value


def mean_over_classes(values: Array) -> Array:
    """Mean over the classes for which a value is defined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no class has a value: NaN is the answer
        return np.asarray(np.nanmean(values, axis=-1))


def weighted_mean(values: Array, weights: Array) -> Array:
    """Return the weighted mean over the classes for which a value is defined."""
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values * weights, 0.0).sum(axis=-1), np.where(defined, weights, 0.0).sum(axis=-1))


def left_out(names: Sequence[str]) -> str:
    """Return a remark on classes that an average leaves out, or nothing."""
    return f"undefined for {_listed(names)}: left out" if names else ""


def absentees(names: Sequence[str]) -> str:
    """Return a remark on classes without a case that an average counts, or nothing."""
    return f"counts {_listed(names)}, predicted but never true" if names else ""


def unpredicted(average: Average, m: ClassMargins, classes: Sequence[str]) -> str:
    """Return a remark on classes that an average counts though they were never predicted, or nothing."""
    counted = np.isnan(average.of(m.counts)) & ~np.isnan(values := values_in_average(average.of, m))
    names = [name for name, each in zip(classes, counted, strict=True) if each]
    return f"never predicted, counted as {values[counted][0]:g}: {_listed(names)}" if names else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def check_costs(costs: object, size: int | None = None) -> Array:
    """Check that the costs are a K x K matrix of finite numbers, rows = truth, and return it."""
    try:
        matrix = as_floats(costs, "costs")
    except ArgumentError:
        raise InputError("`costs` must be a matrix of numbers, rows = truth, columns = decision.") from None
    if matrix.ndim != 2 or not matrix.size or matrix.shape != (size or len(matrix),) * 2:
        rows = f"{size} rows (truth) and {size} columns (decision)" if size else "as many rows (truth) as columns"
        raise ArgumentError(f"`costs` must have {rows}; got shape {matrix.shape}.")
    if not np.isfinite(matrix).all():
        raise InputError("`costs` must be finite numbers.")
    return matrix


@public_api
def class_cost(costs: Sequence[Sequence[float]]) -> Metric:
    """Measure the mean cost of the predicted classes, as a metric of decisions for `evaluate` and `compare`.

    Examples
    --------
    >>> class_cost([[0, 1], [5, 0]])([[8, 2], [1, 9]])
    array(0.35)
    """
    matrix = check_costs(costs)
    return _of_cells(
        label="Mean cost of a case",
        question="What do the decisions cost, on average over the cases?",
        name="expected_cost",
        range=(float(matrix.min()), float(matrix.max())),
        better="lower",
        formula=r"\sum_{ij} C_{ij} n_{ij} / n",
        weighting=lambda size: check_costs(matrix, size),
        chance=lambda truth, predicted: float(truth @ matrix @ predicted),
    )(lambda m: m.weighted / m.total)

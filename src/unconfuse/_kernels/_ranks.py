"""Ranks, and replicates of them: areas and best thresholds of score tables, DeLong's moments, many classes, one against
the rest; bootstrap resamples of a table or of rows, and samples from a population known by its ROC curve.

What replicate i of a seed is depends on nothing else: not on slices, threads or metrics. Callers that want to show
progress or to be interrupted ask for slices: `first` is the number of the first replicate, `count` how many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._kernels import _native
from unconfuse._kernels._score_tables import (
    Counts32,
    Flags,
    Floats,
    Integers,
    Threads,
    as_stack,
    flags,
    floats,
    integers,
    threads,
)

AREAS = ("auroc", "average_precision", "auprc_davis_goadrich")
_AT_THRESHOLDS = ("max_f1", "max_youden", "ks", "max_mcc", "break_even_precision", "precision_at_indistinguishability")
_OF_CURVES = ("equal_error_rate", "auch", "h_measure", "auprc_trapezoid", "auprg")
RANK_METRICS = (*AREAS, "auprc_integral", *_AT_THRESHOLDS, *_OF_CURVES)  # in the order of the kernels
# As in roc_samples.hpp.
_LEVELS, _KNOTS, _MAGNIFIED = 6, 1024, 16
Design = Literal["case-control", "cohort"]
Scores = npt.NDArray[Any]
_DESIGNS = {"case-control": 0, "cohort": 1}
MOST_DRAWN = 2**31 - 2


def design_of(fixed_classes: bool) -> Design:
    """Return what the compiled loops call a study that chose, or did not choose, its class totals."""
    return "case-control" if fixed_classes else "cohort"


class PlacementMoments(NamedTuple):
    """What DeLong's variance and the exact bootstrap variance of the AUROC are made of (variances with ddof 0)."""

    auroc: float
    positive_variance: float
    negative_variance: float
    pair_variance: float
    n_positives: float
    n_negatives: float

    @property
    def delong_variance(self) -> float:
        """DeLong, DeLong & Clarke-Pearson (1988): sample variances (ddof 1) of both kinds of placements."""
        terms = (self.positive_variance, self.n_positives), (self.negative_variance, self.n_negatives)
        return sum(variance / (n - 1) if n > 1 else float("nan") for variance, n in terms)


def rank_metrics(
    positives: Floats, negatives: Floats, metrics: Iterable[str] = RANK_METRICS, *, n_threads: Threads = 1
) -> dict[str, Floats]:
    """Rank metrics of a table, or of each table in arrays of shape (..., k); NaN where a class is empty.

    Weights need not be whole numbers. `auprc_davis_goadrich` interpolates precision at unit steps of weight from the
    start of each tie block and at its end. `ks` is max |TPR - FPR|, `max_youden` is max (TPR - FPR), at least 0.
    `break_even_precision` labels as many as there are positives, taking a share of a tie block if need be.
    `precision_at_indistinguishability` is NaN where the AUROC is below 1/2.
    """
    names = tuple(metrics)
    tables, shape = as_stack(positives, negatives)
    out = np.empty((len(RANK_METRICS), len(tables[0])))
    _native.evaluate_ranks(*tables, wanted_bits(names), threads(n_threads), out)
    return pick(out.reshape(len(RANK_METRICS), *shape), names)


def auroc_of_counts(counts: Counts32) -> float:
    """Return the AUROC of cases that count once each; NaN where a class is empty."""
    return _native.auroc_of_counts(counts)


def placement_moments(*weights: Floats | Counts32, added: tuple[float, float] = (0, 0)) -> PlacementMoments:
    """Return the AUROC of a table with the variances of its placements, from both its columns or its counts of cases.

    `added` positives come to each negative, and negatives to each positive, at the same score: half a case spread over
    the other class's scores needs no table of its own.
    """
    return PlacementMoments(*_native.placement_moments(*weights, *added))  # type: ignore[call-overload]


def order_rows(score: Floats) -> tuple[Integers, Integers]:
    """Rows in descending order of score (ties in row order), and where each tie block ends in that order."""
    score = floats(score)
    order, block_end = np.empty(len(score), dtype=np.int64), np.empty(len(score), dtype=np.int64)
    n_blocks = _native.order_rows(score, order, block_end)
    return order, block_end[:n_blocks].copy()


def wanted_bits(names: Iterable[str]) -> int:
    """Encode the set of metrics as the kernels take it."""
    return sum(1 << RANK_METRICS.index(name) for name in set(names))


def pick(values: Floats, names: Iterable[str]) -> dict[str, Floats]:
    """Return the wanted rows of an array whose first axis runs over all rank metrics."""
    return {name: values[RANK_METRICS.index(name)] for name in names}


class ClassRanks(NamedTuple):
    """Each class's own scores, what lies between them, and each row's share in that.

    The slots of class k (below its first level, tied with it, between, ...) begin at `2 * start[k] + k`.
    """

    level: Scores  # distinct scores of each class's own cases, ascending, class after class
    start: Integers  # where each class begins in `level`, (K + 1,)
    own: Floats  # weight of the class's own cases at each level
    others: Floats  # weight of all other cases in each slot
    balanced: Floats  # the same with every class counted as 1
    credit: Floats  # share of the class's own cases above each slot, ties half
    sums: Floats  # for each row, its credits over all other classes, weighted by each of the C coefficients, (C, n)


def class_ranks(
    scores: Scores,
    truth: Integers,
    weights: Floats | None = None,
    *,
    coefficients: Floats | None = None,
    n_threads: Threads = None,
) -> ClassRanks:
    """Rank every class's own cases among all others: the cost follows the matrix, the memory only the rows."""
    truth, n_classes = integers(truth), scores.shape[1]
    weight = np.ones(len(truth)) if weights is None else floats(weights)
    level, start, own, sizes = _levels(scores, truth, weight)
    credit = _credits(start, own, sizes)
    factors = np.zeros((0, n_classes)) if coefficients is None else floats(np.atleast_2d(coefficients))
    others, balanced = np.zeros(len(credit)), np.zeros(len(credit))
    sums = np.zeros((len(factors), len(truth)))
    room = 2.0 ** (np.ceil(np.log2(max(n_classes, 1))) + 1)  # their sums stay below this, and are then exact
    shares = np.divide(weight, sizes[truth], out=np.zeros(len(truth)), where=sizes[truth] > 0)
    balanced_weight = (shares + room) - room
    given = scores, level, start, truth, weight, balanced_weight, credit, factors
    _native.class_ranks(*given, others, balanced, sums, threads(n_threads))
    return ClassRanks(level, start, own, others, balanced, credit, sums)


def _levels(scores: Scores, truth: Integers, weight: Floats) -> tuple[Scores, Integers, Floats, Floats]:
    """Distinct own scores of each class with their weight, where each class starts, and its size."""
    n_classes = scores.shape[1]
    own_score = scores[np.arange(len(truth)), truth]
    order = np.lexsort((own_score, truth))
    order = order[weight[order] > 0]  # a row of weight 0 is no row
    of_class, value = truth[order], own_score[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (value[1:] != value[:-1]) | (of_class[1:] != of_class[:-1])
    first = np.flatnonzero(new)
    at = np.add.reduceat(weight[order], first) if len(first) else np.zeros(0)
    start = np.searchsorted(of_class[first], np.arange(n_classes + 1)).astype(np.int64)
    return value[first], start, floats(at), floats(np.bincount(truth, weights=weight, minlength=n_classes))


def _credits(start: Integers, own: Floats, sizes: Floats) -> Floats:
    """Share of own cases above each slot; ties count half."""
    credit = np.zeros(2 * len(own) + len(start) - 1)
    for k in range(len(start) - 1):
        at = own[start[k] : start[k + 1]]
        above = np.concatenate([np.cumsum(at[::-1])[::-1], [0.0]])
        here = credit[2 * start[k] + k : 2 * start[k + 1] + k + 1]
        here[::2] = above
        here[1::2] = above[1:] + at / 2
        if sizes[k] > 0:
            here /= sizes[k]
    return credit


def check_drawable(*weights: Floats) -> None:
    """Weights of which as many cases can be drawn as they add up to: ranks are counted in 32 bits."""
    total = sum(float(weight.sum()) for weight in weights)
    if not total > MOST_DRAWN:
        return
    hint = "Hint: ask for metrics whose intervals need no resampling, such as auroc and sensitivity, or divide weights."
    raise InputError(f"resampling draws at most {MOST_DRAWN:,} cases; the weights add up to {total:g}. {hint}")


def bootstrap_ranks(
    positives: Floats,
    negatives: Floats,
    *,
    seed: int,
    count: int,
    first: int = 0,
    design: Design = "cohort",
    metrics: Iterable[str] = AREAS,
    n_threads: Threads = None,
) -> dict[str, Floats]:
    """Rank metrics of bootstrap replicates of a table: one array of `count` values for each metric.

    Case-control keeps the weight of each class, cohort only their sum; a replicate without one of the classes is NaN.
    With weights, as many cases are drawn as the total weight, rounded, with probabilities proportional to weight. The
    cost of a replicate grows with the number of blocks that hold positives, not with the number of rows.
    """
    names = tuple(metrics)
    table = floats(positives), floats(negatives)
    check_drawable(*table)
    out = np.empty((len(RANK_METRICS), count))
    _native.bootstrap_ranks(*table, _DESIGNS[design], seed, first, threads(n_threads), wanted_bits(names), out)
    return pick(out, names)


def bootstrap_tables(
    positives: Floats,
    negatives: Floats,
    *,
    seed: int,
    count: int,
    design: Design,
    first: int = 0,
    n_threads: Threads = None,
) -> tuple[Floats, Floats]:
    """Draw the replicates of `bootstrap_ranks` as full tables: weights of shape (count, k) for each class."""
    table = floats(positives), floats(negatives)
    check_drawable(*table)
    out = np.empty((count, len(table[0]))), np.empty((count, len(table[0])))
    _native.bootstrap_tables(*table, _DESIGNS[design], seed, first, threads(n_threads), *out)
    return out


def bootstrap_rows(
    weights: Floats, *, seed: int, count: int, first: int = 0, strata: Integers | None = None, n_threads: Threads = None
) -> Counts32:
    """How often each unit (a row, or a cluster of rows) is drawn: shape (count, units).

    Each stratum yields as many draws as its weight, rounded. For a cohort leave `strata` out, for case-control give the
    class (0 or 1) of each row; clusters have weight 1 each.
    """
    weights = floats(weights)
    check_drawable(weights)
    out = np.empty((count, len(weights)), dtype=np.uint32)
    _native.bootstrap_units(weights, _if_given(integers, strata), seed, first, threads(n_threads), out)
    return out


class UnitTotals(NamedTuple):
    """What units (rows, or clusters of rows) hold in each of some cells, cell by cell."""

    start: Integers
    unit: Integers
    held: Floats

    @classmethod
    def of(cls, cell: Integers, unit: Integers, held: Floats, n_cells: int) -> UnitTotals:
        """From rows that hold something in one cell each; what a unit's rows hold in one cell is added up."""
        n_units = int(unit.max()) + 1 if len(unit) else 1
        places, of_row = np.unique(integers(cell) * n_units + unit, return_inverse=True)
        start = np.searchsorted(places, np.arange(n_cells + 1) * n_units)
        sums = np.bincount(of_row, weights=held, minlength=len(places))
        return cls(integers(start), integers(places % n_units), floats(sums))

    def sums(self, times: Floats, *, n_threads: Threads = None) -> Floats:
        """Sum what all units hold in each cell, for every row of how often each unit counts: shape (rows, cells)."""
        out = np.empty((len(times), len(self.start) - 1))
        _native.sums_of_units(*self, floats(times), threads(n_threads), out)
        return out


def paired_bootstrap_ranks(
    orders: Sequence[tuple[Integers, Integers]],
    is_positive: Flags,
    *,
    seed: int,
    count: int,
    first: int = 0,
    weights: Floats | None = None,
    strata: Integers | None = None,
    unit_of_row: Integers | None = None,
    row_weights: Floats | None = None,
    metrics: Iterable[str] = AREAS,
    n_threads: Threads = None,
) -> dict[str, Floats]:
    """Rank metrics of several models under the same row multiplicities: arrays of shape (models, count).

    `orders` has one pair for each model, from `order_rows`. `weights` (1 if left out) and `strata` are of the units, as
    in `bootstrap_rows`, and the replicates are the same as there. `unit_of_row` is the cluster of each row; without it,
    every row is its own unit. `row_weights` is what a row counts each time its cluster is drawn; without clusters
    weights belong in `weights`.
    """
    names, positive = tuple(metrics), flags(is_positive)
    clusters = _if_given(integers, unit_of_row)
    if weights is None:
        weights = np.ones(len(positive) if clusters is None else int(clusters.max(initial=-1)) + 1)
    check_drawable(floats(weights))
    order_of, end_of = ([integers(order[place]) for order in orders] for place in (0, 1))
    units = floats(weights), _if_given(integers, strata), clusters, _if_given(floats, row_weights)
    out = np.empty((len(RANK_METRICS), len(orders), count))
    how = seed, first, threads(n_threads), wanted_bits(names)
    _native.paired_bootstrap_ranks(order_of, end_of, positive, *units, *how, out)
    return pick(out, names)


def _if_given(kind: Callable[[npt.ArrayLike], npt.NDArray[Any]], values: npt.ArrayLike | None) -> Any:
    return None if values is None else kind(values)


def roc_table(fpr_at: Callable[[Floats], Floats]) -> Floats:
    """Tabulate the false positive rate at every true positive rate, magnified towards both ends."""
    distance = np.linspace(0, 0.5, _KNOTS + 1) * float(_MAGNIFIED) ** -np.arange(_LEVELS)[:, None]
    return np.ascontiguousarray(np.stack([fpr_at(distance), fpr_at(1 - distance)]), dtype=np.float64).reshape(-1)


def roc_samples(
    table: Floats,
    n_positives: int,
    n_negatives: int,
    *,
    seed: int,
    count: int,
    first: int = 0,
    metrics: Iterable[str] = AREAS,
    n_threads: Threads = None,
) -> dict[str, Floats]:
    """Rank metrics of samples without ties, from a table made by `roc_table`: `count` values for each metric."""
    names = tuple(metrics)
    out = np.empty((len(RANK_METRICS), count))
    _native.roc_samples(table, n_positives, n_negatives, seed, first, threads(n_threads), wanted_bits(names), out)
    return pick(out, names)

"""Ranks: areas and best thresholds of score tables, DeLong's moments, and many classes, one against the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._kernels import _native
from unconfuse._kernels._tables import Floats, Integers, floats, integers, threads

RANK_METRICS = (
    "auroc",
    "average_precision",
    "auprc_davis_goadrich",
    "auprc_integral",
    "max_f1",
    "max_youden",
    "ks",
    "max_mcc",
    "break_even_precision",
    "precision_at_indistinguishability",
)
AREAS = RANK_METRICS[:3]


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
    positives: Floats, negatives: Floats, metrics: Iterable[str] = RANK_METRICS, *, n_threads: int | None = 1
) -> dict[str, Floats]:
    """Rank metrics of a table, or of each table in arrays of shape (..., k); NaN where a class is empty.

    Weights need not be whole numbers. `auprc_davis_goadrich` interpolates precision at unit steps of weight from the
    start of each tie block and at its end. `ks` is max |TPR - FPR|, `max_youden` is max (TPR - FPR), at least 0.
    `break_even_precision` labels as many as there are positives, taking a share of a tie block if need be.
    `precision_at_indistinguishability` is NaN where the AUROC is below 1/2.
    """
    names = tuple(metrics)
    positives, negatives = np.broadcast_arrays(floats(positives), floats(negatives))
    shape, size = positives.shape[:-1], positives.shape[-1]
    out = np.empty((len(RANK_METRICS), int(np.prod(shape))))
    flat = (out.shape[1], size)
    tables = floats(positives).reshape(flat), floats(negatives).reshape(flat)
    _native.evaluate_ranks(*tables, wanted_bits(names), threads(n_threads), out)
    return pick(out.reshape(len(RANK_METRICS), *shape), names)


def placement_moments(
    positives: Floats, negatives: Floats, *, added: tuple[float, float] = (0.0, 0.0)
) -> PlacementMoments:
    """The AUROC of a table with the variances of its placements.

    `added` positives come to each negative, and negatives to each positive, at the same score: half a case spread over
    the other class's scores needs no table of its own.
    """
    return PlacementMoments(*_native.placement_moments(floats(positives), floats(negatives), *added))


def order_rows(score: Floats) -> tuple[Integers, Integers]:
    """Rows in descending order of score (ties in row order), and where each tie block ends in that order."""
    score = floats(score)
    order, block_end = np.empty(len(score), dtype=np.int64), np.empty(len(score), dtype=np.int64)
    n_blocks = _native.order_rows(score, order, block_end)
    return order, block_end[:n_blocks].copy()


def wanted_bits(names: Iterable[str]) -> int:
    """The set of metrics as the kernels take it."""
    return sum(1 << RANK_METRICS.index(name) for name in set(names))


def pick(values: Floats, names: Iterable[str]) -> dict[str, Floats]:
    """The wanted rows of an array whose first axis runs over all rank metrics."""
    return {name: values[RANK_METRICS.index(name)] for name in names}


class ClassRanks(NamedTuple):
    """Each class's own scores, what lies between them, and each row's share in that.

    Attributes
    ----------
    level : array
        Distinct scores of each class's own cases, ascending, class after class.
    start : array of shape (K + 1,)
        Where each class begins in `level`; its slots (below the first, tied with it, between, ...) begin at
        `2 * start[k] + k`.
    own : array
        Weight of the class's own cases at each level.
    others, balanced : array
        Weight of all other cases in each slot: as it is, and with every class counted as 1.
    credit : array
        Share of the class's own cases above each slot, ties half.
    sums : array of shape (C, n)
        For each row, its credits over all other classes, weighted by each of the C coefficients.
    """

    level: npt.NDArray[Any]
    start: Integers
    own: Floats
    others: Floats
    balanced: Floats
    credit: Floats
    sums: Floats


def class_ranks(
    scores: npt.NDArray[Any],
    truth: Integers,
    weights: Floats | None = None,
    *,
    coefficients: Floats | None = None,
    n_threads: int | None = None,
) -> ClassRanks:
    """Rank every class's own cases among all others: the cost follows the matrix, the memory only the rows."""
    truth, n_classes = integers(truth), scores.shape[1]
    weight = np.ones(len(truth)) if weights is None else floats(weights)
    level, start, own, sizes = _levels(scores, truth, weight)
    credit = _credits(start, own, sizes)
    factors = np.zeros((0, n_classes)) if coefficients is None else floats(np.atleast_2d(coefficients))
    others, balanced = np.zeros(len(credit)), np.zeros(len(credit))
    sums = np.zeros((len(factors), len(truth)))
    _native.class_ranks(
        scores,
        level,
        start,
        truth,
        weight,
        weight / sizes[truth],
        credit,
        factors,
        others,
        balanced,
        sums,
        threads(n_threads),
    )
    return ClassRanks(level, start, own, others, balanced, credit, sums)


def _levels(
    scores: npt.NDArray[Any], truth: Integers, weight: Floats
) -> tuple[npt.NDArray[Any], Integers, Floats, Floats]:
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

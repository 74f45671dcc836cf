"""Ranks of many classes, one against the rest, in one pass over a matrix of scores that is never copied."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._kernels import _native
from unconfuse._kernels._arrays import Floats, Integers, floats, integers, threads


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
    """Rank every class's own cases among all others: the cost follows the matrix, the memory only the rows.

    Examples
    --------
    >>> ranks = class_ranks(np.array([[.8, .2], [.3, .7], [.6, .4]]), np.array([0, 1, 0]))
    >>> ranks.level, ranks.others
    (array([0.6, 0.8, 0.7]), array([1., 0., 0., 0., 0., 2., 0., 0.]))
    """
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

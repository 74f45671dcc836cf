"""Rank metrics of score tables: areas, best thresholds, DeLong's moments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from unconfuse._kernels import _native
from unconfuse._kernels._arrays import Floats, Integers, floats, threads

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
    """What DeLong's variance and that of infinitely many resamples are made of (variances with ddof 0)."""

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

    Examples
    --------
    >>> values = rank_metrics(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]), ["auroc", "average_precision"])
    >>> {name: round(float(value), 4) for name, value in values.items()}
    {'auroc': 0.75, 'average_precision': 0.8333}
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

    Examples
    --------
    >>> moments = placement_moments(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    >>> moments.auroc, moments.positive_variance, moments.delong_variance
    (0.75, 0.0625, 0.125)
    """
    return PlacementMoments(*_native.placement_moments(floats(positives), floats(negatives), *added))


def order_rows(score: Floats) -> tuple[Integers, Integers]:
    """Rows in descending order of score (ties in row order), and where each tie block ends in that order.

    Examples
    --------
    >>> order_rows(np.array([.1, .9, .1]))
    (array([1, 0, 2]), array([1, 3]))
    """
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

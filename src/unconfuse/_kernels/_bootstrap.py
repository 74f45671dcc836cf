"""Replicates: bootstrap resamples of a table or of rows, and samples from a population known by its ROC curve.

What replicate i of a seed is depends on nothing else: not on slices, threads or metrics. Callers that want to show
progress or to be interrupted ask for slices: `first` is the number of the first replicate, `count` how many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np

from unconfuse._kernels import _native
from unconfuse._kernels._ranks import AREAS, RANK_METRICS, pick, wanted_bits
from unconfuse._kernels._tables import Counts32, Flags, Floats, Integers, flags, floats, integers, threads

# As in roc_samples.hpp.
_LEVELS, _KNOTS, _MAGNIFIED = 6, 1024, 16
Design = Literal["case-control", "cohort"]
_DESIGNS = {"case-control": 0, "cohort": 1}


def bootstrap_ranks(
    positives: Floats,
    negatives: Floats,
    *,
    seed: int,
    count: int,
    first: int = 0,
    design: Design = "cohort",
    metrics: Iterable[str] = AREAS,
    n_threads: int | None = None,
) -> dict[str, Floats]:
    """Rank metrics of bootstrap replicates of a table: one array of `count` values for each metric.

    Case-control keeps the weight of each class, cohort only their sum; a replicate without one of the classes is NaN.
    With weights, as many cases are drawn as the total weight, rounded, with probabilities proportional to weight. The
    cost of a replicate grows with the number of blocks that hold positives, not with the number of rows.
    """
    names = tuple(metrics)
    out = np.empty((len(RANK_METRICS), count))
    table = floats(positives), floats(negatives)
    _native.bootstrap_ranks(*table, _DESIGNS[design], seed, first, threads(n_threads), wanted_bits(names), out)
    return pick(out, names)


def bootstrap_tables(
    positives: Floats,
    negatives: Floats,
    *,
    seed: int,
    count: int,
    first: int = 0,
    design: Design = "cohort",
    n_threads: int | None = None,
) -> tuple[Floats, Floats]:
    """The same replicates as full tables: weights of shape (count, k) for each class."""
    table = floats(positives), floats(negatives)
    out = np.empty((count, len(table[0]))), np.empty((count, len(table[0])))
    _native.bootstrap_tables(*table, _DESIGNS[design], seed, first, threads(n_threads), *out)
    return out


def bootstrap_rows(
    weights: Floats,
    *,
    seed: int,
    count: int,
    first: int = 0,
    strata: Integers | None = None,
    n_threads: int | None = None,
) -> Counts32:
    """How often each unit (a row, or a cluster of rows) is drawn: shape (count, units).

    Each stratum yields as many draws as its weight, rounded. For a cohort leave `strata` out, for case-control give the
    class (0 or 1) of each row; clusters have weight 1 each.
    """
    weights = floats(weights)
    out = np.empty((count, len(weights)), dtype=np.uint32)
    groups = None if strata is None else integers(strata)
    _native.bootstrap_units(weights, groups, seed, first, threads(n_threads), out)
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
    n_threads: int | None = None,
) -> dict[str, Floats]:
    """Rank metrics of several models under the same row multiplicities: arrays of shape (models, count).

    Parameters
    ----------
    orders : sequence of (order, block_end)
        One pair for each model, from `order_rows`.
    weights, strata
        Of the units, as in `bootstrap_rows`; the replicates are the same as there. Weights are 1 if left out.
    unit_of_row : array of int, optional
        The cluster of each row. Without it, every row is its own unit.
    row_weights : array, optional
        What a row counts each time its cluster is drawn. Without clusters weights belong in `weights`.
    """
    names, positive = tuple(metrics), flags(is_positive)
    clusters = None if unit_of_row is None else integers(unit_of_row)
    if weights is None:
        weights = np.ones(len(positive) if clusters is None else int(clusters.max(initial=-1)) + 1)
    out = np.empty((len(RANK_METRICS), len(orders), count))
    _native.paired_bootstrap_ranks(
        [integers(order) for order, _ in orders],
        [integers(block_end) for _, block_end in orders],
        positive,
        floats(weights),
        None if strata is None else integers(strata),
        clusters,
        None if row_weights is None else floats(row_weights),
        seed,
        first,
        threads(n_threads),
        wanted_bits(names),
        out,
    )
    return pick(out, names)


def roc_table(fpr_at: Callable[[Floats], Floats]) -> Floats:
    """The false positive rate at every true positive rate, as a table that is magnified towards both ends."""
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
    n_threads: int | None = None,
) -> dict[str, Floats]:
    """Rank metrics of samples without ties, from a table made by `roc_table`: `count` values for each metric."""
    names = tuple(metrics)
    out = np.empty((len(RANK_METRICS), count))
    _native.roc_samples(table, n_positives, n_negatives, seed, first, threads(n_threads), wanted_bits(names), out)
    return pick(out, names)

"""Bootstrap replicates. What replicate i of a seed is depends on nothing else: not on slices, threads or metrics.

Callers that want to show progress or to be interrupted ask for slices: `first` is the number of the first replicate,
`count` how many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from unconfuse._kernels import _native
from unconfuse._kernels._arrays import Counts32, Flags, Floats, Integers, flags, floats, integers, threads
from unconfuse._kernels._ranks import AREAS, RANK_METRICS, pick, wanted_bits

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

    Examples
    --------
    >>> values = bootstrap_ranks(np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]), seed=1, count=3, metrics=["auroc"])
    >>> values["auroc"].shape
    (3,)
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
    """The same replicates as full tables: weights of shape (count, k) for each class.

    Examples
    --------
    >>> positives, negatives = bootstrap_tables(np.array([1., 0, 1]), np.array([0., 3, 1]), seed=1, count=2)
    >>> positives.shape, (positives + negatives).sum(axis=1)
    ((2, 3), array([6., 6.]))
    """
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

    Examples
    --------
    >>> bootstrap_rows(np.ones(5), seed=1, count=2).sum(axis=1)
    array([5, 5], dtype=uint64)
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

    Examples
    --------
    >>> from unconfuse._kernels import order_rows
    >>> orders = [order_rows(np.array(score)) for score in ([.9, .5, .4, .1], [.5, .9, .1, .4])]
    >>> values = paired_bootstrap_ranks(orders, np.array([True, False, True, False]), seed=1, count=3)
    >>> values["auroc"].shape
    (2, 3)
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

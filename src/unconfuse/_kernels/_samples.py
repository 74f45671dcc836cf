"""Samples from a population that is known by its ROC curve, evaluated at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from unconfuse._kernels import _native
from unconfuse._kernels._arrays import Floats, threads
from unconfuse._kernels._ranks import AREAS, RANK_METRICS, pick, wanted_bits

# As in roc_samples.hpp.
_LEVELS, _KNOTS, _MAGNIFIED = 6, 1024, 16


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
    """Rank metrics of samples without ties, from a table made by `roc_table`: `count` values for each metric.

    Examples
    --------
    >>> values = roc_samples(roc_table(np.square), 50, 100, seed=1, count=2000, metrics=["auroc"])
    >>> bool(abs(values["auroc"].mean() - 2 / 3) < .005)
    True
    """
    names = tuple(metrics)
    out = np.empty((len(RANK_METRICS), count))
    _native.roc_samples(table, n_positives, n_negatives, seed, first, threads(n_threads), wanted_bits(names), out)
    return pick(out, names)

"""Items and runs: means over items that may come in clusters, and how much of their variance is due to runs.

Items (questions, tasks) are the cases. Each was answered once or several times, and their answers are right, wrong or
scores in [0, 1]. Answers of one item are averaged first, so that items (or clusters of items) are what was sampled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import ndtri, stdtrit
from unconfuse.table import Array
from unconfuse.table.counts import summed, summed_by
from unconfuse.uncertainty.proportion_intervals import mid_p

Codes = npt.NDArray[np.int64]
WILSON = "Wilson (effective n)"
_PSEUDO_RUNS = 0.5  # variance of one pair of runs that disagree: without it, items that never vary would be certain


@dataclass(frozen=True, eq=False)
class ItemScores:
    """What each model got on each item, averaged over runs.

    `mean`, `within` and `runs` have a row for each item and a column for each model: the mean of the runs, their
    unbiased variance (0 where there is one run) and their number. `cluster` numbers what items belong together.
    """

    mean: Array
    within: Array
    runs: Codes
    cluster: Codes | None = None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.mean)

    @cached_property
    def n_clusters(self) -> int:
        """Number of clusters, or of items where each stands alone."""
        return self.n_items if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def has_runs(self) -> bool:
        """Whether every item was run at least twice, by every model."""
        return bool((self.runs >= 2).all())

    def added(self, values: Array) -> Array:
        """Sum values of items within clusters; return the values themselves where items stand alone."""
        return values if self.cluster is None else summed_by(self.cluster, values, self.n_clusters)


@dataclass(frozen=True)
class ItemVarianceSplit:
    """Variance of one item's score: between items, and between runs of one item."""

    items: float
    runs: float

    def of_mean(self, n_items: float, n_runs: float) -> float:
        """Return the variance of the mean of so many items, each run so often."""
        return self.items / n_items + self.runs / (n_items * n_runs)


def mean_of(values: Array) -> float:
    """Return the mean, to the same bits in any order."""
    return summed(values) / len(values)


def clustered_variance(values: Array, scores: ItemScores) -> float:
    """Return the variance of a mean over clusters (CR1: with G/(G-1)); NaN for one cluster.

    >>> alone = ItemScores(np.zeros((4, 1)), np.zeros((4, 1)), np.ones((4, 1), dtype=np.int64))
    >>> round(clustered_variance(np.array([0., 0, 1, 1]), alone), 6)  # of independent items: variance / 4
    0.083333
    """
    groups = scores.n_clusters
    if groups < 2:
        return math.nan
    sums = scores.added(values - mean_of(values))
    return summed(sums**2) * groups / (groups - 1) / len(values) ** 2


def effective_wilson(value: float, effective: float, quantile: float) -> tuple[float, float]:
    """Return Wilson's limits of a share of so many effective items.

    >>> low, high = effective_wilson(0.5, 100.0, 1.959964)
    >>> round(low, 4), round(high, 4)
    (0.4038, 0.5962)
    """
    if not effective > 0:
        return 0.0, 1.0
    share = quantile**2 / effective
    centre = (value + share / 2) / (1 + share)
    half = quantile * math.sqrt(max(value * (1 - value), 0.0) / effective + share / (4 * effective)) / (1 + share)
    return max(0.0, min(centre - half, value)), min(1.0, max(centre + half, value))


def mean_limits(values: Array, scores: ItemScores, level: float) -> tuple[float, float, str]:
    """Return the limits of a mean for new items, and the method.

    Of independent items that are right or wrong they are mid-p's, as of any share. Else they are Wilson's, with an
    effective size, two pseudo clusters and t over clusters. The pseudo clusters, one of score 0 and one of score 1,
    keep the limits apart where all items agree. Simulated: they cover .924 to .982 for 20 to 300 items with means up
    to .98, .95 to .986 in 10 to 60 clusters.
    """
    groups, n = scores.n_clusters, len(values)
    if scores.cluster is None and np.isin(values, (0.0, 1.0)).all():
        low, high = mid_p(summed(values), n, confidence_level=level)
        return float(low), float(high), "mid-p"
    size = n / groups
    total = n + 2 * size
    centre = (summed(values) + size) / total
    sums = scores.added(values - centre)
    variance = (summed(sums**2) + size**2 * (centre**2 + (1 - centre) ** 2)) * (groups + 2) / (groups + 1) / total**2
    effective = centre * (1 - centre) / variance
    return *effective_wilson(mean_of(values), effective, float(stdtrit(groups - 1, (1 + level) / 2))), WILSON


def same_items_limits(scores: ItemScores, model: int, level: float) -> tuple[float, float, float]:
    """Return the limits of a mean for new runs of the same items, and its standard error.

    Half a run of pseudo variance, and a right and a wrong run in the effective size, keep them apart where no run of
    any item differs. Simulated (docs/coverage-items.md): they cover .93 to .98.
    """
    n, runs = scores.n_items, scores.runs[:, model].astype(float)
    value, variance = mean_of(scores.mean[:, model]), summed(scores.within[:, model] / runs) / n**2
    padded = variance + _PSEUDO_RUNS / mean_of(runs) / n**2
    centre = (value * n * mean_of(runs) + 1) / (n * mean_of(runs) + 2)  # with one right and one wrong run more
    low, high = effective_wilson(value, centre * (1 - centre) / padded, float(ndtri((1 + level) / 2)))
    return low, high, math.sqrt(variance)


def split(scores: ItemScores, models: tuple[int, ...]) -> ItemVarianceSplit:
    """Return the variance of items and of runs, of one model or of the difference of two, whose runs are independent.

    Between clusters of items more varies than between items; that is counted to the items.
    """
    sign = (1.0, -1.0)
    values = sum(sign[place] * scores.mean[:, model] for place, model in enumerate(models))
    runs = sum(mean_of(scores.within[:, model]) for model in models)
    of_runs = sum(mean_of(scores.within[:, model] / scores.runs[:, model]) for model in models)
    whole = clustered_variance(np.asarray(values), scores) * scores.n_items
    return ItemVarianceSplit(max(0.0, whole - of_runs), float(runs))


def pass_at(right: Codes, runs: Codes, k: int) -> Array:
    """Return the share of k runs, drawn from those of each item, of which at least one is right: 1 - C(n-c,k)/C(n,k).

    >>> pass_at(np.array([0, 1, 5]), np.array([5, 5, 5]), 2)
    array([0. , 0.4, 1. ])
    """
    return 1 - pass_hat(runs - right, runs, k)


def pass_hat(right: Codes, runs: Codes, k: int) -> Array:
    """Return the share of k runs, drawn from those of each item, of which all are right: C(c,k)/C(n,k).

    >>> pass_hat(np.array([0, 1, 5]), np.array([5, 5, 5]), 2)
    array([0., 0., 1.])
    """
    share = np.ones(len(right))
    for place in range(k):
        share *= np.maximum(right - place, 0) / (runs - place)
    return share

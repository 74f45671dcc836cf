"""Uncertainty of the AUROC: DeLong, Hanley and McNeil, the exact binormal and bootstrap variances, paired models.

Everything but the comparison of models needs only a score table. Ties count half, weights count as that many cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, owens_t

from unconfuse import _kernels
from unconfuse.metrics import METRICS
from unconfuse.metrics._definition import ratio
from unconfuse.table import Array, ScoreTable, remembered
from unconfuse.uncertainty.influence import auroc_influence, placements
from unconfuse.uncertainty.paired import Difference, difference, row_influences
from unconfuse.uncertainty.smoothed import HALF, NamedLimits, around, half_case, logit_limits

AUROC_METHOD = "DeLong on the logit scale, half a case of unknown rank added to each class"


def delong_variance(table: ScoreTable) -> Array:
    """DeLong's variance of the AUROC: the sample variances of both classes' placements, over the class sizes.

    It is 0, and so misleading, where the classes are perfectly separated; `auroc_interval` copes with that.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44:837.

    Examples
    --------
    >>> table = ScoreTable(np.array([.8, .6, .3, .1]), np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    >>> float(delong_variance(table))
    0.125
    """
    return _area_and_variance(table)[1]


def bootstrap_variance(table: ScoreTable) -> Array:
    """The variance of the AUROC over infinitely many stratified resamples, without resampling.

    Examples
    --------
    >>> table = ScoreTable(np.array([.8, .6, .3, .1]), np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    >>> float(bootstrap_variance(table))
    0.078125
    """
    positives, negatives = table.positives.sum(axis=-1), table.negatives.sum(axis=-1)
    area = auroc_influence(table)
    between_positives, between_negatives, _ = area.parts()
    ties = (table.positives * table.negatives).sum(axis=-1) / (positives * negatives)
    between_pairs = area.value - ties / 4 - area.value**2
    between_cases = (negatives - 1) * (positives - 1) * (between_positives + between_negatives)
    return np.asarray((between_pairs + between_cases) / (positives * negatives))


def hanley_mcneil_se(auroc: npt.ArrayLike, positives: npt.ArrayLike, negatives: npt.ArrayLike) -> Array:
    """Standard error of an AUROC of which only the value is known: exact for exponential scores, else a guess.

    For normal scores and few positives it is up to 1.5 times too large at an AUROC of .95.

    References
    ----------
    Hanley and McNeil (1982), Radiology 143:29.

    Examples
    --------
    >>> round(float(hanley_mcneil_se(.75, 2, 2)), 6)
    0.276296
    """
    area = np.asarray(auroc, dtype=np.float64)
    return _pair_se(area, area / (2 - area), 2 * area**2 / (1 + area), positives, negatives)


def binormal_se(
    auroc: npt.ArrayLike, positives: npt.ArrayLike, negatives: npt.ArrayLike, *, sd_ratio: npt.ArrayLike = 1.0
) -> Array:
    """Exact standard error of the sample AUROC of normal scores; `sd_ratio` is positives' over negatives' deviation.

    Examples
    --------
    >>> round(float(binormal_se(.95, 100, 9900)), 6)
    0.009895
    """
    area, square = np.asarray(auroc, dtype=np.float64), np.square(np.asarray(sd_ratio, dtype=np.float64))
    two_positives, two_negatives = _both_below(area, 1 / (1 + square)), _both_below(area, square / (1 + square))
    return _pair_se(area, two_positives, two_negatives, positives, negatives)


def auroc_interval(table: ScoreTable, *, confidence_level: float = 0.95) -> NamedLimits:
    """The default interval of the AUROC.

    Half a case is added to each class, spread evenly over the ranks of the other class, for it could have scored
    anywhere; then DeLong's standard error is taken to the logit scale. Perfect separation thus gives an honest interval
    instead of [1, 1], and coverage stays near the level down to 10 cases in a class (docs/intervals-ranking.md).

    Examples
    --------
    >>> table = ScoreTable(np.arange(20.)[::-1], np.repeat([1., 0], 10), np.repeat([0., 1], 10))
    >>> low, high, method = auroc_interval(table)
    >>> print(f"{low:.3f} {high:.3f}, {method}")
    0.637 1.000, DeLong on the logit scale, half a case of unknown rank added to each class
    """
    centre, variance = _smoothed_area_and_variance(table)
    low, high = logit_limits(centre, np.sqrt(variance), confidence_level=confidence_level)
    return around(METRICS["auroc"](table), low, high, AUROC_METHOD)


@dataclass(frozen=True, eq=False)
class Covariance:
    """AUROCs of several models on the same cases, with the covariance matrix of their errors."""

    auroc: Array
    covariance: Array


def delong_covariance(
    is_positive: npt.NDArray[np.bool_], scores: Sequence[Array], *, weights: Array | None = None
) -> Covariance:
    """AUROCs of two or more models on the same rows and DeLong's covariance of them, in O(n log n).

    Parameters
    ----------
    is_positive : array of bool, shape (n,)
    scores : sequence of arrays of shape (n,)
        One column of scores for each model.
    weights : array of shape (n,), optional
        How many cases each row stands for.

    Examples
    --------
    >>> truth = np.array([True, False, True, False])
    >>> both = delong_covariance(truth, [np.array([.8, .6, .3, .1]), np.array([.9, .1, .8, .2])])
    >>> both.auroc, both.covariance[0]
    (array([0.75, 1.  ]), array([0.125, 0.   ]))
    """
    rows = row_influences(auroc_influence, is_positive, scores, weights=weights)
    return Covariance(rows.value, sum(rows.parts()[:2], np.zeros((len(scores), len(scores)))))


def auroc_difference(
    is_positive: npt.NDArray[np.bool_],
    first: Array,
    second: Array,
    *,
    weights: Array | None = None,
    confidence_level: float = 0.95,
) -> Difference:
    """First model's AUROC less the second's on the same rows, with DeLong's paired test.

    Not for nested models judged on their training data: their AUROCs differ too little for the normal approximation.

    Examples
    --------
    >>> truth = np.repeat([True, False], 5)
    >>> one, other = np.array([9., 8, 7, 6, 3, 5, 4, 2, 1, 0]), np.array([9., 3, 7, 6, 2, 5, 4, 8, 1, 0])
    >>> compared = auroc_difference(truth, one, other)
    >>> round(compared.difference, 3), round(compared.standard_error, 4), round(compared.p_value, 4)
    (0.24, 0.1766, 0.1742)
    """
    rows = row_influences(auroc_influence, is_positive, [first, second], weights=weights)
    tables = (ScoreTable.of_rows(is_positive, score, weights) for score in (first, second))
    single = [auroc_interval(table, confidence_level=confidence_level)[:2] for table in tables]
    return difference(
        rows,
        single=[(float(low), float(high)) for low, high in single],
        confidence_level=confidence_level,
        label="DeLong",
    )


def _smoothed_area_and_variance(table: ScoreTable) -> tuple[Array, Array]:
    """The same of `half_case(table)`, which for one table need not be made."""
    if table.positives.ndim > 1:
        return _area_and_variance(half_case(table))
    added = float(ratio(HALF, table.n_negatives)), float(ratio(HALF, table.n_positives))
    moments = remembered(
        table, "smoothed placements", lambda: _kernels.placement_moments(table.positives, table.negatives, added=added)
    )
    return np.asarray(moments.auroc), np.asarray(moments.delong_variance)


def _area_and_variance(table: ScoreTable) -> tuple[Array, Array]:
    """The AUROC and DeLong's variance: by the kernel for one table, by array operations for a stack of them."""
    if table.positives.ndim == 1:
        moments = _kernels.placement_moments(table.positives, table.negatives)
        return np.asarray(moments.auroc), np.asarray(moments.delong_variance)
    area = auroc_influence(table)
    return area.value, area.variance()


def _both_below(auroc: Array, correlation: Array) -> Array:
    """P(both of two standard normals with this correlation are below probit(AUROC)), by Owen's T function."""
    limit = ndtri(auroc)
    return np.asarray(ndtr(limit) - 2 * owens_t(limit, np.sqrt((1 - correlation) / (1 + correlation))))


def _pair_se(area: Array, two_positives: Array, two_negatives: Array, p: npt.ArrayLike, n: npt.ArrayLike) -> Array:
    """From the chances that two positives outrank one negative, and that one positive outranks two negatives."""
    positives, negatives = np.asarray(p, dtype=np.float64), np.asarray(n, dtype=np.float64)
    variance = area * (1 - area)
    variance = variance + (positives - 1) * (two_positives - area**2) + (negatives - 1) * (two_negatives - area**2)
    return np.sqrt(np.maximum(variance, 0) / (positives * negatives))


__all__ = [
    "AUROC_METHOD",
    "Covariance",
    "auroc_difference",
    "auroc_interval",
    "binormal_se",
    "bootstrap_variance",
    "delong_covariance",
    "delong_variance",
    "hanley_mcneil_se",
    "placements",
]

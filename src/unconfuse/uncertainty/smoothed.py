"""Intervals that stay honest where the data look perfect: half a case of unknown rank is added to each class.

A class of 20 that shows no outlier may still have one in 40 cases. A standard error from the data alone cannot know
that, so it is smallest, and the interval shortest, exactly when the sample was lucky. Half a case more in each class,
spread evenly over the scores of the other class (for all we know it could have scored anywhere), puts that right:
what Agresti and Coull do for a proportion, for any metric of a score table.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from unconfuse.metrics._definition import ratio
from unconfuse.table import Array, ScoreTable

HALF = 0.5


class NamedLimits(NamedTuple):
    """The ends of an interval and, in words, how they were made."""

    low: Array
    high: Array
    method: str


def half_case(table: ScoreTable, *, weight: float = HALF) -> ScoreTable:
    """The table with half a positive spread over the negatives' scores, and half a negative over the positives'.

    Examples
    --------
    >>> half_case(ScoreTable(np.array([2., 1.]), np.array([3., 1.]), np.array([1., 4.]))).positives
    array([3.1, 1.4])
    """
    positives, negatives = np.broadcast_arrays(table.positives, table.negatives)
    return ScoreTable(
        table.score,
        positives + weight * _shares(negatives),
        negatives + weight * _shares(positives),
    )


def with_ends(table: ScoreTable, *, top_positives: float = 0.0, top_negatives: float = 0.0) -> ScoreTable:
    """The table with cases of that weight ranked above all others."""
    score = np.concatenate([[np.inf], table.score])
    return ScoreTable(score, *(
        np.concatenate([np.full((*weights.shape[:-1], 1), extra), weights], axis=-1)
        for weights, extra in ((table.positives, top_positives), (table.negatives, top_negatives))
    ))  # fmt: skip


def logit_limits(
    value: Array, standard_error: Array, *, confidence_level: float = 0.95, range: tuple[float, float] = (0.0, 1.0)
) -> tuple[Array, Array]:
    """Normal limits on the logit scale of a metric between two bounds: they never leave the range.

    Examples
    --------
    >>> low, high = logit_limits(np.array(.9), np.array(.05))
    >>> print(f"{low:.3f} {high:.3f}")
    0.752 0.964
    """
    low, high = range
    share = np.clip((np.asarray(value) - low) / (high - low), 1e-12, 1 - 1e-12)
    half = quantile(confidence_level) * ratio(standard_error, (high - low) * share * (1 - share))
    centre = logit(share)
    return low + (high - low) * expit(centre - half), low + (high - low) * expit(centre + half)


def quantile(confidence_level: float) -> float:
    """How many standard errors an interval of this level reaches to each side."""
    return float(ndtri((1 + confidence_level) / 2))


def _shares(weights: Array) -> Array:
    return ratio(weights, weights.sum(axis=-1, keepdims=True))

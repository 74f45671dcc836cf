"""Intervals that stay honest where the data look perfect: half a case of unknown rank is added to each class.

A class of 20 that shows no outlier may still have one in 40 cases. A standard error from the data alone cannot know
that, so it is smallest, and the interval shortest, exactly when the sample was lucky. Half a case more in each class,
spread evenly over the scores of the other class (for all we know it could have scored anywhere), puts that right:
what Agresti and Coull do for a proportion, for any metric of a score table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from unconfuse import _kernels
from unconfuse.metrics._definition import ratio
from unconfuse.table import Array, ScoreTable, remembered
from unconfuse.uncertainty.coarse import coarsened
from unconfuse.uncertainty.influence import Influence, area_of

HALF = 0.5
_TOP = 0.1
AREA_METHOD = "influence function on the logit scale, half a case of unknown rank added to each class"


class NamedLimits(NamedTuple):
    """The ends of an interval and, in words, how they were made."""

    low: Array
    high: Array
    method: str


def half_case(table: ScoreTable, *, weight: float = HALF, places: int | None = None) -> ScoreTable:
    """The table with half a positive spread over the negatives' scores, and half a negative over the positives'.

    Parameters
    ----------
    table : ScoreTable
    weight : float
        What to add to each class.
    places : int, optional
        Spread it over so many evenly spaced cases of the other class only, which keeps resampling fast.

    Examples
    --------
    >>> half_case(ScoreTable(np.array([2., 1.]), np.array([3., 1.]), np.array([1., 4.]))).positives
    array([3.1, 1.4])
    """
    positives, negatives = np.broadcast_arrays(table.positives, table.negatives)
    if places is None or positives.shape[-1] <= 2 * places or positives.ndim > 1:
        shares = (ratio(each, each.sum(axis=-1, keepdims=True)) for each in (negatives, positives))
        of_positives, of_negatives = (weight * each for each in shares)
        return ScoreTable(table.score, positives + of_positives, negatives + of_negatives)
    return ScoreTable(
        table.score,
        _with_cases(positives, weight, negatives, places),
        _with_cases(negatives, weight, positives, places),
    )


def with_ends(table: ScoreTable, *, top_positives: float = 0.0, top_negatives: float = 0.0) -> ScoreTable:
    """The table with cases of that weight ranked above all others."""
    score = np.concatenate([[np.inf], table.score])
    return ScoreTable(
        score,
        *(
            np.concatenate([np.full((*weights.shape[:-1], 1), extra), weights], axis=-1)
            for weights, extra in ((table.positives, top_positives), (table.negatives, top_negatives))
        ),
    )


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


def area_interval(
    influence: Callable[[ScoreTable], Influence],
    table: ScoreTable,
    *,
    design: str = "cohort",
    confidence_level: float = 0.95,
) -> NamedLimits:
    """The default interval of average precision and of the other areas under the precision-recall curve.

    The few cases at the top of the list decide these areas, and a small sample tends to miss them. So, besides half a
    case of unknown rank in each class, the upper limit's standard error allows for a tenth of a positive above all
    cases, and the lower limit's for a tenth of a negative there.

    Parameters
    ----------
    influence : callable
        `average_precision_influence` or `auprc_influence`.
    table : ScoreTable
    design : {"cohort", "case-control"}
        In a cohort the share of positives varies from sample to sample, and these areas with it.

    Examples
    --------
    >>> from unconfuse.uncertainty.influence import average_precision_influence
    >>> table = ScoreTable(np.array([.9, .7, .5, .3, .1]), np.array([8., 5, 4, 2, 1]), np.array([1., 3, 6, 30, 60]))
    >>> low, high, method = area_interval(average_precision_influence, table)
    >>> print(f"{average_precision_influence(table).value:.3f} [{low:.3f}, {high:.3f}]")
    0.713 [0.464, 0.849]
    """
    value, centre, below, above = remembered(
        table, (influence, design), lambda: _centre_and_errors(influence, table, design)
    )
    low = logit_limits(centre, below, confidence_level=confidence_level)[0]
    high = logit_limits(centre, above, confidence_level=confidence_level)[1]
    return around(value, low, high, AREA_METHOD)


def _centre_and_errors(
    influence: Callable[[ScoreTable], Influence], table: ScoreTable, design: str
) -> tuple[Array, Array, Array, Array]:
    """The area, where its interval is centred, and the standard errors for the lower and the upper limit."""
    value, small = area_of(influence, table), coarsened(table) if table.positives.ndim == 1 else table
    smoothed = half_case(small)
    # Joining scores into bands changes the value, not the noise: only what the half case adds to it is taken over.
    centre = influence(smoothed).value + (value - influence(small).value)
    below = influence(with_ends(smoothed, top_negatives=_TOP)).standard_error(design=design)
    above = influence(with_ends(smoothed, top_positives=_TOP)).standard_error(design=design)
    return value, centre, below, above


def around(value: Array, low: Array, high: Array, method: str) -> NamedLimits:
    """Limits that hold the value; a value of exactly 0 or 1 cannot be excluded, so that end is open to it."""
    low = np.where(value <= 0, 0.0, np.minimum(low, value))
    return NamedLimits(low, np.where(value >= 1, 1.0, np.maximum(high, value)), method)


def quantile(confidence_level: float) -> float:
    """How many standard errors an interval of this level reaches to each side."""
    return float(ndtri((1 + confidence_level) / 2))


def _with_cases(own: Array, weight: float, others: Array, places: int) -> Array:
    """One class with a weight spread over evenly spaced cases of the other."""
    at = _kernels.places_reaching(others, others.sum() * (np.arange(places) + 0.5) / places)
    blocks, times = np.unique(at[at < len(own)], return_counts=True)
    more = own.copy()
    more[blocks] += weight * (times / places)
    return more

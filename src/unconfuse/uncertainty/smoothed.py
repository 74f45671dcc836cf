"""Tables made to tell the noise of a metric: with half a case added to each class, or joined into bands.

A class of 20 that shows no outlier may still have one in 40 cases. A standard error from the data alone cannot know
that, so it is smallest, and the interval shortest, exactly when the sample was lucky. Half a case more in each class,
spread evenly over the scores of the other class (for all we know it could have scored anywhere), puts that right:
what Agresti and Coull do for a proportion, for any metric of a score table.

Neighbouring scores joined into bands leave almost the same noise, at a cost that does not grow with the table.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse.metrics._definition import ratio
from unconfuse.table import Array, ScoreTable, remembered

Places = npt.NDArray[np.int64]
HALF = 0.5
BANDS = 250  # of each class; the standard errors then agree with those of the full table to about 1%


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


def banded(table: ScoreTable, bands: int = BANDS) -> ScoreTable:
    """Neighbouring scores joined into bands that hold about as many positives, and as many negatives, each.

    The top of the list is cut more finely, because precision there rests on few cases. A table that is small already
    stays as it is. Only the noise of a metric is taken from the result, never its value.

    Examples
    --------
    >>> scores = np.linspace(1, 0, 100_000)
    >>> table = ScoreTable(scores, np.ones(100_000), np.ones(100_000))
    >>> small = banded(table)
    >>> len(small) < 5_000, small.n_positives
    (True, 100000.0)
    """
    if len(table) <= 4 * bands:
        return table
    return remembered(table, ("bands", bands), lambda: in_bands(table, band_ends(table, bands)))


def band_ends(table: ScoreTable, bands: int = BANDS) -> Places:
    """The last block of each band; every block is a band of its own in a table that is small already."""
    if len(table) <= 4 * bands:
        return np.arange(len(table))
    return np.unique(
        np.concatenate(
            [
                _equal_shares(table.positives, table.n_positives, bands),
                _equal_shares(table.negatives, table.n_negatives, bands),
                _top_ranks(len(table)),
            ]
        )
    )


def in_bands(table: ScoreTable, ends: Places) -> ScoreTable:
    """The table with blocks joined into bands, given the last block of each."""
    starts = np.concatenate([[0], ends[:-1] + 1])
    # NumPy adds in pairs, which loses least: resamples depend on the last bit of the weights.
    positives, negatives = (np.add.reduceat(weights, starts) for weights in (table.positives, table.negatives))
    scores = _kernels.band_sums(table.score, table.positives, table.negatives, starts)[2]
    return ScoreTable(_mean_scores(table, starts, scores, positives + negatives), positives, negatives)


def _equal_shares(weights: Array, total: float, bands: int) -> Places:
    """The last block of each of so many parts of equal weight."""
    ends = _kernels.places_reaching(weights, total * np.arange(1, bands + 1) / bands)
    return np.minimum(ends, len(weights) - 1)


def _top_ranks(blocks: int) -> Places:
    return np.unique(np.geomspace(1, blocks, 300).astype(np.int64)) - 1


def _mean_scores(table: ScoreTable, starts: Places, sums: Array, totals: Array) -> Array:
    """The mean score of each band, so that metrics of probabilities keep their level; it stays within the band."""
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / totals
    ends = np.append(starts[1:] - 1, len(table) - 1)
    return np.clip(np.where(totals > 0, means, table.score[starts]), table.score[ends], table.score[starts])


def _with_cases(own: Array, weight: float, others: Array, places: int) -> Array:
    """One class with a weight spread over evenly spaced cases of the other."""
    at = _kernels.places_reaching(others, others.sum() * (np.arange(places) + 0.5) / places)
    blocks, times = np.unique(at[at < len(own)], return_counts=True)
    more = own.copy()
    more[blocks] += weight * (times / places)
    return more

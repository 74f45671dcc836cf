"""A smaller table with almost the same sampling noise, for metrics that no kernel computes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse.table import Array, ScoreTable, remembered

Places = npt.NDArray[np.int64]
BANDS = 250  # of each class; the standard errors then agree with those of the full table to about 1%


def coarsened(table: ScoreTable, bands: int = BANDS) -> ScoreTable:
    """Neighbouring scores joined into bands that hold about as many positives, and as many negatives, each.

    The top of the list is cut more finely, because precision there rests on few cases. A table that is small already
    stays as it is. Only the noise of a metric is taken from the result, never its value.

    Examples
    --------
    >>> scores = np.linspace(1, 0, 100_000)
    >>> table = ScoreTable(scores, np.ones(100_000), np.ones(100_000))
    >>> small = coarsened(table)
    >>> len(small) < 5_000, small.n_positives
    (True, 100000.0)
    """
    if len(table) <= 4 * bands:
        return table
    return remembered(table, ("coarsened", bands), lambda: in_bands(table, band_ends(table, bands)))


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

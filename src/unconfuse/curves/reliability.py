"""Curves of probabilities: what was stated against what happened, and how the scores are spread."""

from __future__ import annotations

import numpy as np

from unconfuse._validate import check_choice, check_probability, check_whole
from unconfuse.curves._curve import Curve, plain
from unconfuse.metrics._blocks import hull_segments
from unconfuse.metrics.probability import bin_totals, check_probabilities
from unconfuse.table import Array, ScoreTable

_LABELS = {"score": "Stated probability", "share": "Share of positives that occurred", "weight": "Cases"}
_IDEAL = {"ideal": "ideal: what is stated occurs"}


def reliability(table: ScoreTable) -> Curve:
    """The reliability diagram without bins: the best monotone recalibration of the scores (CORP, isotonic).

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021), PNAS 118:e2016191118.

    Examples
    --------
    >>> from unconfuse.metrics._blocks import PHOTOS
    >>> curve = reliability(PHOTOS)
    >>> curve["score"], curve["share"]
    (array([0.1, 0.3, 0.6, 0.8]), array([0. , 0.5, 0.5, 1. ]))
    """
    table = plain(table)
    score, weight = check_probabilities(table)[::-1], (table.positives + table.negatives)[::-1]
    return Curve(
        name="reliability",
        columns={"score": score, "share": isotonic(table)[::-1], "weight": weight, "ideal": score},
        x="score",
        y="share",
        labels=_LABELS,
        baselines=_IDEAL,
        note="Isotonic regression (pool adjacent violators): no bins to choose.",
    )


def isotonic(table: ScoreTable) -> Array:
    """The isotonic estimate of P(positive) at each score, in the table's order."""
    positives, negatives = hull_segments(table.positives, table.negatives)
    ends = np.cumsum(positives + negatives)
    middle = np.cumsum(table.positives + table.negatives) - (table.positives + table.negatives) / 2
    segment = np.minimum(np.searchsorted(ends, middle), len(ends) - 1)
    return np.asarray((positives / (positives + negatives))[segment])


def reliability_bins(
    table: ScoreTable, *, n_bins: int = 10, binning: str = "equal_mass", confidence_level: float = 0.95
) -> Curve:
    """The reliability diagram in bins, with an exact (Clopper-Pearson) interval for each bin.

    Parameters
    ----------
    binning : {"equal_mass", "equal_width"}
        Bins with about as many cases each, or of equal width.
    """
    from scipy.special import betaincinv

    table = plain(table)
    check_probabilities(table)
    check_choice(binning, "binning", ("equal_mass", "equal_width"))
    tail = (1 - check_probability(confidence_level, "confidence_level", open_interval=True)) / 2
    positives, weight, stated = bin_totals(table, check_whole(n_bins, "n_bins", at_least=1), binning)
    positives, weight, stated = (each[weight > 0] for each in (positives, weight, stated))
    negatives = np.maximum(weight - positives, 0.0)
    low = np.where(positives > 0, betaincinv(np.maximum(positives, 1e-300), negatives + 1, tail), 0.0)
    high = np.where(negatives > 0, betaincinv(positives + 1, np.maximum(negatives, 1e-300), 1 - tail), 1.0)
    return Curve(
        name="reliability_bins",
        columns={
            "score": stated / weight,
            "share": positives / weight,
            "low": low,
            "high": high,
            "weight": weight,
            "positives": positives,
            "ideal": stated / weight,
        },
        x="score",
        y="share",
        labels=_LABELS,
        baselines=_IDEAL,
        note=f"{n_bins} bins of {binning.replace('_', ' ')}, empty ones left out; {confidence_level * 100:.4g}% "
        "Clopper-Pearson intervals.",
    )


def score_histogram(table: ScoreTable, *, n_bins: int = 40) -> Curve:
    """How the scores of each class are spread: the share of each class in bins of equal width.

    Where there are no more distinct scores than bins, each score has a bin of its own.
    """
    table = plain(table)
    bins = check_whole(n_bins, "n_bins", at_least=1)
    edges = _edges(table.score, bins)
    positives, negatives = (
        np.histogram(table.score, edges, weights=weights)[0] for weights in (table.positives, table.negatives)
    )
    return Curve(
        name="score_histogram",
        columns={
            "left": edges[:-1],
            "right": edges[1:],
            "positives": positives,
            "negatives": negatives,
            "share_of_positives": positives / table.n_positives,
            "share_of_negatives": negatives / table.n_negatives,
        },
        x="left",
        y="share_of_positives",
        labels={"left": "Score", "share_of_positives": "Share of the class in each bin"},
        note="Each class adds up to 1.",
    )


def _edges(score: Array, n_bins: int) -> Array:
    low, high = float(score[-1]), float(score[0])
    if len(score) == 1:
        return np.array([low - 0.5, low + 0.5])
    if len(score) <= n_bins:
        between = (score[1:] + score[:-1])[::-1] / 2
        return np.concatenate([[2 * low - between[0]], between, [2 * high - between[-1]]])
    return np.linspace(0.0, 1.0, n_bins + 1) if low >= 0 and high <= 1 else np.linspace(low, high, n_bins + 1)

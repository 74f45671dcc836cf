"""Curves as heights over a grid: the same curve of many resampled tables, without its points.

A `Height` takes the weights of both classes at each score, highest first, and a grid. Where a curve is drawn against
the threshold, the grid is turned into numbers of labelled blocks, because resamples share their scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from unconfuse.metrics import Metric
from unconfuse.metrics._blocks import hull_segments
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import Array, Counts, ScoreTable

Height = Callable[[Array, Array, Array], Array]
Across = Literal["share", "threshold"]


@dataclass(frozen=True)
class Drawn:
    """How to draw one curve: what runs along the horizontal axis, its height, and whether that is a share."""

    across: Across
    height: Callable[[ScoreTable], Height]
    is_share: bool = True


def of_shares(height: Height, *, is_share: bool = True) -> Drawn:
    """A curve over a share, such as the false positive rate: it needs no scores."""
    return Drawn("share", lambda _: height, is_share)


def roc(positives: Array, negatives: Array, at: Array) -> Array:
    """TPR at each FPR; where the curve rises upright, its upper end."""
    return _rates_at(_from_zero(positives), _from_zero(negatives), at)


def roc_hull(positives: Array, negatives: Array, at: Array) -> Array:
    """The same above the convex hull."""
    if not positives.sum() or not negatives.sum():
        return np.full(len(at), np.nan)
    tp, fp = map(_from_zero, hull_segments(positives, negatives))
    return _rates_at(tp, fp, at)


def det(positives: Array, negatives: Array, at: Array) -> Array:
    """FNR at each FPR."""
    return 1 - roc(positives, negatives, at)


def precision_recall(positives: Array, negatives: Array, at: Array) -> Array:
    """Precision at each recall, with false positives growing evenly within a block."""
    tp, fp = _from_zero(positives), _from_zero(negatives)
    if not tp[-1] or not fp[-1]:
        return np.full(len(at), np.nan)
    wanted = np.maximum(at * tp[-1], 1e-12 * tp[-1])
    first = np.concatenate([[True], tp[1:] > tp[:-1]])
    reached = np.interp(wanted, tp[first], fp[first])
    return np.asarray(wanted / (wanted + reached))


def precision_recall_gain(positives: Array, negatives: Array, at: Array) -> Array:
    """Precision gain at each recall gain."""
    share = positives.sum() / max(positives.sum() + negatives.sum(), 1e-300)
    if not 0 < share < 1:
        return np.full(len(at), np.nan)
    precision = precision_recall(positives, negatives, share / (1 - (1 - share) * np.minimum(at, 1 - 1e-12)))
    return np.asarray((precision - share) / ((1 - share) * precision))


def gain(positives: Array, negatives: Array, at: Array) -> Array:
    """Share of the positives found among each share of the cases."""
    tp, cases = _from_zero(positives), _from_zero(positives + negatives)
    if not tp[-1]:
        return np.full(len(at), np.nan)
    return np.asarray(np.interp(at, cases / cases[-1], tp / tp[-1]))


def cost_curve(positives: Array, negatives: Array, at: Array) -> Array:
    """The lowest normalised cost that any threshold reaches, at each weight of missed positives."""
    if not positives.sum() or not negatives.sum():
        return np.full(len(at), np.nan)
    tpr, fpr = (each / each[-1] for each in map(_from_zero, hull_segments(positives, negatives)))
    return np.asarray(((1 - tpr) * at[:, None] + fpr * (1 - at[:, None])).min(axis=1))


def brier_curve(table: ScoreTable) -> Height:
    """Loss at each cost of a false positive, scores taken at their word."""

    def height(positives: Array, negatives: Array, at: Array) -> Array:
        counts = _counts(table.score, positives, negatives, np.nextafter(at, np.inf))
        return np.asarray(2 * (at * counts.fp + (1 - at) * counts.fn) / counts.total)

    return height


def b_curve(table: ScoreTable) -> Height:
    """B at each threshold; NaN where nobody is labelled."""

    def height(positives: Array, negatives: Array, at: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            b = np.append(np.nan, b_values(ScoreTable.trusted(table.score, positives, negatives)))
        return np.asarray(b[_labelled(table.score, at)])

    return height


def trend(metric: Metric) -> Drawn:
    """A decision metric at each threshold."""

    def of(table: ScoreTable) -> Height:
        return lambda positives, negatives, at: metric(_counts(table.score, positives, negatives, at))

    return Drawn("threshold", of, is_share=metric.range == (0.0, 1.0))


HEIGHTS: Mapping[str, Drawn] = MappingProxyType(
    {
        **{each.__name__: of_shares(each) for each in (roc, roc_hull, det, precision_recall, gain, cost_curve)},
        "precision_recall_gain": of_shares(precision_recall_gain, is_share=False),
        "b_curve": Drawn("threshold", b_curve),
        "brier_curve": Drawn("share", brier_curve, is_share=False),
    }
)


def _from_zero(weights: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(weights)])


def _rates_at(tp: Array, fp: Array, at: Array) -> Array:
    if not tp[-1] or not fp[-1]:
        return np.full(len(at), np.nan)
    tpr, fpr = tp / tp[-1], fp / fp[-1]
    last = np.concatenate([fpr[1:] > fpr[:-1], [True]])
    return np.asarray(np.interp(at, fpr[last], tpr[last]))


def _labelled(score: Array, at: Array) -> npt.NDArray[np.intp]:
    """How many blocks each threshold labels positive."""
    return np.searchsorted(-score, -at, side="right")


def _counts(score: Array, positives: Array, negatives: Array, at: Array) -> Counts:
    labelled = _labelled(score, at)
    tp, fp = (_from_zero(each)[labelled] for each in (positives, negatives))
    return Counts.trusted(
        tp=tp, fp=fp, fn=np.maximum(positives.sum() - tp, 0.0), tn=np.maximum(negatives.sum() - fp, 0.0)
    )

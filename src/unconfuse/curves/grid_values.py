"""Curves as heights over a grid: the same curve of many resampled tables, without its points.

A `Height` takes the weights of both classes at each score, highest first, and a grid; of many tables at once where the
weights have a leading axis. Where a curve is drawn against the threshold, the grid is turned into numbers of labelled
blocks, because resamples share their scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from unconfuse.metrics import Metric
from unconfuse.metrics._metric import ratio
from unconfuse.metrics._tie_blocks import hull_segments
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import Array, Counts, ScoreTable

Height = Callable[[Array, Array, Array], Array]
Across = Literal["share", "threshold"]


@dataclass(frozen=True)
class CurveSpec:
    """How to draw one curve: what runs along the horizontal axis, its height, and whether that is a share."""

    across: Across
    height: Callable[[ScoreTable], Height]
    is_share: bool = True


def of_shares(height: Height, *, is_share: bool = True) -> CurveSpec:
    """Describe a curve over a share, such as the false positive rate: it needs no scores."""
    return CurveSpec("share", lambda _: height, is_share)


def one_by_one(height: Height) -> Height:
    """Extend the height of a single table to stacks of tables."""

    @wraps(height)
    def of_each(positives: Array, negatives: Array, at: Array) -> Array:
        if positives.ndim == 1:
            return height(positives, negatives, at)
        return np.array([height(*each, at) for each in zip(positives, negatives, strict=True)])

    return of_each


def roc(positives: Array, negatives: Array, at: Array) -> Array:
    """TPR at each FPR; where the curve rises upright, its upper end."""
    return _rates_at(_from_zero(positives), _from_zero(negatives), at)


@one_by_one
def roc_hull(positives: Array, negatives: Array, at: Array) -> Array:
    """Return the TPR at each FPR on the convex hull of the ROC curve."""
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
    wanted = np.maximum(at * tp[..., -1:], 1e-12 * tp[..., -1:])
    first = np.concatenate([np.ones_like(tp[..., :1], dtype=np.bool_), tp[..., 1:] > tp[..., :-1]], axis=-1)
    reached = _read_off(wanted, tp, fp, first)
    return _where_both(tp, fp, ratio(wanted, wanted + reached))


def precision_recall_gain(positives: Array, negatives: Array, at: Array) -> Array:
    """Precision gain at each recall gain."""
    total = positives.sum(axis=-1, keepdims=True)
    share = total / np.maximum(total + negatives.sum(axis=-1, keepdims=True), 1e-300)
    precision = precision_recall(positives, negatives, ratio(share, 1 - (1 - share) * np.minimum(at, 1 - 1e-12)))
    return np.where((share > 0) & (share < 1), ratio(precision - share, (1 - share) * precision), np.nan)


def gain(positives: Array, negatives: Array, at: Array) -> Array:
    """Share of the positives found among each share of the cases."""
    tp, cases = _from_zero(positives), _from_zero(positives + negatives)
    found = _read_off(at, ratio(cases, cases[..., -1:]), ratio(tp, tp[..., -1:]))
    return np.where(tp[..., -1:] > 0, found, np.nan)


@one_by_one
def cost_curve(positives: Array, negatives: Array, at: Array) -> Array:
    """Return the lowest normalised cost that any threshold reaches, at each weight of missed positives."""
    if not positives.sum() or not negatives.sum():
        return np.full(len(at), np.nan)
    tpr, fpr = (each / each[-1] for each in map(_from_zero, hull_segments(positives, negatives)))
    return np.asarray(((1 - tpr) * at[:, None] + fpr * (1 - at[:, None])).min(axis=1))


def brier_curve(table: ScoreTable) -> Height:
    """Loss at each cost of a false positive, scores taken at their word."""

    @one_by_one
    def height(positives: Array, negatives: Array, at: Array) -> Array:
        counts = _counts(table.score, positives, negatives, np.nextafter(at, np.inf))
        return np.asarray(2 * (at * counts.fp + (1 - at) * counts.fn) / counts.total)

    return height


def b_curve(table: ScoreTable) -> Height:
    """B at each threshold; NaN where nobody is labelled."""

    @one_by_one
    def height(positives: Array, negatives: Array, at: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            b = np.append(np.nan, b_values(ScoreTable.from_validated(table.score, positives, negatives)))
        return np.asarray(b[_labelled(table.score, at)])

    return height


def trend(metric: Metric) -> CurveSpec:
    """Describe the curve of a decision metric at each threshold."""

    def of(table: ScoreTable) -> Height:
        return one_by_one(lambda positives, negatives, at: metric(_counts(table.score, positives, negatives, at)))

    return CurveSpec("threshold", of, is_share=metric.range == (0.0, 1.0))


HEIGHTS: Mapping[str, CurveSpec] = MappingProxyType(
    {
        **{each.__name__: of_shares(each) for each in (roc, roc_hull, det, precision_recall, gain, cost_curve)},
        "precision_recall_gain": of_shares(precision_recall_gain, is_share=False),
        "b_curve": CurveSpec("threshold", b_curve),
        "brier_curve": CurveSpec("share", brier_curve, is_share=False),
    }
)


def _from_zero(weights: Array) -> Array:
    return np.concatenate([np.zeros_like(weights[..., :1]), np.cumsum(weights, axis=-1)], axis=-1)


def _rates_at(tp: Array, fp: Array, at: Array) -> Array:
    tpr, fpr = ratio(tp, tp[..., -1:]), ratio(fp, fp[..., -1:])
    last = np.concatenate([fpr[..., 1:] > fpr[..., :-1], np.ones_like(fpr[..., :1], dtype=np.bool_)], axis=-1)
    return _where_both(tp, fp, _read_off(at, fpr, tpr, last))


def _where_both(tp: Array, fp: Array, found: Array) -> Array:
    """Undefined where a class is empty."""
    return np.where((tp[..., -1:] > 0) & (fp[..., -1:] > 0), found, np.nan)


def _read_off(at: Array, x: Array, y: Array, kept: npt.NDArray[np.bool_] | None = None) -> Array:
    """Return the heights at these places of the line, or of each line, through the points that are kept."""
    if x.ndim > 1:
        places = np.broadcast_to(at, (len(x), np.shape(at)[-1]))
        masks = [None] * len(x) if kept is None else kept
        return np.array([_read_off(*each) for each in zip(places, x, y, masks, strict=True)])
    return np.asarray(np.interp(at, x, y) if kept is None else np.interp(at, x[kept], y[kept]))


def _labelled(score: Array, at: Array) -> npt.NDArray[np.intp]:
    """How many blocks each threshold labels positive."""
    return np.searchsorted(-score, -at, side="right")


def _counts(score: Array, positives: Array, negatives: Array, at: Array) -> Counts:
    labelled = _labelled(score, at)
    tp, fp = (_from_zero(each)[labelled] for each in (positives, negatives))
    return Counts.from_validated(
        tp=tp, fp=fp, fn=np.maximum(positives.sum() - tp, 0.0), tn=np.maximum(negatives.sum() - fp, 0.0)
    )

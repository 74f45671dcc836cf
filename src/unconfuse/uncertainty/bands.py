"""Bands around whole curves: for each point alone, or for the curve as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError, nearest
from unconfuse._validate import check_choice, check_probability, check_whole
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.coarse import coarsened

_SLICE = 500


@dataclass(frozen=True)
class Band:
    """A curve on a grid with its band.

    Attributes
    ----------
    x, y, low, high : arrays
    kind : {"pointwise", "simultaneous"}
        Whether the band holds the true curve at each point, or everywhere at once, with the confidence level.
    """

    x: Array
    y: Array
    low: Array
    high: Array
    kind: str
    confidence_level: float
    method: str


def band(
    table: ScoreTable,
    curve: str = "roc",
    *,
    at: npt.ArrayLike | None = None,
    kind: str = "pointwise",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    design: str = "cohort",
    rng: int = 0,
) -> Band:
    """A bootstrap band around the ROC curve, the precision-recall curve or the cumulative gain.

    Parameters
    ----------
    table : ScoreTable
    curve : {"roc", "precision_recall", "gain"}
    at : array_like, optional
        Where along the horizontal axis; 101 even steps by default.
    kind : {"pointwise", "simultaneous"}
    confidence_level, n_resamples, design, rng
        As in `evaluate`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < .4
    >>> table = ScoreTable.of_rows(y, y + rng.normal(size=300))
    >>> each, all_at_once = (band(table, kind=kind) for kind in ("pointwise", "simultaneous"))
    >>> bool((all_at_once.high - all_at_once.low).mean() > (each.high - each.low).mean())
    True
    """
    if curve not in HEIGHTS:
        raise ArgumentError(f"no band for the curve {curve!r}. {nearest(curve, HEIGHTS)}")
    check_choice(kind, "kind", ("pointwise", "simultaneous"))
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    grid = np.linspace(0, 1, 101) if at is None else np.atleast_1d(np.asarray(at, dtype=np.float64))
    height = HEIGHTS[curve]

    y = height(table.positives, table.negatives, grid)
    small = coarsened(table)
    centre = height(small.positives, small.negatives, grid)
    curves = _replicates(small, height, grid, check_whole(n_resamples, "n_resamples", at_least=100), design, rng)
    strayed = curves - centre
    low, high = _pointwise(strayed, level) if kind == "pointwise" else _simultaneous(strayed, level)
    return Band(grid, y, np.clip(y + low, 0, 1), np.clip(y + high, 0, 1), kind, level, f"{kind} bootstrap band")


def _replicates(
    table: ScoreTable, height: Callable[[Array, Array, Array], Array], grid: Array, total: int, design: str, rng: int
) -> Array:
    parts = []
    for first in range(0, total, _SLICE):
        weights = _kernels.bootstrap_tables(
            table.positives, table.negatives, seed=rng, first=first, count=min(_SLICE, total - first),
            design="case-control" if design == "case-control" else "cohort",
        )  # fmt: skip
        parts += [height(positives, negatives, grid) for positives, negatives in zip(*weights, strict=True)]
    curves = np.array(parts)
    return curves[~np.isnan(curves).any(axis=1)]


def _pointwise(strayed: Array, level: float) -> tuple[Array, Array]:
    low, high = np.quantile(strayed, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def _simultaneous(strayed: Array, level: float) -> tuple[Array, Array]:
    """The pointwise standard deviations, stretched until so many curves lie inside as a whole."""
    spread = strayed.std(axis=0)
    usual = np.where(spread > 0, spread, np.inf)
    stretch = np.quantile((np.abs(strayed) / usual).max(axis=1), level)
    return -stretch * spread, stretch * spread


def _shares(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """TPR and FPR after each block, from (0, 0) on."""
    tp, fp = (np.concatenate([[0.0], np.cumsum(each)]) for each in (positives, negatives))
    with np.errstate(invalid="ignore", divide="ignore"):
        return tp / tp[-1], fp / fp[-1]


def _roc_height(positives: Array, negatives: Array, at: Array) -> Array:
    """TPR at each FPR; where the curve rises upright, its upper end."""
    tpr, fpr = _shares(positives, negatives)
    if np.isnan(tpr[-1]) or np.isnan(fpr[-1]):
        return np.full(len(at), np.nan)
    last = np.concatenate([fpr[1:] > fpr[:-1], [True]])
    return np.interp(at, fpr[last], tpr[last])


def _precision_height(positives: Array, negatives: Array, at: Array) -> Array:
    """Precision at each recall, with false positives growing evenly within a block."""
    tp, fp = (np.concatenate([[0.0], np.cumsum(each)]) for each in (positives, negatives))
    if not tp[-1] or not fp[-1]:
        return np.full(len(at), np.nan)
    wanted = np.maximum(at * tp[-1], 1e-12 * tp[-1])
    first = np.concatenate([[True], tp[1:] > tp[:-1]])
    reached = np.interp(wanted, tp[first], fp[first])
    return wanted / (wanted + reached)


def _gain_height(positives: Array, negatives: Array, at: Array) -> Array:
    """Share of the positives found among each share of the cases."""
    tp, all_cases = (np.concatenate([[0.0], np.cumsum(each)]) for each in (positives, positives + negatives))
    if not tp[-1]:
        return np.full(len(at), np.nan)
    return np.interp(at, all_cases / all_cases[-1], tp / tp[-1])


HEIGHTS: Mapping[str, Callable[[Array, Array, Array], Array]] = MappingProxyType(
    {"roc": _roc_height, "precision_recall": _precision_height, "gain": _gain_height}
)

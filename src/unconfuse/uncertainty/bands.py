"""Bands around whole curves: for each point alone, or for the curve as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError, nearest
from unconfuse._validate import check_both_classes, check_choice, check_probability, check_whole
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.influence import quantile
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.bootstrap import banded, half_case, slices
from unconfuse.uncertainty.delong import around

Height = Callable[[Array, Array, Array], Array]
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
    table = table.exact("a band")
    if table.is_sampled:
        raise ArgumentError("a band takes cases that count alike; these have sampling weights. Hint: use a curve.")
    check_both_classes(table.n_positives, table.n_negatives, 1)
    grid, height = _checked_grid(at), HEIGHTS[curve]

    # Half a case of unknown rank in each class: where the sample shows no error at all, the band keeps a width.
    smoothed = half_case(banded(table), places=50)
    centre = height(smoothed.positives, smoothed.negatives, grid)
    curves = _replicates(smoothed, height, grid, n_resamples, design, rng)
    strayed, error, mean = curves - centre, curves.std(axis=0), curves.mean(axis=0)
    reach = quantile(level) if kind == "pointwise" else _stretch(strayed, error, level)
    low, high = _wilson(centre, ratio(error**2, mean * (1 - mean)), reach)
    y = height(table.positives, table.negatives, grid)
    low, high, method = around(y, low, high, f"{kind} bootstrap band on Wilson's scale")
    return Band(grid, y, low, high, kind, level, method)


def _checked_grid(at: npt.ArrayLike | None) -> Array:
    grid = np.linspace(0, 1, 101) if at is None else np.atleast_1d(np.asarray(at, dtype=np.float64))
    if grid.ndim != 1 or not ((grid >= 0) & (grid <= 1)).all():
        raise ArgumentError("`at` must hold numbers between 0 and 1, in one row.")
    return grid


def _replicates(table: ScoreTable, height: Height, grid: Array, n_resamples: int, design: str, rng: int) -> Array:
    total, seed = check_whole(n_resamples, "n_resamples", at_least=100), check_whole(rng, "rng", at_least=0)
    chosen = check_choice(design, "design", ("cohort", "case-control"))
    kind: Literal["cohort", "case-control"] = "cohort" if chosen == "cohort" else "case-control"
    draw = partial(_kernels.bootstrap_tables, table.positives, table.negatives, seed=seed, design=kind)
    parts = []
    for first, count in slices(total, _SLICE):
        weights = draw(first=first, count=count)
        parts += [height(positives, negatives, grid) for positives, negatives in zip(*weights, strict=True)]
    curves = np.array(parts)
    return curves[~np.isnan(curves).any(axis=1)]


def _wilson(share: Array, one_case: Array, reach: float) -> tuple[Array, Array]:
    """Wilson's interval for a share that strays as that of a number of independent cases, 1 / `one_case`, would.

    Steps of a fixed number of standard errors would leave [0, 1], or vanish, near its ends.
    """
    per_case = np.nan_to_num(one_case) * reach**2  # 0/0 where the curve cannot stray, as at the end of a ROC curve
    middle = (share + per_case / 2) / (1 + per_case)
    half = np.sqrt(per_case * share * (1 - share) + per_case**2 / 4) / (1 + per_case)
    return middle - half, middle + half


def _stretch(strayed: Array, error: Array, level: float) -> float:
    """How many standard errors hold so many of the curves as a whole."""
    usual = np.where(error > 0, error, np.inf)
    return float(np.quantile((np.abs(strayed) / usual).max(axis=1), level))


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
    return np.asarray(np.interp(at, fpr[last], tpr[last]))


def _precision_height(positives: Array, negatives: Array, at: Array) -> Array:
    """Precision at each recall, with false positives growing evenly within a block."""
    tp, fp = (np.concatenate([[0.0], np.cumsum(each)]) for each in (positives, negatives))
    if not tp[-1] or not fp[-1]:
        return np.full(len(at), np.nan)
    wanted = np.maximum(at * tp[-1], 1e-12 * tp[-1])
    first = np.concatenate([[True], tp[1:] > tp[:-1]])
    reached = np.interp(wanted, tp[first], fp[first])
    return np.asarray(wanted / (wanted + reached))


def _gain_height(positives: Array, negatives: Array, at: Array) -> Array:
    """Share of the positives found among each share of the cases."""
    tp, all_cases = (np.concatenate([[0.0], np.cumsum(each)]) for each in (positives, positives + negatives))
    if not tp[-1]:
        return np.full(len(at), np.nan)
    return np.asarray(np.interp(at, all_cases / all_cases[-1], tp / tp[-1]))


HEIGHTS: Mapping[str, Height] = MappingProxyType(
    {"roc": _roc_height, "precision_recall": _precision_height, "gain": _gain_height}
)

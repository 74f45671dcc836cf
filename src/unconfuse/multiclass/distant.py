"""Several classes whose rows stay on a cluster: what their tables and sums say, and why the rest is missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unconfuse.ingest._old import ClassScores, ClassTables
from unconfuse.metrics import METRICS
from unconfuse.multiclass._definition import ClassMetric
from unconfuse.multiclass.cells import Cells
from unconfuse.multiclass.decisions import left_out, weighted_mean
from unconfuse.multiclass.intervals import ClassHow, as_estimate, estimate_of_mean, estimates_of
from unconfuse.results import Estimate
from unconfuse.table import Array
from unconfuse.table.sample import Moments

NEEDS_ROWS = "needs the rows, which stay on the cluster"
BINNED = "the scores were binned on the cluster"
NO_INTERVAL = f"no interval: it {NEEDS_ROWS}"


def estimates_of_any(
    metrics: Sequence[ClassMetric],
    data: ClassScores | ClassTables | None,
    cells: Cells,
    classes: Sequence[str],
    how: ClassHow,
) -> dict[str, Estimate]:
    """All metrics by name, from rows, from tables, or from decisions alone."""
    if not isinstance(data, ClassTables):
        return estimates_of(metrics, data, cells, classes, how)
    found = estimates_of([each for each in metrics if each.of == "confusion"], None, cells, classes, how)
    return {
        each.name: found[each.name] if each.of == "confusion" else estimate_tables(each, data, cells, how)
        for each in metrics
    }


def estimate_tables(metric: ClassMetric, tables: ClassTables, cells: Cells, how: ClassHow) -> Estimate:
    """A metric of scores or probabilities, as far as tables and sums go."""
    if metric.name in tables.losses:
        moments = tables.losses[metric.name]
        value = float(moments.total.sum() / tables.n)
        return estimate_of_mean(metric, value, variance_of_mean(moments, tables, how.design), tables.n, cells, how)
    binary = _binary_of(metric)
    if binary is None:
        return _left_out(metric, NEEDS_ROWS, how)
    if not tables.is_exact:
        return _left_out(metric, BINNED, how)
    name, average = binary
    present = tables.sizes > 0
    values = np.full(tables.n_classes, np.nan)
    values[present] = [float(METRICS[name](tables.tables[k])) for k in np.flatnonzero(present)]
    weights = tables.sizes / tables.n if average == "weighted" else present / present.sum()
    note = left_out([each for each, found in zip(tables.classes, values, strict=True) if np.isnan(found)])
    value = float(weighted_mean(values, weights))
    return as_estimate(metric, value, (np.nan, np.nan), NO_INTERVAL, note, cells, how.confidence_level)


def _binary_of(metric: ClassMetric) -> tuple[str, str] | None:
    """The binary metric that is averaged over the classes, and how."""
    if "binary" in metric.details:
        return metric.details["binary"], metric.details["average"]
    before, _, average = metric.name.partition("_ovr_")
    return (before, average) if average else None


def variance_of_mean(moments: Moments, tables: ClassTables, design: str) -> float:
    """Of a mean over all cases, from sums of squares: over cases, or within classes."""
    if design == "case-control":
        total, squares, sizes = moments.total, moments.squares, tables.sizes
    else:
        total, squares = (np.array([each.sum()]) for each in (moments.total, moments.squares))
        sizes = np.array([tables.n])
    return _about_means(total, squares, sizes) / tables.n**2


def _about_means(total: Array, squares: Array, sizes: Array) -> float:
    held = np.where(sizes > 0, sizes, 1.0)
    return float(((squares - total**2 / held) * sizes / np.maximum(sizes - 1, 1.0)).sum())


def _left_out(metric: ClassMetric, why: str, how: ClassHow) -> Estimate:
    return Estimate(
        metric.name, metric.label, np.nan, np.nan, np.nan, how.confidence_level, undefined=why, better=metric.better
    )

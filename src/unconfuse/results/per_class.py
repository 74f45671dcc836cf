"""Every class against the rest, side by side: the table of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import TabularResult
from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics.multiclass_scores import class_aurocs, rank_table
from unconfuse.table import Array, Counts, Sample, ScoreTable, Settings
from unconfuse.uncertainty.interval_methods import has_formula, limits, limits_of_table

USUAL = ("sensitivity", "precision", "f1")


@dataclass(frozen=True, eq=False, repr=False)
class ClassTable(TabularResult):
    """Values and limits of binary metrics, one entry for each class.

    `support` holds the cases of each class; `undefined` says why a class has no values, or nothing.
    """

    classes: tuple[str, ...]
    support: Array
    values: dict[str, Array]
    low: dict[str, Array]
    high: dict[str, Array]
    undefined: tuple[str, ...]

    def __getitem__(self, name: str) -> Array:
        return self.values[name]

    def order(self, by: str = "support", *, ascending: bool = False) -> list[int]:
        """Classes by support or by a metric; classes without a value last."""
        key = self.support if by == "support" else self.values[by]
        signed = np.where(np.isnan(key), np.inf, key if ascending else -key)
        return [int(each) for each in np.argsort(signed, kind="stable")]

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each class."""
        return [
            {"class": name, "support": float(self.support[k])}
            | {
                f"{metric}{end}": float(column[metric][k])
                for metric in self.values
                for end, column in (("", self.values), ("_low", self.low), ("_high", self.high))
            }
            | {"undefined": self.undefined[k] or None}
            for k, name in enumerate(self.classes)
        ]

    def __repr__(self) -> str:
        return f"ClassTable({len(self.classes)} classes, {', '.join(self.values)})"


def class_table(sample: Sample, metrics: Sequence[Metric] | None, design: Settings) -> ClassTable:
    """Metrics of every class: decisions from the margins at once, ranks in one pass over the matrix."""
    wanted = metrics or tuple(METRICS[name] for name in (*USUAL, *(("auroc",) if sample.has_scores else ())))
    counts = sample.cells().margins().counts
    values, low, high = {}, {}, {}
    for metric in wanted:
        if metric.of == "counts":
            found = _decisions(metric, counts, sample, design)
        elif metric.of == "ranks" and sample.has_scores:
            found = _ranks(metric, sample, design)
        else:
            raise ArgumentError(
                f"{metric.name} cannot be shown for all classes at once. Hint: ask for ev.of_class(...)."
            )
        values[metric.name], low[metric.name], high[metric.name] = found
    why = tuple("" if size > 0 else "does not occur among the labels" for size in sample.sizes)
    return ClassTable(sample.classes, sample.sizes, values, low, high, why)


def _decisions(metric: Metric, counts: Counts, sample: Sample, design: Settings) -> tuple[Array, Array, Array]:
    value = metric(counts)
    sampling, level = sample.sampling, design.confidence_level
    _, ends = limits(metric, counts, confidence_level=level, fixed_classes=sampling.fixed_classes)
    # Groups would have to be resampled for every class, and counts know no weights: ask one class for its interval.
    unknown = not sampling.counted
    low, high = (np.where(np.isnan(value) | unknown, np.nan, end) for end in ends)
    return value, low, high


def _ranks(metric: Metric, sample: Sample, design: Settings) -> tuple[Array, Array, Array]:
    out = np.full((3, sample.n_classes), np.nan)
    for k in np.flatnonzero(sample.sizes > 0):
        table = smallest_table(metric, sample, int(k))
        if not table.is_exact:  # its value has a bound, which this table cannot show
            continue
        out[0, k] = float(metric(table))
        if has_formula(metric) and sample.sampling.counted:
            fixed, level = sample.sampling.fixed_classes, design.confidence_level
            ends = limits_of_table(metric, table, fixed_classes=fixed, confidence_level=level)
            out[1:, k] = min(float(ends.low), out[0, k]), max(float(ends.high), out[0, k])
    if metric is METRICS["auroc"] and (rows := sample.in_memory) is not None:
        out[0] = class_aurocs(rows)
    return out[0], out[1], out[2]


def smallest_table(metric: Metric, sample: Sample, k: int) -> ScoreTable:
    """Return the smallest table of class k against the rest that gives the metric, and its formula interval, exactly.

    A best threshold is looked for among all scores: how many are nearly as good decides its interval.
    """
    joined = metric.inference.straight and (metric.root.of.inference.influence is not None or not has_formula(metric))
    if (rows := sample.in_memory) is not None and joined:
        return rank_table(rows, k)
    table = sample.table(k=k)
    return ranks_alone(table) if joined and table.is_exact else table


def ranks_alone(table: ScoreTable) -> ScoreTable:
    """Make a table as `rank_table` does: those of other classes between two own scores are one row.

    >>> whole = ScoreTable(np.array([.9, .8, .7, .6]), np.array([1.0, 0, 0, 2]), np.array([0.0, 1, 2, 1]))
    >>> ranks_alone(whole).negatives
    array([0., 3., 1.])
    """
    own = table.positives > 0
    begins = np.flatnonzero(own | np.r_[True, own[:-1]])
    positives, negatives = (np.add.reduceat(each, begins) for each in (table.positives, table.negatives))
    return ScoreTable.from_validated(np.arange(len(begins), 0, -1.0), positives, negatives)

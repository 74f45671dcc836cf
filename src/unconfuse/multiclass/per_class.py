"""Every class against the rest, side by side: the table of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.ingest._old import ClassScores, ClassTables
from unconfuse.metrics import METRICS, Metric
from unconfuse.multiclass.cells import Cells
from unconfuse.multiclass.confusion import Confusion
from unconfuse.multiclass.intervals import ClassHow
from unconfuse.multiclass.ranking import STRAIGHT_BETWEEN, class_aurocs, ranks_alone, table_for
from unconfuse.results import frame_of
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty import limits
from unconfuse.uncertainty.formulas import FORMULAS

USUAL = ("sensitivity", "precision", "f1")


@dataclass(frozen=True, eq=False, repr=False)
class ClassTable:
    """Values and limits of binary metrics, one entry for each class.

    Attributes
    ----------
    classes : tuple of str
    support : array
        Cases of each class.
    values, low, high : mapping of metric to array
    undefined : tuple of str
        For each class, why it has no values, or nothing.
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

    def to_frame(self) -> Any:
        """A data frame with one row per class."""
        return frame_of(self.rows())

    def __repr__(self) -> str:
        return f"ClassTable({len(self.classes)} classes, {', '.join(self.values)})"


def class_table(
    confusion: Confusion, data: ClassScores | ClassTables | None, metrics: Sequence[Metric] | None, how: ClassHow
) -> ClassTable:
    """Metrics of every class: decisions from the margins at once, ranks in one pass over the matrix."""
    rows = None if isinstance(data, ClassTables) else data
    has_scores = isinstance(data, ClassTables) or (rows is not None and rows.scores is not None)
    wanted = metrics or tuple(METRICS[name] for name in (*USUAL, *(("auroc",) if has_scores else ())))
    margins = Cells.of_matrix(confusion.counts).margins()
    values, low, high = {}, {}, {}
    for each in wanted:
        if each.of == "counts":
            values[each.name] = each(margins.counts)
            _, ends = limits(each, margins.counts, confidence_level=how.confidence_level, design=how.design)
            clustered = rows is not None and rows.groups is not None
            low[each.name], high[each.name] = (
                np.where(np.isnan(values[each.name]) | clustered, np.nan, end) for end in ends
            )
        elif each.of == "ranks" and data is not None and has_scores:
            values[each.name], low[each.name], high[each.name] = _ranks(each, data, how)
        else:
            raise ArgumentError(f"{each.name} cannot be shown for all classes at once. Hint: ask for ev.of_class(...).")
    why = tuple("" if size > 0 else "does not occur among the labels" for size in confusion.truth)
    return ClassTable(confusion.classes, confusion.truth, values, low, high, why)


def _ranks(metric: Metric, data: ClassScores | ClassTables, how: ClassHow) -> tuple[Array, Array, Array]:
    out = np.full((3, data.n_classes), np.nan)
    is_clustered = isinstance(data, ClassScores) and data.groups is not None
    for k in np.flatnonzero(data.sizes > 0):
        table = _table(metric, data, int(k))
        if not table.is_exact:  # its value has a bound, which this table cannot show
            continue
        out[0, k] = float(metric(table))
        if metric.name in FORMULAS and not is_clustered:
            ends = FORMULAS[metric.name](table, design=how.design, confidence_level=how.confidence_level)
            out[1:, k] = min(float(ends.low), out[0, k]), max(float(ends.high), out[0, k])
    if metric is METRICS["auroc"] and isinstance(data, ClassScores):
        out[0] = class_aurocs(data)
    return out[0], out[1], out[2]


def _table(metric: Metric, data: ClassScores | ClassTables, k: int) -> ScoreTable:
    if isinstance(data, ClassScores):
        return table_for(metric, data, k)
    return ranks_alone(data.tables[k]) if metric.name in STRAIGHT_BETWEEN else data.tables[k]

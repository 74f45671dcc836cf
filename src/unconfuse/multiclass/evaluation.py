"""Judge a classifier of several classes: check, compute, wrap."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from unconfuse._errors import InputError, UnconfuseWarning
from unconfuse._validate import brief
from unconfuse.ingest._old import ClassScores, ClassTables
from unconfuse.ingest.rows import class_names
from unconfuse.multiclass._definition import ClassMetric
from unconfuse.multiclass.cells import Cells
from unconfuse.multiclass.confusion import Confusion
from unconfuse.multiclass.distant import estimates_of_any
from unconfuse.multiclass.findings import class_findings
from unconfuse.multiclass.intervals import ClassHow
from unconfuse.multiclass.registry import MULTICLASS_METRICS, find_class_metrics
from unconfuse.multiclass.result import ClassEvaluation, Judge, check_available
from unconfuse.table import Array

_MANY = 3e8  # scores beyond which metrics that bin every column are only made when asked for
_SLOW = ("ece_classwise",)


def judged_classes(
    data: ClassScores | ClassTables | None,
    confusion: Confusion,
    metrics: Iterable[str | ClassMetric] | None,
    how: ClassHow,
    judge: Judge,
    name: str = "",
) -> ClassEvaluation:
    """The evaluation of rows, of what a cluster made of them, or of a table alone."""
    missing = [each for each, size in zip(confusion.classes, confusion.truth, strict=True) if size == 0]
    if missing:
        shown = ", ".join(map(brief, missing[:5])) + (", ..." if len(missing) > 5 else "")
        warnings.warn(
            f"no case belongs to {shown}: metrics of these classes are undefined, and averages leave them out.",
            UnconfuseWarning,
            4,
        )
    wanted = _wanted(metrics, data)
    cells = Cells.of_matrix(confusion.counts)
    estimates = estimates_of_any(wanted, data, cells, confusion.classes, how)
    rows, tables = (None, data) if isinstance(data, ClassTables) else (data, None)
    result = ClassEvaluation(estimates, confusion, how, judge, rows, metrics=wanted, name=name, tables=tables)
    return result.replaced(findings=class_findings(result))


def confusion_of(rows: ClassScores) -> Confusion:
    """The K x K table of rows."""
    return Confusion(Cells.of_rows(rows).matrix(), rows.classes)


def check_confusion(matrix: Any, classes: Sequence[object] | None) -> Confusion:
    """A K x K matrix of counts, rows = truth; names of a frame's columns are kept."""
    named = list(matrix.columns) if classes is None and hasattr(matrix, "columns") else None
    try:
        counts = np.asarray(matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("a confusion matrix must hold counts; got text or rows of different lengths.") from None
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise InputError(
            f"a confusion matrix must be square, rows = truth, columns = prediction; got shape {counts.shape}."
        )
    _refuse_cells(counts)
    chosen = classes if classes is not None else named or list(range(len(counts)))
    names = class_names(list(chosen))
    if len(names) != len(counts):
        raise InputError(f"the confusion matrix has {len(counts)} rows, but there are {len(names)} classes.")
    return Confusion(counts, names)


def _refuse_cells(counts: Array) -> None:
    for bad, words in (
        (~np.isfinite(counts), "missing or infinite"),
        (counts < 0, "negative"),
        (counts != np.round(counts), "fractional"),
    ):
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise InputError(
                f"a confusion matrix must hold whole counts of 0 or more; row {row}, column {column} "
                f"(counted from 0) is {words}: {counts[row, column]:g}. Hint: give counts, not shares."
            )
    if counts.sum() == 0:
        raise InputError("the confusion matrix holds no cases.")


def _wanted(
    metrics: Iterable[str | ClassMetric] | None, data: ClassScores | ClassTables | None
) -> tuple[ClassMetric, ...]:
    if metrics is not None:
        found = find_class_metrics(metrics)
        for each in found:
            check_available(each, data)
        return found
    scores = data.scores if isinstance(data, ClassScores) else None
    kinds = {"confusion"}
    if data is not None and (scores is not None or isinstance(data, ClassTables)):
        kinds |= {"scores"} if data.why_not_probabilities else {"scores", "probabilities"}
    large = scores is not None and scores.size > _MANY
    return tuple(
        each for each in MULTICLASS_METRICS.values() if each.of in kinds and not (large and each.name in _SLOW)
    )

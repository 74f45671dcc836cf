"""Several classes on Spark: decisions are counted, one table is made for each class, and losses are added up there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._labels import meaning
from unconfuse._validate import brief
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_checks import check_types, labels_of
from unconfuse.ingest._spark_errors import asked, complaints
from unconfuse.ingest._spark_tables import Precision, edges_of_bins, kept_columns, tables_of
from unconfuse.ingest.class_rows import SUM_TOLERANCE, class_names
from unconfuse.ingest.class_tables import ClassTables, Moments, checked_cells
from unconfuse.ingest.columns import Chosen
from unconfuse.ingest.spark import in_bins

MOST_CLASSES = 1000


def cells_of_spark(frame: Any, chosen: Chosen, predicted: str, text: bool) -> dict[str, Any]:
    """How many rows (and what weight) have each pair of true and predicted label, in each group if there are groups."""
    with complaints():
        check_types(frame, chosen, text)
        query = sql.cells(chosen.label, predicted, chosen.weight, chosen.group)
        found = asked(frame, query, rows=frame)
    weight = checked_cells(found, chosen.label, predicted, chosen.weight)
    return {**found, "weight": weight}


def tables_of_spark(
    frame: Any, chosen: Chosen, predicted: str | None, labels: Mapping[Any, int], classes: Sequence[Any], text: bool
) -> ClassTables:
    """Everything about scores of several classes that needs no rows; `chosen.scores` are in the order of `classes`."""
    if chosen.group is not None:
        raise InputError(
            "scores of several classes in groups need rows, but they are on a cluster. "
            "Hint: leave out group=, or bring a sample with .toPandas()."
        )
    names, n_rows = class_names(classes), sum(labels.values())
    with complaints():
        check_types(frame, chosen, text)
        coded = [_numbered(frame, chosen.label, list(labels), classes).alias("truth")]
        if predicted is not None:
            given, _ = labels_of(frame, predicted, skips=False, most=MOST_CLASSES)
            coded.append(_numbered(frame, predicted, list(given), classes).alias("predicted"))
        kept = kept_columns(frame, chosen, coded, text)
        edges = edges_of_bins(kept, chosen, n_rows, 1, Precision())
        found, _ = tables_of(in_bins(kept, edges), chosen, n_rows, binned=edges is not None, positive="truth = {}")
        why = _why_not_probabilities(asked(kept, sql.range_of_rows(len(names)), rows=kept))
        decision = "predicted" if predicted is not None else sql.decision(len(names), not why)
        summed = asked(kept, sql.decisions(len(names), decision, weighted=chosen.weight is not None), rows=kept)
    matrix, losses = _matrix(summed, len(names)), _losses(summed, len(names))
    if (matrix.sum(axis=1) > 0).sum() < 2:
        raise InputError("the labels hold one class only. Hint: classes are told apart on cases of at least two.")
    return ClassTables(names, matrix, tuple(found.values()), {} if why else losses, why)


def _numbered(frame: Any, name: str, labels: Sequence[Any], classes: Sequence[Any]) -> Any:
    """A column with the number of each label's class."""
    from pyspark.sql import functions

    known = {meaning(each): place for place, each in enumerate(classes)}
    column, number = frame[sql.quoted(name)], None
    for label in labels:
        place = known.get(meaning(label))
        if place is None:
            shown = ", ".join(brief(str(each)) for each in classes[:10]) + (", ..." if len(classes) > 10 else "")
            raise InputError(
                f"column {brief(name)} holds {brief(label)}, which is none of the classes ({shown}). "
                "Hint: check the spelling, or name all classes with classes=."
            )
        number = (functions if number is None else number).when(column == label, functions.lit(place))
    return number


def _why_not_probabilities(found: Mapping[str, Any]) -> str:
    if found["lowest"][0] < 0 or found["highest"][0] > 1:
        return "a row has a score outside [0, 1]"
    total = float(found["worst"][0])
    return f"a row adds up to {total:.6g}, not to 1 within {SUM_TOLERANCE:g}" if abs(total - 1) > SUM_TOLERANCE else ""


def _matrix(found: Mapping[str, Any], size: int) -> Any:
    matrix = np.zeros((size, size))
    np.add.at(matrix, (found["truth"].astype(np.int64), found["decided"].astype(np.int64)), found["weight"])
    return matrix


def _losses(found: Mapping[str, Any], size: int) -> dict[str, Moments]:
    truth = found["truth"].astype(np.int64)

    def by_class(name: str) -> Any:
        return np.bincount(truth, weights=found[name], minlength=size)

    return {name: Moments(by_class(name), by_class(f"{name}_squares")) for name in ("log_loss", "brier")}

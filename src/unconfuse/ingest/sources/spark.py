"""Spark frames, classic and Connect: tables are made on the executors, and only tables come to the driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._formatting import short_repr
from unconfuse._labels import both_classes, canonical_label
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_driver import Flags
from unconfuse.ingest._spark_sample import SparkSample
from unconfuse.ingest._spark_session import asked, complaints, frame_of_files, open_session
from unconfuse.ingest._spark_tables import SparkInput, SparkTables, has_fractions
from unconfuse.ingest.aggregated_rows import sample_of_cells
from unconfuse.ingest.build_sample import by_label, class_names, in_their_order, places_of, unknown_class
from unconfuse.ingest.column_roles import ColumnRoles, choose
from unconfuse.ingest.data import ANY, NAMES, Data, ReadRequest, has_values, reject_options
from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.in_memory import SUM_TOLERANCE
from unconfuse.table.sample import ClassSums, Sample

MAKES_BINS = True  # on the executors
MOST_CLASSES = 1000
_ON_CLUSTER = "rows are needed here, but they are on a cluster"
_SAMPLE = "bring a sample with .toPandas(), and name weights, groups and subgroups as columns"


class SparkPath(str):
    """The path of a file that a Spark session is to read."""

    session: Any
    delimiter: str | None

    def __new__(cls, path: str, session: Any, delimiter: str | None = None) -> SparkPath:
        """Create a text that knows who reads it."""
        made = super().__new__(cls, path)
        made.session, made.delimiter = session, delimiter
        return made


def by_spark(path: str, master: str, delimiter: str | None = None) -> tuple[SparkPath, Callable[[], None]]:
    """Return a path that Spark reads wherever a source is asked for, and what to call in the end."""
    session, close = open_session(master)
    return SparkPath(path, session, delimiter), close


def recognises(data: Data) -> bool:
    """Tell whether Spark reads the source: a frame, classic or Connect, or a path; pyspark is not imported for this."""
    return isinstance(data.source, SparkPath) or any(
        each.__module__.startswith("pyspark.sql") and each.__name__ == "DataFrame" for each in type(data.source).__mro__
    )


def read(data: Data, needs: ReadRequest) -> Sample:
    """Read and check a Spark frame, whose rows stay on the cluster; of several classes, what can be added up there."""
    known = (
        ANY
        | (NAMES - {"stratum", "site"})
        | {"max_distinct"}
        | ({"delimiter"} if isinstance(data.source, SparkPath) else set())
    )
    reject_options(data, known, _ON_CLUSTER, _SAMPLE)
    if has_values(data):
        raise InputError(f"{_ON_CLUSTER}. Hint: {_SAMPLE}.")
    frame, text = data.source, False
    if isinstance(frame, SparkPath):
        frame, text = frame_of_files(frame.session, str(frame), frame.delimiter or data.delimiter)
    with complaints():  # a Connect session finds out only now whether the frame exists
        chosen = choose(list(frame.columns), data, "the Spark frame")
        given = SparkInput(frame, chosen, data, needs.edges, text)
        given.check()
        if chosen.sampling_weight is not None:
            return _question(_sampled(given))
        if chosen.matrices:
            return _classes(given)
        if chosen.predicted:
            return sample_of_cells(asked(frame, sql.cells(chosen), rows=frame), chosen, data)
        return _question(given)


def _sampled(given: SparkInput) -> SparkInput:
    """Weights that say how rows were sampled are weights whose squares are added up as well."""
    chosen = given.chosen
    asked_for = {
        "sampling weights of several classes": bool(chosen.matrices or chosen.predicted),
        "sampling weights of groups": chosen.group is not None,
        "sampling weights beside weights": chosen.weight is not None,
    }
    for what, is_asked in asked_for.items():
        if is_asked:
            raise InputError(
                f"{what} need rows, but they are on a cluster. Hint: leave it out, or bring a sample with .toPandas()."
            )
    return replace(given, chosen=replace(chosen, weight=chosen.sampling_weight, sampling_weight=None), sampled=True)


def _question(given: SparkInput) -> SparkSample:
    """Read a yes-or-no question."""
    chosen, data = given.chosen, given.data
    if chosen.slices and chosen.group is not None:
        raise InputError(
            "subgroups of cases that belong to groups need rows, but they are on a cluster. "
            "Hint: leave out `group`, or bring a sample with .toPandas()."
        )
    present, n_rows = given.labels(str(chosen.label))
    both = both_classes(list(present), data.stated, lambda: present)
    meant = [each for each in both.meant if each in present]
    is_positive = given.frame[sql.quoted(str(chosen.label))].isin(meant).alias("positive")  # null where the label is
    answer = SparkTables(given, [is_positive], n_rows)
    tables = answer.whole
    known: dict[str, Any] = {
        "classes": both.classes,
        "positive_label": both.positive,
        "is_weighted": chosen.weight is not None,
        "has_fractions": not given.sampled and has_fractions(tables, chosen),
    }

    def by_model(tables: Sequence[Any]) -> dict[str, tuple[Any]]:
        return {model: (table,) for model, table in zip(chosen.scores, tables, strict=True)}

    def folded(inside: Flags | None = None) -> dict[str, AggregatedSample]:
        return {name: part(own) for name, own in answer.parts(answer.folds, inside).items()}

    def part(own: Flags, **slices: Any) -> AggregatedSample:
        return AggregatedSample(**known, tables=by_model(answer.tables(own)), **slices)

    return SparkSample(
        **known,
        tables=by_model(tables),
        skipped=answer.skipped,
        divided={name: part(own, folded=folded(own)) for name, own in answer.parts(answer.by).items()},
        by=chosen.by,
        folded=folded(),
        frame=answer.rows,
        chosen=chosen,
        edges=answer.edges,
        together=answer.together if len(chosen.scores) > 1 else None,  # of one model, its table says as much
    )


def _classes(given: SparkInput) -> AggregatedSample:
    """Scores of several classes: decisions are counted, one table is made for each class, and losses are added up."""
    chosen, data, model = given.chosen, given.data, _only_matrix(given.chosen)
    labels, n_rows = given.labels(str(chosen.label), MOST_CLASSES)
    columns = by_label(chosen.matrices[model], labels)
    stated = list(columns) if data.classes is None else list(data.classes)
    names = class_names(in_their_order(stated, data))
    ordered = [list(columns.values())[place] for place in places_of(names, list(columns))]
    chosen = replace(chosen, matrices={model: dict(zip(names, ordered, strict=True))})
    coded = [_numbered(given, str(chosen.label), list(labels), names).alias("truth")]
    if chosen.predicted:
        name = chosen.predicted[model]
        coded.append(_numbered(given, name, list(given.labels(name, MOST_CLASSES)[0]), names).alias("predicted"))

    answer = SparkTables(replace(given, chosen=chosen), coded, n_rows, positive="truth = {}")
    rows, size, weighted = answer.rows, len(names), chosen.weight is not None
    why = _why_not_probabilities(asked(rows, sql.range_of_rows(size), rows=rows))
    decision = "predicted" if chosen.predicted else sql.decision(size, not why)
    summed = asked(rows, sql.decisions(size, decision, weighted=weighted), rows=rows)
    matrix, losses = _matrix(summed, size), _losses(summed, size)
    if (matrix.sum(axis=1) > 0).sum() < 2:
        raise InputError("the labels hold one class only. Hint: pass cases of at least two classes.")
    tables = answer.whole
    return AggregatedSample(
        classes=names,
        is_multiclass=True,
        ordinal=data.ordered,
        skipped=answer.skipped,
        tables={model: tuple(tables)},
        matrices={model: matrix},
        losses={} if why else losses,
        reason=why,
        is_weighted=weighted,
        has_fractions=has_fractions(tables, chosen),
    )


def _only_matrix(chosen: ColumnRoles) -> str:
    """Return the one model, without groups and subgroups: all else needs rows, and is refused."""
    asked_for = {
        "models of several classes are compared row by row": len({*chosen.matrices, *chosen.predicted}) > 1,
        "scores of several classes in groups need rows": chosen.group is not None,
        "subgroups and folds of several classes need rows": bool(chosen.slices),
    }
    for what, is_asked in asked_for.items():
        if is_asked:
            raise InputError(
                f"{what}, but they are on a cluster. Hint: leave that out, or bring a sample with .toPandas()."
            )
    return str(next(iter(chosen.matrices)))


def _numbered(given: SparkInput, name: str, labels: Sequence[Any], classes: Sequence[Any]) -> Any:
    """Return a column with the number of each label's class."""
    from pyspark.sql import functions

    known = {canonical_label(class_name): place for place, class_name in enumerate(classes)}
    column, number = given.frame[sql.quoted(name)], None
    for label in labels:
        place = known.get(canonical_label(label))
        if place is None:
            what, hint = unknown_class(label, classes)
            raise InputError(f"column {short_repr(name)} {what}. Hint: {hint}.")
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


def _losses(found: Mapping[str, Any], size: int) -> dict[str, ClassSums]:
    truth = found["truth"].astype(np.int64)

    def by_class(name: str) -> Any:
        return np.bincount(truth, weights=found[name], minlength=size)

    return {name: ClassSums(by_class(name), by_class(f"{name}_squares")) for name in ("log_loss", "brier")}

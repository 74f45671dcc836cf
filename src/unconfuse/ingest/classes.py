"""The door for problems with several classes: labels and a matrix of scores, from arrays, frames and files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._labels import meaning
from unconfuse._validate import as_weights, brief, check_same_length
from unconfuse.ingest.arrays import group_codes, plain
from unconfuse.ingest.class_rows import ClassScores, Matrix, class_rows
from unconfuse.ingest.class_tables import ClassTables, objects
from unconfuse.ingest.columns import Chosen, Wanted, choose_columns
from unconfuse.ingest.distant import SparkPath, is_distant

Columns = str | Sequence[str] | Mapping[Any, str]


@dataclass(frozen=True)
class ClassColumns(Chosen):
    """The columns of several classes; `predicted` names a column of labels."""

    predicted: str | None = None

    @property
    def texts(self) -> dict[str, str]:
        """Columns of names, by role."""
        found = super().texts
        return found if self.predicted is None else {**found, "predicted": self.predicted}


def has_classes(labels: Any, scores: Any = None) -> bool:
    """Whether scores are a matrix with a column for each class, rather than one column of scores.

    >>> has_classes([0, 1], [[.2, .8], [.7, .3]]), has_classes([0, 1], [.2, .8])
    (True, False)
    """
    if isinstance(labels, ClassScores | ClassTables):
        return True
    if isinstance(scores, Mapping):  # of classes if they name all labels; else of models
        return len(scores) > 1 and {meaning(each) for each in np.unique(np.asarray(plain(labels))).tolist()} <= {
            meaning(each) for each in scores
        }
    return _width(scores) > 1


def several_classes(labels: Any, models: Any) -> bool:
    """Whether models are given by matrices with a column for each class."""
    return isinstance(models, Mapping) and any(
        isinstance(each, ClassScores) or has_classes(labels, each) for each in models.values()
    )


def _width(scores: Any) -> int:
    """Columns of a matrix; 1 for anything else."""
    shape = getattr(scores, "shape", None)
    if shape is None and isinstance(scores, list | tuple) and scores and hasattr(scores[0], "__len__"):
        return 1 if isinstance(scores[0], str) or len(scores) == 1 else len(scores[0])
    return int(shape[1]) if shape is not None and len(shape) == 2 and shape[0] != 1 else 1


def gather_classes(
    data: Any,
    scores: Any = None,
    *,
    predicted: Any = None,
    classes: Sequence[object] | None = None,
    label: str | None = None,
    columns: Columns | None = None,
    weight: str | None = None,
    group: str | None = None,
    weights: Any = None,
    groups: Any = None,
    id: str | None = None,
    delimiter: str | None = None,
) -> ClassScores | ClassTables:
    """Checked rows of several classes; their counts and tables where the rows stay on a cluster.

    Parameters
    ----------
    data : array_like, frame, path, ClassScores or ClassTables
        Labels; or a frame, a mapping of columns or a file that holds them.
    scores : matrix, frame of K columns or mapping of class to column
        With labels given as an array.
    predicted : array_like or str
        Predicted labels, or the name of their column.
    classes : sequence, optional
        The classes in the order of the matrix's columns; the sorted labels by default.
    columns : str, names or mapping of class to name, optional
        Score columns of a frame or a file: a pattern such as "p_*" (the class is what the star stands for), their
        names (the class is the name), or a mapping.

    Examples
    --------
    >>> gather_classes(["a", "b", "c"], [[.6, .3, .1], [.2, .5, .3], [.1, .1, .8]])
    ClassScores(3 rows, 3 classes)
    >>> gather_classes({"y": ["a", "b"], "p_a": [.7, .2], "p_b": [.3, .8]}, label="y", columns="p_*").classes
    ('a', 'b')
    """
    if isinstance(data, ClassScores | ClassTables):
        return data
    if is_distant(data):
        if scores is not None or weights is not None or groups is not None:
            raise InputError("rows are needed here, but they are on a cluster. Hint: name all columns.")
        return _of_cluster(data, Wanted(label, None, weight, group, id), columns, predicted, classes)
    if scores is None and isinstance(data, str | os.PathLike):
        wanted = Wanted(label, None, weight, group, id)
        return _of_files(os.fspath(data), wanted, columns, predicted, classes, delimiter)
    if scores is None and not isinstance(data, list | tuple | np.ndarray) and (columns or isinstance(predicted, str)):
        return _of_frame(data, Wanted(label, None, weight, group, id), columns, predicted, classes, weights, groups)
    return _of_arrays(data, scores, predicted, classes, weights, groups)


def only_rows(found: ClassScores | ClassTables) -> ClassScores:
    """The rows, where tables are not enough."""
    if isinstance(found, ClassTables):
        raise InputError(
            "models of several classes are compared row by row, but the rows are on a cluster. "
            "Hint: bring a sample with .toPandas()."
        )
    return found


def _of_arrays(
    labels: Any, scores: Any, predicted: Any, classes: Sequence[object] | None, weights: Any, groups: Any
) -> ClassScores:
    labels = np.asarray(plain(labels))
    matrix, named = (None, None) if scores is None else as_matrix(scores)
    decided = None if predicted is None else np.asarray(plain(predicted))
    check_same_length(
        {"labels": len(labels)}
        | ({} if matrix is None else {"scores": len(matrix)})
        | ({} if decided is None else {"predicted": len(decided)})
    )
    chosen = classes if classes is not None else named
    chosen = _classes(labels, decided, matrix) if chosen is None else list(chosen)
    if matrix is not None and len(chosen) != matrix.shape[1]:
        raise InputError(
            f"the scores have {matrix.shape[1]} columns, but there are {len(chosen)} classes. "
            "Hint: give one column for each class, in the order of classes=."
        )
    weight, group = _sides(weights, groups, len(labels))
    return class_rows(labels, chosen, scores=matrix, predicted=decided, weights=weight, groups=group)


def _sides(weights: Any, groups: Any, length: int) -> tuple[Any, Any]:
    weight = None if weights is None else as_weights(plain(weights))
    group = None if groups is None else group_codes(plain(groups))
    sides = {"weights": weight, "groups": group}
    check_same_length({"labels": length} | {name: len(each) for name, each in sides.items() if each is not None})
    return weight, group


def as_matrix(scores: Any) -> tuple[Matrix, list[Any] | None]:
    """A matrix of finite numbers, and the names of its columns if they have any."""
    names: list[Any] | None = None
    if isinstance(scores, Mapping):
        names = list(scores)
        matrix = np.column_stack([np.asarray(plain(each), dtype=np.float64) for each in scores.values()])
    else:
        names = [str(each) for each in scores.columns] if hasattr(scores, "columns") else None
        matrix = _numbers(scores.to_numpy() if hasattr(scores, "to_numpy") else scores)
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    _refuse_missing(matrix)
    return matrix, names


def _numbers(scores: Any) -> Matrix:
    try:
        matrix = np.asarray(scores)
        matrix = matrix if matrix.dtype.kind in "fiub" else matrix.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "the scores must be a matrix of numbers, one column for each class. "
            "Hint: check for text and for rows of different lengths."
        ) from None
    if matrix.ndim != 2:
        raise InputError(
            f"the scores must have a row for each case and a column for each class; got shape {matrix.shape}."
        )
    return matrix


def _refuse_missing(matrix: Matrix) -> None:
    """In pieces: a mask of the whole matrix would take a quarter of its memory."""
    step = max(1, (1 << 22) // matrix.shape[1])
    for first in range(0, len(matrix), step):
        bad = ~np.isfinite(matrix[first : first + step])
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise InputError(
                f"the scores have missing or infinite values, first in row {first + row}, column {column} (counted "
                "from 0). Hint: drop those rows or fill them in."
            )


def _classes(labels: Any, predicted: Any, matrix: Matrix | None) -> list[Any]:
    """The classes when nobody named them: the labels in order; 0, 1, ... when they are numbers of columns."""
    seen = [each for each in (labels, predicted) if each is not None]
    objects = any(each.dtype.kind == "O" for each in seen)
    found = np.unique(np.concatenate([each.astype(str) if objects else each for each in seen])).tolist()
    if matrix is None or len(found) == matrix.shape[1]:
        return list(found)
    if all(isinstance(each, int) and 0 <= each < matrix.shape[1] for each in found):
        return list(range(matrix.shape[1]))
    shown = ", ".join(map(brief, found[:5])) + (", ..." if len(found) > 5 else "")
    raise InputError(
        f"the scores have {matrix.shape[1]} columns, but the labels hold {len(found)} classes: {shown}. "
        "Hint: name the class of each column with classes=."
    )


def matched(pattern: str, names: Sequence[str], taken: Sequence[str | None] = ()) -> dict[str, str]:
    """Columns by class: what the star of a pattern stands for.

    >>> matched("p_*", ["y", "p_cat", "p_dog"])
    {'cat': 'p_cat', 'dog': 'p_dog'}
    """
    if pattern.count("*") != 1:
        raise InputError(f"a pattern of score columns needs one star; got {brief(pattern)}. Hint: for instance 'p_*'.")
    before, after = pattern.split("*")
    shortest = len(before) + len(after)
    found = {
        name[len(before) : len(name) - len(after)]: name
        for name in names
        if name not in taken and len(name) > shortest and name.startswith(before) and name.endswith(after)
    }
    if len(found) < 2:
        shown = ", ".join(map(brief, names[:20]))
        raise InputError(
            f"{len(found) or 'no'} column{'' if len(found) == 1 else 's'} match {brief(pattern)}; "
            f"the columns are {shown}. Hint: there must be one for each class."
        )
    return found


def _chosen(
    names: Sequence[str], wanted: Wanted, columns: Columns | None, predicted: str | None, where: str
) -> ClassColumns:
    others = [wanted.label, wanted.weight, wanted.group, wanted.id, predicted]
    if columns is None:
        scores: dict[Any, str] = {}
    elif isinstance(columns, str):
        scores = matched(columns, names, others)
    else:
        scores = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    asked = replace(wanted, score={str(key): name for key, name in scores.items()} or predicted)
    found = choose_columns(names, asked, where)
    return ClassColumns(
        found.label, found.scores if scores else {}, found.weight, found.group, found.id, predicted=predicted
    )


def _of_frame(
    frame: Any, wanted: Wanted, columns: Columns | None, predicted: Any, classes: Any, weights: Any, groups: Any
) -> ClassScores:
    from unconfuse.ingest.frames import columns_of_frame, is_lazy, names_of_frame
    from unconfuse.ingest.lazy import cells_of_lazy

    named = predicted if isinstance(predicted, str) else None
    chosen = _chosen(names_of_frame(frame), wanted, columns, named, "the frame")
    if named and not chosen.scores and weights is None and groups is None and is_lazy(frame):
        return _of_cells(cells_of_lazy(frame, chosen, named), classes)
    found = columns_of_frame(frame, [*chosen.texts.values(), *chosen.numbers.values()])
    matrix = {key: found[name] for key, name in _by_label(chosen.scores, found[chosen.label]).items()} or None
    return _of_arrays(
        found[chosen.label],
        _in_order(matrix, classes),
        found[named] if named else predicted,
        classes,
        weights if chosen.weight is None else found[chosen.weight],
        groups if chosen.group is None else found[chosen.group],
    )


def _of_cluster(
    data: Any, wanted: Wanted, columns: Columns | None, predicted: Any, classes: Sequence[object] | None
) -> ClassScores | ClassTables:
    from unconfuse.ingest._spark_checks import labels_of
    from unconfuse.ingest._spark_classes import MOST_CLASSES, cells_of_spark, tables_of_spark
    from unconfuse.ingest._spark_session import frame_of_files

    if predicted is not None and not isinstance(predicted, str):
        raise InputError("the rows are on a cluster. Hint: name the column of predicted labels.")
    frame, text = (
        frame_of_files(data.session, str(data), data.delimiter) if isinstance(data, SparkPath) else (data, False)
    )
    chosen = _chosen(list(frame.columns), wanted, columns, predicted, "the Spark frame")
    if predicted is not None and not chosen.scores:
        return _of_cells(cells_of_spark(frame, chosen, predicted, text), classes)
    labels, _ = labels_of(frame, chosen.label, skips=False, most=MOST_CLASSES)
    named = _in_order(_by_label(chosen.scores, objects(list(labels))), classes) or {}
    ordered = replace(chosen, scores=named)
    return tables_of_spark(frame, ordered, predicted, labels, list(named), text)


def _of_cells(cells: Mapping[str, Any], classes: Sequence[object] | None) -> ClassScores:
    """Rows that have the same labels, as one row that counts as often."""
    return _of_arrays(
        objects(cells["label"]), None, objects(cells["predicted"]), classes, cells["weight"], cells.get("group")
    )


def _by_label(scores: Mapping[str, str], labels: Any) -> dict[str, str]:
    """Columns by class; a column whose whole name is a label belongs to that label, whatever the star stands for."""
    seen = {meaning(each) for each in np.unique(np.asarray(labels).astype(str)).tolist()}
    return {name if meaning(name) in seen and meaning(key) not in seen else key: name for key, name in scores.items()}


def _in_order(matrix: dict[str, Any] | None, classes: Any) -> dict[str, Any] | None:
    """Named columns in the order of the classes."""
    if matrix is None or classes is None:
        return matrix
    missing = [each for each in classes if str(each) not in matrix]
    if missing:
        raise InputError(
            f"no score column belongs to the class {brief(missing[0])}. "
            f"Hint: the columns are for {', '.join(map(brief, list(matrix)[:10]))}."
        )
    return {str(each): matrix[str(each)] for each in classes}


def _of_files(
    path: str, wanted: Wanted, columns: Columns | None, predicted: str | None, classes: Any, delimiter: str | None
) -> ClassScores:
    from unconfuse.ingest._bad_rows import refuse_duplicated_ids
    from unconfuse.ingest._engine import Engine
    from unconfuse.ingest._parts import parts_of
    from unconfuse.ingest._scan import whole_columns
    from unconfuse.ingest.files import open_sources

    def choose(names: Sequence[str], _: Wanted, where: str) -> ClassColumns:
        return _chosen(names, wanted, columns, predicted, where)

    with open_sources(path) as sources, Engine() as engine:
        parts = parts_of(engine, sources, wanted, delimiter, choose)
        if wanted.id is not None:
            refuse_duplicated_ids(engine, parts)
        found = whole_columns(engine, parts)
    keys = _by_label(parts[0].chosen.scores, found["label"])
    matrix = {key: found[f"score {position}"] for position, key in enumerate(keys)} or None
    return _of_arrays(
        found["label"],
        _in_order(matrix, classes),
        found.get("predicted"),
        classes,
        found.get("weight"),
        found.get("group"),
    )

"""Rows in memory that cannot be used: found, counted by reason and left out, if that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._validate import (
    BAD_WEIGHT,
    INFINITE_SCORE,
    MISSING_GROUP,
    MISSING_LABEL,
    MISSING_SCORE,
    NOT_A_NUMBER,
    NOTHING_SKIPPED,
    Array,
    Skipped,
    check_choice,
    check_same_length,
    is_missing,
    is_number,
)
from unconfuse.ingest.reading import WHEN_BAD

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """Columns as they came, not yet checked; those that were not asked for are None."""

    label: Any
    scores: Mapping[str, Any]
    weight: Any = None
    group: Any = None
    skipped: Skipped = NOTHING_SKIPPED
    kept: Flags | None = None  # which rows these are, if some were left out


def screened(columns: Columns, on_bad_row: str) -> Columns:
    """The columns without the rows that cannot be used, if those are to be skipped.

    Examples
    --------
    >>> kept = screened(Columns(["a", None, "b"], {"p": [.5, .2, float("inf")]}), "skip")
    >>> kept.label.tolist(), str(kept.skipped)
    (['a'], '2 rows were left out: infinite score 1, missing label 1')
    """
    if check_choice(on_bad_row, "on_bad_row", WHEN_BAD) == "error":
        return columns
    label, scores = np.asarray(columns.label), {model: np.asarray(each) for model, each in columns.scores.items()}
    weight, group = (None if each is None else np.asarray(each) for each in (columns.weight, columns.group))
    named = {"labels": label, **scores, "weights": weight, "groups": group}
    check_same_length({name: len(each) for name, each in named.items() if each is not None})
    bad = first_reasons(_reasons(label, scores, weight, group))
    keep = ~np.logical_or.reduce(list(bad.values()))
    return Columns(
        label[keep],
        {model: column[keep] for model, column in scores.items()},
        None if weight is None else weight[keep],
        None if group is None else group[keep],
        Skipped.of({reason: int(rows.sum()) for reason, rows in bad.items()}),
        keep,
    )


def _reasons(
    label: npt.NDArray[Any], scores: Mapping[str, npt.NDArray[Any]], weight: Any, group: Any
) -> dict[str, Flags]:
    numbers = [lenient(score) for score in scores.values()]
    heavy = None if weight is None else lenient(weight)[0]
    nothing = np.zeros(len(label), dtype=np.bool_)
    return {
        MISSING_LABEL: is_missing(label),
        NOT_A_NUMBER: np.logical_or.reduce([is_text for _, is_text in numbers]),
        MISSING_SCORE: np.logical_or.reduce([np.isnan(each) for each, _ in numbers]),
        INFINITE_SCORE: np.logical_or.reduce([np.isinf(each) for each, _ in numbers]),
        BAD_WEIGHT: nothing if heavy is None else bad_weights(heavy),
        MISSING_GROUP: nothing if group is None else is_missing(group),
    }


def bad_weights(weights: Array) -> Flags:
    """Weights that count nothing."""
    return np.asarray(~np.isfinite(weights) | (weights < 0))


def lenient(column: npt.NDArray[Any]) -> tuple[Array, Flags]:
    """Numbers as float64, NaN where there is none; and where there is something else instead."""
    if column.dtype.kind in "fiub":
        return column.astype(np.float64), np.zeros(len(column), dtype=np.bool_)
    numbers = np.array([float(each) if is_number(each) else np.nan for each in column.tolist()], dtype=np.float64)
    missing = is_missing(column)
    return numbers, np.array([not is_number(each) for each in column.tolist()], dtype=np.bool_) & ~missing


def first_reasons(found: Mapping[str, Flags]) -> dict[str, Flags]:
    """Each bad row under one reason only, the first that holds."""
    taken = np.zeros_like(next(iter(found.values())))
    apart = {}
    for reason, bad in found.items():
        apart[reason] = bad & ~taken
        taken |= bad
    return apart

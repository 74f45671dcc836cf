"""Rows that some engine has added up by label and score: checked here, and made into score tables.

Whatever runs a GROUP BY (a lazy frame, a database, a cluster) hands over `Groups`, one for each model; what labels
mean, which values are refused and what they are called is decided here, once for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._labels import positives_among
from unconfuse._validate import (
    BAD_WEIGHT,
    INFINITE_SCORE,
    MISSING_LABEL,
    MISSING_SCORE,
    Array,
    Skipped,
    brief,
    check_not_empty,
)
from unconfuse.ingest.by import division_of
from unconfuse.ingest.columns import Chosen
from unconfuse.ingest.reading import Reading
from unconfuse.ingest.screening import Flags, first_reasons
from unconfuse.ingest.tables import DividedTables, Tables
from unconfuse.table import ScoreTable

ENOUGH_LABELS = 101  # more only say that the column is no label


@dataclass(frozen=True)
class Groups:
    """The rows of one model, added up by label and score.

    Attributes
    ----------
    labels : sequence
        The distinct labels, as Python values, none missing.
    code : array of int
        Position of each group's label in `labels`; -1 where the label is missing.
    score : array of float
        NaN where missing.
    rows : array of float
        How many rows each group holds.
    weight, lightest : array of float, optional
        Sum and smallest of the weights of each group.
    bad_weight : array of bool, optional
        Groups (kept apart from the others) whose weights are missing, infinite or negative.
    missing_elsewhere, infinite_elsewhere : array of bool, optional
        Groups whose rows lack a usable score of another model.
    by : tuple of arrays
        What divides the rows into subgroups, one array for each column.
    """

    labels: Sequence[Any]
    code: npt.NDArray[np.int64]
    score: Array
    rows: Array
    weight: Array | None = None
    lightest: Array | None = None
    bad_weight: Flags | None = None
    missing_elsewhere: Flags | None = None
    infinite_elsewhere: Flags | None = None
    by: tuple[npt.NDArray[Any], ...] = ()

    def reasons(self) -> dict[str, Flags]:
        """Which groups cannot be used, by the reason that comes first."""
        nothing = np.zeros(len(self.score), dtype=np.bool_)
        missing, infinite = (
            nothing if each is None else each for each in (self.missing_elsewhere, self.infinite_elsewhere)
        )
        found = {
            MISSING_LABEL: self.code < 0,
            MISSING_SCORE: np.isnan(self.score) | missing,
            INFINITE_SCORE: np.isinf(self.score) | infinite,
            BAD_WEIGHT: nothing if self.bad_weight is None else self.bad_weight,
        }
        return first_reasons(found)


def coded(labels: npt.NDArray[Any]) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Distinct labels in sorted order, and the position of each; None and NaN are missing.

    >>> coded(np.array(["b", None, "a"], dtype=object))
    (['a', 'b'], array([ 1, -1,  0]))
    """
    values = labels.tolist()
    present = {value for value in values if value is not None and value == value}  # noqa: PLR0124
    distinct = sorted(present, key=lambda label: (type(label).__name__, label))
    position = {label: number for number, label in enumerate(distinct)}
    return distinct, np.array([position.get(value, -1) for value in values], dtype=np.int64)


def tables_of_groups(
    models: Mapping[str, Groups], chosen: Chosen, how: Reading, orders: Mapping[str, Sequence[Any]] | None = None
) -> Tables:
    """One score table for each model; bad groups are refused, or left out and counted.

    `orders` are those of the values of columns that divide the rows, where such a column has an order of its own.
    """
    skipped = Skipped()
    for model, groups in models.items():
        check_not_empty(int(groups.rows.sum()))
        reasons = groups.reasons()
        if how.on_bad_row == "error":
            _refuse(groups, reasons, chosen, chosen.scores[model])
        skipped = Skipped.of({reason: int(groups.rows[bad].sum()) for reason, bad in reasons.items()})
    first = next(iter(models.values()))
    used = np.unique(first.code[~_any(first.reasons())])
    meant = positives_among([first.labels[code] for code in used if code >= 0][:ENOUGH_LABELS], how.positive)
    tables = {model: _table(groups, meant, chosen) for model, groups in models.items()}
    fractions = first.weight is not None and not np.array_equal(first.weight, np.round(first.weight))
    found = Tables(tables, meant[0] if meant else 1, skipped, fractions)
    return _divided(found, first, meant, chosen, orders) if first.by else found


def _divided(
    found: Tables, groups: Groups, meant: Sequence[Any], chosen: Chosen, orders: Mapping[str, Sequence[Any]] | None
) -> DividedTables:
    """The same with the table of each subgroup."""
    keep = ~_any(groups.reasons())
    columns = {name: column[keep] for name, column in zip(chosen.by, groups.by, strict=True)}
    division = division_of(columns, orders)
    assert division is not None
    is_positive, weight = _is_positive(groups, meant)[keep], _weight(groups)[keep]
    parts = {}
    for place, name in enumerate(division.names):
        own = division.code == place
        parts[name] = ScoreTable.of_rows(is_positive[own], groups.score[keep][own], weight[own])
    return DividedTables(found.tables, found.positive_label, found.skipped, found.has_fractions, parts, chosen.by)


def _is_positive(groups: Groups, meant: Sequence[Any]) -> Flags:
    is_meant = np.array([any(label is each or label == each for each in meant) for label in groups.labels] + [False])
    return np.asarray(is_meant[groups.code])


def _weight(groups: Groups) -> Array:
    return groups.rows if groups.weight is None else groups.weight


def _table(groups: Groups, meant: Sequence[Any], chosen: Chosen) -> ScoreTable:
    keep = ~_any(groups.reasons())
    weight = _weight(groups)[keep]
    check_not_empty(int(groups.rows[keep].sum()))
    if not weight.any():
        raise InputError(
            f"column {brief(chosen.weight)} is zero in every row. Hint: give at least one case a weight above 0."
        )
    return ScoreTable.of_rows(_is_positive(groups, meant)[keep], groups.score[keep], weight)


def _any(reasons: Mapping[str, Flags]) -> Flags:
    return np.asarray(np.logical_or.reduce(list(reasons.values())), dtype=np.bool_)


def _refuse(groups: Groups, reasons: Mapping[str, Flags], chosen: Chosen, score: str) -> None:
    """The first kind of bad row, with how many there are and what was found in them."""
    words = {
        MISSING_LABEL: (chosen.label, "has missing values", "drop those rows or label them"),
        MISSING_SCORE: (score, "has missing values (null or NaN)", "drop those rows or fill them in"),
        INFINITE_SCORE: (score, "has infinite values", "clip them to a finite number"),
        BAD_WEIGHT: (chosen.weight, "has missing, infinite or negative values", "a weight counts cases"),
    }
    for reason, bad in reasons.items():
        if bad.any():
            name, what, hint = words[reason]
            found = f"{groups.rows[bad].sum():.0f} of {groups.rows.sum():.0f} rows{_examples(groups, reason, bad)}"
            raise InputError(f"column {brief(name)} {what}: {found}. Hint: {hint}, or pass on_bad_row='skip'.")


def _examples(groups: Groups, reason: str, bad: Flags) -> str:
    values = {INFINITE_SCORE: groups.score, BAD_WEIGHT: groups.lightest}.get(reason)
    if values is None:
        return ""
    shown = sorted({f"{value:g}" for value in values[bad]})[:3]
    return f", such as {', '.join('missing' if each == 'nan' else each for each in shown)}"

"""Rows that some engine has added up by label and score: checked here, and made into score tables.

Whatever runs a GROUP BY (a lazy frame, a database) hands over `AggregatedRows`, one for each model; what labels mean,
which values are refused and what they are called is decided here, once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._labels import ENOUGH, BinaryLabels, both_classes
from unconfuse._row_errors import ColumnProblem, ColumnProblems, SkippedRows, SkipReason, no_weight
from unconfuse._validate import Array, check_not_empty
from unconfuse.ingest.bad_rows import Flags, first_reasons
from unconfuse.ingest.build_sample import named_sample
from unconfuse.ingest.column_roles import ColumnRoles, place_of
from unconfuse.ingest.data import Data
from unconfuse.ingest.grouping import division_of, folds_of
from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.in_memory import InMemorySample
from unconfuse.table.sample import Grouping
from unconfuse.table.score_table import ScoreTable

Orders = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class AggregatedRows:
    """The rows of one model, added up by label and score.

    `labels` are the distinct ones, and `code` is the place of each group's among them, -1 where it is missing. `score`
    is NaN where missing; `rows` counts them; `weight` and `lightest` are the sum and the smallest of their weights.
    Flags say whose weights are bad, and whose rows lack a usable score of another model. `by` holds what divides the
    rows into subgroups, and last into folds.
    """

    labels: Sequence[Any]
    code: npt.NDArray[np.int64]
    score: Array
    rows: Array
    weight: Array | None
    lightest: Array | None
    bad_weight: Flags
    missing_elsewhere: Flags
    infinite_elsewhere: Flags
    by: tuple[npt.NDArray[Any], ...] = ()

    @classmethod
    def of(cls, labels: Sequence[Any], code: npt.NDArray[np.int64], columns: Mapping[str, Any]) -> AggregatedRows:
        """From columns by name: those above with spaces, and `by 0`, `by 1`, ..."""
        bad, missing, infinite = (
            np.asarray(columns.get(name, np.zeros(len(code)))) > 0
            for name in ("bad weight", "missing elsewhere", "infinite elsewhere")
        )
        numbers = (columns["score"], columns["rows"], columns.get("weight"), columns.get("lightest"))
        by = tuple(columns[key] for key in sorted(columns) if key[:3] == "by ")
        return cls(labels, code, *numbers, bad, missing, infinite, by)

    def reasons(self) -> dict[str, Flags]:
        """Which groups cannot be used, by the reason that comes first."""
        found = {
            SkipReason.LABEL: self.code < 0,
            SkipReason.SCORE: np.isnan(self.score) | self.missing_elsewhere,
            SkipReason.INFINITE: np.isinf(self.score) | self.infinite_elsewhere,
            SkipReason.WEIGHT: self.bad_weight,
        }
        return first_reasons(found)

    def taken(self, own: Flags) -> AggregatedRows:
        """Return some of the groups."""
        columns = {
            field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("labels", "by")
        }
        kept: dict[str, Any] = {name: None if column is None else column[own] for name, column in columns.items()}
        return replace(self, **kept, by=tuple(each[own] for each in self.by))

    @property
    def total(self) -> Array:
        """The weight of each group."""
        return self.rows if self.weight is None else self.weight

    def refuse_rounded(self, name: str) -> None:
        """Refuse large whole numbers: the engine has made them float64, where neighbours beyond 2^53 are ties."""
        held = np.abs(self.score[np.isfinite(self.score)])
        if len(held) and held.max() >= 2.0**53:
            raise InputError(
                f"column {short_repr(name)} {ColumnProblems.WHOLE.what}. Hint: {ColumnProblems.WHOLE.hint}."
            )

    def table(self, meant: Sequence[Any]) -> ScoreTable:
        """Return the score table, with these labels as the positive ones."""
        is_meant = np.array([any(label is each or label == each for each in meant) for label in self.labels] + [False])
        return ScoreTable.from_rows(is_meant[self.code], self.score, self.total)


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


def sample_of_groups(
    models: Mapping[str, AggregatedRows], chosen: ColumnRoles, data: Data, orders: Orders | None = None
) -> AggregatedSample:
    """One score table for each model; bad groups are refused, or left out and counted.

    `orders` are those of the values of columns that divide the rows, where such a column has an order of its own.
    """
    kept, skipped = {}, SkippedRows()
    for model, groups in models.items():
        check_not_empty(int(groups.rows.sum()))
        reasons = groups.reasons()
        if data.on_bad_row == "error":
            _refuse(groups, reasons, chosen, chosen.scores[model])
        skipped = SkippedRows.of({reason: int(groups.rows[bad].sum()) for reason, bad in reasons.items()})
        kept[model] = groups.taken(~np.logical_or.reduce(list(reasons.values())))
    first = next(iter(kept.values()))
    check_not_empty(int(first.rows.sum()))
    if not first.total.any():
        raise no_weight(place_of(chosen.weight).name)
    both = _both(first, data)
    whole = AggregatedSample(
        classes=both.classes,
        positive_label=both.positive,
        skipped=skipped,
        tables={model: (groups.table(both.meant),) for model, groups in kept.items()},
        is_weighted=first.weight is not None,
        has_fractions=first.weight is not None and not np.array_equal(first.weight, np.round(first.weight)),
    )
    return _divided(whole, kept, both.meant, chosen, orders or {}) if first.by else whole


def _both(groups: AggregatedRows, data: Data) -> BinaryLabels:
    """Return what the labels of the usable rows mean."""
    present = np.unique(groups.code).tolist()
    found = [groups.labels[code] for code in present]
    rows = np.bincount(groups.code, weights=groups.rows)
    counts = {label: float(rows[code]) for label, code in zip(found, present, strict=True)}
    return both_classes(found[:ENOUGH] if data.stated.is_silent else found, data.stated, lambda: counts)


def _divided(
    whole: AggregatedSample,
    kept: Mapping[str, AggregatedRows],
    meant: Sequence[Any],
    chosen: ColumnRoles,
    orders: Orders,
) -> AggregatedSample:
    """Return a copy with the tables of each subgroup and of each fold."""

    def of(groups: Mapping[str, AggregatedRows]) -> AggregatedSample:
        tables = {model: (group.table(meant),) for model, group in groups.items()}
        return whole.derive(tables=tables, skipped=SkippedRows())

    def folded(groups: Mapping[str, AggregatedRows]) -> dict[str, AggregatedSample]:
        last = {} if chosen.fold is None else {chosen.fold: len(chosen.by)}
        return {name: of(part) for name, part in _slices(groups, last, orders, folds_of).items()}

    columns = {name: place for place, name in enumerate(chosen.by)}
    parts = _slices(kept, columns, orders, division_of)
    divided = {name: of(part).derive(folded=folded(part)) for name, part in parts.items()}
    return whole.derive(divided=divided, by=chosen.by, folded=folded(kept))


def _slices(
    models: Mapping[str, AggregatedRows],
    columns: Mapping[str, int],
    orders: Orders,
    divide: Callable[..., Grouping | None],
) -> dict[str, dict[str, AggregatedRows]]:
    """Return the groups of each slice; those of all models are divided alike, for they hold the same rows."""
    found: dict[str, dict[str, AggregatedRows]] = {}
    for model, groups in models.items():
        if division := divide({name: groups.by[place] for name, place in columns.items()}, orders):
            for place, name in enumerate(division.names):
                found.setdefault(name, {})[model] = groups.taken(division.code == place)
    return found


def sample_of_cells(
    cells: Mapping[str, Any], chosen: ColumnRoles, data: Data, orders: Orders | None = None
) -> InMemorySample:
    """Decisions of several classes: rows that have the same labels, as one row that counts as often.

    `cells` holds the columns `label`, `predicted 0`, ..., `group`, `by 0`, ... as far as they were chosen, `rows` (how
    many), and with weights `weight` (their sum) and `bad weight` (whether they can be used).
    """
    columns = {role: _objects(column) for role, column in cells.items()}
    rows = columns.pop("rows").astype(np.float64)
    check_not_empty(int(rows.sum()))
    reasons = first_reasons(_unusable(columns))
    for role, bad in reasons.items():
        if bad.any() and data.on_bad_row == "error":
            name = {**chosen.texts, "bad weight": chosen.weight}[role]
            raise refusal(name, _FAULTS[role.split()[0]], f"{rows[bad].sum():.0f} of {rows.sum():.0f} rows")
    keep = ~np.logical_or.reduce(list(reasons.values()))
    weight = rows if chosen.weight is None else columns["weight"].astype(np.float64)
    counted = chosen.weight or "number of rows"
    named = replace(chosen, id=None, weight=counted)
    values = {name: columns[role][keep] for role, name in named.texts.items()} | {counted: weight[keep]}
    skipped = SkippedRows.of({_REASONS[role.split()[0]]: int(rows[bad].sum()) for role, bad in reasons.items()})
    sample = named_sample(named, values, replace(data, on_bad_row="error"), orders)
    return sample.derive(skipped=skipped).ordered  # engines hand over groups in no fixed order


_REASONS = {
    "label": SkipReason.LABEL,
    "predicted": SkipReason.PREDICTION,
    "group": SkipReason.GROUP,
    "bad": SkipReason.WEIGHT,
}
_FAULTS = {
    "label": ColumnProblems.LABEL,
    "predicted": ColumnProblems.LABEL,
    "group": ColumnProblems.GROUP,
    "bad": ColumnProblems.WEIGHT,
}


def _unusable(columns: Mapping[str, Any]) -> dict[str, Flags]:
    """Which cells lack something, by the role of the column."""
    named = [role for role in columns if role.split()[0] in ("label", "predicted", "group")]
    found = {role: np.array([_is_blank(each) for each in columns[role].tolist()], dtype=np.bool_) for role in named}
    return found | ({"bad weight": columns["bad weight"].astype(np.bool_)} if "bad weight" in columns else {})


def _is_blank(value: Any) -> bool:
    return value is None or value != value or str(value).strip() in ("", "<NA>", "NaT")  # noqa: PLR0124


def _objects(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Labels as an array that a list of them would give: numbers as numbers, all else as Python objects."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    if plain and all(isinstance(each, int | float) and not isinstance(each, bool) for each in plain):
        whole = all(float(each).is_integer() for each in plain)
        return np.array(plain, dtype=np.int64 if whole else np.float64)
    made = np.empty(len(plain), dtype=object)
    made[:] = plain
    return made


def _refuse(groups: AggregatedRows, reasons: Mapping[str, Flags], chosen: ColumnRoles, score: str) -> None:
    """Refuse the first kind of bad row, with how many there are and what was found in them."""
    faults = {
        SkipReason.LABEL: (chosen.label, ColumnProblems.LABEL),
        SkipReason.SCORE: (score, ColumnProblems.NUMBER),
        SkipReason.INFINITE: (score, ColumnProblems.INFINITE),
        SkipReason.WEIGHT: (chosen.weight, ColumnProblems.WEIGHT),
    }
    for reason, bad in reasons.items():
        if bad.any():
            found = f"{groups.rows[bad].sum():.0f} of {groups.rows.sum():.0f} rows{_examples(groups, reason, bad)}"
            raise refusal(*faults[reason], found)


def refusal(name: str | None, fault: ColumnProblem, found: str) -> InputError:
    """Return an error that says what is wrong with a column whose rows an engine has counted."""
    skip = argument_name("on_bad_row", "skip")
    return InputError(
        f"column {short_repr(name)} {fault.what}: {found}. Hint: {fault.hint}, or {skip} leaves them out."
    )


def _examples(groups: AggregatedRows, reason: str, bad: Flags) -> str:
    values = {SkipReason.INFINITE: groups.score, SkipReason.WEIGHT: groups.lightest}.get(reason)
    if values is None:
        return ""
    shown = sorted({f"{value:g}" for value in values[bad]})[:3]
    return f", such as {', '.join('missing' if each == 'nan' else each for each in shown)}"

"""Columns as they came, and the rows that cannot be used: found, counted by reason and left out, if asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._argument_types import is_number
from unconfuse._formatting import short_repr
from unconfuse._row_errors import NOTHING_SKIPPED, SkippedRows, SkipReason
from unconfuse._validate import Array, ColumnRef, as_column, check_same_length, is_missing
from unconfuse.ingest.grouping import Values

Flags = npt.NDArray[np.bool_]


class RawColumn(NamedTuple):
    """Values that are not checked yet, and how to speak of them."""

    values: Any
    place: ColumnRef


class ScoreMatrix(NamedTuple):
    """A matrix with a column for each class, and the classes if its columns are named."""

    values: Any
    place: ColumnRef
    keys: Sequence[str] | None = None


def _length(column: RawColumn | ScoreMatrix) -> int:
    """Return the number of rows; one row of several values is a column that lies on its side."""
    try:
        length = len(column.values)
    except TypeError:  # a single value is refused as such
        length = 1
    if isinstance(column, RawColumn) and length == 1:
        return len(as_column(column.values, column.place.name))
    return length


ROLES_OF_ONE = ("weight", "sampling_weight", "stratum", "group")  # one column each
Matrix = ScoreMatrix | Mapping[str, RawColumn]  # all columns at once, or by class


@dataclass(frozen=True)
class RawColumns:
    """The columns of a source by what they are for; those that were not asked for are None or empty.

    Scores (of a yes-or-no question), matrices and predicted classes are by model; what divides the rows, and the orders
    of such values where they have one, by the name of the column.
    """

    label: RawColumn
    scores: Mapping[str, RawColumn] = field(default_factory=dict)
    matrices: Mapping[str, Matrix] = field(default_factory=dict)
    predicted: Mapping[str, RawColumn] = field(default_factory=dict)
    weight: RawColumn | None = None
    sampling_weight: RawColumn | None = None
    stratum: RawColumn | None = None
    group: RawColumn | None = None
    by: Values = field(default_factory=dict)
    fold: Values = field(default_factory=dict)
    site: Values = field(default_factory=dict)
    orders: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    skipped: SkippedRows = NOTHING_SKIPPED

    def lengths(self) -> dict[str, int]:
        """How many rows each column has, by the name to use in complaints."""
        found = [
            self.label,
            *self._numbers(),
            *self.predicted.values(),
            *(getattr(self, role) for role in ROLES_OF_ONE),
        ]
        named = [(each.place.name.replace("`", ""), _length(each)) for each in found if each is not None]
        divided = [(f"by: {name}"[:60], len(each)) for name, each in self.by.items()]
        divided += [("folds", len(each)) for each in self.fold.values()]
        return dict(named + divided + [("site", len(each)) for each in self.site.values()])

    def _numbers(self) -> list[RawColumn | ScoreMatrix]:
        """All columns of scores; a whole matrix is one."""
        wide = [
            [matrix] if isinstance(matrix, ScoreMatrix) else list(matrix.values()) for matrix in self.matrices.values()
        ]
        return [*self.scores.values(), *(each for own in wide for each in own)]

    def each(self, work: Callable[[RawColumn | ScoreMatrix], npt.NDArray[Any]]) -> RawColumns:
        """Return a copy with something done to the values of every column."""

        def of(column: Any) -> Any:
            if isinstance(column, RawColumn | ScoreMatrix):
                return column._replace(values=work(column))
            return {key: of(own) for key, own in column.items()} if isinstance(column, Mapping) else column

        names = ("label", "scores", "matrices", "predicted", *ROLES_OF_ONE)
        changed: dict[str, Any] = {name: of(getattr(self, name)) for name in names}
        for name in ("by", "fold", "site"):
            divided = getattr(self, name).items()
            changed[name] = {key: work(RawColumn(each, ColumnRef(short_repr(key)))) for key, each in divided}
        return replace(self, **changed)

    def screened(self) -> RawColumns:
        """Return the columns without the rows that cannot be used, which are counted.

        Examples
        --------
        >>> given = RawColumns(RawColumn(["a", None, "b"], ColumnRef("y")), {"p": RawColumn([.5, .2, float("inf")],
        ...     ColumnRef("p"))})
        >>> kept = given.screened()
        >>> kept.label.values.tolist(), str(kept.skipped)
        (['a'], '2 rows were left out: infinite score (1), missing label (1)')
        """
        whole = self.each(_array_of)
        check_same_length(whole.lengths())
        keep, skipped = split_bad_rows(whole.reasons())
        return replace(whole.each(lambda column: column.values[keep]), skipped=skipped)

    def reasons(self) -> dict[str, Flags]:
        """Which rows cannot be used, and why."""
        numbers = [lenient(number.values) for number in self._numbers()]
        weights = [lenient(each.values)[0] for each in (self.weight, self.sampling_weight) if each is not None]
        nothing = np.zeros(len(self.label.values), dtype=np.bool_)
        return {
            SkipReason.LABEL: is_missing(self.label.values),
            SkipReason.TEXT: _any([is_text for _, is_text in numbers], nothing),
            SkipReason.SCORE: _any([np.isnan(each) for each, _ in numbers], nothing),
            SkipReason.INFINITE: _any([np.isinf(each) for each, _ in numbers], nothing),
            SkipReason.PREDICTION: _any([is_missing(each.values) for each in self.predicted.values()], nothing),
            SkipReason.WEIGHT: _any([bad_weights(weight) for weight in weights], nothing),
            SkipReason.GROUP: _any(
                [is_missing(each.values) for each in (self.stratum, self.group) if each is not None], nothing
            ),
        }


def _array_of(column: RawColumn | ScoreMatrix) -> npt.NDArray[Any]:
    """Return the values as an array; in a list with text in it each value stays what it is."""
    if isinstance(column, ScoreMatrix):
        return np.asarray(column.values)
    name = column.place.name
    found = as_column(column.values, name)
    is_list = found.dtype.kind in "US" and isinstance(column.values, list | tuple)
    return as_column(np.array(column.values, dtype=object), name) if is_list else found


def _any(flags: Sequence[Flags], nothing: Flags) -> Flags:
    """Rows of which something is true in any column, or in any column of a matrix."""
    found = [flag.any(axis=1) if flag.ndim > 1 else flag for flag in flags]
    return np.asarray(np.logical_or.reduce([nothing, *found]), dtype=np.bool_)


def bad_weights(weights: Array) -> Flags:
    """Weights that count nothing."""
    return np.asarray(~np.isfinite(weights) | (weights < 0))


def lenient(column: npt.NDArray[Any]) -> tuple[Array, Flags]:
    """Numbers as float64, NaN where there is none; and where there is something else instead."""
    if column.dtype.kind in "fiub":
        return column.astype(np.float64), np.zeros(column.shape, dtype=np.bool_)
    values = column.reshape(-1)
    is_text = np.array([not is_number(each) for each in values.tolist()], dtype=np.bool_) & ~is_missing(values)
    numbers = np.array([float(each) if is_number(each) else np.nan for each in values.tolist()], dtype=np.float64)
    return numbers.reshape(column.shape), is_text.reshape(column.shape)


def split_bad_rows(found: Mapping[str, Flags], rows: npt.NDArray[Any] | None = None) -> tuple[Flags, SkippedRows]:
    """Return what to keep, and how many rows are left out for each reason; an entry may stand for many rows."""
    bad = first_reasons(found)
    keep = ~np.logical_or.reduce(list(bad.values()))
    counted = {reason: int((own if rows is None else rows[own]).sum()) for reason, own in bad.items()}
    return keep, SkippedRows.of(counted)


def first_reasons(found: Mapping[str, Flags]) -> dict[str, Flags]:
    """Each bad row under one reason only, the first that holds."""
    taken = np.zeros_like(next(iter(found.values())))
    apart = {}
    for reason, bad in found.items():
        apart[reason] = bad & ~taken
        taken |= bad
    return apart

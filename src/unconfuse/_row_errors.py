"""What may be wrong with rows, in the same words for every kind of source, and how many of them were left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from unconfuse._errors import InputError
from unconfuse._formatting import short_repr


class SkipReason:
    """Why a row was left out, in the order in which reasons count."""

    LABEL = "missing label"
    TEXT = "text where a number belongs"
    SCORE = "missing score"
    INFINITE = "infinite score"
    PREDICTION = "missing prediction"
    WEIGHT = "missing, infinite or negative weight"
    GROUP = "missing group"
    LINE = "line that cannot be read"


class ColumnProblem(NamedTuple):
    """What may be wrong with a column, and what to do: in the same words for every kind of source."""

    what: str
    hint: str


class ColumnProblems:
    """Everything that may be wrong with a column."""

    LABEL = ColumnProblem("has missing values", "drop those rows or label them")
    NUMBER = ColumnProblem("has missing values (null or NaN)", "drop those rows or fill them in")
    GROUP = ColumnProblem("has missing values", "drop those rows or name their group")
    TEXT = ColumnProblem("must hold numbers", "convert text to numbers first, or choose another column")
    INFINITE = ColumnProblem("has infinite values", "clip them to a finite number")
    WHOLE = ColumnProblem(
        "has integers above 2^53, where neighbouring ones would become ties", "subtract their smallest"
    )
    NEGATIVE = ColumnProblem("has negative values", "a weight counts cases and cannot be negative")
    WEIGHT = ColumnProblem("has missing, infinite or negative values", NEGATIVE.hint)


def no_weight(name: str) -> InputError:
    """Return the error for weights that are all zero."""
    return InputError(f"{name} is zero in every row. Hint: give at least one case a weight above 0.")


def not_numbers(name: str, found: str, hint: str = ColumnProblems.TEXT.hint) -> InputError:
    """Return the error for text where numbers belong."""
    return InputError(f"{name} {ColumnProblems.TEXT.what}; {found}. Hint: {hint}.")


def repeated(name: object, value: object, where: str = "") -> InputError:
    """Return the error for ids that name two rows: the same case twice would count as two."""
    hint = "Hint: keep one row for each case, or name the column as the group."
    return InputError(f"column {short_repr(name)} holds {short_repr(value)} more than once{where}. {hint}")


@dataclass(frozen=True)
class SkippedRows:
    """How many rows were left out, and why. Empty unless `on_bad_row="skip"` was asked for.

    >>> SkippedRows.of({"missing score": 2, "missing label": 0})
    SkippedRows(counts=(('missing score', 2),))
    >>> print(SkippedRows.of({"missing score": 2}).plus(SkippedRows.of({"missing label": 1})))
    3 rows were left out: missing label (1), missing score (2)
    """

    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> SkippedRows:
        """From a mapping of reason to number of rows."""
        return cls(tuple(sorted((reason, int(rows)) for reason, rows in counts.items() if rows)))

    @property
    def total(self) -> int:
        """All rows left out."""
        return sum(rows for _, rows in self.counts)

    def plus(self, *others: SkippedRows) -> SkippedRows:
        """Return the rows left out here and in the others, added up."""
        return SkippedRows.of(sum((Counter(dict(skipped_rows.counts)) for skipped_rows in (self, *others)), Counter()))

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"rows": self.total, "reasons": dict(self.counts)}

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __str__(self) -> str:
        rows = "1 row was" if self.total == 1 else f"{self.total:,} rows were"
        reasons = ", ".join(f"{reason} ({rows:,})" for reason, rows in self.counts)
        return f"{rows} left out: {reasons}" if self else "no row was left out"


NOTHING_SKIPPED = SkippedRows()

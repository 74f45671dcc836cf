"""What was left out: rows that could not be used, counted by reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MISSING_LABEL = "missing label"
MISSING_PREDICTION = "missing prediction"
MISSING_SCORE = "missing score"
NOT_A_NUMBER = "text where a number belongs"
INFINITE_SCORE = "infinite score"
BAD_WEIGHT = "missing, infinite or negative weight"
MISSING_GROUP = "missing group"
UNREADABLE = "line that cannot be read"


@dataclass(frozen=True)
class Skipped:
    """How many rows were left out, and why. Empty unless `on_bad_row="skip"` was asked for.

    Examples
    --------
    >>> Skipped.of({"missing score": 2, "missing label": 0})
    Skipped(counts=(('missing score', 2),))
    >>> print(Skipped.of({"missing score": 2}).plus(Skipped.of({"missing label": 1})))
    3 rows were left out: missing label 1, missing score 2
    """

    counts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Skipped:
        """From a mapping of reason to number of rows."""
        return cls(tuple(sorted((reason, int(rows)) for reason, rows in counts.items() if rows)))

    @property
    def total(self) -> int:
        """All rows left out."""
        return sum(rows for _, rows in self.counts)

    def plus(self, *others: Skipped) -> Skipped:
        """The rows left out here and there."""
        return Skipped.of(_added(pair for each in (self, *others) for pair in each.counts))

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"rows": self.total, "reasons": dict(self.counts)}

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __str__(self) -> str:
        rows = "1 row was" if self.total == 1 else f"{self.total:,} rows were"
        reasons = ", ".join(f"{reason} {rows:,}" for reason, rows in self.counts)
        return f"{rows} left out: {reasons}" if self else "no row was left out"


NOTHING_SKIPPED = Skipped()


def _added(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for reason, rows in pairs:
        totals[reason] = totals.get(reason, 0) + rows
    return totals

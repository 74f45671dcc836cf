"""What a reproduction is: published numbers beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """One number: as published, as computed here, and how far apart they may be.

    Attributes
    ----------
    quantity : str
    published : float or None
        NaN if it was published as undefined; None if the source asks for it without printing it.
    ours : float
    tolerance : float
        Half a unit of the last printed digit, or what the rounding of the inputs allows.
    mc_error : float or None
        Standard error of our number, where it comes from a simulation.
    erratum : bool
        The printed number is wrong or belongs to another quantity; the note says which.
    note : str

    Examples
    --------
    >>> row = Row.printed("recall", "0.678", 141 / 208)
    >>> row.published, row.tolerance, row.agrees
    (0.678, 0.0005, True)
    """

    quantity: str
    published: float | None
    ours: float
    tolerance: float = 0.0
    mc_error: float | None = None
    erratum: bool = False
    note: str = ""

    @classmethod
    def printed(cls, quantity: str, text: str, ours: float, *, erratum: bool = False, note: str = "") -> Row:
        """A number as it stands in print; its digits say how exact it is meant."""
        number = Decimal(text.rstrip("%"))
        scale = 0.01 if text.endswith("%") else 1.0
        digit = float(Decimal(1).scaleb(int(number.as_tuple().exponent)))
        return cls(quantity, float(number) * scale, ours, tolerance=digit * scale / 2, erratum=erratum, note=note)

    @property
    def difference(self) -> float | None:
        """Ours minus published."""
        if self.published is None:
            return None
        return 0.0 if self.ours == self.published else self.ours - self.published

    @property
    def agrees(self) -> bool | None:
        """Whether the two agree as far as they can; None if nothing was published."""
        if self.published is None or self.difference is None:
            return None
        if math.isnan(self.published) or math.isnan(self.ours):
            return math.isnan(self.published) and math.isnan(self.ours)
        allowed = self.tolerance + 3 * (self.mc_error or 0.0)
        return bool(abs(self.difference) <= allowed * (1 + 1e-9) + 1e-12)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, in the order in which they are read."""
        first, then = ("quantity", "published", "ours", "difference"), ("tolerance", "mc_error", "agrees")
        return {name: getattr(self, name) for name in (*first, *then, "erratum", "note")}


@dataclass(frozen=True, repr=False)
class Report:
    """The rows of one reproduction, and what they show in plain words."""

    title: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether every published number agrees with ours, apart from those known to be wrong."""
        return all(row.agrees is not False for row in self.rows if not row.erratum)

    def rows_as_dicts(self) -> list[dict[str, Any]]:
        """One mapping of plain values for each row."""
        return [row.as_dict() for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """The whole report as plain values."""
        return {"title": self.title, "agrees": self.agrees, "rows": self.rows_as_dicts(), "notes": list(self.notes)}

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        compared = [row for row in self.rows if row.agrees is not None]
        agreed = sum(bool(row.agrees) for row in compared)
        errata = sum(row.erratum for row in self.rows)
        return f"{self.title}: {agreed} of {len(compared)} published numbers agree, {errata} corrected"


@dataclass(frozen=True)
class Reproduction:
    """A published set of examples: where it stands, what recomputes it, and what draws its figures into a folder."""

    name: str
    title: str
    source: str
    run: Callable[[], Report]
    draw: Callable[[Path], list[Path]] | None = None

"""What a reproduction is: published numbers beside ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

JUDGEMENTS = ("agrees", "holds", "corrected", "not printed", "DIFFERS")


@dataclass(frozen=True)
class ReproducedValue:
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
        What is in print is wrong or belongs to another quantity; the note says which.
    note : str
    reference, source : float or None, and str
        A number that is not printed there but must be met: what an identity or a statement demands, what the authors'
        files hold, or what an equation gives as it is printed; and which of these it is.

    Examples
    --------
    >>> row = ReproducedValue.printed("recall", "0.678", 141 / 208)
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
    reference: float | None = None
    source: str = ""

    @classmethod
    def checked(cls, quantity: str, reference: float, ours: float, source: str, **more: Any) -> ReproducedValue:
        """Make a row for a number to be met that nobody printed; `source` says where it comes from."""
        return cls(quantity, None, ours, reference=reference, source=source, **more)

    @classmethod
    def printed(
        cls, quantity: str, text: str, ours: float, *, erratum: bool = False, note: str = ""
    ) -> ReproducedValue:
        """Make a row for a number as it stands in print; its digits say how exact it is meant to be."""
        number = Decimal(text.rstrip("%"))
        scale = 0.01 if text.endswith("%") else 1.0
        digit = float(Decimal(1).scaleb(int(number.as_tuple().exponent)))
        return cls(quantity, float(number) * scale, ours, tolerance=digit * scale / 2, erratum=erratum, note=note)

    @property
    def beside(self) -> float | None:
        """The number that ours is compared with, printed or not."""
        return self.reference if self.published is None else self.published

    @property
    def difference(self) -> float | None:
        """Ours minus that number."""
        if self.beside is None:
            return None
        return 0.0 if self.ours == self.beside else self.ours - self.beside

    @property
    def agrees(self) -> bool | None:
        """Whether the two agree as far as they can; None if there is nothing to compare with."""
        if self.beside is None or self.difference is None:
            return None
        if math.isnan(self.beside) or math.isnan(self.ours):
            return math.isnan(self.beside) and math.isnan(self.ours)
        allowed = self.tolerance + 3 * (self.mc_error or 0.0)
        return bool(abs(self.difference) <= allowed * (1 + 1e-9) + 1e-12)

    @property
    def judgement(self) -> str:
        """In a word or two."""
        if self.erratum:
            return "corrected"
        if self.agrees is None:
            return "not printed"
        return ("agrees" if self.published is not None else "holds") if self.agrees else "DIFFERS"

    def as_dict(self) -> dict[str, Any]:
        """Plain values, in the order in which they are read."""
        first, then = ("quantity", "published", "reference", "ours", "difference"), ("tolerance", "mc_error", "agrees")
        return {name: getattr(self, name) for name in (*first, *then, "erratum", "source", "note")}


@dataclass(frozen=True, repr=False)
class Report:
    """The rows of one reproduction, and what they show in plain words."""

    title: str
    rows: tuple[ReproducedValue, ...]
    notes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether published numbers agree with ours and other checks hold, apart from what is known to be wrong."""
        return all(row.agrees is not False for row in self.rows if not row.erratum)

    @property
    def summary(self) -> list[dict[str, Any]]:
        """How the rows of each part came out: a part is what stands before the colon or comma of a quantity."""
        parts: dict[str, dict[str, Any]] = {}
        for row in self.rows:
            part = row.quantity.partition(":")[0].partition(",")[0]
            counted = parts.setdefault(part, {"part": part, **dict.fromkeys(JUDGEMENTS, 0)})
            counted[row.judgement] += 1
        return list(parts.values())

    def rows_as_dicts(self) -> list[dict[str, Any]]:
        """One mapping of plain values for each row."""
        return [row.as_dict() for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """Return the whole report as plain values."""
        rest = {"rows": self.rows_as_dicts(), "notes": list(self.notes)}
        return {"title": self.title, "agrees": self.agrees, "summary": self.summary, **rest}

    def __iter__(self) -> Iterator[ReproducedValue]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        printed = [row for row in self.rows if row.published is not None]
        others = [row for row in self.rows if row.published is None and row.agrees is not None and not row.erratum]
        agreed, held = (sum(bool(row.agrees) for row in rows) for rows in (printed, others))
        corrected = sum(row.erratum for row in printed)
        said = sum(row.erratum for row in self.rows) - corrected
        statements = f", {said} more in equations or statements" if said else ""
        checks = f", {held} of {len(others)} other checks hold" if others else ""
        numbers = f"{agreed} of {len(printed)} published numbers agree"
        return f"{self.title}: {numbers}, {corrected} corrected{statements}{checks}"


@dataclass(frozen=True)
class Reproduction:
    """A published set of examples: where it stands, what recomputes it, and what draws its figures into a folder."""

    name: str
    title: str
    source: str
    run: Callable[[], Report]
    draw: Callable[[Path], list[Path]] | None = None

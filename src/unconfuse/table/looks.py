"""Repeated looks: how often the same question is asked of growing data, and levels that say how far intervals reach."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr

USUAL_TIGHTEST = 500.0  # cases; guess low: ten times too few costs 6 to 12% of the width, ten times too many 24 to 39%
MOST_PLANNED = 100
POCOCK, OBRIEN_FLEMING = "pocock", "obrien-fleming"
_SPENDING = {"pocock": POCOCK, "obrien-fleming": OBRIEN_FLEMING, "o'brien-fleming": OBRIEN_FLEMING}
_GRAMMAR = re.compile(
    r"(?P<any>any)(:(?P<cases>[0-9][0-9_,]*))?|(?P<exact>exact)"
    r"|((?P<now>[0-9]+)/)?(?P<planned>[0-9]+)(:(?P<how>[a-z' -]+))?"
)
_HINT = (
    "Hint: 'any', 'any:2000' (tightest near 2,000 cases), 'exact' (proportions), 10 (planned looks), or '3/10:pocock' "
    "and '3/10:obrien-fleming' (the third of ten, by alpha spending)."
)


class Critical(float):
    """A confidence level that is known by its critical value.

    Intervals that hold at every look reach 3 to 9 standard errors far. Such a level is 1 but for rounding, so the tail
    is kept: `1 - level` is exact. `inner` is the critical value of one side alone, for one-sided questions.

    >>> level = Critical(9.0, 8.0)
    >>> float(level), f"{1 - level:.6g}", level.narrower.z
    (1.0, '2.25718e-19', 8.0)
    """

    __slots__ = ("inner", "z")
    z: float
    inner: float

    def __new__(cls, z: float, inner: float) -> Critical:
        """Make the level of an interval that reaches `z` standard errors to each side."""
        made = super().__new__(cls, 1 - 2 * _beyond(z))
        made.z, made.inner = z, inner
        return made

    @property
    def tail(self) -> float:
        """Probability beyond the critical value, on one side."""
        return _beyond(self.z)

    @property
    def narrower(self) -> Critical:
        """Level of the interval whose ends are those of two one-sided questions."""
        return Critical(self.inner, self.inner)

    def __rsub__(self, other: float) -> float:
        """Return a number less this level without losing the tail."""
        return (other - 1) + 2 * self.tail

    def __eq__(self, other: object) -> bool:
        return self.z == other.z if isinstance(other, Critical) else float(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.z)

    def __reduce__(self) -> tuple[Any, ...]:
        return Critical, (self.z, self.inner)


def _beyond(z: float) -> float:
    from unconfuse._scipy_special import ndtr  # most results are of one look

    return float(ndtr(-z))


@dataclass(frozen=True)
class Looks:
    """How often data that grow are looked at.

    Attributes
    ----------
    kind : {"any", "exact", "planned"}
        Any number of looks at any time; the same by an exact sequence, for proportions; or a planned number.
    tightest : float
        Number of cases near which intervals for any number of looks are tightest.
    planned : int
        Number of planned looks.
    now : int or None
        Which of them this one is; None where each has the same critical value.
    spending : {"", "pocock", "obrien-fleming"}
        How the error is spent over planned looks; nothing where the critical value is the same at each (Pocock, 1977).
    one_sided : bool
        Whether the error is allowed on each side, as in a gate.
    sizes : tuple of float
        Cases at the looks so far, this one included, where they are known; equal steps otherwise.
    """

    kind: str = "any"
    tightest: float = USUAL_TIGHTEST
    planned: int = 0
    now: int | None = None
    spending: str = ""
    one_sided: bool = False
    sizes: tuple[float, ...] = ()

    @property
    def text(self) -> str:
        """The looks as a user writes them, without which of them this is."""
        if self.kind == "any":
            return f"any:{self.tightest:.10g}"
        return self.kind if self.kind == "exact" else f"{self.planned}:{self.spending}".rstrip(":")

    def at_look(self, sizes: tuple[float, ...]) -> Looks:
        """Return the looks with those so far, of which the last is this one."""
        if self.kind == "planned" and len(sizes) > self.planned:
            raise ArgumentError(
                f"all {self.planned} planned looks have been taken: another one was not allowed for. "
                "Hint: plan more looks beforehand, or 'any'."
            )
        return replace(self, now=len(sizes), sizes=sizes) if self.spending else self


def check_looks(given: Any) -> Looks | None:
    """Validate what the user says of repeated looks.

    >>> check_looks("any:2000").tightest, check_looks(10).planned, check_looks("3/10:pocock").now
    (2000.0, 10, 3)
    """
    if given is None or isinstance(given, Looks):
        return given
    match = (
        None
        if isinstance(given, bool) or not isinstance(given, str | int)
        else _GRAMMAR.fullmatch(str(given).strip().lower())
    )
    if match is None:
        raise ArgumentError(
            f"`looks` must be 'any', 'exact' or a planned number of looks; got {short_repr(given)}. {_HINT}"
        )
    if match["exact"]:
        return Looks("exact")
    if match["any"]:
        cases = USUAL_TIGHTEST if match["cases"] is None else float(re.sub("[_,]", "", match["cases"]))
        if not 1 <= cases <= 1e12:
            raise ArgumentError(f"`looks` must be tightest near 1 case or more; got {cases:g}. {_HINT}")
        return Looks("any", cases)
    return _planned(int(match["planned"]), match["now"], match["how"])


def _planned(planned: int, now: str | None, how: str | None) -> Looks:
    if not 2 <= planned <= MOST_PLANNED:
        raise ArgumentError(
            f"`looks` must be at least 2 and at most {MOST_PLANNED} planned looks; got {planned}. "
            "Hint: leave it out for one look; 'any' allows for any number."
        )
    if how is not None and how not in _SPENDING:
        raise ArgumentError(f"`looks` must spend the error as 'pocock' or 'obrien-fleming'; got {how!r}.")
    if now is None:
        return Looks("planned", planned=planned, spending="" if how is None else _SPENDING[how])
    if not 1 <= int(now) <= planned:
        raise ArgumentError(f"`looks` must be one of the {planned} planned looks; got look {now} of {planned}.")
    return Looks("planned", planned=planned, now=int(now), spending=_SPENDING[how or POCOCK])

"""Printed numbers: the digits as written, and all values that each way of rounding prints so."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse.metrics import METRICS, Metric, find_metric

COUNTS = {
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
    "tn": "tn",
    "positives": "positives",
    "negatives": "negatives",
    "labelled_positive": "labelled_positive",
    "labelled_negative": "labelled_negative",
    "n": "total",
}  # what users call a count, and its name in expressions
AREA = "auroc"
LOW, HIGH = "_low", "_high"
LARGEST = 10**9  # of a printed count: beyond, products of two counts are not exact
HALF_UP, HALF_EVEN, TRUNCATION, PERCENT = "half-up", "half-even", "truncation", "percent without decimals"
ROUNDINGS = (HALF_UP, HALF_EVEN, TRUNCATION, PERCENT)
TIES, MIXED = "to nearest, ties either way", "some numbers rounded, others truncated"
WIDEST = "any of these"
FALLBACKS = (TIES, MIXED)  # tried in this order where no single rounding explains all numbers
_OTHER_NAMES = {"total": "n", "cases": "n", "labeled_positive": "labelled_positive"}
_OTHER_NAMES |= {"labeled_negative": "labelled_negative", "auc": AREA, "c_statistic": AREA, "roc_auc": AREA}
_MOST_DECIMALS = 10  # beyond, binary fractions differ from the decimals that they stand for
_CENT = Fraction(1, 100)


@dataclass(frozen=True)
class RoundingBounds:
    """An interval of values, with or without its ends."""

    low: float
    high: float
    low_closed: bool = True
    high_closed: bool = True

    def below(self, values: Any) -> Any:
        """Which values lie below it; undefined ones do not."""
        return values < self.low if self.low_closed else values <= self.low

    def above(self, values: Any) -> Any:
        """Which values lie above it; undefined ones do not."""
        return values > self.high if self.high_closed else values >= self.high

    def hold(self, values: Any) -> Any:
        """Which values lie in it; undefined ones do not."""
        return ~(self.below(values) | self.above(values) | np.isnan(values))


@dataclass(frozen=True)
class PrintedNumber:
    """One printed number.

    Attributes
    ----------
    name, text : str
        What it is of, such as sensitivity or sensitivity_low, and its digits as written.
    expression : str
        Of the four counts; empty for the AUROC.
    value, unit : Fraction or float
        The number, and that of 1 in its last digit; a unit of 0 is a count, which is not rounded.
    metric : Metric or None
        None for a count.
    end : {"", "low", "high"}
        Of an interval.
    """

    name: str
    text: str
    expression: str
    value: Fraction | float
    unit: Fraction
    metric: Metric | None = None
    end: str = ""
    note: str = ""
    widened: int = 0  # units by which it may be off besides its rounding: how the nearest table is searched

    @property
    def is_count(self) -> bool:
        """Whether it is a number of cases."""
        return self.metric is None

    @property
    def is_rate(self) -> bool:
        """Whether it is a value of a metric, not an end of its interval."""
        return self.metric is not None and not self.end

    @property
    def percent(self) -> bool:
        """Whether it was written as a percentage."""
        return "%" in self.text or bool(self.note)

    @property
    def whole_percent(self) -> bool:
        """Whether it has no digits beyond a percent, as written."""
        return isinstance(self.value, Fraction) and (self.value / _CENT).denominator == 1

    def bounds(self, rounding: str) -> RoundingBounds:
        """All values that this rounding prints as this number."""
        if not isinstance(self.value, Fraction) or not self.unit:
            return RoundingBounds(float(self.value), float(self.value))
        size, unit = abs(self.value), self.unit
        if unit < Fraction(1, 10**_MOST_DECIMALS):
            room = Fraction(1, 10**_MOST_DECIMALS)
            return self._signed(size - room, size + room, True, True)
        if rounding in (PERCENT, WIDEST):
            unit = max(unit, _CENT)
        below = Fraction(0) if rounding == TRUNCATION else unit / 2
        above = unit if rounding in (TRUNCATION, MIXED, WIDEST) else unit / 2
        even = (self.value / unit).numerator % 2 == 0
        low, high = {HALF_EVEN: (even, even), TIES: (True, True)}.get(rounding, (True, False))
        more = self.widened * self.unit
        return self._signed(size - below - more, size + above + more, low, high)

    def _signed(self, low: Fraction, high: Fraction, low_closed: bool, high_closed: bool) -> RoundingBounds:
        """Return the bounds with the sign: rounding is the same below 0, and a printed 0 may stand for either sign."""
        if "sqrt" in self.expression:  # computed with an error of its own
            low, high, low_closed, high_closed = low - Fraction(1, 10**12), high + Fraction(1, 10**12), True, True
        if self.value == 0:
            return RoundingBounds(-float(high), float(high), high_closed, high_closed)
        if self.value < 0:
            return RoundingBounds(-float(high), -float(low), high_closed, low_closed)
        return RoundingBounds(float(low), float(high), low_closed, high_closed)

    def off(self, value: float) -> float:
        """By how many units in its last digit it differs from another value."""
        return 0.0 if value == self.value else abs(value - float(self.value)) / float(self.unit or 1)

    def shown(self, value: float) -> str:
        """Another value with as many digits as this number has."""
        if not math.isfinite(value):
            return "undefined" if math.isnan(value) else "infinite"
        if self.is_count:
            return f"{value:,.0f}"
        decimals = max(0, -math.floor(math.log10(float(self.unit)) + 0.5))
        return f"{100 * value:.{max(0, decimals - 2)}f}%" if self.percent else f"{value:.{decimals}f}"


def read_printed(given: Mapping[str, Any]) -> list[PrintedNumber]:
    """Read printed numbers by name; None and empty text are numbers that were not printed."""
    found: dict[str, PrintedNumber] = {}
    for name, value in given.items():
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        printed_number = _read(name, value)
        if printed_number.name in found:
            raise ArgumentError(
                f"`{name}` and `{found[printed_number.name].name}` are the same number. Hint: pass one of them."
            )
        found[printed_number.name] = printed_number
    return list(found.values())


def applicable(printed: list[PrintedNumber]) -> tuple[str, ...]:
    """Return the roundings that could explain these numbers."""
    rates = [
        printed_number
        for printed_number in printed
        if not printed_number.is_count and isinstance(printed_number.value, Fraction)
    ]
    finer = any(rate.unit < _CENT for rate in rates)
    whole = finer and all(rate.whole_percent for rate in rates)
    return ROUNDINGS if whole else ROUNDINGS[:-1]


def envelope(printed: list[PrintedNumber]) -> str:
    """Return the loosest rounding that could explain one of these numbers: what no table meets, none explains."""
    return WIDEST if PERCENT in applicable(printed) else MIXED


def remarks(printed: list[PrintedNumber], given: Mapping[str, Any]) -> list[str]:
    """Say how numbers were read that could have been read otherwise."""
    said = [printed_number.note for printed_number in printed if printed_number.note]
    rates = [printed_number for printed_number in printed if not printed_number.is_count and printed_number.unit]
    finest = min((printed_number.unit for printed_number in rates), default=Fraction(0))
    numbers = {name for name, value in given.items() if not isinstance(value, str)}
    for rate in rates:
        if rate.unit > finest and rate.name in {_canonical(name) for name in numbers}:
            digits = rate.shown(float(rate.value))
            said.append(
                f'{rate.name} was read as {digits}; if more digits were printed, pass it as text ("{digits}0").'
            )
    return said


def _canonical(name: str) -> str:
    base, end = _parts(name)
    return (METRICS[base].name if base in METRICS else base) + (f"_{end}" if end else "")


def _parts(name: str) -> tuple[str, str]:
    """Split a name into the number's name and which end of its interval is meant."""
    text = name.strip().lower().replace(" ", "_").replace("-", "_") if name.strip() not in METRICS else name.strip()
    for end in (LOW, HIGH):
        if text.endswith(end):
            return _known(text.removesuffix(end)), end[1:]
    return _known(text), ""


def _known(name: str) -> str:
    return {"lr_": "lr-", "+lr": "lr+", "_lr": "lr-"}.get(name, _OTHER_NAMES.get(name, name))


def _read(name: str, value: Any) -> PrintedNumber:
    base, end = _parts(name)
    if base in COUNTS:
        if end:
            raise ArgumentError(f"`{name}` is not a printed number: counts have no interval.")
        return PrintedNumber(base, str(value).strip(), COUNTS[base], _count(value, name), Fraction(0))
    metric = find_metric(base)
    if metric.of != "counts" and metric.name != AREA:
        raise ArgumentError(
            f"`{name}` does not support reconstruction: {metric.name} is not a function of the four counts."
        )
    expression = metric.expression if metric.of == "counts" else ""
    text, number, decimals = _digits(value, name)
    printed_number = PrintedNumber(
        metric.name + (f"_{end}" if end else ""), text, expression, number, Fraction(0), metric, end
    )
    if not isinstance(number, Fraction):
        return _infinite(printed_number, name)
    return _scaled(printed_number, number, decimals, name)


def _infinite(own: PrintedNumber, name: str) -> PrintedNumber:
    assert own.metric is not None
    if math.isfinite(own.metric.range[1]):
        raise ArgumentError(f"`{name}` must be a number; got {own.text!r}.")
    return own


def _scaled(own: PrintedNumber, number: Fraction, decimals: int, name: str) -> PrintedNumber:
    """Percentages as shares, with the unit of their last digit."""
    assert own.metric is not None
    low, high = own.metric.range
    share, unit = math.isfinite(high), Fraction(1, 10) ** decimals
    if "%" in own.text or (share and abs(number) >= 2):
        note = "" if "%" in own.text else f"{own.name} {own.text} was read as {own.text}%."
        if note and abs(number) > 100:
            raise ArgumentError(f"`{name}` must lie between {low:g} and {high:g}, or be a percentage; got {own.text}.")
        own, number, unit = replace(own, note=note), number / 100, unit / 100
    elif share and decimals == 0:
        unit = _CENT  # "1" for a rate is a rate of 1.00, not one that was rounded to a whole number
    if not own.end and not low <= number <= high:
        ends = f"lie between {low:g} and {high:g}" if share else f"be at least {low:g}"
        raise ArgumentError(f"`{name}` must {ends}; got {own.text}. Hint: percentages need a sign, such as '1.5%'.")
    return replace(own, value=number, unit=unit)


def _count(value: Any, name: str) -> Fraction:
    text = str(value).strip().replace(",", "").replace("\u202f", "").replace(" ", "")
    try:
        number = Fraction(text if not isinstance(value, bool) else "")
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"`{name}` must be a whole number; got {short_repr(value)}.") from None
    if number.denominator != 1 or not 0 <= number <= LARGEST or "/" in text:
        raise ArgumentError(f"`{name}` must be a whole number from 0 to {LARGEST:,}; got {short_repr(value)}.")
    return number


def _digits(value: Any, name: str) -> tuple[str, Fraction | float, int]:
    """Return the text, the number without its percent sign, and how many decimals it has."""
    text = _text(value, name)
    plain = text.replace("\u2212", "-").replace("\u00b7", ".").removesuffix("%").strip()
    if plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    if plain.lower() in ("inf", "infinity", "infinite", "\u221e"):
        return text, math.inf, 0
    try:
        number = Decimal("" if "_" in plain else plain)
        exponent = number.as_tuple().exponent
        if isinstance(exponent, str) or abs(exponent) > 400 or len(plain) > 400:
            raise InvalidOperation
    except InvalidOperation:
        raise ArgumentError(
            f"`{name}` must be a number; got {short_repr(value)}. Hint: for example '0.930' or '93%'."
        ) from None
    return text, Fraction(number), max(0, -exponent)


def _text(value: Any, name: str) -> str:
    """Return the digits as written; of a Python number those of its shortest form."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Decimal | Integral | np.floating) and value is not True and value is not False:
        return str(value)
    if isinstance(value, Real) and value is not True and value is not False:
        return repr(float(value))
    raise ArgumentError(f"`{name}` must be a number or text; got {short_repr(value)}.")

"""Columns of numbers as short texts, rows alike as columns: a page stays small. `packing.js` reads them.

A column's numbers are whole multiples of a power of ten; each is written as its distance from the one before, in digits
of 32 (as source maps do). Every number comes back exactly, because a quotient of two exact numbers is rounded once.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_OTHERS = {None: "-", "inf": ".", "-inf": ","}
_KINDS = {int, float, str, type(None)}
_SHORTEST = 8  # a shorter column is as short as it is
_MOST_DECIMALS, _LARGEST = 15, 2**53


def packed(value: Any) -> Any:
    """Pack columns of numbers and of few words, and turn rows that have the same names into columns.

    >>> packed({"x": [0.5, 0.25, None, 1], "y": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, "inf", 1]})
    {'x': [0.5, 0.25, None, 1], 'y': {'$': '1 CCCCCC.I'}}
    >>> packed([{"x": place, "y": "word"} for place in range(8)])["$"][:2]
    [['x', 'y'], {'$': '0 ACCCCCCC'}]
    >>> packed(["yes", "no"] * 4)
    {'$': '0 ACDCDCDC', 'of': ['yes', 'no']}
    """
    if isinstance(value, dict):
        rows = _as_columns([*value.values()])
        return {key: packed(each) for key, each in value.items()} if rows is None else {"$": rows, "of": [*value]}
    if not isinstance(value, list):
        return value
    rows = _as_columns(value)
    if rows is not None:
        return {"$": rows}
    if len(value) < _SHORTEST:
        return [packed(each) for each in value]
    words = [*dict.fromkeys(value)] if all(isinstance(each, str) for each in value) else []
    if words and 2 * len(words) <= len(value):
        return {"$": _text([words.index(each) for each in value]), "of": words}
    text = _text(value)
    return [packed(each) for each in value] if text is None else {"$": text}


def _as_columns(rows: list[Any]) -> list[Any] | None:
    """Return the names of rows that are alike, then a column for each; None for other rows."""
    if len(rows) < _SHORTEST or not all(isinstance(each, dict) and each.keys() == rows[0].keys() for each in rows):
        return None
    names = [*rows[0]]
    return [names, *(packed([each[name] for each in rows]) for name in names)] if names else None


def _text(column: Sequence[Any]) -> str | None:
    """Write a column as text; return None if it does not hold numbers, or needs too many digits."""
    kinds = set(map(type, column))
    if not kinds <= _KINDS or (str in kinds and not all(each in _OTHERS for each in column if type(each) is str)):
        return None
    exact = [None if each is None or type(each) is str else _digits(each) for each in column]
    places = max((len(each[2]) for each in exact if each is not None), default=0)
    if places > _MOST_DECIMALS:
        return None
    whole = [None if each is None else int(each[0] + each[2].ljust(places, "0")) for each in exact]
    if any(each is not None and abs(each) >= _LARGEST for each in whole):
        return None
    return f"{places} {_steps(column, whole)}"


def _digits(number: float) -> tuple[str, str, str]:
    """Return what stands before and after the decimal point."""
    text = repr(number)
    return (f"{Decimal(text):f}" if "e" in text else text).partition(".")


def _steps(column: Sequence[Any], whole: Sequence[int | None]) -> str:
    before, made = 0, []
    for given, each in zip(column, whole, strict=True):
        if each is None:
            made.append(_OTHERS[given])
        else:
            made.append(_step(each - before))
            before = each
    return "".join(made)


def _step(distance: int) -> str:
    """One distance: the sign in the last bit, five bits to a digit, and 32 more on all digits but the last."""
    left, made = 2 * abs(distance) + (distance < 0), ""
    while left >= 32:
        made += _DIGITS[32 + left % 32]
        left //= 32
    return made + _DIGITS[left]

"""Columns of numbers as short texts, rows alike as columns: a page stays small. `packing.js` reads them.

A column's numbers are whole multiples of a power of ten; each is written as its distance from the one before, in digits
of 32 (as source maps do). Every number comes back exactly, because a quotient of two exact numbers is rounded once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse.table import Array

_DIGITS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", dtype=np.uint8)
_OTHERS = {None: "-", "inf": ".", "-inf": ","}
_KINDS = {int, float, str, type(None)}
_SHORTEST = 8  # a shorter column is as short as it is
_MOST_DECIMALS, _LARGEST = 15, 2**51
_MOST_DIGITS = 11  # of five bits, for twice the distance of two numbers below `_LARGEST`


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
    if len(rows) < _SHORTEST or not all(isinstance(row, dict) and row.keys() == rows[0].keys() for row in rows):
        return None
    names = [*rows[0]]
    return [names, *(packed([row[name] for row in rows]) for name in names)] if names else None


def _text(column: Sequence[Any]) -> str | None:
    """Write a column as text; return None if it does not hold numbers, or needs too many digits."""
    kinds = set(map(type, column))
    if not kinds <= _KINDS or (str in kinds and not all(each in _OTHERS for each in column if type(each) is str)):
        return None
    others = {place: _OTHERS[each] for place, each in enumerate(column) if each is None or type(each) is str}
    known = [each for each in column if each is not None and type(each) is not str] if others else column
    found = _whole(np.array(known, dtype=np.float64), 1 if float in kinds else 0)
    return None if found is None else f"{found[1]} {_steps(found[0], len(column), others)}"


def _whole(values: Array, fewest: int) -> tuple[npt.NDArray[np.int64], int] | None:
    """Return the numbers as multiples of a power of ten, and its decimals: the fewest that give every one back.

    Below `_LARGEST` numbers lie closer than multiples do, so that no other multiple gives the same number back.
    """
    for places in range(fewest, _MOST_DECIMALS + 1):
        power = 10.0**places
        with np.errstate(over="ignore"):
            multiples = np.rint(values * power)
        if np.array_equal(multiples / power, values):
            return (multiples.astype(np.int64), places) if np.abs(multiples).max(initial=0) < _LARGEST else None
    return None


def _steps(whole: npt.NDArray[np.int64], size: int, others: Mapping[int, str]) -> str:
    """Distances: the sign in the last bit, five bits to a digit, and 32 more on all digits but the last."""
    distance = np.diff(whole, prepend=0)
    left = 2 * np.abs(distance) + (distance < 0)
    digits = np.zeros((size, _MOST_DIGITS), dtype=np.uint8)
    place = np.delete(np.arange(size), [*others]) if others else np.arange(size)
    for k in range(_MOST_DIGITS):
        more = left >= 32
        digits[place, k] = _DIGITS[left % 32 + 32 * more]
        place, left = place[more], left[more] // 32
        if not len(place):
            break
    for other, sign in others.items():
        digits[other, 0] = ord(sign)
    return digits[digits > 0].tobytes().decode()

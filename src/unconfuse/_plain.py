"""Results as plain text, plain values and frames."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, NoReturn

from unconfuse._errors import ArgumentError

_LONG = 1e15  # from here on digits beyond the fourth say nothing, and doubles hold no fractions
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")  # of a letter beyond the first 65,536
_PEOPLE = ("Matthews", "Jaccard", "Gini", "Brier")  # of people: they keep their capital


def number_text(value: float, digits: int = 3) -> str:
    """A number for reading: fixed digits in the usual range, short forms outside it.

    >>> number_text(0.6778846), number_text(21.0), number_text(float("nan")), number_text(0.00012), number_text(2.5e30)
    ('0.678', '21.0', 'undefined', '0.00012', '2.5e+30')
    """
    if math.isnan(value):
        return "undefined"
    size = abs(value)
    if size < 1e-12:  # a rounding error, not a result
        return f"{0:.{digits}f}"
    if size >= _LONG:  # or infinite
        return f"{value:.4g}"
    if size >= 10**digits:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.{max(digits - 2, 1)}f}"
    return f"{value:.{digits}f}" if size >= 10 ** -(digits - 1) / 2 else f"{value:.2g}"


def brief(value: object, room: int = 60) -> str:
    """The value as written in Python, cut short if it is long: names and labels can be of any length."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # such as whole numbers of thousands of digits, which Python does not write out
        text = f"a {type(value).__name__}"
    return text if len(text) <= room else f"{text[: room - 3]}..."


def percent(share: float) -> str:
    """Three significant digits, and never 100% for what is only nearly so.

    >>> percent(.120874), percent(.9999), percent(1)
    ('12.1%', '99.99%', '100%')
    """
    text = f"{100 * share:.3g}%"
    return f"{100 * share:.6g}%" if text == "100%" and share < 1 else text


def whole(value: float) -> float:
    """A count as a whole number if it is one.

    >>> whole(208.0), whole(1.5)
    (208, 1.5)
    """
    return int(value) if math.isfinite(value) and float(value).is_integer() and abs(value) < 2**53 else value


def p_text(p: float) -> str:
    """A p-value for reading.

    >>> p_text(0.0312), p_text(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    return "p undefined" if math.isnan(p) else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


_PLAIN = (str, int, bool, type(None))


def read_json(text: str | bytes) -> Any:
    """What strict JSON says; NaN, infinities, numbers too large for a double and half letters are a ValueError.

    >>> read_json('{"a": [0.5, null]}')
    {'a': [0.5, None]}
    >>> read_json("[1e999]")
    Traceback (most recent call last):
    ValueError: it holds 1e999, which is no number here
    """
    plain = text.decode(json.detect_encoding(text)) if isinstance(text, bytes) else text
    found = json.loads(plain, parse_constant=_no_number, parse_float=_finite)
    if _HALF.search(plain):  # the other half may follow it; left alone it cannot be written down again
        _whole_letters(json.dumps(found, ensure_ascii=False))
    return found


def _whole_letters(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"it holds {text[error.start]!r}, which is half a letter") from None


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"it holds {text[:30]}, which is no number here")


def plain_json(value: Any) -> Any:
    """Values that strict JSON can hold: NaN becomes null, infinities become the texts "inf" and "-inf".

    >>> plain_json({"a": float("nan"), "b": [float("inf"), 1.0]})
    {'a': None, 'b': ['inf', 1.0]}
    """
    if type(value) in _PLAIN or (type(value) is float and math.isfinite(value)):  # most of a payload
        return value
    if isinstance(value, Mapping):
        return {str(key): plain_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(each) for each in value]
    if hasattr(value, "tolist"):
        return plain_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def strict_json(told: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    """What a result tells as a dictionary, fit for strict JSON: NaN is None, infinities are texts (`plain_json`)."""

    @wraps(told)
    def as_dict(self: Any) -> dict[str, Any]:
        return dict(plain_json(told(self)))

    return as_dict


def with_numbers(result: Any, of: Any = None) -> dict[str, Any]:
    """What `as_dict` tells, or that `of` a class it builds on, but with NaN and infinities as numbers: for frames."""
    return dict((of or type(result)).as_dict.__wrapped__(result))


def plain_values(value: Any) -> Any:
    """What a result holds as plain values: other results by their `as_dict`, in mappings and lists too."""
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {key: plain_values(each) for key, each in value.items()}
    return [plain_values(each) for each in value] if isinstance(value, list | tuple) else value


def short_label(label: str) -> str:
    """A metric's name within a sentence.

    >>> short_label("Sensitivity (recall, TPR)"), short_label("AUROC"), short_label("Brier score")
    ('sensitivity', 'AUROC', 'Brier score')
    """
    words = label.split(" (", maxsplit=1)[0]
    first = words.split(" ")[0]
    return words if first in _PEOPLE or not (first.isalpha() and first.istitle()) else words[0].lower() + words[1:]


class ReadOnly(Mapping[str, Any]):
    """What a result holds by name: it cannot be changed, and unlike Python's own read-only view it can be pickled.

    >>> ReadOnly({"a": 1})
    ReadOnly({'a': 1})
    """

    def __init__(self, held: Mapping[str, Any]) -> None:
        self._held = dict(held)

    def __getitem__(self, name: str) -> Any:
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return f"ReadOnly({self._held!r})"


class InRows:
    """A result that is a list of rows: what a frame needs follows from `rows`."""

    def rows(self) -> list[dict[str, Any]]:
        """Rows of plain values."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """The rows as a data frame (pandas if installed, else polars, else pyarrow)."""
        return frame_of(self.rows())


def frame_of(rows: list[dict[str, Any]]) -> Any:
    """Rows as a frame of the first data-frame library that is installed."""
    columns = {key: [row[key] for row in rows] for key in rows[0]} if rows else {}
    for library, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        try:
            module = __import__(library)
        except ImportError:
            continue
        return getattr(module, make)(columns)
    raise ArgumentError("`to_frame` needs pandas, polars or pyarrow. Hint: pip install pandas, or use `rows()`.")


def number_in(text: str) -> float:
    """Read a number as files write it; ValueError of anything else, also of 0_57, which Python reads as 57.

    >>> number_in(" 0.5")
    0.5
    """
    if "_" in text:
        raise ValueError(text)
    return float(text)

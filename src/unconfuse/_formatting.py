"""Results as plain text, plain values and frames."""

import json
import math
import os.path
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import wraps
from itertools import takewhile
from typing import Any, NoReturn

from unconfuse._errors import ArgumentError, UnknownNameError, did_you_mean, from_data

_LONG = 1e15  # from here on digits beyond the fourth say nothing, and doubles hold no fractions
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")  # of a letter beyond the first 65,536
_CONTROL = ("Cc", "Cf", "Cs")  # also marks that turn the direction of writing
_NO_LETTERS = "\ufffe\uffff"  # which XML does not allow
_SHORT_NAME = 24  # characters that every sentence has room for
_PEOPLE = ("Matthews", "Jaccard", "Gini", "Brier", "Hamming")  # of people: they keep their capital


def number_text(value: float, digits: int = 3) -> str:
    """Format a number for reading: fixed digits in the usual range, short forms outside it.

    Near 1 it has as many digits as near 0, so only what is 1 reads "1.000".

    >>> number_text(0.6778846), number_text(21.0), number_text(float("nan")), number_text(0.00012), number_text(2.5e30)
    ('0.678', '21.0', 'undefined', '0.00012', '2.5e+30')
    >>> number_text(0.9999), number_text(0.99951), number_text(0.9994), number_text(1.0)
    ('0.9999', '0.99951', '0.999', '1.000')
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
    return _usual(value, size, digits)


def _usual(value: float, size: float, digits: int) -> str:
    """Return fixed digits; below and near 1, two significant ones of what is missing to 0 or to 1."""
    if not 1e-12 < 1 - size <= 10**-digits / 2:
        return f"{value:.{digits}f}" if size >= 10 ** -(digits - 1) / 2 else f"{value:.2g}"
    places = 1 - math.floor(math.log10(1 - abs(value)))
    return f"{value:.{places}f}".rstrip("0")


def interval_words(low: float, high: float) -> tuple[str, str]:
    """Return both ends of an interval, with one number of decimals where that hides neither.

    >>> interval_words(-0.0049, 0.016), interval_words(0.0001, 0.2), interval_words(0.1, 0.25)
    (('-0.005', '0.016'), ('0.0001', '0.200'), ('0.100', '0.250'))
    """
    return _end(low, high), _end(high, low)


def _end(end: float, other: float) -> str:
    """Return one end, rounded to three decimals where it is small, shown by them, and the other end is not small."""
    if 0.0005 <= abs(end) < 0.005 <= abs(other) < 10:
        return f"{end:.3f}"
    return number_text(end)


def elided(name: str, longest: int) -> str:
    """Cut a name in the middle, because long names share their beginning more often than their end.

    >>> elided("gradient boosting, version 2", 16)
    'gradi… version 2'
    """
    head = (longest + 1) // 3
    return name if len(name) <= longest else f"{name[:head]}…{name[head + 1 - longest :]}"


def without_shared_words(names: Sequence[str]) -> tuple[str, ...]:
    """Return names as a sentence can bear them: without the words that all begin with, if some name is long.

    >>> without_shared_words(["boosting on all features, version 1", "boosting on all features, version 2"])
    ('…version 1', '…version 2')
    >>> without_shared_words(["boosting", "boosted"])
    ('boosting', 'boosted')
    """
    shared = re.match(r".*[\s,;:/_-](?=\S+\s*$)", os.path.commonprefix(list(names)))  # noqa: RUF071 (of text, not of paths)
    if len(names) < 2 or shared is None or max(map(len, names)) <= _SHORT_NAME:
        return tuple(names)
    return tuple(f"…{name[shared.end() :]}" for name in names)


def short_repr(value: object, room: int = 60) -> str:
    """Return the value as messages show it: as written in Python, cut short if it is long, without backquotes.

    >>> short_repr("`weight=3`"), short_repr("a" * 99)[-5:]
    ("'ˋweight=3ˋ'", 'aa...')
    """
    try:
        is_scalar = type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()
        plain = value.item() if is_scalar else value  # type: ignore[attr-defined]  # 2.0, not np.float64(2.0)
        text = " ".join(repr(plain).split())
    except Exception:  # such as whole numbers of thousands of digits, which Python does not write out
        text = f"a {type(value).__name__}"
    return from_data(text if len(text) <= room else f"{text[: room - 3]}...")


def printable(text: str) -> str:
    """Return the text in one line, with every control character replaced: documents cannot hold them.

    >>> printable("a\\x00b\\nc")
    'a\\ufffdb c'
    """
    if text.isascii() and text.isprintable():
        return text
    shown = ("\ufffd" if unicodedata.category(each) in _CONTROL else each for each in " ".join(text.splitlines()))
    return "".join(each if each not in _NO_LETTERS else "\ufffd" for each in shown)


def percent(share: float) -> str:
    """Three significant digits, and never 0% or 100% for what is only nearly so.

    >>> percent(.120874), percent(.9999), percent(1), percent(1e-4), percent(2.5e-7)
    ('12.1%', '99.99%', '100%', '0.01%', '0.000025%')
    """
    text = f"{100 * share:.3g}%"
    if "e" in text and abs(share) < 1:  # nobody reads powers of ten in a sentence
        return f"{100 * share:.12f}".rstrip("0").rstrip(".") + "%"
    return f"{100 * share:.6g}%" if text == "100%" and share < 1 else text


def share_words(share: float) -> str:
    """Return a share as a percentage for a sentence: one decimal at most, and more only where it would be 0% or 100%.

    >>> share_words(.17), share_words(.0846), share_words(1e-4), share_words(.9999), share_words(0), share_words(.1749)
    ('17%', '8.5%', '0.01%', '99.99%', '0%', '17.5%')
    """
    if 0.01 <= share <= 0.99 or share in (0, 1):
        return f"{100 * share:.1f}".removesuffix(".0") + "%"
    rest = min(share, 1 - share)
    places = max(1 - math.floor(math.log10(100 * rest)), 1) if rest > 0 else 1
    return f"{100 * share:.{places}f}".rstrip("0").removesuffix(".") + "%"


def threshold_words(value: float) -> str:
    """Return a threshold with the digits it needs, six at most.

    >>> threshold_words(0.05), threshold_words(0.123456789), threshold_words(12.0), threshold_words(0.00012)
    ('0.05', '0.123457', '12', '0.00012')
    """
    return f"{value:.6g}"


def whole(value: float) -> float:
    """Return a count as a whole number if it is one.

    >>> whole(208.0), whole(1.5)
    (208, 1.5)
    """
    return int(value) if math.isfinite(value) and float(value).is_integer() and abs(value) < 2**53 else value


def p_text(p: float) -> str:
    """Format a p-value for reading.

    >>> p_text(0.0312), p_text(0.00001)
    ('p = 0.031', 'p < 0.001')
    """
    return "p undefined" if math.isnan(p) else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


_PLAIN = (str, int, bool, type(None))


def read_json(text: str | bytes) -> Any:
    """Parse strict JSON; NaN, infinities, numbers too large for a double and half letters raise a ValueError.

    >>> read_json('{"a": [0.5, null]}')
    {'a': [0.5, None]}
    >>> read_json("[1e999]")
    Traceback (most recent call last):
    ValueError: it holds 1e999, which is not a number here
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
        raise ValueError(f"it contains an unpaired surrogate ({text[error.start]!r})") from None


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"it holds {text[:30]}, which is not a number here")


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
        return [each if type(each) is float and math.isfinite(each) else plain_json(each) for each in value]
    if hasattr(value, "tolist"):
        return plain_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value.value if isinstance(value, StrEnum) else value


def strict_json(told: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    """Make what a result tells as a dictionary fit for strict JSON: NaN is None, infinities are text (`plain_json`)."""

    @wraps(told)
    def as_dict(self: Any) -> dict[str, Any]:
        return dict(plain_json(told(self)))

    return as_dict


def with_numbers(result: Any, of: Any = None) -> dict[str, Any]:
    """Return what `as_dict` tells, or that `of` a base class, but with NaN and infinities as numbers: for frames."""
    return dict((of or type(result)).as_dict.__wrapped__(result))


def plain_values(value: Any) -> Any:
    """Return what a result holds as plain values: other results by their `as_dict`, in mappings and lists too."""
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {key: plain_values(each) for key, each in value.items()}
    return [plain_values(each) for each in value] if isinstance(value, list | tuple) else value


def short_label(label: str) -> str:
    """Return a metric's name as it is written within a sentence.

    >>> short_label("Sensitivity (recall, TPR)"), short_label("AUROC"), short_label("Brier score")
    ('sensitivity', 'AUROC', 'Brier score')
    """
    words = label.split(" (", maxsplit=1)[0]
    first = words.split(" ")[0]
    return words if first in _PEOPLE or not (first.isalpha() and first.istitle()) else words[0].lower() + words[1:]


class FrozenMapping(Mapping[str, Any]):
    """What a result holds by name: it cannot be changed, and unlike Python's own read-only view it can be pickled.

    >>> FrozenMapping({"a": 1})
    FrozenMapping({'a': 1})
    """

    def __init__(self, held: Mapping[str, Any]) -> None:
        self._held = dict(held)

    def __getitem__(self, name: str) -> Any:
        if name not in self._held:
            raise UnknownNameError(f"there is no {short_repr(name)} here. {did_you_mean(str(name), self._held)}")
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return f"FrozenMapping({self._held!r})"


class TabularResult:
    """A result that is a list of rows: what a frame needs follows from `rows`."""

    def rows(self) -> list[dict[str, Any]]:
        """Rows of plain values."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """Return the rows as a data frame (pandas if installed, else polars, else pyarrow)."""
        return frame_of(self.rows())


def frame_of(rows: list[dict[str, Any]]) -> Any:
    """Rows as a frame of the first data-frame library that is installed; what a row does not have is missing there."""
    columns = {key: [row.get(key) for row in rows] for key in columns_in(rows)}
    for library, make in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        try:
            module = __import__(library)
        except ImportError:
            continue
        return getattr(module, make)(columns)
    raise ArgumentError("`to_frame` needs pandas, polars or pyarrow. Hint: pip install pandas, or use `rows()`.")


def columns_in(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the columns that any row has: of subgroups, some may come with bounds and others without.

    >>> columns_in([{"value": 1}, {"value": 2, "bound_low": 0}])
    ['value', 'bound_low']
    """
    return list(dict.fromkeys(key for row in rows for key in row))


def number_in(text: str) -> float:
    """Read a number as files write it; ValueError of anything else, also of 0_57, which Python reads as 57.

    >>> number_in(" 0.5")
    0.5
    """
    if "_" in text:
        raise ValueError(text)
    return float(text)


def places_text(low: int, high: int) -> str:
    """Return the places that something may have, such as its rank.

    >>> places_text(1, 3), places_text(2, 2)
    ('1 to 3', '2')
    """
    return f"{low}" if low == high else f"{low} to {high}"


def cut_names(names: Sequence[str], room: int) -> list[str]:
    """Names of at most so many characters, cut in the middle.

    Models and classes often share their beginning, so that a name cut at its end says nothing. Where two would become
    one, names lose the beginning that all share instead, and are as long as they must be.

    >>> cut_names(["gradient_boosting_v1", "gradient_boosting_v2"], 12)
    ['grad…ting_v1', 'grad…ting_v2']
    >>> cut_names(["ward of internal medicine 1", "ward of emergency medicine 1"], 12)
    ['…internal medicine 1', '…emergency medicine 1']
    """
    head = -(-(room - 1) // 3)
    cut = [name if len(name) <= room else f"{name[:head]}…{name[head + 1 - room :]}" for name in names]
    if len(set(cut)) == len(set(names)):
        return cut
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    shared = re.search(r"[^\W_]*$", "".join(letters[0] for letters in alike))
    start = shared.start() if shared else 0  # names begin with a whole word
    return [f"…{name[start:]}" if start > 1 else name for name in names]

"""An exported history, read and checked: compressed JSON lines, a line that says what it is, then the evaluations."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

from unconfuse._errors import InputError
from unconfuse._plain import read_json
from unconfuse.report.document import check_payload
from unconfuse.serve.words import checked_words

FORMAT = "unconfuse-history/1"
_NUMBER, _OBJECT = (int, float, type(None)), (dict, type(None))
_MOST = 2.0**53  # cases: beyond, numbers are no longer whole
PARTS: dict[str, Any] = dict.fromkeys(("created", "name", "note", "kind", "source", "verdict"), str)
PARTS |= {"tags": list, "n": _NUMBER, "positives": _NUMBER, "summary": dict, "question": dict, "result": dict}
PARTS |= {"payload": _OBJECT, "scores": _OBJECT, "cases": _OBJECT}


def read_history(path: str, name: str, most: int) -> list[dict[str, Any]]:
    """Every evaluation of an exported file, checked."""
    hint = "Hint: choose a file that was exported here."
    try:
        with gzip.open(path, "rb") as file:
            text = file.read(most + 1)
    except (OSError, EOFError, ValueError, zlib.error):
        raise InputError(f"{name} is no exported history, or is damaged. {hint}") from None
    if len(text) > most:
        raise InputError(f"{name} unpacks to more than {most >> 20:,} MB, which are taken at most.")
    try:
        head, *lines = [read_json(line) for line in text.splitlines()]
        if head != {"format": FORMAT}:
            raise ValueError("format")
    except (ValueError, RecursionError):
        raise InputError(f"{name} is no exported history. {hint}") from None
    return [_checked(each, number) for number, each in enumerate(lines, 1)]


def _checked(given: Any, number: int) -> dict[str, Any]:
    """One evaluation of the right shape."""
    if not isinstance(given, dict) or set(given) != set(PARTS):
        raise InputError(f"evaluation {number} of the history does not have the parts that one has.")
    for name, kind in PARTS.items():
        if not isinstance(given[name], kind) or (kind is _NUMBER and not _is_size(given[name])):
            raise InputError(f"{name!r} of evaluation {number} of the history is of the wrong kind.")
    words = checked_words({name: given[name] for name in ("name", "note", "tags")})
    if given["payload"] is not None:
        check_payload(given["payload"])
    return given | words


def _is_size(value: float | None) -> bool:
    """How many cases there are, if that is known."""
    return value is None or (not isinstance(value, bool) and 0 <= value <= _MOST)

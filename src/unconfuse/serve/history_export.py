"""An exported history, read and checked: compressed JSON lines, a line that says what it is, then the evaluations."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

from unconfuse._errors import InputError, UnconfuseError
from unconfuse._formatting import read_json
from unconfuse.report.document import check_payload
from unconfuse.serve.questions import TITLES
from unconfuse.serve.records import checked_words, imported_problem

FORMAT = "unconfuse-history/1"
_HINT = "Hint: choose a file that was exported here."


def read_history(path: str, name: str, most: int) -> list[dict[str, Any]]:
    """Every evaluation of an exported file, checked."""
    try:
        with gzip.open(path, "rb") as file:
            text = file.read(most + 1)
    except (OSError, EOFError, ValueError, zlib.error):
        raise InputError(f"{name} is not an exported history, or is damaged. {_HINT}") from None
    if len(text) > most:
        raise InputError(f"{name} unpacks to more than {most >> 20:,} MB, which are taken at most.")
    try:
        head, *lines = [read_json(line) for line in text.splitlines()]
        if head != {"format": FORMAT}:
            raise ValueError("format")
    except (ValueError, RecursionError):
        raise InputError(f"{name} is not an exported history. {_HINT}") from None
    return [_checked(line, number) for number, line in enumerate(lines, 1)]


def _checked(given: Any, number: int) -> dict[str, Any]:
    """Return one evaluation if each of its parts is what the app itself would have written."""
    where = f"evaluation {number}"
    problem = imported_problem(given, where, tuple(TITLES))
    if problem is not None:
        raise InputError(f"{problem}. {_HINT}")
    try:
        if given["payload"] is not None:
            check_payload(given["payload"])
        words = checked_words({name: given[name] for name in ("name", "note", "tags")})
    except UnconfuseError as error:
        raise InputError(f"{where} cannot be imported: {error}") from None
    return dict(given) | words

"""What the engine says about a bad file, said again for the person who has the file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unconfuse._errors import InputError
from unconfuse._validate import NOT_NUMBERS, brief, not_numbers
from unconfuse.ingest._sniff import Source

_NOT_A_NUMBER = re.compile(r"Error when converting column \"c(\d+)\"\. Could not convert string \"(.*?)\" to", re.S)
_RAGGED = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_LINE = re.compile(r"CSV Error on Line: (\d+)|in line (\d+)")
_JSON_VALUE = re.compile(r"JSON transform error.*?: Failed to cast value to numerical: (.*?)(?:\nTry|$)", re.S)
_NOT_UTF8 = "is not text in UTF-8. Hint: save the file as UTF-8 (in a spreadsheet: 'CSV UTF-8')."
_COMPLAINTS = {
    "unicode": _NOT_UTF8,
    "utf-8": _NOT_UTF8,
    "json": 'is not one JSON object per line. Hint: write each row as {"label": 1, "score": 0.5} on its own line.',
    "quote": "has a quote that is never closed. Hint: check the double quotes near that line.",
    "maximum line size": "has a line longer than 32 MB. Hint: check the line ends and the quotes.",
}


def explained(error: Exception, sources: Sequence[Source], names: Sequence[str]) -> InputError:
    """The engine's complaint as one clear error that names file, line, column and text."""
    said = str(error)
    source = _meant(said, sources)
    found = _LINE.search(said)
    where = f"line {found[1] or found[2]} of {source.name}" if found else source.name
    if match := _NOT_A_NUMBER.search(said):
        name = names[int(match[1])] if int(match[1]) < len(names) else ""
        return not_a_number(where, name, match[2])
    if match := _RAGGED.search(said):
        return _ragged(where, int(match[1]), int(match[2]))
    return InputError(f"{where} {_complaint(said, source)}")


def _meant(said: str, sources: Sequence[Source]) -> Source:
    """The file that the engine speaks of; the first if it names none."""
    named = [each for each in sources if each.path in said]
    return max(named, key=lambda each: len(each.path)) if named and len(sources) > 1 else sources[0]


def not_a_number(where: str, name: str, value: str) -> InputError:
    """Text in a column of numbers."""
    comma = re.fullmatch(r"-?\d+,\d+", value.strip())
    hint = "write decimals with a point, not with a comma" if comma else "correct the value or choose another column"
    return not_numbers(f"{where}: column {brief(name)}", f"found {brief(value)}", hint)


def _ragged(where: str, expected: int, found: int) -> InputError:
    return InputError(
        f"{where} has {found} {'field' if found == 1 else 'fields'}, but the header names {expected} columns. "
        "Hint: put fields that contain the separator in double quotes, or state the separator (--delimiter)."
    )


def _complaint(said: str, source: Source) -> str:
    if match := _JSON_VALUE.search(said):
        return (
            f"{NOT_NUMBERS.what} where scores are expected; found {brief(match[1].strip())}. Hint: correct the value."
        )
    for words, complaint in _COMPLAINTS.items():
        if words in said.lower():
            return complaint
    problem = "cannot be read"
    if source.format == "parquet":
        problem = "is damaged, cut short or holds a type that is not a number"
    return f"{problem}. Hint: write it again as CSV, Parquet or JSON lines. ({_first_line(said)})"


def _first_line(said: str) -> str:
    return said.strip().splitlines()[0][:200] if said.strip() else "no reason given"

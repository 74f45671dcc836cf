"""Tables as people keep them: a title above, notes below, decimal commas, an older encoding; each guess is named.

Only what has one meaning is guessed. "1,234" alone may be a decimal or a thousand: it stays as it is, and is refused
where a number is needed.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unconfuse._formatting import short_repr

_DECIMAL_COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d+),\d+([eE][-+]?\d+)?%?")
_DECIMAL_POINT = re.compile(r"[-+]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?([eE][-+]?\d+)?%?")
_PLAIN = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_WHOLE = re.compile(r"[-+]?\d+")
_EITHER = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")  # a decimal, or a thousand
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "<na>"))
_HEAD, _TAIL = 1 << 16, 1 << 12  # bytes of a file by which it is known
_LARGEST = 64 << 20  # bytes of a file that is written anew
_TITLES = 20  # lines above a table at most


class CleanedTable(NamedTuple):
    """A table with one header and plain numbers, and what was guessed."""

    rows: list[list[str]]
    notes: list[str]


def tidied(rows: Sequence[Sequence[str]]) -> CleanedTable:
    """Return the table among rows of text, with its numbers as they are written everywhere.

    >>> found = tidied([["Study 7", ""], ["ill", "risk"], ["yes", "0,57"], ["no", "1,5"], [""], ["Note: draft"]])
    >>> found.rows
    [['ill', 'risk'], ['yes', '0.57'], ['no', '1.5']]
    >>> for note in found.notes:
    ...     print(note)
    1 line above the table was left out ('Study 7')
    1 line below the table was left out ('Note: draft')
    column 'risk' has decimal commas
    """
    texts = [[cell.strip() for cell in row] for row in rows]
    start, end = _start(texts), _end(texts)
    notes = _left_out("above", texts[:start]) + _left_out("below", texts[end:])
    held = [list(rows[place]) for place in range(start, end) if any(texts[place])]
    held, unnamed = _named_columns(held)
    return CleanedTable(held, notes + unnamed + _as_numbers(held))


def _filled(row: Sequence[str]) -> int:
    return sum(map(bool, row))


def _start(rows: Sequence[Sequence[str]]) -> int:
    """Return the line of the header: the first that names several columns, if what stands above is one cell each."""
    for place, row in enumerate(rows[: _TITLES + 1]):
        if _filled(row) < 2:
            continue
        names = [each for each in row if each]
        is_header = len(set(names)) == len(names) and not any(map(_PLAIN.fullmatch, names))
        below = rows[place + 1 : place + 3]
        return place if is_header and below and all(_filled(each) > 1 for each in below) else 0
    return 0


def _end(rows: Sequence[Sequence[str]]) -> int:
    """Where the table ends: notes are single cells of words behind an empty line, so that a file cut short is none."""
    end = len(rows)
    while end and not any(rows[end - 1]):
        end -= 1
    last = end
    while last and _filled(rows[last - 1]) == 1 and re.search(r"[^\W\d_]{2}", "".join(rows[last - 1])):
        last -= 1
    is_note = 1 < last < end and not any(rows[last - 1]) and any(_filled(row) > 1 for row in rows[:last])
    return last if is_note else end


def _left_out(where: str, rows: Sequence[Sequence[str]]) -> list[str]:
    words = ["".join(row) for row in rows if any(row)]
    if not words:
        return []
    first = words[0] if len(words[0]) <= 40 else f"{words[0][:39]}…"
    many = "1 line" if len(words) == 1 else f"{len(words)} lines"
    return [f"{many} {where} the table {'was' if len(words) == 1 else 'were'} left out ({short_repr(first)})"]


def _named_columns(rows: list[list[str]]) -> tuple[list[list[str]], list[str]]:
    """Columns that have no name hold notes beside the table."""
    if not rows:
        return rows, []
    head = rows[0]
    kept = [place for place, name in enumerate(head) if name.strip()]
    if not kept or len(kept) == len(head):
        return rows, []
    beside = sum(any(row[place].strip() for place in range(len(row)) if place not in kept) for row in rows[1:])
    note = [f"{beside} cells in columns without a name were left out"] if beside else []
    return [[row[place] for place in kept if place < len(row)] for row in rows], note


def _as_numbers(rows: list[list[str]]) -> list[str]:
    """Write numbers with a decimal point and without thousands, column by column, and say where."""
    notes = []
    for place, name in enumerate(rows[0] if rows else ()):
        cells = [row[place].strip() for row in rows[1:] if place < len(row)]
        how = how_written([cell for cell in cells if cell.lower() not in _MISSING])
        if how is None:
            continue
        drop, mark = (".", ",") if how == "decimal commas" else (",", ".")
        for row in rows[1:]:
            if place < len(row) and row[place].strip().lower() not in _MISSING:
                row[place] = row[place].strip().replace(drop, "").replace(mark, ".")
        notes.append(f"column {short_repr(name)} has {how}")
    return notes


def how_written(cells: Sequence[str]) -> str | None:
    """How a column writes its numbers, if that is not the plain way and has one meaning.

    >>> how_written(["0,57", "1"]), how_written(["1,234.5"]), how_written(["1,234", "2,345"]), how_written(["a"])
    ('decimal commas', 'separators of thousands', None, None)
    """
    with_commas = [cell for cell in cells if "," in cell]
    if not with_commas:
        return None
    rest = [cell for cell in cells if "," not in cell]
    if all(map(_DECIMAL_COMMA.fullmatch, with_commas)) and all(map(_WHOLE.fullmatch, rest)):
        return None if all(map(_EITHER.fullmatch, with_commas)) else "decimal commas"
    thousands = all(map(_DECIMAL_POINT.fullmatch, with_commas)) and all(map(_PLAIN.fullmatch, rest))
    if thousands and not any(re.match(r"[-+]?0,", each) for each in with_commas):
        return "separators of thousands"
    return None


def untidy_csv(path: str) -> CleanedTable | None:
    """Read a CSV file that is not as the engine takes it; None if it is, or if it is too large to be written anew."""
    place = Path(path)
    size = place.stat().st_size
    with place.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(max(size - _TAIL, 0))
        tail = file.read()
    encoding = encoding_of(place, head, size)
    if encoding is None:
        return None
    separator = _separator(_decoded(head, encoding))
    if size > _LARGEST or separator is None:
        return None
    try:
        if encoding == "utf-8" and not _looks_untidy(head, tail, size, separator):
            return None
        with place.open(encoding=f"{encoding}-sig" if encoding == "utf-8" else encoding, newline="") as text:
            found = tidied(list(csv.reader(text, delimiter=separator)))
    except csv.Error:  # a cell without an end, or a huge one, which the engine names by its line
        return None
    notes = [*(["text is in the encoding Windows-1252"] if encoding == "cp1252" else []), *found.notes]
    return CleanedTable(found.rows, notes) if notes else None


def encoding_of(place: Path, head: bytes, size: int) -> str | None:
    """UTF-8, or what spreadsheets on Windows write; None of a file that is neither, which is left to the engine."""
    whole = head if size <= len(head) else place.read_bytes() if size <= _LARGEST else b""
    try:
        whole.decode("utf-8")
    except UnicodeDecodeError:
        try:
            whole.decode("cp1252")
        except UnicodeDecodeError:
            return None
        return "cp1252"
    return "utf-8"


def _decoded(part: bytes, encoding: str) -> list[str]:
    return part.decode(encoding, errors="replace").removeprefix("\ufeff").splitlines()


def _separator(lines: Sequence[str]) -> str | None:
    """Return what stands equally often in most lines, and in most of them; None where they have one column.

    >>> _separator(["id,notes,risk", "1,fever; cough,.5", "2,fever; pain,.7"]), _separator(["ill;risk", "1;0,5"])
    (',', ';')
    """
    outside = ["".join(line.split('"')[::2]) for line in lines[:50] if line.strip()]
    alike = {each: _lines_alike(outside, each) for each in ";\t|,"}  # of two that serve equally well, the first
    best = max(alike, key=lambda each: alike[each])
    return best if alike[best] > len(outside) / 2 else None


def _lines_alike(lines: Sequence[str], separator: str) -> int:
    """Return how many lines the usual number of this separator stands in; 0 if that number is 0."""
    counts = Counter(line.count(separator) for line in lines)
    usual, lines_alike = max(counts.items(), key=lambda pair: pair[1], default=(0, 0))
    return lines_alike if usual else 0


def _looks_untidy(head: bytes, tail: bytes, size: int, separator: str) -> bool:
    """Whether the first or the last lines show something that would be changed."""
    lines = _decoded(head, "utf-8")
    rows = list(csv.reader((lines if size <= len(head) else lines[:-1])[:300], delimiter=separator))
    if size > len(head):
        rows += list(csv.reader(_decoded(tail, "utf-8")[1:], delimiter=separator))
    return bool(tidied(rows).notes)

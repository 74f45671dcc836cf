"""How far the cells of a spreadsheet reach: looked up first, because its reader lays every sheet out as a full grid.

One stray cell in the last row and column makes a grid of 17 billion cells, which no memory holds.
"""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from unconfuse._errors import InputError

_GRID = 20_000_000  # cells that a sheet may span however few are written: 0.6 GB in the reader
_SPARSE = 4  # times as many cells as are written that a larger grid may have
_PIECE = 1 << 20
_XLSX = re.compile(
    rb"<(?:\w+:)?(?:(?P<row>row)(?=[\s/>])(?P<of_row>[^>]*)>|c(?=[\s/>])(?P<of_cell>[^>]*?)(?<!/)>(?!\s*</))"
)
_AT = re.compile(rb'\br\s*=\s*["\']([A-Za-z]*)0*(\d+)["\']')
_FAR = 9  # letters and digits of a place that are read: what has more lies beyond every sheet
_PLACED = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"')
_ODS = re.compile(
    rb"<table:(?:(?P<row>table-row)(?=[\s/>])(?P<of_row>[^>]*)>"
    rb"|(?:covered-)?table-cell(?=[\s/>])(?P<of_cell>[^>]*)>|(?P<table>table)(?=[\s/>])[^>]*>)"
)
_REPEATED = re.compile(rb'number-(?:rows|columns)-repeated\s*=\s*["\'](\d{1,9})["\']')
_XLS_CELLS = frozenset((0x0006, 0x0201, 0x0203, 0x0204, 0x0205, 0x027E, 0x00FD, 0x00BD, 0x00BE, 0x00D6))
_CHAIN = 1 << 20  # sectors that are followed at most
_END = 0xFFFFFFFA  # sector numbers from here on are marks


@dataclass
class SheetExtent:
    """The rectangle around the cells of one sheet, counted from 0, and how many cells are written."""

    top: int = 1 << 40
    left: int = 1 << 40
    bottom: int = -1
    right: int = -1
    written: int = 0

    def add(self, row: int, column: int, rows: int = 1, columns: int = 1) -> None:
        """Take in a cell, or one that stands for several rows and columns."""
        self.top, self.left = min(self.top, row), min(self.left, column)
        self.bottom, self.right = max(self.bottom, row + rows - 1), max(self.right, column + columns - 1)
        self.written += 1

    @property
    def grid(self) -> int:
        """Number of cells of the rectangle."""
        return (self.bottom - self.top + 1) * (self.right - self.left + 1) if self.written else 0


def check_spans(path: str, name: str) -> None:
    """Refuse a spreadsheet of which a sheet spans many more cells than are written in it."""
    for sheet, span in _spans(path):
        if span.grid > max(_GRID, _SPARSE * span.written):
            few = f"{span.written:,} {'cell is' if span.written == 1 else 'cells are'} written"
            hint = "Hint: delete what lies far from the table, or save the sheet as CSV."
            raise InputError(
                f"{name} spans {span.grid:,} cells in {sheet}, up to {_cell_name(span)}, and only {few}. {hint}"
            )


def _cell_name(span: SheetExtent) -> str:
    """Return what a spreadsheet calls the last cell.

    >>> _cell_name(SheetExtent(0, 0, 1048575, 16383, 1)), _cell_name(SheetExtent(0, 0, 0, 27, 1))
    ('XFD1048576', 'AB1')
    """
    letters, number = "", span.right + 1
    while number > 0:
        number, place = divmod(number - 1, 26)
        letters = chr(65 + place) + letters
    return f"{letters}{span.bottom + 1}"


def _spans(path: str) -> Iterator[tuple[str, SheetExtent]]:
    if not zipfile.is_zipfile(path):
        yield "one of its sheets", _xls_span(Path(path).read_bytes())
        return
    with zipfile.ZipFile(path) as packed:
        for part in packed.namelist():
            if part == "content.xml":
                yield from (("one of its sheets", span) for span in _ods_spans(_pieces(packed, part)))
            elif part.lower().endswith((".xml", ".bin")) and part.lower().startswith(("xl/", "/xl/")):
                sheet = part.rpartition("/")[2]
                binary = part.lower().endswith(".bin")
                if binary:
                    yield sheet, _xlsb_span(packed.read(part))
                elif not _is_plainly_small(_pieces(packed, part)):
                    yield sheet, _xlsx_span(_pieces(packed, part))


def _pieces(packed: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """Yield a part of an archive in pieces that end before a tag, so that each tag is whole with what follows it."""
    held: list[bytes] = []  # joined where a tag begins: a long stretch without one is looked through once
    with packed.open(part) as file:
        while piece := file.read(_PIECE):
            held.append(piece)
            if b"<" not in piece:
                continue
            text = b"".join(held)
            end = text.rfind(b"<", 0, text.rfind(b"<", 0, text.rfind(b"<")))
            held = [text[max(end, 0) :]]
            if end > 0:
                yield text[:end]
    yield b"".join(held)


def _is_plainly_small(pieces: Iterator[bytes]) -> bool:
    """Whether even empty cells stay within the grid: as nearly always, and several times faster to see."""
    letters: set[bytes] = set()
    rows: set[bytes] = set()
    for piece in pieces:
        cells = _PLACED.findall(piece)
        if len(cells) != piece.count(b"<c ") or b"<c>" in piece or b":c" in piece:
            return False
        letters.update(letter for letter, _ in cells)
        rows.update(row for _, row in cells)
    return (1 + max(map(_column, letters), default=0)) * max(map(int, rows), default=0) <= _GRID


def _xlsx_span(pieces: Iterator[bytes]) -> SheetExtent:
    """Cells say where they are, or follow the one before; formatting alone is no cell."""
    span, row, column = SheetExtent(), -1, -1
    for piece in pieces:
        for match in _XLSX.finditer(piece):
            if match["row"]:
                at = _AT.search(match["of_row"])
                row, column = (_row(at[2]) if at else row + 1), -1
                continue
            at = _AT.search(match["of_cell"])
            column = _column(at[1]) if at and at[1] else column + 1
            span.add(_row(at[2]) if at else max(row, 0), column)
    return span


def _row(digits: bytes) -> int:
    return int(digits[:_FAR]) - 1


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters[:_FAR].upper():
        number = 26 * number + letter - 64
    return number - 1


def _ods_spans(pieces: Iterator[bytes]) -> Iterator[SheetExtent]:
    """Rows and cells stand for as many as they are repeated."""
    span, row, column, rows = SheetExtent(), -1, 0, 1
    for piece in pieces:
        for match in _ODS.finditer(piece):
            if match["table"]:
                yield span
                span, row, column, rows = SheetExtent(), -1, 0, 1
            elif match["row"]:
                row, rows, column = max(row, 0) + (rows if row >= 0 else 0), _repeats(match["of_row"]), 0
            else:
                told, columns = match["of_cell"], _repeats(match["of_cell"])
                if b"office:" in told or not told.endswith(b"/"):
                    span.add(max(row, 0), column, rows, columns)
                column += columns
    yield span


def _repeats(told: bytes) -> int:
    match = _REPEATED.search(told)
    return max(int(match[1]), 1) if match else 1


def _xlsb_span(content: bytes) -> SheetExtent:
    """Measure a sheet of records (a number, a length and a body): a row, then cells with their column."""
    span, row, place = SheetExtent(), 0, 0
    while place < len(content):
        kind, place = _number(content, place, 2)
        size, place = _number(content, place, 4)
        if kind == 0 and size >= 4:
            row = int.from_bytes(content[place : place + 4], "little")
        elif 2 <= kind <= 11 and size >= 4:  # 1 is a cell with formatting alone
            span.add(row, int.from_bytes(content[place : place + 4], "little"))
        place += size
    return span


def _number(content: bytes, place: int, most: int) -> tuple[int, int]:
    """Return a number in bytes of seven bits each, and where it ends."""
    value = 0
    for shift in range(most):
        byte = content[place] if place < len(content) else 0
        value |= (byte & 0x7F) << (7 * shift)
        place += 1
        if byte < 0x80:
            break
    return value, place


def _xls_span(content: bytes) -> SheetExtent:
    """Return the span of all sheets together, for the records of each follow one another; damaged files have none."""
    widest, span, place = SheetExtent(), SheetExtent(), 0
    try:
        stream = _workbook_stream(content)
    except (struct.error, IndexError):
        return widest
    while place + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, place)
        if kind == 0x0809:  # another sheet begins
            span = SheetExtent()
        elif kind in _XLS_CELLS and size >= 4:
            row, column = struct.unpack_from("<HH", stream, place + 4) if place + 8 <= len(stream) else (0, 0)
            several = kind in (0x00BD, 0x00BE) and size >= 6 and place + 4 + size <= len(stream)
            last = struct.unpack_from("<H", stream, place + 2 + size)[0] if several else column
            span.add(row, column, 1, max(last - column + 1, 1))
            widest = span if span.grid > widest.grid else widest
        place += 4 + size
    return widest


def _workbook_stream(content: bytes) -> bytes:
    """Return the stream of a compound file that holds the workbook."""
    size, small = (1 << struct.unpack_from("<H", content, place)[0] % 32 for place in (30, 32))
    directory, _, cutoff, first_small = struct.unpack_from("<IIII", content, 48)

    def sector(number: int) -> bytes:
        return content[(number + 1) * size : (number + 2) * size]

    tables = [each for each in struct.unpack_from("<109I", content, 76) if each < _END]
    more, left = struct.unpack_from("<I", content, 68)[0], _CHAIN
    while more < _END and left and len(sector(more)) == size:
        *each, more = struct.unpack(f"<{size // 4}I", sector(more))
        tables += [one for one in each if one < _END]
        left -= 1
    table = b"".join(map(sector, tables))

    def chain(first: int, links: bytes, read: Callable[[int], bytes] = sector) -> bytes:
        parts: list[bytes] = []
        number = first
        while number < _END and len(parts) < _CHAIN and 4 * number + 4 <= len(links):
            parts.append(read(number))
            number = struct.unpack_from("<I", links, 4 * number)[0]
        return b"".join(parts)

    entries = chain(directory, table)
    named = {_entry_name(entries, place): place for place in range(0, len(entries) - 127, 128)}
    root, book = named.get("Root Entry", 0), named.get("Workbook", named.get("Book"))
    if book is None:
        return b""
    start, length = struct.unpack_from("<II", entries, book + 116)
    if length >= cutoff:
        return chain(start, table)[:length]
    minis = chain(struct.unpack_from("<I", entries, root + 116)[0], table)
    links = chain(first_small, table)
    return chain(start, links, lambda number: minis[number * small : (number + 1) * small])[:length]


def _entry_name(entries: bytes, place: int) -> str:
    length = struct.unpack_from("<H", entries, place + 64)[0]
    return entries[place : place + max(min(length, 64) - 2, 0)].decode("utf-16-le", "replace")

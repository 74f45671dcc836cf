"""Spreadsheets: a sheet becomes a CSV file for a while, and is read as every CSV file is."""

from __future__ import annotations

import contextlib
import csv
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unconfuse._atomic_files import temporary_folder
from unconfuse._errors import InputError, warn
from unconfuse._formatting import short_repr
from unconfuse.ingest.messy_tables import CleanedTable, tidied

MAGIC = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # zip (.xlsx, .xlsm, .ods) and OLE (.xls)
ENDINGS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_MOST = 1 << 30  # bytes that a workbook may unpack to


@contextlib.contextmanager
def sheet_as_csv(path: str, name: str, sheet: str | None) -> Iterator[str]:
    """Yield the path of a CSV file with the rows of one sheet: the one named, or the only one that holds anything."""
    _check_size(path, name)
    _check_spans(path, name)
    found = tidied([[_text(cell) for cell in row] for row in _rows(path, name, sheet)])
    with written(found, name) as place:
        yield place


@contextlib.contextmanager
def written(found: CleanedTable, name: str) -> Iterator[str]:
    """Yield the path of a CSV file with the rows of a table; what was guessed about it is said."""
    if found.notes:
        warn(f"{name}: {'; '.join(found.notes)}.")
    with temporary_folder("unconfuse-sheet-") as folder:
        place = Path(folder) / "sheet.csv"
        with place.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(found.rows)
        yield str(place)


def _check_size(path: str, name: str) -> None:
    """Check the unpacked size: a small file can unpack to more than memory holds."""
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as packed:
            size = sum(each.file_size for each in packed.infolist())
            known = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"} & set(packed.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise InputError(
            f"{name} is a zip archive that is damaged ({str(error)[:100]}). Hint: copy it again."
        ) from None
    if not known:
        raise InputError(f"{name} is a zip archive. Hint: unpack it and name the file in it.")
    if size > _MOST:
        raise InputError(f"{name} unpacks to {size:,} bytes, more than a spreadsheet may. Hint: save the sheet as CSV.")


def _check_spans(path: str, name: str) -> None:
    """Check the extent of the sheets; what cannot be looked through is left to the reader, which says what is wrong."""
    from unconfuse.ingest._spreadsheet_extent import check_spans

    with contextlib.suppress(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError):
        check_spans(path, name)


def _rows(path: str, name: str, sheet: str | None) -> list[list[Any]]:
    try:
        from python_calamine import CalamineWorkbook
    except ImportError:
        hint = 'Hint: pip install "unconfuse[excel]", or save the sheet as CSV.'
        raise InputError(
            f"{name} is a spreadsheet, and python-calamine, which reads them, is missing. {hint}"
        ) from None
    try:
        book = CalamineWorkbook.from_path(path)
        found = {sheet_name: book.get_sheet_by_name(sheet_name).to_python() for sheet_name in book.sheet_names}
    except (KeyboardInterrupt, MemoryError, SystemExit):
        raise
    except BaseException as error:  # whatever is wrong inside the workbook; its reader's panics are no `Exception`
        what = str(error)[:200]
        raise InputError(
            f"{name} is a spreadsheet that cannot be read ({what}). Hint: save the sheet as CSV."
        ) from None
    return _chosen(found, name, sheet)


def _chosen(found: dict[str, list[list[Any]]], name: str, sheet: str | None) -> list[list[Any]]:
    filled = {each: rows for each, rows in found.items() if rows}
    known = ", ".join(map(short_repr, found))
    if sheet is not None:
        if sheet not in found:
            raise InputError(f"{name} has no sheet {short_repr(sheet)}. Hint: its sheets are {known}.")
        filled = {sheet: found[sheet]}
    if len(filled) > 1:
        first = short_repr(next(iter(filled)))
        raise InputError(f"{name} has several sheets: {known}. Hint: name one, `table={first}`.")
    if not any(filled.values()):
        raise InputError(f"{name} is empty. Hint: the first row must hold the column names.")
    return next(iter(filled.values()))


def _text(cell: Any) -> str:
    """Return a cell as a CSV file would hold it: whole numbers without a point, truth in words."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return "" if cell is None else str(cell)

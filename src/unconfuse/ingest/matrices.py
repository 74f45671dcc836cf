"""Confusion matrices in CSV files, with or without the names of the classes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from unconfuse._errors import InputError
from unconfuse._validate import brief
from unconfuse.ingest._sql import separator_of
from unconfuse.table import Array


def read_matrix(path: str) -> tuple[Array, list[str] | None]:
    """The counts and the classes' names, if the file has them in its first line or its first column."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{brief(path, 200)} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{brief(path, 200)} is empty. Hint: one line for each true class.")
    cells = [[cell.strip() for cell in line] for line in csv.reader(lines, delimiter=separator_of(lines[0]))]
    heads = cells.pop(0) if _is_header(cells[0]) else None
    names = [line.pop(0) for line in cells] if _are_named(cells, heads) else None
    return _numbers(cells, path), _agreed(heads, names, len(cells))


def _is_header(line: list[str]) -> bool:
    return not line[0] or not all(map(_is_number, line[1:]))


def _are_named(cells: list[list[str]], heads: list[str] | None) -> bool:
    """Whether lines begin with the name of their class: it is no number, or the header has one cell more as well."""
    if any(not _is_number(line[0]) for line in cells):
        return True
    return heads is not None and not heads[0] and len(heads) == len(cells) + 1


def _agreed(heads: list[str] | None, names: list[str] | None, size: int) -> list[str] | None:
    """Names of the columns; those of the rows must be the same in the same order."""
    if heads is not None and len(heads) == size + 1:
        heads = heads[1:]
    if heads is not None and names is not None and heads != names:
        raise InputError(
            "rows and columns of the confusion matrix name different classes, or in another order. "
            f"Hint: the columns are {', '.join(map(brief, heads[:5]))}."
        )
    return heads or names


def _numbers(cells: list[list[str]], path: str) -> Array:
    if len({len(line) for line in cells}) > 1:
        raise InputError(f"the lines of {brief(path, 200)} have different lengths. Hint: a confusion matrix is square.")
    for place, line in enumerate(cells):
        for cell in line:
            if not _is_number(cell):
                raise InputError(f"row {place + 1} of the confusion matrix holds {brief(cell)}, which is no count.")
    return np.array(cells, dtype=np.float64)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True

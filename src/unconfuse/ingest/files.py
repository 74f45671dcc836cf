"""Files through an embedded engine: CSV, Parquet and JSON lines, plain or compressed, one, many or standard input."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from unconfuse._errors import InputError
from unconfuse._validate import brief
from unconfuse.ingest._engine import Engine
from unconfuse.ingest._sniff import Source, sniff
from unconfuse.ingest.columns import Wanted, choose_columns
from unconfuse.table import Scores


def rows_of_files(
    path: str, wanted: Wanted, *, positive: object = None, delimiter: str | None = None
) -> Scores:
    """Checked rows of one file, of all files that match a pattern, or of standard input ("-").

    Several files are read in the order of their names and must have the same columns.
    """
    with _sources(path) as sources, Engine() as engine:
        for source in sources:
            names = engine.column_names(source, delimiter)
            chosen = choose_columns(names, wanted, source.name)
            engine.load(source, names, chosen, delimiter)
            wanted = chosen.as_wanted()
        return engine.rows(chosen, positive)


@contextlib.contextmanager
def _sources(path: str) -> Iterator[list[Source]]:
    if path == "-":
        with _spooled(sys.stdin.buffer) as spool:
            yield [sniff(spool, "standard input")]
    elif Path(path).is_fifo():  # as in `unconfuse evaluate <(zcat data.gz)`
        with open(path, "rb") as pipe, _spooled(pipe) as spool:  # noqa: PTH123
            yield [sniff(spool, _shown(path))]
    else:
        yield [sniff(found, _shown(found)) for found in find_files(path)]


def find_files(path: str) -> list[str]:
    """The file, or the files that match a pattern, in the order of their names."""
    if Path(path).is_dir():
        pattern = Path(_shown(path)) / "*.csv"
        raise InputError(f"{_shown(path)} is a folder. Hint: name a file in it, or a pattern such as '{pattern}'.")
    if Path(path).exists():
        return [path]
    if not glob.has_magic(path):
        raise InputError(f"there is no file {_shown(path)}. {_nearby(path)}")
    found = sorted(each for each in glob.glob(path, recursive=True) if Path(each).is_file())  # noqa: PTH207
    if not found:
        raise InputError(f"no file matches {_shown(path)}. Hint: check the folder and the ending.")
    return found


def _nearby(path: str) -> str:
    import difflib

    folder = Path(path).parent
    if not folder.is_dir():
        return f"Hint: there is no folder {_shown(str(folder))} either."
    close = difflib.get_close_matches(Path(path).name, [each.name for each in folder.iterdir()], n=1)
    return f"Hint: did you mean {_shown(str(folder / close[0]))}?" if close else "Hint: check the path."


@contextlib.contextmanager
def _spooled(stream: BinaryIO) -> Iterator[str]:
    """A stream in a file of its own: its format shows only at the start, and Parquet is read from the end."""
    descriptor, name = tempfile.mkstemp(prefix="unconfuse-")
    try:
        with os.fdopen(descriptor, "wb") as spool:
            shutil.copyfileobj(stream, spool)
        yield name
    finally:
        Path(name).unlink()


def _shown(path: str) -> str:
    return path if len(path) <= 200 else brief(path, 200)

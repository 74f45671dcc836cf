"""Files through an embedded engine: CSV, Parquet and JSON, plain or compressed, one, many or standard input."""

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
from unconfuse.ingest._parts import parts_of
from unconfuse.ingest._scan import Scan
from unconfuse.ingest._sniff import Source, sniff
from unconfuse.ingest.data import Data
from unconfuse.ingest.words import ANY, NAMES, VALUES, Needs, has_values, is_several, refuse_with_several, refuse_words
from unconfuse.table.sample import Sample

_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".pq", ".jsonl", ".ndjson", ".json")


def recognises(data: Data) -> bool:
    """A path; addresses of databases were recognised before."""
    return isinstance(data.source, str | os.PathLike)


def read(data: Data, needs: Needs) -> Sample:
    """Checked rows of one file, a folder, all files that match a pattern, or standard input ("-"); or saved tables.

    Where only tables are needed, rows are collapsed while they are read, so that they are never all in memory.
    """
    from unconfuse.ingest.table_files import saved_tables

    path = os.fspath(data.source)
    saved = saved_tables(path, data, needs)
    if saved is not None:
        return saved
    refuse_words(data, ANY | NAMES | VALUES | {"delimiter"}, "the data are files")
    if is_several(data):
        refuse_with_several(data)
    apart = has_values(data)
    if apart and data.on_bad_row == "skip":
        raise InputError(
            "values that were given apart cannot follow the rows of files when some are left out. "
            "Hint: name columns instead."
        )
    with open_sources(path) as sources, Engine() as engine:
        parts = parts_of(engine, sources, data)
        scan, chosen = Scan(engine, parts, data, needs.progress), parts[0].chosen
        rows = needs.rows or apart or not chosen.scores or bool(chosen.slices) or chosen.group is not None
        return scan.rows() if rows else scan.tables()


@contextlib.contextmanager
def open_sources(path: str) -> Iterator[list[Source]]:
    """The files that a path means; what comes through a pipe is kept in a file of its own meanwhile."""
    if path == "-":
        with _spooled(sys.stdin.buffer) as spool:
            yield [sniff(spool, "standard input")]
    elif is_pipe(path):  # as in `unconfuse evaluate <(zcat data.gz)`
        with open(path, "rb") as pipe, _spooled(pipe) as spool:  # noqa: PTH123
            yield [sniff(spool, shown(path))]
    else:
        yield [sniff(found, shown(found)) for found in find_files(path)]


def is_pipe(path: str) -> bool:
    """Whether bytes come through a named pipe; every path is looked at here first, so an impossible one stops here."""
    try:
        return Path(path).is_fifo()
    except OSError as error:  # such as a name that is too long
        raise InputError(f"{shown(path)} cannot be read: {error.strerror}. Hint: check the path.") from None


def find_files(path: str) -> list[str]:
    """The file, or the files that match a pattern, in the order of their names."""
    if Path(path).is_dir():
        return _files_in(path)
    if Path(path).exists():
        return [path]
    if not glob.has_magic(path):
        raise InputError(f"there is no file {shown(path)}. {_nearby(path)}")
    found = sorted(each for each in glob.glob(path, recursive=True) if Path(each).is_file())  # noqa: PTH207
    if not found:
        raise InputError(f"no file matches {shown(path)}. Hint: check the folder and the ending.")
    return found


def _files_in(folder: str) -> list[str]:
    """The data files of a folder, if all are of one format; names that start with . or _ are no data."""
    found = sorted(each for each in Path(folder).rglob("*") if each.is_file() and not _is_hidden(each, folder))
    kinds = {kind: [str(each) for each in found if _kind(each) == kind] for kind in {_kind(each) for each in found}}
    kinds.pop("", None)
    if len(kinds) == 1:
        return next(iter(kinds.values()))
    pattern = Path(shown(folder)) / "*.csv"
    what = f"a folder with {' and '.join(sorted(kinds))} files" if kinds else "a folder without data files"
    raise InputError(f"{shown(folder)} is {what}. Hint: name a file in it, or a pattern such as '{pattern}'.")


def _is_hidden(path: Path, folder: str) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


def _kind(path: Path) -> str:
    """The ending that tells the format; empty if none does."""
    endings = [ending.lower() for ending in path.suffixes if ending.lower() in _ENDINGS]
    return endings[-1] if endings else ""


def _nearby(path: str) -> str:
    import difflib

    folder = Path(path).parent
    if not folder.is_dir():
        return f"Hint: there is no folder {shown(str(folder))} either."
    close = difflib.get_close_matches(Path(path).name, [each.name for each in folder.iterdir()], n=1)
    return f"Hint: did you mean {shown(str(folder / close[0]))}?" if close else "Hint: check the path."


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


def shown(path: str) -> str:
    """A path for reading, cut short if it is very long."""
    return path if len(path) <= 200 else brief(path, 200)

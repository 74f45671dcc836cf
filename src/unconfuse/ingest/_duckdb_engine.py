"""The embedded engine: a private database in memory that reads files, within a limit, and spills to disk beyond it.

It hands out large results as an Arrow stream (https://arrow.apache.org/docs/format/CStreamInterface.html), whose
structures are few and fixed, so that reading plain columns of numbers needs no library beyond NumPy.
"""

from __future__ import annotations

import csv
import ctypes
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._atomic_files import temporary_folder
from unconfuse.ingest._duckdb_errors import explained
from unconfuse.ingest._duckdb_readers import csv_header, json_reader, parquet_reader, path_text, text
from unconfuse.ingest._file_discovery import FileSource

Slice = dict[str, npt.NDArray[Any]]
_SHARE_OF_MEMORY = 0.5
_OBJECTS = 20_480  # of a JSON file, in which every key must occur
_LEAST_MEMORY = 1 << 30


def settings() -> dict[str, Any]:
    """Return the settings of all our databases: load nothing, and keep threads few where little memory is addressable.

    The allocator that DuckDB brings along ends the process if one of its threads is refused memory.
    """
    import duckdb

    found: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    if _addressable() < _LEAST_MEMORY:
        found["threads"] = 1
        if int(duckdb.__version__.partition(".")[0]) >= 2:  # which has others besides, for reading and writing
            found["async_threads"] = 0
    return found


def _addressable() -> float:
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # which only some systems have
        return math.inf
    limit = getrlimit(RLIMIT_AS)[0]
    return math.inf if limit == RLIM_INFINITY else limit


class StreamError(Exception):
    """What the engine said when it could not go on."""


class Engine:
    """One connection that reads these files and nothing else, closed with its spill folder at the end."""

    def __init__(self, sources: Sequence[FileSource]) -> None:
        import duckdb

        self.failure = (
            duckdb.Error,
            StreamError,
            UnicodeDecodeError,
        )  # the last where it cannot read its own complaint
        self._open = ExitStack()
        spill = self._open.enter_context(temporary_folder("unconfuse-spill-"))  # not the caller's folder
        limits = {"temp_directory": spill, "memory_limit": f"{memory_limit() >> 20}MiB"}
        self._database = duckdb.connect(config=settings() | limits)
        self.fetch("SET parquet_metadata_cache = true")  # ten thousand files are opened once, not for each question
        named = {
            form(source.path) for source in sources for form in (text, path_text)
        }  # as it is, and as it is asked for
        self.fetch(f"SET allowed_paths = [{', '.join(named)}]")
        self.fetch("SET enable_external_access = false")  # whatever a file says: no other file, network or extension
        self.fetch("SET lock_configuration = true")

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()
        self._open.close()

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a small result."""
        found: list[tuple[Any, ...]] = self._database.execute(query).fetchall()
        return found

    def columns(self, query: str) -> dict[str, npt.NDArray[Any]]:
        """Return a whole result as columns; missing numbers become NaN, missing names None."""
        return {name: _filled(column) for name, column in self._database.execute(query).fetchnumpy().items()}

    def stream(self, query: str, names: Sequence[str], types: Sequence[npt.DTypeLike]) -> Iterator[Slice]:
        """Return an iterator over a large result, slice by slice."""
        return slices(self._database.sql(query).__arrow_c_stream__(), names, types)

    def header(self, source: FileSource, delimiter: str | None, decimal: str | None) -> tuple[list[str], str, int]:
        """Return the columns of a CSV file, their separator, and how many blank lines come before."""
        try:
            return csv_header(self._database, source, delimiter, decimal)
        except (*self.failure, csv.Error) as error:
            raise explained(error, [source], []) from None

    def described(self, source: FileSource) -> dict[str, str]:
        """Names and types of the columns of a Parquet or JSON file."""
        try:
            if source.format == "json":
                return dict.fromkeys(self._keys(source), "JSON")
            found = self.fetch(f"DESCRIBE SELECT * FROM {parquet_reader([source])}")
        except self.failure as error:
            raise explained(error, [source], []) from None
        return {str(row[0]): str(row[1]) for row in found}

    def _keys(self, source: FileSource) -> list[str]:
        """Return the keys of objects, in order; the engine's own detection of types follows nested values too deep."""
        objects = json_reader([source], reader="read_json_objects")
        first = f"SELECT json, row_number() OVER () AS n FROM {objects} LIMIT {_OBJECTS}"
        keys = f"SELECT json_keys(json) AS keys, json_type(json) AS kind, min(n) AS n FROM ({first}) GROUP BY ALL"
        found = self.fetch(f"SELECT keys, kind FROM ({keys}) ORDER BY n")
        if not found or any(kind != "OBJECT" for _, kind in found):
            raise explained(ValueError("JSON"), [source], [])
        return [str(key) for keys, _ in found for key in keys]


def memory_limit() -> int:
    """Bytes that the engine may use: half of what the machine has free now, and at least 1 GB.

    Of a process that was given less, a quarter of that: its limit counts what is reserved, not what is used.
    """
    own = _limit_of_process()
    return max(int(_SHARE_OF_MEMORY * _free()), _LEAST_MEMORY) if own is None else own // 4


def _limit_of_process() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    own = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if own == resource.RLIM_INFINITY else own


def _free() -> int:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):  # not Linux
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def _filled(column: Any) -> npt.NDArray[Any]:
    values: npt.NDArray[Any] = np.ma.getdata(column)
    if np.ma.is_masked(column):
        values[np.ma.getmaskarray(column)] = np.nan if values.dtype.kind == "f" else None
    return values


class _ArrowArray(ctypes.Structure):
    """`struct ArrowArray`."""


class _ArrowStream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


_ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_ArrowArray))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_ArrowArray))),
    ("private_data", ctypes.c_void_p),
]
_ArrowStream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_ArrowStream), ctypes.POINTER(_ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_ArrowStream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_ArrowStream))),
    ("private_data", ctypes.c_void_p),
]

_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.restype, _pointer_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def slices(capsule: Any, names: Sequence[str], types: Sequence[npt.DTypeLike]) -> Iterator[Slice]:
    """Yield copies of the columns, up to a million rows at a time; they hold numbers of these types and no nulls."""
    stream = ctypes.cast(_pointer_in(capsule, b"arrow_array_stream"), ctypes.POINTER(_ArrowStream)).contents
    while True:
        batch = _ArrowArray()
        if stream.get_next(ctypes.byref(stream), ctypes.byref(batch)):
            said = stream.get_last_error(ctypes.byref(stream))
            raise StreamError((said or b"").decode("utf-8", "replace"))
        if not batch.release:
            return
        try:
            yield {
                name: _column(batch, position, np.dtype(kind))
                for position, (name, kind) in enumerate(zip(names, types, strict=True))
            }
        finally:
            batch.release(ctypes.byref(batch))


def _column(batch: _ArrowArray, position: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    child = batch.children[position].contents
    rows = int(batch.length)
    if rows == 0:
        return np.empty(0, dtype=kind)
    start = child.buffers[1] + (int(child.offset) + int(batch.offset)) * kind.itemsize
    memory: Any = (ctypes.c_char * (rows * kind.itemsize)).from_address(start)
    column: npt.NDArray[Any] = np.frombuffer(memory, dtype=kind, count=rows)
    return column.copy()

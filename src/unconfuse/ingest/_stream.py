"""Columns of numbers from the embedded engine, slice by slice, without a copy of the whole in between.

The engine hands out its results as an Arrow stream (https://arrow.apache.org/docs/format/CStreamInterface.html); its
structures are few and fixed, so that reading plain columns of numbers needs no library beyond NumPy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Slice = dict[str, npt.NDArray[Any]]


class _Array(ctypes.Structure):
    """`struct ArrowArray`."""


class _Stream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]

_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.restype, _pointer_in.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class StreamError(Exception):
    """What the engine said when it could not go on."""


def slices(capsule: Any, names: Sequence[str], types: Sequence[npt.DTypeLike]) -> Iterator[Slice]:
    """Copies of the columns, up to a million rows at a time; they hold numbers of these types and no nulls."""
    stream = ctypes.cast(_pointer_in(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream)).contents
    while True:
        batch = _Array()
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


def _column(batch: _Array, position: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    child = batch.children[position].contents
    rows = int(batch.length)
    if rows == 0:
        return np.empty(0, dtype=kind)
    start = child.buffers[1] + (int(child.offset) + int(batch.offset)) * kind.itemsize
    memory: Any = (ctypes.c_char * (rows * kind.itemsize)).from_address(start)
    column: npt.NDArray[Any] = np.frombuffer(memory, dtype=kind, count=rows)
    return column.copy()

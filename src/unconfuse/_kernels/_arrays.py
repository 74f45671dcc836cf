"""The array types of the kernels, and how arguments become contiguous arrays."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Counts32 = npt.NDArray[np.uint32]


def floats(values: npt.ArrayLike) -> Floats:
    """A contiguous array of float64; a copy only if it has to be."""
    return np.ascontiguousarray(values, dtype=np.float64)


def integers(values: npt.ArrayLike) -> Integers:
    """A contiguous array of int64."""
    return np.ascontiguousarray(values, dtype=np.int64)


def flags(values: npt.ArrayLike) -> Flags:
    """A contiguous array of bool."""
    return np.ascontiguousarray(values, dtype=np.bool_)


def threads(wanted: int | None) -> int:
    """The number of threads: as wanted, or one for each core that this process may use."""
    if wanted is not None:
        return max(1, wanted)
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1

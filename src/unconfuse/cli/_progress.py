"""Progress of long computations: one line on standard error, only on a terminal, gone at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 0.7  # seconds before anything is shown
_CLEAR = "\r\x1b[K"


@contextmanager
def resampling_line() -> Iterator[Callable[[int, int], object] | None]:
    """A function to call with (done, total), or None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        if time.monotonic() - start > _PATIENCE:
            sys.stderr.write(f"{_CLEAR}resampling: {done:,} of {total:,}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()

"""Progress of long computations: one line on standard error, only on a terminal, gone at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

_PATIENCE = 0.7  # seconds before anything is shown
_CLEAR = "\r\x1b[K"


def resampling_line() -> AbstractContextManager[Callable[[int, int], object] | None]:
    """A function to call with (done, total) resamples, or None where nobody watches."""
    return _line("resampling")


def reading_line() -> AbstractContextManager[Callable[[int, int], object] | None]:
    """The same for (rows read, rows in all, or 0 if that is not known)."""
    return _line("reading rows")


@contextmanager
def _line(what: str) -> Iterator[Callable[[int, int], object] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    start = time.monotonic()

    def show(done: int, total: int) -> None:
        if time.monotonic() - start > _PATIENCE:
            sys.stderr.write(f"{_CLEAR}{what}: {done:,}" + (f" of {total:,}" if total else ""))
            sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()

"""How a command ends before it is done: at Ctrl-C, or told to stop. Soon, with its code, and with nothing left over.

Python hears a signal only between two steps of its own. A thread is woken at once, gives the command a moment to end by
itself, and ends it otherwise. Whatever was interrupted is not taken apart: libraries that were halfway through
something would complain of it, or end the process with a code of their own.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType
from typing import NoReturn

from unconfuse._atomic_files import drop_unfinished

PATIENCE = 0.12  # seconds; all is over within a fifth of one
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_LOADING = "<frozen importlib._bootstrap>"
_heard: list[int] = []


def code() -> int | None:
    """Return the exit code of a command told to stop: 130 after Ctrl-C, 143 after SIGTERM; None if it was not."""
    return 128 + _heard[0] if _heard else None


def leave() -> NoReturn:
    """End now, with that code, and with nothing left over."""
    drop_unfinished()
    os._exit(code() or 0)


def heed_signals() -> None:
    """From now on signals end the command, unless whoever started it wanted them ignored."""
    if os.name != "posix":  # where Ctrl-C is the only one, and Python's own way the best
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for each in _SIGNALS:
        if signal.getsignal(each) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(each, _stop)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_end_soon, args=(reader,), name="unconfuse ending", daemon=True).start()


def _stop(number: int, frame: FrameType | None) -> None:
    _note(number)
    if _is_loading(frame):
        leave()
    raise KeyboardInterrupt


def _is_loading(frame: FrameType | None) -> bool:
    """Whether a module is being loaded: compiled ones do not survive an exception in between."""
    while frame is not None and frame.f_code.co_filename != _LOADING:
        frame = frame.f_back
    return frame is not None


def _note(number: int) -> None:
    if not _heard:
        _heard.append(number)


def _end_soon(reader: int) -> None:
    while (number := os.read(reader, 1)[0]) not in _SIGNALS:
        pass
    _note(number)
    time.sleep(PATIENCE)
    leave()

"""How a command ends before it is done: at Ctrl-C, or told to stop. Soon, with its code, and with nothing left over.

Python hears a signal only between two steps of its own. A thread is woken at once, gives the command a moment to end by
itself, and ends it otherwise.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

from unconfuse._files import drop_unfinished

PATIENCE = 0.12  # seconds; all is over within a fifth of one
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_heard: list[int] = []


def code() -> int | None:
    """The exit code of a command that was told to stop: 130 after Ctrl-C, 143 after SIGTERM; None if it was not."""
    return 128 + _heard[0] if _heard else None


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


def _stop(number: int, _: Any) -> None:
    _note(number)
    raise KeyboardInterrupt


def _note(number: int) -> None:
    if not _heard:
        _heard.append(number)


def _end_soon(reader: int) -> None:
    while (number := os.read(reader, 1)[0]) not in _SIGNALS:
        pass
    _note(number)
    time.sleep(PATIENCE)
    drop_unfinished()
    os._exit(128 + number)

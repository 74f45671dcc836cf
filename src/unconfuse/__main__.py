"""`unconfuse`, and the same as `python -m unconfuse`: Ctrl-C ends it quietly from its first moment on."""

import atexit
import gc
import os
import signal
import sys
from typing import Any

_MANY = 50_000  # objects that are made before rubbish is looked for: loading makes many, and none of it is rubbish


def main() -> None:
    """Run the command line; while that is being loaded nothing is begun, so that Ctrl-C can end it at once."""
    usual = signal.getsignal(signal.SIGINT)
    _waste_nothing()
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from unconfuse.cli import main as run

    signal.signal(signal.SIGINT, usual)
    run()


def _waste_nothing() -> None:
    """No rubbish is looked for while loading and at the end; threads of linear algebra sleep at once while idle.

    Together a fifth of the time of a command on a small file: the threads alone would spin for 27 ms in each library.
    """
    gc.set_threshold(_MANY)
    atexit.register(_end)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # the least that OpenBLAS takes: 2^4 turns


def _end() -> None:
    """Let no signal change the exit code of what is done, and look for no rubbish."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if "duckdb" not in sys.modules:  # it would complain of objects that end with the process, line by line
        gc.freeze()


def _leave(number: int, _: Any) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    main()

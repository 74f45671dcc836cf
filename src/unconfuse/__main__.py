"""`unconfuse`, and the same as `python -m unconfuse`: Ctrl-C ends it quietly from its first moment on."""

import os
import signal
from typing import Any


def main() -> None:
    """Run the command line; while that is being loaded nothing is begun, so that Ctrl-C can end it at once."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from unconfuse.cli import main as run

    signal.signal(signal.SIGINT, usual)
    run()


def _leave(number: int, _: Any) -> None:
    os._exit(128 + number)


if __name__ == "__main__":
    main()

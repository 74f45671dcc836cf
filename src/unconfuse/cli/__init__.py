"""The command line: thin, over the Python functions. Each command is imported only when it is run."""

from __future__ import annotations

import os
import sys

import click

from unconfuse.cli._group import cli

__all__ = ["cli", "main"]


def main() -> None:
    """Run the command line: exit with 0 when done, 2 on wrong use or bad input, 1 on anything else, 130 on Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter still gets the rest
    _finish(_run())


def _run() -> int:
    try:
        cli.main(prog_name="unconfuse", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        return 1
    return 0


def _finish(code: int) -> None:
    """Flush now; if the reader has gone away (as in `| head`), say nothing."""
    try:
        sys.stdout.flush()
    except (BrokenPipeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
    sys.exit(code)

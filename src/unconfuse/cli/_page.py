"""The page of a result, for every command that can make one."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

Command = TypeVar("Command", bound=Callable[..., Any])


def page_options(command: Command) -> Command:
    """`--html` and `--payload`."""
    html = click.option(
        "--html", type=click.Path(dir_okay=False), metavar="FILE", help="Write an interactive page that opens offline."
    )
    payload = click.option(
        "--payload",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Write what the page shows as JSON, for `unconfuse render`.",
    )
    return html(payload(command))


def write_page(result: Any, *, html: str | None, payload: str | None, **page: Any) -> None:
    """Write the page of a result, the payload behind it, or both; nothing if neither was asked for."""
    if html is None and payload is None:
        return
    from unconfuse._files import write_whole
    from unconfuse.explorer import page_of
    from unconfuse.report import Page, payload_of

    made = payload_of(result, Page(command=command_line(), **page))
    if payload is not None:
        write_whole(Path(payload), json.dumps(made, allow_nan=False) + "\n")
    if html is not None:
        write_whole(Path(html), page_of(made))


def command_line() -> str:
    """The command as it was given, so that it can be given again."""
    context = click.get_current_context()
    words = ["unconfuse", context.info_name or ""]
    for option in context.command.params:
        name = option.name or ""
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            words += _words(option, context.params[name])
    return shlex.join(words)


def _words(option: click.Parameter, value: Any) -> list[str]:
    if isinstance(option, click.Argument):
        return [str(value)]
    name = max(option.opts, key=len)
    if isinstance(option, click.Option) and option.is_flag:
        return [name]
    values = value if option.multiple else [value]
    return [word for each in values for word in (name, *map(str, each if isinstance(each, tuple) else (each,)))]

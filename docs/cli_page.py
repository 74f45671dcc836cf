"""Writes the reference of the command line from the commands themselves."""

from __future__ import annotations

import inspect
from pathlib import Path

import click

from unconfuse.cli import COMMANDS, cli


def write_cli_page(folder: Path) -> None:
    """The page `command-line.md`: a table of all commands, then each with its options."""
    rows = "".join(f"| [`{name}`](#{name}) | {words} |\n" for name, words in COMMANDS.items())
    start = "# Command line\n\n`unconfuse COMMAND --help` prints the same. Shares may be written `.02` or `2%`.\n"
    sections = [_section(name) for name in COMMANDS]
    text = "\n".join([start, f"| command | what it does |\n|---|---|\n{rows}", *sections])
    (folder / "command-line.md").write_text(text, encoding="utf-8")


def _section(name: str) -> str:
    whole = click.Context(cli, **cli.context_settings)
    command = cli.get_command(whole, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=whole)
    usage = " ".join(command.collect_usage_pieces(context))
    words, examples = _words(command)
    parts = [f"({name})=\n## unconfuse {name}\n", words, f"```text\nunconfuse {name} {usage}\n```\n", examples]
    options = [_option(each, context) for each in command.params if isinstance(each, click.Option)]
    if options:
        parts.append("| option | meaning |\n|---|---|\n" + "".join(options))
    return "\n".join(part for part in parts if part)


def _words(command: click.Command) -> tuple[str, str]:
    """The description, and the commands that it shows."""
    text, _, shown = inspect.cleandoc(command.help or "").partition("\b\n")
    plain = text.strip().replace("*", "\\*").replace("<", "&lt;")
    return f"{plain}\n", f"```text\n{shown.strip()}\n```\n" if shown.strip() else ""


def _option(option: click.Option, context: click.Context) -> str:
    found = option.get_help_record(context)
    if found is None:
        return ""
    names, words = (_cell(each) for each in found)
    return f"| `{names}` | {words} |\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")

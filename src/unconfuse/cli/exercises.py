"""`unconfuse exercises`: the exercises of the lecture texts, and a page that checks answers."""

from __future__ import annotations

import click

from unconfuse._parameters.outputs import HTML
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, number_text, say
from unconfuse.cli._options import Words, file_to_write
from unconfuse.cli._output import emit, emit_text, markdown_text, output_options, wrote

_HEADS = ("exercise", "asked", "answer", "why")


@command()
@file_to_write(HTML, "Write a page that checks answers, offline. Prints nothing else.")
@output_options
def exercises(*, output: Words, html: str | None) -> None:
    """List the exercises of the lecture texts with their answers, or write a page that checks yours.

    \b
    unconfuse exercises --html exercises.html
    """
    from unconfuse.reproduce.exercises import TITLE, page, rows

    if html is not None:
        if output["form"] != "table" or output["path"] is not None:
            hint = "Hint: leave out --format, --json and --output."
            raise click.UsageError(f"--html writes a page and prints nothing. {hint}")
        emit_text(page(), html)
        wrote(html)
        return
    listed = rows()
    lines = [[row["exercise"], row["asked"], number_text(row["answer"]), row["why"]] for row in listed]
    emit(
        output,
        {"exercises": listed},
        listed,
        markdown_text(_HEADS, lines),
        lambda console: _draw(console, TITLE, lines),
    )


def _draw(console: Console, title: str, lines: list[list[str]]) -> None:
    say(console, f"{title}\n", "bold")
    console.print(as_table(lines, [{"header": head} for head in _HEADS]))

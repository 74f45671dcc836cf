"""`unconfuse reproduce` and `unconfuse exercises`: published examples and those of the lectures, recomputed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from unconfuse._errors import ArgumentError, InputError, did_you_mean
from unconfuse._formatting import number_text
from unconfuse._parameters.outputs import HTML
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, harmless, say
from unconfuse.cli._options import Words, file_to_write
from unconfuse.cli._output import emit, emit_text, markdown_text, output_options, wrote

if TYPE_CHECKING:
    from unconfuse.reproduce import Report, ReproducedValue

_LONG = 40  # rows from which a summary comes first
_HEADS = ("quantity", "published", "reference", "ours", "difference", "MC error", "", "note")


@command()
@click.argument("name", required=False)
@click.option("--figures", type=click.Path(file_okay=False), metavar="DIR", help="Also draw its figures into a folder.")
@output_options
def reproduce(*, name: str | None, figures: str | None, output: Words) -> None:
    """Recompute published examples.

    Prints our numbers beside the published ones; without NAME, lists the examples. The exit code is 1 if a published
    number that is not known to be wrong, or a number that must be met, differs from ours.

    \b
    unconfuse reproduce chapter
    """
    from unconfuse.reproduce import REPRODUCTIONS

    if name is None:
        _list_examples(output, REPRODUCTIONS)
        return
    if name not in REPRODUCTIONS:
        raise ArgumentError(f"there is no example {name[:60]!r}. {did_you_mean(name[:60], REPRODUCTIONS)}")
    example = REPRODUCTIONS[name]
    if figures is not None:
        _draw_figures(example, figures)
    report = example.run()
    markdown, payload = markdown_text(_HEADS, [_cells(row) for row in report]), {"name": name, **report.as_dict()}
    emit(output, payload, report.rows_as_dicts(), markdown, lambda console: _draw_report(console, report))
    if not report.agrees:
        raise click.exceptions.Exit(1)


def _draw_figures(example: Any, folder: str) -> None:
    from pathlib import Path

    if example.draw is None:
        raise ArgumentError(f"{example.name} has no figures. Hint: leave out --figures.")
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made: {error.strerror}.") from None
    for path in example.draw(Path(folder)):
        click.echo(f"wrote {path}", err=True)


def _list_examples(output: Words, known: Mapping[str, Any]) -> None:
    rows = [{"name": name, "title": each.title, "source": each.source} for name, each in known.items()]
    lines = [list(row.values()) for row in rows]
    markdown = markdown_text(["Name", "Title", "Source"], lines)
    emit(output, {"examples": rows}, rows, markdown, lambda console: _draw_table(console, list(rows[0]), lines))


def _cells(row: ReproducedValue) -> list[str]:
    numbers = [_number(row.published), _number(row.reference), _number(row.ours)]
    errors = [_number(each, digits=2) for each in (row.difference, row.mc_error)]
    note = "; ".join(each for each in (row.source, row.note) if each)
    return [row.quantity, *numbers, *errors, row.judgement, note]


def _number(value: float | None, digits: int = 6) -> str:
    return "" if value is None else "undefined" if value != value else f"{value:.{digits}g}"  # noqa: PLR0124


def _draw_report(console: Console, report: Report) -> None:
    say(console, f"{report!r}\n", "bold green" if report.agrees else "bold red")
    if len(report) > _LONG:
        _draw_table(console, *_counted(report))
        say(console)
    lines = [_cells(row) for row in report]
    kept = [column for column, head in enumerate(_HEADS) if any(line[column] for line in lines)]
    _draw_table(console, [_HEADS[column] for column in kept], [[line[column] for column in kept] for line in lines])
    for note in report.notes:
        say(console, f"\n{harmless(note)}")


def _counted(report: Report) -> tuple[list[str], list[list[str]]]:
    """Summarise a long report: one line for each part, and no column in which nothing is counted."""
    parts = report.summary
    kept = [head for head in parts[0] if any(part[head] for part in parts)]
    return kept, [[str(part[head]) if part[head] else "" for head in kept] for part in parts]


def _draw_table(console: Console, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    number, note = {"justify": "right", "no_wrap": True}, {"style": "dim"}
    kinds: dict[str, Any] = {
        **dict.fromkeys(("published", "reference", "ours", "difference", "MC error"), number),
        "note": note,
    }
    columns = [{"header": head, **kinds.get(head, {})} for head in heads]
    console.print(as_table([[*map(harmless, line)] for line in lines], columns))


_EXERCISE_HEADS = ("exercise", "asked", "answer", "why")


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
        markdown_text(_EXERCISE_HEADS, lines),
        lambda console: _draw_exercises(console, TITLE, lines),
    )


def _draw_exercises(console: Console, title: str, lines: list[list[str]]) -> None:
    say(console, f"{title}\n", "bold")
    console.print(as_table(lines, [{"header": head} for head in _EXERCISE_HEADS]))

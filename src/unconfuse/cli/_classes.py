"""Several classes on the command line: reading, and every form of output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from unconfuse._errors import ArgumentError, nearest
from unconfuse.cli._draw import chance_text
from unconfuse.cli._output import emit, is_nan, markdown_text
from unconfuse.cli._text import harmless, shortened
from unconfuse.multiclass import ClassEvaluation
from unconfuse.results import number_text

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.comparison import Comparison

MATRIX_UP_TO = 10  # classes whose matrix fits 100 columns
SHOWN = 30  # classes in the table on the terminal


def evaluate_file(
    file: str,
    columns: Mapping[str, Any],
    *,
    scores: str | None,
    predicted: str | None,
    metrics: Sequence[str],
    design: str,
    level: float,
    resamples: int,
    seed: int,
    plot: str | None,
    sort: str,
    one_class: str | None,
    page: Mapping[str, Any],
    refused: Mapping[str, Any],
    **output: Any,
) -> None:
    """Judge a classifier of several classes from a file."""
    from unconfuse.api import evaluate
    from unconfuse.cli._progress import resampling_line
    from unconfuse.ingest._old import gather_classes

    _refuse(refused)
    rows = gather_classes(file, columns=_columns(scores), predicted=predicted, **columns)
    with resampling_line() as progress:
        found: Any = evaluate(
            rows,
            metrics=metrics or None,
            design=design,
            confidence_level=level,
            n_resamples=resamples,
            rng=seed,
            name=(scores or predicted or "").strip("*_-. "),
            progress=progress,
        )
    result = found.replaced(source="standard input" if file == "-" else file)
    _shown(result, one_class, sort, page, plot, **output)


def evaluate_matrix(
    file: str,
    *,
    metrics: Sequence[str],
    design: str,
    level: float,
    one_class: str | None,
    page: Mapping[str, Any],
    refused: Mapping[str, Any],
    **output: Any,
) -> None:
    """Judge a classifier from a confusion matrix in a CSV file."""
    from unconfuse.api import evaluate_confusion
    from unconfuse.ingest.others import read_matrix

    _refuse(refused)
    matrix, classes = read_matrix(file)
    result = evaluate_confusion(matrix, classes, metrics=metrics or None, design=design, confidence_level=level)
    _shown(result.replaced(source=file), one_class, "support", page, None, **output)


def _shown(
    result: ClassEvaluation, one_class: str | None, sort: str, page: Mapping[str, Any], plot: str | None, **output: Any
) -> None:
    """Print the whole, or one class against the rest; and write the page of it."""
    from unconfuse.cli._evaluation import emit_evaluation
    from unconfuse.cli._page import write_page

    if one_class is None:
        write_page(result, **page)
        if plot is not None:
            result.plot(plot)
        emit_classes(result, sort, **output)
        return
    judged = result.of_class(one_class)
    judged = judged.replaced(name=f"{judged.name} against the rest", source=result.source)
    write_page(judged, **page)
    if plot is not None:
        judged.plot(plot)
    emit_evaluation(judged, None, **output)


def compare_file(file: str, columns: Mapping[str, Any], patterns: Sequence[str], **settings: Any) -> Comparison:
    """Compare models of several classes whose scores are in one file."""
    from unconfuse.api import compare
    from unconfuse.ingest._old import gather_classes, only_rows

    models = {}
    for pattern in patterns:
        name = pattern.strip("*_-. ") or pattern
        if name in models:
            raise ArgumentError(f"two patterns give the same model {name!r}. Hint: name each model's columns apart.")
        models[name] = only_rows(gather_classes(file, columns=_columns(pattern), **columns))
    return compare(next(iter(models.values())).truth, models, **settings)


def _columns(scores: str | None) -> Any:
    """A pattern as it is; names with commas as a list."""
    return scores if scores is None or "*" in scores else [name.strip() for name in scores.split(",")]


def _refuse(given: Mapping[str, Any]) -> None:
    for option, value in given.items():
        if value is not None:
            raise click.UsageError(f"{option} is for two classes; it does not go with several.")


def emit_classes(result: ClassEvaluation, sort: str, *, form: str, as_json: bool, output: str | None) -> None:
    """Print an evaluation of several classes."""
    table = result.per_class()
    if sort != "support" and sort not in table.values:
        raise ArgumentError(f"classes cannot be sorted by {sort!r}. {nearest(sort, ['support', *table.values])}")
    emit(
        payload=result.as_dict() | {"score": result.name, "source": result.source},
        rows=result.rows(),
        markdown=lambda: _markdown(result, sort),
        draw=lambda console: _draw(console, result, sort),
        form=form,
        as_json=as_json,
        output=output,
    )


def _metric_lines(result: ClassEvaluation) -> list[list[str]]:
    lines = []
    for each in result.values():
        note = each.context.partition("; ")[2]
        how = "; ".join(part for part in (each.undefined or each.method, note) if part)
        lines.append([each.label, number_text(each.value), each.interval_text, chance_text(each), how])
    return lines


def _class_lines(result: ClassEvaluation, sort: str) -> tuple[list[str], list[list[str]]]:
    table = result.per_class()
    heads = ["class", "cases", *(f"{name.replace('sensitivity', 'recall')}" for name in table.values)]
    lines = []
    for k in table.order(sort, ascending=sort != "support"):
        cells = [number_text(float(table.values[name][k])) + _ends(table, name, k) for name in table.values]
        lines.append(
            [
                table.classes[k],
                f"{table.support[k]:,.6g}",
                *(cells if not table.undefined[k] else ["-"] * (len(cells) - 1) + [table.undefined[k]]),
            ]
        )
    return heads, lines


def _ends(table: Any, name: str, k: int) -> str:
    low, high = float(table.low[name][k]), float(table.high[name][k])
    return "" if is_nan(low) else f" [{low:.2f}, {high:.2f}]"


def _markdown(result: ClassEvaluation, sort: str) -> str:
    level = f"{100 * result.confidence_level:.4g}% interval"
    parts = [
        "".join(f"- {each.sentence}\n" for each in result.findings),
        markdown_text(["Metric", "Value", level, "Chance", "Method"], _metric_lines(result)),
        "".join(f"- {each.sentence}\n" for each in result.confusion.worst(5)),
    ]
    if len(result.classes) <= MATRIX_UP_TO:
        lines = [
            [name, *(f"{cell:g}" for cell in line)]
            for name, line in zip(result.classes, result.confusion.counts, strict=True)
        ]
        parts.append(markdown_text(["truth \\ called", *result.classes], lines))
    heads, lines = _class_lines(result, sort)
    return "\n".join([*(part for part in parts if part), markdown_text(heads, lines)])


def _draw(console: Console, result: ClassEvaluation, sort: str) -> None:
    from rich.text import Text

    name = " of ".join(shortened(part, 60) for part in (result.name, result.source) if part)
    size = f"{result.n:,.6g} cases, {len(result.classes)} classes; {result.design} design"
    console.print(Text(f"{name}\n" if name else "", style="bold").append(size, style="not bold dim"))
    console.print()
    _draw_metrics(console, result)
    worst = result.confusion.worst(5, confidence_level=result.confidence_level)
    if worst:
        console.print(Text("\nThe commonest confusions", style="bold"))
        for each in worst:
            console.print(Text(f" {harmless(each.sentence)}"))
    if len(result.classes) <= MATRIX_UP_TO:
        _draw_matrix(console, result)
    _draw_classes(console, result, sort)
    console.print(Text("\nWhat this means", style="bold"))
    for finding in result.findings:
        console.print(Text(f" {harmless(finding.sentence)}"))


def _grid(heads: Sequence[str], lines: Sequence[Sequence[str]], left: Sequence[int]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for place, head in enumerate(heads):
        table.add_column(Text(head), justify="left" if place in left else "right", no_wrap=place != len(heads) - 1)
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    return table


def _draw_metrics(console: Console, result: ClassEvaluation) -> None:
    from unconfuse.cli._notes import Notes

    notes = Notes(room=24)
    lines = [
        [f" {shortened(label, 38)}", value, interval, chance, notes.short(harmless(how))]
        for label, value, interval, chance, how in _metric_lines(result)
    ]
    heads = ["", "value", f"{100 * result.confidence_level:.4g}% interval", "chance", "method"]
    console.print(_grid(heads, lines, left=(0, 2, 4)))
    notes.draw(console)


def _draw_matrix(console: Console, result: ClassEvaluation) -> None:
    from rich.text import Text

    confusion = result.confusion
    room = max(4, 66 // (len(result.classes) + 1))
    lines = [
        [f" {shortened(name, 20)}", *(f"{cell:,.6g}" for cell in line), f"{line.sum():,.6g}"]
        for name, line in zip(result.classes, confusion.counts, strict=True)
    ]
    lines.append([" all", *(f"{cell:,.6g}" for cell in confusion.predicted), f"{confusion.n:,.6g}"])
    console.print(Text("\nTrue class (rows) against predicted class (columns)", style="bold"))
    console.print(_grid(["", *(shortened(name, room) for name in result.classes), "all"], lines, left=(0,)))


def _draw_classes(console: Console, result: ClassEvaluation, sort: str) -> None:
    from rich.text import Text

    heads, lines = _class_lines(result, sort)
    shown = [[f" {shortened(line[0], 20)}", *line[1:]] for line in lines[:SHOWN]]
    console.print(Text(f"\nEach class against the rest, by {sort}", style="bold"))
    console.print(_grid(["", *heads[1:]], shown, left=(0,)))
    if len(lines) > SHOWN:
        console.print(Text(f" and {len(lines) - SHOWN} more classes; --json shows them all", style="dim"))

"""Evaluations of many labels and of queries in every form that the command line prints."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text
from unconfuse.cli import _options
from unconfuse.cli._layout import Console, TerminalColumn, fit, harmless, say, shortened
from unconfuse.cli._options import Words
from unconfuse.cli._output import emit_result, markdown_text, write_table_page, wrote
from unconfuse.cli._publication_output import documents_of, printed_instead, write_documents

if TYPE_CHECKING:
    from unconfuse.results.multi_output import MultiOutputEvaluation
    from unconfuse.results.multilabel import LabelEvaluation

_SHOWN = 40  # labels in the table on the terminal
_OF_ONE = ("prevalence", "definitions", "nulls", "reference")


def evaluate_whole(
    data: Words, output: Words, threshold: float | None, one: str | None, sort: str | None, statistics: Words
) -> None:
    """Evaluate many labels, or rankings per query, and print it."""
    from unconfuse.api import evaluate
    from unconfuse.cli._evaluation_sections import show_evaluation

    data["table"], output["documents"] = documents_of(data["table"])
    given = {name: statistics.pop(name, None) for name in _OF_ONE}
    _options.refuse({"null" if name == "nulls" else name: each for name, each in given.items()}, _why())
    if data["labels"] is None:
        _options.refuse({"class": one, "sort": sort, "scores": data.get("scores")}, "is not for rankings per query.")
    wanted = statistics.pop("metrics") if one is not None else None
    few = {} if one is None else {"metrics": ["auroc_macro"]}  # of the others, which are not shown
    result = _options.watched(evaluate, _options.described(data), threshold=threshold, **few, **statistics)
    result = result.with_changes(source=_options.source_name(data))
    if one is not None:
        _options.refuse({"sort": sort}, "orders the table of all labels, which is not shown here.")
        show_evaluation(result.of_label(one, metrics=wanted).with_changes(source=result.source), output)
        return
    _options.refuse({"for": output["checklist"]}, _why() if data["labels"] else "is not for rankings per query.")
    write_documents(result, output)
    write_table_page(result, output)
    if output.get("plot") is not None:
        if data["labels"] is None:
            raise click.UsageError("--plot draws labels or curves; there is no picture of queries.")
        result.plot(output["plot"])
        wrote(output["plot"])
    if printed_instead(result, output):
        return
    markdown, draw = partial(_markdown, sort=sort), partial(_draw, sort=sort)
    emit_result(output, result, markdown, draw, source=result.source)


def _why() -> str:
    return "is for a yes-or-no question. Hint: --class NAME shows one label."


def compare_whole(data: Words, output: Words, threshold: Any, statistics: Words, draw: Any, markdown: Any) -> None:
    """Compare models on many labels, or on queries, and print it."""
    from unconfuse.api import compare

    if isinstance(threshold, dict):
        raise click.UsageError("--threshold is one for all labels and models here. Hint: --threshold 0.3.")
    found = _options.watched(compare, _options.described(data), threshold=threshold, **statistics)
    write_documents(found, output)
    write_table_page(found, output)
    if not printed_instead(found, output):
        emit_result(output, found, markdown, draw, source=_options.source_name(data))


def _lines(result: MultiOutputEvaluation) -> list[list[str]]:
    return [
        [estimate.label, number_text(estimate.value), estimate.interval_text, estimate.undefined or estimate.method]
        for estimate in result.values()
    ]


def _markdown(result: MultiOutputEvaluation, sort: str | None) -> str:
    heads = ["Metric", "Value", f"{100 * result.confidence_level:.4g}% interval", "Method"]
    text = markdown_text(heads, _lines(result), result.findings)
    if not hasattr(result, "per_label"):
        return text
    table = result.per_label(sort=sort)
    return f"{text}\n{markdown_text(table.heads, table.lines())}"


def _draw(console: Console, result: MultiOutputEvaluation, sort: str | None) -> None:
    say(console, harmless(repr(result)), "dim")
    for finding in result.findings:
        say(console, harmless(finding.sentence), "bold")
    console.print()
    _draw_metrics(console, result)
    if result.sample.by:
        _draw_subgroups(console, result)
    if hasattr(result, "per_label"):
        _draw_labels(console, result, sort)  # type: ignore[arg-type]


def _draw_metrics(console: Console, result: MultiOutputEvaluation) -> None:
    labels, values, intervals, methods = zip(*_lines(result), strict=True)
    level = f"{100 * result.confidence_level:.4g}% interval"
    columns = [
        TerminalColumn("", [shortened(label, 50) for label in labels], narrowest=15),
        TerminalColumn("value", values, right=True),
        TerminalColumn(level, intervals),
        TerminalColumn("method", methods, rank=2, narrowest=12),
    ]
    fit(columns, console.width).draw_all(console)


def _draw_subgroups(console: Console, result: MultiOutputEvaluation) -> None:
    say(console, f"\nBy {harmless(' and '.join(result.sample.by))}", "bold")
    first = [estimate.name for estimate in result.headline][:3]
    names = list(result.subgroups)
    columns = [TerminalColumn("subgroup", [shortened(name, 30) for name in names], narrowest=8)]
    columns += [TerminalColumn("n", [f"{result.subgroups[name].n:g}" for name in names], right=True)]
    for metric in first:
        cells = [result.subgroups[name][metric] for name in names]
        texts = [f"{number_text(cell.value)} {cell.interval_text}".rstrip() for cell in cells]
        columns.append(TerminalColumn(shortened(result[metric].label.split(" (")[0], 24), texts, rank=2))
    fit(columns, console.width).draw_all(console)


def _draw_labels(console: Console, result: LabelEvaluation, sort: str | None) -> None:
    table = result.per_label(sort=sort)
    order = f"by {sort}" if sort else "the worst first"
    say(console, f"\nEach label by itself, {order}", "bold")
    lines = table.lines()[:_SHOWN]
    columns = [
        TerminalColumn(
            head,
            [shortened(line[place], 30) for line in lines],
            rank=max(place - 2, 0),
            narrowest=8 if not place else None,
        )
        for place, head in enumerate(table.heads)
    ]
    fit(columns, console.width).draw_all(console)
    if len(table) > _SHOWN:
        say(console, f"{len(table) - _SHOWN} more labels: --format json shows all.", "dim")

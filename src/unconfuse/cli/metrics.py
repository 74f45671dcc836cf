"""`unconfuse metrics`: what there is, and what each metric means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import complete_metrics, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.metrics import Metric
    from unconfuse.multiclass import ClassMetric


@click.command()
@click.argument("name", required=False, shell_complete=complete_metrics)
@click.option("--classes", is_flag=True, help="Metrics of several classes.")
@output_options
def metrics(name: str | None, classes: bool, **output: Any) -> None:
    """List all metrics with the question each one answers, or explain one."""
    from unconfuse.cli._output import emit, markdown_text

    chosen = _of_classes(name) if classes else _of_two(name)
    rows = [described_class(each) if classes else described(each) for each in chosen]
    emit(
        payload=rows[0] if name else {"metrics": {row["name"]: row for row in rows}},
        rows=rows,
        markdown=lambda: markdown_text(
            ["Metric", "Name", "Question"], [[row["label"], row["name"], row["question"]] for row in rows]
        ),
        draw=lambda console: (
            _draw_one(console, rows[0])
            if name
            else (_draw_questions(console, chosen) if classes else _draw_list(console, chosen))
        ),
        **output,
    )


def _of_two(name: str | None) -> list[Any]:
    from unconfuse.metrics import METRICS, find_metric

    return [find_metric(name)] if name else list(METRICS.values())


def _of_classes(name: str | None) -> list[Any]:
    from unconfuse.multiclass import MULTICLASS_METRICS
    from unconfuse.multiclass.registry import find_class_metric

    return [find_class_metric(name)] if name else list(MULTICLASS_METRICS.values())


def described_class(metric: ClassMetric) -> dict[str, Any]:
    """What a metric of several classes declares, as plain values."""
    example = None if metric.example is None else f"{metric.example.data!r} gives {metric.example.value:.6g}"
    same = (
        "name",
        "label",
        "question",
        "of",
        "formula",
        "better",
        "undefined",
        "interval",
        "misleads",
        "depends_on_prevalence",
    )
    return {key: getattr(metric, key) for key in same} | {
        "range": f"{metric.range[0]:g} to {metric.range[1]:g}",
        "by_chance": "",
        "references": "; ".join(metric.references),
        "example": example,
    }


def described(metric: Metric) -> dict[str, Any]:
    """What a metric declares, as plain values."""
    example = None if metric.example is None else f"{metric.example.data!r} gives {metric.example.value:.6g}"
    return {
        "name": metric.name,
        "label": metric.label,
        "question": metric.question,
        "of": metric.of,
        "formula": metric.formula,
        "range": f"{metric.range[0]:g} to {metric.range[1]:g}",
        "better": metric.better,
        "depends_on_prevalence": metric.depends_on_prevalence,
        "by_chance": _by_chance(metric),
        "undefined": metric.undefined,
        "interval": metric.interval,
        "misleads": metric.misleads,
        "references": "; ".join(metric.references),
        "example": example,
    }


def _by_chance(metric: Metric) -> str:
    """The value of a useless classifier, as an example: 20% positives, 25% called positive."""
    value = float(metric.baseline(0.2, 0.25))
    shown = f"{round(value, 12) + 0.0:.3g} (if 20% of the cases are positive and 25% are called so)"
    return "" if math.isnan(value) else shown


def _draw_questions(console: Console, chosen: list[ClassMetric]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(width=max(len(metric.name) for metric in chosen) + 1, no_wrap=True, style="cyan")
    table.add_column()
    for metric in chosen:
        table.add_row(f" {metric.name}", metric.question)
    console.print(table)
    also = "Also 'top_k_accuracy(k)', and NAME_macro, NAME_micro, NAME_weighted of any metric of two classes."
    console.print(Text(f"\n{also}", style="dim"))


def _draw_list(console: Console, chosen: list[Metric]) -> None:
    from rich.table import Table
    from rich.text import Text

    from unconfuse.cli._sections import TITLES, title_of
    from unconfuse.metrics import FACTORIES

    width = max(len(metric.name) for metric in chosen) + 1
    for position, title in enumerate(each for each in TITLES if any(title_of(m) == each for m in chosen)):
        console.print(Text(title if position == 0 else f"\n{title}", style="bold"))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
        table.add_column(width=width, no_wrap=True, style="cyan")
        table.add_column()
        for metric in chosen:
            if title_of(metric) == title:
                table.add_row(f" {metric.name}", metric.question or metric.label)
        console.print(table)
    own = ", ".join(f"'{name}(...)'" for name in FACTORIES)
    console.print(Text(f"\nWith a number of your own, in quotes: {own}", style="dim"))
    console.print(
        Text("unconfuse metrics NAME explains one of them; --classes lists those of several classes.", style="dim")
    )


def _draw_one(console: Console, row: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from unconfuse.cli._formula import plain_formula

    console.print(Text(row["label"], style="bold"))
    console.print(row["question"])
    console.print()
    better = {"higher": "higher is better", "lower": "lower is better", "neither": "neither high nor low is better"}
    changes = "yes" if row["depends_on_prevalence"] else "no, it stays the same"
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for head, words in (
        ("name", row["name"]),
        ("formula", plain_formula(row["formula"])),
        ("range", f"{row['range']}; {better[row['better']]}"),
        ("by chance", row["by_chance"]),
        ("changes with prevalence", changes),
        ("undefined when", row["undefined"]),
        ("misleads", row["misleads"]),
        ("interval", row["interval"].replace("_", " ")),
        ("example", row["example"]),
        ("references", row["references"]),
    ):
        if words:
            table.add_row(head, words)
    console.print(table)

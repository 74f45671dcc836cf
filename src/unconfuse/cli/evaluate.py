"""`unconfuse evaluate`: labels and scores from a file, judged as a whole, by subgroup, or for several classes."""

from __future__ import annotations

from typing import Any

import click

from unconfuse.cli._layout import Console, as_table, number_text, say
from unconfuse.cli._options import (
    Words,
    collected,
    file_options,
    metric_options,
    option,
    read,
    read_classes,
    sampling_options,
    source_name,
    threshold_option,
    watched,
)
from unconfuse.cli._output import emit_result, markdown_text, output_options, page_options, plot_option, write_page

_TWO_CLASSES = ("score", "positive", "explain", "prevalence", "by", "reference", "table", "query", "on_bad_row")


@click.command()
@file_options
@threshold_option
@collected(
    "data",
    option(
        "--scores PATTERN",
        "Several classes: columns of scores, such as 'p_*' (the class is what the star stands for), or "
        "their names with commas.",
    ),
    option("--predicted COLUMN", "Several classes: column of predicted labels."),
)
@option("--class NAME", "Several classes: judge this class against the rest, as two classes.", to="one_class")
@option(
    "--sort NAME",
    "Several classes: order of the table of classes, by support or by a metric shown there.",
    default="support",
)
@metric_options
@collected(
    "data",
    option(
        "--by COLUMN",
        "Judge every subgroup of this column as well, and how they differ; several columns are crossed.",
        multiple=True,
    ),
)
@option(
    "--reference SUBGROUP",
    "The subgroup that others are compared with, or rest for everyone else. [default: the largest]",
)
@sampling_options()
@plot_option
@option("--explain METRIC", "Show every definition that goes by this name, such as auprc, and which tool computes it.")
@page_options
@output_options
def evaluate(
    *, data: Words, output: Words, threshold: float, one_class: str | None, sort: str, **statistics: Any
) -> None:
    """Judge a classifier from labels and scores.

    FILE is CSV, Parquet or JSON, plain or compressed; a folder of such files or a pattern (in quotes); - for standard
    input; or the address of a database, such as sqlite:///file.db or postgresql://user@host/name, with --table or
    --query.
    """
    asked = {word: statistics.pop(word) for word in ("prevalence", "reference", "explain")}
    if data["scores"] is not None or data["predicted"] is not None:
        _evaluate_classes(data, asked, statistics, output, one_class=one_class, sort=sort)
        return
    if one_class is not None:
        raise click.UsageError(
            "--class needs the scores or the predicted labels of several classes. Hint: give "
            "--scores PATTERN or --predicted COLUMN."
        )
    from unconfuse.api import evaluate as judge
    from unconfuse.cli._evaluation import emit_evaluation
    from unconfuse.cli._parts import emit_subgroups, refuse_with_subgroups
    from unconfuse.comparison.subgroup_findings import HEADLINES

    by = data["by"]
    refuse_with_subgroups(by, asked)
    rows = read(data, edges=[threshold])
    if by and not statistics["metrics"] and output["form"] in ("table", "markdown"):
        statistics["metrics"] = HEADLINES  # tables show a few, other programs are given all
    how = {"threshold": threshold, "name": rows.models[0], "reference": asked["reference"], **statistics}
    result = watched(judge, rows, **how).replaced(source=source_name(data))
    write_page(result, output, prevalence=asked["prevalence"])
    if output["plot"] is not None:
        result.plot(path=output["plot"])
    if by:
        emit_subgroups(result, output)
    elif asked["explain"] is not None:
        emit_result(output, result.explain(asked["explain"]), _ledger_markdown, _draw_ledger)
    else:
        emit_evaluation(result, output, asked["prevalence"])


def _evaluate_classes(data: Words, asked: Words, statistics: Words, output: Words, **shown: Any) -> None:
    from unconfuse.api import evaluate as judge
    from unconfuse.cli._parts import refuse_two_classes, show_classes

    given = {**data, **asked, "on_bad_row": None if data["on_bad_row"] == "error" else data["on_bad_row"]}
    refuse_two_classes({word: given[word] for word in _TWO_CLASSES})
    rows = read_classes(data, data["scores"], data["predicted"])
    name = (data["scores"] or data["predicted"] or "").strip("*_-. ")
    result = watched(judge, rows, name=name, **statistics)
    show_classes(result.replaced(source=source_name(data)), output, **shown)


def _ledger_cells(ledger: Any) -> list[list[str]]:
    """The definitions that share a metric's name."""
    return [[each.definition, number_text(each.value), each.tools, each.why] for each in ledger.entries]


def _ledger_markdown(ledger: Any) -> str:
    return markdown_text(["Definition", "Value", "Who computes it", "Why it differs"], _ledger_cells(ledger))


def _draw_ledger(console: Console, ledger: Any) -> None:
    from rich.text import Text

    say(console, f"{ledger.title}\n", "bold")
    lines: list[list[Any]] = [
        [name, value, Text.assemble((tools, "bold"), f"\n{why}")] for name, value, tools, why in _ledger_cells(ledger)
    ]
    console.print(as_table(lines, [{}, {}, {}], below=1))
    say(console, ledger.advice)

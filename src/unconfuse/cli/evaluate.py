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
    refuse,
    refuse_two_classes,
    sampling_options,
    source_name,
    threshold_option,
    watched,
)
from unconfuse.cli._output import emit_result, markdown_text, output_options, page_options, plot_option


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
    "Several classes: order of the table of classes, by support or by a metric shown there.  [default: support]",
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
    *, data: Words, output: Words, threshold: float | None, one_class: str | None, sort: str | None, **statistics: Any
) -> None:
    """Judge a classifier from labels and scores.

    FILE is CSV, Parquet or JSON, plain or compressed; a folder of such files or a pattern (in quotes); - for standard
    input; or the address of a database, such as sqlite:///file.db or postgresql://user@host/name, with --table or
    --query.
    """
    from unconfuse.api import evaluate as judge
    from unconfuse.cli._parts import refuse_with_subgroups, show_evaluation, show_files
    from unconfuse.results.subgroup_findings import HEADLINES

    prevalence, explain = statistics.pop("prevalence"), statistics.pop("explain")
    refuse_with_subgroups(data["by"], {**statistics, "prevalence": prevalence, "explain": explain})
    _refuse_for_classes(data, one_class, sort, threshold=threshold, prevalence=prevalence, explain=explain)
    of_classes = data["scores"] or data["predicted"]
    sample = read(data, edges=[0.5 if threshold is None else threshold])
    if data["by"] and not statistics["metrics"] and not of_classes and output["form"] in ("table", "markdown"):
        statistics["metrics"] = HEADLINES  # tables show a few, other programs are given all
    name = of_classes.strip("*_-. ") if of_classes else sample.models[0]
    judged = watched(judge, sample, threshold=threshold, name=name, **statistics)
    result = judged.replaced(source=source_name(data))
    if explain is None:
        show_evaluation(result, output, one_class, sort, prevalence=prevalence)
    else:
        show_files(result, output, prevalence=prevalence)
        emit_result(output, result.explain(explain), _ledger_markdown, _draw_ledger)


def _refuse_for_classes(data: Words, one_class: str | None, sort: str | None, **two_classes: Any) -> None:
    """Some options are for two classes, some for several."""
    if data["scores"] is not None or data["predicted"] is not None:
        refuse_two_classes({"score": data["score"], "positive": data["positive"], **two_classes})
        if one_class is not None or data["by"]:
            refuse({"sort": sort}, "orders the table of all classes, which is not shown here.")
        return
    hint = "Hint: give --scores PATTERN or --predicted COLUMN."
    refuse({"class": one_class, "sort": sort}, f"needs the scores or the predicted labels of several classes. {hint}")


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

"""`unconfuse benchmark`: models over many data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, TerminalColumn, fit, number_text, say
from unconfuse.cli._options import (
    Words,
    collected,
    decimal_option,
    delimiter_option,
    file_argument,
    level_option,
    option,
    several,
)
from unconfuse.cli._output import (
    emit_result,
    markdown_text,
    output_options,
    plot_of,
    table_page_options,
    write_table_page,
    wrote,
)

if TYPE_CHECKING:
    from unconfuse.results.benchmark import Benchmark

_SHOWN = 15  # pairs of models; --format csv has all


@command()
@file_argument
@option("--dataset COLUMN", "Column that names the data sets.", required=True)
@option("--model COLUMN", "Column that names the models.")
@option("--value COLUMN", "Column of the results, such as an AUROC or a loss.")
@option("--standard-error COLUMN", "Column of the standard error of each result.")
@option("--correlation SHARE", "Correlation of two models' errors on one data set. [default: 0]")
@option("--better higher|lower", "Which values are better. [default: higher]", default=None, show_default=False)
@collected(
    "predictions",
    option("--label COLUMN", "Of predictions, one row for each case: column of true labels."),
    several("--score COLUMN", "Of predictions: column of a model's scores; give one for each model."),
    option("--positive LABEL", "Of predictions: the positive label. [default: 1 or true]"),
)
@option("--metric NAME", "For predictions: metric computed on each data set. [default: auroc]")
@option("--threshold SCORE", "Threshold of scores given as predictions. [default: 0.5 of probabilities]")
@delimiter_option
@decimal_option
@level_option
@plot_of("the critical-difference diagram")
@table_page_options
@output_options
def benchmark(
    *, source: str, output: Words, delimiter: str | None, decimal: str | None, predictions: Words, **words: Any
) -> None:
    """Compare models over many data sets: mean differences, the next data set, ranks and tiers.

    \b
    unconfuse benchmark results.csv --dataset d --model m --value auc
    unconfuse benchmark results.csv --dataset d --model m --value auc --standard-error se --plot ranks.png
    unconfuse benchmark results.csv --dataset d --model m --value auc --html page.html
    unconfuse benchmark cases.csv --dataset d --label y --score old --score new --metric auroc
    """
    import unconfuse

    given = {word: each for word, each in predictions.items() if each}
    if given and (words["model"] or words["value"]):
        raise click.UsageError(f"--{next(iter(given))} is for predictions, and --model and --value are for results.")
    found = unconfuse.benchmark(unconfuse.Data(source, delimiter=delimiter, decimal=decimal, **given), **words)
    if output["plot"] is not None:
        found.plot(output["plot"])
        wrote(output["plot"])
    write_table_page(found, output)
    emit_result(output, found, _markdown, _draw)


def _standings(found: Benchmark) -> list[list[str]]:
    return [
        [
            each.model,
            number_text(each.value),
            f"{each.mean_rank:.2f}",
            f"{each.rank_low} to {each.rank_high}",
            " ".join(map(str, each.tiers)),
        ]
        for each in found.leaderboard
    ]


_HEADS = ["model", "mean", "mean rank", "rank", "tier"]


def _markdown(found: Benchmark) -> str:
    return markdown_text(_HEADS, _standings(found), found.findings)


def _draw(console: Console, found: Benchmark) -> None:
    first, *rest = found.findings
    say(console, first.sentence, "bold")
    for each in rest:
        say(console, each.sentence)
    console.print()
    columns = zip(*_standings(found), strict=True)
    fit([TerminalColumn(head, cells) for head, cells in zip(_HEADS, columns, strict=True)], console.width).draw_all(
        console
    )
    console.print()
    pairs = sorted(found.pairs.values(), key=lambda each: each.adjusted_p_value)[:_SHOWN]
    cells = {
        "pair": [f"{each.first} - {each.second}" for each in pairs],
        "difference": [f"{number_text(each.difference.value)} {each.difference.interval_text}" for each in pairs],
        "wins next": [number_text(each.wins_next.value, 2) for each in pairs],
        "adjusted p": [number_text(each.adjusted_p_value) for each in pairs],
        "verdict": [each.verdict for each in pairs],
    }
    fit([TerminalColumn(head, each) for head, each in cells.items()], console.width).draw_all(console)
    if len(found.pairs) > _SHOWN:
        say(console, f"({_SHOWN} of {len(found.pairs)} pairs; --format csv has all)", "dim")
    ranks = found.friedman
    if len(found.models) > 2:
        say(
            console,
            f"Friedman: chi-squared {number_text(ranks.statistic)}, p {number_text(ranks.p_value)}; Nemenyi's critical "
            f"difference of mean ranks {number_text(ranks.critical_difference)}.",
            "dim",
        )

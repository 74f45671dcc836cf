"""`unconfuse benchmark`: models over many data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text
from unconfuse._parameters import cases, records
from unconfuse._parameters.decisions import METRIC, THRESHOLD
from unconfuse.cli._estimate_tables import Table, draw_table, result_options, show
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, say
from unconfuse.cli._options import Words, collected, csv_options, file_argument, level_option, option

if TYPE_CHECKING:
    from unconfuse.results.benchmark import Benchmark

_SHOWN = 15  # pairs of models; --format csv has all


@command()
@file_argument
@option(records.DATASET)
@option(records.MODEL)
@option(records.VALUE)
@option(records.STANDARD_ERROR)
@option(records.CORRELATION)
@option(records.BETTER)
@collected(
    "predictions",
    option(cases.LABEL, "Of predictions, one row for each case: column of true labels."),
    option(cases.SCORE_OF_EACH, "Of predictions: column of a model's scores; give one for each model."),
    option(cases.POSITIVE, "Of predictions: the positive label. [default: 1 or true]"),
)
@option(METRIC, "For predictions: metric computed on each data set. [default: auroc]", default=None)
@option(THRESHOLD, "Threshold of scores given as predictions. [default: 0.5 of probabilities]")
@csv_options
@level_option
@result_options("the critical-difference diagram")
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

    given = {word: prediction for word, prediction in predictions.items() if prediction}
    if given and (words["model"] or words["value"]):
        raise click.UsageError(f"--{next(iter(given))} is for predictions, and --model and --value are for results.")
    found = unconfuse.benchmark(unconfuse.Data(source, delimiter=delimiter, decimal=decimal, **given), **words)
    show(found, output, _standings, _draw_pairs)


def _standings(found: Benchmark) -> Table:
    return ["model", "mean", "mean rank", "rank", "tier"], found.leaderboard.lines()


def _draw_pairs(console: Console, found: Benchmark) -> None:
    say(console)
    pairs = sorted(found.pairs.values(), key=lambda each: each.adjusted_p_value)[:_SHOWN]
    cells = {
        "pair": [f"{pair.first} - {pair.second}" for pair in pairs],
        "difference": [f"{number_text(pair.difference.value)} {pair.difference.interval_text}" for pair in pairs],
        "wins next": [number_text(pair.wins_next.value, 2) for pair in pairs],
        "adjusted p": [number_text(pair.adjusted_p_value) for pair in pairs],
        "verdict": [pair.verdict for pair in pairs],
    }
    draw_table(console, list(cells), list(zip(*cells.values(), strict=True)))
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

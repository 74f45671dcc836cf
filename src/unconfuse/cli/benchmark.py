"""`unconfuse benchmark`: models over many data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse.cli._help import command
from unconfuse.cli._layout import Column, Console, fit, number_text, say
from unconfuse.cli._options import Words, decimal_option, delimiter_option, file_argument, option
from unconfuse.cli._output import emit_result, markdown_text, output_options, plot_of, wrote

if TYPE_CHECKING:
    from unconfuse.results.benchmark import Benchmark

_SHOWN = 15  # pairs of models; --format csv has all


@command()
@file_argument
@option("--dataset COLUMN", "Column that names the data sets.", required=True)
@option("--model COLUMN", "Column that names the models.", required=True)
@option("--value COLUMN", "Column of the results, such as an AUROC or a loss.", required=True)
@option("--standard-error COLUMN", "Column of the standard error of each result.")
@option("--correlation SHARE", "Correlation of two models' errors on one data set. [default: 0]")
@option("--better higher|lower", "Which values are better.")
@delimiter_option
@decimal_option
@option("--level SHARE", "Confidence level of the intervals.", to="confidence_level", default=0.95)
@plot_of("the critical-difference diagram")
@output_options
def benchmark(*, source: str, output: Words, delimiter: str | None, decimal: str | None, **words: Any) -> None:
    """Compare models over many data sets: mean differences, the next data set, ranks and tiers.

    \b
    unconfuse benchmark results.csv --dataset d --model m --value auc
    unconfuse benchmark results.csv --dataset d --model m --value auc --standard-error se --plot ranks.png
    """
    import unconfuse

    found = unconfuse.benchmark(unconfuse.Data(source, delimiter=delimiter, decimal=decimal), **words)
    if output["plot"] is not None:
        found.plot(output["plot"])
        wrote(output["plot"])
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
    fit([Column(head, cells) for head, cells in zip(_HEADS, columns, strict=True)], console.width).draw_all(console)
    console.print()
    pairs = sorted(found.pairs.values(), key=lambda each: each.adjusted_p_value)[:_SHOWN]
    cells = {
        "pair": [f"{each.first} - {each.second}" for each in pairs],
        "difference": [f"{number_text(each.difference.value)} {each.difference.interval_text}" for each in pairs],
        "wins next": [number_text(each.wins_next.value, 2) for each in pairs],
        "adjusted p": [number_text(each.adjusted_p_value) for each in pairs],
        "verdict": [each.verdict for each in pairs],
    }
    fit([Column(head, each) for head, each in cells.items()], console.width).draw_all(console)
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

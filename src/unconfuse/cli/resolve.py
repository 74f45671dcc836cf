"""`unconfuse resolve`: which metric tells models apart on these data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import SHARE, complete_metrics, file_options, output_options
from unconfuse.cli._page import page_options, write_page

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.cli._layout import Layout
    from unconfuse.resolving.answers import Resolution, ResolvingPower

_BAR = 16
_HEADS = ("metric", "value", "interval", "on the AUROC scale", "kappa", "power", "delta", "")


@click.command()
@file_options
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_metrics,
    help="Only this metric; may be repeated. [default: six usual ones]",
)
@click.option(
    "--at", type=SHARE, multiple=True, metavar="AUROC", help="Quality of interest. [default: that of the data]"
)
@click.option("--n", type=float, metavar="N", help="Size of a sample. [default: that of the data]")
@click.option("--prevalence", type=SHARE, metavar="SHARE", help="Share of positives. [default: that of the data]")
@click.option(
    "--method",
    type=click.Choice(["full", "linear", "asymptotic"]),
    default="full",
    show_default=True,
    help="Simulate, simulate less (the paper's appendix A), or take the formula at once.",
)
@click.option("--quick", is_flag=True, help="The same as --method asymptotic.")
@click.option("--samples", type=int, default=10_000, show_default=True, metavar="N", help="Simulated samples.")
@click.option(
    "--scale",
    type=click.Choice(["auto", "raw", "logit"]),
    default="auto",
    show_default=True,
    help="Where positives move as a classifier improves: on the scores, or on their log-odds.",
)
@click.option(
    "--mapping",
    type=click.Choice(["interpolate", "nearest"]),
    default="interpolate",
    show_default=True,
    help="`nearest` takes the grid points of the published tables.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the simulation.")
@click.option(
    "--difference",
    type=(float, float),
    metavar="A B",
    help="Say whether two values of the first metric, seen on such data, can be told apart.",
)
@page_options
@output_options
def resolve(
    file: str,
    label: str | None,
    score: str | None,
    weight: str | None,
    id: str | None,
    positive: str | None,
    delimiter: str | None,
    table: str | None,
    query: str | None,
    on_bad_row: str,
    group: str | None,
    metrics: tuple[str, ...],
    at: tuple[float, ...],
    n: float | None,
    prevalence: float | None,
    method: str,
    quick: bool,
    samples: int,
    scale: str,
    mapping: str,
    seed: int,
    difference: tuple[float, float] | None,
    html: str | None,
    payload: str | None,
    **output: Any,
) -> None:
    """Which metric can tell models apart that are about as good as this one, judged on as many cases?

    FILE is as in `evaluate`. kappa is the smallest difference in AUROC that shows, power is 1/kappa, and delta says how
    much coarser a metric is than the AUROC.
    """
    import unconfuse
    from unconfuse._errors import ArgumentError
    from unconfuse.cli._output import emit, markdown_text
    from unconfuse.cli._progress import resampling_line
    from unconfuse.cli._reading import read_table

    if group is not None:
        raise ArgumentError("resolving power takes cases one by one; it does not know groups. Hint: leave --group out.")
    scores, skipped = read_table(
        file,
        label=label,
        score=score,
        weight=weight,
        id=id,
        positive=positive,
        delimiter=delimiter,
        table=table,
        query=query,
        on_bad_row=on_bad_row,
    )
    model = unconfuse.Empirical(scores, scale=scale)
    with resampling_line() as progress:
        result = unconfuse.resolving_power(
            model,
            metrics or None,
            n=n,
            prevalence=prevalence,
            at=at or None,
            n_samples=samples,
            mapping=mapping,
            method="asymptotic" if quick else method,
            rng=seed,
            progress=progress,
        )
    write_page(result, html=html, payload=payload)
    verdict = None if difference is None else result.tells_apart(*difference, metric=result.metrics[0])
    emit(
        payload={
            **result.as_dict(),
            "skipped": skipped.as_dict(),
            "verdict": None if verdict is None else str(verdict),
        },
        rows=result.rows(),
        markdown=lambda: markdown_text(_HEADS, [_cells(each) for each in result.values()]),
        draw=lambda console: _draw(console, result, verdict),
        **output,
    )


def _draw(console: Console, result: ResolvingPower, verdict: Any) -> None:
    from rich.text import Text

    console.print(Text(str(result.recommendation), style="bold"))
    if verdict is not None:
        console.print(Text(f"\n{verdict}"))
    console.print()
    for at in result.at:
        title = f"AUROC {at:.3f}, {result.n:,} cases, {result.sizes.positives:,} positive"
        console.print(Text(title, style="bold"))
        _layout(console, [result[name, at] for name in result.metrics]).draw_all(console)
    console.print(Text(_footnote(result), style="dim"))


def _layout(console: Console, found: Sequence[Resolution]) -> Layout:
    """One line for each metric; the bars are the intervals on the AUROC scale, so that the shortest is the finest."""
    from unconfuse.cli._layout import Column, fit
    from unconfuse.cli._marks import Scale, interval_bar, marks_for
    from unconfuse.cli._text import shortened

    cells = list(zip(*(_cells(each) for each in found), strict=True))
    ends = [end for each in found for end in (each.mapped_low, each.mapped_high) if math.isfinite(end)]
    scale = Scale(min(ends, default=0.0), max(ends, default=1.0), _BAR)
    bars = [
        interval_bar(
            marks_for(console),
            scale,
            value=math.nan if each.undefined else each.at,
            low=each.mapped_low,
            high=each.mapped_high,
        )
        for each in found
    ]
    return fit(
        [
            Column(_HEADS[0], [shortened(each, 40) for each in cells[0]], narrowest=18),
            Column(_HEADS[1], cells[1], right=True, rank=3),
            Column(_HEADS[2], cells[2], rank=4),
            Column("as AUROC", cells[3], rank=2),
            Column("", bars, rank=1, name="bars"),
            *(Column(head, column, right=True) for head, column in zip(_HEADS[4:7], cells[4:7], strict=True)),
            *([Column(_HEADS[7], cells[7], narrowest=12, rank=1, name="remarks")] if any(cells[7]) else []),
        ],
        console.width,
    )


def _footnote(result: ResolvingPower) -> str:
    made = (
        f"{result.n_samples:,} samples, seed {result.seed}; ± is the Monte-Carlo error"
        if result.n_samples
        else "from theory"
    )
    return f"\n{result.method} method, {made}; {result.sizes.design} sampling; {result.mapping} mapping"


def _cells(each: Resolution) -> list[str]:
    from unconfuse._plain import number_text

    if each.undefined:
        return [each.metric, number_text(each.value, 4), "", "", "", "", "", each.undefined]
    error = f" ± {each.mc_error:.1g}" if each.mc_error else ""
    return [
        each.metric,
        number_text(each.value, 4),
        f"[{number_text(each.low, 4)}, {number_text(each.high, 4)}]",
        f"[{number_text(each.mapped_low, 4)}, {number_text(each.mapped_high, 4)}]",
        f"{number_text(each.kappa, 4)}{error}",
        f"{each.resolving_power:.1f}",
        f"{each.delta:+.1%}",
        f"{each.clipped} limit clipped" if each.clipped else "",
    ]

"""`unconfuse resolve`: which metric tells models apart on these data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import SHARE, complete_metrics, file_options, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.resolving.answers import Resolution, ResolvingPower

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
        file, label=label, score=score, weight=weight, id=id, positive=positive, delimiter=delimiter, table=table,
        query=query, on_bad_row=on_bad_row,
    )  # fmt: skip
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
    from rich.table import Table
    from rich.text import Text

    console.print(Text(str(result.recommendation), style="bold"))
    if verdict is not None:
        console.print(Text(f"\n{verdict}"))
    console.print()
    for at in result.at:
        table = Table(
            box=None,
            pad_edge=False,
            padding=(0, 2, 0, 0),
            header_style="dim",
            title_justify="left",
            title=f"AUROC {at:.3f}, {result.n:,} cases, {result.sizes.positives:,} positive",
            title_style="bold",
        )
        for head in _HEADS:
            table.add_column(
                head,
                no_wrap=head not in ("metric", ""),
                justify="right" if head in ("kappa", "power", "delta") else "left",
            )
        for name in result.metrics:
            table.add_row(*_cells(result[name, at]))
        console.print(table)
    console.print(Text(_footnote(result), style="dim"))


def _footnote(result: ResolvingPower) -> str:
    made = (
        f"{result.n_samples:,} samples, seed {result.seed}; ± is the Monte-Carlo error"
        if result.n_samples
        else "from theory"
    )
    return f"\n{result.method} method, {made}; {result.sizes.design} sampling; {result.mapping} mapping"


def _cells(each: Resolution) -> list[str]:
    from unconfuse.results import number_text

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

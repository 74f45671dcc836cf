"""`unconfuse plan`: how large a test set must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import SHARE, complete_metrics, database_options, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.resolving.planning import Plan


@click.command()
@click.option("--difference", type=float, required=True, metavar="AUROC", help="Difference to tell apart, in AUROC.")
@click.option(
    "--prevalence", type=SHARE, metavar="SHARE", help="Share of positives. [default: 0.5, or that of the data]"
)
@click.option(
    "--metric",
    default="auroc",
    show_default=True,
    metavar="NAME",
    shell_complete=complete_metrics,
    help="Metric that will be used.",
)
@click.option("--at", type=SHARE, metavar="AUROC", help="Quality of the models. [default: 0.75, or that of the data]")
@click.option(
    "--sd-ratio",
    type=float,
    default=1.0,
    show_default=True,
    metavar="RATIO",
    help="Standard deviation of positives' scores over that of negatives' (normal scores).",
)
@click.option("--data", metavar="FILE", help="Take scores from a file instead of normal ones.")
@click.option("--label", metavar="COLUMN", help="Column of true labels, with --data.")
@click.option("--score", metavar="COLUMN", help="Column of scores, with --data.")
@click.option("--positive", metavar="LABEL", help="The positive label, with --data.")
@database_options
@click.option(
    "--method",
    type=click.Choice(["auto", "asymptotic", "full"]),
    default="auto",
    show_default=True,
    help="Formula, simulation, or whichever is needed.",
)
@click.option("--samples", type=int, default=10_000, show_default=True, metavar="N", help="Simulated samples.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the simulation.")
@output_options
def plan(
    difference: float,
    prevalence: float | None,
    metric: str,
    at: float | None,
    sd_ratio: float,
    data: str | None,
    label: str | None,
    score: str | None,
    positive: str | None,
    table: str | None,
    query: str | None,
    method: str,
    samples: int,
    seed: int,
    **output: Any,
) -> None:
    """How many cases does a test set need to tell two models apart?

    \b
    unconfuse plan --difference .01 --prevalence 10%
    unconfuse plan --difference .02 --data scores.csv --label y --score p --metric average_precision
    """
    import unconfuse
    from unconfuse.cli._output import emit, markdown_text
    from unconfuse.cli._progress import resampling_line
    from unconfuse.cli._reading import read_table

    if data is None:
        model: Any = unconfuse.Binormal(sd_ratio=sd_ratio)
        prevalence = 0.5 if prevalence is None else prevalence
    else:
        scores, _ = read_table(data, label=label, score=score, positive=positive, table=table, query=query)
        model = unconfuse.Empirical(scores)
    with resampling_line() as progress:
        found = unconfuse.plan(
            model,
            metric=metric,
            difference=difference,
            prevalence=prevalence,
            at=at,
            method=method,
            n_samples=samples,
            rng=seed,
            progress=progress,
        )
    emit(
        payload=found.as_dict(),
        rows=[{"n": n, "kappa": kappa} for n, kappa in found.curve],
        markdown=lambda: (
            f"{found.sentence}\n\n"
            + markdown_text(["Cases", "kappa"], [[f"{n:,}", f"{kappa:.4f}"] for n, kappa in found.curve[::4]])
        ),
        draw=lambda console: _draw(console, found),
        **output,
    )


def _draw(console: Console, found: Plan) -> None:
    from rich.table import Table
    from rich.text import Text

    console.print(Text(found.sentence, style="bold"))
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for head in ("cases", "positives", "resolves differences of"):
        table.add_column(head, justify="right")
    for n, kappa in found.curve[::4]:
        table.add_row(f"{n:,}", f"{round(n * found.prevalence):,}", f"{kappa:.4f}")
    console.print(table)

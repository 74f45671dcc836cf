"""`unconfuse plan`: how large a test set must be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli import _options
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import SHARE, Words, collected, option, refuse
from unconfuse.cli._output import emit, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.resolving.planning import Plan


@click.command()
@option("--difference AUROC", "Difference to tell apart, in AUROC.", type=float, required=True)
@option("--prevalence SHARE", "Share of positives. [default: 0.5, or that of the data]")
@option("--metric NAME", "Metric that will be used.", default="auroc", shell_complete=_options.complete_metrics)
@option("--at AUROC", "Quality of the models. [default: 0.75, or that of the data]", type=SHARE)
@option(
    "--sd-ratio RATIO",
    "Standard deviation of positives' scores over that of negatives' (normal scores).  [default: 1.0]",
)
@collected(
    "data",
    option("--data FILE", "Take scores from a file instead of normal ones.", to="source"),
    option("--label COLUMN", "Column of true labels, with --data."),
    option("--score COLUMN", "Column of scores, with --data."),
    option("--positive LABEL", "The positive label, with --data."),
    _options.database_options,
)
@option("--method auto|asymptotic|full", "Formula, simulation, or whichever is needed.")
@option("--samples N", "Simulated samples.", to="n_samples", default=10_000)
@option("--seed N", "Seed of the simulation.", to="rng", default=0)
@output_options
def plan(*, data: Words, output: Words, sd_ratio: float | None, prevalence: float | None, **asked: Any) -> None:
    """How many cases does a test set need to tell two models apart?

    \b
    unconfuse plan --difference .01 --prevalence 10%
    unconfuse plan --difference .02 --data scores.csv --label y --score p --metric average_precision
    """
    import unconfuse

    if data["source"] is None:
        refuse(data, "goes with --data FILE only.")
        model: Any = unconfuse.Binormal(sd_ratio=1.0 if sd_ratio is None else sd_ratio)
        prevalence = 0.5 if prevalence is None else prevalence
    else:
        refuse({"sd_ratio": sd_ratio}, "is for normal scores; it does not go with --data.")
        model = unconfuse.Empirical(_options.read(data))
    found = _options.watched(unconfuse.plan, model, prevalence=prevalence, **asked)
    few = [[f"{n:,}", f"{kappa:.4f}"] for n, kappa in found.curve[::4]]
    rows = [{"n": n, "kappa": kappa} for n, kappa in found.curve]
    markdown = f"{found.sentence}\n\n" + markdown_text(["Cases", "kappa"], few)
    emit(output, found.as_dict(), rows, markdown, lambda console: _draw(console, found))


def _draw(console: Console, found: Plan) -> None:
    say(console, f"{found.sentence}\n", "bold")
    lines = [(f"{n:,}", f"{round(n * found.prevalence):,}", f"{kappa:.4f}") for n, kappa in found.curve[::4]]
    heads = ("cases", "positives", "resolves differences of")
    console.print(as_table(lines, [{"header": head, "justify": "right"} for head in heads], gap=3))

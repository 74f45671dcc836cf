"""`unconfuse tournament`: let metrics compete as guides of a model search."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import database_options, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.resolving.tournaments import TournamentResult


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--label", required=True, metavar="COLUMN", help="Column of true labels.")
@click.option("--positive", metavar="LABEL", help="The positive label, unless labels are 0/1, -1/1 or true/false.")
@database_options
@click.option(
    "--estimator",
    default="sklearn.ensemble:HistGradientBoostingClassifier",
    show_default=True,
    metavar="MODULE:CLASS",
    help="Class with fit and predict_proba.",
)
@click.option(
    "--space",
    default='{"learning_rate": {"low": 0.01, "high": 0.3}, "max_iter": {"low": 25, "high": 150}}',
    show_default=True,
    metavar="JSON",
    help="For each parameter a list of choices, or low and high.",
)
@click.option("--baseline", metavar="JSON", help="Parameters of a first model, to measure resolving power on.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A guide; at least two. [default: auroc, auprc_davis_goadrich]",
)
@click.option("--trials", type=int, default=20, show_default=True, metavar="N")
@click.option("--candidates", type=int, default=6, show_default=True, metavar="N", help="Models in each search.")
@click.option("--jobs", type=int, default=1, show_default=True, metavar="N", help="Processes.")
@click.option(
    "--store", type=click.Path(dir_okay=False), metavar="FILE", help="Keep finished trials here, and go on from them."
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N")
@output_options
def tournament(
    file: str,
    label: str,
    positive: str | None,
    table: str | None,
    query: str | None,
    estimator: str,
    space: str,
    baseline: str | None,
    metrics: tuple[str, ...],
    trials: int,
    candidates: int,
    jobs: int,
    store: str | None,
    seed: int,
    **output: Any,
) -> None:
    """Which metric finds the better model? Random splits, a small search in each, measured on a large test part.

    FILE is as in `evaluate`; every column but the label must be a number.
    """
    import numpy as np

    import unconfuse
    from unconfuse.cli._output import emit, markdown_text
    from unconfuse.cli._progress import resampling_line
    from unconfuse.ingest import Data
    from unconfuse.ingest.others import read_columns

    read = read_columns(Data(file, label=label, table=table, query=query), everything=True)
    X, y = np.column_stack(list(read.numbers.values())), read.label
    with resampling_line() as progress:
        result = unconfuse.tournament(
            _class(estimator),
            _space(space),
            X,
            y,
            metrics=metrics or ("auroc", "auprc_davis_goadrich"),
            baseline=None if baseline is None else _json(baseline, "--baseline"),
            n_trials=trials,
            n_candidates=candidates,
            positive=positive,
            rng=seed,
            n_jobs=jobs,
            store=store,
            progress=progress,
        )
    emit(
        payload=result.as_dict(),
        rows=result.rows(),
        markdown=lambda: markdown_text(list(result.rows()[0]), [list(map(str, row.values())) for row in result.rows()]),
        draw=lambda console: _draw(console, result),
        **output,
    )


def _class(name: str) -> Any:
    from unconfuse._errors import ArgumentError

    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError):
        raise ArgumentError(
            f"there is no estimator {name!r}. Hint: write it like "
            "sklearn.linear_model:LogisticRegression, and install its package."
        ) from None


def _space(text: str) -> dict[str, Any]:
    return {
        name: (each["low"], each["high"]) if isinstance(each, dict) and set(each) == {"low", "high"} else each
        for name, each in _json(text, "--space").items()
    }


def _json(text: str, option: str) -> dict[str, Any]:
    from unconfuse._errors import ArgumentError

    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ArgumentError(f"{option} must be a JSON object; got {text[:60]!r}.")
    return found


def _draw(console: Console, result: TournamentResult) -> None:
    from rich.table import Table
    from rich.text import Text

    for sentence in map(str, result.duels):
        console.print(Text(sentence, style="bold"))
    for name, kappa in result.mean_kappas().items():
        console.print(f"mean kappa of {name} on the baseline: {kappa:.4f}")
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for head in result.rows()[0]:
        table.add_column(head)
    for row in result.rows():
        table.add_row(*(each if isinstance(each, str) else f"{each:.4f}" for each in row.values()))
    console.print(table)

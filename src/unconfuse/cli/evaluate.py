"""`unconfuse evaluate`: labels and scores from a file."""

from __future__ import annotations

from typing import Any

import click

from unconfuse.cli._options import file_options, metric_options, output_options


@click.command()
@file_options
@click.option("--threshold", type=float, default=0.5, show_default=True, metavar="SCORE",
              help="A case is called positive if its score is at least this.")
@click.option("--scores", metavar="PATTERN",
              help="Several classes: columns of scores, such as 'p_*' (the class is what the star stands for), or "
                   "their names with commas.")
@click.option("--predicted", metavar="COLUMN", help="Several classes: column of predicted labels.")
@click.option("--sort", default="support", show_default=True, metavar="NAME",
              help="Several classes: order of the table of classes, by support or by a metric shown there.")
@metric_options
@click.option("--resamples", type=int, default=2000, show_default=True, metavar="N", help="Size of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the bootstrap.")
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE",
              help="Draw the overview into a .png, .svg or .pdf file.")
@click.option("--explain", metavar="METRIC",
              help="Show every definition that goes by this name, such as auprc, and which tool computes it.")
@output_options
def evaluate(
    *, file: str, label: str | None, score: str | None, weight: str | None, group: str | None, id: str | None,
    positive: str | None, delimiter: str | None, threshold: float, scores: str | None, predicted: str | None, sort: str,
    metrics: tuple[str, ...], prevalence: float | None, design: str, level: float, resamples: int, seed: int,
    plot: str | None, explain: str | None, **output: Any,
) -> None:
    """Judge a classifier from labels and scores.

    FILE is CSV, Parquet or JSON lines, plain or compressed, a pattern that matches several files (in quotes), or - for
    standard input.
    """
    if scores is not None or predicted is not None:
        from unconfuse.cli._classes import evaluate_file

        evaluate_file(
            file, {"label": label, "weight": weight, "group": group, "id": id, "delimiter": delimiter},
            scores=scores, predicted=predicted, metrics=metrics, design=design, level=level, resamples=resamples,
            seed=seed, plot=plot, sort=sort, refused={"--score": score, "--positive": positive, "--explain": explain,
                                                      "--prevalence": prevalence}, **output,
        )  # fmt: skip
        return
    from unconfuse.api import evaluate as judge
    from unconfuse.cli._evaluation import emit_evaluation, emit_ledger
    from unconfuse.cli._progress import resampling_line
    from unconfuse.ingest import gather

    rows = gather(
        file, label=label, score=score, weight=weight, group=group, id=id, positive=positive, delimiter=delimiter
    )
    with resampling_line() as progress:
        result = judge(
            rows, threshold=threshold, metrics=metrics or None, design=design, confidence_level=level,
            n_resamples=resamples, rng=seed, name=next(iter(rows.score)), progress=progress,
        ).replaced(source="standard input" if file == "-" else file)
    if plot is not None:
        result.plot(plot)
    if explain is not None:
        emit_ledger(result.explain(explain), **output)
        return
    emit_evaluation(result, prevalence, **output)

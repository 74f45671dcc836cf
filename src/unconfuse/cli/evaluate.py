"""`unconfuse evaluate`: labels and scores from a file."""

from __future__ import annotations

from typing import Any

import click

from unconfuse.cli._options import file_options, metric_options, output_options, source_name
from unconfuse.cli._page import page_options, write_page


@click.command()
@file_options
@click.option(
    "--threshold",
    type=float,
    default=0.5,
    show_default=True,
    metavar="SCORE",
    help="A case is called positive if its score is at least this.",
)
@click.option(
    "--scores",
    metavar="PATTERN",
    help="Several classes: columns of scores, such as 'p_*' (the class is what the star stands for), or "
    "their names with commas.",
)
@click.option("--predicted", metavar="COLUMN", help="Several classes: column of predicted labels.")
@click.option(
    "--class", "one_class", metavar="NAME", help="Several classes: judge this class against the rest, as two classes."
)
@click.option(
    "--sort",
    default="support",
    show_default=True,
    metavar="NAME",
    help="Several classes: order of the table of classes, by support or by a metric shown there.",
)
@metric_options
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Judge every subgroup of this column as well, and how they differ; several columns are crossed.",
)
@click.option(
    "--reference",
    metavar="SUBGROUP",
    help="The subgroup that others are compared with, or rest for everyone else. [default: the largest]",
)
@click.option("--resamples", type=int, default=2000, show_default=True, metavar="N", help="Size of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the bootstrap.")
@click.option(
    "--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Draw the overview into a .png, .svg or .pdf file."
)
@click.option(
    "--explain",
    metavar="METRIC",
    help="Show every definition that goes by this name, such as auprc, and which tool computes it.",
)
@page_options
@output_options
def evaluate(
    *,
    file: str,
    label: str | None,
    score: str | None,
    weight: str | None,
    group: str | None,
    id: str | None,
    positive: str | None,
    delimiter: str | None,
    table: str | None,
    query: str | None,
    on_bad_row: str,
    threshold: float,
    scores: str | None,
    predicted: str | None,
    one_class: str | None,
    sort: str,
    metrics: tuple[str, ...],
    prevalence: float | None,
    design: str,
    level: float,
    by: tuple[str, ...],
    reference: str | None,
    resamples: int,
    seed: int,
    plot: str | None,
    explain: str | None,
    html: str | None,
    payload: str | None,
    **output: Any,
) -> None:
    """Judge a classifier from labels and scores.

    FILE is CSV, Parquet or JSON, plain or compressed; a folder of such files or a pattern (in quotes); - for standard
    input; or the address of a database, such as sqlite:///file.db or postgresql://user@host/name, with --table or
    --query.
    """
    if scores is not None or predicted is not None:
        from unconfuse.cli._classes import evaluate_file

        evaluate_file(
            file,
            {"label": label, "weight": weight, "group": group, "id": id, "delimiter": delimiter},
            scores=scores,
            predicted=predicted,
            metrics=metrics,
            design=design,
            level=level,
            resamples=resamples,
            seed=seed,
            plot=plot,
            sort=sort,
            one_class=one_class,
            page={"html": html, "payload": payload},
            refused={
                "--score": score,
                "--positive": positive,
                "--explain": explain,
                "--prevalence": prevalence,
                "--by": by or None,
                "--reference": reference,
                "--table": table,
                "--query": query,
                "--on-bad-row": None if on_bad_row == "error" else on_bad_row,
            },
            **output,
        )
        return
    if one_class is not None:
        raise click.UsageError(
            "--class needs the scores or the predicted labels of several classes. Hint: give "
            "--scores PATTERN or --predicted COLUMN."
        )
    from unconfuse.api import evaluate as judge
    from unconfuse.cli._evaluation import emit_evaluation, emit_ledger
    from unconfuse.cli._progress import reading_line, resampling_line
    from unconfuse.cli._subgroups import emit_subgroups, refuse_with_subgroups, shown_of_subgroups
    from unconfuse.ingest._old import gather

    if by or reference:
        refuse_with_subgroups(by, prevalence=prevalence, explain=explain)
    with reading_line() as progress:
        rows = gather(
            file,
            label=label,
            score=score,
            weight=weight,
            group=group,
            id=id,
            positive=positive,
            delimiter=delimiter,
            table=table,
            query=query,
            on_bad_row=on_bad_row,
            progress=progress,
            rows=False,
            by=list(by) or None,
            edges=[threshold],
        )
    if by and not metrics:
        metrics = shown_of_subgroups(**output)
    with resampling_line() as progress:
        result = judge(
            rows,
            threshold=threshold,
            metrics=metrics or None,
            design=design,
            confidence_level=level,
            n_resamples=resamples,
            rng=seed,
            name=rows.models[0],
            progress=progress,
            reference=reference,
        ).replaced(source=source_name(file))
    write_page(result, html=html, payload=payload, prevalence=prevalence)
    if by:
        emit_subgroups(result, plot, **output)
        return
    if plot is not None:
        result.plot(plot)
    if explain is not None:
        emit_ledger(result.explain(explain), **output)
        return
    emit_evaluation(result, prevalence, **output)

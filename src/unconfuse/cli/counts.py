"""`unconfuse counts`: a classifier known only by its four counts."""

from __future__ import annotations

from typing import Any

import click

from unconfuse.cli._options import metric_options, output_options
from unconfuse.cli._page import page_options, write_page


@click.command()
@click.option("--tp", type=float, metavar="N", help="True positives: positives that were found.")
@click.option("--fp", type=float, metavar="N", help="False positives: false alarms.")
@click.option("--fn", type=float, metavar="N", help="False negatives: positives that were missed.")
@click.option("--tn", type=float, metavar="N", help="True negatives: negatives left alone.")
@click.option("--matrix", metavar="FILE", help="CSV file with a K x K confusion matrix; rows are the truth.")
@click.option("--class", "one_class", metavar="NAME", help="With --matrix: judge this class against the rest.")
@metric_options
@page_options
@output_options
def counts(
    *,
    tp: float | None,
    fp: float | None,
    fn: float | None,
    tn: float | None,
    matrix: str | None,
    one_class: str | None,
    metrics: tuple[str, ...],
    prevalence: float | None,
    design: str,
    level: float,
    html: str | None,
    payload: str | None,
    **output: Any,
) -> None:
    """Judge a classifier from its four counts, or from a K x K confusion matrix."""
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    if matrix is not None:
        from unconfuse.cli._classes import evaluate_matrix

        refused = {f"--{name}": cell for name, cell in cells.items()} | {"--prevalence": prevalence}
        evaluate_matrix(
            matrix,
            metrics=metrics,
            design=design,
            level=level,
            one_class=one_class,
            page={"html": html, "payload": payload},
            refused=refused,
            **output,
        )
        return
    if one_class is not None:
        raise click.UsageError("--class goes with --matrix FILE only.")
    if tp is None or fp is None or fn is None or tn is None:
        missing = next(name for name, cell in cells.items() if cell is None)
        raise click.UsageError(f"Missing option '--{missing}'. Hint: give all four counts, or --matrix FILE.")
    from unconfuse.api import evaluate_counts
    from unconfuse.cli._evaluation import emit_evaluation

    result = evaluate_counts(tp=tp, fp=fp, fn=fn, tn=tn, metrics=metrics or None, design=design, confidence_level=level)
    write_page(result, html=html, payload=payload, prevalence=prevalence)
    emit_evaluation(result, prevalence, **output)

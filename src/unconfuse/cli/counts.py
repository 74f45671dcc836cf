"""`unconfuse counts`: a classifier known only by its four counts."""

from __future__ import annotations

from typing import Any

import click

from unconfuse.cli._options import metric_options, output_options
from unconfuse.cli._page import page_options, write_page


@click.command()
@click.option("--tp", type=float, required=True, metavar="N", help="True positives: positives that were found.")
@click.option("--fp", type=float, required=True, metavar="N", help="False positives: false alarms.")
@click.option("--fn", type=float, required=True, metavar="N", help="False negatives: positives that were missed.")
@click.option("--tn", type=float, required=True, metavar="N", help="True negatives: negatives left alone.")
@metric_options
@page_options
@output_options
def counts(
    *, tp: float, fp: float, fn: float, tn: float, metrics: tuple[str, ...], prevalence: float | None, design: str,
    level: float, html: str | None, payload: str | None, **output: Any,
) -> None:
    """Judge a classifier from its four counts."""
    from unconfuse.api import evaluate_counts
    from unconfuse.cli._evaluation import emit_evaluation

    result = evaluate_counts(
        tp=tp, fp=fp, fn=fn, tn=tn, metrics=metrics or None, design=design, confidence_level=level
    )
    write_page(result, html=html, payload=payload, prevalence=prevalence)
    emit_evaluation(result, prevalence, **output)

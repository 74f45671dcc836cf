"""`unconfuse counts`: a classifier known only by its four counts, or by a confusion matrix."""

from __future__ import annotations

from typing import Any

import click

from unconfuse.cli._options import Words, metric_options, option, refuse, refuse_two_classes
from unconfuse.cli._output import output_options, page_options, write_page


@click.command()
@option("--tp N", "True positives: positives that were found.", type=float)
@option("--fp N", "False positives: false alarms.", type=float)
@option("--fn N", "False negatives: positives that were missed.", type=float)
@option("--tn N", "True negatives: negatives left alone.", type=float)
@option("--matrix FILE", "CSV file with a K x K confusion matrix; rows are the truth.")
@option("--class NAME", "With --matrix: judge this class against the rest.", to="one_class")
@metric_options
@page_options
@output_options
def counts(
    *, output: Words, matrix: str | None, one_class: str | None, prevalence: float | None, **statistics: Any
) -> None:
    """Judge a classifier from its four counts, or from a K x K confusion matrix."""
    cells = {name: statistics.pop(name) for name in ("tp", "fp", "fn", "tn")}
    if matrix is not None:
        from unconfuse.api import evaluate_confusion
        from unconfuse.cli._parts import show_evaluation
        from unconfuse.ingest.others import read_matrix

        refuse_two_classes({**cells, "prevalence": prevalence})
        judged = evaluate_confusion(*read_matrix(matrix), **statistics)
        show_evaluation(judged.replaced(source=matrix), output, one_class)
        return
    refuse({"class": one_class}, "goes with --matrix FILE only.")
    missing = [name for name, cell in cells.items() if cell is None]
    if missing:
        raise click.UsageError(f"Missing option '--{missing[0]}'. Hint: give all four counts, or --matrix FILE.")
    from unconfuse.api import evaluate_counts
    from unconfuse.cli._evaluation import emit_evaluation

    result = evaluate_counts(**cells, **statistics)
    write_page(result, output, prevalence=prevalence)
    emit_evaluation(result, output, prevalence)

"""An evaluation in every form that the command line prints."""

from __future__ import annotations

from typing import Any

from unconfuse._plain import number_text
from unconfuse.cli._draw import chance_text, draw_evaluation, interval_head
from unconfuse.cli._output import emit, markdown_text
from unconfuse.cli._sections import sections
from unconfuse.results.evaluation import Evaluation


def emit_evaluation(
    evaluation: Evaluation, prevalence: float | None, *, form: str, as_json: bool, output: str | None
) -> None:
    """Print an evaluation, at another prevalence if one is given."""
    if prevalence is not None:
        from unconfuse.api import shift_prevalence

        evaluation = shift_prevalence(evaluation, prevalence=prevalence)
    emit(
        payload=evaluation.as_dict()
        | {"score": evaluation.name, "source": evaluation.source, "prevalence": prevalence},
        rows=evaluation.rows(),
        markdown=lambda: evaluation_markdown(evaluation),
        draw=lambda console: draw_evaluation(console, evaluation, prevalence),
        form=form,
        as_json=as_json,
        output=output,
    )


def evaluation_markdown(evaluation: Evaluation) -> str:
    """Findings as a list, then one table."""
    said = "".join(f"- {finding.sentence}\n" for finding in evaluation.findings)
    binned = any(each.bound_text() for each in evaluation.values())
    heads = ["Metric", "Value", interval_head(evaluation), "Chance", *(["Certainly"] if binned else []), "Method"]
    lines = [
        [
            each.label,
            number_text(each.value),
            each.interval_text,
            chance_text(each),
            *([each.bound_text()] if binned else []),
            each.undefined or each.method,
        ]
        for section in sections(evaluation.values())
        for each in section.estimates
    ]
    return f"{said}\n{markdown_text(heads, lines)}" if said else markdown_text(heads, lines)


def emit_ledger(ledger: Any, *, form: str, as_json: bool, output: str | None) -> None:
    """Print the definitions that share a metric's name."""
    heads = ["Definition", "Value", "Who computes it", "Why it differs"]
    lines = [[each.definition, number_text(each.value), each.tools, each.why] for each in ledger.entries]
    emit(
        payload=ledger.as_dict(),
        rows=ledger.rows(),
        markdown=lambda: markdown_text(heads, lines),
        draw=lambda console: _draw_ledger(console, ledger),
        form=form,
        as_json=as_json,
        output=output,
    )


def _draw_ledger(console: Any, ledger: Any) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0), show_header=False)
    for each in ledger.entries:
        table.add_row(each.definition, number_text(each.value), Text.assemble((each.tools, "bold"), f"\n{each.why}"))
    console.print(Text(f"{ledger.title}\n", style="bold"))
    console.print(table)
    console.print(Text(ledger.advice))

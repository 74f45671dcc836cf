"""`unconfuse compare`: several models' scores of the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import SHARE, complete_metrics, models_options, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.comparison import Comparison


@click.command()
@models_options
@click.option("--scores", "patterns", metavar="PATTERN", multiple=True,
              help="Several classes: a model's columns of scores, such as 'a_*'; give one for each model.")
@click.option("--threshold", type=float, default=0.5, show_default=True, metavar="SCORE",
              help="A case is called positive if its score is at least this.")
@click.option("--metric", "metrics", multiple=True, metavar="NAME", shell_complete=complete_metrics,
              help="Compare by this metric; may be repeated. `unconfuse metrics` lists them.")
@click.option("--reference", metavar="COLUMN", help="Compare every model with this one only.")
@click.option("--baseline", "baselines", multiple=True, type=click.Choice(["majority", "constant"]),
              help="Add a model that always names the larger class, or always predicts the prevalence.")
@click.option("--margin", type=SHARE, metavar="SHARE", help="The largest difference that does not matter.")
@click.option("--adjust", type=click.Choice(["max-t", "holm"]), default="max-t", show_default=True,
              help="How p-values are adjusted for several pairs of models.")
@click.option("--design", type=click.Choice(["cohort", "case-control"]), default="cohort", show_default=True,
              help="Did the share of positives come about by itself, or did the study choose it?")
@click.option("--level", type=SHARE, default=0.95, show_default=True, metavar="SHARE",
              help="Confidence level of the intervals.")
@click.option("--resamples", type=int, default=2000, show_default=True, metavar="N", help="Size of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the bootstrap.")
@output_options
def compare(
    *, file: str, label: str | None, scores: tuple[str, ...], patterns: tuple[str, ...],
    weight: str | None, group: str | None, id: str | None,
    positive: str | None, delimiter: str | None, threshold: float, metrics: tuple[str, ...], reference: str | None,
    baselines: tuple[str, ...], margin: float | None, adjust: str, design: str, level: float, resamples: int, seed: int,
    **output: Any,
) -> None:
    """Say which of several models is better on the same cases, and how sure that is.

    \b
    unconfuse compare patients.csv --label outcome --positive yes --score risk --score rule
    """
    from unconfuse.api import compare as judge
    from unconfuse.cli._output import emit
    from unconfuse.cli._progress import resampling_line
    from unconfuse.ingest import gather

    if not scores and not patterns:
        raise click.UsageError("Missing option '--score'. Hint: name the column of each model's scores.")
    if patterns:
        from unconfuse.cli._classes import compare_file

        result = compare_file(
            file, {"label": label, "weight": weight, "group": group, "id": id, "delimiter": delimiter}, patterns,
            metrics=metrics or None, reference=reference, baselines=baselines, margin=margin, adjust=adjust,
            design=design, confidence_level=level, n_resamples=resamples, rng=seed,
        )  # fmt: skip
        emit(payload={**result.as_dict(), "source": file}, rows=result.rows(), markdown=lambda: _markdown(result),
             draw=lambda console: _draw(console, result), **output)  # fmt: skip
        return
    rows = gather(file, label=label, score=list(scores), weight=weight, group=group, id=id, positive=positive,
                  delimiter=delimiter)  # fmt: skip
    with resampling_line() as progress:
        result = judge(
            rows, metrics=metrics or None, threshold=threshold, reference=reference, baselines=baselines, margin=margin,
            adjust=adjust, design=design, confidence_level=level, n_resamples=resamples, rng=seed, progress=progress,
        )  # fmt: skip
    emit(payload={**result.as_dict(), "source": file}, rows=result.rows(), markdown=lambda: _markdown(result),
         draw=lambda console: _draw(console, result), **output)  # fmt: skip


HEADS = ("", "first", "second", "difference", "interval", "p", "verdict")


def _lines(result: Comparison, pair: tuple[str, str]) -> list[list[str]]:
    from unconfuse.comparison.result import p_text
    from unconfuse.results import number_text

    found = [each for each in result.values() if (each.first, each.second) == pair]
    return [
        [each.label, number_text(each.first_value), number_text(each.second_value), number_text(each.difference.value),
         each.difference.interval_text, p_text(each.adjusted_p_value).removeprefix("p ").removeprefix("= "),
         each.verdict]
        for each in found
    ]  # fmt: skip


def _pairs(result: Comparison) -> list[tuple[str, str]]:
    return list(dict.fromkeys((each.first, each.second) for each in result.values()))


def _markdown(result: Comparison) -> str:
    from unconfuse.cli._output import markdown_text

    parts = ["".join(f"- {sentence}\n" for sentence in result.findings)]
    for first, second in _pairs(result):
        heads = ["Metric", first, second, *HEADS[3:]]
        parts.append(markdown_text(heads, _lines(result, (first, second))))
    return "\n".join(parts)


def _draw(console: Console, result: Comparison) -> None:
    from rich.table import Table
    from rich.text import Text

    from unconfuse.cli._text import harmless, shortened

    level = f"{100 * result.settings['confidence_level']:.4g}%"
    classes = result.settings.get("classes")
    kinds = f"{len(classes)} classes" if classes else f"{result.positives:,.0f} positive"
    console.print(Text(f"{result.n:,.0f} cases, {kinds}; {result.settings['design']} design", style="dim"))
    console.print()
    for sentence in result.findings:
        console.print(Text(harmless(sentence), style="bold"))
    for first, second in _pairs(result):
        console.print(Text(f"\n{shortened(first, 40)} against {shortened(second, 40)}", style="bold"))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        names = shortened(first, 12), shortened(second, 12)
        for head in ("", *names, "difference", f"{level} interval", "p", "verdict"):
            table.add_column(Text(head), justify="left" if head in ("", "verdict") else "right")
        for line in _lines(result, (first, second)):
            table.add_row(*(Text(cell) for cell in line))
        console.print(table)
    console.print(_footnote(result))


def _footnote(result: Comparison) -> Any:
    from rich.text import Text

    pairs = len(_pairs(result))
    if result.settings.get("classes"):
        ways = "by every case's influence on both metrics (accuracy: McNemar)"
    else:
        ways = (f"resampled {result.settings['n_resamples']:,} times where no formula serves (AUROC: DeLong; accuracy, "
                "sensitivity, specificity: McNemar)")  # fmt: skip
    adjusted = f" p-values are adjusted for {pairs} pairs of models ({result.settings['adjust']})." if pairs > 1 else ""
    return Text(
        f"\nDifferences are paired: both models are judged on the same cases, {ways}.{adjusted}",
        style="dim",
    )  # fmt: skip

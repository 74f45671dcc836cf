"""`unconfuse compare`: several models' scores of the same cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import SHARE, complete_metrics, models_options, output_options, source_name
from unconfuse.cli._page import page_options, write_page

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from unconfuse.cli._marks import Marks
    from unconfuse.comparison import Comparison


@click.command()
@models_options
@click.option(
    "--scores",
    "patterns",
    metavar="PATTERN",
    multiple=True,
    help="Several classes: a model's columns of scores, such as 'a_*'; give one for each model.",
)
@click.option(
    "--threshold",
    type=float,
    default=0.5,
    show_default=True,
    metavar="SCORE",
    help="A case is called positive if its score is at least this.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_metrics,
    help="Compare by this metric; may be repeated. `unconfuse metrics` lists them.",
)
@click.option("--reference", metavar="COLUMN", help="Compare every model with this one only.")
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    type=click.Choice(["majority", "constant"]),
    help="Add a model that always names the larger class, or always predicts the prevalence.",
)
@click.option("--margin", type=SHARE, metavar="SHARE", help="The largest difference that does not matter.")
@click.option(
    "--adjust",
    type=click.Choice(["max-t", "holm"]),
    default="max-t",
    show_default=True,
    help="How p-values are adjusted for several pairs of models.",
)
@click.option(
    "--design",
    type=click.Choice(["cohort", "case-control"]),
    default="cohort",
    show_default=True,
    help="Did the share of positives come about by itself, or did the study choose it?",
)
@click.option(
    "--level", type=SHARE, default=0.95, show_default=True, metavar="SHARE", help="Confidence level of the intervals."
)
@click.option("--resamples", type=int, default=2000, show_default=True, metavar="N", help="Size of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the bootstrap.")
@page_options
@output_options
def compare(
    *,
    file: str,
    label: str | None,
    scores: tuple[str, ...],
    patterns: tuple[str, ...],
    weight: str | None,
    group: str | None,
    id: str | None,
    positive: str | None,
    delimiter: str | None,
    table: str | None,
    query: str | None,
    on_bad_row: str,
    threshold: float,
    metrics: tuple[str, ...],
    reference: str | None,
    baselines: tuple[str, ...],
    margin: float | None,
    adjust: str,
    design: str,
    level: float,
    resamples: int,
    seed: int,
    html: str | None,
    payload: str | None,
    **output: Any,
) -> None:
    """Say which of several models is better on the same cases, and how sure that is.

    \b
    unconfuse compare patients.csv --label outcome --positive yes --score risk --score rule
    """
    from unconfuse.api import compare as judge
    from unconfuse.cli._output import emit
    from unconfuse.cli._progress import reading_line, resampling_line
    from unconfuse.ingest import distant_rows, gather

    if not scores and not patterns:
        raise click.UsageError("Missing option '--score'. Hint: name the column of each model's scores.")
    if patterns:
        from unconfuse.cli._classes import compare_file

        result = compare_file(
            file,
            {"label": label, "weight": weight, "group": group, "id": id, "delimiter": delimiter},
            patterns,
            metrics=metrics or None,
            reference=reference,
            baselines=baselines,
            margin=margin,
            adjust=adjust,
            design=design,
            confidence_level=level,
            n_resamples=resamples,
            rng=seed,
        )
        write_page(result, html=html, payload=payload)
        emit(
            payload={**result.as_dict(), "source": file},
            rows=result.rows(),
            markdown=lambda: _markdown(result),
            draw=lambda console: _draw(console, result),
            **output,
        )
        return
    columns: dict[str, Any] = {
        "label": label,
        "score": list(scores),
        "weight": weight,
        "group": group,
        "id": id,
        "positive": positive,
        "on_bad_row": on_bad_row,
    }
    with reading_line() as progress:
        rows = distant_rows(file, **columns, edges=[threshold]) or gather(
            file, **columns, delimiter=delimiter, table=table, query=query, progress=progress
        )
    with resampling_line() as progress:
        result = judge(
            rows,
            metrics=metrics or None,
            threshold=threshold,
            reference=reference,
            baselines=baselines,
            margin=margin,
            adjust=adjust,
            design=design,
            confidence_level=level,
            n_resamples=resamples,
            rng=seed,
            progress=progress,
        )
    write_page(result, html=html, payload=payload)
    emit(
        payload={**result.as_dict(), "source": source_name(file)},
        rows=result.rows(),
        markdown=lambda: _markdown(result),
        draw=lambda console: _draw(console, result),
        **output,
    )


_BAR = 13
HEADS = ("", "first", "second", "difference", "interval", "p", "verdict")


def _lines(result: Comparison, pair: tuple[str, str]) -> list[list[str]]:
    from unconfuse.comparison.result import p_text
    from unconfuse.results import number_text

    found = [each for each in result.values() if (each.first, each.second) == pair]
    return [
        [
            each.label,
            number_text(each.first_value),
            number_text(each.second_value),
            number_text(each.difference.value),
            each.difference.interval_text,
            p_text(each.adjusted_p_value).removeprefix("p ").removeprefix("= "),
            each.verdict,
        ]
        for each in found
    ]


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
    from dataclasses import replace

    from rich.text import Text

    from unconfuse.cli._text import harmless, shortened

    classes = result.settings.get("classes")
    kinds = f"{len(classes)} classes" if classes else f"{result.positives:,.0f} positive"
    console.print(Text(f"{result.n:,.0f} cases, {kinds}; {result.settings['design']} design", style="dim"))
    console.print()
    for each in result.values():
        if each.metric == result.metrics[0]:
            named = replace(each, first=shortened(each.first), second=shortened(each.second))
            console.print(Text(harmless(named.sentence), style="bold"))
    for first, second in _pairs(result):
        room = (console.width - len(" against ")) // 2
        console.print(Text(f"\n{shortened(first, room)} against {shortened(second, room)}", style="bold"))
        _draw_pair(console, result, (first, second))
    console.print(_footnote(result))


def _draw_pair(console: Console, result: Comparison, pair: tuple[str, str]) -> None:
    """One line for each metric; the bars of a pair have one scale, with no difference in its middle."""
    from rich.text import Text

    from unconfuse.cli._layout import Column, fit
    from unconfuse.cli._marks import marks_for
    from unconfuse.cli._text import shortened

    level = f"{100 * result.settings['confidence_level']:.4g}%"
    cells = list(zip(*_lines(result, pair), strict=True))
    columns = [
        Column("", [shortened(each, 60) for each in cells[0]], narrowest=18),
        Column(shortened(pair[0], 10), _known(cells[1]), right=True, rank=4),
        Column(shortened(pair[1], 10), _known(cells[2]), right=True, rank=4),
        Column("diff.", _known(cells[3]), right=True),
        Column(f"{level} interval", cells[4], rank=2),
        Column("", _bars(marks_for(console), result, pair), name="bars", rank=1),
        Column("p", _known(cells[5]), right=True, rank=3),
        Column("verdict", cells[6]),
    ]
    layout = fit(columns, console.width)
    layout.draw_all(console)
    if any(column.name == "bars" for column in layout.columns):
        marks = marks_for(console)
        words = f"{marks.value} difference  {marks.interval} interval  {marks.chance} no difference"
        console.print(Text(f"{words}; to the right, {shortened(pair[0], 20)} is higher", style="dim"))


def _known(cells: Sequence[str]) -> list[str]:
    """Nothing for what is undefined: the verdict says so."""
    return ["" if each == "undefined" else each for each in cells]


def _bars(marks: Marks, result: Comparison, pair: tuple[str, str]) -> list[Text]:
    from unconfuse._cards import TERMINAL
    from unconfuse.cli._marks import Scale, interval_bar

    found = [each for each in result.values() if (each.first, each.second) == pair]
    limits = (abs(end) for each in found for end in (each.difference.low, each.difference.high, each.difference.value))
    reach = max((each for each in limits if math.isfinite(each)), default=0.0) or 1.0
    scale = Scale(-reach, reach, _BAR)
    styles = {"better": TERMINAL["good"], "worse": TERMINAL["bad"]}
    return [
        interval_bar(
            marks,
            scale,
            value=each.difference.value,
            low=each.difference.low,
            high=each.difference.high,
            reference=0.0,
            style=styles.get(each.verdict, ""),
        )
        for each in found
    ]


def _footnote(result: Comparison) -> Any:
    from rich.text import Text

    pairs = len(_pairs(result))
    if result.settings.get("classes"):
        ways = "by every case's influence on both metrics (accuracy: McNemar)"
    else:
        ways = (
            f"resampled {result.settings['n_resamples']:,} times where no formula serves (AUROC: DeLong; accuracy, "
            "sensitivity, specificity: McNemar)"
        )
    adjusted = f" p-values are adjusted for {pairs} pairs of models ({result.settings['adjust']})." if pairs > 1 else ""
    return Text(f"\nDifferences are paired: both models are judged on the same cases, {ways}.{adjusted}", style="dim")

"""`unconfuse thresholds`: every way to choose a threshold, measured honestly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from unconfuse.cli._options import SHARE, file_options, output_options
from unconfuse.cli._page import page_options, write_page

if TYPE_CHECKING:
    from rich.console import Console

    from unconfuse.cli._layout import Layout
    from unconfuse.thresholds import OperatingPoint, ThresholdCard

_BAR = 9
SHOWN = ("sensitivity", "specificity", "precision", "youden_j")


@click.command()
@file_options
@click.option("--cost-fp", type=float, metavar="COST", help="Cost of a false positive.")
@click.option("--cost-fn", type=float, metavar="COST", help="Cost of a false negative.")
@click.option(
    "--costs",
    "stakeholders",
    multiple=True,
    metavar="NAME=FP:FN",
    help="Costs of one stakeholder, such as clinic=1:10; may be repeated.",
)
@click.option("--prevalence", type=SHARE, metavar="SHARE", help="Share of positives where the threshold will be used.")
@click.option(
    "--min-precision",
    type=SHARE,
    default=0.9,
    show_default=True,
    metavar="SHARE",
    help="For the largest recall at this precision.",
)
@click.option(
    "--min-recall",
    type=SHARE,
    default=0.9,
    show_default=True,
    metavar="SHARE",
    help="For the largest precision at this recall.",
)
@click.option(
    "--min-specificity",
    type=SHARE,
    default=0.9,
    show_default=True,
    metavar="SHARE",
    help="For the largest sensitivity at this specificity.",
)
@click.option(
    "--queue-rate",
    type=SHARE,
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="Share of the cases that can be labelled.",
)
@click.option("--capacity", type=float, metavar="N", help="Number of cases that can be labelled.")
@click.option("--rule", "rules", multiple=True, metavar="NAME", help="Only this rule; may be repeated.")
@click.option(
    "--honest",
    type=click.Choice(["crossfit", "optimism", "none"]),
    default="crossfit",
    show_default=True,
    help="How to measure on cases that had no part in the choice.",
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
@click.option("--resamples", type=int, default=500, show_default=True, metavar="N", help="Size of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed.")
@click.option(
    "--export", type=click.Path(dir_okay=False), metavar="FILE", help="Write the card as JSON, for `unconfuse apply`."
)
@page_options
@output_options
def thresholds(
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
    cost_fp: float | None,
    cost_fn: float | None,
    stakeholders: tuple[str, ...],
    rules: tuple[str, ...],
    level: float,
    resamples: int,
    seed: int,
    export: str | None,
    html: str | None,
    payload: str | None,
    form: str,
    as_json: bool,
    output: str | None,
    **choices: Any,
) -> None:
    """Compare all ways to choose a threshold, each with the performance to expect on new cases.

    \b
    unconfuse thresholds patients.csv --label outcome --score risk --cost-fp 1 --cost-fn 10
    unconfuse thresholds patients.csv --costs clinic=1:10 --costs payer=5:1 --export card.json
    """
    import unconfuse
    from unconfuse.cli._output import emit
    from unconfuse.cli._progress import reading_line
    from unconfuse.ingest._old import gather

    costs = costs_of(cost_fp, cost_fn, stakeholders)
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
        )
    card = unconfuse.threshold_card(
        rows, costs=costs, rules=rules or None, confidence_level=level, n_resamples=resamples, rng=seed, **choices
    )
    if export is not None:
        card.to_json(export)
    write_page(card, html=html, payload=payload, prevalence=choices["prevalence"])
    emit(
        payload=payload_of(card),
        rows=card.rows(),
        markdown=lambda: markdown_of(card),
        draw=lambda console: draw_card(console, card),
        form=form,
        as_json=as_json,
        output=output,
    )


def costs_of(
    fp: float | None, fn: float | None, stakeholders: tuple[str, ...]
) -> Mapping[str, tuple[float, float]] | tuple[float, float] | None:
    """One pair of costs, or several by name."""
    if (fp is None) != (fn is None):
        raise click.UsageError("--cost-fp and --cost-fn belong together.")
    named = dict(_stakeholder(each) for each in stakeholders)
    if fp is None or fn is None:
        return named or None
    return {"": (fp, fn), **named} if named else (fp, fn)


def _stakeholder(text: str) -> tuple[str, tuple[float, float]]:
    name, _, pair = text.partition("=")
    fp, _, fn = pair.partition(":")
    try:
        return name.strip(), (float(fp), float(fn))
    except ValueError:
        raise click.UsageError(
            f"cannot read the costs {text[:60]!r}. Hint: write NAME=FP:FN, such as clinic=1:10."
        ) from None


def payload_of(card: ThresholdCard) -> dict[str, Any]:
    """The card as plain values, with its findings and the counts that every JSON of the command line has."""
    return {
        **card.as_dict(),
        "findings": [each.as_dict() for each in card.findings],
        "n": card.data["n"],
        "positives": card.data["positives"],
    }


def markdown_of(card: ThresholdCard) -> str:
    """Findings as a list, then the table."""
    from unconfuse.cli._output import markdown_text

    heads, lines = _table(card)
    said = "".join(f"- {finding.sentence}\n" for finding in card.findings)
    return f"{said}\n{markdown_text(heads, lines)}" if said else markdown_text(heads, lines)


def draw_card(console: Console, card: ThresholdCard) -> None:
    """What was done, what to know, then one line for each rule."""
    from rich.text import Text

    from unconfuse.cli._text import harmless
    from unconfuse.thresholds.card import HONEST

    data = card.data
    console.print(
        Text(
            f"{data['n']:,.10g} cases, {data['positives']:,.10g} positive ({data['prevalence']:.1%}); "
            f"performance {HONEST[card.honest]}",
            style="bold",
        )
    )
    if card.prevalence is not None:
        words = f"thresholds chosen for a prevalence of {card.prevalence:g}; metrics at that of the data"
        console.print(Text(words, style="dim"))
    console.print()
    for finding in card.findings:
        console.print(Text(harmless(finding.sentence), style="yellow"))
    if card.findings:
        console.print()
    _layout(console, card).draw_all(console)
    console.print(Text(f"\n{_legend(console)}", style="dim"))


def _layout(console: Console, card: ThresholdCard) -> Layout:
    """One line for each rule; where the thresholds lie among the scores of the data is a bar."""
    from unconfuse.cli._layout import Column, fit
    from unconfuse.cli._marks import Scale, interval_bar, marks_for
    from unconfuse.cli._text import shortened

    heads, lines = _table(card)
    cells = list(zip(*lines, strict=True))
    scale = Scale(card.data["lowest_score"], card.data["highest_score"], _BAR)
    chosen = [each.threshold for each in card.points.values()]
    bars = [
        interval_bar(
            marks_for(console),
            scale,
            value=each.value if math.isfinite(each.value) else math.nan,
            low=each.low,
            high=each.high,
        )
        for each in chosen
    ]
    return fit(
        [
            Column(heads[0], [shortened(each, 80) for each in cells[0]], narrowest=20),
            Column(heads[1], cells[1], right=True),
            Column(heads[2], cells[2], rank=1),
            Column("", bars, rank=3, name="where it lies"),
            *(
                Column(head, column, right=True, rank=rank)
                for head, column, rank in zip(heads[3:], cells[3:], (0, 0, 2, 4), strict=True)
            ),
        ],
        console.width,
    )


def _legend(console: Console) -> str:
    from unconfuse.cli._marks import marks_for

    marks = marks_for(console)
    return (
        "Each value is followed by how much better it looked on the data the threshold was chosen on. Bars: "
        f"{marks.value} threshold, {marks.interval} its interval, between the lowest and the highest score."
    )


def _table(card: ThresholdCard) -> tuple[list[str], list[list[str]]]:
    from unconfuse._plain import number_text

    heads = ["rule", "threshold", "interval", *(name.replace("_", " ") for name in SHOWN)]
    lines = [
        [
            each.label,
            number_text(each.threshold.value),
            each.threshold.interval_text,
            *(_value(each, name) for name in SHOWN),
        ]
        for each in card.points.values()
    ]
    return heads, lines


def _value(point: OperatingPoint, name: str) -> str:
    from unconfuse._plain import number_text

    value, gain = point.metrics[name].value, point.optimism[name]
    return number_text(value) if math.isnan(gain) else f"{number_text(value)} {gain:+.3f}"

"""`unconfuse thresholds` and `unconfuse apply`: a threshold chosen, measured honestly, and put to use."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text, share_words
from unconfuse._parameters import cases, decisions
from unconfuse._parameters.uncertainty import MARGIN
from unconfuse.cli import _options, _output
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, Layout, TerminalColumn, fit, harmless, say, shortened
from unconfuse.cli._options import Words, collected, option
from unconfuse.cli._output import emit_result, markdown_text
from unconfuse.policy import Verdict

if TYPE_CHECKING:
    from unconfuse.cli._terminal_canvas import CharacterSet
    from unconfuse.thresholds import OperatingPoint, ThresholdCard, Watch

EXIT_CODES = {"fine": 0, Verdict.WORSE: 3, Verdict.CANNOT_TELL: 4}  # as those of the gate
_BAR = 9
_LABELLED = "labelled_positive"
SHOWN = ("sensitivity", "specificity", "precision", "youden_j")


@command()
@_options.file_options
@collected("costs", *map(option, (decisions.COST_FP, decisions.COST_FN, decisions.COSTS)))
@option(decisions.PREVALENCE, "Share of positives where the threshold will be used.")
@option(decisions.MIN_PRECISION)
@option(decisions.MIN_RECALL)
@option(decisions.MIN_SPECIFICITY)
@option(decisions.PREDICTED_POSITIVE_RATE)
@option(decisions.CAPACITY)
@option(decisions.GUARANTEES)
@option(decisions.MAXIMISE)
@option(decisions.RULES)
@option(decisions.VALIDATION)
@_options.design_options
@_options.sampling_options(500)
@_options.file_to_write("--export FILE", "Write the card as JSON, for `unconfuse apply`.", group="Output")
@_output.page_options
@_output.output_options
def thresholds(*, data: Words, output: Words, costs: Words, export: str | None, **choices: Any) -> None:
    """Compare rules for choosing a threshold, each with its performance on cases not used to choose it.

    \b
    unconfuse thresholds patients.csv --label outcome --positive yes --score risk --cost-fp 1 --cost-fn 10
    unconfuse thresholds patients.csv --label outcome --positive yes --score risk --costs clinic=1:10 \\
        --costs payer=5:1 --export card.json
    """
    import unconfuse

    priced = _costs(**costs)
    choices["maximise"] = choices["maximise"] or ()
    choices["guarantees"] = choices["guarantees"] or ()
    card = _options.watched(unconfuse.threshold_card, _options.read(data), costs=priced, **choices)
    if export is not None:
        card.to_json(export)
        _output.wrote(export)
    _output.write_page(card, output, prevalence=choices["prevalence"])
    sizes = {name: card.data[name] for name in ("n", "positives")}  # which every JSON of the command line has
    emit_result(output, card, _markdown, draw_card, findings=[finding.as_dict() for finding in card.findings], **sizes)


def _costs(
    *, cost_fp: float | None, cost_fn: float | None, costs: list[str] | None
) -> Mapping[str, tuple[float, float]] | tuple[float, float] | None:
    """One pair of costs, or several by name."""
    if (cost_fp is None) != (cost_fn is None):
        raise click.UsageError("--cost-fp and --cost-fn belong together.")
    named = dict(_stakeholder(each) for each in costs or ())
    if cost_fp is None or cost_fn is None:
        return named or None
    return {"": (cost_fp, cost_fn), **named} if named else (cost_fp, cost_fn)


def _stakeholder(text: str) -> tuple[str, tuple[float, float]]:
    name, _, pair = text.partition("=")
    fp, _, fn = pair.partition(":")
    try:
        return name.strip(), (float(fp), float(fn))
    except ValueError:
        hint = "Hint: write NAME=FP:FN, such as clinic=1:10."
        raise click.UsageError(f"cannot read the costs {text[:60]!r}. {hint}") from None


def _markdown(card: ThresholdCard) -> str:
    return markdown_text(*_table(card), card.findings)


def draw_card(console: Console, card: ThresholdCard) -> None:
    """Print what was done, what to know, then one line for each rule."""
    from unconfuse.cli._terminal_canvas import marks_for
    from unconfuse.thresholds.card import HONEST

    data = card.data
    sizes = f"{data['n']:,.10g} cases, {data['positives']:,.10g} positive ({share_words(data['prevalence'])})"
    say(console, f"{sizes}; performance {HONEST[card.validation]}", "bold")
    if card.prevalence is not None:
        say(console, f"thresholds chosen for a prevalence of {card.prevalence:g}; metrics at that of the data", "dim")
    say(console)
    for finding in card.findings:
        say(console, harmless(finding.sentence), "yellow")
    if card.findings:
        say(console)
    marks = marks_for(console)
    _layout(console, card, marks).draw_all(console)
    optimism = "Each value is followed by how much better it looked on the data the threshold was chosen on."
    bars = f"{marks.value} threshold, {marks.interval} its interval, between the lowest and the highest score"
    say(console, f"\n{optimism} Bars: {bars}.", "dim")


def _layout(console: Console, card: ThresholdCard, marks: CharacterSet) -> Layout:
    """One line for each rule; where the thresholds lie among the scores of the data is a bar."""
    from unconfuse.cli._terminal_canvas import AxisScale, interval_bar

    heads, lines = _table(card)
    rules, cuts, intervals, *values = zip(*lines, strict=True)
    scale = AxisScale(card.data["lowest_score"], card.data["highest_score"], _BAR)
    bars = [
        interval_bar(marks, scale, cut.value if math.isfinite(cut.value) else math.nan, cut.low, cut.high)
        for cut in (point.threshold for point in card.points.values())
    ]
    columns = [
        TerminalColumn(heads[0], [shortened(rule, 80) for rule in rules], narrowest=20),
        TerminalColumn(heads[1], cuts, right=True),
        TerminalColumn(heads[2], intervals, rank=1),
        TerminalColumn("", bars, rank=3, name="where it lies"),
    ]
    ranks = zip(heads[3:], values, (*(0 for _ in _costs_of(card)), 0, 0, 2, 4), strict=True)
    return fit([*columns, *(TerminalColumn(head, cells, True, rank) for head, cells, rank in ranks)], console.width)


def _table(card: ThresholdCard) -> tuple[list[str], list[list[str]]]:
    costs = _costs_of(card)
    heads = ["rule", "threshold", "interval", *(head for head, _ in costs), *(name.replace("_", " ") for name in SHOWN)]
    lines = []
    for point in card.points.values():
        cut = point.threshold
        paid = [number_text(_paid(point, *pair)) for _, pair in costs]
        values = (_value(point, name) for name in SHOWN)
        lines.append([point.label, number_text(cut.value), cut.interval_text, *paid, *values])
    return heads, lines


def _costs_of(card: ThresholdCard) -> list[tuple[str, tuple[float, float]]]:
    """Return what a false positive and a false negative cost each stakeholder, by column heading."""
    return [(f"cost {shortened(name, 12)}".strip(), pair) for name, pair in card.costs.items()]


def _paid(point: OperatingPoint, fp: float, fn: float) -> float:
    """Return what a case costs on average, on cases that had no part in the choice."""
    c = point.counts
    return math.nan if c is None else float((fp * c.fp + fn * c.fn) / c.total)


def _value(point: OperatingPoint, name: str) -> str:
    value, gain = point.metrics[name].value, point.optimism[name]
    return number_text(value) if math.isnan(gain) else f"{number_text(value)} {gain:+.3f}"


@command()
@_options.files_to_read("card", type=click.Path(dir_okay=False), metavar="CARD")
@collected("data", _options.file_argument)
@option(decisions.RULES, "Which rule of the card to use; needed if it holds several.", name="rule", kind="text")
@collected(
    "data",
    option(cases.SCORE),
    option(cases.SCORES, "Of a map of several classes: columns of probabilities, such as 'p_*'."),
    option(cases.LABEL, "Column of true labels, if they are known: the prevalence is watched."),
    _options.positive_option,
    option(cases.ID, "Column that names the rows; otherwise they are numbered from 1."),
    _options.csv_options,
    _options.database_options,
)
@_options.file_to_write("--report FILE", "Write one JSON for a scheduler; the exit code is then 0, 3 or 4.")
@option("--state FILE", "What earlier batches showed, written anew for the next one; needs --report.")
@option(MARGIN, "By how much performance may fall short of the card and be fine; needs --report.")
@_output.path_option
def apply(
    *,
    card: str,
    data: Words,
    rule: str | None,
    report: str | None,
    state: str | None,
    margin: float | None,
    path: str | None,
) -> None:
    """Label the rows of FILE with the threshold of CARD (made by `unconfuse thresholds --export`), or mend their
    probabilities with a map (made by `unconfuse calibration --repair`).

    Prints CSV: the row (or its id), every column of FILE as it is (of a database the score alone), and
    labelled_positive, which is 1 or 0; or recalibrated, the mended probability. Notes on standard error say when the
    share labelled, the prevalence or the scores no longer look like the data of the card. With --report the exit code
    says how the card does: 0 fine; 3 worse; 4 cannot tell.

    \b
    unconfuse apply card.json patients.csv --score risk --rule youden -o labelled.csv
    unconfuse apply card.json week.csv --label outcome --report week.json --state watch.json -o labelled.csv
    unconfuse apply map.json patients.csv --score risk -o mended.csv
    """
    from unconfuse.cli._recalibration_output import apply_map, is_map, text_of
    from unconfuse.ingest.read_columns import read_columns
    from unconfuse.thresholds import apply_card, read_card

    source = text_of(card)
    watching = {"report": report, "state": state, "margin": margin}
    if is_map(source):
        _options.refuse(watching, "is for a threshold card, and this is a map of probabilities.")
        apply_map(source, data, rule, path)
        return
    _options.refuse({"scores": data.pop("scores")}, "is for a map of several classes, and CARD is a threshold card.")
    read = read_card(source)
    chosen = rule or _only_rule(list(read))
    labels = {"positive": data.pop("positive"), "negative": _options.negative_of(data)}
    rows = read_columns(_options.described(data), as_written=True)
    (values,) = rows.numbers.values()
    if report is None:
        _options.refuse({"state": state, "margin": margin}, "is for a report. Hint: give --report FILE.")
        applied = apply_card(read, values, rule=chosen, y=rows.label, **labels)
        _output.emit_beside(rows, data["id"], {_LABELLED: applied.labels.astype(int)}, path)
        return
    watched = _watched(read, values, chosen, rows.label, labels, state, margin)
    _output.emit_beside(rows, data["id"], {_LABELLED: watched.applied.labels.astype(int)}, path)
    _output.emit_text(json.dumps(watched.as_dict(), indent=2, allow_nan=False, ensure_ascii=False) + "\n", report)
    click.echo(harmless(watched.sentence), err=True)
    sys.exit(EXIT_CODES[watched.verdict])


def _watched(
    card: ThresholdCard, scores: Any, rule: str, y: Any, labels: Words, state: str | None, margin: float | None
) -> Watch:
    """Watch the card, and keep what was seen for the next batch."""
    from unconfuse.thresholds import watch_card

    before = state if state is not None and Path(state).exists() else None
    asked: Words = {} if margin is None else {"margin": margin}
    watch = watch_card(card, scores, rule=rule, y=y, state=before, **labels, **asked)
    if state is not None:
        watch.save(state)
    return watch


def _only_rule(rules: list[str]) -> str:
    if len(rules) == 1:
        return rules[0]
    raise click.UsageError(f"which rule? The card holds {', '.join(rules)}. Hint: pass --rule {rules[0]}.")

"""The parts of an evaluation in every form that the command line prints: several classes, and subgroups."""

from collections.abc import Container, Sequence
from functools import partial
from typing import Any

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import number_text, p_text, short_label
from unconfuse.cli._evaluation_output import (
    Detail,
    chance_text,
    draw_findings,
    draw_headline,
    draw_places,
    emit_evaluation,
    findings_shown,
    interval_head,
    markdown_places,
    metrics_layout,
)
from unconfuse.cli._layout import Console, Table, TerminalColumn, as_table, count_text, fit, harmless, say, shortened
from unconfuse.cli._options import Words
from unconfuse.cli._output import emit_result, is_nan, markdown_list, markdown_text, write_page, wrote
from unconfuse.cli._publication_output import printed_instead, write_documents
from unconfuse.results import Subgroups
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.subgroups import EVERYONE
from unconfuse.table import SamplingKind
from unconfuse.uncertainty.estimate import Estimate

MATRIX_UP_TO = 10  # classes whose matrix fits 100 columns
SHOWN = 30  # classes in the table on the terminal
_NAME_WIDTH = 24  # of a subgroup
_VALUE_WIDTH = 22  # a value and its interval, and the gap to the next
_DIFFERENCE_HEADS = ("", "difference", "interval", "adjusted p", "verdict")


def show_evaluation(
    result: Evaluation,
    output: Words,
    one_class: str | None = None,
    sort: str | None = None,
    person: Any = None,
    nulls: list[str] | None = None,
    **page: Any,
) -> None:
    """Write the page and the picture of an evaluation, or of one class vs the rest, and print it."""
    shown = result if one_class is None else _against_rest(result, one_class)
    if nulls and (shown.sample.by or shown.sample.is_multiclass):
        raise ArgumentError("--null tests one answer to a yes-or-no question. Hint: leave out --by, or give --class.")
    show_files(shown, output, **page)
    if printed_instead(shown, output, nulls=nulls, prior=person):
        return
    if shown.sample.by:
        emit_result(output, shown.subgroups, _subgroups_markdown, _draw_subgroups, source=shown.source)
    elif shown.sample.is_multiclass:
        _emit_classes(shown, output, sort or "support")
    else:
        emit_evaluation(shown, output, person=person, nulls=nulls, **page)


def _against_rest(result: Evaluation, one_class: str) -> Evaluation:
    evaluation = result.one_vs_rest(one_class)
    if result.sample.by and not evaluation.sample.by:
        raise ArgumentError("subgroups of one class need rows, but only tables are here. Hint: leave out --by.")
    return evaluation.with_changes(
        name=f"{evaluation.name} vs the rest", source=result.source, reference=result.reference
    )


def show_files(result: Evaluation, output: Words, **page: Any) -> None:
    """Write the page, the documents and the picture that were asked for."""
    write_documents(result.subgroups if result.sample.by else result, output, **page)
    write_page(result, output, **page)
    if output.get("plot") is not None:
        evaluation = result if output["title"] is None else result.with_changes(name=output["title"])
        (evaluation.subgroups if evaluation.sample.by else evaluation).plot(path=output["plot"])
        wrote(output["plot"])


def _emit_classes(result: Evaluation, output: Words, sort: str) -> None:
    known = ["support", *result.per_class().values]
    if sort not in known:
        raise ArgumentError(f"classes cannot be sorted by {sort!r}. {did_you_mean(sort, known)}")
    detail = Detail.of(result, output)
    markdown, draw = partial(_classes_markdown, sort=sort), partial(_draw_classes, sort=sort, detail=detail)
    emit_result(output, result, markdown, draw, score=result.name, source=result.source)


def _metric_lines(result: Evaluation) -> list[list[str]]:
    lines = []
    for estimate in result.values():
        note = estimate.conditions.partition("; ")[2]
        how = "; ".join(part for part in (estimate.undefined or estimate.method, note) if part)
        lines.append([estimate.label, number_text(estimate.value), estimate.interval_text, chance_text(estimate), how])
    return lines


def _class_lines(result: Evaluation, sort: str) -> tuple[list[str], list[list[str]]]:
    table = result.per_class()
    heads = ["class", "cases", *(f"{name.replace('sensitivity', 'recall')}" for name in table.values)]
    lines = []
    for k in table.order(sort, ascending=sort != "support"):
        cells = [number_text(float(table.values[name][k])) + _ends(table, name, k) for name in table.values]
        if table.undefined[k]:
            cells = ["-"] * (len(cells) - 1) + [table.undefined[k]]
        lines.append([table.classes[k], f"{table.support[k]:,.6g}", *cells])
    return heads, lines


def _ends(table: Any, name: str, k: int) -> str:
    low, high = float(table.low[name][k]), float(table.high[name][k])
    return "" if is_nan(low) else f" [{low:.2f}, {high:.2f}]"


def _classes_markdown(result: Evaluation, sort: str) -> str:
    heads = ["Metric", "Value", interval_head(result.confidence_level), "Chance", "Method"]
    worst = markdown_list(result.confusion.largest_confusions(5))
    parts = [markdown_list(result.findings), markdown_text(heads, _metric_lines(result)), worst]
    if len(result.classes) <= MATRIX_UP_TO:
        rows = zip(result.classes, result.confusion.counts, strict=True)
        lines = [[name, *(f"{cell:g}" for cell in row)] for name, row in rows]
        parts.append(markdown_text(["truth \\ called", *result.classes], lines))
    parts.append(markdown_text(*_class_lines(result, sort)))
    return "\n".join(part for part in parts if part) + markdown_places(result)


def _draw_classes(console: Console, result: Evaluation, sort: str, detail: Detail) -> None:
    name = " of ".join(shortened(part, 60) for part in (result.name, result.source) if part)
    if name:
        say(console, name, "bold")
    say(console, f"{result.n:,.6g} cases, {len(result.classes)} classes; {result.design} design", "dim")
    say(console)
    draw_findings(console, result, result.findings if detail.every else findings_shown(result))
    draw_headline(console, result)
    if detail.every:
        _draw_metrics(console, result, detail.shown(result))
    worst = result.confusion.largest_confusions(5, confidence_level=result.confidence_level)
    if worst:
        say(console, "\nThe commonest confusions" if detail.every else "The commonest confusions", "bold")
    for confusion_pair in worst:
        say(console, f" {harmless(confusion_pair.sentence)}")
    if len(result.classes) <= MATRIX_UP_TO:
        _draw_matrix(console, result)
    _draw_each_class(console, result, sort)
    draw_places(console, result)
    say(console)
    detail.draw_rest(console, result)


def _grid(heads: Sequence[str], lines: Sequence[Sequence[Any]], right: Container[int], *, rigid: bool = False) -> Table:
    """Build a table with headings; only its last column may wrap, unless it is rigid."""
    sides = ["right" if place in right else "left" for place in range(len(heads))]
    columns = [{"header": head, "justify": side, "no_wrap": True} for head, side in zip(heads, sides, strict=True)]
    return as_table(lines, [*columns[:-1], columns[-1] | {"no_wrap": rigid}])


def _draw_metrics(console: Console, result: Evaluation, shown: Sequence[Estimate]) -> None:
    notes, layout = metrics_layout(console, result, shown)
    layout.draw_all(console)
    notes.draw(console)


def _draw_matrix(console: Console, result: Evaluation) -> None:
    confusion = result.confusion
    room = max(4, 66 // (len(result.classes) + 1))
    lines = [
        [f" {shortened(name, 20)}", *(f"{cell:,.6g}" for cell in line), f"{line.sum():,.6g}"]
        for name, line in zip(result.classes, confusion.counts, strict=True)
    ]
    lines.append([" all", *(f"{cell:,.6g}" for cell in confusion.predicted), f"{confusion.n:,.6g}"])
    say(console, "\nTrue class (rows) and predicted class (columns)", "bold")
    heads = ["", *(shortened(name, room) for name in result.classes), "all"]
    console.print(_grid(heads, lines, right=range(1, len(heads))))


def _draw_each_class(console: Console, result: Evaluation, sort: str) -> None:
    heads, lines = _class_lines(result, sort)
    names, *numbers = zip(*([f" {shortened(line[0], 20)}", *line[1:]] for line in lines[:SHOWN]), strict=True)
    columns = [
        TerminalColumn(head, cells, right=True, rank=max(place - 2, 0))
        for place, (head, cells) in enumerate(zip(heads[1:], numbers, strict=True))
    ]
    say(console, f"\nEach class vs the rest, by {sort}", "bold")
    fit([TerminalColumn("", names), *columns], console.width).draw_all(console)
    if len(lines) > SHOWN:
        say(console, f" and {len(lines) - SHOWN} more classes; --json shows them all", "dim")


def reject_with_subgroups(by: Sequence[str] | None, asked: Words) -> None:
    """Options that make no sense, or are not made yet, for several subgroups at once."""
    if asked["reference"] and not by:
        raise ArgumentError("--reference names a subgroup, but there are none. Hint: add --by COLUMN.")
    for name in ("prevalence", "definitions"):
        if by and asked[name] is not None:
            raise ArgumentError(f"--{name} does not go with --by. Hint: select the rows of one subgroup first.")


def reject_detail(output: Words, other: str) -> None:
    """Refuse --all and --complements where no table of one classifier's metrics is printed."""
    for name, flag in (("every", "--all"), ("complements", "--complements")):
        if output[name]:
            raise ArgumentError(f"{flag} cannot be combined with {other}. Hint: leave one of them out.")


def _size_heads(result: Subgroups) -> list[str]:
    return ["cases" if name == "n" else name for name in result.overall.size_fields]


def _subgroups_markdown(result: Subgroups) -> str:
    sizes = [size_head.capitalize() for size_head in _size_heads(result)]
    labels = {name: result.overall[name].label for name in result.headlines()}
    lines = [[name, *cells] for name, cells in _subgroup_lines(result, list(labels))]
    parts = [markdown_list(result.findings), markdown_text(["Subgroup", *sizes, *labels.values()], lines)]
    for metric, label in labels.items():
        parts.append(markdown_text([label, *_DIFFERENCE_HEADS[1:]], _differences(result, metric)))
    return "\n".join(part for part in parts if part)


def _subgroup_lines(result: Subgroups, metrics: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Each subgroup's name, sizes and metrics with their intervals; everyone comes last."""
    lines = []
    for name, evaluation in {**result.evaluations, EVERYONE: result.overall}.items():
        values = [
            f"{number_text(evaluation[metric].value)} {evaluation[metric].interval_text}".strip() for metric in metrics
        ]
        lines.append((name, [*map(count_text, evaluation.size_fields.values()), *values]))
    return lines


def _differences(result: Subgroups, metric: str) -> list[list[str]]:
    lines = []
    for difference in result.differences(metric):
        name = f"{difference.first} {'/' if difference.scale == 'ratio' else '-'} {difference.second}"
        p = p_text(difference.p_value).removeprefix("p ").removeprefix("= ")
        lines.append(
            [name, number_text(difference.difference.value), difference.difference.interval_text, p, difference.verdict]
        )
    return lines


def _draw_subgroups(console: Console, result: Subgroups) -> None:
    o = result.overall
    name = " of ".join(shortened(part, 40) for part in (o.name, o.source) if part)
    say(console, f"{name} by {shortened(' and '.join(result.by), 40)}", "bold")
    kinds = f"{len(o.classes)} classes" if o.sample.is_multiclass else f"{count_text(o.positives)} positive"
    at = "" if o.sample.is_multiclass else o.sample.threshold_text() or ("" if o.has_decisions else "no threshold")
    cut = f"{at}; " if at else ""
    say(console, f"{count_text(o.n)} cases, {kinds}; {cut}{o.design} design\n", "dim")
    for finding in result.findings:
        say(console, harmless(finding.sentence), "bold" if finding is result.findings[0] else "")
    _draw_values(console, result)
    if len(result) > 1:
        _draw_differences(console, result)


def _draw_values(console: Console, result: Subgroups) -> None:
    """As many metrics side by side as the width holds; the others below them."""
    from rich.text import Text

    metrics = list(result.headlines())
    fit = _side_by_side(result, metrics, console.width)
    for start in range(0, len(metrics), fit):
        chosen = metrics[start : start + fit]
        heads = [short_label(result.overall[name].label)[:_VALUE_WIDTH] for name in chosen]
        lines = [
            [Text(cell, style="dim" if name == EVERYONE else "") for cell in (shortened(name, _NAME_WIDTH), *cells)]
            for name, cells in _subgroup_lines(result, chosen)
        ]
        say(console)
        sizes = _size_heads(result)
        console.print(_grid(["", *sizes, *heads], lines, right=range(1, len(sizes) + 1), rigid=True))


def _side_by_side(result: Subgroups, metrics: Sequence[str], width: int) -> int:
    lines = [(shortened(name, _NAME_WIDTH), *cells) for name, cells in _subgroup_lines(result, metrics)]
    sizes = _size_heads(result)
    widths = [max(map(len, column)) + 2 for column in zip(*lines, strict=True)]
    left = width - widths[0] - sum(max(wide, len(head) + 2) for wide, head in zip(widths[1:], sizes, strict=False))
    return max(left // max(*widths[1 + len(sizes) :], _VALUE_WIDTH), 1)


def _draw_differences(console: Console, result: Subgroups) -> None:
    from rich.text import Text

    o = result.overall
    say(console, f"\nDifferences from {shortened(result.reference, 40)}", "bold")
    lines: list[list[str | Text]] = []
    for metric in result.headlines():
        lines.append([Text(short_label(o[metric].label), style="bold")])
        for name, *cells in _differences(result, metric):
            lines.append([f" {shortened(name, 2 * _NAME_WIDTH - 4)}", *cells])
    console.print(_grid(_DIFFERENCE_HEADS, lines, right=(1, 3), rigid=True))
    clustered = o.sample.sampling.kind is SamplingKind.CLUSTERED
    how = "whole groups resampled, the same for all subgroups" if clustered else "MOVER, from both subgroups' intervals"
    adjusted = "p-values are adjusted for all subgroups of a metric (Holm), not for several metrics."
    say(console, f"\n{100 * o.confidence_level:.4g}% intervals ({how}); {adjusted}", "dim")

"""Tables for papers: every number with its interval, and footnotes that say how it was made."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch
from os import PathLike
from typing import Any

from unconfuse._errors import UnknownNameError
from unconfuse._formatting import short_label
from unconfuse._table_view import Cell, Column, Footnote, MarkupStyle, TableView, form_of, rendered, write
from unconfuse._validate import check_list, check_text
from unconfuse.metrics import METRICS, find_metric
from unconfuse.metrics.multilabel import found as find_label_metric
from unconfuse.metrics.multilabel import is_of_decisions
from unconfuse.publication._shared_text import (
    cases_words,
    chosen,
    count,
    cut_words,
    design_words,
    figures,
    is_resampled,
    level_text,
    method_words,
    p_cell,
    resamples_words,
    skipped_words,
    software,
    whole_cases_words,
    with_interval,
)
from unconfuse.results.comparison import Comparison
from unconfuse.results.contrast import Contrast
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.multi_output import MultiOutputEvaluation
from unconfuse.results.multi_output_comparison import MultiOutputComparison
from unconfuse.results.multilabel import LabelEvaluation
from unconfuse.results.subgroups import EVERYONE, Subgroups
from unconfuse.table.multi_output import QuerySample
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.method import in_full

_CLASSES = 200  # rows of the table of classes, or of labels, of a paper
_OF_A_LABEL = 4  # columns of metrics that a page in portrait holds


def table_of(
    result: Any,
    form: str,
    path: str | PathLike[str] | None = None,
    *,
    metrics: Iterable[Any] | None = None,
    caption: str | None = None,
) -> str | bytes:
    """Return the table of a result in a form, written to a file as well if a path is given."""
    views = views_of(result, metrics)
    if caption is not None:
        views = [replace(views[0], caption=check_text(caption, "caption")), *views[1:]]
    made = rendered(views, form)
    if path is not None:
        form_of(path, [form])
        write(made, path)
    return made


@singledispatch
def views_of(result: Any, metrics: Iterable[Any] | None = None) -> list[TableView]:
    """Return the tables of a result, without a form."""
    raise TypeError(f"there is no table of a {type(result).__name__}")


@views_of.register
def _of_evaluation(result: Evaluation, metrics: Iterable[Any] | None = None) -> list[TableView]:
    shown, marks = chosen(result, metrics), MarkupStyle()
    trials = [_trials(result, estimate) for estimate in shown]
    fractions = any(trials)
    rows = [_row(estimate, marks, [of] if fractions else []) for estimate, of in zip(shown, trials, strict=True)]
    columns = [Column("Metric"), *([Column("Cases", "number")] if fractions else []), Column("Value", "number")]
    view = TableView(
        [*columns, Column(f"{level_text(result.confidence_level)} interval")],
        rows,
        _caption(result),
        [*marks.footnotes, *_footnotes(result, shown)],
    )
    return [view, *([_classes(result)] if result.sample.is_multiclass else [])]


def _row(each: Estimate, marks: MarkupStyle, beside: list[str]) -> list[str | Cell]:
    value, interval = with_interval(each)
    if not value:
        return [each.label, *beside, Cell("not estimable", marks.of(f"Not estimable: {each.undefined}.")), ""]
    how = (
        f"{'Interval' if interval else 'No interval'}: {method_words(each).removeprefix('no interval: ')}."
        if each.method
        else ""
    )
    certain = each.bound_text()
    how += f" The table is binned: the exact value certainly lies within {certain}." if certain else ""
    return [Cell(each.label, marks.of(how)) if how else each.label, *beside, value, interval]


def _trials(result: Evaluation, each: Estimate) -> str:
    """Return "141/208" of a proportion of whole cases that stand each for itself; nothing of other metrics."""
    sample = result.sample
    if sample.is_multiclass or not result.has_decisions or result.design not in ("cohort", "case-control"):
        return ""
    if sample.has_fractions or each.undefined:
        return ""
    declared = next((metric for metric in result.metrics if metric.name == each.name), None) or find_metric(each.name)
    if declared.inference.fraction is None:
        return ""
    successes, trials = (float(side) for side in declared.inference.fraction(result.counts))
    return f"{count(successes)}/{count(trials)}"


def _caption(result: Evaluation | MultiOutputEvaluation) -> str:
    parts = ["Performance", f"of {result.name}" if result.name else "", _source(result)]
    return f"{' '.join(part for part in parts if part)}: {cases_words(result)}"


def _source(result: Evaluation | MultiOutputEvaluation) -> str:
    return f"on {result.source}" if result.source else ""


def _footnotes(result: Evaluation | MultiOutputEvaluation, shown: list[Estimate]) -> list[Footnote]:
    drawn = is_resampled(estimate.method for estimate in shown)
    said = [cut_words(result, shown), f"Intervals are for {design_words(result.sample)}."]
    said += [resamples_words(result.settings)] if drawn else []
    said += [skipped_words(result), f"Computed with {software()}."]
    return [Footnote(" ".join(each for each in said if each))]


def _classes(result: Evaluation) -> TableView:
    """Return each class against the rest, the largest first."""
    table = result.per_class()
    places = table.order()[:_CLASSES]
    labels = [find_metric(name).label.split(" (")[0] for name in table.values]
    level = level_text(result.confidence_level)
    columns = [Column("Class"), Column("Cases", "number"), *(Column(f"{label} [{level} interval]") for label in labels)]
    rows = []
    for k in places:
        cells = [
            _limited(*(float(side[name][k]) for side in (table.values, table.low, table.high))) for name in table.values
        ]
        undefined = table.undefined[k]
        rows.append(
            [
                table.classes[k],
                count(float(table.support[k])),
                *(["not estimable"] * len(cells) if undefined else cells),
            ]
        )
    left_out = len(table.classes) - len(places)
    said = "Each class is a yes-or-no question of its own; intervals are not adjusted for the number of classes."
    more = [Footnote(f"The {_CLASSES} largest classes; {left_out:,} more are not shown.")] if left_out else []
    return TableView(columns, rows, "Each class vs the rest", [Footnote(said), *more])


@views_of.register
def _of_whole_cases(result: MultiOutputEvaluation, metrics: Iterable[Any] | None = None) -> list[TableView]:
    shown, marks = chosen(result, metrics), MarkupStyle()
    columns = [Column("Metric"), Column("Value", "number"), Column(f"{level_text(result.confidence_level)} interval")]
    rows = [_row(estimate, marks, []) for estimate in shown]
    notes = [*marks.footnotes, *_footnotes(result, shown)]
    views = [TableView(columns, rows, _caption(result), notes)]
    views += [_parts(result, shown)] if result.sample.by else []
    return [*views, *([_labels(result)] if isinstance(result, LabelEvaluation) else [])]


def _parts(result: MultiOutputEvaluation, shown: list[Estimate]) -> TableView:
    """Return the metrics of each subgroup, one in a row: several labels have too many for columns."""
    marks = MarkupStyle()
    columns = [Column("Subgroup"), Column(_unit(result).capitalize(), "number"), Column("Metric")]
    columns.append(Column(f"Value [{level_text(result.confidence_level)} interval]"))
    rows: list[list[str | Cell]] = [
        [name, count(part.n), estimate.label, _part_cell(part[estimate.name], marks)]
        for name, part in result.subgroups.items()
        for estimate in shown
    ]
    return TableView(columns, rows, f"By {' and '.join(result.sample.by)}", marks.footnotes)


def _labels(result: LabelEvaluation) -> TableView:
    """Return each label by itself, the worst first."""
    table, marks = result.per_label(), MarkupStyle()
    names = list(next(iter(table.values())))[:_OF_A_LABEL]
    level = level_text(result.confidence_level)
    heads = [f"{find_metric(name).label.split(' (')[0]} [{level} interval]" for name in names]
    rows: list[list[str | Cell]] = []
    for label in list(table)[:_CLASSES]:
        positives, cases = table.support[label]
        cells = [_part_cell(table[label][name], marks) for name in names]
        rows.append([label, f"{count(positives)}/{count(cases)}", *cells])
    said = "Each label is a yes-or-no question of its own; intervals are not adjusted for the number of labels."
    left_out = len(table) - len(rows)
    more = [Footnote(f"The {_CLASSES} labels that come first; {left_out:,} more are not shown.")] if left_out else []
    columns = [Column("Label"), Column("Positive", "number"), *map(Column, heads)]
    return TableView(columns, rows, "Each label by itself, the worst first", [*marks.footnotes, Footnote(said), *more])


def _limited(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "not estimable"
    cells = figures(value, low, high)
    return cells[0] if math.isnan(low) else f"{cells[0]} [{cells[1]}, {cells[2]}]"


@views_of.register
def _of_comparison(result: Comparison, metrics: Iterable[Any] | None = None) -> list[TableView]:
    wanted = None if metrics is None else [result._metric(each) for each in check_list(metrics, "metrics")]
    for name in wanted or ():
        result[(name, *next(iter(result))[1:])]  # refuses what was not compared, by name
    pairs = list(dict.fromkeys((first, second) for _, first, second in result))
    level, several = level_text(result.design.confidence_level), len(pairs) > 1
    views = []
    for first, second in pairs:
        shown = [contrast for contrast in result.values() if (contrast.first, contrast.second) == (first, second)]
        shown = [contrast for contrast in shown if wanted is None or contrast.metric in wanted]
        marks = MarkupStyle()
        rows = [_difference_row(contrast, marks, _own(result, contrast)) for contrast in shown]
        heads = [Column(f"{name} [{level} interval]") for name in (first, second)]
        columns = [Column("Metric"), *heads, Column("Difference", "number")]
        columns += [Column(f"{level} interval"), Column("adjusted p" if several else "p", "number"), Column("Verdict")]
        caption = f"{first} minus {second}: {compared_cases_words(result)}"
        views.append(TableView(columns, rows, caption, marks.footnotes))
    notes = [*views[-1].footnotes, Footnote(comparison_words(result, pairs))]
    return [*views[:-1], replace(views[-1], footnotes=notes)]


def compared_cases_words(result: Comparison) -> str:
    """Return on how many cases models were compared."""
    if isinstance(result, MultiOutputComparison):
        return whole_cases_words(result.sample)
    known = "" if math.isnan(result.positives) else f", {count(result.positives)} of them positive"
    return f"{count(result.n)} cases{known}"


def comparison_words(result: Comparison, pairs: list[Any]) -> str:
    """Return how the differences were made, where models decide and what was left out."""
    said = [
        f"Both models were evaluated on the same {_unit(result)}."
        if result.same_cases
        else "Every model has cases of its own."
    ]
    if len(pairs) > 1:
        said.append(f"Intervals and p-values are adjusted for {len(pairs)} pairs of models ({result.adjust}).")
    if result.margin is not None:
        said.append(f"Margin: {result.margin:g}.")
    said += [result.thresholds if _of_decisions(result) else "", f"Intervals are for {design_words(result.sample)}."]
    methods = [contrast.difference.method for contrast in result.values()]
    drawn = f"Bootstraps drew at least {result.design.n_resamples:,} resamples (seed {result.design.seed})."
    said += [drawn] if is_resampled(methods) else []
    return " ".join(each for each in [*said, skipped_words(result), f"Computed with {software()}."] if each)


def _unit(result: Comparison | MultiOutputEvaluation) -> str:
    return "queries" if isinstance(result.sample, QuerySample) else "cases"


def _of_decisions(result: Comparison) -> bool:
    """Return whether a metric of decisions was compared, or could not be because there is no threshold."""
    if isinstance(result, MultiOutputComparison):
        return (
            any(is_of_decisions(metric) for metric in map(find_label_metric, result.metrics))
            if result.thresholds
            else False
        )
    declared = [METRICS.get(name) for name in result.metrics]
    undecided = not all(map(result.sample.has_decisions_of, result.models))
    return undecided or any(each is None or each.of == "counts" for each in declared)


def _own(result: Comparison, each: Contrast) -> list[str]:
    """Return both models' values with their intervals."""
    cells = []
    for model, value in ((each.first, each.first_value), (each.second, each.second_value)):
        try:
            estimate = result.evaluations[model][each.metric]
        except UnknownNameError:  # a metric of the user's own, which one model's evaluation does not know by name
            cells.append(_limited(value, math.nan, math.nan))
        else:
            cells.append(_limited(value, estimate.low, estimate.high))
    return cells


def _difference_row(each: Contrast, marks: MarkupStyle, own: list[str]) -> list[str | Cell]:
    estimate: Estimate = each.difference
    value, interval = with_interval(estimate)
    if not value:
        why = marks.of(f"Not estimable: {estimate.undefined}.")
        return [each.label, *own, Cell("not estimable", why), "", "", ""]
    how = marks.of(f"Interval: {in_full(estimate.method)}; test: {each.test or 'none'}.")
    return [Cell(each.label, how), *own, value, interval, p_cell(each.p_value), each.verdict]


@views_of.register
def _of_subgroups(result: Subgroups, metrics: Iterable[Any] | None = None) -> list[TableView]:
    whole = result.overall
    names = result.headlines() if metrics is None else [whole[each].name for each in check_list(metrics, "metrics")]
    level, marks = level_text(whole.confidence_level), MarkupStyle()
    heads = [Column(f"{whole[name].label.split(' (')[0]} [{level} interval]") for name in names]
    sizes = [Column("Cases" if name == "n" else name.capitalize(), "number") for name in whole.size_fields]
    rows: list[list[str | Cell]] = [
        [name, *_sizes(part), *(_part_cell(part[each], marks) for each in names)]
        for name, part in {EVERYONE: whole, **result.evaluations}.items()
    ]
    by = " and ".join(result.by)
    notes = [*marks.footnotes, *_footnotes(whole, [whole[name] for name in names])]
    view = TableView([Column("Subgroup"), *sizes, *heads], rows, f"{_caption(whole)}, by {by}", notes)
    return [view, *([_gaps(result, names)] if len(result) > 1 else [])]


def _sizes(part: Evaluation) -> list[str]:
    return [count(size) for size in part.size_fields.values()]


def _part_cell(each: Estimate, marks: MarkupStyle) -> Cell:
    value, interval = with_interval(each)
    if not value:
        return Cell("not estimable", marks.of(f"Not estimable: {each.undefined}."))
    return Cell(f"{value} {interval}".strip(), marks.of(f"Interval: {method_words(each)}.") if interval else "")


def _gaps(result: Subgroups, names: Iterable[str]) -> TableView:
    """Return every other subgroup against the reference."""
    level, marks = level_text(result.overall.confidence_level), MarkupStyle()
    columns = [Column("Metric"), Column("Subgroups"), Column("Difference", "number"), Column(f"{level} interval")]
    alone = len(result) - (result.reference in result) == 1
    columns += [Column("p" if alone else "adjusted p", "number"), Column("Verdict")]
    contrasts = [difference for name in names for difference in result.differences(name)]
    rows = [_gap_row(contrast, marks) for contrast in contrasts]
    ratios = "Likelihood ratios and odds ratios are compared by their ratio." if _has_ratios(contrasts) else ""
    all_of_one = "p-values and intervals are adjusted for all subgroups of a metric (Holm), not for several metrics."
    said = f"{'Not adjusted for several metrics.' if alone else all_of_one} {ratios}".strip()
    notes = [*marks.footnotes, Footnote(said)]
    return TableView(columns, rows, f"Differences from {result.reference}", notes)


def _has_ratios(found: Iterable[Contrast]) -> bool:
    return any(contrast.scale == "ratio" for contrast in found)


def _gap_row(each: Contrast, marks: MarkupStyle) -> list[str | Cell]:
    sign = "/" if each.scale == "ratio" else "minus"
    label, names = short_label(each.label), f"{each.first} {sign} {each.second}"
    value, interval = with_interval(each.difference)
    if not value:
        return [
            label,
            names,
            Cell("not estimable", marks.of(f"Not estimable: {each.difference.undefined}.")),
            "",
            "",
            "",
        ]
    how = marks.of(f"Interval: {in_full(each.difference.method)}; test: {each.test or 'none'}.")
    return [Cell(label, how), names, value, interval, p_cell(each.p_value), each.verdict]

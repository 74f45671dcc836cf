"""Results that are tables of estimates, as what a page shows of them: a sentence, pictures, tables, how it was made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Any

from unconfuse._formatting import number_text, p_text, places_text, short_label
from unconfuse._phrases import counted
from unconfuse._table_view import TableView, view_of
from unconfuse.plots import plot_estimates
from unconfuse.results.benchmark import Benchmark
from unconfuse.results.forecast import Forecast, ForecastCheck, table_of
from unconfuse.results.items import Items
from unconfuse.results.meta_analysis import RATES, MetaAnalysis
from unconfuse.results.multi_output import MultiOutputEvaluation
from unconfuse.results.multi_output_comparison import MultiOutputComparison
from unconfuse.results.multilabel import LabelEvaluation
from unconfuse.results.queries import QueryEvaluation
from unconfuse.results.readers import Readers
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.multi_output_intervals import size_text

ROWS = 500  # of one table on a page
_QUERIES = 20  # the worst ones
Lines = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Table:
    """A table of a page under its own heading, and how many of its rows are left out."""

    heading: str
    view: TableView
    left_out: int = 0


@dataclass(frozen=True)
class Picture:
    """A static picture: what it shows, and the function that draws it."""

    words: str
    draw: Callable[[], Any]


@dataclass(frozen=True)
class Sheet:
    """What a page shows of a result.

    Attributes
    ----------
    title : str
        What it is, if nobody gives another title.
    size : str
        What it rests on: numbers of data sets, items, readers or cases, and the level of its intervals.
    said : sequence of (sentence, verdict)
        The first one is the answer.
    pictures : sequence of Picture
    tables : sequence of Table
    methods : mapping of str to str
        What was computed, and how.
    """

    title: str
    size: str
    said: Sequence[tuple[str, str]]
    pictures: Sequence[Picture]
    tables: Sequence[Table]
    methods: Mapping[str, str]


@singledispatch
def sheet_of(result: Any) -> Sheet | None:
    """Return what a page shows of a result that is a table of estimates; None of any other."""
    return None


@sheet_of.register
def _of_benchmark(result: Benchmark) -> Sheet:
    size = f"{counted(len(result.data_sets), 'data set')}, {counted(len(result.models), 'model')}"
    heads = ["Model", f"Mean {result.value}".strip(), "Mean rank", "Rank", "Tier"]
    ordered = sorted(result.pairs.items(), key=lambda item: (item[1].adjusted_p_value, item[0]))
    pairs = [
        [
            f"{model_pair.first} minus {model_pair.second}",
            _with_interval(model_pair.simultaneous),
            _p(model_pair.adjusted_p_value),
            number_text(model_pair.wins_next.value, 2),
            _p(result.wilcoxon_holm[pair]),
            model_pair.verdict,
        ]
        for pair, model_pair in ordered
    ]
    of_pairs = [
        "Pair", f"Mean difference, {_level(result)} interval", "Adjusted p", "First wins next", "Wilcoxon-Holm p",
        "First is",
    ]  # fmt: skip
    some = next(iter(result.pairs.values()))
    methods = {
        "Intervals and adjusted p": f"{some.simultaneous.method}, simultaneous for all pairs",
        "Chance on the next data set": some.wins_next.undefined or _bare(some.wins_next.method),
    }
    if len(result.models) > 2:
        ranks = result.friedman
        methods["Friedman's test of equal ranks"] = (
            f"chi-squared {number_text(ranks.statistic)}, {p_text(ranks.p_value)}"
        )
        methods["Nemenyi's critical difference of mean ranks"] = number_text(ranks.critical_difference)
    return Sheet(
        "Models over data sets",
        _sized(size, result),
        _said(result.findings),
        [Picture("Mean ranks; a bar joins models whose differences are inconclusive", result.plot)],
        [
            _table("Models, the best first", heads, result.leaderboard.lines(), numbers=(1, 2)),
            _table("Pairs of models", of_pairs, pairs, numbers=(2, 3, 4)),
        ],
        methods,
    )


@sheet_of.register
def _of_items(result: Items) -> Sheet:
    mean = result.name.replace("_", " ").capitalize()
    models = [[model, _with_interval(result[model]), places_text(*result.ranks[model])] for model in result.models]
    pairs = [
        [f"{pair.first} minus {pair.second}", _with_interval(pair.difference), _p(pair.p_value), pair.verdict]
        for pair in result.pairs
    ]
    tables = [_table("Models, the best first", ["Model", f"{mean}, {_level(result)} interval", "Rank"], models)]
    if pairs:
        heads = ["Pair", f"Difference, {_level(result)} interval", "Adjusted p" if len(pairs) > 1 else "p", "First is"]
        tables.append(_table("Pairs of models", heads, pairs, numbers=(2,)))
    methods = {"Interval of a mean": _methods(result[model] for model in result.models)}
    methods |= {"Interval of a difference": _methods(pair.difference for pair in result.pairs)} if pairs else {}
    size = f"{counted(len(result.models), 'model')}, {result.size_words}"
    picture = Picture(
        "Means with their intervals; a grey bar joins models whose differences are inconclusive", result.plot
    )
    return Sheet("Models on the same items", _sized(size, result), _said(result.findings), [picture], tables, methods)


@sheet_of.register
def _of_readers(result: Readers) -> Sheet:
    metric = short_label(result.metric.label)
    names = list(result)
    heads = ["Modality", f"Mean {metric}, {_level(result)} interval", "One more reader"]
    means = [[name, _with_interval(result[name]), result.new_reader(name).interval_text] for name in names]
    tables = [_table("Means over readers", heads, means)]
    if result.pairs:
        pairs = [
            [
                f"{pair.first} minus {pair.second}",
                _with_interval(pair.difference),
                _p(pair.adjusted_p_value),
                pair.verdict,
            ]
            for pair in result.pairs.values()
        ]
        heads = ["Pair", f"Difference, {_level(result)} interval", "p (Holm)" if len(pairs) > 1 else "p", "First is"]
        tables.append(_table("Differences of modalities", heads, pairs, numbers=(2,)))
    own = [result.by_reader(name) for name in names]
    readers = [[reader, *(number_text(each[reader]) for each in own)] for reader in result.names]
    tables.append(
        _table(
            f"{_head(result.metric.label)} of each reader",
            ["Reader", *names],
            readers,
            numbers=range(1, len(names) + 1),
        )
    )
    methods = {
        "Interval of a mean": _methods(result[name] for name in names),
        "To whom it speaks": result[names[0]].conditions,
        "One more reader": _methods(result.new_reader(name) for name in names),
    }
    size = f"{counted(len(result.names), 'reader')}, {counted(result.cases, 'case')}"
    size += f", {len(names)} modalities" if len(names) > 1 else ""
    picture = Picture("Each reader's own line, and the means with their intervals", result.plot)
    return Sheet("A reader study", _sized(size, result), _said(result.findings), [picture], tables, methods)


@sheet_of.register
def _of_studies(result: MetaAnalysis) -> Sheet:
    means = {rate: getattr(result, rate) for rate in RATES}
    kinds = [*result.estimates.items(), ("mean study", means), ("new study", dict(result.new_study))]
    lines = [[name, *(_with_interval(each[rate]) for rate in RATES)] for name, each in kinds]
    spread = [
        [
            rate.capitalize(),
            ""
            if math.isnan(study_spread.low)
            else f"{number_text(study_spread.low)} to {number_text(study_spread.high)}",
            _p(study_spread.p_value),
        ]
        for rate, study_spread in result.spread.items()
    ]
    heads = ["Study", *(f"{rate.capitalize()}, {_level(result)} interval" for rate in RATES)]
    pictures = [
        Picture("Studies in the ROC plane, the mean study and a new one", partial(result.plot, kind="roc")),
        Picture("Each study, the mean study and a new one", partial(result.plot, kind="forest")),
    ]
    tables = [
        _table("Studies, the mean study and a new one", heads, lines),
        _table("How far studies differ", ["Rate", "95% of studies lie within", "p of equal rates"], spread, (2,)),
    ]
    methods = {
        "Each study": _methods(estimate[rate] for estimate in result.estimates.values() for rate in RATES),
        "Mean study": _methods(means.values()),
        "New study": _methods(result.new_study.values()),
    }
    return Sheet(
        "Studies of one test",
        _sized(f"{len(result)} studies", result),
        _said(result.findings),
        pictures,
        tables,
        methods,
    )


_KINDS = ("If a score means as before", "If only the prevalence changed", "Expected")


@sheet_of.register
def _of_forecast(result: Forecast) -> Sheet:
    heads = ["Metric", *(f"{each}, {_level(result)} interval" for each in _KINDS)]
    own = (result.same_risk, result.label_shift, result.expected)
    methods = {kind: _methods(each.values()) for kind, each in zip(_KINDS, own, strict=True)}
    if not math.isnan(result.label_shift_p):
        methods["Test of label shift"] = p_text(result.label_shift_p)
    size = f"{result.n:,.10g} cases without labels, {result.n_reference:,.10g} of the reference"
    size += "" if math.isnan(result.threshold) else f", threshold {result.threshold:g}"
    picture = Picture("Both readings, metric by metric", result.plot)
    table = _table("What to expect", heads, table_of(result))
    return Sheet("A forecast without labels", _sized(size, result), _said(result.findings), [picture], [table], methods)


@sheet_of.register
def _of_check(result: ForecastCheck) -> Sheet:
    sheet = sheet_of(result.forecast)
    assert sheet is not None
    lines = []
    for row in result.rows():
        ends = [
            " to ".join(number_text(row[f"{kind}_{end}"]) for end in ("low", "high")) + _HELD[row[f"{kind}_held"]]
            for kind in ("same_risk", "label_shift")
        ]
        lines.append([row["label"], number_text(row["realised"]), *ends])
    table = _table("What came, and what was forecast", ["Metric", "What came", *_KINDS[:2]], lines, (1,))
    picture = Picture("What came, beside both forecasts", result.plot)
    return Sheet("A forecast and what came", sheet.size, [(result.sentence, "")], [picture], [table], sheet.methods)


_HELD = {True: " (held)", False: " (missed)", None: ""}


@sheet_of.register
def _of_labels(result: LabelEvaluation) -> Sheet:
    label_table = result.per_label()
    heads = ["Label", "Positives", *label_table.heads[2:]]
    table = _table(f"Each label, the worst first ({_level(result)} intervals)", heads, label_table.lines())
    picture = Picture("Each label with its interval, the worst first; the line is the mean over labels", result.plot)
    return _of_whole("Many labels", result, [picture], [table, *_metrics(result)])


@sheet_of.register
def _of_queries(result: QueryEvaluation) -> Sheet:
    metric = result.metrics[0]
    worst = [[name, number_text(value)] for name, value in result.worst(metric, _QUERIES).items()]
    heading = f"The worst queries by {short_label(metric.label)}"
    more = Table(heading, view_of(["Query", _head(metric.label)], worst, (1,)), len(result.queries) - len(worst))
    shown = {_head(estimate.label): estimate for estimate in result.headline}
    picture = Picture("Averages over queries with their intervals", lambda: plot_estimates(shown).figure)
    return _of_whole("Rankings for queries", result, [picture], [*_metrics(result), more])


def _of_whole(title: str, result: MultiOutputEvaluation, pictures: Sequence[Picture], tables: Sequence[Table]) -> Sheet:
    methods = {"Intervals": _methods(result.values()), "Design": f"{result.design}; cases are drawn whole"}
    if result.skipped.total:
        methods["Rows left out"] = str(result.skipped)
    size = size_text(result.sample)
    return Sheet(result.name or title, _sized(size, result), _said(result.findings), pictures, tables, methods)


def _metrics(result: MultiOutputEvaluation) -> list[Table]:
    heads = ["Metric", f"Value, {_level(result)} interval"]
    tables = [
        _table("All metrics", heads, [[estimate.label, _with_interval(estimate)] for estimate in result.values()])
    ]
    if not result.sample.by:
        return tables
    first = result.headline[:4]
    lines = [
        [name, *(_with_interval(subgroup[estimate.name]) for estimate in first)]
        for name, subgroup in result.subgroups.items()
    ]
    heads = ["Subgroup", *(_head(estimate.label) for estimate in first)]
    return [*tables, _table(f"By {' and '.join(result.sample.by)}", heads, lines)]


@sheet_of.register
def _of_comparison(result: MultiOutputComparison) -> Sheet:
    lines = [
        [
            contrast.difference.label.removeprefix("difference in "),
            f"{contrast.first} minus {contrast.second}",
            _with_interval(contrast.difference),
            _p(contrast.adjusted_p_value),
            str(contrast.verdict),
        ]
        for contrast in result.values()
    ]
    level = f"{100 * result.design.confidence_level:.4g}%"
    heads = ["Metric", "Pair", f"Difference, {level} interval", "Adjusted p", "First is"]
    methods = {"Intervals": _methods(contrast.difference for contrast in result.values())}
    methods |= {"Thresholds": result.thresholds.removeprefix("Thresholds: ")} if result.thresholds else {}
    picture = Picture("Models with their intervals", result.plot)
    said = [(each, "") for each in dict.fromkeys((result.sentence, *result.findings))]
    size = f"{counted(len(result.models), 'model')}, {size_text(result.sample)}, {level} intervals"
    tables = [_table("Paired differences", heads, lines, (3,)), *_by_label(result, level)]
    return Sheet("Models compared", size, said, [picture], tables, methods)


def _by_label(result: MultiOutputComparison, level: str) -> list[Table]:
    """Return the differences of every label, the largest first; none of queries."""
    if result.by_label is None:
        return []
    rows = result.labels.rows()
    lines = [
        [
            row["of_label"],
            f"{row['first']} minus {row['second']}",
            _ends(row["difference"], row["low"], row["high"]),
            _p(row["p_value"]),
            str(row["verdict"]),
        ]
        for row in rows
    ]
    heads = ["Label", "Pair", f"Difference, {level} interval", "Adjusted p", "First is"]
    return [_table(f"Each label by {rows[0]['label']}, simultaneous over labels", heads, lines, (3,))]


def _said(findings: Iterable[Any]) -> list[tuple[str, str]]:
    return [(finding.sentence, str(finding.verdict)) for finding in findings]


def _sized(size: str, result: Any) -> str:
    return f"{size}, {_level(result)} intervals"


def _head(label: str) -> str:
    """Return a metric's name without its other names, as a heading."""
    return label.split(" (", maxsplit=1)[0]


def _level(result: Any) -> str:
    return f"{100 * result.confidence_level:.4g}%"


def _table(heading: str, heads: Sequence[str], lines: Lines, numbers: Iterable[int] = ()) -> Table:
    return Table(heading, view_of(heads, lines[:ROWS], tuple(numbers)), max(len(lines) - ROWS, 0))


def _with_interval(each: Estimate) -> str:
    return "not estimable" if each.undefined else f"{number_text(each.value)} {each.interval_text}".rstrip()


def _ends(value: float, low: float, high: float) -> str:
    if math.isnan(value):
        return "not estimable"
    return number_text(value) + ("" if math.isnan(low) else f" [{number_text(low)}, {number_text(high)}]")


def _p(value: float) -> str:
    return "" if math.isnan(value) else p_text(value).removeprefix("p ").removeprefix("= ")


def _bare(method: str) -> str:
    """Return how a probability was found: it has no interval to speak of."""
    return method.removeprefix("no interval: a probability (").removesuffix(")")


def _methods(estimates: Iterable[Estimate]) -> str:
    """Return the methods of estimates, each once; of those without a value, the reason."""
    return "; ".join(dict.fromkeys(estimate.undefined or estimate.method for estimate in estimates))

"""An evaluation in every form: on the terminal first what it means, then what to see at a glance, then every number."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, share_words
from unconfuse._html_repr import TERMINAL
from unconfuse.cli._layout import (
    LINE,
    Console,
    Footnotes,
    Layout,
    TerminalColumn,
    count_text,
    fit,
    harmless,
    say,
    shortened,
)
from unconfuse.cli._null_tests import tests_of
from unconfuse.cli._options import Words
from unconfuse.cli._output import emit_result, markdown_text
from unconfuse.metrics import Metric, find_metric
from unconfuse.policy import RESTATED, TONES, Verdict
from unconfuse.results.evaluation import Evaluation
from unconfuse.uncertainty.estimate import Estimate

_LABEL_WIDTH, _NARROW_LABEL, _HEADLINE_LABEL, _BAR, _LEAST_METHOD = 37, 16, 26, 40, 12
_COLOURS = {"good": TERMINAL["good"], "bad": "red"}
_SHOWN_FINDINGS = 3  # on the first screen, besides warnings
_OF_THE_LABELS = {"precision", "npv", "false_discovery_rate", "false_omission_rate"}
TITLES = (
    "Within each class (the same at every prevalence)",
    "How far a label can be believed",
    "Summaries of the decisions",
    "Ranking, over all thresholds",
    "Probabilities",
    "What the data and the threshold set",
)


def title_of(metric: Metric) -> str:
    """Return the section that a metric is shown in; what it declares decides, so that a new one finds its place."""
    if metric.of != "counts":
        return TITLES[3] if metric.of == "ranks" else TITLES[4]
    if metric.name in _OF_THE_LABELS or metric.better == "neither":
        return TITLES[1] if metric.name in _OF_THE_LABELS else TITLES[5]
    return TITLES[0] if metric.inference.fraction is not None and not metric.depends_on_prevalence else TITLES[2]


def sections(estimates: Iterable[Estimate]) -> dict[str, list[Estimate]]:
    """Estimates by the title of their section, without the empty ones."""
    grouped: dict[str, list[Estimate]] = {title: [] for title in TITLES}
    for estimate in estimates:
        try:
            title = title_of(find_metric(estimate.name))
        except ArgumentError:  # a metric of the user's own
            title = TITLES[2]
        grouped[title].append(estimate)
    return {title: members for title, members in grouped.items() if members}


@dataclass(frozen=True)
class Detail:
    """How much of an evaluation is printed: a screen, every metric, or these and their restatements."""

    every: bool = True
    restated: bool = True

    @classmethod
    def of(cls, evaluation: Evaluation, output: Words) -> Self:
        """Return what the options ask for; metrics that were named, or are few, are all printed."""
        few = output.get("named", False) or len(evaluation.headline) == len(evaluation)
        complements = few or output.get("complements", True)
        return cls(complements or output.get("every", True), complements)

    def shown(self, evaluation: Evaluation) -> list[Estimate]:
        """Return the estimates of the table."""
        return [
            estimate
            for estimate in evaluation.values()
            if self.restated or RESTATED.get(estimate.name) not in evaluation
        ]

    def draw_rest(self, console: Console, evaluation: Evaluation) -> None:
        """Say what is not printed, and which option prints it."""
        if not self.every:
            findings = len(evaluation.findings) - len(findings_shown(evaluation))
            more = f"{findings} more finding{'s' if findings > 1 else ''} and " if findings else ""
            metrics = len(replace(self, restated=False).shown(evaluation))
            say(console, f"--all prints {more}all {metrics} metrics.", "dim")
        elif len(shown := self.shown(evaluation)) < len(evaluation):
            left = ", ".join(name for name in evaluation if name not in {estimate.name for estimate in shown})
            say(console, f"\n--complements also prints what restates these: {left}.", "dim")


def findings_shown(evaluation: Evaluation) -> list[Any]:
    """Return the findings of the first screen: the verdict, those that follow it, and every warning."""
    return [
        finding
        for place, finding in enumerate(evaluation.findings)
        if place < _SHOWN_FINDINGS or finding.verdict in (Verdict.REVERSED, Verdict.TOO_FEW, Verdict.ASK_PREVALENCE)
    ]


def emit_evaluation(
    evaluation: Evaluation,
    output: Words,
    prevalence: float | None = None,
    person: Any = None,
    nulls: list[str] | None = None,
) -> None:
    """Print an evaluation, at another prevalence if one is given, what it means for one person, and tests."""
    if nulls and output["form"] == "csv":
        raise ArgumentError("--null is not shown in CSV, which has a line for each metric. Hint: use --format json.")
    if person is not None and output["form"] == "csv":
        raise ArgumentError("--prior is not shown in CSV, which has a line for each metric. Hint: use --format json.")
    if prevalence is not None:
        from unconfuse.api import shift_prevalence

        evaluation = shift_prevalence(evaluation, prevalence=prevalence)
    said: Words = {"score": evaluation.name, "source": evaluation.source, "prevalence": prevalence}
    said |= {} if person is None else {"person": person.as_dict()}
    tests = tests_of(evaluation, nulls)
    said |= {"tests": [test.as_dict() for test in tests]} if tests else {}
    more = [*([] if person is None else [person]), *tests]
    markdown = partial(_markdown, more=more)
    draw = partial(draw_evaluation, prevalence=prevalence, more=more, detail=Detail.of(evaluation, output))
    emit_result(output, evaluation, markdown, draw, **said)


def _markdown(evaluation: Evaluation, more: Sequence[Any] = ()) -> str:
    binned = any(each.bound_text() for each in evaluation.values())
    head = interval_head(evaluation.confidence_level)
    heads = ["Metric", "Value", head, "Chance", *(["Certainly"] if binned else []), "Method"]
    lines = []
    for estimate in (member for members in sections(evaluation.values()).values() for member in members):
        certain = [estimate.bound_text()] if binned else []
        cells = [estimate.label, number_text(estimate.value), estimate.interval_text, chance_text(estimate)]
        lines.append([*cells, *certain, estimate.undefined or estimate.method])
    return markdown_text(heads, lines, [*evaluation.findings, *more]) + markdown_places(evaluation)


def draw_evaluation(
    console: Console,
    evaluation: Evaluation,
    prevalence: float | None = None,
    more: Sequence[Any] = (),
    detail: Detail | None = None,
) -> None:
    """Print the verdict, a few numbers, the pictures and the 2x2 table; every metric if that was asked for."""
    from unconfuse.cli._terminal_plots import draw_matrix, draw_pictures

    detail = detail or Detail()
    _draw_heading(console, evaluation, prevalence)
    draw_findings(console, evaluation, evaluation.findings if detail.every else findings_shown(evaluation))
    for each in more:
        say(console, f"{harmless(each.sentence)}\n")
    draw_headline(console, evaluation)
    draw_pictures(console, evaluation)
    if evaluation.has_decisions:
        draw_matrix(console, evaluation, per_thousand=prevalence is not None)
    if detail.every:
        _draw_metrics(console, evaluation, detail.shown(evaluation))
    draw_places(console, evaluation)
    detail.draw_rest(console, evaluation)


def draw_places(console: Console, evaluation: Evaluation) -> None:
    """Draw the places that cases come from, if these are known, in the first metric."""
    if evaluation.sample.has_sites:
        from unconfuse.cli._estimate_tables import draw_sites

        draw_sites(console, evaluation.sites[evaluation.headline[0].name])


def markdown_places(evaluation: Evaluation) -> str:
    """Return the places that cases come from as Markdown; "" if none are known."""
    if not evaluation.sample.has_sites:
        return ""
    from unconfuse.cli._estimate_tables import sites_markdown

    return "\n" + sites_markdown(evaluation.sites[evaluation.headline[0].name])


def _draw_heading(console: Console, evaluation: Evaluation, prevalence: float | None) -> None:
    """Print what was judged, and on what."""
    from rich.text import Text

    room = max((console.width - len(" of ")) // 2, 12)
    name = " of ".join(shortened(part, room) for part in (evaluation.name, evaluation.source) if part)
    share = evaluation.positives / evaluation.n
    cases = f"{count_text(evaluation.n)} cases, {count_text(evaluation.positives)} positive ({share_words(share)})"
    parts = [
        cases if prevalence is None else f"where {100 * prevalence:.4g}% are positive",
        evaluation.sample.threshold_text() or ("" if evaluation.has_decisions else "no threshold"),
        f"{evaluation.design} design",
    ]
    heading = Text(f"{name}\n" if name else "", style="bold")
    heading.append("; ".join(part for part in parts if part), style="not bold dim" if name else "bold")
    console.print(heading, end="\n\n")


def draw_findings(console: Console, evaluation: Evaluation, findings: Sequence[Any] | None = None) -> None:
    """Print the verdict so that it stands out, then the other findings (or some of them)."""
    from rich.padding import Padding
    from rich.text import Text

    for position, finding in enumerate(evaluation.findings if findings is None else findings):
        style = "" if position else f"bold {_COLOURS.get(TONES.get(finding.verdict, ''), '')}".strip()
        sentence = Padding(Text(harmless(finding.sentence), style=style), (0, 0, 0, 2 if position else 0))
        console.print(sentence, width=min(console.width, LINE))
    if evaluation.findings:
        console.print()


def draw_headline(console: Console, evaluation: Evaluation) -> None:
    """Draw a few numbers with bars, unless they are all there is: then the table says the same."""
    from rich.text import Text

    from unconfuse.cli._terminal_canvas import estimate_bar, marks_for

    shown = evaluation.headline
    if len(shown) == len(evaluation):
        return
    marks = marks_for(console)
    columns = [
        TerminalColumn("", [shortened(estimate.label.split(" (")[0], _HEADLINE_LABEL) for estimate in shown]),
        TerminalColumn("value", [number_text(estimate.value) for estimate in shown], right=True),
        TerminalColumn(interval_head(evaluation.confidence_level), [estimate.interval_text for estimate in shown]),
    ]
    room = min(console.width - fit(columns, console.width).width - 2, _BAR)
    bars = [estimate_bar(marks, estimate, evaluation.value_range(estimate.name), room) for estimate in shown]
    legend = Text(f"   {marks.value} value  {marks.interval} interval  {marks.chance} chance", style="dim")
    layout = fit([*columns, TerminalColumn("", bars)], console.width)
    layout.draw_all(console)
    console.print(Text(" " * max(min(layout.width - room - 3, console.width - legend.cell_len), 0)) + legend)
    console.print()


def _draw_metrics(console: Console, evaluation: Evaluation, shown: Sequence[Estimate]) -> None:
    """Print metrics by section; the columns stand in line over all sections, and long remarks below them."""
    grouped = sections(shown)
    notes, layout = metrics_layout(console, evaluation, [member for members in grouped.values() for member in members])
    layout.draw_heads(console)
    start = 0
    for title, members in grouped.items():
        say(console, f"\n{title}" if start else title, "bold")
        layout.draw(console, slice(start, start + len(members)))
        start += len(members)
    layout.draw_left_out(console)
    notes.draw(console)


def metrics_layout(console: Console, evaluation: Evaluation, shown: Sequence[Estimate]) -> tuple[Footnotes, Layout]:
    """Where methods do not fit they are left out, but why a metric is undefined is always said."""
    binned = any(estimate.bound_text() for estimate in evaluation.values())
    names, numbers, intervals, beside, how = zip(*(_cells(estimate, binned) for estimate in shown), strict=True)
    values = [
        TerminalColumn("value", numbers, right=True),
        TerminalColumn(interval_head(evaluation.confidence_level), intervals),
        TerminalColumn("certainly" if binned else "chance", beside, right=True, rank=1),
    ]
    room = min(_LABEL_WIDTH, max(console.width - fit(values, console.width).width - 3, _NARROW_LABEL))
    labels = TerminalColumn("", [_wrapped_label(name, room, console) for name in names])
    rest = console.width - fit([labels, *values], console.width).width - 2
    notes = Footnotes(room=max(rest, _LEAST_METHOD))
    if rest >= _LEAST_METHOD:
        methods = TerminalColumn("method", [notes.short(each) for each in how], style="dim")
        return notes, fit([labels, *values, methods], console.width)
    said = [
        interval if number else notes.short(why) for interval, number, why in zip(intervals, numbers, how, strict=True)
    ]
    layout = fit([labels, values[0], replace(values[1], cells=said), values[2]], console.width)
    return notes, replace(layout, left_out=(*layout.left_out, "method"))


def interval_head(level: float) -> str:
    """Column head of the intervals, with their level."""
    return f"{level * 100:.4g}% interval"


def _wrapped_label(label: str, room: int, console: Console) -> str:
    """Wrap the label over as many lines as it takes, each indented a little."""
    from rich.text import Text

    lines = Text(shortened(label, 3 * room)).wrap(console, room)
    return "\n".join(f" {line.plain.rstrip()}" for line in lines)


def _cells(estimate: Estimate, binned: bool) -> tuple[str, str, str, str, str]:
    note = estimate.conditions.partition("; ")[2]
    how = "; ".join(part for part in (estimate.undefined or estimate.method, note) if part)
    if estimate.undefined:
        return estimate.label, "", "undefined", "", harmless(how)
    beside = (estimate.bound_text(4) or "exact") if binned else chance_text(estimate)
    return estimate.label, number_text(estimate.value), estimate.interval_text, beside, harmless(how)


def chance_text(estimate: Estimate) -> str:
    """Format the value of a useless classifier, without the dust of rounding."""
    return "" if math.isnan(estimate.baseline) else number_text(round(estimate.baseline, 12) + 0.0)

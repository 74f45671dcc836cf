"""Reporting checklists: items that the data settle are answered, with intervals; the rest are questions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from types import MappingProxyType
from typing import Any

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import TabularResult, short_repr, strict_json
from unconfuse._table_view import Column, Footnote, TableView, form_of, rendered, write
from unconfuse.publication._shared_text import (
    cases_words,
    chosen,
    count,
    design_words,
    in_text,
    listed,
    metric_words,
    skipped_words,
    software,
    threshold_words,
)
from unconfuse.publication.flow_diagram import Flow, flow_of, two_by_two
from unconfuse.publication.guidelines import CLAIM, STARD, TRIPOD_AI, Guideline, GuidelineItem
from unconfuse.publication.methods_paragraph import without_references
from unconfuse.results.evaluation import Evaluation

GUIDELINES = MappingProxyType({"stard": STARD, "tripod-ai": TRIPOD_AI, "claim": CLAIM})
_SHOWN = 8  # classes, subgroups or clusters that an answer names


@dataclass(frozen=True)
class ChecklistItem:
    """One item of a checklist: what the data answer (or nothing), and what is left to the author."""

    number: str
    topic: str
    answer: str
    question: str


@dataclass(frozen=True, repr=False)
class Checklist(TabularResult):
    """A reporting guideline, filled in as far as the data go.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31).checklist("stard")
    >>> found
    Checklist STARD 2015: 9 of 34 items have an answer from the data
    >>> found["23"].answer
    'TP 141, FP 0, FN 67 and TN 31.'
    >>> found["26"].answer
    ''
    """

    guideline: str
    source: str
    items: tuple[ChecklistItem, ...]
    flow: Flow

    def __getitem__(self, number: str) -> ChecklistItem:
        for checklist_item in self.items:
            if checklist_item.number == str(number):
                return checklist_item
        raise KeyError(
            f"no item {short_repr(number)}. {did_you_mean(str(number), [each.number for each in self.items])}"
        )

    @property
    def answered(self) -> tuple[ChecklistItem, ...]:
        """Items that the data answer, at least in part."""
        return tuple(checklist_item for checklist_item in self.items if checklist_item.answer)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row of plain values for each item."""
        return [vars(checklist_item) | {"guideline": self.guideline} for checklist_item in self.items]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the checklist as plain values."""
        whole = {"guideline": self.guideline, "source": self.source, "flow": str(self.flow)}
        return whole | {"items": [vars(checklist_item) for checklist_item in self.items]}

    def view(self) -> TableView:
        """Return the checklist as a table."""
        columns = [Column("Item"), Column("Topic"), Column("From the data"), Column("To be answered by the author")]
        rows = [
            [checklist_item.number, checklist_item.topic, checklist_item.answer, checklist_item.question]
            for checklist_item in self.items
        ]
        words = "Items are worded anew; the guideline itself counts."
        return TableView(columns, rows, f"{self.guideline} checklist", [Footnote(f"{words} {self.source}")])

    def text(self, form: str = "markdown") -> str | bytes:
        """Return the checklist and the flow of cases as "markdown", "html", "latex", "csv" or "docx"."""
        if form == "markdown":
            fence = "`" * 4
            return f"{self.view().markdown()}\n**Flow of cases**\n\n{fence}text\n{_unfenced(str(self.flow))}\n{fence}\n"
        flow = [] if form == "csv" else [self._flow_view()]
        return rendered([self.view(), *flow], form)

    def _flow_view(self) -> TableView:
        flow = self.flow
        rows = [[flow.read, ""], *([f"Left out, {why}", size] for why, size in flow.left_out), [flow.used, ""]]
        rows += [[name, what] for name, what in flow.ends]
        return TableView([Column("Step"), Column("Cases")], rows, "Flow of cases")

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file, in the form that the ending of its name means: .md, .docx, .html, .tex or .csv."""
        write(self.text(form_of(path)), path)

    def __repr__(self) -> str:
        done = f"{len(self.answered)} of {len(self.items)} items have an answer from the data"
        return f"Checklist {self.guideline}: {done}"

    def __str__(self) -> str:
        return str(self.text())

    def _repr_html_(self) -> str:
        return str(self.text("html"))


def _unfenced(text: str) -> str:
    """Return text that cannot end the block it stands in."""
    return text.replace("````", "'''' ")


def checklist_of(evaluation: Evaluation, guideline: str) -> Checklist:
    """Return a guideline's checklist, filled in as far as an evaluation goes."""
    key = guideline.lower().replace("+", "-").replace("_", "-") if isinstance(guideline, str) else ""
    key = "tripod-ai" if key == "tripod" else key
    if key not in GUIDELINES:
        hint = did_you_mean(key, GUIDELINES) if key else ""
        raise ArgumentError(
            f"`guideline` must be one of {', '.join(GUIDELINES)}; got {short_repr(guideline)}. {hint}".strip()
        )
    asked: Guideline = GUIDELINES[key]
    items = [_item(evaluation, each) for each in asked.items]
    return Checklist(asked.title, asked.source, tuple(items), flow_of(evaluation))


def _item(evaluation: Evaluation, asked: GuidelineItem) -> ChecklistItem:
    answer = _ANSWERS[asked.settled](evaluation) if asked.settled else ""
    return ChecklistItem(asked.number, asked.topic, answer, "" if answer and asked.fully else asked.question)


def _measures(evaluation: Evaluation) -> str:
    return f"Measures here: {listed([metric_words(estimate.label) for estimate in chosen(evaluation, None)])}."


def _design(evaluation: Evaluation) -> str:
    return f"The analysis assumes {design_words(evaluation.sample)}."


def _labels(evaluation: Evaluation) -> str:
    if evaluation.sample.is_multiclass:
        names = evaluation.classes[:_SHOWN]
        more = f" and {len(evaluation.classes) - _SHOWN} more" if len(evaluation.classes) > _SHOWN else ""
        return f"Classes: {', '.join(names)}{more}."
    if not evaluation.sample.has_scores and evaluation.classes == ("negative", "positive"):
        return ""
    return f"Positive label: {evaluation.classes[1]!r}; negative: {evaluation.classes[0]!r}."


def _missing(evaluation: Evaluation) -> str:
    return skipped_words(evaluation) or "No row was left out; every row that was read is analysed."


def _subgroups(evaluation: Evaluation) -> str:
    if not evaluation.sample.by:
        return ""
    names = list(evaluation.subgroups)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"Analysed by {' and '.join(evaluation.sample.by)}: {', '.join(names[:_SHOWN])}{more}."


def _size(evaluation: Evaluation) -> str:
    return f"Analysed: {cases_words(evaluation)}."


def _events(evaluation: Evaluation) -> str:
    if not evaluation.sample.is_multiclass:
        return f"{cases_words(evaluation)}."
    sizes = sorted(zip(evaluation.sample.sizes.tolist(), evaluation.classes, strict=True), reverse=True)
    shown = [f"{name} {count(float(size))}" for size, name in sizes[:_SHOWN]]
    more = f" and {len(sizes) - _SHOWN} more classes" if len(sizes) > _SHOWN else ""
    return f"{cases_words(evaluation)}: {', '.join(shown)}{more}."


def _flow(evaluation: Evaluation) -> str:
    flow = flow_of(evaluation)
    out = [f"left out, {why}: {size}" for why, size in flow.left_out]
    ends = [f"{name}: {what}" for name, what in flow.ends]
    return "; ".join([flow.read, *out, flow.used, *ends]) + "."


def _table(evaluation: Evaluation) -> str:
    return f"{two_by_two(evaluation)}." if evaluation.has_decisions else ""


def _estimates(evaluation: Evaluation) -> str:
    estimates = [estimate for estimate in chosen(evaluation, None) if not math.isnan(estimate.value)]
    words = "; ".join(map(in_text, estimates))
    whole = f"{words[:1].upper()}{words[1:]}." if words else ""
    if not evaluation.sample.by:
        return whole
    parts = evaluation.subgroups
    first = parts.headlines()[0]
    own = [f"{name}: {in_text(part[first])}" for name, part in list(parts.items())[:_SHOWN]]
    return f"{whole} By {' and '.join(parts.by)}: {'; '.join(own)}."


def _folds(evaluation: Evaluation) -> str:
    return f"Cross-validation over {len(evaluation.folds)} folds." if evaluation.sample.has_folds else ""


def _clusters(evaluation: Evaluation) -> str:
    n = evaluation.sample.n_groups
    return f"{n:,} clusters; intervals take whole clusters as the units of sampling." if n else ""


def _source(evaluation: Evaluation) -> str:
    return f"File or table: {evaluation.source}." if evaluation.source else ""


def _software(_: Evaluation) -> str:
    return f"Evaluation: {software()}."


_ANSWERS: dict[str, Callable[[Evaluation], str]] = {
    "measures": _measures,
    "design": _design,
    "threshold": threshold_words,
    "labels": _labels,
    "methods": without_references,
    "missing": _missing,
    "subgroups": _subgroups,
    "size": _size,
    "flow": _flow,
    "table": _table,
    "estimates": _estimates,
    "folds": _folds,
    "clusters": _clusters,
    "source": _source,
    "software": _software,
    "events": _events,
}

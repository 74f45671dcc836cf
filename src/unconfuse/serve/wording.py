"""Refusals in the words of the form: they speak of its fields and tabs, and say which field they are about."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from unconfuse._errors import UnconfuseError, bare, respelt
from unconfuse._parameters import names_by_alias
from unconfuse.serve.questions import QUESTIONS, TITLES, FieldError, Remedy

_SAME = {"class": "positive", "labels": "label"}  # what the library calls fields of some questions
_ASKED = {
    "evaluate": "evaluate",
    "compare": "compare",
    "threshold_card": "thresholds",
    "resolving_power": "resolve",
    "plan": "plan",
    "benchmark": "benchmark",
    "items": "items",
    "evaluate_counts": "counts",
    "evaluate_confusion": "matrix",
}
_MENTION = re.compile(r"`([a-z_]+)`?|(?<![-\w.('\"])([a-z]\w*)=")


def in_form(error: UnconfuseError, question: str, answers: Mapping[str, Any], names: Collection[str]) -> FieldError:
    """Return a refusal of the library as the form of a question shows it, with a remedy where one press is enough."""
    message, rows = str(error), getattr(error, "rows", 0)
    skips = rows and any(each.name == "on_bad_row" for each in QUESTIONS[question])
    remedy = Remedy(f"Skip {'this row' if rows == 1 else f'these {rows:,} rows'}", {"on_bad_row": "skip"})
    return FieldError(
        field_of(message, answers, question), in_fields(message, question, names), remedy if skips else None
    )


def in_fields(message: str, question: str, names: Collection[str] = ()) -> str:
    """Return a message of the library in the words of a form.

    >>> in_fields("which label is positive? Hint: say which, positive='yes'.", "evaluate")
    'which label is positive? Hint: say which, “Positive value”: yes.'
    >>> in_fields("`threshold` is needed. Hint: `threshold_card` finds one.", "evaluate")
    '“Threshold” is needed. Hint: “Choose a threshold” finds one.'
    """
    labels = {each.name: each.label for each in QUESTIONS[question]}

    def field(word: str) -> str | None:
        label = labels.get(word) or labels.get(_field(word))
        return None if label is None else f"“{label}”"

    def quoted(word: str, value: str | None) -> str:
        if value is None and word in _ASKED:
            return f"“{TITLES[_ASKED[word]]}”"
        return given(word, value) or word.replace("_", " ")

    def given(word: str, value: str | None) -> str | None:
        if word == "negative" and bare(value) == "rest":
            return field("rest_negative")
        label, said = field(word), bare(value).strip(".")
        return label if label is None or not said else f"{label}: {said}"

    return respelt(message, quoted, given, names)


def _field(word: str) -> str:
    """Return the field that the library calls by another word, or nothing."""
    return names_by_alias().get(word) or _SAME.get(word, "")


def field_of(message: str, answers: Mapping[str, Any] | None = None, question: str = "") -> str | None:
    """Return the field that a refusal is about: the one whose column it names, or the first that it names.

    A question has its own fields; without one, those of all count.

    >>> field_of("the labels are 'no' and 'yes'. Hint: say positive='yes'."), field_of("it is empty.")
    ('positive', None)
    >>> field_of("the file has no column 'rsk'. Hint: did you mean 'risk'?", {"score": "rsk"})
    'score'
    """
    asked = [QUESTIONS[question]] if question in QUESTIONS else QUESTIONS.values()
    known = {each.name for fields in asked for each in fields}
    for name, answer in (answers or {}).items():
        named = answer if isinstance(answer, list) else [answer]
        if any(isinstance(each, str) and f"column {each!r}" in message for each in named):
            return name
    for quoted, given in _MENTION.findall(message):
        name = quoted or given
        name = name if name in known else _field(name)
        if name in known:
            return name
    return next((name for name, answer in (answers or {}).items() if _is_quoted(answer, message)), None)


def _is_quoted(answer: Any, message: str) -> bool:
    return any(
        isinstance(each, str) and repr(each) in message for each in (answer if isinstance(answer, list) else [answer])
    )

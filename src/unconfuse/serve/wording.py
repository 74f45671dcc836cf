"""Refusals in the words of the form: they speak of its fields and tabs, and say which field they are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unconfuse._errors import Mention, UnconfuseError, parts_of, respelt
from unconfuse._formatting import short_repr
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


def in_form(error: UnconfuseError, question: str, answers: Mapping[str, Any]) -> FieldError:
    """Return a refusal of the library as the form of a question shows it, with a remedy where one press is enough."""
    message, rows = str(error), getattr(error, "rows", 0)
    skips = rows and any(option_spec.name == "on_bad_row" for option_spec in QUESTIONS[question])
    remedy = Remedy(f"Skip {'this row' if rows == 1 else f'these {rows:,} rows'}", {"on_bad_row": "skip"})
    field = error.stated_argument or field_of(message, answers, question)
    return FieldError(field, in_fields(message, question), remedy if skips else None)


def in_fields(message: str, question: str) -> str:
    """Return a message of the library in the words of a form.

    >>> in_fields("which label is positive? Hint: say which, `positive='yes'`.", "evaluate")
    'which label is positive? Hint: say which, “Positive value”: yes.'
    >>> in_fields("`threshold` is needed. Hint: `threshold_card` finds one.", "evaluate")
    '“Threshold” is needed. Hint: “Choose a threshold” finds one.'
    """
    labels = {option_spec.name: option_spec.label for option_spec in QUESTIONS[question]}

    def spelt(mention: Mention) -> str:
        if mention.given is None and mention.name in _ASKED:
            return f"“{TITLES[_ASKED[mention.name]]}”"
        is_rest = mention.name == "negative" and mention.values == ["rest"]
        label = labels.get("rest_negative" if is_rest else mention.name) or labels.get(_field(mention.name))
        values = "" if is_rest else ", ".join(mention.values)
        if label is None:
            return f"{mention.name.replace('_', ' ')}: {values}" if values else mention.name.replace("_", " ")
        return f"“{label}”: {values}" if values else f"“{label}”"

    return respelt(message, spelt)


def _field(word: str) -> str:
    """Return the field that the library calls by another word, or nothing."""
    return names_by_alias().get(word) or _SAME.get(word, "")


def field_of(message: str, answers: Mapping[str, Any] | None = None, question: str = "") -> str | None:
    """Return the field that a refusal is about: the one whose column it names, or the first that it names.

    A question has its own fields; without one, those of all count.

    >>> field_of("the labels are 'no' and 'yes'. Hint: say `positive='yes'`."), field_of("it is empty.")
    ('positive', None)
    >>> field_of("the file has no column 'rsk'. Hint: did you mean 'risk'?", {"score": "rsk"})
    'score'
    """
    asked = [QUESTIONS[question]] if question in QUESTIONS else QUESTIONS.values()
    known = {field.name for fields in asked for field in fields}
    for name, answer in (answers or {}).items():
        named = answer if isinstance(answer, list) else [answer]
        if any(isinstance(each, str) and f"column {short_repr(each)}" in message for each in named):
            return name
    for mention in parts_of(message):
        if isinstance(mention, Mention):
            name = mention.name if mention.name in known else _field(mention.name)
            if name in known:
                return name
    return next((name for name, answer in (answers or {}).items() if _is_quoted(answer, message)), None)


def _is_quoted(answer: Any, message: str) -> bool:
    return any(
        isinstance(each, str) and short_repr(each) in message
        for each in (answer if isinstance(answer, list) else [answer])
    )

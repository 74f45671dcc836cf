"""What can be asked: the fields of every question, declared once for forms, checks of requests and OpenAPI."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from unconfuse._errors import ArgumentError, InputError, did_you_mean
from unconfuse._parameters import OptionSpec, cases, decisions, names_in, outputs, planning, records, uncertainty

LONGEST, MOST = 1000, 50  # of a text; of a list


@dataclass(frozen=True)
class Remedy:
    """What a form offers beside a refusal: a button, and the answers that it sets before it asks again."""

    label: str
    answers: Mapping[str, str]


class FieldError(ArgumentError):
    """A field of a question cannot be used as it is."""

    def __init__(self, field: str | None, message: str, remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.field, self.remedy = field, remedy

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as requests and jobs report them."""
        remedy = None if self.remedy is None else {"label": self.remedy.label, "answers": dict(self.remedy.answers)}
        return {"message": str(self), "field": self.field, "remedy": remedy}


class NoRoomError(InputError):
    """Temporary files cannot be written."""

    def __init__(self, error: OSError | str) -> None:
        why = error if isinstance(error, str) else error.strerror or type(error).__name__
        hint = "Hint: free disk space, or start with TMPDIR set to another folder."
        super().__init__(f"temporary files cannot be written: {why}. {hint}")


def _needed(field: OptionSpec, **said: Any) -> OptionSpec:
    return field.but(is_needed=True, **said)


def _rare(*fields: OptionSpec, **said: Any) -> tuple[OptionSpec, ...]:
    """Return fields that forms keep folded away."""
    return tuple(field.but(is_rare=True, **said) for field in fields)


_LABEL = _needed(cases.LABEL)
_DECIMAL = cases.DECIMAL.but(kind="choice", default=".")
_FILE = _rare(cases.TABLE, cases.DELIMITER, _DECIMAL)
_READING = (*_rare(cases.ON_BAD_ROW), *_FILE)
_LABELS = _rare(cases.NEGATIVE, cases.REST_NEGATIVE)
_ROWS = (*_rare(cases.WEIGHT, cases.GROUP, cases.ID, cases.FOLD), *_READING)
_LEVEL = _rare(uncertainty.CONFIDENCE_LEVEL)
_DESIGN = (*_rare(uncertainty.DESIGN), *_LEVEL)
_RESAMPLES = _rare(uncertainty.RESAMPLES, uncertainty.SEED)
_WORDS = (outputs.POSITIVE_LABEL, outputs.UNIT)
_KEEP = OptionSpec(
    "--keep-cases", label="Keep the scores by case", help="Allows a paired comparison with another one later."
)
_PAIRED = _rare(planning.SCORE_CORRELATION)

QUESTIONS: dict[str, tuple[OptionSpec, ...]] = {
    "evaluate": (
        *(_LABEL, cases.POSITIVE, cases.SCORE, cases.BY, cases.SITE),
        *(decisions.THRESHOLD, decisions.PREVALENCE, *_WORDS, _KEEP),
        *_rare(cases.SCORES, cases.PREDICTED, cases.REFERENCE),
        *(*_LABELS, *_ROWS, *_DESIGN, *_RESAMPLES),
    ),
    "compare": (
        *(_LABEL, cases.POSITIVE, cases.SCORE_OF_EACH, decisions.THRESHOLD_OF_EACH, uncertainty.MARGIN, cases.SITE),
        *_rare(decisions.THRESHOLD_RULE, cases.REFERENCE_MODEL, decisions.BASELINES, uncertainty.ADJUST),
        *(*_LABELS, *_ROWS, *_DESIGN, *_RESAMPLES),
    ),
    "thresholds": (
        *(_LABEL, cases.POSITIVE, cases.SCORE),
        *(decisions.COSTS, decisions.PREVALENCE, decisions.CAPACITY, decisions.GUARANTEES),
        *_rare(decisions.MIN_PRECISION, decisions.MIN_RECALL, decisions.MIN_SPECIFICITY),
        *_rare(decisions.PREDICTED_POSITIVE_RATE, decisions.VALIDATION),
        *(*_LABELS, *_ROWS, *_DESIGN),
    ),
    "resolve": (
        *(_LABEL, cases.POSITIVE, cases.SCORE, planning.N),
        planning.SHARE_OF_POSITIVES.but(help="As here, if left empty."),
        planning.METHOD.but(choices=("asymptotic", "linear", "full"), default="asymptotic"),  # the quick one first
        *(*_rare(decisions.METRICS, planning.QUALITIES, planning.IMPROVEMENT), *_PAIRED),
        *(*_LABELS, *_READING),
    ),
    "plan": (
        *(decisions.METRIC, planning.DIFFERENCE, planning.WIDTH, planning.SHARE_OF_POSITIVES.but(default=0.5)),
        *(planning.QUALITY, planning.SENSITIVITY, planning.SPECIFICITY),
        *(*_rare(planning.POWER, planning.WORSE_BY, planning.NULL), *_PAIRED, *_rare(planning.SD_RATIO)),
    ),
    "counts": (*cases.COUNTS.values(), decisions.PREVALENCE, *_WORDS, *_DESIGN),
    "matrix": (
        *(cases.MATRIX, cases.ROWS),
        cases.POSITIVE.but(label="Positive class", help="Only to ask a yes-or-no question of two classes."),
        *_DESIGN,
    ),
    "benchmark": (
        *(records.DATASET, _needed(records.MODEL), _needed(records.VALUE), records.STANDARD_ERROR),
        records.BETTER.but(default="higher"),
        *(*_rare(records.CORRELATION), *_FILE, *_LEVEL),
    ),
    "items": (
        *(_needed(records.ITEM), records.MODEL_OF_ITEMS, _needed(records.CORRECT), records.RUN, records.CLUSTER),
        *(*_rare(cases.JUDGE), *_FILE, *_LEVEL),
    ),
}
# What is said of the file rather than asked of it: it holds for every question about the same file.
ROLES = frozenset(option_spec.name for option_spec in (*QUESTIONS["evaluate"][:5], *_LABELS, *_ROWS)) | {
    "predicted",
    "scores",
}
READS_A_FILE = ("evaluate", "compare", "thresholds", "resolve", "benchmark", "items")
TITLES = {
    "evaluate": "Evaluate one model",
    "compare": "Compare models",
    "thresholds": "Choose a threshold",
    "resolve": "Which metric to trust",
    "benchmark": "Models over data sets",
    "items": "Models on items",
    "plan": "Plan a test set",
    "counts": "Four counts",
    "matrix": "Confusion matrix",
    "saved": "Compare two saved ones",
}


def checked(question: str, answers: Any) -> dict[str, Any]:
    """Answers of the declared kinds, without the empty ones; anything else is refused where it stands.

    >>> checked("counts", {"tp": 8, "fp": "2", "fn": 1, "tn": 9, "prevalence": "2%"})["prevalence"]
    0.02
    """
    if question not in QUESTIONS:
        raise FieldError(
            "question", f"there is no question {str(question)[:60]!r}. {did_you_mean(str(question)[:60], QUESTIONS)}"
        )
    if not isinstance(answers, Mapping):
        raise FieldError("answers", "answers must be an object with a value for each field.")
    fields = {option_spec.name: option_spec for option_spec in QUESTIONS[question]}
    answers = _renamed(fields.values(), answers)
    for name in answers:
        if name not in fields:
            raise FieldError(
                str(name)[:60],
                f"{question!r} asks nothing named {str(name)[:60]!r}. {did_you_mean(str(name)[:60], fields)}",
            )
    found = {name: _value(field, answers.get(name)) for name, field in fields.items()}
    for name, field in fields.items():
        if field.is_needed and found[name] is None:
            raise FieldError(name, f"“{field.label}” is missing. {field.help}".strip())
    return {name: value for name, value in found.items() if value is not None}


def _renamed(fields: Iterable[OptionSpec], answers: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return answers by the names of today: earlier requests used former spellings of the options."""
    former = {each.lstrip("-").replace("-", "_"): field.name for field in fields for each in (*field.former, field.was)}
    found = {former.get(name, name): answer for name, answer in answers.items()}
    if len(found) < len(answers):
        twice = next(former[name] for name in answers if name in former and former[name] in answers)
        raise FieldError(twice, f"{twice!r} was given twice, under a former name as well. Hint: give one of them.")
    return found


def _value(field: OptionSpec, given: Any) -> Any:
    if given is None or given in ("", [], {}):
        return None
    return _KINDS[field.kind](field, given)


def _text(field: OptionSpec, given: Any) -> str:
    if not isinstance(given, str):
        raise FieldError(field.name, f"{field.label} must be a text; got {str(given)[:60]!r}.")
    if len(given) > LONGEST or "\0" in given:
        raise FieldError(field.name, f"{field.label} has {len(given):,} characters; {LONGEST:,} are taken at most.")
    return given


def _number(field: OptionSpec, given: Any) -> float:
    """Read a number, or text that is one: 0.02, 0,02 or 2%."""
    text = str(given).strip() if isinstance(given, str | int | float) and not isinstance(given, bool) else ""
    text = text.replace(",", ".") if re.fullmatch(r"[-+]?\d*,(\d{1,2}|\d{4,}|(?<=[-+0],)\d{3})\s*%?", text) else text
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        hint = " Hint: write .02 or 2%." if field.kind == "share" else ""
        raise FieldError(field.name, f"{str(given)[:60]!r} is not a number.{hint}")
    return value


def _whole(field: OptionSpec, given: Any) -> int:
    value = _number(field, given)
    if value != int(value) or abs(value) > 10**9:
        raise FieldError(field.name, f"{field.label} must be a whole number; got {str(given)[:60]!r}.")
    return int(value)


def _choice(field: OptionSpec, given: Any) -> str:
    if given not in field.choices:
        raise FieldError(field.name, f"{field.label} must be {' or '.join(field.choices)}; got {str(given)[:60]!r}.")
    return str(given)


def _flag(field: OptionSpec, given: Any) -> bool | None:
    if not isinstance(given, bool):
        raise FieldError(field.name, f"{field.label} must be true or false; got {str(given)[:60]!r}.")
    return given or None


def _texts(field: OptionSpec, given: Any) -> list[str] | None:
    """Several texts: a list, or one text with commas."""
    parts = names_in(given) if isinstance(given, str) else given
    if not isinstance(parts, list) or len(parts) > MOST:
        raise FieldError(field.name, f"{field.label} must be a list of at most {MOST} texts.")
    return [_text(field, part) for part in parts if part != ""] or None


def _shares(field: OptionSpec, given: Any) -> Any:
    """Numbers by name, or a list of them."""
    if isinstance(given, Mapping) and len(given) <= MOST:
        return {
            _text(field, name): _number(field, each) for name, each in given.items() if each not in (None, "")
        } or None
    parts = given.split(",") if isinstance(given, str) else given
    if not isinstance(parts, list) or len(parts) > MOST:
        raise FieldError(field.name, f"{field.label} must be numbers; got {str(given)[:60]!r}.")
    if parts and all(isinstance(part, str) and "=" in part for part in parts):  # risk=0.1, rule=3
        pairs = [part.rpartition("=")[::2] for part in parts]
        return {name.strip(): _number(field, number) for name, number in pairs}
    return [_number(field, part) for part in parts]


def _costs(field: OptionSpec, given: Any) -> dict[str, list[float]]:
    """Two costs for each stakeholder, by name."""
    if not isinstance(given, Mapping) or len(given) > MOST:
        raise FieldError(
            field.name, "Costs must name who pays, and the costs of a false positive and of a false negative."
        )
    for pair in given.values():
        if not isinstance(pair, list) or len(pair) != 2:
            raise FieldError(field.name, "Costs are two numbers: of a false positive, and of a false negative.")
    return {_text(field, name): [_number(field, each) for each in pair] for name, pair in given.items()}


def _matrix(field: OptionSpec, given: Any) -> str:
    if not isinstance(given, str) or len(given) > 200_000:
        raise FieldError(field.name, "a confusion matrix is a text of at most 200,000 characters.")
    return given


_KINDS: dict[str, Any] = {
    "text": _text,
    "number": _number,
    "share": _number,
    "whole": _whole,
    "choice": _choice,
    "flag": _flag,
    "column": _text,
    "columns": _texts,
    "values": _texts,
    "shares": _shares,
    "costs": _costs,
    "matrix": _matrix,
}

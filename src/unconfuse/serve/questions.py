"""What can be asked: the fields of every question, declared once for forms, checks of requests and OpenAPI."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unconfuse._errors import ArgumentError, InputError, did_you_mean

LONGEST, MOST = 1000, 50  # of a text; of a list
_WAYS = ("bootstrap", "crossfit", "optimism", "none")  # to correct for the choice of a threshold


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


@dataclass(frozen=True)
class FormField:
    """One thing that can be said: `kind` says what it is, and so how a form asks for it."""

    name: str
    kind: str  # text, number, share, whole, choice, flag, column, columns, values, shares, costs, matrix
    label: str
    help: str = ""
    choices: tuple[str, ...] = ()
    is_needed: bool = False
    is_rare: bool = False  # forms keep it folded away
    default: Any = None  # what happens without an answer, where that can be said


def _rare(name: str, kind: str, label: str, help: str = "", **more: Any) -> FormField:
    return FormField(name, kind, label, help, is_rare=True, **more)


LABEL = FormField("label", "column", "True answer", "The column that says what is really the case.", is_needed=True)
POSITIVE = FormField("positive", "text", "Positive value", "The answer that the score is about, such as yes or ill.")
SCORE = FormField("score", "column", "Score", "Higher means: more likely positive.")
_LABELS = (
    _rare("negative", "values", "Negative values", "Where the true answer has more than two values."),
    _rare("rest_negative", "flag", "Whatever is not positive is negative"),
)
_FILE = (
    _rare("table", "text", "Sheet", "Of a spreadsheet with several sheets."),
    _rare("delimiter", "text", "Separator", "Of a CSV file; found by itself otherwise."),
    _rare("decimal", "choice", "Decimals", choices=(".", ","), default="."),
)
_LEVEL = _rare("confidence_level", "share", "Confidence level", default=0.95)
_ROWS = (
    _rare("weight", "column", "Weight", "How many cases each row stands for."),
    _rare("group", "column", "Groups", "Cases that belong together, such as visits of one patient."),
    _rare("id", "column", "Case number", "Must not hold any value twice."),
    _rare("fold", "column", "Fold", "In which fold of a cross-validation each row was tested."),
    _rare("on_bad_row", "choice", "Rows that cannot be used", choices=("error", "skip"), default="error"),
    *_FILE,
)
_DESIGN = (
    _rare("design", "choice", "Design", "Case-control: the study chose the share of positives.",
          choices=("cohort", "case-control"), default="cohort"),
    _LEVEL,
)  # fmt: skip
_RESAMPLES = (
    _rare("n_resamples", "whole", "Resamples", "Size of the bootstrap, where one is needed.", default=2000),
    _rare("rng", "whole", "Seed", default=0),
)
_THRESHOLD = FormField(
    "threshold", "share", "Threshold", "Positive from this score on. Probabilities: 0.5 if left empty."
)
_PREVALENCE = FormField("prevalence", "share", "Prevalence where it is used", "Share of positives there, such as 2%.")
_WORDS = (
    FormField(
        "positive_label",
        "text",
        "Positives are called",
        "In sentences: “of 100 ill people”. Such as ill or fraudulent.",
    ),
    FormField("unit", "text", "Cases are called", "In the plural, such as patients or payments."),
)
_SITE = FormField(
    "site", "column", "Places", "Column of hospitals, sites or centres: says what to expect of a new one."
)
_KEEP = FormField("keep_cases", "flag", "Keep the scores by case", "Allows a paired comparison with another one later.")

QUESTIONS: dict[str, tuple[FormField, ...]] = {
    "evaluate": (
        LABEL, POSITIVE, SCORE, FormField("by", "columns", "Subgroups", "Evaluate each subgroup separately as well."),
        _SITE, _THRESHOLD, _PREVALENCE, *_WORDS, _KEEP,
        _rare("scores", "text", "Scores of several classes", "Columns such as p_*: the star stands for the class."),
        _rare("predicted", "column", "Predicted answer", "Instead of a score."),
        _rare("reference", "text", "Reference subgroup", "That others are compared with; the largest otherwise."),
        *_LABELS, *_ROWS, *_DESIGN, *_RESAMPLES,
    ),
    "compare": (
        LABEL, POSITIVE, FormField("score", "columns", "Scores of the models", "One column for each model."),
        FormField("thresholds", "shares", "Thresholds", "Such as risk=0.1, rule=3, if scores are no probabilities."),
        FormField("margin", "share", "Difference that does not matter", "Allows the verdict “equivalent”."),
        _SITE,
        _rare("at", "text", "Threshold by rule", "Such as youden: each model is cut where the rule says."),
        _rare("reference", "text", "Reference model", "Compare every model with this one only."),
        _rare("baselines", "values", "Baselines", "majority or constant."),
        _rare("adjust", "choice", "Several pairs", choices=("max-t", "holm"), default="max-t"),
        *_LABELS, *_ROWS, *_DESIGN, *_RESAMPLES,
    ),
    "thresholds": (
        LABEL, POSITIVE, SCORE,
        FormField("costs", "costs", "Costs", "Of a false positive and of a false negative, for each payer."),
        _PREVALENCE,
        FormField("capacity", "number", "Capacity", "How many of the cases can be followed up."),
        FormField("promises", "values", "Promises", "What new cases should show, such as precision>=.9"),
        _rare("min_precision", "share", "Least precision", default=0.9),
        _rare("min_recall", "share", "Least recall", default=0.9),
        _rare("min_specificity", "share", "Least specificity", default=0.9),
        _rare("queue_rate", "share", "Share that can be followed up", default=0.1),
        _rare("honest", "choice", "Measured", choices=_WAYS, default=_WAYS[0]),
        *_LABELS, *_ROWS, *_DESIGN,
    ),
    "resolve": (
        LABEL, POSITIVE, SCORE,
        FormField("n", "number", "Cases of a test set", "As many as here, if left empty."),
        FormField("prevalence", "share", "Share of positives", "As here, if left empty."),
        FormField("method", "choice", "Method", "Simulate, or take the formula at once.",
              choices=("asymptotic", "linear", "full"), default="asymptotic"),
        _rare("metrics", "values", "Metrics", "Six usual ones otherwise."),
        _rare("at", "shares", "Quality (AUROC)", "That of the data, if left empty."),
        _rare("improvement", "choice", "Models improve by", "All four kinds, if left empty.",
              choices=("shift", "scale", "top", "tilt")),
        _rare("paired", "number", "Correlation of scores", "If both models are evaluated on the same cases."),
        *_LABELS, *(each for each in _ROWS if each.name in ("on_bad_row", "table", "delimiter", "decimal")),
    ),
    "plan": (
        FormField("metric", "text", "Metric", "Such as auroc, sensitivity or average_precision.", default="auroc"),
        FormField("difference", "number", "Difference to be seen", "Between two models, in AUROC."),
        FormField("width", "number", "Width of the interval", "Instead of a difference."),
        FormField("prevalence", "share", "Share of positives", default=0.5),
        FormField("at", "share", "Quality of the models (AUROC)"),
        FormField("sensitivity", "share", "Sensitivity", "For metrics of decisions."),
        FormField("specificity", "share", "Specificity", "For metrics of decisions."),
        _rare("power", "share", "Power", "Probability that a test shows the difference."),
        _rare("margin", "number", "Margin", "Show that a model is worse by less than this, with a power."),
        _rare("null", "number", "Null value", "Show that the metric is not this, with a power."),
        _rare("paired", "number", "Correlation of scores", "If both models are evaluated on the same cases."),
        _rare("sd_ratio", "number", "Ratio of standard deviations", "Of the positives' scores to the negatives'."),
    ),
    "counts": (
        FormField("tp", "number", "True positives", "Ill and found.", is_needed=True),
        FormField("fp", "number", "False positives", "Well, but flagged.", is_needed=True),
        FormField("fn", "number", "False negatives", "Ill, but missed.", is_needed=True),
        FormField("tn", "number", "True negatives", "Well and not flagged.", is_needed=True),
        _PREVALENCE, *_WORDS, *_DESIGN,
    ),
    "matrix": (
        FormField("matrix", "matrix", "Confusion matrix",
        "Paste from a spreadsheet: a line for each true class, with "
        "or "
              "without names.", is_needed=True),
        FormField("rows", "choice", "Rows are", choices=("truth", "labels"), default="truth"),
        FormField("positive", "text", "Positive class", "Only to ask a yes-or-no question of two classes."),
        *_DESIGN,
    ),
}  # fmt: skip
QUESTIONS |= {
    "benchmark": (
        FormField("dataset", "column", "Data set", "The column that names the data sets.", is_needed=True),
        FormField("model", "column", "Model", "The column that names the models.", is_needed=True),
        FormField("value", "column", "Result", "Of each model on each data set, such as an AUROC.", is_needed=True),
        FormField("standard_error", "column", "Standard error", "Of each result: tells noise from real differences."),
        FormField("better", "choice", "Better are", choices=("higher", "lower"), default="higher"),
        _rare("correlation", "number", "Correlation of errors", "Of two models on one data set, such as 0.5."),
        *_FILE, _LEVEL,
    ),
    "items": (
        FormField("item", "column", "Item", "The column that names the items, such as questions.", is_needed=True),
        FormField("model", "column", "Model", "The column that names the models; none if there is one model."),
        FormField("correct", "column", "Correct", "Right or wrong, or a score from 0 to 1.", is_needed=True),
        FormField("run", "column", "Run", "If items were answered several times."),
        FormField("cluster", "column", "Cluster", "Of items that belong together, such as one passage's."),
        _rare("judge", "column", "Score of a rater", "Correct then holds checks of some answers."),
        *_FILE, _LEVEL,
    ),
}  # fmt: skip
# What is said of the file rather than asked of it: it holds for every question about the same file.
ROLES = frozenset(each.name for each in (LABEL, POSITIVE, SCORE, _SITE, *_LABELS, *_ROWS)) | {
    "by",
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
    fields = {each.name: each for each in QUESTIONS[question]}
    for name in answers:
        if name not in fields:
            raise FieldError(
                str(name)[:60],
                f"{question!r} asks nothing named {str(name)[:60]!r}. {did_you_mean(str(name)[:60], fields)}",
            )
    found = {name: _value(field, answers.get(name)) for name, field in fields.items()}
    for name, field in fields.items():
        if field.is_needed and found[name] is None:
            raise FieldError(name, f"{field.label} is missing. {field.help}".strip())
    return {name: value for name, value in found.items() if value is not None}


def _value(field: FormField, given: Any) -> Any:
    if given is None or given in ("", [], {}):
        return None
    return _KINDS[field.kind](field, given)


def _text(field: FormField, given: Any) -> str:
    if not isinstance(given, str):
        raise FieldError(field.name, f"{field.label} must be a text; got {str(given)[:60]!r}.")
    if len(given) > LONGEST or "\0" in given:
        raise FieldError(field.name, f"{field.label} has {len(given):,} characters; {LONGEST:,} are taken at most.")
    return given


def _number(field: FormField, given: Any) -> float:
    """Read a number, or text that is one: 0.02, 0,02 or 2%."""
    text = str(given).strip() if isinstance(given, str | int | float) and not isinstance(given, bool) else ""
    text = text.replace(",", ".") if re.fullmatch(r"[-+]?\d*,(\d{1,2}|\d{4,}|(?<=[-+0],)\d{3})\s*%?", text) else text
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FieldError(field.name, f"{str(given)[:60]!r} is not a number. Hint: write .02 or 2%.")
    return value


def _whole(field: FormField, given: Any) -> int:
    value = _number(field, given)
    if value != int(value) or abs(value) > 10**9:
        raise FieldError(field.name, f"{field.label} must be a whole number; got {str(given)[:60]!r}.")
    return int(value)


def _choice(field: FormField, given: Any) -> str:
    if given not in field.choices:
        raise FieldError(field.name, f"{field.label} must be {' or '.join(field.choices)}; got {str(given)[:60]!r}.")
    return str(given)


def _flag(field: FormField, given: Any) -> bool | None:
    if not isinstance(given, bool):
        raise FieldError(field.name, f"{field.label} must be true or false; got {str(given)[:60]!r}.")
    return given or None


def _texts(field: FormField, given: Any) -> list[str] | None:
    """Several texts: a list, or one text with commas."""
    parts = [each.strip() for each in given.split(",")] if isinstance(given, str) else given
    if not isinstance(parts, list) or len(parts) > MOST:
        raise FieldError(field.name, f"{field.label} must be a list of at most {MOST} texts.")
    return [_text(field, each) for each in parts if each != ""] or None


def _shares(field: FormField, given: Any) -> Any:
    """Numbers by name, or a list of them."""
    if isinstance(given, Mapping) and len(given) <= MOST:
        return {
            _text(field, name): _number(field, each) for name, each in given.items() if each not in (None, "")
        } or None
    parts = given.split(",") if isinstance(given, str) else given
    if not isinstance(parts, list) or len(parts) > MOST:
        raise FieldError(field.name, f"{field.label} must be numbers; got {str(given)[:60]!r}.")
    if parts and all(isinstance(each, str) and "=" in each for each in parts):  # risk=0.1, rule=3
        pairs = [each.rpartition("=")[::2] for each in parts]
        return {name.strip(): _number(field, number) for name, number in pairs}
    return [_number(field, each) for each in parts]


def _costs(field: FormField, given: Any) -> dict[str, list[float]]:
    """Two costs for each stakeholder, by name."""
    if not isinstance(given, Mapping) or len(given) > MOST:
        raise FieldError(
            field.name, "Costs must name who pays, and the costs of a false positive and of a false negative."
        )
    for pair in given.values():
        if not isinstance(pair, list) or len(pair) != 2:
            raise FieldError(field.name, "Costs are two numbers: of a false positive, and of a false negative.")
    return {_text(field, name): [_number(field, each) for each in pair] for name, pair in given.items()}


def _matrix(field: FormField, given: Any) -> str:
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

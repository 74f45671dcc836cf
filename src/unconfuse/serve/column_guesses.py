"""Guesses of what columns are for, each with its reason: a person says yes or chooses another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from unconfuse._labels import yes_among
from unconfuse.ingest.column_roles import USUAL_LABELS, USUAL_SCORES

Column = Mapping[str, Any]
_LABELS = (
    *USUAL_LABELS,
    "outcome",
    "class",
    "diagnosis",
    "event",
    "status",
    "disease",
    "truth_label",
    "y_true",
    "actual",
    "gold",
    "diagnose",
    "ergebnis",
    "befund",
    "krank",
    "ziel",
    "ill",
    "sick",
    "died",
    "death",
)
_SCORES = (*USUAL_SCORES, "risk", "y_score", "y_prob", "proba", "p_hat", "confidence", "yhat", "pred")
_POSITIVES = (
    "1",
    "yes",
    "true",
    "y",
    "positive",
    "pos",
    "ill",
    "sick",
    "case",
    "disease",
    "event",
    "fraud",
    "spam",
    "dead",
    "bad",
    "t",
    "ja",
    "j",
    "oui",
    "si",
    "sí",
    "wahr",
    "positiv",
    "krank",
)
# Words that name an outcome wherever they stand in a column's name: death_30d, hasDisease.
_OUTCOMES = {
    *_LABELS,
    *(
        "target",
        "readmitted",
        "readmission",
        "mortality",
        "deceased",
        "verstorben",
        "tod",
        "infarkt",
        "sepsis",
        "cancer",
    ),
    *("fraud", "spam", "churn", "churned", "default", "defaulted", "malignant", "relapse", "recurrence"),
    *(
        "diagnosed",
        "erkrankt",
        "erkrankung",
        "diagnose",
        "resultat",
        "relevant",
        "click",
        "clicked",
        "converted",
        "complication",
    ),
}
_SEXES = {"m", "f", "w", "male", "female", "men", "women", "man", "woman", "männlich", "weiblich", "mann", "frau"}
_ATTRIBUTES = {"sex", "gender", "geschlecht", "male", "female", "arm", "site", "ward", "station", "smoker", "raucher"}
_ATTRIBUTES |= {"smoking", "treated", "treatment", "group", "gruppe", "klinik", "clinic", "region", "split", "train"}
_IDS = ("id", "patient", "case", "subject", "visit", "row", "number", "uuid", "key")
_ROLES = {"weight": ("weight", "weights", "frequency", "freq"), "fold": ("fold", "cv_fold", "split")}
# Columns of tables of results and of answers, by their usual names.
OF_TABLES = {
    "dataset": ("dataset", "data_set", "data set", "task", "benchmark"),
    "model": ("model", "system", "classifier", "method", "algorithm"),
    "value": ("value", "auc", "auroc", "accuracy", "f1", "loss", "error", "result"),
    "standard_error": ("standard_error", "standard error", "se", "stderr", "sem"),
    "item": ("item", "question", "doc_id", "q"),
    "correct": ("correct", "right", "ok", "is_correct"),
    "run": ("run", "repeat", "epoch"),
    "cluster": ("cluster", "passage", "topic"),
}
_BY_NAME = ("dataset", "model")  # which are texts
_COMMA = re.compile(r"\s*[-+]?\d+(,\d+)?\s*")
_MANY = 20  # distinct values from which a column of numbers looks like a score


def suggested(seen: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Role -> value and reason, for the roles that can be guessed.

    >>> outcome = {"name": "ill", "kind": "text", "distinct": 2, "values": [("no", 9), ("yes", 1)], "missing": 0}
    >>> risk = {"name": "risk", "kind": "number", "distinct": 50, "values": [], "low": 0.1, "high": 0.9, "missing": 0}
    >>> found = suggested({"columns": [outcome, risk], "rows": 10})
    >>> found["label"]["value"], found["positive"]["value"], found["score"]["value"]
    ('ill', 'yes', ['risk'])
    """
    columns = list(seen["columns"])
    label = _label(columns)
    found: dict[str, dict[str, Any]] = {} if label is None else {"label": label}
    answer = next((column for column in columns if label and column["name"] == label["value"]), None)
    rest = [column for column in columns if column is not answer]
    if answer is not None:
        found |= _positive(answer)
        found |= _several(answer, rest)
    found |= _scores(rest)
    if answer is not None and "score" not in found:
        found |= _predicted(answer, rest)
    found |= _others(rest, int(seen["rows"]), found)
    return found | _of_tables(columns)


def positives_of(columns: Sequence[Column]) -> dict[str, dict[str, Any]]:
    """Column -> the value that would be positive if it were the true answer, and the reason."""
    return {str(column["name"]): found["positive"] for column in columns if (found := _positive(column))}


def with_comma(seen: Mapping[str, Any]) -> str | None:
    """Return the name of a column whose numbers have a decimal comma, if all that is seen of it looks like that.

    >>> risk = {"name": "risk", "kind": "text"}
    >>> with_comma({"columns": [risk], "first": [["0,25"], ["1"], [None]]})
    'risk'
    """
    for place, each in enumerate(seen["columns"]):
        held = [row[place] for row in seen["first"] if row[place]]
        if each["kind"] == "text" and any("," in one for one in held) and all(map(_COMMA.fullmatch, held)):
            return str(each["name"])
    return None


def _said(value: Any, reason: str) -> dict[str, Any]:
    return {"value": value, "reason": reason}


def _named(column: Column, usual: Sequence[str]) -> bool:
    return str(column["name"]).strip().lower() in usual


def _label(columns: Sequence[Column]) -> dict[str, Any] | None:
    two = [column for column in columns if column["distinct"] == 2 and not _holds_less(column, columns)]
    few = [column for column in columns if 2 < column["distinct"] <= 12 and column["kind"] == "text"]
    for group in (two, few):
        for each in group:
            if _named(each, _LABELS):
                return _said(each["name"], _why_label(each))
    for group in (two, few):
        if group:
            best = max(group, key=_like_an_answer)
            return _said(best["name"], _why_label(best))
    return None


def _why_label(column: Column) -> str:
    called = f"it is called {column['name']} and " if _words(column) & _OUTCOMES else ""
    return f"{called}holds {_listed(column)}" if called else f"it holds {_listed(column)}"


def _like_an_answer(column: Column) -> tuple[bool, bool, int]:
    """How much a column looks like an answer: never sex or a site; by its name; yes and no before 0 and 1."""
    values = {value.strip().lower() for value, _ in column["values"]}
    words = _words(column)
    is_attribute = bool(words & _ATTRIBUTES) or values <= _SEXES
    says_yes = yes_among(sorted(values)) is not None and values != {"0", "1"}
    look = 3 if says_yes else 2 if values & set(_POSITIVES) - {"1"} else 1 if values == {"0", "1"} else 0
    return not is_attribute, bool(words & _OUTCOMES), look


def _words(column: Column) -> set[str]:
    """Return the words of a column's name, even of one that is written like hasDisease."""
    apart = re.sub(r"(?<=[a-zäöü])(?=[A-ZÄÖÜ])", " ", str(column["name"]))
    return set(re.split(r"[\W_]+", apart.lower())) - {""}


def _holds_less(column: Column, columns: Sequence[Column]) -> bool:
    """Tell whether a column holds only some of another's values: answers that were predicted rather than true ones."""
    values = {value for value, _ in column["values"]}
    return any(values < {value for value, _ in each["values"]} for each in columns if each["distinct"] <= 12)


def _listed(column: Column) -> str:
    shown = [str(value) for value, _ in column["values"][:4]]
    return f"{len(column['values'])} values: {', '.join(shown)}" + (", ..." if len(column["values"]) > 4 else "")


def _positive(label: Column) -> dict[str, dict[str, Any]]:
    if label["distinct"] != 2:
        return {}
    values = dict(label["values"])
    usual = [value for value in values if value.strip().lower() in _POSITIVES]
    if len(usual) == 1:
        says_yes = yes_among([value.strip() for value in values]) is not None
        return {"positive": _said(usual[0], "it means yes" if says_yes else "it is what a test usually looks for")}
    rarer = min(values, key=lambda value: values[value])
    return {"positive": _said(rarer, "it is the rarer of the two")}


def _scores(columns: Sequence[Column]) -> dict[str, dict[str, Any]]:
    numbers = [column for column in columns if column["kind"] == "number" and column["low"] is not None]
    named = [number for number in numbers if _named(number, _SCORES)]
    shares = [
        number for number in numbers if number["distinct"] >= _MANY and number["low"] >= 0 and number["high"] <= 1
    ]
    others = [
        number for number in numbers if number["distinct"] >= 3 and not _named(number, _IDS) and not _is_role(number)
    ]
    ranked = list({each["name"]: each for each in (*named, *shares, *others)}.values())
    if not ranked:
        return {}
    first = ranked[0]
    between = f"numbers between {first['low']:g} and {first['high']:g}"
    why = f"it is called {first['name']} and holds {between}" if first in named else f"it holds {between}"
    return {"score": _said([each["name"] for each in ranked], why)}


def _predicted(label: Column, columns: Sequence[Column]) -> dict[str, dict[str, Any]]:
    """Where there is no score: a column that holds answers as the true one does."""
    true = {value for value, _ in label["values"]}
    for column in columns:
        values = {value for value, _ in column["values"]}
        if values and values <= true:
            return {"predicted": _said(column["name"], f"it holds the same values as {label['name']}")}
    return {}


def _is_role(column: Column) -> bool:
    return any(_named(column, usual) for usual in _ROLES.values())


def _several(label: Column, columns: Sequence[Column]) -> dict[str, dict[str, Any]]:
    """Find a column of scores for each class: new_cat, new_dog, ... are new_*."""
    classes = [str(value) for value, _ in label["values"]]
    if len(classes) < 3:
        return {}
    names = {str(column["name"]) for column in columns if column["kind"] == "number"}
    first = classes[0]
    patterns = [name.replace(first, "*", 1) for name in sorted(names) if first in name and name != first]
    whole = [
        pattern for pattern in patterns if all(pattern.replace("*", class_name, 1) in names for class_name in classes)
    ]
    return {"scores": _said(whole, f"there is such a column for each of {len(classes)} classes")} if whole else {}


def _of_tables(columns: Sequence[Column]) -> dict[str, dict[str, Any]]:
    """Roles of columns in tables of results and of answers; models and data sets have names, not numbers."""
    texts = [column for column in columns if column["kind"] == "text"]
    made = {}
    for role, usual in OF_TABLES.items():
        found = next((each for each in (texts if role in _BY_NAME else columns) if _named(each, usual)), None)
        if found is not None:
            made[role] = _said(found["name"], f"it is called {found['name']}")
    return made


def _others(columns: Sequence[Column], rows: int, found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {}
    for role, usual in _ROLES.items():
        for column in columns:
            if _named(column, usual):
                made[role] = _said(column["name"], f"it is called {column['name']}")
    unique = [each for each in columns if each["distinct"] == rows and (each["kind"] == "text" or _named(each, _IDS))]
    if unique:
        made["id"] = _said(unique[0]["name"], "every row has another value")
    first = (found.get("score") or {}).get("value", [None])[0]
    answered = (found.get("predicted") or {}).get("value")
    taken = {first, answered, *(each["value"] for each in made.values())}
    groups = [each["name"] for each in columns if 2 <= each["distinct"] <= 12 and each["name"] not in taken]
    if groups:
        made["by"] = _said(groups, "few different values: rows can be divided by it")
    return made

"""The shape of a saved evaluation: one schema for what is imported and for what a history file already holds."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Any

from unconfuse._schemas import problem_of
from unconfuse.serve.questions import FieldError

Record = dict[str, Any]
Schema = dict[str, Any]
LONGEST_NAME, LONGEST_NOTE, MOST_TAGS, LONGEST_TAG = 200, 10_000, 20, 40  # of what people write on it
_MOST = 2.0**53  # cases: larger integers may have been rounded
_SLACK = 1e-9  # by which rounding may carry a value beyond the range of its metric
_NUMBER: Schema = {
    "type": ["number", "null", "string"],
    "pattern": "^-?inf$",
    "description": "a number, null, 'inf' or '-inf'",
}
_SIZE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": _MOST}
_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}


def _text(longest: int) -> Schema:
    return {"type": "string", "maxLength": longest}


def _closed(**properties: Schema) -> Schema:
    """Return the schema of an object that must have these properties and no other."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _or_null(rule: Schema) -> Schema:
    return rule | {"type": [rule["type"], "null"]}


def _counts(*names: str) -> Schema:
    return _closed(**{name: {"type": "number", "minimum": 0, "maximum": _MOST} for name in names})


_COLUMN: Schema = {"type": "array", "items": {"type": "number"}}
_LISTED: dict[str, Schema] = {
    "created": _text(40),
    "name": _text(LONGEST_NAME),
    "note": _text(LONGEST_NOTE),
    "tags": _TEXTS | {"maxItems": MOST_TAGS, "items": _text(LONGEST_TAG)},
    "kind": _text(40),
    "source": _text(5000),
    "verdict": _text(20_000),
    "n": _SIZE,
    "positives": _SIZE,
    "summary": {"type": "object", "additionalProperties": _closed(value=_NUMBER, low=_NUMBER, high=_NUMBER)},
}
_KEPT: dict[str, Schema] = {
    "question": {
        "type": "object",
        "properties": {"answers": {"type": "object"}, **dict.fromkeys(("file", "first", "second", "how"), _text(5000))},
        "additionalProperties": False,
    },
    "result": {
        "type": "object",
        "properties": {"table": {"type": "array", "items": {"type": "object"}}, "notes": _TEXTS},
    },
    "payload": {"type": ["object", "null"]},  # it has a schema of its own
    "scores": _or_null(
        _closed(
            counts=_counts("tp", "fp", "fn", "tn"),
            table=_closed(score=_COLUMN, positives=_COLUMN, negatives=_COLUMN),
            threshold={"type": ["number", "null"]},
        )
    )
    | {"required": []},
    "cases": _or_null(_closed(label=_TEXTS, score=_COLUMN, id=_TEXTS, positive={"type": ["string", "null"]})),
}
LISTED, PARTS = tuple(_LISTED), (*_LISTED, *_KEPT)


def listed_problem(record: Record) -> str | None:
    """Return what keeps a record out of a list, or None."""
    return problem_of({name: record[name] for name in _LISTED}, _closed(**_LISTED), "it") or _no_size(record)


def kept_problem(record: Record) -> str | None:
    """Return what is wrong with the parts of a record that its own page needs, or None."""
    found = problem_of({name: record[name] for name in _KEPT}, _closed(**_KEPT), "it")
    return found or _uneven(record["scores"], record["cases"])


def imported_problem(record: Any, where: str, kinds: tuple[str, ...]) -> str | None:
    """Return what is wrong with a record of another history, or None: the same, and what only we could have written."""
    return (
        problem_of(record, _closed(**_LISTED, **_KEPT), where)
        or _uneven(record["scores"], record["cases"], where)
        or problem_of(record["kind"], {"enum": list(kinds)}, f"{where}.kind")
        or _no_time(record["created"], f"{where}.created")
        or next(filter(None, (_beyond(name, each, where) for name, each in record["summary"].items())), None)
    )


def _no_size(record: Record) -> str | None:
    odd = [name for name in ("n", "positives") if record[name] is not None and not math.isfinite(record[name])]
    return f"it.{odd[0]} must be finite" if odd else None


def _uneven(scores: Record | None, cases: Record | None, where: str = "it") -> str | None:
    """Columns that belong together are equally long; cases need no numbers of their own."""
    table = {} if scores is None else scores.get("table") or {}
    if len(set(map(len, table.values()))) > 1:
        return f"{where}.scores.table must have columns of one length"
    columns = [] if cases is None else [cases["label"], cases["score"], cases["id"] or cases["label"]]
    return f"{where}.cases must have columns of one length" if len(set(map(len, columns))) > 1 else None


def _no_time(created: str, where: str) -> str | None:
    """Say what is wrong with a time: records are in the order of their times as text, so all are written alike."""
    try:
        time = datetime.fromisoformat(created)
        right = time.utcoffset() == timedelta(0) and time.isoformat(timespec="seconds") == created
    except ValueError:
        right = False
    return None if right else f"{where} must be a time such as 2026-11-16T14:05:00+00:00; got {created!r}"


def _beyond(name: str, estimate: Record, where: str) -> str | None:
    """Names of the metrics that there are, and values that they can have."""
    from unconfuse.metrics import METRICS, MULTICLASS_METRICS

    ranges = [registry[name].range for registry in (METRICS, MULTICLASS_METRICS) if name in registry]
    if not ranges:
        return f"{where}.summary must hold metrics; got {name[:40]!r}"
    low, high = min(each[0] for each in ranges), max(each[1] for each in ranges)
    for part, value in estimate.items():
        if value is not None and not low - _SLACK <= float(value) <= high + _SLACK:
            return f"{where}.summary.{name}.{part} must be between {low:g} and {high:g}; got {value}"
    return None


def checked_words(given: dict[str, Any]) -> dict[str, Any]:
    """Check a name, a note and tags as people write them."""
    for key, longest in (("name", LONGEST_NAME), ("note", LONGEST_NOTE)):
        value = given.get(key, "")
        if not isinstance(value, str) or len(value) > longest or "\0" in value:
            raise FieldError(key, f"a {key} is a text of at most {longest:,} characters.")
    tags = given.get("tags", [])
    right = isinstance(tags, list) and len(tags) <= MOST_TAGS
    if not right or not all(isinstance(tag, str) and 0 < len(tag.strip()) <= LONGEST_TAG for tag in tags):
        raise FieldError("tags", f"tags are at most {MOST_TAGS} texts of at most {LONGEST_TAG} characters.")
    return {key: [each.strip() for each in value] if key == "tags" else value.strip() for key, value in given.items()}

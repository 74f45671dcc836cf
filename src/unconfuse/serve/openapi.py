"""What the REST API takes and answers, as OpenAPI 3.1: made from the questions' own declarations."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import unconfuse
from unconfuse._parameters import OptionSpec
from unconfuse.serve.questions import LONGEST, MOST, QUESTIONS, READS_A_FILE
from unconfuse.serve.records import LONGEST_NAME, LONGEST_NOTE, LONGEST_TAG, MOST_TAGS
from unconfuse.serve.rest import LARGEST_PAGE, LEFT_OUT
from unconfuse.serve.store import MOST as MOST_LISTED
from unconfuse.serve.trend import LOOKED_AT

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string", "maxLength": LONGEST}
_NUMBER: Schema = {"oneOf": [{"type": "number"}, {"type": "string", "description": "such as .02 or 2%"}]}
_NAME: Schema = {"type": "string", "maxLength": LONGEST_NAME}
_WORDS: Schema = {
    "name": _NAME,
    "note": {"type": "string", "maxLength": LONGEST_NOTE},
    "tags": {
        "type": "array",
        "maxItems": MOST_TAGS,
        "items": {"type": "string", "minLength": 1, "maxLength": LONGEST_TAG},
    },
}
_KINDS: dict[str, Schema] = {
    "text": _TEXT,
    "column": _TEXT,
    "number": _NUMBER,
    "share": _NUMBER,
    "whole": {"type": "integer"},
    "flag": {"type": "boolean"},
    "columns": {"type": "array", "maxItems": MOST, "items": _TEXT},
    "values": {"type": "array", "maxItems": MOST, "items": _TEXT},
    "shares": {
        "oneOf": [
            {"type": "array", "maxItems": MOST, "items": _NUMBER},
            {"type": "object", "additionalProperties": _NUMBER},
        ]
    },
    "costs": {
        "type": "object",
        "additionalProperties": {"type": "array", "minItems": 2, "maxItems": 2, "items": _NUMBER},
    },
    "matrix": {"type": "string", "maxLength": 200_000},
}


@lru_cache(maxsize=1)
def openapi() -> Schema:
    """Return the whole description."""
    parts = {"Error": _error(), "File": _object(id=_TEXT, name=_TEXT, size={"type": "integer"}), "Job": _job()}
    parts |= {
        "Evaluation": _evaluation(),
        "Listed": _listed(),
        "Changes": {"type": "object", "properties": _WORDS, "additionalProperties": False, "minProperties": 1},
    }
    parts |= {f"Question_{name}": _question(name) for name in QUESTIONS}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "unconfuse serve",
            "version": unconfuse.__version__,
            "description": "Evaluate classifiers, and keep the results.",
        },
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {"schemas": parts, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _paths() -> Schema:
    one = [_path("id", {"type": "string"})]
    form = [*one, _path("form", {"enum": ["page", "payload", "table"]})]
    sought = [_query("search"), _query("tag")]
    ask = {"oneOf": [_ref(f"Question_{name}") for name in QUESTIONS]}
    two = _object(first=_TEXT, second=_TEXT) | {
        "properties": {"first": _TEXT, "second": _TEXT, **_WORDS},
        "required": ["first", "second"],
    }
    pointed = {"oneOf": [_object(path=_TEXT), _object(demo={"enum": ["patients", "animals"]})]}
    file = {"multipart/form-data": {"schema": _object(file={"type": "string", "format": "binary"})}}
    look = [_query(name) for name in ("table", "delimiter", "decimal")]
    return {
        "/api/openapi.json": {"get": _operation("What this API takes and answers", 200)},
        "/api/files": {"post": _operation("Upload a file", 201, "File", body=file)},
        "/api/files/pointed": {
            "post": _operation(
                "Point to a file below the opened folder, or to example data", 201, "File", body=_json(pointed)
            )
        },
        "/api/files/{id}": {
            "get": _operation("First rows, columns and guesses of what they are for", 200, "File", [*one, *look]),
            "delete": _operation("Remove a file from the server", 204, None, one),
        },
        "/api/evaluations": {
            "get": _operation("The history, newest first", 200, "Listed", [*sought, *_paging()]),
            "post": _operation("Ask a question; the job ends with an evaluation", 202, "Job", body=_json(ask)),
        },
        "/api/evaluations/{id}": {
            "get": _operation("One evaluation", 200, "Evaluation", one),
            "patch": _operation("Another name, note or tags", 200, "Evaluation", one, _json(_ref("Changes"))),
            "delete": _operation("Forget an evaluation", 204, None, one),
        },
        "/api/evaluations/{id}/{form}": {
            "get": _operation("Download the page, the payload behind it or the table", 200, None, form)
        },
        "/api/comparisons": {"post": _operation("Compare two saved evaluations", 202, "Job", body=_json(two))},
        "/api/jobs/{id}": {
            "get": _operation("How far a job is", 200, "Job", one),
            "delete": _operation("Cancel a job", 200, "Job", one),
        },
        "/api/trend": {
            "get": _operation(
                f"One metric of the newest {LOOKED_AT:,}, over time", 200, None, [_query("metric"), *sought]
            )
        },
        "/api/history": {
            "get": _exported(),
            "post": _operation("Add a history that was exported", 201, None, body=file),
        },
    }


def _exported() -> Schema:
    """Describe the export: what cannot be read is no part of the file, and is counted."""
    made = _operation("The whole history as one file", 200)
    words = "how many evaluations were left out because they cannot be read"
    made["responses"]["200"]["headers"] = {LEFT_OUT: {"description": words, "schema": {"type": "integer"}}}
    return made


def _paging() -> list[Schema]:
    """Which part of a list is asked for."""
    offset = {"type": "integer", "minimum": 0, "default": 0, "description": "how many newer ones to pass over"}
    limit = {"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": MOST_LISTED}
    return [_query("offset", offset), _query("limit", limit)]


def _operation(
    summary: str, status: int, schema: str | None = None, given: list[Schema] | None = None, body: Schema | None = None
) -> Schema:
    good: Schema = {"description": summary}
    if schema is not None:
        good["content"] = _json(_ref(schema))
    wrong = {str(code): {"description": words, "content": _json(_ref("Error"))} for code, words in _REFUSALS.items()}
    made: Schema = {"summary": summary, "responses": {str(status): good, **wrong}}
    made |= {"parameters": given} if given else {}
    return made | ({"requestBody": {"required": True, "content": body}} if body else {})


_REFUSALS = {
    400: "the request cannot be read",
    401: "no token, or a wrong one",
    403: "another Host or Origin, or a token that may only read",
    404: "there is nothing of that name",
    408: "the request came too slowly",
    413: "too large",
    422: "something in it cannot be used; the error names the field",
    429: "too many wrong tokens, jobs or files: Retry-After says when to try again",
    503: "too many requests at once: Retry-After says when to try again",
    507: "the history or a temporary file cannot be written",
}


def _question(name: str) -> Schema:
    fields = {option_spec.name: _field(option_spec) for option_spec in QUESTIONS[name]}
    needed = [option_spec.name for option_spec in QUESTIONS[name] if option_spec.is_needed]
    answers = {"type": "object", "properties": fields, "required": needed, "additionalProperties": False}
    file = {"file": _TEXT} if name in READS_A_FILE else {}
    return {
        "type": "object",
        "properties": {"question": {"const": name}, "answers": answers, **file, **_WORDS},
        "required": ["question", "answers", *file],
        "additionalProperties": False,
    }


def _field(field: OptionSpec) -> Schema:
    kind: Schema = {"enum": list(field.choices)} if field.kind == "choice" else dict(_KINDS[field.kind])
    said = f"{field.label}. {field.help}".strip()
    return kind | {"description": said} | ({} if field.default is None else {"default": field.default})


def _evaluation() -> Schema:
    made = _object(
        id=_TEXT,
        created={"type": "string"},
        kind={"type": "string"},
        source={"type": "string"},
        verdict={"type": "string"},
        summary={"type": "object"},
        unreadable={"type": ["string", "null"], "description": "why it cannot be shown, if its record is damaged"},
    )
    return {"type": "object", "properties": made["properties"] | _WORDS, "required": [*made["required"], *_WORDS]}


def _listed() -> Schema:
    number = {"type": "integer", "minimum": 0}
    return _object(
        evaluations={"type": "array", "items": _ref("Evaluation")},
        total=number | {"description": "how many there are in all"},
        offset=number,
        limit=number,
    )


def _job() -> Schema:
    states = {"enum": ["waiting", "working", "done", "failed", "cancelled"]}
    error = {"oneOf": [{"type": "null"}, _error()["properties"]["error"]]}
    made = {
        "id": _TEXT,
        "what": _TEXT,
        "state": states,
        "progress": {"type": "object"},
        "error": error,
        "evaluation": {"type": ["string", "null"]},
    }
    return {"type": "object", "properties": made, "required": list(made)}


def _error() -> Schema:
    remedy = {"oneOf": [{"type": "null"}, _object(label=_TEXT, answers={"type": "object"})]}
    return _object(error=_object(message={"type": "string"}, field={"type": ["string", "null"]}, remedy=remedy))


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def _path(name: str, schema: Schema) -> Schema:
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _query(name: str, schema: Schema | None = None) -> Schema:
    return {"name": name, "in": "query", "required": False, "schema": schema or {"type": "string", "maxLength": 200}}

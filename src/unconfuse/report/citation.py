"""How a page cites itself: what was evaluated, on which data, with which version, when, and by which command."""

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import unconfuse
from unconfuse._table_view import latex_escaped
from unconfuse.resolving import ResolvingPower
from unconfuse.table import Array, ScoreTable

_SHORT = 16  # hexadecimal digits of a fingerprint that a sentence shows
_KINDS = {
    "evaluate": "evaluation of a classifier",
    "counts": "evaluation of a classifier",
    "thresholds": "threshold card of a classifier",
    "compare": "comparison of classifiers",
    "resolve": "resolving power of metrics",
    "subgroups": "evaluation of a classifier by subgroup",
    "classes": "evaluation of a classifier of several classes",
}

_PLURALS = {"score table": "score tables", "confusion matrix": "confusion matrices", "four counts": "four counts"}


def citation_of(result: Any, payload: dict[str, Any], day: str) -> dict[str, str]:
    """Return the citation of a page as text and as BibTeX, and the fingerprint of its data.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.evaluate_counts(tp=9, fp=1, fn=2, tn=8)
    >>> found = citation_of(test, {"kind": "counts", "title": "test"}, "2026-11-18")
    >>> print(found["text"])  # doctest: +ELLIPSIS
    test: evaluation of a classifier (20 cases). Made with unconfuse ... on 2026-11-18. Data \
fingerprint: ... (SHA-256 of the four counts).
    """
    title, kind = payload.get("title") or "", _KINDS[payload["kind"]]
    size, (fingerprint, what) = _size_of(result), fingerprint_of(result)
    named = f"{title}: {kind}" if title else kind.capitalize()
    made = f"Made with unconfuse {unconfuse.__version__} on {day}."
    data = f"Data fingerprint: {fingerprint[:_SHORT]} (SHA-256 of {what})." if fingerprint else ""
    command = f"Command: {payload['command']}" if payload.get("command") else ""
    about = f"{named} ({size})." if size else f"{named}."
    text = " ".join(part for part in (about, made, data, command) if part)
    return {"text": text, "bibtex": _bibtex(named, day, (made, data, command), fingerprint), "fingerprint": fingerprint}


def fingerprint_of(result: Any) -> tuple[str, str]:
    """Return the SHA-256 of the data behind a result, and what it is of; empty where a result holds no data.

    It is of tables, not of rows, so the order of rows, their names and other columns do not change it.

    Examples
    --------
    >>> import unconfuse as uc
    >>> one, other = uc.evaluate([1, 0, 1], [.9, .2, .4]), uc.evaluate([0, 1, 1], [.2, .4, .9])
    >>> fingerprint_of(one) == fingerprint_of(other), fingerprint_of(one)[1]
    (True, 'the score table')
    """
    found = [*_tables_of(result)]
    if not found:
        return "", ""
    digest = hashlib.sha256()
    for _, columns in found:
        for column in columns:
            digest.update(np.ascontiguousarray(column, dtype="<f8").tobytes())
    kinds = dict.fromkeys(what for what, _ in found)
    named = [*kinds] if len(found) == 1 else [f"{_PLURALS[kind]} of the models" for kind in kinds]
    return digest.hexdigest(), f"the {' and '.join(named)}"


def _tables_of(result: Any) -> Iterator[tuple[str, tuple[Array, ...]]]:
    """Yield what each model's numbers rest on, and its columns."""
    if isinstance(result, ResolvingPower):
        table = getattr(result.model, "table", None)
        if isinstance(table, ScoreTable):
            yield "score table", _columns(table)
        return
    sample = _sample_of(result)
    for model in () if sample is None else sample.models:
        own = sample.select_model(model)
        if own.is_multiclass:
            cells = own.cells()
            yield "confusion matrix", (cells.truth, cells.predicted, cells.count)
        elif own.has_scores_of():
            yield "score table", _columns(own.table())
        else:
            yield "four counts", tuple(np.atleast_1d(each) for each in own.counts().as_dict().values())


def _columns(table: ScoreTable) -> tuple[Array, ...]:
    return table.score, table.positives, table.negatives


def _sample_of(result: Any) -> Any:
    return getattr(getattr(result, "overall", result), "sample", None)


def _size_of(result: Any) -> str:
    sample = _sample_of(result)
    return "" if sample is None else f"{sample.n:,.6g} cases"


def _bibtex(title: str, day: str, notes: tuple[str, ...], fingerprint: str) -> str:
    note = " ".join(latex_escaped(each) for each in notes if each)
    year = f"  year = {{{day[:4]}}},\n" if day[:4].isdecimal() else ""
    key = "-".join(part for part in ("unconfuse", fingerprint[:8]) if part)
    return f"@misc{{{key},\n  title = {{{{{latex_escaped(title)}}}}},\n{year}  note = {{{note}}}\n}}\n"

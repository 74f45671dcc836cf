"""The page of results that are tables of estimates: one renderer for all, without script, from a payload of texts."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import unconfuse
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import plain_json, printable
from unconfuse._schemas import problem_of
from unconfuse._table_view import Column, TableView
from unconfuse.explorer import static_page
from unconfuse.plots._svg import can_draw, check_svg, for_page
from unconfuse.policy import TONES
from unconfuse.report.tabular import Picture, Sheet, Table

SCHEMA = "unconfuse-tables/1"
_COLUMNS = 6  # of a table that a column of text can hold
_TEXT = {"type": "string", "maxLength": 10_000}
_SAID = {"type": "object", "required": ["sentence", "verdict"], "additionalProperties": False}
_TABLE_PARTS = ["heading", "heads", "kinds", "rows", "left_out"]
RULES: dict[str, Any] = {
    "type": "object",
    "required": ["schema", "title", "size", "date", "version", "said", "pictures", "tables", "methods", "command"],
    "additionalProperties": False,
    "properties": {
        "schema": {"const": SCHEMA},
        **dict.fromkeys(("title", "size", "date", "version", "command"), _TEXT),
        "said": {
            "type": "array",
            "maxItems": 1000,
            "items": {**_SAID, "properties": {"sentence": _TEXT, "verdict": _TEXT}},
        },
        "pictures": {
            "type": "array",
            "maxItems": 10,
            "items": {
                "type": "object",
                "required": ["words", "svg"],
                "additionalProperties": False,
                "properties": {"words": _TEXT, "svg": {"type": "string"}},
            },
        },
        "tables": {
            "type": "array",
            "maxItems": 20,
            "items": {
                "type": "object",
                "required": _TABLE_PARTS,
                "additionalProperties": False,
                "properties": {
                    "heading": _TEXT,
                    "heads": {"type": "array", "maxItems": 1000, "items": _TEXT},
                    "kinds": {"type": "array", "items": {"enum": ["text", "number"]}},
                    "rows": {"type": "array", "items": {"type": "array", "items": _TEXT}},
                    "left_out": {"type": "number", "minimum": 0},
                },
            },
        },
        "methods": {"type": "object", "additionalProperties": _TEXT},
    },
}


def tabular_payload(sheet: Sheet, page: Any) -> dict[str, Any]:
    """Return all that the page shows, as texts."""
    for name in ("prevalence", "costs", "positive_label", "unit"):
        if getattr(page, name):
            raise ArgumentError(
                f"`{name}` is for the page of a yes-or-no question; this one has tables. Hint: omit it."
            )
    pictures = sheet.pictures if can_draw() else ()
    page.tell(1)
    made = {
        "schema": SCHEMA,
        "title": page.title or sheet.title,
        "size": sheet.size,
        "date": page.day,
        "version": unconfuse.__version__,
        "said": [{"sentence": sentence, "verdict": verdict} for sentence, verdict in sheet.said],
        "pictures": [_picture(picture, number) for number, picture in enumerate(pictures, 1)],
        "tables": [_table(table) for table in sheet.tables],
        "methods": {what: how for what, how in sheet.methods.items() if how},
        "command": page.command,
    }
    page.tell(5)
    return dict(plain_json(made))


def _picture(each: Picture, number: int) -> dict[str, str]:
    return {"words": each.words, "svg": for_page(each.draw, each.words, number)}


def _table(each: Table) -> dict[str, Any]:
    columns = each.view.columns
    return {
        "heading": each.heading,
        "heads": [column.head for column in columns],
        "kinds": [column.kind for column in columns],
        "rows": [list(row) for row in each.view.rows],
        "left_out": each.left_out,
    }


def check_tabular(payload: Any) -> None:
    """Raise with the first thing that is wrong with a stored payload: its pictures are shown as they are."""
    problem = problem_of(payload, RULES, "payload")
    if problem:
        raise InputError(f"{problem}. Hint: make the payload anew, with result.payload() or --payload.")
    for place, each in enumerate(payload["pictures"]):
        check_svg(each["svg"], f"payload.pictures[{place}]")
    for place, each in enumerate(payload["tables"]):
        wide = len(each["heads"])
        if len(each["kinds"]) != wide or any(len(row) != wide for row in each["rows"]):
            raise InputError(f"payload.tables[{place}] holds rows of different lengths.")


def tabular_page(payload: Mapping[str, Any]) -> str:
    """Return the page of a checked payload."""
    title = payload["title"] or "unconfuse"
    about = " · ".join(filter(None, (payload["size"], payload["date"])))
    parts = [
        f'<header class="top"><div><h1>{_text(title)}</h1><p class="muted">{_text(about)}</p></div></header>',
        f"<main>{_answer(payload['said'])}",
        *(_shown_picture(each) for each in payload["pictures"]),
        *(_shown_table(each) for each in payload["tables"]),
        f"{_how(payload)}</main>",
        f'<footer class="muted">Made with unconfuse {_text(payload["version"])}.</footer>',
    ]
    widest = max((len(each["heads"]) for each in payload["tables"]), default=0)
    return static_page(title, "\n".join(parts), wide=widest > _COLUMNS)


def _answer(said: list[Mapping[str, str]]) -> str:
    """Return the first sentence with its verdict, and the others as a list."""
    if not said:
        return ""
    first, *rest = said
    verdict = first["verdict"]
    tone = {"good": "better", "bad": "worse"}.get(TONES.get(verdict, ""), "cannot-tell")
    badge = f'<span class="badge {tone}">{_text(verdict)}</span>' if verdict in TONES else ""
    listed = "".join(f"<li>{_text(each['sentence'])}</li>" for each in rest)
    more = f'<ul class="said-more">{listed}</ul>' if listed else ""
    line = f'<p class="verdict-line">{badge}</p>' if badge else ""
    return f'<section class="tabular-answer">{line}<p class="lead">{_text(first["sentence"])}</p>{more}</section>'


def _shown_picture(each: Mapping[str, str]) -> str:
    return f'<figure class="picture">{each["svg"]}<figcaption>{_text(each["words"])}.</figcaption></figure>'


def _shown_table(each: Mapping[str, Any]) -> str:
    columns = [Column(head, kind) for head, kind in zip(each["heads"], each["kinds"], strict=True)]
    view = TableView(columns, each["rows"]).page_html()
    heading, more = _text(each["heading"]), int(each["left_out"])
    left = f'<p class="muted small">{more:,} more are left out here.</p>' if more else ""
    region = f'<div class="scroll" tabindex="0" role="region" aria-label="{heading}">{view}</div>'
    return f"<section><h2>{heading}</h2>{region}{left}</section>"


def _how(payload: Mapping[str, Any]) -> str:
    lines = "".join(f"<dt>{_text(what)}</dt><dd>{_text(how)}</dd>" for what, how in payload["methods"].items())
    command = f"<pre>{_text(payload['command'])}</pre>" if payload["command"] else ""
    return f'<section class="how-made"><h2>How it was computed</h2><dl class="facts">{lines}</dl>{command}</section>'


def _text(words: Any) -> str:
    return html.escape(printable(str(words)))

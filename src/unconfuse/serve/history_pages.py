"""The pages of what was saved: the history, one evaluation with its page in a frame, and a trend."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from unconfuse.serve import rest
from unconfuse.serve.history_entry import about, card, interval_text, number_text
from unconfuse.serve.page_layout import SafeHtml, element, error_place, may_write, page, tag_list
from unconfuse.serve.responses import (
    NotFoundError,
    desk_of,
    errors_as_page,
    query_of,
    readable_of,
    saved_of,
    unreadable_text,
    whole_of,
)
from unconfuse.serve.store import MOST
from unconfuse.serve.trend import LOOKED_AT, label_of, picture_of, trend_of

_META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
SANDBOX = "allow-scripts allow-downloads"  # never allow-same-origin: a page must not act for its reader
_FORMS = {"page": "Page (HTML)", "payload": "Payload (JSON)", "table": "Table (CSV)"}
_LINES = 12


@errors_as_page
async def history(request: Request) -> Response:
    """Show all that was saved, a page at a time."""
    words = query_of(request, "search", "tag", "offset")
    store, writes = desk_of(request).store, may_write(request)
    sought, offset = (words.get("search", ""), words.get("tag", "")), whole_of(words, "offset", 0)
    found = await asyncio.to_thread(store.search, *sought, MOST, offset)
    total = await asyncio.to_thread(store.count, *sought)
    tags = await asyncio.to_thread(store.tags)
    items = [element("li", _tick(each) if writes else "", card(each, "h2")) for each in found]
    nothing = "Nothing was found. " if words else "Nothing here yet. "
    empty = element("p", nothing, element("a", "Evaluate something", href="/"), class_="lead")
    listed = element("ul", items, class_="list") if items else empty
    chosen = _compare() if writes and len(found) > 1 else ""
    parts = [_search(sought[0]), tag_list(tags), chosen, error_place("form"), listed]
    parts += [_turning(words, offset, len(found), total), _transfer(writes)]
    return page(request, "History", element("h1", "History"), *parts, scripts=("history.js",))


def _turning(words: dict[str, str], offset: int, shown: int, total: int) -> SafeHtml | str:
    """Say which evaluations these are, and lead to those before and after; nothing where all are shown."""
    if shown == total:
        return ""

    def link(text: str, place: int) -> SafeHtml:
        return element("a", text, href=f"/history?{urlencode(words | {'offset': str(place)})}")

    said = f"Showing {offset + 1:,} to {offset + shown:,} of {total:,}" if shown else f"{total:,} evaluations"
    newer = link("newer", min(max(offset - MOST, 0), max(total - 1, 0) // MOST * MOST)) if offset else ""
    older = link("older", offset + shown) if shown and offset + shown < total else ""
    turns = [[" · ", each] for each in (newer, older) if each]
    return element("nav", said, turns, aria_label="Pages of the history", class_="muted turning")


def _search(words: str) -> SafeHtml:
    label = element("label", "Search names, notes, tags and files", for_="search")
    field = element("input", id="search", name="search", type="search", value=words, maxlength=200)
    line = element("div", field, element("button", "Search"), class_="line")
    return element("form", label, line, role="search", class_="search")


def _compare() -> SafeHtml:
    button = element("button", "Compare the two that are ticked", type="button", id="compare", disabled=True)
    return element("p", button, element("span", id="progress-text", role="status", class_="muted"), class_="chosen")


def _tick(saved: dict[str, Any]) -> SafeHtml:
    words = f"Choose {saved['name']} for a comparison"
    can = saved["kind"] in ("evaluate", "counts")
    return element("input", type="checkbox", class_="tick", value=saved["id"], aria_label=words, disabled=not can)


def _transfer(writes: bool) -> SafeHtml:
    out = element("a", "Export everything as one file", href="/api/history", download=True)
    label = element("label", "Import an exported file", for_="import", class_="link")
    choose = element("input", type="file", id="import", class_="hidden-file", accept=".gz")
    into = [" · ", label, choose, error_place("file")] if writes else ""
    return element("div", out, into, class_="transfer muted")


@errors_as_page
async def evaluation(request: Request) -> Response:
    """One saved evaluation: its page, in a frame that has no rights here."""
    query_of(request)
    saved = saved_of(request)
    head = element("div", element("h1", saved["name"]), about(saved, source=True), tag_list(saved["tags"]))
    top = element("div", head, _actions(saved, may_write(request)), class_="saved-top")
    said = [*([saved["note"]] if saved["note"] else []), *saved["result"].get("notes", [])]
    notes = [element("p", each, class_="note") for each in said]
    if saved["unreadable"] is not None:
        words = element("p", unreadable_text(saved), class_="error", role="alert")
        return page(request, saved["name"], top, notes, words, scripts=("saved.js",))
    return page(request, saved["name"], top, notes, _shown(saved), scripts=("saved.js",), wide=True)


def _shown(saved: dict[str, Any]) -> SafeHtml:
    if saved["payload"] is None:
        words = element("p", saved["verdict"], class_="lead")
        return element("section", words, _rows(saved["result"].get("table", [])))
    source, title = f"/evaluations/{saved['id']}/page?framed=yes", f"The page of {saved['name']}"
    return element("iframe", src=source, sandbox=SANDBOX, title=title, class_="report")


def _actions(saved: dict[str, Any], writes: bool) -> SafeHtml:
    there = {"page": saved["payload"], "payload": saved["payload"], "table": saved["result"].get("table")}
    links = [
        element("li", element("a", words, href=f"/api/evaluations/{saved['id']}/{form}", download=True))
        for form, words in _FORMS.items()
        if there[form]
    ]
    download = element("details", element("summary", "Download"), element("ul", links), class_="menu")
    return element("div", download, _edit(saved) if writes else "", class_="actions")


def _edit(saved: dict[str, Any]) -> SafeHtml:
    name = element("input", id="edit-name", name="name", value=saved["name"], maxlength=200, required=True)
    tags = element("input", id="edit-tags", name="tags", value=", ".join(saved["tags"]))
    note = element("textarea", saved["note"], id="edit-note", name="note", rows=4, maxlength=10_000)
    labelled = {"name": ("Name", name), "tags": ("Tags, with commas between", tags), "note": ("Note", note)}
    fields = [
        [element("label", words, for_=f"edit-{key}"), field, error_place(key)]
        for key, (words, field) in labelled.items()
    ]
    delete = element("button", "Delete this evaluation", type="button", id="delete", class_="danger")
    line = element("div", element("button", "Save", type="submit"), delete, class_="line")
    form = element("form", fields, line, error_place("form"), id="edit", data_id=saved["id"])
    return element("details", element("summary", "Edit"), form, class_="menu")


def _rows(rows: list[dict[str, Any]]) -> SafeHtml | str:
    """Show a few lines of a table: what was planned has many."""
    if not rows:
        return ""
    heads = [element("th", name.replace("_", " "), scope="col") for name in rows[0]]
    some = rows[:: max(1, len(rows) // _LINES)]
    body = [element("tr", [element("td", _plain(value)) for value in row.values()]) for row in some]
    return _table(heads, body)


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


@errors_as_page
async def report_page(request: Request) -> Response:
    """Return the page of an evaluation as a document of its own, without rights even when it is opened by itself."""
    framed = bool(query_of(request, "framed").get("framed"))
    saved = readable_of(request)
    if saved["payload"] is None:
        raise NotFoundError("there is no page of this evaluation.")
    text = await asyncio.to_thread(rest.page_of, json.dumps(saved["payload"]))
    text = text.replace("<html", "<html data-framed", 1) if framed else text  # its title stands above the frame
    match = _META.search(text)
    drawn = match[1] if match else "default-src 'none'"
    policy = f"{drawn}; frame-ancestors 'self'; sandbox {SANDBOX}"
    return HTMLResponse(text, headers={"content-security-policy": policy, "x-frame-options": "SAMEORIGIN"})


@errors_as_page
async def trend(request: Request) -> Response:
    """One metric over time."""
    words = {key: value for key, value in query_of(request, "metric", "search", "tag").items() if value}
    found = await asyncio.to_thread(trend_of, desk_of(request).store, **words)
    lead = (
        "One metric of the saved evaluations, oldest first. Thick: the interval of one evaluation alone; thin: the "
        "interval that holds at all evaluations together, however often you look."
    )
    head = [element("h1", "Trend"), element("p", lead, class_="lead")]
    form = _choose(found, words.get("search", "")) if found["metrics"] or words else ""
    if not found["points"]:
        why = "No evaluation has this metric." if form else "Nothing here yet: evaluations that you save appear here."
        return page(request, "Trend", *head, form, element("p", why))
    drawn = picture_of(found)
    return page(
        request,
        "Trend",
        *head,
        form,
        _looked_at(found),
        _changed(found),
        element("figure", drawn) if drawn else "",
        _points(found),
    )


def _changed(found: dict[str, Any]) -> SafeHtml | str:
    """Say whether it has become worse, where that can be said."""
    return "" if found["change"] is None else element("p", found["change"]["sentence"])


def _looked_at(found: dict[str, Any]) -> SafeHtml | str:
    """Say it where only the newest of many evaluations were looked at."""
    if found["total"] <= LOOKED_AT:
        return ""
    return element("p", f"The newest {LOOKED_AT:,} of {found['total']:,} evaluations.", class_="muted")


def _choose(found: dict[str, Any], words: str) -> SafeHtml:
    options = [
        element("option", label_of(each), value=each, selected=each == found["metric"]) for each in found["metrics"]
    ]
    metric = element("select", options, id="metric", name="metric")
    search = element("input", id="search", name="search", value=words)
    safe_html = element("div", element("label", "Metric", for_="metric"), metric, class_="field")
    two = element("div", element("label", "Only those with these words", for_="search"), search, class_="field")
    return element("form", safe_html, two, element("button", "Show"), class_="fields trend-form")


def _points(found: dict[str, Any]) -> SafeHtml:
    heads = [element("th", each, scope="col") for each in ("When", "Evaluation", label_of(found["metric"]), "Interval")]
    lines = []
    for each in found["points"]:
        link = element("a", each["name"], href=f"/evaluations/{each['id']}")
        when = each["created"][:16].replace("T", " ")
        cells = (when, link, number_text(each["value"]), interval_text(each))
        lines.append(element("tr", [element("td", cell) for cell in cells]))
    return _table(heads, lines)


def _table(heads: list[SafeHtml], lines: list[SafeHtml]) -> SafeHtml:
    """Return a table that is scrolled where it is wider than the screen."""
    table = element("table", element("thead", element("tr", heads)), element("tbody", lines), class_="plain")
    return element("div", table, class_="wide-table", tabindex="0", role="region", aria_label="Table")


ROUTES = [
    Route("/history", history),
    Route("/trend", trend),
    Route("/evaluations/{id}", evaluation),
    Route("/evaluations/{id}/page", report_page),
]

"""The pages on which something is asked: about a file, about numbers typed in, about a test set to come.

They are drawn here and live through the same REST API that programs use.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from unconfuse._errors import UnconfuseError
from unconfuse.serve import rest
from unconfuse.serve.app_state import AppState
from unconfuse.serve.column_guesses import positives_of
from unconfuse.serve.forms import question_form, working
from unconfuse.serve.history_entry import card
from unconfuse.serve.page_layout import ICON, SafeHtml, element, error_place, may_write, page, palette, refusal_page
from unconfuse.serve.questions import QUESTIONS, READS_A_FILE, TITLES, NoRoomError
from unconfuse.serve.responses import NotFoundError, desk_of, errors_as_page, query_of
from unconfuse.serve.settings import BusyError
from unconfuse.serve.uploads import ENDINGS
from unconfuse.serve.worker_pool import WorkerCrashedError

_SCRIPTS = ("requests.js", "upload.js", "ask.js", "saved.js", "history.js")
_KEPT = {"cache-control": "private, max-age=300"}
_LEAD = "Bring the true answers and your model's scores. You get every number with its uncertainty, and what it means."
_DEMOS = {"patients": "patients suspected of an embolism", "animals": "a camera that names animals"}
_BY_HAND = {
    "counts": "The four counts of a table of decisions, as a paper prints them.",
    "matrix": "A table of true classes by predicted ones.",
    "plan": "How many cases does a test set need: to tell two models apart, or for a narrow interval?",
}


@errors_as_page
async def home(request: Request) -> Response:
    """Where everything begins: a file, numbers typed in, or example data."""
    query_of(request)
    if not may_write(request):
        return RedirectResponse("/history", 303)
    desk = desk_of(request)
    recent = await asyncio.to_thread(desk.store.search, "", "", 6)
    lately = (
        element("section", element("h2", "Lately"), [card(each) for each in recent], class_="lately") if recent else ""
    )
    head = [element("h1", "How good is your classifier?"), element("p", _LEAD, class_="lead")]
    return page(request, "unconfuse", *head, _drop(desk), _other_ways(), lately, scripts=("upload.js",))


def _drop(desk: AppState) -> SafeHtml:
    """Show the place where a file is dropped or chosen, and the way to point to one."""
    kinds = ",".join((*ENDINGS, ".gz"))
    words = f"CSV, Parquet, JSON or Excel, up to {desk.settings.limits.upload >> 20:,} MB. It stays on this computer."
    label = element("label", "choose one", for_="file", class_="link")
    inside = [
        element("p", element("strong", "Drop a file here"), " or ", label),
        element("input", type="file", id="file", class_="hidden-file", accept=kinds),
        element("p", words, class_="muted"),
        working(),
        error_place("file"),
    ]
    return element("section", element("div", inside, id="drop", class_="drop"), _pointed(desk), aria_label="A file")


def _pointed(desk: AppState) -> SafeHtml | str:
    if desk.settings.root is None:
        return ""
    common = {"placeholder": "2026/visits.parquet", "autocomplete": "off", "aria_describedby": "error-path"}
    field = element("input", id="field-path", name="path", **common)
    line = element("div", field, element("button", "Open", type="submit"), class_="line")
    folder = desk.settings.root.name or "that was opened"
    label = element("label", f"or a file in the folder {folder}", for_="field-path")
    return element("form", label, line, error_place("path"), id="pointed", class_="pointed")


def _other_ways() -> SafeHtml:
    counts = element("a", "Type in four counts", href="/counts")
    matrix = element("a", "a confusion matrix", href="/matrix")
    typed = element("p", counts, " from a paper, or ", matrix, ".")
    demos = [element("button", words, type="button", data_demo=name) for name, words in _DEMOS.items()]
    looking = [element("p", "Open example data:"), element("div", demos)]
    first = element("div", element("h2", "No file?"), typed, class_="way")
    second = element("div", element("h2", "Just looking?"), looking, error_place("demo"), class_="way")
    return element("section", first, second, class_="ways", aria_label="Other ways")


@errors_as_page
async def file_page(request: Request) -> Response:
    """Show what a file holds, and what is asked about it."""
    words = query_of(request, "question", "table", "delimiter", "decimal")
    question = words.pop("question", "evaluate")
    if question not in READS_A_FILE:
        raise NotFoundError("there is no such question.")
    desk = desk_of(request)
    try:
        upload = desk.uploads.get(request.path_params["id"])
        seen = await desk.preview_file(upload, {key: value for key, value in words.items() if value})
    except (BusyError, NoRoomError):
        raise
    except (UnconfuseError, WorkerCrashedError) as error:
        return refusal_page(request, "This file cannot be used", str(error), 422, _read_otherwise(words))
    forget = element("button", "Forget this file", type="button", id="forget", data_file=upload.id, class_="quiet")
    size = element("p", _size(seen), " ", forget, class_="muted file-size")
    notes = [element("p", each, class_="note") for each in seen.get("notes", [])]
    head = element("div", element("h1", upload.name), size, error_place("forget"), notes, class_="title")
    form = element("section", _tabs(upload.id, question, words), question_form(question, seen, upload.id))
    return page(request, upload.name, head, _preview(seen), form, _known(seen), scripts=("ask.js",))


def _read_otherwise(words: Mapping[str, str]) -> SafeHtml:
    """How else a file could be read, for somebody who knows it: the same address with other words."""
    known = {
        option_spec.name: option_spec
        for option_spec in QUESTIONS["evaluate"]
        if option_spec.name in ("table", "delimiter", "decimal")
    }
    fields = [
        element(
            "div",
            element("label", option_spec.label, for_=f"field-{name}"),
            element("input", id=f"field-{name}", name=name, value=words.get(name, ""), autocomplete="off"),
            element("p", option_spec.help, class_="help") if option_spec.help else "",
            class_="field",
        )
        for name, option_spec in known.items()
    ]
    button = element("button", "Read it so", type="submit", class_="main")
    return element(
        "form", element("div", fields, class_="fields"), button, method="get", aria_label="How the file is written"
    )


def _size(seen: dict[str, Any]) -> str:
    more = "" if seen["is_whole"] else "more than "
    return f"{more}{seen['rows']:,} rows, {len(seen['columns'])} columns"


def _tabs(file: str, question: str, words: Mapping[str, str]) -> SafeHtml:
    """Show the questions about a file, which is read in the same way for each."""
    way = {key: value for key, value in words.items() if value}
    links = [
        element(
            "a",
            TITLES[each],
            href=f"/files/{file}?{urlencode({'question': each} | way)}",
            aria_current="true" if each == question else None,
        )
        for each in READS_A_FILE
    ]
    return element("nav", element("ul", [element("li", link) for link in links]), aria_label="Questions", class_="tabs")


def _known(seen: dict[str, Any]) -> SafeHtml:
    """Return the values of each column, for the script that follows the choice of a label."""
    guesses = positives_of(seen["columns"])
    known = [
        {"name": each["name"], "values": [value for value, _ in each["values"]], "positive": guesses.get(each["name"])}
        for each in seen["columns"]
    ]
    text = json.dumps(known).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return SafeHtml(f'<script type="application/json" id="columns">{text}</script>')


def _preview(seen: dict[str, Any]) -> SafeHtml:
    heads = [
        element("th", element("span", each["name"]), element("small", _about(each)), scope="col")
        for each in seen["columns"]
    ]
    rows = [element("tr", list(map(_cell, row))) for row in seen["first"][:5]]
    table = element("table", element("thead", element("tr", heads)), element("tbody", rows))
    return element("div", table, class_="preview", tabindex="0", role="region", aria_label="The first rows of the file")


def _cell(value: str | None) -> SafeHtml:
    return element("td", class_="missing") if value is None else element("td", value)


def _about(column: dict[str, Any]) -> str:
    """Say what a column holds, in a few words."""
    missing = f", {column['missing']:,} missing" if column["missing"] else ""
    if column["kind"] == "number" and column["low"] is not None:
        return f"{column['low']:g} to {column['high']:g}{missing}"
    return "empty" if column["kind"] == "empty" else f"{column['distinct']:,} different{missing}"


def by_hand(question: str) -> Any:
    """Build the page with a form that needs no file."""

    @errors_as_page
    async def shown(request: Request) -> Response:
        query_of(request)
        head = [element("h1", TITLES[question]), element("p", _BY_HAND[question], class_="lead")]
        return page(request, TITLES[question], *head, question_form(question), scripts=("ask.js",))

    return shown


async def static(request: Request) -> Response:
    """Our own style sheet, scripts and sign."""
    name = request.path_params["name"]
    if name == "app.css":
        return Response(palette() + _file("app.css"), media_type="text/css", headers=_KEPT)
    if name == "icon.svg":
        return Response(ICON, media_type="image/svg+xml", headers=_KEPT)
    if name in _SCRIPTS:
        return Response(_file(name), media_type="text/javascript", headers=_KEPT)
    return await rest.nothing_there(request, Exception())


@lru_cache(maxsize=8)
def _file(name: str) -> str:
    return files("unconfuse.serve").joinpath("static", name).read_text(encoding="utf-8")


async def nothing_there(request: Request, error: Exception) -> Response:
    """Answer for an address that is not known: words for people, JSON for programs."""
    if request.url.path.startswith(("/api/", "/static/")) or request.method not in ("GET", "HEAD"):
        return await rest.nothing_there(request, error)
    return refusal_page(request, "Nothing here", "There is nothing at this address.", 404)


ROUTES = [
    Route("/", home),
    Route("/files/{id}", file_page),
    *(Route(f"/{question}", by_hand(question)) for question in _BY_HAND),
    Route("/static/{name}", static),
]

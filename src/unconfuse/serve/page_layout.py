"""What all pages of the app share: the bar at the top, and a few elements in one look."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from unconfuse.serve.html_builder import SafeHtml, element, page_text

_PLACES = (("/", "New"), ("/history", "History"), ("/trend", "Trend"), ("/plan", "Plan"))


def page(
    request: Request, title: str, *body: Any, scripts: tuple[str, ...] = (), wide: bool = False, status: int = 200
) -> HTMLResponse:
    """Return a whole page with the bar at the top."""
    main = element("main", *body, id="main", class_="wide" if wide else None, tabindex="-1")
    skip = element("a", "Skip to the content", href="#main", class_="skip")
    head = [element("link", rel="stylesheet", href="/static/app.css")]
    head.append(element("link", rel="icon", href="/static/icon.svg"))
    head += [element("script", src=f"/static/{each}", type="module") for each in scripts]
    shown = title if title == "unconfuse" else f"{title} · unconfuse"
    return HTMLResponse(page_text(shown, SafeHtml(skip + _bar(request) + main), SafeHtml("".join(head))), status)


def refusal_page(
    request: Request, title: str, message: str, status: int, otherwise: SafeHtml | str = ""
) -> HTMLResponse:
    """Why something cannot be shown, what else could be tried, and where to begin again."""
    said = element("p", message, class_="error", role="alert")
    back = element("p", element("a", "Begin again", href="/"))
    return page(request, title, element("h1", title), said, otherwise, back, status=status)


def _bar(request: Request) -> SafeHtml:
    visitor = request.scope.get("visitor")
    here = request.url.path
    links = [
        element("li", element("a", words, href=place, aria_current="page" if place == here else None))
        for place, words in _PLACES
    ]
    out = element("form", element("button", "Log out", class_="quiet"), method="post", action="/logout")
    who = "" if visitor is None or visitor.name == "you" else element("span", visitor.name, class_="muted")
    brand = element("a", "unconfuse", href="/", class_="brand")
    nav = element("nav", element("ul", links), aria_label="Main")
    return element("header", brand, nav, element("div", who, out, class_="who"), class_="bar")


def may_write(request: Request) -> bool:
    """Whether the visitor may change anything."""
    visitor = request.scope.get("visitor")
    return bool(visitor and visitor.may_write)


def date_text(created: str) -> SafeHtml:
    """Return a time as people read it.

    >>> date_text("2026-11-16T14:05:00+00:00")
    '<time datetime="2026-11-16T14:05:00+00:00">16 Nov 2026, 14:05</time>'
    """
    try:
        shown = f"{datetime.fromisoformat(created):%-d %b %Y, %H:%M}"
    except ValueError:
        shown = created[:40]
    return element("time", shown, datetime=created)


def count_text(n: Any, word: str) -> str:
    """2,000 cases; nothing if it is not known."""
    return "" if n is None else f"{n:,.0f} {word}" + ("" if n == 1 else "s")


def error_place(name: str) -> SafeHtml:
    """Where a refusal of this field is shown."""
    return element("p", id=f"error-{name}", class_="error", role="alert", hidden=True)


def tag_list(tags: list[str]) -> SafeHtml | str:
    """Tags, each a link to its evaluations."""
    from urllib.parse import quote

    items = [element("li", element("a", each, href=f"/history?tag={quote(each)}")) for each in tags]
    return element("ul", items, class_="tags", aria_label="Tags") if items else ""

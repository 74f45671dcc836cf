"""What all pages of the app are made of: elements whose text is always escaped, the colours, and the bar at the top."""

from __future__ import annotations

import html
from datetime import datetime
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from unconfuse.explorer.theme import COLOURS, ground, variables

_VOID = frozenset(("br", "hr", "img", "input", "link", "meta"))


class SafeHtml(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, /, *children: Any, **attributes: Any) -> SafeHtml:
    """One element. True is an attribute without a value; None and False leave it out; `for_`, `data_x` are for, data-x.

    >>> element("a", "x < y", href="/a?b&c", hidden=True, title=None)
    '<a href="/a?b&amp;c" hidden>x &lt; y</a>'
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return SafeHtml(f"<{name}{given}>")
    return SafeHtml(f"<{name}{given}>{together(*children)}</{name}>")


def together(*children: Any) -> SafeHtml:
    """Elements and texts, one after the other; lists are opened, None is nothing."""
    return SafeHtml("".join(map(_child, children)))


def _child(child: Any) -> str:
    if child is None or child is False:
        return ""
    if isinstance(child, SafeHtml):
        return str(child)
    if isinstance(child, list | tuple):
        return together(*child)
    return html.escape(str(child))


def _attribute(key: str, value: Any) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'


def page_text(title: str, body: SafeHtml, head: SafeHtml) -> str:
    """Return a whole document."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>{html.escape(title)}</title>{head}</head>\n<body>{body}</body></html>\n"
    )


_PLACES = (("/", "New"), ("/history", "History"), ("/trend", "Trend"), ("/plan", "Plan"))


def page(
    request: Request, title: str, *body: Any, scripts: tuple[str, ...] = (), wide: bool = False, status: int = 200
) -> HTMLResponse:
    """Return a whole page with the bar at the top."""
    main = element("main", *body, id="main", class_="wide" if wide else None, tabindex="-1")
    skip = element("a", "Skip to the content", href="#main", class_="skip")
    head = [element("link", rel="stylesheet", href="/static/app.css")]
    head.append(element("link", rel="icon", href="/static/icon.svg"))
    head += [element("script", src=f"/static/{script}", type="module") for script in scripts]
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

    items = [element("li", element("a", tag, href=f"/history?tag={quote(tag)}")) for tag in tags]
    return element("ul", items, class_="tags", aria_label="Tags") if items else ""


_OWN = {"line": ("#8a929d", "#69717d"), "tint": ("#e8f2f9", "#16303f"), "warm": ("#fdf1e9", "#3a2519")}
_CELLS = ((0, 0, "#0072B2", 1), (17, 0, "#D55E00", 0.45), (0, 17, "#D55E00", 1), (17, 17, "#0072B2", 0.45))
_RECTANGLES = "".join(
    f'<rect x="{x}" y="{y}" width="15" height="15" rx="3" fill="{hue}" opacity="{how}"/>' for x, y, hue, how in _CELLS
)
ICON = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">{_RECTANGLES}</svg>'


@lru_cache(maxsize=1)
def palette() -> str:
    """Light, and dark where the system asks for it, with what every sheet begins with."""
    light, dark = variables(COLOURS | _OWN)
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}{ground()}"

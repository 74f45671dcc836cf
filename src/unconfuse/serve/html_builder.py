"""HTML made of elements: text is always escaped, so that no name, note or label can be markup."""

from __future__ import annotations

import html
from typing import Any

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

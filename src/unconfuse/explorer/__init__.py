"""The page: a small front end of our own that draws a payload. It asks no network and runs under a strict policy."""

import base64
import hashlib
import html
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from unconfuse._formatting import printable
from unconfuse.explorer.bundler import joined_modules
from unconfuse.explorer.formulas import COUNTS, SHARED, functions, javascript, script_text
from unconfuse.explorer.packing import packed
from unconfuse.explorer.theme import page_style

__all__ = ["COUNTS", "SHARED", "embedded", "javascript", "lesson_of", "page_of", "sentences", "static_page"]


def page_of(payload: Mapping[str, Any]) -> str:
    """One HTML document, complete in itself, that draws a checked payload."""
    entry = "several_classes.js" if "classes" in payload else "two_classes.js"
    return _drawn(payload, entry, sentences(payload))


def lesson_of(payload: Mapping[str, Any], entry: str, said: list[str]) -> str:
    """Return a page for teaching: the script `entry` draws the payload, and `said` stands there without scripts."""
    return _drawn(payload, entry, said)


def _drawn(payload: Mapping[str, Any], entry: str, said: list[str]) -> str:
    style, script = page_style(), f"'use strict';\n{functions(payload['metrics'])}(()=>{{\n{_script(entry)}\n}})();"
    body = (
        f'<div id="app"></div>\n<noscript>{_without_script(payload, said)}</noscript>\n'
        f'<script type="application/json" id="payload">{embedded(payload)}</script>\n'
        f"<script>{script}</script>"
    )
    return _document(str(payload["title"] or "unconfuse"), style, f"; script-src {_hash(script)}", body)


def static_page(title: str, body: str, *, wide: bool = False) -> str:
    """One HTML document of the same look that runs no script at all; `body` is HTML."""
    kind = "static wide" if wide else "static"
    return _document(title, page_style(), "", f'<div id="app" class="{kind}">{body}</div>')


def _document(title: str, style: str, scripts: str, body: str) -> str:
    own = f"style-src {_hash(style)}{scripts}"
    policy = f"default-src 'none'; {own}; img-src data:; base-uri 'none'; form-action 'none'"
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">\n'
        f"<title>{_text(title)}</title>\n<style>{style}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def embedded(payload: Any) -> str:
    """Return a payload, or a part of one, as it stands in a page."""
    return script_text(packed(payload))


@lru_cache(maxsize=4)
def _script(entry: str) -> str:
    """Return the page's own script; `functions` writes what it imports from formulas.js."""
    return joined_modules(entry, _file, made={"formulas.js": ("METRIC", "FORMULA", "VERDICT_TONES")})


def _file(name: str) -> str:
    return files("unconfuse.explorer").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def sentences(payload: Mapping[str, Any]) -> list[str]:
    """Return what was found, in words; the verdict on the whole comes first."""
    parts = [*payload["models"], *(payload.get(name, {}) for name in ("classes", "comparison", "subgroups"))]
    asked = payload["resolution"]["paragraph"] if payload["kind"] == "resolve" else ""
    first = [asked, *(part.get("sentence") for part in parts)]
    found = [each for part in parts for each in part.get("findings", [])]
    return [each for each in first if each] + [each if isinstance(each, str) else each["sentence"] for each in found]


def _without_script(payload: Mapping[str, Any], said: list[str]) -> str:
    """Return the title and the sentences for a reader whose browser runs no script."""
    lines = "".join(f"<li>{_text(each)}</li>" for each in said)
    return f"<h1>{_text(str(payload['title']))}</h1><ul>{lines}</ul>"


def _text(words: str) -> str:
    """Return words that a page may hold as text: neither markup nor characters that steer a terminal or turn lines."""
    return html.escape(printable(words))

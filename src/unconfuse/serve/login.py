"""The one page that strangers see: where a token is typed in. It loads nothing, for there is nothing else to be had."""

from __future__ import annotations

import base64
import hashlib
import re

from unconfuse.serve.page_layout import SafeHtml, element, page_text, palette

_STYLE = (
    "main{max-width:26rem;margin:18vh auto 0;padding:0 1.25rem}h1{font-size:1.6rem;margin:0 0 .5rem}"
    "p{color:var(--muted)}"
    "label{display:block;font-weight:600;margin:1.5rem 0 .35rem}input,button{font:inherit;width:100%;"
    "padding:.65rem .8rem;"
    "border:1px solid var(--line);border-radius:8px;background:var(--paper);color:var(--ink)}button{margin-top:.75rem;"
    "background:var(--accent);border-color:var(--accent);color:var(--paper);font-weight:600;cursor:pointer}"
    "p[role=alert]{color:var(--bad);font-weight:600}"
)


def login_page(back: str = "/", wrong: str = "") -> str:
    """Ask for a token; afterwards lead `back`."""
    form = element(
        "form",
        element("label", "Token", for_="token"),
        element("input", id="token", name="token", type="password", autocomplete="current-password", required=True),
        element("input", type="hidden", name="back", value=back),
        element("button", "Log in", type="submit"),
        method="post",
        action="/login",
    )
    said = element("p", wrong, role="alert") if wrong else ""
    words = "Open the link that unconfuse serve printed, or give the token that you were sent."
    return _page("Log in", element("main", element("h1", "unconfuse"), element("p", words), said, form))


def reload_page() -> str:
    """Come again from here: a browser holds its cookie back from whoever follows a link of another site."""
    again = SafeHtml('<meta http-equiv="refresh" content="0">')
    return _page("unconfuse", element("main", element("p", "One moment.")), again)


def policy_of(page: str) -> str:
    """Return a policy that allows the page's own style and nothing else."""
    style = re.search(r"<style>(.*?)</style>", page, re.S)
    digest = base64.b64encode(hashlib.sha256((style[1] if style else "").encode()).digest()).decode()
    rest = "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    return f"default-src 'none'; style-src 'sha256-{digest}'; {rest}"


def _page(title: str, body: SafeHtml, head: SafeHtml | str = "") -> str:
    return page_text(title, body, SafeHtml(f"<style>{palette()}{_STYLE}</style>{head}"))

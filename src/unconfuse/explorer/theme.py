"""The colours of the page and of the web app, light and dark, and the ground that both stand on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from unconfuse import _html_repr
from unconfuse.explorer.bundler import compact_style

# What the page's colours mean, and what the shared palette calls that.
ROLES = {"paper": "paper", "ink": "ink", "muted": "quiet", "positive": "positive", "negative": "negative"}
ROLES |= {"one": "line", "good": "good", "bad": "bad"}
COLOURS: dict[str, tuple[str, str]] = {name: _html_repr.ROLES[role] for name, role in ROLES.items()} | {
    "panel": ("#f6f7f9", "#25272b"),
    "rest": ("#dfe3e7", "#3a4047"),
    "rule": ("#e2e5ea", "#2c3037"),
    "line": ("#c9ced6", "#474d57"),
    "two": (_html_repr.VERMILION, "#ff8f4a"),
    "three": (_html_repr.GREEN, "#3cc9a1"),
    "four": ("#a4467d", "#e6a3c8"),
    "five": ("#8a6100", "#f0b93a"),
    "six": ("#2b7fb3", "#8ecbf0"),
    "seven": ("#5b5f66", "#b7bcc4"),
    "eight": ("#6a51a3", "#b7a5e6"),
    "accent": ("#0b5c8e", "#7cc4f2"),
}
"""Each colour of the page: on a light ground, on a dark one."""


def variables(colours: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """Write colours as variables of a style sheet: for a light ground, and for a dark one.

    >>> variables({"ink": ("#222", "#eee")})
    ('--ink:#222;color-scheme:light;', '--ink:#eee;color-scheme:dark;')
    """
    light, dark = ("".join(f"--{name}:{pair[side]};" for name, pair in colours.items()) for side in (0, 1))
    return f"{light}color-scheme:light;", f"{dark}color-scheme:dark;"


@lru_cache(maxsize=1)
def page_style() -> str:
    """Return the page's style sheet: dark where the system or a button says so, but never on paper."""
    light, dark = variables(COLOURS)
    by_system = f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
    by_button = f"@media screen{{:root[data-theme=dark]{{{dark}}}}}"
    return f":root{{{light}}}\n{by_system}\n{by_button}\n{ground()}{compact_style(_file('page.css'))}"


def ground() -> str:
    """Return what every style sheet begins with: letters, paper and boxes."""
    return compact_style(_file("ground.css"))


def _file(name: str) -> str:
    return files("unconfuse.explorer").joinpath(name).read_text(encoding="utf-8")

"""The colours of the app: those of the page, as variables of a style sheet."""

from __future__ import annotations

from functools import lru_cache

from unconfuse import _cards

_ROLES = {"paper": "paper", "ink": "ink", "muted": "quiet", "positive": "positive", "negative": "negative"}
_ROLES |= {"good": "good", "bad": "bad"}
_OWN = {
    "panel": ("#f6f7f9", "#25272b"),
    "rule": ("#e2e5ea", "#2c3037"),
    "line": ("#8a929d", "#69717d"),
    "accent": ("#0b5c8e", "#7cc4f2"),
    "tint": ("#e8f2f9", "#16303f"),
    "warm": ("#fdf1e9", "#3a2519"),
}


_CELLS = ((0, 0, "#0072B2", 1), (17, 0, "#D55E00", 0.45), (0, 17, "#D55E00", 1), (17, 17, "#0072B2", 0.45))
_RECTANGLES = "".join(
    f'<rect x="{x}" y="{y}" width="15" height="15" rx="3" fill="{hue}" opacity="{how}"/>' for x, y, hue, how in _CELLS
)
ICON = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">{_RECTANGLES}</svg>'


@lru_cache(maxsize=1)
def palette() -> str:
    """Light, and dark where the system asks for it."""
    both = {name: _cards.ROLES[role] for name, role in _ROLES.items()} | _OWN
    light, dark = ("".join(f"--{name}:{pair[side]};" for name, pair in both.items()) for side in (0, 1))
    return f":root{{{light}color-scheme:light dark}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"

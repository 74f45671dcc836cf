"""The colours of the app: those of the page, as variables of a style sheet."""

from __future__ import annotations

from functools import lru_cache

from unconfuse.explorer.theme import COLOURS, ground, variables

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

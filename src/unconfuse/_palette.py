"""The colours of every surface: figures, notebook cards, the page. Only text, so that any room may read it.

The hues are Okabe and Ito's, which people with any kind of colour vision can tell apart. On a dark ground the same
hues are lighter, so that thin lines and small words keep their contrast.
"""

from __future__ import annotations

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
GREY, INK, FAINT, PAPER = "#6f6f6f", "#222222", "#e6e6e6", "#ffffff"

# What a colour means, by name: light ground, then dark ground.
ROLES: dict[str, tuple[str, str]] = {
    "ink": (INK, "#ececec"),
    "quiet": ("#5f5f5f", "#a8a8a8"),
    "faint": ("#e2e2e2", "#3c3c3c"),
    "paper": (PAPER, "#1b1b1b"),
    "positive": (BLUE, "#62b0e8"),
    "negative": (VERMILION, "#f28a4b"),
    "line": (BLUE, "#62b0e8"),
    "good": ("#00714f", "#3ecb9c"),
    "bad": ("#b34400", "#ff9a66"),
}
POSITIVE, NEGATIVE = (ROLES[name][0] for name in ("positive", "negative"))
# Lines that differ without colour as well, as matplotlib dash patterns and as SVG's stroke-dasharray.
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 2), (1.5, 1.5), (6, 2, 1.5, 2), (3, 1.5), (8, 2, 1.5, 2, 1.5, 2))
# On a terminal the ground is unknown: middle tones that can be read on white and on black.
TERMINAL = {"positive": "#3f93cc", "negative": "#d9722e", "line": "#3f93cc", "good": "#2f9e77", "bad": "#d9722e"}

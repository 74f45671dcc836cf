"""The colours of every surface, and small cards for notebooks: HTML without script, every text escaped.

The hues are Okabe and Ito's, which people with any kind of colour vision can tell apart; on a dark ground they are
lighter. Words and lines of a card have the colour of the page around them, so that it suits a light and a dark page
alike; only marks have colours of their own, middle tones that show on both.
"""

import html
import math
import unicodedata
from collections.abc import Iterable, Sequence

from unconfuse.policy import TONES

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

_LINE, _POINT, _GOOD, _BAD = (TERMINAL[role] for role in ("line", "negative", "good", "bad"))
_EDGES = {"good": _GOOD, "bad": _BAD}
_STYLE = (
    "<style>.uc-card{color:inherit;font:13px/1.45 system-ui,sans-serif;max-width:820px;padding:8px 0 8px 12px;"
    "border-left:4px solid}.uc-card p{margin:2px 0 6px;max-width:660px}.uc-card .uc-q{opacity:.72}.uc-card .uc-r{"
    "display:flex;flex-wrap:wrap;gap:18px;align-items:center}.uc-card table{border-collapse:collapse;color:inherit;"
    "margin:0;font-size:13px;font-variant-numeric:tabular-nums}.uc-card td,.uc-card th{padding:1px 10px 1px 0;"
    "text-align:left;background:none;border:0;color:inherit;white-space:nowrap}.uc-card th{font-weight:normal;"
    "opacity:.72}.uc-card td.uc-n{text-align:right}.uc-card svg{display:block;overflow:visible}</style>"
)
_CONTROL = ("Cc", "Cf", "Cs")
_WIDE, _HIGH, _ROC, _MOST_ROWS = 150, 14, 108, 18


def edge_of(verdict: str) -> str:
    """Return the colour of a card's edge; nothing where nothing was concluded."""
    return _EDGES.get(TONES.get(verdict, ""), "")


def card(title: str, *parts: str, verdict: str = "", notes: Iterable[str] = (), tone: str = "") -> str:
    """One card: title, what it means, then its parts; `tone` is a colour for the edge.

    >>> "<script>" in card("<script>alert(1)</script>")
    False
    """
    edge = tone if tone in _EDGES.values() else "currentColor"
    said = f"<p>{text(verdict, 700)}</p>" if verdict else ""
    said += "".join(f'<p class="uc-q">{text(note, 400)}</p>' for note in notes if note)
    start = f'{_STYLE}<div class="uc-card" style="border-color:{edge}">'
    return f"{start}<p><b>{text(title, 160)}</b></p>{said}{''.join(parts)}</div>"


def side_by_side(*parts: str) -> str:
    """Parts in a row, which wraps on a narrow page."""
    return f'<div class="uc-r">{"".join(f"<div>{part}</div>" for part in parts if part)}</div>'


def folded(summary: str, *parts: str) -> str:
    """Parts behind a line that unfolds them."""
    return f'<details><summary class="uc-q">{text(summary, 120)}</summary>{"".join(parts)}</details>'


def quiet(words: str) -> str:
    """Return a line of minor importance as HTML."""
    return f'<p class="uc-q">{text(words, 200)}</p>'


def text(words: str, room: int = 60) -> str:
    """Words as text, never markup: escaped, without control characters, no longer than there is room.

    >>> text("<b>\\x1b", 20), text("a" * 100, 10)
    ('&lt;b&gt;\\ufffd', 'aaaaaaaaa\\u2026')
    """
    cut = words if len(words) <= room else f"{words[: room - 1]}\u2026"
    return html.escape("".join("\ufffd" if unicodedata.category(each) in _CONTROL else each for each in cut))


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Iterable[int] = (), most: int = _MOST_ROWS
) -> str:
    """Build a table of cells that are HTML already; the columns in `numbers` are aligned to the right."""
    right = set(numbers)
    starts = ['<td class="uc-n">' if place in right else "<td>" for place in range(max(map(len, rows), default=0))]
    top = "".join(f"<th>{head}</th>" for head in heads)
    cells = ("".join(f"{start}{cell}</td>" for start, cell in zip(starts, row, strict=False)) for row in rows[:most])
    lines = "".join(f"<tr>{line}</tr>" for line in cells)
    more = f'<p class="uc-q">and {len(rows) - most} more</p>' if len(rows) > most else ""
    return f"<table>{f'<tr>{top}</tr>' if any(heads) else ''}{lines}</table>{more}"


def bar(value: float, low: float, high: float, span: tuple[float, float] | None, baseline: float = math.nan) -> str:
    """Draw a value and its interval over a span, with a tick at the baseline; return "" without a value or a span."""
    if span is None or math.isnan(value) or not span[1] > span[0]:
        return ""
    value, low, high, tick = (_along(number, span) for number in (value, low, high, baseline))
    middle = _HIGH / 2
    parts = [f'<path d="M0 {middle}H{_WIDE}" stroke="currentColor" opacity=".25"/>']
    if not (math.isnan(low) or math.isnan(high)):
        line = f"M{low:.1f} {middle}H{max(high, low + 0.5):.1f}"
        parts.append(f'<path d="{line}" stroke="{_LINE}" stroke-width="4"/>')
    if not math.isnan(tick):
        parts.append(f'<path d="M{tick:.1f} 1V{_HIGH - 1}" stroke="currentColor" opacity=".8"/>')
    parts.append(f'<circle cx="{value:.1f}" cy="{middle}" r="3.2" fill="currentColor"/>')
    return f'<svg width="{_WIDE}" height="{_HIGH}" aria-hidden="true">{"".join(parts)}</svg>'


def roc(fpr: Sequence[float], tpr: Sequence[float], point: tuple[float, float] | None) -> str:
    """Draw a tiny ROC curve with the operating point."""
    line = " ".join(f"{_ROC * x:.1f},{_ROC * (1 - y):.1f}" for x, y in zip(fpr, tpr, strict=True))
    dot, said = "", "ROC curve"
    if point is not None:
        dot = f'<circle cx="{_ROC * point[0]:.1f}" cy="{_ROC * (1 - point[1]):.1f}" r="3.5" fill="{_POINT}"/>'
        said += f"; at the threshold FPR {point[0]:.3f}, TPR {point[1]:.3f}"
    return (
        f'<svg width="{_ROC + 2}" height="{_ROC + 2}" viewBox="-1 -1 {_ROC + 2} {_ROC + 2}" role="img" '
        f'aria-label="{said}"><rect width="{_ROC}" height="{_ROC}" fill="none" stroke="currentColor" opacity=".3"/>'
        f'<path d="M0 {_ROC}L{_ROC} 0" stroke="currentColor" opacity=".3" stroke-dasharray="2 3"/>'
        f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="1.8"/>{dot}</svg>'
    )


def matrix(cells: Sequence[str]) -> str:
    """Four counts, as text, in the order TP, FP, FN, TN."""
    tp, fp, fn, tn = (text(cell, 14) for cell in cells)
    rows = [["labelled +", f"<b>{tp}</b> TP", f"{fp} FP"], ["labelled \u2212", f"{fn} FN", f"<b>{tn}</b> TN"]]
    return table(["", "truly +", "truly \u2212"], rows)


def _along(number: float, span: tuple[float, float]) -> float:
    share = (number - span[0]) / (span[1] - span[0])
    return math.nan if math.isnan(share) else _WIDE * min(max(share, 0.0), 1.0)

"""Places that cases come from, on the terminal and in Markdown: each, the mean one and a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unconfuse._formatting import number_text, p_text
from unconfuse.cli._layout import Console, TerminalColumn, fit, harmless, say, shortened
from unconfuse.cli._output import markdown_text

if TYPE_CHECKING:
    from unconfuse.results.sites import PooledSites

_SHOWN = 40  # sites on a terminal; JSON holds all


def _lines(found: PooledSites) -> list[list[str]]:
    lines = []
    for row in found.rows():
        ends = "" if row["low"] != row["low"] else f"[{number_text(row['low'])}, {number_text(row['high'])}]"
        lines.append([row["site"], number_text(row["value"]), ends])
    if len(lines) > _SHOWN + 2:
        lines = [*lines[:_SHOWN], [f"({len(lines) - 2 - _SHOWN} more in --json)", "", ""], *lines[-2:]]
    return lines


def _title(found: PooledSites) -> str:
    return found.label if found.models is None else f"{found.label}, {' - '.join(found.models)}"


def sites_markdown(found: PooledSites) -> str:
    """Return one line for each site, then the mean and a new one."""
    return markdown_text(["Site", _title(found), f"{100 * found.confidence_level:.4g}% interval"], _lines(found))


def draw_sites(console: Console, found: PooledSites) -> None:
    """Draw one line for each site, then the mean and a new one, and how far sites differ."""
    say(console, f"\nBy site: {harmless(shortened(_title(found), 80))}", "bold")
    names, values, ends = zip(*_lines(found), strict=True)
    columns = [
        TerminalColumn("site", [shortened(harmless(each), 40) for each in names], narrowest=10),
        TerminalColumn("value", values, right=True),
        TerminalColumn(f"{100 * found.confidence_level:.4g}% interval", ends),
    ]
    fit(columns, console.width).draw_all(console)
    spread, words = found.spread, ""
    if spread.low == spread.low:
        words = f"95% of such sites lie between {number_text(spread.low)} and {number_text(spread.high)}. "
    tested = f"No difference but chance: {p_text(found.p_value)} ({found.test})." if found.n_sites > 1 else ""
    say(console, f"{words}{tested}", "dim")

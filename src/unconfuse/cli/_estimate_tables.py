"""What commands share whose result is a table of estimates: their options, how the result is shown, and places."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unconfuse._formatting import number_text, p_text
from unconfuse.cli._layout import Console, TerminalColumn, fit, harmless, say, shortened
from unconfuse.cli._options import Command, Words, together
from unconfuse.cli._output import (
    emit_result,
    markdown_text,
    output_options,
    plot_of,
    table_page_options,
    write_table_page,
    wrote,
)

if TYPE_CHECKING:
    from unconfuse.results.pooled_sites import PooledSites

_SITES = 40  # on a terminal; JSON holds all
_NAMES = 16  # cells to which the names of lines may be wrapped
Table = tuple[Sequence[str], Sequence[Sequence[str]]]  # heads, and lines under them


def interval_cell(row: Mapping[str, Any]) -> str:
    """Return the interval of a row as a cell; nothing where there is none."""
    return "" if math.isnan(row["low"]) else f"[{number_text(row['low'])}, {number_text(row['high'])}]"


def result_options(drawn: str) -> Callable[[Command], Command]:
    """Options of where the result goes: a picture of what is `drawn`, a page, the terminal or a file."""
    return together(plot_of(drawn), table_page_options, output_options)


def show(
    found: Any,
    output: Words,
    table: Callable[[Any], Table],
    below: Callable[[Console, Any], None] | None = None,
    *,
    plan: Any = None,
    kind: str | None = None,
    **more: Any,
) -> None:
    """Draw the picture (of a `kind`, if there are several), write the page, and print findings, table and plan.

    Terminals and Markdown have the same table; a terminal says more `below` it, JSON holds `more`.
    """
    if output["plot"] is not None:
        found.plot(output["plot"], **({} if kind is None else {"kind": kind}))
        wrote(output["plot"])
    write_table_page(found, output)

    def draw(console: Console, result: Any) -> None:
        _say_findings(console, _findings(result))
        draw_table(console, *table(result), narrowest=_NAMES)
        if below is not None:
            below(console, result)
        if plan is not None:
            say(console)
            say(console, plan.sentence, "bold")

    more |= {} if plan is None else {"plan": plan.as_dict()}
    emit_result(output, found, lambda result: markdown_text(*table(result), _findings(result)), draw, **more)


def _findings(found: Any) -> list[Any]:
    """Return the sentences of a result, or itself where it has but one."""
    return list(getattr(found, "findings", ())) or [found]


def _say_findings(console: Console, findings: Sequence[Any]) -> None:
    """Say the first finding in bold, and warnings in their colour."""
    for place, finding in enumerate(findings):
        style = "yellow" if getattr(finding, "verdict", "") == "warning" else "" if place else "bold"
        say(console, harmless(finding.sentence), style)
    say(console)


def draw_table(
    console: Console, heads: Sequence[str], lines: Sequence[Sequence[str]], narrowest: int | None = None
) -> None:
    """Draw lines under their heads; the first column names them, and may be wrapped to `narrowest` cells."""
    if not lines:
        return
    first, *others = zip(heads, zip(*lines, strict=True), strict=True)
    columns = [TerminalColumn(*first, narrowest=narrowest), *(TerminalColumn(*each) for each in others)]
    fit(columns, console.width).draw_all(console)


def _site_lines(found: PooledSites) -> list[list[str]]:
    lines = [[row["site"], number_text(row["value"]), interval_cell(row)] for row in found.rows()]
    if len(lines) > _SITES + 2:
        lines = [*lines[:_SITES], [f"({len(lines) - 2 - _SITES} more in --json)", "", ""], *lines[-2:]]
    return lines


def _sites_title(found: PooledSites) -> str:
    return found.label if found.models is None else f"{found.label}, {' - '.join(found.models)}"


def sites_markdown(found: PooledSites) -> str:
    """Return one line for each site, then the mean and a new one."""
    return markdown_text(
        ["Site", _sites_title(found), f"{100 * found.confidence_level:.4g}% interval"], _site_lines(found)
    )


def draw_sites(console: Console, found: PooledSites) -> None:
    """Draw one line for each site, then the mean and a new one, and how far sites differ."""
    say(console, f"\nBy site: {harmless(shortened(_sites_title(found), 80))}", "bold")
    names, values, ends = zip(*_site_lines(found), strict=True)
    columns = [
        TerminalColumn("site", [shortened(harmless(name), 40) for name in names], narrowest=10),
        TerminalColumn("value", values, right=True),
        TerminalColumn(f"{100 * found.confidence_level:.4g}% interval", ends),
    ]
    fit(columns, console.width).draw_all(console)
    spread, words = found.spread, ""
    if spread.low == spread.low:
        words = f"95% of such sites lie between {number_text(spread.low)} and {number_text(spread.high)}. "
    tested = f"No difference but chance: {p_text(found.p_value)} ({found.test})." if found.n_sites > 1 else ""
    say(console, f"{words}{tested}", "dim")

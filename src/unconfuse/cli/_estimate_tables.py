"""What commands share whose result is a table of estimates: their options, and how the result is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unconfuse.cli._layout import Console, TerminalColumn, fit, harmless, say
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

_NAMES = 16  # cells to which the names of lines may be wrapped
Table = tuple[Sequence[str], Sequence[Sequence[str]]]  # heads, and lines under them


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
    for place, each in enumerate(findings):
        style = "yellow" if getattr(each, "verdict", "") == "warning" else "" if place else "bold"
        say(console, harmless(each.sentence), style)
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

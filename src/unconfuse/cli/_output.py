"""Where results go: to the terminal, or whole into a file."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unconfuse._files import write_whole
from unconfuse._plain import plain_json
from unconfuse.cli._text import in_encoding

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100
Draw = Callable[["Console"], None]


def emit(
    *,
    payload: Any,
    rows: Sequence[dict[str, Any]],
    markdown: Callable[[], str],
    draw: Draw,
    form: str,
    as_json: bool,
    output: str | None,
) -> None:
    """Print one result in the form that was asked for; nothing is written unless all of it can be."""
    chosen = "json" if as_json else form
    if chosen == "table":
        _emit_table(draw, output)
        return
    text = {"json": lambda: json_text(payload), "csv": lambda: csv_text(rows), "markdown": markdown}[chosen]()
    _emit_text(text, output)


def json_text(payload: Any) -> str:
    """Strict JSON: NaN as null, infinities as text, whole numbers without a point."""
    return json.dumps(_whole(plain_json(payload)), indent=2, allow_nan=False) + "\n"


def csv_text(rows: Sequence[dict[str, Any]]) -> str:
    """One line for each row, with a header; missing values are empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: "" if value is None or is_nan(value) else value for key, value in row.items()})
    return text.getvalue()


def markdown_text(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; text from outside cannot break out of its cell."""
    table = [heads, ["---"] * len(heads), *lines]
    return "".join("| " + " | ".join(map(_markdown_cell, line)) + " |\n" for line in table)


def is_nan(value: Any) -> bool:
    """Whether this is the number that stands for "undefined"."""
    return isinstance(value, float) and math.isnan(value)


def _markdown_cell(text: str) -> str:
    for raw, escaped in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("\n", " ")):
        text = text.replace(raw, escaped)
    return text


def _whole(value: Any) -> Any:
    """Counts that are whole numbers as such: 208, not 208.0. Estimates stay as they are."""
    if isinstance(value, dict):
        return {key: each if key == "metrics" else _whole(each) for key, each in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _emit_table(draw: Draw, output: str | None) -> None:
    """Colour and the width of the window on a terminal; elsewhere plain text without trailing blanks."""
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False)
    if output is None and console.is_terminal:
        console.width = min(console.width, WIDTH)
        with console.capture() as drawn:
            draw(console)
        _emit_text(drawn.get(), None)
        return
    console = Console(
        file=io.TextIOWrapper(io.BytesIO(), encoding=_encoding() if output is None else "utf-8"),
        width=WIDTH,
        markup=False,
        highlight=False,
        emoji=False,
        force_terminal=False,
    )
    with console.capture() as drawn:  # the file is never written: it only says which characters the output can hold
        draw(console)
    _emit_text("".join(f"{line.rstrip()}\n" for line in drawn.get().split("\n")[:-1]), output)


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _emit_text(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(in_encoding(text, _encoding()))
        return
    write_whole(Path(output), text)

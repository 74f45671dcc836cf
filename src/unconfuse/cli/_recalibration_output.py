"""Maps of probabilities on the command line: what a repair shows, and how a map is applied to new rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unconfuse._formatting import number_text
from unconfuse.cli import _options, _output
from unconfuse.cli._layout import Console, TerminalColumn, fit, harmless, say
from unconfuse.cli._options import Words

if TYPE_CHECKING:
    from unconfuse.results.recalibration import Recalibration
    from unconfuse.uncertainty import Estimate

_MENDED = "recalibrated"


def draw_repair(console: Console, found: Recalibration) -> None:
    """Print what was chosen, then the losses before and after."""
    for finding in found.findings:
        say(console, harmless(finding.sentence), "bold" if finding is found.findings[0] else "yellow")
    heads, lines = repair_table(found)
    say(console)
    names, *cells = zip(*lines, strict=True)
    columns = [TerminalColumn("", list(names), narrowest=20)]
    columns += [TerminalColumn(head, list(cell)) for head, cell in zip(heads[1:], cells, strict=True)]
    fit(columns, console.width).draw_all(console)


def repair_table(found: Recalibration) -> tuple[list[str], list[list[str]]]:
    """One line for each metric: before, after, and what is gained."""
    lines = [
        [old.label, _cell(old), _cell(found.after[name]), _cell(found.gain.get(name))]
        for name, old in found.before.items()
    ]
    return ["", "before", "after", "gain"], lines


def _cell(each: Estimate | None) -> str:
    return "" if each is None else f"{number_text(each.value)} {each.interval_text}".strip()


def text_of(path: str) -> str:
    """Return the JSON text of a file, which may be a pipe and is read once; or its path, for a reader to complain."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return path
    return text if text.lstrip().startswith("{") else path


def is_map(source: str) -> bool:
    """Whether the text says that it is a map of probabilities."""
    from unconfuse._formatting import read_json
    from unconfuse.recalibration.saved_map import FORMAT

    try:
        content = read_json(source)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def apply_map(source: str, data: Words, rule: str | None, path: str | None) -> None:
    """Print the rows with mended probabilities beside them."""
    from unconfuse.ingest.read_columns import read_columns
    from unconfuse.recalibration.saved_map import read_recalibration

    probability_map = read_recalibration(source)
    labels = {name: data.pop(name) or None for name in ("label", "positive", "negative", "rest_negative")}
    _options.refuse({"rule": rule, **labels}, "is for a threshold card, and this is a map of probabilities.")
    if probability_map.several and data["scores"] is None:
        raise click.UsageError("the map is of several classes. Hint: give --scores PATTERN, such as 'p_*'.")
    if not probability_map.several:
        _options.refuse({"scores": data["scores"]}, "is for a map of several classes. Hint: give --score COLUMN.")
    rows = read_columns(_options.described(data), as_written=True)
    _output.emit_beside(rows, data["id"], _mended(probability_map, rows), path)


def _mended(found: Any, rows: Any) -> dict[str, Any]:
    if not found.several:
        (values,) = rows.numbers.values()
        return {_MENDED: found(values)}
    mended = found({name: rows.numbers[column] for name, column in rows.classes.items()})
    return {f"{_MENDED}_{name}": mended[:, place] for place, name in enumerate(found.classes)}

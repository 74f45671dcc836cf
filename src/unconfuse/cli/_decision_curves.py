"""`compare --decision-curve`: where one model is larger net benefit than another, over threshold probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._formatting import number_text
from unconfuse.cli._layout import Console, TerminalColumn, fit, harmless, say
from unconfuse.cli._options import Words
from unconfuse.cli._output import emit, markdown_text

if TYPE_CHECKING:
    from unconfuse.results import Comparison
    from unconfuse.results.decision_curve_difference import DecisionCurveContrast

_SHOWN = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75)
_HEADS = ("threshold", "difference", "interval", "larger net benefit")


def emit_decision_curves(result: Comparison, pairs: list[tuple[str, str]], output: Words, source: str) -> None:
    """Every pair's difference in net benefit, on all surfaces."""
    found = [result.decision_curve(*pair) for pair in pairs]
    payload = {"source": source, "n": result.n, "positives": result.positives}
    rows = [{"first": each.first, "second": each.second, **row} for each in found for row in each.rows()]
    markdown = "\n".join(markdown_text(_HEADS, _lines(each), [each]) for each in found)
    told = payload | {"decision_curves": [each.as_dict() for each in found]}
    emit(output, told, rows, markdown, lambda console: _draw(console, found))


def _lines(found: DecisionCurveContrast) -> list[list[str]]:
    lines = []
    for row in found.rows():
        if row["threshold"] in _SHOWN:
            wins = found.first if row["low"] > 0 else found.second if row["high"] < 0 else ""
            ends = f"[{number_text(row['low'])}, {number_text(row['high'])}]"
            lines.append([f"{row['threshold']:g}", number_text(row["difference"]), ends, wins])
    return lines


def _draw(console: Console, found: list[DecisionCurveContrast]) -> None:
    for each in found:
        say(console, f"{harmless(each.sentence)}\n", "bold")
        cells: Any = list(zip(*_lines(each), strict=True))
        sides = (True, True, False, False)
        columns = [
            TerminalColumn(head, list(own), right=side) for head, own, side in zip(_HEADS, cells, sides, strict=True)
        ]
        fit(columns, console.width).draw_all(console)
    say(
        console,
        "\nNet benefit of the first model minus that of the second, true positives per case net of false ones, which "
        "weigh as the threshold says. The band holds everywhere at once; --format csv has every threshold.",
        "dim",
    )

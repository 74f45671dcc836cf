"""Writes the table of errata from the reproductions themselves: what was printed, and what we compute."""

from __future__ import annotations

from pathlib import Path

from unconfuse._formatting import number_text
from unconfuse.reproduce import REPRODUCTIONS

TEXTS = {"chapter": "Textbook chapter", "fund": "Lecture notes (Fund)", "demortier": "Demortier", "sumpter": "Sumpter"}


def write_errata(folder: Path) -> None:
    """The table `errata-table.md`, included by the page of errata."""
    lines = ["| text | quantity | printed | computed | why |", "|---|---|---|---|---|"]
    for name, text in TEXTS.items():
        for row in REPRODUCTIONS[name].run().rows:
            if row.erratum:
                printed = "" if row.published is None else number_text(row.published)
                lines.append(f"| {text} | {row.quantity} | {printed} | {number_text(row.ours)} | {row.note} |")
    (folder / "errata-table.md").write_text("\n".join(lines) + "\n", encoding="utf-8")

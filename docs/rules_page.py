"""Writes the table of threshold rules from their registry."""

from __future__ import annotations

from pathlib import Path

from unconfuse.thresholds.rules import RULES


def table_of_rules() -> str:
    """Return one row for each way to choose a threshold."""
    rows = [f"| {each.shown} | {each.chooses} | {each.good_for} |" for each in RULES]
    return "\n".join(["| name | chooses | good for |", "|---|---|---|", *rows]) + "\n"


def write_rules(folder: Path) -> None:
    """The table `threshold-rules.md`, included by the page of thresholds."""
    (folder / "threshold-rules.md").write_text(table_of_rules(), encoding="utf-8")

"""Rows of a result as CSV text that a spreadsheet opens and does not run."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from unconfuse._formatting import columns_in

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line for each row, with a header.

    >>> csv_text([{"metric": "=1+1", "value": -0.5, "low": None}])
    "metric,value,low\\n'=1+1,-0.5,\\n"
    """
    heads = columns_in(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_cell(name) for name in heads])
    writer.writerows([_cell(row.get(name)) for name in heads] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Text that a spreadsheet would take for a formula is marked as text."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value

"""What a Spark frame must hold: columns of the right type, labels in every row, ids once, and no bad rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._validate import Skipped, brief, check_not_empty
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_errors import asked
from unconfuse.ingest.columns import Chosen

_NUMBERS = ("byte", "short", "integer", "long", "float", "double", "boolean")


def check_types(frame: Any, chosen: Chosen, text: bool) -> None:
    types = {each.name: each.dataType.typeName() for each in frame.schema.fields}
    for name in dict.fromkeys(chosen.numbers.values()):
        kind = types[name]
        if not (kind in _NUMBERS or kind.startswith("decimal") or (text and kind == "string")):
            raise InputError(
                f"column {brief(name)} must hold numbers; Spark says that it holds {kind}. "
                "Hint: convert it to double first, or choose another column."
            )
    if types[chosen.label] in ("array", "map", "struct", "binary", "variant"):
        kind = types[chosen.label]
        raise InputError(f"column {brief(chosen.label)} cannot hold labels: Spark says that it holds {kind}.")


def refuse_repeated_ids(frame: Any, name: str) -> None:
    """The same case twice would count as two: refuse it by name."""
    column = sql.quoted(name)
    query = f"SELECT CAST({column} AS STRING) AS id, count(*) AS n FROM {{rows}} GROUP BY 1 HAVING n > 1 LIMIT 1"
    twice = asked(frame, query, rows=frame)
    if len(twice["n"]):
        raise InputError(
            f"column {brief(name)} holds {brief(twice['id'][0])} {twice['n'][0]} times. "
            "Hint: keep one row for each case, or name the column as the group."
        )


def labels_of(frame: Any, name: str, *, skips: bool, most: int = 101) -> tuple[dict[Any, int], int]:
    """The labels (the first of them, in order) with their numbers of rows, and the number of all rows."""
    groups = f"SELECT {sql.quoted(name)} AS label, count(*) AS n FROM {{rows}} GROUP BY 1"
    query = f"SELECT *, sum(n) OVER () AS total FROM ({groups}) ORDER BY label NULLS FIRST LIMIT {most + 1}"
    found = asked(frame, query, rows=frame)
    counts = dict(zip(_python_values(found["label"]), found["n"].tolist(), strict=True))
    n_rows = int(found["total"][0]) if counts else 0
    check_not_empty(n_rows)
    missing = [label for label in counts if label is None or label != label or str(label).strip() == ""]  # noqa: PLR0124
    rows = sum(counts.pop(label) for label in missing)
    if rows and not skips:
        hint = "Hint: drop those rows or label them, or pass on_bad_row='skip'."
        raise InputError(f"column {brief(name)} has missing values: {rows} of {n_rows} rows. {hint}")
    return counts, n_rows


def _python_values(column: Any) -> list[Any]:
    return [each.item() if isinstance(each, np.generic) else each for each in column]


def without_bad_rows(kept: Any, chosen: Chosen) -> tuple[Any, Skipped]:
    """Rows that can be used, and how many cannot and why."""
    reason = sql.bad_rows(
        len(chosen.scores), weighted=chosen.weight is not None, has_units=bool(chosen.group or chosen.id)
    )
    found = asked(kept, f"SELECT {reason} AS reason, count(*) AS n FROM {{rows}} GROUP BY 1", rows=kept)
    skipped = Skipped.of({why: int(n) for why, n in zip(found["reason"], found["n"], strict=True) if why})
    return kept.where(f"{reason} = ''"), skipped


def refuse_bad_rows(found: Mapping[str, Any], chosen: Chosen, n_rows: int, *, can_skip: bool = True) -> None:
    """The first kind of bad row, with how many there are and what was found in them."""
    bad = np.flatnonzero(found["problem"] > 0)
    if not len(bad):
        return
    worst = min(bad, key=lambda row: (found["problem"][row], found["model"][row], str(found["low"][row])))
    code, model = int(found["problem"][worst]), found["model"][worst]
    rows = sum(found["positives"][row] for row in bad if found["problem"][row] == code and found["model"][row] == model)
    role, what, hint = sql.PROBLEMS[code]
    score = list(chosen.scores.values())[int(model)]
    name = {"weight": chosen.weight, "unit": chosen.group or chosen.id}.get(role, score)
    example = found["text"][worst] if code == 4 else float(found["low"][worst])
    seen = f", such as {brief(example)}" if code in (2, 3, 4, 6) else ""
    instead = ", or pass on_bad_row='skip'" if can_skip else ""
    raise InputError(f"column {brief(name)} {what}: {rows:.0f} of {n_rows} rows{seen}. Hint: {hint}{instead}.")

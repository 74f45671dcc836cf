"""The query that makes a score table where the rows are: one row for each distinct score, for any warehouse.

Missing labels and scores are left out; NaN counts as missing; -0.0 is 0. The result, as CSV, is what `evaluate` takes:
a column of scores, one for each class, and the columns of subgroups; of bins also their highest score, so that what is
approximate says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._validate import check_whole


@dataclass(frozen=True)
class Dialect:
    """What differs between warehouses."""

    double: str  # the type of a floating-point number of 8 bytes
    quote: str = '"'
    apostrophe: str = "''"  # within a text
    nested: str = ""  # before the quote within a name; the quote again where nothing is said
    nan: str | None = None  # a condition that is true for NaN, with {} for the number; None where there is none
    floor: str = "FLOOR({})"  # of a number of 0 or more
    executed: bool = False  # whether the tests run it on the engine itself


DIALECTS = {
    "duckdb": Dialect("DOUBLE", nan="isnan({})", executed=True),
    "postgres": Dialect("DOUBLE PRECISION", nan="{} = 'NaN'::DOUBLE PRECISION", executed=True),
    "sqlite": Dialect("REAL", floor="CAST({} AS INTEGER)", executed=True),
    "spark": Dialect("DOUBLE", quote="`", apostrophe="\\'", nan="isnan({})", executed=True),
    "snowflake": Dialect("DOUBLE", nan="{} = 'NaN'::DOUBLE"),
    "bigquery": Dialect("FLOAT64", quote="`", apostrophe="\\'", nested="\\", nan="IS_NAN({})"),
    "databricks": Dialect("DOUBLE", quote="`", apostrophe="\\'", nan="isnan({})"),
    "redshift": Dialect("DOUBLE PRECISION", nan="{} = 'NaN'::DOUBLE PRECISION"),
}


def score_table_query(
    dialect: str,
    table: str,
    *,
    label: str,
    score: str,
    positive: str = "1",
    by: Sequence[str] = (),
    bins: int | None = None,
) -> str:
    """Write a SELECT that makes the score table of some columns in a warehouse.

    Parameters
    ----------
    dialect : {"duckdb", "postgres", "sqlite", "spark", "snowflake", "bigquery", "databricks", "redshift"}
    table, label, score : str
        A table (with its schema, if it has one, after a dot) and its columns.
    positive : str
        The positive label, as text; all other labels are negative.
    by : sequence of str
        Columns of subgroups.
    bins : int, optional
        Join scores in [0, 1] that lie in the same of so many steps: a smaller, approximate table.

    Examples
    --------
    >>> print(score_table_query("duckdb", "visits", label="ill", score="risk", positive="yes"))
    SELECT s + 0.0 AS "score",
           SUM(CASE WHEN y = 'yes' THEN 1 ELSE 0 END) AS "positives",
           SUM(CASE WHEN y = 'yes' THEN 0 ELSE 1 END) AS "negatives"
    FROM (
      SELECT CAST("risk" AS DOUBLE) AS s, CAST("ill" AS VARCHAR) AS y
      FROM "visits"
      WHERE "risk" IS NOT NULL AND "ill" IS NOT NULL
    ) AS cases
    WHERE NOT (isnan(s))
    GROUP BY s + 0.0
    ORDER BY 1 DESC
    """
    if dialect not in DIALECTS:
        raise ArgumentError(f"unknown dialect {dialect!r}. {did_you_mean(dialect, DIALECTS)}")
    words = DIALECTS[dialect]
    _refuse_names(by, bins)
    groups = [_name(each, words) for each in by]
    s, y = (_free(name, by) for name in "sy")
    shown = [f"{group}," for group in groups]
    value, bin_of = f"{s} + 0.0", f"{s} + 0.0"
    if bins is not None:
        value = f"MIN({s}) + 0.0 AS {_name('score', words)}, MAX({s}) + 0.0"
        bin_of = words.floor.format(f"{s} * {check_whole(bins, 'bins', at_least=1)}")
    named = _name("score" if bins is None else "highest", words)
    is_positive = f"{y} = {_text(positive, words)}"
    keys = ", ".join([*groups, bin_of])
    inner = "".join(f", {group}" for group in groups)
    column, truth = _name(score, words), _name(label, words)
    lines = [
        f"SELECT {' '.join([*shown, value])} AS {named},",
        f"       SUM(CASE WHEN {is_positive} THEN 1 ELSE 0 END) AS {_name('positives', words)},",
        f"       SUM(CASE WHEN {is_positive} THEN 0 ELSE 1 END) AS {_name('negatives', words)}",
        "FROM (",
        f"  SELECT CAST({column} AS {words.double}) AS {s}, CAST({truth} AS {_text_type(dialect)}) AS {y}{inner}",
        f"  FROM {'.'.join(_name(each, words) for each in table.split('.'))}",
        f"  WHERE {column} IS NOT NULL AND {truth} IS NOT NULL",
        ") AS cases",
        *([] if words.nan is None else [f"WHERE NOT ({words.nan.format(s)})"]),
        f"GROUP BY {keys}",
        f"ORDER BY {len(groups) + 1} DESC",
    ]
    return "\n".join(lines)


def _refuse_names(by: Sequence[str], bins: int | None) -> None:
    """Refuse a column of subgroups that is named like another or like a column of the result."""
    known = [each.lower() for each in by]
    taken = {"score", "positives", "negatives", *(["highest"] if bins is not None else [])}
    twice = [each for place, each in enumerate(known) if each in taken or each in known[:place]]
    if twice:
        hint = "Hint: rename it in a view."
        raise ArgumentError(f"the result would have two columns called {twice[0]!r}: one is of subgroups. {hint}")


def _free(name: str, by: Sequence[str]) -> str:
    """Return a name within the query that no column of subgroups has; warehouses do not tell capitals apart."""
    while name in {each.lower() for each in by}:
        name += "_"
    return name


def _text_type(dialect: str) -> str:
    return {"spark": "STRING", "bigquery": "STRING", "databricks": "STRING", "sqlite": "TEXT"}.get(dialect, "VARCHAR")


def _name(name: str, words: Dialect) -> str:
    """Return a quoted name: text, whatever it holds."""
    if not name or "\0" in name:
        raise ArgumentError(f"{name!r} is not the name of a table or column.")
    if "\\" in name:
        raise ArgumentError("a name with a backslash is written differently in every warehouse. Hint: use a view.")
    quote = words.quote
    return f"{quote}{name.replace(quote, (words.nested or quote) + quote)}{quote}"


def _text(value: str, words: Dialect) -> str:
    if "\\" in value or "\0" in value:
        raise ArgumentError(
            "a label with a backslash is written differently in every warehouse. Hint: recode it first."
        )
    return "'" + value.replace("'", words.apostrophe) + "'"

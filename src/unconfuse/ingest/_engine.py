"""The embedded engine: reads one file after the other into typed columns, and says what is wrong with a file."""

from __future__ import annotations

import csv
import tempfile
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._labels import positives_among
from unconfuse._validate import Place, as_numbers, as_weights, brief, refuse_rows
from unconfuse.ingest._refusals import explained, text_in_parquet
from unconfuse.ingest._sniff import Source
from unconfuse.ingest._sql import csv_header, csv_reader, json_reader, parquet_reader, quoted
from unconfuse.ingest.arrays import group_codes
from unconfuse.ingest.columns import Chosen
from unconfuse.table import Scores


class Engine:
    """A private in-memory database that holds the rows read so far, in order."""

    def __init__(self) -> None:
        import duckdb

        self._failure = duckdb.Error
        self._database = duckdb.connect(
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "temp_directory": str(Path(tempfile.gettempdir(), "unconfuse-spill")),  # not the caller's folder
            }
        )
        self._starts: list[int] = []
        self._names: list[str] = []

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def column_names(self, source: Source, delimiter: str | None) -> list[str]:
        """The columns of a file, as it names them."""
        try:
            if source.format == "csv":
                return csv_header(self._database, source, delimiter)[0]
            reader = json_reader(source, None) if source.format == "json" else parquet_reader(source)
            described = self._database.execute(f"DESCRIBE SELECT * FROM {reader}").fetchall()
        except (self._failure, UnicodeDecodeError, csv.Error) as error:
            raise explained(error, source, []) from None
        if source.format == "json" and [row[0] for row in described] == ["json"]:  # lines that are not objects
            raise explained(ValueError("JSON"), source, [])
        return [str(row[0]) for row in described]

    def load(self, source: Source, names: Sequence[str], chosen: Chosen, delimiter: str | None) -> None:
        """Append the rows of one file: numbers as DOUBLE and names as text, never as the engine would guess."""
        selected, reader = self._reader(source, names, chosen, delimiter)
        start = self._count() if self._starts else 0
        into = "INSERT INTO kept" if self._starts else "CREATE TEMP TABLE kept AS"
        try:
            self._database.execute(f"{into} SELECT {selected} FROM {reader}")
        except self._failure as error:
            if source.format == "parquet":
                text_in_parquet(self._database, source, chosen)
            raise explained(error, source, names) from None
        self._starts.append(start)
        self._names.append(source.name)

    def rows(self, chosen: Chosen, positive: object) -> Scores:
        """Everything read so far, checked."""
        if self._count() == 0:
            raise InputError(f"{self._names[0]} has column names but no rows. Hint: check how the file was written.")
        if chosen.id is not None:
            self._refuse_duplicated_ids(chosen.id)
        is_positive, label = self._is_positive(chosen.label, positive)
        numbers = {role: self._column(role) for role in chosen.numbers}
        scores = {
            model: as_numbers(numbers[f"score {position}"], self._place(name))
            for position, (model, name) in enumerate(chosen.scores.items())
        }
        weights = None if chosen.weight is None else as_weights(numbers["weight"], self._place(chosen.weight))
        groups = None if chosen.group is None else group_codes(self._column("group"), self._place(chosen.group))
        return Scores(is_positive, scores, weights, groups, label)

    def names(self, role: str, name: str) -> npt.NDArray[Any]:
        """A column of names as text, none of them missing."""
        missing = self._fetch(f"{quoted(role)} IS NULL OR trim({quoted(role)}) = ''")
        refuse_rows(missing, self._place(name), "has missing values", "drop those rows or label them")
        return self._column(role)

    def numbers(self, role: str, name: str) -> npt.NDArray[np.float64]:
        """A column of finite numbers."""
        return as_numbers(self._column(role), self._place(name))

    def _reader(
        self, source: Source, names: Sequence[str], chosen: Chosen, delimiter: str | None
    ) -> tuple[str, str]:
        """What to select, and from what."""
        if source.format == "csv":
            column = {name: f"c{position}" for position, name in enumerate(names)}
            reader = csv_reader(source, csv_header(self._database, source, delimiter), chosen)
        else:
            column = {name: name for name in names}
            reader = json_reader(source, chosen) if source.format == "json" else parquet_reader(source)
        texts = [f"CAST({quoted(column[name])} AS VARCHAR) AS {quoted(role)}" for role, name in chosen.texts.items()]
        numbers = [f"CAST({quoted(column[name])} AS DOUBLE) AS {quoted(role)}" for role, name in chosen.numbers.items()]
        return ", ".join(texts + numbers), reader

    def _is_positive(self, name: str, positive: object) -> tuple[npt.NDArray[np.bool_], object]:
        missing = self._fetch('"label" IS NULL OR trim("label") = \'\'')
        refuse_rows(missing, self._place(name), "has missing values", "drop those rows or label them")
        found = self._database.execute('SELECT DISTINCT "label" FROM kept ORDER BY 1 LIMIT 101').fetchall()
        chosen = positives_among([row[0] for row in found], positive)
        return self._fetch('list_contains(?, "label")', [[str(label) for label in chosen]]), chosen[0]

    def _refuse_duplicated_ids(self, name: str) -> None:
        twice = self._database.execute(
            'SELECT "id", min(rowid), max(rowid) FROM kept GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 LIMIT 1'
        ).fetchone()
        if twice:
            raise InputError(
                f"column {brief(name)} holds {brief(twice[0])} more than once: {self._where([twice[1]])} and "
                f"{self._where([twice[2]])}. Hint: keep one row for each case, or name the column as the group."
            )

    def _column(self, role: str) -> npt.NDArray[Any]:
        return self._fetch(quoted(role))

    def _fetch(self, expression: str, given: Sequence[Any] = ()) -> npt.NDArray[Any]:
        """One column in the order in which rows were read; missing numbers become NaN, missing names None."""
        query = f"SELECT {expression} AS one FROM kept"
        column = self._database.execute(query, list(given)).fetchnumpy()["one"]
        values: npt.NDArray[Any] = np.ma.getdata(column)
        if np.ma.is_masked(column):
            values[np.ma.getmaskarray(column)] = np.nan if values.dtype.kind == "f" else None
        return values

    def _count(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM kept").fetchall()[0][0])

    def _place(self, name: str) -> Place:
        return Place(f"column {brief(name)}", self._where)

    def _where(self, rows: Sequence[int]) -> str:
        """Rows in words: of the file that holds the first of them, counted from 1 without the header."""
        file = bisect_right(self._starts, rows[0]) - 1
        end = self._starts[file + 1] if file + 1 < len(self._starts) else float("inf")
        own = [row - self._starts[file] + 1 for row in rows if self._starts[file] <= row < end]
        shown = ", ".join(map(str, own[:5])) + (", ..." if len(own) > 5 else "")
        return f"row {shown} of {self._names[file]} (counted from 1, without the header)"

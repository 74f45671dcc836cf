"""One pass over files: the engine reads, casts and compares labels; our kernels sort and add up.

Where scores repeat a lot, the engine adds up rows itself and hands over the few sums. Otherwise it hands over slices of
numbers, which are collapsed and merged: several times faster than a GROUP BY of the engine, and smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._validate import NOT_A_NUMBER, UNREADABLE, Skipped, brief
from unconfuse.ingest._adding import Adding, BadRowError
from unconfuse.ingest._bad_rows import first_text, refuse_bad_rows, refuse_duplicated_ids
from unconfuse.ingest._codes import Codes, first_guess, full
from unconfuse.ingest._engine import Engine
from unconfuse.ingest._parts import Part
from unconfuse.ingest._refusals import explained
from unconfuse.ingest._sql import quoted, text
from unconfuse.ingest._stream import Slice
from unconfuse.ingest.by import division_of
from unconfuse.ingest.reading import Reading
from unconfuse.ingest.tables import Tables
from unconfuse.table import Division, Scores

_LOOKED_AT = 50_000  # rows, to see whether scores repeat
_FEW = 0.1  # distinct scores among them, as a share
_TYPES: dict[str, Any] = {"label": np.uint8, "text": np.uint8, "group": np.int64}


def _type(role: str) -> Any:
    """Of a column that the engine hands over."""
    return np.int64 if role.startswith("by ") else _TYPES.get(role, np.float64)


class Scan:
    """Files that are open for reading, with the columns that matter."""

    def __init__(self, engine: Engine, parts: Sequence[Part], how: Reading) -> None:
        self._engine, self._parts, self._how = engine, parts, how
        self._chosen = parts[0].chosen
        self._skip = how.on_bad_row == "skip"
        self._roles = [role for role in self._chosen.numbers if role != "weight"]
        self._named_roles = [role for role in self._chosen.texts if role == "group" or role.startswith("by ")]
        self._names: dict[str, npt.NDArray[Any]] = {}
        self._passes = 0

    def rows(self) -> Scores:
        """Every row, in the order of the files."""
        adding, label = self._guarded(lambda: self._settled(keep_rows=True))
        columns = adding.columns()
        scores = {model: columns[role] for model, role in zip(self._chosen.scores, self._roles, strict=True)}
        groups = np.unique(columns["group"], return_inverse=True)[1].astype(np.int64) if "group" in columns else None
        return Scores(
            columns["label"],
            scores,
            columns.get("weight"),
            groups,
            label,
            self._left_out(adding),
            self._division(columns),
        )

    def tables(self) -> Tables:
        """One score table for each model, from one pass."""
        adding, label = self._guarded(lambda: self._settled(keep_rows=False))
        tables = dict(zip(self._chosen.scores, adding.tables(), strict=True))
        if self._chosen.weight is not None and not len(next(iter(tables.values()))):
            raise InputError(
                f"column {brief(self._chosen.weight)} is zero in every row. "
                "Hint: give at least one case a weight above 0."
            )
        return Tables(tables, label, self._left_out(adding), adding.has_fractions)

    def _guarded(self, work: Callable[[], tuple[Adding, object]]) -> tuple[Adding, object]:
        """What is wrong with a file in words that name file, row, column and text."""
        try:
            return work()
        except BadRowError:
            refuse_bad_rows(self._engine, self._parts)
            raise
        except self._engine.failure as error:
            first_text(self._engine, self._parts)
            sources = [source for part in self._parts for source in part.sources]
            raise explained(error, sources, list(self._parts[0].types)) from None

    def _settled(self, *, keep_rows: bool) -> tuple[Adding, object]:
        """Read with a guess of what the labels are; again only if the guess was wrong."""
        if self._chosen.id is not None:
            refuse_duplicated_ids(self._engine, self._parts)
        if keep_rows:
            self._name_groups()
        codes = first_guess(self._engine, self._parts, self._how.positive, lenient=self._skip)
        while True:
            adding = self._read(codes, keep_rows=keep_rows)
            if not adding.rows and not adding.skipped:
                name = self._parts[0].sources[0].name
                raise InputError(f"{name} has column names but no rows. Hint: check how the file was written.")
            again, label = codes.settled(adding.seen, self._how.positive)
            if again is None:
                return adding, label
            codes = again if again.texts else full(self._engine, self._parts, self._how.positive, lenient=self._skip)

    def _read(self, codes: Codes, *, keep_rows: bool) -> Adding:
        self._passes += 1
        adding = Adding(codes.is_meant(), self._roles, skip=self._skip, keep_rows=keep_rows)
        query, names = self._selection(codes, keep_rows)
        total = self._count() if self._how.progress is not None else 0
        for part in self._slices(query, names, few=not keep_rows and self._scores_repeat()):
            adding.add(part)
            if self._how.progress is not None:
                self._how.progress(adding.rows, total)
        return adding

    def _slices(self, query: str, names: Sequence[str], *, few: bool) -> Iterator[Slice]:
        """Rows as they are read; or, if few scores stand for many rows, their sums all at once."""
        if few:
            yield self._engine.columns(f"SELECT *, CAST(count(*) AS BIGINT) AS rows FROM ({query}) GROUP BY ALL")
        else:
            yield from self._engine.stream(query, names, [_type(name) for name in names])

    def _selection(self, codes: Codes, keep_rows: bool) -> tuple[str, list[str]]:
        """One row of numbers for each row of the files."""
        each = [self._of_part(part, codes, keep_rows) for part in self._parts]
        return " UNION ALL ".join(f"SELECT {', '.join(_named(columns))} FROM {reader}" for columns, reader in each), [
            *each[0][0]
        ]

    def _of_part(self, part: Part, codes: Codes, keep_rows: bool) -> tuple[dict[str, str], str]:
        columns = {"label": codes.sql(part)}
        for role in part.chosen.numbers:
            columns[role] = f"coalesce({part.number(role, lenient=self._skip)}, CAST('nan' AS DOUBLE))"
        if self._skip:
            is_text = " OR ".join(map(part.is_text, part.chosen.numbers)) if part.format != "csv" else "false"
            columns["text"] = f"CAST({is_text} AS UTINYINT)"
        for role in self._named_roles if keep_rows else ():
            name = f"CAST({part.column(role)} AS VARCHAR)"
            columns[role] = f"coalesce(CAST(enum_code(CAST({name} AS {quoted(f'{role} names')})) AS BIGINT), -1)"
        rejects = f"rejects_{self._passes}_{self._parts.index(part)}" if self._skip and part.format == "csv" else ""
        return columns, part.reader(lenient=self._skip, rejects=rejects)

    def _name_groups(self) -> None:
        """Groups and subgroups by number, in the order of their names."""
        for role in self._named_roles:
            names = " UNION ".join(
                f"SELECT CAST({part.column(role)} AS VARCHAR) AS g FROM {part.reader(lenient=self._skip)}"
                for part in self._parts
            )
            found = self._engine.fetch(f"SELECT g FROM ({names}) WHERE g IS NOT NULL GROUP BY g ORDER BY g")
            self._names[role] = np.array([*(row[0] for row in found), None], dtype=object)
            kinds = ", ".join(text(row[0]) for row in found)
            self._engine.fetch(f"CREATE TYPE {quoted(f'{role} names')} AS ENUM ({kinds or text('')})")

    def _division(self, columns: Slice) -> Division | None:
        """What divides the rows, under its own names."""
        roles = {name: f"by {position}" for position, name in enumerate(self._chosen.by)}
        return division_of({name: self._names[role][columns[role]] for name, role in roles.items()})

    def _scores_repeat(self) -> bool:
        """Whether a few scores stand for many rows. Sums of weights are left to us: the engine's depend on threads."""
        if self._chosen.weight is not None or len(self._roles) > 1:
            return False
        part = self._parts[0]
        score, reader = part.number(self._roles[0], lenient=self._skip), part.reader(lenient=self._skip)
        sample = f"SELECT {score} AS s FROM {reader} LIMIT {_LOOKED_AT}"
        rows, distinct = self._engine.fetch(f"SELECT count(*), count(DISTINCT s) FROM ({sample})")[0]
        return bool(rows == _LOOKED_AT and distinct <= _FEW * rows)

    def _count(self) -> int:
        """Rows in all files, if the files know."""
        if any(part.format != "parquet" for part in self._parts):
            return 0
        return sum(int(self._engine.fetch(f"SELECT count(*) FROM {part.reader()}")[0][0]) for part in self._parts)

    def _left_out(self, adding: Adding) -> Skipped:
        """Also the lines that the engine passed over."""
        skipped = adding.skipped
        for position, part in enumerate(self._parts):
            if self._skip and part.format == "csv":
                table = quoted(f"rejects_{self._passes}_{position}")
                found = self._engine.fetch(
                    f"SELECT min(error_type::VARCHAR) = 'CAST' AND max(error_type::VARCHAR) = 'CAST', count(*) "
                    f"FROM {table} GROUP BY file_id, line"
                )
                casts = sum(1 for only_casts, _ in found if only_casts)
                skipped = skipped.plus(Skipped.of({NOT_A_NUMBER: casts, UNREADABLE: len(found) - casts}))
        return skipped


def whole_columns(engine: Engine, parts: Sequence[Part]) -> dict[str, npt.NDArray[Any]]:
    """Every column by role: names as text, numbers as they are; a bad row is an error."""

    def of(part: Part) -> str:
        columns = {role: f"CAST({part.column(role)} AS VARCHAR)" for role in part.chosen.texts}
        columns |= {role: part.number(role, lenient=False) for role in part.chosen.numbers}
        return f"SELECT {', '.join(_named(columns))} FROM {part.reader()}"

    try:
        found = engine.columns(" UNION ALL ".join(map(of, parts)))
    except engine.failure as error:
        first_text(engine, parts)
        raise explained(error, [each for part in parts for each in part.sources], list(parts[0].types)) from None
    if not len(found["label"]):
        raise InputError(
            f"{parts[0].sources[0].name} has column names but no rows. Hint: check how the file was written."
        )
    if any(_is_bad(column) for column in found.values()):
        refuse_bad_rows(engine, parts)
    return found


def _is_bad(column: npt.NDArray[Any]) -> bool:
    """Whether something is missing or infinite: a quick look, before the slow one that says where."""
    if column.dtype.kind == "f":
        return not bool(np.isfinite(column).all())
    return any(each is None or not each.strip() for each in column.tolist())


def _named(columns: dict[str, str]) -> list[str]:
    return [f"{expression} AS {quoted(name)}" for name, expression in columns.items()]

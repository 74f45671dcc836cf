"""Files, in one pass: the embedded engine reads, casts and compares labels; our kernels sort and add up.

Where scores repeat a lot, the engine adds up rows itself and hands over the few sums. Otherwise it hands over slices of
numbers, which are collapsed and merged: several times faster than a GROUP BY of the engine, and smaller.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._labels import BinaryLabels
from unconfuse._row_errors import SkippedRows, SkipReason, no_weight
from unconfuse.ingest._duckdb_aggregate import Aggregator, BadRowError, LabelCodes, first_guess, full
from unconfuse.ingest._duckdb_engine import Engine, Slice
from unconfuse.ingest._duckdb_errors import (
    check_bad_rows,
    check_duplicated_ids,
    check_rounded,
    check_underscored,
    explained,
    first_text,
)
from unconfuse.ingest._duckdb_readers import FileGroup, parts_of, quoted, text
from unconfuse.ingest._file_discovery import open_sources
from unconfuse.ingest.bad_rows import ROLES_OF_ONE, RawColumn, RawColumns
from unconfuse.ingest.build_sample import by_label, sample_of, with_values
from unconfuse.ingest.column_roles import UNITS, WEIGHTS, ColumnRoles, place_of
from unconfuse.ingest.data import ANY, NAMES, VALUES, Data, Progress, ReadRequest, has_values, is_path, reject_options
from unconfuse.ingest.grouping import CodedColumn
from unconfuse.ingest.small_csv import read_small
from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.in_memory import InMemorySample
from unconfuse.table.sample import Sample
from unconfuse.table.score_table import ScoreTable

_LOOKED_AT = 50_000  # rows, to see whether scores repeat
_FEW = 0.1  # distinct scores among them, as a share


def recognises(data: Data) -> bool:
    """Tell whether the source is a path; addresses of databases were recognised before."""
    return is_path(data)


def read(data: Data, needs: ReadRequest) -> Sample:
    """Read and check one file, a folder, all files that match a pattern, or standard input ("-"); or saved tables.

    Where only tables are needed, rows are collapsed while they are read, so that they are never all in memory.
    """
    from unconfuse.ingest.table_csv import csv_table
    from unconfuse.ingest.table_files import saved_tables

    path = os.fspath(data.source)
    saved = saved_tables(path, data, needs) or csv_table(path, data, needs)
    if saved is not None:
        return saved
    reject_options(data, ANY | NAMES | VALUES | {"delimiter", "decimal", "table"}, "the data are files")
    apart = has_values(data)
    if apart and data.on_bad_row == "skip":
        raise InputError(
            "values that were given apart cannot follow the rows of files when some are left out. "
            "Hint: name columns instead."
        )
    with open_sources(path, data.table, as_stated=data.is_stated) as sources:
        small = None if needs.rows or apart else read_small(sources, data)
        if small is not None:
            if needs.progress is not None:
                needs.progress(small.rows, 0)
            return _distant(small.chosen, small.tables, small.question)
        with Engine(sources) as engine:
            parts = parts_of(engine, sources, data)
            scan, chosen = FileScan(engine, parts, data, needs.progress), parts[0].chosen
            rows = needs.rows or apart or not chosen.scores or bool(chosen.slices) or chosen.needs_rows
            return scan.rows() if rows else scan.tables()


def _distant(
    chosen: ColumnRoles, tables: Sequence[ScoreTable], question: BinaryLabels, **more: Any
) -> AggregatedSample:
    """One score table for each model."""
    own = {model: (table,) for model, table in zip(chosen.scores, tables, strict=True)}
    return AggregatedSample(tables=own, classes=question.classes, positive_label=question.positive, **more)


class FileScan:
    """Files that are open for reading, with the columns that matter."""

    def __init__(self, engine: Engine, parts: Sequence[FileGroup], data: Data, progress: Progress | None) -> None:
        self._engine, self._parts, self._data, self._progress = engine, parts, data, progress
        self._chosen = parts[0].chosen
        self._several = not self._chosen.scores
        self._skip = data.on_bad_row == "skip"
        self._roles = [role for role in self._chosen.numbers if role not in WEIGHTS]
        self._named_roles = [role for role in self._chosen.texts if role not in ("label", "id")]
        self._names: dict[str, npt.NDArray[Any]] = {}
        self._passes = 0

    def rows(self) -> InMemorySample:
        """Every row, in the order of the files."""
        adding, question = self._guarded(lambda: self._settled(keep_rows=True))
        check_underscored(self._engine, self._parts, lenient=self._skip)
        columns = self._columns(adding.columns())
        known: dict[str, Any] = {} if self._several else {"positive": None, "negative": None, "classes": None}
        checked = replace(self._data, on_bad_row="error", **known)
        sample = sample_of(with_values(columns, self._data), checked)
        if question is not None:
            sample = sample.derive(classes=question.classes, positive_label=question.positive)
        return sample.derive(skipped=self._left_out(adding))

    def tables(self) -> AggregatedSample:
        """One score table for each model, from one pass."""
        adding, question = self._guarded(lambda: self._settled(keep_rows=False))
        check_underscored(self._engine, self._parts, lenient=self._skip)
        assert question is not None
        tables, weighted = adding.tables(), self._chosen.weight is not None
        if weighted and not len(tables[0]):
            raise no_weight(place_of(self._chosen.weight).name)
        skipped, fractions = self._left_out(adding), adding.has_fractions
        return _distant(self._chosen, tables, question, skipped=skipped, is_weighted=weighted, has_fractions=fractions)

    def _columns(self, found: Slice) -> RawColumns:
        """Return what was read, by what it is for."""
        chosen = self._chosen
        named = {role: CodedColumn(self._names[role], found[role]) for role in self._named_roles if role not in UNITS}
        by = {name: named[f"by {place}"] for place, name in enumerate(chosen.slices)}
        predicted = {name: named[f"predicted {k}"] for k, name in enumerate(chosen.predicted.values())}
        scores = dict(zip(chosen.score_columns, (found[role] for role in self._roles), strict=True))

        def of(name: str, values: Any) -> RawColumn:
            return RawColumn(values, place_of(name))

        label = self._names["label"][found["label"] - 1] if self._several else found["label"]
        keys = {model: by_label(matrix, self._names["label"][:-1]) for model, matrix in chosen.matrices.items()}
        single: dict[str, Any] = {
            role: of(name, found[role]) for role in ROLES_OF_ONE if (name := getattr(chosen, role)) is not None
        }
        return RawColumns(
            of(str(chosen.label), label),
            {model: of(name, scores[name]) for model, name in chosen.scores.items()},
            {model: {key: of(name, scores[name]) for key, name in own.items()} for model, own in keys.items()},
            {model: of(name, predicted[name].decoded()) for model, name in chosen.predicted.items()},
            by={name: by[name] for name in chosen.by},
            fold={} if chosen.fold is None else {chosen.fold: by[chosen.fold]},
            site={} if chosen.site is None else {chosen.site: by[chosen.site]},
            **single,
        )

    def _guarded(
        self, work: Callable[[], tuple[Aggregator, BinaryLabels | None]]
    ) -> tuple[Aggregator, BinaryLabels | None]:
        """Do the work, and say what is wrong with a file in words that name file, row, column and text."""
        try:
            found = work()
            if found[0].may_be_rounded:
                check_rounded(self._engine, self._parts, self._roles, lenient=self._skip)
            return found
        except BadRowError:
            check_bad_rows(self._engine, self._parts)
            raise
        except self._engine.failure as error:
            first_text(self._engine, self._parts)
            sources = [source for part in self._parts for source in part.sources]
            raise explained(error, sources, list(self._parts[0].types)) from None

    def _settled(self, *, keep_rows: bool) -> tuple[Aggregator, BinaryLabels | None]:
        """Read with a guess of what the labels are; again only if the guess was wrong. Several classes need none."""
        if self._chosen.id is not None:
            check_duplicated_ids(self._engine, self._parts, lenient=self._skip)
        if keep_rows:
            self._name_groups()
        if self._several:
            return self._read(None, keep_rows=True), None
        stated = self._data.stated
        codes = first_guess(self._engine, self._parts, stated, lenient=self._skip)
        while True:
            adding = self._read(codes, keep_rows=keep_rows)
            again = codes.settled(adding.seen, stated)
            if isinstance(again, BinaryLabels):
                return adding, again
            codes = again if again.texts else full(self._engine, self._parts, stated, lenient=self._skip)

    def _read(self, codes: LabelCodes | None, *, keep_rows: bool) -> Aggregator:
        self._passes += 1
        is_meant = None if codes is None else codes.is_meant()
        adding = Aggregator(is_meant, self._roles, skip=self._skip, keep_rows=keep_rows)
        query, names = self._selection(codes, keep_rows)
        total = self._count() if self._progress is not None else 0
        for part in self._slices(query, names, few=not keep_rows and self._scores_repeat()):
            adding.add(part)
            if self._progress is not None:
                self._progress(adding.rows, total)
        if not adding.rows and not adding.skipped:
            raise no_rows(self._parts)
        return adding

    def _slices(self, query: str, names: Sequence[str], *, few: bool) -> Iterator[Slice]:
        """Rows as they are read; or, if few scores stand for many rows, their sums all at once."""
        if few:
            yield self._engine.columns(f"SELECT *, CAST(count(*) AS BIGINT) AS rows FROM ({query}) GROUP BY ALL")
        else:
            yield from self._engine.stream(query, names, [self._type(name) for name in names])

    def _type(self, role: str) -> Any:
        """Of a column that the engine hands over."""
        if role in self._named_roles or (role == "label" and self._several):
            return np.int64
        return np.uint8 if role in ("label", "text") else np.float64

    def _selection(self, codes: LabelCodes | None, keep_rows: bool) -> tuple[str, list[str]]:
        """One row of numbers for each row of the files."""
        each = [self._of_part(part, codes, keep_rows) for part in self._parts]
        return " UNION ALL ".join(f"SELECT {', '.join(_named(columns))} FROM {reader}" for columns, reader in each), [
            *each[0][0]
        ]

    def _of_part(self, part: FileGroup, codes: LabelCodes | None, keep_rows: bool) -> tuple[dict[str, str], str]:
        several = f"CASE WHEN {part.label_is_missing()} THEN 0 ELSE {_number_of(part, 'label')} + 1 END"
        columns = {"label": several if codes is None else codes.sql(part)}
        for role in part.chosen.numbers:
            columns[role] = f"coalesce({part.number(role, lenient=self._skip)}, CAST('nan' AS DOUBLE))"
        if self._skip:
            is_text = " OR ".join(map(part.is_text, part.chosen.numbers)) if part.format != "csv" else "false"
            columns["text"] = f"CAST({is_text} AS UTINYINT)"
        for role in self._named_roles if keep_rows else ():
            number = f"coalesce({_number_of(part, role)}, -1)"
            blank = part.is_blank(role) if role.startswith("predicted ") else "false"
            columns[role] = f"CASE WHEN {blank} THEN -1 ELSE {number} END"
        rejects = f"rejects_{self._passes}_{self._parts.index(part)}" if self._skip and part.format == "csv" else ""
        return columns, part.reader(lenient=self._skip, rejects=rejects)

    def _name_groups(self) -> None:
        """Give numbers to groups and subgroups (and several classes), in the order of their names."""
        roles = [*self._named_roles, *(["label"] if self._several else [])]
        if not roles:
            return
        columns = [({role: part.name(role) for role in roles}, part.reader(lenient=self._skip)) for part in self._parts]
        each = [f"SELECT {', '.join(_named(names))} FROM {reader}" for names, reader in columns]
        lists = ", ".join(
            f"list_sort(list(DISTINCT {name}) FILTER ({name} IS NOT NULL))" for name in map(quoted, roles)
        )
        found = self._engine.fetch(f"SELECT {lists} FROM ({' UNION ALL '.join(each)})")[0]
        for role, names in zip(roles, found, strict=True):
            self._names[role] = np.array([*(names or ()), None], dtype=object)
            kinds = ", ".join(map(text, names or [""]))
            self._engine.fetch(f"CREATE TYPE {quoted(f'{role} names')} AS ENUM ({kinds})")

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

    def _left_out(self, adding: Aggregator) -> SkippedRows:
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
                skipped = skipped.plus(SkippedRows.of({SkipReason.TEXT: casts, SkipReason.LINE: len(found) - casts}))
        return skipped


def whole_columns(
    engine: Engine, parts: Sequence[FileGroup], *, checked: bool = True, skip: bool = False
) -> dict[str, npt.NDArray[Any]]:
    """Every column by role: names as text, numbers as they are; a bad number is an error if they are checked.

    With `skip`, rows that lack something, or hold what is no number, are left out, as they are from a sample.
    """

    def of(place: int, part: FileGroup) -> str:
        columns = {role: part.name(role) for role in part.chosen.texts}
        columns |= {role: part.number(role, lenient=skip) for role in part.chosen.numbers}
        rejects = f"left_out_{place}" if skip and part.format == "csv" else ""
        return f"SELECT {', '.join(_named(columns))} FROM {part.reader(lenient=skip, rejects=rejects)}"

    try:
        found = engine.columns(" UNION ALL ".join(of(*each) for each in enumerate(parts)))
    except engine.failure as error:
        first_text(engine, parts)
        raise explained(error, [source for part in parts for source in part.sources], list(parts[0].types)) from None
    if not len(next(iter(found.values()))):
        raise no_rows(parts)
    if skip:
        return _usable(found, parts[0].chosen)
    if checked and not all(np.isfinite(found[role]).all() for role in parts[0].chosen.numbers):
        check_bad_rows(engine, parts)
    return found


def _usable(found: dict[str, npt.NDArray[Any]], chosen: ColumnRoles) -> dict[str, npt.NDArray[Any]]:
    """Return the rows that lack nothing but a case number."""
    usable = np.ones(len(next(iter(found.values()))), dtype=bool)
    for role in chosen.numbers:
        numbers = np.ma.filled(np.ma.asarray(found[role], dtype=np.float64), np.nan)
        usable &= np.isfinite(numbers) & ((numbers >= 0) | (role not in WEIGHTS))
    for role in set(chosen.texts) - {"id"}:
        usable &= np.array([each is not None and bool(str(each).strip()) for each in found[role]], dtype=bool)
    return {role: column[usable] for role, column in found.items()}


def no_rows(parts: Sequence[FileGroup]) -> InputError:
    """Return the refusal of files that hold nothing but a header."""
    return InputError(f"{parts[0].sources[0].name} has column names but no rows. Hint: check how the file was written.")


def _number_of(part: FileGroup, role: str) -> str:
    """Return the SQL for the number of a name among all names of its column."""
    return f"CAST(enum_code(CAST({part.name(role)} AS {quoted(f'{role} names')})) AS BIGINT)"


def _named(columns: dict[str, str]) -> list[str]:
    return [f"{expression} AS {quoted(name)}" for name, expression in columns.items()]

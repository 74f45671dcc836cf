"""How files are read by the engine: its language for each format, and files that can be read as one."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse.ingest._duckdb_errors import explained
from unconfuse.ingest._file_discovery import FileSource
from unconfuse.ingest.column_roles import ColumnRoles, choose
from unconfuse.ingest.csv_rows import csv_rows
from unconfuse.ingest.data import Data, refused

if TYPE_CHECKING:
    from unconfuse.ingest._duckdb_engine import Engine

FILE = "the file that unconfuse reads"  # as a column beside those of the file; no file has one of this name
PARTITION = "PARTITION"  # the type of what only the names of folders tell
SEPARATORS = ",;\t|"
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "<NA>")
_LONGEST_LINE = 1 << 25  # bytes


def quoted(name: str) -> str:
    """Return a name as an identifier.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return a value as a string literal.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


def csv_header(
    database: Any, source: FileSource, delimiter: str | None, decimal: str | None = None
) -> tuple[list[str], str, int]:
    """Return the column names of a CSV file, what separates them, and how many blank lines come before."""
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ArgumentError(f"`delimiter` must be one character; got {delimiter!r}.")
    if decimal not in (None, ".", ",") or (decimal is not None and decimal == delimiter):
        raise ArgumentError(f"`decimal` must be a point or a comma, and not what separates columns; got {decimal!r}.")
    lines = islice(_first_lines(database, source), 1000)
    blank, first = next(((place, line) for place, line in enumerate(lines) if line.strip()), (0, ""))
    separator = delimiter or separator_of(first.replace(",", "") if decimal == "," else first, decimal)
    header = next(csv_rows(chain([first], lines), separator, source.name), [])
    return [name.strip() for name in header], separator, blank


def separator_of(line: str, decimal: str | None = None) -> str:
    """Return the commonest separator outside quotes; if there is none a comma, or a semicolon beside decimal commas.

    >>> separator_of('a;"b,c,d";e'), separator_of("single")
    (';', ',')
    """
    outside = "".join(line.split('"')[::2])
    return (
        max(SEPARATORS, key=outside.count)
        if any(each in outside for each in SEPARATORS)
        else ";"
        if decimal == ","
        else ","
    )


def json_reader(sources: Sequence[FileSource], options: str = "", reader: str = "read_json") -> str:
    """JSON lines or one array of objects."""
    form = "array" if sources[0].layout == "array" else "newline_delimited"
    packed = "uncompressed" if sources[0].compression == "none" else sources[0].compression
    return f"{reader}({_paths(sources)}, format='{form}', compression='{packed}', hive_partitioning=false{options})"


def parquet_reader(sources: Sequence[FileSource], options: str = "") -> str:
    """Parquet carries its own names and types."""
    return f"read_parquet({_paths(sources)}, hive_partitioning=false{options})"


def _paths(sources: Sequence[FileSource]) -> str:
    return f"[{', '.join(path_text(source.path) for source in sources)}]"


def _partition(name: str) -> str:
    """Return the SQL for what the innermost folder of this name says, as text."""
    pattern = text(f".*/{re.escape(name)}=([^/]*)/")
    value = f"url_decode(regexp_extract({quoted(FILE)}, {pattern}, 1))"
    return f"nullif({value}, '__HIVE_DEFAULT_PARTITION__')"


def path_text(path: str) -> str:
    """Return the path as the engine's text: the file itself, even if its name looks like a pattern."""
    return text("".join(f"[{letter}]" if letter in "*?[" else letter for letter in path))


def _first_lines(database: Any, source: FileSource) -> Iterator[str]:
    if source.compression == "zstd":  # the engine reads it, Python does not
        reader = (
            f"read_csv({path_text(source.path)}, auto_detect=false, header=false, delim='\x01', quote='', escape='', "
            f"columns={{'line': 'VARCHAR'}}, compression='zstd', strict_mode=false, max_line_size={_LONGEST_LINE})"
        )
        yield from (f"{row[0]}\n" for row in database.execute(f"SELECT line FROM {reader} LIMIT 1000").fetchall())
        return
    opener = gzip.open if source.compression == "gzip" else open
    with opener(source.path, "rt", encoding="utf-8-sig", newline="") as file:
        yield from file


@dataclass(frozen=True)
class FileGroup:
    """Some files, their columns (name to type), and the columns chosen."""

    sources: Sequence[FileSource]
    types: dict[str, str]
    separator: str
    chosen: ColumnRoles
    decimal: str | None = None
    blank_lines: int = 0  # before the header of a CSV file

    @property
    def format(self) -> str:
        """Of all its files."""
        return self.sources[0].format

    @property
    def file_column(self) -> str:
        """The identifier of the column that names the file, where the reader was asked for it."""
        return quoted(FILE)

    def of(self, source: FileSource) -> FileGroup:
        """One of its files alone."""
        return replace(self, sources=[source])

    def reader(self, *, lenient: bool = False, rejects: str = "", filename: bool = False) -> str:
        """Return what to select from. Lenient readers pass over unreadable lines, and may note them in a table."""
        options = f", filename={text(FILE)}" if filename or self.partitions else ""
        if self.format == "parquet":
            return parquet_reader(self.sources, options)
        if rejects:
            options += f", store_rejects=true, rejects_table='{rejects}', rejects_scan='{rejects}_scans'"
        elif lenient and self.sources[0].layout == "lines":
            options += ", ignore_errors=true"
        return self._json(lenient, options) if self.format == "json" else self._csv(options)

    def _json(self, lenient: bool, options: str) -> str:
        kinds = dict.fromkeys(self.chosen.texts.values(), "VARCHAR")
        kinds |= dict.fromkeys(self.chosen.numbers.values(), "VARCHAR" if lenient else "DOUBLE")
        kinds = {name: kind for name, kind in kinds.items() if name not in self.partitions}
        columns = ", ".join(f"{text(name)}: '{kind}'" for name, kind in kinds.items())
        return json_reader(self.sources, f"{options}, columns={{{columns}}}")

    def _csv(self, options: str) -> str:
        """Columns are named by position, so that no name in the file can clash or mean anything."""
        numbers = set(self.chosen.numbers.values()) - self.partitions
        options += f", decimal_separator={text(self.decimal)}" if self.decimal else ""
        options += f", skip={self.blank_lines}" if self.blank_lines else ""
        kinds = ["DOUBLE" if name in numbers else "VARCHAR" for name in self.types if name not in self.partitions]
        columns = ", ".join(f"'c{position}': '{kind}'" for position, kind in enumerate(kinds))
        return (
            f"read_csv({_paths(self.sources)}, auto_detect=false, header=true, delim={text(self.separator)}, "
            f"quote='\"', escape='\"', columns={{{columns}}}, nullstr=[{', '.join(map(text, MISSING))}], "
            f"compression='{self.sources[0].compression}', max_line_size={_LONGEST_LINE}, "
            f"hive_partitioning=false{options})"
        )

    def as_texts(self, *, lenient: bool = False) -> str:
        """All columns by name, as they stand in the file; lenient readers pass over unreadable lines."""
        if self.format == "parquet":
            columns = {name: f"CAST({quoted(name)} AS VARCHAR)" for name in self._places}
            reader = self.reader()
        elif self.format == "json":
            kinds = ", ".join(f"{text(name)}: 'VARCHAR'" for name in self._places)
            options = f", filename={text(FILE)}" if self.partitions else ""
            options += ", ignore_errors=true" if lenient and self.sources[0].layout == "lines" else ""
            columns = {name: quoted(name) for name in self._places}
            reader = json_reader(self.sources, f"{options}, columns={{{kinds}}}")
        else:
            columns = {name: f"c{place}" for name, place in self._places.items()}
            reader = replace(self, chosen=ColumnRoles(), decimal=None).reader(lenient=lenient)
        columns |= {name: _partition(name) for name in self.partitions}
        named = ", ".join(f"{columns[name]} AS {quoted(name)}" for name in self.types)
        return f"SELECT {named} FROM {reader}"

    def as_written(self, role: str, *, lenient: bool) -> str:
        """One column, `v`, as it stands in the file."""
        name = quoted({**self.chosen.texts, **self.chosen.numbers}[role])
        return f"SELECT {name} AS v FROM ({self.as_texts(lenient=lenient)})"

    def column(self, role: str) -> str:
        """Return the identifier of the column with this role."""
        name = {**self.chosen.texts, **self.chosen.numbers}[role]
        if name in self.partitions:
            return _partition(name)
        return f"c{self._places[name]}" if self.format == "csv" else quoted(name)

    @cached_property
    def _places(self) -> dict[str, int]:
        own = (name for name in self.types if name not in self.partitions)
        return {name: place for place, name in enumerate(own)}

    @cached_property
    def partitions(self) -> set[str]:
        """Columns that only the names of folders tell, for the files have none of that name."""
        return {name for name, kind in self.types.items() if kind == PARTITION}

    @property
    def label_type(self) -> str:
        """VARCHAR but where the file itself knows better, or where it is read as a number."""
        label = self.chosen.texts["label"]
        if label in self.partitions:
            return "VARCHAR"
        if label in self.chosen.numbers.values():
            return "DOUBLE"
        return self.types[label] if self.format == "parquet" else "VARCHAR"

    def number(self, role: str, *, lenient: bool) -> str:
        """Return the SQL for a column as DOUBLE; null where it is missing (or, for lenient readers, no number)."""
        return f"{'TRY_CAST' if lenient else 'CAST'}({self.column(role)} AS DOUBLE)"

    def is_text(self, role: str) -> str:
        """Whether there is something that is no number."""
        column = self.column(role)
        return f"({column} IS NOT NULL AND TRY_CAST({column} AS DOUBLE) IS NULL)"

    def label_is_missing(self) -> str:
        """Null, NaN or blank."""
        column = self.column("label")
        if self.label_type in ("FLOAT", "DOUBLE"):
            return f"({column} IS NULL OR isnan({column}))"
        return self.is_blank("label") if self.label_type == "VARCHAR" else f"({column} IS NULL)"

    def is_blank(self, role: str) -> str:
        """Whether there is no name."""
        column = self.column(role)
        return f"({column} IS NULL OR trim(CAST({column} AS VARCHAR)) = '')"

    def is_same(self, role: str, value: str | None) -> str:
        """Whether a row holds this name, or none."""
        return f"{self.name(role)} IS NOT DISTINCT FROM {'NULL' if value is None else text(value)}"

    def name(self, role: str) -> str:
        """Return the SQL for a column as text."""
        return f"CAST({self.column(role)} AS VARCHAR)"


def parts_of(engine: Engine, sources: Sequence[FileSource], data: Data, **how: bool) -> list[FileGroup]:
    """Files in as few parts as possible, in the order of the first file of each."""
    for word in ("delimiter", "decimal"):
        value = getattr(data, word)
        if value is not None and not any(
            file_source.format == "csv" and not file_source.sheet for file_source in sources
        ):
            raise refused(word, value, f"{sources[0].name} is none")
    grouped: dict[object, list[FileSource]] = {}
    known: dict[object, tuple[dict[str, str], tuple[str, int]]] = {}
    signatures = _parquet_signatures(
        engine, [file_source for file_source in sources if file_source.format == "parquet"]
    )
    for source in sources:
        separator, blank, types = "", 0, {}
        if source.format == "csv":
            names, separator, blank = engine.header(source, None if source.sheet else data.delimiter, data.decimal)
            if len(set(names)) < len(names):
                choose(names, data, source.name)  # says which name occurs twice
            types = dict.fromkeys(names, "VARCHAR")
        elif source.format == "json":
            types = engine.described(source)
        alike = signatures.get(source.path, source.path) if source.format == "parquet" else tuple(types)
        read = separator, blank
        key: object = (source.format, source.compression, source.layout, read, alike, source.partitions)
        if key not in known:
            types = engine.described(source) if source.format == "parquet" else types
            known[key] = (types | {name: PARTITION for name in source.partitions if name not in types}, read)
        grouped.setdefault(key, []).append(source)
    parts = []
    for own, members in grouped.items():
        types, (separator, blank) = known[own]
        chosen = choose(list(types), data, members[0].name, **how)
        data = chosen.asked_again(data)
        parts.append(FileGroup(members, types, separator, chosen, data.decimal, blank))
    return parts


def _parquet_signatures(engine: Engine, sources: Sequence[FileSource]) -> dict[str, str]:
    """Return what tells files with the same columns from others, asked of all files at once."""
    if len(sources) < 2:
        return {}
    paths = ", ".join(path_text(file_source.path) for file_source in sources)
    schema = "concat_ws(' ', name, type, converted_type, logical_type, scale, precision, num_children)"
    try:
        found = engine.fetch(
            f"SELECT file_name, md5(string_agg({schema}, '\n')) FROM parquet_schema([{paths}]) GROUP BY file_name"
        )
    except engine.failure as error:
        for source in sources:
            engine.described(source)  # says which file is damaged
        raise explained(error, sources, []) from None
    return {str(path): str(signature) for path, signature in found}

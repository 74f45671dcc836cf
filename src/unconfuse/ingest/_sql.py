"""The engine's language: readers for each format, with names of columns and files quoted so that they stay names."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from unconfuse._errors import ArgumentError
from unconfuse.ingest._sniff import Source
from unconfuse.ingest.columns import Chosen

_SEPARATORS = ",;\t|"
_MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "<NA>")
_LONGEST_LINE = 1 << 25  # bytes

Header = tuple[list[str], str]


def quoted(name: str) -> str:
    """A name as an identifier.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A value as a string literal.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


def csv_header(database: Any, source: Source, delimiter: str | None) -> Header:
    """The column names of a CSV file, and what separates them."""
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise ArgumentError(f"`delimiter` must be one character; got {delimiter!r}.")
    lines = islice(_first_lines(database, source), 1000)
    first = next((line for line in lines if line.strip()), "")
    separator = delimiter or separator_of(first)
    header = next(csv.reader(_chained(first, lines), delimiter=separator), [])
    return [name.strip() for name in header], separator


def separator_of(line: str) -> str:
    """The separator that occurs most often outside quotes; a comma if none does.

    >>> separator_of('a;"b,c,d";e'), separator_of("single")
    (';', ',')
    """
    outside = "".join(line.split('"')[::2])
    return max(_SEPARATORS, key=outside.count) if any(each in outside for each in _SEPARATORS) else ","


def csv_reader(sources: Sequence[Source], header: Header, chosen: Chosen, options: str = "") -> str:
    """Columns are named by position, so that no name in the file can clash or mean anything."""
    names, separator = header
    numbers = set(chosen.numbers.values())
    columns = ", ".join(
        f"'c{position}': '{'DOUBLE' if name in numbers else 'VARCHAR'}'" for position, name in enumerate(names)
    )
    missing = ", ".join(map(text, _MISSING))
    return (
        f"read_csv({_paths(sources)}, auto_detect=false, header=true, delim={text(separator)}, quote='\"', "
        f"escape='\"', columns={{{columns}}}, nullstr=[{missing}], compression='{sources[0].compression}', "
        f"max_line_size={_LONGEST_LINE}{options})"
    )


def json_reader(sources: Sequence[Source], types: Mapping[str, str] | None, options: str = "") -> str:
    """JSON lines or one array of objects; without types, whatever the objects hold."""
    form = "array" if sources[0].layout == "array" else "newline_delimited"
    options = f"format='{form}', compression='{_json_compression(sources[0])}'{options}"
    if types is None:
        return f"read_json({_paths(sources)}, {options})"
    columns = ", ".join(f"{text(name)}: '{kind}'" for name, kind in types.items())
    return f"read_json({_paths(sources)}, {options}, columns={{{columns}}})"


def parquet_reader(sources: Sequence[Source], options: str = "") -> str:
    """Parquet carries its own names and types."""
    return f"read_parquet({_paths(sources)}{options})"


def _paths(sources: Sequence[Source]) -> str:
    """The files themselves, even if their names look like patterns."""
    return f"[{', '.join(map(_path, sources))}]"


def _path(source: Source) -> str:
    return text("".join(f"[{each}]" if each in "*?[" else each for each in source.path))


def _json_compression(source: Source) -> str:
    return "uncompressed" if source.compression == "none" else source.compression


def _first_lines(database: Any, source: Source) -> Iterator[str]:
    if source.compression == "zstd":  # the engine reads it, Python does not
        reader = (
            f"read_csv({_path(source)}, auto_detect=false, header=false, delim='\x01', quote='', escape='', "
            f"columns={{'line': 'VARCHAR'}}, compression='zstd', strict_mode=false, max_line_size={_LONGEST_LINE})"
        )
        yield from (f"{row[0]}\n" for row in database.execute(f"SELECT line FROM {reader} LIMIT 1000").fetchall())
        return
    opener = gzip.open if source.compression == "gzip" else open
    with opener(source.path, "rt", encoding="utf-8-sig", newline="") as file:
        yield from file


def _chained(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest

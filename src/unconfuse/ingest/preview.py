"""What a file looks like before anybody says what its columns mean: the first rows, and what each column holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from unconfuse._errors import InputError
from unconfuse.ingest._duckdb_engine import Engine
from unconfuse.ingest._duckdb_errors import explained
from unconfuse.ingest._duckdb_readers import FileGroup, parts_of, path_text, quoted
from unconfuse.ingest._file_discovery import FileSource, open_sources
from unconfuse.ingest.data import Data

LOOKED_AT = 100_000  # rows that columns are described by
MOST_COLUMNS = 400
_SHOWN, _VALUES, _LONGEST = 8, 12, 120
_MISSING = "'', 'NA', 'N/A', 'NaN', 'nan', 'null', 'NULL', '<NA>'"


@dataclass(frozen=True)
class ColumnPreview:
    """One column: what it holds, as far as it was looked at."""

    name: str
    kind: str  # "number", "text", or "empty"
    missing: int
    distinct: int
    values: tuple[tuple[str, int], ...]  # the commonest, if there are few
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Preview:
    """The beginning of a file."""

    format: str
    rows: int
    is_whole: bool  # whether there are no more rows than were looked at
    columns: tuple[ColumnPreview, ...]
    first: tuple[tuple[str | None, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def preview(
    path: str, *, table: str | None = None, delimiter: str | None = None, decimal: str | None = None
) -> Preview:
    """Look at a file, by at most its first 100,000 rows.

    Examples
    --------
    >>> from unconfuse.demo import patients_path
    >>> seen = preview(str(patients_path()))
    >>> seen.rows, [(each.name, each.kind, each.distinct) for each in seen.columns][4:6]
    (2400, [('outcome', 'text', 2), ('risk', 'number', 570)])
    """
    data = Data(path, table=table, delimiter=delimiter, decimal=decimal)
    with open_sources(path, table, as_stated=data.is_stated) as sources, Engine(sources) as engine:
        part = parts_of(engine, sources[:1], data, labelled=False, everything=True)[0]
        try:
            return _looked_at(engine, part, sources)
        except engine.failure as error:
            raise explained(error, sources, list(part.types)) from None


def _looked_at(engine: Engine, part: FileGroup, sources: Sequence[FileSource]) -> Preview:
    names = list(part.types)
    if len(names) > MOST_COLUMNS:
        hint = "Hint: keep the columns of labels, scores and subgroups."
        raise InputError(f"{sources[0].name} has {len(names):,} columns, more than {MOST_COLUMNS} can be shown. {hint}")
    engine.fetch(f"CREATE TEMP TABLE looked_at AS SELECT * FROM ({part.as_texts()}) LIMIT {LOOKED_AT + 1}")
    rows = int(engine.fetch("SELECT count(*) FROM looked_at")[0][0])
    if not rows:
        raise InputError(f"{sources[0].name} has column names but no rows. Hint: check how the file was written.")
    first = engine.fetch(f"SELECT * FROM looked_at LIMIT {_SHOWN}")
    columns = tuple(_column(engine, name, part.decimal) for name in names)
    return Preview(part.format, min(rows, LOOKED_AT), rows <= LOOKED_AT, columns, tuple(map(_short, first)))


def _column(engine: Engine, name: str, decimal: str | None) -> ColumnPreview:
    held = f"nullif(trim({quoted(name)}), '')"
    number = f"replace({held}, ',', '.')" if decimal == "," else held
    known = f"SELECT {held} AS v, TRY_CAST({number} AS DOUBLE) AS n FROM looked_at WHERE {held} NOT IN ({_MISSING})"
    found = engine.fetch(
        f"SELECT count(*), count(n), count(DISTINCT v), min(n) FILTER (isfinite(n)), max(n) FILTER (isfinite(n)) "
        f"FROM ({known})"
    )
    present, numbers, distinct, low, high = found[0]
    kind = "empty" if not present else "number" if numbers == present else "text"
    most = f"SELECT v, count(*) AS c FROM ({known}) GROUP BY v ORDER BY c DESC, v LIMIT {_VALUES}"
    values = engine.fetch(most) if distinct <= _VALUES else []
    missing = int(engine.fetch("SELECT count(*) FROM looked_at")[0][0]) - int(present)
    ends = (low, high) if kind == "number" else (None, None)
    return ColumnPreview(name, kind, missing, int(distinct), tuple((_cut(v), int(c)) for v, c in values), *ends)


def _short(row: tuple[Any, ...]) -> tuple[str | None, ...]:
    return tuple(None if each is None else _cut(str(each)) for each in row)


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 3]}..."


def parquet_rows(source: FileSource) -> int:
    """How many rows a Parquet file says that it has, without reading them."""
    with Engine([source]) as engine:
        try:
            found = engine.fetch(f"SELECT sum(num_rows) FROM parquet_file_metadata({path_text(source.path)})")
        except engine.failure as error:
            raise explained(error, [source], []) from None
    return int(found[0][0])

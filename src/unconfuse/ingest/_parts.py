"""Files that can be read as one: of the same format, with the same columns of the same types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unconfuse.ingest._engine import Engine
from unconfuse.ingest._refusals import explained
from unconfuse.ingest._sniff import Source
from unconfuse.ingest._sql import csv_reader, json_reader, parquet_reader, quoted, text
from unconfuse.ingest.columns import Chosen, choose
from unconfuse.ingest.data import Data
from unconfuse.ingest.words import refused


@dataclass(frozen=True)
class Part:
    """Some files, their columns (name to type), and the columns chosen."""

    sources: Sequence[Source]
    types: dict[str, str]
    separator: str
    chosen: Chosen

    @property
    def format(self) -> str:
        """Of all its files."""
        return self.sources[0].format

    def of(self, source: Source) -> Part:
        """One of its files alone."""
        return replace(self, sources=[source])

    def reader(self, *, lenient: bool = False, rejects: str = "", filename: bool = False) -> str:
        """What to select from. Lenient readers pass over lines that cannot be read, and may note them in a table."""
        options = ", filename=true" if filename else ""
        if self.format == "parquet":
            return parquet_reader(self.sources, options)
        if self.format == "json":
            kinds = dict.fromkeys(self.chosen.texts.values(), "VARCHAR")
            kinds |= dict.fromkeys(self.chosen.numbers.values(), "VARCHAR" if lenient else "DOUBLE")
            skip = ", ignore_errors=true" if lenient and self.sources[0].layout == "lines" else ""
            return json_reader(self.sources, kinds, options + skip)
        if rejects:
            options += f", store_rejects=true, rejects_table='{rejects}', rejects_scan='{rejects}_scans'"
        elif lenient:
            options += ", ignore_errors=true"
        return csv_reader(self.sources, (list(self.types), self.separator), self.chosen, options)

    def column(self, role: str) -> str:
        """The identifier of the column with this role."""
        name = {**self.chosen.texts, **self.chosen.numbers}[role]
        return f"c{list(self.types).index(name)}" if self.format == "csv" else quoted(name)

    @property
    def label_type(self) -> str:
        """VARCHAR but where the file itself knows better, or where it is read as a number."""
        label = self.chosen.texts["label"]
        if label in self.chosen.numbers.values():
            return "DOUBLE"
        return self.types[label] if self.format == "parquet" else "VARCHAR"

    def number(self, role: str, *, lenient: bool) -> str:
        """A column as DOUBLE; null where it is missing (or, for lenient readers, no number)."""
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

    def name(self, role: str) -> str:
        """A column as text."""
        return f"CAST({self.column(role)} AS VARCHAR)"


def parts_of(engine: Engine, sources: Sequence[Source], data: Data, **how: bool) -> list[Part]:
    """Files in as few parts as possible, in the order of the first file of each."""
    if data.delimiter is not None and not any(each.format == "csv" for each in sources):
        raise refused("delimiter", data.delimiter, f"{sources[0].name} is none")
    grouped: dict[object, list[Source]] = {}
    known: dict[object, tuple[dict[str, str], str]] = {}
    signatures = _parquet_signatures(engine, [each for each in sources if each.format == "parquet"])
    for source in sources:
        if source.format == "csv":
            names, separator = engine.header(source, data.delimiter)
            if len(set(names)) < len(names):
                choose(names, data, source.name)  # says which name occurs twice
            key: object = ("csv", source.compression, separator, *names)
            known.setdefault(key, (dict.fromkeys(names, "VARCHAR"), separator))
        elif source.format == "json":
            types = engine.described(source)
            key = ("json", source.compression, source.layout, *types)
            known.setdefault(key, (types, ""))
        else:
            key = ("parquet", signatures.get(source.path, source.path))
            if key not in known:
                known[key] = (engine.described(source), "")
        grouped.setdefault(key, []).append(source)
    parts = []
    for key, members in grouped.items():
        types, separator = known[key]
        chosen = choose(list(types), data, members[0].name, **how)
        data = chosen.asked_again(data)
        parts.append(Part(members, types, separator, chosen))
    return parts


def _parquet_signatures(engine: Engine, sources: Sequence[Source]) -> dict[str, str]:
    """What tells files with the same columns from others, asked of all files at once."""
    if len(sources) < 2:
        return {}
    paths = ", ".join(text(each.path) for each in sources)
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

"""Score tables as files: Parquet that any tool can read, with metadata that say what it is and whether it is whole."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unconfuse._atomic_files import in_place_of
from unconfuse._errors import InputError
from unconfuse._formatting import read_json, short_repr
from unconfuse.ingest._duckdb_readers import path_text, text
from unconfuse.ingest._file_discovery import find_files, is_pipe, shown
from unconfuse.ingest.data import Data, ReadRequest, reject_options
from unconfuse.ingest.sources.score_tables import KNOWN, merge_all, no_rows, of_sites, of_table
from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.score_table import ScoreTable

FORMAT = 4  # 1 and 2 had no checksum; since 2 there may be sums of squared sampling weights, since 4 several sites
_ONE_SITE = 3  # format of a table without sites, which older versions read too
_KEY = "unconfuse_table"
_COLUMNS = ("score", "positives", "negatives")
_SQUARES = ("positives_squared", "negatives_squared")
_SITE = "site"  # its number, in the order of the names that the file states
_DAMAGED = "Hint: it was cut short or changed; get it again from where it was made."


def save_table(table: ScoreTable, path: str | os.PathLike[str], *, positive_label: str | None = None) -> None:
    """Write a table whole, or not at all."""
    if not table.is_single_table:
        raise InputError("only plain tables can be saved, not sets of replicates.")
    about = {"format": _ONE_SITE, **_described([table], positive_label)}
    about["checksum"] = _checksum([table], about)
    names = _names(binned=not table.is_exact, sampled=table.is_sampled)
    _save({name: np.array(getattr(table, name)) for name in names}, about, path)


def save_sites(
    tables: Mapping[str, ScoreTable], path: str | os.PathLike[str], *, positive_label: str | None = None
) -> None:
    """Write the tables of several sites into one file, which knows where each comes from."""
    parts = list(tables.values())
    if len({part.is_sampled for part in parts}) > 1:
        raise InputError("only some of the tables have sampling weights. Hint: make all of them alike.")
    about = {"format": FORMAT, **_described(parts, positive_label), "sites": list(tables)}
    about["checksum"] = _checksum(parts, about)
    names = _names(binned=bool(about["binned"]), sampled=parts[0].is_sampled)
    columns = {name: np.concatenate([_column(part, name) for part in parts]) for name in names}
    columns[_SITE] = np.repeat(np.arange(len(parts), dtype=np.float64), [len(part) for part in parts])
    _save(columns, about, path)


def _column(table: ScoreTable, name: str) -> Any:
    return np.array(table.upper_edges if name == "highest" else getattr(table, name), dtype=np.float64)


def _described(tables: Sequence[ScoreTable], positive_label: str | None) -> dict[str, Any]:
    from importlib.metadata import version  # which reads a folder of packages: only where a file is written

    return {
        "rows": sum(map(len, tables)),
        "positives": sum(table.n_positives for table in tables),
        "negatives": sum(table.n_negatives for table in tables),
        "binned": not all(table.is_exact for table in tables),
        **({"sampled": True} if tables[0].is_sampled else {}),
        "positive_label": None if positive_label is None else str(positive_label),
        "written_by": f"unconfuse {version('unconfuse')}",
    }


def _save(columns: Mapping[str, Any], about: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    with in_place_of(Path(path)) as place, _database() as database:
        database.register("columns_to_write", dict(columns))
        _write(
            database,
            f"COPY (SELECT * FROM columns_to_write) TO {text(str(place))} "
            "(FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, "
            f"KV_METADATA {{{_KEY}: {text(json.dumps(about))}}})",
        )


def _names(*, binned: bool, sampled: bool) -> tuple[str, ...]:
    return (*_COLUMNS, *(("highest",) if binned else ()), *(_SQUARES if sampled else ()))


def load_table(path: str | os.PathLike[str]) -> ScoreTable:
    """Read a table that was saved, of all sites together; anything else, and whatever does not add up, is refused."""
    return merge_all(_loaded(path).values())


def load_sites(path: str | os.PathLike[str]) -> dict[str, ScoreTable]:
    """Read the tables of a file by site: as it names them, or one by the name of the file."""
    return {name or Path(path).stem: table for name, table in _loaded(path).items()}


def _loaded(path: str | os.PathLike[str]) -> dict[str, ScoreTable]:
    """Return the tables of a file by site; a single one without a name where it knows none."""
    name = os.fspath(path)
    about = _about(name)
    if about is None:
        raise InputError(
            f"{shown(name)} is not a score table. Hint: `unconfuse table` or `ScoreTable.save` makes "
            "one; for rows of labels and scores use `score_table`."
        )
    _check_format(about, name)
    tables = _read(name, about)
    _check(tables, about, name)
    return dict(zip(about.get("sites") or [""], tables, strict=True))


def saved_tables(path: str, data: Data, needs: ReadRequest) -> AggregatedSample | None:
    """Return the table in a file, or the union of those in all files that match a pattern; None if these hold rows."""
    if path == "-" or is_pipe(path):
        return None
    files = find_files(path)
    if not is_table(files[0]):  # one look must do: there may be ten thousand files of rows
        return None
    odd = next((file for file in files if not is_table(file)), None)
    if odd is not None:
        raise InputError(f"{shown(odd)} is not a score table, but {shown(files[0])} is. Hint: give one kind at a time.")
    if needs.rows:
        raise no_rows(f"{shown(path)} is a score table: it")
    reject_options(data, KNOWN | {"site"}, f"{shown(path)} is a score table and has neither rows nor columns")
    if data.site is not None or (len(files) == 1 and (_about(files[0]) or {}).get("sites")):
        return of_sites(tables_by_site(files), data, common_label(files))
    return of_table(merge_all(load_table(file) for file in files), data, common_label(files))


def tables_by_site(files: Sequence[str]) -> dict[str, ScoreTable]:
    """Return the tables of all files by site; no two may have one name."""
    found: dict[str, ScoreTable] = {}
    for path in files:
        for name, table in load_sites(path).items():
            if name in found:
                raise InputError(f"site {short_repr(name)} is in more than one file. Hint: rename one of the files.")
            found[name] = table
    return found


def is_table(path: str) -> bool:
    """Whether a file says that it is a score table."""
    try:
        return _is_parquet(path) and _about(path) is not None
    except (InputError, OSError):  # the reader of rows will say what is wrong
        return False


def _is_parquet(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(4) == b"PAR1"


def _write(database: Any, command: str) -> None:
    import duckdb

    try:
        database.execute(command)
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0].rpartition(": ")[2]
        raise OSError(None, reason.partition('","errno"')[0]) from None  # it quotes what its own threads said as JSON


def _database() -> Any:
    import duckdb

    from unconfuse.ingest._duckdb_engine import settings

    return duckdb.connect(config=settings())


def _about(path: str) -> dict[str, Any] | None:
    """Return what the file says about itself, or None if it is no score table."""
    import duckdb

    if not os.path.isfile(path):  # noqa: PTH113 - which says no to names that no system can have
        raise InputError(f"there is no file {shown(path)}. Hint: check the path.")
    if not _is_parquet(path):
        return None
    with _database() as database:
        try:
            found = database.execute(f"SELECT key, value FROM parquet_kv_metadata({path_text(path)})").fetchall()
        except (duckdb.Error, UnicodeDecodeError):
            raise InputError(f"{shown(path)} cannot be read as Parquet. {_DAMAGED}") from None
    texts = [bytes(value) for key, value in found if bytes(key) == _KEY.encode()]
    if not texts:
        return None
    try:
        about = read_json(texts[0])
        return {str(key): value for key, value in about.items()}
    except (ValueError, AttributeError, RecursionError):
        raise InputError(f"{shown(path)} does not say in a readable way what it is. {_DAMAGED}") from None


def _check_format(about: dict[str, Any], path: str) -> None:
    stated = about.get("format")
    if not isinstance(stated, int) or isinstance(stated, bool) or stated < 1:
        raise InputError(f"{shown(path)} does not say in which format it is. {_DAMAGED}")
    if stated > FORMAT:
        raise InputError(
            f"{shown(path)} has format {stated} (written by {short_repr(about.get('written_by', '?'))}), "
            f"and this version of unconfuse reads format {FORMAT}. Hint: update unconfuse."
        )


def _read(path: str, about: dict[str, Any]) -> list[ScoreTable]:
    """Return the table of each site, or the only one."""
    import duckdb

    sites = about.get("sites")
    if sites is not None and not (isinstance(sites, list) and sites and all(isinstance(site, str) for site in sites)):
        raise InputError(f"{shown(path)} does not say in a readable way where its cases come from. {_DAMAGED}")
    names = _names(binned=bool(about.get("binned")), sampled=bool(about.get("sampled")))
    names = names if sites is None else (*names, _SITE)
    # By a name of our own: the engine would call `score` what the file calls `Score`.
    asked = ", ".join(f"{name} AS {name}" for name in names)
    with _database() as database:
        try:
            found = database.execute(f"SELECT {asked} FROM read_parquet({path_text(path)})").fetchnumpy()
        except (duckdb.Error, UnicodeDecodeError):
            raise InputError(f"{shown(path)} lacks a column or cannot be read. {_DAMAGED}") from None
    columns = {}
    for name in names:
        column = found[name]
        if column.dtype != np.float64 or np.ma.is_masked(column):
            raise InputError(f"column {name} of {shown(path)} must hold numbers only. {_DAMAGED}")
        columns[name] = np.ascontiguousarray(np.ma.getdata(column))
    if sites is None:
        return [ScoreTable.from_validated(**columns)]
    own = columns.pop(_SITE)
    return [
        ScoreTable.from_validated(**{name: each[own == place] for name, each in columns.items()})
        for place in range(len(sites))
    ]


def _check(tables: Sequence[ScoreTable], about: dict[str, Any], path: str) -> None:
    totals = (
        (about.get("positives"), sum(table.n_positives for table in tables)),
        (about.get("negatives"), sum(table.n_negatives for table in tables)),
    )
    wrong = {
        "numbers are not finite": not all(
            np.isfinite(column).all() for table in tables for column in table._columns(True)
        ),
        "weights are negative": any(
            (each < 0).any() for table in tables for each in (table.positives, table.negatives, *table.squared_weights)
        ),
        "the highest score of a block is below its lowest": any(
            (table.upper_edges < table.score).any() for table in tables
        ),
        "scores are not descending, or blocks overlap": any(
            (table.upper_edges[1:] >= table.score[:-1]).any() for table in tables
        ),
        "the number of rows is not the one stated": about.get("rows") != sum(map(len, tables)),
        "totals are not those stated": not all(_agree(said, found) for said, found in totals),
        "its checksum is another": _needs_checksum(about) and about.get("checksum") != _checksum(tables, about),
    }
    for what, is_wrong in wrong.items():
        if is_wrong:
            raise InputError(f"{shown(path)} is not sound: {what}. {_DAMAGED}")


def _needs_checksum(about: dict[str, Any]) -> bool:
    return "checksum" in about or about["format"] > 2


def _checksum(tables: Sequence[ScoreTable], about: dict[str, Any]) -> str:
    """Of every number, and of all that the file says about itself."""
    digest = hashlib.sha256()
    for column in (each for table in tables for each in table._columns(squared=True)):
        digest.update(np.ascontiguousarray(column, dtype="<f8").tobytes())
    told = {key: value for key, value in about.items() if key != "checksum"}
    digest.update(json.dumps(told, sort_keys=True).encode())
    return digest.hexdigest()


def _agree(said: object, found: float) -> bool:
    """Tell whether two sums agree up to rounding: sums of fractions depend on how they are added."""
    return isinstance(said, int | float) and math.isclose(said, found, rel_tol=1e-12)


def common_label(paths: Iterable[str]) -> str | None:
    """Return the positive label that all files state; refuse tables of different labels, which do not belong together.

    A file that states none goes with any.
    """
    labels = {(_about(path) or {}).get("positive_label") for path in paths} - {None}
    if len(labels) > 1:
        found = " and ".join(sorted(short_repr(label) for label in labels))
        raise InputError(f"the tables have different positive labels: {found}. Hint: check what each was made of.")
    return str(labels.pop()) if labels else None

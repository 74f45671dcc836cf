"""Situations of rows that come from elsewhere: frames, files and databases."""

from __future__ import annotations

import gzip
import json
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import flatten
import numpy as np
import rows
from rows import NAMES, Situation

import unconfuse as uc

FEW = ["auroc", "average_precision", "brier", "sensitivity", "npv", "mcc", "ks"]
ROLES = {"label": "outcome", "score": "risk", "positive": "ill"}


def columns() -> dict[str, list[Any]]:
    """One table of everything that a column can be."""
    y, s = rows.draw(240, 91, digits=3)
    truth, stated = rows.matrix(240, 3, 92)
    return {
        "outcome": np.where(y, "ill", "well").tolist(),
        "risk": s.tolist(),
        "rule": rows.draw(240, 93, lift=0.0, digits=1)[1].tolist(),
        "cases": rows.whole_weights(240).tolist(),
        "clinic": rows.clusters(240, of=30).tolist(),
        "sex": rows.chosen(("F", "M"), 240).tolist(),
        "kind": NAMES[truth].tolist(),
        "called": NAMES[rows.decided(truth, 3)].tolist(),
        **{f"p_{name}": stated[:, k].tolist() for k, name in enumerate(NAMES[:3])},
    }


def _lines(first: int = 0, last: int = 240) -> list[dict[str, Any]]:
    named = columns()
    return [dict(zip(named, row, strict=True)) for row in list(zip(*named.values(), strict=True))[first:last]]


def _text(lines: list[dict[str, Any]]) -> str:
    return "\n".join([",".join(lines[0]), *(",".join(map(str, row.values())) for row in lines)]) + "\n"


def _write(name: str, content: bytes) -> Path:
    path = rows.folder() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def _csv() -> Path:
    return _write("cases.csv", _text(_lines()).encode())


def _packed() -> Path:
    return _write("packed.csv.gz", gzip.compress(_text(_lines()).encode()))


def _json_lines() -> Path:
    return _write("cases.jsonl", "\n".join(map(json.dumps, _lines())).encode())


def _parquet() -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = rows.folder() / "cases.parquet"
    pq.write_table(pa.table(columns()), path)
    return path


def _pattern() -> str:
    for place in range(3):
        _write(f"parts/part{place}.csv", _text(_lines(80 * place, 80 * place + 80)).encode())
    return str(rows.folder() / "parts" / "*.csv")


def _bad() -> Path:
    lines = _lines()
    lines[3]["risk"], lines[9]["risk"], lines[20]["outcome"] = "oops", "", ""
    return _write("bad.csv", _text(lines).encode())


def _database() -> str:
    path = rows.folder() / "study.db"
    named = columns()
    if not path.exists():
        with sqlite3.connect(path) as database:
            database.execute(f"CREATE TABLE cases ({', '.join(named)})")
            marks = ", ".join("?" * len(named))
            database.executemany(f"INSERT INTO cases VALUES ({marks})", list(zip(*named.values(), strict=True)))
        database.close()
    return f"sqlite:///{path}"


def _table_file() -> Path:
    path = rows.folder() / "table.parquet"
    uc.score_table(*rows.draw(240, 94, digits=3)).save(path)
    return path


def _pandas() -> Any:
    import pandas as pd

    return pd.DataFrame(columns())


def _polars() -> Any:
    import polars as pl

    return pl.DataFrame(columns())


def _lazy() -> Any:
    return _polars().lazy()


def _arrow() -> Any:
    import pyarrow as pa

    return pa.table(columns())


def _duckdb() -> Any:
    import duckdb

    frame = _arrow()
    return duckdb.connect().from_arrow(frame)


SOURCES = {
    "csv": _csv,
    "csv.gz": _packed,
    "json lines": _json_lines,
    "parquet": _parquet,
    "pattern": _pattern,
    "pandas": _pandas,
    "polars": _polars,
    "lazy polars": _lazy,
    "pyarrow": _arrow,
    "mapping": columns,
    "duckdb": _duckdb,
}


def judged(make: Any, read: Any = flatten.evaluation, **options: Any) -> Situation:
    """Evaluate a source."""
    asked = {"n_resamples": 200, "metrics": FEW} | ROLES | options
    return Situation(read, lambda: uc.evaluate(make(), **{k: v for k, v in asked.items() if v is not None}))


def several(make: Any, **options: Any) -> Situation:
    """Evaluate several classes of a source."""
    asked = {"score": None, "positive": None, "label": "kind", "metrics": None} | options
    return judged(make, flatten.several_classes, **asked)


def compared(make: Any, **options: Any) -> Situation:
    """Compare two columns of a source."""
    asked = {"metrics": ["auroc", "accuracy", "brier"], "n_resamples": 200} | ROLES | options
    return Situation(flatten.comparison, lambda: uc.compare(make(), **asked | {"score": ["risk", "rule"]}))


def situations() -> dict[str, Situation]:
    """All sources, by name."""
    halves = partial(flatten.subgroups, differences=("auroc", "sensitivity"))
    query = "SELECT * FROM cases WHERE risk < 0.8"
    return {
        **{f"source: {name}": judged(make) for name, make in SOURCES.items()},
        **{f"source: {name}, weighted": judged(SOURCES[name], weight="cases") for name in ("csv", "lazy polars")},
        **{f"source: {name}, groups": judged(SOURCES[name], group="clinic") for name in ("parquet", "polars")},
        **{
            f"source: {name} by sex": judged(SOURCES[name], halves, by="sex")
            for name in ("csv", "pandas", "lazy polars")
        },
        "source: csv, 40 bins": judged(_csv, bins=40),
        "source: bad rows skipped": judged(_bad, on_bad_row="skip"),
        "source: table file": Situation(flatten.evaluation, lambda: uc.evaluate(_table_file(), metrics=FEW)),
        "source: database": judged(_database, table="cases"),
        "source: database, query": judged(_database, query=query, weight="cases"),
        "source: database by sex": judged(_database, halves, table="cases", by="sex"),
        "source: classes of csv": several(_csv, scores="p_*"),
        "source: classes of pandas": several(_pandas, scores={name: f"p_{name}" for name in NAMES[:3]}, weight="cases"),
        "source: decisions of lazy polars": several(_lazy, predicted="called"),
        "source: decisions of parquet, groups": several(_parquet, predicted="called", group="clinic"),
        "source: compare csv": compared(_csv),
        "source: compare polars, groups": compared(_polars, group="clinic"),
        "source: compare lazy polars, weighted": compared(_lazy, weight="cases"),
        "source: compare parquet, skip": compared(_parquet, on_bad_row="skip", margin=0.05),
        "source: score table of json lines": Situation(
            flatten.table, lambda: uc.score_table(_json_lines(), weight="cases", **ROLES)
        ),
        "source: card of csv": Situation(
            flatten.card, lambda: uc.threshold_card(_csv(), n_resamples=50, rules=["youden"], **ROLES)
        ),
        "source: indistinguishability of polars": Situation(
            flatten.indistinguishability, lambda: uc.indistinguishability(_polars(), n_resamples=200, **ROLES)
        ),
    }

"""Queries that try to write, to run programs or to leave their statement; the state is compared before and after."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hostile import FINE, REFUSED, Outcome, WrongError
from servers import postgres_is_missing, postgres_server

import unconfuse as uc

KIND = "databases"
WORDS = "queries that write, end the transaction, run programs or hold several statements (SQLite, PostgreSQL)"
PATIENCE = 30
_ROWS = [(1, 0.9), (0, 0.4), (1, 0.4), (0, 0.1), (1, 0.7), (0, 0.2)]
_GOOD = ("SELECT y, p FROM t", "SELECT y, p FROM t WHERE p < 2 -- a comment", "SELECT y, p, ';' AS s FROM t;")
_WRITING = (
    "DROP TABLE t",
    "DELETE FROM t",
    "UPDATE t SET p = 0.5",
    "INSERT INTO t VALUES (1, 0.5)",
    "CREATE TABLE hacked(x int)",
    "CREATE TABLE hacked AS SELECT * FROM t",
    "ALTER TABLE t ADD COLUMN hacked int",
    "TRUNCATE t",
    "VACUUM",
    "PRAGMA query_only = OFF",
    "PRAGMA user_version = 7",
    "ATTACH DATABASE '{folder}/other.db' AS other",
    "COPY t TO PROGRAM 'touch {folder}/hacked'",
    "COPY t TO '{folder}/hacked'",
    "DO $$ BEGIN CREATE TABLE hacked(x int); END $$",
    "SET TRANSACTION READ WRITE",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "CREATE FUNCTION hacked() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT nextval('counter')",
    "SELECT setval('counter', 77)",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT load_extension('{folder}/hacked')",
    "SELECT writefile('{folder}/hacked', 'x')",
)
_ENDINGS = ("", ";", "; COMMIT", "; ROLLBACK", "; BEGIN", "; BEGIN READ WRITE", "; END", "; COMMIT AND CHAIN", ";;")


def missing() -> str:
    """SQLite is always there; without PostgreSQL the kind says less than it should."""
    return postgres_is_missing()


@functools.cache
def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="unconfuse-attack-")
    _folder.kept = folder  # type: ignore[attr-defined]
    Path(folder.name).chmod(0o777)  # the server may run as somebody else
    return Path(folder.name)


@functools.cache
def _sqlite() -> str:
    path = _folder() / "study.db"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE t (y INTEGER, p REAL)")
        database.executemany("INSERT INTO t VALUES (?, ?)", _ROWS)
    return f"sqlite:///{path}"


@functools.cache
def _postgres() -> str:
    import psycopg

    address = postgres_server()
    with psycopg.connect(address) as database:
        database.execute("CREATE TABLE t (y integer, p double precision)")
        database.execute("CREATE SEQUENCE counter")
        with database.cursor() as cursor:
            cursor.executemany("INSERT INTO t VALUES (%s, %s)", _ROWS)
    return address


def _state(address: str) -> Any:
    """All that a query could have changed, as seen from outside."""
    files = sorted(each.name for each in _folder().iterdir())
    if address.startswith("sqlite"):
        with contextlib.closing(sqlite3.connect(_folder() / "study.db")) as database:
            known = database.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
            version = database.execute("PRAGMA user_version").fetchall()
            return files, known, version, database.execute("SELECT * FROM t ORDER BY 1, 2").fetchall()
    import psycopg

    with psycopg.connect(address) as database:
        tables = "SELECT relname, relkind::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
        columns = "SELECT attname FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum"
        routines = "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1"
        others = "SELECT count(*) FROM pg_largeobject_metadata", "SELECT last_value, is_called FROM counter"
        asked = (tables, columns, routines, *others, "SELECT * FROM t ORDER BY 1, 2")
        return files, *(database.execute(each).fetchall() for each in asked)


def query(rng: np.random.Generator) -> str:
    """A good query, or one that hides another statement before, after or inside it."""
    good, bad = str(rng.choice(_GOOD)), str(rng.choice(_WRITING)).format(folder=_folder())
    ending = str(rng.choice(_ENDINGS))
    shapes = (
        lambda: good,
        lambda: bad,
        lambda: f"{good}{ending}; {bad}",
        *3 * (lambda: f"{_GOOD[0]}) AS a{ending}; {bad}; SELECT * FROM ({_GOOD[0]}",),
        *3 * (lambda: f"{_GOOD[0]}) AS a; COMMIT; {bad}; BEGIN; SELECT * FROM ({_GOOD[0]}",),
        lambda: f"{bad}{ending}; {good}",
        lambda: f"WITH x AS ({bad} RETURNING *) {good}",
        lambda: f"SELECT y, p FROM t WHERE y IN ({bad})",
        lambda: f"SELECT y, ({bad}) AS p FROM t",
        lambda: f"{good} UNION ALL ({bad})",
        lambda: f"/* {ending} */ {good} /* ; {bad} */",
        lambda: f"{good}\n-- {bad}\n{ending}",
        lambda: f"{good}\0{ending}; {bad}",
        lambda: "".join(rng.choice(list(good + bad + ";()'\"$\\-/*:% \n"), int(rng.integers(1, 60)))),
    )
    return str(rng.choice(np.array(shapes, dtype=object))())


def attack(rng: np.random.Generator) -> Outcome:
    """One query against one of the two, through one of the verbs."""
    address = _sqlite() if rng.random() < 0.5 else _postgres()
    asked, before = query(rng), _state(address)
    words: dict[str, Any] = {"label": "y", "score": "p"}
    if rng.random() < 0.1:
        words["table"] = asked
    else:
        words["query"] = asked
    verb = uc.score_table if rng.random() < 0.7 else uc.compare
    if verb is uc.compare:
        words["score"] = ["p", "y"]
    outcome = FINE
    try:
        verb(address, **words)
    except uc.UnconfuseError:
        outcome = REFUSED
    if _state(address) != before:
        raise WrongError(f"{address.partition(':')[0]} was changed by {asked!r}")
    return outcome

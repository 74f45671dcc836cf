"""A read-only connection to a database, and its complaints in words that never hold a password."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import short_repr

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

CONNECT_SECONDS = 10
_ADDRESS = re.compile(r"[a-z][a-z0-9]*(\+[a-z0-9]+)?://", re.I)
_PASSWORD = r"(://[^/@:\s]*):[^\n]*@"  # up to the last @: a password may hold blanks
_PREPARING = ("psycopg", "pysqlite")  # whose statements are prepared, and so one at a time
_PRAGMAS = ("table_info", "table_xinfo", "table_list", "foreign_key_list", "index_list", "index_info")
_SECRET = r"(?i)([?&](?:password|passwd|pwd|sslpassword|token)=)[^&\n]*"


def is_address(text: str) -> bool:
    """Whether the text is the address of a database, not a path.

    >>> is_address("postgresql+psycopg://me@host/db"), is_address("data/a.csv"), is_address("file:///data/a.csv")
    (True, False, False)
    """
    return bool(_ADDRESS.match(text)) and not text.lower().startswith("file:")


def without_password(text: str) -> str:
    """Return the text with passwords in addresses left out.

    >>> without_password("postgresql://me:pa@ss:w@host/db?password=x")
    'postgresql://me:***@host/db?password=***'
    >>> without_password("postgresql://me:pa ss@host/db")
    'postgresql://me:***@host/db'
    """
    return re.sub(_SECRET, r"\1***", re.sub(_PASSWORD, r"\1:***@", text))


@contextlib.contextmanager
def connected(address: str) -> Iterator[Connection]:
    """Open a connection that can only read; errors of the database become one message each.

    PostgreSQL (psycopg) and SQLite are held to one statement in a transaction that cannot write: by the protocol and
    the server, and by SQLite's own guard. MySQL and MariaDB are asked for such a transaction; of others nothing is
    known.
    """
    import sqlite3

    sqlalchemy, url = _library(), _address(address)
    try:
        engine = sqlalchemy.create_engine(url, connect_args=_arguments(url), poolclass=sqlalchemy.pool.NullPool)
    except (sqlalchemy.exc.ArgumentError, ImportError, TypeError) as error:
        raise InputError(
            f"cannot open {shown(url)}: {_words(error, url)}. Hint: install the database's driver, and "
            "write the address like postgresql://user@host/name."
        ) from None
    is_open = False
    try:
        with engine.connect() as connection:
            is_open = True
            yield _only_reading(connection, url)
    except sqlalchemy.exc.DBAPIError as error:
        raise _refusal(error, url, is_open) from None
    except sqlite3.Warning as error:  # what older versions say to two statements at once
        raise InputError(f"{shown(url)} refused the question: {error} Hint: one SELECT.") from None


def shown(url: URL) -> str:
    """Return the address without its password."""
    return without_password(url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True))


def _library() -> Any:
    try:
        import sqlalchemy
    except ImportError:
        raise InputError(
            "reading from a database needs SQLAlchemy. Hint: pip install sqlalchemy and the database's "
            "driver (for PostgreSQL: psycopg[binary])."
        ) from None
    return sqlalchemy


def _address(address: str) -> URL:
    sqlalchemy = _library()
    try:
        url: URL = sqlalchemy.make_url(address)
    except sqlalchemy.exc.ArgumentError:
        raise ArgumentError(
            f"cannot read the address {short_repr(without_password(address))}. "
            "Hint: write it like postgresql://user@host:5432/name."
        ) from None
    if url.drivername in ("postgres", "postgresql") and not find_spec("psycopg2"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite" and url.database and not Path(url.database).is_file():
        raise InputError(
            f"there is no file {url.database}. Hint: three slashes begin a relative path "
            "(sqlite:///file.db), four an absolute one."
        ) from None
    return url


def _arguments(url: URL) -> dict[str, Any]:
    """Nobody waits longer than this for a host that does not answer."""
    if url.get_backend_name() == "sqlite":
        return {"timeout": CONNECT_SECONDS}
    is_known = url.get_backend_name() in ("postgresql", "mysql", "mariadb")
    patience = {"connect_timeout": CONNECT_SECONDS} if is_known and "connect_timeout" not in url.query else {}
    return patience | ({"prepare_threshold": 0} if url.get_driver_name() == "psycopg" else {})


def _only_reading(connection: Connection, url: URL) -> Connection:
    """Return the connection, set so that no statement can write from now on."""
    backend = url.get_backend_name()
    if backend == "postgresql":
        return connection.execution_options(postgresql_readonly=True)
    if backend in ("mysql", "mariadb"):
        connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
        connection.commit()
    if backend == "sqlite":
        connection.exec_driver_sql("PRAGMA query_only = ON")
        guarded: Any = connection.connection.dbapi_connection
        guarded.set_authorizer(_authorised)
    return connection


def _authorised(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Allow selecting, and asking what tables there are; deny everything else."""
    import sqlite3

    reading = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)
    is_fine = action in reading or (action == sqlite3.SQLITE_FUNCTION and second != "load_extension")
    asks = action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS
    return sqlite3.SQLITE_OK if is_fine or asks else sqlite3.SQLITE_DENY


def check_one_statement(query: str, connection: Connection) -> None:
    """Drivers that prepare what they send take one statement only; for the others it must show."""
    if connection.dialect.driver not in _PREPARING and ";" in query:
        raise ArgumentError(
            "a query is one SELECT, without a semicolon: this driver could be made to run what follows it. "
            "Hint: for PostgreSQL install psycopg, which takes semicolons in texts."
        )


def _refusal(error: Any, url: URL, is_open: bool) -> InputError:
    said = _words(error.orig or error, url)
    if not is_open or error.connection_invalidated or "connect" in said.lower() or "password" in said.lower():
        return InputError(
            f"cannot connect to {shown(url)} (waited at most {CONNECT_SECONDS} s): {said}. "
            "Hint: check host, port, database, user and password."
        )
    return InputError(f"{shown(url)} refused the question: {said}. Hint: check the table, the columns and their types.")


def _words(error: Any, url: URL) -> str:
    """Return the first line of what was said, without the password."""
    said = without_password((str(error).strip().splitlines() or ["no reason given"])[0])
    return (said.replace(str(url.password), "***") if url.password else said)[:300].rstrip(". ")

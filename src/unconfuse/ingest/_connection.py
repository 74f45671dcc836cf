"""A read-only connection to a database, and its complaints in words that never hold a password."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import brief

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection

CONNECT_SECONDS = 10
_ADDRESS = re.compile(r"[a-z][a-z0-9]*(\+[a-z0-9]+)?://", re.I)
_PASSWORD = re.compile(r"(://[^/@:\s]*):\S*@")
_SECRET = re.compile(r"(?i)([?&](?:password|passwd|pwd|sslpassword|token)=)[^&\s]*")


def is_address(text: str) -> bool:
    """Whether the text is the address of a database, not a path.

    >>> is_address("postgresql+psycopg://me@host/db"), is_address("data/a.csv")
    (True, False)
    """
    return bool(_ADDRESS.match(text))


def without_password(text: str) -> str:
    """The text with passwords in addresses left out.

    >>> without_password("postgresql://me:pa@ss:w@host/db?password=x")
    'postgresql://me:***@host/db?password=***'
    """
    return _SECRET.sub(r"\1***", _PASSWORD.sub(r"\1:***@", text))


@contextlib.contextmanager
def connected(address: str) -> Iterator[Connection]:
    """A connection that can only read; errors of the database become one message each."""
    sqlalchemy = _library()
    url = _address(address)
    try:
        engine = sqlalchemy.create_engine(url, connect_args=_arguments(url), poolclass=sqlalchemy.pool.NullPool)
    except (sqlalchemy.exc.ArgumentError, ImportError, TypeError) as error:
        raise InputError(
            f"cannot open {shown(url)}: {_words(error, url)}. Hint: install the database's driver, and "
            "write the address like postgresql://user@host/name."
        ) from None
    try:
        with engine.connect() as connection:
            if url.get_backend_name() == "sqlite":
                connection.exec_driver_sql("PRAGMA query_only = ON")
                yield connection
            else:
                yield connection.execution_options(**_read_only(url))
    except sqlalchemy.exc.DBAPIError as error:
        raise _refusal(error, url) from None


def shown(url: URL) -> str:
    """The address without its password."""
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
            f"cannot read the address {brief(without_password(address))}. "
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
    return {"connect_timeout": CONNECT_SECONDS} if is_known and "connect_timeout" not in url.query else {}


def _read_only(url: URL) -> dict[str, Any]:
    return {"postgresql_readonly": True} if url.get_backend_name() == "postgresql" else {}


def _refusal(error: Any, url: URL) -> InputError:
    said = _words(error.orig or error, url)
    if error.connection_invalidated or "connect" in said.lower() or "password" in said.lower():
        return InputError(
            f"cannot connect to {shown(url)} (waited at most {CONNECT_SECONDS} s): {said}. "
            "Hint: check host, port, database, user and password."
        )
    return InputError(f"{shown(url)} refused the question: {said}. Hint: check the table, the columns and their types.")


def _words(error: Any, url: URL) -> str:
    """The first line of what was said, without the password."""
    said = without_password((str(error).strip().splitlines() or ["no reason given"])[0])
    return (said.replace(str(url.password), "***") if url.password else said)[:300].rstrip(". ")

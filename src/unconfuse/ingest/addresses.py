"""Addresses of databases, and how to show them: never with a password."""

from __future__ import annotations

import re

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

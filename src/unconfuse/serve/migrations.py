"""The shape of the history, step by step: `user_version` says how many steps a file has taken."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from unconfuse._errors import InputError

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE evaluations (
        id TEXT PRIMARY KEY, created TEXT NOT NULL, name TEXT NOT NULL, note TEXT NOT NULL, tags TEXT NOT NULL,
        kind TEXT NOT NULL, source TEXT NOT NULL, n REAL, positives REAL, verdict TEXT NOT NULL, summary TEXT NOT NULL,
        question TEXT NOT NULL, payload BLOB, result BLOB NOT NULL, scores BLOB, cases BLOB
    ) STRICT;
    CREATE INDEX evaluations_by_time ON evaluations (created);
    """,
    """
    CREATE TABLE tokens (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, hash BLOB NOT NULL UNIQUE, may_write INTEGER NOT NULL,
        created TEXT NOT NULL, used TEXT
    ) STRICT;
    CREATE TABLE sessions (
        hash BLOB PRIMARY KEY, token INTEGER REFERENCES tokens (id) ON DELETE CASCADE, may_write INTEGER NOT NULL,
        expires REAL NOT NULL
    ) STRICT;
    """,
)


def migrate(connection: sqlite3.Connection, path: Path, steps: tuple[str, ...] = STEPS) -> None:
    """Take the steps that a file has not taken yet, each whole or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        taken = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if taken > len(steps):
            hint = "Hint: update unconfuse, or give another --history."
            raise InputError(f"{path} was written by a newer version of unconfuse (format {taken}). {hint}")
        for number, step in enumerate(steps[taken:], taken + 1):
            for statement in filter(str.strip, step.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise

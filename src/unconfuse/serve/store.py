"""The history: one SQLite file in WAL mode, with one server at a time and one writer in it.

What is saved is on the disk when `save` returns, in the file itself: after `kill -9` a copy of the file alone holds
every evaluation that was reported as saved, and no half of another. Only while another program reads may the newest
ones wait in the log beside it.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import secrets
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unconfuse._errors import InputError
from unconfuse._formatting import read_json
from unconfuse.serve.records import kept_problem, listed_problem

Row = dict[str, Any]
BUSY = 10_000  # milliseconds to wait for another process that writes
_READ = 100  # milliseconds to wait for those that read before what was saved is moved from the log into the file
_SHORT = "id, created, name, note, tags, kind, source, n, positives, verdict, summary"
_WHOLE = f"{_SHORT}, question, payload, result, scores, cases"
MOST = 200  # evaluations on one page of a list
_PACKED = ("payload", "result", "scores", "cases")  # kept as compressed JSON


class StoreError(InputError):
    """The history cannot be read or written."""


@dataclass(frozen=True)
class SavedEvaluation:
    """An evaluation to be kept: what was asked, what a page shows of it, and what later questions need."""

    name: str
    kind: str
    question: Row
    result: Row
    payload: Row | None = None
    summary: Row = field(default_factory=dict)  # metric -> value, low, high
    verdict: str = ""
    source: str = ""
    n: float | None = None
    positives: float | None = None
    scores: Row | None = None  # the score table, or four counts
    cases: Row | None = None  # scores by case, only if asked for
    note: str = ""
    tags: Sequence[str] = ()
    created: str = ""


class HistoryStore:
    """The history of one server."""

    def __init__(self, path: Path, *, exclusive: bool = True) -> None:
        self.path = path
        self._open = contextlib.ExitStack()
        self._mutex = threading.Lock()
        self._idle: list[sqlite3.Connection] = []  # readers that no thread uses now
        with _plainly(path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if exclusive:
                self._open.enter_context(_only_one(path))
            self._writer = self._open.enter_context(contextlib.closing(_connect(path)))
            path.chmod(0o600)
            migrate(self._writer, path)

    def close(self) -> None:
        """Close every connection; the file then holds everything by itself, without the log beside it."""
        while self._idle:
            self._idle.pop().close()
        with self._mutex:
            self._move_from_log("TRUNCATE", BUSY)
        self._open.close()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One writer, one transaction: all of it or nothing."""
        with self._mutex, _plainly(self.path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            self._move_from_log("FULL", _READ)

    def _move_from_log(self, how: str, wait: int) -> None:
        """Make the file whole by itself; what a full disk or a reader holds up stays in the log, and is not lost."""
        with contextlib.suppress(sqlite3.Error):
            self._writer.execute(f"PRAGMA busy_timeout = {wait}")
            try:
                self._writer.execute(f"PRAGMA wal_checkpoint({how})")
            finally:
                self._writer.execute(f"PRAGMA busy_timeout = {BUSY}")

    def reading(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Run a query on a connection that no other thread uses; readers do not wait for the writer."""
        with _plainly(self.path):
            try:
                reader = self._idle.pop()
            except IndexError:
                reader = _connect(self.path)
            try:
                return reader.execute(query, values).fetchall()
            finally:
                self._idle.append(reader)

    def save(self, saved: SavedEvaluation) -> str:
        """Keep an evaluation; its id."""
        with self.writing() as connection:
            return insert(connection, saved)

    def get(self, identity: str) -> Row | None:
        """One evaluation with all that was kept of it."""
        found = self.reading(f"SELECT {_WHOLE} FROM evaluations WHERE id = ?", [identity])
        return _whole(found[0]) if found else None

    def of(self, created: str, name: str) -> list[Row]:
        """Return the evaluations of this time and name."""
        query = f"SELECT {_WHOLE} FROM evaluations WHERE created = ? AND name = ?"
        return [_whole(row) for row in self.reading(query, [created, name])]

    def search(self, search: str = "", tag: str = "", limit: int = MOST, offset: int = 0) -> list[Row]:
        """Return evaluations, newest first, whose name, note, tags or source hold these words."""
        where, values = _sought(search, tag)
        query = f"SELECT {_SHORT} FROM evaluations WHERE {where} ORDER BY created DESC, rowid DESC LIMIT ? OFFSET ?"
        return [_listed(row) for row in self.reading(query, [*values, limit, offset])]

    def count(self, search: str = "", tag: str = "") -> int:
        """Return how many evaluations hold these words."""
        where, values = _sought(search, tag)
        return int(self.reading(f"SELECT count(*) FROM evaluations WHERE {where}", values)[0][0])

    def iterate_all(self) -> Iterator[Row]:
        """All evaluations, oldest first, one at a time."""
        for row in self.reading("SELECT id FROM evaluations ORDER BY created, rowid"):
            one = self.get(row["id"])
            if one is not None:  # it may have been deleted meanwhile
                yield one

    def change(self, identity: str, **changes: Any) -> bool:
        """Another name, note or tags; False if there is no such evaluation."""
        if "tags" in changes:
            changes["tags"] = _tag_text(changes["tags"])
        names = ", ".join(f"{name} = ?" for name in changes)
        with self.writing() as connection:
            done = connection.execute(f"UPDATE evaluations SET {names} WHERE id = ?", [*changes.values(), identity])
            return done.rowcount > 0

    def delete(self, identity: str) -> bool:
        """Forget an evaluation."""
        with self.writing() as connection:
            return connection.execute("DELETE FROM evaluations WHERE id = ?", [identity]).rowcount > 0

    def tags(self) -> list[str]:
        """Every tag in use."""
        rows = self.reading("SELECT DISTINCT tags FROM evaluations")
        return sorted({tag for row in rows for tag in _tags(row["tags"])})


def insert(connection: sqlite3.Connection, saved: SavedEvaluation) -> str:
    """Within a transaction: one more evaluation."""
    identity = secrets.token_hex(8)
    created = saved.created or datetime.now(UTC).isoformat(timespec="seconds")
    plain = [saved.name, saved.note, _tag_text(saved.tags), saved.kind, saved.source, saved.n, saved.positives]
    texts = [saved.verdict, json.dumps(saved.summary), json.dumps(saved.question)]
    packed = [_packed(getattr(saved, name)) for name in _PACKED]
    marks = ", ".join("?" * (2 + len(plain) + len(texts) + len(packed)))
    connection.execute(
        f"INSERT INTO evaluations ({_WHOLE}) VALUES ({marks})", [identity, created, *plain, *texts, *packed]
    )
    return identity


def _tag_text(tags: Sequence[str]) -> str:
    return json.dumps(list(dict.fromkeys(tags)), ensure_ascii=False)


def _packed(value: Any) -> bytes | None:
    return None if value is None else gzip.compress(json.dumps(value, allow_nan=False).encode(), 5, mtime=0)


def _sought(search: str, tag: str) -> tuple[str, list[str]]:
    """Return a condition and its values."""
    wheres, values = ["1"], []
    for word in search.split()[:10]:
        wheres.append(
            "instr(folded(name || ' ' || note || ' ' || tags || ' ' || source || ' ' || kind), folded(?)) > 0"
        )
        values.append(word)
    if tag:
        wheres.append("instr(tags, ?) > 0")
        values.append(json.dumps(tag, ensure_ascii=False))
    return " AND ".join(wheres), values


def _listed(row: sqlite3.Row) -> Row:
    """Return what a list shows of an evaluation; of one that cannot be read, its name and the reason."""
    found = {name: row[name] for name in _SHORT.split(", ")} | {"unreadable": None}
    try:
        found |= {name: read_json(row[name]) for name in ("tags", "summary")}
        problem = listed_problem(found)
    except (ValueError, RecursionError) as error:
        problem = f"its tags or its summary are damaged ({str(error)[:100]})"
    if problem is None:
        return found
    return found | {"n": None, "positives": None, "summary": {}, "tags": _tags(row["tags"]), "unreadable": problem}


def _whole(row: sqlite3.Row) -> Row:
    """Return all that is kept of an evaluation; of one that cannot be read, what a list shows, and nothing else."""
    found = _listed(row)
    try:
        kept = {"question": read_json(row["question"])}
        kept |= {name: None if row[name] is None else read_json(gzip.decompress(row[name])) for name in _PACKED}
        problem = kept_problem(kept)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        problem = f"what was kept of it is damaged ({str(error)[:100]})"
    if problem is None:
        return found | kept
    nothing = dict.fromkeys(_PACKED) | {"question": {}, "result": {}}
    return found | nothing | {"unreadable": found["unreadable"] or problem}


def _tags(text: str) -> list[str]:
    """Return tags as far as they are texts."""
    try:
        found = read_json(text)
    except (ValueError, RecursionError):
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY / 1000)
    connection.row_factory = sqlite3.Row
    connection.create_function("folded", 1, str.casefold, deterministic=True)  # SQLite's own knows ASCII alone
    for each in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {each}")
    return connection


@contextlib.contextmanager
def _only_one(path: Path) -> Iterator[None]:
    """Two servers on one history would each believe that it is theirs: the second is refused."""
    try:
        import fcntl
    except ImportError:  # Windows: SQLite's own locks keep the file whole
        yield
        return
    with path.with_name(f"{path.name}.lock").open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            hint = "Hint: use that one, stop it, or give this one another --history."
            raise StoreError(f"another server has {path} open. {hint}") from None
        yield


@contextlib.contextmanager
def _plainly(path: Path) -> Iterator[None]:
    """Raise in plain words what the system or the database says."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        said = str(error)
        hint = "Hint: free disk space, and try again; nothing that was saved is lost." if "full" in said else ""
        raise StoreError(f"the history {path} cannot be used: {said}. {hint}".strip()) from None
    except OSError as error:
        raise StoreError(f"the history {path} cannot be used: {error.strerror or error}.") from None


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

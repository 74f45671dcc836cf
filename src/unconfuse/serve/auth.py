"""Who may come in: tokens (kept as SHA-256, revocable, read-only or read-write), links for one use, and sessions.

Secrets are 256 random bits: guessing them is hopeless, so that failures never keep anybody out who has a right one.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from unconfuse._errors import ArgumentError
from unconfuse.serve.store import HistoryStore

LASTS = 12 * 3600.0  # seconds that a browser stays known: a long working day
ONCE = 900.0  # seconds in which a link for one use must be opened
FAILURES, WINDOW = 10, 60.0  # of one address, of which further ones are told to wait
_ADDRESSES = 4096  # whose failures are counted
_ASTRAY = 3600.0  # seconds by which a clock may have been set back since a session began
_LONGEST = 200


@dataclass(frozen=True)
class AuthenticatedUser:
    """Somebody who was let in."""

    name: str
    may_write: bool


def hashed(secret: str) -> bytes:
    """Return what is kept of a secret. It is random and long: a slow hash would protect nothing more."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _hashed_link(secret: str) -> bytes:
    """Return what is kept of a link: by another hash, so that a link is no cookie."""
    return hashlib.blake2b(secret[:_LONGEST].encode("utf-8", "surrogatepass"), digest_size=32, person=b"link").digest()


class Authenticator:
    """Exchanges tokens for sessions and knows visitors again."""

    def __init__(self, store: HistoryStore, clock: Any = time.time) -> None:
        self._store, self._clock = store, clock
        self._failures: dict[str, list[float]] = {}

    def create_login_link(self) -> str:
        """Create a secret that opens a session once."""
        secret = secrets.token_urlsafe(32)
        self._begin(_hashed_link(secret), None, may_write=False, seconds=ONCE)
        return secret

    def has_failed_too_often(self, address: str) -> bool:
        """Count one more failure of an address; whether it had its share of them before."""
        now = self._clock()
        if len(self._failures) >= _ADDRESSES:
            self._failures = {each: times for each, times in self._failures.items() if times[-1] > now - WINDOW}
            self._failures = {} if len(self._failures) >= _ADDRESSES else self._failures
        recent = [each for each in self._failures.get(address, ()) if each > now - WINDOW]
        self._failures[address] = [*recent, now][-FAILURES:]
        return len(recent) >= FAILURES

    def from_one_time_link(self, secret: str) -> str | None:
        """Open a new session for a link that was not used before."""
        with self._store.writing() as connection:
            query = "DELETE FROM sessions WHERE hash = ? AND expires > ?"
            if not connection.execute(query, [_hashed_link(secret), self._clock()]).rowcount:
                return None
        return self._session(None, may_write=True)

    def from_token(self, secret: str) -> tuple[AuthenticatedUser, int] | None:
        """Return the visitor with this token, and the token's number."""
        rows = self._store.reading("SELECT id, name, hash, may_write FROM tokens")
        content = self._match(hashed(secret[:_LONGEST]), [row["hash"] for row in rows])
        if content is None:
            return None
        row = next(each for each in rows if each["hash"] == content)
        return AuthenticatedUser(row["name"], bool(row["may_write"])), int(row["id"])

    def log_in(self, secret: str) -> str | None:
        """Open a new session for a token."""
        found = self.from_token(secret)
        if found is None:
            return None
        with self._store.writing() as connection:
            connection.execute("UPDATE tokens SET used = ? WHERE id = ?", [_now(), found[1]])
        return self._session(found[1], may_write=found[0].may_write)

    def from_session(self, secret: str) -> AuthenticatedUser | None:
        """Return the visitor with this cookie."""
        query = (
            "SELECT sessions.may_write AS may_write, coalesce(tokens.name, 'you') AS name FROM sessions "
            "LEFT JOIN tokens ON tokens.id = sessions.token WHERE sessions.hash = ? AND expires > ? AND expires < ?"
        )
        now = self._clock()  # sessions of earlier versions lasted longer than any does now
        found = self._store.reading(query, [hashed(secret[:_LONGEST]), now, now + LASTS + _ASTRAY])
        return AuthenticatedUser(found[0]["name"], bool(found[0]["may_write"])) if found else None

    def log_out(self, secret: str) -> None:
        """Forget a session."""
        with self._store.writing() as connection:
            connection.execute("DELETE FROM sessions WHERE hash = ?", [hashed(secret[:_LONGEST])])

    def _session(self, token: int | None, *, may_write: bool) -> str:
        secret = secrets.token_urlsafe(32)
        self._begin(hashed(secret), token, may_write=may_write, seconds=LASTS)
        return secret

    def _begin(self, known_by: bytes, token: int | None, *, may_write: bool, seconds: float) -> None:
        now = self._clock()
        with self._store.writing() as connection:
            connection.execute("DELETE FROM sessions WHERE expires <= ?", [now])
            connection.execute(
                "INSERT INTO sessions (hash, token, may_write, expires) VALUES (?, ?, ?, ?)",
                [known_by, token, int(may_write), now + seconds],
            )

    @staticmethod
    def _match(given: bytes, known: list[bytes]) -> bytes | None:
        """All are compared, each in constant time."""
        found = [content for content in known if hmac.compare_digest(given, content)]
        return found[0] if found else None


def add_token(store: HistoryStore, name: str, *, may_write: bool) -> str:
    """Add a token and return it: it is shown once and never kept."""
    if not name.strip() or len(name) > 60 or not name.isprintable():
        raise ArgumentError(f"a token needs a name of 1 to 60 letters, such as that of a colleague; got {name[:80]!r}.")
    if any(row["name"] == name for row in store.reading("SELECT name FROM tokens")):
        raise ArgumentError(f"there is a token named {name!r} already. Hint: revoke it first, or take another name.")
    secret = secrets.token_urlsafe(32)
    with store.writing() as connection:
        connection.execute(
            "INSERT INTO tokens (name, hash, may_write, created) VALUES (?, ?, ?, ?)",
            [name, hashed(secret), int(may_write), _now()],
        )
    return secret


def revoke_token(store: HistoryStore, name: str) -> None:
    """End a token and every session that began with it."""
    with store.writing() as connection:
        if not connection.execute("DELETE FROM tokens WHERE name = ?", [name]).rowcount:
            known = ", ".join(row["name"] for row in store.reading("SELECT name FROM tokens")) or "none"
            raise ArgumentError(f"there is no token named {name[:60]!r}. Hint: there are {known}.")


def revoke_all(store: HistoryStore, *, tokens: bool) -> tuple[int, int]:
    """End every session and every link that was not opened yet, and every token if asked; how many tokens and others.

    A running server heeds it with the next request.
    """
    with store.writing() as connection:
        ended = connection.execute("DELETE FROM sessions").rowcount
        return (connection.execute("DELETE FROM tokens").rowcount if tokens else 0), ended


def list_tokens(store: HistoryStore) -> list[dict[str, Any]]:
    """Names and rights, never the tokens."""
    return [dict(row) for row in store.reading("SELECT name, may_write, created, used FROM tokens ORDER BY name")]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

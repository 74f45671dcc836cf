"""Who may come in: tokens (kept as SHA-256, revocable, read-only or read-write), sessions, and a limit on guessing."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from unconfuse._errors import ArgumentError
from unconfuse.serve.store import Store

LASTS = 30 * 86_400.0  # seconds that a browser stays known
ONCE = 900.0  # seconds in which a link for one use must be opened
FAILURES, WINDOW = 10, 60.0
_LONGEST = 200


@dataclass(frozen=True)
class Visitor:
    """Somebody who was let in."""

    name: str
    may_write: bool


def hashed(secret: str) -> bytes:
    """What is kept of a secret. It is random and long: a slow hash would protect nothing more."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


class Doorkeeper:
    """Exchanges tokens for sessions and knows visitors again."""

    def __init__(self, store: Store, clock: Any = time.time) -> None:
        self._store, self._clock = store, clock
        self._once: dict[bytes, float] = {}
        self._failures: deque[float] = deque()

    def link_for_one_use(self) -> str:
        """A secret that opens a session once."""
        secret = secrets.token_urlsafe(32)
        self._once[hashed(secret)] = self._clock() + ONCE
        return secret

    def is_closed(self) -> bool:
        """Whether there were so many failures of late that nobody is let in by a token for now."""
        now = self._clock()
        while self._failures and self._failures[0] <= now - WINDOW:
            self._failures.popleft()
        return len(self._failures) >= FAILURES

    def by_once(self, secret: str) -> str | None:
        """A new session for a link that was not used before."""
        known = self._match(hashed(secret[:_LONGEST]), list(self._once))
        expires = self._once.pop(known, 0.0) if known else 0.0
        if expires < self._clock():
            self._failures.append(self._clock())
            return None
        return self._session(None, may_write=True)

    def by_token(self, secret: str) -> tuple[Visitor, int] | None:
        """The visitor with this token, and the token's number."""
        rows = self._store.reading("SELECT id, name, hash, may_write FROM tokens")
        known = self._match(hashed(secret[:_LONGEST]), [row["hash"] for row in rows])
        if known is None:
            self._failures.append(self._clock())
            return None
        row = next(each for each in rows if each["hash"] == known)
        return Visitor(row["name"], bool(row["may_write"])), int(row["id"])

    def log_in(self, secret: str) -> str | None:
        """A new session for a token."""
        found = self.by_token(secret)
        if found is None:
            return None
        with self._store.writing() as connection:
            connection.execute("UPDATE tokens SET used = ? WHERE id = ?", [_now(), found[1]])
        return self._session(found[1], may_write=found[0].may_write)

    def by_session(self, secret: str) -> Visitor | None:
        """The visitor with this cookie."""
        query = (
            "SELECT sessions.may_write AS may_write, coalesce(tokens.name, 'you') AS name FROM sessions "
            "LEFT JOIN tokens ON tokens.id = sessions.token WHERE sessions.hash = ? AND expires > ?"
        )
        found = self._store.reading(query, [hashed(secret[:_LONGEST]), self._clock()])
        return Visitor(found[0]["name"], bool(found[0]["may_write"])) if found else None

    def log_out(self, secret: str) -> None:
        """Forget a session."""
        with self._store.writing() as connection:
            connection.execute("DELETE FROM sessions WHERE hash = ?", [hashed(secret[:_LONGEST])])

    def _session(self, token: int | None, *, may_write: bool) -> str:
        secret, now = secrets.token_urlsafe(32), self._clock()
        with self._store.writing() as connection:
            connection.execute("DELETE FROM sessions WHERE expires <= ?", [now])
            connection.execute(
                "INSERT INTO sessions (hash, token, may_write, expires) VALUES (?, ?, ?, ?)",
                [hashed(secret), token, int(may_write), now + LASTS],
            )
        return secret

    @staticmethod
    def _match(given: bytes, known: list[bytes]) -> bytes | None:
        """All are compared, each in constant time."""
        found = [each for each in known if hmac.compare_digest(given, each)]
        return found[0] if found else None


def add_token(store: Store, name: str, *, may_write: bool) -> str:
    """A new token, which is shown once and never kept."""
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


def revoke_token(store: Store, name: str) -> None:
    """End a token and every session that began with it."""
    with store.writing() as connection:
        if not connection.execute("DELETE FROM tokens WHERE name = ?", [name]).rowcount:
            known = ", ".join(row["name"] for row in store.reading("SELECT name FROM tokens")) or "none"
            raise ArgumentError(f"there is no token named {name[:60]!r}. Hint: there are {known}.")


def list_tokens(store: Store) -> list[dict[str, Any]]:
    """Names and rights, never the tokens."""
    return [dict(row) for row in store.reading("SELECT name, may_write, created, used FROM tokens ORDER BY name")]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

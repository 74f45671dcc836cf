"""What every request passes first: is it meant for this server, does it come from its pages, who sends it, how much?

Nothing is answered that was not allowed. Websockets are not spoken here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, JSONResponse, Response

from unconfuse.serve.auth import AuthenticatedUser, Authenticator
from unconfuse.serve.login import login_page, reload_page
from unconfuse.serve.settings import ServerSettings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = TypeVar("Answer", bound=Response)
SAFE = frozenset(("GET", "HEAD"))
PUBLIC = frozenset(("/login", "/open"))  # what those who have no session yet may ask for
BRINGS_FILES = frozenset(("/api/files", "/api/history"))
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class TooLargeError(Exception):
    """The body of a request goes on beyond what is taken."""


class TooSlowError(Exception):
    """The body of a request comes so slowly that it is not awaited."""


class SecurityMiddleware:
    """Around the whole app."""

    def __init__(self, app: Any, settings: ServerSettings, doorkeeper: Authenticator) -> None:
        self._app, self._settings, self._doorkeeper = app, settings, doorkeeper
        self._at_work = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        self._at_work += 1
        try:
            refusal = self._refusal(scope)
            if refusal is None and scope["path"] not in PUBLIC:
                refusal = await self._admit(scope)
            await (refusal or self._answer)(scope, receive, _with_headers(send))
        finally:
            self._at_work -= 1

    def _refusal(self, scope: Scope) -> Response | None:
        """Return what is wrong with a request, whoever sends it."""
        if self._at_work > self._settings.limits.requests:
            return later(503, "too many requests are being answered. Hint: try again in a few seconds.", 5)
        hosts = _all(scope, b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._settings.hosts:
            return refused(403, "this server is not known by that name. Hint: see --allowed-host.")
        if not self._is_from_here(scope):
            return refused(403, "this request comes from another site, and is refused.")
        if self._is_too_large(scope):
            return refused(413, f"that is more than the {self._most(scope) >> 20} MB that are taken here.")
        return None

    def _is_from_here(self, scope: Scope) -> bool:
        """Tell whether a request that changes something comes from our own pages, or from a program with a token."""
        origin, site = _first(scope, b"origin"), _first(scope, b"sec-fetch-site")
        if scope["method"] in SAFE:
            navigates = _first(scope, b"sec-fetch-mode") in (None, "navigate")
            return site in (None, "same-origin", "none") or navigates
        if origin == "null" and site == "same-origin":  # a form of our pages, which send no referrer and so no origin
            return True
        if origin is not None and origin.lower() not in self._settings.origins:
            return False
        if site is not None and site not in ("same-origin", "none"):
            return False
        return origin is not None or site == "same-origin" or _bearer(scope) is not None

    def _most(self, scope: Scope) -> int:
        limits = self._settings.limits
        return limits.upload if scope["path"] in BRINGS_FILES else limits.body

    def _is_too_large(self, scope: Scope) -> bool:
        length = _first(scope, b"content-length")
        return length is not None and (not length.isdecimal() or int(length[:20]) > self._most(scope))

    async def _admit(self, scope: Scope) -> Response | None:
        visitor, refusal = await self._visitor(scope)
        if refusal is not None:
            return refusal
        if visitor is None:
            return self._stranger(scope)
        if scope["method"] not in SAFE and not visitor.may_write and scope["path"] != "/logout":
            return refused(403, "your token may read but not change anything.")
        scope["visitor"] = visitor
        return None

    async def _visitor(self, scope: Scope) -> tuple[AuthenticatedUser | None, Response | None]:
        token = _bearer(scope)
        if token is None:
            secret = cookie_of(scope, self._settings.cookie)
            return (None if secret is None else self._doorkeeper.from_session(secret)), None
        found = await asyncio.to_thread(self._doorkeeper.from_token, token)
        if found is None and self._doorkeeper.has_failed_too_often(address_of(scope)):
            return None, too_often()
        return (None if found is None else found[0]), None

    def _stranger(self, scope: Scope) -> Response:
        if scope["path"].startswith(("/api/", "/static/")) or scope["method"] not in SAFE:
            return refused(401, "a token is needed. Hint: open the link that `unconfuse serve` printed.")
        if _first(scope, b"sec-fetch-site") == "cross-site":  # the cookie was held back: from our own page it is sent
            return HTMLResponse(reload_page(), 401, headers=_page_policy(reload_page()))
        page = login_page(scope["path"])
        return HTMLResponse(page, 401, headers=_page_policy(page))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what comes in, and stop where it is too much or comes too slowly."""
        most, limits, started = self._most(scope), self._settings.limits, False
        waited, seen, is_whole = 0.0, 0, False

        async def counted() -> Message:
            nonlocal waited, seen, is_whole
            start = time.monotonic()
            try:
                async with asyncio.timeout(None if is_whole else limits.patience + seen / limits.pace - waited):
                    message = await receive()
            except TimeoutError:
                raise TooSlowError from None
            waited += time.monotonic() - start
            seen += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if seen > most:
                raise TooLargeError
            return message

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, counted, noted)
        except TooLargeError:
            if not started:
                await refused(413, f"that is more than the {most >> 20} MB that are taken here.")(scope, receive, send)
        except TooSlowError:
            if not started:
                answer = refused(408, "the request comes too slowly. Hint: try again by a faster connection.")
                answer.headers["connection"] = "close"
                await answer(scope, receive, send)
        except ClientDisconnect:  # a request that was broken off is nobody's error, and nobody waits for an answer
            return


def refused(status: int, message: str, field: str | None = None, remedy: dict[str, Any] | None = None) -> JSONResponse:
    """Word a refusal as every part of the app does; the field is where a form shows it, the remedy a button there."""
    return JSONResponse({"error": {"message": message, "field": field, "remedy": remedy}}, status)


def later(status: int, message: str, seconds: float) -> JSONResponse:
    """Return a refusal that will not be one for long."""
    return told_to_wait(refused(status, message), seconds)


def told_to_wait(answer: Answer, seconds: float) -> Answer:
    """Return the answer with the time after which to try again."""
    answer.headers["retry-after"] = str(max(1, round(seconds)))
    return answer


def too_often() -> JSONResponse:
    """Too many wrong tokens."""
    return later(429, "too many failed attempts. Hint: wait a minute, then try again.", 60)


def address_of(scope: Scope) -> str:
    """Where a request comes from; behind a proxy, all come from there."""
    return str((scope.get("client") or ("",))[0])


def is_https(scope: Scope, settings: ServerSettings) -> bool:
    """Whether the browser speaks https: to us, to the name it called, or as a proxy says.

    What a proxy says can be made up by a program that calls us directly, which then spoils nothing but its own cookie.
    """
    forwarded = (_first(scope, b"x-forwarded-proto") or "").rpartition(",")[2].strip().lower()
    return scope["scheme"] == "https" or settings.is_https(_first(scope, b"host") or "", forwarded)


def cookie_of(scope: Scope, name: str) -> str | None:
    """One cookie, if it was sent."""
    try:
        found = SimpleCookie("; ".join(_all(scope, b"cookie"))).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


def _page_policy(page: str) -> dict[str, str]:
    from unconfuse.serve.login import policy_of

    return {"content-security-policy": policy_of(page)}


def _all(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _first(scope: Scope, name: bytes) -> str | None:
    return next(iter(_all(scope, name)), None)


def _bearer(scope: Scope) -> str | None:
    kind, _, token = (_first(scope, b"authorization") or "").partition(" ")
    return token.strip() if kind.lower() == "bearer" and token.strip() else None


def _with_headers(send: Send) -> Send:
    """Every answer says what a browser may do with it; an answer's own word stands."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {key.lower() for key, _ in message.get("headers", ())}
            more = [(key.encode(), value.encode()) for key, value in HEADERS.items() if key.encode() not in given]
            message["headers"] = [*message.get("headers", ()), *more]
        await send(message)

    return sent

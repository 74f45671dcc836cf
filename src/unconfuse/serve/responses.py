"""How requests are read and answers are worded: strict JSON in, refusals with the field they belong to out."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from unconfuse._errors import InputError, UnconfuseError
from unconfuse._formatting import read_json
from unconfuse.serve.app_state import AppState
from unconfuse.serve.middleware import refused, told_to_wait
from unconfuse.serve.page_layout import refusal_page
from unconfuse.serve.questions import FieldError, NoRoomError
from unconfuse.serve.settings import BusyError
from unconfuse.serve.store import StoreError
from unconfuse.serve.worker_pool import WorkerCrashedError

Endpoint = Callable[[Request], Awaitable[Response]]
ID = re.compile(r"[0-9a-f]{16}")
_REFUSALS = (UnconfuseError, WorkerCrashedError)
_TITLES = {404: "Nothing here", 422: "This cannot be shown", 429: "Too much at once", 507: "No room"}


class NotFoundError(UnconfuseError):
    """There is nothing of that name."""


_STATUS = {NotFoundError: 404, BusyError: 429, StoreError: 507, NoRoomError: 507}


def desk_of(request: Request) -> AppState:
    """Return what requests need."""
    desk: AppState = request.app.state.desk
    return desk


def owner_of(request: Request) -> str:
    """Whose files a request brings."""
    return str(request.scope["visitor"].name)


def errors_as_json(endpoint: Endpoint) -> Endpoint:
    """Refusals as JSON, with the status that programs expect."""

    @wraps(endpoint)
    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except _REFUSALS as error:
            said = error if isinstance(error, FieldError) else FieldError(None, str(error))
            return _in_time(refused(_status_of(error), **said.as_dict()), error)

    return answered


def errors_as_page(endpoint: Endpoint) -> Endpoint:
    """Refusals as a page for people, with the same status."""

    @wraps(endpoint)
    async def answered(request: Request) -> Response:
        try:
            return await endpoint(request)
        except _REFUSALS as error:
            status = _status_of(error)
            return _in_time(refusal_page(request, _TITLES[status], str(error), status), error)

    return answered


def _status_of(error: Exception) -> int:
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 422)


def _in_time(answer: Response, error: Exception) -> Response:
    """Say when to come again, where that helps."""
    return answer if not isinstance(error, BusyError) else told_to_wait(answer, error.seconds)


async def body_of(request: Request) -> Any:
    """Strict JSON, or a refusal."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise FieldError("body", f"the request must be JSON (Content-Type: application/json); got {kind[:60]!r}.")
    try:
        return read_json(await request.body())
    except (ValueError, RecursionError) as error:
        raise FieldError("body", f"the request is not JSON: {str(error)[:100]}.") from None


def saved_of(request: Request) -> dict[str, Any]:
    """Return the evaluation that an address names."""
    identity = request.path_params["id"]
    found = desk_of(request).store.get(identity) if ID.fullmatch(identity) else None
    if found is None:
        raise NotFoundError("there is no such evaluation. Hint: it may have been deleted.")
    return found


def readable_of(request: Request) -> dict[str, Any]:
    """Return the evaluation that an address names, unless what was kept of it is damaged."""
    found = saved_of(request)
    if found["unreadable"] is not None:
        raise InputError(unreadable_text(found))
    return found


def unreadable_text(saved: dict[str, Any]) -> str:
    """Say why an evaluation cannot be shown."""
    return f"this evaluation cannot be read: {saved['unreadable']}. Hint: delete it, or import it again."


def query_of(request: Request, *known: str) -> dict[str, str]:
    """Return what an address asks; what is not known is refused, and so is what is asked twice."""
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in known or name in found or len(value) > 200 or "\0" in value:
            raise FieldError(
                name[:60], f"this address takes {' and '.join(known) or 'nothing'} after its question mark, once each."
            )
        found[name] = value
    return found


def whole_of(words: dict[str, str], name: str, default: int, *, least: int = 0, most: int = 10**9) -> int:
    """Return a whole number that an address gives."""
    given = words.get(name) or str(default)
    if not (given.isascii() and given.isdigit() and least <= int(given) <= most):
        raise FieldError(name, f"`{name}` must be a whole number between {least:,} and {most:,}; got {given[:40]!r}.")
    return int(given)

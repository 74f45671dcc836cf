"""The app, its routes behind the guard; and a server of it: open the history, listen, say where, open the browser.

The link that lets the first visitor in is shown to a person at a terminal. Elsewhere what is said ends in journals and
logs, which others can read: there the link goes into a file of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from unconfuse._atomic_files import temporary_folder
from unconfuse._errors import InputError
from unconfuse.serve import history_pages, login_routes, question_pages, rest
from unconfuse.serve.app_state import AppState
from unconfuse.serve.http_protocol import HttpProtocol
from unconfuse.serve.middleware import SecurityMiddleware
from unconfuse.serve.settings import ServerSettings
from unconfuse.serve.store import HistoryStore


def app_of(desk: AppState) -> Starlette:
    """Build the app around a desk."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        ready = asyncio.create_task(desk.children.prepare())  # nobody waits for the first child
        yield
        ready.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ready
        await desk.jobs.close()
        await desk.children.close()

    app = Starlette(
        routes=[*login_routes.ROUTES, *question_pages.ROUTES, *history_pages.ROUTES, *rest.ROUTES],
        middleware=[Middleware(SecurityMiddleware, settings=desk.settings, doorkeeper=desk.doorkeeper)],
        exception_handlers={404: question_pages.nothing_there, 405: rest.nothing_there, 400: rest.nothing_there},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.desk = desk
    return app


def serve(settings: ServerSettings, *, browser: bool, say: Callable[[str], None], is_private: bool) -> None:
    """Run until told to stop; `is_private` if only the person who started it sees what is said."""
    with contextlib.ExitStack() as opened:
        listening = opened.enter_context(contextlib.closing(_listening(settings)))
        settings = _with_port(settings, listening.getsockname()[1])
        store = opened.enter_context(contextlib.closing(HistoryStore(settings.history)))
        folder = Path(opened.enter_context(temporary_folder("unconfuse-serve-")))
        desk = AppState.opened(settings, store, folder)
        address = f"{settings.origins[0]}/open?once={desk.doorkeeper.create_login_link()}"
        say(f"unconfuse is at {settings.origins[0]}, and keeps its history in {settings.history}")
        if is_private:
            say(f"open this link, once: {address}")
        else:
            place = opened.enter_context(_link_file(settings.history, address))
            say(
                f"the link that opens it, once, is in {place} for 15 minutes. Hint: later, use `unconfuse serve token`."
            )
        if browser:
            webbrowser.open(address)
        signal.set_wakeup_fd(-1)  # the server ends by itself, in its own time
        # A form that it cannot read is refused in words.
        logging.getLogger("python_multipart").setLevel(logging.CRITICAL)
        quiet: Any = {"access_log": False, "log_level": "warning", "server_header": False, "date_header": False}
        spoken: Any = {"http": HttpProtocol, "ws": "none", "proxy_headers": False, "timeout_keep_alive": 15}
        config = uvicorn.Config(app_of(desk), lifespan="on", **quiet, **spoken)
        uvicorn.Server(config).run(sockets=[listening])


@contextlib.contextmanager
def _link_file(history: Path, address: str) -> Iterator[Path]:
    """Keep a file beside the history that only its owner can read, for as long as the server runs."""
    place = history.with_name(f"{history.name}.link")
    place.unlink(missing_ok=True)
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(f"{address}\n")
    try:
        yield place
    finally:
        place.unlink(missing_ok=True)


def _listening(settings: ServerSettings) -> socket.socket:
    kind = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    made = socket.socket(kind, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((settings.host, settings.port))
        made.listen(256)  # before anybody is told where: whoever comes early waits
    except (OSError, OverflowError) as error:
        made.close()
        hint = "Hint: choose another with --port, or 0 for any that is free."
        raise InputError(
            f"port {settings.port} of {settings.host} cannot be used: {getattr(error, 'strerror', error)}. {hint}"
        ) from None
    return made


def _with_port(settings: ServerSettings, port: int) -> ServerSettings:
    """Port 0 means any that is free: only now it is known which."""
    if settings.port:
        return settings
    origins = tuple(
        f"{origin.removesuffix(':0')}:{port}" if origin.endswith(":0") else origin for origin in settings.origins
    )
    return replace(settings, port=port, origins=origins)

"""The app: its routes behind the guard, and what it opens and closes with itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware

from unconfuse.serve import entry, pages, rest, saved_pages
from unconfuse.serve.guard import Guard
from unconfuse.serve.work import Desk


def app_of(desk: Desk) -> Starlette:
    """The app around a desk."""

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        ready = asyncio.create_task(desk.children.prepare())  # nobody waits for the first child
        yield
        ready.cancel()
        with suppress(asyncio.CancelledError):
            await ready
        await desk.jobs.close()
        await desk.children.close()

    app = Starlette(
        routes=[*entry.ROUTES, *pages.ROUTES, *saved_pages.ROUTES, *rest.ROUTES],
        middleware=[Middleware(Guard, settings=desk.settings, doorkeeper=desk.doorkeeper)],
        exception_handlers={404: pages.nothing_there, 405: rest.nothing_there, 400: rest.nothing_there},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.desk = desk
    return app

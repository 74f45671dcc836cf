"""The app: its routes behind the guard, and what it opens and closes with itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware

from unconfuse.serve import history_pages, login_routes, question_pages, rest
from unconfuse.serve.app_state import AppState
from unconfuse.serve.middleware import SecurityMiddleware


def app_of(desk: AppState) -> Starlette:
    """Build the app around a desk."""

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
        routes=[*login_routes.ROUTES, *question_pages.ROUTES, *history_pages.ROUTES, *rest.ROUTES],
        middleware=[Middleware(SecurityMiddleware, settings=desk.settings, doorkeeper=desk.doorkeeper)],
        exception_handlers={404: question_pages.nothing_there, 405: rest.nothing_there, 400: rest.nothing_there},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.desk = desk
    return app

"""The way in and out: a link for one use, a token typed in, and the end of a session."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from unconfuse.serve.auth import LASTS
from unconfuse.serve.login import login_page, policy_of
from unconfuse.serve.middleware import address_of, cookie_of, is_https, too_often
from unconfuse.serve.responses import desk_of

_OWN_PAGE = re.compile(r"/(?![/\\])[A-Za-z0-9/_.-]{0,200}")
_LONGEST = 4096


async def open_link(request: Request) -> Response:
    """Turn a link for one use into a session; the address with the secret is left at once."""
    doorkeeper = desk_of(request).doorkeeper
    session = await asyncio.to_thread(doorkeeper.from_one_time_link, request.query_params.get("once", ""))
    if session is None:
        words = "This link was used before, or is too old. Start unconfuse serve again, or give a token."
        return _asked_again(request, words)
    return _let_in(request, session, "/")


async def see_login(request: Request) -> Response:
    """Where a token is typed in."""
    return _page(login_page())


async def log_in(request: Request) -> Response:
    """Turn a token into a session."""
    doorkeeper = desk_of(request).doorkeeper
    try:
        given = parse_qs((await request.body())[:_LONGEST].decode("utf-8", "replace"), max_num_fields=5)
    except ValueError:
        given = {}
    session = await asyncio.to_thread(doorkeeper.log_in, given.get("token", [""])[0])
    if session is None:
        return _asked_again(request, "This token is not known here. It may have been revoked.")
    back = given.get("back", ["/"])[0]
    return _let_in(request, session, back if _OWN_PAGE.fullmatch(back) else "/")


async def log_out(request: Request) -> Response:
    """Forget this browser."""
    desk = desk_of(request)
    secret = cookie_of(request.scope, desk.settings.cookie)
    if secret is not None:
        await asyncio.to_thread(desk.doorkeeper.log_out, secret)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(
        desk.settings.cookie, path="/", httponly=True, samesite="strict", secure=is_https(request.scope, desk.settings)
    )
    return answer


def _let_in(request: Request, session: str, back: str) -> Response:
    settings = desk_of(request).settings
    answer = RedirectResponse(back, 303)
    answer.set_cookie(
        settings.cookie,
        session,
        max_age=int(LASTS),
        path="/",
        httponly=True,
        samesite="strict",
        secure=is_https(request.scope, settings),
    )
    return answer


def _asked_again(request: Request, words: str) -> Response:
    """Only who failed is told to wait: a right token opens at once, whatever others have tried."""
    if desk_of(request).doorkeeper.has_failed_too_often(address_of(request.scope)):
        return too_often()
    return _page(login_page(wrong=words), 401)


def _page(page: str, status: int = 200) -> Response:
    return HTMLResponse(page, status, headers={"content-security-policy": policy_of(page)})


ROUTES = [
    Route("/open", open_link),
    Route("/login", see_login),
    Route("/login", log_in, methods=["POST"]),
    Route("/logout", log_out, methods=["POST"]),
]

"""`unconfuse serve`: the local web app, and the tokens of those who may use it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unconfuse._errors import ArgumentError
from unconfuse.cli._help import FormerGroup
from unconfuse.cli._layout import harmless
from unconfuse.cli._options import option, several

if TYPE_CHECKING:
    from unconfuse.serve.store import HistoryStore

_NEEDED = ("starlette", "uvicorn", "python_multipart")


class _Serve(FormerGroup):
    """Asks about a number that is no command."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command; a number by itself is meant as a port."""
        if args[0].isdigit():
            ctx.fail(f"there is no command {args[0][:10]!r}. Hint: unconfuse serve --port {args[0][:10]}.")
        return super().resolve_command(ctx, args)


@click.group(cls=_Serve, invoke_without_command=True)
@option("--port N", "Port to listen on; 0 takes any that is free.", default=8765)
@option(
    "--host ADDRESS", "Address to listen on. Others can reach you if it is not this machine's own.", default="127.0.0.1"
)
@several(
    "--allowed-host NAME",
    "A name by which browsers may call the server, such as https://stats.example.org.",
    name="allowed",
)
@option("--root FOLDER", "Let users point to files below this folder, besides uploading.")
@option("--history FILE", "Where evaluations are kept. [default: in your home folder]")
@option(
    "--max-upload-mb MB",
    "Largest file that may be uploaded, in megabytes.",
    was="--largest",
    name="largest",
    default=256,
    type=click.IntRange(1, 10_000),
)
@option("--no-browser", "Print the link and open nothing.")
@click.pass_context
def serve(context: click.Context, /, **given: Any) -> None:
    """Evaluate classifiers in the browser: drop a file, see the page, keep it, compare it with an earlier one.

    Nothing is sent to any network; only this machine can reach the app, and only with the link that is printed.
    Without a terminal, the link is written to a file beside the history.

    \b
    unconfuse serve
    unconfuse serve --root ~/data --history ~/team.sqlite
    unconfuse serve token add anna --read-only
    """
    context.obj = given["history"]
    if context.invoked_subcommand is not None:
        return
    _check_packages()
    from dataclasses import replace

    from unconfuse.serve.run import serve as run
    from unconfuse.serve.settings import MEGABYTE, ResourceLimits, settings_for

    limits = replace(ResourceLimits(), upload=given["largest"] * MEGABYTE)
    root = None if given["root"] is None else Path(given["root"]).expanduser()
    settings = settings_for(
        _history(given["history"]), given["host"], given["port"], tuple(given["allowed"] or ()), root, limits
    )
    run(
        settings,
        browser=not given["no_browser"],
        say=lambda text: click.echo(harmless(text), err=True),
        is_private=sys.stderr is not None and sys.stderr.isatty(),
    )


@serve.group()
def token() -> None:
    """Manage who else may use a server: add, list and revoke tokens. A running server heeds changes at once."""


@token.command("add")
@click.argument("name")
@option("--read-only", "May look at what was saved, and change nothing.")
@click.pass_context
def add(context: click.Context, name: str, read_only: bool) -> None:
    """Make a token for somebody, and print it: it is not kept, and cannot be shown again."""
    from unconfuse.serve.auth import add_token

    store = _store(context)
    try:
        click.echo(add_token(store, name, may_write=not read_only))
    finally:
        store.close()


@token.command("list")
@click.pass_context
def list_all(context: click.Context) -> None:
    """Names and rights of all tokens."""
    from unconfuse.serve.auth import list_tokens

    store = _store(context)
    try:
        for each in list_tokens(store):
            rights = "read and write" if each["may_write"] else "read only"
            used = (each["used"] or "never")[:10]
            click.echo(f"{harmless(each['name'])}\t{rights}\tmade {each['created'][:10]}\tused {used}")
    finally:
        store.close()


@token.command("revoke")
@click.argument("name", required=False)
@option("--sessions", "End every session and every link that was not opened; tokens stay.")
@option("--all", "End every token, every session and every link.", name="everything")
@click.pass_context
def revoke(context: click.Context, name: str | None, sessions: bool, everything: bool) -> None:
    """End a token and every session that began with it, or all sessions, or all tokens and sessions.

    \b
    unconfuse serve token revoke anna
    unconfuse serve token revoke --all
    """
    from unconfuse.serve.auth import revoke_all, revoke_token

    if (name is not None) + sessions + everything != 1:
        raise ArgumentError("revoke takes the name of one token, --sessions or --all. Hint: give one of them.")
    store = _store(context)
    try:
        if name is not None:
            revoke_token(store, name)
            return
        tokens, others = revoke_all(store, tokens=everything)
        click.echo(f"ended: {tokens} tokens, {others} sessions and links")
    finally:
        store.close()


def _store(context: click.Context) -> HistoryStore:
    from unconfuse.serve.store import HistoryStore

    return HistoryStore(_history(context.obj), exclusive=False)  # of `serve`, whose commands inherit it


def _history(given: str | None) -> Path:
    from unconfuse.serve.settings import usual_history

    return usual_history() if given is None else Path(given).expanduser()


def _check_packages() -> None:
    from importlib.util import find_spec

    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        hint = 'Hint: pip install "unconfuse[serve]".'
        raise ArgumentError(
            f"the web app needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} missing. {hint}"
        )

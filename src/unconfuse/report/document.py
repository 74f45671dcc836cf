"""From a result, or a stored payload, to one HTML file or to the output of a notebook."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from unconfuse._errors import ArgumentError, InputError
from unconfuse._files import write_whole
from unconfuse.explorer import page_of
from unconfuse.report._check import check_payload
from unconfuse.report.payload import Page, payload_of

LARGEST = 50_000_000
HEIGHT = 760


def write_report(result: Any, path: str | PathLike[str], page: Page | None = None) -> Path:
    """Write the page of a result; nobody ever sees half a file."""
    target = Path(path)
    write_whole(target, page_of(payload_of(result, page)))
    return target


def render(payload: Any) -> str:
    """The page of a payload that was stored, after checking that it is one."""
    check_payload(payload)
    return page_of(payload)


def read_payload(path: str | PathLike[str]) -> Any:
    """A payload from a file, checked."""
    source = Path(path)
    try:
        if source.stat().st_size > LARGEST:
            raise InputError(f"{source} is too large to be a payload: {source.stat().st_size:,} bytes.")
        content = json.loads(source.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{source} is not JSON: {error}. Hint: make it with `unconfuse evaluate --payload`.") from None
    check_payload(content)
    return content


def _no_constant(name: str) -> Any:
    raise InputError(f"the payload holds {name}, which strict JSON does not know.")


@dataclass(frozen=True, repr=False)
class Explorer:
    """A page that a notebook shows in place; it stays alive in the exported HTML, and needs no network."""

    page: str
    height: int = HEIGHT

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" sandbox="allow-scripts" title="unconfuse" width="100%" '
            f'height="{self.height}" style="border:1px solid #8884;border-radius:8px"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Explorer: a page of {len(self.page):,} characters"


def explore(result: Any, page: Page | None = None, *, height: int = HEIGHT) -> Explorer:
    """The page of a result, to be shown in a notebook."""
    if not 200 <= height <= 10_000:
        raise ArgumentError(f"`height` must lie between 200 and 10,000 pixels; got {height}.")
    return Explorer(page_of(payload_of(result, page)), height)

"""Doors to rooms above: a thing that writes, draws or reads itself opens the room that knows how, by its name."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def room(name: str) -> ModuleType:
    """A module of unconfuse by its name as text, so that no room imports one above it.

    >>> room("ingest.table_files").FORMAT
    1
    """
    return import_module(f"unconfuse.{name}")

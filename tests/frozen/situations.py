"""The catalogue: every situation by its name, and what comes out of it as plain values."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import on_spark
import rows
import several_classes
import sources
import two_classes
import verbs
from flatten import plain
from rows import Situation

import unconfuse as uc


@cache
def nearby() -> dict[str, Situation]:
    """All that need no cluster."""
    parts = (two_classes, several_classes, sources, verbs)
    return {name: each for part in parts for name, each in part.situations().items()}


@cache
def catalogue() -> dict[str, Situation]:
    """All situations."""
    return nearby() | on_spark.situations()


def frozen(name: str) -> dict[str, Any]:
    """A situation's numbers and words, and what it warned of."""
    situation = catalogue()[name]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        flat = situation.read(situation.make())
    own = sorted({_without_path(each.message) for each in said if issubclass(each.category, uc.UnconfuseWarning)})
    flat |= {f"warning.{place}": text for place, text in enumerate(own)}
    return {key: plain(value) for key, value in flat.items()}


def _without_path(message: Any) -> str:
    return str(message).replace(str(rows.folder()), "FOLDER")

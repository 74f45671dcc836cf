"""How metrics are pickled, so that results can be: by name, with only what differs from the declaration.

Declarations hold small functions without a name of their own, which pickle cannot store.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from unconfuse._errors import ArgumentError
from unconfuse.metrics import METRICS, Metric, find_metric


def _reduced(metric: Metric) -> tuple[Callable[..., Metric], tuple[str, dict[str, Any]]]:
    declared = _declared(metric.name)
    values = {each.name: getattr(metric, each.name) for each in fields(Metric)}
    if declared is not None:
        values = {name: value for name, value in values.items() if not _same(value, getattr(declared, name), metric)}
    return _restored, (metric.name, values)


def _restored(name: str, changes: dict[str, Any]) -> Metric:
    declared = _declared(name)
    if declared is None or not changes:
        return declared or Metric(**changes)
    return Metric(**{each.name: getattr(declared, each.name) for each in fields(Metric)} | changes)


def _declared(name: str) -> Metric | None:
    """The metric of that name, or made by a factory called as the name says; None for a user's own."""
    try:
        return find_metric(name)
    except ArgumentError:
        return None


def _same(value: object, declared: object, metric: Metric) -> bool:
    """Whether a field needs no storing. A factory makes new functions of the same code at every call."""
    made = metric.name not in METRICS and hasattr(value, "__code__")
    return value is declared or (made and getattr(value, "__code__", 1) is getattr(declared, "__code__", 2))


copyreg.pickle(Metric, _reduced)

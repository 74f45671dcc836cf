"""Printed intervals: which method gives them from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric
from unconfuse.reconstruction.exact_ratios import Tables
from unconfuse.reconstruction.rounding import PrintedNumber
from unconfuse.table import Array, Counts
from unconfuse.uncertainty.interval_methods import METHODS

_USUAL_FIRST = ("wilson", "clopper_pearson", "wald", "jeffreys", "agresti_coull", "mid_p", "log", "f1_of_jaccard")


def methods_of(metric: Metric) -> list[str]:
    """Return the names of methods that could have made a printed interval of this metric."""
    closed = [
        name for name, interval_method in METHODS.items() if interval_method.source == "counts" and name != "posterior"
    ]
    return [name for name in dict.fromkeys((*_USUAL_FIRST, *closed)) if METHODS[name].serves(metric)]


def check_intervals(printed: Sequence[PrintedNumber]) -> None:
    """Refuse ends of intervals that no method here makes from four counts, or that are reversed."""
    for printed_number in printed:
        if (
            printed_number.end
            and printed_number.expression
            and printed_number.metric is not None
            and not methods_of(printed_number.metric)
        ):
            raise ArgumentError(
                f"`{printed_number.name}` is not supported: no interval of {printed_number.metric.name} can be "
                "checked. Hint: remove it."
            )
    ends = {each.name: each for each in printed if each.end}
    for name, low in ends.items():
        high = ends.get(name.removesuffix("_low") + "_high")
        if low.end == "low" and high is not None and low.value > high.value:
            raise ArgumentError(f"`{name}` must be at most `{high.name}`; got {low.text} and {high.text}.")


def reproduced(tables: Tables, ends: Sequence[PrintedNumber], rounding: str, level: float) -> Mapping[str, Array]:
    """For each method, the tables from which it gives these ends of one metric's interval, printed so."""
    metric = ends[0].metric
    assert metric is not None
    if not len(tables):
        return {name: np.zeros(0, dtype=bool) for name in methods_of(metric)}
    cells, back = _distinct(metric, tables)
    found = {}
    for name in methods_of(metric):
        with np.errstate(all="ignore"):
            low, high = METHODS[name].limits(metric, cells, level)
        agrees = np.ones(cells.shape, dtype=bool)
        for end in ends:
            agrees &= end.bounds(rounding).hold(low if end.end == "low" else high)
        found[name] = agrees[back]
    return found


def reachable(first: Tables, last: Tables, ends: Sequence[PrintedNumber], rounding: str, level: float) -> Any:
    """Whether some method's ends lie on both sides of those printed: limits rise with the successes."""
    metric = ends[0].metric
    assert metric is not None
    counts = [Counts.from_validated(**tables.cells()) for tables in (first, last)]
    found = np.zeros(len(first), dtype=bool)
    for name in methods_of(metric):
        with np.errstate(all="ignore"):
            limits = [METHODS[name].limits(metric, count, level) for count in counts]
        between = np.ones(len(first), dtype=bool)
        for end in ends:
            one, two = (np.asarray(pair[end.end == "high"]) for pair in limits)
            rounding_bounds = end.bounds(rounding)
            between &= ~(rounding_bounds.above(np.minimum(one, two)) | rounding_bounds.below(np.maximum(one, two)))
        found |= between
    return found


def _distinct(metric: Metric, tables: Tables) -> tuple[Counts, Any]:
    """Tables that differ in what the interval is made from: of a proportion, successes and trials alone."""
    counts = Counts.from_validated(**tables.cells())
    if metric.inference.fraction is None:
        return counts, np.arange(len(tables))
    parts = np.stack(np.broadcast_arrays(*metric.inference.fraction(counts)), axis=-1)
    _, first, back = np.unique(parts, axis=0, return_index=True, return_inverse=True)
    return counts[first], back.reshape(-1)

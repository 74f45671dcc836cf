"""Which tables agree with everything printed, under which rounding; and if none does, which number is off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unconfuse.reconstruction.exact_ratios import Tables
from unconfuse.reconstruction.interval_matching import methods_of, reproduced
from unconfuse.reconstruction.rounding import FALLBACKS, PrintedNumber, applicable
from unconfuse.reconstruction.table_search import LARGEST_BOTH_UNKNOWN, search
from unconfuse.table import Array, Counts
from unconfuse.uncertainty.interval_methods import METHODS

_LESS, _MANY = 0.03, 100_000  # share of the work for each search for the number that is off, from so many cases on
_STEPS = (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144)  # units in the last digit by which all rates may be off


@dataclass(frozen=True)
class ConsistentTables:
    """The tables that agree, in order of size, with the roundings that explain each.

    `totals` is how many agree under each rounding, and `total` under any; both are estimates unless `counted`.
    """

    tables: Tables
    explained: Mapping[str, Array]
    totals: Mapping[str, float]
    total: float
    counted: bool
    complete: bool
    methods: Mapping[str, tuple[str, ...]]
    largest_n: int | None

    @property
    def possible(self) -> bool | None:
        """Whether a table agrees; None if none was found and not all could be looked at."""
        return True if len(self.tables) else False if self.complete else None


@dataclass(frozen=True)
class Suspect:
    """A printed number without which the others are possible.

    Attributes
    ----------
    name, printed : str
    low, high : float
        Smallest and largest value that it could have.
    nearest : str
        The nearest values that it could have, below and above, with as many digits as printed.
    off : float
        Units in its last digit by which it is off.
    """

    name: str
    printed: str
    low: float
    high: float
    nearest: str
    off: float = math.inf


def agreement(
    printed: Sequence[PrintedNumber], largest_n: int | None, confidence_level: float, effort: float = 1.0
) -> ConsistentTables:
    """Find the tables, and the roundings that explain all numbers of one."""
    result = search(printed, largest_n, confidence_level=confidence_level, effort=effort)
    values = {
        printed_number.expression: result.tables.values(printed_number.expression)
        for printed_number in printed
        if not printed_number.end
    }
    explained, by = _explained(result.tables, printed, values, applicable(list(printed)), confidence_level), {}
    fitting = np.logical_or.reduce([*explained.values()])
    for other in FALLBACKS:
        if fitting.any():
            break
        explained = _explained(result.tables, printed, values, (other,), confidence_level)
        fitting = np.logical_or.reduce([*explained.values()])
    kept = np.flatnonzero(fitting)
    explained = {name: agrees[kept] for name, agrees in explained.items() if agrees.any()}
    times = result.total / max(len(result.tables), 1)
    totals = {name: times * float(agrees.sum()) for name, agrees in explained.items()}
    tables = result.tables.only(kept)
    for name, ends in _intervals(printed).items():
        by[name] = _methods(tables, ends, explained, confidence_level)
    counted = result.complete and result.kept
    complete = result.complete and (result.kept or not _intervals(printed))
    return ConsistentTables(tables, explained, totals, times * len(kept), counted, complete, by, result.largest_n)


def _intervals(printed: Sequence[PrintedNumber]) -> dict[str, list[PrintedNumber]]:
    found: dict[str, list[PrintedNumber]] = {}
    for printed_number in printed:
        if printed_number.end and printed_number.metric is not None:
            found.setdefault(printed_number.metric.name, []).append(printed_number)
    return found


def _explained(
    tables: Tables,
    printed: Sequence[PrintedNumber],
    values: Mapping[str, Array],
    roundings: Sequence[str],
    level: float,
) -> dict[str, Array]:
    """For each rounding, which tables it would print as these numbers."""
    found = {}
    for rounding in roundings:
        agrees = np.ones(len(tables), dtype=bool)
        for printed_number in (each for each in printed if not each.end):
            agrees &= printed_number.bounds(rounding).hold(values[printed_number.expression])
        for ends in _intervals(printed).values():
            some = np.flatnonzero(agrees)
            agrees[some] = np.logical_or.reduce([*reproduced(tables.only(some), ends, rounding, level).values()])
        found[rounding] = agrees
    return found


def _methods(
    tables: Tables, ends: Sequence[PrintedNumber], explained: Mapping[str, Array], level: float
) -> tuple[str, ...]:
    """Labels of the methods that give a printed interval from a table that agrees."""
    found: dict[str, None] = {}
    for rounding, agrees in explained.items():
        for name, so in reproduced(tables.only(np.flatnonzero(agrees)), ends, rounding, level).items():
            if so.any():
                found[METHODS[name].label.format(of="Jaccard")] = None
    return tuple(found)


def suspects(printed: Sequence[PrintedNumber], largest_n: int | None, confidence_level: float) -> list[Suspect]:
    """List printed numbers each of which alone, left out, makes the others possible; the nearest to its print first."""
    found = []
    effort = _effort(printed)
    for printed_number in printed:
        rest = [other for other in printed if other is not printed_number]
        if not any(other.is_rate or other.name in ("tp", "fp", "fn", "tn") for other in rest):
            continue
        agreed = agreement(rest, _near(printed_number, largest_n), confidence_level, effort)
        if agreed.possible:
            found.append(_suspect(printed_number, agreed, confidence_level))
    return sorted(found, key=lambda suspect: suspect.off)


def _effort(printed: Sequence[PrintedNumber]) -> float:
    largest = max((float(printed_number.value) for printed_number in printed if printed_number.is_count), default=0.0)
    return _LESS if largest > _MANY else 1.0


def _near(each: PrintedNumber, largest_n: int | None) -> int | None:
    """Up to how many cases to search without this number: near a printed count all tables can be looked at."""
    if largest_n is not None or not each.is_count:
        return largest_n
    return min(max(LARGEST_BOTH_UNKNOWN, 4 * int(each.value)), 3 * LARGEST_BOTH_UNKNOWN)


def _suspect(each: PrintedNumber, agreed: ConsistentTables, level: float) -> Suspect:
    tables = agreed.tables
    values = _limits(each, tables, level) if each.end else tables.values(each.expression)
    values = values[~np.isnan(values)]
    if not len(values):
        return Suspect(each.name, each.text, math.nan, math.nan, "undefined")
    below, above = values[values <= float(each.value)], values[values >= float(each.value)]
    nearest = [float(side(some)) for some, side in ((below, np.max), (above, np.min)) if len(some)]
    about = "" if agreed.counted else "about "  # among an even sample
    shown = about + " or ".join(dict.fromkeys(map(each.shown, nearest)))
    return Suspect(each.name, each.text, float(values.min()), float(values.max()), shown, min(map(each.off, nearest)))


def _limits(each: PrintedNumber, tables: Tables, level: float) -> Array:
    """Return this end of the interval, by every method."""
    assert each.metric is not None
    counts, place = Counts.from_validated(**tables.cells()), 0 if each.end == "low" else 1
    with np.errstate(all="ignore"):
        return np.concatenate([METHODS[n].limits(each.metric, counts, level)[place] for n in methods_of(each.metric)])


def nearest_table(printed: Sequence[PrintedNumber], largest_n: int | None) -> Counts | None:
    """Return the table whose worst rate is off by the fewest units in its last digit; None if none is near.

    >>> from unconfuse.reconstruction.rounding import read_printed
    >>> printed = read_printed({"sensitivity": ".93", "specificity": ".815", "positives": 41, "negatives": 79})
    >>> nearest_table(printed, None)
    Counts(tp=38, fp=15, fn=3, tn=64)
    """
    points = [printed_number for printed_number in printed if not printed_number.end]
    rates = [point for point in points if point.is_rate and point.unit]
    for step in _STEPS:
        loose = [replace(point, widened=step) if point in rates else point for point in points]
        tables = search(loose, largest_n, effort=_effort(printed)).tables
        if len(tables):
            off = [np.abs(tables.values(rate.expression) - float(rate.value)) / float(rate.unit) for rate in rates]
            worst = np.max(off, axis=0)
            best = int(np.lexsort((np.sum(off, axis=0), worst))[0])  # of equally bad ones, that with the others nearest
            if worst[best] <= 1 and len(points) < len(printed):  # the intervals are off, not the rates
                return None
            return Counts(**{name: cell[best] for name, cell in tables.cells().items()})
    return None

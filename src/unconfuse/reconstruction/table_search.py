"""All 2x2 tables that agree with printed numbers, within a stated amount of work.

Class sizes come first, then ranges of TP and FP for each of them, then for each value of the one cell with fewer the
range of the other one. No loop runs over tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.reconstruction.exact_ratios import Tables
from unconfuse.reconstruction.integer_bounds import Lines, tightened, within
from unconfuse.reconstruction.interval_matching import reachable, reproduced
from unconfuse.reconstruction.rounding import PrintedNumber, RoundingBounds, envelope
from unconfuse.table import Array

# About what takes half a second: class sizes looked at, those whose cells are narrowed down, lines, tables kept.
MOST_SIZES, MOST_NARROWED, MOST_LINES, MOST_TABLES = 1_200_000, 150_000, 150_000, 100_000
LARGEST_BOTH_UNKNOWN, LARGEST_ONE_UNKNOWN = 500, 20_000
_SAMPLED = 4  # times fewer than could be looked at, where not all can
_CHUNK = 1 << 14  # class sizes at once: their arrays stay in the cache, which takes half the time
_OF_ONE_CLASS = {"tp": {"tp", "fn", "positives"}, "fp": {"fp", "tn", "negatives"}}
_OF_SIZES = {"positives", "negatives", "total"}
Range = tuple[Array, Array]


class PrintedConstraint(NamedTuple):
    """Bounds of an expression of the four counts."""

    expression: str
    bounds: RoundingBounds


@dataclass(frozen=True)
class TableSearchResult:
    """Tables that agree, all of them or an even sample; how many there are, and whether everything was looked at.

    `complete`: every table was looked at, so none agrees if none was found. `kept`: all that agree are in `tables`.
    `largest_n` is up to where n was searched, if it is not known.
    """

    tables: Tables
    total: float
    complete: bool
    kept: bool
    largest_n: int | None


class _Boxes(NamedTuple):
    positives: Array
    negatives: Array
    tp: Range
    fp: Range

    def only(self, chosen: Any) -> _Boxes:
        one, two = (((each[0][chosen], each[1][chosen])) for each in (self.tp, self.fp))
        return _Boxes(self.positives[chosen], self.negatives[chosen], one, two)

    def with_range(self, axis: str, low: Array, high: Array) -> _Boxes:
        return self._replace(tp=(low, high)) if axis == "tp" else self._replace(fp=(low, high))

    def width(self, axis: str) -> Array:
        low, high = self.tp if axis == "tp" else self.fp
        return high - low + 1


def search(
    printed: Sequence[PrintedNumber],
    largest_n: int | None = None,
    *,
    confidence_level: float = 0.95,
    effort: float = 1.0,
) -> TableSearchResult:
    """Find the tables that agree with these counts and rates, each rounded or truncated.

    Of printed intervals only what they say of a class size is used here. `effort` is a share of the usual amount of
    work: where that does not suffice for all tables, an even sample is looked at.
    """
    loosest = envelope(list(printed))
    rules = [
        PrintedConstraint(printed_number.expression, printed_number.bounds(loosest))
        for printed_number in printed
        if not printed_number.end
    ]
    sizes, every, limit = _sizes(printed, largest_n, int(effort * MOST_SIZES))
    chunks = [slice(at, at + _CHUNK) for at in range(0, len(sizes[0]), _CHUNK)]
    parts = [_boxes(sizes[0][chunk], sizes[1][chunk], rules) for chunk in chunks]
    boxes = _by_intervals(_joined(parts), printed, confidence_level, loosest)
    chosen = _even(len(boxes.positives), int(effort * MOST_NARROWED)).astype(np.intp)
    taken = len(chosen) / max(len(boxes.positives), 1) or 1.0
    boxes = boxes.only(chosen)
    lines, share = _lines(_narrowed(boxes, rules), int(effort * MOST_LINES))
    first, last = _along(lines, rules)
    tables, total, all_kept = _expanded(lines, first, last)
    looked_at = share * taken / every
    return TableSearchResult(tables, total / looked_at, looked_at == 1, all_kept, limit)


def _sizes(printed: Sequence[PrintedNumber], largest_n: int | None, most: int) -> tuple[Range, float, int | None]:
    """Class sizes that the printed counts allow; every how many of them, and up to which n."""
    known = {printed_number.name: float(printed_number.value) for printed_number in printed if printed_number.is_count}
    p, n, total = (known.get(name) for name in ("positives", "negatives", "n"))
    p = known["tp"] + known["fn"] if p is None and {"tp", "fn"} <= set(known) else p
    n = known["fp"] + known["tn"] if n is None and {"fp", "tn"} <= set(known) else n
    if total is None and {"labelled_positive", "labelled_negative"} <= set(known):
        total = known["labelled_positive"] + known["labelled_negative"]
    total = p + n if p is not None and n is not None and total is None else total
    if total is not None:
        count = total + 1 if p is None and n is None else 1
        every = max(1.0, np.ceil(count / most))
        first = p if p is not None else total - n if n is not None else None
        positives = np.arange(0.0, total + 1, every) if first is None else np.array([first])
        return (positives, total - positives), float(every), None
    if p is not None or n is not None:
        limit = _limit(largest_n, LARGEST_ONE_UNKNOWN, MOST_SIZES)
        fixed = p if p is not None else float(n or 0)
        other = np.arange(0.0, max(limit - fixed, 0) + 1)
        same = np.full(len(other), fixed)
        return ((same, other) if p is not None else (other, same)), 1.0, limit
    limit = _limit(largest_n, LARGEST_BOTH_UNKNOWN, int((2 * MOST_SIZES) ** 0.5) - 2)
    positives, negatives = (triu_index.astype(np.float64) for triu_index in np.triu_indices(limit + 1))
    negatives = negatives - positives
    order = np.lexsort((positives, positives + negatives))
    return (positives[order][1:], negatives[order][1:]), 1.0, limit


def _limit(wanted: int | None, usual: int, most: int) -> int:
    """Up to how many cases to search; more than can be searched is refused."""
    if wanted is not None and wanted > most:
        raise ArgumentError(f"`largest_n` must be at most {most:,} with these counts; got {wanted:,}. Hint: pass `n`.")
    return wanted or usual


def _boxes(positives: Array, negatives: Array, rules: Sequence[PrintedConstraint]) -> _Boxes:
    """Ranges of TP and FP for each pair of class sizes, by what depends on one of them alone."""
    fine = (positives >= 0) & (negatives >= 0) & (positives + negatives > 0)
    p, n = positives[fine], negatives[fine]
    found = _Boxes(p, n, (np.zeros(len(p)), p.copy()), (np.zeros(len(n)), n.copy()))
    for axis, own in _OF_ONE_CLASS.items():
        for rule in (each for each in rules if _names(each.expression) <= own):
            fixed = np.zeros(len(found.positives))
            low, high = found.tp if axis == "tp" else found.fp
            low, high = within(Lines(found.positives, found.negatives, axis, fixed, low, high), *rule)
            found = found.with_range(axis, low, high)
            found = found.only(np.flatnonzero(low <= high))
    for rule in rules:
        found = found.only(np.flatnonzero(_reachable(found, rule)))
    return found


def _joined(parts: Sequence[_Boxes]) -> _Boxes:
    sides = [
        np.concatenate(each) for each in zip(*((b.positives, b.negatives, *b.tp, *b.fp) for b in parts), strict=True)
    ]
    return _Boxes(sides[0], sides[1], (sides[2], sides[3]), (sides[4], sides[5]))


def _by_intervals(boxes: _Boxes, printed: Sequence[PrintedNumber], level: float, rounding: str) -> _Boxes:
    """Class sizes with which some method gives the printed interval of a rate within that class."""
    for name in dict.fromkeys(
        printed_number.metric.name for printed_number in printed if printed_number.end and printed_number.metric
    ):
        ends = [
            printed_number
            for printed_number in printed
            if printed_number.end and printed_number.metric and printed_number.metric.name == name
        ]
        for axis, own in _OF_ONE_CLASS.items():
            if _names(ends[0].expression) <= own:
                boxes = boxes.only(np.flatnonzero(_sized_so(boxes, axis, ends, level, rounding)))
    return boxes


def _sized_so(boxes: _Boxes, axis: str, ends: Sequence[PrintedNumber], level: float, rounding: str) -> Any:
    sizes = boxes.positives if axis == "tp" else boxes.negatives
    size, row = np.unique(sizes, return_index=True)
    low, high = (each[row] for each in (boxes.tp if axis == "tp" else boxes.fp))
    if len(size) > MOST_LINES:
        return np.ones(len(sizes), dtype=bool)
    near = reachable(_of_class(axis, size, low), _of_class(axis, size, high), ends, rounding, level)
    size, low, high = size[near], low[near], high[near]
    widths = high - low + 1
    if widths.sum() > MOST_LINES:
        return np.isin(sizes, size)
    of = np.repeat(np.arange(len(size)), widths.astype(np.intp))
    tables = _of_class(axis, size[of], low[of] + np.arange(len(of)) - (np.cumsum(widths) - widths)[of])
    agrees = np.logical_or.reduce(list(reproduced(tables, ends, rounding, level).values()))
    return np.isin(sizes, size[np.unique(of[agrees])])


def _of_class(axis: str, size: Array, cell: Array) -> Tables:
    """Tables of one class alone."""
    none = np.zeros(len(size))
    return Tables(size, none, cell, none) if axis == "tp" else Tables(none, size, none, cell)


def _names(expression: str) -> set[str]:
    words = "".join(each if each.isalpha() or each == "_" else " " for each in expression).split()
    return set(words) - {"sqrt", "max", "min"}


def _reachable(boxes: _Boxes, rule: PrintedConstraint) -> Array:
    """Whether the bounds lie between the values at the corners of a box."""
    corners = np.stack(
        [Tables(boxes.positives, boxes.negatives, tp, fp).values(rule.expression) for tp in boxes.tp for fp in boxes.fp]
    )
    unknown = np.isnan(corners).any(axis=0)
    return np.asarray(unknown | ~(rule.bounds.below(corners).all(axis=0) | rule.bounds.above(corners).all(axis=0)))


def _narrowed(boxes: _Boxes, rules: Sequence[PrintedConstraint], rounds: int = 2) -> _Boxes:
    """Smaller ranges by what depends on both cells."""
    both = [each for each in rules if _names(each.expression) - _OF_SIZES]
    for _ in range(rounds):
        for rule in both:
            for axis in ("tp", "fp"):
                own, other = (boxes.tp, boxes.fp) if axis == "tp" else (boxes.fp, boxes.tp)
                low, high = tightened(boxes.positives, boxes.negatives, axis, own, other, rule)
                boxes = boxes.with_range(axis, low, high)
                boxes = boxes.only(np.flatnonzero(low <= high))
    return boxes


def _lines(boxes: _Boxes, most: int) -> tuple[Lines, float]:
    """One line for each value of the cell that has fewer, or an even sample of them, and the share that was taken."""
    fewer, other = ("tp", "fp") if boxes.width("tp").sum() <= boxes.width("fp").sum() else ("fp", "tp")
    widths = boxes.width(fewer)
    total = float(widths.sum())
    ends = np.cumsum(widths)
    places = _even(total, most)
    row = np.searchsorted(ends, places, side="right")
    starts = boxes.tp[0] if fewer == "tp" else boxes.fp[0]
    fixed = starts[row] + places - (ends[row] - widths[row])
    low, high = (each[row] for each in (boxes.tp if other == "tp" else boxes.fp))
    share = len(places) / total if total else 1.0
    return Lines(boxes.positives[row], boxes.negatives[row], other, fixed, low, high), share


def _along(lines: Lines, rules: Sequence[PrintedConstraint]) -> Range:
    """Find the places of each line that agree with every rule."""
    low, high = lines.low, lines.high
    for rule in rules:
        low, high = within(lines._replace(low=low, high=high), *rule)
        low, high = np.where(low <= high, low, 1.0), np.where(low <= high, high, 0.0)
    return low, high


def _expanded(lines: Lines, first: Array, last: Array) -> tuple[Tables, float, bool]:
    """List the tables one by one, or an even sample of them; say how many there are, and whether all are kept."""
    widths = np.maximum(last - first + 1, 0)
    total = float(widths.sum())
    ends = np.cumsum(widths)
    kept = total <= MOST_TABLES
    places = _even(total, MOST_TABLES)
    row = np.searchsorted(ends, places, side="right")
    tables = lines.at(first[row] + places - (ends[row] - widths[row]), row)
    cells = (tables.fp.top, tables.tp.top, tables.sizes[0], tables.sizes[0] + tables.sizes[1])
    return tables.only(np.lexsort(cells)), total, kept


def _even(total: float, most: int) -> Array:
    """All places; if these are too many, an even sample that has the first and the last."""
    return np.arange(total) if total <= most else np.floor(np.linspace(0.0, total - 1, max(most // _SAMPLED, 2)))

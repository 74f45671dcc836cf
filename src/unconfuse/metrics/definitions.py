"""The definition ledger: where tools give different numbers under one name, every number on these data, and why."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import frame_of, number_text, short_repr, strict_json
from unconfuse._validate import check_text, public_api
from unconfuse.metrics import canonical, find_metric, key_of
from unconfuse.metrics._metric import ratio
from unconfuse.metrics._tie_blocks import TieBlocks, hull_segments, totals
from unconfuse.metrics.calibration import recalibration
from unconfuse.metrics.probability import brier
from unconfuse.metrics.ranking import auprc_trapezoid, auroc
from unconfuse.table import Array, ScoreTable, check_table

Value = Callable[[ScoreTable], Any]
Row = tuple[str, Value, str, str]


@dataclass(frozen=True)
class DefinitionValue:
    """One definition: its name, its value on the data, who computes it, and how it differs."""

    definition: str
    value: float
    tools: str
    why: str


@public_api
@dataclass(frozen=True)
class DefinitionComparison:
    """All definitions that go by one name, ours first, with their values on one data set."""

    name: str
    title: str
    entries: tuple[DefinitionValue, ...]
    advice: str

    @property
    def largest_difference(self) -> float:
        """How far apart the values are."""
        values = [entry.value for entry in self.entries if math.isfinite(entry.value)]
        return max(values) - min(values) if values else math.nan

    @property
    def sentence(self) -> str:
        """The reconciliation in one line."""
        parts = (f"{entry.definition} {number_text(entry.value)} ({entry.tools})" for entry in self.entries)
        return f"{self.title}: " + "; ".join(parts) + f". {self.advice}"

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each definition."""
        return [asdict(entry) for entry in self.entries]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"name": self.name, "title": self.title, "advice": self.advice, "entries": self.rows()}

    def to_frame(self) -> Any:
        """Return a data frame with one row per definition."""
        return frame_of(self.rows())

    def __str__(self) -> str:
        wide = max(len(entry.definition) for entry in self.entries)
        lines = [
            f"  {entry.definition:<{wide}}  {number_text(entry.value):>9}  {entry.tools}\n"
            f"  {'':<{wide}}  {'':>9}  {entry.why}"
            for entry in self.entries
        ]
        return "\n".join([self.title, *lines, self.advice])

    def __repr__(self) -> str:
        return (
            f"DefinitionComparison({self.name}: {len(self.entries)} definitions, values "
            f"{number_text(self.largest_difference)} apart)"
        )

    def _repr_html_(self) -> str:
        texts = _html_repr.text
        rows = [[texts(entry.definition), number_text(entry.value), texts(entry.tools, 80)] for entry in self.entries]
        reasons = "".join(_html_repr.quiet(f"{entry.definition}: {entry.why}") for entry in self.entries)
        heads = ["definition", "value", "who computes it"]
        return _html_repr.card(self.title, _html_repr.table(heads, rows, numbers=[1]), reasons, verdict=self.advice)

    spread = renamed("largest_difference")


@dataclass(frozen=True)
class DefinitionFamily:
    """Definitions that share a name."""

    title: str
    rows: tuple[Row, ...]
    advice: str


def _tied_pairs(table: ScoreTable) -> Array:
    """Share of the pairs (positive, negative) that are tied."""
    positives, negatives = totals(table)
    return ratio((table.positives * table.negatives).sum(axis=-1), positives * negatives)


def _trapezoid_from_first_point(table: ScoreTable) -> Array:
    """Compute the trapezoid area without the stretch from recall 0 to the first point."""
    first = int(np.argmax(table.positives + table.negatives > 0)) if table.has_empty_blocks else 0
    own, beside = table.positives[first], table.negatives[first]
    left_out = own * (1 + ratio(own, own + beside)) / 2
    return np.asarray(auprc_trapezoid(table) - ratio(left_out, table.n_positives))


def _fewest_false_positives(table: ScoreTable) -> Array:
    """Straight lines from (recall 0, precision 1) through the highest precision of each recall.

    Steps of more than two true positives are interpolated at every whole one, or at `_MOST_POINTS` of them.
    """
    blocks = TieBlocks.of(table)
    tp, fp = (np.append(0.0, each) for each in (blocks.tp + blocks.positives, blocks.fp + blocks.negatives))
    steps = np.flatnonzero(np.diff(tp) > 2)
    wide = [
        np.linspace(a + 1, b - 1, int(min(b - a - 1, _MOST_POINTS)))
        for a, b in zip(tp[steps], tp[steps + 1], strict=True)
    ]
    reached = np.unique(np.concatenate([tp, *wide]))
    wrong = np.interp(reached, tp, fp)
    precision = np.append(1.0, ratio(reached[1:], reached[1:] + wrong[1:]))
    areas = np.diff(reached) * (precision[1:] + precision[:-1]) / 2
    return ratio(areas.sum(), blocks.n_positives)


def _error_rates(positives: Array, negatives: Array) -> tuple[Array, Array]:
    """Return the false positive and false negative rates along a curve, from labelling nobody on."""
    tp, fp = (np.append(0.0, np.cumsum(each)) for each in (positives, negatives))
    return ratio(fp, fp[-1]), 1 - ratio(tp, tp[-1])


def _hull_equal_error_rate(table: ScoreTable) -> Array:
    """Where the convex hull of the ROC curve has equal error rates."""
    false_alarms, misses = _error_rates(*hull_segments(table.positives, table.negatives))
    return np.asarray(np.interp(0.0, false_alarms - misses, false_alarms))


def _nearest_equal_error_rate(table: ScoreTable) -> Array:
    """Return the mean of both error rates at the threshold at which they are nearest."""
    false_alarms, misses = _error_rates(table.positives, table.negatives)
    at = int(np.argmin(np.abs(false_alarms - misses)))
    return np.asarray((false_alarms[at] + misses[at]) / 2)


# Definitions that only other tools use; the rest are metrics of ours.
_MOST_POINTS = 10_000  # of one step: with as many, the area is right to nine digits
_OF_OTHERS: dict[str, Value] = {
    "strict_auroc": lambda table: auroc(table) - _tied_pairs(table) / 2,
    "generous_auroc": lambda table: auroc(table) + _tied_pairs(table) / 2,
    "turned_auroc": lambda table: max(auroc(table), 1 - auroc(table)),
    "rocr_aucpr": _fewest_false_positives,
    "trapezoid_from_first_point": _trapezoid_from_first_point,
    "hull_equal_error_rate": _hull_equal_error_rate,
    "nearest_equal_error_rate": _nearest_equal_error_rate,
    "fitted_intercept": lambda table: recalibration(table)[0],
    "twice_brier": lambda table: 2 * brier(table),
}


def _families(text: str) -> Iterator[tuple[str, DefinitionFamily]]:
    """Every family under each of its names.

    A paragraph holds the names that lead there, title and advice; then, three lines for each definition: its name and
    value, who computes it, and how it differs.
    """
    for paragraph in text.split("\n\n"):
        names, title, advice, *lines = paragraph.splitlines()
        family = DefinitionFamily(title, tuple(_row(*lines[at : at + 3]) for at in range(0, len(lines), 3)), advice)
        yield from ((name, family) for name in names.split())


def _row(definition: str, tools: str, why: str) -> Row:
    name, _, value = definition.rpartition(" = ")
    return name, _OF_OTHERS.get(value) or find_metric(value), tools, why


_TEXT = files("unconfuse.metrics").joinpath("ledger.txt").read_text(encoding="utf-8")
FAMILIES: Mapping[str, DefinitionFamily] = MappingProxyType(dict(_families(_TEXT)))


@public_api
def definitions(name: str, table: ScoreTable) -> DefinitionComparison:
    """Every definition that goes by a metric's name, with its value on these data.

    Examples
    --------
    >>> import numpy as np
    >>> ledger = definitions("auprc", ScoreTable(np.array([5., 0]), np.array([1., 2]), np.array([0., 7])))
    >>> [round(each.value, 3) for each in ledger.entries]
    [0.533, 0.671, 0.614, 0.767, 0.767, 0.433]
    >>> ledger
    DefinitionComparison(auprc: 6 definitions, values 0.333 apart)
    """
    alike = (each for each in FAMILIES if key_of(each) == key_of(check_text(name, "name")))
    name = next(alike, canonical(name))
    if name not in FAMILIES:
        raise ArgumentError(f"no other definition of {short_repr(name)} is listed. {did_you_mean(name, FAMILIES)}")
    family, exact = FAMILIES[name], check_table(table, "`explain`").exact("`explain`")
    entries = tuple(
        DefinitionValue(definition, float(value(exact)), tools, why) for definition, value, tools, why in family.rows
    )
    return DefinitionComparison(name, family.title, entries, family.advice)

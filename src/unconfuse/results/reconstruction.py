"""What a reviewer learns from printed numbers: the tables behind them, or that there is none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._formatting import TabularResult, number_text, short_label, strict_json, whole
from unconfuse._name_hints import AttributeHints
from unconfuse.metrics import METRICS, Metric
from unconfuse.reconstruction.auroc_checks import PrintedAuroc
from unconfuse.reconstruction.consistency import Suspect
from unconfuse.reconstruction.rounding import HALF_EVEN, HALF_UP, MIXED, PERCENT, TIES, TRUNCATION, PrintedNumber
from unconfuse.table import Counts
from unconfuse.uncertainty.interval_methods import limits

_CELLS = ("tp", "fp", "fn", "tn")
_USUAL = ("sensitivity", "specificity", "precision", "npv")
_FEW = 5  # tables that a text shows one by one
_DONE = {
    HALF_UP: "rounded half-up",
    HALF_EVEN: "rounded half-even",
    TRUNCATION: "truncated",
    PERCENT: "rounded to percent without decimals",
    TIES: "rounded with ties either way",
    MIXED: "partly rounded and partly truncated",
}


@dataclass(frozen=True, repr=False)
class Reconstruction(TabularResult, AttributeHints):
    """The 2x2 tables that agree with printed numbers.

    Attributes
    ----------
    printed : tuple of Printed
        The numbers as they were read.
    tables : list of Counts
        The first 1,000 at most, the smallest first.
    roundings : list of tuple of str
        For each table, the roundings that print its rates so.
    n_tables : float
        How many agree in all; an estimate unless `counted`. NaN if nothing but an AUROC was printed.
    possible : bool or None
        Whether all numbers can be right. None if no table was found, but not all could be looked at.
    by_rounding : mapping of str to float
        How many tables agree under each rounding.
    ranges : mapping of str to (float, float)
        Smallest and largest value of each cell and class size, and of each printed rate, among the tables.
    methods : mapping of str to tuple of str
        The methods that reproduce each printed interval.
    suspects : tuple of Suspect
        If impossible: each number which, left out alone, makes the others possible, and what it would have to be.
    nearest : Counts or None
        If impossible: the table whose worst rate is off by the fewest units in its last digit.
    area : PrintedAuroc or None
        What can be said of a printed AUROC.
    largest_n : int or None
        Up to where n was searched, if the printed counts do not say it.
    notes : tuple of str
    """

    printed: tuple[PrintedNumber, ...]
    tables: list[Counts]
    roundings: list[tuple[str, ...]]
    n_tables: float
    possible: bool | None
    by_rounding: Mapping[str, float] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    methods: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    suspects: tuple[Suspect, ...] = ()
    nearest: Counts | None = None
    area: PrintedAuroc | None = None
    largest_n: int | None = None
    counted: bool = True
    confidence_level: float = 0.95
    notes: tuple[str, ...] = ()
    name: str = ""

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        return " ".join(self.findings)

    @cached_property
    def findings(self) -> list[str]:
        """The answer, and what follows from it, one sentence each."""
        said = [] if math.isnan(self.n_tables) else self._of_tables()
        for name, methods in self.methods.items():
            if methods:
                label = short_label(METRICS[name].label)
                said.append(f"The printed interval of {label} is reproduced by {', '.join(methods)}.")
        return said + ([self.area.sentence] if self.area is not None else [])

    def _of_tables(self) -> list[str]:
        if self.n_tables:
            return [self._agreeing()]
        if self.possible is None:
            return [
                "Inconclusive: there are too many tables to look at all of them, and none of those looked at agrees. "
                "Print or pass more counts, such as positives and negatives."
            ]
        where = "" if self.largest_n is None else f" of at most {self.largest_n:,} cases"
        how = ", rounded or truncated" if self._rates else ""
        said = [f"Impossible as printed: no table{where} agrees with {self._numbers()}{how}."]
        if len(self.suspects) > 1:
            said.append(f"Any one of {len(self.suspects)} numbers may be off.")
        said += [self._of_suspect(suspect) for suspect in self.suspects]
        if not self.suspects and len(self.printed) > 1:
            said.append("Leaving out a single number does not help: at least two are off.")
        if self.nearest is not None:
            said.append(f"The nearest table is {_cells_text(self.nearest)}, with {self._rates_of(self.nearest)}.")
        return said

    def _numbers(self) -> str:
        count = sum(bool(printed_number.expression) for printed_number in self.printed)
        return f"all {count} numbers" if count > 2 else "the printed numbers"

    def _agreeing(self) -> str:
        if self.n_tables == 1:
            how = " or ".join(_DONE[each] for each in self.by_rounding).replace("half-up or rounded", "half-up or")
            said = f"One table agrees with {self._numbers()}, {how}" if self._rates else "There is one such table"
            return f"{said}: {_cells_text(self.tables[0])}{self._searched()}."
        shares = ", ".join(f"{name} {self._count(total)}" for name, total in self.by_rounding.items())
        how = f" ({shares})" if self._rates else ""
        sizes = ", ".join(f"{name.upper()} {_range_text(*self.ranges[name])}" for name in _CELLS)
        count, about = self._count(self.n_tables), "" if self.counted else "About "
        more = "" if self.counted else " Ranges are those of an even sample: there are too many to look at all."
        return f"{about}{count} tables agree with {self._numbers()}{how}{self._searched()}: {sizes}.{more}"

    def _count(self, total: float) -> str:
        return f"{total:,.0f}" if self.counted else f"{float(f'{total:.2g}'):,.0f}"

    @property
    def _rates(self) -> list[PrintedNumber]:
        """Printed numbers that are rounded."""
        return [
            printed_number
            for printed_number in self.printed
            if not printed_number.is_count and printed_number.expression
        ]

    def _searched(self) -> str:
        return "" if self.largest_n is None else f" (searched up to {self.largest_n:,} cases)"

    def _of_suspect(self, suspect: Suspect) -> str:
        start = f"Without {suspect.name.replace('_', ' ')} {suspect.printed} the others are possible"
        if math.isnan(suspect.low):
            return f"{start}, but it would be undefined."
        count = next(printed_number.is_count for printed_number in self.printed if printed_number.name == suspect.name)
        span = "" if count else f" (range {_range_text(suspect.low, suspect.high)})"
        return f"{start}: the nearest it could be is {suspect.nearest}{span}."

    def _rates_of(self, counts: Counts) -> str:
        rates = [
            printed_number
            for printed_number in self.printed
            if printed_number.is_rate and printed_number.metric is not None
        ]
        return ", ".join(
            f"{short_label(rate.metric.label)} {number_text(float(rate.metric(counts)))}"
            for rate in rates
            if rate.metric is not None
        )

    @property
    def metrics(self) -> list[Metric]:
        """The usual four rates, and those that were printed."""
        own = [
            printed_number.metric.name
            for printed_number in self.printed
            if printed_number.metric is not None and printed_number.expression
        ]
        return [
            METRICS[name] if name in METRICS else _own(self.printed, name) for name in dict.fromkeys([*_USUAL, *own])
        ]

    def rows(self) -> list[dict[str, Any]]:
        """One row for each table, with its roundings and its rates with their intervals."""
        if not self.tables:
            return []
        cells = {name: np.array([float(getattr(table, name)) for table in self.tables]) for name in _CELLS}
        counts = Counts.from_validated(**cells)
        columns: dict[str, list[Any]] = {name: [whole(each) for each in cell.tolist()] for name, cell in cells.items()}
        columns["rounding"] = [", ".join(rounding) for rounding in self.roundings]
        for metric in self.metrics:
            columns[metric.name] = np.broadcast_to(metric(counts), counts.shape).tolist()
            _, ends = limits(metric, counts, confidence_level=self.confidence_level)
            for end, values in zip(("low", "high"), ends, strict=True):
                columns[f"{metric.name}_{end}"] = np.broadcast_to(values, counts.shape).tolist()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        named = {"name": self.name} if self.name else {}
        return named | {
            "possible": self.possible,
            "sentence": self.sentence,
            "printed": {printed_number.name: printed_number.text for printed_number in self.printed},
            "n_tables": self.n_tables,
            "counted": self.counted,
            "largest_n": self.largest_n,
            "confidence_level": self.confidence_level,
            "by_rounding": dict(self.by_rounding),
            "ranges": {name: list(ends) for name, ends in self.ranges.items()},
            "methods": {name: list(methods) for name, methods in self.methods.items()},
            "suspects": [vars(suspect) for suspect in self.suspects],
            "nearest": self.nearest.as_dict() if self.nearest is not None else None,
            "auroc": vars(self.area) if self.area is not None else None,
            "tables": [
                table.as_dict() | {"rounding": list(how)}
                for table, how in zip(self.tables, self.roundings, strict=True)
            ],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        lines = [*self.findings]
        if 1 < len(self.tables) <= _FEW:
            lines += [
                f"  {_cells_text(table)} ({', '.join(how)})"
                for table, how in zip(self.tables, self.roundings, strict=True)
            ]
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        heads = ["TP", "FP", "FN", "TN", "rounding"]
        lines = [
            [*(f"{counts.as_dict()[name]:,.0f}" for name in _CELLS), _html_repr.text(", ".join(how), 120)]
            for counts, how in zip(self.tables, self.roundings, strict=True)
        ]
        table = _html_repr.table(heads, lines, numbers=range(4)) if lines else ""
        title = self.name or "Reconstruction"
        return _html_repr.card(title, table, verdict=self.sentence, notes=self.notes)


@dataclass(frozen=True, repr=False)
class Reconstructions(TabularResult):
    """Printed results of several papers, each checked.

    Attributes
    ----------
    results : tuple of Reconstruction
    """

    results: tuple[Reconstruction, ...]

    @property
    def possible(self) -> bool | None:
        """Whether all of them are: False if one is not, None if one is not settled."""
        found = [result.possible for result in self.results]
        return False if False in found else None if None in found else True

    @property
    def sentence(self) -> str:
        """How many are possible, and which are not."""
        wrong = [result.name for result in self.results if result.possible is False]
        open_ones = [result.name for result in self.results if result.possible is None]
        right = len(self.results) - len(wrong) - len(open_ones)
        said = f"{right:,} of {len(self.results):,} are possible as printed"
        said += f"; impossible: {_named(wrong)}" if wrong else ""
        return said + (f"; inconclusive: {_named(open_ones)}." if open_ones else ".")

    def rows(self) -> list[dict[str, Any]]:
        """One row for each paper."""
        return [
            {"name": result.name, "possible": result.possible, "n_tables": whole(result.n_tables)}
            | {name: _only(result.ranges.get(name)) for name in _CELLS}
            | {
                "rounding": ", ".join(result.by_rounding),
                "suspects": ", ".join(suspect.name for suspect in result.suspects),
            }
            | {"sentence": result.sentence}
            for result in self.results
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        results = [result.as_dict() for result in self.results]
        return {"possible": self.possible, "sentence": self.sentence, "results": results}

    def __getitem__(self, place: int) -> Reconstruction:
        return self.results[place]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Reconstruction]:
        return iter(self.results)

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *(f"{result.name}: {result.sentence}" for result in self.results)])

    def _repr_html_(self) -> str:
        answers = {True: "possible", False: "impossible", None: "inconclusive"}
        lines = [
            [
                _html_repr.text(reconstruction.name),
                answers[reconstruction.possible],
                _html_repr.text(reconstruction.sentence, 300),
            ]
            for reconstruction in self
        ]
        return _html_repr.card(
            "Reconstructions", _html_repr.table(["paper", "answer", "why"], lines), verdict=self.sentence
        )


def _named(names: Sequence[str], most: int = 20) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _own(printed: Sequence[PrintedNumber], name: str) -> Metric:
    """Return a printed metric with a parameter, such as f_beta(2), which is not listed."""
    return next(
        printed_number.metric
        for printed_number in printed
        if printed_number.metric is not None and printed_number.metric.name == name
    )


def _only(ends: tuple[float, float] | None) -> Any:
    """Return a cell that is the same in all tables, or its range."""
    return None if ends is None else whole(ends[0]) if ends[0] == ends[1] else _range_text(*ends)


def _cells_text(counts: Counts) -> str:
    return ", ".join(f"{name.upper()} {value:,.0f}" for name, value in counts.as_dict().items())


def _range_text(low: float, high: float) -> str:
    one, two = (f"{each:,.0f}" if float(each).is_integer() and each > 1 else number_text(each) for each in (low, high))
    if float(low).is_integer() and float(high).is_integer():
        one, two = f"{low:,.0f}", f"{high:,.0f}"
    return one if one == two else f"{one} to {two}"

"""What a curve is: named columns over thresholds, with the words a reader or a picture needs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, InputError, argument_name, did_you_mean
from unconfuse._formatting import FrozenMapping, frame_of, strict_json
from unconfuse._name_hints import AttributeHints
from unconfuse._render_mixins import lazy_import
from unconfuse._validate import check_text, check_whole, public_api
from unconfuse.metrics._tie_blocks import segments_of
from unconfuse.table import Array, ScoreTable, check_table, remembered


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class Curve(AttributeHints):
    """Columns of equal length, one row per point.

    Attributes
    ----------
    name : str
    columns : mapping of name to array
        Read-only. A column `threshold` holds the lowest score labelled positive; it is infinite where none is.
    x, y : str
        The columns that the usual picture has on its axes.
    labels : mapping of column to words
        What to write on an axis.
    baselines : mapping of column to words
        Which columns show a useless (or trivial, or perfect) classifier, and which one in words.
    note : str
        Conventions in one or two sentences.
    """

    name: str
    columns: Mapping[str, Array]
    x: str
    y: str
    labels: Mapping[str, str] = field(default_factory=dict)
    baselines: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", FrozenMapping(dict(self.columns)))

    def __getitem__(self, column: str) -> Array:
        try:
            return self.columns[column]
        except KeyError:
            raise ArgumentError(
                f"the {self.name} curve has no column {column!r}. {did_you_mean(column, self.columns)}"
            ) from None

    def plot(self, path: str | None = None, **how: Any) -> Any:
        """Return the matplotlib figure of this curve, saved if a path is given; `how` goes to the picture."""
        plots = lazy_import("plots")
        drawn = plots.PICTURES[self.name](self, **how)
        return drawn.figure if path is None else plots.save(drawn.figure, path)

    def __len__(self) -> int:
        return len(self.columns[self.x])

    def label(self, column: str) -> str:
        """Return the words for an axis that shows this column."""
        return self.labels.get(check_text(column, "column"), column.replace("_", " "))

    def with_columns(self, **columns: Array) -> Curve:
        """Return a copy with more columns, for instance `low` and `high` of a band around `y`."""
        return replace(self, columns={**self.columns, **columns})

    def downsampled(self, n_points: int = 1000) -> Curve:
        """At most about so many points, spread evenly along the line; the ends stay. For pictures and pages."""
        check_whole(n_points, "n_points", at_least=2)
        if len(self) <= n_points:
            return self
        steps = sum(_steps(self[name]) for name in (self.x, self.y))
        along = np.append(0.0, np.cumsum(steps))
        wanted = np.searchsorted(along, np.linspace(0, along[-1], n_points))
        keep = np.unique(np.append(np.minimum(wanted, len(self) - 1), [0, len(self) - 1]))
        return replace(self, columns={name: column[keep] for name, column in self.columns.items()})

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return plain values, fit for strict JSON: NaN is None, and infinite thresholds are texts."""
        return {
            "name": self.name,
            "x": self.x,
            "y": self.y,
            "columns": {name: column.tolist() for name, column in self.columns.items()},
            "labels": dict(self.labels),
            "baselines": dict(self.baselines),
            "note": self.note,
        }

    def to_frame(self) -> Any:
        """Return a data frame with one row per point (pandas if installed, else polars, else pyarrow)."""
        lists = {name: column.tolist() for name, column in self.columns.items()}
        return frame_of([dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)])

    def __repr__(self) -> str:
        return f"Curve({self.name}: {self.y} against {self.x}, {len(self)} points; columns {', '.join(self.columns)})"

    thinned = renamed("downsampled")


LONG = 1 << 18  # blocks; pictures of shorter tables are drawn of all of them
_APART = 1e-4  # share of a class's cases so far that may lie between two points: a twelfth of half a pixel


def outlined(table: ScoreTable) -> ScoreTable:
    """Join blocks that no picture could show apart, for curves over shares and for reliability.

    Their points are points of the curve of all blocks. Between two of them neither class grows by more than a
    ten-thousandth of what came before, and every corner of the ROC hull, within which the isotonic fit is level, is
    among them with its neighbours. A table that is not long stays as it is.

    >>> table = ScoreTable.from_validated(np.linspace(1, 0, 10**6), np.ones(10**6), np.ones(10**6))
    >>> len(outlined(table)) < 120_000, outlined(table).n == table.n
    (True, True)
    """
    if len(table) <= LONG:
        return table
    return remembered(table, "outline", lambda: _joined(table, _outline(table)))


def _outline(table: ScoreTable) -> npt.NDArray[np.int64]:
    """Return the last block of each piece of the outline."""
    size = len(table)
    marks = np.geomspace(1e-3 / size, 1, math.ceil(math.log(1e3 * size) / _APART))
    classes = (table.positives, table.n_positives), (table.negatives, table.n_negatives)
    reached = [_kernels.places_reaching(weights, total * marks) for weights, total in classes]
    corners = segments_of(table).last_block - 1
    gain_starts = _kernels.places_reaching(table.positives, np.array([table.n_positives * table.prevalence]))
    ends = np.unique(np.concatenate([*reached, corners - 1, corners, corners + 1, gain_starts - 1, gain_starts]))
    return np.append(ends[(ends >= 0) & (ends < size - 1)], size - 1)


def _joined(table: ScoreTable, ends: npt.NDArray[np.int64]) -> ScoreTable:
    """Each piece under its lowest score."""
    starts = np.append(0, ends[:-1] + 1)
    weights = (table.positives, table.negatives, *(table.squared_weights if table.is_sampled else ()))
    positives, negatives, *squares = (np.add.reduceat(weight, starts) for weight in weights)
    return ScoreTable.from_validated(table.score[ends], positives, negatives, None, *squares)


def _steps(column: Array) -> Array:
    """Lengths of the steps along a column, as shares of its spread."""
    finite = np.nan_to_num(column, nan=0.0, posinf=0.0, neginf=0.0)
    spread = float(np.ptp(finite)) or 1.0
    return np.abs(np.diff(finite)) / spread


def single_table(table: ScoreTable, *, binned: bool = False) -> ScoreTable:
    """Return a single table without blocks of weight 0; a stack of replicates, or a class without members, is refused.

    So is a binned table, unless thresholds between its blocks (`binned`) are enough: there all counts are exact.
    """
    if not binned:
        table = check_table(table, "this").exact("this")
    if not table.is_single_table:
        raise ArgumentError("a curve is drawn of one table, not of a stack of replicates.")
    if not (table.n_positives > 0 and table.n_negatives > 0):
        raise InputError(
            f"a curve needs cases of both classes. Hint: check {argument_name('positive')} and how the rows were "
            "chosen."
        )
    if not table.has_empty_blocks and table.highest is None:
        return table
    there = (table.positives + table.negatives) > 0
    squares = [squared_weight[there] for squared_weight in table.squared_weights] if table.is_sampled else []
    return ScoreTable.from_validated(table.score[there], table.positives[there], table.negatives[there], None, *squares)

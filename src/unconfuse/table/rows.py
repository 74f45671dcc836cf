"""Rows that have been checked, kept where a table is not enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unconfuse._validate import NOTHING_SKIPPED, Skipped
from unconfuse.table.counts import Array
from unconfuse.table.scores import ScoreTable


@dataclass(frozen=True, eq=False, repr=False)
class Division:
    """Which subgroup each row belongs to: `names[code[i]]` is that of row i, and `columns` say what divides them."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    code: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Checked rows: who is positive, each model's score, weights, groups and subgroups.

    Rows are kept only where a table is not enough: paired comparison of models and clustered data.
    """

    is_positive: npt.NDArray[np.bool_]
    score: Mapping[str, Array]
    weights: Array | None = None
    groups: npt.NDArray[np.int64] | None = None
    positive_label: object = 1
    skipped: Skipped = NOTHING_SKIPPED
    by: Division | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.score)

    def in_order(self) -> Scores:
        """The same rows in an order that does not depend on the one they came in, so that a seed means the same."""
        rest = [each for each in (self.groups, self.weights) if each is not None]
        scores = [self.score[model] for model in sorted(self.score, reverse=True)]
        order = np.lexsort([*rest, *scores, self.is_positive])
        by = None if self.by is None else replace(self.by, code=self.by.code[order])
        return replace(self.taken(order), by=by)

    def table(self, model: str | None = None) -> ScoreTable:
        """The score table of one model (of the only one, if there is one)."""
        name = next(iter(self.score)) if model is None else model
        return ScoreTable.of_rows(self.is_positive, self.score[name], self.weights)

    def divided(self) -> dict[str, Scores]:
        """The rows of each subgroup, in their order; rows are sorted by subgroup once."""
        assert self.by is not None
        small = self.by.code.astype(np.int16 if len(self.by.names) < 2**15 else np.int64)  # sorted in linear time
        order = np.argsort(small, kind="stable")
        ends = np.cumsum(np.bincount(small, minlength=len(self.by.names)))[:-1]
        parts = (self.taken(rows) for rows in np.split(order, ends))
        return dict(zip(self.by.names, parts, strict=True))

    def taken(self, rows: npt.NDArray[np.intp]) -> Scores:
        """Some of the rows; what divides them is left behind."""
        return replace(
            self,
            is_positive=self.is_positive[rows],
            score={name: column[rows] for name, column in self.score.items()},
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
            by=None,
        )

    def __len__(self) -> int:
        return len(self.is_positive)

    def __repr__(self) -> str:
        return f"Scores({len(self)} rows, {int(self.is_positive.sum())} positive, models: {', '.join(self.score)})"

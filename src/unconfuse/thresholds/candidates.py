"""The thresholds to choose from: every distinct score of a table, or of each table in a stack of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import Array, Counts, ScoreTable

Index = npt.NDArray[np.intp]
NOBODY = -1  # the choice to label nobody
MOST_GROUPS = 500  # of each class


@dataclass(frozen=True, eq=False)
class Candidates:
    """A table with the 2x2 counts and B at every threshold. Its arrays may carry leading axes."""

    table: ScoreTable

    @cached_property
    def counts(self) -> Counts:
        """The 2x2 table at every threshold."""
        return self.table.counts()

    @cached_property
    def b(self) -> Array:
        """B(r) at every threshold."""
        return b_values(self.table)

    @cached_property
    def queue_rate(self) -> Array:
        """Share labelled positive at every threshold."""
        with np.errstate(invalid="ignore"):  # a part of very few cases may be empty
            return np.asarray(self.counts.labelled_positive / self.counts.total)

    @cached_property
    def limited(self) -> dict[str, Array]:
        """The metrics that must reach a limit, by name, as they are asked for: several rules look at the same one."""
        return {}

    def at(self, curve: Array, index: Index) -> Array:
        """The values of a curve at one threshold of each table; NaN where nobody is labelled."""
        values = np.take_along_axis(curve, np.maximum(index, 0)[..., None], axis=-1)[..., 0]
        return np.where(index == NOBODY, np.nan, values)

    def counts_at(self, index: Index) -> Counts:
        """The 2x2 table at one threshold of each table."""
        c, some = self.counts, index != NOBODY

        def at(cells: Array, of_nobody: Array | float) -> Array:
            return np.where(
                some, np.take_along_axis(cells, np.maximum(index, 0)[..., None], axis=-1)[..., 0], of_nobody
            )

        all_positives, all_negatives = c.tp[..., -1], c.fp[..., -1]
        return Counts.trusted(
            tp=at(c.tp, 0.0), fp=at(c.fp, 0.0), fn=at(c.fn, all_positives), tn=at(c.tn, all_negatives)
        )

    def settled(self, index: Index) -> Index:
        """The same labelled set, named by a score that occurs: replicates leave some of the scores without cases."""
        place, both = np.maximum(index, 0)[..., None], np.broadcast_arrays(self.table.positives, self.table.negatives)
        if np.all(sum(np.take_along_axis(each, place, axis=-1) for each in both) > 0):
            return index
        filled = self.table.positives + self.table.negatives > 0
        places = np.where(filled, np.arange(filled.shape[-1]), -1)
        last = np.maximum.accumulate(places, axis=-1)
        found = np.take_along_axis(last, place, axis=-1)[..., 0]
        first = np.argmax(filled, axis=-1)
        return np.where(index == NOBODY, NOBODY, np.where(found < 0, first, found))

    def thresholds(self, index: Index) -> Array:
        """The lowest labelled score; infinite where nobody is labelled."""
        return np.where(index == NOBODY, np.inf, self.table.score[np.maximum(index, 0)])


def at_prevalence(table: ScoreTable, prevalence: float | None) -> ScoreTable:
    """The same class distributions at another prevalence, for stacks of tables too; as it is if none is stated."""
    if prevalence is None:
        return table
    positives, negatives = (each.sum(axis=-1, keepdims=True) for each in (table.positives, table.negatives))
    total = positives + negatives
    with np.errstate(divide="ignore", invalid="ignore"):
        return ScoreTable.trusted(
            table.score,
            table.positives * (prevalence * total / positives),
            table.negatives * ((1 - prevalence) * total / negatives),
        )


def grouped(table: ScoreTable) -> ScoreTable:
    """Neighbouring scores taken together where there are very many, each group named by its lowest score.

    Resampling then costs the same for a million rows as for a few thousand; a threshold is known to
    one part in 500 of each class. A table with few scores stays as it is.
    """
    if len(table) <= 2 * MOST_GROUPS:
        return table
    ends = np.unique(np.concatenate([_ends(table.positives), _ends(table.negatives), [len(table) - 1]]))
    starts = np.append(0, ends[:-1] + 1)
    positives, negatives = (np.add.reduceat(weights, starts) for weights in (table.positives, table.negatives))
    return ScoreTable.trusted(table.score[ends], positives, negatives)


def _ends(weights: Array) -> Index:
    """Last score of each of equally heavy groups."""
    reached = np.cumsum(weights)
    wanted = reached[-1] * np.arange(1, MOST_GROUPS + 1) / MOST_GROUPS
    ends: Index = np.minimum(np.searchsorted(reached, wanted), len(weights) - 1)
    return ends

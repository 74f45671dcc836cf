"""The thresholds to choose from: every distinct score of a table, or of each table in a stack of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import AT_A_TIME, Array, Counts, ScoreTable

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

    def stretches(self) -> Iterator[tuple[int, Candidates]]:
        """Neighbouring thresholds by and by, each stretch with the place of its first; a stack of tables at once."""
        if not self.table.is_single_table or len(self.table) <= AT_A_TIME:
            yield 0, self
            return
        for first in range(0, len(self.table), AT_A_TIME):
            yield first, self.stretch(first, first + AT_A_TIME)

    def stretch(self, first: int, end: int) -> Candidates:
        """Return the thresholds from one place to another."""
        rows, table = slice(first, end), self.table
        return CandidateSlice(
            ScoreTable.from_validated(table.score[rows], table.positives[rows], table.negatives[rows]), self, rows
        )

    def at(self, curve: Array, index: Index) -> Array:
        """Return the values of a curve at one threshold of each table; NaN where nobody is labelled."""
        values = np.take_along_axis(curve, np.maximum(index, 0)[..., None], axis=-1)[..., 0]
        return np.where(index == NOBODY, np.nan, values)

    def counts_at(self, index: Index) -> Counts:
        """Return the 2x2 table at one threshold of each table."""
        c, some = self.counts, index != NOBODY

        def at(cells: Array, of_nobody: Array | float) -> Array:
            return np.where(
                some, np.take_along_axis(cells, np.maximum(index, 0)[..., None], axis=-1)[..., 0], of_nobody
            )

        all_positives, all_negatives = c.tp[..., -1], c.fp[..., -1]
        return Counts.from_validated(
            tp=at(c.tp, 0.0), fp=at(c.fp, 0.0), fn=at(c.fn, all_positives), tn=at(c.tn, all_negatives)
        )

    def settled(self, index: Index) -> Index:
        """Name the same labelled set by a score that occurs: replicates leave some of the scores without cases."""
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
        """Return the lowest labelled score; infinite where nobody is labelled."""
        return np.where(index == NOBODY, np.inf, self.table.score[np.maximum(index, 0)])


@dataclass(frozen=True, eq=False)
class CandidateSlice(Candidates):
    """Some neighbouring thresholds of a table, whose counts are those of the whole."""

    whole: Candidates
    rows: slice

    @cached_property
    def counts(self) -> Counts:
        """The 2x2 table at each of these thresholds."""
        return self.whole.counts[self.rows]

    @cached_property
    def b(self) -> Array:
        """B(r) at each of these thresholds."""
        return self.whole.b[self.rows]


class RunningMax:
    """The largest of values that are seen stretch by stretch, and the place of the first that is as large."""

    def __init__(self) -> None:
        self.value: Array = np.asarray(-np.inf)
        self.place: Index = np.asarray(0)

    def see(self, first: int, values: Array) -> None:
        """More values, the first of them at this place."""
        place = np.argmax(values, axis=-1)
        value = np.take_along_axis(values, place[..., None], axis=-1)[..., 0]
        self.place = np.where(value > self.value, first + place, self.place)
        self.value = np.maximum(self.value, value)


def labelled_blocks(table: ScoreTable, threshold: float) -> int:
    """How many of a table's scores reach a threshold."""
    return len(table) - int(np.searchsorted(table.score[::-1], threshold))


def at_prevalence(table: ScoreTable, prevalence: float | None) -> ScoreTable:
    """Return the same class distributions at another prevalence, also for stacks; unchanged if none is stated."""
    if prevalence is None:
        return table
    positives, negatives = (each.sum(axis=-1, keepdims=True) for each in (table.positives, table.negatives))
    total = positives + negatives
    with np.errstate(divide="ignore", invalid="ignore"):
        return ScoreTable.from_validated(
            table.score,
            table.positives * (prevalence * total / positives),
            table.negatives * ((1 - prevalence) * total / negatives),
        )


def grouped(table: ScoreTable) -> ScoreTable:
    """Neighbouring scores taken together where there are very many, each group named by its lowest score.

    Resampling then costs the same for a million rows as for a few thousand; a threshold is known to
    one part in 500 of each class. A table with few scores stays as it is.
    """
    ends = group_ends(table)
    if ends is None:
        return table
    starts = np.append(0, ends[:-1] + 1)
    positives, negatives = (np.add.reduceat(weights, starts) for weights in (table.positives, table.negatives))
    return ScoreTable.from_validated(table.score[ends], positives, negatives)


def group_ends(table: ScoreTable) -> Index | None:
    """Return the last score of each group of scores that are taken together; None where there are few."""
    if len(table) <= 2 * MOST_GROUPS:
        return None
    classes = (table.positives, table.n_positives), (table.negatives, table.n_negatives)
    return np.unique(np.concatenate([*(_ends(*of_class) for of_class in classes), [len(table) - 1]]))


def _ends(weights: Array, total: float) -> Index:
    """Last score of each of equally heavy groups."""
    wanted = total * np.arange(1, MOST_GROUPS + 1) / MOST_GROUPS
    return np.minimum(_kernels.places_reaching(weights, wanted), len(weights) - 1)

"""The score table: one row for each distinct score, or for each block of neighbouring ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, InputError
from unconfuse._render_mixins import PlotMixin, lazy_import
from unconfuse._validate import (
    as_floats,
    as_numbers,
    check_count,
    check_list,
    check_number,
    check_probability,
    check_whole,
    public_api,
)
from unconfuse.table import banding
from unconfuse.table.counts import Array, Counts, sums_of_first, sums_on_both_sides

T = TypeVar("T")
AT_A_TIME = 1 << 15  # blocks of a long table, so that what is computed of them stays near the processor


@public_api
@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(PlotMixin):
    """One row per distinct score, highest first, with the weight of each class at that score.

    Everything that unconfuse computes, except paired comparisons and clustered data, needs nothing more. Two tables
    merge by adding, so rows may be read anywhere, in any order and in any number of pieces.

    Parameters
    ----------
    score : array of shape (k,)
        Distinct scores, descending.
    positives, negatives : array of shape (..., k)
        Weight of the positive and of the negative class at each score.
    highest : array of shape (k,), optional
        Of a binned table (see `coarsen`): row k holds cases with scores from `score[k]` to `highest[k]`. These blocks
        are disjoint and descending. None if every row is one exact score.
    positives_squared, negatives_squared : array of shape (k,), optional
        Sums of the squared weights of each class at each score, if weights say how cases were sampled: what a standard
        error needs besides the weights. None if weights count cases.

    Examples
    --------
    >>> table = ScoreTable.from_rows(np.array([True, False, True]), np.array([.9, .4, .4]))
    >>> table.score, table.positives, table.negatives
    (array([0.9, 0.4]), array([1., 1.]), array([0., 1.]))
    >>> table.merge(table).n_positives
    4.0
    """

    picture = "plot_roc"

    score: Array
    positives: Array
    negatives: Array
    highest: Array | None = None
    positives_squared: Array | None = None
    negatives_squared: Array | None = None

    def __post_init__(self) -> None:
        """Check what a user puts together; what was computed here comes by `from_validated`."""
        object.__setattr__(self, "score", as_numbers(self.score, "score"))
        squares = ("positives_squared", "negatives_squared") if self.is_sampled else ()
        for name in ("positives", "negatives", *squares):
            object.__setattr__(self, name, _checked_weights(getattr(self, name), name, len(self)))
        if self.highest is not None:
            object.__setattr__(self, "highest", as_numbers(self.highest, "highest"))
            _check_blocks(self.score, self.upper_edges)
        if not (self.upper_edges[1:] < self.score[:-1]).all():
            raise InputError(
                "the scores of a table must be distinct and descending. Hint: `score_table` makes one from rows."
            )

    @classmethod
    def from_validated(
        cls,
        score: Array,
        positives: Array,
        negatives: Array,
        highest: Array | None = None,
        positives_squared: Array | None = None,
        negatives_squared: Array | None = None,
    ) -> ScoreTable:
        """Build a table from columns that were checked or computed here: they are not checked again."""
        table = object.__new__(cls)
        vars(table).update(score=score, positives=positives, negatives=negatives, highest=highest)
        vars(table).update(positives_squared=positives_squared, negatives_squared=negatives_squared)
        return table

    @classmethod
    def from_rows(
        cls,
        is_positive: npt.NDArray[np.bool_],
        score: Array,
        weights: Array | None = None,
        squares: Array | None = None,
    ) -> ScoreTable:
        """Collapse rows that have been checked already; `score_table` checks them first.

        With `squares`, the squared weight of each row, weights say how rows were sampled. Where one of them is 0 both
        must be, so that the same scores remain.
        """
        counted = _kernels.collapse_cases(score, is_positive) if weights is None else None
        if counted is not None:
            return cls._counted(*counted, is_positive)
        columns = _kernels.collapse(score, is_positive, weights)
        if squares is None:
            return cls.from_validated(*columns)
        return cls.from_validated(*columns, None, *_kernels.collapse(score, is_positive, squares)[1:])

    @classmethod
    def _counted(cls, score: Array, cases: _kernels.Counts32, is_positive: npt.NDArray[np.bool_]) -> ScoreTable:
        """Of cases that count once each, in two thirds of the memory until somebody asks for a column."""
        table, positives = object.__new__(cls), np.count_nonzero(is_positive)
        totals = float(positives), float(len(is_positive) - positives), False
        vars(table).update(score=score, _cases=cases, _totals=totals)
        vars(table).update(highest=None, positives_squared=None, negatives_squared=None)
        return table

    def __getattr__(self, name: str) -> Any:
        """Return the columns of positives and negatives where only counts of cases are held; these are then dropped."""
        held = vars(self)
        if name in ("positives", "negatives") and (cases := self.from_cases) is not None:
            held["positives"], held["negatives"] = _kernels.widened(cases)
            held["_cases"] = None
        if name in held:  # another thread may have been here
            return held[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def from_cases(self) -> _kernels.Counts32 | None:
        """Positives and negatives at each score, (k, 2), as long as nobody has asked for a column."""
        found: _kernels.Counts32 | None = vars(self).get("_cases")
        return found

    @property
    def nonempty_weights(self) -> tuple[Array, Array] | tuple[_kernels.Counts32]:
        """Both columns, or counts of cases if nobody has asked for a column yet: for kernels that take either."""
        cases = self.from_cases
        return (self.positives, self.negatives) if cases is None else (cases,)

    @property
    def is_single_table(self) -> bool:
        """Whether this is one table, not a set of replicates."""
        return self.from_cases is not None or self.positives.ndim == self.negatives.ndim == 1

    @classmethod
    def empty(cls) -> ScoreTable:
        """Return the table of no rows: merging it changes nothing."""
        nothing = np.empty(0)
        return cls.from_validated(nothing, nothing, nothing)

    @cached_property
    def _totals(self) -> tuple[float, float, bool]:
        """Weight of each class, and whether any block is empty: asked for again and again, so added up once."""
        if self.is_single_table:
            return _kernels.totals(*self.nonempty_weights)
        positives, negatives = np.broadcast_arrays(self.positives, self.negatives)
        return _kernels.totals(positives.reshape(-1), negatives.reshape(-1))

    @property
    def n_positives(self) -> float:
        """Total weight of the positive class."""
        return self._totals[0]

    @property
    def n_negatives(self) -> float:
        """Total weight of the negative class."""
        return self._totals[1]

    @property
    def has_empty_blocks(self) -> bool:
        """Whether some score has no weight at all, as in resampled tables."""
        return self._totals[2]

    @property
    def is_sampled(self) -> bool:
        """Whether weights say how cases were sampled, rather than how many of them there are."""
        return self.positives_squared is not None

    @property
    def squared_weights(self) -> tuple[Array, Array]:
        """Sums of squared weights of positives and of negatives; those of cases that count once are their number."""
        if self.positives_squared is None or self.negatives_squared is None:
            return self.positives, self.negatives
        return self.positives_squared, self.negatives_squared

    @property
    def n(self) -> float:
        """Total weight."""
        return self.n_positives + self.n_negatives

    @property
    def prevalence(self) -> float:
        """Share of the positive class."""
        return self.n_positives / self.n if self.n else float("nan")

    @property
    def probability_problem(self) -> str:
        """Why the scores cannot be probabilities, or nothing: the one place that decides it for two classes."""
        if not len(self) or (self.score[-1] >= 0 and self.upper_edges[0] <= 1):
            return ""
        return f"they run from {self.score[-1]:g} to {self.upper_edges[0]:g}, outside [0, 1]"

    @property
    def is_exact(self) -> bool:
        """Whether every row is one score; if not, numbers come with a bound (see `coarsen`)."""
        return self.highest is None or bool(np.array_equal(self.highest, self.score))

    def exact(self, what: str) -> ScoreTable:
        """Return this table if every row is one score; refuse a binned one to what needs exact scores."""
        if self.is_exact:
            return self
        raise InputError(
            f"{what} needs exact scores, and this table is binned ({len(self):,} blocks). Hint: use the table from "
            "before `coarsen`, or `evaluate`, which bounds every metric of a binned table."
        )

    @property
    def upper_edges(self) -> Array:
        """The highest score of each row: its only score, in an exact table."""
        return self.score if self.highest is None else self.highest

    @property
    def nonempty_rows(self) -> ScoreTable:
        """The scores that cases have; a table put together by hand may name others, which say nothing.

        >>> ScoreTable(np.array([.9, .5, .1]), np.array([2., 0, 1]), np.array([0., 0, 3])).nonempty_rows
        ScoreTable(2 distinct scores, 3 positives of 6)
        """
        full = self.positives + self.negatives > 0
        if full.all() or not full.any():
            return self
        columns = (self.score, self.positives, self.negatives, self.highest)
        squared = (self.positives_squared, self.negatives_squared)
        return ScoreTable.from_validated(*(each if each is None else each[full] for each in (*columns, *squared)))  # type: ignore[arg-type]

    def merge(self, other: ScoreTable) -> ScoreTable:
        """Merge both sets of rows into one table; associative and commutative. Blocks that share a score are united."""
        if not isinstance(other, ScoreTable):
            raise InputError(f"a ScoreTable is merged with another one; got {type(other).__name__}.")
        if not (self.is_single_table and other.is_single_table):
            raise ArgumentError("only plain tables can be merged, not sets of replicates.")
        if self.highest is not None or other.highest is not None:
            squared = self.is_sampled or other.is_sampled
            pairs = zip(self._columns(squared), other._columns(squared), strict=True)
            return _binned(*banding.merge_overlapping(*(np.concatenate(pair) for pair in pairs)))
        both = (self.score, self.positives, self.negatives), (other.score, other.positives, other.negatives)
        columns = _kernels.merge_tables(*both[0], *both[1])
        if not (self.is_sampled or other.is_sampled):
            return ScoreTable.from_validated(*columns)
        squares = _kernels.merge_tables(self.score, *self.squared_weights, other.score, *other.squared_weights)[1:]
        return ScoreTable.from_validated(*columns, None, *squares)

    def coarsen(self, bins: int = 65_536, *, edges: Iterable[float] = (), min_count: float = 0) -> ScoreTable:
        """Join neighbouring scores into blocks: a smaller table, whose numbers come with a certified bound.

        Blocks hold about equal weight, heavy ties stay exact rows of their own, and the cuts are taken from one fixed
        tree of scores, so that tables which were binned apart still merge well. The result depends on the table alone.

        Parameters
        ----------
        bins : int
            How many blocks there may be (more where `edges` need them).
        edges : floats
            Thresholds at which the 2x2 table must stay exact: no block holds scores on both sides of one.
        min_count : float
            Least weight of a block, both classes together. The ends of blocks are then rounded outward as well, so that
            they are no one's score.

        Examples
        --------
        >>> table = ScoreTable(np.linspace(1, 0, 1001), np.ones(1001), np.ones(1001))
        >>> small = table.coarsen(100, edges=[0.5])
        >>> len(small) <= 101, small.is_exact, small.n == table.n
        (True, False, True)
        >>> small.counts_at(0.5) == table.counts_at(0.5)
        True
        """
        if not self.is_single_table:
            raise ArgumentError("only plain tables can be binned, not sets of replicates.")
        least = check_number(min_count, "min_count")
        if least < 0:
            raise ArgumentError(f"`min_count` must be 0 or more; got {least:g}.")
        if self.n < least:
            raise ArgumentError(f"the whole table holds {self.n:g} cases, fewer than `min_count={least:g}`.")
        wanted = np.unique([check_number(each, "edges") for each in check_list(edges, "edges")]).astype(np.float64)
        joined = banding.joined(
            *self._columns(self.is_sampled), bins=check_whole(bins, "bins", at_least=1), edges=wanted, least=least
        )
        return _binned(*joined)

    def save(self, path: str | os.PathLike[str], *, positive_label: str | None = None) -> None:
        """Write the table to a Parquet file, for `load`, `unconfuse merge`, or any tool that reads Parquet.

        The file holds the columns of the table, the totals and the version of the format; nothing on rows or persons.
        See the page on sharing tables for what a table still reveals.
        """
        lazy_import("ingest.table_files").save_table(self, path, positive_label=positive_label)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ScoreTable:
        """Read a table that `save` or `unconfuse table` wrote; foreign, newer or damaged files are refused."""
        score_table: ScoreTable = lazy_import("ingest.table_files").load_table(path)
        return score_table

    def at_midpoints(self) -> ScoreTable:
        """Return the exact table with all cases of a block at its middle score; the same table if exact."""
        if self.highest is None:
            return self
        middles = self.score + (self.highest - self.score) / 2
        return ScoreTable.from_validated(
            middles, self.positives, self.negatives, None, *(self.squared_weights if self.is_sampled else ())
        )

    def _columns(self, squared: bool = False) -> tuple[Array, ...]:
        return self.score, self.upper_edges, self.positives, self.negatives, *(self.squared_weights if squared else ())

    def counts(self) -> Counts:
        """Return the 2x2 table at every distinct score, taken as threshold: positive iff score >= threshold."""
        (tp, fn), (fp, tn) = (sums_on_both_sides(weights) for weights in (self.positives, self.negatives))
        return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)

    def counts_at(self, threshold: npt.ArrayLike) -> Counts:
        """Return the 2x2 table at any threshold (or array of them): positive iff score >= threshold."""
        at = as_floats(threshold, "threshold")
        labelled = len(self) - np.searchsorted(self.score[::-1], at, side="left")
        (tp, fn), (fp, tn) = (sums_of_first(weights, labelled) for weights in (self.positives, self.negatives))
        return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)

    def counts_between(self, threshold: float) -> tuple[Counts, Counts]:
        """Return the 2x2 tables with the fewest and the most positive labels that a threshold can give; equal if exact.

        A block that lies on both sides of the threshold has none or all of its cases labelled positive.
        """
        least = self.counts_at(threshold)
        return least, ScoreTable.from_validated(self.upper_edges, self.positives, self.negatives).counts_at(threshold)

    @cached_property
    def extremes(self) -> tuple[ScoreTable, ScoreTable]:
        """The worst and the best exact table behind a binned one.

        The best has the positives of each block at its highest score and the negatives at its lowest; the worst has
        them the other way round. Every other table lies between the two, in every ROC curve and at every score.
        """
        p, n = self.positives > 0, self.negatives > 0
        none = np.zeros_like(self.score)
        ends = (self.score, self.upper_edges), (self.upper_edges, self.score)
        worst, best = (
            ScoreTable.from_validated(up[p], self.positives[p], none[p]).merge(
                ScoreTable.from_validated(down[n], none[n], self.negatives[n])
            )
            for up, down in ends
        )
        return worst, best

    def at_prevalence(self, prevalence: float) -> ScoreTable:
        """Return the same class distributions, weighted to another prevalence, with the same total weight."""
        prevalence = check_probability(prevalence, "prevalence")
        positives, negatives = (each.sum(axis=-1, keepdims=True) for each in (self.positives, self.negatives))
        total = positives + negatives
        with np.errstate(invalid="ignore", divide="ignore"):
            factors = prevalence * total / positives, (1 - prevalence) * total / negatives
            return self.scaled(*factors)

    def scaled(self, positive: Array, negative: Array) -> ScoreTable:
        """Every positive and every negative counted so many times."""
        squares: tuple[Array, ...] = ()
        if self.is_sampled:
            squares = (self.squared_weights[0] * positive**2, self.squared_weights[1] * negative**2)
        return ScoreTable.from_validated(
            self.score, self.positives * positive, self.negatives * negative, self.highest, *squares
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the columns alone: what a table remembers is quickly computed again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def as_dict(self) -> dict[str, list[float]]:
        """Return the columns as lists: three, plus `highest` in a binned table and squares for sampled cases."""
        held = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: column.tolist() for name, column in held if column is not None}

    def __len__(self) -> int:
        return len(self.score)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        if self.is_sampled != other.is_sampled:
            return False
        return all(np.array_equal(*pair) for pair in zip(self._columns(True), other._columns(True), strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if not self.is_single_table:
            return f"ScoreTable({len(self)} distinct scores, leading axes {self.positives.shape[:-1]})"
        rows = "distinct scores" if self.is_exact else "blocks of scores"
        what = ", sampling weights" if self.is_sampled else ""
        return f"ScoreTable({len(self)} {rows}, {self.n_positives:g} positives of {self.n:g}{what})"

    at_middles = renamed("at_midpoints")
    tops = renamed("upper_edges")
    of_rows = renamed("from_rows")
    why_not_probabilities = renamed("probability_problem")


def _binned(low: Array, high: Array, positives: Array, negatives: Array, *squares: Array) -> ScoreTable:
    """Build a table of blocks, or an exact one if every block is one score."""
    return ScoreTable.from_validated(low, positives, negatives, None if np.array_equal(low, high) else high, *squares)


def check_table(table: object, what: str) -> ScoreTable:
    """Check that this is a score table, for verbs that take nothing else."""
    if not isinstance(table, ScoreTable):
        raise InputError(f"{what} takes a ScoreTable; got {type(table).__name__}. Hint: uc.score_table(y, s).")
    return table


def fractions(first: int, last: int, of: int) -> Array:
    """Return first/of to last/of, each the number that a reader of its decimals gets.

    A grid of even steps (`np.linspace`, `np.arange(0, 1, 0.01)`) puts .7 and others one float away, and cases whose
    score is exactly that on the wrong side of the threshold.

    >>> bool(fractions(0, 99, 100)[70] == 0.7 < np.linspace(0, 0.99, 100)[70])
    True
    """
    return np.arange(first, last + 1) / of


def effective_sample_size(weight: Array, squares: Array) -> float:
    """Kish's effective number of cases: as many that count once would say as much as these.

    >>> effective_sample_size(np.array([2.0, 2.0]), np.array([4.0, 4.0])), round(effective_sample_size(np.array([1.0,
    ...     9.0]), np.array([1.0, 81.0])), 2)
    (2.0, 1.22)
    """
    total = float(weight.sum())
    return total**2 / float(squares.sum()) if total else 0.0


def remembered(table: ScoreTable, key: Hashable, compute: Callable[[], T]) -> T:
    """Compute once for each table what several metrics share; only small things, as they live with the table."""
    known: dict[Hashable, Any] = vars(table).setdefault("_remembered", {})
    if key not in known:
        known[key] = compute()
    found: T = known[key]
    return found


def _checked_weights(values: Any, name: str, size: int) -> Array:
    weights = check_count(values, name)
    if not weights.ndim or weights.shape[-1] != size:
        raise InputError(f"`{name}` must hold one weight for each of {size} scores; got shape {weights.shape}.")
    return weights


def _check_blocks(lowest: Array, highest: Array) -> None:
    if len(lowest) != len(highest) or (highest < lowest).any():
        raise InputError("`highest` must hold the highest score of each row, at least its `score`.")

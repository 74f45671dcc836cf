"""A sample whose rows are in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse._kernels import ClassRanks, class_ranks, order_rows
from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.cells import Codes, ConfusionCells
from unconfuse.table.counts import Array, Counts, counted_by
from unconfuse.table.sample import DEFAULT, Flags, Grouping, JointCounts, Matrix, Sample, Worth
from unconfuse.table.sampling import Clustered, Sampling, Survey, Weighted
from unconfuse.table.score_table import ScoreTable

SUM_TOLERANCE = 1e-3  # rows of probabilities may be rounded in files
_SCORES_AT_A_TIME = 1 << 22  # of a matrix: pieces that stay in the cache, so that no second matrix is made
_PATTERNS = 1 << 20  # of labels by several models, up to which all that are possible are counted


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InMemorySample(Sample):
    """Cases whose rows are in memory.

    Attributes
    ----------
    truth : array of shape (n,)
        The number of each row's class; booleans if there are two.
    scores : mapping of model to array of shape (n,) or (n, K)
    decided : mapping of model to array of shape (n,)
        The number of the class that each model names; without it, a threshold decides.
    weights : array of shape (n,), optional
        How many cases a row stands for; with `squares`, how it was sampled.
    squares : array of shape (n,), optional
        The squares of sampling weights (times how many cases each row stands for).
    strata : array of int, shape (n,), optional
        Within which part of the population each row was sampled.
    groups : array of int, shape (n,), optional
        Which rows belong together, counted from 0.
    division, folds, sites : Grouping, optional
        Subgroups, the folds of a cross-validation, and the places that cases come from.

    Examples
    --------
    >>> cases = InMemorySample(truth=np.array([True, False, True]), scores={"risk": np.array([.9, .2, .4])})
    >>> cases.with_thresholds(.5).counts()
    Counts(tp=1, fp=0, fn=1, tn=1)
    """

    truth: Codes | Flags
    scores: Mapping[str, Matrix] = field(default_factory=dict)
    decided: Mapping[str, Codes] = field(default_factory=dict)
    weights: Array | None = None
    squares: Array | None = None
    strata: Codes | None = None
    groups: Codes | None = None
    division: Grouping | None = None
    folds: Grouping | None = None
    sites: Grouping | None = None

    def _drawn_by(self) -> Sampling:
        if self.squares is not None:
            if self.groups is None and self.strata is None:
                return Weighted(self.fixed_classes, self.squares)
            return Survey(self.fixed_classes, self.squares, self.strata, self.groups)
        if self.groups is not None:
            return Clustered(self.fixed_classes, self.groups)
        return super()._drawn_by()

    @property
    def in_memory(self) -> InMemorySample:
        return self

    def derive(self, **changes: Any) -> Self:
        made = super().derive(**changes)
        for model, known in self._computed.items():
            if all(own is given for own, given in zip(made._rests_on(model), self._rests_on(model), strict=True)):
                made._computed[model] = known
        return made

    @cached_property
    def _computed(self) -> dict[str, dict[Any, Any]]:
        """By model, what was computed once of its scores. Not a field: `replace` would hand it on to other rows."""
        return {}

    def _rests_on(self, model: str) -> tuple[object, ...]:
        """All that a model's computed values depend on."""
        return self.is_multiclass, self.truth, self.weights, self.squares, self.scores.get(model)

    def _once(self, model: str, what: Any, compute: Callable[[], Any]) -> Any:
        known = self._computed.setdefault(model, {})
        if what not in known:
            known[what] = compute()
        return known[what]

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.scores, *self.decided]))

    @cached_property
    def is_positive(self) -> Flags:
        """Which rows are positive, of a yes-or-no question."""
        return self.truth.astype(np.bool_, copy=False)

    @cached_property
    def sizes(self) -> Array:
        if self.truth.dtype == np.bool_ and self.weights is None:
            positives = np.count_nonzero(self.truth)
            return np.array([len(self) - positives, positives], dtype=np.float64)
        return counted_by(self.truth, self.weights, self.n_classes)

    @property
    def rests(self) -> Array:
        """Weight of all other classes, for each class. Added up: a difference of unlike weights loses its digits."""
        before, behind = np.cumsum(self.sizes), np.cumsum(self.sizes[::-1])[::-1]
        rests: Array = np.append(0.0, before[:-1]) + np.append(behind[1:], 0.0)
        return rests

    @cached_property
    def weight(self) -> Array:
        """Weight of every row, 1 if none was given."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def is_weighted(self) -> bool:
        return self.weights is not None

    @property
    def is_sampled(self) -> bool:
        return self.squares is not None

    @cached_property
    def effective_sizes(self) -> Array:
        if self.squares is None:
            return self.sizes
        squared = counted_by(self.truth, self.squares, self.n_classes)
        return np.divide(self.sizes**2, squared, out=np.zeros(self.n_classes), where=squared > 0)

    @property
    def has_fractions(self) -> bool:
        return (
            self.weights is not None
            and self.squares is None
            and not np.array_equal(self.weights, np.round(self.weights))
        )

    @property
    def has_units(self) -> bool:
        return self.groups is not None or self.strata is not None

    @property
    def n_groups(self) -> int:
        return self.sampling.n_groups

    @property
    def by(self) -> tuple[str, ...]:
        return () if self.division is None else self.division.columns

    @property
    def has_scores(self) -> bool:
        return bool(self.scores)

    @property
    def matrix(self) -> Matrix:
        """The scores of the only model."""
        if not self.scores:
            raise ArgumentError("this needs scores, not only predicted labels. Hint: evaluate(y, S).")
        return self.scores[self.only_model]

    @property
    def predicted(self) -> Codes:
        """The class that the only model names, of several classes."""
        return self.decided[self.only_model]

    def table(self, model: str | None = None, k: int | None = None) -> ScoreTable:
        name, own = self.resolve_model(model), 1 if k is None else k
        score_table: ScoreTable = self._once(name, own, lambda: self._table(self.scores[name], own))
        return score_table

    def _table(self, score: Matrix, k: int) -> ScoreTable:
        if not self.is_multiclass:
            return ScoreTable.from_rows(self.is_positive, score, self.weights, self.squares)
        column = np.asarray(score[:, k], dtype=np.float64)
        return ScoreTable.from_rows(self.truth == k, column, self.weights, self.squares)

    def has_scores_of(self, model: str | None = None) -> bool:
        return self.resolve_model(model) in self.scores

    def has_decisions_of(self, model: str | None = None) -> bool:
        name = self.resolve_model(model)
        return name in self.decided or name in self.thresholds

    def with_thresholds(
        self, thresholds: float | Mapping[str, float], origin: str | Mapping[str, str] | None = None
    ) -> Self:
        cut = super().with_thresholds(thresholds, origin)
        others = {name: each for name, each in self.decided.items() if name not in cut.thresholds}
        return cut.derive(decided=others) if len(others) < len(self.decided) else cut

    def labelled(self, model: str) -> Flags:
        """Which cases of a yes-or-no question the model calls positive."""
        if model in self.decided:
            return self.decided[model].astype(np.bool_)
        return np.asarray(self.scores[model] >= self.thresholds[model], dtype=np.bool_)

    def counts(self, model: str | None = None, k: int = 1) -> Counts:
        name = self.resolve_model(model)
        if self.is_multiclass or name in self.decided:
            return self.cells(name).one_vs_rest(k)
        return self.table(name).counts_at(self.thresholds[name])

    def squared_counts(self, model: str | None = None) -> Counts:
        return self.counts(model) if self.squares is None else self._squared.counts(model)

    @cached_property
    def _squared(self) -> InMemorySample:
        return self.derive(weights=self.squares, squares=None)

    def cells(self, model: str | None = None) -> ConfusionCells:
        name = self.resolve_model(model)
        if name in self.decided:
            return ConfusionCells.from_codes(
                self.truth.astype(np.int64), self.decided[name], self.weights, self.n_classes
            )
        return ConfusionCells.from_counts(self.counts(name))

    def one_vs_rest(self, k: int) -> InMemorySample:
        name, called = self.only_model, self.predicted == k
        scores = {name: np.asarray(self.matrix[:, k], dtype=np.float64)} if self.scores else {}
        halved = self.n_classes == 2 and name in scores and np.array_equal(called, scores[name] >= 0.5)
        return self.derive(
            classes=(f"not {self.classes[k]}", self.classes[k]),
            is_multiclass=False,
            thresholds={name: 0.5} if halved else {},
            threshold_sources={name: DEFAULT} if halved else {},
            positive_label=self.classes[k],
            truth=self.truth == k,
            scores=scores,
            decided={name: called.astype(np.int64)},
        )

    def compact(self) -> Sample:
        if self.is_multiclass or self.has_units or self.decided or self.division or self.folds or self.sites:
            return self
        return AggregatedSample(
            classes=self.classes,
            thresholds=self.thresholds,
            threshold_sources=self.threshold_sources,
            positive_label=self.positive_label,
            skipped=self.skipped,
            fixed_classes=self.fixed_classes,
            tables={name: (self.table(name),) for name in self.models},
            is_weighted=self.is_weighted,
            has_fractions=self.has_fractions,
        )

    def joint_counts(self) -> JointCounts:
        names = sorted(self.models)  # a seed means the same in any order
        labels = {name: self.labelled(name) for name in names}
        code, size = self.is_positive.astype(np.int64), 2
        for each in labels.values():
            if size > _PATTERNS:  # of many models only those patterns are numbered that occur, in the same order
                seen, code = np.unique(code, return_inverse=True)
                size = len(seen)
            code = code + size * each
            size *= 2
        weight = counted_by(code, self.weights, size)
        found, row = np.flatnonzero(weight), np.zeros(size, dtype=np.int64)
        row[code] = np.arange(len(code))
        labelled = {name: each[row[found]] for name, each in labels.items()}
        squares = None if self.squares is None else counted_by(code, self.squares, size)[found]
        return JointCounts(self.is_positive[row[found]], labelled, weight[found], squares)

    def n_different(self, first: str, second: str, what: str) -> float:
        one, other = (self._outputs(model, what) for model in (first, second))
        differ = (one != other).reshape(len(self), -1).any(axis=1) & (self.weight > 0)
        if self.groups is not None:
            return float(np.count_nonzero(np.bincount(self.groups[differ])))
        counts = self.weights is None or self.is_sampled
        return float(np.count_nonzero(differ) if counts else self.weight[differ].sum())

    def _outputs(self, model: str, what: str) -> npt.NDArray[Any]:
        """Return what a model says of each case: its label, its score(s), or the rank of its score, ties at middles."""
        if what == "labels":
            return self.decided[model] if self.is_multiclass else self.labelled(model)
        if what == "scores" or self.is_multiclass:
            return self.scores[model]
        table = self.table(model)
        cases = table.positives + table.negatives
        return np.asarray((np.cumsum(cases) - cases / 2)[self.blocks(model)])

    def cross_products(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        blocks = {model: self.blocks(model) for model in worth}
        return products_of(worth, blocks, self.is_positive, self.weight if self.squares is None else self.squares)

    def blocks(self, model: str) -> npt.NDArray[np.intp]:
        """Return the row of the model's score table to which each case belongs.

        A score that only rows of weight 0 have is not in the table; what such rows are worth never counts.
        """
        found: npt.NDArray[np.intp] = self._once(model, "blocks", lambda: self._blocks(model))
        return found

    def _blocks(self, model: str) -> npt.NDArray[np.intp]:
        return blocks_of(self.table(model), *self.places(model))

    def places(self, model: str) -> tuple[Array, npt.NDArray[np.intp]]:
        """Return the distinct scores, descending, and which one each row has: by sorting, which beats searching."""
        order, ends = order_rows(self.scores[model])
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        return 0.0 + np.asarray(self.scores[model], dtype=np.float64)[order[ends - 1]], place

    @cached_property
    def ranks(self) -> ClassRanks:
        """Every class's own cases among all others, in one pass over the matrix of the only model.

        The coefficients are those of the macro and of the weighted one-versus-rest AUROC, and of Hand and Till's.
        """
        sizes, present = self.sizes, self.sizes > 0
        rest = np.where(present, self.rests, np.inf)
        with np.errstate(divide="ignore"):  # a class that has all cases has no ranks
            coefficients = np.array([present / present.sum() / rest, sizes / self.n / rest, present.astype(float)])
        truth = self.truth.astype(np.int64, copy=False)
        if self.weights is None:
            return class_ranks(self.matrix, truth, coefficients=coefficients)
        order = np.argsort(self.weights, kind="stable")  # fractions are added up in an order of their own
        ranks = class_ranks(self.matrix[order], truth[order], self.weights[order], coefficients=coefficients)
        sums = np.empty_like(ranks.sums)
        sums[:, order] = ranks.sums
        return ranks._replace(sums=sums)

    @cached_property
    def below(self) -> tuple[Array, Array]:
        """For each row, the weight of all others below it in its own class's column (ties half).

        Once as it is, and once with every class counted as 1.
        """
        ranks, scores = self.ranks, self.matrix
        plain, balanced = np.zeros(len(self)), np.zeros(len(self))
        order = np.argsort(self.truth, kind="stable")
        ends = np.cumsum(np.bincount(self.truth, minlength=self.n_classes))
        for k in np.flatnonzero(self.sizes > 0):
            members = order[ends[k - 1] if k else 0 : ends[k]]
            first, last = ranks.start[k], ranks.start[k + 1]
            at = np.minimum(np.searchsorted(ranks.level[first:last], scores[members, k]), last - first - 1)
            for out, counted in ((plain, ranks.others), (balanced, ranks.balanced)):
                here = counted[2 * first + k : 2 * last + k + 1]
                out[members] = (np.cumsum(here) - here / 2)[1::2][at]
        return plain, balanced

    def probability_problem(self, model: str | None = None) -> str:
        name = self.resolve_model(model)
        return str(self._once(name, "why", lambda: self._reason(name)))

    def _reason(self, model: str) -> str:
        if model not in self.scores:
            return "there are no scores"
        if self.is_multiclass:
            return why_rows_are_no_probabilities(self.scores[model])
        return self.table(model).probability_problem

    def reweighted(self, positive: float, negative: float) -> InMemorySample:
        factor = np.where(self.is_positive, positive, negative)
        squares = None if self.squares is None else self.squares * factor**2
        return self.derive(weights=self.weight * factor, squares=squares)

    def select_model(self, model: str) -> InMemorySample:
        return self.derive(
            scores={name: score for name, score in self.scores.items() if name == model},
            decided={name: each for name, each in self.decided.items() if name == model},
        )

    def with_constants(self, scores: Mapping[str, float]) -> InMemorySample:
        added = {name: np.full(len(self), score) for name, score in scores.items()}
        return self.derive(scores={**self.scores, **added})

    def with_rows(self, stated: Mapping[str, Array]) -> InMemorySample:
        """Return the same cases with added models, each stating the same class probabilities for all of them."""
        scores = {name: np.broadcast_to(each, (len(self), len(each))) for name, each in stated.items()}
        decided = {name: np.full(len(self), int(np.argmax(each))) for name, each in stated.items()}
        return self.derive(scores={**self.scores, **scores}, decided={**self.decided, **decided})

    @cached_property
    def ordered(self) -> InMemorySample:
        """The same rows in an order that does not depend on the one they came in, so that a seed means the same."""
        rest = [each for each in (self.groups, self.strata, self.squares, self.weights) if each is not None]
        columns = [
            column for model in sorted(self.scores, reverse=True) for column in np.atleast_2d(self.scores[model].T)
        ]
        decided = [self.decided[model] for model in sorted(self.decided, reverse=True)]
        return self.taken(lexsorted([*rest, *columns, *decided, self.truth]))

    def by_subgroup(self) -> dict[str, InMemorySample]:
        return {name: part.derive(division=None) for name, part in self._slices(self.division)}

    @property
    def has_folds(self) -> bool:
        return self.folds is not None

    @property
    def repeats(self) -> dict[str, str]:
        return {} if self.folds is None else dict(zip(self.folds.names, self.folds.firsts, strict=False))

    @cached_property
    def straddling(self) -> int:
        if self.groups is None or self.folds is None:
            return 0
        names = list(dict.fromkeys(self.folds.firsts or ("",)))
        repeat = np.array([names.index(each) for each in self.folds.firsts] or [0] * len(self.folds.names))
        together = np.unique(self.groups * len(self.folds.names) + self.folds.code)  # a group in a fold
        group, fold = np.divmod(together, len(self.folds.names))
        times = np.bincount(group * len(names) + repeat[fold])
        return len(np.unique(np.flatnonzero(times > 1) // len(names)))

    def pooled(self) -> InMemorySample:
        times = len(set(self.repeats.values())) or 1
        if times == 1:
            return self.derive(folds=None)
        squares = None if self.squares is None else self.squares / times
        return self.derive(folds=None, weights=self.weight / times, squares=squares)

    def by_fold(self) -> dict[str, InMemorySample]:
        return {name: part.derive(folds=None) for name, part in self._slices(self.folds)}

    @property
    def has_sites(self) -> bool:
        return self.sites is not None

    def site_parts(self) -> dict[str, InMemorySample]:
        return {name: part.derive(sites=None) for name, part in self._slices(self.sites)}

    def unplaced(self) -> InMemorySample:
        return self.derive(sites=None)

    def _slices(self, division: Grouping | None) -> Sequence[tuple[str, InMemorySample]]:
        """Return the rows of each slice that has any; they are sorted by slice once."""
        if division is None:
            return []
        small = division.code.astype(np.int16 if len(division.names) < 2**15 else np.int64)
        order = np.argsort(small, kind="stable")  # in linear time, for small numbers
        ends = np.cumsum(np.bincount(small, minlength=len(division.names)))[:-1]
        slices = zip(division.names, np.split(order, ends), strict=True)
        return [(name, self.taken(rows)) for name, rows in slices if len(rows)]

    def without_subgroups(self) -> InMemorySample:
        return self.derive(division=None, folds=None, sites=None)

    def ungrouped(self) -> InMemorySample:
        """Return the same cases as if each stood for itself."""
        return self.derive(groups=None)

    def counted(self) -> InMemorySample:
        """Keep the rows that count. Those of weight 0 are as if absent: they make no group, no stratum and no subgroup.

        Only a fold that has no others keeps them: it is then named as one of which nothing is known.
        """
        if self.weights is None or self.weights.all() or not self.weights.any():
            return self
        counts = self.weights > 0
        if self.folds is not None:
            counts |= ~(np.bincount(self.folds.code, self.weights) > 0)[self.folds.code]
        kept = self.taken(np.flatnonzero(counts))
        return kept.derive(strata=None if kept.strata is None else densely(kept.strata))

    def taken(self, rows: npt.NDArray[np.intp]) -> InMemorySample:
        """Return some of the rows; their groups are renumbered, because a part need not hold all of them."""
        part = self.restricted(rows)
        return part if part.groups is None else part.derive(groups=densely(part.groups))

    def restricted(self, rows: npt.NDArray[np.intp]) -> InMemorySample:
        """Return some of the rows, with the groups of the whole: parts of it are resampled by the same ones."""
        return self.derive(
            truth=self.truth[rows],
            scores={name: column[rows] for name, column in self.scores.items()},
            decided={name: column[rows] for name, column in self.decided.items()},
            weights=None if self.weights is None else self.weights[rows],
            squares=None if self.squares is None else self.squares[rows],
            strata=None if self.strata is None else self.strata[rows],
            groups=None if self.groups is None else self.groups[rows],
            division=None if self.division is None else self.division.taken(rows),
            folds=None if self.folds is None else self.folds.taken(rows),
            sites=None if self.sites is None else self.sites.taken(rows),
        )

    def __len__(self) -> int:
        return len(self.truth)


def densely(groups: Codes) -> Codes:
    """Renumber groups from 0 without gaps, in the same order.

    >>> densely(np.array([7, 2, 7, 4]))
    array([2, 0, 2, 1])
    """
    held = np.bincount(groups) > 0
    return groups if held.all() else (np.cumsum(held) - 1)[groups]


def blocks_of(table: ScoreTable, distinct: Array, place: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return the row of a table to which each case belongs, from its score's place among the `distinct` ones."""
    if len(table) == len(distinct):
        return place
    return np.minimum(np.searchsorted(-table.score, -distinct), len(table) - 1)[place]


def products_of(
    worth: Mapping[str, Worth], blocks: Mapping[str, npt.NDArray[np.intp]], is_positive: Flags, counted: Array
) -> dict[str, tuple[Array, Array]]:
    """For each quantity and each class, sums over its cases of products of what two models' scores are worth."""

    def side(name: str, kind: int, members: Flags) -> Array:
        rows = np.stack([worth[model][name][kind][blocks[model][members]] for model in worth])
        return np.asarray((rows * counted[members]) @ rows.T)

    names = next(iter(worth.values()))
    return {name: (side(name, 0, is_positive), side(name, 1, ~is_positive)) for name in names}


def lexsorted(keys: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.intp]:
    """As `np.lexsort`, the last key first; keys further on are looked at only where rows are still alike."""
    order = np.lexsort(keys[-2:])
    alike = np.logical_and.reduce([key[order[1:]] == key[order[:-1]] for key in keys[-2:]])
    tied = np.append(alike, False) | np.append(False, alike)
    if len(keys) > 2 and tied.any():
        rows, run = order[tied], np.cumsum(np.append(True, ~alike))[tied]
        order[tied] = rows[np.lexsort([*(key[rows] for key in keys[:-2]), run])]
    return order


def why_rows_are_no_probabilities(scores: Matrix) -> str:
    """Why the rows of a matrix cannot be probabilities, or nothing: in pieces, so that no copy is made.

    >>> why_rows_are_no_probabilities(np.array([[.2, .8], [.5, .4]]))
    'row 1 (counted from 0) adds up to 0.9, not to 1 within 0.001'
    """
    for first, piece in pieces_of(scores):
        if piece.min() < 0 or piece.max() > 1:
            row = first + int(np.flatnonzero(((piece < 0) | (piece > 1)).any(axis=1))[0])
            return f"row {row} (counted from 0) has a score outside [0, 1]"
        total = piece.sum(axis=1, dtype=np.float64)
        off = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
        if len(off):
            at = int(off[0])
            return f"row {first + at} (counted from 0) adds up to {total[at]:.6g}, not to 1 within {SUM_TOLERANCE:g}"
    return ""


def pieces_of(scores: Matrix) -> Sequence[tuple[int, Matrix]]:
    """Split a matrix of scores into pieces of rows, each with the number of its first row."""
    step = max(1, _SCORES_AT_A_TIME // scores.shape[1])
    return [(first, scores[first : first + step]) for first in range(0, len(scores), step)]


def decide(scores: Matrix) -> Codes:
    """Return the class with the highest score in each row; ties go to the first.

    With two classes and probabilities a tie goes to the second, as in a yes-or-no question: positive from 0.5 on.
    """
    if scores.shape[1] == 2 and not why_rows_are_no_probabilities(scores):
        return np.asarray(scores[:, 1] >= 0.5, dtype=np.int64)
    return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)

"""What was read: the cases of one or several models, and all that may be asked of them.

A sample is near, with its rows in memory, or distant: its rows were added up before, or stay on a cluster, and are
known by tables and sums alone. Classes are an axis: a yes-or-no question has two of them, the positive one second, and
one score for each case; otherwise a case has a score for each class, or just the class that was predicted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError, nearest
from unconfuse._kernels import ClassRanks, class_ranks
from unconfuse._labels import meaning
from unconfuse._validate import NOTHING_SKIPPED, Skipped, brief
from unconfuse.table.cells import Cells, Codes
from unconfuse.table.counts import Array, Counts
from unconfuse.table.scores import ScoreTable

Flags = npt.NDArray[np.bool_]
Matrix = npt.NDArray[Any]  # of scores: float64, or float32 where memory matters
# For each model, by name of a quantity: what a positive, and what a negative case is worth at each row of its table.
Worth = Mapping[str, tuple[Array, Array]]
TWO = ("negative", "positive")
MISSING = "(missing)"  # the subgroup of cases whose subgroup is not known
SUM_TOLERANCE = 1e-3  # rows of probabilities may be rounded in files
_SCORES_AT_A_TIME = 1 << 22  # of a matrix: pieces that stay in the cache, so that no second matrix is made


@dataclass(frozen=True, eq=False, repr=False)
class Division:
    """Which slice each row belongs to: `names[code[i]]` is that of row i, and `columns` say what divides them."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    code: Codes

    def taken(self, rows: npt.NDArray[np.intp]) -> Division:
        """The slices of some of the rows."""
        return replace(self, code=self.code[rows])


@dataclass(frozen=True, eq=False)
class Patterns:
    """How many cases each combination of truth and models' decisions has.

    Attributes
    ----------
    is_positive : array of bool, shape (k,)
    labelled : mapping of model to array of bool, shape (k,)
        Whether the model calls these cases positive.
    weight : array of shape (k,)
    """

    is_positive: Flags
    labelled: Mapping[str, Flags]
    weight: Array


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the cases of each true class of one number for each case, and of its square."""

    total: Array
    squares: Array


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sample(ABC):
    """Cases with the scores of one or several models.

    Attributes
    ----------
    classes : tuple of str
        Names of the classes; of two, the positive one is the second.
    several : bool
        Whether a case has a score for each class (or a predicted class), rather than one score.
    thresholds : mapping of model to float
        Where a yes-or-no question is cut.
    positive_label : object
        The label that means "positive", as it was given.
    skipped : Skipped
        Rows that were left out.
    by : tuple of str
        The columns that divide the cases into subgroups.
    """

    classes: tuple[str, ...] = TWO
    several: bool = False
    thresholds: Mapping[str, float] = field(default_factory=dict)
    positive_label: object = 1
    skipped: Skipped = NOTHING_SKIPPED

    @property
    @abstractmethod
    def models(self) -> tuple[str, ...]:
        """Names of the models."""

    @property
    @abstractmethod
    def sizes(self) -> Array:
        """Weight of the cases of each class."""

    @property
    @abstractmethod
    def is_weighted(self) -> bool:
        """Whether rows stand for several cases."""

    @property
    @abstractmethod
    def has_fractions(self) -> bool:
        """Whether some weight is no whole number."""

    @property
    @abstractmethod
    def n_groups(self) -> int:
        """Number of groups of cases that belong together; 0 if every case stands for itself."""

    @property
    @abstractmethod
    def by(self) -> tuple[str, ...]:
        """What divides the cases into subgroups."""

    @abstractmethod
    def parts(self) -> Mapping[str, Sample]:
        """The cases of each subgroup."""

    @abstractmethod
    def fold_parts(self) -> Mapping[str, Sample]:
        """The cases that were tested in each fold of a cross-validation, if there were folds."""

    @abstractmethod
    def table(self, model: str | None = None, k: int | None = None) -> ScoreTable:
        """One model's score table of class k against the rest; of the positive class unless k says another."""

    @abstractmethod
    def cells(self, model: str | None = None) -> Cells:
        """One model's decisions: cases by true and by predicted class."""

    @abstractmethod
    def patterns(self) -> Patterns:
        """Cases by truth and by the decisions of all models."""

    @abstractmethod
    def products(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        """For each quantity and each class, sums over its cases of products of what two models' scores are worth.

        Two arrays of shape (models, models): over the positives, and over the negatives.
        """

    @abstractmethod
    def why_not_probabilities(self, model: str | None = None) -> str:
        """Why a model's scores cannot be probabilities, or nothing."""

    @abstractmethod
    def settled(self) -> Sample:
        """What a result keeps."""

    @abstractmethod
    def with_constants(self, scores: Mapping[str, float]) -> Sample:
        """The same cases with models that give all of them the same score."""

    @property
    def n_classes(self) -> int:
        """Number of classes, those included that do not occur."""
        return len(self.classes)

    @property
    def n(self) -> float:
        """Weight of all cases."""
        return float(self.sizes.sum())

    @property
    def positives(self) -> float:
        """Weight of the positives of a yes-or-no question."""
        return float(self.sizes[1])

    @property
    def negatives(self) -> float:
        """Weight of the negatives of a yes-or-no question."""
        return float(self.sizes[0])

    @property
    def is_clustered(self) -> bool:
        """Whether cases belong to groups."""
        return self.n_groups > 0

    @property
    def only_model(self) -> str:
        """The one model."""
        if len(self.models) > 1:
            raise ArgumentError(
                f"one model is judged here; got scores of {', '.join(self.models)}. Hint: name one, or use `compare`."
            )
        return self.models[0]

    @property
    @abstractmethod
    def has_scores(self) -> bool:
        """Whether there are scores, not only decisions."""

    @abstractmethod
    def only(self, model: str) -> Sample:
        """The same cases with one of the models."""

    @abstractmethod
    def undivided(self) -> Sample:
        """The same without subgroups and folds."""

    @abstractmethod
    def regrouped(self) -> Sample:
        """The same with groups counted anew: a subgroup need not hold all of them."""

    @abstractmethod
    def counts(self, model: str | None = None, k: int = 1) -> Counts:
        """One model's decisions on class k against the rest: four counts."""

    @abstractmethod
    def against_rest(self, k: int) -> Sample:
        """The yes-or-no question whether a case of the only model belongs to class k, decided as the model did."""

    def cut_at(self, thresholds: float | Mapping[str, float]) -> Sample:
        """The same cases, called positive from these scores on."""
        given = thresholds if isinstance(thresholds, Mapping) else dict.fromkeys(self.models, thresholds)
        return replace(self, thresholds=dict(given))

    def position(self, wanted: object) -> int:
        """The number of a class from its name or label; a whole number that is no label counts from 0."""
        meant = meaning(wanted)
        for place, name in enumerate(self.classes):
            if name == wanted or meaning(name) == meant:
                return place
        if isinstance(wanted, int | np.integer) and 0 <= wanted < self.n_classes:
            return int(wanted)
        raise ArgumentError(f"no class {brief(wanted)}. {nearest(str(wanted), self.classes)}")

    def __repr__(self) -> str:
        what = f"{self.n_classes} classes" if self.several else f"{self.positives:g} positive"
        return f"{type(self).__name__}({self.n:g} cases, {what}, models: {', '.join(self.models)})"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NearSample(Sample):
    """Cases whose rows are in memory.

    Attributes
    ----------
    truth : array of shape (n,)
        The number of each row's class; booleans if there are two.
    scores : mapping of model to array of shape (n,) or (n, K)
    decided : mapping of model to array of shape (n,)
        The number of the class that each model names; without it, a threshold decides.
    weights : array of shape (n,), optional
    groups : array of int, shape (n,), optional
        Which rows belong together, counted from 0.
    division, folds : Division, optional
        Subgroups, and the folds of a cross-validation.

    Examples
    --------
    >>> cases = NearSample(truth=np.array([True, False, True]), scores={"risk": np.array([.9, .2, .4])})
    >>> cases.cut_at(.5).counts()
    Counts(tp=1, fp=0, fn=1, tn=1)
    """

    truth: Codes | Flags
    scores: Mapping[str, Matrix] = field(default_factory=dict)
    decided: Mapping[str, Codes] = field(default_factory=dict)
    weights: Array | None = None
    groups: Codes | None = None
    division: Division | None = None
    folds: Division | None = None
    _known: dict[Any, Any] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys([*self.scores, *self.decided]))

    @cached_property
    def is_positive(self) -> Flags:
        """Which rows are positive, of a yes-or-no question."""
        return self.truth.astype(np.bool_, copy=False)

    @cached_property
    def sizes(self) -> Array:
        """Weight of the cases of each class."""
        if self.truth.dtype == np.bool_ and self.weights is None:
            positives = np.count_nonzero(self.truth)
            return np.array([len(self) - positives, positives], dtype=np.float64)
        return np.bincount(self.truth, weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @cached_property
    def weight(self) -> Array:
        """Weight of every row, 1 if none was given."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @property
    def is_weighted(self) -> bool:
        """Whether rows stand for several cases."""
        return self.weights is not None

    @property
    def has_fractions(self) -> bool:
        """Whether some weight is no whole number."""
        return self.weights is not None and not np.array_equal(self.weights, np.round(self.weights))

    @cached_property
    def n_groups(self) -> int:
        """Number of groups of cases that belong together; 0 if every case stands for itself."""
        return 0 if self.groups is None else len(np.unique(self.groups))

    @property
    def by(self) -> tuple[str, ...]:
        """What divides the cases into subgroups."""
        return () if self.division is None else self.division.columns

    @property
    def has_scores(self) -> bool:
        """Whether there are scores, not only decisions."""
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
        """One model's score table of class k against the rest; made once."""
        name = self.only_model if model is None else model
        own = 1 if k is None else k
        if (name, own) not in self._known:
            score, is_own = self.scores[name], self.is_positive
            if self.several:
                score, is_own = np.asarray(score[:, own], dtype=np.float64), self.truth == own
            self._known[name, own] = ScoreTable.of_rows(is_own, score, self.weights)
        table: ScoreTable = self._known[name, own]
        return table

    def labelled(self, model: str) -> Flags:
        """Which cases of a yes-or-no question the model calls positive."""
        if model in self.decided:
            return self.decided[model].astype(np.bool_)
        return np.asarray(self.scores[model] >= self.thresholds[model], dtype=np.bool_)

    def counts(self, model: str | None = None, k: int = 1) -> Counts:
        """One model's decisions on class k against the rest: four counts."""
        name = self.only_model if model is None else model
        if self.several or name in self.decided:
            return self.cells(name).of_class(k)
        return self.table(name).counts_at(self.thresholds[name])

    def cells(self, model: str | None = None) -> Cells:
        """One model's decisions: cases by true and by predicted class."""
        name = self.only_model if model is None else model
        if name in self.decided:
            return Cells.of_codes(self.truth.astype(np.int64), self.decided[name], self.weights, self.n_classes)
        return Cells.of_counts(self.counts(name))

    def against_rest(self, k: int) -> NearSample:
        """The yes-or-no question whether a case of the only model belongs to class k, decided as the model did."""
        name = self.only_model
        scores = {name: np.asarray(self.matrix[:, k], dtype=np.float64)} if self.scores else {}
        return replace(
            self,
            classes=(f"not {self.classes[k]}", self.classes[k]),
            several=False,
            positive_label=self.classes[k],
            truth=self.truth == k,
            scores=scores,
            decided={name: (self.decided[name] == k).astype(np.int64)},
            _known={},
        )

    def settled(self) -> Sample:
        """What a result keeps: tables alone, where no later question can need the rows."""
        if self.several or self.groups is not None or self.decided or self.division or self.folds:
            return self
        return DistantSample(
            classes=self.classes,
            thresholds=self.thresholds,
            positive_label=self.positive_label,
            skipped=self.skipped,
            tables={name: (self.table(name),) for name in self.models},
            weighted=self.is_weighted,
            fractions=self.has_fractions,
        )

    def patterns(self) -> Patterns:
        """Cases by truth and by the decisions of all models: at most 2 to the power of models and one."""
        code, names = self.is_positive.astype(np.int64), sorted(self.models)  # a seed means the same in any order
        for place, name in enumerate(names, start=1):
            code += self.labelled(name).astype(np.int64) << place
        weight = np.bincount(code, weights=self.weights, minlength=1 << (len(names) + 1)).astype(np.float64)
        found = np.flatnonzero(weight)
        labelled = {name: (found >> place & 1).astype(np.bool_) for place, name in enumerate(names, start=1)}
        return Patterns((found & 1).astype(np.bool_), labelled, weight[found])

    def products(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        """Sums over rows of products of what they are worth to two models."""
        blocks = {model: self.blocks(model) for model in worth}
        names = list(next(iter(worth.values())))
        found = {}
        for name in names:
            sides = []
            for kind, members in ((0, self.is_positive), (1, ~self.is_positive)):
                rows = np.stack([worth[model][name][kind][blocks[model][members]] for model in worth])
                sides.append((rows * self.weight[members]) @ rows.T)
            found[name] = (sides[0], sides[1])
        return found

    def blocks(self, model: str) -> npt.NDArray[np.intp]:
        """The row of the model's score table to which each case belongs.

        A score that only rows of weight 0 have is not in the table; what such rows are worth never counts.
        """
        if ("blocks", model) not in self._known:
            table = self.table(model)
            at = np.searchsorted(-table.score, -self.scores[model])
            self._known["blocks", model] = np.minimum(at, len(table) - 1)
        found: npt.NDArray[np.intp] = self._known["blocks", model]
        return found

    @cached_property
    def ranks(self) -> ClassRanks:
        """Every class's own cases among all others, in one pass over the matrix of the only model.

        The coefficients are those of the macro and of the weighted one-versus-rest AUROC, and of Hand and Till's.
        """
        sizes, present = self.sizes, self.sizes > 0
        rest = np.where(present, self.n - sizes, np.inf)
        coefficients = np.array([present / present.sum() / rest, sizes / self.n / rest, present.astype(float)])
        truth = self.truth.astype(np.int64, copy=False)
        return class_ranks(self.matrix, truth, self.weights, coefficients=coefficients)

    def why_not_probabilities(self, model: str | None = None) -> str:
        """Why a model's scores cannot be probabilities, or nothing."""
        name = self.only_model if model is None else model
        if ("why", name) not in self._known:
            self._known["why", name] = self._reason(name)
        return str(self._known["why", name])

    def _reason(self, model: str) -> str:
        if model not in self.scores:
            return "there are no scores"
        if self.several:
            return why_rows_are_no_probabilities(self.scores[model])
        return self.table(model).why_not_probabilities

    def only(self, model: str) -> NearSample:
        """The same cases with one of the models."""
        return replace(
            self,
            scores={name: each for name, each in self.scores.items() if name == model},
            decided={name: each for name, each in self.decided.items() if name == model},
            _known={},
        )

    def with_constants(self, scores: Mapping[str, float]) -> NearSample:
        """The same cases with models that give all of them the same score."""
        added = {name: np.full(len(self), each) for name, each in scores.items()}
        return replace(self, scores={**self.scores, **added})

    def with_rows(self, stated: Mapping[str, Array]) -> NearSample:
        """The same cases with models that state the same probabilities of the classes for all of them."""
        scores = {name: np.broadcast_to(each, (len(self), len(each))) for name, each in stated.items()}
        decided = {name: np.full(len(self), int(np.argmax(each))) for name, each in stated.items()}
        return replace(self, scores={**self.scores, **scores}, decided={**self.decided, **decided})

    @cached_property
    def ordered(self) -> NearSample:
        """The same rows in an order that does not depend on the one they came in, so that a seed means the same."""
        rest = [each for each in (self.groups, self.weights) if each is not None]
        columns = [
            column for model in sorted(self.scores, reverse=True) for column in np.atleast_2d(self.scores[model].T)
        ]
        decided = [self.decided[model] for model in sorted(self.decided, reverse=True)]
        return self.taken(np.lexsort([*rest, *columns, *decided, self.truth]))

    def parts(self) -> dict[str, NearSample]:
        """The cases of each subgroup, in their order."""
        return {name: replace(part, division=None) for name, part in self._slices(self.division)}

    def fold_parts(self) -> dict[str, NearSample]:
        """The cases that were tested in each fold of a cross-validation, in their order."""
        return {name: replace(part, folds=None) for name, part in self._slices(self.folds)}

    def _slices(self, division: Division | None) -> Sequence[tuple[str, NearSample]]:
        """The rows of each slice that has any; they are sorted by slice once."""
        if division is None:
            return []
        small = division.code.astype(np.int16 if len(division.names) < 2**15 else np.int64)
        order = np.argsort(small, kind="stable")  # in linear time, for small numbers
        ends = np.cumsum(np.bincount(small, minlength=len(division.names)))[:-1]
        slices = zip(division.names, np.split(order, ends), strict=True)
        return [(name, self.taken(rows)) for name, rows in slices if len(rows)]

    def undivided(self) -> NearSample:
        """The same without subgroups and folds."""
        return replace(self, division=None, folds=None)

    def regrouped(self) -> NearSample:
        """The same with groups counted anew: a subgroup need not hold all of them."""
        if self.groups is None:
            return self
        return replace(self, groups=np.unique(self.groups, return_inverse=True)[1].astype(np.int64))

    def taken(self, rows: npt.NDArray[np.intp]) -> NearSample:
        """Some of the rows."""
        return replace(
            self,
            truth=self.truth[rows],
            scores={name: column[rows] for name, column in self.scores.items()},
            decided={name: column[rows] for name, column in self.decided.items()},
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
            division=None if self.division is None else self.division.taken(rows),
            folds=None if self.folds is None else self.folds.taken(rows),
            _known={},
        )

    def __len__(self) -> int:
        return len(self.truth)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DistantSample(Sample):
    """Cases of which only tables and sums are known: rows that were added up before, or a table that was given.

    Sources that can add up more of their rows when asked (a cluster) override the questions that are refused here.

    Attributes
    ----------
    tables : mapping of model to tuple of ScoreTable
        Of the positive class, or of each class against the rest.
    matrices : mapping of model to array of shape (K, K)
        Decisions by true and predicted class, where there are several classes or no scores.
    losses : mapping of name to Moments
        What was added up over the cases of several classes: `log_loss` and `brier`.
    divided : mapping of subgroup to Sample
    columns : tuple of str
        What divides the cases.
    folded : mapping of fold to Sample
    reason : str
        Why the scores of several classes cannot be probabilities, or nothing.
    """

    tables: Mapping[str, tuple[ScoreTable, ...]] = field(default_factory=dict)
    matrices: Mapping[str, Array] = field(default_factory=dict)
    losses: Mapping[str, Moments] = field(default_factory=dict)
    divided: Mapping[str, Sample] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    folded: Mapping[str, Sample] = field(default_factory=dict)
    reason: str = ""
    weighted: bool = False
    fractions: bool = False

    @classmethod
    def of_table(cls, table: ScoreTable, name: str = "score") -> DistantSample:
        """One table of a yes-or-no question."""
        return cls(tables={name: (table,)}, weighted=True)

    @classmethod
    def of_counts(cls, counts: Counts, name: str = "score") -> DistantSample:
        """Four counts, without scores."""
        return cls(matrices={name: Cells.of_counts(counts).matrix()})

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys([*self.tables, *self.matrices]))

    @property
    def sizes(self) -> Array:
        """Weight of the cases of each class."""
        name = self.models[0]
        if name in self.matrices:
            return np.asarray(self.matrices[name].sum(axis=1), dtype=np.float64)
        first = self.tables[name][0]
        return np.array([first.n_negatives, first.n_positives])

    @property
    def is_weighted(self) -> bool:
        """Whether rows stand for several cases."""
        return self.weighted

    @property
    def has_fractions(self) -> bool:
        """Whether some weight is no whole number."""
        return self.fractions

    @property
    def n_groups(self) -> int:
        """Tables know no groups."""
        return 0

    @property
    def has_scores(self) -> bool:
        """Whether there are scores, not only decisions."""
        return bool(self.tables)

    def only(self, model: str) -> DistantSample:
        """The same cases with one of the models."""
        tables, matrices = (
            {name: each for name, each in known.items() if name == model} for known in (self.tables, self.matrices)
        )
        return replace(self, tables=tables, matrices=matrices)

    def undivided(self) -> DistantSample:
        """The same without subgroups and folds."""
        return replace(self, divided={}, columns=(), folded={})

    def regrouped(self) -> DistantSample:
        """Tables know no groups."""
        return self

    @property
    def by(self) -> tuple[str, ...]:
        """What divides the cases into subgroups."""
        return self.columns

    def parts(self) -> Mapping[str, Sample]:
        """The cases of each subgroup."""
        return self.divided

    def cut_at(self, thresholds: float | Mapping[str, float]) -> DistantSample:
        """The same cases, in all their slices, called positive from these scores on."""
        cut = super().cut_at(thresholds).thresholds
        divided, folded = (
            {name: each.cut_at(cut) for name, each in slices.items()} for slices in (self.divided, self.folded)
        )
        return replace(self, thresholds=cut, divided=divided, folded=folded)

    def fold_parts(self) -> Mapping[str, Sample]:
        """The cases that were tested in each fold of a cross-validation, if there were folds."""
        return self.folded

    def table(self, model: str | None = None, k: int | None = None) -> ScoreTable:
        """One model's score table of class k against the rest."""
        name = self.only_model if model is None else model
        if name not in self.tables:
            raise ArgumentError("this needs the scores, not only decisions. Hint: use `evaluate`.")
        return self.tables[name][(1 if k is None else k) if self.several else 0]

    def cells(self, model: str | None = None) -> Cells:
        """One model's decisions: cases by true and by predicted class."""
        name = self.only_model if model is None else model
        if name in self.matrices:
            return Cells.of_matrix(self.matrices[name])
        return Cells.of_counts(self.counts(name))

    def counts(self, model: str | None = None, k: int = 1) -> Counts:
        """One model's decisions on class k against the rest: four counts."""
        name = self.only_model if model is None else model
        if name in self.matrices:
            return self.cells(name).of_class(k)
        return self.table(name).at_middles().counts_at(self.thresholds[name])

    def against_rest(self, k: int) -> DistantSample:
        """The yes-or-no question whether a case of the only model belongs to class k, decided as the model did."""
        name = self.only_model
        return replace(
            self,
            classes=(f"not {self.classes[k]}", self.classes[k]),
            several=False,
            positive_label=self.classes[k],
            tables={name: (self.tables[name][k],)} if name in self.tables else {},
            matrices={name: Cells.of_counts(self.counts(name, k)).matrix()},
            losses={},
            divided={},
            columns=(),
        )

    def settled(self) -> DistantSample:
        """It keeps no rows anyway."""
        return self

    def patterns(self) -> Patterns:
        """Of one model alone; decisions of several models cannot be paired without their rows."""
        counts = self.counts(self.only_model)
        weight = np.array([counts.tn, counts.fn, counts.fp, counts.tp])
        truth, labelled = np.array([False, True, False, True]), np.array([False, False, True, True])
        return Patterns(truth, {self.only_model: labelled}, weight)

    def products(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        """Refused: models are paired case by case."""
        raise needs_rows("comparing models")

    def why_not_probabilities(self, model: str | None = None) -> str:
        """Why a model's scores cannot be probabilities, or nothing."""
        if not self.tables:
            return "there are no scores"
        return self.reason if self.several else self.table(model).why_not_probabilities

    def with_constants(self, scores: Mapping[str, float]) -> DistantSample:
        """The same cases with models that give all of them the same score."""
        negatives, positives = self.sizes
        added = {
            name: (ScoreTable(np.array([each]), np.array([positives]), np.array([negatives])),)
            for name, each in scores.items()
        }
        return replace(self, tables={**self.tables, **added})


def needs_rows(what: str) -> InputError:
    """The refusal of a question that tables and sums cannot answer."""
    return InputError(
        f"{what} needs the rows, but only tables of them are here. Hint: give the data themselves; of a cluster, "
        "bring a sample with .toPandas()."
    )


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
    """A matrix of scores in pieces of rows, each with the number of its first."""
    step = max(1, _SCORES_AT_A_TIME // scores.shape[1])
    return [(first, scores[first : first + step]) for first in range(0, len(scores), step)]


def decide(scores: Matrix) -> Codes:
    """The class of the highest score of each row; ties go to the first.

    With two classes and probabilities a tie goes to the second, as in a yes-or-no question: positive from 0.5 on.
    """
    if scores.shape[1] == 2 and not why_rows_are_no_probabilities(scores):
        return np.asarray(scores[:, 1] >= 0.5, dtype=np.int64)
    return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)

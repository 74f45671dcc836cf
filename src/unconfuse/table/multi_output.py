"""Cases that are drawn whole though they hold several answers: many labels of one case, all documents of one query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._row_errors import NOTHING_SKIPPED, SkippedRows
from unconfuse.table.cells import Codes
from unconfuse.table.counts import Array, Counts, counted_by, summed
from unconfuse.table.in_memory import InMemorySample
from unconfuse.table.sample import Flags, Grouping, Matrix, only_of
from unconfuse.table.sampling import Clustered, Independent, Sampling, Survey, Weighted
from unconfuse.table.score_table import ScoreTable, effective_sample_size

UNKNOWN = -1  # the label of a cell that nobody knows
_TP, _FP, _FN, _TN, _UNSEEN = range(5)  # what a decision on one label of one case came to
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MultiOutputSample:
    """What samples of many labels and of queries have in common.

    Attributes
    ----------
    weights : array of shape (n,), optional
        How many cases each one stands for; with `squares`, how it was sampled.
    squares : array of shape (n,), optional
        The squares of sampling weights.
    groups : array of int, shape (n,), optional
        Which cases belong together, counted from 0.
    division : Grouping, optional
        Subgroups.
    """

    scores: Mapping[str, Matrix] = field(default_factory=dict)
    weights: Array | None = None
    squares: Array | None = None
    groups: Codes | None = None
    division: Grouping | None = None
    skipped: SkippedRows = NOTHING_SKIPPED

    is_multiclass = True  # more than one yes-or-no question
    unit = "cases"

    def __len__(self) -> int:
        raise NotImplementedError

    @property
    def case_sets(self) -> tuple[Self, ...]:
        """The sets of cases that models were tested on: one for all models."""
        return (self,)

    def as_settings(self) -> dict[str, Any]:
        """Return what was compared, as settings of a comparison."""
        raise NotImplementedError

    def taken(self, rows: Places) -> Self:
        """Return some of the cases."""
        raise NotImplementedError

    def _shared(self, rows: Places) -> dict[str, Any]:
        """Return what all kinds have in common, for some of the cases."""
        own = {name: getattr(self, name) for name in ("weights", "squares", "groups")}
        found: dict[str, Any] = {name: None if each is None else each[rows] for name, each in own.items()}
        if found["groups"] is not None:  # counted from 0 without gaps
            found["groups"] = np.unique(found["groups"], return_inverse=True)[1].astype(np.int64)
        return found

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.scores)

    @property
    def only_model(self) -> str:
        """The one model."""
        return only_of(self.models)

    @cached_property
    def weight(self) -> Array:
        """Weight of every case, 1 if none was given."""
        return np.ones(len(self)) if self.weights is None else self.weights

    @cached_property
    def n(self) -> float:
        """Weight of all cases."""
        return summed(self.weight)

    @cached_property
    def n_drawn(self) -> float:
        """How many cases tell what these tell: of sampled ones Kish's number, as their weights may have any scale."""
        return self.n if self.squares is None else effective_sample_size(self.weight, self.squares)

    @cached_property
    def in_drawn_cases(self) -> Self:
        """The same with sampling weights at the scale at which they add up to the cases that they are worth.

        What allows for few cases would else depend on whether weights are shares or numbers of the population.
        """
        if self.squares is None or not self.n > 0:
            return self
        scale = self.n_drawn / self.n
        return replace(self, weights=self.weight * scale, squares=self.squares * scale**2)

    @cached_property
    def n_groups(self) -> int:
        """Number of groups; 0 if every case stands for itself."""
        return 0 if self.groups is None else len(np.unique(self.groups))

    @property
    def by(self) -> tuple[str, ...]:
        """What divides the cases into subgroups."""
        return () if self.division is None else self.division.columns

    def by_subgroup(self) -> dict[str, Self]:
        """Return the cases of each subgroup, without those that have none."""
        if self.division is None:
            return {}
        rows = {name: np.flatnonzero(self.division.code == code) for code, name in enumerate(self.division.names)}
        return {name: self.taken(row) for name, row in rows.items() if len(row)}

    def without_subgroups(self) -> Self:
        """Return the same without subgroups."""
        return replace(self, division=None)

    def compact(self) -> Self:
        """Return what a result keeps: all of it, because any label or query may be asked for later."""
        return self

    @cached_property
    def sampling(self) -> Sampling:
        """How whole cases were drawn."""
        if self.squares is not None:
            return (
                Weighted(squares=self.squares)
                if self.groups is None
                else Survey(squares=self.squares, groups=self.groups)
            )
        return Independent() if self.groups is None else Clustered(groups=self.groups)

    @property
    def has_sites(self) -> bool:
        """Whether it is known from which place each case comes: it is not."""
        return False

    @cached_property
    def _known(self) -> dict[Any, Any]:
        """What was computed once. Not a field: `replace` would hand it on to other cases."""
        return {}

    def once(self, what: Any, compute: Callable[[], Any]) -> Any:
        """Return what was computed before under this name, or compute it."""
        if what not in self._known:
            self._known[what] = compute()
        return self._known[what]

    def __getstate__(self) -> dict[str, Any]:
        return {name: vars(self)[name] for name in self.__dataclass_fields__}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelSample(MultiOutputSample):
    """Cases of which each may have several labels at once.

    Attributes
    ----------
    labels : tuple of str
    truth : array of int8, shape (n, L)
        1 and 0; -1 where it is not known.
    scores : mapping of model to array of shape (n, L)
    decided : mapping of model to array of bool, shape (n, L)
        The labels that each model gives; without it thresholds decide.
    thresholds : mapping of model to array of shape (L,)
    origins : mapping of model to str
        How the thresholds of a model came about, if nobody gave them.

    Examples
    --------
    >>> cases = LabelSample(labels=("a", "b"), truth=np.array([[1, 0], [0, -1]], dtype=np.int8))
    >>> cases.observed, cases.is_complete.tolist()
    (3, [True, False])
    """

    labels: tuple[str, ...]
    truth: npt.NDArray[np.int8]
    decided: Mapping[str, Flags] = field(default_factory=dict)
    thresholds: Mapping[str, Array] = field(default_factory=dict)
    threshold_sources: Mapping[str, str] = field(default_factory=dict)
    short: tuple[str, ...] = ()  # of each label, the part of its name in which it differs

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the labels, as other results call them."""
        return self.labels

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys([*self.scores, *self.decided]))

    def as_settings(self) -> dict[str, Any]:
        """Return the labels, and where each model decides on them."""
        cuts = {
            model: dict(zip(self.labels, threshold.tolist(), strict=True))
            for model, threshold in self.thresholds.items()
        }
        return {"labels": list(self.labels), "thresholds": cuts, "threshold_origins": dict(self.threshold_sources)}

    @property
    def has_decisions(self) -> bool:
        """Whether every model decides on every label."""
        return all(model in self.decided or model in self.thresholds for model in self.models)

    @property
    def has_scores(self) -> bool:
        """Whether every model has scores."""
        return all(model in self.scores for model in self.models)

    @cached_property
    def observed(self) -> int:
        """How many labels of all cases are known."""
        return int(np.count_nonzero(self.truth != UNKNOWN))

    @cached_property
    def is_complete(self) -> Flags:
        """Of which cases every label is known."""
        return np.asarray((self.truth != UNKNOWN).all(axis=1))

    @property
    def missing(self) -> int:
        """How many labels of all cases are not known."""
        return self.truth.size - self.observed

    def probability_problem(self) -> str:
        """Why the scores cannot be probabilities, or nothing."""
        for model, score in self.scores.items():
            low, high = float(score.min()), float(score.max())
            if low < 0 or high > 1:
                of = f" of {model}" if len(self.scores) > 1 else ""
                return f"scores{of} range from {low:.3g} to {high:.3g}, outside [0, 1]"
        return ""

    def taken(self, rows: Places) -> Self:
        """Return some of the cases."""
        return replace(
            self,
            truth=self.truth[rows],
            scores={model: score[rows] for model, score in self.scores.items()},
            decided={model: own[rows] for model, own in self.decided.items()},
            division=None,
            **self._shared(rows),
        )

    def select_model(self, model: str) -> Self:
        """Return the same cases with one of the models."""
        if self.models == (model,):
            return self
        own: dict[str, Any] = {
            name: {key: each for key, each in getattr(self, name).items() if key == model}
            for name in ("scores", "decided", "thresholds", "threshold_sources")
        }
        return replace(self, **own)

    @cached_property
    def ordered(self) -> Self:
        """The same cases in an order of their own, so that what is dealt out does not depend on that of the rows."""
        columns = [*self.truth.T, *(column for model in sorted(self.scores) for column in self.scores[model].T)]
        order = np.lexsort(columns[::-1])
        division = None if self.division is None else self.division.taken(order)
        return replace(self.taken(order), division=division)

    def position(self, label: Any) -> int:
        """Return the place of a label, from its name or the part of it in which names differ."""
        for names in (self.labels, self.short):
            if str(label) in names:
                return names.index(str(label))
        raise ArgumentError(f"no label {short_repr(label)}. {did_you_mean(str(label), self.labels)}")

    def of_label(self, place: int) -> InMemorySample:
        """Return the yes-or-no question of one label, on the cases of which it is known."""
        rows = np.flatnonzero(self.truth[:, place] != UNKNOWN)
        shared = self._shared(rows)
        decided = {model: own[rows, place].astype(np.int64) for model, own in self.decided.items()}
        return InMemorySample(
            truth=self.truth[rows, place] == 1,
            scores={model: np.asarray(score[rows, place], dtype=np.float64) for model, score in self.scores.items()},
            decided=decided,
            thresholds={
                model: float(threshold[place])
                for model, threshold in self.thresholds.items()
                if model not in self.decided
            },
            threshold_sources={
                model: how for model, how in self.threshold_sources.items() if model not in self.decided
            },
            classes=(f"not {self.labels[place]}", self.labels[place]),
            division=None if self.division is None else self.division.taken(rows),
            skipped=self.skipped,
            **shared,
        )

    @property
    def predicted(self) -> Flags:
        """The labels that the only model gives."""
        model = self.only_model
        if model in self.decided:
            return self.decided[model]
        return self.once("predicted", lambda: np.asarray(self.scores[model] >= self.thresholds[model]))  # type: ignore[no-any-return]

    @property
    def matrix(self) -> Matrix:
        """The scores of the only model."""
        return self.scores[self.only_model]

    @property
    def cells(self) -> npt.NDArray[np.int8]:
        """What each decision came to: 0 found, 1 false positive, 2 missed, 3 rightly negative, 4 unknown."""

        def coded() -> npt.NDArray[np.int8]:
            yes, known = self.predicted, self.truth
            code = np.where(known == 1, np.where(yes, _TP, _FN), np.where(yes, _FP, _TN))
            return np.where(known == UNKNOWN, _UNSEEN, code).astype(np.int8)

        return self.once("cells", coded)  # type: ignore[no-any-return]

    @property
    def counts(self) -> Counts:
        """The four counts of every label."""

        def counted() -> Counts:
            each = [np.array([summed(self.weight[own]) for own in (self.cells == code).T]) for code in range(4)]
            return Counts(tp=each[0], fp=each[1], fn=each[2], tn=each[3])

        return self.once("counts", counted)  # type: ignore[no-any-return]

    @property
    def positives(self) -> Array:
        """Weight of the positives of every label."""
        return self.once("positives", lambda: _by_label(self.truth == 1, self.weight))  # type: ignore[no-any-return]

    @property
    def negatives(self) -> Array:
        """Weight of the negatives of every label."""
        return self.once("negatives", lambda: _by_label(self.truth == 0, self.weight))  # type: ignore[no-any-return]

    @property
    def drawn(self) -> tuple[Array, Array]:
        """How many positives and negatives tell what those of every label tell: of sampled ones Kish's number."""
        return self.once("drawn", self._drawn)  # type: ignore[no-any-return]

    def _drawn(self) -> tuple[Array, Array]:
        if self.squares is None:
            return self.positives, self.negatives
        squared = (_by_label(self.truth == side, self.squares) for side in (1, 0))
        sizes = zip((self.positives, self.negatives), squared, strict=True)
        one, other = (np.divide(size**2, each, out=np.zeros_like(size), where=each > 0) for size, each in sizes)
        return one, other

    def table(self, place: int) -> tuple[ScoreTable, Places, Places]:
        """Return one label's score table, its rows, and the place of each of them in the table."""

        def made() -> tuple[ScoreTable, Places, Places]:
            rows = np.flatnonzero(self.truth[:, place] != UNKNOWN)
            score = np.asarray(self.matrix[rows, place], dtype=np.float64)
            weights = None if self.weights is None else self.weights[rows]
            table, block = _collapsed(self.truth[rows, place] == 1, score, weights)
            return table, rows, block

        return self.once(("table", place), made)  # type: ignore[no-any-return]

    @property
    def pooled(self) -> tuple[ScoreTable, Places, Places]:
        """All labels of all cases in one table; of each known label its case and its place in the table.

        Places of negatives count on behind those of the positives.
        """

        def made() -> tuple[ScoreTable, Places, Places]:
            known = self.truth != UNKNOWN
            truth, rows = self.truth[known] == 1, np.nonzero(known)[0]
            weights = None if self.weights is None else self.weights[rows]
            table, block = _collapsed(truth, np.asarray(self.matrix[known], dtype=np.float64), weights)
            return table, rows, np.where(truth, block, block + len(table))

        return self.once("pooled", made)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"LabelSample({self.n:g} cases, {len(self.labels)} labels, models: {', '.join(self.models)})"


def _collapsed(truth: Flags, score: Array, weights: Array | None) -> tuple[ScoreTable, Places]:
    """Return a score table, and the place of each row in it: sorted once for both."""
    order = np.argsort(-score)
    down = score[order]
    begins = np.r_[True, down[1:] != down[:-1]] if len(down) else np.zeros(0, dtype=np.bool_)
    block = np.empty(len(score), dtype=np.intp)
    block[order] = np.cumsum(begins) - 1
    size = int(begins.sum())
    positives, negatives = (
        counted_by(block[own], None if weights is None else weights[own], size) for own in (truth, ~truth)
    )
    return ScoreTable.from_validated(down[begins], positives, negatives), block


def _by_label(flags: Flags, weight: Array) -> Array:
    return np.array([summed(weight[own]) for own in flags.T])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QuerySample(MultiOutputSample):
    """Documents ranked for queries; a case is a query with all its documents.

    Attributes
    ----------
    queries : tuple of str
    code : array of int, shape (rows,)
        The query of each row, ascending.
    relevance : array of shape (rows,)
        0 is not relevant; more is more relevant.
    scores : mapping of model to array of shape (rows,)
        Minus infinity where a model did not retrieve the document.

    Examples
    --------
    >>> QuerySample(queries=("a", "b"), code=np.array([0, 0, 1]), relevance=np.array([1., 0, 2]))
    QuerySample(2 queries, 3 documents, models: )
    """

    queries: tuple[str, ...]
    code: Codes
    relevance: Array

    unit = "queries"

    @property
    def thresholds(self) -> Mapping[str, Array]:
        """None: rankings are not cut."""
        return {}

    def as_settings(self) -> dict[str, Any]:
        """Return how many queries there are."""
        return {"queries": self.n}

    @property
    def classes(self) -> tuple[str, ...]:
        """None: queries have relevant documents, not classes."""
        return ()

    def __len__(self) -> int:
        return len(self.queries)

    def taken(self, rows: Places) -> Self:
        """Return some of the queries, with all their documents."""
        kept = np.zeros(len(self), dtype=np.bool_)
        kept[rows] = True
        chosen = kept[self.code]
        return replace(
            self,
            queries=tuple(self.queries[place] for place in np.flatnonzero(kept)),
            code=(np.cumsum(kept) - 1)[self.code[chosen]],
            relevance=self.relevance[chosen],
            scores={model: score[chosen] for model, score in self.scores.items()},
            division=None,
            **self._shared(np.flatnonzero(kept)),
        )

    def select_model(self, model: str) -> Self:
        """Return the same queries with one of the models."""
        return self if self.models == (model,) else replace(self, scores={model: self.scores[model]})

    def __repr__(self) -> str:
        return f"QuerySample({len(self)} queries, {len(self.code)} documents, models: {', '.join(self.models)})"

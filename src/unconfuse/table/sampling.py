"""How cases were drawn, as a type: what follows for every number, and what cannot be asked of such cases.

A `Sampling` knows arrays only. It says whether the study chose the class totals (`fixed_classes`), whether rows are
whole independent cases (`counted`), whether score tables alone give a variance (`by_table`), the covariance of any
influences, the random weights of a resample, and what it supports. Folds wrap the sampling of their cases (`Pooled`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, argument_name
from unconfuse._parameters.uncertainty import DESIGN
from unconfuse._validate import check_choice
from unconfuse.table.cells import Codes
from unconfuse.table.counts import Array, counted_by, summed_by
from unconfuse.table.survey_design import SamplingUnits, drawn_multipliers

DESIGNS = DESIGN.choices  # what a user may say of the classes: cohort, case-control
Truth = npt.NDArray[Any]  # the number of each row's class, or booleans


def parse_design(design: object) -> bool:
    """Return whether the study chose the class totals, from the user's `design`.

    >>> parse_design("cohort"), parse_design("case-control")
    (False, True)
    """
    return check_choice(design, "design", DESIGNS) == DESIGNS[1]


class SamplingKind(Enum):
    """How cases were drawn; `label` is the word that results show.

    >>> SamplingKind.SURVEY.label
    'sampled'
    """

    INDEPENDENT = "independent", "cohort"
    CASE_CONTROL = "case-control", "case-control"
    CLUSTERED = "clustered", "clustered"
    WEIGHTED = "weighted", "sampled"
    SURVEY = "survey", "sampled"
    DOUBLY_SAMPLED = "doubly sampled", "judged"
    POOLED = "pooled", "cross-validated"

    def __init__(self, word: str, label: str) -> None:
        self.word, self.label = word, label


class Feature(Enum):
    """What cases may have that not every question supports: what it is called, and the argument that gives it."""

    CLUSTERS = "groups of cases", "groups"
    FOLDS = "folds", "folds"
    DOUBLE_SAMPLING = "double sampling", "judge"
    SAMPLING_WEIGHTS = "sampling weights", "sampling_weights"
    STRATA = "strata", "strata"

    def __init__(self, words: str, given_as: str) -> None:
        self.words, self.given_as = words, given_as


@dataclass(frozen=True)
class Question:
    """What is asked of cases: by which verb, which features it supports, and what to do about the others.

    >>> found = Pooled(inner=Independent()).supports(Question.of("`guarantee`"))
    >>> found.problem, found.hint
    ('`guarantee` does not support folds', 'leave out `folds`, or use `evaluate`')
    """

    verb: str
    supported: frozenset[Feature] = frozenset()
    hints: Mapping[Feature, str] = field(default_factory=dict)

    @classmethod
    def of(cls, verb: str, *supported: Feature, hints: Mapping[Feature, str] | None = None) -> Question:
        """Return the question of a verb that supports these features."""
        return cls(verb, frozenset(supported), hints or {})


INTERVAL = Question("an interval", frozenset(Feature))  # every kind has one, unless it contradicts itself


@dataclass(frozen=True)
class Unsupported:
    """Why a question cannot be answered, and what to do instead."""

    problem: str
    hint: str


@dataclass(frozen=True, eq=False)
class Sampling:
    """How cases were drawn. This class holds the defaults: whole rows, each drawn for itself.

    Attributes
    ----------
    fixed_classes : bool
        Whether the study chose the class totals, so that they do not vary from sample to sample.
    counted : bool
        Whether rows are whole independent cases: binomial formulas hold, and whole weights count cases.
    by_weights : bool
        Whether weights say how cases were drawn, rather than how many cases a row stands for.
    doubly_sampled : bool
        Whether a rater labelled all cases, and only some labels were verified.
    """

    kind: ClassVar[SamplingKind]
    counted: ClassVar[bool] = True
    by_weights: ClassVar[bool] = False
    doubly_sampled: ClassVar[bool] = False

    fixed_classes: bool = False

    @property
    def by_table(self) -> bool:
        """Whether score tables (sums, and sums of squares) give the variance."""
        return not (self.clustered or self.stratified)

    @property
    def clustered(self) -> bool:
        """Whether whole groups were drawn."""
        return False

    @property
    def stratified(self) -> bool:
        """Whether rows were drawn within strata."""
        return False

    @property
    def pooled(self) -> bool:
        """Whether cases were tested in folds."""
        return False

    @property
    def independent(self) -> bool:
        """Whether every case was drawn for itself and tested once: numbers of one table say all."""
        return self.kind in (SamplingKind.INDEPENDENT, SamplingKind.CASE_CONTROL)

    @property
    def is_cohort(self) -> bool:
        """Whether, besides, the shares of the classes came about by themselves."""
        return self.kind is SamplingKind.INDEPENDENT

    @property
    def design(self) -> str:
        """The `design` that a user would give."""
        return DESIGNS[self.fixed_classes]

    @property
    def label(self) -> str:
        """The word that results show."""
        return self.kind.label

    @property
    def remark(self) -> str:
        """What a method's name adds for such cases."""
        return (", whole groups" if self.clustered else "") + (", within strata" if self.stratified else "")

    @property
    def size_words(self) -> str:
        """How many units were drawn, where these are not the cases."""
        return ""

    @property
    def n_groups(self) -> int:
        """Number of groups; 0 if every case stands for itself."""
        return 0

    @property
    def cases(self) -> Sampling:
        """How the cases themselves were drawn, whatever they are pooled over."""
        return self

    def with_fixed_classes(self, fixed: bool) -> Self:
        """Return the same, with class totals that the study chose or did not choose."""
        return self if fixed == self.fixed_classes else replace(self, fixed_classes=fixed)

    def strata(self, truth: Truth) -> Codes | None:
        """Within what rows were drawn: the classes, if the study chose their sizes; None if in one."""
        return truth.astype(np.int64, copy=False) if self.fixed_classes else None

    def units(self, truth: Truth) -> SamplingUnits:
        """Return what was drawn: here every row by itself."""
        return SamplingUnits.of(self.strata(truth), None, len(truth))

    def covariance(self, influence: Array, weight: Array | None, truth: Truth) -> Array:
        """Return the covariance matrix of metrics, from every row's influence on each: of shape (n, m) to (m, m).

        Here: sums of products about the mean of each stratum, with its own n/(n - 1). Without weights rows count once.
        """
        stratum = self.strata(truth)
        if stratum is None:
            stratum = np.zeros(len(truth), dtype=np.int64)
        return products_within(influence, weight, stratum)

    def evidence(self, effective_sizes: Array) -> float:
        """Return how many independent pieces the numbers rest on: cases (of unequal weights, Kish's number)."""
        return float(effective_sizes.sum())

    def multipliers(
        self, stratum: Codes, count: int, generator: np.random.Generator, *, divided: bool | None = None
    ) -> Array:
        """Return how often each unit counts in each of `count` resamples; `divided` says whether there are strata."""
        return drawn_multipliers(stratum, count, generator, sampled=self.by_weights, divided=divided)

    def features(self) -> frozenset[Feature]:
        """Return what these cases have that a question may not support."""
        held = {
            Feature.CLUSTERS: self.clustered,
            Feature.FOLDS: self.pooled,
            Feature.DOUBLE_SAMPLING: self.doubly_sampled,
            Feature.SAMPLING_WEIGHTS: self.by_weights,
            Feature.STRATA: self.stratified,
        }
        return frozenset(feature for feature, given in held.items() if given)

    def supports(self, question: Question) -> Unsupported | None:
        """Return why a question cannot be answered for such cases; None if it can."""
        if (contradiction := self._contradiction()) is not None:
            return contradiction
        features = self.features() - question.supported
        for feature in Feature:  # in a fixed order, so that the first complaint is always the same
            if feature in features:
                hint = question.hints.get(feature) or f"leave out {argument_name(feature.given_as)}, or use `evaluate`"
                return Unsupported(f"{question.verb} does not support {feature.words}", hint)
        return None

    def require(self, question: Question) -> None:
        """Raise an error if a question cannot be answered for such cases."""
        found = self.supports(question)
        if found is not None:
            raise ArgumentError(f"{found.problem}. Hint: {found.hint}.")

    def _contradiction(self) -> Unsupported | None:
        """Why the class totals cannot have been chosen, if they cannot."""
        return None

    def _not_fixed(self, words: str) -> Unsupported | None:
        if not self.fixed_classes:
            return None
        given = argument_name("design", DESIGNS[1])
        return Unsupported(f"{given} does not support {words}", f"use {argument_name('design', DESIGNS[0])}")


@dataclass(frozen=True, eq=False)
class Independent(Sampling):
    """Every case drawn for itself; the shares of the classes came about by themselves.

    >>> Independent().label, Independent().supports(Question.of("a threshold card"))
    ('cohort', None)
    """

    kind: ClassVar[SamplingKind] = SamplingKind.INDEPENDENT

    def with_fixed_classes(self, fixed: bool) -> Sampling:  # type: ignore[override]  # a kind of its own
        return CaseControl() if fixed else self


@dataclass(frozen=True, eq=False)
class CaseControl(Sampling):
    """Every case drawn for itself, within its class: the study chose how many of each.

    >>> CaseControl().fixed_classes
    True
    """

    kind: ClassVar[SamplingKind] = SamplingKind.CASE_CONTROL

    fixed_classes: bool = True

    def with_fixed_classes(self, fixed: bool) -> Sampling:  # type: ignore[override]
        return self if fixed else Independent()


@dataclass(frozen=True, eq=False)
class Clustered(Sampling):
    """Whole groups drawn: `groups` is that of each row. Where rows are elsewhere, `count` counts their groups.

    >>> drawn = Clustered(groups=np.array([0, 0, 1]))
    >>> drawn.size_words, drawn.evidence(np.array([1.0, 2.0]))
    ('2 groups, ', 2.0)
    >>> drawn.covariance(np.array([[.1], [.2], [-.3]]), np.ones(3), np.zeros(3)).round(2)
    array([[0.36]])
    """

    kind: ClassVar[SamplingKind] = SamplingKind.CLUSTERED
    counted: ClassVar[bool] = False

    groups: Codes | None = None
    count: Callable[[], int] | None = None  # lazy: on a cluster it is a job of its own

    @cached_property
    def n_groups(self) -> int:
        return _number_of(self.groups, self.count)

    @property
    def clustered(self) -> bool:
        return True

    @property
    def size_words(self) -> str:
        return f"{self.n_groups} groups, "

    def evidence(self, effective_sizes: Array) -> float:
        return float(self.n_groups)

    def units(self, truth: Truth) -> SamplingUnits:
        return SamplingUnits.of(None, self.groups, len(truth))

    def covariance(self, influence: Array, weight: Array | None, truth: Truth) -> Array:
        """Of sums over whole groups, about their mean, with n/(n - 1)."""
        assert self.groups is not None
        size = self.n_groups
        moves = _moves(influence, weight)
        sums = np.column_stack([summed_by(self.groups, each, size) for each in moves.T])
        apart = sums - sums.mean(axis=0)
        return np.asarray(_products(apart) * size / max(size - 1, 1))

    def _contradiction(self) -> Unsupported | None:
        return self._not_fixed("groups: they are resampled whole, whatever their class")


@dataclass(frozen=True, eq=False)
class Weighted(Sampling):
    """Cases drawn with unequal chances; `squares` are the squared sampling weights, None where rows are elsewhere.

    Not a survey without strata: its totals are sums of independent rows, which are not taken about a mean.
    """

    kind: ClassVar[SamplingKind] = SamplingKind.WEIGHTED
    counted: ClassVar[bool] = False
    by_weights: ClassVar[bool] = True

    squares: Array | None = None

    def covariance(self, influence: Array, weight: Array | None, truth: Truth) -> Array:
        """Of products of influences, times squared weights; within classes, if the study chose their sizes."""
        if not self.fixed_classes:
            assert self.squares is not None
            return np.asarray((influence * self.squares[:, None]).T @ influence)
        units = self.units(truth)
        return units.covariance(np.column_stack([units.sums(each) for each in _moves(influence, weight).T]))


@dataclass(frozen=True, eq=False)
class Survey(Weighted):
    """Cases drawn with unequal chances, within strata, in whole groups, or both."""

    kind: ClassVar[SamplingKind] = SamplingKind.SURVEY

    within: Codes | None = None  # of each row, the stratum
    groups: Codes | None = None
    count: Callable[[], int] | None = None

    @cached_property
    def n_groups(self) -> int:
        return _number_of(self.groups, self.count)

    @property
    def clustered(self) -> bool:
        return self.groups is not None or self.count is not None

    @property
    def stratified(self) -> bool:
        return self.within is not None

    @property
    def size_words(self) -> str:
        return f"{self.n_groups} groups, " if self.clustered else ""

    def strata(self, truth: Truth) -> Codes | None:
        """Return the strata given, by class if the study chose the class sizes."""
        if self.within is None or not self.fixed_classes:
            return self.within if self.within is not None else super().strata(truth)
        return np.asarray(self.within * (int(truth.max(initial=0)) + 1) + truth, dtype=np.int64)

    def evidence(self, effective_sizes: Array) -> float:
        return float(self.n_groups) if self.clustered else super().evidence(effective_sizes)

    def units(self, truth: Truth) -> SamplingUnits:
        self.require(INTERVAL)
        return SamplingUnits.of(self.strata(truth), self.groups, len(truth))

    def covariance(self, influence: Array, weight: Array | None, truth: Truth) -> Array:
        """Of units' sums about the mean of their stratum, with n/(n - 1)."""
        units = self.units(truth)
        return units.covariance(np.column_stack([units.sums(each) for each in _moves(influence, weight).T]))

    def _contradiction(self) -> Unsupported | None:
        return self._not_fixed("groups: they are resampled whole, whatever their class") if self.clustered else None


@dataclass(frozen=True, eq=False)
class DoublySampled(Sampling):
    """A rater labelled all cases, and only some labels were verified."""

    kind: ClassVar[SamplingKind] = SamplingKind.DOUBLY_SAMPLED
    counted: ClassVar[bool] = False
    by_weights: ClassVar[bool] = True
    doubly_sampled: ClassVar[bool] = True

    def _contradiction(self) -> Unsupported | None:
        return self._not_fixed("double sampling: a rater labels cases as they come")


@dataclass(frozen=True, eq=False)
class Pooled(Sampling):
    """Cases of several units, drawn within each as `inner` says; the number is a mean over the units.

    >>> Pooled(inner=Independent(), units_named=("a", "b")).label
    'cross-validated'
    """

    kind: ClassVar[SamplingKind] = SamplingKind.POOLED

    inner: Sampling = Independent()
    units_named: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "fixed_classes", self.inner.fixed_classes)

    @property
    def pooled(self) -> bool:
        return True

    @property
    def cases(self) -> Sampling:
        return self.inner

    @property
    def counted(self) -> bool:  # type: ignore[override]  # that of the cases
        return self.inner.counted

    @property
    def by_weights(self) -> bool:  # type: ignore[override]
        return self.inner.by_weights

    @property
    def doubly_sampled(self) -> bool:  # type: ignore[override]
        return self.inner.doubly_sampled

    @property
    def clustered(self) -> bool:
        return self.inner.clustered

    @property
    def stratified(self) -> bool:
        return self.inner.stratified

    @property
    def n_groups(self) -> int:
        return self.inner.n_groups

    @property
    def size_words(self) -> str:
        return self.inner.size_words

    def with_fixed_classes(self, fixed: bool) -> Pooled:
        return Pooled(inner=self.inner.with_fixed_classes(fixed), units_named=self.units_named)

    def strata(self, truth: Truth) -> Codes | None:
        return self.inner.strata(truth)

    def units(self, truth: Truth) -> SamplingUnits:
        return self.inner.units(truth)

    def covariance(self, influence: Array, weight: Array | None, truth: Truth) -> Array:
        return self.inner.covariance(influence, weight, truth)

    def evidence(self, effective_sizes: Array) -> float:
        return self.inner.evidence(effective_sizes)

    def _contradiction(self) -> Unsupported | None:
        return self.inner._contradiction()


def _number_of(groups: Codes | None, count: Callable[[], int] | None) -> int:
    """Count the groups that have rows."""
    if count is not None:
        return count()
    return 0 if groups is None else int(np.count_nonzero(np.bincount(groups)))


def products_within(influence: Array, weight: Array | None, stratum: Codes) -> Array:
    """Return sums of products about each stratum's mean, with its own n/(n - 1), where n is its weight.

    >>> products_within(np.array([[.1], [-.1]]), np.ones(2), np.zeros(2, dtype=int)).round(3)
    array([[0.04]])
    """
    many = int(stratum.max(initial=0)) + 1
    sizes = counted_by(stratum, weight, many)
    held, few = np.where(sizes > 0, sizes, 1.0), sizes / np.maximum(sizes - 1, 1.0)
    moves = _moves(influence, weight)
    means = [summed_by(stratum, each, many) / held for each in moves.T]
    columns = [each - mean[stratum] for each, mean in zip(influence.T, means, strict=True)]
    found = np.empty((len(columns), len(columns)))
    for first, column in enumerate(columns):
        for second, other in enumerate(columns[: first + 1]):
            product = column * other if weight is None else weight * column * other
            found[first, second] = found[second, first] = summed_by(stratum, product, many) @ few
    return found


def _moves(influence: Array, weight: Array | None) -> Array:
    """Return what each row adds to the totals."""
    return influence if weight is None else influence * weight[:, None]


def _products(columns: Array) -> Array:
    """Sum the products of columns, to the same bits whatever order the rows are in."""
    return np.array([[float((one * other).sum()) for other in columns.T] for one in columns.T])

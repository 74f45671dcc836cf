"""What was read: the cases of one or several models, and all that may be asked of them.

A sample is near, with its rows in memory, or distant: its rows were added up before, or stay on a cluster, and are
known by tables and sums alone. Classes are an axis: a yes-or-no question has two of them, the positive one second, and
one score for each case; otherwise a case has a score for each class, or just the class that was predicted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError, did_you_mean
from unconfuse._formatting import short_repr, threshold_words
from unconfuse._labels import canonical_label
from unconfuse._row_errors import NOTHING_SKIPPED, SkippedRows
from unconfuse._validate import check_probability, check_resamples, check_seed, is_whole
from unconfuse.table.cells import Codes, ConfusionCells
from unconfuse.table.counts import Array, Counts
from unconfuse.table.looks import Looks, check_looks
from unconfuse.table.sampling import Independent, Pooled, Sampling
from unconfuse.table.score_table import ScoreTable

if TYPE_CHECKING:
    from unconfuse.table.aggregated import AggregatedSample
    from unconfuse.table.double_sample import DoubleSample
    from unconfuse.table.in_memory import InMemorySample

Flags = npt.NDArray[np.bool_]
Matrix = npt.NDArray[Any]  # of scores: float64, or float32 where memory matters
# For each model, by name of a quantity: what a positive, and what a negative case is worth at each row of its table.
Worth = Mapping[str, tuple[Array, Array]]
TWO = ("negative", "positive")
DEFAULT = "default"  # how the threshold of probabilities came about that nobody gave
CORRECTED, CROSS_FITTED = "corrected for the choice", "cross-fitted"  # how one did that a rule chose on these cases
MISSING = "(missing)"  # the subgroup of cases whose subgroup is not known


Progress = Callable[[int, int], object]


def only_of(models: Sequence[str]) -> str:
    """Return the one model there is."""
    if len(models) > 1:
        raise ArgumentError(f"one model is evaluated here; got {', '.join(models)}. Hint: name one, or use `compare`.")
    return models[0]


def positives_of(positives: float, cases: float) -> str:
    """How many cases there are, and how many of them are positive.

    >>> positives_of(1, 50), positives_of(208, 1_000_000), positives_of(98.2894, 283.951)
    ('1 positive of 50', '208 positives of 1000000', '98.3 positives of 284.0')
    """
    own, every = (f"{size:.0f}" if float(size).is_integer() else f"{size:.1f}" for size in (positives, cases))
    return f"{own} positive{'' if positives == 1 else 's'} of {every}"


@dataclass(frozen=True)
class Settings:
    """One set of settings for all numbers of a result; how cases were drawn is the sample's `sampling`.

    Attributes
    ----------
    confidence_level : float
    n_resamples, seed : int
        Size and seed of the bootstrap, where one is needed.
    progress : callable or None
        Called with (done, total) resamples.
    looks : Looks or None
        How often growing data are looked at, if more than once.

    Examples
    --------
    >>> Settings(0.9).with_confidence_level(0.95).confidence_level
    0.95
    """

    confidence_level: float = 0.95
    n_resamples: int = 2000
    seed: int = 0
    progress: Progress | None = None
    looks: Looks | None = None

    @classmethod
    def validated(
        cls, confidence_level: float, n_resamples: int, rng: int, progress: Progress | None = None, looks: Any = None
    ) -> Settings:
        """Build settings as a user gives them, or refuse them."""
        return cls(
            check_probability(confidence_level, "confidence_level", open_interval=True),
            check_resamples(n_resamples, at_least=100),
            check_seed(rng),
            progress,
            check_looks(looks),
        )

    def with_confidence_level(self, confidence_level: float) -> Settings:
        """Return a copy with another confidence level."""
        return replace(self, confidence_level=confidence_level)

    def report_finished(self) -> None:
        """Say that all is done, also where nothing had to be resampled."""
        if self.progress is not None:
            self.progress(self.n_resamples, self.n_resamples)

    def without_progress(self) -> Settings:
        """Return a copy that does not report progress."""
        return replace(self, progress=None)


@dataclass(frozen=True, eq=False, repr=False)
class Grouping:
    """Which slice each row belongs to: `names[code[i]]` is that of row i, and `columns` say what divides them."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    code: Codes
    firsts: tuple[str, ...] = ()  # of each slice, its value in the first of several columns
    each: tuple[Grouping, ...] = ()  # what every column alone divides the rows into, if they are not crossed

    def taken(self, rows: npt.NDArray[np.intp]) -> Grouping:
        """Return the slices of some of the rows."""
        return replace(self, code=self.code[rows], each=tuple(grouping.taken(rows) for grouping in self.each))


@dataclass(frozen=True, eq=False)
class JointCounts:
    """How many cases each combination of truth and models' decisions has."""

    is_positive: Flags
    labelled: Mapping[str, Flags]  # by model: whether it calls these cases positive
    weight: Array
    squares: Array | None = None  # sums of squared weights, if these say how cases were sampled


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Sums over the cases of each true class of one number for each case, and of its square."""

    total: Array
    squares: Array


class Choice(Protocol):
    """Measures decisions at a threshold that the cases of a sample chose themselves."""

    @property
    def counts(self) -> Counts:
        """The 2x2 table to expect among as many cases."""

    @property
    def origins_of_others(self) -> Mapping[str, str]:
        """How the threshold of each model came about for fewer, or other, of these cases."""

    def estimates(self, metrics: Sequence[Any], design: Settings, context: str) -> Mapping[str, Any]:
        """Metrics of decisions with their intervals."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sample(ABC):
    """Cases with the scores of one or several models."""

    classes: tuple[str, ...] = TWO  # of two, the positive one is the second
    is_multiclass: bool = (
        False  # whether a case has a score for each class (or a predicted class), rather than one score
    )
    ordinal: bool = False  # whether several classes have an order, that of `classes`
    classes_sorted: bool = False  # whether columns without names were taken for the labels sorted as text
    thresholds: Mapping[str, float] = field(default_factory=dict)  # by model: where a yes-or-no question is cut
    threshold_sources: Mapping[str, str] = field(
        default_factory=dict
    )  # by model: how its threshold came about, if nobody gave it
    positive_label: object = 1  # that means "positive", as it was given
    skipped: SkippedRows = NOTHING_SKIPPED  # rows that were left out
    fixed_classes: bool = False  # whether the study chose how many cases of each class there are
    choice: Choice | None = None  # measures decisions at a threshold that these very cases chose

    @cached_property
    def sampling(self) -> Sampling:
        """How the cases were drawn."""
        return Pooled(inner=self._drawn_by()) if self.has_folds else self._drawn_by()

    def _drawn_by(self) -> Sampling:
        """How the cases were drawn, whatever folds they are tested in."""
        return Independent().with_fixed_classes(self.fixed_classes)

    @property
    def in_memory(self) -> InMemorySample | None:
        """The cases, if their rows are in memory."""
        return None

    @property
    def case_sets(self) -> tuple[Sample, ...]:
        """The sets of cases that models were tested on: one for all models."""
        return (self,)

    def cases_of(self, model: str) -> Sample:
        """Return the cases that a model was tested on, with all models that were tested on them."""
        return self

    @property
    def aggregated(self) -> AggregatedSample | None:
        """The cases, if only tables and sums of them are here."""
        return None

    @property
    def verified(self) -> DoubleSample | None:
        """The cases, if a rater labelled them and some labels were verified."""
        return None

    def rows_for(self, what: str) -> InMemorySample:
        """Return the cases if their rows are in memory; otherwise raise an error that says what needs them."""
        if self.in_memory is None:
            raise needs_rows(what)
        return self.in_memory

    def with_design(self, fixed_classes: bool) -> Self:
        """Return the same cases of a study that chose, or did not choose, the class totals."""
        return self if fixed_classes == self.fixed_classes else self.derive(fixed_classes=fixed_classes)

    def derive(self, **changes: Any) -> Self:
        """Return the same cases with some fields changed: the only way to make one sample from another.

        What was computed once is no field. It is kept only where all that it rests on is unchanged. What is known of a
        chosen threshold holds for the cases that chose it, and for no others.
        """
        others = {} if self.choice is None else {"choice": None, "threshold_sources": self.choice.origins_of_others}
        return replace(self, **{**others, **changes})

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
    def is_sampled(self) -> bool:
        """Whether weights say how cases were sampled, rather than how many cases a row stands for."""

    @property
    def is_double_sampled(self) -> bool:
        """Whether a judge labelled the cases, and only some were checked."""
        return False

    @property
    @abstractmethod
    def effective_sizes(self) -> Array:
        """How many cases of each class there are; of sampled ones Kish's number, which unequal weights make smaller."""

    @property
    def has_units(self) -> bool:
        """Whether cases were drawn in groups or within strata: tables do not say how sure such numbers are."""
        return self.is_clustered

    @property
    def n_groups(self) -> int:
        """Number of groups of cases that belong together; 0 if every case stands for itself, as in tables."""
        return 0

    @property
    @abstractmethod
    def by(self) -> tuple[str, ...]:
        """What divides the cases into subgroups."""

    @abstractmethod
    def by_subgroup(self) -> Mapping[str, Sample]:
        """Return the cases of each subgroup."""

    @property
    @abstractmethod
    def has_folds(self) -> bool:
        """Whether the cases were tested in the folds of a cross-validation."""

    @property
    def repeats(self) -> Mapping[str, str]:
        """Of each fold, the repeat of the cross-validation that it belongs to; empty if there was one."""
        return {}

    @property
    def straddling(self) -> int:
        """How many groups have cases in several folds of one cross-validation; 0 if there are no groups or no folds."""
        return 0

    @abstractmethod
    def pooled(self) -> Sample:
        """Return the same cases without folds; each counts once, however often the cross-validation was repeated."""

    @abstractmethod
    def by_fold(self) -> Mapping[str, Sample]:
        """Return the cases that were tested in each fold of a cross-validation, if there were folds."""

    @property
    def has_sites(self) -> bool:
        """Whether it is known from which place each case comes."""
        return bool(self.site_parts())

    @abstractmethod
    def site_parts(self) -> Mapping[str, Sample]:
        """Return the cases of each place that they come from, if that is known."""

    @abstractmethod
    def unplaced(self) -> Sample:
        """Return the same cases as if they came from one place."""

    @abstractmethod
    def table(self, model: str | None = None, k: int | None = None) -> ScoreTable:
        """One model's score table of class k against the rest; of the positive class unless k says another."""

    @abstractmethod
    def cells(self, model: str | None = None) -> ConfusionCells:
        """One model's decisions: cases by true and by predicted class."""

    @abstractmethod
    def joint_counts(self) -> JointCounts:
        """Cases by truth and by the decisions of all models."""

    @abstractmethod
    def n_different(self, first: str, second: str, what: str) -> float:
        """On how many cases, or in how many groups of them, two models have other "labels", "ranks" or "scores"."""

    @abstractmethod
    def cross_products(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        """For each quantity and each class, sums over its cases of products of what two models' scores are worth.

        Two arrays of shape (models, models): over the positives, and over the negatives.
        """

    @abstractmethod
    def probability_problem(self, model: str | None = None) -> str:
        """Why a model's scores cannot be probabilities, or nothing."""

    def compact(self) -> Sample:
        """Return what a result keeps: tables alone, where no later question can need the rows."""
        return self

    @abstractmethod
    def with_constants(self, scores: Mapping[str, float]) -> Sample:
        """Return the same cases with models that give all of them the same score."""

    @property
    def n_classes(self) -> int:
        """Number of classes, those included that do not occur."""
        return len(self.classes)

    @property
    def n(self) -> float:
        """Weight of all cases."""
        return float(self.sizes.sum())

    @property
    def n_drawn(self) -> float:
        """How many cases tell what these tell: of sampled ones Kish's number, as their weights may have any scale."""
        return float(self.effective_sizes.sum()) if self.is_sampled else self.n

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
        return only_of(self.models)

    @property
    @abstractmethod
    def has_scores(self) -> bool:
        """Whether there are scores, not only decisions."""

    @abstractmethod
    def has_scores_of(self, model: str | None = None) -> bool:
        """Whether a model has scores, not only decisions."""

    @abstractmethod
    def has_decisions_of(self, model: str | None = None) -> bool:
        """Whether a model decides: its scores have a threshold, or its decisions are known."""

    @abstractmethod
    def select_model(self, model: str) -> Sample:
        """Return the same cases with one of the models."""

    @abstractmethod
    def without_subgroups(self) -> Sample:
        """Return the same cases without subgroups, folds and sites."""

    @abstractmethod
    def counts(self, model: str | None = None, k: int = 1) -> Counts:
        """One model's decisions on class k against the rest: four counts."""

    @abstractmethod
    def squared_counts(self, model: str | None = None) -> Counts:
        """Return the counts of squared weights; for cases that count once, their number."""

    @abstractmethod
    def one_vs_rest(self, k: int) -> Sample:
        """Return the yes-or-no question whether a case of the only model is of class k, decided as the model did."""

    @abstractmethod
    def reweighted(self, positive: float, negative: float) -> Sample:
        """Return the same cases of a yes-or-no question, each positive and each negative counted so many times."""

    def resolve_model(self, model: str | None) -> str:
        """Return the model of this name, or the only one."""
        return self.only_model if model is None else model

    def with_thresholds(
        self, thresholds: float | Mapping[str, float], origin: str | Mapping[str, str] | None = None
    ) -> Self:
        """Return the same cases, called positive from these scores on; `origin` says how, if nobody gave them."""
        given = thresholds if isinstance(thresholds, Mapping) else dict.fromkeys(self.models, thresholds)
        how = dict.fromkeys(given, origin) if isinstance(origin, str) else origin or {}
        return self.derive(thresholds=dict(given), threshold_sources=dict(how))

    def threshold_text(self, model: str | None = None) -> str:
        """Describe a model's threshold, and how it came about if it was not given; an empty string if there is none."""
        name = self.resolve_model(model)
        if name not in self.thresholds:
            return ""
        how = f" ({self.threshold_sources[name]})" if name in self.threshold_sources else ""
        return f"threshold {threshold_words(self.thresholds[name])}{how}"

    def class_index(self, wanted: Any) -> int:
        """Return the number of a class from its name or label; a whole number that is no label counts from 0."""
        meant = canonical_label(wanted)
        for place, name in enumerate(self.classes):
            if (isinstance(wanted, str) and name == wanted) or canonical_label(name) == meant:
                return place
        if is_whole(wanted) and 0 <= wanted < self.n_classes:
            return int(wanted)
        raise ArgumentError(f"no class {short_repr(wanted)}. {did_you_mean(short_repr(wanted), self.classes)}")

    def __repr__(self) -> str:
        what = f"{self.n_classes} classes" if self.is_multiclass else f"{self.positives:g} positive"
        return f"{type(self).__name__}({self.n:g} cases, {what}, models: {', '.join(self.models)})"


def needs_rows(what: str) -> InputError:
    """Build the refusal of a question that tables and sums cannot answer."""
    return InputError(
        f"{what} needs the rows, but only tables of them are here. Hint: give the data themselves; of a cluster, "
        "bring a sample with .toPandas()."
    )

"""The old carriers on top of `read`: deleted as soon as no room asks for them any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError, nearest
from unconfuse._kernels import ClassRanks, class_ranks
from unconfuse._labels import meaning
from unconfuse._validate import NOTHING_SKIPPED, Skipped, brief, mention_skipped
from unconfuse.ingest import read
from unconfuse.ingest.by import division_of, values_of
from unconfuse.ingest.data import Data
from unconfuse.table import Array, Scores, ScoreTable
from unconfuse.table.sample import DistantSample, Moments, NearSample, Sample, Worth, why_rows_are_no_probabilities

Codes = npt.NDArray[np.int64]
Matrix = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Tables:
    """What remains of rows when no row is needed: one table for each model.

    Answers as `Scores` does (`table`, `models`, `positive_label`, `skipped`), for all that need no rows.
    """

    tables: Mapping[str, ScoreTable]
    positive_label: object = 1
    skipped: Skipped = NOTHING_SKIPPED
    has_fractions: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.tables)

    def table(self, model: str | None = None) -> ScoreTable:
        """The score table of one model (of the only one, if there is one)."""
        return self.tables[self.models[0] if model is None else model]

    def __repr__(self) -> str:
        first = self.table()
        return f"Tables({first.n:g} cases, {first.n_positives:g} positive, models: {', '.join(self.models)})"


@dataclass(frozen=True, eq=False, repr=False)
class DividedTables(Tables):
    """The same for the only model, and the table of each subgroup.

    Attributes
    ----------
    parts : mapping of subgroup to ScoreTable
    columns : tuple of str
        What divides the rows.
    """

    parts: Mapping[str, ScoreTable] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LabelPatterns:
    """How many cases each combination of truth and models' labels has.

    Attributes
    ----------
    is_positive : array of bool, shape (k,)
    labelled : mapping of model to array of bool, shape (k,)
        Whether the model calls these cases positive.
    weight : array of shape (k,)
    """

    is_positive: npt.NDArray[np.bool_]
    labelled: Mapping[str, npt.NDArray[np.bool_]]
    weight: Array


@dataclass(frozen=True, eq=False)
class Products:
    """Sums over the cases of each class of products of numbers that each model's score stands for.

    Attributes
    ----------
    positive, negative : mapping of name to array of shape (models, models)
    """

    positive: Mapping[str, Array]
    negative: Mapping[str, Array]


@dataclass(frozen=True)
class Draws:
    """Which resamples to draw: each case, or each group, counts as often as a number hashed from it says."""

    n_resamples: int
    seed: int


@dataclass(frozen=True, eq=False, repr=False)
class DistantRows(Tables):
    """Tables, and what else can be asked of the rows they came from.

    Attributes
    ----------
    n_rows : int
    is_weighted : bool
        Whether rows stand for several cases.
    is_clustered : bool
        Whether cases belong to groups.
    """

    n_rows: int = 0
    is_weighted: bool = False
    is_clustered: bool = False
    sample: Any = None

    def n_groups(self) -> int:
        """Number of groups."""
        found: int = self.sample.n_groups
        return found

    def with_constants(self, scores: Mapping[str, float]) -> DistantRows:
        """The same rows with models that give every case the same score."""
        return _distant(self.sample.with_constants(scores))

    def label_patterns(self, thresholds: Mapping[str, float]) -> LabelPatterns:
        """Cases by truth and by the labels of all models."""
        found = self.sample.cut_at(thresholds).patterns()
        return LabelPatterns(found.is_positive, found.labelled, found.weight)

    def products(self, worth: Mapping[str, Worth]) -> Products:
        """Sums of products, over models, of what cases are worth."""
        found = self.sample.products(worth)
        return Products(
            {name: each[0] for name, each in found.items()}, {name: each[1] for name, each in found.items()}
        )

    def replicates(self, lowest: Mapping[str, Array], draws: Draws) -> Mapping[str, tuple[Array, Array]]:
        """Resampled weights of both classes in bands of scores, for each model."""
        found: Mapping[str, tuple[Array, Array]] = self.sample.replicates(lowest, draws.n_resamples, draws.seed)
        return found


@dataclass(frozen=True, eq=False, repr=False)
class ClassScores:
    """Checked rows: the true class of each, and its scores for all classes or the class that was predicted.

    Attributes
    ----------
    truth : array of shape (n,)
        Number of each row's class.
    classes : tuple of str
        Names of the classes, in the order of the columns.
    scores : array of shape (n, K) or None
    predicted : array of shape (n,)
        The class of the highest score unless it was given; ties go to the first of them. With two classes and
        probabilities a tie goes to the second, as in `evaluate` of one column: positive from 0.5 on.
    """

    truth: Codes
    classes: tuple[str, ...]
    scores: Matrix | None
    predicted: Codes
    weights: Array | None = None
    groups: Codes | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes, those included that do not occur."""
        return len(self.classes)

    @cached_property
    def weight(self) -> Array:
        """Weight of every row, 1 if none was given."""
        return np.ones(len(self.truth)) if self.weights is None else self.weights

    @cached_property
    def sizes(self) -> Array:
        """Cases of each class."""
        return np.bincount(self.truth, weights=self.weights, minlength=self.n_classes).astype(np.float64)

    @property
    def n(self) -> float:
        """All cases."""
        return float(self.sizes.sum())

    @cached_property
    def why_not_probabilities(self) -> str:
        """Why the scores cannot be probabilities, or nothing."""
        return "there are no scores" if self.scores is None else why_rows_are_no_probabilities(self.scores)

    @cached_property
    def ranks(self) -> ClassRanks:
        """Every class's own cases among all others, in one pass; made when first asked for.

        The coefficients are those of the macro and of the weighted one-versus-rest AUROC, and of Hand and Till's.
        """
        if self.scores is None:
            raise ArgumentError("ranking metrics need scores, not only predicted labels. Hint: evaluate(y, S).")
        sizes, present = self.sizes, self.sizes > 0
        rest = np.where(present, self.n - sizes, np.inf)
        coefficients = np.array([present / present.sum() / rest, sizes / self.n / rest, present.astype(float)])
        return class_ranks(self.scores, self.truth, self.weights, coefficients=coefficients)

    def position(self, wanted: object) -> int:
        """The number of a class from its name or label; a whole number that is no label counts columns from 0."""
        meant = meaning(wanted)
        for place, name in enumerate(self.classes):
            if name == wanted or meaning(name) == meant:
                return place
        if isinstance(wanted, int | np.integer) and 0 <= wanted < self.n_classes:
            return int(wanted)
        raise ArgumentError(f"no class {brief(wanted)}. {nearest(str(wanted), self.classes)}")

    def __len__(self) -> int:
        return len(self.truth)

    def __repr__(self) -> str:
        return f"ClassScores({len(self)} rows, {self.n_classes} classes)"


@dataclass(frozen=True, eq=False, repr=False)
class ClassTables:
    """Several classes without rows.

    Attributes
    ----------
    classes : tuple of str
    counts : array of shape (K, K)
        Cases by true and predicted class.
    tables : tuple of ScoreTable
        Each class against the rest, by its own column of scores.
    losses : mapping of name to Moments
        What was added up over the cases: `log_loss` and `brier`.
    why_not_probabilities : str
        Why the scores cannot be probabilities, or nothing.
    """

    classes: tuple[str, ...]
    counts: Array
    tables: tuple[ScoreTable, ...]
    losses: Mapping[str, Moments]
    why_not_probabilities: str = ""

    @property
    def n_classes(self) -> int:
        """Number of classes, those included that do not occur."""
        return len(self.classes)

    @cached_property
    def sizes(self) -> Array:
        """Cases of each class."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @property
    def n(self) -> float:
        """All cases."""
        return float(self.sizes.sum())

    @property
    def is_exact(self) -> bool:
        """Whether no scores were binned."""
        return all(each.is_exact for each in self.tables)

    def __repr__(self) -> str:
        return f"ClassTables({self.n:g} cases, {self.n_classes} classes)"


def gather(data: Any, scores: Any = None, *, rows: bool = True, by: Any = None, **words: Any) -> Any:
    """Checked rows, or tables where no rows are needed."""
    if isinstance(data, Tables):
        if rows or by is not None:
            raise InputError("these are score tables, but rows are needed here. Hint: give the data themselves.")
        return data
    if isinstance(data, Scores):
        division: Any = None if by is None else division_of(*values_of(by, "subgroup", "by"))
        return data if by is None else replace(data, by=division)
    asked = {name: words.pop(name) for name in ("edges", "progress") if name in words}
    found = read(Data(data, scores, by=by, **words), rows=rows, models=True, **asked)
    if rows and not isinstance(found, NearSample):
        raise InputError(
            "rows are needed here, but they are on a cluster. Hint: bring a sample with .toPandas(), "
            "and name weights, groups and subgroups as columns."
        )
    return _two(found)


def _two(found: Sample) -> Any:
    if isinstance(found, NearSample):
        division: Any = found.division
        return Scores(
            found.is_positive, found.scores, found.weights, found.groups, found.positive_label, found.skipped, division
        )
    assert isinstance(found, DistantSample)
    if hasattr(found, "frame") and not found.divided:
        return _distant(found)
    tables = {model: each[0] for model, each in found.tables.items()}
    if not found.divided:
        return Tables(tables, found.positive_label, found.skipped, found.has_fractions)
    parts = {name: part.table() for name, part in found.divided.items()}
    return DividedTables(tables, found.positive_label, found.skipped, found.has_fractions, parts, found.columns)


def _distant(found: Any) -> DistantRows:
    tables = {model: each[0] for model, each in found.tables.items()}
    return DistantRows(
        tables,
        found.positive_label,
        found.skipped,
        found.has_fractions,
        found.n_rows,
        found.is_weighted,
        found.is_clustered,
        found,
    )


def distant_rows(data: Any, **words: Any) -> DistantRows | None:
    """Rows that stay on a cluster, if that is where the data are; otherwise None."""
    from unconfuse.ingest.spark import recognises

    if isinstance(data, DistantRows):
        return data
    if not recognises(Data(data)):
        return None
    edges = words.pop("edges", ())
    found = _two(read(Data(data, **words), edges=edges, rows=True))
    assert isinstance(found, DistantRows)
    return found


def gather_table(data: Any, scores: Any = None, **words: Any) -> ScoreTable:
    """The score table of what `gather` gives; a score table is given back as it is."""
    if isinstance(data, Scores | Tables):
        return data.table()
    found = read(Data(data, scores, **words))
    mention_skipped(found.skipped, stacklevel=4)
    return found.table()


def has_classes(labels: Any, scores: Any = None) -> bool:
    """Whether scores are a matrix with a column for each class, rather than one column of scores."""
    from unconfuse.ingest.arrays import _has_classes
    from unconfuse.ingest.data import Needs

    return isinstance(labels, ClassScores | ClassTables) or (
        scores is not None and _has_classes(labels, scores, Needs())
    )


def several_classes(labels: Any, models: Any) -> bool:
    """Whether models are given by matrices with a column for each class."""
    return isinstance(models, Mapping) and any(
        isinstance(each, ClassScores) or has_classes(labels, each) for each in models.values()
    )


def gather_classes(
    data: Any, scores: Any = None, *, columns: Any = None, predicted: Any = None, **words: Any
) -> ClassScores | ClassTables:
    """Checked rows of several classes; their counts and tables where the rows stay on a cluster."""
    if isinstance(data, ClassScores | ClassTables):
        return data
    return _several(read(Data(data, scores, scores=columns, predicted=predicted, **words)))


def _several(found: Sample) -> ClassScores | ClassTables:
    if isinstance(found, NearSample):
        name, truth = found.only_model, found.truth.astype(np.int64, copy=False)
        return ClassScores(
            truth, found.classes, found.scores.get(name), found.decided[name], found.weights, found.groups
        )
    assert isinstance(found, DistantSample)
    name = found.only_model
    return ClassTables(found.classes, found.matrices[name], found.tables[name], found.losses, found.reason)


def only_rows(found: ClassScores | ClassTables) -> ClassScores:
    """The rows, where tables are not enough."""
    if isinstance(found, ClassTables):
        raise InputError(
            "models of several classes are compared row by row, but the rows are on a cluster. "
            "Hint: bring a sample with .toPandas()."
        )
    return found


def rows_of_arrays(labels: Any, scores: Any, **words: Any) -> Scores:
    """Labels and scores side by side."""
    found: Scores = gather(labels, scores, **words)
    return found

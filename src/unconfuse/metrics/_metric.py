"""What a metric is: one frozen declaration that every surface reads."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse._validate import broadcast, check_choice, check_count, check_number, check_text, public_api
from unconfuse.metrics._inference import Affine, Inference, inference_from
from unconfuse.metrics.bounds import ROUNDING, certain_bound
from unconfuse.table import Array, ConfusionCells, Counts, InMemorySample, Sample, ScoreTable, check_table

if TYPE_CHECKING:
    from unconfuse.table.multi_output import LabelSample, QuerySample

Kind = Literal["counts", "ranks", "probabilities", "cells", "rows", "labels", "queries"]
Better = Literal["higher", "lower", "neither"]
Part = TypeVar("Part")
# What the function of each kind of metric is called with, and how to come by it.
_TAKES: dict[str, tuple[type, str]] = {
    "counts": (Counts, "Counts(tp=, fp=, fn=, tn=), or counts_at(threshold) of a score table"),
    "ranks": (ScoreTable, "score_table(y, s)"),
    "probabilities": (ScoreTable, "score_table(y, p)"),
    "rows": (InMemorySample, "evaluate(y, S, metrics=[...]) computes it from rows"),
}
# The same of kinds that most never need to load: the class by its name in `table.multi_output`.
_TAKES_WHOLE = {
    "labels": ("LabelSample", "evaluate(Y, S, metrics=[...]) computes it from many labels"),
    "queries": ("QuerySample", "evaluate(y, s, query=q, metrics=[...]) computes it from queries"),
}
_OF_UNITS = {"cells": "bootstrap", "rows": "influence", "labels": "influence", "queries": "influence"}


@dataclass(frozen=True, eq=False)
class Example:
    """A worked example: data small enough to check by hand, and the value they give."""

    data: Counts | ScoreTable | Array
    value: float


@dataclass(frozen=True, eq=False)
class InfluenceSummary:
    """A value of several classes, and each row's influence on it: the effect of one more case like this one."""

    value: float
    influence: Array
    note: str = ""  # what a reader must know, for instance which classes were left out


@dataclass(frozen=True, eq=False)
class WholeSummary(InfluenceSummary):
    """The same of cases that are drawn whole, with many labels or as queries.

    Attributes
    ----------
    cases : float
        How many of them have a part in the value.
    unseen : float
        Variance that the influences cannot know of, because a label shows no error (or nothing but errors) at all.
    wary : array, optional
        Influences that allow for few positives or negatives of a label; intervals are made of these.
    freedom : float
        Degrees of freedom that labels with few positives or negatives leave.
    of_decisions : bool
        Whether it looks at decisions alone: two models that decide alike on these cases may not do so on others.
    """

    cases: float = np.nan
    unseen: float = 0.0
    wary: Array | None = None
    freedom: float = np.inf
    of_decisions: bool = False


@dataclass(frozen=True)
class MetricDoc:
    """What a reader must know to understand a metric.

    Attributes
    ----------
    label, question : str
        Its name in print, and the question that the value answers.
    formula, expression : str
        LaTeX; and plain arithmetic over the attributes of `Counts` (`"tp / positives"`), for pages that compute it anew
        while a reader moves a slider. Without it a page shows the values at its stops only.
    undefined, misleads : str
        When and why the value is 0/0; when it gives the wrong impression.
    aliases, references : tuple of str
        Other names, accepted wherever a name is; and where to read on.
    cause : callable, optional
        A score table on which it is undefined to which of several reasons it is there.
    example : Example, optional
    """

    label: str = ""
    question: str = ""
    formula: str = ""
    expression: str = ""
    undefined: str = "the value is 0/0 on these data"
    misleads: str = ""
    aliases: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    cause: Callable[[ScoreTable], str] | None = None
    example: Example | None = None

    def __post_init__(self) -> None:
        for name in ("label", "question", "formula", "expression", "undefined", "misleads"):
            check_text(getattr(self, name), name)


@dataclass(frozen=True)
class Requirements:
    """What a metric needs besides scores or decisions.

    Attributes
    ----------
    probabilities : bool
        Whether the scores of several classes must add up to 1.
    ordinal : bool
        Whether several classes must have an order.
    cut : float, optional
        The threshold probability at which a metric of counts decides itself, where scores are probabilities.
    """

    probabilities: bool = False
    ordinal: bool = False
    cut: float | None = None


_DOC, _REQUIREMENTS = ({field.name for field in fields(kind)} for kind in (MetricDoc, Requirements))


@public_api
@dataclass(frozen=True, init=False)
class Metric:
    """A function of a 2x2 table or of a score table, with everything a reader needs to understand its value.

    Parameters
    ----------
    name : str
        The name in the API, on the command line and in files.
    value : callable
        Takes `Counts` (`of="counts"`) or a `ScoreTable` whose arrays may carry leading axes; returns an array.
    of : {"counts", "ranks", "probabilities", "cells", "rows", "labels", "queries"}
        What it is computed from; "probabilities" needs scores in [0, 1].
    range : (float, float)
        Smallest and largest possible value.
    better : {"higher", "lower", "neither"}
        Direction.
    doc : MetricDoc
        Label, question, formula and all else that a reader must know.
    inference : Inference
        How its intervals and differences are made.
    chance : callable, optional
        Value of a useless classifier from (prevalence, queue rate). Metrics of counts need none: theirs follows from
        the table in which label and truth are independent.
    depends_on_prevalence : bool
        Whether the value changes with the share of positives although the classifier stays the same.
    population : callable, optional
        The value in a population, of its ROC curve and the prevalence (see `unconfuse.resolving`).
    bounds : callable, optional
        How values are bounded on a binned table (see `unconfuse.metrics.bounds`); without it none is shown there.
    requires : Requirements
        What it needs besides.
    **fields
        Fields of `doc`, `inference` and `requires` by their own names: `label="Net benefit"`, `kernel="auroc"`.

    Examples
    --------
    >>> from unconfuse import METRICS, Counts
    >>> METRICS["sensitivity"](Counts(tp=141, fp=0, fn=67, tn=31))
    array(0.67788462)
    """

    name: str
    value: Callable[[Any], Any]
    of: Kind
    range: tuple[float, float]
    better: Better
    doc: MetricDoc
    inference: Inference
    chance: Callable[[Array, Array], Array | float] | None
    depends_on_prevalence: bool
    population: Callable[[Any, float], float] | None
    bounds: Callable[[Any, ScoreTable, float | None], tuple[float, float]] | None
    requires: Requirements

    def __init__(
        self,
        name: str,
        value: Callable[[Any], Any],
        *,
        of: Kind = "counts",
        range: tuple[float, float] = (-np.inf, np.inf),
        better: Better = "higher",
        doc: MetricDoc | None = None,
        inference: Inference | None = None,
        chance: Callable[[Array, Array], Array | float] | None = None,
        depends_on_prevalence: bool = True,
        population: Callable[[Any, float], float] | None = None,
        bounds: Callable[[Any, ScoreTable, float | None], tuple[float, float]] | None = None,
        requires: Requirements | None = None,
        **given: Any,
    ) -> None:
        check_choice(of, "of", get_args(Kind))
        check_choice(better, "better", get_args(Better))
        own = {
            "name": check_text(name, "name"),
            "value": value,
            "of": of,
            "range": range,
            "better": better,
            "doc": _with(_part(doc, MetricDoc, "doc"), given, _DOC),
            "requires": _with(_part(requires, Requirements, "requires"), given, _REQUIREMENTS),
            "chance": chance,
            "depends_on_prevalence": depends_on_prevalence,
            "population": population,
            "bounds": bounds,
        }
        own["inference"] = _with_inference(inference, of, given)
        for field, each in own.items():
            object.__setattr__(self, field, each)
        self._check()

    def _check(self) -> None:
        if not callable(self.value):
            raise ArgumentError(f"the function of metric {self.name!r} must be callable; got {self.value!r}.")
        self._check_range()
        check_text(self.inference.interval, "interval")
        if check_text(self.inference.kernel, "kernel"):
            check_choice(self.inference.kernel, "kernel", _kernels.RANK_METRICS)

    def _check_range(self) -> None:
        try:
            low, high = map(float, self.range)
        except (TypeError, ValueError):
            low = high = np.nan
        if not low < high:
            raise ArgumentError(f"`range` must be the smallest and the largest value; got {short_repr(self.range)}.")

    @property
    def function(self) -> Callable[[Any], Any]:
        """The old name of `value`."""
        warnings.warn("`function` was renamed `value`; the old name works until 1.0", DeprecationWarning, stacklevel=2)
        return self.value

    @property
    def label(self) -> str:
        """Its name in print."""
        return self.doc.label or self.name.replace("_", " ")

    @property
    def question(self) -> str:
        """The question that the value answers."""
        return self.doc.question

    @property
    def formula(self) -> str:
        """LaTeX."""
        return self.doc.formula

    @property
    def expression(self) -> str:
        """Plain arithmetic over the attributes of `Counts`, if it is that."""
        return self.doc.expression

    @property
    def example(self) -> Example | None:
        """A worked example."""
        return self.doc.example

    @property
    def undefined(self) -> str:
        """When and why the value is 0/0."""
        return self.doc.undefined

    @property
    def misleads(self) -> str:
        """When it gives the wrong impression."""
        return self.doc.misleads

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names, accepted wherever a name is."""
        return self.doc.aliases

    @property
    def references(self) -> tuple[str, ...]:
        """Where to read on."""
        return self.doc.references

    @property
    def interval(self) -> str:
        """The default interval, a name that `.interval(method=...)` accepts."""
        return self.inference.interval or self._usual_interval()

    def _usual_interval(self) -> str:
        if self.of == "counts" or self.of in _OF_UNITS:
            return _OF_UNITS.get(self.of, "posterior")
        how = self.inference
        if how.affine is not None:
            return how.affine.of.interval
        if how.influence is None and how.spread is None:
            return "bias_corrected"
        return "wilson_effective" if self.of == "ranks" and np.isfinite(self.range).all() else "influence"

    @property
    def root(self) -> Affine:
        """The metric of which this is an affine function; itself if of none."""
        affine = self.inference.affine
        if affine is None:
            return Affine(self)
        base = affine.of.root
        return Affine(base.of, affine.scale * base.scale, affine(base.shift))

    def with_fields(self, **changes: Any) -> Metric:
        """Return a copy with other fields; those of `doc`, `inference` and `requires` by their own names.

        >>> from unconfuse import METRICS
        >>> METRICS["auroc"].with_fields(name="area", label="Area").label
        'Area'
        """
        return replace(self, **changes)

    @property
    def needs_probabilities(self) -> bool:
        """Whether scores must be probabilities."""
        return self.requires.probabilities or self.of == "probabilities"

    def __call__(
        self, data: Counts | ScoreTable | ConfusionCells | InMemorySample | LabelSample | QuerySample | npt.ArrayLike
    ) -> Array:
        """Return the bare value or values; NaN where undefined. Cases of a block count with the score in its middle."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self.value(self._taken(data))
        return self.rounded(np.asarray(value.value if isinstance(value, InfluenceSummary) else value, dtype=np.float64))

    def _taken(self, data: Any) -> Any:
        """Extract what the function takes from anything that holds it."""
        if self.of == "cells":
            cells, weighting = _cells_of(data), self.inference.weighting
            return cells.margins(None if weighting is None else weighting(cells.n_classes))
        wanted, hint = _TAKES[self.of] if self.of in _TAKES else _takes_whole(self.of)
        if not isinstance(data, wanted):
            raise ArgumentError(f"{self.name} takes a {wanted.__name__}; got {type(data).__name__}. Hint: {hint}.")
        return data.at_midpoints() if isinstance(data, ScoreTable) else data

    def rounded(self, value: Array) -> Array:
        """Back within the range where only rounding left it: an ulp above 1 is 1, and a wrong value stays visible."""
        low, high = self.range
        if value.ndim == 0 and not (value > high or value < low):
            return value
        over, under = value > high, value < low
        if not (over.any() or under.any()):
            return value
        value = np.where(over & (value <= high + ROUNDING), high, value)
        return np.asarray(np.where(under & (value >= low - ROUNDING), low, value))

    def bound_on(self, table: ScoreTable, threshold: float | None = None) -> tuple[float, float]:
        """Between which values the metric certainly lies, on a table that may be binned; NaN if that is not known.

        Examples
        --------
        >>> from unconfuse import METRICS
        >>> table = ScoreTable(np.linspace(1, 0, 1001), np.linspace(1, 0, 1001), np.linspace(0, 1, 1001))
        >>> low, high = METRICS["auroc"].bound_on(table.coarsen(100))
        >>> bool(low < METRICS["auroc"](table) < high), high - low < 0.02
        (True, True)
        """
        cut = None if threshold is None else check_number(threshold, "threshold")
        return certain_bound(self, check_table(table, "`bound_on`"), cut)

    def baseline(self, prevalence: npt.ArrayLike, queue_rate: npt.ArrayLike) -> Array:
        """Return the value of a classifier whose labels have nothing to do with the truth."""
        pi, rate = broadcast({"prevalence": prevalence, "queue_rate": queue_rate})
        if self.chance is not None:
            return np.asarray(self.chance(pi, rate), dtype=np.float64)
        if self.of != "counts":
            return np.full(pi.shape, np.nan)
        counts = (
            _of_chance(float(pi), float(rate))
            if pi.ndim == 0
            else Counts.expected_by_chance(prevalence=pi, queue_rate=rate)
        )
        value = self(counts)
        return np.where(np.abs(value) < 1e-12, 0.0, value)  # what is left of 0 after rounding

    def __reduce__(self) -> tuple[Any, ...]:
        """Metrics declared here are pickled by name, with what was changed: their functions need not be picklable."""
        from unconfuse.metrics import FACTORIES, METRICS, MULTICLASS_METRICS

        if self.of in ("labels", "queries"):
            return _of_whole, (self.of, self.name)
        several = self.of in ("cells", "rows")
        declared = (MULTICLASS_METRICS if several else METRICS).get(self.name)
        made = declared is None and (self.name.partition("(")[0] in FACTORIES or self.inference.average is not None)
        if made or declared is self:
            return _rebuilt, (self.name, several, {})
        changed = {key: value for key, value in vars(self).items() if value is not getattr(declared, key, None)}
        return _rebuilt, (self.name if declared else None, several, changed)

    def __repr__(self) -> str:
        return f"Metric({self.name}: {self.question or self.label})"


def _part(given: Part | None, kind: type[Part], name: str) -> Part:
    """Return this part of a declaration, or an empty one if it was not given."""
    if given is None:
        return kind()
    if not isinstance(given, kind):
        raise ArgumentError(f"`{name}` must be a {kind.__name__}; got {short_repr(given)}.")
    return given


def _with(part: Part, given: dict[str, Any], names: set[str]) -> Part:
    """Take the fields of this part out of what was given, and return the part with them."""
    own = {name: given.pop(name) for name in list(given) if name in names}
    return replace(part, **own) if own else part  # type: ignore[type-var]


def _with_inference(known: Inference | None, of: str, given: dict[str, Any]) -> Inference:
    """Return the inference with the fields that were given besides; an affine one may be given by its own name."""
    whole = [given.pop(name) for name in ("affine", "average") if given.get(name) is not None]
    known = whole[0] if whole else known
    return inference_from(of, given) if known is None else replace(known, **given) if given else known


@lru_cache(maxsize=4)
def _of_chance(prevalence: float, queue_rate: float) -> Counts:
    """Return the table of a useless classifier, which all metrics of one table need."""
    return Counts.expected_by_chance(prevalence=prevalence, queue_rate=queue_rate)


def _cells_of(data: Any) -> ConfusionCells:
    """Return the cells of a K x K table, given as such, as a matrix or by its rows."""
    if isinstance(data, ConfusionCells | Sample):
        return data if isinstance(data, ConfusionCells) else data.cells()
    matrix = check_count(data, "the matrix")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ArgumentError(f"a metric of several classes takes a K x K matrix of counts; got shape {matrix.shape}.")
    return ConfusionCells.from_matrix(matrix)


def _takes_whole(of: str) -> tuple[type, str]:
    """Return the type that a metric of many labels or of queries is called with, and a hint."""
    from unconfuse.table import multi_output

    name, hint = _TAKES_WHOLE[of]
    return getattr(multi_output, name), hint


_HOMES = {"labels": "multilabel", "queries": "query_ranking"}


def _of_whole(of: str, name: str) -> Metric:
    """Restore a pickled metric of many labels or of queries; users cannot declare any of their own."""
    from importlib import import_module

    metric: Metric = import_module(f"unconfuse.metrics.{_HOMES[of]}").found(name)
    return metric


def _rebuilt(declared: str | None, several: bool, changed: dict[str, Any]) -> Metric:
    """Restore a pickled metric."""
    from unconfuse.metrics import find_metric

    if declared is None:
        return Metric(**changed)
    metric = find_metric(declared, several=several)
    return replace(metric, **changed) if changed else metric


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Array:
    """Division with 0/0 = NaN and x/0 = inf (or too large a number), without warnings.

    >>> ratio([1, 0, 3], [2, 0, 0])
    array([0.5, nan, inf])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)


def made(name: str, function: Callable[[Any], Any], data: Any, *, example: Any = None, **fields: Any) -> Metric:
    """Make a metric of its fields; its example, if any, is a value on `data`."""
    return Metric(name, function, example=None if example is None else Example(data, example), **fields)

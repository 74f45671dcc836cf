"""What a metric is: one frozen declaration that every surface reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._plain import brief
from unconfuse._validate import alike, check_choice, check_count, check_number, check_text, in_words
from unconfuse.metrics.bounds import ROUNDING, certain_bound
from unconfuse.table import Array, Cells, Counts, NearSample, ScoreTable, check_table

if TYPE_CHECKING:
    from unconfuse.metrics.influence import Influence, Spread

Kind = Literal["counts", "ranks", "probabilities", "cells", "rows"]
Better = Literal["higher", "lower", "neither"]
Fraction = tuple[Array, Array]
_TEXTS = ("name", "label", "question", "formula", "expression", "undefined", "interval", "kernel", "misleads")
# What the function of each kind of metric is called with, and how to come by it.
_TAKES: dict[str, tuple[type, str]] = {
    "counts": (Counts, "Counts(tp=, fp=, fn=, tn=), or counts_at(threshold) of a score table"),
    "ranks": (ScoreTable, "score_table(y, s)"),
    "probabilities": (ScoreTable, "score_table(y, p)"),
    "rows": (NearSample, "evaluate(y, S, metrics=[...]) computes it from rows"),
}


@dataclass(frozen=True, eq=False)
class Example:
    """A worked example: data small enough to check by hand, and the value they give."""

    data: Counts | ScoreTable | Array
    value: float


@dataclass(frozen=True, eq=False)
class Summary:
    """A value of several classes, and each row's influence on it: the effect of one more case like this one."""

    value: float
    influence: Array
    note: str = ""  # what a reader must know, for instance which classes were left out


@dataclass(frozen=True)
class Affine:
    """Another metric on another scale: scale x metric + shift. What is known of the one is then known of the other.

    Examples
    --------
    >>> from unconfuse import METRICS
    >>> gini = METRICS["gini"].affine
    >>> gini.of.name, gini(0.75)
    ('auroc', 0.5)
    """

    of: Metric
    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, value: Any) -> Any:
        """The value, or values, on this scale."""
        return value if (self.scale, self.shift) == (1.0, 0.0) else self.scale * value + self.shift


@dataclass(frozen=True)
class Increasing:
    """An increasing function of a proportion, whose limits it takes over: its name, successes and trials, function."""

    of: str
    fraction: Callable[[Counts], Fraction]
    function: Callable[[Array], Array]


@dataclass(frozen=True)
class Average:
    """The macro, micro or weighted average over classes of a metric of two."""

    of: Metric
    kind: str


@in_words
@dataclass(frozen=True)
class Metric:
    """A function of a 2x2 table or of a score table, with everything a reader needs to understand its value.

    Parameters
    ----------
    name, label, question : str
        The name in the API, on the command line and in files; in print; and the question that the value answers.
    function : callable
        Takes `Counts` (`of="counts"`) or a `ScoreTable` whose arrays may carry leading axes; returns an array.
    of : {"counts", "ranks", "probabilities"}
        What it is computed from; "probabilities" needs scores in [0, 1].
    range : (float, float)
        Smallest and largest possible value.
    better : {"higher", "lower", "neither"}
        Direction.
    formula, expression : str
        LaTeX; and plain arithmetic over the attributes of `Counts` (`"tp / positives"`), for pages that compute it anew
        while a reader moves a slider. Without it a page shows the values at its stops only.
    chance : callable, optional
        Value of a useless classifier from (prevalence, queue rate). Metrics of counts need none: theirs follows from
        the table in which label and truth are independent.
    depends_on_prevalence : bool
        Whether the value changes with the share of positives although the classifier stays the same.
    undefined, misleads : str
        When and why the value is 0/0; when it gives the wrong impression.
    cause : callable, optional
        A score table on which it is undefined to which of several reasons it is there.
    interval : str
        The default interval: a name that `.interval(method=...)` accepts (`unconfuse.uncertainty.METHODS`). Without it
        "posterior" for counts, "wilson_effective" or "influence" where there is one, else "bias_corrected".
    fraction : callable, optional
        Successes and trials, for metrics that are proportions.
    aliases, references : tuple of str
        Other names, accepted wherever a name is; and where to read on.
    influence : callable, optional
        A score table to the metric's `Influence`: intervals and paired differences then need no resampling.
    candidates : callable, optional
        For a precision at a threshold that is chosen by the data: (score table, design, confidence level) to the 2x2
        tables of all thresholds that may be meant, where scores are tied; None where they are not.
    ceiling : float
        Of such a precision: what it is at most in a population whose scores are not tied. Intervals end there.
    spread : callable, optional
        A score table, with a case of some weight and unknown rank added to each class, to the value and its standard
        error: where a few sums tell them, and no array as long as the table is needed.
    joined : callable, optional
        A score table to one of fewer blocks that has the same value and spread, with cases joined that are worth alike.
    deciding : (float, float)
        Which share of the positives, and of the negatives, its influence comes from: of a partial area few.
    kernel : str
        The compiled kernel that computes it within resamples (`unconfuse._kernels.RANK_METRICS`).
    affine, increasing : optional
        Another metric of which it is an affine function: intervals, tests and population values follow from that one.
        Or a proportion of which it is an increasing function.
    log_limits : callable, optional
        Limits on the log scale from `Counts`, for ratios; subgroups are then compared by their ratio.
    population : callable, optional
        The value in a population, of its ROC curve and the prevalence (see `unconfuse.resolving`).
    bands : callable, optional
        A score table to the last block of each band of scores within which cases differ so little that its spread can
        be resampled from the bands. Without it bands hold about as many cases each.
    straight : bool
        Whether negatives between two positives' scores can be joined into one block and the value stays the same.
    paired : {"", "all", "positives", "negatives"}
        Among which cases it counts right (or wrong) labels, so that two classifiers are compared by McNemar's test.
    recalibrates : {"", "intercept", "slope"}
        Which coefficient of the logistic recalibration it is: its interval follows from the likelihood.
    two_class, average, weighting, gaps, probabilities : optional
        Of several classes: the metric that it is when there are two; the metric of two that it averages; K to the K x K
        matrix that weighs confusions; rows to signed distances whose absolute sums it adds up (it is then resampled);
        and whether scores must add up to 1.
    ordinal : bool
        Whether several classes must have an order.
    noise : callable, optional
        A score table to draws of what chance alone would show where the truth is 0; where these reach the value, its
        interval does not exclude 0.
    cut : float, optional
        The threshold probability at which a metric of counts decides itself, where scores are probabilities.
    example : Example, optional
    bounds : callable, optional
        How values are bounded on a binned table (see `unconfuse.metrics.bounds`); without it none is shown there.

    Examples
    --------
    >>> from unconfuse import METRICS, Counts
    >>> METRICS["sensitivity"](Counts(tp=141, fp=0, fn=67, tn=31))
    array(0.67788462)
    """

    name: str
    function: Callable[[Any], Any]
    label: str = ""
    question: str = ""
    of: Kind = "counts"
    range: tuple[float, float] = (-np.inf, np.inf)
    better: Better = "higher"
    formula: str = ""
    expression: str = ""
    chance: Callable[[Array, Array], Array | float] | None = None
    depends_on_prevalence: bool = True
    undefined: str = "the value is 0/0 on these data"
    cause: Callable[[ScoreTable], str] | None = None
    interval: str = ""
    fraction: Callable[[Counts], Fraction] | None = None
    aliases: tuple[str, ...] = ()
    influence: Callable[[ScoreTable], Influence] | None = None
    candidates: Callable[[ScoreTable, str, float], Counts | None] | None = None
    ceiling: float = np.inf
    spread: Callable[[ScoreTable, float], Spread] | None = None
    joined: Callable[[ScoreTable], ScoreTable] | None = None
    deciding: tuple[float, float] = (1.0, 1.0)
    kernel: str = ""
    affine: Affine | None = None
    increasing: Increasing | None = None
    log_limits: Callable[..., tuple[Array, Array]] | None = None
    population: Callable[[Any, float], float] | None = None
    bands: Callable[[ScoreTable], npt.NDArray[np.intp]] | None = None
    straight: bool = False
    paired: Literal["", "all", "positives", "negatives"] = ""
    recalibrates: Literal["", "intercept", "slope"] = ""
    two_class: str = ""
    average: Average | None = None
    weighting: Callable[[int], Array] | None = None
    gaps: Callable[[NearSample], Array] | None = None
    probabilities: bool = False
    ordinal: bool = False
    noise: Callable[[ScoreTable], Array] | None = None
    misleads: str = ""
    references: tuple[str, ...] = ()
    cut: float | None = None
    example: Example | None = None
    bounds: Callable[[Any, ScoreTable, float | None], tuple[float, float]] | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"the function of metric {self.name!r} must be callable; got {self.function!r}.")
        for field in _TEXTS:
            check_text(getattr(self, field), field)
        check_choice(self.of, "of", get_args(Kind))
        check_choice(self.better, "better", get_args(Better))
        self._check_range()
        if self.kernel:
            check_choice(self.kernel, "kernel", _kernels.RANK_METRICS)
        if not self.label:
            object.__setattr__(self, "label", self.name.replace("_", " "))
        if not self.interval:
            object.__setattr__(self, "interval", self._usual_interval())

    def _check_range(self) -> None:
        try:
            low, high = map(float, self.range)
        except (TypeError, ValueError):
            low = high = np.nan
        if not low < high:
            raise ArgumentError(f"`range` must be the smallest and the largest value; got {brief(self.range)}.")

    def _usual_interval(self) -> str:
        if self.of in ("counts", "cells", "rows"):
            return {"counts": "posterior", "cells": "bootstrap", "rows": "influence"}[self.of]
        if self.affine is not None:
            return self.affine.of.interval
        if self.influence is None and self.spread is None:
            return "bias_corrected"
        return "wilson_effective" if self.of == "ranks" and np.isfinite(self.range).all() else "influence"

    @property
    def root(self) -> Affine:
        """The metric of which this is an affine function; itself if of none."""
        if self.affine is None:
            return Affine(self)
        base = self.affine.of.root
        return Affine(base.of, self.affine.scale * base.scale, self.affine(base.shift))

    @property
    def needs_probabilities(self) -> bool:
        """Whether scores must be probabilities."""
        return self.probabilities or self.of == "probabilities"

    def __call__(self, data: Counts | ScoreTable | Cells | NearSample | npt.ArrayLike) -> Array:
        """The bare value or values; NaN where undefined. Cases of a block count with the score in its middle."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.function(self._taken(data))
        return self.rounded(np.asarray(found.value if isinstance(found, Summary) else found, dtype=np.float64))

    def _taken(self, data: Any) -> Any:
        """What the function is of, from anything that holds it."""
        if self.of == "cells":
            cells = _cells_of(data)
            return cells.margins(None if self.weighting is None else self.weighting(cells.n_classes))
        wanted, hint = _TAKES[self.of]
        if not isinstance(data, wanted):
            raise ArgumentError(f"{self.name} takes a {wanted.__name__}; got {type(data).__name__}. Hint: {hint}.")
        return data.at_middles() if isinstance(data, ScoreTable) else data

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
        """The value of a classifier whose labels have nothing to do with the truth."""
        pi, rate = alike({"prevalence": prevalence, "queue_rate": queue_rate})
        if self.chance is not None:
            return np.asarray(self.chance(pi, rate), dtype=np.float64)
        if self.of != "counts":
            return np.full(pi.shape, np.nan)
        known = _of_chance(float(pi), float(rate)) if pi.ndim == 0 else Counts.by_chance(prevalence=pi, queue_rate=rate)
        value = self(known)
        return np.where(np.abs(value) < 1e-12, 0.0, value)  # what is left of 0 after rounding

    def __reduce__(self) -> tuple[Any, ...]:
        """Metrics declared here are pickled by name, with what was changed: their functions need not be picklable."""
        from unconfuse.metrics import FACTORIES, METRICS, MULTICLASS_METRICS

        several = self.of in ("cells", "rows")
        declared = (MULTICLASS_METRICS if several else METRICS).get(self.name)
        made = declared is None and (self.name.partition("(")[0] in FACTORIES or self.average is not None)
        if made or declared is self:
            return _rebuilt, (self.name, several, {})
        changed = {key: value for key, value in vars(self).items() if value is not getattr(declared, key, None)}
        return _rebuilt, (self.name if declared else None, several, changed)

    def __repr__(self) -> str:
        return f"Metric({self.name}: {self.question or self.label})"


@lru_cache(maxsize=4)
def _of_chance(prevalence: float, queue_rate: float) -> Counts:
    """The table of a useless classifier, which all metrics of one table need."""
    return Counts.by_chance(prevalence=prevalence, queue_rate=queue_rate)


def _cells_of(data: Any) -> Cells:
    """The cells of a K x K table, given as such, as a matrix or by its rows."""
    if isinstance(data, Cells | NearSample):
        return data if isinstance(data, Cells) else data.cells()
    matrix = check_count(data, "the matrix")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ArgumentError(f"a metric of several classes takes a K x K matrix of counts; got shape {matrix.shape}.")
    return Cells.of_matrix(matrix)


def _rebuilt(declared: str | None, several: bool, changed: dict[str, Any]) -> Metric:
    """A metric as it was pickled."""
    from unconfuse.metrics import find_metric

    if declared is None:
        return Metric(**changed)
    found = find_metric(declared, several=several)
    return replace(found, **changed) if changed else found


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Array:
    """Division with 0/0 = NaN and x/0 = inf (or too large a number), without warnings.

    >>> ratio([1, 0, 3], [2, 0, 0])
    array([0.5, nan, inf])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)


def made(
    names: str, words: str, function: Callable[[Any], Any], data: Any, given: dict[str, Any], **usual: Any
) -> Metric:
    """From "name | alias", "Label: Question?", what is usual of its kind and what it says itself.

    Its example is a value on `data`.
    """
    name, *aliases = names.split(" | ")
    label, _, question = words.partition(": ")
    fields = {"label": label, "question": question, "aliases": tuple(aliases)} | usual | given
    if fields.get("example") is not None:
        fields["example"] = Example(data, fields["example"])
    return Metric(name, function, **fields)

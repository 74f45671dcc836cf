"""What a metric of several classes is: one frozen declaration that every surface reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from unconfuse.ingest._old import ClassScores
from unconfuse.multiclass.cells import Cells
from unconfuse.table import Array

Kind = Literal["confusion", "scores", "probabilities"]


@dataclass(frozen=True, eq=False)
class Summary:
    """A value, and each row's influence on it: the effect of one more case like this one.

    `note` says what a reader must know, for instance which classes were left out.
    """

    value: float
    influence: Array
    note: str = ""


@dataclass(frozen=True)
class ClassExample:
    """A worked example: data small enough to check by hand, and the value they give."""

    data: Any
    value: float


@dataclass(frozen=True, eq=False)
class ClassMetric:
    """A summary of several classes, with everything a reader needs to understand its value.

    Parameters
    ----------
    name : str
    of : {"confusion", "scores", "probabilities"}
        Computed from the K x K table of decisions, from any scores, or from rows of scores that add up to 1.
    function : callable
        Of `Margins` (leading axes allowed) for "confusion", of `ClassScores` to a `Summary` otherwise.
    label, question, formula, range, better, undefined, misleads, references, example
        As in `Metric`.
    chance : callable, optional
        Value of a useless classifier from the shares of the true classes and of the predicted ones.
    depends_on_prevalence : bool
        Whether the value changes with the shares of the classes although the classifier stays the same.
    interval : {"mid_p", "bootstrap", "influence"}
        The default interval.
    weighting : callable, optional
        K to the K x K matrix that weighs confusions.

    Examples
    --------
    >>> import unconfuse as uc
    >>> uc.MULTICLASS_METRICS["balanced_accuracy"].label
    'Balanced accuracy (mean recall)'
    """

    name: str
    function: Callable[[Any], Any]
    of: Kind = "confusion"
    label: str = ""
    question: str = ""
    range: tuple[float, float] = (0.0, 1.0)
    better: str = "higher"
    formula: str = ""
    chance: Callable[[Array, Array], float] | None = None
    depends_on_prevalence: bool = True
    undefined: str = "the value is 0/0 on these data"
    interval: str = "bootstrap"
    weighting: Callable[[int], Array] | None = None
    misleads: str = ""
    references: tuple[str, ...] = ()
    example: ClassExample | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.label:
            object.__setattr__(self, "label", self.name.replace("_", " "))

    def of_cells(self, cells: Cells) -> Array:
        """Values of a table of decisions, or of a stack of them."""
        weighting = None if self.weighting is None else self.weighting(cells.n_classes)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.function(cells.margins(weighting)), dtype=np.float64)

    def __call__(self, data: Any) -> float:
        """The bare value, from rows or from a K x K matrix of counts (rows = truth)."""
        if self.of == "confusion":
            cells = Cells.of_rows(data) if isinstance(data, ClassScores) else Cells.of_matrix(np.asarray(data, float))
            return float(self.of_cells(cells))
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(self.function(data).value)

    def baseline(self, truth: Array, predicted: Array) -> float:
        """The value of decisions that have nothing to do with the truth."""
        return float("nan") if self.chance is None else float(self.chance(truth, predicted))

    def __reduce__(self) -> tuple[Any, ...]:
        """Metrics that a name stands for are pickled by it: their functions need not be picklable."""
        from unconfuse.multiclass.registry import named

        return named(self) or super().__reduce__()  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"ClassMetric({self.name}: {self.question or self.label})"


def class_metric(**declared: Any) -> Callable[[Callable[[Any], Any]], ClassMetric]:
    """Declare a metric of several classes by decorating its function; the name is the function's unless given."""

    def declare(function: Callable[[Any], Any]) -> ClassMetric:
        return ClassMetric(**{"name": function.__name__, "function": function, **declared})

    return declare

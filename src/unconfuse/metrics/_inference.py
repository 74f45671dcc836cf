"""How sure a metric's value is: one object for each way to find out.

A kind has fields for what it needs and nothing else. What another kind has reads as its default here, so that whoever
asks a metric need not ask first of which kind it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse.table import Array, Counts, InMemorySample, ScoreTable

if TYPE_CHECKING:
    from unconfuse.metrics._metric import Metric
    from unconfuse.metrics.constrained import Constraint
    from unconfuse.metrics.influence_functions import InfluenceFunction, VarianceComponents

Fraction = tuple[Array, Array]
Paired = Literal["", "all", "positives", "negatives"]


@dataclass(frozen=True)
class MonotoneTransform:
    """An increasing function of a proportion, whose limits it takes over: its name, successes and trials, function."""

    of: str
    fraction: Callable[[Counts], Fraction]
    function: Callable[[Array], Array]


class InferenceDefaults:
    """What each kind has, as it reads in all others."""

    fraction: Callable[[Counts], Fraction] | None = None
    paired: Paired = ""
    increasing: MonotoneTransform | None = None
    log_limits: Callable[..., tuple[Array, Array]] | None = None
    influence: Callable[[ScoreTable], InfluenceFunction] | None = None
    spread: Callable[[ScoreTable, float], VarianceComponents] | None = None
    joined: Callable[[ScoreTable], ScoreTable] | None = None
    deciding: tuple[float, float] = (1.0, 1.0)
    kernel: str = ""
    straight: bool = False
    bands: Callable[[ScoreTable], npt.NDArray[np.intp]] | None = None
    noise: Callable[..., Array] | None = None
    candidates: Callable[[ScoreTable, bool, float], Counts | None] | None = None
    ceiling: float = np.inf
    constraint: Constraint | None = None
    recalibrates: Literal["", "intercept", "slope"] = ""
    two_class: str = ""
    weighting: Callable[[int], Array] | None = None
    gaps: Callable[[InMemorySample], Array] | None = None

    @property
    def affine(self) -> Affine | None:
        """The other metric that this one is on another scale, if it is one."""
        return None

    @property
    def average(self) -> Average | None:
        """What is averaged over classes, if it is an average."""
        return None


@dataclass(frozen=True, kw_only=True)
class Inference(InferenceDefaults):
    """How intervals and differences of a metric are made.

    Attributes
    ----------
    interval : str
        The default interval: a name that `.interval(method=...)` accepts (`unconfuse.uncertainty.METHODS`). Without it
        "posterior" for counts, "wilson_effective" or "influence" where there is one, else "bias_corrected".
    """

    interval: str = ""


@dataclass(frozen=True, kw_only=True)
class Proportion(Inference):
    """A share of cases.

    Attributes
    ----------
    fraction : callable
        Successes and trials of `Counts`.
    paired : {"", "all", "positives", "negatives"}
        Among which cases it counts right (or wrong) labels, so that two classifiers are compared by McNemar's test.
    """

    fraction: Callable[[Counts], Fraction] | None = None
    paired: Paired = ""


@dataclass(frozen=True, kw_only=True)
class Rates(Inference):
    """Another function of the 2x2 table.

    Attributes
    ----------
    increasing : MonotoneTransform, optional
        A proportion of which it is an increasing function.
    log_limits : callable, optional
        Limits on the log scale from `Counts`, for ratios; subgroups are then compared by their ratio.
    """

    increasing: MonotoneTransform | None = None
    log_limits: Callable[..., tuple[Array, Array]] | None = None


@dataclass(frozen=True, kw_only=True)
class Resampled(Inference):
    """A function of the ranking, or of probabilities, whose spread is that of resamples.

    Attributes
    ----------
    kernel : str
        The compiled kernel that computes it within resamples (`unconfuse._kernels.RANK_METRICS`).
    straight : bool
        Whether negatives between two positives' scores can be joined into one block and the value stays the same.
    bands : callable, optional
        A score table to the last block of each band of scores within which cases differ so little that its spread can
        be resampled from the bands. Without it bands hold about as many cases each.
    noise : callable, optional
        A score table, and `share`, to draws of a sum of distances of which this share is real and the rest is chance;
        the smallest share that reaches the value gives the lower limit.
    candidates : callable, optional
        For a precision at a threshold that is chosen by the data: (score table, whether class totals are fixed,
        confidence level) to the 2x2 tables of all thresholds that may be meant, where scores are tied; None where they
        are not.
    ceiling : float
        Of such a precision: what it is at most in a population whose scores are not tied. Intervals end there.
    constraint : Constraint, optional
        Of a rate at the threshold where another rate is held: which, and how high.
    """

    kernel: str = ""
    straight: bool = False
    bands: Callable[[ScoreTable], npt.NDArray[np.intp]] | None = None
    noise: Callable[..., Array] | None = None
    candidates: Callable[[ScoreTable, bool, float], Counts | None] | None = None
    ceiling: float = np.inf
    constraint: Constraint | None = None


@dataclass(frozen=True, kw_only=True)
class ByInfluence(Resampled):
    """The same, with influences that say its spread: intervals and paired differences then need no resampling.

    Attributes
    ----------
    influence : callable, optional
        A score table to the metric's `InfluenceFunction`.
    spread : callable, optional
        A score table, with a case of some weight and unknown rank added to each class, to the value and its standard
        error: where a few sums tell them, and no array as long as the table is needed.
    joined : callable, optional
        A score table to one of fewer blocks that has the same value and spread, with cases joined that are worth alike.
    deciding : (float, float)
        Which share of the positives, and of the negatives, its influence comes from: of a partial area few.
    """

    influence: Callable[[ScoreTable], InfluenceFunction] | None = None
    spread: Callable[[ScoreTable, float], VarianceComponents] | None = None
    joined: Callable[[ScoreTable], ScoreTable] | None = None
    deciding: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class Affine(Inference):
    """Another metric on another scale: scale x metric + shift. What is known of the one is then known of the other.

    Examples
    --------
    >>> from unconfuse import METRICS
    >>> gini = METRICS["gini"].inference.affine
    >>> gini.of.name, gini(0.75)
    ('auroc', 0.5)
    """

    of: Metric
    scale: float = 1.0
    shift: float = 0.0
    straight: bool = False

    @property
    def affine(self) -> Affine:
        """Itself."""
        return self

    def __call__(self, value: Any) -> Any:
        """Return the value, or values, on this scale."""
        return value if (self.scale, self.shift) == (1.0, 0.0) else self.scale * value + self.shift


@dataclass(frozen=True, kw_only=True)
class Profile(Inference):
    """A coefficient of the logistic recalibration, `recalibrates`: its interval follows from the likelihood."""

    recalibrates: Literal["", "intercept", "slope"] = ""


@dataclass(frozen=True, kw_only=True)
class MulticlassSummary(Inference):
    """A summary of several classes.

    Attributes
    ----------
    two_class : str
        The metric that it is when there are two classes.
    paired : {"", "all"}
        Whether it counts right labels, so that two classifiers are compared by McNemar's test.
    weighting : callable, optional
        K to the K x K matrix that weighs confusions.
    gaps : callable, optional
        Rows to signed distances whose absolute sums it adds up: it is then resampled.
    """

    two_class: str = ""
    paired: Paired = ""
    weighting: Callable[[int], Array] | None = None
    gaps: Callable[[InMemorySample], Array] | None = None


@dataclass(frozen=True)
class Average(MulticlassSummary):
    """The macro, micro or weighted average over classes of a metric of two."""

    of: Metric
    kind: str

    @property
    def average(self) -> Average:
        """Itself."""
        return self


def inference_from(of: str, given: dict[str, Any]) -> Inference:
    """Return the kind of inference that has the given fields, for a metric `of` counts, ranks, cells and so on.

    >>> type(inference_from("ranks", {"kernel": "ks"})).__name__, type(inference_from("counts", {})).__name__
    ('Resampled', 'Rates')
    """
    kind = _kind(of, given)
    known = {field.name for field in fields(kind)}
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise ArgumentError(f"a metric of {of}, declared like this, has no `{unknown}`.")
    return kind(**given)


def _kind(of: str, given: dict[str, Any]) -> type[Inference]:
    if "recalibrates" in given:
        return Profile
    if of in ("cells", "rows", "labels", "queries"):
        return MulticlassSummary
    if of == "counts":
        return Proportion if "fraction" in given else Rates
    return ByInfluence if {"influence", "spread"} & set(given) else Resampled

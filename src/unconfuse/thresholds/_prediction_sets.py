"""`prediction_sets`: sets of classes that hold the true one as often as was asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, InputError, surface_text
from unconfuse._formatting import TabularResult, number_text, short_repr, strict_json
from unconfuse._phrases import called
from unconfuse._validate import check_flag, check_probability
from unconfuse.ingest import Data, DataOptions
from unconfuse.ingest._read import public_data_api, sample_of
from unconfuse.table import Array, InMemorySample, Question, Sample
from unconfuse.thresholds.conformal import ConformalCutoff, bar_of, fewest, mean_limits, mixture_limits, share_limits
from unconfuse.uncertainty.estimate import Estimate

_LEVEL = 0.95  # of the intervals
_LAW = "beta law of split-conformal sets"
_ALL = "every set holds every class"


@public_data_api
def prediction_sets(
    y: Any, S: Any = None, *, coverage: float = 0.9, by_class: bool = False, **data: Unpack[DataOptions]
) -> PredictionSets:
    """Find sets of classes, of which a share of at least `coverage` holds the true class of new cases.

    Parameters
    ----------
    y : array_like, data frame, file or Data
        Labels of cases that the model was not fitted on; or a source of labels and scores.
    S : array_like of shape (n, K)
        The score of each class, higher for "more likely"; of two classes also the probability of the positive one.
    coverage : float
        How often the set of a new case must hold its class.
    by_class : bool
        Whether that must hold within each class (larger sets), or over all cases (rare classes may be held less often).
    **data
        What the columns mean, which rows to read: the words of `Data`. Cases in groups, sampling weights and fractional
        weights are refused: new cases are then not of the same kind.

    Returns
    -------
    PredictionSets
        `.sets(S_new)`, `.coverage` and `.size` (Estimates), `.of_class`, `.sentence`, `.findings`.

    Notes
    -----
    The promise needs no model of the data: only that new cases are of the same kind. It holds on average over data sets
    like this one; what these cases lead to is `.coverage`, whose interval follows from an exact beta law. The sets are
    those of least mean size (LAC); a set may be empty where no class has a score that is high enough.

    References
    ----------
    Sadinle, Lei & Wasserman (2019), JASA 114:223; Vovk (2012), ACML 25:475.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(3, size=300)
    >>> S = rng.dirichlet([1, 1, 1], 300) * .5 + .5 * np.eye(3)[y]
    >>> found = uc.prediction_sets(y, S, coverage=.9)
    >>> print(found.coverage)
    coverage 0.900 [0.864, 0.932] 95% beta law of split-conformal sets, 300 cases
    >>> found.sets([[.7, .2, .1], [.3, .4, .3]])  # no class of the second case scores high enough
    [('0',), ()]
    """
    share = check_probability(coverage, "coverage", open_interval=True)
    check_flag(by_class, "by_class")
    decided = y.predicted if isinstance(y, Data) else data.get("predicted")
    sample = _checked(sample_of(y, S, data, rows=True), decided is not None)
    matrix, truth = _matrix(sample), sample.truth.astype(np.intp)
    own, weight = matrix[np.arange(len(truth)), truth], sample.weight
    if by_class:
        bars = [bar_of(own[truth == k], weight[truth == k], share) for k in range(len(sample.classes))]
    else:
        bars = [bar_of(own, weight, share)] * len(sample.classes)
    return PredictionSets(share, by_class, tuple(sample.classes), tuple(bars), matrix, truth, weight)


def _checked(sample: Sample, is_decided: bool) -> InMemorySample:
    too_much = {
        "decisions": is_decided,
        "an order of the classes": sample.ordinal,
        "subgroups": bool(sample.by),
        "several models": len(sample.models) > 1,
        "fractional weights": sample.has_fractions,
    }
    for kind, given in too_much.items():
        if given:
            raise ArgumentError(f"`prediction_sets` does not support {kind}. Hint: leave them out, or use `evaluate`.")
    sample.sampling.require(Question.of("`prediction_sets`"))
    rows = sample.in_memory
    if rows is None:
        raise ArgumentError("`prediction_sets` needs rows in memory. Hint: draw some rows and give these.")
    if not rows.has_scores:
        raise ArgumentError("`prediction_sets` needs a score of each class. Hint: give `scores`.")
    kept = np.flatnonzero(rows.weight)
    if not len(kept):
        raise InputError("there are no cases. Hint: give rows with a weight above 0.")
    return rows if len(kept) == len(rows) else rows.taken(kept)


def _matrix(sample: InMemorySample) -> Array:
    scores = np.asarray(sample.scores[sample.only_model], dtype=np.float64)
    if sample.is_multiclass:
        return scores
    why = sample.probability_problem(sample.only_model)
    if why:
        raise InputError(f"a set of two classes needs probabilities: {why}. Hint: give a score of each class.")
    return _of_two(scores)


def _as_calibrated(scores: Array) -> Array:
    """Return two columns as thresholds were computed of them, from the second: 1 - 0.7 is not 0.3 to the last digit."""
    adds_up = np.isclose(scores.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    return np.where(adds_up[:, None], _of_two(scores[:, 1]), scores)


def _of_two(p: Array) -> Array:
    return np.stack([1 - p, p], axis=1)


@dataclass(frozen=True, repr=False, eq=False)
class PredictionSets(TabularResult):
    """Sets of classes that hold the true one as often as was asked for.

    Attributes
    ----------
    asked : float
        The coverage that was asked for.
    by_class : bool
        Whether within each class.
    classes : tuple of str
        In the order of the columns of scores.
    bars : tuple of Bar
        Of each class: the score from which on it is in a set, and how many cases that rests on.
    """

    asked: float
    by_class: bool
    classes: tuple[str, ...]
    bars: tuple[ConformalCutoff, ...]
    matrix: Array = field(repr=False)
    truth: npt.NDArray[np.intp] = field(repr=False)
    weight: Array = field(repr=False)

    @property
    def thresholds(self) -> dict[str, float]:
        """The score from which on a class is in a set; minus infinity where it always is."""
        return {name: bar.score for name, bar in zip(self.classes, self.bars, strict=True)}

    def holds(self, S: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Which classes are in the sets of new cases: an array of shape (n, K)."""
        return np.asarray(self._columns(S) >= np.array([bar.score for bar in self.bars]))

    def sets(self, S: npt.ArrayLike) -> list[tuple[str, ...]]:
        """Return the sets of new cases, each a tuple of class names; scores are in the order of `classes`."""
        return [tuple(name for name, held in zip(self.classes, row, strict=True) if held) for row in self.holds(S)]

    def _columns(self, S: npt.ArrayLike) -> Array:
        try:
            scores = np.asarray(S, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"scores of new cases must be numbers; got {short_repr(S)}.") from None
        if scores.ndim == 1 and len(self.classes) == 2:
            scores = _of_two(scores)
        if scores.ndim != 2 or scores.shape[1] != len(self.classes):
            raise InputError(
                f"scores of new cases must have shape (n, {len(self.classes)}), one column for each of "
                f"{', '.join(self.classes)}; got shape {scores.shape}."
            )
        if np.isnan(scores).any():
            row = int(np.flatnonzero(np.isnan(scores).any(axis=1))[0])
            raise InputError(f"a score of new cases is missing, in row {row + 1}. Hint: leave such rows out.")
        return _as_calibrated(scores) if len(self.classes) == 2 else scores

    @cached_property
    def _held(self) -> npt.NDArray[np.bool_]:
        return self.holds(self.matrix)

    @property
    def n(self) -> float:
        """How many cases the sets rest on."""
        return float(self.weight.sum())

    @cached_property
    def class_sizes(self) -> Array:
        """How many of them belong to each class."""
        return np.bincount(self.truth, self.weight, len(self.classes)).astype(np.float64)

    @cached_property
    def coverage(self) -> Estimate:
        """How often the sets of new cases will hold the true class."""
        if self.by_class:
            value, low, high = mixture_limits(list(self.bars), self.class_sizes, _LEVEL)
            method = f"{_LAW}, classes apart"
        else:
            bar, tail = self.bars[0], (1 - _LEVEL) / 2
            value, low, high = bar.mean, bar.quantile(tail, upper=False), bar.quantile(tail, upper=True)
            method = _LAW
        if all(conformal_cutoff.is_open for conformal_cutoff in self.bars):
            method = _ALL
        return _estimate("coverage", "Coverage", value, low, high, method, f"{self.n:,.10g} cases")

    @cached_property
    def of_class(self) -> Mapping[str, Estimate]:
        """How often the sets of new cases of each class will hold it."""
        return {name: self._of_class(k) for k, name in enumerate(self.classes)}

    def _of_class(self, k: int) -> Estimate:
        name, bar, size = self.classes[k], self.bars[k], float(self.class_sizes[k])
        words = "coverage", f"Coverage of {called(name, 'class')}"
        if bar.is_open:
            return _estimate(
                *words, 1.0, 1.0, 1.0, _ALL if not self.by_class else "in every set", f"{size:,.10g} cases"
            )
        if size == 0:
            why = f"no case belongs to {called(name, 'class')}"
            return Estimate(*words, math.nan, math.nan, math.nan, confidence_level=_LEVEL, undefined=why)
        if self.by_class:
            tail = (1 - _LEVEL) / 2
            ends = bar.quantile(tail, upper=False), bar.quantile(tail, upper=True)
            return _estimate(*words, bar.mean, *ends, _LAW, f"{size:,.10g} cases")
        inside = float(self.weight @ ((self.truth == k) & self._held[:, k]))
        return _estimate(
            *words, min(inside / size, 1.0), *share_limits(inside, size, _LEVEL), "mid-p", f"{size:,.10g} cases"
        )

    @cached_property
    def size(self) -> Estimate:
        """The mean number of classes in a set."""
        found = mean_limits(self._held.sum(axis=1).astype(float), self.weight, len(self.classes), _LEVEL)
        method = _ALL if all(bar.is_open for bar in self.bars) else "Student's t"
        found = (found[0],) * 3 if method == _ALL else found
        return _estimate("size", "Classes in a set", *found, method, f"{self.n:,.10g} cases", better="lower")

    @cached_property
    def sizes(self) -> dict[int, float]:
        """Which share of the sets of these cases has how many classes."""
        counts = np.bincount(self._held.sum(axis=1), self.weight, len(self.classes) + 1) / self.n
        return {size: float(share) for size, share in enumerate(counts) if share > 0}

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        if all(bar.is_open for bar in self.bars):
            least = fewest(self.asked)
            whom = "of every class " if self.by_class else ""
            return (
                f"Every set holds all {len(self.classes)} classes: {self.n:,.10g} cases are too few for a coverage of "
                f"{self.asked:.4g}. At least {least:,} {whom}are needed."
            )
        within = " within each class" if self.by_class else ""
        return (
            f"Sets hold {number_text(self.size.value)} of {len(self.classes)} classes on average, and the true class "
            f"of a new case with a probability of at least {self.asked:.4g}{within}; given these {self.n:,.10g} cases, "
            f"of {number_text(self.coverage.low)} to {number_text(self.coverage.high)}."
        )

    @cached_property
    def findings(self) -> tuple[str, ...]:
        """What a reader should know besides."""
        said = [*self._about_classes()]
        empty = self.sizes.get(0, 0.0)
        if empty:
            said.append(
                f"{number_text(empty)} of the sets are empty: no class scores high enough; hand such cases to a person."
            )
        if not all(bar.is_open for bar in self.bars):
            said.append(f"{number_text(self.sizes.get(1, 0.0))} of the sets name one class alone.")
        return tuple(said)

    def _about_classes(self) -> list[str]:
        if all(bar.is_open for bar in self.bars):
            return []
        if self.by_class:
            few = [called(name, "class") for name, bar in zip(self.classes, self.bars, strict=True) if bar.is_open]
            least = f"fewer than {fewest(self.asked)} cases"
            return [f"In every set, because there are {least} of it: {', '.join(few)}."] if few else []
        missing = [called(name, "class") for name, estimate in self.of_class.items() if math.isnan(estimate.value)]
        said = [f"No case belongs to {', '.join(missing)}: how often they are held is unknown."] if missing else []
        worst = min(
            (estimate for estimate in self.of_class.values() if not math.isnan(estimate.value)),
            key=lambda each: each.high,
        )
        if worst.high < self.asked:
            said.append(
                f"{worst.label} is {number_text(worst.value)} [{number_text(worst.low)}, {number_text(worst.high)}], "
                "below what was asked for over all cases. "
                f"Hint: {surface_text('`by_class=True`', '--by-class')} holds it within each class."
            )
        return said

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "asked": self.asked,
            "by_class": self.by_class,
            "n": self.n,
            "coverage": self.coverage.as_dict(),
            "size": self.size.as_dict(),
            "sizes": {str(size): share for size, share in self.sizes.items()},
            "classes": self.rows(),
            "sentence": self.sentence,
            "findings": list(self.findings),
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row for each class: from which score on it is in a set (None: always), and how often it is held."""
        return [
            {
                "class": name,
                "cases": float(size),
                "threshold": None if bar.is_open else bar.score,
                "coverage": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
            }
            for (name, estimate), bar, size in zip(self.of_class.items(), self.bars, self.class_sizes, strict=True)
        ]

    def __repr__(self) -> str:
        return "\n".join([self.sentence, *(f"  {finding}" for finding in self.findings)])

    def _repr_html_(self) -> str:
        return _html_repr.card("Sets of classes", verdict=self.sentence)


def _estimate(
    name: str, label: str, value: float, low: float, high: float, method: str, context: str, better: str = "higher"
) -> Estimate:
    ends = min(low, value), max(high, value)
    return Estimate(
        name, label, value, *ends, confidence_level=_LEVEL, method=method, conditions=context, better=better
    )

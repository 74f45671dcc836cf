"""What the functions of this room take: an evaluation or four counts, and a prevalence that may be an estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import short_repr
from unconfuse._scipy_special import logit, ndtri
from unconfuse._validate import check_number, check_probability, check_whole
from unconfuse.table import Counts, Sample, SamplingKind
from unconfuse.uncertainty import proportion_intervals
from unconfuse.uncertainty.estimate import Estimate

_RAREST = 1e-100  # products of the counts at a smaller prevalence are none that a number can hold


def one_table(source: Any) -> Counts:
    """Return the single 2x2 table behind an evaluation, or the table itself."""
    counts = source.counts if isinstance(source, HasCounts) else source
    if not isinstance(counts, Counts):
        raise InputError(
            f"expected an Evaluation or Counts; got {type(source).__name__}. "
            "Hint: pass what `evaluate` or `evaluate_counts` returned."
        )
    if counts.shape:
        raise InputError(f"expected one 2x2 table; got an array of them of shape {counts.shape}.")
    return counts


_NO_COUNTS = {
    SamplingKind.WEIGHTED: "sums of sampling weights",
    SamplingKind.SURVEY: "sums of sampling weights",
    SamplingKind.DOUBLY_SAMPLED: "masses of double-sampled cases",
}


@runtime_checkable
class HasCounts(Protocol):
    """What this room needs of an evaluation: results live in a room above it."""

    @property
    def counts(self) -> Counts: ...
    @property
    def sample(self) -> Sample: ...
    @property
    def confidence_level(self) -> float: ...
    def __getitem__(self, name: str) -> Estimate: ...


def counts_of(source: Any) -> Counts:
    """Return the single 2x2 table after checking that both classes have cases and that each case counts for itself."""
    counts = one_table(source)
    if isinstance(source, HasCounts) and source.sample.sampling.kind in _NO_COUNTS:
        what = _NO_COUNTS[source.sample.sampling.kind]
        raise ArgumentError(
            f"{what} are no counts, and this rests on counts. Hint: `shift_prevalence` takes sampled cases at a known "
            "prevalence."
        )
    if not counts.positives or not counts.negatives:
        missing = "positives" if not counts.positives else "negatives"
        raise InputError(
            f"there are no {missing}, so sensitivity and specificity are not both known. "
            "Hint: both classes are needed here."
        )
    return counts


def level_of(source: Any, confidence_level: float | None) -> float:
    """Return the confidence level asked for; else that of the evaluation; else 0.95."""
    if confidence_level is not None:
        return check_probability(confidence_level, "confidence_level", open_interval=True)
    return source.confidence_level if isinstance(source, HasCounts) else 0.95


@dataclass(frozen=True)
class PrevalenceEstimate:
    """A share of positives, and from how many cases it was estimated (or would have been); None if it is known."""

    value: float
    trials: float | None = None
    source: str = field(default="", repr=False, compare=False)

    def limits(self, confidence_level: float) -> tuple[float, float]:
        """Return Wilson's limits; the value twice if it is known."""
        if self.trials is None:
            return self.value, self.value
        low, high = proportion_intervals.wilson(
            self.value * self.trials, self.trials, confidence_level=confidence_level
        )
        return float(low), float(high)

    def inside(self) -> PrevalenceEstimate:
        """Return it with half a case added where all or none of some cases were positive: one class ranks nothing."""
        if self.trials is None or 0 < self.value < 1:
            return self
        positives, cases = self.value * self.trials, self.trials
        words = f"from {positives:.4g} of {cases:.4g} cases, half a case added"
        return PrevalenceEstimate((positives + 0.5) / (cases + 1), cases + 1, words)

    def __str__(self) -> str:
        source = self.source or ("" if self.trials is None else f"from {self.trials:.4g} cases")
        return f"{self.value:.4g}" + (f" ({source})" if source else "")


def prevalence_of(
    given: float | tuple[int, int] | Estimate | PrevalenceEstimate, name: str = "prevalence"
) -> PrevalenceEstimate:
    """Build a prevalence from a number, from (positives, cases), or from an estimate with an interval.

    Examples
    --------
    >>> prevalence_of(.02)
    PrevalenceEstimate(value=0.02, trials=None)
    >>> prevalence_of((20, 1000))
    PrevalenceEstimate(value=0.02, trials=1000.0)
    """
    if isinstance(given, PrevalenceEstimate):
        return given
    if isinstance(given, Estimate):
        return _of_estimate(given, name)
    if isinstance(given, tuple | list):
        return _of_cases(given, name)
    share = check_probability(given, name)
    if 0 < share < _RAREST:
        raise ArgumentError(f"`{name}` must be 0, or {_RAREST:g} or more; got {share:g}.")
    return PrevalenceEstimate(share)


def _of_cases(given: tuple[int, ...] | list[int], name: str) -> PrevalenceEstimate:
    if len(given) != 2:
        raise ArgumentError(f"`{name}` must be a number or a pair (positives, cases); got {short_repr(given)}.")
    cases = check_whole(given[1], f"{name}[1]", at_least=1)
    positives = check_number(given[0], f"{name}[0]")
    if not 0 <= positives <= cases:
        raise ArgumentError(
            f"`{name}` counts {positives:g} positives among {cases} cases. "
            "Hint: write (positives, cases), for example (20, 1000)."
        )
    return PrevalenceEstimate(positives / cases, float(cases))


def _of_estimate(given: Estimate, name: str) -> PrevalenceEstimate:
    """As uncertain as so many cases: their log-odds would have an interval as wide as the given one."""
    value = check_probability(given.value, name)
    if math.isnan(given.low) or math.isnan(given.high) or not given.low < given.high:
        return PrevalenceEstimate(value)
    ends = (given.low, given.high)
    low, high = (check_probability(end, f"{name} (its interval)", open_interval=True) for end in ends)
    spread = (logit(high) - logit(low)) / (2 * ndtri((1 + given.confidence_level) / 2))
    return PrevalenceEstimate(value, float(1 / (value * (1 - value) * spread**2)))

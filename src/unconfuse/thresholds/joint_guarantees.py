"""Several promises at once: one threshold that keeps all of them, or two with a zone in between that is referred.

Each promise takes an equal part of the risk and allows some thresholds (`GuaranteeSpec.satisfied`); what all of them
allow keeps all of them, with the stated probability together. Of cases in groups the exact tests become lower limits
from the jackknife over whole groups, which are approximate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError
from unconfuse._formatting import TabularResult, number_text, share_words, short_repr, strict_json
from unconfuse.metrics import Metric, find_metric
from unconfuse.table import Counts, ScoreTable
from unconfuse.thresholds.case_units import ClusteredCases
from unconfuse.thresholds.fixed_sequence import COMPLEMENTS, UP, GuaranteeSpec, probability_words
from unconfuse.uncertainty.clustered_metrics import of_group_counts
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.table_estimates import estimate_counts

Kept = npt.NDArray[np.bool_]
_TESTED = 150  # thresholds of cases in groups: each leaves out every group once


def promises_of(
    wanted: Mapping[Any, Any] | Sequence[Any], probability: float, starts: int
) -> tuple[GuaranteeSpec, ...]:
    """Return the promises, each with its part of the risk, from {"precision": .9} or ["precision>=.9"].

    >>> promises_of({"precision": .9, "false_negative_rate": .1}, .95, 1)
    (precision >= 0.9 with probability 0.975, false negative rate <= 0.1 with probability 0.975)
    """
    if not wanted:
        raise ArgumentError("`metric` must name at least one promise; got none. Hint: pass {'precision': 0.9}.")
    each = 1 - (1 - probability) / len(wanted)
    if isinstance(wanted, Mapping):
        guarantee_specs = [_bounded(metric, bound, each, starts) for metric, bound in wanted.items()]
    else:
        guarantee_specs = [_restarted(GuaranteeSpec.parse(text, probability=each), starts) for text in wanted]
    names = [promise.rate.name for promise in guarantee_specs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ArgumentError(f"`metric` must promise each rate once; got two promises of {twice}.")
    return tuple(guarantee_specs)


def _bounded(metric: str | Metric, bound: float, probability: float, starts: int) -> GuaranteeSpec:
    name = metric if isinstance(metric, Metric) else find_metric(metric)
    word = "at_most" if name.name in COMPLEMENTS else "at_least"
    bounds: dict[str, Any] = {word: bound}
    return _restarted(GuaranteeSpec.of(name, **bounds, probability=probability), starts)


def _restarted(promise: GuaranteeSpec, starts: int) -> GuaranteeSpec:
    """Several walks are for precision and npv; the others are monotone and need one."""
    return replace(promise, starts=starts) if promise.is_of_labels else promise


def kept_by_groups(promise: GuaranteeSpec, groups: ClusteredCases) -> Kept:
    """Return at which thresholds the lower limit of the jackknife over groups reaches the bound, along the walk."""
    table = groups.table
    places = np.unique(np.linspace(0, len(table) - 1, min(_TESTED, len(table))).astype(np.intp))
    level, passed, could = 1 - 2 * promise.risk, [], []
    for place in places:
        counts = groups.counts_at(float(table.score[place]))
        _, trials = promise.trials(counts)
        could.append(float(trials.sum()) >= promise.cases_needed)
        passed.append(could[-1] and _lower_limit(promise, counts, level) >= promise.bound)
    kept = np.zeros(len(table), dtype=bool)
    kept[places] = promise.tested_sequence(np.array(passed), np.array(could))
    return kept


def _lower_limit(promise: GuaranteeSpec, counts: Counts, level: float) -> float:
    found = of_group_counts(promise.rate, counts)
    return -math.inf if math.isnan(found.variance) or found.units < 2 else found.limits(level)[0]


@dataclass(frozen=True, repr=False, eq=False)
class JointGuarantee(TabularResult):
    """Thresholds that keep several promises on new cases together, or the news that none does.

    Attributes
    ----------
    promises : tuple of Promise
        Each with its part of the risk.
    probability : float
        With which all of them are kept.
    threshold : float
        Cases with at least this score are labelled positive; NaN if no threshold keeps all, or if a zone is referred.
    low, high : float
        Without a zone to refer, the lowest and the highest threshold that keep all promises. With one: cases below
        `low` are labelled negative, those of at least `high` positive, those between are referred to a person; NaN
        where no threshold can promise it.
    refer : bool
    table : ScoreTable
    prevalence : float or None
        For which it is promised; None: for the data's own.
    method : str
    n_groups : int
        Groups of cases that belong together; 0 if every case stands for itself.
    """

    promises: tuple[GuaranteeSpec, ...]
    probability: float
    threshold: float
    low: float
    high: float
    refer: bool
    table: ScoreTable = field(repr=False)
    prevalence: float | None
    method: str
    n_groups: int = 0

    @property
    def cases_needed(self) -> int:
        """Trials without which one of the promises cannot be made, all of them right."""
        return max(promise.cases_needed for promise in self.promises)

    @cached_property
    def is_sufficient(self) -> float:
        """About how many cases like these could promise it; infinite if no number could, NaN if these do, or of groups,
        where it is not known. As of one promise, it takes these cases as they are.
        """
        from unconfuse.thresholds._guarantee import enough_for

        known = self.is_made or self.n_groups
        return math.nan if known else enough_for(self.promises, self.table, self.prevalence, refer=self.refer)

    @property
    def is_made(self) -> bool:
        """Whether all promises are made."""
        return not math.isnan(self.low + self.high)

    @property
    def referred(self) -> float:
        """Share of these cases that lies between the two thresholds; 0 without such a zone, NaN if not all is made."""
        if not self.is_made:
            return math.nan
        return self._share(self.low, self.high) if self.refer else 0.0

    def _share(self, low: float, high: float) -> float:
        between = (self.table.score >= low) & (self.table.score < high)
        return float((self.table.positives + self.table.negatives)[between].sum() / self.table.n)

    @property
    def observed(self) -> dict[str, Estimate]:
        """What these data show of each promise, at the threshold where it is made."""
        return {
            promise.metric.name: observed_at(
                promise.metric, self.table.counts_at(at), self.n_groups, context="on the data that chose it"
            )
            for promise in self.promises
            if not math.isnan(at := self._at(promise))
        }

    def _at(self, promise: GuaranteeSpec) -> float:
        if not self.refer:
            return self.threshold
        return self.low if promise.walks == UP else self.high

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        where = "" if self.prevalence is None else f" where {self.prevalence:.3g} of the cases are positive"
        sure = probability_words(self.probability, self.n_groups)
        said = " and ".join(promise.words for promise in self.promises)
        together = f", {'all' if len(self.promises) > 2 else 'both'} together" if len(self.promises) > 1 else ""
        if not self.is_made:
            what = "two thresholds" if self.refer else "threshold"
            why = self._why_not
            return f"No {what} can promise {said} on new cases{where}{together} {sure}: {why}."
        promised = f"this promises {said} on new cases{where}{together} {sure}"
        shown = ", ".join(f"{_short(estimate)} {number_text(estimate.value)}" for estimate in self.observed.values())
        if self.refer:
            return f"{self._zones}: {promised}. These data show {shown}."
        ends = f"Thresholds from {number_text(self.low)} to {number_text(self.high)} keep "
        ends += "all promises; this is the middle one" if len(self.promises) > 1 else "it"
        return (
            f"Label scores of {number_text(self.threshold)} or more: {promised}. {ends}. "
            f"It labels {share_words(self._share(self.threshold, math.inf))} of these {self.table.n:,.10g} cases, "
            f"which show {shown}."
        )

    @property
    def _zones(self) -> str:
        if self.low == self.high:
            return f"Label scores of {number_text(self.high)} or more positive and all others negative, and refer none"
        much = ", nearly all" if self.referred > 0.9 else ""
        return (
            f"Label scores of {number_text(self.high)} or more positive and scores below {number_text(self.low)} "
            f"negative, and refer those between ({share_words(self.referred)} of these cases{much}) to a person"
        )

    @property
    def _why_not(self) -> str:
        n = f"{self.table.n:,.10g}"
        if self.n_groups:
            return f"these {n} cases in {self.n_groups:,} groups are too few, or the model is not good enough"
        if math.isinf(self.is_sufficient):
            return f"no number of cases like these {n} could, though another sample may show otherwise"
        return f"these {n} cases are too few; about {self.is_sufficient:,.0f} like them could"

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "promises": [
                {
                    "metric": promise.metric.name,
                    "bound": promise.given,
                    "relation": promise.relation,
                    "threshold": self._at(promise),
                    "observed": shown.as_dict() if (shown := self.observed.get(promise.metric.name)) else None,
                }
                for promise in self.promises
            ],
            "probability": self.probability,
            "prevalence": self.prevalence,
            "refer": self.refer,
            "threshold": self.threshold,
            "low": self.low,
            "high": self.high,
            "referred": self.referred,
            "cases_needed": self.cases_needed,
            "enough": self.is_sufficient,
            "n": self.table.n,
            "positives": self.table.n_positives,
            "method": self.method,
            "sentence": self.sentence,
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row for each promise."""
        found = self.as_dict()["promises"]
        return [{**each, "observed": (each["observed"] or {}).get("value")} for each in found]

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return _html_repr.card("A threshold that keeps several promises", verdict=self.sentence)

    enough = renamed("is_sufficient")


def _short(found: Estimate) -> str:
    return found.label.partition(" (")[0].lower()


def middle(kept: Kept, table: ScoreTable) -> int:
    """Return the threshold in the middle of those allowed, by the number of labelled cases; -1 if none is.

    In the middle neither promise is near its limit, so that both keep the most room.
    """
    places = np.flatnonzero(kept)
    if not len(places):
        return -1
    labelled = np.cumsum(table.positives + table.negatives)[places]
    return int(places[np.argmin(np.abs(labelled - (labelled[0] + labelled[-1]) / 2))])


def zones(promises: Sequence[GuaranteeSpec], kept: Sequence[Kept], table: ScoreTable) -> tuple[float, float]:
    """Return the two thresholds around the zone to refer: below the first negative, from the second on positive.

    Where both sides allow the same thresholds nothing has to be referred: both are then the middle one of these.
    """
    up, down = (
        _all_of([own for promise, own in zip(promises, kept, strict=True) if (promise.walks == UP) is side])
        for side in (True, False)
    )
    if (up & down).any():
        at = float(table.score[middle(up & down, table)])
        return at, at
    low, high = np.flatnonzero(up), np.flatnonzero(down)
    return (
        float(table.score[low[0]]) if len(low) else math.nan,
        float(table.score[high[-1]]) if len(high) else math.nan,
    )


def check_sides(promises: Sequence[GuaranteeSpec]) -> None:
    """Refuse a zone to refer without a promise about each of its ends."""
    if len({promise.walks for promise in promises}) < 2:
        said = ", ".join(promise.metric.name for promise in promises)
        raise ArgumentError(
            "`refer` requires a promise for cases labelled positive (precision or specificity) and one for cases "
            f"labelled negative (npv or sensitivity); got {short_repr(said)}. Hint: pass {{'precision': 0.9, 'npv': "
            f"0.95}}."
        )


def _all_of(kept: Sequence[Kept]) -> Kept:
    return np.asarray(np.logical_and.reduce(kept))


def observed_at(metric: Metric, counts: Counts, n_groups: int, context: str) -> Estimate:
    """Return what the data show where a promise is made; of groups without the interval of independent cases."""
    estimate = estimate_counts(metric, counts, context=context)
    if not n_groups:
        return estimate
    why = NoInterval("no interval: cases belong to groups, and `evaluate` gives it at this threshold")
    return replace(estimate, low=math.nan, high=math.nan, method=why)

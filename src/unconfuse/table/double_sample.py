"""Cases that a judge labelled, of which some were checked: the truth of the others is known by its share alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse.table.cells import Codes
from unconfuse.table.counts import Array, Counts
from unconfuse.table.in_memory import InMemorySample
from unconfuse.table.sample import Flags, Sample
from unconfuse.table.sampling import DoublySampled, Sampling
from unconfuse.table.score_table import ScoreTable

_NAMES = ("negative, below", "negative, above", "positive, below", "positive, above", "negative", "positive")
_BELOW, _ABOVE = (0, 2), (1, 3)  # the threshold: of what the judge calls negative, and positive
_SIZE = len(_NAMES)
HALF = 0.5  # case of each class that is added to every stratum where the variance is taken
_DIFFERENT = 0.05  # p-value below which shares of positives above and below the threshold count as different


@dataclass(frozen=True, eq=False)
class RaterStratum:
    """Cases that the judge, and perhaps the decision, treat alike: how many, how many checked, and positive of them."""

    code: int
    cases: int
    checked: int
    positives: int

    @property
    def words(self) -> str:
        """What the judge says, and on which side of the threshold the score lies."""
        return _NAMES[self.code]

    @property
    def is_above(self) -> bool:
        """Whether scores lie above the threshold."""
        return self.code in _ABOVE

    @property
    def share(self) -> float:
        """Of positives, with half a case more of each class: for the variance."""
        return (self.positives + HALF) / (self.checked + 2 * HALF)


@dataclass(frozen=True, eq=False)
class VerifiedPart:
    """What the checks of a stratum leave open in a metric, and whether it rises with the share of positives there."""

    stratum: RaterStratum
    variance: float
    is_increasing: bool
    is_asymmetric: bool = True  # whether the arms of the share are those of the metric


@dataclass(frozen=True, eq=False)
class DecisionStrata:
    """Cases that metrics of decisions cannot tell apart: their decision, their mass as a positive, their number."""

    labelled: Flags
    mass: Array
    smoothed_mass: Array
    count: Array


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DoubleSample(InMemorySample):
    """Rows with a judge's label, and the truth of those that were checked (double sampling).

    Every case counts as a positive with the mass u and as a negative with 1 - u: u is the share r of positives among
    the checked of its stratum, and for a checked case r + (N/n)(truth - r). Strata are the judge's labels, by decision
    for metrics of decisions; for others too where the share of positives clearly depends on the decision.

    Attributes
    ----------
    checked : array of bool, shape (n,)
        Whose truth is known; `truth` says nothing of the others.
    judge : array of bool, shape (n,)
    """

    checked: Flags
    judge: Flags

    def _rests_on(self, model: str) -> tuple[object, ...]:
        return *super()._rests_on(model), self.decided.get(model), self.checked, self.judge

    def _drawn_by(self) -> Sampling:
        return DoublySampled(self.fixed_classes)

    @property
    def verified(self) -> DoubleSample:
        return self

    @property
    def is_sampled(self) -> bool:
        return True

    @property
    def is_double_sampled(self) -> bool:
        return True

    @property
    def is_weighted(self) -> bool:
        return True

    @property
    def has_fractions(self) -> bool:
        return False

    def compact(self) -> Sample:
        return self

    @cached_property
    def sizes(self) -> Array:
        positives = float(self.positive_mass(self.rater_strata()).sum())
        return np.array([len(self) - positives, positives])

    @property
    def effective_sizes(self) -> Array:
        """How many checked cases of each class there are."""
        return np.bincount(self.truth[self.checked].astype(np.int64), minlength=2).astype(np.float64)

    def rater_strata(self) -> Codes:
        """Return the judge's labels as strata."""
        return 4 + self.judge.astype(np.int64)

    def by_decision(self, model: str | None = None) -> Codes:
        """Return the judge's labels as strata, split by the model's decision."""
        return np.asarray(2 * self.judge + self.labelled(self.resolve_model(model)), dtype=np.int64)

    def strata_of(self, *, decisions: bool, model: str | None = None) -> Codes:
        """Of metrics of decisions, or of scores: by decision too if that tells more, and every stratum was checked."""
        name = self.resolve_model(model)
        key = ("strata", decisions, self.thresholds.get(name))
        found: Codes = self._once(name, key, lambda: self._strata(name, decisions))
        return found

    def _strata(self, name: str, decisions: bool) -> Codes:
        if decisions:
            return self.by_decision(name)
        cut = name in self.thresholds and not self.unknown(self.by_decision(name))
        return self.by_decision(name) if cut and self._depends_on_decision(name) else self.rater_strata()

    def _depends_on_decision(self, model: str) -> bool:
        from scipy.stats import fisher_exact

        found = {decided_stratum.code: decided_stratum for decided_stratum in self.decided_strata(model)}
        for sides in zip(_BELOW, _ABOVE, strict=True):
            both = [found[code] for code in sides if code in found]
            cells = [
                [rater_stratum.positives, rater_stratum.checked - rater_stratum.positives] for rater_stratum in both
            ]
            if len(both) == 2 and fisher_exact(np.array(cells))[1] < _DIFFERENT:
                return True
        return False

    def described(self, strata: Codes) -> list[RaterStratum]:
        """Describe what is known of each stratum that has cases."""
        right = self.checked & self.is_positive
        counts = [np.bincount(each, minlength=_SIZE) for each in (strata, strata[self.checked], strata[right])]
        return [RaterStratum(int(code), *(int(count[code]) for count in counts)) for code in np.flatnonzero(counts[0])]

    def unknown(self, strata: Codes) -> list[RaterStratum]:
        """Strata of which no case was checked."""
        return [rater_stratum for rater_stratum in self.described(strata) if not rater_stratum.checked]

    def decided_strata(self, model: str | None = None) -> list[RaterStratum]:
        """Describe what is known of the judge's labels, by decision."""
        name = self.resolve_model(model)
        key = ("decided strata", self.thresholds.get(name))
        rater_strata: list[RaterStratum] = self._once(name, key, lambda: self.described(self.by_decision(name)))
        return rater_strata

    def parts_of_decisions(self, gap: Array) -> list[VerifiedPart]:
        """Return `checked_parts` for metrics of decisions: `gap` is that of all above and all below the threshold."""
        verified_parts = []
        for decided_stratum in self.decided_strata():
            own = float(gap[0 if decided_stratum.is_above else 1])
            wrong = (
                decided_stratum.positives * (1 - decided_stratum.share) ** 2
                + (decided_stratum.checked - decided_stratum.positives) * decided_stratum.share**2
            )
            verified_parts.append(_part(decided_stratum, own, wrong * own**2))
        return verified_parts

    def checked_parts(self, strata: Codes, gap: Array) -> list[VerifiedPart]:
        """Of each stratum, the variance that its checks leave where a positive differs by `gap` from a negative."""
        rater_strata, rows = self.described(strata), np.flatnonzero(self.checked)
        codes, own = np.flatnonzero(np.bincount(strata)), strata[rows]
        share = np.zeros(_SIZE)
        share[codes] = [rater_stratum.share for rater_stratum in rater_strata]
        rest = (self.is_positive[rows] - share[own]) * gap[rows]
        total, squares = np.bincount(strata, gap, _SIZE), np.bincount(own, np.square(rest), _SIZE)
        return [
            _part(rater_stratum, float(total[code]) / rater_stratum.cases, float(squares[code]))
            for rater_stratum, code in zip(rater_strata, codes, strict=True)
        ]

    def masses_of_scores(self, model: str | None = None, *, wary: bool = False) -> Array:
        """Return the `positive_mass` of each case in the strata of metrics of scores."""
        name = self.resolve_model(model)
        key = ("masses", wary, self.thresholds.get(name))
        mass: Array = self._once(
            name, key, lambda: self.positive_mass(self.strata_of(decisions=False, model=name), wary=wary)
        )
        return mass

    def positive_mass(self, strata: Codes, *, wary: bool = False) -> Array:
        """How much of each case is positive; `wary` shares have half a case of each class more, for the variance."""
        n = np.bincount(strata, minlength=_SIZE).astype(np.float64)
        checked = np.bincount(strata[self.checked], minlength=_SIZE).astype(np.float64)
        right = np.bincount(strata[self.checked & self.is_positive], minlength=_SIZE).astype(np.float64)
        more = HALF if wary else 0.0
        share = np.divide(right + more, checked + 2 * more, out=np.full(_SIZE, np.nan), where=checked + 2 * more > 0)
        weight = np.divide(n, checked, out=np.zeros(_SIZE), where=checked > 0)
        own = share[strata]
        return np.asarray(own + np.where(self.checked, weight[strata] * (self.is_positive - own), 0.0))

    def table(self, model: str | None = None, k: int | None = None) -> ScoreTable:
        name = self.resolve_model(model)
        score_table: ScoreTable = self._once(name, ("judged", self.thresholds.get(name)), lambda: self._massed(name))
        return score_table

    def _massed(self, model: str) -> ScoreTable:
        mass = self.masses_of_scores(model)
        # Masses may lie below 0 or above 1, where a checked case speaks for many: they are added up as they are.
        score, place = self._once(model, "places", lambda: self.places(model))
        sums = (np.bincount(place, weights=each) for each in (mass, 1 - mass, mass**2, (1 - mass) ** 2))
        positives, negatives, *squares = (np.asarray(each, dtype=np.float64) for each in sums)
        return ScoreTable.from_validated(score, positives, negatives, None, *squares)

    def blocks(self, model: str) -> npt.NDArray[np.intp]:
        place: npt.NDArray[np.intp] = self._once(model, "places", lambda: self.places(model))[1]
        return place

    def counts(self, model: str | None = None, k: int = 1) -> Counts:
        return self._cells(self.resolve_model(model), 1)

    def squared_counts(self, model: str | None = None) -> Counts:
        return self._cells(self.resolve_model(model), 2)

    def _cells(self, model: str, power: int) -> Counts:
        kinds = self.kinds(model)
        called, positive, negative = kinds.labelled, kinds.mass**power, (1 - kinds.mass) ** power
        sums = (kinds.count[own] @ each[own] for own in (called, ~called) for each in (positive, negative))
        tp, fp, fn, tn = sums
        return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)

    def kinds(self, model: str | None = None) -> DecisionStrata:
        """Cases by judge, decision, and what a check said: all that metrics of decisions need."""
        name = self.resolve_model(model)
        decision_strata: DecisionStrata = self._once(
            name, ("kinds", self.thresholds.get(name)), lambda: self._kinds(name)
        )
        return decision_strata

    def _kinds(self, model: str) -> DecisionStrata:
        strata = self.by_decision(model)
        code, first, count = np.unique(
            4 * strata + 2 * self.checked + (self.checked & self.is_positive), return_index=True, return_counts=True
        )
        mass, wary = (self.positive_mass(strata, wary=each)[first] for each in (False, True))
        return DecisionStrata((code // 4 % 2).astype(np.bool_), mass, wary, count.astype(np.float64))

    def restricted(self, rows: npt.NDArray[np.intp]) -> DoubleSample:
        sample = super().restricted(rows)
        assert isinstance(sample, DoubleSample)
        return sample.derive(checked=self.checked[rows], judge=self.judge[rows])


def _part(stratum: RaterStratum, gap: float, squares: float) -> VerifiedPart:
    """From the mean gap of a stratum and the squares of what its checked cases differ from their share."""
    # The mixed part is what the share leaves open; the rest of it, how much it matters for whom.
    least = (stratum.cases * gap) ** 2 * stratum.share * (1 - stratum.share) / stratum.checked
    return VerifiedPart(stratum, max(squares * (stratum.cases / stratum.checked) ** 2, least), gap > 0)

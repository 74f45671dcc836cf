"""Thresholds that promise something of new cases: exact binomial tests, walked along the scores.

Whether a rate is at least `bound` at one threshold is an exact test of successes among trials. Thresholds are tested in
an order that is known beforehand, from the safest one on, and the walk ends at the first test that fails: then all the
tests together err no more often than one of them (fixed-sequence testing, the simplest learn-then-test procedure).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _scipy_special as special
from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text
from unconfuse._validate import check_probability, check_whole
from unconfuse.metrics import METRICS, Metric, find_metrics
from unconfuse.table import Array, Counts

DOWN, UP = "down", "up"
_WALKS = {"precision": DOWN, "specificity": DOWN, "sensitivity": UP, "npv": UP}
"""The safe end: few labelled for precision and specificity, many for sensitivity and the negative predictive value."""
COMPLEMENTS = {
    "false_discovery_rate": "precision",
    "false_positive_rate": "specificity",
    "false_negative_rate": "sensitivity",
    "false_omission_rate": "npv",
}
OF_LABELS = ("precision", "npv")  # rates among cases with one label: they move with the prevalence
_ROUNDING = 1e-12
_REQUIREMENT = re.compile(r"\s*([^<>=]+?)\s*(>=|<=)\s*([-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)\s*(%?)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class GuaranteeSpec:
    """What is promised: a rate (as "at least"), its bound, and the probability that the promise is kept.

    Examples
    --------
    >>> GuaranteeSpec.of("false_positive_rate", at_most=.02)
    false positive rate <= 0.02 with probability 0.95
    >>> GuaranteeSpec.of("recall", at_least=.9).cases_needed
    29
    """

    metric: Metric  # as the user named it
    given: float  # the bound that the user gave
    rate: Metric  # the rate that must be large
    bound: float  # for that rate
    probability: float
    starts: int = 1  # places where a walk begins; they share the risk

    @classmethod
    def of(
        cls,
        metric: str | Metric,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        probability: float = 0.95,
        starts: int = 1,
    ) -> GuaranteeSpec:
        """From the words of the user, checked."""
        (asked,) = find_metrics([metric])
        name = COMPLEMENTS.get(asked.name, asked.name)
        if name not in _WALKS:
            known = ", ".join((*_WALKS, *COMPLEMENTS))
            raise ArgumentError(f"nothing can be promised of {asked.name}. Hint: promises are made of {known}.")
        turned = name != asked.name
        given = _only_bound(asked, "at_most" if turned else "at_least", at_least=at_least, at_most=at_most)
        sure = check_probability(probability, "confidence_level", open_interval=True)
        walks = check_whole(starts, "n_starts", at_least=1)
        if walks > 1 and name not in OF_LABELS:
            raise ArgumentError(f"{asked.name} needs one start: it is monotone. Hint: leave `n_starts` out.")
        return cls(asked, given, METRICS[name], 1 - given if turned else given, sure, walks)

    @classmethod
    def parse(cls, text: str, *, probability: float = 0.95) -> GuaranteeSpec:
        """From a text such as "precision>=0.9" or "false_negative_rate <= 2%".

        >>> GuaranteeSpec.parse("ppv >= 90%")
        precision >= 0.9 with probability 0.95
        """
        name, relation, bound = requirement(text)
        word = "at_least" if relation == ">=" else "at_most"
        bounds: dict[str, Any] = {word: bound}
        return cls.of(name, **bounds, probability=probability)

    @property
    def risk(self) -> float:
        """How often a promise may be broken."""
        return 1 - self.probability

    @property
    def cases_needed(self) -> int:
        """With fewer trials nothing can be promised, even if all of them are successes."""
        return self._needed(self.risk)

    @property
    def relation(self) -> str:
        """The direction in which the user gave the bound."""
        return ">=" if self.rate is self.metric else "<="

    @property
    def walks(self) -> str:
        """From which end of the scores it is tested: down from few labelled, or up from many."""
        return _WALKS[self.rate.name]

    @property
    def is_of_labels(self) -> bool:
        """Whether it is a rate among cases with one label, which moves with the prevalence."""
        return self.rate.name in OF_LABELS

    def trials(self, counts: Counts) -> tuple[Array, Array]:
        """Successes and trials of the rate at every threshold."""
        assert self.rate.inference.fraction is not None
        successes, trials = np.broadcast_arrays(*self.rate.inference.fraction(counts))
        return successes, trials

    def p_values(self, successes: Array, trials: Array) -> Array:
        """How likely so many successes are where the rate is at the bound: P(Bin(trials, bound) >= successes)."""
        failures = np.maximum(trials - successes, 0.0)
        some = np.maximum(successes, _ROUNDING)
        return np.where(successes > 0, special.betainc(some, failures + 1, self.bound), 1.0)

    def satisfied(self, counts: Counts) -> npt.NDArray[np.bool_]:
        """Which thresholds the walks reach, over the last axis."""
        successes, trials = self.trials(counts)
        risk = self.risk / self.starts
        passed = self.p_values(successes, trials) <= risk + _ROUNDING
        if self.rate.name not in OF_LABELS:
            return self.tested_sequence(passed, np.ones(trials.shape, dtype=bool))
        reached = [self.tested_sequence(passed, trials >= each - _ROUNDING) for each in self._begins(risk, counts)]
        return np.asarray(np.any(reached, axis=0))

    def _begins(self, risk: float, counts: Counts) -> Array:
        """How many labelled cases each walk begins with: from the fewest that can promise anything to all, evenly in
        proportion."""
        least, most = self._needed(risk), float(np.max(counts.total))
        return np.asarray(least * max(most / least, 1.0) ** (np.arange(self.starts) / self.starts))

    def _needed(self, risk: float) -> int:
        return max(math.ceil(math.log(risk) / math.log(self.bound) - _ROUNDING), 1)

    def tested_sequence(self, passed: npt.NDArray[np.bool_], starts: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """From the first threshold with enough trials on, up to the first test that fails."""
        step = -1 if _WALKS[self.rate.name] == UP else 1
        begun = np.logical_or.accumulate(starts[..., ::step], axis=-1)
        unbroken = np.logical_and.accumulate(passed[..., ::step] | ~begun, axis=-1)
        reached: npt.NDArray[np.bool_] = (unbroken & begun)[..., ::step]
        return reached

    def last(self, kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """Where the walk ended, over the last axis: the most useful threshold that keeps the promise; -1 if none."""
        size = kept.shape[-1]
        end = (
            np.argmax(kept, axis=-1) if _WALKS[self.rate.name] == UP else size - 1 - np.argmax(kept[..., ::-1], axis=-1)
        )
        found: npt.NDArray[np.intp] = np.where(kept.any(axis=-1), end, -1)
        return found

    def __str__(self) -> str:
        return f"{self._name} {self.relation} {self.given:g}"

    def __repr__(self) -> str:
        return f"{self} with probability {self.probability:g}"

    @property
    def words(self) -> str:
        """The promise in a sentence."""
        how = "at least" if self.relation == ">=" else "at most"
        return f"that the {self._name} is {how} {number_text(self.given)}"

    @property
    def _name(self) -> str:
        return self.metric.label.partition(" (")[0].lower()


def probability_words(probability: float, n_groups: float | None) -> str:
    """Say how sure a promise is; of cases in groups its tests are approximate.

    >>> probability_words(.95, None), probability_words(.95, 60)
    ('with a probability of 0.95', 'with a probability of about 0.95 (approximate: a jackknife over 60 groups)')
    """
    if not n_groups:
        return f"with a probability of {probability:.4g}"
    return f"with a probability of about {probability:.4g} (approximate: a jackknife over {n_groups:,} groups)"


def requirement(text: str) -> tuple[str, str, float]:
    """Name, relation and bound of a text such as "sensitivity >= .9".

    >>> requirement("fpr<=5%")
    ('fpr', '<=', 0.05)
    """
    match = _REQUIREMENT.fullmatch(str(text))
    if match is None:
        raise ArgumentError(
            f"cannot read {str(text)[:60]!r}. Hint: write a metric, >= or <=, and a number: 'recall>=.9'."
        )
    name, relation, number, percent = match.groups()
    return name.strip(), relation, float(number) / (100 if percent else 1)


def _only_bound(metric: Metric, wanted: str, **bounds: float | None) -> float:
    """Return the one bound that makes sense for a metric."""
    other = next(name for name in bounds if name != wanted)
    if bounds[wanted] is None or bounds[other] is not None:
        direction = "large" if wanted == "at_least" else "small"
        raise ArgumentError(
            f"a promise of {metric.name} requires `{wanted}` and takes no other limit: it should be {direction}. "
            f"Hint: pass `{wanted}=0.{'9' if wanted == 'at_least' else '1'}`."
        )
    value: Any = bounds[wanted]
    return check_probability(value, wanted, open_interval=True)

"""One person's probability after a test: prior odds times likelihood ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from unconfuse import _cards
from unconfuse._plain import number_text
from unconfuse.bayesian._source import Prevalence, counts_of, level_of, prevalence_of
from unconfuse.bayesian.quantities import TwelveQuantities
from unconfuse.bayesian.shift import predictive_value
from unconfuse.bayesian.twelve import bayes
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Counts
from unconfuse.uncertainty.estimate import Estimate


@dataclass(frozen=True, repr=False)
class PersonalPosterior:
    """The probability that one person is positive, before the test and after each possible result.

    Attributes
    ----------
    prior : float
        Before the test.
    after_positive, after_negative : Estimate
        After a positive and after a negative result.
    sentence : str
        The same in plain words.
    """

    prior: float
    after_positive: Estimate
    after_negative: Estimate

    @property
    def sentence(self) -> str:
        """What either result means for this person."""
        return (
            f"Before the test the probability is {_percent(self.prior)}. A positive result makes it "
            f"{_with_range(self.after_positive)}; a negative result makes it {_with_range(self.after_negative)}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "prior": self.prior,
            "after_positive": self.after_positive.as_dict(),
            "after_negative": self.after_negative.as_dict(),
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        positive, negative = (
            f"{number_text(each.value)} {each.interval_text}".strip()
            for each in (self.after_positive, self.after_negative)
        )
        return f"Prior {number_text(self.prior)}; after a positive result {positive}, after a negative one {negative}"

    def _repr_html_(self) -> str:
        before = _cards.bar(self.prior, math.nan, math.nan, (0.0, 1.0))
        rows = [["before the test", number_text(self.prior), "", before]]
        rows += [
            [
                words,
                number_text(each.value),
                each.interval_text,
                _cards.bar(each.value, each.low, each.high, (0.0, 1.0), self.prior),
            ]
            for words, each in (
                ("after a positive result", self.after_positive),
                ("after a negative result", self.after_negative),
            )
        ]
        return _cards.card(
            "One person's probability",
            _cards.table([], rows, numbers=[1]),
            _cards.quiet("Bars: 0 to 1; tick: before the test."),
            verdict=self.sentence,
        )


def posterior(
    source: Evaluation | Counts | TwelveQuantities,
    *,
    prior: float | tuple[int, int] | Estimate,
    confidence_level: float | None = None,
) -> PersonalPosterior:
    r"""One person's probability of being positive after a positive and after a negative result.

    .. math:: \frac{p}{1-p} = \frac{\pi}{1-\pi} \cdot LR

    The prior :math:`\pi` is this person's own: symptoms, age and exposure belong in it, and the prevalence of a study
    does not. The likelihood ratios come from the test.

    Parameters
    ----------
    source : Evaluation, Counts or TwelveQuantities
        How the test did. Counts give intervals; rates that are known exactly (`bayes`) give none.
    prior : float, (positives, cases) or Estimate
        Probability before the test. A pair or an estimate adds its own uncertainty to the intervals.
    confidence_level : float, optional
        That of the evaluation by default, else 0.95.

    Examples
    --------
    >>> import unconfuse as uc
    >>> person = uc.posterior(uc.Counts(tp=90, fp=5, fn=10, tn=95), prior=.05)
    >>> round(person.after_positive.value, 3)
    0.486
    >>> print(person.sentence)  # doctest: +ELLIPSIS
    Before the test the probability is 5%. A positive result makes it 48.6% (...); a negative ... makes it 0.551% (...).
    """
    share = prevalence_of(prior, "prior")
    if isinstance(source, TwelveQuantities):
        return _of_known_rates(source, share)
    counts, level = counts_of(source), level_of(source, confidence_level)

    positive = predictive_value("precision", counts, share, confidence_level=level)
    negative = predictive_value("false_omission_rate", counts, share, confidence_level=level)
    return PersonalPosterior(
        share.value,
        _renamed(positive, "after_positive", "Probability after a positive result"),
        _renamed(negative, "after_negative", "Probability after a negative result"),
    )


def _of_known_rates(test: TwelveQuantities, prior: Prevalence) -> PersonalPosterior:
    here = bayes(prevalence=prior.value, sensitivity=test.sensitivity, specificity=test.specificity)
    labels = {
        "after_positive": ("Probability after a positive result", here.precision),
        "after_negative": ("Probability after a negative result", here.false_omission_rate),
    }
    made = {
        name: Estimate(
            name,
            label,
            value,
            math.nan,
            math.nan,
            method="rates taken as known",
            better="neither",
            undefined="this result never occurs" if math.isnan(value) else None,
        )
        for name, (label, value) in labels.items()
    }
    return PersonalPosterior(prior.value, made["after_positive"], made["after_negative"])


def _renamed(estimate: Estimate, name: str, label: str) -> Estimate:
    return Estimate(
        name,
        label,
        estimate.value,
        estimate.low,
        estimate.high,
        confidence_level=estimate.confidence_level,
        method=estimate.method,
        undefined=estimate.undefined and "this result never occurred",
        better="neither",
        baseline=estimate.baseline,
        context=estimate.context,
    )


def _with_range(estimate: Estimate) -> str:
    if estimate.undefined:
        return f"unknown ({estimate.undefined})"
    if math.isnan(estimate.low):
        return _percent(estimate.value)
    return f"{_percent(estimate.value)} ({_percent(estimate.low)} to {_percent(estimate.high)})"


def _percent(value: float) -> str:
    """Three significant digits, and never 100% for what is only nearly so."""
    text = f"{100 * value:.3g}%"
    return f"{100 * value:.6g}%" if text == "100%" and value < 1 else text

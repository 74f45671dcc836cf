"""One person's probability after a test: prior odds times likelihood ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from unconfuse import _cards
from unconfuse._plain import number_text
from unconfuse.bayesian._source import Judged, counts_of, level_of, prevalence_of
from unconfuse.bayesian.shift import Shifted
from unconfuse.bayesian.twelve import TwelveQuantities, bayes
from unconfuse.metrics import METRICS
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
        after = {f"after_{label}": each.as_dict() for label, each in self._results()}
        return {"prior": self.prior, **after, "sentence": self.sentence}

    def _results(self) -> tuple[tuple[str, Estimate], tuple[str, Estimate]]:
        return ("positive", self.after_positive), ("negative", self.after_negative)

    def __repr__(self) -> str:
        positive, negative = (f"{number_text(each.value)} {each.interval_text}".strip() for _, each in self._results())
        return f"Prior {number_text(self.prior)}; after a positive result {positive}, after a negative one {negative}"

    def _repr_html_(self) -> str:
        before = _cards.bar(self.prior, math.nan, math.nan, (0.0, 1.0))
        rows = [["before the test", number_text(self.prior), "", before]]
        for label, each in self._results():
            drawn = _cards.bar(each.value, each.low, each.high, (0.0, 1.0), self.prior)
            rows.append([f"after a {label} result", number_text(each.value), each.interval_text, drawn])
        parts = _cards.table([], rows, numbers=[1]), _cards.quiet("Bars: 0 to 1; tick: before the test.")
        return _cards.card("One person's probability", *parts, verdict=self.sentence)


def posterior(
    source: Judged | Counts | TwelveQuantities,
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
        here = bayes(prevalence=share.value, sensitivity=source.sensitivity, specificity=source.specificity)
        known = "rates taken as known"
        found = [
            Estimate("", "", value, math.nan, math.nan, method=known, undefined="never" if math.isnan(value) else None)
            for value in (here.precision, here.false_omission_rate)
        ]
    else:
        there = Shifted(counts_of(source), share, level_of(source, confidence_level))
        found = [there.metric(METRICS[name]) for name in ("precision", "false_omission_rate")]

    never = f"this result never {'occurs' if isinstance(source, TwelveQuantities) else 'occurred'}"
    positive, negative = (
        replace(
            each,
            name=f"after_{label}",
            label=f"Probability after a {label} result",
            undefined=each.undefined and never,
            better="neither",
            ask=None,
        )
        for label, each in zip(("positive", "negative"), found, strict=True)
    )
    return PersonalPosterior(share.value, positive, negative)


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

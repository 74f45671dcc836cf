"""One person's probability after a test: prior odds times likelihood ratio.

A test that is repeated errs with the same sensitivity and specificity every time: what one study got wrong about them
is one error, not as many as there are results, and intervals count it once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError, surface_text
from unconfuse._formatting import number_text, percent, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse._validate import check_list, public_api
from unconfuse.bayesian._inputs import HasCounts, PrevalenceEstimate, counts_of, level_of, prevalence_of
from unconfuse.bayesian.quantities import BinaryQuantities, bayes
from unconfuse.bayesian.ratios import (
    RATIO_AFTER,
    limits_after,
    probability_after,
    probability_of_rates,
    probability_of_tables,
)
from unconfuse.table import Counts
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.method import NoInterval


@dataclass(frozen=True, repr=False)
class PostTestSequence(Estimate):
    """A person's probability after some results of one test; it remembers the test, the prior and the results.

    Given as the prior of the same test again, it is taken up where it was left, so that the study's error counts once.
    """

    study: Counts | None = None
    share: PrevalenceEstimate | None = None
    results: str = ""


@public_api
@dataclass(frozen=True, repr=False)
class PostTestProbability(PlotMixin):
    """The probability that one person is positive, before the test and after each possible result.

    Attributes
    ----------
    prior : float
        Before the test.
    after_positive, after_negative : Estimate
        After a positive and after a negative result.
    results : str
        The results that came in, such as "++-"; empty if none was given.
    steps : tuple of Estimate
        After the first of them, after the first two, and so on; `after` is the last.
    sentence : str
        The same in plain words.
    """

    picture = "plot_estimates"

    prior: float
    after_positive: Estimate
    after_negative: Estimate
    results: str = ""
    updates: tuple[Estimate, ...] = ()

    @property
    def drawn_estimates(self) -> dict[str, Estimate]:
        """What the picture shows: after either result, and after those that came in."""
        steps = {estimate.label: estimate for estimate in self.updates}
        return {estimate.label: estimate for _, estimate in self._results()} | steps

    @property
    def after_results(self) -> Estimate:
        """After all results that came in."""
        if not self.updates:
            hint = surface_text('pass `results="++-"`, or ask for `after_positive`.', "give --results ++-.")
            raise ArgumentError(f"no results were given. Hint: {hint}")
        return self.updates[-1]

    @property
    def sentence(self) -> str:
        """What the results, or either result, mean for this person."""
        if self.updates:
            return (
                f"Before the test the probability is {percent(self.prior)}; {self._told()}. {self.dependence}".rstrip()
            )
        return (
            f"Before the test the probability is {percent(self.prior)}. A positive result makes it "
            f"{_with_range(self.after_positive)}; a negative result makes it {_with_range(self.after_negative)}."
        )

    def _told(self) -> str:
        so_far = (self.results[: i + 1] for i in range(len(self.updates)))
        return ", ".join(
            f"after {each} it is {_with_range(step)}" for each, step in zip(so_far, self.updates, strict=True)
        )

    @property
    def dependence(self) -> str:
        """What several results take for granted, and what is left if it does not hold."""
        if len(self.updates) < 2:
            return ""
        kinds = {sign: self._results()[sign == "-"][1] for sign in self.results}
        alone = " and ".join(f"one {sign} alone: {_with_range(kind)}" for sign, kind in kinds.items())
        return (
            "This takes the errors of the results to be independent among those who have the condition and "
            "among those who do not; what the study got wrong about the test counts once. If whatever misled the test "
            f"once misleads it again, a repeated result adds nothing ({alone})."
        )

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        after = {f"after_{label}": estimate.as_dict() for label, estimate in self._results()}
        told: dict[str, Any] = {"prior": self.prior, **after}
        if self.updates:
            told |= {"results": self.results, "steps": [estimate.as_dict() for estimate in self.updates]}
            told |= {"after": self.after_results.as_dict(), "dependence": self.dependence}
        return {**told, "sentence": self.sentence}

    def _results(self) -> tuple[tuple[str, Estimate], tuple[str, Estimate]]:
        return ("positive", self.after_positive), ("negative", self.after_negative)

    def __repr__(self) -> str:
        if self.updates:
            said = f"{number_text(self.after_results.value)} {self.after_results.interval_text}".strip()
            return f"Prior {number_text(self.prior)}; after {self.results} {said}"
        positive, negative = (
            f"{number_text(estimate.value)} {estimate.interval_text}".strip() for _, estimate in self._results()
        )
        return f"Prior {number_text(self.prior)}; after a positive result {positive}, after a negative one {negative}"

    def _repr_html_(self) -> str:
        before = _html_repr.bar(self.prior, math.nan, math.nan, (0.0, 1.0))
        rows = [["before the test", number_text(self.prior), "", before]]
        for label, estimate in self._results():
            drawn = _html_repr.bar(estimate.value, estimate.low, estimate.high, (0.0, 1.0), self.prior)
            rows.append([f"after a {label} result", number_text(estimate.value), estimate.interval_text, drawn])
        for i, each in enumerate(self.updates):
            drawn = _html_repr.bar(each.value, each.low, each.high, (0.0, 1.0), self.prior)
            rows.append([f"after {self.results[: i + 1]}", number_text(each.value), each.interval_text, drawn])
        parts = _html_repr.table([], rows, numbers=[1]), _html_repr.quiet("Bars: 0 to 1; tick: before the test.")
        return _html_repr.card("One person's probability", *parts, verdict=self.sentence)

    after = renamed("after_results")
    steps = renamed("updates")


@public_api
def posterior(
    source: HasCounts | Counts | BinaryQuantities,
    *,
    prior: float | tuple[int, int] | Estimate,
    results: str | Sequence[str] = "",
    confidence_level: float | None = None,
) -> PostTestProbability:
    r"""One person's probability of being positive after a positive and after a negative result, or after several.

    .. math:: \frac{p}{1-p} = \frac{\pi}{1-\pi} \cdot LR

    The prior :math:`\pi` is this person's own: symptoms, age and exposure belong in it, and the prevalence of a study
    does not. The likelihood ratios come from the test.

    Parameters
    ----------
    source : Evaluation, Counts or BinaryQuantities
        How the test did. Counts give intervals; rates that are known exactly (`bayes`) give none.
    prior : float, (positives, cases) or Estimate
        Probability before the test. A pair or an estimate adds its own uncertainty to the intervals. What this function
        returned for the same test (`person.after_positive`) is its next result: errors are then taken to be independent
        from result to result, and the study's uncertainty about sensitivity and specificity is counted once.
    results : str or list of str
        What the test said, one sign for each time, such as "++-". Their errors are taken to be independent given the
        truth, and the study's error about sensitivity and specificity counts once; the sentence says what is left if
        the same cause misleads the test every time.
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
    >>> uc.posterior(uc.Counts(tp=90, fp=5, fn=10, tn=95), prior=.05, results="++-")
    Prior 0.050; after ++- 0.642 [0.272, 0.928]
    """
    signs = _signs(results)
    share = prevalence_of(prior, "prior")
    if isinstance(source, BinaryQuantities):
        estimates, steps = (
            [_known(share, source, each) for each in "+-"],
            [_known(share, source, sign) for sign in signs],
        )
    else:
        counts_of(source)  # or a refusal
        level = level_of(source, confidence_level)
        estimates, steps = (_estimated(prior, share, source, level, each) for each in (("+", "-"), signs))

    never = f"this result never {'occurs' if isinstance(source, BinaryQuantities) else 'occurred'}"
    positive, negative = (
        replace(
            estimate,
            name=f"after_{label}",
            label=f"Probability after a {label} result",
            undefined=estimate.undefined
            if estimate.undefined and "not known" in estimate.undefined
            else estimate.undefined and never,
            better="neither",
            recompute=None,
        )
        for label, estimate in zip(("positive", "negative"), estimates, strict=True)
    )
    return PostTestProbability(share.value, positive, negative, signs[-1] if signs else "", tuple(steps))


def _signs(results: str | Sequence[str]) -> tuple[str, ...]:
    """Return the results so far, after each of them: "++-" gives +, ++ and ++-."""
    text = (
        "".join(str(each) for each in (results if isinstance(results, str) else check_list(results, "results")))
        .replace(" ", "")
        .replace("\u2212", "-")
    )
    if set(text) - set("+-"):
        raise ArgumentError(
            f'`results` must be signs such as "++-", one for each time the test was done; got {results!r}.'
        )
    return tuple(text[: i + 1] for i in range(len(text)))


def _known(share: PrevalenceEstimate, rates: BinaryQuantities, results: str) -> Estimate:
    """After these results, if sensitivity and specificity are known."""
    if math.isnan(rates.sensitivity) or math.isnan(rates.specificity):
        return _by_ratios(share, rates, results)
    here = bayes(prevalence=share.value, sensitivity=rates.sensitivity, specificity=rates.specificity)
    once = {"+": here.precision, "-": here.false_omission_rate}
    known = share.value, here.sensitivity, here.specificity
    value = once[results] if results in once else float(probability_of_rates(*known, results))
    return _taken_as_known(value, results, "these results never occur together")


def _by_ratios(share: PrevalenceEstimate, rates: BinaryQuantities, results: str) -> Estimate:
    """Return the probability after these results, if only a likelihood ratio is known."""
    ratio = {"+": rates.lr_positive, "-": rates.lr_negative}
    product = math.prod(ratio[sign] for sign in results)
    lacking = next((RATIO_AFTER[sign] for sign in results if math.isnan(ratio[sign])), "")
    return _taken_as_known(float(probability_after(share.value, product)), results, f"{lacking} is not known")


def _taken_as_known(value: float, results: str, otherwise: str) -> Estimate:
    return Estimate(
        f"after_{results}",
        f"Probability after {results}",
        value,
        math.nan,
        math.nan,
        method=NoInterval("rates taken as known"),
        undefined=otherwise if math.isnan(value) else None,
        better="neither",
    )


def _estimated(
    prior: Any, share: PrevalenceEstimate, source: HasCounts | Counts, level: float, results: Sequence[str]
) -> list[Estimate]:
    """After each of these; results that the same study gave before are counted together with them."""
    before = ""
    if isinstance(prior, PostTestSequence) and prior.study == counts_of(source) and prior.share is not None:
        share, before = prior.share, prior.results
    return [after_results(source, share, before + result, confidence_level=level) for result in results]


def after_results(
    source: HasCounts | Counts, prior: PrevalenceEstimate, results: str, *, confidence_level: float = 0.95
) -> PostTestSequence:
    """Compute the probability after results such as "++-" of one test whose errors are independent between results.

    All results share the sensitivity and the specificity that the study estimated, hence its error: the interval of
    their likelihood ratio carries over to the probability (`ratios`).

    >>> print(after_results(Counts(tp=90, fp=5, fn=10, tn=95), PrevalenceEstimate(.05), "++").interval_text)
    [0.786, 0.992]
    """
    study = counts_of(source)
    value = float(probability_of_tables(study.at_prevalence(prior.value), results))
    method, low, high = "", math.nan, math.nan
    if not math.isnan(value):
        method, low, high = limits_after(source, prior, results, confidence_level)
        method += f", {len(results)} results with one study's error" if len(results) > 1 and low < high else ""
    return PostTestSequence(
        f"after_{results}",
        f"Probability after {results}",
        value,
        min(low, value),  # whose last bit is that of another sum
        max(high, value),
        confidence_level=confidence_level,
        method=method,
        undefined="these results never occurred together" if math.isnan(value) else None,
        better="neither",
        study=study,
        share=prior,
        results=results,
    )


def _with_range(estimate: Estimate) -> str:
    if estimate.undefined:
        return f"unknown ({estimate.undefined})"
    if math.isnan(estimate.low):
        return percent(estimate.value)
    return f"{percent(estimate.value)} ({percent(estimate.low)} to {percent(estimate.high)})"

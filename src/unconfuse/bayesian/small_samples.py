"""What chance alone does with few cases: exact binomial statements."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from unconfuse._errors import ArgumentError
from unconfuse._plain import number_text
from unconfuse._validate import check_probability, check_whole
from unconfuse.bayesian.binomial import binomial_at_least, binomial_at_most, binomial_exactly
from unconfuse.uncertainty.closed_form import clopper_pearson


@dataclass(frozen=True, repr=False)
class SmallSample:
    """What so many successes in so many trials say about the true rate, and what chance would do with it.

    Attributes
    ----------
    successes, trials : int
    rate : float
        The true rate assumed; the one seen, if none was given.
    at_most, at_least, exactly : float
        How often a true `rate` gives this many successes or fewer, or more, or exactly this many.
    low, high : float
        True rates outside these limits would make the result surprising, at `confidence_level` (Clopper-Pearson).
    all_right : float
        How often a true `rate` gives no failure at all.
    """

    successes: int
    trials: int
    rate: float
    assumed: bool
    at_most: float
    at_least: float
    exactly: float
    all_right: float
    low: float
    high: float
    confidence_level: float

    @property
    def sentences(self) -> tuple[str, ...]:
        """The statements in plain words."""
        return *self._by_chance(), self._possible_rates()

    def _by_chance(self) -> tuple[str, ...]:
        k, n = self.successes, self.trials
        if not self.assumed and k in (0, n):  # a true rate of 0 or 1 leaves nothing to chance
            edge = self.low if k else self.high
            chance = binomial_exactly(k, n, edge)
            who = (
                f"A classifier that is truly right in only {_percent(edge)}"
                if k
                else (f"A classifier that is truly right in as many as {_percent(edge)}")
            )
            return (f"{who} of such cases still gets {k} of {n} right {_percent(chance)} of the time.",)
        who = f"A classifier that is truly right in {_percent(self.rate)} of such cases"
        return (
            f"{who} gets {k} or fewer of {n} right {_percent(self.at_most)} of the time.",
            f"It gets all {n} right {_percent(self.all_right)} of the time.",
        )

    def _possible_rates(self) -> str:
        ends = ([f"below {number_text(self.low)}"] if self.low > 0 else []) + (
            [f"above {number_text(self.high)}"] if self.high < 1 else []
        )
        tail = _percent((1 - self.confidence_level) / 2)
        return (
            f"{self.successes} of {self.trials} would be surprising (a chance of at most {tail}) "
            f"for true rates {' or '.join(ends)}."
        )

    @property
    def sentence(self) -> str:
        """All statements in one text."""
        return " ".join(self.sentences)

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        names = ("successes", "trials", "rate", "at_most", "at_least", "exactly", "all_right", "low", "high")
        return {**{name: getattr(self, name) for name in names}, "sentence": self.sentence}

    def __repr__(self) -> str:
        return self.sentence


def small_sample_statement(
    successes: int, trials: int, rate: float | None = None, *, confidence_level: float = 0.95
) -> SmallSample:
    """Exact statements about few cases: what chance does to a rate, and which true rates the result leaves possible.

    Parameters
    ----------
    successes, trials : int
        Cases that were labelled right, of how many.
    rate : float, optional
        The true rate to assume; by default the one seen.
    confidence_level : float
        A result is called surprising if its probability, or that of a more extreme one, is at most half of the rest.

    Examples
    --------
    >>> print(small_sample_statement(6, 10, .8).sentences[0])
    A classifier that is truly right in 80% of such cases gets 6 or fewer of 10 right 12.1% of the time.
    >>> print(small_sample_statement(8, 10).sentences[2])
    8 of 10 would be surprising (a chance of at most 2.5%) for true rates below 0.444 or above 0.975.
    """
    n = check_whole(trials, "trials", at_least=1)
    k = check_whole(successes, "successes", at_least=0)
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    if k > n:
        raise ArgumentError(f"`successes` must not exceed `trials`; got {k} of {n}.")
    p = k / n if rate is None else check_probability(rate, "rate")

    low, high = clopper_pearson(k, n, confidence_level=level)
    return SmallSample(
        k,
        n,
        p,
        rate is not None,
        at_most=binomial_at_most(k, n, p),
        at_least=binomial_at_least(k, n, p),
        exactly=binomial_exactly(k, n, p),
        all_right=binomial_exactly(n, n, p),
        low=float(low),
        high=float(high),
        confidence_level=level,
    )


def small_sample(trials: int, rate: float, *, confidence_level: float = 0.95) -> tuple[str, ...]:
    """What a test on so few cases would show of a classifier with a known true rate.

    Examples
    --------
    >>> for line in small_sample(10, .8):
    ...     print(line)
    With 10 cases and a true rate of 80%, 95% of all tests show between 5 and 10 right (50% to 100%).
    All 10 are right 10.7% of the time; 6 or fewer 12.1% of the time.
    """
    n, p = check_whole(trials, "trials", at_least=1), check_probability(rate, "rate")
    tail = (1 - check_probability(confidence_level, "confidence_level", open_interval=True)) / 2
    low = next(k for k in range(n + 1) if binomial_at_most(k, n, p) > tail)
    high = next(k for k in range(n, -1, -1) if binomial_at_least(k, n, p) > tail)
    fewer = max(math.ceil(n * p) - 2, 0)
    return (
        f"With {n} cases and a true rate of {100 * p:.3g}%, {100 * (1 - 2 * tail):.4g}% of all tests show between "
        f"{low} and {high} right ({100 * low / n:.3g}% to {100 * high / n:.3g}%).",
        f"All {n} are right {_percent(binomial_exactly(n, n, p))} of the time; {fewer} or fewer "
        f"{_percent(binomial_at_most(fewer, n, p))} of the time.",
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"

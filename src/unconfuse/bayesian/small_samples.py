"""What chance alone does: to the results of few cases, and to a threshold that is drawn at random."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import number_text, percent, strict_json
from unconfuse._scipy_special import bdtr, bdtrc, betaln, xlog1py, xlogy
from unconfuse._validate import check_both_classes, check_probability, check_whole
from unconfuse.metrics import METRICS
from unconfuse.table import ScoreTable
from unconfuse.uncertainty.proportion_intervals import clopper_pearson


def binomial_at_most(k: int, n: int, p: float) -> float:
    """Probability of at most `k` successes in `n` trials, each with probability `p`.

    Examples
    --------
    A classifier that finds 80% of the positives finds 6 or fewer of 10 this often:

    >>> round(binomial_at_most(6, 10, .8), 6)
    0.120874
    """
    k, n, p = _checked(k, n, p)
    return float(bdtr(k, n, p))


def binomial_at_least(k: int, n: int, p: float) -> float:
    """Probability of at least `k` successes in `n` trials, each with probability `p`.

    >>> round(binomial_at_least(7, 10, .8), 6)
    0.879126
    """
    k, n, p = _checked(k, n, p)
    return float(bdtrc(k - 1, n, p)) if k else 1.0


def binomial_exactly(k: int, n: int, p: float) -> float:
    """Probability of exactly `k` successes in `n` trials, each with probability `p`.

    >>> round(binomial_exactly(10, 10, .8), 6)
    0.107374
    """
    k, n, p = _checked(k, n, p)
    ways = -betaln(k + 1, n - k + 1) - math.log(n + 1)
    return float(math.exp(ways + xlogy(k, p) + xlog1py(n - k, -p)))


def _checked(k: int, n: int, p: float, names: tuple[str, str, str] = ("k", "n", "p")) -> tuple[int, int, float]:
    trials, successes = check_whole(n, names[1], at_least=1), check_whole(k, names[0], at_least=0)
    if successes > trials:
        raise ArgumentError(f"`{names[0]}` must not exceed `{names[1]}`; got {successes} of {trials}.")
    return successes, trials, check_probability(p, names[2])


@dataclass(frozen=True, repr=False)
class SmallSample:
    """What so many successes in so many trials say about the true rate, and what chance would do with it.

    `at_most`, `at_least`, `exactly` and `all_right` say how often a true `rate` (the one seen, if none was `assumed`)
    gives so many successes; rates outside `low` to `high` would make the result surprising (Clopper-Pearson).
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
            who = f"A classifier that is truly right in {'only' if k else 'as many as'} {percent(edge)}"
            return (f"{who} of such cases still gets {k} of {n} right {percent(chance)} of the time.",)
        who = f"A classifier that is truly right in {percent(self.rate)} of such cases"
        return (
            f"{who} gets {k} or fewer of {n} right {percent(self.at_most)} of the time.",
            f"It gets all {n} right {percent(self.all_right)} of the time.",
        )

    def _possible_rates(self) -> str:
        ends = [f"below {number_text(self.low)}"] if self.low > 0 else []
        ends += [f"above {number_text(self.high)}"] if self.high < 1 else []
        tail = percent((1 - self.confidence_level) / 2)
        return (
            f"{self.successes} of {self.trials} would be surprising (a chance of at most {tail}) "
            f"for true rates {' or '.join(ends)}."
        )

    @property
    def sentence(self) -> str:
        """All statements in one text."""
        return " ".join(self.sentences)

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        told = {name: value for name, value in vars(self).items() if name not in ("assumed", "confidence_level")}
        return told | {"sentence": self.sentence}

    def __repr__(self) -> str:
        return self.sentence


def small_sample_statement(
    successes: int, trials: int, rate: float | None = None, *, confidence_level: float = 0.95
) -> SmallSample:
    """Exact statements about few cases: what chance does to a rate, and which true rates the result leaves possible.

    A result is called surprising if its probability, or that of a more extreme one, is at most half of the rest.

    Examples
    --------
    >>> print(small_sample_statement(6, 10, .8).sentences[0])
    A classifier that is truly right in 80% of such cases gets 6 or fewer of 10 right 12.1% of the time.
    >>> print(small_sample_statement(8, 10).sentences[2])
    8 of 10 would be surprising (a chance of at most 2.5%) for true rates below 0.444 or above 0.975.
    """
    names = ("successes", "trials", "rate")
    k, n, p = _checked(successes, trials, 0.5 if rate is None else rate, names)
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    p = k / n if rate is None else p
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


@dataclass(frozen=True)
class ExpectedRates:
    """Mean sensitivity, specificity and accuracy over random thresholds."""

    sensitivity: float
    specificity: float
    accuracy: float

    @strict_json
    def as_dict(self) -> dict[str, float]:
        """Return the three expected rates by name."""
        return asdict(self)


def expected_rates(prevalence: float, auroc: float, *, n: int | None = None) -> ExpectedRates:
    r"""Mean sensitivity, specificity and accuracy when the threshold is the score of a randomly drawn case.

    .. math::
        E[Se] = \pi_0 A + \tfrac12 \pi_1, \quad E[Sp] = \pi_1 A + \tfrac12 \pi_0, \quad
        E[Acc] = 2 \pi_0 \pi_1 A + \tfrac12 (\pi_0^2 + \pi_1^2)

    They show what the area under the ROC curve A measures: performance over all operating points, not at any one.

    The formulas hold for continuous scores. In a sample of `n` cases without ties, a case drawn as threshold is itself
    labelled positive, which adds 1/(2n) to E[Se], -1/(2n) to E[Sp] and (P - N)/(2n^2) to E[Acc].

    Examples
    --------
    >>> expected_rates(.5, .8)
    ExpectedRates(sensitivity=0.65, specificity=0.65, accuracy=0.65)
    """
    pi1, area = check_probability(prevalence, "prevalence"), check_probability(auroc, "auroc")
    shift = 0.0 if n is None else 1 / (2 * check_whole(n, "n", at_least=1))
    pi0 = 1 - pi1
    return ExpectedRates(
        sensitivity=pi0 * area + pi1 / 2 + shift,
        specificity=pi1 * area + pi0 / 2 - shift,
        accuracy=2 * pi0 * pi1 * area + (pi0**2 + pi1**2) / 2 + (pi1 - pi0) * shift,
    )


def expected_rates_of_sample(table: ScoreTable) -> ExpectedRates:
    """Compute the expected rates of one sample, ties and all: the mean over its own cases' scores taken as thresholds.

    Examples
    --------
    >>> import unconfuse as uc
    >>> expected_rates_of_sample(uc.score_table([1, 0, 1, 0], [.8, .6, .3, .1]))
    ExpectedRates(sensitivity=0.75, specificity=0.5, accuracy=0.625)
    """
    if not isinstance(table, ScoreTable):
        raise InputError(f"expected a ScoreTable; got {type(table).__name__}. Hint: use `score_table(y, s)`.")
    check_both_classes(table.n_positives, table.n_negatives, "positive")
    table = table.exact("`expected_rates_of_sample`")
    share = (table.positives + table.negatives) / table.n
    counts = table.counts()
    means = {name: float(share @ METRICS[name](counts)) for name in ("sensitivity", "specificity", "accuracy")}
    return ExpectedRates(**means)

"""The smallest test set on which a metric resolves a difference: from theory, or by simulation where that is short."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._formatting import frame_of, number_text, strict_json
from unconfuse._render_mixins import PlotMixin
from unconfuse._scipy_special import ndtr
from unconfuse._validate import check_choice
from unconfuse.metrics.influence_functions import is_auroc, quantile
from unconfuse.resolving._resolving_power import TIED, resolving_power
from unconfuse.resolving.asymptotic import ClassSizes, standard_error
from unconfuse.resolving.sample_sizes import StudyGoal
from unconfuse.resolving.score_sampling import Progress
from unconfuse.resolving.standard_errors import SAMPLES_OF_PAIRS, RankingErrors
from unconfuse.resolving.study import Study
from unconfuse.resolving.win_probability import is_tied

_MOST = 10**10
_THEORY_ENOUGH = 1000  # positives from which theory and simulation agree to about 2%
_ENOUGH_FOR_AUROC = 50  # cases of each class, since its variance is exact: within 1.5%, 2.7% at an AUROC of .99
_CLOSE = 0.01


@dataclass(frozen=True)
class DifferencePlan(PlotMixin):
    """The smallest test set on which a metric resolves a difference.

    Attributes
    ----------
    metric, difference, prevalence, at
        What was asked: the difference is on the scale of the AUROC, between classifiers of AUROC `at`.
    n, positives, kappa, mc_error
        The smallest number of cases and of positives among them, the resolution there and its Monte-Carlo error.
    method : {"asymptotic", "full"}
    curve : tuple of (n, kappa)
        Resolution against sample size, from theory.
    design : {"cohort", "case-control"}
        Whether the number of positives varies from test set to test set, or is fixed.
    confidence_level : float
        Of the interval whose width kappa is; a test has the error that it leaves.
    same_cases : bool
        Whether both models are evaluated on the same cases.
    """

    metric: str
    difference: float
    prevalence: float
    at: float
    n: int
    positives: int
    kappa: float
    mc_error: float
    method: str
    curve: tuple[tuple[int, float], ...]
    design: str = "cohort"
    confidence_level: float = 0.95
    same_cases: bool = False
    picture: ClassVar[str] = "plot_plan"

    @property
    def power(self) -> float:
        """Probability that a two-sided test of two such models shows the difference, from the normal approximation.

        An interval as wide as the difference has a standard error of difference / (2 z); that of two models is
        sqrt(2) times as large, so the power is 79% at a level of 95%.
        """
        z = quantile(self.confidence_level)
        return float(ndtr(math.sqrt(2) * z * self.difference / self.kappa - z))

    @property
    def sentence(self) -> str:
        """The answer in words."""
        place = f"prevalence {self.prevalence:.3g}, {self.design}"
        cases = f"{self.n:,} cases, {self.positives:,} of them positive ({place})"
        whose = "both models are evaluated on the same" if self.same_cases else "each model is evaluated on its own"
        error, near = f"{1 - self.confidence_level:.2g}", f"models near AUROC {self.at:.3g}"
        return (
            f"If {whose} {cases}, kappa of {self.metric} is {number_text(self.kappa, 4)} ({self.method}), and a test "
            f"at the {error} level shows a difference of {self.difference:g} between {near} with a power of about "
            f"{self.power:.0%}."
        )

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        curve = [list(point) for point in self.curve]
        return {**vars(self), "curve": curve, "power": self.power, "sentence": self.sentence}

    def to_frame(self) -> Any:
        """Return the curve as a data frame."""
        return frame_of([{"n": n, "kappa": kappa} for n, kappa in self.curve])

    def __index__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return self.sentence


def resolving_plan(
    study: Study, goal: StudyGoal, method: str, n_samples: int, rng: int, progress: Progress | None
) -> DifferencePlan:
    """Find the smallest n with kappa <= difference, for models with a test set of their own each."""
    difference = _difference(goal)
    check_choice(method, "method", ("auto", "asymptotic", "full"))
    theory = _AsymptoticKappa(study, goal.level)
    n = theory.smallest(difference)
    kappa, error, used = theory.kappa(n), 0.0, "asymptotic"
    if method == "full" or (method == "auto" and not theory.is_enough(n)):
        how: dict[str, Any] = {"n_samples": n_samples, "confidence_level": goal.level, "rng": rng}
        n, kappa, error = _by_simulation(theory, n, difference, how | {"progress": progress})
        used = "full"
    elif (
        not is_auroc(theory.metric)
        and hasattr(study.model, "table")
        and is_tied(study.model, study.at[0], theory.sizes(n))
    ):
        raise ArgumentError(f"{theory.metric.name} has no resolution here: {TIED}.")
    curve = tuple((each, theory.kappa(each)) for each in _sizes_around(n, theory.rarer))
    asked = theory.metric.name, difference, theory.prevalence, study.at[0]
    return DifferencePlan(
        *asked, n, theory.sizes(n).positives, kappa, error, used, curve, study.sizes.design, goal.level
    )


def _difference(goal: StudyGoal) -> float:
    if goal.difference is None:
        raise ArgumentError("say what is to be reached: `difference`, `width` or `power`.")
    if not 0 < goal.difference < 1:
        raise ArgumentError(
            f"`difference` must lie between 0 and 1 on the scale of the AUROC; got {goal.difference:g}."
        )
    return goal.difference


def _sizes_around(n: int, rarer: float) -> list[int]:
    return [int(each) for each in np.geomspace(max(n / 16, 40 / rarer), n * 16, 33)]


def resolving_plan_on_same_cases(spread: RankingErrors, goal: StudyGoal) -> DifferencePlan:
    """Find the smallest n with which two models on the same cases are resolved: kappa of their difference."""
    difference = _difference(goal)
    scale = (
        math.sqrt(2) * goal.z * difference / spread.effect(difference)
    )  # to the width of one model's interval, as AUROC
    at_million = scale * spread.between(difference, 10**6)[1]
    rarer = min(spread.prevalence, 1 - spread.prevalence)
    n = max(math.ceil(10**6 * (at_million / difference) ** 2), math.ceil(2 / rarer))

    def kappa(size: int) -> float:
        return at_million * math.sqrt(10**6 / size)

    curve = tuple((each, kappa(each)) for each in _sizes_around(n, rarer))
    error = kappa(n) / math.sqrt(2 * SAMPLES_OF_PAIRS)
    return DifferencePlan(
        metric=spread.metric.name,
        difference=difference,
        prevalence=spread.prevalence,
        at=spread.at,
        n=n,
        positives=round(n * spread.prevalence),
        kappa=kappa(n),
        mc_error=error,
        method="simulated",
        curve=curve,
        design=spread.design,
        confidence_level=goal.level,
        same_cases=True,
    )


class _AsymptoticKappa:
    """kappa as a function of the sample size, from theory."""

    def __init__(self, study: Study, confidence_level: float) -> None:
        self.study, self.metric, self.prevalence = study, study.metrics[0], study.sizes.prevalence
        self.rarer = min(self.prevalence, 1 - self.prevalence)
        self._population = study.model.population_at(study.at[0])
        # Of the interval in standard deviations, times the slope of the signal curve.
        self._width = 2 * quantile(confidence_level) * abs(study.slopes(study.at[0])[self.metric.name])
        if not math.isfinite(self._width):
            raise ArgumentError(f"{self.metric.name} does not respond to quality here, so no sample is large enough.")

    def sizes(self, n: int) -> ClassSizes:
        """Of a sample of n cases."""
        return ClassSizes.of(n, self.prevalence, self.study.sizes.design)

    def is_enough(self, n: int) -> bool:
        """Whether theory can be trusted with n cases."""
        sizes = self.sizes(n)
        return min(sizes.classes) >= _ENOUGH_FOR_AUROC if is_auroc(self.metric) else sizes.positives >= _THEORY_ENOUGH

    def kappa(self, n: int) -> float:
        """Return the resolution with n cases."""
        return self._width * standard_error(self._population, self.metric, self.sizes(n))

    def smallest(self, difference: float) -> int:
        """Theory says kappa is proportional to 1/sqrt(n); the last few cases are found one by one."""
        start = max(4, math.ceil(2 / self.rarer))
        guess = max(start, int((self.kappa(10**6) / difference) ** 2 * 10**6))
        if guess > _MOST:
            raise ArgumentError(f"resolving {difference:g} would need more than {_MOST:,} cases.")
        if not is_auroc(self.metric):
            return guess + 1
        low, high = max(start - 1, guess // 2), max(2 * guess, start)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.kappa(middle) <= difference else (middle, high)
        return high


def _by_simulation(
    theory: _AsymptoticKappa, n: int, difference: float, how: dict[str, Any]
) -> tuple[int, float, float]:
    """Change n until the simulated kappa is just below the difference; the same seed keeps the steps comparable."""
    study, best, smallest = theory.study, None, math.ceil(2 / theory.rarer)
    asked = {"prevalence": theory.prevalence, "quality": study.at[0], "design": study.sizes.design, **how}
    for _ in range(8):
        n = max(n, smallest)
        resolution = resolving_power(study.model, [theory.metric], n=n, **asked)[theory.metric.name]
        if not math.isfinite(resolution.kappa):
            raise ArgumentError(f"{resolution.metric} has no resolution here: {resolution.undefined}.")
        if resolution.kappa <= difference and (best is None or n < best[0]):
            best = (n, resolution.kappa, resolution.mc_error)
        ratio = resolution.kappa / difference
        if best is not None and (1 - _CLOSE < ratio <= 1 or n == smallest):
            return best
        n = math.ceil(n * ratio**2 * 1.002)
    if best is None:
        raise ArgumentError(
            f"no sample size was found at which {resolution.metric} resolves {difference:g}; at n = {n:,} its "
            f"kappa is {resolution.kappa:.4g}."
        )
    return best

"""How many cases a test set needs before a metric can tell two classifiers apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unconfuse._doors import Pictured
from unconfuse._errors import ArgumentError
from unconfuse._plain import frame_of, number_text
from unconfuse._validate import check_choice, check_number
from unconfuse.metrics.influence import is_auroc, quantile
from unconfuse.resolving.asymptotic import Sizes, standard_error
from unconfuse.resolving.noise import Progress
from unconfuse.resolving.power import resolving_power
from unconfuse.resolving.study import Study, Wanted, as_model

_MOST = 10**10
_THEORY_ENOUGH = 1000  # positives from which theory and simulation agree to about 2%
_CLOSE = 0.01


@dataclass(frozen=True)
class Plan(Pictured):
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
    picture: ClassVar[str] = "plot_plan"

    @property
    def sentence(self) -> str:
        """The answer in words."""
        return (
            f"To tell classifiers of AUROC {self.at:.3g} apart that differ by {self.difference:g}, {self.metric} needs "
            f"{self.n:,} cases, {self.positives:,} of them positive ({self.prevalence:.3g}): kappa is then "
            f"{number_text(self.kappa, 4)} ({self.method})."
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "curve": [list(point) for point in self.curve], "sentence": self.sentence}

    def to_frame(self) -> Any:
        """The curve as a data frame."""
        return frame_of([{"n": n, "kappa": kappa} for n, kappa in self.curve])

    def __index__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return self.sentence


def plan(
    model: Any,
    *,
    metric: Wanted = "auroc",
    difference: float,
    prevalence: float | None = None,
    at: float | None = None,
    method: str = "auto",
    n_samples: int = 10_000,
    design: str = "case-control",
    confidence_level: float = 0.95,
    rng: int = 0,
    progress: Progress | None = None,
) -> Plan:
    """The smallest number of cases with which a metric resolves a difference: kappa <= difference.

    Parameters
    ----------
    model : sampling model
    metric : name, Metric or function of a score table
    difference : float
        On the scale of the AUROC.
    prevalence : float, optional
        Share of positives; that of the data by default, if the model holds data.
    at : float, optional
        AUROC of the classifiers; that of the data by default, else 0.75.
    method : {"auto", "asymptotic", "full"}
        "auto" trusts theory where it finds at least 1,000 positives, and simulates otherwise.
    n_samples, design, confidence_level, rng, progress
        As in `resolving_power`.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.plan(uc.Binormal(), metric="auroc", difference=.01, prevalence=.1)
    >>> found.n, found.positives
    (98646, 9865)
    """
    wanted = check_number(difference, "difference")
    if not 0 < wanted < 1:
        raise ArgumentError(f"`difference` must lie between 0 and 1 on the scale of the AUROC; got {wanted:g}.")
    check_choice(method, "method", ("auto", "asymptotic", "full"))
    model = as_model(model)
    quality = at if at is not None else model.default_at[0] if hasattr(model, "table") else 0.75
    study = Study(model, [metric], n=1e6, prevalence=prevalence, at=quality, design=design)
    theory = _Theory(study, confidence_level)
    n = theory.smallest(wanted)
    kappa, error, used = theory.kappa(n), 0.0, "asymptotic"
    if method == "full" or (method == "auto" and theory.sizes(n).positives < _THEORY_ENOUGH):
        how: dict[str, Any] = {"n_samples": n_samples, "confidence_level": confidence_level, "rng": rng}
        n, kappa, error = _by_simulation(theory, n, wanted, how | {"progress": progress})
        used = "full"
    sizes = np.geomspace(max(n / 16, 40 / theory.rarer), n * 16, 33).astype(int).tolist()
    curve = tuple((each, theory.kappa(each)) for each in sizes)
    asked = theory.metric.name, wanted, theory.prevalence, study.at[0]
    return Plan(*asked, n, theory.sizes(n).positives, kappa, error, used, curve)


class _Theory:
    """kappa as a function of the sample size, from theory."""

    def __init__(self, study: Study, confidence_level: float) -> None:
        self.study, self.metric, self.prevalence = study, study.metrics[0], study.sizes.prevalence
        self.rarer = min(self.prevalence, 1 - self.prevalence)
        self._population = study.model.population_at(study.at[0])
        # Of the interval in standard deviations, times the slope of the signal curve.
        self._width = 2 * quantile(confidence_level) * abs(study.slopes(study.at[0])[self.metric.name])
        if not math.isfinite(self._width):
            raise ArgumentError(f"{self.metric.name} does not respond to quality here, so no sample is large enough.")

    def sizes(self, n: int) -> Sizes:
        """Of a sample of n cases."""
        return Sizes.of(n, self.prevalence, self.study.sizes.design)

    def kappa(self, n: int) -> float:
        """The resolution with n cases."""
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


def _by_simulation(theory: _Theory, n: int, difference: float, how: dict[str, Any]) -> tuple[int, float, float]:
    """Change n until the simulated kappa is just below the difference; the same seed keeps the steps comparable."""
    study, best, smallest = theory.study, None, math.ceil(2 / theory.rarer)
    asked = {"prevalence": theory.prevalence, "at": study.at[0], "design": study.sizes.design, **how}
    for _ in range(8):
        n = max(n, smallest)
        found = resolving_power(study.model, [theory.metric], n=n, **asked)[theory.metric.name]
        if not math.isfinite(found.kappa):
            raise ArgumentError(f"{found.metric} has no resolution here: {found.undefined}.")
        if found.kappa <= difference and (best is None or n < best[0]):
            best = (n, found.kappa, found.mc_error)
        ratio = found.kappa / difference
        if best is not None and (1 - _CLOSE < ratio <= 1 or n == smallest):
            return best
        n = math.ceil(n * ratio**2 * 1.002)
    if best is None:
        raise ArgumentError(
            f"no sample size was found at which {found.metric} resolves {difference:g}; at n = {n:,} its "
            f"kappa is {found.kappa:.4g}."
        )
    return best

"""How many cases a test set needs before a metric can tell two classifiers apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unconfuse._doors import Pictured
from unconfuse._errors import ArgumentError, argument
from unconfuse._plain import frame_of, number_text, strict_json
from unconfuse._validate import check_choice, check_number, check_probability, check_seed, in_words
from unconfuse.metrics import Metric, find_metric
from unconfuse.metrics.influence import is_auroc, quantile
from unconfuse.resolving.asymptotic import Sizes, standard_error
from unconfuse.resolving.noise import Progress
from unconfuse.resolving.power import TIED, resolving_power
from unconfuse.resolving.rates import has_rates as _has_rates
from unconfuse.resolving.rates import rates_of
from unconfuse.resolving.sample_sizes import Goal, SampleSize, sample_size
from unconfuse.resolving.spreads import SAMPLES_OF_PAIRS, Decisions, Rankings
from unconfuse.resolving.study import Study, Wanted, as_model, usual_quality
from unconfuse.resolving.winning import is_tied

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

    @strict_json
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


@in_words
def plan(
    model: Any = None,
    *,
    metric: Wanted = "auroc",
    difference: float | None = None,
    width: float | None = None,
    power: float | None = None,
    margin: float | None = None,
    null: float | None = None,
    prevalence: float | None = None,
    at: float | None = None,
    threshold: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    paired: float | None = None,
    icc: float | None = None,
    group_size: float | None = None,
    method: str | None = None,
    n_samples: int | None = None,
    design: str | None = None,
    confidence_level: float = 0.95,
    rng: int = 0,
    progress: Progress | None = None,
) -> Plan | SampleSize:
    """The smallest number of cases with which a metric resolves a difference, or reaches another goal.

    With `difference` alone: kappa <= difference. With `width`: the interval is no wider. With `power`: a test shows,
    with this probability, that the metric differs from `null`, that two models differ by `difference`, or that a model
    is worse than another by less than `margin`.

    Parameters
    ----------
    model : sampling model, data, score table, Evaluation or Counts, optional
        Where scores or decisions come from; not needed for decisions if `sensitivity` and `specificity` are given.
    metric : name, Metric or function of a score table
        Decisions too: "sensitivity", "accuracy", "f1", "mcc", "net_benefit(0.1)", ...
    difference : float, optional
        Between two models: of decisions, on the metric's own scale; of rankings, on the scale of the AUROC.
    width, power, margin, null : float, optional
        The goal, see above. The margin and the null are on the metric's own scale.
    prevalence : float, optional
        Share of positives; that of the data by default, if the model holds data.
    at : float, optional
        AUROC of the classifiers; that of the data or distributions given by default, else 0.75.
    threshold : float, optional
        At which scores become decisions; that with the highest Youden J by default.
    sensitivity, specificity : float, optional
        Of the decisions, instead of a model.
    paired : float, optional
        Both models are judged on the same cases, and their scores (or decisions) have this correlation within each
        class. Without it each model has a test set of its own.
    icc, group_size : float, optional
        Correlation within groups and cases of a group, if cases come in groups.
    method : {"auto", "asymptotic", "full"}
        For kappa: "auto" trusts theory where it finds at least 1,000 positives, and simulates otherwise.
    n_samples, rng, progress
        As in `resolving_power`, where something is simulated.
    design : {"case-control", "cohort"}
        Whether the number of positives is fixed; by default it is for rankings, and not for decisions.
    confidence_level : float
        Of the interval; tests have the error that it leaves.

    Returns
    -------
    Plan or SampleSize

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.plan(uc.Binormal(), metric="auroc", difference=.01, prevalence=.1)
    >>> found.n, found.positives
    (98646, 9865)
    >>> uc.plan(metric="sensitivity", sensitivity=.9, width=.1, prevalence=.2).n
    705
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    numbers = _checked({"width": width, "power": power, "margin": margin}, icc, group_size)
    _one_goal(width=width, null=null, margin=margin, difference=difference, paired=paired)
    goal = Goal(null=_number(null, "null"), difference=_number(difference, "difference"), level=level, **numbers)
    wanted = metric if isinstance(metric, Metric) else find_metric(metric) if isinstance(metric, str) else None
    asked = {"n_samples": n_samples, "progress": progress, "method": method}
    if wanted is not None and wanted.of == "counts":
        refuse_given(asked | {"at": at} if _has_rates(model) else asked, "decisions need no simulation")
        if icc is None and getattr(getattr(model, "sample", None), "is_clustered", False):
            alike = f"{argument('icc')} and {argument('group_size')}"
            raise ArgumentError(f"these cases come in groups. Hint: say how alike they are, {alike}.")
        words = {"threshold": threshold, "sensitivity": sensitivity, "specificity": specificity}
        rates = rates_of(model, prevalence=prevalence, at=at, **words)
        decisions = Decisions(wanted, *rates[:3], _design(design), _correlation(paired))
        if model is None and None in (sensitivity, specificity):
            decisions.check_enough("specificity" if specificity is None else "sensitivity")
        return sample_size(decisions, goal, _assumed(goal, paired, rates[3]))
    words = {"threshold": threshold, "sensitivity": sensitivity, "specificity": specificity}
    refuse_given(words, "is for metrics of decisions")
    if model is None:
        raise ArgumentError(
            "`model` is missing: say where scores come from, such as uc.Binormal() or uc.Empirical(y, s)."
        )
    model = as_model(model)
    quality = usual_quality(model) if at is None else at
    study = Study(model, [metric], n=1e6, prevalence=prevalence, at=quality, design=design or "case-control")
    if goal.width is None and goal.power is None and paired is None:
        refuse_given({"margin": margin, "null": null}, "goes with `power`")
        refuse_given({"icc": icc, "group_size": group_size}, "goes with `width` or `power`")
        return _resolving(study, goal, method or "auto", n_samples or 10_000, rng, progress)
    refuse_given(asked, "is for kappa of models with a test set of their own each")
    place = study.metrics[0], study.model, study.at[0], study.sizes.prevalence, study.sizes.design
    spread = Rankings(*place, _correlation(paired), check_seed(rng))
    if goal.width is None and goal.power is None:
        refuse_given({"margin": margin, "null": null}, "goes with `power`")
        return _resolving_on_same_cases(spread, goal)
    return sample_size(spread, goal, _assumed(goal, paired, f"AUROC {study.at[0]:.3g}"))


def _checked(goals: dict[str, float | None], icc: float | None, group_size: float | None) -> dict[str, Any]:
    """Numbers of a goal, in their ranges."""
    found: dict[str, Any] = {}
    for name, given in goals.items():
        found[name] = None if given is None else check_probability(given, name, open_interval=True)
    if found["width"] is not None and found["power"] is not None:
        raise ArgumentError("`width` and `power` are two goals. Hint: plan for each, and take the larger n.")
    if found["margin"] is not None and found["power"] is None:
        raise ArgumentError("`margin` goes with `power`: the probability with which non-inferiority is to be shown.")
    if (icc is None) != (group_size is None):
        raise ArgumentError("`icc` and `group_size` go together: correlation within groups, and cases of a group.")
    if icc is not None and group_size is not None:
        found["icc"] = check_probability(icc, "icc")
        if (size := check_number(group_size, "group_size")) < 1:
            raise ArgumentError(f"`group_size` must be at least 1; got {size:g}.")
        found["group_size"] = size
    return found


def _one_goal(**given: float | None) -> None:
    """What belongs to another goal is refused."""
    if given["width"] is not None:
        others = {name: each for name, each in given.items() if name != "width"}
        refuse_given(others, "the width is that of one model's interval")
    if given["null"] is not None:
        others = {name: given[name] for name in ("margin", "difference", "paired")}
        refuse_given(others, "one model is compared with the number that `null` says")


def _design(given: str | None) -> str:
    return "cohort" if given is None else check_choice(given, "design", ("case-control", "cohort"))


def _number(value: float | None, name: str) -> float | None:
    return None if value is None else check_number(value, name)


def _correlation(paired: float | None) -> float | None:
    if paired is not None and not -1 < check_number(paired, "paired") < 1:
        raise ArgumentError(f"`paired` is a correlation between -1 and 1; got {paired:g}.")
    return paired


def refuse_given(arguments: dict[str, Any], why: str) -> None:
    """No argument is ignored: those that were given and mean nothing here are refused."""
    for name, given in arguments.items():
        if given is not None:
            raise ArgumentError(f"`{name}` does not apply: {why}.")


def _assumed(goal: Goal, paired: float | None, place: str) -> str:
    """What was taken for granted, in words."""
    if goal.width is not None or goal.null is not None:
        return f"Assumed: {place}."
    same = "each model has a test set of its own" if paired is None else f"the same cases, correlation {paired:g}"
    return f"Assumed: {place}; {same}."


def _resolving(study: Study, goal: Goal, method: str, n_samples: int, rng: int, progress: Progress | None) -> Plan:
    """The smallest n with kappa <= difference, for models with a test set of their own each."""
    wanted = _difference(goal)
    check_choice(method, "method", ("auto", "asymptotic", "full"))
    theory = _Theory(study, goal.level)
    n = theory.smallest(wanted)
    kappa, error, used = theory.kappa(n), 0.0, "asymptotic"
    if method == "full" or (method == "auto" and theory.sizes(n).positives < _THEORY_ENOUGH):
        how: dict[str, Any] = {"n_samples": n_samples, "confidence_level": goal.level, "rng": rng}
        n, kappa, error = _by_simulation(theory, n, wanted, how | {"progress": progress})
        used = "full"
    elif (
        not is_auroc(theory.metric)
        and hasattr(study.model, "table")
        and is_tied(study.model, study.at[0], theory.sizes(n))
    ):
        raise ArgumentError(f"{theory.metric.name} has no resolution here: {TIED}.")
    curve = tuple((each, theory.kappa(each)) for each in _sizes_around(n, theory.rarer))
    asked = theory.metric.name, wanted, theory.prevalence, study.at[0]
    return Plan(*asked, n, theory.sizes(n).positives, kappa, error, used, curve)


def _difference(goal: Goal) -> float:
    if goal.difference is None:
        raise ArgumentError(
            "say what is to be reached: `difference=` to resolve, `width=` of the interval, or `power=`."
        )
    if not 0 < goal.difference < 1:
        raise ArgumentError(
            f"`difference` must lie between 0 and 1 on the scale of the AUROC; got {goal.difference:g}."
        )
    return goal.difference


def _sizes_around(n: int, rarer: float) -> list[int]:
    return [int(each) for each in np.geomspace(max(n / 16, 40 / rarer), n * 16, 33)]


def _resolving_on_same_cases(spread: Rankings, goal: Goal) -> Plan:
    """The smallest n with which two models on the same cases are resolved: kappa of their difference."""
    wanted = _difference(goal)
    scale = math.sqrt(2) * goal.z * wanted / spread.effect(wanted)  # to the width of one model's interval, as AUROC
    at_million = scale * spread.between(wanted, 10**6)[1]
    rarer = min(spread.prevalence, 1 - spread.prevalence)
    n = max(math.ceil(10**6 * (at_million / wanted) ** 2), math.ceil(2 / rarer))

    def kappa(size: int) -> float:
        return at_million * math.sqrt(10**6 / size)

    curve = tuple((each, kappa(each)) for each in _sizes_around(n, rarer))
    error = kappa(n) / math.sqrt(2 * SAMPLES_OF_PAIRS)
    asked = spread.metric.name, wanted, spread.prevalence, spread.at
    return Plan(*asked, n, round(n * spread.prevalence), kappa(n), error, "same cases, simulated", curve)


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

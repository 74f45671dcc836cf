"""How much a metric varies from test set to test set: what planning needs to know, for decisions and for rankings.

Decisions: with n cases the four cells of a table, or the eight of two models on the same cases, are multinomial, and
every metric of them is smooth. Rankings: from influence functions, exact for the AUROC; two models on the same cases
are simulated.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import expit, logit
from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import is_auroc
from unconfuse.resolving.asymptotic import ClassSizes, standard_error
from unconfuse.resolving.score_sampling import draw, draw_both
from unconfuse.resolving.signal_curve import value_of
from unconfuse.resolving.win_probability import PopulationPair
from unconfuse.table import Array, Counts, parse_design
from unconfuse.uncertainty.proportion_intervals import wilson

Errors = tuple[float, float]  # standard errors if the null hypothesis holds, and if it does not
_STEP = 1e-6
SAMPLES_OF_PAIRS, _SIZE = 2000, 2000  # of a simulation, whose error shrinks with the root of the cases from there
_TINY = 1e-4
_LARGEST = 200_000  # cases of a simulated sample; from there on errors shrink with the root of the cases
_TRUSTED = math.log(1.1)  # theory farther off than this is corrected: over four errors of the simulation


class StandardErrorModel(ABC):
    """A metric's value, and its standard errors in samples of n cases."""

    metric: Metric
    value: float
    prevalence: float
    design: str
    remark = ""

    def holds_at(self, n: int) -> bool:
        """Whether the standard errors hold with n cases; what does not is corrected."""
        return True

    @abstractmethod
    def width(self, n: int, level: float, z: float) -> float:
        """Width of its interval."""

    @abstractmethod
    def against(self, null: float, n: int) -> Errors:
        """Return the standard errors where the metric is compared with a number."""

    @abstractmethod
    def between(self, difference: float, n: int) -> Errors:
        """Return the standard errors of the difference of two models."""

    @abstractmethod
    def effect(self, difference: float) -> float:
        """Return the difference on the metric's own scale."""


@dataclass(frozen=True)
class DecisionErrors(StandardErrorModel):
    """A metric of decisions with these rates."""

    metric: Metric
    sensitivity: float
    specificity: float
    prevalence: float
    design: str
    correlation: float | None = None

    @property
    def value(self) -> float:  # type: ignore[override]
        """With infinitely many cases."""
        return self._value(self.sensitivity, self.specificity)

    def _value(self, sensitivity: float, specificity: float) -> float:
        return _of_cells(self.metric, _cells(sensitivity, specificity, self.prevalence))

    def check_enough(self, missing: str) -> None:
        """Check that a rate that was not given does not matter."""
        rates = {"sensitivity": self.sensitivity, "specificity": self.specificity}
        if abs(self._value(**rates | {missing: 0.4}) - self._value(**rates | {missing: 0.6})) > 1e-12:
            raise ArgumentError(f"`{missing}` is missing: {self.metric.name} depends on it.")

    @property
    def _cells(self) -> Array:
        return _cells(self.sensitivity, self.specificity, self.prevalence)

    def _trials(self) -> float:
        """Which share of all cases a proportion counts; NaN if the metric is none."""
        if self.metric.inference.fraction is None:
            return math.nan
        tp, fp, fn, tn = self._cells
        return float(self.metric.inference.fraction(Counts(tp=tp, fp=fp, fn=fn, tn=tn))[1])

    def _one(self) -> float:
        return _variance(lambda cells: _of_cells(self.metric, cells), self._cells, _OF_FOUR, self.design)

    def width(self, n: int, level: float, z: float) -> float:
        """Wilson's for proportions, else of the normal approximation."""
        trials = n * self._trials()
        if math.isfinite(trials):
            low, high = wilson(self.value * trials, trials, confidence_level=level)
            return float(high - low)
        return 2 * z * math.sqrt(self._one() / n)

    def against(self, null: float, n: int) -> Errors:
        """Return the standard errors against a number: a proportion's variance is known if the null holds."""
        own, trials = math.sqrt(self._one() / n), n * self._trials()
        return (math.sqrt(null * (1 - null) / trials), own) if math.isfinite(trials) else (own, own)

    def other(self, difference: float) -> tuple[float, float]:
        """Sensitivity and specificity of a model that is better by so much, both moved alike on their log-odds."""
        from scipy.optimize import brentq

        wanted = self.value + (-difference if self.metric.better == "lower" else difference)

        def rates(move: float) -> tuple[float, float]:
            return float(expit(logit(self.sensitivity) + move)), float(expit(logit(self.specificity) + move))

        def gap(move: float) -> float:
            return self._value(*rates(move)) - wanted

        if gap(-20.0) * gap(20.0) > 0:
            raise ArgumentError(
                f"no model has {self.metric.name} {wanted:.4g}, {difference:g} better than {self.value:.4g}."
            )
        return rates(float(brentq(gap, -20.0, 20.0, xtol=1e-12)))

    def effect(self, difference: float) -> float:
        """Return the size of the difference, which is on the metric's own scale already."""
        return abs(difference)

    def between(self, difference: float, n: int) -> Errors:
        """McNemar's where decisions on the same cases are right or wrong, else by the eight cells."""
        second = self.other(difference) if difference else (self.sensitivity, self.specificity)
        if self.correlation is None:
            apart = DecisionErrors(self.metric, *second, self.prevalence, self.design)
            both = math.sqrt((self._one() + apart._one()) / n)
            trials = n * self._trials()
            middle = (self.value + apart.value) / 2
            null = math.sqrt(2 * middle * (1 - middle) / trials) if math.isfinite(trials) else both
            return null, both
        return self._on_same_cases(second, n, self.correlation)

    def _on_same_cases(self, second: tuple[float, float], n: int, correlation: float) -> Errors:
        of_positives = _joint(self.sensitivity, second[0], correlation)
        of_negatives = _joint(1 - self.specificity, 1 - second[1], correlation)
        cells = np.concatenate([self.prevalence * of_positives, (1 - self.prevalence) * of_negatives])
        own = math.sqrt(_variance(self._difference, cells, _OF_EIGHT, self.design) / n)
        counted = {"all": np.ones(8, dtype=bool), "positives": _OF_EIGHT, "negatives": ~_OF_EIGHT}.get(
            self.metric.inference.paired
        )
        if counted is None:
            return own, own
        shares = cells * _DISAGREE
        trials = float(cells[counted].sum())
        return math.sqrt(float(shares[counted].sum()) / n) / trials, own

    def _difference(self, cells: Array) -> float:
        """Of two models, from the cells (truth, first decision, second decision)."""
        tp, fp = cells[[0, 1]].sum(), cells[[4, 5]].sum()
        first = np.array([tp, fp, cells[:4].sum() - tp, cells[4:].sum() - fp])
        tp, fp = cells[[0, 2]].sum(), cells[[4, 6]].sum()
        second = np.array([tp, fp, cells[:4].sum() - tp, cells[4:].sum() - fp])
        return _of_cells(self.metric, second) - _of_cells(self.metric, first)


_OF_FOUR = np.array([True, False, True, False])  # tp, fp, fn, tn: which are positive
_OF_EIGHT = np.arange(8) < 4
_DISAGREE = np.array([0, 1, 1, 0, 0, 1, 1, 0.0])


def _cells(sensitivity: float, specificity: float, prevalence: float) -> Array:
    """Probabilities of tp, fp, fn and tn."""
    up, down = prevalence, 1 - prevalence
    return np.array([up * sensitivity, down * (1 - specificity), up * (1 - sensitivity), down * specificity])


def _of_cells(metric: Metric, cells: Array) -> float:
    tp, fp, fn, tn = cells
    return float(metric(Counts(tp=tp, fp=fp, fn=fn, tn=tn)))


def _joint(first: float, second: float, correlation: float) -> Array:
    """Chances that both say positive, only the first, only the second, neither."""
    both = first * second + correlation * math.sqrt(first * (1 - first) * second * (1 - second))
    found = np.array([both, first - both, second - both, 1 - first - second + both])
    if found.min() < -1e-12:
        raise ArgumentError(
            f"decisions that are positive with {first:.3g} and {second:.3g} cannot have a correlation of "
            f"{correlation:g}. Hint: take one nearer to 0."
        )
    return np.asarray(np.maximum(found, 0.0))


def _variance(function: Any, cells: Array, is_positive: Any, design: str) -> float:
    """Of a smooth function of multinomial cells, times the number of cases."""
    steps = _STEP * np.eye(len(cells))
    slope = np.array([(function(cells + step) - function(cells - step)) / (2 * _STEP) for step in steps])
    if not parse_design(design):
        return float(cells @ slope**2 - (cells @ slope) ** 2)
    parts = ((cells[of], slope[of]) for of in (is_positive, ~is_positive))
    return sum(float(p @ g**2 - (p @ g) ** 2 / p.sum()) for p, g in parts)


@dataclass(frozen=True, eq=False)
class RankingErrors(StandardErrorModel):
    """A metric of scores, at a quality of a sampling model."""

    metric: Metric
    model: Any
    at: float
    prevalence: float
    design: str
    correlation: float | None = None
    seed: int = 0
    _known: dict[float, float] = field(default_factory=dict, repr=False)
    _theory: dict[str, float] = field(default_factory=lambda: {"factor": 1.0}, repr=False)

    @property
    def value(self) -> float:  # type: ignore[override]
        """With infinitely many cases."""
        return self._value(self.at)

    @property
    def remark(self) -> str:  # type: ignore[override]
        """What simulated samples say about theory, if that is worth a word."""
        factor = self._theory["factor"]
        return "" if factor == 1 else f" Simulated samples vary {factor:.3g} times as much as theory says."

    def holds_at(self, n: int) -> bool:
        """Theory beside simulated samples: a metric may bend within its interval, or have a kink.

        An expected calibration error of 0, for one, cannot get smaller, whichever way the bins err: where bias rules,
        an interval is not as wide as samples scatter (three times as wide), so that no plan is made.
        """
        if is_auroc(self.metric):
            return True
        sizes = ClassSizes.of(min(n, max(_LARGEST, 200 / min(self.prevalence, 1 - self.prevalence))), *self._how)
        population = self.model.population_at(self.at)
        values = draw(population, [self.metric], sizes, SAMPLES_OF_PAIRS, self.seed)[self.metric.name]
        scatter, bias = float(np.nanstd(values, ddof=1)), abs(float(np.nanmean(values)) - self.value)
        seen = scatter / standard_error(population, self.metric, sizes)
        if not np.isfinite(seen) or abs(math.log(seen / self._theory["factor"])) <= _TRUSTED:
            return True
        if bias > scatter:
            raise ArgumentError(
                f"{self.metric.name} cannot be planned here: among {sizes.n:,} cases it is off by {bias:.3g} on "
                f"average (from {self.value:.3g}), more than its standard deviation of {scatter:.3g}. "
                "Hint: plan for a metric with less bias, such as 'calibration_slope' or 'brier'."
            )
        self._theory["factor"] = seen
        return False

    @property
    def _how(self) -> tuple[float, str]:
        return self.prevalence, self.design

    def _value(self, at: float) -> float:
        return value_of(self.model.population_at(at), self.metric, self.prevalence)

    def _error(self, at: float, n: int) -> float:
        error = standard_error(self.model.population_at(at), self.metric, ClassSizes.of(n, *self._how))
        return self._theory["factor"] * error

    def width(self, n: int, level: float, z: float) -> float:
        """Of the normal approximation."""
        return 2 * z * self._error(self.at, n)

    def against(self, null: float, n: int) -> Errors:
        """Return the standard errors against a number: the AUROC's error is known at any value."""
        error = self._error(self.at, n)
        return (self._error(null, n) if self.metric.name == "auroc" else error), error

    def effect(self, difference: float) -> float:
        """Return the difference on the metric's own scale that a difference of AUROCs makes."""
        return abs(self._value(self.at + difference) - self.value)

    def between(self, difference: float, n: int) -> Errors:
        """From theory for models with a test set of their own each; simulated on the same cases."""
        if self.correlation is None:
            own = math.hypot(self._error(self.at, n), self._error(self.at + difference, n))
            return math.sqrt(2) * self._error(self.at, n), own
        size = max(_SIZE, math.ceil(200 / min(self.prevalence, 1 - self.prevalence)))
        if difference not in self._known:
            self._known[difference] = self._simulated(difference or _TINY, size)
        error = self._known[difference] * math.sqrt(size / n)
        return error, error

    def _simulated(self, difference: float, n: int) -> float:
        pair = PopulationPair(self.model.population_at(self.at), self.model.population_at(self.at + difference))
        sizes = ClassSizes.of(n, self.prevalence, self.design)
        first, second = draw_both(
            pair, [self.metric], sizes, SAMPLES_OF_PAIRS, self.seed, float(self.correlation or 0.0)
        )
        return float(np.nanstd(second[self.metric.name] - first[self.metric.name], ddof=1))

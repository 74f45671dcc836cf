"""Three ways to a resolution: simulated and mapped, simulated and straightened, and from theory alone."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from unconfuse._errors import UnconfuseWarning
from unconfuse.metrics import Metric
from unconfuse.metrics.influence import auroc_influence
from unconfuse.resolving.answers import Resolution
from unconfuse.resolving.asymptotic import standard_error
from unconfuse.resolving.noise import Progress, draw
from unconfuse.resolving.signal import SignalCurve, value_of
from unconfuse.resolving.study import Study
from unconfuse.table import Array

_BATCHES = 25  # of samples, whose kappas tell the Monte-Carlo error
_LINEAR_FAILS_BELOW = 200  # positives
PAPER_STEPS = (-0.001, 0.0, 0.001)
WIDER_STEPS = (-0.01, -0.005, 0.0, 0.005, 0.01)  # a single case can make a metric of a score table jump
Found = tuple[dict[str, Resolution], Mapping[str, Array]]


@dataclass(frozen=True)
class Recipe:
    """One quality of a study, and how to treat it."""

    study: Study
    curves: Mapping[str, SignalCurve]
    at: float
    level: float
    mapping: str
    n_samples: int
    seed: int
    progress: Progress | None

    def draw(self, metrics: Sequence[Metric]) -> dict[str, Array]:
        """Samples of the metrics at this quality."""
        population = self.study.model.population_at(self.at)
        sizes = self.study.sizes
        return draw(population, metrics, sizes, n_samples=self.n_samples, seed=self.seed, progress=self.progress)

    def value(self, metric: Metric) -> float:
        """The metric with infinitely many cases."""
        return value_of(self.study.model.population_at(self.at), metric, self.study.sizes.prevalence)

    def theory(self, metric: Metric) -> float:
        """Its standard deviation over samples, without sampling."""
        return standard_error(self.study.model.population_at(self.at), metric, self.study.sizes)


@dataclass(frozen=True)
class Mapped:
    """Limits of a metric, where they lie on the reference scale, and the distances there in each batch of samples."""

    limits: tuple[float, float]
    ends: tuple[float, float]
    kappas: Array
    clipped: str = ""
    problem: str | None = None

    @property
    def kappa(self) -> float:
        """The distance of the limits on the reference scale."""
        return abs(self.ends[1] - self.ends[0])


def simulated(recipe: Recipe) -> Found:
    """Quantiles of samples, mapped through the signal curve."""
    study = recipe.study
    drawn = recipe.draw(study.all_metrics)
    mapped = {each.name: _mapped(recipe, each, drawn[each.name]) for each in study.all_metrics}
    base = mapped[study.baseline.name]
    found = {}
    for each in study.all_metrics:
        own = mapped[each.name]
        found[each.name] = Resolution(
            each.name,
            recipe.at,
            recipe.value(each),
            *own.limits,
            *own.ends,
            sd=float(np.nanstd(drawn[each.name])),
            kappa=own.kappa,
            delta=own.kappa / base.kappa - 1,
            mc_error=_batch_error(own.kappas),
            delta_error=0.0 if each.name == study.baseline.name else _batch_error(own.kappas / base.kappas),
            clipped=own.clipped,
            undefined=own.problem,
        )
    return found, drawn


def _mapped(recipe: Recipe, metric: Metric, values: Array) -> Mapped:
    curve, defined = recipe.curves[metric.name], values[np.isfinite(values)]
    nowhere, unknown = (math.nan, math.nan), np.full(_BATCHES, np.nan)
    if len(defined) < 0.9 * len(values):
        return Mapped(nowhere, nowhere, unknown, problem=f"{metric.name} is undefined in many samples")
    tails = [(1 - recipe.level) / 2, (1 + recipe.level) / 2]
    limits = np.quantile(defined, tails)
    low, high = limits.tolist()
    batches = np.stack([np.quantile(each, tails) for each in np.array_split(defined, _BATCHES)])
    if recipe.study.is_reference(metric):
        return Mapped((low, high), (low, high), np.ptp(batches, axis=1))
    if curve.problem:
        return Mapped((low, high), nowhere, unknown, problem=curve.problem)
    start, end = sorted(curve.to_reference(limits, recipe.mapping).tolist())
    sides = ("low", "high") if curve.rises else ("high", "low")
    clipped = " and ".join(side for side, out in zip(sides, curve.clips(limits), strict=True) if out)
    return Mapped((low, high), (start, end), np.ptp(curve.to_reference(batches), axis=1), clipped)


def linear(recipe: Recipe) -> Found:
    """The paper's appendix A: 4 standard deviations times the slope of the signal curve."""
    study = recipe.study
    if study.sizes.positives < _LINEAR_FAILS_BELOW:
        warnings.warn(
            f"the linear method is far off with {study.sizes.positives} positives: intervals are skew, and signal "
            "curves bend within them. Use method='full'.",
            UnconfuseWarning,
            stacklevel=3,
        )
    drawn = recipe.draw(
        [each for each in study.all_metrics if each.influence is not auroc_influence]
    )  # whose deviation is known exactly
    sds = {
        each.name: float(np.nanstd(drawn[each.name], ddof=1)) if each.name in drawn else recipe.theory(each)
        for each in study.all_metrics
    }
    errors = {name: 1 / math.sqrt(2 * (recipe.n_samples - 1)) if name in drawn else 0.0 for name in sds}
    return _straight(recipe, sds, errors, 2.0, PAPER_STEPS), drawn


def theoretical(recipe: Recipe) -> Found:
    """Standard errors from theory, times the slope of the signal curve, times the normal quantiles."""
    sds = {each.name: recipe.theory(each) for each in recipe.study.all_metrics}
    z = float(ndtri((1 + recipe.level) / 2))
    return _straight(recipe, sds, dict.fromkeys(sds, 0.0), z, steps_for(recipe.study.model)), {}


def steps_for(model: object) -> tuple[float, ...]:
    """How far to look for the slope of a signal curve."""
    return WIDER_STEPS if hasattr(model, "table") else PAPER_STEPS


def _straight(
    recipe: Recipe, sds: Mapping[str, float], errors: Mapping[str, float], z: float, steps: Sequence[float]
) -> dict[str, Resolution]:
    """Intervals of z standard deviations on both sides, mapped along the tangent of the signal curve."""
    study, base = recipe.study, recipe.study.baseline.name
    here = study.place(recipe.at)
    kappas = {
        each.name: 2 * z * sds[each.name] * abs(study.slope(each, recipe.at, steps)) for each in study.all_metrics
    }
    found = {}
    for each in study.all_metrics:
        name, value, half = each.name, recipe.value(each), z * sds[each.name]
        problem = None if study.is_reference(each) else recipe.curves[name].problem
        kappa = math.nan if problem or not math.isfinite(kappas[name]) else kappas[name]
        found[name] = Resolution(
            name,
            recipe.at,
            value,
            value - half,
            value + half,
            here - kappa / 2,
            here + kappa / 2,
            sd=sds[name],
            kappa=kappa,
            delta=kappa / kappas[base] - 1,
            mc_error=kappa * errors[name],
            delta_error=0.0 if name == base else kappa / kappas[base] * math.hypot(errors[name], errors[base]),
            undefined=problem,
            method="linear" if any(errors.values()) else "asymptotic",
        )
    return found


def _batch_error(values: Array) -> float:
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


METHODS: Mapping[str, Callable[[Recipe], Found]] = {"full": simulated, "linear": linear, "asymptotic": theoretical}

"""Resolving power: the noise of each metric, divided by its signal, on one common scale.

Three ways to a resolution: simulated and mapped, simulated and straightened, and from theory alone.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from unconfuse._errors import UnconfuseWarning
from unconfuse._validate import check_choice, check_probability, check_whole
from unconfuse.metrics import Metric
from unconfuse.resolving.answers import Key, Resolution, ResolvingPower
from unconfuse.resolving.asymptotic import standard_error
from unconfuse.resolving.noise import Progress, draw
from unconfuse.resolving.signal import AnyPopulation, SignalCurve, batch_error, mapped, value_of
from unconfuse.resolving.study import Study, Wanted
from unconfuse.table import Array

_LINEAR_FAILS_BELOW = 200  # positives
_PAPER_STEPS = (-0.001, 0.0, 0.001)
_WIDER_STEPS = (-0.01, -0.005, 0.0, 0.005, 0.01)  # a single case can make a metric of a score table jump


def resolving_power(
    model: Any,
    metrics: Iterable[Wanted] | None = None,
    *,
    n: float | None = None,
    prevalence: float | None = None,
    at: float | Iterable[float] | None = None,
    n_samples: int = 10_000,
    method: str = "full",
    mapping: str = "interpolate",
    reference: str | Metric = "auroc",
    grid_start: float = 0.5,
    design: str = "case-control",
    confidence_level: float = 0.95,
    rng: int = 0,
    progress: Progress | None = None,
) -> ResolvingPower:
    """How well each metric tells classifiers of similar quality apart.

    Samples of the model say how much a metric scatters (its noise); a sequence of better and better classifiers says
    how much it responds (its signal). The interval of the metric over samples, mapped to the reference scale, has the
    width kappa: classifiers closer than that cannot be told apart. Its inverse is the resolving power.

    Parameters
    ----------
    model : Binormal, Uniform, Distributions, BetaMixture, Empirical or Path
        Where scores come from, and how a better classifier's scores look.
    metrics : names, Metric objects or functions of a score table, optional
        Threshold-free metrics; six usual ones by default.
    n, prevalence : float, optional
        Size and share of positives of a sample; those of the data by default, if the model holds data.
    at : float or several, optional
        Qualities of interest, as AUROC.
    n_samples : int
        Simulated samples at each quality.
    method : {"full", "linear", "asymptotic"}
        "full" maps simulated quantiles through the signal curve. "linear" is the paper's appendix A: 4 standard
        deviations times the slope of the curve. "asymptotic" needs no simulation: standard errors from theory, times
        the slope, times the normal quantiles; right for many positives.
    mapping : {"interpolate", "nearest"}
        "nearest" takes the nearest point of the published grids, to match the paper's tables digit for digit.
    reference : metric, "rank" or "overlap"
        The common scale: AUROC, another metric, the rank of the classifiers, or the Bhattacharyya coefficient.
    grid_start : float
        AUROC at which the signal curves begin. Limits that map to less are put there and reported as clipped, as in the
        paper; 0 maps them wherever they lead.
    design : {"case-control", "cohort"}
        Whether samples have fixed class sizes (as in the paper), or a random number of positives.
    confidence_level : float
    rng : int
        Seed.
    progress : callable, optional
        Called with (done, total) samples.

    Returns
    -------
    ResolvingPower

    References
    ----------
    Beam (2023), Resolving power: a general approach to compare the distinguishing ability of threshold-free evaluation
    metrics.

    Examples
    --------
    >>> import unconfuse as uc
    >>> rp = uc.resolving_power(uc.Binormal(), ["auroc", "average_precision"], n=10_000, prevalence=.1, at=.75,
    ...                         method="asymptotic")
    >>> rp["auroc"]
    auroc at AUROC 0.750: kappa 0.0314 [0.7343, 0.7657], resolving power 31.8
    >>> round(rp["average_precision"].delta, 3)
    0.12
    """
    check_choice(method, "method", tuple(_METHODS))
    check_choice(mapping, "mapping", ("interpolate", "nearest"))
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    total = check_whole(n_samples, "n_samples", at_least=100) if method != "asymptotic" else 0
    study = Study.of(
        model, metrics, n=n, prevalence=prevalence, at=at, reference=reference, grid_start=grid_start, design=design
    )
    curves = study.curves(mapping)

    found: dict[Key, Resolution] = {}
    for place, quality in enumerate(study.at):
        told = _part_of(progress, place, len(study.at))
        recipe = _Recipe(study, curves, quality, level, mapping, total, _seed(rng, place), told)
        found |= {(name, quality): each for name, each in _METHODS[method](recipe).items()}

    return ResolvingPower(
        {(each.name, quality): found[each.name, quality] for each in study.metrics for quality in study.at},
        curves,
        study.at,
        study.sizes,
        model,
        method=method,
        mapping=mapping,
        reference=study.reference_name,
        confidence_level=level,
        n_samples=total,
        seed=rng,
    )


def _seed(rng: int, place: int) -> int:
    """A seed for each quality, so that their samples are independent."""
    seed = check_whole(rng, "rng", at_least=0)
    return seed if place == 0 else int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0] >> 1)


def _part_of(progress: Progress | None, place: int, parts: int) -> Progress | None:
    return None if progress is None else lambda done, total: progress(place * total + done, parts * total)


@dataclass(frozen=True)
class _Recipe:
    """One quality of a study, and how to treat it."""

    study: Study
    curves: Mapping[str, SignalCurve]
    at: float
    level: float
    mapping: str
    n_samples: int
    seed: int
    progress: Progress | None

    @cached_property
    def population(self) -> AnyPopulation:
        """Of this quality."""
        found: AnyPopulation = self.study.model.population_at(self.at)
        return found

    def draw(self, metrics: Iterable[Metric]) -> dict[str, Array]:
        """Samples of the metrics at this quality."""
        how = {"n_samples": self.n_samples, "seed": self.seed}
        return draw(self.population, metrics, self.study.sizes, **how, progress=self.progress)

    def value(self, metric: Metric) -> float:
        """The metric with infinitely many cases."""
        return value_of(self.population, metric, self.study.sizes.prevalence)

    def theory(self, metric: Metric) -> float:
        """Its standard deviation over samples, without sampling."""
        return standard_error(self.population, metric, self.study.sizes)


def _simulated(recipe: _Recipe) -> dict[str, Resolution]:
    """Quantiles of samples, mapped through the signal curve."""
    study, found = recipe.study, {}
    drawn = recipe.draw(study.all_metrics)
    limits = {
        name: mapped(recipe.curves[name], values, recipe.level, recipe.mapping, itself=name == study.reference_name)
        for name, values in drawn.items()
    }
    base = limits[study.baseline.name]
    for each in study.all_metrics:
        own = limits[each.name]
        found[each.name] = Resolution(
            each.name,
            recipe.at,
            recipe.value(each),
            *own.limits,
            *own.ends,
            sd=float(np.nanstd(drawn[each.name])),
            kappa=own.kappa,
            delta=own.kappa / base.kappa - 1,
            mc_error=own.mc_error,
            delta_error=0.0 if own is base else batch_error(own.kappas / base.kappas),
            clipped=own.clipped,
            undefined=own.problem,
        )
    return found


def _linear(recipe: _Recipe) -> dict[str, Resolution]:
    """The paper's appendix A: 4 standard deviations times the slope of the signal curve."""
    study = recipe.study
    if study.sizes.positives < _LINEAR_FAILS_BELOW:
        warnings.warn(
            f"the linear method is far off with {study.sizes.positives} positives: intervals are skew, and signal "
            "curves bend within them. Use method='full'.",
            UnconfuseWarning,
            stacklevel=3,
        )
    # The deviation of the AUROC is known exactly.
    drawn = recipe.draw([each for each in study.all_metrics if each.name != "auroc"])
    sds = {
        each.name: float(np.nanstd(drawn[each.name], ddof=1)) if each.name in drawn else recipe.theory(each)
        for each in study.all_metrics
    }
    errors = {name: 1 / math.sqrt(2 * (recipe.n_samples - 1)) if name in drawn else 0.0 for name in sds}
    return _straight(recipe, sds, errors, 2.0, _PAPER_STEPS)


def _theoretical(recipe: _Recipe) -> dict[str, Resolution]:
    """Standard errors from theory, times the slope of the signal curve, times the normal quantiles."""
    sds = {each.name: recipe.theory(each) for each in recipe.study.all_metrics}
    z = float(ndtri((1 + recipe.level) / 2))
    return _straight(recipe, sds, dict.fromkeys(sds, 0.0), z, steps_for(recipe.study.model))


def steps_for(model: object) -> tuple[float, ...]:
    """How far to look for the slope of a signal curve."""
    return _WIDER_STEPS if hasattr(model, "table") else _PAPER_STEPS


def _straight(
    recipe: _Recipe, sds: Mapping[str, float], errors: Mapping[str, float], z: float, steps: tuple[float, ...]
) -> dict[str, Resolution]:
    """Intervals of z standard deviations on both sides, mapped along the tangent of the signal curve."""
    study, base, found = recipe.study, recipe.study.baseline.name, {}
    here = study.place(recipe.at)
    slopes = {each.name: study.slope(each, recipe.at, steps) for each in study.all_metrics}
    kappas = {name: 2 * z * sds[name] * abs(slope) for name, slope in slopes.items()}
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


_METHODS: Mapping[str, Callable[[_Recipe], dict[str, Resolution]]] = {
    "full": _simulated,
    "linear": _linear,
    "asymptotic": _theoretical,
}

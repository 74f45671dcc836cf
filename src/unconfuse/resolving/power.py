"""Resolving power: the noise of each metric, divided by its signal, on one common scale.

Three ways to a resolution: simulated and mapped, simulated and straightened, and from theory alone.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._errors import UnconfuseWarning
from unconfuse._validate import check_choice, check_probability, check_whole
from unconfuse.metrics import Metric
from unconfuse.metrics.influence import quantile
from unconfuse.resolving.answers import Key, ResolvingPower
from unconfuse.resolving.asymptotic import standard_error
from unconfuse.resolving.noise import Progress, draw
from unconfuse.resolving.resolution import NO_SPREAD, Resolution, batch_error, ratio_of, resolution_of
from unconfuse.resolving.signal import AnyPopulation, SignalCurve, value_of
from unconfuse.resolving.study import PAPER_STEPS, Study, Wanted
from unconfuse.table import Array

_LINEAR_FAILS_BELOW = 200  # positives


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
    model : Binormal, Uniform, Distributions, BetaMixture, Empirical, Path, Data or ScoreTable
        Where scores come from, and how a better classifier's scores look. Data mean `Empirical(data)`.
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
    check_choice(method, "method", ("full", "linear", "asymptotic"))
    check_choice(mapping, "mapping", ("interpolate", "nearest"))
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    total = check_whole(n_samples, "n_samples", at_least=100) if method != "asymptotic" else 0
    study = Study(
        model, metrics, n=n, prevalence=prevalence, at=at, reference=reference, grid_start=grid_start, design=design
    )
    curves = study.curves(mapping)

    found: dict[Key, Resolution] = {}
    for place, auroc in enumerate(study.at):
        told = _part_of(progress, place, len(study.at))
        quality = _Quality(study, curves, auroc, level, mapping, total, _seed(rng, place), told)
        found |= {(name, auroc): each for name, each in getattr(quality, method)().items()}

    shown = {(each.name, auroc): found[each.name, auroc] for each in study.metrics for auroc in study.at}
    how = method, mapping, study.reference_name, level, total, rng
    return ResolvingPower(shown, curves, study.at, study.sizes, study.model, *how)


def _seed(rng: int, place: int) -> int:
    """A seed for each quality, so that their samples are independent."""
    seed = check_whole(rng, "rng", at_least=0)
    return seed if place == 0 else int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0] >> 1)


def _part_of(progress: Progress | None, place: int, parts: int) -> Progress | None:
    return None if progress is None else lambda done, total: progress(place * total + done, parts * total)


@dataclass(frozen=True)
class _Quality:
    """One quality of a study, and how to treat it; each method gives the resolution of every metric."""

    study: Study
    curves: Mapping[str, SignalCurve]
    at: float
    level: float
    mapping: str
    n_samples: int
    seed: int
    progress: Progress | None

    @cached_property
    def _population(self) -> AnyPopulation:
        found: AnyPopulation = self.study.model.population_at(self.at)
        return found

    def _draw(self, metrics: Iterable[Metric]) -> dict[str, Array]:
        return draw(self._population, metrics, self.study.sizes, self.n_samples, self.seed, self.progress)

    def _value(self, metric: Metric) -> float:
        return value_of(self._population, metric, self.study.sizes.prevalence)

    def _theory(self, metric: Metric) -> float:
        return standard_error(self._population, metric, self.study.sizes)

    def full(self) -> dict[str, Resolution]:
        """Quantiles of samples, mapped through the signal curve."""
        found, kappas, study = {}, {}, self.study
        drawn = self._draw(study.all_metrics)
        for each in study.all_metrics:
            values, curve = drawn[each.name], self.curves[each.name]
            numbers = self.level, self.at, self._value(each), float(np.nanstd(values))
            found[each.name], kappas[each.name] = resolution_of(curve, values, *numbers, self.mapping)
        base, of_base = found[study.baseline.name].kappa, kappas[study.baseline.name]
        for name, own in found.items():
            error = 0.0 if name == study.baseline.name else batch_error(ratio_of(kappas[name], of_base))
            found[name] = replace(own, delta=float(ratio_of(own.kappa, base)) - 1, delta_error=error)
        return found

    def linear(self) -> dict[str, Resolution]:
        """The paper's appendix A: 4 standard deviations times the slope of the signal curve."""
        study = self.study
        if study.sizes.positives < _LINEAR_FAILS_BELOW:
            warnings.warn(
                f"the linear method is far off with {study.sizes.positives} positives: intervals are skew, and signal "
                "curves bend within them. Use method='full'.",
                UnconfuseWarning,
                stacklevel=3,
            )
        # The deviation of the AUROC is known exactly.
        drawn = self._draw([each for each in study.all_metrics if each.name != "auroc"])
        sds = {
            each.name: float(np.nanstd(drawn[each.name], ddof=1)) if each.name in drawn else self._theory(each)
            for each in study.all_metrics
        }
        errors = {name: 1 / math.sqrt(2 * (self.n_samples - 1)) if name in drawn else 0.0 for name in sds}
        return self._straight(sds, errors, 2.0, PAPER_STEPS)

    def asymptotic(self) -> dict[str, Resolution]:
        """Standard errors from theory, times the slope of the signal curve, times the normal quantiles."""
        sds = {each.name: self._theory(each) for each in self.study.all_metrics}
        return self._straight(sds, dict.fromkeys(sds, 0.0), quantile(self.level))

    def _straight(
        self, sds: Mapping[str, float], errors: Mapping[str, float], z: float, steps: tuple[float, ...] = ()
    ) -> dict[str, Resolution]:
        """Intervals of z standard deviations on both sides, mapped along the tangent of the signal curve."""
        study, base, found = self.study, self.study.baseline.name, {}
        here = study.place(self.at)
        kappas = {name: 2 * z * sds[name] * abs(slope) for name, slope in study.slopes(self.at, steps).items()}
        for each in study.all_metrics:
            name, value, half = each.name, self._value(each), z * sds[each.name]
            problem = None if study.is_reference(each) else self.curves[name].problem
            problem = problem or (NO_SPREAD if kappas[name] == 0 else None)
            kappa = math.nan if problem or not math.isfinite(kappas[name]) else kappas[name]
            ends = value - half, value + half, here - kappa / 2, here + kappa / 2
            ratio, error = float(ratio_of(kappa, kappas[base])), math.hypot(errors[name], errors[base])
            spread = kappa * errors[name], 0.0 if name == base else ratio * error
            method = "linear" if any(errors.values()) else "asymptotic"
            numbers = (self.at, value, *ends, sds[name], kappa, ratio - 1, *spread)
            found[name] = Resolution(name, *numbers, undefined=problem, method=method)
        return found

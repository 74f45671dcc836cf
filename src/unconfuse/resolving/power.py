"""Resolving power: the noise of each metric, divided by its signal, on one common scale."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from unconfuse._errors import ArgumentError, UnconfuseWarning
from unconfuse._validate import check_choice, check_number, check_probability, check_whole
from unconfuse.metrics import METRICS, Metric
from unconfuse.resolving.answers import Key, Resolution, ResolvingPower
from unconfuse.resolving.asymptotic import Sizes, standard_error
from unconfuse.resolving.noise import Progress, draw
from unconfuse.resolving.signal import (
    AnyPopulation,
    SignalCurve,
    published_grid,
    reference_values,
    signal_curve,
    value_of,
)
from unconfuse.resolving.values import as_metric
from unconfuse.table import Array, ScoreTable

DEFAULT_METRICS = (
    "auroc",
    "average_precision",
    "auprc_davis_goadrich",
    "auprg",
    "h_measure",
    "precision_at_indistinguishability",
)
METHODS = ("full", "linear", "asymptotic")
Wanted = str | Metric | Callable[[ScoreTable], object]
_BATCHES = 25  # of samples, whose kappas tell the Monte-Carlo error
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

    Samples of the model say how much a metric scatters (its noise); a sequence of better and better classifiers says how
    much it responds (its signal). The interval of the metric over samples, mapped to the reference scale, has the width
    kappa: classifiers closer than that cannot be told apart. Its inverse is the resolving power.

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
    check_choice(method, "method", METHODS)
    check_choice(mapping, "mapping", ("interpolate", "nearest"))
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    study = Study.of(model, metrics, n, prevalence, at, reference, grid_start, design)
    curves = study.curves(mapping)
    noise = {"full": _simulated, "linear": _linear, "asymptotic": _theoretical}[method]
    total = check_whole(n_samples, "n_samples", at_least=100) if method != "asymptotic" else 0
    found: dict[Key, Resolution] = {}
    replicates: dict[Key, Array] = {}
    for place, quality in enumerate(study.at):
        told = _part_of(progress, place, len(study.at))
        each, drawn = noise(study, curves, quality, level, mapping, total, _seed(rng, place), told)
        found |= {(name, quality): resolution for name, resolution in each.items()}
        replicates |= {(name, quality): values for name, values in drawn.items()}
    shown = {(each.name, quality): found[each.name, quality] for each in study.metrics for quality in study.at}
    return ResolvingPower(
        shown,
        curves,
        study.at,
        study.sizes,
        model,
        method,
        mapping,
        study.reference_name,
        level,
        total,
        rng,
        replicates,
    )


@dataclass(frozen=True)
class Study:
    """What is asked, checked."""

    model: Any
    metrics: tuple[Metric, ...]
    sizes: Sizes
    at: tuple[float, ...]
    reference: str | Metric
    grid_start: float

    @classmethod
    def of(
        cls,
        model: Any,
        metrics: Iterable[Wanted] | None,
        n: float | None,
        prevalence: float | None,
        at: float | Iterable[float] | None,
        reference: str | Metric,
        grid_start: float,
        design: str,
    ) -> Study:
        """Check and fill in what was left out."""
        if not hasattr(model, "population_at"):
            raise ArgumentError(
                f"`model` must be a sampling model such as uc.Binormal() or uc.Empirical(y, s); got {model!r}."
            )
        wanted = (
            DEFAULT_METRICS
            if metrics is None
            else (metrics,)
            if isinstance(metrics, str | Metric) or callable(metrics)
            else metrics
        )
        chosen = _once(as_metric(each) for each in wanted)
        size = check_number(getattr(model, "n", None) if n is None else n, "n")
        share = check_probability(
            getattr(model, "prevalence", None) if prevalence is None else prevalence, "prevalence"
        )  # type: ignore[arg-type]
        sizes = Sizes.of(size, share, check_choice(design, "design", ("case-control", "cohort")))
        if sizes.positives < 2 or sizes.negatives < 2:
            raise ArgumentError(
                f"a sample needs at least 2 cases of each class; n = {size:g} and prevalence = {share:g} "
                f"give {sizes.positives} positives and {sizes.negatives} negatives."
            )
        qualities = model.default_at if at is None else (at,) if np.ndim(at) == 0 else tuple(at)  # type: ignore[arg-type]
        points = tuple(check_probability(float(each), "at", open_interval=True) for each in qualities)
        scale = reference if isinstance(reference, str) and reference in ("rank", "overlap") else as_metric(reference)
        return cls(model, chosen, sizes, points, scale, check_probability(grid_start, "grid_start"))

    @property
    def reference_name(self) -> str:
        """The scale in words."""
        return self.reference if isinstance(self.reference, str) else self.reference.name

    @property
    def baseline(self) -> Metric:
        """The metric that the others are compared with."""
        return METRICS["auroc"] if isinstance(self.reference, str) else self.reference

    @property
    def all_metrics(self) -> tuple[Metric, ...]:
        """The metrics asked for, and the baseline."""
        return _once([*self.metrics, self.baseline])

    def curves(self, mapping: str) -> dict[str, SignalCurve]:
        """The signal curve of every metric."""
        start = min(self.grid_start, *(each - 0.05 for each in self.at))
        populations = self.model.improving(start, self.at)
        reference = reference_values(populations, self.reference, self.sizes.prevalence)
        smooth = {
            each.name: signal_curve(populations, each, self.sizes.prevalence, self.reference_name, reference)
            for each in self.all_metrics
        }
        if mapping == "interpolate" or self.reference_name != "auroc":
            return smooth
        return {
            each.name: published_grid(self.model, each, self.sizes.prevalence, smooth[each.name])
            for each in self.all_metrics
        }

    def is_reference(self, metric: Metric) -> bool:
        """Whether the metric is itself the scale, so that nothing is mapped."""
        return metric.name == self.reference_name

    def slope(self, metric: Metric, at: float, steps: Sequence[float]) -> tuple[float, float]:
        """Reference at the quality, and its change for one unit of the metric: least squares over close neighbours."""
        around: list[AnyPopulation] = self.model.around(at, steps)
        own = self.model.population_at(at)
        reference = reference_values(around, self.reference, self.sizes.prevalence)
        here = (
            float(reference_values([own], self.reference, self.sizes.prevalence)[0])
            if self.reference != "rank"
            else math.nan
        )
        if self.is_reference(metric):
            return here, 1.0
        values = np.array([value_of(each, metric, self.sizes.prevalence) for each in around])
        spread = values - values.mean()
        with np.errstate(divide="ignore", invalid="ignore"):
            return here, float(spread @ (reference - reference.mean()) / (spread @ spread))


Found = tuple[dict[str, Resolution], Mapping[str, Array]]


def _simulated(
    study: Study,
    curves: Mapping[str, SignalCurve],
    at: float,
    level: float,
    mapping: str,
    n_samples: int,
    seed: int,
    progress: Progress | None,
) -> Found:
    population = study.model.population_at(at)
    drawn = draw(population, study.all_metrics, study.sizes, n_samples=n_samples, seed=seed, progress=progress)
    mapped = {
        each.name: _mapped(study, each, curves[each.name], drawn[each.name], level, mapping)
        for each in study.all_metrics
    }
    base = mapped[study.baseline.name]
    found = {}
    for each in study.all_metrics:
        own, values = mapped[each.name], drawn[each.name]
        ratio = own.kappas / base.kappas
        found[each.name] = Resolution(
            each.name,
            at,
            value_of(population, each, study.sizes.prevalence),
            *own.limits,
            *own.mapped,
            float(np.nanstd(values)),
            own.kappa,
            own.kappa / base.kappa - 1,
            own.error,
            0.0 if each.name == study.baseline.name else _batch_error(ratio),
            own.clipped,
            own.problem,
            "full",
        )
    return found, drawn


@dataclass(frozen=True)
class _Mapped:
    limits: tuple[float, float]
    mapped: tuple[float, float]
    kappas: Array  # of each batch
    clipped: str = ""
    problem: str | None = None

    @property
    def kappa(self) -> float:
        return abs(self.mapped[1] - self.mapped[0])

    @property
    def error(self) -> float:
        return _batch_error(self.kappas)


def _mapped(study: Study, metric: Metric, curve: SignalCurve, values: Array, level: float, mapping: str) -> _Mapped:
    tails = [(1 - level) / 2, (1 + level) / 2]
    defined = values[np.isfinite(values)]
    if len(defined) < 0.9 * len(values):
        return _Mapped(
            (math.nan,) * 2,
            (math.nan,) * 2,
            np.full(_BATCHES, np.nan),
            "",
            f"{metric.name} is undefined in most samples",
        )
    limits = np.quantile(defined, tails)
    batches = np.stack([np.quantile(each, tails) for each in np.array_split(defined, _BATCHES)])
    if study.is_reference(metric):
        return _Mapped(_pair(limits), _pair(limits), np.ptp(batches, axis=1))
    if curve.problem:
        return _Mapped(_pair(limits), (math.nan, math.nan), np.full(_BATCHES, np.nan), "", curve.problem)
    ends = sorted(curve.to_reference(limits, mapping).tolist())
    clipped = " and ".join(name for name, out in zip(("low", "high"), curve.clips(limits), strict=True) if out)
    return _Mapped(_pair(limits), _pair(ends), np.ptp(curve.to_reference(batches, "interpolate"), axis=1), clipped)


def _linear(
    study: Study,
    curves: Mapping[str, SignalCurve],
    at: float,
    level: float,
    mapping: str,
    n_samples: int,
    seed: int,
    progress: Progress | None,
) -> Found:
    if study.sizes.positives < _LINEAR_FAILS_BELOW:
        warnings.warn(
            f"the linear method is far off with {study.sizes.positives} positives: intervals are skew and signal "
            "curves bend within them. Use method='full'.",
            UnconfuseWarning,
            stacklevel=3,
        )
    population = study.model.population_at(at)
    simulated = [each for each in study.all_metrics if each.name != "auroc"]  # the AUROC's deviation is known exactly
    drawn = draw(population, simulated, study.sizes, n_samples=n_samples, seed=seed, progress=progress)
    sds = {
        each.name: float(np.nanstd(drawn[each.name], ddof=1))
        if each.name in drawn
        else standard_error(population, each, study.sizes)
        for each in study.all_metrics
    }
    errors = {
        each.name: 1 / math.sqrt(2 * (n_samples - 1)) if each.name in drawn else 0.0 for each in study.all_metrics
    }
    return _straight(study, curves, at, sds, errors, 2.0, _PAPER_STEPS, "linear"), drawn


def _theoretical(
    study: Study,
    curves: Mapping[str, SignalCurve],
    at: float,
    level: float,
    mapping: str,
    n_samples: int,
    seed: int,
    progress: Progress | None,
) -> Found:
    population = study.model.population_at(at)
    sds = {each.name: standard_error(population, each, study.sizes) for each in study.all_metrics}
    steps = _WIDER_STEPS if hasattr(study.model, "table") else _PAPER_STEPS
    none = dict.fromkeys(sds, 0.0)
    return _straight(study, curves, at, sds, none, float(ndtri((1 + level) / 2)), steps, "asymptotic"), {}


def _straight(
    study: Study,
    curves: Mapping[str, SignalCurve],
    at: float,
    sds: Mapping[str, float],
    errors: Mapping[str, float],
    z: float,
    steps: Sequence[float],
    method: str,
) -> dict[str, Resolution]:
    """Intervals of z standard deviations on both sides, mapped along the tangent of the signal curve."""
    population = study.model.population_at(at)
    slopes = {each.name: study.slope(each, at, steps) for each in study.all_metrics}
    kappas = {name: 2 * z * sd * abs(slopes[name][1]) for name, sd in sds.items()}
    base = study.baseline.name
    found = {}
    for each in study.all_metrics:
        name, (here, slope) = each.name, slopes[each.name]
        value, half = value_of(population, each, study.sizes.prevalence), z * sds[each.name]
        problem = None if study.is_reference(each) else curves[name].problem
        kappa = math.nan if problem or not math.isfinite(kappas[name]) else kappas[name]
        relative = math.hypot(errors[name], errors[base]) if name != base else 0.0
        found[name] = Resolution(
            name,
            at,
            value,
            value - half,
            value + half,
            here - kappa / 2,
            here + kappa / 2,
            sds[name],
            kappa,
            kappa / kappas[base] - 1,
            kappa * errors[name],
            kappa / kappas[base] * relative,
            "",
            problem,
            method,
        )
    return found


def _once(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    return tuple({each.name: each for each in metrics}.values())


def _pair(values: Iterable[float]) -> tuple[float, float]:
    low, high = (float(each) for each in values)
    return low, high


def _batch_error(values: Array) -> float:
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def _seed(rng: int, place: int) -> int:
    """A seed for each quality, so that their samples are independent."""
    seed = check_whole(rng, "rng", at_least=0)
    return seed if place == 0 else int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0] >> 1)


def _part_of(progress: Progress | None, place: int, parts: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(place * total + done, parts * total)

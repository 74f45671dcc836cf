"""Resolving power: the noise of each metric, divided by its signal, on one common scale.

Three ways to a resolution: simulated and mapped, simulated and straightened, and from theory alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._deprecated import parameter_aliases, renamed_parameters
from unconfuse._errors import ArgumentError, surface_text, warn
from unconfuse._parameters.planning import METHOD
from unconfuse._validate import check_choice, check_number, check_probability, check_seed, check_whole, public_api
from unconfuse.metrics import Metric
from unconfuse.metrics.influence_functions import is_auroc, quantile
from unconfuse.resolving.asymptotic import standard_error
from unconfuse.resolving.model_sequence import TablePopulation
from unconfuse.resolving.power_result import Key, ResolvingPower
from unconfuse.resolving.resolution import NO_SPREAD, Resolution, batch_error, ratio_of, resolution_of
from unconfuse.resolving.score_sampling import Progress, draw
from unconfuse.resolving.signal_curve import AnyPopulation, SignalCurve, value_of
from unconfuse.resolving.study import PAPER_STEPS, Study, Wanted
from unconfuse.resolving.win_probability import WinProbability, contest, is_tied, pair_at
from unconfuse.table import Array
from unconfuse.uncertainty.bootstrap_intervals import spread

_LINEAR_FAILS_BELOW = 200  # positives
TIED = "scores are tied: quality jumps where positives move up, so the signal curve has steps"
_TO_CHECK_THEORY = 1000  # samples
_TRUSTED = 0.28  # |ln| of theory over simulation; 0.2, and two errors of the simulation


@parameter_aliases(at="quality")
@renamed_parameters(paired="score_correlation")
@public_api
def resolving_power(
    model: Any,
    metrics: Iterable[Wanted] | None = None,
    *,
    n: float | None = None,
    prevalence: float | None = None,
    quality: float | Iterable[float] | None = None,
    n_samples: int = 10_000,
    method: str = "full",
    mapping: str = "interpolate",
    reference: str | Metric = "auroc",
    grid_start: float = 0.5,
    improvement: str | None = None,
    score_correlation: float | None = None,
    design: str = "case-control",
    confidence_level: float = 0.95,
    rng: int = 0,
    progress: Progress | None = None,
) -> ResolvingPower:
    """How well each metric tells classifiers of similar quality apart.

    Samples of the model say how much a metric scatters (its noise); a sequence of better and better classifiers says
    how much it responds (its signal). The interval of the metric over samples, mapped to the reference scale, has the
    width kappa; two models on different cases differ significantly from 0.71 kappa on. Its inverse is the resolving
    power.

    Which metric to take, `recommendation`, rests on how often the better of two models wins by it in simulated samples
    of this size, because a metric that is biased in small samples can have a small kappa and still lose. On data, what
    other cases might have said is part of the answer: "better", "none is known to be better", "depends on
    how the next model is better" or "cannot tell".
    Results that only rank are the same for any increasing straight line of the scores, and for probabilities and their
    log-odds: positives are moved, and cases smoothed, on the scale of log-odds where scores are probabilities.

    Parameters
    ----------
    model : Binormal, Uniform, Distributions, BetaMixture, Empirical, Path, Data or ScoreTable
        Where scores come from, and how a better classifier's scores look. Data mean `Empirical(data)`.
    metrics : names, Metric objects or functions of a score table, optional
        Threshold-free metrics; six usual ones by default.
    n, prevalence : float, optional
        Size and share of positives of a sample; those of the data by default, if the model holds data.
    quality : float or several, optional
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
    improvement : {"shift", "scale", "top", "tilt"}, optional
        How a classifier gets better: all positives move up (as in the paper); they spread away from the middle
        negative; the highest tenth of the negatives gets rarer; or higher scores become more frequent among positives.
        If it is left out, numbers are of "shift", and the recommendation asks all four. A `Path` has its own.
    score_correlation : float, optional
        Both models are judged on the same cases, and their scores have this correlation within each class: how often
        the better one wins is then found so. Without it each model has a test set of its own.
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
    >>> rp = uc.resolving_power(uc.Binormal(), ["auroc", "average_precision"], n=10_000, prevalence=.1, quality=.75,
    ...                         method="asymptotic")
    >>> rp["auroc"]
    auroc at AUROC 0.750: kappa 0.0314 [0.7343, 0.7657], resolving power 31.8
    >>> round(rp["average_precision"].delta, 3)
    0.12
    """
    check_choice(method, "method", METHOD.choices)
    check_choice(mapping, "mapping", ("interpolate", "nearest"))
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    total = check_whole(n_samples, "n_samples", at_least=100) if method != "asymptotic" else 0
    correlation = None if score_correlation is None else check_number(score_correlation, "score_correlation")
    if correlation is not None and not -1 < correlation < 1:
        raise ArgumentError(f"`score_correlation` is a correlation between -1 and 1; got {correlation:g}.")
    kind = "shift" if improvement is None else improvement
    study = Study(
        model,
        metrics,
        n=n,
        prevalence=prevalence,
        at=quality,
        reference=reference,
        grid_start=grid_start,
        improvement=kind,
        design=design,
    )
    curves = study.curves(mapping)

    found: dict[Key, Resolution] = {}
    for place, auroc in enumerate(study.at):
        told = _part_of(progress, place, len(study.at))
        point = _QualityPoint(study, curves, auroc, level, mapping, total, _seed(rng, place), told)
        found |= {(name, auroc): each for name, each in getattr(point, method)().items()}

    shown = {(metric.name, auroc): found[metric.name, auroc] for metric in study.metrics for auroc in study.at}
    made: tuple[Any, ...] = (shown, curves, study.at, study.sizes, study.model, method, mapping, study.reference_name)
    made += (level, total, rng, kind, correlation, improvement is not None, study.metrics)
    return ResolvingPower(*made)


def _seed(rng: int, place: int) -> int:
    """Return a seed for each quality, so that their samples are independent."""
    seed = check_seed(rng)
    return seed if place == 0 else int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0] >> 1)


def _part_of(progress: Progress | None, place: int, parts: int) -> Progress | None:
    return None if progress is None else lambda done, total: progress(place * total + done, parts * total)


@dataclass(frozen=True)
class _QualityPoint:
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
        return value_of(self._population, metric, self.study.sizes.prevalence, self.study.sizes.n)

    def _theory(self, metric: Metric) -> float:
        try:
            return standard_error(self._population, metric, self.study.sizes)
        except ArgumentError:  # undefined in this population: the signal curve says why
            return math.nan

    def full(self) -> dict[str, Resolution]:
        """Quantiles of samples, mapped through the signal curve."""
        found, kappas, study = {}, {}, self.study
        drawn = self._draw(study.all_metrics)
        for metric in study.all_metrics:
            values, curve = drawn[metric.name], self.curves[metric.name]
            numbers = self.level, self.at, self._value(metric), spread(values, ddof=0)
            found[metric.name], kappas[metric.name] = resolution_of(curve, values, *numbers, self.mapping)
            found[metric.name] = self._plausible(found[metric.name])
        base, of_base = found[study.baseline.name].kappa, kappas[study.baseline.name]
        for name, resolution in found.items():
            error = 0.0 if name == study.baseline.name else batch_error(ratio_of(kappas[name], of_base))
            found[name] = replace(resolution, delta=float(ratio_of(resolution.kappa, base)) - 1, delta_error=error)
        return found

    def linear(self) -> dict[str, Resolution]:
        """Apply the paper's appendix A: 4 standard deviations times the slope of the signal curve."""
        study = self.study
        if study.sizes.positives < _LINEAR_FAILS_BELOW:
            warn(
                f"the linear method is far off with {study.sizes.positives} positives: intervals are skew, and signal "
                f"curves bend within them. Use {_in_full()}."
            )
        # The deviation of the AUROC is known exactly.
        drawn = self._draw([metric for metric in study.all_metrics if metric.name != "auroc"])
        sds = {
            metric.name: spread(drawn[metric.name]) if metric.name in drawn else self._theory(metric)
            for metric in study.all_metrics
        }
        errors = {name: 1 / math.sqrt(2 * (self.n_samples - 1)) if name in drawn else 0.0 for name in sds}
        return self._straight(sds, errors, 2.0, PAPER_STEPS)

    def asymptotic(self) -> dict[str, Resolution]:
        """Multiply standard errors from theory by the slope of the signal curve and the normal quantiles."""
        sds = {metric.name: self._theory(metric) for metric in self.study.all_metrics}
        found = self._straight(sds, dict.fromkeys(sds, 0.0), quantile(self.level))
        others = [metric for metric in self.study.all_metrics if not is_auroc(metric)]
        if not others or self.study.reference_name != "auroc":
            return found
        pair = pair_at(getattr(self.study.model, "smooth", self.study.model), self.at, self.study.sizes)
        chances = contest(pair, others, self.study.sizes, seed=self.seed, n_samples=_TO_CHECK_THEORY)
        return found | {name: self._checked(found[name], chance, pair.apart) for name, chance in chances.items()}

    def _checked(self, own: Resolution, chance: WinProbability, apart: float) -> Resolution:
        """Theory beside a few samples: how far they are apart, and no number where that is far."""
        change = abs(chance.means[1] - chance.means[0])
        if own.undefined or chance.undefined or not change > 0:
            reason = own.undefined or chance.undefined or "samples of this size do not respond to quality"
            return replace(own, kappa=math.nan, delta=math.nan, undefined=reason)
        simulated = 2 * quantile(self.level) * chance.deviation * apart / change
        error = abs(own.kappa - simulated)
        if abs(math.log(own.kappa / simulated)) <= _TRUSTED:
            return replace(own, theory_error=error)
        words = f"theory says {own.kappa:.3g} and samples of this size {simulated:.3g}. Hint: {_in_full()}"
        return replace(own, kappa=math.nan, delta=math.nan, theory_error=error, undefined=words)

    @cached_property
    def _tied(self) -> bool:
        model = getattr(self.study.model, "smooth", self.study.model)
        return isinstance(self._population, TablePopulation) and is_tied(model, self.at, self.study.sizes)

    def _plausible(self, own: Resolution) -> Resolution:
        """No number where the mapped interval leaves the quality itself out."""
        if own.undefined or self.study.reference_name != "auroc" or own.metric == "auroc":
            return own
        if self._tied:
            return replace(own, kappa=math.nan, delta=math.nan, undefined=TIED)
        slack = 1e-3 + 0.05 * own.kappa
        if own.mapped_low - slack <= self.at <= own.mapped_high + slack:
            return own
        reason = (
            f"samples of {own.metric} map to {own.mapped_low:.3f} to {own.mapped_high:.3f}, beside the quality itself: "
            "it is biased at this sample size, or scores are tied"
        )
        return replace(own, kappa=math.nan, delta=math.nan, undefined=reason)

    def _wider_than_the_scale(self, kappa: float) -> bool:
        return self.study.reference_name == "auroc" and not kappa < 1

    def _straight(
        self, sds: Mapping[str, float], errors: Mapping[str, float], z: float, steps: tuple[float, ...] = ()
    ) -> dict[str, Resolution]:
        """Intervals of z standard deviations on both sides, mapped along the tangent of the signal curve."""
        study, base, found = self.study, self.study.baseline.name, {}
        here = study.place(self.at)
        kappas = {name: 2 * z * sds[name] * abs(slope) for name, slope in study.slopes(self.at, steps).items()}
        for metric in study.all_metrics:
            name, value, half = metric.name, self._value(metric), z * sds[metric.name]
            problem = None if study.is_reference(metric) else self.curves[name].not_invertible_reason
            problem = problem or (NO_SPREAD if kappas[name] == 0 else None)
            if not problem and self._wider_than_the_scale(kappas[name]):
                problem = f"{name} hardly responds to quality here: its interval would be wider than the scale"
            kappa = math.nan if problem or not math.isfinite(kappas[name]) else kappas[name]
            ends = value - half, value + half, here - kappa / 2, here + kappa / 2
            ratio, error = float(ratio_of(kappa, kappas[base])), math.hypot(errors[name], errors[base])
            spread = kappa * errors[name], 0.0 if name == base else ratio * error
            method = "linear" if any(errors.values()) else "asymptotic"
            numbers = (self.at, value, *ends, sds[name], kappa, ratio - 1, *spread)
            found[name] = self._plausible(Resolution(name, *numbers, undefined=problem, method=method))
        return found


def _in_full() -> str:
    return surface_text("`method='full'`", "--method full")

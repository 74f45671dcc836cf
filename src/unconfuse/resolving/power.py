"""Resolving power: the noise of each metric, divided by its signal, on one common scale."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from unconfuse._validate import check_choice, check_probability, check_whole
from unconfuse.metrics import Metric
from unconfuse.resolving.answers import Key, Resolution, ResolvingPower
from unconfuse.resolving.methods import METHODS, Recipe
from unconfuse.resolving.noise import Progress
from unconfuse.resolving.study import Study, Wanted
from unconfuse.table import Array


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
    check_choice(method, "method", tuple(METHODS))
    check_choice(mapping, "mapping", ("interpolate", "nearest"))
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    total = check_whole(n_samples, "n_samples", at_least=100) if method != "asymptotic" else 0
    study = Study.of(
        model, metrics, n=n, prevalence=prevalence, at=at, reference=reference, grid_start=grid_start, design=design
    )
    curves = study.curves(mapping)

    found: dict[Key, Resolution] = {}
    replicates: dict[Key, Array] = {}
    for place, quality in enumerate(study.at):
        told = _part_of(progress, place, len(study.at))
        recipe = Recipe(study, curves, quality, level, mapping, total, _seed(rng, place), told)
        each, drawn = METHODS[method](recipe)
        found |= {(name, quality): resolution for name, resolution in each.items()}
        replicates |= {(name, quality): values for name, values in drawn.items()}

    shown = {(each.name, quality): found[each.name, quality] for each in study.metrics for quality in study.at}
    return ResolvingPower(
        shown,
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
        replicates=replicates,
    )


def _seed(rng: int, place: int) -> int:
    """A seed for each quality, so that their samples are independent."""
    seed = check_whole(rng, "rng", at_least=0)
    return seed if place == 0 else int(np.random.SeedSequence([seed, place]).generate_state(1, np.uint64)[0] >> 1)


def _part_of(progress: Progress | None, place: int, parts: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(place * total + done, parts * total)

"""What needs no data: heights, signal curves, relative resolutions, standard errors, beside the published numbers."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from unconfuse._scipy_special import ndtr
from unconfuse.reproduce._report import ReproducedValue
from unconfuse.resolving import Binormal, resolving_power
from unconfuse.resolving.resolution import Resolution
from unconfuse.uncertainty.influence_intervals import binormal_se, hanley_mcneil_se

AREA = "auprc_davis_goadrich"
_Z = 1.96
PREVALENCES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
QUALITIES = (0.65, 0.75, 0.85, 0.95)
MEN, WOMEN = (178.4, 7.6), (164.7, 7.1)  # mean and standard deviation of heights in cm
FILES = "the authors' simulation files"

# Relative difference of resolutions (AUPRC against AUROC), from the authors' simulation files; print has bars only.
DELTAS = {
    1_000: (
        (0.075, 0.057, 0.004, -0.028),
        (0.132, 0.096, 0.031, -0.104),
        (0.121, 0.088, 0.029, -0.077),
        (0.105, 0.097, 0.055, -0.025),
        (0.101, 0.088, 0.052, 0.012),
        (0.098, 0.096, 0.077, 0.051),
        (0.098, 0.103, 0.092, 0.075),
    ),
    10_000: (
        (0.317, 0.220, 0.110, -0.128),
        (0.160, 0.135, 0.040, -0.119),
        (0.129, 0.103, 0.039, -0.064),
        (0.117, 0.101, 0.061, -0.026),
        (0.114, 0.106, 0.060, 0.010),
        (0.120, 0.102, 0.085, 0.051),
        (0.106, 0.105, 0.096, 0.071),
    ),
    100_000: (
        (0.229, 0.259, 0.147, -0.142),
        (0.172, 0.133, 0.035, -0.115),
        (0.134, 0.127, 0.018, -0.092),
        (0.115, 0.098, 0.055, -0.011),
        (0.107, 0.087, 0.068, -0.002),
        (0.089, 0.106, 0.080, 0.042),
        (0.110, 0.129, 0.102, 0.090),
    ),
}
REPEATS = {1_000: 3, 10_000: 3, 100_000: 1}
FIGURES = {1_000: "figure B2, top", 10_000: "figure 4", 100_000: "figure B2, bottom"}
NOISE = {True: 0.018, False: 0.0115}  # standard deviation of one repeat of theirs: at prevalence .01, and elsewhere


def heights() -> list[ReproducedValue]:
    """Figure 1: men's and women's heights as scores."""
    sd_ratio = MEN[1] / WOMEN[1]
    area = Binormal(sd_ratio=sd_ratio).population((MEN[0] - WOMEN[0]) / WOMEN[1]).auroc
    hit, alarm = (float(ndtr((mean - 171) / sd)) for mean, sd in (MEN, WOMEN))
    return [
        ReproducedValue.printed("figure 1: AUROC of heights", "0.906", area),
        ReproducedValue("figure 1: hit rate at 171 cm", None, hit, note="men taller than that"),
        ReproducedValue("figure 1: false alarm rate at 171 cm", None, alarm, note="women taller than that"),
    ]


def signal_curves() -> list[ReproducedValue]:
    """Figure 3 prints no numbers; these are read off our curves."""
    fair = Binormal().population_at(0.75)
    return [
        ReproducedValue(f"figure 3: AUPRC at AUROC .75, prevalence {prevalence:g}", None, fair.auprc(prevalence))
        for prevalence in PREVALENCES
    ]


def relative_resolutions(n: int, *, n_samples: int, repeats: int) -> list[ReproducedValue]:
    """Figures 4 and B2: one number for each prevalence and quality, from repeats averaged as the authors did."""
    rows = []
    for prevalence, published in zip(PREVALENCES, DELTAS[n], strict=True):
        asked = partial(resolving_power, Binormal(), ["auroc", AREA], n=n, prevalence=prevalence, quality=QUALITIES)
        runs = [asked(mapping="nearest", n_samples=n_samples, rng=seed) for seed in range(repeats)]
        theirs = 3 * NOISE[prevalence == 0.01] / math.sqrt(REPEATS[n])
        for quality, delta in zip(QUALITIES, published, strict=True):
            area, roc = (np.mean([run[name, quality].kappa for run in runs]) for name in (AREA, "auroc"))
            error = float(np.mean([run[AREA, quality].delta_error for run in runs])) / math.sqrt(repeats)
            clipped = "lower limit clipped at .5" if runs[0][AREA, quality].clipped else ""
            what = f"{FIGURES[n]}: delta, prevalence {prevalence:g}, AUROC {quality:g}"
            ours = float(area / roc - 1)
            rows.append(
                ReproducedValue.checked(what, delta, ours, FILES, tolerance=theirs, mc_error=error, note=clipped)
            )
    return rows


def standard_errors() -> list[ReproducedValue]:
    """Figure 5, and the intervals of section 5, which come from Hanley and McNeil's formula."""
    printed = {0.65: (("0.591", "0.709"), ("0.596", "0.702")), 0.95: (("0.92", "0.98"), ("0.929", "0.967"))}
    run = resolving_power(Binormal(), ["auroc"], n=10_000, prevalence=0.01, quality=tuple(printed))
    rows = []
    for area, (normal, simulated) in printed.items():
        rows += _normal_limits(area, normal) + _simulated_limits(run["auroc", area], simulated)
    highest = max(np.linspace(0.4, 0.8, 401), key=lambda area: float(binormal_se(area, 100, 9900)))
    note = "the maximum near .6 is one of the formula; the exact curve is highest at .5"
    what = "figure 5: AUROC with the largest standard error"
    return [*rows, ReproducedValue(what, 0.6, float(highest), 0.02, erratum=True, note=note), *_statements()]


def _statements() -> list[ReproducedValue]:
    """Errata that need no data."""
    reversed_pair = 1 - Binormal().population_at(0.75).auroc
    asked = partial(resolving_power, Binormal(), ["auroc", AREA], prevalence=0.01, quality=0.65, rng=1)
    clipped, whole = (asked(n=1_000, n_samples=4_000, grid_start=start)[AREA] for start in (0.5, 0.0))
    limit = resolving_power(Binormal(), ["auroc", AREA], n=10**7, prevalence=0.3, quality=0.95, method="asymptotic")[
        AREA
    ]
    small, large = DELTAS[1_000][0][0], DELTAS[10_000][0][0]
    return [
        ReproducedValue(
            "section 6: least AUROC of an imperfect classifier", 0.5, reversed_pair, erratum=True, note="down to 0"
        ),
        ReproducedValue(
            "section 4: kappas between two independent estimates that differ at 5%",
            1.0,
            math.sqrt(0.5),
            erratum=True,
            note="kappa is the width of one interval, not the smallest difference of two",
        ),
        ReproducedValue.checked(
            "figure B2: delta at N = 1,000, prevalence .01, AUROC .65, not clipped",
            clipped.delta,
            whole.delta,
            "clipped at AUROC .5",
            erratum=True,
            mc_error=None,
            note="the grid starts at an AUROC of .5",
        ),
        ReproducedValue.checked(
            "appendix B: sign of delta at N = 100,000, prevalence .3, AUROC .95",
            DELTAS[100_000][4][3],
            limit.delta,
            FILES,
            erratum=True,
            note="the flip is noise; with ever more cases delta is positive",
        ),
        ReproducedValue.checked(
            "appendix B: delta at prevalence .01, AUROC .65, N = 1,000 less N = 10,000",
            0.0,
            small - large,
            "as the text reads",
            erratum=True,
            note="the text omits that the poor model moves most",
        ),
    ]


def _normal_limits(area: float, texts: tuple[str, str]) -> list[ReproducedValue]:
    rows = []
    for text, side, name in zip(texts, (-1, 1), ("lower", "upper"), strict=True):
        ours, exact = (area + side * _Z * float(se(area, 100, 9900)) for se in (hanley_mcneil_se, binormal_se))
        note = f"the exact standard error gives {exact:.3f}"
        what = f"section 5: {name} limit at AUROC {area:g}, normal approximation"
        rows.append(ReproducedValue.printed(what, text, ours, note=note))
    return rows


def _simulated_limits(found: Resolution, texts: tuple[str, str]) -> list[ReproducedValue]:
    their_noise = 3 * 0.02 * found.sd  # of a .025 quantile of 10,000 samples, averaged over three repeats
    what, slack = f"limit at AUROC {found.at:g}, simulated", 0.0005 + their_noise
    return [
        ReproducedValue(f"section 5: {name} {what}", float(text), limit, slack, found.mc_error)
        for text, limit, name in zip(texts, (found.low, found.high), ("lower", "upper"), strict=True)
    ]

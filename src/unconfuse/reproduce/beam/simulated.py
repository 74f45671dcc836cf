"""What needs no data: heights, signal curves, relative resolutions, standard errors."""

from __future__ import annotations

import math

import numpy as np

from unconfuse.reproduce._report import Row
from unconfuse.reproduce.beam.published import DELTAS, FIGURES, NOISE, PREVALENCES, QUALITIES, REPEATS
from unconfuse.resolving import Binormal, resolving_power
from unconfuse.resolving.answers import Resolution
from unconfuse.uncertainty.delong import binormal_se, hanley_mcneil_se

AREA = "auprc_davis_goadrich"
_Z = 1.96


def heights() -> list[Row]:
    """Figure 1: men's and women's heights as scores."""
    sd_ratio = 7.6 / 7.1
    area = Binormal(sd_ratio=sd_ratio).population((178.4 - 164.7) / 7.1).auroc
    return [Row.printed("figure 1: AUROC of heights", "0.906", area)]


def signal_curves() -> list[Row]:
    """Figure 3 prints no numbers; these are read off our curves."""
    fair = Binormal().population_at(0.75)
    return [
        Row(f"figure 3: AUPRC at AUROC .75, prevalence {prevalence:g}", None, fair.auprc(prevalence))
        for prevalence in PREVALENCES
    ]


def relative_resolutions(n: int, *, n_samples: int, repeats: int) -> list[Row]:
    """Figures 4 and B2: one number for each prevalence and quality, from repeats averaged as the authors did."""
    rows = []
    for prevalence, published in zip(PREVALENCES, DELTAS[n], strict=True):
        runs = [
            resolving_power(
                Binormal(),
                ["auroc", AREA],
                n=n,
                prevalence=prevalence,
                at=QUALITIES,
                mapping="nearest",
                n_samples=n_samples,
                rng=seed,
            )
            for seed in range(repeats)
        ]
        theirs = 3 * NOISE[prevalence == 0.01] / math.sqrt(REPEATS[n])
        for quality, delta in zip(QUALITIES, published, strict=True):
            ours = (
                np.mean([run[AREA, quality].kappa for run in runs])
                / np.mean([run["auroc", quality].kappa for run in runs])
                - 1
            )
            error = float(np.mean([run[AREA, quality].delta_error for run in runs])) / math.sqrt(repeats)
            clipped = "lower limit clipped at .5" if runs[0][AREA, quality].clipped else ""
            rows.append(
                Row(
                    f"{FIGURES[n]}: delta, prevalence {prevalence:g}, AUROC {quality:g}",
                    delta,
                    float(ours),
                    theirs,
                    error,
                    note=clipped,
                )
            )
    return rows


def standard_errors() -> list[Row]:
    """Figure 5, and the intervals of section 5, which come from Hanley and McNeil's formula."""
    printed = {0.65: (("0.591", "0.709"), ("0.596", "0.702")), 0.95: (("0.92", "0.98"), ("0.929", "0.967"))}
    run = resolving_power(Binormal(), ["auroc"], n=10_000, prevalence=0.01, at=tuple(printed))
    rows = []
    for area, (normal, simulated) in printed.items():
        rows += _normal_limits(area, normal) + _simulated_limits(run["auroc", area], simulated)
    highest = max(np.linspace(0.4, 0.8, 401), key=lambda area: float(binormal_se(area, 100, 9900)))
    note = "the maximum near .6 is one of the formula; the exact curve is highest at .5"
    rows.append(
        Row("figure 5: AUROC with the largest standard error", 0.6, float(highest), 0.02, erratum=True, note=note)
    )
    return rows


def _normal_limits(area: float, texts: tuple[str, str]) -> list[Row]:
    rows = []
    for text, side, name in zip(texts, (-1, 1), ("lower", "upper"), strict=True):
        ours, exact = (area + side * _Z * float(se(area, 100, 9900)) for se in (hanley_mcneil_se, binormal_se))
        note = f"the exact standard error gives {exact:.3f}"
        rows.append(
            Row.printed(f"section 5: {name} limit at AUROC {area:g}, normal approximation", text, ours, note=note)
        )
    return rows


def _simulated_limits(found: Resolution, texts: tuple[str, str]) -> list[Row]:
    their_noise = 3 * 0.02 * found.sd  # of a .025 quantile of 10,000 samples, averaged over three repeats
    return [
        Row(
            f"section 5: {name} limit at AUROC {found.at:g}, simulated",
            float(text),
            limit,
            0.0005 + their_noise,
            found.mc_error,
        )
        for text, limit, name in zip(texts, (found.low, found.high), ("lower", "upper"), strict=True)
    ]

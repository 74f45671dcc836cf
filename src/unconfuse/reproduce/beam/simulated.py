"""What needs no data: heights, signal curves, relative resolutions, standard errors."""

from __future__ import annotations

import math

import numpy as np

from unconfuse.reproduce._report import Row
from unconfuse.reproduce.beam.published import DELTAS, FIGURES, NOISE, PREVALENCES, QUALITIES, REPEATS
from unconfuse.resolving import Binormal, resolving_power
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
    rows = []
    printed = {0.65: (("0.591", "0.709"), ("0.596", "0.702")), 0.95: (("0.92", "0.98"), ("0.929", "0.967"))}
    run = resolving_power(Binormal(), ["auroc"], n=10_000, prevalence=0.01, at=tuple(printed))
    for area, (normal, simulated) in printed.items():
        se = float(hanley_mcneil_se(area, 100, 9900))
        exact = float(binormal_se(area, 100, 9900))
        for text, side in zip(normal, (-1, 1), strict=True):
            rows.append(
                Row.printed(
                    f"section 5: normal approximation at AUROC {area:g}",
                    text,
                    area + side * _Z * se,
                    note=f"the exact standard error gives {area + side * _Z * exact:.3f}",
                )
            )
        found = run["auroc", area]
        for text, limit in zip(simulated, (found.low, found.high), strict=True):
            rows.append(
                Row(
                    f"section 5: simulated limit at AUROC {area:g}",
                    float(text),
                    limit,
                    0.0005 + 3 * 0.02 * found.sd,
                    found.mc_error,
                )
            )
    highest = max(np.linspace(0.4, 0.8, 401), key=lambda area: float(binormal_se(area, 100, 9900)))
    rows.append(
        Row(
            "figure 5: AUROC with the largest standard error",
            0.6,
            float(highest),
            0.02,
            erratum=True,
            note="the maximum near .6 is one of the formula; the exact curve is highest at .5",
        )
    )
    return rows

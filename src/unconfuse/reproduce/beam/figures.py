"""Figures 1, 3, 4, 5, 7 and B2 of the resolving-power paper, drawn again."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unconfuse._html_repr import COLOURS, GREY, INK, NEGATIVE, POSITIVE
from unconfuse._scipy_special import ndtr
from unconfuse.reproduce.beam.simulated import AREA, MEN, PREVALENCES, QUALITIES, WOMEN
from unconfuse.resolving import Binormal, Empirical, resolving_power
from unconfuse.table import ScoreTable

CUT = 171.0  # cm


def heights() -> Any:
    """Figure 1: heights of women and men, and what a threshold of 171 cm finds."""
    sheet, ax = _axes("Heights as scores", "Height in cm", "Density")
    cm = np.linspace(140, 205, 400)
    for name, (mean, sd), colour in (("women", WOMEN, NEGATIVE), ("men", MEN, POSITIVE)):
        density = np.exp(-(((cm - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi))
        ax.plot(cm, density, color=colour, linewidth=1.6)
        ax.fill_between(cm, density, where=cm >= CUT, color=colour, alpha=0.15, linewidth=0)
        ax.annotate(name, (mean, density.max()), (0, 4), textcoords="offset points", color=colour, ha="center")
    ax.axvline(CUT, color=GREY, linestyle="--", linewidth=1.0)
    hit, alarm = (float(ndtr((mean - CUT) / sd)) for mean, sd in (MEN, WOMEN))
    words = f"171 cm: hit rate {hit:.3f}, false alarm rate {alarm:.3f}"
    ax.text(0.99, 0.97, words, transform=ax.transAxes, ha="right", va="top", fontsize=9, color=INK)
    ax.set_ylim(0, 0.068)
    return sheet


def signal_curves() -> Any:
    """Figure 3: AUPRC against AUROC for each prevalence."""
    sheet, ax = _axes("Signal curves of normal scores", "AUROC", "AUPRC")
    grid = np.linspace(0.5, 0.999, 60)
    for place, prevalence in enumerate(PREVALENCES):
        values = [Binormal().population_at(area).auprc(prevalence) for area in grid]
        colour = COLOURS[place % len(COLOURS)]
        ax.plot(grid, values, color=colour, linewidth=1.5)
        ax.annotate(
            f"{prevalence:g}",
            (grid[0], values[0]),
            (-4, 0),
            textcoords="offset points",
            color=colour,
            ha="right",
            va="center",
            fontsize=8,
        )
    ax.set_xlim(0.46, 1.0)
    ax.text(0.03, 0.97, "numbers: prevalence", transform=ax.transAxes, va="top", fontsize=8.5, color=INK)
    return sheet


def relative_resolutions(*sizes: int) -> Any:
    """Figure 4, and B2 for two sizes: how much coarser the AUPRC is than the AUROC."""
    from unconfuse.plots import figure, plot_relative_resolution

    sheet = figure(figsize=(8.4, 4.6 * len(sizes)))
    for ax, n in zip(np.atleast_1d(sheet.subplots(len(sizes), 1)), sizes, strict=True):
        samples = 2_000 if n <= 10_000 else 400  # enough for a picture
        asked = partial(resolving_power, Binormal(), [AREA], n=n, n_samples=samples, quality=QUALITIES)
        plot_relative_resolution([asked(prevalence=share) for share in PREVALENCES], AREA, ax=ax)
        ax.set_title(f"Resolution of the AUPRC relative to the AUROC, N = {n:,}", loc="left", fontsize=11)
    return sheet


def standard_errors() -> Any:
    """Figure 5, with all seven prevalences."""
    from unconfuse.plots import figure, plot_standard_errors

    sheet = figure(figsize=(8.0, 5.2))
    plot_standard_errors(prevalences=PREVALENCES, ax=sheet.subplots())
    return sheet


def empirical(table: ScoreTable) -> Any:
    """Figure 7: the signal curve of the readmission scores."""
    from unconfuse.plots import figure, plot_signal_curve

    sheet = figure(figsize=(8.0, 5.2))
    result = resolving_power(Empirical(table, scale="raw"), [AREA], method="asymptotic")
    plot_signal_curve(result, AREA, ax=sheet.subplots())
    return sheet


def _axes(title: str, x: str, y: str) -> tuple[Any, Any]:
    from unconfuse.plots import figure

    sheet = figure(figsize=(7.6, 4.8))
    ax = sheet.subplots()
    ax.set_title(title, loc="left", fontsize=11, color=INK, fontweight="bold")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.spines[["top", "right"]].set_visible(False)
    return sheet, ax

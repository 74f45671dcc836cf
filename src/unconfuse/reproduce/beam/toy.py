"""The toy example of section 4 and appendix A: the fictional "area under the super-great curve".

The paper gives no formula for it. All its numbers follow from one: AUSGC = 10^(4 (AUROC - 1)).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unconfuse._html_repr import BLUE, GREY, INK, VERMILION
from unconfuse.reproduce._report import ReproducedValue
from unconfuse.resolving.signal_curve import SignalCurve

HALF_WIDTH = 0.05  # of every interval of the example, on the metric's own scale
QUALITIES = (0.7, 0.9)


def ausgc(auroc: Any) -> Any:
    """Compute the toy metric.

    >>> [round(float(ausgc(area)), 3) for area in (.7, .8, .9)]
    [0.063, 0.158, 0.398]
    """
    return 10 ** (4 * (np.asarray(auroc, dtype=np.float64) - 1))


def signal_curve(points: int = 1000) -> SignalCurve:
    """1,000 models, from a random one to an almost perfect one."""
    grid = np.linspace(0.5, 0.99995, points)
    return SignalCurve("AUSGC", "auroc", grid, ausgc(grid))


def slope(at: float = 0.8) -> float:
    """Appendix A: change of the AUROC for one unit of the AUSGC."""
    return 1 / signal_curve().slope(at)


def rows() -> list[ReproducedValue]:
    """Every printed number of the example; two of them are wrong."""
    reproduced_values = []
    printed = {
        0.7: (".063", ("0.013", "0.114"), ("0.53", "0.76"), "0.23", "0.1"),
        0.9: ("0.4", ("0.35", "0.45"), ("0.89", "0.91"), "0.02", "0.1"),
    }
    for at, (value, limits, mapped, kappa, of_auroc) in printed.items():
        what, centre = f"section 4, AUROC {at:g}", float(ausgc(at))
        ends = centre + np.array([-HALF_WIDTH, HALF_WIDTH])
        back = signal_curve().to_reference(ends)
        reproduced_values.append(ReproducedValue.printed(f"{what}: AUSGC", value, centre))
        for side, text, end in zip(("lower", "upper"), limits, ends, strict=True):
            reproduced_values.append(_printed(f"{what}: {side} limit of the AUSGC", text, float(end), text == "0.114"))
        for side, text, end in zip(("lower", "upper"), mapped, back, strict=True):
            reproduced_values.append(ReproducedValue.printed(f"{what}: {side} limit as AUROC", text, float(end)))
        reproduced_values.append(_printed(f"{what}: kappa of the AUSGC", kappa, float(np.ptp(back)), kappa == "0.02"))
        reproduced_values.append(ReproducedValue.printed(f"{what}: kappa of the AUROC", of_auroc, 2 * HALF_WIDTH))
    return [*reproduced_values, *_appendix()]


def _printed(quantity: str, text: str, ours: float, wrong: bool) -> ReproducedValue:
    note = f"from unrounded limits it is {ours:.4f}" if wrong else ""
    return ReproducedValue.printed(quantity, text, ours, erratum=wrong, note=note)


def _appendix() -> list[ReproducedValue]:
    note = "below 1, so that the AUSGC answers more strongly than the AUROC"
    return [
        ReproducedValue.printed("appendix A: AUSGC at AUROC 0.8", "0.16", float(ausgc(0.8))),
        ReproducedValue.printed("appendix A: slope at AUROC 0.8", "0.69", slope(), note=note),
    ]


def figure_2() -> Any:
    """Draw the two signal curves, with the intervals of two models mapped to the scale of quality."""
    from unconfuse.plots import figure

    sheet = figure(figsize=(10.4, 4.6))
    grid = np.linspace(0.5, 1.0, 400)
    metrics: tuple[Any, Any] = (np.asarray, ausgc)
    for ax, name, metric in zip(sheet.subplots(1, 2), ("AUROC", "AUSGC"), metrics, strict=True):
        ax.plot(grid, metric(grid), color=INK, linewidth=1.6)
        for at, colour in zip(QUALITIES, (BLUE, VERMILION), strict=True):
            _mapped(ax, metric, name, at, colour)
        ax.set_xlabel("Quality (AUROC)")
        ax.set_ylabel(name)
        ax.set_ylim(top=1.22)  # room for the words
        ax.spines[["top", "right"]].set_visible(False)
    sheet.suptitle("Signal curves of the toy example", x=0.01, ha="left")
    return sheet


def _mapped(ax: Any, metric: Any, name: str, at: float, colour: str) -> None:
    ends = float(metric(at)) + np.array([-HALF_WIDTH, HALF_WIDTH])
    back = ends if name == "AUROC" else signal_curve().to_reference(ends)
    bottom = float(metric(0.5))
    for value, quality in zip(ends, back, strict=True):
        ax.plot([0.5, quality, quality], [value, value, bottom], color=colour, linewidth=0.9, linestyle="--")
    ax.plot(back, [bottom] * 2, color=colour, linewidth=4, solid_capstyle="butt")
    ax.plot([at], [metric(at)], "o", color=colour)
    words = f"AUROC {at:g}: κ = {float(np.ptp(back)):.3g}"
    height = 0.95 - 0.08 * QUALITIES.index(at)
    ax.text(0.04, height, words, color=colour, fontsize=9, transform=ax.transAxes)


def figure_a1() -> Any:
    """Draw the signal curve of the toy metric with its axes swapped, and its tangent."""
    from unconfuse.plots import figure

    sheet = figure(figsize=(5.6, 4.6))
    ax, grid, at = sheet.subplots(), np.linspace(0.5, 1.0, 400), 0.8
    ax.plot(ausgc(grid), grid, color=INK, linewidth=1.6)
    near = float(ausgc(at)) + np.array([-0.12, 0.2])
    ax.plot(near, at + slope(at) * (near - ausgc(at)), color=VERMILION, linewidth=1.4)
    ax.plot([ausgc(at)], [at], "o", color=INK)
    ax.text(0.24, 0.78, f"slope {slope(at):.2f}", color=VERMILION)
    ax.set_xlabel("AUSGC")
    ax.set_ylabel("AUROC")
    ax.grid(color=GREY, alpha=0.2)
    ax.spines[["top", "right"]].set_visible(False)
    return sheet


def resolving_words(power: float) -> str:
    """Apply the paper's heuristic: a resolving power of 10 is poor, 100 decent, 1,000 good; context decides.

    >>> resolving_words(69.8), resolving_words(1200)
    ('between poor (10) and decent (100)', 'good (1,000 or more)')
    """
    if not math.isfinite(power):
        return "undefined"
    for limit, words in ((10, "poor (10 or less)"), (100, "between poor (10) and decent (100)")):
        if power <= limit:
            return words
    return "between decent (100) and good (1,000)" if power < 1000 else "good (1,000 or more)"

"""Reliability before and after probabilities were mended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError, InputError
from unconfuse._html_repr import BLUE, VERMILION
from unconfuse.curves.decision_curves import reliability, reliability_bins
from unconfuse.plots._primitives import note, reference
from unconfuse.plots._style import line, new_axes, points, unit_square

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from unconfuse.results.recalibration import Recalibration


def plot_recalibration(result: Recalibration, *, ax: Axes | None = None, n_bins: int = 10) -> Axes:
    """Draw what was stated against what occurred, before and after: isotonic lines, bins with exact intervals.

    "After" is cross-fitted: each case is mended by a map that was fitted to other cases. Of several classes it is the
    probability of the likeliest class, and how often that was the true one.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> p = .02 + .96 * rng.random(400)
    >>> plot_recalibration(uc.recalibrate(rng.random(400) < p / 2, p)).get_title(loc="left")
    'Reliability before and after (logistic)'
    """
    if not hasattr(result, "tables"):
        raise ArgumentError(f"`result` must be what `recalibrate` returns; got {type(result).__name__}.")
    before, after = result.tables
    if not (before.n_positives and before.n_negatives):
        always = "always" if before.n_positives else "never"
        raise InputError(f"the likeliest class is {always} the true one, so there is no reliability to draw.")
    curve = reliability(before)
    x, y = (curve.label(name) for name in ("score", "share"))
    if result.map.several:
        x, y = "Stated probability of the likeliest class", "Share of cases of that class"
    title = "Reliability: left alone" if result.chosen == "none" else f"Reliability before and after ({result.chosen})"
    ax = new_axes(ax, title=title, x=x, y=y, square=True)
    reference(ax, [0, 0.78, 1], [0, 0.78, 1], "ideal", align="right")
    drawn = [("before", before, VERMILION, -0.004, "s")]
    if result.chosen != "none" and after is not None:
        drawn.append(("after, cross-fitted", after, BLUE, 0.004, "o"))
    for place, (words, table, colour, aside, mark) in enumerate(drawn):
        _draw(ax, table, colour, aside, mark, n_bins)
        note(ax, 0.02, 0.97 - 0.05 * place, words, colour=colour, size=8, va="top")
    unit_square(ax)
    return ax


def _draw(ax: Axes, table: Any, colour: str, aside: float, mark: str, n_bins: int) -> None:
    """One isotonic line with its bins, a little aside so that two of them can be told apart."""
    isotonic, bins = reliability(table).downsampled(2000), reliability_bins(table, n_bins=n_bins)
    reach = [bins["share"] - bins["low"], bins["high"] - bins["share"]]
    look: dict[str, Any] = {"fmt": mark, "markersize": points(3.5), "linewidth": line(1.0), "zorder": 3}
    ax.errorbar(bins["score"] + aside, bins["share"], yerr=reach, color=colour, **look)
    ax.plot(isotonic["score"], isotonic["share"], color=colour, linewidth=line(1.4), alpha=0.7)

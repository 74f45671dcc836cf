"""A printed AUROC and its interval: can they be, and what made them?

The variance that DeLong's formula gives depends on the placements alone: of each negative, the share of positives above
it, which is the height R(t) of the ROC curve, and of each positive, the share of negatives below it. For scores without
ties it is smallest for a curve that is a straight line, of slope (n - 1)/(m - 1), cut at 0 and 1 (Birnbaum and Klose,
1957); with ties, where all cases in the middle share one score (checked against all patterns of up to 5 cases of each
class). It is never above A(1 - A) / (min(m, n) - 1), as van Dantzig (1951) has it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unconfuse._phrases import listed
from unconfuse._scipy_special import expit, logit
from unconfuse.metrics.influence_functions import quantile
from unconfuse.reconstruction.rounding import MIXED, TIES, PrintedNumber, RoundingBounds
from unconfuse.table import Array as Numbers
from unconfuse.uncertainty import proportion_intervals
from unconfuse.uncertainty.influence_intervals import hanley_mcneil_se

_GRID = 801  # heights of the line: the error of the smallest standard error is below 1e-5 of it
NARROWER, WIDER, TIED = "narrower", "wider", "tied"
_BINOMIAL = {
    "Wilson": proportion_intervals.wilson,
    "Clopper-Pearson": proportion_intervals.clopper_pearson,
    "Wald": proportion_intervals.wald,
}


@dataclass(frozen=True)
class PrintedAuroc:
    """What a printed AUROC, its interval and the class sizes say of each other.

    Attributes
    ----------
    value_possible : bool
        Whether a sample of these class sizes can have this AUROC, as printed.
    interval_possible : bool or None
        None if no interval was printed.
    methods : tuple of str
        Methods that give the printed interval from the AUROC and the class sizes.
    standard_error : (float, float, float)
        By DeLong's formula at this value: smallest, smallest without tied scores, largest.
    printed_error : float
        The standard error that the width of the printed interval stands for.
    sentence : str
    """

    value_possible: bool
    interval_possible: bool | None
    methods: tuple[str, ...]
    standard_error: tuple[float, float, float]
    printed_error: float
    sentence: str

    @property
    def possible(self) -> bool:
        """Whether nothing printed of the AUROC is impossible."""
        return self.value_possible and self.interval_possible is not False


def check_area(
    area: PrintedNumber,
    low: PrintedNumber | None,
    high: PrintedNumber | None,
    positives: float,
    negatives: float,
    level: float,
) -> PrintedAuroc:
    """Check a printed AUROC, and its interval, against the class sizes."""
    rounding_bounds = area.bounds(MIXED)
    value_possible = _on_lattice(rounding_bounds, positives, negatives)
    values = np.linspace(max(rounding_bounds.low, 0.0), min(rounding_bounds.high, 1.0), 41)
    errors = [each(values, positives, negatives) for each in (_smallest_tied, _smallest, _largest)]
    reached = float(errors[0].min()), float(errors[1].min()), float(errors[2].max())
    ends = [printed_number for printed_number in (low, high) if printed_number is not None]
    reach = quantile(level)
    printed = (float(high.value) - float(low.value)) / (2 * reach) if low is not None and high is not None else math.nan
    methods = tuple(_methods(values, ends, positives, negatives, level)) if ends else ()
    fits = _fits(values, ends, [error * reach for error in errors]) if ends else ""
    sizes = f"{positives:,.0f} positives and {negatives:,.0f} negatives"
    said = [] if value_possible and ends else [_said_of_value(area, value_possible, sizes)]
    said += [_said_of_interval(ends, fits, methods, sizes, reached, printed)] if ends else []
    possible = (bool(methods) or fits not in (NARROWER, WIDER)) if ends else None
    return PrintedAuroc(value_possible, possible, methods, reached, printed, " ".join(said))


def _on_lattice(held: RoundingBounds, positives: float, negatives: float) -> bool:
    """Check that the bounds hold an AUROC that a sample can have: a whole number of half pairs."""
    halves = 2 * positives * negatives
    first = math.ceil(held.low * halves - 1e-9)
    return first <= held.high * halves + 1e-9 and first <= halves


def _smallest(values: Numbers, positives: float, negatives: float) -> Numbers:
    """Return DeLong's standard error for the straight ROC curve of this area; ties could make it smaller."""
    if min(positives, negatives) < 2:
        return np.zeros(len(values))
    slope = (negatives - 1) / (positives - 1)
    heights = np.linspace(-slope, 1.0, _GRID)
    t = (np.arange(1000) + 0.5) / 1000
    curve = np.clip(heights[:, None] + slope * t, 0.0, 1.0)
    area = curve.mean(axis=1)
    of_negatives = (curve**2).mean(axis=1) - area**2
    of_positives = (2 * t * (1 - curve)).mean(axis=1) - (1 - area) ** 2
    variance = np.maximum(of_negatives, 0) / (negatives - 1) + np.maximum(of_positives, 0) / (positives - 1)
    return np.asarray(np.sqrt(np.interp(values, area, variance)))


def _smallest_tied(values: Numbers, positives: float, negatives: float) -> Numbers:
    """Return the smallest standard error with a share of positives above one block of ties, other negatives below it.

    With a share c above, the block holds a share 2(1 - A)/(1 - c) of the negatives.
    """
    if min(positives, negatives) < 2:
        return np.zeros(len(values))
    area, c = np.maximum(values, 1 - values)[:, None], np.linspace(0.0, 1.0, _GRID)[:-1]
    held = 2 * (1 - area) / (1 - c)
    of_negatives = held * ((1 + c) / 2) ** 2 + (1 - held) - area**2
    of_positives = c + (1 - c) * (1 - held / 2) ** 2 - area**2
    variance = np.maximum(of_negatives, 0) / (negatives - 1) + np.maximum(of_positives, 0) / (positives - 1)
    return np.asarray(np.sqrt(np.where(held <= 1, variance, np.inf).min(axis=1)))


def _largest(values: Numbers, positives: float, negatives: float) -> Numbers:
    fewer = min(positives, negatives)
    return np.sqrt(values * (1 - values) / (fewer - 1)) if fewer > 1 else np.full(len(values), np.inf)


def _fits(values: Numbers, ends: Sequence[PrintedNumber], reach: Sequence[Numbers]) -> str:
    """Whether the ends are nearer than they can be, or farther, or nearer than without ties."""
    for nearest, word in ((reach[0], NARROWER), (reach[1], TIED)):
        if any(_beyond(end, _ends(values, nearest, end), inside=True) for end in ends):
            return word
    return WIDER if any(_beyond(end, _ends(values, reach[2], end), inside=False) for end in ends) else ""


def _beyond(each: PrintedNumber, reached: Numbers, *, inside: bool) -> bool:
    """Whether a printed end lies nearer to the value than all that can be reached, or farther."""
    rounding_bounds = each.bounds(MIXED)
    above, below = rounding_bounds.low > reached.max(), rounding_bounds.high < reached.min()
    return bool(above if (each.end == "low") is inside else below)


def _ends(values: Numbers, error: Numbers, each: PrintedNumber) -> Numbers:
    """Return the end at this distance, on the plain scale (cut at 0 and 1) and on the logit scale."""
    side = -1 if each.end == "low" else 1
    with np.errstate(all="ignore"):
        on_logit = expit(logit(values) + side * error / (values * (1 - values)))
    plain = np.clip(values + side * error, 0.0, 1.0)
    return np.concatenate([plain, np.where(np.isnan(on_logit), plain, on_logit)])


def _methods(
    values: Numbers, ends: Sequence[PrintedNumber], positives: float, negatives: float, level: float
) -> list[str]:
    """Methods whose ends round to those printed, for an area that rounds to the printed one."""
    reach = quantile(level) * hanley_mcneil_se(values, positives, negatives)
    with np.errstate(all="ignore"):
        logits = [expit(logit(values) + side * reach / (values * (1 - values))) for side in (-1, 1)]
    known = {
        "Hanley-McNeil": (np.clip(values - reach, 0, 1), np.clip(values + reach, 0, 1)),
        "Hanley-McNeil on the logit scale": (logits[0], logits[1]),
    }
    sizes = {"all cases": positives + negatives, "positives": positives, "negatives": negatives}
    for label, function in _BINOMIAL.items():
        for what, trials in sizes.items():
            known[f"{label} of a proportion of the {what}"] = function(values * trials, trials, confidence_level=level)
    return [name for name, limits in known.items() if _agree(limits, ends)]


def _agree(limits: tuple[Numbers, Numbers], ends: Sequence[PrintedNumber]) -> bool:
    held = [end.bounds(TIES).hold(limits[0] if end.end == "low" else limits[1]) for end in ends]
    return bool(np.logical_and.reduce(held).any())


def _said_of_value(area: PrintedNumber, possible: bool, sizes: str) -> str:
    if possible:
        return f"AUROC {area.text} is possible for {sizes}."
    return f"AUROC {area.text} is impossible as printed: {sizes} cannot give it."


def _said_of_interval(
    ends: Sequence[PrintedNumber],
    fits: str,
    methods: Sequence[str],
    sizes: str,
    errors: tuple[float, float, float],
    printed: float,
) -> str:
    shown = " to ".join(end.text for end in ends) if len(ends) == 2 else f"{ends[0].end} end {ends[0].text}"
    if methods:
        return f"The AUROC's interval, {shown}, is reproduced by {listed(methods)}."
    width = "" if math.isnan(printed) else f"; its width stands for {printed:.4f}"
    span = f"{errors[1]:.4f} to {errors[2]:.4f}, with ties from {errors[0]:.4f}"
    reach = f"(standard error by DeLong's formula {span}{width})"
    if fits in (NARROWER, WIDER):
        told = f"is impossible as printed: it is {fits} than any DeLong interval of {sizes} at this AUROC"
    elif fits == TIED:
        told = f"is narrower than any DeLong interval of {sizes} without tied scores at this AUROC"
    else:
        told = f"is not reproduced by Hanley-McNeil; a DeLong interval of {sizes} may be so wide"
    return f"The AUROC's interval, {shown}, {told} {reach}."

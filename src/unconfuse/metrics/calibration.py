"""Calibration: intercept and slope of the logistic recalibration, their bounds, and the Brier score taken apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from unconfuse import _kernels
from unconfuse._formatting import strict_json
from unconfuse._validate import check_bins, check_choice
from unconfuse.metrics._metric import ratio
from unconfuse.metrics._tie_blocks import hull_segments, totals
from unconfuse.metrics.bounds import Bound
from unconfuse.metrics.probability import Index, bin_totals, brier, check_probabilities, probability_metric
from unconfuse.table import Array, ScoreTable, remembered

Flags = np.typing.NDArray[np.bool_]
_VAN_CALSTER = "Van Calster et al. (2019), BMC Medicine 17:230, Calibration: the Achilles heel of predictive analytics"
_COX = "Cox (1958), Biometrika 45:562, Two further applications of a model for binary regression"
_CERTAIN = "a stated probability is exactly 0 or 1, whose log-odds are infinite"
_ROOM = 1e-9  # for the rounding of roots
_STEP = 1e-11  # at which a root is found: well inside that room
_MOST_STEPS = 100  # enough to halve any two limits down to such a step
_NEAREST, _FARTHEST = 1e-5, 1e3  # distances from the slope between which its bounds are looked for
_AROUND = 1e-4  # and twice a distance are the share of it by which a straight line misses it, at most and as a rule


# Neither bound trusts a fit: a number is a bound because a sum certainly lies on one side of 0 there.
def _intercept_bounds(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """Bound the intercept, which falls when any log-odds rise: with all at their highest, and all at their lowest."""
    near = float(metric(table))
    if np.isnan(near):
        return np.nan, np.nan
    low, high = _log_odds(table)
    weight, pos = table.positives + table.negatives, table.n_positives
    return _level(high, weight, pos, near) - _ROOM, _level(low, weight, pos, near) + _ROOM


def _slope_bounds(metric: Any, table: ScoreTable, threshold: float | None = None) -> Bound:
    """Bound the slope, which is above b if and only if the likelihood rises at b: where it certainly does, or falls."""
    middle = float(metric(table))
    if np.isnan(middle):
        return np.nan, np.nan
    rise = cache(partial(_rise, table, near=float(_fitted(table)[1])))
    below, above = _MarginCheck(lambda far: rise(middle - far)[0]), _MarginCheck(lambda far: -rise(middle + far)[1])
    return middle - _nearest(below), middle + _nearest(above)


class _MarginCheck:
    """Whether something is certain at a distance from the middle: where a margin, which grows with it, is above 0.

    A margin takes sums over all blocks, so it is asked for as seldom as can be: what is certain at one distance is
    certain at all larger ones, and where it begins between two distances, these answer nearly all else.
    """

    def __init__(self, margin: Callable[[float], float]) -> None:
        self._margin, self._no, self._yes = margin, 0.0, np.inf
        start, step = margin(0.0), margin(_NEAREST)
        root = _NEAREST * start / (start - step) if start < 0 and start < step else np.inf  # were it a straight line
        below, above = root * (1 - _AROUND - 2 * root), root * (1 + _AROUND + 2 * root)
        if above < _FARTHEST and margin(below) <= 0 < margin(above):
            self._no, self._yes = below, above

    def at(self, far: float) -> bool:
        """Whether it is certain there."""
        if self._no < far < self._yes:
            is_certain = self._margin(far) > 0
            self._no, self._yes = (self._no, far) if is_certain else (far, self._yes)
        return far >= self._yes


def _nearest(certain: _MarginCheck) -> float:
    """Find a distance at which something is certain, about as near as can be; infinite if there is none."""
    near, far = 0.0, _NEAREST
    while not certain.at(far):
        near, far = far, 8 * far
        if far > _FARTHEST:
            return np.inf
    for _ in range(8):
        half = (near + far) / 2
        near, far = (near, half) if certain.at(half) else (half, far)
    return far


def _rise(table: ScoreTable, b: float, near: float) -> Bound:
    """Limits of the derivative of the likelihood in the slope at b, the intercept (`near` such a one) being fitted."""
    from unconfuse._scipy_special import expit

    low, high, centre, room = remembered(table, "log-odds", lambda: _centred(table))
    z_low, z_high = (low * b, high * b) if b >= 0 else (high * b, low * b)
    weight, pos = table.positives + table.negatives, table.n_positives
    a_low, a_high = _level(z_high, weight, pos, near) - _ROOM, _level(z_low, weight, pos, near) + _ROOM
    chance = expit(a_low + z_low), expit(a_high + z_high)
    positive = _products(1 - chance[1], 1 - chance[0], low - centre, high - centre)
    negative = _products(*chance, low - centre, high - centre)
    least = float((table.positives * positive[0] - table.negatives * negative[1]).sum())
    most = float((table.positives * positive[1] - table.negatives * negative[0]).sum())
    return least - room, most + room


def _centred(table: ScoreTable) -> tuple[Array, Array, float, float]:
    """Return the log-odds of the ends, a centre from which the intercept lets them be measured, and room for rounding.

    None of it depends on the slope that is asked about.
    """
    low, high = _log_odds(table)
    weight = table.positives + table.negatives
    centre = float(weight @ (low + high)) / (2 * table.n)
    return low, high, centre, _ROOM * (1e-3 * float((weight * np.maximum(np.abs(low), np.abs(high))).sum()) + 1e-6)


def _products(small: Array, large: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Limits of r x for 0 <= small <= r <= large and low <= x <= high."""
    return np.where(low < 0, large, small) * low, np.where(high > 0, large, small) * high


def _level(z: Array, weight: Array, positives: float, near: float) -> float:
    """Find the intercept at which the expected number of positives is right, by Newton's steps from a place near it.

    Every step narrows the limits between which it certainly lies; one that would leave them halves them instead.
    """
    from unconfuse._scipy_special import expit

    even = np.log(positives) - np.log(weight.sum() - positives)  # the answer if all z were 0
    low, high = even - float(z.max()) - 1e-6, even - float(z.min()) + 1e-6
    a = min(max(near, low), high)
    for _ in range(_MOST_STEPS):
        chance = expit(a + z)
        expected = weight * chance
        excess, rise = float(expected.sum()) - positives, float((expected * (1 - chance)).sum())
        low, high = (low, a) if excess > 0 else (a, high)
        following = a - excess / rise if rise > 0 else np.inf
        before, a = a, following if low <= following <= high else (low + high) / 2
        if abs(a - before) <= _STEP:
            break
    return float(a)


def _log_odds(table: ScoreTable) -> tuple[Array, Array]:
    """Return the log-odds of each block's ends, kept finite: a stated 0 or 1 leaves both metrics undefined anyway."""
    inside = (np.clip(ends, np.nextafter(0, 1), np.nextafter(1, 0)) for ends in (table.score, table.upper_edges))
    low, high = (np.log(end) - np.log1p(-end) for end in inside)
    return low, high


def _cause(table: ScoreTable) -> str:
    """Why these scores cannot be recalibrated: the first reason that applies."""
    if not table.n_positives or not table.n_negatives:
        return "one of the classes is empty"
    held = table.positives + table.negatives
    zeros, ones = (float(held[table.score == end].sum()) for end in (0.0, 1.0))
    if zeros or ones:
        ends = " or ".join(end for end, cases in (("0", zeros), ("1", ones)) if cases)
        cases = "1 case" if zeros + ones == 1 else f"{zeros + ones:g} cases"
        return f"the stated probability of {cases} is exactly {ends}, whose log-odds are infinite"
    if np.count_nonzero(held) < 2:
        return "the scores are all the same"
    return "a threshold separates the classes, so the slope is infinite"


_recalibrated = partial(
    probability_metric, interval="profile", better="neither", cause=_cause, references=(_VAN_CALSTER, _COX)
)

calibration_intercept = _recalibrated(
    "calibration_intercept",
    label="Calibration intercept (in the large)",
    question="Are the stated probabilities too low (above 0) or too high (below 0) overall, on the log-odds scale?",
    bounds=_intercept_bounds,
    recalibrates="intercept",
    formula=r"a:\ \mathrm{logit}\,\Pr(y=1)=a+\mathrm{logit}(s)",
    chance=lambda prevalence, queue_rate: np.zeros(np.broadcast_shapes(prevalence.shape, queue_rate.shape)),
    undefined=f"one of the classes is empty, or {_CERTAIN}",
    misleads="The ideal is 0, which wrong probabilities reach too if their errors cancel. The slope is held at 1; the "
    "intercept fitted together with the slope is another number.",
    example=0.28562117741655507,
    function=lambda table: _fitted(table)[0],
)

calibration_slope = _recalibrated(
    "calibration_slope",
    label="Calibration slope",
    question="Are the probabilities too extreme (below 1) or too close to the mean (above 1)?",
    bounds=_slope_bounds,
    recalibrates="slope",
    formula=r"b:\ \mathrm{logit}\,\Pr(y=1)=a+b\,\mathrm{logit}(s)",
    undefined=f"one of the classes is empty, the scores are all the same, a threshold separates the classes (the slope "
    f"is infinite), or {_CERTAIN}",
    misleads="The ideal is 1. It rests on the log-odds scale and on the few most extreme scores.",
    example=0.7235251353648514,
    function=lambda table: _fitted(table)[2],
)


def recalibration(table: ScoreTable) -> tuple[Array, Array]:
    """Intercept and slope fitted together (Cox); NaN where undefined."""
    check_probabilities(table)
    return _fitted(table)[1:]


def _has_certainties(table: ScoreTable) -> Flags:
    inside = _uncertain(table)
    cuts = slice(inside.start), slice(inside.stop, None)
    first, last = ((table.positives[..., cut] + table.negatives[..., cut] > 0).any(axis=-1) for cut in cuts)
    return np.asarray(first | last)


def _uncertain(table: ScoreTable) -> slice:
    """Where the scores lie strictly between 0 and 1; they descend."""
    from_below = table.score[::-1]
    first, last = np.searchsorted(from_below, 1.0, side="left"), np.searchsorted(from_below, 0.0, side="right")
    return slice(len(table) - int(first), len(table) - int(last))


def _separated(table: ScoreTable) -> Flags:
    """Whether some threshold has all positives on one side and all negatives on the other (one tied block at most)."""
    positives, negatives = np.broadcast_arrays(table.positives > 0, table.negatives > 0)
    if positives.shape[-1] == 0:
        return np.full(positives.shape[:-1], True)
    (first_p, last_p), (first_n, last_n) = (_ends(each) for each in (positives, negatives))
    empty = ~positives.any(axis=-1) | ~negatives.any(axis=-1)
    return np.asarray(empty | (last_p <= first_n) | (last_n <= first_p))


def _ends(present: Flags) -> tuple[Index, Index]:
    """Return the first and the last place where something is present."""
    return np.argmax(present, axis=-1), present.shape[-1] - 1 - np.argmax(present[..., ::-1], axis=-1)


def _fitted(table: ScoreTable) -> tuple[Array, Array, Array]:
    """Intercept with slope 1, then intercept and slope fitted together; NaN where undefined."""
    return remembered(table, "recalibration", lambda: _fit(table))


def _fit(table: ScoreTable) -> tuple[Array, Array, Array]:
    positives, negatives = totals(table)
    sure, inside = _has_certainties(table), _uncertain(table)
    usable, with_slope = (positives > 0) & (negatives > 0) & ~sure, ~(sure | _separated(table))
    level, intercept, slope = _kernels.recalibrate(
        table.score[inside], table.positives[..., inside], table.negatives[..., inside], with_slope
    )
    intercept, slope = (np.where(with_slope, each, np.nan) for each in (intercept, slope))
    return np.where(usable, level, np.nan), intercept, slope


@dataclass(frozen=True)
class BrierDecomposition:
    """Brier = reliability - resolution + uncertainty + within: how wrong, how discerning, how hard, what bins hide."""

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    method: str

    @strict_json
    def as_dict(self) -> dict[str, float | str]:
        """Plain values."""
        return asdict(self)

    def __str__(self) -> str:
        within = f" + within {self.within:.4f}" if self.within else ""
        return (
            f"Brier {self.brier:.4f} = reliability {self.reliability:.4f} - resolution {self.resolution:.4f} "
            f"+ uncertainty {self.uncertainty:.4f}{within} ({self.method})"
        )


def brier_decomposition(table: ScoreTable, *, method: str = "isotonic", n_bins: int = 15) -> BrierDecomposition:
    """Take the Brier score apart.

    Parameters
    ----------
    method : {"isotonic", "equal_width", "equal_mass"}
        "isotonic" compares the scores with their best monotone recalibration (CORP): no bins to choose, nothing left
        over. The others use Murphy's bins; `within` is what the spread of scores within a bin adds.

    References
    ----------
    Dimitriadis, Gneiting & Jordan (2021), PNAS 118:e2016191118. Murphy (1973), J Appl Meteorol 12:595.

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> print(brier_decomposition(PHOTOS))
    Brier 0.2250 = reliability 0.1000 - resolution 0.1250 + uncertainty 0.2500 (isotonic)
    """
    check_probabilities(table)
    check_choice(method, "method", ("isotonic", "equal_width", "equal_mass"))
    score, pi = float(brier(table)), table.prevalence
    if method == "isotonic":
        positives, negatives = hull_segments(table.positives, table.negatives)
        resolution = _resolution(positives, positives + negatives)
        return BrierDecomposition(score, score - pi * (1 - pi) + resolution, resolution, pi * (1 - pi), 0.0, "isotonic")
    bins = check_bins(n_bins)
    positives, weight, stated = bin_totals(table, bins, method)
    resolution = _resolution(positives, weight)
    reliability = float(np.nansum(ratio((stated - positives) ** 2, weight)) / table.n)
    within = score - reliability + resolution - pi * (1 - pi)
    words = f"{bins} bins of {method.replace('_', ' ')}"
    return BrierDecomposition(score, reliability, resolution, pi * (1 - pi), within, words)


def _resolution(positives: Array, weight: Array) -> float:
    """Spread of the shares of positives around the prevalence."""
    total = weight.sum()
    return float(np.nansum(ratio((positives - weight * positives.sum() / total) ** 2, weight)) / total)

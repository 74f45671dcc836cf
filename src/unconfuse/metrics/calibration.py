"""Calibration on the log-odds scale: intercept and slope of the logistic recalibration."""

from __future__ import annotations

import numpy as np

from unconfuse.metrics import _calibration_bounds
from unconfuse.metrics._blocks import PHOTOS, totals
from unconfuse.metrics._definition import Example, ratio
from unconfuse.metrics.probability import check_probabilities, probability_metric
from unconfuse.table import Array, ScoreTable

_VAN_CALSTER = "Van Calster et al. (2019), BMC Medicine 17:230, Calibration: the Achilles heel of predictive analytics"
_COX = "Cox (1958), Biometrika 45:562, Two further applications of a model for binary regression"
_CERTAIN = "a stated probability is exactly 0 or 1, whose log-odds are infinite"
_STEPS = 60
_PIECE = 8192  # also below the size from which BLAS starts threads


@probability_metric(
    label="Calibration intercept (in the large)",
    bounds=_calibration_bounds.intercept,
    question="Are the stated probabilities too low (above 0) or too high (below 0) overall, on the log-odds scale?",
    better="neither",
    formula=r"a:\ \mathrm{logit}\,\Pr(y=1)=a+\mathrm{logit}(s)",
    chance=lambda prevalence, queue_rate: np.zeros(np.broadcast_shapes(prevalence.shape, queue_rate.shape)),
    undefined=f"one of the classes is empty, or {_CERTAIN}",
    misleads="The ideal is 0, which wrong probabilities reach too if their errors cancel. The slope is held at 1; the "
    "intercept fitted together with the slope is another number.",
    references=(_VAN_CALSTER, _COX),
    example=Example(PHOTOS, 0.28562117741655507),
)
def calibration_intercept(table: ScoreTable) -> Array:
    """Intercept of the logistic regression of the truth on the log-odds of the scores, with slope 1."""
    positives, negatives = totals(table)
    usable = (positives > 0) & (negatives > 0) & ~_has_certainties(table)
    return _fitted(table, usable, with_slope=False)[0]


@probability_metric(
    label="Calibration slope",
    bounds=_calibration_bounds.slope,
    question="Are the stated probabilities too extreme (below 1) or too timid (above 1)?",
    better="neither",
    formula=r"b:\ \mathrm{logit}\,\Pr(y=1)=a+b\,\mathrm{logit}(s)",
    undefined=f"one of the classes is empty, the scores are all the same, a threshold separates the classes (the slope "
    f"is infinite), or {_CERTAIN}",
    misleads="The ideal is 1. It rests on the log-odds scale and on the few most extreme scores.",
    references=(_VAN_CALSTER, _COX),
    example=Example(PHOTOS, 0.7235251353648514),
)
def calibration_slope(table: ScoreTable) -> Array:
    """Slope of the logistic regression of the truth on the log-odds of the scores."""
    return _fitted(table, ~(_has_certainties(table) | _separated(table)), with_slope=True)[1]


def recalibration(table: ScoreTable) -> tuple[Array, Array]:
    """Intercept and slope fitted together (Cox); NaN where undefined."""
    check_probabilities(table)
    return _fitted(table, ~(_has_certainties(table) | _separated(table)), with_slope=True)


def _has_certainties(table: ScoreTable) -> np.typing.NDArray[np.bool_]:
    certain = (table.score <= 0) | (table.score >= 1)
    return np.asarray(((table.positives + table.negatives)[..., certain] > 0).any(axis=-1))


def _separated(table: ScoreTable) -> np.typing.NDArray[np.bool_]:
    """Whether some threshold has all positives on one side and all negatives on the other (one tied block at most)."""
    positives, negatives = np.broadcast_arrays(table.positives > 0, table.negatives > 0)
    if positives.shape[-1] == 0:
        return np.full(positives.shape[:-1], True)
    (first_p, last_p), (first_n, last_n) = (_ends(each) for each in (positives, negatives))
    empty = ~positives.any(axis=-1) | ~negatives.any(axis=-1)
    return np.asarray(empty | (last_p <= first_n) | (last_n <= first_p))


def _ends(present: np.typing.NDArray[np.bool_]) -> tuple[np.typing.NDArray[np.intp], np.typing.NDArray[np.intp]]:
    return np.argmax(present, axis=-1), present.shape[-1] - 1 - np.argmax(present[..., ::-1], axis=-1)


def _fitted(table: ScoreTable, usable: np.typing.NDArray[np.bool_], *, with_slope: bool) -> tuple[Array, Array]:
    """Newton's method for all replicates at once; NaN where not usable."""
    inside = (table.score > 0) & (table.score < 1)
    if not (np.any(usable) and np.any(inside)):
        return np.full(usable.shape, np.nan), np.full(usable.shape, np.nan)
    score = table.score[inside]
    x = np.log(score) - np.log1p(-score)
    positives, weight = (np.where(usable[..., None], each[..., inside], 0.0)
                         for each in (table.positives, table.positives + table.negatives))
    start = np.zeros(usable.shape), np.ones(usable.shape)
    if x.size > 40_000 and not usable.shape:
        start = _newton(*_coarse(x, positives, weight), start, with_slope=with_slope)
    intercept, slope = _newton(x, positives, weight, start, with_slope=with_slope)
    return np.where(usable, intercept, np.nan), np.where(usable, slope, np.nan)


def _coarse(x: Array, positives: Array, weight: Array) -> tuple[Array, Array, Array]:
    """The same data in 4,096 groups of neighbours: started from their fit, Newton needs one or two full steps."""
    starts = np.linspace(0, x.size, 4096, endpoint=False).astype(np.intp)
    total = np.add.reduceat(weight, starts)
    mean = np.divide(np.add.reduceat(weight * x, starts), total, out=np.zeros_like(total), where=total > 0)
    return mean, np.add.reduceat(positives, starts), total


def _newton(
    x: Array, positives: Array, weight: Array, start: tuple[Array, Array], *, with_slope: bool
) -> tuple[Array, Array]:
    """Newton's method with halved steps where a full one would lower the likelihood."""
    at = np.stack(start)
    for _ in range(_STEPS):
        g0, g1, h00, h01, h11 = _slopes(x, positives, weight, at, with_slope=with_slope)
        if with_slope:
            whole = h00 * h11 - h01 * h01
            step = np.stack([ratio(g0 * h11 - g1 * h01, whole), ratio(g1 * h00 - g0 * h01, whole)])
        else:
            step = np.stack([ratio(g0, h00), np.zeros_like(g0)])
        step = np.nan_to_num(step, posinf=0.0, neginf=0.0)
        if np.abs(step).max(initial=0.0) > 1e-3:  # far away; close by, a full step is always right
            step = _uphill(x, positives, weight, at, step)
        at = at + step
        if np.abs(step).max(initial=0.0) < 1e-7:  # quadratic: the error left is at the rounding
            break
    return at[0], at[1]


def _slopes(x: Array, positives: Array, weight: Array, at: Array, *, with_slope: bool) -> Array:
    """First and second derivatives of the log-likelihood, piece by piece so that each piece stays in the cache."""
    from scipy.special import expit

    sums = np.zeros((5, *at.shape[1:]))
    for begin in range(0, x.size, _PIECE):
        piece = slice(begin, begin + _PIECE)
        xs, ws = x[piece], weight[..., piece]
        chance = expit(at[0][..., None] + at[1][..., None] * xs)
        rest, spread = positives[..., piece] - ws * chance, ws * chance * (1 - chance)
        sums[0] += rest.sum(axis=-1)
        sums[2] += spread.sum(axis=-1)
        if with_slope:
            sums[1] += rest @ xs
            sums[3] += spread @ xs
            sums[4] += spread @ (xs * xs)
    return sums


def _uphill(x: Array, positives: Array, weight: Array, at: Array, step: Array) -> Array:
    """The step, halved for each replicate until the likelihood does not fall."""
    before = _log_likelihood(x, positives, weight, at)
    for _ in range(30):
        worse = ~(_log_likelihood(x, positives, weight, at + step) >= before - 1e-12 * np.abs(before))
        if not worse.any():
            break
        step = np.where(worse, step / 2, step)
    return step


def _log_likelihood(x: Array, positives: Array, weight: Array, at: Array) -> Array:
    odds = at[0][..., None] + at[1][..., None] * x
    return np.asarray((positives * odds - weight * np.logaddexp(0.0, odds)).sum(axis=-1))

"""Calibration on the log-odds scale: intercept and slope of the logistic recalibration."""

from __future__ import annotations

import numpy as np

from unconfuse import _kernels
from unconfuse.metrics import _calibration_bounds
from unconfuse.metrics._blocks import PHOTOS, totals
from unconfuse.metrics._definition import Example
from unconfuse.metrics.probability import check_probabilities, probability_metric
from unconfuse.table import Array, ScoreTable, remembered

_VAN_CALSTER = "Van Calster et al. (2019), BMC Medicine 17:230, Calibration: the Achilles heel of predictive analytics"
_COX = "Cox (1958), Biometrika 45:562, Two further applications of a model for binary regression"
_CERTAIN = "a stated probability is exactly 0 or 1, whose log-odds are infinite"


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
    return _fitted(table)[0]


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
    return _fitted(table)[2]


def recalibration(table: ScoreTable) -> tuple[Array, Array]:
    """Intercept and slope fitted together (Cox); NaN where undefined."""
    check_probabilities(table)
    return _fitted(table)[1:]


def _has_certainties(table: ScoreTable) -> np.typing.NDArray[np.bool_]:
    inside = _uncertain(table)
    weight = (
        each[..., cut]
        for each in (table.positives, table.negatives)
        for cut in (slice(0, inside.start), slice(inside.stop, None))
    )
    return np.asarray(np.logical_or.reduce([(each > 0).any(axis=-1) for each in weight]))


def _uncertain(table: ScoreTable) -> slice:
    """Where the scores lie strictly between 0 and 1; they descend."""
    from_below = table.score[::-1]
    return slice(
        len(table) - int(np.searchsorted(from_below, 1.0, side="left")),
        len(table) - int(np.searchsorted(from_below, 0.0, side="right")),
    )


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

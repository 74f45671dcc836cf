"""Columns and curves for a page: rounded to what is read, thinned to what can be seen, with their bands."""

from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._formatting import plain_json
from unconfuse.curves import Curve, curve
from unconfuse.curves._curve import outlined, single_table
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.bands import bands_of_shares

HALF_A_PIXEL = 0.5 / 400  # of a picture 400 pixels wide: the largest error that thinning may make
_FIRST = 0.2  # share of it that the first, coarse pass may use
_MOST = 20_000
ANY_SCORES = ("roc", "precision_recall", "precision_recall_gain", "gain")
BETWEEN_BLOCKS = ("roc", "precision_recall", "gain")  # what a binned table gives exactly, at the ends of its blocks
PROBABILITIES = ("reliability", "decision_curve")
_LOWEST = {"precision_recall_gain": -0.2, "decision_curve": -1.0}  # that the picture shows: they may fall without end
_BASELINES = {"roc": "chance", "gain": "chance perfect", "precision_recall": "prevalence", "reliability": "ideal"}
_BASELINES |= {"precision_recall_gain": "chance", "decision_curve": "treat_all treat_none"}
_FEW_BLOCKS = 400
_BETWEEN = np.linspace(0, 1, 9)[1:]


def picked(each: Any, names: str) -> dict[str, Any]:
    """Return some attributes by name, in this order."""
    return {name: getattr(each, name) for name in names.split()}


def rounded(values: Any, digits: int = 5) -> list[Any]:
    """Round a column to significant digits, with NaN as None and infinities as text.

    >>> rounded([0.123456789, float("nan"), float("inf"), 0.0])
    [0.12346, None, 'inf', 0]
    """
    return [_whole(each) for each in plain_json([float(f"{each:.{digits}g}") for each in np.asarray(values).tolist()])]


def exact(values: Array) -> list[Any]:
    """Return a column as it is, whole numbers without a point."""
    return [_whole(each) for each in plain_json(np.asarray(values).tolist())]


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def thin(x: Array, y: Array, tolerance: float = HALF_A_PIXEL) -> npt.NDArray[np.intp]:
    """Which points of a line to keep, so that the rest lie within `tolerance` (of the larger spread) of what is drawn.

    >>> x = np.linspace(0, 1, 1001)
    >>> len(thin(x, x)), len(thin(x, x**2)) < 30
    (2, True)
    """
    if len(x) <= 2:
        return np.arange(len(x))
    across, up = float(np.ptp(x)), float(np.ptp(y))
    if across == abs(float(x[-1] - x[0])) and (up == 0 or np.array_equal(x, y)):  # as most baselines: a straight line
        return np.array([0, len(x) - 1])
    spread = max(across, up) or 1.0
    along = _travelled(x, y)
    coarse = _evenly(along, max(tolerance * _FIRST * spread, along[-1] / _MOST))
    line = np.column_stack([x[coarse], y[coarse]]) / spread
    return np.asarray(coarse[_corners(line, tolerance * (1 - _FIRST))])


def _travelled(x: Array, y: Array) -> Array:
    """Return the way along the line to each point, across and up; in place, as lines may have millions of points."""
    steps = np.zeros(len(x))
    for each in (x, y):
        along = np.subtract(each[1:], each[:-1])
        steps[1:] += np.abs(along, out=along)
    return np.cumsum(steps, out=steps)


def _evenly(along: Array, step: float) -> npt.NDArray[np.intp]:
    """Return the first point of every step along the line, and the last point before the next: corners survive."""
    moves = np.diff(np.floor(along / step)) > 0
    return np.flatnonzero(np.append(True, moves) | np.append(moves, True))


def _corners(line: Array, tolerance: float) -> npt.NDArray[np.intp]:
    """Ramer, Douglas and Peucker: split where the line strays furthest from its chord, until it strays no more."""
    keep = np.zeros(len(line), dtype=bool)
    keep[[0, -1]] = True
    open_parts = [(0, len(line) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        away = _distance(line[first + 1 : last], line[first], line[last])
        furthest = int(np.argmax(away))
        if away[furthest] > tolerance:
            middle = first + 1 + furthest
            keep[middle] = True
            open_parts += [(first, middle), (middle, last)]
    return np.flatnonzero(keep)


def _distance(points: Array, start: Array, end: Array) -> Array:
    """Of each point to the stretch from start to end."""
    chord = end - start
    length = float(chord @ chord)
    share = np.clip((points - start) @ chord / length, 0, 1) if length else np.zeros(len(points))
    return np.asarray(np.hypot(*(points - start - share[:, None] * chord).T))


def curves_of(evaluation: Evaluation, *, bands: bool = True) -> dict[str, Any]:
    """Every curve that these scores allow."""
    table = evaluation.score_table
    if table is None:
        return {}
    if not table.is_exact:
        return {name: _line(evaluation.curve(name)) for name in BETWEEN_BLOCKS}
    names = ANY_SCORES + (() if table.probability_problem else PROBABILITIES)
    found = {name: _shown(name, single_table(table)) for name in names}
    found["precision_recall"] |= _between_blocks(table)
    sampling = evaluation.sample.sampling
    if bands and sampling.independent:
        around = bands_of_shares(table, ANY_SCORES, evaluation.settings, fixed_classes=sampling.fixed_classes)
        if "decision_curve" in found and sampling.is_cohort:
            around["decision_curve"] = evaluation.band("decision_curve")
        for name, band in around.items():
            found[name]["band"] = _band(band, _LOWEST.get(name, -np.inf))
    if not table.probability_problem:
        found["reliability"]["bins"] = _bins(evaluation)
    return found


def _shown(name: str, table: ScoreTable) -> dict[str, Any]:
    """Return the line of a curve, drawn from the table's outline; `points` are those of the whole curve."""
    if name == "decision_curve":  # whose thresholds are no scores
        return _line(curve(name, table))
    outline = outlined(table)
    each = curve(name, outline)
    highest = each["threshold"][0] if "threshold" in each.columns else np.inf
    drawn, there = (
        int(np.searchsorted(score_table.score[::-1], highest, side="right")) for score_table in (outline, table)
    )
    return _line(each) | {"points": len(each) + there - drawn}


def _line(each: Curve) -> dict[str, Any]:
    baselines = {name: {"words": each.baselines[name], **_drawn(each, name)} for name in _BASELINES[each.name].split()}
    labels = {"x_label": each.label(each.x), "y_label": each.label(each.y)}
    return {**_drawn(each, each.y), **labels, "points": len(each), "baselines": baselines, "note": each.note}


def _drawn(each: Curve, column: str) -> dict[str, Any]:
    """Return the part that the picture shows: a gain or a net benefit may fall without end."""
    lowest = _LOWEST.get(each.name, -np.inf)
    x, y = each[each.x], np.maximum(each[column], lowest)
    keep = np.arange(len(x)) if each.name == "decision_curve" else thin(x, y)
    return {"x": rounded(x[keep]), "y": rounded(y[keep])}


def _between_blocks(table: ScoreTable) -> dict[str, Any]:
    """Between two thresholds precision does not run straight: false positives grow evenly with true ones."""
    if len(table) > _FEW_BLOCKS:
        return {}
    counts = table.counts()
    tp, fp = (_filled(each) for each in (counts.tp, counts.fp))
    there = tp + fp > 0
    recall, precision = tp[there] / tp[-1], tp[there] / (tp + fp)[there]
    keep = thin(recall, precision)
    return {"x": rounded(recall[keep]), "y": rounded(precision[keep])}


def _filled(cumulated: Array) -> Array:
    before = np.append(0.0, cumulated[:-1])
    return np.asarray((before[:, None] + (cumulated - before)[:, None] * _BETWEEN).reshape(-1))


def _band(found: Any, lowest: float) -> dict[str, Any]:
    ends = {name: rounded(np.maximum(getattr(found, name), lowest), 4) for name in ("low", "high")}
    return {"x": rounded(found.x), **ends, **picked(found, "kind method")}


def _bins(evaluation: Evaluation) -> dict[str, Any]:
    found = evaluation.curve("reliability_bins", confidence_level=evaluation.confidence_level)
    return {name: rounded(found[name]) for name in ("score", "share", "low", "high", "weight")} | {"note": found.note}


def histogram_of(evaluation: Evaluation) -> dict[str, Any]:
    """How the scores of both classes are spread."""
    found = evaluation.curve("score_histogram")
    return {name: rounded(found[name], 6) for name in ("left", "right", "share_of_positives", "share_of_negatives")}

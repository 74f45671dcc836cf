"""Bands around whole curves: for each point alone, or for the curve as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._deprecated import renamed_parameters
from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import TabularResult
from unconfuse._scipy_special import betaincinv, ndtr, ndtri
from unconfuse._validate import (
    as_floats,
    check_both_classes,
    check_choice,
    check_probability,
    check_resamples,
    check_seed,
    check_text,
    public_api,
)
from unconfuse.curves._curve import outlined
from unconfuse.curves.grid_values import HEIGHTS, CurveSpec, Height, trend
from unconfuse.metrics import Metric, find_metrics
from unconfuse.metrics._metric import ratio
from unconfuse.metrics.influence_functions import quantile
from unconfuse.metrics.probability import check_probabilities
from unconfuse.table import Array, ScoreTable, Settings, check_table, fractions, parse_design
from unconfuse.uncertainty import exact_bands
from unconfuse.uncertainty.bootstrap import PLACES, banded, half_case, slices
from unconfuse.uncertainty.influence_intervals import widen_to_value

# What curves of other samples stray further than resamples show at the ends of a grid: chosen among 1, 1.1 and 1.2 in
# eight settings of 60 to 1,000 cases, where the true curve was held in .82 to .97, .88 to .98 and .92 to .98.
_ALLOWANCE = 1.2
_FEW = 3.0  # cases that keep a share from its end
_CELLS_AT_A_TIME = 1 << 18  # of resampled tables and their curves: what stays in the cache
_RESAMPLES = 2000
_ALIASES = {"net_benefit": "decision_curve", "pr": "precision_recall", "prg": "precision_recall_gain"}
_OF_PROBABILITIES = ("brier_curve", "decision_curve", "reliability", "reliability_bins")
EXACT = {
    "decision_curve": exact_bands.net_benefit,
    "reliability": exact_bands.reliability,
    "reliability_bins": exact_bands.reliability_bins,
    "score_histogram": exact_bands.score_histogram,
}
BANDS = (*HEIGHTS, *EXACT, "trends")


@public_api
@dataclass(frozen=True)
class ConfidenceBand(TabularResult):
    """A curve on a grid with its band.

    Attributes
    ----------
    x, y, low, high : arrays
    kind : {"pointwise", "simultaneous"}
        Whether the band holds the true curve at each point, or everywhere at once, with the confidence level.
    """

    x: Array
    y: Array
    low: Array
    high: Array
    kind: str
    confidence_level: float
    method: str

    def rows(self) -> list[dict[str, Any]]:
        """One row for each point."""
        columns = zip(*(each.tolist() for each in (self.x, self.y, self.low, self.high)), strict=True)
        return [dict(zip(("x", "y", "low", "high"), column, strict=True)) for column in columns]


@renamed_parameters(at="grid")
@public_api
def band(
    table: ScoreTable,
    curve: str = "roc",
    *,
    grid: npt.ArrayLike | None = None,
    kind: str = "pointwise",
    metric: str | Metric | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = _RESAMPLES,
    design: str = "cohort",
    rng: int = 0,
) -> ConfidenceBand:
    """Return a band around any curve: ROC, precision-recall, decision curve, reliability, trends and the others.

    Parameters
    ----------
    table : ScoreTable
    curve : str
        Its name in `ev.curve(...)`. The decision curve ("net_benefit") has a Gaussian band without resampling,
        reliability diagrams and histograms exact binomial ones, the others a bootstrap.
    grid : array_like, optional
        Where along the horizontal axis: shares, or thresholds. 101 even steps, or up to 101 scores, by default.
        Reliability and histograms choose their own places.
    kind : {"pointwise", "simultaneous"}
    metric : str, optional
        Which decision metric, for "trends".
    confidence_level, n_resamples, design, rng
        As in `evaluate`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < .4
    >>> table = ScoreTable.from_rows(y, y + rng.normal(size=300))
    >>> each, all_at_once = (band(table, kind=kind) for kind in ("pointwise", "simultaneous"))
    >>> bool((all_at_once.high - all_at_once.low).mean() > (each.high - each.low).mean())
    True
    """
    name = _ALIASES.get(check_text(curve, "curve"), curve)
    if name not in BANDS:
        raise ArgumentError(f"no band for the curve {curve!r}. {did_you_mean(curve, BANDS)}")
    check_choice(kind, "kind", ("pointwise", "simultaneous"))
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    fixed_classes, table = parse_design(design), check_table(table, "a band").exact("a band")
    if table.is_sampled:
        raise ArgumentError("a band takes cases that count alike; these have sampling weights. Hint: use a curve.")
    check_both_classes(table.n_positives, table.n_negatives, 1)
    if name in _OF_PROBABILITIES:
        check_probabilities(table)
    chosen = _metric_of(name, metric)
    if name in EXACT:
        how = exact_bands.HOW[name] + (" (sup-t)" if (name, kind) == ("decision_curve", "simultaneous") else "")
        return ConfidenceBand(
            *EXACT[name](table, _grid(name, grid, table), kind, level, fixed_classes)[:4], kind, level, how
        )
    curve_spec = HEIGHTS[name] if chosen is None else trend(chosen)
    (confidence_band,) = _resampled(
        table, [(curve_spec, _grid(name, grid, table))], kind, level, (n_resamples, fixed_classes, rng)
    )
    return confidence_band


def bands_of_shares(
    table: ScoreTable, curves: Sequence[str], settings: Settings, *, fixed_classes: bool = False
) -> dict[str, ConfidenceBand]:
    """Pointwise bands of several curves over shares, such as "roc" and "gain", each as `band` gives it alone.

    They come from the same resamples, which are drawn once.
    """
    wanted = [(HEIGHTS[name], _grid(name, None, table)) for name in curves]
    draws = _RESAMPLES, fixed_classes, settings.seed
    confidence_bands = _resampled(table, wanted, "pointwise", settings.confidence_level, draws, outlined(table))
    return dict(zip(curves, confidence_bands, strict=True))


def _metric_of(name: str, metric: str | Metric | None) -> Metric | None:
    if name != "trends":
        if metric is not None:
            raise ArgumentError(f"`metric` is for `curve='trends'`; {name} has one height. Hint: leave `metric` out.")
        return None
    (found,) = find_metrics(["sensitivity" if metric is None else metric])
    if found.of != "counts":
        raise ArgumentError(f"a trend needs a metric of decisions; got {found.name}. Hint: such as sensitivity.")
    return found


def _resampled(
    table: ScoreTable,
    wanted: Sequence[tuple[CurveSpec, Array]],
    kind: str,
    level: float,
    draws: tuple[int, bool, int],
    line: ScoreTable | None = None,
) -> list[ConfidenceBand]:
    """Bands around the curves of the table, or of its outline if that is given as the `line` to read them off."""
    # Half a case of unknown rank in each class: where the sample shows no error at all, the band keeps a width.
    smoothed, read_off = half_case(banded(table), places=PLACES), table if line is None else line
    heights = [(curve_spec.height(smoothed), grid) for curve_spec, grid in wanted]
    curves = _replicates(smoothed, heights, *draws)
    return [
        _band(read_off, curve_spec, grid, (height(smoothed.positives, smoothed.negatives, grid), curve), kind, level)
        for (curve_spec, grid), (height, _), curve in zip(wanted, heights, curves, strict=True)
    ]


def _band(
    table: ScoreTable, drawn: CurveSpec, grid: Array, resampled: tuple[Array, Array], kind: str, level: float
) -> ConfidenceBand:
    """From the curve of the table that was resampled, and those of its resamples."""
    centre, curves = resampled
    error = _spread(curves)
    reach = quantile(level) if kind == "pointwise" else _stretch(curves - centre, error, level)
    y = drawn.height(table)(table.positives, table.negatives, grid)
    if drawn.is_share:
        mean = ratio(np.nansum(curves, axis=0), (~np.isnan(curves)).sum(axis=0))  # of no curve at all: undefined
        one_case = ratio(error**2, mean * (1 - mean))
        low, high = _wilson(centre, one_case, reach)
        if kind == "simultaneous":
            low, high = _exact_at_ends(y, one_case, reach, low, high)
            low, high = _open_at_start(drawn, table, grid, low, high, level)
        low, high, method = widen_to_value(y, low, high, f"{kind} bootstrap band on Wilson's scale")
    else:
        method = f"{kind} bootstrap band"
        low, high = np.minimum(centre - reach * error, y), np.maximum(centre + reach * error, y)
    return ConfidenceBand(grid, y, low, high, kind, level, method)


def _grid(name: str, at: npt.ArrayLike | None, table: ScoreTable) -> Array:
    """Shares between 0 and 1, or thresholds among the scores."""
    across = "threshold" if name == "trends" else HEIGHTS[name].across if name in HEIGHTS else "share"
    if at is not None and name in ("reliability", "reliability_bins", "score_histogram"):
        raise ArgumentError(f"{name} chooses its own places. Hint: leave `grid` out.")
    if at is None:
        if name == "decision_curve":
            return fractions(0, 99, 100)
        return fractions(0, 100, 100) if across == "share" else _some_scores(table)
    grid = np.atleast_1d(as_floats(at, "at"))
    most = np.nextafter(1, 0) if name == "decision_curve" else 1.0
    inside = np.isfinite(grid) if across == "threshold" else (grid >= 0) & (grid <= most)
    if grid.ndim != 1 or not len(grid) or not inside.all():
        what = "thresholds" if across == "threshold" else "numbers between 0 and 1"
        raise ArgumentError(f"`grid` must hold {what}, in one row.")
    return grid


def _some_scores(table: ScoreTable) -> Array:
    places = np.unique(np.linspace(0, len(table) - 1, min(101, len(table))).astype(np.intp))
    return np.asarray(table.score[places][::-1])


def _replicates(
    table: ScoreTable, heights: Sequence[tuple[Height, Array]], n_resamples: int, fixed_classes: bool, rng: int
) -> list[Array]:
    """Return the curves of each resample, for every height and its grid."""
    total, seed = check_resamples(n_resamples, at_least=100), check_seed(rng)
    kind = _kernels.design_of(fixed_classes)
    draw = partial(_kernels.bootstrap_tables, table.positives, table.negatives, seed=seed, design=kind)
    parts = []
    for first, count in slices(total, _CELLS_AT_A_TIME // (len(table) + 1)):
        weights = draw(first=first, count=count)
        parts.append([height(*weights, grid) for height, grid in heights])
    found = map(np.concatenate, zip(*parts, strict=True))
    return [curves[~np.isnan(curves).all(axis=1)] for curves in found]  # a resample may lack a class


def _spread(curves: Array) -> Array:
    """Return the standard deviation at each place, of the replicates with a value there; 0 where hardly any has."""
    known = np.count_nonzero(~np.isnan(curves), axis=0) > 1
    found = np.zeros(curves.shape[1])
    found[known] = np.nanstd(curves[:, known], axis=0)
    return found


def _exact_at_ends(share: Array, one_case: Array, reach: float, low: Array, high: Array) -> tuple[Array, Array]:
    """Limits that reach as far as Clopper and Pearson's where few cases keep a share from 0 or from 1.

    The one positive of 500 that is missed may be the only one in 10,000, which Wilson's interval leaves out; where a
    curve nears its end that is the place at which a band that must hold everywhere fails.
    """
    of = np.divide(1.0, one_case, out=np.zeros_like(share), where=one_case > 0)  # none where the curve cannot stray
    error = float(ndtr(-reach))
    for cases, rest, is_low in ((share * of, (1 - share) * of, True), ((1 - share) * of, share * of, False)):
        few = (cases > 0) & (cases < _FEW)
        ends = betaincinv(cases[few], rest[few] + 1, error)
        if is_low:
            low[few] = np.minimum(low[few], ends)
        else:
            high[few] = np.maximum(high[few], 1 - ends)
    return low, high


def _open_at_start(
    drawn: CurveSpec, table: ScoreTable, grid: Array, low: Array, high: Array, level: float
) -> tuple[Array, Array]:
    """Let the curve start anywhere while its threshold may lie above every negative of the data.

    At a false positive rate u none of N negatives exceeds the threshold with probability (1 - u)^N: no resample shows
    that. Without it the band missed the true start in up to 20% of samples of 60 to 250 cases.
    """
    unseen = (1 - grid) ** table.n_negatives >= (1 - level) / 2
    if drawn is HEIGHTS["roc"] or drawn is HEIGHTS["roc_hull"]:
        return np.where(unseen, 0.0, low), high
    return (low, np.where(unseen, 1.0, high)) if drawn is HEIGHTS["det"] else (low, high)


def _wilson(share: Array, one_case: Array, reach: float) -> tuple[Array, Array]:
    """Wilson's interval for a share that strays as that of a number of independent cases, 1 / `one_case`, would.

    Steps of a fixed number of standard errors would leave [0, 1], or vanish, near its ends.
    """
    per_case = np.nan_to_num(one_case) * reach**2  # 0/0 where the curve cannot stray, as at the end of a ROC curve
    middle = (share + per_case / 2) / (1 + per_case)
    half = np.sqrt(per_case * share * (1 - share) + per_case**2 / 4) / (1 + per_case)
    return middle - half, middle + half


def _stretch(strayed: Array, error: Array, level: float) -> float:
    """How many standard errors hold so many of the curves as a whole.

    Each curve counts by the place where it is rarest among all curves. Counted in standard errors, a few steps near the
    ends, where curves hardly stray, would widen the band everywhere (2 to 3 times as wide as pointwise). Never fewer
    than hold the curve at one place: curves of a few cases, of which many are alike, are rare nowhere.
    """
    n, rarest = len(strayed), np.ones(len(strayed))
    for place in np.flatnonzero(error > 0):
        known = np.flatnonzero(~np.isnan(strayed[:, place]))
        here = strayed[known, place]
        ordered = np.sort(here)
        below = np.searchsorted(ordered, here, side="right")
        above = len(here) - np.searchsorted(ordered, here, side="left")
        rarest[known] = np.minimum(rarest[known], np.minimum(below, above) / len(here))
    tail = float(np.clip(np.quantile(rarest, 1 - level), 0.5 / n, 0.5))
    return max(_ALLOWANCE * float(-ndtri(tail)), float(quantile(level)))

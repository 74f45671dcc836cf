"""`forecast`: what to expect of cases whose labels have not come yet."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any, Unpack

import numpy as np

from unconfuse._errors import ArgumentError, InputError, argument_name
from unconfuse._formatting import number_text, short_repr
from unconfuse._validate import as_numbers, check_number, check_probability, check_resamples, check_seed
from unconfuse.forecasting.batch import AUROC, USUAL, Batch, is_forecast
from unconfuse.forecasting.covariate_shift import RiskCurve, expected, expected_prevalence, fitted_curve
from unconfuse.forecasting.label_shift_metrics import LabelShiftMetrics
from unconfuse.ingest import Data, DataOptions
from unconfuse.ingest._read import only_table, public_data_api
from unconfuse.ingest.column_roles import place_of
from unconfuse.metrics import METRICS, Metric, find_metrics
from unconfuse.metrics.influence_functions import quantile
from unconfuse.policy import DEFAULT_THRESHOLD
from unconfuse.results.forecast import REFUTED, Forecast
from unconfuse.table import Array, Question, Sample, ScoreTable
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.influence_intervals import wilson_limits
from unconfuse.uncertainty.method import NoInterval

LEAST_OF_CLASS = 10  # cases of each class that a reference must hold, as for repeated looks
_OF_FRAMES = ("score", "delimiter", "decimal", "table")
_OF_LABELS = ("positive", "negative", "classes")
_PREVALENCE = "prevalence"
_SEPARATED = "the reference's scores separate the classes, or do not vary, so no risk follows from a score"
_ONE_CASE = "a ranking takes at least two cases"
_ONE_BIN = "all scores fall into one bin, which carries no information about the prevalence"


@public_data_api
def forecast(
    reference: Any,
    new: Any,
    *,
    threshold: float | None = None,
    metrics: Iterable[str | Metric] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: int = 0,
    **data: Unpack[DataOptions],
) -> Forecast:
    """Say what to expect of a batch before its labels arrive, under two assumptions side by side.

    Either a score means what it meant (each new case's risk follows from a logistic curve that is fitted to the
    reference), or scores within each class are as before and only the prevalence has changed. The second is tested.
    Intervals are for what the batch's own labels will show: they allow for the error of the reference as well.

    Parameters
    ----------
    reference : (labels, scores), ScoreTable, data frame, file or Data
        Cases with labels: at least ten of each class.
    new : array_like, data frame, file or Data
        Scores of the new cases, by the same model.
    threshold : float, optional
        Where decisions are cut; 0.5 by default, if scores are probabilities. Without one only the AUROC is forecast.
    metrics : names or Metric objects, optional
        Metrics of decisions, and "auroc".
    confidence_level : float
    n_resamples, rng : int
        Size and seed of the bootstrap of reference and batch, for label shift.
    **data
        The words of `Data`, such as `label`, `score` and `positive`; of new cases only `score` counts.

    Returns
    -------
    Forecast
        `.same_risk`, `.label_shift` and `.expected` (mappings to `Estimate`), `.prevalence`, `.label_shift_p`,
        `.sentence`; `.odds_factor(...)`, `.label_next(...)` and `.check(...)` answer later questions.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(2)
    >>> y, later = rng.random(800) < .3, rng.random(400) < .3
    >>> f = uc.forecast((y, y + rng.normal(size=800)), later + rng.normal(size=400), threshold=1.)
    >>> print(f.same_risk["precision"])
    precision 0.597 [0.489, 0.697] 95% Wilson (curve and labels), 400 new cases, reference of 800
    >>> f.label_shift_p > .05
    True
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    draws, seed = check_resamples(n_resamples, at_least=100), check_seed(rng)
    sample = _reference(reference, data)
    scores = _new_scores(new, data)
    batch = _batch(sample, scores, threshold)
    wanted = _wanted(metrics, batch)
    shift = LabelShiftMetrics(batch, level, draws, seed)
    curve = fitted_curve(batch)
    made = _Made(batch, level, curve, shift)
    kept = _words_of_labels(reference, data)
    return Forecast(
        {metric.name: made.same_risk(metric) for metric in wanted} | {_PREVALENCE: made.prevalence_by_risk()},
        {metric.name: made.label_shift(metric) for metric in wanted} | {_PREVALENCE: made.prevalence_by_shift()},
        made.prevalence(),
        shift.shift if shift.bins > 1 else None,
        batch,
        curve,
        scores,
        level,
        kept,
        wanted,
    )


def _words_of_labels(reference: Any, data: Any) -> dict[str, Any]:
    """Return what was said of labels: it holds for those that come later."""
    given = vars(reference) if isinstance(reference, Data) else data
    return {name: given[name] for name in _OF_LABELS if given.get(name) is not None}


def _reference(reference: Any, data: Any) -> Sample:
    """Return the cases with labels; refused where they determine nothing."""
    pair = isinstance(reference, tuple)
    if pair and len(reference) != 2:
        raise ArgumentError(f"`reference` must be labels and scores, (y, s); got {len(reference)} parts.")
    y, s = reference if pair else (reference, None)
    sample = only_table(y, s, data, Question.of("`forecast`"))
    if not sample.has_scores:
        raise InputError("`forecast` requires scores of the reference; got predicted labels only.")
    if sample.has_fractions:
        raise InputError("`forecast` counts whole cases and does not support fractional weights. Hint: remove them.")
    for count, what in ((sample.positives, "positives"), (sample.negatives, "negatives")):
        if count < LEAST_OF_CLASS:
            raise InputError(
                f"the reference must hold at least {LEAST_OF_CLASS} cases of each class; got {count:.10g} {what} among "
                f"{sample.n:,.10g}. Hint: label more cases first."
            )
    return sample


def _new_scores(new: Any, data: Any) -> Array:
    """Return the scores of the new cases in their order."""
    if isinstance(new, tuple) and len(new) == 2:
        raise ArgumentError("`new` must be scores alone; got two parts. Hint: `forecast(...).check(y)` takes labels.")
    is_source = isinstance(new, str | os.PathLike | Mapping | Data) or hasattr(new, "columns")
    if not is_source:
        if isinstance(new, ScoreTable):
            raise ArgumentError("`new` must be scores; got a score table, which knows labels.")
        found = as_numbers(new, place_of("new"))
        if found.ndim != 1:
            raise InputError(f"`new` must be one column of scores; got shape {found.shape}.")
    else:
        from unconfuse.ingest.read_columns import read_columns

        words = {name: data[name] for name in _OF_FRAMES if data.get(name) is not None}
        columns = read_columns(new if isinstance(new, Data) else Data(new, **words)).numbers
        if len(columns) != 1:
            raise InputError(f"`new` must have one column of scores; got {', '.join(map(short_repr, columns))}.")
        found = next(iter(columns.values()))
    if not len(found):
        raise InputError("`new` must hold at least one case; got none.")
    if not np.isfinite(found).all():
        raise InputError("`new` must hold finite scores. Hint: drop rows without a score.")
    return found


def _batch(sample: Sample, scores: Array, threshold: float | None) -> Batch:
    table = sample.table().exact("`forecast`").nonempty_rows
    probabilities = not sample.probability_problem()
    low, high = float(scores.min()), float(scores.max())
    if probabilities and not (low >= 0 and high <= 1):
        raise InputError(
            f"scores of the reference are probabilities, but new ones range from {number_text(low)} to "
            f"{number_text(high)}. Hint: check that both come from the same model."
        )
    known = float(table.score.min()), float(table.score.max())
    if high < known[0] or low > known[1]:
        raise InputError(
            f"all new scores lie outside those of the reference, {number_text(known[0])} to {number_text(known[1])}; "
            f"got {number_text(low)} to {number_text(high)}, so nothing follows. Hint: check the model and its scale."
        )
    cut = DEFAULT_THRESHOLD if threshold is None and probabilities else math.nan
    if threshold is not None:
        cut = check_probability(threshold, "threshold") if probabilities else check_number(threshold, "threshold")
    values, counts = np.unique(scores, return_counts=True)
    return Batch(table, values, counts.astype(np.float64), cut, probabilities)


def _wanted(metrics: Iterable[str | Metric] | None, batch: Batch) -> tuple[Metric, ...]:
    decides = not math.isnan(batch.threshold)
    names = (USUAL if decides else (AUROC,)) if metrics is None else metrics
    wanted = tuple(each for each in find_metrics(names) if each.name != _PREVALENCE)
    for metric in wanted:
        if not is_forecast(metric):
            raise ArgumentError(f"{metric.name} is not forecast. Hint: metrics of decisions are, and auroc.")
        if metric.of == "counts" and not decides:
            raise ArgumentError(
                f"{metric.name} requires a threshold: these scores are not probabilities and have no default. "
                f"Hint: pass {argument_name('threshold')}."
            )
    if not wanted:
        raise ArgumentError("`metrics` must name at least one metric besides the prevalence, which is always forecast.")
    return wanted


class _Made:
    """Estimates of one forecast."""

    def __init__(self, batch: Batch, level: float, curve: RiskCurve | None, shift: LabelShiftMetrics) -> None:
        self.batch, self.level, self.curve, self.shift = batch, level, curve, shift
        self._context = (
            f"{batch.n:,.10g} new {'case' if batch.n == 1 else 'cases'}, reference of {batch.reference.n:,.10g}"
        )

    def same_risk(self, metric: Metric) -> Estimate:
        if self._is_area_of_one(metric):
            return self._nothing(metric, _ONE_CASE)
        if self.curve is None:
            return self._nothing(metric, _SEPARATED)
        return self._estimate(metric, *expected(metric, self.batch, self.curve), "Wilson (curve and labels)")

    def _is_area_of_one(self, metric: Metric) -> bool:
        return metric.of != "counts" and self.batch.n < 2

    def label_shift(self, metric: Metric) -> Estimate:
        if self._is_area_of_one(metric):
            return self._nothing(metric, _ONE_CASE)
        if self.shift.bins < 2:
            return self._nothing(metric, _ONE_BIN)
        method, hull = "Wilson (bootstrap of both samples and labels)", self.shift.reach_of_prevalence(metric)
        return self._estimate(metric, *self.shift.expected(metric), method, hull)

    def prevalence_by_risk(self) -> Estimate:
        metric = METRICS[_PREVALENCE]
        if self.curve is None:
            return self._nothing(metric, _SEPARATED)
        return self._estimate(metric, *expected_prevalence(self.batch, self.curve), "Wilson (curve and labels)")

    def prevalence_by_shift(self) -> Estimate:
        metric = METRICS[_PREVALENCE]
        if self.shift.bins < 2:
            return self._nothing(metric, _ONE_BIN)
        label_shift = self.shift.shift
        limits = label_shift.low, label_shift.high, f"profile likelihood, {self.shift.bins} bins of scores"
        return Estimate.from_interval(metric, label_shift.prevalence, limits, self.level, conditions=self._context)

    def prevalence(self) -> Estimate:
        by_shift = self.prevalence_by_shift()
        refuted = by_shift.undefined is not None or self.shift.shift.p_value < REFUTED
        by_risk = self.prevalence_by_risk()
        return by_risk if refuted and by_risk.undefined is None else by_shift

    def _nothing(self, metric: Metric, why: str) -> Estimate:
        return Estimate.from_interval(
            metric, math.nan, (math.nan, math.nan, ""), self.level, undefined=why, conditions=self._context
        )

    def _estimate(
        self, metric: Metric, value: float, error: float, method: str, hull: tuple[float, float] = (math.inf, -math.inf)
    ) -> Estimate:
        more = {"conditions": self._context, "standard_error": error}
        least, most = metric.range
        if math.isnan(value):
            return Estimate.from_interval(metric, value, (math.nan, math.nan, ""), self.level, conditions=self._context)
        if not (math.isfinite(most - least) and error > 0):
            why = NoInterval(f"no interval: {'its range has no ends' if error > 0 else 'nothing varies'}")
            return Estimate.from_interval(metric, value, (math.nan, math.nan, why), self.level, **more)
        share, span = (value - least) / (most - least), most - least
        edge = 0.5 / (self.batch.n + 1)
        centre = min(max(share, edge), 1 - edge)
        ends = wilson_limits(
            np.asarray(share), np.asarray(centre * (1 - centre) * span**2 / error**2), quantile(self.level)
        )
        low, high = (least + span * min(max(float(end), 0.0), 1.0) for end in ends)
        low, high = min(low, value, hull[0]), max(high, value, hull[1])
        return Estimate.from_interval(metric, value, (low, high, method), self.level, **more)

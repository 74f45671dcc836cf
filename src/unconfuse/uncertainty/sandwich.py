"""Cases that were drawn with unequal chances: every metric from weights, its standard error from their squares.

A sampling weight says how many cases of the population a row stands for, not how many were seen. So the variance of a
metric is the sum over rows of (weight x influence) squared, the sandwich estimator: of a table, sums of squared weights
at each score say it exactly. Rows that were drawn in groups are added up first, and rows drawn within strata are
compared with their own stratum. Metrics without an influence function are resampled by multipliers: every row, or group
of rows, gets a random weight of mean 1 and variance 1, whatever its own weight.

Half a case of the class's usual weight is added before the spread is taken, as everywhere in this room: a sample in
which no heavy row went wrong may still have one in its population.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import stdtrit
from unconfuse.metrics import Metric
from unconfuse.metrics._metric import ratio
from unconfuse.metrics.constrained import constraint_of
from unconfuse.metrics.influence_functions import InfluenceFunction
from unconfuse.table import (
    Array,
    Codes,
    InMemorySample,
    Sample,
    ScoreTable,
    Settings,
    effective_sample_size,
    remembered,
    summed_by,
)
from unconfuse.table.survey_design import FEW_UNITS, SamplingUnits
from unconfuse.uncertainty.bootstrap import PLACES, band_ends, banded, bootstrapped, half_case, values_of
from unconfuse.uncertainty.bootstrap_intervals import bias_corrected, scale_name, spread, step, student_percentile
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.interval_methods import compares_by_influence, least_possible
from unconfuse.uncertainty.joint_replicates import ONE_GROUP, by_cases
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.proportion_intervals import Interval, wilson
from unconfuse.uncertainty.weighted_influence import (
    cases_behind,
    decision_table,
    half_in_each_cell,
    influence_on,
    sums_of_weights,
    trials_by_kind,
)

_ROUNDING = 1e-9
_LEAST = 1e-12  # of a metric's range: a standard error below it is rounding
_FLAT = 1e-6  # of a standard error with half a case added: what rounding leaves where all rows are alike
_LARGE = 100_000  # scores beyond which standard errors are those of bands of them, which agree to about 1%
_FEW = 200  # resamples, whose spread is known to 5%
_BY_MULTIPLIERS = ("bootstrap", "bias_corrected")
_CUT = 0.5  # of decisions, whose scores are 1 and 0
_CLASSES = {"positives": np.array([True, False]), "negatives": np.array([False, True])}


def estimates_of_sampled(
    metrics: Sequence[Metric], sample: Sample, design: Settings, *, method: str | None = None
) -> dict[str, Estimate]:
    """Metrics of one model with intervals that rest on the rows and their weights."""
    to_draw = [metric for metric in metrics if method in _BY_MULTIPLIERS or not has_influence(metric)]
    if method not in (None, "sandwich", *_BY_MULTIPLIERS) or (method == "sandwich" and to_draw):
        raise ArgumentError(
            f"the interval {method!r} does not serve {metrics[0].name} of sampled cases. Hint: use 'sandwich' where a "
            "metric has an influence function, or 'bootstrap'."
        )
    cases = WeightedCases(sample, design)
    drawn = cases.multiplied(to_draw)
    return {
        metric.name: cases.resampled(metric, *drawn[metric.name])
        if metric.name in drawn
        else cases.by_influence(metric)
        for metric in metrics
    }


def has_influence(metric: Metric) -> bool:
    """Whether each case's influence is known: of decisions by the derivatives in four cells, of scores if declared."""
    return metric.of == "counts" or compares_by_influence(metric)


@dataclass(frozen=True)
class SandwichEstimate:
    """A value with its standard error; value and error with half a case added; and how many cases they rest on."""

    value: float
    error: float
    centre: float
    spread: float
    cases: float
    freedom: float
    rows_error: float  # the standard error if every row stood for itself

    def is_flat(self, range: tuple[float, float]) -> bool:
        """Whether no row differs from any other, but for rounding, where that has an interval of its own."""
        rounding = max(_FLAT * self.spread, _LEAST * (range[1] - range[0]))
        return bool(np.isfinite(range).all() and self.rows_error <= rounding)

    def limits(self, level: float, range: tuple[float, float]) -> tuple[float, float]:
        """Student's t on the scale of the metric's range; where no row differs from any other, Wilson's limits."""
        if self.is_flat(range):
            share = (self.value - range[0]) / (range[1] - range[0])
            ends = wilson(share * self.cases, self.cases, confidence_level=level)
            low, high = (range[0] + (range[1] - range[0]) * float(end) for end in ends)
            return low, high
        reach = self.spread * stdtrit(max(self.freedom, 1.0), (1 + level) / 2)
        low, high = (float(each) for each in step(np.asarray(self.centre), np.asarray(reach), range))
        return max(min(low, self.value), range[0]), min(max(high, self.value), range[1])


class WeightedCases:
    """One model's cases with sampling weights; what metrics share is computed once."""

    def __init__(self, sample: Sample, design: Settings) -> None:
        self.sample, self.design, self._fixed = sample, design, sample.sampling.fixed_classes
        self._errors: dict[str, float] = {}  # of whole groups, also where single rows vary more

    @cached_property
    def decisions(self) -> ScoreTable:
        """Decisions as a table of two scores, 1 where a case is called positive."""
        return decision_table(self.sample)

    @cached_property
    def _unknown(self) -> ScoreTable:
        """The scores, in bands if they are many, with half a case of unknown rank in each class."""
        return half_case(banded(self._scores))

    @cached_property
    def _scores(self) -> ScoreTable:
        return self.sample.table().at_midpoints()

    @cached_property
    def units(self) -> InMemorySample | None:
        """The rows, if they were drawn in groups or within strata; a seed draws the same in any order of theirs."""
        rows = self.sample.in_memory
        return None if self.sample.sampling.by_table or rows is None else rows.ordered

    def table(self, metric: Metric) -> ScoreTable:
        """Return the table of which a metric is a function."""
        return self.decisions if metric.of == "counts" else self._scores

    def value(self, metric: Metric) -> float:
        """On the whole table."""
        return float(values_of(metric, self.table(metric), _CUT))

    def sandwich(self, metric: Metric) -> SandwichEstimate:
        """Of one metric; of scores without units it is a matter of the table alone, whatever the level asked for."""
        if metric.of == "counts" or self.units is not None:
            return self._sandwich(metric)
        return remembered(self._scores, ("sandwich", metric, self._fixed), lambda: self._sandwich(metric))

    def _sandwich(self, metric: Metric) -> SandwichEstimate:
        """Binder (1983), International Statistical Review 51:279; Kish (1965), Survey Sampling (the effective number of
        cases).
        """
        table, value = self.table(metric), self.value(metric)
        exact = metric.root.of.inference.spread is not None or len(table) <= _LARGE
        influence_function = influence_on(metric, table if exact else banded(table))
        wary = influence_on(metric, half_in_each_cell(table) if metric.of == "counts" else self._unknown)
        small = (
            influence_function.value
            if len(influence_function.table) == len(wary.table)
            else influence_on(metric, banded(table)).value
        )
        variance, cases, factor = (
            float(influence_function.variance(fixed_classes=self._fixed)),
            cases_behind(metric, table),
            1.0,
        )
        freedom, seen = self._freedom(metric, wary if metric.of == "counts" else influence_function), variance
        if self.units is not None:
            variance, of_units = self._of_units(metric, influence_function)
            freedom = min(freedom, of_units)
            cases, factor = min(cases, self._number_of_units(metric)), variance / seen if seen > 0 else 1.0
            if self.sample.sampling.clustered and (self.units.strata is None or self._groups_of(metric)[0] < FEW_UNITS):
                factor = max(factor, 1.0)  # groups that happen to agree do not say that they hardly differ
        spread = float(np.sqrt(factor * float(wary.variance(fixed_classes=self._fixed))))
        centre = float(wary.value - small) + value if np.isfinite(value) else float(wary.value)
        error, rows_error = (float(np.sqrt(each)) for each in (variance, seen))
        return SandwichEstimate(value, error, centre, spread, cases, min(cases - 1, freedom), rows_error)

    def _freedom(self, metric: Metric, found: InfluenceFunction) -> float:
        """Satterthwaite's degrees of freedom of the variance: few rows that weigh much leave it uncertain.

        Of decisions only uneven weights within a cell count: the scale of the limits sees to the rest.

        Satterthwaite (1946), Biometrics Bulletin 2:110; Fay and Graubard (2001), Biometrics 57:1198.
        """
        power = np.concatenate([found.positive, found.negative]) ** 2
        if metric.of == "counts":
            squares, uneven = self._uneven_cells
            total, excess = float(squares @ power), float(uneven @ power**2)
            return total**2 / excess if excess > _ROUNDING * total**2 else np.inf
        whole = found.table is self._scores
        squares, fourths, cases = self._sums_of_scores if whole else sums_of_weights(found.table)
        total = float(squares @ power)
        excess = float(fourths @ power**2) - total**2 / max(float(cases.sum()), 1.0)
        return 2 * total**2 / excess if excess > _ROUNDING * total**2 else np.inf

    @cached_property
    def _sums_of_scores(self) -> tuple[Array, Array, Array]:
        return sums_of_weights(self._scores)

    @cached_property
    def _uneven_cells(self) -> tuple[Array, Array]:
        """Squared weights of the cells, and by how much their fourth powers exceed those of even weights."""
        table = self.decisions
        weight, squares = np.concatenate([table.positives, table.negatives]), np.concatenate(table.squared_weights)
        fourths = self._fourths_of_cells()
        if fourths is None:
            return squares, np.zeros(4)
        return squares, np.maximum(fourths - _even_fourths(squares, weight), 0.0)

    def _fourths_of_cells(self) -> Array | None:
        """Sum the fourth powers of the weights in each cell, by scores where they are known: as on a cluster."""
        rows, cut = self.sample, self.sample.thresholds.get(self.sample.only_model)
        if not rows.has_scores or cut is None:
            sample = rows.in_memory
            if sample is None or sample.squares is None:
                return None
            return summed_by(_cell_of(sample), _even_fourths(sample.squares, sample.weight), 4)
        first = int(np.searchsorted(-self._scores.score, -cut, side="right"))  # scores that are called positive
        sides = self._sums_of_scores[1].reshape(2, -1)
        return np.array([part.sum() for side in sides for part in (side[:first], side[first:])])

    @cached_property
    def _units_drawn(self) -> SamplingUnits:
        assert self.units is not None
        return self.units.sampling.units(self.units.truth)

    @cached_property
    def _covariance_of_cells(self) -> Array:
        """Of the weights of positives and negatives that are called positive or not, over the units."""
        return self._units_drawn.covariance_of_cells(*self._cells_of_rows)

    @cached_property
    def _cells_of_units(self) -> Array:
        return self._units_drawn.sums_of_cells(*self._cells_of_rows)

    @cached_property
    def _cells_of_rows(self) -> tuple[Codes, Array, int]:
        """In which of four cells each row is, and its weight."""
        assert self.units is not None
        return _cell_of(self.units), self.units.weight, 4

    @cached_property
    def _place_of_row(self) -> dict[int, Codes]:
        """By how long a table is, where each row's influence stands among those of positives and then of negatives."""
        assert self.units is not None
        rows, whole = self.units, self.units.blocks(self.units.only_model)
        found = {len(self._scores): whole}
        if len(self._scores) > _LARGE:
            band = np.zeros(len(self._scores), dtype=np.int64)
            band[band_ends(self._scores)[:-1] + 1] = 1
            found[len(banded(self._scores))] = np.cumsum(band)[whole]
        return {size: place + np.where(rows.is_positive, 0, size) for size, place in found.items()}

    def _of_units(self, metric: Metric, own: InfluenceFunction) -> tuple[float, float]:
        """Variance, and its degrees of freedom, of rows that were drawn in groups or within strata."""
        assert self.units is not None
        slopes, sampling_units = np.concatenate([own.positive, own.negative]), self._units_drawn
        if metric.of == "counts":
            variance = max(float(slopes @ self._covariance_of_cells @ slopes), 0.0)
            return variance, np.inf if sampling_units.are_rows else sampling_units.freedom_of(
                self._cells_of_units @ slopes
            )
        sums = sampling_units.sums(self.units.weight * slopes[self._place_of_row[len(own.table)]])
        return sampling_units.variance(sums), np.inf if sampling_units.are_rows else sampling_units.freedom_of(sums)

    def _number_of_units(self, metric: Metric) -> float:
        """How many units the cases that count come from, less the strata but one; of groups those of the rarer kind."""
        every = self._units_drawn.freedom + 1
        return min(every, self._groups_of(metric)[0]) if self.sample.sampling.clustered else every

    def _groups_of(self, metric: Metric) -> tuple[int, str]:
        """In how many groups the cases are that a metric rests on, of the kind that is in fewest; and what it is."""
        if metric.of == "counts":
            held, kinds = self._cells_of_groups, trials_by_kind(metric)
        else:
            held, kinds = self._classes_of_groups, _CLASSES
        found = {name: int(held[:, kind].any(axis=1).sum()) for name, kind in kinds.items()}
        fewest = min(found, key=found.__getitem__)
        return found[fewest], fewest

    @cached_property
    def _cells_of_groups(self) -> npt.NDArray[np.bool_]:
        """Which of the four cells each group has cases in."""
        return self._held_by_groups(self._cells_of_rows[0], 4)

    @cached_property
    def _classes_of_groups(self) -> npt.NDArray[np.bool_]:
        """Whether each group has positives, and negatives."""
        assert self.units is not None
        return self._held_by_groups((~self.units.is_positive).astype(np.intp), 2)

    def _held_by_groups(self, kind: Codes, kinds: int) -> npt.NDArray[np.bool_]:
        assert self.units is not None
        assert self.units.groups is not None
        weighs = self.units.weight > 0
        held = np.zeros((int(self.units.groups.max()) + 1, kinds), dtype=np.bool_)
        held[self.units.groups[weighs], kind[weighs]] = True
        return held

    def _without_interval(self, metric: Metric) -> str:
        """Why groups do not say how sure a value is, or nothing."""
        if self.units is None:
            return ""
        if len(self._units_drawn.held) < 2:
            return ONE_GROUP[2]
        if not self.sample.sampling.clustered:
            return ""
        groups, kind = self._groups_of(metric)
        return NoInterval(f"no interval: all {kind} come from one group") if groups == 1 else ""

    def by_influence(self, metric: Metric) -> Estimate:
        """With an interval from the sandwich; a value that is infinite is the end of its own interval."""
        if why := self._without_interval(metric):
            return self._wrapped(metric, self.value(metric), (np.nan, np.nan, why), np.nan)
        sandwich_estimate, error = self.sandwich(metric), self.sandwich(metric).error
        words = f"sandwich{scale_name(metric.range)}, half a case added to each class{self._remark}"
        if sandwich_estimate.is_flat(metric.range):
            words, error = f"Wilson with Kish's number of cases{self._remark}", 0.0
        limits = *sandwich_estimate.limits(self.design.confidence_level, metric.range), words
        return self._wrapped(metric, sandwich_estimate.value, limits, error)

    def multiplied(self, metrics: Sequence[Metric]) -> dict[str, tuple[Array, float]]:
        """Replicates by multipliers, and the value of what was resampled: rows in their units, or else a table."""
        if self.units is not None:
            drawn = by_cases(metrics, self.units, self.design)
            whole = {metric.name: (drawn[metric.name][0], self.value(metric)) for metric in metrics}
            if not self.sample.sampling.clustered:
                return whole | self._multiplied_rows(
                    [metric for metric in metrics if _is_flat(metric, *whole[metric.name])]
                )
            self._errors = {name: spread(each) for name, (each, _) in whole.items()}
            return whole | self._multiplied_rows(self._agreeing(metrics, whole))
        return self._multiplied_rows(metrics)

    def _agreeing(self, metrics: Sequence[Metric], whole: Mapping[str, tuple[Array, float]]) -> list[Metric]:
        """Metrics of which whole groups happen to agree, so that single rows vary more."""
        few = WeightedCases(self.sample, replace(self.design.without_progress(), n_resamples=_FEW))
        single = few._multiplied_rows(metrics)
        return [metric for metric in metrics if spread(whole[metric.name][0]) < spread(single[metric.name][0])]

    def _multiplied_rows(self, metrics: Sequence[Metric]) -> dict[str, tuple[Array, float]]:
        """As if every row stood for itself."""
        decisions = [metric for metric in metrics if metric.of == "counts"]
        others = [metric for metric in metrics if metric.of != "counts"]
        found = self._drawn(decisions, self.decisions, half_in_each_cell(self.decisions)) if decisions else {}
        if others:
            small = banded(self._scores)
            found |= self._drawn(others, small, half_case(small, places=PLACES))
        return found

    def _drawn(self, metrics: Sequence[Metric], table: ScoreTable, basis: ScoreTable) -> dict[str, tuple[Array, float]]:
        """From a table with half a case; joining scores into bands changes the value, not the noise."""
        how, cut = self.design, _CUT if metrics[0].of == "counts" else None
        drawn = bootstrapped(
            basis,
            metrics,
            how.n_resamples,
            fixed_classes=self._fixed,
            seed=how.seed,
            threshold=cut,
            progress=how.progress,
        )
        found = {}
        for metric in metrics:
            shift = 0.0 if table is self.table(metric) else self.value(metric) - float(values_of(metric, table, cut))
            found[metric.name] = drawn[metric.name] + shift, float(values_of(metric, basis, cut)) + shift
        return found

    def resampled(self, metric: Metric, drawn: Array, start: float) -> Estimate:
        """With an interval from replicates."""
        value, cases = self.value(metric), cases_behind(metric, self.table(metric))
        if why := self._without_interval(metric):
            return self._wrapped(metric, value, (np.nan, np.nan, why), np.nan)
        if self.units is not None:
            cases = min(cases, self._number_of_units(metric))
        level = self.design.confidence_level
        if constraint_of(metric) is None:
            how = {"smoothed_value": start, "smaller_class": cases, "confidence_level": level, "range": metric.range}
            found = bias_corrected(value, drawn, **how)  # type: ignore[arg-type]
        else:
            low, high, method = student_percentile(value, drawn, cases - 1, confidence_level=level)
            found = Interval(np.minimum(low, value), np.maximum(high, value), method)
        least = min(max(float(found.low), least_possible(metric, self.table(metric))), value)
        limits = least, float(found.high), found.method + f", multipliers{self._remark}"
        return self._wrapped(metric, value, limits, self._errors.get(metric.name, spread(drawn)))

    @property
    def _remark(self) -> str:
        return self.sample.sampling.remark

    def _wrapped(self, metric: Metric, value: float, limits: tuple[float, float, str], error: float) -> Estimate:
        table, at = self.table(metric), self.sample.threshold_text()
        queue = ratio((table.positives + table.negatives)[0], table.n) if metric.of == "counts" else table.prevalence
        cut = f"{at}, " if at and metric.of == "counts" else ""
        return Estimate.from_interval(
            metric,
            value,
            limits,
            self.design.confidence_level,
            standard_error=np.nan if np.isnan(value) else error,
            baseline=float(metric.baseline(table.prevalence, queue)),
            conditions=f"{cut}{_size_of(self.sample, table)}",
            recompute=partial(_ask_again, metric, self.sample, self.design.without_progress()),
        )


def _is_flat(metric: Metric, drawn: Array, value: float) -> bool:
    """Whether all replicates are alike, as of scores that separate the classes: half a case more might differ."""
    span = metric.range[1] - metric.range[0]
    return spread(drawn) <= _FLAT * (span if math.isfinite(span) else abs(value))


def _cell_of(rows: InMemorySample) -> Codes:
    """In which of four cells each row is: positives that are called positive or not, then negatives."""
    return np.where(rows.labelled(rows.only_model), 0, 1) + np.where(rows.is_positive, 0, 2)


def _even_fourths(squares: Array, weight: Array) -> Array:
    """Sum the fourth powers of weights that are all alike, from the sums of their squares and of themselves."""
    return np.divide(squares**3, weight**2, out=np.zeros_like(squares), where=weight > 0)


def _ask_again(
    metric: Metric, sample: Sample, design: Settings, *, confidence_level: float, method: str | None
) -> Estimate:
    return estimates_of_sampled([metric], sample, design.with_confidence_level(confidence_level), method=method)[
        metric.name
    ]


def _size_of(sample: Sample, table: ScoreTable) -> str:
    """How much the sample says, in words."""
    sides = zip((table.positives, table.negatives), table.squared_weights, strict=True)
    positives, negatives = (f"{effective_sample_size(*side):.4g}" for side in sides)
    return f"{sample.sampling.size_words}sampling weights worth {positives} positives and {negatives} negatives"

"""Replicates of several models on the same resampled cases, wherever these are, so that differences are paired.

Drawing cases one by one is drawing how many come from each pattern of decisions, so that metrics of decisions need the
patterns alone. Only the rest, and cases in groups, are resampled case by case: near ones here, distant ones on their
cluster in bands of scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError, argument
from unconfuse.metrics import Metric
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.needs import by_cut, cut_for
from unconfuse.table import Array, Counts, Design, DistantSample, NearSample, Sample, ScoreTable
from unconfuse.uncertainty.bootstrap import Teller, band_ends, in_bands, kernels_of, slices, split, values_of
from unconfuse.uncertainty.closed_form import NamedLimits
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.random_groups import MANY_ROWS, replicates_of_random_groups
from unconfuse.uncertainty.resampled import bias_corrected, spread, student_percentile
from unconfuse.uncertainty.units import drawn_multipliers

Integers = npt.NDArray[np.int64]
Order = tuple[Integers, Integers]
_CELLS_AT_A_TIME = 1 << 22  # weights of one slice of resamples: what stays in the cache


def replicates(metrics: Iterable[Metric], sample: Sample, design: Design) -> dict[str, Array]:
    """Replicates of shape (models, n_resamples) for each metric of a yes-or-no question."""
    wanted = list(metrics)
    if sample.has_units:
        return by_cases(wanted, sample, design)
    labels = [each for each in wanted if each.of == "counts"]
    others = [each for each in wanted if each not in labels]
    found: dict[str, Array] = {}
    for own, some in by_cut(labels, sample):
        found |= _by_patterns(some, own, design)
    if found and not others and design.progress is not None:
        design.progress(design.n_resamples, design.n_resamples)
    return found | by_cases(others, sample, design)


def refuse_strata_of_groups(sample: Sample, design: Design) -> None:
    """Groups hold cases of several classes: their sizes cannot be kept."""
    if sample.is_clustered and not design.is_cohort:
        raise ArgumentError(
            f"groups are resampled whole, whatever their class. Hint: use {argument('design', 'cohort')}."
        )


def _by_patterns(metrics: Sequence[Metric], sample: Sample, design: Design) -> dict[str, Array]:
    if not metrics:
        return {}
    found, generator = sample.patterns(), np.random.default_rng(design.seed)
    drawn = np.zeros((design.n_resamples, len(found.weight)))
    for members in [slice(None)] if design.is_cohort else [found.is_positive, ~found.is_positive]:
        weight = found.weight[members]
        if found.squares is None:
            drawn[:, members] = generator.multinomial(round(weight.sum()), weight / weight.sum(), len(drawn))
            continue
        squares = found.squares[members]  # by multipliers: see `bootstrap.multiplied`
        again = generator.standard_gamma(weight**2 / squares, (len(drawn), len(weight))) * (squares / weight)
        drawn[:, members] = again if design.is_cohort else again * _scales(weight.sum(), again)
    counts = {model: _counts(drawn, found.is_positive, labelled) for model, labelled in found.labelled.items()}
    return {each.name: np.array([each(counts[model]) for model in sample.models]) for each in metrics}


def _scales(total: float, drawn: Array) -> Array:
    """What brings each resample back to its total; NaN where hardly a case was multiplied by next to nothing."""
    scales = ratio(total, drawn.sum(axis=1, keepdims=True))
    return np.where(np.isfinite(scales), scales, np.nan)


def by_cases(
    metrics: Sequence[Metric], sample: Sample, design: Design, *, units: int | None = None
) -> dict[str, Array]:
    """Any metric, case by case or group by group.

    `units` says how many groups are drawn from, where the cases are a subgroup that lacks some of them.
    """
    refuse_strata_of_groups(sample, design)
    if not metrics:
        return {}
    found: dict[str, Array] = {}
    for own, some in by_cut(metrics, sample):
        if isinstance(own, NearSample):
            found |= _Rows(own, design, units).replicates(some)
        else:
            assert isinstance(own, DistantSample)
            found |= _in_bands(some, own, design)
    return found


ONE_GROUP = np.nan, np.nan, "no interval: one group does not say how groups differ"


def estimates_of_groups(
    metrics: Sequence[Metric], sample: Sample, design: Design, *, context: str
) -> dict[str, Estimate]:
    """Cases of one group are not independent, so that only resampling whole groups says how sure a number is."""
    drawn, n_groups, model = by_cases(metrics, sample, design), sample.n_groups, sample.only_model
    share = sample.positives / sample.n

    def queue(metric: Metric) -> float:
        counts = cut_for(metric, sample).counts()
        return float(counts.labelled_positive / counts.total)

    return {
        each.name: estimate_of_groups(
            each,
            value_of(each, sample, model),
            drawn[each.name][0],
            design,
            n_groups,
            baseline=float(each.baseline(share, queue(each) if each.of == "counts" else share)),
            context=f"{n_groups} groups, {context}",
            ask=partial(_ask_groups, each, sample, design.quietly(), context),
        )
        for each in metrics
    }


def estimate_of_groups(
    metric: Metric, value: float, replicates: Array, design: Design, n_groups: int, **more: Any
) -> Estimate:
    """A value with an interval from resampled groups."""
    level = design.confidence_level
    if n_groups < 2:
        return Estimate.of(metric, value, ONE_GROUP, level, **more)
    if metric.candidates is None:
        found = bias_corrected(value, replicates, confidence_level=level, range=metric.range, smaller_class=n_groups)
    else:  # its bias is small, and where ties make it jump, resamples jump as well
        low, high, how = student_percentile(value, replicates, n_groups - 1, confidence_level=level)
        found = NamedLimits(np.minimum(low, value), np.maximum(high, value), how)
    error = np.nan if np.isnan(value) else spread(replicates)
    limits = found.low, found.high, f"{found.method}, whole groups"
    return Estimate.of(metric, value, limits, level, standard_error=error, **more)


def _ask_groups(
    metric: Metric, sample: Sample, design: Design, context: str, *, confidence_level: float, method: str | None
) -> Estimate:
    if method not in (None, "bias_corrected", "bootstrap"):
        raise ArgumentError(
            f"cases in groups have the interval 'bias_corrected' only, from whole groups; got {method!r}."
        )
    return estimates_of_groups([metric], sample, design.at(confidence_level), context=context)[metric.name]


def value_of(metric: Metric, sample: Sample, model: str) -> float:
    """The bare value of a metric of one model; NaN where no case counts."""
    if not sample.n > 0:
        return math.nan
    if metric.of == "counts":
        return float(metric(cut_for(metric, sample).counts(model)))
    if metric.of == "cells":
        return float(metric(sample.cells(model)))
    if metric.of == "rows":
        assert isinstance(sample, NearSample)
        return float(metric(sample.only(model)))
    return float(metric(sample.table(model)))


class _Rows:
    """Rows in memory that are resampled."""

    def __init__(self, sample: NearSample, design: Design, units: int | None) -> None:
        self.sample, self.design, self.units = sample, design, units
        self.strata = None if design.is_cohort else sample.truth.astype(np.int64)
        groups = sample.groups
        # Every group is drawn as often as any other, also those that these rows lack.
        self.drawn = sample.weight if groups is None else np.ones(int(groups.max()) + 1 if units is None else units)

    @cached_property
    def orders(self) -> dict[str, Order]:
        """The rows of each model from the highest score to the lowest, and where its tie blocks end."""
        return {name: _kernels.order_rows(score) for name, score in self.sample.scores.items()}

    def replicates(self, metrics: Sequence[Metric]) -> dict[str, Array]:
        """By a compiled loop where there is one; of very many rows in units, as random groups."""
        if self.units is None and self.sample.has_units and len(self.sample) > MANY_ROWS:
            ends = {model: _ends(self.sample, model) for model in self.sample.models}
            return replicates_of_random_groups(metrics, self.sample, self.design, self._within, ends)
        compiled, others = ([], list(metrics)) if self.sample.is_sampled else split(metrics)
        total = self.design.n_resamples
        tell = Teller(self.design.progress, total * (bool(compiled) + bool(others)), total)
        return self._compiled(compiled, tell) | self._by_tables(others, tell)

    def _compiled(self, metrics: Sequence[Metric], tell: Teller) -> dict[str, Array]:
        if not metrics:
            return {}
        rows, names, grouped = self.sample, kernels_of(metrics), self.sample.groups is not None
        again = partial(
            _kernels.paired_bootstrap_ranks,
            list(self.orders.values()),
            rows.is_positive,
            seed=self.design.seed,
            metrics=names,
            strata=self.strata,
            unit_of_row=rows.groups,
            weights=self.drawn if grouped else rows.weights,
            row_weights=rows.weights if grouped else None,
        )
        parts: dict[str, list[Array]] = {name: [] for name in names}
        for first, count in slices(self.design.n_resamples, 8 * _CELLS_AT_A_TIME // (len(rows) * len(self.orders))):
            values = again(first=first, count=count)
            for name in names:
                parts[name].append(values[name])
            tell(count)
        return {each.name: each.root(np.concatenate(parts[each.root.of.kernel], axis=1)) for each in metrics}

    def _by_tables(self, metrics: Sequence[Metric], tell: Teller) -> dict[str, Array]:
        """The multiplicity of every row, then each model's tables or counts."""
        parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
        for first, count in slices(self.design.n_resamples if metrics else 0, _CELLS_AT_A_TIME // len(self.sample)):
            weights = self.weights(first, count)
            per_model = [self._values(name, weights, metrics) for name in self.sample.models]
            for each in metrics:
                parts[each.name].append(np.array([values[each.name] for values in per_model]))
            tell(count)
        return {name: np.concatenate(values, axis=1) for name, values in parts.items()}

    def weights(self, first: int, count: int) -> Array:
        """The weight of every row in each resample: shape (count, rows)."""
        rows = self.sample
        if rows.is_sampled:
            return self._multiplied(count)
        draws = _kernels.bootstrap_rows(self.drawn, seed=self.design.seed, first=first, count=count, strata=self.strata)
        if rows.groups is None:
            return draws.astype(np.float64)
        per_row = draws[:, rows.groups].astype(np.float64)
        return per_row if rows.weights is None else per_row * rows.weights

    @cached_property
    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self.design.seed)

    def _multiplied(self, count: int) -> Array:
        """Sampling weights times random multipliers of mean 1, the same for all rows of a group."""
        rows, within = self.sample, self._within
        units = np.arange(len(rows)) if rows.groups is None else rows.groups
        stratum = np.zeros(len(self.drawn), dtype=np.int64)
        if within is not None:
            stratum[units] = within
        times = drawn_multipliers(stratum, count, self._generator, sampled=True, divided=within is not None)
        return np.asarray(rows.weight * times[:, units])

    @property
    def _within(self) -> Integers | None:
        """The strata of the rows, by class if the study chose their sizes."""
        rows = self.sample
        if self.strata is not None and rows.strata is not None:
            return np.asarray(rows.strata * rows.n_classes + self.strata)
        return rows.strata if self.strata is None else self.strata

    def _values(self, model: str, weights: Array, metrics: Sequence[Metric]) -> dict[str, Array]:
        rows = self.sample
        needed = {each.of == "counts" for each in metrics}
        counts = _counts(weights, rows.is_positive, rows.labelled(model)) if True in needed else None
        tables = self.tables(model, weights) if False in needed else None
        return {each.name: each(counts if each.of == "counts" else tables) for each in metrics}  # type: ignore[arg-type]

    def tables(self, model: str, weights: Array) -> ScoreTable:
        """One model's table of each resample."""
        ranked, block_end = self.orders[model]
        starts = np.concatenate([[0], block_end[:-1]])
        in_order, positive = weights[:, ranked], self.sample.is_positive[ranked]
        positives, negatives = (np.add.reduceat(in_order * side, starts, axis=1) for side in (positive, ~positive))
        return ScoreTable.trusted(self.sample.scores[model][ranked][starts], positives, negatives)


def row_weights(sample: NearSample, design: Design) -> Iterator[Array]:
    """The weight of every row in each resample, slice by slice: of cases, within classes, or of whole groups."""
    rows = _Rows(sample, design, None)
    for first, count in slices(design.n_resamples, _CELLS_AT_A_TIME // (len(sample) + 1)):
        yield rows.weights(first, count)


def resampled_tables(sample: NearSample, design: Design) -> Iterator[ScoreTable]:
    """The score tables of resampled rows, or of resampled groups of them, slice by slice."""
    rows = _Rows(sample, design, None)
    for first, count in slices(design.n_resamples, _CELLS_AT_A_TIME // len(sample)):
        yield rows.tables(sample.only_model, rows.weights(first, count))


def _in_bands(metrics: Sequence[Metric], sample: DistantSample, design: Design) -> dict[str, Array]:
    """Resampled tables of bands of scores, made where the cases are, give the spread about the value."""
    ends = {model: _ends(sample, model) for model in sample.models}
    lowest = {model: sample.table(model).score[each] for model, each in ends.items()}
    drawn = sample.replicates(lowest, design.n_resamples, design.seed)
    values: dict[str, list[Array]] = {each.name: [] for each in metrics}
    for model in sample.models:
        table, cut = sample.table(model), sample.thresholds.get(model)
        small = in_bands(table, ends[model])
        stack = _at_design(ScoreTable.trusted(small.score, *drawn[model]), sample, design)
        for each in metrics:
            shift = values_of(each, table, cut) - values_of(each, small, cut)
            values[each.name].append(values_of(each, stack, cut) + shift)
    return {name: np.array(found) for name, found in values.items()}


def _ends(sample: Sample, model: str) -> Integers:
    """The last block of each band; one band ends at the threshold, so that decisions stay exact."""
    table = sample.table(model)
    if model not in sample.thresholds:
        return band_ends(table)
    labelled = int(np.searchsorted(-table.score, -sample.thresholds[model], side="right"))
    return np.unique(np.append(band_ends(table), labelled - 1 if labelled else len(table) - 1))


def _at_design(stack: ScoreTable, sample: Sample, design: Design) -> ScoreTable:
    """Class sizes vary from resample to resample in a cohort; a case-control study fixed them."""
    if design.is_cohort:
        return stack
    fixed = [
        weights * (size / weights.sum(axis=-1, keepdims=True))
        for weights, size in ((stack.positives, sample.positives), (stack.negatives, sample.negatives))
    ]
    return ScoreTable.trusted(stack.score, *fixed)


def _counts(drawn: Array, is_positive: npt.NDArray[np.bool_], labelled: npt.NDArray[np.bool_]) -> Counts:
    sides = (is_positive & labelled, ~is_positive & labelled, is_positive & ~labelled, ~is_positive & ~labelled)
    tp, fp, fn, tn = (drawn @ np.array(sides, dtype=np.float64).T).T
    return Counts.trusted(tp=tp, fp=fp, fn=fn, tn=tn)

"""Rows in memory that are resampled, each by itself or in whole groups: by how often each unit is drawn.

What a row adds to a table, to counts or to a sum counts as often as its unit is drawn, so that everything resampled is
a product: how often each unit is drawn, times what the unit holds. A table of very many scores is made in bands of
neighbouring ones, as it is where no rows are needed (`bootstrap`).

Resampling a million grouped rows two thousand times takes minutes. Units that are put together at random, each within
its stratum, give the same variance: the sums of a few hundred such random groups are resampled. The standard
error so found is itself uncertain by about one over the root of twice their number (Wolter 2007, Introduction to
Variance Estimation, chapter 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse.metrics import Metric
from unconfuse.metrics._tie_blocks import compute_together
from unconfuse.table import Array, Codes, Counts, InMemorySample, ScoreTable, Settings
from unconfuse.uncertainty.bootstrap import (
    ProgressReporter,
    fine_ends,
    in_bands,
    kernels_of,
    slices,
    split,
    usual_ends,
    values_of,
)

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Order = tuple[Integers, Integers]
_CELLS_AT_A_TIME = 1 << 22  # numbers of one slice of resamples: what stays in the cache


class _TableFactory(NamedTuple):
    """Makes one model's counts or tables from how often each unit counts: how many cells they have.

    `lost` is what bands of scores take off the value of each metric: only the noise is taken from them.
    """

    make: Callable[[Array], Counts | ScoreTable]
    n_cells: int
    lost: dict[str, float]


class RowBootstrap:
    """Rows, the units that are drawn, and how; `units` says how many groups there are, where these rows lack some."""

    def __init__(self, sample: InMemorySample, design: Settings, units: int | None = None) -> None:
        self.sample, self.design, self._units = sample, design, units
        self._strata = sample.truth.astype(np.int64) if sample.sampling.fixed_classes else None
        groups = sample.groups
        # Every group is drawn as often as any other, also those that these rows lack.
        self._chances = sample.weight if groups is None else np.ones(int(groups.max()) + 1 if units is None else units)
        self._unit = np.arange(len(sample)) if groups is None else groups
        # What a row counts each time its unit is drawn: a row that is drawn by its weight counts once.
        self._held = np.ones(len(sample)) if groups is None and not sample.sampling.by_weights else sample.weight

    @property
    def are_too_many(self) -> bool:
        """Whether there are so many rows in units that random groups of these are resampled."""
        return self._units is None and not self.sample.sampling.by_table and len(self.sample) > MANY_ROWS

    @property
    def within(self) -> Integers | None:
        """The strata of the rows, by class if the study chose their sizes."""
        return self.sample.sampling.strata(self.sample.truth)

    def replicates(self, metrics: Sequence[Metric]) -> dict[str, Array]:
        """Of shape (models, resamples); by a compiled loop where there is one."""
        compiled, others = ([], list(metrics)) if self.sample.sampling.by_weights else split(metrics)
        total = self.design.n_resamples
        tell = ProgressReporter(self.design.progress, total * (bool(compiled) + bool(others)), total)
        return self._compiled(compiled, tell) | self._by_tables(others, tell)

    def bands_of(self, metrics: Sequence[Metric], model: str) -> Integers | None:
        """Return the last block of each band of scores that these metrics are resampled in; None where in full.

        Of several models everything is in full: they may differ by less than bands add to each. So is a metric that is
        infinite: what bands do to it cannot be taken off again.
        """
        if len(self.sample.models) > 1 or any(map(self._is_infinite, metrics)):
            return None
        table, (compiled, others) = self.sample.table(model), split(metrics)
        ends = np.union1d(fine_ends(table) if compiled else [], usual_ends(others, table) if others else [])
        return ends.astype(np.int64) if len(ends) < len(table) else None

    def _is_infinite(self, metric: Metric) -> bool:
        return any(np.isinf(metric(self.sample.table(model))) for model in self.sample.models)

    def _lost(self, metrics: Sequence[Metric], model: str, ends: Integers | None) -> dict[str, float]:
        """Return what bands take off each value: only the noise is theirs."""
        if ends is None:
            return {metric.name: 0.0 for metric in metrics}
        table = self.sample.table(model)
        small = in_bands(table, ends)
        return {metric.name: float(metric(table)) - float(metric(small)) for metric in metrics}

    def _compiled(self, metrics: Sequence[Metric], tell: ProgressReporter) -> dict[str, Array]:
        if not metrics:
            return {}
        rows, names, grouped = self.sample, kernels_of(metrics), self.sample.groups is not None
        ends = {model: self.bands_of(metrics, model) for model in rows.models}
        again = partial(
            _kernels.paired_bootstrap_ranks,
            [self._order(model, end) for model, end in ends.items()],
            rows.is_positive,
            seed=self.design.seed,
            metrics=names,
            strata=self._strata,
            unit_of_row=rows.groups,
            weights=self._chances if grouped else rows.weights,
            row_weights=rows.weights if grouped else None,
        )
        parts: dict[str, list[Array]] = {name: [] for name in names}
        for first, count in slices(self.design.n_resamples, 8 * _CELLS_AT_A_TIME // (len(rows) * len(ends))):
            values = again(first=first, count=count)
            for name in names:
                parts[name].append(values[name])
            tell(count)
        lost = [self._lost(metrics, model, end) for model, end in ends.items()]
        whole = {
            metric.name: metric.root(np.concatenate(parts[metric.root.of.inference.kernel], axis=1))
            for metric in metrics
        }
        return {name: values + np.array([[each[name]] for each in lost]) for name, values in whole.items()}

    def _order(self, model: str, ends: Integers | None) -> Order:
        """Return the rows from the highest score to the lowest, and where their blocks, or bands of these, end."""
        score = self.sample.scores[model]
        ranked, block_end = _kernels.order_rows(score)
        if ends is None:
            return ranked, block_end
        lowest = self.sample.table(model).score[ends]
        place = np.searchsorted(-score[ranked[block_end - 1]], -lowest, side="right") - 1
        place[-1] = len(block_end) - 1  # rows that weigh nothing may lie below
        return ranked, block_end[place]

    def _by_tables(self, metrics: Sequence[Metric], tell: ProgressReporter) -> dict[str, Array]:
        """How often every unit is drawn, then each model's counts and tables."""
        others = [each for each in metrics if each.of != "counts"]
        infinite = [each for each in others if self._is_infinite(each)]
        kinds = [each for each in metrics if each not in others], [each for each in others if each not in infinite]
        models = self.sample.models
        jobs = [(some, [self._maker(some, model) for model in models]) for some in (*kinds, infinite) if some]
        parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
        n_cells = max((maker.n_cells for _, makers in jobs for maker in makers), default=0)
        for times in self.times(n_cells) if jobs else ():
            for some, makers in jobs:
                made = [(maker.make(times), maker.lost) for maker in makers]
                for own, _ in made:
                    if isinstance(own, ScoreTable):
                        compute_together(own, kernels_of(some))
                for metric in some:
                    parts[metric.name].append(np.array([metric(own) + lost[metric.name] for own, lost in made]))
            tell(len(times))
        return {name: np.concatenate(values, axis=1) for name, values in parts.items()}

    def _maker(self, metrics: Sequence[Metric], model: str) -> _TableFactory:
        """Of what these metrics need, either all counts or all tables."""
        if metrics[0].of == "counts":
            return _TableFactory(self._counts(model), 4, self._lost(metrics, model, None))
        ends, table = self.bands_of(metrics, model), self.sample.table(model)
        small = table if ends is None else in_bands(table, ends)
        return _TableFactory(self.tables(model, small, ends), 2 * len(small), self._lost(metrics, model, ends))

    def _counts(self, model: str) -> Callable[[Array], Counts]:
        is_positive, labelled = self.sample.is_positive, self.sample.labelled(model)
        held = self._holdings(np.where(is_positive, 0, 1) + np.where(labelled, 0, 2), 4)

        def made(times: Array) -> Counts:
            tp, fp, fn, tn = held.sums(times).T
            return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)

        return made

    def tables(self, model: str, small: ScoreTable, ends: Integers | None) -> Callable[[Array], ScoreTable]:
        """Return what makes a model's tables, with the scores of `small`, whose blocks end at these of its table."""
        blocks, is_positive = self.sample.blocks(model), self.sample.is_positive
        place = blocks if ends is None else np.searchsorted(ends, blocks)
        sides = [self._holdings(place, len(small), which) for which in (is_positive, ~is_positive)]
        return lambda times: ScoreTable.from_validated(small.score, *(side.sums(times) for side in sides))

    def _holdings(self, cell: Integers, n_cells: int, which: Flags | slice = slice(None)) -> _kernels.UnitTotals:
        """Return what the units hold in the cells to which some of the rows belong."""
        return _kernels.UnitTotals.of(cell[which], self._unit[which], self._held[which], n_cells)

    def sums(self, columns: Array) -> Array:
        """Of columns of the rows in each resample: shape (resamples, columns)."""
        held = columns * self._held[:, None]
        if self.sample.groups is not None:
            held = np.column_stack([np.bincount(self._unit, each, len(self._chances)) for each in held.T])
        return np.concatenate([times @ held for times in self.times()])

    def times(self, n_cells: int = 0) -> Iterator[Array]:
        """How often each unit counts in each resample, slice by slice; `n_cells` is how many sums of them are made."""
        for first, count in slices(self.design.n_resamples, _CELLS_AT_A_TIME // max(len(self._chances), n_cells)):
            yield self._multipliers(count) if self.sample.sampling.by_weights else self._drawn(first, count)

    def _drawn(self, first: int, count: int) -> Array:
        again = partial(_kernels.bootstrap_rows, self._chances, seed=self.design.seed, strata=self._strata)
        return again(first=first, count=count).astype(np.float64)

    @cached_property
    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self.design.seed)

    def _multipliers(self, count: int) -> Array:
        """Random ones of mean 1, for sampling weights; the same for all rows of a group."""
        within = self.within
        stratum = np.zeros(len(self._chances), dtype=np.int64)
        if within is not None:
            stratum[self._unit] = within
        return self.sample.sampling.multipliers(stratum, count, self._generator, divided=within is not None)


MANY_ROWS = 100_000  # from which on rows are put together
GROUPS, LEAST_IN_STRATUM = 800, 20  # standard errors are then uncertain by 2.5%, as with 800 resamples


def replicates_of_random_groups(
    metrics: Sequence[Metric], sample: InMemorySample, design: Settings, strata: Codes | None, ends: dict[str, Codes]
) -> dict[str, Array]:
    """Replicates of shape (models, n_resamples), from bands of scores that end at the given blocks of each model."""
    generator = np.random.default_rng(design.seed)
    member, stratum = put_together(sample, strata, generator)
    values: dict[str, list[Array]] = {each.name: [] for each in metrics}
    size = _CELLS_AT_A_TIME // max(len(end) for end in ends.values())
    for model in sample.models:
        table, cut = sample.table(model), sample.thresholds.get(model)
        small, sums = in_bands(table, ends[model]), _sums(sample, model, member, len(stratum), ends[model])
        shift = {each.name: values_of(each, table, cut) - values_of(each, small, cut) for each in metrics}
        draw = np.random.default_rng(design.seed)  # the same for every model, so that differences are paired
        parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
        for _, count in slices(design.n_resamples, size):
            times = sample.sampling.multipliers(stratum, count, draw)
            stack = ScoreTable.from_validated(small.score, *(times @ side for side in sums))
            for metric in metrics:
                parts[metric.name].append(values_of(metric, stack, cut) + shift[metric.name])
        for name, part in parts.items():
            values[name].append(np.concatenate(part))
    return {name: np.array(value) for name, value in values.items()}


def put_together(sample: InMemorySample, strata: Codes | None, generator: np.random.Generator) -> tuple[Codes, Codes]:
    """Return the random group of every row, and the stratum of every random group."""
    units = np.arange(len(sample)) if sample.groups is None else sample.groups
    n_units = int(units.max()) + 1
    stratum = np.zeros(n_units, dtype=np.int64)
    if strata is not None:
        stratum[units] = strata
    held = np.flatnonzero(np.bincount(units, minlength=n_units))
    held = generator.permutation(held)
    held = held[np.argsort(stratum[held], kind="stable")]
    names, first, sizes = np.unique(stratum[held], return_index=True, return_counts=True)
    wanted = np.minimum(sizes, np.maximum(LEAST_IN_STRATUM, GROUPS * sizes // len(held)))
    start = np.concatenate([[0], np.cumsum(wanted)[:-1]])
    place = np.repeat(np.arange(len(names)), sizes)
    own = np.zeros(n_units, dtype=np.int64)
    own[held] = start[place] + (np.arange(len(held)) - first[place]) % wanted[place]
    return own[units], np.repeat(names if strata is not None else np.zeros(1, dtype=np.int64), wanted)


def put_together_into(many: int, sample: InMemorySample, generator: np.random.Generator) -> Codes:
    """Return the number of every row's random part of the groups: so many parts, of as many groups each."""
    assert sample.groups is not None
    return np.asarray((generator.permutation(sample.n_groups) % many)[sample.groups])


def _sums(sample: InMemorySample, model: str, member: Codes, n_groups: int, ends: Codes) -> tuple[Array, Array]:
    """Sum the weight of each class in every band of every random group."""
    band = np.searchsorted(ends, sample.blocks(model))
    cell = member * len(ends) + band
    shape = n_groups, len(ends)
    positives, negatives = (
        np.bincount(cell, weights=sample.weight * side, minlength=shape[0] * shape[1]).astype(np.float64).reshape(shape)
        for side in (sample.is_positive, ~sample.is_positive)
    )
    return positives, negatives

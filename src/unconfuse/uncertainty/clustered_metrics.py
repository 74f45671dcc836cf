"""Metrics of cases in groups: what each case contributes, and what is left without each group.

Decisions need the counts of each group alone. The AUROC without a group follows from the placements of its cases and
the pairs within it; other metrics of scores are computed anew without each group, or, where groups are many, follow
from the sums of their cases' influences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unconfuse.metrics import METRICS, Metric
from unconfuse.metrics._tie_blocks import compute_together
from unconfuse.metrics.influence_functions import is_auroc, placements
from unconfuse.metrics.requirements import cut_for
from unconfuse.table import Array, Codes, Counts, InMemorySample, ScoreTable, Settings
from unconfuse.table.counts import counted_by, summed, summed_by
from unconfuse.table.sample import Flags
from unconfuse.uncertainty.bootstrap import HALF, ProgressReporter, kernels_of
from unconfuse.uncertainty.bootstrap_intervals import spread
from unconfuse.uncertainty.clusters import ClusterPart, Jackknifed, deciding_cases, jackknifed, part_of, unknown
from unconfuse.uncertainty.influence_intervals import spread_of
from unconfuse.uncertainty.interval_methods import MetricReplicates, compares_by_influence, has_formula, method_for
from unconfuse.uncertainty.row_bootstrap import RowBootstrap, put_together_into
from unconfuse.uncertainty.weighted_influence import half_in_each_cell, influence_on, trials_by_kind

LEFT_OUT = 200  # groups up to which metrics are computed anew without each of them
_DRAWS = 200  # resamples of single cases, whose spread is known to 5% then: it is a lower bound only
_CELLS_AT_A_TIME = 1 << 22
_NAMES = "positives", "negatives"
Draw = Callable[[list[Metric], ScoreTable, Settings], dict[str, MetricReplicates]]


# Decisions: from the counts of each group


def of_group_counts(metric: Metric, counts: Counts) -> Jackknifed:
    """Jackknife a metric of decisions, from the counts of each group."""
    cells = _cells(counts)
    total = cells.sum(axis=0)
    value, without = float(metric(_counts(total))), metric(_counts(without_each(cells)))
    if np.isnan(value):
        return unknown(value)
    trials = _trials(metric.inference.fraction, total)
    if trials is not None:
        (success, trial), (name,) = trials, trials_by_kind(metric)
        return _of_proportion(value, without, cells @ success, cells @ trial, name, metric.range)
    found = _of_cells(metric, value, without, cells, total)
    if metric.inference.increasing is None or (trials := _trials(metric.inference.increasing.fraction, total)) is None:
        return found
    successes, tried = (cells @ each for each in trials)
    left = without_each(np.stack([successes, tried], axis=1)).T
    with np.errstate(divide="ignore", invalid="ignore"):
        share, others = successes.sum() / tried.sum(), left[0] / left[1]
    own = _of_proportion(float(share), others, successes, tried, "cases", (0.0, 1.0))
    return replace(found, increasing=own)


def without_each(cells: Array) -> Array:
    """Return what all other groups hold: exactly 0 where they hold nothing, whatever the rounding of weights."""
    held = cells > 0
    left = np.where(held.sum(axis=0) - held > 0, cells.sum(axis=0) - cells, 0.0)
    return np.maximum(left, 0.0)


def _cells(counts: Counts) -> Array:
    return np.array([counts.tp, counts.fn, counts.fp, counts.tn], dtype=np.float64).T


def _counts(cells: Array) -> Counts:
    tp, fn, fp, tn = cells.T
    return Counts.from_validated(tp=tp, fn=fn, fp=fp, tn=tn)


def _trials(fraction: Callable[[Counts], tuple[Array, Array]] | None, total: Array) -> tuple[Array, Array] | None:
    """Which of the four cells are successes and trials of a proportion; None of what is no sum over cases."""
    if fraction is None:
        return None
    success, trial = (np.broadcast_to(each, 4).astype(np.float64) for each in fraction(_counts(np.eye(4))))
    whole = [float(each) for each in fraction(_counts(total))]
    linear = np.allclose([success @ total, trial @ total], whole, rtol=1e-9)
    is_share = set(np.unique(success)) <= {0.0, 1.0} and set(np.unique(trial)) <= {0.0, 1.0}
    return (success, trial) if linear and is_share and (success <= trial).all() else None


def _of_proportion(
    value: float, without: Array, successes: Array, trials: Array, name: str, range: tuple[float, float]
) -> Jackknifed:
    """Of right ones among trials, by group."""
    n, right = float(trials.sum()), float(successes.sum())
    share, centre = right / n if n > 0 else np.nan, (right + HALF) / (n + 1)
    part = ClusterPart(trials, successes - share * trials, right * (1 - share), centre * (1 - centre) / (n + 1), name)
    errors = n * min(share, 1 - share)
    return jackknifed(value, without[trials > 0], [part], centre=centre, errors=errors, range=range)


def _of_cells(metric: Metric, value: float, without: Array, cells: Array, total: Array) -> Jackknifed:
    """Of any other metric: what a case contributes is the derivative in its cell, with half a case in each."""
    table = half_in_each_cell(ScoreTable.from_validated(np.array([1.0, 0.0]), total[:2], total[2:]))
    influence_function = influence_on(metric, table)
    slopes, smoothed = (
        np.concatenate([influence_function.positive, influence_function.negative]),
        np.concatenate([table.positives, table.negatives]),
    )
    slopes = np.where(np.isfinite(slopes), slopes, 0.0)
    matters = np.abs(slopes) > 1e-9 * np.abs(slopes).max(initial=0.0)
    parts = []
    for name, own in zip(_NAMES, (np.array([1.0, 1, 0, 0]), np.array([0.0, 0, 1, 1])), strict=True):
        if not (own * matters).any():
            continue
        sizes, mean = cells @ own, float(own * slopes @ total) / max(float(own @ total), 1e-300)
        squares = float(own * (slopes - mean) ** 2 @ total)
        variance = float(own * slopes**2 @ smoothed)
        parts.append(ClusterPart(sizes, cells @ (own * (slopes - mean)), squares, variance, name))
    held = (cells @ (matters > 0)) > 0
    deciding, centre = float(total @ matters), float(influence_function.value)
    if np.isfinite(metric.range).all():
        centre = with_half(value, deciding, metric.range)
    errors = deciding_cases(slopes, total)
    parts = parts or [ClusterPart(cells.sum(axis=1), np.zeros(len(cells)), 0.0, 0.0)]
    return jackknifed(value, without[held], parts, centre=centre, errors=errors, range=metric.range)


def with_half(value: float, cases: float, range: tuple[float, float]) -> float:
    """Return the value with half a case at each end of the range."""
    least, span = range[0], range[1] - range[0]
    return least + span * ((value - least) / span * cases + HALF) / (cases + 1)


# Scores: from rows


@dataclass(frozen=True)
class _Alone:
    """The variance of a metric and its value with half a case added, if every case stood for itself."""

    variance: float
    value: float = math.nan
    drawn: MetricReplicates | None = None

    @classmethod
    def of(cls, drawn: MetricReplicates) -> _Alone:
        """From resamples of single cases of a table with half a case more in each class."""
        return cls(spread(drawn.replicates) ** 2, drawn.start, drawn)


class Grouped:
    """One model's cases in groups; what metrics share is computed once."""

    def __init__(self, sample: InMemorySample, design: Settings, draw: Draw | None = None) -> None:
        assert sample.groups is not None
        self.sample, self.design, self._draw = sample, design, draw
        self.groups, self.n_groups = sample.groups, sample.n_groups
        self._counts: dict[tuple[float | None, str], Counts] = {}
        self._influences: dict[tuple[str, str], Array] = {}
        self.sides = [(name, np.flatnonzero(of_class)) for name, of_class in zip(_NAMES, self._classes, strict=True)]

    @property
    def _classes(self) -> tuple[Flags, Flags]:
        return self.sample.is_positive, ~self.sample.is_positive

    def jackknifed(self, metrics: Sequence[Metric]) -> dict[str, Jackknifed]:
        """Metrics of the only model, by name."""
        sample, (model,) = self.sample, self.sample.models
        found = {each.name: of_group_counts(each, self.counts(each, model)) for each in metrics if each.of == "counts"}
        others = [each for each in metrics if each.of != "counts"]
        if others:
            compute_together(sample.table(model), kernels_of(others))
        values = {each.name: float(each(sample.table(model))) for each in others}
        found |= {name: unknown(value) for name, value in values.items() if not np.isfinite(value)}
        others = [each for each in others if np.isfinite(values[each.name])]
        without, alone = self.without(others), self._alone(others)
        for metric in others:
            found[metric.name] = self._of_scores(
                metric, values[metric.name], without[metric.name][0], alone[metric.name]
            )
        return found

    def counts(self, metric: Metric, model: str) -> Counts:
        """Of one model's decisions, by group; metrics without a threshold of their own share them."""
        if (metric.requires.cut, model) not in self._counts:
            self._counts[metric.requires.cut, model] = self._counted(metric, model)
        return self._counts[metric.requires.cut, model]

    def _counted(self, metric: Metric, model: str) -> Counts:
        cut = cut_for(metric, self.sample)
        cell = np.where(cut.labelled(model), 0, 1) + np.where(cut.is_positive, 0, 2)
        held = counted_by(4 * self.groups + cell, cut.weights, 4 * self.n_groups)
        return _counts(held.reshape(-1, 4))

    def without(self, metrics: Sequence[Metric]) -> dict[str, Array]:
        """Values without each group, of shape (models, groups); of metrics of scores."""
        found = {}
        areas = [metric for metric in metrics if is_auroc(metric)]
        for area in areas:
            found[area.name] = np.array([area.root(self._areas(model)) for model in self.sample.models])
        others = [metric for metric in metrics if metric not in areas]
        if self.n_groups > LEFT_OUT:
            known = [metric for metric in others if compares_by_influence(metric)]
            found |= {
                metric.name: np.array([self._moved(metric, model) for model in self.sample.models]) for metric in known
            }
            others = [metric for metric in others if metric not in known]
        return found | self._anew(others)

    def _areas(self, model: str) -> Array:
        """Return the AUROC without each group: all pairs won, less those of its cases, plus those within it."""
        rows, weight, groups = self.sample, self.sample.weight, self.n_groups
        placed, block = self._placements(model), rows.blocks(model)
        positive, negative = (summed_by(self.groups[own], weight[own], groups) for _, own in self.sides)
        p, n = summed(positive), summed(negative)
        (_, ups), (_, downs) = self.sides
        won = summed(weight[ups] * placed[ups]) * n
        lost = [
            summed_by(self.groups[own], weight[own] * placed[own], groups) * other
            for own, other in ((ups, n), (downs, p))
        ]
        kept = won - lost[0] - lost[1] + self._inside(block)
        pairs = without_each(np.stack([positive, negative], axis=1)).prod(axis=1)
        return np.asarray(np.divide(kept, pairs, out=np.full(groups, np.nan), where=pairs > 0))

    def _inside(self, block: Codes) -> Array:
        """Pairs that a positive wins against a negative of its own group."""
        place = self.groups * (int(block.max()) + 1) + block
        keys, code = np.unique(place, return_inverse=True)
        owner = keys // (int(block.max()) + 1)
        up, down = (summed_by(code[own], self.sample.weight[own], len(keys)) for _, own in self.sides)
        first = np.searchsorted(owner, np.arange(self.n_groups))
        last = np.append(first[1:], len(keys)) - 1
        so_far = np.cumsum(down)
        below = so_far[last][owner] - so_far + down / 2  # blocks of higher scores come first
        return summed_by(owner, up * below, self.n_groups)

    def _placements(self, model: str) -> Array:
        """Return the share of the other class that each case is on the right side of."""
        table = self.sample.table(model)
        above, below = placements(table)
        block = self.sample.blocks(model)
        return np.where(self.sample.is_positive, above[block], below[block])

    def influences(self, metric: Metric, model: str) -> Array:
        """Of each row; placements or squared errors stand for those of a metric that has none."""
        if compares_by_influence(metric):
            return self._influence(metric, model)
        stand_in = "auroc" if metric.of == "ranks" else "brier"
        if (stand_in, model) not in self._influences:
            self._influences[stand_in, model] = self._influence(METRICS[stand_in], model)
        return self._influences[stand_in, model]

    def _influence(self, metric: Metric, model: str) -> Array:
        influence_function, block = (
            influence_on(metric, self.sample.table(model).at_midpoints()),
            self.sample.blocks(model),
        )
        return np.where(self.sample.is_positive, influence_function.positive[block], influence_function.negative[block])

    def _moved(self, metric: Metric, model: str) -> Array:
        """Return the value less what each group's cases add to it."""
        influence, value = self.influences(metric, model), float(metric(self.sample.table(model)))
        return value - summed_by(self.groups, self.sample.weight * influence, self.n_groups)

    def _anew(self, metrics: Sequence[Metric]) -> dict[str, Array]:
        """Compute again without each group; if very many, without each of a few hundred random parts of them."""
        rows = self.sample
        if not metrics:
            return {}
        if self.n_groups > LEFT_OUT:
            rows = rows.derive(groups=put_together_into(LEFT_OUT, rows, np.random.default_rng(self.design.seed)))
        return _LeftOut(rows, self.design).values(metrics)

    def _alone(self, metrics: Sequence[Metric]) -> dict[str, _Alone]:
        """Of each metric if every case stood for itself, with half a case added: by formula or of a few resamples."""
        if not metrics:
            return {}
        table = self.sample.table().at_midpoints()
        found, others = {}, []
        for metric in metrics:
            root = metric.root
            if not has_formula(metric):
                others.append(metric)
            elif root.of.inference.influence is not None or root.of.inference.spread is not None:
                own = spread_of(root.of, table, HALF)
                error = float(root.scale * own.standard_error())
                found[metric.name] = _Alone(error**2, float(root(np.asarray(own.value))))
            else:
                error = float(root.scale * method_for(metric).error(root.of, table, False))
                found[metric.name] = _Alone(error**2)
        if others:
            assert self._draw is not None
            drawn = self._draw(others, table, replace(self.design.without_progress(), n_resamples=_DRAWS))
            found |= {name: _Alone.of(metric_replicates) for name, metric_replicates in drawn.items()}
        return found

    def _of_scores(self, metric: Metric, value: float, without: Array, alone: _Alone) -> Jackknifed:
        if is_auroc(metric):
            area = self._area
            root = metric.root
            return replace(
                area,
                value=value,
                variance=root.scale**2 * area.variance,
                centre=float(root(np.asarray(area.centre))),
                range=metric.range,
            )
        p, n = self.sample.positives, self.sample.negatives
        influence, weight = self.influences(metric, self.sample.only_model), self.sample.weight
        variance = alone.variance if np.isfinite(alone.variance) else 0.0
        if metric.of == "ranks":
            parts, cases = self._by_class(influence, variance), 2 * p * n / (p + n)
        else:
            parts, cases = [part_of(influence, weight, self.groups, self.n_groups, variance, "cases")], p + n
        centre = alone.value if np.isfinite(alone.value) and np.isfinite(metric.range).any() else value
        if np.isfinite(metric.range).all():
            centre = with_half(value, cases, metric.range)
        errors = deciding_cases(influence, weight)
        found = jackknifed(value, without, parts, centre=centre, errors=errors, range=metric.range)
        return replace(found, drawn=alone.drawn, how=self._how(metric))

    def _how(self, metric: Metric) -> str:
        """Say what was done to groups or scores that are many."""
        many = self.n_groups > LEFT_OUT
        if many and compares_by_influence(metric):
            return ", by their influences"
        bands = RowBootstrap(self.sample, self.design).bands_of([metric], self.sample.only_model)
        joined = ", in score bands" if bands is not None else ""
        return (f", {LEFT_OUT} random parts of them" if many else "") + joined

    def _by_class(self, influence: Array, variance: float) -> list[ClusterPart]:
        """Each class has its share of the variance; equal ones where a perfect ranking shows none."""
        weight = self.sample.weight
        powers = np.array([summed(weight[own] * influence[own] ** 2) for _, own in self.sides])
        shares = powers / powers.sum() if powers.sum() > 0 else np.full(2, 0.5)
        return [
            part_of(influence[own], weight[own], self.groups[own], self.n_groups, variance * float(share), name)
            for (name, own), share in zip(self.sides, shares, strict=True)
        ]

    @cached_property
    def _area(self) -> Jackknifed:
        """The AUROC."""
        model, weight = self.sample.only_model, self.sample.weight
        placed, value = self._placements(model), float(METRICS["auroc"](self.sample.table(model)))
        p, n = self.sample.positives, self.sample.negatives
        parts = [
            part_of(
                placed[own],
                weight[own],
                self.groups[own],
                self.n_groups,
                _placed_variance(placed[own], weight[own]),
                name,
            )
            for name, own in self.sides
        ]
        centre, errors = with_half(value, 2 * p * n / (p + n), (0.0, 1.0)), 2 * min(p, n) * min(value, 1 - value)
        return jackknifed(value, self._areas(model), parts, centre=centre, errors=errors, range=(0.0, 1.0))

    # Differences of two models

    def all_without(self, metrics: Sequence[Metric]) -> dict[str, Array]:
        """Values without each group, of shape (models, groups), of metrics of decisions too."""
        models, found = self.sample.models, self.without([each for each in metrics if each.of != "counts"])
        for metric in metrics:
            if metric.of == "counts":
                cells = [without_each(_cells(self.counts(metric, model))) for model in models]
                found[metric.name] = np.array([metric(_counts(cell)) for cell in cells])
        return found

    def parts_of_difference(self, metric: Metric, pair: tuple[str, str]) -> tuple[list[ClusterPart], float]:
        """Return what each case contributes to the first model's value less the second's, and its least variance.

        Where hardly a case tells two models apart, another half a case might: then they would differ by the share of
        it. Type I errors are .007 to .077 so, .036 on average, for 4 to 60 groups.
        """
        one, two = (self.contributions(metric, model) for model in pair)
        contribution, weight, sides = one - two, self.sample.weight, self.sides
        if metric.of == "probabilities":
            sides = [("cases", np.arange(len(weight)))]
        elif metric.of == "counts" and _trials(metric.inference.fraction, np.ones(4)) is not None:
            (name,) = trials_by_kind(metric)
            sides = [(name, np.flatnonzero(self._tried(metric, pair)))]
        parts = [
            part_of(
                contribution[own],
                weight[own],
                self.groups[own],
                self.n_groups,
                summed(weight[own] * contribution[own] ** 2),
                name,
            )
            for name, own in sides
        ]
        n = min(float(weight[own].sum()) for _, own in sides)
        if not np.isfinite(metric.range).all():
            return parts, HALF * summed(weight * contribution**2) / (n + 1)
        least = (HALF**2 if is_auroc(metric) else HALF) * ((metric.range[1] - metric.range[0]) / (n + 1)) ** 2
        return parts, least

    def contributions(self, metric: Metric, model: str) -> Array:
        """Each row's influence on one model's value."""
        if metric.of != "counts":
            return self.influences(metric, model)
        cut = cut_for(metric, self.sample)
        total = _cells(self.counts(metric, model)).sum(axis=0)
        influence_function = influence_on(
            metric, half_in_each_cell(ScoreTable.from_validated(np.array([1.0, 0.0]), total[:2], total[2:]))
        )
        slopes = np.nan_to_num(np.concatenate([influence_function.positive, influence_function.negative]))
        return np.asarray(slopes[np.where(cut.labelled(model), 0, 1) + np.where(cut.is_positive, 0, 2)])

    def _tried(self, metric: Metric, pair: tuple[str, str]) -> Flags:
        """Which rows are trials of a proportion for one of two models."""
        ((_, trial),) = trials_by_kind(metric).items()
        cut = cut_for(metric, self.sample)
        cells = (np.where(cut.labelled(model), 0, 1) + np.where(cut.is_positive, 0, 2) for model in pair)
        return np.asarray(np.logical_or.reduce([trial[cell] for cell in cells]), dtype=np.bool_)


def _placed_variance(placed: Array, weight: Array) -> float:
    """Of a mean of placements, with half a case anywhere from 0 to 1 added."""
    n = summed(weight)
    mean, more = summed(weight * placed) / n, n + HALF
    squares = summed(weight * (placed - mean) ** 2) + HALF / 12 + n * (HALF / more) * (mean - 0.5) ** 2
    return squares / (max(more - 1, HALF) * more)


class _LeftOut(RowBootstrap):
    """Every group counts once in each but one of the "resamples"."""

    def values(self, metrics: Sequence[Metric]) -> dict[str, Array]:
        """Of shape (models, groups)."""
        return self._by_tables(metrics, ProgressReporter(None, 0, 0))

    def times(self, n_cells: int = 0) -> Iterator[Array]:
        """All but one group, each in turn."""
        groups = len(self._chances)
        size = max(1, _CELLS_AT_A_TIME // max(groups, n_cells))
        for first in range(0, groups, size):
            yield 1.0 - np.eye(groups)[first : first + size]

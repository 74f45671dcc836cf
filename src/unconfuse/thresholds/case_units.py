"""The cases that a card is measured on: each standing for itself, or whole groups of them that belong together.

Both are dealt into folds, resampled, and measured with intervals; the rest of the room does not know which they are.
The counts of groups keep an axis of groups, because only whole groups say how sure a number of them is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._formatting import FrozenMapping
from unconfuse.bayesian import shift_counts_estimates
from unconfuse.metrics import Metric
from unconfuse.metrics._inference import Rates
from unconfuse.metrics._metric import ratio
from unconfuse.table import Array, Counts, InMemorySample, ScoreTable, Settings
from unconfuse.thresholds.candidates import Candidates, Index, group_ends, grouped
from unconfuse.thresholds.rules import ThresholdRule
from unconfuse.uncertainty.bootstrap import slices
from unconfuse.uncertainty.clustered_estimates import estimate_of_group_counts
from unconfuse.uncertainty.clustered_metrics import of_group_counts
from unconfuse.uncertainty.clusters import Jackknifed
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.proportion_intervals import delta_variances
from unconfuse.uncertainty.row_bootstrap import MANY_ROWS, RowBootstrap, put_together
from unconfuse.uncertainty.table_estimates import estimates_of_counts

_CELLS_AT_A_TIME = 1 << 17  # of resampled tables and all that is computed of them: what stays in the cache
Estimates = Mapping[str, Estimate]
Folds = npt.NDArray[np.int64]  # the number of each group's fold


class IndependentCases:
    """Cases that stand each for itself: their table says all."""

    def __init__(self, table: ScoreTable, fixed_classes: bool = False) -> None:
        self.table, self.fixed_classes = table, fixed_classes
        self.small = grouped(table)  # what is resampled and dealt

    @cached_property
    def candidates(self) -> Candidates:
        """The thresholds to choose from on all cases."""
        return Candidates(self.table)

    def counts_at(self, threshold: float) -> Counts:
        """Return the 2x2 table at a threshold."""
        return self.table.counts_at(threshold)

    def limits_of(self, rule: ThresholdRule, design: Settings) -> tuple[float, float, str] | None:
        """Return the interval of a rule's threshold, where the rule knows one and can be met."""
        if rule.limits is None or rule.unreachable(self.candidates):
            return None
        return rule.limits(self.table, self.fixed_classes, design.confidence_level)

    def dealt(self, folds: int, generator: np.random.Generator) -> tuple[ScoreTable, Folds | None]:
        """Deal the cases into folds, class by class; return their tables, and each group's fold if there are groups."""
        held = (_deal(each, folds, generator) for each in (self.small.positives, self.small.negatives))
        return ScoreTable.from_validated(self.small.score, *held), None

    def labelled(self, held: Candidates, index: Index, fold_of_group: Folds | None) -> Counts:
        """Return the 2x2 table when each fold is labelled down to its own block."""
        return summed(held.counts_at(index))

    def slices(self, design: Settings) -> Iterator[tuple[ScoreTable, ScoreTable]]:
        """Resampled tables, each with the table of the cases that it left out.

        Of cases that share a score the resample says how many it drew, not which: they leave out what such draws leave
        out on average.
        """
        kind = _kernels.design_of(self.fixed_classes)
        classes = self.small.positives, self.small.negatives
        for first, count in slices(design.n_resamples, _CELLS_AT_A_TIME // len(self.small)):
            bootstrap_tables = _kernels.bootstrap_tables(
                *classes, seed=design.seed, first=first, count=count, design=kind
            )
            left = (_left_out(*each) for each in zip(classes, bootstrap_tables, strict=True))
            yield (
                ScoreTable.from_validated(self.small.score, *bootstrap_tables),
                ScoreTable.from_validated(self.small.score, *left),
            )

    def estimates(self, metrics: tuple[Metric, ...], counts: Counts, design: Settings, context: str) -> Estimates:
        """Metrics of these counts with their intervals."""
        return FrozenMapping(estimates_of_counts(metrics, counts, design, context, fixed_classes=self.fixed_classes))

    def spread_at(self, metric: Metric, counts: Counts, value: float, *, cohort: bool) -> Jackknifed:
        """How sure a value is that takes the place of the metric's own at these counts: as if each case were drawn by
        itself, with half a case added; Student's t by the smaller class, as of the AUROC."""
        least, most = metric.range
        error = float(half_case_error(metric, counts, cohort=cohort))
        freedom = max(2 * min(self.table.n_positives, self.table.n_negatives), 1.0)
        if not np.isfinite(metric.range).all():
            return Jackknifed(value, error**2, freedom, value, metric.range, len(self.small))
        apparent = (float(metric(_and_half(counts))) - least) / (most - least)
        size = apparent * (1 - apparent) * ((most - least) / error) ** 2
        centre = ((value - least) / (most - least) * size + 0.5) / (size + 1)
        variance = centre * (1 - centre) / (size + 1) * (most - least) ** 2
        return Jackknifed(value, variance, freedom, least + centre * (most - least), metric.range, len(self.small))

    def shifted(self, metrics: tuple[Metric, ...], counts: Counts, design: Settings, prevalence: float) -> Estimates:
        """Return metrics of these counts at another prevalence, with their intervals."""
        level = design.confidence_level
        return FrozenMapping(shift_counts_estimates(counts, metrics, prevalence, confidence_level=level))


class ClusteredCases(IndependentCases):
    """Whole groups of cases: dealt, resampled and measured together."""

    def __init__(self, sample: InMemorySample) -> None:
        self.sample = sample.taken(np.flatnonzero(sample.weight > 0))
        self._words = f"{self.sample.n_groups} groups"
        if len(self.sample) > MANY_ROWS:  # as wherever so many are resampled
            groups, _ = put_together(self.sample, None, np.random.default_rng(0))
            self.sample = self.sample.derive(groups=groups)
            self._words += f", {self.sample.n_groups} random ones of them"
        assert self.sample.groups is not None
        super().__init__(self.sample.table(), self.sample.fixed_classes)
        self.groups, self.n_groups = self.sample.groups, self.sample.n_groups
        self._ends, block = group_ends(self.table), self.sample.blocks(self.sample.only_model)
        self._block = block if self._ends is None else np.searchsorted(self._ends, block)  # of what is resampled

    def limits_of(self, rule: ThresholdRule, design: Settings) -> None:
        """Whole groups must be resampled."""

    def counts_at(self, threshold: float) -> Counts:
        """Return the 2x2 table of each group at a threshold."""
        return self._cells(self.sample.scores[self.sample.only_model] >= threshold)

    def _cells(self, labelled: npt.NDArray[np.bool_]) -> Counts:
        truth = self.sample.is_positive
        sides = (truth & labelled, ~truth & labelled, truth & ~labelled, ~truth & ~labelled)
        tp, fp, fn, tn = (
            np.bincount(self.groups, weights=self.sample.weight * side, minlength=self.n_groups) for side in sides
        )
        return Counts.from_validated(tp=tp, fp=fp, fn=fn, tn=tn)

    def dealt(self, folds: int, generator: np.random.Generator) -> tuple[ScoreTable, Folds | None]:
        """Deal whole groups into folds; return the tables of the folds and each group's fold."""
        fold = generator.permutation(np.arange(self.n_groups) % min(folds, self.n_groups))
        place, size = fold[self.groups] * len(self.small) + self._block, folds * len(self.small)
        held = (
            np.bincount(place, self.sample.weight * side, size).reshape(folds, -1).astype(np.float64)
            for side in (self.sample.is_positive, ~self.sample.is_positive)
        )
        return ScoreTable.from_validated(self.small.score, *held), fold

    def labelled(self, held: Candidates, index: Index, fold_of_group: Folds | None) -> Counts:
        """Return the 2x2 table of each group when its fold is labelled down to that fold's own block."""
        assert fold_of_group is not None
        return self._cells(self._block <= index[fold_of_group[self.groups]])

    def slices(self, design: Settings) -> Iterator[tuple[ScoreTable, ScoreTable]]:
        """Tables of resampled groups, each with the table of the groups that it left out."""
        rows = RowBootstrap(self.sample, design)
        tables = rows.tables(self.sample.only_model, self.small, self._ends)
        for times in rows.times(2 * len(self.small)):
            yield tables(times), tables((times == 0).astype(np.float64))

    def estimates(self, metrics: tuple[Metric, ...], counts: Counts, design: Settings, context: str) -> Estimates:
        """Metrics of all groups, with intervals from what is left without each of them."""
        words = f"{context}, {self._words}"
        return FrozenMapping(
            {metric.name: estimate_of_group_counts(metric, counts, design, words) for metric in metrics}
        )

    def spread_at(self, metric: Metric, counts: Counts, value: float, *, cohort: bool) -> Jackknifed:
        """How sure a value is that takes the place of the metric's own at these counts: by what is left without each
        group."""
        found = of_group_counts(metric, counts)
        moved = found.centre + value - found.value
        return replace(found, value=value, centre=float(np.clip(moved, *metric.range)), increasing=None)

    def shifted(self, metrics: tuple[Metric, ...], counts: Counts, design: Settings, prevalence: float) -> Estimates:
        """Return metrics of all groups at another prevalence, with their intervals."""
        return self.estimates(
            tuple(at_other_prevalence(metric, prevalence, self.table.n) for metric in metrics),
            counts,
            design,
            f"prevalence {prevalence:.4g}",
        )


def at_other_prevalence(metric: Metric, prevalence: float, n: float) -> Metric:
    """Return a metric of decisions as it is for so many cases at another prevalence."""

    def shifted(counts: Counts) -> Array:
        return np.asarray(metric.value(counts.at_prevalence(prevalence).scaled(n)))

    return replace(metric, value=shifted, inference=Rates(log_limits=metric.inference.log_limits))


def half_case_error(metric: Metric, counts: Counts, *, cohort: bool) -> Array:
    """Return the standard error of a metric of decisions with half a case more in each cell, so that it is never 0.

    >>> from unconfuse.metrics import METRICS
    >>> half_case_error(METRICS["sensitivity"], Counts(tp=[9, 10], fp=2, fn=[1, 0], tn=8), cohort=True).round(4)
    array([0.1085, 0.0659])
    """
    fraction = metric.inference.fraction
    if fraction is None or not (cohort or not metric.depends_on_prevalence):
        return np.sqrt(np.maximum(delta_variances(metric, _and_half(counts), cohort=cohort), 0.0))
    successes, trials = fraction(counts)
    share = (successes + 0.5) / (trials + 1)
    return np.sqrt(ratio(share * (1 - share), trials))


def _and_half(counts: Counts) -> Counts:
    return Counts.from_validated(**{name: getattr(counts, name) + 0.5 for name in ("tp", "fp", "fn", "tn")})


def _left_out(weights: Array, drawn: Array) -> Array:
    """How many of so many cases are not among so many draws of them, on average."""
    with np.errstate(divide="ignore"):
        missed = np.maximum(1 - 1 / weights, 0.0)  # by one draw; below one case there is nothing left
    return weights * missed**drawn


def summed(counts: Counts) -> Counts:
    """All groups, or folds, added up."""
    return Counts.from_validated(**{name: getattr(counts, name).sum() for name in ("tp", "fp", "fn", "tn")})


def averaged(results: list[Counts]) -> Counts:
    """Of several deals; groups keep their axis."""
    cells = {name: np.mean([getattr(result, name) for result in results], axis=0) for name in ("tp", "fp", "fn", "tn")}
    return Counts.from_validated(**cells)


_MANY, _TIED = 1e5, 1000  # above so many cases, and so many at each score, a draw for each score is faster
_MOST_DRAWN = 10**9  # as many as NumPy draws without putting back


def _deal_blocks(weights: npt.NDArray[np.int64], folds: int, generator: np.random.Generator) -> Array:
    """Many cases at few scores: how many of each score come into each fold, without a deal of each case."""
    total = int(weights.sum())
    if total >= _MOST_DRAWN:  # so many that it makes no difference whether the folds are of exactly one size
        return generator.multinomial(weights, np.full(folds, 1 / folds)).T.astype(np.float64)
    room = np.full(folds, total // folds) + (np.arange(folds) < total % folds)
    held = np.zeros((folds, len(weights)))
    for place, weight in enumerate(weights):
        held[:, place] = drawn = generator.multivariate_hypergeometric(room, weight, method="marginals")
        room -= drawn
    return held


def _deal(weights: Array, folds: int, generator: np.random.Generator) -> Array:
    """Whole cases one by one; where weights are no whole numbers, all that is at one score together.

    Both classes begin with the same fold, so that a fold takes the same share of each. If it did not, the left-out
    cases would tip the balance where two thresholds are equally good, always in their own favour: leaving out single
    cases made Youden J of 25 against 25 cases look .04 better than it is.
    """
    whole = bool((weights == np.rint(weights)).all())
    if whole and weights.sum() > max(_MANY, _TIED * len(weights)):
        return _deal_blocks(weights.astype(np.int64), folds, generator)
    places = np.repeat(np.arange(len(weights)), weights.astype(np.int64)) if whole else np.flatnonzero(weights)
    fold = generator.permutation(np.arange(len(places)) % folds)
    values = None if whole else weights[places]
    size = folds * len(weights)
    return np.bincount(fold * len(weights) + places, values, size).reshape(folds, -1).astype(np.float64)

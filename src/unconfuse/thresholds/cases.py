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
from unconfuse._plain import ReadOnly
from unconfuse.bayesian import shift_counts_estimates
from unconfuse.metrics import Metric
from unconfuse.metrics._inference import Rates
from unconfuse.table import Array, Counts, Design, NearSample, ScoreTable
from unconfuse.thresholds.candidates import Candidates, Index, group_ends, grouped
from unconfuse.thresholds.rules import Rule
from unconfuse.uncertainty.bootstrap import slices
from unconfuse.uncertainty.drawn_rows import DrawnRows
from unconfuse.uncertainty.engine import estimates_of_counts
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.grouped_estimates import estimate_of_group_counts
from unconfuse.uncertainty.random_groups import MANY_ROWS, put_together

_CELLS_AT_A_TIME = 1 << 21
Estimates = Mapping[str, Estimate]
Folds = npt.NDArray[np.int64]  # the number of each group's fold


class Cases:
    """Cases that stand each for itself: their table says all."""

    def __init__(self, table: ScoreTable) -> None:
        self.table = table
        self.small = grouped(table)  # what is resampled and dealt

    @cached_property
    def candidates(self) -> Candidates:
        """The thresholds to choose from on all cases."""
        return Candidates(self.table)

    def counts_at(self, threshold: float) -> Counts:
        """The 2x2 table at a threshold."""
        return self.table.counts_at(threshold)

    def limits_of(self, rule: Rule, design: Design) -> tuple[float, float, str] | None:
        """The interval of a rule's threshold, where the rule knows one and can be met."""
        if rule.limits is None or rule.unreachable(self.candidates):
            return None
        return rule.limits(self.table, design.kind, design.confidence_level)

    def dealt(self, folds: int, generator: np.random.Generator) -> tuple[ScoreTable, Folds | None]:
        """The tables of the folds, dealt class by class; and each group's fold, if there are groups."""
        held = (_deal(each, folds, generator) for each in (self.small.positives, self.small.negatives))
        return ScoreTable.trusted(self.small.score, *held), None

    def labelled(self, held: Candidates, index: Index, fold_of_group: Folds | None) -> Counts:
        """The 2x2 table when each fold is labelled down to its own block."""
        return summed(held.counts_at(index))

    def slices(self, design: Design) -> Iterator[ScoreTable]:
        """Resampled tables."""
        kind: _kernels.Design = "cohort" if design.is_cohort else "case-control"
        classes = self.small.positives, self.small.negatives
        for first, count in slices(design.n_resamples, _CELLS_AT_A_TIME // len(self.small)):
            drawn = _kernels.bootstrap_tables(*classes, seed=design.seed, first=first, count=count, design=kind)
            yield ScoreTable.trusted(self.small.score, *drawn)

    def estimates(self, metrics: tuple[Metric, ...], counts: Counts, design: Design, context: str) -> Estimates:
        """Metrics of these counts with their intervals."""
        return ReadOnly(estimates_of_counts(metrics, counts, design, context))

    def shifted(self, metrics: tuple[Metric, ...], counts: Counts, design: Design, prevalence: float) -> Estimates:
        """The same at another prevalence."""
        level = design.confidence_level
        return ReadOnly(shift_counts_estimates(counts, metrics, prevalence, confidence_level=level))


class Groups(Cases):
    """Whole groups of cases: dealt, resampled and measured together."""

    def __init__(self, sample: NearSample) -> None:
        self.sample = sample.taken(np.flatnonzero(sample.weight > 0))
        self._words = f"{self.sample.n_groups} groups"
        if len(self.sample) > MANY_ROWS:  # as wherever so many are resampled
            groups, _ = put_together(self.sample, None, np.random.default_rng(0))
            self.sample = self.sample.derive(groups=groups)
            self._words += f", {self.sample.n_groups} random ones of them"
        assert self.sample.groups is not None
        super().__init__(self.sample.table())
        self.groups, self.n_groups = self.sample.groups, self.sample.n_groups
        self._ends, block = group_ends(self.table), self.sample.blocks(self.sample.only_model)
        self._block = block if self._ends is None else np.searchsorted(self._ends, block)  # of what is resampled

    def limits_of(self, rule: Rule, design: Design) -> None:
        """Whole groups must be resampled."""

    def counts_at(self, threshold: float) -> Counts:
        """The 2x2 table of each group at a threshold."""
        return self._cells(self.sample.scores[self.sample.only_model] >= threshold)

    def _cells(self, labelled: npt.NDArray[np.bool_]) -> Counts:
        truth = self.sample.is_positive
        sides = (truth & labelled, ~truth & labelled, truth & ~labelled, ~truth & ~labelled)
        tp, fp, fn, tn = (
            np.bincount(self.groups, weights=self.sample.weight * side, minlength=self.n_groups) for side in sides
        )
        return Counts.trusted(tp=tp, fp=fp, fn=fn, tn=tn)

    def dealt(self, folds: int, generator: np.random.Generator) -> tuple[ScoreTable, Folds | None]:
        """The tables of the folds, whole groups dealt; and each group's fold."""
        fold = generator.permutation(np.arange(self.n_groups) % min(folds, self.n_groups))
        place, size = fold[self.groups] * len(self.small) + self._block, folds * len(self.small)
        held = (
            np.bincount(place, self.sample.weight * side, size).reshape(folds, -1).astype(np.float64)
            for side in (self.sample.is_positive, ~self.sample.is_positive)
        )
        return ScoreTable.trusted(self.small.score, *held), fold

    def labelled(self, held: Candidates, index: Index, fold_of_group: Folds | None) -> Counts:
        """The 2x2 table of each group when its fold is labelled down to that fold's own block."""
        assert fold_of_group is not None
        return self._cells(self._block <= index[fold_of_group[self.groups]])

    def slices(self, design: Design) -> Iterator[ScoreTable]:
        """Tables of resampled groups."""
        rows = DrawnRows(self.sample, design)
        tables = rows.tables(self.sample.only_model, self.small, self._ends)
        return map(tables, rows.times(2 * len(self.small)))

    def estimates(self, metrics: tuple[Metric, ...], counts: Counts, design: Design, context: str) -> Estimates:
        """Metrics of all groups, with intervals from what is left without each of them."""
        words = f"{context}, {self._words}"
        return ReadOnly({each.name: estimate_of_group_counts(each, counts, design, words) for each in metrics})

    def shifted(self, metrics: tuple[Metric, ...], counts: Counts, design: Design, prevalence: float) -> Estimates:
        """The same at another prevalence."""
        return self.estimates(
            tuple(_at(each, prevalence, self.table.n) for each in metrics),
            counts,
            design,
            f"prevalence {prevalence:.4g}",
        )


def _at(metric: Metric, prevalence: float, n: float) -> Metric:
    """A metric of decisions, of so many cases at another prevalence."""

    def shifted(counts: Counts) -> Array:
        return np.asarray(metric.value(counts.at_prevalence(prevalence).times(n)))

    return replace(metric, value=shifted, inference=Rates(log_limits=metric.inference.log_limits))


def summed(counts: Counts) -> Counts:
    """All groups, or folds, added up."""
    return Counts.trusted(**{name: getattr(counts, name).sum() for name in ("tp", "fp", "fn", "tn")})


def averaged(results: list[Counts]) -> Counts:
    """Of several deals; groups keep their axis."""
    cells = {name: np.mean([getattr(each, name) for each in results], axis=0) for name in ("tp", "fp", "fn", "tn")}
    return Counts.trusted(**cells)


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

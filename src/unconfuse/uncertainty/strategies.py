"""How metrics are estimated for each kind of sampling: one strategy for each, looked up by kind.

A new kind of sampling has the strategy of the kind it is made from, and needs its own only where that does not serve.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unconfuse.metrics import Metric
from unconfuse.metrics.requirements import by_cut
from unconfuse.table import Sample, Sampling, SamplingKind, Settings
from unconfuse.table.sample import positives_of
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.interval_methods import has_formula
from unconfuse.uncertainty.sandwich import estimates_of_sampled, has_influence
from unconfuse.uncertainty.table_estimates import draw, estimate_scores, estimates_of_counts

if TYPE_CHECKING:
    from unconfuse.uncertainty.folds import Engine

Estimates = dict[str, Estimate]


class Strategy(ABC):
    """What the engine asks of a kind of sampling, with what most kinds answer."""

    @abstractmethod
    def estimates(self, metrics: Sequence[Metric], sample: Sample, design: Settings, engine: Engine) -> Estimates:
        """Return metrics of one model by name; `engine` estimates a part of the cases."""

    def separately(self, metric: Metric) -> bool:
        """Return whether a metric alone costs no more than its share of all of them together."""
        return False

    def reason_against(self, metric: Metric) -> str:
        """Return what a metric needs that such cases never have, with a hint; nothing if nothing."""
        return ""


class TableStrategy(Strategy):
    """Cases drawn each for itself: closed forms and posteriors of decisions, formulas or resamples of scores."""

    def estimates(self, metrics: Sequence[Metric], sample: Sample, design: Settings, engine: Engine) -> Estimates:
        """Return estimates from the table alone."""
        size, fixed = positives_of(sample.positives, sample.n), sample.sampling.fixed_classes
        found: Estimates = {}
        for own, decisions in by_cut([metric for metric in metrics if metric.of == "counts"], sample):
            context = ", ".join(part for part in (own.threshold_text(), size) if part)
            found |= estimates_of_counts(decisions, own.counts(), design, context, fixed_classes=fixed)
        scores = [metric for metric in metrics if metric.of != "counts"]
        if scores:
            table = sample.table().at_midpoints()
            found |= estimate_scores(scores, table, design, context=size, fixed_classes=fixed)
        return found

    def separately(self, metric: Metric) -> bool:
        """Return whether it has a formula; the others share their resamples."""
        return metric.of == "counts" or has_formula(metric)


class ClusterStrategy(Strategy):
    """Whole groups: left out one by one, or resampled on a cluster."""

    def estimates(self, metrics: Sequence[Metric], sample: Sample, design: Settings, engine: Engine) -> Estimates:
        """Return estimates from what is left without each group."""
        from unconfuse.uncertainty.clustered_estimates import estimates_of_groups  # most cases stand each for itself

        size = positives_of(sample.positives, sample.n)
        return estimates_of_groups(metrics, sample, design, context=size, draw=draw)


class InfluenceStrategy(Strategy):
    """Cases drawn with unequal chances: the sandwich, and multipliers where a metric has no influence function."""

    def estimates(self, metrics: Sequence[Metric], sample: Sample, design: Settings, engine: Engine) -> Estimates:
        """Return estimates from influences, at each metric's own threshold."""
        found: Estimates = {}
        for cut, some in by_cut(metrics, sample):
            found |= estimates_of_sampled(some, cut, design)
        return found

    def separately(self, metric: Metric) -> bool:
        """Return whether it has an influence function; the others share their resamples."""
        return has_influence(metric)


class DoubleSamplingStrategy(Strategy):
    """A rater's labels, of which some were verified."""

    def estimates(self, metrics: Sequence[Metric], sample: Sample, design: Settings, engine: Engine) -> Estimates:
        """Return estimates that carry the uncertainty of the cases and of the checks."""
        from unconfuse.uncertainty.double_sampling_intervals import estimates_of_judged  # most labels are the truth

        assert sample.verified is not None
        found: Estimates = {}
        for cut, some in by_cut(metrics, sample.verified):
            found |= estimates_of_judged(some, cut, design)
        return found

    def reason_against(self, metric: Metric) -> str:
        """Return what a metric without an influence function would need."""
        if has_influence(metric):
            return ""
        return "the truth of every case, and only some were checked. Hint: ask for metrics of decisions or the AUROC."


class PooledStrategy(Strategy):
    """Means over units (today folds), each estimated by itself, as its own cases were drawn."""

    def estimates(self, metrics: Sequence[Metric], sample: Sample, design: Settings, engine: Engine) -> Estimates:
        """Return the mean over the units."""
        from unconfuse.uncertainty.folds import estimates_over_folds  # most cases are tested once

        return estimates_over_folds(metrics, sample, design, engine)


_STRATEGIES: Mapping[SamplingKind, Strategy] = {
    SamplingKind.INDEPENDENT: TableStrategy(),
    SamplingKind.CASE_CONTROL: TableStrategy(),
    SamplingKind.CLUSTERED: ClusterStrategy(),
    SamplingKind.WEIGHTED: InfluenceStrategy(),
    SamplingKind.SURVEY: InfluenceStrategy(),
    SamplingKind.DOUBLY_SAMPLED: DoubleSamplingStrategy(),
    SamplingKind.POOLED: PooledStrategy(),
}


def strategy_of(sample: Sample) -> Strategy:
    """Return the strategy of a sample's kind of sampling."""
    return strategy_for(sample.sampling)


def strategy_for(sampling: Sampling) -> Strategy:
    """Return the strategy of a kind of sampling; a new kind has that of the kind it is made from."""
    kinds: Iterator[Any] = (getattr(each, "kind", None) for each in type(sampling).__mro__)
    return next(_STRATEGIES[kind] for kind in kinds if kind in _STRATEGIES)

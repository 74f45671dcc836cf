"""Metrics of decisions that have a threshold of their own, as net benefit has: what they decide on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unconfuse.metrics._definition import Metric
from unconfuse.table.sample import Sample


def by_cut(metrics: Sequence[Metric], sample: Sample) -> Iterator[tuple[Sample, list[Metric]]]:
    """Metrics with the sample as they decide: most as it is cut, some at a threshold of their own."""
    apart: dict[float | None, list[Metric]] = {}
    for each in metrics:
        apart.setdefault(each.cut, []).append(each)
    for members in apart.values():
        yield cut_for(members[0], sample), members


def cut_for(metric: Metric, sample: Sample) -> Sample:
    """The sample as a metric decides: one with a threshold probability of its own cuts probabilities there."""
    if metric.cut is None or sample.several:
        return sample
    own = [name for name in sample.models if sample.is_scored(name) and not sample.why_not_probabilities(name)]
    if not own:
        return sample
    others = {name: how for name, how in sample.origins.items() if name not in own}
    return sample.cut_at({**sample.thresholds, **dict.fromkeys(own, metric.cut)}, others)

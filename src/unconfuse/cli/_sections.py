"""The order in which metrics are shown. It follows from what a metric declares, so that a new one finds its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric, find_metric
from unconfuse.uncertainty.estimate import Estimate

_OF_THE_LABELS = {"precision", "npv", "false_discovery_rate", "false_omission_rate"}
TITLES = (
    "Within each class (the same at every prevalence)",
    "How far a label can be believed",
    "Summaries of the decisions",
    "Ranking, over all thresholds",
    "Probabilities",
    "What the data and the threshold set",
)


@dataclass(frozen=True)
class Section:
    """Metrics that belong together."""

    title: str
    estimates: tuple[Estimate, ...]


def sections(estimates: Iterable[Estimate]) -> list[Section]:
    """Estimates by section, without the empty ones."""
    grouped: dict[str, list[Estimate]] = {title: [] for title in TITLES}
    for each in estimates:
        grouped[_title_of_name(each.name)].append(each)
    return [Section(title, tuple(members)) for title, members in grouped.items() if members]


def title_of(metric: Metric) -> str:
    """The section that a metric belongs to."""
    if metric.of != "counts":
        return TITLES[3] if metric.of == "ranks" else TITLES[4]
    if metric.name in _OF_THE_LABELS:
        return TITLES[1]
    if metric.better == "neither":
        return TITLES[5]
    return TITLES[0] if metric.fraction is not None and not metric.depends_on_prevalence else TITLES[2]


def _title_of_name(name: str) -> str:
    try:
        return title_of(find_metric(name))
    except ArgumentError:  # a metric of the user's own
        return TITLES[2]

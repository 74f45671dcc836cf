"""Every metric with its interval, by the way that fits the data: counts, table, or groups of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from unconfuse.comparison import Cases, DistantCases, NearCases
from unconfuse.comparison import Resampling as PairedResampling
from unconfuse.ingest._old import DistantRows, Tables
from unconfuse.metrics import Metric
from unconfuse._plain import number_text
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.table import Counts, Scores, ScoreTable
from unconfuse.uncertainty import estimate
from unconfuse.uncertainty.bootstrap import Progress, values_of
from unconfuse.uncertainty.estimates import Resampling, estimate_scores
from unconfuse.uncertainty.resampled import bias_corrected


@dataclass(frozen=True)
class How:
    """The settings of an evaluation, checked."""

    design: str
    confidence_level: float
    n_resamples: int
    seed: int
    threshold: float
    progress: Progress | None = None


def estimates_of(
    metrics: Iterable[Metric], data: Scores | Tables | ScoreTable, table: ScoreTable, counts: Counts, how: How
) -> Mapping[str, Estimate]:
    """All metrics by name, in the order asked for."""
    wanted = list(metrics)
    if isinstance(data, Scores | DistantRows) and is_clustered(data):
        return _of_groups(wanted, data, table, how)
    size = f"{table.n_positives:g} positives of {table.n:g}"
    cut = f"threshold {number_text(how.threshold)}, {size}"
    decisions = {
        each.name: estimate(each, counts, confidence_level=how.confidence_level, design=how.design, context=cut)
        for each in wanted
        if each.of == "counts"
    }
    scores = estimate_scores(
        [each for each in wanted if each.of != "counts"],
        table,
        confidence_level=how.confidence_level,
        how=Resampling(how.n_resamples, how.seed, how.design, how.progress),
        context=size,
    )
    found = decisions | scores
    return {each.name: found[each.name] for each in wanted}


def is_clustered(data: Scores | Tables | ScoreTable) -> bool:
    """Whether cases belong to groups."""
    return data.is_clustered if isinstance(data, DistantRows) else getattr(data, "groups", None) is not None


def _of_groups(
    metrics: list[Metric], rows: Scores | DistantRows, table: ScoreTable, how: How
) -> Mapping[str, Estimate]:
    """Cases of one group are not independent, so that only resampling whole groups says how sure a number is."""
    cases: Cases = NearCases(rows) if isinstance(rows, Scores) else DistantCases(rows)
    cut = dict.fromkeys(cases.models, how.threshold)
    drawing = PairedResampling(how.n_resamples, how.seed, how.design, cut, how.progress)
    replicates = cases.cut_at(drawing).replicates(metrics)
    n_groups = rows.n_groups() if isinstance(rows, DistantRows) else len(np.unique(rows.groups))  # type: ignore[arg-type]
    context = f"{n_groups} groups, {table.n_positives:g} positives of {table.n:g}"
    found = {}
    for each in metrics:
        value = float(values_of(each, table, how.threshold))
        limits = bias_corrected(
            value,
            replicates[each.name][0],
            confidence_level=how.confidence_level,
            range=each.range,
            smaller_class=n_groups,
        )
        undefined = each.undefined if np.isnan(value) else None
        found[each.name] = Estimate(
            each.name,
            each.label,
            value,
            float(limits.low),
            float(limits.high),
            how.confidence_level,
            method="" if undefined else f"{limits.method}, whole groups",
            undefined=undefined,
            better=each.better,
            baseline=float(each.baseline(table.prevalence, table.prevalence)),
            context=context,
        )
    return found

"""What a metric needs of a sample: decisions, scores, probabilities, or an order of the classes.

Some metrics of decisions have a threshold of their own, as net benefit has; the others take the one that was chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from unconfuse._errors import surface_text
from unconfuse._formatting import short_repr
from unconfuse.metrics._metric import Metric
from unconfuse.table.sample import Sample

S = TypeVar("S", bound=Sample)


def by_cut(metrics: Sequence[Metric], sample: S) -> Iterator[tuple[S, list[Metric]]]:
    """Metrics with the sample as they decide: most as it is cut, some at a threshold of their own."""
    apart: dict[float | None, list[Metric]] = {}
    for metric in metrics:
        apart.setdefault(metric.requires.cut, []).append(metric)
    for members in apart.values():
        yield cut_for(members[0], sample), members


def cut_for(metric: Metric, sample: S) -> S:
    """Cut the sample as a metric decides: one with a threshold probability of its own cuts probabilities there."""
    if metric.requires.cut is None or sample.is_multiclass:
        return sample
    own = [name for name in sample.models if sample.has_scores_of(name) and not sample.probability_problem(name)]
    if not own:
        return sample
    others = {name: how for name, how in sample.threshold_sources.items() if name not in own}
    return sample.with_thresholds({**sample.thresholds, **dict.fromkeys(own, metric.requires.cut)}, others)


def lacking(metric: Metric, sample: Sample, model: str) -> str:
    """Say what a metric needs that a model of the sample lacks, with a hint; nothing if it lacks nothing."""
    if metric.requires.ordinal and not sample.ordinal:
        return _needs_order()
    if metric.of in ("counts", "cells"):
        return (
            ""
            if sample.is_multiclass or cut_for(metric, sample).has_decisions_of(model)
            else _needs_decisions(sample, model)
        )
    if not sample.has_scores_of(model):
        return _needs_scores(sample)
    why = sample.probability_problem(model) if metric.needs_probabilities else ""
    if not why:
        return ""
    hint = "scale every row to add up to 1, or ask" if sample.is_multiclass else "rescale or recalibrate them, or ask"
    return f"probabilities: {why}. Hint: {hint} for ranking metrics."


def _needs_scores(sample: Sample) -> str:
    if sample.is_multiclass:
        return f"scores, not only decisions. Hint: {surface_text('use `evaluate(y, S)`', 'give --scores')}."
    return f"the scores, not only decisions. Hint: {surface_text('use `evaluate`', 'give --score')}."


def _needs_order() -> str:
    name_them = surface_text("`classes=[lowest, ..., highest]` and `ordered=True`", "--ordered lowest,...,highest")
    return f"classes that have an order, and none was declared. Hint: give {name_them}."


def _needs_decisions(sample: Sample, model: str) -> str:
    why, hint = no_threshold(sample, model)
    return f"decisions, but {why}. Hint: {hint}."


def no_threshold(sample: Sample, model: str) -> tuple[str, str]:
    """Why a model has no decisions, and how to choose a threshold."""
    table, several = sample.table(model), len(sample.models) > 1
    whose = f"the scores of {short_repr(model)}" if several else "the scores"
    ends = f"range from {table.score[-1]:.4g} to {table.upper_edges[0]:.4g}"
    ends = f"are all {table.upper_edges[0]:.4g}" if table.score[-1] == table.upper_edges[0] else ends
    why = f"{whose} {ends}: they are not probabilities, so they have no default threshold, and none was passed"
    in_python = f"pass `threshold={{{short_repr(model)}: ...}}`" if several else "pass `threshold=...`"
    given = surface_text(in_python, f"give --threshold {model}=SCORE" if several else "give --threshold SCORE")
    card = surface_text("`threshold_card`", "`unconfuse thresholds`")
    return why, f"{given} if one is in use; {card} compares rules for choosing one"

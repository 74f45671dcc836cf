"""Which of several models of several classes is better: differences on the same rows, from each row's influence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr

from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import check_choice, check_whole, mention_fractions
from unconfuse.comparison.difference import (
    UNDEFINED,
    Found,
    Settings,
    adjusted_p,
    of_labels,
    twice_the_error,
    verdict_of,
)
from unconfuse.comparison.models import pairs_of
from unconfuse.comparison.result import Comparison, PairedDifference
from unconfuse.comparison.significance import SMALLEST
from unconfuse.ingest._old import ClassScores, gather_classes, only_rows
from unconfuse.multiclass._definition import ClassMetric, Summary
from unconfuse.multiclass.cells import Cells
from unconfuse.multiclass.intervals import ClassHow, linear_replicates, summary_of, variance
from unconfuse.multiclass.registry import find_class_metrics
from unconfuse.multiclass.result import check_available
from unconfuse.uncertainty.smoothed import quantile

DEFAULT_METRICS = (
    "accuracy",
    "balanced_accuracy",
    "mcc",
    "f1_macro",
    "auroc_ovr_macro",
    "auroc_hand_till",
    "log_loss",
    "brier",
)
Pair = tuple[str, str]


def compare_classes(
    y: Any,
    scores: Mapping[str, Any] | None,
    predicted: Mapping[str, Any] | None,
    metrics: Iterable[Any] | None,
    settings: Settings,
    *,
    classes: Sequence[object] | None,
    reference: str | None,
    baselines: Sequence[str],
    design: str,
    n_resamples: int,
    rng: int,
    weights: Any = None,
    groups: Any = None,
) -> Comparison:
    """Paired differences of all pairs of models."""
    how = ClassHow(
        check_choice(design, "design", ("cohort", "case-control")),
        settings.confidence_level,
        check_whole(n_resamples, "n_resamples", at_least=100),
        check_whole(rng, "rng", at_least=0),
    )
    models = _with_baselines(_gathered(y, scores, predicted, classes, weights, groups), baselines)
    if len(models) < 2:
        raise ArgumentError("a comparison needs at least two models. Hint: add one, or baselines=['majority'].")
    first = next(iter(models.values()))
    mention_fractions(first.weights)
    wanted = _wanted(metrics, models)
    pairs = pairs_of(tuple(models), reference)
    cells = {name: Cells.of_rows(rows) for name, rows in models.items()}
    found: dict[tuple[str, str, str], PairedDifference] = {}
    for metric in wanted:
        summaries = {name: summary_of(metric, rows, cells[name]) for name, rows in models.items()}
        for each in _differences(metric, summaries, models, pairs, how, settings):
            found[each.metric, each.first, each.second] = each
    return Comparison(
        found,
        tuple(models),
        tuple(each.name for each in wanted),
        first.n,
        float("nan"),
        {
            "design": "clustered" if first.groups is not None else design,
            "confidence_level": settings.confidence_level,
            "n_resamples": n_resamples,
            "seed": rng,
            "adjust": settings.adjust,
            "margin": settings.margin,
            "classes": list(first.classes),
        },
    )


def _gathered(
    y: Any,
    scores: Mapping[str, Any] | None,
    predicted: Mapping[str, Any] | None,
    classes: Any,
    weights: Any,
    groups: Any,
) -> dict[str, ClassScores]:
    def rows(**given: Any) -> ClassScores:
        return only_rows(gather_classes(y, classes=classes, weights=weights, groups=groups, **given))

    found = {
        str(name): each if isinstance(each, ClassScores) else rows(scores=each) for name, each in (scores or {}).items()
    }
    found |= {str(name): rows(predicted=each) for name, each in (predicted or {}).items()}
    kinds = {each.classes for each in found.values()}
    if len(kinds) > 1:
        raise InputError("the models do not have the same classes in the same order. Hint: pass classes=.")
    return found


def _with_baselines(models: dict[str, ClassScores], baselines: Sequence[str]) -> dict[str, ClassScores]:
    """A model that always names the largest class, or that always states the shares of the classes."""
    first = next(iter(models.values()))
    for each in [baselines] if isinstance(baselines, str) else baselines:
        check_choice(each, "baselines", ("majority", "constant"))
        share = first.sizes / first.n
        stated = share if each == "constant" else np.eye(len(share))[int(np.argmax(share))]
        scores = np.broadcast_to(stated, (len(first), len(share)))
        always = np.full(len(first), int(np.argmax(share)))
        models = models | {each: ClassScores(first.truth, first.classes, scores, always, first.weights, first.groups)}
    return models


def _wanted(metrics: Iterable[Any] | None, models: Mapping[str, ClassScores]) -> tuple[ClassMetric, ...]:
    found = find_class_metrics(DEFAULT_METRICS if metrics is None else metrics)
    kept = []
    for each in found:
        try:
            for rows in models.values():
                check_available(each, rows)
            kept.append(each)
        except ArgumentError:
            if metrics is not None:
                raise
    return tuple(kept)


def _differences(
    metric: ClassMetric,
    summaries: Mapping[str, Summary],
    models: Mapping[str, ClassScores],
    pairs: list[Pair],
    how: ClassHow,
    settings: Settings,
) -> list[PairedDifference]:
    rows = next(iter(models.values()))
    values = {name: each.value for name, each in summaries.items()}
    found = [_difference(metric, summaries, models, pair, how) for pair in pairs]
    moves = _moves(summaries, pairs, rows, how, found) if len(pairs) > 1 else []
    adjusted = adjusted_p(found, moves, settings.adjust)
    return [
        verdict_of(metric, pair, values, each, p, rows.n, settings, one_of_many=len(pairs) > 1)
        for pair, each, p in zip(pairs, found, adjusted, strict=True)
    ]


def _moves(
    summaries: Mapping[str, Summary], pairs: list[Pair], rows: ClassScores, how: ClassHow, found: list[Found]
) -> list[Any]:
    """Replicates of all differences from the same resamples, for max-T."""
    influence = np.column_stack(
        [np.nan_to_num(summaries[a].influence) - np.nan_to_num(summaries[b].influence) for a, b in pairs]
    )
    moved = linear_replicates(influence, rows, how)
    return [each.value + moved[:, place] for place, each in enumerate(found)]


def _difference(
    metric: ClassMetric, summaries: Mapping[str, Summary], models: Mapping[str, ClassScores], pair: Pair, how: ClassHow
) -> Found:
    one, two = (summaries[name] for name in pair)
    value, rows = one.value - two.value, models[pair[0]]
    if not np.isfinite(value):
        return UNDEFINED
    if metric.name == "accuracy" and rows.weights is None and rows.groups is None and how.design == "cohort":
        first, second = (models[name].predicted == rows.truth for name in pair)
        apart = float((first & ~second).sum()), float((second & ~first).sum()), float(len(rows))
        return of_labels(apart, value, how.confidence_level)
    error = float(np.sqrt(variance(one.influence - two.influence, rows, how.design)))
    z = abs(value) / error if error > 0 else (0.0 if value == 0 else np.inf)
    wide, narrow = (quantile(level) * error for level in (how.confidence_level, twice_the_error(how.confidence_level)))
    span = metric.range[1] - metric.range[0]
    return Found(
        value,
        error,
        max(value - wide, -span),
        min(value + wide, span),
        "influence function, paired",
        max(float(2 * ndtr(-z)), SMALLEST),
        "influence function",
        value - narrow,
        value + narrow,
    )

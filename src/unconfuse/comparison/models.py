"""`compare`: which of several models is better, on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from unconfuse import ingest
from unconfuse._errors import ArgumentError, nearest
from unconfuse._validate import (
    check_both_classes,
    check_choice,
    check_not_empty,
    check_number,
    check_probability,
    check_whole,
    mention_fractions,
)
from unconfuse.comparison.difference import Settings, paired_differences
from unconfuse.comparison.replicates import Resampling, paired_replicates
from unconfuse.comparison.result import Comparison
from unconfuse.ingest.classes import several_classes
from unconfuse.metrics import Metric, find_metrics
from unconfuse.table import Array, Scores

DEFAULT_METRICS = (
    "auroc", "average_precision", "accuracy", "sensitivity", "specificity", "precision", "f1", "mcc", "brier",
)  # fmt: skip
BASELINES = ("majority", "constant")


def compare(
    y: Any,
    scores: Any = None,
    *,
    metrics: Iterable[str | Metric] | None = None,
    threshold: float | Mapping[str, float] = 0.5,
    reference: str | None = None,
    baselines: Sequence[str] = (),
    margin: float | None = None,
    adjust: str = "max-t",
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
    weights: Any = None,
    groups: Any = None,
    positive: object = None,
    label: str | None = None,
    score: Sequence[str] | Mapping[str, str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    predicted: Mapping[str, Any] | None = None,
    classes: Sequence[object] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Which model is better: paired differences of any metric, with intervals, p-values and a plain verdict.

    Parameters
    ----------
    y : array_like or data frame
        Labels; or a frame with the columns `label` and `score` (several).
    scores : mapping of name to array_like
        The models' scores of the same cases.
    metrics : names or Metric objects, optional
        A common set by default; `brier` only if all scores are probabilities.
    threshold : float or mapping of model to float
        Where decisions are cut.
    reference : str, optional
        Compare every model with this one only, for instance the one in use now.
    baselines : sequence of {"majority", "constant"}
        Add a model that always names the larger class, or that always predicts the prevalence.
    margin : float, optional
        The largest difference that does not matter: allows the verdict "equivalent", and says whether the first model
        is surely not worse than the second by more than this.
    adjust : {"max-t", "holm"}
        How p-values are adjusted for several pairs of models.
    design, confidence_level, n_resamples, rng, weights, positive
        As in `evaluate`.
    groups : array_like, optional
        Cases that belong together (one patient, one clinic); they are resampled as a whole.
    predicted : mapping of name to array_like, optional
        Predicted labels of several classes instead of scores.
    classes : sequence, optional
        The classes in the order of the columns, when every model's scores are a matrix with a column for each class.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> y = rng.random(400) < .3
    >>> good, poor = y + rng.normal(size=400), y + 3 * rng.normal(size=400)
    >>> result = uc.compare(y, {"good": good, "poor": poor}, metrics=["auroc"])
    >>> result["auroc", "good", "poor"].verdict
    'better'
    """
    check_probability(confidence_level, "confidence_level", open_interval=True)
    settings = Settings(
        confidence_level, check_choice(adjust, "adjust", ("max-t", "holm")), None if margin is None else _margin(margin)
    )
    if predicted is not None or several_classes(y, scores):
        from unconfuse.multiclass.comparison import compare_classes  # a door upwards, listed in .importlinter

        return compare_classes(y, scores, predicted, metrics, settings, classes=classes, reference=reference,
                               baselines=baselines, design=design, n_resamples=n_resamples, rng=rng, weights=weights,
                               groups=groups)  # fmt: skip
    rows = ingest.gather(y, scores, weights=weights, groups=groups, positive=positive, label=label, score=score,
                         weight=weight, group=group)  # fmt: skip
    mention_fractions(rows.weights)
    check_not_empty(len(rows))
    _check_classes(rows)
    cut = _thresholds(threshold, rows)
    rows = _with_baselines(rows, baselines, cut)
    pairs = pairs_of(tuple(rows.score), reference)
    wanted = _wanted(metrics, rows)
    how = Resampling(
        check_whole(n_resamples, "n_resamples", at_least=100), check_whole(rng, "rng", at_least=0),
        check_choice(design, "design", ("cohort", "case-control")), cut, progress,
    )  # fmt: skip

    replicates = paired_replicates(rows, wanted, how)
    found = {
        (each.metric, each.first, each.second): each
        for metric in wanted
        for each in paired_differences(metric, rows, pairs, replicates[metric.name], how, settings)
    }
    total = rows.weights.sum() if rows.weights is not None else len(rows)
    positives = rows.weights[rows.is_positive].sum() if rows.weights is not None else rows.is_positive.sum()
    return Comparison(found, tuple(rows.score), tuple(each.name for each in wanted), float(total), float(positives), {
        "design": "clustered" if rows.groups is not None else design, "confidence_level": confidence_level,
        "n_resamples": n_resamples, "seed": rng, "adjust": adjust, "margin": margin, "thresholds": dict(cut),
    })  # fmt: skip


def _margin(margin: float) -> float:
    value = check_number(margin, "margin")
    if value <= 0:
        hint = "Hint: it is the largest difference that does not matter to you."
        raise ArgumentError(f"`margin` must be above 0; got {value:g}. {hint}")
    return value


def _check_classes(rows: Scores) -> None:
    positives = int(rows.is_positive.sum())
    check_both_classes(positives, len(rows) - positives, rows.positive_label)


def _thresholds(threshold: float | Mapping[str, float], rows: Scores) -> dict[str, float]:
    if isinstance(threshold, Mapping):
        for name in threshold:
            if name not in rows.score:
                raise ArgumentError(f"a threshold is for {name!r}, which is no model. {nearest(name, rows.score)}")
        return {name: check_number(threshold.get(name, 0.5), "threshold") for name in rows.score}
    return dict.fromkeys(rows.score, check_number(threshold, "threshold"))


def _with_baselines(rows: Scores, baselines: Sequence[str], cut: dict[str, float]) -> Scores:
    """Models that look at nothing: cut so that `majority` always names the larger class."""
    chosen = [baselines] if isinstance(baselines, str) else list(baselines)
    score = dict(rows.score)
    share = float(np.average(rows.is_positive, weights=rows.weights))
    for each in chosen:
        check_choice(each, "baselines", BASELINES)
        score[each] = np.full(len(rows), share if each == "constant" else float(share > 0.5))
        cut[each] = 0.5
    if len(score) < 2:
        raise ArgumentError("a comparison needs at least two models. Hint: add one, or baselines=['majority'].")
    return Scores(rows.is_positive, score, rows.weights, rows.groups, rows.positive_label)


def pairs_of(models: tuple[str, ...], reference: str | None) -> list[tuple[str, str]]:
    """All pairs of models, or each against the reference."""
    if reference is None:
        return list(combinations(models, 2))
    if reference not in models:
        raise ArgumentError(f"no model {reference!r}. {nearest(reference, models)}")
    return [(each, reference) for each in models if each != reference]


def _wanted(metrics: Iterable[str | Metric] | None, rows: Scores) -> tuple[Metric, ...]:
    if metrics is not None:
        return find_metrics(metrics)
    probabilities = all(_within_unit(score) for score in rows.score.values())
    return find_metrics([name for name in DEFAULT_METRICS if name != "brier" or probabilities])


def _within_unit(score: Array) -> bool:
    return bool(score.min() >= 0 and score.max() <= 1)

"""`compare`: which of several models is better, on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, nearest
from unconfuse._validate import (
    check_both_classes,
    check_choice,
    check_not_empty,
    check_number,
    check_probability,
    check_whole,
    mention_fractions,
    mention_skipped,
)
from unconfuse.comparison.cases import Cases, NearCases
from unconfuse.comparison.difference import Settings, paired_differences
from unconfuse.comparison.distant import DistantCases
from unconfuse.comparison.replicates import Resampling
from unconfuse.comparison.result import Comparison
from unconfuse.ingest import _old as ingest
from unconfuse.ingest._old import DistantRows, several_classes
from unconfuse.metrics import Metric, find_metrics
from unconfuse.table import Scores

DEFAULT_METRICS = (
    "auroc",
    "average_precision",
    "accuracy",
    "sensitivity",
    "specificity",
    "precision",
    "f1",
    "mcc",
    "brier",
)
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
    by: None = None,
    weights: Any = None,
    groups: Any = None,
    positive: object = None,
    label: str | None = None,
    score: Sequence[str] | Mapping[str, str] | None = None,
    weight: str | None = None,
    group: str | None = None,
    id: str | None = None,
    table: str | None = None,
    query: str | None = None,
    on_bad_row: str = "error",
    bins: int | None = None,
    max_distinct: int | None = None,
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
    by : None
        Models are not compared by subgroup; `evaluate` judges one model by subgroup.
    groups : array_like, optional
        Cases that belong together (one patient, one clinic); they are resampled as a whole.
    id : str, optional
        Column that names each case once, as a patient number does.
    bins, max_distinct : int, optional
        Of the tables that a Spark frame hands over, as in `score_table`; rows in memory are compared exactly.
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
    if by is not None:
        raise ArgumentError(
            "`compare` takes no `by`: it compares models, not subgroups. Hint: compare the models on the rows of one "
            "subgroup, or judge one model by subgroup with `evaluate(..., by=...)`."
        )
    check_probability(confidence_level, "confidence_level", open_interval=True)
    settings = Settings(
        confidence_level, check_choice(adjust, "adjust", ("max-t", "holm")), None if margin is None else _margin(margin)
    )
    if predicted is not None or several_classes(y, scores):
        from unconfuse.multiclass.comparison import compare_classes  # a door upwards, listed in .importlinter

        return compare_classes(
            y,
            scores,
            predicted,
            metrics,
            settings,
            classes=classes,
            reference=reference,
            baselines=baselines,
            design=design,
            n_resamples=n_resamples,
            rng=rng,
            weights=weights,
            groups=groups,
        )
    distant = ingest.distant_rows(
        y,
        label=label,
        score=score,
        weight=weight,
        group=group,
        id=id,
        positive=positive,
        on_bad_row=on_bad_row,
        bins=bins,
        max_distinct=max_distinct,
        edges=list(threshold.values()) if isinstance(threshold, Mapping) else [threshold],
    )
    rows = (
        distant
        if distant is not None
        else ingest.gather(
            y,
            scores,
            weights=weights,
            groups=groups,
            positive=positive,
            label=label,
            score=score,
            weight=weight,
            group=group,
            id=id,
            table=table,
            query=query,
            on_bad_row=on_bad_row,
        )
    )
    mention_skipped(rows.skipped)
    start = _opened(rows)
    cut = _thresholds(threshold, start.models)
    opened = start.with_constants(_baselines(start, baselines, cut))
    pairs = pairs_of(opened.models, reference)
    wanted = _wanted(metrics, opened)
    how = Resampling(
        check_whole(n_resamples, "n_resamples", at_least=100),
        check_whole(rng, "rng", at_least=0),
        check_choice(design, "design", ("cohort", "case-control")),
        cut,
        progress,
    )

    cases = opened.cut_at(how)
    replicates = cases.replicates(wanted)
    found = {
        (each.metric, each.first, each.second): each
        for metric in wanted
        for each in paired_differences(metric, cases, pairs, replicates[metric.name], how, settings)
    }
    return Comparison(
        found,
        cases.models,
        tuple(each.name for each in wanted),
        cases.n,
        cases.positives,
        {
            "design": "clustered" if cases.is_clustered else design,
            "confidence_level": confidence_level,
            "n_resamples": n_resamples,
            "seed": rng,
            "adjust": adjust,
            "margin": margin,
            "thresholds": dict(cut),
        },
        rows.skipped,
        cases.rows if isinstance(cases, NearCases) else None,
    )


def _margin(margin: float) -> float:
    value = check_number(margin, "margin")
    if value <= 0:
        hint = "Hint: it is the largest difference that does not matter to you."
        raise ArgumentError(f"`margin` must be above 0; got {value:g}. {hint}")
    return value


def _opened(rows: Scores | DistantRows) -> Cases:
    """Cases of both classes, wherever they are."""
    if isinstance(rows, Scores):
        mention_fractions(rows.weights)
        check_not_empty(len(rows))
        positives = float(rows.is_positive.sum())
        check_both_classes(positives, len(rows) - positives, rows.positive_label)
        return NearCases(rows.in_order())  # a seed draws the same cases, whatever the order they came in
    mention_fractions(np.array([0.5]) if rows.has_fractions else None)
    table = rows.table()
    check_both_classes(table.n_positives, table.n_negatives, rows.positive_label)
    return DistantCases(rows)


def _thresholds(threshold: float | Mapping[str, float], models: Sequence[str]) -> dict[str, float]:
    if isinstance(threshold, Mapping):
        for name in threshold:
            if name not in models:
                raise ArgumentError(f"a threshold is for {name!r}, which is no model. {nearest(name, models)}")
        return {name: check_number(threshold.get(name, 0.5), "threshold") for name in models}
    return dict.fromkeys(models, check_number(threshold, "threshold"))


def _baselines(cases: Cases, baselines: Sequence[str], cut: dict[str, float]) -> dict[str, float]:
    """Models that look at nothing: cut so that `majority` always names the larger class."""
    chosen = [baselines] if isinstance(baselines, str) else list(baselines)
    score, share = {}, cases.positives / cases.n
    for each in chosen:
        check_choice(each, "baselines", BASELINES)
        score[each] = share if each == "constant" else float(share > 0.5)
        cut[each] = 0.5
    if len(cases.models) + len(score) < 2:
        raise ArgumentError("a comparison needs at least two models. Hint: add one, or baselines=['majority'].")
    return score


def pairs_of(models: tuple[str, ...], reference: str | None) -> list[tuple[str, str]]:
    """All pairs of models, or each against the reference."""
    if reference is None:
        return list(combinations(models, 2))
    if reference not in models:
        raise ArgumentError(f"no model {reference!r}. {nearest(reference, models)}")
    return [(each, reference) for each in models if each != reference]


def _wanted(metrics: Iterable[str | Metric] | None, cases: Cases) -> tuple[Metric, ...]:
    if metrics is not None:
        return find_metrics(metrics)
    probabilities = all(0 <= cases.table(name).score[-1] <= cases.table(name).tops[0] <= 1 for name in cases.models)
    return find_metrics([name for name in DEFAULT_METRICS if name != "brier" or probabilities])

"""Sensitivity and specificity from what describes decisions: numbers, four counts, an evaluation, scores, a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_number, check_probability
from unconfuse.populations import Population
from unconfuse.resolving.model_sequence import TablePopulation
from unconfuse.resolving.study import as_model, usual_quality
from unconfuse.table import Counts

Found = tuple[float, float, float, str]  # sensitivity, specificity, prevalence, and where they are from


def has_rates(model: Any) -> bool:
    """Whether decisions are given, so that no quality of scores can be asked for."""
    return model is None or isinstance(_counts_of(model), Counts)


def _counts_of(model: Any) -> Any:
    """Four counts, or those of an evaluation."""
    return model if isinstance(model, Counts) else getattr(model, "counts", None)


def rates_of(
    model: Any,
    *,
    prevalence: float | None,
    at: float | None,
    threshold: float | None,
    sensitivity: float | None,
    specificity: float | None,
) -> Found:
    """Return the rates that a plan is made for."""
    if model is None:
        if threshold is not None:
            raise ArgumentError("`threshold` cuts scores, and no `model` of scores is given.")
        return _given(prevalence, sensitivity, specificity)
    if sensitivity is not None or specificity is not None:
        raise ArgumentError("give a model, or `sensitivity` and `specificity`, not both.")
    counts = _counts_of(model)
    if isinstance(counts, Counts):
        if threshold is not None:
            raise ArgumentError("`threshold` cuts scores, and these decisions are made already.")
        return _of_counts(counts, prevalence)
    return _of_scores(as_model(model), prevalence, at, threshold)


def _given(prevalence: float | None, sensitivity: float | None, specificity: float | None) -> Found:
    """Return the given rates; one not given is one half, where a metric's variance does not depend on it."""
    if sensitivity is None and specificity is None:
        raise ArgumentError("decisions are missing: give a model, four counts, or `sensitivity=` and `specificity=`.")
    if prevalence is None:
        raise ArgumentError("`prevalence` is missing: the share of positives.")
    share = check_probability(prevalence, "prevalence", open_interval=True)
    given = {"sensitivity": sensitivity, "specificity": specificity}
    rates = {name: check_probability(0.5 if each is None else each, name) for name, each in given.items()}
    words = ", ".join(f"{name} {each:.3g}" for name, each in given.items() if each is not None)
    return _inside(rates["sensitivity"]), _inside(rates["specificity"]), share, words


def _inside(rate: float) -> float:
    """Rates of exactly 0 and 1 have no log-odds."""
    return float(np.clip(rate, 1e-6, 1 - 1e-6))


def _of_counts(counts: Counts, prevalence: float | None) -> Found:
    if not float(counts.positives) > 0 or not float(counts.negatives) > 0:
        raise ArgumentError("these counts have one class only; a plan needs both.")
    share = float(counts.positives / (counts.positives + counts.negatives)) if prevalence is None else prevalence
    rates = float(counts.tp / counts.positives), float(counts.tn / counts.negatives)
    words = f"sensitivity {rates[0]:.3g} and specificity {rates[1]:.3g}, as in these decisions"
    return _inside(rates[0]), _inside(rates[1]), check_probability(share, "prevalence", open_interval=True), words


def _of_scores(model: Any, prevalence: float | None, at: float | None, threshold: float | None) -> Found:
    own = hasattr(model, "prevalence")
    quality = usual_quality(model) if at is None else at
    if prevalence is None and not own:
        raise ArgumentError(f"`prevalence` is missing: {model!r} holds no data.")
    share = check_probability(model.prevalence if prevalence is None else prevalence, "prevalence", open_interval=True)
    population = model.population_at(check_probability(quality, "quality"))
    tpr, fpr, score = _curve(population)
    if threshold is None:
        place, words = int(np.argmax(tpr - fpr)), "the threshold with the highest Youden J"
    else:
        cut = check_number(threshold, "threshold")
        place, words = int(np.sum(score >= cut)), f"threshold {cut:g}"
    rates = float(tpr[place]), float(1 - fpr[place])
    words = f"AUROC {quality:.3g}, {words}: sensitivity {rates[0]:.3g}, specificity {rates[1]:.3g}"
    return _inside(rates[0]), _inside(rates[1]), share, words


def _curve(population: Population | TablePopulation) -> tuple[Any, Any, Any]:
    """Return true and false positive rates from (0, 0) on, and the scores that are labelled one after the other."""
    if isinstance(population, TablePopulation):
        table = population.sized(1.0, 1.0)
        tpr, fpr = (np.append(0.0, np.cumsum(each)) for each in (table.positives, table.negatives))
        return tpr, fpr, table.score
    tpr, fpr = population.points(4000)
    if population.threshold_at is None:
        return tpr, fpr, np.full(len(tpr) - 1, np.nan)
    with np.errstate(all="ignore"):
        return tpr, fpr, population.threshold_at(tpr[1:])

"""One evaluation as a part of a page's payload: its numbers, its curves, and every stop of the threshold slider."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unconfuse.metrics import Metric
from unconfuse.metrics.ledger import FAMILIES
from unconfuse.report._lines import curves_of, exact, histogram_of, picked, rounded
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.stops import FEW, Stops, stops
from unconfuse.uncertainty import Estimate

NAME_LENGTH = 10_000


def model_of(
    evaluation: Evaluation, thresholds: Iterable[float] = (), *, name: str = "", most: int = FEW, bands: bool = True
) -> dict[str, Any]:
    """What a page needs to draw one classifier; about so many stops, these thresholds among them."""
    found = stops(evaluation, thresholds, most=most)
    part = {
        "name": (name or evaluation.name)[:NAME_LENGTH],
        "source": evaluation.source[:NAME_LENGTH],
        **picked(evaluation, "n positives negatives threshold design"),
        "level": evaluation.confidence_level,
        **picked(evaluation, "n_resamples seed"),
        "findings": [each.as_dict() for each in evaluation.findings],
        "estimates": {key: estimate_of(each) for key, each in evaluation.estimates.items()},
        "stops": _columns(found, evaluation.metrics),
        "curves": curves_of(evaluation, bands=bands),
    }
    part |= {} if found.start is None else {"start": found.start}
    part |= {"skipped": evaluation.skipped.as_dict()} if evaluation.skipped else {}
    return part | _scores(evaluation)


def _columns(found: Stops, metrics: Iterable[Metric]) -> dict[str, Any]:
    """The slider's stops; values only of metrics whose formula a page cannot compute."""
    closed = [each for each in metrics if each.of == "counts" and not each.expression]
    made = {
        "threshold": exact(found.threshold),
        "tp": exact(found.counts.tp),
        "fp": exact(found.counts.fp),
        "intervals": {name: [rounded(end) for end in ends] for name, ends in found.intervals.items()},
        "values": {each.name: rounded(each(found.counts), 12) for each in closed},
        "ratios": {name: [rounded(end, 7) for end in ends] for name, ends in found.ratios.items()},
    }
    return made if found.b is None else made | {"b": rounded(found.b, 7)}


def _scores(evaluation: Evaluation) -> dict[str, Any]:
    table = evaluation.table
    if table is None:
        return {}
    ends = {"lowest_score": float(table.score[-1]), "highest_score": float(table.tops[0])}
    spread = {"histogram": histogram_of(evaluation)} if table.is_exact else {"binned": True}
    return {"distinct_scores": len(table), **ends, **spread}


def estimate_of(each: Estimate) -> dict[str, Any]:
    """A value with its interval, what chance would give, and the reason where there is none."""
    found = picked(each, "value low high method baseline undefined")
    return found if each.bound is None else found | {"bound": list(each.bound), "bound_text": each.bound_text()}


def declarations_of(metrics: Iterable[Metric]) -> dict[str, Any]:
    """What a page says about each metric, and how it computes it."""
    words = "label question of better range expression depends_on_prevalence undefined misleads references"
    return {each.name: picked(each, words) for each in metrics}


def ledgers_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Every definition that goes by a name that tools disagree on, once for each family."""
    probabilities = {"ece", "log_loss", "calibration_intercept", "brier"}
    left_out = probabilities if evaluation.sample.why_not_probabilities() else set()
    first: dict[int, str] = {}
    for name, family in FAMILIES.items():
        first.setdefault(id(family), name)
    return [evaluation.explain(name).as_dict() for name in first.values() if name not in left_out]

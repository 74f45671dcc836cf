"""One evaluation as a part of a page's payload."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from unconfuse._plain import plain_json
from unconfuse.metrics import Metric
from unconfuse.metrics.ledger import FAMILIES, explain
from unconfuse.report._lines import curves_of, histogram_of
from unconfuse.report._stops import FEW, stops_of
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import ScoreTable
from unconfuse.uncertainty.estimate import Estimate

NAME_LENGTH = 10_000


def model_of(
    evaluation: Evaluation, thresholds: Iterable[float] = (), *, name: str = "", stops: int = FEW, bands: bool = True
) -> dict[str, Any]:
    """What a page needs to draw one classifier."""
    start = [] if evaluation.table is None or evaluation.threshold is not None else [start_of(evaluation)]
    made = stops_of(evaluation, [*thresholds, *start], most=stops)
    part = {
        "name": (name or evaluation.name)[:NAME_LENGTH],
        "source": evaluation.source[:NAME_LENGTH],
        "n": evaluation.n,
        "positives": evaluation.positives,
        "negatives": evaluation.negatives,
        "threshold": evaluation.threshold,
        "design": evaluation.design,
        "level": evaluation.confidence_level,
        "n_resamples": evaluation.n_resamples,
        "seed": evaluation.seed,
        "findings": [each.as_dict() for each in evaluation.findings],
        "estimates": {key: estimate_of(each) for key, each in evaluation.estimates.items()},
        "stops": made,
        "curves": curves_of(evaluation, bands=bands),
    }
    part |= {"start": start[0]} if start else {}
    part |= {"skipped": evaluation.skipped.as_dict()} if evaluation.skipped else {}
    return dict(plain_json(part | ({} if evaluation.table is None else _scores(evaluation.table))))


def start_of(evaluation: Evaluation) -> float:
    """Decisions without a threshold: where the scores call as many cases positive as the decisions did."""
    table = evaluation.table
    assert table is not None
    called = np.asarray(table.counts_at(table.score).labelled_positive)
    wanted = float(evaluation.counts.labelled_positive)
    return float(table.score[int(np.argmin(np.abs(called - wanted)))])


def _scores(table: ScoreTable) -> dict[str, Any]:
    found = {
        "distinct_scores": len(table),
        "lowest_score": float(table.score[-1]),
        "highest_score": float(table.tops[0]),
    }
    return found | ({"histogram": histogram_of(table)} if table.is_exact else {"binned": True})


def estimate_of(each: Estimate) -> dict[str, Any]:
    """A value with its interval, what chance would give, and the reason where there is none."""
    found = {
        "value": each.value,
        "low": each.low,
        "high": each.high,
        "method": each.method,
        "baseline": each.baseline,
        "undefined": each.undefined,
    }
    return found if each.bound is None else found | {"bound": list(each.bound), "bound_text": each.bound_text()}


def declarations_of(metrics: Iterable[Metric]) -> dict[str, Any]:
    """What a page says about each metric, and how it computes it."""
    return {
        each.name: {
            "label": each.label,
            "question": each.question,
            "of": each.of,
            "better": each.better,
            "range": plain_json(list(each.range)),
            "expression": each.expression,
            "depends_on_prevalence": each.depends_on_prevalence,
            "undefined": each.undefined,
            "misleads": each.misleads,
            "references": list(each.references),
        }
        for each in metrics
    }


def ledgers_of(table: ScoreTable) -> list[dict[str, Any]]:
    """Every definition that goes by a name that tools disagree on, once for each family."""
    probabilities = bool(table.score[0] <= 1 and table.score[-1] >= 0)
    needs = {"ece", "log_loss", "calibration_intercept", "brier"}
    first: dict[int, str] = {}
    for name, family in FAMILIES.items():
        first.setdefault(id(family), name)
    names = [name for name in first.values() if probabilities or name not in needs]
    return [plain_json(explain(name, table).as_dict()) for name in names]

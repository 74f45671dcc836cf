"""What is kept of a result: all it tells, a few numbers for the history, and what later comparisons need."""

from __future__ import annotations

from typing import Any

from unconfuse.results import Comparison, Evaluation

_SMALL = 200_000  # rows of a score table up to which it is kept
_TREND = (
    "auroc", "average_precision", "sensitivity", "specificity", "precision", "npv", "accuracy", "balanced_accuracy",
    "f1", "mcc", "brier", "log_loss", "prevalence", "f1_macro", "cohen_kappa", "youden_j",
)  # fmt: skip


def summary_of(result: Any) -> dict[str, dict[str, Any]]:
    """Metrics that a history shows, as far as the result has them: value and interval."""
    known = result if isinstance(result, Evaluation) else {}
    return {
        name: {"value": known[name].value, "low": known[name].low, "high": known[name].high}
        for name in _TREND
        if name in known and not known[name].undefined
    }


def verdict_of(result: Any) -> str:
    """Return the first thing that was found, in words."""
    if isinstance(result, Comparison):  # of several models, the sentence on all of them
        return result.sentence[:600]
    said = getattr(result, "findings", None) or [
        getattr(result, "sentence", None) or getattr(result, "recommendation", "")
    ]
    return str(getattr(said[0], "sentence", said[0]))[:600]


def public_summary(result: Any) -> dict[str, Any]:
    """Return the result as plain values and as rows, its summary and its verdict."""
    rows = result.rows() if hasattr(result, "rows") else []
    if not rows and hasattr(result, "curve"):
        rows = [{"n": n, getattr(result, "reached_name", "kappa"): reached} for n, reached in result.curve]
    return {"result": result.as_dict(), "summary": summary_of(result), "verdict": verdict_of(result), "table": rows}


def stored_summary(result: Any) -> dict[str, Any]:
    """Sizes, and the score table or the counts behind one yes-or-no question."""
    if not isinstance(result, Evaluation):
        return {"scores": None, "n": getattr(result, "n", None), "positives": getattr(result, "positives", None)}
    several = result.sample.is_multiclass
    kept = None if several else _table_of(result)
    return {"scores": kept, "n": result.n, "positives": None if several else result.positives}


def _table_of(result: Evaluation) -> dict[str, Any] | None:
    """Exact tables of cases that were not sampled, unless they are large: these can be compared later."""
    table = result.score_table
    if table is None:
        return {"counts": result.counts.as_dict()} if result.has_decisions else None
    if not table.is_exact or table.is_sampled or len(table) > _SMALL:
        return None
    return {"table": table.as_dict(), "threshold": result.threshold}

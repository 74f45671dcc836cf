"""unconfuse: takes the confusion out of judging classifiers.

Give it labels and scores, or just four counts, and it says how good a classifier is, how sure that is, and whether it
is useful at all.

>>> import unconfuse as uc
>>> test = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)
>>> print(test["sensitivity"])
sensitivity 0.678 [0.612, 0.739] 95% mid-p, 208 positives of 239
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unconfuse._errors import UnconfuseError, UnconfuseWarning
    from unconfuse.api import (
        bayes,
        bootstrap,
        compare,
        evaluate,
        evaluate_confusion,
        evaluate_counts,
        posterior,
        score_table,
        shift_prevalence,
        usefulness,
    )
    from unconfuse.comparison import Comparison, Subgroups
    from unconfuse.curves import curve
    from unconfuse.indistinguish import easy_negatives, indistinguishability
    from unconfuse.ingest.builder import TableBuilder
    from unconfuse.metrics import (
        METRICS,
        Metric,
        brier_decomposition,
        concentrated_auroc,
        ece,
        expected_cost,
        f_beta,
        h_measure,
        lift_at,
        metric,
        net_benefit,
        partial_auroc,
        precision_at_b,
        precision_at_k,
    )
    from unconfuse.metrics.ledger import explain
    from unconfuse.multiclass import (
        MULTICLASS_METRICS,
        ClassEvaluation,
        ClassMetric,
        Confusion,
        class_cost,
        top_k_accuracy,
    )
    from unconfuse.resolving import (
        BetaMixture,
        Binormal,
        Distributions,
        Empirical,
        Path,
        Uniform,
        plan,
        resolving_power,
        tournament,
    )
    from unconfuse.results import Estimate, Evaluation
    from unconfuse.table import Counts, ScoreTable
    from unconfuse.thresholds import apply_card, prevalence_study, read_card, threshold_card
    from unconfuse.uncertainty.bands import band

# Public name -> the room it lives in. Names are fetched on first use, so that importing unconfuse costs nothing.
_ROOMS = {
    "UnconfuseError": "_errors",
    "UnconfuseWarning": "_errors",
    "bayes": "api",
    "bootstrap": "api",
    "compare": "api",
    "evaluate": "api",
    "evaluate_confusion": "api",
    "evaluate_counts": "api",
    "posterior": "api",
    "score_table": "api",
    "shift_prevalence": "api",
    "usefulness": "api",
    "easy_negatives": "indistinguish",
    "indistinguishability": "indistinguish",
    "METRICS": "metrics",
    "brier_decomposition": "metrics",
    "Metric": "metrics",
    "expected_cost": "metrics",
    "f_beta": "metrics",
    "metric": "metrics",
    "net_benefit": "metrics",
    "ece": "metrics",
    "precision_at_b": "metrics",
    "concentrated_auroc": "metrics",
    "lift_at": "metrics",
    "precision_at_k": "metrics",
    "h_measure": "metrics",
    "partial_auroc": "metrics",
    "BetaMixture": "resolving",
    "Binormal": "resolving",
    "Distributions": "resolving",
    "Empirical": "resolving",
    "Path": "resolving",
    "Uniform": "resolving",
    "plan": "resolving",
    "resolving_power": "resolving",
    "tournament": "resolving",
    "Estimate": "results",
    "Evaluation": "results",
    "curve": "curves",
    "explain": "metrics.ledger",
    "band": "uncertainty.bands",
    "Comparison": "comparison",
    "Subgroups": "comparison",
    "MULTICLASS_METRICS": "multiclass",
    "ClassEvaluation": "multiclass",
    "ClassMetric": "multiclass",
    "Confusion": "multiclass",
    "class_cost": "multiclass",
    "top_k_accuracy": "multiclass",
    "Counts": "table",
    "TableBuilder": "ingest.builder",
    "ScoreTable": "table",
    "apply_card": "thresholds",
    "prevalence_study": "thresholds",
    "read_card": "thresholds",
    "threshold_card": "thresholds",
}
__version__ = "0.1.0"
__all__ = [
    "METRICS",
    "MULTICLASS_METRICS",
    "BetaMixture",
    "Binormal",
    "ClassEvaluation",
    "ClassMetric",
    "Comparison",
    "Confusion",
    "Counts",
    "Distributions",
    "Empirical",
    "Estimate",
    "Evaluation",
    "Metric",
    "Path",
    "ScoreTable",
    "Subgroups",
    "TableBuilder",
    "UnconfuseError",
    "UnconfuseWarning",
    "Uniform",
    "apply_card",
    "band",
    "bayes",
    "bootstrap",
    "brier_decomposition",
    "class_cost",
    "compare",
    "concentrated_auroc",
    "curve",
    "easy_negatives",
    "ece",
    "evaluate",
    "evaluate_confusion",
    "evaluate_counts",
    "expected_cost",
    "explain",
    "f_beta",
    "h_measure",
    "indistinguishability",
    "lift_at",
    "metric",
    "net_benefit",
    "partial_auroc",
    "plan",
    "posterior",
    "precision_at_b",
    "precision_at_k",
    "prevalence_study",
    "read_card",
    "resolving_power",
    "score_table",
    "shift_prevalence",
    "threshold_card",
    "top_k_accuracy",
    "tournament",
    "usefulness",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'unconfuse' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"unconfuse.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

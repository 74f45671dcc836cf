"""unconfuse: takes the confusion out of judging classifiers.

Give it labels and scores, or just four counts, and it says how good a classifier is, how sure that is, and whether it
is useful at all.

>>> import unconfuse as uc
>>> test = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)
>>> print(test["sensitivity"])
sensitivity 0.678 [0.612, 0.738] 95% Wilson, 208 positives of 239
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
        evaluate_counts,
        posterior,
        score_table,
        shift_prevalence,
        usefulness,
    )
    from unconfuse.indistinguish import easy_negatives, indistinguishability
    from unconfuse.metrics import METRICS, Metric, expected_cost, f_beta, metric, net_benefit
    from unconfuse.results import Estimate, Evaluation
    from unconfuse.table import Counts, ScoreTable
    from unconfuse.thresholds import apply_card, read_card, threshold_card

# Public name -> the room it lives in. Names are fetched on first use, so that importing unconfuse costs nothing.
_ROOMS = {
    "UnconfuseError": "_errors",
    "UnconfuseWarning": "_errors",
    "bayes": "api",
    "bootstrap": "api",
    "compare": "api",
    "evaluate": "api",
    "evaluate_counts": "api",
    "posterior": "api",
    "score_table": "api",
    "shift_prevalence": "api",
    "usefulness": "api",
    "easy_negatives": "indistinguish",
    "indistinguishability": "indistinguish",
    "METRICS": "metrics",
    "Metric": "metrics",
    "expected_cost": "metrics",
    "f_beta": "metrics",
    "metric": "metrics",
    "net_benefit": "metrics",
    "Estimate": "results",
    "Evaluation": "results",
    "Counts": "table",
    "ScoreTable": "table",
    "apply_card": "thresholds",
    "read_card": "thresholds",
    "threshold_card": "thresholds",
}
__version__ = "0.1.0"
__all__ = [
    "METRICS",
    "Counts",
    "Estimate",
    "Evaluation",
    "Metric",
    "ScoreTable",
    "UnconfuseError",
    "UnconfuseWarning",
    "apply_card",
    "bayes",
    "easy_negatives",
    "evaluate",
    "evaluate_counts",
    "expected_cost",
    "f_beta",
    "indistinguishability",
    "metric",
    "net_benefit",
    "posterior",
    "read_card",
    "score_table",
    "shift_prevalence",
    "threshold_card",
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

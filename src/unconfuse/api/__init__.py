"""The verbs of the library."""

from unconfuse.api.comparison import compare
from unconfuse.api.evaluation import evaluate, evaluate_confusion, evaluate_counts, score_table
from unconfuse.api.judge import prevalence
from unconfuse.api.release import gate
from unconfuse.api.search import find_slices
from unconfuse.api.shift import shift_prevalence
from unconfuse.bayesian import bayes, posterior, usefulness
from unconfuse.uncertainty.bootstrap import bootstrap

__all__ = [
    "bayes",
    "bootstrap",
    "compare",
    "evaluate",
    "evaluate_confusion",
    "evaluate_counts",
    "find_slices",
    "gate",
    "posterior",
    "prevalence",
    "score_table",
    "shift_prevalence",
    "usefulness",
]

"""Writes the page of all public names, by what one wants to do; a name without a place stands at the end."""

from __future__ import annotations

import inspect
from pathlib import Path

import unconfuse
from unconfuse import plots

TASKS = {
    "Judge a classifier": "evaluate evaluate_counts evaluate_confusion cross_evaluate find_slices Evaluation Subgroups "
    "Confusion LabelEvaluation QueryEvaluation Estimate",
    "Compare models": "compare gate items Comparison",
    "Several readers, studies, data sets": "readers meta_analysis benchmark",
    "Move to another population": "bayes posterior shift_prevalence usefulness prevalence prevalence_study",
    "Choose and use a threshold": "threshold_card guarantee prediction_sets apply_card read_card watch_card",
    "Check printed numbers": "reconstruct",
    "Before labels arrive": "forecast",
    "Mend probabilities": "recalibrate read_recalibration",
    "Look closer": "curve band explain indistinguishability easy_negatives concentrated_auroc bootstrap",
    "Choose a metric, plan a test set": "resolving_power plan tournament",
    "Metrics with a parameter, and your own": "metric Metric f_beta net_benefit expected_cost class_cost partial_auroc "
    "h_measure ece clipped_log_loss lift_at precision_at_k precision_at_b top_k_accuracy "
    "sensitivity_at_specificity specificity_at_sensitivity recall_at_precision precision_at_recall fpr_at_tpr "
    "bedroc min_detection_cost ndcg_at",
    "Describe data": "Data Counts ScoreTable score_table TableBuilder",
    "Populations to reckon with": "Binormal Uniform BetaMixture Distributions Empirical Path",
    "What may go wrong": "UnconfuseError UnconfuseWarning",
}
_VALUES = ("METRICS", "MULTICLASS_METRICS", "LABEL_METRICS", "QUERY_METRICS")


def write_api_page(folder: Path) -> None:
    """The page `api.md`: a section for each task, then the pictures."""
    placed = {name for names in TASKS.values() for name in names.split()}
    more = [name for name in unconfuse.__all__ if name not in placed and name not in _VALUES]
    tasks = TASKS | ({"More": " ".join(more)} if more else {})
    parts = ["# Python API\n", "`import unconfuse as uc` fetches a name when it is first used.\n"]
    parts += [_section(task, [getattr(unconfuse, name) for name in names.split()]) for task, names in tasks.items()]
    drawn = [getattr(plots, name) for name in plots.__all__ if callable(getattr(plots, name))]
    words = "`from unconfuse import plots`; each has its picture in [Figures](../figures.md).\n\n"
    parts.append(_section("Pictures", drawn).replace("\n\n", f"\n\n{words}", 1))
    parts.append(
        "## Values\n\n`uc.METRICS` is the read-only mapping of all [declared metrics](metrics.md) by name; "
        "`uc.MULTICLASS_METRICS` holds those of several classes, `uc.LABEL_METRICS` those of "
        "[many labels](../many-labels.md), `uc.QUERY_METRICS` those of [rankings per query](../queries.md).\n"
    )
    (folder / "api.md").write_text("\n".join(parts), encoding="utf-8")


def _section(title: str, members: list[object]) -> str:
    return f"## {title}\n\n```{{eval-rst}}\n{''.join(map(_entry, members))}```\n"


def _entry(member: object) -> str:
    """A function; or a class with what it can be asked, wherever in the library that is written."""
    place = f"{member.__module__}.{member.__name__}"  # type: ignore[attr-defined]
    if not inspect.isclass(member):
        return f".. autofunction:: {place}\n\n"
    foreign = [each.__name__ for each in member.__mro__ if not each.__module__.startswith("unconfuse")]
    return f".. autoclass:: {place}\n   :members:\n   :inherited-members: {', '.join(foreign)}\n\n"

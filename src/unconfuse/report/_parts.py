"""Cards, comparisons, resolving power and subgroups as parts of a page's payload."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unconfuse.metrics import METRICS
from unconfuse.report._lines import picked, rounded, thin
from unconfuse.resolving.answers import ResolvingPower
from unconfuse.results import Comparison, SubgroupDifference, Subgroups
from unconfuse.results.evaluation import Evaluation
from unconfuse.thresholds.card import HONEST, OperatingPoint, ThresholdCard

SHOWN = ("sensitivity", "specificity", "precision", "youden_j", "queue_rate")
SUBGROUPS = 60  # that one page shows at most: the largest
_LONGEST = 120
_GAP = ("metric", "first", "second", "scale", "difference", "low", "high", "adjusted_p_value", "verdict", "undefined")


def card_of(card: ThresholdCard) -> dict[str, Any]:
    """Every rule with its threshold and what to expect of it."""
    return {
        "honest": HONEST[card.honest],
        "prevalence": card.prevalence,
        "findings": [each.as_dict() for each in card.findings],
        "rules": [_rule(point) for point in card.points.values()],
        "settings": {key: value for key, value in card.settings.items() if isinstance(value, str | int | float)},
    }


def _rule(point: OperatingPoint) -> dict[str, Any]:
    metrics = {
        name: picked(each, "value low high")
        | {"apparent": point.apparent[name].value, "optimism": point.optimism[name]}
        for name, each in point.metrics.items()
        if name in SHOWN
    }
    return {
        "name": point.rule,
        **picked(point, "label why sentence"),
        "threshold": point.threshold.value,
        **picked(point.threshold, "low high method"),
        "flat": list(point.flat_region),
        "unreachable": point.unreachable,
        "metrics": metrics,
    }


def comparison_of(comparison: Comparison, names: Mapping[str, str], models: list[str]) -> dict[str, Any]:
    """The paired differences between the models that the page shows, under the names that it has for them."""
    renamed = [
        replace(each, first=names[each.first], second=names[each.second]) for each in comparison.differences.values()
    ]
    shown = [each for each in renamed if each.first in models and each.second in models]
    cuts = {names[key]: cut for key, cut in comparison.settings.get("thresholds", {}).items()}
    return {
        "models": models,
        "left_out": len(comparison.models) - len(models),
        "metrics": list(comparison.metrics),
        **picked(comparison, "n positives"),
        "settings": {**comparison.settings, "thresholds": cuts},
        "differences": [each.as_dict() | {"better": each.difference.better} for each in shown],
        "findings": [each.sentence for each in shown if each.metric == comparison.metrics[0]],
    }


def resolution_of(power: ResolvingPower) -> dict[str, Any]:
    """Resolutions, signal curves and the recommendation."""
    rows = [each | {"undefined": each["undefined"] and _in_labels(each["undefined"], power)} for each in power.rows()]
    return {
        "paragraph": _in_labels(power.recommendation.paragraph, power),
        **picked(power, "reference at n"),
        **picked(power.sizes, "positives design"),
        "method": power.method,
        "level": power.confidence_level,
        **picked(power, "n_samples seed"),
        "rows": rows,
        "curves": {name: _signal(power, name) for name in power.metrics},
    }


def _in_labels(text: str, power: ResolvingPower) -> str:
    """The same text with labels for metrics' names, which only those who type them need to know."""
    labels = {name: METRICS[name].label for name in power.metrics if name in METRICS}
    names = "|".join(re.escape(each) for each in sorted(labels, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", lambda found: labels[found[0]], text) if labels else text


def _signal(power: ResolvingPower, name: str) -> dict[str, Any]:
    found = power.signal_curve(name)
    keep = thin(found.reference, found.values)
    return {"x": rounded(found.reference[keep]), "y": rounded(found.values[keep]), "problem": found.problem}


def subgroups_of(result: Subgroups) -> dict[str, Any]:
    """Every subgroup's main metrics, how each differs from the reference, and what that means."""
    shown = sorted(result, key=lambda name: -result[name].n)[:SUBGROUPS]
    names = [name for name in result if name in shown]
    metrics = [name for name in result.headlines() if name in result.overall]
    return {
        "by": [each[:_LONGEST] for each in result.by],
        "reference": result.reference[:_LONGEST],
        "left_out": len(result) - len(names),
        "metrics": metrics,
        "findings": [each.as_dict() for each in result.findings],
        "groups": [_group(name, result[name], metrics) for name in names],
        "differences": [_gap(each) for name in metrics for each in result.differences(name) if each.first in shown]
        if len(result) > 1
        else [],
    }


def _group(name: str, one: Evaluation, metrics: list[str]) -> dict[str, Any]:
    estimates = {each: picked(one[each], "value low high undefined") for each in metrics}
    positives = None if one.sample.several else one.positives
    return {"name": name[:_LONGEST], "n": one.n, "positives": positives, "estimates": estimates}


def _gap(found: SubgroupDifference) -> dict[str, Any]:
    values = found.as_dict() | {"first": found.first[:_LONGEST], "second": found.second[:_LONGEST]}
    return {name: values[name] for name in _GAP}

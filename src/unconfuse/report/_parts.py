"""Cards, comparisons and resolving power as parts of a page's payload."""

from __future__ import annotations

import re
from typing import Any

from unconfuse._plain import plain_json
from unconfuse.comparison import Comparison
from unconfuse.metrics import METRICS
from unconfuse.report._plain import rounded
from unconfuse.report._thin import thin
from unconfuse.resolving.answers import ResolvingPower
from unconfuse.thresholds.card import HONEST, OperatingPoint, ThresholdCard

SHOWN = ("sensitivity", "specificity", "precision", "youden_j", "queue_rate")


def card_of(card: ThresholdCard) -> dict[str, Any]:
    """Every rule with its threshold and what to expect of it."""
    made = {
        "honest": HONEST[card.honest],
        "prevalence": card.prevalence,
        "findings": [each.as_dict() for each in card.findings],
        "rules": [_rule(point) for point in card.points.values()],
        "settings": {key: value for key, value in card.settings.items() if isinstance(value, str | int | float)},
    }
    return dict(plain_json(made))


def _rule(point: OperatingPoint) -> dict[str, Any]:
    cut = point.threshold
    return {
        "name": point.rule,
        "label": point.label,
        "why": point.why,
        "sentence": point.sentence,
        "threshold": cut.value,
        "low": cut.low,
        "high": cut.high,
        "method": cut.method,
        "flat": list(point.flat_region),
        "unreachable": point.unreachable,
        "metrics": {
            name: {
                "value": each.value,
                "low": each.low,
                "high": each.high,
                "apparent": point.apparent[name].value,
                "optimism": point.optimism[name],
            }
            for name, each in point.metrics.items()
            if name in SHOWN
        },
    }


def comparison_of(comparison: Comparison, models: list[str]) -> dict[str, Any]:
    """The paired differences between the models that the page shows."""
    shown = [each for each in comparison.differences.values() if each.first in models and each.second in models]
    made = {
        "models": models,
        "left_out": len(comparison.models) - len(models),
        "metrics": list(comparison.metrics),
        "n": comparison.n,
        "positives": comparison.positives,
        "settings": dict(comparison.settings),
        "differences": [each.as_dict() | {"better": each.difference.better} for each in shown],
        "findings": [each.sentence for each in shown if each.metric == comparison.metrics[0]],
    }
    return dict(plain_json(made))


def resolution_of(power: ResolvingPower) -> dict[str, Any]:
    """Resolutions, signal curves and the recommendation."""
    rows = [each | {"undefined": each["undefined"] and _in_labels(each["undefined"], power)} for each in power.rows()]
    made = {
        "paragraph": _in_labels(power.recommendation.paragraph, power),
        "reference": power.reference,
        "at": list(power.at),
        "n": power.n,
        "positives": power.sizes.positives,
        "design": power.sizes.design,
        "method": power.method,
        "level": power.confidence_level,
        "n_samples": power.n_samples,
        "seed": power.seed,
        "rows": rows,
        "curves": {name: _signal(power, name) for name in power.metrics},
    }
    return dict(plain_json(made))


def _in_labels(text: str, power: ResolvingPower) -> str:
    """The same text with labels for metrics' names, which only those who type them need to know."""
    labels = {name: METRICS[name].label for name in power.metrics if name in METRICS}
    names = "|".join(re.escape(each) for each in sorted(labels, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{names})(?!\w)", lambda found: labels[found[0]], text) if labels else text


def _signal(power: ResolvingPower, name: str) -> dict[str, Any]:
    found = power.signal_curve(name)
    keep = thin(found.reference, found.values)
    return {"x": rounded(found.reference[keep]), "y": rounded(found.values[keep]), "problem": found.problem}

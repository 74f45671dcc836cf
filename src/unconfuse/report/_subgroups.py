"""Subgroups as a part of a page's payload."""

from __future__ import annotations

from typing import Any

from unconfuse._plain import plain_json
from unconfuse.comparison import Subgroups
from unconfuse.comparison.subgroup_difference import SubgroupDifference
from unconfuse.results.evaluation import Evaluation

SHOWN = 60  # subgroups that one page shows at most: the largest
_LONGEST = 120


def subgroups_of(result: Subgroups) -> dict[str, Any]:
    """Every subgroup's main metrics, how each differs from the reference, and what that means."""
    shown = sorted(result, key=lambda name: -result[name].n)[:SHOWN]
    names = [name for name in result if name in shown]
    metrics = [name for name in result.headlines() if name in result.overall]
    made = {
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
    return dict(plain_json(made))


def _group(name: str, one: Evaluation, metrics: list[str]) -> dict[str, Any]:
    keys = ("value", "low", "high", "undefined")
    estimates = {each: {key: getattr(one[each], key) for key in keys} for each in metrics}
    return {"name": name[:_LONGEST], "n": one.n, "positives": one.positives, "estimates": estimates}


def _gap(found: SubgroupDifference) -> dict[str, Any]:
    keys = (
        "metric",
        "first",
        "second",
        "scale",
        "difference",
        "low",
        "high",
        "adjusted_p_value",
        "verdict",
        "undefined",
    )
    values = found.as_dict()
    return {key: values[key] for key in keys} | {"first": found.first[:_LONGEST], "second": found.second[:_LONGEST]}

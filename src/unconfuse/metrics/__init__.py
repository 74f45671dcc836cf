"""The declared metrics. Declaring one in this room makes it appear in the API, the command line and the docs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from unconfuse._errors import ArgumentError, nearest
from unconfuse.metrics import (
    agreement,
    areas_under_pr,
    calibration,
    indistinguishable,
    probability,
    ranking,
    rates,
    ratios,
    severity,
    top_of_list,
    utility,
)
from unconfuse.metrics._definition import Example, Metric, metric
from unconfuse.metrics.indistinguishable import precision_at_b
from unconfuse.metrics.probability import ece
from unconfuse.metrics.ranking import concentrated_auroc, partial_auroc
from unconfuse.metrics.severity import h_measure
from unconfuse.metrics.top_of_list import lift_at, precision_at_k
from unconfuse.metrics.utility import expected_cost, f_beta, net_benefit

__all__ = [
    "FACTORIES",
    "METRICS",
    "Example",
    "Metric",
    "concentrated_auroc",
    "ece",
    "expected_cost",
    "f_beta",
    "find_metric",
    "find_metrics",
    "h_measure",
    "lift_at",
    "metric",
    "net_benefit",
    "partial_auroc",
    "precision_at_b",
    "precision_at_k",
]


def _declared_in(*rooms: object) -> dict[str, Metric]:
    found = (value for room in rooms for value in vars(room).values() if isinstance(value, Metric))
    return {each.name: each for each in found}


METRICS: Mapping[str, Metric] = MappingProxyType(
    _declared_in(
        rates,
        agreement,
        ratios,
        utility,
        ranking,
        areas_under_pr,
        severity,
        top_of_list,
        indistinguishable,
        probability,
        calibration,
    )
)
FACTORIES: Mapping[str, Callable[..., Metric]] = MappingProxyType(
    {
        "f_beta": f_beta,
        "expected_cost": expected_cost,
        "net_benefit": net_benefit,
        "partial_auroc": partial_auroc,
        "concentrated_auroc": concentrated_auroc,
        "h_measure": h_measure,
        "precision_at_k": precision_at_k,
        "lift_at": lift_at,
        "precision_at_b": precision_at_b,
        "ece": ece,
    }
)


def find_metric(wanted: str | Metric) -> Metric:
    """A metric by its name, by a factory call such as `"f_beta(2)"`, or itself.

    Examples
    --------
    >>> find_metric("mcc").label
    'Matthews correlation (MCC)'
    >>> find_metric("f_beta(2)").label
    'F2 score'
    """
    if isinstance(wanted, Metric):
        return wanted
    if wanted in METRICS:
        return METRICS[wanted]
    name, parenthesis, _ = str(wanted).partition("(")
    if parenthesis and name.strip() in FACTORIES:
        return _call_factory(str(wanted), FACTORIES[name.strip()])
    raise ArgumentError(f"unknown metric {wanted!r}. {nearest(str(wanted), [*METRICS, *FACTORIES])}")


def find_metrics(wanted: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    """The metrics wanted, or all declared ones."""
    if wanted is None:
        return tuple(METRICS.values())
    if isinstance(wanted, str | Metric):
        wanted = [wanted]
    return tuple(find_metric(each) for each in wanted)


def _call_factory(text: str, factory: Callable[..., Metric]) -> Metric:
    """Evaluate `name(literal, key=literal)` without running any code of the caller."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call):
            raise ValueError
        positional = [ast.literal_eval(each) for each in call.args]
        named = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
        return factory(*positional, **named)
    except (SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"cannot read the metric {text!r}. Hint: write it like 'f_beta(2)'.") from None

"""All declared metrics of several classes, by name; averages of any binary metric are made when they are asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from unconfuse._errors import ArgumentError, nearest
from unconfuse.metrics import METRICS, canonical, find_metric
from unconfuse.multiclass import decisions, probability, ranking, selective
from unconfuse.multiclass._definition import ClassMetric
from unconfuse.multiclass.decisions import AVERAGES, average_of
from unconfuse.multiclass.ranking import average_of_scores, top_k_accuracy

_SHOWN_AVERAGES = ("f1", "precision", "sensitivity")


def _declared_in(*rooms: object) -> dict[str, ClassMetric]:
    found = (value for room in rooms for value in vars(room).values() if isinstance(value, ClassMetric))
    return {each.name: each for each in found}


MULTICLASS_METRICS: Mapping[str, ClassMetric] = MappingProxyType(
    _declared_in(decisions)
    | {f"{name}_{average}": average_of(METRICS[name], average) for name in _SHOWN_AVERAGES for average in AVERAGES}
    | _declared_in(ranking, probability, selective)
)


def find_class_metric(wanted: str | ClassMetric) -> ClassMetric:
    """A metric by name: declared, `"top_k_accuracy(3)"`, or an average of any binary metric such as `"npv_macro"`.

    Examples
    --------
    >>> find_class_metric("specificity_macro").label
    'Specificity (TNR), macro'
    """
    if isinstance(wanted, ClassMetric):
        return wanted
    name = str(wanted)
    name = name if name in MULTICLASS_METRICS else canonical(name)
    if name in MULTICLASS_METRICS:
        return MULTICLASS_METRICS[name]
    if name.startswith("top_k_accuracy"):
        return _top_k(name)
    base, _, average = name.rpartition("_")
    if average in AVERAGES and base:
        binary = find_metric(base)
        return average_of(binary, average) if binary.of == "counts" else average_of_scores(binary, average)
    known = [*MULTICLASS_METRICS, "top_k_accuracy(k)"]
    hint = (
        f"{name} is a metric of two classes: ask for {name}_macro or ev.of_class(...)."
        if name in METRICS
        else (nearest(name, known))
    )
    raise ArgumentError(f"unknown metric {name!r} of several classes. {hint}")


def named(metric: ClassMetric) -> tuple[Callable[[str], ClassMetric], tuple[str]] | None:
    """How to find a metric again by its name, if there is a way."""
    found = MULTICLASS_METRICS.get(metric.name) is metric
    made = metric.name.startswith("top_k_accuracy(") or METRICS.get(metric.details.get("binary", "")) is not None
    return (find_class_metric, (metric.name,)) if found or made else None


def find_class_metrics(wanted: Iterable[str | ClassMetric]) -> tuple[ClassMetric, ...]:
    """Several of them."""
    return tuple(find_class_metric(each) for each in ([wanted] if isinstance(wanted, str | ClassMetric) else wanted))


def _top_k(name: str) -> ClassMetric:
    try:
        call = ast.parse(name, mode="eval").body
        if not isinstance(call, ast.Call):
            raise ValueError
        given = [ast.literal_eval(each) for each in [*call.args, *(word.value for word in call.keywords)]]
        return top_k_accuracy(*given)
    except (SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"cannot read the metric {name!r}. Hint: write it like 'top_k_accuracy(3)'.") from None

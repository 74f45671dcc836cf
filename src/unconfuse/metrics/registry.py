"""Metrics by name: an alias, a factory call or an average finds its metric too, and what is unknown is refused."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError, UnknownNameError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._validate import check_list, check_text
from unconfuse.metrics import (
    agreement,
    at_k,
    calibration,
    hand_measure,
    indistinguishable,
    multiclass_calibration,
    multiclass_decisions,
    multiclass_scores,
    partial_areas,
    probability,
    ranking,
    rates,
    unlisted,
)
from unconfuse.metrics._metric import Metric
from unconfuse.metrics.agreement import expected_cost, f_beta, net_benefit
from unconfuse.metrics.at_k import lift_at, precision_at_k
from unconfuse.metrics.constrained import (
    fpr_at_tpr,
    precision_at_recall,
    recall_at_precision,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from unconfuse.metrics.early_recognition import bedroc, min_detection_cost
from unconfuse.metrics.hand_measure import h_measure
from unconfuse.metrics.indistinguishable import precision_at_b
from unconfuse.metrics.multiclass_decisions import AVERAGES, average_of_decisions
from unconfuse.metrics.multiclass_scores import average_of_scores, clipped_log_loss_of_classes, top_k_accuracy
from unconfuse.metrics.partial_areas import partial_auroc
from unconfuse.metrics.probability import clipped_log_loss, ece
from unconfuse.metrics.ranking import concentrated_auroc
from unconfuse.metrics.user_metric import UserFunction
from unconfuse.table import IndependentSamples, Sample

_OF_COUNTS = rates, agreement
_OF_RANKS = ranking, partial_areas, hand_measure, at_k, indistinguishable
_OF_PROBABILITIES = probability, calibration


_BETWEEN = re.compile(r"[\s_'\u2019\u2010-\u2015\u2212-]+")  # spaces, hyphens, underscores and apostrophes


def key_of(name: str) -> str:
    """Return the name without regard to case, spaces, hyphens, underscores; a minus at the end is a sign.

    >>> key_of("Balanced accuracy") == key_of("balanced_accuracy"), key_of("LR -"), key_of("Youden's J")
    (True, 'lr-', 'youdensj')
    """
    squeezed = _BETWEEN.sub("", name.casefold())
    return squeezed + "-" * name.rstrip().endswith(("-", "\u2212"))


class Registry(Mapping[str, Metric]):
    """Metrics by name; an alias or the label in print finds its metric too, however written, but is not listed.

    Nor is a metric listed that few ask for, or that takes a parameter, such as `"f_beta(2)"`.
    """

    def __init__(self, metrics: Iterable[Metric], unlisted: Iterable[Metric] = (), *, several: bool = False) -> None:
        self._several = several
        self._by_name = {each.name: each for each in metrics}
        self._known = self._by_name | {each.name: each for each in unlisted}
        self._names: dict[str, str] = {}
        for spelt in (lambda each: (each.name,), lambda each: each.aliases, _in_print):  # the first to claim a key
            for name, metric in self._known.items():
                for spelling in spelt(metric):
                    self._names.setdefault(key_of(spelling), name)

    def _found(self, name: object) -> Metric | None:
        metric = self._known.get(name) if isinstance(name, str) else None
        return metric or (self._known.get(self._names.get(key_of(name), "")) if isinstance(name, str) else None)

    def __getitem__(self, name: str) -> Metric:
        metric = self._found(name) or (_with_parameter(name, self._several) if isinstance(name, str) else None)
        if metric is None:
            hint = _hint(name, self._several) if isinstance(name, str) else did_you_mean(name, self.known_names())
            raise UnknownNameError(f"unknown metric {short_repr(name)}. {hint}")
        return metric

    def get(self, name: str, default: Any = None) -> Any:
        """Return the metric of that name, or the default, without looking for names like it."""
        return self._found(name) or default

    def find(self, wanted: str | Metric) -> Metric:
        """Return a metric of this kind by its name, an alias, a factory call or an average; or refuse, with a hint."""
        return find_metric(wanted, several=self._several)

    def find_all(self, wanted: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
        """Return the metrics wanted, or all that are listed."""
        return find_metrics(wanted, several=self._several)

    def __contains__(self, name: object) -> bool:
        return self._found(name) is not None

    def known_names(self) -> list[str]:
        """Return every name and alias."""
        return [*self._known, *(alias for metric in self._known.values() for alias in metric.aliases)]

    if not TYPE_CHECKING:  # there, every attribute would seem to exist

        def __getattr__(self, name: str) -> Any:
            """Refuse, with what was probably meant."""
            found = None if name.startswith("_") else self._found(name)
            hint = f" Hint: METRICS[{found.name!r}]." if found else ""
            raise AttributeError(f"METRICS has no attribute {name!r}.{hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"METRICS({', '.join(self)})"


def _in_print(metric: Metric) -> tuple[str, ...]:
    """Return the label, whole and without the parenthesis at its end."""
    return metric.label, re.sub(r" \([^()]*\)$", "", metric.label)


def _declared_in(*rooms: ModuleType) -> list[Metric]:
    return [each for room in rooms for each in vars(room).values() if isinstance(each, Metric)]


RARE = Registry(_declared_in(unlisted))
METRICS = Registry(_declared_in(*_OF_COUNTS, *_OF_RANKS, *_OF_PROBABILITIES), RARE.values())
# What is shown of several classes' decisions; averages of any other metric are made when asked for.
_SHOWN = [average_of_decisions(METRICS[name], kind) for name in ("f1", "precision", "sensitivity") for kind in AVERAGES]
_OF_ROWS = [metric for metric in _declared_in(multiclass_scores, multiclass_calibration) if metric.of == "rows"]
MULTICLASS_METRICS = Registry([*_declared_in(multiclass_decisions), *_SHOWN, *_OF_ROWS], several=True)
# Metrics with a parameter, each with a call of it as an example.
_CALLS: dict[str, Callable[..., Metric]] = {
    "f_beta(2)": f_beta,
    "expected_cost(fp=1, fn=10)": expected_cost,
    "net_benefit(0.1)": net_benefit,
    "partial_auroc(0.1)": partial_auroc,
    "concentrated_auroc(7)": concentrated_auroc,
    "h_measure('beta22')": h_measure,
    "precision_at_k(100)": precision_at_k,
    "lift_at(0.1)": lift_at,
    "precision_at_b(0.4)": precision_at_b,
    "sensitivity_at_specificity(0.9)": sensitivity_at_specificity,
    "specificity_at_sensitivity(0.95)": specificity_at_sensitivity,
    "recall_at_precision(0.9)": recall_at_precision,
    "precision_at_recall(0.9)": precision_at_recall,
    "fpr_at_tpr(0.95)": fpr_at_tpr,
    "bedroc(20)": bedroc,
    "min_detection_cost(0.01)": min_detection_cost,
    "ece(10)": ece,
    "clipped_log_loss()": clipped_log_loss,
    "top_k_accuracy(2)": top_k_accuracy,
}
FACTORIES: Mapping[str, Callable[..., Metric]] = MappingProxyType({each.__name__: each for each in _CALLS.values()})
_NRI = (
    "the net reclassification improvement is not offered: it rises when a model is made worse, by miscalibration or by "
    "noise (Pepe et al. 2015, Hilden & Gerds 2014). Hint: compare net_benefit(t) at the threshold that matters, or "
    "auroc and log_loss."
)
_IDI = (
    "the integrated discrimination improvement is not offered: it rewards overconfident probabilities, so a worse "
    "model can gain (Hilden & Gerds 2014). Hint: compare brier or log_loss, which are proper, or net_benefit(t)."
)
_REFUSED = dict.fromkeys(
    ("nri", "net_reclassification", "net_reclassification_improvement", "net_reclassification_index"), _NRI
)
_REFUSED |= dict.fromkeys(("idi", "integrated_discrimination", "integrated_discrimination_improvement"), _IDI)
_FACTORY_KEYS = {key_of(name): name for name in FACTORIES}
# A number within a name is a parameter, by the key of the name.
_NUMBERED = (
    (r"f(\d+(?:\.\d+)?)(?:score)?", "f_beta({})"),
    (r"top(\d+)(?:accuracy)?", "top_k_accuracy({})"),
    (r"(?:precision|p)(?:@|at)(\d+)", "precision_at_k({})"),
)
_OF_CLASSES = {"clipped_log_loss": clipped_log_loss_of_classes}  # as many classes as there are decide which is meant


def find_metric(wanted: str | Metric, *, several: bool = False) -> Metric:
    """Find a metric by its name, an alias or a factory call such as `"f_beta(2)"`; return a metric as it is.

    Of several classes: a summary, `"top_k_accuracy(3)"`, or an average of any metric of two, such as `"npv_macro"`.

    Examples
    --------
    >>> find_metric("mcc").label
    'Matthews correlation (MCC)'
    >>> find_metric("f_beta(2)").label, find_metric("recall").name
    ('F2 score', 'sensitivity')
    >>> find_metric("specificity_macro", several=True).label
    'Specificity (TNR), macro'
    """
    if isinstance(wanted, Metric):
        return _of_kind(wanted, several)
    if callable(wanted):
        raise ArgumentError(
            f"a metric is a name or a declared function; got {short_repr(wanted)}. Hint: declare it with `metric`: "
            "`@uc.metric()` for a function of the four counts, `@uc.metric(of='ranks')` for one of the score table."
        )
    name = check_text(wanted, "metric")
    declared = MULTICLASS_METRICS if several else METRICS
    for known in (name, canonical(name)):  # an alias of a metric of two classes is one of its like of several
        if known in declared:
            return declared[known]
    made = _with_parameter(name, several)
    if made is not None:
        return made
    base, kind = _averaged(name) if several else ("", "")
    if base:
        binary = find_metric(base)
        return average_of_decisions(binary, kind) if binary.of == "counts" else average_of_scores(binary, kind)
    refused = _REFUSED.get(name.lower().replace("-", "_").replace(" ", "_"))
    if refused:
        raise ArgumentError(refused)
    what = " of several classes" if several else ""
    raise ArgumentError(f"unknown metric {short_repr(wanted)}{what}. {_hint(name, several)}")


def _with_parameter(name: str, several: bool) -> Metric | None:
    """Make the metric of a factory call such as `"f_beta(2)"`, also where the number is within the name."""
    head, parenthesis, rest = _as_call(name).partition("(")
    factory = _FACTORY_KEYS.get(key_of(head))
    if not parenthesis or not factory:
        return None
    makers = {**FACTORIES, **_OF_CLASSES} if several else FACTORIES
    return _of_kind(call_factory(f"{factory}({rest}", makers[factory]), several)


def _as_call(name: str) -> str:
    """Rewrite a number within a name as the parameter that it is: F2 is f_beta(2), precision@10 is precision_at_k(10).

    >>> _as_call("F2"), _as_call("F0.5 score"), _as_call("top-5 accuracy"), _as_call("Precision@100")
    ('f_beta(2)', 'f_beta(0.5)', 'top_k_accuracy(5)', 'precision_at_k(100)')
    """
    for pattern, call in _NUMBERED:
        match = re.fullmatch(pattern, key_of(name))
        if match:
            return call.format(match[1])
    return name


def _averaged(name: str) -> tuple[str, str]:
    """Split a name into the metric and the kind of average, which comes before or after: npv_macro, "macro NPV"."""
    words = re.split(r"[\s_-]+", name.strip())
    for kind, rest in ((words[-1].casefold(), words[:-1]), (words[0].casefold(), words[1:])):
        if kind in AVERAGES and rest:
            return "_".join(rest), kind
    return "", ""


def _hint(name: str, several: bool) -> str:
    if not several and name in MULTICLASS_METRICS:
        return "Hint: it is a metric of several classes, and this is a yes-or-no question."
    if several and name in METRICS:
        own = METRICS[name].name
        return f"Hint: {own} is a metric of two classes: ask for {own}_macro or ev.of_class(...)."
    calls = {each.__name__: call for call, each in _CALLS.items() if _takes(each.__name__, several)}
    factory = _FACTORY_KEYS.get(key_of(name), "")
    if factory in calls:
        return f"Hint: {factory} takes a parameter: ask for {calls[factory]!r}."
    if factory:
        return f"Hint: {factory} is a metric of {'two' if several else 'several'} classes."
    known = MULTICLASS_METRICS if several else METRICS.known_names()
    listed = [part.strip() for part in name.split(",")]
    if len(listed) > 1 and all(part in known for part in listed):
        return f"Hint: pass a list of names, {listed}."
    hint = did_you_mean(name, [*known, *calls])
    return next((hint.replace(repr(each), repr(call)) for each, call in calls.items() if repr(each) in hint), hint)


def _takes(factory: str, several: bool) -> bool:
    """Whether a metric with a parameter is one of several classes, or of two."""
    return factory in _OF_CLASSES or (factory == top_k_accuracy.__name__) is several


def _of_kind(metric: Metric, several: bool) -> Metric:
    """Metrics of two classes and of several do not mix, nor do those of many labels and of queries."""
    if metric.of in ("labels", "queries"):
        need = "a matrix of labels, evaluate(Y, S)" if metric.of == "labels" else "evaluate(y, s, query=...)"
        raise ArgumentError(f"{metric.name} is a metric of {metric.of}. Hint: it takes {need}.")
    if (metric.of in ("cells", "rows")) == several:
        return metric
    if several and metric.name.partition("(")[0] in _OF_CLASSES:
        return find_metric(metric.name, several=True)
    if several:
        raise ArgumentError(f"{metric.name} is a metric of two classes. Hint: ask one class, ev.of_class(...).")
    raise ArgumentError(f"{metric.name} is a metric of several classes, but this is a yes-or-no question.")


def canonical(name: str, metrics: Iterable[Metric] = ()) -> str:
    """Return the name of the metric with this name or alias, among these and all declared ones; else the name as is."""
    own = tuple(metrics)
    exact = (metric.name for metric in own if name == metric.name or name in metric.aliases)
    key = key_of(name)
    near = (metric.name for metric in own if key in map(key_of, (metric.name, *metric.aliases)))
    return next(exact, None) or next(near, None) or (METRICS[name].name if name in METRICS else name)


def name_among(known: Collection[str], name: str, metrics: Iterable[Metric] = ()) -> str:
    """Return the name by which a result holds a metric, from that name or an alias.

    An alias is never taken for a misspelt name of another metric.
    """
    metric = name if check_text(name, "metric") in known else canonical(name, metrics)
    if metric in known:
        return metric
    key = key_of(name)
    for each in known:  # such as a metric with a parameter, or an average over classes
        if key_of(each) == key:
            return each
    hint = did_you_mean(name, known) if metric == name else f"Hint: {name!r} is {metric}, which was not asked for."
    raise UnknownNameError(f"no metric {short_repr(name)} in this result. {hint}")


def metrics_of(sample: Sample | IndependentSamples) -> Registry:
    """Return the metrics of a sample's question: those of a yes-or-no question, or those of several classes."""
    return MULTICLASS_METRICS if sample.is_multiclass else METRICS


def find_metrics(wanted: Iterable[str | Metric] | None, *, several: bool = False) -> tuple[Metric, ...]:
    """Return the metrics wanted, or all declared ones."""
    if wanted is None or (isinstance(wanted, str) and wanted.lower() == "all"):
        return tuple((MULTICLASS_METRICS if several else METRICS).values())
    if isinstance(wanted, str | Metric):
        wanted = [wanted]
    metrics = tuple(find_metric(each, several=several) for each in check_list(wanted, "metrics"))
    own = {each.name: each for each in metrics if isinstance(each.value, UserFunction)}
    for metric in metrics:
        if own.get(metric.name, metric) is not metric:
            raise ArgumentError(f"two metrics are called {metric.name!r}. Hint: give your own another `name`.")
    return metrics


def call_factory(text: str, factory: Callable[..., Metric]) -> Metric:
    """Evaluate `name(literal, key=literal)` without running any code of the caller."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call):
            raise ValueError
        positional = [ast.literal_eval(each) for each in call.args]
        named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        return factory(*positional, **named)
    except (SyntaxError, TypeError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"cannot read the metric {text!r}. Hint: write it like 'f_beta(2)'.") from None

"""What is asked of resolving power, checked and filled in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._parameters.uncertainty import DESIGN
from unconfuse._validate import check_choice, check_list, check_number, check_probability
from unconfuse.ingest import Data
from unconfuse.metrics import FACTORIES, METRICS, Metric, UserFunction, find_metric
from unconfuse.metrics.probability import check_probabilities
from unconfuse.resolving.asymptotic import ClassSizes
from unconfuse.resolving.empirical import Empirical
from unconfuse.resolving.improvements import improved
from unconfuse.resolving.signal_curve import SignalCurve, published_grid, reference_values, signal_curve, value_of
from unconfuse.table import Array, ScoreTable

DEFAULT_METRICS = (
    "auroc",
    "average_precision",
    "auprc_davis_goadrich",
    "auprg",
    "h_measure",
    "precision_at_indistinguishability",
)
PAPER_STEPS = (-0.001, 0.0, 0.001)
_WIDER_STEPS = (-0.01, -0.005, 0.0, 0.005, 0.01)  # a single case can make a metric of a score table jump
Wanted = str | Metric | Callable[[ScoreTable], object]


class Study:
    """Model, metrics, sample sizes, qualities and the scale on which quality is measured, checked and filled in."""

    def __init__(
        self,
        model: Any,
        metrics: Any,
        *,
        n: float | None,
        prevalence: float | None,
        at: Any,
        reference: str | Metric = "auroc",
        grid_start: float = 0.5,
        improvement: str = "shift",
        design: str = "case-control",
    ) -> None:
        self.model = as_model(model)
        by_rank = isinstance(reference, str) and reference in ("rank", "overlap")
        self.reference = reference if by_rank else as_metric(reference)
        self.grid_start = check_probability(grid_start, "grid_start")
        alone = isinstance(metrics, str | Metric) or callable(metrics)
        wanted = DEFAULT_METRICS if metrics is None else (metrics,) if alone else check_list(metrics, "metrics")
        self.metrics = as_metrics(wanted)
        if not self.metrics:
            raise ArgumentError("`metrics` is empty. Hint: name one, such as ['auroc'], or leave it out.")
        if isinstance(self.model, Empirical) and any(metric.needs_probabilities for metric in self.metrics):
            check_probabilities(self.model.table)  # as they were given: moved scores have other ends
        self.sizes = _sizes(self.model, n, prevalence, design)
        self.at = _qualities(self.model, at)
        self.model = improved(self.model, improvement, self.at[0])

    @property
    def reference_name(self) -> str:
        """The scale in words."""
        return self.reference if isinstance(self.reference, str) else self.reference.name

    @property
    def baseline(self) -> Metric:
        """The metric that the others are compared with."""
        return METRICS["auroc"] if isinstance(self.reference, str) else self.reference

    @property
    def all_metrics(self) -> tuple[Metric, ...]:
        """The metrics asked for, and the baseline."""
        return once([*self.metrics, self.baseline])

    def is_reference(self, metric: Metric) -> bool:
        """Whether the metric is itself the scale, so that nothing is mapped."""
        return metric.name == self.reference_name

    def curves(self, mapping: str) -> dict[str, SignalCurve]:
        """Return the signal curve of every metric."""
        prevalence, populations = self.sizes.prevalence, self._populations
        reference = reference_values(populations, self.reference, prevalence, self.sizes.n)
        found = {}
        for metric in self.all_metrics:
            curve = signal_curve(populations, metric, prevalence, self.reference_name, reference, self.sizes.n)
            published = mapping == "nearest" and self.reference_name == "auroc"
            found[metric.name] = published_grid(self.model, metric, prevalence, curve) if published else curve
        return found

    def place(self, at: float) -> float:
        """Return the quality on the reference scale."""
        return float(self._references([self.model.population_at(at)])[0])

    def _references(self, populations: Sequence[Any]) -> Array:
        """Places on the reference scale; a rank is that among the sequence of the signal curves."""
        if self.reference != "rank":
            return reference_values(populations, self.reference, self.sizes.prevalence, self.sizes.n)
        areas = self._ranked_areas
        return np.asarray(
            np.interp([population.auroc for population in populations], areas, np.arange(1.0, len(areas) + 1))
        )

    @cached_property
    def _ranked_areas(self) -> Array:
        return np.array([population.auroc for population in self._populations])

    @cached_property
    def _populations(self) -> Sequence[Any]:
        """Better and better classifiers."""
        start = min(self.grid_start, *(each - 0.05 for each in self.at))
        found: Sequence[Any] = self.model.improving(start, self.at)
        return found

    def slopes(self, at: float, steps: tuple[float, ...] = ()) -> dict[str, float]:
        """Change of the reference for one unit of each metric: least squares over close neighbours."""
        found = {each.name: 1.0 for each in self.all_metrics}
        others = [each for each in self.all_metrics if not self.is_reference(each)]
        usual = _WIDER_STEPS if hasattr(self.model, "table") else PAPER_STEPS
        around = self.model.around(at, steps or usual) if others else ()
        reference = self._references(around)
        for metric in others:
            values = np.array([value_of(one, metric, self.sizes.prevalence, self.sizes.n) for one in around])
            with np.errstate(divide="ignore", invalid="ignore"):
                spread = values - values.mean()
                found[metric.name] = float(spread @ (reference - reference.mean()) / (spread @ spread))
        return found


def as_model(given: Any) -> Any:
    """Return a sampling model; data or a score table become one by way of their own scores."""
    model = Empirical(given) if isinstance(given, Data | ScoreTable) else given
    model = getattr(model, "tied", None) or model
    if not hasattr(model, "population_at"):
        usual = "uc.Binormal() or uc.Empirical(y, s)"
        raise ArgumentError(f"`model` must be a sampling model such as {usual}; got {short_repr(model)}.")
    return model


def usual_quality(model: Any) -> float:
    """Return the AUROC that a plan is for unless said: that of the scores or distributions given, else .75."""
    return float(model.default_at[0]) if len(model.default_at) == 1 else 0.75


def as_metrics(wanted: Iterable[Wanted]) -> tuple[Metric, ...]:
    """Metrics by name, themselves, or made of a user's functions; each once, and each function by a name of its own."""
    found: dict[str, Metric] = {}
    for each in dict.fromkeys(wanted):
        metric = as_metric(each)
        if not isinstance(each, str | Metric):
            taken = {*found, *METRICS}
            number = next(i for i in itertools.count(1) if _numbered(metric.name, i) not in taken)
            metric = metric.with_fields(name=_numbered(metric.name, number), label="")
        found[metric.name] = metric
    return tuple(found.values())


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} {number}"


def once(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """Return the metrics without repetitions."""
    return tuple({metric.name: metric for metric in metrics}.values())


def as_metric(wanted: Wanted) -> Metric:
    """Return a metric given by name, as itself, or as a user's function of a score table."""
    if isinstance(wanted, str | Metric):
        metric = find_metric(wanted)
    elif any(wanted is factory for factory in FACTORIES.values()):
        name = getattr(wanted, "__name__", "it")
        raise ArgumentError(f"{name} makes metrics: call it, such as {name}(10), or write {name + '(10)'!r}.")
    elif callable(wanted):
        name = getattr(wanted, "__name__", type(wanted).__name__)
        # Which end of a user's function is better is not known; its values along better and better models tell.
        metric = Metric(name=name, value=UserFunction(wanted, name), of="ranks", better="neither")
    else:
        raise ArgumentError(f"a metric is a name, a Metric or a function of a score table; got {short_repr(wanted)}.")
    if metric.of == "counts":
        raise ArgumentError(
            f"{metric.name} needs a threshold; resolving power compares threshold-free metrics. "
            "Hint: use auroc, average_precision, max_f1, brier, ... or a function of a score table."
        )
    return metric


def _qualities(model: Any, at: Any) -> tuple[float, ...]:
    """Return the qualities of interest, or raise an error that says why there is no question."""
    asked = model.default_at if at is None else np.atleast_1d(at).tolist()
    own = "these scores have" if at is None else "`quality` asks for"
    for each in asked:
        if each == 1:
            raise ArgumentError(
                f"{own} an AUROC of 1: positives and negatives are separated perfectly, and no better model is left "
                f"to compare. Hint: ask about a lower quality, such as {argument_name('quality', 0.95)}."
            )
        if each < 0.5:
            raise ArgumentError(
                f"{own} an AUROC of {each:.3g}: they rank negatives first. Hint: turn the scores around, or name the "
                "other label as `positive`."
            )
    return tuple(check_probability(each, "quality", open_interval=True) for each in asked)


def _sizes(model: Any, n: float | None, prevalence: float | None, design: str) -> ClassSizes:
    for name, given in (("n", n), ("prevalence", prevalence)):
        if given is None and not hasattr(model, name):
            words = "the number of cases of a test set" if name == "n" else "the share of positives"
            raise ArgumentError(f"`{name}` is missing: {model!r} holds no data, so {words} must be given.")
    size = check_number(model.n if n is None else n, "n")
    share = check_number(model.prevalence if prevalence is None else prevalence, "prevalence")
    check_choice(design, "design", DESIGN.choices)
    sizes = ClassSizes.of(size, check_probability(share, "prevalence"), design)
    if sizes.positives < 2 or sizes.negatives < 2:
        raise ArgumentError(
            f"a sample needs at least 2 cases of each class; n = {size:g} and prevalence = {share:g} "
            f"give {sizes.positives} positives and {sizes.negatives} negatives."
        )
    return sizes

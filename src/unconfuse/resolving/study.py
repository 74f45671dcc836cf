"""What is asked of resolving power, checked and filled in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_choice, check_number, check_probability
from unconfuse.metrics import METRICS, Metric
from unconfuse.resolving.asymptotic import Sizes
from unconfuse.resolving.signal import SignalCurve, published_grid, reference_values, signal_curve, value_of
from unconfuse.resolving.values import as_metric
from unconfuse.table import ScoreTable

DEFAULT_METRICS = (
    "auroc",
    "average_precision",
    "auprc_davis_goadrich",
    "auprg",
    "h_measure",
    "precision_at_indistinguishability",
)
OTHER_SCALES = ("rank", "overlap")
Wanted = str | Metric | Callable[[ScoreTable], object]


@dataclass(frozen=True)
class Study:
    """Model, metrics, sample sizes, qualities and the scale on which quality is measured."""

    model: Any
    metrics: tuple[Metric, ...]
    sizes: Sizes
    at: tuple[float, ...]
    reference: str | Metric
    grid_start: float

    @classmethod
    def of(
        cls,
        model: Any,
        metrics: Iterable[Wanted] | Wanted | None,
        *,
        n: float | None,
        prevalence: float | None,
        at: float | Iterable[float] | None,
        reference: str | Metric = "auroc",
        grid_start: float = 0.5,
        design: str = "case-control",
    ) -> Study:
        """Check, and fill in what was left out."""
        if not hasattr(model, "population_at"):
            raise ArgumentError(
                f"`model` must be a sampling model such as uc.Binormal() or uc.Empirical(y, s); got {model!r}."
            )
        scale = reference if isinstance(reference, str) and reference in OTHER_SCALES else as_metric(reference)
        return cls(
            model,
            _chosen(metrics),
            _sizes(model, n, prevalence, check_choice(design, "design", ("case-control", "cohort"))),
            _qualities(model, at),
            scale,
            check_probability(grid_start, "grid_start"),
        )

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
        return _once([*self.metrics, self.baseline])

    def is_reference(self, metric: Metric) -> bool:
        """Whether the metric is itself the scale, so that nothing is mapped."""
        return metric.name == self.reference_name

    def curves(self, mapping: str) -> dict[str, SignalCurve]:
        """The signal curve of every metric."""
        prevalence = self.sizes.prevalence
        start = min(self.grid_start, *(each - 0.05 for each in self.at))
        populations = self.model.improving(start, self.at)
        reference = reference_values(populations, self.reference, prevalence)
        smooth = {
            each.name: signal_curve(populations, each, prevalence, self.reference_name, reference)
            for each in self.all_metrics
        }
        if mapping == "interpolate" or self.reference_name != "auroc":
            return smooth
        return {each.name: published_grid(self.model, each, prevalence, smooth[each.name]) for each in self.all_metrics}

    def place(self, at: float) -> float:
        """The quality on the reference scale; a rank is one of a sequence and has no place of its own."""
        if self.reference == "rank":
            return math.nan
        return float(reference_values([self.model.population_at(at)], self.reference, self.sizes.prevalence)[0])

    @cached_property
    def _neighbours(self) -> dict[tuple[float, tuple[float, ...]], list[Any]]:
        return {}

    def _around(self, at: float, steps: tuple[float, ...]) -> list[Any]:
        """The population at a quality and its neighbours: the same for all metrics, so found once."""
        if (at, steps) not in self._neighbours:
            self._neighbours[at, steps] = list(self.model.around(at, steps))
        return self._neighbours[at, steps]

    def slope(self, metric: Metric, at: float, steps: Sequence[float]) -> float:
        """Change of the reference for one unit of the metric: least squares over close neighbours."""
        if self.is_reference(metric):
            return 1.0
        around = self._around(at, tuple(steps))
        reference = reference_values(around, self.reference, self.sizes.prevalence)
        values = np.array([value_of(each, metric, self.sizes.prevalence) for each in around])
        spread = values - values.mean()
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(spread @ (reference - reference.mean()) / (spread @ spread))


def _chosen(metrics: Any) -> tuple[Metric, ...]:
    if metrics is None:
        metrics = DEFAULT_METRICS
    elif isinstance(metrics, str | Metric) or callable(metrics):
        metrics = (metrics,)
    return _once(as_metric(each) for each in metrics)


def _once(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    return tuple({each.name: each for each in metrics}.values())


def _sizes(model: Any, n: float | None, prevalence: float | None, design: str) -> Sizes:
    size = check_number(getattr(model, "n", None) if n is None else n, "n")
    share = check_number(getattr(model, "prevalence", None) if prevalence is None else prevalence, "prevalence")
    sizes = Sizes.of(size, check_probability(share, "prevalence"), design)
    if sizes.positives < 2 or sizes.negatives < 2:
        raise ArgumentError(
            f"a sample needs at least 2 cases of each class; n = {size:g} and prevalence = {share:g} "
            f"give {sizes.positives} positives and {sizes.negatives} negatives."
        )
    return sizes


def _qualities(model: Any, at: Any) -> tuple[float, ...]:
    given = model.default_at if at is None else np.atleast_1d(at).tolist()
    return tuple(check_probability(each, "at", open_interval=True) for each in given)

"""What is asked of resolving power, checked and filled in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._validate import check_choice, check_list, check_number, check_probability
from unconfuse.ingest import Data
from unconfuse.metrics import METRICS, Metric, find_metric
from unconfuse.resolving.asymptotic import Sizes
from unconfuse.resolving.empirical import Empirical
from unconfuse.resolving.signal import SignalCurve, published_grid, reference_values, signal_curve, value_of
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
        design: str = "case-control",
    ) -> None:
        self.model = as_model(model)
        by_rank = isinstance(reference, str) and reference in ("rank", "overlap")
        self.reference = reference if by_rank else as_metric(reference)
        self.grid_start = check_probability(grid_start, "grid_start")
        alone = isinstance(metrics, str | Metric) or callable(metrics)
        wanted = DEFAULT_METRICS if metrics is None else (metrics,) if alone else check_list(metrics, "metrics")
        self.metrics = once(map(as_metric, wanted))
        self.sizes = _sizes(self.model, n, prevalence, design)
        qualities = self.model.default_at if at is None else np.atleast_1d(at).tolist()
        self.at = tuple(check_probability(each, "at", open_interval=True) for each in qualities)

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
        """The signal curve of every metric."""
        prevalence = self.sizes.prevalence
        start = min(self.grid_start, *(each - 0.05 for each in self.at))
        populations = self.model.improving(start, self.at)
        reference = reference_values(populations, self.reference, prevalence)
        found = {}
        for each in self.all_metrics:
            curve = signal_curve(populations, each, prevalence, self.reference_name, reference)
            published = mapping == "nearest" and self.reference_name == "auroc"
            found[each.name] = published_grid(self.model, each, prevalence, curve) if published else curve
        return found

    def place(self, at: float) -> float:
        """The quality on the reference scale; a rank is one of a sequence and has no place of its own."""
        if self.reference == "rank":
            return math.nan
        return float(reference_values([self.model.population_at(at)], self.reference, self.sizes.prevalence)[0])

    def slopes(self, at: float, steps: tuple[float, ...] = ()) -> dict[str, float]:
        """Change of the reference for one unit of each metric: least squares over close neighbours."""
        found = {each.name: 1.0 for each in self.all_metrics}
        others = [each for each in self.all_metrics if not self.is_reference(each)]
        usual = _WIDER_STEPS if hasattr(self.model, "table") else PAPER_STEPS
        around = self.model.around(at, steps or usual) if others else ()
        reference = reference_values(around, self.reference, self.sizes.prevalence)
        for each in others:
            values = np.array([value_of(one, each, self.sizes.prevalence) for one in around])
            spread = values - values.mean()
            with np.errstate(divide="ignore", invalid="ignore"):
                found[each.name] = float(spread @ (reference - reference.mean()) / (spread @ spread))
        return found


def as_model(given: Any) -> Any:
    """A sampling model; data, or a table of them, are their own."""
    model = Empirical(given) if isinstance(given, Data | ScoreTable) else given
    if not hasattr(model, "population_at"):
        usual = "uc.Binormal() or uc.Empirical(y, s)"
        raise ArgumentError(f"`model` must be a sampling model such as {usual}; got {model!r}.")
    return model


def once(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """The metrics without repetitions."""
    return tuple({each.name: each for each in metrics}.values())


def as_metric(wanted: Wanted) -> Metric:
    """A metric by name, itself, or made of a user's function of a score table."""
    if isinstance(wanted, str | Metric):
        metric = find_metric(wanted)
    elif callable(wanted):
        metric = Metric(name=getattr(wanted, "__name__", "metric"), function=_each_table(wanted), of="ranks")
    else:
        raise ArgumentError(f"a metric is a name, a Metric or a function of a score table; got {wanted!r}.")
    if metric.of == "counts":
        raise ArgumentError(
            f"{metric.name} needs a threshold; resolving power compares threshold-free metrics. "
            "Hint: use auroc, average_precision, max_f1, brier, ... or a function of a score table."
        )
    return metric


def _each_table(function: Callable[[ScoreTable], object]) -> Callable[[ScoreTable], Array]:
    """A user's function sees one plain table at a time."""

    def over_all(table: ScoreTable) -> Array:
        positives, negatives = np.broadcast_arrays(table.positives, table.negatives)
        shape, width = positives.shape[:-1], positives.shape[-1]
        rows = zip(positives.reshape(-1, width), negatives.reshape(-1, width), strict=True)
        return np.array([function(ScoreTable.trusted(table.score, *row)) for row in rows], dtype=np.float64).reshape(
            shape
        )

    return over_all


def _sizes(model: Any, n: float | None, prevalence: float | None, design: str) -> Sizes:
    size = check_number(getattr(model, "n", None) if n is None else n, "n")
    share = check_number(getattr(model, "prevalence", None) if prevalence is None else prevalence, "prevalence")
    check_choice(design, "design", ("case-control", "cohort"))
    sizes = Sizes.of(size, check_probability(share, "prevalence"), design)
    if sizes.positives < 2 or sizes.negatives < 2:
        raise ArgumentError(
            f"a sample needs at least 2 cases of each class; n = {size:g} and prevalence = {share:g} "
            f"give {sizes.positives} positives and {sizes.negatives} negatives."
        )
    return sizes

"""The signal: a metric with infinitely many cases, its curve as a classifier gets better, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError
from unconfuse._formatting import frame_of
from unconfuse.metrics import Metric
from unconfuse.metrics.ranking import area_in_population
from unconfuse.populations import Population
from unconfuse.resolving.empirical import Empirical
from unconfuse.resolving.model_sequence import TablePopulation
from unconfuse.resolving.models import BEST, Binormal
from unconfuse.table import Array, ScoreTable

AnyPopulation = Population | TablePopulation
_BLOCKS = 1000  # of a continuous population, where no integral is known
_BANDS = 30  # of equal weight of negatives, in which the overlap of a score table is measured
_WIGGLE = 0.02  # falls of the curve, as a share of its rise, that are taken for roughness of the data


@dataclass(frozen=True, eq=False)
class SignalCurve:
    """A metric against the reference scale, over a sequence of better and better classifiers.

    Attributes
    ----------
    name, reference_name : str
    reference, values : array
        From the worst classifier to the best.
    """

    name: str
    reference_name: str
    reference: Array
    values: Array

    @cached_property
    def is_increasing(self) -> bool:
        """Whether the metric grows with quality."""
        return bool(self.values[-1] >= self.values[0])

    @cached_property
    def not_invertible_reason(self) -> str | None:
        """Why the curve cannot be inverted, or None."""
        if not np.isfinite(self.values).any():
            return f"{self.name} is undefined along this sequence of classifiers"
        upwards = self.values if self.is_increasing else -self.values
        rise = float(upwards[-1] - upwards[0])
        if not rise > 1e-9:
            return f"{self.name} does not respond to quality: its signal curve is flat"
        fall = _largest_fall(upwards)
        if fall > _WIGGLE * rise:
            return f"{self.name} is not monotone in quality: it falls by {fall:.3g} where it should rise"
        scale = self.reference if self.reference[-1] >= self.reference[0] else -self.reference
        if _largest_fall(scale) > _WIGGLE * np.ptp(scale):
            return f"{self.reference_name} does not go one way along these models, so it cannot be their scale"
        return None

    @cached_property
    def _inverse(self) -> tuple[Array, Array]:
        """Strictly rising values, and the reference there; small falls are ironed out, and undefined values passed."""
        upwards = self.values if self.is_increasing else -self.values
        level = np.fmax.accumulate(upwards)
        kept = np.append(True, np.diff(level) > 0)
        return level[kept], self.reference[kept]

    def to_reference(self, values: Any, mapping: str = "interpolate") -> Array:
        """Quality on the reference scale at which the metric has these values; the ends of the curve clip it.

        `mapping="nearest"` takes the nearest point of the curve, as Beam's published tables do.
        """
        given = np.asarray(values, dtype=np.float64)
        level, reference = self._inverse
        wanted = given if self.is_increasing else -given
        if mapping == "nearest":
            return np.asarray(reference[np.abs(level - wanted[..., None]).argmin(axis=-1)])
        return _smooth(level, reference, np.clip(wanted, level[0], level[-1]))

    def clips(self, values: Any) -> Array:
        """Which values lie beyond the ends of the curve."""
        given = np.asarray(values, dtype=np.float64)
        return np.asarray((given < self.values.min()) | (given > self.values.max()))

    def __call__(self, reference: Any) -> Array:
        """Return the metric at a quality."""
        x, first = np.unique(self.reference, return_index=True)
        return _smooth(x, self.values[first], np.asarray(reference, dtype=np.float64))

    def slope(self, reference: float) -> float:
        """Change of the metric for one unit of the reference: its signal."""
        step = 1e-4 * float(np.ptp(self.reference))
        return float(self(reference + step) - self(reference - step)) / (2 * step)

    def __iter__(self) -> Any:
        return iter((self.reference, self.values))

    def __len__(self) -> int:
        return len(self.reference)

    def to_frame(self) -> Any:
        """Two columns: the reference and the metric."""
        pairs = zip(self.reference.tolist(), self.values.tolist(), strict=True)
        return frame_of([{self.reference_name: x, self.name: y} for x, y in pairs])

    def __repr__(self) -> str:
        return (
            f"SignalCurve({self.name} against {self.reference_name}: {len(self)} points, "
            f"{self.values[0]:.4g} to {self.values[-1]:.4g})"
        )

    def _repr_html_(self) -> str:
        return _html_repr.card(repr(self))

    rises = renamed("is_increasing")
    problem = renamed("not_invertible_reason")


def _largest_fall(values: Array) -> float:
    return float(np.nanmax(np.fmax.accumulate(values) - values))


def _smooth(x: Array, y: Array, at: Array) -> Array:
    from scipy.interpolate import PchipInterpolator

    return np.asarray(PchipInterpolator(x, y)(at))


def value_of(population: AnyPopulation, metric: Metric, prevalence: float, n: float = 1.0) -> float:
    """Compute a metric with infinitely many cases: by quadrature where its integral is known, else from a fine table.

    Metrics that count cases, such as `precision_at_k`, need to know of how many.

    >>> from unconfuse.metrics import METRICS
    >>> good = Binormal().population_at(.85)
    >>> [round(value_of(good, METRICS[name], .1), 3) for name in ("auprc_integral", "auprg", "ks")]
    [0.465, 0.92, 0.536]
    """
    if isinstance(population, TablePopulation):
        table = population.table
        same = abs(table.prevalence - prevalence) * table.n < 0.5
        return float(metric(table if same else table.at_prevalence(prevalence)))
    root = metric.root
    if root.of.population is not None:
        return float(root(root.of.population(population, prevalence)))
    return float(metric(table_for(population, metric, n * prevalence, n * (1 - prevalence), _BLOCKS)))


def table_for(population: Population, metric: Metric, positives: float, negatives: float, blocks: int) -> ScoreTable:
    """Return the population as the kind of table that the metric needs; probabilities are taken to be calibrated."""
    made = population.calibrated_table if metric.of == "probabilities" else population.table
    return made(positives, negatives, blocks)


def overlap(population: AnyPopulation) -> float:
    """Bhattacharyya coefficient of the two score distributions: 1 if they are the same, 0 if they do not meet.

    >>> round(overlap(Binormal().population(2.0)), 4)  # exp(-2^2/8)
    0.6065
    """
    if isinstance(population, Population):
        table = population.table(1.0, 1.0, 4000)
        return float(np.sqrt(table.positives * table.negatives).sum())
    table = population.sized(1.0, 1.0)
    band = np.minimum((np.cumsum(table.negatives) - table.negatives / 2) * _BANDS, _BANDS - 1).astype(np.intp)
    positives, negatives = (np.bincount(band, weights, _BANDS) for weights in (table.positives, table.negatives))
    return float(np.sqrt(positives * negatives).sum())


def reference_values(
    populations: Sequence[AnyPopulation], reference: str | Metric, prevalence: float, n: float = 1.0
) -> Array:
    """Return the value of each population on the scale on which quality is measured."""
    if reference == "rank":
        return np.arange(1.0, len(populations) + 1)
    if reference == "overlap":
        return np.array([overlap(population) for population in populations])
    if isinstance(reference, str):
        raise ArgumentError(f"`reference` must be a metric, 'rank' or 'overlap'; got {reference!r}.")
    return np.array([value_of(population, reference, prevalence, n) for population in populations])


def signal_curve(
    populations: Sequence[AnyPopulation],
    metric: Metric,
    prevalence: float,
    reference_name: str,
    reference: Array,
    n: float = 1.0,
) -> SignalCurve:
    """Trace a metric over a sequence of populations; where it is undefined, the curve leaves it out."""
    values = np.array([value_of(population, metric, prevalence, n) for population in populations])
    defined = np.isfinite(values) & np.isfinite(reference)
    if np.count_nonzero(defined) < 2:
        return SignalCurve(metric.name, reference_name, reference[[0, -1]], np.full(2, np.nan))
    return SignalCurve(metric.name, reference_name, reference[defined], values[defined])


def published_grid(model: Any, metric: Metric, prevalence: float, smooth: SignalCurve) -> SignalCurve:
    """Return the grid of Beam's tables: 10,000 AUROC steps for normal scores, 1,001 equal shifts for a score table."""
    if isinstance(model, Empirical):
        populations = model.repeated_shifts()
        areas = np.array([population.auroc for population in populations])
        return signal_curve(populations, metric, prevalence, "auroc", areas)
    areas = np.linspace(0.5, BEST, 10_000)
    exact = isinstance(model, Binormal) and metric.population is area_in_population
    return SignalCurve(metric.name, "auroc", areas, _right_sums(model, prevalence) if exact else smooth(areas))


@lru_cache(maxsize=32)
def _right_sums(model: Binormal, prevalence: float) -> Array:
    """Return the published AUPRC at each point of the published grid."""
    areas = np.linspace(0.5, BEST, 10_000)
    return np.array([model.population_at(float(area)).auprc_by_right_sums(prevalence) for area in areas])

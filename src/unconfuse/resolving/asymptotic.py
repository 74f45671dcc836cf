"""Sampling errors without sampling: exact for the AUROC, from influence functions for everything else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric
from unconfuse.metrics.indistinguishable import labelled_at_level, precision_in_population
from unconfuse.metrics.influence_functions import (
    InfluenceFunction,
    auprc_influence,
    average_precision_influence,
    is_auroc,
)
from unconfuse.populations import Population
from unconfuse.resolving.model_sequence import TablePopulation
from unconfuse.resolving.signal_curve import AnyPopulation, table_for
from unconfuse.table import Array, ScoreTable, parse_design
from unconfuse.uncertainty.bootstrap import banded

Variances = tuple[float, float, float]  # for one case: from the positives, the negatives, and the share of positives
FINE = 10_000  # blocks (times two) of a continuous population
SMALL_STEP = 1e-6


@dataclass(frozen=True)
class ClassSizes:
    """How many cases a sample has, and whether the class sizes are fixed ("case-control") or not ("cohort")."""

    positives: int
    negatives: int
    design: str = "case-control"

    @classmethod
    def of(cls, n: float, prevalence: float, design: str = "case-control") -> ClassSizes:
        """Class sizes as in the paper: the positives are rounded, the rest is negative."""
        positives = round(prevalence * n)
        return cls(positives, round(n) - positives, design)

    @property
    def fixed_classes(self) -> bool:
        """Whether every sample has as many cases of each class."""
        return parse_design(self.design)

    @property
    def n(self) -> int:
        """All cases."""
        return self.positives + self.negatives

    @property
    def classes(self) -> tuple[int, int]:
        """Positives and negatives."""
        return self.positives, self.negatives

    @property
    def prevalence(self) -> float:
        """Share of positives."""
        return self.positives / self.n


def standard_error(population: AnyPopulation, metric: Metric, sizes: ClassSizes) -> float:
    """Return the standard deviation of a metric over large samples of a population; exact for the AUROC.

    >>> from unconfuse import METRICS, Binormal
    >>> fair = Binormal().population_at(.75)
    >>> round(standard_error(fair, METRICS["auroc"], ClassSizes.of(10_000, .05)), 6)
    0.011029
    """
    if is_auroc(metric):
        return abs(metric.root.scale) * float(np.sqrt(population.auroc_variance(sizes.positives, sizes.negatives)))
    positive, negative, share = _case_variances(population, metric, sizes.prevalence)
    varying = share / sizes.n if not sizes.fixed_classes else 0.0
    return float(np.sqrt(positive / sizes.positives + negative / sizes.negatives + varying))


def _case_variances(population: AnyPopulation, metric: Metric, prevalence: float) -> Variances:
    """Compute what the metric's variance is made of, free of the size of the sample."""
    if metric.population is precision_in_population:
        return _of_indistinguishability(population, prevalence)
    if metric.of == "ranks" and metric.inference.influence is not None:
        steps = metric.inference.influence is average_precision_influence  # which a continuous population does not have
        influence = auprc_influence if steps and isinstance(population, Population) else metric.inference.influence
        return _of_known(influence(_as_table(population, metric, prevalence)))
    return _by_small_steps(metric, _as_table(population, metric, prevalence, small=True))


def _as_table(population: AnyPopulation, metric: Metric, prevalence: float, *, small: bool = False) -> ScoreTable:
    """Return the population as a table with a total weight of 1."""
    if isinstance(population, TablePopulation):
        table = population.sized(prevalence, 1 - prevalence)
        return banded(table, bands=80) if small else table
    return table_for(population, metric, prevalence, 1 - prevalence, 150 if small else FINE)


def _of_known(found: InfluenceFunction) -> Variances:
    """Influences are effects of one more case; times the size of a class, they are those of moving all of it."""
    table = found.table
    of_positives, of_negatives = found.positive * table.n_positives, found.negative * table.n_negatives
    p, q = table.positives / table.n_positives, table.negatives / table.n_negatives
    shift = _mean(p, of_positives) ** 2 / table.n_positives + _mean(q, of_negatives) ** 2 / table.n_negatives
    return _variance(p, of_positives), _variance(q, of_negatives), shift


def _mean(weights: Array, effect: Array) -> float:
    """Of effects that occur with these weights; not by BLAS, whose threads wait longer for each other than it takes."""
    return float((weights * effect).sum())


def _variance(weights: Array, effect: Array) -> float:
    """Of effects that occur with these weights, which add up to 1."""
    return max(_mean(weights, effect**2) - _mean(weights, effect) ** 2, 0.0)  # rounding may leave less than nothing


def _by_small_steps(metric: Metric, table: ScoreTable) -> Variances:
    """Influences by moving a millionth of a class's weight to each block in turn."""
    base = float(metric(table))
    p, q = table.positives / table.n_positives, table.negatives / table.n_negatives
    nudge = SMALL_STEP * np.eye(len(table))
    moved = (
        ScoreTable.from_validated(table.score, ((1 - SMALL_STEP) * p + nudge) * table.n_positives, table.negatives),
        ScoreTable.from_validated(table.score, table.positives, ((1 - SMALL_STEP) * q + nudge) * table.n_negatives),
    )
    # A metric that does not look at one of the classes has one value for all of its steps.
    of_positives, of_negatives = (
        np.broadcast_to((metric(score_table) - base) / SMALL_STEP, len(table)) for score_table in moved
    )
    share = table.prevalence
    step = 1e-3 * share * (1 - share)
    up, down = (float(metric(table.at_prevalence(share + sign * step))) for sign in (1, -1))
    varying = share * (1 - share) * ((up - down) / (2 * step)) ** 2
    return _variance(p, of_positives), _variance(q, of_negatives), varying


def _of_indistinguishability(population: AnyPopulation, prevalence: float) -> Variances:
    """C(r_b) moves with the precision at its threshold and with the threshold itself, which B(r) = 1/2 fixes."""
    if isinstance(population, TablePopulation):
        table = population.sized(1.0, 1.0)
        v, u, local = _crossing_of_table(table, prevalence)
    else:
        table = population.table(1.0, 1.0, FINE)
        v, u, local = _crossing(population, prevalence)
    p, q = table.positives, table.negatives
    v_at, u_at = np.cumsum(p) - p / 2, np.cumsum(q) - q / 2  # within each block
    at = prevalence * v_at + (1 - prevalence) * u_at
    labelled = prevalence * v + (1 - prevalence) * u
    if not labelled > 0 or v == 0.5:  # B does not move with the threshold there, which nothing then fixes
        return np.nan, np.nan, np.nan
    inside = at < labelled
    precision = prevalence * v / labelled
    pull = (precision - local) / (labelled * (v - 0.5))
    own = prevalence * ((v_at - 0.5) * inside - (v**2 / 2 - v / 2))
    outranked = np.maximum(labelled - at, 0) - labelled / 2 + own
    positive = prevalence * (inside - v) * (1 - precision) / labelled + pull * outranked
    other = (v_at - 0.5) * inside
    negative = (1 - prevalence) * (-(inside - u) * precision / labelled + pull * (other - other @ q))
    # It moves with the prevalence directly, and through the threshold.
    direct = v * u / labelled**2
    # B = (pi v^2/2 + (1 - pi) J)/G = 1/2 at the threshold, so J follows from v, u and pi.
    beaten = (labelled / 2 - prevalence * v**2 / 2) / (1 - prevalence)
    drift = (v**2 / 2 - beaten - (v - u) / 2) / labelled  # dB/dpi
    through = (precision - local) / (v - 0.5) * drift  # the threshold moves so that B stays 1/2
    varying = prevalence * (1 - prevalence) * (direct + through) ** 2
    return _variance(p, positive), _variance(q, negative), varying


def _crossing(population: Population, prevalence: float) -> tuple[float, float, float]:
    """TPR, FPR and the local share of positives at r_b."""
    population_crossing = population.indistinguishability_crossing(prevalence)
    v = population_crossing.sensitivity
    if np.isnan(v):
        raise ArgumentError(f"B(r) never reaches 0.5 in this population (its AUROC is {population.auroc:.3f}).")
    if v == 1:  # below all positives there are none
        return v, population_crossing.false_positive_rate, 0.0
    step = 1e-5 * min(v, 1 - v)
    high, low = population.fpr_at(np.array([v + step, v - step]))
    slope = float(high - low) / (2 * step)
    return v, population_crossing.false_positive_rate, prevalence / (prevalence + (1 - prevalence) * slope)


def _crossing_of_table(table: ScoreTable, prevalence: float) -> tuple[float, float, float]:
    """Find TPR, FPR and the local share of positives (that of the nearest cases on both sides) at r_b in a table."""
    weighted = ScoreTable.from_validated(table.score, prevalence * table.positives, (1 - prevalence) * table.negatives)
    index = int(labelled_at_level(weighted, 0.5))
    if index < 0:
        return float("nan"), float("nan"), float("nan")
    reached: Array = np.cumsum(weighted.positives + weighted.negatives)
    width = max(2 * len(table) ** -0.25 / 10, 4 / len(table))
    near = np.abs(reached - reached[index]) <= width
    local = float(weighted.positives[near].sum() / (weighted.positives + weighted.negatives)[near].sum())
    return float(np.cumsum(table.positives)[index]), float(np.cumsum(table.negatives)[index]), local

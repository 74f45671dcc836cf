"""The value of any metric in a population: by quadrature where its integral is known, else from a fine score table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.metrics import Metric
from unconfuse.resolving.population import Population
from unconfuse.table import ScoreTable

FINE = 8000  # blocks (times two) of a table whose metrics are right to about 1e-7


def population_value(population: Population, metric: Metric, prevalence: float, *, blocks: int = FINE) -> float:
    """A metric with infinitely many cases.

    Examples
    --------
    >>> from unconfuse import METRICS, Binormal
    >>> good = Binormal().population_at(.85)
    >>> [round(population_value(good, METRICS[name], .1), 4) for name in ("auprc_integral", "auprg", "ks")]
    [0.4646, 0.9205, 0.5364]
    """
    root = metric.root
    if root.of.population is not None:
        return float(root(root.of.population(population, prevalence)))
    return float(metric(table_for(population, metric, prevalence, 1 - prevalence, blocks)))


def table_for(population: Population, metric: Metric, positives: float, negatives: float, blocks: int) -> ScoreTable:
    """The population as the kind of table that the metric needs; probabilities are taken to be calibrated."""
    if metric.of == "probabilities":
        return population.calibrated_table(positives, negatives, blocks)
    return population.table(positives, negatives, blocks)


def as_metric(wanted: str | Metric | Callable[[ScoreTable], object]) -> Metric:
    """A metric by name, itself, or made of a user's function of a score table."""
    from unconfuse.metrics import find_metric

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


def _each_table(function: Callable[[ScoreTable], object]) -> Callable[[ScoreTable], np.typing.NDArray[np.float64]]:
    """A user's function sees one plain table at a time."""

    def over_all(table: ScoreTable) -> np.typing.NDArray[np.float64]:
        positives, negatives = np.broadcast_arrays(table.positives, table.negatives)
        shape, width = positives.shape[:-1], positives.shape[-1]
        rows = zip(positives.reshape(-1, width), negatives.reshape(-1, width), strict=True)
        return np.array([function(ScoreTable(table.score, *row)) for row in rows], dtype=np.float64).reshape(shape)

    return over_all

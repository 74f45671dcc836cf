"""Two models judged on the same cases, whose scores go together: the real case of model selection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import ndtr
from unconfuse.metrics import Metric
from unconfuse.populations import Population
from unconfuse.resolving.asymptotic import ClassSizes
from unconfuse.resolving.score_sampling import FEWER_BANDS, Places, calibrated, class_sizes, counted, table_of
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.bootstrap import slices

if TYPE_CHECKING:
    from unconfuse.resolving.win_probability import PopulationPair

_CELLS = 1 << 18  # of the normal distribution, in which a case's block is looked up
_REACH = 6.0
_CASES_AT_A_TIME = 1 << 21


def draw_both(
    pair: PopulationPair, metrics: Iterable[Metric], sizes: ClassSizes, n_samples: int, seed: int, correlation: float
) -> list[dict[str, Array]]:
    """Values of metrics of both models in the same samples.

    Within each class the two scores of a case are as two normal variables with this correlation (a Gaussian copula);
    each model's own distribution stays as it is.
    """
    wanted, random = list(metrics), np.random.default_rng(seed)
    populations = pair.worse, pair.better
    tables = [table_of(each, wanted, sizes, bands=FEWER_BANDS) for each in populations]
    continuous = isinstance(pair.worse, Population)
    parts: list[dict[str, list[Array]]] = [{each.name: [] for each in wanted} for _ in tables]
    for _, count in slices(n_samples, _CASES_AT_A_TIME // sizes.n):
        positives, negatives = class_sizes(sizes, count, random)
        sides = zip(
            _class_counts([each.positives for each in tables], positives, correlation, random),
            _class_counts([each.negatives for each in tables], negatives, correlation, random),
            strict=True,
        )
        for table, (own, other), part in zip(tables, sides, parts, strict=True):
            drawn = ScoreTable.from_validated(table.score, own, other)
            for each in wanted:
                seen = calibrated(table, drawn) if continuous and each.of == "probabilities" else drawn
                part[each.name].append(each(seen))
    return [{name: np.concatenate(values) for name, values in part.items()} for part in parts]


def _class_counts(weights: list[Array], sizes: Places, correlation: float, random: np.random.Generator) -> list[Array]:
    """How many cases of one class fall into each block, for each of two tables, in samples of these sizes."""
    first = random.standard_normal(int(sizes.sum()), dtype=np.float32)
    other = random.standard_normal(len(first), dtype=np.float32)
    second = correlation * first + np.sqrt(1 - correlation**2) * other
    return [_counted(each, normal, sizes) for each, normal in zip(weights, (first, second), strict=True)]


def _counted(weights: Array, normal: npt.NDArray[np.float32], sizes: Places) -> Array:
    """Each normal number becomes the block that has its place in the distribution."""
    edges = np.linspace(-_REACH, _REACH, _CELLS + 1)
    reached, middles = np.cumsum(weights), ndtr((edges[1:] + edges[:-1]) / 2)
    block_of = np.minimum(np.searchsorted(reached, middles * reached[-1], side="right"), len(weights) - 1)
    cell = np.clip((normal + _REACH) * (_CELLS / (2 * _REACH)), 0, _CELLS - 1).astype(np.intp)
    return counted(block_of[cell], sizes, len(weights))

"""How metrics scatter from sample to sample: one set of samples for all metrics, so that they can be compared.

Where kernels compute all of them from a population's ROC curve, samples have no ties and cost no tables. Else all are
taken from the same replicates of one score table, in which a continuous population is cut into fine bands. Two models
that are judged on the same cases have scores that go together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._scipy_special import ndtr
from unconfuse.metrics import Metric
from unconfuse.metrics.indistinguishable import labelled_at_level
from unconfuse.populations import Population
from unconfuse.resolving.asymptotic import ClassSizes
from unconfuse.resolving.signal_curve import AnyPopulation
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.bootstrap import (
    ProgressReporter,
    band_ends,
    banded,
    drawn_by_kernels,
    in_bands,
    kernels_of,
    slices,
    split,
)

if TYPE_CHECKING:
    from unconfuse.resolving.win_probability import PopulationPair

Progress = Callable[[int, int], object]
Places = npt.NDArray[np.intp]
BANDS, FEWER_BANDS = 500, 250  # of each class: deviations of C(r_b) and max_mcc move by less than 1%, and by 1 to 2%
_FINE = 4000  # blocks (times two) of a continuous population before they are joined into bands
_CROSSING, _NEAR = "precision_at_indistinguishability", 200  # blocks where the threshold of C(r_b) is likely to be
_CELLS_AT_A_TIME = 1 << 22
_CASES_ONE_BY_ONE = (
    2e10  # drawn in all, about 6 s; of more, a table's blocks are drawn, whose cost does not grow with n
)
_WORK_AT_A_TIME = 1 << 24  # positives of one kernel call: about a second, so that Ctrl-C is heard


def draw(
    population: AnyPopulation,
    metrics: Iterable[Metric],
    sizes: ClassSizes,
    n_samples: int,
    seed: int,
    progress: Progress | None = None,
    *,
    most: float = np.inf,
) -> dict[str, Array]:
    """Values of metrics in samples of a population, one array for each metric; sample i is the same for all.

    Tables are joined into bands if kernels would go through more than `most` blocks in all. Samples so large that cases
    cannot be drawn one by one are drawn from a fine table: few of their cases are positive, and most blocks hold none.

    >>> from unconfuse import METRICS, Binormal
    >>> values = draw(Binormal().population_at(.75), [METRICS["auroc"]], ClassSizes(50, 950), n_samples=100, seed=0)
    >>> values["auroc"].shape
    (100,)
    """
    wanted = list(metrics)
    how = wanted, sizes, n_samples, seed, ProgressReporter(progress, n_samples, n_samples)
    continuous, compiled = isinstance(population, Population), not split(wanted)[1]
    quick = n_samples * sizes.positives <= most
    if isinstance(population, Population) and compiled and quick and n_samples * sizes.n <= _CASES_ONE_BY_ONE:
        return _without_ties(population, *how)
    table = table_of(population, wanted, sizes, bands=BANDS if quick else FEWER_BANDS, whole=compiled and quick)
    return _by_kernels(table, *how) if compiled else _by_tables(table, *how, continuous=continuous)


def table_of(
    population: AnyPopulation, metrics: Iterable[Metric], sizes: ClassSizes, *, bands: int, whole: bool = False
) -> ScoreTable:
    """Return the table from which all of these metrics are sampled; in bands, unless it is to stay whole."""
    wanted = list(metrics)
    crosses = any(metric.root.of.inference.kernel == _CROSSING for metric in wanted)
    if isinstance(population, Population):
        fine = _finer_at_crossing(population, sizes) if crosses else population.table(*sizes.classes, _FINE)
    else:
        fine = population.sized(*sizes.classes)
        fine = without_runs(fine) if all(metric.inference.straight for metric in wanted) else fine
    if whole or len(fine) <= 4 * bands:
        return fine
    return in_bands(fine, _with_crossing(fine, band_ends(fine, bands), sizes)) if crosses else banded(fine, bands)


def _finer_at_crossing(population: Population, sizes: ClassSizes) -> ScoreTable:
    """Return the population as a table whose blocks near r_b are small beside how far it moves between samples."""
    population_crossing = population.indistinguishability_crossing(sizes.prevalence)
    tpr, fpr = population.points(_FINE)
    if np.isfinite(population_crossing.sensitivity):
        more = np.clip(population_crossing.sensitivity + _reach(sizes) * np.linspace(-1, 1, _NEAR), 0.0, 1.0)
        tpr, fpr = np.append(tpr, more), np.append(fpr, population.fpr_at(more))
        order = np.lexsort((tpr, fpr))
        tpr, fpr = np.maximum.accumulate(tpr[order]), fpr[order]
        moved = np.append(True, (np.diff(tpr) > 0) | (np.diff(fpr) > 0))
        tpr, fpr = tpr[moved], fpr[moved]
    positives, negatives = sizes.positives * np.diff(tpr), sizes.negatives * np.diff(fpr)
    return ScoreTable.from_validated(-np.arange(1.0, len(tpr)), positives, negatives)


def _reach(sizes: ClassSizes) -> float:
    """How far r_b may move between samples, as a share of the positives."""
    return 5 / math.sqrt(min(sizes.classes))


def _with_crossing(table: ScoreTable, ends: Places, sizes: ClassSizes) -> Places:
    """Return the ends of bands, and of all blocks near r_b."""
    place = int(labelled_at_level(table, 0.5))
    share = np.cumsum(table.positives) / table.n_positives
    near = np.flatnonzero(np.abs(share - share[max(place, 0)]) <= _reach(sizes))
    return np.unique(np.concatenate([ends, near[:: max(1, len(near) // _NEAR)]]))


def _by_kernels(
    table: ScoreTable, metrics: list[Metric], sizes: ClassSizes, n_samples: int, seed: int, tell: ProgressReporter
) -> dict[str, Array]:
    blocks = int(np.count_nonzero(table.positives)) + 1
    both, design = (table.positives, table.negatives), _kernels.design_of(sizes.fixed_classes)
    draw = partial(_kernels.bootstrap_ranks, *both, seed=seed, design=design)
    return drawn_by_kernels(draw, metrics, n_samples, 2 * _WORK_AT_A_TIME // blocks, tell)


def _by_tables(
    table: ScoreTable,
    metrics: list[Metric],
    sizes: ClassSizes,
    n_samples: int,
    seed: int,
    tell: ProgressReporter,
    *,
    continuous: bool,
) -> dict[str, Array]:
    """Draw samples as tables, which every metric can read; a continuous population has no probabilities of its own."""
    parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
    for weights in _replicates(table, sizes, n_samples, seed):
        score_table = ScoreTable.from_validated(table.score, *weights)
        for metric in metrics:
            seen = calibrated(table, score_table) if continuous and metric.of == "probabilities" else score_table
            parts[metric.name].append(metric(seen))
        tell(len(weights[0]))
    return {name: np.concatenate(values) for name, values in parts.items()}


def _replicates(table: ScoreTable, sizes: ClassSizes, n_samples: int, seed: int) -> Iterator[tuple[Array, Array]]:
    """Weights of samples of a table: case by case if they are fewer than the scores, else score by score."""
    for first, count in slices(n_samples, _CELLS_AT_A_TIME // (len(table) + 1)):
        if sizes.n > 2 * len(table):
            design = _kernels.design_of(sizes.fixed_classes)
            yield _kernels.bootstrap_tables(
                table.positives, table.negatives, seed=seed, first=first, count=count, design=design
            )
        else:
            random = np.random.default_rng([seed, first])
            places = zip((table.positives, table.negatives), class_sizes(sizes, count, random), strict=True)
            positives, negatives = (_cases(weights, size, random) for weights, size in places)
            yield positives, negatives


def class_sizes(sizes: ClassSizes, count: int, random: np.random.Generator) -> tuple[Places, Places]:
    """Positives and negatives of each sample."""
    if sizes.fixed_classes:
        return np.full(count, sizes.positives), np.full(count, sizes.negatives)
    positives = np.clip(random.binomial(sizes.n, sizes.prevalence, count), 1, sizes.n - 1)
    return positives, sizes.n - positives


def _cases(weights: Array, sizes: Places, random: np.random.Generator) -> Array:
    """How many cases of one class fall into each block, in samples of these sizes."""
    reached = np.cumsum(weights)
    block = np.searchsorted(reached, random.random(int(sizes.sum())) * reached[-1], side="right")
    return counted(np.minimum(block, len(weights) - 1), sizes, len(weights))


def counted(block: Places, sizes: Places, blocks: int) -> Array:
    """Cases of each sample in each block."""
    places = np.repeat(np.arange(len(sizes)) * blocks, sizes) + block
    return np.bincount(places, minlength=len(sizes) * blocks).reshape(len(sizes), blocks).astype(np.float64)


def calibrated(population: ScoreTable, drawn: ScoreTable) -> ScoreTable:
    """Replace each score in samples of a population by the probability of being positive that it stands for.

    >>> whole = ScoreTable(np.array([3., 2, 1]), np.array([3., 1, 0]), np.array([1., 3, 4]))
    >>> calibrated(whole, whole).score.round(6)
    array([0.75, 0.25, 0.  ])
    """
    total = population.positives + population.negatives
    # Kept off 0 and 1, so that no surprise is infinite.
    share = np.clip(population.positives / np.where(total > 0, total, 1.0), 1e-9, 1 - 1e-9)
    order = np.argsort(-share, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(share[order]) < 0))
    joined = (np.add.reduceat(each[..., order], starts, axis=-1) for each in (drawn.positives, drawn.negatives))
    return ScoreTable.from_validated(share[order][starts], *joined)


def _without_ties(
    population: Population, metrics: list[Metric], sizes: ClassSizes, n_samples: int, seed: int, tell: ProgressReporter
) -> dict[str, Array]:
    roc = _kernels.roc_table(population.fpr_at)
    names = kernels_of(metrics)
    parts: dict[str, list[Array]] = {name: [] for name in names}
    for positives, first_of_size, of_size in _class_sizes(sizes, n_samples, seed):
        for first, count in slices(of_size, _WORK_AT_A_TIME // (positives + 100)):
            values = _kernels.roc_samples(
                roc, positives, sizes.n - positives, seed=seed, first=first_of_size + first, count=count, metrics=names
            )
            for name in names:
                parts[name].append(values[name])
            tell(count)
    raw = {name: np.concatenate(values) for name, values in parts.items()}
    return {metric.name: metric.root(raw[metric.root.of.inference.kernel]) for metric in metrics}


def _class_sizes(sizes: ClassSizes, n_samples: int, seed: int) -> Iterable[tuple[int, int, int]]:
    """Numbers of positives, the first sample that has so many, and how many samples do."""
    if sizes.fixed_classes:
        return [(sizes.positives, 0, n_samples)]
    drawn = np.random.default_rng(seed).binomial(sizes.n, sizes.prevalence, n_samples)
    found, counts = np.unique(np.clip(drawn, 1, sizes.n - 1), return_counts=True)
    starts = np.cumsum(counts) - counts
    return [(int(size), int(start), int(count)) for size, start, count in zip(found, starts, counts, strict=True)]


def without_runs(table: ScoreTable) -> ScoreTable:
    """Neighbouring scores that only negatives have, joined into one block.

    >>> without_runs(ScoreTable(np.array([3., 2, 1]), np.array([1., 0, 0]), np.array([0., 1, 1]))).negatives
    array([0., 2.])
    """
    pure = table.positives == 0
    starts = np.flatnonzero(~(pure & np.append(False, pure[:-1])))
    joined = (np.add.reduceat(each, starts) for each in (table.positives, table.negatives))
    return ScoreTable.from_validated(table.score[starts], *joined)


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
    tables = [table_of(population, wanted, sizes, bands=FEWER_BANDS) for population in populations]
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
            score_table = ScoreTable.from_validated(table.score, own, other)
            for metric in wanted:
                seen = calibrated(table, score_table) if continuous and metric.of == "probabilities" else score_table
                part[metric.name].append(metric(seen))
    return [{name: np.concatenate(values) for name, values in part.items()} for part in parts]


def _class_counts(weights: list[Array], sizes: Places, correlation: float, random: np.random.Generator) -> list[Array]:
    """How many cases of one class fall into each block, for each of two tables, in samples of these sizes."""
    first = random.standard_normal(int(sizes.sum()), dtype=np.float32)
    other = random.standard_normal(len(first), dtype=np.float32)
    second = correlation * first + np.sqrt(1 - correlation**2) * other
    return [_counted(weight, normal, sizes) for weight, normal in zip(weights, (first, second), strict=True)]


def _counted(weights: Array, normal: npt.NDArray[np.float32], sizes: Places) -> Array:
    """Each normal number becomes the block that has its place in the distribution."""
    edges = np.linspace(-_REACH, _REACH, _CELLS + 1)
    reached, middles = np.cumsum(weights), ndtr((edges[1:] + edges[:-1]) / 2)
    block_of = np.minimum(np.searchsorted(reached, middles * reached[-1], side="right"), len(weights) - 1)
    cell = np.clip((normal + _REACH) * (_CELLS / (2 * _REACH)), 0, _CELLS - 1).astype(np.intp)
    return counted(block_of[cell], sizes, len(weights))

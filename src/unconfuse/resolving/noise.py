"""How metrics scatter from sample to sample: simulated on the kernels where they can, from score tables elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from unconfuse import _kernels
from unconfuse.metrics import Metric
from unconfuse.populations import Population
from unconfuse.resolving.asymptotic import Sizes
from unconfuse.resolving.path import TablePopulation
from unconfuse.resolving.signal import AnyPopulation, table_for
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.bootstrap import Teller, bootstrap, kernels_of, slices, split

Progress = Callable[[int, int], object]
FINE = 2000  # blocks (times two) of a continuous population, for metrics that no kernel computes
_WORK_AT_A_TIME = 1 << 24  # positives of one kernel call: about a second, so that Ctrl-C is heard


def draw(
    population: AnyPopulation,
    metrics: Iterable[Metric],
    sizes: Sizes,
    n_samples: int,
    seed: int,
    progress: Progress | None = None,
) -> dict[str, Array]:
    """Values of metrics in samples of a population, one array for each metric.

    >>> from unconfuse import METRICS, Binormal
    >>> values = draw(Binormal().population_at(.75), [METRICS["auroc"]], Sizes(50, 950), n_samples=100, seed=0)
    >>> values["auroc"].shape
    (100,)
    """
    wanted, compiled = list(metrics), list[Metric]()
    if isinstance(population, TablePopulation):
        jobs = _table_jobs(population.sized(sizes.positives, sizes.negatives), wanted)
    else:
        compiled, others = split(wanted)
        jobs = [(table_for(population, each, sizes.positives, sizes.negatives, FINE), [each]) for each in others]
    stages = len(jobs) + bool(compiled)
    found: dict[str, Array] = {}
    for place, (table, group) in enumerate(jobs):
        told = _stage(progress, place, stages)
        found |= bootstrap(table, group, n_resamples=n_samples, design=sizes.design, rng=seed, progress=told)
    if compiled and isinstance(population, Population):
        tell = Teller(_stage(progress, len(jobs), stages), n_samples, n_samples)
        found |= _simulated(population, compiled, sizes, n_samples, seed, tell)
    return {each.name: found[each.name] for each in wanted}


def _stage(progress: Progress | None, place: int, stages: int) -> Progress | None:
    """Progress of one of several pieces of work, in terms of the whole."""
    if progress is None:
        return None
    return lambda done, total: progress((place * total + done) // stages, total)


def _simulated(
    population: Population, metrics: list[Metric], sizes: Sizes, n_samples: int, seed: int, tell: Teller
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
    return {each.name: each.root(raw[each.root.of.kernel]) for each in metrics}


def _class_sizes(sizes: Sizes, n_samples: int, seed: int) -> Iterable[tuple[int, int, int]]:
    """Numbers of positives, the first sample that has so many, and how many samples do."""
    if sizes.design != "cohort":
        return [(sizes.positives, 0, n_samples)]
    drawn = np.random.default_rng(seed).binomial(sizes.n, sizes.prevalence, n_samples)
    found, counts = np.unique(np.clip(drawn, 1, sizes.n - 1), return_counts=True)
    starts = np.cumsum(counts) - counts
    return [(int(size), int(start), int(count)) for size, start, count in zip(found, starts, counts, strict=True)]


def _table_jobs(table: ScoreTable, metrics: list[Metric]) -> list[tuple[ScoreTable, list[Metric]]]:
    """Which metrics to take from which form of the table.

    Areas and hulls that no kernel computes stay the same when neighbouring pure negatives are joined.
    """
    joined = [each for each in metrics if each.straight and not each.root.of.kernel]
    jobs = [(table, [each for each in metrics if each not in joined]), (without_runs(table), joined)]
    return [job for job in jobs if job[1]]


def without_runs(table: ScoreTable) -> ScoreTable:
    """Neighbouring scores that only negatives have, joined into one block.

    >>> without_runs(ScoreTable(np.array([3., 2, 1]), np.array([1., 0, 0]), np.array([0., 1, 1]))).negatives
    array([0., 2.])
    """
    pure = table.positives == 0
    starts = np.flatnonzero(~(pure & np.append(False, pure[:-1])))
    joined = (np.add.reduceat(each, starts) for each in (table.positives, table.negatives))
    return ScoreTable.trusted(table.score[starts], *joined)

"""Many rows that were drawn in groups or within strata: resampled as a few hundred random groups of whole units.

Resampling a million rows two thousand times takes minutes. Units that are put together at random, each within its
stratum, give the same variance: the sums of a few hundred such random groups, in bands of scores, are all that is
resampled. The standard error so found is itself uncertain by about one over the root of twice their number.

Wolter (2007), Introduction to Variance Estimation, chapter 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unconfuse.metrics import Metric
from unconfuse.table import Array, Codes, InMemorySample, ScoreTable, Settings
from unconfuse.uncertainty.bootstrap import in_bands, slices, values_of

MANY_ROWS = 100_000  # from which on rows are put together
GROUPS, LEAST_IN_STRATUM = 800, 20  # standard errors are then uncertain by 2.5%, as with 800 resamples
_CELLS_AT_A_TIME = 1 << 22


def replicates_of_random_groups(
    metrics: Sequence[Metric], sample: InMemorySample, design: Settings, strata: Codes | None, ends: dict[str, Codes]
) -> dict[str, Array]:
    """Replicates of shape (models, n_resamples), from bands of scores that end at the given blocks of each model."""
    generator = np.random.default_rng(design.seed)
    member, stratum = put_together(sample, strata, generator)
    values: dict[str, list[Array]] = {each.name: [] for each in metrics}
    size = _CELLS_AT_A_TIME // max(len(each) for each in ends.values())
    for model in sample.models:
        table, cut = sample.table(model), sample.thresholds.get(model)
        small, sums = in_bands(table, ends[model]), _sums(sample, model, member, len(stratum), ends[model])
        shift = {each.name: values_of(each, table, cut) - values_of(each, small, cut) for each in metrics}
        draw = np.random.default_rng(design.seed)  # the same for every model, so that differences are paired
        parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
        for _, count in slices(design.n_resamples, size):
            times = sample.sampling.multipliers(stratum, count, draw)
            stack = ScoreTable.from_validated(small.score, *(times @ side for side in sums))
            for each in metrics:
                parts[each.name].append(values_of(each, stack, cut) + shift[each.name])
        for name, own in parts.items():
            values[name].append(np.concatenate(own))
    return {name: np.array(found) for name, found in values.items()}


def put_together(sample: InMemorySample, strata: Codes | None, generator: np.random.Generator) -> tuple[Codes, Codes]:
    """Return the random group of every row, and the stratum of every random group."""
    units = np.arange(len(sample)) if sample.groups is None else sample.groups
    n_units = int(units.max()) + 1
    stratum = np.zeros(n_units, dtype=np.int64)
    if strata is not None:
        stratum[units] = strata
    held = np.flatnonzero(np.bincount(units, minlength=n_units))
    held = generator.permutation(held)
    held = held[np.argsort(stratum[held], kind="stable")]
    names, first, sizes = np.unique(stratum[held], return_index=True, return_counts=True)
    wanted = np.minimum(sizes, np.maximum(LEAST_IN_STRATUM, GROUPS * sizes // len(held)))
    start = np.concatenate([[0], np.cumsum(wanted)[:-1]])
    place = np.repeat(np.arange(len(names)), sizes)
    own = np.zeros(n_units, dtype=np.int64)
    own[held] = start[place] + (np.arange(len(held)) - first[place]) % wanted[place]
    return own[units], np.repeat(names if strata is not None else np.zeros(1, dtype=np.int64), wanted)


def put_together_into(many: int, sample: InMemorySample, generator: np.random.Generator) -> Codes:
    """Return the number of every row's random part of the groups: so many parts, of as many groups each."""
    assert sample.groups is not None
    return np.asarray((generator.permutation(sample.n_groups) % many)[sample.groups])


def _sums(sample: InMemorySample, model: str, member: Codes, n_groups: int, ends: Codes) -> tuple[Array, Array]:
    """Sum the weight of each class in every band of every random group."""
    band = np.searchsorted(ends, sample.blocks(model))
    cell = member * len(ends) + band
    shape = n_groups, len(ends)
    positives, negatives = (
        np.bincount(cell, weights=sample.weight * side, minlength=shape[0] * shape[1]).astype(np.float64).reshape(shape)
        for side in (sample.is_positive, ~sample.is_positive)
    )
    return positives, negatives

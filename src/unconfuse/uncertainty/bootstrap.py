"""The one resampling engine: replicates of any function of a score table, from one shared set of resamples.

Tables are made ready for it. A class of 20 that shows no outlier may still have one in 40 cases. A standard error from
the data alone cannot know that, so it is smallest, and the interval shortest, exactly when the sample was lucky. Half a
case more in each class, spread evenly over the scores of the other class (for all we know it could have scored
anywhere), puts that right: what Agresti and Coull do for a proportion, for any metric of a score table. And
neighbouring scores joined into bands leave almost the same noise, at a cost that does not grow with the table.

Replicate i of a seed is the same resample for every metric, for any number of threads and however the work is cut into
slices, so that metrics and thresholds can be compared within a replicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse import _kernels
from unconfuse._errors import ArgumentError, InputError, argument_name
from unconfuse._validate import check_number, check_resamples, check_seed, check_whole, public_api
from unconfuse.metrics import Metric, find_metrics
from unconfuse.metrics._metric import ratio
from unconfuse.table import Array, Counts, ScoreTable, Settings, check_table, parse_design, remembered

Progress = Callable[[int, int], object]
Places = npt.NDArray[np.int64]
HALF = 0.5
PLACES = 50  # over so many scores the half case is spread where tables are resampled
BANDS = 250  # of each class; the standard errors then agree with those of the full table to about 1%

# Compiled metrics are resampled in full up to so many scores with positives; beyond, from bands that hold a thousandth
# of a class each. The farther end of an interval then moves by 1.4 to 3% of its width, as with another seed (1.5 to 4%;
# eleven metrics, 6,000 and 30,000 cases). Bands of 1/250 of a class moved that of C(r_b) by 7%.
IN_FULL, FINE_BANDS = 2000, 1000

_CELLS_AT_A_TIME = 1 << 18  # what one slice of replicate tables may hold; more would leave the cache
_ONE_BY_ONE = 2.5  # roots of the number of cases (`deficit_in_sds` of the kernel)
_BLOCKS_AT_A_TIME = 1 << 23  # work of one kernel call: a fifth of a second on two cores, so that Ctrl-C is heard


@public_api
def bootstrap(
    table: ScoreTable,
    metrics: Iterable[str | Metric],
    *,
    n_resamples: int = 10_000,
    design: str = "cohort",
    rng: int = 0,
    threshold: float | None = None,
    progress: Progress | None = None,
    n_threads: int | None = None,
) -> dict[str, Array]:
    """Bootstrap replicates of metrics, exactly as if rows had been drawn with replacement.

    Where weights say how cases were sampled, every case gets a random weight of mean 1 and variance 1 instead.

    Parameters
    ----------
    table : ScoreTable
    metrics : names or Metric objects
        Also your own.
    n_resamples : int
    design : {"cohort", "case-control"}
        Whether the class sizes vary from resample to resample, or stay as they are.
    rng : int
        Seed; the same seed gives the same resamples for every metric.
    threshold : float, optional
        Needed for metrics of decisions.
    progress : callable, optional
        Called with (done, total) resamples after every slice of the work.
    n_threads : int, optional
        All cores by default; the results do not depend on it.

    Returns
    -------
    dict of name to array of shape (n_resamples,)
        NaN where a resample leaves the metric undefined.

    Examples
    --------
    >>> import unconfuse as uc
    >>> table = uc.score_table([1, 1, 0, 1, 0, 0], [.9, .8, .7, .6, .4, .3])
    >>> replicates = uc.bootstrap(table, ["auroc", "brier"], n_resamples=1000, design="case-control")
    >>> replicates["auroc"].shape, bool(replicates["auroc"].max() <= 1)
    ((1000,), True)
    """
    total = check_resamples(n_resamples, at_least=1)
    fixed_classes, seed = parse_design(design), check_seed(rng)
    n_threads = None if n_threads is None else check_whole(n_threads, "n_threads", at_least=1, at_most=1024)
    wanted = find_metrics(metrics)
    threshold = None if threshold is None else check_number(threshold, "threshold")
    _check_table(table, wanted, threshold)
    how: dict[str, Any] = {"threshold": threshold, "progress": progress, "n_threads": n_threads}
    return bootstrapped(table, wanted, total, fixed_classes=fixed_classes, seed=seed, **how)


def bootstrapped(
    table: ScoreTable,
    wanted: Sequence[Metric],
    total: int,
    *,
    fixed_classes: bool,
    seed: int,
    threshold: float | None = None,
    progress: Progress | None = None,
    n_threads: int | None = None,
) -> dict[str, Array]:
    """Return so many replicates of each metric, by name; what the caller gives has been checked."""
    compiled, others = ([], list(wanted)) if table.is_sampled else split(wanted)
    tell = ProgressReporter(progress, total * (bool(compiled) + bool(others)), total)
    results = _compiled(table, compiled, total, fixed_classes, seed, n_threads, tell)
    results |= _by_tables(table, others, total, fixed_classes, seed, threshold, n_threads, tell)
    return {metric.name: results[metric.name] for metric in wanted}


def _compiled(
    table: ScoreTable,
    metrics: list[Metric],
    total: int,
    fixed_classes: bool,
    seed: int,
    n_threads: int | None,
    tell: ProgressReporter,
) -> dict[str, Array]:
    # Of very many cases most are drawn by Poisson counts, and the rest, a few roots of their number, one by one.
    blocks = int(np.count_nonzero(table.positives) + _ONE_BY_ONE * table.n**0.5) + 1
    design = _kernels.design_of(fixed_classes)
    both = (table.positives, table.negatives)
    draw = partial(_kernels.bootstrap_ranks, *both, seed=seed, design=design, n_threads=n_threads)
    return drawn_by_kernels(draw, metrics, total, _BLOCKS_AT_A_TIME // blocks, tell)


def drawn_by_kernels(
    draw: Callable[..., Mapping[str, Array]], metrics: list[Metric], total: int, at_a_time: int, tell: ProgressReporter
) -> dict[str, Array]:
    """Return so many replicates of compiled metrics, drawn so many at a time, which Ctrl-C can interrupt."""
    names = kernels_of(metrics)
    parts: dict[str, list[Array]] = {name: [] for name in names}
    for first, count in slices(total if names else 0, at_a_time):
        values = draw(metrics=names, first=first, count=count)
        for name in names:
            parts[name].append(values[name])
        tell(count)
    return {metric.name: metric.root(np.concatenate(parts[metric.root.of.inference.kernel])) for metric in metrics}


def _by_tables(
    table: ScoreTable,
    metrics: list[Metric],
    total: int,
    fixed_classes: bool,
    seed: int,
    threshold: float | None,
    n_threads: int | None,
    tell: ProgressReporter,
) -> dict[str, Array]:
    """Any metric: make the replicates' tables, slice by slice, and call it."""
    parts: dict[str, list[Array]] = {each.name: [] for each in metrics}
    generator = np.random.default_rng(seed)
    for first, count in slices(total if metrics else 0, _CELLS_AT_A_TIME // (len(table) + 1)):
        if table.is_sampled:
            replicates = multiplied(table, count, generator, fixed_classes)
        else:
            weights = _kernels.bootstrap_tables(
                table.positives,
                table.negatives,
                seed=seed,
                first=first,
                count=count,
                design=_kernels.design_of(fixed_classes),
                n_threads=n_threads,
            )
            replicates = ScoreTable.from_validated(table.score, *weights)
        for metric in metrics:
            parts[metric.name].append(values_of(metric, replicates, threshold))
        tell(count)
    return {name: np.concatenate(values) for name, values in parts.items()}


def multiplied(table: ScoreTable, count: int, generator: np.random.Generator, fixed_classes: bool) -> ScoreTable:
    """Tables whose cases have random weights, about their own, of the variance that their squares say.

    A block's weight is gamma distributed: that of equal cases with exponential multipliers exactly, and of any others
    with the same mean and variance. A case-control study fixed the weight of the classes.
    """
    weight, squares = np.concatenate([table.positives, table.negatives]), np.concatenate(table.squared_weights)
    held = squares > 0
    shape = np.divide(weight**2, squares, out=np.zeros_like(weight), where=held)
    scale = np.divide(squares, weight, out=np.zeros_like(weight), where=held)
    drawn = generator.standard_gamma(shape, (count, len(weight))) * scale
    sides = drawn[:, : len(table)], drawn[:, len(table) :]
    if fixed_classes:
        totals = table.n_positives, table.n_negatives
        sides = tuple(  # type: ignore[assignment]
            ratio(side * total, side.sum(axis=1, keepdims=True)) for side, total in zip(sides, totals, strict=True)
        )
    return ScoreTable.from_validated(table.score, *sides)


def split(metrics: Iterable[Metric]) -> tuple[list[Metric], list[Metric]]:
    """Metrics that a kernel computes within each replicate, without making its table, and all others."""
    compiled, others = list[Metric](), list[Metric]()
    for metric in metrics:
        (compiled if metric.root.of.inference.kernel else others).append(metric)
    return compiled, others


def kernels_of(metrics: Iterable[Metric]) -> list[str]:
    """Return the kernels that compute these metrics, or the metrics of which they are affine functions."""
    return sorted({metric.root.of.inference.kernel for metric in metrics})


def values_of(metric: Metric, tables: ScoreTable, threshold: float | None) -> Array:
    """Return a metric of every table along the leading axes; decisions are made at the threshold."""
    if metric.of != "counts":
        return metric(tables)
    if threshold is None:
        raise ArgumentError(f"{metric.name} is a metric of decisions. Hint: give {argument_name('threshold')}.")
    return metric(tables.counts_at(threshold))


def _check_table(table: ScoreTable, metrics: Iterable[Metric], threshold: float | None) -> None:
    if not len(check_table(table, "`bootstrap`").exact("`bootstrap`")):
        raise InputError("the score table is empty.")
    decisions = [metric for metric in metrics if metric.of == "counts"]
    if decisions and threshold is None:
        raise ArgumentError(f"{decisions[0].name} is a metric of decisions. Hint: give {argument_name('threshold')}.")
    if threshold is not None and not decisions:
        raise ArgumentError(
            "`threshold` cuts decisions, and none of these metrics is of decisions. Hint: leave it out."
        )


def slices(total: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the first replicate and the number of replicates of each piece of work."""
    step = max(1, size)
    for first in range(0, total, step):
        yield first, min(step, total - first)


class ProgressReporter:
    """Adds up the slices of work and reports them in units of resamples."""

    def __init__(self, progress: Progress | None, work: int, total: int) -> None:
        self._progress, self._work, self._total, self._done = progress, max(work, 1), total, 0

    def __call__(self, count: int) -> None:
        """So many more are done."""
        self._done += count
        if self._progress is not None:
            self._progress(self._done * self._total // self._work, self._total)


def replicates_of_counts(
    metric: Callable[[Counts], Array], counts: Counts, fixed_classes: bool, resampling: Settings
) -> Array:
    """Compute a metric of one 2x2 table in resamples of its cases, drawn by how many come from each cell."""
    generator = np.random.default_rng(resampling.seed)
    cells = np.array([float(each) for each in (counts.tp, counts.fp, counts.fn, counts.tn)])
    drawn = np.zeros((resampling.n_resamples, 4))
    for members in [[0, 2], [1, 3]] if fixed_classes else [[0, 1, 2, 3]]:
        total = cells[members].sum()
        if total > 0:
            drawn[:, members] = generator.multinomial(round(total), cells[members] / total, len(drawn))
    return np.asarray(metric(Counts.from_validated(tp=drawn[:, 0], fp=drawn[:, 1], fn=drawn[:, 2], tn=drawn[:, 3])))


def half_case(table: ScoreTable, *, weight: float = HALF, places: int | None = None) -> ScoreTable:
    """Return the table with half a positive spread over the negatives' scores, and half a negative over the positives'.

    With `places` it is spread over so many evenly spaced cases of the other class only, which keeps resampling fast.
    Of sampled cases, one weighs as much as its class's cases do, as far as the variance is concerned.

    >>> half_case(ScoreTable(np.array([2., 1.]), np.array([3., 1.]), np.array([1., 4.]))).positives
    array([3.1, 1.4])
    """
    positives, negatives = np.broadcast_arrays(table.positives, table.negatives)
    both = negatives, positives
    if places is None or positives.shape[-1] <= 2 * places or positives.ndim > 1:
        totals = [each.sum(axis=-1, keepdims=True) for each in both]  # of an empty class nothing is known
        added = [each / np.where(total > 0, total, 1.0) for each, total in zip(both, totals, strict=True)]
    else:
        added = [_spread_over(negatives, places), _spread_over(positives, places)]
    if not table.is_sampled:
        pairs = zip((positives, negatives), added, strict=True)  # in place: fresh memory is what takes time
        return ScoreTable.from_validated(
            table.score, *(np.add(own, np.multiply(weight, new, out=new), out=new) for own, new in pairs)
        )
    sides = zip(table.squared_weights, (positives, negatives), strict=True)
    units = [np.nan_to_num(ratio(own.sum(), cases.sum())) for own, cases in sides]  # of an empty class nothing is known
    more = [own + weight * unit * new for own, unit, new in zip((positives, negatives), units, added, strict=True)]
    squares = [
        squared_weight + weight * unit**2 * new
        for squared_weight, unit, new in zip(table.squared_weights, units, added, strict=True)
    ]
    return ScoreTable.from_validated(table.score, more[0], more[1], None, *squares)


def with_ends(table: ScoreTable, *, top_positives: float = 0.0, top_negatives: float = 0.0) -> ScoreTable:
    """Return the table with cases of that weight ranked above all others."""
    weights = [
        np.concatenate([np.full((*each.shape[:-1], 1), extra), each], axis=-1)
        for each, extra in ((table.positives, top_positives), (table.negatives, top_negatives))
    ]
    return ScoreTable.from_validated(np.concatenate([[np.inf], table.score]), *weights)


def banded(table: ScoreTable, bands: int = BANDS) -> ScoreTable:
    """Neighbouring scores joined into bands that hold about as many positives, and as many negatives, each.

    The top of the list is cut more finely, because precision there rests on few cases. A table that is small already
    stays as it is. Only the noise of a metric is taken from the result, never its value.

    >>> scores = np.linspace(1, 0, 100_000)
    >>> table = ScoreTable.from_validated(scores, np.ones(100_000), np.ones(100_000))
    >>> small = banded(table)
    >>> len(small) < 5_000, small.n_positives
    (True, 100000.0)
    """
    if len(table) <= 4 * bands:
        return table
    return remembered(table, ("bands", bands), lambda: in_bands(table, band_ends(table, bands)))


def in_fine_bands(table: ScoreTable) -> ScoreTable:
    """Return the table in which compiled metrics are resampled: as it is, or in fine bands."""
    return table if _is_in_full(table) else banded(table, FINE_BANDS)


def in_own_bands(table: ScoreTable, metric: Metric) -> ScoreTable:
    """Join the table into the bands a metric declares, unless it is small or they would leave most of its blocks."""
    assert metric.inference.bands is not None
    if len(table) <= BANDS:
        return table
    ends = metric.inference.bands(table)
    return in_bands(table, ends) if 2 * len(ends) <= len(table) else table


def band_ends(table: ScoreTable, bands: int = BANDS) -> Places:
    """Return the last block of each band; in a table that is small already, every block is a band of its own."""
    if len(table) <= 4 * bands:
        return np.arange(len(table))
    classes = (table.positives, table.n_positives), (table.negatives, table.n_negatives)
    return np.unique(
        np.concatenate([*(_equal_shares(*of_class, bands) for of_class in classes), _top_ranks(len(table))])
    )


def fine_ends(table: ScoreTable) -> Places:
    """Return the last block of each band in which compiled metrics are resampled."""
    return np.arange(len(table)) if _is_in_full(table) else band_ends(table, FINE_BANDS)


def _is_in_full(table: ScoreTable) -> bool:
    return bool(np.count_nonzero(table.positives) <= IN_FULL)


def usual_ends(metrics: Iterable[Metric], table: ScoreTable) -> Places:
    """Return the last block of each band for other metrics together, with the bands that they declare."""
    declared = [metric.inference.bands(table) for metric in metrics if metric.inference.bands is not None]
    ends = np.unique(np.concatenate([band_ends(table), *declared]))
    return ends if 2 * len(ends) <= len(table) else np.arange(len(table))


def in_bands(table: ScoreTable, ends: Places) -> ScoreTable:
    """Join the blocks of a table into bands, given the last block of each."""
    starts = np.concatenate([[0], ends[:-1] + 1])
    # NumPy adds in pairs, which loses least: resamples depend on the last bit of the weights.
    positives, negatives = (np.add.reduceat(weights, starts) for weights in (table.positives, table.negatives))
    scores = _kernels.band_sums(table.score, table.positives, table.negatives, starts)[2]
    squares = (
        [np.add.reduceat(squared_weight, starts) for squared_weight in table.squared_weights]
        if table.is_sampled
        else []
    )
    return ScoreTable.from_validated(
        _mean_scores(table, starts, scores, positives + negatives), positives, negatives, None, *squares
    )


def _equal_shares(weights: Array, total: float, bands: int) -> Places:
    """Return the last block of each of so many parts of equal weight."""
    ends = _kernels.places_reaching(weights, total * np.arange(1, bands + 1) / bands)
    return np.minimum(ends, len(weights) - 1)


def _top_ranks(blocks: int) -> Places:
    return np.unique(np.geomspace(1, blocks, 300).astype(np.int64)) - 1


def _mean_scores(table: ScoreTable, starts: Places, sums: Array, totals: Array) -> Array:
    """Return each band's mean score, so that metrics of probabilities keep their level; it stays within the band."""
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / totals
    ends = np.append(starts[1:] - 1, len(table) - 1)
    return np.clip(np.where(totals > 0, means, table.score[starts]), table.score[ends], table.score[starts])


def _spread_over(others: Array, places: int) -> Array:
    """Spread a weight of 1 over evenly spaced cases of a class."""
    at = _kernels.places_reaching(others, others.sum() * (np.arange(places) + 0.5) / places)
    blocks, times = np.unique(at[at < len(others)], return_counts=True)
    shares = np.zeros(len(others))
    shares[blocks] = times / places
    return shares

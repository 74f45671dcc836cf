"""Types of the compiled kernels. Arrays named `out` are written by the kernel; the files beside allocate them."""

from collections.abc import Sequence
from typing import Any, overload

import numpy.typing as npt

from unconfuse._kernels._score_tables import Counts32, Flags, Floats, Integers, Words

def collapse_cases(
    score: Floats, is_positive: Flags, n_threads: int, out_score: Words, out_counts: Words, /
) -> int | None: ...
def collapse_weighted(
    score: Floats,
    is_positive: Flags,
    weights: Floats | None,
    room: Words,
    out_score: Floats,
    out_positives: Floats,
    out_negatives: Floats,
    /,
) -> int: ...
def merge_tables(
    score_a: Floats,
    positives_a: Floats,
    negatives_a: Floats,
    score_b: Floats,
    positives_b: Floats,
    negatives_b: Floats,
    out_score: Floats,
    out_positives: Floats,
    out_negatives: Floats,
    /,
) -> int: ...
def evaluate_ranks(positives: Floats, negatives: Floats, wanted: int, n_threads: int, out: Floats, /) -> None: ...
def untied_areas(positives: Counts32, gaps: Counts32, portable: bool, /) -> tuple[float, float, float]: ...
def auroc_of_counts(counts: Counts32, /) -> float: ...
@overload
def placement_moments(
    positives: Floats, negatives: Floats, added_positives: float, added_negatives: float, /
) -> tuple[float, float, float, float, float, float]: ...
@overload
def placement_moments(
    counts: Counts32, added_positives: float, added_negatives: float, /
) -> tuple[float, float, float, float, float, float]: ...
def partial_areas(positives: Floats, negatives: Floats, max_fpr: float, n_threads: int, out: Floats, /) -> None: ...
def mean_precision(positives: Floats, negatives: Floats, nodes: Floats, weights: Floats, /) -> float: ...
def last_at_level(positives: Floats, negatives: Floats, level: float, exclude_self: bool, /) -> int: ...
def reach_of_level(
    positives: Floats, negatives: Floats, level: float, reach: float, cohort: bool, exclude_self: bool, /
) -> tuple[int, int, int, bool]: ...
def hull_segments(
    positives: Floats, negatives: Floats, n_threads: int, /
) -> tuple[Integers, Floats, Floats, Integers]: ...
def beta_tails(
    a: Floats, b: Floats, log_beta: Floats, x: Floats, n_threads: int, out_below: Floats, out_above: Floats, /
) -> None: ...
def loss_moments(
    score: Floats, positives: Floats, negatives: Floats, logarithmic: bool, floor: float, n_threads: int, /
) -> tuple[
    tuple[float, float, float], tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]
]: ...
def recalibrate(
    score: Floats, positives: Floats, negatives: Floats, with_slope: Flags, n_threads: int, out: Floats, /
) -> None: ...
def node_weights(score: Floats, weight: Floats, out: Floats, /) -> None: ...
def places_reaching(weights: Floats, marks: Floats, out: Integers, /) -> None: ...
def band_sums(
    score: Floats, positives: Floats, negatives: Floats, start: Integers, n_threads: int, out: Floats, /
) -> None: ...
@overload
def totals(positives: Floats, negatives: Floats, /) -> tuple[float, float, bool]: ...
@overload
def totals(counts: Counts32, /) -> tuple[float, float, bool]: ...
def roc_points(
    score: Floats,
    positives: Floats,
    negatives: Floats,
    n_positives: float,
    n_negatives: float,
    n_threads: int,
    threshold: Floats,
    fpr: Floats,
    tpr: Floats,
    /,
) -> None: ...
def precision_recall_points(
    positives: Floats,
    negatives: Floats,
    n_positives: float,
    n_negatives: float,
    n_threads: int,
    recall: Floats,
    precision: Floats,
    queue_rate: Floats,
    /,
) -> None: ...
def bootstrap_ranks(
    positives: Floats, negatives: Floats, design: int, seed: int, first: int, n_threads: int, bits: int, out: Floats, /
) -> None: ...
def bootstrap_tables(
    positives: Floats,
    negatives: Floats,
    design: int,
    seed: int,
    first: int,
    n_threads: int,
    out_positives: Floats,
    out_negatives: Floats,
    /,
) -> None: ...
def order_rows(score: Floats, out_order: Integers, out_block_end: Integers, /) -> int: ...
def bootstrap_units(
    weights: Floats, strata: Integers | None, seed: int, first: int, n_threads: int, out: Counts32, /
) -> None: ...
def sums_of_units(
    start: Integers, unit: Integers, held: Floats, times: Floats, n_threads: int, out: Floats, /
) -> None: ...
def paired_bootstrap_ranks(
    orders: Sequence[Integers],
    block_ends: Sequence[Integers],
    is_positive: Flags,
    weights: Floats,
    strata: Integers | None,
    unit_of_row: Integers | None,
    row_weights: Floats | None,
    seed: int,
    first: int,
    n_threads: int,
    wanted: int,
    out: Floats,
    /,
) -> None: ...
def roc_samples(
    roc: Floats, n_positives: int, n_negatives: int, seed: int, first: int, n_threads: int, wanted: int, out: Floats, /
) -> None: ...
def class_ranks(
    scores: npt.NDArray[Any],
    level: npt.NDArray[Any],
    start: Integers,
    truth: Integers,
    weight: Floats,
    balanced: Floats,
    credit: Floats,
    coefficient: Floats,
    out_weight_in_slot: Floats,
    out_balanced_in_slot: Floats,
    out_sums: Floats,
    n_threads: int,
    /,
) -> None: ...

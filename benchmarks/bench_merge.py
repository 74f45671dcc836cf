"""How big can it get: rows generated and merged piece by piece, then evaluated.

    python benchmarks/bench_merge.py --rows 1e9                       rounded scores: an exact table
    python benchmarks/bench_merge.py --rows 1e9 --continuous          all scores distinct: a binned table with bounds
    python benchmarks/bench_merge.py --tables 1000 --piece 1e4        many small tables, as from many places

Rounded scores are probabilities with 6 decimals, at most 1,000,001 of them. Making the random rows is timed apart.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
import numpy.typing as npt

import unconfuse as uc
from unconfuse.ingest.sources.score_tables import merge_all
from unconfuse.table import ScoreTable

Rows = tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]
SHOWN = ("auroc", "average_precision", "precision_at_indistinguishability", "brier", "log_loss", "calibration_slope")


def piece(seed: int, n: int, *, continuous: bool) -> Rows:
    """Labels, 1 in 10 positive, and probabilities."""
    rng = np.random.default_rng(seed)
    label = rng.random(n, dtype=np.float32) < 0.1
    score = rng.standard_normal(n) if continuous else rng.standard_normal(n, dtype=np.float32).astype(np.float64)
    score += 1.5 * label - 2.5
    np.negative(score, out=score)
    np.exp(score, out=score)
    score += 1
    np.reciprocal(score, out=score)
    return label, score if continuous else np.round(score, 6, out=score)


def build(rows: int, size: int, *, continuous: bool, bins: int) -> tuple[ScoreTable, float, float]:
    """The table, the seconds spent on it, and the seconds spent on making rows."""
    builder, spent, making = uc.TableBuilder(bins=bins if continuous else None), 0.0, 0.0
    for seed in range(-(-rows // size)):
        start = time.perf_counter()
        label, score = piece(seed, min(size, rows - seed * size), continuous=continuous)
        made = time.perf_counter()
        builder.add(ScoreTable.from_rows(label, score))
        spent, making = spent + time.perf_counter() - made, making + made - start
    start = time.perf_counter()
    table = builder.table
    return table, spent + time.perf_counter() - start, making


def many_tables(count: int, size: int) -> None:
    """So many tables of so many rows each, all scores distinct and rounded."""
    for continuous in (False, True):
        tables = [ScoreTable.from_rows(*piece(seed, size, continuous=continuous)) for seed in range(count)]
        start = time.perf_counter()
        merged = merge_all(tables)
        took = time.perf_counter() - start
        print(f"{count:,} tables of {size:,} rows, {len(merged):,} distinct scores: merged in {took:.2f} s")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=float, default=1e8)
    options.add_argument("--piece", type=float, default=1e7)
    options.add_argument("--continuous", action="store_true")
    options.add_argument("--bins", type=int, default=65_536)
    options.add_argument("--tables", type=int, default=0)
    given = options.parse_args()
    if given.tables:
        many_tables(given.tables, int(given.piece))
        return

    table, spent, making = build(int(given.rows), int(given.piece), continuous=given.continuous, bins=given.bins)
    start = time.perf_counter()
    result = uc.evaluate(table)
    judged = time.perf_counter() - start
    print(table)
    for name in SHOWN:
        print("  ", result[name])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{given.rows:.3g} rows: collapsed and merged in {spent:.1f} s, evaluated (all metrics, with intervals) in "
        f"{judged:.1f} s; making the rows took {making:.1f} s; peak memory {peak:.2f} GB"
    )


if __name__ == "__main__":
    main()

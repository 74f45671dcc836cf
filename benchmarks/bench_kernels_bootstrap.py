"""10,000 bootstrap replicates of rank metrics, against a scikit-learn loop (timed on a few replicates, scaled up).

Run: python benchmarks/bench_kernels_bootstrap.py [cv_scores.parquet]. Without a file, made-up scores of the same size.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from _timing import best_of
from sklearn.metrics import average_precision_score, roc_auc_score

from unconfuse._kernels import (
    RANK_METRICS,
    bootstrap_ranks,
    bootstrap_tables,
    collapse,
    order_rows,
    paired_bootstrap_ranks,
    placement_moments,
    rank_metrics,
)

REPLICATES = 10_000


def data(path: str | None) -> tuple[np.ndarray, np.ndarray]:
    if path:
        import pandas as pd

        frame = pd.read_parquet(path)
        return frame["ylogit"].to_numpy(), frame["DV"].to_numpy() == 1
    rng = np.random.default_rng(1)
    is_positive = np.arange(69_973) < 6_277
    return rng.normal(size=69_973) + 0.53 * is_positive, is_positive


def sklearn_loop(score: np.ndarray, is_positive: np.ndarray, replicates: int) -> float:
    rng = np.random.default_rng(0)
    classes = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    start = time.perf_counter()
    for _ in range(replicates):
        rows = np.concatenate([rng.choice(members, len(members)) for members in classes])
        roc_auc_score(is_positive[rows], score[rows])
        average_precision_score(is_positive[rows], score[rows])
    return (time.perf_counter() - start) / replicates * REPLICATES


def main(path: str | None) -> None:
    score, is_positive = data(path)
    _, positives, negatives = collapse(score, is_positive)
    loop = sklearn_loop(score, is_positive, 20)
    print(f"{len(score):,} rows, {int(is_positive.sum()):,} positives; scikit-learn loop {loop:.0f} s (AUROC, AP only)")

    def line(name: str, call: Callable[[], object], repeats: int = 3, replicates: int = REPLICATES) -> None:
        seconds = best_of(call, repeats)
        print(f"{name:66}{seconds:8.3f} s{loop * replicates / REPLICATES / seconds:9.0f}x")

    def ranks(**options: object) -> Callable[[], object]:
        return lambda: bootstrap_ranks(positives, negatives, seed=1, count=REPLICATES, **options)

    areas = RANK_METRICS[:3]
    line("AUROC + AP + DG, case-control, 1 thread", ranks(design="case-control", n_threads=1))
    line("AUROC + AP + DG, case-control, 2 threads", ranks(design="case-control", n_threads=2))
    line("AUROC + AP + DG, cohort, 2 threads", ranks(design="cohort", n_threads=2))
    crossing = (*areas, "precision_at_indistinguishability")
    line("... + precision at indistinguishability", ranks(design="cohort", metrics=crossing, n_threads=2))
    line("all rank metrics, cohort", ranks(design="cohort", metrics=RANK_METRICS, n_threads=2))
    rounded = collapse(np.round(score, 2), is_positive)
    line(
        "scores rounded to .01, AUROC + AP + DG, cohort",
        lambda: bootstrap_ranks(*rounded[1:], seed=1, count=REPLICATES, n_threads=2),
    )
    flipped = collapse(-score, ~is_positive)
    line(
        "classes exchanged (negatives are rare)",
        lambda: bootstrap_ranks(*flipped[1:], seed=1, count=REPLICATES, n_threads=2),
        1,
    )
    line(
        "full tables, 1,000 replicates in slices of 100",
        lambda: [bootstrap_tables(positives, negatives, seed=1, first=i, count=100) for i in range(0, 1000, 100)],
        1,
        1000,
    )
    orders = [order_rows(score), order_rows(-score)]
    line(
        "two models paired (loop: one), AUROC + AP + DG, 1,000 replicates",
        lambda: paired_bootstrap_ranks(orders, is_positive, seed=1, count=1000),
        1,
        1000,
    )
    print(
        f"order_rows {best_of(lambda: order_rows(score)) * 1e3:.1f} ms; "
        f"rank_metrics of the table {best_of(lambda: rank_metrics(positives, negatives)) * 1e3:.2f} ms; "
        f"placement_moments {best_of(lambda: placement_moments(positives, negatives)) * 1e3:.2f} ms"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)

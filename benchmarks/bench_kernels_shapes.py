"""No kernel may degrade on awkward scores: constant, two-valued, heavy-tailed, sorted, reversed, one positive.

Prints milliseconds of CPU for each kernel and shape. Run: python benchmarks/bench_kernels_shapes.py [n].
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from bench_kernels_collapse import shapes

from unconfuse._kernels import (
    RANK_METRICS,
    bootstrap_ranks,
    collapse,
    hull_segments,
    order_rows,
    paired_bootstrap_ranks,
    placement_moments,
    rank_metrics,
)


def cpu_ms(call: Callable[[], object], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def main(n: int) -> None:
    columns = "np.sort", "collapse", "metrics", "DeLong", "hull", "order", "boot x10", "paired x10"
    print(f"n = {n:,}; ms of CPU, one thread\n{'':24}" + "".join(f"{name:>11}" for name in columns))
    for name, (score, is_positive) in shapes(n, np.random.default_rng(1)).items():
        _, positives, negatives = collapse(score, is_positive)
        orders = [order_rows(score)]
        calls: list[Callable[[], object]] = [
            lambda s=score: np.sort(s),
            lambda s=score, y=is_positive: collapse(s, y),
            lambda p=positives, q=negatives: rank_metrics(p, q),
            lambda p=positives, q=negatives: placement_moments(p, q),
            lambda p=positives, q=negatives: hull_segments(p, q),
            lambda s=score: order_rows(s),
            lambda p=positives, q=negatives: bootstrap_ranks(p, q, seed=1, count=10, metrics=RANK_METRICS, n_threads=1),
            lambda o=orders, y=is_positive: paired_bootstrap_ranks(o, y, seed=1, count=10, n_threads=1),
        ]
        print(f"{name:24}" + "".join(f"{cpu_ms(call, 2):11.1f}" for call in calls), flush=True)


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)

"""B(r), r_b and C(r_b): cost beside that of the score table, and of the bootstrap.

    python benchmarks/bench_indistinguish.py

Asked: the whole B curve with r_b for 1e6 rows costs at most 1.5 times the score table; 10,000 replicates of C(r_b) at
n = 69,973 take less than 2 s on 2 cores.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from unconfuse.indistinguish import find_crossing
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.table import ScoreTable
from unconfuse.uncertainty.bootstrap import bootstrap

ROUNDS = 9


def best(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Smallest time in seconds: what the work takes when nothing else disturbs it."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def curve_and_crossing(table: ScoreTable) -> object:
    b = b_values(table)
    return b, find_crossing(table, b=b)


def main() -> None:
    rng = np.random.default_rng(0)
    for n, digits in ((1_000_000, None), (1_000_000, 3)):
        y = rng.random(n) < 0.1
        s = rng.normal(size=n) + y
        s = s if digits is None else np.round(s, digits)
        table = ScoreTable.from_rows(y, s)
        made = best(lambda y=y, s=s: ScoreTable.from_rows(y, s))
        found = best(lambda table=table: curve_and_crossing(table))
        kind = "continuous" if digits is None else "rounded"
        print(
            f"{n:,} {kind} rows: table {1e3 * made:.1f} ms, B curve and r_b {1e3 * found:.1f} ms, "
            f"ratio {found / made:.2f}"
        )
    y = np.arange(69_973) < 6277
    table = ScoreTable.from_rows(y, rng.normal(size=69_973) + 0.53 * y)
    seconds = best(lambda: bootstrap(table, ["precision_at_indistinguishability"], n_resamples=10_000), rounds=3)
    print(f"10,000 replicates of C(r_b), n = 69,973: {seconds:.2f} s")


if __name__ == "__main__":
    main()

"""What a small evaluation costs: 400 rows, one ranking metric and all metrics.

    python benchmarks/bench_small.py

Asked: one ranking metric at most 1 ms, best of many; all metrics at most 40 ms of CPU; nothing unasked for is paid for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import unconfuse as uc

ROWS, MOST = 400, {"one metric (auroc), ms": 1.0, "all metrics, ms of CPU": 40.0}


def best(call: Callable[[], object], clock: Callable[[], float], times: int) -> float:
    """The quickest of so many calls, in milliseconds."""
    call()
    took = []
    for _ in range(times):
        start = clock()
        call()
        took.append(clock() - start)
    return 1e3 * min(took)


def main() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(ROWS) < 0.3
    s = 1 / (1 + np.exp(-(y + rng.normal(size=ROWS))))
    found = (
        best(lambda: uc.evaluate(y, s, metrics=["auroc"]), time.perf_counter, 500),
        best(lambda: uc.evaluate(y, s), time.process_time, 20),
    )
    for (name, most), took in zip(MOST.items(), found, strict=True):
        print(f"{name}: {took:.2f} (at most {most:g})")
    sys.exit(any(took > most for took, most in zip(found, MOST.values(), strict=True)))


if __name__ == "__main__":
    main()

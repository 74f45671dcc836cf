"""One-versus-rest ranks of many classes against scikit-learn's loop, in one run.

scikit-learn is timed on a sample of the classes and scaled up to all of them; the printed line says on how many.

    python benchmarks/bench_multiclass.py [--rows 100000] [--classes 1000] [--sample 5] [--float64] [--fortran]
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from unconfuse.ingest import Data, read
from unconfuse.metrics import METRICS
from unconfuse.metrics.multiclass_scores import auroc_hand_till, auroc_ovr_macro
from unconfuse.results.per_class import class_table
from unconfuse.table import Settings

NAMES = ("auroc", "average_precision", "auprc_davis_goadrich")


def made(n: int, k: int, dtype: Any) -> tuple[Any, Any]:
    """Labels and softmax scores, row block by row block, so that the input is all there is in memory."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    scores = np.empty((n, k), dtype=dtype)
    step = max(1, (1 << 22) // k)
    for first in range(0, n, step):
        piece = rng.standard_normal((min(step, n - first), k), dtype=np.float32)
        piece[np.arange(len(piece)), y[first : first + step]] += 2
        np.exp(piece, out=piece)
        scores[first : first + step] = piece / piece.sum(axis=1, keepdims=True)
    return y, scores


def resident() -> float:
    """Memory of this process now, in bytes."""
    return float(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--sample", type=int, default=5, help="classes that scikit-learn is timed on")
    parser.add_argument("--float64", action="store_true")
    parser.add_argument("--fortran", action="store_true", help="column by column in memory")
    options = parser.parse_args()
    y, scores = made(options.rows, options.classes, np.float64 if options.float64 else np.float32)
    scores = np.asfortranarray(scores) if options.fortran else scores
    before = resident()

    start = time.perf_counter()
    rows = read(Data(y, scores, classes=range(options.classes)))
    checked = time.perf_counter() - start
    found = class_table(rows, [METRICS[name] for name in NAMES], Settings()).values
    ranked = time.perf_counter() - start
    summaries = auroc_ovr_macro(rows), auroc_hand_till(rows)
    ours = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0

    start = time.perf_counter()
    for k in range(options.sample):
        theirs = roc_auc_score(y == k, scores[:, k])
        assert abs(theirs - found["auroc"][k]) < 1e-12
    loop = (time.perf_counter() - start) / options.sample * options.classes
    size = scores.nbytes
    print(f"n = {options.rows:,}, K = {options.classes:,}, {scores.dtype}, input {size / 1e9:.2f} GB")
    print(
        f"unconfuse: {ours:.2f} s (checks and decisions {checked:.2f}, {', '.join(NAMES)} of each class with "
        f"intervals {ranked - checked:.2f}, macro AUROC {summaries[0]:.4f} and Hand-Till {summaries[1]:.4f} with "
        f"influences {ours - ranked:.2f})"
    )
    print(f"scikit-learn roc_auc_score alone: {loop:.1f} s (timed on {options.sample} classes, scaled to all)")
    print(f"ratio {loop / ranked:.1f} (with summaries {loop / ours:.1f})")
    print(
        f"peak memory {peak / 1e9:.2f} GB = {peak / size:.2f} x input; on top of input and libraries "
        f"{(peak - before) / 1e9:.2f} GB"
    )


if __name__ == "__main__":
    main()

"""Speed of resolving power: one sample against scikit-learn, figure 4, and the readmission scores.

python benchmarks/bench_resolving.py            one sample, both classes of prevalence
python benchmarks/bench_resolving.py figure4    28 cells x 10,000 samples x 3 repeats at N = 10,000
"""

from __future__ import annotations

import sys
import time

import numpy as np

from unconfuse import Binormal, Empirical, _kernels, resolving_power

AREA = "auprc_davis_goadrich"


def one_sample() -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    random, shift = np.random.default_rng(0), Binormal().shift_for(0.75)
    table = _kernels.roc_table(Binormal().population_at(0.75).fpr_at)
    for prevalence in (0.01, 0.1, 0.5):
        positives = round(prevalence * 10_000)
        y = np.arange(10_000) < positives

        def theirs(y: np.ndarray = y) -> None:
            score = random.standard_normal(10_000) + shift * y
            roc_auc_score(y, score)
            average_precision_score(y, score)

        def ours(positives: int = positives) -> None:
            _kernels.roc_samples(table, positives, 10_000 - positives, seed=1, count=200, n_threads=1)

        slow, fast = _cpu(theirs, 5), _cpu(ours, 5) / 200
        ratio = f"{slow / fast:5.0f}x"
        print(f"prevalence {prevalence:4}: scikit-learn {slow * 1e3:6.2f} ms, ours {fast * 1e6:6.1f} us, {ratio}")


def _cpu(work: object, repeats: int) -> float:
    """Smallest CPU time, so that a busy machine does not matter much."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()  # type: ignore[operator]
        times.append(time.process_time() - start)
    return min(times)


def figure_4() -> None:
    start, cpu = time.perf_counter(), time.process_time()
    for prevalence in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5):
        for seed in range(3):
            resolving_power(Binormal(), ["auroc", AREA], n=10_000, prevalence=prevalence, rng=seed)
    print(f"figure 4: {time.perf_counter() - start:.1f} s, {time.process_time() - cpu:.1f} s of CPU")


def own_scores(n: int = 70_000) -> None:
    random = np.random.default_rng(0)
    y = random.random(n) < 0.09
    model = Empirical(y, random.normal(size=n) + 0.53 * y)
    for method in ("asymptotic", "full"):
        start, cpu = time.perf_counter(), time.process_time()
        resolving_power(model, method=method)
        wall = time.perf_counter() - start
        print(f"six metrics on {n:,} rows, {method}: {wall:.1f} s, {time.process_time() - cpu:.1f} s of CPU")


if __name__ == "__main__":
    one_sample()
    if "figure4" in sys.argv:
        figure_4()
    own_scores()

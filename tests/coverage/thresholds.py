"""How honest the measured performance of a chosen threshold is, by simulation. `make coverage`.

    python tests/coverage/thresholds.py [--quick] --output docs/coverage-thresholds.md

Required: the cross-fitted Youden J at n = 50 and 200 differs from the true J at the chosen threshold by no more than
three Monte-Carlo standard errors. Intervals of r_b and C(r_b) have a simulation of their own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from unconfuse.metrics import METRICS
from unconfuse.table import ScoreTable
from unconfuse.thresholds.candidates import Candidates
from unconfuse.thresholds.cases import Cases
from unconfuse.thresholds.honest import Settings, cross_fitted, replicated
from unconfuse.thresholds.rules import youden


def honesty(n: int, *, samples: int) -> dict[str, tuple[float, float]]:
    """Mean Youden J and its bias with Monte-Carlo error: on the same data, cross-fitted, optimism-corrected."""
    shift, rule, metric = float(np.sqrt(2) * ndtri(0.75)), youden(), METRICS["youden_j"]
    rng, values = np.random.default_rng(n), []
    for seed in range(samples):
        y = np.arange(n) < n // 2
        table = ScoreTable.of_rows(y, rng.normal(size=n) + shift * y)
        candidates = Candidates(table)
        index = rule.choose(candidates)
        at = float(candidates.thresholds(index))
        apparent = float(metric(candidates.counts_at(index)))
        folds = min(20, n // 2)
        crossed = float(metric(cross_fitted(Cases(table), [rule], Settings(folds=folds, repeats=1, rng=seed))[0]))
        row = [ndtr(shift - at) - ndtr(-at), apparent, crossed]
        if seed < samples // 5:
            seen = replicated(Cases(table), [rule], [(metric,)], Settings(honest="optimism", n_resamples=100, rng=seed))
            row.append(apparent - seen[0].optimism["youden_j"])
        else:
            row.append(np.nan)
        values.append(row)
    found = np.array(values)
    result = {"true J at the chosen threshold": (float(found[:, 0].mean()), float(found[:, 0].std() / samples**0.5))}
    for column, name in enumerate(("same data", "cross-fitted", "optimism-corrected"), start=1):
        gaps = (found[:, column] - found[:, 0])[~np.isnan(found[:, column])]
        result[name] = (float(gaps.mean()), float(gaps.std() / len(gaps) ** 0.5))
    return result


def page(biases: dict[int, dict[str, tuple[float, float]]]) -> str:
    lines = [
        "# Thresholds: honesty, by simulation",
        "",
        "Made by `tests/coverage/thresholds.py`. Intervals of r_b and C(r_b): "
        "[coverage](coverage-indistinguishability.md).",
        "",
        "## Youden J of a threshold chosen on the data (binormal, AUROC .75, half positive)",
        "",
        "Bias against the true J at the chosen threshold, with its Monte-Carlo error.",
        "",
        "| n | true J | same data | cross-fitted | optimism-corrected |",
        "|---|---|---|---|---|",
    ]
    for n, found in biases.items():
        true, *others = found.values()
        lines.append(f"| {n} | {true[0]:.3f} | " + " | ".join(f"{b:+.4f} ± {e:.4f}" for b, e in others) + " |")
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer samples, for a few minutes")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()

    sizes = (50, 200)
    with multiprocessing.Pool(options.jobs) as pool:
        found = pool.map(partial(honesty, samples=2000 if options.quick else 10_000), sizes, chunksize=1)
    biases = dict(zip(sizes, found, strict=True))
    options.output.write_text(page(biases), encoding="utf-8")

    missed = [
        f"cross-fitted J at n = {n}"
        for n, each in biases.items()
        if abs(each["cross-fitted"][0]) > 3 * each["cross-fitted"][1]
    ]
    print(f"missed: {'; '.join(missed) or 'nothing'}; table in {options.output}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

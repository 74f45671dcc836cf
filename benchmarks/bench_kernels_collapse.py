"""Rows -> score table, against np.sort of the same scores. Run: python benchmarks/bench_kernels_collapse.py [n]."""

from __future__ import annotations

import sys

import numpy as np
from _timing import best_of

from unconfuse._kernels import collapse, merge_tables


def shapes(n: int, rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Scores and labels that have broken ranking code before."""
    normal, half, tenth = rng.normal(size=n), rng.random(n) < 0.5, rng.random(n) < 0.1
    one = np.zeros(n, dtype=bool)
    one[n // 3] = True
    return {
        "normal, prevalence .5": (normal, half),
        "normal, prevalence .1": (normal, tenth),
        "one positive": (normal, one),
        "constant": (np.full(n, 0.5), half),
        "0/1": ((normal > 0).astype(float), half),
        "rounded to .01": (np.round(rng.random(n), 2), half),
        "lognormal": (np.exp(3 * normal), tenth),
        "Cauchy": (rng.standard_cauchy(n), tenth),
        "sorted": (np.sort(normal), half),
        "reversed": (np.sort(normal)[::-1].copy(), half),
    }


def main(n: int) -> None:
    rng = np.random.default_rng(1)
    weights = rng.exponential(size=n)
    continuous = rng.normal(size=n)
    sort_of_continuous = best_of(lambda: np.sort(continuous))
    print(f"n = {n:,}; np.sort of normal scores {sort_of_continuous * 1e3:.0f} ms")
    print(f"{'scores':24}{'np.sort ms':>11}{'collapse ms':>12}{'x sort':>8}{'x normal sort':>14}{'weighted ms':>13}")
    for name, (score, is_positive) in shapes(n, rng).items():
        sort = best_of(lambda score=score: np.sort(score))
        plain = best_of(lambda score=score, is_positive=is_positive: collapse(score, is_positive))
        weighted = best_of(lambda score=score, is_positive=is_positive: collapse(score, is_positive, weights), 2)
        print(
            f"{name:24}{sort * 1e3:11.0f}{plain * 1e3:12.0f}{plain / sort:8.2f}"
            f"{plain / sort_of_continuous:14.2f}{weighted * 1e3:13.0f}"
        )
    table = collapse(*shapes(n, rng)["normal, prevalence .5"])
    print(f"merge_tables of two tables of {n:,} blocks: {best_of(lambda: merge_tables(*table, *table)) * 1e3:.0f} ms")


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000)

"""What thresholds promise, by simulation: intervals of C(r_b) and r_b, and honest Youden J. `make coverage`.

    python tests/coverage/thresholds.py [--quick] --output docs/coverage-thresholds.md

Samples come from binormal populations whose C(r_b) and r_b are known in closed form. Required: intervals of C(r_b) hold
the truth in 93 to 97% of the samples for n from 300 to 10,000 and prevalences from .1 to .5 (Monte-Carlo error of two
standard errors allowed), and the cross-fitted Youden J at n = 50 and 200 differs from the true J at the chosen
threshold by no more than three Monte-Carlo standard errors.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from unconfuse.indistinguish import NormalMixtures, find_crossing
from unconfuse.indistinguish import intervals as ways
from unconfuse.metrics import METRICS
from unconfuse.table import Design, ScoreTable
from unconfuse.thresholds.candidates import Candidates
from unconfuse.thresholds.cases import Cases
from unconfuse.thresholds.honest import Settings, cross_fitted, replicated
from unconfuse.thresholds.rules import youden

LOW, HIGH, LEVEL = 0.93, 0.97, 0.95
WAYS = ("C(r_b), bootstrap", "C(r_b), influence", "r_b, inversion")


@dataclass(frozen=True)
class Cell:
    n: int
    prevalence: float
    auroc: float

    @property
    def shift(self) -> float:
        return float(np.sqrt(2) * ndtri(self.auroc))

    def draw(self, rng: np.random.Generator) -> ScoreTable:
        y = rng.random(self.n) < self.prevalence
        return ScoreTable.of_rows(y, rng.normal(size=self.n) + self.shift * y)


def grid(quick: bool) -> list[Cell]:
    sizes = (300, 1000, 10_000) if quick else (300, 1000, 3000, 10_000)
    return [Cell(*each) for each in itertools.product(sizes, (0.1, 0.2, 0.5), (0.65, 0.75, 0.85, 0.95))]


def simulate(cell: Cell, *, samples: int, n_resamples: int) -> list[float]:
    """Share of the intervals that held the truth, for each way, among samples in which r_b exists."""
    truth = NormalMixtures.binormal(mean=cell.shift, prevalence=cell.prevalence).crossing()
    rng = np.random.default_rng([cell.n, round(100 * cell.prevalence), round(100 * cell.auroc)])
    held = []
    for seed in range(samples):
        table = cell.draw(rng)
        if not find_crossing(table).exists:
            continue
        how = Design("cohort", LEVEL, n_resamples, seed)
        found = [
            ways.precision_limits(table, 0.5, None, how)[:2],
            ways.precision_by_influence(table, 0.5, how),
            ways.threshold_by_inversion(table, 0.5, how),
        ]
        targets = (truth.precision, truth.precision, truth.threshold)
        held.append([low <= target <= high for (low, high), target in zip(found, targets, strict=True)])
    return [*np.mean(held, axis=0).tolist(), len(held)]


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
            seen = replicated(Cases(table), [rule], [(metric,)], Settings(n_resamples=100, rng=seed))
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


def page(cells: list[Cell], shares: list[list[float]], biases: dict[int, dict[str, tuple[float, float]]]) -> str:
    lines = [
        "# Thresholds: coverage and honesty, by simulation",
        "",
        f"Made by `tests/coverage/thresholds.py`; binormal "
        f"scores, cohort design, {LEVEL:.0%} intervals, up to {max(row[-1] for row in shares):,} samples per cell.",
        "",
        "| n | prevalence | AUROC | " + " | ".join(WAYS) + " |",
        "|---|---|---|" + "---|" * len(WAYS),
    ]
    for cell, row in zip(cells, shares, strict=True):
        lines.append(
            f"| {cell.n:,} | {cell.prevalence:g} | {cell.auroc:g} | "
            + " | ".join(f"{each:.1%}" for each in row[:-1])
            + " |"
        )
    means = np.mean([row[:-1] for row in shares], axis=0)
    lines.append("| mean | | | " + " | ".join(f"{each:.1%}" for each in means) + " |")
    lines += [
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


def covers(share: float, samples: float) -> bool:
    error = 2 * np.sqrt(share * (1 - share) / samples)
    return bool(LOW - error <= share <= HIGH + error)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer samples, for a few minutes")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()

    cells = grid(options.quick)
    work = partial(simulate, samples=300 if options.quick else 2000, n_resamples=400 if options.quick else 1000)
    with multiprocessing.Pool(options.jobs) as pool:
        shares = pool.map(work, cells, chunksize=1)
        sizes = (50, 200)
        found = pool.map(partial(honesty, samples=2000 if options.quick else 10_000), sizes, chunksize=1)
    biases = dict(zip(sizes, found, strict=True))
    options.output.write_text(page(cells, shares, biases), encoding="utf-8")

    missed = [
        f"{cell} {way}"
        for cell, row in zip(cells, shares, strict=True)
        for way, share in zip(WAYS[:2], row, strict=False)
        if not covers(share, row[-1])
    ]
    missed += [
        f"cross-fitted J at n = {n}"
        for n, each in biases.items()
        if abs(each["cross-fitted"][0]) > 3 * each["cross-fitted"][1]
    ]
    print(f"missed: {'; '.join(missed) or 'nothing'}; table in {options.output}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Whether intervals of large samples, resampled from bands of scores, hold the truth as often as from all scores.

    python tests/coverage/bands.py [--samples 200] [--jobs 2] [--output docs/coverage-bands.md]

Metrics without a formula are resampled. From 2,000 distinct scores of positives on, neighbouring scores are first
joined into bands of a thousandth of a class each. Cohorts of 10,000 to 100,000 cases are drawn from scores that are
normal, with wider and with narrower positives, beta and gamma distributed; the same samples are resampled from bands
and in full, 300 times each. Required of the intervals from bands: the truth in at least 93%, as far as the number of
samples can tell. The exit code is 1 if a cell fails.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from areas import Family, families

from unconfuse.metrics import METRICS
from unconfuse.table import Design, ScoreTable
from unconfuse.uncertainty import engine
from unconfuse.uncertainty.bootstrap import split
from unconfuse.uncertainty.methods import has_formula

SIZES = ((10_000, 0.5), (30_000, 0.1), (100_000, 0.05))
WANTED = split(each for each in METRICS.values() if each.of == "ranks" and not has_formula(each))[0]
POPULATIONS = ("normal 0.6", "normal 0.8", "normal 0.95", "wide positives 0.7", "narrow positives 0.9", "beta", "gamma")
LEAST, RESAMPLES = 0.93, 300
Cell = tuple[str, int, float]


def table_of(family: Family, n: int, prevalence: float, rng: np.random.Generator) -> ScoreTable:
    positives = rng.binomial(n, prevalence)
    drawn = family.positive.rvs(positives, rng), family.negative.rvs(n - positives, rng)
    return ScoreTable.of_rows(np.arange(n) < positives, np.concatenate(drawn))


def intervals(table: ScoreTable, seed: int, in_full: int) -> np.ndarray:
    with mock.patch.object(engine, "IN_FULL", in_full):
        found = engine.estimate_scores(WANTED, table, Design(n_resamples=RESAMPLES, seed=seed))
    return np.array([(found[each.name].low, found[each.name].high) for each in WANTED])


def simulate(cell: Cell, *, samples: int) -> np.ndarray:
    """For each metric: coverage from bands and in full, the ratio of their widths, and how far the ends lie apart."""
    name, n, prevalence = cell
    family = next(each for each in families() if each.name == name)
    rng, population = np.random.default_rng(zlib.crc32(str(cell).encode())), family.population(prevalence)
    truth, found = np.array([float(each(population)) for each in WANTED]), []
    for seed in range(samples):
        table = table_of(family, n, prevalence, rng)
        found.append([intervals(table, seed, limit) for limit in (engine.IN_FULL, sys.maxsize)])
    ends = np.array(found)
    held = ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean(axis=0)
    width = (ends[..., 1] - ends[..., 0]).mean(axis=0)
    return np.column_stack([held.T, width[0] / width[1]])


def fails(share: float, samples: int) -> bool:
    return share + 2 * float(np.sqrt(LEAST * (1 - LEAST) / samples)) < LEAST


def page(cells: list[Cell], found: np.ndarray, samples: int) -> str:
    lines = ["# Coverage of large samples, resampled from bands", "", (__doc__ or "").strip().split("\n\n")[-1], ""]
    known = f"a share is known up to about {2 * (0.05 * 0.95 / samples) ** 0.5:.1%}"
    lines += [f"{len(cells)} cells of {samples} samples ({known}).", ""]
    lines += ["| metric | from bands: mean | lowest | cells that fail | in full: mean | lowest | width, bands / full |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for k, metric in enumerate(WANTED):
        bands, full, width = found[:, k].T
        failed = sum(fails(each, samples) for each in bands)
        numbers = f"{bands.mean():.1%} | {bands.min():.1%} | {failed} | {full.mean():.1%} | {full.min():.1%}"
        lines.append(f"| {metric.name} | {numbers} | {width.min():.3f} to {width.max():.3f} |")
    lines += ["", "Where an interval from bands fails:", ""]
    lines += [
        f"- {metric.name}, {name}, n {n:,}, prevalence {prevalence:g}: "
        f"{found[i, k, 0]:.1%}, in full {found[i, k, 1]:.1%}"
        for i, (name, n, prevalence) in enumerate(cells)
        for k, metric in enumerate(WANTED)
        if fails(found[i, k, 0], samples)
    ] or ["nowhere."]
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few samples of every third cell")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    cells = [(name, *size) for name in POPULATIONS for size in SIZES][:: 4 if given.quick else 1]
    samples = given.samples // 4 if given.quick else given.samples
    with Pool(given.jobs) as pool, np.errstate(all="ignore"):
        found = np.array(pool.map(partial(simulate, samples=samples), cells, chunksize=1))
    text = page(cells, found, samples)
    print(text)
    if given.output:
        given.output.write_text(text, encoding="utf-8")
    return int(any(fails(each, samples) for each in found[..., 0].ravel()))


if __name__ == "__main__":
    sys.exit(main())

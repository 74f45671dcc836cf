"""Whether intervals of large samples, resampled from bands of scores, hold the truth as often as from all scores.

    python tests/coverage/bands.py [--samples 200] [--jobs 2] [--output docs/coverage-bands.md]

Metrics without a formula are resampled. From 2,000 distinct scores of positives on, neighbouring scores are first
joined into bands of a thousandth of a class each. Cohorts of 10,000 to 100,000 cases are drawn from scores that are
normal, with wider and with narrower positives, beta and gamma distributed; the same samples are resampled from bands
and in full, 300 times each. Required of the intervals from bands: the truth in at least 93%, as far as the number of
samples can tell. The expected calibration error is resampled from eighths of its bins from 250 scores on; on 400 and
900 cases that is compared with all scores. It is biased upwards, and rarely holds the small truth of calibrated
scores, either way. The exit code is 1 if a cell of the others fails.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from dataclasses import replace
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from areas import Family, families
from score_models import Forecast, forecasts

from unconfuse.metrics import METRICS
from unconfuse.table import ScoreTable, Settings
from unconfuse.uncertainty import bootstrap, table_estimates
from unconfuse.uncertainty.bootstrap import split
from unconfuse.uncertainty.interval_methods import has_formula

SIZES = ((10_000, 0.5), (30_000, 0.1), (100_000, 0.05))
WANTED = split(each for each in METRICS.values() if each.of == "ranks" and not has_formula(each))[0]
POPULATIONS = ("normal 0.6", "normal 0.8", "normal 0.95", "wide positives 0.7", "narrow positives 0.9", "beta", "gamma")
LEAST, RESAMPLES = 0.93, 300
Cell = tuple[str, int, float]


def table_of(family: Family, n: int, prevalence: float, rng: np.random.Generator) -> ScoreTable:
    positives = rng.binomial(n, prevalence)
    drawn = family.positive.rvs(positives, rng), family.negative.rvs(n - positives, rng)
    return ScoreTable.from_rows(np.arange(n) < positives, np.concatenate(drawn))


def intervals(table: ScoreTable, seed: int, in_full: int) -> np.ndarray:
    with mock.patch.object(bootstrap, "IN_FULL", in_full):
        found = table_estimates.estimate_scores(WANTED, table, Settings(n_resamples=RESAMPLES, seed=seed))
    return np.array([(found[each.name].low, found[each.name].high) for each in WANTED])


def simulate(cell: Cell, *, samples: int) -> np.ndarray:
    """For each metric: coverage from bands and in full, the ratio of their widths, and how far the ends lie apart."""
    name, n, prevalence = cell
    family = next(each for each in families() if each.name == name)
    rng, population = np.random.default_rng(zlib.crc32(str(cell).encode())), family.population(prevalence)
    truth, found = np.array([float(each(population)) for each in WANTED]), []
    for seed in range(samples):
        table = table_of(family, n, prevalence, rng)
        found.append([intervals(table, seed, limit) for limit in (bootstrap.IN_FULL, sys.maxsize)])
    ends = np.array(found)
    held = ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean(axis=0)
    width = (ends[..., 1] - ends[..., 0]).mean(axis=0)
    return np.column_stack([held.T, width[0] / width[1]])


def error_of_calibration(forecast: Forecast, n: int, samples: int, prevalence: float = 0.2) -> list[float]:
    """Coverage of the calibration error from parts of its bins and from all scores, and the ratio of their widths."""
    rng, z = np.random.default_rng(n), np.linspace(-6, 6, 4001)
    of_class = [forecast.probability(shift + sd * z, prevalence) for shift, sd in _classes(forecast)]
    weight = 1e9 * np.exp(-(z**2) / 2)
    drawn = np.repeat([True, False], len(z)), np.concatenate(of_class)
    shares = np.concatenate([prevalence * weight, (1 - prevalence) * weight])
    truth, found = float(METRICS["ece"](ScoreTable.from_rows(*drawn, shares))), []
    ways = METRICS["ece"], replace(METRICS["ece"], name="in full", bands=None)
    for y, p in zip(*forecast.rows(rng, samples, n, prevalence), strict=True):
        known = table_estimates.estimate_scores(ways, ScoreTable.from_rows(y, p), Settings(n_resamples=RESAMPLES))
        found.append([(each.low, each.high) for each in known.values()])
    ends = np.array(found)
    held, width = ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean(axis=0), np.ptp(ends, axis=-1).mean(axis=0)
    return [*held.tolist(), float(width[0] / width[1])]


def errors_of_calibration(samples: int) -> dict[str, list[float]]:
    return {
        f"{each.name}, n {n}": error_of_calibration(each, n, samples) for each in forecasts(0.85) for n in (400, 900)
    }


def _classes(forecast: Forecast) -> list[tuple[float, float]]:
    return [(forecast.scores.shift, forecast.scores.sd), (0.0, 1.0)]


def fails(share: float, samples: int) -> bool:
    return share + 2 * float(np.sqrt(LEAST * (1 - LEAST) / samples)) < LEAST


def page(cells: list[Cell], found: np.ndarray, errors: dict[str, list[float]], samples: int) -> str:
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
    lines += [
        "",
        "| expected calibration error | from parts of bins | in full | width, parts / full |",
        "|---|---|---|---|",
    ]
    lines += [f"| {name} | {parts:.1%} | {full:.1%} | {width:.3f} |" for name, (parts, full, width) in errors.items()]
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
    text = page(cells, found, errors_of_calibration(samples), samples)
    print(text)
    if given.output:
        given.output.write_text(text, encoding="utf-8")
    return int(any(fails(each, samples) for each in found[..., 0].ravel()))


if __name__ == "__main__":
    sys.exit(main())

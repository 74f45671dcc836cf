"""How often the intervals of r_b and C(r_b) hold the truth, by simulation. `make coverage`.

    python tests/coverage/indistinguishability.py [--quick] [--jobs 2] --output docs/coverage-indistinguishability.md

Cohorts of 200 to 5,000 cases with a prevalence of 2% to 50% are drawn from normal scores, from populations that are
bounded on one or both sides, and from scores with 4 to 21 distinct values. Required: 95% intervals of r_b and of C(r_b)
hold the truth in at least 93% of the samples, in at least 95% of the cells. The exit code is 1 if they do not.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import ndtri

import unconfuse as uc
from unconfuse.indistinguish import find_crossing
from unconfuse.resolving import Distributions
from unconfuse.table import ScoreTable

LEAST, CELLS = 0.93, 0.95
WAYS = ("r_b", "C(r_b)", "C of the mixture")
BINORMAL = {f"normal, AUROC {area:g}": (float(np.sqrt(2) * ndtri(area)), 1.0) for area in (0.65, 0.85, 0.95)}
CONTINUOUS = {name: (stats.norm(*at), stats.norm()) for name, at in BINORMAL.items()} | {
    "wide positives, N(2, 2)": (stats.norm(2, 2), stats.norm()),
    "exponential": (stats.expon(scale=3), stats.expon()),
    "shifted exponential": (stats.expon(1, 0.3), stats.expon()),
    "shifted lognormal": (stats.lognorm(1, loc=1.2), stats.lognorm(1)),
    "Pareto": (stats.pareto(2, loc=0.8), stats.pareto(2)),
    "gamma": (stats.gamma(3), stats.gamma(1.5)),
    "beta": (stats.beta(3, 1.5), stats.beta(1.5, 3)),
    "uniform": (stats.uniform(0.5, 1), stats.uniform()),
}
DISCRETE = {
    f"binomial, {k + 1} values, {p:g} against {q:g}": (stats.binom(k, p), stats.binom(k, q), k)
    for k, p, q in ((3, 0.6, 0.35), (5, 0.6, 0.35), (5, 0.75, 0.35), (10, 0.5, 0.3), (20, 0.55, 0.42))
}
SIZES = ((200, 0.1), (200, 0.5), (500, 0.05), (500, 0.3), (1000, 0.02), (2000, 0.1), (5000, 0.02), (5000, 0.5))


@dataclass(frozen=True)
class Cell:
    population: str
    n: int
    prevalence: float

    @property
    def truth(self) -> tuple[float, float, float]:
        """r_b, C(r_b) and C of the mixture."""
        if self.population in CONTINUOUS:
            found = (
                Distributions(*CONTINUOUS[self.population]).population(0).indistinguishability_crossing(self.prevalence)
            )
            return found.threshold, found.precision, found.precision
        positive, negative, k = DISCRETE[self.population]
        score, share = np.arange(k, -1, -1.0), self.prevalence
        crossing = find_crossing(ScoreTable(score, share * positive.pmf(score), (1 - share) * negative.pmf(score)))
        assert crossing.below is not None
        return crossing.below.threshold, crossing.below.precision, crossing.mixed_precision

    def draw(self, rng: np.random.Generator) -> tuple[Any, Any]:
        positive, negative = (CONTINUOUS | DISCRETE)[self.population][:2]
        y = np.arange(self.n) < np.clip(rng.binomial(self.n, self.prevalence), 2, self.n - 2)
        many = int(y.sum())
        drawn = positive.rvs(many, random_state=rng), negative.rvs(self.n - many, random_state=rng)
        return y, np.concatenate(drawn).astype(float)


def simulate(cell: Cell, *, samples: int, n_resamples: int) -> list[float]:
    """Shares of intervals that held the truth, their mean widths, and how many samples had an r_b."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    truth, held, widths = cell.truth, [], []
    for seed in range(samples):
        y, s = cell.draw(rng)
        try:
            found = uc.indistinguishability(y, s, n_resamples=n_resamples, rng=seed)
        except uc.UnconfuseError:  # the sample ranks negatives first
            continue
        estimates = found.threshold, found.precision, found.mixture
        held.append([each.low - 1e-9 <= t <= each.high + 1e-9 for each, t in zip(estimates, truth, strict=True)])
        widths.append([each.high - each.low for each in estimates[1:]])
    return [*np.mean(held, axis=0).tolist(), *np.mean(widths, axis=0).tolist(), len(held)]


def _between(counts: Iterable[float]) -> str:
    """From the fewest samples that had an r_b to the most."""
    low, *_, high = sorted(counts)
    return f"{low:,.0f} to {high:,.0f}"


def page(cells: list[Cell], found: list[list[float]], samples: int, resamples: int) -> str:
    shares = np.array([row[:3] for row in found])
    lines = [
        "# Coverage of the intervals of r_b and C(r_b)",
        "",
        f"Made by `tests/coverage/indistinguishability.py`: 95% intervals with {resamples} resamples, cohorts, "
        f"{_between(row[5] for row in found)} samples a cell. A share from {samples:,} samples may be off by "
        f"{2 * (0.95 * 0.05 / samples) ** 0.5:.1%}; the numbers are as they came out. Required: at least {LEAST:.0%} "
        f"in at least {CELLS:.0%} of the cells.",
        "",
        "| of | mean | lowest | cells with at least 93% |",
        "|---|---|---|---|",
    ]
    for way, column in zip(WAYS, shares.T, strict=True):
        enough = int((column >= LEAST).sum())
        lines.append(f"| {way} | {column.mean():.1%} | {column.min():.1%} | {enough} of {len(column)} |")
    lines += [
        "",
        "Where scores are tied, C(r_b) is the precision of the largest labelled set with B <= 1/2, and the mixture "
        "labels a random part of the next ties, so that B is 1/2: its interval is the shorter one.",
        "",
        f"| population | n | prevalence | {' | '.join(WAYS)} | width of C(r_b) | of the mixture |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for cell, row in zip(cells, found, strict=True):
        numbers = " | ".join([*(f"{each:.1%}" for each in row[:3]), *(f"{each:.3f}" for each in row[3:5])])
        lines.append(f"| {cell.population} | {cell.n:,} | {cell.prevalence:g} | {numbers} |")
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer samples and cells, for a minute or two")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()

    sizes = SIZES[::2] if options.quick else SIZES
    cells = [Cell(name, *size) for name in (*CONTINUOUS, *DISCRETE) for size in sizes]
    samples, resamples = (150, 300) if options.quick else (500, 300)
    work: Callable[[Cell], list[float]] = partial(simulate, samples=samples, n_resamples=resamples)
    with multiprocessing.Pool(options.jobs) as pool:
        found = pool.map(work, cells, chunksize=1)
    options.output.write_text(page(cells, found, samples, resamples))
    enough = (np.array([row[:3] for row in found]) >= LEAST).mean(axis=0)
    return int(bool((enough < CELLS).any()))


if __name__ == "__main__":
    sys.exit(main())

"""How often the default 95% interval of each decision metric holds the true value: `make coverage`.

    python tests/coverage/decisions.py [--quick] [--design cohort|case-control] --output docs/coverage-decisions.md

For every cell of a grid (size, prevalence, sensitivity, specificity) tables are drawn, the interval of every metric is
made from each, and the share that holds the true value is counted among the tables on which the metric is defined.

Requirement, over the eligible cells (5 or more expected members of each class): at least 95% of the cells cover 93% or
more, less Monte-Carlo error, and the mean coverage lies between 94 and 97.5%. Monte-Carlo error enters one-sidedly: a
cell passes if its simulated coverage plus two of its standard errors reaches 93%. The exit status is 1 if any metric
misses the requirement. Smaller cells are reported, not judged.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from unconfuse.metrics import METRICS, Metric, expected_cost, f_beta, net_benefit
from unconfuse.table import Array, Counts, parse_design
from unconfuse.uncertainty import limits
from unconfuse.uncertainty.posterior import posterior_intervals

FLOOR, SHARE, MEAN = 0.93, 0.95, (0.94, 0.975)
PARAMETRISED = [
    *(f_beta(beta) for beta in (0.5, 2)),
    *(net_benefit(t) for t in (0.02, 0.1, 0.5)),
    *(expected_cost(fp=1, fn=fn) for fn in (5, 50)),
]
FIXED_BY_DESIGN = {"prevalence", "null_accuracy", "null_error_rate"}
N_POINTS = 1024  # a quarter of the product's default: coarser limits, the same coverage within Monte-Carlo error
ROUNDING = 1e-9


@dataclass(frozen=True)
class Cell:
    """One truth to simulate from."""

    n: int
    prevalence: float
    sensitivity: float
    specificity: float

    @property
    def eligible(self) -> bool:
        smaller = self.n * min(self.prevalence, 1 - self.prevalence)
        return smaller >= 5 - ROUNDING

    @property
    def positives(self) -> int:
        """The class size that a case-control study fixes."""
        return max(1, round(self.n * self.prevalence))

    def truth(self, design: str) -> Counts:
        """The table that the metrics' true values come from: in a case-control study, at its own class ratio."""
        prevalence = self.prevalence if design == "cohort" else self.positives / self.n
        return Counts.from_rates(prevalence=prevalence, sensitivity=self.sensitivity, specificity=self.specificity)

    def __str__(self) -> str:
        return f"n {self.n}, prevalence {self.prevalence:g}, Se {self.sensitivity:g}, Sp {self.specificity:g}"


@dataclass(frozen=True)
class Coverage:
    """Share of the intervals that held the truth in one cell, and among how many."""

    cell: Cell
    share: float
    defined: int

    @property
    def passes(self) -> bool:
        error = np.sqrt(self.share * (1 - self.share) / self.defined)
        return bool(self.share + 2 * error >= FLOOR)


def grid(quick: bool) -> list[Cell]:
    rates = (0.5, 0.8, 0.95, 0.999) if quick else (0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
    sizes = (20, 100, 1000) if quick else (20, 50, 100, 300, 1000, 10_000)
    prevalences = (0.01, 0.05, 0.2, 0.5) if quick else (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    return [Cell(*each) for each in itertools.product(sizes, prevalences, rates, rates)]


def tested(design: str) -> dict[str, Metric]:
    metrics = {name: metric for name, metric in METRICS.items() if metric.of == "counts"}
    metrics |= {metric.name: metric for metric in PARAMETRISED}
    return {name: each for name, each in metrics.items() if design == "cohort" or name not in FIXED_BY_DESIGN}


def draw(cell: Cell, design: str, size: int) -> tuple[Counts, Array]:
    """Distinct tables and how often each was drawn; every cell has its own fixed seed."""
    seed = [cell.n, *(round(1000 * rate) for rate in (cell.prevalence, cell.sensitivity, cell.specificity))]
    rng = np.random.default_rng(seed)
    random = rng.binomial(cell.n, cell.prevalence, size)
    positives = random if design == "cohort" else np.full(size, cell.positives)
    tp, tn = rng.binomial(positives, cell.sensitivity), rng.binomial(cell.n - positives, cell.specificity)
    rows = np.stack([tp, cell.n - positives - tn, positives - tp, tn])
    tables, times = np.unique(rows, axis=1, return_counts=True)
    return Counts(**dict(zip(("tp", "fp", "fn", "tn"), tables, strict=True))), times.astype(np.float64)


def intervals(counts: Counts, design: str) -> dict[str, tuple[Array, Array]]:
    """The default interval of every metric; those by posterior share one set of points, which saves hours."""
    metrics = tested(design)
    shared = {name: each for name, each in metrics.items() if uses_posterior(each, design)}
    fixed = parse_design(design)
    found = posterior_intervals(shared, counts, fixed_classes=fixed, n_points=N_POINTS)
    others = {
        name: limits(each, counts, fixed_classes=fixed)[1] for name, each in metrics.items() if name not in shared
    }
    return found | others


def uses_posterior(metric: Metric, design: str) -> bool:
    return metric.interval == "posterior" or (design == "case-control" and metric.depends_on_prevalence)


def simulate(cell: Cell, *, design: str, size: int) -> dict[str, Coverage]:
    counts, times = draw(cell, design, size)
    result = {}
    for name, (low, high) in intervals(counts, design).items():
        truth = tested(design)[name](cell.truth(design))
        slack = ROUNDING * max(1.0, abs(float(truth)))
        held = (low <= truth + slack) & (truth <= high + slack)
        defined = ~np.isnan(tested(design)[name](counts))
        total = times[defined].sum()
        if total:
            result[name] = Coverage(cell, float(times[defined & held].sum() / total), int(total))
    return result


def simulate_all(cells: list[Cell], *, design: str, size: int, jobs: int) -> dict[str, list[Coverage]]:
    gathered: dict[str, list[Coverage]] = {name: [] for name in tested(design)}
    started = time.perf_counter()
    with multiprocessing.Pool(jobs) as pool:
        results = pool.imap(partial(simulate, design=design, size=size), cells, chunksize=4)
        for done, result in enumerate(results, start=1):
            for name, coverage in result.items():
                gathered[name].append(coverage)
            if done % 50 == 0 or done == len(cells):
                seconds = time.perf_counter() - started
                print(f"{done} of {len(cells)} cells, {seconds:.0f} s", file=sys.stderr, flush=True)
    return gathered


def met(results: list[Coverage]) -> bool:
    shares = np.array([each.share for each in results])
    passing = np.mean([each.passes for each in results])
    return bool(passing >= SHARE and MEAN[0] <= shares.mean() <= MEAN[1])


def summary(results: list[Coverage]) -> str:
    if not results:
        return "- | - | -"
    worst = min(results, key=lambda each: each.share)
    passing = np.mean([each.passes for each in results])
    mean = np.mean([each.share for each in results])
    return f"{passing:.1%} | {mean:.1%} | {worst.share:.1%} ({worst.cell})"


def page(gathered: dict[str, list[Coverage]], design: str, size: int) -> str:
    split = {
        name: [[c for c in all_ if c.cell.eligible == flag] for flag in (True, False)]
        for name, all_ in gathered.items()
    }
    lines = [
        f"# Coverage of the default 95% intervals: decision metrics, {design} design",
        "",
        f"Made by `tests/coverage/decisions.py` with {size:,} tables per cell. A cell passes if its coverage plus two "
        "Monte-Carlo standard errors reaches 93%. Coverage is counted among the tables on which the metric is defined.",
        "",
        "Asked: at least 95% of the eligible cells (5 or more expected members of each class) pass, and their mean "
        "coverage is between 94 and 97.5%.",
    ]
    for title, part in (("Eligible cells", 0), ("Smaller cells (not judged)", 1)):
        number = max(len(each[part]) for each in split.values())
        lines += ["", f"## {title}: {number}", "", "| metric | method | passing | mean | worst cell | met |"]
        lines += ["|---|---|---|---|---|---|"]
        for name, parts in split.items():
            verdict = ("yes" if met(parts[0]) else "**no**") if part == 0 else ""
            lines += [f"| {name} | {method(name, design)} | {summary(parts[part])} | {verdict} |"]
    for title, part in (("Eligible cells that fail", 0), ("Smaller cells that fail", 1)):
        lines += ["", f"## {title}", ""]
        for name, parts in split.items():
            failing = [each for each in parts[part] if not each.passes]
            lines += [f"- {name}: {listed(failing)}"] if failing else []
    return "\n".join(lines) + "\n"


def method(name: str, design: str) -> str:
    metric = tested(design)[name]
    return "posterior" if uses_posterior(metric, design) else metric.interval


def listed(failing: list[Coverage], shown: int = 12) -> str:
    ordered = sorted(failing, key=lambda each: each.share)
    text = "; ".join(f"{each.share:.1%} at {each.cell}" for each in ordered[:shown])
    return text + (f"; and {len(ordered) - shown} more" if len(ordered) > shown else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a coarse grid with few tables, for a minute or two")
    parser.add_argument("--design", choices=("cohort", "case-control"), default="cohort")
    parser.add_argument("--tables", type=int, help="tables drawn per cell")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()

    size = options.tables or (500 if options.quick else 1000)
    gathered = simulate_all(grid(options.quick), design=options.design, size=size, jobs=options.jobs)
    options.output.write_text(page(gathered, options.design, size), encoding="utf-8")

    missed = [name for name, all_ in gathered.items() if not met([each for each in all_ if each.cell.eligible])]
    print(f"missed: {', '.join(missed) or 'none'}; table in {options.output}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

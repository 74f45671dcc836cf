"""How often the default intervals of ranking and probability metrics hold the truth, by simulation.

    python tests/coverage/ranking.py [--quick] [--every 5] [--output docs/coverage-ranking.md] [--jobs 2]

Test sets of 50 to 10,000 cases are drawn from a cohort (the number of positives varies) with a prevalence of 2% to 50%
and an AUROC of .6 to .95. A 95% interval must hold the truth in 93% to 97.5% of them where at least 20 of each class
are expected, and in at least 90% where at least 10 are. A cell's share is known up to its own Monte-Carlo error, so it
fails only if it lies outside by more than two standard errors. The exit code is 1 if a default interval fails anywhere.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from score_models import ScoreModel, forecasts, models

from unconfuse import _kernels
from unconfuse.metrics import METRICS
from unconfuse.metrics.influence_functions import auprc_influence, auroc_influence, average_precision_influence
from unconfuse.table import InMemorySample, ScoreTable, Settings
from unconfuse.uncertainty import bootstrap_intervals
from unconfuse.uncertainty.bootstrap import half_case
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.influence_intervals import hanley_mcneil_se, limits_on_scale
from unconfuse.uncertainty.interval_methods import limits_of_table
from unconfuse.uncertainty.simultaneous import SimultaneousResult

DEFAULT = "default"
GRID = {
    50: (0.2, 0.5),
    100: (0.1, 0.2, 0.5),
    200: (0.05, 0.1, 0.2, 0.5),
    500: (0.02, 0.05, 0.1, 0.2, 0.5),
    1000: (0.02, 0.05, 0.1, 0.2, 0.5),
    2000: (0.02, 0.05, 0.1, 0.5),
    10_000: (0.02, 0.1, 0.5),
}
QUICK = {50: (0.2, 0.5), 200: (0.1,), 1000: (0.02, 0.2)}
AUROCS = (0.6, 0.75, 0.85, 0.95)
INFLUENCES = {
    "auroc": auroc_influence,
    "average_precision": average_precision_influence,
    "auprc_davis_goadrich": auprc_influence,
}


@dataclass(frozen=True)
class Cell:
    """One population and design, and who computes it."""

    study: str
    population: str
    auroc: float
    n: int
    prevalence: float
    samples: int

    @property
    def smaller(self) -> float:
        return self.n * min(self.prevalence, 1 - self.prevalence)

    @property
    def seed(self) -> int:
        return zlib.crc32(f"{self.study}/{self.population}/{self.auroc}/{self.n}/{self.prevalence}".encode())

    def __str__(self) -> str:
        return f"{self.population}, AUROC {self.auroc:g}, n {self.n:,}, prevalence {self.prevalence:g}"


@dataclass(frozen=True)
class Tally:
    """Shares of samples in which the truth lay below and above the interval."""

    cell: Cell
    metric: str
    method: str
    samples: int
    below: float
    above: float
    width: float
    words: str = ""

    @property
    def coverage(self) -> float:
        return 1 - self.below - self.above

    @property
    def error(self) -> float:
        """Standard error of the coverage, never taken as less than that of one miss."""
        share = min(max(self.coverage, 1 / self.samples), 1 - 1 / self.samples)
        return float(np.sqrt(share * (1 - share) / self.samples))

    @property
    def inside(self) -> bool:
        low, high = bounds(self.cell)
        return low <= self.coverage <= high

    @property
    def fails(self) -> bool:
        low, high = bounds(self.cell)
        return self.coverage + 2 * self.error < low or self.coverage - 2 * self.error > high


def bounds(cell: Cell) -> tuple[float, float]:
    return (0.93, 0.975) if cell.smaller >= 20 else (0.90, 1.0)


def tally(cell: Cell, metric: str, method: str, truth: float, limits: tuple, *, words: str = "") -> Tally:
    low, high = (np.asarray(end, dtype=float) for end in limits[:2])
    return Tally(
        cell,
        metric,
        method,
        low.size,
        float(np.mean(low > truth)),
        float(np.mean(high < truth)),
        float(np.mean(high - low)),
        words,
    )


def _paired(metric: str, truth: np.ndarray, scores: tuple) -> SimultaneousResult:
    sample = InMemorySample(truth=truth, scores=dict(zip("ab", scores, strict=True)))
    return PairedContrasts([METRICS[metric]], sample, [("a", "b")], Settings(), "max-t").differences(METRICS[metric])[0]


def study_ranks(cell: Cell, rng: np.random.Generator) -> Iterator[Tally]:
    """AUROC and the areas under the precision-recall curve, all samples at once."""
    model = next(each for each in models(cell.auroc) if each.name == cell.population)
    truth, table = model.truth(cell.prevalence), model.tables(rng, cell.samples, cell.n, cell.prevalence)
    for metric, influence in INFLUENCES.items():
        found = limits_of_table(METRICS[metric], table)
        yield tally(cell, metric, DEFAULT, truth[metric], found, words=found.method)
        plain = influence(table)
        error = plain.standard_error()
        name = "DeLong" if metric == "auroc" else "influence function"
        yield tally(
            cell, metric, f"{name}, plain", truth[metric], (plain.value - 1.96 * error, plain.value + 1.96 * error)
        )
        yield tally(cell, metric, f"{name}, logit scale", truth[metric], limits_on_scale(plain.value, error))
        if metric == "auroc":
            guess = hanley_mcneil_se(plain.value, table.positives.sum(axis=-1), table.negatives.sum(axis=-1))
            yield tally(cell, metric, "Hanley-McNeil, logit scale", truth[metric], limits_on_scale(plain.value, guess))


def study_maxima(cell: Cell, rng: np.random.Generator) -> Iterator[Tally]:
    """The best F1 (and KS), whose thresholds are chosen on the same data."""
    model = next(each for each in models(cell.auroc) if each.name == cell.population)
    truth, tables = model.truth(cell.prevalence), model.tables(rng, cell.samples, cell.n, cell.prevalence)
    names = {"max_f1": "max_f1", "ks": "max_youden"}
    smooth = half_case(tables)
    values, smoothed = (_kernels.rank_metrics(t.positives, t.negatives, names.values()) for t in (tables, smooth))
    draws, plain = (_draws(t, list(names.values())) for t in (smooth, tables))
    sizes = np.minimum(tables.positives.sum(axis=-1), tables.negatives.sum(axis=-1))
    for metric, key in names.items():
        found = bootstrap_intervals.bias_corrected(
            values[key], draws[key], smoothed_value=smoothed[key], smaller_class=sizes, range=(0, 1)
        )
        yield tally(cell, metric, DEFAULT, truth[metric], found, words=found.method)
        for method in (bootstrap_intervals.percentile, bootstrap_intervals.basic, bootstrap_intervals.bca):
            found = method(values[key], plain[key])
            yield tally(cell, metric, found.method.partition(" (")[0], truth[metric], found)


def _draws(tables: ScoreTable, names: list[str], resamples: int = 300) -> dict[str, np.ndarray]:
    found = [
        _kernels.bootstrap_ranks(p, n, seed=i, count=resamples, metrics=names, n_threads=1)
        for i, (p, n) in enumerate(zip(tables.positives, tables.negatives, strict=True))
    ]
    return {name: np.stack([each[name] for each in found]) for name in names}


def study_probabilities(cell: Cell, rng: np.random.Generator) -> Iterator[Tally]:
    """Brier score and log loss of calibrated and of miscalibrated probabilities."""
    forecast = next(each for each in forecasts(cell.auroc) if each.name == cell.population)
    truth = forecast.truth(cell.prevalence)
    rows = zip(*forecast.rows(rng, cell.samples, cell.n, cell.prevalence), strict=True)
    tables = [ScoreTable.from_rows(y, p) for y, p in rows if 2 <= y.sum() <= cell.n - 2]
    for metric in truth:
        found = [limits_of_table(METRICS[metric], table) for table in tables]
        limits = np.array([each[:2] for each in found]).T
        yield tally(cell, metric, DEFAULT, truth[metric], tuple(limits), words=found[0].method)
        values = np.array([float(METRICS[metric](table)) for table in tables])
        errors = np.array([_mean_error(metric, table) for table in tables])
        yield tally(cell, metric, "mean, plain", truth[metric], (values - 1.96 * errors, values + 1.96 * errors))


def _mean_error(metric: str, table: ScoreTable) -> float:
    p = table.score
    of_positive, of_negative = ((1 - p) ** 2, p**2) if metric == "brier" else (-np.log(p), -np.log1p(-p))
    mean = (table.positives @ of_positive + table.negatives @ of_negative) / table.n
    square = (table.positives @ of_positive**2 + table.negatives @ of_negative**2) / table.n
    return float(np.sqrt((square - mean**2) / (table.n - 1)))


def study_pairs(cell: Cell, rng: np.random.Generator) -> Iterator[Tally]:
    """Differences of two correlated models on the same rows; the second is as good, or a good deal worse."""
    kind, _, rest = cell.population.partition("; second ")
    second_auroc, correlation = (float(word) for word in rest.replace("correlation ", "").split(", "))
    first, second = (next(m for m in models(a) if m.name == kind) for a in (cell.auroc, second_auroc))
    truths = first.truth(cell.prevalence), second.truth(cell.prevalence)
    truth = {metric: truths[0][metric] - truths[1][metric] for metric in ("auroc", "average_precision")}
    found: dict[str, list] = {metric: [] for metric in truth}
    for _ in range(cell.samples):
        y, scores = _pair(first, second, correlation, cell, rng)
        for metric in truth:
            found[metric].append(_paired(metric, y, scores))
    for metric, value in truth.items():
        each = found[metric]
        yield tally(
            cell,
            f"difference of {metric}",
            DEFAULT,
            value,
            ([d.low for d in each], [d.high for d in each]),
            words=each[0].method,
        )
        z = np.array([(d.value - 1.96 * d.standard_error, d.value + 1.96 * d.standard_error) for d in each]).T
        yield tally(cell, f"difference of {metric}", "plain, normal quantile", value, tuple(z))


def _pair(first: ScoreModel, second: ScoreModel, correlation: float, cell: Cell, rng: np.random.Generator) -> tuple:
    y = np.arange(cell.n) < np.clip(rng.binomial(cell.n, cell.prevalence), 2, cell.n - 2)
    noise = rng.standard_normal((2, cell.n))
    noise[1] = correlation * noise[0] + np.sqrt(1 - correlation**2) * noise[1]
    if first.tails is not None:
        noise /= np.sqrt(rng.chisquare(first.tails, cell.n) / first.tails)
    scores = [m.shift * y + np.where(y, m.sd, 1) * e for m, e in zip((first, second), noise, strict=True)]
    return y, [s if first.width is None else np.floor(s / first.width) for s in scores]


STUDIES: dict[str, Callable[[Cell, np.random.Generator], Iterator[Tally]]] = {
    "ranks": study_ranks,
    "maxima": study_maxima,
    "probabilities": study_probabilities,
    "pairs": study_pairs,
}


def cells(quick: bool) -> list[Cell]:
    """All studies; the largest test sets, which are the easiest, get fewer samples."""
    grid = [(n, prevalence) for n, shares in (QUICK if quick else GRID).items() for prevalence in shares]
    few = 4 if quick else 1
    found = []
    for auroc in AUROCS[1::2] if quick else AUROCS:
        for n, prevalence in grid:
            positives = int(n * prevalence)
            for model in models(auroc):
                samples = int(np.clip(200_000 // positives, 300, 1000)) // few
                found.append(Cell("ranks", model.name, auroc, n, prevalence, samples))
                if n <= 2000 or prevalence < 0.1:
                    found.append(Cell("maxima", model.name, auroc, n, prevalence, 300 // few))
            for forecast in forecasts(auroc):
                samples = (600 if n < 5000 else 300) // few
                found.append(Cell("probabilities", forecast.name, auroc, n, prevalence, samples))
            if n <= 2000 or prevalence < 0.1:
                for name in ("normal", "heavy tails (t, 3 df)", "rounded to 0.5"):
                    other, correlation = PARTNERS[auroc]
                    population = f"{name}; second {other}, correlation {correlation}"
                    found.append(Cell("pairs", population, auroc, n, prevalence, (300 if n < 2000 else 200) // few))
    return found


PARTNERS = {0.6: (0.6, 0.5), 0.75: (0.8, 0.5), 0.85: (0.85, 0.8), 0.95: (0.85, 0.8)}


def run(cell: Cell) -> list[Tally]:
    with np.errstate(all="ignore"):
        return list(STUDIES[cell.study](cell, np.random.default_rng(cell.seed)))


def report(found: list[Tally]) -> str:
    """One table for each metric, then where its default interval fails, then the small cells."""
    title = "# Coverage of the intervals of ranking and probability metrics"
    size = len({each.cell for each in found})
    lines = [title, "", (__doc__ or "").strip().split("\n\n")[-1], "", f"{size} cells were run.", ""]
    for metric in dict.fromkeys(each.metric for each in found):
        of_metric = [each for each in found if each.metric == metric]
        default = [each for each in of_metric if each.method == DEFAULT]
        lines += [
            f"## {metric}",
            "",
            f"Default: {default[0].words}.",
            "",
            "| method | cells | within 93-97.5% | fail | mean | lowest | highest | truth below / above | width |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for method in dict.fromkeys(each.method for each in of_metric):
            lines.append(_row(method, [t for t in of_metric if t.method == method and t.cell.smaller >= 20]))
        small = [each for each in default if each.cell.smaller < 20]
        lines += ["", f"With 10 to 19 expected in the smaller class: {_small(small)}", ""]
        bad = sorted((each for each in default if each.fails), key=lambda each: each.coverage)
        lines += [f"Where the default fails: {'nowhere.' if not bad else ''}"]
        lines += [f"- {each.coverage:.1%} ± {2 * each.error:.1%}: {each.cell}" for each in bad] + [""]
    return "\n".join(lines)


def _row(method: str, found: list[Tally]) -> str:
    shares = np.array([each.coverage for each in found])
    inside, fails = np.mean([each.inside for each in found]), sum(each.fails for each in found)
    below, above, width = (np.mean([getattr(each, k) for each in found]) for k in ("below", "above", "width"))
    return (
        f"| {method} | {len(found)} | {inside:.0%} | {fails} | {shares.mean():.1%} | {shares.min():.1%} | "
        f"{shares.max():.1%} | {below:.1%} / {above:.1%} | {width:.3f} |"
    )


def _small(found: list[Tally]) -> str:
    shares = np.array([each.coverage for each in found])
    return (
        f"{len(found)} cells, mean {shares.mean():.1%}, lowest {shares.min():.1%}, "
        f"{sum(each.fails for each in found)} below 90%."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few cells, fewer samples")
    parser.add_argument("--output", type=Path, help="write the tables as Markdown")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only every so many cells, spread over all of them")
    parser.add_argument("--study", choices=list(STUDIES), action="append", help="only this one")
    options = parser.parse_args()
    todo = [each for each in cells(options.quick) if each.study in (options.study or STUDIES)][:: options.every]
    todo.sort(key=lambda cell: -cell.n * cell.samples)
    start, found = time.time(), []
    with Pool(options.jobs) as pool:
        for done, tallies in enumerate(pool.imap_unordered(run, todo), 1):
            found += tallies
            if done % 50 == 0 or done == len(todo):
                print(f"{done} of {len(todo)} cells, {time.time() - start:.0f} s", flush=True)
    found.sort(key=lambda each: (list(STUDIES).index(each.cell.study), str(each.cell)))
    text = report(found)
    if options.output:
        options.output.write_text(text + "\n")
    print(text)
    return int(any(each.fails for each in found if each.method == DEFAULT and each.metric != "ks"))


if __name__ == "__main__":
    sys.exit(main())

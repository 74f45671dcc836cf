"""Rival intervals of the AUROC, of average precision and of the AUPRG, on the same samples.

    python tests/coverage/areas.py [--quick] [--samples 1000] [--seed 1] [--output docs/coverage-areas.md]

Cohorts of 20 to 1,000 cases from seven families: normal scores, positives wider and narrower, beta, gamma, five values,
perfectly separated, random. Each line says in how many cells (family, AUROC, size, prevalence) an interval that calls
itself 95% held the truth less often than 93%, its mean and lowest coverage, how often the truth lay below and above it,
and its width as a share of the first rival's. Samples with fewer than two cases of a class are left out. The exit code
is 1 if the default of the AUROC or of average precision lies below 93% in more than 5% of the cells.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from unconfuse.metrics import METRICS
from unconfuse.table import ScoreTable, Settings
from unconfuse.uncertainty import METHODS, estimate_scores
from unconfuse.uncertainty.interval_methods import limits_of_table

GRID = ((20, 0.5), (50, 0.2), (50, 0.5), (100, 0.1), (200, 0.05), (200, 0.5), (500, 0.05), (1000, 0.02), (1000, 0.2))
RIVALS = {
    "auroc": ("delong_half_case", "wilson_effective", "newcombe", "delong_logit", "delong"),
    "average_precision": ("influence_at_top", "wilson_at_top", "influence"),
    "partial_auroc": ("bias_corrected", "wilson_effective", "influence"),
    "auprg": ("bias_corrected", "floored"),
}
SLOW = {"auprg": 8, "partial_auroc": 4}  # as many times fewer samples: these are resampled
_FINE = (np.arange(50_000) + 0.5) / 50_000


@dataclass(frozen=True)
class Family:
    """Scores of both classes: two distributions of scipy.stats, or the shares of each class at each of a few values."""

    name: str
    positive: object
    negative: object

    def tables(self, rng: np.random.Generator, samples: int, n: int, prevalence: float) -> ScoreTable:
        truth = rng.random((samples, n)) < prevalence
        enough = np.minimum(truth.sum(axis=1), n - truth.sum(axis=1)) >= 2
        truth = truth[enough]
        if isinstance(self.positive, tuple):
            values = len(self.positive)
            shares = np.where(truth[..., None], self.positive, self.negative).cumsum(axis=-1)
            drawn = values - (rng.random(truth.shape)[..., None] < shares).sum(axis=-1)
            stack = [[(side & (drawn == k)).sum(axis=1) for k in range(values)] for side in (truth, ~truth)]
            return ScoreTable(np.arange(values, 0, -1.0), *(np.array(each, dtype=float).T for each in stack))
        scores = np.where(truth, self.positive.rvs(truth.shape, rng), self.negative.rvs(truth.shape, rng))
        ordered = np.take_along_axis(truth, np.argsort(-scores, axis=1), axis=1)
        return ScoreTable(np.arange(n, 0, -1.0), ordered.astype(float), (~ordered).astype(float))

    def population(self, prevalence: float) -> ScoreTable:
        if isinstance(self.positive, tuple):
            positives, negatives = np.array(self.positive), np.array(self.negative)
        else:
            negatives = np.diff(self.negative.sf(self.positive.isf(_FINE)), prepend=0.0)
            positives = np.append(np.full(len(_FINE), 1 / len(_FINE)), 0.0)
            negatives = np.append(negatives, 1 - negatives.sum())
        size = 1e9
        return ScoreTable(
            np.arange(len(positives), 0, -1.0), size * prevalence * positives, size * (1 - prevalence) * negatives
        )


def normal(auroc: float, sd: float = 1.0) -> tuple:
    return stats.norm(stats.norm.ppf(auroc) * np.hypot(1, sd), sd), stats.norm(0, 1)


def families() -> list[Family]:
    found = [Family(f"normal {a}", *normal(a)) for a in (0.6, 0.8, 0.95)]
    found += [Family(f"wide positives {a}", *normal(a, 1.6)) for a in (0.7, 0.9)]
    found += [Family(f"narrow positives {a}", *normal(a, 0.6)) for a in (0.7, 0.9)]
    found += [
        Family("beta", stats.beta(4, 2), stats.beta(2, 5)),
        Family("beta, rare", stats.beta(2, 4), stats.beta(1, 9)),
    ]
    found += [
        Family("gamma", stats.gamma(4), stats.gamma(2)),
        Family("gamma, heavy", stats.gamma(1, scale=6), stats.gamma(1)),
    ]
    five = (0.3, 0.3, 0.2, 0.15, 0.05), (0.05, 0.1, 0.2, 0.3, 0.35)
    found += [
        Family("five values", *five),
        Family("five values, weak", (0.25, 0.2, 0.2, 0.2, 0.15), (0.15, 0.2, 0.2, 0.2, 0.25)),
    ]
    found += [Family("perfect", stats.uniform(1, 1), stats.uniform(0, 1)), Family("random", stats.norm(), stats.norm())]
    return found


@dataclass(frozen=True)
class Tally:
    metric: str
    method: str
    cell: str
    below: float
    above: float
    width: float
    samples: int

    @property
    def coverage(self) -> float:
        return 1 - self.below - self.above


def study(metric: str, family: Family, n: int, prevalence: float, samples: int, seed: int) -> Iterator[Tally]:
    cell = f"{family.name}, n {n}, prevalence {prevalence:g}"
    rng = np.random.default_rng([seed, zlib.crc32(f"{metric} {cell}".encode())])
    tables, truth = family.tables(rng, samples, n, prevalence), float(METRICS[metric](family.population(prevalence)))
    for method in RIVALS[metric]:
        low, high = _limits(metric, method, tables)
        slack = 1e-9  # rounding of the truth of perfect separation
        yield Tally(
            metric,
            method,
            cell,
            float(np.mean(low > truth + slack)),
            float(np.mean(high < truth - slack)),
            float(np.mean(high - low)),
            len(low),
        )


def _limits(metric: str, method: str, tables: ScoreTable) -> tuple[np.ndarray, np.ndarray]:
    if METHODS[method].source == "table" and method != "newcombe":
        return limits_of_table(METRICS[metric], tables, method=method)[:2]
    found = []
    for positives, negatives in zip(tables.positives, tables.negatives, strict=True):
        one = ScoreTable(tables.score, positives, negatives)
        if METHODS[method].source == "replicates":
            estimate = estimate_scores([METRICS[metric]], one, Settings(n_resamples=400))[metric]
            estimate = estimate.interval(method=method)
            found.append((estimate.low, estimate.high))
        else:
            found.append(limits_of_table(METRICS[metric], one, method=method)[:2])
    return tuple(np.array(found, dtype=float).T)


def report(found: list[Tally]) -> str:
    lines = ["# Rival intervals of areas", "", (__doc__ or "").strip().split("\n\n")[-1], ""]
    for metric in dict.fromkeys(each.metric for each in found):
        rows = [each for each in found if each.metric == metric]
        first = {each.cell: each.width for each in rows if each.method == RIVALS[metric][0]}
        lines += [f"## {metric}", "", "| interval | cells | below 93% | mean | lowest | truth below / above | width |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for method in RIVALS[metric]:
            own = [each for each in rows if each.method == method]
            cover = np.array([each.coverage for each in own])
            wide = np.mean([each.width / first[each.cell] for each in own])
            tails = " / ".join(f"{100 * np.mean([getattr(e, side) for e in own]):.1f}" for side in ("below", "above"))
            lines.append(
                f"| `{method}` | {len(own)} | {np.mean(cover < 0.93):.1%} | {cover.mean():.1%} | {cover.min():.1%} | "
                f"{tails} | {wide:.3f} |"
            )
        worst = sorted((e for e in rows if e.method == RIVALS[metric][1]), key=lambda e: e.coverage)[:5]
        lines += ["", f"Weakest cells of `{RIVALS[metric][1]}`: "]
        lines += [f"- {each.coverage:.1%} ({each.below:.1%} / {each.above:.1%}): {each.cell}" for each in worst] + [""]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--quick", action="store_const", const=100, dest="samples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--metric", action="append", choices=list(RIVALS))
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    with np.errstate(all="ignore"):
        found = [
            each
            for metric in given.metric or RIVALS
            for family in families()
            for n, prevalence in GRID
            for each in study(metric, family, n, prevalence, given.samples // SLOW.get(metric, 1), given.seed)
        ]
    text = report(found)
    print(text)
    if given.output:
        given.output.write_text(text, encoding="utf-8")
    return int(any(_misses(name, found) for name in ("auroc", "average_precision")))


def _misses(metric: str, found: list[Tally]) -> bool:
    """Whether too many cells of the default lie below 93%, by more than two standard errors of the simulation."""
    own = [each for each in found if each.metric == metric and each.method == METRICS[metric].interval]
    weak = [each.coverage + 2 * np.sqrt(0.93 * 0.07 / each.samples) < 0.93 for each in own]
    return bool(own) and np.mean(weak) > 0.05


if __name__ == "__main__":
    sys.exit(main())

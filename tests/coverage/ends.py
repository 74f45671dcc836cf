"""Intervals near the ends: largest Youden J, Kolmogorov and Smirnov's distance, H-measure, AUCH.

    python tests/coverage/ends.py [--quick] [--samples 400] [--output docs/coverage-ends.md]

Useless, fair and nearly perfect models, five distinct values, and few positives, with fixed class sizes. A 95% interval
must hold the truth in at least 93% of the samples; it fails where it does not by more than two Monte-Carlo errors.
"Chance left out" says how often the lower limit of a useless model lies above chance (2.5% are allowed for), and
"p < .05" how often its test against chance is that small. The exit code is 1 if an interval fails anywhere.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from unconfuse.metrics import METRICS
from unconfuse.table import ScoreTable, Settings
from unconfuse.uncertainty import estimate_scores

NAMES = ("max_youden", "ks", "h_measure", "auch")
BESIDE = ("max_mcc",)  # siblings: shown, not required
RESAMPLES = 200
LEAST = 0.93


@dataclass(frozen=True)
class Cell:
    """Normal scores, all of them or rounded to five values."""

    positives: int
    negatives: int
    auroc: float
    values: int = 0

    @property
    def shift(self) -> float:
        return float(np.sqrt(2) * stats.norm.ppf(self.auroc))

    def table(self, rng: np.random.Generator, times: int = 1) -> ScoreTable:
        truth = np.arange(times * (self.positives + self.negatives)) < times * self.positives
        score = rng.normal(size=len(truth)) + self.shift * truth
        if self.values:
            half = (self.values - 1) // 2
            score = np.clip(np.round((score - self.shift / 2) / 0.8), -half, half)
        return ScoreTable.from_rows(truth, score)

    def truth(self) -> dict[str, float]:
        """Of a useless model exactly chance; else of half a million cases, in which the best is hardly flattered."""
        if self.auroc == 0.5:
            return {name: float(METRICS[name].baseline(0.5, 0.5)) for name in (*NAMES, *BESIDE)}
        many = self.table(np.random.default_rng(0), 500_000 // (self.positives + self.negatives))
        return {name: float(METRICS[name](many)) for name in (*NAMES, *BESIDE)}

    def __str__(self) -> str:
        what = f", {self.values} values" if self.values else ""
        return f"{self.positives} of {self.positives + self.negatives}, AUROC {self.auroc:g}{what}"


GRID = (
    Cell(20, 20, 0.5),
    Cell(150, 150, 0.5),
    Cell(12, 588, 0.5),
    Cell(60, 140, 0.5, 5),
    Cell(3, 47, 0.5),
    Cell(50, 50, 0.65),
    Cell(50, 50, 0.8),
    Cell(30, 970, 0.8),
    Cell(5, 95, 0.8),
    Cell(60, 140, 0.75, 5),
    Cell(20, 20, 0.95),
    Cell(50, 50, 0.995),
    Cell(12, 588, 0.995),
)


def tallies(cell: Cell, samples: int) -> dict[str, np.ndarray]:
    """By metric: shares of samples with the truth below, above, mean width, chance left out, small p-values."""
    rng, truth = np.random.default_rng(zlib.crc32(str(cell).encode())), cell.truth()
    found: dict[str, list] = {name: [] for name in truth}
    for seed in range(samples):
        design = Settings(n_resamples=RESAMPLES, seed=seed)
        made = estimate_scores([METRICS[name] for name in truth], cell.table(rng), design)
        for name, each in made.items():
            small = each.p_value_against() < 0.05 if cell.auroc == 0.5 else np.nan
            row = (each.low > truth[name] + 1e-9, each.high < truth[name] - 1e-9, each.high - each.low)
            found[name].append((*row, each.low > each.baseline, small))
    return {name: np.mean(rows, axis=0) for name, rows in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--output", type=Path, help="write the tables as Markdown")
    options = parser.parse_args()
    samples, failed = 100 if options.quick else options.samples, False
    lines = [
        "# Coverage near the ends of the range",
        "",
        __doc__.split("\n\n", 2)[2].strip(),
        "",
        f"{samples} samples a cell.",
        "",
    ]
    head = "| cell | coverage | truth below / above | width | chance left out | p < .05 |"
    rows: dict[str, list[str]] = {
        name: [f"## {name}", "", head, "|---|---|---|---|---|---|"] for name in (*NAMES, *BESIDE)
    }
    for cell in GRID:
        for name, (below, above, width, out, small) in tallies(cell, samples).items():
            cover = 1 - below - above
            error = np.sqrt(max(cover * (1 - cover), 1 / samples) / samples)
            failed |= name in NAMES and cover + 2 * error < LEAST
            chance = f"{out:.1%} | {small:.1%}" if cell.auroc == 0.5 else "|"
            rows[name].append(f"| {cell} | {cover:.1%} | {below:.1%} / {above:.1%} | {width:.3f} | {chance} |")
    text = "\n".join(lines + [line for each in rows.values() for line in [*each, ""]])
    if options.output:
        options.output.write_text(text)
    print(text)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

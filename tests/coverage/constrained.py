"""How often intervals of metrics under a constraint hold the truth: one model, and the difference of two.

    python tests/coverage/constrained.py [--samples 2000] [--only recall] [--output docs/coverage-constrained.md]

A setting is a metric, a family of scores, how many cases there are and which share is positive. The requirement: 95%
intervals hold the truth in at least 92.5% of the samples of every setting, less two standard errors of the simulation.
Where precision is flat at the top (gamma scores) intervals say so. The exit code is 1 if a setting misses it.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
import zlib
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

import unconfuse as uc
from unconfuse.metrics import find_metric

LEAST = 0.925
LARGE = 4_000_000  # cases of the population that says the truth
METRICS = (
    "sensitivity_at_specificity(0.9)",
    "specificity_at_sensitivity(0.95)",
    "precision_at_recall(0.9)",
    "recall_at_precision(0.8)",
)
FAMILIES = {
    "normal": lambda rng, y: rng.normal(size=len(y)) + 1.5 * y,
    "unequal": lambda rng, y: rng.normal(size=len(y)) * (1 + 0.5 * y) + 2 * y,
    "gamma": lambda rng, y: rng.gamma(2 + 2 * y),
    "ten values": lambda rng, y: np.round(2 * (rng.normal(size=len(y)) + 1.5 * y)),
}
SIZES = ((60, 0.5), (200, 0.3), (1000, 0.1))


@dataclass(frozen=True)
class Setting:
    """A metric, a family of scores, how many cases and which share of them is positive; of two models if `paired`."""

    metric: str
    family: str
    n: int
    prevalence: float
    paired: bool

    @property
    def seed(self) -> int:
        return zlib.crc32(repr(self).encode())


def truths(family: str, prevalence: float) -> dict[str, float]:
    """Every metric in a population."""
    rng = np.random.default_rng(7)
    y = rng.random(LARGE) < prevalence
    table = uc.score_table(y, FAMILIES[family](rng, y))
    return {name: float(find_metric(name)(table)) for name in METRICS}


def held(setting: Setting, truth: float, samples: int) -> tuple[float, float]:
    """How often the interval holds the truth, and its mean width."""
    rng = np.random.default_rng(setting.seed)
    inside, widths = 0, []
    for _ in range(samples):
        y = rng.random(setting.n) < setting.prevalence
        if min(y.sum(), (~y).sum()) < 3:
            y[:6] = [True, True, True, False, False, False]
        scores = [FAMILIES[setting.family](rng, y) for _ in range(1 + setting.paired)]
        found = _difference(setting, y, *scores) if setting.paired else _one(setting, y, *scores)
        aim = 0.0 if setting.paired else truth
        inside += np.isnan(found.low) or found.low - 1e-9 <= aim <= found.high + 1e-9
        widths.append(found.high - found.low)
    return inside / samples, float(np.nanmean(widths)) if not np.isnan(widths).all() else np.nan


def _one(setting: Setting, y: np.ndarray, s: np.ndarray) -> uc.Estimate:
    return uc.evaluate(y, s, metrics=[setting.metric])[setting.metric]


def _difference(setting: Setting, y: np.ndarray, a: np.ndarray, b: np.ndarray) -> uc.Estimate:
    """Of two models that are equally good."""
    found = uc.compare(y, {"a": a, "b": b}, metrics=[setting.metric], n_resamples=400)
    return found[setting.metric, "a", "b"].difference


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--only", default="")
    parser.add_argument("--family", default="")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    lines, missed = [], False
    for family, (n, prevalence) in product(FAMILIES, SIZES):
        if asked.family not in family:
            continue
        truth = truths(family, prevalence)
        for metric, paired in product(METRICS, (False, True)):
            if asked.only not in metric:
                continue
            setting = Setting(metric, family, n, prevalence, paired)
            samples = max(asked.samples // (10 if paired else 1), 20)
            share, width = held(setting, truth[metric], samples)
            below = share < LEAST - 2 * np.sqrt(0.05 * 0.95 / samples)
            missed |= below
            what = "difference" if paired else f"{truth[metric]:.3f}"
            cells = (
                metric,
                family,
                n,
                prevalence,
                what,
                f"{share:.3f}{' **missed**' if below else ''}",
                f"{width:.2f}",
            )
            lines.append(f"| {' | '.join(map(str, cells))} |")
            print(lines[-1], flush=True)
    if asked.output:
        asked.output.write_text(page(lines, asked.samples), encoding="utf-8")
    return int(missed)


def page(lines: list[str], samples: int) -> str:
    """The page of the documentation."""
    words = (
        f"`python tests/coverage/constrained.py`: {samples:,} samples in each setting, a tenth of them for differences "
        "of two equally good models. The truth is the value in a population of four million cases. At least 92.5% is "
        'required of 95% intervals, less two standard errors of the simulation. A difference without an interval ("no '
        'case may be on the wrong side") counts as held.'
    )
    names = ("metric", "scores", "cases", "prevalence", "truth", "held", "mean width")
    table = [f"| {' | '.join(names)} |", "|---" * len(names) + "|", *lines]
    head = ["# Coverage of metrics under a constraint", "", *textwrap.wrap(words, 130, break_long_words=False), ""]
    return "\n".join([*head, *table]) + "\n"


if __name__ == "__main__":
    sys.exit(main())

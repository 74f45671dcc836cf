"""Two models on the same few cases: how often equal ones are told apart, and how often unequal ones.

    python tests/coverage/paired_tests.py [--samples 2000] [--output docs/coverage-tests.md]

Scores are normal, correlated within a class; probabilities are right. Beside the default p-values stand those that most
people compute: DeLong's, of the AUROC, and Student's paired t of the cases' losses. The requirement: equal models have
p of at most .05 in at most 5.5% of the samples, two standard errors of the simulation allowed, and where they differ
the default finds at least nine tenths of what the usual test finds. The exit code is 1 if a setting misses it.
"""

from __future__ import annotations

import argparse
import sys
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.special import expit, ndtr

import unconfuse as uc

MOST, SHARE_OF_POWER = 0.055, 0.9
METRICS = ("auroc", "average_precision", "brier", "log_loss", "accuracy")
USUAL = {"auroc": "DeLong", "brier": "t", "log_loss": "t"}


@dataclass(frozen=True)
class Setting:
    """How many cases, how common positives are, how far apart each model has the classes, and what models share."""

    n: int
    prevalence: float
    first: float
    second: float
    common: float = 0.5

    def __str__(self) -> str:
        first, second = (float(ndtr(each / np.sqrt(2))) for each in (self.first, self.second))
        return f"{self.n} | {self.prevalence:g} | {first:.3f} | {second:.3f} | {self.common:g}"

    @property
    def equal(self) -> bool:
        return self.first == self.second


SETTINGS = tuple(
    Setting(n, prevalence, *apart)
    for n, prevalence in ((60, 0.5), (60, 0.3), (60, 0.15), (200, 0.3))
    for apart in ((0.8, 0.8), (2.2, 2.2), (2.8, 2.8), (3.6, 3.6), (3.2, 2.2), (3.6, 2.4, 0.2))
)


def drawn(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels and both models' probabilities; both kinds of cases occur."""
    y = rng.random(setting.n) < setting.prevalence
    if not 2 <= y.sum() <= setting.n - 2:
        return drawn(setting, rng)
    noise, own = rng.normal(size=setting.n), rng.normal(size=(2, setting.n))
    odds = np.log(setting.prevalence / (1 - setting.prevalence))
    scores = []
    for apart, each in zip((setting.first, setting.second), own, strict=True):
        score = apart * y + np.sqrt(setting.common) * noise + np.sqrt(1 - setting.common) * each
        scores.append(expit(apart * score - apart**2 / 2 + odds))
    return y, *scores


def delong(y: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The two-sided p-value of DeLong's test, from placements."""
    wins = [(s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y]) for s in (first, second)]
    gap = wins[0] - wins[1]
    variance = sum(each.var(ddof=1) / len(each) for each in (gap.mean(axis=1), gap.mean(axis=0)))
    return float(2 * ndtr(-abs(gap.mean()) / np.sqrt(variance))) if variance > 0 else 1.0


def usual(y: np.ndarray, first: np.ndarray, second: np.ndarray) -> list[float]:
    """The p-values that most people compute."""
    squares = ((first - y) ** 2, (second - y) ** 2)
    logs = (np.log(np.where(y, each, 1 - each)) for each in (first, second))
    return [delong(y, first, second), *(float(stats.ttest_rel(*each).pvalue) for each in (squares, logs))]


def found(setting: Setting, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """How often p is at most .05: by default in each metric, and by the usual tests."""
    rng = np.random.default_rng(zlib.crc32(repr(setting).encode()))
    default, others = np.zeros(len(METRICS)), np.zeros(len(USUAL))
    for seed in range(samples):
        y, first, second = drawn(setting, rng)
        compared = uc.compare(y, {"a": first, "b": second}, metrics=METRICS, n_resamples=500, rng=seed)
        default += [compared[metric, "a", "b"].p_value <= 0.05 for metric in METRICS]
        others += np.array(usual(y, first, second)) <= 0.05
    return default / samples, others / samples


def row(setting: Setting, samples: int) -> tuple[str, bool]:
    """A line of the table, and whether it misses the requirement."""
    default, others = found(setting, samples)
    beside = dict(zip(USUAL, others, strict=True))
    if setting.equal:
        missed = default.max() > MOST + 2 * np.sqrt(MOST * (1 - MOST) / samples)
    else:
        error = 2 * np.sqrt(0.25 / samples)
        by_metric = dict(zip(METRICS, default, strict=True))
        missed = any(by_metric[metric] < SHARE_OF_POWER * share - error for metric, share in beside.items())
    cells = [
        f"{100 * share:.1f}%" + (f" ({100 * beside[metric]:.1f}%)" if metric in beside else "")
        for metric, share in zip(METRICS, default, strict=True)
    ]
    return f"| {setting} | {' | '.join(cells)} |", bool(missed)


def page(equal: list[str], unequal: list[str], samples: int) -> str:
    """The page of the documentation."""
    names = [f"{metric} ({USUAL[metric]})" if metric in USUAL else metric for metric in METRICS]
    heads = ["cases", "positive", "AUROC of one", "of the other", "common", *names]
    table = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join(
        [
            "# Tests of two models on the same few cases",
            "",
            f"Made by `tests/coverage/paired_tests.py`: how often p is at most .05 in {samples:,} samples of each "
            'setting. Scores are normal, "common" is the share of their variance that both models have in common '
            "within a class, and probabilities are right. In brackets are the usual tests on the same samples: "
            "DeLong's, and Student's paired t of the cases' losses.",
            "",
            "## Equal models",
            "",
            "At most 5% should be told apart.",
            "",
            *table,
            *equal,
            "",
            "## Unequal models",
            "",
            *table,
            *unequal,
            "",
        ]
    )


def main() -> int:
    """Print the tables, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--quick", action="store_const", const=100, dest="samples", help="100 samples")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    lines: dict[bool, list[str]] = {True: [], False: []}
    any_missed = False
    for setting in SETTINGS:
        line, missed = row(setting, asked.samples)
        lines[setting.equal].append(line)
        any_missed |= missed
        print(line + (" missed" if missed else ""), flush=True)
    if asked.output:
        asked.output.write_text(page(lines[True], lines[False], asked.samples), encoding="utf-8")
    return int(any_missed)


if __name__ == "__main__":
    sys.exit(main())

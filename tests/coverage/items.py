"""How often the intervals of items, runs and judges hold the truth, and how often any alike models are told apart.

    python tests/coverage/items.py [--samples 2000] [--only mean] [--output docs/coverage-items.md]

Items have a difficulty, and each model its own luck with each; logistic. The requirement: at least 93% cover, and alike
models are told apart at most 6% of the time (two standard errors of the simulation allowed). The exit code is 1 if a
setting misses it.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from unconfuse.multilevel import items, pairs, rated_items

LEAST, MOST = 0.93, 0.06
SHARED, OWN, CLUSTERED = 1.5, 1.0, 1.5  # standard deviations of the logits: of items, of a model's luck, of clusters
NORMAL = np.random.default_rng(99).normal(size=400_000)
MODELS = 4


@dataclass(frozen=True)
class Setting:
    """What is asked, of how many items (or clusters, or checked items), how accurate, with how many runs."""

    question: str
    n: int
    accuracy: float
    runs: int


@lru_cache
def intercept(accuracy: float, spread: float) -> float:
    """The logit of an average item at which the mean over items is this."""
    return float(brentq(lambda at: expit(at + spread * NORMAL).mean() - accuracy, -20, 20))


def drawn(rng: np.random.Generator, setting: Setting, models: int = 1) -> tuple[items.ItemScores, np.ndarray]:
    """Scores of models that are alike, and each one's chance with each item."""
    clustered = setting.question == "clusters"
    sizes = rng.integers(1, 10, setting.n) if clustered else np.ones(setting.n, dtype=int)
    code = np.repeat(np.arange(setting.n), sizes)
    between = CLUSTERED * rng.normal(size=setting.n)[code] if clustered else np.zeros(len(code))
    spread = float(np.sqrt(SHARED**2 + OWN**2 + clustered * CLUSTERED**2))
    logit = intercept(setting.accuracy, spread) + between + SHARED * rng.normal(size=len(code))
    chance = expit(logit[:, None] + OWN * rng.normal(size=(len(code), models)))
    mean = rng.binomial(setting.runs, chance) / setting.runs
    within = mean * (1 - mean) * setting.runs / max(setting.runs - 1, 1)
    runs = np.full(mean.shape, setting.runs)
    return items.ItemScores(mean, within, runs, code if clustered else None), chance


def mean(rng: np.random.Generator, setting: Setting) -> bool:
    """Whether the interval for new items holds the mean of all of them."""
    scores, _ = drawn(rng, setting)
    low, high, _ = items.mean_limits(scores.mean[:, 0], scores, 0.95)
    return low <= setting.accuracy <= high


def same(rng: np.random.Generator, setting: Setting) -> bool:
    """Whether the interval for new runs holds the mean chance of these items."""
    scores, chance = drawn(rng, setting)
    low, high, _ = items.same_items_limits(scores, 0, 0.95)
    return low <= chance.mean() <= high


def passed(rng: np.random.Generator, setting: Setting) -> bool:
    """Whether the interval of pass@5 holds it."""
    scores, _ = drawn(rng, setting)
    right = np.rint(scores.mean[:, 0] * setting.runs).astype(int)
    low, high, _ = items.mean_limits(items.pass_at(right, scores.runs[:, 0], 5), scores, 0.95)
    spread = float(np.sqrt(SHARED**2 + OWN**2))
    truth = (1 - (1 - expit(intercept(setting.accuracy, spread) + spread * NORMAL)) ** 5).mean()
    return bool(low <= truth <= high)


def alike(rng: np.random.Generator, setting: Setting) -> bool:
    """Whether none of four alike models is told apart."""
    found = pairs.differences(drawn(rng, setting, MODELS)[0])
    return found.p_value(float(np.abs(found.value / found.error).max())) >= 0.05


def judged(rng: np.random.Generator, setting: Setting) -> bool:
    """Whether the corrected interval holds the truth: a judge wrong in 10%, ten times as many items as checks."""
    truth = rng.random(11 * setting.n) < setting.accuracy
    said = truth ^ (rng.random(len(truth)) < 0.1)
    y, f, others = truth[: setting.n] * 1.0, said[: setting.n] * 1.0, said[setting.n :] * 1.0
    found = rated_items.corrected(y, f, others)
    low, high = rated_items.share_limits(found.value, found.standard_error, setting.n, 0.95)
    return low <= setting.accuracy <= high


QUESTIONS: dict[str, tuple[Callable[[np.random.Generator, Setting], bool], tuple[int, ...], tuple[int, ...]]] = {
    "mean": (mean, (20, 50, 300), (1, 4)),
    "clusters": (mean, (10, 20, 60), (1, 4)),
    "same": (same, (20, 50, 300), (2, 4)),
    "pass": (passed, (20, 50, 300), (10,)),
    "alike": (alike, (20, 50, 300), (1, 4)),
    "judged": (judged, (20, 50, 100), (1,)),
}
WORDS = {
    "mean": "mean, new items",
    "clusters": "mean, new clusters of 1 to 9 items",
    "same": "mean, same items, new runs",
    "pass": "pass@5",
    "alike": "no two of four alike models told apart",
    "judged": "mean, judge wrong in 10%, so many checked",
}


def settings(only: str | None) -> Iterator[Setting]:
    """Every question, size, accuracy and number of runs."""
    for question in [only] if only else QUESTIONS:
        _, sizes, runs = QUESTIONS[question]
        for n, accuracy, times in product(sizes, (0.5, 0.9, 0.98), runs):
            yield Setting(question, n, accuracy, times)


def row(setting: Setting, samples: int) -> tuple[str, bool]:
    """A line of the table, and whether it misses the requirement."""
    rng = np.random.default_rng(zlib.crc32(repr(setting).encode()))
    ask = QUESTIONS[setting.question][0]
    share = np.mean([ask(rng, setting) for _ in range(samples)])
    least = 1 - MOST if setting.question == "alike" else LEAST
    missed = share < least - 2 * np.sqrt(least * (1 - least) / samples)
    head = f"| {WORDS[setting.question]} | {setting.n} | {setting.accuracy:g} | {setting.runs} |"
    return f"{head} {100 * share:.1f}%{' (missed)' if missed else ''} |", bool(missed)


def main() -> int:
    """Print the table, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--only", choices=QUESTIONS)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    rows = []
    for setting in settings(asked.only):
        rows.append(row(setting, asked.samples))
        print(rows[-1][0], flush=True)
    if asked.output:
        asked.output.write_text(page([line for line, _ in rows], asked.samples), encoding="utf-8")
    return int(any(missed for _, missed in rows))


def page(lines: list[str], samples: int) -> str:
    """The page of the documentation."""
    words = (
        f"`python tests/coverage/items.py`: {samples:,} simulated tests in each setting. Items differ in difficulty "
        f"(standard deviation {SHARED:g} on the logit scale), each model has its own luck with each ({OWN:g}), and "
        f"clusters differ by {CLUSTERED:g}. Required: at least 93%, and 94% for alike models that are not told apart."
    )
    names = ("question", "items", "accuracy", "runs", "holds")
    table = [f"| {' | '.join(names)} |", "|---" * len(names) + "|", *lines]
    head = ["# How often intervals of items and runs hold the truth", ""]
    return "\n".join([*head, *textwrap.wrap(words, 130, break_long_words=False), "", *table]) + "\n"


if __name__ == "__main__":
    sys.exit(main())

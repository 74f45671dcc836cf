"""How often intervals of summaries of several classes hold the truth, and how often equal models are told apart.

    python tests/coverage/multiclass.py [--trials 2000] [--only small] [--output docs/coverage-multiclass.md]

Samples of 300 cases of 3 unequal classes; samples of 30 to 200 cases, of 3 to 5 classes, some of them rare; and two
equally good models of cases with a rare class. The truth comes from a million cases (of small samples 400,000). Exits
with 1 if a metric's coverage leaves 92..98% of 300 cases; if fewer than 95% of the cells of small samples reach 93%, or
if equal models have p < .05 in more than 5.5%, two standard errors of the simulation allowed for both.
"""

from __future__ import annotations

import argparse
import sys
import warnings
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import unconfuse as uc
from unconfuse.ingest import Data, read
from unconfuse.metrics import find_metric

NAMES = (
    "accuracy",
    "balanced_accuracy",
    "mcc",
    "cohen_kappa",
    "f1_macro",
    "f1_weighted",
    "precision_macro",
    "log_loss",
    "brier",
    "auroc_ovr_macro",
    "auroc_ovr_weighted",
    "auroc_hand_till",
    "aurc",
    "top_k_accuracy(2)",
    "ece_classwise",
    "ece_top_label",
)
REQUIRED = (0.92, 0.98)
SHARES = np.array([0.5, 0.3, 0.2])
SMALL = ("accuracy", "balanced_accuracy", "mcc", "cohen_kappa", "f1_macro", "f1_weighted", "precision_macro")
SMALL += ("precision_weighted", "auroc_ovr_macro", "auroc_hand_till", "log_loss", "brier")
TESTS = ("f1_macro", "precision_macro", "auroc_ovr_macro", "auroc_hand_till", "log_loss", "brier")
LEAST, SHARE_OF_CELLS, MOST = 0.93, 0.95, 0.055
HEATED = 1.3  # how much too sure models are of their probabilities


@dataclass(frozen=True)
class Cell:
    """How many cases, the classes' shares, and how well they can be told apart."""

    n: int
    shares: tuple[float, ...]
    strength: float

    def __str__(self) -> str:
        return f"{self.n} | {', '.join(f'{each:g}' for each in self.shares)} | {self.strength:g}"

    def drawn(self, rng: np.random.Generator, models: int = 1) -> tuple[np.ndarray, list[np.ndarray]]:
        """Labels of which all classes occur (where one is missing, an average is another quantity), and models."""
        size = len(self.shares)
        while len(np.unique(y := rng.choice(size, self.n, p=self.shares))) < size:
            pass
        return y, [scores(y, np.array(self.shares), self.strength, rng) for _ in range(models)]

    @cache  # noqa: B019  cells are constants
    def truth(self) -> dict[str, float]:
        rng = np.random.default_rng(1)
        y = rng.choice(len(self.shares), 400_000, p=self.shares)
        population = read(Data(y, scores(y, np.array(self.shares), self.strength, rng)))
        return {name: float(np.asarray(find_metric(name, several=True)(population))) for name in SMALL}


EQUAL, UNEQUAL, FIVE = (0.25,) * 4, (0.5, 0.3, 0.2), (0.4, 0.3, 0.15, 0.1, 0.05)
SMALL_CELLS = tuple(
    Cell(n, shares, strength)
    for n, shares in (
        *((n, shares) for n in (30, 60) for shares in (UNEQUAL, EQUAL)),
        (60, FIVE),
        (100, UNEQUAL),
        (200, FIVE),
        *((n, (0.57, 0.38, 0.05)) for n in (30, 60, 200)),
    )
    for strength in (1.5, 3.0)
)
NULLS = tuple(
    Cell(n, (round(0.6 * (1 - rare), 3), round(0.4 * (1 - rare), 3), rare), strength)
    for n, rare, strength in ((100, 0.03, 1.5), (100, 0.07, 1.5), (300, 0.01, 1.5), (300, 0.03, 3.0), (60, 0.05, 3.0))
)


def scores(y: np.ndarray, shares: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """Overconfident probabilities."""
    logits = rng.normal(size=(len(y), len(shares))) + np.log(shares)
    logits[np.arange(len(y)), y] += strength
    raised = np.exp(HEATED * logits)
    return raised / raised.sum(axis=1, keepdims=True)


def sample(n, rng, strength=1.2):
    """Labels and overconfident probabilities."""
    y = rng.choice(3, n, p=SHARES)
    return y, scores(y, SHARES, strength, rng)


def coverage(trials, n=300, seed=0, names=NAMES, *, n_resamples=1000):
    """Share of intervals that hold the truth, and the mean share below and above, by metric."""
    rng = np.random.default_rng(seed)
    population = read(Data(*sample(1_000_000, rng)))
    truth = {name: find_metric(name, several=True)(population) for name in names}
    held = dict.fromkeys(names, 0)
    for trial in range(trials):
        ev = uc.evaluate(*sample(n, rng), metrics=names, n_resamples=n_resamples, rng=trial)
        for name in names:
            held[name] += ev[name].low <= truth[name] <= ev[name].high
    return {name: held[name] / trials for name in names}


def tails(cell: Cell, trials: int) -> dict[str, np.ndarray]:
    """By metric, how often the truth lies below and above the interval, and its mean width."""
    rng, truth = np.random.default_rng(zlib.crc32(repr(cell).encode())), cell.truth()
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in SMALL}
    for trial in range(trials):
        y, (model,) = cell.drawn(rng)
        made = uc.evaluate(y, model, classes=range(len(cell.shares)), metrics=SMALL, n_resamples=400, rng=trial)
        for name in SMALL:
            each = made[name]
            if np.isfinite(each.low):
                found[name].append((truth[name] < each.low, truth[name] > each.high, each.high - each.low))
    return {name: np.mean(each, axis=0) for name, each in found.items()}


def small_report(trials: int) -> tuple[str, bool]:
    """The section of small samples, and whether too many cells miss the requirement."""
    rows, worst, missed = [], {}, []
    slack = 2 * np.sqrt(LEAST * (1 - LEAST) / trials)
    for cell in SMALL_CELLS:
        made = tails(cell, trials)
        shown = []
        for name, (below, above, width) in made.items():
            cover = 1 - below - above
            missed.append(cover < LEAST - slack)
            worst[name] = min(worst.get(name, (1.0, "")), (cover, str(cell)))
            shown.append(f"{cover:.1%} ({below:.1%}, {above:.1%}), {width:.2f}")
        rows.append(f"| {cell} | {' | '.join(shown)} |")
        print(rows[-1], flush=True)
    share = 1 - float(np.mean(missed))
    lines = [
        f"{trials:,} samples in each of {len(SMALL_CELLS)} settings: cases, the classes' shares, and how far apart "
        "they are. In each cell: coverage (truth below, above), mean width. "
        f"{share:.1%} of the cells hold the truth in at least {LEAST:.0%} of the samples, up to chance (wanted: "
        f"{SHARE_OF_CELLS:.0%}). Worst: "
        + "; ".join(f"{name} {cover:.1%} ({where.replace(' |', ',')})" for name, (cover, where) in worst.items())
        + ".",
        "",
        f"| cases | shares | apart | {' | '.join(SMALL)} |",
        "|---" * (3 + len(SMALL)) + "|",
        *rows,
    ]
    return "\n".join(lines) + "\n", share < SHARE_OF_CELLS


def tests_report(trials: int) -> tuple[str, bool]:
    """The section of equal models, and whether one test errs too often."""
    lines = [
        f"{trials:,} samples in each setting, two models that are equally good: how often p < .05.",
        "",
        f"| cases | shares | apart | {' | '.join(TESTS)} |",
        "|---" * (3 + len(TESTS)) + "|",
    ]
    most = 0.0
    for cell in NULLS:
        rng, small = np.random.default_rng(zlib.crc32(repr(cell).encode())), np.zeros(len(TESTS))
        for trial in range(trials):
            y, (first, second) = cell.drawn(rng, models=2)
            how = {"classes": range(len(cell.shares)), "metrics": TESTS, "n_resamples": 400, "rng": trial}
            made = uc.compare(y, {"a": first, "b": second}, **how)
            small += [made[name, "a", "b"].p_value < 0.05 for name in TESTS]
        most = max(most, float(small.max()) / trials)
        lines.append(f"| {cell} | {' | '.join(f'{each:.1%}' for each in small / trials)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n", most > MOST + 2 * np.sqrt(MOST * (1 - MOST) / trials)


def usual_report(trials: int) -> tuple[str, bool]:
    """The section of 300 cases, and whether a metric leaves the required range."""
    found = coverage(trials)
    lines = [
        f"{trials:,} samples of 300 cases in 3 classes (shares 0.5, 0.3, 0.2), 95% intervals, cohort design. The "
        f"truth comes from a million cases. Required: {REQUIRED[0]:.0%} to {REQUIRED[1]:.0%}.",
        "",
        "| metric | coverage |",
        "| --- | --- |",
        *(f"| {name} | {share:.1%} |" for name, share in found.items()),
    ]
    return "\n".join(lines) + "\n", any(not REQUIRED[0] <= share <= REQUIRED[1] for share in found.values())


TITLE = "# Coverage of intervals for several classes"
PARTS = {
    "usual": ("300 cases", usual_report),
    "small": ("Small samples and rare classes", small_report),
    "tests": ("Equal models with a rare class", tests_report),
}


def page(parts: dict[str, str], output: Path | None) -> str:
    """The page; parts that were not run again are those of the last run."""
    before = output.read_text() if output is not None and output.exists() else ""
    chapters = []
    for name, (head, _) in PARTS.items():
        kept = before.partition(f"## {head}\n\n")[2].partition("\n## ")[0].rstrip() + "\n"
        chapters.append(f"## {head}\n\n{parts.get(name, kept)}")
    return f"{TITLE}\n\nMade by `tests/coverage/multiclass.py`.\n\n" + "\n".join(chapters)


def main() -> None:
    """Run, print or write a page, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", "--samples", type=int, default=2000)
    parser.add_argument("--quick", action="store_const", const=300, dest="trials", help="300 trials")
    parser.add_argument("--only", choices=PARTS, help="the others stay as they are on the page")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [options.only] if options.only else list(PARTS)
    made = {name: PARTS[name][1](options.trials) for name in chosen}
    text = page({name: words for name, (words, _) in made.items()}, options.output)
    print(text) if options.output is None else options.output.write_text(text)
    missed = [name for name, (_, bad) in made.items() if bad]
    sys.exit(f"requirement missed in {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()

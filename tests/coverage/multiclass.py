"""How often intervals of summaries of several classes hold the truth: `python tests/coverage/multiclass.py`.

Samples of 300 cases of 3 unequal classes; the truth comes from a million cases. Exits with 1 if a metric's coverage
leaves 92..98%.
"""

from __future__ import annotations

import argparse
import sys
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


def sample(n, rng, strength=1.2):
    """Labels and overconfident probabilities."""
    y = rng.choice(3, n, p=SHARES)
    logits = rng.normal(size=(n, 3)) + np.log(SHARES)
    logits[np.arange(n), y] += strength
    raised = np.exp(1.3 * logits)
    return y, raised / raised.sum(axis=1, keepdims=True)


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


def main() -> None:
    """Run, print or write a page, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--quick", action="store_true", help="300 trials")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    trials = 300 if options.quick else options.trials
    found = coverage(trials)
    lines = [
        "# Coverage of intervals for several classes",
        "",
        f"{trials:,} samples of 300 cases in 3 classes (shares 0.5, 0.3, 0.2), 95% intervals, cohort design. The "
        "truth comes from a million cases. Required: 92% to 98%.",
        "",
        "| metric | coverage |",
        "| --- | --- |",
    ]
    lines += [f"| {name} | {share:.1%} |" for name, share in found.items()]
    text = "\n".join(lines) + "\n"
    print(text) if options.output is None else options.output.write_text(text)
    missed = [name for name, share in found.items() if not REQUIRED[0] <= share <= REQUIRED[1]]
    sys.exit(f"outside the required range: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()

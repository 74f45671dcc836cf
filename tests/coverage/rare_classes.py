"""Several classes, one of them rare: how often intervals hold, and how often equal models are called different.

    python tests/coverage/rare_classes.py [--quick] [--repetitions 1000] [--output docs/coverage-rare-classes.md]

Intervals: samples of 30 to 200 cases with a class of 5%; both tails. Comparisons: two models that are equally good,
with a class of 1 to 7%; how often p is below 0.05. The truth comes from 400,000 cases of the same population. The exit
code is 1 if an interval or a p-value that is promised fails by more than two Monte Carlo errors; what is shown and not
promised says so.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import unconfuse as uc
from unconfuse.ingest import Data, read
from unconfuse.metrics import find_metric

INTERVALS = ("accuracy", "balanced_accuracy", "mcc", "f1_macro", "precision_macro", "npv_macro", "auroc_ovr_macro")
INTERVALS += ("auroc_hand_till", "log_loss", "brier")
TESTS = ("f1_macro", "precision_macro", "auroc_ovr_macro", "auroc_hand_till", "log_loss", "brier")
RARE = ((30, 0.05, 1.5), (60, 0.05, 1.5), (200, 0.05, 1.5), (30, 0.05, 3.0))  # cases, share of the rare class, strength
NULLS = ((100, 0.03, 1.5), (100, 0.07, 1.5), (300, 0.01, 1.5), (300, 0.03, 3.0), (60, 0.05, 3.0))
LEAST, MOST = 0.93, 0.05


def shares(rare: float) -> np.ndarray:
    """Two common classes and a rare one."""
    return np.array([0.6 * (1 - rare), 0.4 * (1 - rare), rare])


def probabilities(truth: np.ndarray, prior: np.ndarray, strength: float, rng: np.random.Generator) -> np.ndarray:
    """Of a model that sees the truth through noise."""
    logits = rng.normal(size=(len(truth), 3)) + np.log(prior)
    logits[np.arange(len(truth)), truth] += strength
    raised = np.exp(logits)
    return raised / raised.sum(axis=1, keepdims=True)


def labels(n: int, prior: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """All classes occur: an average over those that do is another quantity where one is missing."""
    while len(np.unique(truth := rng.choice(3, n, p=prior))) < 3:
        pass
    return truth


def held(cell: tuple[int, float, float], repetitions: int, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """By metric, how often the truth lies below and above the interval."""
    n, rare, strength = cell
    prior = shares(rare)
    many = rng.choice(3, 400_000, p=prior)
    population = read(Data(many, probabilities(many, prior, strength, rng)))
    truth = {name: float(np.asarray(find_metric(name, several=True)(population))) for name in INTERVALS}
    below, above, seen = (dict.fromkeys(INTERVALS, 0) for _ in range(3))
    for trial in range(repetitions):
        y = labels(n, prior, rng)
        found = uc.evaluate(
            y, probabilities(y, prior, strength, rng), classes=range(3), metrics=INTERVALS, n_resamples=400, rng=trial
        )
        for name in INTERVALS:
            if np.isfinite(found[name].low):
                seen[name] += 1
                below[name] += truth[name] < found[name].low
                above[name] += truth[name] > found[name].high
    return {name: (below[name] / max(seen[name], 1), above[name] / max(seen[name], 1)) for name in INTERVALS}


def called(cell: tuple[int, float, float], repetitions: int, rng: np.random.Generator) -> dict[str, float]:
    """By metric, how often equal models have p < 0.05."""
    n, rare, strength = cell
    prior = shares(rare)
    small = dict.fromkeys(TESTS, 0)
    for trial in range(repetitions):
        y = labels(n, prior, rng)
        models = {name: probabilities(y, prior, strength, rng) for name in "ab"}
        found = uc.compare(y, models, classes=range(3), metrics=TESTS, n_resamples=400, rng=trial)
        for name in TESTS:
            small[name] += found[name, "a", "b"].p_value < 0.05
    return {name: small[name] / repetitions for name in TESTS}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--only")
    options = parser.parse_args()
    if options.only != "tests":
        for cell in RARE:
            found = held(cell, options.repetitions, np.random.default_rng(1))
            print(cell, {k: (round(a, 3), round(b, 3)) for k, (a, b) in found.items()}, flush=True)
    if options.only != "intervals":
        for cell in NULLS:
            print(cell, called(cell, options.repetitions, np.random.default_rng(2)), flush=True)

"""Five classifiers as people meet them, each with its page: `python examples/gallery.py OUT_FOLDER`.

The data are drawn here, from a fixed seed; none is real.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import unconfuse as uc


def screening_test(path: Path) -> Path:
    """Four counts of a study in which half were ill, looked at where 2% are."""
    found = uc.evaluate_counts(tp=182, fp=11, fn=18, tn=189, design="case-control", name="screening test")
    return found.report(path, prevalence=0.02)


def fraud(path: Path) -> Path:
    """One payment in a thousand is fraud."""
    y, score = draw(seed=1, n=100_000, prevalence=0.001, separation=3.0)
    return uc.evaluate(y, score, threshold=0.1, name="fraud", n_resamples=500).report(path)


def spam_filter(path: Path) -> Path:
    """Nearly half of the mail is spam, and the scores are round numbers."""
    y, score = draw(seed=2, n=4_000, prevalence=0.4, separation=2.6)
    rounded = np.clip(score, 0.01, 0.99).round(2)
    return uc.evaluate(y, rounded, threshold=0.5, name="spam filter", n_resamples=500).report(path)


def readmission(path: Path) -> Path:
    """Who comes back to hospital within a month is hard to foresee, however many patients one has."""
    y, score = draw(seed=3, n=60_000, prevalence=0.11, separation=0.5)
    return uc.evaluate(y, score, threshold=0.15, name="readmission", n_resamples=500).report(path)


def swapped_labels(path: Path) -> Path:
    """A good model whose labels were read the wrong way round."""
    y, score = draw(seed=4, n=1_500, prevalence=0.35, separation=1.2)
    return uc.evaluate(~y, np.round(score, 3), threshold=0.5, name="swapped labels", n_resamples=500).report(path)


def draw(*, seed: int, n: int, prevalence: float, separation: float) -> tuple[Any, Any]:
    """Draw labels, and calibrated probabilities whose log odds are normal in each class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) < round(n * prevalence)
    x = rng.normal(size=n) + separation * y
    log_odds = separation * (x - separation / 2) + np.log(prevalence / (1 - prevalence))
    return y, 1 / (1 + np.exp(-log_odds))


CASES = {
    "screening-test": screening_test,
    "fraud": fraud,
    "spam-filter": spam_filter,
    "readmission": readmission,
    "swapped-labels": swapped_labels,
}


def write_pages(folder: Path) -> dict[str, Path]:
    """Write the page of each case into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return {name: case(folder / f"{name}.html") for name, case in CASES.items()}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/gallery.py OUT_FOLDER")
    for each in write_pages(Path(sys.argv[1])).values():
        print(each)

"""Fourteen results as people meet them, each with its page: `python examples/gallery.py OUT_FOLDER`.

The data are drawn here, from a fixed seed; none is real.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import unconfuse as uc
from unconfuse.demo import animals_path


def screening_test(path: Path) -> Path:
    """Four counts of a study in which half were ill, looked at where 2% are."""
    found = uc.evaluate_counts(tp=182, fp=11, fn=18, tn=189, design="case-control", name="screening test")
    return found.report(path, prevalence=0.02, positive_label="ill", unit="people")


def fraud(path: Path) -> Path:
    """One payment in a thousand is fraud."""
    y, score = draw(seed=1, n=100_000, prevalence=0.001, separation=3.0)
    return uc.evaluate(y, score, threshold=0.1, name="fraud", n_resamples=500).report(
        path, positive_label="fraudulent", unit="payments"
    )


def spam_filter(path: Path) -> Path:
    """Nearly half of the mail is spam, and the scores are round numbers."""
    y, score = draw(seed=2, n=4_000, prevalence=0.4, separation=2.6)
    rounded = np.clip(score, 0.01, 0.99).round(2)
    return uc.evaluate(y, rounded, threshold=0.5, name="spam filter", n_resamples=500).report(
        path, positive_label="spam", unit="letters"
    )


def readmission(path: Path) -> Path:
    """Who comes back to hospital within a month is hard to foresee, however many patients one has."""
    y, score = draw(seed=3, n=60_000, prevalence=0.11, separation=0.5)
    return uc.evaluate(y, score, threshold=0.15, name="readmission", n_resamples=500).report(
        path, positive_label="readmitted", unit="patients"
    )


def swapped_labels(path: Path) -> Path:
    """A good model whose labels were read the wrong way round."""
    y, score = draw(seed=4, n=1_500, prevalence=0.35, separation=1.2)
    return uc.evaluate(~y, np.round(score, 3), threshold=0.5, name="swapped labels", n_resamples=500).report(path)


def two_models(path: Path) -> Path:
    """Is the new model better than the old one?"""
    y, new = draw(seed=5, n=3_000, prevalence=0.12, separation=1.5)
    noise = np.random.default_rng(50).normal(0, 0.9, 3_000)
    old = 1 / (1 + np.exp(-(0.75 * np.log(new / (1 - new)) + noise - 0.4)))
    found = uc.compare(y, {"new": new, "old": old}, threshold=0.12, n_resamples=300)
    return found.report(path, title="New model against old", unit="customers")


def sites(path: Path) -> Path:
    """A model that finds fewer at one of five sites."""
    y, score = draw(seed=6, n=4_000, prevalence=0.15, separation=1.6)
    names = np.array(["Centre", "East", "North", "South", "West"])[np.random.default_rng(60).integers(0, 5, 4_000)]
    found = uc.evaluate(
        y, np.where(names == "West", score * 0.4, score), threshold=0.15, by={"site": names}, n_resamples=300
    )
    return found.report(path, title="Sepsis alert at five sites", positive_label="septic", unit="patients")


def animals(path: Path) -> Path:
    """Four classes, two of which look alike."""
    found = uc.evaluate(animals_path(), label="animal", scores="new_*", n_resamples=300)
    return found.report(path, title="Animals on photographs", unit="photographs")


def threshold_card(path: Path) -> Path:
    """Where to put the threshold, for two who pay."""
    y, score = draw(seed=7, n=3_000, prevalence=0.2, separation=1.4)
    costs = {"clinic": (1, 10), "payer": (5, 1)}
    found = uc.threshold_card(y, score.round(3), costs=costs, promises=["precision>=0.6"], n_resamples=100)
    return found.report(path, title="Which threshold?", unit="patients")


def few_cases(path: Path) -> Path:
    """Twelve cases cannot tell."""
    y = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    score = [0.9, 0.8, 0.55, 0.3, 0.85, 0.6, 0.4, 0.35, 0.3, 0.2, 0.2, 0.1]
    return uc.evaluate(y, score, threshold=0.5, n_resamples=200, name="twelve cases").report(path)


def perfect(path: Path) -> Path:
    """Too good to be true."""
    y = np.arange(200) < 40
    return uc.evaluate(y, np.where(y, 0.7, 0.2) + np.arange(200) / 1000, name="perfect scores", n_resamples=200).report(
        path
    )


def points_rule(path: Path) -> Path:
    """Points from 0 to 9, and nobody has chosen a threshold."""
    y, score = draw(seed=8, n=800, prevalence=0.25, separation=1.2)
    points = np.clip(np.round(4 + 1.5 * np.log(score / (1 - score))), 0, 9)
    found = uc.evaluate(y, points, n_resamples=200, name="points rule")
    return found.report(path, positive_label="ill", unit="patients")


def twelve_models(path: Path) -> Path:
    """Twelve versions of one model, whose names differ at the end."""
    y, best = draw(seed=9, n=2_000, prevalence=0.2, separation=1.6)
    noise = np.random.default_rng(90)
    log_odds = np.log(best / (1 - best))
    models = {
        f"gradient_boosting_with_calibration_v{number}": 1
        / (1 + np.exp(-log_odds - noise.normal(0, 0.15 * number, 2_000)))
        for number in range(1, 13)
    }
    found = uc.compare(y, models, metrics=["auroc"], n_resamples=200)
    return found.report(path, title="Twelve versions of one model", unit="customers")


def thirty_classes(path: Path) -> Path:
    """Thirty departments with long names that begin alike."""
    kinds = ("emergency medicine", "geriatric medicine", "internal medicine")
    names = [f"Department of {kind}, unit {unit}" for kind in kinds for unit in range(1, 11)]
    counts = np.random.default_rng(10).integers(0, 3, (30, 30))
    np.fill_diagonal(counts, np.random.default_rng(11).integers(40, 95, 30))
    counts[3, 4], counts[7, 8] = 60, 6
    found = uc.evaluate_confusion(counts, classes=names)
    return found.report(path, title="Which department a letter belongs to", unit="letters")


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
    "two-models": two_models,
    "sites": sites,
    "animals": animals,
    "threshold-card": threshold_card,
    "few-cases": few_cases,
    "perfect": perfect,
    "points-rule": points_rule,
    "twelve-models": twelve_models,
    "thirty-classes": thirty_classes,
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

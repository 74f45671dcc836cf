"""How often intervals hold the truth where cases were not simply drawn, and promises, gaps and bands.

    python tests/coverage/questions.py [--samples 400] [--only weights] [--output docs/coverage-questions.md]
    python tests/coverage/questions.py --cells cells.jsonl     # keeps finished settings there, and goes on from them

A cell is one population, design and metric. The requirement: at least 93% of the 95% intervals hold the truth in at
least 95% of the cells of each study, up to the Monte-Carlo error of a cell (two standard errors). The exit code is 1 if
a study misses it.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import ndtr

sys.path.insert(0, str(Path(__file__).parent))
from claims import of_bands, of_gaps, of_guarantee
from sampled import of_designs, of_weights

import unconfuse as uc

WANTED, SHARE_OF_CELLS = 0.93, 0.95


@dataclass(frozen=True)
class Cell:
    """One setting and one metric: how often the truth lay within, below and above the interval, and its mean width."""

    setting: str
    metric: str
    samples: int
    below: int
    above: int
    width: float

    @property
    def coverage(self) -> float:
        return (self.samples - self.below - self.above) / self.samples

    @property
    def fails(self) -> bool:
        """Below the requirement by more than chance allows."""
        return self.coverage + 2 * np.sqrt(WANTED * (1 - WANTED) / self.samples) < WANTED


@dataclass(frozen=True)
class Study:
    """What is drawn: a generator of evaluations with the truth of each metric."""

    name: str
    words: str
    settings: tuple[tuple[object, ...], ...]
    draw: Callable[..., Iterator[tuple[dict[str, object], dict[str, float]]]]


def cells_of(study: Study, setting: tuple[object, ...], samples: int) -> Iterator[Cell]:
    name = ", ".join(map(str, setting))
    rng = np.random.default_rng(zlib.crc32(f"{study.name}/{name}".encode()))
    missed: dict[str, list[tuple[float, float, float]]] = {}
    for found, truth in study.draw(rng, samples, *setting):
        for metric, value in truth.items():
            each = found[metric]
            if np.isfinite(each.low) and np.isfinite(each.high):
                missed.setdefault(metric, []).append((value < each.low, value > each.high, each.high - each.low))
    for metric, outcomes in missed.items():
        below, above, width = np.array(outcomes).T
        yield Cell(name, metric, len(outcomes), int(below.sum()), int(above.sum()), float(width.mean()))


def kept_cells(study: Study, samples: int, path: Path | None) -> list[Cell]:
    """Cells of a study; settings that the file has with so many samples asked for are taken from it."""
    lines = path.read_text().splitlines() if path is not None and path.exists() else []
    kept = {(each["study"], each["setting"], each["asked"]): each["cells"] for each in map(json.loads, lines)}
    found = []
    for setting in study.settings:
        key = study.name, ", ".join(map(str, setting)), samples
        if key not in kept:
            kept[key] = [asdict(each) for each in cells_of(study, setting, samples)]
            if path is not None:
                with path.open("a") as file:
                    words = dict(zip(("study", "setting", "asked"), key, strict=True))
                    file.write(json.dumps(words | {"cells": kept[key]}) + "\n")
        found += [Cell(**each) for each in kept[key]]
    return found


# Folds


def of_folds(
    rng: np.random.Generator, samples: int, n: int, k: int, prevalence: float, apart: float
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """Models of k folds, each with a separation and a scale of its own; the truth is the mean of what they can do."""
    for _ in range(samples):
        own, shift = apart + rng.normal(size=k) * 0.2, rng.normal(size=k) * 0.3
        fold, y = np.arange(n) % k, rng.random(n) < prevalence
        if any(len(np.unique(y[fold == each])) < 2 for each in range(k)):
            continue
        s = rng.normal(size=n) + own[fold] * y + shift[fold]
        cut = apart / 2
        sensitivity, specificity = ndtr(own + shift - cut), ndtr(cut - shift)
        truth = {"auroc": ndtr(own / np.sqrt(2)), "sensitivity": sensitivity, "specificity": specificity}
        truth["accuracy"] = prevalence * sensitivity + (1 - prevalence) * specificity
        found = uc.evaluate(y, s, threshold=cut, folds=fold, metrics=list(truth))
        yield found, {name: float(np.mean(each)) for name, each in truth.items()}


# A judge


def average_precision(prevalence: float, apart: float) -> float:
    """Of normal scores: the mean precision over the positives' scores."""
    cut, step = np.linspace(-8, 10, 20_001, retstep=True)
    found, called = prevalence * ndtr(apart - cut), (1 - prevalence) * ndtr(-cut)
    return float((found / (found + called) * np.exp(-((cut - apart) ** 2) / 2)).sum() * step / np.sqrt(2 * np.pi))


def of_judge(
    rng: np.random.Generator, samples: int, checks: int, sensitivity: float, specificity: float, prevalence: float
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """1,000 cases that a judge labelled, of which so many were checked at random."""
    n, apart = 1000, 1.5
    cut = apart / 2
    truth = {"sensitivity": float(ndtr(apart - cut)), "specificity": float(ndtr(cut)), "prevalence": prevalence}
    called = prevalence * truth["sensitivity"] + (1 - prevalence) * (1 - truth["specificity"])
    truth["precision"] = prevalence * truth["sensitivity"] / called
    truth["accuracy"] = prevalence * truth["sensitivity"] + (1 - prevalence) * truth["specificity"]
    truth["auroc"] = float(ndtr(apart / np.sqrt(2)))
    truth["average_precision"] = average_precision(prevalence, apart)
    for _ in range(samples):
        y = rng.random(n) < prevalence
        judge = np.where(y, rng.random(n) < sensitivity, rng.random(n) > specificity)
        s = rng.normal(size=n) + apart * y
        known = np.full(n, np.nan)
        rows = rng.choice(n, checks, replace=False)
        known[rows] = y[rows]
        try:
            found = uc.evaluate(known, s, judge=judge, threshold=cut, metrics=list(truth))
        except uc.UnconfuseError:  # nobody checked a case of one of the judge's labels
            continue
        yield found, truth


KINDS = ("equal", "1 or 10", "high scores", "positives", "log-normal")
STUDIES = (
    Study(
        "weights",
        "Sampling weights: n rows, prevalence, distance of the classes in standard deviations, who is sampled more "
        "often (weights are the inverse chances).",
        tuple(product((80, 300), (0.2, 0.5), (1.0, 2.0), KINDS)),
        of_weights,
    ),
    Study(
        "designs",
        "Sampling weights with strata, with whole groups of eight (alike or not in how likely they were asked), and of "
        "cases that were verified after a screen: n rows (of the verified about as many).",
        tuple(product((120, 400, 1200), ("strata", "groups", "groups, 1 or 5", "verified"))),
        of_designs,
    ),
    Study(
        "folds",
        "Means over the folds of a cross-validation, for the mean performance of the fitted models: n cases, folds, "
        "prevalence, distance of the classes in standard deviations.",
        tuple(product((100, 300, 1000), (5, 10), (0.2, 0.5), (1.0, 2.0))),
        of_folds,
    ),
    Study(
        "judge",
        "A judge of 1,000 cases (double sampling): cases checked, the judge's sensitivity and specificity, prevalence.",
        tuple(product((40, 80, 120, 200, 500), (0.7, 0.85, 0.95), (0.7, 0.85, 0.95), (0.2, 0.5))),
        of_judge,
    ),
    Study(
        "guarantee",
        "Promises that are kept on new cases: n cases, prevalence, distance of the classes, walks along the scores.",
        tuple(product((200, 1000, 5000), (0.2, 0.5), (1.0, 2.0), (1, 5))),
        of_guarantee,
    ),
    Study(
        "gaps",
        "Gaps between subgroups: how many there are, cases in each, and how they differ.",
        tuple(product((3, 8, 20), (60, 300), ("alike", "one apart", "spread"))),
        of_gaps,
    ),
    Study(
        "bands",
        "Simultaneous bands that hold the whole curve from 5% to 95%: n cases, prevalence, distance of the classes.",
        tuple(product((200, 1000), (0.2, 0.5), (1.0, 2.0))),
        of_bands,
    ),
)


def report(study: Study, cells: list[Cell]) -> tuple[str, bool]:
    coverage = np.array([each.coverage for each in cells])
    share = float(np.mean([not each.fails for each in cells]))
    good = share >= SHARE_OF_CELLS
    lines = [
        f"## {study.name.capitalize()}\n",
        f"{study.words} {len(cells)} cells of about {cells[0].samples} samples; mean coverage {coverage.mean():.3f}, "
        f"lowest {coverage.min():.3f}; {np.mean(coverage >= WANTED):.1%} of the cells are at least {WANTED:.0%} as "
        f"seen, {share:.1%} up to chance (wanted: {SHARE_OF_CELLS:.0%}).\n",
        "| metric | cells | mean | lowest | truth below | truth above | width | lowest in |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for metric in dict.fromkeys(each.metric for each in cells):
        own = [each for each in cells if each.metric == metric]
        worst, total = min(own, key=lambda each: each.coverage), sum(each.samples for each in own)
        lines.append(
            f"| {metric} | {len(own)} | {np.mean([each.coverage for each in own]):.3f} | {worst.coverage:.3f} | "
            f"{sum(each.below for each in own) / total:.3f} | {sum(each.above for each in own) / total:.3f} | "
            f"{np.mean([each.width for each in own]):.3f} | {worst.setting} |"
        )
    return "\n".join(lines) + "\n", good


def page(sections: dict[str, str], output: Path | None) -> str:
    """The page; sections that were not run again are those of the last run."""
    before = output.read_text() if output is not None and output.exists() else ""
    parts = ["# Coverage: weights, judges, folds, promises, gaps and bands\n\nMade by `tests/coverage/questions.py`.\n"]
    for study in STUDIES:
        head = f"## {study.name.capitalize()}\n"
        kept = before.partition(head)[2].partition("\n## ")[0].rstrip()
        if study.name in sections or kept:
            parts.append(sections.get(study.name) or f"{head}{kept}\n")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--quick", action="store_const", const=60, dest="samples")
    parser.add_argument(
        "--only", choices=[each.name for each in STUDIES], help="the others stay as they are on the page"
    )
    parser.add_argument("--cells", type=Path)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [each for each in STUDIES if given.only in (None, each.name)]
    found = {each.name: report(each, kept_cells(each, given.samples, given.cells)) for each in chosen}
    text = page({name: words for name, (words, _) in found.items()}, given.output)
    print(text)
    if given.output is not None:
        given.output.write_text(text)
    return int(not all(good for _, good in found.values()))


if __name__ == "__main__":
    sys.exit(main())

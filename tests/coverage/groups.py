"""How often intervals hold the truth where cases belong to groups: few or many, unequal, alike within, pure in class.

Scores are normal: `apart` times the class, plus an effect of the group with `correlation` of the variance, plus noise.
Sizes of groups are equal or lognormal; the classes are mixed within groups, or every group is of one class. The truth
is that of new groups. A sample without an interval (all positives in one group) is counted apart.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
import zlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit

import unconfuse as uc

METRICS = ("sensitivity", "specificity", "precision", "auroc", "average_precision", "accuracy", "brier")
PREVALENCE, MEAN_SIZE, POPULATION = 0.3, 12, 400_000
_ROUNDING = 1e-9
WANTED, SHARE = 0.93, 0.95  # coverage, and of how many cells


class Setting(NamedTuple):
    """One kind of sample."""

    groups: int
    sizes: str
    correlation: float
    apart: float
    classes: str


GRID = [
    Setting(*each)
    for each in product((4, 8, 20, 60), ("equal", "unequal"), (0.1, 0.4, 0.7), (0.0, 1.3, 2.8, 4.2), ("mixed", "pure"))
]


def drawn(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, probabilities and groups of one sample."""
    lognormal = np.exp(0.8 * rng.normal(size=setting.groups) - 0.32)
    sizes = MEAN_SIZE * (np.ones(setting.groups) if setting.sizes == "equal" else lognormal)
    group = np.repeat(np.arange(setting.groups), np.maximum(np.rint(sizes), 1).astype(int))
    own = rng.random(setting.groups) < PREVALENCE
    y = own[group] if setting.classes == "pure" else rng.random(len(group)) < PREVALENCE
    return y, scored(y, rng.normal(size=setting.groups)[group], setting, rng), group


def scored(y: np.ndarray, effect: np.ndarray, setting: Setting, rng: np.random.Generator) -> np.ndarray:
    """Probabilities that are at least PREVALENCE where the score is above half way between the classes."""
    noise = np.sqrt(setting.correlation) * effect + np.sqrt(1 - setting.correlation) * rng.normal(size=len(y))
    score = setting.apart * (y - 0.5) + noise
    return expit(max(setting.apart, 0.5) * score + np.log(PREVALENCE / (1 - PREVALENCE)))


def truth(setting: Setting) -> dict[str, float]:
    """Of very many groups of one case."""
    rng = np.random.default_rng(0)
    y = rng.random(POPULATION) < PREVALENCE
    s = scored(y, rng.normal(size=POPULATION), setting, rng)
    found = uc.evaluate(y, s, threshold=PREVALENCE, metrics=METRICS)
    return {name: found[name].value for name in METRICS}


class Tally:
    """What happened in one cell: held, below, above, without an interval, and widths."""

    def __init__(self) -> None:
        self.low = self.high = self.none = 0
        self.widths: list[float] = []

    def add(self, each: uc.Estimate, true: float) -> None:
        """One more sample."""
        if each.undefined or np.isnan(each.low):
            self.none += 1
            return
        self.widths.append(each.high - each.low)
        self.high += true < each.low - 1e-9  # the truth lies below: the interval is too high
        self.low += true > each.high + 1e-9

    @property
    def coverage(self) -> float:
        """Of the samples that have an interval."""
        return 1 - (self.low + self.high) / len(self.widths) if self.widths else np.nan


def cells(settings: list[Setting], samples: int) -> Iterator[tuple[Setting, dict[str, Tally]]]:
    """Each setting with what happened to each metric."""
    for setting in settings:
        rng, true = np.random.default_rng(zlib.crc32(repr(setting).encode())), truth(setting)
        found = {name: Tally() for name in METRICS}
        for _ in range(samples):
            y, s, group = drawn(setting, rng)
            if not 0 < y.sum() < len(y):
                continue
            ev = uc.evaluate(y, s, groups=group, threshold=PREVALENCE, metrics=METRICS)
            for name, tally in found.items():
                tally.add(ev[name], true[name])
        yield setting, found


def lines_of(found: list[tuple[Setting, dict[str, Tally]]], samples: int) -> tuple[list[str], float]:
    """A line for each number of groups and metric; and the share of all cells that hold the truth often enough."""
    lines, held = [], []
    for groups, name in product(sorted({each.groups for each, _ in found}), METRICS):
        own = [(setting, tallies[name]) for setting, tallies in found if setting.groups == groups]
        own = [each for each in own if len(each[1].widths) >= samples / 2]
        if not own:
            continue
        coverage = np.array([each.coverage for _, each in own])
        held.append(coverage >= WANTED - _ROUNDING)
        missed = np.mean(~held[-1])
        worst = own[int(coverage.argmin())][0]
        above, below = (
            np.mean([part / len(each.widths) for _, each in own for part in [getattr(each, side)]])
            for side in ("low", "high")
        )
        none = np.mean([each.none / samples for _, each in own])
        width = np.median([np.median(each.widths) for _, each in own])
        cell = f"{worst.sizes}, {worst.correlation:g}, {worst.apart:g}, {worst.classes}"
        lines.append(
            f"| {groups} | {name} | {len(own)} | {coverage.mean():.3f} | {coverage.min():.3f} | "
            f"{missed:.0%} | {below:.3f} | {above:.3f} | {none:.3f} | {width:.3f} | {cell} |"
        )
    return lines, float(np.concatenate(held).mean())


def page(lines: list[str], share: float, settings: int, samples: int) -> str:
    """The page of the documentation."""
    words = (
        f"`python tests/coverage/groups.py`: {settings} settings of {samples:,} samples each, {PREVALENCE:.0%} "
        f"positive, {MEAN_SIZE} cases in a group on average: 4, 8, 20 or 60 groups of equal or lognormal sizes, of "
        "which a correlation of .1, .4 or .7 makes cases alike; classes 0, 1.3, 2.8 or 4.2 standard deviations apart "
        "(AUROC .5, .82, .98 and .999); classes mixed within groups, or every group of one class. Intervals at 95%, "
        f"by the jackknife of whole groups. {share:.1%} of the cells hold the truth in at least {WANTED:.0%} of the "
        f"samples (wanted: {SHARE:.0%})."
    )
    more = (
        'Samples in which all cases of a kind come from one group have no interval ("none"). "Below" and "above" are '
        "the shares of intervals with the truth below and above them. Cells in which fewer than half of the samples "
        "have an interval are left out. The last column is the worst cell: sizes, correlation, distance, classes."
    )
    names = ("groups", "metric", "cells", "mean", "worst", "under 93%", "below", "above", "none", "width", "worst cell")
    table = [f"| {' | '.join(names)} |", "|---" * len(names) + "|", *lines]
    text = [line for part in (words, more) for line in [*textwrap.wrap(part, 130), ""]]
    return "\n".join(["# Intervals of cases in groups", "", *text, *table]) + "\n"


def main() -> int:
    """Print the table, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--every", type=int, default=1, help="take every so many of the settings")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    settings = GRID[:: asked.every]
    found = list(cells(settings, asked.samples))
    lines, share = lines_of(found, asked.samples)
    print("\n".join([*lines, f"{share:.1%} of the cells are at least {WANTED:.0%}"]), flush=True)
    if asked.output:
        asked.output.write_text(page(lines, share, len(settings), asked.samples), encoding="utf-8")
    return int(share < SHARE)


if __name__ == "__main__":
    sys.exit(main())

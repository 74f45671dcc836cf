"""How often the gate errs: releases that are as good as the old model, and releases that are worse by the margin.

    python tests/coverage/gate.py [--samples 10000] [--only auroc] [--output docs/coverage-gate.md]

A setting is a metric, a number of cases and a correlation of the two models' scores; or one to six metrics, also of
few cases and of groups. The requirement: a release that is not worse is called "worse", and one that is worse by the
margin passes, at most 5.5% of the time in every setting (two standard errors of the simulation allowed). The exit code
is 1 if a setting misses it.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
import zlib
from collections import Counter
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

import unconfuse as uc

MOST = 0.055
PREVALENCE, DISTANCE, CUT = 0.3, 1.2, 0.6  # of the old model: an AUROC of .80
MARGINS = {"auroc": 0.03, "sensitivity": 0.05, "accuracy": 0.03, "brier": 0.01}
GRID = np.linspace(-9, 12, 20_001)
ALIKE = 0.5  # share of the spread of scores that cases of a group have in common
SEVERAL = ("auroc", "brier", "accuracy", "sensitivity", "specificity", "average_precision")


@dataclass(frozen=True)
class Setting:
    """A metric, how many cases, and how much the two models' scores have in common."""

    metric: str
    n: int
    correlation: float

    @property
    def margin(self) -> float:
        return MARGINS[self.metric]


def truth(metric: str, distance: float) -> float:
    """A metric in the population: normal scores of equal spread, so far apart."""
    found, missed = ndtr(distance - CUT), ndtr(CUT)
    if metric == "auroc":
        return float(ndtr(distance / np.sqrt(2)))
    if metric == "sensitivity":
        return float(found)
    if metric == "accuracy":
        return float(PREVALENCE * found + (1 - PREVALENCE) * missed)
    positive, negative = (np.exp(-((GRID - centre) ** 2) / 2) / np.sqrt(2 * np.pi) for centre in (distance, 0.0))
    p = probability(GRID, distance)
    loss = PREVALENCE * positive * (1 - p) ** 2 + (1 - PREVALENCE) * negative * p**2
    return float(loss.sum() * (GRID[1] - GRID[0]))


def probability(score: np.ndarray, distance: float, prevalence: float = PREVALENCE) -> np.ndarray:
    """Of being positive, given the score."""
    return expit(distance * score - distance**2 / 2 + np.log(prevalence / (1 - prevalence)))


def worse_by_the_margin(setting: Setting) -> float:
    """How far apart the classes are for a model that is worse by exactly the margin."""
    sign = 1 if setting.metric == "brier" else -1
    wanted = truth(setting.metric, DISTANCE) + sign * setting.margin
    return float(brentq(lambda distance: truth(setting.metric, distance) - wanted, 0.05, DISTANCE))


def answers(setting: Setting, distance: float, samples: int) -> Counter[str]:
    """What the gate says of so many releases whose classes are so far apart."""
    rng = np.random.default_rng(zlib.crc32(repr((setting, distance > DISTANCE - 1e-9)).encode()))
    said: Counter[str] = Counter()
    how = {"threshold": CUT} if setting.metric in ("sensitivity", "accuracy") else {}
    for _ in range(samples):
        y = rng.random(setting.n) < PREVALENCE
        common, own = rng.normal(size=(2, setting.n))
        old = DISTANCE * y + common
        new = distance * y + setting.correlation * common + np.sqrt(1 - setting.correlation**2) * own
        if setting.metric == "brier":
            old, new = probability(old, DISTANCE), probability(new, distance)
        said[uc.gate(y, new, old, metrics=[setting.metric], margin=setting.margin, **how).verdict] += 1
    return said


def row(setting: Setting, samples: int) -> tuple[str, bool]:
    """A line of the table, and whether it misses the requirement."""
    equal = answers(setting, DISTANCE, samples)
    worse = answers(setting, worse_by_the_margin(setting), samples)
    false_alarm, false_pass = equal["worse"] / samples, worse["pass"] / samples
    allowed = MOST + 2 * np.sqrt(MOST * (1 - MOST) / samples)
    cells = (false_alarm, equal["pass"] / samples, false_pass, worse["worse"] / samples)
    head = f"| {setting.metric} | {setting.margin:g} | {setting.n:,} | {setting.correlation:g} |"
    return f"{head} {' | '.join(f'{100 * cell:.2f}%' for cell in cells)} |", max(false_alarm, false_pass) > allowed


@dataclass(frozen=True)
class Releases:
    """Cases of two equally good models: how many, how common and how far apart; in groups of one class or of both."""

    n: int
    prevalence: float = PREVALENCE
    distance: float = DISTANCE
    groups: int = 0
    pure: bool = False

    def __str__(self) -> str:
        of_one_class = " of one class" if self.pure else ""
        groups = f"{self.groups}{of_one_class}" if self.groups else "none"
        return f"{self.n:,} | {self.prevalence:g} | {ndtr(self.distance / np.sqrt(2)):.3f} | {groups}"

    def drawn(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
        """Labels, the new and the old model's probabilities, and groups; both kinds of cases occur."""
        noise, group = rng.normal(size=(3, self.n)), None
        y = rng.random(self.n) < self.prevalence
        if self.groups:
            group = rng.permutation(np.arange(self.n) % self.groups)
            noise = np.sqrt(1 - ALIKE) * noise + np.sqrt(ALIKE) * rng.normal(size=(3, self.groups))[:, group]
            if self.pure:
                y = (rng.random(self.groups) < self.prevalence)[group]
        if not 2 <= y.sum() <= self.n - 2:
            return self.drawn(rng)
        common, *own = noise
        scores = (self.distance * y + 0.8 * common + 0.6 * each for each in own)
        new, old = (probability(each, self.distance, self.prevalence) for each in scores)
        return y, new, old, group


SEVERAL_RELEASES = (
    Releases(40),
    Releases(40, 0.1),
    Releases(40, 0.5, 2.8),
    Releases(100, 0.1, 2.8),
    Releases(300),
    Releases(1000),
    Releases(1000, 0.03),
    Releases(100, groups=8),
    Releases(300, groups=20),
    Releases(200, 0.4, groups=20, pure=True),
    Releases(300, distance=2.8, groups=60),
)


def several(releases: Releases, samples: int) -> tuple[str, bool]:
    """A line for one to six metrics at once, of releases that are as good as the old model: any may fail them."""
    rng = np.random.default_rng(zlib.crc32(repr(releases).encode()))
    cut = float(probability(np.array(releases.distance / 2), releases.distance, releases.prevalence))
    worse = np.zeros(len(SEVERAL))
    for _ in range(samples):
        y, new, old, group = releases.drawn(rng)
        how = {"margin": 0.0, "threshold": cut} | ({} if group is None else {"groups": group})
        worse += [
            uc.gate(y, new, old, metrics=SEVERAL[: count + 1], **how).verdict == "worse" for count in range(len(worse))
        ]
    worse /= samples
    line = f"| {releases} | {' | '.join(f'{100 * each:.2f}%' for each in worse)} |"
    return line, bool(worse.max() > MOST + 2 * np.sqrt(MOST * (1 - MOST) / samples))


def main() -> int:
    """Print the table, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--only", choices=MARGINS)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    metrics = [asked.only] if asked.only else list(MARGINS)
    settings = [Setting(*each) for each in product(metrics, (300, 1000), (0.5, 0.9))]
    rows = []
    for setting in settings:
        rows.append(row(setting, asked.samples))
        print(rows[-1][0], flush=True)
    together = []
    for releases in SEVERAL_RELEASES:
        together.append(several(releases, asked.samples))
        print(together[-1][0], flush=True)
    if asked.output:
        text = page([line for line, _ in rows], [line for line, _ in together], asked.samples)
        asked.output.write_text(text, encoding="utf-8")
    return int(any(missed for _, missed in rows + together))


def page(lines: list[str], together: list[str], samples: int) -> str:
    """The page of the documentation."""
    names = ("metric", "margin", "cases", "correlation")
    names += ("equal: worse", "equal: pass", "at the margin: pass", "at the margin: worse")
    words = (
        f"`python tests/coverage/gate.py`: {samples:,} simulated releases in each setting, `error_rate=.05`. Scores "
        "are normal, 30% of the cases are positive, and the old model's AUROC is "
        f'{truth("auroc", DISTANCE):.3f}; "correlation" is that of the two models\' scores within a class.'
    )
    meaning = (
        '"Equal" releases are exactly as good as the old model, those "at the margin" worse by exactly the margin. The '
        "two errors are **equal: worse** and **at the margin: pass**. The gate allows 2.5% of the first (half of the "
        "error rate; the other half is kept for subgroups) and 5% of the second; at most 5.5% is required here. What "
        'is neither pass nor worse is "cannot tell".'
    )
    several_words = (
        f"How often releases that are equal to the old model in all of one to six metrics ({', '.join(SEVERAL)}) are "
        'called "worse", with a margin of 0: worse if any metric says so, by Holm over the metrics. A pass needs every '
        "metric, each at 5%, so it needs no adjustment (intersection-union). The models' scores have a correlation of "
        f"0.64 within a class, and cases of a group share {ALIKE:.0%} of the spread of all scores."
    )
    table = [f"| {' | '.join(names)} |", "|---" * len(names) + "|", *lines]
    counts = [f"{count + 1} metric{'s' if count else ''}" for count in range(len(SEVERAL))]
    others = [
        f"| cases | positive | AUROC | groups | {' | '.join(counts)} |",
        "|---" * (4 + len(counts)) + "|",
        *together,
    ]
    head = ["# How often the gate errs", "", *wrapped(words), "", *wrapped(meaning), "", *table]
    return "\n".join([*head, "", "## Several metrics at once", "", *wrapped(several_words), "", *others]) + "\n"


def wrapped(words: str) -> list[str]:
    """Lines of the page."""
    return textwrap.wrap(words, 130, break_long_words=False)


if __name__ == "__main__":
    sys.exit(main())

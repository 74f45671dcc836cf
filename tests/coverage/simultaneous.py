"""How often intervals of several comparisons hold all at once, and how often anything is claimed that is not so.

    python tests/coverage/simultaneous.py [--repetitions 400] [--output docs/coverage-simultaneous.md]

Models: 3, 5 and 10, all pairs in one metric; scores are normal, correlated within a class. Subgroups: two models in
several subgroups of unequal size. The requirement: all intervals hold together at least 93% of the time, and claims
(a difference, "not worse", a difference between subgroups) are false at most 6.5% of the time, with two standard errors
of the simulation allowed. The exit code is 1 if a setting misses it.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
import zlib
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

import unconfuse as uc

LEAST, MOST = 0.93, 0.065
PREVALENCE, COMMON, CUT = 0.35, 0.6, 0.6
GRID = np.linspace(-9, 12, 8001)
MARGINS = {"auroc": 0.04, "brier": 0.01, "accuracy": 0.04}


@dataclass(frozen=True)
class Models:
    """How far apart the classes are for each model, in which metric, on how many cases."""

    metric: str
    n: int
    distances: tuple[float, ...]

    def __str__(self) -> str:
        kind = "equal" if len(set(self.distances)) == 1 else "different"
        kind += ", very good" if min(self.distances) > 2 else ""
        return f"{len(self.distances)} {kind} models | {self.metric} | {self.n:,}"


@dataclass(frozen=True)
class Parts:
    """Two models in subgroups of these sizes; `gain` is how much further apart the second model has the classes."""

    metric: str
    sizes: tuple[int, ...]
    gain: float

    def __str__(self) -> str:
        sizes = f"{min(self.sizes)} to {max(self.sizes)}" if len(set(self.sizes)) > 1 else f"{self.sizes[0]}"
        return f"{len(self.sizes)} subgroups of {sizes}{', second better' if self.gain else ''} | {self.metric}"


def truth(metric: str, distance: float) -> float:
    """A metric in the population: normal scores of equal spread, so far apart."""
    if metric == "auroc":
        return float(ndtr(distance / np.sqrt(2)))
    if metric == "accuracy":
        return float(PREVALENCE * ndtr(distance - CUT) + (1 - PREVALENCE) * ndtr(CUT))
    positive, negative = (np.exp(-((GRID - centre) ** 2) / 2) / np.sqrt(2 * np.pi) for centre in (distance, 0.0))
    p = probability(GRID, distance)
    loss = PREVALENCE * positive * (1 - p) ** 2 + (1 - PREVALENCE) * negative * p**2
    return float(loss.sum() * (GRID[1] - GRID[0]))


def probability(score: np.ndarray, distance: float) -> np.ndarray:
    """Of being positive, given the score."""
    return expit(distance * score - distance**2 / 2 + np.log(PREVALENCE / (1 - PREVALENCE)))


def drawn(rng: np.random.Generator, metric: str, n: int, distances: tuple[float, ...]) -> tuple[np.ndarray, dict]:
    """Labels, and every model's scores of the same cases."""
    y = rng.random(n) < PREVALENCE
    if y.sum() < 2 or y.sum() > n - 2:
        return drawn(rng, metric, n, distances)
    common = rng.normal(size=n)
    scores = {}
    for k, distance in enumerate(distances):
        raw = distance * y + np.sqrt(COMMON) * common + np.sqrt(1 - COMMON) * rng.normal(size=n)
        scores[f"m{k}"] = probability(raw, distance) if metric == "brier" else raw
    return y, scores


def seeded(setting: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(setting).encode()))


def settings_of(metric: str) -> dict:
    return {"metrics": [metric], **({"threshold": CUT} if metric == "accuracy" else {})}


def of_models(setting: Models, repetitions: int) -> list[float]:
    """Shares of samples: all intervals hold; any false difference; any false "not worse" at the margin; and widths."""
    rng, truths = seeded(setting), [truth(setting.metric, each) for each in setting.distances]
    pairs = list(combinations(range(len(truths)), 2))
    gaps = {(f"m{i}", f"m{j}"): truths[i] - truths[j] for i, j in pairs}
    margin = MARGINS[setting.metric]
    held = wrong = worse = 0
    width = []
    for _ in range(repetitions):
        y, scores = drawn(rng, setting.metric, setting.n, setting.distances)
        found = uc.compare(y, scores, n_resamples=500, **settings_of(setting.metric))
        each = {pair: found[setting.metric, *pair] for pair in gaps}
        held += all(each[pair].low <= gap <= each[pair].high for pair, gap in gaps.items())
        wrong += any(each[pair].p_value <= 0.05 for pair, gap in gaps.items() if gap == 0)
        width.append(np.mean([one.high - one.low for one in each.values()]))
        worse += false_claim(setting, rng, margin)
    return [held / repetitions, wrong / repetitions, worse / repetitions, float(np.mean(width))]


def false_claim(setting: Models, rng: np.random.Generator, margin: float) -> bool:
    """Whether a model that is worse than the reference by exactly the margin is said not to be."""
    best = setting.distances[0]
    distances = (best, *([worse_by(setting.metric, best, margin)] * (len(setting.distances) - 1)))
    y, scores = drawn(rng, setting.metric, setting.n, distances)
    how = settings_of(setting.metric)
    found = uc.compare(y, scores, reference="m0", margin=margin, n_resamples=500, **how)
    return any(each.not_worse for each in found.values())


@cache
def worse_by(metric: str, best: float, margin: float) -> float:
    """How far apart the classes are for a model that is worse by exactly the margin."""
    wanted = truth(metric, best) + (margin if metric == "brier" else -margin)
    return float(brentq(lambda distance: truth(metric, distance) - wanted, 0.01, best))


def of_subgroups(setting: Parts, repetitions: int) -> list[float]:
    """Shares of samples: all intervals hold; a false interaction; a false "worse" of the gate; and mean widths."""
    rng = seeded(setting)
    distances = 1.2, 1.2 + setting.gain
    gap = truth(setting.metric, distances[0]) - truth(setting.metric, distances[1])
    by = np.repeat(np.arange(len(setting.sizes)), setting.sizes).astype(str)
    held = interaction = failed = 0
    width = []
    for _ in range(repetitions):
        y, scores = drawn(rng, setting.metric, sum(setting.sizes), distances)
        how = settings_of(setting.metric)
        found = uc.compare(y, scores, by=by, n_resamples=500, **how).subgroups[setting.metric, "m0", "m1"]
        known = [each for each in found.values() if not np.isnan(each.low)]
        held += all(each.low <= gap <= each.high for each in known)
        interaction += found.interaction_p <= 0.05
        width.append(np.mean([each.high - each.low for each in known]))
        # the new model, the first, is worse by exactly the margin in every subgroup: not by more
        gate = uc.gate(y, scores["m0"], scores["m1"], by=by, margin=abs(gap), n_resamples=500, **how)
        failed += any(each.verdict == "worse" for each in gate.checks if each.subgroup)
    return [held / repetitions, interaction / repetitions, failed / repetitions, float(np.mean(width))]


EQUAL, DIFFERENT, VERY_GOOD = (1.2,) * 10, (0.8, 1.2, 1.2, 1.6, 2.2), (2.8,) * 5
SETTINGS: list[Models | Parts] = [
    Models(metric, n, distances)
    for metric in ("auroc", "brier", "accuracy")
    for n in (60, 300)
    for distances in (EQUAL[:3], EQUAL[:5], DIFFERENT, VERY_GOOD)
]
SETTINGS += [Models(metric, n, EQUAL) for metric, n in (("auroc", 60), ("auroc", 300), ("accuracy", 60))]
SETTINGS += [
    Parts(metric, sizes, gain)
    for metric in ("auroc", "accuracy", "brier")
    for sizes in ((200,) * 4, (30, 60, 120, 400), (40,) * 10)
    for gain in (0.0, 0.4)
]


def row(setting: Models | Parts, repetitions: int) -> tuple[str, bool]:
    """A line of the table, and whether it misses the requirement."""
    found = (of_models if isinstance(setting, Models) else of_subgroups)(setting, repetitions)
    slack = 2 * np.sqrt(0.05 * 0.95 / repetitions)
    missed = found[0] < LEAST - slack or max(found[1:3]) > MOST + slack
    cells = [f"{found[0]:.3f}", f"{found[1]:.3f}", f"{found[2]:.3f}", f"{found[3]:.3f}"]
    return f"| {setting} | {' | '.join(cells)} |", missed


MODELS, SUBGROUPS = "All pairs of several models", "Two models in several subgroups"


def rows_of(output: Path, head: str) -> list[str]:
    """The rows of a table that the last run wrote."""
    before = output.read_text(encoding="utf-8") if output.exists() else ""
    lines = before.partition(f"## {head}\n")[2].partition("\n## ")[0].splitlines()
    return [line for line in lines if line.startswith("|")][2:]


def page(models: list[str], parts: list[str], repetitions: int) -> str:
    """The page of the documentation."""
    words = (
        f"`python tests/coverage/simultaneous.py`: {repetitions:,} simulated test sets in each setting, 95% intervals. "
        "Scores are normal, 35% of the cases are positive, and models share 60% of the variance within a class. "
        f"A share of .95 is known to within {1.96 * np.sqrt(0.05 * 0.95 / repetitions):.3f} only."
    )
    first = (
        "**Hold at once** is how often the single-step intervals of all pairs hold their differences together. **False "
        'difference** is how often any pair of equal models is told apart (adjusted p at most .05). **False "not '
        'worse"** is how often any of the other models, all worse than the first by exactly the margin (.04; Brier '
        ".01), is said not to be worse."
    )
    second = (
        "Two models in every subgroup. **False interaction** is how often Welch's F says that the difference differs "
        "between subgroups, though it does not. **False failure** is how often the gate calls the new model worse in a "
        "subgroup, though it is worse by exactly the margin in all of them (error_rate .05, half of it for subgroups)."
    )
    heads = ["models", "metric", "cases", "hold at once", "false difference", 'false "not worse"', "mean width"]
    others = ["subgroups", "metric", "hold at once", "false interaction", "false failure", "mean width"]
    return "\n".join(
        [
            "# Several comparisons at once",
            "",
            *wrapped(words),
            "",
            f"## {MODELS}",
            "",
            *wrapped(first),
            "",
            *table(heads, models),
            "",
            f"## {SUBGROUPS}",
            "",
            *wrapped(second),
            "",
            *table(others, parts),
            "",
        ]
    )


def table(heads: list[str], lines: list[str]) -> list[str]:
    return [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *lines]


def wrapped(words: str) -> list[str]:
    """Lines of the page."""
    return textwrap.wrap(words, 130, break_long_words=False)


def main() -> int:
    """Print the table, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", "--samples", type=int, default=1000)
    parser.add_argument("--only", choices=("models", "subgroups"), help="the others stay as they are on the page")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    kinds = {"models": Models, "subgroups": Parts}
    chosen = [each for each in SETTINGS if asked.only is None or isinstance(each, kinds[asked.only])]
    found: dict[type, list[str]] = {Models: [], Parts: []}
    missed = False
    for setting in chosen:
        line, bad = row(setting, asked.repetitions)
        found[type(setting)].append(line)
        missed |= bad
        print(line + (" missed" if bad else ""), flush=True)
    if asked.output:
        models = found[Models] or rows_of(asked.output, MODELS)
        parts = found[Parts] or rows_of(asked.output, SUBGROUPS)
        asked.output.write_text(page(models, parts, asked.repetitions), encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())

"""How often intervals hold the truth where cases were not simply drawn, and promises, gaps and bands.

    python tests/coverage/questions.py [--samples 400] [--only weights] [--output docs/coverage-questions.md]

A cell is one population, design and metric. The requirement: at least 93% of the 95% intervals hold the truth in at
least 95% of the cells of each study, up to the Monte-Carlo error of a cell (two standard errors). The exit code is 1 if
a study misses it.
"""

from __future__ import annotations

import argparse
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import expit, ndtr, ndtri

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
        return 1 - (self.below + self.above) / self.samples

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


def cells_of(study: Study, samples: int) -> Iterator[Cell]:
    for setting in study.settings:
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


# Sampling weights

METRICS = ("sensitivity", "specificity", "precision", "accuracy", "f1", "mcc", "auroc", "average_precision", "brier")
POPULATION = 200_000


def population(rng: np.random.Generator, prevalence: float, apart: float) -> tuple[np.ndarray, np.ndarray]:
    y = rng.random(POPULATION) < prevalence
    x = rng.normal(size=POPULATION) + apart * y
    return y, expit(apart * x - apart**2 / 2 + np.log(prevalence / (1 - prevalence)))


def chances(rng: np.random.Generator, kind: str, y: np.ndarray, s: np.ndarray) -> np.ndarray:
    """How likely each case of the population is to be sampled."""
    if kind == "equal":
        return np.ones(len(y))
    if kind == "1 or 10":
        return np.where(rng.random(len(y)) < 0.5, 1.0, 0.1)
    if kind == "high scores":
        return np.where(s > np.quantile(s, 0.7), 1.0, 0.2)
    if kind == "positives":
        return np.where(y, 1.0, 0.2)
    drawn = np.exp(-0.8 * rng.normal(size=len(y)))
    return np.minimum(drawn / np.quantile(drawn, 0.999), 1.0)


def of_weights(
    rng: np.random.Generator, samples: int, n: int, prevalence: float, apart: float, kind: str
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    y, s = population(rng, prevalence, apart)
    chance = chances(rng, kind, y, s)
    kept = np.flatnonzero(rng.random(POPULATION) < chance)
    whole = uc.evaluate(y, s, metrics=METRICS, n_resamples=100)
    truth = {name: whole[name].value for name in METRICS} | {"auroc": float(ndtr(apart / np.sqrt(2)))}
    for _ in range(samples):
        rows = rng.choice(kept, n)
        if 2 < y[rows].sum() < n - 2:
            yield uc.evaluate(y[rows], s[rows], sampling_weights=1 / chance[rows], metrics=METRICS), truth


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


# Promises, gaps and bands: there is no single number, so that an interval is stood in for by whether all of it holds


@dataclass(frozen=True)
class Stood:
    """Ends that hold what is claimed, or a claim that came true (0 within 0 and 1) or did not (2)."""

    low: float = 0.0
    high: float = 1.0


def claimed(held: bool) -> float:
    return 0.0 if held else 2.0


PROMISES = (("precision", 0.6), ("npv", 0.9), ("sensitivity", 0.9), ("specificity", 0.9))


def of_guarantee(
    rng: np.random.Generator, samples: int, n: int, prevalence: float, apart: float, starts: int
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """A promise that is not made is not broken."""
    for _ in range(samples):
        y = rng.random(n) < prevalence
        s = rng.normal(size=n) + apart * y
        if not 0 < y.sum() < n:
            continue
        kept = {}
        for metric, least in PROMISES:
            how = {"starts": starts} if metric in ("precision", "npv") else {}
            cut = uc.guarantee(y, s, metric, at_least=least, **how).threshold
            tpr, fpr = ndtr(apart - cut), ndtr(-cut)
            called, passed = (prevalence * a + (1 - prevalence) * b for a, b in ((tpr, fpr), (1 - tpr, 1 - fpr)))
            true = {
                "sensitivity": tpr,
                "specificity": 1 - fpr,
                "precision": prevalence * tpr / called if called > 0 else 1.0,
                "npv": (1 - prevalence) * (1 - fpr) / passed if passed > 0 else 1.0,
            }
            kept[f"{metric} >= {least}"] = claimed(bool(not np.isfinite(cut) or true[metric] >= least))
        yield dict.fromkeys(kept, Stood()), kept


def of_gaps(
    rng: np.random.Generator, samples: int, groups: int, each: int, kind: str
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """Subgroups alike, one apart from the others, or all spread; half of each are positive."""
    apart = {"alike": np.full(groups, 1.5), "one apart": np.where(np.arange(groups) == 0, 0.7, 1.5)}
    own = (apart | {"spread": np.linspace(0.9, 2.1, groups)})[kind]
    by, cut = np.repeat(np.arange(groups), each), 0.75
    sensitivity, auroc = ndtr(own - cut), ndtr(own / np.sqrt(2))
    truth = {f"gap {name}": float(np.ptp(own)) for name, own in (("sensitivity", sensitivity), ("auroc", auroc))}
    truth |= {
        "ratio sensitivity": float(sensitivity.min() / sensitivity.max()),
        "equalised odds": truth["gap sensitivity"],
    }
    for _ in range(samples):
        y = rng.random(len(by)) < 0.5
        s = rng.normal(size=len(by)) + own[by] * y
        names = ["sensitivity", "false_positive_rate", "auroc"]
        found = uc.evaluate(y, s, by=by, threshold=cut, metrics=names).subgroups
        gaps = {f"gap {name}": found.gap(name) for name in ("sensitivity", "auroc")}
        yield gaps | {"ratio sensitivity": found.ratio("sensitivity"), "equalised odds": found.equalised_odds()}, truth


def of_bands(
    rng: np.random.Generator, samples: int, n: int, prevalence: float, apart: float
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """Whether simultaneous bands hold the whole curve; two models for the difference of net benefits."""
    shares = np.linspace(0.05, 0.95, 19)
    odds = np.log(prevalence / (1 - prevalence))

    def rates(at: np.ndarray, apart: float) -> tuple[np.ndarray, np.ndarray]:
        cut = (np.log(at / (1 - at)) - odds + apart**2 / 2) / apart  # where the stated probability is `at`
        return ndtr(apart - cut), ndtr(-cut)

    def benefit(at: np.ndarray, apart: float) -> np.ndarray:
        tpr, fpr = rates(at, apart)
        return prevalence * tpr - (1 - prevalence) * fpr * at / (1 - at)

    def probability(x: np.ndarray, apart: float) -> np.ndarray:
        return expit(apart * x - apart**2 / 2 + odds)

    fpr_at = ndtr(-(apart - ndtri(shares)))
    curves = {
        "roc": ndtr(apart + ndtri(shares)),
        "precision_recall": prevalence * shares / (prevalence * shares + (1 - prevalence) * fpr_at),
        "net_benefit": benefit(shares, apart),
    }
    for _ in range(samples):
        y = rng.random(n) < prevalence
        if not 2 < y.sum() < n - 2:
            continue
        first, second = rng.normal(size=(2, n)) + np.array([[apart], [0.7 * apart]]) * y
        models = {"a": probability(first, apart), "b": probability(second, 0.7 * apart)}
        table, held = uc.score_table(y, models["a"]), {}
        for name, true in curves.items():
            found = uc.band(table, name, at=shares, kind="simultaneous", n_resamples=500)
            held[name] = claimed(bool(((found.low <= true) & (true <= found.high)).all()))
        gap = uc.compare(y, models, metrics=["auroc"]).decision_curve("a", "b", at=shares).band
        true = benefit(shares, apart) - benefit(shares, 0.7 * apart)
        held["difference of net benefits"] = claimed(bool(((gap.low <= true) & (true <= gap.high)).all()))
        yield dict.fromkeys(held, Stood()), held


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
        "folds",
        "Means over the folds of a cross-validation, for the mean performance of the fitted models: n cases, folds, "
        "prevalence, distance of the classes in standard deviations.",
        tuple(product((100, 300, 1000), (5, 10), (0.2, 0.5), (1.0, 2.0))),
        of_folds,
    ),
    Study(
        "judge",
        "A judge of 1,000 cases (double sampling): cases checked, the judge's sensitivity and specificity, prevalence.",
        tuple(product((50, 100, 200, 500), (0.7, 0.85, 0.95), (0.7, 0.85, 0.95), (0.2, 0.5))),
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--quick", action="store_const", const=60, dest="samples")
    parser.add_argument("--only", choices=[each.name for each in STUDIES])
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [each for each in STUDIES if given.only in (None, each.name)]
    found = {each.name: report(each, list(cells_of(each, given.samples))) for each in chosen}
    title = "# Coverage: weights, judges, folds, promises, gaps and bands"
    head = f"{title}\n\nMade by `tests/coverage/questions.py` (`make coverage`).\n"
    text = "\n".join([head, *(words for words, _ in found.values())])
    print(text)
    if given.output is not None:
        given.output.write_text(text)
    return int(not all(good for _, good in found.values()))


if __name__ == "__main__":
    sys.exit(main())

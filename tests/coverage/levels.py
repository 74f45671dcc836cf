"""How often means and new units are held: units with known errors, studies of a test, models over data sets.

    python tests/coverage/levels.py [--samples 1000] [--only studies] [--every 6] [--output docs/coverage-levels.md]

A setting is a number of units, their sizes and how they differ. The requirement: the mean is held at least 93%, a new
unit at least 90% of the time, and equal models are told apart at most 6% of the time, in every setting (two standard
errors of the simulation allowed). The exit code is 1 if a setting misses it. `--every` takes only some of the settings.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri

import unconfuse as uc
from unconfuse.multilevel.benchmarks import all_pairs
from unconfuse.multilevel.new_unit import by_mixture
from unconfuse.multilevel.pooling import pool
from unconfuse.multilevel.readers import Readings, averaged
from unconfuse.multilevel.sites import PooledRates

MEAN, NEW, ERRORS = 0.93, 0.90, 0.06
SLOW = 10  # times fewer samples of studies: each fits a model and two posteriors


@dataclass(frozen=True)
class Kind:
    """A question, its settings, what is counted in one sample, and the least or the greatest share that is allowed."""

    words: str
    heads: tuple[str, ...]
    settings: tuple[tuple[Any, ...], ...]
    count: Callable[..., np.ndarray]
    shares: dict[str, tuple[float, bool]]  # by name: bound, whether it is the least


def of_units(rng: np.random.Generator, size: int, ratio: float, shape: str) -> np.ndarray:
    """Whether the mean of units and a new one are held; errors differ four-fold."""
    errors = rng.uniform(0.5, 2, size)
    effects = ratio * (rng.normal(size=size + 1) if shape == "normal" else rng.standard_t(3, size + 1) / np.sqrt(3))
    y = effects[:size] + errors * rng.normal(size=size)
    mean = pool(y, errors**2)
    new = by_mixture(y, errors**2).below(float(effects[size]))
    return np.array([mean.low <= 0 <= mean.high, 0.025 <= new <= 0.975])


def of_studies(rng: np.random.Generator, size: int, cases: str, rate: float, spread: float) -> np.ndarray:
    """Whether the mean study and a new one are held, of both rates; logits have a correlation of -0.5."""
    low, high = map(int, cases.split("-"))
    root = spread * np.linalg.cholesky(np.array([[1, -0.5], [-0.5, 1]]))
    truth = expit(logit(rate) + rng.normal(size=(size + 1, 2)) @ root.T)
    n = rng.integers(low, high + 1, (size, 2))
    right = rng.binomial(n, truth[:size])
    columns = {"tp": right[:, 0], "fn": n[:, 0] - right[:, 0], "tn": right[:, 1], "fp": n[:, 1] - right[:, 1]}
    found = uc.meta_analysis(columns)
    held = []
    for side, name in enumerate(("sensitivity", "specificity")):
        mean, new = getattr(found, name), found.new_study[name]
        held.append([mean.low <= rate <= mean.high, new.low <= truth[size, side] <= new.high])
    return np.mean(held, axis=0)


def of_data_sets(rng: np.random.Generator, size: int, shape: str) -> np.ndarray:
    """Whether any two of five equal models are told apart."""
    draws = {
        "normal": lambda: rng.normal(size=(size, 5)),
        "heavy": lambda: rng.standard_t(3, (size, 5)),
        "skewed": lambda: rng.exponential(size=(size, 5)),
    }
    found = all_pairs(draws[shape]())
    return np.array([bool(((found.low > 0) | (found.high < 0)).any())])


def of_sites(rng: np.random.Generator, size: int, cases: str, area: float, spread: float) -> np.ndarray:
    """Whether the mean site and a new one are held, of the AUROC; logits of the sites' AUROCs are normal."""
    low, high = map(int, cases.split("-"))
    truth = expit(logit(area) + spread * rng.normal(size=size + 1))
    positives, negatives = rng.integers(low, high + 1, size), rng.integers(2 * low, 2 * high + 1, size)
    site = np.repeat(np.arange(size), positives + negatives)
    y = np.concatenate([np.repeat([1, 0], each) for each in zip(positives, negatives, strict=True)])
    s = y * (np.sqrt(2) * ndtri(truth[site])) + rng.normal(size=len(y))
    found = uc.evaluate(y, s, site=site, metrics=["auroc"]).sites["auroc"]
    new, mean = found.new_site, found.mean
    return np.array([mean.low <= area <= mean.high, new.low <= truth[size] <= new.high, found.p_value < 0.05])


def of_rates(rng: np.random.Generator, size: int, cases: str, rate: float, spread: float) -> np.ndarray:
    """Whether the mean site and a new one are held, of the sensitivity."""
    low, high = map(int, cases.split("-"))
    truth = expit(logit(rate) + spread * rng.normal(size=size + 1))
    n = rng.integers(low, high + 1, size)
    found = PooledRates(rng.binomial(n, truth[:size]).astype(float), n.astype(float))
    mean, new = found.mean, found.new
    return np.array([mean[1] <= rate <= mean[2], new[0] <= truth[size] <= new[1], found.p_value < 0.05])


def of_readers(
    rng: np.random.Generator, size: int, cases: str, area: float, between: float, missing: float
) -> np.ndarray:
    """Whether equal modalities are told apart, and the mean AUROC is held, for new readers and cases (Roe and Metz)."""
    n = tuple(map(int, cases.split("+")))
    is_positive = np.repeat([True, False], n)
    shift = ndtri(area) * np.sqrt(2 + 4 * between)
    both = []
    people, own = np.sqrt(0.3) * rng.normal(size=sum(n)), np.sqrt(0.2) * rng.normal(size=(size, sum(n)))
    of_reader = np.sqrt(between) * rng.normal(size=(size, 2))
    for _ in range(2):
        moved = of_reader + np.sqrt(between) * rng.normal(size=(size, 2))
        noise = np.sqrt(0.3) * rng.normal(size=sum(n)) + np.sqrt(0.2) * rng.normal(size=(size, sum(n)))
        scores = shift * is_positive + moved[:, (~is_positive).astype(int)] + people + own + noise
        scores[rng.random(scores.shape) < missing] = np.nan
        both.append(Readings.of_areas(scores, is_positive))
    gap, mean = averaged(*both), averaged(both[0])
    return np.array([gap.p_value < 0.05, mean.low <= area <= mean.high])


KINDS = {
    "sites": Kind(
        "AUROC over sites (`evaluate(..., site=)`): how many, positives of each (twice as many negatives), the mean "
        "site's AUROC, deviation of the logits. `disagree`: how often p < 0.05, which is an error where the deviation "
        "is 0 and power elsewhere.",
        ("sites", "positives", "AUROC", "deviation"),
        tuple(product((3, 5, 8, 12), ("8-20", "50-150"), (0.8, 0.93), (0.0, 0.4, 0.8))),
        of_sites,
        {"mean site": (MEAN, True), "new site": (NEW, True), "disagree": (1.0, False)},
    ),
    "rates": Kind(
        "A rate over sites: how many, cases of each, the mean site's rate, deviation of the logits.",
        ("sites", "cases", "rate", "deviation"),
        tuple(product((3, 5, 12), ("5-20", "20-80"), (0.8, 0.95), (0.0, 0.6, 1.2))),
        of_rates,
        {"mean site": (MEAN, True), "new site": (NEW, True), "disagree": (1.0, False)},
    ),
    "readers": Kind(
        "Readers (`readers`): how many, positives and negatives, AUROC, variance between readers, share of missing "
        "readings. Two equal modalities: how often they are told apart; and whether the mean of one is held.",
        ("readers", "cases", "AUROC", "variance", "missing"),
        tuple(product((4, 6, 10), ("25+25", "50+100"), (0.855, 0.96), (0.011, 0.03), (0.0, 0.2))),
        of_readers,
        {"told apart": (ERRORS, False), "mean": (0.915, True)},
    ),
    "units": Kind(
        "Units with known, unequal standard errors (0.5 to 2, 1 on average about): how many, the deviation between "
        "them, and its shape.",
        ("units", "deviation", "shape"),
        (*product((3, 5, 8, 12), (0.0, 0.5, 1.0, 3.0), ("normal",)), *product((5, 12), (1.0, 3.0), ("heavy tails",))),
        of_units,
        {"mean unit": (MEAN, True), "new unit": (NEW, True)},
    ),
    "studies": Kind(
        "Studies of a test (`meta_analysis`): how many, cases of each class, both rates, deviation of the logits.",
        ("studies", "cases", "rate", "deviation"),
        tuple(product((3, 5, 12), ("5-20", "20-80"), (0.8, 0.95), (0.0, 0.6, 1.2))),
        of_studies,
        {"mean study": (MEAN, True), "new study": (NEW, True)},
    ),
    "data-sets": Kind(
        "Five equal models (`benchmark`): data sets and the shape of results. Counted is whether any two were told "
        "apart.",
        ("data sets", "shape"),
        tuple(product((5, 10, 20, 30), ("normal", "heavy", "skewed"))),
        of_data_sets,
        {"any two told apart": (ERRORS, False)},
    ),
}


def row(kind: Kind, setting: tuple[Any, ...], samples: int) -> tuple[str, bool]:
    """A line of the table, and whether it misses the requirement."""
    rng = np.random.default_rng(zlib.crc32(repr((kind.heads, setting)).encode()))
    shares = np.mean([kind.count(rng, *setting) for _ in range(samples)], axis=0)
    missed = False
    for share, (bound, least) in zip(shares, kind.shares.values(), strict=True):
        room = 2 * np.sqrt(bound * (1 - bound) / samples)
        missed |= bool(share < bound - room if least else share > bound + room)
    cells = [*(f"{each}" for each in setting), *(f"{100 * share:.1f}%" for share in shares)]
    return f"| {' | '.join(cells)} |", missed


def section(name: str, kind: Kind, samples: int, every: int) -> tuple[list[str], bool]:
    """The part of the page about one question."""
    asked = max(samples // SLOW, 1) if name == "studies" else samples
    rows = []
    for setting in kind.settings[::every]:
        rows.append(row(kind, setting, asked))
        print(name, rows[-1][0], flush=True)
    heads = [*kind.heads, *kind.shares]
    words = f"{kind.words} {asked:,} samples in each of {len(rows)} settings."
    table = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *(line for line, _ in rows)]
    return ["", f"## {name.replace('-', ' ').capitalize()}", "", *wrapped(words), "", *table], any(m for _, m in rows)


def main() -> int:
    """Print the tables, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2_000)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [asked.only] if asked.only else list(KINDS)
    parts = [section(name, KINDS[name], asked.samples, asked.every) for name in names]
    if asked.output:
        asked.output.write_text("\n".join([*head(), *(line for part, _ in parts for line in part)]) + "\n", "utf-8")
    return int(any(missed for _, missed in parts))


def head() -> list[str]:
    """The beginning of the page."""
    words = (
        "`python tests/coverage/levels.py`: how often 95% intervals of the mean, and prediction intervals of a new "
        "unit, hold the truth. Required are 93% for the mean, 90% for a new unit, and at most 6% of tables in which "
        "equal models are told apart, with two standard errors of the simulation. New units are hardest to hold where "
        "they differ about as much as their sampling errors."
    )
    return ["# Coverage: new units, new studies, new data sets", "", *wrapped(words)]


def wrapped(words: str) -> list[str]:
    """Lines of the page."""
    return textwrap.wrap(words, 130, break_long_words=False)


if __name__ == "__main__":
    sys.exit(main())

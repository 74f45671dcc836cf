"""Cases that were sampled with unequal chances, within strata, in groups, or verified in part (`questions.py`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.special import expit, ndtr

import unconfuse as uc

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


# Strata, groups, and outcomes that are known of some only

STRATA = 4
GROUP = 8


def grouped(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cases of clinics, each with a prevalence and a scale of its own; and which clinic each is of."""
    clinic = np.repeat(np.arange(POPULATION // GROUP), GROUP)
    own = rng.normal(size=(2, POPULATION // GROUP))[:, clinic]
    y = rng.random(POPULATION) < expit(own[0] - 0.8)
    return y, expit(1.5 * y + 0.5 * own[1] + rng.normal(size=POPULATION) - 1.3), clinic


def of_strata(rng: np.random.Generator, n: int, y: np.ndarray, s: np.ndarray) -> Iterator[dict[str, np.ndarray]]:
    """As many cases of each stratum, though the strata are of different size and differ in what is found there."""
    stratum = np.searchsorted([0.5, 0.8, 0.95], rng.permuted(np.linspace(0, 1, POPULATION)) * (1 - 0.3 * y))
    rows = [np.flatnonzero(stratum == each) for each in range(STRATA)]
    while True:
        kept = np.concatenate([rng.choice(each, n // STRATA, replace=False) for each in rows])
        weight = np.repeat([len(each) * STRATA / n for each in rows], n // STRATA)
        yield {"rows": kept, "sampling_weights": weight, "strata": stratum[kept]}


def of_groups(rng: np.random.Generator, n: int, clinic: np.ndarray, large: float) -> Iterator[dict[str, np.ndarray]]:
    """Whole clinics, some of which were more likely to be asked."""
    clinics = int(clinic[-1]) + 1
    chance = np.where(np.arange(clinics) % 2, 1.0, large)
    kept = np.flatnonzero(rng.random(clinics) < chance)
    while True:
        drawn = rng.choice(kept, n // GROUP, replace=False)
        rows = (drawn[:, None] * GROUP + np.arange(GROUP)).ravel()
        yield {"rows": rows, "sampling_weights": np.repeat(1 / chance[drawn], GROUP), "groups": clinic[rows]}


def of_verified(rng: np.random.Generator, n: int, s: np.ndarray) -> Iterator[dict[str, np.ndarray]]:
    """Everyone was screened; those who screened positive had the reference test more often (Begg and Greenes)."""
    while True:
        screened = rng.choice(POPULATION, 3 * n, replace=False)
        called = s[screened] >= 0.5
        seen = rng.random(3 * n) < np.where(called, 0.8, 0.2)
        shares = np.array([max(seen[called == each].mean(), 1e-9) for each in (False, True)])
        yield {"rows": screened[seen], "sampling_weights": 1 / shares[called[seen].astype(int)]}


def of_designs(
    rng: np.random.Generator, samples: int, n: int, kind: str
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    y, s, clinic = grouped(rng)
    if kind in ("strata", "verified"):
        y, s = population(rng, 0.3, 1.5)
    draw = {
        "strata": lambda: of_strata(rng, n, y, s),
        "groups": lambda: of_groups(rng, n, clinic, 1.0),
        "groups, 1 or 5": lambda: of_groups(rng, n, clinic, 0.2),
        "verified": lambda: of_verified(rng, n, s),
    }[kind]()
    whole = uc.evaluate(y, s, metrics=METRICS, n_resamples=100)
    truth = {name: whole[name].value for name in METRICS}
    for _, drawn in zip(range(samples), draw, strict=False):
        rows = drawn.pop("rows")
        if 2 < y[rows].sum() < len(rows) - 2:
            yield uc.evaluate(y[rows], s[rows], metrics=METRICS, **drawn), truth

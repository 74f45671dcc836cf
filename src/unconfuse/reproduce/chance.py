"""What chance does to every metric: tables of sampling ranges over separation, prevalence, cases and threshold.

The live page of `unconfuse simulate --html` looks its numbers up here; it computes none itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import unconfuse
from unconfuse._formatting import plain_json
from unconfuse._scipy_special import ndtr, ndtri
from unconfuse.explorer import lesson_of
from unconfuse.metrics import METRICS
from unconfuse.resolving import resolving_power
from unconfuse.resolving.models import Binormal
from unconfuse.table import Array, Counts

TITLE = "What chance does to every metric"
AREAS = (0.55, 0.65, 0.75, 0.85, 0.92, 0.98)
PREVALENCES = (0.02, 0.05, 0.1, 0.2, 0.5)
SIZES = (100, 200, 500, 1000, 2000, 5000, 10_000)
THRESHOLDS = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
DECISIONS = (
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "accuracy",
    "balanced_accuracy",
    "f1",
    "mcc",
    "youden_j",
    "cohen_kappa",
    "markedness",
    "g_mean",
    "fowlkes_mallows",
    "jaccard",
    "queue_rate",
)
RANKINGS = ("auroc", "average_precision")
SAMPLES = 2000  # a normal's 2.5% quantile then has a standard error of 1.5% of the range's width
_DECIMALS = 3
_GRID = np.linspace(-4, 6.5, 85)


def separation(area: float) -> float:
    """Return the distance of the classes' means in standard deviations that gives this AUROC.

    >>> round(separation(0.5), 6), round(float(ndtr(separation(0.92) / np.sqrt(2))), 6)
    (0.0, 0.92)
    """
    return float(np.sqrt(2) * ndtri(area))


def rates(area: float, threshold: float) -> tuple[float, float]:
    """Return sensitivity and false positive rate: negatives score N(0, 1), positives N(separation, 1)."""
    return float(ndtr(separation(area) - threshold)), float(ndtr(-threshold))


@cache
def decision_tables(seed: int = 0) -> dict[str, dict[str, Array]]:
    """Return for each metric its population value, the 95% sampling range and how often it is undefined.

    Axes are AUROC, prevalence, threshold; ranges have the number of cases as third axis. Every sample has the stated
    share of positives exactly.
    """
    shape = len(AREAS), len(PREVALENCES), len(SIZES), len(THRESHOLDS)
    made = {name: {side: np.empty(shape) for side in ("low", "high", "undefined")} for name in DECISIONS}
    for name in DECISIONS:
        made[name]["value"] = np.empty((shape[0], shape[1], shape[3]))
    rng = np.random.default_rng(seed)
    for a, area in enumerate(AREAS):
        found, flagged = np.array([rates(area, each) for each in THRESHOLDS]).T
        for p, share in enumerate(PREVALENCES):
            whole = _counts(share * found, (1 - share) * flagged, share, 1 - share)
            for name in DECISIONS:
                made[name]["value"][a, p] = METRICS[name](whole)
            for n, size in enumerate(SIZES):
                _fill(made, (a, p, n), rng, round(share * size), size, found, flagged)
    return made


def _fill(made: Any, at: tuple[int, int, int], rng: Any, positives: int, size: int, found: Any, flagged: Any) -> None:
    tp = rng.binomial(positives, found, (SAMPLES, len(found))).astype(float)
    fp = rng.binomial(size - positives, flagged, (SAMPLES, len(found))).astype(float)
    samples = _counts(tp, fp, positives, size - positives)
    for name in DECISIONS:
        values = np.sort(METRICS[name](samples), axis=0)  # undefined ones come last
        known = np.isfinite(values).sum(axis=0)
        made[name]["undefined"][at] = 1 - known / SAMPLES
        for side, level in (("low", 0.025), ("high", 0.975)):
            place = np.maximum(np.ceil(level * known).astype(int) - 1, 0)
            ends = values[place, np.arange(len(found))]
            made[name][side][at] = np.where(known > 0, ends, np.nan)


def _counts(tp: Any, fp: Any, positives: Any, negatives: Any) -> Counts:
    return Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)


@cache
def ranking_tables(seed: int = 0) -> dict[str, dict[str, Array]]:
    """Return the same for metrics of all thresholds, by `resolving_power`; they have no axis of thresholds."""
    shape = len(AREAS), len(PREVALENCES), len(SIZES)
    made = {name: {side: np.empty(shape) for side in ("low", "high")} for name in RANKINGS}
    for name in RANKINGS:
        made[name]["value"] = np.empty(shape[:2])
    for p, share in enumerate(PREVALENCES):
        for n, size in enumerate(SIZES):
            drawn: Any = {"n_samples": SAMPLES, "method": "full", "rng": seed}
            power = resolving_power(Binormal(), list(RANKINGS), n=size, prevalence=share, quality=AREAS, **drawn)
            for name in RANKINGS:
                for a, area in enumerate(AREAS):
                    resolution = power[name, area]
                    made[name]["value"][a, p] = resolution.value
                    made[name]["low"][a, p, n], made[name]["high"][a, p, n] = resolution.low, resolution.high
    return made


def payload(seed: int = 0) -> dict[str, Any]:
    """Return all that the live page shows, as plain values."""
    tables = ranking_tables(seed) | decision_tables(seed)
    entries = {name: _entry(name, columns) for name, columns in tables.items()}
    density = np.exp(-(_GRID**2) / 2) / np.sqrt(2 * np.pi)
    shifted = [np.exp(-((_GRID - separation(area)) ** 2) / 2) / np.sqrt(2 * np.pi) for area in AREAS]
    made = {
        "schema": "unconfuse-simulation/1",
        "version": unconfuse.__version__,
        "title": TITLE,
        "samples": SAMPLES,
        "seed": seed,
        "areas": AREAS,
        "separations": [round(separation(area), _DECIMALS) for area in AREAS],
        "prevalences": PREVALENCES,
        "sizes": SIZES,
        "positives": [[round(share * size) for size in SIZES] for share in PREVALENCES],
        "thresholds": THRESHOLDS,
        "grid": _GRID.round(_DECIMALS),
        "negative_density": density.round(4),
        "positive_densities": [each.round(4) for each in shifted],
        "entries": entries,
        "metrics": {},
    }
    return dict(plain_json(made))


def _entry(name: str, columns: dict[str, Array]) -> dict[str, Any]:
    metric = METRICS[name]
    flat = {side: (column.ravel() + 0.0).round(_DECIMALS) for side, column in columns.items()}
    about = {"label": metric.label, "question": metric.question, "range": metric.range, "cut": name in DECISIONS}
    return about | flat


def page(seed: int = 0) -> str:
    """Return the live page: one HTML document that works offline."""
    told = payload(seed)
    return lesson_of(told, "simulation.js", [f"{TITLE}: this page needs JavaScript to move its sliders."])

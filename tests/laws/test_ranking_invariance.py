"""Results that only rank do not depend on the scale of the scores: s, 3 s + 1, and probabilities for log-odds."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import unconfuse as uc

RANDOM = np.random.default_rng(5)
LABELS = np.arange(240) % 3 == 0
SCORES = RANDOM.gumbel(size=240) + LABELS
RANKS = ("auroc", "average_precision", "auprg", "h_measure", "max_f1", "precision_at_indistinguishability")
SCALES = {"3 s + 1": lambda s: 3 * s + 1, "probabilities": expit}


def _all_of(rp: Any) -> dict[str, Any]:
    """Every ranking result of one call, as plain values; limits of metrics that rank are among them."""
    found = rp.as_dict()
    at, advice = rp.at[0], rp.recommendation
    better, worse = min(at + 0.03, 0.99), at - 0.03
    wins = {
        name: rp.win_probabilities(name, better=better, worse=worse).value for name in ("auroc", "average_precision")
    }
    return found | {"finding": str(advice.finding), "wins": wins, "outcome": advice.outcome}


def _same(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            _same(one[key], other[key])
    elif isinstance(one, list):
        for first, second in zip(one, other, strict=True):
            _same(first, second)
    elif isinstance(one, float):
        assert other == pytest.approx(one, rel=1e-9, abs=1e-9, nan_ok=True)
    else:
        assert one == other


HOW = {
    "shift": {},
    "scale": {"improvement": "scale"},
    "top": {"improvement": "top"},
    "tilt": {"improvement": "tilt"},
    "paired": {"score_correlation": 0.5},
}


@functools.cache
def _all_on(scale: str, how: str) -> dict[str, Any]:
    """Every ranking result on one scale: what the scores say as they are is asked once for all scales."""
    scores = SCALES[scale](SCORES) if scale else SCORES
    metrics = ("auroc", "average_precision", "max_f1") if HOW[how] else RANKS
    return _all_of(uc.resolving_power(uc.Empirical(LABELS, scores), metrics=metrics, n_samples=200, **HOW[how]))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("how", HOW)
def test_own_scores(scale, how):
    _same(_all_on("", how), _all_on(scale, how))


@pytest.mark.parametrize("scale", SCALES)
def test_a_path(scale):
    models = {f"step {k}": SCORES + 0.3 * k * LABELS * (SCORES > 0) for k in range(4)}
    ask = {"metrics": ("auroc", "average_precision", "max_f1"), "n_samples": 200}
    first = uc.resolving_power(uc.ModelSequence(LABELS, models), **ask)
    second = uc.resolving_power(uc.ModelSequence(LABELS, {name: SCALES[scale](s) for name, s in models.items()}), **ask)
    _same(first.as_dict(), second.as_dict())


def test_many_scores_that_are_thinned():
    labels = np.arange(120_000) % 10 == 0
    scores = np.random.default_rng(2).normal(size=120_000) + labels
    for metric in ("auroc", "average_precision"):
        first, second = (uc.Empirical(labels, each).light.population_at(0.8) for each in (scores, expit(scores)))
        assert uc.METRICS[metric](first.table) == pytest.approx(uc.METRICS[metric](second.table), abs=1e-7)


def test_row_order_changes_nothing():
    order = np.random.default_rng(1).permutation(len(LABELS))
    models = {f"step {k}": SCORES + 0.3 * k * LABELS for k in range(3)}
    shuffled = {name: each[order] for name, each in models.items()}
    ask = {"metrics": ("auroc", "average_precision"), "n_samples": 200}
    found = [
        uc.resolving_power(uc.ModelSequence(*each), **ask).as_dict()
        for each in ((LABELS, models), (LABELS[order], shuffled))
    ]
    _same(*found)

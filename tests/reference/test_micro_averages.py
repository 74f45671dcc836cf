"""Macro, weighted and micro averages of ranking metrics against scikit-learn; standard errors by resampling."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import unconfuse as uc

NAMES = {"average_precision": average_precision_score, "auroc": roc_auc_score}


def rows(n: int = 250) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    s = rng.dirichlet([1, 1, 1], n)
    s[np.arange(n), y] += 0.4
    s = np.floor(s / s.sum(axis=1, keepdims=True) * 50)
    s[:, 2] = 50 - s[:, 0] - s[:, 1]
    return y, s / 50  # many ties


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["macro", "micro", "weighted"])
def test_averages_are_those_of_scikit_learn(name: str, kind: str) -> None:
    y, s = rows()
    found = uc.evaluate(y, s, metrics=[f"{name}_{kind}"])[f"{name}_{kind}"]
    truth = np.eye(3, dtype=int)[y]
    assert found.value == pytest.approx(NAMES[name](truth, s, average=kind), abs=1e-12)
    if kind == "micro":
        rng = np.random.default_rng(1)
        drawn = [NAMES[name](truth[i], s[i], average="micro") for i in rng.integers(0, len(y), (300, len(y)))]
        assert found.standard_error == pytest.approx(np.std(drawn), rel=0.12)
        assert found.low < found.value < found.high


def test_pooled_scores_must_be_probabilities() -> None:
    y, s = rows()
    with pytest.raises(uc.UnconfuseError, match="probabilities"):
        uc.evaluate(y, 7 * s, metrics=["auroc_micro"])

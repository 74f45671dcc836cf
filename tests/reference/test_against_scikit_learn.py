"""Every decision metric that scikit-learn has, on random labels, weights included."""

import numpy as np
import pytest
import sklearn.metrics as sk

import unconfuse as uc

PEERS = {
    "accuracy": sk.accuracy_score,
    "misclassification_rate": sk.zero_one_loss,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "sensitivity": sk.recall_score,
    "precision": sk.precision_score,
    "f1": sk.f1_score,
    "mcc": sk.matthews_corrcoef,
    "cohen_kappa": sk.cohen_kappa_score,
    "jaccard": sk.jaccard_score,
    "specificity": lambda y, p, **kw: sk.recall_score(y, p, pos_label=0, **kw),
    "npv": lambda y, p, **kw: sk.precision_score(y, p, pos_label=0, **kw),
    "lr_positive": lambda y, p, **kw: sk.class_likelihood_ratios(y, p, **kw)[0],
    "lr_negative": lambda y, p, **kw: sk.class_likelihood_ratios(y, p, **kw)[1],
    "youden_j": lambda y, p, **kw: sk.balanced_accuracy_score(y, p, adjusted=True, **kw),
}


@pytest.mark.parametrize("name", [*PEERS, "f_beta(2)"])
@pytest.mark.parametrize("seed", range(5))
def test_agrees(name, seed):
    rng = np.random.default_rng(seed)
    y, p, w = rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.integers(1, 5, 60).astype(float)
    counts = uc.Counts(
        tp=w[(y == 1) & (p == 1)].sum(),
        fp=w[(y == 0) & (p == 1)].sum(),
        fn=w[(y == 1) & (p == 0)].sum(),
        tn=w[(y == 0) & (p == 0)].sum(),
    )
    if name == "f_beta(2)":
        metric, theirs = uc.f_beta(2), sk.fbeta_score(y, p, beta=2, sample_weight=w)
    else:
        metric, theirs = uc.METRICS[name], PEERS[name](y, p, sample_weight=w)
    assert float(metric(counts)) == pytest.approx(theirs, abs=1e-12, rel=1e-12)


def test_fowlkes_mallows_by_its_parts():
    counts = uc.Counts(tp=30, fp=20, fn=10, tn=140)
    parts = float(uc.METRICS["precision"](counts)) * float(uc.METRICS["sensitivity"](counts))
    assert float(uc.METRICS["fowlkes_mallows"](counts)) == pytest.approx(np.sqrt(parts), abs=1e-15)

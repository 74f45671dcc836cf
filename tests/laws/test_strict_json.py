"""What every result tells as a dictionary can be written as strict JSON, and frames keep numbers."""

import json
import math

import numpy as np
import pytest

import unconfuse as uc

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 100)
S = np.clip(RNG.normal(0.35 + 0.3 * Y, 0.2), 0, 1).round(2)
NEVER = uc.bayes(prevalence=0.1, sensitivity=0, specificity=1)
RESULTS = {
    "evaluation": lambda: uc.evaluate(Y, S, n_resamples=100),
    "counts": lambda: uc.evaluate_counts(tp=0, fp=0, fn=10, tn=990),
    "estimate": lambda: uc.evaluate_counts(tp=0, fp=0, fn=10, tn=990)["precision"],
    "several": lambda: uc.evaluate_confusion([[5, 0, 0], [2, 0, 0], [0, 0, 0]], n_resamples=100),
    "subgroups": lambda: uc.evaluate(Y, S, by=np.arange(100) // 97, n_resamples=100).subgroups,
    "curve": lambda: uc.evaluate(Y, S, n_resamples=100).curve("roc"),
    "comparison": lambda: uc.compare(Y, {"a": S, "b": np.roll(S, 1)}, n_resamples=100),
    "card": lambda: uc.threshold_card(Y, S, min_precision=1.0, n_resamples=100),
    "indistinguishability": lambda: uc.indistinguishability(Y, S),
    "bayes": lambda: NEVER,
    "posterior": lambda: uc.posterior(NEVER, prior=0.1, results="++"),
    "usefulness": lambda: uc.usefulness(tp=0, fp=0, fn=10, tn=990),
    "reconstruction": lambda: uc.reconstruct(lr_positive="inf", sensitivity="0.5", n=20),
    "reconstructions": lambda: uc.reconstruct([{"auroc": "0.9", "positives": 5, "negatives": 9}]),
    "power": lambda: uc.resolving_power(uc.Binormal(), ["auroc"], n=200, prevalence=0.3, at=0.8, n_samples=100),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RESULTS)
def test_strict_json(name):
    result = RESULTS[name]()
    told = result.as_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_frames_keep_numbers():
    found = uc.evaluate_counts(tp=0, fp=0, fn=10, tn=990)
    assert found["precision"].as_dict()["value"] is None
    assert math.isnan(found.rows()[list(found).index("precision")]["value"])
    assert found.to_frame()["value"].dtype == float

"""Metrics of many labels equal scikit-learn's; standard errors those of numerical derivatives in its weights."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk

import unconfuse as uc
from unconfuse.metrics import multilabel
from unconfuse.table.multi_output import LabelSample

CASES = json.loads(Path(__file__).with_name("labels.json").read_text(encoding="utf-8"))["cases"]
NAMES = {
    f"{kind}_{name}": f"{name}_{kind}" for kind in ("macro", "micro", "weighted", "samples") for name in ("f1", "auroc")
}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_oracles(case):
    made = {"np": np}
    exec(case["make"], made)  # the oracle's own recipe
    truth, scores, decided = made["Y"], made["S"], made["D"]
    found = uc.evaluate(truth, scores, predicted=decided)
    cases = LabelSample(
        labels=tuple(found.labels),
        truth=truth.astype(np.int8),
        scores={"score": scores},
        decided={"score": decided.astype(bool)},
    )
    for key, value in case["expect"].items():
        if key.endswith("_se"):
            continue
        name = NAMES.get(key, key)
        assert found[name].value == pytest.approx(value, abs=case["tolerance"][key])
        influence = multilabel.found(name).value(cases).influence
        error = np.sqrt((influence**2).sum() * len(truth) / (len(truth) - 1))
        assert error == pytest.approx(case["expect"][f"{key}_se"], abs=case["tolerance"][f"{key}_se"])


def world(kind):
    rng = np.random.default_rng(5)
    n, width = {"tiny": (4, 2), "tied": (80, 6), "rare": (60, 3), "one": (50, 1), "plain": (200, 7)}[kind]
    truth = (rng.random((n, width)) < (0.06 if kind == "rare" else 0.4)).astype(int)
    truth[0], truth[1] = 1, 0
    scores = 0.5 * truth + rng.random((n, width))
    return truth, (np.round(scores, 1) if kind == "tied" else scores) / 1.5


SCIKIT = {
    "subset_accuracy": lambda y, d, s: sk.accuracy_score(y, d),
    "hamming_loss": lambda y, d, s: sk.hamming_loss(y, d),
    "label_ranking_average_precision": lambda y, d, s: sk.label_ranking_average_precision_score(y, s),
    "ranking_loss": lambda y, d, s: sk.label_ranking_loss(y, s),
    "coverage_error": lambda y, d, s: sk.coverage_error(y, s),
}
for _kind in ("macro", "micro", "weighted", "samples"):
    for _name in ("precision", "recall", "f1", "jaccard"):
        SCIKIT[f"{_name}_{_kind}"] = lambda y, d, s, name=_name, kind=_kind: getattr(sk, f"{name}_score")(
            y, d, average=kind, zero_division=0
        )
    SCIKIT[f"average_precision_{_kind}"] = lambda y, d, s, kind=_kind: sk.average_precision_score(y, s, average=kind)
    if _kind != "samples":
        SCIKIT[f"auroc_{_kind}"] = lambda y, d, s, kind=_kind: sk.roc_auc_score(y, s, average=kind)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["tiny", "tied", "rare", "plain"])
@pytest.mark.parametrize("name", SCIKIT)
def test_values_of_scikit_learn(name, kind):
    truth, scores = world(kind)
    found = uc.evaluate(truth, scores, metrics=[name], threshold=0.5)[name].value
    assert found == pytest.approx(SCIKIT[name](truth, scores >= 0.5, scores), abs=1e-12)


def test_auroc_within_cases_is_that_of_the_cases_which_have_one():
    truth, scores = world("tied")
    both = (truth.sum(axis=1) > 0) & (truth.sum(axis=1) < truth.shape[1])
    own = [sk.roc_auc_score(y, s) for y, s in zip(truth[both], scores[both], strict=True)]
    assert uc.evaluate(truth, scores)["auroc_samples"].value == pytest.approx(np.mean(own), abs=1e-12)


def test_weights_count_cases():
    truth, scores = world("plain")
    weights = np.random.default_rng(1).integers(1, 4, len(truth))
    told = uc.evaluate(truth, scores, weights=weights, metrics=["f1_macro", "auroc_macro", "ranking_loss", "lrap"])
    repeated = uc.evaluate(np.repeat(truth, weights, axis=0), np.repeat(scores, weights, axis=0), metrics=list(told))
    for name, each in told.items():
        assert each.value == pytest.approx(repeated[name].value, abs=1e-12)
        assert each.low == pytest.approx(repeated[name].low, abs=1e-9)

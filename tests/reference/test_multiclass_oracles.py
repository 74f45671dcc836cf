"""Several classes against the oracle cases and against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics as sk

import unconfuse as uc


@pytest.mark.oracle("multiclass")
def test_oracle(case, matches):
    ev = uc.evaluate_confusion(case["inputs"]["cm_rows_true"], n_resamples=100)
    for name in ("accuracy", "balanced_accuracy"):
        matches(ev[name].value, case["expect"][name], case["tol"])
    for name, key in (("sensitivity", "recall"), ("precision", "precision")):
        for k, expected in enumerate(case["expect"][key]):
            matches(ev.one_vs_rest(k)[name].value, expected, case["tol"])


def rows(n=400, classes=5, seed=0, *, digits=None):
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.geometric(0.35, n) - 1, classes - 1)
    logits = rng.normal(size=(n, classes))
    logits[np.arange(n), y] += 1.0
    logits = logits if digits is None else np.round(logits, digits)
    scores = np.exp(logits)
    return y, scores / scores.sum(axis=1, keepdims=True), rng.integers(1, 4, n).astype(float)


DECISIONS = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "mcc": sk.matthews_corrcoef,
    "cohen_kappa": sk.cohen_kappa_score,
    "cohen_kappa_linear": lambda y, p, **w: sk.cohen_kappa_score(y, p, weights="linear", **w),
    "cohen_kappa_quadratic": lambda y, p, **w: sk.cohen_kappa_score(y, p, weights="quadratic", **w),
} | {
    f"{name}_{average}": (lambda y, p, score=score, average=average, **w: score(y, p, average=average, **w))
    for name, score in (
        ("f1", sk.f1_score),
        ("precision", sk.precision_score),
        ("sensitivity", sk.recall_score),
        ("jaccard", sk.jaccard_score),
    )
    for average in ("macro", "micro", "weighted")
}
SCORES = {
    "log_loss": sk.log_loss,
    "brier": sk.brier_score_loss,
    "auroc_ovr_macro": lambda y, s, **w: sk.roc_auc_score(y, s, multi_class="ovr", average="macro", **w),
    "auroc_ovr_weighted": lambda y, s, **w: sk.roc_auc_score(y, s, multi_class="ovr", average="weighted", **w),
    "average_precision_macro": lambda y, s, **w: sk.average_precision_score(y, s, average="macro", **w),
    "top_k_accuracy(2)": lambda y, s, **w: sk.top_k_accuracy_score(y, s, k=2, **w),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", [*DECISIONS, *SCORES])
def test_scikit_learn(name, weighted):
    y, scores, weights = rows()
    given = {"sample_weight": weights} if weighted else {}
    own = {"weights": weights if weighted else None, "ordered": True}
    ours = uc.evaluate(y, scores, metrics=[name], **own, n_resamples=100)[name].value
    decided = scores.argmax(axis=1)
    theirs = DECISIONS[name](y, decided, **given) if name in DECISIONS else SCORES[name](y, scores, **given)
    assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("digits", [None, 0])
def test_hand_and_till_with_ties(digits):
    y, scores, _ = rows(digits=digits)
    ours = uc.evaluate(y, scores, metrics=["auroc_hand_till"], n_resamples=100)["auroc_hand_till"].value
    assert ours == pytest.approx(sk.roc_auc_score(y, scores, multi_class="ovo", average="macro"), rel=1e-12)


def test_two_classes_have_half_the_brier_sum_as_scikit_learn():
    y, scores, _ = rows(classes=2)
    assert uc.evaluate(y, scores, metrics=["brier"])["brier"].value == pytest.approx(
        sk.brier_score_loss(y, scores[:, 1]), rel=1e-12
    )


_AVERAGED = [f"{metric}_{kind}" for metric in ("f1", "precision", "jaccard") for kind in ("macro", "weighted", "micro")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", _AVERAGED)
def test_classes_that_are_never_true_or_never_predicted_count_as_in_scikit_learn(name):
    """Labels of the union of both, those without a value as 0; with a class that is neither, which nobody counts."""
    rng = np.random.default_rng(4)
    for truths, predictions in (((0, 1), (0, 1, 2)), ((0, 1, 2), (0, 1)), ((0, 1), (1, 2)), ((0, 3), (0, 1, 2, 3))):
        y, predicted = rng.choice(truths, 40), rng.choice(predictions, 40)
        y[:4], predicted[:4] = np.resize(truths, 4), np.resize(predictions, 4)
        found = uc.evaluate(y, predicted=predicted, classes=range(5), metrics=[name], n_resamples=100)[name]
        assert found.value == pytest.approx(DECISIONS[name](y, predicted, zero_division=0), rel=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_the_recall_of_a_class_that_does_not_occur_is_left_out_as_from_the_balanced_accuracy():
    y, predicted = ["a", "b"] * 20, ["a", "b", "c", "b"] * 10
    ev = uc.evaluate(y, predicted=predicted, n_resamples=100)
    assert ev["sensitivity_macro"].value == ev["balanced_accuracy"].value == sk.balanced_accuracy_score(y, predicted)

"""What a stranger would type without reading: each guess has its answer, or a question in words."""

import numpy as np
import pytest

import unconfuse as uc

RNG = np.random.default_rng(32)
Y = (RNG.random(200) < 0.4).astype(int)
P = np.clip(0.35 * Y + 0.3 + 0.25 * RNG.normal(size=200), 0.01, 0.99)
Q = np.clip(0.15 * Y + 0.4 + 0.25 * RNG.normal(size=200), 0.01, 0.99)

NAMES = {
    "AUC": "auroc",
    "AUROC": "auroc",
    "ROC AUC": "auroc",
    "auc-roc": "auroc",
    "C-statistic": "auroc",
    "TPR": "sensitivity",
    "Recall": "sensitivity",
    "Se": "sensitivity",
    "Sp": "specificity",
    "PPV": "precision",
    "NPV": "npv",
    "FOR": "false_omission_rate",
    "FDR": "false_discovery_rate",
    "F1": "f1",
    "F1 score": "f1",
    "F1-Score": "f1",
    "LR+": "lr_positive",
    "LR-": "lr_negative",
    "LR -": "lr_negative",
    "positive likelihood ratio": "lr_positive",
    "DOR": "diagnostic_odds_ratio",
    "MCC": "mcc",
    "J": "youden_j",
    "Youden's J": "youden_j",
    "balanced accuracy": "balanced_accuracy",
    "Balanced-Accuracy": "balanced_accuracy",
    "f2": "f_beta(2)",
    "F0.5 score": "f_beta(0.5)",
    "false_alarm_rate": "false_positive_rate",
    "labelling rate": "queue_rate",
    "Brier Score": "brier",
    "PR AUC": "average_precision",
    "Cohen's kappa": "cohen_kappa",
    "log-loss": "log_loss",
    "precision@10": "precision_at_k(10)",
    "expected_cost(1, 10)": "expected_cost(fp=1, fn=10)",
    "Expected cost(fp=1, fn=10)": "expected_cost(fp=1, fn=10)",
}


@pytest.mark.parametrize("guess", NAMES)
def test_a_metric_is_found_however_its_name_is_written(guess):
    name = NAMES[guess]
    assert uc.evaluate(Y, P, metrics=["accuracy"])[guess].name == name
    assert list(uc.evaluate(Y, P, metrics=[guess])) == [name]
    if "(" not in name:
        assert uc.METRICS[guess].name == name
        assert guess in uc.METRICS


@pytest.mark.parametrize("guess", ["AUC", "F1 score", "f2", "TPR"])
def test_comparisons_and_questions_take_the_same_names(guess):
    metrics = ["auroc", "f1", "f_beta(2)", "sensitivity"]
    found = uc.compare(Y, {"a": P, "b": Q}, metrics=metrics)
    assert found[guess, "a", "b"].metric == NAMES[guess]
    assert found[guess, "b", "a"].metric == NAMES[guess]
    assert guess in uc.evaluate(Y, P, metrics=metrics) or guess == "f2"
    assert uc.gate(Y, P, require=[f"{guess} >= 0.01"]).verdict == "pass"


def test_averages_over_classes_are_found_in_either_order():
    y = RNG.integers(0, 3, 60)
    scores = RNG.dirichlet([1, 1, 1], 60)
    ev = uc.evaluate(y, scores)
    for guess in ("F1 macro", "macro F1", "macro-F1", "f1_macro"):
        assert ev[guess].name == "f1_macro"
    assert ev["Macro recall"].name == "sensitivity_macro"
    assert ev["top-2 accuracy"].name == "top_k_accuracy(2)"


def test_a_users_own_metric_goes_before_the_declared_one():
    @uc.metric(name="Auc")
    def own(counts):
        return counts.tp / counts.total

    ev = uc.evaluate(Y, P, metrics=[own])
    assert ev["Auc"].value == ev["AUC"].value == ev.counts.tp / ev.counts.total


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(KeyError, match="did you mean 'sensitivity'"):
        uc.METRICS["sensitivty"]
    assert uc.METRICS.get("nothing like it") is None
    assert 3 not in uc.METRICS


def test_costs_are_given_in_order():
    assert uc.expected_cost(1, 10).name == uc.expected_cost(fp=1, fn=10).name

"""Bayes, expectations, binomial and confusion oracles: made by independent code from the published sources."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.bayesian import (
    binomial_at_most,
    binomial_exactly,
    expected_rates,
    expected_rates_of_sample,
    shift_counts_estimates,
)

SHORT = {
    "pi0": "negative_prevalence",
    "pi1": "prevalence",
    "se": "sensitivity",
    "sp": "specificity",
    "alpha": "false_positive_rate",
    "beta": "false_negative_rate",
    "p0": "negative_queue_rate",
    "p1": "queue_rate",
    "ppv": "precision",
    "npv": "npv",
    "fdr": "false_discovery_rate",
    "for_": "false_omission_rate",
}
METRIC_OF = {
    "prevalence": "prevalence",
    "queue_rate": "queue_rate",
    "accuracy": "accuracy",
    "misclassification": "misclassification_rate",
    "null_error": "null_error_rate",
    "null_accuracy": "null_accuracy",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "fpr": "false_positive_rate",
    "fnr": "false_negative_rate",
    "precision": "precision",
    "npv": "npv",
    "fdr": "false_discovery_rate",
    "for_": "false_omission_rate",
    "balanced_accuracy": "balanced_accuracy",
    "f1": "f1",
    "youden": "youden_j",
    "lr_plus": "lr_positive",
    "lr_minus": "lr_negative",
    "dor": "diagnostic_odds_ratio",
}
Case = dict[str, Any]


@pytest.mark.oracle("bayes", "bayes12")
def test_three_quantities_give_the_twelve(case: Case, matches: Any) -> None:
    found = uc.bayes(**{SHORT[name]: value for name, value in case["inputs"].items()})
    for short, expected in case["expect"].items():
        matches(getattr(found, SHORT[short]), expected, case["tol"])


@pytest.mark.oracle("bayes", "bayes12")
def test_any_three_of_the_twelve_give_them_back(case: Case, matches: Any) -> None:
    pairs = (("pi1", "pi0"), ("se", "beta"), ("sp", "alpha"), ("p1", "p0"), ("ppv", "fdr"), ("npv", "for_"))
    for chosen in combinations(pairs, 3):
        found = uc.bayes(**{SHORT[pair[0]]: case["expect"][pair[0]] for pair in chosen})
        for short, expected in case["expect"].items():
            matches(getattr(found, SHORT[short]), expected, case["tol"])


@pytest.mark.oracle("bayes", "prevshift")
def test_prevalence_shift(case: Case, matches: Any) -> None:
    rates = {"sensitivity": case["inputs"]["se"], "specificity": case["inputs"]["sp"]}
    for where in ("from", "to"):
        here, expected = case["inputs"][f"pi1_{where}"], dict(case["expect"][f"at_{where}"])
        found = uc.bayes(prevalence=here, **rates)
        matches(found.precision, expected.pop("ppv_closed"), case["tol"])
        after = uc.posterior(found, prior=here).after_positive.value
        odds = after / (1 - after) if after < 1 else float("inf")
        matches(odds, expected.pop("post_odds_plus"), 1e-9)
        for short, value in expected.items():
            matches(getattr(found, SHORT.get(short, short)), value, case["tol"])


@pytest.mark.oracle("bayes", "prevshift")
def test_prevalence_shift_of_counts(case: Case, matches: Any) -> None:
    study = uc.Counts.from_rates(
        prevalence=case["inputs"]["pi1_from"], sensitivity=case["inputs"]["se"], specificity=case["inputs"]["sp"]
    )
    scaled = uc.Counts(**{name: 1000 * cell for name, cell in study.as_dict().items()})
    found = shift_counts_estimates(scaled, uc.METRICS.values(), case["inputs"]["pi1_to"])
    for short in ("ppv", "npv", "fdr", "for_", "p1", "p0", "accuracy"):
        matches(found[SHORT.get(short, short)].value, case["expect"]["at_to"][short], case["tol"])


@pytest.mark.oracle("bayes", "demortier")
def test_accuracy_follows_from_the_printed_rates(case: Case, matches: Any) -> None:
    rows = zip(case["inputs"]["rows"], case["expect"]["acc"], strict=True)
    for (prevalence, sensitivity, specificity, printed), expected in rows:
        ours = uc.bayes(prevalence=prevalence, sensitivity=sensitivity, specificity=specificity).accuracy
        matches(ours, expected, 1e-12)
        matches(ours, printed, case["tol"])


@pytest.mark.oracle("expectation")
def test_expected_rates(case: Case, matches: Any) -> None:
    found = expected_rates(case["inputs"]["pi1"], case["inputs"]["auroc"])
    for short, name in (("E_se", "sensitivity"), ("E_sp", "specificity"), ("E_acc", "accuracy")):
        matches(getattr(found, name), case["expect"][short], case["tol"])


@pytest.mark.oracle("ranking")
def test_expected_rates_of_a_sample(case: Case, matches: Any) -> None:
    table = uc.ScoreTable.from_rows(
        np.array(case["inputs"]["y"], dtype=bool), np.array(case["inputs"]["s"], dtype=float)
    )
    found, expected = expected_rates_of_sample(table), case["expect"]["expectations_finite_ge"]
    for short, name in (("E_se", "sensitivity"), ("E_sp", "specificity"), ("E_acc", "accuracy")):
        matches(getattr(found, name), expected[short], 1e-12)


@pytest.mark.oracle("binomial")
def test_binomial(case: Case, matches: Any) -> None:
    n, p = case["inputs"]["n"], case["inputs"]["p"]
    matches(binomial_at_most(6, n, p), case["expect"]["P_le_6"], case["tol"])
    matches(binomial_exactly(10, n, p), case["expect"]["P_eq_10"], case["tol"])


@pytest.mark.oracle("confusion")
def test_confusion(case: Case, matches: Any) -> None:
    found = uc.evaluate_counts(**case["inputs"], metrics=[*METRIC_OF.values(), uc.f_beta(2), uc.f_beta(0.5)])
    for short, name in {**METRIC_OF, "f2": "f_beta(2)", "f0.5": "f_beta(0.5)"}.items():
        matches(found[name].value, case["expect"][short], case["tol"])
    assert (found.positives, found.negatives, found.n) == tuple(case["expect"][key] for key in ("P", "N", "n"))


@pytest.mark.oracle("confusion")
def test_usefulness(case: Case) -> None:
    found = uc.usefulness(uc.Counts(**case["inputs"]))
    assert found.is_better is case["expect"]["useful"]
    assert all(each.holds in (found.is_better, None) for each in found.conditions)

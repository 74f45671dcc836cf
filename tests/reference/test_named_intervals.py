"""Intervals by their names against statsmodels, SciPy and R's pROC; `make_named_intervals.py` made the values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.metrics import find_metric

REFERENCE = json.loads(Path(__file__).with_name("named_intervals.json").read_text(encoding="utf-8"))
SPANS = {
    "fpr 0-0.1": "0.1",
    "fpr 0-0.5": "0.5",
    "fpr 0.1-0.4": "0.4, min_fpr=0.1",
    "tpr 0.8-1": "min_tpr=0.8",
    "tpr 0.5-0.9": "min_tpr=0.5, max_tpr=0.9",
}


@pytest.mark.parametrize(
    "case", REFERENCE["proportions"], ids=lambda c: f"{c['method']} {c['successes']}/{c['trials']}"
)
def test_proportions_are_those_of_statsmodels(case: dict) -> None:
    successes, trials = case["successes"], case["trials"]
    recall = uc.evaluate_counts(tp=successes, fp=1, fn=trials - successes, tn=9)["sensitivity"]
    found, expected = recall.interval(method=case["method"]), list(case["limits"])
    if case["method"] == "jeffreys":  # ours ends at 0 and 1 where all agree, as Brown, Cai and DasGupta advise
        expected = [0.0 if successes == 0 else expected[0], 1.0 if successes == trials else expected[1]]
    assert (found.low, found.high) == pytest.approx(np.clip(expected, 0, 1), abs=1e-9)


@pytest.mark.parametrize("case", REFERENCE["ratios"], ids=lambda c: str(c["counts"]))
def test_log_intervals_are_those_of_statsmodels(case: dict) -> None:
    ev = uc.evaluate_counts(**dict(zip(("tp", "fp", "fn", "tn"), case["counts"], strict=True)))
    for name in ("diagnostic_odds_ratio", "lr_positive", "lr_negative"):
        found = ev[name].interval(method="log")
        assert (found.low, found.high) == pytest.approx(case[name], rel=1e-9)


@pytest.mark.parametrize("case", REFERENCE["bootstrap"], ids=lambda c: f"{c['method']} {c['tp']}")
def test_bootstraps_of_decisions_are_scipys(case: dict) -> None:
    """Resamples of whole positives step by one case; case-control, because SciPy resampled the positives alone."""
    table = uc.score_table(
        np.repeat([1, 1, 0], [case["tp"], case["fn"], 30]), np.repeat([0.9, 0.1, 0.2], [case["tp"], case["fn"], 30])
    )
    recall = uc.evaluate(table, metrics=["sensitivity"], design="case-control", n_resamples=40_000, threshold=0.5)[
        "sensitivity"
    ]
    found, step = recall.interval(method=case["method"]), 1 / (case["tp"] + case["fn"])
    assert (found.low, found.high) == pytest.approx(np.clip(case["limits"], 0, 1), abs=1.01 * step)
    assert case["method"].lower() in found.method.lower()


@pytest.mark.parametrize("case", REFERENCE["auroc"])
def test_auroc_is_procs(case: dict) -> None:
    theirs = case["pROC"]
    ev = uc.evaluate(case["y"], case["s"], metrics=["auroc"], threshold=0.5)["auroc"]
    found = ev.interval(method="delong")
    ours = found.value, found.low, found.high, found.standard_error
    assert ours == pytest.approx([theirs[key] for key in ("auroc", "low", "high", "standard_error")], abs=1e-12)
    paired = uc.compare(case["y"], {"s": case["s"], "t": case["t"]}, metrics=["auroc"], threshold=0.5)[
        "auroc", "s", "t"
    ]
    assert paired.p_value == pytest.approx(theirs["paired p"], rel=1e-9)


@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize("form", ["raw", "mcclish"])
def test_partial_areas_are_procs(span: str, form: str) -> None:
    for case in REFERENCE["auroc"]:
        metric = find_metric(f"partial_auroc({SPANS[span]}, form={form!r})")
        table = uc.score_table(case["y"], case["s"])
        assert float(metric(table)) == pytest.approx(case["pROC"][f"{form} {span}"], abs=1e-12)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_perfect_ranking_has_the_collapsed_bootstrap_that_its_name_means(method: str) -> None:
    perfect = uc.evaluate([1] * 10 + [0] * 10, np.linspace(0.95, 0.05, 20), metrics=["auroc"], threshold=0.5)["auroc"]
    found = perfect.interval(method=method)
    assert (found.low, found.high) == (1, 1)


def test_bootstraps_of_scores_are_of_the_rows_as_they_are() -> None:
    """The mean squared error is a plain mean: SciPy's bootstraps of the losses are its bootstraps."""
    from scipy import stats

    rng = np.random.default_rng(2)
    y = rng.random(80) < 0.4
    p = np.clip(0.3 + 0.3 * y + 0.2 * rng.normal(size=80), 0.01, 0.99)
    found = uc.evaluate(y, p, metrics=["brier"], n_resamples=20_000, threshold=0.5)["brier"]
    for method in ("percentile", "basic", "bca"):
        theirs = stats.bootstrap(
            ((p - y) ** 2,), np.mean, n_resamples=20_000, method=method.replace("bca", "BCa"), rng=1
        ).confidence_interval
        ours = found.interval(method=method)
        assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.002)

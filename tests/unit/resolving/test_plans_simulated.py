"""Plans of every metric beside simulated studies: the interval is as wide, and the test as powerful, as was said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import unconfuse as uc
from unconfuse import METRICS, Binormal, Counts
from unconfuse.resolving.asymptotic import ClassSizes
from unconfuse.resolving.score_sampling import draw

Z = norm.ppf(0.975)
SE, SP, PI = 0.8, 0.85, 0.25
FIXED = {"null_accuracy", "null_error_rate", "prevalence"}  # of the data, not of the decisions
DECISIONS = [each for each in METRICS.values() if each.of == "counts"]
SCORES = [each for each in METRICS.values() if each.of in ("ranks", "probabilities") and each.name != "ece"]


def cells(se, sp, n, design, size, rng):
    positives = rng.binomial(n, PI, size) if design == "cohort" else np.full(size, round(PI * n))
    tp, fp = rng.binomial(positives, se), rng.binomial(n - positives, 1 - sp)
    return Counts(tp=tp, fp=fp, fn=positives - tp, tn=n - positives - fp)


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("metric", DECISIONS, ids=lambda each: each.name)
def test_decisions_have_intervals_of_that_width(metric, design):
    if metric.name in FIXED and design == "case-control":
        pytest.skip("the study fixes it")
    value = float(metric(Counts.from_rates(prevalence=PI, sensitivity=SE, specificity=SP)))
    width = 0.25 * abs(value) if math.isinf(metric.range[1]) else 0.06
    if width >= 1:
        pytest.skip("a width of 1 or more cannot be asked for")
    found = uc.plan(metric=metric, sensitivity=SE, specificity=SP, width=width, prevalence=PI, design=design)
    values = metric(cells(SE, SP, found.n, design, 4000, np.random.default_rng(1)))
    seen = 2 * Z * float(np.nanstd(values))
    assert found.design == design and f", {design})" in str(found)
    if design == "cohort" or not metric.depends_on_prevalence:
        assert seen == pytest.approx(width, rel=0.07)
    else:
        assert seen <= 1.07 * width  # where the class sizes are fixed a proportion varies less than a binomial one


@pytest.mark.parametrize("metric", SCORES, ids=lambda each: each.name)
def test_scores_have_intervals_of_that_width(metric):
    found = uc.plan(Binormal(), metric=metric, width=0.1, prevalence=0.2, at=0.8)
    population, sizes = Binormal().population_at(0.8), ClassSizes.of(found.n, 0.2, "cohort")
    values = draw(population, [metric], sizes, 1000, 5)[metric.name]
    assert 2 * Z * np.nanstd(values) == pytest.approx(0.1, rel=0.13)
    assert found.design == "cohort"


@pytest.mark.parametrize(("metric", "width", "n"), [("brier", 0.05, 249), ("log_loss", 0.1, 554)])
def test_evaluations_of_so_many_cases_have_such_intervals(metric, width, n):
    """A fixed number of positives made 43 and 156 of these."""
    found = uc.plan(Binormal(), metric=metric, width=width, prevalence=0.1, at=0.8)
    assert found.n == pytest.approx(n, rel=0.03)
    rng, shift, widths = np.random.default_rng(2), math.sqrt(2) * norm.ppf(0.8), []
    for _ in range(30):
        y = rng.random(found.n) < 0.1
        log_odds = shift * (rng.normal(size=found.n) + shift * y) - shift**2 / 2 + math.log(1 / 9)
        own = uc.evaluate(y, 1 / (1 + np.exp(-log_odds)), metrics=[metric], n_resamples=200)[metric]
        widths.append(own.high - own.low)
    assert np.mean(widths) == pytest.approx(width, rel=0.25)


@pytest.mark.parametrize("name", ["accuracy", "sensitivity", "specificity", "f1", "mcc", "youden_j", "precision"])
def test_power_of_two_test_sets(name):
    metric, rng = METRICS[name], np.random.default_rng(3)
    how = {"metric": name, "sensitivity": SE, "specificity": SP, "prevalence": PI, "power": 0.8}
    found = uc.plan(difference=0.06, **how)
    from unconfuse.resolving.standard_errors import DecisionErrors

    better = DecisionErrors(metric, SE, SP, PI, "cohort").other(0.06)
    first, second = (metric(cells(*each, found.n, "cohort", 4000, rng)) for each in ((SE, SP), better))
    error = math.hypot(float(np.std(first)), float(np.std(second)))
    assert np.mean(second - first > Z * error) == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize("name", ["accuracy", "f1", "mcc"])
def test_power_against_a_number_and_non_inferiority(name):
    metric, rng = METRICS[name], np.random.default_rng(4)
    how = {"metric": name, "sensitivity": SE, "specificity": SP, "prevalence": PI, "power": 0.8}
    value = float(metric(Counts.from_rates(prevalence=PI, sensitivity=SE, specificity=SP)))
    found = uc.plan(null=value - 0.08, **how)
    values = metric(cells(SE, SP, found.n, "cohort", 4000, rng))
    null = value - 0.08
    error = math.sqrt(null * (1 - null) / found.n) if name == "accuracy" else np.std(values)
    assert np.mean(values - null > Z * error) == pytest.approx(0.8, abs=0.05)
    found = uc.plan(margin=0.08, **how)
    first, second = (metric(cells(SE, SP, found.n, "cohort", 4000, rng)) for _ in range(2))
    error = math.hypot(float(np.std(first)), float(np.std(second)))
    assert np.mean(second - first + 0.08 > Z * error) == pytest.approx(0.8, abs=0.04)


def test_a_calibration_error_of_zero_cannot_be_planned():
    """Its theory said 60 cases, whose intervals are five times as wide."""
    with pytest.raises(uc.UnconfuseError, match="ece cannot be planned here"):
        uc.plan(Binormal(), metric="ece", width=0.05, prevalence=0.1, at=0.8)


@pytest.mark.parametrize("name", ["auroc", "gini"])
def test_power_of_scores(name):
    metric, rng = METRICS[name], 6
    found = uc.plan(Binormal(), metric=name, difference=0.05, power=0.8, prevalence=0.3, at=0.75)
    sizes = ClassSizes.of(found.n, 0.3, "cohort")
    first, second = (
        draw(Binormal().population_at(at), [metric], sizes, 3000, rng + place)[name]
        for place, at in enumerate((0.75, 0.8))
    )
    error = math.hypot(float(np.std(first)), float(np.std(second)))
    assert np.mean(second - first > Z * error) == pytest.approx(0.8, abs=0.05)


def test_rare_positives_come_back_at_once():
    """Few positives drive it: 8 million cases are not drawn 10,000 times."""
    import time

    start = time.process_time()
    found = uc.plan(Binormal(), difference=0.03, prevalence=1e-4, at=0.8)
    assert time.process_time() - start < 5
    assert 750 < found.positives < 850 and found.kappa <= 0.03


@pytest.mark.parametrize("at", [0.6, 0.9])
def test_theory_of_the_auroc_is_what_simulation_says(at):
    found = uc.plan(Binormal(), difference=0.1, prevalence=0.3, at=at)
    assert found.method == "asymptotic"
    seen = uc.resolving_power(Binormal(), ["auroc"], n=found.n, prevalence=0.3, at=at, design="cohort", n_samples=4000)
    assert seen["auroc"].kappa == pytest.approx(found.kappa, rel=0.06)

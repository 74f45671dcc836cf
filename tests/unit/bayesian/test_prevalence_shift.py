"""The same classifier at another prevalence, and one person's posterior."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.bayesian import (
    break_even_prevalence,
    predictive_value_curve,
    prevalence_of,
    shift_counts_estimates,
    standardised_predictive_values,
)

STUDY = uc.Counts(tp=90, fp=5, fn=10, tn=95)
DECISIONS = [metric for metric in uc.METRICS.values() if metric.of == "counts"]
PREDICTIVE = ("precision", "npv", "false_discovery_rate", "false_omission_rate")


@pytest.mark.parametrize("prevalence", [0.001, 0.02, 0.5, 0.9])
def test_values_are_those_of_the_shifted_table(prevalence: float) -> None:
    shifted = shift_counts_estimates(STUDY, uc.METRICS.values(), prevalence)
    assert list(shifted) == [metric.name for metric in DECISIONS]
    for metric in DECISIONS:
        found = shifted[metric.name]
        expected = float(metric(uc.Counts.from_rates(prevalence=prevalence, sensitivity=0.9, specificity=0.95)))
        assert found.value == pytest.approx(expected, abs=1e-12), metric.name
        if not math.isnan(found.low):
            assert found.low <= found.value <= found.high, metric.name


def test_metrics_of_the_classifier_keep_their_interval() -> None:
    study, shifted = uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95), shift_counts_estimates(STUDY, DECISIONS, 0.01)
    for metric in DECISIONS:
        if not metric.depends_on_prevalence:
            here, there = study[metric.name], shifted[metric.name]
            assert (there.value, there.low, there.high) == pytest.approx((here.value, here.low, here.high), abs=2e-3)


def test_what_follows_from_a_known_prevalence_alone_has_no_interval() -> None:
    shifted = shift_counts_estimates(STUDY, DECISIONS, 0.02)
    for name in ("prevalence", "null_accuracy", "null_error_rate"):
        assert math.isnan(shifted[name].low)
        assert shifted[name].method == "given"


def test_an_estimated_prevalence_widens_the_intervals() -> None:
    known, many, few = (shift_counts_estimates(STUDY, DECISIONS, each) for each in (0.02, (200, 10_000), (2, 100)))
    for name in (*PREDICTIVE, "mcc", "f1", "joint_true_positive"):
        widths = [each[name].high - each[name].low for each in (known, many, few)]
        assert widths[0] < widths[1] < widths[2], name
        assert few[name].value == pytest.approx(known[name].value)
    assert few["prevalence"].low < 0.02 < few["prevalence"].high


def test_complements_mirror_each_other() -> None:
    shifted = shift_counts_estimates(STUDY, DECISIONS, (20, 1000))
    for one, two in (("precision", "false_discovery_rate"), ("npv", "false_omission_rate")):
        assert shifted[one].low == pytest.approx(1 - shifted[two].high)
        assert shifted[one].high == pytest.approx(1 - shifted[two].low)


def test_the_logit_interval_is_that_of_the_log_likelihood_ratio() -> None:
    ratio = uc.METRICS["lr_positive"]
    spread = math.sqrt(1 / 90 - 1 / 100 + 1 / 5 - 1 / 100)
    odds = 0.02 / 0.98 * float(ratio(STUDY)) * math.exp(1.959963985 * spread)
    found = shift_counts_estimates(STUDY, DECISIONS, 0.02)["precision"].interval(method="logit")
    assert found.high == pytest.approx(odds / (1 + odds))


@pytest.mark.parametrize(
    "counts",
    [uc.Counts(tp=141, fp=0, fn=67, tn=31), uc.Counts(tp=0, fp=0, fn=10, tn=990), uc.Counts(tp=3, fp=1, fn=0, tn=9)],
)
def test_empty_cells_leave_an_honest_interval(counts: uc.Counts) -> None:
    for estimate in shift_counts_estimates(counts, DECISIONS, 0.05).values():
        if estimate.name in PREDICTIVE and not estimate.undefined:
            assert estimate.low <= estimate.value <= estimate.high
            assert estimate.high - estimate.low > 1e-3


def test_estimates_can_be_asked_again() -> None:
    found = shift_counts_estimates(STUDY, DECISIONS, 0.02)
    narrow = found["precision"].interval(confidence_level=0.5)
    assert found["precision"].low < narrow.low < narrow.high < found["precision"].high
    other = found["precision"].interval(method="posterior")
    assert other.low == pytest.approx(found["precision"].low, abs=0.05)
    assert found["accuracy"].interval(confidence_level=0.9).confidence_level == 0.9
    for name in ("precision", "accuracy"):
        with pytest.raises(ArgumentError, match="at another prevalence"):
            found[name].interval(method="wilson")


def test_prevalence_of_an_estimate_is_as_uncertain_as_its_interval() -> None:
    given = uc.Estimate("prevalence", "Prevalence", 0.02, 0.013, 0.0307)
    assert prevalence_of(given).trials == pytest.approx(1000, rel=0.1)
    assert prevalence_of(uc.Estimate("prevalence", "Prevalence", 0.02, math.nan, math.nan)).trials is None
    assert prevalence_of(prevalence_of(0.3)).value == 0.3


@pytest.mark.parametrize("given", [(20, 10), (1, 2, 3), (-1, 10), 1.5, (0.02, 0.03)])
def test_bad_prevalences_are_refused(given: object) -> None:
    with pytest.raises(ArgumentError, match="prevalence"):
        prevalence_of(given)  # type: ignore[arg-type]


def test_the_curve_agrees_with_single_points() -> None:
    at = [0.001, 0.1, 0.7]
    curve = predictive_value_curve(STUDY, at)
    for i, prevalence in enumerate(at):
        shifted = shift_counts_estimates(STUDY, DECISIONS, prevalence)
        for name in ("precision", "npv"):
            row = [curve[column][i] for column in (name, f"{name}_low", f"{name}_high")]
            assert row == pytest.approx([shifted[name].value, shifted[name].low, shifted[name].high])


@pytest.mark.parametrize("counts", [STUDY, uc.Counts(tp=141, fp=0, fn=67, tn=31)])
def test_the_curve_rises_and_falls_with_prevalence(counts: uc.Counts) -> None:
    curve = predictive_value_curve(counts)
    assert len(curve["prevalence"]) == 199
    assert (np.diff(curve["precision"]) >= 0).all()
    assert (np.diff(curve["npv"]) <= 0).all()
    assert (curve["precision_low"] <= curve["precision"]).all()
    assert (curve["npv_high"] >= curve["npv"]).all()
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        predictive_value_curve(counts, [2])


@pytest.mark.parametrize("target", [{}, {"precision": 0.9}, {"npv": 0.99}])
def test_at_the_break_even_prevalence_the_target_is_met(target: dict[str, float]) -> None:
    found = break_even_prevalence(STUDY, **target)
    name, value = next(iter(target.items()), ("precision", 0.5))
    assert shift_counts_estimates(STUDY, DECISIONS, found.value)[name].value == pytest.approx(value)
    assert 0 < found.low < found.value < found.high < 1


def test_break_even_by_hand_and_its_edges() -> None:
    assert break_even_prevalence(STUDY).value == pytest.approx(0.05 / 0.95)
    assert break_even_prevalence(uc.Counts(tp=9, fp=0, fn=1, tn=10)).value == 0
    assert break_even_prevalence(uc.Counts(tp=0, fp=0, fn=1, tn=10)).undefined
    with pytest.raises(ArgumentError, match="not both"):
        break_even_prevalence(STUDY, precision=0.5, npv=0.5)


def test_standardised_values_do_not_depend_on_the_study() -> None:
    rarer = uc.Counts(tp=90, fp=50, fn=10, tn=950)
    one, two = standardised_predictive_values(STUDY), standardised_predictive_values(rarer)
    assert one["precision"].value == pytest.approx(two["precision"].value) == pytest.approx(0.9 / 0.95)
    assert two["precision"].high - two["precision"].low < one["precision"].high - one["precision"].low


def test_posterior_is_prior_odds_times_likelihood_ratio() -> None:
    person = uc.posterior(uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95), prior=0.05)
    odds = 0.05 / 0.95 * 18
    assert person.after_positive.value == pytest.approx(odds / (1 + odds))
    odds = 0.05 / 0.95 * (0.1 / 0.95)
    assert person.after_negative.value == pytest.approx(odds / (1 + odds))
    assert person.after_negative.high < 0.05 < person.after_positive.low
    assert person.sentence.startswith("Before the test the probability is 5%. A positive result makes it 48.6% (")
    assert person.as_dict()["prior"] == 0.05


def test_posterior_equals_the_shifted_predictive_values() -> None:
    person, shifted = uc.posterior(STUDY, prior=(5, 100)), shift_counts_estimates(STUDY, DECISIONS, (5, 100))
    assert (person.after_positive.low, person.after_positive.high) == (
        shifted["precision"].low,
        shifted["precision"].high,
    )
    assert person.after_negative.value == pytest.approx(1 - shifted["npv"].value)


def test_posterior_of_known_rates_has_no_interval() -> None:
    person = uc.posterior(uc.bayes(prevalence=0.5, sensitivity=0.9, specificity=0.95), prior=0.01)
    assert person.after_positive.value == pytest.approx(2 / 13)
    assert math.isnan(person.after_positive.low)
    assert "15.4%" in person.sentence


def test_posterior_of_a_result_that_never_occurs() -> None:
    person = uc.posterior(uc.Counts(tp=0, fp=0, fn=10, tn=990), prior=0.05)
    assert person.after_positive.undefined == "this result never occurred"
    assert "unknown (this result never occurred)" in person.sentence
    known = uc.posterior(uc.bayes(prevalence=0.5, sensitivity=0, specificity=1), prior=0.1)
    assert known.after_positive.undefined == "this result never occurs"


def test_the_confidence_level_of_an_evaluation_is_kept() -> None:
    evaluation = uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95, confidence_level=0.8)
    assert uc.posterior(evaluation, prior=0.1).after_positive.confidence_level == 0.8
    assert uc.posterior(evaluation, prior=0.1, confidence_level=0.9).after_positive.confidence_level == 0.9


@pytest.mark.parametrize("source", ["text", uc.Counts(tp=[1, 2], fp=1, fn=1, tn=1), uc.Counts(tp=0, fp=1, fn=0, tn=1)])
def test_bad_sources_are_refused(source: object) -> None:
    with pytest.raises(InputError):
        uc.posterior(source, prior=0.1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sizes", "rates"), [((40, 160), (0.75, 0.875)), ((10, 990), (0.05, 0.999)), ((100, 100), (0.9, 0.99))]
)
@pytest.mark.parametrize("name", ["precision", "npv"])
def test_intervals_keep_their_promise(name: str, sizes: tuple[int, int], rates: tuple[float, float]) -> None:
    rng = np.random.default_rng(7)
    tp, tn = rng.binomial(sizes[0], rates[0], 300), rng.binomial(sizes[1], rates[1], 300)
    true = uc.Counts.from_rates(prevalence=0.05, sensitivity=rates[0], specificity=rates[1])
    tables = [uc.Counts(tp=a, fp=sizes[1] - b, fn=sizes[0] - a, tn=b) for a, b in zip(tp, tn, strict=True)]
    found = [shift_counts_estimates(table, [uc.METRICS[name]], 0.05)[name] for table in tables]
    inside = [each.low <= uc.METRICS[name](true) <= each.high for each in found if not each.undefined]
    assert np.mean(inside) > 0.915


def test_logit_limits_are_those_of_mercaldo_lau_and_zhou():
    table = uc.Counts(tp=80, fp=10, fn=20, tn=90)
    centre = np.log(0.8 * 0.05 / (0.1 * 0.95))
    half = 1.959964 * np.sqrt(0.2 / 0.8 / 100 + 0.9 / 0.1 / 100)  # their equation 8
    expected = 1 / (1 + np.exp(-(centre - half))), 1 / (1 + np.exp(-(centre + half)))
    there = shift_counts_estimates(table, DECISIONS, 0.05)
    found = there["precision"].interval(method="logit")
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-6)
    mirrored = shift_counts_estimates(uc.Counts(tp=90, fp=20, fn=10, tn=80), DECISIONS, 0.95)
    npv, precision = there["npv"].interval(method="logit"), mirrored["precision"].interval(method="logit")
    assert (npv.low, npv.high) == pytest.approx((precision.low, precision.high))


def test_chance_levels_follow_the_prevalence() -> None:
    """A useless classifier finds as large a share of the positives as it labels positive there."""
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    ev = uc.evaluate(y, 1 / (1 + np.exp(-2 * y - rng.normal(size=300) + 1)))
    there = uc.shift_prevalence(ev, prevalence=0.02)
    assert there["sensitivity"].baseline == pytest.approx(there["queue_rate"].value)
    assert there["specificity"].baseline == pytest.approx(1 - there["queue_rate"].value)
    assert [there[name].baseline for name in ("average_precision", "precision")] == pytest.approx([0.02, 0.02])
    assert there["sensitivity"].interval(method="wilson").method == "Wilson"


def test_an_undefined_value_keeps_its_actual_cause() -> None:
    labels, scores = [0, 1, 0, 1, 0, 1], [0.1, 0.9, 0.4, 0.6, 0.7, 1.0]
    moved = uc.shift_prevalence(uc.evaluate(labels, scores), prevalence=0.2)
    assert moved["calibration_slope"].undefined.startswith("the stated probability of 1 case is exactly 1")

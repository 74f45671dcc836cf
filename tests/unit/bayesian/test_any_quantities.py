"""The solver with ratios, accuracy and Youden's J among the given ones, with rounded ones, and with too few."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse._errors import ContradictionError, InsufficientError

RATIOS = ("accuracy", "youden_j", "lr_positive", "lr_negative", "diagnostic_odds_ratio")
rates = st.floats(0.02, 0.98)


def truth_of(prevalence: float, hit: float, alarm: float) -> dict[str, float]:
    """All seventeen by their definitions, in plain Python."""
    tp, fp = prevalence * hit, (1 - prevalence) * alarm
    fn, tn = prevalence - tp, 1 - prevalence - fp
    shares = {
        "prevalence": prevalence,
        "sensitivity": hit,
        "specificity": 1 - alarm,
        "queue_rate": tp + fp,
        "precision": tp / (tp + fp),
        "npv": tn / (tn + fn),
        "accuracy": tp + tn,
    }
    others = {
        "negative_prevalence": 1 - prevalence,
        "false_negative_rate": 1 - hit,
        "false_positive_rate": alarm,
        "negative_queue_rate": fn + tn,
        "false_discovery_rate": fp / (tp + fp),
        "false_omission_rate": fn / (tn + fn),
    }
    ratios = {
        "youden_j": hit - alarm,
        "lr_positive": hit / alarm,
        "lr_negative": (1 - hit) / (1 - alarm),
        "diagnostic_odds_ratio": hit * (1 - alarm) / (alarm * (1 - hit)),
    }
    return shares | others | ratios


NAMES = sorted(truth_of(0.5, 0.6, 0.3))


@settings(max_examples=60, deadline=None)
@given(rates, rates, rates, st.sets(st.sampled_from(NAMES), min_size=3, max_size=5))
def test_any_set_gives_the_truth_or_says_that_more_is_needed(prevalence, hit, alarm, names):
    if abs(hit - alarm) < 0.02:  # of a classifier that says nothing, many quantities say the same
        return
    truth = truth_of(prevalence, hit, alarm)
    try:
        found = uc.bayes(**{name: truth[name] for name in names})
    except InsufficientError:
        return
    for name, value in truth.items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-5, abs=1e-6), name


@example(0.34765625, 0.0234375, 0.0234375, {"accuracy", "diagnostic_odds_ratio", "false_discovery_rate"})
@settings(max_examples=60, deadline=None)
@given(rates, rates, rates, st.sets(st.sampled_from(NAMES), min_size=3, max_size=6))
def test_values_rounded_to_two_decimals_are_accepted(prevalence, hit, alarm, names):
    rounded = {name: round(truth_of(prevalence, hit, alarm)[name], 2) for name in names}
    try:
        found = uc.bayes(**rounded, tolerance=0.005)
    except InsufficientError:
        return
    for name, value in rounded.items():
        assert abs(getattr(found, name) - value) <= 0.00501, name


def test_three_hundred_sets_of_four_rounded_values_are_all_accepted():
    rng = np.random.default_rng(1)
    for _ in range(300):
        truth = truth_of(*rng.uniform(0.05, 0.95, 3))
        names = rng.choice(["prevalence", "sensitivity", "specificity", "queue_rate", "precision", "npv"], 4, False)
        try:
            uc.bayes(**{name: round(truth[name], 2) for name in names}, tolerance=0.005)
        except InsufficientError as error:
            assert "independent" in str(error)


@pytest.mark.parametrize("error", [0.02, 0.1, -0.05])
@pytest.mark.parametrize("name", ["accuracy", "youden_j", "lr_positive", "lr_negative", "diagnostic_odds_ratio"])
def test_a_wrong_fourth_one_is_still_a_contradiction(name, error):
    truth = truth_of(0.2, 0.7, 0.1)
    three = {each: truth[each] for each in ("prevalence", "sensitivity", "specificity")}
    assert uc.bayes(**three, **{name: truth[name]}).precision == pytest.approx(truth["precision"])
    wrong = truth[name] + error
    with pytest.raises(ContradictionError, match=rf"{name}=\S+ contradicts .* (is then|then lies)"):
        uc.bayes(**three, **{name: wrong})


@pytest.mark.parametrize(
    "wrong",
    [{"accuracy": 0.8}, {"youden_j": 0.5}, {"lr_positive": 9}, {"lr_negative": 0.5}, {"diagnostic_odds_ratio": 60}],
)
def test_rounding_excuses_no_more_than_rounding(wrong):
    three = {"prevalence": 0.2, "sensitivity": 0.7, "specificity": 0.9}
    with pytest.raises(ContradictionError, match="even if each of them is off"):
        uc.bayes(**three, **wrong, tolerance=0.005)


def test_likelihood_ratios_of_a_paper():
    found = uc.bayes(lr_positive=9, lr_negative=0.1, prevalence=0.05)
    assert found.sensitivity == pytest.approx(9 * 0.9 / 8.9)
    assert found.precision == pytest.approx((0.05 / 0.95 * 9) / (1 + 0.05 / 0.95 * 9))
    assert uc.bayes(lr_positive=9, precision=0.5, sensitivity=0.8).prevalence == pytest.approx(0.1)
    assert uc.bayes(lr_positive=math.inf, sensitivity=0.7, prevalence=0.1).specificity == 1.0


def test_one_in_a_million():
    found = uc.bayes(prevalence=1e-6, lr_positive=18, lr_negative=0.1 / 0.95)
    assert found.precision == pytest.approx(18e-6 / (18e-6 + 1 - 1e-6), rel=1e-9)
    known = {"prevalence": 1e-6, "sensitivity": 0.9, "specificity": 0.95}
    assert uc.bayes(**known, tolerance=0.005).precision == pytest.approx(1.79998e-05, rel=1e-4)
    assert uc.bayes(**known, accuracy=0.95, tolerance=0.005).prevalence == 1e-6  # it is not rounded to two decimals
    assert uc.bayes(prevalence=1e-6, sensitivity=0.9, npv=0.9999999).specificity == pytest.approx(1)
    with pytest.raises(ContradictionError, match=r"npv=0\.99999995 contradicts .* 0 and 0\.9999999"):
        uc.bayes(prevalence=1e-6, sensitivity=0.9, npv=0.99999995)


def test_two_classifiers_may_fit():
    with pytest.raises(InsufficientError, match="fit 2 different classifiers") as caught:
        uc.bayes(prevalence=0.5, accuracy=0.8, diagnostic_odds_ratio=18.857142857142858)
    name, value = str(caught.value).rstrip(".").rsplit("for example ", 1)[1].split("=")
    uc.bayes(
        prevalence=0.5, accuracy=0.8, diagnostic_odds_ratio=18.857142857142858, **{name: float(value)}, tolerance=1e-4
    )


def test_what_is_not_determined_has_a_range():
    found = uc.bayes(prevalence=0.2, accuracy=0.9, ranges=True)
    assert found.ranges["sensitivity"] == (0.5, 1.0)
    assert found.ranges["specificity"] == (0.875, 1.0)
    assert (found.prevalence, found.negative_prevalence, found.accuracy) == (0.2, 0.8, 0.9)
    assert found.undefined["precision"].startswith("not determined: between 0.66")
    assert uc.bayes(prevalence=0.2, sensitivity=0.7, specificity=0.9, ranges=True).ranges == {}


@settings(max_examples=40, deadline=None)
@given(rates, rates, rates, st.sets(st.sampled_from(NAMES), min_size=1, max_size=2))
def test_the_truth_lies_within_the_ranges(prevalence, hit, alarm, names):
    truth = truth_of(prevalence, hit, alarm)
    found = uc.bayes(**{name: truth[name] for name in names}, ranges=True)
    for name, (low, high) in found.ranges.items():
        room = 0.01 * max(1.0, truth[name])
        assert low - room <= truth[name] <= high + room, name


@pytest.mark.parametrize(
    ("known", "low", "high"),
    [({"lr_negative": 0.5}, 2, math.inf), ({"lr_negative": 0.72}, 1 / 0.72, math.inf), ({"lr_positive": 0.5}, 0, 0.5)],
)
def test_the_odds_ratio_of_a_likelihood_ratio(known, low, high):
    found = uc.bayes(**known, ranges=True).ranges["diagnostic_odds_ratio"]
    assert found == (pytest.approx(low, abs=1e-6), pytest.approx(high))


@pytest.mark.parametrize("guess", [{"youden_j": 0}, {"diagnostic_odds_ratio": 1}, {"lr_negative": 1}])
def test_after_a_guess_the_odds_are_those_before(guess):
    assert uc.bayes(**guess, false_discovery_rate=0.75, ranges=True).prevalence == pytest.approx(0.25)
    assert uc.bayes(**guess, npv=0.4, ranges=True).prevalence == pytest.approx(0.6)
    with pytest.raises(uc.UnconfuseError, match="contradicts"):
        uc.bayes(**guess, lr_positive=2, ranges=True)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"lr_positive": -1}, "must not be negative"),
        ({"youden_j": 1.5}, "between -1 and 1"),
        ({"accuracy": 90}, "90% is 0.9"),
        ({"lr_negative": math.nan}, "finite"),
        ({"youden_j": math.inf}, "finite"),
        ({"tp": 1, "fp": 1, "fn": 1, "tn": 1, "lr_positive": 3}, "contradicts the counts, which give 1"),
    ],
)
def test_bad_values_are_refused(known, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.bayes(**known)


def test_lines_that_never_meet_contradict_each_other():
    """A guess is right in some share of the cases, whatever the prevalence: it was said to be possible at 1/2."""
    for guess in ({"lr_negative": 1, "diagnostic_odds_ratio": 1}, {"youden_j": 0}, {"lr_positive": 1}):
        for how in (False, True):
            with pytest.raises(ContradictionError):
                uc.bayes(accuracy=0, **guess, ranges=how)
    assert uc.bayes(accuracy=0.5, youden_j=0, ranges=True).lr_positive == 1

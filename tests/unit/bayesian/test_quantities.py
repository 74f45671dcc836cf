"""The solver of the twelve quantities: right, or a clear refusal, never a wrong number."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse._errors import ArgumentError, ContradictionError, InsufficientError
from unconfuse.bayesian import BinaryQuantities

SIX = ("prevalence", "sensitivity", "specificity", "queue_rate", "precision", "npv")
OPPOSITE = ("negative_prevalence", "false_negative_rate", "false_positive_rate", "negative_queue_rate")
OTHER = dict(zip(SIX, (*OPPOSITE, "false_discovery_rate", "false_omission_rate"), strict=True))
TWELVE = (*SIX, *OTHER.values())
Table = tuple[int, int, int, int]
cells = st.integers(1, 60)
cells_or_none = st.integers(0, 12)


def truth_of(tp: int, fp: int, fn: int, tn: int) -> dict[str, float]:
    """The twelve by their definitions, in plain Python."""

    def share(part: int, whole: int) -> float:
        return part / whole if whole else math.nan

    n = tp + fp + fn + tn
    six = (
        share(tp + fn, n),
        share(tp, tp + fn),
        share(tn, tn + fp),
        share(tp + fp, n),
        share(tp, tp + fp),
        share(tn, tn + fn),
    )
    others = (
        share(fp + tn, n),
        share(fn, tp + fn),
        share(fp, tn + fp),
        share(fn + tn, n),
        share(fp, tp + fp),
        share(fn, tn + fn),
    )
    return dict(zip(TWELVE, (*six, *others), strict=True))


def assert_same(found: BinaryQuantities, truth: dict[str, float], tolerance: float = 1e-9) -> None:
    for name, value in truth.items():
        assert getattr(found, name) == pytest.approx(value, rel=0, abs=tolerance, nan_ok=True), name


@settings(deadline=None)
@given(cells, cells, cells, cells)
def test_any_three_independent_ones_recover_the_other_nine(tp: int, fp: int, fn: int, tn: int) -> None:
    truth = truth_of(tp, fp, fn, tn)
    for names in combinations(SIX, 3):
        try:
            found = uc.bayes(**{name: truth[name] for name in names})
        except InsufficientError:
            assert tp * tn == fp * fn  # of a useless classifier, three may say the same thing
        else:
            assert_same(found, truth)


@settings(max_examples=300, deadline=None)
@given(st.tuples(*[cells_or_none] * 4), st.sets(st.sampled_from(TWELVE), min_size=1, max_size=4))
def test_every_subset_is_solved_right_or_refused_as_insufficient(table: Table, names: set[str]) -> None:
    tp, fp, fn, tn = table
    if not tp + fp + fn + tn:
        return
    truth = truth_of(tp, fp, fn, tn)
    known = {name: truth[name] for name in names if not math.isnan(truth[name])}
    try:
        found = uc.bayes(**known)
    except InsufficientError:
        pairs = {name if name in SIX else next(one for one, two in OTHER.items() if two == name) for name in known}
        assert len(pairs) < 3 or tp * tn == fp * fn or 0 in (tp, fp, fn, tn)
    else:
        assert_same(found, truth, 1e-8)


@settings(max_examples=60)
@given(st.tuples(*[cells] * 4), st.sampled_from(SIX), st.sampled_from([-0.2, -0.02, 0.02, 0.2]))
def test_a_fourth_one_that_is_wrong_is_a_contradiction(table: Table, name: str, error: float) -> None:
    tp, fp, fn, tn = table
    truth = truth_of(tp, fp, fn, tn)
    wrong = truth[name] + error
    if not 0 <= wrong <= 1 or tp * tn == fp * fn:
        return
    four = {each: truth[each] for each in ("prevalence", "sensitivity", "specificity", "queue_rate")}
    with pytest.raises(ContradictionError, match=r"contradicts"):
        uc.bayes(**{**four, name: wrong})


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(TWELVE), st.floats(0, 1), max_size=5))
def test_whatever_is_given_the_answer_agrees_with_it(known: dict[str, float]) -> None:
    try:
        found = uc.bayes(**known)
    except (ContradictionError, InsufficientError) as error:
        assert len(str(error)) > 40
        return
    for name, value in known.items():
        assert getattr(found, name) == pytest.approx(value, abs=2e-9)
    joint = (
        found.joint_true_positive,
        found.joint_false_positive,
        found.joint_false_negative,
        found.joint_true_negative,
    )
    assert min(joint) >= 0
    assert sum(joint) == pytest.approx(1)


def test_rare_conditions_lose_no_digits() -> None:
    found = uc.bayes(prevalence=1e-9, sensitivity=0.9, false_positive_rate=1e-9)
    assert found.precision == pytest.approx(0.9e-9 / (0.9e-9 + (1 - 1e-9) * 1e-9), rel=1e-14)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"specificity": 0.9, "false_positive_rate": 0.2}, "false_positive_rate is then 0.1"),
        ({"prevalence": 0.3, "precision": 0.2, "npv": 0.8}, "npv then lies between 0 and 0.7"),
        ({"prevalence": 0.5, "queue_rate": 0.9, "precision": 0.9}, "between 0.444444 and 0.555556"),
        ({"queue_rate": 0, "precision": 0.5}, "no case is labelled positive, so precision has no value"),
        ({"prevalence": 0.2, "sensitivity": 0.7, "specificity": 0.9, "precision": 0.64}, "tolerance=0.005"),
        ({"sensitivity": 1, "specificity": 1, "precision": 0.8}, "precision=0.8 contradicts specificity=1"),
        ({"tp": 1, "fp": 1, "fn": 1, "tn": 1, "precision": 0.9}, "contradicts the counts, which give 0.5"),
        ({"tp": 0, "fp": 0, "fn": 1, "tn": 1, "precision": 0.9}, "no case is labelled positive"),
    ],
)
def test_contradictions_say_which_and_what_would_fit(known: dict[str, float], words: str) -> None:
    with pytest.raises(ContradictionError) as caught:
        uc.bayes(**known)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "three independent quantities are needed"),
        ({"prevalence": 0.01}, "2 more independent quantities are needed"),
        ({"prevalence": 0.01, "sensitivity": 0.9}, "npv between 0 and 0.998991"),
        ({"prevalence": 0.01, "negative_prevalence": 0.99, "npv": 0.9}, "1 more independent quantity is needed"),
        ({"prevalence": 0.2, "precision": 0.2, "npv": 0.8}, "for example sensitivity=0.5"),
    ],
)
def test_insufficient_ones_say_what_is_missing(known: dict[str, float], words: str) -> None:
    with pytest.raises(InsufficientError) as caught:
        uc.bayes(**known)
    assert words in str(caught.value)


def test_the_example_of_an_insufficiency_helps() -> None:
    with pytest.raises(InsufficientError) as caught:
        uc.bayes(prevalence=0.01, sensitivity=0.9)
    name, value = str(caught.value).rstrip(".").rsplit("for example ", 1)[1].split("=")
    uc.bayes(prevalence=0.01, sensitivity=0.9, **{name: float(value)})


def test_nothing_labelled_positive() -> None:
    found = uc.bayes(prevalence=0.2, sensitivity=0, specificity=1)
    assert math.isnan(found.precision)
    assert math.isnan(found.false_discovery_rate)
    assert found.undefined["precision"] == "no case is labelled positive"
    assert found.npv == 0.8
    assert found.verdict == "no better than guessing"
    assert math.isnan(found.lr_positive)
    assert math.isnan(found.diagnostic_odds_ratio)


def test_rates_of_an_empty_class_stay_as_given_or_are_undefined() -> None:
    given_rate = uc.bayes(prevalence=0, sensitivity=0.9, specificity=0.95)
    assert (given_rate.sensitivity, given_rate.false_negative_rate) == (0.9, 0.1)
    assert (given_rate.precision, given_rate.npv) == (0.0, 1.0)
    unknown_rate = uc.bayes(prevalence=0, specificity=0.95)
    assert math.isnan(unknown_rate.sensitivity)
    assert unknown_rate.undefined["sensitivity"] == "there are no positives"
    assert unknown_rate.verdict == "undefined"


def test_a_perfect_specificity() -> None:
    found = uc.bayes(prevalence=0.05, sensitivity=0.678, specificity=1)
    assert (found.precision, found.false_positive_rate, found.lr_positive) == (1.0, 0.0, math.inf)
    assert found.diagnostic_odds_ratio == math.inf
    assert found.verdict == "better than guessing"


def test_rounded_quantities_need_a_tolerance() -> None:
    rounded = {"prevalence": 0.2, "sensitivity": 0.7, "specificity": 0.9, "precision": 0.64}
    assert uc.bayes(**rounded, tolerance=0.005).precision == pytest.approx(7 / 11)


def test_counts_and_derived_quantities() -> None:
    found = uc.bayes(tp=30, fp=20, fn=10, tn=140)
    assert_same(found, truth_of(30, 20, 10, 140), 1e-15)
    assert found.accuracy == pytest.approx(0.85)
    assert (found.lr_positive, found.diagnostic_odds_ratio) == pytest.approx((6, 21))
    assert found.as_dict()["youden_j"] == pytest.approx(0.625)
    assert float(found.counts.total) == pytest.approx(1)
    assert "precision" in found._repr_html_()
    assert uc.bayes(tp=30, fp=20, fn=10, tn=140, precision=0.6).verdict == "better than guessing"
    assert uc.bayes(tp=5, fp=60, fn=45, tn=90).verdict == "worse than guessing"


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({"prevalence": 90}, "90% is 0.9"),
        ({"prevalence": -0.1}, "between 0 and 1"),
        ({"prevalence": math.nan}, "finite"),
        ({"prevalence": "x"}, "must be a number"),
        ({"tp": 1, "fp": 2}, "all four counts or none; missing: fn, tn"),
        ({"tp": 0, "fp": 0, "fn": 0, "tn": 0}, "no cases"),
    ],
)
def test_bad_values_are_refused(known: dict[str, float], words: str) -> None:
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.bayes(**known)
    assert issubclass(ArgumentError, ValueError)

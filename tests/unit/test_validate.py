"""Refusals of single values and of columns: what was wrong, what was given, what to do."""

import decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unconfuse._errors import ArgumentError, InputError, on_command_line
from unconfuse._formatting import short_repr
from unconfuse._labels import as_is_positive, positives_among
from unconfuse._validate import (
    as_numbers,
    as_weights,
    check_both_classes,
    check_choice,
    check_count,
    check_not_empty,
    check_number,
    check_probability,
    check_same_length,
    check_whole,
)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.5, "between 0 and 1; got 1.5. Hint: 1.5% is 0.015"),
        (-0.1, "got -0.1"),
        ("x", "must be a number"),
        (float("nan"), "finite"),
        (None, "must be a number"),
    ],
)
def test_a_bad_probability_is_refused(value, words):
    with pytest.raises(ArgumentError, match=words):
        check_probability(value, "prevalence")


def test_the_ends_belong_to_a_probability_unless_it_is_open():
    assert (check_probability(0, "p"), check_probability(1, "p")) == (0, 1)
    with pytest.raises(ArgumentError, match="strictly"):
        check_probability(1, "p", open_interval=True)


@pytest.mark.parametrize(
    "check",
    [
        lambda: check_number(float("inf"), "threshold"),
        lambda: check_choice("x", "design", ("cohort", "case-control")),
        lambda: check_whole(1.5, "n", at_least=1),
        lambda: check_whole(True, "n", at_least=1),
        lambda: check_whole(0, "n", at_least=1),
        lambda: check_count(-1, "tp"),
        lambda: check_count("many", "tp"),
        lambda: check_count(float("nan"), "tp"),
        lambda: check_same_length({"labels": 3, "scores": 4}),
        lambda: check_not_empty(0),
        lambda: check_both_classes(3, 0, 1),
        lambda: check_both_classes(0, 3, 1),
    ],
)
def test_every_check_refuses_with_one_message(check):
    with pytest.raises((ArgumentError, InputError)) as caught:
        check()
    assert str(caught.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0.5, None], r"missing values \(null or NaN\): 1 of 2 rows, first at row 1"),
        ([0.5, np.nan, np.nan], r"missing values \(null or NaN\): 2 of 3 rows, first at row 1, 2 \(counted from 0\)"),
        ([np.inf, 0.5], "infinite values: 1 of 2 rows, first at row 0"),
        (["0.5", "x"], "must hold numbers; row 0"),
        ([0.5, "x"], "must hold numbers; row"),
        (np.array([0.5, "x"], dtype=object), "row 1 .counted from 0. is 'x'"),
        ([1j], "must hold numbers"),
        ([[1, 2], [3, 4]], r"shape \(2, 2\)"),
        ([[1, 2], [3]], "unequal lists"),
        (0.5, "got 0.5"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "must hold numbers"),
        (np.array(["NaT"], dtype="datetime64[D]"), "missing"),
    ],
)
def test_columns_that_are_not_numbers_are_refused_by_row(values, words):
    with pytest.raises(InputError, match=words):
        as_numbers(values, "scores")


def test_numbers_of_every_kind_are_taken():
    for values in (
        [1, 2],
        [True, False],
        np.array([1, 2], dtype=np.uint8),
        np.float32([0.5, 1]),
        [[1], [2]],
        [decimal.Decimal("0.5"), 1],
        range(2),
    ):
        assert as_numbers(values, "scores").dtype == np.float64


@pytest.mark.parametrize(("values", "words"), [([1, -1], "negative"), ([0, 0], "zero in every row"), ([np.nan], "NaN")])
def test_bad_weights_are_refused(values, words):
    with pytest.raises(InputError, match=words):
        as_weights(values)


@pytest.mark.parametrize(
    ("labels", "positive", "expected"),
    [
        ([0, 1, 1], None, [0, 1, 1]),
        ([-1, 1], None, [0, 1]),
        ([0.0, 1.0], None, [0, 1]),
        ([True, False], None, [1, 0]),
        ([True, False], False, [0, 1]),
        ([True, False], "false", [0, 1]),
        ([True, False], 0, [0, 1]),
        (["0", "1", "1.0"], None, [0, 1, 1]),
        (["True", "false", "TRUE"], None, [1, 0, 1]),
        (["-1", "1"], None, [0, 1]),
        ([1, 2], "2.0", [0, 1]),
        ([0, 0], None, [0, 0]),
        ([1, 1], None, [1, 1]),
        (np.array([None, "x"][1:] * 2, dtype=object), "x", [1, 1]),
        ([], None, []),
        ([], "yes", []),
    ],
)
def test_positive_rows_are_found(labels, positive, expected):
    assert as_is_positive(labels, positive)[0].tolist() == [bool(each) for each in expected]


@pytest.mark.parametrize(
    ("labels", "positive", "negative", "expected"),
    [
        (["a", "b", "c"], "b", "rest", [0, 1, 0]),
        (["a", "b", "c"], "b", ["a", "c"], [0, 1, 0]),
        (["a", "b", "c"], None, ["a", "c"], [0, 1, 0]),
        (["a", "b"], None, "a", [0, 1]),
        (["a", "b"], "b", ["a", "z"], [0, 1]),
        ([1, 2, 3], 2, (1, 3), [0, 1, 0]),
        ([1, 2, 3], "2", ["1", "3"], [0, 1, 0]),
        (["yes", "Yes", "no"], "yes", ["no", "Yes"], [1, 0, 0]),
        (["rest", "b", "c"], "b", ["rest", "c"], [0, 1, 0]),
        ([True, False], None, True, [0, 1]),
        ([" ill", " well"], "ill", None, [1, 0]),
    ],
)
def test_negative_labels_are_named_or_are_the_rest(labels, positive, negative, expected):
    assert as_is_positive(labels, positive, negative=negative)[0].tolist() == [bool(each) for each in expected]


@pytest.mark.parametrize(
    ("labels", "positive", "negative", "words"),
    [
        (["a", "b", "c", "c"], "b", None, r"found 3: 'c' \(2 rows\), 'a' \(1 row\), 'b' \(1 row\)"),
        (["a", "b", "c"], "b", "a", "label 'c' is neither positive nor negative"),
        (["a", "b"], "b", "b", "cannot be both positive and negative"),
        (["a", "b"], None, "rest", "which label is positive"),
        (["yes", "Yes", "no"], "yes", None, "'yes' and 'Yes' differ by case or spaces only"),
        (["yes", "yes ", "no"], "yes", None, "'yes' and 'yes ' differ by case or spaces only"),
        (["yes", "no", "No"], "yes", None, "'no' and 'No' differ by case or spaces only"),
        (["yes", "Yes"], "yes", None, "'yes' and 'Yes' differ by case or spaces only"),
        (["in situ", "insitu"], "insitu", None, "differ by case or spaces only"),
        (["yes", "no"], "Yes", None, "did you mean `positive='yes'`"),
        (["b", "a", "c"], "b", None, r"`negative=\['a', 'c'\]`; or `negative='rest'` takes the rest"),
    ],
)
def test_labels_that_nobody_named_are_refused(labels, positive, negative, words):
    with pytest.raises(InputError, match=words):
        as_is_positive(labels, positive, negative=negative)


def test_hints_speak_of_options_on_the_command_line():
    with on_command_line(), pytest.raises(InputError, match=r"--negative a --negative c; or --rest-negative takes"):
        as_is_positive(["b", "a", "c"], "b")


@pytest.mark.parametrize(
    ("labels", "positive", "words"),
    [
        (["yes", "no"], None, "which label is positive"),
        (
            ["yes", "no", "unknown"],
            None,
            r"exactly two values; found 3: 'no' \(1 row\), 'unknown' \(1 row\), 'yes' \(1 row\)",
        ),
        (list(range(500)), None, "more than 100"),
        ([0, 1], "yes", "no row has the positive label 'yes'; the labels are 0, 1"),
        ([0, None], None, "missing values: 1 of 2"),
        ([0, float("nan")], None, "missing values"),
        ([0, 2], None, "which label is positive"),
        ([-1, 0, 1], None, "exactly two"),
        ([{}, {}], None, "numbers, text or booleans"),
    ],
)
def test_unclear_labels_are_refused(labels, positive, words):
    with pytest.raises(InputError, match=words):
        as_is_positive(labels, positive)


def test_long_labels_are_cut_short_in_messages():
    assert len(short_repr("x" * 10_000)) == 60
    with pytest.raises(InputError) as caught:
        positives_among(["x" * 10_000, "y"])
    assert len(str(caught.value)) < 400


@given(st.lists(st.booleans(), min_size=1))
def test_every_way_of_writing_labels_means_the_same(truth):
    as_numbers_ = [int(each) for each in truth]
    for labels in (
        as_numbers_,
        [float(each) for each in as_numbers_],
        [str(each) for each in as_numbers_],
        [str(each) for each in truth],
        [2 * each - 1 for each in as_numbers_],
    ):
        assert as_is_positive(labels)[0].tolist() == truth


@given(st.lists(st.text(), min_size=1), st.data())
def test_a_stated_label_is_always_found(labels, data):
    positive = data.draw(st.sampled_from(labels))
    is_positive, _ = as_is_positive(np.array(labels, dtype=object), positive, negative="rest")
    assert is_positive[labels.index(positive)]


def test_labels_that_end_in_a_zero_character_stay_apart():
    assert as_is_positive(np.array(["\x00", ""], dtype=object), "\x00")[0].tolist() == [True, False]


@given(st.lists(st.floats(min_value=0, max_value=1e10), min_size=1))
def test_weights_that_are_not_negative_pass_unchanged(weights):
    if any(weights):
        assert as_weights(weights).tolist() == weights


@pytest.mark.parametrize("weight", [1e308, 1e-300])
def test_weights_must_add_up_to_a_number_of_cases(weight):
    check_both_classes(2.0**52, 2.0**-10, 1)
    with pytest.raises(InputError, match="not a number of cases"):
        check_both_classes(weight, weight, 1)

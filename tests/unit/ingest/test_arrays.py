"""The same rows from every kind of array, list and frame."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse._errors import InputError
from unconfuse.ingest import read
from unconfuse.ingest.data import ROLES


def rows_of(source, s=None, **words):
    """The cases, as a comparison needs them."""
    return read(uc.Data(source, s, **words), rows=True)


def table_of(source, s=None, **words):
    """Their score table, as an evaluation needs it."""
    return read(uc.Data(source, s, **words)).table()


LABELS, SCORES, WEIGHTS = [1, 0, 1, 0, 1], [0.9, 0.4, 0.4, -0.0, 0.0], [1.0, 2.0, 0.5, 1.0, 3.0]
COLUMNS = {"y": LABELS, "p": SCORES, "w": WEIGHTS}
SERIES = [
    list,
    tuple,
    np.array,
    pd.Series,
    pl.Series,
    pa.array,
    pd.array,
    lambda values: pa.chunked_array([values[:2], values[2:]]),
    lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.array(values).type)),
    lambda values: np.array(values, dtype=object),
]
FRAMES = [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table]


@pytest.mark.parametrize("series", SERIES)
def test_columns_of_any_library_give_the_same_table(series):
    table = table_of(series(LABELS), series(SCORES), weights=series(WEIGHTS))
    assert table.as_dict() == {"score": [0.9, 0.4, 0.0], "positives": [1, 0.5, 3], "negatives": [0, 2, 1]}


@pytest.mark.parametrize("series", SERIES)
def test_text_and_truth_labels_of_any_library(series):
    assert rows_of(series(["a", "b", "a", "a", "b"]), SCORES, positive="b").is_positive.tolist() == [0, 1, 0, 0, 1]
    assert rows_of(series([True, False, True, True, False]), SCORES).is_positive.tolist() == [1, 0, 1, 1, 0]


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_of_any_library_give_the_same_table(frame):
    table = table_of(frame(COLUMNS), label="y", score="p", weight="w")
    assert table == table_of(LABELS, SCORES, weights=WEIGHTS)
    assert table_of(frame(COLUMNS)) == table_of(LABELS, SCORES)


@pytest.mark.parametrize("frame", FRAMES)
def test_several_scores_keep_their_names(frame):
    data = frame({**COLUMNS, "q": SCORES[::-1]})
    assert list(rows_of(data, label="y", score=["q", "p"]).scores) == ["q", "p"]
    assert list(rows_of(data, label="y", score={"old": "q", "new": "p"}).scores) == ["old", "new"]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"label": "yy"}, "has no column 'yy'. Hint: did you mean 'y'?"),
        ({"score": "w", "label": "w"}, "both the label and the score"),
        ({"weight": "nothing"}, "has no column 'nothing'"),
        ({"score": []}, "no score column"),
        ({"id": "y"}, "column 'y' holds 1 more than once, first in rows 0 and 2"),
    ],
)
def test_wrong_columns_are_refused(frame, options, words):
    with pytest.raises(InputError) as caught:
        rows_of(frame(COLUMNS), **options)
    assert words in str(caught.value)


@pytest.mark.parametrize("frame", FRAMES)
def test_missing_values_are_named_by_column_and_row(frame):
    with pytest.raises(InputError, match=r"column 'p' has missing values.*1 of 2 rows, first at row 1"):
        rows_of(frame({"y": [1, 0], "p": [0.5, None]}))
    with pytest.raises(InputError, match=r"column 'y' has missing values.*1 of 2 rows, first at row 0"):
        rows_of(frame({"y": [None, 1], "p": [0.5, 0.2]}))


def test_columns_are_guessed_by_their_usual_names_or_listed():
    assert list(rows_of({"id": [1, 2], "TRUTH": [0, 1], "Prob": [0.1, 0.2]}).scores) == ["Prob"]
    with pytest.raises(InputError, match=r"which column of the mapping is the label.*'a', 'b'"):
        rows_of({"a": [0, 1], "b": [0.1, 0.2]})


def test_duplicated_names_are_refused():
    frame = pd.DataFrame([[1, 0.5, 0.2]], columns=["y", "p", "p"])
    with pytest.raises(Exception, match="p"):
        rows_of(frame)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1, 0], [0.5]), "same length; got 2 and 1"),
        (([1, 0],), "labels but no scores"),
        ((5,), "expected labels and scores"),
        ((pd.Series([1, 0]),), "expected labels and scores"),
        (("y", [1, 2]), "expected a column"),
        (([1, 0], {"a": [1, 2], "b": [1]}), "must have the same length"),
        (([1, 0], {"a": [1, 2], "b": [1, None]}), "`scores` of 'b' has missing"),
    ],
)
def test_bad_arrays_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        rows_of(*arguments)


def test_column_names_make_no_sense_with_arrays():
    with pytest.raises(InputError, match="`weight='w'` names a column, but the data are plain arrays"):
        rows_of(LABELS, SCORES, weight="w")


def test_weights_and_groups_may_come_apart_from_the_frame():
    rows = rows_of(pl.DataFrame(COLUMNS), weights=WEIGHTS, groups=["b", "a", "b", "a", "c"])
    assert rows.weights is not None and rows.weights.tolist() == WEIGHTS
    assert rows.groups is not None and rows.groups.tolist() == [1, 0, 1, 0, 2]
    assert rows_of(pl.DataFrame({**COLUMNS, "g": list("babac")}), group="g").groups.tolist() == [1, 0, 1, 0, 2]
    with pytest.raises(InputError, match="same length"):
        rows_of(pl.DataFrame(COLUMNS), weights=[1.0])


def test_rows_and_tables_pass_through():
    rows = rows_of(LABELS, SCORES)
    assert rows_of(rows) is rows
    assert table_of(rows.table()) == rows.table()


def test_numpy_input_imports_no_frame_library():
    code = (
        "import sys, unconfuse as uc; uc.score_table([1, 0], [.5, .2]); "
        "print(sorted({'narwhals', 'duckdb', 'pandas', 'polars', 'pyarrow', 'scipy.stats'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, -0.0, 0.25, 1.0]), st.integers(0, 3)), min_size=1))
def test_a_weight_is_a_number_of_rows(rows):
    labels, scores, weights = (list(column) for column in zip(*rows, strict=True))
    if not any(weights):
        return
    repeated = [row for row in rows for _ in range(row[2])]
    weighted = table_of(labels, scores, weights=weights)
    assert weighted == table_of([row[0] for row in repeated], [row[1] for row in repeated])
    assert isinstance(weighted, uc.ScoreTable)


def test_masked_values_are_missing_values():
    with pytest.raises(InputError, match="missing values"):
        rows_of(LABELS, np.ma.array(SCORES, mask=[True, False, False, False, False]))
    assert table_of(LABELS, np.ma.array(SCORES)) == table_of(LABELS, SCORES)


def test_a_frame_may_name_columns_by_numbers_but_not_twice():
    frame = pd.DataFrame({0: LABELS, 1: SCORES})
    assert table_of(frame, label=0, score=1) == table_of(LABELS, SCORES)
    with pytest.raises(InputError, match="more than one column named 'p'"):
        rows_of(pd.concat([pd.DataFrame(COLUMNS), pd.DataFrame({"p": SCORES})], axis=1))


def test_one_label_of_hundreds_may_be_positive():
    labels = [str(k) for k in range(300)]
    assert rows_of(labels, list(range(300)), positive="77", negative="rest").is_positive.tolist() == [
        k == 77 for k in range(300)
    ]


def test_dates_may_be_labels():
    days = pd.to_datetime(["2021-01-01" if label else "2020-01-01" for label in LABELS])
    assert table_of(days, SCORES, positive="2021-01-01") == table_of(LABELS, SCORES)


@pytest.mark.parametrize(("name", "values"), ROLES)
def test_the_name_of_a_column_in_place_of_values_is_sent_to_the_word_that_takes_names(name, values):
    wanted = f"`{values}` takes a value for each row; got 'w'. Hint: `{name}='w'` names a column"
    with pytest.raises(InputError, match=wanted):
        table_of(COLUMNS, label="y", score="p", **{values: "w"})


def _sure(truth, columns=3):
    """A model that is nearly always sure of the right one of so many classes."""
    return np.where(np.arange(columns) == np.asarray(truth)[:, None], 0.9, 0.05)


@pytest.mark.parametrize(
    "wrap", [np.asarray, pd.DataFrame, lambda scores: scores.tolist(), lambda scores: {"a": scores}]
)
@pytest.mark.filterwarnings("ignore:no case belongs")
def test_labels_that_may_number_columns_from_0_or_from_1_are_refused(wrap):
    truth = np.tile([1, 2], 20)
    with pytest.raises(InputError, match=r"from 0 or from 1. Hint: .*`classes=range\(3\)` or `classes=range\(1, 4\)`"):
        uc.evaluate(truth, wrap(_sure(truth - 1)))
    found = uc.evaluate(truth, wrap(_sure(truth - 1)), classes=range(1, 4))
    assert found["accuracy"].value == 1 and found.classes == ("1", "2", "3")
    assert uc.evaluate(truth, wrap(_sure(truth)), classes=range(3))["accuracy"].value == 1


@pytest.mark.parametrize("wrap", [np.asarray, pd.DataFrame])
@pytest.mark.filterwarnings("ignore:no case belongs")
def test_labels_that_number_columns_in_one_way_only_are_taken(wrap):
    every, with_zero = np.tile([1, 2, 3], 20), np.tile([0, 2], 20)
    assert uc.evaluate(every, wrap(_sure(every - 1)))["accuracy"].value == 1
    assert uc.evaluate(with_zero, wrap(_sure(with_zero)))["accuracy"].value == 1


@pytest.mark.filterwarnings("ignore:no case belongs")
def test_a_frame_whose_columns_were_named_is_read_by_their_names():
    truth = np.tile([1, 2], 20)
    scores = pd.DataFrame(_sure(truth - 1), columns=[1, 2, 3])
    assert uc.evaluate(truth, scores)["accuracy"].value == 1
    assert uc.evaluate(truth, scores[[3, 2, 1]])["accuracy"].value == 1


@pytest.mark.parametrize("scores", [[[0.2, 0.3]], np.arange(12.0)[None]])
@pytest.mark.parametrize("verb", [uc.score_table, uc.recalibrate, uc.indistinguishability])
def test_a_row_of_scores_is_a_column_of_as_many(verb, scores):
    with pytest.raises(uc.UnconfuseError, match=f"got 1 and {np.size(scores)}"):
        verb([1], scores)
    assert uc.score_table([[1, 0, 1]], [[0.3, 0.2, 0.5]]).n == 3


def test_counts_are_pointed_to_their_own_verb():
    with pytest.raises(InputError, match=r"evaluate_counts\(tp="):
        uc.evaluate(uc.Counts(tp=1, fp=0, fn=1, tn=1))


class OneNumber:
    """Can be made a number, and is no column."""

    def __float__(self) -> float:
        return 0.5


@pytest.mark.parametrize("value", [OneNumber(), np.array(0.5), 0.5])
@pytest.mark.parametrize("argument", ["s", "predicted", "weights", "groups", "strata", "by"])
def test_one_value_is_no_column(argument, value):
    columns = {"s": [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]]} | {argument: value}
    with pytest.raises(uc.UnconfuseError):
        uc.evaluate([1, 0, 1], **columns)

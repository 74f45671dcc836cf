"""Values at the edges of types: each was once answered falsely, or ended in an exception that nobody wrote."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._formatting import frame_of

Y, S = [1, 0, 1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1, 0.8, 0.3]
TABLE = uc.score_table(Y, S)
BILLION = [2**30] * 6


@pytest.mark.filterwarnings("ignore::unconfuse.UnconfuseWarning")
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: uc.evaluate(Y, set(S)), "got set"),
        (lambda: uc.evaluate(Y, dict.fromkeys(S).keys()), "got dict_keys"),
        (lambda: uc.ece(10**9), "at most 1,000,000"),
        (lambda: uc.concentrated_auroc(5e-324), "1e-06 or more"),
        (lambda: uc.gate(Y, S, S, metrics=np.array("x")), "`metrics` must be a list or text"),
        (lambda: uc.evaluate(Y, list("abcdef"), on_bad_row="skip"), "no rows"),
        (lambda: uc.evaluate(Y, S, rng=2**64), "`rng` must be at most"),
        (lambda: uc.bootstrap(TABLE, ["auroc"], rng=2**64), "`rng` must be at most"),
        (lambda: uc.threshold_card(Y, S, rng=2**64), "`rng` must be at most"),
        (lambda: uc.indistinguishability(Y, S, rng=2**64), "`rng` must be at most"),
        (lambda: uc.evaluate(Y, S, n_resamples=10**30), "at most 10,000,000"),
        (lambda: uc.evaluate(Y, S, threshold=10**400), "`threshold` must be a number"),
        (lambda: uc.evaluate(Y, S, threshold=10**5000), "a int"),
        (lambda: uc.evaluate(Y, [10**400, 1, 2, 3, 4, 5]), "2\\^53"),
        (lambda: uc.evaluate(Y, [2**53, 2**53 + 1, 2, 3, 4, 5]), "2\\^53"),
        (lambda: uc.evaluate(Y, np.array([2**64 - 1, 2**64 - 2, 2, 3, 4, 5], dtype=np.uint64)), "2\\^53"),
        (lambda: uc.band(TABLE, grid=[]), "`grid`"),
        (lambda: uc.band(None), "takes a ScoreTable"),
        (lambda: uc.curve("roc", None), "takes a ScoreTable"),
        (lambda: uc.curve([], TABLE), "must be text"),
        (lambda: TABLE.merge(None), "merged with another"),
        (lambda: uc.evaluate(Y * 3, S * 3, groups=[(1, 2), (3, 4), (5, 6)] * 6), "`groups` must be one column"),
        (lambda: uc.evaluate(Y * 3, S * 3, groups=[(1, 2), (3,), (5, 6)] * 6), "unequal lists"),
        (lambda: uc.evaluate(Y, S, weights=[1, 0, 1, 0, 1, 0]), "one class only"),
        (lambda: uc.evaluate([0, 1, 2] * 2, np.ones((6, 3)) / 3, weights=[1, 0, 0] * 2), "one class only"),
        (lambda: uc.evaluate(Y, S, weights=BILLION), "resampling draws at most 2,147,483,646"),
        (lambda: uc.evaluate([0, 1, 2] * 2, np.ones((6, 3)) / 3, weights=BILLION), "resampling draws at most"),
        (lambda: uc.indistinguishability(Y, S, weights=BILLION), "resampling draws at most"),
        (lambda: uc.evaluate_counts(tp=1e308, fp=1e308, fn=1, tn=1), "a number of cases"),
        (lambda: uc.evaluate_counts(tp=1e20, fp=1, fn=1, tn=1), "a number of cases"),
        (lambda: uc.evaluate_counts(tp=10**400, fp=1, fn=1, tn=1), "must hold numbers"),
        (lambda: uc.evaluate_confusion([[1e308, 1], [1e308, 1]]), "a number of cases"),
        (lambda: uc.Counts(tp=-1, fp=1, fn=1, tn=1), "0 or more"),
        (lambda: uc.Counts(tp="a", fp=1, fn=1, tn=1), "must hold numbers"),
        (lambda: uc.Counts(tp=[1, 2], fp=[1, 2, 3], fn=1, tn=1), "do not fit"),
        (lambda: uc.ScoreTable([0.1, 0.9], [0, 1], [1, 0]), "descending"),
        (lambda: uc.ScoreTable([0.9, 0.9], [0, 1], [1, 0]), "distinct"),
        (lambda: uc.ScoreTable([0.9, np.nan], [0, 1], [1, 0]), "missing"),
        (lambda: uc.ScoreTable([0.9, 0.1], [0, -1], [1, 0]), "0 or more"),
        (lambda: uc.ScoreTable([0.9, 0.1], [0], [1, 0]), "one weight for each"),
        (lambda: uc.ScoreTable([0.9, 0.1], [0, 1], [1, 0], [0.8, 0.2]), "highest"),
        (lambda: uc.ScoreTable([0.9, 0.1], [0, 1], [1, 0], [0.95, 0.92]), "descending"),
        (lambda: uc.METRICS["auroc"](uc.Counts(tp=1, fp=1, fn=1, tn=1)), "auroc takes a ScoreTable; got Counts"),
        (lambda: uc.METRICS["mcc"](TABLE), "mcc takes a Counts; got ScoreTable"),
        (lambda: uc.METRICS["mcc"](None), "got NoneType"),
        (lambda: uc.MULTICLASS_METRICS["mcc"](uc.Counts(tp=1, fp=1, fn=1, tn=1)), "must hold numbers"),
        (lambda: uc.MULTICLASS_METRICS["mcc"]([[1, 2, 3]]), "K x K matrix"),
        (lambda: uc.MULTICLASS_METRICS["log_loss"]([[1, 2], [3, 4]]), "evaluate"),
    ],
)
def test_it_is_refused_in_words(call, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        call()


def test_columns_of_one_column_may_be_skipped_too():
    weights = np.ones((6, 1))
    kept = uc.evaluate(np.array(Y)[:, None], np.array(S)[:, None], weights=weights, on_bad_row="skip")
    assert kept["auroc"].value == uc.evaluate(Y, S)["auroc"].value


def test_text_among_numbers_is_skipped_row_by_row():
    with pytest.warns(uc.UnconfuseWarning, match="2 rows were left out: text"):
        kept = uc.evaluate([1, 0, *Y], ["a", "0.4", *S], on_bad_row="skip", metrics=["auroc"])
    assert kept.n == 6


@pytest.mark.parametrize(
    ("one", "other"),
    [("100", "1E2"), ("10", "1_0"), ("7", "007"), ("inf", "Infinity"), ("1", "１"), (2**53, 2**53 + 1)],
)
def test_labels_that_are_equal_as_floats_stay_two(one, other):
    assert uc.score_table([one, other] * 3, S, positive=one).n_positives == 3
    assert uc.score_table([str(one), str(other)] * 3, S, positive=one).n_positives == 3
    classes = uc.evaluate([one, other, "x"] * 2, predicted=[one, other, "x"] * 2)
    assert classes["accuracy"].value == 1 and len(classes.sample.classes) == 3


@pytest.mark.parametrize(("one", "other"), [("1", "1.0"), ("+1", "1"), (1, "1"), ("True", "true"), (0.5, "0.50")])
def test_the_same_number_written_twice_is_one_label(one, other):
    assert uc.score_table([one, other, "x"] * 2, S, positive=one).n_positives == 4


def test_whole_scores_that_a_double_holds_are_exact():
    scores = [2**53 + 2 * each for each in range(6)]
    assert uc.score_table(Y, scores).score.tolist() == [float(each) for each in reversed(scores)]


def test_totals_beyond_those_that_can_be_drawn_need_no_draws():
    found = uc.evaluate(Y, S, weights=BILLION, metrics=["auroc", "sensitivity"])
    assert found["auroc"].value == uc.evaluate(Y, S)["auroc"].value
    assert found["sensitivity"].low <= found["sensitivity"].value <= found["sensitivity"].high


@pytest.mark.parametrize("seed", range(20))
def test_fractional_weights_bring_nothing_below_0_or_out_of_range(seed):
    rng = np.random.default_rng(seed)
    y, s = rng.random(9) < 0.5, rng.choice([0.2, 0.4, 0.7], 9)
    y[:2] = True, False
    table = uc.score_table(y, s, weights=rng.choice([0.1, 0.3, 0.7], 9))
    for counts in (table.counts(), table.counts_at(np.append(table.score, [-1.0, 2.0])), table.counts_at(0.4)):
        assert all(np.all(getattr(counts, cell) >= 0) for cell in ("tp", "fp", "fn", "tn"))
        assert np.nanmax(uc.METRICS["sensitivity"](counts)) <= 1
        assert not np.any(uc.METRICS["diagnostic_odds_ratio"](counts) < 0)
    everyone = table.counts_at(-1.0)
    assert everyone.fn == 0 and everyone.tn == 0


@pytest.mark.parametrize("seed", range(20))
def test_fractional_weights_of_several_classes_stay_in_range(seed):
    rng = np.random.default_rng(seed)
    k = 4
    y, weights = rng.integers(0, k, 12), rng.choice([0.1, 0.3, 0.7, 1e-9], 12)
    predicted = np.where(rng.random(12) < 0.7, 0, y)
    matrix = np.zeros((k, k))
    np.add.at(matrix, (y, predicted), weights)
    counts = uc.MULTICLASS_METRICS["accuracy"]._taken(matrix).counts
    assert min(getattr(counts, cell).min() for cell in ("tp", "fp", "fn", "tn")) >= 0
    for name, metric in uc.MULTICLASS_METRICS.items():
        if metric.of == "cells":
            value = metric(matrix)
            assert np.isnan(value) or metric.range[0] <= value <= metric.range[1], name
    one_class = np.zeros((k, k))
    one_class[:, 2] = rng.random(k)
    assert np.isnan(uc.MULTICLASS_METRICS["mcc"](one_class))


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_results_of_several_classes_do_not_depend_on_the_order_of_rows(design):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, 60)
    scores = np.round(rng.dirichlet(np.ones(4) + 3 * np.eye(4)[y].mean(axis=0), 60), 2)
    scores[:, 3] = 1 - scores[:, :3].sum(axis=1)
    shuffled = rng.permutation(60)
    first, second = (
        uc.evaluate(y[rows], scores[rows], design=design, n_resamples=200).as_dict()
        for rows in (np.arange(60), shuffled)
    )
    assert first == second


def test_a_prevalence_of_1_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = uc.shift_prevalence(uc.evaluate(Y, S), prevalence=1)
        uc.bayes(prevalence=1, sensitivity=0.9, specificity=0.9)
        uc.bayes(tp=1e308, fp=1e308, fn=1e308, tn=1e308)
    assert found["precision"].value == 1


FEWER_THREADS = """
import resource, threading
import numpy as np
import unconfuse._kernels as kernels
rng = np.random.default_rng(0)
tables = rng.integers(1, 5, (4000, 40)).astype(float), rng.integers(1, 5, (4000, 40)).astype(float)
long = rng.random(400_000), rng.random(400_000), np.linspace(1, 0, 400_000)
wanted = kernels.rank_metrics(*tables, n_threads=1)["auroc"]
points = kernels.roc_points(long[2], *long[:2], n_threads=1)
threading.stack_size(1 << 30)
with open("/proc/self/statm") as state:
    used = int(state.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_STACK, (1 << 28, resource.getrlimit(resource.RLIMIT_STACK)[1]))
resource.setrlimit(resource.RLIMIT_AS, (used + (160 << 20), resource.getrlimit(resource.RLIMIT_AS)[1]))
try:
    threading.Thread(target=print).start()
    raise SystemExit("a thread could be started: nothing was tested")
except RuntimeError:
    pass
assert np.array_equal(kernels.rank_metrics(*tables, n_threads=8)["auroc"], wanted)
assert all(map(np.array_equal, kernels.roc_points(long[2], *long[:2], n_threads=8), points))
score, positive = rng.random(300_000), rng.random(300_000) < .5
assert len(kernels.collapse(score, positive)[0]) == 300_000
print("done by fewer")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited as Linux does it")
def test_where_no_thread_can_be_started_fewer_do_the_work():
    ran = subprocess.run(
        [sys.executable, "-c", FEWER_THREADS],
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ran.stdout == "done by fewer\n", ran.stderr[-2000:]


def test_rows_of_a_frame_need_not_have_the_same_names():
    """Bounds stand only where bins were used, which a subgroup of few scores does not need."""
    found = frame_of([{"value": 0.5}, {"value": 0.25, "bound_low": 0.125}])
    assert list(found.columns) == ["value", "bound_low"] and found["bound_low"].isna().tolist() == [True, False]


@pytest.mark.parametrize("words", [{}, {"bins": 3}, {"weights": [1, 2, 1, 1, 1, 1]}])
def test_a_confusion_matrix_of_scores_without_a_threshold_is_refused(words):
    """Scores that are no probabilities have no default threshold; this ended in a KeyError."""
    found = uc.evaluate(Y, np.multiply(S, 10), **words)
    with pytest.raises(uc.UnconfuseError, match="a confusion matrix needs decisions, but the scores range from 1 to 9"):
        found.confusion  # noqa: B018

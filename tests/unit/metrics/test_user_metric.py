"""A user's own metric: functions that take many tables at once, and those that do not."""

import copy
import pickle

import numpy as np
import pytest

import unconfuse as uc

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 300)
S = 1 / (1 + np.exp(-RNG.normal(size=300) - Y))
OTHER = 1 / (1 + np.exp(-RNG.normal(size=300)))
CLASSES, SCORES = RNG.integers(0, 3, 300), RNG.dirichlet(np.ones(3), 300)


def recall_of_arrays(c):
    return c.tp / (c.tp + c.fn)


def recall_with_an_if(c):
    return c.tp / (c.tp + c.fn) if c.tp > 0 else 0.0


def recall_of_python_numbers(c):
    return float(c.tp) / float(c.tp + c.fn)


def recall_of_all_at_once(c):
    """Has the right shape for many tables, and other numbers: the sum goes over all of them."""
    return c.tp / np.sum(c.tp + c.fn)


def top_tenth_of_arrays(t):
    reached = np.cumsum(t.positives + t.negatives, axis=-1)
    return (t.positives * (reached <= reached[..., -1:] / 10)).sum(axis=-1) / t.positives.sum(axis=-1)


def top_tenth_of_one_table(t):
    reached = np.cumsum(t.positives + t.negatives)
    return float(t.positives[reached <= reached[-1] / 10].sum()) / float(t.positives.sum())


@pytest.mark.parametrize("function", [recall_with_an_if, recall_of_python_numbers, recall_of_all_at_once])
def test_a_function_of_one_2x2_table_has_the_interval_of_one_of_arrays(function):
    usual, own = (uc.metric(name="own", range=(0, 1))(each) for each in (recall_of_arrays, function))
    for words in ({}, {"groups": np.arange(300) // 3}, {"design": "case-control"}):
        expected, found = (uc.evaluate(Y, S, metrics=[each], **words)["own"] for each in (usual, own))
        assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    expected, found = (
        uc.compare(Y, {"a": S, "b": OTHER}, metrics=[each])["own", "a", "b"].difference for each in (usual, own)
    )
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_a_function_of_one_score_table_has_the_interval_of_one_of_arrays():
    usual, own = (
        uc.metric(name="own", of="ranks", range=(0, 1))(each) for each in (top_tenth_of_arrays, top_tenth_of_one_table)
    )
    expected, found = (uc.evaluate(Y, S, metrics=[each])["own"] for each in (usual, own))
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))
    table = uc.score_table(Y, S)
    replicates = [uc.bootstrap(table, [each], n_resamples=50)["own"] for each in (usual, own)]
    np.testing.assert_allclose(*replicates)
    power = [
        uc.resolving_power(uc.Binormal(), [each], n=200, prevalence=0.3, at=0.8, n_samples=100) for each in (usual, own)
    ]
    assert power[0]["own"].kappa == pytest.approx(power[1]["own"].kappa)


def test_a_function_of_several_classes_may_know_one_matrix():
    many = uc.metric(of="cells", name="own", range=(0, 1))(lambda m: m.tp.sum(axis=-1) / m.total)
    one = uc.metric(of="cells", name="own", range=(0, 1))(lambda m: float(m.tp.sum() / m.total))
    expected, found = (uc.evaluate(CLASSES, SCORES, metrics=[each])["own"] for each in (many, one))
    assert (found.value, found.low, found.high) == pytest.approx((expected.value, expected.low, expected.high))


def test_a_function_that_looks_at_one_class_only_is_refused_in_words_where_it_says_nothing_of_quality():
    own = uc.metric(of="ranks", name="own")(lambda t: (t.positives * t.score).sum(axis=-1) / t.positives.sum(axis=-1))
    with pytest.raises(uc.UnconfuseError, match="own"):
        uc.plan(uc.Binormal(), metric=own, difference=0.1, prevalence=0.2)


def test_a_constant_is_a_metric_that_shows_nothing():
    for kind in ("counts", "ranks"):
        constant = uc.metric(of=kind, name="constant", range=(0, 1))(lambda data: 0.5)
        found = uc.evaluate(Y, S, metrics=[constant])["constant"]
        assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_a_division_by_zero_of_python_numbers_is_undefined():
    own = uc.metric(name="own")(lambda c: int(c.tp) / int(c.fp))
    assert uc.evaluate_counts(tp=3, fp=0, fn=1, tn=3, metrics=[own])["own"].undefined
    assert uc.evaluate_counts(tp=3, fp=1, fn=1, tn=3, metrics=[own])["own"].value == 3


@pytest.mark.parametrize("value", [None, "a", "0.5", 1j, [1, 2], {}, np.ones(3)])
def test_what_is_no_number_is_refused_by_the_name_of_the_metric(value):
    own = uc.metric(of="ranks", name="mine")(lambda table: value)
    with pytest.raises(uc.UnconfuseError, match="mine must give one number for each table; it gave"):
        uc.evaluate(Y, S, metrics=[own])


def test_a_value_outside_the_declared_range_is_refused():
    own = uc.metric(name="mine", range=(0, 1))(lambda c: c.tp)
    with pytest.raises(uc.UnconfuseError, match="mine gave 3, but its declared range is 0 to 1"):
        own(uc.Counts(tp=3, fp=1, fn=1, tn=1))


def test_an_error_of_the_function_itself_comes_up_as_it_is():
    own = uc.metric(of="ranks", name="mine")(lambda table: {}["no such key"])
    with pytest.raises(KeyError, match="no such key"):
        uc.evaluate(Y, S, metrics=[own])


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"range": "ab"}, "`range` must be"),
        ({"range": (1, 0)}, "`range` must be"),
        ({"range": 5}, "`range` must be"),
        ({"of": "nonsense"}, "`of` must be one of"),
        ({"better": "nonsense"}, "`better` must be one of"),
    ],
)
def test_a_declaration_is_checked(declared, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.metric(name="mine", **declared)(lambda c: c.tp)


def test_two_metrics_of_one_name_are_refused():
    own = uc.metric(name="auroc")(lambda c: c.tp)
    with pytest.raises(uc.UnconfuseError, match="two metrics are called 'auroc'"):
        uc.evaluate(Y, S, metrics=[own, "auroc"])
    assert list(uc.evaluate(Y, S, metrics=["recall", "recall", "f_beta(2)", "f_beta(2)"])) == [
        "sensitivity",
        "f_beta(2)",
    ]


def test_a_bare_function_is_sent_to_its_declaration():
    with pytest.raises(uc.UnconfuseError, match="declare it with `metric`"):
        uc.evaluate(Y, S, metrics=[recall_of_arrays])


@uc.metric(range=(0, 1))
def decorated(c):
    return c.tp / c.positives


def test_a_decorated_function_can_be_pickled_with_its_results():
    assert pickle.loads(pickle.dumps(decorated)).value == decorated.value
    found = uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88, metrics=[decorated])
    assert pickle.loads(pickle.dumps(found))["decorated"].value == 0.8
    assert copy.deepcopy(found)["decorated"].value == 0.8


def test_it_can_be_pickled():
    own = pickle.loads(pickle.dumps(uc.metric(name="mine")(recall_with_an_if)))
    assert own(uc.Counts(tp=[3, 0], fp=1, fn=1, tn=1)).tolist() == [0.75, 0]

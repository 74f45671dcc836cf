"""Curves against scikit-learn, against their areas, and against plain definitions."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import plain_json
from unconfuse.curves import CURVES, reliability_bins, trends

every = pytest.mark.parametrize("name", CURVES)


def table_of(y, s, w=None):
    return uc.ScoreTable.from_rows(np.asarray(y, dtype=bool), np.asarray(s, dtype=float), w)


@st.composite
def tables(draw):
    n = draw(st.integers(2, 30))
    s = np.array(draw(st.lists(st.integers(0, 8), min_size=n, max_size=n))) / 8
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[0], y[-1] = True, False
    return y, s


@pytest.fixture
def sample():
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.3
    return y, np.round(1 / (1 + np.exp(-(rng.normal(size=400) + 1.5 * y - 1))), 2)


def area(x, y):
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


@every
def test_every_curve_is_whole(name, sample):
    found = uc.curve(name, table_of(*sample))
    assert found.name == name and "\n" not in repr(found)
    assert len({len(column) for column in found.columns.values()}) == 1 and len(found) > 1
    assert found.x in found.columns and found.y in found.columns and set(found.baselines) <= set(found.columns)
    assert found.note and found.label(found.x)
    json.dumps(plain_json(found.as_dict()), allow_nan=False)
    assert list(found.to_frame().columns) == list(found.columns)
    assert len(found.downsampled(10)) <= 12
    assert found.downsampled(10)[found.x][0] == found[found.x][0]


@every
@given(sample=tables())
@settings(max_examples=20, deadline=None)
def test_blocks_without_weight_are_no_points(name, sample):
    table = table_of(*sample)
    score = np.concatenate([[1.0 - 1e-9], table.score - 1e-3, [0.0]]) if table.score[-1] >= 1e-3 else None
    if score is None or np.any(np.diff(score) >= 0):
        return
    padded = uc.ScoreTable(score, np.pad(table.positives, 1), np.pad(table.negatives, 1))
    plain = uc.ScoreTable(table.score - 1e-3, table.positives, table.negatives)
    for column, values in uc.curve(name, plain).columns.items():
        np.testing.assert_array_equal(uc.curve(name, padded)[column], values)


def test_roc_is_scikit_learns(sample):
    table = table_of(*sample)
    fpr, tpr, threshold = sk.roc_curve(*sample, drop_intermediate=False)
    found = uc.curve("roc", table)
    for column, wanted in (("fpr", fpr), ("tpr", tpr), ("threshold", threshold)):
        np.testing.assert_allclose(found[column], wanted, rtol=1e-12)
    fpr, fnr, _ = sk.det_curve(*sample)
    det = uc.curve("det", table)
    wanted = {tuple(np.round(each, 10)) for each in zip(fpr, fnr, strict=True)}
    assert wanted <= {tuple(np.round(each, 10)) for each in zip(det["fpr"], det["fnr"], strict=True)}


def test_precision_recall_is_scikit_learns(sample):
    precision, recall, threshold = sk.precision_recall_curve(*sample)
    found = uc.curve("precision_recall", table_of(*sample))
    np.testing.assert_allclose(found["precision"], precision[:-1][::-1], rtol=1e-12)
    np.testing.assert_allclose(found["recall"], recall[:-1][::-1], rtol=1e-12)
    np.testing.assert_allclose(found["threshold"], threshold[::-1], rtol=1e-12)


@given(sample=tables())
@settings(max_examples=60, deadline=None)
def test_areas_under_the_curves_are_the_metrics(sample):
    table = table_of(*sample)
    for name, x, y, metric in (
        ("roc", "fpr", "tpr", "auroc"),
        ("roc_hull", "fpr", "tpr", "auch"),
        ("precision_recall_gain", "recall_gain", "precision_gain", "auprg"),
        ("brier_curve", "cost", "loss", "brier"),
    ):
        found = uc.curve(name, table)
        assert area(found[x], found[y]) == pytest.approx(uc.METRICS[metric](table), abs=1e-10)
    gain = uc.curve("gain", table)
    rate = gain["queue_rate"]
    share = (area(rate, gain["gain"]) - 0.5) / ((1 - table.prevalence) / 2)
    assert share == pytest.approx(uc.METRICS["gini"](table), abs=1e-10)
    assert np.nanmax(uc.curve("b_curve", table)["f1"]) == pytest.approx(uc.METRICS["max_f1"](table))


@given(sample=tables())
@settings(max_examples=60, deadline=None)
def test_hull_and_cost_curve_are_envelopes(sample):
    table = table_of(*sample)
    roc, cost = uc.curve("roc", table), uc.curve("cost_curve", table)
    hull = uc.curve("roc_hull", table)
    rising = np.append(np.diff(hull["fpr"]) > 0, True)
    assert np.all(np.interp(roc["fpr"], hull["fpr"][rising], hull["tpr"][rising]) >= roc["tpr"] - 1e-12)
    weight = cost["probability_cost"]
    wanted = np.min((1 - roc["tpr"])[:, None] * weight + roc["fpr"][:, None] * (1 - weight), axis=0)
    np.testing.assert_allclose(cost["cost"], wanted, atol=1e-12)
    assert np.all(cost["cost"] <= cost["trivial"] + 1e-12)
    at = [int(np.flatnonzero(roc["threshold"] == r)[0]) for r in hull["threshold"]]
    np.testing.assert_allclose(roc["tpr"][at], hull["tpr"], atol=1e-12)
    np.testing.assert_allclose(roc["fpr"][at], hull["fpr"], atol=1e-12)


def test_trends_hold_every_decision_metric(sample):
    table = table_of(*sample)
    found = uc.curve("trends", table)
    for each in uc.METRICS.values():
        if each.of == "counts":
            np.testing.assert_array_equal(found[each.name], each(table.counts()))
            assert f"{each.name}_baseline" in found.baselines
    np.testing.assert_allclose(found["precision_baseline"], table.prevalence)
    np.testing.assert_allclose(found["sensitivity_baseline"], found["queue_rate"])
    with pytest.raises(ArgumentError, match="auroc"):
        trends(table, metrics=["auroc"])


def test_decision_curve_is_net_benefit(sample):
    table = table_of(*sample)
    found = uc.curve("decision_curve", table)
    for i in (0, 20, 73):
        t = found["threshold"][i]
        assert found["net_benefit"][i] == pytest.approx(uc.net_benefit(t)(table.counts_at(t)), abs=1e-12)
    assert found["net_benefit"][0] == pytest.approx(found["treat_all"][0])


def test_reliability_is_isotonic_and_binned(sample):
    from scipy.stats import binomtest
    from sklearn.calibration import calibration_curve
    from sklearn.isotonic import IsotonicRegression

    y, s = sample
    found = uc.curve("reliability", table_of(y, s))
    fitted = IsotonicRegression().fit(s, y.astype(float)).predict(found["score"])
    np.testing.assert_allclose(found["share"], fitted, atol=1e-9)
    bins = reliability_bins(table_of(y, s), n_bins=8, binning="equal_width")
    share, stated = calibration_curve(y, s, n_bins=8, strategy="uniform")
    np.testing.assert_allclose(bins["share"], share, atol=1e-12)
    np.testing.assert_allclose(bins["score"], stated, atol=1e-12)
    exact = binomtest(int(bins["positives"][2]), int(bins["weight"][2])).proportion_ci()
    assert (bins["low"][2], bins["high"][2]) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_curves_refuse_what_they_cannot_show():
    table = table_of([1, 0], [3.0, -2.0])
    for name in ("decision_curve", "reliability", "reliability_bins", "brier_curve"):
        with pytest.raises(InputError, match="not probabilities"):
            uc.curve(name, table)
    with pytest.raises(ArgumentError, match="precision_recall"):
        uc.curve("precision_recal", table)
    with pytest.raises(InputError, match="both classes"):
        uc.curve("roc", uc.ScoreTable(np.array([1.0]), np.array([1.0]), np.array([0.0])))
    with pytest.raises(ArgumentError, match="stack"):
        uc.curve("roc", uc.ScoreTable(np.array([1.0]), np.ones((2, 1)), np.ones((2, 1))))
    with pytest.raises(ArgumentError, match="fpr"):
        uc.curve("roc", table)["fprr"]


def test_figure_1_of_the_indistinguishability_paper():
    cats, others = [79, 85, 82, 68, 87, 66], [61, 39, 28, 73, 74, 12]
    found = uc.curve("b_curve", table_of([1] * 6 + [0] * 6, cats + others))
    at = {score: i for i, score in enumerate(found["threshold"])}
    assert found["b_excluding_self"][at[61]] == pytest.approx(29 / 48)
    assert found["b_excluding_self"][at[68]] == pytest.approx(18 / 37)
    assert found["b"][at[68]] == pytest.approx(41 / 84)
    np.testing.assert_allclose(found["b"], found["b_plus"] + found["b_minus"])

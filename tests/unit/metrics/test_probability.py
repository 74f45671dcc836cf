"""Metrics of probabilities against scikit-learn and plain definitions, and their laws."""

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.metrics import calibration, find_metric
from unconfuse.metrics.calibration import brier_decomposition, recalibration

PROBABILITIES = [each for each in uc.METRICS.values() if each.of == "probabilities"]
PROBABILITIES += [uc.ece(4), uc.ece(5, binning="equal_mass")]
by_name = pytest.mark.parametrize("metric", PROBABILITIES, ids=lambda each: each.name)


def table_of(y, s, w=None):
    return uc.ScoreTable.from_rows(np.asarray(y, dtype=bool), np.asarray(s, dtype=float), w)


@pytest.fixture(params=[(seed, weighted) for seed in range(4) for weighted in (False, True)], ids=str)
def sample(request):
    seed, weighted = request.param
    rng = np.random.default_rng(seed)
    y = rng.random(500) < 0.3
    s = np.round(1 / (1 + np.exp(-(rng.normal(size=500) + y - 1))), 3)
    return y, s, rng.integers(1, 4, 500).astype(float) if weighted else None


def test_scikit_learn(sample):
    y, s, w = sample
    table = table_of(y, s, w)
    assert uc.METRICS["brier"](table) == pytest.approx(sk.brier_score_loss(y, s, sample_weight=w), rel=1e-12)
    assert uc.METRICS["log_loss"](table) == pytest.approx(sk.log_loss(y, s, sample_weight=w), rel=1e-12)
    pi = np.average(y, weights=w)
    assert uc.METRICS["brier_skill"](table) == pytest.approx(
        1 - uc.METRICS["brier"](table) / (pi * (1 - pi)), rel=1e-12
    )
    x = np.log(s / (1 - s))[:, None]
    fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000, solver="newton-cholesky").fit(x, y, sample_weight=w)
    intercept, slope = recalibration(table)
    assert slope == pytest.approx(fit.coef_[0, 0], abs=1e-8) and intercept == pytest.approx(fit.intercept_[0], abs=1e-8)
    assert uc.METRICS["calibration_slope"](table) == slope
    a = uc.METRICS["calibration_intercept"](table)
    assert np.average(1 / (1 + np.exp(-(a + x[:, 0]))), weights=w) == pytest.approx(pi, abs=1e-12)


def test_ece_by_hand(sample):
    y, s, w = sample
    w = np.ones(len(y)) if w is None else w
    bins = np.clip(np.ceil(s * 15) - 1, 0, 14)
    wanted = sum(abs(np.sum(w * (y - s) * (bins == b))) for b in range(15)) / w.sum()
    assert uc.METRICS["ece"](table_of(y, s, w)) == pytest.approx(wanted, abs=1e-12)
    distinct = (s + np.arange(len(s)) * 1e-7) / 1.01
    order = np.argsort(distinct)
    wanted = sum(abs((y - distinct)[part].sum()) for part in np.array_split(order, 5)) / len(y)
    assert uc.ece(5, binning="equal_mass")(table_of(y, distinct)) == pytest.approx(wanted, abs=1e-12)


@by_name
def test_laws(metric, sample):
    y, s, w = sample
    value = metric(table_of(y, s, w))
    order = np.random.default_rng(0).permutation(len(y))
    same = {"rel": 1e-9, "abs": 1e-9}
    assert metric(table_of(y[order], s[order], None if w is None else w[order])) == pytest.approx(value, **same)
    if w is not None:
        many = w.astype(int)
        assert metric(table_of(np.repeat(y, many), np.repeat(s, many))) == pytest.approx(value, **same)
    assert metric.range[0] <= value <= metric.range[1]
    assert metric.label and metric.question.endswith("?") and metric.misleads and metric.references and metric.undefined
    assert find_metric(metric.name).name == metric.name
    if metric.example is not None:
        assert metric(metric.example.data) == pytest.approx(metric.example.value, abs=1e-12)


@by_name
def test_leading_axes_are_a_loop_and_empty_blocks_are_no_blocks(metric):
    rng = np.random.default_rng(1)
    score = np.array([1.0, 0.9, 0.55, 0.5, 0.3, 0.0])
    draws = rng.poisson(2.0, size=(4, 3, 2, 6)).astype(float)
    draws[:3, :, :, [0, 5]] = 0  # certainties, which some metrics cannot use, only in the last replicates
    values = metric(uc.ScoreTable(score, draws[:, :, 0], draws[:, :, 1]))
    for i, j in np.ndindex(4, 3):
        positives, negatives = draws[i, j]
        there = positives + negatives > 0
        single = metric(uc.ScoreTable(score[there], positives[there], negatives[there]))
        np.testing.assert_allclose(values[i, j], single, rtol=1e-8, atol=1e-10)
    assert np.isnan(metric(uc.ScoreTable.empty()))


@by_name
def test_scores_that_are_no_probabilities_are_refused(metric):
    with pytest.raises(InputError, match=r"run from -1 to 2.*Hint"):
        metric(table_of([1, 0], [2.0, -1.0]))


def test_certainties():
    right, wrong = table_of([1, 0, 1], [1.0, 0.0, 0.5]), table_of([1, 0, 1], [0.0, 0.5, 0.5])
    assert uc.METRICS["log_loss"](right) == pytest.approx(np.log(2) / 3)
    assert uc.METRICS["log_loss"](wrong) == np.inf
    assert np.isnan(uc.METRICS["calibration_slope"](right)) and np.isnan(uc.METRICS["calibration_intercept"](wrong))
    perfect = table_of([1, 1, 0, 0], [1.0, 1.0, 0.0, 0.0])
    for name, best in (("brier", 0), ("brier_skill", 1), ("log_loss", 0), ("ece", 0)):
        assert uc.METRICS[name](perfect) == best


def test_slope_of_separated_or_constant_scores_is_undefined():
    for y, s in (
        ([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]),
        ([0, 1, 0, 1], [0.5] * 4),
        ([1, 0, 1, 0], [0.9, 0.5, 0.5, 0.1]),
        ([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.1]),
    ):
        assert np.isnan(uc.METRICS["calibration_slope"](table_of(y, s)))
        assert np.isfinite(uc.METRICS["calibration_intercept"](table_of(y, s)))


def test_extreme_scores_converge():
    rng = np.random.default_rng(4)
    s = 1 / (1 + np.exp(-rng.normal(size=3000) * 6))
    y = rng.random(3000) < 1 / (1 + np.exp(-(0.2 * np.log(s / (1 - s)) + 1)))
    intercept, slope = recalibration(table_of(y, s))
    x = np.log(s / (1 - s))
    chance = 1 / (1 + np.exp(-(intercept + slope * x)))
    assert abs(np.mean(y - chance)) < 1e-10 and abs(np.mean((y - chance) * x)) < 1e-9


def test_large_tables_start_from_a_coarse_fit():
    rng = np.random.default_rng(5)
    s = rng.random(100_000) * 0.98 + 0.01
    y = rng.random(100_000) < s**1.5
    table = table_of(y, s)
    intercept, slope = recalibration(table)
    chance = 1 / (1 + np.exp(-(intercept + slope * np.log(s / (1 - s)))))
    assert abs(np.sum(y - chance)) < 1e-6 and abs(np.sum((y - chance) * np.log(s / (1 - s)))) < 1e-6


@pytest.mark.parametrize("method", ["isotonic", "equal_width", "equal_mass"])
def test_brier_parts_add_up(method, sample):
    table = table_of(*sample)
    parts = brier_decomposition(table, method=method)
    assert parts.brier == pytest.approx(uc.METRICS["brier"](table), rel=1e-12)
    assert parts.reliability >= -1e-12 and parts.resolution >= 0
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.within
    assert total == pytest.approx(parts.brier, abs=1e-12)
    assert set(parts.as_dict()) == {"brier", "reliability", "resolution", "uncertainty", "within", "method"}


def test_bad_parameters_are_refused():
    table = table_of([1, 0], [1, 0])
    for call in (lambda: uc.ece(0), lambda: uc.ece(3, binning="x"), lambda: brier_decomposition(table, method="x")):
        with pytest.raises(ArgumentError):
            call()


def test_the_calibration_intercept_is_found_from_far_away():
    """A full Newton step from 0 leaps to where every chance is 1 and the likelihood is straight."""
    score = np.array([1.66958257e-01, 5.95988921e-06, 2.85133382e-06, 1.34404077e-10, 7.64493369e-12])
    positives, negatives = np.array([0.0, 3, 3, 0, 3]), np.array([1.0, 0, 0, 1, 0])
    intercept = float(uc.METRICS["calibration_intercept"](uc.ScoreTable(score, positives, negatives)))
    odds = np.exp(intercept + np.log(score) - np.log1p(-score))
    assert ((positives + negatives) * odds / (1 + odds)).sum() == pytest.approx(positives.sum(), abs=1e-9)


def by_halving(certain):
    """How near something is certain, asked at every step."""
    near, far = 0.0, 1e-5
    while not certain(far):
        near, far = far, 8 * far
        if far > 1e3:
            return np.inf
    for _ in range(8):
        half = (near + far) / 2
        near, far = (near, half) if certain(half) else (half, far)
    return far


@pytest.mark.parametrize("bins", [3, 30, 300, 3000])
def test_bounds_of_the_slope_are_those_found_by_halving_alone(bins, monkeypatch):
    rng, asked, rise = np.random.default_rng(bins), [], calibration._rise
    z = rng.normal(-1, 1.5, 20_000)
    table = table_of(rng.random(len(z)) < 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(-1.3 * z))).coarsen(bins)
    middle, near = (float(each) for each in (uc.METRICS["calibration_slope"](table), recalibration(table)[0]))
    low = middle - by_halving(lambda far: rise(table, middle - far, near)[0] > 0)
    high = middle + by_halving(lambda far: rise(table, middle + far, near)[1] < 0)
    monkeypatch.setattr(calibration, "_rise", lambda table, b, near: asked.append(b) or rise(table, b, near))
    assert calibration._slope_bounds(uc.METRICS["calibration_slope"], table) == (low, high)
    assert len(asked) <= 12 or bins < 3000  # with half as many questions, unless blocks are few and sums are quick


@pytest.mark.filterwarnings("ignore")
def test_what_was_stated_to_be_impossible_is_said_and_clipped_as_scikit_learn_does():
    rng = np.random.default_rng(3)
    p = rng.beta(0.6, 0.6, 200)
    y = rng.random(200) < p
    p[np.argmax(y)] = 0.0
    ev = uc.evaluate(y, p)
    assert ev["log_loss"].value == np.inf and ev["log_loss"].method == "what happened was given probability 0"
    clipped = uc.evaluate(y, p, metrics=["clipped_log_loss()"])["clipped_log_loss()"]
    assert clipped.value == pytest.approx(sk.log_loss(y, p), rel=1e-12)
    assert clipped.low < clipped.value < clipped.high < -np.log(2.0**-52)
    said = next(each for each in ev.findings if each.verdict == "infinite log loss")
    assert "One case" in said.sentence and said.numbers["clipped_log_loss"] == pytest.approx(clipped.value)
    for name in ("calibration_slope", "calibration_intercept"):
        assert ev[name].undefined == "the stated probability of 1 case is exactly 0, whose log-odds are infinite"


@pytest.mark.filterwarnings("ignore")
def test_the_clipped_log_loss_of_several_classes_is_scikit_learns_and_that_of_two_columns_that_of_one():
    rng = np.random.default_rng(5)
    scores = rng.dirichlet([0.4] * 3, 100)
    y = np.array([rng.choice(3, p=each) for each in scores])
    scores[0] = np.roll(np.eye(3)[y[0]], 1)
    wanted = ["clipped_log_loss()", uc.clipped_log_loss(0.01)]
    ev = uc.evaluate(y, scores, metrics=wanted)
    assert ev["clipped_log_loss()"].value == pytest.approx(sk.log_loss(y, scores), rel=1e-12)
    assert any(each.verdict == "infinite log loss" for each in uc.evaluate(y, scores, n_resamples=100).findings)
    two, p = y > 0, np.append(0.0, rng.random(99))
    one, both = (uc.evaluate(two, each, metrics=wanted) for each in (p, np.column_stack([1 - p, p])))
    for name in one:
        assert (one[name].low, one[name].high) == pytest.approx((both[name].low, both[name].high), rel=1e-12)


@pytest.mark.parametrize("name", ["f_beta", "concentrated_auroc", "expected_cost", "net_benefit", "lift_at"])
def test_a_metric_with_a_parameter_is_explained_by_a_call(name):
    with pytest.raises(ArgumentError, match=rf"{name} takes a parameter: ask for") as refused:
        find_metric(name)
    call = str(refused.value).rpartition("ask for ")[2].strip(".").strip('"').strip("'")
    assert find_metric(call).name.startswith(name)

"""Intervals and tests of metrics whose value is near an end of its range: useless, perfect, reversed, constant."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse.uncertainty import METHODS
from unconfuse.uncertainty.proportion_intervals import wilson

NAMES = ["ks", "max_youden", "h_measure", "auch", "max_mcc", "max_f1", "equal_error_rate", "break_even_precision"]
RNG = np.random.default_rng(0)
N = 40
TRUTH = np.arange(N) < 20
NOISE = RNG.normal(size=N)
SITUATIONS = {
    "useless": (TRUTH, NOISE, {}),
    "useless, case-control": (TRUTH, NOISE, {"design": "case-control"}),
    "useless, whole weights": (TRUTH, NOISE, {"weights": np.tile([1, 2, 3, 1], 10)}),
    "useless, parts of cases": (TRUTH, NOISE, {"weights": np.tile([0.5, 1.25, 0.75, 1], 10)}),
    "useless, sampling weights": (TRUTH, NOISE, {"sampling_weights": np.tile([1, 2, 3, 1], 10)}),
    "useless, groups": (TRUTH, NOISE, {"groups": np.arange(N) % 20}),
    "five values": (TRUTH, RNG.integers(0, 5, N), {}),
    "perfect": (TRUTH, -np.arange(N), {}),
    "reversed": (TRUTH, np.arange(N), {}),
    "constant": (TRUTH, np.ones(N), {}),
    "one positive on top": (np.arange(N) < 1, -np.arange(N), {}),
    "one positive in the middle": (np.arange(N) == 20, np.arange(N), {}),
    "one negative": (np.arange(N) > 0, np.arange(N), {}),
    "four cases": ([1, 1, 0, 0], [0.9, 0.2, 0.4, 0.1], {}),
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_limits_hold_the_value_and_stay_in_the_range(situation, level):
    truth, score, words = SITUATIONS[situation]
    found = uc.evaluate(truth, score, metrics=NAMES, confidence_level=level, n_resamples=100, **words)
    for name in NAMES:
        each, (least, most) = found[name], uc.METRICS[name].range
        if each.undefined or np.isnan(each.low):
            continue
        assert least <= each.low <= each.value <= each.high <= most, each


@pytest.mark.parametrize("situation", [each for each in SITUATIONS if each.startswith("useless")])
def test_of_random_scores_no_interval_runs_to_the_other_end(situation):
    truth, score, words = SITUATIONS[situation]
    found = uc.evaluate(truth, score, metrics=NAMES[:4], n_resamples=200, **words)
    assert found["h_measure"].high < 0.5 and found["auch"].high < 0.85
    assert found["ks"].high < 0.65 and found["max_youden"].high < 0.65


def test_random_scores_are_not_above_chance():
    names, draw = ["ks", "max_youden", "h_measure", "auch", "max_mcc"], np.random.default_rng(1)
    rejected, excluded = np.zeros(5), np.zeros(5)
    for _ in range(100):
        found = uc.evaluate(np.arange(60) < 25, draw.normal(size=60), metrics=names, n_resamples=100)
        rejected += [found[name].p_value_against() < 0.05 for name in names]
        excluded += [found[name].low > uc.METRICS[name].baseline(0.4, 0.4) for name in names]
    assert rejected.max() <= 12  # of 5 expected; before, all of them
    assert excluded.max() <= 8  # of 2.5


def test_a_good_model_is_above_chance():
    score = NOISE + 3 * TRUTH
    found = uc.evaluate(TRUTH, score, metrics=["ks", "max_youden", "h_measure", "auch", "max_mcc"], n_resamples=100)
    assert all(found[name].p_value_against() <= 0.005 for name in found)
    assert (
        found["max_youden"].p_value_against(0.999)
        < 0.05
        < found["max_youden"].p_value_against(found["max_youden"].value)
    )


def test_labels_dealt_out_anew_are_those_of_the_permutation_test():
    table, metric = uc.ScoreTable.from_rows(TRUTH, NOISE + TRUTH), uc.METRICS["h_measure"]
    draw, found = np.random.default_rng(3), []
    for _ in range(2000):
        found.append(float(metric(uc.ScoreTable.from_rows(draw.permutation(TRUTH), NOISE + TRUTH))))
    expected = np.mean(np.array(found) >= float(metric(table)))
    for weight in (1.0, 1 + 1e-9):  # the same with replacement, where weights are no whole numbers
        again = uc.ScoreTable(table.score, table.positives * weight, table.negatives * weight)
        assert METHODS["own_scale"].by_chance(metric, again) == pytest.approx(expected, abs=0.03)


def test_scaled_sampling_and_order_change_nothing():
    one = uc.evaluate(TRUTH, NOISE, metrics=NAMES[:4], n_resamples=100)
    order = np.random.default_rng(5).permutation(N)
    other = uc.evaluate(TRUTH[order], np.exp(NOISE[order]), metrics=NAMES[:4], n_resamples=100)
    for name in NAMES[:4]:
        assert (one[name].low, one[name].high) == (other[name].low, other[name].high)
        assert one[name].p_value_against() == other[name].p_value_against()


def test_both_directions_count_for_the_distance_only():
    good, bad = (uc.evaluate(TRUTH, way * NOISE + 2 * way * TRUTH, metrics=["ks"])["ks"] for way in (1, -1))
    assert good.value == bad.value and good.high == pytest.approx(bad.high, abs=0.02)
    assert bad.low > 0 and bad.p_value_against() == pytest.approx(good.p_value_against())


@pytest.mark.parametrize("metric", [uc.h_measure("beta22"), uc.h_measure((2, 5))], ids=lambda each: each.name)
def test_other_priors_of_the_h_measure(metric):
    found = uc.evaluate(TRUTH, NOISE, metrics=[metric], n_resamples=100)[metric.name]
    assert found.low == 0 and found.high < 0.5 and found.p_value_against() > 0.05


def test_binned_tables_and_subgroups_have_the_same_limits():
    table = uc.ScoreTable.from_rows(TRUTH, NOISE)
    whole = uc.evaluate(table, metrics=["ks", "h_measure"], n_resamples=100)
    binned = uc.evaluate(table.coarsen(12), metrics=["ks", "h_measure"], n_resamples=100)
    assert binned["ks"].low == 0 and binned["ks"].high < 0.65 and binned["h_measure"].high < 0.5
    parts = uc.evaluate(
        np.tile(TRUTH, 2), np.tile(NOISE, 2), by=np.repeat(["u", "v"], N), metrics=["ks", "h_measure"], n_resamples=100
    ).subgroups
    for name in ("ks", "h_measure"):
        assert (parts["u"][name].low, parts["u"][name].high) == (whole[name].low, whole[name].high)


@pytest.mark.parametrize("name", ["average_precision", "auprc_davis_goadrich", "auprc_integral"])
def test_the_area_of_constant_scores_is_the_share_of_positives(name):
    truth, score = np.arange(1000) < 10, np.full(1000, 0.3)
    found = uc.evaluate(truth, score, metrics=[name])[name]
    share = uc.evaluate(truth, score, threshold=0.3, metrics=["precision"])["precision"]
    assert (found.low, found.high) == pytest.approx((share.low, share.high), abs=1e-12)
    fixed = uc.evaluate(truth, score, metrics=[name], design="case-control")[name]
    assert (fixed.low, fixed.high) == pytest.approx((0.01, 0.01), abs=1e-12) and fixed.method.startswith("fixed")


def test_the_lower_limit_of_auprg_does_not_run_away():
    truth, draw = np.arange(600) < 12, np.random.default_rng(2)
    found = uc.evaluate(truth, draw.normal(size=600) + truth, metrics=["auprg"], n_resamples=500)["auprg"]
    assert -1 < found.low < found.value
    worst = uc.evaluate(np.arange(47) < 1, np.arange(47), metrics=["auprg"], n_resamples=200)["auprg"]
    assert worst.low == worst.value == -23


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
@pytest.mark.parametrize(("n", "positives"), [(6, 3), (10, 9), (30, 29), (100, 1)])
def test_net_benefit_is_at_most_the_share_of_positives(n, positives, kind):
    truth = np.arange(n) < positives
    table = uc.ScoreTable.from_rows(truth, np.where(truth, 0.9, np.linspace(0, 0.99, n)))
    found = uc.band(table, "decision_curve", kind=kind)
    assert (found.high <= 1).all()
    if kind == "pointwise":
        assert (found.high <= np.maximum(wilson(positives, n)[1], found.y) + 1e-12).all()
    assert (found.low >= -found.x / (1 - found.x)).all()
    assert ((found.low <= found.y) & (found.y <= found.high)).all()


@pytest.mark.parametrize("words", [{}, {"groups": np.arange(100) % 10}, {"sampling_weights": np.ones(100)}])
@pytest.mark.parametrize("level", [0.6, 0.75])
def test_a_precision_where_b_is_a_level_ends_at_its_ceiling(level, words):
    truth, metric = np.arange(100) < 30, uc.precision_at_b(level)
    score = np.random.default_rng(3).normal(size=100) + 3 * truth
    found = uc.evaluate(truth, score, metrics=[metric], n_resamples=200, **words)[metric.name]
    assert found.value <= 2 * (1 - level) and found.high <= 2 * (1 - level)
    assert f"= {2 * (1 - level):.4g}" in metric.misleads
    assert uc.indistinguishability(truth, score, level=level).precision.high <= 2 * (1 - level)


def test_ties_may_take_it_beyond_the_ceiling():
    truth = np.arange(100) < 50
    score = np.where(np.arange(100) < 55, 1.0, 0.0)
    found = uc.evaluate(truth, score, metrics=[uc.precision_at_b(0.6)])["precision_at_b(0.6)"]
    assert found.value > 0.9 and found.high > found.value


def test_a_sentence_says_no_more_than_its_interval(tmp_path):
    from unconfuse.cli._null_tests import tests_of

    draw = np.random.default_rng(34)
    truth = np.arange(50) < 20
    found = uc.evaluate(truth, np.round(draw.normal(size=50) + 1.2 * truth, 0), metrics=["max_youden"])
    (test,) = tests_of(found, ["max_youden"])
    assert test.p_value < 0.05 and test.estimate.low == 0 and "could still be" in test.sentence


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_the_lower_limit_of_a_very_small_loss_is_not_that_of_half_a_case_alone(name):
    rng = np.random.default_rng(4)
    truth = np.arange(60) % 2 == 0
    estimate = uc.evaluate(truth, 1 / (1 + np.exp(-8 * (truth - 0.5) - rng.normal(size=60))))[name]
    with_half_a_case = estimate.interval(method="influence")
    reach = stats.t.ppf(0.975, 59) * estimate.standard_error / estimate.value
    assert estimate.low == pytest.approx((with_half_a_case.low + estimate.value * np.exp(-reach)) / 2)
    assert estimate.high == with_half_a_case.high


@pytest.mark.parametrize("name", ["brier_skill", "log_loss_skill"])
def test_the_upper_limit_of_a_great_skill_is_not_that_of_half_a_case_alone(name):
    """Simulated, half a case alone left 9 to 13% of the truths of good small models above (docs/coverage-losses.md)."""
    rng = np.random.default_rng(4)
    truth = np.arange(60) % 4 == 0
    estimate = uc.evaluate(truth, 1 / (1 + np.exp(-8 * (truth - 0.5) - rng.normal(size=60))), metrics=[name])[name]
    with_half_a_case = estimate.interval(method="influence")
    reach = stats.t.ppf(0.975, 14) * estimate.standard_error / (1 - estimate.value)
    assert estimate.high == pytest.approx((with_half_a_case.high + 1 - (1 - estimate.value) * np.exp(-reach)) / 2)
    assert estimate.low == with_half_a_case.low


def test_a_loss_of_nothing_has_an_interval():
    estimate = uc.evaluate([0, 1] * 10, [0.0, 1.0] * 10)["brier"]
    assert (estimate.value, estimate.low) == (0, 0) and 0 < estimate.high < 1


@pytest.mark.parametrize("n", [12, 60, 300])
def test_the_hull_excludes_nothing_that_the_curve_allows(n):
    """The hull's area is at least the curve's, so that what the AUROC's interval allows from below it allows, too."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        truth = np.arange(n) < n // 3
        ev = uc.evaluate(truth, rng.normal(size=n) + truth, metrics=["auroc", "auch"], n_resamples=100)
        assert ev["auch"].low <= max(ev["auroc"].low, 0.5) + 1e-12


def test_calibration_error_of_few_cases_does_not_exclude_smaller_ones_too_often():
    """Noise makes gaps of its own: of overconfident models .08 is true where .17 is seen, on average."""
    rng = np.random.default_rng(9)
    logits = rng.normal(0, 2.5, 400_000)
    stated = 1 / (1 + np.exp(-2 * logits))
    gap = 1 / (1 + np.exp(-logits)) - stated
    bins = np.clip(np.ceil(stated * 15).astype(int) - 1, 0, 14)
    true = np.abs(np.bincount(bins, gap)).sum() / len(gap)
    too_high = []
    for _ in range(150):
        rows = rng.integers(0, len(logits), 40)
        y = rng.random(40) < gap[rows] + stated[rows]
        found = uc.evaluate(y, stated[rows], metrics=["ece"], n_resamples=200)["ece"]
        assert found.low <= found.value <= found.high
        too_high.append(found.low > true)
    assert np.mean(too_high) < 0.05


def test_calibration_error_of_many_cases_has_the_usual_interval():
    """Where every bin's gap is sure, chance adds nothing: the lower limit is that of a mean of signed gaps."""
    rng = np.random.default_rng(10)
    n = 40_000
    stated = (rng.integers(0, 10, n) + 0.5) / 10
    y = rng.random(n) < stated * 0.8
    found = uc.evaluate(y, stated, metrics=["ece(10)"], n_resamples=200)["ece(10)"]
    error = (stated - y).std() / np.sqrt(n)
    assert found.low == pytest.approx(found.value - 1.96 * error, abs=0.3 * error)

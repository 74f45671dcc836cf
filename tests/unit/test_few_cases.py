"""A handful of cases: each of these once ended in a warning of a library, in a number that cannot be, or without a word
why there is no interval."""

import copy
import math
import pickle

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.uncertainty.bootstrap_intervals import percentile, spread
from unconfuse.uncertainty.folds import mean_over_folds

pytestmark = pytest.mark.filterwarnings("ignore::unconfuse.UnconfuseWarning")
NAN = math.nan


def test_a_subgroup_without_positives_among_sampled_cases():
    rows = [0, 1, 0, 0, 0], [0.36, 0.86, 0.33, 0.26, 0.47]
    found = uc.evaluate(*rows, sampling_weights=[2, 3, 2, 0, 0], by={"g": list("baaaa")}, threshold=0.4)
    assert found.subgroups["b"]["specificity"].value == 1 and found.subgroups["b"].to_frame() is not None


def test_a_class_that_does_not_occur_among_sampled_cases():
    y = np.array([0, 0, 2, 2, 0, 2])
    found = uc.evaluate(y, np.eye(3)[y], classes=[0, 1, 2], sampling_weights=np.ones(6))
    assert found["accuracy"].value == 1


@pytest.mark.parametrize(
    "model", [uc.Binormal(), uc.Uniform(), uc.Empirical([0, 1, 0, 1] * 6, [0.1, 0.9, 0.5, 0.4] * 6)]
)
def test_resolving_power_can_be_kept(model):
    power = uc.resolving_power(model, ["auroc", "ks"], n=60, prevalence=0.5, at=0.7, n_samples=100)
    told = repr(power.rows())
    for same in (pickle.loads(pickle.dumps(power)), copy.deepcopy(power)):
        assert repr(same.rows()) == told


@pytest.mark.parametrize("cells", [(3, 0, 0, 2), (5, 1, 0, 4), (1, 0, 1, 1), (40, 0, 1, 9)])
def test_bca_of_a_ratio_without_end(cells):
    tp, fp, fn, tn = cells
    found = uc.evaluate_counts(tp=tp, fp=fp, fn=fn, tn=tn)["diagnostic_odds_ratio"].interval(method="bca")
    assert math.isnan(found.low) or found.low <= found.value <= found.high


def test_bca_of_a_loss_without_end():
    found = uc.evaluate([0, 1, 1, 0, 1], [1.0, 1.0, 0.0, 0.0, 0.5])["log_loss"].interval(method="bca")
    assert found.value == math.inf


def test_a_fold_of_a_card_without_cases():
    card = uc.threshold_card([0, 0, 0, 1], [1, 1, 1, 0], weights=[0.5, 0.4, 0.1, 0.3], costs=(1, 1), repeats=1)
    assert all(point.threshold.undefined or not math.isnan(point.threshold.value) for point in card.values())


def test_a_threshold_lies_in_its_interval():
    card = uc.threshold_card([0, 0, 0, 0, 1], [1, 1, 1, 1, 0], weights=[1e4, 1e4, 1e3, 1e-3, 0.1], n_resamples=20)
    own = card["youden"].threshold
    assert own.low <= own.value <= own.high


def test_what_a_judge_leads_to_stays_in_range():
    y = [0, 0, 1, 0, 0, 0, NAN, NAN, 0, 1]
    s = [0.13, 0.98, 0.19, 0.14, 0.01, 0.02, 0.51, 0.88, 0.6, 0.64]
    found = uc.evaluate(y, s, judge=[0, 0, 1, 0, 0, 0, 0, 0, 0, 0], threshold=0.19)
    for name, each in found.items():
        lowest, highest = uc.METRICS[name].range
        assert math.isnan(each.value) or lowest <= each.value <= highest, name


def test_metrics_at_a_rare_prevalence_lie_in_their_intervals():
    found = uc.evaluate([1, 1, *[0] * 18], [*[0.0] * 10, *[1.0] * 10], weights=[1e-9] * 20)
    found = uc.shift_prevalence(found, prevalence=1e-9)
    assert all(each.low <= each.value <= each.high for each in found.values() if not math.isnan(each.low))


def test_a_prevalence_that_no_number_can_work_with_is_refused():
    found = uc.evaluate_counts(tp=3, fp=0, fn=1, tn=9)
    with pytest.raises(uc.UnconfuseError, match="must be 0, or 1e-100 or more"):
        uc.shift_prevalence(found, prevalence=1e-300)
    assert abs(uc.shift_prevalence(found, prevalence=1e-99)["mcc"].value) <= 1


def test_replicates_of_the_gain_area_stay_in_range():
    table = uc.score_table([0, 1, 1, 1, 0, 1, 0], [0.1, 0.7, 0.9, 0.8, 0.3, 0.6, 0.2])
    assert np.nanmax(uc.bootstrap(table, ["auprg"], n_resamples=2000)["auprg"]) == 1


def test_a_bootstrap_asked_for_by_name_is_as_published():
    """Its ends are quantiles of the replicates, wherever the value lies; the usual interval holds its value."""
    draws = np.linspace(0.2, 0.6, 101)
    assert percentile(0.7, draws)[:2] == pytest.approx((0.21, 0.59))


def test_a_spread_beyond_all_numbers_is_infinite():
    assert spread(np.array([1e300, -1e300, 1e200])) == np.inf


def test_no_interval_is_said_with_its_reason():
    one = uc.evaluate([0, 0, 1, 1, 0], [1.0, 1, 0, 0, 1], folds=[2, 2, 1, 2, 2])["brier"]
    pair = uc.compare([0, 0, 1], {"a": [0.1, 0.2, 0.9], "b": [0.2, 0.1, 0.8]})["auroc", "a", "b"].difference
    for each in (one, pair):
        assert math.isnan(each.low) and math.isnan(each.high) and each.method.startswith("no interval: ")


def test_equalised_odds_need_the_intervals_of_both_gaps():
    y, s = [1, 0, 1, 0, 1, 0, 0, 0, 0, 0], [0.8, 0.2, 0.7, 0.5, 0.6, 0.18, 0.46, 0.31, 0.31, 0.28]
    words = {"by": {"g": list("aacbcaacca")}, "groups": [4, 2, 3, 2, 2, 1, 1, 0, 0, 1]}
    odds = uc.evaluate(y, s, threshold=0.28, n_resamples=100, **words).subgroups.equalised_odds()
    assert odds.value == 0.5 and math.isnan(odds.low) and math.isnan(odds.high)


def test_a_fold_whose_interval_has_hardly_an_end():
    ends = [uc.Estimate("a", "A", value=1.0, low=0.0, high=high, method="log") for high in (1e300, 2.0)]
    mean = mean_over_folds(uc.METRICS["lr_positive"], dict(zip("ab", ends, strict=True)), {}, 0.95)
    assert 0 < mean.low < 1 and mean.high == np.inf


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_replicates_of_few_cases_stay_in_range(design):
    """Also where all is wrong: rounding must not leave the range, in which intervals are looked for."""
    names = [name for name, each in uc.METRICS.items() if each.of != "counts"]
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.concatenate([[0, 1], rng.integers(0, 2, seed % 9)])
        s = (rng.random(len(y)), rng.integers(0, 3, len(y)) / 2, np.where(y, 0.1, 0.9))[seed % 3]
        for name, found in uc.bootstrap(uc.score_table(y, s), names, n_resamples=60, design=design, rng=seed).items():
            low, high = uc.METRICS[name].range
            assert np.isnan(found).all() or low <= np.nanmin(found) <= np.nanmax(found) <= high, (name, seed)

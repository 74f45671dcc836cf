"""Every interval by name: the AUROC's classics as the literature defines them, and standard errors."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.uncertainty import METHODS
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.method import NoInterval

Z = norm.ppf(0.975)
rng = np.random.default_rng(3)
Y = rng.random(120) < 0.35
S = np.round(rng.normal(size=120) + 1.2 * Y, 1)
P = 1 / (1 + np.exp(-S))
AREA = uc.evaluate(Y, S, metrics=["auroc"], threshold=0.5)["auroc"]


def _wins() -> np.ndarray:
    x, y = S[Y][:, None], S[~Y]
    return (x > y) + (x == y) / 2


def _delong() -> tuple[float, float]:
    """From the matrix of all pairs."""
    wins = _wins()
    p, n = wins.shape
    variance = wins.mean(axis=1).var(ddof=1) / p + wins.mean(axis=0).var(ddof=1) / n
    return float(wins.mean()), math.sqrt(variance)


def test_delong_is_wald():
    area, error = _delong()
    found = AREA.interval(method="delong")
    assert (found.low, found.high) == pytest.approx((area - Z * error, area + Z * error), abs=1e-12)
    assert found.standard_error == pytest.approx(error, abs=1e-12)


def test_delong_on_the_logit_scale():
    area, error = _delong()
    ends = [math.log(area / (1 - area)) + sign * Z * error / (area * (1 - area)) for sign in (-1, 1)]
    found = AREA.interval(method="delong_logit")
    assert (found.low, found.high) == pytest.approx([1 / (1 + math.exp(-end)) for end in ends], abs=1e-12)


def test_hanley_mcneil():
    area, (p, n) = _delong()[0], _wins().shape
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    error = math.sqrt((area * (1 - area) + (p - 1) * (q1 - area**2) + (n - 1) * (q2 - area**2)) / (p * n))
    found = AREA.interval(method="hanley_mcneil")
    assert (found.low, found.high) == pytest.approx((area - Z * error, area + Z * error), abs=1e-12)
    assert found.standard_error == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_newcombe_solves_its_equation(level):
    """Method 5 of Newcombe (2006): V = A(1-A)/(mn) [2N - 1 - (3N - 3)/((2 - A)(1 + A))] with N = (m + n)/2."""
    area, (p, n) = _delong()[0], _wins().shape
    found, z, mean = AREA.interval(method="newcombe", confidence_level=level), norm.ppf((1 + level) / 2), (p + n) / 2
    for end in (found.low, found.high):
        variance = end * (1 - end) / (p * n) * (2 * mean - 1 - (3 * mean - 3) / ((2 - end) * (1 + end)))
        assert (area - end) ** 2 == pytest.approx(z**2 * variance, rel=1e-9)
    assert found.low < area < found.high


@pytest.mark.parametrize(
    "method", ["delong", "delong_logit", "hanley_mcneil", "newcombe", "delong_half_case", "wilson_effective"]
)
def test_gini_has_the_same_on_its_scale(method):
    both = uc.evaluate(Y, S, metrics=["auroc", "gini"], threshold=0.5)
    area, gini = (each.interval(method=method) for each in both.values())
    assert (gini.low, gini.high) == pytest.approx((2 * area.low - 1, 2 * area.high - 1), abs=1e-15)
    assert gini.standard_error == pytest.approx(2 * area.standard_error)
    assert gini.method == area.method


def test_perfect_separation():
    perfect = uc.evaluate([1] * 10 + [0] * 10, np.linspace(0.95, 0.05, 20), metrics=["auroc"])["auroc"]
    collapsed, honest = (perfect.interval(method=each) for each in ("delong", "newcombe"))
    assert (collapsed.low, collapsed.high, collapsed.standard_error) == (1, 1, 0)
    assert honest.high == 1 and honest.low == pytest.approx(0.8, abs=1e-3)


def test_standard_errors_are_those_of_the_method():
    ev = uc.evaluate(Y, P, n_resamples=500, threshold=0.5)
    tp, positives = float(ev.counts.tp), ev.positives
    share = tp / positives
    assert ev["sensitivity"].standard_error == pytest.approx(math.sqrt(share * (1 - share) / positives))
    drawn = ev["mcc"].interval(method="percentile")
    assert ev["mcc"].standard_error == pytest.approx((drawn.high - drawn.low) / (2 * Z), rel=0.12)
    losses = (P - Y) ** 2
    assert ev["brier"].standard_error == pytest.approx(losses.std() / math.sqrt(len(Y)), rel=0.02)
    drawn = ev["brier"].interval(method="percentile")
    assert drawn.standard_error == pytest.approx(ev["brier"].standard_error, rel=0.15)
    fixed = uc.evaluate(Y, P, design="case-control", threshold=0.5, metrics=["precision", "sensitivity"])
    assert 0 < fixed["precision"].standard_error < ev["precision"].standard_error  # the share of positives is fixed
    assert fixed["sensitivity"].standard_error == pytest.approx(ev["sensitivity"].standard_error)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_serves_a_metric_or_is_refused_in_words(name):
    ev = uc.evaluate(Y, P, n_resamples=200, threshold=0.5)
    served = [each for each in (*uc.METRICS.values(), uc.sensitivity_at_specificity(0.9)) if METHODS[name].serves(each)]
    assert served
    for each in uc.METRICS.values():
        if METHODS[name].serves(each):
            found = ev[each.name].interval(method=name)
            assert (
                math.isnan(found.value)
                or found.low - 1e-9 <= found.value <= found.high + 1e-9
                or name in ("basic", "percentile", "bca")
            )
        else:
            with pytest.raises(ArgumentError, match="does not serve"):
                ev[each.name].interval(method=name)


def test_equal_error_rate_is_where_both_errors_meet():
    for seed in range(20):
        draw = np.random.default_rng(seed)
        y = draw.random(40) < 0.4
        y[:2] = True, False
        s = np.round(draw.normal(size=40) + y, 1)
        cuts = np.r_[np.inf, np.unique(s)[::-1]]
        fpr = np.array([(s[~y] >= cut).mean() for cut in cuts])
        fnr = np.array([(s[y] < cut).mean() for cut in cuts])
        along = np.linspace(0, len(cuts) - 1, 400_001)
        gap = np.abs(np.interp(along, np.arange(len(cuts)), fpr) - np.interp(along, np.arange(len(cuts)), fnr))
        expected = np.interp(along[np.argmin(gap)], np.arange(len(cuts)), fpr)
        assert float(uc.METRICS["eer"](uc.score_table(y, s))) == pytest.approx(expected, abs=1e-4)


def test_a_p_value_against_any_value_agrees_with_the_interval():
    area, error = _delong()
    assert AREA.p_value_against(0.5, method="delong") == pytest.approx(2 * norm.sf((area - 0.5) / error), rel=2e-4)
    for null in (0.6, 0.7, 0.75, 0.9):
        found = AREA.p_value_against(null)
        assert (found < 0.05) == (not AREA.low <= null <= AREA.high)
    assert AREA.p_value_against() == AREA.p_value_against(0.5) and AREA.p_value_against(AREA.value) == 1
    recall = uc.evaluate_counts(tp=45, fp=5, fn=15, tn=60)["sensitivity"]
    exact = recall.p_value_against(0.6, method="clopper_pearson")
    assert exact == pytest.approx(2 * binom.sf(44, 60, 0.6), rel=2e-4)
    with pytest.raises(ArgumentError, match="state a value"):
        replace(AREA, baseline=math.nan).p_value_against()


def test_an_interval_that_a_method_cannot_tell_is_dropped_and_a_reason_is_kept_as_it_is():
    told, half, why = (
        Estimate("auroc", "AUROC", 0.5, low, math.nan, method=method)
        for low, method in ((math.nan, "DeLong"), (0.1, "DeLong"), (math.nan, NoInterval("one case shows no spread")))
    )
    assert told.method == half.method == "no interval: these cases tell none (DeLong)" and math.isnan(half.low)
    assert why.method == "one case shows no spread"
    for again in (
        pickle.loads(pickle.dumps(why)),
        replace(why, name="ks"),
        replace(why, method=why.method + ", paired"),
    ):
        assert isinstance(again.method, NoInterval) and again.method.startswith("one case shows no spread")


def test_a_card_that_is_read_again_keeps_the_reasons_for_having_no_interval():
    card = uc.threshold_card(Y, P, groups=np.arange(120) % 2, rules=["fixed(0.5)", "youden"])
    read = uc.read_card(card.to_json())
    for name, point in card.items():
        assert read[name].threshold.method == point.threshold.method
        for key, each in point.metrics.items():
            assert read[name].metrics[key].method == each.method
    assert read["fixed(0.5)"].threshold.method == "fixed beforehand"

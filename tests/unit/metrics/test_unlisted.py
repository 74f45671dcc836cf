"""Metrics that are found by name only, and two that are refused."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, d2_log_loss_score, mutual_info_score

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.metrics import RARE, find_metric


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, np.clip(0.2 + 0.3 * y + 0.15 * rng.normal(size=n), 0.01, 0.99)


def test_they_are_found_and_not_listed():
    y, p = rows()
    assert not set(RARE) & set(uc.METRICS)
    assert all(find_metric(name) is uc.METRICS[name] for name in RARE)
    assert not set(RARE) & set(uc.evaluate(y, p, threshold=0.4, n_resamples=100))
    for each in uc.evaluate(y, p, metrics=list(RARE), threshold=0.4).values():
        assert each.low < each.value < each.high


def test_values_of_scikit_learn():
    y, p = rows()
    assert float(uc.METRICS["log_loss_skill"](uc.score_table(y, p))) == pytest.approx(d2_log_loss_score(y, p))
    found = uc.evaluate(y, p, metrics=["heidke_skill_score", "ets"], threshold=0.4)
    kappa = cohen_kappa_score(y, p >= 0.4)
    assert found["cohen_kappa"].value == pytest.approx(kappa)
    assert found["gilbert_skill_score"].value == pytest.approx(kappa / (2 - kappa))


@pytest.mark.parametrize("name", ["log_loss_skill", "observed_expected_ratio"])
def test_influences_are_derivatives(name):
    table, metric, step = uc.score_table(*rows(60)), find_metric(name), 1e-6
    found = metric.inference.influence(table)
    assert float((found.positive * table.positives + found.negative * table.negatives).sum()) == pytest.approx(
        0, abs=1e-12
    )
    for block in (0, 10, len(table) - 1):
        more = step * (np.arange(len(table)) == block)
        for side, own in ((0, found.positive), (1, found.negative)):
            columns = [table.positives + more * (side == 0), table.negatives + more * (side == 1)]
            moved = (float(metric(uc.ScoreTable(table.score, *columns))) - float(metric(table))) / step
            assert moved == pytest.approx(own[block], abs=1e-5)


@pytest.mark.parametrize(
    ("name", "why"), [("nri", "reclassification"), ("IDI", "discrimination"), ("net-reclassification", "made worse")]
)
def test_what_misleads_is_refused_with_a_way_out(name, why):
    with pytest.raises(ArgumentError, match=why) as refusal:
        find_metric(name)
    assert "Hint: compare" in str(refusal.value)


def test_mutual_information_of_scikit_learn():
    y, p = rows()
    found = uc.evaluate(y, p, metrics=["mutual_information"], threshold=0.4)["mutual_information"]
    assert found.value == pytest.approx(mutual_info_score(y, p >= 0.4), abs=1e-12)
    assert float(uc.METRICS["mutual_information"](uc.Counts(tp=0, fp=3, fn=0, tn=5))) == 0.0
    assert float(uc.METRICS["mutual_information"](uc.Counts(tp=5, fp=0, fn=0, tn=5))) == pytest.approx(np.log(2))


def test_early_recognition_and_detection():
    y, p = rows()
    found = uc.evaluate(y, p, metrics=["bedroc(20)", "min_detection_cost(0.1)"])
    for each in found.values():
        assert each.low < each.value < each.high
    assert float(uc.bedroc(20)(uc.score_table(y, y * 1.0))) == pytest.approx(1.0, abs=0.02)
    assert float(uc.min_detection_cost(0.3)(uc.score_table(y, -1.0 * y))) == 1.0
    assert np.isnan(float(uc.bedroc(20)(uc.ScoreTable(np.array([0.5]), np.array([3.0]), np.array([0.0])))))


@pytest.mark.parametrize("wrong", [lambda: uc.bedroc(0), lambda: uc.bedroc(1e4), lambda: uc.min_detection_cost(0)])
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(ArgumentError):
        wrong()

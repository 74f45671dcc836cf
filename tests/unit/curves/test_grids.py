"""Thresholds at two decimals: a case whose score is exactly there is labelled positive, on every curve."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.table import fractions

_PROBABILITIES = np.repeat(np.arange(100) / 100, 6)
_TRUTH = np.tile([1, 1, 0, 0, 1, 0], 100)


def _net_benefit(percent: int) -> float:
    """By whole numbers alone: a case counts from the percentage on at which it is written."""
    above = np.repeat(np.arange(100), 6) >= percent
    tp, fp = int((above & (_TRUTH == 1)).sum()), int((above & (_TRUTH == 0)).sum())
    return (tp - percent * fp / (100 - percent)) / len(_TRUTH)


def test_the_decision_curve_is_net_benefit_at_each_of_its_thresholds() -> None:
    found = uc.evaluate(_TRUTH, _PROBABILITIES, metrics=["auroc"]).curve("decision_curve")
    assert found["threshold"].tolist() == [each / 100 for each in range(100)]
    np.testing.assert_allclose(found["net_benefit"], [_net_benefit(each) for each in range(100)], atol=1e-12)


@pytest.mark.parametrize("threshold", [0.35, 0.41, 0.47, 0.57, 0.69, 0.7, 0.82, 0.83, 0.94, 0.95])
def test_one_number_by_the_metric_and_by_the_curve(threshold: float) -> None:
    found = uc.evaluate(_TRUTH, _PROBABILITIES, metrics=[uc.net_benefit(threshold)])
    drawn = found.curve("decision_curve")
    at = round(threshold * 100)
    assert next(iter(found.values())).value == pytest.approx(drawn["net_benefit"][at], abs=1e-12)


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_bands_lie_around_the_curve(kind: str) -> None:
    result = uc.evaluate(_TRUTH, _PROBABILITIES, metrics=["auroc"])
    band, drawn = result.band("decision_curve", kind=kind), result.curve("decision_curve")
    assert band.x.tolist() == drawn["threshold"].tolist()
    np.testing.assert_allclose(band.y, drawn["net_benefit"], atol=1e-12)


def test_differences_of_decision_curves_are_those_of_net_benefit() -> None:
    other = _PROBABILITIES[::-1].copy()
    found = uc.compare(_TRUTH, {"a": _PROBABILITIES, "b": other}, metrics=["auroc"]).decision_curve("a", "b")
    for at, value in zip(found.band.x, found.band.y, strict=True):
        one, two = (uc.score_table(_TRUTH, each).counts_at(at) for each in (_PROBABILITIES, other))
        expected = ((one.tp - two.tp) - at / (1 - at) * (one.fp - two.fp)) / len(_TRUTH)
        assert value == pytest.approx(float(expected), abs=1e-12)


def test_a_score_on_the_edge_of_a_bar_of_the_histogram_belongs_above_it() -> None:
    bars = uc.curve("score_histogram", uc.score_table(_TRUTH, _PROBABILITIES))
    assert set((bars["positives"] + bars["negatives"]).tolist()) == {12.0, 18.0}  # 2 or 3 percentages in 1/40
    ten = uc.curve("score_histogram", uc.score_table(_TRUTH, _PROBABILITIES), n_bins=10)
    assert (ten["positives"] + ten["negatives"]).tolist() == [60.0] * 10


@pytest.mark.parametrize("n_bins", [6, 7, 9, 12, 14, 15, 49, 98])
def test_a_score_on_the_edge_of_a_bin_belongs_below_it(n_bins: int) -> None:
    score = np.repeat(np.arange(1, n_bins + 1) / n_bins, 2)
    labels = np.tile([1, 0], n_bins)
    expected = np.mean(np.abs(0.5 - score[::2]))  # one score in each bin, and so no two of them cancel out
    assert uc.ece(n_bins=n_bins, binning="equal_width")(uc.score_table(labels, score)) == pytest.approx(
        expected, abs=1e-12
    )


def test_fractions_are_the_decimals_that_they_are_read_as() -> None:
    assert fractions(0, 100, 100).tolist() == [float(f"{each / 100:.2f}") for each in range(101)]

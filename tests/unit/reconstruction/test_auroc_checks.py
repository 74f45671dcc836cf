"""A printed AUROC: its value, its interval, and what can have made it."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.reconstruction.auroc_checks import _largest, _smallest, _smallest_tied


def _patterns(m, n):
    """All orders of m positives and n negatives with ties, as blocks from the highest score down."""
    if not m and not n:
        yield ()
    for p in range(m + 1):
        for q in range(n + 1):
            if p + q:
                yield from (((p, q), *rest) for rest in _patterns(m - p, n - q))


def _delong(pattern, m, n):
    """AUROC and DeLong's standard error of such an order, by its definition."""
    above, below, of_positives, of_negatives = 0, n, [], []
    for p, q in pattern:
        below -= q
        of_negatives += [(above + p / 2) / m] * q
        of_positives += [(below + q / 2) / n] * p
        above += p
    variance = np.var(of_positives, ddof=1) / m + np.var(of_negatives, ddof=1) / n
    return np.mean(of_negatives), np.sqrt(max(variance, 0))


@pytest.mark.parametrize(("m", "n"), [(3, 4), (4, 4), (2, 5)])
def test_no_order_has_an_error_outside_the_bounds(m, n):
    for pattern in _patterns(m, n):
        area, error = _delong(pattern, m, n)
        at = np.array([area])
        tied = any(p and q for p, q in pattern)
        smallest = _smallest_tied if tied else _smallest
        assert smallest(at, m, n)[0] <= error + 1e-6, pattern
        assert error <= _largest(at, m, n)[0] + 1e-9, pattern


def test_delong_is_possible_and_hanley_mcneil_is_recognised():
    """The data of the pROC package: 41 and 72 patients, AUROC 0.7314, DeLong interval 0.6301 to 0.8326."""
    found = uc.reconstruct(auroc="0.7314", auroc_low="0.6301", auroc_high="0.8326", positives=41, negatives=72)
    assert found.possible and not found.tables and "not reproduced by Hanley-McNeil" in found.sentence
    y = np.repeat([1, 0], [41, 79])
    scores = np.random.default_rng(3).normal(y * 1.5, 1)
    estimate = uc.evaluate(y, scores, metrics=["auroc"])["auroc"]
    printed = estimate.interval(method="hanley_mcneil")
    ends = {"auroc_low": f"{printed.low:.3f}", "auroc_high": f"{printed.high:.3f}"}
    found = uc.reconstruct(auroc=f"{estimate.value:.3f}", **ends, positives=41, negatives=79)
    assert found.possible and found.area.methods[0] == "Hanley-McNeil"


@pytest.mark.parametrize("method", ["delong", "delong_logit", "wilson_effective"])
def test_intervals_of_data_are_possible(method):
    rng = np.random.default_rng(5)
    for m, n, apart in ((20, 30, 0.5), (41, 79, 1.5), (300, 40, 2.5)):
        y = np.repeat([1, 0], [m, n])
        scores = rng.normal(y * apart, 1)
        if apart == 0.5:
            scores = scores.round()
        estimate = uc.evaluate(y, scores, metrics=["auroc"])["auroc"]
        printed = estimate.interval(method=method)
        ends = {"auroc_low": f"{printed.low:.3f}", "auroc_high": f"{printed.high:.3f}"}
        assert uc.reconstruct(auroc=f"{estimate.value:.3f}", **ends, positives=m, negatives=n).possible, (m, n)


@pytest.mark.parametrize(("ends", "word"), [((".84", ".86"), "narrower"), ((".50", "1.00"), "wider")])
def test_impossible_intervals(ends, word):
    found = uc.reconstruct(auroc=".85", auroc_low=ends[0], auroc_high=ends[1], positives=41, negatives=79)
    assert found.possible is False and f"it is {word} than any DeLong interval" in found.sentence


def test_a_sample_has_whole_pairs():
    assert uc.reconstruct(auroc="0.83", positives=3, negatives=4).possible  # 20 of 24 half pairs
    found = uc.reconstruct(auroc="0.85", positives=3, negatives=4)
    assert found.possible is False and "cannot give it" in found.sentence
    assert uc.reconstruct(auroc="1.00", positives=1, negatives=1).possible


def test_both_rates_and_area():
    found = uc.reconstruct(
        auroc=".85", auroc_low=".84", auroc_high=".86", sensitivity=".93", positives=41, negatives=79
    )
    assert found.possible is False and found.tables and found.area.interval_possible is False

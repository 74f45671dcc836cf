"""The same test repeated: the study's error about its rates is one error."""

from __future__ import annotations

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.bayesian._inputs import PrevalenceEstimate
from unconfuse.bayesian.post_test import after_results

STUDY = uc.Counts(tp=90, fp=5, fn=10, tn=95)


@pytest.mark.parametrize("results", ["+", "-", "++", "+-", "++-", "---"])
def test_the_value_is_the_prior_odds_times_every_likelihood_ratio(results: str) -> None:
    odds = 0.05 / 0.95 * np.prod([{"+": 0.9 / 0.05, "-": 0.1 / 0.95}[each] for each in results])
    assert after_results(STUDY, PrevalenceEstimate(0.05), results).value == pytest.approx(odds / (1 + odds), rel=1e-12)


def test_asking_again_with_the_last_answer_is_the_next_result() -> None:
    first = uc.posterior(STUDY, prior=0.05)
    second = uc.posterior(STUDY, prior=first.after_positive)
    together = after_results(STUDY, PrevalenceEstimate(0.05), "++")
    assert second.after_positive.value == pytest.approx(together.value, rel=1e-12)
    assert (second.after_positive.low, second.after_positive.high) == (together.low, together.high)
    assert "one study's error" in second.after_positive.method


def test_another_study_is_another_error() -> None:
    first = uc.posterior(STUDY, prior=0.05).after_positive
    other = uc.posterior(uc.Counts(tp=91, fp=5, fn=9, tn=95), prior=first).after_positive
    same = uc.posterior(STUDY, prior=first).after_positive
    assert same.high - same.low > other.high - other.low


@pytest.mark.parametrize("results", ["++", "+++", "++-"])
def test_intervals_of_repeated_results_keep_their_level(results: str) -> None:
    rng, (se, sp), size, draws = np.random.default_rng(5), (0.8, 0.9), 80, 300
    truth = after_results(uc.Counts(tp=se, fp=1 - sp, fn=1 - se, tn=sp), PrevalenceEstimate(0.05), results).value
    held = 0
    for tp, tn in zip(rng.binomial(size, se, draws), rng.binomial(size, sp, draws), strict=True):
        found = after_results(uc.Counts(tp=tp, fp=size - tn, fn=size - tp, tn=tn), PrevalenceEstimate(0.05), results)
        held += found.low <= truth <= found.high
    assert held / draws > 0.92


def test_a_prior_of_nobody_or_everybody_stays() -> None:
    for prior in (0.0, 1.0):
        assert uc.posterior(STUDY, prior=prior).after_positive.value == prior

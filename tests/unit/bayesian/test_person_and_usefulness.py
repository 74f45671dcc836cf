"""Usefulness, expectations and small samples."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import plain_json
from unconfuse.bayesian import small_samples

cells = st.integers(0, 40)


@settings(deadline=None)
@given(cells, cells, cells, cells)
def test_all_conditions_say_the_same(tp: int, fp: int, fn: int, tn: int) -> None:
    if not tp + fp + fn + tn:
        return
    found = uc.usefulness(uc.Counts(tp=tp, fp=fp, fn=fn, tn=tn))
    assert found.is_better == (tp * tn > fp * fn)
    for each in found.conditions:
        if each.holds is None:
            assert 0 in (tp, fp, fn, tn)
            continue
        assert each.holds == found.is_better
        if abs(each.left - each.right) > 1e-9:  # by its own two numbers, away from rounding
            assert (each.left > each.right if each.sign == ">" else each.left < each.right) == each.holds, str(each)


@settings(deadline=None)
@given(cells, cells, cells, cells)
def test_the_accuracy_bound_is_equivalent_to_usefulness(tp: int, fp: int, fn: int, tn: int) -> None:
    n = tp + fp + fn + tn
    if n:
        found = uc.usefulness(uc.Counts(tp=tp, fp=fp, fn=fn, tn=tn))
        assert found.accuracy - found.accuracy_bound == pytest.approx(2 * (tp * tn - fp * fn) / n**2, abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        (uc.Counts(tp=30, fp=20, fn=10, tn=140), "better than guessing"),
        (uc.Counts(tp=5, fp=60, fn=45, tn=90), "worse than guessing"),
        (uc.Counts(tp=20, fp=50, fn=20, tn=50), "cannot tell"),
        (uc.Counts(tp=5000, fp=5000, fn=5000, tn=5000), "no better than guessing"),
        (uc.Counts(tp=0, fp=0, fn=10, tn=990), "no better than guessing"),
        (uc.Counts(tp=10, fp=990, fn=0, tn=0), "no better than guessing"),
        (uc.Counts(tp=1, fp=0, fn=0, tn=1), "cannot tell"),
        (uc.Counts(tp=3, fp=0, fn=1, tn=0), "cannot tell"),
    ],
)
def test_verdicts(counts: uc.Counts, verdict: str) -> None:
    found = uc.usefulness(counts)
    assert found.verdict == verdict
    assert found.sentence.endswith(".")
    assert found.as_dict()["verdict"] == verdict


def test_swapping_labels_swaps_the_verdict() -> None:
    one = uc.usefulness(uc.Counts(tp=30, fp=20, fn=10, tn=140))
    two = uc.usefulness(uc.Counts(tp=10, fp=140, fn=30, tn=20))
    assert (one.verdict, two.verdict) == ("better than guessing", "worse than guessing")
    assert one.youden_j.low == pytest.approx(-two.youden_j.high, abs=5e-3)


def test_a_higher_confidence_needs_more_evidence() -> None:
    counts = uc.Counts(tp=14, fp=6, fn=6, tn=11)
    assert uc.usefulness(counts, confidence_level=0.8).verdict == "better than guessing"
    assert uc.usefulness(counts, confidence_level=0.999).verdict == "cannot tell"


def test_expectations_match_a_simulation_over_thresholds() -> None:
    rng = np.random.default_rng(4)
    positive = rng.random(4000) < 0.3
    table = uc.ScoreTable.from_rows(positive, rng.normal(positive * 1.2))
    area, n = float(uc.METRICS["auroc"](table)), int(table.n)
    exact, corrected = (
        small_samples.expected_rates_of_sample(table),
        small_samples.expected_rates(table.prevalence, area, n=n),
    )
    for name, value in exact.as_dict().items():
        assert corrected.as_dict()[name] == pytest.approx(value, abs=1e-12)
        assert small_samples.expected_rates(table.prevalence, area).as_dict()[name] == pytest.approx(value, abs=1 / n)


def test_expectations_refuse_what_they_cannot_use() -> None:
    with pytest.raises(ArgumentError, match="auroc"):
        small_samples.expected_rates(0.5, 1.5)
    with pytest.raises(InputError, match="ScoreTable"):
        small_samples.expected_rates_of_sample([1, 0])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="one class only"):
        small_samples.expected_rates_of_sample(uc.ScoreTable.from_rows(np.array([True]), np.array([0.5])))


@settings(deadline=None)
@given(st.integers(1, 60), st.floats(0, 1))
def test_binomial_probabilities_by_plain_sums(n: int, p: float) -> None:
    exact = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    for k in (0, n // 2, n):
        assert small_samples.binomial_exactly(k, n, p) == pytest.approx(exact[k], abs=1e-12)
        assert small_samples.binomial_at_most(k, n, p) == pytest.approx(sum(exact[: k + 1]), abs=1e-12)
        assert small_samples.binomial_at_least(k, n, p) == pytest.approx(sum(exact[k:]), abs=1e-12)


def test_many_trials_do_not_overflow() -> None:
    assert small_samples.binomial_exactly(500_000, 1_000_000, 0.5) == pytest.approx(0.000797884, rel=1e-5)


def test_the_statement_of_the_textbook_example() -> None:
    found = small_samples.small_sample_statement(6, 10, 0.8)
    assert found.sentences[0] == (
        "A classifier that is truly right in 80% of such cases gets 6 or fewer of 10 right 12.1% of the time."
    )
    assert found.as_dict()["all_right"] == pytest.approx(0.8**10)
    assert str(found) == found.sentence


def test_surprising_rates_are_those_with_small_tails() -> None:
    found = small_samples.small_sample_statement(8, 10)
    assert found.rate == 0.8
    assert small_samples.binomial_at_least(8, 10, found.low) == pytest.approx(0.025)
    assert small_samples.binomial_at_most(8, 10, found.high) == pytest.approx(0.025)


@pytest.mark.parametrize(("successes", "words"), [(10, "below 0.692."), (0, "above 0.308.")])
def test_all_or_none_right(successes: int, words: str) -> None:
    found = small_samples.small_sample_statement(successes, 10)
    assert found.sentence.endswith(words)
    assert f"still gets {successes} of 10 right 2.5% of the time" in found.sentence


@pytest.mark.parametrize(
    "call",
    [
        lambda: small_samples.binomial_at_most(11, 10, 0.5),
        lambda: small_samples.binomial_exactly(1, 2, 1.5),
        lambda: small_samples.small_sample_statement(3, 2),
        lambda: small_samples.binomial_at_most(1.5, 10, 0.5),
    ],
)
def test_nonsense_is_refused(call: object) -> None:
    with pytest.raises(ArgumentError):
        call()  # type: ignore[operator]


def test_an_evaluation_counts_and_four_counts_say_the_same() -> None:
    cells = {"tp": 30, "fp": 20, "fn": 10, "tn": 140}
    evaluation = uc.evaluate_counts(**cells, confidence_level=0.9)
    found = [uc.usefulness(each, confidence_level=0.9).as_dict() for each in (evaluation, uc.Counts(**cells))]
    found += [uc.usefulness(evaluation).as_dict(), uc.usefulness(**cells, confidence_level=0.9).as_dict()]
    assert all(plain_json(each) == plain_json(found[0]) for each in found)


def test_where_cases_come_in_groups_the_verdict_rests_on_the_interval_of_the_evaluation() -> None:
    rng = np.random.default_rng(4)
    y, groups = np.repeat([1, 0] * 10, 10), np.repeat(np.arange(20), 10)
    s = 0.1 * y + np.repeat(rng.normal(size=20), 10)
    grouped = uc.evaluate(y, s, groups=groups, threshold=0.0, n_resamples=200)
    assert uc.usefulness(grouped).youden_j == grouped["youden_j"]
    assert uc.usefulness(grouped).verdict == "cannot tell"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: uc.usefulness(tp=1, fp=2), "missing: fn, tn"),
        (lambda: uc.usefulness(uc.Counts(tp=1, fp=2, fn=3, tn=4), tp=1), "not both"),
        (lambda: uc.usefulness([1, 2, 3, 4]), "expected an Evaluation or Counts; got list"),
    ],
)
def test_usefulness_says_what_it_takes(call: Callable[[], object], words: str) -> None:
    with pytest.raises(uc.UnconfuseError, match=words):
        call()

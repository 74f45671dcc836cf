"""Thresholds that promise a rate on new cases."""

import math

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import plain_json
from unconfuse.thresholds.fixed_sequence import GuaranteeSpec, requirement


def drawn(n, seed, shift=1.5, prevalence=0.4):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return y, y * shift + rng.normal(size=n)


def naive(y, s, rate, bound, risk):
    """Every threshold by scipy's binomial test, walked in Python."""
    y, s = np.asarray(y, dtype=bool), np.asarray(s)
    scores = sorted(set(s.tolist()), reverse=True)
    order = scores[::-1] if rate in ("sensitivity", "npv") else scores
    needed = math.ceil(math.log(risk) / math.log(bound))
    found, begun = math.nan, rate in ("sensitivity", "specificity")
    for t in order:
        labelled = s >= t
        right, among = {
            "precision": (y & labelled, labelled),
            "npv": (~y & ~labelled, ~labelled),
            "sensitivity": (y & labelled, y),
            "specificity": (~y & ~labelled, ~y),
        }[rate]
        begun = begun or among.sum() >= needed
        if not begun:
            continue
        if stats.binom.sf(right.sum() - 1, among.sum(), bound) > risk:
            break
        found = t
    return found


@pytest.mark.parametrize("rate", ["precision", "npv", "sensitivity", "specificity"])
@pytest.mark.parametrize("seed", range(6))
def test_the_walk_is_that_of_plain_binomial_tests(rate, seed):
    y, s = drawn(80, seed)
    s = np.round(s, seed % 3)  # ties too
    for bound in (0.5, 0.7, 0.9):
        found = uc.guarantee(y, s, rate, at_least=bound, probability=0.9).threshold
        wanted = naive(y, s, rate, bound, 1 - 0.9)
        assert found == wanted or (math.isnan(found) and math.isnan(wanted))


@pytest.mark.parametrize(
    ("error", "rate"),
    [
        ("false_discovery_rate", "precision"),
        ("fnr", "sensitivity"),
        ("fpr", "specificity"),
        ("false_omission_rate", "npv"),
    ],
)
def test_a_share_of_errors_is_the_same_promise(error, rate):
    y, s = drawn(300, 1)
    one = uc.guarantee(y, s, error, at_most=0.25)
    other = uc.guarantee(y, s, rate, at_least=0.75)
    assert one.threshold == other.threshold and one.cases_needed == other.cases_needed
    assert "at most 0.250" in one.sentence and "at least 0.750" in other.sentence


def truth(threshold, rate, shift=1.5, prevalence=0.4):
    tpr, fpr = stats.norm.sf(threshold - shift), stats.norm.sf(threshold)
    labelled = prevalence * tpr + (1 - prevalence) * fpr
    return {
        "precision": prevalence * tpr / labelled,
        "npv": (1 - prevalence) * (1 - fpr) / (1 - labelled),
        "sensitivity": tpr,
        "specificity": 1 - fpr,
    }[rate]


@pytest.mark.parametrize(
    ("rate", "starts"),
    [("precision", 1), ("npv", 1), ("sensitivity", 1), ("specificity", 1), ("precision", 5), ("npv", 5)],
)
def test_promises_are_kept(rate, starts):
    """Of 400 data sets, at most so many break a promise of 90% as chance allows (one in a thousand tests of this)."""
    broken = made = 0
    for seed in range(400):
        y, s = drawn(250, seed)
        found = uc.guarantee(y, s, rate, at_least=0.8, probability=0.9, n_starts=starts).threshold
        made += not math.isnan(found)
        broken += not math.isnan(found) and truth(found, rate) < 0.8
    assert made > 100
    assert broken <= stats.binom.ppf(0.999, 400, 0.1)


def test_another_prevalence_is_promised_too():
    broken = made = 0
    for seed in range(300):
        y, s = drawn(400, seed, shift=2.0)
        found = uc.guarantee(y, s, "precision", at_least=0.6, probability=0.9, prevalence=0.2).threshold
        made += not math.isnan(found)
        broken += not math.isnan(found) and truth(found, "precision", 2.0, 0.2) < 0.6
    assert made > 150 and broken <= stats.binom.ppf(0.999, 300, 0.1)


def test_with_more_starts_an_unlucky_top_ends_fewer_walks():
    short = {1: 0, 5: 0}
    for seed in range(20):
        y, s = drawn(5_000, seed, shift=1.0, prevalence=0.2)
        for starts in short:
            counts = uc.guarantee(y, s, "precision", at_least=0.5, n_starts=starts).counts
            short[starts] += counts is None or counts.labelled_positive < 100
    assert short[5] < short[1] / 2 and short[1] >= 4


def test_too_few_cases_say_how_many_could():
    y, s = [1, 1, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1]
    found = uc.guarantee(y, s, "precision", at_least=0.9)
    assert math.isnan(found.threshold) and found.observed is None and found.counts is None
    assert "too few" in found.sentence and f"{found.is_sufficient:,.0f}" in found.sentence
    times = math.ceil(found.is_sufficient / 6)
    assert not math.isnan(uc.guarantee(y * times, s * times, "precision", at_least=0.9).threshold)
    reversed_scores = uc.guarantee(y, [-each for each in s], "precision", at_least=0.9)
    assert math.isinf(reversed_scores.is_sufficient) and "no number of cases" in reversed_scores.sentence


@pytest.mark.parametrize("scores", [[0.5] * 8, [0.9] * 4 + [0.1] * 4, [0.1] * 4 + [0.9] * 4])
def test_odd_scores_have_an_answer(scores):
    for rate in ("precision", "npv", "sensitivity", "specificity"):
        found = uc.guarantee([1] * 4 + [0] * 4, scores, rate, at_least=0.5, probability=0.8)
        assert found.sentence and plain_json(found.as_dict())


def test_binned_and_merged_tables_are_ordinary():
    y, s = drawn(5_000, 2)
    table = uc.score_table(y, s)
    assert uc.guarantee(table, metric="precision", at_least=0.7).threshold == pytest.approx(
        uc.guarantee(y, s, "precision", at_least=0.7).threshold
    )
    binned = uc.guarantee(table.coarsen(50), metric="precision", at_least=0.7)
    assert binned.counts == table.counts_at(binned.threshold)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"metric": "auroc", "at_least": 0.9}, "nothing can be promised of auroc"),
        ({"metric": "precision"}, "requires `at_least`"),
        ({"metric": "precision", "at_most": 0.9}, "requires `at_least`"),
        ({"metric": "fpr", "at_least": 0.9}, "requires `at_most`"),
        ({"metric": "precision", "at_least": 1}, "strictly between 0 and 1"),
        ({"metric": "precision", "at_least": 90}, "90% is 0.9"),
        ({"metric": "precision", "at_least": 0.9, "probability": 1}, "strictly between"),
        ({"metric": "precision", "at_least": 0.9, "design": "case-control"}, "give `prevalence`"),
        ({"metric": "recall", "at_least": 0.9, "prevalence": 0.1}, "same at every prevalence"),
        ({"metric": "recall", "at_least": 0.9, "n_starts": 5}, "monotone"),
        ({"metric": "precision", "at_least": 0.9, "prevalence": 0.1, "n_starts": 5}, "one walk"),
    ],
)
def test_what_makes_no_sense_is_refused(words, told):
    with pytest.raises(ArgumentError, match=told):
        uc.guarantee([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2], **words)


@pytest.mark.parametrize(
    ("words", "told"),
    [({"weights": [0.5, 1, 1, 2]}, "fractional weights"), ({"sampling_weights": [2, 1, 1, 2]}, "sampling weights")],
)
def test_cases_that_are_no_binomial_counts_are_refused(words, told):
    with pytest.raises((ArgumentError, InputError), match=told):
        uc.guarantee([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2], "precision", at_least=0.9, **words)


def test_a_card_can_promise():
    y, s = drawn(600, 4)
    card = uc.threshold_card(y, s, promises=["precision>=70%", "fnr <= .1"], n_resamples=50)
    alone = uc.guarantee(y, s, "precision", at_least=0.7)
    assert card["promise(precision >= 0.7)"].threshold.value == alone.threshold
    assert card["promise(false negative rate <= 0.1)"].apparent["sensitivity"].value >= 0.9
    impossible = uc.threshold_card(y, s, promises=["npv>=.999"], n_resamples=50)
    assert "no threshold can promise" in impossible["promise(negative predictive value >= 0.999)"].infeasible_reason
    with pytest.raises(ArgumentError, match="each for itself"):
        uc.threshold_card(y, s, promises=["precision>=.8"], prevalence=0.1)


@pytest.mark.parametrize("text", ["precision", "precision > .9", ">=.9", "precision>=", "precision>=nine", ""])
def test_a_promise_that_cannot_be_read(text):
    with pytest.raises(ArgumentError, match="cannot read"):
        requirement(text)


def test_a_promise_in_words():
    assert str(GuaranteeSpec.parse("recall>=1e-1")) == "sensitivity >= 0.1"


def test_groups_have_no_interval_of_independent_cases():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(60), 10)
    y = rng.random(600) < 0.4
    s = rng.normal(size=600) + y
    made = uc.guarantee(y, s, "precision", at_least=0.5, groups=groups)
    both = uc.guarantee(y, s, {"precision": 0.5, "sensitivity": 0.6}, groups=groups)
    for shown in (made.observed, *both.observed.values()):
        assert (
            shown.value > 0 and np.isnan(shown.low) and shown.method.startswith("no interval: cases belong to groups")
        )
    assert made.as_dict()["observed"]["low"] is None and made.plot().axes
    alone = uc.guarantee(y, s, "precision", at_least=0.5).observed
    assert alone.low < alone.value < alone.high

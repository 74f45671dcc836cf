"""The widest gap between subgroups: values computed elsewhere, exact chance, coverage."""

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import unconfuse as uc
from unconfuse._errors import ArgumentError, UnknownNameError
from unconfuse._formatting import plain_json
from unconfuse.uncertainty.subgroup_range import critical

CASES = json.loads((Path(__file__).parents[2] / "reference" / "questions.json").read_text(encoding="utf-8"))
NAMES = {"expected_by_chance": "by_chance"}


def subgroups_of(successes, trials, **more):
    """Subgroups with these sensitivities, and ten negatives each."""
    y = np.concatenate([[1] * n + [0] * 10 for n in trials])
    s = np.concatenate([[0.9] * x + [0.1] * (n - x + 10) for x, n in zip(successes, trials, strict=True)])
    by = np.concatenate([[f"g{k}"] * (n + 10) for k, n in enumerate(trials)])
    return uc.evaluate(y, s, by=by, threshold=0.5, metrics=["sensitivity", "fpr", "auroc"], **more).subgroups


@pytest.mark.parametrize("case", [each for each in CASES if each["group"] == "gap"], ids=lambda case: case["id"])
def test_values_of_other_implementations(case):
    given, expected = case["inputs"], case["expect"]
    found = subgroups_of(given["right"], given["positives"])
    gap = found.largest_difference("sensitivity")
    assert found.ratio("sensitivity").value == pytest.approx(expected["ratio"], abs=case["tolerance"])
    for key in set(expected) - {"ratio", "critical"}:
        ours = getattr(gap, NAMES.get(key, key))
        assert ours == pytest.approx(expected[key], abs=case["tolerance"]), key
    if "critical" in expected:
        assert critical(len(given["right"]), 0.95) == pytest.approx(expected["critical"], abs=case["tolerance"])


@pytest.mark.parametrize(("groups", "level"), [(3, 0.9), (5, 0.95), (20, 0.95), (100, 0.99)])
def test_the_critical_value_is_the_studentised_range(groups, level):
    assert critical(groups, level) == pytest.approx(stats.studentized_range.ppf(level, groups, 1e9) / 2**0.5, abs=1e-5)


def test_chance_by_listing_every_outcome():
    trials, successes = [3, 4, 2], [1, 4, 1]
    pooled = sum(successes) / sum(trials)
    seen = max(x / n for x, n in zip(successes, trials, strict=True)) - 1 / 3
    mean = reached = 0.0
    for outcome in product(*(range(n + 1) for n in trials)):
        p = math.prod(stats.binom.pmf(x, n, pooled) for x, n in zip(outcome, trials, strict=True))
        rates = [x / n for x, n in zip(outcome, trials, strict=True)]
        mean += p * (max(rates) - min(rates))
        reached += p * (max(rates) - min(rates) >= seen - 1e-12)
    gap = subgroups_of(successes, trials).largest_difference("sensitivity")
    assert (gap.by_chance, gap.p_equal) == (pytest.approx(mean), pytest.approx(reached))


@pytest.mark.parametrize(
    ("rates", "n"), [((0.8,) * 10, 50), ((0.8, 0.8, 0.6), 40), ((0.95, 0.5), 15), ((0.99,) * 4, 30)]
)
def test_the_interval_holds_the_true_gap(rates, n):
    rng = np.random.default_rng(1)
    held, times = 0, 60
    for _ in range(times):
        gap = subgroups_of(rng.binomial(n, rates), [n] * len(rates)).largest_difference("sensitivity")
        held += gap.low <= max(rates) - min(rates) <= gap.high
    assert held >= stats.binom.ppf(0.001, times, 0.95)


def test_many_cases_are_drawn_and_agree_with_listing():
    """The same rates with 40 times the cases: beyond `EXACT`, chance is drawn; its error is known."""
    exact = subgroups_of([1600, 1640], [2000, 2000]).largest_difference("sensitivity")
    drawn = subgroups_of([2400, 2460], [3000, 3000]).largest_difference("sensitivity")
    assert drawn.by_chance == pytest.approx(exact.by_chance * (2 / 3) ** 0.5, rel=0.02)


def test_other_metrics_and_designs_have_a_gap_too():
    rng = np.random.default_rng(2)
    y = rng.random(600) < 0.4
    s = 1 / (1 + np.exp(-(y + rng.normal(size=600))))
    by = rng.integers(0, 4, 600)
    plain = uc.evaluate(y, s, by=by, metrics=["auroc", "f1", "sensitivity"]).subgroups
    for name in ("auroc", "f1", "sensitivity"):
        gap = plain.largest_difference(name)
        assert 0 <= gap.low <= gap.value <= gap.high and gap.bias > 0 and 0 <= gap.corrected <= gap.value
        assert plain.largest_difference(name, confidence_level=0.8).high < gap.high
        assert plain.smallest_ratio(name).low <= plain.smallest_ratio(name).value <= plain.smallest_ratio(name).high
    clustered = uc.evaluate(y, s, by=by, groups=np.arange(600) // 6, metrics=["sensitivity"], n_resamples=200).subgroups
    assert "MOVER" in clustered.largest_difference("sensitivity").method
    sampled = uc.evaluate(y, s, by=by, sampling_weights=1 + np.arange(600) % 3, metrics=["sensitivity"]).subgroups
    assert "MOVER" in sampled.largest_difference("sensitivity").method
    several = uc.evaluate(by, np.eye(4)[rng.integers(0, 4, 600)], by=y, metrics=["accuracy"]).subgroups
    assert several.largest_difference("accuracy").value >= 0
    own = uc.metric(label="Missed per 1,000", better="lower", range=(0, 1000))(lambda c: 1000 * c.fn / c.total)
    assert uc.evaluate(y, s, by=by, metrics=[own]).subgroups.largest_difference(own.name).high <= 1000


def test_equalised_odds_is_the_wider_gap():
    found = subgroups_of([10, 14, 9], [18, 16, 14])
    both = [found.largest_difference(name) for name in ("sensitivity", "fpr")]
    odds = found.equalised_odds()
    assert odds.value == max(each.value for each in both) and odds.high >= max(each.high for each in both)


def test_subgroups_without_a_value_are_named():
    y, s, by = [1, 0, 1, 0, 0, 0], [0.9, 0.2, 0.3, 0.1, 0.4, 0.6], list("aabbcc")
    gap = uc.evaluate(y, s, by=by, metrics=["sensitivity"]).subgroups.largest_difference("sensitivity")
    assert gap.left_out == ("c",) and "c left out" in gap.sentence
    one = uc.evaluate(y, s, by=list("aaaabb"), metrics=["sensitivity"]).subgroups.largest_difference("sensitivity")
    assert math.isnan(one.value) and "fewer than two" in one.undefined
    nothing = uc.evaluate(y, [0.1] * 5 + [0.6], by=list("abbaab"), metrics=["sensitivity"]).subgroups
    assert nothing.smallest_ratio("sensitivity").undefined == "values must be positive"


def test_a_gap_is_a_finding_and_strict_json():
    found = subgroups_of([20, 45, 44], [50, 50, 50])
    assert any(
        each.verdict == "different" and each.rule.startswith("The largest difference") for each in found.findings
    )
    alike = subgroups_of([45, 45, 44], [50, 50, 50])
    assert [each.verdict for each in alike.findings if each.rule.startswith("The largest difference")] == [
        "cannot tell"
    ]
    json.dumps(plain_json(found.as_dict()), allow_nan=False)
    assert found.as_dict()["gaps"]["sensitivity"]["gap"]["value"] == found.largest_difference("recall").value


def test_what_makes_no_sense_is_refused():
    found = subgroups_of([5, 6], [8, 8])
    with pytest.raises(UnknownNameError):
        found.largest_difference("nonsense")
    with pytest.raises(ArgumentError, match="confidence_level"):
        found.largest_difference("recall", confidence_level=2)

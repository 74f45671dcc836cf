"""How many cases: beside formulas derived by hand, and beside simulated studies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import unconfuse as uc
from unconfuse import METRICS, Binormal, Counts
from unconfuse.metrics import find_metric

Z, Z80, Z90 = norm.ppf(0.975), norm.ppf(0.8), norm.ppf(0.9)


def wilson_width(p, n):
    return 2 * Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)


@pytest.mark.parametrize(("p", "width", "prevalence"), [(0.9, 0.1, 0.2), (0.5, 0.04, 0.02), (0.99, 0.05, 0.7)])
def test_width_of_a_proportion_is_wilsons(p, width, prevalence):
    found = uc.plan(metric="sensitivity", sensitivity=p, width=width, prevalence=prevalence)
    assert wilson_width(p, found.n * prevalence) <= width < wilson_width(p, (found.n - 1) * prevalence)
    assert found.positives == math.ceil(found.n * prevalence - 1e-9) and found.goal == "width"
    as_spec = uc.plan(metric="specificity", specificity=p, width=width, prevalence=1 - prevalence)
    assert as_spec.n == found.n


def test_the_interval_of_the_evaluation_is_about_as_wide():
    found = uc.plan(metric="sensitivity", sensitivity=0.9, width=0.1, prevalence=0.5)
    hits = round(0.9 * found.positives)
    own = uc.evaluate_counts(tp=hits, fn=found.positives - hits, fp=0, tn=found.positives)["sensitivity"]
    assert own.high - own.low == pytest.approx(0.1, rel=0.03)


def test_power_against_a_number():
    p, null, prevalence = 0.8, 0.7, 0.2
    by_hand = ((Z * math.sqrt(null * (1 - null)) + Z80 * math.sqrt(p * (1 - p))) / (p - null)) ** 2 / prevalence
    found = uc.plan(metric="sensitivity", sensitivity=p, null=null, power=0.8, prevalence=prevalence)
    assert found.n == pytest.approx(by_hand, abs=1.5)


def test_power_to_tell_two_test_sets_apart():
    p, q, prevalence = 0.8, 0.9, 0.2
    middle = (p + q) / 2
    spread = Z * math.sqrt(2 * middle * (1 - middle)) + Z80 * math.sqrt(p * (1 - p) + q * (1 - q))
    found = uc.plan(metric="sensitivity", sensitivity=p, difference=q - p, power=0.8, prevalence=prevalence)
    assert found.n == pytest.approx(spread**2 / (q - p) ** 2 / prevalence, abs=1.5)


def test_mcnemar():
    p, q, rho = 0.8, 0.9, 0.5
    both = p * q + rho * math.sqrt(p * (1 - p) * q * (1 - q))
    apart = p + q - 2 * both
    by_hand = (Z * math.sqrt(apart) + Z80 * math.sqrt(apart - (q - p) ** 2)) ** 2 / (q - p) ** 2
    how = {"metric": "sensitivity", "sensitivity": p, "difference": q - p, "power": 0.8, "score_correlation": rho}
    found = uc.plan(prevalence=0.25, **how)
    assert found.n == pytest.approx(by_hand / 0.25, abs=2)
    random = np.random.default_rng(0)
    cells = random.multinomial(round(by_hand), [both, p - both, q - both, 1 - p - q + both], size=2000)
    wins = [binomtest(int(b), int(b + c)).pvalue for _, b, c, _ in cells if b + c]
    assert np.mean(np.array(wins) < 0.05) == pytest.approx(0.8, abs=0.08)  # the exact test is conservative


@pytest.mark.parametrize("metric", ["f1", "mcc", "accuracy", "precision", "net_benefit(0.2)"])
def test_simulated_studies_have_intervals_of_that_width(metric):
    se, sp, pi = 0.85, 0.9, 0.3
    found = uc.plan(metric=metric, sensitivity=se, specificity=sp, width=0.08, prevalence=pi)
    cells = np.random.default_rng(1).multinomial(
        found.n, [pi * se, (1 - pi) * (1 - sp), pi * (1 - se), (1 - pi) * sp], size=4000
    )
    values = find_metric(metric)(Counts(**dict(zip(("tp", "fp", "fn", "tn"), cells.T, strict=True))))
    assert 2 * Z * values.std() == pytest.approx(0.08, rel=0.04)


def test_simulated_non_inferiority():
    se, sp, pi, rho, margin = 0.8, 0.85, 0.3, 0.5, 0.05
    found = uc.plan(
        metric="accuracy",
        sensitivity=se,
        specificity=sp,
        margin=margin,
        power=0.9,
        score_correlation=rho,
        prevalence=pi,
    )
    random = np.random.default_rng(2)

    def joint(p):
        both = p * p + rho * p * (1 - p)
        return np.array([both, p - both, p - both, 1 - 2 * p + both])

    cells = random.multinomial(found.n, np.concatenate([pi * joint(se), (1 - pi) * joint(sp)]), size=4000)
    gain, loss = cells[:, [2, 6]].sum(axis=1), cells[:, [1, 5]].sum(axis=1)
    difference = (gain - loss) / found.n
    error = np.sqrt((gain + loss) / found.n - difference**2) / math.sqrt(found.n)
    assert np.mean(difference - Z * error > -margin) == pytest.approx(0.9, abs=0.025)


def test_groups_ask_for_more():
    how = {"metric": "accuracy", "sensitivity": 0.8, "specificity": 0.9, "width": 0.1, "prevalence": 0.3}
    assert uc.plan(icc=0.1, group_size=5, **how).n == math.ceil(1.4 * uc.plan(**how).n)


def test_auroc_of_normal_scores():
    """The exact variance; Obuchowski's approximation, in use elsewhere, agrees for weak models."""
    found = uc.plan(Binormal(), metric="auroc", at=0.6, null=0.5, power=0.9, prevalence=0.3)
    ratio, n1 = 0.7 / 0.3, found.n * 0.3

    def variance(area):
        a = norm.ppf(area) * 1.414
        return (0.0099 * math.exp(-(a**2) / 2)) * ((5 * a**2 + 8) + (a**2 + 8) / ratio)

    by_hand = (Z * math.sqrt(variance(0.5)) + Z90 * math.sqrt(variance(0.6))) ** 2 / 0.1**2
    assert n1 == pytest.approx(by_hand, rel=0.1)
    wide = uc.plan(Binormal(), metric="auroc", at=0.8, width=0.05, prevalence=0.3)
    kappa = uc.resolving_power(Binormal(), ["auroc"], n=wide.n, prevalence=0.3, at=0.8, method="asymptotic")["auroc"]
    assert kappa.kappa == pytest.approx(0.05, rel=0.01)


def test_same_cases_need_fewer_of_them():
    how = {"metric": "auroc", "at": 0.8, "difference": 0.05, "prevalence": 0.3}
    alone, same, closer = (uc.plan(Binormal(), score_correlation=each, **how).n for each in (0.0, 0.6, 0.9))
    assert closer < same < alone
    assert alone == pytest.approx(uc.plan(Binormal(), method="asymptotic", **how).n, rel=0.1)
    with_power = uc.plan(Binormal(), power=0.8, score_correlation=0.6, **how)
    # kappa resolves what a test with this power shows: 1.96 + .84 against 2 x 1.96 / root 2 standard deviations.
    assert with_power.n / same == pytest.approx(((Z + Z80) / (math.sqrt(2) * Z)) ** 2, rel=0.02)


def test_decisions_come_from_anything():
    counts = Counts(tp=40, fp=10, fn=10, tn=90)
    how = {"metric": "f1", "width": 0.1}
    given = uc.plan(sensitivity=0.8, specificity=0.9, prevalence=1 / 3, **how)
    assert uc.plan(counts, **how).n == uc.plan(uc.evaluate_counts(tp=40, fp=10, fn=10, tn=90), **how).n == given.n
    scores = uc.plan(Binormal(), prevalence=0.3, at=0.9, **how)
    assert "highest Youden J" in str(scores) and scores.value > 0.7
    cut = uc.plan(Binormal(), prevalence=0.3, at=0.9, threshold=2.0, **how)
    assert "threshold 2" in str(cut) and cut.n != scores.n
    own = uc.Empirical([1, 1, 1, 0, 0, 0, 1, 0], [0.9, 0.8, 0.4, 0.3, 0.2, 0.6, 0.55, 0.1])
    at_half = uc.plan(own, metric="sensitivity", width=0.2, threshold=0.5)
    assert at_half.value == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"metric": "sensitivity", "width": 0.1, "prevalence": 0.2}, "decisions are missing"),
        ({"metric": "accuracy", "sensitivity": 0.8, "width": 0.1, "prevalence": 0.2}, "`specificity` is missing"),
        ({"metric": "sensitivity", "sensitivity": 0.8, "prevalence": 0.2}, "say what is to be reached"),
        ({"metric": "sensitivity", "sensitivity": 0.8, "power": 0.8, "prevalence": 0.2}, "power to show what"),
        (
            {"metric": "f1", "sensitivity": 0.8, "specificity": 0.8, "margin": 0.1, "prevalence": 0.2},
            "goes with `power`",
        ),
        ({"metric": "sensitivity", "sensitivity": 0.8, "width": 0.1, "power": 0.8, "prevalence": 0.2}, "two goals"),
        ({"metric": "sensitivity", "sensitivity": 0.8, "width": 0.1}, "`prevalence` is missing"),
        ({"metric": "sensitivity", "sensitivity": 0.8, "width": 0.1, "prevalence": 0.2, "icc": 0.1}, "go together"),
        ({"metric": "sensitivity", "sensitivity": 0.8, "width": 0.1, "prevalence": 0.2, "n_samples": 9}, "simulation"),
        ({"metric": "auroc", "width": 0.1, "prevalence": 0.2}, "`model` is missing"),
        ({"model": Binormal(), "metric": "auroc", "prevalence": 0.2}, "say what is to be reached"),
        ({"model": Binormal(), "metric": "auroc", "prevalence": 0.2, "width": 0.1, "sensitivity": 0.9}, "decisions"),
        ({"model": Binormal(), "metric": "f1", "width": 0.1}, "`prevalence` is missing"),
        (
            {
                "metric": "sensitivity",
                "sensitivity": 0.5,
                "difference": 0.4,
                "power": 0.8,
                "prevalence": 0.2,
                "score_correlation": 0.9,
            },
            "cannot have a correlation",
        ),
    ],
)
def test_refusals(given, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.plan(**given)


def test_answers_are_plain():
    found = uc.plan(metric="mcc", sensitivity=0.8, specificity=0.9, width=0.1, prevalence=0.3)
    assert int(found) == found.n and found.as_dict()["sentence"] == str(found)
    assert list(found.to_frame().columns) == ["n", "width"] and METRICS["mcc"].name in str(found)
    widths = [width for _, width in found.curve]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("how", [{}, {"score_correlation": 0.6}, {"confidence_level": 0.9}])
def test_a_resolved_difference_has_a_stated_power(how):
    """Beside the plan that asks for that power itself."""
    found = uc.plan(uc.Binormal(), difference=0.05, prevalence=0.3, at=0.8, **how)
    assert f"power of about {found.power:.0%}" in found.sentence and found.power == found.as_dict()["power"]
    assert ("the same" in found.sentence) == ("score_correlation" in how)
    asked = uc.plan(uc.Binormal(), difference=0.05, prevalence=0.3, at=0.8, power=found.power, **how)
    assert asked.n == pytest.approx(found.n, rel=0.04)

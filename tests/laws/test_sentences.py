"""Every sentence over hundreds of generated situations: its grammar holds, its numbers are finite, and it is true."""

import itertools
import math
import re
import warnings

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import on_command_line

PREVALENCES = (0.002, 0.05, 0.3, 0.5, 0.9)
SIZES = (4, 9, 30, 200, 3000)
STRENGTHS = (-3.0, 0.0, 0.5, 2.0, 30.0)
SHAPES = ("fine", "rounded", "two values", "points", "constant")
FEW = ["auroc", "calibration_intercept", "calibration_slope", "precision"]
WRONG = (
    r"\bnan\b|\binf\b|undefined|None|\(\)|\[\]|\{|\}",  # numbers that are none
    r"  | ,| \.|\.\.(?!\.)|,,|;;|\( | \)",  # spaces and stops
    r"\b1 (?:positives|negatives|cases|are|pairs|groups|folds)\b",
    r"\b(?:[02-9]|\d\d+) (?:positive|negative|case|pair) (?!labels?\b|predictive|class)(?:and|cannot|,|:)",
    r"\b0 (?:of them|are labelled|positives|negatives)\b",
    r"_[a-z]",  # names are for those who type them
    r"on_bad_row=|baselines=|tolerance=",
)


def situations():
    """Labels and scores of every size, share, strength and shape."""
    combined = itertools.product(PREVALENCES, SIZES, STRENGTHS, SHAPES)
    for number, (share, n, strength, shape) in enumerate(combined):
        rng = np.random.default_rng(number)
        y = np.arange(n) < min(max(round(share * n), 1), n - 1)
        risk = 1 / (1 + np.exp(-(strength * (y - 0.5) + rng.normal(size=n))))
        s = {
            "fine": risk,
            "rounded": np.round(risk, 1),
            "two values": np.round(risk),
            "points": np.round(5 * risk),
            "constant": np.full(n, 0.3),
        }[shape]
        yield pytest.param(y, s, id=f"{share}-{n}-{strength}-{shape}")


SITUATIONS = list(situations())


def check_words(sentence, *, options=False):
    text = str(sentence)
    assert text[0].isupper() or text[0].isdigit(), text
    assert text[-1] in ".?", text
    shown = re.sub(r"threshold=\S+( \.\.\.\})?|threshold_card|C\(r_b\)", "it", text)  # what is to be typed
    for pattern in WRONG:
        assert not re.search(pattern, shown), (pattern, text)
    assert text.count("(") == text.count(")"), text
    assert text.count("[") == text.count("]"), text
    if options:
        assert not re.search(r"\w+=[^S]", text.split("0.5 means", maxsplit=1)[0].replace("=SCORE", "")), text


def said(findings):
    return {each.verdict: each for each in findings}


def test_there_are_many_situations():
    assert len(SITUATIONS) >= 300


@pytest.mark.parametrize(("y", "s"), SITUATIONS)
def test_findings_are_well_said_and_true(y, s):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metrics = FEW if s.max() <= 1 else ["auroc"]
        ev = uc.evaluate(y, s, metrics=metrics, n_resamples=100)
        found = ev.findings
    for each in found:
        check_words(each.sentence)
        check_words(each.rule)
        assert all(isinstance(number, float | int) and not math.isnan(number) for number in each.numbers.values())
    check_truth(ev, said(found), y, s)


def check_truth(ev, verdicts, y, s):
    """Each verdict against what the rows say, by brute force."""
    higher = (s[y][:, None] > s[~y]).mean() + 0.5 * (s[y][:, None] == s[~y]).mean()
    assert ("reversed" in verdicts) <= (higher < 0.5)
    assert ("too good" in verdicts) <= (higher == 1)
    assert ("constant" in verdicts) == (len(np.unique(s)) == 1)
    few = min(y.sum(), (~y).sum()) < 5
    assert not (
        few and {"better than guessing", "better", "worse", "cheaper than labelling none or all"} & set(verdicts)
    )
    assert ("too few cases" in verdicts) == (min(y.sum(), (~y).sum()) < 10)
    assert ("no threshold" in verdicts) == (s.max() > 1)
    if s.max() > 1:
        assert not ev.has_decisions
        return
    called = s >= ev.threshold
    se, fpr = called[y].mean(), called[~y].mean()
    assert ("better than guessing" in verdicts) <= (se > fpr)
    assert ("worse than guessing" in verdicts) <= (se < fpr)
    check_costs(verdicts.get("cheaper than labelling none or all"), y, called)
    accuracy, null = (called == y).mean(), max(y.mean(), 1 - y.mean())
    assert ("better" in verdicts) <= (accuracy > null)
    assert ("worse" in verdicts) <= (accuracy < null)
    beyond = verdicts.get("threshold out of range")
    assert (beyond is not None) == (called.all() or not called.any())
    if beyond is not None:
        assert ("above every" in beyond.sentence) == (s.max() < 0.5)
        assert ("below every" in beyond.sentence) == (s.min() > 0.5)


def check_costs(finding, y, called):
    """Just inside the bounds acting is cheapest, and just outside it is not."""
    if finding is None:
        return
    missed, alarms = (y & ~called).sum(), (~y & called).sum()

    def is_useful(ratio):
        return ratio * missed + alarms < min(ratio * y.sum(), (~y).sum())

    least, most = finding.numbers["least"], finding.numbers["most"]
    inside = math.sqrt(max(least, 1e-3) * min(most, 1e6))
    assert is_useful(inside)
    assert not (least > 0 and is_useful(0.99 * least))
    assert not (math.isfinite(most) and is_useful(1.01 * most))


@pytest.mark.parametrize(("y", "s"), SITUATIONS[::4])
def test_sentences_of_other_results(y, s):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ev = uc.evaluate(y, s, metrics=["auroc"], n_resamples=100)
        for each in uc.shift_prevalence(ev, prevalence=0.01).findings:
            check_words(each.sentence)
        card = uc.threshold_card(y, s, costs={"clinic": (1, 10)}, n_resamples=20, folds=5, repeats=1)
        for each in card.findings:
            check_words(each.sentence)
            check_words(each.rule)
        pair = uc.compare(y, {"one": s, "other": np.roll(s, 1)}, metrics=["auroc"], n_resamples=100)
        for each in (*pair.findings, pair.thresholds):
            check_words(each[0].upper() + each[1:])


@pytest.mark.parametrize(
    "cells", [*itertools.product((0, 1, 7, 300), repeat=4), (100, 899, 0, 1), (1, 30, 999, 98970), (16, 16, 184, 1800)]
)
def test_sentences_of_four_counts(cells):
    names = ("tp", "fp", "fn", "tn")
    given = dict(zip(names, cells, strict=True))
    if not sum(cells):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ev = uc.evaluate_counts(**given, metrics=["precision"])
        for each in ev.findings:
            check_words(each.sentence)
            check_words(each.rule)
        result = uc.usefulness(uc.Counts(**given))
    if "cannot be said" not in result.sentence:
        check_words(result.sentence)
    assert (result.verdict == "better than guessing") <= (cells[0] * cells[3] > cells[1] * cells[2])
    assert (result.verdict == "worse than guessing") <= (cells[0] * cells[3] < cells[1] * cells[2])


def test_verdicts_need_what_they_say():
    assert uc.usefulness(uc.Counts(tp=100, fp=899, fn=0, tn=1)).verdict == "cannot tell"
    assert uc.usefulness(uc.Counts(tp=1, fp=30, fn=999, tn=98970)).verdict == "cannot tell"
    assert uc.usefulness(uc.Counts(tp=5000, fp=5000, fn=5000, tn=5000)).verdict == "no better than guessing"


def test_a_threshold_that_was_chosen_here_is_found_out():
    rng = np.random.default_rng(1)
    y = rng.random(500) < 0.3
    s = 1 / (1 + np.exp(-(y + rng.normal(size=500))))
    best = uc.threshold_card(y, s, rules=["youden"], n_resamples=20)["youden"].threshold.value
    assert "chosen on the same data?" in said(uc.evaluate(y, s, threshold=best, metrics=["auroc"]).findings)
    for other in (None, 0.5, best + 0.1):
        assert "chosen on the same data?" not in said(uc.evaluate(y, s, threshold=other, metrics=["auroc"]).findings)


def test_predictions_that_were_given_as_scores_are_recognised():
    y = np.arange(100) < 40
    found = said(uc.evaluate(y, (np.arange(100) % 3 > 0).astype(float), metrics=["auroc"]).findings)
    assert "Pass them as `predicted=`" in found["predictions, not scores"].sentence
    with on_command_line():
        found = said(uc.evaluate(y, (np.arange(100) % 3 > 0).astype(float), metrics=["auroc"]).findings)
    assert "Pass them as --predicted COLUMN" in found["predictions, not scores"].sentence


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: uc.compare([1, 0], {"a": [0.2, 0.3]}), "--baseline majority"),
        (lambda: uc.evaluate([1, 0, 1], [2, 3, 4], metrics=["mcc"]), "--threshold SCORE"),
        (lambda: uc.evaluate([1, 2, 3], [0.1, 0.2, 0.3], positive=1), "--negative 2 --negative 3"),
        (lambda: uc.bayes(precision=0.33, prevalence=0.1, sensitivity=0.9, specificity=0.8), "--tolerance 0.005"),
    ],
)
def test_hints_are_in_the_words_of_the_surface(call, words):
    with pytest.raises(uc.UnconfuseError) as caught:
        call()
    assert words not in str(caught.value)
    with on_command_line(), pytest.raises(uc.UnconfuseError) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        *((each, "sensitivity") for each in ("recall", "tpr", "hit_rate", "power")),
        *((each, "false_positive_rate") for each in ("fpr", "fall_out", "alpha")),
        *((each, "false_negative_rate") for each in ("fnr", "beta")),
        *((each, "auroc") for each in ("auc", "roc_auc")),
        *((each, "average_precision") for each in ("ap", "auprc")),
        ("ppv", "precision"),
        ("fdr", "false_discovery_rate"),
        ("for", "false_omission_rate"),
        ("tnr", "specificity"),
        ("f1_score", "f1"),
        ("dor", "diagnostic_odds_ratio"),
        ("lr+", "lr_positive"),
        ("lr-", "lr_negative"),
        ("informedness", "youden_j"),
        ("kappa", "cohen_kappa"),
        ("eer", "equal_error_rate"),
        ("accuracy_score", "accuracy"),
    ],
)
def test_aliases_are_taken_wherever_a_name_is(alias, name):
    y, s = np.arange(60) < 20, np.linspace(1, 0, 60) ** 2
    ev = uc.evaluate(y, s, metrics=[alias])
    assert list(ev) == [name] and ev[alias].name == name and uc.METRICS[alias].name == name
    pair = uc.compare(y, {"a": s, "b": s[::-1]}, metrics=[alias], n_resamples=100)
    assert pair[alias, "a", "b"].metric == name

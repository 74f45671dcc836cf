"""One registry of rules: what is declared there is in the card, in `at=`, on the command line, on the page and in the
docs."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse.cli import cli
from unconfuse.report import payload_of
from unconfuse.thresholds import ThresholdRule, rules

sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))

RNG = np.random.default_rng(5)
Y = RNG.random(80) < 0.4
S = RNG.normal(size=80) + Y


def _kappa() -> ThresholdRule:
    curve = lambda candidates: uc.METRICS["cohen_kappa"](candidates.counts)  # noqa: E731
    return ThresholdRule("best_kappa", "Best kappa", "labels that agree most with the truth", curve)


@pytest.fixture
def added(monkeypatch):
    declared = rules.DeclaredRule(
        shown="`best_kappa`",
        chooses="largest Cohen's kappa",
        good_for="a test of the registry",
        advice="You count agreement: take Cohen's kappa{at}.",
        in_short=True,
        **rules._constant(_kappa),
    )
    monkeypatch.setattr(rules, "RULES", [*rules.RULES, declared])
    for name in ("unconfuse.report._sections", "rules_page"):
        __import__(name)
        monkeypatch.setattr(sys.modules[name], "RULES", rules.RULES)


def test_a_rule_that_is_declared_once_is_everywhere(added, tmp_path):
    card = uc.threshold_card(Y, S, n_resamples=20)
    at = card["best_kappa"].threshold.value
    best = max(np.unique(S), key=lambda t: uc.evaluate(Y, S, threshold=t, metrics=["cohen_kappa"])["cohen_kappa"].value)
    assert at == best
    assert uc.evaluate(Y, S, at="best_kappa", metrics=["mcc"]).threshold == at
    assert uc.compare(Y, {"a": S, "b": -S}, at="best_kappa", metrics=["mcc"]).settings["thresholds"]["a"] == at
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(["y,p", *(f"{int(y)},{s}" for y, s in zip(Y, S, strict=True))]) + "\n")
    data = [str(path), "--label", "y", "--score", "p", "--json"]
    for command in (["evaluate", *data, "--at", "best_kappa"], ["thresholds", *data, "--rule", "best_kappa"]):
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0 and f"{at}" in done.stdout, done.output
    page = json.loads(json.dumps(payload_of(card)))["card"]
    (shown,) = (rule for rule in page["rules"] if rule["name"] == "best_kappa")
    assert shown["in_short"] and any("Cohen's kappa (here" in line for line in page["advice"])
    from rules_page import table_of_rules

    assert "| `best_kappa` | largest Cohen's kappa | a test of the registry |" in table_of_rules()


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("youden", "Youden J"),
        ("max_f2", "Largest F2"),
        ("max_accuracy", "Largest Accuracy"),
        ("recall_at_precision", "Recall at precision >= 0.9"),
        ("precision_at_recall(.75)", "Precision at recall >= 0.75"),
        ("queue_rate(0.3)", "Queue rate 0.3"),
        ("capacity(12)", "Top 12"),
        ("cost(1, 5)", "Cheapest"),
        ("b_55", "B(r) = 0.55"),
    ],
)
def test_rules_by_name(name, label):
    ev = uc.evaluate(Y, S, at=name, metrics=["sensitivity"])
    assert ev.threshold_source == f"{label}, corrected for the choice"
    card = uc.threshold_card(Y, S, rules=[name], n_resamples=20)
    assert [point.threshold.value for point in card.values()] == [ev.threshold]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("yuoden", "unknown rule 'yuoden'"),
        ("cost", "needs costs"),
        ("capacity(500)", "`capacity` must lie between"),
        ("recall_at_precision(3)", "min_precision"),
        ("max_auroc", "no threshold is best by auroc"),
        ("promise(precision>=.9)", "unknown rule"),
    ],
)
def test_rules_that_cannot_be_had_by_name(name, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        uc.evaluate(Y, S, at=name)


def test_every_rule_of_a_card_is_declared():
    card = uc.threshold_card(Y, S, costs={"": (1, 2), "payer": (2, 1)}, maximise=["jaccard"], capacity=9, threshold=0.4)
    assert all(rules.declared_as(name) for name in card)

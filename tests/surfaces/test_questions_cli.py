"""Tests against a value, calibration, decision curves and honest thresholds on the command line; hints in options."""

import json

import click
import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.cli import COMMANDS, cli
from unconfuse.curves import CURVES
from unconfuse.demo import animals_path, patients_path

FILE = (str(patients_path()), "--label", "outcome", "--positive", "yes")
DATA = {"label": "outcome", "positive": "yes"}
FEW = ("--metric", "auroc", "--metric", "sensitivity")


def test_a_metric_is_tested_against_a_value(run):
    done = run("evaluate", *FILE, "--score", "risk", *FEW, "--null", "auroc=.92", "--null", "sensitivity", "--json")
    tests = json.loads(done.stdout)["tests"]
    ev = uc.evaluate(patients_path(), score="risk", metrics=["auroc", "sensitivity"], **DATA)
    assert [each["p_value"] for each in tests] == [
        ev["auroc"].p_value_against(0.92),
        ev["sensitivity"].p_value_against(),
    ]
    assert tests[1]["null"] == pytest.approx(ev["sensitivity"].baseline)


def test_a_test_says_what_it_found(run):
    shown = run("counts", "--tp", 141, "--fp", 0, "--fn", 67, "--tn", 31, "--null", "sensitivity=75%").stdout
    assert "is below 0.750, by more than chance would give (p = 0.019)" in " ".join(shown.split())
    shown = run("counts", "--tp", 141, "--fp", 0, "--fn", 67, "--tn", 31, "--null", "specificity=.95").stdout
    assert "could be 0.950" in " ".join(shown.split())


@pytest.mark.parametrize("more", [("--by", "site"), ("--format", "csv"), ("--explain", "auprc")])
def test_where_nothing_is_tested_it_is_refused(run, more):
    done = run("evaluate", *FILE, "--score", "risk", *FEW, "--null", "auroc=.9", *more)
    assert done.exit_code == 2 and "--null" in done.stderr


def test_calibration(run, tmp_path):
    own = uc.evaluate(patients_path(), score="risk", metrics=["brier"], **DATA).calibration
    done = json.loads(run("calibration", *FILE, "--score", "risk", "--json").stdout)
    assert done["sentence"] == own.sentence and done["n"] == 2400
    shown = run("calibration", *FILE, "--score", "risk", "--plot", tmp_path / "r.png").stdout
    assert f"{own.slope.value:.3f}" in shown and "Spiegelhalter" in shown
    assert (tmp_path / "r.png").stat().st_size > 10_000
    assert "probabilities" in run("calibration", *FILE, "--score", "rule").stderr


def test_decision_curves_are_compared(run):
    models = ("--score", "risk", "--score", "lab", "--decision-curve")
    done = json.loads(run("compare", *FILE, *models, "--json").stdout)
    own = uc.compare(patients_path(), score=["risk", "lab"], metrics=["auroc"], **DATA).decision_curve()
    (told,) = done["decision_curves"]
    assert told["sentence"] == own.sentence
    assert np.allclose([row["difference"] for row in told["rows"]], own.band.y)
    shown = run("compare", *FILE, *models).stdout
    assert "threshold probabilities" in shown and "0.05" in shown
    assert "--metric" in run("compare", *FILE, *models, "--metric", "auroc").stderr


def test_a_rule_cuts_honestly(run):
    done = json.loads(run("evaluate", *FILE, "--score", "rule", "--at", "youden", *FEW, "--json").stdout)
    own = uc.evaluate(patients_path(), score="rule", at="youden", metrics=["sensitivity"], **DATA)
    assert done["metrics"]["sensitivity"]["value"] == own["sensitivity"].value
    both = uc.compare(patients_path(), score=["rule", "lab"], at="youden", metrics=["sensitivity"], **DATA)
    assert both.settings["thresholds"]["rule"] == own.threshold  # the same choice; two models are cross-fitted
    assert both["sensitivity", "rule", "lab"].first_value == pytest.approx(own["sensitivity"].value, abs=0.02)
    assert not any("chosen on" in each.verdict for each in own.findings)


def test_a_rule_and_a_threshold_are_too_much(run):
    with pytest.raises(ArgumentError, match="cannot be combined"):
        uc.evaluate([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.3], threshold=0.5, at="youden")
    done = run("evaluate", *FILE, "--score", "risk", "--at", "youden", "--threshold", ".1")
    assert done.exit_code == 2 and "--threshold and --threshold-rule" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "sqlite:///nothing.db"),
        ("evaluate", *FILE, "--score", "risk", "--reference", "female"),
        ("evaluate", *FILE, "--score", "nothing"),
        ("gate", *FILE, "--score", "risk"),
        ("bayes", "--prevalence", ".1", "--sensitivity", ".9", "--precision", ".05", "--npv", ".2"),
        ("bayes", "--sensitivity", ".9"),
        (
            "guarantee",
            *FILE,
            "--score",
            "risk",
            "--metric",
            "precision",
            "--at-least",
            ".4",
            "--design",
            "case-control",
        ),
        ("evaluate", str(patients_path()), "--label", "site", "--score", "risk"),
        ("evaluate", str(patients_path()), "--label", "age", "--score", "risk", "--positive", "70"),
        ("compare", *FILE, "--score", "risk", "--score", "rule", "--metric", "mcc"),
    ],
    ids=lambda command: command[0],
)
def test_hints_speak_of_options(run, command):
    done = run(*command)
    assert done.exit_code == 2, done.stdout
    hint = done.stderr.partition("Hint:")[2]
    assert hint and not any(sign in hint for sign in ("='", "=[", "(...", "uc.", "=...", "=`", "`evaluate", "`by`"))


def test_slices_are_those_of_the_api(run):
    columns = ("--by", "site", "--by", "sex")
    done = json.loads(run("slices", *FILE, "--score", "risk", *columns, "--metric", "sensitivity", "--json").stdout)
    own = uc.find_slices(patients_path(), score="risk", by=["site", "sex"], metric="sensitivity", **DATA)
    assert done == json.loads(json.dumps(own.as_dict()))
    shown = " ".join(run("slices", *FILE, "--score", "risk", *columns, "--metric", "sensitivity").stdout.split())
    assert own.sentence in shown and "among those held out" in shown
    assert run("slices", *FILE, "--score", "risk").exit_code == 2
    assert "--by" in run("slices", *FILE, "--score", "risk").stderr


def test_the_verdict_comes_first_for_several_classes_too(run):
    shown = run("evaluate", animals_path(), "--label", "animal", "--scores", "new_*").stdout
    assert (
        shown.index("Better than guessing") < shown.index("Balanced accuracy") < shown.index("The commonest confusions")
    )


def test_costs_are_shown_where_they_were_given(run):
    done = run("thresholds", *FILE, "--score", "risk", "--costs", "clinic=1:20", "--rule", "youden", "--resamples", 20)
    head = next(line for line in done.stdout.splitlines() if line.startswith("rule"))
    assert "cost clinic" in head
    card = uc.threshold_card(
        patients_path(), score="risk", costs={"clinic": (1, 20)}, rules=["youden"], n_resamples=20, **DATA
    )
    counts = card["youden"].counts
    assert f"{(counts.fp + 20 * counts.fn) / counts.total:.3f}" in done.stdout
    plain = run("thresholds", *FILE, "--score", "risk", "--rule", "youden", "--resamples", 20).stdout
    assert "cost" not in next(line for line in plain.splitlines() if line.startswith("rule"))


def test_options_come_in_groups(run):
    shown = run("evaluate", "--help").stdout
    places = [shown.index(f"\n{title}:\n") for title in ("Options", "Data", "Uncertainty", "Output")]
    assert places == sorted(places)
    where = {each: shown.index(f"\n  {each} ") for each in ("--threshold", "--label", "--confidence-level", "--html")}
    assert (
        where["--threshold"]
        < places[1]
        < where["--label"]
        < places[2]
        < where["--confidence-level"]
        < places[3]
        < where["--html"]
    )


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("completion", "schema")])
def test_every_help_has_an_example(run, name):
    assert f"  unconfuse {name} " in run(name, "--help").stdout


def test_o_is_output_everywhere(run, tmp_path):
    for name in COMMANDS:
        parameters = cli.get_command(click.Context(cli), name).params
        for each in parameters:
            assert "--output" not in each.opts or "-o" in each.opts, name
    run("counts", "--tp", 9, "--fp", 1, "--fn", 2, "--tn", 8, "-o", tmp_path / "out.txt")
    assert "Sensitivity" in (tmp_path / "out.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
@pytest.mark.parametrize("name", CURVES)
def test_every_curve_has_its_bands(run, name, kind):
    told = run("curve", *FILE, "--score", "risk", "--curve", name, "--band", kind, "--resamples", 100, "--json")
    found, ev = json.loads(told.stdout), uc.evaluate(patients_path(), score="risk", metrics=["auroc"], **DATA)
    own = ev.band(name, kind=kind, n_resamples=100)
    assert found["kind"] == kind and len(found["points"]) == len(own.x)
    assert [each["high"] for each in found["points"]] == pytest.approx(own.high.tolist())

"""`thresholds`, `apply` and `indistinguish` on the command line: the API's numbers, refusals in one message."""

import csv
import io
import json

import numpy as np
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse.cli import cli

rng = np.random.default_rng(5)
Y = rng.random(300) < 0.3
S = np.round(np.clip(rng.normal(0.35 + 0.25 * Y, 0.18), 0, 1), 3)
QUICK = ["--resamples", "50"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cases.csv"
    lines = [f"c{i},{'yes' if y else 'no'},{s}" for i, (y, s) in enumerate(zip(Y, S, strict=True))]
    path.write_text("\n".join(["id,outcome,risk", *lines]) + "\n")
    return str(path)


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments])


def options(file):
    return [file, "--label", "outcome", "--score", "risk", "--positive", "yes"]


def test_json_equals_the_api(file):
    result = run("thresholds", *options(file), "--cost-fp", 1, "--cost-fn", 10, *QUICK, "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    card = uc.threshold_card(Y, S, costs=(1, 10), n_resamples=50)
    assert list(said["rules"]) == list(card)
    for name, point in card.items():
        assert said["rules"][name]["threshold"]["value"] == pytest.approx(point.threshold.value)
        assert said["rules"][name]["metrics"]["youden_j"]["value"] == pytest.approx(point.metrics["youden_j"].value)


def test_groups_reach_the_card_and_are_refused_where_nothing_knows_them(tmp_path):
    path = tmp_path / "groups.csv"
    lines = [f"g{i // 3},{'yes' if y else 'no'},{s}" for i, (y, s) in enumerate(zip(Y, S, strict=True))]
    path.write_text("\n".join(["clinic,outcome,risk", *lines]) + "\n")
    said = json.loads(run("thresholds", *options(str(path)), "--group", "clinic", *QUICK, "--json").stdout)
    card = uc.threshold_card(Y, S, groups=[f"g{i // 3}" for i in range(len(Y))], n_resamples=50)
    shown = said["rules"]["youden"]["metrics"]["sensitivity"]
    assert said["settings"]["groups"] == card.settings["groups"]
    assert (shown["low"], shown["high"]) == (
        card["youden"].metrics["sensitivity"].low,
        card["youden"].metrics["sensitivity"].high,
    )
    alike = run("indistinguish", *options(str(path)), "--group", "clinic", "--resamples", "100", "--json").stdout
    assert "whole groups" in json.loads(alike)["levels"][0]["precision"]["method"]
    for command in ("resolve", "table"):
        more = ["-o", tmp_path / "t.parquet"] if command == "table" else []
        refused = run(command, *options(str(path)), "--group", "clinic", *more)
        assert refused.exit_code == 2 and "group" in refused.stderr, command


@pytest.mark.parametrize("form", ["table", "csv", "markdown"])
def test_every_form_shows_every_rule(file, form):
    costs = ["--costs", "clinic=1:10", "--costs", "payer=5:1"]
    result = run("thresholds", *options(file), *costs, *QUICK, "--format", form)
    assert result.exit_code == 0, result.output
    flat = " ".join(result.stdout.split())
    assert "Youden J" in flat
    assert "clinic" in flat
    assert "payer" in flat


def test_a_card_labels_new_rows(file, tmp_path):
    card = tmp_path / "card.json"
    assert run("thresholds", *options(file), *QUICK, "--rule", "youden", "--export", card).exit_code == 0
    result = run("apply", card, file, "--score", "risk", "--id", "id", "--label", "outcome")
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    threshold = uc.read_card(card)["youden"].threshold.value
    assert [row["id"] for row in rows] == [f"c{i}" for i in range(300)]
    assert [int(row["labelled_positive"]) for row in rows] == (threshold <= S).astype(int).tolist()
    assert result.stderr == ""


@pytest.mark.filterwarnings("default::unconfuse.thresholds.DriftWarning")
def test_drift_is_noted_on_standard_error(file, tmp_path):
    card, moved = tmp_path / "card.json", tmp_path / "moved.csv"
    run("thresholds", *options(file), *QUICK, "--rule", "youden", "--export", card)
    moved.write_text("risk\n" + "\n".join(f"{each:.3f}" for each in np.minimum(S + 0.3, 1)) + "\n")
    result = run("apply", card, moved, "--score", "risk")
    assert result.exit_code == 0
    assert "share labelled positive" in result.stderr
    assert result.stdout.startswith("row,risk,labelled_positive\n1,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cost-fp", "1"], "belong together"),
        (["--costs", "clinic"], "NAME=FP:FN"),
        (["--rule", "yuoden"], "'youden'"),
        (["--min-precision", "90"], "90% is 0.9"),
        (["--capacity", "100000"], "capacity"),
    ],
)
def test_wrong_use_is_one_message_and_code_2(file, arguments, message):
    result = run("thresholds", *options(file), *QUICK, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_card_with_several_rules_asks_which(file, tmp_path):
    card = tmp_path / "card.json"
    run("thresholds", *options(file), *QUICK, "--export", card)
    result = run("apply", card, file, "--score", "risk")
    assert result.exit_code == 2
    assert "which rule?" in result.stderr
    broken = tmp_path / "broken.json"
    broken.write_text("[1]")
    assert run("apply", broken, file, "--score", "risk").exit_code == 2


def test_indistinguish_equals_the_api(file):
    result = run("indistinguish", *options(file), "--level", ".5", "--level", ".4", "--json")
    assert result.exit_code == 0, result.output
    first = json.loads(result.stdout)["levels"][0]
    found = uc.indistinguishability(Y, S)
    assert first["precision"]["value"] == pytest.approx(found.precision.value)
    assert first["threshold"]["low"] == pytest.approx(found.threshold.low)
    assert "of the labelled are real" in run("indistinguish", *options(file)).stdout.replace("\n", " ")


def test_a_guarantee_equals_the_api(file):
    result = run("guarantee", *options(file), "--metric", "ppv", "--at-least", "50%", "--json")
    assert result.exit_code == 0, result.output
    found, said = uc.guarantee(Y, S, "precision", at_least=0.5), json.loads(result.stdout)
    assert said["threshold"] == found.threshold and said["sentence"] == found.sentence
    shown = run("guarantee", *options(file), "--metric", "fnr", "--at-most", "10%")
    assert "false negative rate is at most 0.100" in " ".join(shown.stdout.split())
    table = run("guarantee", *options(file), "--at-least", 0.5, "--format", "csv")
    assert len(table.stdout.splitlines()) == len(set(S.tolist())) + 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--metric", "mcc", "--at-least", "0.5"], "nothing can be promised"),
        ([], "requires"),
        (["--at-most", ".5"], "requires"),
    ],
)
def test_a_guarantee_that_makes_no_sense(file, words, told):
    result = run("guarantee", *options(file), *words)
    assert result.exit_code == 2 and told in result.output


def test_a_card_promises_on_the_command_line(file):
    result = run("thresholds", *options(file), "--promise", "precision>=.5", *QUICK, "--json")
    assert result.exit_code == 0, result.output
    assert "promise(precision >= 0.5)" in json.loads(result.stdout)["rules"]

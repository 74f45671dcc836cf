"""`compare`, and the pictures and explanations of `evaluate`, on the command line."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import unconfuse as uc


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two models that differ, and a copy of the first, on 200 cases."""
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.4
    good = np.round(1 / (1 + np.exp(0.8 - 2 * y - rng.normal(size=200))), 3)
    poor = np.round(rng.random(200), 3)
    clinic = np.arange(200) // 5
    path = tmp_path_factory.mktemp("compare") / "two.csv"
    lines = ["ill,good,poor,twin,clinic"] + [
        f"{'yes' if a else 'no'},{b},{c},{b},{d}" for a, b, c, d in zip(y, good, poor, clinic, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return {"path": path, "y": y, "good": good, "poor": poor}


def command(data, *more, models=("good", "poor")):
    scores = [word for name in models for word in ("--score", name)]
    return ("compare", data["path"], "--label", "ill", "--positive", "yes", *scores, "--resamples", 200, *more)


def strict(text):
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_every_form_shows_the_numbers_of_the_library(run, data):
    wanted = uc.compare(data["y"], {"good": data["good"], "poor": data["poor"]}, n_resamples=200)
    forms = {form: run(*command(data), "--format", form) for form in ("table", "json", "csv", "markdown")}
    assert {form: result.exit_code for form, result in forms.items()} == dict.fromkeys(forms, 0)
    payload = strict(forms["json"].stdout)
    assert strict(run(*command(data), "--json").stdout) == payload
    assert payload["models"] == ["good", "poor"] and payload["n"] == 200
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(forms["csv"].stdout))}
    for each in payload["differences"]:
        found = wanted[each["metric"], "good", "poor"]
        assert each["difference"] == pytest.approx(found.difference.value)
        assert (each["p_value"], each["verdict"]) == (pytest.approx(found.p_value), found.verdict)
        assert float(rows[each["metric"]]["low"]) == pytest.approx(found.difference.low)
        assert found.label in forms["markdown"].stdout
        assert found.label.split(" (")[0] in forms["table"].stdout
    assert "good is better than poor" in forms["table"].stdout.replace("\n", " ")
    assert max(map(len, forms["table"].stdout.splitlines())) <= 100


def test_one_metric_one_reference_baselines_and_margin(run, data):
    done = run(
        *command(
            data,
            "--metric",
            "auroc",
            "--baseline",
            "majority",
            "--baseline",
            "constant",
            "--reference",
            "good",
            "--margin",
            0.05,
            "--adjust",
            "holm",
            "--json",
        )
    )
    payload = strict(done.stdout)
    pairs = {(each["first"], each["second"]): each for each in payload["differences"]}
    assert set(pairs) == {("poor", "good"), ("majority", "good"), ("constant", "good")}
    assert {each["metric"] for each in payload["differences"]} == {"auroc"}
    assert pairs["majority", "good"]["first_value"] == 0.5
    assert pairs["poor", "good"]["verdict"] == "worse" and pairs["poor", "good"]["not_worse"] is False
    assert payload["margin"] == 0.05 and payload["adjust"] == "holm"
    shown = run(*command(data, "--metric", "auroc", "--baseline", "majority")).stdout
    assert "adjusted for 3 pairs" in shown.replace("\n", " ")


def test_a_model_beside_its_copy(run, data):
    shown = run(*command(data, "--metric", "auroc", models=("good", "twin")))
    assert shown.exit_code == 0 and "good and twin have the same value on these cases" in shown.stdout.replace(
        "\n", " "
    )


def test_groups(run, data):
    payload = strict(run(*command(data, "--group", "clinic", "--metric", "auroc", "--json")).stdout)
    assert payload["design"] == "clustered"


def test_seed_level_and_threshold_reach_the_numbers(run, data):
    base, other, level, cut = (
        strict(run(*command(data, "--metric", "f1", *more, "--json")).stdout)["differences"][0]
        for more in ((), ("--seed", 5), ("--level", 0.5), ("--threshold", 0.3))
    )
    assert other["low"] != base["low"] and other["difference"] == base["difference"]
    assert level["high"] - level["low"] < base["high"] - base["low"]
    assert cut["first_value"] != base["first_value"]


def test_output_file(run, data, tmp_path):
    target = tmp_path / "result.json"
    done = run(*command(data, "--metric", "auroc", "--json", "--output", target))
    assert done.exit_code == 0 and strict(target.read_text())["models"] == ["good", "poor"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--metric", "aurok"), "auroc"),
        (("--margin", "-1"), "margin"),
        (("--reference", "nobody"), "nobody"),
        (("--baseline", "best"), "baseline"),
        (("--resamples", "1"), "--resamples"),
        (("--level", "2"), "level"),
        (("--score", "absent"), "absent"),
        (("--adjust", "none"), "adjust"),
    ],
)
def test_wrong_use_is_one_clear_message(run, data, more, message):
    done = run(*command(data, *more))
    assert done.exit_code == 2 and message in done.stderr and "Traceback" not in done.stderr
    assert not done.stdout


def test_one_model_is_not_enough(run, data):
    done = run(*command(data, models=("good",)))
    assert done.exit_code == 2 and "two models" in done.stderr


# Pictures and explanations of `evaluate` -----------------------------------------------------------------------------


def drawn(run, data, target):
    words = ["--label", "ill", "--positive", "yes", "--score", "good", "--metric", "auroc"]
    return run("evaluate", data["path"], *words, "--plot", target)


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_plot(run, data, tmp_path, ending, start):
    pytest.importorskip("matplotlib").use("Agg")
    target = tmp_path / f"picture.{ending}"
    done = drawn(run, data, target)
    assert done.exit_code == 0 and "AUROC" in done.stdout
    assert target.read_bytes().startswith(start) and target.stat().st_size > 8_000


@pytest.mark.parametrize(("name", "hint"), [("picture.xyz", ".svg"), ("no/such/folder/picture.png", "the folder")])
def test_a_picture_that_cannot_be_written(run, data, tmp_path, name, hint):
    pytest.importorskip("matplotlib").use("Agg")
    done = drawn(run, data, tmp_path / name)
    assert done.exit_code == 2 and "cannot be written" in done.stderr and hint in done.stderr
    assert "Traceback" not in done.stderr and not list(tmp_path.iterdir())


def test_explain_shows_what_each_tool_would_say(run):
    """Three positives of ten, one of them alone at the top: four numbers go by one name."""
    rows = "y,s\n" + "".join(f"{int(i < 3)},{5 if i == 0 else 0}\n" for i in range(10))
    common = ("evaluate", "-", "--label", "y", "--score", "s", "--threshold", 1, "--explain", "auprc")
    shown = run(*common, input=rows)
    assert shown.exit_code == 0
    for number, tool in (("0.533", "scikit-learn"), ("0.614", "PRROC"), ("0.671", "Davis"), ("0.767", "yardstick")):
        assert number in shown.stdout and tool in shown.stdout
    entries = strict(run(*common, "--json", input=rows).stdout)["entries"]
    assert {0.533, 0.614, 0.671, 0.767} <= {round(each["value"], 3) for each in entries}
    unknown = run(*common[:-1], "nothing", input=rows)
    assert unknown.exit_code == 2 and "auprc" in unknown.stderr


def test_every_metric_is_in_the_json_of_evaluate(run, data):
    done = run(
        "evaluate", data["path"], "--label", "ill", "--positive", "yes", "--score", "good", "--resamples", 100, "--json"
    )
    values = strict(done.stdout)["metrics"]
    assert list(values) == list(uc.METRICS)
    for name, each in values.items():
        assert each["undefined"] or each["low"] is not None or "design" in each["method"], name


def test_published_tables_and_two_files(run, tmp_path):
    """Models with cases of their own: from counts, and from files with the same columns."""
    counted = run("compare", "--counts", "a=90,30,10,170", "--counts", "b=70,10,30,190", "--json")
    assert counted.exit_code == 0, counted.output
    found = strict(counted.stdout)
    assert found["paired"] is False and {each["metric"] for each in found["differences"]} >= {"sensitivity", "mcc"}
    files, page = [tmp_path / "one.csv", tmp_path / "two.csv"], tmp_path / "page.html"
    for each in files:
        each.write_text("y,p\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.6\n1,0.8\n0,0.1\n" * 5, encoding="utf-8")
    both = run("compare", files[0], "--against", files[1], "--label", "y", "--score", "p", "--html", page)
    assert both.exit_code == 0 and "its own cases" in both.stdout and page.exists(), both.output
    for wrong in (
        ["--counts", "a=1,2"],
        ["--counts", "a=1,2,3,x"],
        [files[0], "--against", files[0], "--score", "p"],
        [],
    ):
        refused = run("compare", *wrong)
        assert refused.exit_code == 2 and "Traceback" not in refused.output

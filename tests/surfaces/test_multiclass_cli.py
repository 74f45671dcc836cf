"""Several classes on the command line."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc
from unconfuse.demo import animals_path

FILE = str(animals_path())
NEW = ["evaluate", FILE, "--label", "animal", "--scores", "new_*"]
MATRIX = ",cat,dog,fox\ncat,50,3,2\ndog,10,30,5\nfox,0,4,16\n"


def test_every_declared_metric_is_shown_with_its_number(run):
    done = run(*NEW, "--json", "--resamples", 200)
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    unordered = [name for name, each in uc.MULTICLASS_METRICS.items() if not each.requires.ordinal]
    assert list(said["metrics"]) == unordered

    ev = uc.evaluate(pd.read_csv(FILE), label="animal", scores="new_*", n_resamples=200)
    for name, each in said["metrics"].items():
        assert each["value"] == pytest.approx(ev[name].value, rel=1e-12)
        assert each["low"] == pytest.approx(ev[name].low, rel=1e-12)
    assert said["classes"] == ["cat", "dog", "fox", "owl"] and said["n"] == 800
    assert np.array(said["confusion"]).tolist() == ev.confusion.counts.tolist()
    assert len(said["per_class"]) == 4 and said["findings"] and said["worst_confusions"]


def test_terminal_output_fits_and_says_the_worst_confusions(run):
    done = run(*NEW, "--resamples", 200)
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= 100
    for words in (
        "were labelled",
        "True class (rows)",
        "Each class vs the rest",
        "above that of always predicting 'cat'",
    ):
        assert words in done.stdout


@pytest.mark.parametrize("form", ["csv", "markdown", "json", "table"])
def test_forms(run, form, tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text(MATRIX)
    done = run("counts", "--matrix", path, "--format", form)
    assert done.exit_code == 0, done.output
    assert "0.8" in done.stdout
    if form != "csv":
        assert "dog" in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        MATRIX,
        "cat,dog,fox\n50,3,2\n10,30,5\n0,4,16\n",
        "50;3;2\n10;30;5\n0;4;16\n",
        "cat,50,3,2\ndog,10,30,5\nfox,0,4,16\n",
    ],
)
def test_matrix_files_with_and_without_names(run, text, tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    said = json.loads(run("counts", "--matrix", path, "--json").stdout)
    assert said["metrics"]["accuracy"]["value"] == pytest.approx(0.8)
    assert said["classes"] == (["cat", "dog", "fox"] if "cat" in text else ["0", "1", "2"])


def test_predicted_labels_and_a_chosen_metric(run, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("y,said\n" + "a,a\nb,b\nc,b\n" * 20)
    done = run(
        "evaluate",
        path,
        "--label",
        "y",
        "--predicted",
        "said",
        "--metric",
        "npv_macro",
        "--metric",
        "accuracy",
        "--json",
    )
    said = json.loads(done.stdout)
    assert list(said["metrics"]) == ["npv_macro", "accuracy"]
    assert said["metrics"]["accuracy"]["value"] == pytest.approx(2 / 3)
    assert any("never predicted" in each["sentence"] for each in said["findings"])


@pytest.fixture
def visits(tmp_path):
    """The animals, seen by two people, as a file and as a database."""
    frame = pd.read_csv(FILE).assign(who=["Ann", "Bob", "Bob", "Ann"] * 200)
    frame.to_csv(tmp_path / "visits.csv", index=False)
    with sqlite3.connect(tmp_path / "visits.db") as database:
        frame.to_sql("visits", database, index=False)
    return frame, tmp_path / "visits.csv", f"sqlite:///{tmp_path / 'visits.db'}"


def test_subgroups_of_several_classes_and_of_one(run, visits, tmp_path):
    frame, file, _ = visits
    by = ["--label", "animal", "--scores", "new_*", "--by", "who", "--resamples", 100]
    result = uc.evaluate(frame, label="animal", scores="new_*", by="who", n_resamples=100).subgroups
    said = json.loads(run("evaluate", file, *by, "--json").stdout)
    assert said["subgroups"]["Ann"]["metrics"]["accuracy"]["low"] == result["Ann"]["accuracy"].low
    page = tmp_path / "page.html"
    drawn = run("evaluate", file, *by, "--html", page).stdout
    assert "new of" in drawn and "4 classes" in drawn and "positives" not in drawn and "Bob" in page.read_text("utf-8")
    one = json.loads(run("evaluate", file, *by, "--class", "cat", "--reference", "Bob", "--json").stdout)
    assert one["reference"] == "Bob"
    assert one["subgroups"]["Ann"]["positives"] == ((frame.who == "Ann") & (frame.animal == "cat")).sum()


def test_several_classes_from_a_database(run, visits):
    _, file, address = visits
    wanted = ["--label", "animal", "--scores", "new_*", "--metric", "accuracy", "--metric", "auroc_hand_till", "--json"]
    from_file, from_database = run("evaluate", file, *wanted), run("evaluate", address, "--table", "visits", *wanted)
    assert from_database.exit_code == 0, from_database.output
    first, second = (json.loads(each.stdout)["metrics"] for each in (from_file, from_database))
    for name, each in first.items():  # sums in another order
        assert second[name]["value"] == pytest.approx(each["value"], abs=1e-12)
        assert second[name]["low"] == pytest.approx(each["low"], abs=1e-12)


def test_compare_patterns(run):
    done = run("compare", FILE, "--label", "animal", "--scores", "new_*", "--scores", "old_*", "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["models"] == ["new", "old"]
    assert all(each["verdict"] == "better" for each in said["differences"])
    table = run("compare", FILE, "--label", "animal", "--scores", "new_*", "--scores", "old_*")
    assert "4 classes" in table.stdout and max(map(len, table.stdout.splitlines())) <= 100


def test_picture(run, tmp_path):
    done = run(*NEW, "--plot", tmp_path / "c.png", "--resamples", 100)
    assert done.exit_code == 0 and (tmp_path / "c.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evaluate", FILE, "--label", "animal", "--scores", "nope_*"], "no columns match 'nope_*'"),
        (["evaluate", FILE, "--label", "animal", "--scores", "new_cat,new_dog"], "none of the classes"),
        ([*NEW, "--positive", "cat"], "--positive is for two classes"),
        ([*NEW, "--threshold", "0.5"], "--threshold is for two classes"),
        ([*NEW, "--score", "new_cat"], "--score is for two classes"),
        ([*NEW, "--prevalence", ".1"], "--prevalence is for two classes"),
        ([*NEW, "--class", "cat", "--sort", "support"], "which is not shown here"),
        ([*NEW, "--reference", "cat"], "--reference names a subgroup"),
        (["evaluate", FILE, "--sort", "support"], "--sort needs the scores or the predicted labels"),
        (["evaluate", FILE, "--class", "cat"], "--class needs the scores or the predicted labels"),
        (["compare", FILE, "--label", "animal", "--scores", "new_*", "--threshold", ".5"], "--threshold is for two"),
        (["counts", "--class", "cat"], "--class goes with --matrix"),
        ([*NEW, "--sort", "size"], "cannot be sorted by 'size'"),
        ([*NEW, "--metric", "auroc"], "metric of two classes"),
        (["evaluate", FILE, "--label", "animal", "--predicted", "nothing"], "no column 'nothing'"),
        (["compare", FILE, "--label", "animal"], "Missing option '--score'"),
        (["compare", FILE, "--label", "animal", "--scores", "new_*", "--scores", "new_*"], "the same model"),
        (["counts", "--tp", "3"], "Missing option '--fp'"),
        (["counts", "--matrix", "absent.csv"], "cannot be read"),
    ],
)
def test_wrong_use_gives_one_message_and_exit_2(run, arguments, words):
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2\n3\n", "different lengths"),
        ("1,2,3\n4,5,6\n", "square"),
        ("1,-2\n3,4\n", "negative"),
        ("1,2.5\n3,4\n", "fractional"),
        ("a,b\na,1,x\nb,3,4\n", "is not a count"),
        ("", "is empty"),
        (",a,b\nb,1,2\na,3,4\n", "name different classes"),
    ],
)
def test_bad_matrix_files(run, text, words, tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    done = run("counts", "--matrix", path)
    assert done.exit_code == 2 and words in done.stderr, done.output


def test_names_are_text(run, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,p_\x1b[31m,p_<b>\n" + "<b>,0.2,0.8\n\x1b[31m,0.7,0.3\n" * 30)
    done = run("evaluate", path, "--label", "y", "--scores", "p_*", "--resamples", 100)
    assert done.exit_code == 0 and "\x1b" not in done.stdout


def test_metrics_are_listed_and_explained(run):
    listed = run("metrics", "--classes")
    assert listed.exit_code == 0
    for name, metric in uc.MULTICLASS_METRICS.items():
        assert name in listed.stdout
        one = run("metrics", name, "--classes")
        assert one.exit_code == 0 and metric.label in one.stdout
    assert "Top-3 accuracy" in run("metrics", "top_k_accuracy(3)", "--classes").stdout
    assert "several classes" in run("metrics").stdout


def test_classes_in_order_have_weighted_kappas(run, tmp_path):
    order = "--ordered=cat,dog,fox,owl"
    shown = run(*NEW, order, "--metric", "cohen_kappa_quadratic", "--json", "--resamples", 100)
    ours = uc.evaluate(
        FILE, label="animal", scores="new_*", classes=["cat", "dog", "fox", "owl"], ordered=True, n_resamples=100
    )
    found = json.loads(shown.stdout)["metrics"]["cohen_kappa_quadratic"]["value"]
    assert found == ours["cohen_kappa_quadratic"].value
    assert "--ordered lowest,...,highest" in run(*NEW, "--metric", "cohen_kappa_linear").stderr
    assert run("evaluate", FILE, "--label", "animal", "--score", "new_cat", order).exit_code == 2
    (tmp_path / "m.csv").write_text(MATRIX)
    matrix = run("counts", "--matrix", tmp_path / "m.csv", "--ordered", "--json")
    assert "cohen_kappa_linear" in json.loads(matrix.stdout)["metrics"]

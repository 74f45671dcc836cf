"""`calibration --repair` and `apply` of a map: the API's numbers, refusals in one message; the transformer."""

import csv
import io
import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import unconfuse as uc
from unconfuse.cli import cli
from unconfuse.demo import animals_path, patients_path
from unconfuse.sklearn import Recalibrator

PATIENTS = [str(patients_path()), "--label", "outcome", "--score", "risk", "--positive", "yes"]
ANIMALS = [str(animals_path()), "--label", "animal", "--scores", "new_*"]


def run(*arguments):
    return CliRunner().invoke(cli, [str(each) for each in arguments])


@pytest.fixture(scope="module")
def found():
    return uc.recalibrate(patients_path(), label="outcome", score="risk", positive="yes")


@pytest.fixture(scope="module")
def maps(tmp_path_factory, found):
    folder = tmp_path_factory.mktemp("maps")
    found.save(folder / "two.json")
    uc.recalibrate(animals_path(), label="animal", scores="new_*").save(folder / "four.json")
    return folder


def test_a_repair_equals_the_api(tmp_path, found):
    result = run("calibration", *PATIENTS, "--repair", tmp_path / "map.json", "--plot", tmp_path / "a.png", "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["sentence"] == found.sentence and said["gain"] == found.as_dict()["gain"]
    assert said["calibration"]["metrics"]["ici"]["value"] > 0 and said["n"] == 2400
    assert (tmp_path / "a.png").stat().st_size > 1000
    assert uc.read_recalibration(tmp_path / "map.json").as_dict() == found.map.as_dict()


@pytest.mark.parametrize("words", [PATIENTS, ANIMALS])
def test_every_form(tmp_path, words):
    table = run("calibration", *words, "--repair", tmp_path / "map.json")
    assert table.exit_code == 0 and "Mend the probabilities by" in table.stdout and "before" in table.stdout
    lines = list(
        csv.DictReader(io.StringIO(run("calibration", *words, "--repair", tmp_path / "m", "--format", "csv").stdout))
    )
    assert lines[0]["metric"] == "log_loss" and float(lines[0]["gain"]) > 0
    assert "| before |" in run("calibration", *words, "--repair", tmp_path / "map.json", "--format", "markdown").stdout


def test_apply_mends_every_row(maps, found):
    result = run("apply", maps / "two.json", patients_path(), "--score", "risk", "--id", "patient")
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    risk, mended = (np.array([float(row[name]) for row in rows]) for name in ("risk", "recalibrated"))
    assert len(rows) == 2400 and (mended == found(risk)).all() and rows[0]["patient"] == "P0001"
    again = run("apply", maps / "four.json", animals_path(), "--scores", "new_*")
    first = next(csv.DictReader(io.StringIO(again.stdout)))
    assert sum(float(first[f"recalibrated_{name}"]) for name in ("cat", "dog", "fox", "owl")) == pytest.approx(1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["calibration", *PATIENTS, "--kind", "beta"], "--kind is for mending: it needs --repair FILE"),
        (["calibration", *PATIENTS, "--repair", "MAP", "--kind", "temperature"], "--kind must be one of"),
        (["calibration", *PATIENTS, "--repair", "MAP", "--clip", "2"], "--clip must lie strictly between 0 and 0.5"),
        (["calibration", *PATIENTS, "--repair", "MAP", "--group", "site"], "does not support groups"),
        (["apply", "two.json", PATIENTS[0], "--score", "risk", "--rule", "youden"], "--rule is for a threshold card"),
        (
            ["apply", "two.json", PATIENTS[0], "--score", "risk", "--label", "outcome"],
            "--label is for a threshold card",
        ),
        (["apply", "two.json", ANIMALS[0], "--scores", "new_*"], "--scores is for a map of several classes"),
        (["apply", "four.json", ANIMALS[0]], "the map is of several classes. Hint: give --scores"),
        (["apply", "four.json", ANIMALS[0], "--scores", "new_[co]*"], "no column"),
        (["apply", "two.json", PATIENTS[0], "--score", "rule"], "must hold probabilities"),
    ],
)
def test_refusals(maps, tmp_path, words, told):
    places = {"MAP": tmp_path / "map.json", "two.json": maps / "two.json", "four.json": maps / "four.json"}
    result = run(*(places.get(each, each) for each in words))
    assert result.exit_code == 2 and told in " ".join(result.stderr.split()), result.stderr
    assert not (tmp_path / "map.json").exists()


def test_a_damaged_map_is_one_message(tmp_path, maps):
    content = json.loads((maps / "two.json").read_text())
    (tmp_path / "bad.json").write_text(json.dumps(content | {"kind": "magic"}))
    result = run("apply", tmp_path / "bad.json", patients_path(), "--score", "risk")
    assert result.exit_code == 2 and "the recalibration map is damaged" in result.stderr


@pytest.fixture(scope="module")
def stated():
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1, 1, 1], 500)
    q = p**0.4 / (p**0.4).sum(axis=1, keepdims=True)
    return p, np.array(["a", "b", "c"])[[rng.choice(3, p=row) for row in q]]


def test_the_transformer_does_what_the_verb_does(stated):
    p, y = stated
    mend = clone(Recalibrator()).fit(p, y)
    assert mend.recalibration_.chosen == "temperature"
    assert mend.transform(p) == pytest.approx(uc.recalibrate(y, p)(p))
    assert mend.get_feature_names_out().tolist() == ["recalibrated_a", "recalibrated_b", "recalibrated_c"]
    pair = np.column_stack([1 - p[:, 0], p[:, 0]])
    two = Recalibrator().fit(pair, y == "a")
    assert two.transform(pair)[:, 1] == pytest.approx(Recalibrator().fit(p[:, 0], y == "a").transform(p[:, 0])[:, 0])
    assert make_pipeline(FunctionTransformer(), Recalibrator(kind="none")).fit(p, y).transform(p) == pytest.approx(p)


def test_the_transformer_counts_weights_and_refuses_what_it_cannot_mend(stated):
    p, y = stated
    times = np.arange(500) % 3
    weighted = Recalibrator().fit(p, y, sample_weight=times)
    repeated = Recalibrator().fit(np.repeat(p, times, axis=0), np.repeat(y, times))
    assert weighted.transform(p) == pytest.approx(repeated.transform(p), abs=1e-9)
    with pytest.raises(uc.UnconfuseError, match="a column of probabilities for each of 3 classes; got 2 columns"):
        Recalibrator().fit(p[:, :2], y)
    with pytest.raises(uc.UnconfuseError, match="must have 3 columns"):
        weighted.transform(p[:, :2])
    with pytest.raises(ValueError, match="requires y"):
        Recalibrator().fit(p, None)

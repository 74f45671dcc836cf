"""`unconfuse indistinguish`: pictures, the page, and which labelled set is taken."""

import json

import numpy as np
import pytest

import unconfuse as uc


@pytest.fixture
def rows(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    s = rng.binomial(5, np.where(y, 0.7, 0.35))
    path = tmp_path / "rows.csv"
    path.write_text("y,s\n" + "".join(f"{int(a)},{b}\n" for a, b in zip(y, s, strict=True)))
    return path, y, s


def test_it_draws_and_writes_its_page(rows, tmp_path, run):
    pytest.importorskip("matplotlib")
    path, y, s = rows
    picture, page = tmp_path / "b.svg", tmp_path / "page.html"
    found = run(
        "indistinguish",
        str(path),
        "--label",
        "y",
        "--score",
        "s",
        "--resamples",
        "100",
        "--plot",
        str(picture),
        "--html",
        str(page),
    )
    assert found.exit_code == 0, found.stderr
    c = uc.indistinguishability(y, s, n_resamples=100).precision
    assert f"{c.value:.3f}" in picture.read_text()
    assert "<html" in page.read_text()
    assert "No threshold makes B equal to 0.5" in " ".join(found.stdout.split())


@pytest.mark.parametrize("take", ["above", "mixture"])
def test_the_set_that_is_taken(rows, take, run):
    path, y, s = rows
    said = run(
        "indistinguish", str(path), "--label", "y", "--score", "s", "--side", take, "--exclude-self", "--json"
    ).stdout
    shown = json.loads(said)["levels"][0]
    wanted = uc.indistinguishability(y, s, side=take, exclude_self=True)
    assert shown["precision"]["value"] == pytest.approx(wanted.precision.value)
    assert shown["mixture"]["value"] == pytest.approx(wanted.mixture.value)
    assert shown["tied"] is True


def test_the_page_does_not_say_that_its_threshold_was_given(rows, tmp_path, run):
    path, _, _ = rows
    kept = tmp_path / "page.json"
    words = ("indistinguish", str(path), "--label", "y", "--score", "s", "--resamples", "100", "--payload", str(kept))
    assert run(*words).exit_code == 0
    payload = json.loads(kept.read_text())
    assert payload["models"][0]["threshold_origin"].startswith("B(r) = 0.5")
    assert not [each["name"] for each in payload["card"]["rules"] if each["name"].startswith("fixed")]
    assert run(*words, "--level", "0.55").exit_code == 0
    assert json.loads(kept.read_text())["models"][0]["threshold_origin"].startswith("B(r) = 0.55")


def test_the_page_of_another_labelled_set_is_refused(rows, tmp_path, run):
    path, _, _ = rows
    kept = tmp_path / "page.json"
    found = run("indistinguish", str(path), "--label", "y", "--score", "s", "--side", "above", "--payload", str(kept))
    assert found.exit_code == 2 and "--side above" in found.stderr and not kept.exists()

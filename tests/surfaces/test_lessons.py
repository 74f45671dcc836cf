"""Pages for teaching, in a browser: every number of the live simulation and every answer is Python's."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse.cli import cli
from unconfuse.reproduce import chance, exercises

ROOT = Path(__file__).parents[2]
MOVE = """([id, value]) => {
  const node = document.getElementById(id);
  node.value = value;
  node.dispatchEvent(new Event('input'));
}"""


@pytest.fixture(scope="module")
def lessons(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lessons")
    for name in ("simulate", "exercises"):
        done = CliRunner().invoke(cli, [name, "--html", str(folder / f"{name}.html")])
        assert done.exit_code == 0, done.output
    return folder


def test_population_values_are_those_of_the_metrics():
    found, flagged = chance.rates(0.85, 1.0)
    for name in chance.DECISIONS:
        counts = uc.Counts(tp=0.1 * found, fp=0.9 * flagged, fn=0.1 * (1 - found), tn=0.9 * (1 - flagged))
        assert chance.decision_tables()[name]["value"][3, 2, 4] == pytest.approx(float(uc.METRICS[name](counts)))
    for a, area in enumerate(chance.AREAS):
        assert chance.ranking_tables()["auroc"]["value"][a] == pytest.approx(area, abs=1e-6)


def test_ranges_are_those_of_the_binomial():
    """Sensitivity of 20 positives: its range is known without sampling."""
    from scipy.stats import binom

    found, _ = chance.rates(0.85, 1.0)
    table = chance.decision_tables()["sensitivity"]
    exact = binom(20, found).ppf([0.025, 0.975]) / 20
    assert abs(table["low"][3, 2, 1, 4] - exact[0]) <= 0.05 and abs(table["high"][3, 2, 1, 4] - exact[1]) <= 0.05
    width = table["high"] - table["low"]
    assert (np.diff(width.mean(axis=(0, 1, 3))) < 0).all(), "more cases, less chance"


def test_undefined_samples_are_counted():
    """With few cases above the highest threshold there are samples without a positive label."""
    _, flagged = chance.rates(0.55, 3.0)
    found, _ = chance.rates(0.55, 3.0)
    none = (1 - found) ** 2 * (1 - flagged) ** 98
    assert chance.decision_tables()["precision"]["undefined"][0, 0, 0, -1] == pytest.approx(none, abs=0.05)


@pytest.mark.parametrize("at", [(3, 2, 1, 4), (0, 0, 0, 8), (5, 4, 6, 0), (1, 3, 2, 7)])
def test_live_page_shows_the_tables(lessons, open_page, at):
    page = open_page(lessons / "simulate.html")
    for name, place in zip(("area", "prevalence", "size", "threshold"), at, strict=True):
        page.evaluate(MOVE, [f"{name}-slider", place])
    a, p, n, t = at
    for name, table in (chance.decision_tables() | chance.ranking_tables()).items():
        cut = name in chance.DECISIONS
        wanted = table["value"][a, p, t] if cut else table["value"][a, p]
        ends = [table[side][(a, p, n, t) if cut else (a, p, n)] for side in ("low", "high")]
        shown = [page.get_attribute(f"#value-{name}", "data-value")]
        shown += [page.get_attribute(f"#range-{name}", f"data-{side}") for side in ("low", "high")]
        for value, text in zip((wanted, *ends), shown, strict=True):
            assert (text == "NaN") if math.isnan(value) else float(text) == float(np.round(value, 3)), name
    size, share = chance.SIZES[n], chance.PREVALENCES[p]
    assert f"{size:,} cases, {round(share * size):,} of them positive" in page.text_content("#said")


def test_metric_is_chosen_by_keyboard(lessons, open_page):
    page = open_page(lessons / "simulate.html")
    page.focus("#choose-precision")
    page.keyboard.press("ArrowDown")
    assert page.text_content("#said").startswith("Negative predictive value")
    assert "Negative predictive value" in page.text_content("#funnel h3")


def test_exercises_accept_right_answers_and_refuse_others(lessons, open_page):
    page = open_page(lessons / "exercises.html")
    asked = 0
    for place, exercise in enumerate(exercises.exercises()):
        for i, part in enumerate(exercise.parts):
            field, feedback = f"#answer-{place}-{i}", f"#answer-{place}-{i}-feedback"
            right = "undefined" if np.isnan(part.answer) else f"{part.answer:.4g}"
            wrong = "0.5" if np.isnan(part.answer) else str(part.answer + 2 * exercises.tolerance(part.answer))
            for text, look in ((wrong, "wrong"), ("many", "wrong"), (right, "right")):
                page.fill(field, text)
                page.press(field, "Enter")
                assert look in page.get_attribute(feedback, "class"), (part.label, text)
            asked += 1
    assert page.text_content("#progress") == f"{asked} of {asked} answers are correct."
    page.fill("#answer-0-2", "67.8%")
    page.click(".part:has(#answer-0-2) .check")
    assert page.text_content("#answer-0-2-feedback").startswith("Correct: 0.678")


def test_exercises_are_those_of_the_documentation():
    text = re.sub(r"\s+", " ", (ROOT / "docs" / "exercises.md").read_text(encoding="utf-8"))
    for each in exercises.exercises():
        assert re.sub(r"\s+", " ", each.command) in text, each.name


@pytest.mark.parametrize("name", ["simulate", "exercises"])
@pytest.mark.parametrize("width", [390, 1280])
def test_lessons_fit_and_ask_no_network(lessons, open_page, name, width):
    page = open_page(lessons / f"{name}.html", viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "default-src 'none'" in (lessons / f"{name}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "--html", "a.html", "--json"],
        ["simulate", "--html", "a.html", "--positives", "5"],
        ["simulate", "--html", "a.html", "--scenario", "2"],
        ["exercises", "--html", "a.html", "--format", "csv"],
    ],
)
def test_what_a_lesson_cannot_use_is_refused(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2 and not (tmp_path / "a.html").exists(), done.output

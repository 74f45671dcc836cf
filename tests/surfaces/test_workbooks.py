"""Spreadsheets, decimal commas, and rows that are labelled with all their columns."""

import csv
import json
import zipfile

import openpyxl
import pytest

import unconfuse as uc
from unconfuse._errors import UnconfuseError

ROWS = [(i, "ja" if i % 3 == 0 else "nein", round((i * 37 % 100) / 100 + 0.003, 3), "a, b") for i in range(60)]
HEAD = ("Nr", "Diagnose", "Risiko", "Text")
WORDS = {"label": "Diagnose", "score": "Risiko", "positive": "ja", "metrics": ["auroc"]}


@pytest.fixture
def folder(tmp_path):
    book = openpyxl.Workbook()
    for row in (HEAD, *ROWS):
        book.active.append(row)
    book.save(tmp_path / "one.xlsx")
    book.create_sheet("second").append(["x"])
    book.save(tmp_path / "two.xlsx")
    with (tmp_path / "point.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HEAD, *ROWS])
    with (tmp_path / "comma.csv").open("w", newline="") as file:
        lines = [[str(cell).replace(".", ",") for cell in row] for row in ROWS]
        csv.writer(file, delimiter=";").writerows([HEAD, *lines])
    return tmp_path


def test_a_sheet_and_decimal_commas_are_the_same_rows(folder):
    expected = uc.evaluate(folder / "point.csv", **WORDS).as_dict()
    assert uc.evaluate(folder / "one.xlsx", **WORDS).as_dict() == expected
    assert uc.evaluate(folder / "two.xlsx", table="Sheet", **WORDS).as_dict() == expected
    assert uc.evaluate(folder / "comma.csv", decimal=",", **WORDS).as_dict() == expected
    assert (
        uc.evaluate(
            uc.Data(folder / "comma.csv", decimal=",", delimiter=";", label="Diagnose", score="Risiko", positive="ja"),
            metrics=["auroc"],
        ).as_dict()
        == expected
    )


@pytest.mark.parametrize(
    ("file", "more", "words"),
    [
        ("two.xlsx", {}, "several sheets: 'Sheet', 'second'"),
        ("two.xlsx", {"table": "third"}, "no sheet 'third'"),
        ("point.csv", {"table": "Sheet"}, "is neither"),
        ("one.xlsx", {"decimal": ","}, "`decimal` says how a CSV file writes numbers"),
        ("comma.csv", {}, "say decimal=','"),
        ("comma.csv", {"decimal": "x"}, "a point or a comma"),
        ("comma.csv", {"decimal": ",", "delimiter": ","}, "not what separates columns"),
    ],
)
def test_what_cannot_be_read_is_said(folder, file, more, words):
    with pytest.raises(UnconfuseError, match=words):
        uc.evaluate(folder / file, **WORDS, **more)


def test_other_archives_and_broken_books_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as packed:
        packed.writestr("notes.txt", "hello")
    with pytest.raises(UnconfuseError, match="zip archive"):
        uc.evaluate(tmp_path / "a.xlsx", **WORDS)
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as packed:
        packed.writestr("xl/workbook.xml", "<broken")
    with pytest.raises(UnconfuseError, match="spreadsheet that cannot be read"):
        uc.evaluate(tmp_path / "b.xlsx", **WORDS)


@pytest.mark.parametrize(("file", "more"), [("point.csv", ()), ("one.xlsx", ()), ("comma.csv", ("--decimal", ","))])
def test_labelled_rows_keep_all_columns(run, folder, file, more):
    card, path = folder / "card.json", folder / file
    names = ("--label", "Diagnose", "--score", "Risiko", "--positive", "ja", *more)
    assert run("thresholds", path, *names, "--rule", "youden", "--export", card).exit_code == 0
    lines = list(csv.DictReader(run("apply", card, path, "--score", "Risiko", *more).stdout.splitlines()))
    assert list(lines[0]) == ["row", *HEAD, "labelled_positive"]
    cut = json.loads(card.read_text())["rules"]["youden"]["threshold"]
    for line, row in zip(lines, ROWS, strict=True):
        assert (line["Nr"], line["Diagnose"], line["Text"]) == (str(row[0]), row[1], row[3])
        assert line["Risiko"] == str(row[2]).replace(".", "," if more else ".")
        assert line["labelled_positive"] == str(int(row[2] >= cut["value"] if isinstance(cut, dict) else row[2] >= cut))

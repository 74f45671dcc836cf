"""Spreadsheets, decimal commas, and rows that are labelled with all their columns."""

import csv
import json
import struct
import time
import zipfile

import openpyxl
import pytest

import unconfuse as uc
from unconfuse.ingest import _spreadsheet_extent

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
        ("comma.csv", {"decimal": "x"}, "a point or a comma"),
        ("comma.csv", {"decimal": ",", "delimiter": ","}, "not what separates columns"),
    ],
)
def test_what_cannot_be_read_is_said(folder, file, more, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.evaluate(folder / file, **WORDS, **more)


def test_other_archives_and_broken_books_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as packed:
        packed.writestr("notes.txt", "hello")
    with pytest.raises(uc.UnconfuseError, match="zip archive"):
        uc.evaluate(tmp_path / "a.xlsx", **WORDS)
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as packed:
        packed.writestr("xl/workbook.xml", "<broken")
    with pytest.raises(uc.UnconfuseError, match="spreadsheet that cannot be read"):
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


SPACES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
)


def stray_xlsx(path):
    book = openpyxl.Workbook()
    for row in (HEAD, *ROWS):
        book.active.append(row)
    book.active["XFD1048576"] = "x"
    book.save(path)


def stray_ods(path):
    cell = '<table:table-cell office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>'
    gap = '<table:table-cell table:number-columns-repeated="16383"/>'
    rows = f'<table:table-row>{cell}</table:table-row><table:table-row table:number-rows-repeated="1048574">{gap}'
    rows += f"</table:table-row><table:table-row>{gap}{cell}</table:table-row>"
    table = f'<table:table table:name="a">{rows}</table:table>'
    content = f"<office:document-content {SPACES}><office:body><office:spreadsheet>{table}</office:spreadsheet>"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("content.xml", f"{content}</office:body></office:document-content>")


def stray_xlsb(path):
    def record(kind, body):
        return bytes([kind, len(body)]) + body

    def number(row, column):
        return record(0, struct.pack("<I", row) + bytes(13)) + record(5, struct.pack("<IId", column, 0, 1.0))

    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("xl/workbook.bin", b"")
        packed.writestr("xl/worksheets/sheet1.bin", number(0, 0) + number(1048575, 16383))


def stray_xls(path):
    def record(kind, body):
        return struct.pack("<HH", kind, len(body)) + body

    def number(row, column):
        return record(0x0203, struct.pack("<HHHd", row, column, 0, 1.0))

    def entry(name, kind, start, size):
        letters = f"{name}\0".encode("utf-16-le")
        head = letters.ljust(64, b"\0") + struct.pack("<HBBIII", len(letters), kind, 1, *[0xFFFFFFFF] * 3)
        return head.ljust(116, b"\0") + struct.pack("<IQ", start, size)

    stream = record(0x0809, bytes(16)) + number(0, 0) + number(65535, 65535) + record(0x000A, b"")
    stream = stream.ljust(4096, b"\0")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(24, b"\0") + struct.pack("<HHHHH", 62, 3, 0xFFFE, 9, 6)
    head = head.ljust(44, b"\0") + struct.pack("<IIIIIIIII", 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0, 0)
    head += b"\xff" * (512 - len(head))
    links = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, 10), 0xFFFFFFFE]
    table = struct.pack(f"<{len(links)}I", *links).ljust(512, b"\xff")
    folder = (entry("Root Entry", 5, 0xFFFFFFFE, 0) + entry("Workbook", 2, 2, 4096)).ljust(512, b"\0")
    path.write_bytes(head + table + folder + stream)


@pytest.mark.parametrize("kind", ["xlsx", "ods", "xlsb", "xls"])
def test_a_stray_cell_far_away_is_refused_before_the_grid_is_laid_out(run, tmp_path, kind):
    path = tmp_path / f"stray.{kind}"
    globals()[f"stray_{kind}"](path)
    last = "CRXP65536" if kind == "xls" else "XFD1048576"
    with pytest.raises(uc.UnconfuseError, match=rf"stray\.{kind} spans [\d,]+ cells in .*, up to {last}, and only"):
        uc.evaluate(path, **WORDS)
    done = run("evaluate", path, "--label", "Diagnose", "--score", "Risiko")
    assert done.exit_code == 2 and f"up to {last}" in done.stderr


@pytest.mark.parametrize("place", ["ZZZZZZZ61", "A99999999999", f"{'B' * 5000}7", f"A1{'0' * 5000}"])
def test_a_place_beyond_every_sheet_is_refused_and_ends_nothing(folder, place):
    path = folder / "beyond.xlsx"
    with zipfile.ZipFile(folder / "one.xlsx") as whole, zipfile.ZipFile(path, "w") as bent:
        for each in whole.namelist():
            bent.writestr(each, whole.read(each).replace(b'r="A61"', f'r="{place}"'.encode()))
    with pytest.raises(uc.UnconfuseError, match=r"beyond\.xlsx spans [\d,]+ cells in sheet1\.xml, up to"):
        uc.evaluate(path, **WORDS)


def test_a_long_stretch_without_tags_is_looked_through_once(folder, monkeypatch):
    monkeypatch.setattr(_spreadsheet_extent, "_PIECE", 1 << 10)
    path, blanks = folder / "blanks.xlsx", b" " * (8 << 20)
    with zipfile.ZipFile(folder / "one.xlsx") as whole, zipfile.ZipFile(path, "w") as made:
        for each in whole.namelist():
            made.writestr(each, whole.read(each).replace(b"</sheetData>", b"</sheetData>" + blanks))
    start = time.process_time()
    _spreadsheet_extent.check_spans(str(path), path.name)
    assert time.process_time() - start < 3  # 0.2 s; 20 s where each piece is joined to all before it


def test_formatting_far_away_and_long_empty_stretches_do_no_harm(folder):
    book = openpyxl.load_workbook(folder / "one.xlsx")
    book.active["XFD1048576"].number_format = "0.00"
    book.save(folder / "formatted.xlsx")
    expected = uc.evaluate(folder / "point.csv", **WORDS).as_dict()
    assert uc.evaluate(folder / "formatted.xlsx", **WORDS).as_dict() == expected


def test_untidy_tables_are_read_as_meant_and_each_guess_is_named(folder):
    expected = uc.evaluate(folder / "point.csv", **WORDS).as_dict()
    with pytest.warns(uc.UnconfuseWarning, match="column 'Risiko' has decimal commas"):
        assert uc.evaluate(folder / "comma.csv", **WORDS).as_dict() == expected
    book = openpyxl.Workbook()
    book.active.append(["Studie 7, Klinik Süd"])
    book.active.append([])
    for row in (HEAD, *((i, label, str(risk).replace(".", ","), text) for i, label, risk, text in ROWS)):
        book.active.append(row)
    book.active.append([])
    book.active.append(["Quelle: Register, vorläufig"])
    book.save(folder / "untidy.xlsx")
    with pytest.warns(uc.UnconfuseWarning) as said:
        assert uc.evaluate(folder / "untidy.xlsx", **WORDS).as_dict() == expected
    words = str(said[0].message)
    assert "above the table" in words and "below the table" in words and "decimal commas" in words
    lines = (folder / "comma.csv").read_text()
    (folder / "old.csv").write_bytes(("Auswertung für Süd\n\n" + lines).encode("cp1252"))
    with pytest.warns(uc.UnconfuseWarning, match="Windows-1252"):
        assert uc.evaluate(folder / "old.csv", **WORDS).as_dict() == expected


def test_a_number_with_two_meanings_is_not_guessed(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("label;score\n1;1,234\n0;2,345\n" * 1)
    with pytest.raises(uc.UnconfuseError, match="decimal=','"):
        uc.evaluate(path)
    path.write_text("label,score\n1,0.5\n0,0.2\n0")  # cut short, not a note
    with pytest.raises(uc.UnconfuseError):
        uc.evaluate(path)

"""Names of files and folders mean themselves, whatever letters they hold; folders tell columns that files lack."""

import pytest

import unconfuse as uc
from unconfuse._errors import SkippedRowsWarning
from unconfuse.ingest import read

ROWS = "y,p\n1,.9\n0,.4\n1,.4\n0,.1\n"
ODD = ("file:x", "a*b", "a\\b", "a?b", "a[b]", "~x", "a\\*b", "s3:x", 'a"b', "a'b", "a{b}", "http:x", "\\x", "a\nb")
ODD += ("[!a]", "a]", "é", " x", "~/x", "$HOME", "%41", "a;b", "a\\[b]")


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_a_name_means_itself(name, ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"{name}{ending}"
    path.parent.mkdir(exist_ok=True)
    _write(path, ROWS)
    _write(path.with_name(f"other{ending}"), "y,p\n1,.5\n0,.5\n")
    expected = uc.score_table([1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1])
    for given in (f"{name}{ending}", f"./{name}{ending}", str(path)):
        assert uc.score_table(given, label="y", score="p") == expected


def _write(path, rows):
    if path.suffix == ".csv":
        path.write_text(rows)
        return
    import pandas as pd

    frame = pd.DataFrame([line.split(",") for line in rows.split()[1:]], columns=["y", "p"]).astype(float)
    if path.suffix == ".parquet":
        path.write_bytes(frame.to_parquet())
    else:
        path.write_text(frame.to_json(orient="records", lines=True))


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_folders_do_not_override_columns(ending, tmp_path):
    for folder in ("p=0.5", "y=1", "p=0.5/y=0"):
        (tmp_path / folder).mkdir(exist_ok=True, parents=True)
        _write(tmp_path / folder / f"x{ending}", ROWS)
        assert len(uc.score_table(tmp_path / folder / f"x{ending}", label="y", score="p")) == 3


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_folders_tell_columns_that_files_lack(ending, tmp_path):
    for folder in ("site=a/p=7", "site=b%20c/p=8"):
        (tmp_path / folder).mkdir(parents=True)
        _write(tmp_path / folder / f"x{ending}", ROWS)
    found = read(uc.Data(tmp_path, label="y", score="p", by="site"))
    assert list(found.by_subgroup()) == ["a", "b c"] and len(found.table()) == 3


def test_a_column_may_be_called_filename(tmp_path):
    (tmp_path / "x.csv").write_text("filename,p\n1,.9\n0,.4\n1,\n")
    with pytest.raises(uc.UnconfuseError, match="row 3"):
        uc.score_table(tmp_path / "x.csv", label="filename", score="p")
    with pytest.warns(SkippedRowsWarning):
        assert uc.score_table(tmp_path / "x.csv", label="filename", score="p", on_bad_row="skip").n == 2


@pytest.mark.parametrize("path", ["", " ", "a\0b"])
def test_no_name_is_no_folder(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text(ROWS)
    with pytest.raises(uc.UnconfuseError, match=r"path is empty|there is no file"):
        uc.score_table(path)


@pytest.mark.parametrize("nested", ["[" * 200_000 + "]" * 200_000, '{"a":' * 200_000 + "1" + "}" * 200_000])
def test_json_may_be_nested_as_deep_as_it_likes(nested, tmp_path):
    lines = [f'{{"y": {k % 2}, "p": 0.{k}, "x": {nested}}}' for k in range(4)]
    (tmp_path / "lines.jsonl").write_text("\n".join(lines))
    (tmp_path / "array.json").write_text(f"[{','.join(lines)}]")
    for name in ("lines.jsonl", "array.json"):
        assert uc.score_table(tmp_path / name, label="y", score="p").n == 4
    (tmp_path / "lines.jsonl").write_text(nested)
    with pytest.raises(uc.UnconfuseError):
        uc.score_table(tmp_path / "lines.jsonl", label="y", score="p")


def test_blank_lines_before_the_header_are_passed_over(tmp_path):
    (tmp_path / "x.csv").write_text("\n\n" + ROWS)
    assert uc.score_table(tmp_path / "x.csv", label="y", score="p").n == 4
    assert uc.score_table(tmp_path / "x.csv", label="y", score="p", on_bad_row="skip").n == 4


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("y,p\r\n1,.9\n0,.4\n", "two kinds of line ends"),
        ("y,p\n1,.9\r\n0,.4\r\n", "two kinds of line ends"),
        ('y,p\n1,.9\n0,".4\n', "never closed"),
        (f"y,p,t\n1,.9,{'x' * 34_000_000}\n0,.4,a\n", "longer than 32 MB"),
    ],
)
def test_what_is_wrong_with_lines_is_said(content, words, tmp_path):
    (tmp_path / "x.csv").write_bytes(content.encode())
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.score_table(tmp_path / "x.csv", label="y", score="p")

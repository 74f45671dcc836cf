"""What is written: whole, where people expect it, with the permissions they chose, and never in place of the data."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unconfuse._atomic_files import in_place_of, temporary_folder, write_atomically
from unconfuse._errors import InputError

NAMES = ("--label", "y", "--score", "p", "--positive", "ill")


@pytest.fixture
def data(data_files, tmp_path):
    copy = tmp_path / "data.csv"
    copy.write_bytes(data_files["data.csv"].read_bytes())
    return copy


@pytest.mark.parametrize("option", ["--output", "--html", "--payload", "--plot"])
@pytest.mark.parametrize("way", ["itself", "link", "hard link", "dots", "folder", "pattern"])
def test_an_output_is_never_an_input(run, data, tmp_path, option, way):
    target, source, before = data, str(data), data.read_bytes()
    if way == "link":
        target = tmp_path / "link"
        target.symlink_to(data)
    elif way == "hard link":
        target = tmp_path / "hard"
        target.hardlink_to(data)
    elif way == "dots":
        target = tmp_path / "." / ".." / tmp_path.name / "data.csv"
    elif way == "folder":
        source = str(tmp_path)
    elif way == "pattern":
        source = str(tmp_path / "*.csv")
    done = run("evaluate", source, *NAMES, option, target)
    assert done.exit_code == 2 and "would be lost" in done.stderr
    assert data.read_bytes() == before


def test_what_standard_input_is_taken_from_is_an_input(shell, data):
    before = data.read_bytes()
    with data.open("rb") as rows:
        done = shell("evaluate", "-", *NAMES, "--output", data, stdin=rows)
    assert done.returncode == 2 and b"would be lost" in done.stderr and data.read_bytes() == before


def test_other_commands_spare_their_inputs_too(run, data, tmp_path):
    table, card, payload = (str(tmp_path / name) for name in ("t.parquet", "card.json", "payload.json"))
    assert run("table", data, *NAMES, "-o", table).exit_code == 0
    assert run("thresholds", data, *NAMES, "--rule", "youden", "--export", card, "--payload", payload).exit_code == 0
    for command in (
        ("merge", table, table, "-o", table),
        ("table", data, *NAMES, "-o", data),
        ("apply", card, data, "--score", "p", "--output", card),
        ("apply", card, data, "--score", "p", "--output", data),
        ("render", payload, "-o", payload),
        ("thresholds", data, *NAMES, "--export", data),
        ("compare", data, "--label", "y", "--positive", "ill", "--score", "p", "--score", "p", "--output", data),
        ("tournament", data, "--label", "y", "--checkpoint", data),
    ):
        done = run(*command)
        assert done.exit_code == 2 and "would be lost" in done.stderr, command


def test_two_outputs_are_two_files(run, data, tmp_path):
    done = run("evaluate", data, *NAMES, "--html", tmp_path / "x", "--output", tmp_path / "x")
    assert done.exit_code == 2 and "written twice" in done.stderr


def test_the_file_of_a_database_is_an_input(run, tmp_path):
    (tmp_path / "a.db").write_bytes(b"")
    done = run("evaluate", f"sqlite:///{tmp_path}/a.db", "--table", "t", "--output", tmp_path / "a.db")
    assert done.exit_code == 2 and "would be lost" in done.stderr


def test_the_example_data_replace_nothing(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("patients.csv").write_text("mine")
    assert run("demo", "--data").exit_code == 2
    assert Path("patients.csv").read_text() == "mine"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_new_files_have_what_the_umask_grants(tmp_path, mask):
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "new", "a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~mask


def test_a_replaced_file_keeps_its_permissions_and_its_links(tmp_path):
    path, link = tmp_path / "old", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_atomically(link, "new")
    assert link.is_symlink() and path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_to_nothing_is_filled(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is write-protected for root")
def test_what_is_write_protected_stays(tmp_path):
    path = tmp_path / "old"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(InputError, match="write-protected"):
        write_atomically(path, "new")


def test_pipes_and_open_streams_are_written_to(shell, data, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE)
    shell("evaluate", data, *NAMES, "--metric", "auroc", "--json", "--output", tmp_path / "pipe")
    through = reader.communicate(timeout=60)[0]
    assert (tmp_path / "pipe").is_fifo()
    done = shell("evaluate", data, *NAMES, "--metric", "auroc", "--json", "--output", "/dev/stdout")
    assert through == done.stdout and b'"auroc"' in through
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("ab") as appended:
        command = [Path(sys.executable).with_name("unconfuse"), "evaluate", data, *NAMES, "--json", "--metric", "auroc"]
        subprocess.run([*command, "--output", "/dev/stdout"], stdout=appended, check=True, timeout=60)
    assert log.read_bytes() == b"before\n" + through


def test_nothing_is_left_of_what_failed(tmp_path):
    with pytest.raises(ZeroDivisionError), in_place_of(tmp_path / "x") as place:
        place.write_text("half")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_where_files_cannot_be_without_a_name(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    write_atomically(tmp_path / "x", "whole")
    with pytest.raises(ZeroDivisionError), in_place_of(tmp_path / "y") as place:
        assert place.parent == tmp_path
        raise ZeroDivisionError
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("x", "whole")]


def test_folders_of_killed_runs_are_cleared_away(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("spill-old", "spill-new"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / "spill-old", (time.time() - 3600,) * 2)
    with temporary_folder("spill-") as held:
        os.utime(held, (time.time() - 3600,) * 2)
        with temporary_folder("spill-"):  # which must not take the one that is held for a stale one
            assert Path(held).is_dir() and not (tmp_path / "spill-old").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["spill-new"]


@pytest.mark.parametrize(("target", "words"), [("/dev/full", "No space left"), (None, "is closed")])
def test_an_output_that_takes_nothing_is_said_in_words(data, target, words):
    command = f"{Path(sys.executable).with_name('unconfuse')} evaluate {data} {' '.join(NAMES)} >{target or '&-'}"
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 1 and words in done.stderr and "went wrong" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("closed", "code", "words"), [("2>&-", 0, ""), ("<&-", 2, "standard input is closed")])
def test_closed_streams_are_no_surprise(data, closed, code, words):
    source = data if code == 0 else "-"
    command = f"{Path(sys.executable).with_name('unconfuse')} evaluate {source} {' '.join(NAMES)} {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code and words in done.stderr and "went wrong" not in done.stderr


@pytest.mark.parametrize("more", [("--by", "y"), ("--group", "p")])
def test_libraries_complain_of_nothing_at_the_end(shell, data, more):
    done = shell("evaluate", data, *NAMES, "--metric", "auroc", *more)
    assert done.returncode == 0 and b"leaked" not in done.stderr


def test_notes_are_no_failures(shell, data):
    done = shell("evaluate", data, *NAMES, "--on-bad-row", "skip", env={"PYTHONWARNINGS": "error"})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_signals_end_a_tournament_soon_and_leave_no_process(tmp_path, name, code, jobs):
    rows = "\n".join(f"{k % 2},{(k * 37) % 101},{(k * 53) % 97}" for k in range(2_000))
    (tmp_path / "rows.csv").write_text(f"y,a,b\n{rows}\n")
    command = [Path(sys.executable).with_name("unconfuse"), "tournament", "rows.csv", "--label", "y"]
    command += ["--estimator", "sklearn.tree:DecisionTreeClassifier", "--space", '{"max_depth": [2, 3]}']
    store = tmp_path / "trials.jsonl"
    process = subprocess.Popen(
        [*command, "--jobs", jobs, "--trials", "50000", "--checkpoint", str(store)],
        cwd=tmp_path,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 60
    while store.exists() is False or store.read_bytes().count(b"\n") < 2:  # until a first trial is done
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, getattr(signal, name))
    start = time.monotonic()
    _, said = process.communicate(timeout=60)
    assert process.returncode == code and b"Traceback" not in said
    assert time.monotonic() - start < 15  # a second where the machine is free
    while subprocess.run(["pgrep", "-s", str(process.pid)], stdout=subprocess.DEVNULL, check=False).returncode == 0:
        assert time.monotonic() - start < 20, "processes are left"
        time.sleep(0.1)
    assert all(line.startswith("{") and line.endswith("}") for line in store.read_text().splitlines())


@pytest.mark.parametrize(
    ("ending", "instead"), [(".xlsx", "end {} in .csv"), (".tsv", "end {} in .csv"), (".docx", "--table {}")]
)
def test_text_is_not_written_under_a_name_that_means_another_format(run, data, tmp_path, ending, instead):
    target = tmp_path / f"found{ending}"
    done = run("evaluate", data, *NAMES, "--output", target)
    assert done.exit_code == 2 and f"--output does not write {ending}. Hint: {instead.format(target)}" in done.stderr
    assert not target.exists()


def test_names_in_sentences_of_markdown_are_text(run, tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{place % 2},{place / 40},{1 - place / 40}" for place in range(40)]
    path.write_text("\n".join(["y,<img src=x>,\x1b[31m[a](b)", *lines]))
    names = ["--score", "<img src=x>", "--score", "\x1b[31m[a](b)"]
    said = run("compare", path, "--label", "y", *names, "--threshold", ".5", "--format", "markdown").stdout
    assert "- " in said and "&lt;img" in said
    assert not {"<img", "\x1b", "](b"} & {each for each in ("<img", "\x1b", "](b") if each in said}


def test_pages_show_no_folder_of_a_database(run, tmp_path):
    import sqlite3

    database, page = tmp_path / "clinic.db", tmp_path / "page.html"
    with sqlite3.connect(database) as made:
        made.execute("CREATE TABLE t (y INT, p REAL)")
        made.executemany("INSERT INTO t VALUES (?, ?)", [(place % 2, place / 40) for place in range(40)])
    done = run(
        *("evaluate", f"sqlite:///{database}", "--table", "t", "--label", "y", "--score", "p"),
        *("--resamples", "100", "--html", page),
    )
    assert done.exit_code == 0, done.stderr
    assert "sqlite:///clinic.db" in page.read_text() and str(tmp_path) not in page.read_text()

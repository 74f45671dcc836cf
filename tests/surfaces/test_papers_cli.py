"""`--table`, `--methods`, `--for` and `--model-index` on the command line."""

import json
import sqlite3
import zipfile

import numpy as np
import pytest
from click.testing import CliRunner

from unconfuse.cli import cli


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = rng.random(120) < 0.4
    p_of = np.clip(rng.normal(0.35 + 0.3 * y, 0.2), 0, 1)
    rows = [
        f"{label:d},{p:.3f},{q:.3f},{'<b>' if i % 3 else 'm|n'}"
        for i, (label, p, q) in enumerate(zip(y, p_of, rng.random(120), strict=True))
    ]
    (tmp_path / "d.csv").write_text("y,p,q,g\n" + "\n".join(rows) + "\n")
    return tmp_path


def run(*words, code=0):
    done = CliRunner().invoke(cli, [str(each) for each in words])
    assert done.exit_code == code, done.output
    return done


DATA = ("d.csv", "--label", "y", "--score", "p", "--metric", "auroc", "--metric", "sensitivity")


def test_tables_by_their_ending(folder):
    names = ("t.docx", "t.tex", "t.md", "t.html", "t.csv")
    done = run("evaluate", *DATA, *(word for name in names for word in ("--table", name)))
    assert "AUROC" in done.output and zipfile.is_zipfile(folder / "t.docx")
    for name, start in (
        ("t.tex", "% "),
        ("t.md", "**Performance of p on d.csv"),
        ("t.html", "<figure>"),
        ("t.csv", "Metric,"),
    ):
        assert (folder / name).read_text().startswith(start)
    run("evaluate", *DATA, "--by", "g", "--table", "s.md")
    assert r"m\|n" in (folder / "s.md").read_text() and "&lt;b&gt;" in (folder / "s.md").read_text()
    run("compare", *DATA, "--score", "q", "--table", "c.docx", "--table", "c.md")
    assert "p minus q" in (folder / "c.md").read_text()
    run("compare", "--counts", "a=9,1,2,8", "--counts", "b=5,5,6,4", "--table", "k.md")
    assert "a minus b" in (folder / "k.md").read_text()
    run("counts", "--tp", 9, "--fp", 1, "--fn", 2, "--tn", 8, "--table", "n.tex")
    assert "9/11" in (folder / "n.tex").read_text()


def labels_and_queries(folder):
    rng = np.random.default_rng(1)
    rows = [
        f"{i % 2},{i % 3 == 0:d},{','.join(f'{each:.3f}' for each in rng.random(4))},q{i // 10}" for i in range(120)
    ]
    (folder / "whole.csv").write_text("y_a,y_b,p_a,p_b,s_a,s_b,query\n" + "\n".join(rows) + "\n")
    labels = ("evaluate", "whole.csv", "--labels", "y_*", "--scores", "p_*")
    return {
        "labels": labels,
        "queries": ("evaluate", "whole.csv", "--label", "y_a", "--score", "p_a", "--query", "query"),
    }


@pytest.mark.parametrize("kind", ["labels", "queries"])
def test_labels_and_queries_write_what_papers_ask_for_and_refuse_a_checklist(folder, kind):
    yaml = pytest.importorskip("yaml")
    words = labels_and_queries(folder)[kind]
    said = {"labels": "120 cases with 2 labels each", "queries": "12 queries with 120 documents"}[kind]
    done = run(*words, "--table", "t.md", "--table", "t.docx", "--model-index", "card.yaml", "--methods")
    assert said in (folder / "t.md").read_text() and zipfile.is_zipfile(folder / "t.docx")
    assert said in done.output and "References" in done.output and "Metric" not in done.output
    assert yaml.safe_load((folder / "card.yaml").read_text())["model-index"]
    for asked in ("stard", "stard=out.md"):
        assert "--for is" in run(*words, "--for", asked, code=2).output
    assert not (folder / "out.md").exists()


def test_comparisons_of_labels_and_of_queries_have_a_table(folder):
    labels, queries = labels_and_queries(folder).values()
    for words, said in (((*labels, "--scores", "s_*"), "2 labels"), ((*queries, "--score", "p_b"), "12 queries")):
        done = run("compare", *words[1:], "--table", "c.md", "--methods")
        assert said in done.output and said in (folder / "c.md").read_text()


def test_a_table_of_a_database_is_still_read(folder):
    with sqlite3.connect("d.db") as database:
        database.execute("create table cases (y int, p real)")
        database.executemany("insert into cases values (?, ?)", [(i % 2, (i * 7 % 10) / 10) for i in range(40)])
    database.close()
    words = ("sqlite:///d.db", "--label", "y", "--score", "p", "--metric", "auroc")
    done = run("evaluate", *words, "--table", "cases", "--table", "t.md")
    assert "AUROC" in done.output and "40 cases" in (folder / "t.md").read_text()
    assert "two tables to read" in run("evaluate", *words, "--table", "cases", "--table", "other", code=2).output


def test_methods_in_place_of_the_result(folder):
    assert "References" in run("evaluate", *DATA, "--methods").output
    assert "DeLong ER" in run("compare", *DATA, "--score", "q", "--methods").output
    assert "2 subgroups" in run("evaluate", *DATA, "--by", "g", "--methods").output
    told = json.loads(run("evaluate", *DATA, "--methods", "--for", "claim", "--json").output)
    assert set(told) == {"methods", "checklist"} and len(told["checklist"]["items"]) == 42
    run("evaluate", *DATA, "--methods", "-o", "m.txt")
    assert "References" in (folder / "m.txt").read_text()


def test_checklists_are_printed_or_written(folder):
    assert "STARD 2015" in run("evaluate", *DATA, "--for", "stard").output
    done = run("evaluate", "--for", "tripod-ai", "out.md", *DATA)
    assert "TRIPOD" in (folder / "out.md").read_text() and "TRIPOD" not in done.stdout
    run("evaluate", *DATA, "--for=stard", "out.docx")
    assert zipfile.is_zipfile(folder / "out.docx")
    run("counts", "--tp", 9, "--fp", 1, "--fn", 2, "--tn", 8, "--for", "stard", "n.html")
    assert "9 positive" in (folder / "n.html").read_text()


def test_model_index(folder):
    yaml = pytest.importorskip("yaml")
    run("evaluate", *DATA, "--model-index", "card.yaml")
    (model,) = yaml.safe_load((folder / "card.yaml").read_text())["model-index"]
    assert model["name"] == "p" and model["results"][0]["dataset"]["name"] == "d.csv"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--for", "consort"), "must be one of stard, tripod-ai, claim"),
        (("--for", "stard=out.pdf"), "must end in .docx"),
        (("--methods", "--format", "csv"), "not shown in CSV"),
        (("--methods", "--prevalence", "2%"), "another population"),
        (("--table", "t.md", "--prevalence", "2%"), "another population"),
        (("--methods", "--null", "auroc=.5"), "is not shown with --methods"),
        (("--methods", "--explain", "auprc"), "shows definitions"),
        (("--for", "stard", "--explain", "auprc"), "shows definitions"),
        (("--table", "t.md", "--for", "stard", "t.md"), "written twice"),
        (("--table", "missing/t.md"), "cannot be written"),
    ],
)
def test_what_cannot_be_is_refused(folder, words, said):
    assert said in run("evaluate", *DATA, *words, code=2).output


def test_decision_curves_have_no_table(folder):
    words = ("compare", "d.csv", "--label", "y", "--score", "p", "--score", "q", "--decision-curve", "--table", "t.md")
    assert "--decision-curve shows none" in run(*words, code=2).output

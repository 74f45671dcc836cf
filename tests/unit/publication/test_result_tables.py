"""Tables for papers: every form, hostile names, every kind of result."""

import csv
import html.parser
import io
import math
import re
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._table_view import Cell, Column, Footnote, TableView, form_of, markdown_escaped, rendered

HOSTILE = (
    r"""a|b <script>alert(1)</script> \input{x} $&%#_{}~^ *b* `c` [d](http://e) "q" 'r' =1+1 ]]> --- """
    + "\x00\u202e\n"
)
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def cases(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y.astype(int), np.clip(rng.normal(0.35 + 0.3 * y, 0.2), 0.01, 0.99)


def texts_of(document):
    """The text of every paragraph and of every cell, from the XML itself."""
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        for name in names:
            ET.fromstring(archive.read(name))
        root = ET.fromstring(archive.read("word/document.xml"))
    assert names[0] == "[Content_Types].xml" and "_rels/.rels" in names
    rows = [
        ["".join(t.text or "" for t in cell.iter(f"{W}t")) for cell in row.iter(f"{W}tc")]
        for row in root.iter(f"{W}tr")
    ]
    return ["".join(t.text or "" for t in p.iter(f"{W}t")) for p in root.iter(f"{W}p")], rows


class Page(html.parser.HTMLParser):
    """Tags and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def hostile_results():
    y, s = cases()
    yield uc.evaluate(y, s, name=HOSTILE, n_resamples=100)
    yield uc.evaluate(y, s, by=np.where(np.arange(len(y)) % 2, HOSTILE, "plain"), n_resamples=100).subgroups
    yield uc.compare(y, {HOSTILE: s, "plain": s[::-1]}, n_resamples=100)
    yield uc.evaluate_confusion([[9, 1, 0], [2, 8, 1], [0, 3, 7]], classes=[HOSTILE, "b", "c"], n_resamples=100)


@pytest.mark.parametrize("place", range(4))
def test_hostile_names_stay_text_in_every_form(place):
    result = list(hostile_results())[place]
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\u202e", "\ufffd").replace("\n", "")
    page = Page(result.table("html"))
    assert set(page.tags) <= {"figure", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "sup"}
    assert shown.strip() in page.text
    paragraphs, _ = texts_of(result.table("docx"))
    assert any(shown.strip() in each for each in paragraphs)
    tex = result.table("latex")
    body = tex.replace(r"\\", "")
    assert r"\input{x}" not in tex and r"\textbackslash{}input\{x\}" in tex
    assert not re.search(r"(?<!\\)[#$%](?!\\usepackage)", re.sub(r"\$-\$|^% .*$", "", body, flags=re.M))
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")
    for table in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", tex, flags=re.S):
        lines = [line for line in table[1].split("\n") if line.endswith(r"\\")]
        assert {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {len(table[0]) - 1}
    marked = result.table("markdown")
    assert "<script" not in marked and "](http" not in marked and "*b*" not in marked.replace("\\*", "")
    for block in re.findall(r"(?:^\|.*\n)+", marked, flags=re.M):
        assert len({len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in block.splitlines()}) == 1
    assert "\x00" not in marked + tex and "\u202e" not in marked + tex


def test_all_forms_hold_the_same_numbers(tmp_path):
    y, s = cases()
    ev = uc.evaluate(y, s, threshold=0.4, metrics=["auroc", "sensitivity", "specificity"], name="model")
    rows = list(csv.reader(io.StringIO(ev.table("csv"))))
    _, of_docx = texts_of(ev.table("docx"))
    assert rows[0] == of_docx[0] == ["Metric", "Cases", "Value", "95% interval"]
    assert [each[1:] for each in rows[1:]] == [each[1:] for each in of_docx[1:]]
    for form in ("markdown", "latex", "html"):
        text = ev.table(form).replace("{[}", "[").replace("{]}", "]")
        for row in rows[1:]:
            assert row[2] in text and row[3] in text
        assert "0.4 or more" in text and "given to the software" in text and "cohort" in text and "120 cases" in text
    path = tmp_path / "t.docx"
    assert ev.table("docx", path) == path.read_bytes() == ev.table("docx")  # the same table is the same file
    value = ev["sensitivity"]
    counts = ev.counts
    assert rows[2][1:] == [
        f"{counts.tp:.0f}/{counts.tp + counts.fn:.0f}",
        f"{value.value:.3f}",
        f"[{value.low:.3f}, {value.high:.3f}]",
    ]


def test_python_docx_reads_it():
    docx = pytest.importorskip("docx")
    made = docx.Document(io.BytesIO(uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88).table("docx")))
    assert made.tables[0].cell(0, 0).text == "Metric" and made.paragraphs[0].text.startswith("Performance")


def test_every_number_of_a_comparison_has_its_interval():
    y, s = cases()
    cmp = uc.compare(y, {"a": s, "b": s[::-1], "c": np.roll(s, 1)}, metrics=["auroc", "sensitivity"], n_resamples=100)
    text = cmp.table("markdown")
    assert text.count("**") == 6  # three pairs, a caption each
    own = cmp.evaluations["a"]["auroc"]
    assert f"{own.value:.3f} [{own.low:.3f}, {own.high:.3f}]" in text and "adjusted for 3 pairs" in text
    only = cmp.table("csv", metrics=["auroc"])
    assert "AUROC" in only and "Sensitivity" not in only
    with pytest.raises(uc.UnconfuseError, match="npv"):
        cmp.table("csv", metrics=["npv"])


def test_subgroups_with_their_differences():
    y, s = cases()
    found = uc.evaluate(
        y, s, by=np.arange(len(y)) % 3, metrics=["sensitivity", "lr_positive"], n_resamples=100
    ).subgroups
    text = found.table("markdown")
    assert "(everyone)" in text and "adjusted p" in text and "ratio" in text
    for each in found.values():
        assert f"{each['sensitivity'].value:.3f} [{each['sensitivity'].low:.3f}," in text


def test_counts_only_one_positive_and_no_threshold():
    one = uc.evaluate([1] + [0] * 30, [0.9] + [0.1] * 30, n_resamples=100)
    assert "not estimable" not in one.table("csv", metrics=["sensitivity"])
    no_cut = uc.evaluate([1, 0] * 20, [3.0, 2.0, 5.0, 4.0] * 10, n_resamples=100)
    assert "No threshold was set" in no_cut.table("markdown") and "Sensitivity" not in no_cut.table("csv")
    nothing = uc.evaluate_counts(tp=0, fp=0, fn=5, tn=9)
    assert "Not estimable" in nothing.table("markdown", metrics=["precision"])
    assert "given as decisions" in nothing.table("markdown")


def test_weights_clusters_folds_and_sampling_weights_say_so():
    y, s = cases()
    groups = np.arange(len(y)) // 3
    shown = {
        "clustered cases": uc.evaluate(y, s, groups=groups, metrics=["auroc", "sensitivity"], n_resamples=100),
        "sampling weights": uc.evaluate(y, s, sampling_weights=1.0 + groups % 2, metrics=["auroc"], n_resamples=100),
        "cross-validation": uc.evaluate(y, s, folds=np.arange(len(y)) % 4, metrics=["auroc"], n_resamples=100),
        "case-control": uc.evaluate(y, s, design="case-control", metrics=["auroc"], n_resamples=100),
    }
    for words, ev in shown.items():
        assert words in ev.table("markdown") and words in ev.methods_text()
    assert "/" not in shown["clustered cases"].table("csv")  # counts of clustered cases are no binomial trials


def test_a_metric_of_ones_own_and_chosen_metrics():
    @uc.metric(range=(0, 1))
    def half(c: uc.Counts):
        return c.tp / (c.tp + c.fn) / 2

    own = half
    ev = uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88, metrics=[own, "npv"])
    assert "half" in ev.table("csv")
    assert ev.table("csv", metrics=["recall", "F1 score"]).count("\n") == 3
    with pytest.raises(uc.UnconfuseError):
        ev.table("csv", metrics=["no such metric"])


def test_bad_forms_and_endings_are_refused(tmp_path):
    ev = uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88)
    with pytest.raises(uc.UnconfuseError, match="form"):
        ev.table("pdf")
    with pytest.raises(uc.UnconfuseError, match=r"must end in \.docx"):
        ev.table("docx", tmp_path / "t.md")
    with pytest.raises(uc.UnconfuseError, match="caption"):
        ev.table("markdown", caption=5)
    with pytest.raises(uc.UnconfuseError, match="must end in"):
        form_of("results.pdf")
    assert ev.table("markdown", caption="Mine|<b>").startswith(r"**Mine\|&lt;b&gt;**")


def test_a_score_table_is_where_it_was_and_has_a_name_of_its_own():
    y, s = cases()
    ev = uc.evaluate(y, s, metrics=["auroc"])
    assert ev.table == ev.score_table and ev.table.n == len(y)
    assert uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88).score_table is None


def test_formulas_of_spreadsheets_stay_text():
    view = TableView([Column("a"), Column("b", "number")], [["=cmd()", "-0.5 [-0.6, -0.4]"], ["@x", Cell("-1", "a")]])
    assert list(csv.reader(io.StringIO(view.csv()))) == [["a", "b"], ["'=cmd()", "-0.5 [-0.6, -0.4]"], ["'@x", "-1"]]
    assert rendered([view, view], "csv").count("=cmd") == 2
    assert "a" in TableView([Column("a")], [], "none", [Footnote("x")]).latex()
    assert markdown_escaped("__init__ a_b") == r"\_\_init\_\_ a_b"


def test_infinite_values():
    ev = uc.evaluate_counts(tp=8, fp=0, fn=2, tn=88, metrics=["lr_positive"])
    assert math.isinf(ev["lr_positive"].value) and "inf" in ev.table("csv")

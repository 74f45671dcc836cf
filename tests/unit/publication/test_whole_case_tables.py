"""Tables, methods paragraphs and model cards of many labels and of queries, where a case holds several answers."""

import csv
import io

import numpy as np
import pytest

import unconfuse as uc

LABELS = ["mass", "nodule", "effusion"]


def labelled(n=150, seed=0):
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, 3)) < [0.3, 0.2, 0.5]).astype(float)
    scores = np.clip(0.35 * truth + 0.7 * rng.random((n, 3)), 0, 1)
    truth[0, 0] = np.nan
    return truth, scores


def ranked(queries=30, seed=0):
    rng = np.random.default_rng(seed)
    relevance = rng.integers(0, 3, 10 * queries) * (rng.random(10 * queries) < 0.4)
    return relevance, relevance + rng.normal(size=len(relevance)), np.repeat(np.arange(queries), 10)


def rows_of(text):
    return [list(csv.reader(io.StringIO(each))) for each in text.split("\n\n")]


def shown(estimate):
    return f"{estimate.value:.3f}", f"[{estimate.low:.3f}, {estimate.high:.3f}]"


def test_labels_have_a_table_of_averages_and_one_of_each_label():
    truth, scores = labelled()
    ev = uc.evaluate(truth, scores, labels=LABELS)
    averages, each = rows_of(ev.table("csv"))
    assert averages[0] == ["Metric", "Value", "95% interval"]
    assert tuple(averages[1][1:]) == shown(ev["f1_macro"]) and len(averages) == 1 + len(ev.headline)
    table = ev.per_label()
    assert [row[0] for row in each[1:]] == list(table) and each[0][2] == "AUROC [95% interval]"
    for row in each[1:]:
        positives, cases = table.support[row[0]]
        assert row[1] == f"{positives:g}/{cases:g}" and row[2] == " ".join(shown(table[row[0]]["auroc"]))
    text = ev.table("markdown")
    assert "150 cases with 3 labels each (0.2% of them unknown)" in text and "a score of 0.5 or more" in text
    assert "not adjusted for the number of labels" in text
    assert "score of" not in ev.table(metrics=["auroc_macro"])  # no threshold behind a ranking
    assert rows_of(ev.table("csv", metrics=["npv_micro"]))[0][1][1:] == list(shown(ev["npv_micro"]))


def test_queries_have_a_table():
    relevance, scores, query = ranked()
    ev = uc.evaluate(relevance, scores, query=query)
    (rows,) = rows_of(ev.table("csv"))
    assert [tuple(row[1:]) for row in rows[1:]] == [shown(each) for each in ev.values()]
    text = ev.table("latex")
    assert "30 queries with 300 documents" in text and "queries as the units of sampling" in text
    assert "prevalence" not in text and "threshold" not in text


def test_subgroups_of_labels_have_a_row_for_each_metric():
    truth, scores = labelled()
    half = np.where(np.arange(len(truth)) % 2, "odd", "even")
    ev = uc.evaluate(truth, scores, labels=LABELS, by=half)
    parts = rows_of(ev.table("csv", metrics=["f1_macro", "auroc_macro"]))[1]
    assert [row[:2] for row in parts[1:]] == [["even", "75"], ["even", "75"], ["odd", "75"], ["odd", "75"]]
    assert parts[1][3] == " ".join(shown(ev.subgroups["even"]["f1_macro"]))


@pytest.mark.parametrize("kind", ["labels", "queries"])
def test_comparisons_have_a_table_and_a_paragraph(kind):
    if kind == "labels":
        truth, scores = labelled()
        found = uc.compare(truth, {"a": scores, "b": scores[::-1]}, labels=LABELS, metrics=["f1_macro"])
        unit, cases = "cases", "150 cases with 3 labels each"
        assert "Thresholds: a 0.5 for all labels" in found.table()
    else:
        relevance, scores, query = ranked()
        found = uc.compare(relevance, {"a": scores, "b": -scores}, query=query, metrics=["ndcg"])
        unit, cases = "queries", "30 queries with 300 documents"
        assert "Thresholds" not in found.table()
    (rows,) = rows_of(found.table("csv"))
    difference = next(iter(found.values())).difference
    assert tuple(rows[1][3:5]) == shown(difference)
    for text in (found.table(), found.methods_text()):
        assert cases in text and f"the same {unit}." in text


def test_methods_paragraphs_name_averages_and_units():
    truth, scores = labelled()
    said = uc.evaluate(truth, scores, labels=LABELS).methods_text(metrics=["average_precision_macro", "hamming_loss"])
    assert "average precision (macro) and Hamming loss" in said and "Wilson EB" in said
    relevance, scores, query = ranked()
    said = uc.evaluate(relevance, scores, query=query).methods_text()
    assert said.startswith("The classifier was evaluated on 30 queries with 300 documents, with queries as the units")


def test_word_documents_are_read_by_another_reader():
    docx = pytest.importorskip("docx")
    truth, scores = labelled()
    made = docx.Document(io.BytesIO(uc.evaluate(truth, scores, labels=LABELS).table("docx")))
    assert [len(each.rows) for each in made.tables] == [7, 4]


def test_model_cards_say_how_many_labels_or_queries_there_are():
    yaml = pytest.importorskip("yaml")

    def metrics(evaluation, *names):
        card = yaml.safe_load(evaluation.model_index(model="me/m", metrics=names))
        return card["model-index"][0]["results"][0]["metrics"]

    truth, scores = labelled()
    ev = uc.evaluate(truth, scores, labels=LABELS)
    decided, ranking = metrics(ev, "f1_macro", "auroc_macro")
    assert decided["type"] == "f1" and decided["value"] == ev["f1_macro"].value
    assert decided["args"]["n"] == 150 and decided["args"]["n_labels"] == 3 and decided["args"]["threshold"] == 0.5
    assert "threshold" not in ranking["args"]
    cuts = dict(zip(LABELS, (0.2, 0.5, 0.7), strict=True))
    (decided,) = metrics(uc.evaluate(truth, scores, labels=LABELS, threshold=cuts), "f1_macro")
    assert decided["args"]["thresholds"] == cuts
    relevance, scores, query = ranked()
    (ndcg,) = metrics(uc.evaluate(relevance, scores, query=query), "ndcg")
    assert ndcg["args"]["n_queries"] == 30 and ndcg["args"]["n_documents"] == 300

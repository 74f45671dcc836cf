"""Methods paragraphs, checklists, flow diagrams, model-card metadata and panels."""

import json
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.publication import GUIDELINES
from unconfuse.publication.flow_diagram import flow_of
from unconfuse.report import read_payload, render

HOSTILE = 'a: "b" #c\n- d\\e \U0001f600 {x} [y] \x00 & *z'


def cases(n=150, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y.astype(int), np.clip(rng.normal(0.35 + 0.3 * y, 0.2), 0.01, 0.99)


def test_methods_cite_what_was_used_and_nothing_else():
    text = uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88, metrics=["sensitivity"]).methods_text()
    assert "Lancaster" in text and "DeLong" not in text and "resamples" not in text
    assert f"unconfuse {uc.__version__}" in text and "100 cases, 10 of them positive (10.0%)" in text
    y, s = cases()
    ev = uc.evaluate(y, s, at="youden", metrics=["auroc", "equal_error_rate", "accuracy"], n_resamples=150, rng=7)
    text = ev.methods_text()
    assert "150 resamples (seed 7)" in text and "Youden WJ" in text and "chosen on these data" in text
    cited = {int(each) for found in re.findall(r"\[([\d, ]+)\]", text) for each in found.split(",")}
    assert cited == {int(each) for each in re.findall(r"^(\d+)\. ", text, flags=re.M)}


def test_methods_of_a_comparison_and_of_subgroups():
    y, s = cases()
    cmp = uc.compare(y, {"a": s, "b": s[::-1], "c": np.roll(s, 1)}, metrics=["auroc"], adjust="holm", margin=0.05)
    text = cmp.methods_text()
    assert "3 models (a, b, c)" in text and "Holm S" in text and "DeLong ER" in text and "Margin: 0.05" in text
    one = uc.compare(y, {"a": s, "b": s[::-1]}, metrics=["auroc"]).methods_text()
    assert "adjust" not in one
    text = uc.evaluate(y, s, by=np.arange(len(y)) % 3, metrics=["sensitivity"]).subgroups.methods_text()
    assert "3 subgroups" in text and "Holm" in text


@pytest.mark.parametrize("name", [*GUIDELINES, "STARD", "TRIPOD+AI"])
def test_checklists_answer_with_intervals_and_ask_the_rest(name):
    y, s = cases()
    ev = uc.evaluate(y, s, threshold=0.4, metrics=["auroc", "sensitivity", "specificity"])
    found = ev.checklist(name)
    numbers = [each.number for each in found.items]
    assert len(set(numbers)) == len(numbers) and all(each.answer or each.question for each in found.items)
    auroc = ev["auroc"]
    words = f"AUROC {auroc.value:.3f} (95% interval {auroc.low:.3f} to {auroc.high:.3f})"
    assert any(words in each.answer for each in found.answered)
    assert 5 < len(found.answered) < len(found.items) - 10
    assert str(found).count("\n| ") == len(found.items) + 2
    assert json.dumps(found.as_dict(), allow_nan=False) and len(found.rows()) == len(found.items)


def test_guidelines_have_the_items_they_have():
    sizes = {name: len({re.match(r"\d+", each.number)[0] for each in one.items}) for name, one in GUIDELINES.items()}
    assert sizes == {"stard": 30, "tripod-ai": 27, "claim": 42}
    assert len(GUIDELINES["tripod-ai"].items) == 52 and len(GUIDELINES["stard"].items) == 34


def test_unknown_guidelines_and_items_are_refused():
    ev = uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88)
    for wrong in ("consort", 5, ""):
        with pytest.raises(uc.UnconfuseError, match="guideline"):
            ev.checklist(wrong)
    with pytest.raises(KeyError, match="no item"):
        ev.checklist("stard")["99"]


def test_checklists_as_files(tmp_path):
    ev = uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88)
    for ending in ("md", "docx", "html", "tex", "csv"):
        ev.checklist("stard").save(tmp_path / f"out.{ending}")
        assert (tmp_path / f"out.{ending}").stat().st_size > 1000
    with pytest.raises(uc.UnconfuseError, match="must end in"):
        ev.checklist("stard").save(tmp_path / "out.pdf")


def test_the_flow_adds_up():
    y, s = cases()
    y, s = y.astype(float), s.copy()
    y[3] = np.nan
    s[[5, 6]] = np.nan
    with pytest.warns(uc.UnconfuseWarning, match="3 rows were left out"):
        ev = uc.evaluate(y, s, on_bad_row="skip", threshold=0.4, metrics=["auroc"])
    text = str(flow_of(ev))
    assert "Rows read: 150" in text and "Cases used: 147" in text
    assert "missing label: 1" in text and "missing score: 2" in text
    counts = ev.counts
    assert (
        f"labelled positive: {counts.tp + counts.fp:.0f} ({counts.tp:.0f} positive, {counts.fp:.0f} negative)" in text
    )
    assert "3 rows were left out" in ev.checklist("stard")["16"].answer
    drawn = ET.fromstring(flow_of(ev).svg())
    assert sum(each.tag.endswith("rect") for each in drawn.iter()) == 5


def test_the_flow_of_several_classes_and_without_a_threshold():
    many = uc.evaluate_confusion(np.eye(20) * 5 + 1, classes=[f"<c{k}>" for k in range(20)], n_resamples=100)
    assert "8 other classes" in str(flow_of(many)) and ET.fromstring(flow_of(many).svg()) is not None
    no_cut = uc.evaluate([1, 0] * 20, [3.0, 2.0, 5.0, 4.0] * 10, metrics=["auroc"])
    assert "no labels" in str(flow_of(no_cut)) and no_cut.checklist("stard")["23"].answer == ""
    weighted = uc.evaluate([1, 0, 1, 0], [0.9, 0.1, 0.4, 0.6], weights=[2, 3, 1, 4], metrics=["auroc"])
    assert "not known" in str(flow_of(weighted)) and "Cases used: 10" in str(flow_of(weighted))


def test_model_index_has_the_documented_structure():
    yaml = pytest.importorskip("yaml")
    y, s = cases()
    ev = uc.evaluate(y, s, threshold=0.4, name=HOSTILE, metrics=["auroc", "sensitivity", "lr_positive"])
    made = yaml.safe_load(ev.model_index(dataset=HOSTILE, dataset_id="me/data", split="test"))
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\n", " ")
    assert list(made) == ["model-index"]
    (model,) = made["model-index"]
    assert set(model) == {"name", "results"} and model["name"] == shown
    (result,) = model["results"]
    assert set(result) == {"task", "dataset", "metrics"} and result["task"] == {"type": "tabular-classification"}
    assert result["dataset"] == {"type": "me/data", "name": shown, "split": "test"}
    for each in result["metrics"]:
        assert set(each) == {"type", "value", "name", "args"}
        own = ev[each["args"]["metric"]]
        assert (each["value"], each["args"]["low"], each["args"]["high"]) == (own.value, own.low, own.high)
        assert each["args"]["n"] == 150 and each["args"]["confidence_level"] == 0.95
    by_type = {each["type"]: each["args"] for each in result["metrics"]}
    assert by_type["recall"]["threshold"] == 0.4 and "threshold" not in by_type["roc_auc"]


def test_model_index_of_tiny_and_of_infinite_numbers(tmp_path):
    yaml = pytest.importorskip("yaml")
    ev = uc.evaluate_counts(tp=1, fp=1, fn=0, tn=10**7, metrics=["false_positive_rate", "lr_positive", "precision"])
    path = tmp_path / "card.yaml"
    text = ev.model_index(path, model="me/model")
    assert path.read_text(encoding="utf-8") == text
    found = {each["args"]["metric"]: each for each in yaml.safe_load(text)["model-index"][0]["results"][0]["metrics"]}
    assert found["false_positive_rate"]["value"] == ev["false_positive_rate"].value < 1e-6
    several = uc.evaluate_confusion([[5, 1, 0], [2, 8, 1], [0, 1, 4]], n_resamples=100)
    assert yaml.safe_load(several.model_index())["model-index"][0]["name"] == "unnamed model"
    with pytest.raises(uc.UnconfuseError, match="task"):
        ev.model_index(task="")
    with pytest.raises(uc.UnconfuseError, match="split"):
        ev.model_index(split=3)


def test_stored_results_are_drawn_again(tmp_path):
    """The plain JSON card: what `payload` tells is what `render` reads, the same after a file."""
    y, s = cases()
    results = [
        uc.evaluate(y, s, metrics=["auroc", "sensitivity"], n_resamples=100),
        uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88),
        uc.compare(y, {"a": s, "b": s[::-1]}, metrics=["auroc"]),
    ]
    for place, result in enumerate(results):
        path = tmp_path / f"{place}.json"
        payload = json.loads(json.dumps(result.payload(), allow_nan=False))
        path.write_text(json.dumps(payload))
        assert read_payload(path) == payload and render(read_payload(path)) == render(payload)


def test_panels_have_the_width_of_columns(tmp_path):
    pytest.importorskip("matplotlib")
    y, s = cases()
    ev = uc.evaluate(y, s, metrics=["auroc", "brier"], n_resamples=100)
    for columns, width in ((1, 88), (2, 180)):
        figure = ev.plot_panel(tmp_path / f"{columns}.svg", columns=columns)
        assert round(25.4 * figure.get_size_inches()[0]) == width and len(figure.axes) == 4
        assert 25.4 * figure.get_size_inches()[1] < 240  # of a page
        assert [ax.get_title(loc="left")[0] for ax in figure.axes] == list("ABCD")
    assert "AUROC" in (tmp_path / "2.svg").read_text()
    ranks = uc.evaluate([1, 0] * 20, [3.0, 2.0, 5.0, 4.0] * 10, metrics=["auroc"]).plot_panel()
    assert "gain" in ranks.axes[2].get_title(loc="left").lower()
    with pytest.raises(uc.UnconfuseError, match="scores"):
        uc.evaluate_counts(tp=8, fp=2, fn=2, tn=88).plot_panel()
    with pytest.raises(uc.UnconfuseError, match="columns"):
        ev.plot_panel(columns=3)


@pytest.mark.filterwarnings("ignore:all scores are")
def test_one_positive_perfect_and_all_tied():
    for y, s in (([1] + [0] * 20, [0.9] + [0.1] * 20), ([1, 0] * 10, [0.9, 0.1] * 10), ([1, 0] * 10, [0.5] * 20)):
        ev = uc.evaluate(y, s, metrics=["auroc", "sensitivity", "precision"], n_resamples=100)
        assert ev.table("latex") and ev.methods_text() and ev.model_index() and len(ev.checklist("claim").items) == 42
        assert not math.isnan(ev["auroc"].value)


def test_folds_and_verified_cases_say_what_they_are():
    y, s = cases()
    folds = uc.evaluate(y, s, folds=np.arange(len(y)) % 3, threshold=0.4, metrics=["sensitivity"], n_resamples=100)
    assert "0.4 or more" in folds.table("markdown") and "0.4 or more" in folds.methods_text()
    rng = np.random.default_rng(3)
    known = np.where(rng.random(len(y)) < 0.5, y, np.nan)
    rated = uc.evaluate(known, s, judge=y ^ (rng.random(len(y)) < 0.1), metrics=["sensitivity"], n_resamples=100)
    assert "an estimated" in rated.methods_text() and "Estimated from" in rated.checklist("stard")["23"].answer


def test_another_prevalence_is_not_reported_as_if_it_were_counted():
    y, s = cases()
    shifted = uc.shift_prevalence(uc.evaluate(y, s, metrics=["precision"], n_resamples=100), prevalence=0.02)
    for ask in (shifted.table, shifted.methods_text, shifted.model_index, lambda: shifted.checklist("stard")):
        with pytest.raises(uc.UnconfuseError, match="another prevalence"):
            ask()


def test_thresholds_are_named_only_where_numbers_rest_on_them():
    y, s = cases()
    assert "or more" not in uc.evaluate(y, s, threshold=0.4, metrics=["auroc"]).table("markdown")
    assert "Thresholds" not in uc.compare(y, {"a": s, "b": s[::-1]}, metrics=["auroc"]).methods_text()

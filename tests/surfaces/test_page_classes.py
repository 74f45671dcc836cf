"""The page of several classes: what it holds is what Python says, it stays small, and a browser shows it."""

import copy
import json
import math
import warnings
from functools import lru_cache
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import number_text
from unconfuse.demo import animals_path
from unconfuse.report import check_payload, render, schema

AXE = Path(__file__).parents[2] / "build" / "tools" / "node_modules" / "axe-core" / "axe.min.js"
NAMES = {3: ["cat", "dog", "fox"], 10: ["plane", "bird", "car", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]}
SIZES = {3: 300, 10: 1000, 100: 4000, 1000: 9000}


def labels(n_classes, n, seed=0):
    """Classes of different sizes; neighbours are confused with each other."""
    rng = np.random.default_rng(seed)
    share = rng.dirichlet(np.full(n_classes, 5))
    truth = np.append(np.arange(n_classes), rng.choice(n_classes, n - n_classes, p=share))
    apart = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes)))
    raised = rng.normal(size=(n, n_classes)) + (apart == 1)[truth] * 1.2
    raised[np.arange(n), truth] += 2 + np.log(n_classes) / 2
    scores = np.exp(raised)
    return truth, scores / scores.sum(axis=1, keepdims=True)


@lru_cache
def result(n_classes):
    truth, scores = labels(n_classes, SIZES[n_classes])
    names = NAMES.get(n_classes) or [f"class {i:03d}" for i in range(n_classes)]
    chosen = None if n_classes < 1000 else ["accuracy", "f1_macro", "auroc_hand_till"]
    return uc.evaluate(
        np.array(names, dtype=object)[truth],
        scores,
        classes=names,
        n_resamples=100,
        metrics=chosen,
        name=f"model of {n_classes}",
    )


@lru_cache
def payload(n_classes):
    return result(n_classes).payload()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """Each page is made once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def make(n_classes):
        if n_classes not in made:
            made[n_classes] = folder / f"{n_classes}.html"
            made[n_classes].write_text(render(payload(n_classes)), encoding="utf-8")
        return made[n_classes]

    return make


def matrix_of(part):
    size = len(part["names"])
    counts = np.zeros(size * size)
    counts[np.cumsum(part["cells"]["step"])] = part["cells"]["count"]
    return counts.reshape(size, size)


@pytest.mark.parametrize("n_classes", [3, 10, 100, 1000])
def test_payload_holds_what_python_says_and_stays_small(n_classes):
    found, made = result(n_classes), payload(n_classes)
    text = json.dumps(made, allow_nan=False)
    jsonschema.validate(json.loads(text), schema())
    assert len(render(json.loads(text)).encode()) < 400_000
    part, table = made["classes"], found.per_class()
    assert made["kind"] == "classes" and part["names"] == list(found.classes) and part["left_out"] == 0
    assert (matrix_of(part) == found.confusion.counts).all() and part["cells"]["left_out"] == 0
    assert part["order"] == found.confusion.order()
    assert [each["sentence"] for each in part["worst"]] == [
        each.sentence for each in found.confusion.largest_confusions(10)
    ]
    for name, each in found.items():
        assert part["summaries"][name]["value"] == pytest.approx(each.value, nan_ok=True)
    for name, column in part["table"]["metrics"].items():
        values = [math.nan if each is None else each for each in column["value"]]
        assert values == pytest.approx(table[name], rel=1e-4, nan_ok=True)
    weakest = table.order("sensitivity", ascending=True)[: len(part["full"])]
    assert part["full"] == weakest and len(made["models"]) == len(weakest) >= min(n_classes, 2)
    for k, model in zip(part["full"], made["models"], strict=True):
        judged = found.one_vs_rest(found.classes[k])
        assert model["name"] == f"{found.classes[k]} vs the rest"
        assert model["estimates"]["auroc"]["value"] == judged["auroc"].value


def test_every_class_of_three_is_there_in_full():
    assert sorted(payload(3)["classes"]["full"]) == [0, 1, 2]


def test_slider_of_a_class_begins_where_as_many_are_called():
    for k, model in zip(payload(10)["classes"]["full"], payload(10)["models"], strict=True):
        called = [tp + fp for tp, fp in zip(model["stops"]["tp"], model["stops"]["fp"], strict=True)]
        at = called[model["stops"]["threshold"].index(model["start"])]
        assert at == result(10).confusion.predicted[k]  # scores without ties: any number can be called


def test_reject_option_is_that_of_python():
    part, curve = payload(10)["classes"]["risk_coverage"], result(10).risk_coverage()
    assert part["area"]["value"] == curve.area.value and part["overall"] == curve.risk[-1]
    for each in part["at"]:
        assert each["value"] == curve.coverage_at(each["risk"]).value


def test_a_large_matrix_keeps_its_diagonal_and_its_largest_cells():
    counts = np.random.default_rng(1).integers(1, 50, (150, 150)) + 60 * (np.arange(150) == 7)
    np.fill_diagonal(counts, 1)
    part = uc.evaluate_confusion(counts, metrics=["accuracy"]).payload()["classes"]
    kept = matrix_of(part)
    assert (np.diag(kept) == 1).all() and (kept[kept > 0] == counts[kept > 0]).all()
    assert part["cells"]["left_out"] == 150 * 150 - (kept > 0).sum()
    assert counts[kept == 0].max() == part["cells"]["at_most"] <= np.sort(kept[kept > 1])[0]


def test_many_classes_show_the_largest():
    matrix = np.diag(np.arange(1, 1101))
    part = uc.evaluate_confusion(matrix, metrics=["accuracy"]).payload()["classes"]
    assert len(part["names"]) == 1000 and part["left_out"] == 100
    assert part["names"] == [str(each) for each in range(100, 1100)] and min(part["truth"]) == 101


def hostile():
    return [
        "<script>alert(1)</script><img src=x onerror=alert(2)>",
        "שלום \u202eעולם",
        "🦊" * 30,
        "y" * 10_000,
        "y" * 9_999 + "z",
        '\'; rm -rf "$HOME" #',
    ]


def hostile_result():
    truth, scores = labels(6, 240)
    return uc.evaluate(np.array(hostile(), dtype=object)[truth], scores, classes=hostile(), n_resamples=100)


def test_weights_groups_decisions_and_missing_classes():
    truth, scores = labels(4, 200)
    weights = np.random.default_rng(2).random(200) + 0.5
    made = {
        "weights": lambda: uc.evaluate(truth, scores, weights=weights, n_resamples=100),
        "groups": lambda: uc.evaluate(truth, scores, groups=np.arange(200) // 4, n_resamples=100),
        "decisions": lambda: uc.evaluate(truth, predicted=scores.argmax(axis=1), n_resamples=100),
        "absent": lambda: uc.evaluate(truth % 3, scores, classes=range(4), n_resamples=100),
        "no probabilities": lambda: uc.evaluate(truth, 3 * scores, n_resamples=100),
        "matrix": lambda: uc.evaluate_confusion([[5, 0, 0], [0, 7, 0], [0, 0, 2]], n_resamples=100),
    }
    for name, make in made.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", uc.UnconfuseWarning)
            found = make()
            stored = json.loads(json.dumps(found.payload(), allow_nan=False))
        if name == "absent":
            assert "does not occur" in stored["classes"]["table"]["undefined"]["3"]
        jsonschema.validate(stored, schema())
        assert len(render(stored).encode()) < 400_000, name
        assert matrix_of(stored["classes"]) == pytest.approx(found.confusion.counts, rel=1e-8), name


def test_broken_payloads_of_classes_are_refused():
    whole = payload(3)
    for path, value in {
        ("names",): ["a"],
        ("order",): [0, 0, 1],
        ("cells", "count"): [1],
        ("full",): [0, 1, 9],
        ("truth",): [1],
        ("cells", "step"): [0, -1, 2, 3, 1, 1, 1, 1, 1],
        ("summaries",): [],
        ("declared",): None,
    }.items():
        made = copy.deepcopy(whole)
        place = made["classes"]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(InputError):
            check_payload(made)
    with pytest.raises(ArgumentError, match="no prevalence"):
        result(3).report("page.html", prevalence=0.1)


@pytest.mark.parametrize("command", ["scores", "predicted", "matrix", "class", "class of matrix", "compare"])
def test_commands_write_pages(command, tmp_path, run):
    page, stored = tmp_path / "page.html", tmp_path / "payload.json"
    (tmp_path / "m.csv").write_text(",cat,dog\ncat,50,3\ndog,10,30\n", encoding="utf-8")
    animals = [str(animals_path()), "--label", "animal", "--resamples", "100"]
    table = tmp_path / "decided.csv"
    table.write_text("y,p\n" + "\n".join(f"{a},{b}" for a in "abc" for b in "aabbc"), encoding="utf-8")
    rest = {
        "scores": ["evaluate", *animals, "--scores", "new_*"],
        "predicted": ["evaluate", str(table), "--label", "y", "--predicted", "p"],
        "matrix": ["counts", "--matrix", str(tmp_path / "m.csv")],
        "class": ["evaluate", *animals, "--scores", "new_*", "--class", "fox"],
        "class of matrix": ["counts", "--matrix", str(tmp_path / "m.csv"), "--class", "dog"],
        "compare": ["compare", *animals, "--scores", "new_*", "--scores", "old_*"],
    }[command]
    done = run(*rest, "--html", page, "--payload", stored)
    assert done.exit_code == 0, done.output
    made = json.loads(stored.read_text(encoding="utf-8"))
    kinds = {"class": "evaluate", "class of matrix": "counts", "compare": "compare"}
    assert made["kind"] == kinds.get(command, "classes")
    again = run("render", stored, "-o", tmp_path / "again.html")
    assert again.exit_code == 0 and page.read_bytes() == (tmp_path / "again.html").read_bytes()


def test_class_on_the_command_line_is_that_of_python(run):
    animals = ["evaluate", animals_path(), "--label", "animal", "--scores", "new_*", "--resamples", "100"]
    found = json.loads(run(*animals, "--class", "fox", "--json").stdout)
    whole = json.loads(run(*animals, "--json").stdout)
    own = next(each for each in whole["per_class"] if each["class"] == "fox")
    for name in ("sensitivity", "precision", "f1", "auroc"):
        assert found["metrics"][name]["value"] == pytest.approx(own[name])
    assert found["positives"] == own["support"]


def test_class_is_refused_where_it_means_nothing(data_files, run):
    two = run("evaluate", data_files["data.csv"], "--label", "y", "--score", "p", "--positive", "ill", "--class", "ill")
    unknown = run("evaluate", animals_path(), "--label", "animal", "--scores", "new_*", "--class", "unicorn")
    counts = run("counts", "--tp", 1, "--fp", 1, "--fn", 1, "--tn", 1, "--class", "a")
    for done, words in ((two, "--scores PATTERN"), (unknown, "no class 'unicorn'"), (counts, "--matrix")):
        assert done.exit_code == 2 and words in done.stderr


# In the browser

READ_TABLE = """() => [...document.querySelectorAll('#matrix-table td[data-row]')].map(
  each => [Number(each.dataset.row), Number(each.dataset.column), Number(each.dataset.value)])"""
HOVER = """places => places.map(([y, x]) => {
  const canvas = document.querySelector('#matrix-frame canvas'), frame = canvas.parentElement;
  const box = canvas.getBoundingClientRect(), cell = Number(canvas.dataset.cell);
  const at = (from, place) => Number(from) + (place + 0.5) * cell, start = performance.now();
  frame.dispatchEvent(new PointerEvent('pointermove', {bubbles: true,
    clientX: box.left + at(canvas.dataset.left, x), clientY: box.top + at(canvas.dataset.top, y)}));
  const took = performance.now() - start, {row, column, count, ofTruth, ofPredicted} = frame.dataset;
  return [row, column, count, ofTruth, ofPredicted, took].map(Number);
})"""
DRAWN = """() => {
  const canvas = document.querySelector('#matrix-frame canvas'), copy = canvas.cloneNode();
  const pen = copy.getContext('2d', {willReadFrequently: true});
  pen.drawImage(canvas, 0, 0);
  const scale = canvas.width / parseFloat(canvas.style.width), cell = Number(canvas.dataset.cell);
  return (y, x) => [...pen.getImageData(Math.round((Number(canvas.dataset.left) + x * cell + 2) * scale),
    Math.round((Number(canvas.dataset.top) + y * cell + 2) * scale), 1, 1).data].slice(0, 3);
}"""
WIDTH = "document.documentElement.scrollWidth"


def barriers(page):
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate("axe.run().then(found => found.violations.map(v => [v.impact, v.id, v.nodes[0].html]))")


@pytest.mark.parametrize("n_classes", [3, 10])
def test_matrix_table_shows_pythons_shares(open_page, page_file, n_classes):
    page, confusion = open_page(page_file(n_classes)), result(n_classes).confusion
    for choice, wanted in {
        "truth": confusion.normalised("truth"),
        "predicted": confusion.normalised("predicted"),
        "count": confusion.counts,
    }.items():
        page.click(f"#matrix [data-choice={choice}]")
        for order in ("together", "given"):
            page.click(f"#matrix [data-choice={order}]")
            cells = page.evaluate(READ_TABLE)
            ranks = confusion.order() if order == "together" else range(n_classes)
            assert [(i, j) for i, j, _ in cells] == [(i, j) for i in ranks for j in ranks]
            assert all(value == wanted[i, j] for i, j, value in cells), (choice, order)


@pytest.mark.parametrize("n_classes", [3, 100])
def test_cells_under_the_pointer(open_page, page_file, n_classes):
    page, confusion = open_page(page_file(n_classes)), result(n_classes).confusion
    page.click("#matrix [data-choice=together]")
    order, step = confusion.order(), max(n_classes // 20, 1)
    places = [[y, x] for y in range(0, n_classes, step) for x in range(0, n_classes, step)]
    found = page.evaluate(HOVER, places)
    rows, columns = confusion.normalised("truth"), confusion.normalised("predicted")
    for (y, x), (row, column, count, of_truth, of_predicted, _) in zip(places, found, strict=True):
        i, j = order[y], order[x]
        assert (row, column, count) == (i, j, confusion.counts[i, j])
        assert of_truth == rows[i, j] and (of_predicted == columns[i, j] or math.isnan(columns[i, j]))
    assert np.median([each[-1] for each in found]) < 16  # one frame


def test_matrix_by_keyboard_and_enter_opens_the_class(open_page, page_file):
    page, confusion = open_page(page_file(10)), result(10).confusion
    page.focus("#matrix-frame")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "End", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
    frame = page.locator("#matrix-frame")
    assert (frame.get_attribute("data-row"), frame.get_attribute("data-column")) == ("1", "8")
    assert float(frame.get_attribute("data-count")) == confusion.counts[1, 8]
    assert "“bird” were labelled “ship”" in page.inner_text("#matrix-readout")
    page.keyboard.press("Enter")
    assert page.input_value("#class-chooser") == "1"


def test_right_and_wrong_cells_differ_in_hue(open_page, page_file):
    page = open_page(page_file(3))
    right, wrong = page.evaluate(f"(() => {{ const at = ({DRAWN})(); return [at(0, 0), at(0, 1)]; }})()")
    assert right[2] > right[0] and wrong[0] > wrong[2]  # blue, orange
    page.click(".theme")
    dark = page.evaluate(f"(() => {{ const at = ({DRAWN})(); return [at(0, 0), at(0, 1)]; }})()")
    assert dark[0][2] > dark[0][0] and dark[1][0] > dark[1][2] and dark != [right, wrong]


def test_table_of_classes_sorts_searches_and_shows_more(open_page, page_file):
    page, table = open_page(page_file(1000)), result(1000).per_class()
    shown = "rows => rows.map(row => Number(row.dataset.class))"
    assert page.eval_on_selector_all("#class-table tbody tr", shown) == table.order("sensitivity", ascending=True)[:100]
    page.click("#class-table th[data-column=support] button")
    assert page.get_attribute("#class-table th[data-column=support]", "aria-sort") == "descending"
    assert page.eval_on_selector_all("#class-table tbody tr", shown) == table.order("support")[:100]
    page.click("#each > button")
    assert page.locator("#class-table tbody tr").count() == 500
    page.fill("#class-search", "CLASS 99")
    assert page.locator("#class-table tbody tr").count() == 10
    assert "10 of 1,000" in page.inner_text("#class-found")


def test_drill_down_shows_each_class(open_page, page_file):
    page, found, part = open_page(page_file(10)), result(10), payload(10)["classes"]
    for k in (*part["full"][:3], *[k for k in range(10) if k not in part["full"]][:2]):
        page.select_option("#class-chooser", str(k))
        judged, full = found.one_vs_rest(found.classes[k]), k in part["full"]
        page.evaluate("for (const each of document.querySelectorAll('details.fold')) each.open = true")
        assert page.is_visible("#headline-auroc") == full
        for name in ("auroc", "sensitivity", "precision"):
            cell = f"#headline-{name}" if full else f"[data-short={name}]"
            assert page.inner_text(cell) == number_text(judged[name].value), (k, name)
        if full:
            assert float(page.get_attribute("#prevalence-slider-text", "data-value")) == judged.positives / judged.n
            start = payload(10)["models"][part["full"].index(k)]["start"]
            counts = found.table_of(found.classes[k]).counts_at(start)
            assert float(page.get_attribute("#cell-tp", "data-value")) == counts.tp
        else:
            assert f'ev.of_class("{found.classes[k]}").report' in page.inner_text("#class-summary")
    page.click("#class-table tbody tr:nth-child(2) button")
    assert page.input_value("#class-chooser") == str(found.per_class().order("sensitivity", ascending=True)[1])


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed in build/tools")
@pytest.mark.parametrize(("n_classes", "scheme"), [(3, "light"), (100, "dark")])
def test_no_barriers(open_page, page_file, n_classes, scheme):
    page = open_page(page_file(n_classes), color_scheme=scheme)
    assert barriers(page) == []
    rest = [k for k in range(n_classes) if k not in payload(n_classes)["classes"]["full"]]
    if rest:
        page.select_option("#class-chooser", str(rest[0]))
        assert barriers(page) == []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("n_classes", [3, 100])
def test_nothing_runs_over_the_edge(open_page, page_file, n_classes, width):
    page = open_page(page_file(n_classes), viewport={"width": width, "height": 800})
    assert page.evaluate(WIDTH) <= width
    rest = [k for k in range(n_classes) if k not in payload(n_classes)["classes"]["full"]]
    page.select_option("#class-chooser", str((rest or [0])[0]))
    assert page.evaluate(WIDTH) <= width
    assert page.evaluate("document.querySelector('#matrix-frame canvas').getBoundingClientRect().right") <= width


def test_hostile_names_are_only_text(open_page, tmp_path):
    path = hostile_result().report(tmp_path / "page.html")
    assert path.stat().st_size < 400_000
    page = open_page(path, viewport={"width": 360, "height": 800})
    assert page.evaluate(WIDTH) <= 360
    assert page.locator("img").count() == 0
    for k in range(6):
        page.select_option("#class-chooser", str(k))
    assert page.evaluate(HOVER, [[0, 1], [3, 4]])[0][:2] == [0, 1]
    names = page.eval_on_selector_all("#class-chooser option", "all => all.map(each => each.textContent)")
    assert len(set(names)) == 6 and hostile()[0] in names and max(map(len, names)) <= 130


def test_comparison_of_several_classes_in_the_browser(open_page, tmp_path):
    truth, scores = labels(4, 300)
    other = labels(4, 300, seed=0)[1][:, [1, 0, 2, 3]]
    found = uc.compare(truth, {"new": scores, "old": other}, classes=range(4), n_resamples=100)
    page = open_page(found.report(tmp_path / "page.html"))
    assert "300 cases, 4 classes" in page.inner_text("header")
    values = "all => all.map(each => Number(each.dataset.value))"
    shown = page.eval_on_selector_all("#comparison td[data-metric]", values)
    assert shown == [each.difference.value for each in found.values()]

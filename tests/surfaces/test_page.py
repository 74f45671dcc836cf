"""The page in a browser: what it shows is what Python says, wherever the sliders stand."""

import math
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._formatting import number_text
from unconfuse.bayesian import break_even_prevalence, shift_counts_estimates
from unconfuse.uncertainty import estimate_counts

AXE = Path(__file__).parents[2] / "build" / "tools" / "node_modules" / "axe-core" / "axe.min.js"
DECISIONS = [each for each in uc.METRICS.values() if each.of == "counts"]


def tied():
    rng = np.random.default_rng(7)
    y = rng.random(300) < 1 / 3
    return y, np.round(np.clip(0.35 + 0.2 * y + rng.normal(0, 0.15, 300), 0.01, 0.99), 2)


def rare():
    rng = np.random.default_rng(8)
    y = np.arange(20_000) < 20
    return y, 1 / (1 + np.exp(-(3.0 * y + rng.normal(size=20_000) - 4)))


def perfect():
    return np.array([1] * 6 + [0] * 14), np.concatenate([np.linspace(0.7, 0.9, 6), np.linspace(0.1, 0.4, 14)])


def one_positive():
    return np.array([1, *[0] * 30]), np.round(np.linspace(0.8, 0.05, 31), 3)


DATA = {"ties": tied, "rare": rare, "perfect": perfect, "one positive": one_positive}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Each page is made once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def make(name):
        if name not in made:
            y, s = DATA[name]()
            evaluation = uc.evaluate(y, s, n_resamples=200, name=f"model of {name}")
            made[name] = evaluation, evaluation.report(folder / f"{name.replace(' ', '-')}.html")
        return made[name]

    return make


READ_SECOND = "rows => rows.map(row => row.children[1].textContent)"
READ_VALUES = "cells => cells.map(each => Number(each.dataset.value))"
UNNAMED = "[...document.querySelectorAll('svg')].filter(each => !each.getAttribute('aria-label')).length"
REDRAWN = """() => {
  const times = [];
  for (let round = 0; round < 5; round++) {
    ['threshold-slider', 'prevalence-slider'].forEach((id, place) => {
      const input = document.getElementById(id);
      for (let i = 0; i < 150; i++) {
        input.value = Math.round(i * Number(input.max) / 149);
        const start = performance.now();
        input.dispatchEvent(new Event('input'));
        (times[150 * place + i] ??= []).push(performance.now() - start);
      }
    });
  }
  return times.map(each => Math.min(...each));
}"""
NOT_NUMBERS = """[...document.querySelectorAll('svg *')].filter(
  each => [...each.attributes].some(given => given.value.includes('NaN'))).length"""
MOVE = """([id, values]) => values.map(value => {
  const input = document.getElementById(id);
  input.value = value;
  input.dispatchEvent(new Event('input'));
  const texts = {};
  for (const each of document.querySelectorAll('[id]')) texts[each.id] = {text: each.textContent, ...each.dataset};
  return texts;
})"""


UNFOLD = "for (const each of document.querySelectorAll('details.fold')) each.open = true"


def positions(page, slider, n):
    most = int(page.get_attribute(f"#{slider}", "max"))
    return sorted({round(each) for each in np.linspace(0, most, n)})


def number(text):
    return {"Infinity": math.inf, "NaN": math.nan}.get(text) if text in ("Infinity", "NaN") else float(text)


def check_interval(text, low, high, where):
    """Five digits were kept, three are shown."""
    if math.isnan(low):
        assert text == "", where
        return
    shown = [float(each.replace(",", "")) for each in text.strip("[]").split(", ")]
    for seen, exact in zip(shown, (low, high), strict=True):
        rounding = 0.5 * 10.0 ** -decimals(seen) + 5e-5 * abs(exact)
        assert seen == exact or abs(seen - exact) <= rounding * (1 + 1e-9), where


def decimals(value):
    text = number_text(value)
    return 4 if "e" in text else len(text.partition(".")[2])


@pytest.mark.parametrize("name", DATA)
def test_threshold_slider_shows_what_python_says(pages, open_page, name):
    evaluation, path = pages(name)
    page = open_page(path)
    for texts in page.evaluate(MOVE, ["threshold-slider", positions(page, "threshold-slider", 9)]):
        threshold = number(texts["threshold-slider-text"]["value"])
        counts = evaluation.table.counts_at(threshold)
        for cell, count in counts.as_dict().items():
            assert float(texts[f"cell-{cell}"]["value"]) == count
        for metric in DECISIONS:
            found = estimate_counts(metric, counts)
            where = (metric.name, threshold)
            assert texts[f"value-{metric.name}"]["text"] == number_text(found.value), where
            assert number(texts[f"value-{metric.name}"]["value"]) == pytest.approx(
                found.value, rel=1e-12, abs=1e-15, nan_ok=True
            )
            check_interval(texts[f"interval-{metric.name}"]["text"], found.low, found.high, where)


@pytest.mark.parametrize("name", DATA)
def test_prevalence_slider_shows_what_python_says(pages, open_page, name):
    evaluation, path = pages(name)
    page = open_page(path)
    wanted = [uc.METRICS[each] for each in ("precision", "npv", "accuracy", "f1", "mcc")]
    for stop in positions(page, "threshold-slider", 5):
        page.evaluate(MOVE, ["threshold-slider", [stop]])
        for texts in page.evaluate(MOVE, ["prevalence-slider", [0, 137, 290, 500, 1000]]):
            counts = evaluation.table.counts_at(number(texts["threshold-slider-text"]["value"]))
            prevalence = float(texts["prevalence-slider-text"]["value"])
            python = shift_counts_estimates(counts, wanted, prevalence)
            for metric, found in python.items():
                shown = texts[f"shifted-{metric}"]
                where = (metric, prevalence, counts)
                assert number(shown["value"]) == pytest.approx(found.value, rel=1e-9, abs=1e-12, nan_ok=True), where
                if metric in ("precision", "npv") and not math.isnan(found.low):
                    assert number(shown["low"]) == pytest.approx(found.low, rel=1e-5, abs=1e-6), where
                    assert number(shown["high"]) == pytest.approx(found.high, rel=1e-5, abs=1e-6), where
            person = uc.posterior(counts, prior=prevalence)
            for end in ("low", "high"):
                assert number(texts["person-words"][end]) == pytest.approx(
                    getattr(person.after_positive, end), rel=1e-5, nan_ok=True
                )
            assert number(texts["person-words"]["positive"]) == pytest.approx(
                person.after_positive.value, rel=1e-9, nan_ok=True
            )
            assert number(texts["person-words"]["negative"]) == pytest.approx(
                person.after_negative.value, rel=1e-9, abs=1e-15, nan_ok=True
            )
            there = counts.at_prevalence(prevalence)
            for cell in ("tp", "fp", "fn", "tn"):
                expected = 1000 * float(getattr(there, cell))
                assert float(texts[f"thousand-{cell}"]["value"]) == pytest.approx(expected, rel=1e-9, abs=1e-12)
            even = break_even_prevalence(counts)
            assert number(texts["break-even"]["value"]) == pytest.approx(even.value, rel=1e-9, nan_ok=True)


def test_worth_of_a_label_ends_where_acting_on_all_or_none_begins(pages, open_page):
    evaluation, path = pages("ties")
    page = open_page(path)
    page.fill("#worth", "4")
    words = page.locator("#worth-words")
    t = 1 / 5  # one positive found for four false alarms
    none = break_even_prevalence(evaluation.counts, precision=t)
    every = break_even_prevalence(evaluation.counts, npv=1 - t)
    assert float(words.get_attribute("data-none")) == pytest.approx(none.value, rel=1e-9)
    assert float(words.get_attribute("data-all")) == pytest.approx(every.value, rel=1e-9)
    net = float(page.get_attribute("#shifted-net", "data-value"))
    assert net == pytest.approx(float(uc.net_benefit(t)(evaluation.counts)), rel=1e-9)


def test_card_moves_the_slider_and_costs_find_the_cheapest(pages, open_page):
    evaluation, path = pages("ties")
    page = open_page(path)
    page.evaluate(UNFOLD)
    card = uc.threshold_card(evaluation.table, costs=(2, 7), honest=None, n_resamples=1)
    for rule in ("youden", "max_mcc", "top_left"):
        page.click(f'button[data-rule="{rule}"]')
        assert float(page.get_attribute("#threshold-slider-text", "data-value")) == card[rule].threshold.value
    page.fill("#cost-fp-0", "2")
    page.fill("#cost-fn-0", "7")
    assert float(page.get_attribute("#cost-where-0", "data-value")) == card["cost"].threshold.value
    page.click("#cost-go-0")
    counts = evaluation.table.counts_at(card["cost"].threshold.value)
    cost = 1000 * float(uc.expected_cost(fp=2, fn=7)(counts))
    assert float(page.get_attribute("#cost-now-0", "data-value")) == pytest.approx(cost, rel=1e-9)


def test_sliders_work_by_keyboard_and_prevalence_by_typing(pages, open_page):
    evaluation, path = pages("ties")
    page = open_page(path)
    page.focus("#threshold-slider")
    before = float(page.get_attribute("#threshold-slider-text", "data-value"))
    page.keyboard.press("ArrowRight")
    after = float(page.get_attribute("#threshold-slider-text", "data-value"))
    assert after == min(each for each in [*evaluation.table.score, 0.5] if each > before)
    page.fill("#prevalence-typed", "2")
    page.press("#prevalence-typed", "Enter")
    assert float(page.get_attribute("#prevalence-slider-text", "data-value")) == 0.02
    page.click("#prevalence-own")
    assert float(page.get_attribute("#prevalence-slider-text", "data-value")) == pytest.approx(
        evaluation.table.prevalence
    )


def test_numbers_read_as_in_python(pages, open_page, tmp_path):
    rng = np.random.default_rng(3)
    values = [
        0.0625,
        0.1875,
        0.3125,
        12.25,
        0.0045,
        0.005,
        1e-5,
        1.25e-7,
        999.5,
        1000.5,
        1234567.0,
        0.9995,
        -0.0312,
        -4.5,
        99.95,
        *rng.random(300),
        *(10 ** rng.uniform(-8, 8, 300)),
        *(-(10 ** rng.uniform(-4, 4, 50))),
    ]
    metric = uc.metric(name="mine", label="Mine")(lambda c: c.tp)
    evaluation = uc.evaluate_counts(tp=1, fp=1, fn=1, tn=1, metrics=[metric])
    payload = evaluation.payload()
    payload["models"][0]["estimates"] = {
        str(i): {**payload["models"][0]["estimates"]["mine"], "value": float(each)} for i, each in enumerate(values)
    }
    payload["metrics"] |= dict.fromkeys(payload["models"][0]["estimates"], payload["metrics"]["mine"] | {"of": "ranks"})
    path = tmp_path / "numbers.html"
    from unconfuse.explorer import page_of

    path.write_text(page_of(payload), encoding="utf-8")
    page = open_page(path)
    shown = page.eval_on_selector_all("#headline details tbody tr", READ_SECOND)
    assert shown == [number_text(float(each)) for each in values]


def test_counts_alone(open_page, tmp_path):
    evaluation = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)
    page = open_page(evaluation.report(tmp_path / "counts.html", prevalence=0.02))
    assert page.locator("#threshold-slider").count() == 0
    assert page.locator("#card, #curves, #ledger").count() == 0
    assert float(page.get_attribute("#prevalence-slider-text", "data-value")) == 0.02
    assert page.text_content("#value-sensitivity") == number_text(evaluation["sensitivity"].value)
    shifted = uc.shift_prevalence(evaluation, prevalence=0.02)
    assert page.text_content("#shifted-npv") == number_text(shifted["npv"].value)


def test_several_models(open_page, tmp_path):
    rng = np.random.default_rng(5)
    y = rng.random(400) < 0.3
    scores = {
        "good": 1 / (1 + np.exp(-(2 * y + rng.normal(size=400)))),
        "poor": 1 / (1 + np.exp(-(y + 2 * rng.normal(size=400)))),
    }
    found = uc.compare(y, scores, n_resamples=200, baselines=["majority"])
    page = open_page(found.report(tmp_path / "compare.html"))
    assert page.locator("main > section").nth(1).get_attribute("id") == "comparison"
    for metric in found.metrics:
        shown = float(page.get_attribute(f'td[data-metric="{metric}"]', "data-value"))
        assert shown == pytest.approx(found[metric, "good", "poor"].difference.value, rel=1e-12, abs=1e-15)
    assert page.text_content("#lead") == found.sentence
    for model, own in found.evaluations.items():
        cell = page.locator(f'#comparison td[data-model="{model}"][data-of="accuracy"]')
        assert number(cell.get_attribute("data-value")) == pytest.approx(own["accuracy"].value, rel=1e-12)
        assert own["accuracy"].interval_text in cell.text_content()
    page.select_option("#model-chooser", label="poor")
    table = uc.score_table(y, scores["poor"])
    for texts in page.evaluate(MOVE, ["threshold-slider", positions(page, "threshold-slider", 7)]):
        counts = table.counts_at(number(texts["threshold-slider-text"]["value"]))
        assert texts["value-f1"]["text"] == number_text(float(uc.METRICS["f1"](counts)))
        check_interval(
            texts["interval-mcc"]["text"],
            *(getattr(estimate_counts(uc.METRICS["mcc"], counts), end) for end in ("low", "high")),
            "mcc",
        )
    assert page.locator("#curves path.line.other").count() >= 2


def test_a_pair_is_compared_in_each_subgroup(open_page, tmp_path):
    rng = np.random.default_rng(5)
    y = rng.random(400) < 0.3
    scores = {name: y + spread * rng.normal(size=400) for name, spread in {"good": 1, "poor": 3, "other": 2}.items()}
    found = uc.compare(y, scores, by={"sex": np.where(rng.random(400) < 0.5, "f", "m")}, n_resamples=100)
    page = open_page(found.report(tmp_path / "compare.html"))
    page.click("text=Pair by pair")
    page.select_option("#comparison select", label="good vs other")
    own = found.subgroups["auroc", "good", "other"]
    table = page.locator("#comparison table", has_text="in each subgroup, good minus other")
    assert table.locator("tbody th").all_text_contents() == list(own)
    shown = [float(cell.get_attribute("data-value")) for cell in table.locator("td[data-metric]").all()]
    assert shown == pytest.approx([each.value for each in own.values()], rel=1e-12)
    assert own.sentence in page.text_content("#comparison")


def test_what_stands_beside_or_below_is_in_line(open_page, tmp_path):
    rng = np.random.default_rng(5)
    y, sex = rng.random(400) < 0.4, np.where(rng.random(400) < 0.5, "f", "m")
    found = uc.evaluate(y, 1 / (1 + np.exp(rng.normal(size=400) - 2 * y)), by={"sex": sex}, n_resamples=100)
    page = open_page(found.report(tmp_path / "page.html"))
    heads = [
        page.get_by_role("heading", name=name).bounding_box() for name in ("How often a label is right", "One person")
    ]
    assert heads[0]["y"] == pytest.approx(heads[1]["y"], abs=1) and heads[0]["x"] < heads[1]["x"]
    sides = "heads => [...new Set(heads.slice(1).map(head => getComputedStyle(head).textAlign))]"
    assert page.eval_on_selector_all("#subgroups table:first-of-type thead th", sides) == ["right"]


def test_arguments_in_sentences_are_set_as_code(open_page, tmp_path):
    """The backquotes of a message are no part of a page."""
    rng = np.random.default_rng(5)
    y = rng.random(2000) < 0.2
    page = open_page(uc.evaluate(y, 2.5 * y + rng.normal(size=2000), n_resamples=100).report(tmp_path / "page.html"))
    assert page.locator("#findings code", has_text="indistinguishability").count() == 1
    assert "`" not in page.text_content("#findings")


def test_resolving_power_and_card_come_first_on_their_own_pages(open_page, tmp_path):
    y, s = tied()
    power = uc.resolving_power(uc.Empirical(y, s), method="asymptotic")
    page = open_page(power.report(tmp_path / "resolve.html"))
    assert page.locator("main > section").nth(1).get_attribute("id") == "resolution"
    shown = page.eval_on_selector_all("#resolution td[data-value]", READ_VALUES)  # wins, cases and kappa of each metric
    assert sorted(shown[2::3]) == pytest.approx(sorted(row["kappa_w"] for row in power.rows()))
    kinds = power.recommendation.kinds
    cards = page.locator("#ways .way")
    assert [cards.nth(place).get_attribute("data-kind") for place in range(4)] == [each.improvement for each in kinds]
    assert [cards.nth(place).get_attribute("data-outcome") for place in range(4)] == [each.outcome for each in kinds]
    for width in (1280, 1000, 760, 420):
        page.set_viewport_size({"width": width, "height": 900})
        room = page.evaluate("(e => [e.scrollWidth, e.clientWidth])(document.querySelector('#resolution .scroll'))")
        assert room[0] <= room[1]
    card = uc.threshold_card(y, s, costs={"clinic": (1, 10), "payer": (5, 1)}, n_resamples=100)
    page = open_page(card.report(tmp_path / "card.html"))
    assert page.locator("main > section").nth(1).get_attribute("id") == "card"
    assert page.input_value("#who-0") == "clinic" and page.input_value("#cost-fn-0") == "10"
    shown = page.locator("#card tbody tr").first.locator("td[data-value]").first.get_attribute("data-value")
    assert float(shown) == pytest.approx(next(iter(card.values())).metrics["sensitivity"].value, rel=1e-12)


def several(seed):
    scores = np.random.default_rng(seed).random((90, 3)) + (np.arange(90)[:, None] % 3 == np.arange(3))
    return scores / scores.sum(axis=1, keepdims=True)


def unusual():
    y, s = tied()
    few = ["precision", "mcc", "auroc"]
    mine = uc.metric(name="mine <b>", label="Mine <b>")(lambda c: c.tp / 2)
    constant = uc.ScoreTable(np.array([0.3]), np.array([4.0]), np.array([6.0]))
    return {
        "groups": lambda: uc.evaluate(y, s, groups=np.arange(300) // 4, metrics=few, n_resamples=100),
        "case-control": lambda: uc.evaluate(y, s, design="case-control", metrics=few, n_resamples=100),
        "not probabilities": lambda: uc.evaluate(y, 100 * s - 40, threshold=5, metrics=few, n_resamples=100),
        "own metric": lambda: uc.evaluate(y, s, metrics=[mine], n_resamples=100),
        "weights": lambda: uc.evaluate(y, s, weights=np.full(300, 2.0), metrics=few, n_resamples=100),
        "worse than chance": lambda: uc.evaluate(~y, s, metrics=few, n_resamples=100),
        "only counts, no positives found": lambda: uc.evaluate_counts(tp=0, fp=0, fn=3, tn=9),
        "several classes": lambda: uc.compare(
            np.arange(90) % 3, {name: several(seed) for seed, name in enumerate("ab")}, n_resamples=100
        ),
        "theory": lambda: uc.resolving_power(uc.Binormal(), n=500, prevalence=0.2, at=[0.7, 0.9], method="asymptotic"),
        "constant": lambda: uc.evaluate(constant, metrics=few, n_resamples=100),
    }


@pytest.mark.filterwarnings("ignore:all scores are")
@pytest.mark.parametrize("name", unusual())
def test_unusual_results_are_drawn_without_complaint(open_page, tmp_path, name):
    page = open_page(unusual()[name]().report(tmp_path / "page.html"))
    sections = page.eval_on_selector_all("main > section", "all => all.map(each => each.id)")
    assert sections[0] == "first" and sections[-1] == "statistician"
    assert page.locator("#statistician > details").last.get_attribute("id") == "data"
    page.evaluate(UNFOLD)
    if page.locator("#threshold-slider").count():
        page.evaluate(MOVE, ["threshold-slider", positions(page, "threshold-slider", 5)])
    assert "NaN" not in page.inner_text("main")
    assert page.evaluate(NOT_NUMBERS) == 0


def test_binned_table_shows_its_bounds(open_page, tmp_path):
    y, s = rare()
    exact = uc.score_table(y, s)
    found = uc.evaluate(exact.coarsen(40, edges=[0.5]), n_resamples=100)
    page = open_page(found.report(tmp_path / "binned.html"))
    for texts in page.evaluate(MOVE, ["threshold-slider", positions(page, "threshold-slider", 9)]):
        counts = exact.counts_at(number(texts["threshold-slider-text"]["value"]))
        for cell, count in counts.as_dict().items():
            assert float(texts[f"cell-{cell}"]["value"]) == count
    assert f"exact value certainly {found['auroc'].bound_text()}" in page.text_content("#headline")
    page.evaluate(UNFOLD)
    page.click("#headline details summary")
    rows = page.eval_on_selector_all("#headline details tbody tr", "all => all.map(each => each.children[4].innerText)")
    assert rows == [each.bound_text() or "exact" for each in found.values()]
    assert page.locator("#card, #ledger, #resolution").count() == 0
    assert page.evaluate(NOT_NUMBERS) == 0


def test_subgroups_are_drawn_before_everyone(open_page, tmp_path):
    y, s = tied()
    names = np.array(["F", "M", "<b>other</b>"])[np.arange(300) % 3]
    found = uc.evaluate(y, np.where(names == "M", 0.3, s), by=names, n_resamples=100).subgroups
    page = open_page(found.report(tmp_path / "subgroups.html"))
    sections = page.eval_on_selector_all("main > section", "all => all.map(each => each.id)")
    assert sections[:2] == ["first", "subgroups"] and "threshold" in sections
    assert page.text_content("#lead") == found.sentence
    assert all(each.sentence in page.text_content("#findings") for each in found.findings)
    page.evaluate(UNFOLD)
    for metric in found.headlines():
        page.select_option("#subgroups select", value=metric)
        for name in found:
            shown = page.locator(f'#subgroups td[data-subgroup="{name}"]').get_attribute("data-value")
            assert number(shown) == pytest.approx(found[name][metric].value, rel=1e-12, nan_ok=True)
        page.select_option("#gaps select", value=metric)
        widest = page.locator(f'#gaps td[data-widest="{metric}"]').get_attribute("data-value")
        assert number(widest) == pytest.approx(found.largest_difference(metric).value, rel=1e-12, nan_ok=True)
        for gap in found.differences(metric):
            shown = page.locator(f'#gaps td[data-gap="{gap.first}"]').get_attribute("data-value")
            assert number(shown) == pytest.approx(gap.difference.value, rel=1e-12, nan_ok=True)
    assert page.evaluate(NOT_NUMBERS) == 0
    assert page.locator("#subgroups b").count() == 0
    phone = open_page(tmp_path / "subgroups.html", viewport={"width": 360, "height": 740})
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360


def test_rows_left_out_are_named(open_page, tmp_path):
    y, s = tied()
    with pytest.warns(uc.UnconfuseWarning, match="left out"):
        found = uc.evaluate(y, np.where(np.arange(300) < 3, np.nan, s), on_bad_row="skip", metrics=["auroc", "f1"])
    page = open_page(found.report(tmp_path / "skipped.html"))
    assert "3: missing score 3" in page.text_content("#data")


WILD = {
    "markup": "<img src=x onerror=alert(1)><script>alert(2)</script>",
    "closing": "</script></style></title><script>alert(3)</script><!--",
    "right to left": "نموذج \u202e المخاطر",
    "emoji": "🩺👩‍⚕️ risk 🧪",
    "long": "very_long_name_" * 667,
    "long words": "wide " * 2000,
}


@pytest.mark.parametrize("name", WILD)
def test_names_are_text_and_layout_holds(open_page, tmp_path, name):
    y, s = perfect()
    evaluation = uc.evaluate(y, s, name=WILD[name], n_resamples=100, metrics=["sensitivity", "auroc"]).with_changes(
        source=WILD[name]
    )
    path = evaluation.report(tmp_path / "wild.html")
    for width in (360, 1280):
        page = open_page(path, viewport={"width": width, "height": 800})
        assert page.text_content("h1").startswith(WILD[name][:100])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("img, h1 script").count() == 0


def test_wild_names_of_models(open_page, tmp_path):
    y, s = tied()
    found = uc.compare(
        y, {each: s + i * 0.001 for i, each in enumerate(WILD.values())}, n_resamples=100, metrics=["auroc", "f1"]
    )
    path = found.report(tmp_path / "wild.html")
    assert path.stat().st_size < 400_000
    for width in (360, 1280):
        page = open_page(path, viewport={"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("img").count() == 0


@pytest.mark.parametrize("kind", ["evaluation", "subgroups"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(pages, open_page, tmp_path, scheme, kind):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: tests/install_tools.sh installs it")
    _, path = pages("ties")
    if kind == "subgroups":
        y, s = tied()
        halves = np.arange(300) % 2
        found = uc.evaluate(y, np.where(halves, s, 0.4), by=halves, n_resamples=100, metrics=["sensitivity", "auroc"])
        path = found.report(tmp_path / "subgroups.html")
    page = open_page(path, color_scheme=scheme, bypass_csp=True)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run().then(found => found.violations)")
    assert {each["id"]: [node["html"][:150] for node in each["nodes"][:3]] for each in found} == {}
    unnamed = page.evaluate(UNNAMED)
    assert unnamed == 0


def test_theme_button_and_print(pages, open_page):
    _, path = pages("ties")
    page = open_page(path)
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.click(".theme")
    assert page.evaluate(colour) != light
    page.emulate_media(media="print")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert not page.is_visible("nav")
    assert not page.is_visible("#threshold-slider") and page.is_visible("#threshold-slider-text")


OPEN = "all => all.map(each => each.open)"
INSIDE = "#statistician > details:not(#ledger) details"
HEAR_PRINTING = f"""addEventListener('beforeprint', () => {{
  window.printed = [...document.querySelectorAll('{INSIDE}')].map(each => each.open);
}})"""
GROUND = "getComputedStyle(document.querySelector('{}')).backgroundColor"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_is_light_and_what_is_unfolded_is_printed_whole(pages, open_page, scheme):
    _, path = pages("ties")
    page = open_page(path, color_scheme=scheme)
    page.evaluate(HEAR_PRINTING)
    page.emulate_media(media="print")
    for each in ("body", ".findings li"):
        assert page.evaluate(GROUND.format(each)) == "rgb(255, 255, 255)"
    assert not page.is_visible("#statistician")
    page.evaluate(UNFOLD)
    assert page.is_visible("#value-sensitivity")
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert page.evaluate("printed.length > 2 && printed.every(each => each)")
    assert not any(page.eval_on_selector_all(INSIDE, OPEN)), "folded again afterwards"


def test_first_paint_and_redraw_are_quick(open_page, tmp_path):
    rng = np.random.default_rng(2)
    score = np.linspace(1, 0, 5000)
    weight = rng.multinomial(10**7, np.full(5000, 1 / 5000)).astype(float)
    positives = np.floor(weight * np.clip(score**3, 0.001, 0.9))
    table = uc.ScoreTable(score, positives, weight - positives)
    evaluation = uc.evaluate(table, n_resamples=100, metrics=[each.name for each in DECISIONS] + ["auroc"])
    assert evaluation.n == 10**7
    path = evaluation.report(tmp_path / "large.html")
    assert path.stat().st_size < 400_000
    page = open_page(path)
    assert np.quantile(page.evaluate(REDRAWN), 0.95) < 16
    assert min(work_until_shown(page) for _ in range(3)) < 0.5


def work_until_shown(page):
    """Seconds of CPU that the page's own thread takes to stand anew: a busy machine does not change them."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked():
        return next(
            each["value"]
            for each in session.send("Performance.getMetrics")["metrics"]
            if each["name"] == "TaskDuration"
        )

    before = worked()
    page.reload()
    return worked() - before


def test_small_for_a_million_rows(tmp_path):
    rng = np.random.default_rng(4)
    y = rng.random(10**6) < 0.05
    score = 1 / (1 + np.exp(-(1.5 * y + rng.normal(size=10**6) - 3)))
    evaluation = uc.evaluate(y, score, n_resamples=100, metrics=[each.name for each in DECISIONS] + ["auroc"])
    assert evaluation.report(tmp_path / "million.html").stat().st_size < 400_000


@pytest.mark.filterwarnings("ignore:IPython3 lexer unavailable")  # only colours the code above the page
def test_notebook_export_keeps_the_page_alive(open_page, tmp_path, monkeypatch):
    nbconvert, nbformat = pytest.importorskip("nbconvert"), pytest.importorskip("nbformat")
    y, s = tied()
    evaluation = uc.evaluate(y, s, n_resamples=100, metrics=["sensitivity", "auroc"])
    shown = evaluation.explore()._repr_html_()
    without_frames = re.sub(r"<iframe.*?</iframe>", "", shown, flags=re.DOTALL)  # as GitHub shows a notebook
    assert unescape(without_frames) == f"<p><b>{evaluation.findings[0].sentence}</b></p>"
    assert evaluation.findings[0].sentence in repr(evaluation.explore())
    output = nbformat.v4.new_output("display_data", {"text/html": shown})
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("ev.explore()", outputs=[output])])
    monkeypatch.setenv("JUPYTER_PATH", str(Path(nbconvert.__file__).parents[4] / "share" / "jupyter"))  # its templates
    page, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(book)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8>{page}", encoding="utf-8")
    frame = open_page(path).frame_locator("iframe")
    frame.locator("#value-sensitivity").wait_for(state="attached", timeout=5000)
    assert frame.locator("svg.chart").count() > 5


def test_a_comparison_of_many_leads_with_its_leaderboard(open_page, tmp_path):
    rng = np.random.default_rng(5)
    y = rng.random(500) < 0.3
    scores = {f"boosting on every feature, fold {k}": k / 3 * y + rng.normal(size=500) for k in range(10)}
    found = uc.compare(y, scores, metrics=["auroc"], n_resamples=200)
    page = open_page(found.report(tmp_path / "compare.html"))
    board = found.leaderboard
    assert page.text_content("h1") == "10 models compared"
    assert page.locator("#first #leaderboard tbody tr").count() == len(board) == 10  # the page shows 8 in full
    names = page.eval_on_selector_all("#leaderboard th [title]", "all => all.map(each => each.title)")
    assert names == [each.model for each in board]
    tiers = page.eval_on_selector_all("#leaderboard .tier", "all => all.map(each => Number(each.textContent))")
    assert tiers == [each.tier for each in board]
    said = page.eval_on_selector_all("#leaderboard tbody th", "all => all.map(each => each.textContent)")
    assert len(set(said)) == 10 and max(map(len, said)) <= 36
    assert page.locator("#comparison details[open]").count() == 0 and "Pair by pair" in page.text_content("#comparison")

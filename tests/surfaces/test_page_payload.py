"""The payload behind a page: its schema, what is refused, and the ways to it."""

import copy
import json
import math
import pickle
from importlib.resources import files
from itertools import pairwise

import jsonschema
import numpy as np
import pytest

import unconfuse as uc
from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, InputError
from unconfuse.explorer import page_of
from unconfuse.explorer.theme import COLOURS, ROLES
from unconfuse.report import SCHEMA, PageOptions, check_payload, payload_of, read_payload, render, schema
from unconfuse.report._curve_data import HALF_A_PIXEL, thin
from unconfuse.report._multiclass_sections import short_names
from unconfuse.report.payload import LONGEST_NAME


def labels(n=200, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, 1 / (1 + np.exp(-(1.5 * y + rng.normal(size=n))))


@pytest.fixture(scope="module")
def results():
    y, s = labels()
    return {
        "evaluate": uc.evaluate(y, s, n_resamples=100),
        "not probabilities": uc.evaluate(
            y, 10 * s - 3, threshold=0.0, n_resamples=100, metrics=["sensitivity", "auroc"]
        ),
        "case-control": uc.evaluate(y, s, n_resamples=100, design="case-control", metrics=["precision", "mcc"]),
        "groups": uc.evaluate(y, s, n_resamples=100, groups=np.arange(200) // 4, metrics=["precision", "mcc", "auroc"]),
        "counts": uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31),
        "own metric": uc.evaluate_counts(tp=4, fp=1, fn=2, tn=3, metrics=[uc.metric(name="mine")(lambda c: c.tp / 2)]),
        "compare": uc.compare(y, {"a": s, "b": s**2, "c": 1 - s}, n_resamples=100, metrics=["auroc", "f1"]),
        "compare in subgroups": uc.compare(
            y,
            {"a": s, "b": np.sqrt(s), "c": 1 - s},
            by=np.array(list("xyz"))[np.arange(200) % 3],
            n_resamples=100,
            metrics=["auroc", "f1"],
        ),
        "card": uc.threshold_card(y, s, costs={"clinic": (1, 10)}, n_resamples=50),
        "resolve": uc.resolving_power(uc.Empirical(y, s), ["auroc", "average_precision"], method="asymptotic"),
        "binned": uc.evaluate(uc.score_table(y, s).coarsen(20), n_resamples=100),
        "binned, not probabilities": uc.evaluate(
            uc.score_table(y, 10 * s - 3).coarsen(9), threshold=0.0, n_resamples=100, metrics=["sensitivity", "auroc"]
        ),
        "subgroups": uc.evaluate(y, s, by=np.array(list("xyz"))[np.arange(200) % 3], n_resamples=100),
        "subgroups of groups": uc.evaluate(
            y, s, by=np.arange(200) % 2, groups=np.arange(200) // 4, n_resamples=100, metrics=["precision", "auroc"]
        ),
        "theory": uc.resolving_power(
            uc.Binormal(), ["auroc"], n=1000, prevalence=0.1, at=[0.7, 0.8], method="asymptotic"
        ),
    }


NAMES = (
    "evaluate",
    "not probabilities",
    "case-control",
    "groups",
    "counts",
    "own metric",
    "compare",
    "compare in subgroups",
    "card",
    "resolve",
    "theory",
    "binned",
    "binned, not probabilities",
    "subgroups",
    "subgroups of groups",
)


@pytest.mark.parametrize("name", NAMES)
def test_payload_fits_its_schema(results, name):
    payload = results[name].payload()
    text = json.dumps(payload, allow_nan=False)
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(json.loads(text), schema())
    check_payload(json.loads(text))
    assert len(page_of(payload).encode()) < 400_000
    assert "</script" not in text.lower()


def test_same_result_same_page(results):
    first, second = (page_of(results["card"].payload()) for _ in range(2))
    assert first == second


def test_stops_hold_the_threshold_the_rules_and_labelling_nobody(results):
    payload = results["evaluate"].payload()
    stops = payload["models"][0]["stops"]["threshold"]
    assert 0.5 in stops and stops[-1] == "inf"
    assert {rule["threshold"] for rule in payload["card"]["rules"]} <= set(stops)
    tables = results["evaluate"].table.counts_at(np.array(stops[:-1]))
    assert payload["models"][0]["stops"]["tp"][:-1] == tables.tp.tolist()


def test_the_card_and_the_models_of_a_page_know_that_cases_come_in_groups(results):
    """They were judged as if every case stood for itself, which made them look surer than they are."""
    ev = results["groups"]
    shown = {rule["name"]: rule for rule in ev.payload()["card"]["rules"]}
    for name, point in ev.default_card.items():
        each = point.metrics["sensitivity"]
        assert shown[name]["metrics"]["sensitivity"]["low"] == (None if math.isnan(each.low) else each.low)
    assert ev.default_card.settings["groups"] == 50
    y, s = labels()
    groups = np.arange(200) // 4
    found = uc.compare(y, {"a": s, "b": s**2}, groups=groups, n_resamples=100, metrics=["auroc"])
    alone = uc.evaluate(y, s**2, groups=groups, n_resamples=100, metrics=["auroc"])
    assert found.evaluations["b"].design == "clustered"
    assert found.evaluations["b"]["auroc"].low == alone["auroc"].low
    assert [each["design"] for each in found.payload()["models"]] == ["clustered", "clustered"]


def test_the_payload_computes_nothing():
    """It reads results; what it would have to compute belongs into a result, where others find it too."""
    for file in files("unconfuse.report").iterdir():
        if file.name.endswith(".py"):
            text = file.read_text(encoding="utf-8")
            for word in ("unconfuse.api", "threshold_card(", "resolving_power(", "posterior_interval", "limits("):
                assert word not in text, file.name


def test_binned_table_stops_between_blocks_and_shows_its_bounds():
    y, s = labels(3000)
    exact = uc.score_table(y, s)
    truly = uc.evaluate(exact, threshold=0.47, n_resamples=100)
    for edges in ([0.47], []):  # the threshold at the end of a block, or inside one
        found = uc.evaluate(exact.coarsen(30, edges=edges), threshold=0.47, n_resamples=100)
        payload = found.payload()
        model = payload["models"][0]
        assert model["binned"] and not {"card", "ledger", "resolution"} & set(payload)
        assert set(model["curves"]) == {"roc", "precision_recall", "gain"} and "histogram" not in model
        stops = np.array(model["stops"]["threshold"][:-1])
        assert (0.47 in stops) == bool(edges)
        truth = exact.counts_at(stops)  # of the rows themselves
        assert model["stops"]["tp"][:-1] == truth.tp.tolist()
        assert model["stops"]["fp"][:-1] == truth.fp.tolist()
        for name, each in found.items():
            shown = model["estimates"][name]
            assert (shown["bound"], shown["bound_text"]) == ([*each.binning_bounds], each.bound_text())
            if not math.isnan(each.binning_bounds[0]):
                assert each.binning_bounds[0] - 1e-12 <= truly[name].value <= each.binning_bounds[1] + 1e-12


@pytest.mark.parametrize("metric", ["auroc", "brier"])
@pytest.mark.parametrize("reference", [None, "model 0" + 150 * "."])
def test_a_page_shows_the_best_of_many_models(metric, reference):
    """It showed the first eight, so that those which the headline names were missing."""
    rng = np.random.default_rng(2)
    y = rng.random(300) < 0.4
    scores = {f"model {k}{150 * '.'}": 1 / (1 + np.exp(-(0.2 * k * y + rng.normal(size=300)))) for k in range(12)}
    found = uc.compare(y, scores, metrics=[metric, "accuracy"], reference=reference, n_resamples=100)
    made = found.payload()
    part = made["comparison"]
    values = {name: found.evaluations[name][metric].value for name in scores}
    wanted = sorted(scores, key=values.get, reverse=metric == "auroc")
    assert found.best_first == tuple(wanted)
    kept = [*wanted[:7], reference] if reference else wanted[:8]
    short = dict(zip(scores, short_names(tuple(scores), LONGEST_NAME), strict=True))
    assert part["models"] == [short[name] for name in kept] == [each["name"] for each in made["models"]]
    assert part["left_out"] == 4 and list(part["table"]) and set(part["table"]) == set(part["models"])
    assert [each["value"] for each in (part["table"][name][metric] for name in part["models"])] == [
        values[name] for name in kept
    ]
    assert len(part["differences"]) == 2 * (7 if reference else 28)
    curves = {each[key] for each in made["decision_differences"] for key in ("first", "second")}
    assert curves == {short[name] for name in wanted[:4]}


def test_rows_left_out_are_in_the_payload():
    y, s = labels()
    with pytest.warns(uc.UnconfuseWarning, match="left out"):
        found = uc.evaluate(y, np.where(np.arange(200) < 3, np.nan, s), on_bad_row="skip", metrics=["auroc"])
    assert found.payload()["models"][0]["skipped"] == {"rows": 3, "reasons": {"missing score": 3}}


def test_subgroups_payload_is_what_python_says(results):
    found = results["subgroups"].subgroups
    part = results["subgroups"].payload()["subgroups"]
    assert payload_of(found)["subgroups"] == part
    assert part["metrics"] == list(found.headlines()) and part["reference"] == found.reference
    assert [each["sentence"] for each in part["findings"]] == [each.sentence for each in found.findings]
    for group in part["groups"]:
        assert group["n"] == found[group["name"]].n
        for name, each in group["estimates"].items():
            assert each["value"] == found[group["name"]][name].value
    for each in part["differences"]:
        python = found.differences(each["metric"])
        one = next(gap for gap in python if gap.first == each["first"])
        assert (each["difference"], each["p_value"]) == (one.difference.value, one.p_value)


def test_a_comparison_in_subgroups_is_on_its_page(results):
    found = results["compare in subgroups"]
    part = found.payload()["comparison"]["subgroups"]
    assert [(each["first"], each["second"]) for each in part] == [("a", "b"), ("a", "c"), ("b", "c")]
    for each in part:
        own = found.subgroups["auroc", each["first"], each["second"]]
        assert each["sentence"] == own.sentence and each["left_out"] == 0
        assert [one["label"] for one in each["differences"]] == list(own)
        assert [one["difference"] for one in each["differences"]] == [gap.value for gap in own.values()]
    assert "subgroups" not in results["compare"].payload()["comparison"]


def test_many_subgroups_show_the_largest():
    y, s = labels(2000)
    sizes = np.minimum(np.arange(2000) // 15, 90)
    part = uc.evaluate(y, s, by=sizes, n_resamples=100, metrics=["sensitivity"]).payload()["subgroups"]
    assert len(part["groups"]) == 60 and part["left_out"] == 31
    assert "90" in [each["name"] for each in part["groups"]]


def test_rows_do_not_enlarge_pickles(results):
    kept = pickle.dumps(results["compare"])
    again = pickle.loads(kept)
    assert len(again.sample.tables) == 3 and repr(again.rows()) == repr(results["compare"].rows())
    assert again.payload() == results["compare"].payload()
    assert len(pickle.dumps(results["compare"])) == len(kept)  # though its models were judged meanwhile


def test_page_has_the_shared_colours(results):
    page = page_of(results["counts"].payload())
    for name, role in ROLES.items():
        light, dark = _html_repr.ROLES[role]
        assert page.count(f"--{name}:{light};") == 1 and page.count(f"--{name}:{dark};") == 2
    own = files("unconfuse.explorer").joinpath("page.css").read_text(encoding="utf-8").partition("@media print")[0]
    assert not [name for name in COLOURS if f"--{name}:" in own]


def broken(payload):
    def change(path, value):
        made = copy.deepcopy(payload)
        *way, last = path
        place = made
        for key in way:
            place = place[key]
        if value is None:
            del place[last]
        else:
            place[last] = value
        return made

    first = ("models", 0)
    return [
        change(("schema",), "unconfuse-payload/2"),
        change(("schema",), "other"),
        change(("schema",), None),
        change(("models",), None),
        change(("models",), {}),
        change(("kind",), "party"),
        change((*first, "n"), "many"),
        change((*first, "n"), True),
        change((*first, "stops", "tp"), [1, 2, 3]),
        change((*first, "stops", "threshold"), [["deep"]]),
        change((*first, "stops", "threshold", 0), "a long text"),
        change((*first, "unknown"), 1),
        change((*first, "curves", "roc", "x"), [0.5]),
        change(("metrics", "accuracy", "better"), "sideways"),
        change(("title",), "x" * 30_000),
        [],
        "payload",
        None,
    ]


def test_broken_payloads_are_refused_in_words(results, tmp_path, run):
    for i, each in enumerate(broken(results["evaluate"].payload())):
        with pytest.raises(InputError) as error:
            render(each)
        assert len(str(error.value)) < 300, i
        path = tmp_path / "payload.json"
        path.write_text(json.dumps(each), encoding="utf-8")
        done = run("render", path, "-o", tmp_path / "page.html")
        assert done.exit_code == 2 and done.stderr.startswith("Error: "), i
        assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"schema": NaN}', '{"schema": 1e999}', "[" * 100_000, "\x00", '{"schema": "unconfuse-payload/1"}'],
)
def test_files_that_hold_no_payload(tmp_path, text):
    path = tmp_path / "payload.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read_payload(path)


def test_expressions_of_a_foreign_payload_cannot_run(results):
    payload = results["counts"].payload()
    payload["metrics"]["accuracy"]["expression"] = "alert(1)"
    with pytest.raises(InputError, match="only arithmetic"):
        render(payload)


def test_no_name_said_without_scripts_steers_a_terminal_or_turns_a_line():
    y, s = labels(200)
    found = uc.compare(y, {"\x1b[31mred": s, "x\u202eevil": 1 - s}, n_resamples=100, metrics=["auroc"])
    said = page_of(found.payload()).partition("<noscript>")[2].partition("</noscript>")[0]
    assert "\x1b" not in said and "\u202e" not in said and "\ufffd[31mred" in said


def test_missing_and_unwritable_files(results, tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_payload(tmp_path / "nothing.json")
    with pytest.raises(InputError, match="cannot be written"):
        results["counts"].report(tmp_path / "no" / "folder.html")
    with pytest.raises(ArgumentError, match="a page shows"):
        payload_of("text")
    with pytest.raises(ArgumentError, match="prevalence"):
        results["counts"].report(tmp_path / "page.html", prevalence=2)
    with pytest.raises(ArgumentError, match="height"):
        results["counts"].explore(height=3)


def test_policy_allows_only_this_script_and_style(results):
    page = render(results["counts"].payload())
    policy = page.partition('Content-Security-Policy" content="')[2].partition('"')[0]
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "unsafe" not in policy
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert SCHEMA in page


@pytest.mark.parametrize("command", ["evaluate", "thresholds", "compare", "resolve", "counts", "evaluate --by"])
def test_commands_write_pages(command, data_files, tmp_path, run):
    page, payload = tmp_path / "page.html", tmp_path / "payload.json"
    where = [data_files["data.csv"], "--label", "y", "--positive", "ill", "--score", "p"]
    divided = tmp_path / "divided.csv"
    head, *lines = data_files["data.csv"].read_text(encoding="utf-8").split()
    divided.write_text("\n".join([f"{head},sex", *(f"{each},{'FM'[i % 2]}" for i, each in enumerate(lines))]), "utf-8")
    rest = {
        "evaluate": [*where, "--resamples", 100, "--prevalence", "2%"],
        "thresholds": [*where, "--resamples", 50, "--costs", "clinic=1:10"],
        "compare": [*where, "--baseline", "majority", "--resamples", 100, "--metric", "accuracy"],
        "resolve": [*where, "--quick", "--metric", "auroc"],
        "counts": ["--tp", 141, "--fp", 0, "--fn", 67, "--tn", 31],
        "evaluate --by": [divided, *where[1:], "--resamples", 100, "--by", "sex"],
    }[command]
    kind, command = ("subgroups", "evaluate") if "--by" in rest else (command, command)
    done = run(command, *rest, "--html", page, "--payload", payload)
    assert done.exit_code == 0, done.output
    stored = json.loads(payload.read_text(encoding="utf-8"))
    assert stored["kind"] == kind
    assert stored["command"].startswith(f"unconfuse {command} ") and "--payload" in stored["command"]
    again = run("render", payload, "-o", tmp_path / "again.html")
    assert again.exit_code == 0
    assert page.read_bytes() == (tmp_path / "again.html").read_bytes()
    if kind == "evaluate":
        assert stored["prevalence"] == 0.02


def test_title_and_command_on_the_page(results):
    payload = payload_of(results["counts"], PageOptions(title="A <b>title</b>", command="make it"))
    assert "<title>A &lt;b&gt;title&lt;/b&gt;</title>" in page_of(payload)
    assert payload["command"] == "make it"


@pytest.mark.parametrize("seed", range(5))
def test_thinned_curves_stay_within_half_a_pixel(seed):
    y, s = labels(20_000, seed)
    roc = uc.curve("roc", uc.score_table(y, s))
    x, height = roc["fpr"], roc["tpr"]
    keep = thin(x, height)
    assert len(keep) < 400
    # Distance of every point to the thinned line, by dense sampling of the line.
    ends = [([x[a], height[a]], [x[b], height[b]]) for a, b in pairwise(keep)]
    line = np.concatenate([np.linspace(start, stop, 60) for start, stop in ends])
    some = np.arange(0, len(x), 40)
    away = [np.hypot(*(line - [x[i], height[i]]).T).min() for i in some]
    assert max(away) <= HALF_A_PIXEL * 1.05


def test_readers_see_labels_and_the_threshold_that_was_evaluated():
    y, s = labels()
    payload = uc.evaluate(y, s.round(2), threshold=0.37, n_resamples=100, metrics=["sensitivity", "auroc"]).payload()
    said = [payload["resolution"]["paragraph"], *(each["undefined"] or "" for each in payload["resolution"]["rows"])]
    assert [each for each in said if "_" in each.replace("C(r_b)", "")] == []
    fixed = [each for each in payload["card"]["rules"] if each["name"].startswith("fixed")]
    assert [each["threshold"] for each in fixed] == [0.37]


@pytest.mark.parametrize(("tn", "n"), [(80, 1000), (1980, 1000), (19_980, 10_000), (1_999_980, 1_000_000)])
def test_rare_cases_are_not_rounded_away(tn, n):
    found = uc.evaluate_counts(tp=15, fp=10, fn=5, tn=tn).findings[1]
    assert found.sentence.startswith(f"Among {n:,} cases like these") and f"among {n:,} cases" in found.rule
    assert sum(found.numbers.values()) == n
    assert found.numbers["tp"] + found.numbers["fn"] >= 9


def test_stored_payload_with_sites_is_drawn_again():
    """The schema's whole numbers are known to the check: `render` of an evaluation by site raised KeyError."""
    import numpy as np

    import unconfuse as uc
    from unconfuse._errors import InputError
    from unconfuse.report import render

    rng = np.random.default_rng(1)
    y = rng.random(120) < 0.4
    found = uc.evaluate(y, rng.random(120) + y, site=np.arange(120) % 4, n_resamples=100).payload()
    stored = json.loads(json.dumps(found, allow_nan=False))
    assert render(stored).startswith("<!DOCTYPE html>")
    for wrong in ("two", True, 0.5):
        stored["sites"]["left_out"] = wrong
        with pytest.raises(InputError, match="left_out"):
            render(stored)

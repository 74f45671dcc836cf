"""Places: `site=` of evaluate and compare in Python, on the command line, in tables and pages; and what is refused."""

import json
import math
import pickle
import time

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc

RNG = np.random.default_rng(8)
K, N = 6, 90
SITE = np.repeat([f"h{i}" for i in range(K)], N)
EFFECT = np.repeat([0.4, 2.2, 1.0, 1.4, 2.6, 1.5], N)
Y = (RNG.random(K * N) < 0.35).astype(int)
S = np.round(1 / (1 + np.exp(-(EFFECT * Y - 0.7 + RNG.normal(size=K * N)))), 3)
OTHER = np.round(np.clip(S + 0.15 * RNG.normal(size=K * N), 0, 1), 3)
FRAME = pd.DataFrame({"y": Y, "p": S, "q": OTHER, "hospital": SITE, "patient": np.arange(K * N) // 2, "w": 1})


@pytest.fixture(scope="module")
def ev():
    return uc.evaluate(Y, S, site=SITE, metrics=["auroc", "sensitivity", "mcc", "brier", "gini", "lr_positive"])


@pytest.fixture
def cli(run):
    """What a command prints, if it ends well."""

    def said(*words):
        result = run(*words)
        assert result.exit_code == 0, result.output
        return result.stdout

    return said


@pytest.fixture
def folder(tmp_path):
    FRAME.to_csv(tmp_path / "all.csv", index=False)
    FRAME.to_parquet(tmp_path / "all.parquet")
    for name, part in FRAME.groupby("hospital"):
        uc.score_table(part.y, part.p).save(tmp_path / f"{name}.parquet")
    return tmp_path


def same(one, other):
    for name in ("mean", "new_site"):
        a, b = getattr(one, name), getattr(other, name)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9)
    assert one.p_value == pytest.approx(other.p_value)


def test_the_first_sentence_is_about_a_new_place(ev):
    first, auroc = ev.findings[0], ev.sites["auroc"]
    assert first.sentence == auroc.sentence and first.sentence.startswith("In a new place expect an AUROC between 0.")
    assert f"the mean place has {auroc.mean.value:.3f} [{auroc.mean.low:.3f}, {auroc.mean.high:.3f}]" in first.sentence
    assert auroc.new_site.low < auroc.mean.low < auroc.mean.value < auroc.mean.high < auroc.new_site.high


def test_places_that_disagree_are_said_to(ev):
    assert ev.sites["auroc"].p_value < 0.001
    assert any(each.sentence.startswith("Places disagree about the AUROC") for each in ev.findings)
    alike = uc.evaluate(Y, np.round(RNG.random(K * N), 3), site=SITE, metrics=["auroc"])
    assert not any("disagree" in each.sentence for each in alike.findings) or alike.sites["auroc"].p_value < 0.05


def test_all_numbers_of_the_whole_stay_as_they_are(ev):
    plain = uc.evaluate(Y, S, metrics=["auroc", "sensitivity"])
    assert [(e.value, e.low, e.high) for e in plain.values()] == [
        (ev[name].value, ev[name].low, ev[name].high) for name in plain
    ]


def test_each_site_is_as_if_alone(ev):
    own = uc.evaluate(Y[SITE == "h2"], S[SITE == "h2"], metrics=["auroc"])["auroc"]
    found = ev.sites["auroc"].estimates["h2"]
    assert (found.value, found.low, found.high) == (own.value, own.low, own.high)
    with pytest.raises(uc.UnconfuseError, match="no site 'h9'"):
        ev.sites["auroc"].estimates["h9"]


def test_a_metric_on_another_scale_takes_limits_over(ev):
    auroc, gini = ev.sites["auroc"], ev.sites["gini"]
    assert gini.mean.low == pytest.approx(2 * auroc.mean.low - 1) and gini.chance(0.2) == pytest.approx(
        auroc.chance(0.6)
    )
    assert gini.spread.high == pytest.approx(2 * auroc.spread.high - 1)


def test_every_source_gives_the_same(ev, folder):
    for source, words in (
        (FRAME, {"site": "hospital"}),
        (FRAME, {"site": SITE}),
        (str(folder / "all.csv"), {"site": "hospital"}),
        (str(folder / "all.parquet"), {"site": "hospital"}),
        (uc.Data(FRAME, label="y", score="p", site="hospital"), None),
    ):
        given = {} if words is None else {"label": "y", "score": "p", **words}
        found = uc.evaluate(source, metrics=["auroc", "sensitivity"], **given)
        same(found.sites["auroc"], ev.sites["auroc"])
        same(found.sites["sensitivity"], ev.sites["sensitivity"])
    tables = {name: uc.score_table(part.y, part.p) for name, part in FRAME.groupby("hospital")}
    for found in (
        uc.evaluate(tables, site="hospital", metrics=["auroc", "sensitivity"]),
        uc.evaluate(str(folder / "h?.parquet"), site="hospital", metrics=["auroc", "sensitivity"]),
    ):
        same(found.sites["auroc"], ev.sites["auroc"])
        same(found.sites["sensitivity"], ev.sites["sensitivity"])


def test_databases_and_lazy_frames_give_the_same(ev, tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "rows.db") as database:
        FRAME.to_sql("rows", database, index=False)
    words = {"label": "y", "score": "p", "site": "hospital", "metrics": ["auroc"]}
    same(uc.evaluate(f"sqlite:///{tmp_path / 'rows.db'}", table="rows", **words).sites["auroc"], ev.sites["auroc"])
    polars = pytest.importorskip("polars")
    same(uc.evaluate(polars.from_pandas(FRAME).lazy(), **words).sites["auroc"], ev.sites["auroc"])


def test_the_order_of_rows_moves_no_number(ev):
    order = RNG.permutation(K * N)
    found = uc.evaluate(Y[order], S[order], site=SITE[order], metrics=["auroc", "sensitivity"])
    same(found.sites["auroc"], ev.sites["auroc"])
    same(found.sites["sensitivity"], ev.sites["sensitivity"])


def test_whole_weights_are_repeated_rows(ev):
    twice = uc.evaluate(np.tile(Y, 2), np.tile(S, 2), site=np.tile(SITE, 2), metrics=["auroc", "sensitivity", "mcc"])
    weighed = uc.evaluate(Y, S, site=SITE, weights=np.full(K * N, 2), metrics=["auroc", "sensitivity", "mcc"])
    for name in ("auroc", "sensitivity", "mcc"):
        same(twice.sites[name], weighed.sites[name])


def test_sites_of_one_class_or_empty_cells_take_part_as_far_as_they_can():
    y, site = Y.copy(), SITE.copy()
    y[site == "h0"] = 0
    y[site == "h1"] = 1
    found = uc.evaluate(y, S, site=site, metrics=["auroc", "sensitivity", "specificity", "lr_positive"]).sites
    assert set(found["auroc"].left_out) == {"h0", "h1"} and found["auroc"].n_sites == 4
    assert set(found["sensitivity"].left_out) == {"h0"} and found["specificity"].n_sites == 5
    assert "no positives" in found["auroc"].left_out["h0"]
    perfect = uc.evaluate(
        Y, Y * 0.9, site=SITE, metrics=["auroc", "sensitivity", "lr_positive", "average_precision"]
    ).sites
    for name in ("auroc", "sensitivity", "average_precision"):
        assert perfect[name].n_sites == K and 0 < perfect[name].new_site.low < 1 and perfect[name].mean.value > 0.9
    assert math.isfinite(perfect["lr_positive"].mean.value)


def test_one_site_is_refused_and_two_have_no_interval():
    with pytest.raises(uc.UnconfuseError, match="one site only"):
        uc.evaluate(Y, S, site=np.repeat("a", K * N))
    two = uc.evaluate(Y, S, site=np.where(np.arange(K * N) % 2, "a", "b"), metrics=["auroc", "sensitivity"])
    assert math.isnan(two.sites["auroc"].new_site.low) and math.isnan(two.sites["sensitivity"].mean.high)
    assert two.findings[0].sentence.startswith("Two places say nothing about other places: AUROC is 0.")
    three = uc.evaluate(Y, S, site=np.arange(K * N) % 3, metrics=["auroc"])
    assert "Three places say almost nothing about other places." in [each.sentence for each in three.findings]
    assert not math.isnan(three.sites["auroc"].new_site.low)


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ({"site": "hospital"}, "plain arrays"),
        ({"site": SITE[:-1]}, "length"),
        ({"site": np.where(np.arange(K * N) == 3, None, SITE)}, "missing values"),
        ({"site": np.arange(K * N)}, "for each row"),
        ({"site": SITE, "folds": np.arange(K * N) % 5}, "cannot be combined with folds"),
        ({"site": SITE, "groups": np.arange(K * N) % 7}, "in several sites"),
        ({"site": SITE, "judge": Y}, "site"),
    ],
)
def test_bad_sites_are_refused(words, match):
    with pytest.raises(uc.UnconfuseError, match=match):
        uc.evaluate(Y, S, **words)


def test_other_verbs_refuse_sites_and_say_so():
    for verb in (uc.score_table, uc.threshold_card, uc.indistinguishability):
        with pytest.raises(uc.UnconfuseError, match="`site` is for `evaluate`"):
            verb(Y, S, site=SITE)
    with pytest.raises(uc.UnconfuseError, match="no sites here"):
        uc.evaluate(Y, S, metrics=["auroc"]).sites  # noqa: B018
    with pytest.raises(uc.UnconfuseError, match="does not support sites"):
        uc.shift_prevalence(uc.evaluate(Y, S, site=SITE, metrics=["precision"]), prevalence=0.1)


def test_groups_widen_what_sites_know():
    plain = uc.evaluate(Y, S, site=SITE, metrics=["auroc", "sensitivity"]).sites
    alike = {
        "y": np.repeat(Y, 3),
        "s": np.repeat(S, 3),
        "site": np.repeat(SITE, 3),
        "g": np.repeat(np.arange(K * N), 3),
    }
    grouped = uc.evaluate(
        alike["y"], alike["s"], site=alike["site"], groups=alike["g"], metrics=["auroc", "sensitivity"]
    )
    for name in ("auroc", "sensitivity"):
        own, found = plain[name].mean, grouped.sites[name].mean
        assert found.high - found.low == pytest.approx(own.high - own.low, rel=0.35), name


def test_sampling_weights_several_classes_subgroups_bins_and_own_metrics():
    weighted = uc.evaluate(Y, S, site=SITE, sampling_weights=1 + Y, metrics=["auroc", "sensitivity"])
    assert weighted.sites["sensitivity"].mean.method.startswith("Hartung-Knapp")
    classes = RNG.integers(0, 3, K * N)
    matrix = np.full((K * N, 3), 0.2) + 0.4 * np.eye(3)[np.where(RNG.random(K * N) < 0.7, classes, 0)]
    several = uc.evaluate(classes, matrix, site=SITE, metrics=["accuracy", "f1_macro", "auroc_ovr_macro"])
    assert several.sites["accuracy"].mean.method == "binomial-normal posterior"
    assert several.sites["f1_macro"].n_sites == K and several.findings[0].sentence.startswith(
        "In a new place expect an"
    )
    assert several.one_vs_rest(1).sites["auroc"].n_sites == K
    sex = np.where(np.arange(K * N) % 2, "f", "m")
    divided = uc.evaluate(Y, S, site=SITE, by=sex, metrics=["auroc"])
    assert divided.subgroups["f"].sites["auroc"].n_sites == K and divided.sites["auroc"].n_sites == K
    binned = uc.evaluate(Y, S, site=SITE, bins=20, metrics=["auroc"])
    assert binned.sites["auroc"].mean.value == pytest.approx(
        uc.evaluate(Y, S, site=SITE).sites["auroc"].mean.value, abs=0.02
    )

    @uc.metric(of="counts", range=(0, 1))
    def found_or_left(counts):
        """Mean of both rates."""
        return (counts.tp / counts.positives + counts.tn / counts.negatives) / 2

    own = uc.evaluate(Y, S, site=SITE, metrics=[found_or_left]).sites["found_or_left"]
    assert own.mean.value == pytest.approx(uc.evaluate(Y, S, site=SITE).sites["balanced_accuracy"].mean.value)


def test_comparisons_over_sites():
    found = uc.compare(Y, {"a": S, "b": OTHER}, site=SITE, metrics=["auroc", "sensitivity"])
    pair, back = found.sites["auroc", "a", "b"], found.sites["AUROC", "b", "a"]
    assert pair.mean.value == pytest.approx(-back.mean.value) and pair.new_site.low == pytest.approx(
        -back.new_site.high
    )
    own = uc.compare(Y[SITE == "h1"], {"a": S[SITE == "h1"], "b": OTHER[SITE == "h1"]}, metrics=["auroc"])
    assert pair.estimates["h1"].value == own["auroc", "a", "b"].difference.value
    assert found.findings[0].startswith("In a new place expect a difference in AUROC (a minus b) between")
    assert json.dumps(found.as_dict()["sites"])
    alike = uc.compare(Y, {"a": S, "b": S}, site=SITE, metrics=["auroc", "sensitivity"]).sites
    assert alike["auroc", "a", "b"].mean.value == 0 == alike["sensitivity", "a", "b"].mean.value
    with pytest.raises(uc.UnconfuseError, match="no sites here"):
        uc.compare(Y, {"a": S, "b": OTHER}, metrics=["auroc"]).sites  # noqa: B018


def test_results_are_plain_pickled_and_drawn(ev, tmp_path):
    told = json.loads(json.dumps(ev.as_dict()))["sites"]
    assert told["sites"]["h0"] == N and told["metrics"]["auroc"]["mean"]["value"] == ev.sites["auroc"].mean.value
    again = pickle.loads(pickle.dumps(ev))
    same(again.sites["auroc"], ev.sites["auroc"])
    ev.sites.plot("auroc", str(tmp_path / "forest.png"))
    assert (tmp_path / "forest.png").stat().st_size > 5000
    assert len(ev.sites["auroc"].rows()) == K + 2 and "mean site" in ev.sites["auroc"]._repr_html_()
    assert ", 6 sites" in repr(ev)


def test_pages_have_a_section_of_places(ev, tmp_path):
    part = ev.payload()["sites"]
    assert [each["name"] for each in part["sites"]] == list(ev.sites.names)
    assert part["entries"][0]["new_site"]["low"] == pytest.approx(ev.sites["auroc"].new_site.low, abs=1e-4)
    ev.report(tmp_path / "page.html")
    assert "What to expect of a new place" in (tmp_path / "page.html").read_text("utf-8")
    compared = uc.compare(Y, {"a": S, "b": OTHER}, site=SITE, metrics=["auroc"]).payload()["sites"]
    assert compared["entries"][0]["label"] == "difference in AUROC (a - b)"


def test_the_command_line_shows_sites(cli, folder):
    words = ["--label", "y", "--score", "p", "--site", "hospital", "--metric", "auroc"]
    shown = cli("evaluate", str(folder / "all.csv"), *words)
    assert "In a new place expect an AUROC" in " ".join(shown.split()) and "mean site" in shown and "new site" in shown
    told = json.loads(cli("evaluate", str(folder / "all.parquet"), *words, "--json"))
    assert told["sites"]["metrics"]["auroc"]["new_site"]["low"] < told["metrics"]["auroc"]["low"]
    assert "| mean site |" in cli("evaluate", str(folder / "all.csv"), *words, "--format", "markdown")
    both = cli("compare", str(folder / "all.csv"), *words, "--score", "q")
    assert "difference in AUROC" in both and "new site" in both


def test_merged_tables_keep_their_sites(cli, folder, ev):
    files = sorted(str(each) for each in folder.glob("h?.parquet"))
    said = cli("merge", *files, "--keep-sites", "-o", str(folder / "kept.parquet"))
    assert "of 6 sites" in said
    same(uc.evaluate(str(folder / "kept.parquet"), metrics=["auroc"]).sites["auroc"], ev.sites["auroc"])
    assert "Places disagree about the AUROC" in " ".join(cli("evaluate", str(folder / "kept.parquet")).split())
    whole = uc.ScoreTable.load(folder / "kept.parquet")
    assert whole.n == K * N and len(uc.threshold_card(str(folder / "kept.parquet")).points) > 3
    cli("merge", *files, "-o", str(folder / "plain.parquet"))
    assert not uc.evaluate(str(folder / "plain.parquet"), metrics=["auroc"]).sample.has_sites
    coarse = cli("merge", *files, "--keep-sites", "--min-count", "10", "-o", str(folder / "coarse.parquet"))
    assert "single case" not in coarse
    rough = uc.evaluate(str(folder / "coarse.parquet"), metrics=["auroc"]).sites["auroc"]
    assert rough.mean.value == pytest.approx(ev.sites["auroc"].mean.value, abs=0.03)


def test_a_thousand_sites_take_seconds():
    y = RNG.random(1_000_000) < 0.3
    s = 1.5 * y + RNG.normal(size=1_000_000)
    start = time.process_time()
    found = uc.evaluate(y, s, site=np.repeat(np.arange(1000), 1000), metrics=["auroc", "average_precision"])
    assert found.sites["auroc"].n_sites == 1000 and found.sites["auroc"].p_value > 1e-6
    assert found.findings
    assert time.process_time() - start < 6  # 2 s alone; other sessions share the machine's cores

"""Several studies, several data sets: Python, the command line, pictures, and what is refused."""

import json
import math
import pickle

import numpy as np
import pytest

import unconfuse as uc

CELLS = {"tp": [28, 40, 33, 38, 29], "fp": [13, 6, 2, 7, 5], "fn": [2, 5, 16, 0, 3], "tn": [65, 43, 55, 68, 79]}
NAMES = ["a", "b", "c", "d", "e"]
STUDIES = {
    name: uc.Counts(**{cell: counts[place] for cell, counts in CELLS.items()}) for place, name in enumerate(NAMES)
}
AUC = np.random.default_rng(7).normal([0.8, 0.79, 0.74], 0.02, (12, 3)).round(3)
FRAME = {"d": np.repeat([f"set {i:02}" for i in range(12)], 3), "m": np.tile(["x", "y", "z"], 12), "auc": AUC.ravel()}
ROLES = {"dataset": "d", "model": "m", "value": "auc"}


@pytest.fixture(scope="module")
def meta():
    return uc.meta_analysis(STUDIES)


@pytest.fixture(scope="module")
def table():
    return uc.benchmark(FRAME, **ROLES)


@pytest.fixture
def files(tmp_path):
    lines = [f"{name},{','.join(str(CELLS[cell][i]) for cell in CELLS)}" for i, name in enumerate(NAMES)]
    (tmp_path / "studies.csv").write_text("\n".join([f"id,{','.join(CELLS)}", *lines]) + "\n")
    rows = [f"{d};{m};{str(v).replace('.', ',')}" for d, m, v in zip(*FRAME.values(), strict=True)]
    (tmp_path / "results.csv").write_text("\n".join(["d;m;auc", *rows]) + "\n")
    return tmp_path


# --- studies


def test_studies_from_counts_columns_and_frames_are_the_same(meta):
    pandas = pytest.importorskip("pandas")
    for found in (
        uc.meta_analysis(CELLS),
        uc.meta_analysis(pandas.DataFrame({**CELLS, "id": NAMES}), study="id"),
        uc.meta_analysis({"a": CELLS["tp"], **CELLS}, tp="a"),
    ):
        assert found.sensitivity.value == pytest.approx(meta.sensitivity.value, abs=1e-9)


def test_the_order_of_studies_moves_no_bit(meta):
    again = uc.meta_analysis(dict(reversed(STUDIES.items())))
    assert again.sensitivity == meta.sensitivity and again.new_study["specificity"] == meta.new_study.specificity


def test_the_first_sentence_is_about_a_new_study(meta):
    new, mean = meta.new_study.sensitivity, meta.sensitivity
    words = f"In a new study expect a sensitivity between {new.low:.3f} and {new.high:.3f}; the mean study has"
    assert meta.sentence.startswith(f"{words} {mean.value:.3f} [{mean.low:.3f}, {mean.high:.3f}].")
    assert new.low <= mean.low <= mean.value <= mean.high <= new.high


def test_a_level_widens_everything(meta):
    wide = uc.meta_analysis(STUDIES, confidence_level=0.99)
    assert (
        wide.sensitivity.low < meta.sensitivity.low and wide.new_study.specificity.low < meta.new_study.specificity.low
    )


def test_results_can_be_shown_and_kept(meta, table):
    for found in (meta, table):
        json.dumps(found.as_dict(), allow_nan=False)
        again = pickle.loads(pickle.dumps(found))
        assert str(again) == str(found) and again.rows() and found._repr_html_()


def test_few_studies_have_no_region_of_a_new_one(meta):
    assert set(meta.region()) == {"false_positive_rate", "sensitivity"}
    with pytest.raises(uc.UnconfuseError, match="at least 15 studies"):
        meta.region("new")
    many = uc.meta_analysis({f"{name}{i}": each for i in range(3) for name, each in STUDIES.items()})
    assert np.ptp(many.region("new")["sensitivity"]) > np.ptp(many.region()["sensitivity"])


def test_a_rate_of_one_in_all_studies_has_an_interval_but_no_joint_model():
    found = uc.meta_analysis({f"s{i}": uc.Counts(tp=10, fp=i, fn=0, tn=30) for i in range(6)})
    assert math.isnan(found.correlation) and found.sensitivity.high <= 1 and found.sensitivity.low > 0.9
    assert "one at a time" in [each.rule for each in found.findings]
    with pytest.raises(uc.UnconfuseError, match="no region"):
        found.region()


def test_studies_without_positives_say_nothing_about_sensitivity():
    found = uc.meta_analysis({f"s{i}": uc.Counts(tp=0, fp=1 + i, fn=0, tn=30) for i in range(4)})
    assert "have positives" in found.sensitivity.undefined and found.specificity.low > 0.5
    assert math.isnan(found.new_study.chance("sensitivity", 0.5))


@pytest.mark.parametrize(
    ("studies", "words", "told"),
    [
        (dict(list(STUDIES.items())[:1]), {}, "at least 3 studies; got 1"),
        (dict(list(STUDIES.items())[:2]), {}, "at least 3 studies; got 2"),
        ({}, {}, "there are no studies"),
        ({**STUDIES, "f": 3}, {}, "study 'f' must be Counts; got int"),
        (
            {**STUDIES, "f": uc.Counts(tp=1.5, fp=1, fn=1, tn=1)},
            {},
            "`tp` of study 'f' must be a whole number; got 1.5",
        ),
        ({**STUDIES, "f": uc.Counts(tp=0, fp=0, fn=0, tn=0)}, {}, "study 'f' has no cases"),
        ({**STUDIES, "f": uc.Counts(tp=[1, 2], fp=1, fn=1, tn=1)}, {}, "study 'f' must be one 2x2 table"),
        (STUDIES, {"tp": "tp"}, "`tp` names a column"),
        (CELLS, {"tp": "TP"}, "the mapping has no column 'TP'"),
        (CELLS, {"tp": "fp"}, "a column of its own"),
        ({**CELLS, "id": ["a", "a", "b", "c", "d"]}, {"study": "id"}, "study 'a' occurs in more than one row"),
        (CELLS, {"confidence_level": 2}, "confidence_level"),
        (5, {}, "expected a data frame or the path of a file; got int"),
    ],
)
def test_studies_that_are_refused(studies, words, told):
    with pytest.raises(uc.UnconfuseError, match=told.replace("(", r"\(")):
        uc.meta_analysis(studies, **words)


def test_the_command_gives_the_same_studies(run, files, meta):
    done = run("meta", files / "studies.csv", "--study", "id", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["sensitivity"]["low"] == meta.sensitivity.low and list(told["studies"]) == NAMES
    shown = run("meta", files / "studies.csv", "--study", "id")
    assert meta.sentence[:60] in " ".join(shown.stdout.split()) and "new study" in shown.stdout
    picture = files / "forest.png"
    assert run("meta", files / "studies.csv", "--plot", picture, "--kind", "forest").exit_code == 0
    assert picture.stat().st_size > 5_000
    assert run("meta", files / "studies.csv", "--kind", "forest").exit_code == 2
    refused = run("meta", files / "studies.csv", "--tp", "nope")
    assert refused.exit_code == 2 and "no column 'nope'" in refused.stderr


# --- data sets


def test_a_pair_turned_round(table):
    one, other = table["x", "z"], table["z", "x"]
    assert other.difference.value == -one.difference.value and other.difference.low == -one.difference.high
    assert other.wins_next.value == pytest.approx(1 - one.wins_next.value)
    assert (one.verdict, other.verdict) == ("better", "worse")


def test_lower_may_be_better(table):
    turned = uc.benchmark({**FRAME, "auc": -FRAME["auc"]}, **ROLES, better="lower")
    assert [each.model for each in turned.leaderboard] == [each.model for each in table.leaderboard]
    assert turned["x", "z"].wins_next.value == pytest.approx(table["x", "z"].wins_next.value)
    assert turned["x", "z"].verdict == "better" and turned["x", "z"].difference.value < 0
    first, second = (each.signed_rank(rope=0.005)["x", "z"]["first"] for each in (turned, table))
    assert first == pytest.approx(second)


def test_the_order_of_rows_moves_no_bit(table):
    order = np.random.default_rng(1).permutation(36)
    again = uc.benchmark({name: column[order] for name, column in FRAME.items()}, **ROLES)
    assert again.as_dict() == table.as_dict()


def test_standard_errors_and_their_correlation_count(table):
    frame = {**FRAME, "se": np.full(36, 0.015)}
    alone = uc.benchmark(frame, **ROLES, standard_error="se")["x", "z"]
    paired = uc.benchmark(frame, **ROLES, standard_error="se", correlation=0.8)["x", "z"]
    assert alone.wins_next.value != paired.wins_next.value != table["x", "z"].wins_next.value
    assert alone.spread.deviation < paired.spread.deviation
    assert [each.rule for each in uc.benchmark(frame, **ROLES, standard_error="se").findings][
        -1
    ] == "independent errors"


def test_few_data_sets_without_standard_errors_cannot_tell():
    few = {name: column[:18] for name, column in FRAME.items()}
    assert "6 data sets without standard errors cannot tell" in uc.benchmark(few, **ROLES).findings[1].sentence
    with_errors = uc.benchmark({**few, "se": np.full(18, 0.01)}, **ROLES, standard_error="se")
    assert not any("without standard errors" in each.sentence for each in with_errors.findings)


def test_the_same_difference_everywhere_tells_nothing_of_new_data_sets():
    frame = {"d": list("abcdef") * 2, "m": ["x"] * 6 + ["y"] * 6, "auc": [0.5] * 6 + [0.75] * 6}
    pair = uc.benchmark(frame, **ROLES)["y", "x"]
    assert pair.wins_next.undefined and math.isnan(pair.wins_next.value)
    assert pair.verdict == "cannot tell" and pair.difference.method.startswith("no interval")


def test_two_models_have_no_friedman_test():
    two = {name: column[FRAME["m"] != "y"] for name, column in FRAME.items()}
    found = uc.benchmark(two, **ROLES)
    assert math.isnan(found.friedman.p_value) and found.friedman.mean_ranks


@pytest.mark.parametrize(
    ("rows", "words", "told"),
    [
        (slice(0, 3), {}, "at least 3 data sets; got 1"),
        (slice(0, 35), {}, "1 value is missing, first that of model 'z' on data set 'set 11'"),
        (slice(0, None, 3), {}, "at least 2 models; got 1"),
        (slice(None), {"value": "d"}, "a column of its own"),
        (slice(None), {"better": "more"}, "`better` must be one of"),
        (slice(None), {"correlation": 0.5}, "`correlation` is that of standard errors"),
        (slice(None), {"standard_error": "zero"}, "must be above 0; got 0"),
        (slice(None), {"standard_error": "zero", "correlation": 1.0}, "at least 0 and below 1; got 1"),
        (slice(None), {"value": "hole"}, "column 'hole' has missing values"),
        (slice(None), {"value": "words"}, "column 'words'"),
        (slice(None), {"model": "nope"}, "no column 'nope'"),
    ],
)
def test_tables_that_are_refused(rows, words, told):
    more = {"zero": np.zeros(36), "hole": np.where(np.arange(36) == 3, np.nan, 0.5), "words": np.full(36, "good")}
    with pytest.raises(uc.UnconfuseError, match=told):
        uc.benchmark({name: column[rows] for name, column in {**FRAME, **more}.items()}, **{**ROLES, **words})


def test_a_model_twice_on_a_data_set_is_refused():
    twice = {name: np.append(column, column[:1]) for name, column in FRAME.items()}
    with pytest.raises(uc.UnconfuseError, match="more than one value on data set 'set 00'"):
        uc.benchmark(twice, **ROLES)


def test_pairs_that_are_not_there(table):
    for key, told in ((("x", "q"), "no model 'q'"), (("x", "x"), "with itself"), ("x", "first model, second model")):
        with pytest.raises(uc.UnconfuseError, match=told):
            table[key]
    with pytest.raises(uc.UnconfuseError, match="`rope` must be at least 0"):
        table.signed_rank(rope=-1)


def test_the_command_gives_the_same_table(run, files, table):
    words = ("--dataset", "d", "--model", "m", "--value", "auc", "--decimal", ",")
    done = run("benchmark", files / "results.csv", *words, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["pairs"][0]["difference"]["low"] == table["x", "y"].difference.low
    shown = run("benchmark", files / "results.csv", *words, "--plot", files / "ranks.svg")
    assert "Friedman" in shown.stdout and (files / "ranks.svg").stat().st_size > 3_000
    assert len(run("benchmark", files / "results.csv", *words, "--format", "csv").stdout.splitlines()) == 4
    refused = run("benchmark", files / "results.csv", *words, "--correlation", ".5")
    assert refused.exit_code == 2 and "--standard-error" in refused.stderr


def test_pictures_take_only_their_results(meta, table):
    pytest.importorskip("matplotlib")
    from unconfuse import plots

    assert meta.plot() and meta.plot(kind="forest") and table.plot()
    for draw, wrong in (
        (plots.plot_forest, table),
        (plots.plot_summary_roc, 3),
        (plots.plot_critical_difference, meta),
    ):
        with pytest.raises(uc.UnconfuseError, match="the picture must be of"):
            draw(wrong)


def test_studies_without_a_likeliest_model_say_which_reason_holds():
    """The likelihood of a handful of cases may rise without end where no rate is 0 or 1 in all of them."""
    tables = [(2, 1, 0, 1), (0, 1, 2, 2), (2, 2, 0, 1), (2, 2, 0, 0)]
    studies = {f"study {i}": uc.Counts(tp=a, fp=b, fn=c, tn=d) for i, (a, b, c, d) in enumerate(tables, 1)}
    found = uc.meta_analysis(studies)
    assert found.no_model.startswith("the likelihood has no highest point")
    assert found.sensitivity.low < found.sensitivity.value < found.sensitivity.high
    perfect = uc.meta_analysis({name: uc.Counts(tp=5, fp=each.fp, fn=0, tn=each.tn) for name, each in studies.items()})
    assert perfect.no_model.startswith("one of the rates is 0 or 1")

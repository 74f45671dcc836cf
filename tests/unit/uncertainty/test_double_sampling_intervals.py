"""An imperfect judge: corrected values against the truth, standard errors against refits, plans, refusals, files."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse.cli import cli
from unconfuse.uncertainty.double_sampling_intervals import ObservedProportion, rogan_gladen

N = 400


def drawn(seed=0, n=N, share=0.3, right=0.85):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    judge = truth ^ (rng.random(n) > right)
    score = np.round(1 / (1 + np.exp(-(2 * truth - 1 + rng.normal(size=n)))), 2)
    return truth, judge, score, np.where(rng.random(n) < share, truth, np.nan)


def test_everything_checked_is_the_plain_evaluation():
    truth, judge, score, _ = drawn()
    ev, plain = uc.evaluate(truth.astype(float), score, judge=judge), uc.evaluate(truth, score)
    for name in ("sensitivity", "precision", "f1", "auroc", "average_precision", "brier", "prevalence"):
        assert ev[name].value == pytest.approx(plain[name].value), name
        assert ev[name].standard_error == pytest.approx(plain[name].standard_error, rel=0.05), name


def test_values_are_about_the_truth_on_average():
    names = ["sensitivity", "specificity", "precision", "auroc"]
    errors = []
    for seed in range(60):
        truth, judge, score, known = drawn(seed)
        ev, plain = (
            uc.evaluate(y, score, metrics=names, **more) for y, more in ((known, {"judge": judge}), (truth, {}))
        )
        errors.append([ev[name].value - plain[name].value for name in names])
    mean, spread = np.mean(errors, axis=0), np.std(errors, axis=0) / np.sqrt(len(errors))
    assert (np.abs(mean) < 4 * spread + 0.003).all()


def test_standard_errors_are_those_of_new_samples():
    found = []
    for seed in range(150):
        _, judge, score, known = drawn(seed)
        ev = uc.evaluate(known, score, judge=judge, metrics=["sensitivity", "auroc"])
        found.append([(ev[name].value, ev[name].standard_error) for name in ("sensitivity", "auroc")])
    values, errors = np.moveaxis(np.array(found), -1, 0)
    assert values.std(axis=0) == pytest.approx(np.sqrt((errors**2).mean(axis=0)), rel=0.2)


def test_the_mean_is_prediction_powered_inference():
    ppi = pytest.importorskip("ppi_py")
    truth, judge, _, known = drawn(3)
    checked = ~np.isnan(known)
    shares = [truth[checked & (judge == each)].mean() for each in (False, True)]
    # double sampling is PPI of all cases with this lambda (the unlabelled are the others)
    lam = (shares[1] - shares[0]) * (N - checked.sum()) / N
    expected = ppi.ppi_mean_pointestimate(
        truth[checked].astype(float), judge[checked].astype(float), judge[~checked].astype(float), lam=lam
    )
    stratified = np.mean(np.where(judge, shares[1], shares[0]))
    found = uc.prevalence(known, judge=judge)
    assert found.value == pytest.approx(stratified)
    assert float(np.squeeze(expected)) == pytest.approx(found.value, abs=1e-9)


@pytest.mark.parametrize("called", [0, 3, 20, 40])
def test_rogan_gladen_holds_its_value_and_names_the_clipping(called):
    found = rogan_gladen(ObservedProportion(called, 40), ObservedProportion(45, 50), ObservedProportion(88, 100))
    assert 0 <= found.low <= found.value <= found.high <= 1
    raw = (called / 40 + 0.88 - 1) / 0.78
    assert ("clipped" in found.conditions) == (not 0 <= raw <= 1)


def test_the_finding_names_the_judge_and_the_assumption():
    _, judge, score, known = drawn()
    finding = uc.evaluate(known, score, judge=judge).findings[0]
    assert "random part" in finding.sentence
    assert finding.numbers["worth"] > finding.numbers["checked"]


def test_a_plan_spends_labels_where_they_tell_most():
    _, judge, score, known = drawn()
    ev = uc.evaluate(known, score, judge=judge)
    plan = ev.plan_verification(40, "precision")
    assert sum(plan.checks.values()) == 40
    assert all(count == 0 for words, count in plan.checks.items() if "score calls negative" in words)
    now, then, least = plan.standard_error
    assert least <= then < now
    everything = ev.plan_verification(10 * N, "sensitivity")
    assert sum(everything.checks.values()) == np.isnan(known).sum()


def test_labels_may_be_words_and_columns_may_be_named(tmp_path):
    truth, judge, score, known = drawn()
    words = np.where(np.isnan(known), None, np.where(truth, "yes", "no"))
    frame = pd.DataFrame({"truth": words, "llm": np.where(judge, "yes", "no"), "p": score})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    plain = uc.evaluate(known, score, judge=judge)["auroc"]
    for source in (frame, str(tmp_path / "rows.csv")):
        found = uc.evaluate(source, label="truth", judge="llm", score="p", positive="yes")["auroc"]
        assert (found.value, found.low) == pytest.approx((plain.value, plain.low))


def test_the_command_line(tmp_path):
    _, judge, score, known = drawn()
    frame = pd.DataFrame({"truth": known, "llm": judge.astype(int), "p": score})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    given = ["judge", str(tmp_path / "rows.csv"), "--label", "truth", "--judge", "llm", "--score", "p"]
    result = CliRunner().invoke(cli, [*given, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)["metrics"]["sensitivity"]
    assert found["value"] == pytest.approx(uc.evaluate(known, score, judge=judge)["sensitivity"].value)
    shown = CliRunner().invoke(cli, [*given, "--buy", "30"])
    assert "30 more checks" in shown.output


def test_subgroups_are_judged_as_if_they_were_alone(tmp_path):
    _, judge, score, known = drawn()
    site = np.where(np.arange(len(judge)) % 2, "A", "B")
    frame = pd.DataFrame({"truth": known, "llm": judge.astype(int), "p": score, "site": site})
    frame.to_csv(path := tmp_path / "rows.csv", index=False)
    words = {"label": "truth", "judge": "llm", "score": "p", "by": "site"}
    several = [uc.evaluate(known, score, judge=judge, by=site), uc.evaluate(path, **words), uc.evaluate(frame, **words)]
    for name, own in (("A", site == "A"), ("B", site == "B")):
        alone = uc.evaluate(known[own], score[own], judge=judge[own])
        for metric in ("sensitivity", "auroc", "prevalence"):
            assert {str(each.subgroups[name][metric]) for each in several} == {str(alone[metric])}
    assert several[0].subgroups.largest_difference("sensitivity").high > 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t, j, s, y: uc.evaluate(y, s, judge=j).curve("roc"), "truth of every case"),
        (lambda t, j, s, y: uc.evaluate(y, s, judge=j, metrics=["h_measure"]), "truth of every case"),
        (lambda t, j, s, y: uc.compare(y, {"a": s, "b": s}, judge=j), "compared on the truth"),
        (lambda t, j, s, y: uc.score_table(y, s, judge=j), "does not support double sampling"),
        (lambda t, j, s, y: uc.threshold_card(y, s, judge=j), "does not support double sampling"),
        (lambda t, j, s, y: uc.evaluate(np.where(j, np.nan, y), s, judge=j), "none of the .* positive was checked"),
        (lambda t, j, s, y: uc.evaluate(y * np.nan, s, judge=j), "no case was verified"),
        (lambda t, j, s, y: uc.evaluate(y, s, judge=j, sampling_weights=np.ones(N)), "a rater labelled"),
        (lambda t, j, s, y: uc.evaluate(y, s, judge=j, design="case-control"), "cohort"),
        (lambda t, j, s, y: uc.evaluate(y, s, judge=j[:-1]), "rows|length|same"),
        (lambda t, j, s, y: uc.prevalence(judge=j), "requires either the truth of some cases"),
        (lambda t, j, s, y: uc.prevalence(y, judge=j, sensitivity=(9, 10)), "as pairs"),
        (lambda t, j, s, y: uc.prevalence(judge=j, sensitivity=0.9, specificity=(9, 10)), "pair"),
        (lambda t, j, s, y: uc.prevalence(judge=j, sensitivity=(11, 10), specificity=(9, 10)), "so many"),
        (lambda t, j, s, y: uc.prevalence(judge=j, sensitivity=(5, 10), specificity=(5, 10)), "no better than chance"),
        (
            lambda t, j, s, y: uc.shift_prevalence(uc.evaluate(y, s, judge=j), prevalence=0.1),
            "does not support double sampling",
        ),
        (lambda t, j, s, y: uc.posterior(uc.evaluate(y, s, judge=j), prior=0.1), "no counts"),
        (lambda t, j, s, y: uc.evaluate(t, s).plan_verification(3), "verified labels are planned"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        call(*drawn())


def test_everyone_called_alike_is_not_certain():
    """A sensitivity of 1 because nobody was called negative was seen of a hundred positives only."""
    _, judge, score, known = drawn()
    found = uc.evaluate(known, 0.6 + 0.4 * score, judge=judge, metrics=["sensitivity"])["sensitivity"]
    assert found.value == 1 and 0.9 < found.low < 0.99 and found.high == 1


def test_labels_that_do_not_fit_the_judges_rates_are_said():
    found = uc.prevalence(judge=np.zeros(50), sensitivity=(90, 100), specificity=(80, 100))
    assert found.value == 0 and "do not seem to carry over" in found.conditions


def test_a_kind_without_a_checked_case_leaves_its_counts_unknown(tmp_path):
    """Of those whom the rater calls positive and the score negative, nobody knows how many are."""
    truth, rater = [1, 0, 1, 1, 0, None, 1, 0, 1, 0], [1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
    score = [0.9, 0.1, 0.8, 0.7, 0.3, 0.2, 0.6, 0.3, 0.9, 0.3]
    found = uc.evaluate(truth, score, judge=rater, threshold=0.55, n_resamples=100)
    assert "no case was checked" in found["sensitivity"].undefined
    counts = found.as_dict()["counts"]
    assert counts == {"tp": 5, "fp": 0, "fn": None, "tn": None}
    found._repr_html_()
    found.report(tmp_path / "page.html")
    file = tmp_path / "rows.csv"
    pd.DataFrame({"y": truth, "j": rater, "p": score}).to_csv(file, index=False)
    words = ["judge", str(file), "--label", "y", "--judge", "j", "--score", "p", "--threshold", "0.55"]
    said = CliRunner().invoke(cli, words)
    assert said.exit_code == 0 and "? FN" in said.output and "no case was checked" in said.output

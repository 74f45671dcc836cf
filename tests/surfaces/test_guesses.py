"""What a stranger would type without reading: each guess has its answer, or a question in words."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import unconfuse as uc
from unconfuse.cli import cli
from unconfuse.ingest.read_columns import read_matrix

RNG = np.random.default_rng(32)
Y = (RNG.random(200) < 0.4).astype(int)
P = np.clip(0.35 * Y + 0.3 + 0.25 * RNG.normal(size=200), 0.01, 0.99)
Q = np.clip(0.15 * Y + 0.4 + 0.25 * RNG.normal(size=200), 0.01, 0.99)

NAMES = {
    "AUC": "auroc",
    "AUROC": "auroc",
    "ROC AUC": "auroc",
    "auc-roc": "auroc",
    "C-statistic": "auroc",
    "TPR": "sensitivity",
    "Recall": "sensitivity",
    "Se": "sensitivity",
    "Sp": "specificity",
    "PPV": "precision",
    "NPV": "npv",
    "FOR": "false_omission_rate",
    "FDR": "false_discovery_rate",
    "F1": "f1",
    "F1 score": "f1",
    "F1-Score": "f1",
    "LR+": "lr_positive",
    "LR-": "lr_negative",
    "LR -": "lr_negative",
    "positive likelihood ratio": "lr_positive",
    "DOR": "diagnostic_odds_ratio",
    "MCC": "mcc",
    "J": "youden_j",
    "Youden's J": "youden_j",
    "balanced accuracy": "balanced_accuracy",
    "Balanced-Accuracy": "balanced_accuracy",
    "f2": "f_beta(2)",
    "F0.5 score": "f_beta(0.5)",
    "false_alarm_rate": "false_positive_rate",
    "labelling rate": "queue_rate",
    "Brier Score": "brier",
    "PR AUC": "average_precision",
    "Cohen's kappa": "cohen_kappa",
    "log-loss": "log_loss",
    "precision@10": "precision_at_k(10)",
    "expected_cost(1, 10)": "expected_cost(fp=1, fn=10)",
    "Expected cost(fp=1, fn=10)": "expected_cost(fp=1, fn=10)",
}


@pytest.mark.parametrize("guess", NAMES)
def test_a_metric_is_found_however_its_name_is_written(guess):
    name = NAMES[guess]
    assert uc.evaluate(Y, P, metrics=["accuracy"])[guess].name == name
    assert list(uc.evaluate(Y, P, metrics=[guess])) == [name]
    if "(" not in name:
        assert uc.METRICS[guess].name == name
        assert guess in uc.METRICS


@pytest.mark.parametrize("guess", ["AUC", "F1 score", "f2", "TPR"])
def test_comparisons_and_questions_take_the_same_names(guess):
    metrics = ["auroc", "f1", "f_beta(2)", "sensitivity"]
    found = uc.compare(Y, {"a": P, "b": Q}, metrics=metrics)
    assert found[guess, "a", "b"].metric == NAMES[guess]
    assert found[guess, "b", "a"].metric == NAMES[guess]
    assert guess in uc.evaluate(Y, P, metrics=metrics) or guess == "f2"
    assert uc.gate(Y, P, require=[f"{guess} >= 0.01"]).verdict == "pass"


def test_averages_over_classes_are_found_in_either_order():
    y = RNG.integers(0, 3, 60)
    scores = RNG.dirichlet([1, 1, 1], 60)
    ev = uc.evaluate(y, scores)
    for guess in ("F1 macro", "macro F1", "macro-F1", "f1_macro"):
        assert ev[guess].name == "f1_macro"
    assert ev["Macro recall"].name == "sensitivity_macro"
    assert ev["top-2 accuracy"].name == "top_k_accuracy(2)"


def test_a_users_own_metric_goes_before_the_declared_one():
    @uc.metric(name="Auc")
    def own(counts):
        return counts.tp / counts.total

    ev = uc.evaluate(Y, P, metrics=[own])
    assert ev["Auc"].value == ev["AUC"].value == ev.counts.tp / ev.counts.total


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(KeyError, match="did you mean 'sensitivity'"):
        uc.METRICS["sensitivty"]
    assert uc.METRICS.get("nothing like it") is None
    assert 3 not in uc.METRICS


def test_costs_are_given_in_order():
    assert uc.expected_cost(1, 10).name == uc.expected_cost(fp=1, fn=10).name


BOTH = np.column_stack([1 - P, P])
TEXT = np.where(Y == 1, "ill", "healthy")


@pytest.mark.parametrize(
    ("labels", "scores", "words"),
    [
        (Y, BOTH, {}),
        (Y, BOTH.tolist(), {}),
        (Y == 1, BOTH, {}),
        (2 * Y - 1, BOTH, {}),
        (Y.astype(str), BOTH, {}),
        (Y, BOTH, {"positive": 1}),
        (Y, BOTH, {"classes": [0, 1]}),
        (TEXT, BOTH, {"positive": "ill"}),
        (TEXT, BOTH, {"negative": "healthy"}),
        (TEXT, pd.DataFrame(BOTH, columns=["healthy", "ill"]), {"positive": "ill"}),
        (TEXT, pd.DataFrame(BOTH[:, ::-1], columns=["ill", "healthy"]), {"positive": "ill"}),
        (Y, pd.DataFrame(BOTH[:, ::-1], columns=[1, 0]), {}),
        (Y, pd.DataFrame(BOTH), {}),
    ],
)
def test_two_columns_are_the_yes_or_no_question(labels, scores, words):
    metrics = ["auroc", "sensitivity", "brier"]
    ours, plain = uc.evaluate(labels, scores, metrics=metrics, **words), uc.evaluate(Y, P, metrics=metrics)
    assert ours.threshold == 0.5
    assert [each.as_dict() for each in ours.values()] == [each.as_dict() for each in plain.values()]


def test_the_other_column_is_asked_for_by_its_class():
    ours, turned = uc.evaluate(Y, BOTH, positive=0), uc.evaluate(1 - Y, 1 - P)
    assert ours["specificity"].value == turned["specificity"].value
    assert ours["auroc"].value == turned["auroc"].value
    swapped = uc.evaluate(Y, BOTH, classes=[0, 1], positive=0)
    assert swapped["sensitivity"].value == ours["sensitivity"].value


def test_names_without_a_known_positive_say_which_was_taken():
    with pytest.warns(uc.UnconfuseWarning, match="'ill', the second column, is the positive class"):
        assert uc.evaluate(TEXT, BOTH).classes == ("healthy", "ill")


def test_compare_takes_matrices_vectors_and_both():
    plain = uc.compare(Y, {"a": P, "b": Q}, metrics=["auroc"])["auroc", "a", "b"].difference
    for a, b in ((BOTH, np.column_stack([1 - Q, Q])), (BOTH, Q)):
        assert uc.compare(Y, {"a": a, "b": b}, metrics=["auroc"])["auroc", "a", "b"].difference == plain


@pytest.mark.parametrize(
    ("labels", "scores", "words"),
    [
        (Y, np.column_stack([P, Q]), "add up to 1"),
        (np.arange(200) % 3, BOTH, "2 columns, but the labels are 0, 1, 2"),
        (["a"] * 200, BOTH, "one class only"),
        (np.zeros(200), BOTH, "one class only"),
        (TEXT, pd.DataFrame(BOTH, columns=["p", "q"]), "no score column belongs to the class 'healthy'"),
    ],
)
def test_two_columns_that_are_no_such_answer_are_refused(labels, scores, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        uc.evaluate(labels, scores)


@pytest.mark.parametrize("labels", [Y, Y == 1, 2 * Y - 1, Y.astype(str), Y.astype(float)])
def test_predicted_labels_that_say_which_is_positive_need_no_positive(labels):
    ours = uc.evaluate(labels, predicted=labels[::-1])
    assert (
        ours["sensitivity"].value
        == uc.evaluate(labels, predicted=labels[::-1], positive=sorted(labels.tolist())[-1])["TPR"].value
    )
    assert uc.evaluate({"y": labels, "h": labels[::-1]}, predicted="h")["sensitivity"].value == ours["TPR"].value
    found = uc.compare(labels, predicted={"a": labels, "b": labels[::-1]})
    assert found["sensitivity", "a", "b"].verdict == "better"


def test_predicted_classes_may_still_be_asked_for_as_classes():
    assert uc.evaluate(Y, predicted=Y[::-1], classes=[0, 1]).sample.is_multiclass
    assert uc.evaluate(np.arange(200) % 3, predicted=Y, classes=[0, 1, 2]).sample.is_multiclass
    with pytest.raises(uc.UnconfuseError, match="metric of several classes"):
        uc.evaluate(Y, predicted=Y[::-1], metrics=["f1_macro"])


MODEL = LogisticRegression()
X = np.column_stack([P, Q])
CALLS = {
    "here it is `y`": lambda: uc.evaluate(y_true=Y, y_score=P),
    "here it is `s`": lambda: uc.evaluate(Y, y_score=P),
    "here it is `predicted`": lambda: uc.evaluate(Y, y_pred=Y),
    "here it is `positive`": lambda: uc.evaluate(Y, P, pos_label=1),
    "here it is `weights`": lambda: uc.evaluate(Y, P, sample_weight=np.ones(200)),
    "here it is `metrics`": lambda: uc.compare(Y, {"a": P, "b": Q}, metric="auc"),
    "here it is `rng`": lambda: uc.evaluate(Y, P, random_state=1),
    "here it is `confidence_level`": lambda: uc.evaluate(Y, P, alpha=0.05),
    "takes labels and scores, not a model": lambda: uc.evaluate(MODEL, X, Y),
    "not a model": lambda: uc.evaluate(MODEL, X),
    "they are swapped": lambda: uc.evaluate(P, Y),
    "are swapped": lambda: uc.evaluate(P, TEXT),
    "requires `y`": uc.evaluate,
    "requires `new`": lambda: uc.gate(Y),
    "no argument `foo`": lambda: uc.evaluate(Y, P, foo=3),
    "labels but no scores": lambda: uc.evaluate(Y),
    "name the models": lambda: uc.compare(Y, P, Q),
    "which label is positive": lambda: uc.cross_evaluate(MODEL, X, TEXT),
}


@pytest.mark.parametrize("words", CALLS)
def test_a_call_in_the_words_of_another_library_is_told_ours(words):
    with pytest.raises(uc.UnconfuseError, match=re.escape(words)):
        CALLS[words]()


def test_cross_evaluate_takes_the_positive_label_and_several_models():
    one = uc.cross_evaluate(MODEL, X, TEXT, positive="ill", metrics=["AUC"])
    assert one["AUC"].value == uc.cross_evaluate(MODEL, X, Y, metrics=["AUC"])["AUC"].value
    both = uc.cross_evaluate({"a": MODEL, "b": DummyClassifier()}, X, Y, metrics=["AUC"])
    assert both["AUC", "a", "b"].verdict == "better"
    with pytest.raises(uc.UnconfuseError, match="`nested` does not support several classifiers"):
        uc.cross_evaluate({"a": MODEL, "b": DummyClassifier()}, X, Y, nested=2)


def test_a_comparison_leads_with_its_leaderboard(tmp_path):
    found = uc.compare(Y, {"a": P, "b": Q, "c": RNG.random(200), "d": P}, metrics=["AUC"])
    board = found.leaderboard
    assert [each.model for each in board][:2] == ["a", "d"]
    assert board.tiers[0] == ("a", "d")
    assert len(board.rows()) == len(board.to_frame()) == 4
    assert board[2].difference == found["AUC", board[2].model, "a"].difference.value
    told = [found["AUC", one, other].verdict for tier in board.tiers for one in tier for other in tier if one != other]
    assert set(told) <= {"cannot tell", "equivalent"}
    assert str(found).startswith(found.sentence)
    assert str(board) in str(found)
    assert "Tier" in found._repr_html_()
    assert "Tier" in board._repr_html_()
    found.plot(str(tmp_path / "board.png"))
    assert (tmp_path / "board.png").stat().st_size > 0


def test_the_commands_take_the_same_guesses(tmp_path):
    path = tmp_path / "rows.csv"
    pd.DataFrame({"y": Y, "a": P, "b": Q, "c": RNG.random(200), "h": (P > 0.5) * 1, "g": (Q > 0.5) * 1}).to_csv(path)
    models = ["--score", "a", "--score", "b", "--score", "c"]

    def said(*words):
        result = CliRunner().invoke(cli, list(words))
        assert result.exit_code == 0, result.output
        return result.output

    short, long = (said("compare", str(path), *models, *more) for more in ([], ["--pairs"]))
    assert "tier" in short
    assert len(long.splitlines()) > len(short.splitlines())
    assert "Sensitivity" in said("compare", str(path), "--predicted", "h", "--predicted", "g")
    assert "Sensitivity" in said("evaluate", str(path), "--predicted", "h", "--metric", "TPR")
    assert "roc_auc" in said("metrics", "AUC")


COUNTS = uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95)
QUESTIONS = {
    "a query alone does not say": lambda: uc.evaluate("select y, p from t"),
    "they are swapped": lambda: uc.compare({"a": P, "b": Q}, Y),
    "evaluate_confusion(matrix)": lambda: uc.evaluate([[90, 10], [5, 95]]),
    "by name only": lambda: uc.evaluate_counts(90, 5, 10, 95),
    "Counts(tp=90": lambda: uc.Counts(90, 5, 10, 95),
    "name the four counts": lambda: uc.evaluate(tp=90, fp=5, fn=10, tn=95),
    "bayes(prevalence=0.01": lambda: uc.bayes(0.01, 0.9, 0.95),
    "no argument `foo`": lambda: uc.bayes(foo=1),
    "same quantity": lambda: uc.bayes(recall=0.9, sensitivity=0.9),
    "1% is 0.01": lambda: uc.bayes(prevalence="1%", sensitivity=0.9, specificity=0.9),
    "posterior(bayes(": lambda: uc.posterior(sensitivity=0.9, specificity=0.95, prior=0.01),
    "needs the scores": COUNTS.threshold_card,
}
ATTRIBUTES = {
    "auc": "result['auroc']",
    "summary": "print(result)",
    "to_dict": "as_dict()",
    "to_pandas": "to_frame()",
    "to_html": "report('page.html')",
    "show": "plot()",
    "confusion_matrix": "result.confusion",
    "roc": "curve('roc')",
}


@pytest.mark.parametrize("words", QUESTIONS)
def test_a_call_with_two_meanings_gets_a_question(words):
    with pytest.raises(uc.UnconfuseError, match=re.escape(words)):
        QUESTIONS[words]()


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_of_another_library_is_told_ours(name):
    with pytest.raises(AttributeError, match=re.escape(ATTRIBUTES[name])):
        getattr(COUNTS, name)


@pytest.mark.parametrize("name", ["plot_roc", "roc_auc_score", "confusion_matrix", "delong_test", "evalute"])
def test_a_name_that_the_package_lacks_gets_a_hint(name):
    with pytest.raises(AttributeError, match="Hint: "):
        getattr(uc, name)


@pytest.mark.parametrize(
    "given",
    [
        {"recall": 0.9, "fpr": 0.05},
        {"tpr": 0.9, "specificity": 0.95},
        {"alpha": 0.05, "beta": 0.1},
        {"Se": 0.9, "Sp": 0.95},
        {"sensitivity": 0.9, "ppv": 2 / 13},
        {"dor": 171, "recall": 0.9},
    ],
)
def test_bayes_takes_quantities_by_any_name(given):
    found = uc.bayes(prevalence=0.01, tolerance=1e-6, **given)
    assert found.ppv == pytest.approx(2 / 13, abs=1e-5)


def test_one_likelihood_ratio_and_a_prior_are_enough():
    test = uc.bayes(lr_positive=18, prevalence=0.01)
    assert test.ppv == pytest.approx(2 / 13)
    assert test.verdict == "better than guessing"
    assert uc.posterior(test, prior=0.01, results="+").after_results.value == pytest.approx(2 / 13)


@pytest.mark.parametrize(
    "draw",
    [
        COUNTS.plot,
        lambda: COUNTS.plot("prevalence"),
        COUNTS.confusion.plot,
        COUNTS["sensitivity"].plot,
        lambda: uc.bayes(prevalence=0.01, sensitivity=0.9, specificity=0.95).plot(),
        lambda: uc.posterior(COUNTS, prior=0.05).plot(),
        lambda: uc.usefulness(COUNTS).plot(),
        lambda: uc.gate(Y, P, Q).plot(),
        lambda: uc.evaluate(Y, P, metrics=["auroc"]).curve("roc").plot(),
        uc.compare(Y, {"a": P, "b": Q}, metrics=["AUC"]).leaderboard.plot,
    ],
)
def test_results_draw_themselves(draw):
    assert draw().axes


COMMANDS = {
    "bayes --ppv .3": (2, "--precision 0.3"),
    "bayes --lr-positive 18 --prior 1% --tests +": (0, "15.4%"),
    "bayes --recall .9 --alpha .05 --prevalence 1%": (0, "0.154"),
    "metrics AUC": (0, "also known as"),
    "evaluate x.csv --auc": (2, "--metric auroc"),
    "evaluate x.csv --y-true y": (2, "--label"),
    "counts --tp 90 --fp 5 --fn 10 --tn 95": (0, "--all prints"),
    "counts --tp 90 --fp 5 --fn 10 --tn 95 --all": (0, "--complements"),
    "counts --tp 90 --fp 5 --fn 10 --tn 95 --complements": (0, "False discovery rate"),
    "--help": (0, "Studies, reproductions and tools"),
    "evaluate --file x.csv": (2, "files need no option, unconfuse evaluate FILE"),
    "kappa x.csv": (2, "unconfuse metrics cohen_kappa explains this metric"),
    "counts tp=90 fn=10 fp=5 tn=95": (2, "--tp 90 --fn 10 --fp 5 --tn 95"),
    "counts --tp 90 --fp 5 --fn 10 --tn ninety": (2, "'ninety' is not a number."),
    "counts --tp 90 --fp 5 --fn 10 --tn 95 -o x.pdf": (2, "end it in .txt"),
    "evaluate x.csv -o x.pdf": (2, "--plot x.pdf writes a picture"),
    "thresholds x.csv --sensitivity 95%": (2, "--rule 'precision_at_recall(0.95)'"),
    "compare x.csv --scores a,b --positive yes": (2, "named with --score"),
    "serve 8080": (2, "unconfuse serve --port 8080"),
}


@pytest.mark.parametrize(
    ("name", "first"),
    [("a.csv", "metric,label,value"), ("a.json", "{"), ("a.md", "- "), ("a.txt", "200 cases"), ("a", "200 cases")],
)
def test_the_ending_of_the_output_chooses_its_format(name, first, tmp_path):
    words = ["counts", "--tp", "90", "--fp", "5", "--fn", "10", "--tn", "95", "-o", str(tmp_path / name)]
    assert CliRunner().invoke(cli, words).exit_code == 0
    assert (tmp_path / name).read_text().startswith(first)
    assert CliRunner().invoke(cli, [*words, "--format", "table"]).exit_code == 0
    assert (tmp_path / name).read_text().startswith("200 cases")


def test_columns_in_one_word_are_named_by_themselves(tmp_path):
    (tmp_path / "x.csv").write_text("y,p,sex,age\n" + "1,.5,f,1\n0,.4,m,2\n" * 9)
    with pytest.raises(uc.UnconfuseError, match="Hint: 'sex', 'age' are columns; name each by itself"):
        uc.evaluate(tmp_path / "x.csv", label="y", score="p", by="sex, age")


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_answers_or_asks(words):
    result = CliRunner().invoke(cli, words.split())
    code, said = COMMANDS[words]
    assert result.exit_code == code
    assert said in " ".join(result.output.split())
    assert "something went wrong" not in result.output


# What six kinds of new users typed next: data scientist, clinician, reviewer, engineer, lecturer, analyst.
FRAME = pd.DataFrame({"y": Y, "p": P, "q": Q, "site": np.where(np.arange(200) % 3 == 0, "a", "b")})
EV, BOTH_MODELS = uc.evaluate(Y, P), uc.compare(Y, {"a": P, "b": Q})
CARD = uc.threshold_card(Y, P, n_resamples=20)
FITTED = LogisticRegression().fit(X, Y)
WORKS = {
    "a column of a frame": lambda: uc.evaluate(FRAME.y, FRAME.p)["AUC"].value == EV["AUC"].value,
    "a frame of one column": lambda: uc.evaluate(FRAME["y"], FRAME[["p"]])["AUC"].value == EV["AUC"].value,
    "tuples": lambda: uc.evaluate(tuple(Y), tuple(P))["AUC"].value == EV["AUC"].value,
    "upright columns": lambda: uc.evaluate(Y[:, None], P[:, None])["AUC"].value == EV["AUC"].value,
    "metrics in one word": lambda: list(uc.evaluate(Y, P, metrics="AUC")) == ["auroc"],
    "all metrics": lambda: list(uc.evaluate(Y, P, metrics="all")) == list(EV),
    "a rounded estimate": lambda: round(EV["AUC"], 2) == round(EV["AUC"].value, 2),
    "a formatted estimate": lambda: f"{EV['AUC']:.2f}" == f"{EV['AUC'].value:.2f}",
    "an estimate in a text": lambda: f"{EV['AUC']}" == str(EV["AUC"]),
    "the curve 'PR'": lambda: EV.curve("PR").name == "precision_recall",
    "the curve 'Precision-Recall'": lambda: EV.curve("Precision-Recall").name == "precision_recall",
    "the curve 'calibration'": lambda: EV.curve("calibration").name == "reliability",
    "the curve 'DCA'": lambda: EV.curve("DCA").name == "decision_curve",
    "the picture 'pr'": lambda: len(EV.plot("pr").axes) > 0,
    "the picture 'calibration'": lambda: len(EV.plot("calibration").axes) > 0,
    "the only pair by its metric": lambda: BOTH_MODELS["AUC"].value == BOTH_MODELS["AUC", "a", "b"].value,
    "a rule in capitals": lambda: CARD["Youden"] is CARD["youden"],
    "a crosstab": lambda: uc.evaluate_confusion(pd.crosstab(Y, P > 0.5))["accuracy"].value > 0,
    "subgroups as a column": lambda: set(uc.evaluate(Y, P, by=FRAME.site).subgroups) == {"a", "b"},
    "slide": lambda: uc.plots.style("slide") is not None,
}
ASKS = {
    "evaluate(frame, label='y', score='p')": lambda: uc.evaluate(FRAME, "y", "p"),
    "they are swapped": lambda: uc.evaluate(FITTED.predict_proba(X), Y),
    "threshold_rule='youden'": lambda: uc.evaluate(Y, P, threshold="best"),
    "50% is 0.5": lambda: uc.evaluate(Y, P, threshold="50%"),
    "95% is 0.95": lambda: uc.evaluate(Y, P, confidence_level=95),
    "here it is `s`": lambda: uc.evaluate(Y, probs=P),
    "here it is `confidence_level`": lambda: uc.evaluate(Y, P, ci=0.9),
    "here it is `by`": lambda: uc.evaluate(FRAME, label="y", score="p", subgroups="site"),
    "`group='site'` names a column": lambda: uc.evaluate(FRAME, label="y", score="p", groups="site"),
    "not a model": lambda: uc.evaluate(Y, FITTED),
    "evaluate(y, predicted=labels)": lambda: uc.evaluate(TEXT, TEXT[::-1]),
    "holds labels": lambda: uc.evaluate(np.arange(200) % 3, np.arange(200)[::-1] % 3),
    "not on this computer": lambda: uc.evaluate("https://example.org/rows.csv"),
    "there is no file": lambda: uc.evaluate("nope.csv"),
    "same length": lambda: uc.evaluate(Y, P[:-1]),
    "has missing values": lambda: uc.evaluate(Y, np.where(P > 0.9, np.nan, P)),
    "with its `.value`": lambda: EV["AUC"] > 0.5,
    "is an estimate with an interval": lambda: EV["AUC"] - 0.5,
    "result.report('page.html')": EV.report,
    "comparison['auroc', 'a', 'b']": lambda: uc.compare(Y, {"a": P, "b": Q, "c": P}, metrics=["AUC"])["AUC"],
    "name the models": lambda: uc.compare(Y, P, Q),
    "not a result": lambda: uc.compare(EV, EV),
    "ask the result": lambda: uc.indistinguishability(EV),
    "costs=(1, 10)": lambda: uc.threshold_card(Y, P, cost_fp=1, cost_fn=10),
    "did you mean 'tp'": lambda: uc.evaluate_counts(TP=90, FP=5, FN=10, TN=95),
    "evaluate_confusion(matrix)": lambda: uc.evaluate_counts([[90, 10], [5, 95]]),
    "known names are prevalence": lambda: uc.bayes(prev=0.01, sensitivity=0.9, specificity=0.95),
    "90% is 0.9": lambda: uc.bayes(prevalence=0.01, sensitivity=90, specificity=95),
    "shift_prevalence(evaluation, prevalence=0.01)": lambda: uc.shift_prevalence(COUNTS, 0.01),
    "here it is `quality`": lambda: uc.plan(auroc=0.8, width=0.1),
    "here it is `kind`": lambda: uc.recalibrate(Y, P, method="platt"),
    "evaluate(y, s).curve('roc')": lambda: uc.curve("roc", Y, P),
    "says what it means": lambda: uc.definitions("auc"),
    "cross_evaluate(model, X, y)": lambda: uc.cross_evaluate(X, Y),
    "@metric() above a function": lambda: uc.metric(lambda counts: counts.tp),
    "here it is `metrics`": lambda: uc.cross_evaluate(FITTED, X, Y, scoring="roc_auc"),
}
MORE_ATTRIBUTES = [
    (EV, "ci", "result['auroc'].low"),
    (EV["AUC"], "se", "result.low and result.high"),
    (EV, "to_csv", "result.table('csv'"),
    (EV, "to_latex", "result.table('latex')"),
    (EV, "to_markdown", "result.table()"),
    (EV, "verdict", "result.findings[0]"),
    (EV, "tp", "result.counts.tp"),
    (EV, "columns", "result.to_frame()"),
    (BOTH_MODELS, "p_value", "result['auroc', 'a', 'b'].p_value"),
    (CARD, "best", "result['youden']"),
    (CARD, "threshold", "result['youden'].threshold"),
    (uc.plots, "plot_calibration", "did you mean 'plot_reliability'"),
    (uc.plots, "plot_pr", "did you mean 'plot_precision_recall'"),
]
MORE_COMMANDS = {
    "rows.csv": (2, "unconfuse evaluate rows.csv"),
    "eval rows.csv": (2, "unconfuse evaluate FILE"),
    "evaluate": (2, "which file?"),
    "evaluate rows.csv y p": (2, "--label y --score p"),
    "evaluate rows.csv --label y --score p --threshold youden": (2, "--threshold-rule youden"),
    "evaluate rows.csv --label y --score p --cutoff .5": (2, "--threshold"),
    "evaluate rows.csv --target y --score p": (2, "--label"),
    "evaluate rows.csv --label y --score p --metric AUC": (0, "AUROC"),
    "compare rows.csv p q": (2, "--score p --score q"),
    "compare rows.csv --model p --model q": (2, "--score"),
    "compare rows.csv other.csv": (2, "one file at a time"),
    "counts 90 5 10 95": (2, "--tp 90 --fp 5 --fn 10 --tn 95"),
    "counts --tp 90 --fp 5": (2, "give all four counts"),
    "counts --TP 90 --FP 5 --FN 10 --TN 95": (2, "--tp"),
    "confusion --tp 90": (2, "unconfuse counts"),
    "bayes .9 .95 .01": (2, "--prevalence 1%"),
    "bayes --sens .9": (2, "--sensitivity"),
    "bayes --sensitivity 0,9 --specificity 0,95 --prevalence 0,01": (0, "0.154"),
    "plan --auc .8": (2, "--quality"),
    "power": (2, "unconfuse plan"),
    "report rows.csv": (2, "--html page.html"),
    "roc rows.csv": (2, "unconfuse curve FILE"),
    "app": (2, "unconfuse serve"),
    "help": (2, "unconfuse --help"),
    "help evaluate": (2, "unconfuse evaluate --help"),
    "version": (2, "unconfuse --version"),
    "calibrate rows.csv": (2, "calibration"),
}


@pytest.mark.filterwarnings("ignore:class 'True' is taken as positive")
@pytest.mark.parametrize("guess", WORKS)
def test_a_guess_with_one_meaning_works(guess):
    assert WORKS[guess]()


@pytest.mark.parametrize("words", ASKS)
def test_a_guess_with_another_meaning_is_told_how_it_is_written(words):
    with pytest.raises(uc.UnconfuseError, match=re.escape(words)):
        ASKS[words]()


@pytest.mark.parametrize(("result", "name", "words"), MORE_ATTRIBUTES)
def test_more_attributes_of_other_libraries_are_told_ours(result, name, words):
    with pytest.raises(AttributeError, match=re.escape(words)):
        getattr(result, name)


@pytest.mark.parametrize("words", MORE_COMMANDS)
def test_more_commands_answer_or_ask(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("rows.csv", index=False)
    result = CliRunner().invoke(cli, words.split(), prog_name="unconfuse")
    code, said = MORE_COMMANDS[words]
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())
    assert "something went wrong" not in result.output


def test_the_positive_label_is_never_suggested_by_chance():
    for labels, words in ((["ja", "nein"], "`positive='ja'`."), (["no", "yes"], "`positive='yes'`.")):
        with pytest.raises(uc.UnconfuseError, match=re.escape(f"say which, {words}")):
            uc.evaluate(labels * 5, np.arange(10) / 10)
    with pytest.raises(uc.UnconfuseError, match=re.escape("`positive='ill'` or `positive='well'`.")):
        uc.evaluate(["ill", "well"] * 5, np.arange(10) / 10)


# The same six, some months later: habits of scikit-learn, pROC, torchmetrics, yardstick and fairlearn.
SHUFFLED = np.random.default_rng(1).permutation(1000)[:200]
STRANGE = {"my score": P, "true label": Y}
MORE_NAMES = {
    "kap": "cohen_kappa",
    "j_index": "youden_j",
    "csi": "jaccard",
    "mn_log_loss": "log_loss",
    "brier_class": "brier",
    "matthews_corrcoef": "mcc",
    "phi coefficient": "mcc",
    "true positive rate": "sensitivity",
    "hit rate": "sensitivity",
    "power": "sensitivity",
    "fall-out": "false_positive_rate",
    "Type I error": "false_positive_rate",
    "positive predictive value": "precision",
    "error rate": "misclassification_rate",
    "threat score": "jaccard",
    "Gini coefficient": "gini",
    "ks statistic": "ks",
    "balanced_accuracy_score": "balanced_accuracy",
    "average-precision-score": "average_precision",
    "expected calibration error": "ece",
}
MORE_WORKS = {
    "series with odd indexes": lambda: (
        uc.evaluate(pd.Series(Y, index=SHUFFLED), pd.Series(P, index=SHUFFLED[::-1]))["AUC"].value == EV["AUC"].value
    ),
    "a frame with label and score": lambda: (
        uc.evaluate(pd.DataFrame({"label": Y, "score": P}))["AUC"].value == EV["AUC"].value
    ),
    "columns with spaces": lambda: (
        uc.evaluate(pd.DataFrame(STRANGE), label="true label", score="my score")["AUC"].value == EV["AUC"].value
    ),
    "a list of pairs of probabilities": lambda: (
        uc.evaluate(Y.tolist(), list(zip(1 - P, P, strict=True)))["AUC"].value == EV["AUC"].value
    ),
    "models as columns of a frame": lambda: (
        uc.compare(Y, pd.DataFrame({"a": P, "b": Q}), metrics=["AUC"])["AUC"].value == BOTH_MODELS["AUC"].value
    ),
    "models as pairs of name and scores": lambda: (
        uc.compare(Y, [("a", P), ("b", Q)], metrics=["AUC"])["AUC"].value == BOTH_MODELS["AUC"].value
    ),
    "costs by name": lambda: "cost" in uc.threshold_card(Y, P, costs={"fp": 1, "fn": 10}, n_resamples=20),
    "a rule in capitals, chosen": lambda: uc.evaluate(Y, P, threshold_rule="Youden", metrics=["sens"]).threshold > 0,
    "Youden J": lambda: CARD["Youden J"] is CARD["Youden's J"] is CARD["youden"],
    "f1 of the card": lambda: CARD["f1"] is CARD["max_f1"],
    "closest to top left": lambda: CARD["closest to top left"] is CARD["topleft"] is CARD["top_left"],
    "counts as an array": lambda: np.asarray(EV.confusion).sum() == 200,
    "counts by place": lambda: EV.confusion[1, 1] == EV.counts.tp,
    "objects": lambda: uc.evaluate(Y.astype(object), P.astype(object))["AUC"].value == EV["AUC"].value,
    "a set of metrics": lambda: list(uc.evaluate(Y, P, metrics={"auc"})) == ["auroc"],
    "ROC curve": lambda: len(EV.plot("ROC curve").axes) > 0,
    "a table as text": lambda: "AUROC" in EV.table("csv"),
}
MORE_ASKS = {
    "y, s = zip(*rows)": lambda: uc.evaluate(list(zip(Y, P, strict=True))),
    "`y` twice": lambda: uc.evaluate(FRAME, y="y", s="p"),
    "the data come first": lambda: uc.evaluate("y", "p", data=FRAME),
    "here it is `y`. ": lambda: uc.evaluate(response=Y, predictor=P),
    "evaluate(y, s) takes values": lambda: uc.evaluate(Y, score=P),
    "`groups=` takes a value for each row": lambda: uc.evaluate(Y, P, group=FRAME.site),
    "here it is `groups`": lambda: uc.evaluate(Y, P, patient=FRAME.site),
    "here it is `threshold`. Hint: threshold=0.5": lambda: uc.evaluate(Y, P, cutoff=0.5),
    "threshold_card(y, s) compares several": lambda: uc.evaluate(Y, P, thresholds=[0.3, 0.5]),
    "metrics=['f1_macro']": lambda: uc.evaluate(Y, P, average="macro"),
    "metrics=['f_beta(2)']": lambda: uc.evaluate(Y, P, beta=2),
    "a low one does, pass -s": lambda: uc.evaluate(Y, P, direction="<"),
    "a matrix with a column for each of several": lambda: uc.evaluate(Y, P, task="binary"),
    "pass one column of scores": lambda: uc.evaluate(Y, P, num_classes=2),
    "positive=pos_label": lambda: uc.evaluate(Y, P, event_level="second"),
    "shift_prevalence(result, prevalence=0.01)": lambda: uc.evaluate(Y, P, prevalence=0.01),
    "threshold_card(y, s, costs=(1, 10))": lambda: uc.evaluate(Y, P, costs=(1, 10)),
    "interval(method='delong')": lambda: uc.evaluate(Y, P, ci_method="delong"),
    "here it is `name`": lambda: uc.evaluate(Y, P, title="model"),
    "are independent": lambda: uc.compare(Y, {"a": P, "b": Q}, paired=True),
    "reference='a'": lambda: uc.compare(Y, {"a": P, "b": Q}, baseline="a"),
    "here it is `adjust`": lambda: uc.compare(Y, {"a": P, "b": Q}, correction="bonferroni"),
    "comparison.evaluations['a']": lambda: BOTH_MODELS["a"],
    "here it is `margin`": lambda: uc.gate(Y, P, Q, tolerance=0.01),
    "here it is `baseline`": lambda: uc.gate(Y, new=P, old=Q),
    "here it is `results`": lambda: uc.posterior(EV, prior=0.05, result="+"),
    "kind='isotonic'": lambda: uc.recalibrate(Y, P, "isotonic"),
    "cv=5, or a splitter": lambda: uc.cross_evaluate(FITTED, X, Y, folds=5),
    "such as LogisticRegression()": lambda: uc.cross_evaluate(LogisticRegression, X, Y),
    "METRICS['f1'](Counts(tp=90": lambda: uc.METRICS["auc"](Y, P),
    "a metric does not have the argument `tp`": lambda: uc.METRICS["f1"](tp=1, fp=1, fn=1, tn=1),
    "Data(frame, label='y', score='p')": lambda: uc.Data(FRAME, "y", "p"),
    "evaluate_counts(tp=90, fp=5, fn=10, tn=95)": lambda: uc.evaluate_confusion(90, 5, 10, 95),
    "evaluate(y, s)['prevalence']": lambda: uc.prevalence(Y),
    "costs=(1, 10)": lambda: uc.threshold_card(Y, P, costs=10),
    "ends in .pdf": lambda: EV.report("page.pdf"),
    "its parts have names": lambda: EV["AUC"][0],
    "is one estimate": lambda: list(EV["AUC"]),
    "result.counts.tp": lambda: EV.confusion["tp"],
    "got None": lambda: uc.evaluate(None, P),
}
STILL_MORE_ATTRIBUTES = [
    (EV, "print", "print(result)"),
    (EV, "conf_int", "result['auroc'].low"),
    (EV, "to_excel", "result.table('csv'"),
    (EV, "n_cases", "result.n"),
    (EV, "compare", "uc.compare(y, {'a': s1, 'b': s2})"),
    (EV, "with_threshold", "threshold=0.3"),
    (EV, "predict", "result.counts"),
    (EV["AUC"], "estimate", "result.value"),
    (EV["AUC"], "error", "result.standard_error"),
    (BOTH_MODELS, "p_values", "with .difference and .p_value"),
    (BOTH_MODELS, "difference", "with .difference and .p_value"),
    (BOTH_MODELS, "winner", "result.leaderboard"),
    (CARD, "youden", "result['youden']"),
    (uc.METRICS, "auc", "METRICS['auroc']"),
    (uc, "roc", "curve('roc')"),
    (uc, "ROC", "curve('roc')"),
    (uc, "decision_curve", "curve('decision_curve')"),
    (uc, "classification_report", "uc.evaluate(y, s)"),
    (uc, "list_metrics", "uc.METRICS"),
    (uc, "fairness", "by=column"),
    (uc, "ci_auc", "['auroc']"),
    (uc, "permutation_test", "uc.compare("),
    (uc, "plot", ".plot()"),
]
STILL_MORE_COMMANDS = {
    "-h": (0, "Commands:"),
    "--version": (0, "unconfuse "),
    "": (2, "Commands:"),
    "evalute rows.csv": (2, "did you mean 'evaluate'"),
    "Evaluate rows.csv": (2, "did you mean 'evaluate'"),
    "score rows.csv": (2, "unconfuse evaluate FILE"),
    "evaluate --label y --score p rows.csv": (0, "Better than guessing"),
    "evaluate rows.csv -l y -s p": (2, "Did you mean --label"),
    "evaluate rows.csv --outcome y": (2, "Did you mean --label"),
    "evaluate rows.csv --risk p": (2, "Did you mean --score"),
    "evaluate rows.csv --label y --score p --n-boot 100": (2, "Did you mean --resamples"),
    "evaluate rows.csv --label y --score p --thr .3": (2, "Did you mean --threshold"),
    "evaluate rows.csv --label y --score p --csv": (2, "Did you mean --format"),
    "evaluate rows.csv --label y --score p --html page.pdf": (2, "ends in .pdf"),
    "evaluate rows.csv --label y --score p --threshold 0,5": (0, "threshold 0.5"),
    "evaluate rows.csv --label y --score p --confidence-level 90": (2, "90% is 0.9"),
    "evaluate rows.csv --label y --score site": (2, "must hold numbers"),
    "evaluate nope.csv": (2, "there is no file"),
    "gate rows.csv --label y --new p --old q": (2, "Did you mean --score"),
    "gate rows.csv --label y --score p --baseline q": (2, "--baseline-score q"),
    "compare rows.csv y p q": (2, "--label y --score p --score q"),
    "plan --auroc .8 --width .1": (2, "Did you mean --quality"),
    "thresholds rows.csv --label y --score p --youden": (2, "Did you mean --rule"),
    "completion": (2, "unconfuse completion bash"),
    "serve --port abc": (2, "not a valid integer"),
    "reproduce nosuch": (2, "known names are"),
    "bayes --sensitivity .9": (2, "2 more independent quantities"),
    "plan --metric sensitivity --sensitivity 90% --width 10% --prevalence 20%": (0, "cases"),
}


@pytest.mark.parametrize("guess", MORE_NAMES)
def test_names_of_other_libraries_are_found(guess):
    assert EV[guess].name == MORE_NAMES[guess]


@pytest.mark.parametrize("guess", MORE_WORKS)
def test_more_guesses_with_one_meaning_work(guess):
    assert MORE_WORKS[guess]()


@pytest.mark.parametrize("words", MORE_ASKS)
def test_more_guesses_with_another_meaning_are_told(words):
    with pytest.raises(uc.UnconfuseError, match=re.escape(words)):
        MORE_ASKS[words]()


@pytest.mark.parametrize(("result", "name", "words"), STILL_MORE_ATTRIBUTES)
def test_still_more_attributes_are_told_ours(result, name, words):
    with pytest.raises(AttributeError, match=re.escape(words)):
        getattr(result, name)


@pytest.mark.parametrize("words", STILL_MORE_COMMANDS)
def test_still_more_commands_answer_or_ask(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("rows.csv", index=False)
    result = CliRunner().invoke(cli, words.split(), prog_name="unconfuse")
    code, said = STILL_MORE_COMMANDS[words]
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())
    assert "something went wrong" not in result.output


RARE = ["counts", "--tp", "1", "--fp", "1000", "--fn", "0", "--tn", "998999"]


def test_a_share_is_never_rounded_to_none_or_all():
    assert "(0.0001%)" in CliRunner().invoke(cli, RARE).output


def test_a_matrix_of_two_unnamed_classes_asks_which_is_positive():
    with pytest.warns(uc.UnconfuseWarning, match=r"sensitivity and specificity are left out.*positive='1'"):
        asked = uc.evaluate_confusion([[90, 10], [5, 95]])
    assert "sensitivity" not in asked
    assert uc.evaluate_confusion([[90, 10], [5, 95]], positive=1)["sensitivity"].value == 0.95


def test_metrics_may_stand_in_one_list(tmp_path):
    (tmp_path / "rows.csv").write_text("y,p\n1,0.9\n0,0.2\n1,0.6\n0,0.7\n")
    words = [str(tmp_path / "rows.csv"), "--metric", "auc, f1", "--metric", "expected_cost(1,10)", "--json"]
    found = CliRunner().invoke(cli, ["evaluate", *words])
    assert found.exit_code == 0, found.output
    assert list(json.loads(found.stdout)["metrics"]) == ["auroc", "f1", "expected_cost(fp=1, fn=10)"]


def test_a_matrix_may_be_typed_with_blanks(tmp_path):
    for text, classes in (("50 3\n10 30\n", None), ("cat  dog\ncat 50 3\ndog 10 30\n", ["cat", "dog"])):
        (tmp_path / "matrix.txt").write_text(text)
        counts, names = read_matrix(str(tmp_path / "matrix.txt"))
        assert counts.tolist() == [[50, 3], [10, 30]] and names == classes


def test_four_zeros_are_named_as_such():
    with pytest.raises(uc.UnconfuseError, match="all four counts are 0"):
        uc.evaluate_counts(tp=0, fp=0, fn=0, tn=0)

"""Several classes: influences against brute force, laws, two classes as one, bad input."""

import warnings

import numpy as np
import pytest
from class_samples import rows_of, sample

import unconfuse as uc
from unconfuse.metrics import find_metric
from unconfuse.metrics.multiclass_scores import class_aurocs, rank_table
from unconfuse.results.per_class import smallest_table
from unconfuse.table import Settings
from unconfuse.uncertainty.multiclass_limits import summary_of
from unconfuse.uncertainty.row_bootstrap import RowBootstrap

OTHERS = (
    "top_k_accuracy(2)",
    "npv_macro",
    "specificity_weighted",
    "jaccard_micro",
    "average_precision_macro",
    "brier_weighted",
)
NAMES = (*uc.MULTICLASS_METRICS, *OTHERS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("digits", [None, 0])
def test_influence_is_the_derivative_by_a_rows_weight(name, digits):
    """The value with a little more weight on one row, less the value, over that weight; ties included."""
    y, scores = sample(digits=digits)
    metric, step = find_metric(name, several=True), 1e-5
    weights = np.ones(len(y))
    rows = rows_of(y, scores, weights=weights)
    found = summary_of(metric, rows)
    for row in (0, 1, 7, 30, 77):
        more, less = weights.copy(), weights.copy()
        more[row] += step
        less[row] -= step
        up, down = (metric(rows_of(y, scores, weights=each)) for each in (more, less))
        assert found.influence[row] == pytest.approx((up - down) / (2 * step), rel=2e-4, abs=2e-7)


@pytest.mark.parametrize("name", NAMES)
def test_influences_add_up_to_nothing(name):
    rows = rows_of(*sample(digits=1))
    found = summary_of(find_metric(name, several=True), rows)
    assert abs(found.influence.sum()) < 1e-7


@pytest.mark.parametrize("name", NAMES)
def test_a_weight_of_two_is_a_row_twice(name):
    y, scores = sample(60, digits=0)
    weights = np.random.default_rng(1).integers(0, 4, 60)
    twice = np.repeat(np.arange(60), weights)
    metric = find_metric(name, several=True)
    assert metric(rows_of(y, scores, weights=weights.astype(float))) == pytest.approx(
        metric(rows_of(y[twice], scores[twice])), rel=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_row_order_and_order_of_classes_do_not_matter(name):
    y, scores = sample(digits=1)
    order = np.random.default_rng(2).permutation(len(y))
    metric, turned = find_metric(name, several=True), np.array([2, 0, 3, 1])
    value = metric(rows_of(y, scores))
    assert metric(rows_of(y[order], scores[order])) == pytest.approx(value, rel=1e-12)
    if not name.startswith("cohen_kappa_"):  # which take the classes as ordered
        same = rows_of(y, scores[:, turned], predicted=scores.argmax(axis=1), classes=list(turned))
        assert metric(same) == pytest.approx(value, rel=1e-12)


FRACTIONS = (
    np.random.default_rng(3).integers(1, 4, 120) * 0.1
)  # whose sums depend on their order, and draws on the sums


@pytest.mark.filterwarnings("ignore::unconfuse.UnconfuseWarning")
@pytest.mark.parametrize(
    "options", [{}, {"design": "case-control"}, {"groups": np.arange(120) // 4}, {"weights": FRACTIONS}]
)
def test_intervals_do_not_depend_on_the_order_of_the_rows(options):
    y, scores = sample(digits=1)
    order = np.random.default_rng(2).permutation(len(y))
    turned = {key: each[order] if key in ("groups", "weights") else each for key, each in options.items()}
    one = uc.evaluate(y, scores, metrics=NAMES, n_resamples=200, ordered=True, **options)
    other = uc.evaluate(y[order], scores[order], metrics=NAMES, n_resamples=200, ordered=True, **turned)
    for name in NAMES:
        assert (other[name].low, other[name].high) == pytest.approx((one[name].low, one[name].high), rel=1e-9), name


@pytest.mark.parametrize("name", NAMES)
def test_perfect_scores_reach_the_best_value(name):
    y, _ = sample()
    metric = find_metric(name, several=True)
    best = metric.range[1] if metric.better == "higher" else 0.0
    assert metric(rows_of(y, np.eye(4)[y])) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_interval_holds_the_value_and_stays_in_range(name):
    for strength in (0.0, 1.3, 9.0):
        y, scores = sample(60, strength=strength)
        each = uc.evaluate(y, scores, metrics=[name], n_resamples=200, ordered=True)[name]
        low, high = find_metric(name, several=True).range
        assert low <= each.low <= each.value <= each.high <= high
        assert each.high > each.low


def test_examples_of_the_declarations():
    for each in uc.MULTICLASS_METRICS.values():
        assert each.label and each.question and each.formula and each.better in ("higher", "lower")
        if each.example is not None:
            assert each(each.example.data) == pytest.approx(each.example.value, rel=1e-12)


def test_two_classes_are_the_binary_evaluation_bit_for_bit():
    rng = np.random.default_rng(5)
    p = rng.random(150).round(2)
    y = (rng.random(150) < p).astype(int)
    assert (p == 0.5).any()
    both, one = uc.evaluate(y, {0: 1 - p, 1: p}, n_resamples=300), uc.evaluate(y, p, n_resamples=300)
    assert uc.evaluate(y, np.column_stack([1 - p, p]), n_resamples=300).table == one.table
    assert list(both.one_vs_rest(1)) == list(one)
    for name in one:
        ours, theirs = both.one_vs_rest(1)[name], one[name]
        assert ours.as_dict().keys() == theirs.as_dict().keys()
        np.testing.assert_array_equal([ours.value, ours.low, ours.high], [theirs.value, theirs.low, theirs.high])
    assert both.one_vs_rest(1).table == one.table
    assert both["accuracy"].value == one["accuracy"].value
    assert both["brier"].value == pytest.approx(one["brier"].value, rel=1e-14)
    assert both["auroc_hand_till"].value == pytest.approx(one["auroc"].value, rel=1e-14)


def test_of_class_decides_by_the_predicted_class():
    y, scores = sample()
    ev = uc.evaluate(y, scores, n_resamples=100)
    own = uc.evaluate_counts(**ev.confusion.one_vs_rest(2).as_dict())
    for name in own:
        np.testing.assert_array_equal(ev.one_vs_rest(2)[name].value, own[name].value)
        np.testing.assert_array_equal(ev.one_vs_rest(2)[name].low, own[name].low)
    binary = uc.evaluate(y == 2, scores[:, 2], metrics=["auroc", "brier", "calibration_slope"], n_resamples=100)
    for name in binary:
        assert ev.one_vs_rest(2)[name].value == binary[name].value


def test_groups_widen_intervals_and_of_class_resamples_them():
    y, scores = sample(60)
    tripled = np.repeat(np.arange(60), 3)
    alone = uc.evaluate(y, scores, metrics=["mcc", "log_loss", "auroc_hand_till"])
    grouped = uc.evaluate(y[tripled], scores[tripled], groups=tripled, metrics=list(alone), n_resamples=300)
    for name in alone:
        assert grouped[name].value == pytest.approx(alone[name].value, rel=1e-12)
        width, own = (each[name].high - each[name].low for each in (grouped, alone))
        assert 0.7 * own < width < 1.4 * own
    assert "groups" in grouped.one_vs_rest(0)["sensitivity"].method
    assert grouped.design == grouped.one_vs_rest(0).design == "clustered"


def test_case_control_fixes_the_class_sizes():
    matrix = [[90, 10, 0], [10, 30, 5], [2, 3, 10]]
    cohort, fixed = (uc.evaluate_confusion(matrix, design=each) for each in ("cohort", "case-control"))
    width = [each["accuracy"].high - each["accuracy"].low for each in (cohort, fixed)]
    assert width[1] < width[0]
    y, scores = sample()
    rows = rows_of(y, scores).with_design(fixed_classes=True)
    drawn = np.concatenate(list(RowBootstrap(rows, Settings(n_resamples=100)).times()))
    assert np.abs((drawn - 1) @ np.eye(4)[y]).max() == 0


@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize("strength", [0.0, 1.3, 4.0])
def test_rank_tables_serve_every_metric_of_ranks(digits, strength):
    y, scores = sample(400, digits=digits, strength=strength)
    rows = rows_of(y, scores)
    ranked = [each for each in uc.METRICS.values() if each.of == "ranks"]
    for k in range(4):
        table = uc.ScoreTable.from_rows(y == k, scores[:, k])
        assert len(rank_table(rows, k)) <= len(table)
        for each in ranked:
            found = float(each(smallest_table(each, rows, k)))
            assert found == pytest.approx(float(each(table)), rel=1e-12, nan_ok=True), each.name


def test_a_class_that_does_not_occur():
    y, scores = sample(80)
    wide = np.column_stack([0.99 * scores, np.full(80, 0.01)])
    with pytest.warns(uc.UnconfuseWarning, match="no case belongs to '4'"):
        ev = uc.evaluate(y, wide, n_resamples=100)
    assert any("No case belongs to" in str(each) for each in ev.findings)
    assert ev["balanced_accuracy"].value == pytest.approx(
        uc.evaluate(y, scores, n_resamples=100)["balanced_accuracy"].value
    )
    assert "left out" in ev["auroc_ovr_macro"].conditions
    assert np.isnan(class_aurocs(ev.sample)[4])
    gone = ev.one_vs_rest(4)
    assert np.isnan(gone["auroc"].value) and "no case belongs" in gone["auroc"].undefined
    assert np.isnan(gone["sensitivity"].value) and gone["sensitivity"].undefined


@pytest.mark.filterwarnings("ignore")
def test_findings_and_estimates_say_how_classes_without_a_case_or_a_prediction_count():
    absent = uc.evaluate(["a", "b"] * 20, predicted=["a", "b", "c", "b"] * 10, n_resamples=100)
    said = next(str(each) for each in absent.findings if each.rule == "Every class should occur.")
    assert said == (
        "No case belongs to class 'c', predicted 10 times: averages of precision and F1 count it as 0; those of recall "
        "do not include it."
    )
    assert absent["f1_macro"].value == pytest.approx(5 / 9) and absent["precision_macro"].value == pytest.approx(2 / 3)
    assert absent["f1_macro"].conditions.endswith("counts c, predicted but never true")
    assert absent["sensitivity_macro"].conditions.endswith("undefined for c: left out")
    unpredicted = uc.evaluate(["a", "b", "c", "b"] * 10, predicted=["a", "b"] * 20, n_resamples=100)
    said = next(str(each) for each in unpredicted.findings if each.rule == "Every class should be predicted.")
    assert said == "Class 'c' is never predicted: precision is undefined there, and averages count it as 0."
    assert unpredicted["precision_macro"].value == 0.5
    assert unpredicted["precision_macro"].conditions.endswith("never predicted, counted as 0: c")
    assert unpredicted["precision_macro"].value + find_metric("fdr_macro", several=True)(
        unpredicted.confusion.counts
    ) == pytest.approx(1)
    assert np.isnan(unpredicted.per_class(["precision"])["precision"][2])


@pytest.mark.filterwarnings("ignore")
def test_averages_that_count_a_class_without_a_case_hold_its_truth():
    """A class of 1% of the cases and 3% of the predictions; where it did not occur, macro F1 was held in 20%."""
    table = np.array([[400.0, 80, 15], [50, 440, 5], [2, 2, 6]])
    rng, names = np.random.default_rng(7), ("f1_macro", "precision_macro")
    truth = {name: float(find_metric(name, several=True)(table)) for name in names}
    held = {name: [] for name in names}
    without = table / table.sum()
    without[2] = 0
    for _ in range(60):
        counts = rng.multinomial(200, (without / without.sum()).ravel()).reshape(3, 3)
        if counts[:, 2].any():
            ev = uc.evaluate_confusion(counts, metrics=names, n_resamples=300)
            for name in names:
                held[name].append(ev[name].low <= truth[name] <= ev[name].high)
    assert all(np.mean(each) > 0.88 for each in held.values()), held


def test_scores_that_are_no_probabilities():
    y, scores = sample()
    ev = uc.evaluate(y, 3 * scores, n_resamples=100)
    assert "log_loss" not in ev and ev["auroc_hand_till"].value == pytest.approx(
        uc.evaluate(y, scores, n_resamples=100)["auroc_hand_till"].value
    )
    with pytest.raises(uc.UnconfuseError, match="log_loss needs probabilities: row"):
        ev["log_loss"]
    with pytest.raises(uc.UnconfuseError, match=r"adds up to 0\.5, not to 1 within 0\.001"):
        uc.evaluate(y, scores / 2, metrics=["brier"])
    assert "brier" in uc.evaluate(y, scores.round(4), n_resamples=100)


def test_ways_to_give_the_same_rows():
    import pandas as pd

    y, scores = sample()
    names = np.array(["d", "b", "a", "c"])
    plain = uc.evaluate(names[y], scores, classes=names, n_resamples=100)
    frame = pd.DataFrame({"truth": names[y]} | {f"p_{name}": scores[:, k] for k, name in enumerate(names)})
    others = [
        uc.evaluate(frame, label="truth", scores="p_*", n_resamples=100),
        uc.evaluate(frame, label="truth", scores={name: f"p_{name}" for name in names}, n_resamples=100),
        uc.evaluate(names[y], {name: scores[:, k] for k, name in enumerate(names)}, n_resamples=100),
        uc.evaluate(names[y], pd.DataFrame(scores, columns=names), n_resamples=100),
        uc.evaluate(names[y], scores.astype(np.float32), classes=names, n_resamples=100),
        uc.evaluate(names[y], np.asfortranarray(scores), classes=names, n_resamples=100),
        uc.evaluate(names[y].tolist(), scores.tolist(), classes=names, n_resamples=100),
    ]
    for other in others:
        assert other.classes == plain.classes
        for name in plain:
            assert other[name].value == pytest.approx(plain[name].value, rel=1e-6)
    decided = uc.evaluate(names[y], predicted=names[scores.argmax(axis=1)], classes=names, n_resamples=100)
    np.testing.assert_array_equal(decided.confusion.counts, plain.confusion.counts)
    counted = uc.evaluate_confusion(plain.confusion.counts, names, n_resamples=100)
    assert decided["mcc"] == plain["mcc"] == counted["mcc"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: uc.evaluate([0, 1, 2], np.ones((3, 2)) / 2), "2 columns, but the labels are 0, 1, 2"),
        (lambda: uc.evaluate(["a", "b"], np.ones((2, 3)), classes=["a", "b"]), "3 columns, but there are 2 classes"),
        (lambda: uc.evaluate(["a", "z"], np.ones((2, 2)), classes=["a", "b"]), "names 'a', 'b', but the labels are"),
        (
            lambda: uc.evaluate(["a", "b"], [[1, 0], [np.nan, 1]]),
            "missing or infinite values, first in row 1, column 0",
        ),
        (lambda: uc.evaluate(["a", None], np.ones((2, 2)), classes=["a", "b"]), "missing values"),
        (lambda: uc.evaluate(["a", "b", "a"], np.ones((2, 2))), "must have the same length; got 3 and 2"),
        (lambda: uc.evaluate(["a", "b"], np.ones((2, 2)), classes=["a", "a"]), "two classes have the same name"),
        (lambda: uc.evaluate(["a", "a"], np.ones((2, 2)), classes=["a", "b"]), "one class only: only 'a' among 2 rows"),
        (lambda: uc.evaluate(["a", "b"], [["x", "y"], ["z", "w"]]), "matrix of numbers"),
        (lambda: uc.evaluate_confusion([[1, 2, 3], [4, 5, 6]]), r"must be square.*got shape \(2, 3\)"),
        (lambda: uc.evaluate_confusion([[1, -2], [4, 5]]), "row 0, column 1 .* is negative"),
        (lambda: uc.evaluate_confusion([[0.5, 0.5], [0.1, 0.9]]), "fractional: 0.5"),
        (lambda: uc.evaluate_confusion([[0, 0], [0, 0]]), "holds no cases"),
        (lambda: uc.evaluate_confusion([[1, 2], [3, 4]], ["a", "b", "c"]), "2 rows, but there are 3 classes"),
        (lambda: uc.evaluate_confusion([["a", "b"], ["c", "d"]]), "must hold counts"),
        (lambda: uc.evaluate_confusion(np.ones((3, 3)))["log_loss"], "needs scores"),
        (lambda: uc.evaluate_confusion(np.ones((3, 3)))["sensitivity"], "metric of two classes"),
        (lambda: uc.evaluate_confusion(np.ones((3, 3))).one_vs_rest("z"), "no class 'z'"),
        (lambda: uc.evaluate(*sample())["top_k_accuracy(4)"], "always among the first 4"),
        (lambda: uc.evaluate(*sample()).expected_cost(np.eye(3)), "must have 4 rows"),
        (lambda: uc.compare([0, 1, 2], {"a": np.eye(3)}), "at least two models"),
    ],
)
def test_bad_input_gets_one_clear_error(call, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        call()


def test_costs_of_cost_minimal_decisions():
    y, scores = sample(600)
    costs = np.array([[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [30, 30, 30, 0.0]])
    found = uc.evaluate(y, scores, n_resamples=100).expected_cost(costs)
    decided = np.argmin(scores @ costs, axis=1)
    assert found.cost_minimal.value == pytest.approx(costs[y, decided].mean())
    assert found.as_decided.value == pytest.approx(costs[y, scores.argmax(axis=1)].mean())
    assert found.best_constant.value == pytest.approx(min(costs[y, k].mean() for k in range(4)))
    assert found.saving.value == pytest.approx(found.as_decided.value - found.cost_minimal.value)
    assert found.saving.low > 0 and "no fitted parameter" in found.how
    metric = uc.class_cost(costs)
    assert uc.evaluate(y, scores, n_resamples=100).estimate([metric])["expected_cost"].value == pytest.approx(
        found.as_decided.value
    )


def test_recalibration_mends_overconfidence():
    y, scores = sample(2000)
    sharp = scores**3 / (scores**3).sum(axis=1, keepdims=True)
    costs = 1 - np.eye(4) + 20 * np.outer(np.arange(4) == 3, np.ones(4)) * (1 - np.eye(4))
    ev = uc.evaluate(y, sharp, n_resamples=100)
    raw, mended = ev.expected_cost(costs), ev.expected_cost(costs, recalibrate=True)
    assert mended.cost_minimal.value < raw.cost_minimal.value
    assert "folds" in mended.how


def test_risk_coverage_against_its_definition():
    y, scores = sample(150)
    ev = uc.evaluate(y, scores, n_resamples=100)
    order = np.argsort(-scores.max(axis=1))
    wrong = (scores.argmax(axis=1) != y)[order]
    risk = np.cumsum(wrong) / np.arange(1, 151)
    curve = ev.risk_coverage()
    np.testing.assert_allclose(curve.risk, risk)
    assert curve.area.value == pytest.approx(risk.mean())
    at = curve.coverage_at(0.2)
    assert at.value == pytest.approx((np.flatnonzero(risk <= 0.2)[-1] + 1) / 150) and at.low <= at.value <= at.high


@pytest.mark.filterwarnings("ignore::unconfuse._errors.UnconfuseWarning")  # the weights are hardly a case
@pytest.mark.parametrize("n", [3, 60, 6000])
@pytest.mark.parametrize("weighted", [False, True])
def test_coverage_at_a_risk_is_where_all_intervals_say(n, weighted):
    """Only intervals that may matter are computed."""
    y, scores = sample(n, strength=1.0)
    weights = np.random.default_rng(2).random(n) * 1e-3 + 1e-9 if weighted else None
    curve = uc.evaluate(y, scores, metrics=["aurc"], n_resamples=100, weights=weights, classes=range(4)).risk_coverage()
    for wanted in (0.0, 0.01, 0.1, 0.3, 0.6, 1.0, float(curve.high[n // 2]), float(curve.low[-1])):
        ends = [np.flatnonzero(each <= wanted) for each in (curve.risk, curve.high, curve.low)]
        value, low, high = (float(curve.coverage[each[-1]]) if len(each) else 0.0 for each in ends)
        found = curve.coverage_at(wanted)
        assert (found.value, found.low, found.high) == (value, min(low, value), max(high, value))


def test_top_k_shares_the_places_left_among_ties():
    rows = rows_of([0, 1, 2], [[0.2, 0.4, 0.4], [0.4, 0.3, 0.3], [0.3, 0.4, 0.3]])
    assert uc.top_k_accuracy(2)(rows) == pytest.approx((0 + 0.5 + 0.5) / 3)
    assert uc.top_k_accuracy(1)(rows) == 0


def test_confusion_helpers():
    found = uc.evaluate_confusion([[8, 0, 4], [0, 9, 0], [5, 1, 6]], ["a", "b", "c"], n_resamples=100).confusion
    assert [str(each) for each in found.largest_confusions(2)] == [
        "5 of 12 cases of class 'c' were labelled 'a' (42%)",
        "4 of 12 cases of class 'a' were labelled 'c' (33%)",
    ]
    np.testing.assert_allclose(found.normalised("truth").sum(axis=1), 1)
    np.testing.assert_allclose(found.normalised("predicted").sum(axis=0), 1)
    assert found.normalised("all").sum() == pytest.approx(1)
    near = found.reordered().classes
    assert abs(near.index("a") - near.index("c")) == 1
    assert found.largest_confusions(1)[0].low < 5 / 12 < found.largest_confusions(1)[0].high


def test_large_numbers_of_classes_use_the_delta_method():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 300, 40_000)
    predicted = np.where(rng.random(40_000) < 0.6, y, rng.integers(0, 300, 40_000))
    ev = uc.evaluate(y, predicted=predicted, n_resamples=5000)
    assert "delta" in ev["f1_macro"].method
    few = uc.evaluate_confusion([[90, 10, 0], [10, 300, 5], [2, 3, 100]], ordered=True)
    for name in ("f1_macro", "mcc", "cohen_kappa_quadratic", "precision_weighted"):
        one, two = few[name], few[name].interval(method="delta")
        assert two.high - two.low == pytest.approx(one.high - one.low, rel=0.15)


def test_limits_near_the_end_of_the_range_stay_near():
    """So many cases that half a case more does not matter."""
    n = 400_000
    y, small = np.arange(n) % 3, np.random.default_rng(0).random(n) * 1e-3
    scores = np.repeat(small[:, None] / 2, 3, axis=1)
    scores[np.arange(n), y] = 1 - small
    ev = uc.evaluate(y, scores, metrics=["brier"])
    assert 0 < ev["brier"].low <= ev["brier"].value <= ev["brier"].high < 1.1 * ev["brier"].value


def test_resolving_power_of_summaries():
    y, scores = sample(300)
    found = uc.evaluate(y, scores, n_resamples=500).resolving_power()
    assert found["auroc_ovr_macro"].delta == 0
    for name in ("log_loss", "accuracy", "auroc_hand_till"):
        assert 0.005 < found[name].kappa < 0.5
        assert found[name].mapped_low < found["auroc_ovr_macro"].at < found[name].mapped_high
    double = uc.evaluate(np.tile(y, 4), np.tile(scores, (4, 1)), n_resamples=500).resolving_power()
    assert double["log_loss"].kappa == pytest.approx(found["log_loss"].kappa / 2, rel=0.15)
    assert "two such models differ significantly" in found.recommendation


def test_thresholds_and_indistinguishability_of_a_class():
    y, scores = sample(200)
    ev = uc.evaluate(y, scores, n_resamples=100)
    assert ev.indistinguishability(1).threshold.value == uc.indistinguishability(y == 1, scores[:, 1]).threshold.value
    cards = ev.threshold_cards(n_resamples=100, rules=["youden"])
    assert list(cards) == ["0", "1", "2", "3"]
    alone = uc.threshold_card(y == 2, scores[:, 2], n_resamples=100, rules=["youden"])
    assert cards["2"]["youden"].threshold.value == alone["youden"].threshold.value


def test_results_pickle_and_describe_themselves():
    import json
    import pickle

    from unconfuse._formatting import plain_json

    ev = uc.evaluate(*sample(), n_resamples=100)
    assert json.dumps(plain_json(ev.as_dict()), allow_nan=False)
    assert len(ev.to_frame()) == len(ev) and len(ev.per_class().to_frame()) == 4
    assert "<script>" not in uc.evaluate_confusion(np.ones((3, 3)), ["<script>", "b", "c"])._repr_html_()
    assert repr(ev).startswith("Evaluation")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ev.plot()
    again = pickle.loads(pickle.dumps(ev))
    assert again["mcc"] == ev["mcc"] and again.metrics[0] is ev.metrics[0]
    assert again.one_vs_rest(2)["auroc"].value == ev.one_vs_rest(2)["auroc"].value
    assert pickle.loads(pickle.dumps(uc.top_k_accuracy(2))).name == "top_k_accuracy(2)"


@pytest.mark.parametrize("name", [each.name for each in uc.MULTICLASS_METRICS.values() if each.of != "confusion"])
def test_a_perfect_sample_is_not_taken_for_the_truth(name):
    y = np.arange(60) % 3
    each = uc.evaluate(y, 0.999 * np.eye(3)[y] + 0.001 / 3, metrics=[name], n_resamples=200, ordered=True)[name]
    metric = find_metric(name, several=True)
    width = 0.02 if name.startswith("ece") else 0.05
    assert each.low <= each.value <= each.high
    assert width / 5 < each.high - each.low < 0.6 * min(metric.range[1] - metric.range[0], 2)


@pytest.mark.parametrize("name", NAMES)
def test_dependence_on_class_shares_is_as_declared(name):
    """Every case of one class three times: a metric that looks within classes, or pairs of them, does not move."""
    y, scores = sample(200)
    metric, weights = find_metric(name, several=True), np.where(y == 1, 3.0, 1.0)
    moved = metric(rows_of(y, scores, weights=weights)) - metric(rows_of(y, scores))
    assert (abs(moved) > 1e-9) == metric.depends_on_prevalence


def test_weighted_kappas_are_for_classes_that_have_an_order():
    from sklearn.metrics import cohen_kappa_score

    rng, order = np.random.default_rng(1), ["mild", "moderate", "grave"]  # which is no order of the alphabet
    y = rng.choice(order, 200)
    called = np.where(rng.random(200) < 0.7, y, rng.choice(order, 200))
    assert "cohen_kappa_linear" not in uc.evaluate(y, predicted=called)
    with pytest.raises(uc.UnconfuseError, match=r"none was declared.*ordered=True"):
        uc.evaluate(y, predicted=called, metrics=["cohen_kappa_linear"])
    with pytest.raises(uc.UnconfuseError, match=r"in what order.*'grave', 'mild', 'moderate'"):
        uc.evaluate(y, predicted=called, ordered=True)
    found = uc.evaluate(y, predicted=called, classes=order, ordered=True, n_resamples=200)
    for weights in ("linear", "quadratic"):
        theirs = cohen_kappa_score(y, called, weights=weights, labels=order)
        assert found[f"cohen_kappa_{weights}"].value == pytest.approx(theirs, rel=1e-12)
    with pytest.raises(uc.UnconfuseError, match="yes-or-no"):
        uc.evaluate([0, 1, 1, 0], [0.2, 0.3, 0.4, 0.5], ordered=True)


def test_numbers_as_text_are_in_the_order_of_numbers():
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(1)
    stars = rng.integers(1, 12, 300)
    called = np.where(rng.random(300) < 0.6, stars, rng.integers(1, 12, 300))
    frame = {"y": stars.astype(str), "called": called.astype(str)}
    found = uc.evaluate(frame, label="y", predicted="called", ordered=True, n_resamples=100)["cohen_kappa_linear"]
    assert found.value == pytest.approx(cohen_kappa_score(stars, called, weights="linear"), rel=1e-12)
    three = np.array(["2", "10", "1"] * 20)
    with pytest.raises(uc.UnconfuseError, match="in what order"):  # columns without names follow the text
        uc.evaluate(three, rng.dirichlet([1, 1, 1], 60), ordered=True)


@pytest.mark.parametrize("name", ["ece_classwise", "ece_top_label"])
def test_a_calibration_error_that_chance_reaches_does_not_exclude_zero(name):
    """Forecasts that are right: their truth is nearly 0, whatever chance shows."""
    held = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        p = rng.dirichlet([1, 1, 1], 150)
        y = (rng.random(150)[:, None] > p.cumsum(axis=1)).sum(axis=1)
        found = uc.evaluate(y, p, metrics=[name], n_resamples=200)[name]
        held += found.low == 0
        assert found.low <= found.value <= found.high and "by chance" in str(found)
    assert held >= 10  # the corrected bootstrap alone gave 0 in 3 and 5 of them
    wrong = uc.evaluate(y, np.where(p == p.max(axis=1, keepdims=True), 0.98, 0.01), metrics=[name], n_resamples=200)
    assert wrong[name].low > 0.1


def test_columns_taken_in_alphabetical_order_are_said_to_be():
    rng = np.random.default_rng(3)
    y, p = rng.choice(["low", "high", "middle"], 60), rng.dirichlet(np.ones(3), 60)
    assumed = [each for each in uc.evaluate(y, p).findings if each.verdict == "assumed"]
    assert "'high', 'low' and 'middle', the labels in alphabetical order" in str(assumed[0])
    for stated in ({"classes": ["low", "middle", "high"]}, {}):
        labels = y if stated else np.arange(60) % 3
        assert not [each for each in uc.evaluate(labels, p, **stated).findings if each.verdict == "assumed"]


def test_the_weakest_class_is_not_the_one_with_a_single_case():
    rng = np.random.default_rng(3)
    y = np.append(np.arange(60) % 3, 3)
    p = rng.dirichlet(np.ones(4), 61)
    said = " ".join(map(str, uc.evaluate(y, p).findings))
    assert "lowest for class '3'" not in said
    assert "Fewer than 10 cases of" in said


def test_groups_of_one_case_know_that_a_class_has_one_case():
    rng = np.random.default_rng(3)
    y = np.append(np.arange(60) % 3, 3)
    p = rng.dirichlet(np.ones(4), 61)
    alone = uc.evaluate(y, p, metrics=["auroc_ovr_macro"])["auroc_ovr_macro"]
    grouped = uc.evaluate(y, p, metrics=["auroc_ovr_macro"], groups=np.arange(61))["auroc_ovr_macro"]
    assert grouped.low <= alone.low
    assert grouped.high >= alone.high  # one case has most of the variance, which leaves few degrees of freedom


def test_a_comparison_names_the_assumed_columns_too():
    rng = np.random.default_rng(3)
    y, p = rng.choice(["low", "high", "middle"], 60), rng.dirichlet(np.ones(3), 60)
    models = {"a": p, "b": p[:, ::-1].copy()}
    assert "'high', 'low' and 'middle', the labels in alphabetical order" in uc.compare(y, models).thresholds
    assert uc.compare(y, models, classes=["low", "middle", "high"]).thresholds == ""

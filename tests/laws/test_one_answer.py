"""One question, one interval: wherever a number is asked for, it comes with the same value and the same limits."""

import math

import numpy as np
import pytest

import unconfuse as uc

TABLES = [(30, 20, 10, 140), (141, 0, 67, 31), (8, 2, 2, 88), (1, 0, 3, 5), (0, 3, 4, 9), (5, 5, 5, 5), (12, 1, 0, 7)]


def same(one, other):
    for name in ("value", "low", "high"):
        a, b = getattr(one, name), getattr(other, name)
        assert (math.isnan(a) and math.isnan(b)) or a == pytest.approx(b, rel=1e-12, abs=1e-12), (name, one, other)
    assert one.method == other.method


@pytest.mark.parametrize("cells", TABLES)
@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "mcc", "cohen_kappa"])
def test_a_confusion_matrix_of_two_classes_is_four_counts(cells, name):
    tp, fp, fn, tn = cells
    same(
        uc.evaluate_confusion([[tn, fp], [fn, tp]], metrics=[name])[name],
        uc.evaluate_counts(tp=tp, fp=fp, fn=fn, tn=tn, metrics=[name])[name],
    )


@pytest.mark.filterwarnings("ignore:neither of two classes")
@pytest.mark.parametrize("cells", TABLES)
def test_one_class_of_two_is_the_yes_or_no_question(cells):
    tp, fp, fn, tn = cells
    own = uc.evaluate_confusion([[tn, fp], [fn, tp]]).one_vs_rest(1)
    counts = uc.evaluate_counts(tp=tp, fp=fp, fn=fn, tn=tn)
    for name in counts:
        same(own[name], counts[name])


@pytest.fixture(scope="module", params=["plain", "ties", "weights", "groups"])
def case(request):
    rng = np.random.default_rng(3)
    y = rng.random(240) < 0.35
    p = 1 / (1 + np.exp(-(1.5 * y - 0.5 + rng.normal(size=240))))
    p = np.round(p, 1) if request.param == "ties" else p
    words = {"weights": {"weights": rng.integers(1, 4, 240)}, "groups": {"groups": np.arange(240) // 4}}.get(
        request.param, {}
    )
    return y.astype(int), p, words


@pytest.mark.parametrize("name", ["auroc_hand_till", "auroc_ovr_macro", "auroc_ovr_weighted", "log_loss", "brier"])
def test_scores_of_two_classes_are_one_column(case, name):
    y, p, words = case
    binary = {"log_loss": "log_loss", "brier": "brier"}.get(name, "auroc")
    same(
        uc.evaluate(y, {0: 1 - p, 1: p}, metrics=[name], **words)[name],
        uc.evaluate(y, p, metrics=[binary], **words)[binary],
    )


def test_accuracy_is_micro_f1():
    rng = np.random.default_rng(4)
    matrix = rng.integers(0, 30, (4, 4)) + np.eye(4, dtype=int) * 20
    ev = uc.evaluate_confusion(matrix)
    for name in ("f1_micro", "precision_micro", "sensitivity_micro"):
        same(ev["accuracy"], ev[name])


def test_accuracy_is_micro_f1_in_groups():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 200)
    called = np.where(rng.random(200) < 0.7, truth, rng.integers(0, 3, 200))
    ev = uc.evaluate(truth, predicted=called, groups=np.arange(200) // 5)
    assert ev["accuracy"].low == pytest.approx(ev["f1_micro"].low, abs=1e-6)
    assert ev["accuracy"].high == pytest.approx(ev["f1_micro"].high, abs=1e-6)


@pytest.mark.parametrize("cells", TABLES[:3])
def test_the_own_prevalence_changes_nothing(cells):
    tp, fp, fn, tn = cells
    test = uc.evaluate_counts(tp=tp, fp=fp, fn=fn, tn=tn)
    there = uc.shift_prevalence(test, prevalence=(tp + fn) / (tp + fp + fn + tn))
    for name in test:
        same(there[name], test[name])


def test_the_card_knows_the_groups(case):
    """The default threshold was not chosen on these data: the card measures there what the evaluation measured."""
    y, p, words = case
    ev = uc.evaluate(y, p, **words)
    fixed = next(point for name, point in ev.default_card.points.items() if name.startswith("fixed"))
    for name in ("sensitivity", "specificity", "precision"):
        assert fixed.metrics[name].value == pytest.approx(ev[name].value, abs=1e-12)
        assert fixed.metrics[name].low == pytest.approx(ev[name].low, abs=1e-9)
        assert fixed.metrics[name].high == pytest.approx(ev[name].high, abs=1e-9)


def test_a_subgroup_is_an_evaluation_of_its_rows():
    rng = np.random.default_rng(6)
    y, s, sex = rng.random(200) < 0.4, rng.random(200), np.where(rng.random(200) < 0.5, "F", "M")
    parts = uc.evaluate(y, s, by=sex, metrics=["auroc", "precision", "max_f1"]).subgroups
    alone = uc.evaluate(y[sex == "F"], s[sex == "F"], metrics=["auroc", "precision", "max_f1"])
    for name in alone:
        same(parts["F"][name], alone[name])


def test_a_metric_asked_for_later_is_the_same():
    rng = np.random.default_rng(7)
    y, s = rng.random(150) < 0.4, rng.random(150)
    few, many = uc.evaluate(y, s, metrics=["auroc"]), uc.evaluate(y, s)
    for name in ("npv", "average_precision", "max_f1", "f_beta(2)"):
        if name in many:
            same(few[name], many[name])
    same(few["recall"], many["sensitivity"])


@pytest.mark.parametrize("cells", [*TABLES, (90, 2, 10, 8), (90, 5, 10, 95)])
@pytest.mark.parametrize("prevalence", [0.001, 0.11, 0.62])  # of none of the tables
def test_predictive_values_are_the_likelihood_ratio_carried_over(cells, prevalence):
    """One interval on all surfaces: odds before times the limits of the ratio."""
    from unconfuse.bayesian import break_even_prevalence, predictive_value_curve, shift_counts_estimates
    from unconfuse.results.threshold_grid import stops

    counts = uc.Counts(**dict(zip(("tp", "fp", "fn", "tn"), map(float, cells), strict=True)))
    test = uc.evaluate_counts(tp=cells[0], fp=cells[1], fn=cells[2], tn=cells[3])
    there, person = uc.shift_prevalence(test, prevalence=prevalence), uc.posterior(test, prior=prevalence)
    again = shift_counts_estimates(counts, uc.METRICS.values(), prevalence)
    curve = predictive_value_curve(test, [prevalence])
    on_page = stops(test).ratios
    for ratio, right, wrong, result in (
        ("lr_positive", "precision", "false_discovery_rate", person.after_positive),
        ("lr_negative", "false_omission_rate", "npv", person.after_negative),
    ):
        own, limits = test[ratio], on_page[ratio]
        np.testing.assert_allclose([float(limits[0][0]), float(limits[1][0])], [own.low, own.high], rtol=1e-12)
        if own.undefined:
            assert there[right].undefined and result.undefined
            continue
        odds = [prevalence / (1 - prevalence) * end for end in (own.low, own.high)]
        ends = [each / (1 + each) if math.isfinite(each) else 1.0 for each in odds]
        surfaces = [[each.low, each.high] for each in (there[right], again[right], result)]
        assert surfaces[0] == pytest.approx(ends, rel=1e-12, abs=1e-15)
        assert surfaces[0] == surfaces[1] == surfaces[2]
        mirrored = [1 - end for end in ends[::-1]]
        assert [there[wrong].low, there[wrong].high] == pytest.approx(mirrored, rel=1e-12, abs=1e-12)
        shown = "precision" if ratio == "lr_positive" else "npv"
        drawn = [float(curve[f"{shown}_{end}"][0]) for end in ("low", "high")]
        assert drawn == pytest.approx([there[shown].low, there[shown].high], rel=1e-12, abs=1e-15)
    even = break_even_prevalence(test)
    if not even.undefined:
        own = test["lr_positive"]
        assert [even.low, even.high] == pytest.approx([1 / (1 + own.high), 1 / (1 + own.low)], rel=1e-12)


def test_equal_results_raise_the_ratio_to_a_power():
    test = uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95)
    for results, name in (("++", "lr_positive"), ("---", "lr_negative")):
        found, own = uc.posterior(test, prior=0.05, results=results).after_results, test[name]
        odds = [0.05 / 0.95 * end ** len(results) for end in (own.low, own.high)]
        assert [found.low, found.high] == pytest.approx([each / (1 + each) for each in odds], rel=1e-12)
    once, again = uc.posterior(test, prior=0.05), uc.posterior(test, prior=0.05, results="+-")
    assert again.updates[0].low == once.after_positive.low


def test_one_persons_probability_at_the_own_prevalence_is_the_predictive_value(case):
    y, p, words = case
    ev = uc.evaluate(y, p, **words)
    person = uc.posterior(ev, prior=ev.positives / ev.n)
    for found, name in ((person.after_positive, "precision"), (person.after_negative, "false_omission_rate")):
        assert [found.low, found.high] == pytest.approx([ev[name].low, ev[name].high], rel=1e-12)


def test_cases_in_groups_carry_their_own_ratio_over():
    rng = np.random.default_rng(8)
    y, groups = rng.random(200) < 0.4, np.arange(200) // 8
    ev = uc.evaluate(y, y + rng.normal(size=200), threshold=0.5, groups=groups, metrics=["precision", "sensitivity"])
    own, person = ev["lr_positive"], uc.posterior(ev, prior=0.1, results="++-")
    odds = [end / 9 for end in (own.low, own.high)]
    for each in (person.after_positive, uc.shift_prevalence(ev, prevalence=0.1)["precision"]):
        assert [each.low, each.high] == pytest.approx([each / (1 + each) for each in odds], rel=1e-9)
    for none in (person.after_results, uc.posterior(ev, prior=(10, 100)).after_positive):
        assert math.isnan(none.low) and "groups" in none.method

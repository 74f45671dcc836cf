"""The threshold card: choices against brute force, honest numbers, costs, limits, files and drift."""

import json
import tracemalloc

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.thresholds import DriftWarning
from unconfuse.thresholds.candidates import grouped
from unconfuse.thresholds.case_units import IndependentCases, _deal, _deal_blocks
from unconfuse.thresholds.rules import youden
from unconfuse.thresholds.validation import CardSettings, cross_fitted

QUICK = {"n_resamples": 50, "repeats": 1}


def made(n=200, prevalence=0.4, shift=1.0, seed=0, digits=None):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    s = rng.normal(size=n) + shift * y
    return y, s if digits is None else np.round(s, digits)


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize(
    ("rule", "metric", "sign"),
    [
        ("youden", uc.METRICS["youden_j"], 1),
        ("max_f1", uc.f_beta(1), 1),
        ("max_mcc", uc.METRICS["mcc"], 1),
        ("cost", uc.expected_cost(fp=1, fn=4), -1),
    ],
)
def test_choices_are_the_best_there_are(rule, metric, sign, digits):
    y, s = made(digits=digits)
    table = uc.score_table(y, s)
    point = uc.threshold_card(table, costs=(1, 4), rules=[rule], **QUICK)[rule]
    every = sign * np.array([float(metric(table.counts_at(t))) for t in table.score])
    assert sign * float(metric(table.counts_at(point.threshold.value))) == pytest.approx(np.nanmax(every))
    assert point.apparent[metric.name if metric.name in point.apparent else "f1"].value == pytest.approx(
        sign * np.nanmax(every)
    )


def test_limits_are_kept_and_nothing_better_keeps_them():
    y, s = made(500)
    table = uc.score_table(y, s)
    card = uc.threshold_card(table, min_precision=0.8, min_recall=0.85, min_specificity=0.7, **QUICK)
    for rule, best, limited, limit in (
        ("recall_at_precision(0.8)", "sensitivity", "precision", 0.8),
        ("precision_at_recall(0.85)", "precision", "sensitivity", 0.85),
        ("sensitivity_at_specificity(0.7)", "sensitivity", "specificity", 0.7),
    ):
        counts = table.counts()
        fits = uc.METRICS[limited](counts) >= limit
        point = card[rule]
        assert point.apparent[limited].value >= limit
        assert point.apparent[best].value == pytest.approx(uc.METRICS[best](counts)[fits].max())
    assert card["recall_at_precision"] is card["recall_at_precision(0.8)"]


def test_a_limit_out_of_reach_names_the_best():
    y, s = made(400, 0.1, 0.3)
    card = uc.threshold_card(np.append(y, False), np.append(s, 9.0), min_precision=0.99, **QUICK)
    point = card["recall_at_precision"]
    assert "no threshold reaches precision >= 0.99; the best is" in point.infeasible_reason
    assert any(finding.verdict == "cannot be met" for finding in card.findings)


def test_queue_rate_and_capacity_are_never_exceeded():
    y, s = made(400, digits=1)
    card = uc.threshold_card(y, s, queue_rate=0.15, capacity=37, **QUICK)
    assert card["queue_rate"].apparent["queue_rate"].value <= 0.15
    assert card["capacity"].apparent["queue_rate"].value <= 37 / 400
    labelled = (np.asarray(s) >= card["queue_rate"].next_score).sum()
    assert labelled > 0.15 * 400, "one score lower would have been too many"


def test_b_rules_agree_with_indistinguishability():
    y, s = made(300)
    card = uc.threshold_card(y, s, **QUICK)
    found = uc.indistinguishability(y, s)
    assert card["indistinguishability"].threshold.value == found.threshold.value
    assert card["indistinguishability"].apparent["precision"].value == pytest.approx(found.precision.value)
    assert card["b_40"].threshold.value > card["indistinguishability"].threshold.value > card["b_60"].threshold.value


def test_labelling_nobody_is_a_choice():
    y, s = made(400, 0.05, 0.5)
    card = uc.threshold_card(np.append(y, False), np.append(s, 9.0), costs={"payer": (50, 1)}, **QUICK)
    point = card["cost:payer"]
    assert point.threshold.value == np.inf
    assert point.metrics["sensitivity"].value == 0
    assert "label none" in point.sentence
    json.loads(card.to_json(), parse_constant=lambda constant: pytest.fail(f"{constant} is not strict JSON"))


def test_prevalence_moves_costs_but_not_youden():
    y, s = made(600)
    usual, rare = (uc.threshold_card(y, s, costs=(1, 5), prevalence=p, **QUICK) for p in (None, 0.05))
    assert rare["youden"].threshold.value == usual["youden"].threshold.value
    assert rare["cost"].threshold.value > usual["cost"].threshold.value
    assert rare["youden"].at_prevalence["precision"].value < usual["youden"].metrics["precision"].value
    sensitivity = rare["youden"].metrics["sensitivity"].value
    assert rare["youden"].at_prevalence["sensitivity"].value == pytest.approx(sensitivity)


@pytest.mark.parametrize("honest", ["crossfit", "optimism"])
def test_honest_is_lower_than_apparent_on_average(honest):
    gaps = [
        uc.threshold_card(*made(60, 0.5, 0.95, seed), honest=honest, rules=["youden"], **QUICK)["youden"].optimism[
            "youden_j"
        ]
        for seed in range(40)
    ]
    assert np.mean(gaps) > 0.04


def test_optimism_is_apparent_minus_honest_and_fixed_thresholds_have_none():
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.4
    card = uc.threshold_card(y, np.clip(rng.normal(0.4 + 0.2 * y, 0.15), 0, 1), **QUICK)
    for point in card.values():
        for name, gap in point.optimism.items():
            assert gap == pytest.approx(point.apparent[name].value - point.metrics[name].value, nan_ok=True)
    assert set(card["fixed(0.5)"].optimism.values()) == {0.0}
    assert "fixed(0.5)" not in uc.threshold_card(*made(100), **QUICK), "0.5 means nothing on this scale"


def test_cross_fitting_counts_every_case_once_and_weights_as_rows():
    y, s = made(90)
    table = IndependentCases(uc.score_table(y, s))
    twice = IndependentCases(uc.score_table(np.repeat(y, 2), np.repeat(s, 2)))
    weighted = IndependentCases(uc.score_table(y, s, weights=np.full(90, 2.0)))
    settings = CardSettings(folds=10, repeats=2)
    assert float(cross_fitted(table, [youden()], settings)[0].total) == 90
    assert cross_fitted(twice, [youden()], settings)[0] == cross_fitted(weighted, [youden()], settings)[0]
    halves = IndependentCases(uc.score_table(y, s, weights=np.full(90, 0.5)))
    assert float(cross_fitted(halves, [youden()], settings)[0].total) == pytest.approx(45)


def test_flat_region_holds_the_threshold_and_is_flat():
    y, s = made(500)
    table = uc.score_table(y, s)
    point = uc.threshold_card(table, **QUICK)["youden"]
    low, high = point.flat_region
    assert low <= point.threshold.value <= high
    inside = (table.score >= low) & (table.score <= high)
    drop = point.apparent["youden_j"].value - uc.METRICS["youden_j"](table.counts())[inside].min()
    assert 0 < drop < 0.06, "one standard error of J at n = 500 is about .04"


def test_large_tables_are_grouped_without_changing_the_choice():
    y, s = made(20_000, 0.3, 1.0)
    table = uc.score_table(y, s)
    small = grouped(table)
    assert len(small) < 1100
    assert small.n_positives == table.n_positives
    assert set(small.score) <= set(table.score)
    point = uc.threshold_card(table, rules=["youden"], **QUICK)["youden"]
    every = uc.METRICS["youden_j"](table.counts())
    assert point.threshold.value == table.score[int(np.argmax(every))]


def test_cards_travel_as_json(tmp_path):
    card = uc.threshold_card(*made(150), costs={"clinic": (1, 10)}, prevalence=0.1, **QUICK)
    path = tmp_path / "card.json"
    text = card.to_json(path)
    back = uc.read_card(path)
    assert back.to_json() == text
    assert back["youden"].threshold.value == card["youden"].threshold.value
    assert back["cost:clinic"].metrics["precision"].low == pytest.approx(
        card["cost:clinic"].metrics["precision"].low, nan_ok=True
    )
    assert len(back.to_frame()) == len(card)


@pytest.mark.parametrize(
    ("change", "match"),
    [({"version": 99}, "version 99"), ({"format": "other"}, "not a threshold card"), ({"rules": None}, "damaged")],
)
def test_damaged_cards_are_refused(change, match):
    content = json.loads(uc.threshold_card(*made(60), rules=["youden"], **QUICK).to_json())
    with pytest.raises(uc.UnconfuseError, match=match):
        uc.read_card({**content, **change})


def test_text_that_is_no_card_is_refused(tmp_path):
    with pytest.raises(uc.UnconfuseError, match="not JSON"):
        uc.read_card("{nonsense")
    with pytest.raises(uc.UnconfuseError, match="cannot be read"):
        uc.read_card(tmp_path / "absent.json")


def test_new_cases_of_the_same_kind_raise_no_alarm_and_others_do():
    y, s = made(2000, 0.3)
    card = uc.threshold_card(y, s, rules=["youden"], **QUICK)
    new_y, new_s = made(500, 0.3, seed=1)
    same = uc.apply_card(card, new_s, rule="youden", y=new_y)
    assert same.drift == ()
    assert (same.labels == (new_s >= card["youden"].threshold.value)).all()
    with pytest.warns(DriftWarning, match="share labelled positive"):
        moved = uc.apply_card(card, new_s + 1, rule="youden")
    assert moved.predicted_positive_rate > same.predicted_positive_rate
    other_y, other_s = made(500, 0.6, seed=2)
    with pytest.warns(DriftWarning) as caught:
        uc.apply_card(card, other_s, rule="youden", y=other_y)
    assert any("The prevalence is" in str(each.message) for each in caught)
    with pytest.warns(DriftWarning) as caught:
        uc.apply_card(card, 100 * new_s, rule="youden")
    assert any("its scale are the same" in str(each.message) for each in caught)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"costs": (0, 0)}, "not both 0"),
        ({"costs": 3}, "`costs` must be"),
        ({"honest": "yes"}, "`validation` must be one"),
        ({"rules": ["yuoden"]}, "did you mean 'youden'"),
        ({"capacity": 1e6}, "`capacity`"),
        ({"metrics": ["auroc"]}, "auroc"),
        ({"min_precision": 90}, "90% is 0.9"),
        ({"folds": 1}, "`folds`"),
    ],
)
def test_wrong_options_get_one_clear_message(options, match):
    with pytest.raises(uc.UnconfuseError, match=match):
        uc.threshold_card(*made(60), **{**QUICK, **options})


class ByFirstColumn:
    """A classifier without training: its threshold moves with the prevalence it was fitted at."""

    def fit(self, X, y):
        self.shift = np.log(y.mean() / (1 - y.mean()))
        return self

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-(X[:, 0] + self.shift)))
        return np.column_stack([1 - p, p])


def test_test_prevalence_moves_shares_and_training_prevalence_moves_rates():
    y, s = made(20_000, 0.3)
    study = uc.prevalence_study(
        ByFirstColumn(), s[:, None], y, training_prevalences=(0.2, 0.5), test_prevalences=(0.2, 0.5)
    )
    assert study.moved("training", "sensitivity")
    assert not study.moved("training", "auroc")
    assert not any(study.moved("test", name) for name in ("sensitivity", "specificity", "auroc"))
    assert len(study.to_frame()) == 4


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("y", "s"),
    [
        ([1, 0], [0.9, 0.1]),
        ([1, 0, 0, 0], [0.2, 0.2, 0.2, 0.2]),
        ([1] * 5 + [0] * 5, list(range(10, 0, -1))),
        ([0] * 5 + [1] * 5, list(range(10, 0, -1))),
        ([1] + [0] * 30, [0.5, *np.linspace(0, 1, 30)]),
    ],
)
@pytest.mark.parametrize("honest", ["crossfit", "optimism", None])
def test_extreme_data_give_a_card_without_warnings(y, s, honest):
    card = uc.threshold_card(y, s, costs=(1, 3), prevalence=0.3, honest=honest, capacity=1, **QUICK)
    assert len(card.to_frame()) == len(card)
    for point in card.values():
        assert point.sentence
    assert uc.read_card(card.to_json()).to_json() == card.to_json()


def test_b_rules_say_when_scores_rank_negatives_first():
    y, s = made(200)
    assert "rank negatives first" in uc.threshold_card(y, -s, **QUICK)["indistinguishability"].infeasible_reason


def test_many_cases_at_few_scores_are_dealt_as_if_one_by_one() -> None:
    weights, generator = np.array([300, 5, 0, 200, 37]), np.random.default_rng(4)
    one_by_one = np.array([_deal(weights.astype(float), 5, generator) for _ in range(3000)])
    at_once = np.array([_deal_blocks(weights, 5, generator) for _ in range(3000)])
    assert (at_once.sum(axis=1) == weights).all()
    assert (at_once.sum(axis=2) == one_by_one.sum(axis=2)).all()
    assert at_once.mean(axis=0) == pytest.approx(one_by_one.mean(axis=0), abs=0.5)
    assert at_once.std(axis=0) == pytest.approx(one_by_one.std(axis=0), abs=0.3)


@pytest.mark.parametrize("weight", [1e6, 4e7])
def test_heavy_weights_are_not_dealt_one_by_one(weight: float) -> None:
    s = np.linspace(0, 1, 40)
    y = (s > 0.5) ^ (np.arange(40) % 7 == 3)
    tracemalloc.start()
    card = uc.threshold_card(y, s, weights=np.full(40, weight), n_resamples=100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert card["youden"].metrics["sensitivity"].value == pytest.approx(card["youden"].apparent["sensitivity"].value)


def test_progress_of_a_card_counts_resamples_and_folds():
    told = []
    y, s = [0, 1] * 20, [k / 40 for k in range(40)]
    how = {"honest": "crossfit", "n_resamples": 50, "folds": 4, "repeats": 3}
    uc.threshold_card(y, s, **how, progress=lambda *each: told.append(each))
    assert told == [(50, 62), (54, 62), (58, 62), (62, 62)]


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_costs_are_said_to_be_saved_only_beyond_the_interval(prevalence):
    """Labels cost less than labelling none or all only where the limits of the saving say so."""
    y, s = made(400)
    costs = {"clinic": (1, 3), "bank": (5, 1), "ward": (1, 60), "street": (1, 1)}
    card = uc.threshold_card(y, s, costs=costs, prevalence=prevalence, **QUICK)
    seen = [each for each in card.findings if "saving" in each.numbers]
    assert seen
    for each in seen:
        numbers = each.numbers
        assert numbers["low"] <= numbers["saving"] <= numbers["high"]
        assert numbers["saving"] == pytest.approx(min(numbers["none"], numbers["all"]) - numbers["cost"])
        assert (each.verdict == "cheaper than labelling none or all") == (numbers["low"] > 0)
        assert (each.verdict == "dearer than labelling none or all") == (numbers["high"] < 0)
        assert "95% interval" in each.sentence and "prevalence" in each.sentence
        assert "useful" not in each.sentence and "save nothing" not in each.sentence
        assert ("Inconclusive" in each.sentence) == (each.verdict == "cannot tell")


def test_two_positives_do_not_settle_costs():
    card = uc.threshold_card([1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.3, 0.2, 0.1, 0.4], costs=(1, 2), **QUICK)
    assert {each.verdict for each in card.findings if "saving" in each.numbers} <= {"cannot tell"}

"""What is recommended on finite data: the order of a path, three outcomes, conditions, and like compared with like."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from scipy.special import expit

import unconfuse as uc
from unconfuse import Binormal, Empirical, ModelSequence
from unconfuse.resolving.improvement_kinds import KindAnswer, together

RANDOM = np.random.default_rng(1)
LABELS = np.arange(1000) % 10 == 0
NOISE, OTHER = RANDOM.normal(size=1000), RANDOM.normal(size=1000)
BOTH = ("auroc", "average_precision")


def power(model, metrics=BOTH, **how):
    return uc.resolving_power(model, metrics, **{"n_samples": 200} | how)


def cleaner_top(share):
    """Negatives among the best scores sink."""
    score = NOISE + 1.5 * LABELS + 0.3 * OTHER
    return np.where(~LABELS & (score > 1.2), score - 0.9 * share * (score - 1.2), score)


def cleaner_top_worse_bottom(share):
    score = cleaner_top(share)
    raised = ~LABELS & (score < 0.2) & (np.arange(1000) % 2 == 0)
    return np.where(raised, score + 0.8 * share, score)


def test_a_path_keeps_its_order_where_the_auroc_falls():
    path = ModelSequence(LABELS, {f"{share}": cleaner_top_worse_bottom(share) for share in (0.0, 0.5, 1.0)})
    areas = [each.auroc for each in path.populations]
    assert areas[-1] < areas[0]
    rp = power(path)
    found = rp.verdicts(rp.at[0])
    assert found.pair.places == (0.0, 2.0) and found.pair.better is path.populations[-1]
    assert found.chances["average_precision"].wins > 0.97 and found.chances["auroc"].wins < 0.5
    advice = rp.recommendation
    assert advice.metric == "average_precision" and advice.outcome == "better"
    assert "the AUROC falls from" in str(advice) and "the order given is kept" in str(advice)
    with pytest.raises(uc.UnconfuseError, match="falls along this path"):
        rp.wins("auroc", better=areas[0], worse=areas[-1])


def test_a_path_on_which_the_top_improves_is_told_by_average_precision():
    path = ModelSequence(LABELS, [cleaner_top(share) for share in (0.0, 0.33, 0.66, 1.0)])
    rp = power(path)
    ranked = {each.metric: each for each in rp.recommendation.ranking[rp.at[0]]}
    assert ranked["average_precision"].wins > 0.97 and ranked["auroc"].wins < 0.85
    assert rp.recommendation.metric == "average_precision"
    assert 1 < ranked["average_precision"].efficiency_low < ranked["average_precision"].efficiency
    assert str(rp.recommendation).startswith("If later models of this path are better")


def test_a_path_of_equal_models_recommends_nothing():
    advice = power(ModelSequence(LABELS, [NOISE + LABELS, NOISE + LABELS])).recommendation
    assert "no metric can be recommended" in str(advice) and advice.outcome == "cannot tell"


def test_an_auroc_that_goes_up_and_down_is_no_scale():
    steps = (0.0, 1.0, 0.5, 1.5)
    path = ModelSequence(LABELS, [NOISE + 1.5 * LABELS + each * LABELS for each in steps])
    rp = power(path, reference="auroc")
    assert rp["average_precision"].undefined and np.isnan(rp["average_precision"].kappa)


def test_an_unbiased_metric_is_not_called_biased():
    """The mean of smoothed probabilities is not that of the probabilities, but that of their own samples."""

    def mean_difference(table):
        return float(
            table.score @ table.positives / table.n_positives - table.score @ table.negatives / table.n_negatives
        )

    labels = np.arange(300) % 3 == 0
    for seed in range(3):
        random = np.random.default_rng(seed)
        probabilities = expit(4 * random.normal(size=300) + 3 * labels)
        rp = power(Empirical(labels, probabilities), ["auroc", mean_difference])
        assert rp.caveat("mean_difference") == ""


def test_redraws_stay_probabilities():
    model = Empirical(LABELS, expit(3 * NOISE + 2 * LABELS))
    table = model.redrawn(np.random.default_rng(0)).table
    assert table.score.min() > 0 and table.score.max() < 1
    assert (table.n_positives, table.n_negatives) == pytest.approx((100, 900))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (
            {"improvement": "shift"},
            "a better model moves all positives up alike, and each of two models near AUROC 0.750 is evaluated on 300",
        ),
        ({"improvement": "top"}, "a better model makes the highest tenth of the negatives rarer"),
        (
            {"score_correlation": 0.5, "improvement": "shift"},
            "two models near AUROC 0.750 are evaluated on the same 300 cases (90 positive, scores corre",
        ),
    ],
)
def test_the_first_sentence_states_its_condition(how, words):
    advice = power(Binormal(), n=300, prevalence=0.3, at=0.75, **how).recommendation
    assert words in str(advice).partition(";")[0] and words in str(advice.finding)
    assert "smallest difference" not in str(advice) and "(kappa)" in str(advice)


def test_what_is_left_open_has_an_interval_and_a_name():
    labels = np.arange(60) % 3 == 0
    model = Empirical(labels, np.random.default_rng(1).normal(size=60) + labels)
    advice = power(model, improvement="shift").recommendation
    assert advice.outcome == "cannot tell" and advice.metric == "auroc"
    assert "these data cannot tell whether another metric is better than the AUROC" in str(advice)
    own = next(each for each in next(iter(advice.ranking.values())) if each.metric == "average_precision")
    assert own.efficiency_low < 1.05 < own.efficiency_high and "95% interval" in str(advice)
    assert advice.as_dict()["outcome"] == "cannot tell"


def top_or_everywhere(**how):
    return power(Binormal(), n=1000, prevalence=0.2, at=0.75, **how)


def test_where_kinds_disagree_all_four_are_shown():
    rp = top_or_everywhere()
    advice = rp.recommendation
    assert advice.outcome == "depends on how the next model is better"
    assert [each.improvement for each in advice.kinds] == ["shift", "scale", "top", "tilt"]
    found = {each.improvement: each for each in advice.kinds}
    assert found["shift"].outcome == "none is known to be better" and found["top"].metric == "average_precision"
    first = str(advice).partition(". ")[0]
    assert "each evaluated on 1,000 cases of its own (200 positive)" in first
    for each in advice.kinds:
        assert f"if it {each.words}, {each.sentence}" in str(advice)
        assert f"if it {each.words}, {each.brief}" in str(advice.finding)
    assert advice.as_dict()["kinds"][2]["better"] == ["average_precision"]


def test_the_answer_of_a_kind_is_that_of_naming_it():
    found = {each.improvement: each for each in top_or_everywhere().recommendation.kinds}
    for how in ("shift", "top"):
        named = top_or_everywhere(improvement=how).recommendation
        own = found[how]
        assert (named.outcome, named.metric) == (own.outcome, own.metric) and not named.kinds
        ranked = {each.metric: each for each in named.ranking[0.75]}
        assert own.efficiencies == {name: each.efficiency for name, each in ranked.items()}
        assert own.efficiency_low == ranked[own.compared].efficiency_low
        assert str(top_or_everywhere().by_improvement([how])[how]) == str(named)


def test_a_result_that_has_answered_can_be_stored():
    rp = top_or_everywhere()
    said = str(rp.recommendation)
    assert str(pickle.loads(pickle.dumps(rp)).recommendation) == said


def answer(improvement, *better, outcome=None, **efficiencies):
    outcome = outcome or ("better" if better else "none is known to be better")
    efficiencies = {"auroc": 1.0} | efficiencies
    metric = better[0] if better else "auroc"
    return KindAnswer(improvement, "", outcome, metric, efficiencies=efficiencies, better=better)


@pytest.mark.parametrize(
    ("answers", "outcome", "metric", "safest"),
    [
        ([answer("shift", "h", "ap", h=3.0, ap=2.0), answer("top", "ap", ap=2.0, h=0.9)], "better", "ap", "ap"),
        ([answer("shift", "ap", ap=4.0), answer("top", ap=0.5)], "depends on how the next model is better", None, "ap"),
        ([answer("shift", ap=0.5), answer("top", ap=0.9)], "none is known to be better", None, "auroc"),
        ([answer("shift", ap=0.5), answer("top", outcome="cannot tell", ap=1.1)], "cannot tell", None, "auroc"),
        (
            [answer("shift", "ap", ap=1.2), answer("top", outcome="cannot tell", ap=1.1)],
            "depends on how the next model is better",
            None,
            "ap",
        ),
    ],
)
def test_kinds_together(answers, outcome, metric, safest):
    found = together(answers)
    assert (found.outcome, found.metric, found.safest) == (outcome, metric, safest)
    best = [max(each.efficiencies.values()) for each in answers]
    worst = {
        name: max(top / each.efficiencies[name] for top, each in zip(best, answers, strict=True))
        for name in answers[0].efficiencies
    }
    assert found.safest_loss == pytest.approx(min(worst.values())) and worst[safest] == found.safest_loss


def test_one_kind_alone_decides_nothing_together():
    unknown = KindAnswer("scale", "spreads", not_estimable="tied")
    assert together([answer("shift", ap=0.5), unknown]) is None and together([]) is None
    assert unknown.sentence == "not estimable (tied)" and math.isnan(unknown.efficiency)


def test_tied_scores_do_not_claim_kinds_that_they_cannot_have():
    labels = np.arange(300) % 3 == 0
    scores = np.round(np.random.default_rng(0).normal(size=300) + labels)
    found = {each.improvement: each for each in power(Empirical(labels, scores)).recommendation.kinds}
    assert "tied" in found["shift"].not_estimable and not found["tilt"].not_estimable


def test_a_path_has_one_kind():
    advice = power(ModelSequence(LABELS, [cleaner_top(share) for share in (0.0, 1.0)])).recommendation
    assert advice.kinds == () and advice.safest is None


def test_one_positive_and_perfect_models_are_answered_or_refused():
    labels = np.arange(40) < 1
    for scores in (np.random.default_rng(0).normal(size=40), -np.arange(40.0)):
        try:
            assert power(Empirical(labels, scores)).recommendation.outcome
        except uc.UnconfuseError as error:
            assert str(error)


def test_an_unknown_kind_is_refused():
    with pytest.raises(uc.UnconfuseError, match="`improvement` must be one of"):
        power(Binormal(), n=100, prevalence=0.3, at=0.75, improvement="")


def real_scores(seed):
    """Scores of a forest on rare positives, and of other cases."""
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier

    features, labels = make_classification(
        4500, 20, n_informative=8, weights=[0.945], class_sep=0.8, flip_y=0.01, random_state=seed
    )
    model = RandomForestClassifier(60, min_samples_leaf=3, random_state=0).fit(features[:1500], labels[:1500])
    return labels[1500:], model.predict_proba(features[1500:])[:, 1]


@pytest.mark.parametrize("seed", [3, 8])
def test_real_models_with_rare_positives_are_not_sent_to_the_auroc(seed):
    """`make coverage` counts how often which metric chooses the better of real models."""
    labels, scores = real_scores(seed)
    advice = power(Empirical(labels, scores), ["auroc", "average_precision", "h_measure"]).recommendation
    assert advice.outcome in ("better", "depends on how the next model is better")
    assert advice.safest in ("average_precision", "h_measure")
